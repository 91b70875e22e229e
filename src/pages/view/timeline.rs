//! A tape for display: events with times, gaps and anchors, annotations at their events, and spans as lanes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use formats::config::Config;
use formats::model::annotation::Sidecar;
use formats::model::slug::slugify;
use formats::model::steps::Step;
use formats::model::tape::{
    BlockText, ContentBlock, Event, EventOutcome, Family, SideTrack, Tape, TextKind,
};
use markup::event_text;

use super::{Link, format};
use base::links;

mod annotation;
mod folds;
mod layout;
mod order;
mod spans;

pub use annotation::{AnnotationView, annotation_view, appearance};
use annotation::{IndexedAnnotation, annotations_by_position};
use folds::Mutes;
pub use folds::{AGENT, Fold, FoldLine, SubagentWork};
pub use layout::{EventAnchor, Layout};
use order::DisplayOrder;
use spans::TapeSpans;
pub use spans::{EventSpans, SpanPiece, lanes};

/// Text over this many bytes or lines is initially collapsed.
const FOLD_BYTES: usize = 2_000;
const FOLD_LINES: usize = 24;
/// Maximum lines of a text that is not worth a click.
const FEW_LINES: usize = 4;
/// Messages are what readers came for.
const FOLD_PROSE_BYTES: usize = 8_000;
const FOLD_PROSE_LINES: usize = 120;
/// JSON over this many bytes is initially collapsed, because its formatted form has many lines.
const FOLD_JSON: usize = 700;

/// Maximum bytes shown of a payload that an earlier event already showed.
const AGAIN: usize = 1_000;
/// Maximum size of a text on a page, as a multiple of its bytes.
const ESCAPED: usize = 4;
/// Maximum bytes on a page for one byte of text: a control character gets a mark, a color change an element.
const COSTLIEST: usize = 32;
/// Bytes of the elements around a message and its source.
const WRAPPER: usize = 96;

#[derive(Debug)]
pub struct TimelinePage<'a> {
    pub events: Vec<EventView<'a>>,
    /// Collapsed groups of events, in order.
    pub folds: Vec<Fold>,
    /// The first time on the tape, which event times count from, in milliseconds.
    pub start: Option<i64>,
    /// The layout of the whole tape: texts on this page may link to any event.
    pub layout: &'a Layout<'a>,
    pub path: String,
}

#[derive(Debug)]
pub struct EventView<'a> {
    /// Its id on the page.
    pub anchor: EventAnchor<'a>,
    /// Its number.
    pub seq: u64,
    /// Its kind.
    pub word: &'static str,
    pub family: &'static str,
    pub position: usize,
    /// Whether it belongs to the step of the event before it.
    pub is_tied: bool,
    /// Whether it only reports what a call of a model used.
    pub is_usage: bool,
    /// Whether its step began before the end of a step above it, by the order of the tape and by the times.
    pub is_parallel: bool,
    /// How long its step took, and how many tokens the step used, at the first event of a step.
    pub milliseconds: Option<i64>,
    pub tokens: Option<u64>,
    /// `sub` for the work of a subagent, `branch` on an abandoned branch, else empty.
    pub aside: &'static str,
    /// Links to its call and its result, unless adjacent: relation, number, address.
    pub ties: Vec<(&'static str, u64, String)>,
    pub is_command: bool,
    pub failed: bool,
    /// Whether it counts as a failure.
    pub is_failure: bool,
    /// Whether the harness marked it as failed; an error has no outcome.
    pub is_marked: bool,
    /// Its time, and the time since the start of the tape. Both in milliseconds, since formatting them is most of the work of a
    /// short event.
    pub at: Option<(i64, i64)>,
    /// The pause before it, if long.
    pub gap: Option<String>,
    /// `3 s`, if it is recorded as that much earlier than the event before it.
    pub earlier: Option<String>,
    /// Its subject.
    pub headline: &'a str,
    /// The line of the raw log that it follows from.
    pub raw_line: Option<u32>,
    /// Whether it does not follow from the raw log.
    pub differs: bool,
    /// Whether an event of the raw log is missing right before it.
    pub follows_missing: bool,
    pub facts: &'a [(&'static str, Cow<'a, str>)],
    /// Its content.
    pub texts: Vec<TextView<'a>>,
    /// Missing payloads: label, subject, size.
    pub missing: Vec<(&'static str, &'a str, String)>,
    /// Lanes of the spans that cover it, and whether each starts or ends here.
    pub spans: EventSpans,
    pub annotations: Vec<AnnotationView<'a>>,
}

impl EventView<'_> {
    /// Whether it follows the event before it without a long gap, and without going back in time.
    const fn is_in_time(&self) -> bool {
        self.gap.is_none() && self.earlier.is_none()
    }
}

/// A part of the content.
#[derive(Debug)]
pub struct TextView<'a> {
    pub label: Option<&'static str>,
    /// The subject of the label; may be empty.
    pub about: &'a str,
    pub kind: TextKind,
    /// The text, or its first part.
    pub text: &'a str,
    /// `42 lines, 3.1 KiB`, if it is collapsed.
    pub folded: Option<String>,
    /// A link to the whole text, if `text` is truncated.
    pub rest: Option<Link>,
}

/// Maximum bytes of arguments that are shown on the line of their call.
const INLINE: usize = 160;

impl<'a> TextView<'a> {
    /// The text, if it is JSON that is short enough for the line of its call.
    pub fn inline(&self) -> Option<&'a str> {
        let is_short = self.kind == TextKind::Json
            && self.label.is_none()
            && self.folded.is_none()
            && self.text.len() <= INLINE
            && !self.text.contains('\n');
        is_short.then_some(self.text)
    }
}

/// A text that a page truncates, with the path of its full version.
#[derive(Debug)]
pub struct LongText<'a> {
    /// Path relative to the site's root.
    pub path: String,
    /// The full text.
    pub text: &'a str,
}

/// A tape with its annotations, prepared for its pages.
#[derive(Debug)]
pub struct Timeline<'a> {
    config: &'a Config,
    layout: &'a Layout<'a>,
    annotations: BTreeMap<usize, Vec<IndexedAnnotation<'a>>>,
    spans: TapeSpans,
    mutes: Mutes<'a>,
    /// The first time on the tape.
    start: Option<i64>,
    /// Hashes of payloads that earlier events showed.
    payloads: BTreeSet<&'a str>,
    /// The last time before the next page.
    before: Option<i64>,
    /// The latest time before the next page: after a time that runs backwards, gaps count from it.
    latest: Option<i64>,
}

impl<'a> Timeline<'a> {
    /// Reads all events and annotations once, so that pages need not.
    pub fn new(
        config: &'a Config,
        layout: &'a Layout<'a>,
        sidecar: Option<&'a Sidecar<'a>>,
    ) -> Self {
        Self {
            config,
            layout,
            annotations: annotations_by_position(layout, sidecar),
            spans: TapeSpans::of(layout, sidecar),
            mutes: Mutes::of(layout, sidecar),
            start: layout.tape.first_time(),
            payloads: BTreeSet::new(),
            before: None,
            latest: None,
        }
    }

    /// Page `number`, from 1, and its truncated texts. Pages must be built in order.
    pub fn page(&mut self, number: usize) -> (TimelinePage<'a>, Vec<LongText<'a>>) {
        let (config, layout) = (self.config, self.layout);
        let (path, tape) = (layout.path(number), layout.tape);
        let limit = config.limits.inline();
        let mut payloads = std::mem::take(&mut self.payloads);
        let mut contents = ContentBuilder {
            layout,
            page: &path,
            limit,
            payloads: &mut payloads,
            long: Vec::new(),
        };
        let range = layout.range(number);
        let order = DisplayOrder::of(tape, &layout.steps, range.clone());
        let (mut before, mut latest) = (self.before, self.latest);
        let mut events: Vec<_> = range
            .clone()
            .map(|position| {
                let event = &tape.events[position];
                let anchor = layout.anchor(event.seq, position);
                let gap = gap(config, latest, event.at);
                let earlier = event.at.zip(before).filter(|(at, before)| at < before);
                let earlier = earlier.map(|(at, before)| before.saturating_sub(at));
                before = event.at.or(before);
                latest = latest.max(event.at);
                Some(EventView {
                    position,
                    seq: event.seq,
                    word: event.kind.word,
                    family: event.kind.family.word(),
                    is_tied: false,
                    is_usage: event.is_usage(),
                    is_parallel: false,
                    milliseconds: None,
                    tokens: None,
                    aside: match event.relations.side_track {
                        Some(SideTrack::Subagent) => "sub",
                        Some(SideTrack::Branch) => "branch",
                        None => "",
                    },
                    ties: self.ties(event, &range, &path),
                    is_command: event.kind.family == Family::Command,
                    failed: event.has_failed(),
                    is_failure: event.is_failure(),
                    is_marked: event.outcome == EventOutcome::Failed,
                    at: event
                        .at
                        .map(|at| (at, at.saturating_sub(self.start.unwrap_or(at)))),
                    gap,
                    earlier: earlier.map(format::milliseconds),
                    headline: &event.headline,
                    raw_line: event.raw_line,
                    differs: event.differs,
                    follows_missing: event.follows_missing,
                    facts: &event.facts,
                    texts: contents.of(event, anchor),
                    missing: event
                        .external
                        .iter()
                        .map(|e| (e.label, e.about.as_str(), format::bytes(e.len_bytes)))
                        .collect(),
                    spans: self.spans.at(position),
                    annotations: self.annotations_at(position, &path, limit),
                    anchor,
                })
            })
            .collect();
        let long = contents.long;
        self.payloads = payloads;
        self.before = before;
        self.latest = latest;
        let mut running: Vec<RunningStep> = Vec::new();
        let events: Vec<_> = order
            .slots
            .iter()
            .filter_map(|slot| {
                let mut event = events[slot.position - range.start].take()?;
                event.is_tied = !slot.is_first;
                if slot.is_first {
                    let step = &layout.steps.steps[layout.steps.of_event[slot.position]];
                    let begins = step.events.first() == Some(&slot.position);
                    event.milliseconds = step.milliseconds.filter(|_| begins);
                    event.tokens = step.tokens.filter(|_| begins);
                    if begins && step.parent.is_none() {
                        running.retain(|before| before.last > slot.position);
                        let at = event.at.map(|(at, _)| at);
                        event.is_parallel = running
                            .iter()
                            .any(|before| at.is_some_and(|at| before.times.contains(&at)));
                        if event.is_parallel {
                            event.earlier = None;
                        }
                        running.extend(RunningStep::of(tape, step));
                    }
                } else {
                    // How long a call took is stated once, at the call.
                    event.gap = None;
                }
                Some(event)
            })
            .collect();
        let page = TimelinePage {
            folds: folds::folds(&self.mutes, layout, &order, &events),
            events,
            start: self.start,
            layout,
            path,
        };
        (page, long)
    }

    /// Links to the call and the result of an event that are on other pages.
    fn ties(
        &self,
        event: &Event<'_>,
        range: &Range<usize>,
        path: &str,
    ) -> Vec<(&'static str, u64, String)> {
        let ties = [
            ("of call", event.relations.call),
            ("result", event.relations.result),
        ];
        let ties = ties.into_iter().filter_map(|(what, seq)| {
            let position = self.layout.position(seq?)?;
            let is_elsewhere = !range.contains(&position);
            let seq = seq.filter(|_| is_elsewhere)?;
            Some((what, seq, self.layout.event_href(path, seq, position)))
        });
        ties.collect()
    }

    fn annotations_at(&self, position: usize, path: &str, limit: usize) -> Vec<AnnotationView<'a>> {
        let here = self.annotations.get(&position).into_iter().flatten();
        here.map(|(index, annotation)| {
            annotation_view(self.layout, path, annotation, *index, limit)
        })
        .collect()
    }
}

/// A step that other steps may run in parallel with.
struct RunningStep {
    /// The position of its last event. A step that begins before it on the tape began while this one ran. Times alone do not say
    /// so, because they may be of several clocks.
    last: usize,
    /// From its first to its last time.
    times: Range<i64>,
}

impl RunningStep {
    fn of(tape: &Tape<'_>, step: &Step) -> Option<Self> {
        let (first, last) = (*step.events.first()?, *step.events.last()?);
        let start = tape.events[first].at?;
        let times = step.events.iter().map(|position| &tape.events[*position]);
        // Usage is written when the response of the model is complete, which is no time of the step.
        let times = times.filter(|event| !event.is_usage());
        let end = times.filter_map(|event| event.at).max()?;
        Some(Self {
            last,
            times: start..end,
        })
    }
}

fn gap(config: &Config, before: Option<i64>, at: Option<i64>) -> Option<String> {
    let pause = at?.checked_sub(before?)?;
    (pause > config.timeline.gap_milliseconds()).then(|| format::milliseconds(pause))
}

/// Builds the content of events.
struct ContentBuilder<'a, 'p> {
    layout: &'p Layout<'p>,
    page: &'p str,
    /// Maximum bytes of one text.
    limit: usize,
    payloads: &'p mut BTreeSet<&'a str>,
    long: Vec<LongText<'a>>,
}

impl<'a> ContentBuilder<'a, '_> {
    fn of(&mut self, event: &'a Event<'a>, anchor: EventAnchor<'_>) -> Vec<TextView<'a>> {
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

    fn block(
        &mut self,
        block: &'a ContentBlock<'a>,
        kind: TextKind,
        anchor: EventAnchor<'_>,
    ) -> TextView<'a> {
        let whole: &str = &block.text;
        // A payload that an earlier event showed is shortened: thousands of events may share one.
        let limit = match &block.text {
            BlockText::Payload(_, hash) if !self.payloads.insert(hash) => self.limit.min(AGAIN),
            _ => self.limit,
        };
        let text = fit_to_page(whole, kind, limit);
        let rest = (text.len() < whole.len()).then(|| {
            let name = match (&block.text, block.label) {
                (BlockText::Payload(_, hash), _) => format!("{hash}.txt"),
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
            folded: fold_label(whole, kind, block),
            rest,
        }
    }
}

/// The start of a text: at most `limit` bytes, and at most [`ESCAPED`] times as many on a page.
fn fit_to_page(text: &str, kind: TextKind, limit: usize) -> &str {
    let most = limit.saturating_mul(ESCAPED);
    let mut text = format::truncated(text, limit);
    let whole = |text: &str| match kind {
        // A message may be followed by its source.
        TextKind::Prose => WRAPPER + 2 * max_size(text),
        _ => max_size(text),
    };
    while text.len() > most / COSTLIEST && whole(text) > most {
        let size = event_text::size(text, kind);
        if size <= most {
            break;
        }
        // The beginning may need the most space per byte, so the next try can be too long again.
        let share = text.len().saturating_mul(most) / size;
        text = format::truncated(text, share.min(text.len() * 7 / 8));
    }
    text
}

/// Upper bound for the bytes of a text on a page, without rendering it.
fn max_size(text: &str) -> usize {
    let sizes = text.bytes().map(|byte| match byte {
        b' ' | b'.' | b'/' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => 1,
        b'<' | b'>' => "&lt;".len(),
        b'&' => "&amp;".len(),
        // Anything else may be marked or formatted, or start something that is.
        _ => COSTLIEST,
    });
    sizes.sum()
}

fn fold_label(text: &str, kind: TextKind, block: &ContentBlock<'_>) -> Option<String> {
    let size = || format::bytes(text.len() as u64);
    if kind == TextKind::Json || block.folded {
        let is_long = text.len() > FOLD_JSON;
        let lines = || memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
        let is_some = || text.len() > INLINE || lines() > FEW_LINES;
        return (is_long || block.folded && is_some()).then(size);
    }
    let (bytes, most) = match kind {
        TextKind::Prose => (FOLD_PROSE_BYTES, FOLD_PROSE_LINES),
        _ => (FOLD_BYTES, FOLD_LINES),
    };
    if text.len() <= bytes && text.len() < most {
        return None;
    }
    let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
    (text.len() > bytes || lines > most)
        .then(|| format!("{}, {}", format::count(lines, "line"), size()))
}
