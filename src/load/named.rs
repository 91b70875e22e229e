//! [edge in] Knows which files of a run directory other files may name, and confines what they name.

use std::path::Path;

use super::confined::{Bounds, Fault, attempt, is_hidden, outside, read, unreadable};
use super::run_files::{RUN_DIRECTORY, is_reserved};
use super::{Loaded, open};
use crate::beneath::{self, Folder};
use crate::config::Limits;
use crate::diagnostics::{Diagnostic, Place, codes};
use crate::discover::RunDirectory;
use crate::model::implementation::FOLDER;

/// Reads a payload from a tape's CAS folder. `Ok(None)`: it is not there.
///
/// # Errors
/// The file cannot be read, is too large, or lies outside the content root.
pub fn payload(
    directory: &RunDirectory,
    tape: &str,
    hash: &str,
    limits: &Limits,
) -> Result<Option<Loaded>, Diagnostic> {
    // Only the name of a BLAKE3 digest is a file name here: a tape cannot name a path.
    if hash.len() != 64
        || !hash
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    {
        return Ok(None);
    }
    let name = format!("{tape}.cas/{hash}");
    let shown = format!("{}/{name}", directory.shown);
    let Some((run, _)) = folder(directory, &format!("{tape}.cas"))? else {
        return Ok(None);
    };
    let bounds = Bounds {
        folder: RUN_DIRECTORY,
        allows: &|at| !is_reserved(&run, at),
    };
    let bytes = read(&run, Path::new(&name), &shown, limits.file, &bounds)?;
    Ok(bytes.map(|bytes| Loaded::new(name, shown, bytes)))
}

/// A run directory and a folder in it, which may not be a link: it could lead to the run directory itself and so to its
/// transcript. `Ok(None)`: it is not there.
fn folder(directory: &RunDirectory, name: &str) -> Result<Option<(Folder, Folder)>, Diagnostic> {
    let shown = format!("{}/{name}", directory.shown);
    let failed = |error: &std::io::Error| unreadable(&shown, &error.to_string());
    let run = open(directory).map_err(|error| failed(&error))?;
    match run.folder(Path::new(name)) {
        Ok(folder) => Ok(Some((run, folder))),
        Err(_) if run.is_link(Path::new(name)) => Err(outside(&shown, RUN_DIRECTORY)),
        Err(error) if beneath::is_gone(&error) => Ok(None),
        Err(error) => Err(failed(&error)),
    }
}

/// Reads an asset that a transcript names, relative to the run directory. `Ok(None)`: it is not there.
///
/// # Errors
/// The path leads out of the run directory, or the file cannot be read or is too large. The message does not
/// quote the path: it comes from a transcript.
pub fn asset(
    directory: &RunDirectory,
    path: &str,
    place: Place,
    limits: &Limits,
) -> Result<Option<Loaded>, Diagnostic> {
    let refused = |place: Place| {
        codes::TRANSCRIPT_ASSET_OUTSIDE.at(
            place,
            "The asset leads out of the run directory",
            "Write a path below the run directory, without `..`.",
        )
    };
    let safe = !path.is_empty()
        && !path.contains(['\\', '\0'])
        && path
            .split('/')
            .all(|part| !part.is_empty() && part != "." && part != "..");
    if !safe {
        return Err(refused(place));
    }
    let reserved = |place: Place| {
        codes::TRANSCRIPT_ASSET_OUTSIDE.at(
            place,
            "The asset is a hidden file, or a file of the run that is published by rules of its own or not at all",
            "Put assets into a folder of their own, for example `assets/`.",
        )
    };
    let failed = |reason: &str| {
        codes::CONTENT_UNREADABLE.at(
            place.clone(),
            format!("The file of a public asset cannot be read: {reason}"),
            "Let `storage.path` name a regular file that the build may read, or remove the asset.",
        )
    };
    let run = open(directory).map_err(|error| failed(&error.to_string()))?;
    let below = Path::new(path);
    if is_hidden(below) || is_reserved(&run, below) {
        return Err(reserved(place));
    }
    let allows = |at: &Path| !is_reserved(&run, at);
    let bytes = match attempt(&run, below, limits.file, &allows) {
        Ok(Some(bytes)) => bytes,
        Ok(None) | Err(Fault::Dangling) => return Ok(None),
        Err(Fault::Unreadable(reason)) => return Err(failed(&reason)),
        Err(Fault::TooLarge(size)) => {
            return Err(codes::CONTENT_TOO_LARGE.at(
                place,
                format!(
                    "The file of a public asset is {size} bytes large; the limit is {}",
                    limits.file
                ),
                "Make it smaller, or raise `file` in `[limits]`.",
            ));
        }
        Err(Fault::Outside) => return Err(refused(place)),
        Err(Fault::Withheld) => return Err(reserved(place)),
    };
    Ok(Some(Loaded::new(path.to_owned(), place.path, bytes)))
}

/// Reads a file below `implementation/` of a run. `Ok(None)`: it is not there, or is a folder.
///
/// # Errors
/// The file cannot be read, is too large, or a link leads out of the folder.
pub fn implementation(
    directory: &RunDirectory,
    path: &str,
    limits: &Limits,
) -> Result<Option<Loaded>, Diagnostic> {
    let name = format!("{FOLDER}/{path}");
    let shown = format!("{}/{name}", directory.shown);
    let Some((_, folder)) = folder(directory, FOLDER)? else {
        return Ok(None);
    };
    let bounds = Bounds {
        folder: "`implementation/`",
        allows: &|_| true,
    };
    // No file is there (formats.md H.5).
    match folder.file(Path::new(path)) {
        Ok(None) | Err(beneath::Fault::Dangling) => return Ok(None),
        Ok(Some(opened)) if opened.meta.is_dir() => return Ok(None),
        _ => {}
    }
    let bytes = read(&folder, Path::new(path), &shown, limits.file, &bounds)?;
    Ok(bytes.map(|bytes| Loaded::new(name, shown, bytes)))
}
