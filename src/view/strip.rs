//! A tape as one strip: a tick per event, pins for annotations, brackets for spans, long gaps folded.

use crate::config::Config;
use crate::model::annotation::Sidecar;
use crate::model::tape::{Family, Tape};

use super::format;
use super::timeline::{Anchor, Layout, appearance, lanes};

/// Width of the strip, in its own units.
pub const WIDTH: f64 = 1000.0;
/// Ticks are at least this far apart; what is nearer shares one.
const COLUMN: f64 = 2.0;
/// Room that a folded gap takes.
const FOLD: f64 = 12.0;
/// Brackets that are drawn; more would cover each other.
const BRACKETS: usize = 200;
/// Events up to this many get a tick each.
const SINGLE: usize = 600;
/// Width of a place that links to the first event there: a tick alone is too narrow for a pointer.
const AREA: f64 = 20.0;

/// The strip of one tape.
#[derive(Debug)]
pub struct Strip<'a> {
    /// What the address of an event begins with, for each page of the tape.
    pub pages: Vec<String>,
    /// The ticks: those of a family together, left to right, and then those of failures.
    pub ticks: Vec<Tick>,
    /// The places that link to events: areas left to right, then failures.
    pub links: Vec<TickLink<'a>>,
    /// The pins, left to right.
    pub pins: Vec<Pin>,
    /// The brackets.
    pub brackets: Vec<Bracket>,
    /// Where gaps were folded.
    pub folds: Vec<f64>,
    /// What the strip shows, in words.
    pub caption: String,
}

/// One event, or several that are too near to each other.
#[derive(Debug)]
pub struct Tick {
    /// From the left.
    pub x: f64,
    /// Which kinds; nothing for a failure.
    pub family: Option<Family>,
}

/// A place on the strip that links to an event.
#[derive(Debug)]
pub struct TickLink<'a> {
    /// Where the tick of the event is, from the left.
    pub x: f64,
    /// The ends of an area; the tick of a failure is a link by itself.
    pub area: Option<(f64, f64)>,
    /// Which of the pages the event is on, from 0.
    pub page: usize,
    /// Its anchor there.
    pub anchor: Anchor<'a>,
}

/// An annotation.
#[derive(Debug)]
pub struct Pin {
    /// From the left.
    pub x: f64,
    /// Class of its kind.
    pub class: &'static str,
    /// Its sign.
    pub sign: &'static str,
    /// Its address.
    pub href: String,
}

/// A span.
#[derive(Debug)]
pub struct Bracket {
    /// From.
    pub from: f64,
    /// To.
    pub to: f64,
    /// Lane, from 0.
    pub lane: usize,
}

/// The strip of a tape for the page at path `page`.
#[must_use]
pub fn strip<'a>(
    config: &Config,
    layout: &'a Layout<'a>,
    tape: &Tape<'_>,
    sidecar: Option<&Sidecar<'_>>,
    page: &str,
) -> Strip<'a> {
    let (xs, folds) = positions(config, tape);
    let x_of = |position: usize| xs.get(position).copied().unwrap_or_default();
    // The position of each tick's event, and where the tick is.
    let mut shown: Vec<(usize, f64)> = Vec::with_capacity(tape.events.len());
    let merge = tape.events.len() > SINGLE;
    for (position, event) in tape.events.iter().enumerate() {
        let x = x_of(position);
        match shown.last_mut() {
            Some((last, at)) if merge && x - *at < COLUMN => {
                // A failure must not hide behind its neighbors.
                if event.is_failure() && !tape.events[*last].is_failure() {
                    *last = position;
                }
            }
            _ => shown.push((position, x)),
        }
    }
    let links = links(layout, tape, &shown);
    let ticks = ticks(tape, &shown);
    let annotations = sidecar.map_or(&[][..], |sidecar| &sidecar.annotations);
    let mut pins = Vec::with_capacity(annotations.len());
    for (index, annotation) in annotations.iter().enumerate() {
        let Some(position) = layout.position(annotation.event) else {
            continue;
        };
        let (class, sign) = appearance(&annotation.kind);
        let anchor = layout.annotation_anchor(annotation, index);
        pins.push(Pin {
            x: x_of(position),
            class,
            sign,
            href: layout.href(page, position, &anchor),
        });
    }
    pins.sort_by(|a, b| a.x.total_cmp(&b.x));
    let brackets = lanes(layout, sidecar)
        .into_iter()
        .take(BRACKETS)
        .map(|(start, end, lane)| Bracket {
            from: x_of(start),
            to: x_of(end),
            lane,
        })
        .collect();
    let caption = caption(tape, pins.len(), folds.len(), merge);
    let pages = (1..=layout.pages())
        .map(|number| layout.page_href(page, number))
        .collect();
    Strip {
        pages,
        ticks,
        links,
        pins,
        brackets,
        folds,
        caption,
    }
}

/// The ticks by their families. Failures are drawn last, so that no neighbor covers them.
fn ticks(tape: &Tape<'_>, shown: &[(usize, f64)]) -> Vec<Tick> {
    let tick = |(position, x): &(usize, f64)| {
        let event = &tape.events[*position];
        let family = (!event.is_failure()).then_some(event.kind.family);
        Tick { x: *x, family }
    };
    let mut ticks: Vec<_> = shown.iter().map(tick).collect();
    ticks.sort_by_key(|tick| tick.family.map_or(u8::MAX, |family| family as u8));
    ticks
}

/// An area for the first tick in each, and a link of its own for every further failure.
fn links<'a>(layout: &'a Layout<'a>, tape: &Tape<'_>, shown: &[(usize, f64)]) -> Vec<TickLink<'a>> {
    let start_of = |x: f64| (x / AREA).floor() * AREA;
    let mut failures = Vec::new();
    let mut links: Vec<TickLink<'_>> = Vec::new();
    for (position, x) in shown {
        let start = start_of(*x);
        let event = &tape.events[*position];
        let link = TickLink {
            x: *x,
            area: Some((start, start + AREA)),
            page: layout.page(*position) - 1,
            anchor: layout.anchor(event.seq, *position),
        };
        match links.last() {
            Some(last) if start_of(last.x) >= start => {
                if event.is_failure() {
                    failures.push(TickLink { area: None, ..link });
                }
            }
            _ => links.push(link),
        }
    }
    links.append(&mut failures);
    links
}

/// Where each event is, and where gaps were folded. Time counts, except in gaps; without times, the order counts.
#[allow(
    clippy::cast_precision_loss,
    reason = "positions on a strip of 1000 units"
)]
fn positions(config: &Config, tape: &Tape<'_>) -> (Vec<f64>, Vec<f64>) {
    let count = tape.events.len();
    let gap = i64::try_from(config.timeline.gap_seconds)
        .unwrap_or(i64::MAX)
        .saturating_mul(1000);
    let mut elapsed = Vec::with_capacity(count);
    let mut folded = Vec::new();
    let (mut total, mut before) = (0_i64, None);
    for (position, event) in tape.events.iter().enumerate() {
        let pause = match (before, event.at) {
            (Some(before), Some(at)) => at.saturating_sub(before).max(0),
            _ => 0,
        };
        if pause > gap {
            folded.push(position);
        } else {
            total = total.saturating_add(pause);
        }
        before = event.at.or(before);
        elapsed.push(total);
    }
    let last = count.saturating_sub(1).max(1) as f64;
    if total == 0 {
        return (
            (0..count)
                .map(|i| 4.0 + i as f64 / last * (WIDTH - 8.0))
                .collect(),
            Vec::new(),
        );
    }
    // Very many gaps share half of the strip.
    let fold = FOLD.min(WIDTH / 2.0 / folded.len().max(1) as f64);
    let room = WIDTH - 8.0 - fold * folded.len() as f64;
    let mut folds = Vec::with_capacity(folded.len());
    let mut passed = 0;
    let xs = elapsed
        .iter()
        .enumerate()
        .map(|(position, at)| {
            let base = 4.0 + *at as f64 / total as f64 * room;
            if folded.get(passed) == Some(&position) {
                folds.push(base + fold * passed as f64 + fold / 2.0);
                passed += 1;
            }
            base + fold * passed as f64
        })
        .collect();
    (xs, folds)
}

fn caption(tape: &Tape<'_>, pins: usize, folds: usize, merged: bool) -> String {
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
        parts.push(format!("{} folded", format::count(folds, "long gap")));
    }
    let mut caption = parts.join(", ");
    if merged {
        caption.push_str("; events close to each other share a tick");
    }
    caption
}

/// The families that occur on a tape, for the legend.
#[must_use]
pub fn families(tape: &Tape<'_>) -> Vec<(&'static str, usize)> {
    let count = |family: Family| {
        let events = tape.events.iter();
        (
            family.word(),
            events.filter(|event| event.kind.family == family).count(),
        )
    };
    let counts = Family::ALL.into_iter().map(count);
    counts.filter(|(_, count)| *count > 0).collect()
}
