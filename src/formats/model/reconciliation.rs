//! Compares the logs of a run with its record: facts for readers, never a reason to reject a run.

use crate::raw::Raw;

use super::run::Run;
use super::tape::{Outcome, Tape};

/// The comparison, if the run has an event log or a raw log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reconciliation {
    /// The times of the events compared with those of the record; `None` if no event has a time.
    pub span: Option<Span>,
    /// Whether the events are in chronological order.
    pub order: Order,
    /// Unrecognized events of the log.
    pub unknown: Unknown,
    /// The events compared with the raw lines; `None` without a raw log.
    pub raw: Option<RawLines>,
    /// Errors in the log, compared with the final state of the run.
    pub errors: Errors,
}

/// First and last event compared with start and end of the record, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The earliest event, since 1970-01-01 UTC.
    pub first: i64,
    /// The latest event, since 1970-01-01 UTC.
    pub last: i64,
    /// Milliseconds from the earliest event to the record's start; 0 if the event is not before it.
    pub before_start: i64,
    /// Milliseconds from the record's end to the latest event; 0 if the event is not after it.
    pub after_finish: i64,
}

/// Order of the events' times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Order {
    /// Events with a time.
    pub timed: usize,
    /// Events without a readable time.
    pub untimed: usize,
    /// Events earlier than the previous timed event.
    pub backwards: usize,
    /// Number of the first such event.
    pub first_backwards: Option<u64>,
}

/// Events of type `unknown`, for whatever reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unknown {
    /// All events of the log.
    pub events: usize,
    /// Events of type `unknown`, including unreadable lines.
    pub unknown: usize,
}

/// Raw log lines compared with events. A line produces any number of events, so only totals are comparable (formats.md B.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawLines {
    pub lines: Raw,
    /// Events of the log.
    pub events: usize,
    /// Events of type `warning`: each non-blank line of `stderr` produces one.
    pub warnings: usize,
}

/// Errors compared with the state in the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errors {
    /// Events of type `error`.
    pub errors: usize,
    /// Other events that failed.
    pub failed: usize,
    /// Whether the log ends with an error, as after a harness that failed.
    pub ends_in_error: bool,
    /// The state in the record, as written.
    pub state: String,
}

/// Records often have times in seconds, events in milliseconds.
const ROUNDING: i64 = 1_000;

impl Span {
    /// Whether the events lie within the record's times, to the second.
    pub const fn agrees(&self) -> bool {
        self.before_start < ROUNDING && self.after_finish < ROUNDING
    }
}

impl Order {
    /// Whether every event is at or after the previous one.
    pub const fn agrees(&self) -> bool {
        self.backwards == 0
    }
}

impl Unknown {
    /// Whether every event is recognized.
    pub const fn agrees(&self) -> bool {
        self.unknown == 0
    }

    /// The share of unknown events, from 0 to 1.
    #[allow(
        clippy::cast_precision_loss,
        reason = "a log of 2^53 events fits on no disk"
    )]
    pub fn share(&self) -> f64 {
        if self.events == 0 {
            0.0
        } else {
            self.unknown as f64 / self.events as f64
        }
    }
}

impl RawLines {
    /// Whether the events are consistent with these lines: all lines are readable, events exist only if there is output, and each
    /// text line of `stderr` has its warning.
    pub const fn agrees(&self) -> bool {
        let output = self.lines.stdout + self.lines.stderr - self.lines.blank;
        self.lines.unreadable == 0
            && (output == 0 || self.events > 0)
            && self.warnings >= self.lines.stderr_text
    }
}

impl Errors {
    /// Whether the state matches the errors; `None` if the state implies nothing about them: a run that timed out or whose build
    /// is broken may have no errors.
    pub fn agrees(&self) -> Option<bool> {
        match self.state.as_str() {
            "completed" => Some(!self.ends_in_error),
            "harness_error" => Some(self.errors > 0),
            _ => None,
        }
    }
}

/// Compares a run's event log and raw log with its record. `None` if it has neither.
pub fn reconcile(run: &Run, log: Option<&Tape<'_>>, raw: Option<Raw>) -> Option<Reconciliation> {
    if log.is_none() && raw.is_none() {
        return None;
    }
    let events = log.map_or(&[][..], |log| log.events.as_slice());
    let mut order = Order::default();
    let mut errors = Errors {
        errors: 0,
        failed: 0,
        ends_in_error: false,
        state: run.state.word.to_string(),
    };
    let mut unknown = Unknown {
        events: events.len(),
        unknown: 0,
    };
    let mut warnings = 0;
    let mut ends: Option<(i64, i64)> = None;
    let mut above = i64::MIN;
    for event in events {
        match event.kind.word {
            "error" => errors.errors += 1,
            "warning" => warnings += 1,
            "unknown" => unknown.unknown += 1,
            _ => errors.failed += usize::from(event.outcome == Outcome::Failed),
        }
        // Events that the orchestrator adds after the harness ends do not show how it ended.
        if !matches!(event.kind.word, "system" | "usage" | "gg") {
            errors.ends_in_error = event.kind.word == "error";
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
    let span = ends.map(|(first, last)| Span {
        first,
        last,
        before_start: run
            .started
            .as_ref()
            .map_or(0, |at| at.ms().saturating_sub(first).max(0)),
        after_finish: run
            .finished
            .as_ref()
            .map_or(0, |at| last.saturating_sub(at.ms()).max(0)),
    });
    Some(Reconciliation {
        span,
        order,
        unknown,
        raw: raw.map(|lines| RawLines {
            lines,
            events: events.len(),
            warnings,
        }),
        errors,
    })
}
