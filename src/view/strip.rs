//! A tape as a drawing: up to some hundred events as a bar each, in the lane of their family, or more events as columns.
//! Annotations and failures are above, spans and times below.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::config::Config;
use crate::model::annotation::Sidecar;
use crate::model::tape::{Family, Tape};

use super::axis::{Axis, Scale};
use super::density::{Density, GlyphPath};
use super::format;
use super::timeline::{Anchor, Layout, appearance, lanes};
pub use marks::{FailureLabel, Failures, Label};

mod marks;

/// Width of the strip, in its own units.
pub const WIDTH: u32 = 1000;
/// Height of a row for annotations, failures, or a family, in pixels.
pub const ROW: u32 = 18;
/// Height of a lane of brackets, in pixels.
pub const BRACKET: u32 = 6;
/// Maximum number of events drawn as bars.
const SINGLE: usize = 600;
/// Number of columns for a longer tape.
const COLUMNS: u32 = 100;
/// Width of a column, and of a collapsed gap between columns.
pub const COLUMN: u32 = WIDTH / COLUMNS;
/// Minimum rows of columns.
const ROWS: usize = 4;
/// Width of a collapsed gap between bars.
const FOLD: u32 = 16;
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
    pub events: Drawing,
    /// Rows of the events.
    pub rows: u32,
    /// The areas that link to events, from left to right.
    pub areas: Vec<Place<'a>>,
    pub failures: Failures<'a>,
    /// The annotations, left to right.
    pub pins: Vec<Pin>,
    /// The spans.
    pub brackets: Vec<Bracket>,
    /// Bounds of collapsed gaps.
    pub folds: Vec<(u32, u32)>,
    /// Times and long gaps.
    pub labels: Vec<Label>,
    /// Start of each page of the tape, if it has several.
    pub page_starts: Vec<u32>,
    pub caption: String,
    /// How to read it.
    pub help: String,
    /// The names of its rows, or the families of its columns from the top.
    pub legend: Vec<Row>,
}

/// The drawing of the events.
#[derive(Debug)]
pub enum Drawing {
    /// The bars of each family, by start and end.
    Bars(Vec<(Family, Vec<(u32, u32)>)>),
    Columns(Vec<GlyphPath>),
}

/// A position on the strip that links to an event.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Distance from the left.
    pub x: u32,
    /// Index of the event's page.
    pub page: usize,
    /// The event's anchor on that page.
    pub anchor: Anchor<'a>,
}

/// An annotation, or several of one page that would overlap.
#[derive(Debug)]
pub struct Pin {
    /// Distance from the left.
    pub x: u32,
    /// Class of the first annotation's kind.
    pub class: &'static str,
    /// Sign of the first annotation.
    pub sign: &'static str,
    /// Number of annotations.
    pub count: usize,
    /// Index of the first annotation's page.
    pub page: usize,
    /// Its anchor on that page.
    pub anchor: String,
}

/// A span.
#[derive(Debug)]
pub struct Bracket {
    /// Start.
    pub from: u32,
    /// End.
    pub to: u32,
    /// Lane, from 0.
    pub lane: usize,
}

/// A row with its name and count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// `f-read`, ...; `notes` for annotations.
    pub class: String,
    /// `read`, `failures`, ...
    pub name: &'static str,
    /// The count, grouped.
    pub count: String,
}

/// The strip of a tape.
pub fn strip<'a>(
    config: &Config,
    layout: &'a Layout<'a>,
    tape: &Tape<'_>,
    sidecar: Option<&Sidecar<'_>>,
) -> Strip<'a> {
    let axis = Axis::of(config, tape);
    let is_long = tape.events.len() > SINGLE;
    let scale = axis.scale(WIDTH, if is_long { COLUMN } else { FOLD });
    let xs: Vec<u32> = scale.places().collect();
    let x_of = |position: usize| xs.get(position).copied().unwrap_or_default();
    let place = |position: usize| Place {
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
    let top = ROW * (1 + u32::from(!pins.is_empty()));
    let events = if is_long {
        let density = Density::of(&axis, tape, COLUMNS as usize);
        Drawing::Columns(density.drawn((COLUMN / 2, COLUMN), (top, rows * ROW)))
    } else {
        Drawing::Bars(bars(tape, &xs, scale))
    };
    let brackets = lanes(layout, sidecar).into_iter().take(BRACKETS);
    let brackets = brackets.map(|(start, end, lane)| Bracket {
        from: x_of(start),
        to: x_of(end),
        lane,
    });
    let folds: Vec<_> = scale.folds().map(|(from, to, _)| (from, to)).collect();
    let pages = 1..=layout.pages();
    Strip {
        layout,
        events,
        rows,
        areas: areas((0..tape.events.len()).map(place)),
        brackets: brackets.collect(),
        labels: marks::labels(scale),
        page_starts: if layout.pages() > 1 {
            pages.map(|page| x_of(layout.range(page).start)).collect()
        } else {
            Vec::new()
        },
        caption: caption(tape, annotations, folds.len()),
        help: help(
            tape,
            scale,
            is_long,
            [!pins.is_empty(), !folds.is_empty(), layout.pages() > 1],
        ),
        legend: legend(families, tape.failures(), annotations, is_long),
        failures,
        pins,
        folds,
    }
}

impl Strip<'_> {
    /// Prefixes of event addresses on the page at path `from`, for the pages of the tape that the strip links to, by their
    /// index. A tape may have thousands of pages, and each of them shows the strip.
    pub fn hrefs(&self, from: &str) -> BTreeMap<usize, String> {
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
    pub fn range(&self, number: usize) -> Option<(u32, u32)> {
        let from = self.page_starts.get(number.checked_sub(1)?)?;
        Some((
            *from,
            self.page_starts.get(number).copied().unwrap_or(WIDTH),
        ))
    }

    /// Height above the events, in pixels.
    pub fn top(&self) -> u32 {
        ROW * (1 + u32::from(!self.pins.is_empty()))
    }
}

/// The families on a tape, except errors, which count as failures.
fn families(tape: &Tape<'_>) -> Vec<(Family, usize)> {
    let mut counts = [0; Family::ALL.len()];
    for event in &tape.events {
        counts[event.kind.family as usize] += 1;
    }
    let counts = Family::ALL.into_iter().zip(counts);
    counts
        .filter(|(family, count)| *count > 0 && *family != Family::Error)
        .collect()
}

fn legend(families: Vec<(Family, usize)>, failures: usize, pins: usize, is_long: bool) -> Vec<Row> {
    let row = |class: &str, name, count: usize| Row {
        class: class.to_owned(),
        name,
        count: format::grouped(&count.to_string()),
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

/// The bars by family. A bar ends shortly before the next one.
fn bars(tape: &Tape<'_>, xs: &[u32], scale: Scale<'_>) -> Vec<(Family, Vec<(u32, u32)>)> {
    let mut bars: Vec<(Family, Vec<(u32, u32)>)> = Family::ALL
        .into_iter()
        .map(|family| (family, Vec::new()))
        .collect();
    for ((event, from), end) in tape.events.iter().zip(xs).zip(scale.ends()) {
        let (_, bars) = &mut bars[event.kind.family as usize];
        let to = end.saturating_sub(1).max(from + SHORTEST);
        bars.push((*from, to));
    }
    bars.retain(|(family, bars)| !bars.is_empty() && *family != Family::Error);
    bars
}

/// The first event of each area.
fn areas<'a>(places: impl Iterator<Item = Place<'a>>) -> Vec<Place<'a>> {
    let mut areas: Vec<Place<'_>> = Vec::new();
    for place in places {
        let x = place.x.min(WIDTH - 1) / AREA * AREA;
        if areas.last().is_none_or(|last| last.x < x) {
            areas.push(Place { x, ..place });
        }
    }
    areas
}

fn pins(
    layout: &Layout<'_>,
    sidecar: Option<&Sidecar<'_>>,
    x_of: impl Fn(usize) -> u32,
) -> Vec<Pin> {
    let annotations = sidecar.map_or(&[][..], |sidecar| &sidecar.annotations);
    let pins = annotations
        .iter()
        .enumerate()
        .filter_map(|(index, annotation)| {
            let position = layout.position(annotation.event)?;
            let (class, sign) = appearance(&annotation.kind);
            Some(Pin {
                x: x_of(position),
                class,
                sign,
                count: 1,
                page: layout.page(position) - 1,
                anchor: layout.annotation_anchor(annotation, index),
            })
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

fn caption(tape: &Tape<'_>, pins: usize, folds: usize) -> String {
    let counted = |count: usize, noun: &str| match count {
        0 => format!("no {noun}"),
        count => format::count(count, noun),
    };
    let mut parts = vec![format::count(tape.events.len(), "event")];
    if let Some(length) = tape.milliseconds().filter(|length| *length > 0) {
        parts.push(format!("over {}", format::milliseconds(length)));
    }
    parts.push(counted(tape.failures(), "failure"));
    parts.push(counted(pins, "annotation"));
    if folds > 0 {
        parts.push(format!("{} cut short", format::count(folds, "long gap")));
    }
    parts.join(", ")
}

/// How to read a strip, covering only the elements it has.
fn help(
    tape: &Tape<'_>,
    scale: Scale<'_>,
    is_long: bool,
    [has_pins, has_folds, has_pages]: [bool; 3],
) -> String {
    let time = scale.milliseconds(COLUMN);
    let mut help = if is_long {
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
    if has_pins {
        help.push_str(
            " Gold: annotations, counted where they are close; a bracket is what one covers.",
        );
    }
    if has_folds {
        help.push_str(" Dotted: long gaps, cut short.");
    }
    if has_pages {
        help.push_str(" Framed: the events on this page.");
    }
    help.push_str(" Click anywhere to read the event there.");
    help
}
