//! Knows the SVG of a strip. It repeats what the timeline says, so it is hidden from screen readers.

use std::fmt::Write;

use crate::view::strip::{Strip, WIDTH};

use super::html::Html;

/// Renders a strip. Coordinates have one decimal, so that the same tape gives the same bytes everywhere.
#[must_use]
pub fn render(strip: &Strip) -> Html {
    let mut out = String::with_capacity(strip.ticks.len() * 90 + 400);
    let lanes = strip.brackets.iter().map(|bracket| bracket.lane + 1).max().unwrap_or(0);
    let height = 62 + lanes * 6;
    // Writing to a string cannot fail.
    let _ = write!(out, "<svg class=strip viewBox=\"0 0 {WIDTH} {height}\" preserveAspectRatio=none aria-hidden=true focusable=false>");
    for x in &strip.folds {
        let _ = write!(out, "<path class=fold d=\"M{x:.1} 22v32\"/>");
    }
    for tick in &strip.ticks {
        let (fail, top, length) = if tick.failed { (" fail", 18, 40) } else { ("", 24, 28) };
        let _ = write!(
            out,
            "<a href=\"{}\" tabindex=-1><path class=\"f-{}{fail}\" d=\"M{:.1} {top}v{length}\"/></a>",
            tick.href, tick.family, tick.x
        );
    }
    for bracket in &strip.brackets {
        let y = 60 + bracket.lane * 6;
        let _ = write!(out, "<path class=bracket d=\"M{:.1} {}v4H{:.1}v-4\"/>", bracket.from, y, bracket.to);
    }
    for pin in &strip.pins {
        let _ = write!(
            out,
            "<a href=\"{}\" tabindex=-1><path class=\"pin an-{}\" d=\"M{:.1} 22l-4 -9a4.5 4.5 0 1 1 8 0z\"/></a>",
            pin.href, pin.class, pin.x
        );
    }
    out.push_str("</svg>");
    Html::finished(out)
}
