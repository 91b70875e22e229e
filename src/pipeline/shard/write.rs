//! Writes a shard as a part: the folders of its runs, and one file with everything else that a merge needs.

use crate::PROGRAM;
use std::path::Path;

use crate::gather::Gathered;
use crate::kept::{Account, CachedRun, OtherRun, StagedRuns};
use crate::memory::Notes;
use crate::site::Site;
use base::diagnostics::Failure;
use content::discover::Shard;
use formats::model::findings::Findings;
use store::cache::{Piece, Writer};
use store::publish::{PART_FILE, Stage};

use super::{Body, Head, OtherShape, PartRun};

/// Adds the part file to the stage.
pub fn write(
    site: &Site,
    gathered: &Gathered,
    (shard, runs): (Shard, &StagedRuns),
    (stage, notes): (&Stage, Option<&Notes<'_>>),
) -> Result<(), Failure> {
    let at = notes.map_or(0, Notes::looked_at);
    let head = Head::of(site, gathered, (shard.number(), shard.count()), at);
    let part = PartWriter { stage, notes };
    let write = |folder: &Path| {
        let writer = Writer::begin(&(vec![folder.to_owned()], PART_FILE.to_owned()), PROGRAM)?;
        let mut body = Body::default();
        let kept = runs.findings.iter().zip(&runs.accounts);
        for (index, kept) in runs.valid.iter().zip(kept) {
            let directory = gathered.directory(&gathered.archive.runs[*index]);
            let piece = part.put(kept, &writer)?;
            body.runs.push((directory.place.shown.clone(), piece));
        }
        body.runs.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let other = |other: &OtherRun| -> (String, OtherShape) {
            let shown = &gathered.directories[other.directory].place.shown;
            (shown.clone(), (other.problems.clone(), other.used.clone()))
        };
        body.others = runs.others.iter().map(other).collect();
        body.others.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        writer.finish(&head, &body)
    };
    stage
        .write_beside(PART_FILE, write)
        .map_err(|problem| gathered.failed(vec![problem]))
}

struct PartWriter<'a> {
    stage: &'a Stage,
    notes: Option<&'a Notes<'a>>,
}

impl PartWriter<'_> {
    /// Writes a run; `None` on failure.
    fn put(&self, kept: (&Findings, &Account), writer: &Writer) -> Option<Piece> {
        let (_, account) = kept;
        let (run, files, texts) = match &account.left {
            Some(left) => {
                let (run, texts) = self.notes?.left(left)?;
                let files = self.stage.part_files(&run.files)?;
                let files_of = CachedRun {
                    files: Vec::new(),
                    ..run
                };
                (files_of, Some(files), texts)
            }
            None => (CachedRun::without_pages(kept), None, Vec::new()),
        };
        let run = PartRun {
            run,
            files,
            texts: writer.put(&texts)?,
            read: account.read,
        };
        writer.put(&postcard::to_stdvec(&run).ok()?)
    }
}

impl CachedRun {
    /// The shape of a run without pages.
    fn without_pages((findings, account): (&Findings, &Account)) -> Self {
        Self {
            inputs: None,
            archive_context: Default::default(),
            named: Vec::new(),
            is_newest: false,
            files: Vec::new(),
            problems: account.problems.clone(),
            used: account.used.clone(),
            facets: Default::default(),
            texts: (0, 0),
            findings: findings.clone(),
        }
    }
}
