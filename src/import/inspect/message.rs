//! A message in a conversation with a model, and its conversion to events.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::formats::json::{Node, Str};
use crate::formats::trace::Role;

use super::super::Options;
use super::super::draft::{Call, Draft, Origin, ToolResult, What};
use super::super::loose::{self, Apart, Flag, Items, Spoken, Text};

/// Texts that are stored separately, by key.
#[derive(Default)]
pub struct Attachments<'a>(pub BTreeMap<Cow<'a, str>, &'a RawValue>);

impl Attachments<'_> {
    /// The text, or the text that it refers to.
    pub fn resolve<'t>(&'t self, text: &'t str) -> Cow<'t, str> {
        let key = text.strip_prefix("attachment://");
        let found = key
            .or_else(|| text.strip_prefix("tc://"))
            .and_then(|key| self.0.get(key));
        let found = found.and_then(|raw| Node::parse(raw.get()).ok()?.as_str());
        found.unwrap_or(Cow::Borrowed(text))
    }
}

/// The numbers in some ranges, each below `end`.
pub fn ranges(refs: &[(usize, usize)], end: usize) -> impl Iterator<Item = usize> + '_ {
    refs.iter().flat_map(move |(from, to)| Range {
        start: (*from).min(end),
        end: (*to).min(end),
    })
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Message<'a> {
    #[serde(borrow)]
    pub id: Text<'a>,
    pub role: Text<'a>,
    /// Who wrote it: `input`, `operator` or `generate`.
    source: Text<'a>,
    metadata: Apart<Metadata>,
    pub content: Option<&'a RawValue>,
    pub tool_calls: Items<'a>,
    pub tool_call_id: Text<'a>,
    pub error: Apart<ToolError<'a>>,
    reasoning: Text<'a>,
    model: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metadata {
    /// Whether the message is the summary of a compacted conversation.
    summary: Flag,
}

impl Message<'_> {
    /// Whether somebody wrote it to the agent: the task, or a person during the run.
    pub fn is_of_user(&self) -> bool {
        self.role.text() == "user" && matches!(self.source.text(), "input" | "operator")
    }
}

/// The reason that a tool failed.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct ToolError<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    pub message: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ToolCall<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    function: Text<'a>,
    arguments: Option<&'a RawValue>,
    parse_error: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    text: Text<'a>,
    reasoning: Text<'a>,
    summary: Text<'a>,
    signature: Text<'a>,
    redacted: Flag,
    id: Text<'a>,
    name: Text<'a>,
    arguments: Text<'a>,
}

/// The parts of a content.
#[derive(Default)]
pub struct Said {
    /// Its texts and images.
    pub content: Spoken,
    /// Reasoning, and whether it is a summary.
    reasoning: Vec<(String, bool)>,
    /// Tools run by the provider.
    hosted: Vec<Call>,
    /// Number of encrypted reasoning parts.
    encrypted: u64,
}

impl Said {
    /// Reads content: a string or parts.
    pub fn of(raw: Option<&RawValue>, attachments: &Attachments<'_>) -> Self {
        let mut said = Self::default();
        let Some(raw) = raw else { return said };
        if let Ok(parts) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) {
            for raw in parts {
                said.part(raw, attachments);
            }
        } else {
            said.part(raw, attachments);
        }
        said
    }

    fn part(&mut self, raw: &RawValue, attachments: &Attachments<'_>) {
        if let Some(text) = Str::parse(raw.get()) {
            self.content.line(&attachments.resolve(&text));
            return;
        }
        let part: Part<'_> = loose::part(raw);
        match part.kind.text() {
            "reasoning" => {
                self.encrypted += u64::from(part.signature.is_some());
                let text = |text: &Text<'_>| attachments.resolve(text.text()).into_owned();
                if *part.redacted == Some(true) {
                    self.encrypted += 1;
                    self.reasoning.push((text(&part.summary), true));
                } else {
                    self.reasoning.push((text(&part.reasoning), false));
                }
            }
            "tool_use" => {
                let (arguments, arguments_text) = loose::arguments(part.arguments.text());
                self.hosted.push(Call {
                    name: part.name.named().unwrap_or_else(|| "unknown".to_owned()),
                    call: part.id.named(),
                    arguments,
                    arguments_text,
                    hosted: true,
                    ..Call::default()
                });
            }
            "image" | "audio" | "video" | "document" | "data" => self.content.images += 1,
            _ => {
                if let Some(text) = part.text.as_ref() {
                    self.content.line(&attachments.resolve(text));
                }
            }
        }
    }
}

/// The arguments of a call: a value, or a reference to one.
pub fn arguments(
    raw: Option<&RawValue>,
    attachments: &Attachments<'_>,
) -> (Option<Box<RawValue>>, Option<String>) {
    let Some(raw) = raw else { return (None, None) };
    match Str::parse(raw.get()) {
        Some(text) => loose::arguments(&attachments.resolve(&text)),
        None if raw.get().contains("attachment://") => (resolved(raw, attachments), None),
        None => (loose::compact(raw.get()), None),
    }
}

/// An object with its texts resolved, one level deep.
fn resolved(raw: &RawValue, attachments: &Attachments<'_>) -> Option<Box<RawValue>> {
    let mut object = String::from("{");
    for member in Node::parse(raw.get()).ok()?.members() {
        if object.len() > 1 {
            object.push(',');
        }
        object.push_str(&serde_json::to_string(&member.key).ok()?);
        object.push(':');
        match member.value.as_str() {
            Some(text) => {
                object.push_str(&serde_json::to_string(&attachments.resolve(&text)).ok()?);
            }
            None => object.push_str(member.value.raw),
        }
    }
    object.push('}');
    loose::compact(&object)
}

/// Adds the events of a message, and returns the ids of its calls. If the log `names_authors`, other messages with the role of
/// the user are of the solver.
pub fn push(
    draft: &mut Draft,
    options: &Options,
    place: &Origin,
    message: &Message<'_>,
    attachments: &Attachments<'_>,
    names_authors: bool,
) -> Vec<String> {
    let said = Said::of(message.content, attachments);
    let is_summary = message
        .metadata
        .as_ref()
        .is_some_and(|metadata| metadata.summary.is_set());
    match message.role.text() {
        "user" if is_summary => {
            let text = said.content.text;
            draft.prompt(options, place.clone(), "compactionSummaries", text);
        }
        "user" if names_authors && !message.is_of_user() => {
            draft.withhold("images", said.content.images);
            if !said.content.text.trim().is_empty() {
                draft.note(place.clone(), "environment", Some(said.content.text));
            }
        }
        "system" => draft.prompt(options, place.clone(), "systemPrompts", said.content.text),
        "user" => draft.message(place.clone(), Role::User, said.content, false),
        "tool" => {
            let error = message.error.as_ref();
            let mut result = result(message.tool_call_id.named(), said.content, error, draft);
            result.ok = Some(error.is_none());
            draft.push(place.clone(), What::ToolResult(result));
        }
        "assistant" => return answer(draft, options, place, message, said, attachments),
        _ => {}
    }
    Vec::new()
}

/// A tool result that states whether it failed.
pub fn result(
    call: Option<String>,
    content: Spoken,
    error: Option<&ToolError<'_>>,
    draft: &mut Draft,
) -> ToolResult {
    draft.withhold("images", content.images);
    let reason = error.and_then(|error| error.message.named());
    let is_empty = content.text.is_empty();
    ToolResult {
        call,
        status: error.and_then(|error| error.kind.named()),
        text: reason.filter(|_| is_empty).or(Some(content.text)),
        images: content.images,
        ..ToolResult::default()
    }
}

fn answer(
    draft: &mut Draft,
    options: &Options,
    place: &Origin,
    message: &Message<'_>,
    said: Said,
    attachments: &Attachments<'_>,
) -> Vec<String> {
    draft.withhold("encryptedReasoning", said.encrypted);
    let older = message.reasoning.named().map(|text| (text, false));
    for (text, is_summary) in older.into_iter().chain(said.reasoning) {
        draft.reasoning(options, place.clone(), text, is_summary);
    }
    let first = draft.events.len();
    draft.message(place.clone(), Role::Assistant, said.content, false);
    for event in &mut draft.events[first..] {
        if let What::Message { model, .. } = &mut event.what {
            *model = message.model.named();
        }
    }
    for call in said.hosted {
        draft.push(place.clone(), What::ToolCall(call));
    }
    let mut ids = Vec::new();
    for raw in message.tool_calls.items() {
        let call: ToolCall<'_> = loose::part(raw);
        let (arguments, arguments_text) = arguments(call.arguments, attachments);
        let name = call.function.named();
        ids.extend(call.id.named());
        let call = Call {
            name: name.unwrap_or_else(|| "unknown".to_owned()),
            call: call.id.named(),
            arguments,
            arguments_text,
            status: call.parse_error.named().map(|_| "not parsed".to_owned()),
            ..Call::default()
        };
        draft.push(place.clone(), What::ToolCall(call));
    }
    ids
}
