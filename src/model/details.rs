//! Knows what a record says that only the page of its run shows: too much to be kept for every run at once.

use crate::formats::json::Node;
use crate::formats::run_record::{self as record, RunRecord, Text};

use super::run::{Number, number};
use super::time::Moment;
use super::value::Value;

/// The part of a record that lists, tables and feeds of the archive do not need.
#[derive(Debug, Default)]
pub struct Details {
    /// Durations of the stages by their keys; `None` is "not reported".
    pub stages: Vec<(String, Option<Number>)>,
    /// The commit that the run began from.
    pub seed_commit: Option<String>,
    /// Further keys of the install step, as written.
    pub install: Vec<(String, Value)>,
    /// Further keys of the build step, as written.
    pub build: Vec<(String, Value)>,
    /// Evidence that the run left.
    pub proofs: Vec<Proof>,
    /// What the case's own scripts found.
    pub debug_scripts: Vec<DebugScript>,
    /// What was measured by the kind of test: `asset`, `audio`, ...
    pub blocks: Vec<(&'static str, Value)>,
    /// The match against an opponent.
    pub adversarial: Option<Adversarial>,
    /// The measurement of a program.
    pub performance: Option<Performance>,
    /// Calls by tool, most first, then by name.
    pub tool_calls: Vec<(String, Number)>,
    /// Type check, linter, tests.
    pub toolchain: Option<Toolchain>,
    /// How the run presents itself.
    pub showcase: Option<Showcase>,
    /// Measurements of the code.
    pub code_analysis: Option<Value>,
    /// The capabilities that gg was given.
    pub gg_capability_set: Option<Value>,
    /// What gg says of its session.
    pub gg_summary: Option<Value>,
    /// Entries of the same game jam that this one had to differ from.
    pub prior_entries: Vec<PriorEntry>,
}

/// A proof.
#[derive(Debug)]
pub struct Proof {
    /// Its id.
    pub id: Option<String>,
    /// For people.
    pub name: String,
    /// `image`, `video`, `replay`, as written.
    pub kind: String,
    /// Where the run was asked to put it.
    pub dest: Option<String>,
    /// Whether it was found; `None` when the record does not say.
    pub present: Option<bool>,
    /// More about it.
    pub detail: Option<String>,
}

/// A script of the case that drove the build.
#[derive(Debug)]
pub struct DebugScript {
    /// The item of the checklist that it backs, with its sub-item: `movement.left`.
    pub item: Option<String>,
    /// For people.
    pub title: String,
    /// The group that it belongs to; empty when there is none.
    pub category: String,
    /// Its path.
    pub script: Option<String>,
    /// How it went.
    pub outcome: ScriptOutcome,
    /// Whether its item fails with it.
    pub gates: bool,
    /// More about it.
    pub detail: Option<String>,
    /// What it said.
    pub verdicts: Vec<Verdict>,
    /// What it left.
    pub outputs: Vec<ScriptOutput>,
}

/// How a debug script went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptOutcome {
    /// Every verdict passed.
    Passed,
    /// A verdict did not pass.
    Failed,
    /// It ran and gave no verdict.
    NoVerdict,
    /// What it needs was not there, so it says nothing about the build.
    PreconditionUnmet,
    /// It did not run.
    NotRun,
    /// The record does not say whether it ran.
    NotSaid,
}

/// A verdict of a debug script.
#[derive(Debug)]
pub struct Verdict {
    /// Its id.
    pub id: String,
    /// Whether it passed.
    pub pass: Option<bool>,
    /// What it rests on.
    pub assertions: Vec<Assertion>,
}

/// An assertion of a verdict.
#[derive(Debug)]
pub struct Assertion {
    /// What was asserted.
    pub label: String,
    /// Whether it held.
    pub pass: Option<bool>,
    /// What was expected.
    pub expected: Option<Value>,
    /// What was found.
    pub actual: Option<Value>,
}

/// Something that a debug script left.
#[derive(Debug)]
pub struct ScriptOutput {
    /// For people.
    pub name: String,
    /// `image`, `video`, ..., as written.
    pub kind: Option<String>,
    /// Whether it was found.
    pub present: Option<bool>,
}

/// A match against an opponent.
#[derive(Debug)]
pub struct Adversarial {
    /// `win`, `loss`, `draw`, `forfeit`, as written.
    pub outcome: Option<String>,
    /// Whom it was played against.
    pub opponent: Option<String>,
    /// The side of the run: `red` or `blue`.
    pub team: Option<String>,
    /// Who won; `None` is nobody.
    pub winner: Option<String>,
    /// Points of red.
    pub red: Option<Number>,
    /// Points of blue.
    pub blue: Option<Number>,
    /// `swept`, `time_limit`, `forfeit`, as written.
    pub ended: Option<String>,
    /// How long it took.
    pub ticks: Option<Number>,
    /// All of it.
    pub value: Value,
}

/// The measurement of a program.
#[derive(Debug)]
pub struct Performance {
    /// Whether every answer was right.
    pub correct: Option<bool>,
    /// Fuel that all cases took.
    pub total_fuel: Option<Number>,
    /// Fuel that was allowed.
    pub fuel_limit: Option<Number>,
    /// Cases of the record.
    pub cases: usize,
    /// Cases that were answered rightly.
    pub correct_cases: usize,
    /// Cases that took more than was allowed.
    pub over_ceiling: usize,
    /// Cases that were left out.
    pub skipped: usize,
    /// All of it.
    pub value: Value,
}

/// What the toolchain said.
#[derive(Debug)]
pub struct Toolchain {
    /// `Some(true)`: the type check ran and exited with 0; `None`: it did not run, which decides nothing.
    pub typecheck: Option<bool>,
    /// All of it.
    pub value: Value,
}

/// How a run presents itself.
#[derive(Debug)]
pub struct Showcase {
    /// Markdown.
    pub description: Option<String>,
    /// Pictures and recordings.
    pub media: Vec<Media>,
}

/// A picture or a recording of a showcase.
#[derive(Debug)]
pub struct Media {
    /// For people.
    pub name: String,
    /// Its file, where the record names one.
    pub file: Option<String>,
    /// `image`, `video`, `replay`, as written.
    pub kind: Option<String>,
}

/// An entry of the same jam that this one had to differ from. What it says of itself was for the run, not for readers.
#[derive(Debug)]
pub struct PriorEntry {
    /// The run that made it.
    pub run: Option<String>,
    /// When that run ended.
    pub finished: Option<Moment>,
}

/// The details of a record.
#[must_use]
pub fn from_record(record: &RunRecord<'_>) -> Details {
    let validation = &record.validation;
    let block = |name: &'static str, node: Option<Node<'_>>| Some((name, Value::of(node?)));
    let more = |step: &Option<record::Step<'_>>| {
        let more = step.iter().flat_map(|step| &step.more);
        more.map(|(key, node)| (key.to_string(), Value::of(*node)))
            .collect()
    };
    let mut tool_calls: Vec<_> = record
        .tool_calls
        .iter()
        .filter_map(|(name, count)| Some((name.to_string(), number(Some(*count))?)))
        .collect();
    tool_calls.sort_by(|(a, x), (b, y)| y.value.total_cmp(&x.value).then_with(|| a.cmp(b)));
    Details {
        stages: record
            .metrics
            .stages
            .iter()
            .map(|(key, seconds)| {
                let seconds = seconds.filter(|s| s.value.is_finite() && s.value >= 0.0);
                (key.to_string(), number(seconds))
            })
            .collect(),
        seed_commit: owned(&record.seed_commit),
        install: more(&validation.install),
        build: more(&validation.build),
        proofs: validation.proofs.iter().map(proof).collect(),
        debug_scripts: validation.debug_scripts.iter().map(debug_script).collect(),
        blocks: [
            block("asset", validation.asset),
            block("voxel", validation.voxel),
            block("audio", validation.audio),
            block("particle", validation.particle),
            block("ui", validation.ui),
            block("material", validation.material),
        ]
        .into_iter()
        .flatten()
        .collect(),
        adversarial: validation.adversarial.as_ref().map(adversarial),
        performance: validation.performance.as_ref().map(performance),
        tool_calls,
        toolchain: record.toolchain.as_ref().map(|toolchain| Toolchain {
            typecheck: (toolchain.typecheck_ran == Some(true))
                .then_some(toolchain.typecheck_succeeded)
                .flatten(),
            value: Value::of(toolchain.written),
        }),
        showcase: record.showcase.as_ref().map(showcase),
        code_analysis: record.code_analysis.map(Value::of),
        gg_capability_set: record.subject.gg_capability_set.map(Value::of),
        gg_summary: record.subject.gg_summary.map(Value::of),
        prior_entries: record
            .game_jam_prior_entries
            .iter()
            .map(|entry| PriorEntry {
                run: owned(&entry.run_id),
                finished: entry.finished_at.as_ref().and_then(|at| Moment::parse(at)),
            })
            .collect(),
    }
}

fn owned(text: &Text<'_>) -> Option<String> {
    text.as_ref().map(ToString::to_string)
}

/// A name for people: the first of `names` that is there.
fn name(names: [&Text<'_>; 2]) -> String {
    names
        .into_iter()
        .flatten()
        .find(|name| !name.is_empty())
        .map_or_else(|| "unnamed".to_owned(), ToString::to_string)
}

fn proof(proof: &record::Proof<'_>) -> Proof {
    Proof {
        id: owned(&proof.id),
        name: name([&proof.name, &proof.id]),
        kind: proof.kind.as_deref().unwrap_or("unknown").to_owned(),
        dest: owned(&proof.dest),
        present: proof.present,
        detail: owned(&proof.detail),
    }
}

fn debug_script(script: &record::DebugScript<'_>) -> DebugScript {
    let passes: Vec<_> = script.verdicts.iter().map(|verdict| verdict.pass).collect();
    let outcome = match script.ran {
        _ if script.precondition_unmet == Some(true) => ScriptOutcome::PreconditionUnmet,
        None => ScriptOutcome::NotSaid,
        Some(false) => ScriptOutcome::NotRun,
        Some(true) if passes.contains(&Some(false)) => ScriptOutcome::Failed,
        Some(true) if !passes.is_empty() && passes.iter().all(|pass| *pass == Some(true)) => {
            ScriptOutcome::Passed
        }
        Some(true) => ScriptOutcome::NoVerdict,
    };
    DebugScript {
        item: script.item_id.as_ref().map(|item| {
            let sub = script.sub_item_id.as_ref();
            sub.map_or_else(|| item.to_string(), |sub| format!("{item}.{sub}"))
        }),
        title: name([&script.title, &script.item_id]),
        category: script.category_title.as_deref().unwrap_or("").to_owned(),
        script: owned(&script.script),
        outcome,
        gates: script.gates.unwrap_or(true),
        detail: owned(&script.detail),
        verdicts: script
            .verdicts
            .iter()
            .map(|verdict| Verdict {
                id: name([&verdict.id, &None]),
                pass: verdict.pass,
                assertions: verdict
                    .assertions
                    .iter()
                    .map(|assertion| Assertion {
                        label: name([&assertion.label, &None]),
                        pass: assertion.pass,
                        expected: assertion.expected.map(Value::of),
                        actual: assertion.actual.map(Value::of),
                    })
                    .collect(),
            })
            .collect(),
        outputs: script
            .outputs
            .iter()
            .map(|output| ScriptOutput {
                name: name([&output.name, &output.id]),
                kind: owned(&output.kind),
                present: output.actual_present,
            })
            .collect(),
    }
}

fn adversarial(block: &record::Adversarial<'_>) -> Adversarial {
    Adversarial {
        outcome: owned(&block.outcome),
        opponent: owned(&block.opponent),
        team: owned(&block.submission_team),
        winner: owned(&block.winner),
        red: number(block.red_score),
        blue: number(block.blue_score),
        ended: owned(&block.ended),
        ticks: number(block.ticks),
        value: Value::of(block.written),
    }
}

fn performance(block: &record::Performance<'_>) -> Performance {
    let count = |is: fn(&record::PerformanceCase) -> bool| {
        block.cases.iter().filter(|case| is(case)).count()
    };
    Performance {
        correct: block.correct,
        total_fuel: number(block.total_fuel),
        fuel_limit: number(block.fuel_limit),
        cases: block.cases.len(),
        correct_cases: count(|case| case.correct == Some(true)),
        over_ceiling: count(|case| case.over_ceiling == Some(true)),
        skipped: count(|case| case.skipped == Some(true)),
        value: Value::of(block.written),
    }
}

fn showcase(showcase: &record::Showcase<'_>) -> Showcase {
    Showcase {
        description: owned(&showcase.description).filter(|text| !text.trim().is_empty()),
        media: showcase
            .media
            .iter()
            .map(|media| Media {
                name: name([&media.name, &media.file]),
                file: owned(&media.file),
                kind: owned(&media.kind),
            })
            .collect(),
    }
}
