//! Spools annotations and the writeup of a run for archive-wide feeds and pages.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use base::diagnostics::Diagnostic;
use content::inspect::Inspection;
use formats::config::Config;
use formats::model::archive::Entry;
use formats::model::findings::{SpooledCard, SpooledTexts};
use formats::model::threads::{Thread, Threads};
use markup::markdown;
use pages::feeds::{self, annotations::Lines};
use pages::view::annotations;
use pages::view::data::search::{self, EventText};
use pages::view::discussion::{self, ThreadsView};
use pages::view::timeline::{Layout, head};
use store::publish::Stage;
use store::spool::Texts;

use super::findings;
use super::{prose, unwritten};

/// Maximum characters of evidence on the pages with all annotations.
const EVIDENCE: usize = 400;

/// Maximum characters of the first entry on a card.
const TEXT: usize = 400;
/// Maximum bytes of a path or a turn on a card.
const NAME: usize = 300;

/// The text of a review thread in the list of all threads. It stays in the spool until all runs are known.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ThreadText {
    /// Its place on the page of its run.
    pub(crate) anchor: String,
    pub(crate) file: String,
    /// First and last line, if it is about lines.
    pub(crate) lines: Option<(u64, u64)>,
    pub(crate) resolved: bool,
    /// The turn that produced the file.
    pub(crate) turn: Option<String>,
    /// The first entry as plain text.
    pub(crate) text: String,
    /// Number of entries.
    pub(crate) entries: usize,
}

/// Adds the run's part of later pages and feeds to its `texts`.
pub(super) fn write(
    stage: &Stage,
    texts: &mut Texts,
    config: &Config,
    entry: &Entry,
    inspection: &Inspection<'_>,
    layouts: &[Layout<'_>],
) -> Result<SpooledTexts, Diagnostic> {
    // A check makes no archive-wide feeds.
    let (run, tapes, sidecars) = (&entry.run, &inspection.tapes, &inspection.sidecars);
    let (lines, agreement) = if stage.is_dry_run() {
        (Ok(Lines::default()), Ok(Vec::new()))
    } else {
        (
            feeds::annotations::lines(run, tapes, sidecars),
            feeds::agreement::lines(run, tapes, sidecars),
        )
    };
    let lines = lines.map_err(|error| unwritten("annotations.jsonl", &error.into()))?;
    let agreement = agreement.map_err(|error| unwritten("agreement.json", &error.into()))?;
    let mut spooled = SpooledTexts {
        lines: texts.put(&lines.all),
        friction: texts.put(&lines.friction),
        hypotheses: texts.put(&lines.hypotheses),
        anchors: texts.put(&lines.anchors),
        labels: texts.put(&lines.labels),
        agreement: texts.put(&agreement),
        ..SpooledTexts::default()
    };
    (spooled.newest, spooled.quote) = findings::newest(texts, inspection, layouts);
    if let Some(review) = inspection.review.as_ref().filter(|_| !stage.is_dry_run()) {
        let text = markdown::plain(&review.body, search::WRITEUP);
        spooled.writeup = texts.put(text.as_bytes());
    }
    if !stage.is_dry_run() {
        let mut put = |found: Vec<EventText>| {
            let json = serde_json::to_vec(&found);
            let json = json.map_err(|error| unwritten("search", &error.into()))?;
            Ok(texts.put(&json))
        };
        spooled.failures = put(search::failures(entry, &inspection.tapes, layouts))?;
        spooled.messages = put(search::messages(entry, &inspection.tapes, layouts))?;
    }
    for found in findings::annotations(inspection, layouts) {
        let (text, kind, group) = annotations::card_text(
            &entry.slug,
            &inspection.tapes[found.tape],
            found.layout,
            found.index,
            found.annotation,
            found.position,
            found.evidence(EVIDENCE),
        );
        let card =
            serde_json::to_vec(&text).map_err(|error| unwritten("annotations", &error.into()))?;
        let card = texts.put(&card);
        spooled.cards.push(SpooledCard { kind, group, card });
    }
    if let Some(found) = &inspection.threads {
        if !stage.is_dry_run() {
            let lines = feeds::threads::lines(&entry.run, found);
            let lines = lines.map_err(|error| unwritten("threads.jsonl", &error.into()))?;
            spooled.thread_lines = texts.put(&lines);
        }
        let markdown = |scope: &str, text: &str| prose(layouts, &entry.slug, scope, text);
        let shown = discussion::threads(config, found, &markdown);
        let cards = thread_texts(found, &shown).into_iter().map(|card| {
            let card = serde_json::to_vec(&card);
            let card = card.map_err(|error| unwritten("threads", &error.into()))?;
            Ok(texts.put(&card))
        });
        spooled.threads = cards.collect::<Result<_, Diagnostic>>()?;
    }
    Ok(spooled)
}

/// The cards of a run, the newest thread first: threads carry no times, but their order is that in which they were opened.
/// `shown` is the section of the run page, which omits threads that it has no room for.
fn thread_texts(threads: &Threads<'_>, shown: &ThreadsView) -> Vec<ThreadText> {
    let views = shown.files.iter().flat_map(|file| &file.threads);
    let anchors: BTreeSet<&str> = views.map(|view| view.anchor.as_str()).collect();
    let threads = threads.threads.iter().enumerate().rev();
    threads
        .map(|(index, thread)| {
            let anchor = format!("thread-{}", index + 1);
            let is_shown = anchors.contains(anchor.as_str());
            let anchor = if is_shown { &anchor } else { "threads" };
            thread_text(thread, anchor)
        })
        .collect()
}

fn thread_text(thread: &Thread<'_>, anchor: &str) -> ThreadText {
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
    ThreadText {
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
