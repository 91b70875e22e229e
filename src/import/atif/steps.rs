//! The steps of one trajectory, and the subagents that its results name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

use crate::formats::decimal::Decimal;
use crate::formats::trace::Role;

use super::super::Options;
use super::super::agents::Block;
use super::super::draft::{Agent, Call, Draft, Event, Origin, Record, Tokens, ToolResult, What};
use super::super::injected;
use super::super::loose::{self, Content};
use super::super::time::Times;
use super::super::usage::Inclusive;
use super::document::{
    Metrics, MetricsExtra, Outcome, Part, Reference, Step, ToolCall, Trajectory,
};

/// A subagent that a result names.
pub(super) struct Named {
    pub(super) call: Option<String>,
    pub(super) id: Option<String>,
    pub(super) path: Option<String>,
    pub(super) session: Option<String>,
    pub(super) origin: Origin,
}

/// Builds a draft from a trajectory.
pub(super) struct Reader<'o> {
    pub(super) options: &'o Options,
    pub(super) draft: Draft,
    /// Subagents whose steps are among those of the main agent.
    sidechains: BTreeMap<String, usize>,
    pub(super) blocks: Vec<Block>,
    pub(super) named: Vec<Named>,
    /// Position of the file in the draft, and the pointer to the trajectory in it.
    pub(super) file: usize,
    pub(super) base: String,
    /// Tokens and cost of the steps.
    pub(super) tokens: Tokens,
    pub(super) cost: Option<Decimal>,
    /// Steps of the model without a count of tokens.
    pub(super) uncounted: u64,
    /// The models of the steps.
    pub(super) models: Record,
    /// Times of the steps.
    pub(super) times: Times,
    /// Whether the trajectory has several files.
    pub(super) is_continued: bool,
    /// Whether one of them is missing.
    pub(super) is_cut: bool,
    copied: u64,
}

impl<'o> Reader<'o> {
    pub(super) fn new(options: &'o Options) -> Self {
        Self {
            options,
            draft: Draft::default(),
            sidechains: BTreeMap::new(),
            blocks: Vec::new(),
            named: Vec::new(),
            file: 0,
            base: String::new(),
            tokens: Tokens::default(),
            cost: None,
            uncounted: 0,
            models: Record::default(),
            times: Times::default(),
            is_continued: false,
            is_cut: false,
            copied: 0,
        }
    }

    pub(super) fn origin(&self, pointer: &str) -> Origin {
        Origin {
            file: self.file,
            pointer: Some(format!("{}{pointer}", self.base)),
            ..Origin::default()
        }
    }

    /// Notes that a continuation cannot be read.
    pub(super) fn miss(&mut self, path: String) {
        self.is_cut = true;
        self.note("missing continuation", path, "/continued_trajectory_ref");
    }

    pub(super) fn note(&mut self, kind: &str, text: String, pointer: &str) {
        let origin = self.origin(pointer);
        self.draft.note(origin, kind, Some(text));
    }

    /// Appends the steps of a trajectory.
    pub(super) fn read(&mut self, trajectory: &Trajectory<'_>) {
        if let Some(agent) = &trajectory.agent.0 {
            let tools = u64::from(agent.tool_definitions.is_some());
            self.draft.withhold("toolDefinitions", tools);
            if let Some(extra) = &agent.extra.0 {
                self.workspace(extra.cwd.get());
                if let Content::Items(folders) = &extra.cwds {
                    for folder in folders {
                        if let Content::Text(folder) = folder {
                            self.workspace(Some(folder));
                        }
                    }
                }
            }
        }
        if let Some(notes) = trajectory.notes.named() {
            self.note("notes", notes, "/notes");
        }
        self.copied = 0;
        for (at, step) in trajectory.steps.0.iter().enumerate() {
            if step.is_copied_context.is_set() {
                self.copied += 1;
                continue;
            }
            self.copied(at);
            self.step(step, at);
        }
        self.copied(trajectory.steps.0.len());
    }

    /// Adds a note about steps copied from another trajectory.
    fn copied(&mut self, before: usize) {
        if self.copied > 0 {
            let text = format!("{} steps of another context", self.copied);
            let first = before as u64 - self.copied;
            self.note("inherited", text, &format!("/steps/{first}"));
            self.copied = 0;
        }
    }

    fn workspace(&mut self, folder: Option<&str>) {
        self.draft.identity.workspace(folder.unwrap_or_default());
    }

    fn step(&mut self, step: &Step<'_>, at: usize) {
        let start = self.draft.events.len();
        self.times.see(step.timestamp.text());
        let extra = step.extra.0.as_ref();
        self.workspace(extra.and_then(|extra| extra.cwd.get()));
        let here = format!("/steps/{at}");
        self.reasoning(step, &here);
        self.message(step, &here);
        let calls: Vec<&ToolCall<'_>> = objects(&step.tool_calls);
        for (number, call) in calls.iter().enumerate() {
            self.call(call, &format!("{here}/tool_calls/{number}"));
        }
        let calls = calls.iter().filter_map(|call| call.tool_call_id.get());
        let calls: BTreeSet<&str> = calls.collect();
        let results = step.observation.0.as_ref();
        let results = results.map_or_else(Vec::new, |seen| objects(&seen.results));
        for (number, result) in results.iter().enumerate() {
            let pointer = format!("{here}/observation/results/{number}");
            // With a single result, the fields of the step apply to it.
            let step = step
                .extra
                .0
                .as_ref()
                .filter(|_| results.len() == 1)
                .and_then(|extra| {
                    let metadata = extra.tool_result_metadata.0.as_ref();
                    extra
                        .tool_result_is_error
                        .0
                        .or_else(|| metadata?.is_error())
                });
            self.result(result, &calls, step, &pointer);
        }
        let calls = calls.into_iter().map(str::to_owned).collect();
        self.metrics(step, calls, &here);
        for event in &mut self.draft.events[start..] {
            event.at(step.timestamp.text());
        }
        let side = extra.filter(|extra| extra.is_sidechain.is_set());
        if let Some(agent) = side.and_then(|extra| extra.agent_id.named()) {
            let events: Vec<Event> = self.draft.events.drain(start..).collect();
            let block = self.side(&agent);
            block.events.extend(events);
            block.agent.model = block.agent.model.take().or_else(|| step.model_name.named());
        } else {
            self.models.model(step.model_name.text());
        }
    }

    /// The block of a subagent whose steps are among those of the main agent.
    fn side(&mut self, agent: &str) -> &mut Block {
        let next = self.blocks.len();
        let at = *self.sidechains.entry(agent.to_owned()).or_insert(next);
        if at == next {
            self.blocks.push(Block {
                agent: Agent {
                    id: agent.to_owned(),
                    ..Agent::default()
                },
                ..Block::default()
            });
        }
        &mut self.blocks[at]
    }

    fn reasoning(&mut self, step: &Step<'_>, here: &str) {
        let (text, _) = joined(&step.reasoning_content);
        let origin = self.origin(&format!("{here}/reasoning_content"));
        self.draft.reasoning(self.options, origin, text, false);
    }

    fn message(&mut self, step: &Step<'_>, here: &str) {
        let (text, images) = joined(&step.message);
        self.draft.withhold("images", images);
        let pointer = format!("{here}/message");
        let role = match step.source.text() {
            "user" => Role::User,
            "agent" => Role::Assistant,
            "system" => return self.system(step, text, &pointer),
            other => {
                self.draft.unknown_row(other);
                return;
            }
        };
        let text = if role == Role::User {
            let (words, inserted) = injected::words(&text);
            let Some(words) = words else {
                let origin = self.origin(&pointer);
                return self
                    .draft
                    .prompt(self.options, origin, "injectedContext", text);
            };
            self.draft.withhold("injectedContext", inserted);
            words.into_owned()
        } else {
            text
        };
        if text.trim().is_empty() && images == 0 {
            return;
        }
        let message = What::Message {
            role,
            text,
            model: step.model_name.named().filter(|_| role == Role::Assistant),
            phase: None,
            steering: false,
            images,
        };
        let origin = self.origin(&pointer);
        self.draft.push(origin, message);
    }

    fn system(&mut self, step: &Step<'_>, text: String, pointer: &str) {
        let managed = step.extra.0.as_ref().and_then(|extra| extra.kind.get());
        if let Some(kind @ ("compaction" | "pruning")) = managed {
            let origin = self.origin(pointer);
            let compaction = What::Compaction {
                trigger: Some(kind.to_owned()),
                tokens_before: None,
                forgotten: None,
            };
            self.draft.push(origin, compaction);
        }
        if text.trim().is_empty() {
            return;
        }
        let what = match managed {
            Some("compaction") => "compactionSummaries",
            Some("injection") => "injectedContext",
            _ => "systemPrompts",
        };
        let origin = self.origin(pointer);
        self.draft.prompt(self.options, origin, what, text);
    }

    fn call(&mut self, call: &ToolCall<'_>, pointer: &str) {
        let text = call.arguments.and_then(|raw| {
            let text: Option<String> = serde_json::from_str(raw.get()).ok();
            text
        });
        let (arguments, arguments_text) = match text {
            Some(text) => loose::arguments(&text),
            None => (
                call.arguments.map(RawValue::get).and_then(loose::compact),
                None,
            ),
        };
        let origin = self.origin(pointer);
        let call = Call {
            name: call.function_name.named().unwrap_or_default(),
            call: call.tool_call_id.named(),
            arguments,
            arguments_text,
            ..Call::default()
        };
        self.draft.push(origin, What::ToolCall(call));
    }

    fn result(
        &mut self,
        result: &Outcome<'_>,
        calls: &BTreeSet<&str>,
        step: Option<bool>,
        pointer: &str,
    ) {
        let (text, images) = joined(&result.content);
        self.draft.withhold("images", images);
        let call = result.source_call_id.named();
        let call = call.filter(|id| calls.contains(id.as_str()));
        let own = result.extra.0.as_ref().and_then(|extra| {
            let metadata = extra.tool_result_metadata.0.as_ref();
            extra
                .tool_result_is_error
                .0
                .or_else(|| metadata?.is_error())
        });
        let origin = self.origin(pointer);
        let what = ToolResult {
            call: call.clone(),
            ok: own.or(step).map(|failed| !failed),
            text: (!text.is_empty()).then_some(text),
            images,
            ..ToolResult::default()
        };
        self.draft.push(origin.clone(), What::ToolResult(what));
        let references: Vec<&Reference<'_>> = objects(&result.subagent_trajectory_ref);
        self.named.extend(references.into_iter().map(|named| Named {
            call: call.clone(),
            id: named.trajectory_id.named(),
            path: named.trajectory_path.named(),
            session: named.session_id.named(),
            origin: origin.clone(),
        }));
    }

    fn metrics(&mut self, step: &Step<'_>, calls: Vec<String>, here: &str) {
        let has_asked = step.llm_call_count.0 != Some(0);
        let Some(metrics) = &step.metrics.0 else {
            self.uncounted += u64::from(step.source.text() == "agent" && has_asked);
            return;
        };
        let sealed = u64::from(metrics.completion_token_ids.is_some())
            + u64::from(metrics.logprobs.is_some());
        self.draft.withhold("tokenIds", sealed);
        if let Some(cost) = metrics.cost_usd.0.and_then(Decimal::of) {
            self.cost = Some(self.cost.map_or(cost, |sum| sum.plus(cost)));
        }
        let extra = metrics.extra.0.as_ref();
        self.draft.record.cost_estimated |= extra.is_some_and(MetricsExtra::is_estimated);
        let tokens = of_step(metrics);
        if tokens == Tokens::default() {
            self.uncounted += 1;
            return;
        }
        self.tokens = self.tokens.plus(tokens);
        let origin = self.origin(&format!("{here}/metrics"));
        let usage = What::Usage {
            tokens,
            model: step.model_name.named(),
            cost: metrics.cost_usd.0,
            calls,
        };
        self.draft.push(origin, usage);
    }
}

fn of_step(metrics: &Metrics<'_>) -> Tokens {
    let extra = metrics.extra.0.as_ref();
    let used = Inclusive {
        input: metrics.prompt_tokens.0,
        cached: metrics.cached_tokens.0,
        output: metrics.completion_tokens.0,
        reasoning: extra.and_then(MetricsExtra::reasoning),
    };
    used.disjoint()
}

/// The objects of an array, or a single object.
pub(super) fn objects<'c, T>(content: &'c Content<'_, T>) -> Vec<&'c T> {
    match content {
        Content::Object(one) => vec![&**one],
        Content::Items(items) => items
            .iter()
            .filter_map(|item| match item {
                Content::Object(object) => Some(&**object),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The texts, one per line, and the number of images.
fn joined(content: &Content<'_, Part<'_>>) -> (String, u64) {
    let parts = match content {
        Content::Text(text) => return (text.to_string(), 0),
        Content::Items(parts) => parts.as_slice(),
        Content::Object(_) => std::slice::from_ref(content),
        Content::Absent => &[],
    };
    let (mut texts, mut images) = (Vec::new(), 0);
    for part in parts {
        match part {
            Content::Text(text) => texts.push(&**text),
            Content::Object(part) if part.kind.get().is_some_and(|kind| kind != "text") => {
                images += 1;
            }
            Content::Object(part) => texts.extend(part.text.0.as_deref()),
            _ => {}
        }
    }
    (texts.join("\n"), images)
}
