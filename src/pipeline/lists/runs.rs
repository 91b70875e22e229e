//! The list of all runs.

use rayon::prelude::*;
use serde::Serialize;

use base::diagnostics::Diagnostic;
use pages::view::chrome::{HeaderEntry, PageInfo, Script};
use pages::view::row::{PAGE_SIZE, Pager, RunRow, empty_columns, list_pages, row};
use pages::view::rules;

use super::{Lists, Page, numbered, paths};

pub(super) const PAGE: Page = Page {
    header: &[("runs", HeaderEntry::Link(30, "Runs"))],
    made_of: Some(&[]),
    listed: |lists| paths("runs", lists.archive().runs.len(), PAGE_SIZE),
    ..Page::new("runs", &["runs"], write)
};

#[derive(Debug, Serialize)]
struct RunsPage {
    rows: Vec<RunRow>,
    pager: Pager,
    /// Names of the columns without a value in the whole list.
    empty: Vec<&'static str>,
    /// The page of the site's rules, if it has any.
    rules: Option<String>,
}

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let (archive, findings) = (lists.archive(), lists.findings());
    let empty = empty_columns(&lists.runs());
    let pages = list_pages("runs", PAGE_SIZE, archive.runs.len(), "runs");
    pages.into_par_iter().try_for_each(|page| {
        let what = format!("All runs, newest first: {}.", page.pager.summary);
        let info = PageInfo {
            scripts: &[Script::Tables, Script::Runs],
            ..PageInfo::listed(page.path, numbered("Runs", page.number), what)
        };
        let rows = page
            .items
            .map(|run| row(archive, &archive.runs[run], &findings[run], &page.root, &[]));
        let view = RunsPage {
            rows: rows.collect(),
            pager: page.pager,
            empty: empty.clone(),
            rules: (!lists.site.rules.is_empty()).then(|| format!("{}{}", page.root, rules::PAGE)),
        };
        lists.page("runs.html", &info, &view)
    })
}
