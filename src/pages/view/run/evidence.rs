//! Parts of a validation that later records added: debug scripts, measurements of the test type, the toolchain.

use serde::Serialize;

use crate::view::tree::{self, Tree};
use crate::view::{Badge, Cell, Fact, format};
use formats::model::details::{
    self, Adversarial, Assertion, DebugScript, Performance, PerformanceCase, ScriptOutcome,
    Toolchain, Verdict,
};
use formats::model::run::number;
use formats::model::value::JsonExcerpt;
use formats::run_record::RunRecord;

/// The debug scripts of a case.
#[derive(Debug, Serialize)]
pub struct ScriptsView {
    /// `3 scripts: 2 passed, 1 failed`
    pub summary: String,
    /// The scripts, in the order of the record.
    pub scripts: Vec<ScriptView>,
    /// Number of omitted ones.
    pub more: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct ScriptView {
    /// Display name.
    pub title: String,
    /// Its group; may be empty.
    pub category: String,
    pub outcome: Badge,
    /// Whether it is initially expanded, since readers look for failures.
    pub open: bool,
    /// Item, path, gate.
    pub facts: Vec<Fact>,
    /// More details.
    pub detail: Option<String>,
    /// The assertions of its verdicts, one per row.
    pub rows: Vec<AssertionView>,
    /// Number of omitted ones.
    pub more: Option<String>,
    /// Its outputs: name, kind, and whether it was found.
    pub outputs: Vec<String>,
}

/// An assertion, or a verdict without one.
#[derive(Debug, Serialize)]
pub struct AssertionView {
    /// The verdict; empty if equal to the row above.
    pub verdict: String,
    pub label: String,
    /// Whether it passed.
    pub outcome: Badge,
    pub expected: Tree,
    pub actual: Tree,
}

/// The measurements of a test type.
#[derive(Debug, Serialize)]
pub struct MeasurementView {
    /// `Performance`
    pub title: &'static str,
    /// The most important values.
    pub facts: Vec<Fact>,
    /// All values.
    pub html: Tree,
    /// Whether it is initially expanded.
    pub open: bool,
}

/// The result of the toolchain.
#[derive(Debug, Serialize)]
pub struct ToolchainView {
    /// The meaning of the type check for the run.
    pub verdict: Badge,
    /// The verdict in a sentence.
    pub words: &'static str,
    /// All values.
    pub html: Tree,
}

/// Maximum scripts shown; a case has a few dozen.
const SCRIPTS: usize = 150;
/// Maximum assertions shown per script.
const ASSERTIONS: usize = 60;

pub(super) fn scripts(scripts: &[DebugScript<'_>]) -> Option<ScriptsView> {
    use ScriptOutcome::{Failed, NoVerdict, NotRecorded, NotRun, Passed, PreconditionUnmet};
    if scripts.is_empty() {
        return None;
    }
    let outcomes: Vec<_> = scripts.iter().map(ScriptOutcome::of).collect();
    let counts: Vec<_> = [
        Passed,
        Failed,
        NotRun,
        PreconditionUnmet,
        NoVerdict,
        NotRecorded,
    ]
    .into_iter()
    .filter_map(|outcome| {
        let count = outcomes.iter().filter(|one| **one == outcome).count();
        (count > 0).then(|| format!("{} {}", format::grouped(count), word(outcome)))
    })
    .collect();
    Some(ScriptsView {
        summary: format!(
            "{}: {}",
            format::count(scripts.len(), "script"),
            counts.join(", ")
        ),
        scripts: scripts
            .iter()
            .take(SCRIPTS)
            .map(|one| script(one))
            .collect(),
        more: format::more(scripts.len(), SCRIPTS, "script"),
    })
}

fn word(outcome: ScriptOutcome) -> &'static str {
    match outcome {
        ScriptOutcome::Passed => "passed",
        ScriptOutcome::Failed => "failed",
        ScriptOutcome::NoVerdict => "without a verdict",
        ScriptOutcome::PreconditionUnmet => "precondition unmet",
        ScriptOutcome::NotRun => "did not run",
        ScriptOutcome::NotRecorded => "not recorded whether it ran",
    }
}

fn script(script: &DebugScript<'_>) -> ScriptView {
    let outcome = ScriptOutcome::of(script);
    let tone = match outcome {
        ScriptOutcome::Passed => "good",
        ScriptOutcome::Failed => "bad",
        _ => "none",
    };
    let gate = match (script.gates.unwrap_or(true), outcome) {
        (_, ScriptOutcome::PreconditionUnmet) => {
            "no: its precondition was not met, so it fails nothing"
        }
        (true, _) => "yes: if it fails, its checklist item fails",
        (false, _) => "no: informative only",
    };
    let decides = outcome != ScriptOutcome::PreconditionUnmet;
    let code =
        |name: &str, value: Option<&str>| value.map(|value| Fact::code(name, Cell::known(value)));
    let item = script.item_id.as_ref().map(|item| {
        let sub = script.sub_item_id.as_ref();
        sub.map_or_else(|| item.to_string(), |sub| format!("{item}.{sub}"))
    });
    let all: usize = script
        .verdicts
        .iter()
        .map(|v| v.assertions.len().max(1))
        .sum();
    ScriptView {
        title: details::name([&script.title, &script.item_id]),
        category: script.category_title.as_deref().unwrap_or("").to_owned(),
        outcome: Badge::new(word(outcome), tone),
        open: outcome == ScriptOutcome::Failed,
        facts: [
            code("Item", item.as_deref()),
            code("Script", script.script.as_deref()),
            Some(Fact::new("Gates", Cell::known(gate))),
        ]
        .into_iter()
        .flatten()
        .collect(),
        detail: script.detail.as_deref().map(str::to_owned),
        rows: script
            .verdicts
            .iter()
            .flat_map(|verdict| rows(verdict, decides))
            .take(ASSERTIONS)
            .collect(),
        more: format::more(all, ASSERTIONS, "assertion"),
        outputs: script
            .outputs
            .iter()
            .take(ASSERTIONS)
            .map(|output| {
                let kind = output.kind.as_ref();
                let kind = kind.map_or_else(String::new, |kind| format!(" ({kind})"));
                let found = match output.actual_present {
                    Some(true) => "present",
                    Some(false) => "missing",
                    None => "not recorded whether it exists",
                };
                format!(
                    "{}{kind}: {found}",
                    details::name([&output.name, &output.id])
                )
            })
            .collect(),
    }
}

fn rows(verdict: &Verdict<'_>, decides: bool) -> Vec<AssertionView> {
    let passed = |pass| Badge {
        tone: if decides {
            verdict_badge(pass).tone
        } else {
            "none"
        },
        ..verdict_badge(pass)
    };
    let id = details::name([&verdict.id, &None]);
    if verdict.assertions.is_empty() {
        return vec![AssertionView {
            verdict: id,
            label: "no assertions recorded".to_owned(),
            outcome: passed(verdict.pass),
            expected: Tree::NOTHING,
            actual: Tree::NOTHING,
        }];
    }
    let shown = |value: Option<JsonExcerpt>| value.as_ref().map_or(Tree::Unknown, tree::tree);
    let row = |(index, assertion): (usize, &Assertion<'_>)| AssertionView {
        verdict: if index == 0 {
            id.clone()
        } else {
            String::new()
        },
        label: details::name([&assertion.label, &None]),
        outcome: passed(assertion.pass),
        expected: shown(assertion.expected.map(JsonExcerpt::of)),
        actual: shown(assertion.actual.map(JsonExcerpt::of)),
    };
    verdict.assertions.iter().enumerate().map(row).collect()
}

fn verdict_badge(pass: Option<bool>) -> Badge {
    let (word, tone) = match pass {
        Some(true) => ("pass", "good"),
        Some(false) => ("fail", "bad"),
        None => ("not said", "none"),
    };
    Badge::new(word, tone)
}

pub(super) fn blocks(details: &RunRecord<'_>) -> Vec<MeasurementView> {
    let validation = &details.validation;
    let plain = details::blocks(details);
    let plain = plain.into_iter().map(|(name, value)| MeasurementView {
        title: title(name),
        facts: Vec::new(),
        html: tree::tree(&value),
        open: true,
    });
    let performance = validation.performance.iter().map(|block| MeasurementView {
        title: "Performance",
        facts: performance(block),
        html: tree::tree(&JsonExcerpt::of(block.written)),
        open: false,
    });
    let adversarial = validation.adversarial.iter().map(|block| MeasurementView {
        title: "Match against an opponent",
        facts: adversarial(block),
        html: tree::tree(&JsonExcerpt::of(block.written)),
        open: false,
    });
    performance.chain(adversarial).chain(plain).collect()
}

fn title(name: &str) -> &'static str {
    match name {
        "asset" => "Asset",
        "voxel" => "Voxel model",
        "audio" => "Audio",
        "particle" => "Particle system",
        "ui" => "User interface",
        _ => "Material",
    }
}

fn performance(block: &Performance<'_>) -> Vec<Fact> {
    let count = |is: fn(&PerformanceCase) -> bool| block.cases.iter().filter(|c| is(c)).count();
    let mut cases = format!(
        "{} of {} correct",
        format::grouped(count(|case| case.correct == Some(true))),
        format::grouped(block.cases.len())
    );
    for (count, words) in [
        (
            count(|case| case.over_ceiling == Some(true)),
            "over the ceiling",
        ),
        (count(|case| case.skipped == Some(true)), "skipped"),
    ] {
        if count > 0 {
            cases.push_str(&format!(", {} {words}", format::grouped(count)));
        }
    }
    let correct = match block.correct {
        Some(true) => Cell::known("yes"),
        Some(false) => Cell::known("no"),
        None => Cell::unknown("not recorded"),
    };
    let total_fuel = number(block.total_fuel);
    let fuel_limit = number(block.fuel_limit);
    [
        ("Correct", correct),
        (
            "Total fuel",
            format::number(total_fuel.as_ref(), "not measured"),
        ),
        (
            "Fuel limit",
            format::number(fuel_limit.as_ref(), "none recorded"),
        ),
        ("Cases", Cell::known(cases)),
    ]
    .map(|(name, value)| Fact::new(name, value))
    .to_vec()
}

fn adversarial(block: &Adversarial<'_>) -> Vec<Fact> {
    let score = match (number(block.red_score), number(block.blue_score)) {
        (None, None) => Cell::unknown("not recorded"),
        (red, blue) => {
            let side = |side: &Option<_>| format::number(side.as_ref(), "").text().to_owned();
            Cell::known(format!("red {}, blue {}", side(&red), side(&blue)))
        }
    };
    let winner = block
        .winner
        .as_deref()
        .map_or_else(|| Cell::known("none"), Cell::known);
    let ticks = number(block.ticks);
    [
        ("Outcome", format::text(block.outcome.as_ref())),
        ("Opponent", format::text(block.opponent.as_ref())),
        ("Played as", format::text(block.submission_team.as_ref())),
        ("Winner", winner),
        ("Score", score),
        ("Ended", format::text(block.ended.as_ref())),
        ("Ticks", format::number(ticks.as_ref(), "not recorded")),
    ]
    .map(|(name, value)| Fact::new(name, value))
    .to_vec()
}

pub(super) fn toolchain(toolchain: &Toolchain<'_>) -> ToolchainView {
    let (word, tone, words) = match details::typecheck(toolchain) {
        Some(true) => (
            "The type check passed",
            "good",
            "The type check ran and found nothing.",
        ),
        Some(false) => (
            "The type check failed",
            "bad",
            "The type check ran and ended with an error. Test Cabinet counts such a run as broken, whatever its \
             reviewers say; the rating on this page is theirs.",
        ),
        None => (
            "The type check did not run",
            "none",
            "A type check that did not run has no effect.",
        ),
    };
    ToolchainView {
        verdict: Badge::new(word, tone),
        words,
        html: tree::tree(&JsonExcerpt::of(toolchain.written)),
    }
}
