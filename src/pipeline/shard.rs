//! One archive on several machines: a shard leaves its runs as a part, and a merge takes the runs of all parts over.

mod outcome;
mod parts;
mod refused;
mod write;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::cache::Piece;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::{Failure, codes};
use crate::discover::Shard;
use crate::publish::PartFile;
use crate::site::Site;

pub use outcome::outcome;
pub use parts::Parts;
pub use write::write;

use super::directories::{Directory, is_withheld};
use super::gather::Gathered;
use super::kept::{KeptRun, Problem, RunShape};
use super::run::Output;

/// The runs that a build takes through, and where they are from.
#[derive(Debug, Clone, Copy)]
pub enum Share<'a> {
    /// All runs, from the content.
    All,
    /// Those of one shard, from the content.
    Shard(Shard),
    /// All runs, from parts; from the content only what they do not have.
    Parts(&'a Parts),
}

/// What a part is: all parts of a site agree in this but for the number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    number: u32,
    count: u32,
    /// A digest of the settings, templates and static files.
    settings: [u8; 32],
    /// A digest of the key of redactions.
    key: [u8; 32],
    /// A digest of what all pages have in common.
    frame: String,
    /// A digest of all records.
    records: [u8; 32],
    /// When the content was looked at.
    at: i64,
}

/// What is in a part.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Body {
    /// Where the [`PartRun`] of each run is, by the path of its directory in diagnostics. Sorted.
    runs: Vec<(String, Piece)>,
    /// The same of runs whose records are not valid: their problems, and the allowances that they need.
    others: Vec<(String, OtherShape)>,
}

type OtherShape = (Vec<Problem>, BTreeSet<usize>);

/// A run of a part.
#[derive(Debug, Serialize, Deserialize)]
struct PartRun {
    run: RunShape,
    /// Its files; `None` when no pages were made.
    files: Option<Vec<PartFile>>,
    texts: Piece,
    /// Bytes of its files in the content.
    read: u64,
}

impl Head {
    fn of(site: &Site, gathered: &Gathered, shard: (u32, u32), at: i64) -> Self {
        let (number, count) = shard;
        Self {
            number,
            count,
            settings: site.portable_settings(),
            key: site.redaction_key,
            frame: site.frame(&gathered.navigation()),
            records: records(gathered),
            at,
        }
    }
}

/// A digest of all records: where each is, and what is read of it.
fn records(gathered: &Gathered) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for directory in &gathered.directories {
        let shown = directory.place.shown.as_bytes();
        hasher.update(&(shown.len() as u64).to_le_bytes());
        hasher.update(shown);
        hasher.update(directory.record.as_ref().map_or(&[], <[u8; 32]>::as_slice));
        // What is withheld of a record is in another file.
        let is_withheld = is_withheld(&gathered.roots, &directory.place);
        hasher.update(&[u8::from(is_withheld)]);
        if let Some(candidate) = directory.candidate().filter(|_| is_withheld) {
            hasher.update(format!("{:?}", candidate.run).as_bytes());
        }
    }
    hasher.finalize().into()
}

impl Directory {
    /// What a run is assigned to a shard by.
    fn name(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.place.shown)
    }
}

impl<'a> Share<'a> {
    /// The runs that a build of the site takes through.
    #[must_use]
    pub const fn of(site: &Site, parts: Option<&'a Parts>) -> Self {
        match (parts, site.options.shard) {
            (Some(parts), _) => Self::Parts(parts),
            (None, Some(shard)) => Self::Shard(shard),
            (None, None) => Self::All,
        }
    }
}

impl Share<'_> {
    /// Whether the runs that are to be made can be.
    ///
    /// # Errors
    /// The content of some of them is not on this machine.
    pub(super) fn examine(self, gathered: &Gathered) -> Result<(), Failure> {
        let Self::Shard(shard) = self else {
            return Ok(());
        };
        let directories = gathered.directories.iter();
        let missing = directories.filter(|directory| {
            !directory.is_never_published()
                && self.has(directory)
                && gathered.roots.has_only_record(&directory.place)
        });
        let missing: Vec<&str> = missing.map(|it| it.place.shown.as_str()).collect();
        match refused::shard_needs(shard, &missing) {
            Some(problem) => Err(gathered.failed(vec![problem])),
            None => Ok(()),
        }
    }

    /// Whether a run is one of these.
    pub(super) fn has(self, directory: &Directory) -> bool {
        match self {
            Self::Shard(shard) => shard.has(directory.name()),
            Self::All | Self::Parts(_) => true,
        }
    }

    /// Whether it is known before the runs are taken through that some of them have errors.
    pub(super) fn has_errors(self, gathered: &Gathered) -> bool {
        match self {
            Self::Parts(parts) => parts.have_errors(gathered),
            Self::All | Self::Shard(_) => false,
        }
    }

    /// Takes a run over from its part; `None` when it is to be made from the content.
    ///
    /// # Errors
    /// The part is damaged, the content is needed and is not here, or the system refuses.
    pub(super) fn take_over(
        self,
        gathered: &Gathered,
        index: usize,
        (site, output): (&Site, Option<Output<'_>>),
    ) -> Result<Option<KeptRun>, Diagnostic> {
        match self {
            Self::Parts(parts) => {
                let is_newest = index < site.config.feeds.items;
                parts.take_over(gathered, (index, is_newest), output)
            }
            Self::All | Self::Shard(_) => Ok(None),
        }
    }

    /// What a part says of a run whose record is not valid.
    pub(super) fn other(self, directory: &Directory) -> Option<(Vec<Diagnostic>, BTreeSet<usize>)> {
        match self {
            Self::Parts(parts) => parts.other(directory),
            Self::All | Self::Shard(_) => None,
        }
    }

    /// When the content of parts was looked at.
    #[must_use]
    pub fn looked_at(self) -> Option<i64> {
        match self {
            Self::Parts(parts) => Some(parts.looked_at()),
            Self::All | Self::Shard(_) => None,
        }
    }
}

/// All runs, or why they cannot be taken through: one problem, and every run whose content is needed and is not here.
pub(super) fn all(runs: Vec<Result<KeptRun, Diagnostic>>) -> Result<Vec<KeptRun>, Failure> {
    let mut kept = Vec::with_capacity(runs.len());
    let mut needed = Vec::new();
    for run in runs {
        match run {
            Ok(run) => kept.push(run),
            Err(problem) if problem.code == &codes::MERGE_NEEDS_CONTENT => {
                needed.push(problem.place.path);
            }
            Err(problem) => return Err(vec![problem]),
        }
    }
    let needed: Vec<&str> = needed.iter().map(String::as_str).collect();
    match refused::merge_needs(&needed) {
        Some(problem) => Err(vec![problem]),
        None => Ok(kept),
    }
}
