//! Knows a tape as a reader sees it: events with times, gaps and anchors, annotations at their events, spans as lanes.

use std::borrow::Cow;

use crate::config::Config;
use crate::model::annotation::Sidecar;
use crate::model::slug::slugify;
use crate::model::tape::{Event, Outcome, Text, TextKind};

use super::{Link, format, links};

mod annotation;
mod layout;
mod spans;

use annotation::annotations_by_position;
pub use annotation::{AnnotationView, annotation_view, appearance};
pub use layout::{Anchor, Layout};
use spans::span_pieces;
pub use spans::{LANES, SpanPiece, lanes};

/// Text over this many bytes or lines is folded.
const FOLD_BYTES: usize = 2_000;
const FOLD_LINES: usize = 24;
/// JSON over this many bytes is folded: it is laid out in many lines.
const FOLD_JSON: usize = 700;

/// One page of a tape.
#[derive(Debug)]
pub struct TimelinePage<'a> {
    /// The events.
    pub events: Vec<EventView<'a>>,
    /// Where all events of the tape stand: texts on this page may link to any of them.
    pub layout: &'a Layout<'a>,
    /// Path of this page.
    pub path: String,
}

/// One event.
#[derive(Debug)]
pub struct EventView<'a> {
    /// Its id on the page.
    pub anchor: Anchor<'a>,
    /// Its number.
    pub seq: u64,
    /// What it is.
    pub word: &'static str,
    /// Which kinds it belongs to.
    pub family: &'static str,
    /// Whether something failed here.
    pub failed: bool,
    /// `ok`, `failed`, or nothing when the harness did not say.
    pub outcome: &'static str,
    /// When it happened, and that since the start of the tape; both in milliseconds, since writing them out
    /// is most of the work of a short event.
    pub at: Option<(i64, i64)>,
    /// The pause before it, when it is long.
    pub gap: Option<String>,
    /// What it is about.
    pub headline: &'a str,
    /// Small facts.
    pub facts: &'a [(&'static str, Cow<'a, str>)],
    /// Its content.
    pub texts: Vec<TextView<'a>>,
    /// Payloads that are not there: label, size.
    pub missing: Vec<(&'static str, String)>,
    /// Lanes of the spans that cover it, and whether each begins or ends here.
    pub spans: Vec<SpanPiece>,
    /// What was said about it.
    pub annotations: Vec<AnnotationView<'a>>,
}

/// A piece of content.
#[derive(Debug)]
pub struct TextView<'a> {
    /// What it is.
    pub label: Option<&'static str>,
    /// How it is written.
    pub kind: TextKind,
    /// The text, or its first part.
    pub text: &'a str,
    /// `42 lines, 3.1 KiB`, when it is folded.
    pub folded: Option<String>,
    /// Where all of it stands, when `text` is only a part: address and a line of words.
    pub rest: Option<Link>,
}

/// Text that a page shows only in part, and where all of it is written.
#[derive(Debug)]
pub struct LongText<'a> {
    /// Path relative to the site's root.
    pub path: String,
    /// All of it.
    pub text: &'a str,
}

/// Page `number` of a tape.
#[must_use]
pub fn page<'a>(
    config: &Config,
    layout: &'a Layout<'a>,
    sidecar: Option<&'a Sidecar<'a>>,
    number: usize,
) -> (TimelinePage<'a>, Vec<LongText<'a>>) {
    let (path, tape) = (layout.path(number), layout.tape);
    let range = layout.range(number);
    let mut annotations = annotations_by_position(layout, sidecar, &range);
    let spans = span_pieces(layout, sidecar, &range);
    let start = tape.events.iter().find_map(|event| event.at);
    let limit = usize::try_from(config.limits.inline).unwrap_or(usize::MAX);
    let mut long = Vec::new();
    let mut before = range
        .start
        .checked_sub(1)
        .and_then(|previous| tape.events[previous].at);
    let events = range
        .clone()
        .zip(spans)
        .map(|(position, spans)| {
            let event = &tape.events[position];
            let anchor = layout.anchor(event.seq, position);
            let gap = gap(config, before, event.at);
            before = event.at.or(before);
            EventView {
                seq: event.seq,
                word: event.kind.word,
                family: event.kind.family.word(),
                failed: event.is_failure(),
                outcome: match event.outcome {
                    Outcome::Unstated => "",
                    Outcome::Succeeded => "ok",
                    Outcome::Failed => "failed",
                },
                at: event
                    .at
                    .map(|at| (at, at.saturating_sub(start.unwrap_or(at)))),
                gap,
                headline: &event.headline,
                facts: &event.facts,
                texts: texts(config, layout, &path, event, anchor, &mut long),
                missing: event
                    .external
                    .iter()
                    .map(|e| (e.label, format::bytes(e.len_bytes)))
                    .collect(),
                spans,
                annotations: annotations
                    .remove(&position)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|(index, annotation)| {
                        annotation_view(layout, &path, annotation, index, limit)
                    })
                    .collect(),
                anchor,
            }
        })
        .collect();
    let page = TimelinePage {
        events,
        layout,
        path,
    };
    (page, long)
}

fn gap(config: &Config, before: Option<i64>, at: Option<i64>) -> Option<String> {
    let pause = at?.checked_sub(before?)?;
    let limit = i64::try_from(config.timeline.gap_seconds)
        .unwrap_or(i64::MAX)
        .saturating_mul(1000);
    (pause > limit).then(|| format::milliseconds(pause))
}

fn texts<'a>(
    config: &Config,
    layout: &Layout<'_>,
    page: &str,
    event: &'a Event<'a>,
    anchor: Anchor<'_>,
    long: &mut Vec<LongText<'a>>,
) -> Vec<TextView<'a>> {
    let limit = usize::try_from(config.limits.inline).unwrap_or(usize::MAX);
    event
        .blocks
        .iter()
        .map(|block| {
            let whole: &str = &block.text;
            let text = head(whole, limit);
            let rest = (text.len() < whole.len()).then(|| {
                let name = match (&block.text, block.label) {
                    (Text::Payload(_, hash), _) => format!("{hash}.txt"),
                    (_, Some(label)) => format!("{}-{}.txt", anchor.text(), slugify(label)),
                    _ => format!("{}.txt", anchor.text()),
                };
                let path = links::run_file(&layout.slug, &format!("text/{name}"));
                let href = format!("{}{path}", links::root(page));
                long.push(LongText { path, text: whole });
                let words = format!(
                    "The first {} of {}; read all of it as plain text",
                    format::bytes(text.len() as u64),
                    format::bytes(whole.len() as u64)
                );
                Link { text: words, href }
            });
            TextView {
                label: block.label,
                kind: block.kind,
                text,
                folded: folded(whole, block.kind),
                rest,
            }
        })
        .collect()
}

fn folded(text: &str, kind: TextKind) -> Option<String> {
    let size = || format::bytes(text.len() as u64);
    if kind == TextKind::Json {
        return (text.len() > FOLD_JSON).then(size);
    }
    if text.len() <= FOLD_BYTES && text.len() < FOLD_LINES {
        return None;
    }
    let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
    (text.len() > FOLD_BYTES || lines > FOLD_LINES)
        .then(|| format!("{}, {}", format::count(lines, "line"), size()))
}

/// The first part of a text, at most `limit` bytes, cut between two characters.
#[must_use]
pub fn head(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
