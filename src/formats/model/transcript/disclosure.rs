//! Decides which blocks of a transcript are published, and which of their keys.
//!
//! These are allowlists: everything else is withheld, whatever its name.

use std::borrow::Cow;

use crate::json::{JsonKind, Member, Node, last};
use crate::model::Verbatim;
use crate::private::{
    any_word, is_reasoning, is_spelled, is_summary_kind, is_tool_word, names_type_or_role,
};
use crate::transcript::{TranscriptEvent, TranscriptMessage};

use super::nested::{
    contains_hidden_block, contains_hidden_item, data, is_hidden_item, last_of_each,
    text_has_hidden_block,
};
use super::visibility::{
    MAX_DEPTH, PrivacyReason, contains_result, is_marked_result, is_tool_block, stated_visibility,
};
use super::{PartContent, PublicValue};

/// Maximum length of an unrecognized type's name.
const MAX_TYPE_BYTES: usize = 64;

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
pub(super) fn event(event: &TranscriptEvent<'_>) -> Result<(), PrivacyReason> {
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
        blocks.iter().any(|key| is_spelled(&member.key, key))
            && contains_hidden_item(member.value, 0)
    });
    let repeats = any_word(&members, names_type_or_role, |kind| {
        is_summary_kind(kind) || is_spelled(kind, "message") || is_spelled(kind, "toolresult")
    });
    if repeats || has_hidden_blocks || text_has_hidden_block(&event.text, 0) {
        return Err(PrivacyReason::Private);
    }
    Ok(())
}

/// Settings of a turn that apply to all its blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnSettings {
    /// Why the whole turn is withheld, if so.
    hidden: Option<PrivacyReason>,
    /// Why a block without a visibility of its own is withheld, whatever it is.
    default: Option<PrivacyReason>,
    /// Whether it is a user's and contains the result of a tool: what is next to the result is internal, too.
    has_result: bool,
}

impl TurnSettings {
    /// Reads the settings of a message.
    pub(super) fn new(message: &TranscriptMessage<'_>) -> Self {
        let role = &message.role;
        let members = message.node.members();
        let visibility = stated_visibility(&members);
        let is_of_tool = is_tool_word(role) || is_tool_block(&members);
        let is_marked_result = is_marked_result(&members);
        let has_odd_role = members.iter().any(|member| {
            is_spelled(&member.key, "role") && member.value.kind() != JsonKind::String
        });
        Self {
            hidden: if is_reasoning(role) {
                Some(PrivacyReason::Private)
            } else {
                visibility.and_then(Result::err)
            },
            default: if is_marked_result {
                Some(PrivacyReason::ToolResult)
            } else if has_odd_role || is_of_tool {
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
                    .any(|block| contains_result(block.node, 0)),
        }
    }
}

/// A published block.
#[derive(Debug)]
pub(super) struct PublicBlock<'a> {
    pub(super) published: PublicValue<'a>,
    /// The content for the page.
    pub(super) content: PartContent,
    /// Whether its type, and so its keys, are recognized.
    pub(super) recognized: bool,
}

/// Decides on a block.
pub(super) fn block(node: Node<'_>, turn: TurnSettings) -> Result<PublicBlock<'_>, PrivacyReason> {
    let public = nested_block(node, turn, 0)?;
    if turn.has_result && stated_visibility(&node.members()).is_none() {
        return Err(PrivacyReason::NextToResult);
    }
    Ok(public)
}

fn nested_block(
    node: Node<'_>,
    turn: TurnSettings,
    depth: usize,
) -> Result<PublicBlock<'_>, PrivacyReason> {
    let members = node.members();
    let kind = kind(node, &members).ok_or(PrivacyReason::Private)?;
    let visibility = match turn.hidden {
        Some(hidden) => Err(hidden),
        None => stated_visibility(&members).unwrap_or(match turn.default {
            Some(hidden) => Err(hidden),
            None if is_tool_block(&members) => Err(PrivacyReason::Internal),
            None if is_marked_result(&members) => Err(PrivacyReason::ToolResult),
            None => Ok(()),
        }),
    };
    // The type of a block takes precedence over its visibility.
    if is_reasoning(&kind) {
        return Err(PrivacyReason::Private);
    }
    visibility?;
    if node.kind() == JsonKind::Null {
        return Ok(PublicBlock {
            published: PublicValue::Value(Verbatim(node.raw)),
            content: PartContent::Label("<null>".to_owned()),
            recognized: false,
        });
    }
    if node.kind() != JsonKind::Object {
        let text = scalar(node).ok_or(PrivacyReason::Private)?;
        if text_has_hidden_block(&text, depth) {
            return Err(PrivacyReason::Private);
        }
        return Ok(PublicBlock {
            published: PublicValue::Value(Verbatim(node.raw)),
            content: PartContent::Text(text),
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
                .filter(|text| text.kind() != JsonKind::Null)
                .map_or(Some(String::new()), scalar);
            (
                allowed,
                PartContent::Text(text.ok_or(PrivacyReason::Private)?),
            )
        }
        kind @ ("image" | "input_image" | "file" | "document" | "attachment") => {
            let short = if kind == "input_image" { "image" } else { kind };
            let label = named(&["name", "title", "path", "asset_id"], short);
            let content = match text("asset_id") {
                Some(id) => PartContent::Asset {
                    id: id.into_owned(),
                    label,
                },
                None => PartContent::Label(format!("<{short}:{label}>")),
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
            (allowed, PartContent::Label(label))
        }
        other if other.len() <= MAX_TYPE_BYTES => {
            recognized = false;
            (OTHER, PartContent::Label(format!("<{other}>")))
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
                Some(text) if text_has_hidden_block(&text, depth) => {
                    return Err(PrivacyReason::Private);
                }
                text => text.map(|_| PublicValue::Value(Verbatim(node.raw))),
            },
        };
        kept.extend(value.map(|value| (key, value)));
    }
    Ok(PublicValue::Object(kept))
}

/// A tool result: a text, data, or blocks. A non-public block in it withholds the whole result.
fn result(node: Node<'_>, depth: usize) -> Result<PublicValue<'_>, PrivacyReason> {
    let of_the_result = TurnSettings {
        hidden: None,
        default: None,
        has_result: false,
    };
    let item = |node: Node<'_>| {
        node.get("type")
            .is_some_and(|kind| kind.kind() == JsonKind::String)
    };
    match node.kind() {
        JsonKind::Array if depth <= MAX_DEPTH => node
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
        JsonKind::Object if depth <= MAX_DEPTH && item(node) => {
            nested_block(node, of_the_result, depth)
                .map(|public| public.published)
                .map_err(|_| PrivacyReason::Private)
        }
        _ if contains_hidden_block(node, depth) => Err(PrivacyReason::Private),
        _ => data(node, depth).ok_or(PrivacyReason::Private),
    }
}

/// The type of a block, by default `text`. `None` if it is not a string.
fn kind<'a>(node: Node<'a>, members: &[Member<'a>]) -> Option<Cow<'a, str>> {
    match last(members, "type").filter(|_| node.kind() == JsonKind::Object) {
        Some(kind) => kind.as_str(),
        None => Some(Cow::Borrowed("text")),
    }
}

/// Whether a block of a file contains it as base64, and names no asset.
pub(super) fn is_inline(node: Node<'_>) -> bool {
    let is_file = node.get_str("type").is_some_and(|kind| {
        matches!(
            kind.as_ref(),
            "image" | "input_image" | "file" | "document" | "attachment"
        )
    });
    let is_address = |key: &str| {
        node.get_str(key).is_some_and(|url| {
            let scheme = url.get(..5);
            scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
        })
    };
    let data = ["base64", "data", "file_data"];
    let source = node.get("source").and_then(|source| source.get_str("data"));
    is_file
        && node.get_str("asset_id").is_none()
        && (data.iter().any(|key| node.get_str(key).is_some())
            || source.is_some()
            || is_address("url")
            || is_address("image_url"))
}

/// The text of a block, if it has one.
pub(super) fn text(node: Node<'_>) -> Option<Cow<'_, str>> {
    if node.kind() == JsonKind::String {
        return node.as_str();
    }
    ["text", "content"].iter().find_map(|key| node.get_str(key))
}

/// The text of a scalar value.
fn scalar(node: Node<'_>) -> Option<String> {
    match node.kind() {
        JsonKind::Array | JsonKind::Object => None,
        JsonKind::String => node.as_str().map(Cow::into_owned),
        _ => Some(node.raw.to_owned()),
    }
}
