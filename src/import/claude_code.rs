//! Claude Code: session files (`~/.claude/projects/…/<session>.jsonl`) with their subagents, streams printed by `claude -p`,
//! and sessions exported as one object. The format is undocumented, so rows are read by their keys.

mod author;
mod counters;
mod identity;
mod inserted_text;
mod lane;
mod messages;
mod results;
mod session;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use base::diagnostics::codes::{IMPORT_DUPLICATE_RUN, IMPORT_WRONG_FORMAT};
use base::diagnostics::text::counted;
use formats::model::run::Metric;
use formats::{decimal, jsonl};

use super::agents::{self, SubagentEvents};
use super::draft::{Draft, RunIdSource, TraceAgent, only_model};
use super::row::Row;
use super::source::{LogFile, LogSource};
use super::{EachRun, ImportOptions, Problem, problem, raw_json};

use identity::SessionIdentity;
use lane::{Lane, ResponseCounts};
use session::{RowOwners, Session};

/// The keys of the session that wrote a row, in files and in streams.
const SESSION: [&str; 2] = ["sessionId", "session_id"];
/// The keys of the row before a row.
const PARENT: [&str; 2] = ["parentUuid", "logicalParentUuid"];

pub fn runs(source: &LogSource, options: &ImportOptions, each: EachRun<'_>) {
    let names = source.names();
    let positions: Vec<usize> = (0..names.len())
        .filter(|at| names.len() == 1 || belongs(source, *at))
        .collect();
    let families = families(source, &positions);
    let owners = owners(source, &families);
    for (main, files) in &families {
        each(read_family(source, *main, files, Some(&owners), options));
    }
}

/// Reads the first session that is not a subagent of another, with its subagents. Further ones are listed as unused.
pub fn read_session(
    source: &LogSource,
    positions: &[usize],
    options: &ImportOptions,
) -> Result<Draft, Problem> {
    let families = families(source, positions);
    let mut rest = families.iter();
    let Some((main, files)) = rest.next() else {
        return Err(not_a_session(""));
    };
    let mut draft = read_family(source, *main, files, None, options)?;
    let unused = rest.map(|(main, _)| source.names()[*main].clone());
    draft.record.unused.extend(unused);
    Ok(draft)
}

fn not_a_session(file: &str) -> Problem {
    let message = "The file is no session of Claude Code: no line is a row of a recognized type";
    let help = "Without `--format` the format is recognized by content; or leave the file out.";
    problem(&IMPORT_WRONG_FORMAT, file, message, help)
}

/// Whether a file of a folder may be a session or a subagent.
fn belongs(source: &LogSource, position: usize) -> bool {
    let name = &source.names()[position];
    let base = name.rsplit('/').next().unwrap_or(name);
    let exported = || {
        source
            .head(position)
            .is_ok_and(|head| memchr::memmem::find(&head, b"\"loglines\"").is_some())
    };
    match base.rsplit_once('.') {
        Some(("journal", _)) => false,
        Some((_, "jsonl")) => true,
        Some((stem, "json")) => stem.strip_suffix(".meta").is_none() && exported(),
        _ => false,
    }
}

/// Sessions with the files of their subagents, in order of names.
fn families(source: &LogSource, positions: &[usize]) -> BTreeMap<usize, Vec<usize>> {
    let mut families: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &position in positions {
        let main = main_of(source, position).filter(|main| positions.contains(main));
        if main.is_none() {
            families.entry(position).or_default();
        }
    }
    for &position in positions {
        if families.contains_key(&position) {
            continue;
        }
        let main = main_of(source, position);
        match main.and_then(|main| families.get_mut(&main)) {
            Some(files) => files.push(position),
            None => drop(families.insert(position, Vec::new())),
        }
    }
    families
}

/// The session that a subagent file belongs to, by its folder or by the session named in its rows.
fn main_of(source: &LogSource, position: usize) -> Option<usize> {
    let name = source.names()[position].as_str();
    if let Some((session, _)) = name.split_once("/subagents/") {
        return source.position(&format!("{session}.jsonl"));
    }
    let (folder, base) = name
        .rsplit_once('/')
        .map_or(("", name), |(folder, base)| (folder, base));
    if !base.starts_with("agent-") {
        return None;
    }
    let head = source.head(position).ok()?;
    let session = jsonl::lines(&head).take(8).find_map(|line| {
        let text = raw_json::whole_pairs(&line.text);
        Row::parse(&text).ok()?.name("sessionId")
    })?;
    let slash = if folder.is_empty() { "" } else { "/" };
    let main = source.position(&format!("{folder}{slash}{session}.jsonl"))?;
    (main != position).then_some(main)
}

/// The owner of each row that several sessions contain: the session that the row names, else the one that began first. Forks and
/// resumed sessions copy rows.
fn owners(source: &LogSource, families: &BTreeMap<usize, Vec<usize>>) -> RowOwners {
    let mut owners = RowOwners::new();
    if families.len() < 2 {
        return owners;
    }
    let mut sessions = Vec::new();
    for &position in families.keys() {
        let Ok(file) = source.read(position) else {
            continue;
        };
        let own = SessionIdentity::of(&file).session;
        let mut rows = Vec::new();
        let (mut first, mut last) = (None, None);
        for line in jsonl::lines(&file.bytes) {
            let Ok(row) = Row::parse(&line.text) else {
                continue;
            };
            let is_own = own.is_some() && row.first(SESSION).as_deref() == own.as_deref();
            rows.extend(tree::row_id(row.word("uuid")).map(|id| (id, is_own)));
            if let Some(time) = row.name("timestamp") {
                first.get_or_insert_with(|| time.clone());
                last = Some(time);
            }
        }
        sessions.push(((first, last, position), rows));
    }
    sessions.sort_by(|a, b| a.0.cmp(&b.0));
    for pass in [true, false] {
        for ((_, _, position), rows) in &sessions {
            for (row, _) in rows.iter().filter(|(_, is_own)| *is_own == pass) {
                owners.entry(*row).or_insert(*position);
            }
        }
    }
    owners
}

/// Reads a session with its subagents.
fn read_family(
    source: &LogSource,
    main: usize,
    files: &[usize],
    owners: Option<&RowOwners>,
    options: &ImportOptions,
) -> Result<Draft, Problem> {
    let mut session = Session::new(options);
    session.read(source, main, None, owners.map(|owners| (owners, main)))?;
    for &position in files {
        let lane = subagent(source, position);
        if let Err(problem) = session.read(source, position, Some(lane), None) {
            session.draft.skip(problem);
        }
    }
    let is_empty = session.lanes.iter().all(|lane| lane.nodes.is_empty());
    if is_empty && session.inherited > 0 {
        let message = "Every row of the file is a copy of one in another session";
        let help = "Nothing is lost: the other session has these rows.";
        return Err(problem(
            &IMPORT_DUPLICATE_RUN,
            &source.names()[main],
            message,
            help,
        ));
    }
    if is_empty && session.draft.withheld.is_empty() {
        return Err(not_a_session(&source.names()[main]));
    }
    Ok(finish(session, &source.names()[main]))
}

/// Reads the metadata of a subagent from its file name and the file next to it.
fn subagent(source: &LogSource, position: usize) -> Lane {
    let name = &source.names()[position];
    let stem = name.strip_suffix(".jsonl").unwrap_or(name);
    let base = stem.rsplit('/').next().unwrap_or(stem);
    let beside = source.position(&format!("{stem}.meta.json"));
    let beside: Option<LogFile<'_>> = beside.and_then(|beside| source.read(beside).ok());
    let meta = beside
        .as_ref()
        .and_then(|file| Row::parse_bytes(&file.bytes));
    Lane {
        id: base.strip_prefix("agent-").unwrap_or(base).to_owned(),
        name: meta.as_ref().and_then(|meta| meta.name("agentType")),
        call: meta.and_then(|meta| meta.name("toolUseId")),
        ..Lane::default()
    }
}

/// Joins the lanes and fills the record.
fn finish(mut session: Session, file: &str) -> Draft {
    let mut draft = std::mem::take(&mut session.draft);
    let mut counts = ResponseCounts::default();
    for lane in &mut session.lanes {
        lane.finish(&mut draft.record);
        counts.absorb(&lane.counts);
    }
    total(&mut draft, &session, &counts, file);
    // A subagent whose rows are missing has an end, at least.
    let read: BTreeSet<&String> = session.lanes.iter().map(|lane| &lane.id).collect();
    let ended = session.ends.keys().filter(|id| !read.contains(id));
    let ended = ended.filter(|id| session.links.contains_key(*id));
    let ended: Vec<Lane> = ended
        .map(|id| Lane {
            id: id.clone(),
            ..Lane::default()
        })
        .collect();
    // A subagent imported alone is the run itself.
    let mut alone = None;
    if session.lanes[0].nodes.is_empty() && session.lanes.len() > 1 {
        session.lanes.remove(0);
        alone = Some(session.lanes[0].id.clone());
    }
    let mut lanes = std::mem::take(&mut session.lanes).into_iter().chain(ended);
    let main = lanes.next().unwrap_or_default();
    draft.events = main.events;
    let record = &mut draft.record;
    record.harness = Some("claude-code".to_owned());
    record.models = main.models;
    record.started = main.started;
    record.finished = main.finished;
    record.add_ids([("session", session.id.clone()), ("agent", alone.clone())]);
    record.id = RunIdSource::of_session(session.id.clone(), alone, record.started.clone());
    let blocks = lanes.map(|lane| {
        let call = session.call_of(&lane);
        let of_call = call.as_ref().and_then(|call| session.ends.get(call));
        let ended = session.ends.get(&lane.id).or(of_call).copied();
        let ended = ended.or_else(|| session.links.get(&lane.id)?.1);
        let task = call
            .as_ref()
            .and_then(|call| session.tasks.get(call)?.clone());
        SubagentEvents {
            agent: TraceAgent {
                name: lane.name.or(task),
                id: lane.id,
                call,
                model: only_model(&lane.models).cloned(),
                ..TraceAgent::default()
            },
            events: lane.events,
            ended,
        }
    });
    let blocks = blocks.collect();
    agents::insert_subagents(&mut draft, blocks);
    draft
}

/// Fills the cost, and marks totals that lack a part.
fn total(draft: &mut Draft, session: &Session, counts: &ResponseCounts, file: &str) {
    const INPUT: [Metric; 2] = [Metric::UncachedInput, Metric::CachedInput];
    const OUTPUT: [Metric; 2] = [Metric::Output, Metric::Reasoning];
    let record = &mut draft.record;
    record.cost = session.counters.cost();
    record.cost_estimated = record.cost.is_some() && session.counters.is_estimated;
    if record.cost.is_none() && !session.costs.is_empty() {
        record.cost = decimal::total(session.costs.values().copied());
        record.cost_estimated = true;
        if (session.costs.len() as u64) < counts.responses {
            record.incomplete.insert(Metric::ActualCost);
        }
    }
    let missing = missing_subagents(session);
    let counters = session.counters.models();
    let coverage = counters::coverage(&counts.models, &counters);
    let is_same_input = coverage.as_ref().is_some_and(|coverage| {
        !coverage.log_has_more && coverage.counters_have_more[..2] == [false, false]
    });
    if session.counters.cost().is_some() && coverage.is_none() && session.counters.lacks_responses {
        record.incomplete.insert(Metric::ActualCost);
    }
    let mut open = counts.open;
    if is_same_input && open > 0 && missing == 0 && session.broken_responses == 0 {
        // The counters are of the same requests, to the token of their input, and have their whole output.
        let known = counts.models.keys().filter_map(|model| counters.get(model));
        let mut sum = counters::ModelTokens::default();
        known.for_each(|tokens| sum.add(*tokens));
        let tokens = &mut record.tokens;
        tokens.reasoning = tokens.reasoning.map(|_| sum.reasoning);
        tokens.output = Some(
            sum.output
                .saturating_sub(tokens.reasoning.unwrap_or_default()),
        );
        open = 0;
    } else if let Some(coverage) = &coverage {
        let more = Metric::TOKENS.into_iter().zip(coverage.counters_have_more);
        let more: Vec<Metric> = more
            .filter(|(_, more)| *more)
            .map(|(class, _)| class)
            .collect();
        draft.lower_bound(file, &more, "the program's own counters have more");
    }
    if coverage.is_some_and(|coverage| coverage.log_has_more) {
        let why = "the log has responses that the program's counter of the cost does not include";
        draft.lower_bound(file, &[Metric::ActualCost], why);
    }
    for (count, metrics, why) in [
        (open, &OUTPUT[..], "counted before its end"),
        (counts.without_input, &INPUT, "without a count of its input"),
        (
            counts.without_output,
            &OUTPUT,
            "without a count of its output",
        ),
        (
            session.broken_responses,
            &Metric::TOKENS,
            "cut off or unreadable",
        ),
    ] {
        if count > 0 {
            let why = format!("the log has {} {why}", counted(count, "response"));
            draft.lower_bound(file, metrics, &why);
        }
    }
    if missing > 0 {
        let why = format!("the log of {} is missing", counted(missing, "subagent"));
        draft.lower_bound(file, &Metric::TOKENS, &why);
    }
}

/// The number of subagents that have answered, but have no rows.
fn missing_subagents(session: &Session) -> u64 {
    let lanes = || session.lanes.iter().skip(1);
    let calls: BTreeSet<String> = lanes().filter_map(|lane| session.call_of(lane)).collect();
    // The oldest rows of subagents name neither agent nor call.
    let unlinked = lanes().filter(|lane| session.call_of(lane).is_none());
    let started = session.started.iter().filter(|call| !calls.contains(*call));
    started.count().saturating_sub(unlinked.count()) as u64
}
