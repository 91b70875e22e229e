//! Writes the overview: cases by models.

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::view::chrome::{PageInfo, Script};
use crate::view::overview;
use crate::view::row::list_pages;

use super::{Lists, Page, numbered, paths};

pub(super) const PAGE: Page = Page {
    name: "overview",
    folders: &["overview"],
    made_of: Some(&[]),
    listed: |lists| paths("overview", lists.archive().cases.len()),
    write,
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let total = lists.archive().cases.len();
    let pages = list_pages("overview", overview::cases(lists.archive()), total, "cases");
    pages.into_par_iter().try_for_each(|page| {
        let (path, title) = (page.path.clone(), numbered("Overview", page.number));
        let view = overview::page(lists.archive(), page);
        let what = "Which cases were completed, by which models and with which harnesses.";
        let info = PageInfo {
            scripts: &[Script::Tables],
            ..PageInfo::listed(path, title, what)
        };
        lists.page("overview.html", &info, &view)
    })
}
