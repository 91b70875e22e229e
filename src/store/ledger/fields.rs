//! Which fields of two records differ, and which values of them the ledger may repeat.
//!
//! A ledger outlives the records: a text that was removed from a record must not stay in it. So the ledger repeats only values
//! that cannot be free text: numbers, booleans, times, and words of a fixed list. For any other field it records only that it
//! changed, at the deepest place that the format names.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use formats::json::{JsonKind, Node, pointer_part};
use formats::model::time;
use formats::run_record::known_part;

use super::FieldChange;
use super::compare::{RecordChange, difference};

/// Maximum bytes of a repeated value.
const VALUE: usize = 40;
/// Maximum depth, which no record reaches. Deeper values are not compared one by one.
const DEPTH: usize = 64;

/// A kind of value that is not free text.
enum ValueKind {
    /// A number, `true` or `false`.
    Number,
    /// A time, RFC 3339.
    Time,
    /// One of these words.
    Word(&'static [&'static str]),
}

use ValueKind::{Number, Time, Word};

const MEDIA: ValueKind = Word(&["image", "video", "replay"]);

/// The fields whose values are repeated; `*` is any position of a list, or any stage. A field that is not here is free text.
static REPEATED: &[(&str, ValueKind)] = &[
    ("/startedAt", Time),
    ("/finishedAt", Time),
    ("/publishedAt", Time),
    (
        "/status/state",
        Word(&[
            "completed",
            "catastrophic",
            "timed_out",
            "harness_error",
            "limit_exceeded",
            "hung",
            "failed",
            "unevaluable",
        ]),
    ),
    ("/environment/authMode", Word(&["apiKey", "subscription"])),
    ("/metrics/*", Number),
    ("/metrics/tokens/uncachedInput", Number),
    ("/metrics/tokens/cachedInput", Number),
    ("/metrics/tokens/output", Number),
    ("/metrics/tokens/reasoning", Number),
    ("/metrics/cost/comparable", Number),
    ("/metrics/cost/actual", Number),
    ("/validation/loaded", Number),
    ("/validation/checks/*/reached", Number),
    ("/validation/checks/*/similarity", Number),
    ("/validation/referenceComparisons/*/similarity", Number),
    ("/validation/proofs/*/kind", MEDIA),
    ("/validation/proofs/*/present", Number),
    ("/validation/debugScripts/*/ran", Number),
    ("/validation/debugScripts/*/gates", Number),
    ("/validation/debugScripts/*/preconditionUnmet", Number),
    ("/validation/debugScripts/*/verdicts/*/pass", Number),
    (
        "/validation/debugScripts/*/verdicts/*/assertions/*/pass",
        Number,
    ),
    ("/validation/debugScripts/*/outputs/*/actualPresent", Number),
    ("/showcase/media/*/kind", MEDIA),
];

/// A field that differs, with its values if they may be repeated.
pub(super) fn field(pointer: &str, before: Option<&str>, after: Option<&str>) -> FieldChange {
    let pointer = known_part(pointer);
    let value = |raw: Option<&str>| {
        let raw = raw.filter(|raw| may_repeat(pointer, raw))?;
        RawValue::from_string(raw.to_owned()).ok()
    };
    FieldChange {
        pointer: pointer.to_owned(),
        before: value(before),
        after: value(after),
    }
}

/// Merges fields below a place of free text into one field.
pub(super) fn merged(mut fields: Vec<FieldChange>) -> Vec<FieldChange> {
    fields.sort_by(|a, b| a.pointer.cmp(&b.pointer));
    fields.dedup_by(|a, b| a.pointer == b.pointer);
    fields
}

fn may_repeat(pointer: &str, raw: &str) -> bool {
    let Some((_, value_kind)) = REPEATED.iter().find(|(place, _)| is_at(pointer, place)) else {
        return false;
    };
    let Some(node) = Node::parse(raw).ok().filter(|_| raw.len() <= VALUE) else {
        return false;
    };
    match (value_kind, node.kind()) {
        (Number, JsonKind::Number | JsonKind::Bool) => true,
        (Time, JsonKind::String) => node
            .as_str()
            .is_some_and(|text| time::parse_rfc3339(&text).is_some()),
        (Word(words), JsonKind::String) => node
            .as_str()
            .is_some_and(|text| words.contains(&text.as_ref())),
        _ => false,
    }
}

fn is_at(pointer: &str, place: &str) -> bool {
    let (mut parts, mut wanted) = (pointer.split('/'), place.split('/'));
    loop {
        match (parts.next(), wanted.next()) {
            (None, None) => return true,
            (Some(part), Some(want)) if want == "*" || part == want => {}
            _ => return false,
        }
    }
}

/// The fields in which two records differ, by pointer.
pub fn fields(before: &str, after: &str) -> Vec<FieldChange> {
    let (before, after) = (leaves(before), leaves(after));
    let mut pointers: Vec<&String> = before.keys().chain(after.keys()).collect();
    pointers.sort();
    pointers.dedup();
    let differing = pointers
        .into_iter()
        .map(|pointer| (pointer, before.get(pointer), after.get(pointer)))
        .filter(|(_, before, after)| !is_same(*before, *after))
        .map(|(pointer, before, after)| {
            field(
                pointer,
                before.map(|node| node.raw),
                after.map(|node| node.raw),
            )
        });
    merged(differing.collect())
}

/// The fields that differ, according to their digests. Used if the old record cannot be read.
pub fn by_digest(change: RecordChange<'_>) -> Vec<FieldChange> {
    let (added, changed, gone) = difference(change.old_digests, change.new_digests);
    let keys = [added, changed, gone].concat();
    merged(keys.iter().map(|key| field(key, None, None)).collect())
}

fn is_same(before: Option<&Node<'_>>, after: Option<&Node<'_>>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => {
            before.raw == after.raw
                || (before.kind() == JsonKind::String && before.as_str() == after.as_str())
        }
        _ => false,
    }
}

/// The leaves of a record by pointer, including empty objects and arrays.
fn leaves(record: &str) -> BTreeMap<String, Node<'_>> {
    let mut found = BTreeMap::new();
    if let Ok(root) = Node::parse(record) {
        collect(root, String::new(), 0, &mut found);
    }
    found
}

fn collect<'a>(
    node: Node<'a>,
    pointer: String,
    depth: usize,
    found: &mut BTreeMap<String, Node<'a>>,
) {
    let children: Vec<(String, Node<'a>)> = match node.kind() {
        JsonKind::Object if depth < DEPTH => node
            .members()
            .into_iter()
            .map(|member| (pointer_part(&member.key), member.value))
            .collect(),
        JsonKind::Array if depth < DEPTH => {
            let items = node.items().into_iter().enumerate();
            items.map(|(at, item)| (at.to_string(), item)).collect()
        }
        _ => Vec::new(),
    };
    if children.is_empty() {
        found.insert(pointer, node);
        return;
    }
    for (part, child) in children {
        collect(child, format!("{pointer}/{part}"), depth + 1, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(before: &str, after: &str) -> Vec<(String, String, String)> {
        let text = |value: &Option<Box<RawValue>>| {
            value.as_ref().map_or("-", |value| value.get()).to_owned()
        };
        fields(before, after)
            .iter()
            .map(|field| {
                (
                    field.pointer.clone(),
                    text(&field.before),
                    text(&field.after),
                )
            })
            .collect()
    }

    fn line(pointer: &str, before: &str, after: &str) -> (String, String, String) {
        (pointer.to_owned(), before.to_owned(), after.to_owned())
    }

    #[test]
    fn only_what_differs_is_listed_with_both_numbers() {
        let before = r#"{"metrics": {"cost": {"actual": 0.10}, "runTimeSeconds": 2}, "id": "x", "links": {}}"#;
        let after = r#"{"id": "\u0078", "metrics": {"runTimeSeconds": 3, "cost": {"actual": 0.1}}, "links": {}}"#;
        assert_eq!(
            described(before, after),
            [
                line("/metrics/cost/actual", "0.10", "0.1"),
                line("/metrics/runTimeSeconds", "2", "3"),
            ]
        );
    }

    #[test]
    fn no_text_is_repeated_and_no_key_that_the_format_does_not_name() {
        let before = r#"{"status": {"state": "failed", "detail": "s3cret"}, "s3cret": {"pin": 7},
            "metrics": {"tokens": {"output": "s3cret"}, "s3cret": 1}, "codeAnalysis": {"s3cret": 1, "b": 2},
            "validation": {"checks": [{"view": "s3cret", "similarity": 0.5}], "install": {"command": "s3cret"}},
            "startedAt": "s3cret", "environment": {"authMode": "s3cret"}}"#;
        let after = r#"{"status": {"state": "hung", "detail": null},
            "validation": {"checks": [{"view": "a", "similarity": 0.25}]}, "startedAt": "2026-07-01T10:00:00Z",
            "environment": {"authMode": "apiKey"}}"#;
        let found = described(before, after);
        assert!(!format!("{found:?}").contains("s3cret"), "{found:?}");
        assert_eq!(
            found,
            [
                line("", "-", "-"),
                line("/codeAnalysis", "-", "-"),
                line("/environment/authMode", "-", "\"apiKey\""),
                line("/metrics", "-", "-"),
                line("/metrics/tokens/output", "-", "-"),
                line("/startedAt", "-", "\"2026-07-01T10:00:00Z\""),
                line("/status/detail", "-", "-"),
                line("/status/state", "\"failed\"", "\"hung\""),
                line("/validation/checks/0/similarity", "0.5", "0.25"),
                line("/validation/checks/0/view", "-", "-"),
                line("/validation/install", "-", "-"),
            ]
        );
    }

    #[test]
    fn every_field_whose_value_is_repeated_is_one_of_the_format() {
        for (place, _) in REPEATED {
            let place = place.strip_suffix("/*").map_or_else(
                || place.replace('*', "0"),
                |metrics| format!("{metrics}/runTimeSeconds"),
            );
            assert_eq!(known_part(&place), place);
        }
    }
}
