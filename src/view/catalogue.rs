//! The lists: all runs, and the comparison tables of a case, a model or a harness.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::markup::Html;
use crate::model::archive::{Archive, Group, GroupBy};
use crate::model::comparison::{self, Set};
use crate::model::findings::Findings;

use super::outcomes;
use super::overview::{self, Matrix};
use super::peers::{self, PeerRange};
use super::plot::{self, Plot};
use super::reliability::{ReliabilityView, reliability};
use super::row::{ListPage, PAGE_SIZE, Pager, RunRow, list_pages, row};
use super::timeline::head;
use super::wall::{Wall, wall};
use super::{Cell, Link, format};
use crate::links;

/// Checks that a table has columns for, in the order in which the runs first have them.
pub const COLUMNS: usize = 50;
/// Bytes of the name of a check in the head of its column.
const HEAD: usize = 120;

/// A page of the list of runs.
#[derive(Debug, Serialize)]
pub struct RunsPage {
    pub rows: Vec<RunRow>,
    pub pager: Pager,
}

pub fn runs_page(archive: &Archive, findings: &[Findings], page: ListPage) -> RunsPage {
    let rows = page
        .items
        .map(|i| row(archive, &archive.runs[i], &findings[i], &page.root, &[]));
    RunsPage {
        rows: rows.collect(),
        pager: page.pager,
    }
}

/// A page of a case, a model or a harness.
#[derive(Debug, Serialize)]
pub struct GroupPage {
    /// `case`, `model` or `harness`.
    pub sort: &'static str,
    /// The name, as the records write it.
    pub name: String,
    /// Title of the prose, when it has one.
    pub title: Option<String>,
    pub prose: Html,
    /// Numbers of the group.
    pub summary: String,
    /// Whether its card is beside the page.
    pub card: bool,
    /// Why there is more than one table, when there is.
    pub why: Option<&'static str>,
    pub sets: Vec<SetView>,
    /// How its runs of each case ended, on the first of several pages of a model or a harness.
    pub cases: Option<Matrix>,
    /// The newest runs as pictures, on the first page.
    pub wall: Option<Wall>,
    /// Whether a table has columns of checks, which are explained once.
    pub has_checks: bool,
    /// Whether one of its runs has outcomes.
    pub has_outcomes: bool,
    pub pager: Pager,
}

/// One comparison table.
#[derive(Debug, Serialize)]
pub struct SetView {
    /// Id of the section.
    pub anchor: String,
    pub case: Link,
    pub version: String,
    pub engine: String,
    pub orchestrator: String,
    /// The columns of the checks: view and name; at most [`COLUMNS`].
    pub checks: Vec<(String, String)>,
    /// How many more checks there are, on the pages of the runs.
    pub more_checks: Option<String>,
    /// The columns of the outcomes: name and scorer; at most [`COLUMNS`].
    pub outcomes: Vec<(String, String)>,
    /// How many more outcomes there are, on the pages of the runs.
    pub more_outcomes: Option<String>,
    /// The models within each variant, on the page of a case, where the table begins.
    pub reliability: Option<ReliabilityView>,
    /// The variants on this page.
    pub groups: Vec<VariantView>,
    /// Whether the table began on an earlier page.
    pub continued: bool,
    /// Metrics of all its runs against each other, where the table begins.
    pub plots: Vec<Plot>,
}

/// The runs of a variant.
#[derive(Debug, Serialize)]
pub struct VariantView {
    /// Its name.
    pub variant: Cell,
    /// Its position in the set, and that of its first row here among its runs.
    #[serde(skip)]
    pub position: usize,
    #[serde(skip)]
    pub first: usize,
    /// `12 runs`
    pub count: String,
    /// The rows on this page.
    pub rows: Vec<RunRow>,
}

/// What a group's page says of itself.
#[derive(Debug, Clone, Default)]
pub struct GroupProse {
    pub title: Option<String>,
    pub description: Option<String>,
    pub html: Html,
}

/// All pages of a group, as pairs of path and page. They are made one by one: together they hold every run.
pub fn group_pages<'a>(
    archive: &'a Archive,
    findings: &'a [Findings],
    group_by: GroupBy,
    group: &'a Group,
    prose: &'a GroupProse,
) -> impl Iterator<Item = (String, GroupPage)> + 'a {
    let folder = format!("{}/{}", group_by.folder(), group.slug);
    let mut sets = comparison::sets(archive, &group.runs);
    let is_case = matches!(group_by, GroupBy::Case);
    if !is_case {
        // Cases by name, and the versions of a case as the records have them, the newest runs first.
        sets.sort_by_key(|set| set.case);
    }
    let ranges: Vec<_> = sets
        .iter()
        .map(|set| (!is_case).then(|| peers::ranges(archive, set)))
        .collect();
    let summary = summary(archive, group, group_by);
    let title = prose.title.as_ref().filter(|title| **title != group.name);
    let why = if is_case {
        "Runs of different case versions, engines or orchestrators had different tasks, so they are never in one table."
    } else {
        "Runs of different cases, versions, variants, engines or orchestrators had different tasks: compare those of one group."
    };
    let page = move |page: ListPage| {
        let mut views = Vec::new();
        let mut end = 0;
        for (index, set) in sets.iter().enumerate() {
            let start = end;
            end += set
                .variants
                .iter()
                .map(|(_, runs)| runs.len())
                .sum::<usize>();
            if start < page.items.end && end > page.items.start {
                let mut view = set_view(archive, findings, (index, set), start, &page);
                if let Some(ranges) = &ranges[index] {
                    place(archive, set, ranges, &mut view);
                }
                if is_case && !view.continued {
                    view.plots = plot::plots(archive, set, &page.root);
                    view.reliability = reliability(archive, set, &page.root);
                }
                views.push(view);
            }
        }
        let prose = if page.number == 1 {
            prose.html.clone()
        } else {
            Html::default()
        };
        let view = GroupPage {
            sort: group_by.word(),
            name: group.name.clone(),
            title: title.cloned(),
            prose,
            summary: summary.clone(),
            card: false,
            why: (sets.len() > 1).then_some(why),
            has_checks: is_case && views.iter().any(|set| !set.checks.is_empty()),
            has_outcomes: views.iter().any(|set| !set.outcomes.is_empty()),
            sets: views,
            cases: (!is_case && page.number == 1 && page.pager.pages > 1)
                .then(|| overview::of_group(archive, group_by, group, &page.root)),
            wall: (page.number == 1)
                .then(|| wall(archive, findings, &group.runs, (None, !is_case), &page.root)),
            pager: page.pager,
        };
        (page.path, view)
    };
    let pages = list_pages(&folder, PAGE_SIZE, group.runs.len(), "runs");
    pages.into_iter().map(page)
}

fn set_view(
    archive: &Archive,
    findings: &[Findings],
    (index, set): (usize, &Set),
    start: usize,
    page: &ListPage,
) -> SetView {
    let (range, root) = (&page.items, page.root.as_str());
    let case = &archive.cases[set.case];
    let checks = &set.checks[..set.checks.len().min(COLUMNS)];
    let outcomes = &set.outcomes[..set.outcomes.len().min(COLUMNS)];
    let mut position = start;
    let groups = set
        .variants
        .iter()
        .enumerate()
        .filter_map(|(number, (variant, runs))| {
            let first = position;
            position += runs.len();
            let from = range.start.clamp(first, position) - first;
            let to = range.end.clamp(first, position) - first;
            (from < to).then(|| VariantView {
                position: number,
                first: from,
                variant: format::text(variant.as_ref()),
                count: format::count(runs.len(), "run"),
                rows: runs[from..to]
                    .iter()
                    .map(|&i| {
                        let entry = &archive.runs[i];
                        let mut row = row(archive, entry, &findings[i], root, checks);
                        let columns = outcomes.iter();
                        row.outcomes = columns
                            .map(|column| outcomes::cell(&entry.run, column))
                            .collect();
                        row
                    })
                    .collect(),
            })
        })
        .collect();
    SetView {
        anchor: format!("set-{}", index + 1),
        case: Link::new(
            case.name.clone(),
            format!("{root}{}", links::group("cases", &case.slug)),
        ),
        version: set.version.clone(),
        engine: set.engine.clone(),
        orchestrator: set.orchestrator.to_string(),
        checks: checks
            .iter()
            .map(|(view, name)| (head(view, HEAD).to_owned(), head(name, HEAD).to_owned()))
            .collect(),
        more_checks: format::rest(set.checks.len(), checks.len(), "more check"),
        outcomes: outcomes
            .iter()
            .map(|(name, scorer)| {
                let scorer = scorer.as_deref().unwrap_or("a scorer that is not recorded");
                (head(name, HEAD).to_owned(), head(scorer, HEAD).to_owned())
            })
            .collect(),
        more_outcomes: format::rest(set.outcomes.len(), outcomes.len(), "more outcome"),
        groups,
        reliability: None,
        continued: start < range.start,
        plots: Vec::new(),
    }
}

/// Puts each run of a set on the range of its peers.
fn place(archive: &Archive, set: &Set, ranges: &[Option<PeerRange>], view: &mut SetView) {
    for group in &mut view.groups {
        let range = ranges.get(group.position).and_then(Option::as_ref);
        let runs = &set.variants[group.position].1[group.first..];
        for (row, run) in group.rows.iter_mut().zip(runs) {
            row.peers = range.and_then(|range| range.of(&archive.runs[*run]));
        }
    }
}

fn summary(archive: &Archive, group: &Group, group_by: GroupBy) -> String {
    let distinct = |across: GroupBy| {
        let groups = group
            .runs
            .iter()
            .map(|&run| archive.runs[run].group(across));
        let groups: BTreeSet<usize> = groups.collect();
        format::count(groups.len(), across.word())
    };
    let runs = format::count(group.runs.len(), "run");
    let [cases, models, harnesses] = GroupBy::ALL.map(distinct);
    match group_by {
        GroupBy::Case => format!("{runs} by {models} with {harnesses}"),
        GroupBy::Model => format!("{runs} of {cases} with {harnesses}"),
        GroupBy::Harness => format!("{runs} of {cases} with {models}"),
    }
}
