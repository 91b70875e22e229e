//! Writes event logs, tapes and sidecars, byte for byte as they were checked.

use crate::load::{Loaded, RunFiles};
use crate::site::Site;

use super::CheckedRun;
use super::files::{Files, StageError};

pub(super) fn write(run: &CheckedRun<'_>, files: &mut Files<'_>) -> Result<(), StageError> {
    downloads(run.site, run.files)
        .try_for_each(|file| files.write(&run.path(&file.name), &file.bytes))
}

/// The names of the files.
pub(super) fn names(site: &Site, files: &RunFiles) -> Vec<String> {
    downloads(site, files)
        .map(|file| file.name.clone())
        .collect()
}

fn downloads<'a>(site: &Site, files: &'a RunFiles) -> impl Iterator<Item = &'a Loaded> {
    let publishes = site.config.policy.publish_events;
    let logs = files.events.iter().chain(&files.tapes);
    logs.chain(&files.sidecars).filter(move |_| publishes)
}
