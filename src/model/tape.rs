//! Knows what a tape is once it is read, whichever format it came in: numbered events that can be pointed at.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::formats::events::{self, Fields};
use crate::formats::json::{Node, Str};
use crate::formats::tape as harn;

use super::time::{parse_rfc3339, showable};

/// The format a tape is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Test Cabinet's `events.jsonl`.
    Events,
    /// Harn's unified tape.
    Harn,
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
    /// The hash that an older tool computes, where it may differ (formats.md C).
    pub older_hash: Option<String>,
    /// Facts of the tape's header, for the provenance section.
    pub header: Vec<(&'static str, String)>,
    /// The events in order.
    pub events: Vec<Event<'a>>,
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

/// Kinds that belong together in colour and shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// The model speaks or thinks.
    Speech,
    /// A program runs.
    Command,
    /// Something is looked at.
    Read,
    /// Something is changed.
    Write,
    /// Another agent, skill or service is used.
    Delegation,
    /// Something went wrong.
    Error,
    /// Something might go wrong.
    Warning,
    /// Everything else.
    Other,
}

impl Family {
    /// All families, in the order of the legend.
    pub const ALL: [Self; 8] = [
        Self::Speech,
        Self::Command,
        Self::Read,
        Self::Write,
        Self::Delegation,
        Self::Error,
        Self::Warning,
        Self::Other,
    ];

    /// The word for legends and classes.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Speech => "speech",
            Self::Command => "command",
            Self::Read => "read",
            Self::Write => "write",
            Self::Delegation => "delegation",
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Other => "other",
        }
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
    /// Words of an agent or a tool: plain, may hold terminal colours.
    Plain,
    /// JSON as recorded.
    Json,
}

/// A piece of an event's content.
#[derive(Debug)]
pub struct Block<'a> {
    /// What it is, where the event has several: `stdout`, `response`, ...
    pub label: Option<&'static str>,
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

/// Bytes of a payload that stand outside the tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    /// What it is.
    pub label: &'static str,
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
    /// The one thing it is about: a command line, a path, a query; empty when the content says it all.
    pub headline: Cow<'a, str>,
    /// Small facts: exit code, lines, working directory.
    pub facts: Vec<(&'static str, Cow<'a, str>)>,
    /// Its content.
    pub blocks: Vec<Block<'a>>,
    /// Content that stands in the CAS folder.
    pub external: Vec<External>,
    /// BLAKE3 of a Harn record's compact JSON; an event of a log is known by its line.
    pub record_digest: Option<blake3::Hash>,
}

impl Event<'_> {
    /// What names the event's content: BLAKE3 of its line, or of its compact JSON in a Harn tape.
    #[must_use]
    pub fn digest(&self) -> String {
        self.record_digest
            .unwrap_or_else(|| blake3::hash(self.source.as_bytes()))
            .to_hex()
            .to_string()
    }

    /// Whether readers should see a failure here: a failed outcome, or an error event.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.outcome == Outcome::Failed || self.kind.family == Family::Error
    }
}

impl<'a> Tape<'a> {
    /// The tape of an event log.
    #[must_use]
    pub fn of_events(events: Vec<Event<'a>>, content_hash: String) -> Self {
        Self {
            file: events::FILE_NAME.to_owned(),
            format: Format::Events,
            content_hash,
            older_hash: None,
            header: Vec::new(),
            events,
            positions: None,
        }
    }

    /// Where event number `seq` stands; of two with one number, the first.
    #[must_use]
    pub fn position(&self, seq: u64) -> Option<usize> {
        match &self.positions {
            Some(positions) => positions.get(&seq).copied(),
            None => usize::try_from(seq)
                .ok()
                .filter(|position| *position < self.events.len()),
        }
    }

    /// Where the last event stands whose number is not above `seq`: a span may end between two numbers.
    #[must_use]
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
    #[must_use]
    pub fn last_seq(&self) -> Option<u64> {
        match &self.positions {
            Some(positions) => positions.keys().next_back().copied(),
            None => self.events.len().checked_sub(1).map(|last| last as u64),
        }
    }
}

/// The event of a line of a log; its number is its position (formats.md H.3).
#[must_use]
pub fn from_event(event: events::Event<'_>, seq: u64) -> Event<'_> {
    shortened(whole_event(event, seq))
}

/// A headline is one line for orientation: what is too long for that moves into the content.
const HEADLINE: usize = 1_000;

fn shortened(mut event: Event<'_>) -> Event<'_> {
    if event.headline.len() > HEADLINE {
        let whole = std::mem::take(&mut event.headline);
        let mut end = HEADLINE;
        while !whole.is_char_boundary(end) {
            end -= 1;
        }
        event.headline = Cow::Owned(format!("{}…", &whole[..end]));
        event.blocks.insert(
            0,
            Block {
                label: Some("in full"),
                kind: TextKind::Plain,
                text: Text::Own(whole),
            },
        );
    }
    for (_, value) in &mut event.facts {
        if let Some((end, _)) = value.char_indices().nth(HEADLINE) {
            *value = Cow::Owned(format!("{}…", &value[..end]));
        }
    }
    event
}

fn whole_event(event: events::Event<'_>, seq: u64) -> Event<'_> {
    let mut made = Event {
        seq,
        line: event.line.number,
        source: event.line.text,
        at: None,
        kind: event_kind(event.kind),
        outcome: Outcome::Unstated,
        headline: Cow::Borrowed(""),
        facts: Vec::new(),
        blocks: Vec::new(),
        external: Vec::new(),
        record_digest: None,
    };
    if let Some(fields) = event.fields {
        fill(&mut made, event.kind, fields);
    } else {
        // What cannot be read is shown as it stands in the file, at its time where that can be read.
        let timestamp = Node::parse(&made.source)
            .ok()
            .and_then(|root| root.get("timestamp"));
        made.at = timestamp.and_then(|node| parse_rfc3339(&node.as_str()?));
        let text = made.source.clone();
        made.push(None, TextKind::Plain, text);
    }
    made
}

impl<'a> Event<'a> {
    fn push(&mut self, label: Option<&'static str>, kind: TextKind, text: impl Into<Cow<'a, str>>) {
        let text = text.into();
        if !text.is_empty() {
            self.blocks.push(Block {
                label,
                kind,
                text: Text::Own(text),
            });
        }
    }

    fn fact(&mut self, name: &'static str, value: Option<impl Into<Cow<'a, str>>>) {
        if let Some(value) = value {
            self.facts.push((name, value.into()));
        }
    }
}

const fn event_kind(kind: events::Kind) -> Kind {
    let (word, family) = match kind {
        events::Kind::Agent => ("agent", Family::Speech),
        events::Kind::Reasoning => ("reasoning", Family::Speech),
        events::Kind::Command => ("command", Family::Command),
        events::Kind::Read => ("read", Family::Read),
        events::Kind::Write => ("write", Family::Write),
        events::Kind::Search => ("search", Family::Read),
        events::Kind::List => ("list", Family::Read),
        events::Kind::Skill => ("skill", Family::Delegation),
        events::Kind::Orchestration => ("orchestration", Family::Delegation),
        events::Kind::Error => ("error", Family::Error),
        events::Kind::Warning => ("warning", Family::Warning),
        events::Kind::System => ("system", Family::Other),
        events::Kind::Usage => ("usage", Family::Other),
        events::Kind::Gg => ("gg", Family::Other),
        events::Kind::Unknown => ("unknown", Family::Other),
    };
    Kind { word, family }
}

fn fill<'a>(event: &mut Event<'a>, kind: events::Kind, f: Fields<'a>) {
    let text = |value: Option<Str<'a>>| value.map(Str::into_inner);
    event.at = f.timestamp.as_deref().and_then(parse_rfc3339);
    event.outcome = match f.is_success {
        Some(true) => Outcome::Succeeded,
        Some(false) => Outcome::Failed,
        None => Outcome::Unstated,
    };
    let lines = match (f.start_line, f.end_line) {
        (Some(start), Some(end)) => Some(format!("{start}–{end}")),
        (Some(only), None) | (None, Some(only)) => Some(only.to_string()),
        (None, None) => None,
    };
    match kind {
        events::Kind::Agent
        | events::Kind::Reasoning
        | events::Kind::Error
        | events::Kind::Warning => {
            event.fact("code", text(f.code));
            event.push(None, TextKind::Plain, text(f.message).unwrap_or_default());
        }
        events::Kind::Command => {
            event.headline = text(f.command).unwrap_or_default();
            event.fact("exit code", f.exit_code.map(|code| code.to_string()));
            event.fact("in", text(f.working_directory));
        }
        events::Kind::Read | events::Kind::Write | events::Kind::Skill | events::Kind::List => {
            event.headline = text(f.path).unwrap_or_default();
            event.fact("skill", text(f.skill_name));
            event.fact("lines", lines);
        }
        events::Kind::Search => {
            event.headline = text(f.query).unwrap_or_default();
            event.fact("in", text(f.path));
        }
        events::Kind::Orchestration => {
            event.headline = text(f.action).unwrap_or_default();
            if event.outcome == Outcome::Unstated && event.headline == "subagent_failed" {
                event.outcome = Outcome::Failed;
            }
            event.fact("subagent", text(f.subagent_name));
            event.fact("id", text(f.subagent_id));
        }
        events::Kind::System => {
            let status = text(f.status);
            if status.as_deref() == Some("failed") {
                event.outcome = Outcome::Failed;
            }
            event.headline = text(f.stage).unwrap_or_default();
            event.fact("status", status);
            event.push(None, TextKind::Plain, text(f.message).unwrap_or_default());
        }
        events::Kind::Usage => {
            event.push(
                Some("tokens"),
                TextKind::Json,
                f.tokens.map_or("", |raw| raw.get()),
            );
            event.push(
                Some("cost"),
                TextKind::Json,
                f.cost.map_or("", |raw| raw.get()),
            );
        }
        events::Kind::Gg => event.push(None, TextKind::Json, f.event.map_or("", |raw| raw.get())),
        events::Kind::Unknown => match f
            .raw
            .map(|raw| (raw, serde_json::from_str::<Str<'a>>(raw.get())))
        {
            Some((_, Ok(string))) => event.push(None, TextKind::Plain, string.into_inner()),
            Some((raw, Err(_))) => event.push(None, TextKind::Json, raw.get()),
            // Without `raw` the line itself is all there is.
            None => {
                let source = event.source.clone();
                event.push(None, TextKind::Json, source);
            }
        },
    }
}

/// The tape of a Harn tape; `file` is its name in the run directory.
#[must_use]
pub fn from_harn<'a>(file: &str, tape: harn::Tape<'a>) -> Tape<'a> {
    let mut header = vec![
        ("Harn version", tape.header.harn_version),
        ("tape version", tape.header.version.to_string()),
    ];
    if let Some(script) = tape.header.script_path {
        header.push(("script", script));
    }
    if !tape.header.argv.is_empty() {
        header.push(("arguments", tape.header.argv.join(" ")));
    }
    if let Some(ms) = tape.header.started_at_unix_ms {
        header.push(("started", super::time::utc(ms)));
    }
    let events: Vec<_> = tape.records.into_iter().map(from_record).collect();
    let in_order = events
        .iter()
        .zip(0..)
        .all(|(event, position)| event.seq == position);
    let positions = (!in_order).then(|| {
        // Reversed, so that of two events with one number the first is kept.
        events
            .iter()
            .enumerate()
            .rev()
            .map(|(position, event)| (event.seq, position))
            .collect()
    });
    Tape {
        positions,
        file: file.to_owned(),
        format: Format::Harn,
        content_hash: tape.content_hash,
        older_hash: tape.hash_without_phase,
        header,
        events,
    }
}

fn from_record(line: harn::RecordLine<'_>) -> Event<'_> {
    let record = line.record;
    let mut event = Event {
        seq: record.seq,
        line: line.line.number,
        source: line.line.text,
        at: showable(record.virtual_time_ms),
        kind: Kind {
            word: "unknown",
            family: Family::Other,
        },
        outcome: Outcome::Unstated,
        headline: Cow::Borrowed(""),
        facts: Vec::new(),
        blocks: Vec::new(),
        external: Vec::new(),
        record_digest: Some(line.digest),
    };
    if record.phase == Some(harn::Phase::RuntimeFinalize) {
        event.fact("phase", Some("runtime_finalize"));
    }
    fill_harn(&mut event, record.kind);
    shortened(event)
}

fn fill_harn<'a>(event: &mut Event<'a>, kind: harn::Kind<'a>) {
    let (word, family) = match kind {
        harn::Kind::ClockRead { source, value_ms } => {
            let source = if source == harn::ClockSource::Wall {
                "wall"
            } else {
                "monotonic"
            };
            event.headline = Cow::Owned(format!("{source} clock: {value_ms} ms"));
            ("clock_read", Family::Other)
        }
        harn::Kind::ClockSleep { duration_ms } => {
            event.headline = Cow::Owned(format!("{duration_ms} ms"));
            ("clock_sleep", Family::Other)
        }
        harn::Kind::LlmCall {
            request_digest,
            response,
        } => {
            event.fact("request", Some(request_digest));
            event.payload("response", response);
            ("llm_call", Family::Speech)
        }
        harn::Kind::FileRead {
            path,
            content_hash,
            len_bytes,
        } => {
            event.file(path, &content_hash, len_bytes);
            ("file_read", Family::Read)
        }
        harn::Kind::FileWrite {
            path,
            content_hash,
            len_bytes,
        } => {
            event.file(path, &content_hash, len_bytes);
            ("file_write", Family::Write)
        }
        harn::Kind::FileDelete { path } => {
            event.headline = Cow::Owned(path);
            ("file_delete", Family::Write)
        }
        harn::Kind::ProcessSpawn {
            program,
            args,
            cwd,
            exit_code,
            duration_ms,
            stdout_payload,
            stderr_payload,
        } => {
            event.headline = Cow::Owned(
                std::iter::once(program)
                    .chain(args)
                    .collect::<Vec<_>>()
                    .join(" "),
            );
            event.outcome = if exit_code == 0 {
                Outcome::Succeeded
            } else {
                Outcome::Failed
            };
            event.fact("exit code", Some(exit_code.to_string()));
            event.fact("in", cwd);
            event.fact("took", Some(format!("{duration_ms} ms")));
            event.payload("stdout", stdout_payload);
            event.payload("stderr", stderr_payload);
            ("process_spawn", Family::Command)
        }
        harn::Kind::DecisionEvaluation {
            request_digest,
            response,
        } => {
            event.fact("request", Some(request_digest));
            event.payload("response", response);
            ("decision_evaluation", Family::Speech)
        }
        harn::Kind::McpJsonRpc {
            server,
            method,
            latency_ms,
            request_digest,
            response_digest,
            request_payload,
            response_payload,
        } => {
            event.headline = Cow::Owned(format!("{server} {method}"));
            event.fact("took", Some(format!("{latency_ms} ms")));
            event.fact("request", Some(request_digest));
            event.fact("response", Some(response_digest));
            event.payload("request", request_payload);
            event.payload("response", response_payload);
            ("mcp_json_rpc", Family::Delegation)
        }
        harn::Kind::ModelJob {
            job_id,
            request_id,
            backend,
            state,
            event_kind,
            event: payload,
            asset_digests,
        } => {
            event.headline = Cow::Owned(format!("{event_kind}: {state}"));
            event.fact("job", Some(job_id));
            event.fact("request", Some(request_id));
            event.fact("backend", Some(backend));
            if !asset_digests.is_empty() {
                event.fact("assets", Some(asset_digests.join(", ")));
            }
            event.payload("event", payload);
            ("model_job", Family::Delegation)
        }
        harn::Kind::Unknown => {
            let source = event.source.clone();
            event.push(None, TextKind::Json, source);
            ("unknown", Family::Other)
        }
    };
    event.kind = Kind { word, family };
}

impl<'a> Event<'a> {
    fn file(&mut self, path: String, content_hash: &str, len_bytes: u64) {
        self.headline = Cow::Owned(path);
        self.fact("bytes", Some(len_bytes.to_string()));
        self.fact("hash", Some(content_hash.to_owned()));
    }

    fn payload(&mut self, label: &'static str, payload: harn::Payload<'a>) {
        match payload {
            harn::Payload::Inline { text, .. } => {
                let kind = if text.0.starts_with(['{', '[']) {
                    TextKind::Json
                } else {
                    TextKind::Plain
                };
                self.push(Some(label), kind, text.0);
            }
            harn::Payload::External {
                content_hash,
                len_bytes,
            } => {
                self.external.push(External {
                    label,
                    content_hash,
                    len_bytes,
                });
            }
        }
    }
}
