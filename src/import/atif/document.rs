//! The keys of a trajectory that are read. Keys added in later versions are optional.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::super::loose::{Content, Count, Flag, List, Number, Object, Text};

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Trajectory<'a> {
    #[serde(borrow)]
    pub(super) schema_version: Text<'a>,
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    #[serde(borrow)]
    pub(super) trajectory_id: Text<'a>,
    #[serde(borrow)]
    pub(super) agent: Object<Agent<'a>>,
    #[serde(borrow)]
    pub(super) steps: List<Step<'a>>,
    #[serde(borrow)]
    pub(super) notes: Text<'a>,
    #[serde(borrow)]
    pub(super) final_metrics: Object<FinalMetrics<'a>>,
    #[serde(borrow)]
    pub(super) continued_trajectory_ref: Text<'a>,
    #[serde(borrow)]
    pub(super) subagent_trajectories: List<Trajectory<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Agent<'a> {
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) version: Text<'a>,
    #[serde(borrow)]
    pub(super) model_name: Text<'a>,
    pub(super) tool_definitions: Option<IgnoredAny>,
    #[serde(borrow)]
    pub(super) extra: Object<AgentExtra<'a>>,
}

/// Folders that converters record.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct AgentExtra<'a> {
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(borrow)]
    pub(super) cwds: Content<'a, IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Step<'a> {
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow)]
    pub(super) source: Text<'a>,
    #[serde(borrow)]
    pub(super) model_name: Text<'a>,
    #[serde(borrow)]
    pub(super) message: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) reasoning_content: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) tool_calls: Content<'a, ToolCall<'a>>,
    #[serde(borrow)]
    pub(super) observation: Object<Observation<'a>>,
    #[serde(borrow)]
    pub(super) metrics: Object<Metrics<'a>>,
    pub(super) is_copied_context: Flag,
    /// 0 if the agent acted without a model.
    pub(super) llm_call_count: Count,
    #[serde(borrow)]
    pub(super) extra: Object<StepExtra<'a>>,
}

/// A text, or an image that is never fetched.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Part<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolCall<'a> {
    #[serde(borrow)]
    pub(super) tool_call_id: Text<'a>,
    #[serde(borrow)]
    pub(super) function_name: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Observation<'a> {
    #[serde(borrow)]
    pub(super) results: Content<'a, Outcome<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Outcome<'a> {
    #[serde(borrow)]
    pub(super) source_call_id: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) subagent_trajectory_ref: Content<'a, Reference<'a>>,
    pub(super) extra: Object<Failure>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Reference<'a> {
    #[serde(borrow)]
    pub(super) trajectory_id: Text<'a>,
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    #[serde(borrow)]
    pub(super) trajectory_path: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct StepExtra<'a> {
    pub(super) is_sidechain: Flag,
    #[serde(borrow)]
    pub(super) agent_id: Text<'a>,
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    /// The kind of context management: `compaction`, `pruning` or `injection`.
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    pub(super) tool_result_is_error: Flag,
    pub(super) tool_result_metadata: Object<Metadata>,
}

/// Where converters mark a result as an error.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Failure {
    pub(super) tool_result_is_error: Flag,
    pub(super) tool_result_metadata: Object<Metadata>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata {
    pub(super) is_error: Flag,
    pub(super) raw_tool_result: Object<Raw>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Raw {
    pub(super) is_error: Flag,
}

impl Metadata {
    pub(super) fn is_error(&self) -> Option<bool> {
        let raw = self.raw_tool_result.0.as_ref();
        self.is_error.0.or_else(|| raw?.is_error.0)
    }
}

/// Tokens of one step; the cached ones are part of the prompt, reasoning is part of the completion.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Metrics<'a> {
    pub(super) prompt_tokens: Count,
    pub(super) completion_tokens: Count,
    pub(super) cached_tokens: Count,
    pub(super) cost_usd: Number,
    #[serde(borrow)]
    pub(super) extra: Object<MetricsExtra<'a>>,
    pub(super) completion_token_ids: Option<IgnoredAny>,
    pub(super) logprobs: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct FinalMetrics<'a> {
    pub(super) total_prompt_tokens: Count,
    pub(super) total_completion_tokens: Count,
    pub(super) total_cached_tokens: Count,
    pub(super) total_cost_usd: Number,
    #[serde(borrow)]
    pub(super) extra: Object<MetricsExtra<'a>>,
}

/// Names that different converters use for reasoning tokens.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct MetricsExtra<'a> {
    pub(super) reasoning_tokens: Count,
    pub(super) reasoning_output_tokens: Count,
    pub(super) total_reasoning_tokens: Count,
    #[serde(borrow)]
    pub(super) cost_source: Text<'a>,
}

impl MetricsExtra<'_> {
    pub(super) fn reasoning(&self) -> Option<u64> {
        self.reasoning_tokens
            .0
            .or(self.reasoning_output_tokens.0)
            .or(self.total_reasoning_tokens.0)
    }

    pub(super) fn is_estimated(&self) -> bool {
        self.cost_source.get() == Some("litellm_estimate")
    }
}
