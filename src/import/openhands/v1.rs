//! `OpenHands` since 1.0: events with a `kind`, and a separate state of the conversation.

mod rows;

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::formats::trace::{ExitCodeFrom, Role};

use super::super::Options;
use super::super::draft::{Call, Draft, Origin, Tokens, ToolResult, What};
use super::super::loose::{self, Items, Spoken};
use super::super::time::{Times, When};
use super::{Edited, Generation};

pub use rows::State;
use rows::{Event, Message, Metrics, Observation, Terminal};

/// An event in the tree formed by `parent_id`.
struct Node {
    parent: Option<usize>,
    /// Its converted events.
    events: std::ops::Range<usize>,
}

/// Reads events one by one.
pub struct Reader<'o> {
    draft: Draft,
    options: &'o Options,
    state: State,
    /// Position of each event, by id.
    ids: BTreeMap<String, usize>,
    nodes: Vec<Node>,
    /// The call of each action, by event id.
    calls: BTreeMap<String, String>,
    /// Tokens of answers that have not appeared yet.
    answers: BTreeMap<String, (Tokens, Option<String>)>,
    /// The latest status of an event.
    status: Option<String>,
    interrupted: bool,
    times: Times,
}

impl<'o> Reader<'o> {
    /// A reader of events with this conversation state.
    pub fn new(options: &'o Options, state: State) -> Self {
        let mut answers = BTreeMap::new();
        for usage in metrics(&state).filter_map(|metrics| metrics.token_usages.as_ref()) {
            for usage in usage.iter().filter_map(|usage| usage.as_ref()) {
                if let Some(id) = usage.response_id.as_ref().filter(|id| !id.is_empty()) {
                    answers.insert(id.clone(), (usage.tokens(), usage.model.0.clone()));
                }
            }
        }
        Self {
            draft: Draft::default(),
            options,
            state,
            ids: BTreeMap::new(),
            nodes: Vec::new(),
            calls: BTreeMap::new(),
            answers,
            status: None,
            interrupted: false,
            times: Times::default(),
        }
    }
}

fn metrics(state: &State) -> impl Iterator<Item = &Metrics> {
    let stats = state.stats.as_ref();
    let all = stats.and_then(|stats| stats.usage_to_metrics.as_ref());
    let all = all.into_iter().flat_map(BTreeMap::values);
    all.filter_map(|metrics| metrics.as_ref())
}

impl Generation for Reader<'_> {
    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }

    fn event(&mut self, mut place: Origin, raw: &RawValue) -> Result<(), &'static str> {
        let event: Event<'_> = serde_json::from_str(raw.get()).map_err(|_| "an event")?;
        let (Some(kind), Some(id)) = (event.kind.as_ref(), event.id.named()) else {
            return Err("an event with a kind and an id");
        };
        place.id = Some(id.clone());
        let first = self.draft.events.len();
        self.kind(kind, &id, &event, &place);
        let parent = match event.parent_id.as_ref() {
            Some(parent) => self.ids.get(&**parent).copied(),
            None => self.nodes.len().checked_sub(1),
        };
        let events = first..self.draft.events.len();
        self.ids.insert(id, self.nodes.len());
        self.times.see(event.timestamp.text());
        let when = When::read(event.timestamp.text());
        for event in &mut self.draft.events[events.clone()] {
            event.when(when.as_ref());
        }
        self.nodes.push(Node { parent, events });
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Draft {
        self.branches();
        self.record();
        self.draft
    }
}

impl Reader<'_> {
    fn kind(&mut self, kind: &str, id: &str, event: &Event<'_>, place: &Origin) {
        let place = || place.clone();
        match kind {
            "SystemPromptEvent" => {
                let text = Spoken::of(event.system_prompt).text;
                self.draft
                    .prompt(self.options, place(), "systemPrompts", text);
                let tools = event.tools.items().len() as u64;
                self.draft.withhold("toolDefinitions", tools);
            }
            "MessageEvent" => self.message(event, place()),
            "ActionEvent" => self.action(id, event, &place),
            "ObservationEvent" => self.observation(event, &place),
            "UserRejectObservation" => {
                let text = event.rejection_reason.named();
                self.result(event, place(), "rejected", text);
            }
            "AgentErrorEvent" => {
                let text = event.error.named();
                self.result(event, place(), "", text);
            }
            "ConversationErrorEvent" => {
                let error = What::Error {
                    message: event.detail.text().to_owned(),
                    code: event.code.named(),
                };
                self.draft.push(place(), error);
            }
            "Condensation" => {
                if let Some(summary) = event.summary.named() {
                    self.draft
                        .prompt(self.options, place(), "compactionSummaries", summary);
                }
                let compaction = What::Compaction {
                    trigger: None,
                    tokens_before: None,
                    forgotten: Some(event.forgotten_event_ids.items().len() as u64),
                };
                self.draft.push(place(), compaction);
            }
            "PauseEvent" => self.draft.note(place(), "paused", None),
            "InterruptEvent" => {
                self.interrupted = true;
                self.draft.note(place(), "interrupted", None);
            }
            "ConversationStateUpdateEvent" => {
                if event.key.text() == "execution_status" {
                    self.status = event.value.named();
                    self.draft.note(place(), "status", event.value.named());
                } else {
                    self.draft.withhold("bookkeeping", 1);
                }
            }
            "ACPToolCallEvent" => self.foreign_call(id, event, &place),
            "TokenEvent"
            | "LLMCompletionLogEvent"
            | "StreamingDeltaEvent"
            | "HookExecutionEvent"
            | "CondensationRequest" => self.draft.withhold("bookkeeping", 1),
            other => {
                let kind = other.to_owned();
                self.draft.push(place(), What::Unknown { kind });
            }
        }
        self.usage(event, place());
    }

    fn message(&mut self, event: &Event<'_>, place: Origin) {
        let none = Message::default();
        let message = event.llm_message.as_ref().unwrap_or(&none);
        let injected = event.extended_content.items().len() as u64;
        self.draft.withhold("injectedContext", injected);
        self.encrypted(&message.thinking_blocks, message.responses_reasoning_item);
        let content = Spoken::of(message.content);
        match event.source.text() {
            "user" => self.draft.message(place, Role::User, content, false),
            "agent" => {
                if let Some(text) = message.reasoning_content.named() {
                    self.draft
                        .reasoning(self.options, place.clone(), text, false);
                }
                self.draft.message(place, Role::Assistant, content, false);
            }
            _ => self
                .draft
                .prompt(self.options, place, "injectedContext", content.text),
        }
    }

    fn encrypted(&mut self, blocks: &Items<'_>, item: Option<&RawValue>) {
        let count = blocks.items().len() as u64 + u64::from(item.is_some());
        self.draft.withhold("encryptedReasoning", count);
    }

    fn action(&mut self, id: &str, event: &Event<'_>, place: &dyn Fn() -> Origin) {
        self.encrypted(&event.thinking_blocks, event.responses_reasoning_item);
        if let Some(text) = event.reasoning_content.named() {
            self.draft.reasoning(self.options, place(), text, false);
        }
        let thought = Spoken::of(event.thought);
        self.draft.message(place(), Role::Assistant, thought, false);
        let call = event
            .tool_call_id
            .named()
            .unwrap_or_else(|| format!("oh_{id}"));
        self.calls.insert(id.to_owned(), call.clone());
        let made = event.tool_call.as_ref();
        let name = event.tool_name.named().or_else(|| made?.name.named());
        let (arguments, arguments_text) = match made {
            Some(made) => loose::arguments(made.arguments.text()),
            None => (
                event
                    .action
                    .and_then(|action| loose::without(action, &["kind"])),
                None,
            ),
        };
        let call = Call {
            name: name.unwrap_or_else(|| "unknown".to_owned()),
            call: Some(call),
            arguments,
            arguments_text,
            ..Call::default()
        };
        self.draft.push(place(), What::ToolCall(call));
    }

    /// The call that a result belongs to.
    fn call(&self, event: &Event<'_>) -> Option<String> {
        let named = event.tool_call_id.named();
        named.or_else(|| self.calls.get(event.action_id.text()).cloned())
    }

    fn observation(&mut self, event: &Event<'_>, place: &dyn Fn() -> Origin) {
        let raw = event.observation;
        let seen: Observation<'_> = raw.map(loose::part).unwrap_or_default();
        let content = Spoken::of(seen.content.or(seen.output));
        self.draft.withhold("images", content.images);
        let injected = event.extended_content.items().len() as u64;
        self.draft.withhold("injectedContext", injected);
        let none = Terminal::default();
        let terminal = seen.metadata.as_ref().unwrap_or(&none);
        self.draft
            .identity
            .know(terminal.username.as_deref(), terminal.hostname.as_deref());
        let code = seen.exit_code.or(*terminal.exit_code);
        let mut result = ToolResult {
            call: self.call(event),
            ok: seen.is_error.map(|is_error| !is_error),
            text: Some(content.text),
            images: content.images,
            ..ToolResult::default()
        };
        match code {
            // The command is still running, or was not executed.
            Some(-1) if *seen.timeout == Some(true) => {
                result.ok = None;
                result.status = Some("running".to_owned());
            }
            Some(-1) if *seen.is_error == Some(true) => {}
            Some(-1) => result.ok = None,
            Some(code) => {
                result.exit_code = Some(code);
                result.exit_code_from = Some(ExitCodeFrom::Field);
                result.ok = Some(code == 0 && *seen.is_error != Some(true));
            }
            None => {}
        }
        let call = result.call.clone();
        self.draft.push(place(), What::ToolResult(result));
        let failed = *seen.is_error == Some(true);
        if let (Some(raw), false, false) = (raw, failed, seen.command.text() == "view") {
            let edited: Edited<'_> = loose::part(raw);
            edited.push(&mut self.draft, place(), call);
        }
    }

    /// A result without an observation: a rejection, or an error of the agent.
    fn result(&mut self, event: &Event<'_>, place: Origin, status: &str, text: Option<String>) {
        let result = ToolResult {
            call: self.call(event),
            ok: status.is_empty().then_some(false),
            status: (!status.is_empty()).then(|| status.to_owned()),
            text,
            ..ToolResult::default()
        };
        self.draft.push(place, What::ToolResult(result));
    }

    /// A call by another agent, and its result.
    fn foreign_call(&mut self, id: &str, event: &Event<'_>, place: &dyn Fn() -> Origin) {
        let call = event
            .tool_call_id
            .named()
            .unwrap_or_else(|| format!("oh_{id}"));
        if self.calls.insert(call.clone(), call.clone()).is_none() {
            let made = Call {
                name: event.title.named().unwrap_or_else(|| "unknown".to_owned()),
                call: Some(call.clone()),
                arguments: event.raw_input.and_then(|raw| loose::compact(raw.get())),
                ..Call::default()
            };
            self.draft.push(place(), What::ToolCall(made));
        }
        let ended = matches!(event.status.text(), "completed" | "failed");
        if event.raw_output.is_some() || ended {
            let text = event.raw_output.map(|raw| {
                let text = Spoken::of(Some(raw)).text;
                if text.is_empty() {
                    raw.get().to_owned()
                } else {
                    text
                }
            });
            let result = ToolResult {
                call: Some(call),
                ok: event.is_error.map(|is_error| !is_error),
                status: event.status.named().filter(|status| status != "completed"),
                text,
                ..ToolResult::default()
            };
            self.draft.push(place(), What::ToolResult(result));
        }
    }

    fn usage(&mut self, event: &Event<'_>, place: Origin) {
        if let Some((tokens, model)) = self.answers.remove(event.llm_response_id.text()) {
            let usage = What::Usage {
                tokens,
                model,
                cost: None,
                calls: Vec::new(),
            };
            self.draft.push(place, usage);
        }
    }

    /// Marks abandoned branches: all but the one that ends last.
    fn branches(&mut self) {
        let mut lives = vec![false; self.nodes.len()];
        let mut last = self.nodes.len().checked_sub(1);
        while let Some(at) = last.filter(|at| !lives[*at]) {
            lives[at] = true;
            last = self.nodes[at].parent;
        }
        let mut names: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut continued = vec![false; self.nodes.len()];
        let mut count = 0;
        for (at, node) in self.nodes.iter().enumerate() {
            if lives[at] {
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
            for event in &mut self.draft.events[node.events.clone()] {
                event.branch = names[at].map(|number| format!("b{number}"));
            }
        }
    }

    fn record(&mut self) {
        let record = &mut self.draft.record;
        record.harness = Some("openhands".to_owned());
        let state = &self.state;
        if let Some(id) = state.id.as_ref().filter(|id| !id.is_empty()) {
            record.ids.insert("conversation".to_owned(), id.clone());
            record.id = super::id(id);
        }
        let llm = state.agent.as_ref().and_then(|agent| agent.llm.as_ref());
        record
            .models
            .extend(llm.and_then(|llm| llm.model.0.clone()));
        let place = state.workspace.as_ref();
        let workspace = place.and_then(|place| place.working_dir.0.clone());
        self.draft.identity.workspaces.extend(workspace);
        let mut cost = None;
        for metrics in metrics(state) {
            if let Some(usage) = metrics.accumulated_token_usage.as_ref() {
                record.tokens = record.tokens.plus(usage.tokens());
            }
            if let Some(more) = *metrics.accumulated_cost {
                cost = Some(cost.unwrap_or(0.0) + more);
            }
        }
        if record.tokens.nothing() {
            record.tokens = Tokens::default();
        }
        // A decimal sum without binary rounding error.
        let rounded = cost.map(|cost| (cost * 1e10).round() / 1e10);
        record.cost = rounded.filter(|cost| *cost > 0.0);
        let status = state.execution_status.0.clone().or(self.status.take());
        record.state = match status.as_deref() {
            Some("finished") => "completed",
            Some("error") => "harness_error",
            Some("stuck") => "hung",
            Some("paused") if self.interrupted => "canceled",
            _ => "unknown",
        };
        record.detail = status;
        std::mem::take(&mut self.times).write(record);
    }
}
