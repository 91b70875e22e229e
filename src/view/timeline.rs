//! A tape as a reader sees it: events with times, gaps and anchors, annotations at their events, spans as lanes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::config::Config;
use crate::markup::recorded;
use crate::model::annotation::Sidecar;
use crate::model::slug::slugify;
use crate::model::tape::{Aside, Block, Event, Family, Outcome, Text, TextKind};

use super::{Link, format};
use crate::links;

mod annotation;
mod folds;
mod layout;
mod spans;

pub use annotation::{AnnotationView, annotation_view, appearance};
use annotation::{Indexed, annotations_by_position};
use folds::Mutes;
pub use folds::{Fold, FoldLine};
pub use layout::{Anchor, Layout};
use spans::Pieces;
pub use spans::{SpanPiece, SpanPieces, lanes};

/// Text over this many bytes or lines is folded.
const FOLD_BYTES: usize = 2_000;
const FOLD_LINES: usize = 24;
/// `{}` and `[]` say as much as the line that a folded text has.
const EMPTY_JSON: usize = 2;
/// JSON over this many bytes is folded: it is laid out in many lines.
const FOLD_JSON: usize = 700;

/// How much of a payload is shown after the first event that has it, in bytes.
const AGAIN: usize = 1_000;
/// How many times its bytes a text may take on a page.
const ESCAPED: usize = 4;
/// No byte of a text takes more bytes on a page: a control character is marked, a change of color opens an element.
const COSTLIEST: usize = 32;

/// One page of a tape.
#[derive(Debug)]
pub struct TimelinePage<'a> {
    /// The events.
    pub events: Vec<EventView<'a>>,
    /// Which of them are under one line, in their order.
    pub folds: Vec<Fold>,
    /// The first time on the tape, from which those of the events count; in milliseconds.
    pub start: Option<i64>,
    /// Where all events of the tape are: texts on this page may link to any of them.
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
    /// Whether it comes right after the call that it belongs to, or is the error of the failed event before it.
    pub is_tied: bool,
    /// `sub` for the work of a subagent, `branch` on an abandoned branch, else nothing.
    pub aside: &'static str,
    /// Its call and its result, where they are not next to it: what, number, address.
    pub ties: Vec<(&'static str, u64, String)>,
    /// Whether its headline is a command.
    pub is_command: bool,
    /// Whether something failed here.
    pub failed: bool,
    /// Whether the harness says that it failed; an error has no outcome.
    pub is_marked: bool,
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
    /// Payloads that are not there: label, what it is about, size.
    pub missing: Vec<(&'static str, &'a str, String)>,
    /// Lanes of the spans that cover it, and whether each begins or ends here.
    pub spans: SpanPieces,
    /// What was said about it.
    pub annotations: Vec<AnnotationView<'a>>,
}

/// A piece of content.
#[derive(Debug)]
pub struct TextView<'a> {
    /// What it is.
    pub label: Option<&'static str>,
    /// What the label is about; may be empty.
    pub about: &'a str,
    /// How it is written.
    pub kind: TextKind,
    /// The text, or its first part.
    pub text: &'a str,
    /// `42 lines, 3.1 KiB`, when it is folded.
    pub folded: Option<String>,
    /// Where all of it is, when `text` is only a part: address and a line of words.
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

/// A tape with what was said about it, in the order in which its pages need it.
#[derive(Debug)]
pub struct Timeline<'a> {
    config: &'a Config,
    layout: &'a Layout<'a>,
    annotations: BTreeMap<usize, Vec<Indexed<'a>>>,
    spans: Pieces,
    mutes: Mutes<'a>,
    /// The first time on the tape.
    start: Option<i64>,
    /// The payloads that earlier events showed.
    payloads: BTreeSet<&'a str>,
}

impl<'a> Timeline<'a> {
    /// Looks once at all events and annotations, so that no page has to.
    #[must_use]
    pub fn new(
        config: &'a Config,
        layout: &'a Layout<'a>,
        sidecar: Option<&'a Sidecar<'a>>,
    ) -> Self {
        Self {
            config,
            layout,
            annotations: annotations_by_position(layout, sidecar),
            spans: Pieces::of(layout, sidecar),
            mutes: Mutes::of(layout, sidecar),
            start: layout.tape.events.iter().find_map(|event| event.at),
            payloads: BTreeSet::new(),
        }
    }

    /// Page `number`, from 1, and the texts of which it shows only a part. The pages are made in their order.
    #[must_use]
    pub fn page(&mut self, number: usize) -> (TimelinePage<'a>, Vec<LongText<'a>>) {
        let (config, layout) = (self.config, self.layout);
        let (path, tape) = (layout.path(number), layout.tape);
        let limit = config.limits.inline();
        let mut payloads = std::mem::take(&mut self.payloads);
        let mut contents = Contents {
            layout,
            page: &path,
            limit,
            payloads: &mut payloads,
            long: Vec::new(),
        };
        let range = layout.range(number);
        let mut before = range
            .start
            .checked_sub(1)
            .and_then(|previous| tape.events[previous].at);
        let first = range.start;
        let events: Vec<_> = range
            .clone()
            .map(|position| {
                let event = &tape.events[position];
                let anchor = layout.anchor(event.seq, position);
                let gap = gap(config, before, event.at);
                before = event.at.or(before);
                EventView {
                    seq: event.seq,
                    word: event.kind.word,
                    family: event.kind.family.word(),
                    is_tied: is_tied(&tape.events[first..=position]),
                    aside: match event.ties.aside {
                        Some(Aside::Subagent) => "sub",
                        Some(Aside::Branch) => "branch",
                        None => "",
                    },
                    ties: self.ties(
                        &tape.events[first..=position],
                        &tape.events[position + 1..],
                        &path,
                    ),
                    is_command: event.kind.family == Family::Command,
                    failed: event.is_failure(),
                    is_marked: event.outcome == Outcome::Failed,
                    at: event
                        .at
                        .map(|at| (at, at.saturating_sub(self.start.unwrap_or(at)))),
                    gap,
                    headline: &event.headline,
                    facts: &event.facts,
                    texts: contents.of(event, anchor),
                    missing: event
                        .external
                        .iter()
                        .map(|e| (e.label, e.about.as_str(), format::bytes(e.len_bytes)))
                        .collect(),
                    spans: self.spans.beside(position),
                    annotations: self.annotated(position, &path, limit),
                    anchor,
                }
            })
            .collect();
        let long = contents.long;
        self.payloads = payloads;
        let page = TimelinePage {
            folds: folds::folds(&self.mutes, &tape.events[range], &events, first),
            events,
            start: self.start,
            layout,
            path,
        };
        (page, long)
    }

    /// Links to the call and the result of the last of these events, unless the next one that is no usage is its result.
    fn ties(
        &self,
        events: &[Event<'_>],
        after: &[Event<'_>],
        path: &str,
    ) -> Vec<(&'static str, u64, String)> {
        let Some(event) = events.last() else {
            return Vec::new();
        };
        let call = event.ties.call.filter(|_| !is_tied(events));
        let mut after = after.iter().filter(|event| event.kind.word != "usage");
        let next = after.next().map(|event| event.seq);
        let result = event.ties.result.filter(|result| next != Some(*result));
        let ties = [("of call", call), ("result", result)];
        let ties = ties.into_iter().filter_map(|(what, seq)| {
            let seq = seq?;
            Some((what, seq, self.layout.numbered_href(path, seq)?))
        });
        ties.collect()
    }

    fn annotated(&self, position: usize, path: &str, limit: usize) -> Vec<AnnotationView<'a>> {
        let here = self.annotations.get(&position).into_iter().flatten();
        here.map(|(index, annotation)| {
            annotation_view(self.layout, path, annotation, *index, limit)
        })
        .collect()
    }
}

/// Whether the last of these events comes right after its call, or after another event of that call, or is the error of what
/// failed just before. A usage event may be between them.
fn is_tied(events: &[Event<'_>]) -> bool {
    let Some((event, before)) = events.split_last() else {
        return false;
    };
    let mut before = before.iter().rev();
    let Some(before) = before.find(|event| event.kind.word != "usage") else {
        return false;
    };
    if event.kind.family == Family::Error && before.outcome == Outcome::Failed {
        return true;
    }
    let call = event.ties.call;
    call.is_some() && (call == Some(before.seq) || call == before.ties.call)
}

fn gap(config: &Config, before: Option<i64>, at: Option<i64>) -> Option<String> {
    let pause = at?.checked_sub(before?)?;
    let limit = i64::try_from(config.timeline.gap_seconds)
        .unwrap_or(i64::MAX)
        .saturating_mul(1000);
    (pause > limit).then(|| format::milliseconds(pause))
}

/// Makes the content of events.
struct Contents<'a, 'p> {
    layout: &'p Layout<'p>,
    page: &'p str,
    /// Bytes of one text.
    limit: usize,
    payloads: &'p mut BTreeSet<&'a str>,
    /// What is shown only in part.
    long: Vec<LongText<'a>>,
}

impl<'a> Contents<'a, '_> {
    fn of(&mut self, event: &'a Event<'a>, anchor: Anchor<'_>) -> Vec<TextView<'a>> {
        let blocks = event.blocks.iter();
        let is_speech = matches!(event.kind.family, Family::Speech | Family::Reasoning);
        blocks
            .map(|block| {
                let kind = match block.kind {
                    TextKind::Plain if is_speech => TextKind::Prose,
                    kind => kind,
                };
                self.block(block, kind, anchor)
            })
            .collect()
    }

    fn block(&mut self, block: &'a Block<'a>, kind: TextKind, anchor: Anchor<'_>) -> TextView<'a> {
        let whole: &str = &block.text;
        // What an earlier event showed is only named again: events may share one payload by the thousand.
        let limit = match &block.text {
            Text::Payload(_, hash) if !self.payloads.insert(hash) => self.limit.min(AGAIN),
            _ => self.limit,
        };
        let text = fitting(whole, kind, limit);
        let rest = (text.len() < whole.len()).then(|| {
            let name = match (&block.text, block.label) {
                (Text::Payload(_, hash), _) => format!("{hash}.txt"),
                (_, Some(label)) => format!("{}-{}.txt", anchor.text(), slugify(label)),
                _ => format!("{}.txt", anchor.text()),
            };
            let path = links::run_file(&self.layout.slug, &format!("text/{name}"));
            let href = format!("{}{path}", links::root(self.page));
            self.long.push(LongText { path, text: whole });
            let words = format!(
                "The first {} of {}; read all of it as plain text",
                format::bytes(text.len() as u64),
                format::bytes(whole.len() as u64)
            );
            Link { text: words, href }
        });
        TextView {
            label: block.label,
            about: &block.about,
            kind,
            text,
            folded: folded(whole, block),
            rest,
        }
    }
}

/// The beginning of a text: at most `limit` bytes, and on a page at most [`ESCAPED`] times as many.
fn fitting(text: &str, kind: TextKind, limit: usize) -> &str {
    let most = limit.saturating_mul(ESCAPED);
    let mut text = head(text, limit);
    while text.len() > most / COSTLIEST && at_most(text) > most {
        let size = recorded::size(text, kind);
        if size <= most {
            break;
        }
        // What comes first may be what takes most room, so the next try can be too long again.
        let share = text.len().saturating_mul(most) / size;
        text = head(text, share.min(text.len() * 7 / 8));
    }
    text
}

/// How many bytes a text takes on a page at most, without making that page.
fn at_most(text: &str) -> usize {
    let sizes = text.bytes().map(|byte| match byte {
        b' ' | b'.' | b'/' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => 1,
        b'<' | b'>' => "&lt;".len(),
        b'&' => "&amp;".len(),
        // Anything else may be marked or laid out, or begin what is.
        _ => COSTLIEST,
    });
    sizes.sum()
}

fn folded(text: &str, block: &Block<'_>) -> Option<String> {
    let size = || format::bytes(text.len() as u64);
    if block.kind == TextKind::Json || block.folded {
        let is_long = text.len() > FOLD_JSON;
        return (is_long || block.folded && text.len() > EMPTY_JSON).then(size);
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
