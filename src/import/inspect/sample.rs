//! A sample: what its record says. Its events are read elsewhere.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::formats::json::{Node, Str};

use super::super::Options;
use super::super::draft::{Draft, Id, Origin, Outcome, Record, Tokens};
use super::super::loose::{self, List, Maybe};
use super::super::time::Times;
use super::message::Attachments;
use super::{Log, events};

/// A sample of a log, in one piece or without what is in chunks.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Sample<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    epoch: Maybe<u64>,
    messages: List<'a>,
    pub message_refs: Maybe<Vec<(usize, usize)>>,
    scores: Option<&'a RawValue>,
    /// The only score, in older logs.
    score: Option<&'a RawValue>,
    events: List<'a>,
    /// Events and attachments, in older logs.
    transcript: Maybe<Transcript<'a>>,
    model_usage: Option<&'a RawValue>,
    started_at: Maybe<Str<'a>>,
    completed_at: Maybe<Str<'a>>,
    total_time: Maybe<f64>,
    uuid: Maybe<Str<'a>>,
    error: Maybe<Failure<'a>>,
    limit: Maybe<Limit<'a>>,
    invalidation: Maybe<Invalidation<'a>>,
    attachments: Maybe<std::collections::BTreeMap<Str<'a>, &'a RawValue>>,
    events_data: Maybe<Pool<'a>>,
    message_pool: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Transcript<'a> {
    #[serde(borrow)]
    events: List<'a>,
    content: Maybe<std::collections::BTreeMap<Str<'a>, &'a RawValue>>,
}

/// Messages that events refer to by number.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Pool<'a> {
    #[serde(borrow)]
    messages: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Failure<'a> {
    #[serde(borrow)]
    traceback: Maybe<Str<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Limit<'a> {
    #[serde(borrow, rename = "type")]
    kind: Maybe<Str<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Invalidation<'a> {
    #[serde(borrow)]
    reason: Maybe<Str<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Score<'a> {
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    history: List<'a>,
}

/// Tokens of one model. What was cached is not part of the input; reasoning is part of the output.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Usage {
    input_tokens: Maybe<u64>,
    output_tokens: Maybe<u64>,
    input_tokens_cache_read: Maybe<u64>,
    input_tokens_cache_write: Maybe<u64>,
    reasoning_tokens: Maybe<u64>,
    total_cost: Maybe<f64>,
}

impl Usage {
    /// The classes of a trace.
    pub fn tokens(&self) -> Tokens {
        let written = self.input_tokens_cache_write.unwrap_or_default();
        let reasoning = self.reasoning_tokens.unwrap_or_default();
        Tokens {
            uncached_input: self.input_tokens.map(|count| count.saturating_add(written)),
            cached_input: *self.input_tokens_cache_read,
            output: self
                .output_tokens
                .map(|count| count.saturating_sub(reasoning)),
            reasoning: *self.reasoning_tokens,
        }
    }
}

/// Everything of a sample, wherever it was.
pub struct Content<'a> {
    pub sample: Sample<'a>,
    /// Its events, with their places.
    pub events: Vec<(Origin, &'a RawValue)>,
    /// Its messages, with their places.
    pub messages: Vec<(Origin, &'a RawValue)>,
    /// The messages that events refer to.
    pub pool: Vec<&'a RawValue>,
    pub attachments: Attachments<'a>,
}

impl<'a> Content<'a> {
    /// The content of a sample in one piece, which is at `pointer` of `place`.
    pub fn of(mut sample: Sample<'a>, place: &Origin, pointer: &str) -> Self {
        let older = sample.transcript.0.take().unwrap_or_default();
        let (below, events) = if sample.events.is_some() {
            ("events", std::mem::take(&mut sample.events))
        } else {
            ("transcript/events", older.events)
        };
        let placed = |below: &str, list: List<'a>| {
            let items = list.0.unwrap_or_default().into_iter().enumerate();
            let items = items.map(|(number, raw)| {
                let pointer = Some(format!("{pointer}/{below}/{number}"));
                (
                    Origin {
                        pointer,
                        ..place.clone()
                    },
                    raw,
                )
            });
            items.collect()
        };
        let pool = sample.events_data.0.take().unwrap_or_default().messages.0;
        let pool = pool.or(std::mem::take(&mut sample.message_pool).0);
        let attachments = sample
            .attachments
            .0
            .take()
            .or(older.content.0)
            .unwrap_or_default();
        let attachments = attachments
            .into_iter()
            .map(|(key, raw)| (key.into_inner(), raw));
        Self {
            events: placed(below, events),
            messages: placed("messages", std::mem::take(&mut sample.messages)),
            pool: pool.unwrap_or_default(),
            attachments: Attachments(attachments.collect()),
            sample,
        }
    }
}

/// What a sample becomes.
pub fn draft(log: &Log<'_>, content: &Content<'_>, is_finished: bool, options: &Options) -> Draft {
    let mut draft = Draft::default();
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
    draft.record = record(log, sample);
    draft.record.includes = includes;
    outcomes(sample, &mut draft);
    times.write(&mut draft.record);
    draft
}

fn record(log: &Log<'_>, sample: &Sample<'_>) -> Record {
    let none = super::Eval::default();
    let eval = log.eval.as_ref().unwrap_or(&none);
    let id = loose::word(sample.id);
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
    let version = loose::word(eval.task_version).filter(|version| version != "0");
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
        case: eval.task.named(),
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

/// Tokens and cost of all models, the graders' among them.
fn usage(sample: &Sample<'_>) -> (Tokens, Option<f64>) {
    let models = sample
        .model_usage
        .and_then(|raw| Node::parse(raw.get()).ok());
    let models = models.map(|models| models.members()).unwrap_or_default();
    let mut tokens = Tokens::default();
    let mut cost = (!models.is_empty()).then_some(0.0);
    for model in models {
        let usage: Usage = serde_json::from_str(model.value.raw).unwrap_or_default();
        tokens = tokens.plus(usage.tokens());
        cost = cost.zip(*usage.total_cost).map(|(sum, more)| sum + more);
    }
    (tokens, cost)
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
        let unscored = (!is_scored).then(|| "unscored".to_owned());
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
