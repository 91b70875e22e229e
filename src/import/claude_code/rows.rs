//! The keys of a session's rows that are read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::super::loose::{Apart, Content, Count, Flag, List, Maybe, Number, Object, Text};

/// A line, with the keys of all row types.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Row<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) uuid: Text<'a>,
    #[serde(borrow)]
    pub(super) parent_uuid: Text<'a>,
    #[serde(borrow)]
    pub(super) logical_parent_uuid: Text<'a>,
    pub(super) is_sidechain: Flag,
    #[serde(borrow)]
    pub(super) agent_id: Text<'a>,
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) version: Text<'a>,
    pub(super) is_meta: Flag,
    pub(super) is_compact_summary: Flag,
    pub(super) is_visible_in_transcript_only: Flag,
    pub(super) is_virtual: Flag,
    pub(super) is_synthetic: Flag,
    pub(super) turn_companion: Flag,
    pub(super) verified_slack_human_turn: Flag,
    #[serde(borrow, rename = "sourceToolUseID")]
    pub(super) source_tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub(super) origin: Content<'a, Author<'a>>,
    #[serde(borrow)]
    pub(super) turn_origin: Text<'a>,
    #[serde(borrow)]
    pub(super) prompt_source: Text<'a>,
    pub(super) is_api_error_message: Flag,
    #[serde(rename = "costUSD")]
    pub(super) cost_usd: Number,
    #[serde(borrow)]
    pub(super) message: Object<Message<'a>>,
    #[serde(borrow)]
    pub(super) tool_use_result: Content<'a, ToolUse<'a>>,
    #[serde(borrow)]
    pub(super) subtype: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Block<'a>>,
    #[serde(borrow)]
    pub(super) compact_metadata: Object<Compact<'a>>,
    #[serde(borrow)]
    pub(super) operation: Text<'a>,
    #[serde(borrow)]
    pub(super) attachment: Object<Attachment<'a>>,

    // The program's own counters, in rows of type `cost-state` and at the end of a stream.
    #[serde(rename = "totalCostUSD")]
    pub(super) counted_cost: Number,
    #[serde(borrow)]
    pub(super) model_usage: Apart<BTreeMap<Cow<'a, str>, Object<ModelUsage>>>,
    pub(super) has_unknown_model_cost: Flag,

    // Of the output of `claude -p`.
    #[serde(borrow, rename = "session_id")]
    pub(super) stream_session_id: Text<'a>,
    #[serde(borrow, rename = "parent_tool_use_id")]
    pub(super) parent_tool_use_id: Text<'a>,
    #[serde(rename = "is_error")]
    pub(super) is_error: Flag,
    #[serde(rename = "total_cost_usd")]
    pub(super) total_cost_usd: Number,
    #[serde(borrow, rename = "task_id")]
    pub(super) task_id: Text<'a>,
    #[serde(borrow, rename = "tool_use_id")]
    pub(super) tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
}

/// Who wrote a message, where the log says so.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Author<'a> {
    #[serde(borrow)]
    pub(super) kind: Text<'a>,
}

/// The tokens of one model since the program started.
#[derive(Default, Clone, Copy, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ModelUsage {
    pub(super) input_tokens: Count,
    pub(super) output_tokens: Count,
    pub(super) thinking_tokens: Count,
    pub(super) cache_read_input_tokens: Count,
    pub(super) cache_creation_input_tokens: Count,
}

/// Whether a row says why the model stopped. It is null in rows that were written before the response ended.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopReason {
    /// The row has no such key.
    #[default]
    Absent,
    Null,
    /// It has a value.
    Stated,
}

impl<'de> Deserialize<'de> for StopReason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let reason = Option::<IgnoredAny>::deserialize(deserializer)?;
        Ok(reason.map_or(Self::Null, |_| Self::Stated))
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Block<'a>>,
    pub(super) usage: Object<Usage>,
    pub(super) stop_reason: StopReason,
}

/// A block of a message or of a result.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) thinking: Text<'a>,
    pub(super) signature: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Block<'a>>,
    pub(super) is_error: Flag,
}

/// Tokens of one response; the three kinds of input do not overlap.
#[derive(Default, Deserialize, Clone, Copy)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) input_tokens: Count,
    pub(super) cache_creation_input_tokens: Count,
    pub(super) cache_read_input_tokens: Count,
    pub(super) output_tokens: Count,
    pub(super) output_tokens_details: Object<OutputDetails>,
}

#[derive(Default, Deserialize, Clone, Copy)]
#[serde(default)]
pub(super) struct OutputDetails {
    pub(super) thinking_tokens: Count,
}

/// The harness's own data about a result, next to its text.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ToolUse<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) file_path: Text<'a>,
    pub(super) original_file: Option<IgnoredAny>,
    pub(super) file: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(super) structured_patch: List<Hunk<'a>>,
    #[serde(borrow)]
    pub(super) agent_id: Text<'a>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
    #[serde(borrow)]
    pub(super) shell_id: Text<'a>,
    pub(super) exit_code: Maybe<i64>,
    pub(super) interrupted: Flag,
    /// Tokens of the subagent whose answer this is.
    pub(super) total_tokens: Count,
    /// The task that was asked for, or stopped.
    #[serde(borrow)]
    pub(super) task: Object<BackgroundTask<'a>>,
    #[serde(borrow, rename = "task_id")]
    pub(super) task_id: Text<'a>,
    #[serde(borrow, rename = "task_type")]
    pub(super) task_type: Text<'a>,
}

/// A task in the background, as the program describes it to its agent.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct BackgroundTask<'a> {
    #[serde(borrow, rename = "task_id")]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) status: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Hunk<'a> {
    pub(super) old_start: Count,
    pub(super) old_lines: Count,
    pub(super) new_start: Count,
    pub(super) new_lines: Count,
    #[serde(borrow)]
    pub(super) lines: Content<'a, IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Compact<'a> {
    #[serde(borrow)]
    pub(super) trigger: Text<'a>,
    pub(super) pre_tokens: Count,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) prompt: Content<'a, Block<'a>>,
    #[serde(borrow, rename = "commandMode")]
    pub(super) command_mode: Text<'a>,
    #[serde(borrow)]
    pub(super) origin: Content<'a, Author<'a>>,
    #[serde(rename = "isMeta")]
    pub(super) is_meta: Flag,
}

/// The arguments of a call that starts a subagent.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Task<'a> {
    #[serde(borrow)]
    pub(super) prompt: Text<'a>,
    #[serde(borrow)]
    pub(super) subagent_type: Text<'a>,
}

/// The metadata file next to the file of a subagent.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Meta<'a> {
    #[serde(borrow)]
    pub(super) agent_type: Text<'a>,
    #[serde(borrow)]
    pub(super) tool_use_id: Text<'a>,
}

/// A session exported as one object.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Export<'a> {
    #[serde(borrow)]
    pub(super) loglines: Vec<&'a RawValue>,
}

/// The keys that identify the session of a row.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Identified<'a> {
    #[serde(borrow)]
    pub(super) uuid: Text<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow, rename = "sessionId")]
    session_id: Text<'a>,
    #[serde(borrow, rename = "session_id")]
    stream_session_id: Text<'a>,
    #[serde(borrow, rename = "parentUuid")]
    parent_uuid: Text<'a>,
    #[serde(borrow, rename = "logicalParentUuid")]
    logical_parent_uuid: Text<'a>,
}

impl Identified<'_> {
    /// The session that the row was written by.
    pub(super) fn session(&self) -> Option<&str> {
        self.session_id.get().or(self.stream_session_id.get())
    }

    /// The row before it.
    pub(super) fn parent(&self) -> Option<&str> {
        self.parent_uuid.get().or(self.logical_parent_uuid.get())
    }
}
