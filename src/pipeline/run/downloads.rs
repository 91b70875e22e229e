//! Writes event logs, tapes and sidecars, byte for byte as they were checked.

use crate::load::{Loaded, RunFiles};
use crate::model::tape::Tape;
use crate::site::Site;

use super::CheckedRun;
use super::files::{Files, StageError};

pub(super) fn write(run: &CheckedRun<'_>, files: &mut Files<'_>) -> Result<(), StageError> {
    // The files are as they were recorded, so it is in a file of its own.
    if let Some(canary) = &run.site.config.policy.canary {
        files.write(&run.path("canary.txt"), format!("{canary}\n").as_bytes())?;
    }
    downloads(run.site, run.files, &run.inspected.tapes)
        .try_for_each(|file| files.write(&run.path(&file.name), &file.bytes))
}

/// The names of the files.
pub(super) fn names(site: &Site, files: &RunFiles, tapes: &[Tape<'_>]) -> Vec<String> {
    downloads(site, files, tapes)
        .map(|file| file.name.clone())
        .collect()
}

fn downloads<'a>(
    site: &Site,
    files: &'a RunFiles,
    tapes: &[Tape<'_>],
) -> impl Iterator<Item = &'a Loaded> {
    let publishes = site.config.policy.publish_events;
    let is_withheld = |file: &Loaded| {
        tapes
            .iter()
            .any(|tape| tape.file == file.name && tape.withheld > 0)
    };
    let logs = files.events.iter().chain(&files.tapes);
    logs.chain(&files.sidecars)
        .filter(move |file| publishes && !is_withheld(file))
}
