//! A tape of any format after parsing: numbered events that annotations refer to.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::events;
use crate::json::Node;
use crate::jsonl::Line;

use super::annotation::{self, Annotation};
use super::time::parse_rfc3339;

mod harn;
mod log;
mod reasoning;
mod trace;

pub use harn::{Payloads, from_harn};
pub use log::from_event;
pub use trace::TraceReader;

words! {
    /// The format of a tape.
    TapeFormat {
        /// Test Cabinet's `events.jsonl`.
        Events = "events",
        /// Harn's unified tape.
        Harn = "harn",
        Trace = "trace",
    }
}

/// The fact in the header of a trace that names the format of the log.
pub const MADE_FROM: &str = "Made from";

/// A tape of a run.
#[derive(Debug)]
pub struct Tape<'a> {
    /// File name in the run directory.
    pub file: String,
    pub format: TapeFormat,
    /// Content hash as in the sidecar's header.
    pub content_hash: String,
    /// The hashes of other builds and older releases, if different (formats.md C).
    pub other_hashes: Vec<String>,
    /// Facts from the tape's header, for the provenance section.
    pub header: Vec<(&'static str, String)>,
    pub events: Vec<Event<'a>>,
    /// Number of events with withheld reasoning.
    pub withheld: usize,
    /// Position of each event by number, if the two differ.
    positions: Option<BTreeMap<u64, usize>>,
}

/// The kind of an event. The word is from the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventKind {
    /// As in the format: `agent`, `process_spawn`, ...
    pub word: &'static str,
    /// The family of similar kinds.
    pub family: Family,
}

words! {
    /// Families of kinds with the same color and shape, in legend order.
    Family {
        /// The model speaks.
        Speech = "speech",
        /// The model thinks.
        Reasoning = "reasoning",
        /// A program runs.
        Command = "command",
        /// Something is read.
        Read = "read",
        /// Something is changed.
        Write = "write",
        /// A tool of no family above is called.
        Tool = "tool",
        /// Another agent, skill or service is used.
        Delegation = "delegation",
        /// Something went wrong.
        Error = "error",
        /// Something might go wrong.
        Warning = "warning",
        /// Everything else.
        Other = "other",
    }
}

/// Whether an event succeeded, if the harness recorded it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventOutcome {
    /// Not recorded; never shown as failed.
    Unstated,
    Succeeded,
    Failed,
}

/// How to render a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Output of an agent or a tool: plain, may contain terminal colors.
    Plain,
    /// Prose of an agent, with its Markdown styled in place.
    Prose,
    /// JSON as recorded.
    Json,
    /// A diff, with or without hunk headers.
    Diff,
}

/// A part of an event's content.
#[derive(Debug)]
pub struct ContentBlock<'a> {
    /// Its label, if the event has several blocks: `stdout`, `response`, ...
    pub label: Option<&'static str>,
    /// The subject of the label, as recorded: the path of a file, the name of a tool; may be empty.
    pub about: Cow<'a, str>,
    /// Whether it is initially collapsed, however short.
    pub folded: bool,
    pub kind: TextKind,
    pub text: BlockText<'a>,
}

/// Text of a block: its own, or a payload that several records of a tape share in memory.
#[derive(Debug, Clone)]
pub enum BlockText<'a> {
    Own(Cow<'a, str>),
    /// A shared payload, with its hash.
    Payload(Arc<str>, String),
}

impl std::ops::Deref for BlockText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::Payload(text, _) => text,
        }
    }
}

/// A payload outside the tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalPayload {
    pub label: &'static str,
    /// The subject of the label, as in [`ContentBlock::about`].
    pub about: String,
    /// BLAKE3 of the bytes, 64 hexadecimal digits.
    pub content_hash: String,
    /// Size in bytes, according to the tape.
    pub len_bytes: u64,
}

#[derive(Debug)]
pub struct Event<'a> {
    /// The number that annotations refer to.
    pub seq: u64,
    /// Line number in the file.
    pub line: u32,
    /// The line as written.
    pub source: Cow<'a, str>,
    /// Milliseconds since 1970-01-01 UTC; virtual time in a Harn tape.
    pub at: Option<i64>,
    pub kind: EventKind,
    pub outcome: EventOutcome,
    /// Its subject: a command line, a path, a query; empty if the content is enough.
    pub headline: Cow<'a, str>,
    /// Short facts: exit code, lines, working directory.
    pub facts: Vec<(&'static str, Cow<'a, str>)>,
    pub blocks: Vec<ContentBlock<'a>>,
    /// Content in the CAS folder.
    pub external: Vec<ExternalPayload>,
    /// Paths that a tool call names or changes, if the headline is not a single path.
    pub files: Vec<String>,
    /// Its relations to other events.
    pub relations: EventRelations,
    /// Tokens that it reports, of all classes: those of a model call.
    pub tokens: Option<u64>,
    /// What the agent says with it, if it is the call with which it finishes: an argument of that call, and no message of its own.
    pub final_message: Option<Cow<'a, str>>,
    /// The result of [`Event::digest`], if already computed.
    pub cached_digest: Option<blake3::Hash>,
    /// The line of the raw log that it follows from, if that is known.
    pub raw_line: Option<u32>,
    /// Whether the audit found that it does not follow from the raw log as it is.
    pub differs: bool,
    /// Whether the audit found that an event of the raw log is missing right before it.
    pub follows_missing: bool,
    /// Whether a reviewer muted it: it is shown, but no failure to act upon.
    is_muted: bool,
    /// Whether it belongs to the failure of an event before it, as the error of a failed command does.
    pub repeats_failure: bool,
}

/// Relations of an event to other events of its tape.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EventRelations {
    /// Number of the call that this is the result or an edit of.
    pub call: Option<u64>,
    /// Number of its own result.
    pub result: Option<u64>,
    /// Whether it is outside the main line of the tape.
    pub side_track: Option<SideTrack>,
    /// Number of the call that started the subagent whose work it is.
    pub parent: Option<u64>,
}

/// Parts outside the main line of a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideTrack {
    /// The work of a subagent.
    Subagent,
    /// An abandoned branch.
    Branch,
}

impl Event<'_> {
    /// A digest of the event's content: BLAKE3 of its line, or of its compact JSON in a Harn tape.
    pub fn digest(&self) -> String {
        self.cached_digest
            .unwrap_or_else(|| blake3::hash(self.source.as_bytes()))
            .to_hex()
            .to_string()
    }

    /// Computes the digest once, for an event that many annotations may refer to.
    pub fn cache_digest(&mut self) {
        let source = &self.source;
        self.cached_digest
            .get_or_insert_with(|| blake3::hash(source.as_bytes()));
    }

    /// Whether it counts as a failure. A call and its error are one failure, at the event that failed first.
    pub fn is_failure(&self) -> bool {
        self.is_part_of_failure() && !self.repeats_failure
    }

    /// Whether it failed, and no reviewer muted it.
    pub fn is_part_of_failure(&self) -> bool {
        self.has_failed() && !self.is_muted
    }

    /// Whether it only reports what a call of a model used.
    pub fn is_usage(&self) -> bool {
        self.kind.word == "usage"
    }

    /// Whether it has a failed outcome, or is an error event.
    pub fn has_failed(&self) -> bool {
        self.outcome == EventOutcome::Failed || self.kind.family == Family::Error
    }
}

impl TextKind {
    /// The kind of a text that may be JSON.
    fn of(text: &str) -> Self {
        if text.starts_with(['{', '[']) {
            Self::Json
        } else {
            Self::Plain
        }
    }
}

impl<'a> Tape<'a> {
    /// Whether `hash` is its content hash in any release of its format.
    pub fn has_hash(&self, hash: &str) -> bool {
        self.content_hash == hash || self.other_hashes.iter().any(|other| other == hash)
    }

    /// The tape of an event log.
    pub fn of_events(events: Vec<Event<'a>>, content_hash: String) -> Self {
        Self {
            file: events::FILE_NAME.to_owned(),
            format: TapeFormat::Events,
            content_hash,
            other_hashes: Vec::new(),
            header: Vec::new(),
            events,
            withheld: 0,
            positions: None,
        }
    }

    /// Marks the event that a finding of the audit names: that differs, or before which one is missing.
    pub fn mark_finding(&mut self, differs: Option<u64>, before: Option<u64>) {
        let place = |seq: Option<u64>| self.position(seq?);
        let (differs, before) = (place(differs), place(before));
        if let Some(position) = differs {
            self.events[position].differs = true;
        }
        if let Some(position) = before {
            self.events[position].follows_missing = true;
        }
    }

    /// Marks the events that the annotations mute.
    pub fn mute(&mut self, annotations: &[Annotation<'_>]) {
        let mutes = annotations
            .iter()
            .filter(|annotation| annotation.kind == annotation::AnnotationKind::Mute);
        let mut spans: Vec<_> = mutes
            .filter_map(|annotation| self.covered(annotation))
            .collect();
        spans.sort_unstable();
        // Spans may overlap; each event is visited once.
        let mut next = 0;
        for (start, end) in spans {
            let after = end.saturating_add(1);
            for event in self.events.iter_mut().take(after).skip(start.max(next)) {
                event.is_muted = true;
            }
            next = next.max(after);
        }
    }

    /// Positions of the first and the last event that an annotation covers.
    pub fn covered(&self, annotation: &Annotation<'_>) -> Option<(usize, usize)> {
        let own = (annotation.event, annotation.event);
        let (start, end) = annotation.span.unwrap_or(own);
        let (first, last) = (self.position(start)?, self.position_up_to(end)?);
        (first <= last).then_some((first, last))
    }

    pub fn failures(&self) -> usize {
        let events = self.events.iter();
        events.filter(|event| event.is_failure()).count()
    }

    /// The events that are recorded as earlier than the last event with a time before them.
    pub fn backward_events(&self) -> impl Iterator<Item = &Event<'a>> {
        let mut before = None;
        self.events.iter().filter(move |event| {
            let is_earlier = event.at.is_some() && event.at < before;
            before = event.at.or(before);
            is_earlier
        })
    }

    /// The time of the first event that has one.
    pub fn first_time(&self) -> Option<i64> {
        self.events.iter().find_map(|event| event.at)
    }

    /// The earliest and the latest time, which need not be those of the first and the last event.
    pub fn time_range(&self) -> Option<(i64, i64)> {
        let times = || self.events.iter().filter_map(|event| event.at);
        Some((times().min()?, times().max()?))
    }

    /// Time from the earliest to the latest event.
    pub fn milliseconds(&self) -> Option<i64> {
        let (earliest, latest) = self.time_range()?;
        Some(latest.saturating_sub(earliest))
    }

    /// The position of event number `seq`; the first one if the number is duplicated.
    pub fn position(&self, seq: u64) -> Option<usize> {
        match &self.positions {
            Some(positions) => positions.get(&seq).copied(),
            None => usize::try_from(seq)
                .ok()
                .filter(|position| *position < self.events.len()),
        }
    }

    /// The position of the last event with a number of at most `seq`: a span may end between two numbers.
    pub fn position_up_to(&self, seq: u64) -> Option<usize> {
        if let Some(positions) = &self.positions {
            positions
                .range(..=seq)
                .next_back()
                .map(|(_, position)| *position)
        } else {
            let last = self.events.len().checked_sub(1)?;
            Some(usize::try_from(seq).map_or(last, |seq| seq.min(last)))
        }
    }

    /// The highest number on the tape.
    pub fn last_seq(&self) -> Option<u64> {
        match &self.positions {
            Some(positions) => positions.keys().next_back().copied(),
            None => self.events.len().checked_sub(1).map(|last| last as u64),
        }
    }
}

impl<'a> ContentBlock<'a> {
    fn new(label: Option<&'static str>, kind: TextKind, text: BlockText<'a>) -> Self {
        Self {
            label,
            about: Cow::Borrowed(""),
            folded: false,
            kind,
            text,
        }
    }
}

impl<'a> Event<'a> {
    /// An event with only its line.
    fn new(seq: u64, line: Line<'a>, kind: EventKind) -> Self {
        Self {
            seq,
            line: line.number,
            source: line.text,
            at: None,
            kind,
            outcome: EventOutcome::Unstated,
            headline: Cow::Borrowed(""),
            facts: Vec::new(),
            blocks: Vec::new(),
            external: Vec::new(),
            files: Vec::new(),
            relations: EventRelations::default(),
            tokens: None,
            final_message: None,
            cached_digest: None,
            raw_line: None,
            differs: false,
            follows_missing: false,
            is_muted: false,
            repeats_failure: false,
        }
    }

    fn push(&mut self, label: Option<&'static str>, kind: TextKind, text: impl Into<Cow<'a, str>>) {
        let text = text.into();
        if !text.is_empty() {
            self.blocks
                .push(ContentBlock::new(label, kind, BlockText::Own(text)));
        }
    }

    /// Shows an unreadable line as written, at its time if readable.
    fn show_line(&mut self, time: &str) {
        let root = Node::parse(&self.source).ok();
        let time = root.and_then(|root| root.get(time));
        self.at = time.and_then(|node| parse_rfc3339(&node.as_str()?));
        let text = self.source.clone();
        self.push(None, TextKind::Plain, text);
    }

    fn fact(&mut self, name: &'static str, value: Option<impl Into<Cow<'a, str>>>) {
        if let Some(value) = value {
            self.facts.push((name, value.into()));
        }
    }
}

/// The sum of the token counts that are known.
fn sum<const N: usize>(counts: [Option<u64>; N]) -> Option<u64> {
    let known = counts.into_iter().flatten();
    known.reduce(u64::saturating_add)
}

/// Maximum bytes of a headline; a longer one moves into the content.
const MAX_HEADLINE_BYTES: usize = 1_000;

fn shortened(mut event: Event<'_>) -> Event<'_> {
    if event.headline.len() > MAX_HEADLINE_BYTES {
        let whole = std::mem::take(&mut event.headline);
        let end = whole.floor_char_boundary(MAX_HEADLINE_BYTES);
        event.headline = Cow::Owned(format!("{}…", &whole[..end]));
        let whole = ContentBlock::new(Some("in full"), TextKind::Plain, BlockText::Own(whole));
        event.blocks.insert(0, whole);
    }
    for (_, value) in &mut event.facts {
        if let Some((end, _)) = value.char_indices().nth(MAX_HEADLINE_BYTES) {
            *value = Cow::Owned(format!("{}…", &value[..end]));
        }
    }
    event
}
