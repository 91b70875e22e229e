//! The trace (`*.trace.jsonl`): the words and actions of an agent, with arguments and results of its tools. A header, then one
//! event per line. Our own format, written by importers, other tools or by hand.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use base::diagnostics::text::quoted;
use base::diagnostics::{Collector, Diagnostic, Source, codes};
use base::shapes;

use super::event_line;
use super::json::{Node, Str};
use super::jsonl::{self, Line};

/// Suffix of a trace's file name.
pub const SUFFIX: &str = ".trace.jsonl";

/// Whether a file of this name is a trace.
#[must_use]
pub fn is_trace(name: &str) -> bool {
    name.len() > SUFFIX.len() && name.ends_with(SUFFIX)
}

/// A line of a trace: the first is the header, every other an event.
#[derive(Debug, JsonSchema)]
#[schemars(untagged, transform = header_or_event)]
#[allow(
    dead_code,
    clippy::large_enum_variant,
    reason = "only its schema is used"
)]
pub enum TraceLine<'a> {
    /// The first line of the file, and no other.
    Header(TraceHeader),
    /// An event, in the order of recording.
    Event(TraceEventFields<'a>),
}

/// Lets an editor report what is wrong with a line, instead of that it matches neither the header nor an event.
fn header_or_event(schema: &mut Schema) {
    let Some(serde_json::Value::Array(either)) = schema.remove("anyOf") else {
        return;
    };
    let is_header = serde_json::json!({
        "required": ["type"],
        "properties": { "type": { "const": HEADER } },
    });
    schema.insert("if".to_owned(), is_header);
    for (key, either) in ["then", "else"].into_iter().zip(either) {
        schema.insert(key.to_owned(), either);
    }
}

const HEADER: &str = "trace";

/// First line of a trace.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "type", rename = "trace", rename_all = "camelCase")]
pub struct TraceHeader {
    /// Version of the format.
    #[schemars(with = "shapes::Version")]
    pub schema_version: u32,
    /// What wrote the trace, where it was made from another log.
    pub importer: Option<Importer>,
    /// The files that the trace was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceFile>,
    /// The agents beside the main one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<TraceAgent>,
    /// What was left out on purpose, and how often.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("default" = {}))]
    pub withheld: BTreeMap<String, u64>,
    /// Position of each agent, by id.
    #[serde(skip)]
    pub positions: BTreeMap<String, usize>,
}

impl TraceHeader {
    #[must_use]
    pub fn agent(&self, id: &str) -> Option<&TraceAgent> {
        self.positions.get(id).map(|at| &self.agents[*at])
    }
}

/// What made a trace from another log.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
pub struct Importer {
    /// Name of the other format.
    pub format: String,
    /// Version of the importer.
    pub version: u32,
}

/// A file that a trace was made from.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
pub struct SourceFile {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of its bytes.
    pub blake3: String,
}

/// An agent beside the main one.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Agent")]
pub struct TraceAgent {
    /// Its id, as in `agent` of its events.
    pub id: String,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The agent that started it; absent for the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The call that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Its model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceEventKind {
    Message,
    Reasoning,
    ToolCall,
    ToolResult,
    Edit,
    Subagent,
    Compaction,
    Score,
    Error,
    Usage,
    Note,
    Unknown,
}

/// A line as written. Its number in the tape is its position after the header.
pub type TraceEvent<'a> = event_line::EventLine<'a, TraceEventFields<'a>>;

/// An event of a trace.
///
/// The other keys depend on `type`. An event of an unrecognized type is shown as `unknown`, with a warning. A line that
/// violates the schema is also kept as `unknown`. A null key counts as absent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TraceEvent", transform = event_line::require_keys::<TraceEventFields>)]
pub struct TraceEventFields<'a> {
    /// Number of the event: 0 for the first after the header, one more for each. May be left out.
    pub seq: Option<u64>,
    /// Type of event; it determines the required keys.
    #[serde(borrow, rename = "type")]
    pub word: Option<Str<'a>>,
    /// Time of the event, RFC 3339.
    #[serde(borrow)]
    pub time: Option<Str<'a>>,
    /// The time as the source has it, where it names no time zone.
    #[serde(borrow)]
    pub local_time: Option<Str<'a>>,
    /// Id of the agent, from the header; absent for the main one.
    #[serde(borrow)]
    pub agent: Option<Str<'a>>,
    /// Name of an abandoned branch; absent on the one that was continued to the end.
    #[serde(borrow)]
    pub branch: Option<Str<'a>>,
    /// Number of the turn, where the source counts them.
    pub turn: Option<u64>,
    /// Who wrote a message.
    pub role: Option<Role>,
    /// Text of a message, of reasoning, of a result or of a note.
    #[serde(borrow)]
    pub text: Option<Str<'a>>,
    /// Whether a message of the agent is its answer or comes before that.
    pub phase: Option<MessagePhase>,
    /// Whether a message of the user was sent while the agent worked.
    pub steering: Option<bool>,
    /// How many images were left out.
    pub images: Option<u64>,
    /// Files of the run directory that belong to the event, such as `assets/3f2a.png`.
    #[serde(borrow)]
    pub assets: Option<Vec<Str<'a>>>,
    /// Whether reasoning is the provider's summary of it.
    pub summary: Option<bool>,
    /// Name of the tool, subagent or score.
    #[serde(borrow)]
    pub name: Option<Str<'a>>,
    /// Id of a call; of a result, an edit or a subagent, the call that it belongs to.
    #[serde(borrow)]
    pub call: Option<Str<'a>>,
    /// Arguments of a call: any JSON value.
    #[serde(borrow)]
    pub arguments: Option<&'a RawValue>,
    /// Arguments of a call that are not JSON.
    #[serde(borrow)]
    pub arguments_text: Option<Str<'a>>,
    /// Whether the provider ran the tool, so that no result follows.
    pub hosted: Option<bool>,
    /// Status of a call or a result in the words of its source, such as `rejected`, `interrupted` or `timeout`.
    #[serde(borrow)]
    pub status: Option<Str<'a>>,
    /// Whether a call succeeded; a missing value means that the source did not say. An `exitCode` other than 0 is a failure
    /// whatever this says.
    pub ok: Option<bool>,
    /// Exit status of a command.
    pub exit_code: Option<i64>,
    /// Whether the exit status is a value of the source or was found in the text of the result.
    pub exit_code_from: Option<ExitCodeFrom>,
    /// Bytes of a result that were left out.
    pub truncated: Option<u64>,
    /// The changed file.
    #[serde(borrow)]
    pub path: Option<Str<'a>>,
    /// What an edit did to the file.
    pub change: Option<EditKind>,
    /// New path of a renamed file.
    #[serde(borrow)]
    pub to: Option<Str<'a>>,
    /// The edit as a unified diff.
    #[serde(borrow)]
    pub diff: Option<Str<'a>>,
    /// What a subagent did.
    pub action: Option<SubagentAction>,
    /// Id of a subagent.
    #[serde(borrow)]
    pub id: Option<Str<'a>>,
    /// What caused a compaction.
    #[serde(borrow)]
    pub trigger: Option<Str<'a>>,
    /// Tokens before a compaction.
    pub tokens_before: Option<u64>,
    /// Events that a compaction removed from the context.
    pub forgotten: Option<u64>,
    /// The score, verbatim: any JSON value but null.
    #[serde(borrow)]
    pub value: Option<&'a RawValue>,
    /// What gave the score.
    #[serde(borrow)]
    pub scorer: Option<Str<'a>>,
    /// Message of an error.
    #[serde(borrow)]
    pub message: Option<Str<'a>>,
    /// Code of an error.
    #[serde(borrow)]
    pub code: Option<Str<'a>>,
    /// Tokens that were used, in the four classes of a run record.
    pub tokens: Option<Tokens>,
    /// The model that used them, or that wrote a message.
    #[serde(borrow)]
    pub model: Option<Str<'a>>,
    /// Cost in USD.
    pub cost: Option<f64>,
    /// Ids of the calls that the tokens paid for.
    #[serde(borrow)]
    pub calls: Option<Vec<Str<'a>>>,
    /// The classes of `tokens` that are lower bounds, because the log lacks a part of the response.
    #[serde(borrow)]
    pub lower_bounds: Option<Vec<Str<'a>>>,
    /// Kind of note, or type of an event that could not be translated.
    #[serde(borrow)]
    pub kind: Option<Str<'a>>,
    /// Where the event is in the files that the trace was made from.
    #[serde(borrow)]
    pub source: Option<EventSource<'a>>,
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Who gave the task.
    User,
    /// The agent.
    Assistant,
}

/// Whether a message is the agent's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Phase")]
pub enum MessagePhase {
    /// Said on the way.
    Commentary,
    /// The answer.
    Final,
}

/// Where an exit status comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExitCodeFrom {
    /// A value of the source.
    Field,
    /// The text of the result.
    Text,
}

/// What an edit did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Change")]
pub enum EditKind {
    /// The file is new.
    Create,
    /// Its content changed.
    Modify,
    /// It was deleted.
    Delete,
    /// It has another path, and perhaps other content.
    Rename,
}

/// What a subagent did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Action")]
pub enum SubagentAction {
    /// It began.
    Started,
    /// It finished its task.
    Completed,
    /// It did not finish its task.
    Failed,
}

/// Tokens by class. The classes do not overlap.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    /// Input that was not in the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncached_input: Option<u64>,
    /// Input from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<u64>,
    /// Output without reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}

impl Tokens {
    /// The sum. If only one side knows its reasoning tokens, the sum leaves them out.
    pub fn plus(self, other: Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (one, None) | (None, one) => one,
        };
        let known = |tokens: Self| tokens.output.is_none() || tokens.reasoning.is_some();
        let output = sum(self.output, other.output);
        let reasoning = sum(self.reasoning, other.reasoning);
        let are_separate = known(self) && known(other);
        Self {
            uncached_input: sum(self.uncached_input, other.uncached_input),
            cached_input: sum(self.cached_input, other.cached_input),
            output: if are_separate {
                output
            } else {
                sum(output, reasoning)
            },
            reasoning: reasoning.filter(|_| are_separate),
        }
    }

    /// Whether every class that is reported is 0.
    pub fn is_zero(self) -> bool {
        let classes = [
            self.uncached_input,
            self.cached_input,
            self.output,
            self.reasoning,
        ];
        classes.into_iter().flatten().all(|count| count == 0)
    }
}

/// Where an event is in the files that the trace was made from.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Origin")]
pub struct EventSource<'a> {
    /// Position of the file in `sources` of the header.
    pub file: u64,
    /// The member of an archive.
    #[serde(borrow)]
    pub member: Option<Str<'a>>,
    /// The line, from 1.
    pub line: Option<u64>,
    /// JSON pointer in the line, the member or the file.
    #[serde(borrow)]
    pub pointer: Option<Str<'a>>,
    /// The source's own id of the event.
    #[serde(borrow)]
    pub id: Option<Str<'a>>,
}

impl<'a> event_line::EventFields<'a> for TraceEventFields<'a> {
    type Kind = TraceEventKind;

    const TYPES: &'static [(&'static str, TraceEventKind, &'static [&'static str])] = &[
        ("message", TraceEventKind::Message, &["role", "text"]),
        ("reasoning", TraceEventKind::Reasoning, &["text"]),
        ("tool_call", TraceEventKind::ToolCall, &["name"]),
        ("tool_result", TraceEventKind::ToolResult, &[]),
        ("edit", TraceEventKind::Edit, &["path", "change"]),
        ("subagent", TraceEventKind::Subagent, &["action", "id"]),
        ("compaction", TraceEventKind::Compaction, &[]),
        ("score", TraceEventKind::Score, &["name", "value"]),
        ("error", TraceEventKind::Error, &["message"]),
        ("usage", TraceEventKind::Usage, &["tokens"]),
        ("note", TraceEventKind::Note, &["kind"]),
        ("unknown", TraceEventKind::Unknown, &["kind"]),
    ];
    const UNKNOWN: TraceEventKind = TraceEventKind::Unknown;
    const ALWAYS: &'static [&'static str] = &[];

    fn word(&self) -> &str {
        self.word.as_deref().unwrap_or_default()
    }

    fn has(&self, key: &str) -> bool {
        match key {
            "role" => self.role.is_some(),
            "text" => self.text.is_some(),
            "name" => self.name.is_some(),
            "path" => self.path.is_some(),
            "change" => self.change.is_some(),
            "action" => self.action.is_some(),
            "id" => self.id.is_some(),
            "value" => self.value.is_some(),
            "message" => self.message.is_some(),
            "tokens" => self.tokens.is_some(),
            _ => self.kind.is_some(),
        }
    }
}

/// Reads a trace: `each` gets the header and an event for each non-blank line after it, readable or not, so that event numbers
/// never shift. Without a valid header, all lines are still checked, but `each` gets nothing.
#[must_use]
pub fn read<'a>(
    path: &str,
    bytes: &'a [u8],
    mut each: impl FnMut(&TraceHeader, TraceEvent<'a>),
) -> (Option<TraceHeader>, Vec<Diagnostic>) {
    let mut diagnostics = Collector::default();
    let mut lines = jsonl::lines(bytes);
    let header = match lines.next() {
        Some(line) => parse_header(path, &line),
        None => Err(Box::new(codes::TRACE_MISSING_HEADER.at(
            Source::file(path, bytes).place(0, 0),
            "The trace is empty; its first line must be a header",
            "Record the trace again, or remove the file.",
        ))),
    };
    let header = header.map_err(|problem| diagnostics.push(*problem)).ok();
    for line in lines {
        let event = event_line::read(path, line, &mut diagnostics);
        if let Some(header) = &header {
            each(header, event);
        }
    }
    (header, diagnostics.finish(path))
}

/// The content hash of a trace: BLAKE3 over each non-blank line after the header, trailing CR removed, followed by LF.
#[must_use]
pub fn content_hash(bytes: &[u8]) -> String {
    jsonl::hash(bytes, 1)
}

fn parse_header(path: &str, line: &Line<'_>) -> Result<TraceHeader, Box<Diagnostic>> {
    let text = line.text.as_ref();
    let source = line.source(path);
    let whole = || source.place(0, text.len());
    let root = Node::parse(text).ok();
    let get = |key| root.and_then(|root| root.get(key));
    if get("type").and_then(|tag| tag.as_str()).as_deref() != Some(HEADER) {
        return Err(Box::new(codes::TRACE_MISSING_HEADER.at(
            whole(),
            "The first line of the trace is not a header",
            "Begin the trace with `{\"type\":\"trace\",\"schemaVersion\":1}`.",
        )));
    }
    // A newer header may have unreadable parts, so check its version first.
    if let Some(node) = get("schemaVersion")
        && node
            .as_u64()
            .is_some_and(|version| version != u64::from(shapes::SCHEMA_VERSION))
    {
        return Err(Box::new(codes::TRACE_UNSUPPORTED_VERSION.at(
            node.place(&source).pointing("/schemaVersion"),
            format!(
                "The trace has version {}; the only supported version is `{}`",
                quoted(node.raw),
                shapes::SCHEMA_VERSION
            ),
            "Use a newer runpress, or write the trace in the supported version.",
        )));
    }
    let mut header: TraceHeader = line.object(path).map_err(|fault| {
        let message = format!("The header cannot be read: {}", fault.reason());
        let help = "Correct the header; without it the trace is not loaded.";
        Box::new(codes::TRACE_INVALID_HEADER.at(fault.place, message, help))
    })?;
    let ids = header.agents.iter().map(|agent| agent.id.clone());
    header.positions = ids.zip(0..).collect();
    Ok(header)
}
