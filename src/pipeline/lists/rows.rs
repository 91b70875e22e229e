//! Writes what the facets of the page of runs read.

use crate::diagnostics::Diagnostic;
use crate::view::data::rows;

use super::Lists;
use super::parts::{PartFiles, manifest};

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let mut files = PartFiles::new(lists.stage, "runs", "runs".to_owned());
    for (entry, findings) in lists.runs() {
        files.push(&rows::of(lists.archive(), entry, findings))?;
    }
    files.finish()?;
    manifest(lists.stage, ("runs", "search/runs.js"), &files.parts.begun)
}
