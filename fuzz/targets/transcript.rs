//! Transcripts: private parts are never published, neither in pages and feeds nor in messages.

use runpress::api::diagnostics::Source;
use runpress::api::feeds::transcript::BlockDocument;
use runpress::api::formats::transcript::{FILE_NAME, parse};
use runpress::api::model::transcript::public;
use serde_json::Value;

use super::places;

/// Reads `bytes` as a transcript.
pub fn run(bytes: &[u8]) {
    let source = Source::file(FILE_NAME, bytes);
    let (parsed, problems) = parse(source);
    places::check(bytes, &problems);
    assert!(parsed.is_some() || places::has_errors(&problems));
    for problem in &problems {
        assert!(problem.place.excerpt.is_none(), "{problem:?}");
    }
    if let Some(marked) = super::with_byte_order_mark(bytes) {
        assert_eq!(
            places::shown(&parse(Source::file(FILE_NAME, &marked)).1),
            places::shown(&problems)
        );
    }
    let Some(parsed) = parsed else { return };
    let blocks: usize = parsed
        .messages
        .iter()
        .map(|message| message.blocks.len())
        .sum();
    let conversation = public(parsed);
    let shown: usize = conversation.turns.iter().map(|turn| turn.parts.len()).sum();
    let withheld = conversation.withheld;
    assert_eq!(shown + withheld.internal + withheld.private, blocks);
    assert!(conversation.turns.iter().all(|turn| !turn.parts.is_empty()));

    // A second check, on the values that serde_json reads. It does not read half of a surrogate pair, or very deep nesting.
    let Ok(document) = serde_json::from_slice::<Value>(source.text) else {
        return;
    };
    for part in conversation.turns.iter().flat_map(|turn| &turn.parts) {
        let value = document
            .pointer(&part.pointer)
            .unwrap_or_else(|| panic!("{part:?}"));
        let message = message_of(&document, &part.pointer);
        assert!(is_public(value, message), "{part:?}");
        let published = serde_json::to_value(BlockDocument(&part.published)).expect("JSON");
        match (&published, value) {
            (Value::Object(kept), Value::Object(written)) => {
                for (key, kept) in kept {
                    assert!(KEYS.contains(&key.as_str()), "{part:?}");
                    let written = &written[key];
                    assert!(!names_reasoning(kept), "{part:?}");
                    assert!(kept == written || !kept.is_string(), "{part:?}");
                }
            }
            (kept, written) => assert_eq!(kept, written),
        }
    }
    for asset in &conversation.assets {
        let value = document
            .pointer(&asset.pointer)
            .unwrap_or_else(|| panic!("{asset:?}"));
        assert_eq!(
            value.get("visibility").and_then(Value::as_str),
            Some("public"),
            "{asset:?}"
        );
        assert_ne!(
            value.get("kind").and_then(Value::as_str),
            Some("compaction_source_transcript")
        );
    }
}

/// The turn that contains the block at a pointer: `/messages/0/content/1` or `/messages/0/content`.
fn message_of<'v>(document: &'v Value, pointer: &str) -> &'v Value {
    let parts: Vec<&str> = pointer.split('/').take(3).collect();
    document.pointer(&parts.join("/")).expect("a turn")
}

/// Every key that a published block may have.
const KEYS: [&str; 15] = [
    "type",
    "visibility",
    "text",
    "content",
    "asset_id",
    "name",
    "title",
    "path",
    "media_type",
    "mime_type",
    "detail",
    "id",
    "arguments",
    "tool_use_id",
    "is_error",
];

fn is_public(block: &Value, message: &Value) -> bool {
    let word = |value: &Value, key: &str| {
        let word = value.get(key).and_then(Value::as_str);
        word.map(str::to_lowercase).unwrap_or_default()
    };
    let default = !word(message, "role").contains("tool") && !word(block, "type").contains("tool");
    let visibility = |value: &Value| {
        value
            .get("visibility")
            .map(|word| word.as_str() == Some("public"))
    };
    visibility(message) != Some(false)
        && visibility(block).unwrap_or(default)
        && !is_reasoning(&word(block, "type"))
        && !is_reasoning(&word(message, "role"))
}

/// Whether a key at any depth means reasoning.
fn names_reasoning(value: &Value) -> bool {
    match value {
        Value::Object(members) => members
            .iter()
            .any(|(key, value)| is_reasoning(key) || names_reasoning(value)),
        Value::Array(items) => items.iter().any(names_reasoning),
        _ => false,
    }
}

fn is_reasoning(word: &str) -> bool {
    const WORDS: [&str; 5] = [
        "reasoning",
        "thinking",
        "thought",
        "analysis",
        "providerpayload",
    ];
    let mut word = word.to_lowercase();
    word.retain(char::is_alphanumeric);
    WORDS.iter().any(|known| word.contains(known))
}
