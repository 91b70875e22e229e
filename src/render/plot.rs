//! The SVG of a plot and its legend: shape and color by series, a number where several runs share a mark.

use serde::{Serialize, Serializer};

use crate::view::plot::{FRAME, Plot, PlotPoint, SERIES, SIZE};

use crate::markup::Html;
use crate::markup::escape::push_attribute;

/// Shapes of the series, around 0 0; the last is that of all others. A shape tells a series without its color.
const SHAPES: [&str; SERIES + 1] = [
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "M-4.5 -4.5h9v9h-9z",
    "M0 -6L5.5 4.5h-11z",
    "M0 -6.5L6.5 0L0 6.5L-6.5 0z",
    "M0 6L5.5 -4.5h-11z",
    "M-5 -5L5 5M5 -5L-5 5",
    "M-5 0h10M0 -5v10",
];

/// Views hold a plot as it is; where a template prints it, it becomes its drawing with the legend.
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
    out.push_str("</figcaption><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    push_attribute(&mut out, &plot.name);
    out.push_str(&format!(
        "\"><svg viewBox=\"0 0 {} {}\" role=\"group\" aria-label=\"",
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
        // Words that would touch those before are left out; the line stays.
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
    out.push_str("</svg></div>");
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
        let (series, shape) = (mark.series, SHAPES[mark.series.min(SERIES)]);
        out.push_str(&format!("<path class=\"m{series}\" {at} d=\"{shape}\"/>"));
    } else {
        out.push_str(&format!(
            "<g class=\"many\" {at}><circle r=\"8\"/><text y=\"3.2\" text-anchor=\"middle\">{}</text></g>",
            mark.runs
        ));
    }
    out.push_str("</a>");
}

fn push_legend(out: &mut String, plot: &Plot) {
    out.push_str("<ul class=\"legend\">");
    for (series, name, runs) in &plot.legend {
        let shape = SHAPES[(*series).min(SERIES)];
        out.push_str(&format!(
            "<li><svg viewBox=\"-8 -8 16 16\" aria-hidden=\"true\"><path class=\"m{series}\" d=\"{shape}\"/></svg>"
        ));
        push_attribute(out, name);
        out.push_str(&format!(" {runs}</li>"));
    }
    if plot.marks.iter().any(|mark| mark.runs > 1) {
        out.push_str("<li><svg viewBox=\"-8 -8 16 16\" aria-hidden=\"true\"><g class=\"many\"><circle r=\"7\"/></g></svg>several runs, with their number</li>");
    }
    out.push_str("</ul>");
}
