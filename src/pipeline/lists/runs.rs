//! Writes the list of all runs.

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::view::catalogue;
use crate::view::chrome::{PageInfo, Script};
use crate::view::row::{PAGE_SIZE, list_pages};

use super::{Lists, Page, numbered, paths};

pub(super) const PAGE: Page = Page {
    name: "runs",
    folders: &["runs"],
    made_of: Some(&[]),
    listed: |lists| paths("runs", lists.archive().runs.len()),
    write,
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let total = lists.archive().runs.len();
    let pages = list_pages("runs", PAGE_SIZE, total, "runs");
    pages.into_par_iter().try_for_each(|page| {
        let what = format!("All runs, newest first: {}.", page.pager.summary);
        let info = PageInfo {
            scripts: &[Script::Tables, Script::Runs],
            ..PageInfo::listed(page.path.clone(), numbered("Runs", page.number), what)
        };
        let view = catalogue::runs_page(lists.archive(), &lists.outcome.findings, page);
        lists.page("runs.html", &info, &view)
    })
}
