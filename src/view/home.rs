//! Knows the home page, the prose pages and the page for addresses that do not exist.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::config::Config;
use crate::model::archive::Archive;
use crate::model::findings::{Findings, Glimpse};
use crate::render::Html;

use super::row::{RunRow, row};
use super::{Badge, Link, When, format, links};

/// Newest runs on the home page.
const RUNS: usize = 10;
/// Newest annotations on the home page.
const ANNOTATIONS: usize = 8;
/// Cases and models on the overview: those with the newest runs.
const CASES: usize = 30;
const MODELS: usize = 12;

/// The home page.
#[derive(Debug, Serialize)]
pub struct HomePage {
    /// Way to the site's root.
    pub root: String,
    /// Name of the site.
    pub title: String,
    /// What it is.
    pub description: String,
    /// Prose of `pages/index.md`.
    pub intro: Html,
    /// Figures of the whole archive.
    pub figures: Vec<Figure>,
    /// First and last day.
    pub dates: Option<(String, String)>,
    /// The newest runs.
    pub rows: Vec<RunRow>,
    /// The newest annotations.
    pub annotations: Vec<GlimpseView>,
    /// Cases down, models across.
    pub overview: Overview,
}

/// A number and what it counts.
#[derive(Debug, Serialize)]
pub struct Figure {
    /// The number.
    pub number: String,
    /// What it counts.
    pub noun: &'static str,
}

/// An annotation in a list.
#[derive(Debug, Serialize)]
pub struct GlimpseView {
    /// Its kind.
    pub kind: String,
    /// Class of its kind.
    pub class: &'static str,
    /// Sign of its kind.
    pub sign: &'static str,
    /// The first line of its evidence.
    pub evidence: String,
    /// Where it stands.
    pub href: String,
    /// The run it is about.
    pub run: String,
    /// When it was written.
    pub at: Option<When>,
}

/// Which case was run by which model.
#[derive(Debug, Serialize)]
pub struct Overview {
    /// The columns.
    pub models: Vec<Link>,
    /// The rows.
    pub rows: Vec<OverviewRow>,
    /// What was left out, when something was.
    pub note: Option<String>,
}

/// A case.
#[derive(Debug, Serialize)]
pub struct OverviewRow {
    /// The case.
    pub case: Link,
    /// One cell per model.
    pub cells: Vec<Option<OverviewCell>>,
}

/// The runs of a case by a model.
#[derive(Debug, Serialize)]
pub struct OverviewCell {
    /// The newest run.
    pub href: String,
    /// How it ended.
    pub state: Badge,
    /// How many there are.
    pub count: String,
}

/// Makes the home page; `root` is the way to the site's root from where it stands.
#[must_use]
pub fn home_page(
    config: &Config,
    archive: &Archive,
    findings: &[Findings],
    intro: Html,
) -> HomePage {
    let root = String::new();
    let annotations: usize = findings.iter().map(|f| f.annotations.total()).sum();
    let figure = |count: usize, noun| Figure {
        number: format::grouped(&count.to_string()),
        noun,
    };
    let plural = |count: usize, one: &'static str, many: &'static str| {
        figure(count, if count == 1 { one } else { many })
    };
    let days = || archive.runs.iter().map(|entry| entry.run.finished.ms);
    HomePage {
        title: config.site.title.clone(),
        description: config.site.description.clone(),
        intro,
        figures: vec![
            plural(archive.runs.len(), "run", "runs"),
            plural(archive.cases.len(), "case", "cases"),
            plural(archive.models.len(), "model", "models"),
            plural(archive.harnesses.len(), "harness", "harnesses"),
            plural(annotations, "annotation", "annotations"),
        ],
        dates: days()
            .min()
            .zip(days().max())
            .map(|(first, last)| (format::at(first).date, format::at(last).date)),
        rows: archive
            .runs
            .iter()
            .zip(findings)
            .take(RUNS)
            .map(|(entry, findings)| row(archive, entry, findings, &root, &[]))
            .collect(),
        annotations: newest(archive, findings),
        overview: overview(archive, &root),
        root,
    }
}

fn newest(archive: &Archive, findings: &[Findings]) -> Vec<GlimpseView> {
    let mut all: Vec<(i64, usize, &Glimpse)> = findings
        .iter()
        .enumerate()
        .flat_map(|(run, f)| f.newest.iter().map(move |glimpse| (run, glimpse)))
        // An annotation without a time is as old as its run.
        .map(|(run, glimpse)| {
            (
                glimpse.at.unwrap_or(archive.runs[run].run.finished.ms),
                run,
                glimpse,
            )
        })
        .collect();
    all.sort_by(|a, b| (b.0, a.1, &a.2.href).cmp(&(a.0, b.1, &b.2.href)));
    all.into_iter()
        .take(ANNOTATIONS)
        .map(|(_, run, glimpse)| {
            let (class, sign) =
                super::timeline::appearance(&crate::model::annotation::Kind::parse(&glimpse.kind));
            GlimpseView {
                kind: glimpse.kind.replace('_', " "),
                class,
                sign,
                evidence: glimpse.evidence.clone(),
                href: glimpse.href.clone(),
                run: super::run::title(&archive.runs[run].run),
                at: glimpse.at.map(format::at),
            }
        })
        .collect()
}

fn overview(archive: &Archive, root: &str) -> Overview {
    let recent = |groups: &[crate::model::archive::Group], most: usize| {
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|&i| groups[i].runs.first().copied());
        order.truncate(most);
        order.sort_unstable();
        order
    };
    let (cases, models) = (
        recent(&archive.cases, CASES),
        recent(&archive.models, MODELS),
    );
    let mut cells: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    for (index, entry) in archive.runs.iter().enumerate() {
        cells
            .entry((entry.case, entry.model))
            .or_insert((index, 0))
            .1 += 1;
    }
    let link = |folder: &str, group: &crate::model::archive::Group| Link {
        text: group.name.clone(),
        href: format!("{root}{}", links::group(folder, &group.slug)),
    };
    let left_out = archive.cases.len() > CASES || archive.models.len() > MODELS;
    Overview {
        models: models
            .iter()
            .map(|&model| link("models", &archive.models[model]))
            .collect(),
        rows: cases
            .iter()
            .map(|&case| OverviewRow {
                case: link("cases", &archive.cases[case]),
                cells: models
                    .iter()
                    .map(|&model| {
                        cells
                            .get(&(case, model))
                            .map(|&(newest, count)| OverviewCell {
                                href: format!("{root}{}", links::run(&archive.runs[newest].slug)),
                                state: format::state(&archive.runs[newest].run.state),
                                count: format::count(count, "run"),
                            })
                    })
                    .collect(),
            })
            .collect(),
        note: left_out.then(|| {
            format!(
                "The {} and {} with the newest runs, of {} and {}.",
                format::count(cases.len(), "case"),
                format::count(models.len(), "model"),
                format::grouped(&archive.cases.len().to_string()),
                format::grouped(&archive.models.len().to_string())
            )
        }),
    }
}

/// A page of the site's own prose.
#[derive(Debug, Serialize)]
pub struct ProsePage {
    /// Way to the site's root.
    pub root: String,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub description: Option<String>,
    /// The prose.
    pub html: Html,
}

/// The page for addresses that do not exist.
#[derive(Debug, Serialize)]
pub struct NotFoundPage {
    /// Absolute path of the site's root.
    pub root: String,
}
