//! `result.json` of a trial, and values computed from it. Its configuration is private.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::formats::json::Node;

use super::super::Source;
use super::super::draft::Draft;
use super::super::loose::{self, Apart, Count, Number, Text};
use super::super::time::seconds_between;

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Trial<'a> {
    #[serde(borrow)]
    pub id: Text<'a>,
    pub task_name: Text<'a>,
    pub trial_name: Text<'a>,
    pub task_id: Apart<Task<'a>>,
    pub source: Text<'a>,
    pub task_checksum: Text<'a>,
    pub agent_info: Apart<Agent<'a>>,
    agent_result: Apart<AgentResult>,
    verifier_result: Apart<Verified<'a>>,
    exception_info: Apart<Exception<'a>>,
    pub started_at: Text<'a>,
    pub finished_at: Text<'a>,
    pub agent_execution: Apart<Phase<'a>>,
    step_results: Apart<Vec<Apart<Step<'a>>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Task<'a> {
    #[serde(borrow, rename = "ref")]
    pub reference: Text<'a>,
    pub git_commit_id: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Agent<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    pub version: Text<'a>,
    pub model_info: Apart<Model<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Model<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    pub provider: Text<'a>,
}

/// Token usage of an agent. The input includes cached tokens.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct AgentResult {
    pub n_input_tokens: Count,
    pub n_cache_tokens: Count,
    pub n_output_tokens: Count,
    pub cost_usd: Number,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Verified<'a> {
    #[serde(borrow)]
    rewards: Option<&'a RawValue>,
}

/// The exception that ended a trial or a step.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Exception<'a> {
    #[serde(borrow)]
    pub exception_type: Text<'a>,
    pub exception_message: Text<'a>,
    pub exception_traceback: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Phase<'a> {
    #[serde(borrow)]
    started_at: Text<'a>,
    finished_at: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Step<'a> {
    #[serde(borrow)]
    step_name: Text<'a>,
    agent_result: Apart<AgentResult>,
    verifier_result: Apart<Verified<'a>>,
    exception_info: Apart<Exception<'a>>,
}

impl Phase<'_> {
    /// Its duration.
    pub fn seconds(&self) -> Option<f64> {
        seconds_between(self.started_at.as_deref(), self.finished_at.as_deref())
    }
}

/// A reward: its name, and its value as recorded.
type Reward = (String, Box<RawValue>);

impl Trial<'_> {
    fn each_step(&self) -> impl Iterator<Item = &Step<'_>> {
        let steps = self.step_results.as_deref().unwrap_or_default();
        steps.iter().filter_map(|step| step.as_ref())
    }

    /// Names of its steps, in order.
    pub fn steps(&self) -> Vec<String> {
        self.each_step()
            .filter_map(|step| step.step_name.named())
            .collect()
    }

    /// The usage of its agent: the total, or else one per step.
    pub fn results(&self) -> Vec<&AgentResult> {
        match self.agent_result.as_ref() {
            Some(result) => vec![result],
            None => self
                .each_step()
                .filter_map(|step| step.agent_result.as_ref())
                .collect(),
        }
    }

    /// Its exception, followed by those of its steps.
    pub fn exceptions(&self) -> Vec<&Exception<'_>> {
        let steps = self
            .each_step()
            .filter_map(|step| step.exception_info.as_ref());
        self.exception_info
            .as_ref()
            .into_iter()
            .chain(steps)
            .collect()
    }

    /// Its rewards, followed by those of its steps.
    pub fn rewards(&self) -> Vec<Reward> {
        let of = |result: &Apart<Verified<'_>>, prefix: &str| -> Vec<Reward> {
            let rewards = result.as_ref().and_then(|result| result.rewards);
            rewards.map_or_else(Vec::new, |raw| members(raw.get(), prefix))
        };
        let mut rewards = of(&self.verifier_result, "");
        for step in self.each_step() {
            let prefix = step.step_name.named().map(|name| format!("{name}/"));
            rewards.extend(of(&step.verifier_result, &prefix.unwrap_or_default()));
        }
        rewards
    }
}

fn members(object: &str, prefix: &str) -> Vec<Reward> {
    let members = Node::parse(object)
        .map(|node| node.members())
        .unwrap_or_default();
    members
        .into_iter()
        .filter_map(|member| {
            Some((
                format!("{prefix}{}", member.key),
                loose::compact(member.value.raw)?,
            ))
        })
        .collect()
}

/// A number as Python writes and reads it: digits as they are, null for what is not a number, and the names of infinite numbers.
fn number(text: &str) -> Option<Box<RawValue>> {
    let number: f64 = text.parse().ok()?;
    let name = if number > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    };
    if number.is_nan() {
        return loose::json(&serde_json::Value::Null);
    }
    if number.is_infinite() && !text.contains(|c: char| c.is_ascii_digit()) {
        return loose::json(&name.into());
    }
    // `.5`, `1.` and `+1` are no JSON.
    let written = RawValue::from_string(text.to_owned()).ok();
    written.or_else(|| loose::json(&serde_json::json!(number)))
}

/// Rewards in verifier files, for trials whose result has none.
pub fn reward_files(source: &Source, folder: &str, draft: &mut Draft) -> Vec<Reward> {
    for name in ["reward.json", "reward.txt"] {
        let Some(position) = source.position(&format!("{folder}verifier/{name}")) else {
            continue;
        };
        let Ok(file) = source.read(position) else {
            continue;
        };
        let rewards = if name == "reward.json" {
            let Ok(text) = loose::text(file.name, &file.bytes) else {
                continue;
            };
            members(&text, "")
        } else {
            let value = number(String::from_utf8_lossy(&file.bytes).trim());
            if value.is_none() {
                draft.odd(file.name, "", "a number");
            }
            let value = value.map(|value| ("reward".to_owned(), value));
            value.into_iter().collect()
        };
        if !rewards.is_empty() {
            draft.sources.push(position);
            return rewards;
        }
    }
    Vec::new()
}
