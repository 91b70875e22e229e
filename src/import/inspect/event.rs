//! A raw event of a sample. All kinds share one list of keys.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::loose::{Apart, Count, Flag, Items, Text};
use super::message::Message;
use super::sample::{Fallback, Usage};

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Event<'a> {
    #[serde(borrow)]
    pub event: Text<'a>,
    pub timestamp: Text<'a>,
    pub completed: Text<'a>,
    pub uuid: Text<'a>,
    pub span_id: Text<'a>,
    pub pending: Flag,
    // Model calls.
    pub model: Text<'a>,
    pub role: Text<'a>,
    pub input: Items<'a>,
    pub input_refs: Apart<Vec<(usize, usize)>>,
    pub output: Apart<Output<'a>>,
    /// A string for a model call, otherwise an object.
    pub error: Option<&'a RawValue>,
    // Tool calls; `id` is also the id of a span.
    pub id: Text<'a>,
    pub function: Text<'a>,
    pub arguments: Option<&'a RawValue>,
    pub result: Option<&'a RawValue>,
    pub truncated: Apart<(u64, u64)>,
    pub failed: Flag,
    pub agent: Text<'a>,
    pub agent_span_id: Text<'a>,
    pub events: Items<'a>,
    // Spans and steps.
    pub parent_id: Text<'a>,
    #[serde(rename = "type")]
    pub kind: Text<'a>,
    pub name: Text<'a>,
    pub action: Text<'a>,
    // Scores and limits.
    pub score: Apart<Score<'a>>,
    pub scorer: Text<'a>,
    pub message: Text<'a>,
    pub tokens_before: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Output<'a> {
    #[serde(borrow)]
    pub choices: Apart<Vec<Apart<Choice<'a>>>>,
    pub usage: Apart<Usage>,
    pub fallback: Apart<Fallback<'a>>,
    pub error: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Choice<'a> {
    #[serde(borrow)]
    pub message: Apart<Message<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Score<'a> {
    #[serde(borrow)]
    pub value: Option<&'a RawValue>,
}
