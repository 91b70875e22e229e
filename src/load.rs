//! [edge in] How to read the files of a site: records, prose, lists, templates, and what an earlier build published.
//! Each is read whole, within limits, never from outside its root.

mod again;
mod assets;
mod beside;
mod confined;
mod fault;
mod inputs;
mod pieces;
mod redaction_key;
mod redactions;
mod run_files;
mod weight;
mod working_tree;

use std::io;
use std::path::{Path, PathBuf};

use crate::beneath::{self, Folder};
use crate::config::Limits;
use crate::diagnostics::text::quoted;
use crate::diagnostics::{Diagnostic, Place, codes};
use crate::discover::{ContentPath, RunDirectory};
use crate::formats::{run_record, withdrawn as list};
use crate::model::FileDigest;

pub use beside::Beside;
use confined::{Bounds, SizeLimit, attempt, read, unreadable};
use fault::Fault;
pub(crate) use inputs::{Input, inputs, looks_alike, note_digests, unchanged};
pub use redaction_key::{redaction_key, redaction_key_digest};
use redactions::Recorded;
pub use redactions::Redactions;
pub(crate) use run_files::run_with;
pub use run_files::{RunFiles, is_tape, run};
pub(crate) use weight::{record_size, weight};
pub use working_tree::WorkingFile;

/// A file of a run directory.
#[derive(Debug)]
pub struct Loaded {
    /// Its name, or its path below the run directory.
    pub name: String,
    /// Its path in diagnostics.
    pub shown: String,
    /// What it holds, without what is withheld.
    pub bytes: Vec<u8>,
    /// BLAKE3 of the file as it was recorded, hexadecimal.
    pub digest: String,
    /// What it was, where parts of it are withheld.
    pub(crate) recorded: Option<Box<Recorded>>,
}

impl Loaded {
    /// A file of which nothing is withheld.
    #[must_use]
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

    /// The content hashes of a tape of which parts are withheld: those of the tape as it was recorded.
    pub(crate) fn recorded_hashes(&self) -> Option<&[String]> {
        self.recorded
            .as_ref()
            .map(|recorded| &*recorded.content_hashes)
    }
}

/// Opens a run directory. No folder on the way from its content root may be a link.
///
/// # Errors
/// It is not there any more.
pub(crate) fn open(directory: &RunDirectory) -> io::Result<Folder> {
    let below = directory.path.strip_prefix(&directory.root);
    Folder::open(&directory.root)?.folder(below.unwrap_or(&directory.path))
}

/// Reads the record of a run directory.
///
/// # Errors
/// The file cannot be read, is too large, or is a link that it may not be.
pub fn record(directory: &RunDirectory, limits: &Limits) -> Result<Loaded, Diagnostic> {
    record_with(directory, limits, None)
}

/// The same with these bytes as `redactions.jsonl`, if there are any.
///
/// # Errors
/// As [`record`].
pub(crate) fn record_with(
    directory: &RunDirectory,
    limits: &Limits,
    pending: Option<&[u8]>,
) -> Result<Loaded, Diagnostic> {
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
    redactions
        .loaded(name.to_owned(), shown, bytes)?
        .ok_or(gone)
}

/// Reads the record of a run directory once more, as it was when its digest was taken.
///
/// # Errors
/// As [`record`], and when it was changed meanwhile.
pub(crate) fn record_again(
    directory: &RunDirectory,
    limits: &Limits,
    digest: [u8; 32],
) -> Result<Loaded, Diagnostic> {
    let loaded = record(directory, limits)?;
    if loaded.digest == blake3::Hash::from_bytes(digest).to_hex().as_str() {
        return Ok(loaded);
    }
    Err(unreadable(&loaded.shown, fault::CHANGED))
}

/// Reads a file of prose.
///
/// # Errors
/// The file cannot be read, is too large, or is a link that it may not be.
pub fn prose(file: &ContentPath, limits: &Limits) -> Result<Vec<u8>, Diagnostic> {
    of_the_content(file, SizeLimit::writeup(limits))
}

/// Reads a list of withdrawn runs.
///
/// # Errors
/// The file cannot be read, is too large, or is a link that it may not be.
pub fn withdrawn(file: &ContentPath, limits: &Limits) -> Result<Vec<u8>, Diagnostic> {
    of_the_content(file, SizeLimit::document(limits))
}

/// Reads a file of a content root that belongs to no run. A link may lead to other such files, and into no run directory.
fn of_the_content(file: &ContentPath, most: SizeLimit) -> Result<Vec<u8>, Diagnostic> {
    let ContentPath { path, root, shown } = file;
    let failed = |error: io::Error| unreadable(shown, &error.to_string());
    let content = Folder::open(root).map_err(failed)?;
    let bounds = Bounds {
        folder: "the content root",
        allows: &|at| at != Path::new(list::FILE_NAME) && !is_in_a_run(&content, at),
    };
    let below = path.strip_prefix(root).unwrap_or(path);
    read(&content, below, shown, most, &bounds)?
        .ok_or_else(|| unreadable(shown, "it no longer exists"))
}

/// Whether a folder between `folder` and a file beneath it is a run directory.
fn is_in_a_run(folder: &Folder, at: &Path) -> bool {
    let folders = at.ancestors().skip(1);
    let mut below = folders.filter(|folder| !folder.as_os_str().is_empty());
    below.any(|run| folder.has(&run.join(run_record::FILE_NAME)))
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
    let root = match Folder::open(site) {
        Ok(root) => root,
        Err(error) if beneath::is_gone(&error) => return Ok(None),
        Err(error) => return Err(unreadable(&shown, &error.to_string())),
    };
    let bounds = Bounds {
        folder: "the site",
        allows: &|_| true,
    };
    let most = SizeLimit::file(limits);
    read(&root, Path::new(path), &shown, most, &bounds)
}

/// The files below `folder` of the site's root, sorted by path, as pairs of path (with `/`) and content.
/// A folder that is not there is empty. Links are followed only inside the site's root, to nothing hidden and into no run
/// directory. A folder that is itself a link is trusted: whoever publishes put it there, and its links stay inside what it leads to.
///
/// # Errors
/// A file cannot be read.
pub fn tree(site: &Path, folder: &str) -> Result<Vec<(String, Vec<u8>)>, Diagnostic> {
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
        let all = SizeLimit::new(u64::MAX, "file");
        let allows = |at: &Path| !is_in_a_run(&root, at);
        let read = attempt(&root, &prefix.join(&name), all, &allows);
        let bytes = read.map_err(|fault| {
            let (leads, help) = match fault {
                Fault::Outside => (
                    "outside the root of the site",
                    "link to a file inside the root of the site.",
                ),
                Fault::Withheld => (
                    "at a hidden file or into a run directory",
                    "link to a file that is not hidden and not in a run directory.",
                ),
                Fault::Unreadable(reason) => return unreadable(&shown, &reason),
                Fault::Dangling => return unreadable(&shown, &beneath::Fault::Dangling.reason()),
                Fault::TooLarge(_) | Fault::LongLine(_) => {
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
