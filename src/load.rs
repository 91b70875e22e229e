//! [edge in] Knows how to read the files of a site: records, prose, lists, templates, and what an earlier build published.
//! Each is read whole, within limits, never from outside its root.

mod confined;
mod look;
mod named;
mod run_files;
mod working_tree;

use std::path::Path;

use crate::config::Limits;
use crate::diagnostics::text::quoted;
use crate::diagnostics::{Diagnostic, Place, codes};
use crate::discover::{RunDirectory, WithdrawnFile};
use crate::formats::run_record;
use crate::model::FileDigest;

use confined::{Fault, attempt, read, unreadable};
pub use look::{Look, look};
pub use named::{asset, implementation, payload};
pub use run_files::{RunFiles, is_tape, run};
pub use working_tree::{WorkingFile, WorkingReader, WorkingTree, working_digest, working_tree};

/// A file of a run directory.
#[derive(Debug)]
pub struct Loaded {
    /// Its name, or its path below the run directory.
    pub name: String,
    /// Its path in diagnostics.
    pub shown: String,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// BLAKE3 of what it holds, hexadecimal.
    pub digest: String,
}

impl Loaded {
    pub(crate) fn new(name: String, shown: String, bytes: Vec<u8>) -> Self {
        let digest = blake3::hash(&bytes).to_hex().to_string();
        Self {
            name,
            shown,
            bytes,
            digest,
        }
    }
}

/// Reads the record of a run directory.
///
/// # Errors
/// The file cannot be read, is too large, or lies outside the content root.
pub fn record(directory: &RunDirectory, limits: &Limits) -> Result<Loaded, Diagnostic> {
    let name = run_record::FILE_NAME;
    let shown = format!("{}/{name}", directory.shown);
    let bytes = read(
        &directory.root,
        &directory.path.join(name),
        &shown,
        limits.file,
    )?;
    let bytes = bytes.ok_or_else(|| unreadable(&shown, "it is not there any more"))?;
    Ok(Loaded::new(name.to_owned(), shown, bytes))
}

/// Reads a file of prose.
///
/// # Errors
/// The file cannot be read, is too large, or lies outside the content root.
pub fn prose(
    root: &Path,
    path: &Path,
    shown: &str,
    limits: &Limits,
) -> Result<Vec<u8>, Diagnostic> {
    read(root, path, shown, limits.writeup)?
        .ok_or_else(|| unreadable(shown, "it is not there any more"))
}

/// Reads a list of withdrawn runs.
///
/// # Errors
/// The file cannot be read, is too large, or lies outside the content root.
pub fn withdrawn(file: &WithdrawnFile, limits: &Limits) -> Result<Vec<u8>, Diagnostic> {
    read(&file.root, &file.path, &file.shown, limits.file)?
        .ok_or_else(|| unreadable(&file.shown, "it is not there any more"))
}

/// Reads a file of the site that an earlier build made, by its path from that site's root. `Ok(None)`: it is not there.
///
/// # Errors
/// The file cannot be read, is too large, or lies outside the site.
pub fn published(
    site: &Path,
    shown: &str,
    path: &str,
    limits: &Limits,
) -> Result<Option<Vec<u8>>, Diagnostic> {
    let shown = format!("{shown}/{path}");
    let root = site.canonicalize().unwrap_or_else(|_| site.to_owned());
    read(&root, &site.join(path), &shown, limits.file)
}

/// The files below `folder` of the site's root, sorted by path, as pairs of path (with `/`) and content.
/// A folder that is not there is empty. Links are followed only inside the site's root.
///
/// # Errors
/// A file cannot be read.
pub fn tree(site: &Path, folder: &str) -> Result<Vec<(String, Vec<u8>)>, Diagnostic> {
    let unreadable = |path: &str, reason: &str| {
        codes::TEMPLATE_UNREADABLE.at(
            Place::file(path),
            format!("The file {} cannot be read: {reason}", quoted(path)),
            "Make it a regular file that the build may read, or remove it.",
        )
    };
    let base = site.join(folder);
    if !base.is_dir() {
        return Ok(Vec::new());
    }
    let root = site
        .canonicalize()
        .map_err(|error| unreadable(folder, &error.to_string()))?;
    let mut files = Vec::new();
    // Editors and desktops leave hidden files; only `.well-known` is meant to be published.
    let visible = |entry: &walkdir::DirEntry| {
        entry.depth() == 0
            || entry.file_name() == ".well-known"
            || !entry.file_name().as_encoded_bytes().starts_with(b".")
    };
    for entry in walkdir::WalkDir::new(&base)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(visible)
    {
        let entry = entry.map_err(|error| unreadable(folder, &error.to_string()))?;
        if entry.file_type().is_dir() {
            continue;
        }
        let parts: Option<Vec<&str>> = entry
            .path()
            .strip_prefix(&base)
            .ok()
            .and_then(|path| path.iter().map(|part| part.to_str()).collect());
        let name = parts
            .ok_or_else(|| unreadable(folder, "a name is not UTF-8"))?
            .join("/");
        let shown = format!("{folder}/{name}");
        let bytes = attempt(&root, entry.path(), u64::MAX - 1).map_err(|fault| match fault {
            Fault::Unreadable(reason) => unreadable(&shown, &reason),
            Fault::TooLarge(size) => unreadable(&shown, &format!("it has {size} bytes")),
            Fault::Outside => codes::TEMPLATE_UNREADABLE.at(
                Place::file(&shown),
                format!("The link {} leads out of the site's root", quoted(&shown)),
                "Put the file itself here, or link to a file below the site's root.",
            ),
        })?;
        files.push((name, bytes.unwrap_or_default()));
    }
    Ok(files)
}

/// Name, size and digest of a file.
#[must_use]
pub fn digest(file: &Loaded) -> FileDigest {
    FileDigest {
        path: file.name.clone(),
        bytes: file.bytes.len() as u64,
        blake3: file.digest.clone(),
    }
}
