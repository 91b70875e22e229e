//! `result.json` of a trial, and values computed from it. Its configuration is private.

use serde_json::value::RawValue;

use super::super::LogSource;
use super::super::draft::Draft;
use super::super::raw_json;
use super::super::row::Row;
use super::super::time::seconds_between;

/// The result of a trial, with those of its steps.
pub struct Trial<'a> {
    pub row: Row<'a>,
    steps: Vec<Row<'a>>,
}

/// A reward: its name, and its value as recorded.
type Reward = (String, Box<RawValue>);

impl<'a> Trial<'a> {
    pub fn of(row: Row<'a>) -> Self {
        let steps = row.rows("step_results").filter(Row::is_object);
        let steps = steps.collect();
        Self { row, steps }
    }

    /// Names of its steps, in order.
    pub fn steps(&self) -> Vec<String> {
        let steps = self.steps.iter();
        steps.filter_map(|step| step.name("step_name")).collect()
    }

    fn of_steps(&self, key: &str) -> impl Iterator<Item = Row<'a>> {
        self.steps.iter().filter_map(move |step| step.row(key))
    }

    /// The usage of its agent: the total, or else one per step.
    pub fn results(&self) -> Vec<Row<'a>> {
        match self.row.row("agent_result") {
            Some(result) => vec![result],
            None => self.of_steps("agent_result").collect(),
        }
    }

    /// The number of parts that usage is added up from: the trial, or its steps.
    pub fn parts(&self) -> usize {
        match self.row.row("agent_result") {
            Some(_) => 1,
            None => self.steps.len(),
        }
    }

    /// Its exception, followed by those of its steps.
    pub fn exceptions(&self) -> Vec<Row<'a>> {
        let own = self.row.row("exception_info").into_iter();
        own.chain(self.of_steps("exception_info")).collect()
    }

    /// Its rewards, followed by those of its steps.
    pub fn rewards(&self) -> Vec<Reward> {
        let of = |row: &Row<'_>, prefix: &str| members(row.row("verifier_result.rewards"), prefix);
        let mut rewards = of(&self.row, "");
        for step in &self.steps {
            let prefix = step.word("step_name").map(|name| name + "/");
            rewards.extend(of(step, &prefix.unwrap_or_default()));
        }
        rewards
    }

    /// The duration of the work of its agent.
    pub fn seconds(&self) -> Option<f64> {
        seconds_between(
            self.row.string("agent_execution.started_at").as_deref(),
            self.row.string("agent_execution.finished_at").as_deref(),
        )
    }
}

fn members(object: Option<Row<'_>>, prefix: &str) -> Vec<Reward> {
    let members = object.into_iter().flat_map(Row::members);
    let rewards = members.filter_map(|(key, value)| {
        let value = raw_json::compact(value.json())?;
        Some((format!("{prefix}{key}"), value))
    });
    rewards.collect()
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
        return raw_json::json(&serde_json::Value::Null);
    }
    if number.is_infinite() && !text.contains(|c: char| c.is_ascii_digit()) {
        return raw_json::json(&name.into());
    }
    // `.5`, `1.` and `+1` are no JSON.
    let written = RawValue::from_string(text.to_owned()).ok();
    written.or_else(|| raw_json::json(&serde_json::json!(number)))
}

/// Rewards in verifier files, for trials whose result has none.
pub fn reward_files(source: &LogSource, folder: &str, draft: &mut Draft) -> Vec<Reward> {
    for name in ["reward.json", "reward.txt"] {
        let Some(position) = source.position(&format!("{folder}verifier/{name}")) else {
            continue;
        };
        let Ok(file) = source.read(position) else {
            continue;
        };
        let rewards = if name == "reward.json" {
            let Ok(text) = raw_json::text(file.name, &file.bytes) else {
                continue;
            };
            members(Row::parse(&text).ok(), "")
        } else {
            let value = number(String::from_utf8_lossy(&file.bytes).trim());
            if value.is_none() {
                draft.skip_part(file.name, "", "a number");
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
