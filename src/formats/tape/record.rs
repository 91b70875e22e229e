//! The lines of a Harn tape as types: the header, and each kind of record (formats.md C, J).
//!
//! The content hash covers reserialized records, so these types serialize in exactly Harn's key order. One set of types reads all
//! versions of the format.

use schemars::JsonSchema;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};

use super::FORMAT_VERSION;
use super::change::TranscriptChange;
use crate::json::Str;

/// First line of a tape.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Header")]
pub struct TapeHeader {
    /// Version of the format; the newest that is read is 5. It is only shown.
    #[schemars(range(max = FORMAT_VERSION))]
    pub version: u32,
    /// The version of Harn that wrote it.
    pub harn_version: String,
    /// When the recording began, in milliseconds since 1970-01-01 UTC.
    #[serde(default)]
    pub started_at_unix_ms: Option<i64>,
    /// The script that ran.
    #[serde(default)]
    pub script_path: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub argv: Vec<String>,
    /// How the run was recorded; absent for a test bench.
    #[serde(default)]
    pub run: Option<RunFacts>,
}

/// How a run was recorded.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct RunFacts {
    /// How many of the payloads are on the tape.
    pub recording: Recording,
    /// Whether file changes were recorded; if not, a call without effects may still have changed files.
    pub effects_observed: bool,
    /// Folders that hold the run's own state.
    #[serde(default)]
    pub state_roots: Vec<String>,
    /// Working directory of the run.
    #[serde(default)]
    pub workspace_root: Option<String>,
}

/// How many of the payloads are on a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recording {
    /// Requests, messages, responses and tool results.
    Full,
    /// Models, token counts and digests.
    Metadata,
    /// No payloads.
    Off,
}

/// One record, in Harn's key order.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Record")]
pub struct TapeRecord<'a> {
    /// Its number, from 0; annotations point at it.
    pub seq: u64,
    /// Phase of the program; `user_script` when absent.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "RecordPhase")]
    pub phase: Option<RecordPhase>,
    /// The program's own clock, in milliseconds.
    pub virtual_time_ms: i64,
    /// A clock that never jumps, in milliseconds.
    pub monotonic_ms: i64,
    /// The recorded event.
    #[serde(borrow)]
    pub kind: RecordKind<'a>,
}

/// A value that may be missing, but not null.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let value = Option::<T>::deserialize(deserializer)?;
    let null = || D::Error::invalid_type(Unexpected::Unit, &"a string");
    value.map(Some).ok_or_else(null)
}

/// Phase of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Phase")]
pub enum RecordPhase {
    /// The script itself; also the phase of records without one.
    UserScript,
    /// The runtime's own work after the script.
    RuntimeFinalize,
}

/// Kind of record. The fields of an unrecognized kind are neither read nor hashed.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(rename = "Kind", transform = open)]
pub enum RecordKind<'a> {
    /// A clock was read.
    ClockRead {
        /// Which clock.
        source: ClockSource,
        /// Reading of the clock, in milliseconds.
        value_ms: i64,
    },
    /// The program slept.
    ClockSleep {
        /// How long, in milliseconds.
        duration_ms: u64,
    },
    /// A model was called.
    LlmCall {
        /// BLAKE3 of the request: of its prompt in version 1, of all of it since version 2.
        request_digest: String,
        /// The response.
        #[serde(borrow)]
        response: Payload<'a>,
        /// Number of the call in the run, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_index: Option<u64>,
        /// The request without its messages.
        #[serde(borrow, skip_serializing_if = "Option::is_none")]
        request: Option<Payload<'a>>,
        /// All messages of the request.
        #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
        messages: Vec<Payload<'a>>,
        /// Parts of the request that come from prompt templates.
        #[serde(skip_serializing_if = "Option::is_none")]
        attribution: Option<Attribution>,
    },
    /// A tool was called.
    ToolCall {
        /// The id that the model gave the call; may be empty.
        call_id: String,
        /// The tool; `process:<name>` for a command of the host.
        tool: String,
        /// BLAKE3 of the arguments.
        args_digest: String,
        /// How many calls of a model came before it.
        after_calls: u64,
        /// Outcome of the call.
        #[serde(borrow)]
        outcome: Payload<'a>,
        /// The files that it changed.
        #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
        effects: Vec<Effect<'a>>,
        /// Why a replay cannot serve it.
        #[serde(skip_serializing_if = "Option::is_none")]
        unservable: Option<String>,
        /// Changes of transcripts.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        transcript_changes: Vec<TranscriptChange>,
    },
    /// A cache lookup.
    CacheLookup {
        /// The cache.
        namespace: String,
        /// The key that was looked up.
        key: String,
        /// How many calls of a model came before it.
        after_calls: u64,
        /// The cached value; absent if nothing was found.
        #[serde(borrow, skip_serializing_if = "Option::is_none")]
        value: Option<Payload<'a>>,
    },
    /// A prompt was made from a template.
    PromptRender {
        /// BLAKE3 of template, text and spans.
        render_id: String,
        /// The template.
        template_uri: String,
        /// The prompt.
        #[serde(borrow)]
        rendered: Payload<'a>,
        /// Maps parts of the prompt to parts of the template.
        #[serde(borrow)]
        spans: Payload<'a>,
    },
    /// Text that matched the recorder's patterns was removed from the next record.
    PayloadRedaction,
    /// The session was controlled from outside.
    SessionControl {
        /// The control event.
        #[serde(borrow)]
        event: Payload<'a>,
    },
    /// A file was read.
    FileRead {
        /// The file, as the program named it.
        path: String,
        /// BLAKE3 of what was read.
        content_hash: String,
        /// Size in bytes.
        len_bytes: u64,
    },
    /// A file was written.
    FileWrite {
        /// The file, as the program named it.
        path: String,
        /// BLAKE3 of what was written.
        content_hash: String,
        /// Size in bytes.
        len_bytes: u64,
    },
    /// A file was deleted.
    FileDelete {
        /// The file, as the program named it.
        path: String,
    },
    /// A program ran.
    ProcessSpawn {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// Where it ran.
        cwd: Option<String>,
        /// Exit status.
        exit_code: i32,
        /// How long it ran, in milliseconds.
        duration_ms: u64,
        /// Standard output.
        #[serde(borrow)]
        stdout_payload: Payload<'a>,
        /// Standard error.
        #[serde(borrow)]
        stderr_payload: Payload<'a>,
    },
    /// A decision was made by a model.
    DecisionEvaluation {
        /// BLAKE3 of the request.
        request_digest: String,
        /// The response.
        #[serde(borrow)]
        response: Payload<'a>,
    },
    /// A server of the Model Context Protocol was called.
    McpJsonRpc {
        /// The server.
        server: String,
        /// The method that was called.
        method: String,
        /// BLAKE3 of the request.
        request_digest: String,
        /// BLAKE3 of the response.
        response_digest: String,
        /// How long it took, in milliseconds.
        latency_ms: u64,
        /// The request.
        #[serde(borrow)]
        request_payload: Payload<'a>,
        /// The response.
        #[serde(borrow)]
        response_payload: Payload<'a>,
    },
    /// An event of a model job.
    ModelJob {
        /// The job.
        job_id: String,
        /// The request that began it.
        request_id: String,
        /// Backend of the job.
        backend: String,
        /// State of the job.
        state: String,
        /// Kind of event.
        event_kind: String,
        /// The event.
        #[serde(borrow)]
        event: Payload<'a>,
        /// BLAKE3 of the assets, sorted.
        asset_digests: Vec<String>,
    },
    /// An unrecognized kind; its fields are neither read nor hashed.
    #[serde(other)]
    Unknown,
}

fn open(schema: &mut schemars::Schema) {
    base::shapes::allow_unknown_tags(schema, "kind", "unknown");
}

/// Which clock was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClockSource {
    /// The time of day.
    Wall,
    /// A clock that never jumps.
    Monotonic,
}

/// Bytes that a record carries: in the line, or in the tape's CAS folder.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a payload is an object with `content_hash` and either `text` or `len_bytes`"
)]
pub enum Payload<'a> {
    /// In the line.
    Inline {
        /// BLAKE3 of the text.
        content_hash: String,
        /// The bytes as text.
        #[serde(borrow)]
        text: Str<'a>,
    },
    /// In `<tape>.cas/<content_hash>`.
    External {
        /// BLAKE3 of the bytes.
        content_hash: String,
        /// Size in bytes.
        len_bytes: u64,
    },
}

impl Payload<'_> {
    /// BLAKE3 of the bytes, as recorded.
    pub fn content_hash(&self) -> &str {
        match self {
            Self::Inline { content_hash, .. } | Self::External { content_hash, .. } => content_hash,
        }
    }
}

/// A file that a tool changed.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct Effect<'a> {
    /// The file.
    pub path: String,
    /// New content; absent if the file was deleted.
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    pub content: Option<Payload<'a>>,
}

/// Parts of a request that come from prompt templates.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct Attribution {
    /// The parts.
    pub segments: Vec<Segment>,
    /// Bytes of the system prompt.
    pub system_bytes: u64,
    /// Bytes of the system prompt that come from templates.
    pub system_attributed: u64,
    /// Bytes of system prompt and messages.
    pub prompt_bytes: u64,
    /// Bytes of both that come from templates.
    pub prompt_attributed: u64,
}

/// A part of a request that comes from a prompt template.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct Segment {
    /// Where it is: `system`, `messages[i]` or `messages[i].content[j]`.
    pub field: String,
    /// Its first byte.
    pub start: u64,
    /// The byte after its last.
    pub end: u64,
    /// The rendering that it comes from.
    pub render_id: String,
}
