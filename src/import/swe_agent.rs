//! SWE-agent: `*.traj`, with the steps of a run, or a demonstration with only the history. It records no times.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::formats::json::Str;
use crate::formats::trace::Role;

use super::draft::{Call, Draft, Id, Record, Tokens, ToolResult, What};
use super::loose::{self, Apart, Count, Flag, Items, Number, Spoken, Text};
use super::shared::{Waiting, at, documents};
use super::{Importer, Options, Problem, Source};

/// The importer.
pub struct SweAgent;

impl Importer for SweAgent {
    fn format(&self) -> &'static str {
        "swe-agent"
    }

    fn read(
        &self,
        source: &Source,
        options: &Options,
        each: &mut dyn FnMut(Result<Draft, Problem>),
    ) {
        for position in documents(source, ".traj") {
            each(read(source, position, options));
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Whole<'a> {
    #[serde(borrow)]
    environment: Text<'a>,
    trajectory: Items<'a>,
    history: Items<'a>,
    info: Apart<Info<'a>>,
    attempts: Items<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Info<'a> {
    model_stats: Apart<Stats>,
    #[serde(borrow)]
    exit_status: Text<'a>,
    submission: Text<'a>,
    swe_agent_version: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Stats {
    instance_cost: Number,
    tokens_sent: Count,
    tokens_received: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Step<'a> {
    #[serde(borrow)]
    action: Text<'a>,
    observation: Option<&'a RawValue>,
    response: Option<&'a RawValue>,
    thought: Option<&'a RawValue>,
    state: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct State<'a> {
    #[serde(borrow)]
    working_dir: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Row<'a> {
    #[serde(borrow)]
    role: Text<'a>,
    content: Option<&'a RawValue>,
    thought: Option<&'a RawValue>,
    action: Text<'a>,
    tool_calls: Items<'a>,
    tool_call_ids: Apart<Vec<Str<'a>>>,
    is_demo: Flag,
    thinking_blocks: Items<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ToolCall<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    function: Apart<Function<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    arguments: Text<'a>,
}

fn read(source: &Source, position: usize, options: &Options) -> Result<Draft, Problem> {
    let file = source.read(position)?;
    let text = loose::text(file.name, &file.bytes)?;
    let whole: Whole<'_> = loose::document(file.name, &text)?;
    if whole.trajectory.is_none() && whole.history.is_none() {
        return Err(loose::odd(file.name, "/trajectory", "a list of steps"));
    }
    let mut draft = Draft::default();
    draft.sources.push(position);
    let history = rows(&whole.history, "/history", file.name, &mut draft);
    if whole.trajectory.is_some() {
        let steps = rows(&whole.trajectory, "/trajectory", file.name, &mut draft);
        beginning(&history, options, &mut draft);
        run(&steps, &history, &mut draft);
    } else {
        demonstration(&history, options, &mut draft);
    }
    record(&whole, file.name, &mut draft);
    Ok(draft)
}

/// The objects of a list, each with its pointer.
fn rows<'a, T: Deserialize<'a>>(
    list: &Items<'a>,
    pointer: &str,
    file: &str,
    draft: &mut Draft,
) -> Vec<(String, T)> {
    let mut rows = Vec::new();
    for (number, raw) in list.items().iter().enumerate() {
        let pointer = format!("{pointer}/{number}");
        match serde_json::from_str(raw.get()) {
            Ok(row) => rows.push((pointer, row)),
            Err(_) => draft.odd(file, &pointer, "an object"),
        }
    }
    rows
}

/// Reads everything before the first step: prompts, demonstrations, the task. The rest of the history repeats the steps.
fn beginning(history: &[(String, Row<'_>)], options: &Options, draft: &mut Draft) {
    let is_demo = |row: &Row<'_>| *row.is_demo == Some(true);
    let demos = history.iter().filter(|(_, row)| is_demo(row)).count();
    let mut asked = false;
    for (pointer, row) in history {
        let place = at(pointer.clone());
        match row.role.text() {
            _ if is_demo(row) => {}
            "system" => {
                let text = Spoken::of(row.content).text;
                draft.prompt(options, place, "systemPrompts", text);
            }
            "user" if !asked => {
                asked = true;
                draft.message(place, Role::User, Spoken::of(row.content), false);
            }
            _ => {}
        }
    }
    if let (1.., Some((pointer, _))) = (demos, history.iter().find(|(_, row)| is_demo(row))) {
        let text = format!("{demos} messages of a demonstration are not part of the run");
        draft.note(at(pointer.clone()), "demonstration", Some(text));
    }
}

fn run(steps: &[(String, Step<'_>)], history: &[(String, Row<'_>)], draft: &mut Draft) {
    let mut answers = history
        .iter()
        .map(|(_, row)| row)
        .filter(|row| row.role.text() == "assistant" && *row.is_demo != Some(true))
        .peekable();
    for (number, (pointer, step)) in steps.iter().enumerate() {
        let place = |below: &str| at(format!("{pointer}/{below}"));
        if number == 0 {
            draft.identity.workspaces.extend(workspace(step.state));
        }
        let thought = Spoken::of(step.thought);
        let (below, said) = if thought.text.trim().is_empty() {
            ("response", Spoken::of(step.response))
        } else {
            ("thought", thought)
        };
        draft.message(place(below), Role::Assistant, said, false);
        let observation = Spoken::of(step.observation);
        let action = step.action.text().trim_end();
        if action.is_empty() {
            if !observation.text.trim().is_empty() {
                draft.note(place("observation"), "environment", Some(observation.text));
            }
            continue;
        }
        let row = answers.next_if(|row| row.action.text().trim_end() == action);
        let call: ToolCall<'_> = row
            .and_then(|row| row.tool_calls.items().first().copied())
            .map(loose::part)
            .unwrap_or_default();
        let name = call.function.as_ref().and_then(|made| made.name.named());
        let id = call.id.named().unwrap_or_else(|| format!("s{number}"));
        let call = Call {
            name: name.unwrap_or_else(|| "bash".to_owned()),
            call: Some(id.clone()),
            arguments_text: Some(action.to_owned()),
            ..Call::default()
        };
        draft.push(place("action"), What::ToolCall(call));
        result(place("observation"), Some(id), observation, draft);
    }
}

/// A history without steps.
fn demonstration(history: &[(String, Row<'_>)], options: &Options, draft: &mut Draft) {
    let mut waiting = Waiting::default();
    let mut asked = false;
    for (number, (pointer, row)) in history.iter().enumerate() {
        let place = |below: &str| at(format!("{pointer}{below}"));
        let content = Spoken::of(row.content);
        match row.role.text() {
            "system" => draft.prompt(options, place(""), "systemPrompts", content.text),
            "assistant" => {
                asked = true;
                draft.withhold(
                    "encryptedReasoning",
                    row.thinking_blocks.items().len() as u64,
                );
                let thought = Spoken::of(row.thought);
                let said = if thought.text.trim().is_empty() {
                    content
                } else {
                    thought
                };
                draft.message(place(""), Role::Assistant, said, false);
                waiting.clear();
                for call in calls(row, number) {
                    call.1
                        .call
                        .clone()
                        .into_iter()
                        .for_each(|id| waiting.push(id));
                    draft.push(place(&call.0), What::ToolCall(call.1));
                }
            }
            "tool" => {
                let named = row.tool_call_ids.as_ref().and_then(|ids| ids.first());
                let call = named.map(|id| id.to_string());
                if let Some(id) = &call {
                    waiting.answer(id);
                }
                result(place(""), call, content, draft);
            }
            _ => match waiting.next() {
                Some(call) => result(place(""), Some(call), content, draft),
                None if asked => draft.note(place(""), "environment", Some(content.text)),
                None => draft.message(place(""), Role::User, content, false),
            },
        }
    }
}

/// The calls of a history row, each with its pointer in the row.
fn calls(row: &Row<'_>, number: usize) -> Vec<(String, Call)> {
    let calls = row.tool_calls.items();
    if let (true, Some(action)) = (calls.is_empty(), row.action.named()) {
        let call = Call {
            name: "bash".to_owned(),
            call: Some(format!("h{number}")),
            arguments_text: Some(action.trim_end().to_owned()),
            ..Call::default()
        };
        return vec![("/action".to_owned(), call)];
    }
    let calls = calls.iter().enumerate().map(|(n, raw)| {
        let call: ToolCall<'_> = loose::part(raw);
        let none = Function::default();
        let function = call.function.as_ref().unwrap_or(&none);
        let (arguments, arguments_text) = loose::arguments(function.arguments.text());
        let name = function.name.named();
        let call = Call {
            name: name.unwrap_or_else(|| "unknown".to_owned()),
            call: call.id.named().or_else(|| Some(format!("h{number}.{n}"))),
            arguments,
            arguments_text,
            ..Call::default()
        };
        (format!("/tool_calls/{n}"), call)
    });
    calls.collect()
}

/// Adds a result. SWE-agent does not record whether an action succeeded.
fn result(place: super::Origin, call: Option<String>, content: Spoken, draft: &mut Draft) {
    draft.withhold("images", content.images);
    let result = ToolResult {
        call,
        text: Some(content.text),
        images: content.images,
        ..ToolResult::default()
    };
    draft.push(place, What::ToolResult(result));
}

fn record(whole: &Whole<'_>, file: &str, draft: &mut Draft) {
    let info = whole.info.as_ref();
    if let Some(info) = info
        && let Some(status) = info.exit_status.as_ref()
    {
        draft.record.state = state(status);
        draft.record.detail = info.exit_status.named();
        draft.submission(info.submission.named().is_some());
    }
    if let attempts @ 2.. = whole.attempts.items().len() {
        let text = format!("The run is the best of {attempts} attempts");
        draft.note(at("/attempts".to_owned()), "attempts", Some(text));
    }
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.strip_suffix(".traj").unwrap_or(name);
    let stats = info.and_then(|info| info.model_stats.as_ref());
    let mut tokens = Tokens {
        uncached_input: stats.and_then(|stats| *stats.tokens_sent),
        output: stats.and_then(|stats| *stats.tokens_received),
        ..Tokens::default()
    };
    let counted = !tokens.nothing();
    if !counted {
        tokens = Tokens::default();
    }
    let cost = stats.and_then(|stats| *stats.instance_cost);
    let environment = whole.environment.named();
    draft.record = Record {
        id: Id::Derived {
            names: environment.iter().cloned().collect(),
            with_digests: true,
        },
        ids: environment
            .map(|id| ("environment".to_owned(), id))
            .into_iter()
            .collect(),
        case: (!stem.is_empty()).then(|| stem.to_owned()),
        harness: Some("swe-agent".to_owned()),
        harness_version: info.and_then(|info| info.swe_agent_version.named()),
        tokens,
        cost: cost.filter(|_| counted),
        ..std::mem::take(&mut draft.record)
    };
}

/// The working folder of the agent: `state` is an object, or a string of JSON up to 0.7.
fn workspace(state: Option<&RawValue>) -> Option<String> {
    let raw = state?.get();
    let inner = Str::parse(raw);
    let state: State<'_> = serde_json::from_str(inner.as_deref().unwrap_or(raw)).ok()?;
    state.working_dir.named()
}

fn state(exit_status: &str) -> &'static str {
    let word = exit_status
        .strip_prefix("submitted (")
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or(exit_status);
    match word {
        "submitted" | "exit_forfeit" | "exit_command" => "completed",
        "exit_cost" | "exit_context" => "limit_exceeded",
        "exit_total_execution_time" | "exit_command_timeout" => "timed_out",
        "exit_format" | "exit_error" => "harness_error",
        "exit_api" | "exit_environment_error" => "infrastructure",
        _ => "unknown",
    }
}
