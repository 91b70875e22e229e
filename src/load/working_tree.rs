//! [edge in] Knows which files below `implementation/` of a run can be published, and reads them piece by piece: a working tree
//! may be large, and none of it is held.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Take};

use walkdir::{DirEntry, WalkDir};

use super::confined::{too_large, unreadable};
use crate::config::Limits;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::text::quoted;
use crate::discover::RunDirectory;
use crate::model::FileDigest;
use crate::model::implementation::{self, FOLDER, LeftOut};

/// What stands below `implementation/`, before any of it is read.
#[derive(Debug, Default)]
pub struct WorkingTree {
    /// The files, sorted by path.
    pub files: Vec<WorkingFile>,
    /// What is never published.
    pub left_out: LeftOut,
}

/// A regular file below `implementation/`.
#[derive(Debug)]
pub struct WorkingFile {
    /// Its path from the run directory.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether its owner may execute it.
    pub executable: bool,
}

/// Looks through the working tree of a run, and reads none of its files. What cannot be read and what is too large is
/// reported and left out.
#[must_use]
pub fn working_tree(directory: &RunDirectory, limits: &Limits) -> (WorkingTree, Vec<Diagnostic>) {
    let mut tree = WorkingTree::default();
    let mut problems = Vec::new();
    let folder = directory.path.join(FOLDER);
    match folder.symlink_metadata() {
        // It could lead anywhere.
        Ok(meta) if meta.is_symlink() => tree.left_out.links += 1,
        Ok(meta) if meta.is_dir() => tree.walk(directory, limits, &mut problems),
        // As `load::run` does, files of other kinds under this name are left alone.
        _ => {}
    }
    tree.files.sort_by(|a, b| a.path.cmp(&b.path));
    (tree, problems)
}

impl WorkingTree {
    fn walk(&mut self, directory: &RunDirectory, limits: &Limits, problems: &mut Vec<Diagnostic>) {
        let mut walk = WalkDir::new(directory.path.join(FOLDER))
            .min_depth(1)
            .follow_links(false)
            .into_iter();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let path = error.path().and_then(|path| below(directory, path));
                    let path = path.unwrap_or_else(|| FOLDER.to_owned());
                    let reason = error
                        .io_error()
                        .map_or_else(|| error.to_string(), ToString::to_string);
                    problems.push(unreadable(&shown(directory, &path), &reason));
                    continue;
                }
            };
            let is_folder = entry.file_type().is_dir();
            if let Some(count) = count_of(&mut self.left_out, &entry) {
                *count += 1;
                if is_folder {
                    walk.skip_current_dir();
                }
                continue;
            }
            if is_folder {
                continue;
            }
            // Every name on the way was looked at before.
            let Some(path) = below(directory, entry.path()) else {
                continue;
            };
            match entry.metadata() {
                Ok(meta) if meta.len() > limits.file => {
                    let shown = shown(directory, &path);
                    problems.push(too_large(&shown, meta.len(), limits.file));
                }
                Ok(meta) => self.files.push(WorkingFile {
                    path,
                    bytes: meta.len(),
                    executable: is_executable(&meta),
                }),
                Err(error) => {
                    problems.push(unreadable(&shown(directory, &path), &error.to_string()));
                }
            }
        }
    }
}

/// Where an entry is counted that is left out.
fn count_of<'a>(left_out: &'a mut LeftOut, entry: &DirEntry) -> Option<&'a mut usize> {
    let kind = entry.file_type();
    let name = entry.file_name();
    // A backslash is a part of a name on one system, and leads somewhere else on another that unpacks it.
    let is_plain = |name: &str| !name.contains(|c: char| c == '\\' || c.is_control());
    if name.as_encoded_bytes().starts_with(b".") {
        Some(&mut left_out.hidden)
    } else if kind.is_symlink() {
        Some(&mut left_out.links)
    } else if !kind.is_dir() && !kind.is_file() {
        Some(&mut left_out.others)
    } else if !name.to_str().is_some_and(is_plain) {
        Some(&mut left_out.names)
    } else {
        None
    }
}

/// Reads a file of the working tree for its digest.
///
/// # Errors
/// The file cannot be read, or has another size by now.
pub fn working_digest(
    directory: &RunDirectory,
    file: WorkingFile,
) -> Result<implementation::File, Diagnostic> {
    let failed = |error: &io::Error| unreadable(&shown(directory, &file.path), &error.to_string());
    let opened = open(directory, &file.path).map_err(|error| failed(&error))?;
    let mut hasher = blake3::Hasher::new();
    // One byte more shows a file that has grown.
    hasher
        .update_reader(opened.take(file.bytes.saturating_add(1)))
        .map_err(|error| failed(&error))?;
    if hasher.count() != file.bytes {
        return Err(failed(&changed()));
    }
    Ok(implementation::File {
        digest: FileDigest {
            path: file.path,
            bytes: file.bytes,
            blake3: hasher.finalize().to_hex().to_string(),
        },
        executable: file.executable,
    })
}

/// A file of the working tree that is read once more, as it was when its digest was taken.
#[derive(Debug)]
pub struct WorkingReader<'a> {
    directory: &'a RunDirectory,
    expected: &'a FileDigest,
    file: Take<File>,
    hasher: blake3::Hasher,
}

impl<'a> WorkingReader<'a> {
    /// Opens the file.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(directory: &'a RunDirectory, expected: &'a FileDigest) -> Result<Self, Diagnostic> {
        let file = open(directory, &expected.path)
            .map_err(|error| unreadable(&shown(directory, &expected.path), &error.to_string()))?;
        Ok(Self {
            directory,
            expected,
            file: file.take(expected.bytes),
            hasher: blake3::Hasher::new(),
        })
    }

    /// Says whether what was read is what the digest was taken of.
    ///
    /// # Errors
    /// The file was changed meanwhile.
    pub fn finish(self) -> Result<(), Diagnostic> {
        if self.hasher.finalize().to_hex().as_str() == self.expected.blake3 {
            return Ok(());
        }
        let shown = shown(self.directory, &self.expected.path);
        Err(unreadable(&shown, &changed().to_string()))
    }
}

impl Read for WorkingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer).map_err(|error| {
            let path = quoted(&self.expected.path);
            io::Error::new(error.kind(), format!("{path} cannot be read: {error}"))
        })?;
        self.hasher.update(&buffer[..count]);
        Ok(count)
    }
}

/// Opens what was a regular file when the folder was looked through.
fn open(directory: &RunDirectory, path: &str) -> io::Result<File> {
    let path = directory.path.join(path);
    // Opening a pipe would wait for ever, and a link could lead anywhere.
    if !fs::symlink_metadata(&path)?.is_file() {
        return Err(changed());
    }
    File::open(path)
}

fn changed() -> io::Error {
    io::Error::other("it was changed while it was read")
}

/// A path from the run directory, with `/`.
fn below(directory: &RunDirectory, path: &std::path::Path) -> Option<String> {
    let below = path.strip_prefix(&directory.path).ok()?;
    let parts: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

fn shown(directory: &RunDirectory, path: &str) -> String {
    format!("{}/{path}", directory.shown)
}

#[cfg(unix)]
fn is_executable(meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    meta.mode() & 0o100 != 0
}

#[cfg(not(unix))]
const fn is_executable(_: &Metadata) -> bool {
    false
}
