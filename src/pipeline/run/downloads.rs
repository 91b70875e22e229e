//! Writes event logs, tapes, sidecars and raw logs, byte for byte as they were checked.

use content::inspect::Inspection;
use content::load::{LoadedFile, RunFiles};
use formats::config::{Config, Downloads};

use super::CheckedRun;
use super::files::{RunStage, StageError};

pub(super) fn write(run: &CheckedRun<'_>, files: &mut RunStage<'_>) -> Result<(), StageError> {
    if run.config.publish.downloads != Downloads::Files {
        return Ok(());
    }
    // Recorded files stay unchanged, so the canary has its own file.
    if let Some(canary) = &run.config.policy.canary {
        let canary = format!("{canary}\n");
        files.write(&run.own_file("canary.txt"), canary.as_bytes())?;
    }
    downloads(run.config, run.files, run.inspection)
        .try_for_each(|file| files.write(&run.own_file(&file.name), &file.bytes))
}

pub(super) fn names(config: &Config, files: &RunFiles, inspection: &Inspection<'_>) -> Vec<String> {
    downloads(config, files, inspection)
        .map(|file| file.name.clone())
        .collect()
}

fn downloads<'a>(
    config: &Config,
    files: &'a RunFiles,
    inspection: &'a Inspection<'_>,
) -> impl Iterator<Item = &'a LoadedFile> {
    let publishes = config.policy.publish_events;
    let is_withheld = |file: &LoadedFile| {
        (inspection.tapes.iter()).any(|tape| tape.file == file.name && tape.withheld > 0)
    };
    let logs = files.events.iter().chain(&files.tapes);
    logs.chain(&files.sidecars)
        .filter(move |file| publishes && !is_withheld(file))
        .chain(&inspection.raw_download)
}
