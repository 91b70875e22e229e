//! Knows how the data over all runs is written: every feed, the index and the page of feeds, and what search engines read.

use crate::diagnostics::{self, Diagnostic};
use crate::feeds;
use crate::model::findings::{Slice, Spooled};
use crate::publish::Written;
use crate::rules::pages::Shelf;
use crate::schema;
use crate::view::annotations::Catalogue;
use crate::view::catalogue::page_count;
use crate::view::chrome::PageInfo;
use crate::view::feeds::{Feed, feeds_page};
use crate::view::links;
use crate::view::syndication::{self, MOST, Sitemap};

use super::lists::Lists;

impl Lists<'_> {
    /// Every feed, then the index that lists them and the page that tells about them.
    pub(super) fn feeds(&self) -> Result<(), Diagnostic> {
        let config = &self.site.config;
        let base = self.base();
        let mut written = Vec::new();
        for feed in Feed::ALL {
            if base.is_some() || !feed.is_absolute() {
                let Written {
                    path,
                    bytes,
                    blake3,
                } = self.feed(feed)?;
                written.push((path, bytes, blake3));
            }
        }
        let runs = self.archive().runs.len();
        let index = feeds::archive::index(config, runs, &written, schema::path_of_feed);
        let index = self
            .stage
            .stream("feeds/index.json", |out| feeds::write_pretty(out, &index))?;
        let with_schema = |(path, bytes, blake3): feeds::archive::Written| {
            let schema = schema::path_of_feed(&path);
            (path, bytes, blake3, schema)
        };
        let index = with_schema((index.path, index.bytes, index.blake3));
        let written = written.into_iter().map(with_schema).collect();
        let info = PageInfo {
            path: "feeds/index.html".to_owned(),
            title: "Feeds".to_owned(),
            description:
                "Every feed of the site: what it holds, its schema and size, and how to read it."
                    .to_owned(),
            section: Some("feeds/index.html".to_owned()),
            listed: true,
            ..PageInfo::default()
        };
        self.page("feeds.html", &info, &feeds_page(base, runs, index, written))
    }

    fn base(&self) -> Option<&str> {
        let base = self.site.config.site.base_url.as_ref();
        base.map(crate::url::HttpUrl::as_str)
    }

    fn feed(&self, feed: Feed) -> Result<Written, Diagnostic> {
        let (config, archive, outcome) = (&self.site.config, self.archive(), self.outcome);
        let findings = &outcome.findings;
        let stream = |fill: &dyn Fn(&mut dyn std::io::Write) -> std::io::Result<()>| {
            self.stage.stream(feed.path(), fill)
        };
        let spooled = |slice: fn(&Spooled) -> Slice| {
            let runs = findings.iter();
            runs.map(move |found| self.stage.spool.get(slice(&found.spooled)))
        };
        match feed {
            Feed::Runs => stream(&|out| feeds::archive::write_runs(out, config, archive, findings)),
            Feed::RunLines => {
                stream(&|out| feeds::archive::write_run_lines(out, config, archive, findings))
            }
            Feed::RunTable => {
                stream(&|out| feeds::table::write_runs(out, config, archive, findings))
            }
            Feed::Cases => {
                let cases = feeds::groups::cases(config, archive, findings);
                stream(&|out| feeds::write_pretty(out, &cases))
            }
            Feed::Models => {
                let models = feeds::groups::models(config, archive, findings);
                stream(&|out| feeds::write_pretty(out, &models))
            }
            Feed::Harnesses => {
                let harnesses = feeds::groups::harnesses(config, archive, findings);
                stream(&|out| feeds::write_pretty(out, &harnesses))
            }
            Feed::Annotations => {
                stream(&|out| spooled(|s| s.lines).try_for_each(|lines| out.write_all(&lines?)))
            }
            Feed::Friction => stream(&|out| {
                feeds::annotations::write_collection(out, None, "events", spooled(|s| s.friction))
            }),
            Feed::Hypotheses => {
                let cards = findings.iter().map(|found| found.spooled.cards.as_slice());
                let counts = Catalogue::new(cards).hypothesis_counts();
                stream(&|out| {
                    feeds::annotations::write_collection(
                        out,
                        Some(("counts", &counts)),
                        "hypotheses",
                        spooled(|s| s.hypotheses),
                    )
                })
            }
            Feed::Crystallize => stream(&|out| {
                feeds::annotations::write_collection(out, None, "anchors", spooled(|s| s.anchors))
            }),
            Feed::Changes => stream(&|out| feeds::write_pretty(out, &outcome.ledger)),
            Feed::Diagnostics => {
                let public = self.gathered.public(outcome);
                let mut report = diagnostics::json::Report::new(
                    public.diagnostics.iter().copied(),
                    outcome.runs,
                    outcome.quarantined,
                );
                report.summary.withheld = public.withheld;
                stream(&|out| out.write_all(&report.to_bytes()?))
            }
            Feed::JsonFeed => {
                let feed = feeds::json_feed::feed(config, archive, findings);
                stream(&|out| feeds::write_pretty(out, &feed))
            }
            Feed::Atom => {
                let base = self.base().unwrap_or_default();
                let view = syndication::atom(config, base, archive, findings);
                let xml = self.renderer.document("atom.xml", &view)?;
                stream(&|out| out.write_all(&xml))
            }
        }
    }

    /// What search engines read: robots.txt, and a sitemap when the site knows its address.
    pub(super) fn for_machines(&self) -> Result<(), Diagnostic> {
        let base = self.base();
        self.stage
            .write("robots.txt", syndication::robots(base).as_bytes())?;
        let Some(base) = base else { return Ok(()) };
        let addresses: Vec<String> = self
            .listed()
            .iter()
            .map(|path| format!("{base}{}", links::directory(path)))
            .collect();
        if addresses.len() <= MOST {
            return self.sitemap("sitemap.xml", "sitemap.xml", addresses);
        }
        let mut parts = Vec::new();
        for (index, part) in addresses.chunks(MOST).enumerate() {
            let path = format!("sitemap-{}.xml", index + 1);
            self.sitemap("sitemap.xml", &path, part.to_vec())?;
            parts.push(format!("{base}{path}"));
        }
        self.sitemap("sitemap_index.xml", "sitemap.xml", parts)
    }

    fn sitemap(
        &self,
        template: &str,
        path: &str,
        addresses: Vec<String>,
    ) -> Result<(), Diagnostic> {
        let xml = self.renderer.document(template, &Sitemap { addresses })?;
        self.stage.write(path, &xml)
    }

    /// The pages that search engines may list.
    fn listed(&self) -> Vec<String> {
        let archive = self.archive();
        let pages = |folder: &str, rows: usize| {
            let folder = folder.to_owned();
            (1..=page_count(rows)).map(move |number| links::list(&folder, number))
        };
        let mut listed = vec!["index.html".to_owned(), "feeds/index.html".to_owned()];
        listed.push(links::COMPARE.to_owned());
        listed.extend(pages("runs", archive.runs.len()));
        listed.extend(pages("overview", archive.cases.len()));
        for (folder, groups) in [
            ("cases", &archive.cases),
            ("models", &archive.models),
            ("harnesses", &archive.harnesses),
        ] {
            for group in groups {
                listed.extend(pages(&format!("{folder}/{}", group.slug), group.runs.len()));
            }
        }
        let cards = self.outcome.findings.iter();
        let catalogue = Catalogue::new(cards.map(|found| found.spooled.cards.as_slice()));
        listed.push(links::list("annotations", 1));
        listed.extend(catalogue.paths());
        let prose = self.gathered.prose.iter();
        listed.extend(
            prose
                .filter(|(file, _)| file.shelf == Shelf::Page && file.slug != "index")
                .map(|(file, _)| links::prose(&file.slug)),
        );
        listed.extend(archive.runs.iter().map(|entry| links::run(&entry.slug)));
        listed
    }
}
