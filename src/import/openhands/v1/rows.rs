//! Events and the state of a conversation as they are written.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::formats::json::Str;

use super::super::super::draft::Tokens;
use super::super::super::loose::{List, Maybe};
use super::super::super::usage::Inclusive;

/// `base_state.json`. The rest of it is private.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct State {
    pub id: Maybe<String>,
    pub agent: Maybe<Agent>,
    pub workspace: Maybe<Workspace>,
    pub execution_status: Maybe<String>,
    pub stats: Maybe<Stats>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Agent {
    pub llm: Maybe<Llm>,
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
    pub usage_to_metrics: Maybe<BTreeMap<String, Maybe<Metrics>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Metrics {
    pub accumulated_cost: Maybe<f64>,
    pub accumulated_token_usage: Maybe<Usage>,
    pub token_usages: Maybe<Vec<Maybe<Usage>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Usage {
    pub prompt_tokens: Maybe<u64>,
    pub completion_tokens: Maybe<u64>,
    pub cache_read_tokens: Maybe<u64>,
    pub reasoning_tokens: Maybe<u64>,
    pub response_id: Maybe<String>,
    pub model: Maybe<String>,
}

impl Usage {
    /// The classes of a trace.
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
    pub kind: Maybe<Str<'a>>,
    pub id: Maybe<Str<'a>>,
    pub timestamp: Maybe<Str<'a>>,
    pub source: Maybe<Str<'a>>,
    pub parent_id: Maybe<Str<'a>>,
    pub llm_message: Maybe<Message<'a>>,
    pub thought: Option<&'a RawValue>,
    pub reasoning_content: Maybe<Str<'a>>,
    pub thinking_blocks: List<'a>,
    pub responses_reasoning_item: Option<&'a RawValue>,
    pub action: Option<&'a RawValue>,
    pub tool_name: Maybe<Str<'a>>,
    pub tool_call_id: Maybe<Str<'a>>,
    pub tool_call: Maybe<ToolCall<'a>>,
    pub llm_response_id: Maybe<Str<'a>>,
    pub observation: Option<&'a RawValue>,
    pub action_id: Maybe<Str<'a>>,
    pub extended_content: List<'a>,
    pub rejection_reason: Maybe<Str<'a>>,
    pub error: Maybe<Str<'a>>,
    pub code: Maybe<Str<'a>>,
    pub detail: Maybe<Str<'a>>,
    pub forgotten_event_ids: List<'a>,
    pub summary: Maybe<Str<'a>>,
    pub system_prompt: Option<&'a RawValue>,
    pub tools: List<'a>,
    pub key: Maybe<Str<'a>>,
    pub value: Maybe<Str<'a>>,
    pub title: Maybe<Str<'a>>,
    pub status: Maybe<Str<'a>>,
    pub raw_input: Option<&'a RawValue>,
    pub raw_output: Option<&'a RawValue>,
    pub is_error: Maybe<bool>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Message<'a> {
    #[serde(borrow)]
    pub content: Option<&'a RawValue>,
    pub reasoning_content: Maybe<Str<'a>>,
    pub thinking_blocks: List<'a>,
    pub responses_reasoning_item: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct ToolCall<'a> {
    #[serde(borrow)]
    pub name: Maybe<Str<'a>>,
    pub arguments: Maybe<Str<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Observation<'a> {
    #[serde(borrow)]
    pub content: Option<&'a RawValue>,
    pub output: Option<&'a RawValue>,
    pub is_error: Maybe<bool>,
    pub command: Maybe<Str<'a>>,
    pub exit_code: Maybe<i64>,
    pub timeout: Maybe<bool>,
    pub metadata: Maybe<Terminal>,
}

/// Who and where a command ran: read to be replaced.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Terminal {
    pub exit_code: Maybe<i64>,
    pub username: Maybe<String>,
    pub hostname: Maybe<String>,
}
