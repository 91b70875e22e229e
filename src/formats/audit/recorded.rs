//! The events of an event log, as digests.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::digest::{Digest, Equality};
use super::orchestrator;
use crate::events::LogEventKind;
use crate::jsonl;

/// A recorded event.
pub(super) struct RecordedEvent<'a> {
    pub(super) digest: Digest,
    /// `None` if it is not UTF-8.
    pub(super) text: Option<&'a str>,
    pub(super) kind: LogEventKind,
    /// Whether only the orchestrator writes such events.
    pub(super) is_from_orchestrator: bool,
}

pub(super) fn read<'a>(equality: &Equality, bytes: &'a [u8]) -> Vec<RecordedEvent<'a>> {
    let mut buffer = Vec::new();
    let lines = jsonl::lines(bytes).map(|line| {
        let text = match line.text {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(_) => None,
        };
        let event = text.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
        let event = event.unwrap_or_default();
        let kind = event.get("type").and_then(Value::as_str);
        RecordedEvent {
            digest: equality.digest(&recorded_keys(equality, &event), &mut buffer),
            text,
            kind: LogEventKind::parse(kind.unwrap_or_default()),
            is_from_orchestrator: orchestrator::is_from_orchestrator(&event),
        }
    });
    lines.collect()
}

pub(super) fn recorded_keys<'e>(
    equality: &Equality,
    event: &'e Map<String, Value>,
) -> Vec<(&'e str, &'e Value)> {
    equality.keys(event.iter().map(|(key, value)| (key.as_str(), value)))
}
