//! (edge) Reads the files of a run directory that its other files refer to.
//!
//! References in a tape, a transcript or a thread are known only after reading it. [`RunFiles`] reads the files then, and is the
//! only access of [`crate::inspect`] to the disk.

use std::path::Path;

use super::file_access::{LinkBounds, SizeLimit, outside, read, unreadable};
use super::redactions::OriginalFile;
use super::run_files::{self, RUN_DIRECTORY, RunFiles, is_reserved};
use super::{LoadedFile, open};
use base::diagnostics::Diagnostic;
use base::files::{self, Folder};
use formats::model::implementation::FOLDER;
use formats::raw;

impl RunFiles {
    /// Reads a payload from a tape's CAS folder, for a run of which `in_memory` bytes are in memory. `Ok(None)` if missing.
    pub fn payload(
        &self,
        tape: &str,
        hash: &str,
        in_memory: u64,
    ) -> Result<Option<LoadedFile>, Diagnostic> {
        // File names here are BLAKE3 digests only: a tape cannot name a path.
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if hash.len() != 64 || !hash.bytes().all(is_digit) {
            return Ok(None);
        }
        let name = format!("{tape}.cas/{hash}");
        let shown = self.shown(&name);
        if let Some(withheld) = self.redacted(&name) {
            return Ok(Some(withheld));
        }
        let Some((run, _)) = self.folder(&format!("{tape}.cas"))? else {
            return Ok(None);
        };
        let bounds = LinkBounds {
            folder: RUN_DIRECTORY,
            allows: &|at| !is_reserved(&run, at),
        };
        let limit = SizeLimit::document(&self.limits).within_run(in_memory, &self.limits);
        let bytes = read(&run, Path::new(&name), &shown, limit, &bounds)?;
        self.check_secrets(&name, bytes.as_deref().unwrap_or_default())?;
        Ok(bytes.map(|bytes| LoadedFile::new(name, shown, bytes)))
    }

    /// Reads a file below `implementation/`. `Ok(None)` if it is missing or a folder.
    pub fn implementation(&self, path: &str) -> Result<Option<LoadedFile>, Diagnostic> {
        let name = format!("{FOLDER}/{path}");
        let shown = self.shown(&name);
        let Some((_, folder)) = self.folder(FOLDER)? else {
            return Ok(None);
        };
        let bounds = LinkBounds {
            folder: "`implementation/`",
            allows: &|_| true,
        };
        let path = Path::new(path);
        // The path is not a file (formats.md H.5).
        match folder.file(path) {
            Ok(None) | Err(files::OpenError::Dangling) => return Ok(None),
            Ok(Some(opened)) if opened.meta.is_dir() => return Ok(None),
            Ok(Some(opened)) => {
                let at = opened.linked.map_or_else(
                    || name.clone(),
                    |at| format!("{FOLDER}/{}", at.to_string_lossy()),
                );
                if let Some(withheld) = self.redacted(&at) {
                    return Ok(Some(withheld));
                }
            }
            Err(_) => {}
        }
        let limit = SizeLimit::document(&self.limits);
        let bytes = read(&folder, path, &shown, limit, &bounds)?;
        self.check_secrets(&name, bytes.as_deref().unwrap_or_default())?;
        Ok(bytes.map(|bytes| LoadedFile::new(name, shown, bytes)))
    }

    /// The raw log as it is published, without its withheld parts. `Ok(None)` if it is missing or withheld.
    pub fn raw_download(&self) -> Result<Option<LoadedFile>, Diagnostic> {
        let name = raw::FILE_NAME;
        if self.redactions.is_whole(name) {
            return Ok(None);
        }
        let mut loaded = self.redacted(name);
        if loaded.is_none() {
            let bytes = self.read(name, SizeLimit::document(&self.limits))?;
            loaded = bytes.map(|bytes| LoadedFile::new(name.to_owned(), self.shown(name), bytes));
        }
        self.check_secrets(name, loaded.as_ref().map_or(&[][..], |file| &file.bytes))?;
        Ok(loaded)
    }

    /// Reads a file directly in the run directory. `Ok(None)` if it is missing.
    pub(super) fn read(&self, name: &str, limit: SizeLimit) -> Result<Option<Vec<u8>>, Diagnostic> {
        let shown = self.shown(name);
        let folder = open(&self.directory);
        let folder = folder.map_err(|error| unreadable(&shown, &error.to_string()))?;
        run_files::read(&folder, name, &shown, limit)
    }

    /// An error if a file contains a withheld secret.
    pub(super) fn check_secrets(&self, name: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
        let problem = self.redactions.find_secret(name, &self.shown(name), bytes);
        problem.map_or(Ok(()), Err)
    }

    /// A file with redactions, as it is published.
    fn redacted(&self, name: &str) -> Option<LoadedFile> {
        let file = self.redactions.file(name)?;
        Some(LoadedFile {
            digest: file.digest.blake3.clone(),
            recorded: Some(Box::new(OriginalFile {
                bytes: file.digest.bytes,
                ..OriginalFile::default()
            })),
            ..LoadedFile::new(name.to_owned(), self.shown(name), file.bytes.clone())
        })
    }

    /// The path of a file of the directory, for diagnostics.
    pub(super) fn shown(&self, name: &str) -> String {
        format!("{}/{name}", self.directory.shown)
    }

    /// The directory and a folder in it, which must not be a link: it could point to the run directory itself, and so expose its
    /// transcript. `Ok(None)` if missing.
    fn folder(&self, name: &str) -> Result<Option<(Folder, Folder)>, Diagnostic> {
        let failed = |error: &std::io::Error| unreadable(&self.shown(name), &error.to_string());
        let run = open(&self.directory).map_err(|error| failed(&error))?;
        match run.folder(Path::new(name)) {
            Ok(folder) => Ok(Some((run, folder))),
            Err(_) if run.is_link(Path::new(name)) => {
                Err(outside(&self.shown(name), RUN_DIRECTORY))
            }
            Err(error) if files::is_not_found(&error) => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }
}
