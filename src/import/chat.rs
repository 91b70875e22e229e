//! A conversation with a model, as most formats record it: prompts, messages, answers with calls, and the results of tools.

use std::borrow::Cow;

use serde_json::value::RawValue;

use formats::trace::Role;

use super::ImportOptions;
use super::draft::{Draft, EventContent, Origin, Tokens, ToolCall, ToolResult};
use super::injected;
use super::message_content::MessageContent;
use super::raw_json;
use super::row::Row;
use super::time::Times;

/// Arguments of a call: JSON, or a text that is not JSON.
pub type Arguments = (Option<Box<RawValue>>, Option<String>);

/// A conversation that is read message by message.
pub struct Chat<'o> {
    pub draft: Draft,
    pub options: &'o ImportOptions,
    pub times: Times,
    /// Calls of the last answer, and whether they have a result.
    calls: Vec<(String, bool)>,
    /// Answers with a count of tokens, and answers without.
    pub counted: u64,
    pub uncounted: u64,
}

impl<'o> Chat<'o> {
    pub fn new(options: &'o ImportOptions) -> Self {
        Self {
            draft: Draft::default(),
            options,
            times: Times::default(),
            calls: Vec::new(),
            counted: 0,
            uncounted: 0,
        }
    }

    /// The objects of a list, each with its pointer. Reports other items.
    pub fn rows<'a>(
        &mut self,
        file: &str,
        list: impl Iterator<Item = Row<'a>>,
        pointer: &str,
        what: &str,
    ) -> Vec<(String, Row<'a>)> {
        let mut rows = Vec::new();
        for (number, row) in list.enumerate() {
            let pointer = format!("{pointer}/{number}");
            if row.is_object() {
                rows.push((pointer, row));
            } else {
                self.draft.skip_part(file, &pointer, what);
            }
        }
        rows
    }

    /// Sets the time of the events from `first` on, which is a time of the run.
    pub fn set_times(&mut self, first: usize, time: &str) {
        self.times.add(time);
        self.draft.set_times(first, time);
    }

    pub fn system(&mut self, place: Origin, text: String) {
        self.prompt(place, "systemPrompts", text);
    }

    pub fn developer(&mut self, place: Origin, text: String) {
        self.prompt(place, "developerPrompts", text);
    }

    pub fn prompt(&mut self, place: Origin, what: &'static str, text: String) {
        self.draft.prompt(self.options, place, what, text);
    }

    pub fn user(&mut self, place: Origin, content: MessageContent) {
        self.draft.message(place, Role::User, content, false);
    }

    /// Adds a message of the user, without what a program inserted into it.
    pub fn user_without_insertions(&mut self, place: Origin, mut content: MessageContent) {
        let (words, inserted) = injected::words(&content.text);
        let Some(words) = words.map(Cow::into_owned) else {
            self.draft.count_omitted(&content);
            return self.prompt(place, "injectedContext", content.text);
        };
        self.draft.withhold("injectedContext", inserted);
        content.text = words;
        self.user(place, content);
    }

    pub fn reasoning(&mut self, place: Origin, text: String, summary: bool) {
        self.draft.reasoning(self.options, place, text, summary);
    }

    /// Adds the text of an answer, whose calls follow.
    pub fn answer(&mut self, place: Origin, content: MessageContent, by: Option<String>) {
        self.calls.clear();
        let message = self.draft.message(place, Role::Assistant, content, false);
        if let Some(EventContent::Message { model, .. }) = message {
            *model = by;
        }
    }

    pub fn call(&mut self, place: Origin, name: &str, id: String, arguments: Arguments) {
        self.calls.push((id.clone(), false));
        self.add_call(
            place,
            ToolCall::of(Some(name.to_owned()), Some(id), arguments),
        );
    }

    /// Adds a call that no later result without an id belongs to.
    pub fn add_call(&mut self, place: Origin, call: ToolCall) {
        self.draft.push(place, EventContent::ToolCall(call));
    }

    pub fn result(&mut self, place: Origin, result: ToolResult) {
        self.draft.push(place, EventContent::ToolResult(result));
    }

    /// Adds the tokens of the last answer, or notes that the log has no count of them.
    pub fn usage(
        &mut self,
        place: Origin,
        tokens: Option<Tokens>,
        model: Option<String>,
        cost: Option<f64>,
    ) {
        let Some(tokens) = tokens else {
            self.uncounted += 1;
            return;
        };
        self.counted += 1;
        let usage = EventContent::Usage {
            tokens,
            model,
            cost,
            calls: self.calls(),
        };
        self.draft.push(place, usage);
    }

    /// Adds `tool_calls` of an answer. A call without an id gets one that begins with a prefix.
    pub fn tool_calls(&mut self, pointer: &str, row: &Row<'_>, prefix: &str) {
        for (number, call) in row.rows("tool_calls").enumerate() {
            let id = call.name("id");
            let id = id.unwrap_or_else(|| format!("{prefix}.{number}"));
            let arguments = raw_json::arguments(&call.text("function.arguments"));
            let place = Origin::at_pointer(format!("{pointer}/tool_calls/{number}"));
            self.call(place, &call.text("function.name"), id, arguments);
        }
    }

    /// The ids of the calls of the last answer.
    pub fn calls(&self) -> Vec<String> {
        self.calls.iter().map(|(id, _)| id.clone()).collect()
    }

    /// Whether a call of the last answer has no result.
    pub fn is_waiting(&self) -> bool {
        self.calls.iter().any(|(_, answered)| !answered)
    }

    /// The call that a result belongs to: the named one, or the first without a result.
    pub fn answered(&mut self, named: Option<String>) -> Option<String> {
        let is_it = |id: &String| named.as_ref().is_none_or(|named| named == id);
        let mut calls = self.calls.iter_mut();
        let found = calls.find(|(id, answered)| !*answered && is_it(id));
        let next = found.map(|call| {
            call.1 = true;
            call.0.clone()
        });
        named.or(next)
    }
}

/// Arguments that are JSON, or JSON in a string.
pub fn arguments(row: &Row<'_>, path: &str) -> Arguments {
    match row.string(path) {
        Some(text) => raw_json::arguments(&text),
        None => (row.raw(path).and_then(raw_json::compact), None),
    }
}

impl ToolCall {
    /// A call of a tool; without a name, of an unknown one.
    pub fn of(name: Option<String>, id: Option<String>, arguments: Arguments) -> Self {
        let name = name.filter(|name| !name.is_empty());
        Self {
            name: name.unwrap_or_else(|| "unknown".to_owned()),
            call: id,
            arguments: arguments.0,
            arguments_text: arguments.1,
            ..Self::default()
        }
    }
}

impl ToolResult {
    /// A result of which nothing but its content is known.
    pub fn of(call: Option<String>, content: MessageContent) -> Self {
        Self {
            call,
            text: Some(content.text),
            images: content.images,
            ..Self::default()
        }
    }
}
