//! Parts of a record that are more than a key with a value of one type.

use std::borrow::Cow;

use crate::json::{JsonKind, Node};
use crate::reader::Presence::{Optional, Required};
use crate::reader::{DocumentReader, JsonObject, NumberLiteral};

use super::object::{RecordShape, ShapedKeys};

/// Keys of `metrics` with the durations of stages.
pub(super) const STAGES: ShapedKeys = &[
    ("setupSeconds", &RecordShape::Any),
    ("sessionSeconds", &RecordShape::Any),
    ("teardownSeconds", &RecordShape::Any),
    ("validationSeconds", &RecordShape::Any),
];

/// `toolchain`: the fields for its headline; the rest is shown as written.
#[derive(Debug)]
pub struct Toolchain<'a> {
    /// `typecheck.ran`
    pub typecheck_ran: Option<bool>,
    /// `typecheck.succeeded`: whether it ran and exited with 0.
    pub typecheck_succeeded: Option<bool>,
    /// The whole block.
    pub written: Node<'a>,
}

/// Steps that a record writes as null. Older records have no such keys at all.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct SkippedSteps {
    /// `install` is null.
    pub install: bool,
    /// `build` is null.
    pub build: bool,
}

/// The durations of the stages, added in a later version.
pub(super) fn stages<'a>(
    r: &mut DocumentReader<'a>,
    metrics: &JsonObject<'a>,
) -> Vec<(Cow<'a, str>, Option<NumberLiteral<'a>>)> {
    let is_stage = |key: &str| STAGES.iter().any(|(stage, _)| *stage == key);
    let members = metrics.members().filter(|(key, _)| is_stage(key));
    r.late(|r| {
        members
            .map(|(key, node)| {
                let known = node.kind() != JsonKind::Null;
                let seconds = known.then(|| r.as_number(node, metrics.pointer_to(key)));
                (key.clone(), seconds.flatten())
            })
            .collect()
    })
}

/// Calls by tool, added in a later version.
pub(super) fn tool_calls<'a>(
    r: &mut DocumentReader<'a>,
    top: &JsonObject<'a>,
    key: &str,
) -> Vec<(Cow<'a, str>, NumberLiteral<'a>)> {
    r.late(|r| {
        let Some(calls) = r.child(top, key, Optional) else {
            return Vec::new();
        };
        calls
            .members()
            .filter_map(|(name, node)| {
                let count = r.as_count(node, calls.pointer_to(name))?;
                Some((name.clone(), count))
            })
            .collect()
    })
}

/// The toolchain, added in a later version.
pub(super) fn toolchain<'a>(
    r: &mut DocumentReader<'a>,
    top: &JsonObject<'a>,
    key: &str,
) -> Option<Toolchain<'a>> {
    r.late(|r| {
        let block = r.child(top, key, Optional)?;
        let typecheck = r.child(&block, "typecheck", Optional);
        let mut flag = |key| {
            typecheck
                .as_ref()
                .and_then(|step| r.boolean(step, key, Optional))
        };
        Some(Toolchain {
            typecheck_ran: flag("ran"),
            typecheck_succeeded: flag("succeeded"),
            written: block.node(),
        })
    })
}

/// The similarity of a view to its baseline. A view that was not reached has none.
pub(super) fn similarity<'a>(
    r: &mut DocumentReader<'a>,
    check: &JsonObject<'a>,
    key: &str,
) -> Option<NumberLiteral<'a>> {
    let reached = check.get("reached").and_then(|reached| reached.as_bool());
    let need = if reached == Some(false) {
        Optional
    } else {
        Required
    };
    r.number(check, key, need)
}

/// Any JSON.
pub(super) fn any<'a>(
    _: &mut DocumentReader<'a>,
    object: &JsonObject<'a>,
    key: &str,
) -> Option<Node<'a>> {
    object.get(key)
}

/// Steps that are written as null.
pub(super) fn skipped<'a>(_: &mut DocumentReader<'a>, validation: &JsonObject<'a>) -> SkippedSteps {
    SkippedSteps {
        install: validation.is_null("install"),
        build: validation.is_null("build"),
    }
}

/// Keys of a step without a field.
pub(super) fn more<'a>(
    _: &mut DocumentReader<'a>,
    step: &JsonObject<'a>,
) -> Vec<(Cow<'a, str>, Node<'a>)> {
    let known = |key: &str| matches!(key, "command" | "succeeded" | "detail");
    step.members()
        .filter(|(key, _)| !known(key))
        .map(|(key, node)| (key.clone(), node))
        .collect()
}

/// The JSON pointer of an object.
pub(super) fn pointer<'a>(_: &mut DocumentReader<'a>, object: &JsonObject<'a>) -> String {
    object.pointer.clone()
}

pub(super) fn written<'a>(_: &mut DocumentReader<'a>, object: &JsonObject<'a>) -> Node<'a> {
    object.node()
}
