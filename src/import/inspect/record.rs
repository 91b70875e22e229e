//! Converts a sample to a record and outcomes. Its events are read elsewhere.

use serde_json::value::RawValue;

use crate::formats::decimal;
use crate::formats::json::Node;

use super::super::Options;
use super::super::draft::{Draft, Id, Origin, Outcome, Record, Tokens};
use super::super::loose;
use super::super::time::Times;
use super::sample::{Content, Sample, Score, Usage};
use super::{Eval, Log, events};

/// Converts a sample to a draft.
pub fn draft(log: &Log<'_>, content: &Content<'_>, is_finished: bool, options: &Options) -> Draft {
    let mut draft = Draft::default();
    for problem in &content.problems {
        draft.skip(problem.clone());
    }
    if !is_finished {
        let text = "The log ends before the evaluation did".to_owned();
        draft.note(Origin::default(), "unfinished", Some(text));
    }
    let mut times = Times::default();
    events::read(content, options, &mut draft, &mut times);
    let sample = &content.sample;
    let frames = sample
        .error
        .as_ref()
        .is_some_and(|error| error.traceback.named().is_some());
    draft.withhold("tracebacks", u64::from(frames));
    let includes = std::mem::take(&mut draft.record.includes);
    draft.record = record(log, sample, options);
    draft.record.includes = includes;
    outcomes(sample, &mut draft);
    times.write(&mut draft.record);
    draft
}

fn record(log: &Log<'_>, sample: &Sample<'_>, options: &Options) -> Record {
    let none = Eval::default();
    let eval = log.eval.as_ref().unwrap_or(&none);
    let id = loose::word(sample.id.map(RawValue::get));
    let epoch = sample.epoch.map(|epoch| epoch.to_string());
    let run = eval.run_id.named();
    let ids = [
        ("run", run.clone()),
        ("task", eval.task_id.named()),
        ("eval", eval.eval_id.named()),
        ("solver", eval.solver.named()),
        ("sample", id.clone()),
        ("epoch", epoch.clone()),
    ];
    let ids = ids
        .into_iter()
        .filter_map(|(name, id)| Some((name.to_owned(), id?)));
    let (state, detail) = state(log, sample);
    let version =
        loose::word(eval.task_version.map(RawValue::get)).filter(|version| version != "0");
    let packages = eval.packages.as_ref();
    let (tokens, cost) = usage(sample);
    Record {
        id: match sample.uuid.named() {
            Some(uuid) => Id::Own(uuid),
            None => Id::Derived {
                with_digests: run.is_none(),
                names: [run, id, epoch].into_iter().flatten().collect(),
            },
        },
        ids: ids.collect(),
        format_version: log.version.map(|version| version.to_string()),
        case: case(eval, sample, options),
        case_version: version,
        harness: Some("inspect".to_owned()),
        harness_version: packages.and_then(|packages| packages.inspect_ai.named()),
        models: eval.model.named().into_iter().collect(),
        started: sample.started_at.named(),
        finished: sample.completed_at.named(),
        run_time_seconds: *sample.total_time,
        tokens,
        cost,
        state,
        detail,
        ..Record::default()
    }
}

/// The task, or the sample if every sample is a case.
fn case(eval: &Eval<'_>, sample: &Sample<'_>, options: &Options) -> Option<String> {
    let task = eval.task.named()?;
    match loose::word(sample.id.map(RawValue::get)).filter(|_| options.case_per_sample) {
        Some(id) => Some(format!("{task}-{id}")),
        None => Some(task),
    }
}

/// Tokens and cost of all models, including graders.
fn usage(sample: &Sample<'_>) -> (Tokens, Option<f64>) {
    let models = sample
        .model_usage
        .and_then(|raw| Node::parse(raw.get()).ok());
    let models = models.map(|models| models.members()).unwrap_or_default();
    let mut tokens = Tokens::default();
    let mut costs = Some(Vec::new());
    for model in models {
        let usage: Usage = serde_json::from_str(model.value.raw).unwrap_or_default();
        tokens = tokens.plus(usage.tokens());
        costs = costs.zip(*usage.total_cost).map(|(mut costs, cost)| {
            costs.push(cost);
            costs
        });
    }
    (tokens, decimal::total(costs.unwrap_or_default()))
}

fn state(log: &Log<'_>, sample: &Sample<'_>) -> (&'static str, Option<String>) {
    if sample.error.is_some() {
        return ("harness_error", Some("error".to_owned()));
    }
    if let Some(limit) = sample.limit.as_ref() {
        let state = match limit.kind.text() {
            "time" | "working" => "timed_out",
            "operator" => "canceled",
            _ => "limit_exceeded",
        };
        return (state, limit.kind.named());
    }
    let is_scored = sample.scores.is_some() || sample.score.is_some();
    let is_completed = is_scored || sample.completed_at.is_some();
    let state = if log.status.text() == "cancelled" && !is_completed {
        "canceled"
    } else {
        "completed"
    };
    (state, log.status.named())
}

fn outcomes(sample: &Sample<'_>, draft: &mut Draft) {
    let scores = sample.scores.and_then(|raw| Node::parse(raw.get()).ok());
    let scores = scores.map(|scores| scores.members()).unwrap_or_default();
    let scores = scores.iter().map(|score| (&*score.key, score.value.raw));
    let older = sample.score.filter(|_| sample.scores.is_none());
    let older = older.map(|raw| ("score", raw.get()));
    let invalid = sample.invalidation.as_ref();
    for (name, raw) in scores.chain(older) {
        let score: Score<'_> = serde_json::from_str(raw).unwrap_or_default();
        let is_scored = score.value.is_some();
        let value = score.value.and_then(|value| loose::compact(value.get()));
        let Some(value) = value.or_else(|| loose::json(&serde_json::Value::Null)) else {
            continue;
        };
        if !score.history.items().is_empty() {
            let text = format!("The score `{name}` was edited after the run");
            draft.note(Origin::default(), "score edited", Some(text));
        }
        let unscored = if is_scored {
            unscored_parts(value.get())
        } else {
            Some("unscored".to_owned())
        };
        draft.record.outcomes.push(Outcome {
            name: name.to_owned(),
            value,
            scorer: None,
            kind: Some("score"),
            valid: invalid.map(|_| false),
            reason: invalid
                .and_then(|invalid| invalid.reason.named())
                .or(unscored),
        });
    }
}

/// Names the parts of a score that were not scored, which are null.
fn unscored_parts(value: &str) -> Option<String> {
    let members = Node::parse(value).ok()?.members();
    let parts = members.iter().filter(|part| part.value.raw == "null");
    let parts: Vec<&str> = parts.map(|part| &*part.key).collect();
    (!parts.is_empty()).then(|| format!("unscored: {}", parts.join(", ")))
}
