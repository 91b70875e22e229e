//! Knows what one build leaves to the next one of the same process: the runs whose pages need not be made again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::diagnostics::Diagnostic;
use crate::load::Look;
use crate::model::archive::Archive;
use crate::model::findings::{Filed, Findings, Slice, Spooled};
use crate::model::surroundings::Surroundings;
use crate::publish::{Kept, Stage};
use crate::spool::Spool;

use super::Gathered;
use super::runs::Processed;

/// What the last published build knew of its runs.
///
/// The invariant: a run is taken over from the site that is replaced only when everything that its pages are made of is as
/// it was - the files of its directory, what it sees of the archive ([`Surroundings`]), its place among the newest, and what
/// all pages have in common (settings, templates, navigation, addresses of the assets). So what a build with a memory
/// publishes is, byte for byte, what one without it would.
///
/// It speaks of the site that stands in the output folder: only a build that was put in its place is remembered.
#[derive(Debug, Default)]
pub struct Memory {
    /// What all pages had in common.
    frame: String,
    /// By the run directory's path in diagnostics.
    runs: BTreeMap<String, Remembered>,
    /// What the findings point into.
    spool: Spool,
}

#[derive(Debug)]
struct Remembered {
    path: PathBuf,
    trace: Trace,
    findings: Findings,
    problems: Vec<Diagnostic>,
}

/// What the pages of a run were made of, and the files that they are.
#[derive(Debug)]
pub(super) struct Trace {
    pub(super) look: Look,
    pub(super) surroundings: Surroundings,
    pub(super) is_newest: bool,
    pub(super) files: Vec<Kept>,
}

/// What the pages of the runs were made of, in the archive's order, with what was noticed about each.
#[derive(Debug)]
pub struct Traces(pub(super) Vec<Option<(Trace, Vec<Diagnostic>)>>);

impl Memory {
    /// Forgets the runs that may be meant by one of these paths, however they look: a file may change within one tick of
    /// the clock, and keep its size.
    pub fn forget(&mut self, paths: &BTreeSet<PathBuf>) {
        let is_meant = |run: &Path| {
            let mut paths = paths.iter();
            paths.any(|path| path.starts_with(run) || run.starts_with(path))
        };
        self.runs.retain(|_, run| !is_meant(&run.path));
    }

    /// Forgets every run.
    pub fn forget_all(&mut self) {
        self.runs.clear();
    }

    /// Takes a run over into `stage`, if it is as it was.
    ///
    /// # Errors
    /// The system refuses to write a temporary file.
    pub(super) fn recall(
        &self,
        gathered: &Gathered,
        (index, is_newest): (usize, bool),
        stage: &Stage,
    ) -> Result<Option<Processed>, Diagnostic> {
        if self.frame != gathered.frame {
            return Ok(None);
        }
        let directory = gathered.archive.runs[index].directory;
        let place = &gathered.directories[directory];
        let (Some(known), Some(look)) = (self.runs.get(&place.shown), gathered.looks[directory])
        else {
            return Ok(None);
        };
        let is_as_it_was = known.path == place.path
            && known.trace.look == look
            && known.trace.is_newest == is_newest
            && known.trace.surroundings == known.trace.surroundings.again(&gathered.archive, index);
        if !is_as_it_was || !stage.keep(&known.trace.files) {
            return Ok(None);
        }
        let mut findings = known.findings.clone();
        findings.spooled = self.spooled(&findings.spooled, &stage.spool)?;
        Ok(Some(Processed {
            findings,
            problems: known.problems.clone(),
            trace: Some(Trace {
                look,
                surroundings: known.trace.surroundings.clone(),
                is_newest,
                files: known.trace.files.clone(),
            }),
        }))
    }

    /// Copies the pieces of a run into another spool.
    fn spooled(&self, of: &Spooled, into: &Spool) -> Result<Spooled, Diagnostic> {
        let copied = |slice: Slice| {
            let piece = self.spool.get(slice);
            into.put(&piece.map_err(|error| crate::spool::refused(&error))?)
        };
        let cards = of.cards.iter().map(|filed| {
            Ok(Filed {
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
        })
    }

    /// Remembers a build that now stands in the output folder; `spool` is that of its stage.
    pub(crate) fn learn(
        &mut self,
        gathered: &Gathered,
        traces: Traces,
        findings: &[Findings],
        spool: Spool,
    ) {
        let runs = gathered.archive.runs.iter().zip(findings).zip(traces.0);
        self.runs = runs
            .filter_map(|((entry, findings), trace)| {
                let (trace, problems) = trace?;
                let directory = &gathered.directories[entry.directory];
                let run = Remembered {
                    path: directory.path.clone(),
                    trace,
                    findings: findings.clone(),
                    problems,
                };
                Some((directory.shown.clone(), run))
            })
            .collect();
        self.frame.clone_from(&gathered.frame);
        self.spool = spool;
    }
}

impl Surroundings {
    /// Those that the same run, which names the same others, has now.
    fn again(&self, archive: &Archive, index: usize) -> Self {
        Self::of(archive, index, self.named.keys().map(String::as_str))
    }
}
