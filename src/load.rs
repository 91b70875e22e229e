//! [edge in] Knows how to read the files of one run directory: whole, within limits, never outside the content root.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::config::Limits;
use crate::diagnostics::text::quoted;
use crate::diagnostics::{Diagnostic, Place, codes};
use crate::discover::{RunDirectory, WithdrawnFile};
use crate::formats::{events, raw, run_record, sidecar, tape, threads, transcript, writeup};
use crate::model::FileDigest;

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

/// The files of a run directory that are read for the site.
#[derive(Debug, Default)]
pub struct RunFiles {
    /// `events.jsonl`
    pub events: Option<Loaded>,
    /// Harn tapes, by name.
    pub tapes: Vec<Loaded>,
    /// Annotation sidecars, by name.
    pub sidecars: Vec<Loaded>,
    /// `writeup.md`
    pub writeup: Option<Loaded>,
    /// `transcript.json`
    pub transcript: Option<Loaded>,
    /// `annotations.json`
    pub threads: Option<Loaded>,
    /// `annotations.actions.jsonl`
    pub thread_actions: Option<Loaded>,
    /// `raw.jsonl`: checked and counted, never published.
    pub raw: Option<Loaded>,
    /// Names of files that are there but could not be read; each has its own problem.
    pub unreadable: Vec<String>,
    /// Every co-located file by path, read or only digested.
    pub digests: Vec<FileDigest>,
}

impl RunFiles {
    /// Puts what a sidecar would hold in the place of what it holds, or adds a sidecar that is not there yet.
    ///
    /// # Errors
    /// It would be larger than the limits allow.
    pub fn set_sidecar(
        &mut self,
        directory: &RunDirectory,
        name: &str,
        bytes: Vec<u8>,
        limits: &Limits,
    ) -> Result<(), Diagnostic> {
        let shown = format!("{}/{name}", directory.shown);
        let size = bytes.len() as u64;
        if size > limits.file {
            return Err(too_large(&shown, size, limits.file));
        }
        let loaded = Loaded::new(name.to_owned(), shown, bytes);
        if let Some(problem) = long_line(&loaded, limits.line) {
            return Err(problem);
        }
        self.sidecars.retain(|sidecar| sidecar.name != name);
        self.sidecars.push(loaded);
        self.sidecars.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(())
    }
}

/// How a run directory looks without reading it: a digest of the names, sizes and times of all its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look([u8; 32]);

/// How a run directory looks now; `None` when that cannot be told, or would not tell everything: what a link leads to may
/// change unseen.
#[must_use]
pub fn look(directory: &RunDirectory) -> Option<Look> {
    let mut hasher = blake3::Hasher::new();
    for entry in walkdir::WalkDir::new(&directory.path).sort_by_file_name() {
        let entry = entry.ok()?;
        let meta = entry.metadata().ok()?;
        if meta.is_symlink() {
            return None;
        }
        let below = entry.path().strip_prefix(&directory.path).ok()?;
        let name = below.as_os_str().as_encoded_bytes();
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name);
        hasher.update(&[u8::from(meta.is_dir())]);
        if !meta.is_dir() {
            hasher.update(format!("{} {}", meta.len(), times(&meta)?).as_bytes());
        }
    }
    Some(Look(*hasher.finalize().as_bytes()))
}

/// When a file was written and, where the system knows, when anything about it changed.
#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "as on other systems")]
fn times(meta: &fs::Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    Some(format!(
        "{} {} {} {} {} {}",
        meta.ino(),
        meta.mode(),
        meta.mtime(),
        meta.mtime_nsec(),
        meta.ctime(),
        meta.ctime_nsec()
    ))
}

#[cfg(not(unix))]
fn times(meta: &fs::Metadata) -> Option<String> {
    Some(format!("{:?}", meta.modified().ok()?))
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

/// Reads everything else that the site shows of a run directory. What cannot be read is reported and left out.
#[must_use]
pub fn run(
    directory: &RunDirectory,
    record: &Loaded,
    limits: &Limits,
) -> (RunFiles, Vec<Diagnostic>) {
    let mut files = RunFiles::default();
    let mut problems = Vec::new();
    files.digests.push(digest(record));
    let names = match names(directory, &mut problems) {
        Ok(names) => names,
        Err(error) => {
            problems.push(unreadable(&directory.shown, &error.to_string()));
            return (files, problems);
        }
    };
    for name in names {
        let Some(role) = role(&name) else { continue };
        let shown = format!("{}/{name}", directory.shown);
        let limit = if role == Role::Writeup {
            limits.writeup
        } else {
            limits.file
        };
        let path = directory.path.join(&name);
        let bytes = match read(&directory.root, &path, &shown, limit) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => continue,
            Err(problem) => {
                problems.push(problem);
                files.unreadable.push(name);
                continue;
            }
        };
        let loaded = Loaded::new(name, shown, bytes);
        files.digests.push(digest(&loaded));
        if role.is_json_lines()
            && let Some(problem) = long_line(&loaded, limits.line)
        {
            problems.push(problem);
            files.unreadable.push(loaded.name);
            continue;
        }
        match role {
            Role::Events => files.events = Some(loaded),
            Role::Tape => files.tapes.push(loaded),
            Role::Sidecar => files.sidecars.push(loaded),
            Role::Writeup => files.writeup = Some(loaded),
            Role::Transcript => files.transcript = Some(loaded),
            Role::Threads => files.threads = Some(loaded),
            Role::ThreadActions => files.thread_actions = Some(loaded),
            Role::Raw => files.raw = Some(loaded),
        }
    }
    files.digests.sort_by(|a, b| a.path.cmp(&b.path));
    (files, problems)
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
    let bytes = read(&root, &target, &place.path, limits.file).map_err(|problem| {
        let mut problem = problem;
        problem.place = place.clone();
        problem
    })?;
    let shown = place.path;
    Ok(bytes.map(|bytes| Loaded::new(path.to_owned(), shown, bytes)))
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
    let folder = first == "implementation" || is_cas;
    folder || first == run_record::FILE_NAME || role(first).is_some()
}

/// Reads a file below `implementation/` of a run. `Ok(None)`: it is not there.
///
/// # Errors
/// The file cannot be read, is too large, or a link leads out of the folder.
pub fn implementation(
    directory: &RunDirectory,
    path: &str,
    limits: &Limits,
) -> Result<Option<Loaded>, Diagnostic> {
    let name = format!("implementation/{path}");
    let shown = format!("{}/{name}", directory.shown);
    let folder = directory.path.join("implementation");
    // The folder itself may not be a link: it could lead to the run directory and so to its transcript.
    if folder
        .symlink_metadata()
        .is_ok_and(|meta| meta.is_symlink())
    {
        return Err(outside(&format!("{}/implementation", directory.shown)));
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
    let bytes = read(&root, &target, &shown, limits.file)?;
    Ok(bytes.map(|bytes| Loaded::new(name, shown, bytes)))
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
        let bytes = read(&root, entry.path(), &shown, u64::MAX - 1)
            .map_err(|problem| unreadable(&shown, &problem.message))?;
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Events,
    Tape,
    Sidecar,
    Writeup,
    Transcript,
    Threads,
    ThreadActions,
    Raw,
}

impl Role {
    const fn is_json_lines(self) -> bool {
        matches!(
            self,
            Self::Events | Self::Tape | Self::Sidecar | Self::ThreadActions
        )
    }
}

fn role(name: &str) -> Option<Role> {
    if name == events::FILE_NAME {
        Some(Role::Events)
    } else if name == writeup::FILE_NAME {
        Some(Role::Writeup)
    } else if name.ends_with(sidecar::SUFFIX) {
        Some(Role::Sidecar)
    } else if tape::EXTENSIONS
        .iter()
        .any(|ext| name.len() > ext.len() && name.ends_with(ext))
    {
        Some(Role::Tape)
    } else if name == transcript::FILE_NAME {
        Some(Role::Transcript)
    } else if name == threads::STATE_FILE {
        Some(Role::Threads)
    } else if name == threads::ACTIONS_FILE {
        Some(Role::ThreadActions)
    } else if name == raw::FILE_NAME {
        Some(Role::Raw)
    } else {
        None
    }
}

/// Whether a file of this name in a run directory is something that annotations can point at.
#[must_use]
pub fn is_tape(name: &str) -> bool {
    matches!(role(name), Some(Role::Events | Role::Tape))
}

/// The names in a directory, sorted, so that the file system's order does not show.
fn names(directory: &RunDirectory, problems: &mut Vec<Diagnostic>) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(&directory.path)? {
        match entry?.file_name().into_string() {
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

fn read(root: &Path, path: &Path, shown: &str, limit: u64) -> Result<Option<Vec<u8>>, Diagnostic> {
    let gone = |error: &std::io::Error| {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        matches!(error.kind(), NotFound | NotADirectory)
    };
    let meta = match path.symlink_metadata() {
        Ok(meta) if !meta.is_symlink() => meta,
        Ok(_) => {
            let target = path
                .canonicalize()
                .map_err(|error| unreadable(shown, &error.to_string()))?;
            if !target.starts_with(root) {
                return Err(outside(shown));
            }
            target
                .metadata()
                .map_err(|error| unreadable(shown, &error.to_string()))?
        }
        Err(error) if gone(&error) => return Ok(None),
        Err(error) => return Err(unreadable(shown, &error.to_string())),
    };
    // Opening a pipe or a device would wait for ever.
    if !meta.is_file() {
        return Err(unreadable(shown, "it is not a regular file"));
    }
    if meta.len() > limit {
        return Err(too_large(shown, meta.len(), limit));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or_default() + 1);
    File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(shown, &error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(too_large(shown, bytes.len() as u64, limit));
    }
    Ok(Some(bytes))
}

fn long_line(file: &Loaded, limit: u64) -> Option<Diagnostic> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if file.bytes.len() <= limit {
        return None;
    }
    let mut start = 0;
    for (end, number) in memchr::memchr_iter(b'\n', &file.bytes)
        .chain([file.bytes.len()])
        .zip(1..)
    {
        if end - start > limit {
            let place = Place {
                line: Some(number),
                column: Some(1),
                ..Place::file(&file.shown)
            };
            return Some(codes::CONTENT_LINE_TOO_LONG.at(
                place,
                format!(
                    "The line is {} bytes long; the limit is {limit}",
                    end - start
                ),
                "Shorten the line, or raise `line` in `[limits]`.",
            ));
        }
        start = end + 1;
    }
    None
}

fn unreadable(shown: &str, reason: &str) -> Diagnostic {
    codes::CONTENT_UNREADABLE.at(
        Place::file(shown),
        format!("The file {} cannot be read: {reason}", quoted(shown)),
        "Make it a regular file that the build may read, or remove it.",
    )
}

fn outside(shown: &str) -> Diagnostic {
    codes::CONTENT_SYMLINK.at(
        Place::file(shown),
        "The link leads out of the content root",
        "Put the file itself here, or link to a file inside the same content root.",
    )
}

fn too_large(shown: &str, size: u64, limit: u64) -> Diagnostic {
    let is_prose = Path::new(shown)
        .extension()
        .is_some_and(|extension| extension == "md");
    let (code, key) = match is_prose {
        true if shown.ends_with(writeup::FILE_NAME) => (&codes::REVIEW_TOO_LARGE, "writeup"),
        true => (&codes::PAGE_TOO_LARGE, "writeup"),
        false => (&codes::CONTENT_TOO_LARGE, "file"),
    };
    code.at(
        Place::file(shown),
        format!("The file is {size} bytes large; the limit is {limit}"),
        format!("Make it smaller, or raise `{key}` in `[limits]`."),
    )
}
