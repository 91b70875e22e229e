//! Events that the orchestrator adds: they have no row in the raw log (replay.md 1).

use serde_json::{Map, Value};

/// Whether only the orchestrator writes such an event.
pub(super) fn is_from_orchestrator(event: &Map<String, Value>) -> bool {
    let text = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or_default();
    let message = text("message");
    event.get("sessionId").is_none_or(Value::is_null)
        && match text("type") {
            "system" => true,
            "error" => is_exit(message) || is_hang(message),
            "warning" => message.starts_with("token usage recorded for this run is incomplete"),
            _ => false,
        }
}

/// ``code 1``, ``harness exited with code 1``, ``orchestrator `loop` runner exited with code 1``
fn is_exit(message: &str) -> bool {
    let before = if message.starts_with("code ") {
        ""
    } else if message.starts_with("harness exited with code ") {
        "harness exited with "
    } else if message.starts_with("orchestrator `") {
        match message.split_once("` runner exited with ") {
            Some((before, _)) => &message[..before.len() + "` runner exited with ".len()],
            None => return false,
        }
    } else {
        return false;
    };
    let code = message
        .strip_prefix(before)
        .and_then(|rest| rest.strip_prefix("code "));
    let digits = code.map(|code| code.strip_prefix('-').unwrap_or(code));
    digits.is_some_and(|digits| digits.starts_with(|digit: char| digit.is_ascii_digit()))
}

/// ``the harness produced no output for 900s and was stopped as hung``
fn is_hang(message: &str) -> bool {
    let message = message.strip_suffix("s and was stopped as hung");
    let seconds = message.and_then(|rest| rest.rsplit_once("produced no output for "));
    seconds.is_some_and(|(_, seconds)| {
        !seconds.is_empty() && seconds.bytes().all(|digit| digit.is_ascii_digit())
    })
}
