//! What the audit of a run says: whether its events follow from its raw output, and where they do not.

use serde::Serialize;

use base::diagnostics::codes;
use formats::audit::{AuditFinding, AuditVerdict, FindingKind};
use formats::config::Expectation;

use super::run::CheckedRun;
use super::{Link, format};

/// The audit of a run.
#[derive(Debug, Serialize)]
pub struct AuditView {
    /// `3 of 118 events do not follow from the raw output`
    pub summary: String,
    /// What else a reader should know, in sentences.
    pub notes: Vec<String>,
    pub findings: Vec<FindingView>,
    /// Why the findings are expected.
    pub expected: Option<String>,
    /// `12 more findings`
    pub more: Option<String>,
}

/// A finding and its two places.
#[derive(Debug, Serialize)]
pub struct FindingView {
    /// `event 12`, or empty if there is none.
    pub event: Link,
    /// `line 57`, or empty if there is none.
    pub line: String,
    /// `differs in exitCode, isSuccess`
    pub what: String,
}

/// The audit with at most so many findings; `None` if the run has no raw log or it is not checked.
pub fn audit(s: &CheckedRun<'_>, most: usize) -> Option<AuditView> {
    let audit = s.inspection.audit.as_ref();
    let audit = audit.filter(|audit| audit.rows > 0 || audit.events > 0)?;
    let differences = audit.differences();
    let counted = || {
        let verb = if differences == 1 { "does" } else { "do" };
        format!(
            "{} of {} {verb} not follow from the raw output",
            format::grouped(differences),
            format::count(to_usize(audit.events), "event"),
        )
    };
    let summary = match audit.verdict {
        AuditVerdict::NotAuditable if audit.rows == 0 => return None,
        AuditVerdict::NotAuditable => {
            "No rules are known to compare the events with the raw output".to_owned()
        }
        AuditVerdict::Matches | AuditVerdict::MatchesOlder => {
            "The events follow from the raw output".to_owned()
        }
        AuditVerdict::Incomplete if differences == 0 => {
            "The events follow from the part of the raw output that can be read".to_owned()
        }
        AuditVerdict::Differs | AuditVerdict::Incomplete => counted(),
    };
    let versions: Vec<_> = audit.translator.iter().map(ToString::to_string).collect();
    let mut notes = Vec::new();
    let mut note = |holds: bool, text: String| notes.extend(holds.then_some(text));
    note(
        audit.verdict == AuditVerdict::MatchesOlder,
        format!(
            "They follow by older rules, of version {} of the translator.",
            versions.join(", ")
        ),
    );
    note(
        audit.partly,
        "Partly audited: what gg writes is compared only as far as its versions agree.".to_owned(),
    );
    note(
        audit.verdict == AuditVerdict::Incomplete,
        "Lines of the raw output cannot be read, so not everything can be compared.".to_owned(),
    );
    note(
        audit.orchestrator > 0,
        format!(
            "{} of the orchestrator, which the raw output does not have.",
            format::count(to_usize(audit.orchestrator), "event"),
        ),
    );
    note(
        audit.redacted,
        "Keys that the recorder’s publisher removes count as equal.".to_owned(),
    );
    let listed = audit.findings.iter().take(most);
    let findings: Vec<_> = listed.map(|finding| view(s, finding)).collect();
    let all = audit.findings.len();
    let all = all.saturating_add(to_usize(audit.omitted));
    let id = &s.entry.run.id;
    let mut expected = s.config.expect.iter().filter(|expectation| {
        let is_finding = expectation.code == Some(&codes::RAW_EVENT_DIFFERS);
        is_finding && expectation.is_of(id, &s.files.directory.shown)
    });
    Some(AuditView {
        summary,
        notes,
        expected: expected
            .next()
            .filter(|_| differences > 0)
            .map(Expectation::sentence),
        more: format::rest(all, findings.len(), "more finding"),
        findings,
    })
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn view(s: &CheckedRun<'_>, finding: &AuditFinding) -> FindingView {
    let number = finding.seq.or(finding.before);
    let href = number.and_then(|seq| s.event_href(seq));
    let text = match (finding.seq, finding.before) {
        (Some(seq), _) => format!("event {seq}"),
        (None, Some(before)) => format!("before event {before}"),
        (None, None) => "at the end".to_owned(),
    };
    let fields = finding.fields.join(", ");
    let event = finding.event;
    let what = match finding.kind {
        FindingKind::Changed if fields.is_empty() => "is a different event".to_owned(),
        FindingKind::Changed => format!("differs in {fields}"),
        FindingKind::Missing => format!("an event of type {event} is missing"),
        FindingKind::Extra => format!("of type {event} follows from no line"),
        FindingKind::Moved => format!("of type {event} appears at another place"),
    };
    FindingView {
        event: Link::new(text, href.unwrap_or_default()),
        line: finding
            .raw_line
            .map_or_else(String::new, |line| format!("line {line}")),
        what: match to_usize(finding.count) {
            1 => what,
            count => format!("{what}; the same in {}", format::count(count, "event")),
        },
    }
}
