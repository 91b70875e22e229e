//! Writes the social card of a run.

use base::links;
use pages::draw::card;

use super::CheckedRun;
use super::files::{RunStage, StageError};

pub(super) fn write(s: &CheckedRun<'_>, files: &mut RunStage<'_>) -> Result<(), StageError> {
    if !s.has_card() {
        return Ok(());
    }
    let path = links::card(&links::run(&s.entry.slug));
    if files.is_dry_run() {
        return files.planned(&path, 0);
    }
    files.write(&path, &card::png(&card::of_run(s)))
}
