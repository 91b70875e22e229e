//! `OpenHands` since 1.0: events with a `kind`, and a separate state of the conversation.

mod rows;

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::formats::decimal;
use crate::formats::json::Str;
use crate::formats::trace::{ExitCodeFrom, Role};

use super::super::Options;
use super::super::draft::{Call, Draft, Origin, Tokens, ToolResult, What};
use super::super::loose::{self, Apart, Items, Maybe, Spoken};
use super::super::row::Row;
use super::super::time::{Times, When};
use super::{Edited, Generation};

pub use rows::State;
use rows::{Agent, Block, Event, Message, Metrics, Observation, Stats, Terminal};

/// An event in the tree formed by `parent_id`.
struct Node {
    parent: Option<usize>,
    /// Its converted events.
    events: std::ops::Range<usize>,
    /// Whether it can be on a branch. Updates of the state are beside the tree.
    is_in_tree: bool,
}

/// A call by another agent. Several events describe it, each more completely, so the last one counts.
struct ForeignCall {
    first: Update,
    last: Update,
    title: Option<String>,
    status: Option<String>,
    input: Option<Box<RawValue>>,
    output: Option<Box<RawValue>>,
    content: Option<Box<RawValue>>,
    is_error: Option<bool>,
}

/// An event that describes a call.
#[derive(Clone)]
struct Update {
    node: usize,
    place: Origin,
    when: Option<When>,
}

/// Reads events one by one.
pub struct Reader<'o> {
    draft: Draft,
    options: &'o Options,
    /// The state that was saved beside the events.
    state: State,
    /// The state that the events describe.
    described: State,
    /// The last values of counters that began again.
    earlier: Vec<Metrics>,
    foreign: BTreeMap<String, ForeignCall>,
    /// Position of each event, by id.
    ids: BTreeMap<String, usize>,
    nodes: Vec<Node>,
    /// The call of each action, by event id.
    calls: BTreeMap<String, String>,
    /// Tokens of answers that have not appeared yet.
    answers: BTreeMap<String, (Tokens, Option<String>)>,
    interrupted: bool,
    times: Times,
}

impl<'o> Reader<'o> {
    /// A reader of events with this conversation state.
    pub fn new(options: &'o Options, state: State) -> Self {
        let mut answers = BTreeMap::new();
        let is_foreign = state.agent.as_ref().is_some_and(Agent::is_foreign);
        for usage in metrics(&state).filter_map(|metrics| metrics.token_usages.as_ref()) {
            for usage in usage.iter().filter_map(|usage| usage.as_ref()) {
                if let Some(id) = usage.response_id.as_ref().filter(|id| !id.is_empty()) {
                    let tokens = usage.tokens(is_foreign);
                    answers.insert(id.clone(), (tokens, usage.model.0.clone()));
                }
            }
        }
        Self {
            draft: Draft::default(),
            options,
            state,
            described: State::default(),
            earlier: Vec::new(),
            foreign: BTreeMap::new(),
            ids: BTreeMap::new(),
            nodes: Vec::new(),
            calls: BTreeMap::new(),
            answers,
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

    fn event(&mut self, mut place: Origin, row: &Row<'_>) -> Result<(), &'static str> {
        let event: Event<'_> = serde_json::from_str(row.json()).map_err(|_| "an event")?;
        let (Some(kind), Some(id)) = (event.kind.as_ref(), event.id.named()) else {
            return Err("an event with a kind and an id");
        };
        place.id = Some(id.clone());
        let first = self.draft.events.len();
        self.kind(kind, &id, &event, &place);
        let parent = match event.parent_id.as_ref() {
            Some(parent) => self.ids.get(&**parent).copied(),
            None => self.nodes.iter().rposition(|node| node.is_in_tree),
        };
        let events = first..self.draft.events.len();
        self.ids.insert(id, self.nodes.len());
        self.times.see(event.timestamp.text());
        let when = When::read(event.timestamp.text());
        for event in &mut self.draft.events[events.clone()] {
            event.when(when.as_ref());
        }
        self.nodes.push(Node {
            parent,
            events,
            is_in_tree: &**kind != "ConversationStateUpdateEvent",
        });
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Draft {
        self.foreign_calls();
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
                self.update(event, place());
            }
            "ACPToolCallEvent" => self.foreign_call(id, event, place()),
            "TokenEvent"
            | "LLMCompletionLogEvent"
            | "StreamingDeltaEvent"
            | "HookExecutionEvent"
            | "CondensationRequest" => self.draft.withhold("bookkeeping", 1),
            other => self.draft.unknown_row(other),
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
            "user" if is_injected(&content.text) => {
                let text = content.text;
                self.draft
                    .prompt(self.options, place, "injectedContext", text);
            }
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
                    .and_then(|action| loose::without(action.get(), &["kind"])),
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
            let row = Row::value(raw.get());
            let edited = row.map(|row| Edited::of(&row));
            if let Ok(edited) = edited {
                edited.push(&mut self.draft, place(), call);
            }
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

    /// An update of the conversation's state, of which only what `State` names is read.
    fn update(&mut self, event: &Event<'_>, place: Origin) {
        let described = &mut self.described;
        let update: State = match (event.key.text(), event.value) {
            ("execution_status", value) => {
                let status = loose::word(value.map(RawValue::get));
                described.execution_status = Maybe(status.clone());
                self.draft.note(place, "status", status);
                return;
            }
            ("full_state", Some(value)) => loose::part(value),
            ("stats", Some(value)) => State {
                stats: loose::part(value),
                ..State::default()
            },
            ("agent", Some(value)) => State {
                agent: loose::part(value),
                ..State::default()
            },
            _ => State::default(),
        };
        self.draft.withhold("bookkeeping", 1);
        described.id.0 = update.id.0.or(described.id.0.take());
        described.agent.0 = update.agent.0.or(described.agent.0.take());
        described.workspace.0 = update.workspace.0.or(described.workspace.0.take());
        let status = &mut described.execution_status.0;
        *status = update.execution_status.0.or(status.take());
        if update.stats.is_some() {
            let before = std::mem::replace(&mut described.stats, update.stats);
            let of = |stats: Apart<Stats>| stats.0.and_then(|stats| stats.usage_to_metrics.0);
            for (usage, before) in of(before).unwrap_or_default() {
                let now = described.stats.as_ref();
                let now = now.and_then(|stats| stats.usage_to_metrics.as_ref()?.get(&usage));
                let now = now.and_then(|metrics| metrics.as_ref());
                if let Some(before) = before.0
                    && now.is_none_or(|now| now.began_again(&before))
                {
                    self.earlier.push(before);
                }
            }
        }
    }

    /// Collects what an event says of a call by another agent. A value that it leaves out stays.
    fn foreign_call(&mut self, id: &str, event: &Event<'_>, place: Origin) {
        let call = event.tool_call_id.named();
        let call = call.unwrap_or_else(|| format!("oh_{id}"));
        let update = Update {
            node: self.nodes.len(),
            place,
            when: When::read(event.timestamp.text()),
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
        let json = |raw: Option<&RawValue>| raw.and_then(|raw| loose::compact(raw.get()));
        known.title = event.title.named().or(known.title.take());
        known.status = event.status.named().or(known.status.take());
        known.input = json(event.raw_input).or(known.input.take());
        known.output = json(event.raw_output).or(known.output.take());
        known.content = json(event.content).or(known.content.take());
        known.is_error = event.is_error.or(known.is_error);
    }

    /// Adds the calls by another agent: each call where it began, its result and its edits where it was described last.
    fn foreign_calls(&mut self) {
        let mut made: BTreeMap<usize, Vec<super::super::draft::Event>> = BTreeMap::new();
        for (id, known) in std::mem::take(&mut self.foreign) {
            let mut draft = Draft::default();
            let (first, last) = (known.first.clone(), known.last.clone());
            let call = Call {
                name: known.title.clone().unwrap_or_else(|| "unknown".to_owned()),
                call: Some(id.clone()),
                arguments: known.input.clone(),
                ..Call::default()
            };
            draft
                .push(first.place, What::ToolCall(call))
                .when(first.when.as_ref());
            made.entry(first.node)
                .or_default()
                .append(&mut draft.events);
            known.result(&id, &mut draft);
            for event in &mut draft.events {
                event.source = last.place.clone();
                event.when(last.when.as_ref());
            }
            made.entry(last.node).or_default().append(&mut draft.events);
            self.draft.absorb(&mut draft);
        }
        let mut events = std::mem::take(&mut self.draft.events).into_iter();
        for (number, node) in self.nodes.iter_mut().enumerate() {
            let first = self.draft.events.len();
            self.draft
                .events
                .extend(events.by_ref().take(node.events.len()));
            self.draft
                .events
                .extend(made.remove(&number).unwrap_or_default());
            node.events = first..self.draft.events.len();
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
            for event in &mut self.draft.events[node.events.clone()] {
                event.branch = names[at].map(|number| format!("b{number}"));
            }
        }
    }

    fn record(&mut self) {
        let record = &mut self.draft.record;
        record.harness = Some("openhands".to_owned());
        let (state, described) = (&self.state, &self.described);
        let id = state.id.as_ref().or(described.id.as_ref());
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            record.ids.insert("conversation".to_owned(), id.clone());
            record.id = super::id(id);
        }
        let agent = state.agent.as_ref().or(described.agent.as_ref());
        record.models.extend(agent.and_then(Agent::model).cloned());
        let places = [&state.workspace, &described.workspace];
        let places = places.into_iter().filter_map(|place| place.as_ref());
        for folder in places.filter_map(|place| place.working_dir.as_ref()) {
            self.draft.identity.workspace(folder);
        }
        let is_foreign = agent.is_some_and(Agent::is_foreign);
        let saved: Vec<&Metrics> = metrics(state).collect();
        let counted = if saved.is_empty() {
            metrics(described).chain(&self.earlier).collect()
        } else {
            saved
        };
        for usage in counted
            .iter()
            .filter_map(|metrics| metrics.accumulated_token_usage.as_ref())
        {
            record.tokens = record.tokens.plus(usage.tokens(is_foreign));
        }
        if record.tokens.nothing() {
            record.tokens = Tokens::default();
        }
        let cost = decimal::total(counted.iter().filter_map(|metrics| metrics.cost()));
        record.cost = cost.filter(|cost| *cost > 0.0);
        let status = state.execution_status.as_ref();
        let status = status.or(described.execution_status.as_ref()).cloned();
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
        let mut content = Spoken::default();
        let blocks: Items<'_> = self.content.as_deref().map(loose::part).unwrap_or_default();
        let blocks: Vec<Block<'_>> = blocks.items().iter().map(|raw| loose::part(raw)).collect();
        match self.output.as_deref() {
            Some(raw) => {
                content = Spoken::of(Some(raw));
                if content.text.is_empty() && !raw.get().starts_with('"') {
                    raw.get().clone_into(&mut content.text);
                }
            }
            None => {
                for said in blocks.iter().map(|block| Spoken::of(block.content)) {
                    content.images += said.images;
                    if !said.text.is_empty() {
                        content.line(&said.text);
                    }
                }
            }
        }
        draft.withhold("images", content.images);
        let result = ToolResult {
            call: Some(call.to_owned()),
            ok: has_ended.then_some(!failed),
            status: self.status.clone().filter(|status| status != "completed"),
            text: (!content.text.is_empty()).then_some(content.text),
            images: content.images,
            ..ToolResult::default()
        };
        draft.push(Origin::default(), What::ToolResult(result));
        for block in blocks {
            if block.kind.text() == "diff" && has_ended && !failed {
                let edited = Edited {
                    path: block.path.named(),
                    is_new: block.old_text.is_none(),
                    old: block.old_text.0.map(Str::into_inner),
                    new: block.new_text.0.map(Str::into_inner),
                };
                edited.push(draft, Origin::default(), Some(call.to_owned()));
            }
        }
    }
}
