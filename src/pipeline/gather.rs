//! Finds all content, and reads every record and every page of prose. All of these are small.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::ThreadPool;

use super::cache::CachedRecords;
use super::directories::{self, Directory, RunStatus};
use super::hosting;
use super::lists;
use super::previous;
use super::prose::{ProseText, SiteProse};
use super::secrets;
use super::summary::RunSummaries;
use super::{NoProgress, Progress};
use crate::site::Site;
use ::secrets::Mask;
use base::diagnostics::Failure;
use base::diagnostics::text::quoted;
use base::diagnostics::{self, Diagnostic, Place, Severity, Source, codes};
use base::links::Slug;
use content::discover::{self, ContentPath, ContentRoots, RunDirectory};
use content::load;
use content::rules;
use content::rules::decisions::DecisionTargets;
use content::rules::links::LinkTargets;
use formats::config::Limits;
use formats::decisions::{self, Decision};
use formats::model::archive::{Archive, ArchiveEntry, GroupBy};
use formats::redactions::proof::KEY_FILE;
use formats::withdrawn::{self, Withdrawals};
use formats::{events, run_record};
use pages::view::Link;
use store::ledger::{AddressOwners, Ledger};

/// Size of the stacks of worker threads, in bytes: far more than the deepest template or Markdown needs.
const STACK: usize = 16 << 20;

/// What a build reads before the runs: the records, the prose and their problems.
#[derive(Debug)]
pub struct SiteContent {
    pub(super) pool: ThreadPool,
    /// How the content looked before it was read.
    pub(super) roots: ContentRoots,
    pub(super) directories: Vec<Directory>,
    /// The valid runs in order, with their addresses.
    pub(super) archive: Archive,
    /// Problems across runs.
    pub(super) archive_problems: Vec<Diagnostic>,
    pub(super) prose: SiteProse,
    /// First path segments that pages of prose cannot have.
    reserved: BTreeSet<&'static str>,
    pub(super) withdrawals: Vec<ContentList<Withdrawals>>,
    /// The decisions about runs, by date.
    pub(super) decisions: Vec<Arc<Decision>>,
    /// The ledger of the site that is replaced.
    pub(super) previous: Option<Ledger>,
    /// Problems of records, prose and settings.
    problems: Vec<Diagnostic>,
    /// Indices of the allowances of secrets that are needed so far.
    pub(super) used_allowances: BTreeSet<usize>,
    /// The values of secrets in the site's own texts and in the names of run directories.
    pub(super) mask: Mask,
}

/// A list of a content root: its withdrawn runs, or decisions about runs.
#[derive(Debug)]
pub(super) struct ContentList<T> {
    path: String,
    bytes: Vec<u8>,
    pub(super) list: T,
}

impl SiteContent {
    /// Finds and reads all records and prose.
    pub fn read(site: &Site) -> Result<Self, Failure> {
        Self::gather(
            site,
            site.scan_content(),
            CachedRecords::default(),
            &NoProgress,
        )
    }

    /// Finds all content in `roots` and reads every page of prose, and every record that is not in `records` as it looks.
    pub(super) fn gather(
        site: &Site,
        roots: ContentRoots,
        records: CachedRecords,
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        let pool = pool(site)?;
        let reserved = lists::reserved(site);
        let mut problems = Vec::new();
        let found = discover::discover_with(
            &site.root,
            &site.content,
            site.options.records.as_deref(),
            &roots,
        );
        let found = found.unpack(&mut problems);
        if problems
            .iter()
            .any(|problem| problem.code == &codes::CONTENT_MISSING_ROOT)
        {
            return Err(problems);
        }
        progress.begin("Reading records", Some(found.runs.len()));
        let (directories, found_in_records) =
            pool.install(|| directories::read(site, found.runs, &roots, records, progress));
        let previous =
            previous::ledger(site).map_err(|problem| failure(vec![problem], &problems))?;
        problems.extend(found_in_records);
        let limits = &site.config.limits;
        let parse = |path: &str, bytes: &[u8]| withdrawn::parse(Source::file(path, bytes));
        let withdrawals = read_lists(&found.withdrawn, limits, parse, &mut problems);
        let decided = read_lists(&found.decisions, limits, decisions::parse, &mut problems);
        let prose = SiteProse::read(site, found.prose, &reserved, &mut problems);
        if directories.is_empty() {
            problems.push(no_runs(site, &found.nearly_runs));
        }
        problems.extend(settings_notes(site));
        let lists = withdrawals.iter();
        let lists = lists.map(|list| (list.path.as_str(), list.bytes.as_slice()));
        let files = decided.iter();
        let lists = lists.chain(files.map(|file| (file.path.as_str(), file.bytes.as_slice())));
        let folders = directories
            .iter()
            .map(|directory| directory.place.shown.as_str());
        let own = secrets::own(site, &prose, lists, folders);
        let own = own.map_err(|problem| failure(vec![problem], &problems))?;
        problems.extend(own.problems);
        own.mask.apply_all(&mut problems, "");
        let mut decisions: Vec<_> = decided
            .into_iter()
            .flat_map(|file| file.list)
            .map(Arc::new)
            .collect();
        decisions.sort_by_key(|decision| decision.date);
        let gathered = Self {
            pool,
            roots,
            directories,
            archive: Archive::default(),
            archive_problems: Vec::new(),
            prose,
            reserved,
            withdrawals,
            decisions,
            previous,
            problems,
            used_allowances: own.used,
            mask: own.mask,
        };
        Ok(gathered.with_archive(site))
    }

    /// Quarantines the runs that have errors.
    pub(super) fn without_invalid(mut self, site: &Site, runs: RunSummaries) -> Self {
        for (entry, run) in self.archive.runs.iter().zip(runs.valid) {
            if run.has_errors() {
                self.used_allowances.extend(run.used_allowances);
                // A published run keeps its address.
                let known = self.previous.as_ref();
                let known = known.and_then(|ledger| ledger.last_names(&entry.run.id));
                let status = RunStatus::Quarantined {
                    slug: known.map_or_else(
                        || entry.slug.clone(),
                        |run| Slug::new(&run.slug, site.config.publish.run_folders),
                    ),
                    problems: run.problems,
                };
                self.directories[run.directory].status = status;
            }
        }
        self.with_archive(site)
    }

    /// Drops the scan of the content, once all runs are processed: lists do not need it.
    pub(super) fn drop_scan(&mut self, site: &Site) -> Result<(), Failure> {
        self.roots.drop_listings();
        self.replace_threads(site)
    }

    /// Replaces the threads of the pool, because the allocator returns some freed memory only when a thread ends.
    pub(super) fn replace_threads(&mut self, site: &Site) -> Result<(), Failure> {
        self.pool = pool(site)?;
        Ok(())
    }

    /// Makes the archive of the valid runs.
    fn with_archive(self, site: &Site) -> Self {
        let mask = RefCell::new(Mask::default());
        let (mut archive, mut problems) = rules::archive::assemble(
            directories::candidates(&self.directories),
            self.previous.as_ref(),
            site.config.publish.run_folders,
            |candidate| self.directories[candidate.directory].id_place(site, &mask),
            &|slug| self.prose.text_of_case(slug),
        );
        mask.into_inner().apply_all(&mut problems, "");
        archive.decide(&self.decisions);
        problems.extend(rules::pages::check_unmatched(self.prose.files(), &archive));
        problems.extend(self.problems_over(site, &archive, self.previous.as_ref()));
        self.mask.apply_all(&mut problems, "");
        Self {
            archive,
            archive_problems: problems,
            ..self
        }
    }

    /// Problems that depend on the ledger of an earlier site.
    pub(super) fn problems_over(
        &self,
        site: &Site,
        archive: &Archive,
        previous: Option<&Ledger>,
    ) -> Vec<Diagnostic> {
        let targets = self.targets(site, archive, previous);
        let mut problems = rules::links::check(&self.prose.links, &targets);
        for file in &self.withdrawals {
            let source = Source::file(&file.path, &file.bytes);
            problems.extend(rules::withdrawn::check(
                source, &file.list, archive, previous,
            ));
        }
        problems.extend(rules::decisions::check(
            &self.decisions,
            archive,
            &self.decision_targets(site, previous),
        ));
        problems.extend(hosting::flat_folders(
            &site.config,
            archive.runs.len(),
            previous,
        ));
        problems
    }

    /// The valid run in a directory.
    pub fn run_in(&self, place: &RunDirectory) -> Option<&ArchiveEntry> {
        let mut runs = self.archive.runs.iter();
        runs.find(|entry| self.directory(entry).place.shown == place.shown)
    }

    /// The problems that one more decision would have.
    pub fn problems_with(&self, site: &Site, decision: &Decision) -> Vec<Diagnostic> {
        let targets = self.decision_targets(site, self.previous.as_ref());
        rules::decisions::check_new(decision, &self.archive, &targets)
    }

    /// What decisions may name in addition to the runs of the archive.
    fn decision_targets<'a>(
        &'a self,
        site: &'a Site,
        previous: Option<&'a Ledger>,
    ) -> DecisionTargets<'a> {
        let known = previous.into_iter().flat_map(|ledger| {
            let runs = ledger.runs.iter().map(|known| &known.run);
            let gone = ledger.withdrawn.iter().map(|gone| &gone.run);
            runs.chain(gone).map(|run| &*run.id)
        });
        let named = self.withdrawals.iter().flat_map(|file| &file.list.run);
        let named = named.map(|run| run.id.get_ref().as_str());
        let here = self.directories.iter().filter_map(Directory::id);
        DecisionTargets {
            other_runs: known.chain(named).chain(here).collect(),
            rules: site.rules.list.iter().map(|rule| &*rule.id).collect(),
        }
    }

    /// The addresses and ids that prose may link to.
    fn targets<'a>(
        &'a self,
        site: &'a Site,
        archive: &'a Archive,
        previous: Option<&'a Ledger>,
    ) -> LinkTargets<'a> {
        let run_folders = site.config.publish.run_folders;
        let gone = previous.into_iter().flat_map(|ledger| {
            let runs = ledger.runs.iter().map(|known| &known.run);
            let withdrawn = ledger.withdrawn.iter().map(|gone| &gone.run);
            let slugs = runs.chain(withdrawn).map(|run| &*run.slug);
            slugs.chain(ledger.moved.iter().map(|was| &*was.slug))
        });
        let gone = gone.map(|slug| Slug::new(slug, run_folders));
        let quarantined = self.quarantined().map(|(slug, _)| slug.clone());
        let pages = self.prose.texts.iter().map(ProseText::page);
        let files = pages.chain(site.static_files().map(str::to_owned));
        let files = files.chain(["index.html".to_owned()]).collect();
        let ids = self.prose.texts.iter().rev();
        let ids = ids.map(|text| (text.page(), &text.ids)).collect();
        let mut targets = LinkTargets::new(files, archive, gone.chain(quarantined));
        targets.ids = ids;
        targets.templates = site.template_texts().collect();
        targets.reserved.clone_from(&self.reserved);
        targets
    }

    /// The address and the problems of each quarantined run.
    fn quarantined(&self) -> impl Iterator<Item = (&Slug, &[Diagnostic])> {
        let directories = self.directories.iter();
        directories.filter_map(|directory| match &directory.status {
            RunStatus::Quarantined { slug, problems } => Some((slug, problems.as_slice())),
            _ => None,
        })
    }

    /// Owners of the addresses of cases, models and harnesses, and of quarantined runs that were never published.
    pub(super) fn address_owners(&self) -> AddressOwners {
        let mut owners = AddressOwners::default();
        for group_by in GroupBy::ALL {
            for group in self.archive.groups(group_by) {
                owners.add_name(group_by, &group.slug, &group.name);
            }
        }
        let previous = self.previous.as_ref();
        let quarantined = self.directories.iter().filter_map(|directory| {
            let RunStatus::Quarantined { slug, .. } = &directory.status else {
                return None;
            };
            Some((slug, directory.id()?))
        });
        let new: Vec<_> = quarantined
            .filter(|(_, id)| previous.is_none_or(|ledger| ledger.last_names(id).is_none()))
            .collect();
        if !new.is_empty() {
            let published = self.archive.runs.iter().map(|entry| &entry.slug);
            let published: BTreeSet<&Slug> = published.collect();
            for (slug, id) in new
                .into_iter()
                .filter(|(slug, _)| !published.contains(slug))
            {
                owners.add_run(slug, id);
            }
        }
        owners
    }

    /// All problems of the content so far, except those across runs.
    pub(super) fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        let quarantined = self.quarantined().flat_map(|(_, problems)| problems);
        self.problems.iter().chain(quarantined)
    }

    /// A failure, with all problems that were found before it.
    pub(super) fn failed(&self, mut failed: Failure) -> Failure {
        self.mask.apply_all(&mut failed, "");
        failure(failed, self.problems())
    }

    /// The pages of prose in the navigation.
    pub(super) fn navigation(&self) -> Vec<Link> {
        self.prose.navigation()
    }

    /// The directory of a run of the archive.
    pub(super) fn directory(&self, entry: &ArchiveEntry) -> &Directory {
        &self.directories[entry.directory]
    }

    /// The run directories whose id or address is `name`.
    pub fn named(&self, name: &str) -> Vec<&RunDirectory> {
        let directories = self.directories.iter();
        let mut found: Vec<_> = directories
            .filter(|directory| directory.id() == Some(name))
            .collect();
        if found.is_empty() {
            let entries = self
                .archive
                .runs
                .iter()
                .filter(|entry| *entry.slug == *name);
            found.extend(entries.map(|entry| self.directory(entry)));
        }
        found.iter().map(|directory| &directory.place).collect()
    }

    /// All names that [`Self::named`] knows.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let slugs = self.archive.runs.iter().map(|entry| &*entry.slug);
        let ids = self.directories.iter().filter_map(Directory::id);
        ids.chain(slugs)
    }
}

fn pool(site: &Site) -> Result<ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(site.options.jobs)
        .stack_size(STACK)
        .build()
        .map_err(|error| {
            vec![codes::PUBLISH_IO.at(
                Place::file("."),
                format!("The threads of the build could not be started: {error}"),
                "Give `--jobs` a smaller number.",
            )]
        })
}

fn failure<'a>(mut failure: Failure, before: impl IntoIterator<Item = &'a Diagnostic>) -> Failure {
    failure.extend(before.into_iter().cloned());
    diagnostics::sort(&mut failure);
    failure
}

/// Reads the lists of runs in content roots.
fn read_lists<T>(
    files: &[ContentPath],
    limits: &Limits,
    parse: impl Fn(&str, &[u8]) -> (T, Vec<Diagnostic>),
    problems: &mut Vec<Diagnostic>,
) -> Vec<ContentList<T>> {
    let mut lists = Vec::new();
    for file in files {
        match load::list(file, limits) {
            Ok(bytes) => {
                let path = file.shown.clone();
                let (list, found) = parse(&path, &bytes);
                problems.extend(found);
                lists.push(ContentList { path, bytes, list });
            }
            Err(problem) => problems.push(problem),
        }
    }
    lists
}

/// The problem of a site without runs. It is an error if runs were probably meant to be found: a job in CI would otherwise publish
/// an empty site.
fn no_runs(site: &Site, nearly_runs: &[String]) -> Diagnostic {
    let record = run_record::FILE_NAME;
    let roots = site.content.iter().map(|root| quoted(&site.shown(root)));
    let roots: Vec<String> = roots.collect();
    let place = site.content.first().map(|root| site.shown(root));
    let message = format!(
        "No runs found: no folder below {} has a `{record}`",
        roots.join(" or ")
    );
    let (near, more) = match nearly_runs {
        [] => {
            return codes::CONTENT_NO_RUNS.at(
                Place::file(place.as_deref().unwrap_or(".")),
                message,
                format!("Put a folder with a `{record}` below a content root."),
            );
        }
        [near] => (near, String::new()),
        [near, rest @ ..] => (near, format!(" and {} like it", rest.len())),
    };
    let (folder, name) = near.rsplit_once('/').unwrap_or((".", near));
    let help = if name == events::FILE_NAME {
        format!(
            "Write a `{record}` into {}, or import a log with `runpress import`.",
            quoted(folder)
        )
    } else {
        format!("Rename the file to `{record}`.")
    };
    codes::CONTENT_NO_RUNS
        .at(
            Place::file(near),
            format!("{message}, but there is {}{more}", quoted(near)),
            help,
        )
        .with_severity(Severity::Error)
}

/// Notes about missing settings and published keys.
fn settings_notes(site: &Site) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    let is_key = |path: &&str| path.rsplit('/').next() == Some(KEY_FILE);
    notes.extend(site.static_files().filter(is_key).map(|path| {
        codes::REDACTION_PUBLISHED_KEY.at(
            Place::file(format!("static/{path}")),
            "The key of the redactions would be published",
            "Move it beside site.toml.",
        )
    }));
    if site.config.site.base_url.is_none() {
        notes.push(codes::CONFIG_NO_BASE_URL.at(
            Place::file(formats::config::FILE_NAME),
            "No base URL is set, so feeds and pages have no absolute URLs",
            "Set `base_url` in `[site]`, or pass `--base-url`.",
        ));
    }
    notes
}
