//! The page of the review threads of all runs.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::links;
use crate::markup::markdown;
use crate::model::archive::Entry;
use crate::model::threads::{Lines, Thread, Threads};

use super::discussion::{ThreadsView, place, state};
use super::row::{ListPage, Pager};
use super::timeline::head;
use super::{Badge, format};

/// Maximum characters of the first entry on a card.
const TEXT: usize = 400;
/// Maximum bytes of a path or a turn on a card.
const NAME: usize = 300;

/// The part of a card that comes from the thread itself. It stays in the spool until all runs are known.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpooledThread {
    /// Its place on the page of its run.
    anchor: String,
    file: String,
    /// First and last line, if it is about lines.
    lines: Option<(u64, u64)>,
    resolved: bool,
    /// The turn that produced the file.
    turn: Option<String>,
    /// The first entry as plain text.
    text: String,
    /// Number of entries.
    entries: usize,
}

/// A thread in the list.
#[derive(Debug, Serialize)]
pub struct ThreadCard {
    /// `resolved` or `open`.
    pub state: Badge,
    pub file: String,
    /// `lines 10 to 12`, `line 3` or `whole file`
    pub place: String,
    /// Its address, relative to the site's root.
    pub href: String,
    /// The turn that produced the file.
    pub turn: Option<String>,
    /// The first entry as plain text.
    pub text: String,
    /// `2 entries`
    pub entries: String,
    /// Title of the run.
    pub run: String,
    /// Page of the run, relative to the site's root.
    pub run_href: String,
    /// The model that ran.
    pub model: String,
}

/// A page of the list.
#[derive(Debug, Serialize)]
pub struct ThreadsPage {
    /// `12 threads on 4 runs, 5 open, 7 resolved, 30 entries`; `None` without threads.
    pub summary: Option<String>,
    /// The threads on this page.
    pub cards: Vec<ThreadCard>,
    pub pager: Pager,
}

/// Numbers of threads over all runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Totals {
    /// Runs with threads.
    pub runs: usize,
    pub threads: usize,
    /// Threads that are open.
    pub open: usize,
    /// Entries of all threads.
    pub entries: usize,
}

/// The cards of a run, the newest thread first: threads carry no times, but their order is that in which they were opened.
/// `shown` is the section of the run page, which omits threads that it has no room for.
pub fn spooled(threads: &Threads<'_>, shown: &ThreadsView) -> Vec<SpooledThread> {
    let views = shown.files.iter().flat_map(|file| &file.threads);
    let anchors: BTreeSet<&str> = views.map(|view| view.anchor.as_str()).collect();
    let threads = threads.threads.iter().enumerate().rev();
    threads
        .map(|(index, thread)| {
            let anchor = format!("thread-{}", index + 1);
            let is_shown = anchors.contains(anchor.as_str());
            let anchor = if is_shown { &anchor } else { "threads" };
            spooled_thread(thread, anchor)
        })
        .collect()
}

fn spooled_thread(thread: &Thread<'_>, anchor: &str) -> SpooledThread {
    let file = thread.file.as_ref();
    let file = file.map_or(&thread.resource, |file| &file.path);
    let first = thread.entries.first();
    let text = first.map_or_else(String::new, |entry| {
        if entry.markdown {
            markdown::plain(&entry.text, TEXT)
        } else {
            beginning(&entry.text)
        }
    });
    let turn = thread.turn.as_ref();
    SpooledThread {
        anchor: anchor.to_owned(),
        file: head(file, NAME).to_owned(),
        lines: thread.range.map(|range| (range.first, range.last)),
        resolved: thread.resolved,
        turn: turn.map(|turn| head(turn, NAME).to_owned()),
        text,
        entries: thread.entries.len(),
    }
}

fn beginning(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The card of a thread of that run.
pub fn card(entry: &Entry, thread: SpooledThread) -> ThreadCard {
    let run_href = links::run(&entry.slug);
    let range = thread.lines.map(|(first, last)| Lines { first, last });
    ThreadCard {
        state: state(thread.resolved),
        file: thread.file,
        place: place(range),
        href: format!("{run_href}#{}", thread.anchor),
        turn: thread.turn,
        text: thread.text,
        entries: format::count(thread.entries, "entry"),
        run: entry.run.title(),
        run_href,
        model: entry.run.subject.model().to_owned(),
    }
}

pub fn threads_page(totals: Totals, cards: Vec<ThreadCard>, page: ListPage) -> ThreadsPage {
    let summary = format!(
        "{} on {}, {} open, {} resolved, {}",
        format::count(totals.threads, "thread"),
        format::count(totals.runs, "run"),
        format::grouped(&totals.open.to_string()),
        format::grouped(&totals.threads.saturating_sub(totals.open).to_string()),
        format::count(totals.entries, "entry"),
    );
    ThreadsPage {
        summary: (totals.threads > 0).then_some(summary),
        cards,
        pager: page.pager,
    }
}
