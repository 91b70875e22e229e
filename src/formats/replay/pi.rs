//! Pi: `pi --mode json --print` (replay.md 10).

use serde_json::Value;

use super::lookup::{filled, first, joined, place, text, word};
use super::tools::Tool;
use super::usage::{UsageKeys, usage};
use super::{TranslatedEvent, Translator, TranslatorVersion};

const TOKENS: UsageKeys = UsageKeys {
    input: "input",
    cache_write: "cacheWrite",
    cache_read: "cacheRead",
    output: "output",
    reasoning: None,
};
const NAMES: [&str; 4] = ["toolName", "tool_name", "tool", "name"];

pub(super) fn line<'a>(t: &mut Translator, line: &'a Value) -> Vec<TranslatedEvent<'a>> {
    match word(line, "type") {
        "session" => {
            t.identify(first(line, &["id", "sessionId", "session_id"]));
            Vec::new()
        }
        "agent_start" | "agent_end" | "turn_start" | "turn_end" | "message_start"
        | "message_update" => Vec::new(),
        "tool_execution_update" if t.has(3) => Vec::new(),
        "agent_settled" if t.has(6) => Vec::new(),
        "message_end" => place(line, &["message", "assistantMessageEvent.message"])
            .map_or_else(Vec::new, |message| message_events(t, message)),
        "tool_execution_start" if t.has(3) => {
            if let Some((id, name)) = text(line, "toolCallId").zip(first(line, &NAMES)) {
                t.count(name);
                let input = place(line, &["args", "input", "arguments", "toolInput"]);
                let call = t.call(|version| tool_events(name, input, version));
                t.open(id, call);
            }
            Vec::new()
        }
        "tool_execution_end" => {
            end_events(t, line).unwrap_or_else(|| vec![TranslatedEvent::unknown(line)])
        }
        _ => vec![TranslatedEvent::unknown(line)],
    }
}

fn message_events(t: &mut Translator, message: &Value) -> Vec<TranslatedEvent<'static>> {
    let mut events = Vec::new();
    if word(message, "role") == "assistant" {
        let parts = message.get("content").and_then(Value::as_array);
        let parts = parts.map_or(&[][..], Vec::as_slice);
        let reasoning = joined(parts, "thinking", "thinking").filter(|_| t.has(4));
        events.extend(reasoning.map(|text| TranslatedEvent::message("reasoning", text)));
        let text = filled(message, &["content"]).map(ToOwned::to_owned);
        let text = text.or_else(|| joined(parts, "text", "text"));
        events.extend(text.map(|text| TranslatedEvent::message("agent", text)));
    }
    events.extend(usage(t, message.get("usage"), &TOKENS));
    events
}

fn end_events(t: &mut Translator, line: &Value) -> Option<Vec<TranslatedEvent<'static>>> {
    // Version 2 read calls from their end alone.
    let alone = || {
        let input = place(line, &["input", "arguments", "args", "toolInput"]);
        tool_events(first(line, &NAMES)?, input, 2)
    };
    let call = t.close(text(line, "toolCallId"));
    if t.version < 3 {
        let ok = failure(line).or_else(|| status(line));
        let events = alone()?.into_iter();
        return Some(events.map(|event| event.maybe("isSuccess", ok)).collect());
    }
    if call.is_none() && alone().is_some() {
        t.has(3);
    }
    let flag = line.get("isError").and_then(Value::as_bool);
    let result = || line.get("result").map(|_| true);
    let ok = flag.map(|failed| !failed).or_else(|| failure(line));
    t.end(call, ok.or_else(result).or_else(|| status(line)))
}

/// False if there is an error.
fn failure(line: &Value) -> Option<bool> {
    let error = line.get("error").filter(|error| !error.is_null());
    error.map(|_| false)
}

fn status(line: &Value) -> Option<bool> {
    match first(line, &["status", "state"])? {
        "completed" | "success" | "ok" | "done" => Some(true),
        "error" | "failed" | "failure" => Some(false),
        _ => None,
    }
}

fn tool_events(
    name: &str,
    input: Option<&Value>,
    version: TranslatorVersion,
) -> Option<Vec<TranslatedEvent<'static>>> {
    let tool = match &*name.to_ascii_lowercase() {
        "read" => Tool::Read,
        "write" | "edit" => Tool::Write,
        "search" | "grep" | "glob" => Tool::Search,
        "list" => Tool::List,
        "bash" | "shell" => Tool::Shell,
        _ => return None,
    };
    tool.events(input.unwrap_or(&Value::Null), version)
}
