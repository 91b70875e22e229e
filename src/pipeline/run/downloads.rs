//! Writes event logs, tapes and sidecars, byte for byte as they were checked.

use crate::site::Site;
use content::load::{LoadedFile, RunFiles};
use formats::config::Downloads;
use formats::model::tape::Tape;

use super::CheckedRun;
use super::files::{Files, StageError};

pub(super) fn write(run: &CheckedRun<'_>, files: &mut Files<'_>) -> Result<(), StageError> {
    if run.site.config.publish.downloads != Downloads::Files {
        return Ok(());
    }
    // Recorded files stay unchanged, so the canary has its own file.
    if let Some(canary) = &run.site.config.policy.canary {
        let canary = format!("{canary}\n");
        files.write(&run.own_file("canary.txt"), canary.as_bytes())?;
    }
    downloads(run.site, run.files, &run.inspected.tapes)
        .try_for_each(|file| files.write(&run.own_file(&file.name), &file.bytes))
}

pub(super) fn names(site: &Site, files: &RunFiles, tapes: &[Tape<'_>]) -> Vec<String> {
    downloads(site, files, tapes)
        .map(|file| file.name.clone())
        .collect()
}

fn downloads<'a>(
    site: &Site,
    files: &'a RunFiles,
    tapes: &[Tape<'_>],
) -> impl Iterator<Item = &'a LoadedFile> {
    let publishes = site.config.policy.publish_events;
    let is_withheld = |file: &LoadedFile| {
        tapes
            .iter()
            .any(|tape| tape.file == file.name && tape.withheld > 0)
    };
    let logs = files.events.iter().chain(&files.tapes);
    logs.chain(&files.sidecars)
        .filter(move |file| publishes && !is_withheld(file))
}
