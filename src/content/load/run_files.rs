//! (edge) Reads the files of a run directory that the site uses, by the role of their names.

use super::file_access::{self, LinkBounds, SizeLimit, too_many_lines, unreadable};
use super::redactions::Redactions;
use super::{LoadedFile, chunks, is_in_run_directory, open};
use crate::discover::RunDirectory;
use base::diagnostics::Diagnostic;
use base::files::{EntryKind, Folder, Tree, TreeEntry};
use formats::config::Limits;
use formats::model::FileDigest;
use formats::model::implementation::FOLDER;
use formats::{
    events, raw, redactions, run_record, sidecar, tape, threads, trace, transcript, writeup,
};
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// The files of a run directory that the site uses.
#[derive(Debug)]
pub struct RunFiles {
    pub directory: RunDirectory,
    /// Size limits of its files.
    pub limits: Limits,
    /// `events.jsonl`
    pub events: Option<LoadedFile>,
    /// Harn tapes and traces, by name.
    pub tapes: Vec<LoadedFile>,
    /// Annotation sidecars, by name.
    pub sidecars: Vec<LoadedFile>,
    /// `writeup.md`
    pub writeup: Option<LoadedFile>,
    /// `transcript.json`
    pub transcript: Option<LoadedFile>,
    /// `annotations.json`
    pub threads: Option<LoadedFile>,
    /// `annotations.actions.jsonl`
    pub thread_actions: Option<LoadedFile>,
    /// Names of files that exist but could not be read; each has its own problem.
    pub unreadable: Vec<String>,
    /// Bytes of the record and of all files above except `raw.jsonl`.
    pub held: u64,
    /// Every co-located file by path, read or only digested.
    pub digests: Vec<FileDigest>,
    pub redactions: Redactions,
}

impl RunFiles {
    /// A run directory of which no file is read yet.
    pub fn new(directory: &RunDirectory, limits: &Limits) -> Self {
        Self {
            directory: directory.clone(),
            limits: *limits,
            events: None,
            tapes: Vec::new(),
            sidecars: Vec::new(),
            writeup: None,
            transcript: None,
            threads: None,
            thread_actions: None,
            unreadable: Vec::new(),
            held: 0,
            digests: Vec::new(),
            redactions: Redactions::default(),
        }
    }

    /// Reads the files with redactions that were not read yet, and searches the others for withheld secrets.
    fn withhold(
        &mut self,
        folder: &Folder,
        record: &LoadedFile,
        read_names: &[String],
    ) -> Vec<Diagnostic> {
        let (directory, limits) = (&self.directory, &self.limits);
        let known = |path: &str| read_names.iter().any(|name| name == path);
        let read_file = |path: &str, held| {
            let shown = format!("{}/{path}", directory.shown);
            read(
                folder,
                path,
                &shown,
                SizeLimit::file(limits).within_run(held, limits),
            )
        };
        let mut problems = (self.redactions).read_referenced(&known, &mut self.held, &read_file);
        // Without its tape, a sidecar has nothing to annotate.
        let redactions = &self.redactions;
        self.sidecars.retain(|sidecar| {
            let tape = sidecar.name.strip_suffix(sidecar::SUFFIX);
            !tape.is_some_and(|tape| redactions.is_whole(tape))
        });
        let searched = self.all().chain([record]);
        let searched = searched
            .filter_map(|file| redactions.find_secret(&file.name, &file.shown, &file.bytes))
            .collect::<Vec<_>>();
        problems.extend(searched);
        problems.extend(redactions.check_list());
        problems
    }

    /// All files in memory except the record.
    fn all(&self) -> impl Iterator<Item = &LoadedFile> {
        let logs = self.events.iter().chain(&self.tapes).chain(&self.sidecars);
        let texts = self.writeup.iter().chain(&self.transcript);
        logs.chain(texts)
            .chain(&self.threads)
            .chain(&self.thread_actions)
    }

    /// Replaces the content of a sidecar, or adds a new sidecar.
    pub fn set_sidecar(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), Diagnostic> {
        let shown = self.shown(name);
        let limits = &self.limits;
        let size = bytes.len() as u64;
        let replaced = self.sidecars.iter().find(|sidecar| sidecar.name == name);
        let held = self.held - replaced.map_or(0, |sidecar| sidecar.bytes.len() as u64);
        let limit = FileRole::Sidecar
            .size_limit(limits)
            .within_run(held, limits);
        let read = chunks::read_whole(bytes.as_slice(), size, limit.bytes, limit.line);
        read.map_err(|fault| fault.to_diagnostic(&shown, limit, RUN_DIRECTORY))?;
        self.held = held + size;
        let loaded = LoadedFile::new(name.to_owned(), shown, bytes);
        self.sidecars.retain(|sidecar| sidecar.name != name);
        self.sidecars.push(loaded);
        self.sidecars.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(())
    }
}

/// Reads all other files of a run directory that the site uses. Unreadable files are reported and skipped.
#[must_use]
pub fn run(
    directory: &RunDirectory,
    record: &LoadedFile,
    limits: &Limits,
) -> (RunFiles, Vec<Diagnostic>) {
    run_with(directory, record, limits, None)
}

/// Like [`run`], with `pending` instead of the bytes of `redactions.jsonl`, if given.
pub fn run_with(
    directory: &RunDirectory,
    record: &LoadedFile,
    limits: &Limits,
    pending: Option<&[u8]>,
) -> (RunFiles, Vec<Diagnostic>) {
    let mut files = RunFiles::new(directory, limits);
    let mut problems = Vec::new();
    files.digests.push(record.file_digest());
    files.held = record.bytes.len() as u64;
    let opened = open(directory).and_then(|folder| {
        let names = names(&folder, directory, &mut problems)?;
        Ok((folder, names))
    });
    let (folder, names) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            problems.push(unreadable(&directory.shown, &error.to_string()));
            return (files, problems);
        }
    };
    problems.extend(crate::names::misspelled_in_run(
        &directory.shown,
        &names,
        |name| role(name).is_some(),
    ));
    let (redactions, invalid) = redactions(&folder, directory, limits, pending);
    files.digests.extend(redactions.digest.clone());
    files.redactions = redactions;
    files.redactions.adopt_values(record);
    if !invalid.is_empty() {
        // The redactions are unknown, so nothing is read.
        problems.extend(invalid);
        files.unreadable = names;
        files.unreadable.retain(|name| role(name).is_some());
        return (files, problems);
    }
    let mut lines = 0;
    let mut read_names = vec![run_record::FILE_NAME.to_owned()];
    for name in names {
        let Some(role) = role(&name).filter(|role| *role != FileRole::Raw) else {
            continue;
        };
        let shown = format!("{}/{name}", directory.shown);
        let limit = role.size_limit(limits).within_run(files.held, limits);
        let bytes = match read(&folder, &name, &shown, limit) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => continue,
            Err(problem) => {
                problems.push(problem);
                files.unreadable.push(name);
                continue;
            }
        };
        read_names.push(name.clone());
        let loaded = match files.redactions.apply(name.clone(), shown, bytes) {
            Ok(Some(loaded)) => loaded,
            Ok(None) => continue,
            Err(problem) => {
                problems.push(problem);
                files.unreadable.push(name);
                continue;
            }
        };
        files.digests.push(loaded.file_digest());
        if role.is_json_lines()
            && let Some(problem) =
                too_many_lines(&loaded.shown, &loaded.bytes, &mut lines, limits.lines)
        {
            problems.push(problem);
            files.unreadable.push(loaded.name);
            continue;
        }
        files.held += loaded.bytes.len() as u64;
        match role {
            FileRole::Events => files.events = Some(loaded),
            FileRole::Tape => files.tapes.push(loaded),
            FileRole::Sidecar => files.sidecars.push(loaded),
            FileRole::Writeup => files.writeup = Some(loaded),
            FileRole::Transcript => files.transcript = Some(loaded),
            FileRole::Threads => files.threads = Some(loaded),
            FileRole::ThreadActions => files.thread_actions = Some(loaded),
            FileRole::Raw => {}
        }
    }
    if !files.redactions.is_empty() {
        problems.extend(files.withhold(&folder, record, &read_names));
    }
    files.digests.sort_by(|a, b| a.path.cmp(&b.path));
    (files, problems)
}

/// Reads the redactions of a run. If there is a problem, no file of the run may be read.
pub(super) fn redactions(
    folder: &Folder,
    directory: &RunDirectory,
    limits: &Limits,
    pending: Option<&[u8]>,
) -> (Redactions, Vec<Diagnostic>) {
    let name = redactions::FILE_NAME;
    let shown = format!("{}/{name}", directory.shown);
    let limit = SizeLimit::document(limits).lines(limits);
    let bytes = match pending {
        Some(bytes) => Ok(Some(bytes.to_vec())),
        None => read(folder, name, &shown, limit),
    };
    Redactions::parse(&shown, bytes)
}

/// Whether a file of this name in a run directory is an event log, a trace or a tape, and so can have annotations.
pub fn is_tape(name: &str) -> bool {
    matches!(role(name), Some(FileRole::Events | FileRole::Tape))
}

/// What the site uses a file of a run directory for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileRole {
    Events,
    Tape,
    Sidecar,
    Writeup,
    Transcript,
    Threads,
    ThreadActions,
    Raw,
}

impl FileRole {
    pub(super) const fn size_limit(self, limits: &Limits) -> SizeLimit {
        match self {
            Self::Writeup => SizeLimit::writeup(limits),
            Self::Events | Self::Tape | Self::Raw => SizeLimit::file(limits).lines(limits),
            Self::Sidecar | Self::ThreadActions => SizeLimit::document(limits).lines(limits),
            Self::Transcript | Self::Threads => SizeLimit::document(limits),
        }
    }

    const fn is_json_lines(self) -> bool {
        matches!(
            self,
            Self::Events | Self::Tape | Self::Sidecar | Self::ThreadActions
        )
    }
}

/// The role of a file by its name; `None` if the site does not use it.
pub(super) fn role(name: &str) -> Option<FileRole> {
    let is_tape = |ending: &&str| name.len() > ending.len() && name.ends_with(*ending);
    Some(match name {
        events::FILE_NAME => FileRole::Events,
        writeup::FILE_NAME => FileRole::Writeup,
        transcript::FILE_NAME => FileRole::Transcript,
        threads::STATE_FILE => FileRole::Threads,
        threads::ACTIONS_FILE => FileRole::ThreadActions,
        raw::FILE_NAME => FileRole::Raw,
        _ if name.ends_with(sidecar::SUFFIX) => FileRole::Sidecar,
        _ if trace::is_trace(name) || tape::EXTENSIONS.iter().any(is_tape) => FileRole::Tape,
        _ => return None,
    })
}

/// Reads a file directly in a run directory. `Ok(None)` if missing.
pub(super) fn read(
    folder: &Folder,
    name: &str,
    shown: &str,
    limit: SizeLimit,
) -> Result<Option<Vec<u8>>, Diagnostic> {
    let bounds = LinkBounds {
        folder: RUN_DIRECTORY,
        allows: &|at| !is_reserved(folder, at),
    };
    file_access::read(folder, Path::new(name), shown, limit, &bounds)
}

/// The folder that links in a run directory must stay in, for messages.
pub(super) const RUN_DIRECTORY: &str = "the run directory";

/// Whether a file of a run directory has its own publishing rules or is never published, so that no link or asset may publish it
/// as something else: a record, a log, a tape, a transcript and the like, payloads of a tape, the working tree, and everything in
/// the directory of another run. Case is ignored, as in some file systems.
pub(super) fn is_reserved(folder: &Folder, at: &Path) -> bool {
    let Some(first) = at.iter().next().and_then(|first| first.to_str()) else {
        return true;
    };
    let first = first.to_lowercase();
    let is_cas = Path::new(&first)
        .extension()
        .is_some_and(|extension| extension == "cas");
    let is_read = first == FOLDER || first == run_record::FILE_NAME || role(&first).is_some();
    is_read || is_cas || is_in_run_directory(folder, at)
}

/// The names in a directory, sorted for reproducible output.
fn names(
    folder: &Folder,
    directory: &RunDirectory,
    problems: &mut Vec<Diagnostic>,
) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in folder.entries()? {
        match entry.name.into_string() {
            Ok(name) => names.push(name),
            Err(name) => {
                let name = name.to_string_lossy();
                if role(&name).is_some() {
                    let shown = format!("{}/{name}", directory.shown);
                    problems.push(unreadable(&shown, "its name is not UTF-8"));
                }
            }
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// The memory that the files of a run will take: the bytes of all files that are read whole, including tape payloads. `raw.jsonl` is
/// read line by line and does not count. Inaccessible files count as 0: reading them reports why.
pub fn memory_size(directory: &Tree) -> u64 {
    let files = directory.entries().iter().map(|found| {
        let name = Path::new(&found.name);
        let is_cas = name.extension().is_some_and(|extension| extension == "cas");
        if is_cas && found.kind == EntryKind::Folder {
            sum(found.below.entries().iter().map(size))
        } else if name
            .to_str()
            .and_then(role)
            .is_some_and(|role| role != FileRole::Raw)
        {
            size(found)
        } else {
            0
        }
    });
    sum(files)
}

/// Bytes of the record in a run directory.
pub fn record_size(directory: &Tree) -> u64 {
    let found = directory.get(OsStr::new(run_record::FILE_NAME));
    found.map_or(0, size)
}

/// The size of a regular file; 0 for a link.
fn size(found: &TreeEntry) -> u64 {
    match found.kind {
        EntryKind::File { .. } => found.stamp.bytes,
        _ => 0,
    }
}

fn sum(mut sizes: impl Iterator<Item = u64>) -> u64 {
    sizes.try_fold(0, u64::checked_add).unwrap_or(u64::MAX)
}
