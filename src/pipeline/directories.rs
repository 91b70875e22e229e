//! Run directories: each record is read once, and checked alone and together with the others.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::OsStr;
use std::sync::Arc;

use rayon::prelude::*;

use crate::site::Site;
use ::secrets::Mask;
use base::diagnostics::{Diagnostic, Place, Source};
use base::files::{EntryKind, Stamp};
use base::links::Slug;
use content::discover::{ContentRoots, RunDirectory};
use content::inspect::{self, CheckedRecord};
use content::load::{self, LoadedFile};
use content::rules;
use content::rules::archive::Candidate;
use formats::model::run::Run;
use formats::redactions;
use formats::run_record;

use super::Progress;
use super::cache::{CachedRecord, CachedRecords};
use super::memory::catch_panic;
use super::secrets;

/// A run directory and its record.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) place: RunDirectory,
    /// Stamp of the record; `None` if it is not a regular file, or if parts of it are withheld.
    stamp: Option<Stamp>,
    /// BLAKE3 of the record; `None` if it cannot be read.
    pub(super) digest: Option<[u8; 32]>,
    pub(super) record: CheckedRecord,
    pub(super) status: RunStatus,
}

/// Whether a run can be published.
#[derive(Debug)]
pub(super) enum RunStatus {
    /// The record is valid: a run of the archive.
    Valid,
    /// The record is broken, or its id is a duplicate.
    Invalid,
    /// The run ended in a state that is never published.
    NeverPublished,
    /// Other files of the run have errors, and the site quarantines such runs.
    Quarantined {
        /// The address that the run had.
        slug: Slug,
        problems: Vec<Diagnostic>,
    },
}

impl Directory {
    /// The id of the run, even if the rest of the record is invalid.
    pub(super) fn id(&self) -> Option<&str> {
        self.record.id.as_deref()
    }

    /// The run, if it is part of the archive.
    pub(super) const fn run(&self) -> Option<&Arc<Run>> {
        match self.status {
            RunStatus::Valid => self.record.run.as_ref(),
            _ => None,
        }
    }

    pub(super) const fn is_never_published(&self) -> bool {
        matches!(self.status, RunStatus::NeverPublished)
    }

    /// Whether the run is missing on the site because of errors.
    pub(super) const fn is_left_out(&self) -> bool {
        matches!(
            self.status,
            RunStatus::Invalid | RunStatus::Quarantined { .. }
        )
    }
}

/// Reads the records of all runs, except those whose files look like they did in the last build.
pub(super) fn read(
    site: &Site,
    runs: Vec<RunDirectory>,
    roots: &ContentRoots,
    mut cached: CachedRecords,
    progress: &dyn Progress,
) -> (Vec<Directory>, Vec<Diagnostic>) {
    let at = cached.at;
    let runs = runs.into_iter().map(|place| {
        let record = cached.records.remove(&place.shown);
        (place, record)
    });
    let runs: Vec<_> = runs.collect();
    let read = runs.into_par_iter();
    let read = read.map(|(place, record)| {
        let name = OsStr::new(run_record::FILE_NAME);
        let found = roots.of(&place).and_then(|tree| tree.get(name));
        let is_withheld = is_withheld(roots, &place);
        let record = record.filter(|record| found.is_some_and(|found| record.is_of(found, at)));
        let mut directory = match record.filter(|_| !is_withheld) {
            Some(cached) => Directory {
                digest: Some(cached.digest),
                ..Directory::new(place, cached.record.into_owned())
            },
            None => read_record(site, place),
        };
        let file = found.filter(|it| matches!(it.kind, EntryKind::File { .. }) && !is_withheld);
        directory.stamp = file.map(|file| file.stamp);
        progress.tick();
        directory
    });
    let mut directories: Vec<_> = read.collect();
    let problems = check_together(site, &mut directories);
    (directories, problems)
}

impl Directory {
    fn new(place: RunDirectory, record: CheckedRecord) -> Self {
        let status = match &record.run {
            _ if record.never_published => RunStatus::NeverPublished,
            Some(_) => RunStatus::Valid,
            None => RunStatus::Invalid,
        };
        Self {
            place,
            stamp: None,
            digest: None,
            record,
            status,
        }
    }

    /// The record with its path, for the next build; `None` if that must read it again.
    pub(super) fn cached(&self) -> Option<(String, CachedRecord<'_>)> {
        if !matches!(self.status, RunStatus::Valid | RunStatus::NeverPublished) {
            return None;
        }
        let record = CachedRecord {
            stamp: self.stamp?,
            digest: self.digest?,
            record: Cow::Borrowed(&self.record),
        };
        Some((self.place.shown.clone(), record))
    }

    /// The place of the id in the record. Adds the secrets of the record to `mask`.
    pub(super) fn id_place(&self, site: &Site, mask: &RefCell<Mask>) -> Place {
        match self.load(site) {
            Some(Ok(file)) => {
                mask.borrow_mut().extend(secrets::of_record(site, &file));
                inspect::id_place(&file)
            }
            _ => Place::file(&self.place.shown),
        }
    }

    /// Reads the record again.
    pub(super) fn load(&self, site: &Site) -> Option<Result<LoadedFile, Diagnostic>> {
        let limits = &site.config.limits;
        let loaded = load::record_again(&self.place, limits, self.digest?);
        Some(loaded.map_err(|problem| problem.of_run(self.id().unwrap_or_default())))
    }
}

/// The runs of the archive.
pub(super) fn candidates(directories: &[Directory]) -> Vec<Candidate> {
    let directories = directories.iter().enumerate();
    let candidates = directories.filter_map(|(directory, it)| {
        let run = Arc::clone(it.run()?);
        Some(Candidate { run, directory })
    });
    candidates.collect()
}

/// Whether parts of a run are withheld. Its record then depends on another file.
pub(super) fn is_withheld(roots: &ContentRoots, place: &RunDirectory) -> bool {
    let tree = roots.of(place);
    tree.is_some_and(|tree| tree.get(OsStr::new(redactions::FILE_NAME)).is_some())
}

fn read_record(site: &Site, place: RunDirectory) -> Directory {
    let read = catch_panic(&place, || {
        let file = load::record(&place, &site.config.limits)?;
        Ok((inspect::record(&file), file))
    });
    let (mut record, file) = match read.unwrap_or_else(Err) {
        Ok(read) => read,
        Err(problem) => {
            let record = CheckedRecord {
                diagnostics: vec![problem],
                ..CheckedRecord::default()
            };
            return Directory::new(place, record);
        }
    };
    if !record.diagnostics.is_empty() {
        let mask = secrets::of_record(site, &file);
        let folder = format!("{}/", place.shown);
        mask.apply_all(&mut record.diagnostics, &folder);
    }
    Directory {
        digest: blake3::Hash::from_hex(&file.digest).ok().map(Into::into),
        ..Directory::new(place, record)
    }
}

/// The problems of all records, and of checks that compare records.
fn check_together(site: &Site, directories: &mut [Directory]) -> Vec<Diagnostic> {
    let known = directories
        .iter()
        .flat_map(|directory| &directory.record.diagnostics);
    let mut problems: Vec<_> = known.cloned().collect();
    // One note lists all runs that have a key. Runs that are never published get separate notes, which the site does not show.
    let keys = directories.iter().enumerate();
    let keys = keys.filter(|(_, directory)| !directory.record.unknown_keys.is_empty());
    let (unpublished, published): (Vec<_>, Vec<_>) = keys
        .map(|(index, directory)| (index, directory.record.unknown_keys.clone()))
        .partition(|(index, _)| directories[*index].is_never_published());
    for keys in [published, unpublished] {
        let mask = RefCell::new(Mask::default());
        let mut notes = rules::keys::unknown(keys, |index, key| {
            let directory = &directories[index];
            let place = match directory.load(site) {
                Some(Ok(file)) => {
                    mask.borrow_mut().extend(secrets::of_record(site, &file));
                    Source::file(&file.shown, &file.bytes).place(key.offset, key.offset + 1)
                }
                _ => Place::file(&directory.place.shown),
            };
            (
                place.pointing(&key.pointer),
                directory.id().map(str::to_owned),
            )
        });
        mask.into_inner().apply_all(&mut notes, "");
        problems.extend(notes);
    }
    let mask = RefCell::new(Mask::default());
    let duplicates = rules::archive::duplicate_ids(
        &candidates(directories),
        |candidate| directories[candidate.directory].place.shown.as_str(),
        |candidate| directories[candidate.directory].id_place(site, &mask),
    );
    let mask = mask.into_inner();
    for (index, mut problem) in duplicates {
        mask.apply(&mut problem, "");
        directories[index].status = RunStatus::Invalid;
        problems.push(problem);
    }
    problems
}
