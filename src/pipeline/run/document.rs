//! Writes `run.json`.

use pages::feeds;

use super::files::{RunStage, StageError};
use super::{CheckedRun, path, write_error};

pub(super) fn write(run: &CheckedRun<'_>, files: &mut RunStage<'_>) -> Result<(), StageError> {
    let path = path(run, "run.json");
    if files.plans_pages {
        return files.planned(&path, 0);
    }
    let document = feeds::run::document(run).map_err(write_error("run.json"))?;
    files.stream(&path, |out| feeds::write_document(out, &document))
}
