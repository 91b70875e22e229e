//! The overview: cases by models, and by harnesses.

use rayon::prelude::*;
use serde::Serialize;

use base::diagnostics::Diagnostic;
use formats::model::archive::{Archive, GroupBy};
use pages::view::chrome::{HeaderEntry, PageInfo, Script};
use pages::view::matrix::{Matrix, matrix};
use pages::view::row::{PAGE_SIZE, Pager, list_pages};

use super::{Lists, Page, numbered, paths};

/// Maximum columns of a table: the models or harnesses with the newest runs.
const COLUMNS: usize = 40;

/// Maximum cells per page: with all their glyphs they take about a megabyte.
const CELLS: usize = 2_000;
/// Minimum cases per page.
const CASES: usize = 10;

pub(super) const PAGE: Page = Page {
    header: &[("overview", HeaderEntry::Below("cases"))],
    made_of: Some(&[]),
    listed: |lists| {
        let archive = lists.archive();
        paths("overview", archive.cases.len(), cases_per_page(archive))
    },
    ..Page::new("overview", &["overview"], write)
};

/// Cases as rows; models or harnesses as columns.
#[derive(Debug, Serialize)]
struct OverviewPage {
    models: Matrix,
    harnesses: Matrix,
    pager: Pager,
}

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let archive = lists.archive();
    let total = archive.cases.len();
    let pages = list_pages("overview", cases_per_page(archive), total, "cases");
    pages.into_par_iter().try_for_each(|page| {
        let what = "Which cases were completed, by which models and with which harnesses.";
        let info = PageInfo {
            scripts: &[Script::Tables],
            ..PageInfo::listed(page.path, numbered("Overview", page.number), what)
        };
        let cases: Vec<usize> = page.items.collect();
        let of = |across| matrix(archive, across, &cases, COLUMNS, &page.root);
        let view = OverviewPage {
            models: of(GroupBy::Model),
            harnesses: of(GroupBy::Harness),
            pager: page.pager,
        };
        lists.page("overview.html", &info, &view)
    })
}

fn cases_per_page(archive: &Archive) -> usize {
    let columns =
        [GroupBy::Model, GroupBy::Harness].map(|by| archive.groups(by).len().min(COLUMNS));
    (CELLS / columns.iter().sum::<usize>().max(1)).clamp(CASES, PAGE_SIZE)
}
