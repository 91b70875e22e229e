//! [edge in] Knows which files below `implementation/` of a run can be published, and reads them piece by piece: a working tree
//! may be large, and none of it is held.

use std::fs::File;
use std::io::{self, Read, Take};
use std::path::Path;

use super::confined::{SizeLimit, too_large, unreadable};
use super::open as open_run;
use crate::beneath::{Entry, Fault, Folder, Kind};
use crate::config::Limits;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::text::quoted;
use crate::discover::RunDirectory;
use crate::model::FileDigest;
use crate::model::implementation::{self, FOLDER, Omitted};

/// What is below `implementation/`, before any of it is read.
#[derive(Debug, Default)]
pub struct WorkingTree {
    /// The files, sorted by path.
    pub files: Vec<WorkingFile>,
    /// What is never published.
    pub left_out: Omitted,
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
    let run = match open_run(directory) {
        Ok(run) => run,
        Err(error) => {
            problems.push(unreadable(&directory.shown, &error.to_string()));
            return (tree, problems);
        }
    };
    if run.is_link(Path::new(FOLDER)) {
        // It could lead anywhere.
        tree.left_out.links += 1;
    } else if run.folder(Path::new(FOLDER)).is_ok() {
        tree.walk(&run, directory, limits, &mut problems);
    }
    // As `load::run` does, files of other kinds under this name are left alone.
    tree.files.sort_by(|a, b| a.path.cmp(&b.path));
    (tree, problems)
}

/// As long as a path may be on Linux, so that folders in folders come to an end.
const LONGEST: usize = 4096;

impl WorkingTree {
    fn walk(
        &mut self,
        run: &Folder,
        directory: &RunDirectory,
        limits: &Limits,
        problems: &mut Vec<Diagnostic>,
    ) {
        let mut ahead = vec![FOLDER.to_owned()];
        while let Some(path) = ahead.pop() {
            let entries = if path.len() > LONGEST {
                Err(io::ErrorKind::InvalidFilename.into())
            } else {
                run.folder(Path::new(&path))
                    .and_then(|folder| folder.entries())
            };
            let entries = entries.unwrap_or_else(|error| {
                problems.push(unreadable(&shown(directory, &path), &error.to_string()));
                Vec::new()
            });
            for entry in entries {
                let name = match left_out_or_name(&mut self.left_out, &entry) {
                    Ok(name) => name,
                    Err(count) => {
                        *count += 1;
                        continue;
                    }
                };
                let path = format!("{path}/{name}");
                match entry.kind {
                    Kind::File { bytes, .. } if bytes > limits.file => {
                        let shown = shown(directory, &path);
                        problems.push(too_large(&shown, bytes, SizeLimit::file(limits)));
                    }
                    Kind::File { bytes, executable } => self.files.push(WorkingFile {
                        path,
                        bytes,
                        executable,
                    }),
                    _ => ahead.push(path),
                }
            }
        }
    }
}

/// The name of a file or folder that is published, or where an entry is counted that is left out.
fn left_out_or_name<'a, 'e>(
    left_out: &'a mut Omitted,
    entry: &'e Entry,
) -> Result<&'e str, &'a mut usize> {
    // A backslash is a part of a name on one system, and leads somewhere else on another that unpacks it.
    let is_plain = |name: &&str| !name.contains(|c: char| c == '\\' || c.is_control());
    match entry.kind {
        _ if entry.name.as_encoded_bytes().starts_with(b".") => Err(&mut left_out.hidden),
        Kind::Link => Err(&mut left_out.links),
        Kind::Other => Err(&mut left_out.others),
        Kind::Folder | Kind::File { .. } => entry
            .name
            .to_str()
            .filter(is_plain)
            .ok_or(&mut left_out.names),
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
    match open_run(directory)?.file(Path::new(path)) {
        Ok(Some(opened)) if opened.linked.is_none() && opened.meta.is_file() => Ok(opened.file),
        Err(Fault::Io(error)) => Err(error),
        _ => Err(changed()),
    }
}

fn changed() -> io::Error {
    io::Error::other("it changed while it was being read")
}

fn shown(directory: &RunDirectory, path: &str) -> String {
    format!("{}/{path}", directory.shown)
}
