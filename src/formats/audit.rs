//! Compares an event log with what its raw log translates to (docs/replay.md). Neither is held: events become digests, and a last pass
//! reads the few again that differ.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::event_line;
use super::events;
use super::jsonl;
use super::replay::{Event, Harness, NEWEST, Row, Translator, Version};

mod align;
mod digest;
mod outside;

use align::{Gap, gaps};
use digest::{Digest, Equality, REPLACED};

words! {
    /// What an audit of the event log says.
    #[derive(JsonSchema)]
    Verdict {
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
pub struct Finding {
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
    pub verdict: Verdict,
    /// The versions of the recorder's translator that give exactly these events, from 1 (the oldest known) to 6.
    pub translator: Vec<Version>,
    /// The version that the findings compare with; null without findings.
    pub against: Option<Version>,
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
    pub findings: Vec<Finding>,
    /// Number of findings that are left out here.
    pub omitted: u64,
    /// Calls by tool, as the newest translator counts them; null if it does not.
    #[serde(skip)]
    pub tool_calls: Option<BTreeMap<String, u64>>,
    /// The line of the raw log that each event follows from, 0 if none.
    #[serde(skip)]
    pub raw_lines: Vec<u32>,
}

/// Most findings that are listed.
const LISTED: usize = 100;
/// Least number of findings that one may stand for.
const MANY: usize = 4;

impl Audit {
    /// An audit that is not possible.
    pub fn impossible(events: u64, rows: u64) -> Self {
        Self {
            verdict: Verdict::NotAuditable,
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
            Verdict::Matches | Verdict::MatchesOlder => Some(true),
            Verdict::Differs | Verdict::Incomplete => Some(false),
            Verdict::NotAuditable => None,
        }
    }

    /// Number of events that do not follow from the raw log.
    pub fn differences(&self) -> u64 {
        let found = self.findings.iter().map(|finding| finding.count);
        found.sum::<u64>().saturating_add(self.omitted)
    }
}

/// Takes the rows of a raw log, each with the number of its line; `None` is a row that cannot be read.
pub type EachRow<'a> = &'a mut dyn FnMut(u32, Option<&Row>);

/// Compares the bytes of an event log, if there is one, with what the newest translator makes of a raw log. `read` reads the raw log once
/// more from its start; it is called only if the events differ.
pub fn audit<E>(
    mut newest: Derivation,
    log: Option<&[u8]>,
    mut read: impl FnMut(EachRow<'_>) -> Result<(), E>,
) -> Result<Audit, E> {
    if !newest.unread.is_empty() {
        // A row that cannot be read may have had the session id.
        let mut without = newest.equality;
        without.sessions = false;
        newest = Derivation::of(without, NEWEST);
        read(&mut |line, row| newest.row(line, row))?;
    }
    let recorded = read_log(newest.equality, log.unwrap_or_default());
    let mut audit = Audit::impossible(recorded.len() as u64, newest.rows);
    audit.partly = newest.equality.harness == Harness::Gg;
    audit.redacted = newest.redacted;
    if newest.equality.harness.counts_calls() && newest.unread.is_empty() {
        audit.tool_calls = Some(newest.translator.tool_calls().clone());
    }
    if log.is_none() && !newest.events.is_empty() {
        audit.against = Some(NEWEST);
        audit.findings.push(newest.without_log());
        audit.verdict = newest.verdict(&audit.findings);
        return Ok(audit);
    }
    let best = best(newest, &recorded, &mut read)?;
    finish(best, &recorded, &mut audit, &mut read)?;
    Ok(audit)
}

/// A derived event.
#[derive(Debug)]
struct Derived {
    digest: Digest,
    line: u32,
    kind: events::Kind,
    is_optional: bool,
}

/// What a raw log translates to.
#[derive(Debug)]
pub struct Derivation {
    equality: Equality,
    translator: Translator,
    version: Version,
    rows: u64,
    events: Vec<Derived>,
    /// The places among the events where rows are that cannot be read.
    unread: Vec<usize>,
    /// The line of the first of them.
    first_unread: u32,
    redacted: bool,
    buffer: Vec<u8>,
}

impl Derivation {
    /// What the newest translator makes of a raw log, before its first row.
    pub fn new(harness: Harness) -> Self {
        let equality = Equality {
            harness,
            sessions: true,
        };
        Self::of(equality, NEWEST)
    }

    fn of(equality: Equality, version: Version) -> Self {
        Self {
            equality,
            translator: Translator::new(equality.harness, version),
            version,
            rows: 0,
            events: Vec::new(),
            unread: Vec::new(),
            first_unread: u32::MAX,
            redacted: false,
            buffer: Vec::new(),
        }
    }

    /// Takes the next row, with the number of its line; `None` is a row that cannot be read.
    pub fn row(&mut self, line: u32, row: Option<&Row>) {
        self.rows += 1;
        let Some(row) = row else {
            self.unread.push(self.events.len());
            self.first_unread = self.first_unread.min(line);
            return;
        };
        let equality = self.equality;
        for event in self.translator.translate(row) {
            let kind = Value::String(event.kind.to_owned());
            let digest = equality.digest(&keys(equality, &kind, &event), &mut self.buffer);
            self.redacted |= memchr::memmem::find(&self.buffer, REPLACED.as_bytes()).is_some();
            self.events.push(Derived {
                digest,
                line,
                kind: kind_of(event.kind),
                is_optional: event.is_optional,
            });
        }
    }

    fn verdict(&self, findings: &[Finding]) -> Verdict {
        if !self.unread.is_empty() {
            Verdict::Incomplete
        } else if !findings.is_empty() {
            Verdict::Differs
        } else if self.version == NEWEST {
            Verdict::Matches
        } else {
            Verdict::MatchesOlder
        }
    }

    /// The finding of a raw log without an event log.
    fn without_log(&self) -> Finding {
        let first = self.events.first();
        Finding {
            kind: FindingKind::Missing,
            seq: None,
            raw_line: first.map(|event| event.line),
            fields: Vec::new(),
            event: first.map_or("", |event| word(event.kind)),
            before: None,
            count: self.events.len() as u64,
        }
    }

    /// Whether rows that cannot be read may have given the events of a gap.
    fn is_unclear(&self, gap: &Gap) -> bool {
        let first = self.unread.partition_point(|at| *at < gap.derived.start);
        let is_near = self
            .unread
            .get(first)
            .is_some_and(|at| *at <= gap.derived.end);
        is_near || gap.derived.clone().any(|at| self.is_unsure(at))
    }

    /// Whether an event may have become another one if all rows before it could be read: calls may have been opened there, and text
    /// may have begun.
    fn is_unsure(&self, at: usize) -> bool {
        let event = &self.events[at];
        event.line > self.first_unread
            && match event.kind {
                events::Kind::Unknown => self.equality.harness.counts_calls(),
                events::Kind::Agent | events::Kind::Reasoning => {
                    self.equality.harness == Harness::Goose
                }
                _ => false,
            }
    }
}

/// The keys of a derived event that count.
fn keys<'e>(
    equality: Equality,
    kind: &'e Value,
    event: &'e Event<'_>,
) -> Vec<(&'e str, &'e Value)> {
    let fields = event
        .fields
        .iter()
        .map(|(key, value)| (*key, value.as_ref()));
    equality.keys(fields.chain([("type", kind)]))
}

/// A recorded event.
struct RecordedEvent<'a> {
    digest: Digest,
    /// `None` if it is not UTF-8.
    text: Option<&'a str>,
    kind: events::Kind,
    /// Whether only the orchestrator writes such events.
    is_outside: bool,
}

fn read_log(equality: Equality, bytes: &[u8]) -> Vec<RecordedEvent<'_>> {
    let mut buffer = Vec::new();
    let lines = jsonl::lines(bytes).map(|line| {
        let text = match line.text {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(_) => None,
        };
        let event = text.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
        let event = event.unwrap_or_default();
        let kind = event.get("type").and_then(Value::as_str);
        RecordedEvent {
            digest: equality.digest(&recorded_keys(equality, &event), &mut buffer),
            text,
            kind: kind_of(kind.unwrap_or_default()),
            is_outside: outside::is_outside(&event),
        }
    });
    lines.collect()
}

fn recorded_keys(equality: Equality, event: &Map<String, Value>) -> Vec<(&str, &Value)> {
    equality.keys(event.iter().map(|(key, value)| (key.as_str(), value)))
}

fn kind_of(word: &str) -> events::Kind {
    let mut types = <events::Fields<'_> as event_line::Fields<'_>>::TYPES.iter();
    let known = types.find(|(known, ..)| *known == word);
    known.map_or(events::Kind::Unknown, |(_, kind, _)| *kind)
}

fn word(kind: events::Kind) -> &'static str {
    let mut types = <events::Fields<'_> as event_line::Fields<'_>>::TYPES.iter();
    types
        .find(|(_, known, _)| *known == kind)
        .map_or("unknown", |(word, ..)| word)
}

/// How two lists of events differ, before the events are looked at.
#[derive(Default)]
struct Differences {
    gaps: Vec<Gap>,
    /// Positions of a derived and a recorded event.
    changed: Vec<(usize, usize)>,
    moved: Vec<(usize, usize)>,
    /// Position of a derived event, and of the recorded event before which it belongs.
    missing: Vec<(usize, usize)>,
    extra: Vec<usize>,
    outside: u64,
}

impl Differences {
    fn new(derived: &Derivation, recorded: &[RecordedEvent<'_>]) -> Self {
        let digests: Vec<_> = derived.events.iter().map(|event| event.digest).collect();
        let recorded_digests: Vec<_> = recorded.iter().map(|event| event.digest).collect();
        let mut found = Self {
            gaps: gaps(&digests, &recorded_digests),
            ..Self::default()
        };
        found.moved = moved(&found.gaps, &digests, &recorded_digests);
        let gone: BTreeSet<_> = found.moved.iter().map(|(derived, _)| *derived).collect();
        let come: BTreeSet<_> = found.moved.iter().map(|(_, recorded)| *recorded).collect();
        let refused = derived.equality.refused();
        for gap in found.gaps.clone() {
            let mut missing = gap.derived.clone().collect::<Vec<_>>();
            missing.retain(|at| !gone.contains(at));
            let mut extra = gap.recorded.clone().collect::<Vec<_>>();
            extra.retain(|at| !come.contains(at));
            let all = extra.len();
            extra.retain(|at| !recorded[*at].is_outside);
            found.outside += (all - extra.len()) as u64;
            let kinds = extra.iter().map(|at| match &recorded[*at] {
                // gg refuses lines that another version of it takes.
                event if Some(event.digest) == refused => events::Kind::Gg,
                event => event.kind,
            });
            let kinds = kinds.collect::<Vec<_>>();
            found.pair(derived, &kinds, &mut missing, &mut extra);
            missing.retain(|at| !derived.events[*at].is_optional);
            let missing = missing.into_iter().map(|at| (at, gap.recorded.start));
            found.missing.extend(missing);
            if !derived.is_unclear(&gap) {
                found.extra.extend(extra);
            }
        }
        found
    }

    /// Pairs what is left of a gap: events of the same type in order, and what is left if it is one of each side.
    fn pair(
        &mut self,
        derived: &Derivation,
        kinds: &[events::Kind],
        missing: &mut Vec<usize>,
        extra: &mut Vec<usize>,
    ) {
        let mut by_kind: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
        for (at, kind) in extra.iter().zip(kinds) {
            by_kind.entry(word(*kind)).or_default().push_back(*at);
        }
        let mut paired = BTreeSet::new();
        missing.retain(|at| {
            let same = by_kind.get_mut(word(derived.events[*at].kind));
            let same = same.and_then(VecDeque::pop_front);
            paired.extend(same);
            self.changed.extend(same.map(|same| (*at, same)));
            same.is_none()
        });
        extra.retain(|at| !paired.contains(at));
        if let ([one], [other]) = (&**missing, &**extra) {
            self.changed.push((*one, *other));
            missing.clear();
            extra.clear();
        }
    }

    fn number(&self) -> usize {
        self.changed.len() + self.moved.len() + self.missing.len() + self.extra.len()
    }
}

/// Pairs of equal events that are missing in one gap and extra in another.
fn moved(gaps: &[Gap], derived: &[Digest], recorded: &[Digest]) -> Vec<(usize, usize)> {
    let mut missing: BTreeMap<Digest, VecDeque<usize>> = BTreeMap::new();
    for at in gaps.iter().flat_map(|gap| gap.derived.clone()) {
        missing.entry(derived[at]).or_default().push_back(at);
    }
    let extra = gaps.iter().flat_map(|gap| gap.recorded.clone());
    let pairs = extra.filter_map(|at| {
        let same = missing.get_mut(&recorded[at])?;
        Some((same.pop_front()?, at))
    });
    pairs.collect()
}

/// The version with the fewest differences, and what those are.
struct Best {
    derived: Derivation,
    differences: Differences,
    /// The versions that have none.
    versions: Vec<Version>,
}

impl Best {
    /// Whether the only difference is that all events of token usage are missing: they may have come later than the other rules of
    /// the newest version.
    fn lacks_usage(&self, recorded: &[RecordedEvent<'_>]) -> bool {
        let is_usage = |at: usize| self.derived.events[at].kind == events::Kind::Usage;
        let found = &self.differences;
        found.number() == found.missing.len()
            && found.missing.iter().all(|(at, _)| is_usage(*at))
            && recorded
                .iter()
                .all(|event| event.kind != events::Kind::Usage)
    }

    /// Positions of equal events.
    fn equal(&self) -> impl Iterator<Item = (usize, usize)> {
        let all = self.derived.events.len();
        let (mut derived, mut recorded) = (0, 0);
        let gaps = self.differences.gaps.iter();
        let gaps = gaps.map(|gap| (gap.derived.clone(), gap.recorded.end));
        gaps.chain([(all..all, 0)]).flat_map(move |(gap, next)| {
            let start = (derived, recorded);
            (derived, recorded) = (gap.end, next);
            (start.0..gap.start).zip(start.1..)
        })
    }
}

fn best<E>(
    newest: Derivation,
    recorded: &[RecordedEvent<'_>],
    read: &mut impl FnMut(EachRow<'_>) -> Result<(), E>,
) -> Result<Best, E> {
    let equality = newest.equality;
    let differences = Differences::new(&newest, recorded);
    let mut best = Best {
        versions: newest.translator.versions(),
        derived: newest,
        differences,
    };
    if best.differences.number() == 0 {
        return Ok(best);
    }
    let older = equality.harness.versions().rev();
    let older = older.filter(|version| !best.versions.contains(version));
    let older = older.map(|version| Derivation::of(equality, version));
    let mut older: Vec<_> = older.collect();
    if !older.is_empty() {
        read(&mut |line, row| {
            for older in &mut older {
                older.row(line, row);
            }
        })?;
    }
    let is_newest = best.lacks_usage(recorded);
    for derived in older {
        let differences = Differences::new(&derived, recorded);
        let (number, least) = (differences.number(), best.differences.number());
        if number == 0 && least == 0 {
            best.versions.push(derived.version);
        } else if number == 0 || (number < least && !is_newest) {
            best = Best {
                versions: vec![derived.version],
                derived,
                differences,
            };
        }
    }
    best.versions.sort_unstable();
    Ok(best)
}

/// Reads the events that differ once more, and lists the findings.
fn finish<E>(
    best: Best,
    recorded: &[RecordedEvent<'_>],
    audit: &mut Audit,
    read: &mut impl FnMut(EachRow<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let derived = &best.derived;
    let found = &best.differences;
    audit.raw_lines = vec![0; recorded.len()];
    let pairs = best.equal().chain(found.changed.iter().copied());
    for (from, to) in pairs.chain(found.moved.iter().copied()) {
        audit.raw_lines[to] = derived.events[from].line;
    }
    // Digests of lines of gg do not cover all of them.
    let is_gg = |pair: &(usize, usize)| derived.events[pair.0].kind == events::Kind::Gg;
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
            Finding {
                kind,
                seq: place.filter(|_| !is_missing),
                raw_line,
                fields,
                event: word(event),
                before: place.filter(|_| is_missing),
                count: 1,
            }
        });
    let mut findings = collapsed(findings.collect(), derived, recorded);
    audit.orchestrator = found.outside;
    audit.verdict = derived.verdict(&findings);
    if findings.is_empty() {
        audit.translator = best.versions;
    } else {
        audit.against = Some(derived.version);
    }
    let rest = findings.split_off(findings.len().min(LISTED));
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
    read: &mut impl FnMut(EachRow<'_>) -> Result<(), E>,
) -> Result<Vec<Change>, E> {
    let mut changed = Vec::new();
    if pairs.is_empty() {
        return Ok(changed);
    }
    let equality = derived.equality;
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
fn fields(equality: Equality, event: &Event<'_>, with: &RecordedEvent<'_>) -> Vec<&'static str> {
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

/// The name of a key, if it is one of the format: other keys may say anything.
fn known_key(key: &str) -> &'static str {
    const KEYS: [&str; 22] = [
        "action",
        "code",
        "command",
        "cost",
        "endLine",
        "event",
        "exitCode",
        "isSuccess",
        "message",
        "path",
        "query",
        "raw",
        "sessionId",
        "skillName",
        "stage",
        "startLine",
        "status",
        "subagentId",
        "subagentName",
        "tokens",
        "type",
        "workingDirectory",
    ];
    KEYS.into_iter()
        .find(|known| *known == key)
        .unwrap_or("other")
}

/// Findings with one cause as one finding: the same keys in all events of some types, and all events of a type.
fn collapsed(
    findings: Vec<Finding>,
    derived: &Derivation,
    recorded: &[RecordedEvent<'_>],
) -> Vec<Finding> {
    let count = |kinds: &mut dyn Iterator<Item = events::Kind>| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        kinds.for_each(|kind| *counts.entry(word(kind)).or_default() += 1);
        counts
    };
    let inside = recorded.iter().filter(|event| !event.is_outside);
    let theirs = count(&mut inside.map(|event| event.kind));
    let ours = count(&mut derived.events.iter().map(|event| event.kind));
    let of = |counts: &BTreeMap<&str, usize>, kind: &str| counts.get(kind).copied().unwrap_or(0);
    // The same kind of finding with the same keys; missing and extra events of one type.
    let cause = |it: &Finding| {
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
        is_all && (*number >= MANY || *event == "usage")
    });
    let mut listed = Vec::new();
    for finding in findings {
        let count = match groups.get_mut(&cause(&finding)) {
            Some((0, _)) => continue,
            Some((number, _)) => std::mem::take(number) as u64,
            None => 1,
        };
        listed.push(Finding { count, ..finding });
    }
    listed
}
