//! Knows Harn's JSON shape of a sidecar's validation report (formats.md D), to the order of its keys.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::annotation::{Problem, Report};

/// The report as Harn's validator writes it.
#[derive(Debug, Serialize)]
pub struct HarnReport<'a> {
    annotations_checked: usize,
    problems: Vec<HarnProblem<'a>>,
    kind_counts: &'a BTreeMap<String, usize>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "code", rename_all = "snake_case")]
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

impl<'a> From<&'a Report> for HarnReport<'a> {
    fn from(report: &'a Report) -> Self {
        Self {
            annotations_checked: report.checked,
            problems: report.problems.iter().map(HarnProblem::from).collect(),
            kind_counts: &report.kind_counts.0,
        }
    }
}

impl<'a> From<&'a Problem> for HarnProblem<'a> {
    fn from(problem: &'a Problem) -> Self {
        match problem {
            Problem::DuplicateId { annotation_id } => Self::DuplicateId { annotation_id },
            Problem::UnknownEventId {
                annotation_id,
                event_id,
            } => Self::UnknownEventId {
                annotation_id,
                event_id: *event_id,
            },
            Problem::HypothesisStatusMissing { annotation_id } => {
                Self::HypothesisStatusMissing { annotation_id }
            }
            Problem::FrictionKindUnexpected { annotation_id } => {
                Self::FrictionKindUnexpected { annotation_id }
            }
            Problem::HypothesisStatusUnexpected { annotation_id } => {
                Self::HypothesisStatusUnexpected { annotation_id }
            }
            Problem::FrictionKindMissing { annotation_id } => {
                Self::FrictionKindMissing { annotation_id }
            }
            Problem::FrictionKindUnknown {
                annotation_id,
                friction_kind,
            } => Self::FrictionKindUnknown {
                annotation_id,
                friction_kind,
            },
            Problem::UnknownKind { annotation_id } => Self::UnknownKind { annotation_id },
            Problem::InvalidSpan {
                annotation_id,
                message,
            } => Self::InvalidSpan {
                annotation_id,
                message,
            },
            Problem::TapeDigestMismatch { expected, actual } => {
                Self::TapeDigestMismatch { expected, actual }
            }
        }
    }
}
