//! What is made once all runs are known: lists, tables, prose, feeds, assets.

mod annotations;
mod cards;
mod changes;
mod compare;
mod feeds;
mod group_lists;
mod groups;
mod home;
mod llms;
mod machines;
mod not_found;
mod overview;
mod parts;
mod problems;
mod prose;
mod recurring;
mod reuse;
mod rows;
mod rules;
mod runs;
mod search;
mod texts;
mod threads;
mod trials;

use std::collections::BTreeSet;
use std::io;

use rayon::prelude::*;
use serde::Serialize;

use crate::site::Site;
use base::diagnostics::Diagnostic;
use base::diagnostics::Failure;
use base::links;
use base::url::HttpUrl;
use formats::config::Config;
use formats::model::archive::{Archive, ArchiveEntry};
use formats::model::findings::Findings;
use pages::render::templates::Renderer;
use pages::schema;
use pages::view::annotations::AnnotationCard;
use pages::view::chrome::{HeaderEntry, PageInfo};

use self::annotations::Catalogue;
use self::reuse::{ListKeys, ListStage};
use super::cache::CacheUpdate;
use super::run::{SiteOutput, write_error};
use super::summary::{Facet, RunTexts};
use super::{Outcome, Progress, SiteContent};

/// A page of the site with its further pages, or other files that are made of all runs.
struct Page {
    /// A name for the cache of the build.
    name: &'static str,
    /// The first segments of its paths, which no page of prose can have.
    folders: &'static [&'static str],
    /// How the header leads to its folders.
    header: &'static [(&'static str, HeaderEntry)],
    /// What it is made of in addition to the records and the findings that tables show. `None` if it is made of anything else,
    /// or in no time: each build makes it.
    made_of: Option<&'static [Facet]>,
    /// The paths that search engines may list.
    listed: fn(&Lists<'_>) -> Vec<String>,
    write: fn(&Lists<'_>) -> Result<(), Diagnostic>,
}

impl Page {
    /// A page that each build makes, and that search engines do not list.
    const fn new(
        name: &'static str,
        folders: &'static [&'static str],
        write: fn(&Lists<'_>) -> Result<(), Diagnostic>,
    ) -> Self {
        Self {
            name,
            folders,
            header: &[],
            made_of: None,
            listed: |_| Vec::new(),
            write,
        }
    }
}

/// All pages and files that are made of all runs, in the order of the sitemap. They are written in parallel.
const PAGES: [&Page; 20] = [
    &home::PAGE,
    &feeds::PAGE,
    &compare::PAGE,
    &runs::PAGE,
    &overview::PAGE,
    &groups::PAGE,
    &trials::PAGE,
    &annotations::PAGE,
    &threads::PAGE,
    &prose::PAGE,
    &rules::PAGE,
    &problems::PAGE,
    &changes::PAGE,
    &not_found::PAGE,
    &machines::PAGE,
    &llms::PAGE,
    &search::PAGE,
    &rows::PAGE,
    &SCHEMAS,
    &ASSETS,
];

/// `schema/`
const SCHEMAS: Page = Page::new("schemas", &["schema"], schemas);

/// `assets/`, and the files of `static/`.
const ASSETS: Page = Page::new("assets", &["assets"], assets);

/// The first path segments that the site uses itself.
pub(super) fn reserved(site: &Site) -> BTreeSet<&'static str> {
    let folders = PAGES.iter().flat_map(|page| page.folders).copied();
    folders.filter(|folder| is_used(site, folder)).collect()
}

/// How the header of the site leads to its lists.
pub(super) fn header(site: &Site) -> impl Iterator<Item = (&'static str, HeaderEntry)> {
    let entries = PAGES.iter().flat_map(|page| page.header).copied();
    entries.filter(|(folder, _)| is_used(site, folder))
}

/// A site without rules has no page of them, and may have a page of prose with that name.
fn is_used(site: &Site, folder: &str) -> bool {
    folder != rules::FOLDER || !site.rules.is_empty()
}

/// What the lists are made of.
#[derive(Clone, Copy)]
struct Lists<'a> {
    gathered: &'a SiteContent,
    site: &'a Site,
    outcome: &'a Outcome,
    stage: &'a ListStage<'a>,
    renderer: &'a Renderer,
    /// The annotations of all runs, by kind.
    catalogue: &'a Catalogue,
    /// Has the texts of runs; `None` in a check, which needs none.
    cache: Option<&'a CacheUpdate<'a>>,
    /// `None`: every list is made.
    keys: Option<&'a ListKeys>,
}

/// Writes everything that is not a run's own.
pub(super) fn publish(
    site: &Site,
    gathered: &SiteContent,
    outcome: &Outcome,
    SiteOutput {
        stage,
        renderer,
        cache,
    }: SiteOutput<'_>,
    progress: &dyn Progress,
) -> Result<(), Failure> {
    let findings = outcome.findings.iter();
    let keys = ListKeys::new(site, gathered, outcome, cache);
    let lists = Lists {
        gathered,
        site,
        outcome,
        stage: &ListStage::of_all(stage),
        renderer,
        catalogue: &Catalogue::new(findings.map(|found| &*found.cards)),
        cache,
        keys: keys.as_ref(),
    };
    progress.begin("Site-wide outputs", Some(PAGES.len()));
    let write = |page: &&Page| {
        let result = lists.write_unless_cached(page.name, page.made_of, page.write);
        progress.tick();
        result.map(drop)
    };
    // Collected first, so that of several failures always the same one is reported.
    let results: Vec<_> = gathered
        .pool
        .install(|| PAGES.par_iter().map(write).collect());
    let result: Result<(), Diagnostic> = results.into_iter().collect();
    result.map_err(|problem| vec![problem])
}

impl Lists<'_> {
    fn archive(&self) -> &Archive {
        &self.gathered.archive
    }

    fn config(&self) -> &Config {
        &self.site.config
    }

    fn findings(&self) -> &[Findings] {
        &self.outcome.findings
    }

    /// The site's address, where it is known.
    fn base(&self) -> Option<&str> {
        self.config().site.base_url.as_ref().map(HttpUrl::as_str)
    }

    /// The runs with their findings.
    fn runs(&self) -> impl DoubleEndedIterator<Item = (&ArchiveEntry, &Findings)> + Clone {
        self.archive().runs.iter().zip(&self.outcome.findings)
    }

    /// The runs whose data scripts load; none in a check, since no template makes it.
    fn runs_of_data(&self) -> impl DoubleEndedIterator<Item = (&ArchiveEntry, &Findings)> {
        self.runs().filter(|_| !self.stage.is_dry_run())
    }

    /// Reads the texts of the run at an index.
    fn texts(&self, run: usize) -> io::Result<RunTexts> {
        let pieces = self.outcome.cached.get(run).copied().flatten();
        let texts = self.cache.zip(pieces);
        let texts = texts.and_then(|(cache, pieces)| cache.texts(pieces));
        texts.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// The annotation of a run at a place among its cards.
    fn card(&self, run: usize, card: usize) -> AnnotationCard {
        let (entry, findings) = (&self.archive().runs[run], &self.findings()[run]);
        AnnotationCard::of(entry, &findings.task, findings.cards[card].clone())
    }

    fn page(
        &self,
        template: &str,
        info: &PageInfo,
        view: &impl Serialize,
    ) -> Result<(), Diagnostic> {
        if self.stage.is_dry_run() && self.renderer.is_built_in() {
            return self.stage.plan(&info.path, 0);
        }
        let bytes = self.renderer.page(template, info, view)?;
        self.stage.write(&info.path, &bytes)
    }
}

/// The paths of the pages of a list with so many rows a page.
fn paths(folder: &str, rows: usize, page_size: usize) -> Vec<String> {
    let pages = 1..=rows.div_ceil(page_size).max(1);
    pages.map(|number| links::list(folder, number)).collect()
}

/// The title of a page of a list.
fn numbered(title: &str, number: usize) -> String {
    match number {
        1 => title.to_owned(),
        number => format!("{title}, page {number}"),
    }
}

fn schemas(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let mut schemas = schema::ALL.iter();
    schemas.try_for_each(|schema| {
        lists
            .stage
            .write(&schema.path(), schema.document().as_bytes())
    })
}

fn assets(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    for asset in &lists.site.assets().files {
        lists.stage.write(&asset.path, &asset.bytes)?;
    }
    lists.stage.write(".nojekyll", b"")
}
