//! The part of `run.json` on how far the logs of a run agree with its record.

use base::shapes;
use formats::model::reconciliation as found;
use formats::model::time;

document! {
    /// The comparisons; `agrees` of each part says whether both sides match, null if unknown.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Reconciliation")]
    pub(super) struct ReconciliationDocument<'a>(found: &'a found::Reconciliation) {
        /// First and last event against start and end of the record; null when no event has a time.
        time_span: Option<TimeSpan> = found.span.as_ref().map(TimeSpan::of),
        /// Whether the events follow each other in time.
        order: Order = Order::of(&found.order),
        /// Events of type `unknown`.
        unknown: Unknown = Unknown::of(&found.unknown),
        /// The raw log against the event log; null when there is none.
        raw: Option<RawLines> = found.raw.as_ref().map(RawLines::of),
        /// Errors of the event log, compared with the state of the record.
        errors: Errors<'a> = Errors::of(&found.errors),
    }
}

document! {
    /// First and last event against start and end of the record.
    #[serde(rename_all = "camelCase")]
    struct TimeSpan(span: &found::Span) {
        /// Time of the first event.
        #[schemars(with = "shapes::Time")]
        first: String = moment(span.first),
        /// Time of the last event.
        #[schemars(with = "shapes::Time")]
        last: String = moment(span.last),
        /// Time from the first event to the recorded start, in milliseconds.
        before_start_ms: i64 = span.before_start,
        /// Time from the recorded end to the last event, in milliseconds.
        after_finish_ms: i64 = span.after_finish,
        /// Whether all events are between start and end, to the second.
        agrees: bool = span.agrees(),
    }
}

document! {
    /// Whether the events follow each other in time.
    #[serde(rename_all = "camelCase")]
    struct Order(order: &found::Order) {
        /// Events with a time.
        timed: usize = order.timed,
        /// Events without a valid time.
        untimed: usize = order.untimed,
        /// Events that are earlier than the one before.
        backwards: usize = order.backwards,
        /// Number of the first such event.
        first_backwards: Option<u64> = order.first_backwards,
        /// Whether all events are in order.
        agrees: bool = order.agrees(),
    }
}

document! {
    /// Events of type `unknown`; `share` is from 0 to 1.
    struct Unknown(unknown: &found::Unknown) {
        /// All events.
        events: usize = unknown.events,
        /// Events of type `unknown`, lines that cannot be read among them.
        unknown: usize = unknown.unknown,
        /// Their share of all events.
        #[schemars(with = "shapes::Share")]
        share: f64 = unknown.share(),
        /// Whether no event is of type `unknown`.
        agrees: bool = unknown.agrees(),
    }
}

document! {
    /// Lines of the raw log by stream, against events and warnings of the event log.
    struct RawLines(raw: &found::RawLines) {
        /// All lines.
        lines: usize = raw.lines.lines(),
        /// Lines of `stdout`.
        stdout: usize = raw.lines.stdout,
        /// Lines of `stderr`.
        stderr: usize = raw.lines.stderr,
        /// Lines of both that hold nothing but white space.
        blank: usize = raw.lines.blank,
        /// Lines that cannot be read.
        unreadable: usize = raw.lines.unreadable,
        /// Events of the event log.
        events: usize = raw.events,
        /// Warnings of the event log.
        warnings: usize = raw.warnings,
        /// Whether every line can be read, the output yielded events, and text on `stderr` yielded warnings.
        agrees: bool = raw.agrees(),
    }
}

document! {
    /// Errors of the event log, compared with the state of the record.
    #[serde(rename_all = "camelCase")]
    struct Errors<'a>(errors: &'a found::Errors) {
        /// Events of type `error`.
        errors: usize = errors.errors,
        /// Events that did not succeed.
        failed: usize = errors.failed,
        /// Whether the log ends in an error.
        ends_in_error: bool = errors.ends_in_error,
        /// The state of the record.
        state: &'a str = &errors.state,
        /// Whether errors and state match; null for a state that implies nothing about errors.
        agrees: Option<bool> = errors.agrees(),
    }
}

fn moment(ms: i64) -> String {
    let mut text = String::new();
    time::push_iso_ms(&mut text, ms);
    text
}
