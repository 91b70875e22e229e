//! The SVG of a plot: shape and color by series, hollow marks for incomplete runs, and a number where several runs share a mark.

use serde::{Serialize, Serializer};

use crate::view::peers::{Peers, WIDTH};
use crate::view::plot::{FRAME, Plot, PlotPoint, SIZE, SeriesMark};

use crate::markup::Html;
use crate::markup::escape::push_attribute;

/// Shapes of the series, centered at 0 0. A series is recognizable by shape alone.
const SHAPES: [&str; 6] = [
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "M-4.5 -4.5h9v9h-9z",
    "M0 -6L5.5 4.5h-11z",
    "M0 -6.5L6.5 0L0 6.5L-6.5 0z",
    "M0 6L5.5 -4.5h-11z",
    "M-5.5 -3L0 -6L5.5 -3V3L0 6L-5.5 3z",
];

/// Color and shape of a series. The first six differ in both; later ones reuse shapes in other colors.
fn look(SeriesMark(position): SeriesMark) -> (usize, &'static str) {
    let shape = position % SHAPES.len();
    (
        (position + position / SHAPES.len()) % SHAPES.len(),
        SHAPES[shape],
    )
}

/// Serializes as a small sign for the legend.
impl Serialize for SeriesMark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Html::finished(sign(*self)).serialize(serializer)
    }
}

fn sign(series: SeriesMark) -> String {
    let (color, shape) = look(series);
    format!(
        "<svg class=\"m m{color}\" viewBox=\"-8 -8 16 16\" aria-hidden=\"true\"><path d=\"{shape}\"/></svg>"
    )
}

/// Serializes as the drawing: a line for the range, a dot for each peer, and a mark for the run.
impl Serialize for Peers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut dots = String::new();
        for x in &self.dots {
            dots.push_str(&format!("M{x:.0} 8h0"));
        }
        let at = self.at;
        let own = if self.completed {
            format!("<circle cx=\"{at:.0}\" cy=\"8\" r=\"4\"/>")
        } else {
            format!("<path class=\"x\" d=\"m{at:.0} 8 4 4-8-8m0 8 8-8\"/>")
        };
        Html::finished(format!(
            "<svg class=\"peers\" viewBox=\"0 0 {WIDTH} 16\" aria-hidden=\"true\"><path d=\"M0 8h{WIDTH}\"/><path d=\"{dots}\"/>{own}</svg>"
        ))
        .serialize(serializer)
    }
}

/// Serializes as the drawing with its legend, wherever a template prints it.
impl Serialize for Plot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        render(self).serialize(serializer)
    }
}

fn render(plot: &Plot) -> Html {
    let mut out = String::with_capacity(plot.marks.len() * 260 + 4096);
    let (left, top, right, bottom) = FRAME;
    out.push_str("<figure class=\"plot\"><figcaption>");
    push_attribute(&mut out, &plot.caption);
    out.push_str("</figcaption>");
    out.push_str(&format!(
        "<svg viewBox=\"0 0 {} {}\" role=\"group\" aria-label=\"",
        SIZE.0, SIZE.1
    ));
    push_attribute(&mut out, &plot.name);
    out.push_str("; each mark is a run in the table\">");
    out.push_str(&format!(
        "<path class=\"frame\" d=\"M{left} {top}V{bottom}H{right}\"/>"
    ));
    let mut end = f64::NEG_INFINITY;
    for (x, words) in &plot.x.ticks {
        out.push_str(&format!(
            "<path class=\"grid\" d=\"M{x:.1} {top}V{bottom}\"/>"
        ));
        // Labels that would overlap the previous one are omitted; the line stays.
        #[allow(clippy::cast_precision_loss, reason = "a few characters")]
        let half = words.chars().count() as f64 * 3.4;
        if x - half > end {
            push_words(&mut out, (*x, bottom + 16.0), "middle", words);
            end = x + half + 4.0;
        }
    }
    for (y, words) in &plot.y.ticks {
        out.push_str(&format!(
            "<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>"
        ));
        push_words(&mut out, (left - 6.0, y + 4.0), "end", words);
    }
    push_words(&mut out, (right, bottom + 36.0), "end", &plot.x.label);
    push_words(&mut out, (4.0, top - 14.0), "start", &plot.y.label);
    for mark in &plot.marks {
        push_mark(&mut out, mark);
    }
    for label in &plot.labels {
        push_words(&mut out, label.at, label.anchor, &label.name);
    }
    out.push_str("</svg>");
    push_legend(&mut out, plot);
    for note in &plot.notes {
        out.push_str("<p class=\"quiet\">");
        push_attribute(&mut out, note);
        out.push_str("</p>");
    }
    out.push_str("</figure>");
    Html::finished(out)
}

fn push_words(out: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    out.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">"
    ));
    push_attribute(out, words);
    out.push_str("</text>");
}

fn push_mark(out: &mut String, mark: &PlotPoint) {
    out.push_str("<a href=\"");
    push_attribute(out, &mark.href);
    out.push_str("\" tabindex=\"-1\" aria-label=\"");
    push_attribute(out, &mark.title);
    out.push_str("\"><title>");
    push_attribute(out, &mark.title);
    out.push_str("</title>");
    let at = format!("transform=\"translate({:.1} {:.1})\"", mark.x, mark.y);
    if mark.runs == 1 {
        let (color, shape) = look(mark.series);
        let open = if mark.completed { "" } else { " open" };
        out.push_str(&format!(
            "<path class=\"m{color}{open}\" {at} d=\"{shape}\"/>"
        ));
    } else {
        out.push_str(&format!(
            "<g class=\"many\" {at}><circle r=\"8\"/><text y=\"3.2\" text-anchor=\"middle\">{}</text></g>",
            mark.runs
        ));
    }
    out.push_str("</a>");
}

fn push_legend(out: &mut String, plot: &Plot) {
    if plot.legend.is_empty() {
        return;
    }
    out.push_str("<ul class=\"legend\">");
    for (series, name, runs) in &plot.legend {
        out.push_str(&format!("<li>{}", sign(*series)));
        push_attribute(out, name);
        out.push_str(&format!(" {runs}</li>"));
    }
    out.push_str("</ul>");
}
