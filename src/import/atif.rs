//! ATIF, the Agent Trajectory Interchange Format: one JSON object, optionally continued in other files, with subagents inside
//! it or next to it. Reads all versions 1.x.

mod files;
mod steps;

use std::collections::BTreeSet;

use base::diagnostics::Code;
use base::diagnostics::codes::IMPORT_WRONG_FORMAT;
use formats::decimal::Decimal;
use formats::model::run::Metric;

use super::agents;
use super::draft::{Draft, RunIdSource, Tokens};
use super::raw_json;
use super::row::Row;
use super::source::LogSource;
use super::{EachRun, ImportOptions, Problem, problem};

use files::{read_one, relative_file, text, trajectory};
use steps::{StepReader, is_estimated, tokens};

/// Maximum levels of subagents.
const LEVELS: usize = 16;

pub fn runs(source: &LogSource, options: &ImportOptions, each: EachRun<'_>) {
    let names = source.names();
    let all: Vec<usize> = (0..names.len())
        .filter(|at| names.len() == 1 || names[*at].strip_suffix(".json").is_some())
        .collect();
    let (roots, problems) = roots(source, &all);
    for problem in problems {
        each(Err(problem));
    }
    for root in roots {
        each(read_one(source, root, options));
    }
}

/// Reads the trajectory that no other file continues or names as a subagent. Further ones are listed as unused.
pub fn read_trajectory(
    source: &LogSource,
    positions: &[usize],
    options: &ImportOptions,
) -> Result<Draft, Problem> {
    let (roots, problems) = roots(source, positions);
    let mut roots = roots.into_iter();
    let Some(root) = roots.next() else {
        let nothing = || refused(&IMPORT_WRONG_FORMAT, "", "No file is a trajectory");
        return Err(problems.into_iter().next().unwrap_or_else(nothing));
    };
    let mut draft = read_one(source, root, options)?;
    let unused = roots.map(|root| source.names()[root].clone());
    draft.record.unused.extend(unused);
    Ok(draft)
}

fn refused(code: &'static Code, file: &str, message: &str) -> Problem {
    let help =
        "ATIF is read in its versions 1.x. Without `--format` the format is recognized by content.";
    problem(code, file, message, help)
}

/// The trajectories that no other trajectory names.
fn roots(source: &LogSource, positions: &[usize]) -> (Vec<usize>, Vec<Problem>) {
    let (mut found, mut problems, mut named) = (Vec::new(), Vec::new(), BTreeSet::new());
    for &position in positions {
        let file = match source.read(position) {
            Ok(file) => file,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let text = text(&file);
        // A folder may hold other JSON files.
        let is_other = positions.len() > 1 && !text.contains("\"schema_version\"");
        match trajectory(&file, &text) {
            Ok(trajectory) => {
                let paths = paths(&trajectory, 0);
                named.extend(
                    paths
                        .iter()
                        .filter_map(|path| relative_file(source, position, path)),
                );
                found.push(position);
            }
            Err(_) if is_other => {}
            Err(problem) => problems.push(problem),
        }
    }
    let roots: Vec<usize> = found
        .iter()
        .copied()
        .filter(|at| !named.contains(at))
        .collect();
    // Without a root, the files name each other in a cycle.
    let circle = roots.is_empty().then(|| found.first().copied()).flatten();
    (roots.into_iter().chain(circle).collect(), problems)
}

/// The files that a trajectory names.
fn paths(trajectory: &Row<'_>, level: usize) -> Vec<String> {
    let mut paths = Vec::new();
    paths.extend(trajectory.name("continued_trajectory_ref"));
    for step in trajectory.rows("steps") {
        for result in step.parts("observation.results") {
            let references = result.parts("subagent_trajectory_ref");
            paths.extend(references.filter_map(|named| named.name("trajectory_path")));
        }
    }
    if level < LEVELS {
        for below in trajectory.rows("subagent_trajectories") {
            paths.extend(self::paths(&below, level + 1));
        }
    }
    paths
}

/// Sets the fields of the record that are known before the steps.
fn record(reader: &mut StepReader<'_>, trajectory: &Row<'_>) {
    let draft = &mut reader.chat.draft;
    let record = &mut draft.record;
    let own = ["trajectory_id", "session_id"].map(|key| trajectory.name(key));
    let [trajectory_id, session] = own.clone();
    record.add_ids([("trajectory", trajectory_id), ("session", session)]);
    record.format_version = trajectory.name("schema_version");
    record.harness = trajectory.name("agent.name");
    record.harness_version = trajectory.name("agent.version");
    record.models.extend(trajectory.name("agent.model_name"));
    let own: Vec<String> = own.into_iter().flatten().collect();
    record.id = match own.iter().find(|id| raw_json::is_uuid(id)) {
        Some(id) => RunIdSource::Own(id.clone()),
        None => RunIdSource::Derived {
            with_digests: own.is_empty(),
            names: own.into_iter().chain(record.harness.clone()).collect(),
        },
    };
    if let Some(metrics) = trajectory.row("final_metrics") {
        let counts = [
            "total_prompt_tokens",
            "total_cached_tokens",
            "total_completion_tokens",
        ];
        draft.check_numbers(&metrics, &["total_cost_usd"], &counts);
        let record = &mut draft.record;
        record.cost = metrics.number("total_cost_usd");
        record.cost_estimated = is_estimated(&metrics);
        record.tokens = tokens(&metrics, "total_");
    }
}

/// Sets the fields of the record that are known after all steps.
fn finish(reader: StepReader<'_>, file: &str) -> Draft {
    let mut draft = reader.chat.draft;
    let record = &mut draft.record;
    // The last of several files counts only its own context.
    let sums_count = reader.is_continued && reader.steps.tokens != Tokens::default();
    let is_sum = sums_count || record.tokens == Tokens::default();
    record.add_incomplete(reader.steps.incomplete);
    if is_sum {
        record.tokens = reader.steps.tokens;
    } else {
        for metric in Metric::TOKENS {
            record.incomplete.remove(metric);
        }
    }
    let cost = reader.cost.map(Decimal::value);
    if record.cost.is_none() || reader.is_continued && cost.is_some() {
        record.cost = cost;
    } else {
        record.incomplete.remove(Metric::ActualCost);
    }
    record.cost_estimated &= record.cost.is_some();
    if record.models.is_empty() {
        record.models = reader.steps.models;
    }
    reader.chat.times.write(record);
    if is_sum {
        draft.uncounted(file, reader.uncounted);
    }
    if reader.is_cut {
        let mut metrics = Metric::TOKENS.to_vec();
        metrics.push(Metric::ActualCost);
        draft.lower_bound(file, &metrics, "a file that continues the log is missing");
    }
    agents::insert_subagents(&mut draft, reader.blocks);
    draft
}
