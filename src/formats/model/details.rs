//! Parts of a record that only the run page shows: too large to keep in memory for every run.
//!
//! The types are those of the record. The functions here derive the rest.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::run_record::{self as record, RunRecord};

use super::run::{Number, number};
use super::time::Moment;
use super::transcript::AssetFile;
use super::value::JsonExcerpt;

pub use crate::run_record::{
    Adversarial, Assertion, DebugScript, Performance, PerformanceCase, PriorEntry, Proof, Showcase,
    Text, Toolchain, Verdict,
};

/// The pictures that a record declares, by their path there.
#[derive(Debug, Default)]
pub struct Pictures {
    pub proofs: BTreeMap<String, Arc<AssetFile>>,
    /// Media of the showcase, and images in its description.
    pub showcase: BTreeMap<String, Arc<AssetFile>>,
}

/// The recorded result of a step.
#[derive(Debug, Clone, Copy)]
pub enum StepResult<'a> {
    Step(&'a record::Step<'a>),
    /// The step did not run, and nothing loaded.
    NotRun,
    /// Unknown: old records have no steps, and an implementation that loaded must have been built somehow.
    Unknown,
}

impl StepResult<'_> {
    /// Whether it ran and failed.
    pub fn has_failed(self) -> bool {
        matches!(self, Self::Step(step) if step.succeeded != Some(true))
    }
}

/// The install and the build step.
pub fn steps<'a>(details: &'a RunRecord<'_>) -> [StepResult<'a>; 2] {
    let v = &details.validation;
    let step = |step: &'a Option<record::Step<'_>>, skipped| match step {
        Some(step) => StepResult::Step(step),
        None if skipped && v.loaded == Some(false) => StepResult::NotRun,
        None => StepResult::Unknown,
    };
    [
        step(&v.install, v.skipped.install),
        step(&v.build, v.skipped.build),
    ]
}

/// The outcome of a debug script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptOutcome {
    /// Every verdict passed.
    Passed,
    /// A verdict failed.
    Failed,
    /// It ran without a verdict.
    NoVerdict,
    /// A precondition was missing, so it proves nothing about the build.
    PreconditionUnmet,
    NotRun,
    NotRecorded,
}

impl ScriptOutcome {
    pub fn of(script: &DebugScript<'_>) -> Self {
        let passes: Vec<_> = script.verdicts.iter().map(|verdict| verdict.pass).collect();
        match script.ran {
            _ if script.precondition_unmet == Some(true) => Self::PreconditionUnmet,
            None => Self::NotRecorded,
            Some(false) => Self::NotRun,
            Some(true) if passes.contains(&Some(false)) => Self::Failed,
            Some(true) if !passes.is_empty() && passes.iter().all(|pass| *pass == Some(true)) => {
                Self::Passed
            }
            Some(true) => Self::NoVerdict,
        }
    }
}

/// A display name: the first of `names` that is present.
pub fn name(names: [&Text<'_>; 2]) -> String {
    names
        .into_iter()
        .flatten()
        .find(|name| !name.is_empty())
        .map_or_else(|| "unnamed".to_owned(), ToString::to_string)
}

/// Durations of the stages by key; `None` is "not reported".
pub fn stages<'a>(details: &'a RunRecord<'_>) -> Vec<(&'a str, Option<Number>)> {
    let stages = details.metrics.stages.iter();
    stages
        .map(|(key, seconds)| {
            let seconds = seconds.filter(|s| s.value.is_finite() && s.value >= 0.0);
            (key.as_ref(), number(seconds))
        })
        .collect()
}

/// Calls by tool, most first, then by name.
pub fn tool_calls<'a>(details: &'a RunRecord<'_>) -> Vec<(&'a str, Number)> {
    let mut calls: Vec<_> = details
        .tool_calls
        .iter()
        .filter_map(|(name, count)| Some((name.as_ref(), number(Some(*count))?)))
        .collect();
    calls.sort_by(|(a, x), (b, y)| y.value().total_cmp(&x.value()).then_with(|| a.cmp(b)));
    calls
}

/// The measurements of the test type, by key of the record.
pub fn blocks(details: &RunRecord<'_>) -> Vec<(&'static str, JsonExcerpt)> {
    let v = &details.validation;
    [
        ("asset", v.asset),
        ("voxel", v.voxel),
        ("audio", v.audio),
        ("particle", v.particle),
        ("ui", v.ui),
        ("material", v.material),
    ]
    .into_iter()
    .filter_map(|(key, node)| Some((key, JsonExcerpt::of(node?))))
    .collect()
}

/// Further keys of a step, as written.
pub fn more(step: Option<&record::Step<'_>>) -> Vec<(String, JsonExcerpt)> {
    let more = step.into_iter().flat_map(|step| &step.more);
    more.map(|(key, node)| (key.to_string(), JsonExcerpt::of(*node)))
        .collect()
}

/// `Some(true)` if the type check ran and exited with 0; `None` if it did not run.
pub fn typecheck(toolchain: &Toolchain<'_>) -> Option<bool> {
    toolchain
        .typecheck_succeeded
        .filter(|_| toolchain.typecheck_ran == Some(true))
}

/// Whether the validation rates a run, so that it needs no review: a type check that fails makes it broken, and runs of performance
/// and adversarial tests are measured.
pub fn is_rated_by_validation(details: &RunRecord<'_>) -> bool {
    let validation = &details.validation;
    let is_of = |test_type: &str| details.subject.test_type.as_deref() == Some(test_type);
    details.toolchain.as_ref().and_then(typecheck) == Some(false)
        || (is_of("performance") && validation.performance.is_some())
        || (is_of("adversarial") && validation.adversarial.is_some())
}

/// The run's description of itself, in Markdown.
pub fn description<'a>(details: &'a RunRecord<'_>) -> Option<&'a str> {
    let description = details.showcase.as_ref()?.description.as_deref();
    description.filter(|text| !text.trim().is_empty())
}

/// When an earlier entry of the jam ended.
pub fn finished(entry: &PriorEntry<'_>) -> Option<Moment> {
    Moment::parse(entry.finished_at.as_ref()?)
}
