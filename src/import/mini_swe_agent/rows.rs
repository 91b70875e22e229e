//! A trajectory as it is written.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::formats::json::Str;

use super::super::loose::{List, Maybe};
use super::super::usage::Usage;

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Whole<'a> {
    #[serde(borrow)]
    pub info: Maybe<Info<'a>>,
    pub messages: List<'a>,
    pub trajectory_format: Maybe<Str<'a>>,
    pub instance_id: Maybe<Str<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Info<'a> {
    pub model_stats: Maybe<Stats>,
    #[serde(borrow)]
    pub config: Maybe<Config<'a>>,
    pub mini_version: Maybe<Str<'a>>,
    pub exit_status: Maybe<Str<'a>>,
    pub submission: Maybe<Str<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Stats {
    pub instance_cost: Maybe<f64>,
}

/// The rest of it is private.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Config<'a> {
    #[serde(borrow)]
    pub model: Maybe<Model<'a>>,
    pub environment: Maybe<Environment<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Model<'a> {
    #[serde(borrow)]
    pub model_name: Maybe<Str<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Environment<'a> {
    #[serde(borrow)]
    pub cwd: Maybe<Str<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Row<'a> {
    #[serde(borrow)]
    pub role: Maybe<Str<'a>>,
    pub content: Option<&'a RawValue>,
    pub extra: Maybe<Extra<'a>>,
    pub tool_calls: Maybe<Vec<ToolCall<'a>>>,
    pub tool_call_id: Maybe<Str<'a>>,
    pub reasoning_content: Maybe<Str<'a>>,
    pub thinking_blocks: List<'a>,
    #[serde(rename = "type")]
    pub kind: Maybe<Str<'a>>,
    pub call_id: Maybe<Str<'a>>,
    /// Of an answer of the Responses API, its items; of a result there, its text.
    pub output: Option<&'a RawValue>,
    pub usage: Maybe<Usage>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Extra<'a> {
    #[serde(borrow)]
    pub actions: List<'a>,
    pub timestamp: Maybe<f64>,
    pub cost: Maybe<f64>,
    pub response: Maybe<Response>,
    pub raw_output: Maybe<Str<'a>>,
    pub returncode: Maybe<i64>,
    pub exception_info: Maybe<Str<'a>>,
    pub interrupt_type: Maybe<Str<'a>>,
    pub exception_str: Maybe<Str<'a>>,
    pub traceback: Maybe<Str<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Response {
    pub usage: Maybe<Usage>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Action<'a> {
    #[serde(borrow)]
    pub command: Maybe<Str<'a>>,
    pub tool_call_id: Maybe<Str<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct ToolCall<'a> {
    #[serde(borrow)]
    pub id: Maybe<Str<'a>>,
    pub function: Maybe<Function<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Function<'a> {
    #[serde(borrow)]
    pub name: Maybe<Str<'a>>,
    pub arguments: Maybe<Str<'a>>,
}

/// One item of an answer of the Responses API.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Maybe<Str<'a>>,
    pub content: Option<&'a RawValue>,
    pub summary: Option<&'a RawValue>,
    pub encrypted_content: Maybe<Str<'a>>,
    pub name: Maybe<Str<'a>>,
    pub arguments: Maybe<Str<'a>>,
    pub call_id: Maybe<Str<'a>>,
}
