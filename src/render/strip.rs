//! The SVG of a strip. It repeats the timeline, so it is hidden from screen readers. Shapes are stretched to the width of the
//! container; text is not.

use crate::markup::Html;
use crate::view::strip::{BRACKET, COLUMN, Drawing, FailureLabel, Place, ROW, Strip, WIDTH};

/// Renders a strip for the page at path `from`, which has page `page` of the tape.
pub fn render(strip: &Strip<'_>, from: &str, page: usize) -> Html {
    let hrefs = strip.hrefs(from);
    let href = |page: usize| hrefs.get(&page).map_or("#", String::as_str);
    let top = strip.top();
    let bottom = top + strip.rows * ROW;
    let lanes = strip.brackets.iter().map(|bracket| bracket.lane + 1).max();
    let below = bottom + BRACKET * u32::try_from(lanes.unwrap_or(0)).unwrap_or(0);
    let height = below + ROW;
    let mut svg = Svg(String::with_capacity(8 * 1024));
    svg.push("<svg class=strip height=")
        .number(height)
        .push(" aria-hidden=true><svg viewBox=\"0 0 ");
    svg.number(WIDTH)
        .push(" ")
        .number(height)
        .push("\" preserveAspectRatio=none>");
    if let Some((from, to)) = strip.range(page) {
        svg.push("<path class=page d=\"M")
            .number(from)
            .push(" ")
            .number(top)
            .push("H")
            .number(to);
        svg.push("V")
            .number(bottom)
            .push("H")
            .number(from)
            .push("z\"/>");
    }
    for (from, to) in &strip.folds {
        svg.push("<path class=fold d=\"M")
            .number(u32::midpoint(*from, *to))
            .push(" ")
            .number(top);
        svg.push("V").number(below).push("\"/>");
    }
    match &strip.events {
        Drawing::Bars(families) => {
            for (row, (family, bars)) in (0..).zip(families) {
                svg.push("<path class=f-").push(family.word()).push(" d=\"");
                svg.bars(bars, top + row * ROW + ROW / 2);
                svg.push("\"/>");
            }
        }
        Drawing::Columns(columns) => {
            svg.push("<g class=stacks stroke-width=")
                .number(COLUMN - 1)
                .push(">");
            for path in columns {
                svg.push("<path class=")
                    .push(&path.class)
                    .push(" d=\"")
                    .push(&path.d)
                    .push("\"/>");
            }
            svg.push("</g>");
        }
    }
    for area in &strip.areas {
        // The style sheet stretches it to the full width and height of its area.
        svg.link(area, href)
            .push("<rect x=")
            .number(area.x)
            .push(" /></a>");
    }
    for line in &strip.failures.lines {
        svg.link(line, href)
            .push("<path d=\"M")
            .number(line.x)
            .push(" ")
            .number(top - 2);
        svg.push("V").number(bottom).push("\"/></a>");
    }
    for bracket in &strip.brackets {
        let y = bottom + BRACKET * u32::try_from(bracket.lane).unwrap_or(0);
        svg.push("<path class=bracket d=\"M")
            .number(bracket.from)
            .push(" ")
            .number(y);
        svg.push("v4H").number(bracket.to).push("v-4\"/>");
    }
    svg.push("</svg>");
    for pin in &strip.pins {
        svg.push("<a href=")
            .push(href(pin.page))
            .push(&pin.anchor)
            .push(" tabindex=-1>");
        svg.push("<circle class=\"pin an-")
            .push(pin.class)
            .push("\" r=8 cy=9 cx=")
            .percent(pin.x)
            .push(" />");
        svg.push("<text y=13 x=").percent(pin.x).push(">");
        match u32::try_from(pin.count) {
            Ok(count @ 2..) => svg.number(count),
            _ => svg.push(pin.sign),
        }
        .push("</text></a>");
    }
    let is_long = strip.failures.lines.is_empty();
    let labels = |svg: &mut Svg, class: &str, labels: &[FailureLabel<'_>]| {
        svg.push("<g class=\"nos").push(class).push("\">");
        for label in labels {
            if is_long {
                svg.link(&label.place, href)
                    .push("<circle r=8 cy=")
                    .number(top - 9)
                    .push(" cx=");
                svg.percent(label.place.x).push(" />");
            }
            svg.text(label.place.x, top - 5)
                .push(&label.text)
                .push("</text>");
            svg.push(if is_long { "</a>" } else { "" });
        }
        svg.push("</g>");
    };
    let failures = &strip.failures;
    if !failures.wide.is_empty() {
        labels(
            &mut svg,
            if failures.slim.is_some() {
                " broad"
            } else {
                ""
            },
            &failures.wide,
        );
    }
    if let Some(slim) = &failures.slim {
        labels(&mut svg, " slim", slim);
    }
    for label in &strip.labels {
        svg.push(if label.is_broad {
            "<g class=broad>"
        } else {
            ""
        });
        svg.text(label.x, height - 4)
            .push(&label.text)
            .push("</text>")
            .push(if label.is_broad { "</g>" } else { "" });
    }
    svg.push("</svg>");
    Html::finished(svg.0)
}

/// An SVG under construction. Uses only integers, so that a tape has the same bytes on every machine.
struct Svg(String);

impl Svg {
    fn push(&mut self, text: &str) -> &mut Self {
        self.0.push_str(text);
        self
    }

    fn number(&mut self, number: u32) -> &mut Self {
        self.0.push_str(itoa::Buffer::new().format(number));
        self
    }

    /// A horizontal position in percent of the width.
    fn percent(&mut self, x: u32) -> &mut Self {
        self.number(x / (WIDTH / 100));
        if !x.is_multiple_of(WIDTH / 100) {
            self.push(".").number(x % (WIDTH / 100));
        }
        self.push("%")
    }

    /// Opens a text centered at a position, or aligned inward near the edges.
    fn text(&mut self, x: u32, y: u32) -> &mut Self {
        self.push("<text y=").number(y).push(" x=").percent(x);
        match x {
            0..30 => self.push(" text-anchor=start>"),
            970.. => self.push(" text-anchor=end>"),
            _ => self.push(">"),
        }
    }

    /// Opens a link.
    fn link<'h>(&mut self, place: &Place<'_>, href: impl Fn(usize) -> &'h str) -> &mut Self {
        self.push("<a href=").push(href(place.page));
        place.anchor.push_to(&mut self.0);
        self.push(" tabindex=-1>")
    }

    /// Horizontal lines at one height, each relative to the previous one.
    fn bars(&mut self, bars: &[(u32, u32)], y: u32) -> &mut Self {
        let mut at: Option<u32> = None;
        for (from, to) in bars {
            match at {
                None => self.push("M").number(*from).push(" ").number(y),
                // A short bar may extend past the start of the next one.
                Some(at) if at > *from => self.push("m-").number(at - from).push(" 0"),
                Some(at) => self.push("m").number(from - at).push(" 0"),
            };
            self.push("h").number(to - from);
            at = Some(*to);
        }
        self
    }
}
