//! `OpenCode` and Kilo: `run --format json` (replay.md 9). Each line is complete.

use serde_json::Value;

use super::errors::error;
use super::lookup::{filled_at, first, place, text_at, word};
use super::tools::Tool;
use super::usage::{UsageKeys, usage};
use super::{Harness, TranslatedEvent, Translator, TranslatorVersion};

const TOKENS: UsageKeys = UsageKeys {
    input: "input",
    cache_write: "write",
    cache_read: "read",
    output: "output",
    reasoning: Some("reasoning"),
};

pub(super) fn line<'a>(t: &mut Translator, line: &'a Value) -> Vec<TranslatedEvent<'a>> {
    t.identify(first(line, &["sessionID", "session_id", "sessionId"]));
    match word(line, "type") {
        "step_start" => Vec::new(),
        "step_finish" => {
            let event = usage(t, place(line, &["part.tokens"]), &TOKENS);
            event.into_iter().collect()
        }
        "text" => {
            let text = filled_at(line, &["part.text", "text"]);
            text.map(|text| TranslatedEvent::message("agent", text))
                .into_iter()
                .collect()
        }
        "reasoning" => {
            let text = filled_at(line, &["part.text", "text", "reasoning"]);
            let text = text.filter(|_| t.has(4));
            text.map(|text| TranslatedEvent::message("reasoning", text))
                .into_iter()
                .collect()
        }
        "tool_use" => {
            tool_use_events(t, line).unwrap_or_else(|| vec![TranslatedEvent::unknown(line)])
        }
        "error" => vec![error(t, line, "harness reported an error")],
        _ => vec![TranslatedEvent::unknown(line)],
    }
}

fn tool_use_events(t: &mut Translator, line: &Value) -> Option<Vec<TranslatedEvent<'static>>> {
    let name = text_at(line, &["part.tool", "tool", "toolName", "name"])?;
    t.count(name);
    let inputs = ["part.state.input", "state.input", "input", "arguments"];
    let input = place(line, &inputs).unwrap_or(&Value::Null);
    let ok = match text_at(line, &["part.state.status", "state.status", "status"]) {
        Some("completed" | "success" | "done" | "ok") => Some(true),
        Some("error" | "failed" | "failure" | "cancelled" | "canceled") => Some(false),
        _ => None,
    };
    let is_kilo = t.harness == Harness::Kilo;
    let call = t.call(|version| tool_events(name, input, ok, is_kilo, version));
    t.end(Some(call), ok)
}

fn tool_events(
    name: &str,
    input: &Value,
    ok: Option<bool>,
    is_kilo: bool,
    version: TranslatorVersion,
) -> Option<Vec<TranslatedEvent<'static>>> {
    let tool = match &*name.to_ascii_lowercase() {
        "read" => Tool::Read,
        "write" | "edit" => Tool::Write,
        "apply_patch" => Tool::Patch,
        "grep" | "glob" | "lsp" => Tool::Search,
        "codesearch" if is_kilo => Tool::Search,
        "bash" => Tool::Shell,
        "skill" => Tool::Skill,
        "todowrite" | "todoread" | "todo" if version >= 4 => return Some(Vec::new()),
        "background_process" if version >= 6 => {
            return Some(Tool::Shell.events(input, version).unwrap_or_default());
        }
        "task" | "agent_manager" if is_kilo || version >= 6 => Tool::Subagent(ok),
        _ => return None,
    };
    tool.events(input, version)
}
