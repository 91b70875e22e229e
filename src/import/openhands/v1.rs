//! `OpenHands` since 1.0: events with a `kind`, and a separate state of the conversation.

mod state;

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use formats::decimal;
use formats::trace::ExitCodeFrom;

use super::super::ImportOptions;
use super::super::chat::Chat;
use super::super::draft::{Draft, EventContent, Origin, Tokens, ToolCall, ToolResult};
use super::super::message_content::MessageContent;
use super::super::raw_json;
use super::super::row::Row;
use super::super::usage::unless_zero;
use super::{FileEdit, Generation};

pub use state::ConversationState;
use state::{AgentSettings, ModelMetrics, stats};

/// An event in the tree formed by `parent_id`.
struct EventNode {
    parent: Option<usize>,
    /// Its converted events.
    events: std::ops::Range<usize>,
    /// Whether it can be on a branch. Updates of the state are not in the tree.
    is_in_tree: bool,
}

/// A call by another agent. Several events describe it, each more completely, so the last one counts.
struct ForeignCall {
    first: CallUpdate,
    last: CallUpdate,
    title: Option<String>,
    status: Option<String>,
    input: Option<Box<RawValue>>,
    output: Option<Box<RawValue>>,
    content: Option<Box<RawValue>>,
    is_error: Option<bool>,
}

/// An event that describes a call.
#[derive(Clone)]
struct CallUpdate {
    node: usize,
    place: Origin,
    time: String,
}

/// Reads events one by one.
pub struct EventReader<'o> {
    chat: Chat<'o>,
    /// The state that was saved next to the events.
    state: ConversationState,
    /// The state that the events describe.
    described: ConversationState,
    /// The last values of counters that began again.
    earlier: Vec<ModelMetrics>,
    foreign: BTreeMap<String, ForeignCall>,
    /// Position of each event, by id.
    ids: BTreeMap<String, usize>,
    nodes: Vec<EventNode>,
    /// The call of each action, by event id.
    calls: BTreeMap<String, String>,
    /// Tokens of answers that have not appeared yet.
    answers: BTreeMap<String, (Tokens, Option<String>)>,
    interrupted: bool,
}

impl<'o> EventReader<'o> {
    /// A reader of events with this conversation state.
    pub fn new(options: &'o ImportOptions, state: ConversationState) -> Self {
        let mut answers = BTreeMap::new();
        let is_foreign = state.agent.as_ref().is_some_and(|agent| agent.is_foreign);
        for usage in state.metrics().flat_map(|metrics| &metrics.answers) {
            if let Some(id) = &usage.response {
                let tokens = usage.tokens(is_foreign);
                answers.insert(id.clone(), (tokens, usage.model.clone()));
            }
        }
        Self {
            chat: Chat::new(options),
            state,
            described: ConversationState::default(),
            earlier: Vec::new(),
            foreign: BTreeMap::new(),
            ids: BTreeMap::new(),
            nodes: Vec::new(),
            calls: BTreeMap::new(),
            answers,
            interrupted: false,
        }
    }
}

impl Generation for EventReader<'_> {
    fn draft(&mut self) -> &mut Draft {
        &mut self.chat.draft
    }

    fn event(&mut self, mut place: Origin, event: &Row<'_>) -> Result<(), &'static str> {
        let (Some(kind), Some(id)) = (event.string("kind"), event.name("id")) else {
            return Err("an event with a kind and an id");
        };
        place.id = Some(id.clone());
        let first = self.chat.draft.events.len();
        self.kind(&kind, &id, event, &place);
        let parent = match event.string("parent_id") {
            Some(parent) => self.ids.get(&*parent).copied(),
            None => self.nodes.iter().rposition(|node| node.is_in_tree),
        };
        let events = first..self.chat.draft.events.len();
        self.ids.insert(id, self.nodes.len());
        self.chat.set_times(first, &event.text("timestamp"));
        self.nodes.push(EventNode {
            parent,
            events,
            is_in_tree: kind != "ConversationStateUpdateEvent",
        });
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Draft {
        self.foreign_calls();
        self.branches();
        self.record();
        self.chat.draft
    }
}

impl EventReader<'_> {
    fn kind(&mut self, kind: &str, id: &str, event: &Row<'_>, place: &Origin) {
        let place = || place.clone();
        match kind {
            "SystemPromptEvent" => {
                let text = MessageContent::at(event, "system_prompt").text;
                self.chat.system(place(), text);
                let tools = event.rows("tools").count() as u64;
                self.chat.draft.withhold("toolDefinitions", tools);
            }
            "MessageEvent" => self.message(event, place()),
            "ActionEvent" => self.action(id, event, &place),
            "ObservationEvent" => self.observation(event, &place),
            "UserRejectObservation" => {
                let text = event.name("rejection_reason");
                self.result(event, place(), "rejected", text);
            }
            "AgentErrorEvent" => {
                let text = event.name("error");
                self.result(event, place(), "", text);
            }
            "ConversationErrorEvent" => {
                let error = EventContent::Error {
                    message: event.text("detail").into_owned(),
                    code: event.name("code"),
                };
                self.chat.draft.push(place(), error);
            }
            "Condensation" => {
                let forgotten = event.rows("forgotten_event_ids").count() as u64;
                let summary = event.name("summary");
                super::condensation(&mut self.chat, &place(), summary, Some(forgotten));
            }
            "PauseEvent" => self.chat.draft.note(place(), "paused", None),
            "InterruptEvent" => {
                self.interrupted = true;
                self.chat.draft.note(place(), "interrupted", None);
            }
            "ConversationStateUpdateEvent" => {
                self.update(event, place());
            }
            "ACPToolCallEvent" => self.foreign_call(id, event, place()),
            "TokenEvent"
            | "LLMCompletionLogEvent"
            | "StreamingDeltaEvent"
            | "HookExecutionEvent"
            | "CondensationRequest" => self.chat.draft.withhold("bookkeeping", 1),
            other => self.chat.draft.unknown_row(other),
        }
        self.usage(event, place());
    }

    fn message(&mut self, event: &Row<'_>, place: Origin) {
        let injected = event.rows("extended_content").count() as u64;
        self.chat.draft.withhold("injectedContext", injected);
        let message = event.row("llm_message");
        let content = |message| MessageContent::at(message, "content");
        let content = message.as_ref().map(content).unwrap_or_default();
        if let Some(message) = &message {
            self.encrypted(message);
        }
        let role = message.as_ref().map(|message| message.text("role"));
        match role.as_deref().unwrap_or_default() {
            "" | "user" | "assistant" => {}
            "system" => return self.chat.system(place, content.text),
            "developer" => return self.chat.developer(place, content.text),
            role => return self.chat.draft.unknown_row(role),
        }
        match &*event.text("source") {
            "user" if !is_injected(&content.text) => self.chat.user(place, content),
            "agent" => {
                let reasoning = message.and_then(|message| message.name("reasoning_content"));
                let reasoning = reasoning.unwrap_or_default();
                self.chat.reasoning(place.clone(), reasoning, false);
                self.chat.answer(place, content, None);
            }
            _ => self.chat.prompt(place, "injectedContext", content.text),
        }
    }

    fn encrypted(&mut self, row: &Row<'_>) {
        let blocks = row.rows("thinking_blocks").count() as u64;
        let item = u64::from(row.has("responses_reasoning_item"));
        self.chat
            .draft
            .withhold("encryptedReasoning", blocks + item);
    }

    fn action(&mut self, id: &str, event: &Row<'_>, place: &dyn Fn() -> Origin) {
        self.encrypted(event);
        let reasoning = event.name("reasoning_content").unwrap_or_default();
        self.chat.reasoning(place(), reasoning, false);
        self.chat
            .answer(place(), MessageContent::at(event, "thought"), None);
        let call = event.name("tool_call_id");
        let call = call.unwrap_or_else(|| format!("oh_{id}"));
        self.calls.insert(id.to_owned(), call.clone());
        let name = event.first(["tool_name", "tool_call.name"]);
        let arguments = if event.row("tool_call").is_some() {
            raw_json::arguments(&event.text("tool_call.arguments"))
        } else {
            let action = event.raw("action");
            let action = action.and_then(|action| raw_json::without(action, &["kind"]));
            (action, None)
        };
        let name = name.unwrap_or_default();
        self.chat.call(place(), &name, call, arguments);
    }

    /// The call that a result belongs to.
    fn call(&self, event: &Row<'_>) -> Option<String> {
        let named = event.name("tool_call_id");
        named.or_else(|| self.calls.get(&*event.text("action_id")).cloned())
    }

    fn observation(&mut self, event: &Row<'_>, place: &dyn Fn() -> Origin) {
        let Ok(seen) = Row::parse_value(event.raw("observation").unwrap_or("null")) else {
            return;
        };
        let path = if seen.has("content") {
            "content"
        } else {
            "output"
        };
        let content = MessageContent::at(&seen, path);
        self.chat.draft.count_omitted(&content);
        let injected = event.rows("extended_content").count() as u64;
        self.chat.draft.withhold("injectedContext", injected);
        let terminal = |key: &str| seen.string(&format!("metadata.{key}"));
        let (user, host) = (terminal("username"), terminal("hostname"));
        let identity = &mut self.chat.draft.identity;
        identity.add_names(user.as_deref(), host.as_deref());
        let code = seen.integer("exit_code");
        let code = code.or_else(|| seen.integer("metadata.exit_code"));
        let is_error = seen.flag("is_error");
        let mut result = ToolResult {
            ok: is_error.map(|is_error| !is_error),
            ..ToolResult::of(self.call(event), content)
        };
        match code {
            // The command is still running, or was not executed.
            Some(-1) if seen.is_true("timeout") => {
                result.ok = None;
                result.status = Some("running".to_owned());
            }
            Some(-1) if is_error == Some(true) => {}
            Some(-1) => result.ok = None,
            Some(code) => {
                result.exit_code = Some(code);
                result.exit_code_from = Some(ExitCodeFrom::Field);
                result.ok = Some(code == 0 && is_error != Some(true));
            }
            // A status that cannot be read may be one of a failure.
            None if seen.has("exit_code") || seen.has("metadata.exit_code") => {
                result.ok = result.ok.filter(|ok| !ok);
            }
            None => {}
        }
        let call = result.call.clone();
        self.chat.result(place(), result);
        if is_error != Some(true) && seen.text("command") != "view" {
            FileEdit::of(&seen).push(&mut self.chat.draft, place(), call);
        }
    }

    /// A result without an observation: a rejection, or an error of the agent.
    fn result(&mut self, event: &Row<'_>, place: Origin, status: &str, text: Option<String>) {
        let result = ToolResult {
            call: self.call(event),
            ok: status.is_empty().then_some(false),
            status: (!status.is_empty()).then(|| status.to_owned()),
            text,
            ..ToolResult::default()
        };
        self.chat.result(place, result);
    }

    /// An update of the conversation's state, of which only what `ConversationState` names is read.
    fn update(&mut self, event: &Row<'_>, place: Origin) {
        let described = &mut self.described;
        let value = event.row("value");
        let update = match (&*event.text("key"), value) {
            ("execution_status", _) => {
                let status = event.id("value");
                described.status.clone_from(&status);
                self.chat.draft.note(place, "status", status);
                return;
            }
            ("full_state", Some(value)) => {
                check_numbers(&mut self.chat.draft, value.row("stats"));
                ConversationState::of(&value)
            }
            ("stats", Some(value)) => {
                check_numbers(&mut self.chat.draft, Some(value.clone()));
                ConversationState {
                    stats: Some(stats(&value)),
                    ..ConversationState::default()
                }
            }
            ("agent", Some(value)) => ConversationState {
                agent: Some(AgentSettings::of(&value)),
                ..ConversationState::default()
            },
            _ => ConversationState::default(),
        };
        self.chat.draft.withhold("bookkeeping", 1);
        described.id = update.id.or(described.id.take());
        described.agent = update.agent.or(described.agent.take());
        described.folder = update.folder.or(described.folder.take());
        described.status = update.status.or(described.status.take());
        if let Some(stats) = update.stats {
            for (usage, before) in described.stats.take().unwrap_or_default() {
                let now = stats.get(&usage);
                if now.is_none_or(|now| now.began_again(&before)) {
                    self.earlier.push(before);
                }
            }
            described.stats = Some(stats);
        }
    }

    /// Collects what an event says of a call by another agent. A value that it leaves out stays.
    fn foreign_call(&mut self, id: &str, event: &Row<'_>, place: Origin) {
        let call = event.name("tool_call_id");
        let call = call.unwrap_or_else(|| format!("oh_{id}"));
        let update = CallUpdate {
            node: self.nodes.len(),
            place,
            time: event.text("timestamp").into_owned(),
        };
        let known = self.foreign.entry(call).or_insert_with(|| ForeignCall {
            first: update.clone(),
            last: update.clone(),
            title: None,
            status: None,
            input: None,
            output: None,
            content: None,
            is_error: None,
        });
        known.last = update;
        let json = |key: &str| event.raw(key).and_then(raw_json::compact);
        known.title = event.name("title").or(known.title.take());
        known.status = event.name("status").or(known.status.take());
        known.input = json("raw_input").or(known.input.take());
        known.output = json("raw_output").or(known.output.take());
        known.content = json("content").or(known.content.take());
        known.is_error = event.flag("is_error").or(known.is_error);
    }

    /// Adds the calls by another agent: each call where it began, its result and its edits where it was described last.
    fn foreign_calls(&mut self) {
        let mut made: BTreeMap<usize, Vec<super::super::draft::DraftEvent>> = BTreeMap::new();
        for (id, known) in std::mem::take(&mut self.foreign) {
            let mut draft = Draft::default();
            let (first, last) = (known.first.clone(), known.last.clone());
            let arguments = (known.input.clone(), None);
            let call = ToolCall::of(known.title.clone(), Some(id.clone()), arguments);
            draft
                .push(first.place, EventContent::ToolCall(call))
                .set_time(&first.time);
            made.entry(first.node)
                .or_default()
                .append(&mut draft.events);
            known.result(&id, &mut draft);
            for event in &mut draft.events {
                event.source = last.place.clone();
                event.set_time(&last.time);
            }
            made.entry(last.node).or_default().append(&mut draft.events);
            self.chat.draft.absorb(&mut draft);
        }
        let mut events = std::mem::take(&mut self.chat.draft.events).into_iter();
        for (number, node) in self.nodes.iter_mut().enumerate() {
            let first = self.chat.draft.events.len();
            self.chat
                .draft
                .events
                .extend(events.by_ref().take(node.events.len()));
            self.chat
                .draft
                .events
                .extend(made.remove(&number).unwrap_or_default());
            node.events = first..self.chat.draft.events.len();
        }
    }

    fn usage(&mut self, event: &Row<'_>, place: Origin) {
        if let Some((tokens, model)) = self.answers.remove(&*event.text("llm_response_id")) {
            let usage = EventContent::Usage {
                tokens,
                model,
                cost: None,
                calls: Vec::new(),
            };
            self.chat.draft.push(place, usage);
        }
    }

    /// Marks abandoned branches: all but the one that ends last.
    fn branches(&mut self) {
        let mut lives = vec![false; self.nodes.len()];
        let mut last = self.nodes.iter().rposition(|node| node.is_in_tree);
        while let Some(at) = last.filter(|at| !lives[*at]) {
            lives[at] = true;
            last = self.nodes[at].parent;
        }
        let mut names: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut continued = vec![false; self.nodes.len()];
        let mut count = 0;
        for (at, node) in self.nodes.iter().enumerate() {
            if lives[at] || !node.is_in_tree {
                continue;
            }
            let above = node.parent.filter(|parent| !lives[*parent] && *parent < at);
            names[at] = match above {
                Some(parent) if !std::mem::replace(&mut continued[parent], true) => names[parent],
                _ => {
                    count += 1;
                    Some(count)
                }
            };
            for event in &mut self.chat.draft.events[node.events.clone()] {
                event.branch = names[at].map(|number| format!("b{number}"));
            }
        }
    }

    fn record(&mut self) {
        let record = &mut self.chat.draft.record;
        record.harness = Some("openhands".to_owned());
        let (state, described) = (&self.state, &self.described);
        let id = state.id.as_ref().or(described.id.as_ref());
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            record.ids.insert("conversation".to_owned(), id.clone());
            record.id = super::id(id);
        }
        let agent = state.agent.as_ref().or(described.agent.as_ref());
        record
            .models
            .extend(agent.and_then(|agent| agent.model.clone()));
        for folder in [&state.folder, &described.folder].into_iter().flatten() {
            self.chat.draft.identity.add_workspace(folder);
        }
        let is_foreign = agent.is_some_and(|agent| agent.is_foreign);
        let mut counted: Vec<&ModelMetrics> = state.metrics().collect();
        if counted.is_empty() {
            counted = described.metrics().chain(&self.earlier).collect();
        }
        for metrics in &counted {
            let total = metrics.total.as_ref();
            let tokens = total.map(|usage| usage.tokens(is_foreign));
            let tokens = tokens.unwrap_or_default();
            record.add(tokens);
            record.mark_unpriced(tokens, metrics.cost);
        }
        record.tokens = unless_zero(record.tokens);
        let cost = decimal::total(counted.iter().filter_map(|metrics| metrics.cost));
        record.cost = cost.filter(|cost| *cost > 0.0);
        let status = state.status.as_ref().or(described.status.as_ref());
        let status = status.cloned();
        record.state = match status.as_deref() {
            Some("finished") => "completed",
            Some("error") => "harness_error",
            Some("stuck") => "hung",
            Some("paused") if self.interrupted => "canceled",
            _ => "unknown",
        };
        record.detail = status;
        std::mem::take(&mut self.chat.times).write(record);
    }
}

/// Warns of metrics of any use of models that are not numbers.
pub fn check_numbers(draft: &mut Draft, stats: Option<Row<'_>>) {
    let all = stats.and_then(|stats| stats.row("usage_to_metrics"));
    for (_, metrics) in all.into_iter().flat_map(Row::members) {
        super::check_numbers(draft, &metrics);
    }
}

/// Whether a text among the user's messages is one that the agent's framework adds: answers to invalid calls and to blocked
/// answers, and demands to go on.
fn is_injected(text: &str) -> bool {
    const WHOLE: [&str; 5] = [
        "Your previous response was blocked by the model's content filter.",
        "The task appears incomplete (iteration ",
        "The goal is NOT yet complete (audit iteration ",
        "Resuming a goal that was paused or interrupted.",
        "Missing required parameters for function '",
    ];
    const PARTS: [[&str; 2]; 3] = [
        ["Parameter '", "' is expected to be "],
        ["Parameter '", "' is not allowed for function '"],
        ["Function '", "' not found in available tools: "],
    ];
    let is_both = |[start, part]: &[&str; 2]| text.starts_with(start) && text.contains(part);
    WHOLE.iter().any(|start| text.starts_with(start)) || PARTS.iter().any(is_both)
}

impl ForeignCall {
    /// Adds the result and the edits of a call that has any.
    fn result(&self, call: &str, draft: &mut Draft) {
        let status = self.status.as_deref().unwrap_or_default();
        let has_ended = matches!(status, "completed" | "failed");
        if !has_ended && self.output.is_none() && self.content.is_none() {
            return;
        }
        let failed = status == "failed" || self.is_error == Some(true);
        let mut content = MessageContent::default();
        let blocks = self.content.as_deref().map(RawValue::get);
        let blocks = blocks.and_then(|json| Row::parse_value(json).ok());
        let blocks: Vec<Row<'_>> = blocks.iter().flat_map(Row::items).collect();
        if let Some(json) = self.output.as_deref().map(RawValue::get) {
            content = MessageContent::of(self.output.as_deref());
            if content.text.is_empty() && !json.starts_with('"') {
                json.clone_into(&mut content.text);
            }
        } else {
            for part in blocks
                .iter()
                .map(|block| MessageContent::at(block, "content"))
            {
                content.images += part.images;
                if !part.text.is_empty() {
                    content.line(&part.text);
                }
            }
        }
        draft.count_omitted(&content);
        let mut result = ToolResult::of(Some(call.to_owned()), content);
        result.ok = has_ended.then_some(!failed);
        result.status = self.status.clone().filter(|status| status != "completed");
        result.text = result.text.filter(|text| !text.is_empty());
        draft.push(Origin::default(), EventContent::ToolResult(result));
        for block in blocks {
            if block.text("type") == "diff" && has_ended && !failed {
                let text = |keys: [&str; 2]| keys.iter().find_map(|key| block.string(key));
                let old = text(["old_text", "oldText"]);
                let edited = FileEdit {
                    path: block.name("path"),
                    is_new: old.is_none(),
                    old,
                    new: text(["new_text", "newText"]),
                };
                edited.push(draft, Origin::default(), Some(call.to_owned()));
            }
        }
    }
}
