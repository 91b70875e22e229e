//! Reads the files of one session row by row. Rows of a subagent go to their own lane.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use formats::jsonl;
use formats::trace::SubagentAction;

use super::super::draft::{Draft, EventContent};
use super::super::raw_json;
use super::super::row::Row;
use super::super::source::LogSource;
use super::super::{ImportOptions, Problem};
use super::counters::SessionCounters;
use super::identity::SessionIdentity;
use super::lane::{Lane, RowPlace};
use super::tree::{self, RowId};
use super::{PARENT, SESSION};

/// Owners of copied rows, by row id.
pub(super) type RowOwners = BTreeMap<RowId, usize>;

/// The state after some rows.
#[derive(Default)]
pub(super) struct Session {
    pub(super) options: ImportOptions,
    pub(super) draft: Draft,
    /// The main line, then the subagents in order of their first rows.
    pub(super) lanes: Vec<Lane>,
    by_agent: BTreeMap<String, usize>,
    /// Lanes of subagent rows that name no agent.
    by_row: BTreeMap<RowId, usize>,
    seen: BTreeSet<RowId>,
    pub(super) id: Option<String>,
    /// The type of agent that a call starts.
    pub(super) tasks: BTreeMap<String, Option<String>>,
    /// Calls that start subagents, by the hash of their prompts.
    pub(super) prompts: BTreeMap<u128, String>,
    /// Calls whose results name a subagent, and how that subagent ended.
    pub(super) links: BTreeMap<String, (String, Option<SubagentAction>)>,
    /// Calls whose results come from a subagent.
    pub(super) started: BTreeSet<String>,
    /// How background agents ended, by their ids and by the calls that started them.
    pub(super) ends: BTreeMap<String, SubagentAction>,
    /// The program's own counters.
    pub(super) counters: SessionCounters,
    /// Unreadable lines that look like rows of responses.
    pub(super) broken_responses: u64,
    /// The first row after those that a fork copied, until it is read.
    first_own: Option<RowId>,
    /// Estimated cost, by response.
    pub(super) costs: BTreeMap<String, f64>,
    pub(super) inherited: u64,
    inherited_note: Option<usize>,
}

impl Session {
    pub(super) fn new(options: &ImportOptions) -> Self {
        Self {
            options: options.clone(),
            lanes: vec![Lane::default()],
            ..Self::default()
        }
    }

    /// Reads a file: the session itself, or all of it into the lane of a subagent.
    pub(super) fn read(
        &mut self,
        source: &LogSource,
        position: usize,
        agent: Option<Lane>,
        owners: Option<(&RowOwners, usize)>,
    ) -> Result<(), Problem> {
        let file = source.read(position)?;
        let at_file = self.draft.sources.len();
        self.draft.sources.push(position);
        let lane = agent.map(|lane| {
            self.by_agent.insert(lane.id.clone(), self.lanes.len());
            self.lanes.push(lane);
            self.lanes.len() - 1
        });
        self.seen.clear();
        if lane.is_none() {
            let identity = SessionIdentity::of(&file);
            self.id = identity.session;
            if let Some(copied) = identity.copied {
                self.first_own = Some(copied.first_own);
                let ids = &mut self.draft.record.ids;
                ids.insert("forkedFrom".to_owned(), copied.original);
            }
        }
        if let Some(export) = export(&file.bytes) {
            for (at, row) in export.rows("loglines").enumerate() {
                let mut place = RowPlace {
                    file: at_file,
                    line: None,
                    base: format!("/loglines/{at}"),
                    ..RowPlace::default()
                };
                if row.is_object() {
                    self.row(&row, lane, owners, &mut place);
                } else {
                    self.draft.skip_part(file.name, &place.base, "an object");
                }
            }
            return Ok(());
        }
        for line in jsonl::lines(&file.bytes) {
            let mut place = RowPlace {
                file: at_file,
                line: Some(u64::from(line.number)),
                ..RowPlace::default()
            };
            match Row::parse(&raw_json::whole_pairs(&line.text)) {
                Ok(row) => self.row(&row, lane, owners, &mut place),
                Err(why) => {
                    let part = br#""type":"assistant""#;
                    let is_response = memchr::memmem::find(line.text.as_bytes(), part).is_some();
                    self.broken_responses += u64::from(is_response);
                    self.draft.skip_line(file.name, line.number, why);
                }
            }
        }
        Ok(())
    }

    fn row(
        &mut self,
        row: &Row<'_>,
        lane: Option<usize>,
        owners: Option<(&RowOwners, usize)>,
        place: &mut RowPlace,
    ) {
        let id = tree::row_id(row.word("uuid"));
        if let Some(id) = id {
            if !self.seen.insert(id) {
                return self.draft.withhold("duplicateRows", 1);
            }
            if owners.is_some_and(|(owners, own)| owners.get(&id).is_some_and(|of| *of != own)) {
                return self.inherit(place);
            }
            if lane.is_none() && self.first_own.is_some() {
                if self.first_own != Some(id) {
                    return self.inherit(place);
                }
                self.first_own = None;
            }
        }
        place.time = row.name("timestamp");
        if self.id.is_none() {
            self.id = row.first(SESSION).map(Cow::into_owned);
        }
        self.draft.identity.add_workspace(&row.text("cwd"));
        place.lane = lane.unwrap_or_else(|| self.lane_of(row, id));
        self.lanes[place.lane].add_time(place.time.as_deref());
        self.version(row, place);
        let start = self.lanes[place.lane].events.len();
        let is_typed = self.kind(row, place);
        let lane = &mut self.lanes[place.lane];
        let time = place.time.clone().unwrap_or_default();
        lane.nodes.push(tree::RowNode {
            id,
            parent: tree::row_id(row.first(PARENT)),
            events: start..lane.events.len(),
            typed: is_typed.then_some(time),
        });
    }

    /// Adds an event to the lane of a row.
    pub(super) fn push(&mut self, place: &RowPlace, pointer: &str, what: EventContent) {
        self.lanes[place.lane].push(place, pointer, what);
    }

    /// The call that started the subagent of a lane: as its file or its result names it, or the one with its prompt.
    pub(super) fn call_of(&self, lane: &Lane) -> Option<String> {
        let of_link = self.links.get(&lane.id).map(|(call, _)| call);
        let of_prompt = || self.prompts.get(&lane.prompt?);
        lane.call.as_ref().or(of_link).or_else(of_prompt).cloned()
    }

    fn inherit(&mut self, place: &RowPlace) {
        self.inherited += 1;
        let text = format!("{} rows of another session", self.inherited);
        let what = EventContent::note("inherited", Some(text));
        let lane = &mut self.lanes[0];
        if let Some(at) = self.inherited_note {
            lane.events[at].what = what;
        } else {
            self.inherited_note = Some(lane.events.len());
            lane.push(place, "", what);
        }
    }

    /// The lane of a row: the main line, or its subagent.
    fn lane_of(&mut self, row: &Row<'_>, id: Option<RowId>) -> usize {
        let started_by = row.word("parent_tool_use_id");
        if !row.is_true("isSidechain") && started_by.is_none() {
            return 0;
        }
        let parent = tree::row_id(row.word("parentUuid"));
        let agent = row.first(["agentId", "parent_tool_use_id"]);
        let known = match &agent {
            Some(agent) => self.by_agent.get(&**agent).copied(),
            None => parent.and_then(|parent| self.by_row.get(&parent).copied()),
        };
        let at = known.unwrap_or_else(|| {
            let name = agent.clone().or_else(|| row.word("uuid"));
            self.lanes.push(Lane {
                id: name.map_or_else(|| "sidechain".to_owned(), Cow::into_owned),
                call: started_by.map(Cow::into_owned),
                ..Lane::default()
            });
            self.lanes.len() - 1
        });
        if let Some(agent) = agent {
            self.by_agent.insert(agent.into_owned(), at);
        }
        if let Some(id) = id {
            self.by_row.insert(id, at);
        }
        at
    }

    /// Notes that the session continued with another version.
    fn version(&mut self, row: &Row<'_>, place: &RowPlace) {
        let Some(version) = row.name("version").filter(|_| place.lane == 0) else {
            return;
        };
        let known = self.draft.record.harness_version.as_deref();
        if known == Some(&*version) {
            return;
        }
        if let Some(known) = known {
            let note = EventContent::note("version change", Some(format!("{known} to {version}")));
            self.push(place, "", note);
        }
        self.draft.record.harness_version = Some(version);
    }

    /// Reads a row. Returns whether the user wrote it.
    fn kind(&mut self, row: &Row<'_>, place: &mut RowPlace) -> bool {
        let kind = row.text("type");
        place.id = row.name("uuid");
        match (&*kind, row.row("message")) {
            ("user", Some(message)) => return self.user(row, &message, place),
            ("assistant", Some(message)) => self.assistant(row, &message, place),
            ("system", _) => self.system(row, place),
            ("attachment", _) => self.attachment(row, place),
            ("queue-operation", _) => self.queue(row, place),
            ("result", _) => self.stream_result(row),
            ("cost-state", _) => {
                // A fork may have the counters of its original.
                let session = row.word("sessionId");
                if session.is_none() || session.as_deref() == self.id.as_deref() {
                    self.draft.check_numbers(row, &["totalCostUSD"], &[]);
                    self.counters.read(row);
                }
                self.draft.withhold("bookkeeping", 1);
            }
            (kind, _) if is_bookkeeping(kind) => self.draft.withhold("bookkeeping", 1),
            (kind, _) => self.draft.unknown_row(kind),
        }
        false
    }
}

/// Whether rows of a type say nothing of the conversation: titles, settings, snapshots of files, states of the program.
fn is_bookkeeping(kind: &str) -> bool {
    matches!(
        kind,
        "summary"
            | "agent-color"
            | "agent-name"
            | "agent-setting"
            | "ai-title"
            | "artifact-autoreact-ledger"
            | "artifact-comment-monitor"
            | "atis-latch"
            | "attribution-snapshot"
            | "auth_status"
            | "bridge-session"
            | "content-replacement"
            | "control_cancel_request"
            | "control_request"
            | "control_response"
            | "conversation_reset"
            | "custom-title"
            | "ended"
            | "ended-by-model"
            | "file-history-delta"
            | "file-history-snapshot"
            | "fork-context-ref"
            | "frame-link"
            | "history-suppression"
            | "isolation-latch"
            | "keep_alive"
            | "last-prompt"
            | "mode"
            | "observer-ref"
            | "permission-mode"
            | "pr-link"
            | "progress"
            | "prompt_suggestion"
            | "rate_limit_event"
            | "relocated"
            | "session-name"
            | "slug"
            | "stream_event"
            | "tag"
            | "tool_progress"
            | "tool_use_summary"
            | "worktree-state"
    )
}

/// A session exported as one object.
fn export(bytes: &[u8]) -> Option<Row<'_>> {
    memchr::memmem::find(bytes.get(..bytes.len().min(4096))?, b"\"loglines\"")?;
    let export = Row::parse_bytes(bytes)?;
    export.is_list("loglines").then_some(export)
}
