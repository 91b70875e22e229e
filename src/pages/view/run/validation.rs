//! The validation of a run: whether it loaded, its steps, checks and proofs.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::view::tree::{self, Tree};
use crate::view::{Badge, Cell, format};
use base::document;
use formats::model::details::{self, Proof, StepResult};
use formats::model::run::Run;
use formats::model::transcript::AssetFile;
use formats::model::value::{JsonExcerpt, TextExcerpt};
use formats::run_record::RunRecord;

use super::evidence::{self, MeasurementView, ScriptsView, ToolchainView};
use super::showcase::{self, PictureView};

#[derive(Debug, Serialize)]
pub struct ValidationView {
    /// Whether it is shown at once: it may explain why the run did not complete.
    pub open: bool,
    /// Whether the implementation loaded, if anything was validated.
    pub loaded: Badge,
    /// Why it did not load.
    pub detail: Option<Arc<str>>,
    /// Install and build.
    pub steps: Vec<StepView>,
    pub checks: Vec<CheckView>,
    /// Number of further checks.
    pub more_checks: Option<String>,
    pub proofs: Vec<ProofView>,
    /// Number of further proofs.
    pub more_proofs: Option<String>,
    /// The debug scripts of the case.
    pub scripts: Option<ScriptsView>,
    /// The measurements of the test type.
    pub blocks: Vec<MeasurementView>,
    /// Type check, linter, tests.
    pub toolchain: Option<ToolchainView>,
    /// Measurements of the code.
    pub code_analysis: Option<Tree>,
}

document! {
    pub struct StepView(name: &'static str, never: &str, recorded: StepResult<'_>)
        let (step, word, tone) = match recorded {
            StepResult::Step(step) if recorded.has_failed() => (Some(step), "failed", "bad"),
            StepResult::Step(step) => (Some(step), "succeeded", "good"),
            StepResult::NotRun => (None, never, "none"),
            StepResult::Unknown => (None, "not recorded", "none"),
        };
        let more = details::more(step);
        let facts = more
            .iter()
            .map(|(key, value)| (key.clone(), tree::tree(value)));
    {
        /// `Install` or `Build`.
        pub name: &'static str = name,
        /// `succeeded`, `failed`, `never attempted`, `never reached`, `not recorded`.
        pub outcome: Badge = Badge::new(word, tone),
        pub command: Option<String> = step
            .and_then(|step| step.command.as_deref())
            .filter(|command| !command.is_empty())
            .map(str::to_owned),
        pub detail: Option<Tree> = step
            .and_then(|step| step.detail.as_deref())
            .filter(|detail| !detail.is_empty())
            .map(|detail| tree::words(&TextExcerpt::of(detail))),
        /// Further keys of the record.
        pub more: Option<Tree> = (!more.is_empty()).then(|| Tree::Facts(facts.collect(), None)),
    }
}

#[derive(Debug, Serialize)]
pub struct CheckView {
    pub name: Arc<str>,
    pub view: Arc<str>,
    pub similarity: Cell,
    /// `not reached`, next to an unknown similarity.
    pub note: Option<&'static str>,
    /// Why it was not reached.
    pub detail: Option<Arc<str>>,
}

#[derive(Debug, Serialize)]
pub struct ProofView {
    pub name: String,
    pub id: Option<String>,
    pub kind: String,
    /// `present`, `missing` or `not said`.
    pub present: &'static str,
    /// The path where the run was asked to put it.
    pub dest: Option<String>,
    pub detail: Option<String>,
    /// The image, if it is published.
    pub picture: Option<PictureView>,
}

/// Maximum checks shown; a run has a few dozen.
const CHECKS: usize = 1_000;
/// Maximum proofs shown; a run has a handful.
const PROOFS: usize = 100;

pub(super) fn validation(
    pictures: &BTreeMap<String, Arc<AssetFile>>,
    run: &Run,
    details: &RunRecord<'_>,
) -> Option<ValidationView> {
    let v = &run.validation;
    let recorded = &details.validation;
    let [install, build] = details::steps(details);
    let view = ValidationView {
        open: !run.state.is_completed(),
        loaded: match v.loaded {
            Some(true) => Badge::new("The implementation loaded", "good"),
            Some(false) => Badge::new("The implementation did not load", "bad"),
            None => Badge::new("not validated", "none"),
        },
        detail: v.detail.clone(),
        steps: if v.loaded.is_some() {
            vec![
                StepView::of("Install", "never attempted", install),
                StepView::of("Build", "never reached", build),
            ]
        } else {
            Vec::new()
        },
        more_checks: format::more(v.checks.len(), CHECKS, "check"),
        checks: v
            .checks
            .iter()
            .take(CHECKS)
            .map(|check| CheckView {
                name: check.name.clone(),
                view: check.view.clone(),
                similarity: format::similarity(check.compared(), None),
                note: (check.compared().is_none()
                    && !check
                        .detail
                        .as_deref()
                        .is_some_and(format::begins_with_unreached))
                .then_some("not reached"),
                detail: check.detail.clone(),
            })
            .collect(),
        proofs: recorded
            .proofs
            .iter()
            .take(PROOFS)
            .map(|proof| self::proof(pictures, proof))
            .collect(),
        more_proofs: format::more(recorded.proofs.len(), PROOFS, "proof"),
        scripts: evidence::scripts(&recorded.debug_scripts),
        blocks: evidence::blocks(details),
        toolchain: details
            .toolchain
            .as_ref()
            .map(|toolchain| evidence::toolchain(toolchain)),
        code_analysis: details
            .code_analysis
            .map(|analysis| tree::tree(&JsonExcerpt::of(analysis))),
    };
    let is_known = v.loaded.is_some()
        || !view.checks.is_empty()
        || !view.proofs.is_empty()
        || !view.blocks.is_empty()
        || view.scripts.is_some()
        || view.toolchain.is_some()
        || view.code_analysis.is_some();
    is_known.then_some(view)
}

fn proof(pictures: &BTreeMap<String, Arc<AssetFile>>, proof: &Proof<'_>) -> ProofView {
    let text = |text: &Option<_>| text.as_ref().map(ToString::to_string);
    ProofView {
        name: details::name([&proof.name, &proof.id]),
        id: text(&proof.id),
        kind: proof.kind.as_deref().unwrap_or("unknown").to_owned(),
        present: match proof.present {
            Some(true) => "present",
            Some(false) => "missing",
            None => "not recorded",
        },
        dest: text(&proof.dest),
        detail: text(&proof.detail),
        picture: showcase::picture(pictures, proof.kind.as_deref(), proof.dest.as_deref()),
    }
}
