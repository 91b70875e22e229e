//! Token counts of providers, and their conversion to four classes.

use super::draft::{DraftEvent, EventContent, Tokens};
use super::row::Row;

/// The counts of `usage` in the `OpenAI` APIs and their imitations, and in that of Anthropic.
pub const COUNTS: [&str; 10] = [
    "prompt_tokens",
    "input_tokens",
    "completion_tokens",
    "output_tokens",
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "completion_tokens_details.reasoning_tokens",
    "output_tokens_details.reasoning_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
];

/// Token counts where input includes cached tokens and output includes reasoning.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct InclusiveTokens {
    pub input: Option<u64>,
    pub cached: Option<u64>,
    pub output: Option<u64>,
    pub reasoning: Option<u64>,
}

impl InclusiveTokens {
    /// Reads `usage` of an answer, as in the `OpenAI` APIs and their imitations. One API uses prompt and completion, the other
    /// input and output.
    pub fn of(usage: &Row<'_>) -> Option<Self> {
        let count = |keys: [&str; 2]| keys.iter().find_map(|key| usage.count(key));
        let cached = "prompt_tokens_details.cached_tokens";
        let reasoning = "completion_tokens_details.reasoning_tokens";
        let counted = Self {
            input: count(["prompt_tokens", "input_tokens"]),
            cached: count([cached, "input_tokens_details.cached_tokens"]),
            output: count(["completion_tokens", "output_tokens"]),
            reasoning: count([reasoning, "output_tokens_details.reasoning_tokens"]),
        };
        (counted.input.is_some() || counted.output.is_some()).then_some(counted)
    }

    /// The non-overlapping classes.
    pub fn disjoint(self) -> Tokens {
        let rest = |all: Option<u64>, part: Option<u64>| {
            all.map(|all| all.saturating_sub(part.unwrap_or_default()))
        };
        Tokens {
            uncached_input: rest(self.input, self.cached),
            cached_input: self.cached,
            output: rest(self.output, self.reasoning),
            reasoning: self.reasoning,
        }
    }
}

/// The tokens; none if all classes are 0, which means that nothing was counted.
pub fn unless_zero(tokens: Tokens) -> Tokens {
    if tokens.is_zero() {
        Tokens::default()
    } else {
        tokens
    }
}

/// The tokens of all usage events.
pub fn all_tokens(events: &[DraftEvent]) -> impl Iterator<Item = Tokens> {
    events.iter().filter_map(|event| match &event.what {
        EventContent::Usage { tokens, .. } => Some(*tokens),
        _ => None,
    })
}

/// The sum of all usage events. A class is unknown if no event has it.
pub fn sum(events: &[DraftEvent]) -> Tokens {
    all_tokens(events).reduce(Tokens::plus).unwrap_or_default()
}

/// How two totals of one run differ, in words; `None` if they agree, or if one of them is unknown.
pub fn difference(recorded: Tokens, computed: Tokens) -> Option<String> {
    let output = |tokens: Tokens| {
        let reasoning = tokens.reasoning.unwrap_or_default();
        tokens.output.map(|output| output.saturating_add(reasoning))
    };
    let classes = [
        (
            "uncached input",
            recorded.uncached_input,
            computed.uncached_input,
        ),
        ("cached input", recorded.cached_input, computed.cached_input),
        ("output", output(recorded), output(computed)),
    ];
    let differences: Vec<String> = classes
        .into_iter()
        .filter_map(|(class, recorded, computed)| {
            let (recorded, computed) = (recorded?, computed?);
            let differs = recorded != computed;
            differs.then(|| format!("{class} {recorded} and {computed}"))
        })
        .collect();
    (!differences.is_empty()).then(|| differences.join(", "))
}
