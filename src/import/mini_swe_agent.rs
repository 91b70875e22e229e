//! mini-swe-agent: `*.traj.json`, with structured calls since 2.0. Before that, bare lists of messages, with calls as fenced
//! blocks of text.

use serde_json::value::RawValue;

use formats::trace::{ExitCodeFrom, Role};

use super::chat::Chat;
use super::draft::{Draft, EventContent, Origin, RunIdSource, ToolResult};
use super::message_content::MessageContent;
use super::raw_json;
use super::row::Row;
use super::shared::documents;
use super::time::from_unix;
use super::usage::{COUNTS, InclusiveTokens, unless_zero};
use super::{EachRun, ImportOptions, LogSource, Problem};

pub fn runs(source: &LogSource, options: &ImportOptions, each: EachRun<'_>) {
    for position in documents(source, ".traj.json") {
        each(read(source, position, options));
    }
}

/// Reads one trajectory.
pub fn read(
    source: &LogSource,
    position: usize,
    options: &ImportOptions,
) -> Result<Draft, Problem> {
    let file = source.read(position)?;
    let text = raw_json::text(file.name, &file.bytes)?;
    let whole = Row::parse_file(file.name, &text)?;
    let (list, pointer): (Vec<Row<'_>>, _) = if whole.is_array() {
        (whole.items().collect(), "")
    } else if whole.is_list("messages") {
        (whole.rows("messages").collect(), "/messages")
    } else {
        return Err(raw_json::unreadable(
            file.name,
            "/messages",
            "a list of messages",
        ));
    };
    let mut reader = TrajectoryReader {
        chat: Chat::new(options),
        at: String::new(),
        asked: false,
        last: list.len().saturating_sub(1),
    };
    reader.chat.draft.sources.push(position);
    for (number, row) in list.iter().enumerate() {
        reader.at = format!("{pointer}/{number}");
        if row.is_object() {
            reader.row(number, row);
        } else {
            let draft = &mut reader.chat.draft;
            draft.skip_part(file.name, &reader.at, "a message");
        }
    }
    reader.record(&whole);
    // The program counts calls of the model whose answer it could not use and did not store.
    let calls = whole
        .count("info.model_stats.api_calls")
        .unwrap_or_default();
    let uncounted = calls.saturating_sub(reader.chat.counted);
    let uncounted = uncounted.max(reader.chat.uncounted);
    let mut draft = reader.chat.draft;
    reader.chat.times.write(&mut draft.record);
    draft.uncounted(file.name, uncounted);
    Ok(draft)
}

/// Converts a trajectory row by row.
struct TrajectoryReader<'o> {
    chat: Chat<'o>,
    /// Pointer to the current row.
    at: String,
    /// Whether the task has appeared.
    asked: bool,
    /// The last row.
    last: usize,
}

impl TrajectoryReader<'_> {
    fn row(&mut self, number: usize, row: &Row<'_>) {
        let time = row.number("extra.timestamp").and_then(from_unix);
        let time = time.unwrap_or_default();
        let first = self.chat.draft.events.len();
        let content = MessageContent::at(row, "content");
        match &*row.text("role") {
            "system" => self.chat.system(self.origin(""), content.text),
            "exit" => self.exit(row, &content.text),
            _ if row.text("type") == "function_call_output" => {
                self.result(row, MessageContent::at(row, "output"));
            }
            "user" | "tool" => self.message(number, row, content),
            "assistant" => self.answer(number, row, content),
            "developer" => self.chat.developer(self.origin(""), content.text),
            // This is a response of an API that has no roles.
            "" if row.is_list("output") => self.answer(number, row, content),
            "" => self.chat.draft.unknown_row(&row.text("type")),
            role => self.chat.draft.unknown_row(role),
        }
        self.chat.set_times(first, &time);
    }

    /// An answer of the model: reasoning, text, calls.
    fn answer(&mut self, number: usize, row: &Row<'_>, content: MessageContent) {
        let command = fenced(&content.text).map(str::to_owned);
        if let Some(reasoning) = row.name("reasoning_content") {
            let place = self.origin("/reasoning_content");
            self.chat.reasoning(place, reasoning, false);
        }
        let blocks = row.rows("thinking_blocks").count();
        self.chat
            .draft
            .withhold("encryptedReasoning", blocks as u64);
        self.chat.answer(self.origin(""), content, None);
        self.calls(&format!("m{number}"), row, command.as_deref());
        let usage = row.row("usage").or_else(|| row.row("extra.response.usage"));
        if let Some(usage) = &usage {
            self.chat.draft.check_numbers(usage, &[], &COUNTS);
        }
        let tokens = usage.and_then(|usage| InclusiveTokens::of(&usage));
        let tokens = tokens.map(InclusiveTokens::disjoint);
        if let Some(tokens) = tokens {
            self.chat.draft.record.add(tokens);
        }
        let cost = row.number("extra.cost");
        self.chat.usage(self.origin("/extra"), tokens, None, cost);
    }

    /// Adds the calls of an answer: those that the program made of it, or else those of the model's API, or else its only
    /// fenced block. Calls without an id get one that begins with a prefix.
    fn calls(&mut self, prefix: &str, row: &Row<'_>, command: Option<&str>) {
        let id = |named: Option<String>, n: usize| named.unwrap_or_else(|| format!("{prefix}.{n}"));
        let mut functions = Vec::new();
        for (n, item) in row.rows("output").enumerate() {
            let place = self.origin(&format!("/output/{n}"));
            match &*item.text("type") {
                "reasoning" => {
                    let encrypted = u64::from(item.string("encrypted_content").is_some());
                    let summary = MessageContent::at(&item, "summary").text;
                    self.chat.reasoning(place, summary, true);
                    self.chat.draft.withhold("encryptedReasoning", encrypted);
                }
                "message" => {
                    let content = MessageContent::at(&item, "content");
                    let draft = &mut self.chat.draft;
                    draft.message(place, Role::Assistant, content, false);
                }
                "function_call" => functions.push((n, place, item)),
                _ => {}
            }
        }
        if row.is_list("extra.actions") {
            for (n, action) in row.rows("extra.actions").enumerate() {
                let arguments = match action.string("command") {
                    Some(command) => bash(&command),
                    None => raw_json::without(action.json(), &["tool_call_id"]),
                };
                let place = self.origin(&format!("/extra/actions/{n}"));
                let id = id(action.name("tool_call_id"), n);
                self.chat.call(place, "bash", id, (arguments, None));
            }
        } else if row.is_list("tool_calls") {
            self.chat.tool_calls(&self.at, row, prefix);
        } else if !functions.is_empty() {
            for (n, place, item) in functions {
                let arguments = raw_json::arguments(&item.text("arguments"));
                let id = id(item.name("call_id"), n);
                self.chat.call(place, &item.text("name"), id, arguments);
            }
        } else if let Some(command) = command {
            let place = self.origin("/content");
            self.chat
                .call(place, "bash", id(None, 0), (bash(command), None));
        }
    }

    /// A message of the task, the environment or a person.
    fn message(&mut self, number: usize, row: &Row<'_>, content: MessageContent) {
        let place = self.origin("");
        if let Some(kind) = row.name("extra.interrupt_type") {
            if kind.starts_with("User") {
                let draft = &mut self.chat.draft;
                draft.message(place, Role::User, content, true);
            } else {
                self.chat.draft.note(place, &kind, Some(content.text));
            }
        } else if row.is_list("extra.actions") {
            // A person typed this command.
            let draft = &mut self.chat.draft;
            draft.message(place, Role::User, content, true);
            self.answer(number, row, MessageContent::default());
        } else if row.integer("extra.returncode").is_some()
            || row.text("role") == "tool"
            || header(&content.text).is_some()
        {
            self.result(row, content);
        } else if !self.asked {
            self.asked = true;
            self.chat.user(place, content);
        } else if number == self.last {
            self.chat.draft.submission(!content.text.is_empty());
        } else if self.chat.is_waiting() {
            self.result(row, content);
        } else {
            let note = Some(content.text);
            self.chat.draft.note(place, "environment", note);
        }
    }

    fn result(&mut self, row: &Row<'_>, mut content: MessageContent) {
        let named = row.name("tool_call_id").or_else(|| row.name("call_id"));
        let mut code = row.integer("extra.returncode");
        let mut from = ExitCodeFrom::Field;
        if code.is_some() {
            if let Some(raw) = row.string("extra.raw_output") {
                content.text = raw.into_owned();
            }
            if let Some(exception) = row.name("extra.exception_info") {
                let output = std::mem::replace(&mut content.text, exception);
                if !output.is_empty() {
                    content.text += &format!("\n{output}");
                }
            }
        } else if let Some((exit, rest)) = header(&content.text) {
            (code, from) = (Some(exit), ExitCodeFrom::Text);
            content.text = String::from(rest);
        }
        self.chat.draft.count_omitted(&content);
        let mut result = ToolResult::of(self.chat.answered(named), content);
        result.ok = code.map(|code| code == 0);
        if code == Some(-1) {
            // The command was not executed, or timed out.
            result.status = Some("error".to_owned());
        } else {
            result.exit_code = code;
            result.exit_code_from = code.map(|_| from);
        }
        let place = self.origin("");
        self.chat.result(place, result);
    }

    fn exit(&mut self, row: &Row<'_>, text: &str) {
        let Some(message) = row.name("extra.exception_str") else {
            return;
        };
        let frames = row.word("extra.traceback");
        let frames = frames.as_deref().unwrap_or(text);
        let options = self.chat.options;
        let message = self.chat.draft.error_message(options, message, frames);
        let place = self.origin("/extra");
        self.chat.draft.push(place, EventContent::error(message));
    }

    fn record(&mut self, whole: &Row<'_>) {
        let draft = &mut self.chat.draft;
        draft.check_numbers(whole, &["info.model_stats.instance_cost"], &[]);
        draft.exit_status(whole, state);
        let cwd = whole.name("info.config.environment.cwd");
        draft.identity.workspaces.extend(cwd);
        let record = &mut draft.record;
        let instance = whole.name("instance_id");
        record.id = RunIdSource::in_files(instance.clone());
        record.case.clone_from(&instance);
        record.add_ids([("instance", instance)]);
        record.format_version = whole.name("trajectory_format");
        record.harness = Some("mini-swe-agent".to_owned());
        record.harness_version = whole.name("info.mini_version");
        let model = whole.name("info.config.model.model_name");
        record.models.extend(model);
        let is_counted = !record.tokens.is_zero();
        record.tokens = unless_zero(record.tokens);
        let cost = whole.number("info.model_stats.instance_cost");
        record.cost = cost.filter(|cost| *cost != 0.0 || is_counted);
    }

    fn origin(&self, below: &str) -> Origin {
        Origin::at_pointer(format!("{}{below}", self.at))
    }
}

fn bash(command: &str) -> Option<Box<RawValue>> {
    raw_json::json(&serde_json::json!({ "command": command }))
}

fn state(exit_status: &str) -> &'static str {
    match exit_status {
        "Submitted" => "completed",
        "LimitsExceeded" => "limit_exceeded",
        "TimeExceeded" => "timed_out",
        "UserInterruption" => "canceled",
        "" => "unknown",
        _ => "harness_error",
    }
}

/// The command of a text with exactly one fenced block.
fn fenced(text: &str) -> Option<&str> {
    let mut found = None;
    let mut begin = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let word = line.trim_end();
        match begin {
            None if ["```bash", "```mswea_bash_command"].contains(&word) => {
                begin = Some(offset + line.len());
            }
            Some(start) if word == "```" => {
                if found.is_some() {
                    return None;
                }
                found = Some(text[start..offset].trim());
                begin = None;
            }
            _ => {}
        }
        offset += line.len();
    }
    found
}

/// The exit status that the harness writes at the start of a result, and the rest of the result.
fn header(text: &str) -> Option<(i64, &str)> {
    let (code, rest) = text
        .strip_prefix("<returncode>")?
        .split_once("</returncode>")?;
    let rest = rest.trim_start_matches(['\r', '\n']);
    let output = rest.strip_prefix("<output>").map(|output| {
        let output = output.strip_prefix('\n').unwrap_or(output).trim_end();
        output.strip_suffix("</output>").unwrap_or(output)
    });
    Some((code.parse().ok()?, output.unwrap_or(rest)))
}
