//! A sample, in one piece or in chunks, with its record and outcomes.

use formats::decimal;
use formats::model::run::Metric;

use super::super::draft::{AdapterOutcome, Draft, Origin, RecordDraft, RunIdSource, Tokens};
use super::super::raw_json;
use super::super::row::Row;
use super::super::{ImportOptions, Problem};
use super::message::Attachments;

/// All data of a sample, from one piece or from chunks.
pub struct SampleContent<'a> {
    pub sample: Row<'a>,
    /// Its events as JSON, with their places.
    pub events: Vec<(Origin, &'a str)>,
    /// Its messages, with their places.
    pub messages: Vec<(Origin, &'a str)>,
    /// The pool of messages that events refer to.
    pub pool: Vec<&'a str>,
    pub attachments: Attachments<'a>,
    /// The sample in its file or member.
    pub place: Origin,
    /// Parts that could not be read.
    pub problems: Vec<Problem>,
}

impl<'a> SampleContent<'a> {
    /// The content of a sample in one piece, at `pointer` of `place`. Older logs have events and attachments in a transcript.
    pub fn of(sample: Row<'a>, place: &Origin, pointer: &str) -> Self {
        let at = |pointer: String| Origin {
            pointer: Some(pointer),
            ..place.clone()
        };
        let placed = |path: &str| {
            let below = path.replace('.', "/");
            let items = sample.list(path).enumerate();
            let items = items.map(|(n, json)| (at(format!("{pointer}/{below}/{n}")), json));
            items.collect()
        };
        let newer = |path, older| if sample.is_list(path) { path } else { older };
        let events = placed(newer("events", "transcript.events"));
        let messages = placed("messages");
        let pool = sample.list(newer("events_data.messages", "message_pool"));
        let attachments = sample.row("attachments");
        let attachments = attachments.or_else(|| sample.row("transcript.content"));
        let attachments = attachments.into_iter().flat_map(Row::members);
        let attachments = attachments.map(|(key, value)| (key, value.json()));
        Self {
            events,
            messages,
            pool: pool.collect(),
            attachments: Attachments(attachments.collect()),
            place: at(pointer.to_owned()),
            problems: Vec::new(),
            sample,
        }
    }
}

/// The numbers in some ranges, each below `end`.
pub fn ranges(row: &Row<'_>, path: &str, end: usize) -> Vec<usize> {
    let ranges = row
        .raw(path)
        .map(serde_json::from_str::<Vec<(usize, usize)>>);
    let ranges = ranges.and_then(Result::ok).unwrap_or_default().into_iter();
    ranges
        .flat_map(|(from, to)| from.min(end)..to.min(end))
        .collect()
}

/// What happened when a model answered in place of another.
pub fn fallback(row: &Row<'_>) -> String {
    let calls = match row.count("count") {
        Some(count @ 2..) => format!("{count} calls"),
        _ => "A call".to_owned(),
    };
    let (asked, answered) = (row.text("model"), row.text("fallback_model"));
    format!("{calls} to {asked} got the answer of {answered}")
}

/// The counts of tokens of one model.
pub const COUNTS: [&str; 5] = [
    "input_tokens",
    "input_tokens_cache_write",
    "input_tokens_cache_read",
    "output_tokens",
    "reasoning_tokens",
];

/// Tokens of one model. Input excludes cached tokens; output includes reasoning.
pub fn tokens(usage: &Row<'_>) -> Tokens {
    let written = usage.count("input_tokens_cache_write").unwrap_or_default();
    let reasoning = usage.count("reasoning_tokens");
    let input = usage.count("input_tokens");
    let output = usage.count("output_tokens");
    Tokens {
        uncached_input: input.map(|count| count.saturating_add(written)),
        cached_input: usage.count("input_tokens_cache_read"),
        output: output.map(|count| count.saturating_sub(reasoning.unwrap_or_default())),
        reasoning,
    }
}

/// The record of a sample, without its outcomes.
pub fn record(log: &Row<'_>, sample: &Row<'_>, options: &ImportOptions) -> RecordDraft {
    let id = sample.id("id");
    let epoch = sample.count("epoch").map(|epoch| epoch.to_string());
    let run = log.name("eval.run_id");
    let (state, detail) = state(log, sample);
    // The case is the task, or the sample if every sample is a case.
    let task = log.name("eval.task");
    let case = match id.as_ref().filter(|_| options.case_per_sample) {
        Some(id) => task.map(|task| format!("{task}-{id}")),
        None => task,
    };
    let version = log.id("eval.task_version");
    let mut record = RecordDraft {
        id: match sample.name("uuid") {
            Some(uuid) => RunIdSource::Own(uuid),
            None => RunIdSource::Derived {
                with_digests: run.is_none(),
                names: [&run, &id, &epoch].into_iter().flatten().cloned().collect(),
            },
        },
        format_version: log.count("version").map(|version| version.to_string()),
        case,
        case_version: version.filter(|version| version != "0"),
        harness: Some("inspect".to_owned()),
        harness_version: log.name("eval.packages.inspect_ai"),
        models: log.name("eval.model").into_iter().collect(),
        started: sample.name("started_at"),
        finished: sample.name("completed_at"),
        run_time_seconds: sample.number("total_time"),
        state,
        detail,
        ..RecordDraft::default()
    };
    usage(sample, &mut record);
    record.add_ids([
        ("run", run),
        ("task", log.name("eval.task_id")),
        ("eval", log.name("eval.eval_id")),
        ("solver", log.name("eval.solver")),
        ("sample", id),
        ("epoch", epoch),
    ]);
    record
}

/// Adds tokens and cost of all models, including graders.
fn usage(sample: &Row<'_>, record: &mut RecordDraft) {
    let mut costs = Vec::new();
    let models = sample.row("model_usage").into_iter();
    for (_, usage) in models.flat_map(Row::members) {
        let tokens = tokens(&usage);
        record.add(tokens);
        let cost = usage.number("total_cost");
        if cost.is_none() && !tokens.is_zero() {
            record.incomplete.insert(Metric::ActualCost);
        }
        costs.extend(cost);
    }
    record.cost = decimal::total(costs);
}

fn state(log: &Row<'_>, sample: &Row<'_>) -> (&'static str, Option<String>) {
    if sample.row("error").is_some() {
        return ("harness_error", Some("error".to_owned()));
    }
    if sample.row("limit").is_some() {
        let state = match &*sample.text("limit.type") {
            "time" | "working" => "timed_out",
            "operator" => "canceled",
            _ => "limit_exceeded",
        };
        return (state, sample.name("limit.type"));
    }
    let is_scored = sample.has("scores") || sample.has("score");
    let is_completed = is_scored || sample.string("completed_at").is_some();
    let is_canceled = log.text("status") == "cancelled" && !is_completed;
    let state = if is_canceled { "canceled" } else { "completed" };
    (state, log.name("status"))
}

/// Adds the scores of a sample to its record.
pub fn outcomes(sample: &Row<'_>, draft: &mut Draft) {
    let scores = sample.row("scores").into_iter().flat_map(Row::members);
    let older = sample.raw("score").filter(|_| !sample.has("scores"));
    let older = older.and_then(|json| Row::parse_value(json).ok());
    let is_invalid = sample.row("invalidation").is_some();
    for (name, score) in scores.chain(older.map(|score| ("score".into(), score))) {
        let value = score.raw("value").and_then(raw_json::compact);
        let Some(value) = value.or_else(|| raw_json::json(&serde_json::Value::Null)) else {
            continue;
        };
        if score.rows("history").next().is_some() {
            let text = format!("The score `{name}` was edited after the run");
            draft.note(Origin::default(), "score edited", Some(text));
        }
        let unscored = if score.has("value") {
            unscored_parts(value.get())
        } else {
            Some("unscored".to_owned())
        };
        draft.record.outcomes.push(AdapterOutcome {
            name: name.into_owned(),
            value,
            scorer: None,
            kind: Some("score"),
            valid: is_invalid.then_some(false),
            reason: sample.name("invalidation.reason").or(unscored),
        });
    }
}

/// Names the parts of a score that were not scored, which are null.
fn unscored_parts(value: &str) -> Option<String> {
    let members = Row::parse_value(value).ok()?.members();
    let parts = members.filter(|(_, value)| value.json() == "null");
    let parts: Vec<_> = parts.map(|(key, _)| key).collect();
    (!parts.is_empty()).then(|| format!("unscored: {}", parts.join(", ")))
}
