//! gg, the harness of Test Cabinet itself (replay.md 12). Its lines go through types of more than 190 versions, so they are
//! compared in part.

use serde_json::Value;

use super::TranslatedEvent;
use super::lookup::{place, text, word};

/// The beginning of the warning about a line that is no telemetry. What follows is the parser's own text.
pub const UNPARSABLE: &str = "unparseable gg telemetry line: ";

pub(super) fn line(line: &Value) -> Vec<TranslatedEvent<'_>> {
    if !is_telemetry(line) {
        return vec![TranslatedEvent::message("warning", UNPARSABLE)];
    }
    let session = text(line, "sessionId");
    let event = TranslatedEvent::new("gg").json("event", line);
    let events = translated(line).into_iter().chain([event]);
    events
        .map(|event| event.maybe("sessionId", session))
        .collect()
}

fn is_telemetry(line: &Value) -> bool {
    let is_text = |key: &str| line.get(key).is_some_and(Value::is_string);
    let mut optional = ["sessionId", "agentId", "parentAgentId", "issueId"].into_iter();
    is_text("timestamp")
        && is_text("type")
        && optional.all(|key| line.get(key).is_none_or(Value::is_null) || is_text(key))
}

/// The event that a line gives besides itself.
fn translated(line: &Value) -> Option<TranslatedEvent<'static>> {
    let spoken = |key: &str| text(line, key).filter(|text| !text.trim().is_empty());
    Some(match word(line, "type") {
        "assistant_message" => TranslatedEvent::message("agent", spoken("text")?),
        "code_execution" => TranslatedEvent {
            is_optional: true,
            ..TranslatedEvent::message("agent", spoken("finished")?)
        },
        "tool_call" => tool_event(line)?,
        "tool_result" if line.get("ok") == Some(&Value::Bool(false)) => {
            let summary = text(line, "summary").map_or_else(String::new, |it| format!(": {it}"));
            let message = format!("gg tool `{}` failed{summary}", text(line, "name")?);
            TranslatedEvent::message("warning", message)
        }
        "log" => match &*word(line, "level").to_ascii_lowercase() {
            "error" => TranslatedEvent::message("error", text(line, "message")?),
            "warn" | "warning" => TranslatedEvent::message("warning", text(line, "message")?),
            _ => return None,
        },
        _ => return None,
    })
}

fn tool_event(line: &Value) -> Option<TranslatedEvent<'static>> {
    let command = place(line, &["args.command"]).and_then(Value::as_str);
    let path = place(line, &["args.path"]).and_then(Value::as_str);
    Some(match text(line, "name")? {
        "shell" => TranslatedEvent::new("command").text("command", command.unwrap_or("shell")),
        "write_file" => TranslatedEvent::new("write").text("path", path.unwrap_or_default()),
        "read_file" => TranslatedEvent::new("read").text("path", path.unwrap_or_default()),
        "list_dir" => TranslatedEvent::new("list").maybe("path", path),
        name => {
            let command = command.map_or_else(String::new, |command| format!(": {command}"));
            TranslatedEvent::new("command").text("command", format!("{name}{command}"))
        }
    })
}

/// Whether a recorded line is what some version keeps of a line: keys on both sides have the same value, and keys that only the
/// record has are empty.
pub fn is_recorded_form(
    line: &Value,
    recorded: &Value,
    same: &impl Fn(&Value, &Value) -> bool,
) -> bool {
    match (line, recorded) {
        (Value::Object(line), Value::Object(recorded)) => recorded.iter().all(|(key, value)| {
            line.get(key).map_or_else(
                || is_default(value),
                |line| is_recorded_form(line, value, same),
            )
        }),
        (Value::Array(line), Value::Array(recorded)) => {
            let mut pairs = line.iter().zip(recorded);
            line.len() == recorded.len()
                && pairs.all(|(line, recorded)| is_recorded_form(line, recorded, same))
        }
        _ => same(line, recorded),
    }
}

/// Whether a value is what a type writes for a key that a line does not have.
pub fn is_default(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(is_default),
        Value::Bool(true) => false,
    }
}
