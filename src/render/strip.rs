//! The SVG of a strip. It repeats what the timeline says, so it is hidden from screen readers.

use crate::view::strip::{Strip, WIDTH};

use crate::markup::Html;

/// The line of a failure, which is taller than others.
const FAILURE: &str = " 18v40";

/// Renders a strip. Coordinates have one decimal, so that the same tape gives the same bytes everywhere.
#[must_use]
pub fn render(strip: &Strip<'_>) -> Html {
    let (ticks, links) = (strip.ticks.len(), strip.links.len());
    let mut out = String::with_capacity(ticks * 16 + links * 64 + strip.pins.len() * 120 + 400);
    let lanes = strip
        .brackets
        .iter()
        .map(|bracket| bracket.lane + 1)
        .max()
        .unwrap_or(0);
    out.push_str("<svg class=strip viewBox=\"0 0 ");
    push_number(&mut out, WIDTH);
    out.push(' ');
    out.push_str(itoa::Buffer::new().format(62 + lanes * 6));
    out.push_str("\" preserveAspectRatio=none aria-hidden=true>");
    for x in &strip.folds {
        push_path(&mut out, "fold", "", *x, " 22v32");
    }
    // The ticks of a family are one path, and so are those of failures.
    for ticks in strip.ticks.chunk_by(|a, b| a.family == b.family) {
        let line = if let Some(family) = ticks[0].family {
            out.push_str("<path class=f-");
            out.push_str(family.word());
            " 24v28"
        } else {
            out.push_str("<path class=fail");
            FAILURE
        };
        out.push_str(" d=\"");
        for tick in ticks {
            push_line(&mut out, tick.x, line);
        }
        out.push_str("\"/>");
    }
    for link in &strip.links {
        out.push_str("<a href=");
        out.push_str(strip.pages.get(link.page).map_or("#", String::as_str));
        link.anchor.push_to(&mut out);
        out.push_str(" tabindex=-1><path ");
        match link.area {
            Some((from, to)) => {
                out.push_str("d=\"M");
                push_number(&mut out, from);
                out.push_str(" 38H");
                push_number(&mut out, to);
                out.push_str("\"/>");
            }
            None => push_rest(&mut out, link.x, FAILURE),
        }
        out.push_str("</a>");
    }
    for bracket in &strip.brackets {
        let y = 60 + bracket.lane * 6;
        out.push_str("<path class=bracket d=\"M");
        push_number(&mut out, bracket.from);
        out.push(' ');
        out.push_str(itoa::Buffer::new().format(y));
        out.push_str("v4H");
        push_number(&mut out, bracket.to);
        out.push_str("v-4\"/>");
    }
    for pin in &strip.pins {
        out.push_str("<a href=\"");
        out.push_str(&pin.href);
        out.push_str("\" tabindex=-1>");
        push_path(
            &mut out,
            "pin an-",
            pin.class,
            pin.x,
            " 22l-4 -9a4.5 4.5 0 1 1 8 0z",
        );
        out.push_str("</a>");
    }
    out.push_str("</svg>");
    Html::finished(out)
}

fn push_path(out: &mut String, class: &str, kind: &str, x: f64, line: &str) {
    out.push_str("<path class=\"");
    out.push_str(class);
    out.push_str(kind);
    out.push_str("\" ");
    push_rest(out, x, line);
}

fn push_rest(out: &mut String, x: f64, line: &str) {
    out.push_str("d=\"");
    push_line(out, x, line);
    out.push_str("\"/>");
}

fn push_line(out: &mut String, x: f64, line: &str) {
    out.push('M');
    push_number(out, x);
    out.push_str(line);
}

/// Appends a coordinate with at most one decimal; formatting a float would take longer than all the rest.
#[allow(
    clippy::cast_possible_truncation,
    reason = "coordinates lie between 0 and 1000"
)]
fn push_number(out: &mut String, number: f64) {
    let tenths = (number * 10.0).round() as i64;
    let mut digits = itoa::Buffer::new();
    out.push_str(digits.format(tenths / 10));
    if tenths % 10 != 0 {
        out.push('.');
        out.push_str(digits.format(tenths % 10));
    }
}
