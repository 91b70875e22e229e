//! What lists, feeds and scripts show of a run.

use std::collections::BTreeSet;

use base::diagnostics::Diagnostic;
use base::diagnostics::text::beginning;
use formats::model::findings::{CardText, ThreadText};
use formats::model::threads::{Thread, Threads};
use markup::{markdown, outline};
use pages::feeds;
use pages::render::script;
use pages::view::annotations;
use pages::view::compare::{self, key};
use pages::view::data::search;
use pages::view::discussion::{self, ThreadsView};
use pages::view::format;

use super::{CheckedRun, prose, write_error};
use crate::summary::RunTexts;

/// Maximum characters of evidence on the pages with all annotations.
const EVIDENCE: usize = 400;

/// Maximum characters of the first entry on a card.
const TEXT: usize = 400;
/// Maximum bytes of a path or a turn on a card.
const NAME: usize = 300;

/// The texts of a run for feeds and scripts.
pub(super) fn of(run: &CheckedRun<'_>) -> Result<RunTexts, Diagnostic> {
    let (inspection, layouts) = (run.inspection, run.layouts);
    let (tapes, sidecars) = (&inspection.tapes, &inspection.sidecars);
    let lines = feeds::annotations::lines(&run.entry.run, tapes, sidecars);
    let agreement = feeds::agreement::lines(&run.entry.run, tapes, sidecars);
    let threads = inspection.threads.as_ref();
    let threads = threads.map(|threads| feeds::threads::lines(&run.entry.run, threads));
    let review = inspection.review.as_ref();
    Ok(RunTexts {
        lines: lines.map_err(write_error("annotations.jsonl"))?,
        agreement: agreement.map_err(write_error("agreement.json"))?,
        threads: threads
            .transpose()
            .map_err(write_error("threads.jsonl"))?
            .unwrap_or_default(),
        writeup: review.map_or_else(String::new, |review| {
            markdown::plain(&review.body, search::WRITEUP)
        }),
        failures: search::failures(run.entry, tapes, layouts),
        messages: search::messages(run.entry, tapes, layouts),
        compared: compared(run).map_err(write_error("compare"))?,
    })
}

/// What the comparison page loads: data of the run, and of each further tape.
fn compared(run: &CheckedRun<'_>) -> serde_json::Result<Vec<String>> {
    let slug = &run.entry.slug;
    let review = run.inspection.review.as_ref();
    let writeup = review.map(|review| outline::blocks(&review.body, compare::WRITEUP));
    let of_run = script::marked_json(&(slug, compare::data(run, writeup)));
    let further = (1..run.inspection.tapes.len())
        .map(|tape| script::marked_json(&(key(slug, tape), compare::tape(run, tape))));
    std::iter::once(of_run).chain(further).collect()
}

/// A card for each annotation of a run, in their order.
pub(super) fn cards(run: &CheckedRun<'_>) -> Vec<CardText> {
    let cards = run.tapes().flat_map(|(tape, sidecar, layout)| {
        let annotations = layout.annotations(sidecar);
        annotations.map(move |(position, index, annotation)| {
            let evidence = annotation.evidence.as_deref().unwrap_or_default();
            let evidence = markdown::plain(evidence, EVIDENCE);
            let slug = &run.entry.slug;
            annotations::card_text(slug, tape, layout, index, annotation, position, evidence)
        })
    });
    cards.collect()
}

/// A card for each review thread of a run, the newest first.
pub(super) fn thread_cards(run: &CheckedRun<'_>) -> Vec<ThreadText> {
    let Some(threads) = &run.inspection.threads else {
        return Vec::new();
    };
    let markdown = |scope: &str, text: &str| prose(run.layouts, &run.entry.slug, scope, text);
    thread_texts(
        threads,
        &discussion::threads(run.config, threads, &markdown),
    )
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
            beginning(&entry.text, TEXT).into_owned()
        }
    });
    let turn = thread.turn.as_ref();
    ThreadText {
        anchor: anchor.to_owned(),
        file: format::truncated(file, NAME).to_owned(),
        lines: thread.range.map(|range| (range.first, range.last)),
        resolved: thread.resolved,
        turn: turn.map(|turn| format::truncated(turn, NAME).to_owned()),
        text,
        entries: thread.entries.len(),
    }
}
