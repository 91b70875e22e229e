//! Codex: rollouts (`rollout-….jsonl`, optionally compressed), one per thread. Threads started by another one are its subagents
//! if both are read together.

mod command_header;
mod completed;
mod duplicates;
mod family;
mod finish;
mod items;
mod patch;
mod screen;
mod thread;

use super::agents::{self, SubagentEvents};
use super::draft::{Draft, TraceAgent, only_model};
use super::source::LogSource;
use super::{EachRun, ImportOptions, Problem};

use family::Family;

pub fn runs(source: &LogSource, options: &ImportOptions, each: EachRun<'_>) {
    let positions: Vec<usize> = (0..source.names().len())
        .filter(|at| source.names().len() == 1 || family::is_rollout(source, *at))
        .collect();
    let (heads, problems) = family::heads(source, &positions);
    for problem in problems {
        each(Err(problem));
    }
    let family = Family::of(heads);
    for root in family.roots.keys() {
        each(read_family(source, &family, *root, options));
    }
}

/// Reads the first thread that no other one started, with its subagents. Further ones are listed as unused.
pub fn read_rollout(
    source: &LogSource,
    positions: &[usize],
    options: &ImportOptions,
) -> Result<Draft, Problem> {
    let (heads, problems) = family::heads(source, positions);
    let family = Family::of(heads);
    let mut roots = family.roots.keys();
    let Some(root) = roots.next() else {
        return Err(problems
            .into_iter()
            .next()
            .unwrap_or_else(|| family::not_a_rollout("")));
    };
    let mut draft = read_family(source, &family, *root, options)?;
    let unused = roots.map(|at| source.names()[family.heads[*at].position].clone());
    draft.record.unused.extend(unused);
    Ok(draft)
}

/// Reads a thread and the threads that it started.
fn read_family(
    source: &LogSource,
    family: &Family,
    root: usize,
    options: &ImportOptions,
) -> Result<Draft, Problem> {
    let mut main = thread::read(source, family, root, options)?;
    let mut blocks = Vec::new();
    for at in family.roots.get(&root).into_iter().flatten().copied() {
        let head = &family.heads[at];
        let mut child = match thread::read(source, family, at, options) {
            Ok(child) => child,
            Err(problem) => {
                main.draft.skip(problem);
                continue;
            }
        };
        main.draft.absorb(&mut child.draft);
        blocks.push(SubagentEvents {
            agent: TraceAgent {
                id: head.id.clone(),
                name: head.name.clone(),
                call: head.call.clone(),
                model: only_model(&child.draft.record.models).cloned(),
                ..TraceAgent::default()
            },
            events: child.draft.events,
            ended: child.ended,
        });
        main.started.append(&mut child.started);
    }
    for block in &mut blocks {
        if block.agent.call.is_none() {
            block.agent.call = main.started.remove(&block.agent.id);
        }
    }
    agents::insert_subagents(&mut main.draft, blocks);
    Ok(main.draft)
}
