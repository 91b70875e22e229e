//! What one build leaves to the next: whether nothing changed, and the runs whose pages need not be made again.

use crate::PROGRAM;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::site::Site;
use base::beneath::Tree;
use base::diagnostics::Diagnostic;
use content::discover::{Roots, RunDirectory};
use content::load;
use formats::model::FileDigest;
use formats::model::archive::Archive;
use formats::model::archive_context::ArchiveContext;
use formats::model::findings::Findings;
use store::cache::{self, Piece, Reader, Writer};
use store::publish::{self, KnownSite, Stage};
use store::spool::{Spool, Texts};

use super::directories::Directory;
use super::gather::Gathered;
use super::kept::{
    self, Account, Body, CachedRecord, CachedRun, Facets, Head, KeptRun, KnownList, KnownRecords,
    Left,
};
use super::outcome::Outcome;

/// What the last published build kept, and how the content looks now.
///
/// The invariant: the pages of a run are reused only when everything that they are made of is unchanged: the files of its
/// directory, what it shows of the archive ([`ArchiveContext`]), its place among the newest, and what all pages have in common
/// (settings, templates, navigation, addresses of the assets). So a build with a memory publishes, byte for byte, what one
/// without it would.
///
/// It is about the site in the output folder: only a build that was put in its place is remembered.
#[derive(Debug)]
pub struct Memory {
    /// How the content looked before anything was read; until a build has it.
    roots: Mutex<Option<Roots>>,
    at: i64,
    /// A digest of what the command line, site.toml, `templates/` and `static/` say.
    settings: [u8; 32],
    last: Option<(Reader, Head)>,
    /// What was in the output folder, if there is a last build; until a stage has it.
    seen: Mutex<Option<Tree>>,
    /// Whether a text that the last build left was not as it was written.
    is_damaged: Arc<AtomicBool>,
}

/// What is remembered of the runs while a build makes their pages, and what it leaves of them.
#[derive(Debug)]
pub struct Notes<'a> {
    memory: &'a Memory,
    /// What all pages have in common.
    frame: String,
    /// The runs of the last build, unless it had another frame.
    runs: BTreeMap<String, (Piece, u64)>,
    /// The lists of the last build.
    lists: BTreeMap<String, KnownList>,
    made: Mutex<BTreeMap<String, KnownList>>,
    /// `None`: nothing can be left.
    writer: Option<Arc<Writer>>,
    /// When the content of parts was looked at, for a build that is made of them.
    parts_at: Option<i64>,
}

/// A run whose pages were made.
pub(super) struct NotedRun<'a> {
    pub(super) place: &'a RunDirectory,
    pub(super) roots: &'a Roots,
    pub(super) digests: &'a [FileDigest],
    pub(super) archive_context: &'a ArchiveContext,
    pub(super) is_newest: bool,
    pub(super) files: Vec<String>,
    pub(super) problems: &'a [Diagnostic],
    pub(super) used: &'a BTreeSet<usize>,
    /// With places among its texts.
    pub(super) findings: &'a Findings,
    /// Where its texts were spooled, and what they are.
    pub(super) texts: (u64, &'a Texts),
}

impl Memory {
    /// Looks at the content, and at what the last build left.
    pub fn open(site: &Site) -> Self {
        let read = || {
            let reader = Reader::open(&site.cache_places(), PROGRAM)?;
            let head = postcard::from_bytes(&reader.head()?).ok()?;
            Some((reader, head))
        };
        let at = cache::now();
        let last = if site.options.fresh { None } else { read() };
        Self {
            roots: Mutex::new(Some(site.look())),
            at,
            settings: site.settings(),
            seen: Mutex::new(last.as_ref().and_then(|_| publish::look(&site.out))),
            last,
            is_damaged: Arc::default(),
        }
    }

    /// The same without the last build, if something was damaged that it left. That shows where it is read, and then the build is
    /// made again.
    pub fn without_damage(self) -> Option<Self> {
        self.is_damaged.load(Ordering::Relaxed).then(|| Self {
            last: None,
            seen: Mutex::default(),
            is_damaged: Arc::default(),
            ..self
        })
    }

    /// Calls `with` what was in the output folder.
    pub fn with_seen<T>(&self, with: impl FnOnce(Option<&Tree>) -> T) -> T {
        with(self.seen().as_ref())
    }

    fn seen(&self) -> MutexGuard<'_, Option<Tree>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the content looks, and the records that the last build read with the same settings.
    pub fn content(&self, site: &Site) -> (Roots, KnownRecords) {
        let last = self.last.as_ref();
        let last = last.filter(|(_, head)| head.settings == self.settings);
        let known = last.and_then(|(reader, head)| {
            let records: BTreeMap<String, CachedRecord> =
                postcard::from_bytes(&reader.piece(head.records)?).ok()?;
            Some(KnownRecords {
                records,
                at: head.inputs_at,
            })
        });
        // A second try looks again. What it sees is compared with the time of the first look, which is on the safe side.
        let roots = self.roots().take().unwrap_or_else(|| site.look());
        (roots, known.unwrap_or_default())
    }

    fn roots(&self) -> MutexGuard<'_, Option<Roots>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The outcome of a build that would read what the last one read, and write what is there.
    pub fn unchanged(&self, site: &Site) -> Option<Outcome> {
        let (_, head) = self.last.as_ref()?;
        let is_unchanged = head.is_settled
            && site.compares_with_itself()
            && head.settings == self.settings
            && head.inputs.is_some()
            && head.inputs == self.roots().as_ref()?.digest(head.inputs_at)
            && head.outputs.is_some()
            && head.outputs == self.seen().as_ref()?.digest(head.outputs_at);
        is_unchanged.then(|| Outcome::unchanged(head))
    }

    /// What is remembered for pages with this frame, and the files of the last site; and when the content of parts was looked at,
    /// for a build that is made of them.
    pub fn recall(
        &self,
        site: &Site,
        frame: String,
        parts_at: Option<i64>,
    ) -> (Notes<'_>, KnownSite) {
        let read = || {
            let (reader, head) = self.last.as_ref()?;
            let body: Body = postcard::from_bytes(&reader.body()?).ok()?;
            Some((body, head.outputs_at))
        };
        let (body, at) = read().unwrap_or_default();
        let runs = body.runs.values();
        let used = runs.map(|(shape, texts)| shape.bytes() + texts).sum();
        let again = self.last.as_ref().filter(|_| body.frame == frame);
        let again = again.and_then(|(reader, _)| Writer::again(reader, used));
        let runs = if body.frame == frame {
            body.runs
        } else {
            BTreeMap::new()
        };
        let notes = Notes {
            memory: self,
            writer: again
                .or_else(|| Writer::begin(&site.cache_places(), PROGRAM))
                .map(Arc::new),
            runs,
            lists: body.lists,
            made: Mutex::default(),
            frame,
            parts_at,
        };
        let known = KnownSite {
            files: body.files,
            at,
            seen: self.seen().take(),
        };
        (notes, known)
    }
}

impl Notes<'_> {
    /// Takes the pages of a run over into `stage`, if they would be made again as they are.
    pub(super) fn recall(
        &self,
        gathered: &Gathered,
        (index, is_newest): (usize, bool),
        stage: &Stage,
    ) -> Result<Option<KeptRun>, Diagnostic> {
        let archive = &gathered.archive;
        let place = &gathered.directory(&archive.runs[index]).place;
        let (Some((piece, _)), Some((reader, head))) =
            (self.runs.get(&place.shown), &self.memory.last)
        else {
            return Ok(None);
        };
        let bytes = reader.piece(*piece).unwrap_or_default();
        let Ok(mut known) = postcard::from_bytes::<CachedRun>(&bytes) else {
            return Ok(None);
        };
        let is_unchanged = shows_same(&known, archive, (index, is_newest));
        let looks = gathered.roots.of(place).filter(|_| is_unchanged);
        let looks = looks.and_then(|tree| {
            let now = load::inputs(tree)?;
            load::unchanged(place, known.inputs.as_ref()?, now, head.inputs_at)
        });
        let Some(inputs) = looks else { return Ok(None) };
        let Some(texts) = self.texts(known.texts, reader, stage)? else {
            return Ok(None);
        };
        let inputs = Some(inputs);
        let is_same = inputs == known.inputs && texts == known.texts;
        (known.inputs, known.texts) = (inputs, texts);
        let piece = if is_same {
            let writer = self.writer.as_ref();
            writer.and_then(|writer| writer.keep(*piece, &bytes))
        } else {
            self.put(&postcard::to_stdvec(&known).unwrap_or_default())
        };
        let files = std::mem::take(&mut known.files);
        Ok(kept(known, piece).filter(|_| stage.keep(&files)))
    }

    /// Takes over what another build kept of a run, with its texts; its files are taken over already. `None`: that is of no run.
    pub(super) fn adopt(
        &self,
        mut run: CachedRun,
        texts: &[u8],
        stage: &Stage,
    ) -> Result<Option<KeptRun>, Diagnostic> {
        run.texts = (stage.spool.put(texts)?, texts.len() as u64);
        let piece = postcard::to_stdvec(&run).ok();
        let piece = piece.and_then(|bytes| self.put(&bytes));
        Ok(kept(run, piece))
    }

    /// A run as it is left to the next build, and its texts.
    pub(super) fn left(&self, left: &Left) -> Option<(CachedRun, Vec<u8>)> {
        let writer = self.writer.as_ref()?;
        let run: CachedRun = postcard::from_bytes(&writer.piece(left.piece)?).ok()?;
        let (at, bytes) = run.texts;
        let mut texts = vec![0; usize::try_from(bytes).ok()?];
        writer.read(at, &mut texts).ok()?;
        Some((run, texts))
    }

    /// Where the texts of a run are in the spool; `None` when the last build left none. Those that are in the file that the spool
    /// writes to stay there, unread.
    fn texts(
        &self,
        (at, bytes): (u64, u64),
        reader: &Reader,
        stage: &Stage,
    ) -> Result<Option<(u64, u64)>, Diagnostic> {
        if let Some(writer) = self.writer.as_ref().filter(|writer| writer.is_same()) {
            return Ok(writer.has(at, bytes).then_some((at, bytes)));
        }
        let texts = reader.read(at, bytes).unwrap_or_default();
        if texts.len() as u64 != bytes {
            return Ok(None);
        }
        Ok(Some((stage.spool.put(&texts)?, bytes)))
    }

    /// Leaves a run to the next build.
    pub(super) fn note(&self, run: &NotedRun<'_>) -> Option<(Left, Facets)> {
        let mut inputs = run.roots.of(run.place).and_then(load::inputs);
        if let Some(inputs) = &mut inputs {
            load::note_digests(inputs, run.digests);
        }
        let (at, texts) = run.texts;
        let facets = kept::facets(run.findings, texts);
        let size = texts.bytes().len() as u64;
        let shape = CachedRun {
            inputs,
            facets,
            archive_context: context_digest(run.archive_context),
            named: run.archive_context.named.keys().cloned().collect(),
            is_newest: run.is_newest,
            files: run.files.clone(),
            problems: run.problems.to_vec(),
            used: run.used.clone(),
            texts: (at, size),
            findings: run.findings.clone(),
        };
        let piece = self.put(&postcard::to_stdvec(&shape).ok()?)?;
        Some((Left::of(piece, &facets, size), facets))
    }

    /// The spool of a build: a part of what it leaves, where it leaves something.
    pub fn spool(&self) -> Arc<Spool> {
        let writer = self.writer.as_ref();
        let is_damaged = &self.memory.is_damaged;
        let spool = writer.map_or_else(Spool::default, |writer| {
            Spool::of(Arc::clone(writer), Arc::clone(is_damaged))
        });
        Arc::new(spool)
    }

    /// What all pages have in common.
    pub(super) fn frame(&self) -> &str {
        &self.frame
    }

    /// The files of a list, if the last build made it of the same.
    pub(super) fn known_list(&self, name: &str, key: [u8; 32]) -> Option<&[String]> {
        let known = self.lists.get(name).filter(|known| known.key == key);
        known.map(|known| known.paths.as_slice())
    }

    /// Leaves a list to the next build.
    pub(super) fn note_list(&self, name: &str, key: [u8; 32], paths: Vec<String>) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.insert(name.to_owned(), KnownList { key, paths });
    }

    fn put(&self, bytes: &[u8]) -> Option<Piece> {
        self.writer.as_ref()?.put(bytes)
    }

    /// When the content was looked at.
    pub(super) const fn looked_at(&self) -> i64 {
        self.memory.at
    }

    /// Leaves a build that is now in the output folder; `stage` is the one that it was put there from.
    pub fn leave(
        self,
        site: &Site,
        gathered: &Gathered,
        outcome: &mut Outcome,
        stage: &mut Stage,
    ) -> Option<()> {
        let committed_at = cache::now();
        // A part has nothing that an earlier site could change.
        let is_settled =
            site.options.shard.is_some() || outcome.is_settled(site, gathered, &stage.spool);
        let outputs_at = cache::now_after(committed_at);
        outcome.ledger.forget_runs();
        stage.spool = Arc::default();
        let (files, tree) = stage.committed()?;
        let memory = self.memory;
        let records = gathered.directories.iter().filter_map(Directory::record);
        let records: BTreeMap<_, _> = records.collect();
        let head = Head {
            records: self.writer.as_ref()?.stream(&records)?,
            settings: memory.settings,
            // How the content looked that parts are made of is known run by run.
            inputs: match self.parts_at {
                Some(_) => None,
                None => gathered.roots.condensed(),
            },
            inputs_at: self.parts_at.map_or(memory.at, |at| at.min(memory.at)),
            outputs: tree.digest(i64::MAX),
            outputs_at,
            is_settled,
            problems: outcome.diagnostics.clone(),
            runs: outcome.runs,
            quarantined: outcome.quarantined,
            not_published: outcome.not_published,
            blocking: outcome.blocking,
            cases: outcome.cases.clone(),
            files: outcome.files,
            bytes: outcome.bytes,
        };
        let runs = gathered.archive.runs.iter().zip(&outcome.left);
        let runs = runs.filter_map(|(entry, left)| {
            let left = left.as_ref()?;
            let shown = gathered.directory(entry).place.shown.clone();
            Some((shown, (left.piece, left.texts)))
        });
        let body = Body {
            frame: self.frame,
            files,
            runs: runs.collect(),
            lists: self.made.into_inner().ok()?,
        };
        Arc::into_inner(self.writer?)?.finish(&head, &body)
    }
}

/// Whether the page of a run would show the same of the archive.
pub(super) fn shows_same(
    run: &CachedRun,
    archive: &Archive,
    (index, is_newest): (usize, bool),
) -> bool {
    let names = run.named.iter().map(String::as_str);
    run.is_newest == is_newest
        && run.archive_context == context_digest(&ArchiveContext::of(archive, index, names))
}

/// A digest of what a page shows of the archive.
fn context_digest(context: &ArchiveContext) -> [u8; 16] {
    // Nothing in it can fail to be written.
    kept::digest(&[&postcard::to_stdvec(context).unwrap_or_default()])
}

/// What is kept of a run whose pages stay as they are; `None` when this was not made of one.
fn kept(run: CachedRun, piece: Option<Piece>) -> Option<KeptRun> {
    let (at, size) = run.texts;
    let mut findings = run.findings;
    if !findings.spooled.places().all(|place| place.is_within(size)) {
        return None;
    }
    findings.spooled = findings.spooled.behind(at);
    let account = Account {
        problems: run.problems,
        used: run.used,
        left: piece.map(|piece| Left::of(piece, &run.facets, size)),
        facets: run.facets,
        read: 0,
    };
    Some(KeptRun { findings, account })
}
