//! An event of a sample as it is written. All kinds share one list of keys.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::formats::json::Str;

use super::super::loose::{List, Maybe};
use super::message::Message;
use super::sample::Usage;

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Event<'a> {
    #[serde(borrow)]
    pub event: Maybe<Str<'a>>,
    pub timestamp: Maybe<Str<'a>>,
    pub completed: Maybe<Str<'a>>,
    pub uuid: Maybe<Str<'a>>,
    pub span_id: Maybe<Str<'a>>,
    pub pending: Maybe<bool>,
    // Calls of a model.
    pub model: Maybe<Str<'a>>,
    pub role: Maybe<Str<'a>>,
    pub input: List<'a>,
    pub input_refs: Maybe<Vec<(usize, usize)>>,
    pub output: Maybe<Output<'a>>,
    /// A text of a call of a model, else an object.
    pub error: Option<&'a RawValue>,
    // Calls of a tool; `id` is also that of a span.
    pub id: Maybe<Str<'a>>,
    pub function: Maybe<Str<'a>>,
    pub arguments: Option<&'a RawValue>,
    pub result: Option<&'a RawValue>,
    pub truncated: Maybe<(u64, u64)>,
    pub failed: Maybe<bool>,
    pub agent: Maybe<Str<'a>>,
    pub agent_span_id: Maybe<Str<'a>>,
    pub events: List<'a>,
    // Spans and steps.
    pub parent_id: Maybe<Str<'a>>,
    #[serde(rename = "type")]
    pub kind: Maybe<Str<'a>>,
    pub name: Maybe<Str<'a>>,
    pub action: Maybe<Str<'a>>,
    // Scores and limits.
    pub score: Maybe<Score<'a>>,
    pub scorer: Maybe<Str<'a>>,
    pub message: Maybe<Str<'a>>,
    pub tokens_before: Maybe<u64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Output<'a> {
    #[serde(borrow)]
    pub choices: Maybe<Vec<Maybe<Choice<'a>>>>,
    pub usage: Maybe<Usage>,
    pub error: Maybe<Str<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Choice<'a> {
    #[serde(borrow)]
    pub message: Maybe<Message<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Score<'a> {
    #[serde(borrow)]
    pub value: Option<&'a RawValue>,
}
