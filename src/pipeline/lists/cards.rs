//! Writes the annotations that the filter of their pages reads.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::view::annotations::KindCards;
use crate::view::data::cards::{KindParts, Manifest};

use super::Lists;
use super::parts::{PartFiles, manifest};

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let runs = lists.archive().runs.iter();
    let cases: BTreeSet<_> = runs.map(|entry| entry.run.subject.case.clone()).collect();
    let mut found = Manifest::new(cases.into_iter().collect());
    let mut listed = lists.catalogue.by_kind();
    if lists.stage.is_dry_run() {
        listed.clear();
    }
    let write = |listed: &KindCards| write_kind(lists, &found, listed);
    let written: Result<Vec<_>, _> = listed.par_iter().map(write).collect();
    let kinds = listed.iter().map(|listed| listed.kind);
    found.shelves = kinds.zip(written?).collect();
    manifest(
        lists.stage,
        ("annotations", "search/annotations.js"),
        &found,
    )
}

fn write_kind(
    lists: &Lists<'_>,
    manifest: &Manifest,
    listed: &KindCards,
) -> Result<KindParts, Diagnostic> {
    let prefix = format!("search/annotations-{}-", listed.folder);
    let mut files = PartFiles::new(lists.stage, "annotations", &prefix);
    let mut held = KindParts::new(listed);
    let mut keys = BTreeMap::new();
    for filed in &listed.cards {
        let text = lists.text(filed)?;
        let entry = &lists.archive().runs[filed.run];
        let row = manifest.row(entry, filed, &text);
        let key = row.0;
        if files.push(&format!("{} {}", entry.slug, text.href), &row)? {
            held.note(&mut keys);
        }
        *keys.entry(key).or_default() += 1;
    }
    if files.finish()? {
        held.note(&mut keys);
    }
    let names = files.parts.names().into_iter();
    held.names = names.map(str::to_owned).collect();
    Ok(held)
}
