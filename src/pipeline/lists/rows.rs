//! Writes the data of the page of runs: columns for its facets and order, and rows.

use base::diagnostics::Diagnostic;
use pages::view::data::rows::RunTableManifest;

use super::parts::manifest;
use super::{Lists, Page, unwritten};

/// Rows per file. A page of 100 filtered rows may load 100 files.
const ROWS: usize = 8;
/// Files in a folder.
const IN_FOLDER: usize = 1_000;

pub(super) const PAGE: Page = Page {
    made_of: Some(&[]),
    ..Page::new("rows", &["search"], write)
};

/// Writes all columns and rows, oldest run first, so adding runs keeps the files of existing ones.
fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let mut found = RunTableManifest::new(lists.runs_of_data().count());
    let mut runs = lists.runs_of_data().rev();
    for file in 0.. {
        let some = runs.by_ref().take(ROWS);
        let rows = some.map(|(entry, findings)| found.add(lists.archive(), entry, findings));
        let rows: Result<Vec<_>, _> = rows.collect();
        let rows = rows.map_err(|error| unwritten("search", &error.into()))?;
        if rows.is_empty() {
            break;
        }
        let path = format!("search/rows-{}/{}.js", file / IN_FOLDER, file % IN_FOLDER);
        manifest(lists.stage, "runs", &path, &rows)?;
    }
    for (name, column) in found.columns() {
        let path = format!("search/runs-{name}.js");
        manifest(lists.stage, "runs", &path, &column)?;
    }
    manifest(lists.stage, "runs", "search/runs.js", &found)
}
