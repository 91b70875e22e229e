//! Writes an export in a second pass over the published runs, since few builds export.

use std::path::PathBuf;

use parquet::errors::ParquetError;
use rayon::prelude::*;

use crate::site::{Export, Site};
use base::diagnostics::Failure;
use base::diagnostics::{Diagnostic, Place, codes};
use content::inspect::{self, Inspection};
use content::load;
use formats::model::archive::ArchiveEntry;
use pages::export;
use store::publish::Stage;

mod dataset;

use super::{Outcome, Progress, SiteContent};

fn folder(site: &Site) -> Option<&PathBuf> {
    site.options.export.as_ref().map(Export::folder)
}

/// Folders in which no export may be written.
fn not_below(site: &Site) -> Vec<PathBuf> {
    let mut folders = site.inputs();
    folders.push(site.out.clone());
    folders
}

/// Rejects a forbidden export folder before anything is written.
pub(super) fn check_folder(site: &Site) -> Result<(), Diagnostic> {
    let check =
        |folder: &PathBuf| Stage::dry_run(folder, &site.shown(folder), &not_below(site)).map(drop);
    folder(site).map_or(Ok(()), check)
}

/// Writes what the site exports; `None` if that is nothing, or the site is not published.
pub(super) fn export(
    site: &Site,
    gathered: &SiteContent,
    outcome: &Outcome,
    progress: &dyn Progress,
) -> Result<Option<Stage>, Failure> {
    let Some(folder) = folder(site).filter(|_| outcome.publishes(site)) else {
        return Ok(None);
    };
    let runs = gathered.archive.runs.iter();
    let mut runs = runs.map(|entry| &gathered.directory(entry).place);
    if let Some(run) = runs.find(|place| gathered.roots.has_only_record(place)) {
        return Err(vec![codes::MERGE_NEEDS_CONTENT.at(
            Place::file(&run.shown),
            "The export reads every run, and only the record of this one is here",
            "Export where the content of all runs is, or omit `--export`.",
        )]);
    }
    let stage = Stage::open(folder, &site.shown(folder), &not_below(site)).map_err(|d| vec![d])?;
    progress.begin("Exporting runs", Some(gathered.archive.runs.len()));
    let run = || match site.options.export {
        Some(Export::HuggingFace(_)) => dataset::write(site, gathered, outcome, &stage, progress),
        _ => tables(site, gathered, outcome, &stage, progress),
    };
    gathered
        .pool
        .install(run)
        .map_err(|problem| vec![problem])?;
    Ok(Some(stage))
}

/// Writes the tables of all cases.
fn tables(
    site: &Site,
    gathered: &SiteContent,
    outcome: &Outcome,
    stage: &Stage,
    progress: &dyn Progress,
) -> Result<(), Diagnostic> {
    let (archive, findings) = (&gathered.archive, &outcome.findings);
    let canary = site.config.policy.canary.as_deref();
    archive.cases.par_iter().try_for_each(|case| {
        let runs = case.runs.iter();
        let runs = runs.map(|&index| (&archive.runs[index], &findings[index]));
        let path = export::runs_path(&case.slug);
        write(stage, &path, export::runs(runs, canary).map(Some))
    })?;
    archive.runs.par_iter().try_for_each(|entry| {
        let written = export_run(site, gathered, entry, stage);
        progress.tick();
        written
    })
}

fn export_run(
    site: &Site,
    gathered: &SiteContent,
    entry: &ArchiveEntry,
    stage: &Stage,
) -> Result<(), Diagnostic> {
    let case = &gathered.archive.cases[entry.case].slug;
    let canary = site.config.policy.canary.as_deref();
    read_again(site, gathered, entry, |inspection| {
        let path = export::events_path(case, &entry.slug);
        write(stage, &path, export::events(entry, inspection, canary))?;
        let path = export::annotations_path(case, &entry.slug);
        write(stage, &path, export::annotations(entry, inspection, canary))
    })
}

/// Reads the tapes and the annotations of a run again, as they are published.
fn read_again(
    site: &Site,
    gathered: &SiteContent,
    entry: &ArchiveEntry,
    export: impl FnOnce(&Inspection<'_>) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let directory = gathered.directory(entry);
    let Some(record) = directory.load(site).transpose()? else {
        return Ok(());
    };
    let (files, _) = load::run(&directory.place, &record, &site.config.limits);
    // Its problems were reported when its pages were rendered.
    export(&inspect::annotated(&site.config, &files).value)
}

fn write(
    stage: &Stage,
    path: &str,
    table: Result<Option<Vec<u8>>, ParquetError>,
) -> Result<(), Diagnostic> {
    let table = table.map_err(table_error(path))?;
    table.map_or(Ok(()), |table| stage.write(path, &table))
}

fn table_error(path: &str) -> impl Fn(ParquetError) -> Diagnostic {
    move |error| {
        codes::PUBLISH_IO.at(
            Place::file(path),
            format!("The table could not be written: {error}"),
            "Please report this as a bug.",
        )
    }
}
