//! The cache of a build: it shows the next one whether nothing changed at all, and which pages it can reuse.
//!
//! Only the program that wrote a cache reads it, so a changed field needs no new version.

use crate::PROGRAM;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::site::Site;
use base::diagnostics::{Diagnostic, Place, codes};
use base::files::{EntryKind, Stamp, Tree, TreeEntry};
use content::discover::ContentRoots;
use content::inspect::CheckedRecord;
use content::load;
use formats::model::archive::Archive;
use formats::model::archive_context::ArchiveContext;
use store::cache::{self, CachePiece, CacheReader, CacheWriter};
use store::publish::{self, LastSite, SiteFiles, Stage};

use super::directories::Directory;
use super::gather::SiteContent;
use super::outcome::Outcome;
use super::summary::{RunPieces, RunSummary, RunTexts, digest};

/// The head of a cache, which is read first: whether nothing changed, and the outcome that such a build reports.
#[derive(Debug, Serialize, Deserialize)]
struct CacheHead<'a> {
    /// A digest of the settings, templates and static files.
    settings: [u8; 32],
    /// A digest of the stamps of all files in the content roots.
    inputs: Option<[u8; 32]>,
    /// When these files were scanned.
    inputs_at: i64,
    /// A digest of the stamps of all files in the output folder.
    outputs: Option<[u8; 32]>,
    /// When these files were scanned.
    outputs_at: i64,
    /// Whether a build of the same content over this site would give the same ledger and the same problems.
    is_settled: bool,
    outcome: Cow<'a, Outcome>,
    /// A [`CachedRecord`] for each record, by the path of its run directory in diagnostics.
    records: CachePiece,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct CacheBody {
    /// A digest of what all pages have in common.
    frame: String,
    files: SiteFiles,
    /// By the path of the run directory in diagnostics.
    runs: BTreeMap<String, RunPieces>,
    /// By name.
    lists: BTreeMap<String, CachedList>,
}

/// The files of a list, with a digest of everything that they were made of.
#[derive(Debug, Serialize, Deserialize)]
struct CachedList {
    key: [u8; 32],
    paths: Vec<String>,
}

/// The records of the last build. Records whose files look the same are not read again.
#[derive(Debug, Default)]
pub(super) struct CachedRecords {
    /// By the path of the run directory in diagnostics.
    pub(super) records: BTreeMap<String, CachedRecord<'static>>,
    /// When the files were scanned; see [`Stamp::is_racy`].
    pub(super) at: i64,
}

/// A record of a run that is valid or never published.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CachedRecord<'a> {
    pub(super) stamp: Stamp,
    /// BLAKE3 of the file.
    pub(super) digest: [u8; 32],
    pub(super) record: Cow<'a, CheckedRecord>,
}

impl CachedRecord<'_> {
    /// Whether the record is that of a file in a scan after `at`.
    pub(super) fn is_of(&self, found: &TreeEntry, at: i64) -> bool {
        matches!(found.kind, EntryKind::File { .. })
            && found.stamp == self.stamp
            && !found.stamp.is_racy(at)
    }
}

/// The cache of the last build, and how the content looks now.
///
/// The pages of a run are reused only if everything that they are made of is unchanged: the files of its directory, what it
/// shows of the archive ([`ArchiveContext`]), whether it is among the newest, what all pages have in common (settings, templates,
/// navigation, addresses of the assets), and the rules that apply to the run. So a build with a cache publishes, byte for byte,
/// what one without it would.
///
/// A cache belongs to the site in the output folder: only a published build leaves one.
#[derive(Debug)]
pub(super) struct BuildCache {
    /// How the content looked before anything was read, until a build takes it.
    roots: Mutex<Option<ContentRoots>>,
    at: i64,
    /// A digest of the command line, site.toml, `templates/` and `static/`.
    settings: [u8; 32],
    last: Option<(CacheReader, CacheHead<'static>)>,
    /// What was in the output folder, if there is a last build, until a stage takes it.
    output_tree: Mutex<Option<Tree>>,
    /// Whether the texts of a run in the cache turned out to be damaged.
    is_damaged: AtomicBool,
    /// Whether the next cache is a file without a name, since nothing of the site is written.
    is_unnamed: bool,
}

/// The cache while a build reads it and writes the next one.
#[derive(Debug)]
pub(super) struct CacheUpdate<'a> {
    cache: &'a BuildCache,
    /// A digest of what all pages have in common.
    frame: String,
    /// The runs of the last build, unless its frame was a different one.
    runs: BTreeMap<String, RunPieces>,
    /// The lists of the last build.
    lists: BTreeMap<String, CachedList>,
    /// The lists of this build.
    new_lists: Mutex<BTreeMap<String, CachedList>>,
    /// `None` if no file can be written at all.
    writer: Option<CacheWriter>,
    /// When the content of parts was scanned, in a merge.
    parts_at: Option<i64>,
}

impl BuildCache {
    /// Scans the content, and opens the cache of the last build.
    pub(super) fn open(site: &Site) -> Self {
        let read = || {
            let reader = CacheReader::open(&site.cache_places(), PROGRAM)?;
            let head = postcard::from_bytes(&reader.head()?).ok()?;
            Some((reader, head))
        };
        let at = cache::now();
        let last = if site.options.fresh { None } else { read() };
        Self {
            roots: Mutex::new(Some(site.scan_content())),
            at,
            settings: site.settings(),
            output_tree: Mutex::new(last.as_ref().and_then(|_| publish::list_output(&site.out))),
            last,
            is_damaged: AtomicBool::default(),
            is_unnamed: false,
        }
    }

    /// The cache of a check that counts what lists and feeds would write: it only holds the texts of runs until then.
    pub(super) fn unnamed() -> Self {
        Self {
            roots: Mutex::default(),
            at: cache::now(),
            settings: [0; 32],
            last: None,
            output_tree: Mutex::default(),
            is_damaged: AtomicBool::default(),
            is_unnamed: true,
        }
    }

    /// The same without the last build, if its cache is damaged. Damage is only found while a build reads texts, so that build
    /// must start again.
    pub(super) fn without_damage(self) -> Option<Self> {
        self.is_damaged.load(Ordering::Relaxed).then(|| Self {
            last: None,
            output_tree: Mutex::default(),
            is_damaged: AtomicBool::default(),
            ..self
        })
    }

    /// Calls `with` with what was in the output folder.
    pub(super) fn with_output_tree<T>(&self, with: impl FnOnce(Option<&Tree>) -> T) -> T {
        with(self.output_tree().as_ref())
    }

    fn output_tree(&self) -> MutexGuard<'_, Option<Tree>> {
        self.output_tree
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// How the content looks, and the records that the last build read with the same settings.
    pub(super) fn content(&self, site: &Site) -> (ContentRoots, CachedRecords) {
        let last = self.last.as_ref();
        let last = last.filter(|(_, head)| head.settings == self.settings);
        let cached = last.and_then(|(reader, head)| {
            let records: BTreeMap<_, _> =
                postcard::from_bytes(&reader.piece(head.records)?).ok()?;
            Some(CachedRecords {
                records,
                at: head.inputs_at,
            })
        });
        // A second attempt scans again. Its stamps are compared with the time of the first scan, which is on the safe side.
        let roots = self.roots().take().unwrap_or_else(|| site.scan_content());
        (roots, cached.unwrap_or_default())
    }

    fn roots(&self) -> MutexGuard<'_, Option<ContentRoots>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The outcome of a build that would read what the last one read, and write what is there.
    pub(super) fn unchanged(&self, site: &Site) -> Option<Outcome> {
        let (_, head) = self.last.as_ref()?;
        let is_unchanged = head.is_settled
            && site.compares_with_itself()
            && head.settings == self.settings
            && head.inputs.is_some()
            && head.inputs == self.roots().as_ref()?.digest(head.inputs_at)
            && head.outputs.is_some()
            && head.outputs == self.output_tree().as_ref()?.digest(head.outputs_at);
        is_unchanged.then(|| head.outcome.unchanged())
    }

    /// Begins the cache of a build whose pages have this frame, and returns the files of the last site. `parts_at` is when the
    /// content of parts was scanned, in a merge.
    pub(super) fn update(
        &self,
        site: &Site,
        frame: String,
        parts_at: Option<i64>,
    ) -> (CacheUpdate<'_>, LastSite) {
        let read = || {
            let (reader, head) = self.last.as_ref()?;
            let body: CacheBody = postcard::from_bytes(&reader.body()?).ok()?;
            Some((body, head.outputs_at))
        };
        let (body, at) = read().unwrap_or_default();
        let runs = body.runs.values();
        let used = runs.map(|run| run.run.bytes() + run.texts.bytes()).sum();
        let is_same_frame = body.frame == frame;
        let last = self.last.as_ref().filter(|_| is_same_frame);
        let appended = last.and_then(|(reader, _)| CacheWriter::append_to(reader, used));
        let runs = if is_same_frame {
            body.runs
        } else {
            BTreeMap::new()
        };
        let update = CacheUpdate {
            cache: self,
            writer: appended
                .or_else(|| {
                    let is_named = !self.is_unnamed;
                    is_named.then(|| CacheWriter::create(&site.cache_places(), PROGRAM))?
                })
                .or_else(CacheWriter::unnamed),
            runs,
            lists: body.lists,
            new_lists: Mutex::default(),
            frame,
            parts_at,
        };
        let known = LastSite {
            files: body.files,
            at,
            listing: self.output_tree().take(),
        };
        (update, known)
    }
}

impl CacheUpdate<'_> {
    /// Reuses the pages of a run, if a build would make them again as they are.
    pub(super) fn reuse(
        &self,
        gathered: &SiteContent,
        index: usize,
        is_newest: bool,
        rules: [u8; 32],
        stage: &Stage,
    ) -> Result<Option<RunSummary>, Diagnostic> {
        let archive = &gathered.archive;
        let place = &gathered.directory(&archive.runs[index]).place;
        let (Some(pieces), Some((reader, head))) = (self.runs.get(&place.shown), &self.cache.last)
        else {
            return Ok(None);
        };
        let run = pieces.read(reader);
        let Some(mut run) =
            run.filter(|run| run.rules == rules && run.has_same_context(archive, index, is_newest))
        else {
            return Ok(None);
        };
        let inputs = gathered.roots.of(place).and_then(|tree| {
            let now = load::inputs(tree)?;
            load::unchanged(place, run.inputs.as_ref()?, now, head.inputs_at)
        });
        if inputs.is_none() {
            return Ok(None);
        }
        // In a file that is appended to, texts stay where they are.
        let texts = if self.appends() {
            Some(pieces.texts).filter(|texts| self.writer.as_ref().is_some_and(|it| it.has(*texts)))
        } else {
            reader
                .piece(pieces.texts)
                .and_then(|texts| self.put(&texts))
        };
        let Some(texts) = texts else {
            return Ok(None);
        };
        let files = run.files.iter().flatten();
        let paths: Vec<String> = files.map(|file| file.path.clone()).collect();
        let is_stored = inputs == run.inputs && self.appends();
        run.inputs = inputs;
        let summary = if is_stored {
            run.in_cache(*pieces)
        } else {
            self.store(run, texts)?
        };
        Ok(stage.reuse_files(&paths).then_some(summary))
    }

    /// Adds a run with these [`RunTexts`] to the next cache, and returns its summary.
    pub(super) fn add(&self, run: RunSummary, texts: &[u8]) -> Result<RunSummary, Diagnostic> {
        let texts = self.put(texts).ok_or_else(write_failed)?;
        self.store(run, texts)
    }

    fn store(&self, run: RunSummary, texts: CachePiece) -> Result<RunSummary, Diagnostic> {
        let writer = self.writer.as_ref();
        let pieces = writer.and_then(|writer| run.write(writer, texts));
        Ok(run.in_cache(pieces.ok_or_else(write_failed)?))
    }

    fn put(&self, bytes: &[u8]) -> Option<CachePiece> {
        self.writer.as_ref()?.put(bytes)
    }

    /// The texts of a run of the next cache; `None` if they are damaged. An earlier build may have written them.
    pub(super) fn texts(&self, pieces: RunPieces) -> Option<RunTexts> {
        let bytes = self.writer.as_ref()?.piece(pieces.texts);
        let texts = bytes.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        if texts.is_none() {
            self.cache.is_damaged.store(true, Ordering::Relaxed);
        }
        texts
    }

    /// Reads a run of the next cache, with its texts.
    pub(super) fn run_with_texts(&self, pieces: RunPieces) -> Option<(RunSummary, Vec<u8>)> {
        let writer = self.writer.as_ref()?;
        let run = postcard::from_bytes(&writer.piece(pieces.run)?).ok()?;
        Some((run, writer.piece(pieces.texts)?))
    }

    /// Whether the next cache is appended to the file of the last one.
    fn appends(&self) -> bool {
        self.writer.as_ref().is_some_and(CacheWriter::is_appending)
    }

    /// A digest of what all pages have in common.
    pub(super) fn frame(&self) -> &str {
        &self.frame
    }

    /// The files of a list, if the last build made it of the same inputs.
    pub(super) fn list(&self, name: &str, key: [u8; 32]) -> Option<&[String]> {
        let list = self.lists.get(name).filter(|list| list.key == key);
        list.map(|list| list.paths.as_slice())
    }

    /// Adds a list to the next cache.
    pub(super) fn add_list(&self, name: &str, key: [u8; 32], paths: Vec<String>) {
        let mut lists = self
            .new_lists
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        lists.insert(name.to_owned(), CachedList { key, paths });
    }

    /// When the content was scanned.
    pub(super) const fn scanned_at(&self) -> i64 {
        self.cache.at
    }

    /// Replaces the last cache, once the build is in the output folder; `stage` is the stage that was committed.
    pub(super) fn finish(
        self,
        site: &Site,
        gathered: &SiteContent,
        outcome: &mut Outcome,
        stage: &mut Stage,
    ) -> Option<()> {
        let committed_at = cache::now();
        // A part has nothing that an earlier site could change.
        let is_settled = site.options.shard.is_some() || outcome.is_settled(site, gathered);
        let outputs_at = cache::now_after(committed_at);
        outcome.ledger.drop_runs();
        let (files, tree) = stage.committed_files()?;
        let cache = self.cache;
        let records = gathered.directories.iter().filter_map(Directory::cached);
        let records: BTreeMap<_, _> = records.collect();
        let head = CacheHead {
            records: self.writer.as_ref()?.stream(&records)?,
            settings: cache.settings,
            // In a merge, each run has the inputs of its part.
            inputs: match self.parts_at {
                Some(_) => None,
                None => gathered.roots.dropped_digest(),
            },
            inputs_at: self.parts_at.map_or(cache.at, |at| at.min(cache.at)),
            outputs: tree.digest(i64::MAX),
            outputs_at,
            is_settled,
            outcome: Cow::Borrowed(outcome),
        };
        let runs = gathered.archive.runs.iter().zip(&outcome.cached);
        let runs = runs.filter_map(|(entry, pieces)| {
            let shown = gathered.directory(entry).place.shown.clone();
            Some((shown, (*pieces)?))
        });
        let body = CacheBody {
            frame: self.frame,
            files,
            runs: runs.collect(),
            lists: self.new_lists.into_inner().ok()?,
        };
        self.writer?.finish(&head, &body)
    }
}

impl RunSummary {
    /// Whether the page of the run would show the same of the archive.
    pub(super) fn has_same_context(
        &self,
        archive: &Archive,
        index: usize,
        is_newest: bool,
    ) -> bool {
        let names = self.named.iter().map(String::as_str);
        let context = || ArchiveContext::of(archive, index, names);
        self.is_newest == is_newest && self.archive_context == digest(&context())
    }

    /// Writes the run to a cache or a part that has these texts.
    pub(super) fn write(&self, writer: &CacheWriter, texts: CachePiece) -> Option<RunPieces> {
        let run = writer.put(&postcard::to_stdvec(self).ok()?)?;
        Some(RunPieces { run, texts })
    }
}

/// The problem that neither a cache nor a temporary file can be written.
fn write_failed() -> Diagnostic {
    codes::PUBLISH_IO.at(
        Place::file("."),
        "The build cache and temporary files cannot be written",
        "Free space in the folder of the site or in that for temporary files, or set `TMPDIR` to another folder. The previous output is unchanged.",
    )
}
