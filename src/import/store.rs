//! The folders of imported runs: chooses their names, and writes them without touching files that the importer does not own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use base::diagnostics::codes::{
    IMPORT_CANNOT_WRITE, IMPORT_CHANGED, IMPORT_FOREIGN_RUN, IMPORT_NOT_A_CONTINUATION,
};
use base::files;

use super::assets::Asset;
use super::raw_json::compact;
use super::report::ImportResult;
use super::row::Row;
use super::shared_page::{RestoredRun, SharedPage};
use super::time::seconds_between;
use super::{Problem, problem};

const RECORD: &str = "run-record.json";
const TRACE: &str = "import.trace.jsonl";

/// Keys of a record that the importer writes.
const OWN: [&str; 8] = [
    "id",
    "startedAt",
    "finishedAt",
    "subject",
    "metrics",
    "status",
    "outcomes",
    "import",
];

/// The runs below a folder.
pub(super) struct Store {
    out: PathBuf,
    /// The folder of each run, by id.
    folders: BTreeMap<String, String>,
    /// Names in use, in lower case.
    taken: BTreeSet<String>,
    /// Ids imported in this run of the program.
    seen: BTreeMap<String, PathBuf>,
    update: bool,
    dry_run: bool,
}

/// A file to write: its name and its bytes.
type NamedBytes<'a> = (&'a str, &'a [u8]);

/// The existing content of a run directory.
pub(super) struct ImportedFolder {
    /// Its name.
    pub(super) folder: String,
    /// Keys of its record that the importer does not own.
    pub(super) others: BTreeMap<String, Box<RawValue>>,
    old: Option<OldFiles>,
}

struct OldFiles {
    record: Vec<u8>,
    trace: Option<Vec<u8>>,
    is_imported: bool,
}

/// A log that a record was made from.
struct Log<'a> {
    blake3: Cow<'a, str>,
    /// Its name without folders, which depend on the path that was imported.
    file: String,
}

fn logs<'a>(record: &Row<'a>) -> Vec<Log<'a>> {
    let logs = record.rows("import.sources").map(|log| {
        let name = log.text("name");
        Log {
            blake3: log.text("blake3"),
            file: name.rsplit('/').next().unwrap_or(&name).to_owned(),
        }
    });
    logs.collect()
}

/// Whether a run continues the earlier import that it would replace, so that nothing is lost: it has all of its events, or was
/// made from the same logs or longer versions of them.
fn continues(old: &OldFiles, record: &[u8], trace: Option<&[u8]>, equal: Option<u64>) -> bool {
    let events = |trace: Option<&[u8]>| {
        let lines = trace.unwrap_or_default().split(|byte| *byte == b'\n');
        lines.skip(1).filter(|line| !line.is_empty()).count() as u64
    };
    let before = events(old.trace.as_deref());
    if before > 0 && equal == Some(before) {
        return true;
    }
    let (Some(first), Some(second)) = (Row::parse_bytes(&old.record), Row::parse_bytes(record))
    else {
        return false;
    };
    let (earlier, later) = (logs(&first), logs(&second));
    let has_each = |is_same: fn(&Log<'_>, &Log<'_>) -> bool| {
        let is_in_later = |log| later.iter().any(|other| is_same(log, other));
        earlier.iter().all(is_in_later)
    };
    if has_each(|log, other| other.blake3 == log.blake3) {
        // Only the options or the importer are different.
        return true;
    }
    let has_all = has_each(|log, other| other.blake3 == log.blake3 || other.file == log.file);
    let started = |record: &Row<'_>| record.name("startedAt");
    let starts_later = seconds_between(started(&first).as_deref(), started(&second).as_deref())
        .is_some_and(|seconds| seconds > 0.0);
    let how = |record: &Row<'_>| {
        let rules = record.raw("import.rules").and_then(compact);
        (
            record.count("import.importerVersion"),
            rules.map(|json| json.get().to_owned()),
        )
    };
    let is_read_alike = how(&first) == how(&second);
    let lost_events = is_read_alike && events(trace) < before;
    has_all && !starts_later && !lost_events
}

impl Store {
    /// Reads the records below a folder, which may be missing.
    pub(super) fn open(out: &Path, update: bool, dry_run: bool) -> Result<Self, Problem> {
        let mut store = Self {
            out: out.to_owned(),
            folders: BTreeMap::new(),
            taken: BTreeSet::new(),
            seen: BTreeMap::new(),
            update,
            dry_run,
        };
        let entries = match fs::read_dir(out) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(store),
            entries => entries.map_err(|error| failed(out, &error))?,
        };
        for entry in entries {
            let entry = entry.map_err(|error| failed(out, &error))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            store.taken.insert(name.to_lowercase());
            let record = files::read(&entry.path().join(RECORD)).unwrap_or_default();
            if let Some(id) = Row::parse_bytes(&record).and_then(|record| record.string("id")) {
                store.folders.entry(id.into_owned()).or_insert(name);
            }
        }
        Ok(store)
    }

    /// The first file of the run with an id that this import already has.
    pub(super) fn seen(&self, id: &str) -> Option<&Path> {
        self.seen.get(id).map(PathBuf::as_path)
    }

    /// The folder of a run: its existing one, or a new name from its case and id.
    pub(super) fn slot(
        &mut self,
        case: &str,
        id: &str,
        path: &Path,
    ) -> Result<ImportedFolder, Problem> {
        self.seen.insert(id.to_owned(), path.to_owned());
        let Some(folder) = self.folders.get(id).cloned() else {
            let folder = self.name(case, id);
            self.taken.insert(folder.to_lowercase());
            self.folders.insert(id.to_owned(), folder.clone());
            return Ok(ImportedFolder {
                folder,
                others: BTreeMap::new(),
                old: None,
            });
        };
        let path = self.out.join(&folder);
        let record = files::read(&path.join(RECORD)).map_err(|error| failed(&path, &error))?;
        let trace = match files::read(&path.join(TRACE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            trace => Some(trace.map_err(|error| failed(&path, &error))?),
        };
        let mut others: BTreeMap<String, Box<RawValue>> =
            serde_json::from_slice(&record).unwrap_or_default();
        let is_imported = others.contains_key("import");
        others.retain(|key, _| !OWN.contains(&&**key));
        Ok(ImportedFolder {
            folder,
            others,
            old: Some(OldFiles {
                record,
                trace,
                is_imported,
            }),
        })
    }

    fn name(&self, case: &str, id: &str) -> String {
        let (case, id) = (slug(case, 48), slug(id, 64));
        let free = |name: &String| !self.taken.contains(name);
        let lengths = [8, 13, 18, 64].into_iter();
        let mut names = lengths.map(|length| {
            let id = id.get(..length).unwrap_or(&id).trim_end_matches('-');
            format!("{case}-{id}")
        });
        let full = format!("{case}-{id}");
        let numbered = (2..).map(|number| format!("{full}-{number}"));
        let found = names.find(free).or_else(|| numbered.into_iter().find(free));
        found.unwrap_or(full)
    }

    /// Writes the files of a run that changed. Returns how many events at the beginning of an earlier trace are unchanged, if
    /// there was one.
    pub(super) fn write(
        &self,
        source: &str,
        slot: &ImportedFolder,
        record: &[u8],
        trace: Option<&[u8]>,
        assets: &[Asset],
    ) -> Result<(ImportResult, Option<u64>), Problem> {
        let path = self.out.join(&slot.folder);
        let io = |error: io::Error| failed(&path, &error);
        let Some(old) = &slot.old else {
            if !self.dry_run {
                let trace = trace.map(|trace| (TRACE, trace));
                let files: Vec<NamedBytes<'_>> =
                    trace.into_iter().chain([(RECORD, record)]).collect();
                self.create(&path, &files, assets).map_err(io)?;
            }
            return Ok((ImportResult::New, None));
        };
        if old.record == record && old.trace.as_deref() == trace {
            return Ok((ImportResult::Unchanged, None));
        }
        let equal = equal_events(old.trace.as_deref(), trace);
        if !old.is_imported {
            return Err(foreign_run(source, &slot.folder));
        }
        if !continues(old, record, trace, equal) {
            return Err(not_a_continuation(source, &slot.folder));
        }
        if !self.update {
            return Err(changed_run(source, &slot.folder, equal));
        }
        if !self.dry_run {
            if fs::symlink_metadata(&path).map_err(io)?.is_symlink() {
                let error = io::Error::other("the folder of the run is a link");
                return Err(failed(&path, &error));
            }
            write_assets(&path, assets).map_err(io)?;
            match trace {
                Some(trace) => replace(&path, TRACE, trace).map_err(io)?,
                None if old.trace.is_some() => fs::remove_file(path.join(TRACE)).map_err(io)?,
                None => {}
            }
            replace(&path, RECORD, record).map_err(io)?;
        }
        Ok((ImportResult::Updated, equal))
    }

    /// Writes the folder of a run in a page. Nothing of an existing folder is replaced.
    pub(super) fn restore(&mut self, page: SharedPage) -> Result<RestoredRun, Problem> {
        let slot = self.slot(&page.case, &page.id, Path::new(""))?;
        let path = self.out.join(&slot.folder);
        let files: Vec<NamedBytes<'_>> = std::iter::once((RECORD, page.record.as_slice()))
            .chain(page.files.iter().map(|file| (&*file.name, &*file.bytes)))
            .collect();
        let result = if slot.old.is_some() {
            let is_same = |(name, bytes): &NamedBytes<'_>| {
                files::read(&path.join(name)).is_ok_and(|old| old == *bytes)
            };
            if !files.iter().all(is_same) {
                return Err(changed_page(&page.source, &slot.folder));
            }
            ImportResult::Unchanged
        } else {
            if !self.dry_run {
                self.create(&path, &files, &[])
                    .map_err(|error| failed(&path, &error))?;
            }
            ImportResult::New
        };
        Ok(RestoredRun {
            source: page.source,
            id: page.id,
            folder: slot.folder,
            result,
            files: page.files.into_iter().map(|file| file.name).collect(),
        })
    }

    fn create(&self, path: &Path, files: &[NamedBytes<'_>], assets: &[Asset]) -> io::Result<()> {
        fs::create_dir_all(&self.out)?;
        let folder = tempfile::Builder::new()
            .prefix(".runpress-import-")
            .tempdir_in(&self.out)?;
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes)?;
        }
        write_assets(folder.path(), assets)?;
        open_to_all(folder.path())?;
        fs::rename(folder.path(), path)?;
        // The folder is in its final place: there is nothing to clean up.
        let _ = folder.keep();
        Ok(())
    }
}

/// Writes missing assets. Names are digests of the content, so an existing file is the same.
fn write_assets(folder: &Path, assets: &[Asset]) -> io::Result<()> {
    if assets.is_empty() {
        return Ok(());
    }
    let below = folder.join("assets");
    fs::create_dir_all(&below)?;
    if fs::symlink_metadata(&below)?.is_symlink() {
        return Err(io::Error::other("the folder of the assets is a link"));
    }
    for asset in assets {
        let path = asset.path();
        if fs::symlink_metadata(folder.join(&path)).is_err() {
            replace(folder, &path, asset.bytes())?;
        }
    }
    Ok(())
}

/// A temporary folder is private to its owner; a run directory gets the usual permissions.
#[cfg(unix)]
fn open_to_all(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn open_to_all(_: &Path) -> io::Result<()> {
    Ok(())
}

fn replace(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut file = tempfile::Builder::new()
        .prefix(".runpress-import-")
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    let target = folder.join(name);
    if let Ok(meta) = fs::metadata(&target) {
        file.as_file().set_permissions(meta.permissions())?;
    }
    file.persist(target)?;
    Ok(())
}

/// The number of equal events at the beginning of two traces.
fn equal_events(old: Option<&[u8]>, new: Option<&[u8]>) -> Option<u64> {
    let events = |trace: &'_ [u8]| {
        trace
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1)
    };
    let (old, new) = (old?, new.unwrap_or_default());
    let old = old[events(old)..].split_inclusive(|byte| *byte == b'\n');
    let new = new[events(new)..].split_inclusive(|byte| *byte == b'\n');
    Some(old.zip(new).take_while(|(old, new)| old == new).count() as u64)
}

/// Letters, digits and hyphens; never empty.
fn slug(text: &str, longest: usize) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if slug.len() >= longest {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "run" } else { slug }.to_owned()
}

fn failed(path: &Path, error: &io::Error) -> Problem {
    let message = format!("The run could not be written: {error}");
    let help = "Check the folder and its permissions, or name another one with `--out`.";
    problem(&IMPORT_CANNOT_WRITE, &path.to_string_lossy(), message, help)
}

fn foreign_run(source: &str, folder: &str) -> Problem {
    let message = format!("{folder} holds a run with this id that was not imported");
    let help = "Move that folder away, or do not import this run.";
    problem(&IMPORT_FOREIGN_RUN, source, message, help)
}

/// The problem of a page with another version of a run than the folder.
fn changed_page(source: &str, folder: &str) -> Problem {
    let message = format!("{folder} holds this run with other files than the page");
    let help = "Move that folder away, or import the page into another folder with `--out`.";
    problem(&IMPORT_CHANGED, source, message, help)
}

/// The problem of a run that would replace another one, or the whole by a part.
fn not_a_continuation(source: &str, folder: &str) -> Problem {
    let message =
        format!("{folder} holds a run with this id, and this log does not have all of it");
    let help = "Import all logs of the run together, for example their folder.";
    problem(&IMPORT_NOT_A_CONTINUATION, source, message, help)
}

/// The problem of a run whose logs have grown.
fn changed_run(source: &str, folder: &str, equal: Option<u64>) -> Problem {
    let same = equal.map_or_else(String::new, |equal| {
        format!("; its first {equal} events are the same")
    });
    let message = format!("The run was imported before, with other content, into {folder}{same}");
    let help = "Replace its record and its trace with `--update`; all other files stay.";
    problem(&IMPORT_CHANGED, source, message, help)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{ImportResult, Store};

    const OLD: &[u8] = b"{\"type\":\"trace\"}\n{\"seq\":0}\n";
    const NEW: &[u8] = b"{\"type\":\"trace\",\"a\":1}\n{\"seq\":0}\n{\"seq\":1}\n";

    #[test]
    fn a_run_is_written_once_and_changed_only_on_request() {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("runs");
        let record = |more: &str| format!("{{\"id\":\"a-1\",\"import\":{{}}{more}}}").into_bytes();
        let write = |record: &[u8], trace: &[u8], update: bool| {
            let mut store = Store::open(&out, update, false).expect("a store");
            let slot = store
                .slot("My Case!", "a-1", Path::new("a.jsonl"))
                .expect("a slot");
            store
                .write("s", &slot, record, Some(trace), &[])
                .map(|done| (slot.folder, done.0, done.1))
        };
        let name = || "my-case-a-1".to_owned();
        let wrote = |trace: &[u8], update: bool| write(&record(""), trace, update).expect("a run");
        assert_eq!(wrote(OLD, false), (name(), ImportResult::New, None));
        assert_eq!(wrote(OLD, false), (name(), ImportResult::Unchanged, None));
        let note = out.join("my-case-a-1/writeup.md");
        fs::write(&note, "mine").expect("a file");
        let refused = write(&record(""), NEW, false).expect_err("it changed");
        assert!(
            refused.message.contains("first 1 events are the same"),
            "{refused:?}"
        );
        assert!(refused.help.contains("--update"), "{refused:?}");
        assert_eq!(wrote(NEW, true), (name(), ImportResult::Updated, Some(1)));
        assert_eq!(fs::read_to_string(&note).expect("a file"), "mine");
        // The renamed folder is kept, and so is the foreign key in the record.
        fs::rename(out.join(name()), out.join("mine")).expect("renamed");
        fs::write(
            out.join("mine/run-record.json"),
            record(",\"publishedAt\":\"t\""),
        )
        .expect("a file");
        let mut store = Store::open(&out, false, false).expect("a store");
        let slot = store
            .slot("case", "a-1", Path::new("a.jsonl"))
            .expect("a slot");
        assert_eq!(slot.folder, "mine");
        let others: Vec<&String> = slot.others.keys().collect();
        assert_eq!(others, ["publishedAt"]);
        assert_eq!(store.seen("a-1"), Some(Path::new("a.jsonl")));
        let entries = fs::read_dir(&out).expect("a folder").count();
        assert_eq!(entries, 1);
    }

    #[test]
    fn a_run_is_replaced_only_by_its_continuation() {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("runs");
        let write = |started: &str, sources: &[(&str, &str)], events: &[&str], update: bool| {
            let sources: Vec<String> = sources
                .iter()
                .map(|(name, hash)| format!("{{\"name\":\"{name}\",\"blake3\":\"{hash}\"}}"))
                .collect();
            let record = format!(
                "{{\"id\":\"a\",\"startedAt\":\"2026-01-01T{started}Z\",\"import\":{{\"sources\":[{}]}}}}",
                sources.join(",")
            );
            let trace = format!("{{\"type\":\"trace\"}}\n{}\n", events.join("\n"));
            let mut store = Store::open(&out, update, false).expect("a store");
            let slot = store.slot("case", "a", Path::new("")).expect("a slot");
            let wrote = store.write("s", &slot, record.as_bytes(), Some(trace.as_bytes()), &[]);
            wrote
                .map(|done| done.0)
                .map_err(|problem| problem.code.name)
        };
        let another = Err("import.not-a-continuation");
        assert_eq!(
            write("08:00:00", &[("1", "x")], &["a", "b"], false),
            Ok(ImportResult::New)
        );
        for update in [false, true] {
            let second = write("09:00:00", &[("2", "y")], &["c", "d", "e"], update);
            assert_eq!(second, another, "another file of the same run");
            let shorter = write("08:00:00", &[("1", "z")], &["a"], update);
            assert_eq!(shorter, another, "a log that lost its end");
            let later = write("09:00:00", &[("1", "z")], &["c", "d", "e"], update);
            assert_eq!(later, another, "a log that lost its beginning");
        }
        let both = [("d/1", "x"), ("d/2", "y")];
        let whole = ["a", "b", "c", "d"];
        assert_eq!(
            write("08:00:00", &both, &whole, false),
            Err("import.changed")
        );
        assert_eq!(
            write("08:00:00", &both, &whole, true),
            Ok(ImportResult::Updated)
        );
        assert_eq!(
            write("08:00:00", &both[..1], &["a", "b"], true),
            another,
            "a part of it"
        );
        let renamed = ["a", "b", "c", "d", "e"];
        let grown = write("08:00:00", &[("3", "w")], &renamed, true);
        assert_eq!(
            grown,
            Ok(ImportResult::Updated),
            "all of its events are there"
        );
    }

    #[test]
    fn folders_of_runs_whose_ids_begin_alike_get_longer_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = Store::open(folder.path(), false, true).expect("a store");
        let mut name = |id: &str| {
            store
                .slot("../Ä case", id, Path::new(""))
                .expect("a slot")
                .folder
        };
        assert_eq!(name("019c8a4d-8f45-7010"), "case-019c8a4d");
        assert_eq!(name("019c8a4d-9000-7010"), "case-019c8a4d-9000");
        assert_eq!(name("019C8A4D-9000-7010-x"), "case-019c8a4d-9000-7010");
        assert_eq!(name("///"), "case-run");
        assert_eq!(name("\\"), "case-run-2");
    }
}
