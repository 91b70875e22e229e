//! [edge in] Knows which files of a run directory other files may name, and confines what they name.

use std::path::Path;

use super::confined::{Bounds, SizeLimit, outside, read, unreadable};
use super::run_files::{RUN_DIRECTORY, is_reserved};
use super::{Loaded, open};
use crate::beneath::{self, Folder};
use crate::config::Limits;
use crate::diagnostics::Diagnostic;
use crate::discover::RunDirectory;
use crate::model::implementation::FOLDER;

/// Reads a payload from a tape's CAS folder, for a run that already holds so many bytes. `Ok(None)`: it is not there.
///
/// # Errors
/// The file cannot be read, is too large, or lies outside the content root.
pub fn payload(
    directory: &RunDirectory,
    tape: &str,
    hash: &str,
    held: u64,
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
    let bytes = read(
        &run,
        Path::new(&name),
        &shown,
        SizeLimit::document(limits).beside(held, limits),
        &bounds,
    )?;
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
    let bytes = read(
        &folder,
        Path::new(path),
        &shown,
        SizeLimit::document(limits),
        &bounds,
    )?;
    Ok(bytes.map(|bytes| Loaded::new(name, shown, bytes)))
}
