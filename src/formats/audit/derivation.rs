//! The translation of a raw log, as digests.

use std::collections::BTreeMap;

use serde_json::Value;

use super::align::Gap;
use super::digest::{Digest, Equality, has_replaced};
use super::{AuditFinding, AuditVerdict, FindingKind, RowVisitor};
use crate::events::LogEventKind;
use crate::replay::{Harness, NEWEST, RawRow, TranslatedEvent, Translator, TranslatorVersion};

/// A derived event.
#[derive(Debug)]
pub(super) struct DerivedEvent {
    pub(super) digest: Digest,
    pub(super) line: u32,
    pub(super) kind: LogEventKind,
    pub(super) is_optional: bool,
}

/// The translation of a raw log.
#[derive(Debug)]
pub struct Derivation {
    pub(super) equality: Equality,
    pub(super) translator: Translator,
    pub(super) version: TranslatorVersion,
    pub(super) rows: u64,
    pub(super) events: Vec<DerivedEvent>,
    /// The places among the events where rows are that cannot be read.
    pub(super) unread: Vec<usize>,
    /// The line of the first of them.
    pub(super) first_unread: u32,
    pub(super) redacted: bool,
    buffer: Vec<u8>,
}

impl Derivation {
    /// What the newest translator makes of a raw log, before its first row.
    pub fn new(harness: Harness) -> Self {
        Self::of(Equality::new(harness), NEWEST)
    }

    pub(super) fn of(equality: Equality, version: TranslatorVersion) -> Self {
        Self {
            translator: Translator::new(equality.harness, version),
            equality,
            version,
            rows: 0,
            events: Vec::new(),
            unread: Vec::new(),
            first_unread: u32::MAX,
            redacted: false,
            buffer: Vec::new(),
        }
    }

    /// What the newest translator makes of a raw log that is read once more, compared in another way.
    pub(super) fn again<E>(
        equality: &Equality,
        read: &mut impl FnMut(RowVisitor<'_>) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut newest = Self::of(equality.clone(), NEWEST);
        read(&mut |line, row| newest.row(line, row))?;
        Ok(newest)
    }

    /// Takes the next row, with the number of its line; `None` is a row that cannot be read.
    pub fn row(&mut self, line: u32, row: Option<&RawRow>) {
        self.rows += 1;
        let Some(row) = row else {
            self.unread.push(self.events.len());
            self.first_unread = self.first_unread.min(line);
            return;
        };
        let equality = &self.equality;
        for event in self.translator.translate(row) {
            let kind = Value::String(event.kind.to_owned());
            let digest = equality.digest(&keys(equality, &kind, &event), &mut self.buffer);
            self.redacted |= has_replaced(&self.buffer);
            self.events.push(DerivedEvent {
                digest,
                line,
                kind: LogEventKind::parse(event.kind),
                is_optional: event.is_optional,
            });
        }
    }

    /// Calls by tool, if this version counts them and read all rows.
    pub(super) fn tool_calls(&self) -> Option<BTreeMap<String, u64>> {
        let counts = self.equality.harness.counts_calls() && self.unread.is_empty();
        counts.then(|| self.translator.tool_calls().clone())
    }

    pub(super) fn verdict(&self, findings: &[AuditFinding]) -> AuditVerdict {
        if !self.unread.is_empty() {
            AuditVerdict::Incomplete
        } else if !findings.is_empty() {
            AuditVerdict::Differs
        } else if self.version == NEWEST {
            AuditVerdict::Matches
        } else {
            AuditVerdict::MatchesOlder
        }
    }

    /// The finding of a raw log without an event log.
    pub(super) fn without_log(&self) -> AuditFinding {
        let first = self.events.first();
        AuditFinding {
            kind: FindingKind::Missing,
            seq: None,
            raw_line: first.map(|event| event.line),
            fields: Vec::new(),
            event: first.map_or("", |event| event.kind.word()),
            before: None,
            count: self.events.len() as u64,
        }
    }

    /// Whether rows that cannot be read may have given the events of a gap.
    pub(super) fn is_unclear(&self, gap: &Gap) -> bool {
        let first = self.unread.partition_point(|at| *at < gap.derived.start);
        let is_near = self
            .unread
            .get(first)
            .is_some_and(|at| *at <= gap.derived.end);
        is_near || gap.derived.clone().any(|at| self.is_unsure(at))
    }

    /// Whether an event may have become another one if all rows before it could be read: calls may have been opened there, and text
    /// may have begun.
    pub(super) fn is_unsure(&self, at: usize) -> bool {
        let event = &self.events[at];
        event.line > self.first_unread
            && match event.kind {
                LogEventKind::Unknown => self.equality.harness.counts_calls(),
                LogEventKind::Agent | LogEventKind::Reasoning => {
                    self.equality.harness == Harness::Goose
                }
                _ => false,
            }
    }
}

/// The keys of a derived event that count.
pub(super) fn keys<'e>(
    equality: &Equality,
    kind: &'e Value,
    event: &'e TranslatedEvent<'_>,
) -> Vec<(&'e str, &'e Value)> {
    let fields = event
        .fields
        .iter()
        .map(|(key, value)| (*key, value.as_ref()));
    equality.keys(fields.chain([("type", kind)]))
}
