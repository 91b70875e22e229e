//! Finds private parts in the values of a public block: reasoning, and non-public blocks, at any depth and in JSON inside
//! strings.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::json::{JsonKind, Member, Node};
use crate::model::Verbatim;
use crate::private::{is_block_key, is_reasoning, is_reasoning_object};

use super::visibility::{MAX_DEPTH, is_tool_block, stated_visibility};
use super::{PublicValue, quoted};

/// Data without its reasoning. A visibility inside it belongs to the data (a repository may be `private`), not to the block.
/// `None` if nothing of it is published.
pub(super) fn data(node: Node<'_>, depth: usize) -> Option<PublicValue<'_>> {
    match node.kind() {
        JsonKind::Array | JsonKind::Object if depth > MAX_DEPTH => None,
        JsonKind::Array => {
            let items = node.items().into_iter();
            Some(PublicValue::List(
                items.filter_map(|item| data(item, depth + 1)).collect(),
            ))
        }
        JsonKind::Object => {
            let members = node.members();
            if is_reasoning_object(&members) {
                return None;
            }
            let kept = last_of_each(&members)
                .filter(|(key, _)| !is_reasoning(key))
                .filter_map(|(key, node)| Some((key, data(node, depth + 1)?)));
            Some(PublicValue::Object(kept.collect()))
        }
        JsonKind::String if text_has_reasoning(&node.as_str()?, depth) => None,
        _ => Some(PublicValue::Value(Verbatim(node.raw))),
    }
}

/// Whether data matches, in the members of an object or in a text. Data that is too deep to check matches, too.
fn any_in(
    node: Node<'_>,
    depth: usize,
    object: fn(&[Member<'_>]) -> bool,
    text: fn(&str, usize) -> bool,
) -> bool {
    let within = |node: Node<'_>| any_in(node, depth + 1, object, text);
    match node.kind() {
        JsonKind::Array | JsonKind::Object if depth > MAX_DEPTH => true,
        JsonKind::Array => node.items().into_iter().any(within),
        JsonKind::Object => {
            let members = node.members();
            object(&members) || members.iter().any(|member| within(member.value))
        }
        JsonKind::String => node.as_str().is_none_or(|found| text(&found, depth)),
        _ => false,
    }
}

/// Whether data has parts that [`data`] removes.
fn has_reasoning(node: Node<'_>, depth: usize) -> bool {
    let object = |members: &[Member<'_>]| {
        is_reasoning_object(members) || members.iter().any(|member| is_reasoning(&member.key))
    };
    any_in(node, depth, object, text_has_reasoning)
}

/// Whether a text is JSON with reasoning. Its pieces also cover truncated JSON, and several documents.
fn text_has_reasoning(text: &str, depth: usize) -> bool {
    quoted::json(text).is_some_and(|json| {
        quoted::has_reasoning(json)
            || Node::parse(json).is_ok_and(|inner| has_reasoning(inner, depth + 1))
    })
}

/// Whether a text is JSON with reasoning or a non-public block.
pub(super) fn text_has_hidden_block(text: &str, depth: usize) -> bool {
    quoted::json(text).is_some_and(|json| {
        quoted::has_hidden_block(json)
            || Node::parse(json).is_ok_and(|inner| contains_hidden_item(inner, depth + 1))
    }) || text_has_reasoning(text, depth)
}

/// Whether a direct item of a list of blocks is not public, whatever its keys.
pub(super) fn is_hidden_item(node: Node<'_>) -> bool {
    let members = node.members();
    match stated_visibility(&members) {
        Some(visibility) => visibility.is_err(),
        None => is_tool_block(&members),
    }
}

/// Whether a block or a list of blocks contains a non-public one.
pub(super) fn contains_hidden_item(node: Node<'_>, depth: usize) -> bool {
    let mut items = node.items().into_iter();
    items.any(|item| matches!(stated_visibility(&item.members()), Some(Err(_))))
        || contains_hidden_block(node, depth)
}

/// Whether data contains something that looks like a non-public block.
pub(super) fn contains_hidden_block(node: Node<'_>, depth: usize) -> bool {
    let object = |members: &[Member<'_>]| {
        members.iter().any(|member| is_block_key(&member.key))
            && matches!(stated_visibility(members), Some(Err(_)))
    };
    any_in(node, depth, object, text_has_hidden_block)
}

/// Each key once, with its last value, in the order of the document.
pub(super) fn last_of_each<'a>(
    members: &[Member<'a>],
) -> impl Iterator<Item = (Cow<'a, str>, Node<'a>)> {
    let mut seen = BTreeSet::new();
    let mut last: Vec<_> = members
        .iter()
        .rev()
        .filter(|member| seen.insert(&member.key))
        .map(|member| (member.key.clone(), member.value))
        .collect();
    last.reverse();
    last.into_iter()
}
