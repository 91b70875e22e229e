//! The rules for an audit: what is reported of events that do not follow from the raw log. No message quotes a value of either log.

use std::collections::BTreeMap;

use base::diagnostics::text::quoted;
use base::diagnostics::{Collector, Diagnostic, Place, Severity, codes};
use formats::audit::{Audit, AuditFinding, AuditVerdict, FindingKind};
use formats::model::details;
use formats::model::tape::Tape;
use formats::run_record::{self, RunRecord};
use formats::{events, raw};

const HELP: &str = "Copy both logs from the recorder again; withhold parts of a log with `redactions.jsonl`, which this check does not count.";

/// Reports the findings of an audit. `folder` is the run directory, `has_rules` false for a raw log of an unknown harness.
#[must_use]
pub fn check(
    folder: &str,
    has_rules: bool,
    log: Option<&Tape<'_>>,
    audit: &Audit,
    severity: Severity,
) -> Vec<Diagnostic> {
    let raw_log = format!("{folder}/{}", raw::FILE_NAME);
    if !has_rules {
        return vec![codes::RAW_UNKNOWN_HARNESS.at(
            Place::file(raw_log),
            "No rules are known for the harness of this raw log, so only its lines are counted",
            "No action needed; if the harness has another name in the record, correct the record.",
        )];
    }
    let event_log = format!("{folder}/{}", events::FILE_NAME);
    let code = &codes::RAW_EVENT_DIFFERS;
    let mut problems = Collector::default();
    for finding in &audit.findings {
        let recorded = finding.seq.zip(log).and_then(|(seq, log)| {
            let position = log.position(seq)?;
            Some(log.events[position].line)
        });
        let place = Place {
            line: recorded.or(finding.raw_line),
            ..Place::file(if recorded.is_some() {
                &event_log
            } else {
                &raw_log
            })
        };
        problems.add_as(code, severity, || code.at(place, message(finding), HELP));
    }
    if audit.omitted > 0 {
        let message = format!(
            "{} more events do not follow from the raw log",
            audit.omitted
        );
        problems.push(
            code.at(Place::file(&event_log), message, HELP)
                .with_severity(severity),
        );
    }
    problems.finish(&event_log)
}

/// Compares the record with the raw log: its calls by tool, which only the newest translator counts.
#[must_use]
pub fn check_record(folder: &str, details: &RunRecord<'_>, audit: &Audit) -> Vec<Diagnostic> {
    let recorded = details::tool_calls(details);
    let mut problems = Vec::new();
    if audit.verdict == AuditVerdict::MatchesOlder {
        let older = codes::RAW_OLDER_TRANSLATOR.at(
            Place::file(format!("{folder}/{}", events::FILE_NAME)),
            "The events are what an older version of the translator makes of the raw log",
            "No action needed.",
        );
        problems.push(if recorded.is_empty() {
            older
        } else {
            Diagnostic {
                help: "Check whether record and event log are of the same recording: only the newest translator writes `toolCalls`.".to_owned(),
                ..older.with_severity(Severity::Warning)
            }
        });
    }
    let recorded: BTreeMap<&str, f64> = recorded
        .iter()
        .map(|(name, count)| (*name, count.value()))
        .collect();
    if let Some(counted) = audit.tool_calls.as_ref().filter(|_| !recorded.is_empty()) {
        #[allow(clippy::cast_precision_loss, reason = "no log has 2^53 calls")]
        let counted: BTreeMap<&str, f64> = counted
            .iter()
            .map(|(name, count)| (name.as_str(), *count as f64))
            .collect();
        if counted != recorded {
            let place = Place::file(format!("{folder}/{}", run_record::FILE_NAME));
            problems.push(codes::RAW_TOOL_CALLS_DIFFER.at(
                place.pointing("/toolCalls"),
                "The calls by tool are not those that the raw log has",
                "Copy the record and the raw log from the recorder again.",
            ));
        }
    }
    problems
}

fn message(finding: &AuditFinding) -> String {
    let AuditFinding { count, event, .. } = finding;
    let seq = finding.seq.unwrap_or(0);
    let line = finding
        .raw_line
        .map_or_else(String::new, |line| format!("line {line} of `raw.jsonl`"));
    let fields: Vec<String> = finding.fields.iter().map(|field| quoted(field)).collect();
    let fields = fields.join(", ");
    let kind = quoted(event);
    match (finding.kind, count) {
        (FindingKind::Changed, 1) if fields.is_empty() => {
            format!("Event {seq} is not what {line} translates to")
        }
        (FindingKind::Changed, 1) => {
            format!("Event {seq} is not what {line} translates to: it differs in {fields}")
        }
        (FindingKind::Changed, _) => format!(
            "{count} events, event {seq} first, are not what the raw log translates to: they differ in {fields}"
        ),
        (FindingKind::Missing, 1) => match finding.before {
            Some(before) => format!(
                "The event log has no event of type {kind} for this line; it belongs before event {before}"
            ),
            None => format!("The event log has no event of type {kind} for this line, at its end"),
        },
        (FindingKind::Missing, _) if *event == "usage" => format!(
            "The event log has none of the {count} events of type {kind}; an intermediate version of the translator may have left them out"
        ),
        (FindingKind::Missing, _) => {
            format!("{count} events are missing in the event log, that of this line first")
        }
        (FindingKind::Extra, 1) => format!("Event {seq} follows from no line of `raw.jsonl`"),
        (FindingKind::Extra, _) => {
            format!("{count} events, event {seq} first, follow from no line of `raw.jsonl`")
        }
        (FindingKind::Moved, _) => {
            format!("Event {seq} appears elsewhere than {line}, from which it follows")
        }
    }
}
