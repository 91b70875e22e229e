//! A message in a conversation with a model, and its conversion to events.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::super::chat::{Arguments, Chat};
use super::super::draft::{Origin, ToolCall, ToolResult};
use super::super::message_content::MessageContent;
use super::super::raw_json;
use super::super::row::Row;

/// Texts that are stored separately, as JSON by key.
#[derive(Default)]
pub struct Attachments<'a>(pub BTreeMap<Cow<'a, str>, &'a str>);

impl Attachments<'_> {
    /// The text, or the text that it refers to.
    pub fn resolve<'t>(&'t self, text: &'t str) -> Cow<'t, str> {
        let key = text.strip_prefix("attachment://");
        let found = key
            .or_else(|| text.strip_prefix("tc://"))
            .and_then(|key| self.0.get(key));
        let found = found.and_then(|json| Row::parse_value(json).ok()?.as_str());
        found.unwrap_or(Cow::Borrowed(text))
    }
}

/// Whether somebody wrote a message to the agent: the task, or a person during the run.
pub fn is_of_user(message: &Row<'_>) -> bool {
    message.text("role") == "user" && matches!(&*message.text("source"), "input" | "operator")
}

/// The parts of a content.
#[derive(Default)]
pub struct ContentParts {
    /// Its texts and images.
    pub content: MessageContent,
    /// Reasoning, and whether it is a summary.
    reasoning: Vec<(String, bool)>,
    /// Tools run by the provider.
    hosted: Vec<ToolCall>,
    /// Number of encrypted reasoning parts.
    encrypted: u64,
}

impl ContentParts {
    /// Reads content: a string or parts.
    pub fn of(row: &Row<'_>, path: &str, attachments: &Attachments<'_>) -> Self {
        let mut parts = Self::default();
        for part in row.parts(path) {
            parts.part(&part, attachments);
        }
        parts
    }

    fn part(&mut self, part: &Row<'_>, attachments: &Attachments<'_>) {
        let text = |key: &str| attachments.resolve(&part.text(key)).into_owned();
        if let Some(text) = part.as_str() {
            self.content.line(&attachments.resolve(&text));
            return;
        }
        match &*part.text("type") {
            "reasoning" => {
                self.encrypted += u64::from(part.string("signature").is_some());
                if part.is_true("redacted") {
                    self.encrypted += 1;
                    self.reasoning.push((text("summary"), true));
                } else {
                    self.reasoning.push((text("reasoning"), false));
                }
            }
            "tool_use" => {
                let arguments = raw_json::arguments(&part.text("arguments"));
                self.hosted.push(ToolCall {
                    hosted: true,
                    ..ToolCall::of(part.name("name"), part.name("id"), arguments)
                });
            }
            "image" | "audio" | "video" | "document" | "data" => self.content.images += 1,
            "" | "text" if part.string("text").is_some() => self.content.line(&text("text")),
            _ => self.content.unknown += 1,
        }
    }
}

/// The arguments of a call: a value, or a reference to one.
pub fn arguments(call: &Row<'_>, attachments: &Attachments<'_>) -> Arguments {
    if let Some(text) = call.string("arguments") {
        return raw_json::arguments(&attachments.resolve(&text));
    }
    let json = call.raw("arguments");
    let arguments = json.and_then(|json| {
        if json.contains("attachment://") {
            resolved(json, attachments)
        } else {
            raw_json::compact(json)
        }
    });
    (arguments, None)
}

/// An object with its texts resolved, one level deep.
fn resolved(json: &str, attachments: &Attachments<'_>) -> Option<Box<RawValue>> {
    raw_json::map_members(json, |_, value| match value.as_str() {
        Some(text) => Some(
            serde_json::to_string(&attachments.resolve(&text))
                .ok()?
                .into(),
        ),
        None => Some(value.raw.into()),
    })
}

/// Adds the events of a message, and returns the ids of its calls. If the log `names_authors`, other messages with the role of
/// the user are of the solver.
pub fn push(
    chat: &mut Chat<'_>,
    place: &Origin,
    message: &Row<'_>,
    attachments: &Attachments<'_>,
    names_authors: bool,
) -> Vec<String> {
    let parts = ContentParts::of(message, "content", attachments);
    let (place, content) = (place.clone(), parts.content);
    match &*message.text("role") {
        "user" if message.is_true("metadata.summary") => {
            chat.prompt(place, "compactionSummaries", content.text);
        }
        "user" if names_authors && !is_of_user(message) => {
            chat.draft.count_omitted(&content);
            if !content.text.trim().is_empty() {
                let note = Some(content.text);
                chat.draft.note(place, "environment", note);
            }
        }
        "system" => chat.system(place, content.text),
        "user" => chat.user(place, content),
        "tool" => {
            let call = message.name("tool_call_id");
            let mut result = result(chat, call, content, message);
            result.ok = Some(message.row("error").is_none());
            chat.result(place, result);
        }
        "assistant" => {
            chat.draft.withhold("encryptedReasoning", parts.encrypted);
            let older = message.name("reasoning").map(|text| (text, false));
            for (text, is_summary) in older.into_iter().chain(parts.reasoning) {
                chat.reasoning(place.clone(), text, is_summary);
            }
            chat.answer(place.clone(), content, message.name("model"));
            let mut ids = Vec::new();
            let calls = message.rows("tool_calls").map(|call| {
                let id = call.name("id");
                ids.extend(id.clone());
                let status = call.word("parse_error").map(|_| "not parsed".to_owned());
                ToolCall {
                    status,
                    ..ToolCall::of(call.name("function"), id, arguments(&call, attachments))
                }
            });
            for call in parts.hosted.into_iter().chain(calls) {
                chat.add_call(place.clone(), call);
            }
            return ids;
        }
        _ => {}
    }
    Vec::new()
}

/// A result with the `error` of its message or its event.
pub fn result(
    chat: &mut Chat<'_>,
    call: Option<String>,
    mut content: MessageContent,
    row: &Row<'_>,
) -> ToolResult {
    chat.draft.count_omitted(&content);
    if let Some(reason) = row
        .name("error.message")
        .filter(|_| content.text.is_empty())
    {
        content.text = reason;
    }
    ToolResult {
        status: row.name("error.type"),
        ..ToolResult::of(call, content)
    }
}
