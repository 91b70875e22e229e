//! Writes the annotations that the filter of their pages and search read.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::view::annotations::KindCards;
use crate::view::data::cards::{KindParts, Manifest};

use super::Lists;
use super::parts::{PartFiles, manifest};

/// A part, for search.
pub(super) struct Part {
    /// Cards that say something.
    pub(super) documents: usize,
    pub(super) bytes: usize,
    /// The word of its kind, and its path without the ending.
    pub(super) file: (&'static str, String),
}

/// Gives the parts of each kind, those with the newest runs first.
pub(super) fn write(lists: &Lists<'_>) -> Result<Vec<Vec<Part>>, Diagnostic> {
    let runs = lists.archive().runs.iter();
    let cases: BTreeSet<_> = runs.map(|entry| entry.run.subject.case.clone()).collect();
    let mut found = Manifest::new(cases.into_iter().collect());
    let mut listed = lists.catalogue.by_kind();
    if lists.stage.is_dry_run() {
        listed.clear();
    }
    let write = |listed: &KindCards| write_kind(lists, &found, listed);
    let written: Result<Vec<_>, _> = listed.par_iter().map(write).collect();
    let (parts, for_search): (Vec<_>, Vec<_>) = written?.into_iter().unzip();
    let kinds = listed.iter().map(|listed| listed.kind);
    found.shelves = kinds.zip(parts).collect();
    manifest(
        lists.stage,
        ("annotations", "search/annotations.js"),
        &found,
    )?;
    Ok(for_search)
}

fn write_kind(
    lists: &Lists<'_>,
    manifest: &Manifest,
    listed: &KindCards,
) -> Result<(KindParts, Vec<Part>), Diagnostic> {
    let prefix = format!("search/annotations-{}-", listed.folder);
    let mut files = PartFiles::new(lists.stage, "annotations", &prefix);
    let mut held = KindParts::new(listed);
    let mut sizes = Vec::new();
    let mut keys = BTreeMap::new();
    let mut documents = 0;
    for filed in &listed.cards {
        let text = lists.text(filed)?;
        let entry = &lists.archive().runs[filed.run];
        let row = manifest.row(entry, filed, &text);
        let key = row.0;
        if let Some(bytes) = files.push(&format!("{} {}", entry.slug, text.href), &row)? {
            held.note(&mut keys);
            sizes.push((std::mem::take(&mut documents), bytes));
        }
        *keys.entry(key).or_default() += 1;
        documents += usize::from(!text.evidence.is_empty());
    }
    if let Some(bytes) = files.finish()? {
        held.note(&mut keys);
        sizes.push((documents, bytes));
    }
    let names = files.parts.names().into_iter();
    held.names = names.map(str::to_owned).collect();
    let parts = held.names.iter().zip(sizes);
    let parts = parts.map(|(name, (documents, bytes))| Part {
        documents,
        bytes,
        file: (listed.kind, format!("{prefix}{name}")),
    });
    let parts = parts.collect();
    Ok((held, parts))
}
