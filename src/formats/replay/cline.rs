//! Cline: `cline --json` (replay.md 7).

use serde_json::Value;

use super::lookup::{filled, filled_at, first, text, word};
use super::paths::resolved;
use super::tools::{self, Tool};
use super::{TranslatedEvent, Translator, TranslatorVersion, commands};

pub(super) fn line<'a>(t: &mut Translator, line: &'a Value) -> Vec<TranslatedEvent<'a>> {
    t.identify(first(line, &["sessionId", "session_id", "id"]));
    let events_of = |kind| message_events(kind, filled(line, &["text"]));
    match word(line, "type") {
        "hook_event" | "run_result" => Vec::new(),
        "agent_event" => match line.get("event") {
            Some(event) => agent_events(t, event),
            None => vec![TranslatedEvent::unknown(line)],
        },
        "say" => match word(line, "say") {
            "text" | "completion_result" => events_of("agent"),
            "reasoning" => {
                let mut events = events_of("reasoning");
                events.retain(|_| t.has(4));
                events
            }
            "error" | "api_req_failed" => {
                let message = text(line, "text").unwrap_or("cline reported an error");
                vec![TranslatedEvent::message("error", message)]
            }
            _ => vec![TranslatedEvent::unknown(line)],
        },
        "ask" if word(line, "ask") == "followup" => events_of("agent"),
        _ => vec![TranslatedEvent::unknown(line)],
    }
}

fn message_events(kind: &'static str, text: Option<&str>) -> Vec<TranslatedEvent<'static>> {
    text.map(|text| TranslatedEvent::message(kind, text))
        .into_iter()
        .collect()
}

fn agent_events<'a>(t: &mut Translator, event: &'a Value) -> Vec<TranslatedEvent<'a>> {
    let content = || filled_at(event, &["text", "content"]);
    match (word(event, "type"), word(event, "contentType")) {
        ("iteration_start" | "iteration_end" | "usage" | "done", _) => Vec::new(),
        ("content_start", kind) => {
            let call = text(event, "toolCallId").zip(text(event, "toolName"));
            if let Some((id, name)) = call.filter(|_| kind == "tool") {
                t.count(name);
                let call = t.call(|version| tool_events(name, event.get("input"), version));
                t.open(id, call);
            }
            Vec::new()
        }
        ("content_end", "text") => message_events("agent", content()),
        ("content_end", "reasoning" | "thinking") if t.has(4) => {
            message_events("reasoning", content())
        }
        ("content_end", "tool") => {
            let ok = success(event.get("output"));
            let mut call = t.close(text(event, "toolCallId"));
            if let (None, Some(name)) = (&call, text(event, "toolName")) {
                t.count(name);
                call = Some(t.call(|version| tool_events(name, event.get("input"), version)));
            }
            let events = t.end(call, ok);
            events.unwrap_or_else(|| vec![TranslatedEvent::unknown(event)])
        }
        _ => vec![TranslatedEvent::unknown(event)],
    }
}

/// Whether a call succeeded; `None` if its output does not say.
fn success(output: Option<&Value>) -> Option<bool> {
    let output = output?;
    if let Some(success) = output.get("success").and_then(Value::as_bool) {
        return Some(success);
    }
    let results = output
        .as_array()
        .or_else(|| output.get("results")?.as_array());
    let results = results.filter(|results| !results.is_empty())?;
    let mut results = results.iter();
    Some(results.all(|result| result.get("success") == Some(&Value::Bool(true))))
}

fn tool_events(
    name: &str,
    input: Option<&Value>,
    version: TranslatorVersion,
) -> Option<Vec<TranslatedEvent<'static>>> {
    let input = input.unwrap_or(&Value::Null);
    let list = |key: &str| input.get(key).and_then(Value::as_array);
    let some = |events: Vec<_>| (!events.is_empty()).then_some(events);
    let texts = |items: &Vec<Value>, event: &dyn Fn(&str) -> TranslatedEvent<'static>| {
        let texts = items.iter().filter_map(Value::as_str);
        some(texts.filter(|text| !text.is_empty()).map(event).collect())
    };
    let tool = match name {
        "run_commands" | "execute_command" | "bash" => match list("commands") {
            Some(list) => return texts(list, &commands::command),
            None => Tool::Shell,
        },
        "read_files" | "read_file" => match list("files") {
            Some(files) => return some(files.iter().filter_map(file).collect()),
            None => Tool::Read,
        },
        "editor" | "write_to_file" | "replace_in_file" | "new_rule" => Tool::Write,
        "apply_patch" => Tool::Patch,
        "search_files" | "search_codebase" => match list("queries").filter(|_| version >= 6) {
            Some(list) => return texts(list, &|query| tools::search(query, input)),
            None => Tool::Search,
        },
        "list_files" => Tool::List,
        "skills" | "use_skill" => Tool::Skill,
        _ => return None,
    };
    tool.events(input, version)
}

/// A file in a list of files to read.
fn file(file: &Value) -> Option<TranslatedEvent<'static>> {
    let path = file
        .as_str()
        .or_else(|| first(file, &["path", "file_path", "filePath"]));
    let path = path.filter(|path| !path.is_empty())?;
    Some(TranslatedEvent::new("read").text("path", resolved(None, path)))
}
