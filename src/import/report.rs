//! The report of an imported run, for people and programs.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use formats::trace::Role;

use super::calls::Calls;
use super::draft::{Draft, EventContent, Tokens};
use super::usage;

/// The counts of one run. Events of subagents are not counted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Its first file.
    pub source: String,
    pub format: String,
    /// Version of the format, as recorded.
    pub version: Option<String>,
    pub id: String,
    /// The folder of the run, below `--out`.
    pub folder: String,
    /// `new`, `updated` or `unchanged`.
    pub result: Change,
    /// How many events at the beginning of the earlier trace are unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equal_events: Option<u64>,
    pub case: String,
    pub events: u64,
    pub messages: Messages,
    pub reasoning: u64,
    pub tool_calls: u64,
    pub tool_results: u64,
    pub failed_calls: u64,
    pub results_without_flag: u64,
    pub unanswered: u64,
    pub orphan_results: u64,
    pub subagents: u64,
    pub branches: u64,
    pub compactions: u64,
    pub images: u64,
    pub errors: u64,
    /// Lines and values that could not be read, or are of an unrecognized type.
    pub unparsable: u64,
    /// Rows whose type the importer does not know, by type. They are left out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown_rows: BTreeMap<String, u64>,
    pub withheld: BTreeMap<&'static str, u64>,
    pub tokens: TokenReport,
    /// The totals that the log states, or that follow from its counters.
    pub recorded: TokenReport,
    /// The sum of the usage events of all agents.
    pub computed: TokenReport,
    /// Paths of the metrics that are lower bounds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lower_bounds: Vec<&'static str>,
    pub cost: Option<f64>,
    pub started: Option<String>,
    pub finished: Option<String>,
    pub state: &'static str,
    pub outcomes: Vec<OutcomeReport>,
}

/// The result for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    New,
    Updated,
    Unchanged,
}

/// Messages by role.
#[derive(Debug, Default, Serialize)]
pub struct Messages {
    pub user: u64,
    pub assistant: u64,
    pub system: u64,
}

/// Tokens by class; null if unknown.
#[derive(Debug, Serialize)]
pub struct TokenReport {
    pub uncached: Option<u64>,
    pub cached: Option<u64>,
    pub output: Option<u64>,
    pub reasoning: Option<u64>,
}

impl From<Tokens> for TokenReport {
    fn from(tokens: Tokens) -> Self {
        Self {
            uncached: tokens.uncached_input,
            cached: tokens.cached_input,
            output: tokens.output,
            reasoning: tokens.reasoning,
        }
    }
}

#[derive(Debug, Serialize)]
pub struct OutcomeReport {
    pub name: String,
    pub value: Box<RawValue>,
    pub valid: Option<bool>,
}

impl Report {
    /// Counts a draft. Other fields are filled in later.
    pub(super) fn of(draft: &Draft, calls: &Calls, format: &str) -> Self {
        let main = || draft.events.iter().filter(|event| event.agent.is_none());
        let count = |is: &dyn Fn(&EventContent) -> bool| {
            main().filter(|event| is(&event.what)).count() as u64
        };
        let said = |by: Role| {
            count(
                &|what| matches!(what, EventContent::Message { role, text, .. } if *role == by && !text.trim().is_empty()),
            )
        };
        let withheld = |what: &str| draft.withheld.get(what).copied().unwrap_or_default();
        let images = main().map(|event| match &event.what {
            EventContent::Message { images, .. } => *images,
            EventContent::ToolResult(result) => result.images,
            _ => 0,
        });
        let mut branches: Vec<&str> = draft
            .events
            .iter()
            .filter_map(|event| event.branch.as_deref())
            .collect();
        branches.sort_unstable();
        branches.dedup();
        let record = &draft.record;
        let outcomes = record.outcomes.iter().map(|outcome| OutcomeReport {
            name: outcome.name.clone(),
            value: outcome.value.clone(),
            valid: outcome.valid,
        });
        Self {
            source: String::new(),
            format: format.to_owned(),
            version: record.format_version.clone(),
            id: String::new(),
            folder: String::new(),
            result: Change::New,
            equal_events: None,
            case: record.case.clone().unwrap_or_default(),
            events: draft.events.len() as u64,
            messages: Messages {
                user: said(Role::User),
                assistant: said(Role::Assistant),
                system: withheld("systemPrompts") + withheld("developerPrompts"),
            },
            reasoning: count(&|what| matches!(what, EventContent::Reasoning { .. })),
            tool_calls: calls.calls,
            tool_results: calls.results,
            failed_calls: calls.failed,
            results_without_flag: calls.without_flag,
            unanswered: calls.unanswered,
            orphan_results: calls.orphans,
            subagents: draft
                .agents
                .iter()
                .filter(|agent| agent.id != "scorer")
                .count() as u64,
            branches: 1 + branches.len() as u64,
            compactions: count(&|what| matches!(what, EventContent::Compaction { .. })),
            images: images.sum::<u64>().max(withheld("images")),
            errors: count(&|what| matches!(what, EventContent::Error { .. })),
            unparsable: draft.unparsable,
            unknown_rows: draft.unknown_rows.clone(),
            withheld: draft.withheld.clone(),
            tokens: record.tokens.into(),
            recorded: record.tokens.into(),
            computed: usage::sum(&draft.events).into(),
            lower_bounds: record.known_lower_bounds(),
            cost: record.cost,
            started: record.started.clone(),
            finished: record.finished.clone(),
            state: if record.state.is_empty() {
                "unknown"
            } else {
                record.state
            },
            outcomes: outcomes.collect(),
        }
    }
}
