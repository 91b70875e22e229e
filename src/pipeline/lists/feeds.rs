//! Writes every feed, then the index that lists them and the page that describes them.

use std::io::{self, Write};

use crate::diagnostics::{Diagnostic, json};
use crate::feeds;
use crate::feeds::annotations::write_collection;
use crate::model::findings::{Slice, Spooled};
use crate::publish::Written;
use crate::schema;
use crate::view::chrome::PageInfo;
use crate::view::feeds::{Feed, feeds_page};
use crate::view::syndication;

use super::Lists;

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let config = &lists.site.config;
    let base = lists.base();
    let listed = |written: Written| (written.path, written.bytes, written.blake3);
    let feeds = Feed::ALL.into_iter();
    let written = feeds
        .filter(|feed| base.is_some() || !feed.is_absolute())
        .map(|feed| feed_of(lists, feed).map(listed))
        .collect::<Result<Vec<_>, _>>()?;
    let runs = lists.archive().runs.len();
    let index = feeds::archive::index(config, runs, &written, schema::path_of_feed);
    let index = lists
        .stage
        .stream("feeds/index.json", |out| feeds::write_pretty(out, &index))?;
    let with_schema = |(path, bytes, blake3): feeds::archive::Written| {
        let schema = schema::path_of_feed(&path);
        (path, bytes, blake3, schema)
    };
    let index = with_schema(listed(index));
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
    lists.page("feeds.html", &info, &feeds_page(base, runs, index, written))
}

fn feed_of(lists: &Lists<'_>, feed: Feed) -> Result<Written, Diagnostic> {
    let (config, archive, outcome) = (&lists.site.config, lists.archive(), lists.outcome);
    let findings = &outcome.findings;
    let stream =
        |fill: &dyn Fn(&mut dyn Write) -> io::Result<()>| lists.stage.stream(feed.path(), fill);
    let spooled = |slice: fn(&Spooled) -> Slice| {
        let runs = findings.iter();
        runs.map(move |found| lists.stage.spool.get(slice(&found.spooled)))
    };
    match feed {
        Feed::Runs => stream(&|out| feeds::archive::write_runs(out, config, archive, findings)),
        Feed::RunLines => {
            stream(&|out| feeds::archive::write_run_lines(out, config, archive, findings))
        }
        Feed::RunTable => stream(&|out| feeds::table::write_runs(out, config, archive, findings)),
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
        Feed::Friction => {
            stream(&|out| write_collection(out, None, "events", spooled(|s| s.friction)))
        }
        Feed::Hypotheses => {
            let counts = lists.catalogue().hypothesis_counts();
            stream(&|out| {
                write_collection(
                    out,
                    Some(("counts", &counts)),
                    "hypotheses",
                    spooled(|s| s.hypotheses),
                )
            })
        }
        Feed::Crystallize => {
            stream(&|out| write_collection(out, None, "anchors", spooled(|s| s.anchors)))
        }
        Feed::Changes => stream(&|out| feeds::write_pretty(out, &outcome.ledger)),
        Feed::Diagnostics => {
            let public = lists.gathered.public(outcome);
            let mut report = json::Report::new(
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
            let base = lists.base().unwrap_or_default();
            let view = syndication::atom(config, base, archive, findings);
            let xml = lists.renderer.document("atom.xml", &view)?;
            stream(&|out| out.write_all(&xml))
        }
    }
}
