//! Reads one rollout row by row: sessions, turns, tokens and screen events.

use std::collections::BTreeMap;

use crate::formats::jsonl;
use crate::formats::trace::Action;

use super::super::draft::{Draft, Origin, Tokens, What};
use super::super::loose::{self, Content};
use super::super::source::Source;
use super::super::time::When;
use super::super::{Keep, Options, Problem, shared};
use super::family::{self, Family, Head};
use super::patch::FileChange;
use super::rows::{Info, Payload, Row, Usage};
use super::twins::{Said, Who};

/// A rollout after reading.
pub(super) struct Thread {
    pub(super) draft: Draft,
    /// How its last turn ended, as the end of a subagent.
    pub(super) ended: Option<Action>,
    /// Calls that started other threads, by thread.
    pub(super) started: BTreeMap<String, String>,
}

/// Reads one rollout.
pub(super) fn read(
    source: &Source,
    family: &Family,
    at: usize,
    options: &Options,
) -> Result<Thread, Problem> {
    let position = family.heads[at].position;
    let file = source.read(position)?;
    let copied = match family.parent(at) {
        Some(parent) => {
            let parent = source.read(parent)?;
            Some(family::copied(&file.bytes, &parent.bytes))
        }
        None => None,
    };
    let mut reader = Reader::new(options, copied);
    reader.draft.sources.push(position);
    for (number, line) in jsonl::lines(&file.bytes).enumerate() {
        let text = loose::whole_pairs(&line.text);
        reader.row = number;
        reader.line = u64::from(line.number);
        match loose::parse::<Row<'_>>(&text) {
            Ok(row) => reader.read(row, &text),
            Err(why) => reader.draft.skip_line(file.name, line.number, why),
        }
    }
    Ok(reader.finish())
}

/// Tokens as Codex counts them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sums {
    input: u64,
    cached: u64,
    output: u64,
    reasoning: u64,
}

impl Sums {
    /// `None` for a row without counts, which Codex writes when the context window is full.
    pub(super) fn of(usage: Option<&Usage>) -> Option<Self> {
        let usage = usage?;
        let sums = Self {
            input: usage.input_tokens.0.unwrap_or_default(),
            cached: usage.cached_input_tokens.0.unwrap_or_default(),
            output: usage.output_tokens.0.unwrap_or_default(),
            reasoning: usage.reasoning_output_tokens.0.unwrap_or_default(),
        };
        (sums != Self::default()).then_some(sums)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_sub(other.input),
            cached: self.cached.saturating_sub(other.cached),
            output: self.output.saturating_sub(other.output),
            reasoning: self.reasoning.saturating_sub(other.reasoning),
        }
    }

    pub(super) fn tokens(self) -> Tokens {
        Tokens {
            uncached_input: Some(self.input.saturating_sub(self.cached)),
            cached_input: Some(self.cached),
            output: Some(self.output.saturating_sub(self.reasoning)),
            reasoning: Some(self.reasoning),
        }
    }
}

/// The state after some rows.
pub(super) struct Reader<'o> {
    pub(super) options: &'o Options,
    pub(super) draft: Draft,

    // The current row: its number without blank lines, its line, time and turn, and the pointer to its item.
    pub(super) row: usize,
    line: u64,
    pub(super) time: String,
    pub(super) turn: u64,
    pub(super) pointer: &'static str,

    pub(super) head: Option<Head>,
    pub(super) is_exec: bool,
    pub(super) first_time: Option<String>,
    /// State and recorded word for the end of the last turn.
    pub(super) ended: Option<(&'static str, String)>,

    // Rows at the start that are copied from the parent.
    copied: Option<usize>,
    first_own: Option<u64>,
    has_own: bool,
    pub(super) inherited: u64,
    pub(super) inherited_tokens: Option<Sums>,

    pub(super) tokens: Option<Sums>,
    pub(super) said: Vec<Said>,
    pub(super) patches: BTreeMap<String, Vec<FileChange>>,
    /// Calls that start a thread, and calls by the thread that they started.
    pub(super) spawns: Vec<String>,
    pub(super) started: BTreeMap<String, String>,
    /// The outcome of a call on the screen: success, and exit code.
    pub(super) verdicts: BTreeMap<String, (Option<bool>, Option<i64>)>,
    /// The number of events at the last compaction, and the types of its rows.
    pub(super) compaction: (usize, Vec<String>),
    /// Numbers of undone turns, with the event before which each undo occurred.
    pub(super) undone: Vec<(usize, u64)>,
}

impl<'o> Reader<'o> {
    fn new(options: &'o Options, copied: Option<usize>) -> Self {
        Self {
            options,
            draft: Draft::default(),
            row: 0,
            line: 0,
            time: String::new(),
            turn: 0,
            pointer: "",
            head: None,
            is_exec: false,
            first_time: None,
            ended: None,
            copied,
            first_own: None,
            has_own: false,
            inherited: 0,
            inherited_tokens: None,
            tokens: None,
            said: Vec::new(),
            patches: BTreeMap::new(),
            spawns: Vec::new(),
            started: BTreeMap::new(),
            verdicts: BTreeMap::new(),
            compaction: (0, Vec::new()),
            undone: Vec::new(),
        }
    }

    /// Adds an event of the current row.
    pub(super) fn push(&mut self, pointer: Option<String>, id: Option<String>, what: What) {
        let origin = Origin {
            line: Some(self.line),
            pointer: pointer.map(|pointer| format!("{}{pointer}", self.pointer)),
            id,
            ..Origin::default()
        };
        let turn = (self.turn > 0).then_some(self.turn);
        let event = self.draft.push(origin, what);
        event.turn = turn;
        event.at(&self.time);
    }

    pub(super) fn note(&mut self, kind: &str, text: Option<String>) {
        let kind = kind.to_owned();
        self.push(None, None, What::Note { kind, text });
    }

    /// Records one of the two forms of a text.
    pub(super) fn say(&mut self, who: Who, is_event: bool, start: usize) {
        let events = start..self.draft.events.len();
        if !events.is_empty() {
            let (row, turn) = (self.row, self.turn);
            self.said.push(Said {
                row,
                who,
                is_event,
                turn,
                events,
            });
        }
    }

    /// Counts omitted content; with `--keep prompts`, adds it as a note.
    pub(super) fn withhold_prompt(&mut self, what: &'static str, text: String) {
        if self.options.keeps(Keep::Prompts) {
            self.note(shared::kept(what), Some(text));
        } else {
            self.draft.withhold(what, 1);
        }
    }

    fn read(&mut self, row: Row<'_>, text: &str) {
        self.time = row.timestamp.named().unwrap_or_default();
        let kind = row.kind.text();
        let Some(payload) = row.payload.0 else {
            // The oldest files have bare items.
            self.pointer = "";
            let item = loose::parse::<Payload<'_>>(text).unwrap_or_default();
            if item.kind.get().is_some() {
                self.item(&item);
            } else if item.id.get().is_some() {
                self.session(&item);
            } else {
                self.unknown(kind);
            }
            return self.clock();
        };
        self.clock();
        self.pointer = "/payload";
        if kind == "session_meta" {
            return self.session(&payload);
        }
        if self.is_inherited(row.ordinal.0) {
            self.inherited += 1;
            if kind == "event_msg" {
                let total = payload.info.0.as_ref().and_then(total);
                self.inherited_tokens = total.or(self.inherited_tokens);
            }
            return;
        }
        match kind {
            "turn_context" => self.turn_context(&payload),
            "response_item" => self.item(&payload),
            "event_msg" => self.event(&payload),
            "compacted" => self.compacted(kind, payload.message.text()),
            _ => self.unknown(kind),
        }
    }

    fn clock(&mut self) {
        if When::read(&self.time).is_some() {
            self.first_time.get_or_insert_with(|| self.time.clone());
            self.draft.record.finished = Some(self.time.clone());
        }
    }

    pub(super) fn unknown(&mut self, kind: &str) {
        let kind = kind.to_owned();
        self.push(None, None, What::Unknown { kind });
    }

    /// The first session is the file's own; further ones are copies.
    fn session(&mut self, meta: &Payload<'_>) {
        if self.head.is_some() {
            self.inherited += 1;
            return;
        }
        self.time = meta
            .timestamp
            .named()
            .filter(|_| self.time.is_empty())
            .unwrap_or_else(|| std::mem::take(&mut self.time));
        let head = family::of_session(meta);
        let ids = [
            ("thread", meta.id.named()),
            ("session", meta.session_id.named()),
            ("parentThread", head.parent.clone()),
        ];
        let ids = ids
            .into_iter()
            .filter_map(|(name, id)| Some((name.to_owned(), id?)));
        self.draft.record.ids.extend(ids);
        self.draft.record.harness_version = meta.cli_version.named();
        self.is_exec = matches!(&meta.source, Content::Text(word) if word == "exec");
        self.first_own = meta.subagent_history_start_ordinal.0.or_else(|| {
            let base = meta.history_base.0.as_ref()?;
            base.end_ordinal_exclusive.0
        });
        let prompts = [&meta.base_instructions, &meta.instructions];
        let prompts = prompts.into_iter().flatten().count();
        self.draft.withhold("instructions", prompts as u64);
        let tools = u64::from(meta.dynamic_tools.is_some());
        self.draft.withhold("toolDefinitions", tools);
        self.draft.identity.workspace(meta.cwd.text());
        self.head = Some(head);
    }

    fn turn_context(&mut self, context: &Payload<'_>) {
        self.draft.identity.workspace(context.cwd.text());
        self.draft.record.model(context.model.text());
        let prompts = [&context.user_instructions, &context.developer_instructions];
        let prompts = prompts.into_iter().flatten().count();
        self.draft.withhold("instructions", prompts as u64);
    }

    /// Whether the current row is copied from the parent.
    fn is_inherited(&mut self, ordinal: Option<u64>) -> bool {
        let has_parent = self.head.as_ref().is_some_and(|head| head.parent.is_some());
        if !has_parent || self.has_own {
            return false;
        }
        let inherited = if let (Some(first), Some(ordinal)) = (self.first_own, ordinal) {
            ordinal < first
        } else if let Some(copied) = self.copied {
            self.row < copied
        } else {
            self.first_time
                .as_ref()
                .is_some_and(|first| self.time <= *first)
        };
        self.has_own = !inherited;
        inherited
    }
}

pub(super) fn total(info: &Info) -> Option<Sums> {
    Sums::of(info.total_token_usage.0.as_ref())
}
