//! Tables of cases by model and by harness.

use std::collections::BTreeMap;

use serde::Serialize;

use formats::model::archive::{Archive, ArchiveEntry, ArchiveGroup, GroupBy};
use formats::model::time::Moment;

use super::row::PAGE_SIZE;
use super::{Link, decisions, format};
use base::links;
use base::url;

/// Maximum glyphs per cell, for the newest runs.
const GLYPHS: usize = 12;

/// The outcomes of runs by case and model, or by case and harness.
#[derive(Debug, Serialize)]
pub struct Matrix {
    pub columns: Vec<Link>,
    pub rows: Vec<MatrixRow>,
    /// Whether so few cells have runs that a list of them says more than a table.
    pub is_sparse: bool,
    /// A note if anything was omitted.
    pub note: Option<String>,
}

/// A case.
#[derive(Debug, Serialize)]
pub struct MatrixRow {
    pub case: Link,
    /// One cell per column.
    pub cells: Vec<Option<MatrixCell>>,
}

/// The runs of a case in one column.
#[derive(Debug, Clone, Serialize)]
pub struct MatrixCell {
    /// The run, or the page of the case.
    pub href: String,
    /// Outcomes of the newest runs, oldest first: `good`, `poor`, `bad` or `none`.
    pub glyphs: Vec<&'static str>,
    /// Number of older runs without a glyph.
    pub older: Option<(String, String)>,
    /// `3 of 4 completed`; empty if none counts.
    pub completed: String,
    /// How many do not count, with a link to the decisions.
    pub excluded: Option<Link>,
    /// The description of the link.
    pub title: String,
}

/// The cases and the models or harnesses with the newest runs, up to a maximum number of each.
pub fn newest(archive: &Archive, across: GroupBy, most: (usize, usize), root: &str) -> Matrix {
    let cases = recent(&archive.cases, most.0);
    let mut matrix = matrix(archive, across, &cases, most.1, root);
    let (groups, noun) = (archive.groups(across), across.word());
    matrix.note = (archive.cases.len() > most.0 || groups.len() > most.1).then(|| {
        format!(
            "The {} and {} with the newest runs, of {} and {}.",
            format::count(cases.len(), "case"),
            format::count(groups.len().min(most.1), noun),
            format::grouped(archive.cases.len()),
            format::grouped(groups.len())
        )
    });
    matrix
}

/// The cases of a model or a harness with its newest runs.
pub fn of_group(archive: &Archive, group_by: GroupBy, group: &ArchiveGroup, root: &str) -> Matrix {
    let mut runs: BTreeMap<usize, Vec<&ArchiveEntry>> = BTreeMap::new();
    for &index in &group.runs {
        let entry = &archive.runs[index];
        runs.entry(entry.case).or_default().push(entry);
    }
    let all = runs.len();
    let mut cases: Vec<_> = runs.into_iter().collect();
    cases.sort_by_key(|(_, runs)| std::cmp::Reverse(runs[0].run.recency().map(Moment::ms)));
    cases.truncate(PAGE_SIZE);
    cases.sort_by_key(|(case, _)| *case);
    let row = |case: usize, runs: &[&ArchiveEntry]| {
        let case = &archive.cases[case];
        MatrixRow {
            case: Link::to_group(GroupBy::Case, case, root),
            cells: vec![Some(cell(archive, runs, case, &group.name, false, root))],
        }
    };
    Matrix {
        columns: vec![Link::to_group(group_by, group, root)],
        is_sparse: false,
        rows: cases.iter().map(|(case, runs)| row(*case, runs)).collect(),
        note: (all > PAGE_SIZE).then(|| {
            let all = format::grouped(all);
            format!(
                "The {} with the newest runs, of {all}.",
                format::count(PAGE_SIZE, "case")
            )
        }),
    }
}

/// The groups with the newest runs, by name.
fn recent(groups: &[ArchiveGroup], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|&i| groups[i].runs.first().copied());
    order.truncate(most);
    order.sort_unstable();
    order
}

/// These cases, and the models or harnesses with the newest runs, up to a maximum number.
pub fn matrix(
    archive: &Archive,
    across: GroupBy,
    cases: &[usize],
    most: usize,
    root: &str,
) -> Matrix {
    let (groups, noun) = (archive.groups(across), across.word());
    let shown = recent(groups, most);
    let row = |&case: &usize| {
        let cells = cells(archive, across, case, root);
        MatrixRow {
            case: Link::to_group(GroupBy::Case, &archive.cases[case], root),
            cells: shown
                .iter()
                .map(|column| cells.get(column).cloned())
                .collect(),
        }
    };
    let columns = shown
        .iter()
        .map(|&column| Link::to_group(across, &groups[column], root));
    let rows: Vec<MatrixRow> = cases.iter().map(row).collect();
    let filled = rows.iter().flat_map(|row| &row.cells).flatten().count();
    Matrix {
        columns: columns.collect(),
        is_sparse: filled * 3 < rows.len() * shown.len(),
        rows,
        note: (groups.len() > shown.len()).then(|| {
            format!(
                "The {} with the newest runs, of {}; the page of a case has all of its runs.",
                format::count(shown.len(), noun),
                format::grouped(groups.len())
            )
        }),
    }
}

/// The cells of a case, by column.
fn cells(
    archive: &Archive,
    across: GroupBy,
    case: usize,
    root: &str,
) -> BTreeMap<usize, MatrixCell> {
    let group = &archive.cases[case];
    let mut runs: BTreeMap<usize, Vec<&ArchiveEntry>> = BTreeMap::new();
    for &index in &group.runs {
        let entry = &archive.runs[index];
        runs.entry(entry.group(across)).or_default().push(entry);
    }
    let groups = archive.groups(across);
    // If the case page lists all of its runs, a link to it can filter them.
    let can_filter = group.runs.len() <= PAGE_SIZE;
    let cells = runs.iter().map(|(column, runs)| {
        let name = &groups[*column].name;
        (*column, cell(archive, runs, group, name, can_filter, root))
    });
    cells.collect()
}

/// The runs of a case by `name`.
fn cell(
    archive: &Archive,
    runs: &[&ArchiveEntry],
    group: &ArchiveGroup,
    name: &str,
    can_filter: bool,
    root: &str,
) -> MatrixCell {
    let (entry, count) = (runs[0], runs.len());
    let (path, title) = if can_filter && count > 1 {
        let page = links::group("cases", &group.slug);
        (
            format!("{page}?find={}", url::encode(name)),
            format!("the runs of {name} on the page of {}", group.name),
        )
    } else {
        let which = if count > 1 {
            "the newest run"
        } else {
            "the run"
        };
        (
            links::run(&entry.slug),
            format!("{which} of {} by {name}", group.name),
        )
    };
    MatrixCell {
        href: format!("{root}{path}"),
        glyphs: runs[..count.min(GLYPHS)]
            .iter()
            .rev()
            .map(|entry| format::outcome_badge(entry).tone)
            .collect(),
        older: format::older(count, GLYPHS),
        completed: format::completed(runs.iter().copied(), " completed"),
        excluded: decisions::excluded_link(archive, runs.iter().copied(), root),
        title,
    }
}
