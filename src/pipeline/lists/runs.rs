//! Writes the list of all runs.

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::view::catalogue;
use crate::view::chrome::{PageInfo, Script};

use super::{Lists, numbered};

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let pages = 1..=catalogue::page_count(lists.archive().runs.len());
    pages.into_par_iter().try_for_each(|number| {
        let view = catalogue::runs_page(lists.archive(), &lists.outcome.findings, number);
        let what = format!("All runs, newest first: {}.", view.pager.summary);
        let info = PageInfo {
            scripts: &[Script::Tables, Script::Runs],
            ..PageInfo::listed(links::list("runs", number), numbered("Runs", number), what)
        };
        lists.page("runs.html", &info, &view)
    })
}
