//! Claude Code: `claude -p --output-format stream-json` (replay.md 6).

use std::borrow::Cow;
use std::collections::VecDeque;

use serde_json::Value;

use super::errors::sorted;
use super::lookup::{filled, first, joined, number, place, text, word};
use super::paths::resolved;
use super::{OpenCall, TranslatedEvent, Translator, commands};

const PATHS: [&str; 3] = ["file_path", "filePath", "path"];
const NOTEBOOKS: [&str; 5] = [
    "notebook_path",
    "notebookPath",
    "file_path",
    "filePath",
    "path",
];

pub(super) fn line<'a>(t: &mut Translator, line: &'a Value) -> Vec<TranslatedEvent<'a>> {
    t.identify(text(line, "session_id"));
    match word(line, "type") {
        "system" => {
            if let Some(folder) = filled(line, &["cwd"]) {
                t.workspace = Some(folder.to_owned());
            }
            match word(line, "subtype") {
                "init" | "status" | "thinking_tokens" => Vec::new(),
                _ => vec![TranslatedEvent::unknown(line)],
            }
        }
        "assistant" => match blocks(line) {
            Some(blocks) => assistant_events(t, blocks),
            None => vec![TranslatedEvent::unknown(line)],
        },
        "user" => match blocks(line) {
            Some(blocks) => blocks
                .iter()
                .flat_map(|block| user_events(t, block))
                .collect(),
            None => vec![TranslatedEvent::unknown(line)],
        },
        "rate_limit_event" => {
            let status = place(line, &["rate_limit_info.status"]).and_then(Value::as_str);
            let status = status.filter(|status| *status != "allowed");
            let message = |status| format!("claude code rate limit status: {status}");
            let warning = status.map(|status| TranslatedEvent::message("warning", message(status)));
            warning.into_iter().collect()
        }
        "result" => result(line).into_iter().collect(),
        "stream_event" => Vec::new(),
        _ => vec![TranslatedEvent::unknown(line)],
    }
}

fn blocks(line: &Value) -> Option<&Vec<Value>> {
    place(line, &["message.content"])?.as_array()
}

/// What the model said, then what it called, whatever the order of the blocks.
fn assistant_events<'a>(t: &mut Translator, blocks: &'a [Value]) -> Vec<TranslatedEvent<'a>> {
    let mut events = Vec::new();
    let reasoning = joined(blocks, "thinking", "thinking");
    let reasoning = reasoning.filter(|_| t.has(4));
    events.extend(reasoning.map(|text| TranslatedEvent::message("reasoning", text)));
    events
        .extend(joined(blocks, "text", "text").map(|text| TranslatedEvent::message("agent", text)));
    for block in blocks {
        match word(block, "type") {
            "text" | "thinking" | "redacted_thinking" => {}
            "tool_use" => {
                let name = text(block, "name");
                if let Some(name) = name {
                    t.count(name);
                }
                match open_call(t, block, name) {
                    Some((id, call)) => t.open(id, call),
                    None => events.push(TranslatedEvent::unknown(block)),
                }
            }
            _ => events.push(TranslatedEvent::unknown(block)),
        }
    }
    events
}

fn open_call<'a>(
    t: &Translator,
    block: &'a Value,
    name: Option<&str>,
) -> Option<(&'a str, OpenCall)> {
    let id = text(block, "id")?;
    let events = tool_events(t.workspace.as_deref(), name?, block.get("input")?)?;
    let call = OpenCall {
        events: Some(events),
        since: 1,
    };
    Some((id, call))
}

/// The events of a call, without its success.
fn tool_events(
    workspace: Option<&str>,
    name: &str,
    input: &Value,
) -> Option<Vec<TranslatedEvent<'static>>> {
    let path = |path: &str| resolved(workspace, path);
    let inside = || text(input, "path").map(path);
    let write =
        |keys: &[&str]| Some(TranslatedEvent::new("write").text("path", path(first(input, keys)?)));
    let search = |keys: &[&str]| {
        let search = TranslatedEvent::new("search").text("query", first(input, keys)?);
        Some(search.maybe("path", inside()))
    };
    let event = match name {
        "Read" => {
            let start = number(input, &["offset", "start_line"]);
            let count = number(input, &["limit", "line_count"]);
            let last = |(start, count): (u32, u32)| start.saturating_add(count).saturating_sub(1);
            let read = TranslatedEvent::new("read")
                .text("path", path(first(input, &["file_path", "path"])?));
            let read = read.maybe("startLine", start);
            read.maybe("endLine", start.zip(count).map(last))
        }
        "Write" | "Edit" | "MultiEdit" => write(&PATHS)?,
        "NotebookEdit" => write(&NOTEBOOKS)?,
        "Grep" => search(&["pattern", "query"])?,
        "Glob" => search(&["pattern", "glob"])?,
        "LS" => TranslatedEvent::new("list").maybe("path", inside()),
        "Bash" => commands::command(first(input, &["command", "cmd"])?),
        "Skill" => {
            let name = first(input, &["skill", "skill_name", "command"])?;
            let skill =
                TranslatedEvent::new("skill").text("path", format!("skills/{name}/SKILL.md"));
            skill.text("skillName", name)
        }
        "StructuredOutput" => return Some(Vec::new()),
        _ => return None,
    };
    Some(vec![event])
}

/// A block of what the model was given.
fn user_events<'a>(t: &mut Translator, block: &'a Value) -> Vec<TranslatedEvent<'a>> {
    match word(block, "type") {
        "tool_result" => {
            result_events(t, block).unwrap_or_else(|| vec![TranslatedEvent::unknown(block)])
        }
        "text" => Vec::new(),
        _ => vec![TranslatedEvent::unknown(block)],
    }
}

fn result_events(t: &mut Translator, block: &Value) -> Option<Vec<TranslatedEvent<'static>>> {
    let failures = [
        "is_error",
        "is_interruption",
        "is_interrupted",
        "interrupted",
    ];
    let mut failures = failures.iter().map(|key| block.get(key));
    let ok = !failures.any(|failed| failed == Some(&Value::Bool(true)));
    let id = text(block, "tool_use_id");
    match id.and_then(|id| t.calls.get(id)).map_or(0, VecDeque::len) {
        0 => {
            let file = place(block, &["tool_use_result.file"])?;
            let path = resolved(t.workspace.as_deref(), filled(file, &PATHS)?);
            let start = number(file, &["start_line", "startLine", "offset"]);
            let read = TranslatedEvent::new("read").text("path", path);
            let read = read.maybe("startLine", start.filter(|start| *start > 0));
            Some(vec![read.maybe("isSuccess", Some(ok))])
        }
        1 => {
            let call = t.close(id);
            let mut events = t.end(call, Some(ok))?;
            for event in &mut events {
                locate_skill(event, t.workspace.as_deref());
            }
            Some(events)
        }
        _ => None,
    }
}

/// Skills are below the workspace that is known when they end.
fn locate_skill(event: &mut TranslatedEvent<'static>, workspace: Option<&str>) {
    if event.kind != "skill" {
        return;
    }
    let paths = event.fields.iter_mut().filter(|(key, _)| *key == "path");
    for (_, path) in paths {
        if let Some(skill) = path.as_str() {
            *path = Cow::Owned(resolved(workspace, skill).into());
        }
    }
}

/// The end of a session, if it is an error: the final text was said before.
fn result(line: &Value) -> Option<TranslatedEvent<'static>> {
    let mut parts = Vec::new();
    if let Some(subtype) = text(line, "subtype").filter(|subtype| *subtype != "success") {
        parts.push(format!("subtype={subtype}"));
    }
    if line.get("is_error") == Some(&Value::Bool(true)) {
        parts.push("is_error=true".to_owned());
    }
    let message = |parts: &[String]| {
        format!(
            "claude code reported a terminal error: {}",
            parts.join(", ")
        )
    };
    let mut other_message = None;
    if let Some(status) = line.get("api_error_status") {
        let as_written = [&*parts, &[format!("api_error_status={status}")]].concat();
        other_message = Some(message(&as_written));
        parts.push(format!("api_error_status={}", sorted(status)));
    }
    (!parts.is_empty()).then(|| TranslatedEvent {
        other_message,
        ..TranslatedEvent::message("error", message(&parts))
    })
}
