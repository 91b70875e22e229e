//! How `run.json` says how far a run's logs agree with its record.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::reconciliation::{Reconciliation, Span};
use crate::model::time;
use crate::shapes;

/// The comparisons; `agrees` of each part says whether both sides match, null if unknown.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Reconciliation")]
pub(super) struct ReconciliationDocument<'a> {
    /// First and last event against start and end of the record; null when no event has a time.
    time_span: Option<TimeSpan>,
    /// Whether the events follow each other in time.
    order: Order,
    /// Events of type `unknown`.
    unknown: Unknown,
    /// The raw log against the event log; null when there is none.
    raw: Option<RawLines>,
    /// Errors of the event log, compared with the state of the record.
    errors: Errors<'a>,
}

/// First and last event against start and end of the record.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TimeSpan {
    /// Time of the first event.
    #[schemars(with = "shapes::Time")]
    first: String,
    /// Time of the last event.
    #[schemars(with = "shapes::Time")]
    last: String,
    /// Time from the first event to the recorded start, in milliseconds.
    before_start_ms: i64,
    /// Time from the recorded end to the last event, in milliseconds.
    after_finish_ms: i64,
    /// Whether all events are between start and end, to the second.
    agrees: bool,
}

/// Whether the events follow each other in time.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Order {
    /// Events with a time.
    timed: usize,
    /// Events without a valid time.
    untimed: usize,
    /// Events that are earlier than the one before.
    backwards: usize,
    /// Number of the first such event.
    first_backwards: Option<u64>,
    /// Whether all events are in order.
    agrees: bool,
}

/// Events of type `unknown`; `share` is from 0 to 1.
#[derive(Debug, Serialize, JsonSchema)]
struct Unknown {
    /// All events.
    events: usize,
    /// Events of type `unknown`, lines that cannot be read among them.
    unknown: usize,
    /// Their share of all events.
    #[schemars(with = "shapes::Share")]
    share: f64,
    /// Whether no event is of type `unknown`.
    agrees: bool,
}

/// Lines of the raw log by stream, against events and warnings of the event log.
#[derive(Debug, Serialize, JsonSchema)]
struct RawLines {
    /// All lines.
    lines: usize,
    /// Lines of `stdout`.
    stdout: usize,
    /// Lines of `stderr`.
    stderr: usize,
    /// Lines of both that hold nothing but white space.
    blank: usize,
    /// Lines that cannot be read.
    unreadable: usize,
    /// Events of the event log.
    events: usize,
    /// Warnings of the event log.
    warnings: usize,
    /// Whether every line can be read, the output yielded events, and text on `stderr` yielded warnings.
    agrees: bool,
}

/// Errors of the event log, compared with the state of the record.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Errors<'a> {
    /// Events of type `error`.
    errors: usize,
    /// Events that did not succeed.
    failed: usize,
    /// Whether the log ends in an error.
    ends_in_error: bool,
    /// The state of the record.
    state: &'a str,
    /// Whether errors and state match; null for a state that implies nothing about errors.
    agrees: Option<bool>,
}

fn moment(ms: i64) -> String {
    let mut text = String::new();
    time::push_iso_ms(&mut text, ms);
    text
}

impl From<&Span> for TimeSpan {
    fn from(span: &Span) -> Self {
        Self {
            first: moment(span.first),
            last: moment(span.last),
            before_start_ms: span.before_start,
            after_finish_ms: span.after_finish,
            agrees: span.agrees(),
        }
    }
}

impl<'a> From<&'a Reconciliation> for ReconciliationDocument<'a> {
    fn from(found: &'a Reconciliation) -> Self {
        let (order, unknown, errors) = (&found.order, &found.unknown, &found.errors);
        Self {
            time_span: found.span.as_ref().map(TimeSpan::from),
            order: Order {
                timed: order.timed,
                untimed: order.untimed,
                backwards: order.backwards,
                first_backwards: order.first_backwards,
                agrees: order.agrees(),
            },
            unknown: Unknown {
                events: unknown.events,
                unknown: unknown.unknown,
                share: unknown.share(),
                agrees: unknown.agrees(),
            },
            raw: found.raw.as_ref().map(|raw| RawLines {
                lines: raw.lines.lines(),
                stdout: raw.lines.stdout,
                stderr: raw.lines.stderr,
                blank: raw.lines.blank,
                unreadable: raw.lines.unreadable,
                events: raw.events,
                warnings: raw.warnings,
                agrees: raw.agrees(),
            }),
            errors: Errors {
                errors: errors.errors,
                failed: errors.failed,
                ends_in_error: errors.ends_in_error,
                state: &errors.state,
                agrees: errors.agrees(),
            },
        }
    }
}
