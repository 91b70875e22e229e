//! Knows what a build keeps of a run after its pages are made.

use crate::diagnostics::Diagnostic;
use crate::load::Fingerprint;
use crate::model::archive_context::ArchiveContext;
use crate::model::findings::Findings;
use crate::publish::SiteFile;

/// What is kept of a run: small, whatever the size of the run.
#[derive(Debug, Default)]
pub(super) struct KeptRun {
    pub(super) findings: Findings,
    /// Sorted.
    pub(super) problems: Vec<Diagnostic>,
    /// `None` when no pages were made, or when they cannot be reused.
    pub(super) pages: Option<KeptPages>,
}

/// The pages of a run, and everything beside the site's frame that they depend on.
#[derive(Debug, Clone)]
pub(super) struct KeptPages {
    pub(super) fingerprint: Fingerprint,
    pub(super) archive_context: ArchiveContext,
    pub(super) is_newest: bool,
    pub(super) files: Vec<SiteFile>,
    /// Those of [`KeptRun::problems`].
    pub(super) problems: Vec<Diagnostic>,
}

impl KeptRun {
    pub(super) fn of_problem(problem: Diagnostic) -> Self {
        Self {
            problems: vec![problem],
            ..Self::default()
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        self.problems.iter().any(Diagnostic::is_error)
    }
}

/// What is kept of all runs.
#[derive(Debug)]
pub struct StagedRuns {
    /// Of each run of the archive, in order.
    pub(super) valid: Vec<KeptRun>,
    /// Problems of runs whose records are not valid.
    pub(super) others: Vec<Diagnostic>,
}

impl StagedRuns {
    /// Whether runs of the archive turned out to have errors.
    #[must_use]
    pub fn have_errors(&self) -> bool {
        self.valid.iter().any(KeptRun::has_errors)
    }
}
