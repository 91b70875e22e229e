//! Annotations: comments of a person, an agent or a program on an event.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::Verbatim;

pub use crate::sidecar::{Author, Link};

/// Kind of annotation, as in Harn.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnnotationKind {
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

impl AnnotationKind {
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
    fn report_word(&self) -> &str {
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
    pub kind: AnnotationKind,
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
    pub friction_kind: Option<Cow<'a, str>>,
    /// Links and references that say something.
    pub links: Vec<Link>,
    /// `metadata` as written, unless empty.
    pub metadata: Option<&'a str>,
    /// The whole line as written.
    pub verbatim: Verbatim<'a>,
}

/// Numbers of annotations by kind. An archive holds one for each run, so they are in the order of [`Self::WORDS`], without words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnotationCounts(pub [u32; AnnotationKind::KNOWN.len() + 1]);

impl AnnotationCounts {
    /// The word of each count, as [`AnnotationKind::report_word`] returns it, sorted.
    pub const WORDS: [&'static str; AnnotationKind::KNOWN.len() + 1] = [
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

    pub fn add(&mut self, kind: &AnnotationKind) {
        if let Ok(at) = Self::WORDS.binary_search(&kind.report_word()) {
            self.0[at] = self.0[at].saturating_add(1);
        }
    }

    /// Undoes [`Self::add`].
    pub fn remove(&mut self, kind: &AnnotationKind) {
        if let Ok(at) = Self::WORDS.binary_search(&kind.report_word()) {
            self.0[at] = self.0[at].saturating_sub(1);
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
        let all = Self::WORDS.into_iter().zip(self.0);
        all.filter(|(_, count)| *count > 0)
            .map(|(name, count)| (name, count as usize))
    }

    /// Number of all annotations.
    pub fn total(&self) -> usize {
        self.iter().map(|(_, count)| count).sum()
    }
}

/// The report of Harn's validator on a sidecar, verbatim.
// The order of the keys is Harn's (formats.md D).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HarnReport {
    /// Annotations in the sidecar.
    pub annotations_checked: usize,
    /// Violations of Harn's rules, in the order of its validator.
    pub problems: Vec<HarnProblem>,
    /// Annotations by kind; unrecognized kinds count as `unknown`.
    #[serde(serialize_with = "serialize_by_kind")]
    #[schemars(with = "BTreeMap<String, usize>")]
    pub kind_counts: AnnotationCounts,
}

/// A problem, under Harn's code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
#[schemars(transform = describe_keys)]
pub enum HarnProblem {
    DuplicateId {
        annotation_id: String,
    },
    UnknownEventId {
        annotation_id: String,
        event_id: u64,
    },
    HypothesisStatusMissing {
        annotation_id: String,
    },
    FrictionKindUnexpected {
        annotation_id: String,
    },
    HypothesisStatusUnexpected {
        annotation_id: String,
    },
    FrictionKindMissing {
        annotation_id: String,
    },
    FrictionKindUnknown {
        annotation_id: String,
        friction_kind: String,
    },
    UnknownKind {
        annotation_id: String,
    },
    InvalidSpan {
        annotation_id: String,
        message: String,
    },
    TapeDigestMismatch {
        expected: String,
        actual: String,
    },
}

/// Describes keys that mean the same in every problem.
fn describe_keys(schema: &mut Schema) {
    let Some(Value::Array(problems)) = schema.get_mut("oneOf") else {
        return;
    };
    for (key, text) in [
        (
            "annotation_id",
            "The annotation's id, or `ann@event_<n>` when it has none.",
        ),
        ("event_id", "The event that the tape does not have."),
        ("friction_kind", "The unknown friction kind."),
        ("message", "The problem with the span, in Harn's words."),
        ("expected", "The content hash in the sidecar's header."),
        ("actual", "The content hash of the tape."),
    ] {
        for problem in problems.iter_mut() {
            if let Some(shape) = problem.pointer_mut(&format!("/properties/{key}")) {
                shape["description"] = Value::from(text);
            }
        }
    }
}

fn serialize_by_kind<S: Serializer>(
    counts: &AnnotationCounts,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter())
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
    pub report: HarnReport,
    /// The annotations in file order.
    pub annotations: Vec<Annotation<'a>>,
}
