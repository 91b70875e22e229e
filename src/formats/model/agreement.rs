//! How far the annotators of a tape agree.
//!
//! The units are the events of the tape. The class of an event is the set of kinds that an annotator gave it; to give it none is a
//! class, too. An annotation with a span gives its kind to each event that it covers. An annotator is an author with a name: the
//! same name as a person and as a program are two.

use std::collections::{BTreeMap, BTreeSet};

use crate::sidecar::AuthorKind;

use super::annotation::{Annotation, AnnotationCounts, Sidecar};
use super::statistics;
use super::tape::Tape;

/// Maximum annotators of a tape that are compared with each other.
const MAX_ANNOTATORS: usize = 8;

/// The annotators of a tape, and what each says of its events.
#[derive(Debug)]
pub struct Agreement {
    /// Number of events on the tape.
    pub events: u32,
    /// At least two, people first, then by name.
    pub annotators: Vec<Annotator>,
    /// Number of further annotators, who are left out because they have fewer annotations.
    pub omitted: usize,
    /// Number of annotations whose author has no name.
    pub unnamed: usize,
    /// The events of which at least one annotator says something, in their order.
    ranges: Vec<EventRange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotator {
    pub id: String,
    pub kind: AuthorKind,
    pub annotations: usize,
}

/// Neighboring events of which each annotator says the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRange {
    /// Positions of the first and the last event.
    pub positions: (usize, usize),
    /// The kinds that each annotator gives each of the events.
    pub kinds: Vec<KindSet>,
}

/// The kinds that an annotator gives an event. Kinds that are not recognized are one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct KindSet(u16);

/// How far two annotators agree.
#[derive(Debug)]
pub struct PairAgreement {
    /// Indices of the two.
    pub annotators: [usize; 2],
    /// Events to which both give the same kinds, of those that both annotate.
    pub same: u32,
    /// Whether they annotate an event, whatever the kinds.
    pub annotated: Overlap,
    /// Cohen's kappa over all events, with sets of kinds as classes; `None` if undefined.
    pub kappa: Option<f64>,
    /// By kind, for the kinds that one of them uses.
    pub kinds: Vec<KindAgreement>,
}

/// How far two annotators agree on a kind.
#[derive(Debug)]
pub struct KindAgreement {
    pub kind: &'static str,
    pub events: Overlap,
    /// Cohen's kappa over all events, with two classes: with the kind and without it; `None` if undefined.
    pub kappa: Option<f64>,
}

/// Numbers of events that are chosen by two annotators, by one of them, and by none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overlap {
    pub both: u32,
    pub only: [u32; 2],
    pub neither: u32,
}

impl KindSet {
    /// The kinds that are counted at least once.
    fn of(counts: &AnnotationCounts) -> Self {
        let bits = counts.0.iter().enumerate();
        Self(bits.fold(0, |set, (bit, count)| set | (u16::from(*count > 0) << bit)))
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The words of the kinds, by name.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        let words = AnnotationCounts::WORDS.into_iter().enumerate();
        words.filter_map(move |(index, word)| self.has(index).then_some(word))
    }

    /// Whether it has the kind with this index in `AnnotationCounts::WORDS`.
    const fn has(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }
}

impl Overlap {
    /// Counts further events, which the annotators chose or not.
    fn add(&mut self, [first, second]: [bool; 2], events: u32) {
        *match (first, second) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.only[0],
            (false, true) => &mut self.only[1],
            (false, false) => &mut self.neither,
        } += events;
    }

    /// Number of events that at least one of them chose.
    pub const fn either(&self) -> u32 {
        self.both + self.only[0] + self.only[1]
    }

    fn kappa(&self) -> Option<f64> {
        let [first, second] = self.only;
        statistics::kappa(&BTreeMap::from([
            ((true, true), self.both),
            ((true, false), first),
            ((false, true), second),
            ((false, false), self.neither),
        ]))
    }
}

impl EventRange {
    pub fn events(&self) -> u32 {
        let (first, last) = self.positions;
        u32::try_from(last - first + 1).unwrap_or(u32::MAX)
    }

    /// Whether annotators of these events give them different kinds.
    pub fn is_disputed(&self) -> bool {
        let given = self.kinds.iter().filter(|kinds| !kinds.is_empty());
        given.collect::<BTreeSet<_>>().len() > 1
    }
}

impl Agreement {
    /// The agreement on a tape; `None` if it has fewer than two annotators.
    pub fn of(tape: &Tape<'_>, sidecar: &Sidecar<'_>) -> Option<Self> {
        let mut named: BTreeMap<(AuthorKind, &str), Vec<&Annotation<'_>>> = BTreeMap::new();
        for annotation in &sidecar.annotations {
            let author = annotation.author.as_ref();
            let name = author.and_then(|it| Some((it.kind, it.id.as_deref()?)));
            if let Some(name) = name.filter(|(_, id)| !id.trim().is_empty()) {
                named.entry(name).or_default().push(annotation);
            }
        }
        let unnamed = sidecar.annotations.len() - named.values().map(Vec::len).sum::<usize>();
        let omitted = named.len().saturating_sub(MAX_ANNOTATORS);
        let mut named: Vec<_> = named.into_iter().collect();
        named.sort_by_key(|(_, annotations)| std::cmp::Reverse(annotations.len()));
        named.truncate(MAX_ANNOTATORS);
        named.sort_by_key(|(name, _)| *name);
        if named.len() < 2 {
            return None;
        }
        let spans = named.iter().map(|(_, annotations)| annotations.as_slice());
        Some(Self {
            events: u32::try_from(tape.events.len()).ok()?,
            ranges: ranges(tape, &spans.collect::<Vec<_>>()),
            annotators: named
                .into_iter()
                .map(|((kind, id), annotations)| Annotator {
                    id: id.to_owned(),
                    kind,
                    annotations: annotations.len(),
                })
                .collect(),
            omitted,
            unnamed,
        })
    }

    /// Each two annotators who annotate an event together: two people first, then a person and a program, then two programs.
    pub fn pairs(&self) -> Vec<PairAgreement> {
        let indices = 0..self.annotators.len();
        let pairs = indices.flat_map(|second| (0..second).map(move |first| [first, second]));
        let pairs = pairs.map(|pair| self.pair(pair));
        let mut pairs: Vec<_> = pairs.filter(|pair| pair.annotated.both > 0).collect();
        pairs.sort_by_key(|it| {
            (
                it.annotators.map(|index| self.annotators[index].kind),
                it.annotators,
            )
        });
        pairs
    }

    fn pair(&self, annotators: [usize; 2]) -> PairAgreement {
        let mut classes: BTreeMap<(KindSet, KindSet), u32> = BTreeMap::new();
        let mut rest = self.events;
        for range in &self.ranges {
            let [first, second] = annotators.map(|annotator| range.kinds[annotator]);
            *classes.entry((first, second)).or_default() += range.events();
            rest = rest.saturating_sub(range.events());
        }
        *classes.entry(Default::default()).or_default() += rest;
        let overlap = |is_chosen: &dyn Fn(KindSet) -> bool| {
            let mut overlap = Overlap::default();
            for ((first, second), events) in &classes {
                overlap.add([is_chosen(*first), is_chosen(*second)], *events);
            }
            overlap
        };
        let same = classes
            .iter()
            .filter(|((first, second), _)| first == second && !first.is_empty());
        let words = AnnotationCounts::WORDS.into_iter().enumerate();
        let kinds = words.filter_map(|(index, kind)| {
            let events = overlap(&|kinds| kinds.has(index));
            (events.either() > 0).then(|| KindAgreement {
                kind,
                events,
                kappa: events.kappa(),
            })
        });
        PairAgreement {
            annotators,
            same: same.map(|(_, events)| events).sum(),
            annotated: overlap(&|kinds| !kinds.is_empty()),
            kappa: statistics::kappa(&classes),
            kinds: kinds.collect(),
        }
    }

    /// The events to which two annotators give different kinds, or to which one gives none.
    pub fn disagreements(&self) -> impl Iterator<Item = &EventRange> {
        let differ = |range: &&EventRange| range.kinds.iter().collect::<BTreeSet<_>>().len() > 1;
        self.ranges.iter().filter(differ)
    }
}

/// The events of which the annotators say something. Spans may be many and long, so only the ends of each are visited.
fn ranges(tape: &Tape<'_>, annotators: &[&[&Annotation<'_>]]) -> Vec<EventRange> {
    let mut ends: BTreeMap<usize, Vec<(usize, &Annotation<'_>, bool)>> = BTreeMap::new();
    for (annotator, annotations) in annotators.iter().enumerate() {
        for annotation in *annotations {
            if let Some((first, last)) = tape.covered(annotation) {
                ends.entry(first)
                    .or_default()
                    .push((annotator, annotation, true));
                ends.entry(last + 1)
                    .or_default()
                    .push((annotator, annotation, false));
            }
        }
    }
    let mut covering = vec![AnnotationCounts::default(); annotators.len()];
    let mut ranges: Vec<EventRange> = Vec::new();
    let mut first = 0;
    for (position, changes) in ends {
        let kinds: Vec<_> = covering.iter().map(KindSet::of).collect();
        if kinds.iter().any(|kinds| !kinds.is_empty()) {
            match ranges
                .last_mut()
                .filter(|last| last.kinds == kinds && last.positions.1 + 1 == first)
            {
                Some(last) => last.positions.1 = position - 1,
                None => ranges.push(EventRange {
                    positions: (first, position - 1),
                    kinds,
                }),
            }
        }
        for (annotator, annotation, begins) in changes {
            if begins {
                covering[annotator].add(&annotation.kind);
            } else {
                covering[annotator].remove(&annotation.kind);
            }
        }
        first = position;
    }
    ranges
}
