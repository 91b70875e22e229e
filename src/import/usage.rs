//! Token counts of providers, and their conversion to four classes.

use serde::Deserialize;

use super::draft::{Event, Tokens, What};
use super::loose::{Apart, Count};

/// Token counts where input includes cached tokens and output includes reasoning.
#[derive(Debug, Default, Clone, Copy)]
pub struct Inclusive {
    pub input: Option<u64>,
    pub cached: Option<u64>,
    pub output: Option<u64>,
    pub reasoning: Option<u64>,
}

impl Inclusive {
    /// The non-overlapping classes.
    pub fn disjoint(self) -> Tokens {
        let beside = |all: Option<u64>, part: Option<u64>| {
            all.map(|all| all.saturating_sub(part.unwrap_or_default()))
        };
        Tokens {
            uncached_input: beside(self.input, self.cached),
            cached_input: self.cached,
            output: beside(self.output, self.reasoning),
            reasoning: self.reasoning,
        }
    }
}

impl Tokens {
    /// Whether all classes are 0.
    pub fn nothing(self) -> bool {
        let classes = [
            self.uncached_input,
            self.cached_input,
            self.output,
            self.reasoning,
        ];
        classes.into_iter().flatten().all(|count| count == 0)
    }
}

/// The sum of all usage events. A class is unknown if no event has it.
pub fn sum(events: &[Event]) -> Tokens {
    let tokens = events.iter().filter_map(|event| match &event.what {
        What::Usage { tokens, .. } => Some(*tokens),
        _ => None,
    });
    tokens.reduce(Tokens::plus).unwrap_or_default()
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

/// `usage` of an answer, as in the `OpenAI` APIs and their imitations. One API uses prompt and completion, the other input and
/// output.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Usage {
    prompt_tokens: Count,
    completion_tokens: Count,
    prompt_tokens_details: Apart<Details>,
    completion_tokens_details: Apart<Details>,
    input_tokens: Count,
    output_tokens: Count,
    input_tokens_details: Apart<Details>,
    output_tokens_details: Apart<Details>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Details {
    cached_tokens: Count,
    reasoning_tokens: Count,
}

impl Usage {
    /// The counts; `None` if all are 0 or missing.
    pub fn read(&self) -> Option<Inclusive> {
        let cached = self.prompt_tokens_details.as_ref();
        let cached = cached.or(self.input_tokens_details.as_ref());
        let reasoning = self.completion_tokens_details.as_ref();
        let reasoning = reasoning.or(self.output_tokens_details.as_ref());
        let counted = Inclusive {
            input: self.prompt_tokens.or(*self.input_tokens),
            cached: cached.and_then(|details| *details.cached_tokens),
            output: self.completion_tokens.or(*self.output_tokens),
            reasoning: reasoning.and_then(|details| *details.reasoning_tokens),
        };
        (counted.input.is_some() || counted.output.is_some()).then_some(counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_do_not_overlap_and_what_is_not_counted_is_absent() {
        let usage: Usage = serde_json::from_str(
            r#"{"prompt_tokens":1200,"completion_tokens":30,"prompt_tokens_details":{"cached_tokens":960},"completion_tokens_details":null}"#,
        )
        .expect("usage");
        let sum = usage.read().expect("counted").disjoint();
        assert_eq!(
            (sum.uncached_input, sum.cached_input),
            (Some(240), Some(960))
        );
        assert_eq!((sum.output, sum.reasoning), (Some(30), None));
        assert!(!sum.nothing());
        let nothing: Usage = serde_json::from_str(r#"{"prompt_tokens":"many"}"#).expect("usage");
        assert!(nothing.read().is_none());
    }
}
