//! The keys of a rollout's rows that are read.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::super::loose::{Content, Count, Flag, Maybe, Object, Text};

/// A line.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Row<'a> {
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) payload: Object<Payload<'a>>,
    pub(super) ordinal: Count,
}

/// The content of a line, with the keys of all types. In the oldest files it is the whole line.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Payload<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,

    // Messages, reasoning and tools.
    #[serde(borrow)]
    pub(super) role: Text<'a>,
    #[serde(borrow)]
    pub(super) phase: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) summary: Content<'a, Part<'a>>,
    pub(super) encrypted_content: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) namespace: Text<'a>,
    #[serde(borrow)]
    pub(super) call_id: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) input: Text<'a>,
    #[serde(borrow)]
    pub(super) action: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    #[serde(borrow)]
    pub(super) output: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) tools: Option<&'a RawValue>,

    // Events.
    #[serde(borrow)]
    pub(super) message: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) reason: Text<'a>,
    #[serde(borrow)]
    pub(super) error: Content<'a, Part<'a>>,
    pub(super) info: Object<Info>,
    pub(super) rate_limits: Option<IgnoredAny>,
    pub(super) num_turns: Count,
    pub(super) exit_code: Maybe<i64>,
    pub(super) success: Flag,
    pub(super) result: Object<Outcome>,
    #[serde(borrow)]
    pub(super) item: Object<Item<'a>>,
    /// Tokens of one response, and of the thread up to it.
    pub(super) usage: Object<Usage>,
    pub(super) thread_token_usage: Object<Usage>,

    // The session and the settings of a turn.
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) cli_version: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    #[serde(borrow)]
    pub(super) source: Content<'a, Origin<'a>>,
    #[serde(borrow)]
    pub(super) forked_from_id: Text<'a>,
    #[serde(borrow)]
    pub(super) parent_thread_id: Text<'a>,
    pub(super) subagent_history_start_ordinal: Count,
    #[serde(borrow)]
    pub(super) history_base: Object<Base<'a>>,
    pub(super) base_instructions: Option<IgnoredAny>,
    pub(super) instructions: Option<IgnoredAny>,
    pub(super) user_instructions: Option<IgnoredAny>,
    pub(super) developer_instructions: Option<IgnoredAny>,
    pub(super) dynamic_tools: Option<IgnoredAny>,
}

/// A part of a message, a summary or a result.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Part<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) message: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Part<'a>>,
    pub(super) success: Flag,
}

/// A finished item, with the keys of all kinds: a message, a command, changes of files or a call of a server's tool.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) command: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    pub(super) exit_code: Maybe<i64>,
    #[serde(borrow)]
    pub(super) aggregated_output: Text<'a>,
    #[serde(borrow)]
    pub(super) stdout: Text<'a>,
    #[serde(borrow)]
    pub(super) stderr: Text<'a>,
    #[serde(borrow)]
    pub(super) changes: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) server: Text<'a>,
    #[serde(borrow)]
    pub(super) tool: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) result: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) error: Content<'a, Part<'a>>,
}

/// The change of one file, in a finished item.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Changed<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Text<'a>,
    #[serde(borrow)]
    pub(super) unified_diff: Text<'a>,
    #[serde(borrow)]
    pub(super) move_path: Text<'a>,
}

/// A result that is JSON in a string.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Wrapped<'a> {
    #[serde(borrow)]
    pub(super) output: Text<'a>,
    pub(super) metadata: Object<Metadata>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata {
    pub(super) exit_code: Maybe<i64>,
}

/// The outcome of a server's tool: `Ok` with a flag, or `Err`.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Outcome {
    #[serde(rename = "Ok")]
    pub(super) ok: Object<Flagged>,
    #[serde(rename = "Err")]
    pub(super) err: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Flagged {
    #[serde(alias = "isError")]
    pub(super) is_error: Flag,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Info {
    pub(super) total_token_usage: Object<Usage>,
    pub(super) last_token_usage: Object<Usage>,
}

/// Tokens, including cached input and reasoning.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) input_tokens: Count,
    pub(super) cached_input_tokens: Count,
    pub(super) output_tokens: Count,
    pub(super) reasoning_output_tokens: Count,
}

/// The origin of a session.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Origin<'a> {
    #[serde(borrow)]
    pub(super) subagent: Content<'a, Subagent<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Subagent<'a> {
    #[serde(borrow)]
    pub(super) thread_spawn: Object<Spawn<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Spawn<'a> {
    #[serde(borrow)]
    pub(super) parent_thread_id: Text<'a>,
    #[serde(borrow)]
    pub(super) agent_nickname: Text<'a>,
    #[serde(borrow)]
    pub(super) agent_role: Text<'a>,
    #[serde(borrow)]
    pub(super) spawn_call_id: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Base<'a> {
    #[serde(borrow)]
    pub(super) thread_id: Text<'a>,
    pub(super) end_ordinal_exclusive: Count,
}

/// A command that Codex itself ran. Its environment is not read.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct LocalShell<'a> {
    #[serde(borrow)]
    pub(super) command: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) working_directory: Text<'a>,
    pub(super) timeout_ms: Count,
}

/// The patch in the arguments of a call, or the thread in its result.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Named<'a> {
    #[serde(borrow)]
    pub(super) input: Text<'a>,
    #[serde(borrow, alias = "thread_id", alias = "new_thread_id")]
    pub(super) agent_id: Text<'a>,
}
