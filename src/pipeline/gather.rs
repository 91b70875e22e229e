//! Gathers everything small: it finds all content and reads every record and every page of prose.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::flight::guarded;
use super::{Gathered, Pool, Progress, changes};
use crate::diagnostics::{self, Diagnostic, Source};
use crate::discover::{self, ProseFile, RunDirectory, WithdrawnFile};
use crate::formats::run_record::UnknownKey;
use crate::formats::{page, withdrawn};
use crate::load::{self, Loaded, Look};
use crate::markup::Origin;
use crate::model::archive::{Archive, Sort};
use crate::rules::archive::Candidate;
use crate::rules::links::Targets;
use crate::rules::pages::Shelf;
use crate::site::Site;
use crate::view::links;
use crate::{Failure, inspect, rules};

/// Stacks of worker threads, in bytes: far more than the deepest template or Markdown needs.
const STACK: usize = 16 << 20;

impl Gathered {
    /// Finds all content and reads every record and every page of prose. For a build that may be remembered, it also notes
    /// how each run directory looks.
    ///
    /// # Errors
    /// A content root cannot be read.
    pub fn gather(site: &Site, remembers: bool, progress: &dyn Progress) -> Result<Self, Failure> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(site.jobs)
            .stack_size(STACK)
            .build();
        let pool = Pool(pool.map_err(|error| vec![pool_failed(&error)])?);
        let mut diagnostics = Vec::new();
        let found = discover::discover(&site.root, &site.content).unpack(&mut diagnostics);
        let missing = |d: &Diagnostic| d.code == &diagnostics::codes::CONTENT_MISSING_ROOT;
        if diagnostics.iter().any(missing) {
            return Err(diagnostics);
        }
        progress.begin("Reading records", found.runs.len());
        let read: Vec<_> = pool.0.install(|| {
            found
                .runs
                .par_iter()
                .enumerate()
                .map(|(index, directory)| {
                    let read = guarded(directory, || {
                        read_record(site, (directory, index), remembers)
                    });
                    let read = read.unwrap_or_else(ReadRecord::failed);
                    progress.tick();
                    read
                })
                .collect()
        });
        let mut gathered = Self {
            pool,
            frame: String::new(),
            looks: Vec::with_capacity(read.len()),
            records: Vec::with_capacity(read.len()),
            candidates: Vec::with_capacity(read.len()),
            ids: Vec::with_capacity(read.len()),
            directories: found.runs,
            prose: Vec::new(),
            links: Vec::new(),
            archive: Archive::default(),
            diagnostics,
            not_published: BTreeSet::new(),
            drafts: Vec::new(),
            noticed: BTreeMap::new(),
            set_aside: BTreeMap::new(),
            quarantined: Vec::new(),
            archive_notes: Vec::new(),
            previous: None,
            withdrawals: Vec::new(),
        };
        gathered.previous =
            changes::previous(site).map_err(|problem| gathered.failed(vec![problem]))?;
        gathered.read_withdrawals(site, &found.withdrawn);
        let mut unknown = Vec::new();
        for (directory, read) in read.into_iter().enumerate() {
            if read.never_published {
                gathered.not_published.insert(directory);
            }
            let candidate = read.candidate.filter(|_| !read.never_published);
            gathered.looks.push(read.look);
            gathered.records.push(read.file);
            gathered.candidates.push(candidate);
            gathered.ids.push(read.id);
            if !read.problems.is_empty() {
                gathered.noticed.insert(directory, read.problems.clone());
                gathered.diagnostics.extend(read.problems);
            }
            unknown.push((directory, read.unknown_keys));
        }
        // A note stands for all runs that have a key, so those that are published need notes of their own.
        let (unpublished, published) = unknown
            .into_iter()
            .partition(|(directory, _)| gathered.not_published.contains(directory));
        gathered.tell_unknown_keys(published);
        gathered.tell_unknown_keys(unpublished);
        gathered.read_prose(site, found.prose);
        gathered.refuse_duplicates();
        if gathered.directories.is_empty() {
            gathered.diagnostics.push(
                diagnostics::codes::CONTENT_NO_RUNS.at(
                    diagnostics::Place::file(
                        site.config
                            .build
                            .content
                            .first()
                            .map_or("content", String::as_str),
                    ),
                    "No run was found",
                    "Put a folder with a `run-record.json` below a content root.",
                ),
            );
        }
        if site.config.site.base_url.is_none() {
            gathered
                .diagnostics
                .push(diagnostics::codes::CONFIG_NO_BASE_URL.at(
                diagnostics::Place::file(crate::config::FILE_NAME),
                "The site's address is not known, so feeds and pages carry no absolute addresses",
                "Set `base_url` in `[site]`, or give `--base-url`.",
            ));
        }
        gathered.assemble(site);
        if remembers {
            gathered.frame = site.frame(&gathered.navigation());
        }
        Ok(gathered)
    }

    /// The run directories that go by a name: the id in their record, or their address on the site.
    #[must_use]
    pub fn named(&self, name: &str) -> Vec<&RunDirectory> {
        let ids = self.ids.iter().enumerate();
        let mut found: Vec<usize> = ids
            .filter(|(_, id)| id.as_deref() == Some(name))
            .map(|(directory, _)| directory)
            .collect();
        if found.is_empty() {
            let entries = self.archive.runs.iter();
            found.extend(
                entries
                    .filter(|entry| entry.slug == name)
                    .map(|entry| entry.directory),
            );
        }
        found
            .iter()
            .map(|directory| &self.directories[*directory])
            .collect()
    }

    /// Every name of [`Self::named`].
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let slugs = self.archive.runs.iter().map(|entry| entry.slug.as_str());
        self.ids.iter().flatten().map(String::as_str).chain(slugs)
    }

    fn tell_unknown_keys(&mut self, keys: Vec<(usize, Vec<UnknownKey>)>) {
        let at = |directory: usize, key: &UnknownKey| {
            let place = self.records[directory].as_ref().map(|file| {
                Source::file(&file.shown, &file.bytes).place(key.offset, key.offset + 1)
            });
            let place = place
                .unwrap_or_else(|| diagnostics::Place::file(&self.directories[directory].shown));
            (place.pointing(&key.pointer), self.ids[directory].clone())
        };
        let notes = rules::keys::unknown(keys, at);
        self.diagnostics.extend(notes);
    }

    fn read_prose(&mut self, site: &Site, files: Vec<ProseFile>) {
        for file in files {
            let bytes = match load::prose(&file.root, &file.path, &file.shown, &site.config.limits)
            {
                Ok(bytes) => bytes,
                Err(problem) => {
                    self.diagnostics.push(problem);
                    continue;
                }
            };
            let source = Source::file(&file.shown, &bytes);
            let (prose, problems) = page::parse(source);
            self.diagnostics.extend(problems);
            let offset = source.text.len().saturating_sub(prose.body.len());
            self.diagnostics.extend(rules::markdown::check(
                source,
                &prose.body,
                offset,
                Origin::Site(&|_| None),
            ));
            if !prose.draft || site.drafts {
                let page = page_of(&file);
                let links = rules::links::internal(source, &prose.body, offset, &page);
                self.links.extend(links);
                self.prose.push((file, prose));
            } else {
                self.drafts.push(file.shown);
            }
        }
        let addresses = self.addresses();
        self.diagnostics
            .extend(rules::pages::check_addresses(&addresses));
    }

    fn read_withdrawals(&mut self, site: &Site, files: &[WithdrawnFile]) {
        for file in files {
            match load::withdrawn(file, &site.config.limits) {
                Ok(bytes) => {
                    let source = Source::file(&file.shown, &bytes);
                    let (withdrawals, problems) = withdrawn::parse(source);
                    self.diagnostics.extend(problems);
                    self.withdrawals
                        .push((file.shown.clone(), bytes, withdrawals));
                }
                Err(problem) => self.diagnostics.push(problem),
            }
        }
    }

    fn addresses(&self) -> Vec<(Shelf, String, String)> {
        self.prose
            .iter()
            .map(|(file, _)| (file.shelf, file.slug.clone(), file.shown.clone()))
            .collect()
    }

    fn refuse_duplicates(&mut self) {
        let candidates: Vec<Candidate> = self.candidates.iter().flatten().cloned().collect();
        for (directory, problem) in rules::archive::duplicate_ids(&candidates) {
            self.candidates[directory] = None;
            self.diagnostics.push(problem);
        }
    }

    /// What prose may link to.
    fn targets<'a>(&'a self, site: &Site, archive: &'a Archive) -> Targets<'a> {
        let ledger = self.previous.iter();
        let gone = ledger.flat_map(|ledger| {
            let runs = ledger.runs.iter().map(|known| &known.run);
            let withdrawn = ledger.withdrawn.iter().map(|gone| &gone.run);
            let slugs = runs.chain(withdrawn).map(|run| run.slug.as_str());
            slugs.chain(ledger.moved.iter().map(|was| was.slug.as_str()))
        });
        let set_aside = self.set_aside.values().map(|run| run.slug.as_str());
        let pages = self.prose.iter().map(|(file, _)| page_of(file));
        let files = pages.chain(site.static_files().map(str::to_owned));
        let files = files.chain(["index.html".to_owned()]).collect();
        Targets::new(files, archive, gone.chain(set_aside))
    }

    pub(super) fn assemble(&mut self, site: &Site) {
        let candidates = self.candidates.iter().flatten().cloned().collect();
        let (archive, mut notes) = rules::archive::assemble(candidates);
        notes.extend(rules::pages::check_unmatched(&self.addresses(), &archive));
        notes.extend(rules::links::check(
            &self.links,
            &self.targets(site, &archive),
        ));
        for (path, bytes, withdrawals) in &self.withdrawals {
            let source = Source::file(path, bytes);
            let previous = self.previous.as_ref();
            notes.extend(rules::withdrawn::check(
                source,
                withdrawals,
                &archive,
                previous,
            ));
        }
        self.archive = archive;
        self.archive_notes = notes;
    }
}

/// The page on which prose stands.
fn page_of(file: &ProseFile) -> String {
    let group = |sort: Sort| links::group(sort.folder(), &file.slug);
    match file.shelf {
        Shelf::Page if file.slug == "index" => "index.html".to_owned(),
        Shelf::Page => links::prose(&file.slug),
        Shelf::Case => group(Sort::Case),
        Shelf::Model => group(Sort::Model),
        Shelf::Harness => group(Sort::Harness),
    }
}

/// What came of reading one record.
struct ReadRecord {
    look: Option<Look>,
    file: Option<Loaded>,
    candidate: Option<Candidate>,
    never_published: bool,
    id: Option<String>,
    problems: Vec<Diagnostic>,
    unknown_keys: Vec<UnknownKey>,
}

impl ReadRecord {
    /// Of a record that could not be read at all.
    fn failed(problem: Diagnostic) -> Self {
        Self {
            look: None,
            file: None,
            candidate: None,
            never_published: false,
            id: None,
            problems: vec![problem],
            unknown_keys: Vec::new(),
        }
    }
}

fn read_record(
    site: &Site,
    (directory, index): (&RunDirectory, usize),
    remembers: bool,
) -> ReadRecord {
    // Before anything of it is read: what changes later looks different the next time.
    let look = remembers.then(|| load::look(directory)).flatten();
    match load::record(directory, &site.config.limits) {
        Ok(file) => {
            let inspect::Record {
                run,
                never_published,
                id,
                id_place,
                diagnostics: problems,
                unknown_keys,
            } = inspect::record(&file);
            let candidate = run.map(|run| Candidate {
                run,
                path: directory.shown.clone(),
                id_place,
                directory: index,
            });
            ReadRecord {
                look,
                file: Some(file),
                candidate,
                never_published,
                id,
                problems,
                unknown_keys,
            }
        }
        Err(problem) => ReadRecord {
            look,
            ..ReadRecord::failed(problem)
        },
    }
}

fn pool_failed(error: &rayon::ThreadPoolBuildError) -> Diagnostic {
    diagnostics::codes::PUBLISH_IO.at(
        diagnostics::Place::file("."),
        format!("The threads of the build could not be started: {error}"),
        "Give `--jobs` a smaller number.",
    )
}
