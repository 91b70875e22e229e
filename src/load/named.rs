//! [edge in] Knows which files of a run directory other files may name, and confines what they name.

use std::path::Path;

use super::confined::{Fault, attempt, outside, read};
use super::{Loaded, run_files};
use crate::config::Limits;
use crate::diagnostics::{Diagnostic, Place, codes};
use crate::discover::RunDirectory;
use crate::formats::run_record;
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
    let folder = directory.path.join(format!("{tape}.cas"));
    if folder
        .symlink_metadata()
        .is_ok_and(|meta| meta.is_symlink())
    {
        return Err(outside(&format!("{}/{tape}.cas", directory.shown)));
    }
    let bytes = read(&directory.root, &folder.join(hash), &shown, limits.file)?;
    Ok(bytes.map(|bytes| Loaded::new(name, shown, bytes)))
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
    let (Ok(root), Ok(target)) = (
        directory.path.canonicalize(),
        directory.path.join(path).canonicalize(),
    ) else {
        return Ok(None);
    };
    let Ok(below) = target.strip_prefix(&root) else {
        return Err(refused(place));
    };
    if has_a_place_of_its_own(below) {
        return Err(codes::TRANSCRIPT_ASSET_OUTSIDE.at(
            place,
            "The asset is a file of the run that is published by rules of its own, or not at all",
            "Put assets into a folder of their own, for example `assets/`.",
        ));
    }
    let bytes = attempt(&root, &target, limits.file).map_err(|fault| match fault {
        Fault::Unreadable(reason) => codes::CONTENT_UNREADABLE.at(
            place.clone(),
            format!("The file of a public asset cannot be read: {reason}"),
            "Let `storage.path` name a regular file that the build may read, or remove the asset.",
        ),
        Fault::TooLarge(size) => codes::CONTENT_TOO_LARGE.at(
            place.clone(),
            format!(
                "The file of a public asset is {size} bytes large; the limit is {}",
                limits.file
            ),
            "Make it smaller, or raise `file` in `[limits]`.",
        ),
        Fault::Outside => refused(place.clone()),
    })?;
    let shown = place.path;
    Ok(bytes.map(|bytes| Loaded::new(path.to_owned(), shown, bytes)))
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
    let folder = directory.path.join(FOLDER);
    // The folder itself may not be a link: it could lead to the run directory and so to its transcript.
    if folder
        .symlink_metadata()
        .is_ok_and(|meta| meta.is_symlink())
    {
        return Err(outside(&format!("{}/{FOLDER}", directory.shown)));
    }
    // What is read stands in the folder, links resolved.
    let Ok(root) = folder.canonicalize() else {
        return Ok(None);
    };
    let Ok(target) = folder.join(path).canonicalize() else {
        return Ok(None);
    };
    if !target.starts_with(&root) {
        return Err(outside(&shown));
    }
    // No file stands there (formats.md H.5).
    if target.is_dir() {
        return Ok(None);
    }
    let bytes = read(&root, &target, &shown, limits.file)?;
    Ok(bytes.map(|bytes| Loaded::new(name, shown, bytes)))
}

/// Whether a file of a run directory is a record, a log, a tape, a transcript or the like: naming it as an asset
/// must not publish what policies hold back.
fn has_a_place_of_its_own(below: &Path) -> bool {
    let Some(first) = below.iter().next().and_then(|first| first.to_str()) else {
        return true;
    };
    let is_cas = Path::new(first)
        .extension()
        .is_some_and(|extension| extension == "cas");
    let folder = first == FOLDER || is_cas;
    folder || first == run_record::FILE_NAME || run_files::role(first).is_some()
}
