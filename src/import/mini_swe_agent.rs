//! mini-swe-agent: `*.traj.json`, with structured calls since 2.0. Before that, bare lists of messages, with calls as fenced
//! blocks of text.

mod rows;

use serde_json::value::RawValue;

use crate::formats::trace::{ExitCodeFrom, Role};

use super::draft::{Call, Draft, Id, Origin, ToolResult, What};
use super::loose::{self, Items, Spoken};
use super::shared::{Waiting, at, documents};
use super::time::{Times, When};
use super::usage::Usage;
use super::{Importer, Options, Problem, Source};

use rows::{Action, Config, Extra, Info, Item, Row, Whole};

/// The importer.
pub struct MiniSweAgent;

impl Importer for MiniSweAgent {
    fn format(&self) -> &'static str {
        "mini-swe-agent"
    }

    fn read(
        &self,
        source: &Source,
        options: &Options,
        each: &mut dyn FnMut(Result<Draft, Problem>),
    ) {
        for position in documents(source, ".traj.json") {
            each(read(source, position, options));
        }
    }
}

/// Reads one trajectory.
pub fn read(source: &Source, position: usize, options: &Options) -> Result<Draft, Problem> {
    let file = source.read(position)?;
    let text = loose::text(file.name, &file.bytes)?;
    let raw: &RawValue = loose::document(file.name, &text)?;
    let is_list = raw.get().starts_with('[');
    let whole: Whole<'_> = if is_list {
        Whole {
            messages: loose::part(raw),
            ..Whole::default()
        }
    } else {
        loose::part(raw)
    };
    if whole.messages.is_none() {
        return Err(loose::odd(file.name, "/messages", "a list of messages"));
    }
    let mut reader = Reader {
        draft: Draft::default(),
        options,
        at: String::new(),
        waiting: Waiting::default(),
        times: Times::default(),
        asked: false,
        last: whole.messages.items().len().saturating_sub(1),
        counted: 0,
        uncounted: 0,
    };
    reader.draft.sources.push(position);
    for (number, row) in whole.messages.items().iter().enumerate() {
        reader.at = if is_list {
            format!("/{number}")
        } else {
            format!("/messages/{number}")
        };
        if let Ok(row) = serde_json::from_str(row.get()) {
            reader.row(number, &row);
        } else {
            reader.draft.odd(file.name, &reader.at, "a message");
        }
    }
    reader.record(&whole);
    // The program counts calls of the model whose answer it could not use and did not store.
    let calls = whole
        .info
        .as_ref()
        .and_then(|info| info.model_stats.as_ref());
    let calls = calls.and_then(|stats| *stats.api_calls).unwrap_or_default();
    let uncounted = calls.saturating_sub(reader.counted).max(reader.uncounted);
    reader.draft.uncounted(file.name, uncounted);
    Ok(reader.draft)
}

/// Converts a trajectory row by row.
struct Reader<'o> {
    draft: Draft,
    options: &'o Options,
    /// Pointer to the current row.
    at: String,
    /// Calls of the last answer without a result.
    waiting: Waiting,
    times: Times,
    /// Whether the task has appeared.
    asked: bool,
    /// The last row.
    last: usize,
    /// Answers with a count of tokens, and answers without.
    counted: u64,
    uncounted: u64,
}

impl Reader<'_> {
    fn row(&mut self, number: usize, row: &Row<'_>) {
        let none = Extra::default();
        let extra = row.extra.as_ref().unwrap_or(&none);
        let when = extra.timestamp.and_then(When::unix);
        if let Some(When::Utc(text)) = &when {
            self.times.see(text);
        }
        let first = self.draft.events.len();
        let content = Spoken::of(row.content);
        match row.role.text() {
            "system" => {
                let at = self.origin("");
                self.draft
                    .prompt(self.options, at, "systemPrompts", content.text);
            }
            "exit" => self.exit(extra, content),
            _ if row.kind.text() == "function_call_output" => {
                self.result(row, extra, Spoken::of(row.output));
            }
            "user" | "tool" => self.heard(number, row, extra, content),
            _ => self.answer(number, row, extra, content),
        }
        for event in &mut self.draft.events[first..] {
            event.when(when.as_ref());
        }
    }

    /// An answer of the model: reasoning, text, calls.
    fn answer(&mut self, number: usize, row: &Row<'_>, extra: &Extra<'_>, content: Spoken) {
        self.waiting.clear();
        let command = fenced(&content.text).map(str::to_owned);
        if let Some(reasoning) = row.reasoning_content.named() {
            let at = self.origin("/reasoning_content");
            self.draft.reasoning(self.options, at, reasoning, false);
        }
        self.draft.withhold(
            "encryptedReasoning",
            row.thinking_blocks.items().len() as u64,
        );
        let at = self.origin("");
        self.draft.message(at, Role::Assistant, content, false);
        let items: Items<'_> = row.output.map(loose::part).unwrap_or_default();
        let items: Vec<Item<'_>> = items.items().iter().map(|item| loose::part(item)).collect();
        for (n, item) in items.iter().enumerate() {
            self.item(n, item);
        }
        if let Some(actions) = extra.actions.as_ref() {
            for (n, action) in actions.iter().enumerate() {
                let read: Action<'_> = loose::part(action);
                let id = read.tool_call_id.named();
                let id = id.unwrap_or_else(|| format!("m{number}.{n}"));
                let arguments = match read.command.as_ref() {
                    Some(command) => bash(command),
                    None => loose::without(action, &["tool_call_id"]),
                };
                self.call(
                    &format!("/extra/actions/{n}"),
                    "bash",
                    id,
                    (arguments, None),
                );
            }
        } else if let Some(calls) = row.tool_calls.as_ref() {
            for (n, call) in calls.iter().enumerate() {
                let Some(function) = call.function.as_ref() else {
                    continue;
                };
                let id = call.id.named().unwrap_or_else(|| format!("m{number}.{n}"));
                let arguments = loose::arguments(function.arguments.text());
                self.call(
                    &format!("/tool_calls/{n}"),
                    function.name.text(),
                    id,
                    arguments,
                );
            }
        } else if items.iter().any(|item| item.kind.text() == "function_call") {
            for (n, item) in items.iter().enumerate() {
                if item.kind.text() == "function_call" {
                    let id = item.call_id.named();
                    let id = id.unwrap_or_else(|| format!("m{number}.{n}"));
                    let arguments = loose::arguments(item.arguments.text());
                    self.call(&format!("/output/{n}"), item.name.text(), id, arguments);
                }
            }
        } else if let Some(command) = command {
            self.call(
                "/content",
                "bash",
                format!("m{number}.0"),
                (bash(&command), None),
            );
        }
        let usage = row.usage.as_ref();
        let usage = usage.or_else(|| extra.response.as_ref()?.usage.as_ref());
        if let Some(counted) = usage.and_then(Usage::read) {
            let tokens = counted.disjoint();
            self.draft.record.tokens = self.draft.record.tokens.plus(tokens);
            self.counted += 1;
            let calls = self.waiting.all();
            let usage = What::Usage {
                tokens,
                model: None,
                cost: *extra.cost,
                calls,
            };
            self.draft.push(self.origin("/extra"), usage);
        } else {
            self.uncounted += 1;
        }
    }

    fn item(&mut self, n: usize, item: &Item<'_>) {
        let at = self.origin(&format!("/output/{n}"));
        match item.kind.text() {
            "reasoning" => {
                let summary = Spoken::of(item.summary).text;
                if !summary.trim().is_empty() {
                    self.draft.reasoning(self.options, at, summary, true);
                }
                let encrypted = u64::from(item.encrypted_content.is_some());
                self.draft.withhold("encryptedReasoning", encrypted);
            }
            "message" => {
                let content = Spoken::of(item.content);
                self.draft.message(at, Role::Assistant, content, false);
            }
            _ => {}
        }
    }

    /// A message of the task, the environment or a person.
    fn heard(&mut self, number: usize, row: &Row<'_>, extra: &Extra<'_>, content: Spoken) {
        let at = self.origin("");
        if let Some(kind) = extra.interrupt_type.named() {
            if kind.starts_with("User") {
                self.draft.message(at, Role::User, content, true);
            } else {
                self.draft.note(at, &kind, Some(content.text));
            }
        } else if extra.actions.is_some() {
            // A command typed by a person.
            self.draft.message(at, Role::User, content, true);
            self.answer(number, row, extra, Spoken::default());
        } else if extra.returncode.is_some()
            || row.role.text() == "tool"
            || header(&content.text).is_some()
        {
            self.result(row, extra, content);
        } else if !self.asked {
            self.asked = true;
            self.draft.message(at, Role::User, content, false);
        } else if number == self.last {
            self.draft.submission(!content.text.is_empty());
        } else if self.waiting.is_empty() {
            self.draft.note(at, "environment", Some(content.text));
        } else {
            self.result(row, extra, content);
        }
    }

    fn result(&mut self, row: &Row<'_>, extra: &Extra<'_>, content: Spoken) {
        let named = row.tool_call_id.named().or_else(|| row.call_id.named());
        let call = match named {
            Some(id) => {
                self.waiting.answer(&id);
                Some(id)
            }
            None => self.waiting.next(),
        };
        let mut result = ToolResult {
            call,
            images: content.images,
            ..ToolResult::default()
        };
        let mut text = content.text;
        if let Some(code) = *extra.returncode {
            result.exit_code_from = Some(ExitCodeFrom::Field);
            result.exit_code = Some(code);
            if let Some(raw) = extra.raw_output.as_ref() {
                text = raw.to_string();
            }
            if let Some(exception) = extra.exception_info.named() {
                text = if text.is_empty() {
                    exception
                } else {
                    format!("{exception}\n{text}")
                };
            }
        } else if let Some((code, rest)) = header(&text) {
            result.exit_code_from = Some(ExitCodeFrom::Text);
            result.exit_code = Some(code);
            text = String::from(rest);
        }
        result.ok = result.exit_code.map(|code| code == 0);
        if result.exit_code == Some(-1) {
            // The command was not executed, or timed out.
            (result.exit_code, result.exit_code_from) = (None, None);
            result.status = Some("error".to_owned());
        }
        result.text = Some(text);
        self.draft.push(self.origin(""), What::ToolResult(result));
    }

    fn exit(&mut self, extra: &Extra<'_>, content: Spoken) {
        let Some(message) = extra.exception_str.named() else {
            return;
        };
        let frames = extra.traceback.named();
        let frames = frames.unwrap_or(content.text);
        let message = self.draft.traced(self.options, message, &frames);
        let error = What::Error {
            message,
            code: None,
        };
        self.draft.push(self.origin("/extra"), error);
    }

    fn call(
        &mut self,
        at: &str,
        name: &str,
        id: String,
        (arguments, arguments_text): (Option<Box<RawValue>>, Option<String>),
    ) {
        self.waiting.push(id.clone());
        let name = if name.is_empty() { "unknown" } else { name };
        let call = Call {
            name: name.to_owned(),
            call: Some(id),
            arguments,
            arguments_text,
            ..Call::default()
        };
        self.draft.push(self.origin(at), What::ToolCall(call));
    }

    fn record(&mut self, whole: &Whole<'_>) {
        let empty = (Info::default(), Config::default());
        let info = whole.info.as_ref().unwrap_or(&empty.0);
        let config = info.config.as_ref().unwrap_or(&empty.1);
        if let Some(status) = info.exit_status.as_ref() {
            self.draft.record.state = state(status);
            self.draft.record.detail = info.exit_status.named();
            self.draft.submission(info.submission.named().is_some());
        }
        let record = &mut self.draft.record;
        record.case = whole.instance_id.named();
        record.id = Id::Derived {
            names: record.case.iter().cloned().collect(),
            with_digests: true,
        };
        record.ids.extend(
            record
                .case
                .iter()
                .map(|id| ("instance".to_owned(), id.clone())),
        );
        record.format_version = whole.trajectory_format.named();
        record.harness = Some("mini-swe-agent".to_owned());
        record.harness_version = info.mini_version.named();
        let model = config
            .model
            .as_ref()
            .and_then(|model| model.model_name.named());
        record.models.extend(model);
        let counted = !record.tokens.nothing();
        if !counted {
            record.tokens = super::Tokens::default();
        }
        let cost = info
            .model_stats
            .as_ref()
            .and_then(|stats| *stats.instance_cost);
        record.cost = cost.filter(|cost| *cost != 0.0 || counted);
        std::mem::take(&mut self.times).write(record);
        let cwd = config
            .environment
            .as_ref()
            .and_then(|place| place.cwd.named());
        self.draft.identity.workspaces.extend(cwd);
    }

    fn origin(&self, below: &str) -> Origin {
        at(format!("{}{below}", self.at))
    }
}

fn bash(command: &str) -> Option<Box<RawValue>> {
    loose::json(&serde_json::json!({ "command": command }))
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
