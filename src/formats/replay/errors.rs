//! The text of an error of Goose, `OpenCode` and Kilo (replay.md 4.6), and JSON inside of messages.

use serde_json::Value;

use super::lookup::{filled_at, text};
use super::{TranslatedEvent, Translator};

/// The event of a line that reports an error.
pub(super) fn error(t: &mut Translator, line: &Value, default: &str) -> TranslatedEvent<'static> {
    let early = filled_at(line, &["error.message", "message", "error"]).unwrap_or(default);
    let (late, other_message) = late(line, default);
    if late != early && t.has(5) {
        return TranslatedEvent {
            other_message,
            ..TranslatedEvent::message("error", late)
        };
    }
    TranslatedEvent::message("error", early)
}

/// The text since version 5, with the keys of an object sorted and as they are.
fn late(line: &Value, default: &str) -> (String, Option<String>) {
    let places = [
        "error.message",
        "error.data.message",
        "message",
        "data.message",
        "error",
    ];
    if let Some(message) = filled_at(line, &places) {
        return (message.to_owned(), None);
    }
    let Some(error) = line.get("error").filter(|error| error.is_object()) else {
        return (default.to_owned(), None);
    };
    let name = text(error, "name").map_or_else(String::new, |name| format!("{name}: "));
    let other = format!("{name}{error}");
    (format!("{name}{}", sorted(error)), Some(other))
}

/// A value with the keys of its objects sorted.
pub(super) fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            let members = members.into_iter();
            Value::Object(
                members
                    .map(|(key, value)| (key.clone(), sorted(value)))
                    .collect(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        _ => value.clone(),
    }
}
