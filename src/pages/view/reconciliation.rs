//! The section of a run page that compares the logs with the record.

use serde::Serialize;

use formats::model::amounts;
use formats::model::reconciliation::{
    ErrorEvents, EventOrder, RawLines, Reconciliation, TimeSpan, UnknownEvents,
};
use formats::model::time;

use super::{Badge, format};

/// A comparison.
#[derive(Debug, Serialize)]
pub struct LogComparisonView {
    /// The subject.
    pub name: &'static str,
    /// The observation.
    pub seen: String,
    /// `agrees`, `differs`, or undecided.
    pub verdict: Badge,
}

pub fn rows(found: &Reconciliation) -> Vec<LogComparisonView> {
    let span = found.time_span.as_ref();
    let times = span.map_or_else(|| "no event has a time".to_owned(), time_span_text);
    let mut rows = vec![
        row("Time of the events", times, span.map(|span| span.agrees)),
        row(
            "Order of the events",
            order_text(&found.order),
            Some(found.order.agrees),
        ),
        row(
            "Events understood",
            unknown_events_text(&found.unknown),
            Some(found.unknown.agrees),
        ),
        row(
            "Errors and the state",
            errors_text(&found.errors),
            found.errors.agrees,
        ),
    ];
    if let Some(raw) = &found.raw {
        rows.push(row("Raw output", raw_lines_text(raw), Some(raw.agrees)));
    }
    rows
}

fn row(name: &'static str, seen: String, agrees: Option<bool>) -> LogComparisonView {
    let (word, tone) = match agrees {
        Some(true) => ("agrees", "good"),
        Some(false) => ("differs", "poor"),
        None => ("nothing to compare", "none"),
    };
    LogComparisonView {
        name,
        seen,
        verdict: Badge::new(word, tone),
    }
}

fn time_span_text(span: &TimeSpan) -> String {
    let within = format!("{} to {}", time::utc(span.first), time::utc(span.last));
    let outside = [
        ("begins", span.before_start_ms, "before the run started"),
        ("ends", span.after_finish_ms, "after the run finished"),
    ];
    let outside = outside.into_iter().filter(|(_, ms, _)| *ms > 0);
    let outside: Vec<String> = outside
        .map(|(does, ms, when)| format!("{does} {} {when}", format::milliseconds(ms)))
        .collect();
    if outside.is_empty() {
        format!("{within}, within the run")
    } else {
        format!("{within}; {}", outside.join(" and "))
    }
}

fn order_text(order: &EventOrder) -> String {
    let mut seen = match order.first_backwards {
        None => "no event is earlier than the one before it".to_owned(),
        Some(first) => format!(
            "{} earlier than the event before, first at event {first}",
            if order.backwards == 1 {
                "1 event is".to_owned()
            } else {
                format!("{} are", format::count(order.backwards, "event"))
            },
        ),
    };
    if order.untimed > 0 {
        seen.push_str(&format!(
            "; {} without a time",
            format::count(order.untimed, "event")
        ));
    }
    seen
}

fn unknown_events_text(unknown: &UnknownEvents) -> String {
    let events = format::count(unknown.events, "event");
    if unknown.unknown == 0 {
        format!("all of {events}")
    } else {
        let share = amounts::percent(unknown.unknown, unknown.events);
        format!(
            "{} of {events} {} unknown, {share}",
            format::grouped(unknown.unknown),
            if unknown.unknown == 1 { "is" } else { "are" }
        )
    }
}

fn errors_text(errors: &ErrorEvents) -> String {
    let end = if errors.ends_in_error {
        "; the log ends in an error"
    } else {
        ""
    };
    format!(
        "{} and {} in a run that is {}{end}",
        format::count(errors.errors, "error"),
        format::count(errors.failed, "failed event"),
        errors.state,
    )
}

fn raw_lines_text(raw: &RawLines) -> String {
    let mut seen = format!(
        "{}, {} of them from stderr, gave {} and {}",
        format::count(raw.lines, "line"),
        format::grouped(raw.stderr),
        format::count(raw.events, "event"),
        format::count(raw.warnings, "warning"),
    );
    if raw.unreadable > 0 {
        seen.push_str(&format!(
            "; {} cannot be read",
            format::count(raw.unreadable, "line")
        ));
    }
    seen
}
