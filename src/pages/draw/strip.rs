//! A tape as a drawing: up to some hundred events as a bar each, in the lane of their family, or more events as columns.
//! Annotations and failures are above, spans and times below. Uses only integers, so that a tape has the same bytes on every
//! machine.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use formats::config::Config;
use formats::model::amounts::clock;
use formats::model::annotation::Sidecar;
use formats::model::tape::{Family, Tape};

use super::axis::{Axis, RunEnd, Scale};
use super::density::{self, GlyphPath};
use crate::view::format;
use crate::view::timeline::{EventAnchor, Layout, appearance, lanes};
use marks::{AxisLabel, Failures};
use markup::Html;

mod marks;

/// Width of the strip, in its own units.
const WIDTH: u32 = 1000;
/// Height of a row for annotations, failures, or a family, in pixels.
const ROW: u32 = 18;
/// Height of a lane of brackets, in pixels.
const BRACKET: u32 = 6;
/// Maximum number of events drawn as bars.
const SINGLE: usize = 600;
/// Number of columns for a longer tape.
const COLUMNS: u32 = 100;
/// Width of a column, and of a collapsed gap between columns.
const COLUMN: u32 = WIDTH / COLUMNS;
/// Minimum rows of columns.
const ROWS: usize = 4;
/// Width of a collapsed gap between bars.
const GAP: u32 = 16;
/// Minimum width of a bar.
const SHORTEST: u32 = 3;
/// Maximum brackets drawn; more would overlap.
const BRACKETS: usize = 200;
/// Maximum marks, unless there is only one at each place.
const PINS: usize = 200;
/// Width of an annotation mark in a viewport of 768 pixels; in a smaller one the mark is smaller.
const PIN: u32 = 26;
/// Width of an area that links to its first event: a single bar is too narrow to click.
const AREA: u32 = 25;

/// The strip of one tape, for all pages that show it.
#[derive(Debug)]
pub struct Strip<'a> {
    layout: &'a Layout<'a>,
    events: Drawing,
    /// Rows of the events.
    rows: u32,
    /// The areas that link to events, from left to right.
    areas: Vec<StripPosition<'a>>,
    failures: Failures<'a>,
    /// The annotations, left to right.
    pins: Vec<Pin>,
    brackets: Vec<Bracket>,
    /// Bounds of collapsed gaps.
    gaps: Vec<(u32, u32)>,
    /// Times and long gaps.
    labels: Vec<AxisLabel>,
    /// Where the run ended, if that is known.
    end: Option<u32>,
    /// Start of each page of the tape, if it has several.
    page_starts: Vec<u32>,
    /// How long the run lasted by its axis, in milliseconds; `None` without times.
    pub milliseconds: Option<i64>,
    pub caption: String,
    /// How to read it.
    pub help: String,
    /// The names of its rows, or the families of its columns from the top.
    pub legend: Vec<LegendRow>,
}

/// The drawing of the events.
#[derive(Debug)]
enum Drawing {
    /// The bars of each family, by start and end.
    Bars(Vec<(Family, Vec<(u32, u32)>)>),
    Columns(Vec<GlyphPath>),
}

/// A position on the strip that links to an event.
#[derive(Debug, Clone, Copy)]
pub struct StripPosition<'a> {
    /// Distance from the left.
    x: u32,
    /// Index of the event's page.
    page: usize,
    /// The event's anchor on that page.
    anchor: EventAnchor<'a>,
}

/// An annotation, or several of one page that would overlap.
#[derive(Debug)]
struct Pin {
    /// Distance from the left.
    x: u32,
    /// Class of the first annotation's kind.
    class: &'static str,
    /// Sign of the first annotation.
    sign: &'static str,
    /// Number of annotations.
    count: usize,
    /// Index of the first annotation's page.
    page: usize,
    /// Its anchor on that page.
    anchor: String,
}

#[derive(Debug)]
struct Bracket {
    from: u32,
    to: u32,
    /// Lane, from 0.
    lane: usize,
}

/// A row with its name and count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LegendRow {
    /// `f-read`, ...; `notes` for annotations.
    pub class: String,
    /// `read`, `failures`, ...
    pub name: &'static str,
    /// The count, grouped.
    pub count: String,
}

pub fn strip<'a>(
    config: &Config,
    layout: &'a Layout<'a>,
    tape: &Tape<'_>,
    sidecar: Option<&Sidecar<'_>>,
    end: Option<&RunEnd>,
) -> Strip<'a> {
    let axis = Axis::until(config, tape, end);
    let is_long = tape.events.len() > SINGLE;
    let scale = axis.scale(WIDTH, if is_long { COLUMN } else { GAP });
    let xs: Vec<u32> = scale.places().collect();
    let x_of = |position: usize| xs.get(position).copied().unwrap_or_default();
    let place = |position: usize| StripPosition {
        x: x_of(position),
        page: layout.page(position) - 1,
        anchor: layout.anchor(tape.events[position].seq, position),
    };
    let families = families(tape);
    let rows = families.len().max(if is_long { ROWS } else { 1 });
    let rows = u32::try_from(rows).unwrap_or(1);
    let pins = pins(layout, sidecar, x_of);
    let annotations = pins.iter().map(|pin| pin.count).sum();
    let failed = tape.events.iter().enumerate();
    let failed = failed.filter(|(_, event)| event.is_failure());
    let failed = failed.map(|(position, event)| (place(position), event.seq));
    let failures = if is_long {
        Failures::counted(failed, COLUMN)
    } else {
        Failures::numbered(failed)
    };
    let top = top(&pins);
    let events = if is_long {
        let columns = density::columns(&axis, tape, COLUMNS as usize);
        let height = rows * ROW;
        Drawing::Columns(density::paths(&columns, COLUMN / 2, COLUMN, top, height))
    } else {
        Drawing::Bars(bars(tape, &xs, scale))
    };
    let brackets = lanes(layout, sidecar).into_iter().take(BRACKETS);
    let brackets = brackets.map(|(start, end, lane)| Bracket {
        from: x_of(start),
        to: x_of(end),
        lane,
    });
    let end = end.filter(|_| scale.end().is_some());
    let pages = 1..=layout.pages();
    let mut strip = Strip {
        layout,
        events,
        rows,
        areas: areas((0..tape.events.len()).map(place)),
        brackets: brackets.collect(),
        labels: marks::labels(scale, end_label(tape, end)),
        end: scale.end(),
        page_starts: if layout.pages() > 1 {
            pages.map(|page| x_of(layout.range(page).start)).collect()
        } else {
            Vec::new()
        },
        milliseconds: milliseconds(tape, end),
        caption: String::new(),
        help: String::new(),
        legend: legend(families, tape.failures(), annotations, is_long),
        failures,
        pins,
        gaps: scale.gaps().map(|(from, to, _)| (from, to)).collect(),
    };
    strip.caption = caption(&strip, tape, annotated_events(layout, sidecar));
    strip.help = help(&strip, tape, scale.milliseconds(COLUMN));
    strip
}

impl Strip<'_> {
    /// The SVG for the page at path `from`, which has page `page` of the tape. It repeats the timeline, so it is hidden from
    /// screen readers. Shapes are stretched to the width of the container; text is not.
    pub fn svg(&self, from: &str, page: usize) -> Html {
        let hrefs = self.hrefs(from);
        let href = |page: usize| hrefs.get(&page).map_or("#", String::as_str);
        let link = |place: &StripPosition<'_>| {
            let mut link = format!("<a href={}", href(place.page));
            place.anchor.push_to(&mut link);
            link + " tabindex=-1>"
        };
        let top = top(&self.pins);
        let bottom = top + self.rows * ROW;
        let lanes = self.brackets.iter().map(|bracket| bracket.lane + 1).max();
        let below = bottom + BRACKET * u32::try_from(lanes.unwrap_or(0)).unwrap_or(0);
        let height = below + ROW;
        let mut svg = String::with_capacity(8 * 1024);
        let mut push = |text: String| svg.push_str(&text);
        push(format!(
            "<svg class=strip height={height} aria-hidden=true>"
        ));
        push(format!(
            "<svg viewBox=\"0 0 {WIDTH} {height}\" preserveAspectRatio=none>"
        ));
        if let Some((from, to)) = self.range(page) {
            push(format!(
                "<path class=page d=\"M{from} {top}H{to}V{bottom}H{from}z\"/>"
            ));
        }
        for (from, to) in &self.gaps {
            let x = u32::midpoint(*from, *to);
            push(format!("<path class=fold d=\"M{x} {top}V{below}\"/>"));
        }
        match &self.events {
            Drawing::Bars(families) => {
                for (row, (family, bars)) in (0..).zip(families) {
                    let (family, d) = (family.word(), bar_path(bars, top + row * ROW + ROW / 2));
                    push(format!("<path class=f-{family} d=\"{d}\"/>"));
                }
            }
            Drawing::Columns(columns) => {
                push(format!("<g class=stacks stroke-width={}>", COLUMN - 1));
                for GlyphPath { class, d } in columns {
                    push(format!("<path class={class} d=\"{d}\"/>"));
                }
                push("</g>".to_owned());
            }
        }
        for area in &self.areas {
            // The style sheet stretches it to the full width and height of its area.
            push(format!("{}<rect x={} /></a>", link(area), area.x));
        }
        for line in &self.failures.lines {
            let (link, x, top) = (link(line), line.x, top - 2);
            push(format!("{link}<path d=\"M{x} {top}V{bottom}\"/></a>"));
        }
        if let Some(x) = self.end {
            push(format!("<path class=end d=\"M{x} {top}V{below}\"/>"));
        }
        for Bracket { from, to, lane } in &self.brackets {
            let y = bottom + BRACKET * u32::try_from(*lane).unwrap_or(0);
            push(format!("<path class=bracket d=\"M{from} {y}v4H{to}v-4\"/>"));
        }
        push("</svg>".to_owned());
        for pin in &self.pins {
            let (href, anchor, class, x) = (href(pin.page), &pin.anchor, pin.class, percent(pin.x));
            let text = match pin.count {
                1 => pin.sign.to_owned(),
                count => count.to_string(),
            };
            push(format!(
                "<a href={href}{anchor} tabindex=-1><circle class=\"pin an-{class}\" r=8 cy=9 cx={x} />\
                 <text y=13 x={x}>{text}</text></a>"
            ));
        }
        let failures = &self.failures;
        let has_discs = failures.lines.is_empty();
        let broad = if failures.slim.is_some() {
            " broad"
        } else {
            ""
        };
        let wide = (!failures.wide.is_empty()).then_some((broad, &failures.wide));
        let slim = failures.slim.as_ref().map(|labels| (" slim", labels));
        for (class, labels) in wide.into_iter().chain(slim) {
            push(format!("<g class=\"nos{class}\">"));
            for label in labels {
                let (y, x) = (top - 5, percent(label.place.x));
                push(if has_discs {
                    let (link, cy, count) = (link(&label.place), top - 9, &label.text);
                    format!(
                        "{link}<circle r=8 cy={cy} cx={x} /><text y={y} x={x}>{count}</text></a>"
                    )
                } else {
                    text_element(label.place.x, y, &label.text)
                });
            }
            push("</g>".to_owned());
        }
        for label in &self.labels {
            let text = text_element(label.x, height - 4, &label.text);
            push(if label.is_broad {
                format!("<g class=broad>{text}</g>")
            } else {
                text
            });
        }
        push("</svg>".to_owned());
        Html::finished(svg)
    }

    /// Prefixes of event addresses on the page at path `from`, for the pages of the tape that the strip links to, by their
    /// index. A tape may have thousands of pages, and each of them shows the strip.
    fn hrefs(&self, from: &str) -> BTreeMap<usize, String> {
        let labels = self
            .failures
            .wide
            .iter()
            .chain(self.failures.slim.iter().flatten());
        let places = self.areas.iter().chain(&self.failures.lines);
        let places = places.chain(labels.map(|label| &label.place));
        let pages = places
            .map(|place| place.page)
            .chain(self.pins.iter().map(|pin| pin.page));
        let mut hrefs = BTreeMap::new();
        for page in pages {
            hrefs
                .entry(page)
                .or_insert_with(|| self.layout.page_href(from, page + 1));
        }
        hrefs
    }

    /// The range of page `number`, if the tape has several pages.
    fn range(&self, number: usize) -> Option<(u32, u32)> {
        let from = self.page_starts.get(number.checked_sub(1)?)?;
        Some((
            *from,
            self.page_starts.get(number).copied().unwrap_or(WIDTH),
        ))
    }
}

/// Height above the events, in pixels.
fn top(pins: &[Pin]) -> u32 {
    ROW * (1 + u32::from(!pins.is_empty()))
}

/// A horizontal position in percent of the width.
fn percent(x: u32) -> String {
    match (x / (WIDTH / 100), x % (WIDTH / 100)) {
        (whole, 0) => format!("{whole}%"),
        (whole, tenths) => format!("{whole}.{tenths}%"),
    }
}

/// A text centered at a position, or aligned inward near the edges.
fn text_element(x: u32, y: u32, text: &str) -> String {
    let anchor = match x {
        0..30 => " text-anchor=start",
        970.. => " text-anchor=end",
        _ => "",
    };
    format!("<text y={y} x={}{anchor}>{text}</text>", percent(x))
}

/// Horizontal lines at one height, each relative to the previous one.
fn bar_path(bars: &[(u32, u32)], y: u32) -> String {
    let mut path = String::with_capacity(8 * bars.len());
    let mut digits = itoa::Buffer::new();
    let mut at = None;
    for (from, to) in bars {
        if let Some(at) = at {
            // A short bar may extend past the start of the next one.
            path.push('m');
            path.push_str(digits.format(i64::from(*from) - i64::from(at)));
            path.push_str(" 0h");
        } else {
            path.push_str(&format!("M{from} {y}h"));
        }
        path.push_str(digits.format(to - from));
        at = Some(*to);
    }
    path
}

/// The families on a tape, so that their counts are those of all events.
fn families(tape: &Tape<'_>) -> Vec<(Family, usize)> {
    let mut counts = [0; Family::ALL.len()];
    for event in &tape.events {
        counts[event.kind.family as usize] += 1;
    }
    let counts = Family::ALL.into_iter().zip(counts);
    counts.filter(|(_, count)| *count > 0).collect()
}

fn legend(
    families: Vec<(Family, usize)>,
    failures: usize,
    pins: usize,
    is_long: bool,
) -> Vec<LegendRow> {
    let row = |class: &str, name, count: usize| LegendRow {
        class: class.to_owned(),
        name,
        count: format::grouped(count),
    };
    let mut rows = Vec::with_capacity(families.len() + 2);
    if pins > 0 {
        rows.push(row("notes", "annotations", pins));
    }
    rows.push(row("f-error", "failures", failures));
    let first = rows.len();
    let families = families.into_iter();
    rows.extend(
        families.map(|(family, count)| row(&format!("f-{}", family.word()), family.word(), count)),
    );
    if is_long {
        rows[first..].reverse();
    }
    rows
}

/// The bars by family. A bar ends shortly before the next one, and the last ones do not begin too late to be seen.
fn bars(tape: &Tape<'_>, xs: &[u32], scale: Scale<'_>) -> Vec<(Family, Vec<(u32, u32)>)> {
    let mut bars: Vec<(Family, Vec<(u32, u32)>)> = Family::ALL
        .into_iter()
        .map(|family| (family, Vec::new()))
        .collect();
    for ((event, from), end) in tape.events.iter().zip(xs).zip(scale.ends()) {
        let (_, bars) = &mut bars[event.kind.family as usize];
        let from = (*from).min(WIDTH - SHORTEST);
        bars.push((from, end.saturating_sub(1).max(from + SHORTEST)));
    }
    bars.retain(|(_, bars)| !bars.is_empty());
    bars
}

/// The first event of each area.
fn areas<'a>(places: impl Iterator<Item = StripPosition<'a>>) -> Vec<StripPosition<'a>> {
    let mut areas: Vec<StripPosition<'_>> = Vec::new();
    for place in places {
        let x = place.x.min(WIDTH - 1) / AREA * AREA;
        if areas.last().is_none_or(|last| last.x < x) {
            areas.push(StripPosition { x, ..place });
        }
    }
    areas
}

/// Number of events with annotations.
fn annotated_events(layout: &Layout<'_>, sidecar: Option<&Sidecar<'_>>) -> usize {
    let annotations = layout.annotations(sidecar);
    let positions: BTreeSet<_> = annotations.map(|(position, ..)| position).collect();
    positions.len()
}

fn pins(
    layout: &Layout<'_>,
    sidecar: Option<&Sidecar<'_>>,
    x_of: impl Fn(usize) -> u32,
) -> Vec<Pin> {
    let pins = layout
        .annotations(sidecar)
        .map(|(position, index, annotation)| {
            let (class, sign) = appearance(&annotation.kind);
            Pin {
                x: x_of(position),
                class,
                sign,
                count: 1,
                page: layout.page(position) - 1,
                anchor: layout.annotation_anchor(annotation, index),
            }
        });
    let mut pins: Vec<_> = pins.collect();
    pins.sort_by_key(|pin| pin.x);
    let mut merge = |is_of_one_page: bool| {
        pins.dedup_by(|next, pin| {
            let is_near = next.x < pin.x + PIN && (next.page == pin.page || !is_of_one_page);
            pin.count += if is_near { next.count } else { 0 };
            is_near
        });
        pins.len()
    };
    // A tape of thousands of pages has the strip on each of them.
    if merge(true) > PINS {
        merge(false);
    }
    pins
}

/// `timed out 15:00`
fn end_label(tape: &Tape<'_>, end: Option<&RunEnd>) -> Option<String> {
    let end = end?;
    let start = tape.first_time()?;
    // The caption rounds the same time in the same way.
    let since_start = clock(end.at.saturating_sub(start).saturating_add(500));
    Some(format!("{} {since_start}", end.state))
}

/// The time from the first event, where the axis begins, to the end of the run, or else to the latest event.
fn milliseconds(tape: &Tape<'_>, end: Option<&RunEnd>) -> Option<i64> {
    let (_, latest) = tape.time_range()?;
    let end = end.map_or(latest, |end| end.at);
    Some(end.saturating_sub(tape.first_time()?)).filter(|length| *length > 0)
}

/// `annotated` is the number of events with annotations.
fn caption(strip: &Strip<'_>, tape: &Tape<'_>, annotated: usize) -> String {
    let mut parts = vec![format::count(tape.events.len(), "event")];
    if let Some(length) = strip.milliseconds {
        parts.push(format!("over {}", format::milliseconds(length)));
        let latest = milliseconds(tape, None).unwrap_or_default();
        if latest < length - length / 10 {
            let latest = format::milliseconds(latest);
            parts.push(format!("the last event after {latest}"));
        }
    }
    parts.push(match tape.failures() {
        0 => "no failure".to_owned(),
        count => format::count(count, "failure"),
    });
    if !strip.pins.is_empty() {
        let annotations = strip.pins.iter().map(|pin| pin.count).sum();
        let annotations = format::count(annotations, "annotation");
        let events = format::count(annotated, "event");
        parts.push(format!("{annotations} on {events}"));
    }
    if !strip.gaps.is_empty() {
        let gaps = format::count(strip.gaps.len(), "long gap");
        parts.push(format!("{gaps} cut short"));
    }
    parts.join(", ")
}

/// How to read a strip, covering only the elements it has. `time` is the length of a column in milliseconds, if events have times.
fn help(strip: &Strip<'_>, tape: &Tape<'_>, time: i64) -> String {
    let mut help = if matches!(strip.events, Drawing::Columns(_)) {
        let column = if time > 0 {
            format!("{} of the run", format::milliseconds(time.max(1)))
        } else {
            format::count(tape.events.len().div_ceil(COLUMNS as usize), "event")
        };
        format!(
            "Each column is {column}; the taller, the more events. Red: failures, counted in the discs."
        )
    } else {
        let bar = if time > 0 {
            "Each bar is an event, as long as the time until the next (30 s at most). "
        } else {
            "Each bar is an event, in order: times since the first are not known. "
        };
        format!("{bar}Red: failures, with their numbers.")
    };
    if tape.failures() > 0 {
        help.push_str(" They are also in the counts of their rows.");
    }
    if !strip.pins.is_empty() {
        help.push_str(
            " Gold: annotations, counted where they are close; a bracket is what one covers.",
        );
    }
    if !strip.gaps.is_empty() {
        help.push_str(" Dotted: long gaps, cut short.");
    }
    if strip.end.is_some() {
        help.push_str(" The last line: the end of the run.");
    }
    if !strip.page_starts.is_empty() {
        help.push_str(" Framed: the events on this page.");
    }
    help.push_str(" Click anywhere to read the event there.");
    help
}
