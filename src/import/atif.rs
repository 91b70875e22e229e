//! ATIF, the Agent Trajectory Interchange Format: one JSON object, optionally continued in other files, with subagents inside
//! it or next to it. Reads all versions 1.x.

mod document;
mod files;
mod steps;

use std::collections::BTreeSet;

use crate::diagnostics::Code;
use crate::diagnostics::codes::IMPORT_WRONG_FORMAT;
use crate::formats::decimal::Decimal;
use crate::model::run::Metric;

use super::agents;
use super::draft::{Draft, Id, Tokens};
use super::loose;
use super::source::Source;
use super::usage::Inclusive;
use super::{Importer, Options, Problem, problem};

use document::{FinalMetrics, MetricsExtra, Trajectory};
use files::{beside, read_one, text, trajectory};
use steps::Reader;

/// The importer.
pub struct Atif;

/// Maximum levels of subagents.
const LEVELS: usize = 16;

impl Importer for Atif {
    fn format(&self) -> &'static str {
        "atif"
    }

    fn read(
        &self,
        source: &Source,
        options: &Options,
        each: &mut dyn FnMut(Result<Draft, Problem>),
    ) {
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
}

/// Reads the trajectory that no other file continues or names as a subagent. Further ones are listed as unused.
pub fn read_trajectory(
    source: &Source,
    positions: &[usize],
    options: &Options,
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
fn roots(source: &Source, positions: &[usize]) -> (Vec<usize>, Vec<Problem>) {
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
                        .filter_map(|path| beside(source, position, path)),
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
    // Files that name each other in a cycle.
    let circle = roots.is_empty().then(|| found.first().copied()).flatten();
    (roots.into_iter().chain(circle).collect(), problems)
}

/// The files that a trajectory names.
fn paths(trajectory: &Trajectory<'_>, level: usize) -> Vec<String> {
    let mut paths = Vec::new();
    paths.extend(trajectory.continued_trajectory_ref.named());
    for step in &trajectory.steps.0 {
        let results = step.observation.0.as_ref();
        for result in results.map_or_else(Vec::new, |seen| steps::objects(&seen.results)) {
            let references = steps::objects(&result.subagent_trajectory_ref);
            paths.extend(
                references
                    .iter()
                    .filter_map(|named| named.trajectory_path.named()),
            );
        }
    }
    if level < LEVELS {
        for below in &trajectory.subagent_trajectories.0 {
            paths.extend(self::paths(below, level + 1));
        }
    }
    paths
}

/// Sets the fields of the record that are known before the steps.
fn record(reader: &mut Reader<'_>, trajectory: &Trajectory<'_>) {
    let record = &mut reader.draft.record;
    record.format_version = trajectory.schema_version.named();
    let ids = [
        ("trajectory", trajectory.trajectory_id.named()),
        ("session", trajectory.session_id.named()),
    ];
    let own: Vec<String> = ids.iter().filter_map(|(_, id)| id.clone()).collect();
    record.ids.extend(
        ids.into_iter()
            .filter_map(|(name, id)| Some((name.to_owned(), id?))),
    );
    if let Some(agent) = &trajectory.agent.0 {
        record.harness = agent.name.named();
        record.harness_version = agent.version.named();
        record.models.extend(agent.model_name.named());
    }
    record.id = match own.iter().find(|id| loose::is_uuid(id)) {
        Some(id) => Id::Own(id.clone()),
        None => Id::Derived {
            with_digests: own.is_empty(),
            names: own.into_iter().chain(record.harness.clone()).collect(),
        },
    };
    if let Some(metrics) = &trajectory.final_metrics.0 {
        let extra = metrics.extra.0.as_ref();
        record.cost = metrics.total_cost_usd.0;
        record.cost_estimated = extra.is_some_and(MetricsExtra::is_estimated);
        record.tokens = of_all(metrics);
    }
}

fn of_all(metrics: &FinalMetrics<'_>) -> Tokens {
    let extra = metrics.extra.0.as_ref();
    let used = Inclusive {
        input: metrics.total_prompt_tokens.0,
        cached: metrics.total_cached_tokens.0,
        output: metrics.total_completion_tokens.0,
        reasoning: extra.and_then(MetricsExtra::reasoning),
    };
    used.disjoint()
}

/// Sets the fields of the record that are known after all steps.
fn finish(reader: Reader<'_>, file: &str) -> Draft {
    let mut draft = reader.draft;
    let record = &mut draft.record;
    // The last of several files counts only its own context.
    let sums_count = reader.is_continued && reader.tokens != Tokens::default();
    let is_sum = sums_count || record.tokens == Tokens::default();
    if is_sum {
        record.tokens = reader.tokens;
    }
    let cost = reader.cost.map(Decimal::value);
    if reader.is_continued {
        record.cost = cost.or(record.cost);
    }
    record.cost = record.cost.or(cost);
    record.cost_estimated &= record.cost.is_some();
    if record.models.is_empty() {
        record.models = reader.models.models;
    }
    reader.times.write(record);
    if is_sum {
        draft.uncounted(file, reader.uncounted);
    }
    if reader.is_cut {
        let mut metrics = Metric::TOKENS.to_vec();
        metrics.push(Metric::ActualCost);
        draft.lower_bound(file, &metrics, "a file that continues the log is missing");
    }
    agents::weave(&mut draft, reader.blocks);
    draft
}
