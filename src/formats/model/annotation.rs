//! What a human, an agent or a system said about an event.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Verbatim;

pub use crate::sidecar::Author;

/// Kind of annotation, as in Harn.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of formats.md D")]
pub enum Kind {
    Correct,
    Incorrect,
    Alternative,
    Note,
    Marker,
    Mute,
    Hypothesis,
    Friction,
    CrystallizeHere,
    /// A newer kind, with its word.
    Unknown(String),
}

impl Kind {
    /// The nine kinds, in the order of the format.
    pub const KNOWN: [Self; 9] = [
        Self::Correct,
        Self::Incorrect,
        Self::Alternative,
        Self::Note,
        Self::Marker,
        Self::Mute,
        Self::Hypothesis,
        Self::Friction,
        Self::CrystallizeHere,
    ];

    /// Reads the word of the format.
    pub fn parse(word: &str) -> Self {
        Self::KNOWN
            .into_iter()
            .find(|kind| kind.word() == word)
            .unwrap_or_else(|| Self::Unknown(word.to_owned()))
    }

    /// The word of the format, or of the file.
    pub fn word(&self) -> &str {
        match self {
            Self::Correct => "correct",
            Self::Incorrect => "incorrect",
            Self::Alternative => "alternative",
            Self::Note => "note",
            Self::Marker => "marker",
            Self::Mute => "mute",
            Self::Hypothesis => "hypothesis",
            Self::Friction => "friction",
            Self::CrystallizeHere => "crystallize_here",
            Self::Unknown(word) => word,
        }
    }

    /// The word under which Harn's report counts it.
    pub fn counted_as(&self) -> &str {
        if let Self::Unknown(_) = self {
            "unknown"
        } else {
            self.word()
        }
    }
}

/// The statuses of a hypothesis, in the order of the format.
pub const HYPOTHESIS_STATUSES: [&str; 5] =
    ["active", "verifying", "confirmed", "disproven", "stale"];

/// The friction kinds, in the order of the format.
pub const FRICTION_KINDS: [&str; 9] = [
    "repeated_query",
    "repeated_clarification",
    "approval_stall",
    "missing_context",
    "manual_handoff",
    "tool_gap",
    "failed_assumption",
    "expensive_model_used_for_deterministic_step",
    "human_hypothesis",
];

/// An annotation, checked.
#[derive(Debug)]
pub struct Annotation<'a> {
    /// The id as written; `None` when there is none.
    pub id: Option<Cow<'a, str>>,
    /// The id, or `ann@event_<n>` when it has none, made unique in its file: the anchor on the page.
    pub label: String,
    /// The number of the event it is about.
    pub event: u64,
    /// Kind of annotation.
    pub kind: Kind,
    /// Markdown.
    pub evidence: Option<Cow<'a, str>>,
    /// Any JSON.
    pub suggested_fix: Option<&'a str>,
    pub author: Option<Author>,
    /// As written; RFC 3339 by convention.
    pub timestamp: Option<Cow<'a, str>>,
    /// First and last event it covers, when it covers more than its own.
    pub span: Option<(u64, u64)>,
    pub hypothesis_status: Option<&'static str>,
    /// Which friction it is.
    pub friction_kind: Option<Cow<'a, str>>,
    /// Links and references.
    pub links: Vec<Link>,
    /// `metadata` as written, unless empty.
    pub metadata: Option<&'a str>,
    /// The whole line as written.
    pub verbatim: Verbatim<'a>,
}

/// A reference; at least one of the three is there.
#[derive(Debug, Clone)]
pub struct Link {
    /// Words for it.
    pub label: Option<String>,
    /// Address, as written.
    pub url: Option<String>,
    /// Whether readers may follow the address; any other is shown as text.
    pub followed: bool,
    /// Any other reference, such as a trace id.
    pub reference: Option<String>,
}

/// The words that [`Kind::counted_as`] returns, sorted.
const COUNTED: [&str; Kind::KNOWN.len() + 1] = [
    "alternative",
    "correct",
    "crystallize_here",
    "friction",
    "hypothesis",
    "incorrect",
    "marker",
    "mute",
    "note",
    "unknown",
];

/// Numbers of annotations by kind. An archive holds one for each run, so they are in the order of [`COUNTED`], without words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts(pub [u32; COUNTED.len()]);

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, kind: &Kind) {
        if let Ok(at) = COUNTED.binary_search(&kind.counted_as()) {
            self.0[at] = self.0[at].saturating_add(1);
        }
    }

    /// Adds the counts of another sidecar.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
    }

    /// Each kind that occurs with its count, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let all = COUNTED.into_iter().zip(self.0);
        all.filter(|(_, count)| *count > 0)
            .map(|(name, count)| (name, count as usize))
    }

    /// All of them.
    pub fn total(&self) -> usize {
        self.iter().map(|(_, count)| count).sum()
    }
}

/// A problem that Harn's validator reports (formats.md D).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// Of the annotation of this label.
    Annotation(String, Fault),
    /// The hash that the sidecar states, and that of the tape.
    TapeDigestMismatch(String, String),
}

/// What is wrong with an annotation, and what Harn says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of formats.md D")]
pub enum Fault {
    DuplicateId,
    UnknownEventId(u64),
    HypothesisStatusMissing,
    FrictionKindUnexpected,
    HypothesisStatusUnexpected,
    FrictionKindMissing,
    FrictionKindUnknown(String),
    UnknownKind,
    InvalidSpan(String),
}

/// What Harn's validator says about a sidecar and its tape.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many annotations were looked at.
    pub checked: usize,
    /// The problems, in the validator's order.
    pub problems: Vec<Problem>,
    /// How many of each kind.
    pub kind_counts: Counts,
}

/// A sidecar, checked against its tape.
#[derive(Debug)]
pub struct Sidecar<'a> {
    /// File name in the run directory.
    pub file: String,
    /// The header's line as written.
    pub header: Verbatim<'a>,
    /// The tape that the header names.
    pub stated_tape: Option<String>,
    /// The digest that the header names.
    pub stated_hash: Option<String>,
    pub report: Report,
    /// The annotations in file order.
    pub annotations: Vec<Annotation<'a>>,
}
