//! Writes the data of the page of runs: columns for its facets and order, and rows.

use base::diagnostics::Diagnostic;
use pages::view::data::rows::RunTableManifest;

use super::parts::write_script;
use super::texts::file_path;
use super::{Lists, Page, write_error};

/// Rows per file. A page of 100 filtered rows may load 100 files.
const ROWS: usize = 8;

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
        let rows = rows.map_err(write_error("search"))?;
        if rows.is_empty() {
            break;
        }
        write_script(lists.stage, "runs", &file_path("rows", file), &rows)?;
    }
    for (name, column) in found.columns() {
        let path = format!("search/runs-{name}.js");
        write_script(lists.stage, "runs", &path, &column)?;
    }
    write_script(lists.stage, "runs", "search/runs.js", &found)
}
