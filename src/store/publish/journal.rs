//! Replaces the files of a site one by one. A journal of all steps is complete before the first step, so that the next build can
//! finish after an interruption.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use base::files::{Folder, is_not_found};

/// The file name of the journal in the staging folder.
const NAME: &str = ".runpress-journal";
/// Maximum bytes of a journal.
const MOST: u64 = 1 << 30;
const DIGEST: usize = 32;

/// A step. Paths are relative to the output folder.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum JournalStep {
    /// Moves a file from the staging folder to its place.
    Move(String),
    /// Removes a file.
    Remove(String),
    /// Removes a folder, if it is empty.
    RemoveFolder(String),
}

impl JournalStep {
    fn path(&self) -> &Path {
        let (Self::Move(path) | Self::Remove(path) | Self::RemoveFolder(path)) = self;
        Path::new(path)
    }
}

/// Writes the journal and syncs it to disk.
pub(super) fn write(staging: &Path, steps: &[JournalStep]) -> io::Result<()> {
    let bytes = postcard::to_stdvec(steps).map_err(io::Error::other)?;
    let mut file = File::create_new(staging.join(NAME))?;
    file.write_all(blake3::hash(&bytes).as_bytes())?;
    file.write_all(&bytes)?;
    file.sync_all()
}

/// The steps of a journal; `None` if it is missing or incomplete, which means that no step was taken.
pub(super) fn read(staging: &Folder) -> Option<Vec<JournalStep>> {
    let file = staging.unlinked_file(Path::new(NAME))?;
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes).ok()?;
    let (digest, bytes) = bytes.split_at_checked(DIGEST)?;
    if blake3::hash(bytes).as_bytes() != digest {
        return None;
    }
    let steps: Vec<JournalStep> = postcard::from_bytes(bytes).ok()?;
    let is_inside = |step: &JournalStep| {
        let mut names = step.path().components();
        names.all(|name| matches!(name, Component::Normal(_)))
    };
    steps.iter().all(is_inside).then_some(steps)
}

/// Takes all steps that were not taken yet, never through a link.
pub(super) fn follow(steps: &[JournalStep], staging: &Folder, out: &Folder) -> io::Result<()> {
    for step in steps {
        let path = step.path();
        let (Some(parent), Some(name)) = (path.parent(), path.file_name().map(Path::new)) else {
            continue;
        };
        match step {
            JournalStep::Move(_) => match staging.folder(parent) {
                Ok(from) if from.has(name) => from.move_file(name, &made(out, parent)?)?,
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                // The step was already taken.
                _ => {}
            },
            JournalStep::Remove(_) | JournalStep::RemoveFolder(_) => {
                let removed = out.folder(parent).and_then(|from| match step {
                    JournalStep::Remove(_) => from.remove_file(name),
                    _ => from.remove_folder(name),
                });
                match removed {
                    // The path has other content by now; the next build finds it.
                    Err(error) if error.kind() == ErrorKind::IsADirectory => {}
                    Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {}
                    Err(error) if is_not_found(&error) => {}
                    other => other?,
                }
            }
        }
    }
    Ok(())
}

/// Opens the folder at this path, and creates it if missing.
fn made(out: &Folder, path: &Path) -> io::Result<Folder> {
    match out.folder(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        other => return other,
    }
    let mut folder = out.folder(Path::new(""))?;
    for name in path.iter().map(Path::new) {
        folder.make_folder(name)?;
        folder = folder.folder(name)?;
    }
    Ok(folder)
}

/// Removes the journal after all its steps.
pub(super) fn forget(staging: &Folder) -> io::Result<()> {
    staging.remove_file(Path::new(NAME))
}
