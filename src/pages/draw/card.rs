//! The social card of a run or a case, an image for link previews: a PNG of 1200 × 630 pixels. Uses only integer arithmetic, so that
//! a card has the same bytes on every machine.

mod canvas;
mod font;

use std::collections::BTreeSet;

use formats::config::Config;
use formats::model::archive::{Archive, ArchiveGroup};
use formats::model::findings::{EventCounts, Findings};
use formats::model::run::Run;
use formats::model::tape::Tape;
use formats::model::words;

use crate::view::format;
use crate::view::run::CheckedRun;

use super::axis::{Axis, Tick};
use super::density;
pub use canvas::Ink;
use canvas::{Canvas, Paint, WIDTH};
use font::{Size, cut, width};

/// Size of the tape on a run's card, in pixels.
pub const TAPE: (u32, u32) = (1088, 170);
pub const COLUMN: u32 = 8;
/// Maximum tapes on a case's card.
pub const TAPES: usize = 8;
/// Maximum characters of a text: more than fits.
const TEXT: usize = 160;
const MARGIN: u32 = 56;
const TOP: u32 = 293;
/// Space for labels above and below the columns of a tape.
const LABELS: (u32, u32) = (34, 24);
/// Tapes of a case per row, and the space between them.
const ROW: u32 = 4;
const GAP: u32 = 16;

/// Minimum distance between failure numbers.
const NEAR: u32 = 32;

/// The content of a card.
#[derive(Debug, Default)]
pub struct Card {
    /// Name of the site.
    pub site: String,
    /// The task of the run, or the name of the case.
    pub title: String,
    /// Model, harness and case of the run.
    pub subject: String,
    /// The tape of a run with its times; the newest tapes of a case.
    pub tapes: Vec<Vec<EventCounts>>,
    /// Labels of the axis.
    pub ticks: Vec<Tick>,
    /// The verdict, events, failures.
    pub numbers: Vec<(Ink, String)>,
}

pub fn of_run(s: &CheckedRun<'_>) -> Card {
    let run = &s.entry.run;
    let subject = &run.subject;
    let facts = [subject.model.as_deref(), Some(&*subject.harness)];
    let case = (!run.is_imported).then(|| run.title());
    let facts = facts.into_iter().flatten().chain(case.as_deref());
    let facts: Vec<_> = facts.map(|fact| words::excerpt(fact, TEXT)).collect();
    let tapes = &s.inspection.tapes;
    let tape = tapes.first().filter(|tape| !tape.events.is_empty());
    let axis = tape.map(|tape| Axis::of(s.config, tape));
    let count = (TAPE.0 / COLUMN) as usize;
    let columns = axis.as_ref().zip(tape);
    let columns = columns.map(|(axis, tape)| density::columns(axis, tape, count));
    let verdict = s.verdict();
    let mut numbers: Vec<_> = verdict
        .iter()
        .map(|fact| (ink(fact.tone), fact.value.text().to_owned()))
        .collect();
    let events = tapes.iter().map(|tape| tape.events.len()).sum();
    let failures = tapes.iter().map(Tape::failures).sum();
    if events > 0 {
        numbers.push((Ink::Plain, format::count(events, "event")));
    }
    if failures > 0 {
        numbers.push((Ink::Bad, format::count(failures, "failure")));
    }
    Card {
        site: words::excerpt(&s.config.site.title, TEXT),
        title: words::excerpt(s.task, TEXT),
        subject: facts.join(" · "),
        tapes: columns.into_iter().collect(),
        ticks: axis.map_or_else(Vec::new, |axis| axis.scale(TAPE.0, 0).ticks(8)),
        numbers,
    }
}

pub fn of_case(
    config: &Config,
    archive: &Archive,
    findings: &[Findings],
    case: &ArchiveGroup,
) -> Card {
    let entries = || case.runs.iter().map(|run| &archive.runs[*run]);
    let runs = || entries().map(|entry| &*entry.run);
    let distinct = |of: fn(&Run) -> &str| {
        let all: BTreeSet<&str> = runs().map(of).collect();
        all.len()
    };
    let tapes = case
        .runs
        .iter()
        .map(|run| findings[*run].columns.clone())
        .filter(|columns| !columns.is_empty());
    let models = distinct(|run| run.subject.model());
    let harnesses = distinct(|run| &run.subject.harness);
    let completed = Some(format::completed(entries(), " completed"));
    let completed = completed.filter(|words| !words.is_empty()).into_iter();
    let completed = completed.chain(format::excluded(entries()));
    Card {
        site: words::excerpt(&config.site.title, TEXT),
        title: words::excerpt(&case.name, TEXT),
        subject: [
            format::count(case.runs.len(), "run"),
            format::count(models, "model"),
            format::count(harnesses, "harness"),
        ]
        .join(" · "),
        tapes: tapes.take(TAPES).collect(),
        ticks: Vec::new(),
        numbers: vec![(Ink::Plain, completed.collect::<Vec<_>>().join(", "))],
    }
}

fn ink(tone: &str) -> Ink {
    match tone {
        "g-good" => Ink::Good,
        "g-poor" => Ink::Poor,
        "g-bad" | "bad" => Ink::Bad,
        _ => Ink::Plain,
    }
}

pub fn png(card: &Card) -> Vec<u8> {
    let mut canvas = Canvas::new();
    let room = WIDTH - 2 * MARGIN;
    let mut line = |y: u32, size: Size, ink: Ink, text: &str| {
        canvas.text((MARGIN, y), size, ink, &cut(text, size, room));
    };
    line(92, Size::Medium, Ink::Soft, &card.site);
    // A name is large if it fits.
    let size = if width(&card.title, Size::Large) <= room {
        Size::Large
    } else {
        Size::Medium
    };
    line(182, size, Ink::Plain, &card.title);
    line(240, Size::Medium, Ink::Soft, &card.subject);
    match card.tapes.as_slice() {
        [tape] if tape.len() == (TAPE.0 / COLUMN) as usize => {
            draw_run(&mut canvas, card, tape);
        }
        tapes => draw_case(&mut canvas, tapes),
    }
    let mut x = MARGIN;
    for (ink, text) in &card.numbers {
        // Parts that do not fit are only on the page.
        if x + width(text, Size::Medium) > WIDTH - MARGIN {
            break;
        }
        x += canvas.text((x, 540), Size::Medium, *ink, text) + MARGIN;
    }
    canvas.png()
}

/// Draws one tape, with numbers of failures and with times.
fn draw_run(canvas: &mut Canvas, card: &Card, tape: &[EventCounts]) {
    let (above, below) = LABELS;
    canvas.fill((MARGIN, TOP), TAPE, Paint::WELL);
    let base = TOP + TAPE.1 - below;
    draw_columns(canvas, tape, MARGIN, base, COLUMN, TAPE.1 - above - below);
    // Failures of nearby columns share one number.
    let mut numbers: Vec<(u32, u32)> = Vec::new();
    for (column, at) in tape.iter().zip((MARGIN..).step_by(COLUMN as usize)) {
        match numbers.last_mut() {
            _ if column.failures() == 0 => {}
            Some((before, count)) if at < *before + NEAR => *count += column.failures(),
            _ => numbers.push((at, column.failures())),
        }
    }
    for (at, count) in numbers {
        let text = count.to_string();
        let half = width(&text, Size::Small) / 2;
        let place = ((at + COLUMN / 2).saturating_sub(half), TOP + 22);
        canvas.text(place, Size::Small, Ink::BadOnWell, &text);
    }
    for tick in &card.ticks {
        let x = MARGIN + tick.x;
        if x + width(&tick.label, Size::Small) + 6 < WIDTH - MARGIN {
            canvas.fill((x, base), (1, 6), Paint::SOFT);
            canvas.text(
                (x + 4, base + 18),
                Size::Small,
                Ink::SoftOnWell,
                &tick.label,
            );
        }
    }
}

/// Draws several small tapes.
fn draw_case(canvas: &mut Canvas, tapes: &[Vec<EventCounts>]) {
    let (wide, high) = ((TAPE.0 - (ROW - 1) * GAP) / ROW, (TAPE.1 - GAP) / 2);
    for (index, tape) in (0..).zip(tapes) {
        let x = MARGIN + index % ROW * (wide + GAP);
        let y = TOP + index / ROW * (high + GAP);
        canvas.fill((x, y), (wide, high), Paint::WELL);
        let columns = u32::try_from(tape.len()).unwrap_or(wide).max(1);
        let step = wide / columns;
        let x = x + (wide - step * columns) / 2;
        draw_columns(canvas, tape, x, y + high, step, high - 8);
    }
}

/// Draws columns from `x`, upward from `base`, with a pixel between them. The highest one has the height `high`.
fn draw_columns(
    canvas: &mut Canvas,
    tape: &[EventCounts],
    x: u32,
    base: u32,
    step: u32,
    high: u32,
) {
    let totals = tape.iter().map(EventCounts::total);
    let most = totals.max().unwrap_or_default().max(1);
    let tall = |number: u32| density::scaled(number, most, high);
    let size = step.saturating_sub(1).max(1);
    for (column, x) in tape.iter().zip((x..).step_by(step.max(1) as usize)) {
        let mut below = 0;
        for (family, number) in column.stack() {
            let from = tall(below);
            below += number;
            let (mut from, to) = (from, tall(below));
            let paint = family.map_or(Paint::FAILURE, |family| Paint::family(family as u8));
            if family.is_none() && number > 0 {
                // A failure stays visible among any number of others.
                from = from.min(to.saturating_sub(3));
            }
            canvas.fill((x, base - to), (size, to - from), paint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_has_the_same_bytes_on_every_machine() {
        let columns = (0..TAPE.0 / COLUMN).map(|at| {
            let mut column = EventCounts::default();
            for (family, count) in (0..).zip(&mut column.events) {
                *count = (at * 7 + family * 3) % 5;
            }
            column.failed[1] = u32::from(at % 17 == 0).min(column.events[1]);
            column
        });
        let card = Card {
            site: "Runs – été".to_owned(),
            title: "sample/lark-1".to_owned(),
            subject: "pong · base · 漢".to_owned(),
            tapes: vec![columns.collect()],
            ticks: vec![Tick {
                x: 300,
                label: "1:15:00".to_owned(),
            }],
            numbers: vec![
                (Ink::Good, "great".to_owned()),
                (Ink::Poor, "hung".to_owned()),
                (Ink::Plain, "$6.04".to_owned()),
                (Ink::Bad, "8 failures".to_owned()),
            ],
        };
        let (bytes, again) = (png(&card), png(&card));
        assert_eq!(bytes, again);
        assert_eq!(
            blake3::hash(&bytes).to_hex().as_str(),
            "d0b7be76d93b660c3d494d91aafeca02234cffafcf63bf47e5114d7c981c2f20"
        );
    }
}
