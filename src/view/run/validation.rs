//! Knows what was found after a run: whether it loaded, its steps, checks and proofs.

use serde::Serialize;

use crate::model::run::{Proof, Run, Step};
use crate::view::{Badge, Cell, format};

/// What was found after the run.
#[derive(Debug, Serialize)]
pub struct ValidationView {
    /// Whether the implementation loaded.
    pub loaded: bool,
    /// Why not.
    pub detail: Option<String>,
    /// Install and build.
    pub steps: Vec<StepView>,
    /// The checks.
    pub checks: Vec<CheckView>,
    /// The proofs.
    pub proofs: Vec<ProofView>,
}

/// A step.
#[derive(Debug, Serialize)]
pub struct StepView {
    /// `Install` or `Build`.
    pub name: &'static str,
    /// `succeeded`, `failed`, `never attempted`, `never reached`.
    pub outcome: Badge,
    /// The command.
    pub command: Option<String>,
    /// What it said.
    pub detail: Option<String>,
}

/// A check.
#[derive(Debug, Serialize)]
pub struct CheckView {
    /// Its name.
    pub name: String,
    /// Its view.
    pub view: String,
    /// How similar it was.
    pub similarity: Cell,
    /// Why it was not reached.
    pub detail: Option<String>,
}

/// A proof.
#[derive(Debug, Serialize)]
pub struct ProofView {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// `present`, `missing` or `not said`.
    pub present: &'static str,
    /// More about it.
    pub detail: Option<String>,
}

pub(super) fn validation(run: &Run) -> ValidationView {
    let v = &run.validation;
    ValidationView {
        loaded: v.loaded,
        detail: v.detail.clone(),
        steps: vec![
            step("Install", v.install.as_ref(), "never attempted"),
            step("Build", v.build.as_ref(), "never reached"),
        ],
        checks: v
            .checks
            .iter()
            .map(|check| CheckView {
                name: check.name.clone(),
                view: check.view.clone(),
                similarity: format::similarity(check.similarity.as_ref(), None),
                detail: check.detail.clone(),
            })
            .collect(),
        proofs: v.proofs.iter().map(proof).collect(),
    }
}

fn step(name: &'static str, step: Option<&Step>, never: &str) -> StepView {
    let outcome = match step {
        Some(Step {
            succeeded: true, ..
        }) => Badge {
            word: "succeeded".to_owned(),
            tone: "good",
        },
        Some(_) => Badge {
            word: "failed".to_owned(),
            tone: "bad",
        },
        None => Badge {
            word: never.to_owned(),
            tone: "none",
        },
    };
    StepView {
        name,
        outcome,
        command: step
            .map(|step| step.command.clone())
            .filter(|command| !command.is_empty()),
        detail: step.and_then(|step| step.detail.clone()),
    }
}

fn proof(proof: &Proof) -> ProofView {
    ProofView {
        name: proof.name.clone(),
        kind: proof.kind.clone(),
        present: match proof.present {
            Some(true) => "present",
            Some(false) => "missing",
            None => "not said",
        },
        detail: proof.detail.clone(),
    }
}
