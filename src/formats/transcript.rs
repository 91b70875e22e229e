//! Harn's transcript, version 2 (formats.md E): `transcript.json`, with shorthand forms resolved.
//!
//! Harn's import checks nothing, so few problems are errors here. Messages of this format quote no values, because a transcript
//! may be private.

use std::borrow::Cow;

use base::diagnostics::{Diagnostic, Source, codes};

use super::json::{JsonKind, Node};
use super::reader::{DocumentReader, JsonObject, Presence, ShapeCodes, document};

/// The file name in a run directory.
pub const FILE_NAME: &str = "transcript.json";
/// The supported version.
const VERSION: &str = "2";

static SHAPE: ShapeCodes = ShapeCodes {
    missing: &codes::TRANSCRIPT_WRONG_TYPE,
    wrong_type: &codes::TRANSCRIPT_WRONG_TYPE,
    duplicate_key: &codes::TRANSCRIPT_DUPLICATE_KEY,
};

/// A transcript as written, with defaults filled in.
#[derive(Debug, Default)]
pub struct Transcript<'a> {
    pub id: Option<Cow<'a, str>>,
    /// Defaults to `active` (formats.md, contradiction 27).
    pub state: Option<Cow<'a, str>>,
    /// The turns in reading order.
    pub messages: Vec<TranscriptMessage<'a>>,
    /// Audit facts, which are not turns, in file order, which is not chronological (contradiction 28).
    pub events: Vec<TranscriptEvent<'a>>,
    /// Events that Harn derives from turns (`message`, `tool_result`), in file order. The turns say the same, or should.
    pub derived: Vec<(TranscriptEvent<'a>, String)>,
    /// The assets in order.
    pub assets: Vec<TranscriptAsset<'a>>,
    /// Whether it has a summary of compacted turns.
    pub has_summary: bool,
}

#[derive(Debug)]
pub struct TranscriptMessage<'a> {
    /// Defaults to `user`.
    pub role: Cow<'a, str>,
    /// Its content.
    pub blocks: Vec<TranscriptBlock<'a>>,
    /// The message as written.
    pub node: Node<'a>,
}

/// A part of a turn.
#[derive(Debug)]
pub struct TranscriptBlock<'a> {
    /// The block as written: an object, or a string as shorthand for a text block.
    pub node: Node<'a>,
    /// JSON pointer to it.
    pub pointer: String,
}

/// An audit fact, or a copy of a turn.
#[derive(Debug)]
pub struct TranscriptEvent<'a> {
    /// `plan`, `compaction`, ...; the set is open.
    pub kind: Cow<'a, str>,
    /// Empty if missing.
    pub role: Cow<'a, str>,
    /// Text as rendered by Harn.
    pub text: Cow<'a, str>,
    /// The event as written.
    pub node: Node<'a>,
}

/// A descriptor of a large object.
#[derive(Debug)]
pub struct TranscriptAsset<'a> {
    /// Its id; empty for a bare path.
    pub id: Cow<'a, str>,
    /// Defaults to `blob`.
    pub kind: Cow<'a, str>,
    /// Its name or title.
    pub name: Option<Cow<'a, str>>,
    /// Path of its bytes, relative to the run directory.
    pub path: Option<Cow<'a, str>>,
    /// The asset as written.
    pub node: Node<'a>,
    /// JSON pointer to it.
    pub pointer: String,
}

/// Reads a transcript. `None` comes with an error that explains why it could not be read.
#[must_use]
pub fn parse(source: Source<'_>) -> (Option<Transcript<'_>>, Vec<Diagnostic>) {
    let (transcript, mut problems) = read(source);
    // No line of it is shown, not even in a terminal.
    for problem in &mut problems {
        problem.place.excerpt = None;
    }
    (transcript, problems)
}

fn read(source: Source<'_>) -> (Option<Transcript<'_>>, Vec<Diagnostic>) {
    let code = &codes::TRANSCRIPT_SYNTAX;
    let root = match document(source, code, "transcript", "Export it again.") {
        Ok(root) => root,
        Err(problem) => return (None, vec![*problem]),
    };
    let mut r = DocumentReader::allowing_lone_surrogates(source, &SHAPE);
    r.check_portable(root, &codes::TRANSCRIPT_UNPORTABLE_VALUE);
    let Some(top) = r.object(root, "") else {
        return (None, r.finish());
    };
    if top.get("_type").and_then(|tag| tag.as_str()).as_deref() != Some("transcript") {
        let place = r.place(root.start(), "/_type");
        let problem = codes::TRANSCRIPT_WRONG_DOCUMENT.at(
            place,
            "This is not a Harn transcript: its `_type` is not `transcript`",
            "Export the transcript from Harn, or give this file another name.",
        );
        return (None, vec![problem]);
    }
    if let Some(version) = top.get("version").filter(|version| version.raw != VERSION) {
        let place = r.place(version, "/version");
        r.diagnostics.push(codes::TRANSCRIPT_OTHER_VERSION.at(
            place,
            format!("The transcript does not have version {VERSION}, the only supported one"),
            "Check the conversation on the run page; keys of other versions are not shown.",
        ));
    }
    let events = r.items(&top, "events", Presence::Optional).into_iter();
    let events = events.map(|(node, pointer)| (event(node), pointer));
    let (derived, events): (Vec<_>, Vec<_>) =
        events.partition(|(event, _)| matches!(event.kind.as_ref(), "message" | "tool_result"));
    let transcript = Transcript {
        id: r.string(&top, "id", Presence::Optional),
        state: r.string(&top, "state", Presence::Optional),
        messages: r
            .items(&top, "messages", Presence::Optional)
            .into_iter()
            .map(|(node, p)| message(node, &p))
            .collect(),
        events: events.into_iter().map(|(event, _)| event).collect(),
        derived,
        assets: r
            .items(&top, "assets", Presence::Optional)
            .into_iter()
            .map(|(node, p)| asset(node, p))
            .collect(),
        has_summary: summary(&top),
    };
    let broken = r.diagnostics.has_errors();
    ((!broken).then_some(transcript), r.finish())
}

fn event(node: Node<'_>) -> TranscriptEvent<'_> {
    TranscriptEvent {
        kind: node.get_str("kind").unwrap_or_default(),
        role: node.get_str("role").unwrap_or_default(),
        text: node.get_str("text").unwrap_or_default(),
        node,
    }
}

fn summary(top: &JsonObject<'_>) -> bool {
    top.get("summary")
        .and_then(|summary| summary.as_str())
        .is_some_and(|summary| !summary.is_empty())
}

fn message<'a>(node: Node<'a>, pointer: &str) -> TranscriptMessage<'a> {
    let blocks = match node.get("content") {
        Some(content) if content.kind() == JsonKind::Array => {
            let items = content.items().into_iter().enumerate();
            items
                .map(|(index, node)| TranscriptBlock {
                    node,
                    pointer: format!("{pointer}/content/{index}"),
                })
                .collect()
        }
        Some(node) if node.kind() != JsonKind::Null => vec![TranscriptBlock {
            node,
            pointer: format!("{pointer}/content"),
        }],
        _ => Vec::new(),
    };
    TranscriptMessage {
        role: node.get_str("role").unwrap_or(Cow::Borrowed("user")),
        blocks,
        node,
    }
}

fn asset(node: Node<'_>, pointer: String) -> TranscriptAsset<'_> {
    let is_path = node.kind() == JsonKind::String;
    let path = if is_path {
        node.as_str()
    } else {
        node.get("storage")
            .and_then(|storage| storage.get_str("path"))
    };
    TranscriptAsset {
        id: node.get_str("id").unwrap_or_default(),
        kind: node.get_str("kind").unwrap_or(Cow::Borrowed("blob")),
        name: node.get_str("name").or_else(|| node.get_str("title")),
        path,
        node,
        pointer,
    }
}
