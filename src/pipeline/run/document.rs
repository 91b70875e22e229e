//! Writes `run.json`.

use pages::feeds;

use super::files::{Files, StageError};
use super::{CheckedRun, path, unwritten};

pub(super) fn write(run: &CheckedRun<'_>, files: &mut Files<'_>) -> Result<(), StageError> {
    let path = path(run, "run.json");
    if files.plans_pages {
        return files.planned(&path, 0);
    }
    let document =
        feeds::run::document(run).map_err(|error| unwritten("run.json", &error.into()))?;
    files.stream(&path, |out| feeds::write_document(out, &document))
}
