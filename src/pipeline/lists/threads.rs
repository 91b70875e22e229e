//! Writes the list of the review threads of all runs.

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::model::findings::Slice;
use crate::pipeline::kept::Facet;
use crate::spool;
use crate::view::chrome::PageInfo;
use crate::view::row::{PAGE_SIZE, list_pages};
use crate::view::threads::{self, ThreadCard, Totals};

use super::{Lists, Page, numbered, paths};

/// Where the pages are.
pub(super) const FOLDER: &str = "threads";

/// A thread in the spool, with its run's place in the archive.
#[derive(Clone, Copy)]
struct Item {
    run: usize,
    card: Slice,
}

pub(super) const PAGE: Page = Page {
    name: "threads",
    folders: &["threads"],
    made_of: Some(&[Facet::Threads]),
    listed: |lists| {
        let threads = lists.findings().iter();
        let threads = threads.map(|found| found.spooled.threads.len());
        paths(FOLDER, threads.sum())
    },
    write,
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let findings = lists.findings();
    let items = findings.iter().enumerate();
    let items = items.flat_map(|(run, found)| {
        let cards = found.spooled.threads.iter();
        cards.map(move |card| Item { run, card: *card })
    });
    let items: Vec<Item> = items.collect();
    let counts = findings.iter().filter_map(|found| found.threads.as_ref());
    let counts = counts.filter(|counts| counts.threads > 0);
    let totals = counts.fold(Totals::default(), |totals, counts| Totals {
        runs: totals.runs + 1,
        threads: totals.threads + counts.threads,
        open: totals.open + counts.open,
        entries: totals.entries + counts.entries,
    });
    let pages = list_pages(FOLDER, PAGE_SIZE, items.len(), "threads");
    pages.into_par_iter().try_for_each(|page| {
        let cards = items[page.items.clone()].iter();
        let cards = cards.map(|item| card(lists, *item));
        let cards = cards.collect::<Result<Vec<_>, _>>()?;
        let what = "Review threads about files that runs produced, newest run first.";
        let title = numbered("Review threads", page.number);
        let info = PageInfo::listed(page.path.clone(), title, what);
        let view = threads::threads_page(totals, cards, page);
        lists.page("threads.html", &info, &view)
    })
}

fn card(lists: &Lists<'_>, item: Item) -> Result<ThreadCard, Diagnostic> {
    let text = lists.stage.spool.get(item.card);
    let thread = text.and_then(|text| Ok(serde_json::from_slice(&text)?));
    let thread = thread.map_err(|error| spool::refused(&error))?;
    Ok(threads::card(&lists.archive().runs[item.run], thread))
}
