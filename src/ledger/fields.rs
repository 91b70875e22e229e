//! Knows which fields of two records differ.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::formats::json::{Kind, Node, pointer_part};

use super::compare::difference;
use super::{Field, Known};

/// A longer value is not repeated in the ledger, in bytes.
const VALUE: usize = 200;
/// Deeper than any record; what is below is one value.
const DEPTH: usize = 64;

/// The fields in which two records differ, by pointer.
#[must_use]
pub fn fields(before: &str, after: &str) -> Vec<Field> {
    let (before, after) = (leaves(before), leaves(after));
    let mut pointers: Vec<&String> = before.keys().chain(after.keys()).collect();
    pointers.sort();
    pointers.dedup();
    let value = |node: Option<&Node<'_>>| {
        let raw = node?.raw;
        let short = (raw.len() <= VALUE).then(|| raw.to_owned())?;
        RawValue::from_string(short).ok()
    };
    pointers
        .into_iter()
        .map(|pointer| (pointer, before.get(pointer), after.get(pointer)))
        .filter(|(_, before, after)| !is_same(*before, *after))
        .map(|(pointer, before, after)| Field {
            pointer: pointer.clone(),
            before: value(before),
            after: value(after),
        })
        .collect()
}

/// The fields that differ by their digests alone, where the record from before is not at hand.
#[must_use]
pub fn by_digest(before: &Known, after: &Known) -> Vec<Field> {
    let (added, changed, gone) = difference(&before.record, &after.record);
    let mut keys = [added, changed, gone].concat();
    keys.sort();
    keys.into_iter()
        .map(|key| Field {
            pointer: key,
            before: None,
            after: None,
        })
        .collect()
}

fn is_same(before: Option<&Node<'_>>, after: Option<&Node<'_>>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => {
            before.raw == after.raw
                || (before.kind() == Kind::String && before.as_str() == after.as_str())
        }
        _ => false,
    }
}

/// The values of a record that hold no others, by pointer. An empty object or array is a value, too.
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
        Kind::Object if depth < DEPTH => node
            .members()
            .into_iter()
            .map(|member| (pointer_part(&member.key), member.value))
            .collect(),
        Kind::Array if depth < DEPTH => {
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

    #[test]
    fn only_what_differs_is_listed_with_both_values() {
        let before = r#"{"a": {"b": 0.10, "c": [1, 2]}, "d": "x", "e": {}}"#;
        let after = r#"{"d": "\u0078", "a": {"c": [1, 3, 4], "b": 0.1}, "e": {}}"#;
        let told: Vec<_> = fields(before, after)
            .iter()
            .map(|field| {
                let text = |value: &Option<Box<RawValue>>| {
                    value.as_ref().map_or("-", |value| value.get()).to_owned()
                };
                (
                    field.pointer.clone(),
                    text(&field.before),
                    text(&field.after),
                )
            })
            .collect();
        let line = |pointer: &str, before: &str, after: &str| {
            (pointer.to_owned(), before.to_owned(), after.to_owned())
        };
        assert_eq!(
            told,
            [
                line("/a/b", "0.10", "0.1"),
                line("/a/c/1", "2", "3"),
                line("/a/c/2", "-", "4"),
            ]
        );
    }
}
