//! Writes what the filter of the pages of annotations reads.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::view::annotations::{Catalogue, Shelved};
use crate::view::data::cards::{AUTHORS, Manifest, Row, ShelfParts};

use super::Lists;
use super::parts::{PartFiles, manifest};

pub(super) fn write(lists: &Lists<'_>, catalogue: &Catalogue) -> Result<(), Diagnostic> {
    let runs = lists.archive().runs.iter();
    let cases: BTreeSet<_> = runs.map(|entry| entry.run.subject.case.clone()).collect();
    let mut found = Manifest {
        cases: cases.into_iter().collect(),
        authors: AUTHORS.to_vec(),
        shelves: BTreeMap::new(),
    };
    let shelves = catalogue.shelved();
    let write = |shelf: &Shelved<'_>| write_shelf(lists, &found, shelf);
    let written: Result<Vec<_>, _> = shelves.par_iter().map(write).collect();
    let kinds = shelves.iter().map(|shelf| shelf.kind);
    found.shelves = kinds.zip(written?).collect();
    manifest(
        lists.stage,
        ("annotations", "search/annotations.js"),
        &found,
    )
}

fn write_shelf(
    lists: &Lists<'_>,
    manifest: &Manifest,
    shelf: &Shelved<'_>,
) -> Result<ShelfParts, Diagnostic> {
    let name = format!("annotations-{}", shelf.folder);
    let mut files = PartFiles::new(lists.stage, "annotations", name);
    let mut held = ShelfParts {
        groups: shelf.parts.clone(),
        parts: Vec::new(),
    };
    let mut keys = BTreeMap::new();
    for spooled in shelf.cards {
        let card = lists.card(spooled)?;
        let key = manifest.key(spooled, &card);
        if files.push(&Row { key, card })? {
            held.note(&mut keys);
        }
        *keys.entry(key).or_default() += 1;
    }
    if files.finish()? {
        held.note(&mut keys);
    }
    Ok(held)
}
