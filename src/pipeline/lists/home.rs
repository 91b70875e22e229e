//! The home page.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde::Serialize;

use crate::summary::Facet;
use base::diagnostics::Diagnostic;
use base::document;
use base::links;
use formats::model::annotation::Kind;
use formats::model::archive::GroupBy;
use formats::model::findings::NewestAnnotation;
use formats::model::time::Moment;
use markup::Html;
use pages::draw::density;
use pages::feeds;
use pages::view::chrome::PageInfo;
use pages::view::matrix::{self, Matrix};
use pages::view::task;
use pages::view::timeline::appearance;
use pages::view::wall::{Wall, WallRun, wall, wall_run};
use pages::view::{DisplayTime, format};

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
    quote: Option<NewestAnnotationView>,
    /// The page that compares models: the page of the only case, or the overview.
    compare: String,
    /// Prose of `pages/index.md`.
    intro: Html,
    /// Counts of the whole archive.
    figures: Vec<CountedNoun>,
    /// First and last date.
    dates: Option<(String, String)>,
    wall: Wall,
    annotations: Vec<NewestAnnotationView>,
    /// Cases as rows, models as columns.
    overview: Matrix,
}

/// A number and its noun.
#[derive(Debug, Serialize)]
struct CountedNoun {
    number: String,
    noun: String,
}

document! {
    /// An annotation in a list.
    struct NewestAnnotationView(lists: &Lists<'_>, run: usize, annotation: &NewestAnnotation)
        let (class, sign) = appearance(&Kind::parse(&annotation.kind));
    {
        kind: String = annotation.kind.replace('_', " "),
        /// Class of its kind.
        class: &'static str = class,
        /// Sign of its kind.
        sign: &'static str = sign,
        /// The first line of its evidence.
        evidence: String = annotation.evidence.clone(),
        /// Its address.
        href: String = annotation.href.clone(),
        run: String = task::name(&lists.archive().runs[run].run, &lists.findings()[run].task),
        /// When it was written.
        at: Option<DisplayTime> = annotation.at.map(format::at),
    }
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
    let quote = first.and_then(|run| findings[run].quote.as_ref());
    let href = quote.map(|quote| quote.href.as_str());
    let annotations = newest_annotations(lists, href);
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
        quote: first
            .zip(quote)
            .map(|(run, quote)| NewestAnnotationView::of(lists, run, quote)),
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
        annotations,
        overview: matrix::newest(archive, GroupBy::Model, (CASES, MODELS), ""),
    };
    let info = PageInfo {
        json_ld: feeds::json_ld::home(config).ok(),
        ..PageInfo::listed("index.html", "", &config.site.description)
    };
    lists.page("home.html", &info, &view)
}

/// The newest annotations of all runs, except for the one at the address `quoted`, which is shown above them.
fn newest_annotations(lists: &Lists<'_>, quoted: Option<&str>) -> Vec<NewestAnnotationView> {
    let (archive, findings) = (lists.archive(), lists.findings());
    // The newest so far; one more than are shown, since the quoted one may be among them.
    let mut newest = BTreeSet::new();
    for (run, findings) in findings.iter().enumerate() {
        // An annotation without a time counts as old as its run.
        let finished = &archive.runs[run].run.finished;
        let finished = finished.as_ref().map_or(i64::MIN, Moment::ms);
        for (place, found) in findings.newest.iter().enumerate() {
            newest.insert((Reverse(found.at.unwrap_or(finished)), run, place));
            if newest.len() > ANNOTATIONS + 1 {
                newest.pop_last();
            }
        }
    }
    let mut shown = Vec::new();
    for (_, run, place) in newest {
        let annotation = &findings[run].newest[place];
        if shown.len() < ANNOTATIONS && Some(annotation.href.as_str()) != quoted {
            shown.push(NewestAnnotationView::of(lists, run, annotation));
        }
    }
    shown
}
