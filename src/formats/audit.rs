//! Compares an event log with what its raw log translates to (docs/replay.md). Neither is kept in memory: events become digests, and a
//! last pass reads those that differ once more.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::replay::{Harness, NEWEST, RawRow, TranslatorVersion};

mod align;
mod derivation;
mod differences;
mod digest;
mod findings;
mod orchestrator;
mod recorded;
mod recorded_keys;

pub use derivation::Derivation;
use differences::best;
use recorded_keys::RecordedKeys;

words! {
    /// What an audit of the event log says.
    #[derive(JsonSchema)]
    #[schemars(rename = "Verdict")]
    AuditVerdict {
        /// The newest translator gives exactly these events.
        Matches = "matches",
        /// Only older translators give exactly these events.
        MatchesOlder = "matches-older",
        /// No translator gives these events.
        Differs = "differs",
        /// Rows of the raw log cannot be read.
        Incomplete = "incomplete",
        /// There is no raw log, or there are no rules for the harness.
        NotAuditable = "not-auditable",
    }
}

words! {
    /// How events differ from the raw log.
    #[derive(JsonSchema)]
    FindingKind {
        /// The event has other values.
        Changed = "changed",
        /// The raw log has an event that the event log has not.
        Missing = "missing",
        /// The event log has an event that does not follow from the raw log.
        Extra = "extra",
        /// The event is at another place.
        Moved = "moved",
    }
}

/// An event that does not follow from the raw log. No value of either log is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Finding")]
pub struct AuditFinding {
    /// How it differs.
    pub kind: FindingKind,
    /// Number of the event; null for a missing one.
    pub seq: Option<u64>,
    /// Line of the raw log, from 1; null for an extra event.
    pub raw_line: Option<u32>,
    /// The keys that differ, sorted; keys that are no keys of the format are `other`.
    pub fields: Vec<String>,
    /// Type of the event: as recorded, or of a missing event as it should be.
    #[serde(rename = "type")]
    pub event: &'static str,
    /// Number of the event before which a missing one belongs; null at the end of the log, and for other findings.
    pub before: Option<u64>,
    /// Number of findings with the same cause that this one stands for, itself included.
    pub count: u64,
}

/// Whether the events of a run follow from its raw log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// The result.
    pub verdict: AuditVerdict,
    /// The versions of the recorder's translator that give exactly these events, from 1 (the oldest known) to 6.
    pub translator: Vec<TranslatorVersion>,
    /// The version that the findings compare with; null without findings.
    pub against: Option<TranslatorVersion>,
    /// Whether the harness can be audited only in part.
    pub partly: bool,
    /// Events of the event log.
    pub events: u64,
    /// Lines of the raw log.
    pub rows: u64,
    /// Events that the orchestrator added; they have no line in the raw log.
    pub orchestrator: u64,
    /// Whether keys that begin with `sk-` were replaced in the events before the comparison.
    pub redacted: bool,
    /// The differences, in the order of the events; at most 100.
    pub findings: Vec<AuditFinding>,
    /// Number of findings that are left out here.
    pub omitted: u64,
    /// Calls by tool, as the newest translator counts them; null if it does not.
    #[serde(skip)]
    pub tool_calls: Option<BTreeMap<String, u64>>,
    /// The line of the raw log that each event follows from, 0 if none.
    #[serde(skip)]
    pub raw_lines: Vec<u32>,
}

impl Audit {
    /// An audit that is not possible.
    pub fn impossible(events: u64, rows: u64) -> Self {
        Self {
            verdict: AuditVerdict::NotAuditable,
            translator: Vec::new(),
            against: None,
            partly: false,
            events,
            rows,
            orchestrator: 0,
            redacted: false,
            findings: Vec::new(),
            omitted: 0,
            tool_calls: None,
            raw_lines: Vec::new(),
        }
    }

    /// Whether the events follow from the raw log, if that is known.
    pub fn agrees(&self) -> Option<bool> {
        match self.verdict {
            AuditVerdict::Matches | AuditVerdict::MatchesOlder => Some(true),
            AuditVerdict::Differs | AuditVerdict::Incomplete => Some(false),
            AuditVerdict::NotAuditable => None,
        }
    }

    /// Number of events that do not follow from the raw log.
    pub fn differences(&self) -> u64 {
        let found = self.findings.iter().map(|finding| finding.count);
        found.sum::<u64>().saturating_add(self.omitted)
    }
}

/// Takes the rows of a raw log, each with the number of its line; `None` is a row that cannot be read.
pub type RowVisitor<'a> = &'a mut dyn FnMut(u32, Option<&RawRow>);

/// Compares the bytes of an event log, if there is one, with what the newest translator makes of a raw log. `read` reads the raw log once
/// more from its start; it is called only if the events differ.
pub fn audit<E>(
    mut newest: Derivation,
    log: Option<&[u8]>,
    mut read: impl FnMut(RowVisitor<'_>) -> Result<(), E>,
) -> Result<Audit, E> {
    let mut equality = newest.equality.clone();
    if !newest.unread.is_empty() {
        // A row that cannot be read may have had the session id.
        equality.sessions = false;
        newest = Derivation::again(&equality, &mut read)?;
    }
    let audit = compared(newest, log, &mut read)?;
    let (true, false, Some(bytes)) = (audit.partly, audit.findings.is_empty(), log) else {
        return Ok(audit);
    };
    // Lines of the same time and type are aligned only if more of them is compared.
    equality.recorded_keys = Some(Arc::new(RecordedKeys::new(bytes)));
    let newest = Derivation::again(&equality, &mut read)?;
    let closer = compared(newest, log, &mut read)?;
    let is_closer = closer.differences() < audit.differences();
    Ok(if is_closer { closer } else { audit })
}

fn compared<E>(
    newest: Derivation,
    log: Option<&[u8]>,
    read: &mut impl FnMut(RowVisitor<'_>) -> Result<(), E>,
) -> Result<Audit, E> {
    let recorded = recorded::read(&newest.equality, log.unwrap_or_default());
    let mut audit = Audit::impossible(recorded.len() as u64, newest.rows);
    audit.partly = newest.equality.harness == Harness::Gg;
    audit.redacted = newest.redacted;
    audit.tool_calls = newest.tool_calls();
    if log.is_none() && !newest.events.is_empty() {
        audit.against = Some(NEWEST);
        audit.findings.push(newest.without_log());
        audit.verdict = newest.verdict(&audit.findings);
        return Ok(audit);
    }
    let best = best(newest, &recorded, read)?;
    findings::list(best, &recorded, &mut audit, read)?;
    Ok(audit)
}
