//! A raw sample, in one piece or in chunks.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::formats::json::Str;

use super::super::Problem;
use super::super::draft::{Origin, Tokens};
use super::super::loose::{Apart, Count, Items, Number, Text};
use super::message::Attachments;

/// A sample of a log, in one piece or without the data in chunks.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Sample<'a> {
    #[serde(borrow)]
    pub id: Option<&'a RawValue>,
    pub epoch: Count,
    messages: Items<'a>,
    pub message_refs: Apart<Vec<(usize, usize)>>,
    pub scores: Option<&'a RawValue>,
    /// The single score of older logs.
    pub score: Option<&'a RawValue>,
    events: Items<'a>,
    /// Events and attachments of older logs.
    pub transcript: Apart<Transcript<'a>>,
    pub model_usage: Option<&'a RawValue>,
    pub started_at: Text<'a>,
    pub completed_at: Text<'a>,
    pub total_time: Number,
    pub uuid: Text<'a>,
    pub error: Apart<Failure<'a>>,
    /// Attempts that failed before this one.
    pub error_retries: Items<'a>,
    /// Models that answered in place of others.
    pub model_fallbacks: Items<'a>,
    pub limit: Apart<Limit<'a>>,
    pub invalidation: Apart<Invalidation<'a>>,
    attachments: Apart<std::collections::BTreeMap<Str<'a>, &'a RawValue>>,
    events_data: Apart<Pool<'a>>,
    pub message_pool: Items<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Transcript<'a> {
    #[serde(borrow)]
    events: Items<'a>,
    pub content: Apart<std::collections::BTreeMap<Str<'a>, &'a RawValue>>,
}

/// Messages that events refer to by number.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Pool<'a> {
    #[serde(borrow)]
    messages: Items<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Failure<'a> {
    #[serde(borrow)]
    pub traceback: Text<'a>,
}

/// An attempt that failed, with its last events.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Retry<'a> {
    #[serde(borrow)]
    pub message: Text<'a>,
    pub traceback: Text<'a>,
    pub events: Items<'a>,
}

/// A model that answered in place of another.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Fallback<'a> {
    #[serde(borrow)]
    pub model: Text<'a>,
    pub fallback_model: Text<'a>,
    pub count: Count,
}

impl Fallback<'_> {
    /// What happened, in words.
    pub fn words(&self) -> String {
        let calls = match *self.count {
            Some(count @ 2..) => format!("{count} calls"),
            _ => "A call".to_owned(),
        };
        let (asked, answered) = (self.model.text(), self.fallback_model.text());
        format!("{calls} to {asked} got the answer of {answered}")
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Limit<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Invalidation<'a> {
    #[serde(borrow)]
    pub reason: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Score<'a> {
    #[serde(borrow)]
    pub value: Option<&'a RawValue>,
    pub history: Items<'a>,
}

/// Tokens of one model. Input excludes cached tokens; output includes reasoning.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Usage {
    pub input_tokens: Count,
    pub output_tokens: Count,
    pub input_tokens_cache_read: Count,
    pub input_tokens_cache_write: Count,
    pub reasoning_tokens: Count,
    pub total_cost: Number,
}

impl Usage {
    /// The token classes of a trace.
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

/// All data of a sample, from one piece or from chunks.
pub struct Content<'a> {
    pub sample: Sample<'a>,
    /// Its events, with their places.
    pub events: Vec<(Origin, &'a RawValue)>,
    /// Its messages, with their places.
    pub messages: Vec<(Origin, &'a RawValue)>,
    /// The pool of messages that events refer to.
    pub pool: Vec<&'a RawValue>,
    pub attachments: Attachments<'a>,
    /// The sample in its file or member.
    pub place: Origin,
    /// Parts that could not be read.
    pub problems: Vec<Problem>,
}

impl<'a> Content<'a> {
    /// The content of a sample in one piece, at `pointer` of `place`.
    pub fn of(mut sample: Sample<'a>, place: &Origin, pointer: &str) -> Self {
        let older = sample.transcript.0.take().unwrap_or_default();
        let (below, events) = if sample.events.is_some() {
            ("events", std::mem::take(&mut sample.events))
        } else {
            ("transcript/events", older.events)
        };
        let placed = |below: &str, list: Items<'a>| {
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
            place: Origin {
                pointer: Some(pointer.to_owned()),
                ..place.clone()
            },
            problems: Vec::new(),
            sample,
        }
    }
}
