//! Runs that a command reads: what it prints becomes drafts like those of any importer.

use std::collections::BTreeSet;

use base::diagnostics::codes::IMPORT_INVALID_LINE;
use base::diagnostics::text::quoted;
use base::diagnostics::{Collector, Place};
use formats::adapter::{self, AdapterItem, AdapterRecord, AdapterState, EstimatedMetric};
use formats::model::run::MetricSet;
use formats::trace::{self, TraceEventFields, TraceEventKind};

use super::draft::{
    AdapterOutcome, Draft, DraftEvent, EventContent, Origin, RunIdSource, Tokens, ToolCall,
    ToolResult,
};
use super::message_content::MessageContent;
use super::shared::{PROMPTS, prompt_kind};
use super::time::Times;
use super::usage::{all_tokens, unless_zero};
use super::{IMPORTERS, ImportOptions, Problem, problem, raw_json};

/// The name under which problems of the lines for a file are reported.
pub fn output_of(file: &str) -> String {
    format!("{file} (output)")
}

/// Reads the runs of a file from what a command printed about it. Lines that cannot be read are problems of the whole file, so
/// that no run lacks a part without a word.
pub fn runs(
    file: &str,
    position: usize,
    output: &[u8],
    options: &ImportOptions,
    each: &mut dyn FnMut(&trace::Importer, Draft),
) -> Result<(), Vec<Problem>> {
    let path = output_of(file);
    let header = checked(&path, output)?;
    let mut open: Option<AdapterReader<'_>> = None;
    let mut number = 0;
    // `checked` has reported all problems of the lines.
    let _ = adapter::read(&path, output, |_, item| match item {
        AdapterItem::Record(record) => {
            if let Some(open) = open.take() {
                each(&header.importer, open.finish());
            }
            open = Some(AdapterReader::new(*record, number, position, options));
            number += 1;
        }
        AdapterItem::Event(kind, fields) => {
            if let Some(reader) = &mut open {
                reader.event(kind, *fields);
            }
        }
    });
    if let Some(open) = open {
        each(&header.importer, open.finish());
    }
    Ok(())
}

/// The header, if every line can be read and names agents of its run.
fn checked(path: &str, output: &[u8]) -> Result<adapter::AdapterHeader, Vec<Problem>> {
    let mut agents = BTreeSet::new();
    let mut unknown = Collector::default();
    let (header, problems) = adapter::read(path, output, |line, item| match item {
        AdapterItem::Record(record) => {
            agents = record.agents.into_iter().map(|agent| agent.id).collect();
        }
        AdapterItem::Event(_, fields) => {
            if let Some(agent) = fields.agent.as_deref().filter(|id| !agents.contains(*id)) {
                let message = format!("The record of the run has no agent {}", quoted(agent));
                let help = "List it under `agents` of the record.";
                let place = line.place(path, "/agent");
                unknown.push(IMPORT_INVALID_LINE.at(place, message, help));
            }
        }
    });
    let problems = problems.into_iter().chain(unknown.finish(path));
    let problems: Vec<Problem> = problems.map(Box::new).collect();
    match header {
        Some(header) if problems.is_empty() => {
            name(&header.importer.format, path).map_err(|problem| vec![problem])?;
            Ok(header)
        }
        _ => Err(problems),
    }
}

/// Checks the name of a format: it is written into records, and must not be that of an importer.
pub fn name(format: &str, path: &str) -> Result<(), Problem> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._".contains(c);
    let is_name = !format.is_empty() && format.len() <= 64 && format.chars().all(is_letter);
    let is_own = !IMPORTERS.iter().any(|importer| importer.format == format);
    if is_name && is_own {
        return Ok(());
    }
    let (message, help) = if is_name {
        let message = format!("The format {} has an importer", quoted(format));
        (message, "Give the format of the adapter another name.")
    } else {
        let message = format!("The format {} has no valid name", quoted(format));
        (
            message,
            "Use up to 64 of `a`–`z`, `0`–`9`, `-`, `.` and `_`.",
        )
    };
    let mut problem = problem(&IMPORT_INVALID_LINE, path, message, help);
    problem.place = Place {
        line: Some(1),
        ..std::mem::take(&mut problem.place)
    }
    .pointing("/importer/format");
    Err(problem)
}

/// Makes a draft of one run.
struct AdapterReader<'o> {
    draft: Draft,
    options: &'o ImportOptions,
    times: Times,
}

impl<'o> AdapterReader<'o> {
    fn new(
        record: AdapterRecord,
        number: usize,
        position: usize,
        options: &'o ImportOptions,
    ) -> Self {
        let mut draft = Draft {
            sources: vec![position],
            agents: record.agents,
            ..Draft::default()
        };
        for folder in &record.private.folders {
            draft.identity.add_workspace(folder);
        }
        for user in &record.private.users {
            draft.identity.add_names(Some(user), None);
        }
        for host in &record.private.hosts {
            draft.identity.add_names(None, Some(host));
        }
        for (what, count) in &record.withheld {
            draft.withhold(what.word(), *count);
        }
        let own = &mut draft.record;
        own.id = match record.id.clone() {
            None if number > 0 => RunIdSource::in_files(Some(number.to_string())),
            id => RunIdSource::of_session(id, None, None),
        };
        own.ids = record.import.ids;
        own.add_ids([("session", record.id)]);
        own.format_version = record.import.format_version;
        own.case = record.subject.test_case_slug;
        own.case_version = record.subject.test_case_version;
        own.harness = record.subject.harness_slug;
        own.harness_version = record.subject.harness_version;
        for model in record.subject.model_id.iter().chain(&record.import.models) {
            own.add_model(model);
        }
        (own.started, own.finished) = (record.started_at, record.finished_at);
        let measured = |value: &f64| *value > 0.0;
        own.run_time_seconds = record.metrics.run_time_seconds.filter(measured);
        own.cost = record.metrics.cost.actual.filter(measured);
        own.cost_estimated = record.import.estimated.contains(&EstimatedMetric::Cost);
        own.tokens = unless_zero(record.metrics.tokens.unwrap_or_default());
        let bounds = record.import.lower_bounds.iter().map(String::as_str);
        own.lower_bounds = MetricSet::of_paths(bounds);
        let state = record
            .status
            .state
            .filter(|state| *state != AdapterState::Unknown);
        own.state = state.map_or("", AdapterState::word);
        own.detail = record.status.detail;
        let outcomes = record.outcomes.into_iter();
        own.outcomes = outcomes.filter_map(outcome).collect();
        Self {
            draft,
            options,
            times: Times::default(),
        }
    }

    /// Adds an event.
    fn event(&mut self, kind: TraceEventKind, mut fields: TraceEventFields<'_>) {
        let text = |text: &Option<formats::json::Str<'_>>| {
            text.as_deref()
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
        };
        let source = fields.source.take();
        let origin = source.map_or_else(Origin::default, |source| Origin {
            file: 0,
            member: text(&source.member),
            line: source.line,
            pointer: text(&source.pointer),
            id: text(&source.id),
        });
        let time = text(&fields.time).or_else(|| text(&fields.local_time));
        if let Some(time) = &time {
            self.times.add(time);
        }
        let (agent, branch) = (text(&fields.agent), text(&fields.branch));
        let (turn, first) = (fields.turn, self.draft.events.len());
        let bounds = fields.lower_bounds.take().unwrap_or_default();
        self.content(kind, fields, origin);
        for event in &mut self.draft.events[first..] {
            event.time.clone_from(&time);
            event.turn = turn;
            event.agent.clone_from(&agent);
            event.branch.clone_from(&branch);
            if matches!(event.what, EventContent::Usage { .. }) {
                let classes = ["uncachedInput", "cachedInput", "output", "reasoning"];
                let is_bound = |class: &&str| bounds.iter().any(|bound| &**bound == *class);
                event.lower_bounds = classes.into_iter().filter(is_bound).collect();
            }
        }
    }

    fn content(&mut self, kind: TraceEventKind, fields: TraceEventFields<'_>, at: Origin) {
        let text =
            |text: Option<formats::json::Str<'_>>| text.map(|text| text.into_inner().into_owned());
        let draft = &mut self.draft;
        let images = fields.images.unwrap_or_default();
        let name = text(fields.name);
        let call = text(fields.call).filter(|call| !call.is_empty());
        let what = match kind {
            TraceEventKind::Message => {
                let Some(role) = fields.role else { return };
                let content = MessageContent {
                    text: text(fields.text).unwrap_or_default(),
                    images,
                    ..MessageContent::default()
                };
                let steering = fields.steering.unwrap_or_default();
                let message = draft.message(at, role, content, steering);
                if let Some(EventContent::Message { model, phase, .. }) = message {
                    *model = text(fields.model);
                    *phase = fields.phase;
                }
                return;
            }
            TraceEventKind::Reasoning => {
                let summary = fields.summary.unwrap_or_default();
                let text = text(fields.text).unwrap_or_default();
                return draft.reasoning(self.options, at, text, summary);
            }
            TraceEventKind::Note => {
                let kind = text(fields.kind).unwrap_or_default();
                let text = text(fields.text);
                let prompt = PROMPTS.into_iter().find(|what| prompt_kind(what) == kind);
                return match prompt {
                    Some(what) => {
                        draft.prompt(self.options, at, what, text.unwrap_or_default());
                    }
                    None => draft.note(at, &kind, text),
                };
            }
            TraceEventKind::Unknown => {
                return draft.unknown_row(&text(fields.kind).unwrap_or_default());
            }
            TraceEventKind::ToolCall => {
                let json = fields
                    .arguments
                    .and_then(|json| raw_json::compact(json.get()));
                EventContent::ToolCall(ToolCall {
                    hosted: fields.hosted.unwrap_or_default(),
                    status: text(fields.status),
                    ..ToolCall::of(name, call, (json, text(fields.arguments_text)))
                })
            }
            TraceEventKind::ToolResult => {
                draft.withhold("images", images);
                EventContent::ToolResult(ToolResult {
                    call,
                    ok: fields.ok,
                    exit_code: fields.exit_code,
                    exit_code_from: fields.exit_code_from,
                    status: text(fields.status),
                    text: text(fields.text),
                    images,
                    truncated: fields.truncated,
                })
            }
            TraceEventKind::Edit => {
                let (Some(path), Some(change)) = (text(fields.path), fields.change) else {
                    return;
                };
                EventContent::Edit {
                    call,
                    path,
                    change,
                    to: text(fields.to),
                    diff: text(fields.diff),
                }
            }
            TraceEventKind::Subagent => {
                let (Some(action), Some(id)) = (fields.action, text(fields.id)) else {
                    return;
                };
                EventContent::Subagent {
                    action,
                    id,
                    name,
                    call,
                }
            }
            TraceEventKind::Compaction => EventContent::Compaction {
                trigger: text(fields.trigger),
                tokens_before: fields.tokens_before,
                forgotten: fields.forgotten,
            },
            TraceEventKind::Score => {
                let value = fields.value.and_then(|json| raw_json::compact(json.get()));
                let Some(value) = value else { return };
                EventContent::Score {
                    name: name.unwrap_or_default(),
                    value,
                    scorer: text(fields.scorer),
                }
            }
            TraceEventKind::Error => EventContent::Error {
                message: text(fields.message).unwrap_or_default(),
                code: text(fields.code),
            },
            TraceEventKind::Usage => {
                let tokens = unless_zero(fields.tokens.unwrap_or_default());
                if tokens == Tokens::default() && fields.cost.is_none() {
                    return;
                }
                let calls = fields.calls.unwrap_or_default().into_iter();
                EventContent::Usage {
                    tokens,
                    model: text(fields.model),
                    cost: fields.cost.filter(|cost| *cost > 0.0),
                    calls: calls.map(|id| id.into_inner().into_owned()).collect(),
                }
            }
        };
        draft.push(at, what);
    }

    fn finish(self) -> Draft {
        let mut draft = self.draft;
        if draft.record.tokens == Tokens::default() {
            all_tokens(&draft.events).for_each(|tokens| draft.record.add(tokens));
        }
        let models: Vec<String> = draft.events.iter().filter_map(model).collect();
        for model in models {
            draft.record.add_model(&model);
        }
        self.times.write(&mut draft.record);
        draft.group_agents();
        draft
    }
}

/// The model that an event of the main agent names.
fn model(event: &DraftEvent) -> Option<String> {
    let (EventContent::Message { model, .. } | EventContent::Usage { model, .. }) = &event.what
    else {
        return None;
    };
    model.clone()
}

fn outcome(outcome: AdapterOutcome) -> Option<AdapterOutcome> {
    let value = raw_json::compact(outcome.value.get())?;
    Some(AdapterOutcome { value, ..outcome })
}
