//! `OpenHands` before 1.0: actions and observations, joined by `cause`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::formats::decimal;
use crate::formats::trace::{ExitCodeFrom, Role};

use super::super::Options;
use super::super::draft::{Call, Draft, Origin, Tokens, ToolResult, What};
use super::super::loose::{self, Apart, Count, Flag, Items, Maybe, Number, Spoken, Text};
use super::super::time::{Times, When};
use super::super::usage::{Inclusive, Usage};
use super::{Edited, Generation};

/// Arguments not written by the model.
const NOT_ARGUMENTS: [&str; 9] = [
    "thought",
    "translated_ipython_code",
    "impl_source",
    "confirmation_state",
    "is_confirmed",
    "security_risk",
    "hidden",
    "blocking",
    "keep_prompt",
];

#[derive(Deserialize, Default)]
#[serde(default)]
struct Event<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    timestamp: Text<'a>,
    source: Text<'a>,
    message: Text<'a>,
    action: Text<'a>,
    args: Option<&'a RawValue>,
    observation: Text<'a>,
    content: Option<&'a RawValue>,
    extras: Option<&'a RawValue>,
    cause: Option<&'a RawValue>,
    tool_call_metadata: Apart<Made<'a>>,
    llm_metrics: Apart<Metrics>,
    success: Flag,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Made<'a> {
    #[serde(borrow)]
    function_name: Text<'a>,
    tool_call_id: Text<'a>,
    model_response: Apart<Response<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    model: Text<'a>,
    choices: Apart<Vec<Apart<Choice<'a>>>>,
    usage: Apart<Usage>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Choice<'a> {
    #[serde(borrow)]
    message: Apart<Answer<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Answer<'a> {
    #[serde(borrow)]
    tool_calls: Apart<Vec<Apart<ToolCall<'a>>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ToolCall<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    function: Apart<Function<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    arguments: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Args<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    image_urls: Items<'a>,
    thought: Text<'a>,
    final_thought: Text<'a>,
    forgotten_event_ids: Items<'a>,
    forgotten_events_start_id: Count,
    forgotten_events_end_id: Count,
    summary: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Extras {
    exit_code: Maybe<i64>,
    metadata: Apart<Terminal>,
    agent_state: Maybe<String>,
    error_id: Maybe<String>,
}

/// The user and place of a command; read only to be replaced.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Terminal {
    exit_code: Maybe<i64>,
    username: Maybe<String>,
    hostname: Maybe<String>,
    working_dir: Maybe<String>,
}

/// Total tokens and cost up to an event.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Metrics {
    accumulated_cost: Number,
    accumulated_token_usage: Apart<Accumulated>,
}

impl Metrics {
    fn tokens(&self) -> Tokens {
        let usage = self.accumulated_token_usage.as_ref();
        let counted = usage.map(|all| Inclusive {
            input: *all.prompt_tokens,
            cached: *all.cache_read_tokens,
            output: *all.completion_tokens,
            reasoning: None,
        });
        counted.map(Inclusive::disjoint).unwrap_or_default()
    }

    /// Whether the counters of `before` are not part of these: they began again.
    fn began_again(&self, before: &Self) -> bool {
        let input = |metrics: &Self| {
            let usage = metrics.accumulated_token_usage.as_ref();
            usage.and_then(|usage| *usage.prompt_tokens)
        };
        input(self) < input(before) || *self.accumulated_cost < *before.accumulated_cost
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Accumulated {
    prompt_tokens: Count,
    completion_tokens: Count,
    cache_read_tokens: Count,
}

/// Reads events one by one.
pub struct Reader<'o> {
    draft: Draft,
    options: &'o Options,
    /// The call of each action, by event id.
    calls: BTreeMap<String, String>,
    /// Answers of the model that are already counted.
    answers: BTreeSet<String>,
    /// The latest totals of tokens and cost.
    metrics: Metrics,
    /// The last totals of counters that began again.
    earlier: Vec<Metrics>,
    /// The last state of the agent.
    state: Option<String>,
    session: Option<String>,
    times: Times,
}

impl<'o> Reader<'o> {
    /// A reader of the events of a folder, whose name may be the session id.
    pub fn new(options: &'o Options, folder: &str) -> Self {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let is_id = name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        Self {
            draft: Draft::default(),
            options,
            calls: BTreeMap::new(),
            answers: BTreeSet::new(),
            metrics: Metrics::default(),
            earlier: Vec::new(),
            state: None,
            session: is_id.then(|| name.to_owned()),
            times: Times::default(),
        }
    }
}

impl Generation for Reader<'_> {
    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }

    fn event(&mut self, mut place: Origin, raw: &RawValue) -> Result<(), &'static str> {
        let event: Event<'_> = serde_json::from_str(raw.get()).map_err(|_| "an event")?;
        place.id = loose::word(event.id);
        let first = self.draft.events.len();
        if let Some(action) = event.action.as_ref() {
            self.action(action, &event, &place);
        } else if let Some(observation) = event.observation.as_ref() {
            self.observation(observation, &event, &place);
        } else {
            return Err("an action or an observation");
        }
        self.times.see(event.timestamp.text());
        let when = When::read(event.timestamp.text());
        for event in &mut self.draft.events[first..] {
            event.when(when.as_ref());
        }
        if let Some(metrics) = event.llm_metrics.0 {
            let before = std::mem::replace(&mut self.metrics, metrics);
            if self.metrics.began_again(&before) {
                self.earlier.push(before);
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Draft {
        self.record();
        self.draft
    }
}

impl Reader<'_> {
    fn action(&mut self, action: &str, event: &Event<'_>, place: &Origin) {
        let args: Args<'_> = event.args.map(loose::part).unwrap_or_default();
        match action {
            "message" => {
                let mut content = Spoken::of(args.content);
                content.images += args.image_urls.items().len() as u64;
                let place = place.clone();
                match event.source.text() {
                    "user" => self.draft.message(place, Role::User, content, false),
                    "environment" => {
                        let text = content.text;
                        self.draft
                            .prompt(self.options, place, "injectedContext", text);
                    }
                    _ => self.draft.message(place, Role::Assistant, content, false),
                }
                self.usage(event, Vec::new(), &Origin::default());
            }
            "system" => {
                let text = Spoken::of(args.content).text;
                self.draft
                    .prompt(self.options, place.clone(), "systemPrompts", text);
            }
            "recall" | "change_agent_state" | "condensation_request" | "null" => {
                self.draft.withhold("bookkeeping", 1);
            }
            "condensation" => {
                if let Some(summary) = args.summary.named() {
                    let place = place.clone();
                    self.draft
                        .prompt(self.options, place, "compactionSummaries", summary);
                }
                let range = args
                    .forgotten_events_end_id
                    .zip(*args.forgotten_events_start_id);
                let range = range.map(|(end, start)| end.saturating_sub(start).saturating_add(1));
                let listed = args
                    .forgotten_event_ids
                    .as_ref()
                    .map(|ids| ids.len() as u64);
                let compaction = What::Compaction {
                    trigger: None,
                    tokens_before: None,
                    forgotten: listed.or(range),
                };
                self.draft.push(place.clone(), compaction);
            }
            _ => self.call(action, event, &args, place),
        }
    }

    fn call(&mut self, action: &str, event: &Event<'_>, args: &Args<'_>, place: &Origin) {
        // The thought of the think tool is its argument.
        let said = match action {
            "think" => None,
            "finish" | "reject" => args.final_thought.named().or_else(|| args.thought.named()),
            _ => args.thought.named(),
        };
        let said = Spoken {
            text: said.unwrap_or_default(),
            images: 0,
        };
        self.draft
            .message(place.clone(), Role::Assistant, said, false);
        let none = Made::default();
        let made = event.tool_call_metadata.as_ref().unwrap_or(&none);
        let number = place.id.clone().unwrap_or_default();
        let id = made
            .tool_call_id
            .named()
            .unwrap_or_else(|| format!("oh_{number}"));
        let (arguments, arguments_text) = match arguments(made) {
            Some(text) => loose::arguments(text),
            None => (
                event
                    .args
                    .and_then(|args| loose::without(args, &NOT_ARGUMENTS)),
                None,
            ),
        };
        let name = made.function_name.named();
        let call = Call {
            name: name.unwrap_or_else(|| action.to_owned()),
            call: Some(id.clone()),
            arguments,
            arguments_text,
            ..Call::default()
        };
        self.draft.push(place.clone(), What::ToolCall(call));
        self.calls.insert(number, id.clone());
        self.usage(event, vec![id], place);
    }

    /// Counts an answer of the model, which is repeated on each of its actions and observations.
    fn usage(&mut self, event: &Event<'_>, calls: Vec<String>, place: &Origin) {
        let response = event.tool_call_metadata.as_ref();
        let Some(response) = response.and_then(|made| made.model_response.as_ref()) else {
            return;
        };
        let Some(id) = response
            .id
            .named()
            .filter(|id| self.answers.insert(id.clone()))
        else {
            return;
        };
        let model = response.model.named();
        let models = &mut self.draft.record.models;
        if let Some(model) = model.clone().filter(|model| !models.contains(model)) {
            models.push(model);
        }
        if let Some(mut counted) = response.usage.as_ref().and_then(Usage::read) {
            // Models without this count have 0.
            counted.reasoning = counted.reasoning.filter(|count| *count > 0);
            let tokens = counted.disjoint();
            self.draft.record.tokens = self.draft.record.tokens.plus(tokens);
            let mut place = place.clone();
            place.id = Some(id);
            self.draft.push(
                place,
                What::Usage {
                    tokens,
                    model,
                    cost: None,
                    calls,
                },
            );
        }
    }

    fn observation(&mut self, kind: &str, event: &Event<'_>, place: &Origin) {
        let extras: Extras = event.extras.map(loose::part).unwrap_or_default();
        match kind {
            "null" => return,
            "agent_state_changed" => {
                self.state = extras.agent_state.0;
                return;
            }
            "recall" => {
                let text = Spoken::of(event.content).text;
                self.draft
                    .prompt(self.options, place.clone(), "injectedContext", text);
                return;
            }
            _ => {}
        }
        let made = event.tool_call_metadata.as_ref();
        let named = made.and_then(|made| made.tool_call_id.named());
        let cause = loose::word(event.cause);
        let caused = cause.as_ref().and_then(|cause| self.calls.get(cause));
        let call = caused.cloned().or(named);
        let content = Spoken::of(event.content);
        if kind == "error" && call.is_none() {
            let message = if content.text.is_empty() {
                event.message.text().to_owned()
            } else {
                content.text
            };
            let code = extras.error_id.0.filter(|code| !code.is_empty());
            self.draft
                .push(place.clone(), What::Error { message, code });
            return;
        }
        let none = Terminal::default();
        let terminal = extras.metadata.as_ref().unwrap_or(&none);
        self.draft
            .identity
            .know(terminal.username.as_deref(), terminal.hostname.as_deref());
        if self.draft.identity.workspaces.is_empty() {
            self.draft
                .identity
                .workspaces
                .extend(terminal.working_dir.0.clone());
        }
        // -1 means unknown.
        let code = terminal
            .exit_code
            .or(*extras.exit_code)
            .filter(|code| *code != -1);
        let ok = match (kind, code) {
            ("error", _) => Some(false),
            ("user_rejected", _) => None,
            (_, Some(code)) => Some(code == 0),
            _ => *event.success,
        };
        let result = ToolResult {
            call: call.clone(),
            ok,
            exit_code: code,
            exit_code_from: code.map(|_| ExitCodeFrom::Field),
            status: (kind == "user_rejected").then(|| "rejected".to_owned()),
            text: Some(content.text),
            images: content.images,
            ..ToolResult::default()
        };
        self.draft.push(place.clone(), What::ToolResult(result));
        if let ("edit", Some(extras)) = (kind, event.extras) {
            let edited: Edited<'_> = loose::part(extras);
            edited.push(&mut self.draft, place.clone(), call);
        }
    }

    fn record(&mut self) {
        let record = &mut self.draft.record;
        record.harness = Some("openhands".to_owned());
        if let Some(session) = self.session.take() {
            record.id = super::id(&session);
            record.ids.insert("session".to_owned(), session);
        }
        let all = || self.earlier.iter().chain([&self.metrics]);
        let counted = all().fold(Tokens::default(), |sum, metrics| sum.plus(metrics.tokens()));
        if !counted.nothing() {
            record.tokens = counted;
        }
        if record.tokens.nothing() {
            record.tokens = Tokens::default();
        }
        let costs = all().filter_map(|metrics| *metrics.accumulated_cost);
        let cost = decimal::total(costs.map(decimal::without_noise));
        record.cost = cost.filter(|cost| *cost > 0.0);
        record.state = match self.state.as_deref() {
            Some("finished") => "completed",
            Some("error") => "harness_error",
            Some("stopped" | "rejected") => "canceled",
            _ => "unknown",
        };
        record.detail = self.state.take();
        std::mem::take(&mut self.times).write(record);
    }
}

/// The arguments as written by the model.
fn arguments<'m>(made: &'m Made<'_>) -> Option<&'m str> {
    let id = made.tool_call_id.as_deref()?;
    let choices = made.model_response.as_ref()?.choices.as_ref()?;
    let calls = choices.iter().filter_map(|choice| {
        let answer = choice.as_ref()?.message.as_ref()?;
        answer.tool_calls.as_deref()
    });
    let mut calls = calls.flatten().filter_map(|call| call.as_ref());
    let call = calls.find(|call| call.id.as_deref() == Some(id))?;
    call.function.as_ref()?.arguments.as_deref()
}
