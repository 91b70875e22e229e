//! Compares the translation of a raw log with an event log, and finds the version of the translator with the fewest differences.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::RowVisitor;
use super::align::{Gap, gaps};
use super::derivation::Derivation;
use super::digest::Digest;
use super::recorded::RecordedEvent;
use crate::events::LogEventKind;
use crate::replay::TranslatorVersion;

/// How two lists of events differ, before the events are looked at.
#[derive(Default)]
pub(super) struct Differences {
    gaps: Vec<Gap>,
    /// Positions of a derived and a recorded event.
    pub(super) changed: Vec<(usize, usize)>,
    pub(super) moved: Vec<(usize, usize)>,
    /// Position of a derived event, and of the recorded event before which it belongs.
    pub(super) missing: Vec<(usize, usize)>,
    pub(super) extra: Vec<usize>,
    pub(super) orchestrator: u64,
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
            extra.retain(|at| !recorded[*at].is_from_orchestrator);
            found.orchestrator += (all - extra.len()) as u64;
            let kinds = extra.iter().map(|at| match &recorded[*at] {
                // gg refuses lines that another version of it takes.
                event if Some(event.digest) == refused => LogEventKind::Gg,
                event => event.kind,
            });
            let kinds = kinds.collect::<Vec<_>>();
            let first = found.changed.len();
            found.pair(derived, &kinds, &mut missing, &mut extra);
            missing.retain(|at| !derived.events[*at].is_optional);
            // A missing event belongs after those that were paired with events before it.
            let mut pairs = found.changed[first..].iter().peekable();
            let mut place = gap.recorded.start;
            for at in missing {
                while let Some((_, recorded)) = pairs.next_if(|pair| pair.0 < at) {
                    place = place.max(recorded + 1);
                }
                found.missing.push((at, place));
            }
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
        kinds: &[LogEventKind],
        missing: &mut Vec<usize>,
        extra: &mut Vec<usize>,
    ) {
        let mut by_kind: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
        for (at, kind) in extra.iter().zip(kinds) {
            by_kind.entry(kind.word()).or_default().push_back(*at);
        }
        let mut paired = BTreeSet::new();
        missing.retain(|at| {
            let same = by_kind.get_mut(derived.events[*at].kind.word());
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
pub(super) struct BestVersion {
    pub(super) derived: Derivation,
    pub(super) differences: Differences,
    /// The versions that have none.
    pub(super) versions: Vec<TranslatorVersion>,
}

impl BestVersion {
    /// Whether the only difference is that all events of token usage are missing: they may have come later than the other rules of
    /// the newest version.
    fn lacks_usage(&self, recorded: &[RecordedEvent<'_>]) -> bool {
        let is_usage = |at: usize| self.derived.events[at].kind == LogEventKind::Usage;
        let found = &self.differences;
        found.number() == found.missing.len()
            && found.missing.iter().all(|(at, _)| is_usage(*at))
            && recorded
                .iter()
                .all(|event| event.kind != LogEventKind::Usage)
    }

    /// Positions of equal events.
    pub(super) fn equal(&self) -> impl Iterator<Item = (usize, usize)> {
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

pub(super) fn best<E>(
    newest: Derivation,
    recorded: &[RecordedEvent<'_>],
    read: &mut impl FnMut(RowVisitor<'_>) -> Result<(), E>,
) -> Result<BestVersion, E> {
    let equality = newest.equality.clone();
    let differences = Differences::new(&newest, recorded);
    let mut best = BestVersion {
        versions: newest.translator.versions(),
        derived: newest,
        differences,
    };
    if best.differences.number() == 0 {
        return Ok(best);
    }
    let older = equality.harness.versions().rev();
    let older = older.filter(|version| !best.versions.contains(version));
    let older = older.map(|version| Derivation::of(equality.clone(), version));
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
            best = BestVersion {
                versions: vec![derived.version],
                derived,
                differences,
            };
        }
    }
    best.versions.sort_unstable();
    Ok(best)
}
