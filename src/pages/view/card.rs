//! The social card of a run or a case: an image for link previews.

use std::collections::BTreeSet;

use formats::config::Config;
use formats::model::archive::{Archive, Group};
use formats::model::findings::{EventCounts, Findings};
use formats::model::run::{Metric, Run};
use formats::model::tape::Tape;
use formats::model::words;

use super::axis::{Axis, Tick};
use super::density;
use super::format;
use super::run::Sources;

/// Size of the tape on a run's card, in pixels.
pub const TAPE: (u32, u32) = (1088, 170);
/// Width of a column.
pub const COLUMN: u32 = 8;
/// Maximum tapes on a case's card.
pub const TAPES: usize = 8;
/// Maximum characters of a text: more than fits.
const TEXT: usize = 160;

/// The content of a card.
#[derive(Debug, Default)]
pub struct Card {
    /// Name of the site.
    pub site: String,
    /// The name of the model or the case.
    pub title: String,
    /// The subject of the run, and its harness.
    pub subject: String,
    /// The tape of a run with its times; the newest tapes of a case.
    pub tapes: Vec<Vec<EventCounts>>,
    /// Labels of the axis.
    pub ticks: Vec<Tick>,
    /// State or rating, cost, time, events, failures.
    pub numbers: Vec<(Tone, String)>,
}

/// The tone of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Neutral.
    Plain,
    Good,
    /// Mediocre.
    Poor,
    Bad,
}

pub fn of_run(s: &Sources<'_>) -> Card {
    let run = &s.entry.run;
    let harness = words::excerpt(&run.subject.harness, TEXT);
    let tape = s.tapes.first().filter(|tape| !tape.events.is_empty());
    let axis = tape.map(|tape| Axis::of(s.config, tape));
    let count = (TAPE.0 / COLUMN) as usize;
    let columns = axis.as_ref().zip(tape);
    let columns = columns.map(|(axis, tape)| density::columns(axis, tape, count));
    let rating = s.review.and_then(|review| review.rating);
    let state = match rating {
        Some(_) => format::rating(rating),
        None => format::state(&run.state),
    };
    let mut numbers = vec![(tone(state.tone), state.word.replace('_', " "))];
    let cost = run.metrics.get(Metric::ComparableCost);
    let time = run.metrics.get(Metric::RunTime);
    let cost = cost.map(|_| format::short_cost_of(&run.metrics, Metric::ComparableCost));
    let time = time.map(|time| format::clock(Some(time)));
    let known = [cost, time].into_iter().flatten();
    numbers.extend(known.map(|cell| (Tone::Plain, cell.text().to_owned())));
    let count = |number: usize, noun: &str| format::count(number, noun);
    let events = s.tapes.iter().map(|tape| tape.events.len()).sum();
    let failures = s.tapes.iter().map(Tape::failures).sum();
    if events > 0 {
        numbers.push((Tone::Plain, count(events, "event")));
    }
    if failures > 0 {
        numbers.push((Tone::Bad, count(failures, "failure")));
    }
    Card {
        site: words::excerpt(&s.config.site.title, TEXT),
        title: words::excerpt(run.subject.model(), TEXT),
        subject: format!("{} · {harness}", words::excerpt(&run.title(), TEXT)),
        tapes: columns.into_iter().collect(),
        ticks: axis.map_or_else(Vec::new, |axis| axis.scale(TAPE.0, 0).ticks(8)),
        numbers,
    }
}

pub fn of_case(config: &Config, archive: &Archive, findings: &[Findings], case: &Group) -> Card {
    let runs = || case.runs.iter().map(|run| &*archive.runs[*run].run);
    let distinct = |of: fn(&Run) -> &str| {
        let all: BTreeSet<&str> = runs().map(of).collect();
        all.len()
    };
    let completed = runs().filter(|run| run.state.is_completed()).count();
    let tapes = case
        .runs
        .iter()
        .map(|run| findings[*run].columns.clone())
        .filter(|columns| !columns.is_empty());
    let models = distinct(|run| run.subject.model());
    let harnesses = distinct(|run| &run.subject.harness);
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
        numbers: vec![(
            Tone::Plain,
            format!("{completed} of {} completed", case.runs.len()),
        )],
    }
}

fn tone(tone: &str) -> Tone {
    match tone {
        "good" => Tone::Good,
        "poor" => Tone::Poor,
        "bad" => Tone::Bad,
        _ => Tone::Plain,
    }
}
