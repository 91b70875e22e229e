//! Knows how `run.json` says how far a run's logs agree with its record.

use serde::Serialize;

use crate::model::reconciliation::{Reconciliation, Span};
use crate::model::time;

/// What was compared; each part says with `agrees` whether the two sides fit, and null where that cannot be said.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReconciliationDocument<'a> {
    time_span: Option<TimeSpan>,
    order: Order,
    unknown: Unknown,
    raw: Option<RawLines>,
    errors: Errors<'a>,
}

/// First and last event against start and end of the record.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TimeSpan {
    first: String,
    last: String,
    before_start_ms: i64,
    after_finish_ms: i64,
    agrees: bool,
}

/// Whether the events follow each other in time.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Order {
    timed: usize,
    untimed: usize,
    backwards: usize,
    first_backwards: Option<u64>,
    agrees: bool,
}

/// How much of the log is not understood; `share` is from 0 to 1.
#[derive(Debug, Serialize)]
struct Unknown {
    events: usize,
    unknown: usize,
    share: f64,
    agrees: bool,
}

/// Lines of the raw log by stream, against events and warnings of the event log.
#[derive(Debug, Serialize)]
struct RawLines {
    lines: usize,
    stdout: usize,
    stderr: usize,
    blank: usize,
    unreadable: usize,
    events: usize,
    warnings: usize,
    agrees: bool,
}

/// What went wrong on the way, against the state of the record.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Errors<'a> {
    errors: usize,
    failed: usize,
    ends_in_error: bool,
    state: &'a str,
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
