//! Reads one rollout row by row: sessions, turns, tokens and screen events.

use std::collections::{BTreeMap, BTreeSet};

use formats::jsonl;
use formats::trace::SubagentAction;

use base::diagnostics::codes::IMPORT_PART_OF_A_THREAD;

use super::super::draft::{Draft, EventContent, Origin};
use super::super::raw_json;
use super::super::row::Row;
use super::super::source::LogSource;
use super::super::time::LogTime;
use super::super::usage::InclusiveTokens;
use super::super::{ImportOptions, Problem, problem};
use super::duplicates::{Speaker, TextForm};
use super::family::{self, Family, RolloutHead};
use super::patch::FileChange;

/// A rollout after reading.
pub(super) struct Thread {
    pub(super) draft: Draft,
    /// How its last turn ended, as the end of a subagent.
    pub(super) ended: Option<SubagentAction>,
    /// Calls that started other threads, by thread.
    pub(super) started: BTreeMap<String, String>,
}

/// Reads one rollout.
pub(super) fn read(
    source: &LogSource,
    family: &Family,
    at: usize,
    options: &ImportOptions,
) -> Result<Thread, Problem> {
    let head = &family.heads[at];
    let mut reader = RolloutReader {
        options: options.clone(),
        ..RolloutReader::default()
    };
    for position in std::iter::once(head.position).chain(head.continued.iter().copied()) {
        let file = source.read(position)?;
        if position == head.position
            && let Some(parent) = family.parent(at)
        {
            let parent = source.read(parent)?;
            reader.copied = Some(family::copied(&file.bytes, &parent.bytes));
        }
        reader.file = reader.draft.sources.len();
        reader.draft.sources.push(position);
        for line in jsonl::lines(&file.bytes) {
            let text = raw_json::whole_pairs(&line.text);
            reader.line = u64::from(line.number);
            match Row::parse(&text) {
                Ok(row) => reader.read(&row),
                Err(why) => {
                    reader.draft.skip_line(file.name, line.number, why);
                    reader.unreadable_lines += 1;
                }
            }
            reader.row += 1;
        }
    }
    if head.base.is_some() {
        let file = &source.names()[head.position];
        let id = &head.id;
        let message = format!(
            "The file continues thread {id}, whose beginning is in another file: `rollout-*-{id}.jsonl`"
        );
        let help = "Import the folder of both files: together they are one run.";
        let warning = problem(&IMPORT_PART_OF_A_THREAD, file, message, help);
        reader.draft.warn(warning);
    }
    Ok(reader.finish(&source.names()[head.position]))
}

/// Maximum responses that are remembered until the other row states them.
const STATED: usize = 64;

/// No tokens, where each class is counted.
const ZERO: InclusiveTokens = InclusiveTokens {
    input: Some(0),
    cached: Some(0),
    output: Some(0),
    reasoning: Some(0),
};

/// Tokens as Codex counts them. A count that a row lacks is unknown, and so are sums with it.
impl InclusiveTokens {
    /// `None` for a row without counts, which Codex writes when the context window is full.
    pub(super) fn of_codex(usage: Option<Row<'_>>) -> Option<Self> {
        let usage = usage?;
        let tokens = Self {
            input: usage.count("input_tokens"),
            cached: usage.count("cached_input_tokens"),
            output: usage.count("output_tokens"),
            reasoning: usage.count("reasoning_output_tokens"),
        };
        (tokens.all() > 0).then_some(tokens)
    }

    fn plus(self, other: Self) -> Self {
        self.zip(other, u64::saturating_add)
    }

    fn without(self, other: Self) -> Self {
        self.zip(other, u64::saturating_sub)
    }

    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let one = |a: Option<u64>, b: Option<u64>| Some(f(a?, b?));
        Self {
            input: one(self.input, other.input),
            cached: one(self.cached, other.cached),
            output: one(self.output, other.output),
            reasoning: one(self.reasoning, other.reasoning),
        }
    }

    /// Input and output.
    fn all(self) -> u64 {
        let known = [self.input, self.output].into_iter().flatten();
        known.fold(0, u64::saturating_add)
    }
}

/// A running total of a thread. It may begin with the tokens of another thread, and start again when the thread is resumed.
#[derive(Debug)]
pub(super) struct TokenCounter {
    /// The sums of earlier counts, before the counter started again.
    before: InclusiveTokens,
    /// What the present count began with.
    start: InclusiveTokens,
    last: Option<InclusiveTokens>,
}

impl Default for TokenCounter {
    fn default() -> Self {
        Self {
            before: ZERO,
            start: ZERO,
            last: None,
        }
    }
}

impl TokenCounter {
    /// Adds a total after a response with `last` tokens. `inherited` is the total of the thread that was copied.
    fn add(
        &mut self,
        total: InclusiveTokens,
        last: Option<InclusiveTokens>,
        inherited: Option<InclusiveTokens>,
    ) {
        let is_first_response = last == Some(total);
        match self.last {
            None if !is_first_response => {
                self.start = inherited
                    .filter(|inherited| inherited.all() <= total.all())
                    .unwrap_or(ZERO);
            }
            Some(known) if total.all() < known.all() || is_first_response && total != known => {
                self.before = self.before.plus(known.without(self.start));
                self.start = ZERO;
            }
            _ => {}
        }
        self.last = Some(total);
    }

    /// The tokens of the thread itself; `None` if nothing was counted.
    fn own(&self) -> Option<InclusiveTokens> {
        Some(self.before.plus(self.last?.without(self.start)))
    }
}

/// The two rows with running totals. Newer versions write both for a response, in either order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TotalsRow {
    /// `token_count`
    Screen = 0,
    /// `token_usage_record`
    Record = 1,
}

/// The state after some rows.
#[derive(Default)]
pub(super) struct RolloutReader {
    pub(super) options: ImportOptions,
    pub(super) draft: Draft,

    // These fields describe the current row: its file, its number without blank lines, its line, time and turn, and the pointer to
    // its item.
    file: usize,
    pub(super) row: usize,
    line: u64,
    pub(super) time: String,
    pub(super) turn: u64,
    pub(super) pointer: &'static str,

    pub(super) head: Option<RolloutHead>,
    pub(super) is_exec: bool,
    pub(super) first_time: Option<String>,
    /// State and recorded word for the end of the last turn.
    pub(super) ended: Option<(&'static str, String)>,

    // These fields describe the rows at the start that are copied from the parent.
    copied: Option<usize>,
    first_own: Option<u64>,
    has_own: bool,
    pub(super) inherited: u64,
    inherited_tokens: Option<InclusiveTokens>,

    counters: [TokenCounter; 2],
    /// Unreadable lines after the last total: one of them may have had another.
    pub(super) unreadable_lines: u64,
    /// Tokens of responses that only one of the two rows has stated so far.
    stated: Vec<(TotalsRow, InclusiveTokens)>,
    pub(super) text_forms: Vec<TextForm>,
    /// The parts of messages of the user that have several, by event.
    pub(super) parts: BTreeMap<usize, Vec<String>>,
    /// The calls so far, and the names of those without a result.
    pub(super) calls: BTreeSet<String>,
    pub(super) open: BTreeMap<String, String>,
    pub(super) patches: BTreeMap<String, Vec<FileChange>>,
    /// Calls that start a thread, and calls by the thread that they started.
    pub(super) spawns: Vec<String>,
    pub(super) started: BTreeMap<String, String>,
    /// The outcome of a call on the screen: success, and exit code.
    pub(super) screen_outcomes: BTreeMap<String, (Option<bool>, Option<i64>)>,
    /// The number of events at the last compaction, and the types of its rows.
    pub(super) compaction: (usize, Vec<String>),
    /// Numbers of undone turns, with the event before which each undo occurred.
    pub(super) rollbacks: Vec<(usize, u64)>,
}

impl RolloutReader {
    /// Adds an event of the current row.
    pub(super) fn push(&mut self, pointer: Option<String>, id: Option<String>, what: EventContent) {
        let origin = Origin {
            file: self.file,
            line: Some(self.line),
            pointer: pointer.map(|pointer| format!("{}{pointer}", self.pointer)),
            id,
            ..Origin::default()
        };
        let turn = (self.turn > 0).then_some(self.turn);
        let event = self.draft.push(origin, what);
        event.turn = turn;
        event.set_time(&self.time);
    }

    pub(super) fn note(&mut self, kind: &str, text: Option<String>) {
        self.push(None, None, EventContent::note(kind, text));
    }

    /// Records one of the two forms of a text.
    pub(super) fn add_text_form(&mut self, speaker: Speaker, is_event: bool, start: usize) {
        let events = start..self.draft.events.len();
        if !events.is_empty() {
            let (row, turn) = (self.row, self.turn);
            self.text_forms.push(TextForm {
                row,
                speaker,
                is_event,
                turn,
                events,
            });
        }
    }

    /// Adds a prompt if prompts are kept; otherwise counts it as `what`.
    pub(super) fn prompt(&mut self, what: &'static str, text: String) {
        if let Some(note) = self.draft.prompt_note(&self.options, what, text) {
            self.push(None, None, note);
        }
    }

    fn read(&mut self, row: &Row<'_>) {
        self.time = row.text("timestamp").into_owned();
        let kind = &*row.text("type");
        let Some(payload) = row.row("payload") else {
            // The oldest files have bare items.
            self.pointer = "";
            if !kind.is_empty() {
                self.item(row);
            } else if row.word("id").is_some() {
                self.session(row);
            } else {
                self.draft.unknown_row(kind);
            }
            return self.add_time();
        };
        self.add_time();
        self.pointer = "/payload";
        if kind == "session_meta" {
            return self.session(&payload);
        }
        if self.is_inherited(row.count("ordinal")) {
            self.inherited += 1;
            let total = match kind {
                "event_msg" => payload.row("info.total_token_usage"),
                "token_usage_record" => payload.row("thread_token_usage"),
                _ => None,
            };
            self.inherited_tokens = InclusiveTokens::of_codex(total).or(self.inherited_tokens);
            return;
        }
        match kind {
            "turn_context" => self.turn_context(&payload),
            "response_item" => self.item(&payload),
            "event_msg" => self.event(&payload),
            "compacted" => self.compacted(kind, &payload.text("message")),
            "token_usage_record" => {
                let total = InclusiveTokens::of_codex(payload.row("thread_token_usage"));
                let last = InclusiveTokens::of_codex(payload.row("usage"));
                self.count(TotalsRow::Record, total, last);
            }
            "world_state"
            | "inter_agent_communication"
            | "inter_agent_communication_metadata"
            | "security_risk_score" => self.draft.withhold("bookkeeping", 1),
            _ => self.draft.unknown_row(kind),
        }
    }

    /// Counts a response. The same total again is the same response.
    pub(super) fn count(
        &mut self,
        counted: TotalsRow,
        total: Option<InclusiveTokens>,
        last: Option<InclusiveTokens>,
    ) {
        let counter = &mut self.counters[counted as usize];
        if total.is_some() {
            self.unreadable_lines = 0;
        }
        if total.is_none() || counter.last == total {
            return;
        }
        if let Some(total) = total {
            counter.add(total, last, self.inherited_tokens);
        }
        let Some(last) = last else { return };
        let other = |stated: &(TotalsRow, InclusiveTokens)| stated.0 != counted && stated.1 == last;
        if let Some(at) = self.stated.iter().position(other) {
            self.stated.swap_remove(at);
            return;
        }
        // If a log has only one of the two rows, no duplicate is ever found.
        if self.stated.len() == STATED {
            self.stated.remove(0);
        }
        self.stated.push((counted, last));
        let usage = EventContent::Usage {
            tokens: last.disjoint(),
            model: None,
            cost: None,
            calls: Vec::new(),
        };
        self.push(None, None, usage);
    }

    /// The tokens of the thread itself. Each of the two rows may leave out responses that the other one has.
    pub(super) fn own_tokens(&self) -> Option<InclusiveTokens> {
        let own = self.counters.iter().filter_map(TokenCounter::own);
        own.max_by_key(|tokens| tokens.all())
    }

    fn add_time(&mut self) {
        if LogTime::parse(&self.time).is_some() {
            self.first_time.get_or_insert_with(|| self.time.clone());
            self.draft.record.finished = Some(self.time.clone());
        }
    }

    /// The first session is the file's own; further ones are copies.
    fn session(&mut self, meta: &Row<'_>) {
        if let Some(head) = &self.head {
            let is_own = meta.word("id").as_deref() == Some(&*head.id);
            self.inherited += u64::from(!is_own);
            return;
        }
        if self.time.is_empty() {
            self.time = meta.text("timestamp").into_owned();
        }
        let head = family::of_session(meta);
        self.draft.record.add_ids([
            ("thread", meta.name("id")),
            ("session", meta.name("session_id")),
            ("parentThread", head.parent.clone()),
        ]);
        self.draft.record.harness_version = meta.name("cli_version");
        self.is_exec = meta.text("source") == "exec";
        self.first_own = meta
            .count("subagent_history_start_ordinal")
            .or_else(|| meta.count("history_base.end_ordinal_exclusive"));
        self.withhold(meta, "instructions", &["base_instructions", "instructions"]);
        self.withhold(meta, "toolDefinitions", &["dynamic_tools"]);
        self.draft.identity.add_workspace(&meta.text("cwd"));
        self.head = Some(head);
    }

    fn turn_context(&mut self, context: &Row<'_>) {
        self.draft.identity.add_workspace(&context.text("cwd"));
        self.draft.record.add_model(&context.text("model"));
        let keys = ["user_instructions", "developer_instructions"];
        self.withhold(context, "instructions", &keys);
    }

    /// Counts the values that are left out.
    fn withhold(&mut self, row: &Row<'_>, what: &'static str, keys: &[&str]) {
        let found = keys.iter().filter(|key| row.has(key));
        self.draft.withhold(what, found.count() as u64);
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
