//! The steps of one trajectory, and the subagents that its results name.

use std::collections::{BTreeMap, BTreeSet};

use formats::decimal::Decimal;
use formats::model::run::Metric;

use super::super::ImportOptions;
use super::super::agents::SubagentEvents;
use super::super::chat::{Chat, arguments};
use super::super::draft::{
    DraftEvent, EventContent, Origin, RecordDraft, Tokens, ToolCall, ToolResult, TraceAgent,
};
use super::super::message_content::MessageContent;
use super::super::row::Row;
use super::super::usage::InclusiveTokens;

/// A subagent that a result names.
#[derive(Default)]
pub(super) struct SubagentReference {
    pub(super) call: Option<String>,
    pub(super) id: Option<String>,
    pub(super) path: Option<String>,
    pub(super) session: Option<String>,
    pub(super) origin: Origin,
}

/// Builds a draft from a trajectory.
pub(super) struct StepReader<'o> {
    pub(super) chat: Chat<'o>,
    /// Subagents whose steps are among those of the main agent.
    sidechains: BTreeMap<String, usize>,
    pub(super) blocks: Vec<SubagentEvents>,
    pub(super) references: Vec<SubagentReference>,
    /// Position of the file in the draft, and the pointer to the trajectory in it.
    pub(super) file: usize,
    pub(super) base: String,
    /// What the steps have: tokens and models.
    pub(super) steps: RecordDraft,
    pub(super) cost: Option<Decimal>,
    /// Steps of the model without a count of tokens.
    pub(super) uncounted: u64,
    /// Whether the trajectory has several files.
    pub(super) is_continued: bool,
    /// Whether one of them is missing.
    pub(super) is_cut: bool,
    copied: u64,
}

impl<'o> StepReader<'o> {
    pub(super) fn new(options: &'o ImportOptions) -> Self {
        Self {
            chat: Chat::new(options),
            sidechains: BTreeMap::new(),
            blocks: Vec::new(),
            references: Vec::new(),
            file: 0,
            base: String::new(),
            steps: RecordDraft::default(),
            cost: None,
            uncounted: 0,
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
        self.chat.draft.note(origin, kind, Some(text));
    }

    /// Appends the steps of a trajectory.
    pub(super) fn read(&mut self, trajectory: &Row<'_>) {
        let tools = u64::from(trajectory.has("agent.tool_definitions"));
        self.chat.draft.withhold("toolDefinitions", tools);
        self.workspace(&trajectory.text("agent.extra.cwd"));
        for folder in trajectory.rows("agent.extra.cwds") {
            self.workspace(&folder.as_str().unwrap_or_default());
        }
        if let Some(notes) = trajectory.name("notes") {
            self.note("notes", notes, "/notes");
        }
        self.copied = 0;
        let mut end = 0;
        for (at, step) in trajectory.rows("steps").enumerate() {
            if !step.is_object() {
                let pointer = format!("{}/steps/{at}", self.base);
                self.chat.draft.skip_part("", &pointer, "a step");
                continue;
            }
            end = at + 1;
            if step.is_true("is_copied_context") {
                self.copied += 1;
                continue;
            }
            self.copied(at);
            self.step(&step, &format!("/steps/{at}"));
        }
        self.copied(end);
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

    fn workspace(&mut self, folder: &str) {
        self.chat.draft.identity.add_workspace(folder);
    }

    fn step(&mut self, step: &Row<'_>, here: &str) {
        let start = self.chat.draft.events.len();
        let time = step.text("timestamp");
        self.workspace(&step.text("extra.cwd"));
        let place = self.origin(&format!("{here}/reasoning_content"));
        let reasoning = self.joined(step, "reasoning_content").text;
        self.chat.reasoning(place, reasoning, false);
        self.message(step, here);
        let calls = self.calls(step, here);
        let results: Vec<Row<'_>> = objects(step, "observation.results").collect();
        // With a single result, the fields of the step apply to it.
        let failed = failure(step).filter(|_| results.len() == 1);
        for (number, result) in results.iter().enumerate() {
            let pointer = format!("{here}/observation/results/{number}");
            self.result(result, &calls, failed, &pointer);
        }
        self.metrics(step, calls.into_iter().collect(), here);
        self.chat.set_times(start, &time);
        let agent = step.name("extra.agent_id");
        if let Some(agent) = agent.filter(|_| step.is_true("extra.is_sidechain")) {
            let events: Vec<DraftEvent> = self.chat.draft.events.drain(start..).collect();
            let block = self.side(&agent);
            block.events.extend(events);
            block.agent.model = block.agent.model.take().or_else(|| step.name("model_name"));
        } else {
            self.steps.add_model(&step.text("model_name"));
        }
    }

    /// The block of a subagent whose steps are among those of the main agent.
    fn side(&mut self, agent: &str) -> &mut SubagentEvents {
        let next = self.blocks.len();
        let at = *self.sidechains.entry(agent.to_owned()).or_insert(next);
        if at == next {
            self.blocks.push(SubagentEvents {
                agent: TraceAgent {
                    id: agent.to_owned(),
                    ..TraceAgent::default()
                },
                ..SubagentEvents::default()
            });
        }
        &mut self.blocks[at]
    }

    fn message(&mut self, step: &Row<'_>, here: &str) {
        let place = self.origin(&format!("{here}/message"));
        let content = self.joined(step, "message");
        match &*step.text("source") {
            "agent" => return self.chat.answer(place, content, step.name("model_name")),
            "user" => return self.chat.user_without_insertions(place, content),
            "system" => self.system(step, content.text, place),
            other => self.chat.draft.unknown_row(other),
        }
        self.chat.draft.withhold("images", content.images);
    }

    /// The texts of a content, one per line, and the number of images, which are never fetched. Other media are counted as
    /// attachments.
    fn joined(&mut self, row: &Row<'_>, path: &str) -> MessageContent {
        let (mut texts, mut images) = (Vec::new(), 0);
        for part in row.parts(path) {
            match part.word("type") {
                None => texts.extend(part.part_text()),
                Some(kind) if kind == "text" => texts.extend(part.part_text()),
                Some(kind) if kind.starts_with("image") => images += 1,
                Some(_) => self.chat.draft.withhold("attachments", 1),
            }
        }
        let text = texts.join("\n");
        MessageContent {
            text,
            images,
            ..MessageContent::default()
        }
    }

    fn system(&mut self, step: &Row<'_>, text: String, place: Origin) {
        // This is the kind of context management: `compaction`, `pruning` or `injection`.
        let kind = step.text("extra.type");
        if matches!(&*kind, "compaction" | "pruning") {
            let compaction = EventContent::Compaction {
                trigger: Some(kind.to_string()),
                tokens_before: None,
                forgotten: None,
            };
            self.chat.draft.push(place.clone(), compaction);
        }
        let what = match &*kind {
            "compaction" => "compactionSummaries",
            "injection" => "injectedContext",
            _ => "systemPrompts",
        };
        if !text.trim().is_empty() {
            self.chat.prompt(place, what, text);
        }
    }

    /// Adds the calls of a step, and returns their ids.
    fn calls(&mut self, step: &Row<'_>, here: &str) -> BTreeSet<String> {
        let mut ids = BTreeSet::new();
        for (number, call) in objects(step, "tool_calls").enumerate() {
            let id = call.name("tool_call_id");
            ids.extend(id.clone());
            let call = ToolCall {
                name: call.name("function_name").unwrap_or_default(),
                ..ToolCall::of(None, id, arguments(&call, "arguments"))
            };
            let place = self.origin(&format!("{here}/tool_calls/{number}"));
            self.chat.add_call(place, call);
        }
        ids
    }

    fn result(
        &mut self,
        result: &Row<'_>,
        calls: &BTreeSet<String>,
        step_failed: Option<bool>,
        pointer: &str,
    ) {
        let content = self.joined(result, "content");
        self.chat.draft.withhold("images", content.images);
        let call = result.name("source_call_id");
        let call = call.filter(|id| calls.contains(id));
        let mut what = ToolResult::of(call.clone(), content);
        what.ok = failure(result).or(step_failed).map(|failed| !failed);
        what.text = what.text.filter(|text| !text.is_empty());
        let origin = self.origin(pointer);
        self.chat.result(origin.clone(), what);
        let references = objects(result, "subagent_trajectory_ref");
        self.references
            .extend(references.map(|reference| SubagentReference {
                call: call.clone(),
                id: reference.name("trajectory_id"),
                path: reference.name("trajectory_path"),
                session: reference.name("session_id"),
                origin: origin.clone(),
            }));
    }

    fn metrics(&mut self, step: &Row<'_>, calls: Vec<String>, here: &str) {
        let has_asked = step.text("source") == "agent" && step.count("llm_call_count") != Some(0);
        if has_asked && step.number("metrics.cost_usd").is_none() {
            self.steps.incomplete.insert(Metric::ActualCost);
        }
        let Some(metrics) = step.row("metrics") else {
            self.uncounted += u64::from(has_asked);
            return;
        };
        let sealed = ["completion_token_ids", "logprobs"];
        let sealed = sealed.iter().filter(|key| metrics.has(key)).count();
        self.chat.draft.withhold("tokenIds", sealed as u64);
        let counts = ["prompt_tokens", "cached_tokens", "completion_tokens"];
        self.chat
            .draft
            .check_numbers(&metrics, &["cost_usd"], &counts);
        let cost = metrics.number("cost_usd");
        if let Some(cost) = cost.and_then(Decimal::of) {
            self.cost = Some(self.cost.map_or(cost, |sum| sum.plus(cost)));
        }
        self.chat.draft.record.cost_estimated |= is_estimated(&metrics);
        let tokens = tokens(&metrics, "");
        if tokens == Tokens::default() {
            self.uncounted += 1;
            return;
        }
        self.steps.add(tokens);
        let usage = EventContent::Usage {
            tokens,
            model: step.name("model_name"),
            cost,
            calls,
        };
        let origin = self.origin(&format!("{here}/metrics"));
        self.chat.draft.push(origin, usage);
    }
}

/// Tokens of a step, or of a run with the prefix `total_`. Cached ones are part of the prompt, reasoning is part of the
/// completion; converters have several names for it.
pub(super) fn tokens(metrics: &Row<'_>, prefix: &str) -> Tokens {
    let count = |key: &str| metrics.count(&format!("{prefix}{key}"));
    let reasoning = [
        "extra.reasoning_tokens",
        "extra.reasoning_output_tokens",
        "extra.total_reasoning_tokens",
    ];
    let used = InclusiveTokens {
        input: count("prompt_tokens"),
        cached: count("cached_tokens"),
        output: count("completion_tokens"),
        reasoning: reasoning.iter().find_map(|key| metrics.count(key)),
    };
    used.disjoint()
}

pub(super) fn is_estimated(metrics: &Row<'_>) -> bool {
    metrics.text("extra.cost_source") == "litellm_estimate"
}

/// Whether a result failed, where converters mark it.
fn failure(row: &Row<'_>) -> Option<bool> {
    let flags = [
        "extra.tool_result_is_error",
        "extra.tool_result_metadata.is_error",
        "extra.tool_result_metadata.raw_tool_result.is_error",
    ];
    flags.iter().find_map(|key| row.flag(key))
}

/// The objects of an array, or a single object.
fn objects<'a>(row: &Row<'a>, path: &str) -> impl Iterator<Item = Row<'a>> + use<'a> {
    row.parts(path).filter(Row::is_object)
}
