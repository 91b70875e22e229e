//! Checks a transcript for events that contradict its turns (formats.md E). Messages quote nothing, because both may be private.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base::diagnostics::{Collector, Diagnostic, Place, codes};
use formats::json::{JsonKind, Node};
use formats::private::is_reasoning;
use formats::transcript::{Transcript, TranscriptMessage};

/// Reports events that repeat no turn. Such an event is not published, and a reader of the file sees something else than a reader
/// of the page.
#[must_use]
pub fn check(path: &str, transcript: &Transcript<'_>) -> Vec<Diagnostic> {
    let mut turns: BTreeMap<(String, String), usize> = BTreeMap::new();
    for message in &transcript.messages {
        let turn = (message.role.to_string(), letters(&rendered(message)));
        *turns.entry(turn).or_default() += 1;
    }
    let mut problems = Collector::default();
    for (event, pointer) in &transcript.derived {
        let text = letters(&event.text);
        if text.is_empty() {
            continue;
        }
        let role = if event.role.is_empty() {
            "user"
        } else {
            &event.role
        };
        match turns.get_mut(&(role.to_owned(), text)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => problems.add(&codes::TRANSCRIPT_EVENT_DISAGREES, || {
                codes::TRANSCRIPT_EVENT_DISAGREES.at(
                    Place::file(path).pointing(pointer),
                    "An event repeats no turn: no message has its role and its text",
                    "Export the transcript again, so that Harn derives its events from its messages.",
                )
            }),
        }
    }
    problems.finish(path)
}

/// The text without white space: releases of Harn differ in what they write between blocks.
fn letters(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The text that Harn gives the event of a message: its texts, and labels of its other blocks.
fn rendered(message: &TranscriptMessage<'_>) -> String {
    let mut text = String::new();
    for block in &message.blocks {
        push_rendered(&mut text, block.node);
        text.push(' ');
    }
    text
}

/// The keys that may have the label of a file.
const FILE: [&str; 4] = ["name", "title", "path", "asset_id"];

fn push_rendered(out: &mut String, block: Node<'_>) {
    let word = |key: &str| block.get(key).and_then(|value| value.as_str());
    if block.kind() != JsonKind::Object {
        out.push_str(block.as_str().as_deref().unwrap_or(block.raw));
        return;
    }
    let kind = word("type");
    let kind = kind.as_deref().unwrap_or("text");
    let label = |keys: &[&str], or: &str| {
        let label = keys.iter().find_map(|key| word(key));
        label.map_or_else(|| or.to_owned(), Cow::into_owned)
    };
    let label = match kind {
        "text" | "output_text" => {
            let text = word("text").or_else(|| word("content"));
            out.push_str(text.as_deref().unwrap_or_default());
            return;
        }
        kind if is_reasoning(kind) => return,
        "tool_call" | "tool_result" => label(&["name"], "tool"),
        "image" | "input_image" => label(&FILE, "image"),
        "file" | "document" | "attachment" => label(&FILE, kind),
        _ => {
            out.extend(["<", kind, ">"]);
            return;
        }
    };
    let kind = if kind == "input_image" { "image" } else { kind };
    out.extend(["<", kind, ":", &label, ">"]);
}
