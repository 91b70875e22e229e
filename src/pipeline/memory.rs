//! Knows what one build leaves to the next one of the same process: the runs whose pages need not be made again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::diagnostics::Diagnostic;
use crate::model::archive_context::ArchiveContext;
use crate::model::findings::{Findings, Slice, Spooled, SpooledCard};
use crate::publish::Stage;
use crate::spool::Spool;

use super::gather::Gathered;
use super::kept::{KeptPages, KeptRun};
use super::outcome::Outcome;

/// What the last published build kept of its runs.
///
/// The invariant: the pages of a run are reused only when everything that they are made of is unchanged: the files of its
/// directory, what it shows of the archive ([`ArchiveContext`]), its place among the newest, and what all pages have in common
/// (settings, templates, navigation, addresses of the assets). So a build with a memory publishes, byte for byte, what one
/// without it would.
///
/// It is about the site in the output folder: only a build that was put in its place is remembered.
#[derive(Debug, Default)]
pub struct Memory {
    /// What all pages had in common.
    frame: String,
    /// By the run directory's path in diagnostics.
    runs: BTreeMap<String, CachedRun>,
    /// What the findings point into.
    spool: Spool,
}

#[derive(Debug)]
struct CachedRun {
    path: PathBuf,
    findings: Findings,
    pages: KeptPages,
}

impl Memory {
    /// Forgets the runs at these paths, whatever their fingerprints: a file may change within one tick of the clock, and keep
    /// its size.
    pub fn forget(&mut self, paths: &BTreeSet<PathBuf>) {
        let is_named = |run: &Path| {
            let mut paths = paths.iter();
            paths.any(|path| path.starts_with(run) || run.starts_with(path))
        };
        self.runs.retain(|_, run| !is_named(&run.path));
    }

    /// Forgets every run.
    pub fn forget_all(&mut self) {
        self.runs.clear();
    }

    /// Takes the pages of a run over into `stage`, if they would be made again as they are.
    ///
    /// # Errors
    /// The system refuses to write a temporary file.
    pub(super) fn recall(
        &self,
        gathered: &Gathered,
        (index, is_newest): (usize, bool),
        stage: &Stage,
    ) -> Result<Option<KeptRun>, Diagnostic> {
        let archive = &gathered.archive;
        let directory = gathered.directory(&archive.runs[index]);
        let Some(known) = self.runs.get(&directory.place.shown) else {
            return Ok(None);
        };
        let pages = &known.pages;
        let names = pages.archive_context.named.keys().map(String::as_str);
        let is_unchanged = self.frame == gathered.frame
            && known.path == directory.place.path
            && directory.fingerprint == Some(pages.fingerprint)
            && pages.is_newest == is_newest
            && pages.archive_context == ArchiveContext::of(archive, index, names);
        if !is_unchanged || !stage.keep(&pages.files) {
            return Ok(None);
        }
        let mut findings = known.findings.clone();
        findings.spooled = self.spooled(&findings.spooled, &stage.spool)?;
        Ok(Some(KeptRun {
            findings,
            problems: pages.problems.clone(),
            pages: Some(pages.clone()),
        }))
    }

    /// Copies the pieces of a run into another spool.
    fn spooled(&self, of: &Spooled, into: &Spool) -> Result<Spooled, Diagnostic> {
        let copied = |slice: Slice| {
            let piece = self.spool.get(slice);
            into.put(&piece.map_err(|error| crate::spool::refused(&error))?)
        };
        let cards = of.cards.iter().map(|filed| {
            Ok(SpooledCard {
                card: copied(filed.card)?,
                ..*filed
            })
        });
        Ok(Spooled {
            lines: copied(of.lines)?,
            friction: copied(of.friction)?,
            hypotheses: copied(of.hypotheses)?,
            anchors: copied(of.anchors)?,
            cards: cards.collect::<Result<_, Diagnostic>>()?,
            writeup: copied(of.writeup)?,
            compare: of
                .compare
                .iter()
                .copied()
                .map(copied)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Remembers a build that is now in the output folder; `spool` is that of its stage.
    pub(crate) fn learn(&mut self, gathered: &Gathered, outcome: &Outcome, spool: Spool) {
        let runs = gathered.archive.runs.iter().zip(&outcome.findings);
        let remembered = runs
            .zip(&outcome.pages)
            .filter_map(|((entry, findings), pages)| {
                let place = &gathered.directory(entry).place;
                let run = CachedRun {
                    path: place.path.clone(),
                    findings: findings.clone(),
                    pages: pages.clone()?,
                };
                Some((place.shown.clone(), run))
            });
        self.runs = remembered.collect();
        self.frame.clone_from(&gathered.frame);
        self.spool = spool;
    }
}
