//! Writes what the filter of the pages of annotations reads.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::view::annotations::{Catalogue, KindCards};
use crate::view::data::cards::{AUTHORS, KindParts, Manifest, Row};

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
    let listed = catalogue.by_kind();
    let write = |listed: &KindCards<'_>| write_kind(lists, &found, listed);
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
    listed: &KindCards<'_>,
) -> Result<KindParts, Diagnostic> {
    let prefix = format!("search/annotations-{}-", listed.folder);
    let mut files = PartFiles::new(lists.stage, "annotations", &prefix);
    let mut held = KindParts {
        groups: listed.parts.clone(),
        ..KindParts::default()
    };
    let mut keys = BTreeMap::new();
    for spooled in listed.cards {
        let card = lists.card(spooled)?;
        let key = manifest.key(spooled, &card);
        let href = card.href.clone();
        if files.push(&href, &Row { key, card })? {
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
