//! The shape of a record's `validation`: steps, checks, proofs, scripts, and the measurements of each test type.

use schemars::JsonSchema;
use std::borrow::Cow;

use crate::json::Node;
use crate::reader::{DocumentReader, JsonObject, NumberLiteral, Presence};
use crate::run_record::object::{RecordField, RecordObject, RecordShape, objects};
use crate::run_record::read::{SkippedSteps, any, more, pointer, similarity, skipped, written};
use crate::run_record::shape;
use base::shapes::{self, Lenient};

use super::Text;

objects! {
    /// Results of the validation.
    #[derive(Default)]
    closed Validation<'a> {
        /// Whether the implementation loaded.
        "loaded" required with "bool" => loaded: Option<bool>;
        /// Why it did not load.
        "detail" optional => detail: Text<'a>;
        /// The install step; null is "never attempted", absent is unknown.
        "install" optional => install: Option<Step<'a>>;
        /// The build step; null is "never reached", absent is unknown.
        "build" optional => build: Option<Step<'a>>;
        /// Visual checks, in the record's order.
        "checks" optional with "Option<Vec<Check<'a>>>" => checks: Vec<Check<'a>>;
        /// Checks in the form of the oldest records.
        "referenceComparisons" optional with "Option<Vec<ReferenceComparison<'a>>>" => reference_comparisons: Vec<ReferenceComparison<'a>>;
        /// Evidence that the run left, in the record's order.
        "proofs" late default "Lenient<Vec<Proof<'a>>>" => proofs: Vec<Proof<'a>>;
        /// Results of the case's debug scripts, in the record's order.
        "debugScripts" late default "Lenient<Vec<DebugScript<'a>>>" => debug_scripts: Vec<DebugScript<'a>>;
        /// Results of a case about images.
        "asset" late default "Lenient<shapes::AsWritten>" => asset: Option<Node<'a>>;
        /// Results of a case about voxel models.
        "voxel" late default "Lenient<shapes::AsWritten>" => voxel: Option<Node<'a>>;
        /// Results of a case about sound.
        "audio" late default "Lenient<shapes::AsWritten>" => audio: Option<Node<'a>>;
        /// Results of a case about particles.
        "particle" late default "Lenient<shapes::AsWritten>" => particle: Option<Node<'a>>;
        /// Results of a case about user interfaces.
        "ui" late default "Lenient<shapes::AsWritten>" => ui: Option<Node<'a>>;
        /// Results of a case about materials.
        "material" late default "Lenient<shapes::AsWritten>" => material: Option<Node<'a>>;
        /// Results of a match against an opponent.
        "adversarial" late default "Lenient<Adversarial<'a>>" => adversarial: Option<Adversarial<'a>>;
        /// Results of a case about performance.
        "performance" late default "Lenient<Performance<'a>>" => performance: Option<Performance<'a>>;
    } + computed {
        /// Which of the two are written as null.
        skipped: SkippedSteps = skipped;
    }
}

objects! {
    /// A step of the validation: install or build.
    open Step<'a> {
        /// The command line.
        "command" required with "String" => command: Text<'a>;
        /// Whether it succeeded.
        "succeeded" required with "bool" => succeeded: Option<bool>;
        /// Output or error of the step.
        "detail" optional => detail: Text<'a>;
    } + computed {
        /// Further keys (an excerpt of the output, the number of attempts): their names are not settled, so
        /// they are kept as written.
        more: Vec<(Cow<'a, str>, Node<'a>)> = more;
    }

    /// A visual check: a signal, neither passed nor failed.
    #[schemars(transform = shape::compared)]
    closed Check<'a> {
        /// Slug of the view; it keys the column of a comparison table.
        "view" required with "String" => view: Text<'a>;
        /// Display name; made from the slug when absent.
        "name" optional => name: Text<'a>;
        /// Whether the view was reached.
        "reached" required with "bool" => reached: Option<bool>;
        /// Similarity of the view to its baseline, 0 to 1. It may be absent only if the view was not reached.
        "similarity" by(similarity) with "Option<shapes::Fraction>" => similarity: Option<NumberLiteral<'a>>;
        /// Why it was not reached.
        "detail" optional => detail: Text<'a>;
    } + computed {
        /// JSON pointer to it.
        pointer: String = pointer;
    }

    /// A view that was reached.
    closed ReferenceComparison<'a> {
        /// Slug of the view.
        "view" required with "String" => view: Text<'a>;
        /// How alike the view is to its baseline, 0 to 1.
        "similarity" required with "shapes::Fraction" => similarity: Option<NumberLiteral<'a>>;
    } + computed {
        /// JSON pointer to it.
        pointer: String = pointer;
    }

    /// Evidence that the run left.
    closed Proof<'a> {
        /// Its id.
        "id" optional => id: Text<'a>;
        /// Display name.
        "name" optional => name: Text<'a>;
        /// `image`, `video` or `replay`.
        "kind" optional => kind: Text<'a>;
        /// Where the run was asked to put it.
        "dest" optional => dest: Text<'a>;
        /// Whether it was found.
        "present" optional => present: Option<bool>;
        /// Further details.
        "detail" optional => detail: Text<'a>;
    }

    /// Result of a debug script of the case.
    closed DebugScript<'a> {
        /// The item of the checklist that it backs.
        "itemId" optional => item_id: Text<'a>;
        /// The sub-item that it backs, if any.
        "subItemId" optional => sub_item_id: Text<'a>;
        /// Display name.
        "title" optional => title: Text<'a>;
        /// Name of the category; empty when absent.
        "categoryTitle" optional => category_title: Text<'a>;
        /// Path of the script.
        "script" optional => script: Text<'a>;
        /// Whether it ran.
        "ran" optional => ran: Option<bool>;
        /// Whether it gates; true when absent.
        "gates" optional => gates: Option<bool>;
        /// Whether a precondition was not met; false when absent.
        "preconditionUnmet" optional => precondition_unmet: Option<bool>;
        /// Further details.
        "detail" optional => detail: Text<'a>;
        /// Verdicts of the script.
        "verdicts" optional with "Option<Vec<Verdict<'a>>>" => verdicts: Vec<Verdict<'a>>;
        /// Outputs of the script.
        "outputs" optional with "Option<Vec<ScriptOutput<'a>>>" => outputs: Vec<ScriptOutput<'a>>;
    }

    /// A verdict of a script.
    closed Verdict<'a> {
        /// Its id.
        "id" optional => id: Text<'a>;
        /// Whether it passed.
        "pass" optional => pass: Option<bool>;
        /// Assertions of the verdict.
        "assertions" optional with "Option<Vec<Assertion<'a>>>" => assertions: Vec<Assertion<'a>>;
    }

    /// An assertion of a verdict.
    closed Assertion<'a> {
        /// The assertion, in words.
        "label" optional => label: Text<'a>;
        /// Whether the assertion passed.
        "pass" optional => pass: Option<bool>;
        /// Expected value: any JSON.
        "expected" by(any) with "Option<serde_json::Value>" => expected: Option<Node<'a>>;
        /// Actual value: any JSON.
        "actual" by(any) with "Option<serde_json::Value>" => actual: Option<Node<'a>>;
    }

    /// An output of a script.
    closed ScriptOutput<'a> {
        /// Its id.
        "id" optional => id: Text<'a>;
        /// Its name.
        "name" optional => name: Text<'a>;
        /// Kind of output.
        "kind" optional => kind: Text<'a>;
        /// Whether the output exists.
        "actualPresent" optional => actual_present: Option<bool>;
    }

    /// Result of a match. Further keys are shown as written.
    open Adversarial<'a> {
        /// The opponent.
        "opponent" optional => opponent: Text<'a>;
        /// The team of the run: `red` or `blue`.
        "submissionTeam" optional => submission_team: Text<'a>;
        /// `red`, `blue` or null, which is a draw.
        "winner" optional => winner: Text<'a>;
        /// Score of the red team.
        "redScore" optional with "Option<f64>" => red_score: Option<NumberLiteral<'a>>;
        /// Score of the blue team.
        "blueScore" optional with "Option<f64>" => blue_score: Option<NumberLiteral<'a>>;
        /// How the match ended: `swept`, `time_limit` or `forfeit`.
        "ended" optional => ended: Text<'a>;
        /// Number of ticks.
        "ticks" optional with "Option<f64>" => ticks: Option<NumberLiteral<'a>>;
        /// `win`, `loss`, `draw` or `forfeit`.
        "outcome" optional => outcome: Text<'a>;
    } + computed {
        /// The whole block.
        written: Node<'a> = written;
    }

    /// Result of the performance cases. Further keys are shown as written.
    open Performance<'a> {
        /// Whether every case was correct.
        "correct" optional => correct: Option<bool>;
        /// Fuel used by all cases.
        "totalFuel" optional with "Option<f64>" => total_fuel: Option<NumberLiteral<'a>>;
        /// Limit of fuel.
        "fuelLimit" optional with "Option<f64>" => fuel_limit: Option<NumberLiteral<'a>>;
        /// The cases.
        "cases" optional with "Option<Vec<PerformanceCase>>" => cases: Vec<PerformanceCase>;
    } + computed {
        /// The whole block.
        written: Node<'a> = written;
    }

    /// A case.
    closed PerformanceCase {
        /// Whether it was correct.
        "correct" optional => correct: Option<bool>;
        /// Whether it exceeded the limit.
        "overCeiling" optional => over_ceiling: Option<bool>;
        /// Whether it was skipped; false when absent.
        "skipped" optional => skipped: Option<bool>;
    }
}
