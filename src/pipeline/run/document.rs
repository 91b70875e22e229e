//! Writes `run.json`.

use pages::feeds;

use super::files::{Files, StageError};
use super::{CheckedRun, path, unwritten};

pub(super) fn write(run: &CheckedRun<'_>, files: &mut Files<'_>) -> Result<(), StageError> {
    let document =
        feeds::run::document(run).map_err(|error| unwritten("run.json", &error.into()))?;
    files.stream(&path(run, "run.json"), |out| {
        feeds::write_document(out, &document)
    })
}
