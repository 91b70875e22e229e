//! Knows how the tables of an export are written: a second pass over the published runs, because few builds ask for it.

use rayon::prelude::*;

use crate::diagnostics::{Diagnostic, Place, codes};
use crate::model::findings::Findings;
use crate::publish::Stage;
use crate::site::Site;
use crate::{Failure, export, inspect, load};

use super::{Gathered, Outcome, Progress, run_of};

impl Gathered {
    /// Writes the tables that the site asks for; `None` when it asks for none.
    ///
    /// # Errors
    /// The tables cannot be written.
    pub fn export(
        &self,
        site: &Site,
        outcome: &Outcome,
        progress: &dyn Progress,
    ) -> Result<Option<Stage>, Failure> {
        let Some(folder) = &site.export else {
            return Ok(None);
        };
        let mut inputs = site.inputs();
        inputs.push(site.out.clone());
        let stage = Stage::open(folder, &site.shown(folder), &inputs).map_err(|d| vec![d])?;
        let findings = &outcome.findings;
        progress.begin("Exporting", findings.len());
        let cases = || {
            self.archive.cases.par_iter().try_for_each(|case| {
                let runs = case.runs.iter();
                let runs = runs.map(|&index| (&self.archive.runs[index], &findings[index]));
                write(
                    &stage,
                    &export::runs_path(&case.slug),
                    export::runs(runs).map(Some),
                )
            })
        };
        let runs = || {
            findings
                .par_iter()
                .enumerate()
                .try_for_each(|(index, _): (usize, &Findings)| {
                    let written = self.export_run(site, index, &stage);
                    progress.tick();
                    written
                })
        };
        self.pool
            .0
            .install(|| cases().and_then(|()| runs()))
            .map_err(|problem| vec![problem])?;
        Ok(Some(stage))
    }

    fn export_run(&self, site: &Site, index: usize, stage: &Stage) -> Result<(), Diagnostic> {
        let (entry, directory, record) = run_of(self, index);
        let Some(record) = record else { return Ok(()) };
        let (files, _) = load::run(directory, record, &site.config.limits);
        let mut told = Vec::new();
        let inspected =
            inspect::files(&site.config, directory, Some(&entry.run), &files).unpack(&mut told);
        let case = &self.archive.cases[entry.case].slug;
        let path = export::events_path(case, &entry.slug);
        write(stage, &path, export::events(entry, &inspected))?;
        let path = export::annotations_path(case, &entry.slug);
        write(stage, &path, export::annotations(entry, &inspected))
    }
}

fn write(
    stage: &Stage,
    path: &str,
    table: Result<Option<Vec<u8>>, parquet::errors::ParquetError>,
) -> Result<(), Diagnostic> {
    let table = table.map_err(|error| {
        codes::PUBLISH_IO.at(
            Place::file(path),
            format!("The table could not be written: {error}"),
            "This is a fault of runpress; please report it.",
        )
    })?;
    table.map_or(Ok(()), |table| stage.write(path, &table))
}
