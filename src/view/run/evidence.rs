//! Knows what later records add to a validation: debug scripts, what a kind of test measured, the toolchain.

use serde::Serialize;

use crate::model::details::{
    Adversarial, Assertion, DebugScript, Details, Performance, ScriptOutcome, Toolchain, Verdict,
};
use crate::model::value::Value;
use crate::view::tree::{self, Tree};
use crate::view::{Badge, Cell, Fact, format};

/// What the case's own scripts found.
#[derive(Debug, Serialize)]
pub struct ScriptsView {
    /// `3 scripts: 2 passed, 1 failed`
    pub summary: String,
    /// The scripts, in the order of the record.
    pub scripts: Vec<ScriptView>,
    /// How many more there are.
    pub more: Option<String>,
}

/// A debug script.
#[derive(Debug, Serialize)]
pub struct ScriptView {
    /// For people.
    pub title: String,
    /// The group that it belongs to; may be empty.
    pub category: String,
    /// How it went.
    pub outcome: Badge,
    /// Whether it is unfolded: a reader looks for what failed.
    pub open: bool,
    /// Item, path, gate.
    pub facts: Vec<Fact>,
    /// More about it.
    pub detail: Option<String>,
    /// The assertions of its verdicts, a row each.
    pub rows: Vec<AssertionView>,
    /// How many more there are.
    pub more: Option<String>,
    /// What it left: name, kind, whether it was found.
    pub outputs: Vec<String>,
}

/// An assertion, or a verdict without one.
#[derive(Debug, Serialize)]
pub struct AssertionView {
    /// The verdict; empty where it is that of the row above.
    pub verdict: String,
    /// What was asserted.
    pub label: String,
    /// Whether it held.
    pub outcome: Badge,
    /// What was expected.
    pub expected: Tree,
    /// What was found.
    pub actual: Tree,
}

/// What a kind of test measured.
#[derive(Debug, Serialize)]
pub struct BlockView {
    /// `Performance`
    pub title: &'static str,
    /// What matters most.
    pub facts: Vec<Fact>,
    /// All of it.
    pub html: Tree,
    /// Whether it is unfolded.
    pub open: bool,
}

/// What the toolchain said.
#[derive(Debug, Serialize)]
pub struct ToolchainView {
    /// What the type check means for the run.
    pub verdict: Badge,
    /// The same in a sentence.
    pub words: &'static str,
    /// All of it.
    pub html: Tree,
}

/// Scripts that are shown; a case has a few dozen.
const SCRIPTS: usize = 150;
/// Assertions of one script that are shown.
const ASSERTIONS: usize = 60;

pub(super) fn scripts(scripts: &[DebugScript]) -> Option<ScriptsView> {
    use ScriptOutcome::{Failed, NoVerdict, NotRun, NotSaid, Passed, PreconditionUnmet};
    if scripts.is_empty() {
        return None;
    }
    let counts: Vec<_> = [
        Passed,
        Failed,
        NotRun,
        PreconditionUnmet,
        NoVerdict,
        NotSaid,
    ]
    .into_iter()
    .filter_map(|outcome| {
        let count = scripts.iter().filter(|s| s.outcome == outcome).count();
        (count > 0).then(|| format!("{} {}", format::grouped(&count.to_string()), word(outcome)))
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
        ScriptOutcome::NotSaid => "not said whether it ran",
    }
}

fn script(script: &DebugScript) -> ScriptView {
    let tone = match script.outcome {
        ScriptOutcome::Passed => "good",
        ScriptOutcome::Failed => "bad",
        _ => "none",
    };
    let gate = match (script.gates, script.outcome) {
        (_, ScriptOutcome::PreconditionUnmet) => {
            "no: its precondition was not met, so it fails nothing"
        }
        (true, _) => "yes: its item of the checklist fails when it fails",
        (false, _) => "no: it only informs",
    };
    let decides = script.outcome != ScriptOutcome::PreconditionUnmet;
    let code = |name: &str, value: Option<&String>| {
        value.map(|value| fact(name, Cell::known(value.as_str()), true))
    };
    let all: usize = script
        .verdicts
        .iter()
        .map(|v| v.assertions.len().max(1))
        .sum();
    ScriptView {
        title: script.title.clone(),
        category: script.category.clone(),
        outcome: Badge {
            word: word(script.outcome).to_owned(),
            tone,
        },
        open: script.outcome == ScriptOutcome::Failed,
        facts: [
            code("Item", script.item.as_ref()),
            code("Script", script.script.as_ref()),
            Some(fact("Gates", Cell::known(gate), false)),
        ]
        .into_iter()
        .flatten()
        .collect(),
        detail: script.detail.clone(),
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
                let found = match output.present {
                    Some(true) => "present",
                    Some(false) => "missing",
                    None => "not said whether it is there",
                };
                format!("{}{kind}: {found}", output.name)
            })
            .collect(),
    }
}

fn rows(verdict: &Verdict, decides: bool) -> Vec<AssertionView> {
    let passed = |pass| Badge {
        tone: if decides { passed(pass).tone } else { "none" },
        ..passed(pass)
    };
    if verdict.assertions.is_empty() {
        return vec![AssertionView {
            verdict: verdict.id.clone(),
            label: "no assertion is recorded".to_owned(),
            outcome: passed(verdict.pass),
            expected: Tree::NOTHING,
            actual: Tree::NOTHING,
        }];
    }
    let shown = |value: &Option<Value>| value.as_ref().map_or(Tree::Unknown, tree::tree);
    let row = |(index, assertion): (usize, &Assertion)| AssertionView {
        verdict: if index == 0 {
            verdict.id.clone()
        } else {
            String::new()
        },
        label: assertion.label.clone(),
        outcome: passed(assertion.pass),
        expected: shown(&assertion.expected),
        actual: shown(&assertion.actual),
    };
    verdict.assertions.iter().enumerate().map(row).collect()
}

fn passed(pass: Option<bool>) -> Badge {
    let (word, tone) = match pass {
        Some(true) => ("pass", "good"),
        Some(false) => ("fail", "bad"),
        None => ("not said", "none"),
    };
    Badge {
        word: word.to_owned(),
        tone,
    }
}

pub(super) fn blocks(details: &Details) -> Vec<BlockView> {
    let plain = details.blocks.iter().map(|(name, value)| BlockView {
        title: title(name),
        facts: Vec::new(),
        html: tree::tree(value),
        open: true,
    });
    let performance = details.performance.iter().map(|block| BlockView {
        title: "Performance",
        facts: performance(block),
        html: tree::tree(&block.value),
        open: false,
    });
    let adversarial = details.adversarial.iter().map(|block| BlockView {
        title: "Match against an opponent",
        facts: adversarial(block),
        html: tree::tree(&block.value),
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

fn fact(name: &str, value: Cell, code: bool) -> Fact {
    Fact {
        name: name.to_owned(),
        value,
        code,
    }
}

fn performance(block: &Performance) -> Vec<Fact> {
    let mut cases = format!(
        "{} of {} correct",
        format::grouped(&block.correct_cases.to_string()),
        format::grouped(&block.cases.to_string())
    );
    for (count, words) in [
        (block.over_ceiling, "over the ceiling"),
        (block.skipped, "skipped"),
    ] {
        if count > 0 {
            cases.push_str(&format!(
                ", {} {words}",
                format::grouped(&count.to_string())
            ));
        }
    }
    let correct = match block.correct {
        Some(true) => Cell::known("yes"),
        Some(false) => Cell::known("no"),
        None => Cell::unknown("not recorded"),
    };
    vec![
        fact("Correct", correct, false),
        fact(
            "Total fuel",
            format::number(block.total_fuel.as_ref(), "not measured"),
            false,
        ),
        fact(
            "Fuel limit",
            format::number(block.fuel_limit.as_ref(), "none is recorded"),
            false,
        ),
        fact("Cases", Cell::known(cases), false),
    ]
}

fn adversarial(block: &Adversarial) -> Vec<Fact> {
    let unknown = || Cell::unknown("not recorded");
    let words = |text: Option<&String>| text.map_or_else(unknown, |t| Cell::known(t.as_str()));
    let score = match (&block.red, &block.blue) {
        (None, None) => unknown(),
        (red, blue) => {
            let side = |side: &Option<_>| format::number(side.as_ref(), "").text().to_owned();
            Cell::known(format!("red {}, blue {}", side(red), side(blue)))
        }
    };
    let winner = block
        .winner
        .as_ref()
        .map_or_else(|| Cell::known("nobody"), |w| Cell::known(w.as_str()));
    vec![
        fact("Outcome", words(block.outcome.as_ref()), false),
        fact("Opponent", words(block.opponent.as_ref()), false),
        fact("Played as", words(block.team.as_ref()), false),
        fact("Winner", winner, false),
        fact("Score", score, false),
        fact("Ended", words(block.ended.as_ref()), false),
        fact(
            "Ticks",
            format::number(block.ticks.as_ref(), "not recorded"),
            false,
        ),
    ]
}

pub(super) fn toolchain(toolchain: &Toolchain) -> ToolchainView {
    let (word, tone, words) = match toolchain.typecheck {
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
            "A type check that did not run decides nothing.",
        ),
    };
    ToolchainView {
        verdict: Badge {
            word: word.to_owned(),
            tone,
        },
        words,
        html: tree::tree(&toolchain.value),
    }
}
