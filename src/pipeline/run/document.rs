//! Writes `run.json`.

use pages::feeds;
use pages::feeds::run::Sources;

use super::files::{Files, StageError};
use super::{CheckedRun, unwritten};

pub(super) fn write(run: &CheckedRun<'_>, files: &mut Files<'_>) -> Result<(), StageError> {
    let s = &run.sources;
    let sources = Sources {
        config: s.config,
        slug: &s.entry.slug,
        record: run.record,
        review: s.review.map(|review| (review, run.writeup)),
        reconciliation: s.reconciliation,
        tapes: s.tapes,
        sidecars: s.sidecars,
        conversation: s.conversation,
        threads: s.threads,
        files: s.files,
        downloads: s.downloads,
        withheld: s.withheld,
        diagnostics: run.problems,
    };
    let document =
        feeds::run::document(&sources).map_err(|error| unwritten("run.json", &error.into()))?;
    files.stream(&run.path("run.json"), |out| {
        feeds::write_document(out, &document)
    })
}
