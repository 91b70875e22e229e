//! The files of one run: a trajectory, its continuations, and its subagents.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use base::diagnostics::codes::{
    IMPORT_INVALID_FILE, IMPORT_UNSUPPORTED_VERSION, IMPORT_WRONG_FORMAT,
};
use base::diagnostics::without_mark;

use super::super::agents::SubagentEvents;
use super::super::draft::{Draft, TraceAgent};
use super::super::row::Row;
use super::super::source::{LogFile, LogSource};
use super::super::{ImportOptions, Problem};
use super::steps::{StepReader, SubagentReference};
use super::{LEVELS, finish, record, refused};

/// Maximum files of one run.
const LIMIT: usize = 1_000;

/// Reads a trajectory with its continuations and subagents.
pub(super) fn read_one(
    source: &LogSource,
    root: usize,
    options: &ImportOptions,
) -> Result<Draft, Problem> {
    let mut run = TrajectoryFiles {
        source,
        options,
        read: BTreeSet::new(),
    };
    let file = source.read(root)?;
    run.read.insert(root);
    let text = text(&file);
    let first = trajectory(&file, &text)?;
    let mut reader = StepReader::new(options);
    reader.chat.draft.sources.push(root);
    record(&mut reader, &first);
    run.one(&mut reader, &first, root, 0);
    run.continued(&mut reader, &first, root);
    Ok(finish(reader, file.name))
}

struct TrajectoryFiles<'s> {
    source: &'s LogSource,
    options: &'s ImportOptions,
    read: BTreeSet<usize>,
}

impl<'s> TrajectoryFiles<'s> {
    /// Reads the steps of a trajectory, and the subagents that it names.
    fn one(
        &mut self,
        reader: &mut StepReader<'_>,
        trajectory: &Row<'_>,
        position: usize,
        level: usize,
    ) {
        reader.read(trajectory);
        let below = trajectory.rows("subagent_trajectories");
        let below: Vec<Row<'_>> = below.filter(Row::is_object).collect();
        let by = |key: &str| -> BTreeMap<String, usize> {
            let all = below.iter().enumerate();
            all.filter_map(|(at, below)| Some((below.name(key)?, at)))
                .collect()
        };
        let (by_id, by_session) = (by("trajectory_id"), by("session_id"));
        let mut inside: Vec<Option<Row<'_>>> = below.into_iter().map(Some).collect();
        for reference in std::mem::take(&mut reader.references) {
            // A session without a path is informational only.
            let session = reference
                .session
                .as_ref()
                .filter(|_| reference.path.is_none());
            let found = match &reference.id {
                Some(id) => by_id.get(id),
                None => session.and_then(|session| by_session.get(session)),
            };
            if let Some(&at) = found
                && let Some(below) = inside[at].take()
            {
                let base = format!("{}/subagent_trajectories/{at}", reader.base);
                self.subagent(reader, &below, position, &reference, base, level);
            } else if !self.of_path(reader, position, &reference, level) {
                let name = reference
                    .path
                    .as_ref()
                    .or(reference.id.as_ref())
                    .or(reference.session.as_ref());
                let text = name.cloned().unwrap_or_default();
                let pointer = reference.origin.pointer.as_deref().unwrap_or_default();
                let pointer = pointer
                    .strip_prefix(reader.base.as_str())
                    .unwrap_or(pointer)
                    .to_owned();
                reader.note("missing subagent", text, &pointer);
            }
        }
        for (at, below) in inside.into_iter().enumerate() {
            if let Some(below) = below {
                let base = format!("{}/subagent_trajectories/{at}", reader.base);
                let unnamed = SubagentReference::default();
                self.subagent(reader, &below, position, &unnamed, base, level);
            }
        }
    }

    /// Reads a further file, which is named by its path from another one.
    fn file(&mut self, position: usize, path: &str) -> Option<LogFile<'s>> {
        let found = relative_file(self.source, position, path)?;
        if self.read.len() >= LIMIT || !self.read.insert(found) {
            return None;
        }
        self.source.read(found).ok()
    }

    /// Reads the file of a subagent. Returns whether it exists.
    fn of_path(
        &mut self,
        reader: &mut StepReader<'_>,
        position: usize,
        reference: &SubagentReference,
        level: usize,
    ) -> bool {
        let path = reference.path.as_deref();
        let Some(file) = path.and_then(|path| self.file(position, path)) else {
            return false;
        };
        let text = text(&file);
        let Ok(below) = trajectory(&file, &text) else {
            return false;
        };
        let outer = reader.file;
        reader.file = reader.chat.draft.sources.len();
        reader.chat.draft.sources.push(file.position);
        self.subagent(
            reader,
            &below,
            file.position,
            reference,
            String::new(),
            level,
        );
        reader.file = outer;
        true
    }

    fn subagent(
        &mut self,
        outer: &mut StepReader<'_>,
        trajectory: &Row<'_>,
        position: usize,
        reference: &SubagentReference,
        base: String,
        level: usize,
    ) {
        if level >= LEVELS {
            return;
        }
        let mut inner = StepReader::new(self.options);
        inner.base = base;
        inner.file = outer.file;
        // Sources are numbered across the whole run.
        std::mem::swap(&mut inner.chat.draft.sources, &mut outer.chat.draft.sources);
        self.one(&mut inner, trajectory, position, level + 1);
        std::mem::swap(&mut inner.chat.draft.sources, &mut outer.chat.draft.sources);
        let id = trajectory.name("trajectory_id");
        let id = id.or_else(|| reference.id.clone());
        let id = id.or_else(|| trajectory.name("session_id"));
        outer.blocks.push(SubagentEvents {
            agent: TraceAgent {
                id: id.unwrap_or_else(|| format!("subagent-{}", outer.blocks.len() + 1)),
                name: trajectory.name("agent.name"),
                call: reference.call.clone(),
                parent: None,
                model: trajectory.name("agent.model_name"),
            },
            events: std::mem::take(&mut inner.chat.draft.events),
            ended: None,
        });
        outer.blocks.append(&mut inner.blocks);
        // The final metrics of a run include its subagents.
        outer.steps.add(inner.steps.tokens);
        outer.steps.add_incomplete(inner.steps.incomplete);
        outer.cost = match (outer.cost, inner.cost) {
            (Some(a), Some(b)) => Some(a.plus(b)),
            (one, other) => one.or(other),
        };
        outer.chat.draft.record.cost_estimated |= inner.chat.draft.record.cost_estimated;
        outer.chat.draft.absorb(&mut inner.chat.draft);
    }

    /// Reads the continuations of a trajectory in order.
    fn continued(&mut self, reader: &mut StepReader<'_>, first: &Row<'_>, root: usize) {
        let mut next = first.name("continued_trajectory_ref");
        let mut position = root;
        while let Some(path) = next.take() {
            let found = relative_file(self.source, position, &path);
            if found.is_some_and(|found| self.read.contains(&found)) {
                return;
            }
            let Some(file) = self.file(position, &path) else {
                return reader.miss(path);
            };
            let text = text(&file);
            let Ok(trajectory) = trajectory(&file, &text) else {
                return reader.miss(path);
            };
            reader.file = reader.chat.draft.sources.len();
            reader.chat.draft.sources.push(file.position);
            reader.note("continued", path, "");
            self.one(reader, &trajectory, file.position, 0);
            reader.is_continued = true;
            next = trajectory.name("continued_trajectory_ref");
            position = file.position;
        }
    }
}

/// The file at a path relative to the folder of the trajectory.
pub(super) fn relative_file(source: &LogSource, position: usize, path: &str) -> Option<usize> {
    let own = &source.names()[position];
    let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    source
        .position(&parts.join("/"))
        .filter(|found| *found != position)
}

pub(super) fn text<'f>(file: &'f LogFile<'_>) -> Cow<'f, str> {
    String::from_utf8_lossy(without_mark(&file.bytes))
}

pub(super) fn trajectory<'t>(file: &LogFile<'_>, text: &'t str) -> Result<Row<'t>, Problem> {
    let read = Row::parse(text).map_err(|why| {
        let message = format!("The file {}", why.words());
        refused(&IMPORT_INVALID_FILE, file.name, &message)
    })?;
    let version = read.text("schema_version");
    if !version.starts_with("ATIF-v1.") {
        if version.is_empty() {
            let message = "The file is no trajectory: it has no `schema_version`";
            return Err(refused(&IMPORT_WRONG_FORMAT, file.name, message));
        }
        let message = format!("The version {version:?} is not recognized");
        return Err(refused(&IMPORT_UNSUPPORTED_VERSION, file.name, &message));
    }
    Ok(read)
}
