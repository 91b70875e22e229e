//! The raw format of a trajectory.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::loose::{Apart, Count, Items, Maybe, Number, Text};
use super::super::usage::Usage;

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Whole<'a> {
    #[serde(borrow)]
    pub info: Apart<Info<'a>>,
    pub messages: Items<'a>,
    pub trajectory_format: Text<'a>,
    pub instance_id: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Info<'a> {
    pub model_stats: Apart<Stats>,
    #[serde(borrow)]
    pub config: Apart<Config<'a>>,
    pub mini_version: Text<'a>,
    pub exit_status: Text<'a>,
    pub submission: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Stats {
    pub instance_cost: Number,
    pub api_calls: Count,
}

/// All other keys are private.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Config<'a> {
    #[serde(borrow)]
    pub model: Apart<Model<'a>>,
    pub environment: Apart<Environment<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Model<'a> {
    #[serde(borrow)]
    pub model_name: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Environment<'a> {
    #[serde(borrow)]
    pub cwd: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Row<'a> {
    #[serde(borrow)]
    pub role: Text<'a>,
    pub content: Option<&'a RawValue>,
    pub extra: Apart<Extra<'a>>,
    pub tool_calls: Apart<Vec<ToolCall<'a>>>,
    pub tool_call_id: Text<'a>,
    pub reasoning_content: Text<'a>,
    pub thinking_blocks: Items<'a>,
    #[serde(rename = "type")]
    pub kind: Text<'a>,
    pub call_id: Text<'a>,
    /// In an answer of the Responses API, its items; in a result, its text.
    pub output: Option<&'a RawValue>,
    pub usage: Apart<Usage>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Extra<'a> {
    #[serde(borrow)]
    pub actions: Items<'a>,
    pub timestamp: Number,
    pub cost: Number,
    pub response: Apart<Response>,
    pub raw_output: Text<'a>,
    pub returncode: Maybe<i64>,
    pub exception_info: Text<'a>,
    pub interrupt_type: Text<'a>,
    pub exception_str: Text<'a>,
    pub traceback: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Response {
    pub usage: Apart<Usage>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Action<'a> {
    #[serde(borrow)]
    pub command: Text<'a>,
    pub tool_call_id: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct ToolCall<'a> {
    #[serde(borrow)]
    pub id: Text<'a>,
    pub function: Apart<Function<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Function<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    pub arguments: Text<'a>,
}

/// An item of a Responses API answer.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    pub content: Option<&'a RawValue>,
    pub summary: Option<&'a RawValue>,
    pub encrypted_content: Text<'a>,
    pub name: Text<'a>,
    pub arguments: Text<'a>,
    pub call_id: Text<'a>,
}
