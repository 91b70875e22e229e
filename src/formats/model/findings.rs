//! What is kept of a run after its pages are made: small, whatever the size of the run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::audit::AuditVerdict;

use super::annotation::AnnotationCounts;
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
    pub rating: Option<Rating>,
    /// Whether its events follow from its raw log.
    pub audit: Option<AuditVerdict>,
    /// Events on all tapes; without a tape nothing is known of them.
    pub events: Option<usize>,
    /// The events of the first tape in columns of equal time, so that lists can draw it; empty without events.
    pub columns: Vec<EventCounts>,
    /// Annotations on all tapes.
    pub annotations: AnnotationCounts,
    /// Its review threads, where there are any.
    pub threads: Option<ThreadCounts>,
    /// What the site's rules say of it; empty without rules.
    pub rules: Vec<RuleResult>,
    /// The page of each event that the page of rules links to, by its number; none for those on the page of the run.
    pub later_events: BTreeMap<u64, usize>,
    /// The ledger compares them with those of the next build.
    pub digests: PackedDigests,
    /// A card for each annotation, in their order.
    pub cards: Vec<CardText>,
    /// A card for each review thread, the newest first.
    pub thread_cards: Vec<ThreadText>,
    /// The newest annotations, for the home page: places in `cards`.
    pub newest: Vec<usize>,
    /// The newest annotation by a person that says something: its place in `cards`.
    pub quote: Option<usize>,
    /// How many bytes its data for comparisons has, then that of each further tape.
    pub compared: Vec<usize>,
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
    pub fn total(&self) -> u32 {
        self.events.iter().sum()
    }

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

/// The digests of a run as bytes, since the maps of a large archive need much memory. Equal digests are equal bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedDigests(Arc<[u8]>);

impl PackedDigests {
    pub fn of(digests: &RunDigests) -> Self {
        // Writing maps of strings into memory cannot fail.
        Self(postcard::to_stdvec(digests).unwrap_or_default().into())
    }

    /// The digests. A run with errors, which only comparisons of content have, has none.
    pub fn unpack(&self) -> RunDigests {
        postcard::from_bytes(&self.0).unwrap_or_default()
    }
}

/// What lists show of an annotation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CardText {
    /// Its kind: the place in [`AnnotationKind::KNOWN`](super::annotation::AnnotationKind::KNOWN), and after that the unrecognized ones.
    pub kind: usize,
    /// The word of an unrecognized kind.
    pub kind_word: Option<String>,
    /// Status of a hypothesis or kind of friction: the place in the format's list, and after that what is in none.
    pub group: usize,
    /// The same as a word.
    pub group_word: Option<String>,
    /// Its evidence as plain text.
    pub evidence: String,
    /// Its address, relative to the folder of its run.
    pub href: String,
    /// Number of the event.
    pub event: u64,
    /// Number of the last event, if it covers several.
    pub last: Option<u64>,
    pub event_kind: String,
    /// A summary of the event.
    pub says: String,
    /// Id and kind of its author.
    pub author: Option<(Option<String>, String)>,
    /// When it was written, in milliseconds since 1970.
    pub at: Option<i64>,
    /// What the events of an anchor do.
    pub patterns: BTreeSet<String>,
}

impl CardText {
    /// `event 2` or `events 2 to 4`.
    pub fn events(&self) -> String {
        match self.last {
            Some(last) => format!("events {} to {last}", self.event),
            None => format!("event {}", self.event),
        }
    }
}

/// What the list of all threads shows of a review thread.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ThreadText {
    /// Its place on the page of its run.
    pub anchor: String,
    pub file: String,
    /// First and last line, if it is about lines.
    pub lines: Option<(u64, u64)>,
    pub resolved: bool,
    /// The turn that produced the file.
    pub turn: Option<String>,
    /// The first entry as plain text.
    pub text: String,
    pub entries: usize,
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
