//! The state of a conversation, which outlives the file that describes it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::formats::decimal;

use super::super::super::draft::Tokens;
use super::super::super::loose::{Apart, Count, Maybe, Number};
use super::super::super::usage::Inclusive;

/// `base_state.json`, or the value of a state event. All other keys are private.
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
    pub kind: Maybe<String>,
    pub llm: Apart<Llm>,
    /// The model of an agent that is reached through the Agent Client Protocol.
    pub acp_model: Maybe<String>,
}

/// What stands for the model of such an agent where it is not known.
const NO_MODEL: &str = "acp-managed";

impl Agent {
    /// Whether it is reached through the Agent Client Protocol, which counts cached input apart from other input.
    pub fn is_foreign(&self) -> bool {
        self.kind.as_deref() == Some("ACPAgent")
    }

    /// The name of its model.
    pub fn model(&self) -> Option<&String> {
        let llm = self.llm.as_ref().and_then(|llm| llm.model.as_ref());
        let known = self.acp_model.as_ref().or(llm);
        known.filter(|model| !model.is_empty() && *model != NO_MODEL)
    }
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
    accumulated_cost: Number,
    costs: Apart<Vec<Apart<Cost>>>,
    pub accumulated_token_usage: Apart<Usage>,
    pub token_usages: Apart<Vec<Apart<Usage>>>,
}

/// The cost of one answer.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Cost {
    cost: Number,
}

impl Metrics {
    /// The cost, as a decimal sum. The recorded total is a binary sum with digits that nobody charged.
    pub fn cost(&self) -> Option<f64> {
        let recorded = (*self.accumulated_cost)?;
        let costs = self.costs.as_deref().unwrap_or_default();
        let costs = costs.iter().map(|cost| *cost.as_ref()?.cost);
        let sum = costs.collect::<Option<Vec<f64>>>().map(decimal::sum);
        let is_total = |sum: &f64| (sum - recorded).abs() <= 1e-9;
        Some(
            sum.filter(is_total)
                .unwrap_or_else(|| decimal::without_noise(recorded)),
        )
    }

    /// Whether the counters of `other`, which was recorded earlier, are not part of these: they began again.
    pub fn began_again(&self, other: &Self) -> bool {
        let counts = |metrics: &Self| {
            let usage = metrics.accumulated_token_usage.as_ref();
            let input = usage.and_then(|usage| *usage.prompt_tokens);
            (input, usage.and_then(|usage| *usage.completion_tokens))
        };
        let (now, before) = (counts(self), counts(other));
        now.0 < before.0 || now.1 < before.1 || *self.accumulated_cost < *other.accumulated_cost
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Usage {
    prompt_tokens: Count,
    completion_tokens: Count,
    cache_read_tokens: Count,
    cache_write_tokens: Count,
    reasoning_tokens: Count,
    pub response_id: Maybe<String>,
    pub model: Maybe<String>,
}

impl Usage {
    /// The token classes of a trace. Input includes cached tokens, except for agents that count them apart.
    pub fn tokens(&self, is_foreign: bool) -> Tokens {
        let counted = Inclusive {
            input: *self.prompt_tokens,
            cached: *self.cache_read_tokens,
            output: *self.completion_tokens,
            reasoning: *self.reasoning_tokens,
        };
        let tokens = counted.disjoint();
        if !is_foreign && *self.cache_read_tokens <= *self.prompt_tokens {
            return tokens;
        }
        let written = self.cache_write_tokens.unwrap_or_default();
        Tokens {
            uncached_input: self
                .prompt_tokens
                .map(|input| input.saturating_add(written)),
            ..tokens
        }
    }
}
