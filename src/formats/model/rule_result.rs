//! What the rules of a site say of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

words! {
    /// Whether a rule holds for a run.
    #[derive(JsonSchema)]
    RuleVerdict {
        /// It holds.
        Holds = "holds",
        /// It is violated.
        Violated = "violated",
        /// A value was not recorded, so it is not known.
        Unknown = "unknown",
    }
}

/// What a rule says of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleResult {
    /// Id of the rule.
    pub rule: String,
    /// Whether it holds.
    pub verdict: RuleVerdict,
    /// Numbers of the events that show it, on the first tape: those that the rule found, at most the first 50.
    pub events: Vec<u64>,
    /// How many events the rule found.
    pub found: u64,
    /// Why it is not known: the value that was not recorded, such as `event.exit_code`; empty otherwise.
    pub missing: String,
}
