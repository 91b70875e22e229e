//! Writes the overview: cases by models.

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::view::chrome::{PageInfo, Script};
use crate::view::{catalogue, overview};

use super::{Lists, numbered};

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let pages = 1..=catalogue::page_count(lists.archive().cases.len());
    pages.into_par_iter().try_for_each(|number| {
        let view = overview::page(lists.archive(), number);
        let (path, title) = (
            links::list("overview", number),
            numbered("Overview", number),
        );
        let what = "Number of runs by case and model, and by case and harness.";
        let info = PageInfo {
            scripts: &[Script::Tables],
            ..PageInfo::listed(path, title, what)
        };
        lists.page("overview.html", &info, &view)
    })
}
