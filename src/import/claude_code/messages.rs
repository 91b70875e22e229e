//! Turns the rows of a session into events: messages, reasoning, calls, results and edits.

use std::borrow::Cow;

use formats::trace::Role;

use super::super::Keep;
use super::super::draft::{EventContent, ToolCall};
use super::super::raw_json;
use super::super::row::Row;
use super::super::usage::COUNTS;
use super::author::{self, Author};
use super::inserted_text::{self, TextOrigin};
use super::lane::RowPlace;
use super::session::Session;
use super::tree;

impl Session {
    /// Reads a user row. Returns whether the user wrote it.
    pub(super) fn user(&mut self, row: &Row<'_>, message: &Row<'_>, place: &RowPlace) -> bool {
        let blocks: Vec<Row<'_>> = message.parts("content").collect();
        let mut writer = author::of_row(row);
        // What a subagent is asked to do comes from its agent, whoever began the turn.
        if place.lane > 0 && !row.is_true("isMeta") {
            writer = Author::Unstated;
        }
        let omitted_as = if row.is_true("isCompactSummary") {
            Some("compactionSummaries")
        } else if row.is_true("isMeta") {
            Some("metaRows")
        } else {
            let is_result = row.has("toolUseResult") || blocks.iter().any(is_tool_result);
            // Text next to a result of a tool was added by the harness.
            (writer == Author::Harness || is_result).then_some("injectedContext")
        };
        let (text, _) = joined(&blocks);
        if writer != Author::User {
            self.read_notifications(&text);
        }
        if let Some(what) = omitted_as {
            if inserted_text::is_interruption(&text) {
                self.note(place, "interrupted", None);
            } else if !text.trim().is_empty() {
                self.prompt(place, what, text.into_owned());
            } else if what != "injectedContext" {
                self.draft.withhold(what, 1);
            }
        }
        let mut is_typed = false;
        let mut images = 0;
        let is_list = message.is_list("content");
        for (number, block) in blocks.iter().enumerate() {
            let pointer = format!("/message/content/{number}");
            let pointer = if is_list { &*pointer } else { "" };
            let text = match (&*block.text("type"), block.as_str()) {
                (_, Some(text)) => text,
                ("text", _) => block.text("text"),
                ("tool_result", _) => {
                    self.result(row, block, place, pointer);
                    continue;
                }
                (kind, _) => {
                    let image = is_image(kind);
                    images += u64::from(image);
                    let payload = block.is_object() && !image;
                    self.draft.withhold("providerPayloads", u64::from(payload));
                    continue;
                }
            };
            if omitted_as.is_none() {
                is_typed |= self.add_user_text(&text, writer, place, pointer, false);
            }
        }
        self.draft.withhold("images", images);
        if images > 0 && omitted_as.is_none() {
            self.lanes[place.lane].add_images(place, images);
        }
        is_typed
    }

    /// Adds a text that may be the user's. Returns whether it is.
    fn add_user_text(
        &mut self,
        text: &str,
        writer: Author,
        place: &RowPlace,
        pointer: &str,
        steering: bool,
    ) -> bool {
        // The first message of a subagent is its task, in the words of its agent.
        let is_task = place.lane > 0 && self.lanes[place.lane].prompt.is_none();
        let (typed, reminders) = inserted_text::classify(text, writer == Author::User || is_task);
        match typed {
            TextOrigin::User(words) => {
                let words = if self.options.keeps(Keep::Prompts) {
                    Cow::Borrowed(text)
                } else {
                    self.draft.withhold("injectedContext", reminders);
                    words
                };
                let lane = &mut self.lanes[place.lane];
                lane.prompt.get_or_insert_with(|| tree::hash(words.trim()));
                let message = EventContent::message(Role::User, words.into_owned(), steering, 0);
                lane.push(place, pointer, message);
                return true;
            }
            TextOrigin::Command(text) => self.note(place, "command", Some(text)),
            TextOrigin::Shell => self.note(place, "user shell command", Some(text.to_owned())),
            TextOrigin::Interrupted => self.note(place, "interrupted", None),
            TextOrigin::Injected => self.prompt(place, "injectedContext", text.to_owned()),
            TextOrigin::Nothing if reminders > 0 && self.options.keeps(Keep::Prompts) => {
                self.prompt(place, "injectedContext", text.to_owned());
            }
            TextOrigin::Nothing => self.draft.withhold("injectedContext", reminders),
        }
        false
    }

    /// Adds a prompt if prompts are kept; otherwise counts it as `what`.
    fn prompt(&mut self, place: &RowPlace, what: &'static str, text: String) {
        if let Some(note) = self.draft.prompt_note(&self.options, what, text) {
            self.push(place, "", note);
        }
    }

    fn note(&mut self, place: &RowPlace, kind: &str, text: Option<String>) {
        self.push(place, "", EventContent::note(kind, text));
    }

    pub(super) fn assistant(&mut self, row: &Row<'_>, message: &Row<'_>, place: &RowPlace) {
        let is_error = row.is_true("isApiErrorMessage") || message.text("model") == "<synthetic>";
        let mut calls = Vec::new();
        for (number, block) in message.parts("content").enumerate() {
            let pointer = format!("/message/content/{number}");
            if let Some(text) = block.as_str() {
                self.answer(&text, is_error, place, "");
            }
            match &*block.text("type") {
                "text" => self.answer(&block.text("text"), is_error, place, &pointer),
                "thinking" => self.thinking(&block, place, &pointer),
                "redacted_thinking" => self.draft.withhold("encryptedReasoning", 1),
                "tool_use" => {
                    calls.extend(block.name("id"));
                    self.call(&block, false, place, &pointer);
                }
                "server_tool_use" => self.call(&block, true, place, &pointer),
                _ => self
                    .draft
                    .withhold("providerPayloads", u64::from(block.is_object())),
            }
        }
        if is_error {
            return;
        }
        let response = message.word("id").or_else(|| row.word("uuid"));
        let response = response.unwrap_or_default();
        let id = tree::hash(&response);
        let is_new = !self.lanes[place.lane].by_response.contains_key(&id);
        self.counters.lacks_responses |= is_new && place.lane == 0;
        if let Some(usage) = message.row("usage") {
            self.draft.check_numbers(&usage, &[], &COUNTS);
            self.lanes[place.lane].usage(id, message, &usage, calls, place);
        } else {
            self.lanes[place.lane].uncounted.insert(id);
        }
        let models = &mut self.lanes[place.lane].models;
        // A single model becomes the model of the run; beyond that the exact number does not matter.
        let model = message.name("model");
        models.extend(model.filter(|model| models.len() < 64 && !models.contains(model)));
        self.draft.check_numbers(row, &["costUSD"], &[]);
        if let Some(cost) = row.number("costUSD") {
            self.costs.insert(response.into_owned(), cost);
        }
    }

    fn answer(&mut self, text: &str, is_error: bool, place: &RowPlace, pointer: &str) {
        if text.trim().is_empty() {
            return;
        }
        let text = text.to_owned();
        let what = if is_error {
            EventContent::error(text)
        } else {
            EventContent::message(Role::Assistant, text, false, 0)
        };
        self.push(place, pointer, what);
    }

    fn thinking(&mut self, block: &Row<'_>, place: &RowPlace, pointer: &str) {
        let text = block.text("thinking");
        if text.trim().is_empty() {
            return self.draft.withhold("encryptedReasoning", 1);
        }
        self.draft
            .withhold("signatures", u64::from(block.has("signature")));
        if self.options.no_reasoning {
            return self.draft.withhold("reasoning", 1);
        }
        let reasoning = EventContent::Reasoning {
            text: text.into_owned(),
            summary: false,
        };
        self.push(place, pointer, reasoning);
    }

    fn call(&mut self, block: &Row<'_>, hosted: bool, place: &RowPlace, pointer: &str) {
        let call = ToolCall {
            name: block.text("name").into_owned(),
            call: block.name("id"),
            arguments: block.raw("input").and_then(raw_json::compact),
            hosted,
            ..ToolCall::default()
        };
        if matches!(call.name.as_str(), "Task" | "Agent")
            && let Some(id) = &call.call
            && block.has("input")
        {
            let prompt = block.word("input.prompt");
            let name = block.name("input.subagent_type");
            if let Some(prompt) = prompt {
                let prompt = tree::hash(prompt.trim());
                self.prompts.entry(prompt).or_insert_with(|| id.clone());
            }
            self.tasks.insert(id.clone(), name);
        }
        self.push(place, pointer, EventContent::ToolCall(call));
    }

    pub(super) fn system(&mut self, row: &Row<'_>, place: &RowPlace) {
        match &*row.text("subtype") {
            "compact_boundary" => {
                let compaction = EventContent::Compaction {
                    trigger: row.name("compactMetadata.trigger"),
                    tokens_before: row.count("compactMetadata.preTokens"),
                    forgotten: None,
                };
                self.push(place, "", compaction);
            }
            "init" => self.draft.withhold("bookkeeping", 1),
            "task_notification" => {
                let ids = [row.word("task_id"), row.word("tool_use_id")];
                self.set_end(ids, &row.text("status"));
                self.draft.withhold("bookkeeping", 1);
            }
            subtype => {
                self.draft.withhold("systemRows", 1);
                let kind = if subtype.is_empty() {
                    "system"
                } else {
                    subtype
                };
                self.note(place, kind, None);
            }
        }
    }

    /// A message delivered to the agent while it worked.
    pub(super) fn attachment(&mut self, row: &Row<'_>, place: &RowPlace) {
        let queued = row.row("attachment");
        let Some(queued) = queued.filter(|it| it.text("type") == "queued_command") else {
            return self.draft.withhold("attachments", 1);
        };
        let prompt: Vec<Row<'_>> = queued.parts("prompt").collect();
        let (text, images) = joined(&prompt);
        self.draft.withhold("images", images);
        self.lanes[place.lane]
            .delivered
            .insert(tree::hash(text.trim()));
        let writer = author::of_queued(&queued);
        if writer != Author::User {
            self.read_notifications(&text);
        }
        match (writer, &*queued.text("commandMode")) {
            (Author::Harness, _) => self.prompt(place, "injectedContext", text.into_owned()),
            (_, "bash") => self.note(place, "user shell command", Some(text.into_owned())),
            _ => {
                self.add_user_text(&text, writer, place, "/attachment/prompt", true);
            }
        }
    }

    /// Adds a queued message of the user when it leaves the queue; most become rows of their own.
    pub(super) fn queue(&mut self, row: &Row<'_>, place: &RowPlace) {
        let content: Vec<Row<'_>> = row.parts("content").collect();
        let (text, images) = joined(&content);
        self.read_notifications(&text);
        if row.text("operation") != "remove" || text.trim().is_empty() {
            return self.draft.withhold("bookkeeping", 1);
        }
        self.draft.withhold("images", images);
        let writer = author::of_row(row);
        if writer == Author::Harness {
            return self.draft.withhold("injectedContext", 1);
        }
        let lane = &mut self.lanes[place.lane];
        lane.removed_from_queue
            .push((tree::hash(text.trim()), lane.events.len()));
        if !self.add_user_text(&text, writer, place, "/content", true) {
            self.lanes[place.lane].removed_from_queue.pop();
        }
    }

    /// The last row of `claude -p` output.
    pub(super) fn stream_result(&mut self, row: &Row<'_>) {
        let record = &mut self.draft.record;
        let is_error = row.is_true("is_error");
        record.state = match &*row.text("subtype") {
            "success" if !is_error => "completed",
            "error_max_turns" => "limit_exceeded",
            subtype if is_error || subtype.starts_with("error") => "harness_error",
            _ => "",
        };
        record.detail = row.name("subtype");
        self.counters.read(row);
    }
}

fn is_tool_result(block: &Row<'_>) -> bool {
    block.text("type") == "tool_result"
}

fn is_image(kind: &str) -> bool {
    matches!(kind, "image" | "document")
}

/// The texts, one per line, and the number of images.
pub(super) fn joined<'a>(parts: &[Row<'a>]) -> (Cow<'a, str>, u64) {
    let images = parts.iter().filter(|part| is_image(&part.text("type")));
    let images = images.count() as u64;
    let mut texts: Vec<Cow<'a, str>> = parts.iter().filter_map(Row::part_text).collect();
    let text = match texts.as_mut_slice() {
        [one] => std::mem::take(one),
        many => Cow::Owned(many.join("\n")),
    };
    (text, images)
}
