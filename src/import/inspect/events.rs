//! The events of a sample: the conversation with the model, separated from graders and inner agents.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use formats::trace::SubagentAction;

use super::super::ImportOptions;
use super::super::chat::Chat;
use super::super::draft::{Draft, EventContent, Origin, ToolCall, TraceAgent};
use super::super::raw_json;
use super::super::row::Row;
use super::super::time::{LogTime, Times};
use super::message::{self, Attachments, ContentParts};
use super::sample::{SampleContent, fallback, ranges, tokens};

/// The kind of note for a model that answered instead of another.
const FALLBACK: &str = "model fallback";
/// The agent name of graders.
const SCORER: &str = "scorer";
/// Maximum levels of events nested in tool events.
const LEVELS: usize = 16;

/// A part of a sample, with the agent of its events.
#[derive(Default, Clone)]
struct Span {
    /// The agent, if it is not the main one.
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
type MessageOccurrences = BTreeMap<(Option<String>, u64), usize>;

struct SampleReader<'c, 'a> {
    content: &'c SampleContent<'a>,
    chat: Chat<'c>,
    spans: BTreeMap<String, Span>,
    /// Open steps of older logs.
    steps: Vec<Span>,
    shown: MessageOccurrences,
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
    /// Whether messages of the user name their author.
    names_authors: bool,
}

/// Reads the events of a sample, or its messages if it has no model call. Attempts that failed before come first.
pub fn read(content: &SampleContent<'_>, options: &ImportOptions, draft: &mut Draft) -> Times {
    let messages = content.messages.iter().map(|(_, json)| *json);
    let mut messages = messages.chain(content.pool.iter().copied());
    let is_of_user =
        |json| Row::parse_value(json).is_ok_and(|message| message::is_of_user(&message));
    let names_authors = messages.any(is_of_user);
    let mut reader = SampleReader::new(content, options, names_authors);
    reader.chat.draft = std::mem::take(draft);
    reader.retries();
    let before = reader.chat.draft.events.len();
    for (place, json) in &content.events {
        reader.event(place, json, None, LEVELS);
    }
    if !reader.called {
        reader.messages(before);
    }
    reader.fallbacks();
    *draft = reader.chat.draft;
    draft.group_agents();
    let mut events = draft.events.iter();
    if events.any(|event| event.agent.as_deref() == Some(SCORER)) {
        draft.agents.push(TraceAgent {
            id: SCORER.to_owned(),
            ..TraceAgent::default()
        });
    }
    reader.chat.times
}

impl<'c, 'a> SampleReader<'c, 'a> {
    fn new(
        content: &'c SampleContent<'a>,
        options: &'c ImportOptions,
        names_authors: bool,
    ) -> Self {
        Self {
            content,
            chat: Chat::new(options),
            spans: BTreeMap::new(),
            steps: Vec::new(),
            shown: MessageOccurrences::new(),
            pooled: BTreeSet::new(),
            calls: BTreeSet::new(),
            answered: BTreeSet::new(),
            handed: BTreeMap::new(),
            called: false,
            names_authors,
        }
    }
}

impl SampleReader<'_, '_> {
    /// The place of a value below the sample.
    fn below(&self, pointer: &str) -> Origin {
        let mut place = self.content.place.clone();
        place.pointer.get_or_insert_default().push_str(pointer);
        place
    }

    /// Reads the attempts that failed before this one. Each is a branch that ends in its error.
    fn retries(&mut self) {
        let retries = self.content.sample.rows("error_retries");
        for (number, retry) in retries.enumerate() {
            let pointer = format!("/error_retries/{number}");
            let options = self.chat.options;
            let mut reader = SampleReader::new(self.content, options, self.names_authors);
            for (event, json) in retry.list("events").enumerate() {
                let place = self.below(&format!("{pointer}/events/{event}"));
                reader.event(&place, json, None, LEVELS);
            }
            let mut draft = reader.chat.draft;
            let message = retry.text("message");
            let is_known = |what: &EventContent| matches!(what, EventContent::Error { message: known, .. } if *known == message);
            let frames = retry.text("traceback");
            if draft.events.iter().any(|event| is_known(&event.what)) {
                draft.withhold("tracebacks", u64::from(!frames.is_empty()));
            } else {
                let message = draft.error_message(options, message.into_owned(), &frames);
                draft.push(self.below(&pointer), EventContent::error(message));
            }
            for event in &mut draft.events {
                event.branch = Some(format!("b{}", number + 1));
            }
            let all = &mut self.chat.draft;
            all.absorb(&mut draft);
            all.events.append(&mut draft.events);
            all.agents.append(&mut draft.agents);
        }
    }

    /// Notes which models answered in place of others, where the events do not say it.
    fn fallbacks(&mut self) {
        let fallbacks = self.content.sample.rows("model_fallbacks");
        for (number, row) in fallbacks.enumerate() {
            let place = self.below(&format!("/model_fallbacks/{number}"));
            let note = Some(fallback(&row));
            self.chat.draft.note(place, FALLBACK, note);
        }
    }

    fn event(&mut self, place: &Origin, json: &str, within: Option<&Span>, levels: usize) {
        let Ok(event) = Row::parse(json) else {
            self.skip_event(place);
            return;
        };
        self.chat.times.add(&event.text("timestamp"));
        let mut place = place.clone();
        place.id = event.name("uuid");
        let span = self
            .spans
            .get(&*event.text("span_id"))
            .or(self.steps.last());
        let span = within.or(span).cloned().unwrap_or_default();
        let first = self.chat.draft.events.len();
        let mut answer = first;
        match &*event.text("event") {
            _ if event.is_true("pending") => {
                self.chat.draft.withhold("bookkeeping", 1);
                return;
            }
            "model" => answer = self.model(&place, &event, &span),
            "tool" => {
                self.tool(&place, &event, &span, levels);
                return;
            }
            "span_begin" => self.span(&place, &event),
            "span_end" => self.end(&place, &event),
            "step" => self.step(&event),
            "score" => self.score(&place, &event, &span),
            "sample_limit" => {
                let text = [event.text("type"), event.text("message")].join(": ");
                self.chat.draft.note(place, "limit", Some(text));
            }
            "error" => {
                let message = event.text("error.message").into_owned();
                self.chat.draft.push(place, EventContent::error(message));
            }
            "compaction" => {
                let compaction = EventContent::Compaction {
                    trigger: event.name("type"),
                    tokens_before: event.count("tokens_before"),
                    forgotten: None,
                };
                self.chat.draft.push(place, compaction);
            }
            kind @ ("logger" | "info" | "interrupt" | "score_edit") => {
                self.chat.draft.withhold("notes", 1);
                self.chat.draft.note(place, kind, None);
            }
            "" => self.skip_event(&place),
            // Others are events of state, store, sandbox and the like.
            _ => self.chat.draft.withhold("bookkeeping", 1),
        }
        let (began, completed) = (event.text("timestamp"), end_time(&event));
        for (number, made) in self.chat.draft.events.iter_mut().enumerate().skip(first) {
            made.set_time(if number >= answer { &completed } else { &began });
            if made.agent.is_none()
                && !matches!(
                    made.what,
                    EventContent::Subagent { .. } | EventContent::Score { .. }
                )
            {
                made.agent.clone_from(&span.agent);
            }
        }
    }

    fn skip_event(&mut self, place: &Origin) {
        let pointer = place.pointer.as_deref().unwrap_or_default();
        self.chat.draft.skip_part("", pointer, "an event");
    }

    /// A model call: adds the new messages of its input, and its answer. Returns the number of the answer's first event.
    fn model(&mut self, place: &Origin, event: &Row<'_>, span: &Span) -> usize {
        let agent = match &*event.text("role") {
            "grader" => Some(SCORER.to_owned()),
            _ => span.agent.clone(),
        };
        let is_grader = agent.as_deref() == Some(SCORER);
        let includes = &mut self.chat.draft.record.includes;
        // The tokens of a sample include those of its graders.
        if is_grader && !includes.contains(&SCORER) {
            includes.push(SCORER);
        }
        self.called |= !is_grader;
        let first = self.chat.draft.events.len();
        let mut seen = MessageOccurrences::new();
        for json in event.list("input") {
            self.input(place, json, agent.as_deref(), &mut seen);
        }
        let pool = &self.content.pool;
        for number in ranges(event, "input_refs", pool.len()) {
            if self.pooled.insert((agent.clone(), number)) {
                self.input(place, pool[number], agent.as_deref(), &mut seen);
            }
        }
        let answered = self.chat.draft.events.len();
        let choice = event.rows("output.choices").next();
        let mut calls = Vec::new();
        if let Some(message) = choice.and_then(|choice| choice.row("message")) {
            let key = key(agent.as_deref(), &message, &self.content.attachments);
            *self.shown.entry(key).or_default() += 1;
            calls = self.push(place, &message);
        }
        let failed = event.name("output.error");
        let failed = failed.or_else(|| event.string("error").map(String::from));
        if let Some(message) = failed {
            self.chat
                .draft
                .push(place.clone(), EventContent::error(message));
        }
        let other = event.row("output.fallback");
        let mut listed = self.content.sample.list("model_fallbacks");
        if let Some(row) = other.as_ref().filter(|_| listed.next().is_none()) {
            let note = Some(fallback(row));
            self.chat.draft.note(place.clone(), FALLBACK, note);
        }
        if let Some(usage) = event.row("output.usage") {
            let other = other.and_then(|row| row.name("fallback_model"));
            let usage = EventContent::Usage {
                tokens: tokens(&usage),
                model: other.or_else(|| event.name("model")),
                cost: usage.number("total_cost"),
                calls,
            };
            self.chat.draft.push(place.clone(), usage);
        }
        for event in &mut self.chat.draft.events[first..] {
            event.agent.clone_from(&agent);
        }
        answered
    }

    /// A message of the input, which repeats the conversation. Adds it if it is new.
    fn input(
        &mut self,
        place: &Origin,
        json: &str,
        agent: Option<&str>,
        seen: &mut MessageOccurrences,
    ) {
        let Ok(message) = Row::parse(json) else {
            self.skip_event(place);
            return;
        };
        let key = key(agent, &message, &self.content.attachments);
        let seen = seen.entry(key.clone()).or_default();
        *seen += 1;
        let shown = self.shown.entry(key).or_default();
        if *seen <= *shown {
            return;
        }
        *shown = *seen;
        let id = message.text("tool_call_id");
        if message.text("role") != "tool" || !self.answered.contains(&*id) {
            self.push(place, &message);
        }
    }

    /// Adds the events of a message, and returns the ids of its calls.
    fn push(&mut self, place: &Origin, message: &Row<'_>) -> Vec<String> {
        let attachments = &self.content.attachments;
        let authors = self.names_authors;
        let calls = message::push(&mut self.chat, place, message, attachments, authors);
        self.calls.extend(calls.iter().cloned());
        calls
    }

    fn tool(&mut self, place: &Origin, event: &Row<'_>, span: &Span, levels: usize) {
        let id = event.name("id");
        if let Some(id) = id.clone().filter(|id| !self.calls.contains(id)) {
            let arguments = message::arguments(event, &self.content.attachments);
            let call = ToolCall::of(event.name("function"), Some(id.clone()), arguments);
            let made = self
                .chat
                .draft
                .push(place.clone(), EventContent::ToolCall(call));
            made.set_time(&event.text("timestamp"));
            made.agent.clone_from(&span.agent);
            self.calls.insert(id);
        }
        if let (Some(span), Some(id)) = (event.name("agent_span_id"), id.clone()) {
            self.handed.insert(span, id);
        }
        if levels > 0 && event.list("events").next().is_some() {
            self.inner(place, event, span, levels - 1);
        }
        let mut parts = ContentParts::of(event, "result", &self.content.attachments);
        if let Some(json) = event.raw("result")
            && !json.starts_with(['"', '[', '{'])
        {
            // The result is a number or a boolean.
            parts.content.line(json);
        }
        let mut result = message::result(&mut self.chat, id.clone(), parts.content, event);
        result.ok = Some(!event.has("error") && !event.is_true("failed"));
        let sizes = event
            .raw("truncated")
            .map(serde_json::from_str::<(u64, u64)>);
        let sizes = sizes.and_then(Result::ok);
        result.truncated = sizes.map(|(from, to)| from.saturating_sub(to));
        let draft = &mut self.chat.draft;
        let made = draft.push(place.clone(), EventContent::ToolResult(result));
        made.set_time(&end_time(event));
        made.agent.clone_from(&span.agent);
        self.answered.extend(id);
    }

    /// Events nested in a tool event, as in older logs. Assigns them to the agent of that tool, if any.
    fn inner(&mut self, place: &Origin, event: &Row<'_>, span: &Span, levels: usize) {
        let mut within = span.clone();
        let agent = event.name("id").filter(|_| event.word("agent").is_some());
        if let Some(id) = &agent {
            let call = Some(id.clone());
            self.begin(place, id, event.name("agent"), span.agent.clone(), call);
            within.agent = Some(id.clone());
        }
        for (number, json) in event.list("events").enumerate() {
            let mut place = place.clone();
            let pointer = place.pointer.get_or_insert_default();
            pointer.push_str(&format!("/events/{number}"));
            self.event(&place, json, Some(&within), levels);
        }
        if let Some(id) = &agent {
            self.finish(place, id, span.agent.clone());
        }
    }

    fn span(&mut self, place: &Origin, event: &Row<'_>) {
        let Some(id) = event.name("id") else { return };
        let mut span = self
            .spans
            .get(&*event.text("parent_id"))
            .cloned()
            .unwrap_or_default();
        span.began = None;
        match &*event.text("type") {
            "scorer" | "scorers" => {
                span.scorer = event.name("name");
                span.agent = Some(SCORER.to_owned());
            }
            "agent" if span.is_within && span.agent.as_deref() != Some(SCORER) => {
                let call = self.handed.get(&id).cloned();
                self.begin(place, &id, event.name("name"), span.agent.clone(), call);
                span.parent = span.agent.replace(id.clone());
                span.began = Some(id.clone());
            }
            "agent" | "tool" => span.is_within = true,
            _ => {}
        }
        self.spans.insert(id, span);
    }

    fn end(&mut self, place: &Origin, event: &Row<'_>) {
        let span = self.spans.get(&*event.text("id"));
        if let Some(id) = span.and_then(|span| span.began.clone()) {
            let parent = span.and_then(|span| span.parent.clone());
            self.finish(place, &id, parent);
        }
    }

    fn step(&mut self, event: &Row<'_>) {
        if event.text("action") == "end" {
            self.steps.pop();
            return;
        }
        let mut span = self.steps.last().cloned().unwrap_or_default();
        if event.text("type") == "scorer" {
            span.scorer = event.name("name");
            span.agent = Some(SCORER.to_owned());
        }
        self.steps.push(span);
    }

    fn begin(
        &mut self,
        place: &Origin,
        id: &str,
        name: Option<String>,
        parent: Option<String>,
        call: Option<String>,
    ) {
        self.chat.draft.agents.push(TraceAgent {
            id: id.to_owned(),
            name: name.clone(),
            parent: parent.clone(),
            call: call.clone(),
            model: None,
        });
        let started = EventContent::Subagent {
            action: SubagentAction::Started,
            id: id.to_owned(),
            name,
            call,
        };
        self.chat.draft.push(place.clone(), started).agent = parent;
    }

    fn finish(&mut self, place: &Origin, id: &str, parent: Option<String>) {
        let completed = EventContent::Subagent {
            action: SubagentAction::Completed,
            id: id.to_owned(),
            name: None,
            call: None,
        };
        self.chat.draft.push(place.clone(), completed).agent = parent;
    }

    fn score(&mut self, place: &Origin, event: &Row<'_>, span: &Span) {
        let value = event.raw("score.value").and_then(raw_json::compact);
        let scorer = event.name("scorer").or_else(|| span.scorer.clone());
        let name = scorer.clone().unwrap_or_else(|| "score".to_owned());
        match value {
            Some(value) => {
                let score = EventContent::Score {
                    name,
                    value,
                    scorer,
                };
                self.chat.draft.push(place.clone(), score);
            }
            None => self.chat.draft.note(place.clone(), "unscored", Some(name)),
        }
    }

    /// Reads the messages of the sample, placed before the scores, errors and graders of the events from `before` on.
    fn messages(&mut self, before: usize) {
        let events = self.chat.draft.events.split_off(before);
        for (place, json) in &self.content.messages {
            match Row::parse(json) {
                Ok(message) => drop(self.push(place, &message)),
                Err(_) => self.skip_event(place),
            }
        }
        let is_talk = |what: &EventContent| {
            matches!(
                what,
                EventContent::Message { .. }
                    | EventContent::Reasoning { .. }
                    | EventContent::ToolCall(_)
                    | EventContent::ToolResult(_)
            )
        };
        let events = events.into_iter();
        self.chat
            .draft
            .events
            .extend(events.filter(|event| event.agent.is_some() || !is_talk(&event.what)));
    }
}

/// When an event ended, or if the log lacks that, when it began.
fn end_time<'a>(event: &Row<'a>) -> Cow<'a, str> {
    let end = event.string("completed");
    let end = end.filter(|time| LogTime::parse(time).is_some());
    end.unwrap_or_else(|| event.text("timestamp"))
}

/// The identity of a message: its id, or in older logs its role and content.
fn key(
    agent: Option<&str>,
    message: &Row<'_>,
    attachments: &Attachments<'_>,
) -> (Option<String>, u64) {
    let mut hasher = DefaultHasher::new();
    if let Some(id) = message.word("id") {
        id.hash(&mut hasher);
    } else {
        let content = ContentParts::of(message, "content", attachments).content;
        message.text("role").hash(&mut hasher);
        content.text.hash(&mut hasher);
        content.images.hash(&mut hasher);
        message.text("tool_call_id").hash(&mut hasher);
        for call in message.list("tool_calls") {
            call.hash(&mut hasher);
        }
    }
    (agent.map(str::to_owned), hasher.finish())
}
