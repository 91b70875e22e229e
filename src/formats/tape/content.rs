//! JSON in payloads of a Harn tape: model responses, tool outcomes, messages and events (formats.md J). Nothing about it is
//! guaranteed: unexpected parts are skipped, and a payload of another shape is `None`.

use std::borrow::Cow;

use super::change::{OrderedValue, THINKING};
use crate::json::{JsonKind, Member, Node, last};
use crate::private::{is_reasoning, is_reasoning_object};

/// The response of a model.
#[derive(Debug, Default)]
pub struct ModelResponse<'a> {
    pub text: Option<Cow<'a, str>>,
    pub thinking_summary: Option<Cow<'a, str>>,
    /// Whether its thinking is on the tape.
    pub has_thinking: bool,
    pub calls: Vec<RequestedCall<'a>>,
    pub model: Option<Cow<'a, str>>,
    pub provider: Option<Cow<'a, str>>,
    pub stop_reason: Option<Cow<'a, str>>,
    /// Tokens of the whole prompt, including cached ones.
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// Prompt tokens read from the cache; also `None` if the provider does not count them.
    pub cache_read_tokens: Option<u64>,
    /// Prompt tokens written to the cache.
    pub cache_write_tokens: Option<u64>,
}

/// A tool call, as the model requested it.
#[derive(Debug)]
pub struct RequestedCall<'a> {
    /// Its id; may be empty.
    pub id: Cow<'a, str>,
    pub name: Cow<'a, str>,
    /// The arguments as written.
    pub arguments: Option<&'a str>,
}

/// The keys of an object; of duplicates the last one counts.
struct Keys<'a>(Vec<Member<'a>>);

impl<'a> Keys<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let node = Node::parse(text).ok()?;
        Self::of_node(node)
    }

    fn of_node(node: Node<'a>) -> Option<Self> {
        (node.kind() == JsonKind::Object).then(|| Self(node.members()))
    }

    fn get(&self, key: &str) -> Option<Node<'a>> {
        last(&self.0, key).filter(|value| value.kind() != JsonKind::Null)
    }

    fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.as_str().filter(|text| !text.is_empty())
    }

    /// A text, or a list of texts such as a program and its arguments.
    fn words(&self, key: &str) -> Option<Cow<'a, str>> {
        self.text(key).or_else(|| {
            let words = self.get(key)?.items();
            let words: Option<Vec<_>> = words.iter().map(Node::as_str).collect();
            words
                .filter(|words| !words.is_empty())
                .map(|words| Cow::Owned(words.join(" ")))
        })
    }

    fn whole(&self, key: &str) -> Option<u64> {
        self.get(key)?.as_u64()
    }

    fn boolean(&self, key: &str) -> Option<bool> {
        self.get(key)?.as_bool()
    }
}

/// Reads a model response; `None` if the payload is something else.
pub fn response(text: &str) -> Option<ModelResponse<'_>> {
    let keys = Keys::of(text)?;
    let known = [
        "text",
        "tool_calls",
        "input_tokens",
        "output_tokens",
        "thinking",
        "thinking_summary",
    ];
    // A response with a model may come from another API, with content that would be lost.
    let is_plain =
        || keys.get("model").is_some() && !keys.0.iter().any(|member| is_container(member.value));
    if !known.iter().any(|key| keys.get(key).is_some()) && !is_plain() {
        return None;
    }
    // If the provider does not count them, 0 means unknown. Both key names are in use.
    let counted = ["cache_supported", "cache_counts_reported"]
        .iter()
        .all(|key| keys.boolean(key) != Some(false));
    let cached = |key: &str| keys.whole(key).filter(|_| counted);
    let calls = keys.get("tool_calls").map(|calls| calls.items());
    Some(ModelResponse {
        text: keys.text("text"),
        thinking_summary: keys.text("thinking_summary"),
        has_thinking: keys.0.iter().any(is_thinking),
        calls: calls
            .unwrap_or_default()
            .into_iter()
            .filter_map(call)
            .collect(),
        model: keys.text("model"),
        provider: keys.text("provider"),
        stop_reason: keys.text("stop_reason"),
        input_tokens: keys.whole("input_tokens"),
        output_tokens: keys.whole("output_tokens"),
        cache_read_tokens: cached("cache_read_tokens"),
        cache_write_tokens: cached("cache_write_tokens"),
    })
}

fn is_container(node: Node<'_>) -> bool {
    matches!(node.kind(), JsonKind::Array | JsonKind::Object)
}

/// Whether a key contains thinking, rather than its summary.
fn is_thinking(member: &Member<'_>) -> bool {
    let value = member.value;
    let has_words = is_container(value) || value.as_str().is_some_and(|text| !text.is_empty());
    has_words && member.key != "thinking_summary" && is_reasoning(&member.key)
}

/// JSON without its thinking; `None` if it has none.
pub fn without_thinking(text: &str) -> Option<String> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut value: OrderedValue = serde_json::from_str(text).ok()?;
    if !value.withhold() {
        return None;
    }
    serde_json::to_string(&value).ok()
}

fn call(node: Node<'_>) -> Option<RequestedCall<'_>> {
    let keys = Keys::of_node(node)?;
    Some(RequestedCall {
        id: keys.text("id").unwrap_or_default(),
        name: keys.text("name")?,
        arguments: keys.get("arguments").map(|arguments| arguments.raw),
    })
}

/// The outcome of a tool call.
#[derive(Debug)]
pub struct ToolCallOutcome<'a> {
    pub succeeded: bool,
    /// The result, or the error.
    pub result: Option<PayloadValue<'a>>,
    /// Category of the error, one word.
    pub category: Option<Cow<'a, str>>,
    /// The arguments as written, if the agent loop recorded them.
    pub arguments: Option<&'a str>,
    pub duration_ms: Option<u64>,
    /// Changes, as reported by the agent loop.
    pub mutation: Option<Cow<'a, str>>,
}

/// A value of a payload.
#[derive(Debug)]
pub enum PayloadValue<'a> {
    Text(Cow<'a, str>),
    /// Anything else, as written.
    Json(&'a str),
}

impl<'a> PayloadValue<'a> {
    fn of(node: Node<'a>) -> Option<Self> {
        match node.kind() {
            JsonKind::Null => None,
            JsonKind::String => node
                .as_str()
                .filter(|text| !text.is_empty())
                .map(Self::Text),
            _ => Some(Self::Json(node.raw)),
        }
    }
}

/// Reads a tool outcome; `None` if the payload is something else.
pub fn outcome(text: &str) -> Option<ToolCallOutcome<'_>> {
    let keys = Keys::of(text)?;
    let kind = keys.text("kind")?;
    let mut outcome = ToolCallOutcome {
        succeeded: kind == "ok",
        result: None,
        category: keys.text("category"),
        arguments: None,
        duration_ms: None,
        mutation: None,
    };
    let value = keys.get("value");
    let inner = value.and_then(Keys::of_node);
    let noted = inner.as_ref().filter(|inner| is_call_record(inner));
    let failed = inner.as_ref().and_then(|inner| inner.boolean("ok")) == Some(false);
    outcome.succeeded &= !failed;
    match (noted, &*kind) {
        (Some(noted), "ok") => {
            let shown: &[&str] = if failed {
                &["error", "rendered_result", "observation", "result"]
            } else {
                &["rendered_result", "observation", "result"]
            };
            outcome.result = shown
                .iter()
                .filter_map(|key| noted.get(key))
                .find_map(PayloadValue::of);
            outcome.category = noted.text("error_category");
            outcome.arguments = noted.get("arguments").map(|arguments| arguments.raw);
            outcome.duration_ms = noted.whole("execution_duration_ms");
            outcome.mutation = noted.text("mutation_status");
        }
        (_, "ok" | "thrown_value") => outcome.result = value.and_then(PayloadValue::of),
        _ => outcome.result = keys.text("message").map(PayloadValue::Text),
    }
    Some(outcome)
}

/// Whether a value is the agent loop's record of a call, and not a result that happens to be an object.
fn is_call_record(keys: &Keys<'_>) -> bool {
    keys.boolean("ok").is_some()
        && ["tool_name", "tool_call_id", "status", "rendered_result"]
            .iter()
            .any(|key| keys.get(key).is_some())
}

/// A message to or from a model.
#[derive(Debug)]
pub struct ModelMessage<'a> {
    /// Role of the speaker: `user`, `assistant`, `tool_result`, ...
    pub role: Cow<'a, str>,
    pub content: Option<PayloadValue<'a>>,
}

/// Reads a message; `None` if the payload is something else.
pub fn message(text: &str) -> Option<ModelMessage<'_>> {
    let keys = Keys::of(text)?;
    let role = keys.text("role")?;
    if is_reasoning_object(&keys.0) {
        let content = Some(PayloadValue::Text(Cow::Borrowed(THINKING)));
        return Some(ModelMessage { role, content });
    }
    let content = keys.get("content");
    let content = content.and_then(|content| match content.kind() {
        JsonKind::Array => Some(PayloadValue::Text(Cow::Owned(parts(content)))),
        JsonKind::Object => Some(PayloadValue::Text(without_thinking_or_raw(content))),
        _ => PayloadValue::of(content),
    });
    Some(ModelMessage { role, content })
}

/// A value as written, without thinking.
fn without_thinking_or_raw(node: Node<'_>) -> Cow<'_, str> {
    without_thinking(node.raw).map_or(Cow::Borrowed(node.raw), Cow::Owned)
}

/// The parts of a message as one text: thinking by name only, and other non-text as written.
fn parts(content: Node<'_>) -> String {
    let parts = content.items().into_iter().map(|item| {
        let keys = Keys::of_node(item);
        let kind = keys.as_ref().and_then(|keys| keys.text("type"));
        let kind = kind.unwrap_or_default();
        if is_reasoning(&kind) {
            return Cow::Owned(format!("<{kind}>"));
        }
        if keys
            .as_ref()
            .is_some_and(|keys| is_reasoning_object(&keys.0))
        {
            return Cow::Borrowed(THINKING);
        }
        let text = item.as_str().or_else(|| keys?.text("text"));
        text.unwrap_or_else(|| without_thinking_or_raw(item))
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

/// The `type` of a session event.
pub fn event_type(text: &str) -> Option<Cow<'_, str>> {
    Keys::of(text)?.text("type")
}

/// The target of a call, from its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    Command,
    /// A file or folder.
    Path,
    /// A search query or an address.
    Query,
    /// A task in a few words.
    Description,
}

/// The subject of a call from its arguments: of the `preferred` kind if present, else a command line, a path or a query.
pub fn about(
    arguments: &str,
    preferred: Option<ArgumentKind>,
) -> Option<(ArgumentKind, Cow<'_, str>)> {
    const NAMES: [(ArgumentKind, &[&str]); 4] = [
        (ArgumentKind::Command, &["command", "cmd"]),
        (
            ArgumentKind::Path,
            &["path", "file_path", "file", "filename", "notebook_path"],
        ),
        (ArgumentKind::Query, &["query", "pattern", "url"]),
        (ArgumentKind::Description, &["description"]),
    ];
    let keys = Keys::of(arguments)?;
    let first = NAMES.iter().filter(|(about, _)| Some(*about) == preferred);
    first.chain(&NAMES).find_map(|(about, names)| {
        let text = names.iter().find_map(|name| keys.words(name))?;
        Some((*about, text))
    })
}
