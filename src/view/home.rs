//! The home page, the prose pages and the not-found page.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde::Serialize;

use crate::config::Config;
use crate::diagnostics::Diagnostic;
use crate::links;
use crate::markup::Html;
use crate::model::annotation::Kind;
use crate::model::archive::{Archive, GroupBy};
use crate::model::findings::{Findings, NewestAnnotation, SpooledAnnotation};
use crate::model::time::Moment;

use super::chrome::NavItem;
use super::density::Density;
use super::overview::{self, Matrix};
use super::timeline::appearance;
use super::wall::{Wall, WallRun, wall, wall_run};
use super::{DisplayTime, Link, format};

/// Number of newest runs on the home page.
const RUNS: usize = 24;
/// Number of newest annotations on the home page.
const ANNOTATIONS: usize = 6;
/// Maximum cases and models in the overview: those with the newest runs.
const CASES: usize = 30;
const MODELS: usize = 12;

#[derive(Debug, Serialize)]
pub struct HomePage {
    /// The description of the site.
    pub description: String,
    /// The newest run annotated by a person, or else the newest run.
    pub first_run: Option<WallRun>,
    /// The colors of its glyph: class and name.
    pub key: Vec<(String, &'static str)>,
    pub quote: Option<NewestAnnotationView>,
    /// The page that compares models: the page of the only case, or the overview.
    pub compare: String,
    /// Prose of `pages/index.md`.
    pub intro: Html,
    /// Counts of the whole archive.
    pub figures: Vec<CountedNoun>,
    /// First and last date.
    pub dates: Option<(String, String)>,
    pub wall: Wall,
    pub annotations: Vec<NewestAnnotationView>,
    /// Cases as rows, models as columns.
    pub overview: Matrix,
}

/// A number and its noun.
#[derive(Debug, Serialize)]
pub struct CountedNoun {
    pub number: String,
    pub noun: String,
}

/// An annotation in a list.
#[derive(Debug, Serialize)]
pub struct NewestAnnotationView {
    pub kind: String,
    /// Class of its kind.
    pub class: &'static str,
    /// Sign of its kind.
    pub sign: &'static str,
    /// The first line of its evidence.
    pub evidence: String,
    /// Its address.
    pub href: String,
    pub run: String,
    /// When it was written.
    pub at: Option<DisplayTime>,
}

/// Reads an annotation from the spool.
type ReadAnnotation<'a> = &'a dyn Fn(SpooledAnnotation) -> Result<NewestAnnotation, Diagnostic>;

/// Makes the home page.
pub fn home_page(
    config: &Config,
    archive: &Archive,
    (findings, read): (&[Findings], ReadAnnotation<'_>),
    intro: Html,
) -> Result<HomePage, Diagnostic> {
    let annotated: usize = findings.iter().map(|f| f.annotations.total()).sum();
    let counted = |count: usize, noun| CountedNoun {
        number: format::grouped(&count.to_string()),
        noun: format::plural(count, noun),
    };
    let quoted = findings
        .iter()
        .position(|findings| findings.spooled.quote.is_some());
    let first = quoted.or_else(|| (!archive.runs.is_empty()).then_some(0));
    let quote = first.and_then(|run| findings[run].spooled.quote);
    let quote = quote.map(read).transpose()?;
    let href = quote.as_ref().map(|quote| quote.href.as_str());
    let annotations = newest_annotations(archive, (findings, read), href)?;
    let runs: Vec<usize> = (0..archive.runs.len()).collect();
    let days = || {
        archive
            .runs
            .iter()
            .filter_map(|entry| Some(entry.run.finished.as_ref()?.ms()))
    };
    Ok(HomePage {
        first_run: first.map(|run| wall_run(&archive.runs[run], &findings[run], "")),
        key: first.map_or_else(Vec::new, |run| {
            Density::of_run(&findings[run]).map_or_else(Vec::new, |density| density.key())
        }),
        quote: first
            .zip(quote)
            .map(|(run, quote)| newest_annotation(archive, run, quote)),
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
        wall: wall(archive, findings, &runs, (Some(RUNS), true), ""),
        annotations,
        overview: overview::newest(archive, GroupBy::Model, (CASES, MODELS), ""),
    })
}

/// The newest annotations of all runs, except for the one at the address `quoted`, which is shown above them.
fn newest_annotations(
    archive: &Archive,
    (findings, read): (&[Findings], ReadAnnotation<'_>),
    quoted: Option<&str>,
) -> Result<Vec<NewestAnnotationView>, Diagnostic> {
    // The newest so far; one more than are shown, since the quoted one may be among them.
    let mut newest = BTreeSet::new();
    for (run, findings) in findings.iter().enumerate() {
        // An annotation without a time counts as old as its run.
        let finished = &archive.runs[run].run.finished;
        let finished = finished.as_ref().map_or(i64::MIN, Moment::ms);
        for (place, found) in findings.spooled.newest.iter().enumerate() {
            newest.insert((Reverse(found.at.unwrap_or(finished)), run, place));
            if newest.len() > ANNOTATIONS + 1 {
                newest.pop_last();
            }
        }
    }
    let mut shown = Vec::new();
    for (_, run, place) in newest {
        let annotation = read(findings[run].spooled.newest[place])?;
        if shown.len() < ANNOTATIONS && Some(annotation.href.as_str()) != quoted {
            shown.push(newest_annotation(archive, run, annotation));
        }
    }
    Ok(shown)
}

fn newest_annotation(
    archive: &Archive,
    run: usize,
    annotation: NewestAnnotation,
) -> NewestAnnotationView {
    let (class, sign) = appearance(&Kind::parse(&annotation.kind));
    NewestAnnotationView {
        kind: annotation.kind.replace('_', " "),
        class,
        sign,
        evidence: annotation.evidence,
        href: annotation.href,
        run: archive.runs[run].run.title(),
        at: annotation.at.map(format::at),
    }
}

/// A page of the site's own prose.
#[derive(Debug, Serialize)]
pub struct ProsePage {
    pub title: String,
    pub description: Option<String>,
    pub html: Html,
    /// The documentation pages in order; only this page if the site has few, since the navigation lists those.
    pub pages: Vec<NavItem>,
    /// The headings of a long page, for its table of contents.
    pub contents: Vec<Link>,
}

#[derive(Debug, Serialize)]
pub struct NotFoundPage {}
