//! Compares the logs of a run with its record: facts for readers, never a reason to reject a run. `run.json` has them as they are.

use base::shapes;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::audit::Audit;
use crate::raw::RawCounts;

use super::run::Run;
use super::tape::{EventOutcome, Tape};
use super::time::{self, Moment};

/// The comparisons; `agrees` of each part says whether both sides match, null if unknown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reconciliation {
    /// First and last event against start and end of the record; null when no event has a time.
    pub time_span: Option<TimeSpan>,
    /// Whether the events follow each other in time.
    pub order: EventOrder,
    /// Events of type `unknown`.
    pub unknown: UnknownEvents,
    /// The raw log against the event log; null when there is none.
    pub raw: Option<RawLines>,
    /// Errors of the event log, compared with the state of the record.
    pub errors: ErrorEvents,
}

/// First and last event against start and end of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimeSpan {
    /// Time of the first event.
    // In milliseconds since 1970-01-01 UTC.
    #[serde(serialize_with = "serialize_time")]
    #[schemars(with = "shapes::Time")]
    pub first: i64,
    /// Time of the last event.
    #[serde(serialize_with = "serialize_time")]
    #[schemars(with = "shapes::Time")]
    pub last: i64,
    /// Time from the first event to the recorded start, in milliseconds.
    // 0 if the event is not before the start.
    pub before_start_ms: i64,
    /// Time from the recorded end to the last event, in milliseconds.
    pub after_finish_ms: i64,
    /// Whether all events are between start and end, to the second.
    pub agrees: bool,
}

/// Whether the events follow each other in time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Order")]
pub struct EventOrder {
    /// Events with a time.
    pub timed: usize,
    /// Events without a valid time.
    pub untimed: usize,
    /// Events that are earlier than the one before.
    pub backwards: usize,
    /// Number of the first such event.
    pub first_backwards: Option<u64>,
    /// Whether all events are in order.
    pub agrees: bool,
}

/// Events of type `unknown`; `share` is from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Unknown")]
pub struct UnknownEvents {
    /// All events.
    pub events: usize,
    /// Events of type `unknown`, lines that cannot be read among them.
    pub unknown: usize,
    /// Their share of all events.
    #[schemars(with = "shapes::Fraction")]
    pub share: f64,
    /// Whether no event is of type `unknown`.
    pub agrees: bool,
}

/// Lines of the raw log by stream, against events and warnings of the event log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RawLines {
    /// All lines.
    pub lines: usize,
    /// Lines of `stdout`.
    pub stdout: usize,
    /// Lines of `stderr`.
    pub stderr: usize,
    /// Lines of both that hold nothing but white space.
    pub blank: usize,
    /// Lines that cannot be read.
    pub unreadable: usize,
    /// Events of the event log.
    pub events: usize,
    /// Warnings of the event log.
    pub warnings: usize,
    /// Whether the events follow from the lines, as the audit says. Without rules for the harness: whether every line can be read, the
    /// output yielded events, and text on `stderr` yielded warnings.
    pub agrees: bool,
}

/// Errors of the event log, compared with the state of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Errors")]
pub struct ErrorEvents {
    /// Events of type `error`.
    pub errors: usize,
    /// Events that did not succeed.
    pub failed: usize,
    /// Whether the log ends in an error.
    pub ends_in_error: bool,
    /// The state of the record.
    pub state: String,
    /// Whether errors and state match; null for a state that implies nothing about errors.
    pub agrees: Option<bool>,
}

/// Records often have times in seconds, events in milliseconds.
const ROUNDING: i64 = 1_000;

/// Compares a run's event log and raw log with its record. `None` if it has neither.
#[allow(
    clippy::cast_precision_loss,
    reason = "a log of 2^53 events fits on no disk"
)]
pub fn reconcile(
    run: &Run,
    log: Option<&Tape<'_>>,
    raw: Option<RawCounts>,
    audit: Option<&Audit>,
) -> Option<Reconciliation> {
    if log.is_none() && raw.is_none() {
        return None;
    }
    let events = log.map_or(&[][..], |log| log.events.as_slice());
    let mut order = EventOrder::default();
    let (mut errors, mut failed, mut warnings, mut unknown) = (0, 0, 0, 0);
    let mut ends_in_error = false;
    let mut ends: Option<(i64, i64)> = None;
    let mut above = i64::MIN;
    for event in events {
        match event.kind.word {
            "error" => errors += 1,
            "warning" => warnings += 1,
            "unknown" => unknown += 1,
            _ => failed += usize::from(event.outcome == EventOutcome::Failed),
        }
        // Events that the orchestrator adds after the harness ends do not show how it ended.
        if !matches!(event.kind.word, "system" | "usage" | "gg") {
            ends_in_error = event.kind.word == "error";
        }
        let Some(at) = event.at else {
            order.untimed += 1;
            continue;
        };
        order.timed += 1;
        if at < above {
            order.backwards += 1;
            order.first_backwards = order.first_backwards.or(Some(event.seq));
        }
        above = at;
        ends = Some(ends.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
    }
    order.agrees = order.backwards == 0;
    Some(Reconciliation {
        time_span: ends.map(|(first, last)| time_span(run, first, last)),
        order,
        unknown: UnknownEvents {
            events: events.len(),
            unknown,
            share: unknown as f64 / events.len().max(1) as f64,
            agrees: unknown == 0,
        },
        raw: raw.map(|raw| raw_lines(raw, events.len(), warnings, audit)),
        errors: ErrorEvents {
            errors,
            failed,
            ends_in_error,
            state: run.state.word.to_string(),
            // A run that timed out or whose build is broken may have no errors.
            agrees: match &*run.state.word {
                "completed" => Some(!ends_in_error),
                "harness_error" => Some(errors > 0),
                _ => None,
            },
        },
    })
}

fn time_span(run: &Run, first: i64, last: i64) -> TimeSpan {
    let started = run.started.as_ref().map_or(first, Moment::ms);
    let finished = run.finished.as_ref().map_or(last, Moment::ms);
    let before_start_ms = started.saturating_sub(first).max(0);
    let after_finish_ms = last.saturating_sub(finished).max(0);
    TimeSpan {
        first,
        last,
        before_start_ms,
        after_finish_ms,
        agrees: before_start_ms < ROUNDING && after_finish_ms < ROUNDING,
    }
}

fn raw_lines(raw: RawCounts, events: usize, warnings: usize, audit: Option<&Audit>) -> RawLines {
    let output = raw.stdout + raw.stderr - raw.blank;
    let is_readable = raw.unreadable == 0;
    let fits = (output == 0 || events > 0) && warnings >= raw.stderr_text;
    RawLines {
        lines: raw.lines(),
        stdout: raw.stdout,
        stderr: raw.stderr,
        blank: raw.blank,
        unreadable: raw.unreadable,
        events,
        warnings,
        agrees: audit.and_then(Audit::agrees).unwrap_or(is_readable && fits),
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn serialize_time<S: Serializer>(ms: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    let mut text = String::new();
    time::push_iso_ms(&mut text, *ms);
    serializer.serialize_str(&text)
}
