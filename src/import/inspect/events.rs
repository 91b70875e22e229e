//! The events of a sample: the conversation with the model, separated from graders and inner agents.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::value::RawValue;

use crate::formats::json::Str;
use crate::formats::trace::Action;

use super::super::Options;
use super::super::draft::{Agent, Call, Draft, Origin, What};
use super::super::loose;
use super::super::time::{Times, When};
use super::event::{Event, Output};
use super::message::{self, Attachments, Message, Said, ToolError};
use super::sample::{Content, Fallback, Retry};

/// The kind of note for a model that answered in place of another.
const FALLBACK: &str = "model fallback";
/// The agent name of graders.
const SCORER: &str = "scorer";
/// Maximum levels of events nested in tool events.
const LEVELS: usize = 16;

/// A part of a sample, with the agent of its events.
#[derive(Default, Clone)]
struct Span {
    /// The agent beside the main one.
    agent: Option<String>,
    /// Whether an agent inside it is an inner one.
    is_within: bool,
    /// The scorer that runs in it.
    scorer: Option<String>,
    /// The agent that it started.
    began: Option<String>,
    /// The parent of that agent.
    parent: Option<String>,
}

/// How often a message was shown and how often it occurs in the current input.
type Counts = BTreeMap<(Option<String>, u64), usize>;

struct Reader<'c, 'a> {
    content: &'c Content<'a>,
    options: &'c Options,
    draft: Draft,
    spans: BTreeMap<String, Span>,
    /// Open steps of older logs.
    steps: Vec<Span>,
    shown: Counts,
    /// Messages of the pool that were already read, by agent.
    pooled: BTreeSet<(Option<String>, usize)>,
    /// Calls already shown.
    calls: BTreeSet<String>,
    /// Calls whose result was already shown.
    answered: BTreeSet<String>,
    /// The call that an agent's span belongs to.
    handed: BTreeMap<String, String>,
    /// Whether the model was called outside of scorers.
    called: bool,
    /// Whether messages of the user say so.
    names_authors: bool,
}

/// Reads the events of a sample, or its messages if it has no model call. Attempts that failed before come first.
pub fn read(content: &Content<'_>, options: &Options, draft: &mut Draft, times: &mut Times) {
    let messages = content.messages.iter().map(|(_, raw)| *raw);
    let names_authors = messages
        .chain(content.pool.iter().copied())
        .any(|raw| loose::part::<Message<'_>>(raw).is_of_user());
    let mut reader = Reader::new(content, options, names_authors);
    reader.draft = std::mem::take(draft);
    reader.retries();
    let before = reader.draft.events.len();
    for (place, raw) in &content.events {
        reader.event(place, raw, None, LEVELS, times);
    }
    if !reader.called {
        reader.messages(before);
    }
    reader.fallbacks();
    reader.draft.blocks();
    if reader
        .draft
        .events
        .iter()
        .any(|event| event.agent.as_deref() == Some(SCORER))
    {
        reader.draft.agents.push(Agent {
            id: SCORER.to_owned(),
            ..Agent::default()
        });
    }
    *draft = reader.draft;
}

impl<'c, 'a> Reader<'c, 'a> {
    fn new(content: &'c Content<'a>, options: &'c Options, names_authors: bool) -> Self {
        Self {
            content,
            options,
            draft: Draft::default(),
            spans: BTreeMap::new(),
            steps: Vec::new(),
            shown: Counts::new(),
            pooled: BTreeSet::new(),
            calls: BTreeSet::new(),
            answered: BTreeSet::new(),
            handed: BTreeMap::new(),
            called: false,
            names_authors,
        }
    }
}

impl Reader<'_, '_> {
    /// Reads the attempts that failed before this one. Each is a branch that ends in its error.
    fn retries(&mut self) {
        for (number, raw) in self.content.sample.error_retries.items().iter().enumerate() {
            let retry: Retry<'_> = loose::part(raw);
            let mut place = self.content.place.clone();
            let pointer = place.pointer.take().unwrap_or_default();
            let pointer = format!("{pointer}/error_retries/{number}");
            let mut reader = Reader::new(self.content, self.options, self.names_authors);
            for (event, raw) in retry.events.items().iter().enumerate() {
                place.pointer = Some(format!("{pointer}/events/{event}"));
                reader.event(&place, raw, None, LEVELS, &mut Times::default());
            }
            place.pointer = Some(pointer);
            let mut draft = reader.draft;
            let message = retry.message.text();
            let is_known = |what: &What| matches!(what, What::Error { message: known, .. } if known == message);
            let frames = retry.traceback.text();
            if draft.events.iter().any(|event| is_known(&event.what)) {
                draft.withhold("tracebacks", u64::from(!frames.is_empty()));
            } else {
                let message = draft.traced(self.options, message.to_owned(), frames);
                draft.push(
                    place,
                    What::Error {
                        message,
                        code: None,
                    },
                );
            }
            for event in &mut draft.events {
                event.branch = Some(format!("b{}", number + 1));
            }
            self.draft.absorb(&mut draft);
            self.draft.events.append(&mut draft.events);
            self.draft.agents.append(&mut draft.agents);
        }
    }

    /// Notes which models answered in place of others, where the events do not say it.
    fn fallbacks(&mut self) {
        let raws = self
            .content
            .sample
            .model_fallbacks
            .items()
            .iter()
            .enumerate();
        for (number, raw) in raws {
            let fallback: Fallback<'_> = loose::part(raw);
            let mut place = self.content.place.clone();
            let pointer = place.pointer.unwrap_or_default();
            place.pointer = Some(format!("{pointer}/model_fallbacks/{number}"));
            self.draft.note(place, FALLBACK, Some(fallback.words()));
        }
    }

    fn event(
        &mut self,
        place: &Origin,
        raw: &RawValue,
        within: Option<&Span>,
        levels: usize,
        times: &mut Times,
    ) {
        let Ok(event) = serde_json::from_str::<Event<'_>>(raw.get()) else {
            self.odd(place);
            return;
        };
        times.see(event.timestamp.text());
        let mut place = place.clone();
        place.id = event.uuid.named();
        let span = self.spans.get(event.span_id.text()).or(self.steps.last());
        let span = within.or(span).cloned().unwrap_or_default();
        let first = self.draft.events.len();
        let ended = match event.event.text() {
            _ if *event.pending == Some(true) => {
                self.draft.withhold("bookkeeping", 1);
                return;
            }
            "model" => self.model(&place, &event, &span),
            "tool" => {
                self.tool(&place, &event, &span, levels, times);
                return;
            }
            "span_begin" => self.span(&place, &event),
            "span_end" => self.end(&place, &event),
            "step" => self.step(&event),
            "score" => self.score(&place, &event, &span),
            "sample_limit" => {
                let text = [event.kind.text(), event.message.text()].join(": ");
                self.draft.note(place, "limit", Some(text));
                first
            }
            "error" => self.error(&place, event.error),
            "compaction" => {
                let compaction = What::Compaction {
                    trigger: event.kind.named(),
                    tokens_before: *event.tokens_before,
                    forgotten: None,
                };
                self.draft.push(place, compaction);
                first
            }
            kind @ ("logger" | "info" | "interrupt" | "score_edit") => {
                self.draft.withhold("notes", 1);
                self.draft.note(place, kind, None);
                first
            }
            "" => {
                self.odd(&place);
                first
            }
            // State, store, sandbox and others.
            _ => {
                self.draft.withhold("bookkeeping", 1);
                first
            }
        };
        let began = When::read(event.timestamp.text());
        let completed = When::read(event.completed.text());
        for (number, made) in self.draft.events.iter_mut().enumerate().skip(first) {
            let is_answer = number >= ended;
            made.when(completed.as_ref().filter(|_| is_answer).or(began.as_ref()));
            if made.agent.is_none()
                && !matches!(made.what, What::Subagent { .. } | What::Score { .. })
            {
                made.agent.clone_from(&span.agent);
            }
        }
    }

    fn odd(&mut self, place: &Origin) {
        let pointer = place.pointer.as_deref().unwrap_or_default();
        self.draft.odd("", pointer, "an event");
    }

    /// A model call: adds the new messages of its input, and its answer. Returns the number of the answer's first event.
    fn model(&mut self, place: &Origin, event: &Event<'_>, span: &Span) -> usize {
        let agent = match event.role.text() {
            "grader" => Some(SCORER.to_owned()),
            _ => span.agent.clone(),
        };
        let is_grader = agent.as_deref() == Some(SCORER);
        if is_grader {
            self.grader();
        }
        self.called |= !is_grader;
        let first = self.draft.events.len();
        let mut seen = Counts::new();
        for raw in event.input.items() {
            self.heard(place, raw, agent.as_deref(), &mut seen);
        }
        let pool = &self.content.pool;
        let refs = event.input_refs.as_deref().unwrap_or_default();
        for number in message::ranges(refs, pool.len()) {
            if self.pooled.insert((agent.clone(), number)) {
                self.heard(place, pool[number], agent.as_deref(), &mut seen);
            }
        }
        let answered = self.draft.events.len();
        let none = Output::default();
        let output = event.output.as_ref().unwrap_or(&none);
        let choice = output.choices.as_ref().and_then(|choices| choices.first());
        let mut calls = Vec::new();
        if let Some(message) = choice.and_then(|choice| choice.as_ref()?.message.as_ref()) {
            *self
                .shown
                .entry(key(agent.as_deref(), message, self.attachments()))
                .or_default() += 1;
            let content = self.content;
            calls = message::push(
                &mut self.draft,
                self.options,
                place,
                message,
                &content.attachments,
                self.names_authors,
            );
            self.calls.extend(calls.iter().cloned());
        }
        let failed = event.error.and_then(|raw| Str::parse(raw.get()));
        if let Some(message) = output.error.named().or(failed.map(|text| text.to_string())) {
            self.draft.push(
                place.clone(),
                What::Error {
                    message,
                    code: None,
                },
            );
        }
        let fallback = output.fallback.as_ref();
        if let Some(fallback) =
            fallback.filter(|_| self.content.sample.model_fallbacks.items().is_empty())
        {
            self.draft
                .note(place.clone(), FALLBACK, Some(fallback.words()));
        }
        if let Some(usage) = output.usage.as_ref() {
            let other = fallback.and_then(|fallback| fallback.fallback_model.named());
            let usage = What::Usage {
                tokens: usage.tokens(),
                model: other.or_else(|| event.model.named()),
                cost: *usage.total_cost,
                calls,
            };
            self.draft.push(place.clone(), usage);
        }
        for event in &mut self.draft.events[first..] {
            event.agent.clone_from(&agent);
        }
        answered
    }

    fn attachments(&self) -> &Attachments<'_> {
        &self.content.attachments
    }

    /// The tokens of a sample include those of its graders.
    fn grader(&mut self) {
        if !self.draft.record.includes.contains(&SCORER) {
            self.draft.record.includes.push(SCORER);
        }
    }

    /// A message of the input, which repeats the conversation. Adds it if it is new.
    fn heard(&mut self, place: &Origin, raw: &RawValue, agent: Option<&str>, seen: &mut Counts) {
        let Ok(message) = serde_json::from_str::<Message<'_>>(raw.get()) else {
            self.odd(place);
            return;
        };
        let key = key(agent, &message, self.attachments());
        let seen = seen.entry(key.clone()).or_default();
        *seen += 1;
        let shown = self.shown.entry(key).or_default();
        if *seen <= *shown {
            return;
        }
        *shown = *seen;
        let id = message.tool_call_id.text();
        if message.role.text() == "tool" && self.answered.contains(id) {
            return;
        }
        let content = self.content;
        let calls = message::push(
            &mut self.draft,
            self.options,
            place,
            &message,
            &content.attachments,
            self.names_authors,
        );
        self.calls.extend(calls);
    }

    fn tool(
        &mut self,
        place: &Origin,
        event: &Event<'_>,
        span: &Span,
        levels: usize,
        times: &mut Times,
    ) {
        let began = When::read(event.timestamp.text());
        let id = event.id.named();
        if let Some(id) = id.clone().filter(|id| !self.calls.contains(id)) {
            let (arguments, arguments_text) =
                message::arguments(event.arguments, &self.content.attachments);
            let name = event.function.named();
            let call = What::ToolCall(Call {
                name: name.unwrap_or_else(|| "unknown".to_owned()),
                call: Some(id.clone()),
                arguments,
                arguments_text,
                ..Call::default()
            });
            let made = self.draft.push(place.clone(), call);
            made.when(began.as_ref()).agent.clone_from(&span.agent);
            self.calls.insert(id);
        }
        if let (Some(span), Some(id)) = (event.agent_span_id.named(), id.clone()) {
            self.handed.insert(span, id);
        }
        if levels > 0 && !event.events.items().is_empty() {
            self.inner(place, event, span, levels - 1, times);
        }
        let error: Option<ToolError<'_>> = event.error.map(loose::part);
        let said = match event.result {
            // A number or a boolean.
            Some(raw) if !raw.get().starts_with(['"', '[', '{']) => {
                let mut said = Said::default();
                said.content.line(raw.get());
                said
            }
            raw => Said::of(raw, &self.content.attachments),
        };
        let mut result = message::result(id.clone(), said.content, error.as_ref(), &mut self.draft);
        result.ok = Some(error.is_none() && *event.failed != Some(true));
        result.truncated = event.truncated.map(|(from, to)| from.saturating_sub(to));
        let made = self.draft.push(place.clone(), What::ToolResult(result));
        let completed = When::read(event.completed.text()).or(began);
        made.when(completed.as_ref()).agent.clone_from(&span.agent);
        if let Some(id) = id {
            self.answered.insert(id);
        }
    }

    /// Events nested in a tool event, as in older logs. Assigns them to the agent of that tool, if any.
    fn inner(
        &mut self,
        place: &Origin,
        event: &Event<'_>,
        span: &Span,
        levels: usize,
        times: &mut Times,
    ) {
        let mut within = span.clone();
        let agent = event.id.named().filter(|_| event.agent.named().is_some());
        if let Some(id) = &agent {
            let call = Some(id.clone());
            self.begin(place, id, event.agent.named(), span.agent.clone(), call);
            within.agent = Some(id.clone());
        }
        for (number, raw) in event.events.items().iter().enumerate() {
            let mut place = place.clone();
            let pointer = place.pointer.unwrap_or_default();
            place.pointer = Some(format!("{pointer}/events/{number}"));
            self.event(&place, raw, Some(&within), levels, times);
        }
        if let Some(id) = &agent {
            self.finish(place, id, span.agent.clone());
        }
    }

    fn span(&mut self, place: &Origin, event: &Event<'_>) -> usize {
        let Some(id) = event.id.named() else { return 0 };
        let mut span = self
            .spans
            .get(event.parent_id.text())
            .cloned()
            .unwrap_or_default();
        span.began = None;
        match event.kind.text() {
            "scorer" | "scorers" => {
                span.scorer = event.name.named();
                span.agent = Some(SCORER.to_owned());
            }
            "agent" if span.is_within && span.agent.as_deref() != Some(SCORER) => {
                let call = self.handed.get(&id).cloned();
                self.begin(place, &id, event.name.named(), span.agent.clone(), call);
                span.parent = span.agent.replace(id.clone());
                span.began = Some(id.clone());
            }
            "agent" | "tool" => span.is_within = true,
            _ => {}
        }
        self.spans.insert(id, span);
        0
    }

    fn end(&mut self, place: &Origin, event: &Event<'_>) -> usize {
        let span = self.spans.get(event.id.text());
        if let Some(id) = span.and_then(|span| span.began.clone()) {
            let parent = span.and_then(|span| span.parent.clone());
            self.finish(place, &id, parent);
        }
        0
    }

    fn step(&mut self, event: &Event<'_>) -> usize {
        if event.action.text() == "end" {
            self.steps.pop();
            return 0;
        }
        let mut span = self.steps.last().cloned().unwrap_or_default();
        if event.kind.text() == "scorer" {
            span.scorer = event.name.named();
            span.agent = Some(SCORER.to_owned());
        }
        self.steps.push(span);
        0
    }

    fn begin(
        &mut self,
        place: &Origin,
        id: &str,
        name: Option<String>,
        parent: Option<String>,
        call: Option<String>,
    ) {
        self.draft.agents.push(Agent {
            id: id.to_owned(),
            name: name.clone(),
            parent: parent.clone(),
            call: call.clone(),
            model: None,
        });
        let started = What::Subagent {
            action: Action::Started,
            id: id.to_owned(),
            name,
            call,
        };
        self.draft.push(place.clone(), started).agent = parent;
    }

    fn finish(&mut self, place: &Origin, id: &str, parent: Option<String>) {
        let completed = What::Subagent {
            action: Action::Completed,
            id: id.to_owned(),
            name: None,
            call: None,
        };
        self.draft.push(place.clone(), completed).agent = parent;
    }

    fn score(&mut self, place: &Origin, event: &Event<'_>, span: &Span) -> usize {
        let value = event.score.as_ref().and_then(|score| score.value);
        let scorer = event.scorer.named().or_else(|| span.scorer.clone());
        let name = scorer.clone().unwrap_or_else(|| "score".to_owned());
        match value.and_then(|value| loose::compact(value.get())) {
            Some(value) => {
                let score = What::Score {
                    name,
                    value,
                    scorer,
                };
                self.draft.push(place.clone(), score);
            }
            None => self.draft.note(place.clone(), "unscored", Some(name)),
        }
        0
    }

    fn error(&mut self, place: &Origin, error: Option<&RawValue>) -> usize {
        let error: ToolError<'_> = error.map(loose::part).unwrap_or_default();
        let message = error.message.text().to_owned();
        self.draft.push(
            place.clone(),
            What::Error {
                message,
                code: None,
            },
        );
        0
    }

    /// Reads the messages of the sample, placed before the scores, errors and graders of the events from `before` on.
    fn messages(&mut self, before: usize) {
        let events = self.draft.events.split_off(before);
        for (place, raw) in &self.content.messages {
            match serde_json::from_str::<Message<'_>>(raw.get()) {
                Ok(message) => {
                    let content = self.content;
                    message::push(
                        &mut self.draft,
                        self.options,
                        place,
                        &message,
                        &content.attachments,
                        self.names_authors,
                    );
                }
                Err(_) => self.odd(place),
            }
        }
        let is_talk = |what: &What| {
            matches!(
                what,
                What::Message { .. }
                    | What::Reasoning { .. }
                    | What::ToolCall(_)
                    | What::ToolResult(_)
            )
        };
        let events = events.into_iter();
        self.draft
            .events
            .extend(events.filter(|event| event.agent.is_some() || !is_talk(&event.what)));
    }
}

/// The identity of a message: its id, or in older logs its role and content.
fn key(
    agent: Option<&str>,
    message: &Message<'_>,
    attachments: &Attachments<'_>,
) -> (Option<String>, u64) {
    let mut hasher = DefaultHasher::new();
    if let Some(id) = message.id.named() {
        id.hash(&mut hasher);
    } else {
        let said = Said::of(message.content, attachments);
        message.role.text().hash(&mut hasher);
        said.content.text.hash(&mut hasher);
        said.content.images.hash(&mut hasher);
        message.tool_call_id.text().hash(&mut hasher);
        for call in message.tool_calls.items() {
            call.get().hash(&mut hasher);
        }
    }
    (agent.map(str::to_owned), hasher.finish())
}
