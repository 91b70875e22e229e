//! Chooses the log to read below the folder of a trial. The agent's own log keeps exit statuses and order; the trajectory that
//! Harbor derives from it does not.

use std::ops::Range;

use super::super::draft::{Draft, RecordDraft};
use super::super::{
    ImportOptions, LogSource, Problem, atif, claude_code, codex, mini_swe_agent, openhands,
};

/// The log of a trial, or the logs of its steps in order. Without a log the draft is empty.
pub fn read(
    source: &LogSource,
    files: Range<usize>,
    folder: &str,
    steps: &[String],
    options: &ImportOptions,
) -> Draft {
    if let Some(draft) = log(source, files.clone(), &format!("{folder}agent/"), options) {
        return draft;
    }
    let mut all = Draft::default();
    for step in steps {
        let below = format!("{folder}steps/{step}/agent/");
        let Some(mut draft) = log(source, files.clone(), &below, options) else {
            continue;
        };
        all.absorb(&mut draft);
        all.agents.append(&mut draft.agents);
        let RecordDraft {
            harness,
            harness_version,
            models,
            mut unused,
            ..
        } = draft.record;
        all.record.harness = harness.or(all.record.harness);
        all.record.harness_version = harness_version.or(all.record.harness_version);
        for model in models {
            all.record.add_model(&model);
        }
        all.record.unused.append(&mut unused);
        let place = draft.events.first().map(|event| event.source.clone());
        all.note(place.unwrap_or_default(), "step", Some(step.clone()));
        all.events.append(&mut draft.events);
    }
    all
}

/// The log of an agent, from its files.
fn log(
    source: &LogSource,
    files: Range<usize>,
    folder: &str,
    options: &ImportOptions,
) -> Option<Draft> {
    let names = source.names();
    let below = |start: &str, wanted: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let start = format!("{folder}{start}");
        let is_of = |name: &String| name.strip_prefix(&*start).is_some_and(wanted);
        files.clone().filter(|at| is_of(&names[*at])).collect()
    };
    let trajectories = below("trajectory", &|rest| {
        rest.strip_suffix(".json")
            .is_some_and(|rest| !rest.contains('/'))
    });
    let converted =
        (!trajectories.is_empty()).then(|| atif::read_trajectory(source, &trajectories, options));
    let projects = below("sessions/projects/", &|rest| {
        rest.strip_suffix(".jsonl").is_some()
    });
    let rollouts = below("sessions/", &|rest| rest.contains("/rollout-"));
    let mini = source.position(&format!("{folder}mini-swe-agent.trajectory.json"));
    let native: Option<Result<Draft, Problem>> = if !projects.is_empty() {
        Some(claude_code::read_session(source, &projects, options))
    } else if !rollouts.is_empty() {
        Some(codex::read_rollout(source, &rollouts, options))
    } else if let Some(position) = mini {
        Some(mini_swe_agent::read(source, position, options))
    } else {
        openhands::read_below(source, files.clone(), folder, options)
    };
    match (native, converted) {
        (Some(Ok(mut draft)), made) => {
            let unused = trajectories.iter().map(|at| names[*at].clone());
            draft.record.unused.extend(unused);
            if let Some(Ok(made)) = made {
                draft.record.cost_estimated |= made.record.cost_estimated;
                if draft.record.tokens.reasoning.is_none() {
                    draft.record.tokens = made.record.tokens;
                }
            }
            Some(draft)
        }
        (Some(Err(problem)), Some(Ok(mut draft))) => {
            draft.skip(problem);
            Some(draft)
        }
        (None, Some(Ok(draft))) => Some(draft),
        (Some(Err(problem)), _) | (None, Some(Err(problem))) => {
            let mut draft = Draft::default();
            draft.skip(problem);
            Some(draft)
        }
        (None, None) => None,
    }
}
