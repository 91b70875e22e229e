//! Writes the packs and all feeds, then the index of feeds and the page that describes them.

use std::io::{self, Write};

use rayon::prelude::*;

use crate::config::Downloads;
use crate::diagnostics::{Diagnostic, json};
use crate::feeds::annotations::write_collection;
use crate::feeds::archive::{write_run_lines, write_runs};
use crate::feeds::{self, groups, json_feed, table, write_document};
use crate::model::FileDigest;
use crate::model::findings::{Slice, Spooled};
use crate::pipeline::kept::Facet;
use crate::schema;
use crate::view::chrome::PageInfo;
use crate::view::feeds::{self as view, Feed, feeds_page};
use crate::view::syndication;
use crate::{ledger, spool};

use super::{Lists, Page, packs};

/// Writes a feed to its path.
type Writer = fn(&Lists<'_>, &str) -> Result<FileDigest, Diagnostic>;

/// All feeds, in the order of the index, with the facets they depend on, as for all lists.
const FEEDS: [(Feed, Option<&[Facet]>, Writer); 16] = [
    (view::RUNS, Some(&[]), |lists, path| {
        lists.stream(path, |out| {
            write_runs(out, lists.config(), lists.archive(), lists.findings())
        })
    }),
    (view::RUN_LINES, Some(&[]), |lists, path| {
        lists.stream(path, |out| {
            write_run_lines(out, lists.config(), lists.archive(), lists.findings())
        })
    }),
    (view::RUN_TABLE, Some(&[]), |lists, path| {
        lists.stream(path, |out| {
            table::write_runs(out, lists.config(), lists.archive(), lists.findings())
        })
    }),
    (view::CASES, Some(&[]), |lists, path| {
        let cases = groups::cases(lists.config(), lists.archive(), lists.findings());
        lists.stream(path, |out| write_document(out, &cases))
    }),
    (view::MODELS, Some(&[]), |lists, path| {
        let models = groups::models(lists.config(), lists.archive(), lists.findings());
        lists.stream(path, |out| write_document(out, &models))
    }),
    (view::HARNESSES, Some(&[]), |lists, path| {
        let harnesses = groups::harnesses(lists.config(), lists.archive(), lists.findings());
        lists.stream(path, |out| write_document(out, &harnesses))
    }),
    (view::ANNOTATIONS, Some(&[Facet::Lines]), |lists, path| {
        lists.stream(path, |out| {
            lists
                .spooled(|run| run.lines)
                .try_for_each(|lines| out.write_all(&lines?))
        })
    }),
    (view::FRICTION, Some(&[Facet::Friction]), |lists, path| {
        lists.stream(path, |out| {
            write_collection(out, None, "events", lists.spooled(|run| run.friction))
        })
    }),
    (
        view::HYPOTHESES,
        Some(&[Facet::Hypotheses, Facet::Cards]),
        |lists, path| {
            let counts = lists.catalogue.hypothesis_counts();
            let hypotheses = lists.spooled(|run| run.hypotheses);
            lists.stream(path, |out| {
                write_collection(out, Some(("counts", &counts)), "hypotheses", hypotheses)
            })
        },
    ),
    (view::CRYSTALLIZE, Some(&[Facet::Anchors]), |lists, path| {
        lists.stream(path, |out| {
            write_collection(out, None, "anchors", lists.spooled(|run| run.anchors))
        })
    }),
    (view::THREADS, Some(&[Facet::Threads]), |lists, path| {
        lists.stream(path, |out| {
            lists
                .spooled(|run| run.thread_lines)
                .try_for_each(|lines| out.write_all(&lines?))
        })
    }),
    (view::DOWNLOADS, None, |lists, path| {
        lists.stream(path, |out| packs::write_index(lists, out))
    }),
    (view::CHANGES, None, |lists, path| {
        let ledger = &lists.outcome.ledger;
        let write = |part: &ledger::Part, bytes: &[u8]| lists.stage.write(&part.path, bytes);
        let first = ledger.files(write, |error| spool::refused(&error))?;
        lists.stream(path, |out| write_document(out, &first))
    }),
    (view::DIAGNOSTICS, None, |lists, path| {
        let (outcome, public) = (lists.outcome, lists.gathered.public(lists.outcome));
        let shown = public.diagnostics.iter().copied();
        let mut report = json::Report::new(shown, outcome.runs, outcome.quarantined);
        report.summary.withheld = public.withheld;
        lists.stream(path, |out| out.write_all(&report.to_bytes()?))
    }),
    (view::JSON_FEED, Some(&[]), |lists, path| {
        let feed = json_feed::feed(lists.config(), lists.archive(), lists.findings());
        lists.stream(path, |out| write_document(out, &feed))
    }),
    (view::ATOM, Some(&[]), |lists, path| {
        let base = lists.base().unwrap_or_default();
        let feed = syndication::atom(lists.config(), base, lists.archive(), lists.findings());
        let xml = lists.renderer.document("atom.xml", &feed)?;
        lists.stream(path, |out| out.write_all(&xml))
    }),
];

pub(super) const PAGE: Page = Page {
    name: "feeds",
    folders: &["feeds"],
    made_of: None,
    listed: |_| vec!["feeds/index.html".to_owned()],
    write,
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    packs::write(lists)?;
    let base = lists.base();
    let is_packed = lists.config().publish.downloads == Downloads::Packed;
    let feeds = FEEDS.par_iter();
    let feeds: Vec<Result<_, Diagnostic>> = feeds
        .filter(|(feed, ..)| base.is_some() || !feed.is_absolute)
        .filter(|(feed, ..)| is_packed || feed.path != view::DOWNLOADS.path)
        .map(|(feed, of, write)| {
            let made = lists.unless_known((feed.path, *of), |lists| write(lists, feed.path))?;
            let digest = || lists.stage.digest(feed.path);
            Ok((*feed, made.unwrap_or_else(digest)))
        })
        .collect();
    let feeds = feeds.into_iter().collect::<Result<Vec<_>, _>>()?;
    let runs = lists.archive().runs.len();
    let files = feeds.iter().map(|(_, file)| file);
    let index = feeds::archive::index(lists.config(), runs, files, schema::path_of_feed);
    let index = lists.stream("feeds/index.json", |out| write_document(out, &index))?;
    let what = "Every feed of the site, with its contents, schema and size, and how to read it.";
    let info = PageInfo::listed("feeds/index.html", "Feeds", what);
    let page = feeds_page(base, runs, &index, &feeds, schema::path_of_feed);
    lists.page("feeds.html", &info, &page)
}

impl Lists<'_> {
    fn stream(
        &self,
        path: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<FileDigest, Diagnostic> {
        self.stage.stream(path, fill)
    }

    /// Writes a piece of each run from the spool.
    fn spooled(
        &self,
        slice: impl Fn(&Spooled) -> Slice,
    ) -> impl Iterator<Item = io::Result<Vec<u8>>> {
        let runs = self.outcome.findings.iter();
        runs.map(move |found| self.stage.spool.get(slice(&found.spooled)))
    }
}
