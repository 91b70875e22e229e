//! The raw format of events and of the conversation state.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::super::draft::Tokens;
use super::super::super::loose::{Apart, Count, Flag, Items, Maybe, Number, Text};
use super::super::super::usage::Inclusive;

/// `base_state.json`. All other keys are private.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct State {
    pub id: Maybe<String>,
    pub agent: Apart<Agent>,
    pub workspace: Apart<Workspace>,
    pub execution_status: Maybe<String>,
    pub stats: Apart<Stats>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Agent {
    pub llm: Apart<Llm>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Llm {
    pub model: Maybe<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Workspace {
    pub working_dir: Maybe<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Stats {
    pub usage_to_metrics: Apart<BTreeMap<String, Apart<Metrics>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Metrics {
    pub accumulated_cost: Number,
    pub accumulated_token_usage: Apart<Usage>,
    pub token_usages: Apart<Vec<Apart<Usage>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Usage {
    pub prompt_tokens: Count,
    pub completion_tokens: Count,
    pub cache_read_tokens: Count,
    pub reasoning_tokens: Count,
    pub response_id: Maybe<String>,
    pub model: Maybe<String>,
}

impl Usage {
    /// The token classes of a trace.
    pub fn tokens(&self) -> Tokens {
        let counted = Inclusive {
            input: *self.prompt_tokens,
            cached: *self.cache_read_tokens,
            output: *self.completion_tokens,
            reasoning: *self.reasoning_tokens,
        };
        counted.disjoint()
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Event<'a> {
    #[serde(borrow)]
    pub kind: Text<'a>,
    pub id: Text<'a>,
    pub timestamp: Text<'a>,
    pub source: Text<'a>,
    pub parent_id: Text<'a>,
    pub llm_message: Apart<Message<'a>>,
    pub thought: Option<&'a RawValue>,
    pub reasoning_content: Text<'a>,
    pub thinking_blocks: Items<'a>,
    pub responses_reasoning_item: Option<&'a RawValue>,
    pub action: Option<&'a RawValue>,
    pub tool_name: Text<'a>,
    pub tool_call_id: Text<'a>,
    pub tool_call: Apart<ToolCall<'a>>,
    pub llm_response_id: Text<'a>,
    pub observation: Option<&'a RawValue>,
    pub action_id: Text<'a>,
    pub extended_content: Items<'a>,
    pub rejection_reason: Text<'a>,
    pub error: Text<'a>,
    pub code: Text<'a>,
    pub detail: Text<'a>,
    pub forgotten_event_ids: Items<'a>,
    pub summary: Text<'a>,
    pub system_prompt: Option<&'a RawValue>,
    pub tools: Items<'a>,
    pub key: Text<'a>,
    pub value: Text<'a>,
    pub title: Text<'a>,
    pub status: Text<'a>,
    pub raw_input: Option<&'a RawValue>,
    pub raw_output: Option<&'a RawValue>,
    pub is_error: Flag,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Message<'a> {
    #[serde(borrow)]
    pub content: Option<&'a RawValue>,
    pub reasoning_content: Text<'a>,
    pub thinking_blocks: Items<'a>,
    pub responses_reasoning_item: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct ToolCall<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    pub arguments: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Observation<'a> {
    #[serde(borrow)]
    pub content: Option<&'a RawValue>,
    pub output: Option<&'a RawValue>,
    pub is_error: Flag,
    pub command: Text<'a>,
    pub exit_code: Maybe<i64>,
    pub timeout: Flag,
    pub metadata: Apart<Terminal>,
}

/// The user and place of a command; read only to be replaced.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Terminal {
    pub exit_code: Maybe<i64>,
    pub username: Maybe<String>,
    pub hostname: Maybe<String>,
}
