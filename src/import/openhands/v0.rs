//! `OpenHands` before 1.0: actions and observations, joined by `cause`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use formats::decimal;
use formats::model::run::MetricSet;
use formats::trace::ExitCodeFrom;

use super::super::ImportOptions;
use super::super::chat::Chat;
use super::super::draft::{Draft, EventContent, Origin, Tokens, ToolResult};
use super::super::message_content::MessageContent;
use super::super::raw_json;
use super::super::row::Row;
use super::super::usage::{InclusiveTokens, unless_zero};
use super::{FileEdit, Generation};

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

/// Total tokens and cost up to an event.
#[derive(Clone, Copy, Default)]
struct AccumulatedMetrics {
    input: Option<u64>,
    tokens: Tokens,
    cost: Option<f64>,
}

impl AccumulatedMetrics {
    fn of(row: &Row<'_>) -> Self {
        let count = |key: &str| row.count(&format!("accumulated_token_usage.{key}"));
        let input = count("prompt_tokens");
        let used = InclusiveTokens {
            input,
            cached: count("cache_read_tokens"),
            output: count("completion_tokens"),
            reasoning: None,
        };
        Self {
            input,
            tokens: used.disjoint(),
            cost: row.number("accumulated_cost"),
        }
    }

    /// Whether the counters of `before` are not part of these: they began again.
    fn began_again(&self, before: &Self) -> bool {
        self.input < before.input || self.cost < before.cost
    }
}

/// Reads events one by one.
pub struct EventReader<'o> {
    chat: Chat<'o>,
    /// The call of each action, by event id.
    calls: BTreeMap<String, String>,
    /// Answers of the model that are already counted.
    answers: BTreeSet<String>,
    /// The latest totals of tokens and cost.
    metrics: AccumulatedMetrics,
    /// The last totals of counters that began again.
    earlier: Vec<AccumulatedMetrics>,
    /// The last state of the agent.
    state: Option<String>,
    session: Option<String>,
}

impl<'o> EventReader<'o> {
    /// A reader of the events of a folder, whose name may be the session id.
    pub fn new(options: &'o ImportOptions, folder: &str) -> Self {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let is_id = name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        Self {
            chat: Chat::new(options),
            calls: BTreeMap::new(),
            answers: BTreeSet::new(),
            metrics: AccumulatedMetrics::default(),
            earlier: Vec::new(),
            state: None,
            session: is_id.then(|| name.to_owned()),
        }
    }
}

impl Generation for EventReader<'_> {
    fn draft(&mut self) -> &mut Draft {
        &mut self.chat.draft
    }

    fn event(&mut self, mut place: Origin, event: &Row<'_>) -> Result<(), &'static str> {
        place.id = event.id("id");
        let first = self.chat.draft.events.len();
        if let Some(action) = event.string("action") {
            self.action(&action, event, &place);
        } else if let Some(observation) = event.string("observation") {
            self.observation(&observation, event, &place);
        } else {
            return Err("an action or an observation");
        }
        self.chat.set_times(first, &event.text("timestamp"));
        if let Some(metrics) = event.row("llm_metrics") {
            super::check_numbers(&mut self.chat.draft, &metrics);
            let before = std::mem::replace(&mut self.metrics, AccumulatedMetrics::of(&metrics));
            if self.metrics.began_again(&before) {
                self.earlier.push(before);
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Draft {
        self.record();
        self.chat.draft
    }
}

impl EventReader<'_> {
    fn action(&mut self, action: &str, event: &Row<'_>, place: &Origin) {
        match action {
            "message" => {
                let mut content = MessageContent::at(event, "args.content");
                content.images += event.rows("args.image_urls").count() as u64;
                let place = place.clone();
                match &*event.text("source") {
                    "user" => self.chat.user(place, content),
                    "environment" => self.chat.prompt(place, "injectedContext", content.text),
                    "" | "agent" => self.chat.answer(place, content, None),
                    source => self.chat.draft.unknown_row(source),
                }
                self.usage(event, Vec::new(), &Origin::default());
            }
            "system" => {
                let text = MessageContent::at(event, "args.content").text;
                self.chat.system(place.clone(), text);
            }
            "recall" | "change_agent_state" | "condensation_request" | "null" => {
                self.chat.draft.withhold("bookkeeping", 1);
            }
            "condensation" => {
                let end = event.count("args.forgotten_events_end_id");
                let range = end.zip(event.count("args.forgotten_events_start_id"));
                let range = range.map(|(end, start)| end.saturating_sub(start).saturating_add(1));
                let ids = "args.forgotten_event_ids";
                let listed = event.is_list(ids).then(|| event.rows(ids).count() as u64);
                let summary = event.name("args.summary");
                super::condensation(&mut self.chat, place, summary, listed.or(range));
            }
            _ => self.call(action, event, place),
        }
    }

    fn call(&mut self, action: &str, event: &Row<'_>, place: &Origin) {
        // The thought of the think tool is its argument.
        let text = match action {
            "think" => None,
            "finish" | "reject" => event.first(["args.final_thought", "args.thought"]),
            _ => event.word("args.thought"),
        };
        let thought = text.unwrap_or_default().into_owned();
        self.chat.answer(place.clone(), thought.into(), None);
        let number = place.id.clone().unwrap_or_default();
        let id = event.name("tool_call_metadata.tool_call_id");
        let id = id.unwrap_or_else(|| format!("oh_{number}"));
        let arguments = if let Some(text) = arguments(event) {
            raw_json::arguments(&text)
        } else {
            let args = event.raw("args");
            let args = args.and_then(|args| raw_json::without(args, &NOT_ARGUMENTS));
            (args, None)
        };
        let name = event.word("tool_call_metadata.function_name");
        let name = name.as_deref().unwrap_or(action);
        self.chat.call(place.clone(), name, id.clone(), arguments);
        self.calls.insert(number, id.clone());
        self.usage(event, vec![id], place);
    }

    /// Counts an answer of the model, which is repeated on each of its actions and observations.
    fn usage(&mut self, event: &Row<'_>, calls: Vec<String>, place: &Origin) {
        let Some(response) = event.row("tool_call_metadata.model_response") else {
            return;
        };
        let id = response.name("id");
        let Some(id) = id.filter(|id| self.answers.insert(id.clone())) else {
            return;
        };
        let model = response.name("model");
        let record = &mut self.chat.draft.record;
        record.add_model(model.as_deref().unwrap_or_default());
        let usage = response.row("usage");
        if let Some(mut counted) = usage.and_then(|usage| InclusiveTokens::of(&usage)) {
            // Models without this count have 0.
            counted.reasoning = counted.reasoning.filter(|count| *count > 0);
            let tokens = counted.disjoint();
            record.add(tokens);
            let usage = EventContent::Usage {
                tokens,
                model,
                cost: None,
                calls,
            };
            let mut place = place.clone();
            place.id = Some(id);
            self.chat.draft.push(place, usage);
        }
    }

    fn observation(&mut self, kind: &str, event: &Row<'_>, place: &Origin) {
        match kind {
            "null" => return,
            "agent_state_changed" => {
                self.state = event.string("extras.agent_state").map(String::from);
                return;
            }
            "recall" => {
                let text = MessageContent::at(event, "content").text;
                self.chat.prompt(place.clone(), "injectedContext", text);
                return;
            }
            _ => {}
        }
        let cause = event.id("cause");
        let caused = cause.as_ref().and_then(|cause| self.calls.get(cause));
        let named = || event.name("tool_call_metadata.tool_call_id");
        let call = caused.cloned().or_else(named);
        let content = MessageContent::at(event, "content");
        if kind == "error" && call.is_none() {
            let message = if content.text.is_empty() {
                event.text("message").into_owned()
            } else {
                content.text
            };
            let code = event.name("extras.error_id");
            let error = EventContent::Error { message, code };
            self.chat.draft.push(place.clone(), error);
            return;
        }
        let terminal = |key: &str| event.string(&format!("extras.metadata.{key}"));
        let identity = &mut self.chat.draft.identity;
        identity.add_names(
            terminal("username").as_deref(),
            terminal("hostname").as_deref(),
        );
        if identity.workspaces.is_empty() {
            let folder = terminal("working_dir").map(String::from);
            identity.workspaces.extend(folder);
        }
        let code = event.integer("extras.metadata.exit_code");
        let code = code.or_else(|| event.integer("extras.exit_code"));
        let codes = ["extras.metadata.exit_code", "extras.exit_code"];
        let is_unreadable = code.is_none() && codes.iter().any(|path| event.has(path));
        // -1 means unknown.
        let code = code.filter(|code| *code != -1);
        self.chat.draft.count_omitted(&content);
        let result = ToolResult {
            ok: match (kind, code) {
                ("error", _) => Some(false),
                ("user_rejected", _) => None,
                (_, Some(code)) => Some(code == 0),
                // A status that cannot be read may be one of a failure.
                _ => event.flag("success").filter(|ok| !(*ok && is_unreadable)),
            },
            exit_code: code,
            exit_code_from: code.map(|_| ExitCodeFrom::Field),
            status: (kind == "user_rejected").then(|| "rejected".to_owned()),
            ..ToolResult::of(call.clone(), content)
        };
        let draft = &mut self.chat.draft;
        draft.push(place.clone(), EventContent::ToolResult(result));
        if let ("edit", Some(edited)) = (kind, event.row("extras")) {
            FileEdit::of(&edited).push(draft, place.clone(), call);
        }
    }

    fn record(&mut self) {
        let record = &mut self.chat.draft.record;
        record.harness = Some("openhands".to_owned());
        if let Some(session) = self.session.take() {
            record.id = super::id(&session);
            record.ids.insert("session".to_owned(), session);
        }
        let all = || self.earlier.iter().chain([&self.metrics]);
        if all().any(|metrics| !metrics.tokens.is_zero()) {
            record.tokens = Tokens::default();
            record.incomplete = MetricSet::default();
            for metrics in all() {
                record.add(metrics.tokens);
                record.mark_unpriced(metrics.tokens, metrics.cost);
            }
        }
        record.tokens = unless_zero(record.tokens);
        let costs = all().filter_map(|metrics| metrics.cost);
        let cost = decimal::total(costs.map(decimal::without_noise));
        record.cost = cost.filter(|cost| *cost > 0.0);
        record.state = match self.state.as_deref() {
            Some("finished") => "completed",
            Some("error") => "harness_error",
            Some("stopped" | "rejected") => "canceled",
            _ => "unknown",
        };
        record.detail = self.state.take();
        std::mem::take(&mut self.chat.times).write(record);
    }
}

/// The arguments as written by the model.
fn arguments<'a>(event: &Row<'a>) -> Option<Cow<'a, str>> {
    let id = event.string("tool_call_metadata.tool_call_id")?;
    let choices = event.rows("tool_call_metadata.model_response.choices");
    let mut calls = choices.flat_map(|choice| choice.rows("message.tool_calls"));
    let call = calls.find(|call| call.string("id").as_ref() == Some(&id))?;
    call.string("function.arguments")
}
