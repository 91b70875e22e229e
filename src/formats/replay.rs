//! Translates a raw log into events once more, by the rules of the recorder (docs/replay.md). The audit compares them with the event
//! log.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::raw::Stream;

mod claude;
mod cline;
mod codex;
mod commands;
mod errors;
mod gg;
mod goose;
mod lookup;
mod opencode;
mod paths;
mod pi;
mod tools;
mod usage;

use goose::PartialText;

pub use commands::{first_command, last_segment};
pub use gg::{UNPARSABLE, is_default, is_recorded_form};

/// A version of the recorder's translator, in our own count (replay.md 3).
pub type TranslatorVersion = u8;

/// The newest version whose rules are known.
pub const NEWEST: TranslatorVersion = 6;

/// The harnesses with rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the harnesses")]
pub enum Harness {
    Codex,
    Claude,
    Cline,
    Goose,
    OpenCode,
    Kilo,
    Pi,
    Antigravity,
    Gg,
}

impl Harness {
    /// The harness that a record names; `None` if there are no rules for it.
    pub fn of(slug: &str) -> Option<Self> {
        Some(match slug {
            "codex" => Self::Codex,
            "claude" => Self::Claude,
            "cline" => Self::Cline,
            "goose" => Self::Goose,
            "opencode" => Self::OpenCode,
            "kilo" => Self::Kilo,
            "pi" => Self::Pi,
            "antigravity" => Self::Antigravity,
            "gg" => Self::Gg,
            _ => return None,
        })
    }

    /// Whether the newest translator counts the calls of each tool.
    pub const fn counts_calls(self) -> bool {
        !matches!(self, Self::Codex | Self::Antigravity | Self::Gg)
    }

    /// The versions that know it.
    pub const fn versions(self) -> RangeInclusive<TranslatorVersion> {
        match self {
            Self::Gg => 5..=NEWEST,
            _ => 1..=NEWEST,
        }
    }

    /// Whether version 1 had rules for it.
    const fn is_first(self) -> bool {
        matches!(self, Self::Codex | Self::Claude)
    }
}

/// What a row of a raw log says.
#[derive(Debug)]
pub enum RawRow {
    /// Nothing but white space.
    Blank,
    /// Text on `stderr`.
    Stderr(String),
    /// Text on `stdout` that is not JSON.
    Plain(String),
    /// JSON on `stdout`.
    Json(Value),
}

impl RawRow {
    /// Reads the text of a row.
    pub fn new(stream: Stream, text: &str) -> Self {
        let text = text.trim();
        match stream {
            _ if text.is_empty() => Self::Blank,
            Stream::Stderr => Self::Stderr(text.to_owned()),
            Stream::Stdout => {
                serde_json::from_str(text).map_or_else(|_| Self::Plain(text.to_owned()), Self::Json)
            }
        }
    }
}

/// A derived event, without a time.
#[derive(Debug, Clone, PartialEq)]
pub struct TranslatedEvent<'a> {
    /// Its type.
    pub kind: &'static str,
    /// All other keys.
    pub fields: Vec<(&'static str, Cow<'a, Value>)>,
    /// Another message that is just as right: the recorder may have written the keys of an object in another order.
    pub other_message: Option<String>,
    /// Whether only some versions write it.
    pub is_optional: bool,
}

impl<'a> TranslatedEvent<'a> {
    fn new(kind: &'static str) -> Self {
        Self {
            kind,
            fields: Vec::new(),
            other_message: None,
            is_optional: false,
        }
    }

    fn message(kind: &'static str, message: impl Into<String>) -> Self {
        Self::new(kind).text("message", message)
    }

    fn unknown(raw: &'a Value) -> Self {
        Self::new("unknown").json("raw", raw)
    }

    fn text(self, key: &'static str, text: impl Into<String>) -> Self {
        self.owned(key, Value::String(text.into()))
    }

    fn maybe(self, key: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.owned(key, value.into()),
            None => self,
        }
    }

    fn owned(mut self, key: &'static str, value: Value) -> Self {
        self.fields.push((key, Cow::Owned(value)));
        self
    }

    fn json(mut self, key: &'static str, value: &'a Value) -> Self {
        self.fields.push((key, Cow::Borrowed(value)));
        self
    }

    pub fn to_json(&self) -> Map<String, Value> {
        let kind = ("type".to_owned(), Value::String(self.kind.to_owned()));
        let fields = self.fields.iter();
        let fields = fields.map(|(key, value)| ((*key).to_owned(), value.as_ref().clone()));
        std::iter::once(kind).chain(fields).collect()
    }
}

/// An open call: the events that its end makes, except for its success. `None` if the tool has no rule.
#[derive(Debug)]
struct OpenCall {
    events: Option<Vec<TranslatedEvent<'static>>>,
    /// The oldest version that makes the same events.
    since: TranslatorVersion,
}

/// The state of a translation. It lasts for all sessions of a run.
#[derive(Debug)]
pub struct Translator {
    harness: Harness,
    version: TranslatorVersion,
    /// The oldest version whose rules made no difference for the rows so far.
    oldest: TranslatorVersion,
    /// Whether version 1, which had no rules for most harnesses, makes the same of them, too.
    is_like_first: bool,
    session: Option<String>,
    /// The working directory. Only Claude Code says it.
    workspace: Option<String>,
    /// The open calls by id, the oldest first.
    calls: BTreeMap<String, VecDeque<OpenCall>>,
    /// Text that Goose is still sending.
    partial: Option<PartialText>,
    tool_calls: BTreeMap<String, u64>,
}

impl Translator {
    /// A translator before the first row.
    pub fn new(harness: Harness, version: TranslatorVersion) -> Self {
        Self {
            harness,
            version,
            oldest: harness
                .versions()
                .find(|it| *it > 1 || harness.is_first())
                .unwrap_or(version)
                .min(version),
            is_like_first: *harness.versions().start() == 1 && !harness.is_first(),
            session: None,
            workspace: None,
            calls: BTreeMap::new(),
            partial: None,
            tool_calls: BTreeMap::new(),
        }
    }

    /// The versions up to this one that make the same events of all rows so far.
    pub fn versions(&self) -> Vec<TranslatorVersion> {
        let like_first = self.is_like_first && self.oldest > 1;
        let first = like_first.then_some(1);
        first
            .into_iter()
            .chain(self.oldest..=self.version)
            .collect()
    }

    /// Number of calls by the name of the tool, in lower case (replay.md 13).
    pub const fn tool_calls(&self) -> &BTreeMap<String, u64> {
        &self.tool_calls
    }

    /// The events of a row.
    pub fn translate<'a>(&mut self, row: &'a RawRow) -> Vec<TranslatedEvent<'a>> {
        let mut events = match row {
            RawRow::Blank => return Vec::new(),
            RawRow::Stderr(text) => vec![TranslatedEvent::message("warning", text)],
            RawRow::Plain(text) => vec![self.plain(text)],
            RawRow::Json(line) => self.line(line),
        };
        if let Some(session) = &self.session {
            for event in &mut events {
                let session = Value::String(session.clone());
                event.fields.push(("sessionId", Cow::Owned(session)));
            }
        }
        self.is_like_first &= self.is_like_the_first(row, &events);
        events
    }

    fn plain(&self, text: &str) -> TranslatedEvent<'static> {
        match self.harness {
            _ if self.has_no_rules() => TranslatedEvent::new("unknown").text("raw", text),
            Harness::Gg => TranslatedEvent::message("warning", UNPARSABLE),
            _ => TranslatedEvent::message("warning", text),
        }
    }

    fn line<'a>(&mut self, line: &'a Value) -> Vec<TranslatedEvent<'a>> {
        match self.harness {
            _ if self.has_no_rules() => vec![TranslatedEvent::unknown(line)],
            Harness::Codex => codex::line(self, line),
            Harness::Claude => claude::line(self, line),
            Harness::Cline => cline::line(self, line),
            Harness::Goose => goose::line(self, line),
            Harness::OpenCode | Harness::Kilo => opencode::line(self, line),
            Harness::Pi => pi::line(self, line),
            Harness::Gg => gg::line(line),
            Harness::Antigravity => Vec::new(),
        }
    }

    fn has_no_rules(&self) -> bool {
        self.harness == Harness::Antigravity || (self.version == 1 && !self.harness.is_first())
    }

    /// Whether version 1 made the same of a row.
    fn is_like_the_first(&self, row: &RawRow, events: &[TranslatedEvent<'_>]) -> bool {
        if self.has_no_rules() || self.harness.is_first() {
            return true;
        }
        match (row, events) {
            (RawRow::Json(line), [event]) => *event == TranslatedEvent::unknown(line),
            (row, _) => matches!(row, RawRow::Stderr(_)),
        }
    }

    /// Whether a rule that came with a version holds. Ask only if it makes a difference for the events.
    fn has(&mut self, version: TranslatorVersion) -> bool {
        let has = self.version >= version;
        if has {
            self.oldest = self.oldest.max(version);
        }
        has
    }

    /// Keeps the first session id that is not empty.
    fn identify(&mut self, id: Option<&str>) {
        if self.session.is_none() {
            self.session = id.filter(|id| !id.is_empty()).map(ToOwned::to_owned);
        }
    }

    fn count(&mut self, tool: &str) {
        *self
            .tool_calls
            .entry(tool.to_ascii_lowercase())
            .or_default() += 1;
    }

    /// The events of a call, by the rules of this version.
    fn call(
        &self,
        map: impl Fn(TranslatorVersion) -> Option<Vec<TranslatedEvent<'static>>>,
    ) -> OpenCall {
        // The versions that changed the rules of tools.
        const CHANGES: [TranslatorVersion; 2] = [6, 4];
        let events = map(self.version);
        let changes = CHANGES.into_iter().filter(|change| *change <= self.version);
        let since = changes.clone().find(|change| map(change - 1) != events);
        OpenCall {
            events,
            since: since.unwrap_or(1),
        }
    }

    fn open(&mut self, id: &str, call: OpenCall) {
        self.calls.entry(id.to_owned()).or_default().push_back(call);
    }

    /// Takes the oldest open call with an id.
    fn close(&mut self, id: Option<&str>) -> Option<OpenCall> {
        let id = id?;
        let calls = self.calls.get_mut(id)?;
        let call = calls.pop_front();
        if calls.is_empty() {
            self.calls.remove(id);
        }
        call
    }

    /// The events of a call with its success; `None` if there is no call, or its tool has no rule.
    fn end(
        &mut self,
        call: Option<OpenCall>,
        ok: Option<bool>,
    ) -> Option<Vec<TranslatedEvent<'static>>> {
        let call = call?;
        self.oldest = self.oldest.max(call.since);
        let events = call.events?.into_iter();
        Some(events.map(|event| event.maybe("isSuccess", ok)).collect())
    }
}
