//! Knows the shape of a record's `validation`: steps, checks, proofs, scripts, and what each kind of test measures.

use schemars::JsonSchema;
use std::borrow::Cow;

use crate::formats::json::Node;
use crate::formats::reader::Number;
use crate::formats::run_record::shape;
use crate::shapes::{self, Late};

use super::Text;

/// What was found afterwards.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Validation<'a> {
    /// Whether the implementation loaded.
    #[schemars(with = "bool")]
    pub loaded: Option<bool>,
    /// Why it did not load.
    pub detail: Text<'a>,
    /// The install step; null is "never attempted", absent is unknown.
    pub install: Option<Step<'a>>,
    /// The build step; null is "never reached", absent is unknown.
    pub build: Option<Step<'a>>,
    /// Which of the two are written as null.
    #[schemars(skip)]
    pub skipped: Skipped,
    /// Visual checks, in the record's order.
    #[schemars(with = "Option<Vec<Check<'a>>>")]
    pub checks: Vec<Check<'a>>,
    /// What the oldest records have for checks.
    #[schemars(with = "Option<Vec<ReferenceComparison<'a>>>")]
    pub reference_comparisons: Vec<ReferenceComparison<'a>>,
    /// Evidence that the run left, in the record's order.
    #[schemars(default, with = "Late<Vec<Proof<'a>>>")]
    pub proofs: Vec<Proof<'a>>,
    /// What the case's own scripts found, in the record's order.
    #[schemars(default, with = "Late<Vec<DebugScript<'a>>>")]
    pub debug_scripts: Vec<DebugScript<'a>>,
    /// Results of a case about images.
    #[schemars(default, with = "Late<shapes::AsWritten>")]
    pub asset: Option<Node<'a>>,
    /// Results of a case about voxel models.
    #[schemars(default, with = "Late<shapes::AsWritten>")]
    pub voxel: Option<Node<'a>>,
    /// Results of a case about sound.
    #[schemars(default, with = "Late<shapes::AsWritten>")]
    pub audio: Option<Node<'a>>,
    /// Results of a case about particles.
    #[schemars(default, with = "Late<shapes::AsWritten>")]
    pub particle: Option<Node<'a>>,
    /// Results of a case about user interfaces.
    #[schemars(default, with = "Late<shapes::AsWritten>")]
    pub ui: Option<Node<'a>>,
    /// Results of a case about materials.
    #[schemars(default, with = "Late<shapes::AsWritten>")]
    pub material: Option<Node<'a>>,
    /// Results of a match against an opponent.
    #[schemars(default, with = "Late<Adversarial<'a>>")]
    pub adversarial: Option<Adversarial<'a>>,
    /// Results of a case about performance.
    #[schemars(default, with = "Late<Performance<'a>>")]
    pub performance: Option<Performance<'a>>,
}

/// The steps that a record writes as null, which says more than a record of a time that had no such keys.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Skipped {
    /// `install` is null.
    pub install: bool,
    /// `build` is null.
    pub build: bool,
}

/// A step of the validation: install or build.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Step<'a> {
    /// The command line.
    #[schemars(with = "String")]
    pub command: Text<'a>,
    /// Whether it succeeded.
    #[schemars(with = "bool")]
    pub succeeded: Option<bool>,
    /// What it said.
    pub detail: Text<'a>,
    /// Further keys (an excerpt of the output, the number of attempts): their names are not settled, so
    /// they are kept as written.
    #[schemars(skip)]
    pub more: Vec<(Cow<'a, str>, Node<'a>)>,
}

/// A visual check: a signal, neither passed nor failed.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase", transform = shape::compared)]
pub struct Check<'a> {
    /// Slug of the view; it keys the column of a comparison table.
    #[schemars(with = "String")]
    pub view: Text<'a>,
    /// Its name for people; made from the slug when absent.
    pub name: Text<'a>,
    /// Whether the view was reached.
    #[schemars(with = "bool")]
    pub reached: Option<bool>,
    /// How alike the view is to its baseline, 0 to 1. It may be absent only where the view was not reached.
    #[schemars(with = "Option<shapes::Share>")]
    pub similarity: Option<Number<'a>>,
    /// Why it was not reached.
    pub detail: Text<'a>,
    /// JSON pointer to it.
    #[schemars(skip)]
    pub pointer: String,
}

/// A view that was reached.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct ReferenceComparison<'a> {
    /// Slug of the view.
    #[schemars(with = "String")]
    pub view: Text<'a>,
    /// How alike the view is to its baseline, 0 to 1.
    #[schemars(with = "shapes::Share")]
    pub similarity: Option<Number<'a>>,
    /// JSON pointer to it.
    #[schemars(skip)]
    pub pointer: String,
}

/// Evidence that the run left.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Proof<'a> {
    /// Its id.
    #[schemars(with = "Option<String>")]
    pub id: Text<'a>,
    /// Its name for people.
    #[schemars(with = "Option<String>")]
    pub name: Text<'a>,
    /// `image`, `video` or `replay`.
    #[schemars(with = "Option<String>")]
    pub kind: Text<'a>,
    /// Where the run was asked to put it.
    #[schemars(with = "Option<String>")]
    pub dest: Text<'a>,
    /// Whether it was found.
    #[schemars(with = "Option<bool>")]
    pub present: Option<bool>,
    /// More about it.
    #[schemars(with = "Option<String>")]
    pub detail: Text<'a>,
}

/// What a script of the case found.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct DebugScript<'a> {
    /// The item of the checklist that it backs.
    #[schemars(with = "Option<String>")]
    pub item_id: Text<'a>,
    /// The item below that, where it backs one.
    #[schemars(with = "Option<String>")]
    pub sub_item_id: Text<'a>,
    /// Its name for people.
    #[schemars(with = "Option<String>")]
    pub title: Text<'a>,
    /// Name of the category; empty when absent.
    #[schemars(with = "Option<String>")]
    pub category_title: Text<'a>,
    /// Path of the script.
    #[schemars(with = "Option<String>")]
    pub script: Text<'a>,
    /// Whether it ran.
    #[schemars(with = "Option<bool>")]
    pub ran: Option<bool>,
    /// Whether it gates; true when absent.
    #[schemars(with = "Option<bool>")]
    pub gates: Option<bool>,
    /// Whether a precondition was not met; false when absent.
    #[schemars(with = "Option<bool>")]
    pub precondition_unmet: Option<bool>,
    /// More about it.
    #[schemars(with = "Option<String>")]
    pub detail: Text<'a>,
    /// What it found.
    #[schemars(with = "Option<Vec<Verdict<'a>>>")]
    pub verdicts: Vec<Verdict<'a>>,
    /// What it left.
    #[schemars(with = "Option<Vec<ScriptOutput<'a>>>")]
    pub outputs: Vec<ScriptOutput<'a>>,
}

/// A verdict of a script.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Verdict<'a> {
    /// Its id.
    #[schemars(with = "Option<String>")]
    pub id: Text<'a>,
    /// Whether it passed.
    #[schemars(with = "Option<bool>")]
    pub pass: Option<bool>,
    /// What was asserted.
    #[schemars(with = "Option<Vec<Assertion<'a>>>")]
    pub assertions: Vec<Assertion<'a>>,
}

/// What a verdict rests on.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Assertion<'a> {
    /// What was asserted, in words.
    #[schemars(with = "Option<String>")]
    pub label: Text<'a>,
    /// Whether it held.
    #[schemars(with = "Option<bool>")]
    pub pass: Option<bool>,
    /// What was expected: any JSON.
    #[schemars(with = "Option<serde_json::Value>")]
    pub expected: Option<Node<'a>>,
    /// What was found: any JSON.
    #[schemars(with = "Option<serde_json::Value>")]
    pub actual: Option<Node<'a>>,
}

/// What a script left.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct ScriptOutput<'a> {
    /// Its id.
    #[schemars(with = "Option<String>")]
    pub id: Text<'a>,
    /// Its name.
    #[schemars(with = "Option<String>")]
    pub name: Text<'a>,
    /// What it is.
    #[schemars(with = "Option<String>")]
    pub kind: Text<'a>,
    /// Whether it is there.
    #[schemars(with = "Option<bool>")]
    pub actual_present: Option<bool>,
}

/// What a match came to. Further keys are shown as written.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Adversarial<'a> {
    /// Who the opponent was.
    #[schemars(with = "Option<String>")]
    pub opponent: Text<'a>,
    /// The team of the run: `red` or `blue`.
    #[schemars(with = "Option<String>")]
    pub submission_team: Text<'a>,
    /// `red`, `blue` or null, which is a draw.
    #[schemars(with = "Option<String>")]
    pub winner: Text<'a>,
    /// Score of the red team.
    #[schemars(with = "Option<f64>")]
    pub red_score: Option<Number<'a>>,
    /// Score of the blue team.
    #[schemars(with = "Option<f64>")]
    pub blue_score: Option<Number<'a>>,
    /// How the match ended: `swept`, `time_limit` or `forfeit`.
    #[schemars(with = "Option<String>")]
    pub ended: Text<'a>,
    /// How many ticks it took.
    #[schemars(with = "Option<f64>")]
    pub ticks: Option<Number<'a>>,
    /// `win`, `loss`, `draw` or `forfeit`.
    #[schemars(with = "Option<String>")]
    pub outcome: Text<'a>,
    /// The whole block.
    #[schemars(skip)]
    pub written: Node<'a>,
}

/// What the cases took. Further keys are shown as written.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Performance<'a> {
    /// Whether every case was correct.
    #[schemars(with = "Option<bool>")]
    pub correct: Option<bool>,
    /// Fuel that all cases took.
    #[schemars(with = "Option<f64>")]
    pub total_fuel: Option<Number<'a>>,
    /// Fuel that they may take.
    #[schemars(with = "Option<f64>")]
    pub fuel_limit: Option<Number<'a>>,
    /// The cases.
    #[schemars(with = "Option<Vec<PerformanceCase>>")]
    pub cases: Vec<PerformanceCase>,
    /// The whole block.
    #[schemars(skip)]
    pub written: Node<'a>,
}

/// A case.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct PerformanceCase {
    /// Whether it was correct.
    #[schemars(with = "Option<bool>")]
    pub correct: Option<bool>,
    /// Whether it took more than it may.
    #[schemars(with = "Option<bool>")]
    pub over_ceiling: Option<bool>,
    /// Whether it was skipped; false when absent.
    #[schemars(with = "Option<bool>")]
    pub skipped: Option<bool>,
}
