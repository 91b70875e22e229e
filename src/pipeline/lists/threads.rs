//! The list of the review threads of all runs.

use rayon::prelude::*;
use serde::Serialize;

use crate::summary::Facet;
use base::diagnostics::Diagnostic;
use base::document;
use base::links;
use formats::model::findings::ThreadText;
use formats::model::threads::LineRange;
use pages::view::chrome::PageInfo;
use pages::view::discussion::{place, state};
use pages::view::row::{PAGE_SIZE, Pager, list_pages};
use pages::view::{Badge, format, task};

use super::{Lists, Page, numbered, paths};

/// Where the pages are.
const FOLDER: &str = "threads";

document! {
    /// A thread in the list.
    struct ThreadCard(lists: &Lists<'_>, item: RunThread<'_>)
        let thread = item.thread;
        let entry = &lists.archive().runs[item.run];
        let run_href = links::run(&entry.slug);
        let range = thread.lines.map(|(first, last)| LineRange { first, last });
    {
        /// `resolved` or `open`.
        state: Badge = state(thread.resolved),
        file: String = thread.file.clone(),
        /// `lines 10 to 12`, `line 3` or `whole file`
        place: String = place(range),
        /// Its address, relative to the site's root.
        href: String = format!("{run_href}#{}", thread.anchor),
        /// The turn that produced the file.
        turn: Option<String> = thread.turn.clone(),
        /// The first entry as plain text.
        text: String = thread.text.clone(),
        /// `2 entries`
        entries: String = format::count(thread.entries, "entry"),
        /// Title of the run.
        run: String = task::name(&entry.run, &lists.findings()[item.run].task),
        /// Page of the run, relative to the site's root.
        run_href: String = run_href,
        /// The model that ran.
        model: String = entry.run.subject.model().to_owned(),
    }
}

/// A page of the list.
#[derive(Debug, Serialize)]
struct ThreadsPage {
    /// `12 threads on 4 runs, 5 open, 7 resolved, 30 entries`; `None` without threads.
    summary: Option<String>,
    cards: Vec<ThreadCard>,
    pager: Pager,
}

/// Numbers of threads over all runs.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    runs: usize,
    threads: usize,
    open: usize,
    entries: usize,
}

/// A thread with its run's place in the archive.
#[derive(Clone, Copy)]
struct RunThread<'a> {
    run: usize,
    thread: &'a ThreadText,
}

pub(super) const PAGE: Page = Page {
    made_of: Some(&[Facet::Threads]),
    listed: |lists| {
        let threads = lists.findings().iter();
        let threads = threads.map(|found| found.thread_cards.len());
        paths(FOLDER, threads.sum(), PAGE_SIZE)
    },
    ..Page::new("threads", &["threads"], write)
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let findings = lists.findings();
    let items = findings.iter().enumerate();
    let items = items.flat_map(|(run, found)| {
        let cards = found.thread_cards.iter();
        cards.map(move |thread| RunThread { run, thread })
    });
    let items: Vec<RunThread<'_>> = items.collect();
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
        let cards = cards.map(|item| ThreadCard::of(lists, *item)).collect();
        let what = "Review threads about files that runs produced, newest run first.";
        let title = numbered("Review threads", page.number);
        let info = PageInfo::listed(page.path, title, what);
        let view = ThreadsPage {
            summary: (totals.threads > 0).then(|| summary(totals)),
            cards,
            pager: page.pager,
        };
        lists.page("threads.html", &info, &view)
    })
}

fn summary(totals: Totals) -> String {
    format!(
        "{} on {}, {} open, {} resolved, {}",
        format::count(totals.threads, "thread"),
        format::count(totals.runs, "run"),
        format::grouped(totals.open),
        format::grouped(totals.threads.saturating_sub(totals.open)),
        format::count(totals.entries, "entry"),
    )
}
