//! Lists of messages, as programs that call a model write them: the chat and the responses of `OpenAI`, messages of Anthropic, the
//! session traces of Hugging Face, and letta's trajectories. A file holds one conversation, or one on each line.

mod shape;
mod values;

use std::borrow::Cow;

use base::diagnostics::codes::IMPORT_INVALID_FILE;

use super::chat::{Chat, arguments};
use super::draft::{Draft, Origin, RunIdSource, Tokens, ToolCall, ToolResult};
use super::message_content::MessageContent;
use super::raw_json;
use super::row::{AS_WRITTEN, Row};
use super::shared::documents;
use super::time::Times;
use super::usage::{COUNTS, all_tokens};
use super::{EachRun, ImportOptions, LogSource, Problem, problem};

use shape::{ITEMS, LISTS, is_message, is_session};
pub use shape::{is_conversation, is_jsonl};
use values::{content, has_made_up_times, time, tokens};

pub fn runs(source: &LogSource, options: &ImportOptions, each: EachRun<'_>) {
    for position in documents(source, "") {
        if let Err(problem) = read(source, position, options, each) {
            each(Err(problem));
        }
    }
}

fn read(
    source: &LogSource,
    position: usize,
    options: &ImportOptions,
    each: EachRun<'_>,
) -> Result<(), Problem> {
    let file = source.read(position)?;
    let text = raw_json::text(file.name, &file.bytes)?;
    let reader = |line| ConversationReader::new(file.name, position, line, options);
    match Row::parse_value(&text) {
        Ok(whole) if !is_session(&whole) => {
            let has_several = whole.is_array() && !whole.items().any(|row| is_message(&row));
            if !has_several {
                each(reader(None).whole(&whole, "", None));
                return Ok(());
            }
            for (number, row) in whole.items().enumerate() {
                let digest = Some(digest(row.json()));
                each(reader(None).whole(&row, &format!("/{number}"), digest));
            }
            Ok(())
        }
        _ => lines(&text, &reader, each),
    }
}

/// What identifies a conversation among others of its file.
fn digest(json: &str) -> String {
    blake3::hash(json.as_bytes()).to_hex().to_string()
}

/// Reads JSON Lines: a conversation on each, or a message on each.
fn lines<'o>(
    text: &str,
    reader: &dyn Fn(Option<u64>) -> ConversationReader<'o>,
    each: EachRun<'_>,
) -> Result<(), Problem> {
    let mut open: Option<ConversationReader<'o>> = None;
    let mut has_any = false;
    for (line, number) in text.split('\n').zip(1_u32..) {
        if line.trim().is_empty() {
            continue;
        }
        let row = match Row::parse(line) {
            Ok(row) => row,
            Err(fault) => {
                if let Some(open) = &mut open {
                    open.chat.draft.skip_line(open.file, number, fault);
                } else {
                    let message = format!("The line {}", fault.words());
                    let reader = reader(None);
                    let mut problem =
                        problem(&IMPORT_INVALID_FILE, reader.file, message, AS_WRITTEN);
                    problem.place.line = Some(number);
                    each(Err(problem));
                }
                continue;
            }
        };
        has_any = true;
        let is_message = is_message(&row) || row.text("type") == "message";
        if !is_message && !is_session(&row) && is_conversation(&row) {
            each(reader(Some(number.into())).whole(&row, "", Some(digest(row.json()))));
            continue;
        }
        if is_session(&row)
            && let Some(open) = open.take()
        {
            each(Ok(open.finish()));
        }
        let open = open.get_or_insert_with(|| reader(None));
        open.line = Some(number.into());
        if is_session(&row) {
            open.about(&row);
            open.chat.draft.record.harness = row.name("harness");
        } else {
            open.row(&row, "");
        }
    }
    match open {
        Some(open) => each(Ok(open.finish())),
        None if has_any => {}
        None => {
            return Err(raw_json::unreadable(
                reader(None).file,
                "",
                "a list of messages",
            ));
        }
    }
    Ok(())
}

/// Reads a conversation message by message.
struct ConversationReader<'o> {
    chat: Chat<'o>,
    file: &'o str,
    /// The line of the current message, in JSON Lines.
    line: Option<u64>,
}

impl<'o> ConversationReader<'o> {
    fn new(file: &'o str, position: usize, line: Option<u64>, options: &'o ImportOptions) -> Self {
        let mut chat = Chat::new(options);
        chat.draft.sources.push(position);
        Self { chat, file, line }
    }

    /// Reads a conversation that is one value. `digest` identifies it where the file holds several.
    fn whole(
        mut self,
        whole: &Row<'_>,
        pointer: &str,
        digest: Option<String>,
    ) -> Result<Draft, Problem> {
        let mut lists: Vec<(String, Vec<Row<'_>>)> = Vec::new();
        if whole.is_array() {
            lists.push((pointer.to_owned(), whole.items().collect()));
        } else {
            self.about(whole);
            let list = LISTS.iter().find(|key| whole.is_list(key));
            let keys = list.map_or(&ITEMS[..], std::slice::from_ref);
            for key in keys.iter().filter(|key| whole.has(key)) {
                lists.push((format!("{pointer}/{key}"), whole.parts(key).collect()));
            }
        }
        if lists.is_empty() {
            return Err(raw_json::unreadable(
                self.file,
                &format!("{pointer}/messages"),
                "a list of messages",
            ));
        }
        if let Some(digest) = digest {
            self.chat.draft.record.id = RunIdSource::Derived {
                names: vec![digest],
                with_digests: false,
            };
        }
        for (list, rows) in lists {
            let is_timed = !has_made_up_times(whole, &rows);
            for (number, row) in rows.iter().enumerate() {
                let here = format!("{list}/{number}");
                if let Some(text) = row.as_str().filter(|_| list.ends_with("/input")) {
                    let place = self.origin(&list);
                    self.chat
                        .user_without_insertions(place, text.into_owned().into());
                } else if row.is_object() {
                    let first = self.chat.draft.events.len();
                    self.row(row, &here);
                    if !is_timed {
                        self.chat.times = Times::default();
                        self.chat.draft.set_times(first, "");
                    }
                } else {
                    self.chat.draft.skip_part(self.file, &here, "a message");
                }
            }
        }
        Ok(self.finish())
    }

    /// Reads what is known of the whole conversation.
    fn about(&mut self, row: &Row<'_>) {
        let session = row.row("session");
        let id = row.first(["session_id", "conversation_id"]).or_else(|| {
            let own = || is_session(row).then(|| row.word("id")).flatten();
            session
                .as_ref()
                .map_or_else(own, |session| session.word("id"))
        });
        let id = id.map(Cow::into_owned);
        let record = &mut self.chat.draft.record;
        let other = row.id("id");
        record.id = match (&id, &other) {
            (Some(_), _) => RunIdSource::of_session(id.clone(), None, None),
            (None, other) => RunIdSource::in_files(other.clone()),
        };
        record.add_ids([("session", id), ("conversation", other)]);
        record.case = row.name("instance_id").or_else(|| row.name("task_id"));
        for path in ["model", "metadata.model", "session.model"] {
            record.add_model(&row.text(path));
        }
        // Other keys do not say that they are in dollars.
        let costs = ["cost_usd", "total_cost_usd"];
        self.chat.draft.check_numbers(row, &costs, &[]);
        let record = &mut self.chat.draft.record;
        let cost = costs.iter().find_map(|key| row.number(key));
        record.cost = cost.filter(|cost| *cost > 0.0);
        if let Some(tokens) = row.row("usage").as_ref().and_then(tokens) {
            record.tokens = tokens;
        }
        for path in ["cwd", "session.cwd"] {
            self.chat.draft.identity.add_workspace(&row.text(path));
        }
        let tools = row.rows("tools").count() as u64;
        self.chat.draft.withhold("toolDefinitions", tools);
        for key in ["system", "instructions", "session.system_prompt"] {
            let text = MessageContent::at(row, key).text;
            if !text.is_empty() {
                let pointer = format!("/{}", key.replace('.', "/"));
                self.chat.system(self.origin(&pointer), text);
            }
        }
    }

    /// Adds the events of a message, or of an item of a response.
    fn row(&mut self, row: &Row<'_>, here: &str) {
        // A session trace wraps its messages.
        let inner = row.row("message").filter(|_| row.text("type") == "message");
        let here = if inner.is_some() {
            format!("{here}/message")
        } else {
            here.to_owned()
        };
        let row = inner.as_ref().unwrap_or(row);
        let time = time(row).unwrap_or_default();
        let first = self.chat.draft.events.len();
        let role = row.text("role");
        match (&*role, &*row.text("type")) {
            ("", kind) => self.item(kind, row, &here),
            ("system", _) => self.chat.system(self.origin(&here), content(row).text),
            ("developer", _) => self.chat.developer(self.origin(&here), content(row).text),
            ("user" | "human", _) => self.message_of_user(row, &here),
            ("assistant" | "model" | "ai", _) => self.answer(row, &here),
            ("tool" | "function" | "toolResult", _) => self.result(row, &here, "content"),
            ("reasoning", _) => {
                let text = content(row).text;
                self.chat.reasoning(self.origin(&here), text, false);
            }
            ("observation", _) => {
                let text = Some(content(row).text);
                self.chat
                    .draft
                    .note(self.origin(&here), "environment", text);
            }
            ("meta", _) => self.about_trajectory(row),
            (role, _) => self.chat.draft.unknown_row(role),
        }
        self.chat.set_times(first, &time);
    }

    /// The first record of a trajectory of letta.
    fn about_trajectory(&mut self, row: &Row<'_>) {
        let draft = &mut self.chat.draft;
        draft.record.harness = row.name("source");
        draft.record.add_model(&row.text("model"));
        draft.identity.add_workspace(&row.text("cwd"));
    }

    /// An item of a response that is not a message.
    fn item(&mut self, kind: &str, row: &Row<'_>, here: &str) {
        match kind {
            "function_call" | "custom_tool_call" => self.call(row, here, here),
            "function_call_output" | "custom_tool_call_output" => self.result(row, here, "output"),
            "reasoning" => {
                let encrypted = u64::from(row.word("encrypted_content").is_some());
                self.chat.draft.withhold("encryptedReasoning", encrypted);
                let summary = MessageContent::at(row, "summary").text;
                let place = self.origin(here);
                self.chat.reasoning(place.clone(), summary, true);
                self.chat.reasoning(place, content(row).text, false);
            }
            kind => match kind.strip_suffix("_call") {
                // The provider ran the tool.
                Some(name) => {
                    let call = ToolCall {
                        hosted: true,
                        status: row.name("status"),
                        ..ToolCall::of(Some(name.to_owned()), row.name("id"), (None, None))
                    };
                    self.chat.add_call(self.origin(here), call);
                }
                None => self.chat.draft.unknown_row(kind),
            },
        }
    }

    fn message_of_user(&mut self, row: &Row<'_>, here: &str) {
        for (number, part) in row.parts("content").enumerate() {
            if part.text("type") == "tool_result" {
                self.result(&part, &format!("{here}/content/{number}"), "content");
            }
        }
        self.chat
            .user_without_insertions(self.origin(here), content(row));
    }

    /// Adds an answer of the model: reasoning, text, calls.
    fn answer(&mut self, row: &Row<'_>, here: &str) {
        const REASONING: [&str; 3] = ["reasoning_content", "reasoningContent", "reasoning"];
        if let Some(key) = REASONING.iter().find(|key| row.word(key).is_some()) {
            let place = self.origin(&format!("{here}/{key}"));
            self.chat
                .reasoning(place, row.text(key).into_owned(), false);
        }
        let parts: Vec<Row<'_>> = row.parts("content").filter(Row::is_object).collect();
        for part in &parts {
            let kind = part.text("type");
            let text = part.first(["thinking", "text"]).unwrap_or_default();
            match &*kind {
                "thinking" | "reasoning" => {
                    self.chat
                        .reasoning(self.origin(here), text.into_owned(), false);
                }
                "redacted_thinking" => self.chat.draft.withhold("encryptedReasoning", 1),
                _ => {}
            }
        }
        let mut text = content(row);
        if let Some(refusal) = row.word("refusal") {
            text.line(&refusal);
        }
        let model = row.name("model");
        self.chat
            .draft
            .record
            .add_model(model.as_deref().unwrap_or_default());
        self.chat.answer(self.origin(here), text, model.clone());
        for (number, part) in parts.iter().enumerate() {
            let here = format!("{here}/content/{number}");
            match &*part.text("type") {
                "tool_use" | "toolCall" => self.call(part, &here, &here),
                "server_tool_use" => {
                    let call = ToolCall {
                        hosted: true,
                        ..ToolCall::of(part.name("name"), part.name("id"), arguments(part, "input"))
                    };
                    self.chat.add_call(self.origin(&here), call);
                }
                _ => {}
            }
        }
        for key in ["tool_calls", "toolCalls"] {
            for (number, call) in row.rows(key).enumerate() {
                let here = format!("{here}/{key}/{number}");
                self.call(&call, &here, &here);
            }
        }
        if let Some(call) = row.row("function_call") {
            self.call(&call, &format!("{here}/function_call"), here);
        }
        self.usage(row, model, here);
    }

    /// Adds a call. Without an id, it gets one made of its place, which is unique.
    fn call(&mut self, row: &Row<'_>, here: &str, place: &str) {
        const NAMES: [&str; 3] = ["function.name", "custom.name", "name"];
        const ARGUMENTS: [&str; 6] = [
            "function.arguments",
            "custom.input",
            "arguments",
            "args",
            "input",
            "parameters",
        ];
        let id = row.first(["call_id", "id"]).map_or_else(
            || {
                format!(
                    "m{}{}",
                    self.line.unwrap_or_default(),
                    place.replace('/', ".")
                )
            },
            Cow::into_owned,
        );
        let given = ARGUMENTS.iter().find(|path| row.has(path));
        let given = given.map_or((None, None), |path| arguments(row, path));
        let name = row.first(NAMES).unwrap_or_default();
        self.chat.call(self.origin(here), &name, id, given);
    }

    fn result(&mut self, row: &Row<'_>, here: &str, key: &str) {
        let ids = ["tool_call_id", "toolCallId", "call_id", "tool_use_id"];
        let named = row.first(ids).map(Cow::into_owned);
        let content = MessageContent::at(row, key);
        self.chat.draft.count_omitted(&content);
        let call = self.chat.answered(named);
        let mut result = ToolResult::of(call, content);
        let is_error = row.flag("is_error").or_else(|| row.flag("isError"));
        result.ok = row.flag("ok").or(is_error.map(|is_error| !is_error));
        let place = self.origin(here);
        self.chat.result(place, result);
    }

    fn usage(&mut self, row: &Row<'_>, model: Option<String>, here: &str) {
        let usage = row.row("usage");
        if let Some(usage) = &usage {
            self.chat.draft.check_numbers(usage, &[], &COUNTS);
        }
        let tokens = usage.as_ref().and_then(tokens);
        let place = self.origin(&format!("{here}/usage"));
        self.chat.usage(place, tokens, model, None);
    }

    fn finish(self) -> Draft {
        let mut draft = self.chat.draft;
        if draft.record.tokens == Tokens::default() {
            all_tokens(&draft.events).for_each(|tokens| draft.record.add(tokens));
            if self.chat.counted > 0 {
                draft.uncounted(self.file, self.chat.uncounted);
            }
        }
        self.chat.times.write(&mut draft.record);
        draft
    }

    fn origin(&self, pointer: &str) -> Origin {
        Origin {
            line: self.line,
            pointer: Some(pointer.to_owned()).filter(|pointer| !pointer.is_empty()),
            ..Origin::default()
        }
    }
}
