//! Parts of an agent's payloads that events show: from responses, outcomes and messages. Several records may refer to one
//! payload, so its parts are shared in memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::tape::{BlockText, ContentBlock, MAX_HEADLINE_BYTES, TextKind, sum};
use crate::tape::content::{self, ArgumentKind, PayloadValue};

/// A part of a payload, identified by the payload's hash.
#[derive(Clone)]
pub(super) struct PayloadPart {
    pub(super) text: Arc<str>,
    pub(super) name: String,
}

impl PayloadPart {
    pub(super) fn of(text: &str) -> Self {
        Self {
            text: text.into(),
            name: blake3::hash(text.as_bytes()).to_hex().to_string(),
        }
    }

    pub(super) fn block<'a>(
        &self,
        label: Option<&'static str>,
        kind: TextKind,
    ) -> ContentBlock<'a> {
        let text = BlockText::Payload(Arc::clone(&self.text), self.name.clone());
        ContentBlock::new(label, kind, text)
    }
}

/// The arguments of a call, and their subject.
#[derive(Clone)]
pub(super) struct CallArguments {
    /// The part that is shown.
    pub(super) part: PayloadPart,
    pub(super) digest: String,
    pub(super) about: Option<(ArgumentKind, String)>,
}

impl CallArguments {
    fn of(text: &str) -> Self {
        let whole = PayloadPart::of(text);
        let about = content::about(text, None);
        Self {
            digest: whole.name.clone(),
            part: without_thinking(text).unwrap_or(whole),
            about: about.map(|(about, text)| (about, cut(text))),
        }
    }
}

const NOT_SHOWN: &str = "recorded, not shown";

/// Maximum number of calls shown per response. The others are counted: many events may share a response.
const MAX_CALLS: usize = 200;

pub(super) struct Reply {
    pub(super) text: Option<PayloadPart>,
    pub(super) summary: Option<PayloadPart>,
    /// Id, tool and arguments of each call.
    pub(super) calls: Vec<(String, String, Option<CallArguments>)>,
    pub(super) facts: Vec<(&'static str, String)>,
    /// Tokens of the call, input and output.
    pub(super) tokens: Option<u64>,
}

pub(super) struct ToolOutcome {
    pub(super) succeeded: bool,
    pub(super) result: Option<(TextKind, PayloadPart)>,
    pub(super) arguments: Option<CallArguments>,
    pub(super) facts: Vec<(&'static str, String)>,
}

pub(super) struct MessagePayload {
    pub(super) label: &'static str,
    pub(super) about: String,
    pub(super) kind: TextKind,
    pub(super) text: PayloadPart,
}

/// Parsed payloads of one kind that are separate files, by hash.
pub(super) type PayloadCache<T> = BTreeMap<String, Option<Arc<T>>>;

/// Reads a payload; one in a separate file is read once, however many records refer to it.
pub(super) fn read_once<T>(
    text: &BlockText<'_>,
    known: &mut PayloadCache<T>,
    read: fn(&str) -> Option<T>,
) -> Option<Arc<T>> {
    match text {
        BlockText::Own(text) => read(text).map(Arc::new),
        BlockText::Payload(text, hash) => {
            if let Some(known) = known.get(hash) {
                return known.clone();
            }
            let made = read(text).map(Arc::new);
            known.insert(hash.clone(), made.clone());
            made
        }
    }
}

pub(super) fn reply(text: &str) -> Option<Reply> {
    let Some(response) = content::response(text) else {
        let rest = without_thinking(text)?;
        return Some(Reply {
            text: Some(rest),
            summary: None,
            calls: Vec::new(),
            facts: vec![("thinking", NOT_SHOWN.to_owned())],
            tokens: None,
        });
    };
    let mut facts = Vec::new();
    let mut fact = |name, value: Option<String>| facts.extend(value.map(|value| (name, value)));
    let tokens = |count: Option<u64>| count.map(|count| count.to_string());
    fact("model", response.model.map(cut));
    fact("provider", response.provider.map(cut));
    fact("input tokens", tokens(response.input_tokens));
    fact("from cache", tokens(response.cache_read_tokens));
    fact("to cache", tokens(response.cache_write_tokens));
    fact("output tokens", tokens(response.output_tokens));
    fact("stopped by", response.stop_reason.map(cut));
    if response.has_thinking {
        fact("thinking", Some(NOT_SHOWN.to_owned()));
    }
    let more = response.calls.len().saturating_sub(MAX_CALLS);
    fact("more calls", (more > 0).then(|| more.to_string()));
    let calls = response.calls.into_iter().take(MAX_CALLS).map(|call| {
        let arguments = call.arguments.map(CallArguments::of);
        (cut(call.id), cut(call.name), arguments)
    });
    Some(Reply {
        text: response.text.as_deref().map(PayloadPart::of),
        summary: response.thinking_summary.as_deref().map(PayloadPart::of),
        calls: calls.collect(),
        tokens: sum([response.input_tokens, response.output_tokens]),
        facts,
    })
}

pub(super) fn tool_outcome(text: &str) -> Option<ToolOutcome> {
    let outcome = content::outcome(text)?;
    let mut facts = Vec::new();
    let mut fact = |name, value: Option<String>| facts.extend(value.map(|value| (name, value)));
    fact("category", outcome.category.map(cut));
    fact("took", outcome.duration_ms.map(|ms| format!("{ms} ms")));
    fact("changes", outcome.mutation.map(cut));
    Some(ToolOutcome {
        succeeded: outcome.succeeded,
        result: outcome.result.map(|result| displayed_value(&result)),
        arguments: outcome.arguments.map(CallArguments::of),
        facts,
    })
}

pub(super) fn message(text: &str) -> MessagePayload {
    let Some(message) = content::message(text) else {
        return MessagePayload {
            label: "new message",
            about: String::new(),
            kind: TextKind::of(text),
            text: without_thinking(text).unwrap_or_else(|| PayloadPart::of(text)),
        };
    };
    let (label, about) = match &*message.role {
        "system" => ("new message of the system", String::new()),
        "user" => ("new message of the user", String::new()),
        "assistant" => ("new message of the assistant", String::new()),
        "tool" | "tool_result" => ("new message with the result of a tool", String::new()),
        _ => ("new message of", cut(message.role)),
    };
    let (kind, text) = message.content.map_or_else(
        || (TextKind::Plain, PayloadPart::of("")),
        |value| displayed_value(&value),
    );
    MessagePayload {
        label,
        about,
        kind,
        text,
    }
}

/// The type of a session event.
pub(super) fn event_type(text: &str) -> Option<String> {
    content::event_type(text).map(cut)
}

/// A truncated name: many events may have it.
fn cut(text: Cow<'_, str>) -> String {
    match text.char_indices().nth(MAX_HEADLINE_BYTES) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

fn displayed_value(value: &PayloadValue<'_>) -> (TextKind, PayloadPart) {
    let (kind, text) = match value {
        PayloadValue::Text(text) => (TextKind::of(text), &**text),
        PayloadValue::Json(raw) => (TextKind::Json, *raw),
    };
    (
        kind,
        without_thinking(text).unwrap_or_else(|| PayloadPart::of(text)),
    )
}

/// JSON without its thinking; `None` if it has none.
pub(super) fn without_thinking(text: &str) -> Option<PayloadPart> {
    content::without_thinking(text).map(|rest| PayloadPart::of(&rest))
}
