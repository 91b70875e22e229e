//! The home page.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde::Serialize;

use crate::summary::Facet;
use base::diagnostics::Diagnostic;
use base::diagnostics::text::beginning;
use base::links;
use formats::model::archive::GroupBy;
use formats::model::time::Moment;
use markup::Html;
use pages::draw::density;
use pages::feeds;
use pages::view::annotations::AnnotationCard;
use pages::view::chrome::PageInfo;
use pages::view::format;
use pages::view::matrix::{self, Matrix};
use pages::view::wall::{Wall, WallRun, wall, wall_run};

use super::{Lists, Page};

pub(super) const PAGE: Page = Page {
    made_of: Some(&[Facet::Newest]),
    listed: |_| vec!["index.html".to_owned()],
    ..Page::new("home", &[], write)
};

/// Number of newest runs on the home page.
const RUNS: usize = 24;
/// Number of newest annotations on the home page.
const ANNOTATIONS: usize = 6;
/// Maximum characters of an annotation.
const EVIDENCE: usize = 160;
/// Maximum cases and models in the overview: those with the newest runs.
const CASES: usize = 30;
const MODELS: usize = 12;

#[derive(Debug, Serialize)]
struct HomePage {
    /// The description of the site.
    description: String,
    /// The newest run annotated by a person, or else the newest run.
    first_run: Option<WallRun>,
    /// The colors of its glyph: class and name.
    key: Vec<(String, &'static str)>,
    quote: Option<AnnotationCard>,
    /// The page that compares models: the page of the only case, or the overview.
    compare: String,
    /// Prose of `pages/index.md`.
    intro: Html,
    /// Counts of the whole archive.
    figures: Vec<CountedNoun>,
    /// First and last date.
    dates: Option<(String, String)>,
    wall: Wall,
    annotations: Vec<AnnotationCard>,
    /// Cases as rows, models as columns.
    overview: Matrix,
}

/// A number and its noun.
#[derive(Debug, Serialize)]
struct CountedNoun {
    number: String,
    noun: String,
}

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let (config, archive, findings) = (lists.config(), lists.archive(), lists.findings());
    let intro = lists.gathered.prose.of_page("index.html");
    let intro = intro.map_or_else(Html::default, |text| text.html(lists.site));
    let annotated: usize = findings.iter().map(|f| f.annotations.total()).sum();
    let counted = |count: usize, noun| CountedNoun {
        number: format::grouped(count),
        noun: format::plural(count, noun),
    };
    let quoted = findings
        .iter()
        .position(|findings| findings.quote.is_some());
    let first = quoted.or_else(|| (!archive.runs.is_empty()).then_some(0));
    let quote = first.and_then(|run| Some((run, findings[run].quote?)));
    let runs: Vec<usize> = (0..archive.runs.len()).collect();
    let days = || {
        archive
            .runs
            .iter()
            .filter_map(|entry| Some(entry.run.finished.as_ref()?.ms()))
    };
    let view = HomePage {
        first_run: first.map(|run| wall_run(&archive.runs[run], &findings[run], "")),
        key: first.map_or_else(Vec::new, |run| density::legend(&findings[run].columns)),
        quote: quote.map(|(run, card)| annotation(lists, run, card)),
        compare: match archive.cases.as_slice() {
            [only] => links::group("cases", &only.slug),
            _ => links::list("overview", 1),
        },
        description: config.site.description.clone(),
        intro,
        figures: vec![
            counted(archive.runs.len(), "run"),
            counted(archive.cases.len(), "case"),
            counted(archive.models.len(), "model"),
            counted(archive.harnesses.len(), "harness"),
            counted(annotated, "annotation"),
        ],
        dates: days()
            .min()
            .zip(days().max())
            .map(|(first, last)| (format::at(first).date, format::at(last).date)),
        wall: wall(archive, findings, &runs, Some(RUNS), true, ""),
        annotations: newest_annotations(lists, quote),
        overview: matrix::newest(archive, GroupBy::Model, (CASES, MODELS), ""),
    };
    let info = PageInfo {
        json_ld: feeds::json_ld::home(config).ok(),
        ..PageInfo::listed("index.html", "", &config.site.description)
    };
    lists.page("home.html", &info, &view)
}

/// The newest annotations of all runs, except for the one that is quoted above them.
fn newest_annotations(lists: &Lists<'_>, quoted: Option<(usize, usize)>) -> Vec<AnnotationCard> {
    let (archive, findings) = (lists.archive(), lists.findings());
    // The newest so far; one more than are shown, since the quoted one may be among them.
    let mut newest = BTreeSet::new();
    for (run, findings) in findings.iter().enumerate() {
        // An annotation without a time counts as old as its run.
        let finished = &archive.runs[run].run.finished;
        let finished = finished.as_ref().map_or(i64::MIN, Moment::ms);
        for (order, card) in findings.newest.iter().enumerate() {
            let at = findings.cards[*card].at.unwrap_or(finished);
            newest.insert((Reverse(at), run, order, *card));
            if newest.len() > ANNOTATIONS + 1 {
                newest.pop_last();
            }
        }
    }
    newest
        .into_iter()
        .map(|(_, run, _, card)| (run, card))
        .filter(|place| Some(*place) != quoted)
        .take(ANNOTATIONS)
        .map(|(run, card)| annotation(lists, run, card))
        .collect()
}

/// The beginning of an annotation of a run.
fn annotation(lists: &Lists<'_>, run: usize, card: usize) -> AnnotationCard {
    let mut card = lists.card(run, card);
    card.evidence = beginning(&card.evidence, EVIDENCE).into_owned();
    card
}
