//! The findings of an audit: the events that differ, read once more.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::derivation::{Derivation, keys};
use super::differences::BestVersion;
use super::digest::Equality;
use super::recorded::{RecordedEvent, recorded_keys};
use super::{Audit, AuditFinding, FindingKind, RowVisitor};
use crate::events::{LogEventFields, LogEventKind};
use crate::json::schema_keys;
use crate::replay::{Harness, TranslatedEvent, Translator};

/// Most findings that are listed.
const MAX_FINDINGS: usize = 100;
/// Least number of findings that one may stand for.
const MIN_COLLAPSED: usize = 4;

/// Reads the events that differ once more, and lists the findings.
pub(super) fn list<E>(
    best: BestVersion,
    recorded: &[RecordedEvent<'_>],
    audit: &mut Audit,
    read: &mut impl FnMut(RowVisitor<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let derived = &best.derived;
    let found = &best.differences;
    audit.raw_lines = vec![0; recorded.len()];
    let pairs = best.equal().chain(found.changed.iter().copied());
    for (from, to) in pairs.chain(found.moved.iter().copied()) {
        audit.raw_lines[to] = derived.events[from].line;
    }
    // Digests of lines of gg do not cover all of them.
    let is_gg = |pair: &(usize, usize)| derived.events[pair.0].kind == LogEventKind::Gg;
    let partly = best.equal().filter(is_gg);
    let mut pairs: Vec<_> = partly.chain(found.changed.iter().copied()).collect();
    pairs.sort_unstable();
    let changed = compare(derived, recorded, &pairs, read)?;
    let mut listed = Vec::new();
    let line = |at: usize| Some(derived.events[at].line);
    for ((from, to), fields) in changed {
        let fields = fields.into_iter().map(ToOwned::to_owned).collect();
        let event = recorded[to].kind;
        listed.push((to, FindingKind::Changed, line(from), fields, event));
    }
    for (from, to) in &found.moved {
        let event = recorded[*to].kind;
        listed.push((*to, FindingKind::Moved, line(*from), Vec::new(), event));
    }
    for (from, to) in &found.missing {
        if !derived.is_unsure(*from) {
            let event = derived.events[*from].kind;
            listed.push((*to, FindingKind::Missing, line(*from), Vec::new(), event));
        }
    }
    for to in &found.extra {
        let event = recorded[*to].kind;
        listed.push((*to, FindingKind::Extra, None, Vec::new(), event));
    }
    listed.sort_by_key(|found| (found.0, found.2));
    let findings = listed
        .into_iter()
        .map(|(at, kind, raw_line, fields, event)| {
            let is_missing = kind == FindingKind::Missing;
            let place = Some(at as u64).filter(|_| at < recorded.len());
            AuditFinding {
                kind,
                seq: place.filter(|_| !is_missing),
                raw_line,
                fields,
                event: event.word(),
                before: place.filter(|_| is_missing),
                count: 1,
            }
        });
    let mut findings = collapsed(findings.collect(), derived, recorded);
    audit.orchestrator = found.orchestrator;
    audit.verdict = derived.verdict(&findings);
    if findings.is_empty() {
        audit.translator = best.versions;
    } else {
        audit.against = Some(derived.version);
    }
    let rest = findings.split_off(findings.len().min(MAX_FINDINGS));
    audit.omitted = rest.iter().map(|finding| finding.count).sum();
    audit.findings = findings;
    Ok(())
}

/// Positions of a derived and a recorded event, and the keys in which they differ.
type Change = ((usize, usize), Vec<&'static str>);

/// The keys that differ in pairs of events, which are in the order of the derived ones.
fn compare<E>(
    derived: &Derivation,
    recorded: &[RecordedEvent<'_>],
    pairs: &[(usize, usize)],
    read: &mut impl FnMut(RowVisitor<'_>) -> Result<(), E>,
) -> Result<Vec<Change>, E> {
    let mut changed = Vec::new();
    if pairs.is_empty() {
        return Ok(changed);
    }
    let equality = &derived.equality;
    let mut pairs = pairs.iter().copied().peekable();
    let mut translator = Translator::new(equality.harness, derived.version);
    let mut position = 0;
    let refused = equality.refused();
    read(&mut |_, row| {
        let Some(row) = row else { return };
        let events = translator.translate(row);
        for event in &events {
            if let Some(pair) = pairs.next_if(|pair| pair.0 == position) {
                let with = &recorded[pair.1];
                let is_refused = event.kind == "gg" && Some(with.digest) == refused;
                if !(derived.is_unsure(position) || is_refused && events.len() == 1) {
                    let mut fields = fields(equality, event, with);
                    // Its working directory may be in a row that cannot be read.
                    if equality.harness == Harness::Claude
                        && derived.events[position].line > derived.first_unread
                    {
                        fields.retain(|field| *field != "path");
                    }
                    if !fields.is_empty() {
                        changed.push((pair, fields));
                    }
                }
            }
            position += 1;
        }
    })?;
    Ok(changed)
}

/// The keys in which two events differ, sorted.
fn fields(
    equality: &Equality,
    event: &TranslatedEvent<'_>,
    with: &RecordedEvent<'_>,
) -> Vec<&'static str> {
    let kind = Value::String(event.kind.to_owned());
    let ours = keys(equality, &kind, event);
    let read = with.text.and_then(|text| serde_json::from_str(text).ok());
    let read: Map<String, Value> = read.unwrap_or_default();
    let theirs = recorded_keys(equality, &read);
    let value = |keys: &[(&str, &'_ Value)], key: &str| {
        let found = keys.iter().find(|(name, _)| *name == key);
        found.map(|(_, value)| (*value).clone())
    };
    let names: BTreeSet<_> = ours.iter().chain(&theirs).map(|(key, _)| *key).collect();
    let differ = names
        .into_iter()
        .filter(|key| match (value(&ours, key), value(&theirs, key)) {
            (Some(ours), Some(theirs)) => {
                let other = event.other_message.as_deref().filter(|_| *key == "message");
                let other = other.map(|other| Value::String(other.to_owned()));
                !equality.same(key, &ours, &theirs)
                    && !other.is_some_and(|other| equality.same(key, &other, &theirs))
            }
            _ => true,
        });
    let names: BTreeSet<_> = differ.map(known_key).collect();
    names.into_iter().collect()
}

/// The keys of the format.
static KEYS: LazyLock<BTreeSet<String>> = LazyLock::new(schema_keys::<LogEventFields<'_>>);

/// The name of a key, if it is one of the format: other keys may say anything.
fn known_key(key: &str) -> &'static str {
    KEYS.get(key).map_or("other", String::as_str)
}

/// Findings with one cause as one finding: the same keys in all events of some types, and all events of a type.
fn collapsed(
    findings: Vec<AuditFinding>,
    derived: &Derivation,
    recorded: &[RecordedEvent<'_>],
) -> Vec<AuditFinding> {
    if findings.is_empty() {
        return findings;
    }
    let count = |kinds: &mut dyn Iterator<Item = LogEventKind>| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        kinds.for_each(|kind| *counts.entry(kind.word()).or_default() += 1);
        counts
    };
    let inside = recorded.iter().filter(|event| !event.is_from_orchestrator);
    let theirs = count(&mut inside.map(|event| event.kind));
    let ours = count(&mut derived.events.iter().map(|event| event.kind));
    let of = |counts: &BTreeMap<&str, usize>, kind: &str| counts.get(kind).copied().unwrap_or(0);
    // The same kind of finding with the same keys; missing and extra events of one type.
    let cause = |it: &AuditFinding| {
        let event = if it.fields.is_empty() { it.event } else { "" };
        (it.kind.word(), it.fields.clone(), event)
    };
    let mut groups: BTreeMap<_, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for finding in &findings {
        let group = groups.entry(cause(finding)).or_default();
        group.0 += 1;
        group.1.insert(finding.event);
    }
    groups.retain(|(kind, _, event), (number, events)| {
        let is_all = match *kind {
            "changed" => *number == events.iter().map(|event| of(&theirs, event)).sum::<usize>(),
            "missing" => *number == of(&ours, event) && of(&theirs, event) == 0,
            "extra" => *number == of(&theirs, event) && of(&ours, event) == 0,
            _ => false,
        };
        is_all && (*number >= MIN_COLLAPSED || *event == "usage")
    });
    let mut listed = Vec::new();
    for finding in findings {
        let count = match groups.get_mut(&cause(&finding)) {
            Some((0, _)) => continue,
            Some((number, _)) => std::mem::take(number) as u64,
            None => 1,
        };
        listed.push(AuditFinding { count, ..finding });
    }
    listed
}
