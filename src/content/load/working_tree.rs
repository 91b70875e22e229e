//! (edge) Finds publishable files below `implementation/` of a run, and reads them in chunks: a working tree may be large, and
//! is never in memory as a whole.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::chunks::{CHANGED, FileReader};
use super::file_access::{SizeLimit, too_large, unreadable};
use super::open as open_run;
use super::run_files::RunFiles;
use base::diagnostics::Diagnostic;
use base::files::{EntryKind, Folder, FolderEntry, OpenError};
use formats::model::FileDigest;
use formats::model::implementation::{self, FOLDER, OmissionCounts};

/// The listing of `implementation/`, before any file is read.
#[derive(Debug, Default)]
pub struct WorkingTree {
    /// The files, sorted by path.
    pub files: Vec<WorkingFile>,
    /// Counts of entries that are never published.
    pub left_out: OmissionCounts,
}

/// A regular file below `implementation/`.
#[derive(Debug)]
pub struct WorkingFile {
    /// Its path from the run directory.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether its owner can execute it.
    pub executable: bool,
}

/// Maximum path length, as on Linux, so that nested folders come to an end.
const LONGEST: usize = 4096;

impl WorkingTree {
    fn walk(&mut self, run: &Folder, files: &RunFiles, problems: &mut Vec<Diagnostic>) {
        let mut pending = vec![FOLDER.to_owned()];
        while let Some(path) = pending.pop() {
            let entries = if path.len() > LONGEST {
                Err(io::ErrorKind::InvalidFilename.into())
            } else {
                run.folder(Path::new(&path))
                    .and_then(|folder| folder.entries())
            };
            let entries = entries.unwrap_or_else(|error| {
                problems.push(unreadable(&files.shown(&path), &error.to_string()));
                Vec::new()
            });
            for entry in entries {
                let name = match published_name(&mut self.left_out, &entry) {
                    Ok(name) => name,
                    Err(count) => {
                        *count += 1;
                        continue;
                    }
                };
                let path = format!("{path}/{name}");
                let bytes = entry.stamp.bytes;
                match entry.kind {
                    EntryKind::File { .. } if bytes > files.limits.file => {
                        let limit = SizeLimit::file(&files.limits);
                        problems.push(too_large(&files.shown(&path), bytes, limit));
                    }
                    EntryKind::File { executable } => self.files.push(WorkingFile {
                        path,
                        bytes,
                        executable,
                    }),
                    _ => pending.push(path),
                }
            }
        }
    }
}

/// The name of an entry that is published, or else the counter for its exclusion.
fn published_name<'a, 'e>(
    left_out: &'a mut OmissionCounts,
    entry: &'e FolderEntry,
) -> Result<&'e str, &'a mut usize> {
    // A backslash is part of a name on one system, and a separator on another that unpacks the archive.
    let is_plain = |name: &&str| !name.contains(|c: char| c == '\\' || c.is_control());
    match entry.kind {
        _ if entry.name.as_encoded_bytes().starts_with(b".") => Err(&mut left_out.hidden),
        EntryKind::Link => Err(&mut left_out.links),
        EntryKind::Other => Err(&mut left_out.others),
        EntryKind::Folder | EntryKind::UnlistableFolder | EntryKind::File { .. } => entry
            .name
            .to_str()
            .filter(is_plain)
            .ok_or(&mut left_out.names),
    }
}

impl RunFiles {
    /// Lists the working tree without reading its files. Unreadable and too large entries are reported and skipped.
    #[must_use]
    pub fn working_tree(&self) -> (WorkingTree, Vec<Diagnostic>) {
        let mut tree = WorkingTree::default();
        let mut problems = Vec::new();
        let run = match open_run(&self.directory) {
            Ok(run) => run,
            Err(error) => {
                problems.push(unreadable(&self.directory.shown, &error.to_string()));
                return (tree, problems);
            }
        };
        if run.is_link(Path::new(FOLDER)) {
            // Its target could be anywhere.
            tree.left_out.links += 1;
        } else if run.folder(Path::new(FOLDER)).is_ok() {
            tree.walk(&run, self, &mut problems);
        }
        (tree.files).retain(|file| !self.redactions.is_whole(&file.path));
        // Other types of files under this name are ignored, as in `load::run`.
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        (tree, problems)
    }

    /// Reads a file of the working tree for its digest.
    pub fn working_digest(
        &self,
        file: WorkingFile,
    ) -> Result<implementation::ImplementationFile, Diagnostic> {
        let failed = |reason: &str| unreadable(&self.shown(&file.path), reason);
        if let Some(withheld) = self.redactions.file(&file.path) {
            return Ok(implementation::ImplementationFile {
                digest: withheld.digest.clone(),
                executable: file.executable,
            });
        }
        if self.redactions.has_secrets() {
            let mut bytes = Vec::new();
            let mut opened = self.working_file(&file.path)?.take(file.bytes);
            let read = opened.read_to_end(&mut bytes);
            read.map_err(|error| failed(&error.to_string()))?;
            self.check_secrets(&file.path, &bytes)?;
        }
        let mut hasher = blake3::Hasher::new();
        // One more byte detects a file that has grown.
        let read = self
            .working_file(&file.path)?
            .take(file.bytes.saturating_add(1));
        hasher
            .update_reader(read)
            .map_err(|error| failed(&error.to_string()))?;
        if hasher.count() != file.bytes {
            return Err(failed(CHANGED));
        }
        Ok(implementation::ImplementationFile {
            digest: FileDigest {
                path: file.path,
                bytes: file.bytes,
                blake3: hasher.finalize().to_hex().to_string(),
                published: None,
            },
            executable: file.executable,
        })
    }

    /// Opens a file of the working tree again, to copy it unchanged.
    pub fn working_reader<'a>(
        &'a self,
        expected: &'a FileDigest,
    ) -> Result<FileReader<'a>, Diagnostic> {
        let changed = unreadable(&self.shown(&expected.path), CHANGED);
        if let Some(withheld) = self.redactions.file(&expected.path) {
            return Ok(FileReader::new(&*withheld.bytes, expected, changed));
        }
        let file = self.working_file(&expected.path)?;
        Ok(FileReader::new(file, expected, changed))
    }

    /// Opens a file that was a regular file when the folder was listed.
    fn working_file(&self, path: &str) -> Result<File, Diagnostic> {
        let failed = |reason: &str| unreadable(&self.shown(path), reason);
        let run = open_run(&self.directory).map_err(|error| failed(&error.to_string()))?;
        match run.file(Path::new(path)) {
            Ok(Some(opened)) if opened.linked.is_none() && opened.meta.is_file() => Ok(opened.file),
            Err(OpenError::Io(error)) => Err(failed(&error.to_string())),
            _ => Err(failed(CHANGED)),
        }
    }
}
