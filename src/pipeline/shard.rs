//! Builds on several machines: a shard writes its runs as a part, and a merge adopts the runs of all parts.

mod parts;
mod problems;
mod write;

use serde::{Deserialize, Serialize};

use crate::site::Site;
use base::diagnostics::{self, Diagnostic, Failure, codes};
use content::discover::Shard;
use formats::model::archive::{Archive, GroupBy};
use store::publish::Stage;

pub(super) use parts::ShardParts;
pub(super) use write::write;

use super::directories::{Directory, is_withheld};
use super::gather::SiteContent;
use super::outcome::Outcome;
use super::summary::{RunSummaries, hash_text};

/// Which runs a build processes, and where they come from.
#[derive(Debug, Clone, Copy)]
pub(super) enum BuildScope<'a> {
    /// All runs, from the content.
    All,
    /// The runs of one shard, from the content.
    Shard(Shard),
    /// All runs, from parts; from the content only if a page in a part is stale.
    Parts(&'a ShardParts),
}

/// The head of a part. All parts of a site have the same, except for `number` and `at`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PartHead {
    number: u32,
    count: u32,
    /// Digests of the settings, of the templates and of the static files.
    settings: [[u8; 32]; 3],
    /// A digest of the redaction key.
    key: [u8; 32],
    /// A digest of what all pages have in common.
    frame: String,
    /// A digest of all records.
    records: [u8; 32],
    /// A digest of the addresses of all runs, cases, models and harnesses.
    addresses: [u8; 32],
    /// When the content was scanned.
    at: i64,
}

impl PartHead {
    /// What the heads of all parts of a site have in common.
    fn of(site: &Site, gathered: &SiteContent) -> Self {
        Self {
            number: 0,
            count: 0,
            settings: site.portable_settings(),
            key: site.redaction_key,
            frame: site.frame(&gathered.navigation()),
            records: records(gathered),
            addresses: addresses(&gathered.archive),
            at: 0,
        }
    }
}

/// A digest of all records: the path of each, and its content after redaction.
fn records(gathered: &SiteContent) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for directory in &gathered.directories {
        hash_text(&mut hasher, &directory.place.shown);
        hasher.update(directory.digest.as_ref().map_or(&[], <[u8; 32]>::as_slice));
        // Redactions of a record are in a separate file.
        let is_withheld = is_withheld(&gathered.roots, &directory.place);
        hasher.update(&[u8::from(is_withheld)]);
        if let Some(run) = directory.run().filter(|_| is_withheld) {
            hasher.update(format!("{run:?}").as_bytes());
        }
    }
    hasher.finalize().into()
}

/// A digest of all addresses, which depend on the ledger of the published site.
fn addresses(archive: &Archive) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    let runs = archive.runs.iter();
    let runs = runs.flat_map(|entry| [&*entry.run.id, &*entry.slug]);
    let groups = GroupBy::ALL.into_iter();
    let groups = groups.flat_map(|group_by| archive.groups(group_by));
    let groups = groups.flat_map(|group| [group.name.as_str(), group.slug.as_str()]);
    for text in runs.chain(groups) {
        hash_text(&mut hasher, text);
    }
    hasher.finalize().into()
}

impl Directory {
    /// The key that assigns a run to a shard: its id, or its path if it has none.
    fn name(&self) -> &str {
        self.id().unwrap_or(&self.place.shown)
    }
}

impl<'a> BuildScope<'a> {
    /// Checks that this machine has the content of all runs of the shard.
    pub(super) fn check_content(self, gathered: &SiteContent) -> Result<(), Failure> {
        let Self::Shard(shard) = self else {
            return Ok(());
        };
        let directories = gathered.directories.iter();
        let missing = directories.filter(|directory| {
            !directory.is_never_published()
                && self.has(directory)
                && gathered.roots.has_only_record(&directory.place)
        });
        let missing = missing.map(|it| problems::shard_needs(shard, &it.place.shown));
        match missing.collect::<Failure>() {
            missing if missing.is_empty() => Ok(()),
            missing => Err(gathered.failed(missing)),
        }
    }

    /// Whether the scope includes a run.
    pub(super) fn has(self, directory: &Directory) -> bool {
        match self {
            Self::Shard(shard) => shard.has(directory.name()),
            Self::All | Self::Parts(_) => true,
        }
    }

    /// The parts that runs are adopted from.
    pub(super) const fn parts(self) -> Option<&'a ShardParts> {
        match self {
            Self::Parts(parts) => Some(parts),
            Self::All | Self::Shard(_) => None,
        }
    }
}

/// All runs; or the first problem, or every run whose content is missing.
pub(super) fn all<T>(runs: Vec<Result<T, Diagnostic>>) -> Result<Vec<T>, Failure> {
    let problems = || runs.iter().filter_map(|run| run.as_ref().err());
    let needs_content = |problem: &&Diagnostic| problem.code == &codes::MERGE_NEEDS_CONTENT;
    if let Some(problem) = problems().find(|problem| !needs_content(problem)) {
        return Err(vec![problem.clone()]);
    }
    match problems().cloned().collect::<Failure>() {
        needed if needed.is_empty() => Ok(runs.into_iter().filter_map(Result::ok).collect()),
        needed => Err(needed),
    }
}

/// The outcome of a build that writes a part.
pub(super) fn outcome(
    site: &Site,
    gathered: &SiteContent,
    shard: Shard,
    summaries: RunSummaries,
    stage: &Stage,
) -> Outcome {
    let scope = BuildScope::Shard(shard);
    let directories = gathered.directories.iter();
    let own: Vec<&Directory> = directories.filter(|run| scope.has(run)).collect();
    let problems = own.iter().flat_map(|run| &run.record.diagnostics).cloned();
    let mut diagnostics: Vec<_> = problems.collect();
    diagnostics.extend(summaries.invalid.into_iter().flat_map(|run| run.problems));
    let mut outcome = Outcome {
        not_published: own.iter().filter(|run| run.is_never_published()).count(),
        quarantined: own.iter().filter(|run| run.is_left_out()).count(),
        cases: own.iter().map(|run| run.case(&gathered.mask)).collect(),
        ..Outcome::default()
    };
    for run in summaries.valid {
        if run.has_errors() {
            outcome.quarantined += 1;
        } else {
            outcome.runs += 1;
        }
        outcome.read += run.read;
        outcome.cached.push(run.cached);
        diagnostics.extend(run.problems);
    }
    gathered.mask.apply_all(&mut diagnostics, "");
    diagnostics::sort(&mut diagnostics);
    if !site.config.policy.quarantine {
        outcome.quarantined = 0;
        outcome.blocking = diagnostics.iter().filter(|it| it.is_error()).count();
    }
    outcome.diagnostics = diagnostics;
    outcome.count_files(stage);
    outcome
}
