//! Turns the rows of a session into events: messages, reasoning, calls, results and edits.

use std::borrow::Cow;

use formats::trace::Role;

use super::super::draft::{Call, EventContent};
use super::super::loose;
use super::super::row::Row;
use super::super::usage::COUNTS;
use super::super::{Keep, shared};
use super::author::{self, Writer};
use super::lane::Place;
use super::noise::{self, TextOrigin};
use super::session::Session;
use super::tree;

impl Session {
    /// Reads a user row. Returns whether the user wrote it.
    pub(super) fn user(&mut self, row: &Row<'_>, message: &Row<'_>, place: &Place) -> bool {
        let blocks: Vec<Row<'_>> = message.parts("content").collect();
        let mut writer = author::of_row(row);
        // What a subagent is asked to do comes from its agent, whoever began the turn.
        if place.lane > 0 && !row.is("isMeta") {
            writer = Writer::Unstated;
        }
        let kept_out = if row.is("isCompactSummary") {
            Some("compactionSummaries")
        } else if row.is("isMeta") {
            Some("metaRows")
        } else {
            let is_result = row.has("toolUseResult") || blocks.iter().any(is_tool_result);
            // Text next to a result of a tool was added by the harness.
            (writer == Writer::Harness || is_result).then_some("injectedContext")
        };
        let (text, _) = joined(&blocks);
        if writer != Writer::User {
            self.notified(&text);
        }
        if let Some(what) = kept_out {
            let is_empty = text.trim().is_empty();
            if noise::is_interruption(&text) {
                self.note(place, "interrupted", None);
            } else if !is_empty && self.options.keeps(Keep::Prompts) {
                self.note(place, shared::kept(what), Some(text.into_owned()));
            } else if !is_empty || what != "injectedContext" {
                self.draft.withhold(what, 1);
            }
        }
        let mut said = false;
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
            if kept_out.is_none() {
                said |= self.typed(&text, writer, place, pointer, false);
            }
        }
        self.draft.withhold("images", images);
        if images > 0 && kept_out.is_none() {
            self.lanes[place.lane].add_images(place, images);
        }
        said
    }

    /// Adds a text that may be the user's. Returns whether it is.
    fn typed(
        &mut self,
        text: &str,
        writer: Writer,
        place: &Place,
        pointer: &str,
        steering: bool,
    ) -> bool {
        // The first message of a subagent is its task, in the words of its agent.
        let is_task = place.lane > 0 && self.lanes[place.lane].prompt.is_none();
        let (typed, reminders) = noise::sort(text, writer == Writer::User || is_task);
        let note = match typed {
            TextOrigin::User(said) => {
                let said = if self.options.keeps(Keep::Prompts) {
                    Cow::Borrowed(text)
                } else {
                    self.draft.withhold("injectedContext", reminders);
                    said
                };
                let lane = &mut self.lanes[place.lane];
                lane.prompt.get_or_insert_with(|| tree::hash(said.trim()));
                let message = EventContent::message(Role::User, said.into_owned(), steering, 0);
                lane.push(place, pointer, message);
                return true;
            }
            TextOrigin::Command(text) => Some(("command", Some(text))),
            TextOrigin::Shell => Some(("user shell command", Some(text.to_owned()))),
            TextOrigin::Interrupted => Some(("interrupted", None)),
            TextOrigin::Injected if self.options.keeps(Keep::Prompts) => {
                Some((shared::kept("injectedContext"), Some(text.to_owned())))
            }
            TextOrigin::Injected => {
                self.draft.withhold("injectedContext", 1);
                None
            }
            TextOrigin::Nothing if reminders > 0 && self.options.keeps(Keep::Prompts) => {
                Some((shared::kept("injectedContext"), Some(text.to_owned())))
            }
            TextOrigin::Nothing => {
                self.draft.withhold("injectedContext", reminders);
                None
            }
        };
        if let Some((kind, text)) = note {
            self.note(place, kind, text);
        }
        false
    }

    fn note(&mut self, place: &Place, kind: &str, text: Option<String>) {
        self.push(place, "", EventContent::note(kind, text));
    }

    pub(super) fn assistant(&mut self, row: &Row<'_>, message: &Row<'_>, place: &Place) {
        let is_error = row.is("isApiErrorMessage") || message.text("model") == "<synthetic>";
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
        self.meter.lacks_responses |= is_new && place.lane == 0;
        if let Some(usage) = message.row("usage") {
            self.draft.numbers(&usage, &[], &COUNTS);
            self.lanes[place.lane].usage(id, message, &usage, calls, place);
        } else {
            self.lanes[place.lane].uncounted.insert(id);
        }
        let models = &mut self.lanes[place.lane].models;
        // A single model becomes the model of the run; beyond that the exact number does not matter.
        let model = message.name("model");
        models.extend(model.filter(|model| models.len() < 64 && !models.contains(model)));
        self.draft.numbers(row, &["costUSD"], &[]);
        if let Some(cost) = row.number("costUSD") {
            self.costs.insert(response.into_owned(), cost);
        }
    }

    fn answer(&mut self, text: &str, is_error: bool, place: &Place, pointer: &str) {
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

    fn thinking(&mut self, block: &Row<'_>, place: &Place, pointer: &str) {
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

    fn call(&mut self, block: &Row<'_>, hosted: bool, place: &Place, pointer: &str) {
        let call = Call {
            name: block.text("name").into_owned(),
            call: block.name("id"),
            arguments: block.raw("input").and_then(loose::compact),
            hosted,
            ..Call::default()
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

    pub(super) fn system(&mut self, row: &Row<'_>, place: &Place) {
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
                self.ended(ids, &row.text("status"));
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
    pub(super) fn attachment(&mut self, row: &Row<'_>, place: &Place) {
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
        if writer != Writer::User {
            self.notified(&text);
        }
        if writer == Writer::Harness && !self.options.keeps(Keep::Prompts) {
            return self.draft.withhold("injectedContext", 1);
        }
        let kept = shared::kept("injectedContext");
        match (writer, &*queued.text("commandMode")) {
            (Writer::Harness, _) => self.note(place, kept, Some(text.into_owned())),
            (_, "bash") => self.note(place, "user shell command", Some(text.into_owned())),
            _ => {
                self.typed(&text, writer, place, "/attachment/prompt", true);
            }
        }
    }

    /// Adds a queued message of the user when it leaves the queue; most become rows of their own.
    pub(super) fn queue(&mut self, row: &Row<'_>, place: &Place) {
        let content: Vec<Row<'_>> = row.parts("content").collect();
        let (text, images) = joined(&content);
        self.notified(&text);
        if row.text("operation") != "remove" || text.trim().is_empty() {
            return self.draft.withhold("bookkeeping", 1);
        }
        self.draft.withhold("images", images);
        let writer = author::of_row(row);
        if writer == Writer::Harness {
            return self.draft.withhold("injectedContext", 1);
        }
        let lane = &mut self.lanes[place.lane];
        lane.unqueued
            .push((tree::hash(text.trim()), lane.events.len()));
        if !self.typed(&text, writer, place, "/content", true) {
            self.lanes[place.lane].unqueued.pop();
        }
    }

    /// The last row of `claude -p` output.
    pub(super) fn result_of_stream(&mut self, row: &Row<'_>) {
        let record = &mut self.draft.record;
        let is_error = row.is("is_error");
        record.state = match &*row.text("subtype") {
            "success" if !is_error => "completed",
            "error_max_turns" => "limit_exceeded",
            subtype if is_error || subtype.starts_with("error") => "harness_error",
            _ => "",
        };
        record.detail = row.name("subtype");
        self.meter.read(row);
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
