//! Sums up a check or a build: every problem, and whether the content can be published.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::site::Site;
use ::secrets::Mask;
use base::diagnostics::{self, Diagnostic, Place, junit};
use base::links::{self, RunFolders, Slug};
use content::rules::expected;
use formats::model::findings::Findings;
use formats::model::slug::{slugify, with_hash};
use pages::view::contribution::Contribution;
use store::ledger::{BuildChanges, Ledger};
use store::publish::{FileCount, Stage};

use super::directories::{Directory, RunStatus};
use super::gather::SiteContent;
use super::hosting;
use super::ledger;
use super::secrets;
use super::summary::{Facets, RunPieces, RunSummaries};
use super::trials;

/// The result of a check or a build. The cache has the parts that a build without changes reports again.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Every problem, sorted.
    pub diagnostics: Vec<Diagnostic>,
    /// In the archive's order; empty once all lists are written.
    #[serde(skip)]
    pub findings: Vec<Findings>,
    /// Number of runs that are published, or would be.
    pub runs: usize,
    /// Number of runs that this build checked, and applied its rules to. The results of the others are those of an earlier build.
    #[serde(skip)]
    pub checked: usize,
    /// Number of runs that are quarantined.
    pub quarantined: usize,
    /// Number of runs that ended in a state that is never published.
    pub not_published: usize,
    /// Number of errors, except those of quarantined runs.
    pub blocking: usize,
    /// What changed from build to build, this one included.
    #[serde(skip)]
    pub ledger: Ledger,
    /// Whether this build has an entry in the ledger.
    #[serde(skip)]
    pub has_changes: bool,
    /// What differs from the base, if one is given.
    #[serde(skip)]
    pub contribution: Option<Contribution>,
    /// Every run directory in order, with the id of its run.
    pub cases: Vec<junit::RunCase>,
    /// Whether the new site is in the output folder.
    #[serde(skip)]
    pub published: bool,
    /// Files written.
    pub files: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Files and bytes written, by kind of file; empty if nothing was written.
    #[serde(skip)]
    pub written: Vec<FileCount>,
    /// Size of the input files of all runs in bytes.
    #[serde(skip)]
    pub read: u64,
    /// Whether the build had nothing to do.
    #[serde(skip)]
    pub is_unchanged: bool,
    /// The place of each run in the next cache, in the archive's order.
    #[serde(skip)]
    pub(super) cached: Vec<Option<RunPieces>>,
    /// Digests for lists, in the archive's order; `None` if those of a run are unknown.
    #[serde(skip)]
    pub(super) facets: Option<Vec<Facets>>,
    /// The pages of quarantined runs.
    #[serde(skip)]
    pub(super) quarantine_pages: Vec<QuarantinePage>,
}

/// The page of a run that is not published because of errors.
#[derive(Debug, Clone)]
pub(super) struct QuarantinePage {
    /// Directory of the run, as in diagnostics.
    pub(super) path: String,
    /// Path of the page.
    pub(super) page: String,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Outcome {
    /// Sorts all problems, and compares the runs with the previous site, unless errors prevent publishing.
    pub(super) fn of(site: &Site, gathered: &SiteContent, summaries: RunSummaries) -> Self {
        let mut diagnostics: Vec<_> = gathered.problems().cloned().collect();
        diagnostics.extend(gathered.archive_problems.iter().cloned());
        let mut used = gathered.used_allowances.clone();
        for run in summaries.invalid {
            used.extend(run.used_allowances);
            diagnostics.extend(run.problems);
        }
        let (mut runs, mut checked, mut read) = (0, 0, 0);
        let (mut findings, mut cached, mut facets) = (Vec::new(), Vec::new(), Vec::new());
        for run in summaries.valid {
            runs += usize::from(!run.has_errors());
            checked += usize::from(run.is_checked);
            read += run.read;
            used.extend(run.used_allowances);
            diagnostics.extend(run.problems);
            findings.push(run.findings);
            cached.push(run.cached);
            facets.push(run.facets);
        }
        diagnostics.extend(secrets::unused(site, &used));
        let unused = expected::unused(&site.config, &diagnostics, &site.expectations);
        diagnostics.extend(unused);
        diagnostics.extend(trials::missing(site, &gathered.archive, &findings));
        diagnostics.extend(trials::unknown_files(site, &findings));
        gathered.mask.apply_all(&mut diagnostics, "");
        diagnostics::sort(&mut diagnostics);
        let quarantine_pages = if site.config.policy.quarantine {
            quarantine_pages(gathered, site.config.publish.run_folders, &diagnostics)
        } else {
            Vec::new()
        };
        let blocking = blocking(site, gathered, &diagnostics);
        let previous = gathered.previous.as_ref();
        let ledger = if blocking == 0 {
            let runs = ledger::runs(&gathered.archive, &findings);
            ledger::next(site, gathered, runs, previous)
        } else {
            Ledger::default()
        };
        let has_facets = cached.iter().all(Option::is_some);
        let directories = gathered.directories.iter();
        Self {
            has_changes: ledger.newest() > previous.map_or(0, Ledger::newest),
            ledger,
            blocking,
            runs,
            checked,
            quarantined: quarantine_pages.len(),
            not_published: directories
                .clone()
                .filter(|run| run.is_never_published())
                .count(),
            diagnostics,
            findings,
            read,
            cached,
            facets: has_facets.then_some(facets),
            quarantine_pages,
            ..Self::default()
        }
    }

    /// The outcome of a build that has nothing to do.
    pub(super) fn unchanged(&self) -> Self {
        Self {
            published: true,
            is_unchanged: true,
            ..self.clone()
        }
    }

    /// Whether a build of the same content over the new site would give the same ledger and the same problems.
    pub(super) fn is_settled(&self, site: &Site, gathered: &SiteContent) -> bool {
        let (before, after) = (gathered.previous.as_ref(), Some(&self.ledger));
        let problems = |previous| {
            let mut problems = gathered.problems_over(site, &gathered.archive, previous);
            diagnostics::sort(&mut problems);
            problems
                .iter()
                .map(|it| format!("{it:?}"))
                .collect::<Vec<_>>()
        };
        let published = self.ledger.runs.iter().filter(|known| !known.quarantined);
        let next = ledger::next(site, gathered, published.cloned().collect(), after);
        self.ledger.has_same_content(&next) && problems(before) == problems(after)
    }

    /// Lists the run directories for reports.
    pub(super) fn list_cases(&mut self, gathered: &SiteContent) {
        let directories = gathered.directories.iter();
        self.cases = directories.map(|run| run.case(&gathered.mask)).collect();
    }

    /// Whether the content may be published.
    pub fn publishes(&self, site: &Site) -> bool {
        let tally = diagnostics::SeverityCounts::of(&self.diagnostics);
        if site.options.deny_warnings && (tally.warnings > 0 || self.quarantined > 0) {
            return false;
        }
        self.blocking == 0
    }

    /// Counts the staged files, which a check does not have, and adds an error for every limit of the host that they exceed.
    pub(super) fn check_size(&mut self, site: &Site, stage: &Stage) {
        if !stage.is_dry_run() {
            self.count_files(stage);
        }
        let size = stage.site_size();
        let problems = size.map_or_else(Vec::new, |size| hosting::problems(&site.config, &size));
        self.blocking += problems.len();
        self.diagnostics.extend(problems);
        diagnostics::sort(&mut self.diagnostics);
    }

    /// Counts the staged files.
    pub(super) fn count_files(&mut self, stage: &Stage) {
        (self.files, self.bytes) = stage.written();
        self.written = stage.written_by_kind();
    }

    /// The changes since the previous site; `None` if there are none, or if there was no site.
    pub fn changes(&self) -> Option<&BuildChanges> {
        let newest = self.ledger.builds.first();
        newest.filter(|build| self.has_changes && build.build > 1)
    }
}

impl Directory {
    pub(super) fn case(&self, mask: &Mask) -> junit::RunCase {
        let path = &self.place.shown;
        let id = self.id().map(|id| {
            let mask = Mask::of_site("", id.as_bytes());
            mask.masked(id).unwrap_or_else(|| id.to_owned())
        });
        junit::RunCase {
            id,
            path: mask.masked(path).unwrap_or_else(|| path.clone()),
        }
    }
}

/// Number of errors that prevent publishing.
fn blocking(site: &Site, gathered: &SiteContent, diagnostics: &[Diagnostic]) -> usize {
    let directories = gathered.directories.iter();
    let left_out: BTreeSet<&str> = directories
        .filter(|run| site.config.policy.quarantine && run.run().is_none())
        .map(|run| run.place.shown.as_str())
        .collect();
    let is_left_out = |place: &Place| place.folders().any(|folder| left_out.contains(folder));
    let errors = diagnostics.iter().filter(|problem| problem.is_error());
    errors.filter(|error| !is_left_out(&error.place)).count()
}

/// The pages of all quarantined runs. `all` has all problems, sorted.
fn quarantine_pages(
    gathered: &SiteContent,
    run_folders: RunFolders,
    all: &[Diagnostic],
) -> Vec<QuarantinePage> {
    let entries = gathered.archive.runs.iter();
    let mut used_slugs: BTreeSet<Slug> = entries.map(|entry| entry.slug.clone()).collect();
    let directories = gathered.directories.iter();
    let pages = directories
        .filter(|directory| directory.is_left_out())
        .map(|directory| {
            let path = directory.place.shown.clone();
            let (own, diagnostics) = if let RunStatus::Quarantined { slug, problems } =
                &directory.status
            {
                (Some(slug.clone()), problems.clone())
            } else {
                let prefix = format!("{path}/");
                let from = all.partition_point(|problem| problem.place.path < prefix);
                let problems = all[from..].iter();
                let own = problems.take_while(|problem| problem.place.path.starts_with(&prefix));
                (None, own.cloned().collect())
            };
            // The page stays at the address of the run, unless another run has it now.
            let own = own.filter(|slug| !used_slugs.contains(slug));
            let slug =
                own.unwrap_or_else(|| Slug::new(&with_hash(&slugify(&path), &path), run_folders));
            let page = links::run(&slug);
            used_slugs.insert(slug);
            QuarantinePage {
                path,
                page,
                diagnostics,
            }
        });
    pages.collect()
}
