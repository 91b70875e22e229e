//! Writes what the facets of the page of runs read.

use crate::diagnostics::Diagnostic;
use crate::view::data::rows;

use super::Lists;
use super::parts::{PartFiles, manifest};

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let mut files = PartFiles::new(lists.stage, "runs", "search/runs-");
    for (entry, findings) in lists.runs_of_data() {
        let row = rows::of(lists.archive(), entry, findings);
        files.push(&entry.slug, &row)?;
    }
    files.finish()?;
    let names = files.parts.names();
    manifest(lists.stage, ("runs", "search/runs.js"), &names)
}
