//! SWE-agent: `*.traj`, with the steps of a run, or a demonstration with only the history. It records no times.

use super::chat::Chat;
use super::draft::{Draft, RecordDraft, RunIdSource, Tokens, ToolResult};
use super::message_content::MessageContent;
use super::raw_json;
use super::row::Row;
use super::shared::documents;
use super::usage::unless_zero;
use super::{EachRun, ImportOptions, LogSource, Origin, Problem};

pub fn runs(source: &LogSource, options: &ImportOptions, each: EachRun<'_>) {
    for position in documents(source, ".traj") {
        each(read(source, position, options));
    }
}

/// A step, or a row of the history, with its pointer.
type PlacedRow<'a> = (String, Row<'a>);

fn read(source: &LogSource, position: usize, options: &ImportOptions) -> Result<Draft, Problem> {
    let file = source.read(position)?;
    let text = raw_json::text(file.name, &file.bytes)?;
    let whole = Row::parse_object(file.name, &text)?;
    let has_steps = whole.is_list("trajectory");
    if !has_steps && !whole.is_list("history") {
        return Err(raw_json::unreadable(
            file.name,
            "/trajectory",
            "a list of steps",
        ));
    }
    let mut chat = Chat::new(options);
    chat.draft.sources.push(position);
    let mut parts = |key: &str| {
        let pointer = format!("/{key}");
        chat.rows(file.name, whole.rows(key), &pointer, "an object")
    };
    let (history, steps) = (parts("history"), parts("trajectory"));
    if has_steps {
        beginning(&history, &mut chat);
        run(&steps, &history, &mut chat);
    } else {
        demonstration(&history, &mut chat);
    }
    record(&whole, file.name, &mut chat.draft);
    Ok(chat.draft)
}

/// Reads everything before the first step: prompts, demonstrations, the task. The rest of the history repeats the steps.
fn beginning(history: &[PlacedRow<'_>], chat: &mut Chat<'_>) {
    let mut demos = 0;
    let mut first_demo = None;
    let mut asked = false;
    for (pointer, row) in history {
        let place = Origin::at_pointer(pointer.clone());
        match &*row.text("role") {
            _ if row.is_true("is_demo") => {
                demos += 1;
                first_demo.get_or_insert(place);
            }
            "system" => chat.system(place, MessageContent::at(row, "content").text),
            "developer" => chat.developer(place, MessageContent::at(row, "content").text),
            "user" if !asked => {
                asked = true;
                chat.user(place, MessageContent::at(row, "content"));
            }
            _ => {}
        }
    }
    if let Some(place) = first_demo {
        let text = format!("{demos} messages of a demonstration are not part of the run");
        chat.draft.note(place, "demonstration", Some(text));
    }
}

fn run(steps: &[PlacedRow<'_>], history: &[PlacedRow<'_>], chat: &mut Chat<'_>) {
    let answers = history.iter().map(|(_, row)| row);
    let answers = answers.filter(|row| row.text("role") == "assistant" && !row.is_true("is_demo"));
    let mut answers = answers.peekable();
    for (number, (pointer, step)) in steps.iter().enumerate() {
        let place = |below: &str| Origin::at_pointer(format!("{pointer}/{below}"));
        if number == 0 {
            chat.draft.identity.workspaces.extend(workspace(step));
        }
        let below = if is_thought(step) {
            "thought"
        } else {
            "response"
        };
        chat.answer(place(below), MessageContent::at(step, below), None);
        let observation = MessageContent::at(step, "observation");
        let action = step.text("action");
        let action = action.trim_end();
        if action.is_empty() {
            if !observation.text.trim().is_empty() {
                let note = Some(observation.text);
                chat.draft.note(place("observation"), "environment", note);
            }
            continue;
        }
        let row = answers.next_if(|row| row.text("action").trim_end() == action);
        let call = row.and_then(|row| row.rows("tool_calls").next());
        let named = |path| call.as_ref().and_then(|call| call.name(path));
        let name = named("function.name").unwrap_or_else(|| "bash".to_owned());
        let id = named("id").unwrap_or_else(|| format!("s{number}"));
        let text = Some(action.to_owned());
        chat.call(place("action"), &name, id.clone(), (None, text));
        result(place("observation"), Some(id), observation, chat);
    }
}

/// Whether a step or an answer has a thought, which is a part of its response.
fn is_thought(row: &Row<'_>) -> bool {
    !MessageContent::at(row, "thought").text.trim().is_empty()
}

/// A history without steps.
fn demonstration(history: &[PlacedRow<'_>], chat: &mut Chat<'_>) {
    let mut asked = false;
    for (number, (pointer, row)) in history.iter().enumerate() {
        let place = Origin::at_pointer(pointer.clone());
        let content = MessageContent::at(row, "content");
        match &*row.text("role") {
            "system" => chat.system(place, content.text),
            "developer" => chat.developer(place, content.text),
            "assistant" => {
                asked = true;
                let blocks = row.rows("thinking_blocks").count();
                chat.draft.withhold("encryptedReasoning", blocks as u64);
                let is_thought = is_thought(row);
                let thought = is_thought.then(|| MessageContent::at(row, "thought"));
                chat.answer(place, thought.unwrap_or(content), None);
                let id = format!("h{number}");
                chat.tool_calls(pointer, row, &id);
                if chat.calls().is_empty()
                    && let Some(action) = row.word("action")
                {
                    let text = Some(action.trim_end().to_owned());
                    chat.call(
                        Origin::at_pointer(format!("{pointer}/action")),
                        "bash",
                        id,
                        (None, text),
                    );
                }
            }
            "tool" => {
                let id = row.rows("tool_call_ids").next();
                let id = id.and_then(|id| id.as_str()).map(String::from);
                let call = id.and_then(|id| chat.answered(Some(id)));
                result(place, call, content, chat);
            }
            "user" if chat.is_waiting() => {
                let call = chat.answered(None);
                result(place, call, content, chat);
            }
            "user" if asked => chat.draft.note(place, "environment", Some(content.text)),
            "user" => chat.user(place, content),
            role => chat.draft.unknown_row(role),
        }
    }
}

/// Adds a result. SWE-agent does not record whether an action succeeded.
fn result(place: Origin, call: Option<String>, content: MessageContent, chat: &mut Chat<'_>) {
    chat.draft.count_omitted(&content);
    chat.result(place, ToolResult::of(call, content));
}

fn record(whole: &Row<'_>, file: &str, draft: &mut Draft) {
    draft.exit_status(whole, state);
    if let attempts @ 2.. = whole.rows("attempts").count() {
        let text = format!("The run is the best of {attempts} attempts");
        draft.note(
            Origin::at_pointer("/attempts".to_owned()),
            "attempts",
            Some(text),
        );
    }
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.strip_suffix(".traj").unwrap_or(name);
    let counts = [
        "info.model_stats.tokens_sent",
        "info.model_stats.tokens_received",
    ];
    draft.check_numbers(whole, &["info.model_stats.instance_cost"], &counts);
    let tokens = Tokens {
        uncached_input: whole.count("info.model_stats.tokens_sent"),
        output: whole.count("info.model_stats.tokens_received"),
        ..Tokens::default()
    };
    let is_counted = !tokens.is_zero();
    let cost = whole.number("info.model_stats.instance_cost");
    let environment = whole.name("environment");
    let mut record = RecordDraft {
        id: RunIdSource::in_files(environment.clone()),
        case: (!stem.is_empty()).then(|| stem.to_owned()),
        harness: Some("swe-agent".to_owned()),
        harness_version: whole.name("info.swe_agent_version"),
        tokens: unless_zero(tokens),
        cost: cost.filter(|_| is_counted),
        ..std::mem::take(&mut draft.record)
    };
    record.add_ids([("environment", environment)]);
    draft.record = record;
}

/// The working folder of the agent: `state` is an object, or a string of JSON up to 0.7.
fn workspace(step: &Row<'_>) -> Option<String> {
    match step.string("state") {
        Some(state) => Row::parse(&state).ok()?.name("working_dir"),
        None => step.name("state.working_dir"),
    }
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
