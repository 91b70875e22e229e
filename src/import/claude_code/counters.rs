//! The program's own counters of a session: cost, and tokens by model.
//!
//! A counter is written when the program ends, and now and then before. A resumed session either goes on counting or begins
//! again at 0, so a counter that is lower than the one before begins a new part. The cost of a session is the sum of the last
//! counters of its parts.

use std::collections::BTreeMap;

use formats::decimal;

use super::super::row::Row;

/// Tokens of a model: uncached input, cached input, output with reasoning, and reasoning.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct ModelTokens {
    pub(super) uncached: u64,
    pub(super) cached: u64,
    pub(super) output: u64,
    pub(super) reasoning: u64,
}

impl ModelTokens {
    pub(super) fn add(&mut self, other: Self) {
        self.uncached = self.uncached.saturating_add(other.uncached);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }

    /// Reads the counters of a model.
    fn of(usage: &Row<'_>) -> Self {
        let count = |key| usage.count(key).unwrap_or_default();
        Self {
            uncached: count("inputTokens").saturating_add(count("cacheCreationInputTokens")),
            cached: count("cacheReadInputTokens"),
            output: count("outputTokens"),
            reasoning: count("thinkingTokens"),
        }
    }

    /// Whether one of the counts is lower than that of another.
    fn is_below(self, other: Self) -> bool {
        self.uncached < other.uncached || self.cached < other.cached || self.output < other.output
    }
}

/// Tokens by model. Names have no suffix such as `[1m]`, which only the counters write.
pub(super) type ByModel = BTreeMap<String, ModelTokens>;

/// One state of the counters.
#[derive(Debug, Default)]
struct CounterReading {
    cost: Option<f64>,
    models: ByModel,
}

impl CounterReading {
    fn is_below(&self, before: &Self) -> bool {
        let is_cheaper = self.cost.zip(before.cost);
        let none = ModelTokens::default();
        is_cheaper.is_some_and(|(cost, before)| cost < before)
            || before.models.iter().any(|(model, tokens)| {
                let now = self.models.get(model).copied().unwrap_or(none);
                !self.models.is_empty() && now.is_below(*tokens)
            })
    }
}

/// The counters of a session.
#[derive(Debug, Default)]
pub(super) struct SessionCounters {
    /// The last counter of each part.
    parts: Vec<CounterReading>,
    /// Whether the program did not know the price of a model, and used another.
    pub(super) is_estimated: bool,
    /// Whether the log has responses after the last counter.
    pub(super) lacks_responses: bool,
}

impl SessionCounters {
    /// Reads a row with counters.
    pub(super) fn read(&mut self, row: &Row<'_>) {
        let cost = row.number("totalCostUSD");
        let cost = cost.or_else(|| row.number("total_cost_usd"));
        let mut models = ByModel::new();
        let usage = row.row("modelUsage").into_iter().flat_map(Row::members);
        for (model, usage) in usage.filter(|(_, usage)| usage.is_object()) {
            let name = model.split('[').next().unwrap_or_default();
            let tokens = ModelTokens::of(&usage);
            models.entry(name.to_owned()).or_default().add(tokens);
        }
        if cost.is_none() && models.is_empty() {
            return;
        }
        self.lacks_responses = false;
        self.is_estimated |= row.is_true("hasUnknownModelCost");
        let counter = CounterReading { cost, models };
        match self.parts.last_mut() {
            Some(last) if !counter.is_below(last) => *last = counter,
            _ => self.parts.push(counter),
        }
    }

    /// The cost of all parts.
    pub(super) fn cost(&self) -> Option<f64> {
        decimal::total(self.parts.iter().filter_map(|part| part.cost))
    }

    /// The tokens of all parts.
    pub(super) fn models(&self) -> ByModel {
        let mut sum = ByModel::new();
        for (model, tokens) in self.parts.iter().flat_map(|part| &part.models) {
            sum.entry(model.clone()).or_default().add(*tokens);
        }
        sum
    }
}

/// What the counters say of the responses in the log.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Coverage {
    /// The log has more tokens than the counters, so their cost is not that of the whole session.
    pub(super) log_has_more: bool,
    /// The counters have more tokens of a model of the log: uncached input, cached input, output.
    pub(super) counters_have_more: [bool; 3],
}

/// Compares the responses of the log with the counters; `None` if a model has no counter. The counters also have models of
/// which no response is logged, such as the one that names sessions.
pub(super) fn coverage(log: &ByModel, counters: &ByModel) -> Option<Coverage> {
    let mut found = Coverage::default();
    for (model, log) in log {
        let counted = counters.get(model)?;
        found.log_has_more |= counted.is_below(*log);
        let pairs = [
            (counted.uncached, log.uncached),
            (counted.cached, log.cached),
            (counted.output, log.output),
        ];
        for (more, (counted, log)) in found.counters_have_more.iter_mut().zip(pairs) {
            *more |= counted > log;
        }
    }
    (!log.is_empty()).then_some(found)
}
