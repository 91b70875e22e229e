//! Turns the rows of a session into events: messages, reasoning, calls, results and edits.

use std::borrow::Cow;

use crate::formats::trace::Role;

use super::super::draft::{Call, What};
use super::super::loose::{self, Content};
use super::super::{Keep, shared};
use super::author::{self, Writer};
use super::lane::Place;
use super::noise::{self, Typed};
use super::rows::{Block, Message, Row, Task};
use super::session::Session;
use super::tree;

impl Session<'_> {
    /// Reads a user row. Returns whether the user wrote it.
    pub(super) fn user(
        &mut self,
        row: &Row<'_>,
        message: &Message<'_>,
        at: usize,
        place: &Place,
    ) -> bool {
        let mut writer = author::of_row(row);
        // What a subagent is asked to do comes from its agent, whoever began the turn.
        if at > 0 && !row.is_meta.is_set() {
            writer = Writer::Unstated;
        }
        let kept_out = if row.is_compact_summary.is_set() {
            Some("compactionSummaries")
        } else if row.is_meta.is_set() {
            Some("metaRows")
        } else {
            let is_result = !matches!(row.tool_use_result, Content::Absent)
                || blocks(&message.content).into_iter().any(is_tool_result);
            // Text next to a result of a tool was added by the harness.
            (writer == Writer::Harness || is_result).then_some("injectedContext")
        };
        let (text, _) = joined(&message.content);
        if writer != Writer::User {
            self.notified(&text);
        }
        if let Some(what) = kept_out {
            let is_empty = text.trim().is_empty();
            if noise::is_interruption(&text) {
                self.note(at, place, "interrupted", None);
            } else if !is_empty && self.options.keeps(Keep::Prompts) {
                self.note(at, place, shared::kept(what), Some(text.into_owned()));
            } else if !is_empty || what != "injectedContext" {
                self.draft.withhold(what, 1);
            }
        }
        let mut said = false;
        let mut images = 0;
        for (number, block) in blocks(&message.content).into_iter().enumerate() {
            let pointer = match &message.content {
                Content::Items(_) => format!("/message/content/{number}"),
                _ => String::new(),
            };
            match block {
                Content::Text(text) if kept_out.is_none() => {
                    said |= self.typed((text, writer), at, place, &pointer, false);
                }
                Content::Object(block) => match block.kind.text() {
                    "tool_result" => self.result(row, block, at, place, &pointer),
                    "text" if kept_out.is_none() => {
                        let text = block.text.text();
                        said |= self.typed((text, writer), at, place, &pointer, false);
                    }
                    "image" | "document" => images += 1,
                    _ => {}
                },
                _ => {}
            }
        }
        self.draft.withhold("images", images);
        if images > 0 && kept_out.is_none() {
            self.lanes[at].add_images(place, images);
        }
        said
    }

    /// Adds a text that may be the user's. Returns whether it is.
    fn typed(
        &mut self,
        (text, writer): (&str, Writer),
        at: usize,
        place: &Place,
        pointer: &str,
        steering: bool,
    ) -> bool {
        // The first message of a subagent is its task, in the words of its agent.
        let is_task = at > 0 && self.lanes[at].prompt.is_none();
        let (typed, reminders) = noise::sort(text, writer == Writer::User || is_task);
        let note = match typed {
            Typed::Said(said) => {
                let said = if self.options.keeps(Keep::Prompts) {
                    Cow::Borrowed(text)
                } else {
                    self.draft.withhold("injectedContext", reminders);
                    said
                };
                let lane = &mut self.lanes[at];
                lane.prompt.get_or_insert_with(|| tree::hash(said.trim()));
                lane.push(
                    place,
                    pointer,
                    message(Role::User, said.into_owned(), steering),
                );
                return true;
            }
            Typed::Command(text) => Some(("command", Some(text))),
            Typed::Shell => Some(("user shell command", Some(text.to_owned()))),
            Typed::Interrupted => Some(("interrupted", None)),
            Typed::Injected if self.options.keeps(Keep::Prompts) => {
                Some((shared::kept("injectedContext"), Some(text.to_owned())))
            }
            Typed::Injected => {
                self.draft.withhold("injectedContext", 1);
                None
            }
            Typed::Nothing if reminders > 0 && self.options.keeps(Keep::Prompts) => {
                Some((shared::kept("injectedContext"), Some(text.to_owned())))
            }
            Typed::Nothing => {
                self.draft.withhold("injectedContext", reminders);
                None
            }
        };
        if let Some((kind, text)) = note {
            self.note(at, place, kind, text);
        }
        false
    }

    fn note(&mut self, at: usize, place: &Place, kind: &str, text: Option<String>) {
        let kind = kind.to_owned();
        self.lanes[at].push(place, "", What::Note { kind, text });
    }

    pub(super) fn assistant(
        &mut self,
        row: &Row<'_>,
        message: &Message<'_>,
        at: usize,
        place: &Place,
    ) {
        let is_error = row.is_api_error_message.is_set() || message.model.text() == "<synthetic>";
        for (number, block) in blocks(&message.content).into_iter().enumerate() {
            let pointer = format!("/message/content/{number}");
            match block {
                Content::Text(text) => self.answer(text, is_error, at, place, ""),
                Content::Object(block) => match block.kind.text() {
                    "text" => self.answer(block.text.text(), is_error, at, place, &pointer),
                    "thinking" => self.thinking(block, at, place, &pointer),
                    "redacted_thinking" => self.draft.withhold("encryptedReasoning", 1),
                    "tool_use" => self.call(block, false, at, place, &pointer),
                    "server_tool_use" => self.call(block, true, at, place, &pointer),
                    _ => self.draft.withhold("providerPayloads", 1),
                },
                _ => {}
            }
        }
        if is_error {
            return;
        }
        let response = message.id.get().or(row.uuid.get()).unwrap_or_default();
        let id = tree::hash(response);
        let model = message.model.named();
        if let Some(usage) = message.usage.0 {
            let calls = blocks(&message.content)
                .into_iter()
                .filter_map(|block| match block {
                    Content::Object(block) if block.kind.text() == "tool_use" => block.id.named(),
                    _ => None,
                });
            let of = (model.clone(), calls.collect());
            self.lanes[at].usage(id, usage, message.stop_reason, of, place);
        } else {
            self.lanes[at].uncounted.insert(id);
        }
        let models = &mut self.lanes[at].models;
        // A single model becomes the model of the run; beyond that the exact number does not matter.
        models.extend(model.filter(|model| models.len() < 64 && !models.contains(model)));
        if let Some(cost) = row.cost_usd.0 {
            self.costs.insert(response.to_owned(), cost);
        }
    }

    fn answer(&mut self, text: &str, is_error: bool, at: usize, place: &Place, pointer: &str) {
        if text.trim().is_empty() {
            return;
        }
        let text = text.to_owned();
        let what = if is_error {
            What::Error {
                message: text,
                code: None,
            }
        } else {
            message(Role::Assistant, text, false)
        };
        self.lanes[at].push(place, pointer, what);
    }

    fn thinking(&mut self, block: &Block<'_>, at: usize, place: &Place, pointer: &str) {
        let text = block.thinking.text();
        if text.trim().is_empty() {
            return self.draft.withhold("encryptedReasoning", 1);
        }
        self.draft
            .withhold("signatures", u64::from(block.signature.is_some()));
        if self.options.no_reasoning {
            return self.draft.withhold("reasoning", 1);
        }
        let text = text.to_owned();
        self.lanes[at].push(
            place,
            pointer,
            What::Reasoning {
                text,
                summary: false,
            },
        );
    }

    fn call(&mut self, block: &Block<'_>, hosted: bool, at: usize, place: &Place, pointer: &str) {
        let call = Call {
            name: block.name.named().unwrap_or_default(),
            call: block.id.named(),
            arguments: block.input.and_then(|input| loose::compact(input.get())),
            hosted,
            ..Call::default()
        };
        if matches!(call.name.as_str(), "Task" | "Agent")
            && let (Some(id), Some(input)) = (&call.call, block.input)
        {
            let input = loose::whole_pairs(input.get());
            let task = loose::parse::<Task<'_>>(&input).ok();
            let task = task.map(|task| {
                let prompt = task.prompt.get().map(|prompt| tree::hash(prompt.trim()));
                (prompt, task.subagent_type.named())
            });
            let (prompt, name) = task.unwrap_or_default();
            if let Some(prompt) = prompt {
                self.prompts.entry(prompt).or_insert_with(|| id.clone());
            }
            self.tasks.insert(id.clone(), name);
        }
        self.lanes[at].push(place, pointer, What::ToolCall(call));
    }

    pub(super) fn system(&mut self, row: &Row<'_>, at: usize, place: &Place) {
        let subtype = row.subtype.text();
        match subtype {
            "compact_boundary" => {
                let compact = row.compact_metadata.0.as_ref();
                let compaction = What::Compaction {
                    trigger: compact.and_then(|compact| compact.trigger.named()),
                    tokens_before: compact.and_then(|compact| compact.pre_tokens.0),
                    forgotten: None,
                };
                self.lanes[at].push(place, "", compaction);
            }
            "init" => self.draft.withhold("bookkeeping", 1),
            "task_notification" => {
                self.ended(row.task_id.get(), row.tool_use_id.get(), row.status.text());
                self.draft.withhold("bookkeeping", 1);
            }
            _ => {
                self.draft.withhold("systemRows", 1);
                let kind = if subtype.is_empty() {
                    "system"
                } else {
                    subtype
                };
                self.note(at, place, kind, None);
            }
        }
    }

    /// A message delivered to the agent while it worked.
    pub(super) fn attachment(&mut self, row: &Row<'_>, at: usize, place: &Place) {
        let queued = row.attachment.0.as_ref();
        let Some(queued) = queued.filter(|it| it.kind.text() == "queued_command") else {
            return self.draft.withhold("attachments", 1);
        };
        let (text, images) = joined(&queued.prompt);
        self.draft.withhold("images", images);
        self.lanes[at].delivered.insert(tree::hash(text.trim()));
        let writer = author::of_queued(queued);
        if writer != Writer::User {
            self.notified(&text);
        }
        if writer == Writer::Harness && !self.options.keeps(Keep::Prompts) {
            return self.draft.withhold("injectedContext", 1);
        }
        let kept = shared::kept("injectedContext");
        match (writer, queued.command_mode.text()) {
            (Writer::Harness, _) => self.note(at, place, kept, Some(text.into_owned())),
            (_, "bash") => self.note(at, place, "user shell command", Some(text.into_owned())),
            _ => {
                self.typed((&text, writer), at, place, "/attachment/prompt", true);
            }
        }
    }

    /// Adds a queued message of the user when it leaves the queue; most become rows of their own.
    pub(super) fn queue(&mut self, row: &Row<'_>, at: usize, place: &Place) {
        let (text, images) = joined(&row.content);
        self.notified(&text);
        if row.operation.text() != "remove" || text.trim().is_empty() {
            return self.draft.withhold("bookkeeping", 1);
        }
        self.draft.withhold("images", images);
        let writer = author::of_row(row);
        if writer == Writer::Harness {
            return self.draft.withhold("injectedContext", 1);
        }
        let lane = &mut self.lanes[at];
        lane.unqueued
            .push((tree::hash(text.trim()), lane.events.len()));
        if !self.typed((&text, writer), at, place, "/content", true) {
            self.lanes[at].unqueued.pop();
        }
    }

    /// The last row of `claude -p` output.
    pub(super) fn result_of_stream(&mut self, row: &Row<'_>) {
        let record = &mut self.draft.record;
        let subtype = row.subtype.text();
        record.state = match subtype {
            "success" if !row.is_error.is_set() => "completed",
            "error_max_turns" => "limit_exceeded",
            _ if row.is_error.is_set() || subtype.starts_with("error") => "harness_error",
            _ => "",
        };
        record.detail = row.subtype.named();
        self.meter.read(row);
    }
}

fn is_tool_result(block: &Content<'_, Block<'_>>) -> bool {
    matches!(block, Content::Object(block) if block.kind.text() == "tool_result")
}

fn message(role: Role, text: String, steering: bool) -> What {
    What::Message {
        role,
        text,
        model: None,
        phase: None,
        steering,
        images: 0,
    }
}

/// The parts of a content. A content that is not an array is a single part.
pub(super) fn blocks<'c, 'a>(
    content: &'c Content<'a, Block<'a>>,
) -> Vec<&'c Content<'a, Block<'a>>> {
    match content {
        Content::Items(blocks) => blocks.iter().collect(),
        Content::Absent => Vec::new(),
        one => vec![one],
    }
}

pub(super) fn text_of<'c>(block: &'c Content<'_, Block<'_>>) -> Option<&'c str> {
    match block {
        Content::Text(text) => Some(text),
        Content::Object(block) => block.text.0.as_deref(),
        _ => None,
    }
}

/// The texts, one per line, and the number of images.
pub(super) fn joined<'c>(content: &'c Content<'_, Block<'_>>) -> (Cow<'c, str>, u64) {
    let parts = blocks(content);
    let is_image = |part: &&&Content<'_, Block<'_>>| matches!(part, Content::Object(block) if matches!(block.kind.text(), "image" | "document"));
    let images = parts.iter().filter(is_image).count() as u64;
    let texts: Vec<&str> = parts.iter().filter_map(|part| text_of(part)).collect();
    let text = match texts.as_slice() {
        [one] => Cow::Borrowed(*one),
        many => Cow::Owned(many.join("\n")),
    };
    (text, images)
}
