//! A run as a row of a table.

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use formats::model::archive::{Archive, ArchiveEntry, GroupBy};
use formats::model::findings::Findings;
use formats::model::review::Rating;
use formats::model::run::{Metric, Number, Run};
use formats::model::words;

use super::peers::Peers;
use super::{Badge, Cell, DisplayTime, Link, decisions, format, task};
use base::links;

/// A run in a list or a comparison table.
#[derive(Debug, Clone, Serialize)]
pub struct RunRow {
    /// Its slug, which selects rows for a comparison.
    pub slug: String,
    /// Address of its page.
    pub href: String,
    /// A unique part of its id.
    pub label: String,
    /// Its task, with the variant of its case.
    pub title: String,
    pub case: Link,
    /// Version of the case, a digest in short; empty if unknown.
    pub version: String,
    /// Variant of the case.
    pub variant: Cell,
    pub model: Link,
    pub harness: Link,
    pub harness_version: Cell,
    /// Its final state, with the sign that it has everywhere: `excluded, failed` if it does not count.
    pub state: Badge,
    /// The decision because of which it does not count.
    pub excluded: Option<Badge>,
    /// Its first outcomes and its screens in short, after the decision because of which it does not count.
    pub outcome: Cell,
    /// Its rating in the review.
    pub rating: Badge,
    /// Rank of its rating, from 1 for the worst, as the sort key.
    pub rating_order: Option<usize>,
    /// When it finished.
    pub finished: DisplayTime,
    /// The four token classes.
    pub tokens: Vec<Cell>,
    /// USD at list prices.
    pub comparable_cost: Cell,
    /// The position of that cost among comparable runs, on pages of models and harnesses.
    pub peers: Option<Peers>,
    /// USD charged.
    pub actual_cost: Cell,
    /// Wall-clock time.
    pub run_time: Cell,
    /// The time in seconds as recorded, or empty, as the sort key.
    pub seconds: String,
    /// Events on its tapes.
    pub events: Cell,
    /// Annotations, with the kinds in the title.
    pub annotations: Cell,
    /// Review threads, with their entries in the title.
    pub threads: Cell,
    /// Values of the comparison table's check columns, in order.
    pub checks: Vec<Similarity>,
    /// Values of the comparison table's outcome columns, in order; empty in other tables.
    pub outcomes: Vec<Cell>,
}

/// The similarity of a view to its reference.
#[derive(Debug, Clone, Serialize)]
pub struct Similarity {
    pub cell: Cell,
    /// Class of its shade, by tenths: `s0` to `s10`; `None` without a number.
    pub shade: Option<&'static str>,
}

/// A value by which the page of runs is filtered.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum FilterValue {
    Link(Link),
    Badge(Badge),
    /// A rating with its rank.
    Rating(Badge, Option<usize>),
    Cell(Cell),
    Text(String),
    Kinds(Vec<String>),
}

type Filter = fn(&RunRow, &Findings) -> FilterValue;
type CellOf = fn(&RunRow) -> Cell;
type Order = fn(&Run, &Findings) -> Option<f64>;

/// The columns by which runs are filtered: the name of the table's column (`data-col`) or of a note in a cell, and its value.
pub const FILTERS: [(&str, Filter); 9] = [
    ("case", |row, _| FilterValue::Link(row.case.clone())),
    ("variant", |row, _| FilterValue::Cell(row.variant.clone())),
    ("model", |row, _| FilterValue::Link(row.model.clone())),
    ("harness", |row, _| FilterValue::Link(row.harness.clone())),
    ("state", |row, _| FilterValue::Badge(row.state.clone())),
    ("rating", |row, _| {
        FilterValue::Rating(row.rating.clone(), row.rating_order)
    }),
    ("annotation", |_, findings| {
        let kinds = findings.annotations.iter();
        FilterValue::Kinds(kinds.map(|(kind, _)| kind.to_owned()).collect())
    }),
    ("version", |row, _| FilterValue::Text(row.version.clone())),
    ("day", |row, _| FilterValue::Text(row.finished.date.clone())),
];

/// The other columns of the page of runs, with their cells.
pub const CELLS: [(&str, CellOf); 6] = [
    ("outcome", |row| row.outcome.clone()),
    ("cost", |row| row.comparable_cost.clone()),
    ("time", |row| row.run_time.clone()),
    ("events", |row| row.events.clone()),
    ("annotations", |row| row.annotations.clone()),
    ("threads", |row| row.threads.clone()),
];

/// The columns by which runs are sorted, in the order of a number or a time. A lower bound is ordered by its value.
pub const ORDERS: [(&str, Order); 6] = [
    ("finished", |run, _| Some(float(run.recency()?.ms()))),
    ("cost", |run, _| {
        Some(run.metrics.get(Metric::ComparableCost)?.value())
    }),
    ("time", |run, _| {
        Some(run.metrics.get(Metric::RunTime)?.value())
    }),
    ("events", |_, findings| Some(float(findings.events?))),
    ("annotations", |_, findings| {
        Some(float(findings.annotations.total()))
    }),
    ("threads", |_, findings| {
        Some(float(findings.threads.as_ref()?.threads))
    }),
];

#[allow(
    clippy::cast_precision_loss,
    reason = "counts, and milliseconds of years of four digits"
)]
fn float(number: impl TryInto<i64>) -> f64 {
    number.try_into().unwrap_or(i64::MAX) as f64
}

/// The row of a run, for a page whose path to the root is `root`; `checks` are the views of the table's columns.
pub fn row(
    archive: &Archive,
    entry: &ArchiveEntry,
    findings: &Findings,
    root: &str,
    checks: &[(Arc<str>, Arc<str>)],
) -> RunRow {
    let run = &entry.run;
    let (subject, metrics) = (&run.subject, &run.metrics);
    RunRow {
        slug: entry.slug.to_string(),
        href: format!("{root}{}", links::run(&entry.slug)),
        label: entry.label.clone(),
        title: match &subject.variant {
            Some(variant) if !run.is_imported => format!("{} · {variant}", findings.task),
            _ => words::excerpt(&findings.task, task::NAME),
        },
        case: Link::to_group(GroupBy::Case, &archive.cases[entry.case], root),
        version: subject
            .version
            .as_deref()
            .map_or_else(String::new, |version| {
                format::short_digest(version).text().to_owned()
            }),
        variant: format::text(subject.variant.as_ref()),
        model: Link::to_group(GroupBy::Model, &archive.models[entry.model], root),
        harness: Link::to_group(GroupBy::Harness, &archive.harnesses[entry.harness], root),
        harness_version: format::text(subject.harness_version.as_ref()),
        state: format::outcome_badge(entry),
        excluded: decisions::exclusion_badge(entry),
        outcome: outcome(entry),
        rating: format::rating(findings.rating),
        rating_order: findings.rating.and_then(|rating| {
            let better = Rating::ALL.iter().position(|other| *other == rating)?;
            Some(Rating::ALL.len() - better)
        }),
        finished: format::when(run.recency()),
        tokens: Metric::TOKENS
            .map(|class| format::metric(metrics, class))
            .to_vec(),
        comparable_cost: format::short_cost_of(metrics, Metric::ComparableCost),
        peers: None,
        actual_cost: format::short_cost_of(metrics, Metric::ActualCost),
        run_time: format::clock(metrics.get(Metric::RunTime)),
        seconds: metrics
            .get(Metric::RunTime)
            .map(|seconds| seconds.text().to_owned())
            .unwrap_or_default(),
        events: findings
            .events
            .map_or_else(|| Cell::unknown("no event log and no tape"), count_cell),
        annotations: annotations(findings),
        threads: threads(findings),
        checks: checks.iter().map(|(view, _)| check(entry, view)).collect(),
        outcomes: Vec::new(),
    }
}

/// The names of the columns in which none of these runs has a value.
pub fn empty_columns<'a>(
    runs: &(impl Iterator<Item = (&'a ArchiveEntry, &'a Findings)> + Clone),
) -> Vec<&'static str> {
    let has = |value: &dyn Fn(&Run, &Findings) -> bool| {
        runs.clone()
            .any(|(entry, findings)| value(&entry.run, findings))
    };
    let metric = |metric| has(&|run, _| run.metrics.get(metric).is_some());
    let columns = [
        (
            "outcome",
            runs.clone().any(|(entry, _)| {
                entry.exclusion().is_some() || !task::results(&entry.run).is_empty()
            }),
        ),
        ("rating", has(&|_, findings| findings.rating.is_some())),
        ("uncached", metric(Metric::UncachedInput)),
        ("cached", metric(Metric::CachedInput)),
        ("output", metric(Metric::Output)),
        ("reasoning", metric(Metric::Reasoning)),
        ("cost", metric(Metric::ComparableCost)),
        ("actual", metric(Metric::ActualCost)),
        ("time", metric(Metric::RunTime)),
        ("events", has(&|_, findings| findings.events.is_some())),
        ("annotations", has(&|_, findings| findings.is_annotated())),
        ("threads", has(&|_, findings| findings.threads.is_some())),
    ];
    let empty = columns.into_iter().filter(|(_, has_value)| !has_value);
    empty.map(|(name, _)| name).collect()
}

fn outcome(entry: &ArchiveEntry) -> Cell {
    let results = task::results(&entry.run);
    let excluded = decisions::exclusion_badge(entry).map(|badge| badge.word);
    let words = results.iter().map(|fact| fact.value.text());
    let words: Vec<&str> = excluded.as_deref().into_iter().chain(words).collect();
    if words.is_empty() {
        return Cell::unknown("neither outcomes nor screens were recorded");
    }
    Cell::known(words.join(", "))
}

fn count_cell(count: usize) -> Cell {
    Cell::known(format::grouped(count))
}

fn annotations(findings: &Findings) -> Cell {
    let total = count_cell(findings.annotations.total());
    let kinds: Vec<_> = findings
        .annotations
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    if kinds.is_empty() {
        total
    } else {
        Cell::titled(total.text(), kinds.join(", "))
    }
}

fn threads(findings: &Findings) -> Cell {
    findings.threads.as_ref().map_or_else(
        || Cell::unknown("this run has no review threads"),
        |counts| {
            let threads = format::count(counts.threads, "thread");
            let entries = format::count(counts.entries, "entry");
            Cell::titled(
                format::grouped(counts.threads),
                format!(
                    "{threads}, {entries}: {} open, {} resolved",
                    format::grouped(counts.open),
                    format::grouped(counts.resolved()),
                ),
            )
        },
    )
}

/// Classes of the shades, by tenths.
const SHADES: [&str; 11] = [
    "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10",
];

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number between 0 and 10"
)]
fn shade(similarity: &Number) -> &'static str {
    SHADES[(similarity.value().clamp(0.0, 1.0) * 10.0).floor() as usize]
}

/// Maximum bytes of a check's detail; the run page has all of it.
const DETAIL: usize = 300;

fn check(entry: &ArchiveEntry, view: &str) -> Similarity {
    let checks = &entry.run.validation.checks;
    let Some(check) = checks.iter().find(|check| *check.view == *view) else {
        return Similarity {
            cell: Cell::unknown("the case version of this run does not have this check"),
            shade: None,
        };
    };
    let detail = check
        .detail
        .as_deref()
        .map(|detail| format::truncated(detail, DETAIL));
    Similarity {
        cell: format::short_similarity(check.compared(), detail),
        shade: check.compared().map(shade),
    }
}

/// The pagination of a list.
#[derive(Debug, Clone, Serialize)]
pub struct Pager {
    /// This page, from 1.
    pub page: usize,
    pub pages: usize,
    pub previous: Option<String>,
    pub next: Option<String>,
    pub first: String,
    pub last: String,
    /// `rows 101 to 200 of 1,234`
    pub summary: String,
}

#[derive(Debug)]
pub struct ListPage {
    /// Its number, from 1.
    pub number: usize,
    pub path: String,
    /// Relative path to the site's root.
    pub root: String,
    pub items: Range<usize>,
    pub pager: Pager,
}

/// Rows per page of a list.
pub const PAGE_SIZE: usize = 100;

/// The pages of a list of `total` items, at least one, in a folder of the site.
pub fn list_pages(folder: &str, size: usize, total: usize, noun: &str) -> Vec<ListPage> {
    let pages = 1..=total.div_ceil(size).max(1);
    pages
        .map(|number| list_page(folder, number, size, total, noun))
        .collect()
}

/// Page `number` (from 1) of a list.
pub fn list_page(folder: &str, number: usize, size: usize, total: usize, noun: &str) -> ListPage {
    let pages = total.div_ceil(size).max(1);
    let path = links::list(folder, number);
    let root = links::root(&path);
    let href = |number: usize| format!("{root}{}", links::list(folder, number));
    let items = ((number - 1) * size).min(total)..(number * size).min(total);
    let ends = [(items.start + 1).min(total), items.end, total];
    let [first, last, all] = ends.map(format::grouped);
    ListPage {
        pager: Pager {
            page: number,
            pages,
            previous: (number > 1).then(|| href(number - 1)),
            next: (number < pages).then(|| href(number + 1)),
            first: href(1),
            last: href(pages),
            summary: format!("{noun} {first} to {last} of {all}"),
        },
        number,
        path,
        root,
        items,
    }
}
