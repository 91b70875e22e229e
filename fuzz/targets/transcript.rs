//! Transcripts: what is not public never comes out, not in what is shown and not in what is said about it.

use runpress::diagnostics::Source;
use runpress::formats::transcript::{FILE_NAME, parse};
use runpress::model::transcript::{Content, public};
use serde_json::Value;

use super::places;

/// Reads `bytes` as a transcript.
pub fn run(bytes: &[u8]) {
    let source = Source::file(FILE_NAME, bytes);
    let (parsed, problems) = parse(source);
    places::check(bytes, &problems);
    assert!(parsed.is_some() || places::broken(&problems));
    for problem in &problems {
        assert!(problem.place.excerpt.is_none(), "{problem:?}");
    }
    if let Some(marked) = super::marked(bytes) {
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

    // Judged again, on the values that serde_json reads. It reads less: half of a surrogate pair, very deep nesting.
    let Ok(document) = serde_json::from_slice::<Value>(source.text) else {
        return;
    };
    for part in conversation.turns.iter().flat_map(|turn| &turn.parts) {
        let value = document
            .pointer(&part.pointer)
            .unwrap_or_else(|| panic!("{part:?}"));
        let message = message_of(&document, &part.pointer);
        assert!(is_public(value, message), "{part:?}");
        assert_eq!(
            serde_json::from_str::<Value>(part.verbatim.0).ok().as_ref(),
            Some(value)
        );
        assert!(
            !matches!(&part.content, Content::Text(text) if text.len() > part.verbatim.0.len())
        );
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

/// The turn that holds the block at a pointer: `/messages/0/content/1` or `/messages/0/content`.
fn message_of<'v>(document: &'v Value, pointer: &str) -> &'v Value {
    let parts: Vec<&str> = pointer.split('/').take(3).collect();
    document.pointer(&parts.join("/")).expect("a turn")
}

fn is_public(block: &Value, message: &Value) -> bool {
    let role = message
        .get("role")
        .and_then(Value::as_str)
        .unwrap_or("user");
    let said = |value: &Value| {
        value
            .get("visibility")
            .map(|word| word.as_str() == Some("public"))
    };
    let default = role != "tool_result";
    said(message) != Some(false) && said(block).unwrap_or(default) && !hides(block)
}

/// Whether a value or anything in it is reasoning, or says that it is not public.
fn hides(value: &Value) -> bool {
    const WORDS: [&str; 4] = [
        "reasoning",
        "thinking",
        "provider_payload",
        "provider-payload",
    ];
    match value {
        Value::Object(members) => members.iter().any(|(key, value)| {
            let text = value.as_str();
            let hidden = match key.as_str() {
                "visibility" => text != Some("public"),
                "type" | "kind" => text.is_none_or(|text| {
                    let text = text.to_ascii_lowercase();
                    WORDS.iter().any(|word| text.contains(word))
                }),
                _ => false,
            };
            hidden || hides(value)
        }),
        Value::Array(items) => items.iter().any(hides),
        _ => false,
    }
}
