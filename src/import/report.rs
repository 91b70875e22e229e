//! The report of an imported run, for people and programs.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::value::RawValue;

use base::document;
use formats::trace::Role;

use super::calls::Calls;
use super::draft::{AdapterOutcome, Draft, EventContent, Tokens};
use super::usage;

document! {
    /// The counts of one run. Events of subagents are not counted. What is known only when the run is written is filled in then.
    #[serde(rename_all = "camelCase")]
    pub struct RunReport(draft: &Draft, calls: &Calls, format: &str)
    let record = &draft.record;
    {
        /// Its first file.
        pub source: String = String::new(),
        pub format: String = format.to_owned(),
        /// Version of the format, as recorded.
        pub version: Option<String> = record.format_version.clone(),
        pub id: String = String::new(),
        /// The folder of the run, below `--out`.
        pub folder: String = String::new(),
        /// `new`, `updated` or `unchanged`.
        pub result: ImportResult = ImportResult::New,
        /// How many events at the beginning of the earlier trace are unchanged.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub equal_events: Option<u64> = None,
        pub case: String = record.case.clone().unwrap_or_default(),
        pub events: u64 = draft.events.len() as u64,
        pub messages: MessageCounts = messages(draft),
        pub reasoning: u64 = count(draft, &|what| matches!(what, EventContent::Reasoning { .. })),
        pub tool_calls: u64 = calls.calls,
        pub tool_results: u64 = calls.results,
        pub failed_calls: u64 = calls.failed,
        pub results_without_flag: u64 = calls.without_flag,
        pub unanswered: u64 = calls.unanswered,
        pub orphan_results: u64 = calls.orphans,
        pub subagents: u64 = draft.agents.iter().filter(|agent| agent.id != "scorer").count() as u64,
        pub branches: u64 = branches(draft),
        pub compactions: u64 = count(draft, &|what| matches!(what, EventContent::Compaction { .. })),
        pub images: u64 = images(draft),
        pub errors: u64 = count(draft, &|what| matches!(what, EventContent::Error { .. })),
        /// Lines and values that could not be read, or are of an unrecognized type.
        pub unparsable: u64 = draft.unparsable,
        /// Rows whose type the importer does not know, by type. They are left out.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        pub unknown_rows: BTreeMap<String, u64> = draft.unknown_rows.clone(),
        pub withheld: BTreeMap<&'static str, u64> = draft.withheld.clone(),
        pub tokens: TokenReport = TokenReport::of(record.tokens),
        /// The totals that the log states, or that follow from its counters.
        pub recorded: TokenReport = TokenReport::of(record.tokens),
        /// The sum of the usage events of all agents.
        pub computed: TokenReport = TokenReport::of(usage::sum(&draft.events)),
        /// Paths of the metrics that are lower bounds.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub lower_bounds: Vec<&'static str> = record.known_lower_bounds(),
        pub cost: Option<f64> = record.cost,
        pub started: Option<String> = record.started.clone(),
        pub finished: Option<String> = record.finished.clone(),
        pub state: &'static str = if record.state.is_empty() { "unknown" } else { record.state },
        pub outcomes: Vec<OutcomeReport> = record.outcomes.iter().map(OutcomeReport::of).collect(),
    }
}

/// The result for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImportResult {
    New,
    Updated,
    Unchanged,
}

/// Messages by role.
#[derive(Debug, Default, Serialize)]
pub struct MessageCounts {
    pub user: u64,
    pub assistant: u64,
    pub system: u64,
}

document! {
    /// Tokens by class; null if unknown.
    pub struct TokenReport(tokens: Tokens) {
        pub uncached: Option<u64> = tokens.uncached_input,
        pub cached: Option<u64> = tokens.cached_input,
        pub output: Option<u64> = tokens.output,
        pub reasoning: Option<u64> = tokens.reasoning,
    }
}

document! {
    pub struct OutcomeReport(outcome: &AdapterOutcome) {
        pub name: String = outcome.name.clone(),
        pub value: Box<RawValue> = outcome.value.clone(),
        pub valid: Option<bool> = outcome.valid,
    }
}

fn of_main(draft: &Draft) -> impl Iterator<Item = &EventContent> {
    let events = draft.events.iter();
    let main = events.filter(|event| event.agent.is_none());
    main.map(|event| &event.what)
}

fn count(draft: &Draft, is: &dyn Fn(&EventContent) -> bool) -> u64 {
    of_main(draft).filter(|what| is(what)).count() as u64
}

fn withheld(draft: &Draft, what: &str) -> u64 {
    draft.withheld.get(what).copied().unwrap_or_default()
}

fn messages(draft: &Draft) -> MessageCounts {
    let of_role = |wanted: Role| {
        count(
            draft,
            &|what| matches!(what, EventContent::Message { role, text, .. } if *role == wanted && !text.trim().is_empty()),
        )
    };
    MessageCounts {
        user: of_role(Role::User),
        assistant: of_role(Role::Assistant),
        system: withheld(draft, "systemPrompts") + withheld(draft, "developerPrompts"),
    }
}

fn branches(draft: &Draft) -> u64 {
    let branches = draft.events.iter();
    let branches = branches.filter_map(|event| event.branch.as_deref());
    1 + branches.collect::<BTreeSet<_>>().len() as u64
}

fn images(draft: &Draft) -> u64 {
    let images = of_main(draft).map(|what| match what {
        EventContent::Message { images, .. } => *images,
        EventContent::ToolResult(result) => result.images,
        _ => 0,
    });
    images.sum::<u64>().max(withheld(draft, "images"))
}
