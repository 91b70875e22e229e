//! How the annotations and the writeup of a run are spooled for the feeds and pages of the whole archive.

use crate::diagnostics::Diagnostic;
use crate::feeds::{self, annotations::Lines};
use crate::inspect::Inspected;
use crate::markup::markdown;
use crate::model::archive::Entry;
use crate::model::findings::{Slice, Spooled, SpooledCard};
use crate::publish::Stage;
use crate::spool::Texts;
use crate::view::annotations;
use crate::view::data::search;
use crate::view::timeline::Layout;

use super::findings;
use super::unwritten;

/// Characters of evidence on the pages of all annotations.
const EVIDENCE: usize = 400;

/// Adds what later pages and feeds hold of the run to its `texts`.
///
/// # Errors
/// It cannot be written as JSON.
pub(super) fn write(
    (stage, texts): (&Stage, &mut Texts),
    entry: &Entry,
    inspected: &Inspected<'_>,
    layouts: &[Layout<'_>],
) -> Result<Spooled, Diagnostic> {
    // A check makes pages, since their templates may have errors, and nothing else of all runs.
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
        cards: Box::default(),
        writeup: Slice::default(),
        failures: Slice::default(),
        compare: Box::default(),
        members: Box::default(),
        newest: Box::default(),
        quote: None,
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
    let mut cards = Vec::new();
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
        let too_large = || unwritten("annotations", &std::io::ErrorKind::FileTooLarge.into());
        let card = SpooledCard::new((kind, group), card).ok_or_else(too_large)?;
        cards.push(card);
    }
    spooled.cards = cards.into();
    Ok(spooled)
}
