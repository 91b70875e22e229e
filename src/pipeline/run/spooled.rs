//! Spools annotations and the writeup of a run for archive-wide feeds and pages.

use base::diagnostics::Diagnostic;
use content::inspect::Inspected;
use formats::config::Config;
use formats::model::archive::Entry;
use formats::model::findings::{Spooled, SpooledCard};
use markup::markdown;
use pages::feeds::{self, annotations::Lines};
use pages::view::annotations;
use pages::view::data::search;
use pages::view::discussion;
use pages::view::timeline::Layout;
use store::publish::Stage;
use store::spool::Texts;

use super::super::lists::threads;
use super::findings;
use super::{prose, unwritten};

/// Maximum characters of evidence on the pages with all annotations.
const EVIDENCE: usize = 400;

/// Adds the run's part of later pages and feeds to its `texts`.
pub(super) fn write(
    (stage, texts): (&Stage, &mut Texts),
    config: &Config,
    entry: &Entry,
    inspected: &Inspected<'_>,
    layouts: &[Layout<'_>],
) -> Result<Spooled, Diagnostic> {
    // A check renders pages, because templates may have errors, but no archive-wide feeds.
    let lines = if stage.is_dry_run() {
        Ok(Lines::default())
    } else {
        feeds::annotations::lines(&entry.run, &inspected.tapes, &inspected.sidecars)
    };
    let lines = lines.map_err(|error| unwritten("annotations.jsonl", &error.into()))?;
    let mut spooled = Spooled {
        lines: texts.put(&lines.all),
        friction: texts.put(&lines.friction),
        hypotheses: texts.put(&lines.hypotheses),
        anchors: texts.put(&lines.anchors),
        ..Spooled::default()
    };
    (spooled.newest, spooled.quote) = findings::newest(texts, inspected, layouts);
    if let Some(review) = inspected.review.as_ref().filter(|_| !stage.is_dry_run()) {
        let text = markdown::plain(&review.body, search::WRITEUP);
        spooled.writeup = texts.put(text.as_bytes());
    }
    if !stage.is_dry_run() {
        let failures = search::failures(entry, &inspected.tapes, layouts);
        let failures = serde_json::to_vec(&failures);
        let failures = failures.map_err(|error| unwritten("search", &error.into()))?;
        spooled.failures = texts.put(&failures);
    }
    for found in findings::annotations(inspected, layouts) {
        let (text, kind, group) = annotations::spooled_text(
            &entry.slug,
            (&inspected.tapes[found.tape], found.layout),
            (found.index, found.annotation),
            found.position,
            found.evidence(EVIDENCE),
        );
        let card =
            serde_json::to_vec(&text).map_err(|error| unwritten("annotations", &error.into()))?;
        let card = texts.put(&card);
        spooled.cards.push(SpooledCard { kind, group, card });
    }
    if let Some(found) = &inspected.threads {
        if !stage.is_dry_run() {
            let lines = feeds::threads::lines(&entry.run, found);
            let lines = lines.map_err(|error| unwritten("threads.jsonl", &error.into()))?;
            spooled.thread_lines = texts.put(&lines);
        }
        let markdown = |scope: &str, text: &str| prose(layouts, &entry.slug, (scope, 3), text);
        let shown = discussion::threads(config, found, &markdown);
        let cards = threads::spooled(found, &shown).into_iter().map(|card| {
            let card = serde_json::to_vec(&card);
            let card = card.map_err(|error| unwritten("threads", &error.into()))?;
            Ok(texts.put(&card))
        });
        spooled.threads = cards.collect::<Result<_, Diagnostic>>()?;
    }
    Ok(spooled)
}
