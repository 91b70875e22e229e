//! The output of an importer: a record and events, in the source's words and before any replacement.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

pub use formats::adapter::AdapterOutcome;
use formats::trace::{EditKind, ExitCodeFrom, MessagePhase, Role, SubagentAction};
pub use formats::trace::{Tokens, TraceAgent};

use base::diagnostics::codes::{IMPORT_CUT_LINE, IMPORT_LOWER_BOUND, IMPORT_UNREADABLE_ENTRY};
use base::diagnostics::text::counted;
use base::diagnostics::{Code, Severity};

use formats::model::run::{Metric, MetricSet};

use super::assets::Asset;
use super::raw_json::is_uuid;
use super::row::RowFault;
use super::{Problem, problem};

/// One run as recorded in its source.
#[derive(Debug, Default)]
pub struct Draft {
    /// The fields of the record.
    pub record: RecordDraft,
    /// The source files of the run, as positions in the source, in the order of `Origin::file`.
    pub sources: Vec<usize>,
    /// All agents except the main one.
    pub agents: Vec<TraceAgent>,
    /// The events, in source order. Call ids are those of the source: duplicates get a suffix later.
    pub events: Vec<DraftEvent>,
    /// Counts of deliberately omitted content, by kind: `systemPrompts`, `reasoning`, `images`, `bookkeeping`, ...
    pub withheld: BTreeMap<&'static str, u64>,
    /// What is missing or unusual in the run; at most [`NAMED`] problems.
    pub warnings: Vec<Problem>,
    /// Number of lines and values that could not be read.
    pub unparsable: u64,
    /// Numbers of rows whose type the importer does not know, by type.
    pub unknown_rows: BTreeMap<String, u64>,
    /// Images and file contents that are kept next to the record.
    pub assets: Vec<Asset>,
    /// Names and folders to replace everywhere in the run.
    pub identity: PrivateNames,
}

impl Draft {
    /// Adds an event without time, agent, branch or turn.
    pub fn push(&mut self, source: Origin, what: EventContent) -> &mut DraftEvent {
        self.events.push(DraftEvent {
            source,
            ..DraftEvent::new(what)
        });
        let last = self.events.len() - 1;
        &mut self.events[last]
    }

    /// Sets the time of the events from `first` on.
    pub(super) fn set_times(&mut self, first: usize, time: &str) {
        for event in &mut self.events[first..] {
            event.set_time(time);
        }
    }

    /// Adds a problem, up to a limit. At most a warning, because the run is imported.
    pub fn warn(&mut self, mut problem: Problem) {
        if self.warnings.len() < NAMED {
            problem.severity = problem.severity.max(Severity::Warning);
            self.warnings.push(problem);
        }
    }

    /// Marks metrics whose known values are less than what was used, and warns of it with the reason: `3 responses of the model
    /// have no count`.
    pub fn lower_bound(&mut self, file: &str, metrics: &[Metric], why: &str) {
        let known: Vec<Metric> = metrics
            .iter()
            .copied()
            .filter(|metric| self.record.has_value(*metric))
            .collect();
        let names: Vec<&str> = known.iter().map(|metric| metric.name()).collect();
        let names = match names.as_slice() {
            [] => return,
            [one] => format!("The {one} of the run is a lower bound"),
            [most @ .., last] => {
                let most = most.join(", ");
                format!("The {most} and {last} of the run are lower bounds")
            }
        };
        for metric in known {
            self.record.lower_bounds.insert(metric);
        }
        let help =
            "Nothing needs to be done; pages and feeds mark the values with `≥` and `lowerBounds`.";
        let message = format!("{names}: {why}");
        self.warn(problem(&IMPORT_LOWER_BOUND, file, message, help));
    }

    /// Marks the metrics that only some parts of the run have, unless they are marked for another reason.
    pub fn mark_incomplete(&mut self, file: &str) {
        let known = self.record.lower_bounds;
        let metrics = self.record.incomplete.iter();
        let metrics: Vec<Metric> = metrics.filter(|metric| !known.contains(*metric)).collect();
        self.lower_bound(file, &metrics, "parts of the log have no value");
    }

    /// Marks tokens that are sums as lower bounds, because some calls of the model have no count.
    pub fn uncounted(&mut self, file: &str, calls: u64) {
        if calls > 0 {
            let calls = counted(calls, "call");
            let why = format!("the log has {calls} of the model without a count of tokens");
            self.lower_bound(file, &Metric::TOKENS, &why);
        }
    }

    /// Counts an unreadable value.
    pub fn skip(&mut self, problem: Problem) {
        self.unparsable += 1;
        self.warn(problem);
    }

    /// Counts an unreadable line.
    pub fn skip_line(&mut self, file: &str, line: u32, fault: RowFault) {
        let code: &'static Code = match fault {
            RowFault::Cut => &IMPORT_CUT_LINE,
            _ => &IMPORT_UNREADABLE_ENTRY,
        };
        let help = match fault {
            RowFault::Cut => "Import the log again with `--update` once it is written to its end.",
            _ => "Everything else in the file is imported.",
        };
        let mut problem = problem(code, file, format!("The line {}", fault.words()), help);
        problem.place.line = Some(line);
        self.skip(problem);
    }

    /// Adds the content of another file of the same run, except its events and times. Renumbers the files in its events, so
    /// that they can be added.
    pub fn absorb(&mut self, other: &mut Self) {
        let first = self.sources.len();
        self.sources.append(&mut other.sources);
        for event in &mut other.events {
            event.source.file += first;
        }
        for (what, count) in &other.withheld {
            self.withhold(what, *count);
        }
        self.warnings.append(&mut other.warnings);
        self.unparsable += other.unparsable;
        for (kind, count) in std::mem::take(&mut other.unknown_rows) {
            *self.unknown_rows.entry(kind).or_default() += count;
        }
        self.identity
            .workspaces
            .append(&mut other.identity.workspaces);
        self.record.add(other.record.tokens);
        self.record.add_incomplete(other.record.incomplete);
        // A sum over a lower bound is a lower bound.
        for metric in other.record.lower_bounds.iter() {
            if Metric::TOKENS.contains(&metric) {
                self.record.lower_bounds.insert(metric);
            }
        }
    }

    /// Counts a row of an unknown type. It is no event, because a page could show nothing but its type.
    pub fn unknown_row(&mut self, kind: &str) {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
        let is_name = !kind.is_empty() && kind.len() <= NAME && kind.chars().all(is_letter);
        let is_listed = self.unknown_rows.len() < KINDS || self.unknown_rows.contains_key(kind);
        let kind = if is_name && is_listed { kind } else { "other" };
        *self.unknown_rows.entry(kind.to_owned()).or_default() += 1;
        self.withhold("unknownRows", 1);
    }

    /// Counts omitted content.
    pub fn withhold(&mut self, what: &'static str, count: u64) {
        if count > 0 {
            *self.withheld.entry(what).or_default() += count;
        }
    }
}

/// Maximum types of unknown rows that are named, and the bytes of a name.
const KINDS: usize = 20;
const NAME: usize = 64;

/// Maximum problems listed for a run.
const NAMED: usize = 100;

/// The fields of the record of an imported run. Values that the source lacks are absent, never 0 or guessed.
#[derive(Debug, Default)]
pub struct RecordDraft {
    /// The input of the run id.
    pub id: RunIdSource,
    /// The source's own ids, by name.
    pub ids: BTreeMap<String, String>,
    /// Version of the source's format, as recorded.
    pub format_version: Option<String>,
    /// Name of the case.
    pub case: Option<String>,
    pub case_version: Option<String>,
    /// The values that the user named because the source lacks them: `case`, `caseVersion`, `variant`, `harness`, `model`.
    pub given: Vec<&'static str>,
    /// Name of the harness.
    pub harness: Option<String>,
    pub harness_version: Option<String>,
    /// Every model that worked on the run, except graders. A single one becomes the model of the run.
    pub models: Vec<String>,
    /// Start and end of the run, RFC 3339 as recorded.
    pub started: Option<String>,
    pub finished: Option<String>,
    /// End of the run, if the source has no time zone.
    pub local_finished: Option<String>,
    /// Duration of the run, if the source records it.
    pub run_time_seconds: Option<f64>,
    /// Total tokens.
    pub tokens: Tokens,
    /// The metrics whose values are lower bounds, because the source lacks a part of them. Those of unknown metrics have no
    /// effect.
    pub lower_bounds: MetricSet,
    /// The metrics that only some parts of the run have. The sum of what is known is a lower bound.
    pub incomplete: MetricSet,
    /// Cost in USD, as recorded in the source.
    pub cost: Option<f64>,
    /// Whether the source estimated the cost.
    pub cost_estimated: bool,
    /// The state of the run, as in a run record; empty if unknown.
    pub state: &'static str,
    /// How the run ended, in the source's words.
    pub detail: Option<String>,
    /// Rewards, scores and submissions.
    pub outcomes: Vec<AdapterOutcome>,
    /// What the tokens include besides the run's own: `scorer`.
    pub includes: Vec<&'static str>,
    /// Names of unused logs of the same run.
    pub unused: Vec<String>,
}

impl RecordDraft {
    /// Whether a metric has a value.
    fn has_value(&self, metric: Metric) -> bool {
        match metric {
            Metric::UncachedInput => self.tokens.uncached_input.is_some(),
            Metric::CachedInput => self.tokens.cached_input.is_some(),
            Metric::Output => self.tokens.output.is_some(),
            Metric::Reasoning => self.tokens.reasoning.is_some(),
            Metric::ComparableCost => false,
            Metric::ActualCost => self.cost.is_some(),
            Metric::RunTime => self.run_time_seconds.is_some(),
        }
    }

    /// Adds the tokens of a part of the run. A class that only some parts have is incomplete.
    pub fn add(&mut self, part: Tokens) {
        let sum = self.tokens;
        if sum.is_zero() || part.is_zero() {
            // A part that used nothing lacks nothing.
            if sum.is_zero() && part != Tokens::default() {
                self.tokens = part;
            }
            return;
        }
        for (metric, (sum, part)) in [
            (
                Metric::UncachedInput,
                (sum.uncached_input, part.uncached_input),
            ),
            (Metric::CachedInput, (sum.cached_input, part.cached_input)),
            (Metric::Output, (sum.output, part.output)),
            (Metric::Reasoning, (sum.reasoning, part.reasoning)),
        ] {
            if sum.is_some() != part.is_some() {
                self.incomplete.insert(metric);
            }
        }
        self.tokens = sum.plus(part);
    }

    /// Marks the cost or the tokens as incomplete if a part of the run has only the other. Its cost is 0 where the price of a model
    /// is unknown.
    pub fn mark_unpriced(&mut self, tokens: Tokens, cost: Option<f64>) {
        let has_cost = cost.is_some_and(|cost| cost > 0.0);
        if !has_cost && !tokens.is_zero() {
            self.incomplete.insert(Metric::ActualCost);
        }
        if has_cost && tokens.is_zero() {
            for metric in Metric::TOKENS {
                self.incomplete.insert(metric);
            }
        }
    }

    /// Adds the incomplete metrics of a part of the run.
    pub fn add_incomplete(&mut self, metrics: MetricSet) {
        metrics
            .iter()
            .for_each(|metric| self.incomplete.insert(metric));
    }

    /// The lower bounds among the metrics that have a value, as paths.
    pub(super) fn known_lower_bounds(&self) -> Vec<&'static str> {
        let bounds = self.lower_bounds.iter();
        let known = bounds.filter(|metric| self.has_value(*metric));
        known.map(Metric::path).collect()
    }

    /// Adds the source's own ids.
    pub fn add_ids<const N: usize>(&mut self, ids: [(&str, Option<String>); N]) {
        let known = ids.into_iter();
        let known = known.filter_map(|(name, id)| Some((name.to_owned(), id?)));
        self.ids.extend(known);
    }

    /// Adds a model of the run, up to a limit and without duplicates.
    pub fn add_model(&mut self, model: &str) {
        add_distinct(&mut self.models, model);
    }
}

/// The model of a run or of an agent, if it has a single one.
pub(super) fn only_model(models: &[String]) -> Option<&String> {
    match models {
        [model] => Some(model),
        _ => None,
    }
}

/// Maximum models and folders of a run: each is compared with all others.
const DIFFERENT: usize = 256;

fn add_distinct(known: &mut Vec<String>, text: &str) {
    let is_new = !text.is_empty() && !known.iter().any(|known| known == text);
    if is_new && known.len() < DIFFERENT {
        known.push(text.to_owned());
    }
}

/// The input of a run id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunIdSource {
    /// The source's own id, unique by construction.
    Own(String),
    /// Names that together identify the run; with the digests of the sources if `with_digests` is set or there are no names.
    Derived {
        names: Vec<String>,
        with_digests: bool,
    },
}

impl RunIdSource {
    /// The id of a session, or of one agent of it. Sessions have random ids, except in tests of their programs.
    pub fn of_session(id: Option<String>, agent: Option<String>, started: Option<String>) -> Self {
        match (id, agent) {
            (Some(id), None) if is_uuid(&id) => Self::Own(id),
            (None, _) => Self::default(),
            (id, agent) => Self::Derived {
                names: [id, agent, started].into_iter().flatten().collect(),
                with_digests: false,
            },
        }
    }

    /// The id of the only run of its files, which a name alone does not identify.
    pub fn in_files(name: Option<String>) -> Self {
        Self::Derived {
            names: name.into_iter().collect(),
            with_digests: true,
        }
    }
}

impl Default for RunIdSource {
    fn default() -> Self {
        Self::in_files(None)
    }
}

/// Names and folders to replace everywhere in a run: see `clean`.
#[derive(Debug, Default)]
pub struct PrivateNames {
    /// Working folders of the agent.
    pub workspaces: Vec<String>,
    /// User names; names in home folder paths are found without this.
    pub users: Vec<String>,
    /// Host names.
    pub hosts: Vec<String>,
}

impl PrivateNames {
    /// Adds a working folder of the agent, up to a limit and without duplicates.
    pub fn add_workspace(&mut self, folder: &str) {
        add_distinct(&mut self.workspaces, folder);
    }
}

/// One event. Its number is its position.
#[derive(Debug)]
pub struct DraftEvent {
    pub time: Option<String>,
    pub local_time: Option<String>,
    /// Absent for the main agent.
    pub agent: Option<String>,
    /// Absent on the main branch, which was continued to the end.
    pub branch: Option<String>,
    pub turn: Option<u64>,
    /// Positions in `Draft::assets`.
    pub assets: Vec<usize>,
    /// The token classes of a usage event that are lower bounds.
    pub lower_bounds: Vec<&'static str>,
    pub what: EventContent,
    pub source: Origin,
}

impl DraftEvent {
    /// An event with only its content.
    pub fn new(what: EventContent) -> Self {
        Self {
            time: None,
            local_time: None,
            agent: None,
            branch: None,
            turn: None,
            assets: Vec::new(),
            lower_bounds: Vec::new(),
            what,
            source: Origin::default(),
        }
    }

    /// Sets the time as recorded. `run` converts times to UTC, and removes invalid ones.
    pub(super) fn set_time(&mut self, text: &str) {
        self.time = Some(text.to_owned()).filter(|text| !text.is_empty());
    }
}

/// The place of an event in its source.
#[derive(Debug, Default, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Origin {
    /// Position in `Draft::sources`.
    pub file: usize,
    /// Member of an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// JSON pointer in the line, the member or the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The source's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// The content of an event. `None` fields are omitted.
#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum EventContent {
    Message {
        role: Role,
        text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<MessagePhase>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        steering: bool,
        #[serde(skip_serializing_if = "none")]
        images: u64,
    },
    Reasoning {
        text: String,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        summary: bool,
    },
    ToolCall(ToolCall),
    ToolResult(ToolResult),
    Edit {
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<String>,
        path: String,
        change: EditKind,
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        diff: Option<String>,
    },
    Subagent {
        action: SubagentAction,
        id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<String>,
    },
    Compaction {
        #[serde(skip_serializing_if = "Option::is_none")]
        trigger: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tokens_before: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        forgotten: Option<u64>,
    },
    Score {
        name: String,
        value: Box<RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        scorer: Option<String>,
    },
    Error {
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<String>,
    },
    Usage {
        tokens: Tokens,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        calls: Vec<String>,
    },
    Note {
        kind: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
}

impl EventContent {
    /// The `type` of the event.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Message { .. } => "message",
            Self::Reasoning { .. } => "reasoning",
            Self::ToolCall(_) => "tool_call",
            Self::ToolResult(_) => "tool_result",
            Self::Edit { .. } => "edit",
            Self::Subagent { .. } => "subagent",
            Self::Compaction { .. } => "compaction",
            Self::Score { .. } => "score",
            Self::Error { .. } => "error",
            Self::Usage { .. } => "usage",
            Self::Note { .. } => "note",
        }
    }

    /// A message without model and phase.
    pub fn message(role: Role, text: String, steering: bool, images: u64) -> Self {
        Self::Message {
            role,
            text,
            model: None,
            phase: None,
            steering,
            images,
        }
    }

    pub fn note(kind: &str, text: Option<String>) -> Self {
        let kind = kind.to_owned();
        Self::Note { kind, text }
    }

    /// An error without a code.
    pub fn error(message: String) -> Self {
        let code = None;
        Self::Error { message, code }
    }
}

/// A tool call.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Box<RawValue>>,
    /// Arguments, if they are not JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments_text: Option<String>,
    /// Run by the provider: no result follows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hosted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The result of a tool call.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code_from: Option<ExitCodeFrom>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "none")]
    pub images: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
const fn none(count: &u64) -> bool {
    *count == 0
}
