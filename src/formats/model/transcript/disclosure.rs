//! Decides which blocks of a transcript are published, and which of their keys.
//!
//! These are allowlists: everything else is withheld, whatever its name.

use std::borrow::Cow;

use crate::json::{Kind, Member, Node, last};
use crate::model::Verbatim;
use crate::private::{
    any_word, is_of_a_tool, is_reasoning, is_restating, is_spelled, says_what_it_is,
};
use crate::transcript::{Event, Message};

use super::nested::{
    data, holds_hidden_block, holds_hidden_item, is_hidden_item, last_of_each, text_hides_block,
};
use super::visibility::{
    DEPTH, PrivacyReason, holds_result, is_a_tools, is_marked_result, stated_visibility,
};
use super::{Content, PublicValue};

/// Maximum length of an unrecognized type's name.
const TYPE_LENGTH: usize = 64;

const TEXT: &[&str] = &["type", "visibility", "text"];
const TEXT_AS_CONTENT: &[&str] = &["type", "visibility", "content"];
const ASSET: &[&str] = &[
    "type",
    "visibility",
    "asset_id",
    "name",
    "title",
    "path",
    "media_type",
    "mime_type",
    "detail",
];
const TOOL_CALL: &[&str] = &["type", "visibility", "id", "name", "arguments"];
const TOOL_RESULT: &[&str] = &[
    "type",
    "visibility",
    "name",
    "tool_use_id",
    "is_error",
    "content",
];
const OTHER: &[&str] = &["type", "visibility"];

/// Decides on an event that is not a turn. Its text is the text of its blocks.
pub(super) fn event(event: &Event<'_>) -> Result<(), PrivacyReason> {
    let members = event.node.members();
    // Harn writes a visibility for every event.
    let visibility = stated_visibility(&members).unwrap_or(Err(PrivacyReason::Private));
    visibility?;
    if is_marked_result(&members) {
        return Err(PrivacyReason::ToolResult);
    }
    // Its text covers all its blocks, whichever of two keys a reader uses.
    let has_hidden_blocks = members.iter().any(|member| {
        let blocks = ["blocks", "content"];
        blocks.iter().any(|key| is_spelled(&member.key, key)) && holds_hidden_item(member.value, 0)
    });
    let repeats = any_word(&members, says_what_it_is, |kind| {
        is_restating(kind) || is_spelled(kind, "message") || is_spelled(kind, "toolresult")
    });
    if repeats || has_hidden_blocks || text_hides_block(&event.text, 0) {
        return Err(PrivacyReason::Private);
    }
    Ok(())
}

/// Settings of a turn that apply to all its blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    /// Why the whole turn is withheld, if so.
    hidden: Option<PrivacyReason>,
    /// Why a block without a visibility of its own is withheld, whatever it is.
    default: Option<PrivacyReason>,
    /// Whether it is a user's and contains the result of a tool: what is next to the result is internal, too.
    has_result: bool,
}

impl Turn {
    /// Reads the settings of a message.
    pub(super) fn new(message: &Message<'_>) -> Self {
        let role = &message.role;
        let members = message.node.members();
        let visibility = stated_visibility(&members);
        let is_of_a_tool = is_of_a_tool(role) || is_a_tools(&members);
        let is_marked_result = is_marked_result(&members);
        let has_odd_role = members
            .iter()
            .any(|member| is_spelled(&member.key, "role") && member.value.kind() != Kind::String);
        Self {
            hidden: if is_reasoning(role) {
                Some(PrivacyReason::Private)
            } else {
                visibility.and_then(Result::err)
            },
            default: if is_marked_result {
                Some(PrivacyReason::ToolResult)
            } else if has_odd_role || is_of_a_tool {
                Some(PrivacyReason::Internal)
            } else {
                None
            },
            has_result: !["assistant", "system", "developer"]
                .iter()
                .any(|other| is_spelled(role, other))
                && message
                    .blocks
                    .iter()
                    .any(|block| holds_result(block.node, 0)),
        }
    }
}

/// A published block.
#[derive(Debug)]
pub(super) struct PublicBlock<'a> {
    /// The published data.
    pub(super) published: PublicValue<'a>,
    /// The content for the page.
    pub(super) content: Content,
    /// Whether its type, and so its keys, are recognized.
    pub(super) recognized: bool,
}

/// Decides on a block.
pub(super) fn block(node: Node<'_>, turn: Turn) -> Result<PublicBlock<'_>, PrivacyReason> {
    let public = nested_block(node, turn, 0)?;
    if turn.has_result && stated_visibility(&node.members()).is_none() {
        return Err(PrivacyReason::NextToResult);
    }
    Ok(public)
}

fn nested_block(
    node: Node<'_>,
    turn: Turn,
    depth: usize,
) -> Result<PublicBlock<'_>, PrivacyReason> {
    let members = node.members();
    let kind = kind(node, &members).ok_or(PrivacyReason::Private)?;
    let visibility = match turn.hidden {
        Some(hidden) => Err(hidden),
        None => stated_visibility(&members).unwrap_or(match turn.default {
            Some(hidden) => Err(hidden),
            None if is_a_tools(&members) => Err(PrivacyReason::Internal),
            None if is_marked_result(&members) => Err(PrivacyReason::ToolResult),
            None => Ok(()),
        }),
    };
    // The type of a block takes precedence over its visibility.
    if is_reasoning(&kind) {
        return Err(PrivacyReason::Private);
    }
    visibility?;
    if node.kind() == Kind::Null {
        return Ok(PublicBlock {
            published: PublicValue::Value(Verbatim(node.raw)),
            content: Content::Label("<null>".to_owned()),
            recognized: false,
        });
    }
    if node.kind() != Kind::Object {
        let text = scalar(node).ok_or(PrivacyReason::Private)?;
        if text_hides_block(&text, depth) {
            return Err(PrivacyReason::Private);
        }
        return Ok(PublicBlock {
            published: PublicValue::Value(Verbatim(node.raw)),
            content: Content::Text(text),
            recognized: true,
        });
    }
    let text = |key: &str| last(&members, key)?.as_str();
    let named = |keys: &[&str], or: &str| {
        let named = keys.iter().find_map(|key| text(key));
        named.unwrap_or(Cow::Borrowed(or)).into_owned()
    };
    let mut recognized = true;
    let (allowed, content) = match kind.as_ref() {
        "text" | "output_text" => {
            let (allowed, text) = match (last(&members, "text"), last(&members, "content")) {
                (Some(text), _) => (TEXT, Some(text)),
                (None, text) => (TEXT_AS_CONTENT, text),
            };
            let text = text
                .filter(|text| text.kind() != Kind::Null)
                .map_or(Some(String::new()), scalar);
            (allowed, Content::Text(text.ok_or(PrivacyReason::Private)?))
        }
        kind @ ("image" | "input_image" | "file" | "document" | "attachment") => {
            let short = if kind == "input_image" { "image" } else { kind };
            let label = named(&["name", "title", "path", "asset_id"], short);
            let content = match text("asset_id") {
                Some(id) => Content::Asset {
                    id: id.into_owned(),
                    label,
                },
                None => Content::Label(format!("<{short}:{label}>")),
            };
            (ASSET, content)
        }
        kind @ ("tool_call" | "tool_result") => {
            let label = format!("<{kind}:{}>", named(&["name"], "tool"));
            let allowed = if kind == "tool_call" {
                TOOL_CALL
            } else {
                TOOL_RESULT
            };
            (allowed, Content::Label(label))
        }
        other if other.len() <= TYPE_LENGTH => {
            recognized = false;
            (OTHER, Content::Label(format!("<{other}>")))
        }
        _ => return Err(PrivacyReason::Private),
    };
    Ok(PublicBlock {
        published: keep(&members, allowed, depth)?,
        content,
        recognized,
    })
}

/// The published members of a block: the last of each allowed key, in the order of the document.
fn keep<'a>(
    members: &[Member<'a>],
    allowed: &[&str],
    depth: usize,
) -> Result<PublicValue<'a>, PrivacyReason> {
    let mut kept = Vec::new();
    for (key, node) in last_of_each(members) {
        let value = match key.as_ref() {
            name if !allowed.contains(&name) => None,
            // Providers write them as JSON, or as JSON in a string.
            "arguments" => data(node, depth + 1),
            "content" if allowed == TOOL_RESULT => Some(result(node, depth + 1)?),
            _ => match scalar(node) {
                Some(text) if text_hides_block(&text, depth) => return Err(PrivacyReason::Private),
                text => text.map(|_| PublicValue::Value(Verbatim(node.raw))),
            },
        };
        kept.extend(value.map(|value| (key, value)));
    }
    Ok(PublicValue::Object(kept))
}

/// A tool result: a text, data, or blocks. A non-public block in it withholds the whole result.
fn result(node: Node<'_>, depth: usize) -> Result<PublicValue<'_>, PrivacyReason> {
    let of_the_result = Turn {
        hidden: None,
        default: None,
        has_result: false,
    };
    let item = |node: Node<'_>| {
        node.get("type")
            .is_some_and(|kind| kind.kind() == Kind::String)
    };
    match node.kind() {
        Kind::Array if depth <= DEPTH => node
            .items()
            .into_iter()
            .map(|node| {
                if is_hidden_item(node) {
                    return Err(PrivacyReason::Private);
                }
                result(node, depth + 1)
            })
            .collect::<Result<_, _>>()
            .map(PublicValue::List),
        Kind::Object if depth <= DEPTH && item(node) => nested_block(node, of_the_result, depth)
            .map(|public| public.published)
            .map_err(|_| PrivacyReason::Private),
        _ if holds_hidden_block(node, depth) => Err(PrivacyReason::Private),
        _ => data(node, depth).ok_or(PrivacyReason::Private),
    }
}

/// The type of a block, by default `text`. `None` if it is not a string.
fn kind<'a>(node: Node<'a>, members: &[Member<'a>]) -> Option<Cow<'a, str>> {
    match last(members, "type").filter(|_| node.kind() == Kind::Object) {
        Some(kind) => kind.as_str(),
        None => Some(Cow::Borrowed("text")),
    }
}

/// Whether a block of a file contains it as base64, and names no asset.
pub(super) fn is_inline(node: Node<'_>) -> bool {
    let is_file = member(node, "type").is_some_and(|kind| {
        matches!(
            kind.as_ref(),
            "image" | "input_image" | "file" | "document" | "attachment"
        )
    });
    let is_address = |key: &str| {
        member(node, key).is_some_and(|url| {
            let scheme = url.get(..5);
            scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
        })
    };
    let data = ["base64", "data", "file_data"];
    let source = node.get("source").and_then(|source| member(source, "data"));
    is_file
        && member(node, "asset_id").is_none()
        && (data.iter().any(|key| member(node, key).is_some())
            || source.is_some()
            || is_address("url")
            || is_address("image_url"))
}

/// The string under a key of an object.
fn member<'a>(node: Node<'a>, key: &str) -> Option<Cow<'a, str>> {
    node.get(key)?.as_str()
}

/// The text of a block, if it has one.
pub(super) fn text(node: Node<'_>) -> Option<Cow<'_, str>> {
    if node.kind() == Kind::String {
        return node.as_str();
    }
    ["text", "content"]
        .iter()
        .find_map(|key| node.get(key)?.as_str())
}

/// The text of a scalar value.
fn scalar(node: Node<'_>) -> Option<String> {
    match node.kind() {
        Kind::Array | Kind::Object => None,
        Kind::String => node.as_str().map(Cow::into_owned),
        _ => Some(node.raw.to_owned()),
    }
}
