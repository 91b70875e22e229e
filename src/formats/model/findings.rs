//! What is kept of a run after its pages are made: small, whatever the size of the run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::audit::Verdict;

use super::annotation::Counts;
use super::digests::Digests;
use super::review::Rating;
use super::rule_result::RuleResult;
use super::tape::Family;

/// What tables, roll-ups and feeds need of a run besides its record.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Findings {
    /// What was asked, in a line.
    pub task: String,
    /// What is known of how it ended and what it took, in a line; may be empty.
    pub verdict: String,
    /// Its overall rating.
    pub rating: Option<Rating>,
    /// Whether its events follow from its raw log.
    pub audit: Option<Verdict>,
    /// Events on all tapes; without a tape nothing is known of them.
    pub events: Option<usize>,
    /// The events of the first tape in columns of equal time, so that lists can draw it; empty without events.
    pub columns: Vec<EventCounts>,
    /// Annotations on all tapes.
    pub annotations: Counts,
    /// Its review threads, where there are any.
    pub threads: Option<ThreadCounts>,
    /// What the site's rules say of it; empty without rules.
    pub rules: Vec<RuleResult>,
    /// The page of each event that the page of rules links to, by its number; none for those on the page of the run.
    pub later_events: BTreeMap<u64, usize>,
    pub spooled: SpooledTexts,
    /// The writeup as HTML, for the newest runs only: JSON Feed carries it.
    pub writeup_html: Option<String>,
}

/// The events in a column of a drawing, by family in the order of [`Family::ALL`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCounts {
    pub events: [u32; Family::ALL.len()],
    pub failed: [u32; Family::ALL.len()],
}

impl EventCounts {
    /// Number of events.
    pub fn total(&self) -> u32 {
        self.events.iter().sum()
    }

    /// Number of failures.
    pub fn failures(&self) -> u32 {
        self.failed.iter().sum()
    }

    /// The stack from the bottom up: successful events of each family, then failures.
    pub fn stack(&self) -> impl Iterator<Item = (Option<Family>, u32)> {
        let numbers = self.events.iter().zip(&self.failed);
        let successes = numbers.map(|(events, failed)| events.saturating_sub(*failed));
        let families = Family::ALL.into_iter().map(Some).zip(successes);
        families.chain([(None, self.failures())])
    }

    /// Adds the events of another column.
    pub fn add(&mut self, other: &Self) {
        let sums = self.events.iter_mut().chain(&mut self.failed);
        for (sum, number) in sums.zip(other.events.iter().chain(&other.failed)) {
            *sum = sum.saturating_add(*number);
        }
    }
}

impl Findings {
    /// Whether an event has an annotation.
    pub fn is_annotated(&self) -> bool {
        self.annotations.total() > 0
    }
}

/// A run in digests: enough to find out later what changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunDigests {
    /// Digest of each field of the record, by JSON pointer; see [`by_known_part`](super::digests::by_known_part).
    pub record: Digests,
    /// Digest of each other file, except for sidecars; `implementation/` is all files of a published implementation.
    pub files: Digests,
    /// Digest of each annotation, by id.
    pub annotations: Digests,
}

/// A place in the spool of a build. The default is a place with nothing in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// The first byte.
    pub at: u64,
    /// How many bytes.
    pub bytes: usize,
}

impl Slice {
    /// The place of a text of a run, when the texts of the run begin there.
    pub const fn behind(self, texts: u64) -> Self {
        Self {
            at: self.at.wrapping_add(texts),
            ..self
        }
    }

    /// Whether it is a place among so many bytes of texts.
    pub fn is_within(self, texts: u64) -> bool {
        let end = self.at.checked_add(self.bytes as u64);
        end.is_some_and(|end| end <= texts)
    }
}

/// Where the texts of a run are in the spool: digests for the ledger, lines for the feeds, cards for the pages.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SpooledTexts {
    /// Its [`RunDigests`], for the ledger.
    pub digests: Slice,
    /// Lines of `annotations.jsonl`.
    pub lines: Slice,
    /// Friction events.
    pub friction: Slice,
    pub hypotheses: Slice,
    /// Anchors to crystallize.
    pub anchors: Slice,
    /// Lines of `labels.jsonl`.
    pub labels: Slice,
    /// Tapes of `agreement.json`.
    pub agreement: Slice,
    /// A card for each annotation, in their order.
    pub cards: Vec<SpooledCard>,
    /// Lines of `threads.jsonl`, the newest thread first.
    pub thread_lines: Slice,
    /// A card for each review thread, the newest first.
    pub threads: Vec<Slice>,
    /// The beginning of the writeup, as plain text.
    pub writeup: Slice,
    /// The failures that search finds, as JSON.
    pub failures: Slice,
    /// The messages that search finds, as JSON.
    pub messages: Slice,
    /// Its data for comparisons, then that of each further tape.
    pub compare: Vec<Slice>,
    /// The run's newest annotations, for the home page.
    pub newest: Vec<SpooledAnnotation>,
    /// The newest annotation by a person that says something.
    pub quote: Option<SpooledAnnotation>,
}

/// A [`NewestAnnotation`] in the spool, and what it is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpooledAnnotation {
    /// As in [`NewestAnnotation`].
    pub at: Option<i64>,
    pub text: Slice,
}

impl SpooledTexts {
    pub fn places(&mut self) -> impl Iterator<Item = &mut Slice> {
        let one = [
            &mut self.digests,
            &mut self.lines,
            &mut self.friction,
            &mut self.hypotheses,
            &mut self.anchors,
            &mut self.labels,
            &mut self.agreement,
            &mut self.thread_lines,
            &mut self.writeup,
            &mut self.failures,
            &mut self.messages,
        ];
        let newest = self.newest.iter_mut().chain(&mut self.quote);
        let many = self.compare.iter_mut().chain(&mut self.threads);
        let many = many.chain(self.cards.iter_mut().map(|card| &mut card.card));
        many.chain(newest.map(|annotation| &mut annotation.text))
            .chain(one)
    }

    /// The same, when the texts of the run begin there.
    pub fn behind(mut self, texts: u64) -> Self {
        for place in self.places() {
            *place = place.behind(texts);
        }
        self
    }
}

/// A card in the spool, and what it is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpooledCard {
    /// Kind of the annotation: its place in [`Kind::KNOWN`](super::annotation::Kind::KNOWN), and after that the unknown ones.
    pub kind: usize,
    /// Status of a hypothesis or kind of friction, by its place in the format's list, and after that what is in none.
    pub group: usize,
    pub card: Slice,
}

/// Counts of the review threads: the protocol's `AnnotationsSummary`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadCounts {
    /// URI of the channel, where it is known.
    pub channel: Option<String>,
    pub threads: usize,
    pub entries: usize,
    /// Threads that are not resolved.
    pub open: usize,
}

impl ThreadCounts {
    pub const fn resolved(&self) -> usize {
        self.threads.saturating_sub(self.open)
    }
}

/// An annotation as a list shows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NewestAnnotation {
    /// The word of its kind.
    pub kind: String,
    /// The first line of its evidence, as text.
    pub evidence: String,
    /// Its address, relative to the site's root.
    pub href: String,
    /// When it was written, if it says so and the time can be read; milliseconds since 1970-01-01 UTC.
    pub at: Option<i64>,
}
