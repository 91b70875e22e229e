//! Goose: `goose run --output-format stream-json` (replay.md 8).

use serde_json::Value;

use super::errors::error;
use super::lookup::{first, place, text, text_at, word};
use super::tools::Tool;
use super::{TranslatedEvent, Translator, TranslatorVersion};

/// Text of the model that is not complete yet.
#[derive(Debug)]
pub(super) struct PartialText {
    is_reasoning: bool,
    id: String,
    text: String,
}

pub(super) fn line<'a>(t: &mut Translator, line: &'a Value) -> Vec<TranslatedEvent<'a>> {
    let mut events = Vec::new();
    match word(line, "type") {
        "message" => match line.get("message") {
            Some(message) => {
                let blocks = message.get("content").and_then(Value::as_array);
                let id = text_at(line, &["id", "message.id"]).unwrap_or_default();
                let is_answer = word(message, "role") == "assistant";
                for block in blocks.into_iter().flatten() {
                    read(t, block, is_answer.then_some(id), &mut events);
                }
            }
            None => events.push(TranslatedEvent::unknown(line)),
        },
        "notification" => events.push(TranslatedEvent::unknown(line)),
        "error" => {
            events.extend(flush(t));
            events.push(error(t, line, "goose reported an error"));
        }
        "complete" => events.extend(flush(t)),
        _ => {
            events.extend(flush(t));
            events.push(TranslatedEvent::unknown(line));
        }
    }
    events
}

/// The partial text, as an event.
fn flush(t: &mut Translator) -> Option<TranslatedEvent<'static>> {
    let partial = t.partial.take()?;
    let kind = if partial.is_reasoning {
        t.has(4);
        "reasoning"
    } else {
        "agent"
    };
    Some(TranslatedEvent::message(kind, partial.text))
}

/// Reads a block; `answer` is the id of its message, if the model wrote it.
fn read<'a>(
    t: &mut Translator,
    block: &'a Value,
    answer: Option<&str>,
    events: &mut Vec<TranslatedEvent<'a>>,
) {
    match word(block, "type") {
        kind @ ("text" | "thinking") => {
            let text = text(block, kind).filter(|text| !text.is_empty());
            let is_reasoning = kind == "thinking";
            if let Some((id, text)) = answer.zip(text)
                && (!is_reasoning || t.version >= 4)
            {
                events.extend(collect(t, is_reasoning, id, text));
            }
        }
        "redactedThinking" => {}
        "toolRequest" => {
            events.extend(flush(t));
            let id = text_at(block, &["id", "toolRequest.id", "toolCallId"]);
            let names = ["toolCall.value.name", "tool_call.value.name", "name"];
            let inputs = ["toolCall.value.arguments", "arguments", "input"];
            match id.zip(text_at(block, &names)) {
                Some((id, name)) => {
                    t.count(name);
                    let input = place(block, &inputs).unwrap_or(&Value::Null);
                    let call = t.call(|version| tool_events(name, input, version));
                    t.open(id, call);
                }
                None => events.push(TranslatedEvent::unknown(block)),
            }
        }
        "toolResponse" => {
            events.extend(flush(t));
            let places = [
                "toolResult.status",
                "toolResponse.toolResult.status",
                "status",
            ];
            let ok = match text_at(block, &places) {
                Some("success") => Some(true),
                Some("error") => Some(false),
                _ => None,
            };
            let call = t.close(text_at(block, &["id", "toolResponse.id", "toolCallId"]));
            match t.end(call, ok) {
                Some(ended) => events.extend(ended),
                None => events.push(TranslatedEvent::unknown(block)),
            }
        }
        _ => events.push(TranslatedEvent::unknown(block)),
    }
}

/// Adds to the partial text: a snapshot replaces it, a piece is appended. Other text ends it.
fn collect(
    t: &mut Translator,
    is_reasoning: bool,
    id: &str,
    text: &str,
) -> Option<TranslatedEvent<'static>> {
    if let Some(partial) = &mut t.partial
        && partial.is_reasoning == is_reasoning
        && partial.id == id
    {
        if text.starts_with(&partial.text) {
            text.clone_into(&mut partial.text);
        } else {
            partial.text.push_str(text);
        }
        return None;
    }
    let flushed = flush(t);
    if flushed.is_some() && is_reasoning {
        // Without reasoning, the text before it would have been continued.
        t.has(4);
    }
    t.partial = Some(PartialText {
        is_reasoning,
        id: id.to_owned(),
        text: text.to_owned(),
    });
    flushed
}

fn tool_events(
    name: &str,
    input: &Value,
    version: TranslatorVersion,
) -> Option<Vec<TranslatedEvent<'static>>> {
    let (extension, tool) = name.split_once("__").unwrap_or(("", name));
    if extension == "todo" {
        return Some(Vec::new());
    }
    let tool = match &*tool.to_ascii_lowercase() {
        "read" => Tool::Read,
        "read_image" if version >= 4 => Tool::Read,
        "write" | "edit" => Tool::Write,
        "text_editor" => match first(input, &["command", "cmd"])? {
            "view" | "read" => Tool::Read,
            "write" | "create" | "overwrite" | "edit" | "str_replace" | "insert" | "move"
            | "rename" | "delete" => Tool::Write,
            _ => return None,
        },
        "shell" => Tool::Shell,
        "grep" | "glob" => Tool::Search,
        "list" => Tool::List,
        "tree" if version >= 4 => Tool::List,
        "load_skill" | "skill" => Tool::Skill,
        _ => return None,
    };
    tool.events(input, version)
}
