//! Codex: `codex exec --json` (replay.md 5).

use serde_json::Value;

use super::lookup::{text, word};
use super::{TranslatedEvent, Translator, commands};

pub(super) fn line<'a>(t: &mut Translator, line: &'a Value) -> Vec<TranslatedEvent<'a>> {
    match (word(line, "type"), line.get("item")) {
        ("thread.started", _) => {
            // Each thread replaces the one before.
            if let Some(id) = text(line, "thread_id") {
                t.session = Some(id.to_owned());
            }
            Vec::new()
        }
        ("turn.started" | "turn.completed" | "item.started", _) => Vec::new(),
        ("item.completed", Some(item)) => item_events(item),
        ("error", _) => vec![error(line)],
        _ => vec![TranslatedEvent::unknown(line)],
    }
}

fn item_events(item: &Value) -> Vec<TranslatedEvent<'_>> {
    match word(item, "type") {
        "command_execution" => {
            let code = item.get("exit_code").and_then(Value::as_i64);
            #[allow(clippy::cast_possible_truncation, reason = "the recorder cuts it, too")]
            let code = code.map(|code| code as i32);
            let event = commands::command(word(item, "command"));
            let shown = code.filter(|_| event.kind == "command");
            let event = event.maybe("isSuccess", code.map(|code| code == 0));
            vec![event.maybe("exitCode", shown)]
        }
        "file_change" => {
            let changes = item.get("changes").and_then(Value::as_array);
            match changes.filter(|changes| !changes.is_empty()) {
                Some(changes) => changes.iter().map(file_event).collect(),
                None => vec![TranslatedEvent::unknown(item)],
            }
        }
        "agent_message" => vec![TranslatedEvent::message("agent", word(item, "text"))],
        "error" => vec![error(item)],
        _ => vec![TranslatedEvent::unknown(item)],
    }
}

/// A changed file. The recorder takes every change for a success.
fn file_event(change: &Value) -> TranslatedEvent<'static> {
    let write = TranslatedEvent::new("write").text("path", word(change, "path"));
    write.maybe("isSuccess", Some(true))
}

fn error(value: &Value) -> TranslatedEvent<'static> {
    TranslatedEvent::message(
        "error",
        text(value, "message").unwrap_or("codex reported an error"),
    )
}
