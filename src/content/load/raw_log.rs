//! (edge) Reads the raw log of a run line by line: it may be far larger than all other files, and is never in memory as a whole. One
//! pass counts its lines and translates them for the audit, which compares files as they were recorded, without redactions.

use std::io::{self, Read};
use std::path::Path;

use base::diagnostics::Diagnostic;
use formats::audit::{self, Audit, Derivation};
use formats::model::FileDigest;
use formats::replay::{Harness, RawRow};
use formats::{events, jsonl, raw};
use jsonl::Line;

use super::chunks::{self, LoadError};
use super::file_access::{self, unreadable};
use super::open;
use super::run_files::{FileRole, RUN_DIRECTORY, RunFiles, is_reserved};

/// A raw log.
#[derive(Debug)]
pub struct RawLog {
    /// Counts of its lines.
    pub counted: raw::RawCounts,
    /// Problems in its lines.
    pub problems: Vec<Diagnostic>,
    /// The recorded file.
    pub digest: FileDigest,
    /// The events that it translates to, for the audit.
    derived: Option<Derivation>,
}

impl RunFiles {
    /// Reads the raw log, and translates it by the rules of a harness. `Ok(None)` if it is missing.
    pub fn raw_log(&self, harness: Option<Harness>) -> Result<Option<RawLog>, Diagnostic> {
        let mut derived = harness.map(Derivation::new);
        let shown = self.shown(raw::FILE_NAME);
        let mut reader = raw::RawLogReader::default();
        let digest = self.raw_lines(|line| {
            let printed = reader.line(&shown, &line);
            if let Some(derived) = &mut derived {
                let row = printed.map(|printed| printed.row());
                derived.row(line.number, row.as_ref());
            }
        })?;
        let Some(digest) = digest else {
            return Ok(None);
        };
        let redacted = self.redactions.file(raw::FILE_NAME);
        let redacted = redacted.filter(|file| !file.whole);
        let digest = redacted.map_or(digest, |file| file.digest.clone());
        let (counted, problems) = reader.finish(&shown);
        Ok(Some(RawLog {
            counted,
            problems,
            digest,
            derived,
        }))
    }

    /// Compares the event log with the raw log. `Ok(None)` if no rules are known for it, or the event log cannot be read.
    pub fn audit(&self, raw_log: &mut RawLog) -> Result<Option<Audit>, Diagnostic> {
        let name = events::FILE_NAME;
        let is_unreadable = self.unreadable.iter().any(|it| it == name);
        let derived = raw_log.derived.take().filter(|_| !is_unreadable);
        let Some(derived) = derived else {
            return Ok(None);
        };
        let again;
        let log = match &self.events {
            Some(log) if log.recorded.is_none() => Some(&*log.bytes),
            _ => {
                again = self.read(name, FileRole::Events.size_limit(&self.limits))?;
                again.as_deref()
            }
        };
        let audit = audit::audit(derived, log, |each| self.raw_rows(each));
        audit.map(Some)
    }

    /// Reads the rows of the raw log, each with the number of its line; `None` is a row that cannot be read.
    fn raw_rows(&self, each: &mut dyn FnMut(u32, Option<&RawRow>)) -> Result<(), Diagnostic> {
        let mut reader = raw::RawLogReader::default();
        let shown = self.shown(raw::FILE_NAME);
        let read = self.raw_lines(|line| {
            let row = reader.line(&shown, &line).map(|printed| printed.row());
            each(line.number, row.as_ref());
        });
        read.map(|_| ())
    }

    /// Reads the lines of the raw log. `Ok(None)` if it is missing.
    pub fn raw_lines(
        &self,
        mut each: impl FnMut(Line<'_>),
    ) -> Result<Option<FileDigest>, Diagnostic> {
        let shown = self.shown(raw::FILE_NAME);
        let limit = FileRole::Raw.size_limit(&self.limits);
        let failed = |fault: LoadError| fault.to_diagnostic(&shown, limit, RUN_DIRECTORY);
        let folder = open(&self.directory);
        let folder = folder.map_err(|error| unreadable(&shown, &error.to_string()))?;
        let allows = |at: &Path| !is_reserved(&folder, at);
        let opened = file_access::open(&folder, Path::new(raw::FILE_NAME), limit, &allows);
        let Some(opened) = opened.map_err(failed)? else {
            return Ok(None);
        };
        let mut reader = HashingReader {
            // One more byte detects a file that has grown.
            file: opened.file.take(limit.bytes.saturating_add(1)),
            hasher: blake3::Hasher::new(),
        };
        let line = limit.line.unwrap_or(u64::MAX);
        let read = chunks::for_each_line(&mut reader, line, |number, bytes| {
            jsonl::line(number, bytes).into_iter().for_each(&mut each);
        });
        read.map_err(failed)?;
        let bytes = reader.hasher.count();
        if bytes > limit.bytes {
            return Err(failed(LoadError::TooLarge(bytes)));
        }
        Ok(Some(FileDigest {
            path: raw::FILE_NAME.to_owned(),
            bytes,
            blake3: reader.hasher.finalize().to_hex().to_string(),
            published: None,
        }))
    }
}

/// A reader that hashes all bytes that it reads.
struct HashingReader<R> {
    file: R,
    hasher: blake3::Hasher,
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        Ok(count)
    }
}
