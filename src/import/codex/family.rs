//! Groups related threads: a rollout names the thread that started it, and may begin with copied lines of that thread.

use std::collections::BTreeMap;

use base::diagnostics::codes::IMPORT_WRONG_FORMAT;
use formats::jsonl;

use super::super::raw_json;
use super::super::row::Row;
use super::super::source::{HEAD, LogSource};
use super::super::{Problem, problem};

/// The data in the first lines of a rollout.
#[derive(Debug, Default)]
pub(super) struct RolloutHead {
    pub(super) position: usize,
    /// The thread.
    pub(super) id: String,
    /// The thread whose lines it copied, or that started it.
    pub(super) parent: Option<String>,
    /// Whether it is a subagent of its parent.
    pub(super) is_subagent: bool,
    /// The call that started it.
    pub(super) call: Option<String>,
    /// Name or role of the subagent.
    pub(super) name: Option<String>,
    /// If the file continues its own thread: the number of its first row in the thread.
    pub(super) base: Option<u64>,
    /// As `base`, if the row of the session names another thread or rollout.
    other_base: Option<u64>,
    /// The files that continue the thread, in order.
    pub(super) continued: Vec<usize>,
}

impl RolloutHead {
    /// A further file of a thread has the ids of its thread and of its own rollout in its name, and may continue any file of the
    /// thread. A fork begins with the history of another thread.
    fn with_file(mut self, name: &str) -> Self {
        let is_further = !self.id.is_empty() && name.contains(&format!("-{}_", self.id));
        if is_further {
            self.base = self.base.or(self.other_base);
        }
        self
    }
}

/// Whether a file is named like a rollout. If a rollout exists plain and compressed, only the plain one is read.
pub(super) fn is_rollout(source: &LogSource, position: usize) -> bool {
    let name = source.names()[position].as_str();
    match name.strip_suffix(".zst") {
        Some(plain) => plain.strip_suffix(".jsonl").is_some() && source.position(plain).is_none(),
        None => name.strip_suffix(".jsonl").is_some(),
    }
}

/// The heads of the files that are rollouts.
pub(super) fn heads(source: &LogSource, positions: &[usize]) -> (Vec<RolloutHead>, Vec<Problem>) {
    let (mut heads, mut problems) = (Vec::new(), Vec::new());
    for &position in positions {
        match first_rows(source, position) {
            Ok(Some(head)) => {
                let name = &source.names()[position];
                heads.push(RolloutHead { position, ..head }.with_file(name));
            }
            Ok(None) => problems.push(not_a_rollout(&source.names()[position])),
            Err(problem) => problems.push(problem),
        }
    }
    (continued(heads, source.names()), problems)
}

/// Joins the files of one thread: a long thread is continued in further files, each of which says where it continues.
fn continued(heads: Vec<RolloutHead>, names: &[String]) -> Vec<RolloutHead> {
    let (mut later, first): (Vec<RolloutHead>, Vec<RolloutHead>) =
        heads.into_iter().partition(|head| head.base.is_some());
    later.sort_by_key(|head| (head.base, &names[head.position]));
    let mut joined = first;
    for head in later {
        match joined.iter_mut().find(|known| known.id == head.id) {
            Some(known) => known.continued.push(head.position),
            None => joined.push(head),
        }
    }
    joined.sort_by_key(|head| head.position);
    joined
}

fn first_rows(source: &LogSource, position: usize) -> Result<Option<RolloutHead>, Problem> {
    let start = source.head(position)?;
    let found = head(&start);
    if found.as_ref().is_none_or(|head| head.id.is_empty()) && start.len() == HEAD {
        // The first row contains instructions, and may be longer than the head.
        return Ok(head(&source.read(position)?.bytes));
    }
    Ok(found)
}

/// The problem of a file that is not a rollout.
pub(super) fn not_a_rollout(file: &str) -> Problem {
    let message =
        "The file is no rollout of Codex: none of its first lines is of a recognized type";
    let help = "Without `--format` the format is recognized by content; or leave the file out.";
    problem(&IMPORT_WRONG_FORMAT, file, message, help)
}

fn head(bytes: &[u8]) -> Option<RolloutHead> {
    let mut is_rollout = false;
    for line in jsonl::lines(bytes).take(8) {
        let text = raw_json::whole_pairs(&line.text);
        let Ok(row) = Row::parse(&text) else {
            continue;
        };
        let kind = row.text("type");
        if let Some(payload) = row.row("payload") {
            match &*kind {
                "session_meta" => return Some(of_session(&payload)),
                "turn_context" | "response_item" | "event_msg" | "compacted" => is_rollout = true,
                _ => {}
            }
        } else {
            match &*kind {
                "" if row.word("id").is_some() => return Some(of_session(&row)),
                "message" | "reasoning" | "function_call" => is_rollout = true,
                _ => {}
            }
        }
    }
    is_rollout.then(RolloutHead::default)
}

/// The head from the first row of a session.
pub(super) fn of_session(meta: &Row<'_>) -> RolloutHead {
    let spawned = |key| meta.name(&format!("source.subagent.thread_spawn.{key}"));
    let parent = spawned("parent_thread_id").or_else(|| meta.name("parent_thread_id"));
    let is_own = meta.word("history_base.thread_id") == meta.word("id");
    let base = meta.row("history_base");
    let end = base.map(|base| base.count("end_ordinal_exclusive").unwrap_or_default());
    RolloutHead {
        position: 0,
        base: end.filter(|_| is_own),
        other_base: end.filter(|_| !is_own),
        continued: Vec::new(),
        id: meta.text("id").into_owned(),
        is_subagent: parent.is_some(),
        parent: parent.or_else(|| meta.name("forked_from_id")),
        call: spawned("spawn_call_id"),
        name: spawned("agent_role").or_else(|| spawned("agent_nickname")),
    }
}

/// Rollouts that are read together.
pub(super) struct Family {
    pub(super) heads: Vec<RolloutHead>,
    /// The parent rollout of each rollout.
    parents: Vec<Option<usize>>,
    /// The threads that are not subagents here, each with its subagents of all levels.
    pub(super) roots: BTreeMap<usize, Vec<usize>>,
}

impl Family {
    pub(super) fn of(heads: Vec<RolloutHead>) -> Self {
        let mut by_id = BTreeMap::new();
        for (at, head) in heads.iter().enumerate() {
            by_id.entry(head.id.as_str()).or_insert(at);
        }
        let parent = |(at, head): (usize, &RolloutHead)| {
            let found = by_id.get(head.parent.as_deref()?).copied();
            found.filter(|found| *found != at)
        };
        let parents: Vec<Option<usize>> = heads.iter().enumerate().map(parent).collect();
        let mut roots: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for start in 0..heads.len() {
            let root = root(&heads, &parents, start);
            let below = roots.entry(root).or_default();
            if root != start {
                below.push(start);
            }
        }
        Self {
            heads,
            parents,
            roots,
        }
    }

    /// The parent rollout of a rollout.
    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        Some(self.heads[self.parents[at]?].position)
    }
}

/// Maximum levels of subagents.
const LEVELS: usize = 64;

/// The top-level thread of a rollout; itself if it is not a subagent.
fn root(heads: &[RolloutHead], parents: &[Option<usize>], start: usize) -> usize {
    let mut at = start;
    for _ in 0..LEVELS {
        match parents[at].filter(|_| heads[at].is_subagent) {
            Some(parent) => at = parent,
            None => return at,
        }
    }
    // The rollouts name each other in a cycle.
    start
}

/// How many rows at the beginning of a rollout are copies of its parent's. Ignores rows of sessions and settings.
pub(super) fn copied(bytes: &[u8], parent: &[u8]) -> usize {
    let mut theirs = jsonl::lines(parent).filter_map(|line| content(&line.text));
    let mut copied = 0;
    for (row, line) in jsonl::lines(bytes).enumerate() {
        let Some(ours) = content(&line.text) else {
            continue;
        };
        if theirs.next() != Some(ours) {
            break;
        }
        copied = row + 1;
    }
    copied
}

/// Type and content of a row, without its time.
fn content(text: &str) -> Option<(String, String)> {
    let text = raw_json::whole_pairs(text);
    let row = Row::parse(&text).ok()?;
    let kind = row.text("type");
    let passed_over = matches!(&*kind, "session_meta" | "turn_context");
    (!passed_over).then(|| {
        let payload = row.raw("payload").unwrap_or_default();
        (kind.into_owned(), payload.to_owned())
    })
}
