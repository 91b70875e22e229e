//! Knows the steps of a build: gather every record, pass over every run, publish lists and feeds.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::Failure;
use crate::diagnostics::{self, Diagnostic, junit};
use crate::discover::{ProseFile, RunDirectory};
use crate::formats::page::Prose;
use crate::formats::withdrawn::Withdrawals;
use crate::ledger::{Build, Ledger};
use crate::load::{Loaded, Look};
use crate::markup::Origin;
use crate::model::archive::{Archive, Sort};
use crate::model::findings::Findings;
use crate::model::slug::{slugify, with_hash};
use crate::publish::Stage;
use crate::render::Html;
use crate::render::markdown::{self, Context};
use crate::render::templates::Renderer;
use crate::rules::archive::Candidate;
use crate::rules::links::Internal;
use crate::rules::pages::Shelf;
use crate::site::Site;
use crate::view::catalogue::GroupProse;
use crate::view::problems::Quarantined;
use crate::view::{Link, links};

mod cards;
mod changes;
mod data;
#[cfg(feature = "parquet")]
mod export;
mod finding;
mod flight;
mod gather;
mod lists;
mod memory;
mod public;
mod runs;

pub use memory::{Memory, Traces};

use flight::Flight;
use memory::Trace;

/// Told about the progress of a build.
pub trait Progress: Sync {
    /// A step begins; it will take so many ticks.
    fn begin(&self, step: &'static str, ticks: usize);
    /// One tick of the step is done.
    fn tick(&self);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _step: &'static str, _ticks: usize) {}

    fn tick(&self) {}
}

/// Everything small: the records, the prose and what was noticed about them.
#[derive(Debug)]
pub struct Gathered {
    pool: Pool,
    directories: Vec<RunDirectory>,
    /// One per directory, in a build that may be remembered; `None` when it cannot be.
    looks: Vec<Option<Look>>,
    /// What all pages have in common, in a build that may be remembered.
    frame: String,
    /// One per directory; `None` when the record cannot be read.
    records: Vec<Option<Loaded>>,
    /// One per directory; `None` when the record is not valid.
    candidates: Vec<Option<Candidate>>,
    /// One per directory: the run id, where the record says it, however broken the rest is.
    ids: Vec<Option<String>>,
    prose: Vec<(ProseFile, Prose)>,
    /// The links of the prose that stay on the site.
    links: Vec<Internal>,
    archive: Archive,
    /// Problems found while gathering, and those of runs that were set aside.
    diagnostics: Vec<Diagnostic>,
    /// Problems of each record, by directory: the run's own document tells them, too.
    noticed: BTreeMap<usize, Vec<Diagnostic>>,
    /// Runs that ended in a state that is never published, by directory.
    not_published: BTreeSet<usize>,
    /// Drafts that are not published, by their paths in diagnostics.
    drafts: Vec<String>,
    /// Runs that were set aside, by directory.
    set_aside: BTreeMap<usize, SetAside>,
    /// Pages of the runs that were set aside, once the archive is final.
    quarantined: Vec<Quarantined>,
    /// Problems of the archive as it stands now.
    archive_notes: Vec<Diagnostic>,
    /// The ledger of the site that is replaced.
    previous: Option<Ledger>,
    /// The lists of withdrawn runs: path, text and what it says.
    withdrawals: Vec<(String, Vec<u8>, Withdrawals)>,
}

#[derive(Debug)]
struct Pool(rayon::ThreadPool);

/// A run that was set aside after its files were read.
#[derive(Debug)]
struct SetAside {
    /// The address it had.
    slug: String,
    diagnostics: Vec<Diagnostic>,
}

/// What one pass over the runs found, in the archive's order.
#[derive(Debug)]
pub struct Pass {
    runs: Vec<(Findings, Vec<Diagnostic>)>,
    /// What their pages were made of, where they may be remembered.
    traces: Vec<Option<Trace>>,
    /// Problems of runs whose records are not valid.
    others: Vec<Diagnostic>,
}

/// Where the pages of runs go, and how they are made.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// Where they go.
    pub stage: &'a Stage,
    /// What makes them.
    pub renderer: &'a Renderer,
    /// What need not be made again.
    pub memory: Option<&'a Memory>,
}

impl Pass {
    /// Takes out what a memory needs of the pass.
    pub fn traces(&mut self) -> Traces {
        let traces = std::mem::take(&mut self.traces).into_iter();
        let told = traces.zip(&self.runs);
        Traces(
            told.map(|(trace, (_, problems))| Some((trace?, problems.clone())))
                .collect(),
        )
    }
}

/// What a check or a build came to.
#[derive(Debug)]
pub struct Outcome {
    /// Every problem, sorted.
    pub diagnostics: Vec<Diagnostic>,
    /// What is kept of each run, in the archive's order.
    pub findings: Vec<Findings>,
    /// Runs that are published, or would be.
    pub runs: usize,
    /// Runs that were set aside.
    pub quarantined: usize,
    /// Runs that ended in a state that is never published.
    pub not_published: usize,
    /// Errors that are not those of a run that was set aside.
    pub blocking: usize,
    /// What changed from build to build, this one included.
    pub ledger: Ledger,
    /// Whether this build changed something.
    pub is_news: bool,
    /// Every run directory in order, with the run's id where its record says it.
    pub cases: Vec<junit::Case>,
    /// Whether a new site stands in its place.
    pub published: bool,
    /// Files written.
    pub files: u64,
    /// Bytes written.
    pub bytes: u64,
}

impl Outcome {
    /// Whether the content may be published.
    #[must_use]
    pub fn publishes(&self, site: &Site) -> bool {
        let tally = diagnostics::Tally::of(&self.diagnostics);
        if site.deny_warnings && (tally.warnings > 0 || self.quarantined > 0) {
            return false;
        }
        self.blocking == 0
    }

    /// What changed since the site that is replaced; `None` when nothing did, or when there was none.
    #[must_use]
    pub fn news(&self) -> Option<&Build> {
        let newest = self.ledger.builds.first();
        newest.filter(|build| self.is_news && build.build > 1)
    }
}

impl Gathered {
    /// A failure, with the problems of the content that were found before it.
    #[must_use]
    pub fn failed(&self, mut failure: Failure) -> Failure {
        failure.extend(self.diagnostics.iter().cloned());
        diagnostics::sort(&mut failure);
        failure
    }

    /// The prose pages that stand in the navigation.
    #[must_use]
    pub fn navigation(&self) -> Vec<Link> {
        let mut pages: Vec<_> = self
            .prose
            .iter()
            .filter(|(file, _)| file.shelf == Shelf::Page && file.slug != "index")
            .collect();
        pages.sort_by_key(|(file, prose)| (prose.order.unwrap_or(i64::MAX), file.slug.clone()));
        pages
            .iter()
            .map(|(file, prose)| Link {
                text: title(file, prose),
                href: links::prose(&file.slug),
            })
            .collect()
    }

    /// One pass over all runs. The pages of each run are written as soon as it is read - unless there is an error
    /// already that keeps the site from being published.
    ///
    /// # Errors
    /// The site cannot be written.
    pub fn pass(
        &self,
        site: &Site,
        output: Output<'_>,
        progress: &dyn Progress,
    ) -> Result<Pass, Failure> {
        let doomed =
            !site.config.policy.quarantine && self.diagnostics.iter().any(Diagnostic::is_error);
        let output = (!doomed).then_some(output);
        progress.begin("Runs", self.directories.len() - self.not_published.len());
        let flight = Flight::default();
        self.pool.0.install(|| {
            let results: Vec<_> = (0..self.archive.runs.len())
                .into_par_iter()
                .map(|index| {
                    let result = runs::process(site, self, index, (output, &flight));
                    progress.tick();
                    result
                })
                .collect();
            let mut runs = Vec::with_capacity(results.len());
            let mut traces = Vec::with_capacity(results.len());
            for result in results {
                let run = result.map_err(|problem| vec![problem])?;
                runs.push((run.findings, run.problems));
                traces.push(run.trace);
            }
            // Runs without a valid record: their other files are checked all the same.
            let others = (0..self.directories.len())
                .into_par_iter()
                .filter(|index| {
                    self.candidates[*index].is_none()
                        && !self.set_aside.contains_key(index)
                        && !self.not_published.contains(index)
                })
                .map(|index| {
                    progress.tick();
                    runs::check_only(site, self, index, &flight)
                })
                .collect::<Vec<_>>();
            Ok(Pass {
                runs,
                traces,
                others: others.into_iter().flatten().collect(),
            })
        })
    }

    /// Sets invalid runs aside, when the site asks for that; `true` means that the pass must be repeated,
    /// because the archive changed.
    pub fn quarantine(&mut self, site: &Site, pass: &Pass) -> bool {
        if !site.config.policy.quarantine {
            return false;
        }
        let mut changed = false;
        for (index, (_, problems)) in pass.runs.iter().enumerate() {
            if problems.iter().any(Diagnostic::is_error) {
                let entry = &self.archive.runs[index];
                let set_aside = SetAside {
                    slug: entry.slug.clone(),
                    diagnostics: problems.clone(),
                };
                self.diagnostics.extend(problems.iter().cloned());
                self.candidates[entry.directory] = None;
                self.set_aside.insert(entry.directory, set_aside);
                changed = true;
            }
        }
        if changed {
            self.assemble(site);
        }
        changed
    }

    /// Puts everything that was noticed in order.
    #[must_use]
    pub fn outcome(&mut self, site: &Site, pass: Pass) -> Outcome {
        let mut all = self.diagnostics.clone();
        all.extend(self.archive_notes.iter().cloned());
        all.extend(pass.others);
        let mut findings = Vec::with_capacity(pass.runs.len());
        let mut broken = 0;
        for (found, problems) in pass.runs {
            broken += usize::from(problems.iter().any(Diagnostic::is_error));
            findings.push(found);
            all.extend(problems);
        }
        diagnostics::sort(&mut all);
        let mut set_aside: BTreeSet<&str> = BTreeSet::new();
        if site.config.policy.quarantine {
            self.quarantine_pages(&all);
            set_aside.extend(self.quarantined.iter().map(|run| run.path.as_str()));
            let stopped = self.not_published.iter();
            set_aside.extend(stopped.map(|index| self.directories[*index].shown.as_str()));
        }
        let is_set_aside = |path: &str| {
            let parents = path
                .char_indices()
                .filter(|(_, c)| *c == '/')
                .map(|(at, _)| &path[..at]);
            parents
                .chain([path])
                .any(|parent| set_aside.contains(parent))
        };
        let ledger = self.ledger(site, &findings);
        let newest = self.previous.as_ref().map_or(0, Ledger::newest);
        Outcome {
            is_news: ledger.newest() > newest,
            ledger,
            blocking: all
                .iter()
                .filter(|d| d.is_error() && !is_set_aside(&d.place.path))
                .count(),
            cases: self.cases(),
            runs: self.archive.runs.len() - broken,
            quarantined: self.quarantined.len(),
            not_published: self.not_published.len(),
            diagnostics: all,
            findings,
            published: false,
            files: 0,
            bytes: 0,
        }
    }

    fn cases(&self) -> Vec<junit::Case> {
        let pairs = self.directories.iter().zip(&self.ids);
        pairs
            .map(|(directory, id)| junit::Case {
                id: id.clone(),
                path: directory.shown.clone(),
            })
            .collect()
    }

    /// Gives every run that is not published a page that says so: those set aside, and those whose record is
    /// broken and never entered the archive.
    fn quarantine_pages(&mut self, all: &[Diagnostic]) {
        let mut taken: BTreeSet<String> = self
            .archive
            .runs
            .iter()
            .map(|entry| entry.slug.clone())
            .collect();
        for index in 0..self.directories.len() {
            if self.candidates[index].is_some() || self.not_published.contains(&index) {
                continue;
            }
            let path = self.directories[index].shown.clone();
            let known = self.set_aside.get(&index);
            let diagnostics = known.map_or_else(
                || {
                    // They are sorted by path.
                    let prefix = format!("{path}/");
                    let from = all.partition_point(|d| d.place.path < prefix);
                    all[from..]
                        .iter()
                        .take_while(|d| d.place.path.starts_with(&prefix))
                        .cloned()
                        .collect()
                },
                |known| {
                    let mut problems = known.diagnostics.clone();
                    diagnostics::sort(&mut problems);
                    problems
                },
            );
            // Its own address, unless another run has it now.
            let own = known
                .map(|known| known.slug.clone())
                .filter(|slug| !taken.contains(slug));
            let slug = own.unwrap_or_else(|| with_hash(&slugify(&path), &path));
            taken.insert(slug.clone());
            self.quarantined.push(Quarantined {
                page: links::run(&slug),
                path,
                diagnostics,
            });
        }
    }

    /// Writes everything that is not a run's own: lists, tables, prose, feeds, assets.
    ///
    /// # Errors
    /// The site cannot be written, or a template cannot be rendered.
    pub fn publish_lists(
        &self,
        site: &Site,
        outcome: &Outcome,
        (stage, renderer): (&Stage, &Renderer),
        progress: &dyn Progress,
    ) -> Result<(), Failure> {
        let lists = lists::Lists {
            gathered: self,
            site,
            outcome,
            stage,
            renderer,
        };
        self.pool
            .0
            .install(|| lists.publish(progress))
            .map_err(|problem| vec![problem])
    }
}

/// The prose of a case, model or harness.
fn group_prose(site: &Site, (sort, found): (Sort, Option<&Prose>), slug: &str) -> GroupProse {
    found.map_or_else(GroupProse::default, |prose| GroupProse {
        title: prose.title.clone(),
        description: prose.description.clone(),
        html: own_markdown(
            site,
            &links::group(sort.folder(), slug),
            &prose.body,
            "about",
        ),
    })
}

fn title(file: &ProseFile, prose: &Prose) -> String {
    prose.title.clone().unwrap_or_else(|| file.slug.clone())
}

/// Prose of the site, for the page at the path `page`; on one that has headings of its own, `scope` keeps the two apart.
fn own_markdown(site: &Site, page: &str, text: &str, scope: &str) -> Html {
    markdown::render(
        text,
        Context {
            scope,
            shift: 1,
            origin: Origin::Site(&|address| site.pictures.size(page, address)),
        },
    )
}

/// A run of the archive, for the steps in [`runs`].
fn run_of(
    gathered: &Gathered,
    index: usize,
) -> (
    &crate::model::archive::Entry,
    &RunDirectory,
    Option<&Loaded>,
) {
    let entry = &gathered.archive.runs[index];
    (
        entry,
        &gathered.directories[entry.directory],
        gathered.records[entry.directory].as_ref(),
    )
}

/// Whether a run stands among the newest, whose writeups JSON Feed carries.
fn is_newest(site: &Site, index: usize) -> bool {
    index < site.config.feeds.items
}
