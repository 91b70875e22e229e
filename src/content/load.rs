//! (edge) Reads the files of a site: records, prose, lists, templates, and the output of an earlier build. Each is read whole,
//! within limits, and never from outside its root.

mod assets;
mod chunks;
mod file_access;
mod inputs;
mod raw_log;
mod redaction_key;
mod redactions;
mod referenced;
mod run_files;
mod working_tree;

use std::io;
use std::path::{Path, PathBuf};

use crate::discover::{ContentPath, RunDirectory};
use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use base::files::{self, Folder, OpenError};
use formats::config::Limits;
use formats::model::FileDigest;
use formats::{decisions, run_record, withdrawn};

use chunks::LoadError;
use file_access::{LinkBounds, SizeLimit, read, try_read, unreadable};
pub use inputs::{RunInput, inputs, note_digests, same_content, unchanged};
pub use raw_log::RawLog;
pub use redaction_key::{redaction_key, redaction_key_digest};
use redactions::OriginalFile;
pub use redactions::Redactions;
pub use run_files::{RunFiles, is_tape, memory_size, record_size, run, run_with};
pub use working_tree::WorkingFile;

/// A file of a run directory that was read whole.
#[derive(Debug)]
pub struct LoadedFile {
    /// Its name, or its path below the run directory.
    pub name: String,
    /// Its path in diagnostics.
    pub shown: String,
    /// Its content, without withheld parts.
    pub bytes: Vec<u8>,
    /// BLAKE3 of the recorded file, hexadecimal.
    pub digest: String,
    /// The recorded file, if parts of it are withheld.
    pub recorded: Option<Box<OriginalFile>>,
}

impl LoadedFile {
    /// A file with nothing withheld.
    pub fn new(name: String, shown: String, bytes: Vec<u8>) -> Self {
        let digest = blake3::hash(&bytes).to_hex().to_string();
        Self {
            name,
            shown,
            bytes,
            digest,
            recorded: None,
        }
    }

    /// Its name, size and digest.
    pub fn file_digest(&self) -> FileDigest {
        let recorded = self.recorded.as_ref();
        FileDigest {
            path: self.name.clone(),
            bytes: recorded.map_or(self.bytes.len() as u64, |recorded| recorded.bytes),
            blake3: self.digest.clone(),
            published: recorded.map(|_| redactions::published(&self.bytes)),
        }
    }

    /// The content hashes of a partly withheld tape, as it was recorded.
    pub fn recorded_hashes(&self) -> Option<&[String]> {
        self.recorded
            .as_ref()
            .map(|recorded| &*recorded.content_hashes)
    }
}

/// Opens a run directory. No folder between its content root and it may be a link.
pub fn open(directory: &RunDirectory) -> io::Result<Folder> {
    Folder::open(&directory.root)?.folder(directory.below())
}

/// Reads the record of a run directory.
pub fn record(directory: &RunDirectory, limits: &Limits) -> Result<LoadedFile, Diagnostic> {
    record_with(directory, limits, None)
}

/// Like [`record`], with `pending` instead of the bytes of `redactions.jsonl`, if given.
pub fn record_with(
    directory: &RunDirectory,
    limits: &Limits,
    pending: Option<&[u8]>,
) -> Result<LoadedFile, Diagnostic> {
    let name = run_record::FILE_NAME;
    let shown = format!("{}/{name}", directory.shown);
    let folder = open(directory).map_err(|error| unreadable(&shown, &error.to_string()))?;
    let bytes = run_files::read(&folder, name, &shown, SizeLimit::document(limits))?;
    let bytes = bytes.ok_or_else(|| unreadable(&shown, "it no longer exists"))?;
    let (mut redactions, problems) = run_files::redactions(&folder, directory, limits, pending);
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem);
    }
    let gone = unreadable(&shown, "it is withheld");
    redactions.apply(name.to_owned(), shown, bytes)?.ok_or(gone)
}

/// Reads the record of a run directory again. It must still have its digest.
pub fn record_again(
    directory: &RunDirectory,
    limits: &Limits,
    digest: [u8; 32],
) -> Result<LoadedFile, Diagnostic> {
    let loaded = record(directory, limits)?;
    if loaded.digest == blake3::Hash::from_bytes(digest).to_hex().as_str() {
        return Ok(loaded);
    }
    Err(unreadable(&loaded.shown, chunks::CHANGED))
}

/// Reads a prose file.
pub fn prose(file: &ContentPath, limits: &Limits) -> Result<Vec<u8>, Diagnostic> {
    read_content_file(file, SizeLimit::writeup(limits))
}

/// Reads a list about runs, such as that of the withdrawn ones.
pub fn list(file: &ContentPath, limits: &Limits) -> Result<Vec<u8>, Diagnostic> {
    read_content_file(file, SizeLimit::document(limits))
}

/// Reads a file of a content root that belongs to no run. A link may point to other such files, but not into a run directory.
fn read_content_file(file: &ContentPath, limit: SizeLimit) -> Result<Vec<u8>, Diagnostic> {
    let ContentPath { root, shown, .. } = file;
    let failed = |error: io::Error| unreadable(shown, &error.to_string());
    let content = Folder::open(root).map_err(failed)?;
    let bounds = LinkBounds {
        folder: "the content root",
        allows: &|at| {
            let lists = [withdrawn::FILE_NAME, decisions::FILE_NAME];
            !lists.iter().any(|list| at == Path::new(list)) && !is_in_run_directory(&content, at)
        },
    };
    read(&content, file.below(), shown, limit, &bounds)?
        .ok_or_else(|| unreadable(shown, "it no longer exists"))
}

/// Whether any folder between `folder` and a file beneath it is a run directory.
fn is_in_run_directory(folder: &Folder, at: &Path) -> bool {
    let folders = at.ancestors().skip(1);
    let mut below = folders.filter(|folder| !folder.as_os_str().is_empty());
    below.any(|run| folder.has(&run.join(run_record::FILE_NAME)))
}

/// Reads a file of an earlier build's site, by its path from that site's root. `Ok(None)` if missing.
pub fn published(
    site: &Path,
    shown: &str,
    path: &str,
    limits: &Limits,
) -> Result<Option<Vec<u8>>, Diagnostic> {
    let shown = format!("{shown}/{path}");
    let root = match Folder::open(site) {
        Ok(root) => root,
        Err(error) if files::is_not_found(&error) => return Ok(None),
        Err(error) => return Err(unreadable(&shown, &error.to_string())),
    };
    let bounds = LinkBounds {
        folder: "the site",
        allows: &|_| true,
    };
    let limit = SizeLimit::file(limits);
    read(&root, Path::new(path), &shown, limit, &bounds)
}

/// The files below `folder` of the site's root as pairs of path (with `/`) and content, sorted by path. A missing folder is
/// empty. Links are followed only inside the site's root, but not to hidden files or into run directories. If the folder itself
/// is a link, the publisher put it there, so it is trusted, and its links stay inside its target.
pub fn files_below(site: &Path, folder: &str) -> Result<Vec<(String, Vec<u8>)>, Diagnostic> {
    let unreadable = |path: &str, reason: &str| {
        codes::TEMPLATE_UNREADABLE.at(
            Place::file(path),
            format!("The file {} cannot be read: {reason}", quoted(path)),
            "Replace it with a regular, readable file, or remove it.",
        )
    };
    let base = site.join(folder);
    if !base.is_dir() {
        return Ok(Vec::new());
    }
    let (root, prefix) = if base.is_symlink() {
        (&*base, PathBuf::new())
    } else {
        (site, PathBuf::from(folder))
    };
    let root = Folder::open(root).map_err(|error| unreadable(folder, &error.to_string()))?;
    let mut files = Vec::new();
    // Editors and desktops leave hidden files; only `.well-known` is published.
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
        let all = SizeLimit::new(u64::MAX, "file");
        let allows = |at: &Path| !is_in_run_directory(&root, at);
        let read = try_read(&root, &prefix.join(&name), all, &allows);
        let bytes = read.map_err(|error| {
            let (leads, help) = match error {
                LoadError::Outside => (
                    "outside the root of the site",
                    "link to a file inside the root of the site.",
                ),
                LoadError::Withheld => (
                    "at a hidden file or into a run directory",
                    "link to a file that is not hidden and not in a run directory.",
                ),
                LoadError::Unreadable(reason) => return unreadable(&shown, &reason),
                LoadError::Dangling => return unreadable(&shown, &OpenError::Dangling.reason()),
                LoadError::TooLarge(_) | LoadError::LongLine(_) => {
                    return unreadable(&shown, "it is too large");
                }
            };
            codes::TEMPLATE_UNREADABLE.at(
                Place::file(&shown),
                format!("The link {} points {leads}", quoted(&shown)),
                format!("Replace the link with the file, or {help}"),
            )
        })?;
        files.push((name, bytes.unwrap_or_default()));
    }
    Ok(files)
}
