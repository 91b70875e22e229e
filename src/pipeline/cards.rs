//! Knows how the data of the pages of annotations is written: kind by kind and part by part, so that it is never held whole.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::feeds::cards::{AUTHORS, Manifest, Row, ShelfParts};
use crate::feeds::parts::{self, Parts};
use crate::spool;
use crate::view::annotations::{Catalogue, Shelved};

use super::lists::Lists;

impl Lists<'_> {
    /// What the filter of the pages of annotations reads.
    pub(super) fn cards_data(&self, catalogue: &Catalogue) -> Result<(), Diagnostic> {
        let runs = self.archive().runs.iter();
        let cases: BTreeSet<_> = runs.map(|entry| entry.run.subject.case.clone()).collect();
        let mut manifest = Manifest {
            cases: cases.into_iter().collect(),
            authors: AUTHORS.to_vec(),
            shelves: BTreeMap::new(),
        };
        let shelves = catalogue.shelved();
        let write = |shelf: &Shelved<'_>| self.shelf_data(&manifest, shelf);
        let written: Result<Vec<_>, _> = shelves.par_iter().map(write).collect();
        manifest.shelves = shelves
            .iter()
            .map(|shelf| shelf.kind)
            .zip(written?)
            .collect();
        let bytes = parts::manifest("annotations", &manifest);
        let bytes = bytes.map_err(|error| spool::refused(&error.into()))?;
        self.stage.write("search/annotations.js", &bytes)
    }

    fn shelf_data(
        &self,
        manifest: &Manifest,
        shelf: &Shelved<'_>,
    ) -> Result<ShelfParts, Diagnostic> {
        let mut parts = Parts::new("annotations");
        let write = |(number, bytes): (usize, Vec<u8>)| {
            let path = format!("search/annotations-{}-{number}.js", shelf.folder);
            self.stage.write(&path, &bytes)
        };
        let mut held = ShelfParts {
            groups: shelf.parts.clone(),
            parts: Vec::new(),
        };
        let mut keys = BTreeMap::new();
        for filed in shelf.cards {
            let card = self.card(filed)?;
            let key = manifest.key(filed, &card);
            let full = parts.push(&Row { key, card });
            if let Some(full) = full.map_err(|error| spool::refused(&error.into()))? {
                write(full)?;
                held.note(&mut keys);
            }
            *keys.entry(key).or_default() += 1;
        }
        if let Some(last) = parts.take() {
            write(last)?;
            held.note(&mut keys);
        }
        Ok(held)
    }
}
