//! A tape of any format once it is read: numbered events that annotations can point at.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::formats::events;
use crate::formats::json::Node;
use crate::formats::jsonl::Line;

use super::time::parse_rfc3339;

mod harn;
mod log;
mod trace;
mod withheld;

pub use harn::{Payloads, from_harn};
pub use log::from_event;
#[cfg(test)]
pub(crate) use log::of_log;
pub use trace::TraceReader;

words! {
    /// The format a tape is written in.
    Format {
        /// Test Cabinet's `events.jsonl`.
        Events = "events",
        /// Harn's unified tape.
        Harn = "harn",
        /// A trace.
        Trace = "trace",
    }
}

/// A tape of a run.
#[derive(Debug)]
pub struct Tape<'a> {
    /// File name in the run directory.
    pub file: String,
    /// What it is written in.
    pub format: Format,
    /// Content hash as the sidecar's header carries it.
    pub content_hash: String,
    /// The hashes that other builds and older releases compute, where they differ (formats.md C).
    pub other_hashes: Vec<String>,
    /// Facts of the tape's header, for the provenance section.
    pub header: Vec<(&'static str, String)>,
    /// The events in order.
    pub events: Vec<Event<'a>>,
    /// How many of them had reasoning that is withheld.
    pub withheld: usize,
    /// Position of each number, where that is not the number itself.
    positions: Option<BTreeMap<u64, usize>>,
}

/// What an event is. The word is the format's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// As in the format: `agent`, `process_spawn`, ...
    pub word: &'static str,
    /// What it has in common with others.
    pub family: Family,
}

words! {
    /// Kinds that belong together in color and shape, in the order of the legend.
    Family {
        /// The model speaks.
        Speech = "speech",
        /// The model thinks.
        Reasoning = "reasoning",
        /// A program runs.
        Command = "command",
        /// Something is looked at.
        Read = "read",
        /// Something is changed.
        Write = "write",
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

/// Whether an event succeeded; a harness may not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Not said; never shown as failed.
    Unstated,
    /// It succeeded.
    Succeeded,
    /// It failed.
    Failed,
}

/// How text is to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Words of an agent or a tool: plain, may hold terminal colors.
    Plain,
    /// Words of an agent, whose Markdown is styled in place.
    Prose,
    /// JSON as recorded.
    Json,
    /// A diff, with or without the heads of its hunks.
    Diff,
}

/// A piece of an event's content.
#[derive(Debug)]
pub struct Block<'a> {
    /// Its label, if the event has several blocks: `stdout`, `response`, ...
    pub label: Option<&'static str>,
    /// The subject of the label, as recorded: the path of a file, the name of a tool; may be empty.
    pub about: Cow<'a, str>,
    /// Whether it is folded at first, however short it is.
    pub folded: bool,
    /// How it is shown.
    pub kind: TextKind,
    /// The text.
    pub text: Text<'a>,
}

/// Text of a block: its own, or a payload that several records of a tape refer to and that is held once.
#[derive(Debug, Clone)]
pub enum Text<'a> {
    /// Its own.
    Own(Cow<'a, str>),
    /// That of a payload, known by its hash.
    Payload(Arc<str>, String),
}

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::Payload(text, _) => text,
        }
    }
}

/// Bytes of a payload that are outside the tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// What it is.
    pub label: &'static str,
    /// What the label is about, as in a [`Block`].
    pub about: String,
    /// BLAKE3 of the bytes, 64 hexadecimal digits.
    pub content_hash: String,
    /// How many bytes the tape says.
    pub len_bytes: u64,
}

/// One event.
#[derive(Debug)]
pub struct Event<'a> {
    /// The number that annotations use.
    pub seq: u64,
    /// The line of the file.
    pub line: u32,
    /// The line as written.
    pub source: Cow<'a, str>,
    /// Milliseconds since 1970-01-01 UTC; virtual time in a Harn tape.
    pub at: Option<i64>,
    /// What it is.
    pub kind: Kind,
    /// Whether it succeeded.
    pub outcome: Outcome,
    /// Its subject: a command line, a path, a query; empty if the content says it all.
    pub headline: Cow<'a, str>,
    /// Small facts: exit code, lines, working directory.
    pub facts: Vec<(&'static str, Cow<'a, str>)>,
    /// Its content.
    pub blocks: Vec<Block<'a>>,
    /// Content that is in the CAS folder.
    pub external: Vec<External>,
    /// Paths of files that the call of a tool names or changes, where the headline is more than one path.
    pub files: Vec<String>,
    /// Its relations to other events.
    pub ties: Ties,
    /// The result of [`Event::digest`], if computed before.
    pub known_digest: Option<blake3::Hash>,
}

/// Relations of an event to others of its tape.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ties {
    /// Number of the call that it is the result or an edit of.
    pub call: Option<u64>,
    /// Number of its own result.
    pub result: Option<u64>,
    /// Whether it is outside the main line of the tape.
    pub aside: Option<Aside>,
}

/// What is outside the main line of a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aside {
    /// The work of a subagent.
    Subagent,
    /// A branch that was abandoned.
    Branch,
}

impl Event<'_> {
    /// A digest of the event's content: BLAKE3 of its line, or of its compact JSON in a Harn tape.
    pub fn digest(&self) -> String {
        self.known_digest
            .unwrap_or_else(|| blake3::hash(self.source.as_bytes()))
            .to_hex()
            .to_string()
    }

    /// Computes the digest once, for an event that many annotations may point at.
    pub fn remember_digest(&mut self) {
        let source = &self.source;
        self.known_digest
            .get_or_insert_with(|| blake3::hash(source.as_bytes()));
    }

    /// Whether readers should see a failure here: a failed outcome, or an error event.
    pub fn is_failure(&self) -> bool {
        self.outcome == Outcome::Failed || self.kind.family == Family::Error
    }
}

impl TextKind {
    /// How text is shown that may be JSON.
    fn of(text: &str) -> Self {
        if text.starts_with(['{', '[']) {
            Self::Json
        } else {
            Self::Plain
        }
    }
}

impl<'a> Tape<'a> {
    /// Whether `hash` is its content hash, as any release of its format computes it.
    pub fn has_hash(&self, hash: &str) -> bool {
        self.content_hash == hash || self.other_hashes.iter().any(|other| other == hash)
    }

    /// The tape of an event log.
    pub fn of_events(events: Vec<Event<'a>>, content_hash: String) -> Self {
        Self {
            file: events::FILE_NAME.to_owned(),
            format: Format::Events,
            content_hash,
            other_hashes: Vec::new(),
            header: Vec::new(),
            events,
            withheld: 0,
            positions: None,
        }
    }

    /// How many events failed.
    pub fn failures(&self) -> usize {
        let events = self.events.iter();
        events.filter(|event| event.is_failure()).count()
    }

    /// From the earliest to the latest of its times, which need not be the first and the last.
    pub fn milliseconds(&self) -> Option<i64> {
        let times = || self.events.iter().filter_map(|event| event.at);
        Some(times().max()?.saturating_sub(times().min()?))
    }

    /// The position of event number `seq`; of several with the same number, the first.
    pub fn position(&self, seq: u64) -> Option<usize> {
        match &self.positions {
            Some(positions) => positions.get(&seq).copied(),
            None => usize::try_from(seq)
                .ok()
                .filter(|position| *position < self.events.len()),
        }
    }

    /// The position of the last event whose number is at most `seq`: a span may end between two numbers.
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

impl<'a> Block<'a> {
    fn new(label: Option<&'static str>, kind: TextKind, text: Text<'a>) -> Self {
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
    /// An event with nothing but its line.
    fn new(seq: u64, line: Line<'a>, kind: Kind) -> Self {
        Self {
            seq,
            line: line.number,
            source: line.text,
            at: None,
            kind,
            outcome: Outcome::Unstated,
            headline: Cow::Borrowed(""),
            facts: Vec::new(),
            blocks: Vec::new(),
            external: Vec::new(),
            files: Vec::new(),
            ties: Ties::default(),
            known_digest: None,
        }
    }

    fn push(&mut self, label: Option<&'static str>, kind: TextKind, text: impl Into<Cow<'a, str>>) {
        let text = text.into();
        if !text.is_empty() {
            self.blocks.push(Block::new(label, kind, Text::Own(text)));
        }
    }

    /// Shows an unreadable line as it is in the file, at its time if that can be read.
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

/// The longest headline, in bytes; a longer one moves into the content.
const HEADLINE: usize = 1_000;

fn shortened(mut event: Event<'_>) -> Event<'_> {
    if event.headline.len() > HEADLINE {
        let whole = std::mem::take(&mut event.headline);
        let mut end = HEADLINE;
        while !whole.is_char_boundary(end) {
            end -= 1;
        }
        event.headline = Cow::Owned(format!("{}…", &whole[..end]));
        let whole = Block::new(Some("in full"), TextKind::Plain, Text::Own(whole));
        event.blocks.insert(0, whole);
    }
    for (_, value) in &mut event.facts {
        if let Some((end, _)) = value.char_indices().nth(HEADLINE) {
            *value = Cow::Owned(format!("{}…", &value[..end]));
        }
    }
    event
}
