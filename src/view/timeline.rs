//! Knows a tape as a reader sees it: events with times, gaps and anchors, annotations at their events, spans as lanes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::config::Config;
use crate::model::annotation::{Annotation, Kind, Sidecar};
use crate::model::slug::slugify;
use crate::model::tape::{Event, Outcome, Tape, Text, TextKind};
use crate::model::time;

use super::{Link, format, links};

/// Spans are drawn in at most this many lanes; further ones share the last.
pub const LANES: usize = 4;
/// Text over this many bytes or lines is folded.
const FOLD_BYTES: usize = 2_000;
const FOLD_LINES: usize = 24;

/// Where the events of a tape stand: which page, which anchor.
#[derive(Debug)]
pub struct Layout<'t> {
    /// What anchors and folders of this tape begin with; empty for a run's first tape.
    pub prefix: String,
    slug: String,
    page_size: usize,
    tape: &'t Tape<'t>,
}

impl<'t> Layout<'t> {
    /// The layout of the tapes of the run at `slug`.
    #[must_use]
    pub fn of(config: &Config, slug: &str, tapes: &'t [Tape<'t>]) -> Vec<Self> {
        let mut taken = Vec::new();
        tapes
            .iter()
            .enumerate()
            .map(|(index, tape)| {
                let prefix = if index == 0 {
                    String::new()
                } else {
                    prefix(&tape.file, &mut taken)
                };
                Self {
                    prefix,
                    slug: slug.to_owned(),
                    page_size: config.timeline.page_size,
                    tape,
                }
            })
            .collect()
    }

    /// How many pages the tape takes; the first is part of the run page.
    #[must_use]
    pub fn pages(&self) -> usize {
        self.tape.events.len().div_ceil(self.page_size).max(1)
    }

    /// Path of page `number`, from 1.
    #[must_use]
    pub fn path(&self, number: usize) -> String {
        links::events(&self.slug, &self.prefix, number)
    }

    /// The positions on page `number`, from 1.
    #[must_use]
    pub fn range(&self, number: usize) -> std::ops::Range<usize> {
        let start = (number - 1) * self.page_size;
        start..(start + self.page_size).min(self.tape.events.len())
    }

    /// Where event number `seq` stands on the tape.
    #[must_use]
    pub fn position(&self, seq: u64) -> Option<usize> {
        self.tape.position(seq)
    }

    /// The page of a position, from 1.
    #[must_use]
    pub const fn page(&self, position: usize) -> usize {
        position / self.page_size + 1
    }

    /// The anchor of the event at `position`.
    #[must_use]
    pub fn anchor(&self, seq: u64, position: usize) -> Anchor<'_> {
        // A number that stands twice belongs to the first event that has it.
        Anchor {
            prefix: &self.prefix,
            seq,
            again: (self.position(seq) != Some(position)).then_some(position),
        }
    }

    /// The anchor of an annotation.
    #[must_use]
    pub fn annotation_anchor(&self, annotation: &Annotation<'_>, index: usize) -> String {
        let slug = slugify(&annotation.label);
        // Labels that are no slugs stay apart by their place in the file; no slug begins with a hyphen.
        if slug == annotation.label {
            format!("{}a-{slug}", self.prefix)
        } else {
            format!("{}a--{slug}-{index}", self.prefix)
        }
    }

    /// Address of the event at `position`, for the page at path `from`.
    #[must_use]
    pub fn event_href(&self, from: &str, seq: u64, position: usize) -> String {
        let mut href = self.page_href(from, self.page(position));
        self.anchor(seq, position).push_to(&mut href);
        href
    }

    /// Address of event number `seq`, if the tape has it, for the page at path `from`.
    #[must_use]
    pub fn numbered_href(&self, from: &str, seq: u64) -> Option<String> {
        let position = self.position(seq)?;
        Some(self.event_href(from, seq, position))
    }

    /// Address of an anchor at the event at `position`, for the page at path `from`.
    #[must_use]
    pub fn href(&self, from: &str, position: usize, anchor: &str) -> String {
        let mut href = self.page_href(from, self.page(position));
        href.push_str(anchor);
        href
    }

    /// What the address of an anchor on page `number` begins with, up to its `#`, for the page at path `from`.
    #[must_use]
    pub fn page_href(&self, from: &str, number: usize) -> String {
        let path = self.path(number);
        if path == from {
            "#".to_owned()
        } else {
            format!("{}{path}#", links::root(from))
        }
    }
}

/// The id of an event on its page, written only where it is needed.
#[derive(Debug, Clone, Copy)]
pub struct Anchor<'a> {
    prefix: &'a str,
    seq: u64,
    again: Option<usize>,
}

impl Anchor<'_> {
    /// Appends it.
    pub fn push_to(&self, out: &mut String) {
        let mut digits = itoa::Buffer::new();
        out.push_str(self.prefix);
        out.push_str("e-");
        out.push_str(digits.format(self.seq));
        if let Some(position) = self.again {
            out.push('-');
            out.push_str(digits.format(position));
        }
    }

    /// It as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.push_to(&mut out);
        out
    }
}

/// First parts of ids on a run page: events, annotations, the writeup.
const RESERVED: [&str; 3] = ["e", "a", "thread"];

fn prefix(file: &str, taken: &mut Vec<String>) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let mut slug = slugify(stem);
    if slug.is_empty()
        || taken.contains(&slug)
        || RESERVED.contains(&slug.as_str())
        || slug.bytes().all(|b| b.is_ascii_digit())
    {
        slug = crate::model::slug::with_hash(&slug, file);
    }
    taken.push(slug.clone());
    // No slug holds a dot, so that an anchor with a prefix cannot be mistaken for one without.
    format!("{slug}.")
}

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

/// A piece of a span beside one event.
#[derive(Debug, Clone, Copy)]
pub struct SpanPiece {
    /// 0 to [`LANES`] - 1.
    pub lane: usize,
    /// Whether the span begins here.
    pub starts: bool,
    /// Whether it ends here.
    pub ends: bool,
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

/// An annotation.
#[derive(Debug)]
pub struct AnnotationView<'a> {
    /// Its id on the page.
    pub anchor: String,
    /// Its kind's word.
    pub kind: &'a str,
    /// The kind as a class: one of the known ones, or `unknown`.
    pub class: &'static str,
    /// A sign for the kind.
    pub sign: &'static str,
    /// The kind for people.
    pub name: String,
    /// Markdown.
    pub evidence: Option<&'a str>,
    /// A suggested fix: text (from a JSON string) or JSON.
    pub fix: Option<Cow<'a, str>>,
    /// `reviewer-1 (human) in ide-host`, with what is known.
    pub author: Option<String>,
    /// In UTC; as written when it cannot be read.
    pub timestamp: Option<Cow<'a, str>>,
    /// The events it covers.
    pub span: Option<Link>,
    /// Status of a hypothesis, or kind of friction.
    pub detail: Option<&'a str>,
    /// References: words and, where it may be followed, address.
    pub links: Vec<(String, Option<String>)>,
    /// JSON.
    pub metadata: Option<&'a str>,
    /// Where all of it stands, when it is too long for a page.
    pub rest: Option<String>,
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
    #[allow(clippy::cast_precision_loss, reason = "a pause is shown in two units")]
    (pause > limit).then(|| time::duration(pause as f64 / 1000.0))
}

type Indexed<'a> = (usize, &'a Annotation<'a>);

fn annotations_by_position<'a>(
    layout: &Layout<'_>,
    sidecar: Option<&'a Sidecar<'a>>,
    range: &std::ops::Range<usize>,
) -> BTreeMap<usize, Vec<Indexed<'a>>> {
    let mut by_position: BTreeMap<usize, Vec<Indexed<'a>>> = BTreeMap::new();
    for (index, annotation) in sidecar
        .iter()
        .flat_map(|s| s.annotations.iter())
        .enumerate()
    {
        if let Some(position) = layout
            .position(annotation.event)
            .filter(|p| range.contains(p))
        {
            by_position
                .entry(position)
                .or_default()
                .push((index, annotation));
        }
    }
    by_position
}

/// Gives every span a lane, first come first served, and cuts them into one piece per event of the range.
fn span_pieces(
    layout: &Layout<'_>,
    sidecar: Option<&Sidecar<'_>>,
    range: &std::ops::Range<usize>,
) -> Vec<Vec<SpanPiece>> {
    let mut pieces = vec![Vec::new(); range.len()];
    // At most one piece per lane, however many spans share it.
    for (start, end, lane) in lanes(layout, sidecar) {
        for position in start.max(range.start)..(end + 1).min(range.end) {
            let here: &mut Vec<SpanPiece> = &mut pieces[position - range.start];
            let (starts, ends) = (position == start, position == end);
            match here.iter_mut().find(|piece| piece.lane == lane) {
                // Where one span ends and another goes on, the lane goes on.
                Some(piece) => {
                    (piece.starts, piece.ends) = (piece.starts && starts, piece.ends && ends);
                }
                None => here.push(SpanPiece { lane, starts, ends }),
            }
        }
    }
    pieces
}

/// The spans of a sidecar as positions, each with its lane.
#[must_use]
pub fn lanes(layout: &Layout<'_>, sidecar: Option<&Sidecar<'_>>) -> Vec<(usize, usize, usize)> {
    let mut spans: Vec<(usize, usize)> = sidecar
        .iter()
        .flat_map(|s| s.annotations.iter())
        .filter_map(|a| {
            let (start, end) = a.span?;
            Some((layout.position(start)?, layout.tape.position_up_to(end)?))
        })
        .collect();
    spans.sort_unstable();
    spans.dedup();
    let mut free = [0_usize; LANES];
    spans
        .into_iter()
        .map(|(start, end)| {
            let lane = free
                .iter()
                .position(|from| *from <= start)
                .unwrap_or(LANES - 1);
            free[lane] = free[lane].max(end + 1);
            (start, end, lane)
        })
        .collect()
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
                folded: folded(whole),
                rest,
            }
        })
        .collect()
}

fn folded(text: &str) -> Option<String> {
    if text.len() <= FOLD_BYTES && text.len() < FOLD_LINES {
        return None;
    }
    let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
    (text.len() > FOLD_BYTES || lines > FOLD_LINES).then(|| {
        format!(
            "{}, {}",
            format::count(lines, "line"),
            format::bytes(text.len() as u64)
        )
    })
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

fn annotation_view<'a>(
    layout: &Layout<'_>,
    page: &str,
    annotation: &'a Annotation<'a>,
    index: usize,
    limit: usize,
) -> AnnotationView<'a> {
    let (class, sign) = appearance(&annotation.kind);
    // One annotation must not make a page that no browser opens.
    let cut = |text: &'a str| head(text, limit);
    let long = [
        annotation.evidence.as_deref(),
        annotation.suggested_fix,
        annotation.metadata,
    ];
    let is_cut = long.into_iter().flatten().any(|text| text.len() > limit);
    AnnotationView {
        rest: is_cut.then(|| {
            format!(
                "Only the first {} are shown; the sidecar holds all of it.",
                format::bytes(limit as u64)
            )
        }),
        anchor: layout.annotation_anchor(annotation, index),
        kind: annotation.kind.word(),
        class,
        sign,
        name: annotation.kind.word().replace('_', " "),
        evidence: annotation.evidence.as_deref().map(cut),
        fix: annotation
            .suggested_fix
            .map(|raw| match serde_json::from_str::<String>(raw) {
                Ok(text) => Cow::Owned(head(&text, limit).to_owned()),
                Err(_) => Cow::Borrowed(head(raw, limit)),
            }),
        author: annotation.author.as_ref().map(|author| {
            let id = author.id.as_deref().unwrap_or("unnamed");
            let surface = author
                .surface
                .as_ref()
                .map_or_else(String::new, |surface| format!(" in {surface}"));
            format!("{id} ({}){surface}", author.kind)
        }),
        timestamp: annotation.timestamp.as_deref().map(|text| {
            time::parse_rfc3339(text).map_or(Cow::Borrowed(text), |ms| Cow::Owned(time::utc(ms)))
        }),
        span: annotation.span.and_then(|(start, end)| {
            let position = layout.tape.position_up_to(end)?;
            let last = layout.tape.events.get(position)?.seq;
            Some(Link {
                text: format!("events {start} to {end}"),
                href: layout.event_href(page, last, position),
            })
        }),
        detail: annotation
            .hypothesis_status
            .or(annotation.friction_kind.as_deref()),
        links: annotation
            .links
            .iter()
            .map(|link| {
                let words = link
                    .label
                    .as_ref()
                    .or(link.url.as_ref())
                    .or(link.reference.as_ref());
                let mut words = words.cloned().unwrap_or_default();
                if let (Some(reference), true) = (&link.reference, link.label.is_some()) {
                    words = format!("{words} ({reference})");
                }
                (words, link.url.clone())
            })
            .collect(),
        metadata: annotation.metadata.map(cut),
    }
}

/// The class and the sign of a kind; shape and word say it as well as colour.
#[must_use]
pub const fn appearance(kind: &Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Correct => ("correct", "✓"),
        Kind::Incorrect => ("incorrect", "✗"),
        Kind::Alternative => ("alternative", "⇄"),
        Kind::Note => ("note", "✎"),
        Kind::Marker => ("marker", "⚑"),
        Kind::Mute => ("mute", "⊘"),
        Kind::Hypothesis => ("hypothesis", "?"),
        Kind::Friction => ("friction", "≈"),
        Kind::CrystallizeHere => ("crystallize", "◆"),
        Kind::Unknown(_) => ("unknown", "•"),
    }
}
