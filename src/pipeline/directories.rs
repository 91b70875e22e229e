//! Run directories: each record is read once, and checked alone and beside the others.

use std::sync::Arc;

use rayon::prelude::*;

use crate::diagnostics::{Diagnostic, Place, Source};
use crate::discover::RunDirectory;
use crate::formats::run_record::UnknownKey;
use crate::load::{self, Loaded};
use crate::rules::archive::Candidate;
use crate::site::Site;
use crate::{inspect, rules};

use super::Progress;
use super::budget::catch_panic;

/// A run directory and all that is known of it.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) place: RunDirectory,
    /// `None` when it cannot be read.
    pub(super) record: Option<Loaded>,
    /// The run id, where the record has one, however broken the rest is.
    pub(super) id: Option<String>,
    /// Problems of the record.
    pub(super) problems: Vec<Diagnostic>,
    pub(super) status: Status,
}

/// Whether a run can be published.
#[derive(Debug)]
pub(super) enum Status {
    /// The record is valid: a run of the archive.
    Valid(Box<Candidate>),
    /// The record is broken, or its id is a duplicate.
    Invalid,
    /// The run ended in a state that is never published.
    NeverPublished,
    /// Files beside the record have errors, and the site asks to leave such runs out.
    Quarantined {
        /// The address that the run had.
        slug: String,
        problems: Vec<Diagnostic>,
    },
}

impl Directory {
    pub(super) const fn candidate(&self) -> Option<&Candidate> {
        match &self.status {
            Status::Valid(candidate) => Some(candidate),
            _ => None,
        }
    }

    pub(super) const fn is_never_published(&self) -> bool {
        matches!(self.status, Status::NeverPublished)
    }

    /// Whether the run is missing on the site because of errors.
    pub(super) const fn is_left_out(&self) -> bool {
        matches!(self.status, Status::Invalid | Status::Quarantined { .. })
    }
}

/// Reads the records of all runs.
pub(super) fn read(
    site: &Site,
    runs: Vec<RunDirectory>,
    progress: &dyn Progress,
) -> (Vec<Directory>, Vec<Diagnostic>) {
    let read = runs.into_par_iter().enumerate().map(|(index, place)| {
        let read = read_record(site, place, index);
        progress.tick();
        read
    });
    let (mut directories, keys): (Vec<_>, Vec<_>) = read.unzip();
    let problems = check_together(&mut directories, keys);
    (directories, problems)
}

/// A directory, with the keys of its record that no version of the format has.
fn read_record(site: &Site, place: RunDirectory, index: usize) -> (Directory, Vec<UnknownKey>) {
    let read = catch_panic(&place, || {
        let file = load::record(&place, &site.config.limits)?;
        Ok((inspect::record(&file), file))
    });
    let mut directory = Directory {
        place,
        record: None,
        id: None,
        problems: Vec::new(),
        status: Status::Invalid,
    };
    let (found, file) = match read.unwrap_or_else(Err) {
        Ok(read) => read,
        Err(problem) => {
            directory.problems.push(problem);
            return (directory, Vec::new());
        }
    };
    if found.never_published {
        directory.status = Status::NeverPublished;
    } else if let Some(run) = found.run {
        directory.status = Status::Valid(Box::new(Candidate {
            run: Arc::new(run),
            path: directory.place.shown.clone(),
            id_place: found.id_place,
            directory: index,
        }));
    }
    directory.record = Some(file);
    directory.id = found.id;
    directory.problems = found.diagnostics;
    (directory, found.unknown_keys)
}

/// The problems of all records, with those of the checks that need all of them.
fn check_together(directories: &mut [Directory], keys: Vec<Vec<UnknownKey>>) -> Vec<Diagnostic> {
    let known = directories.iter().flat_map(|directory| &directory.problems);
    let mut problems: Vec<_> = known.cloned().collect();
    // A note is about all runs that have a key, so those that are published need notes of their own.
    let (unpublished, published): (Vec<_>, Vec<_>) = keys
        .into_iter()
        .enumerate()
        .partition(|(index, _)| directories[*index].is_never_published());
    for keys in [published, unpublished] {
        problems.extend(rules::keys::unknown(keys, |index, key| {
            let directory = &directories[index];
            let place = directory.record.as_ref().map_or_else(
                || Place::file(&directory.place.shown),
                |file| Source::file(&file.shown, &file.bytes).place(key.offset, key.offset + 1),
            );
            (place.pointing(&key.pointer), directory.id.clone())
        }));
    }
    let candidates = directories.iter().filter_map(Directory::candidate);
    for (index, problem) in rules::archive::duplicate_ids(candidates) {
        directories[index].status = Status::Invalid;
        problems.push(problem);
    }
    problems
}
