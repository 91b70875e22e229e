//! Harn's JSON shape of a sidecar's validation report (formats.md D), including the order of its keys.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;

use formats::model::annotation::{Fault, Problem, Report};

/// The report of Harn's validator on a sidecar, verbatim.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HarnReport<'a> {
    /// Annotations in the sidecar.
    annotations_checked: usize,
    /// Violations of Harn's rules, in the order of its validator.
    problems: Vec<HarnProblem<'a>>,
    /// Annotations by kind; unrecognized kinds count as `unknown`.
    kind_counts: BTreeMap<&'a str, usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
#[schemars(transform = describe, description = "A problem, under Harn's code.")]
enum HarnProblem<'a> {
    DuplicateId {
        annotation_id: &'a str,
    },
    UnknownEventId {
        annotation_id: &'a str,
        event_id: u64,
    },
    HypothesisStatusMissing {
        annotation_id: &'a str,
    },
    FrictionKindUnexpected {
        annotation_id: &'a str,
    },
    HypothesisStatusUnexpected {
        annotation_id: &'a str,
    },
    FrictionKindMissing {
        annotation_id: &'a str,
    },
    FrictionKindUnknown {
        annotation_id: &'a str,
        friction_kind: &'a str,
    },
    UnknownKind {
        annotation_id: &'a str,
    },
    InvalidSpan {
        annotation_id: &'a str,
        message: &'a str,
    },
    TapeDigestMismatch {
        expected: &'a str,
        actual: &'a str,
    },
}

/// Describes keys that mean the same in every problem.
fn describe(schema: &mut Schema) {
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

impl<'a> From<&'a Report> for HarnReport<'a> {
    fn from(report: &'a Report) -> Self {
        Self {
            annotations_checked: report.checked,
            problems: report.problems.iter().map(HarnProblem::from).collect(),
            kind_counts: report.kind_counts.iter().collect(),
        }
    }
}

impl<'a> From<&'a Problem> for HarnProblem<'a> {
    fn from(problem: &'a Problem) -> Self {
        let (annotation_id, fault) = match problem {
            Problem::Annotation(id, fault) => (id.as_str(), fault),
            Problem::TapeDigestMismatch(expected, actual) => {
                return Self::TapeDigestMismatch { expected, actual };
            }
        };
        match fault {
            Fault::DuplicateId => Self::DuplicateId { annotation_id },
            Fault::UnknownEventId(event_id) => Self::UnknownEventId {
                annotation_id,
                event_id: *event_id,
            },
            Fault::HypothesisStatusMissing => Self::HypothesisStatusMissing { annotation_id },
            Fault::FrictionKindUnexpected => Self::FrictionKindUnexpected { annotation_id },
            Fault::HypothesisStatusUnexpected => Self::HypothesisStatusUnexpected { annotation_id },
            Fault::FrictionKindMissing => Self::FrictionKindMissing { annotation_id },
            Fault::FrictionKindUnknown(friction_kind) => Self::FrictionKindUnknown {
                annotation_id,
                friction_kind,
            },
            Fault::UnknownKind => Self::UnknownKind { annotation_id },
            Fault::InvalidSpan(message) => Self::InvalidSpan {
                annotation_id,
                message,
            },
        }
    }
}
