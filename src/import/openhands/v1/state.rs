//! The state of a conversation: `base_state.json`, or the values of events that update it. All other keys are private.

use std::collections::BTreeMap;

use formats::decimal;

use super::super::super::draft::Tokens;
use super::super::super::row::Row;
use super::super::super::usage::InclusiveTokens;

#[derive(Default)]
pub struct ConversationState {
    pub id: Option<String>,
    pub agent: Option<AgentSettings>,
    /// The working folder.
    pub folder: Option<String>,
    pub status: Option<String>,
    pub stats: Option<Stats>,
}

/// What the models cost, by their use.
pub type Stats = BTreeMap<String, ModelMetrics>;

pub struct AgentSettings {
    /// Whether it is reached through the Agent Client Protocol, which counts cached input apart from other input.
    pub is_foreign: bool,
    pub model: Option<String>,
}

/// The name that is written if the model of such an agent is unknown.
const NO_MODEL: &str = "acp-managed";

#[derive(Default)]
pub struct ModelMetrics {
    /// The recorded cost, a binary sum with digits that nobody charged.
    recorded: Option<f64>,
    /// The cost, as a decimal sum.
    pub cost: Option<f64>,
    pub total: Option<ModelUsage>,
    pub answers: Vec<ModelUsage>,
}

pub struct ModelUsage {
    counts: InclusiveTokens,
    written: Option<u64>,
    pub response: Option<String>,
    pub model: Option<String>,
}

impl ConversationState {
    pub fn of(row: &Row<'_>) -> Self {
        let text = |path| row.string(path).map(String::from);
        Self {
            id: text("id"),
            agent: row.row("agent").map(|agent| AgentSettings::of(&agent)),
            folder: text("workspace.working_dir"),
            status: text("execution_status"),
            stats: row.row("stats").map(|row| stats(&row)),
        }
    }

    /// The metrics of all uses of models.
    pub fn metrics(&self) -> impl Iterator<Item = &ModelMetrics> {
        self.stats.iter().flat_map(BTreeMap::values)
    }
}

pub fn stats(row: &Row<'_>) -> Stats {
    let all = row
        .row("usage_to_metrics")
        .into_iter()
        .flat_map(Row::members);
    let all = all.filter(|(_, metrics)| metrics.is_object());
    all.map(|(key, metrics)| (key.into_owned(), ModelMetrics::of(&metrics)))
        .collect()
}

impl AgentSettings {
    pub fn of(row: &Row<'_>) -> Self {
        let model = row.string("acp_model").or_else(|| row.string("llm.model"));
        let model = model.filter(|model| !model.is_empty() && *model != NO_MODEL);
        Self {
            is_foreign: row.text("kind") == "ACPAgent",
            model: model.map(String::from),
        }
    }
}

impl ModelMetrics {
    fn of(row: &Row<'_>) -> Self {
        let recorded = row.number("accumulated_cost");
        let costs = row.rows("costs").map(|cost| cost.number("cost"));
        let sum = costs.collect::<Option<Vec<f64>>>().map(decimal::sum);
        let cost = recorded.map(|recorded| {
            let is_total = |sum: &f64| (sum - recorded).abs() <= 1e-9;
            let sum = sum.filter(is_total);
            sum.unwrap_or_else(|| decimal::without_noise(recorded))
        });
        let answers = row.rows("token_usages").filter(Row::is_object);
        Self {
            recorded,
            cost,
            total: row
                .row("accumulated_token_usage")
                .map(|row| ModelUsage::of(&row)),
            answers: answers.map(|row| ModelUsage::of(&row)).collect(),
        }
    }

    /// Whether the counters of `other`, which was recorded earlier, are not part of these: they began again.
    pub fn began_again(&self, other: &Self) -> bool {
        let counts = |metrics: &Self| metrics.total.as_ref().map(|usage| usage.counts);
        let (now, before) = (counts(self), counts(other));
        let input = |counts: Option<InclusiveTokens>| counts.and_then(|counts| counts.input);
        let output = |counts: Option<InclusiveTokens>| counts.and_then(|counts| counts.output);
        input(now) < input(before) || output(now) < output(before) || self.recorded < other.recorded
    }
}

impl ModelUsage {
    fn of(row: &Row<'_>) -> Self {
        let counts = InclusiveTokens {
            input: row.count("prompt_tokens"),
            cached: row.count("cache_read_tokens"),
            output: row.count("completion_tokens"),
            reasoning: row.count("reasoning_tokens"),
        };
        Self {
            counts,
            written: row.count("cache_write_tokens"),
            response: row.name("response_id"),
            model: row.string("model").map(String::from),
        }
    }

    /// The token classes of a trace. Input includes cached tokens, except for agents that count them apart.
    pub fn tokens(&self, is_foreign: bool) -> Tokens {
        let mut tokens = self.counts.disjoint();
        if is_foreign || self.counts.cached > self.counts.input {
            let written = self.written.unwrap_or_default();
            let input = self.counts.input;
            tokens.uncached_input = input.map(|input| input.saturating_add(written));
        }
        tokens
    }
}
