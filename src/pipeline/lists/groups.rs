//! The pages of cases, models and harnesses, with comparison tables.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::Serialize;

use base::diagnostics::Diagnostic;
use base::links;
use formats::config::RunSelection;
use formats::model::archive::{Archive, ArchiveGroup, GroupBy};
use formats::model::comparison::{self, ComparableSet};
use formats::model::findings::Findings;
use markup::Html;
use pages::draw::{card, plot};
use pages::view::chrome::{HeaderEntry, PageInfo, Script};
use pages::view::decisions::{self, DecisionView};
use pages::view::matrix::{self, Matrix};
use pages::view::outcomes;
use pages::view::peers::{self, PeerRange};
use pages::view::reliability::{ReliabilityView, reliability};
use pages::view::row::{ListPage, PAGE_SIZE, Pager, RunRow, empty_columns, list_pages, row};
use pages::view::rules::{self, CaseRuleRow};
use pages::view::wall::{Wall, wall};
use pages::view::{Cell, Link, format};

use super::{Lists, Page, group_lists, numbered, paths, trials};

pub(super) const PAGE: Page = Page {
    header: &[
        ("cases", HeaderEntry::Link(10, "Cases")),
        ("models", HeaderEntry::Link(20, "Models")),
        ("harnesses", HeaderEntry::Below("models")),
    ],
    made_of: Some(&[]),
    listed,
    ..Page::new("groups", &["cases", "models", "harnesses"], write)
};

fn listed(lists: &Lists<'_>) -> Vec<String> {
    let of_kind = |group_by: GroupBy| {
        let groups = lists.archive().groups(group_by);
        let of_groups = groups.iter().flat_map(move |group| {
            let folder = format!("{}/{}", group_by.folder(), group.slug);
            paths(&folder, group.runs.len(), PAGE_SIZE)
        });
        let all = paths(group_by.folder(), groups.len(), PAGE_SIZE);
        all.into_iter().chain(of_groups)
    };
    GroupBy::ALL.into_iter().flat_map(of_kind).collect()
}

/// Maximum columns of checks in a table, in the order in which the runs first have them.
const COLUMNS: usize = 50;
/// Maximum bytes of a check's name in the head of its column.
const HEAD: usize = 120;

/// Why runs of a case are not compared.
const LABEL: &str = "Their logs name no task: the case is a name that was given on import, so each run may have had a task of its own, and they are not compared.";

/// A page of a case, a model or a harness.
#[derive(Debug, Serialize)]
struct GroupPage {
    /// `case`, `model` or `harness`.
    sort: &'static str,
    /// The name, as the records write it.
    name: String,
    /// Title of the prose, when it has one.
    title: Option<String>,
    prose: Html,
    /// Numbers of the group.
    summary: String,
    /// Whether the page has a social card.
    card: bool,
    /// The reason for several tables, if there are several.
    why: Option<&'static str>,
    sets: Vec<SetView>,
    /// The page of its trials, if it has one.
    trials: Option<String>,
    /// The outcomes of its runs by case, on the first page of a model or a harness.
    cases: Option<Matrix>,
    /// The rules that its runs violate, on the first page of a case.
    violated: Vec<CaseRuleRow>,
    /// What was decided about its runs, on the first page of a case.
    decisions: Vec<DecisionView>,
    /// The newest runs as pictures, on the first page.
    wall: Option<Wall>,
    /// Whether a table has columns of checks, which are explained once.
    has_checks: bool,
    /// Whether one of its runs has outcomes.
    has_outcomes: bool,
    /// Whether a cost has a drawing of the costs of comparable runs.
    has_peers: bool,
    pager: Pager,
}

/// One comparison table.
#[derive(Debug, Serialize)]
struct SetView {
    /// Id of the section.
    anchor: String,
    case: Link,
    version: String,
    engine: String,
    orchestrator: String,
    /// Whether its runs have no version, engine and orchestrator, as is usual for imported ones.
    is_plain: bool,
    /// Why its runs are not compared, if they are not.
    label: Option<&'static str>,
    /// Names of the columns without a value.
    empty: Vec<&'static str>,
    /// The columns of the checks: view and name; at most [`COLUMNS`].
    checks: Vec<(String, String)>,
    /// How many more checks there are, on the pages of the runs.
    more_checks: Option<String>,
    /// The columns of the outcomes: name and scorer; at most [`COLUMNS`].
    outcomes: Vec<(String, String)>,
    /// How many more outcomes there are, on the pages of the runs.
    more_outcomes: Option<String>,
    /// The models within each variant, on the page of a case, where the table begins.
    reliability: Option<ReliabilityView>,
    /// The variants on this page.
    groups: Vec<VariantView>,
    /// Whether the table began on an earlier page.
    continued: bool,
    /// Metrics of all its runs against each other, where the table begins.
    plots: Vec<Html>,
}

/// The runs of a variant.
#[derive(Debug, Serialize)]
struct VariantView {
    /// Its name.
    variant: Cell,
    /// Its position in the set, and that of its first row here among its runs.
    #[serde(skip)]
    position: usize,
    #[serde(skip)]
    first: usize,
    /// `12 runs`
    count: String,
    /// The rows on this page.
    rows: Vec<RunRow>,
}

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    group_lists::write(lists)?;
    let archive = lists.archive();
    let groups = GroupBy::ALL.into_par_iter().flat_map(|group_by| {
        let groups = archive.groups(group_by).par_iter();
        groups.map(move |group| (group_by, group))
    });
    groups.try_for_each(|(group_by, group)| write_group(lists, group_by, group))
}

/// Writes the pages of a group one by one: together they hold every run.
fn write_group(
    lists: &Lists<'_>,
    group_by: GroupBy,
    group: &ArchiveGroup,
) -> Result<(), Diagnostic> {
    let (archive, findings) = (lists.archive(), lists.findings());
    let path = links::group(group_by.folder(), &group.slug);
    let text = lists.gathered.prose.of_page(&path);
    let prose = text.map(|text| &text.prose);
    let is_case = group_by == GroupBy::Case;
    let card = is_case && lists.config().site.cards != RunSelection::None;
    let card = card.then(|| links::card(&path));
    if let Some(path) = &card {
        let view = || card::of_case(lists.config(), archive, findings, group);
        lists
            .stage
            .stream(path, |out| out.write_all(&card::png(&view())))?;
    }
    let mut sets = comparison::sets(archive, &group.runs);
    let has_trials = is_case && trials::has_page(archive, &sets);
    if !is_case {
        // Cases by name, and the versions of a case as the records have them, the newest runs first.
        sets.sort_by_key(|set| set.case);
    }
    let ranges: Vec<_> = sets
        .iter()
        .map(|set| (!is_case && set.is_comparable).then(|| peers::ranges(archive, set)))
        .collect();
    let empty_of = |runs: &[usize]| {
        let runs = runs.iter();
        let mut empty = empty_columns(&runs.map(|&run| (&archive.runs[run], &findings[run])));
        // The columns of the list of all runs that these tables do not have.
        empty.retain(|name| !matches!(*name, "outcome" | "events"));
        empty
    };
    // The runs of a model are in one table, those of a case in one for each set.
    let empty = empty_of(&group.runs);
    let summary = summary(archive, group, group_by);
    let title = prose.and_then(|prose| prose.title.as_ref());
    let why = if is_case {
        "Runs of different case versions, engines or orchestrators had different tasks, so they are never in one table."
    } else {
        "Runs of different cases, versions, variants, engines or orchestrators had different tasks: compare those of one group."
    };
    let folder = format!("{}/{}", group_by.folder(), group.slug);
    for page in list_pages(&folder, PAGE_SIZE, group.runs.len(), "runs") {
        let is_first = page.number == 1;
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
                let mut view = set_view(archive, findings, index, set, start, &page);
                if let Some(ranges) = &ranges[index] {
                    place(archive, set, ranges, &mut view);
                }
                view.empty.clone_from(&empty);
                if is_case {
                    let runs = set.variants.iter().flat_map(|(_, runs)| runs);
                    view.empty = empty_of(&runs.copied().collect::<Vec<_>>());
                }
                if is_case && set.is_comparable && !view.continued {
                    view.plots = plot::plots(archive, set, &page.root);
                    view.reliability = reliability(archive, set, &page.root);
                }
                views.push(view);
            }
        }
        let name = format!("{} ({})", group.name, group_by.word());
        let written = prose.and_then(|prose| prose.description.clone());
        let what = written.unwrap_or_else(|| format!("{}: {summary}.", group.name));
        let info = PageInfo {
            scripts: &[Script::Tables],
            image: card.clone(),
            ..PageInfo::listed(page.path, numbered(&name, page.number), what)
        };
        let view = GroupPage {
            sort: group_by.word(),
            name: group.name.clone(),
            title: title.filter(|title| **title != group.name).cloned(),
            prose: text
                .filter(|_| is_first)
                .map_or_else(Html::default, |text| text.html(lists.site)),
            summary: summary.clone(),
            card: card.is_some() && is_first,
            why: (sets.len() > 1).then_some(why),
            has_checks: is_case && views.iter().any(|set| !set.checks.is_empty()),
            has_outcomes: views.iter().any(|set| !set.outcomes.is_empty()),
            has_peers: ranges.iter().flatten().flatten().any(Option::is_some),
            sets: views,
            trials: has_trials.then(|| format!("{}{}", page.root, links::trials(&group.slug))),
            cases: (!is_case && is_first && page.pager.pages > 1)
                .then(|| matrix::of_group(archive, group_by, group, &page.root)),
            violated: if is_case && is_first {
                rules::of_case(&lists.site.rules, archive, findings, group, &page.root)
            } else {
                Vec::new()
            },
            decisions: if is_case && is_first {
                decisions::of_group(archive, group, &page.root)
            } else {
                Vec::new()
            },
            wall: is_first
                .then(|| wall(archive, findings, &group.runs, None, !is_case, &page.root)),
            pager: page.pager,
        };
        lists.page("group.html", &info, &view)?;
    }
    Ok(())
}

fn set_view(
    archive: &Archive,
    findings: &[Findings],
    index: usize,
    set: &ComparableSet,
    start: usize,
    page: &ListPage,
) -> SetView {
    let (range, root) = (&page.items, page.root.as_str());
    let case = &archive.cases[set.case];
    let checks = &set.checks[..set.checks.len().min(COLUMNS)];
    let outcomes = &set.outcomes[..set.outcomes.len().min(COLUMNS)];
    let mut runs = set.variants.iter().flat_map(|(_, runs)| runs);
    let is_plain = runs.all(|run| {
        let run = &archive.runs[*run].run;
        run.is_imported && run.subject.version.is_none()
    });
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
    let heading = |text: &str| format::truncated(text, HEAD).to_owned();
    SetView {
        anchor: format!("set-{}", index + 1),
        case: Link::to_group(GroupBy::Case, case, root),
        version: format::short_digest(&set.version).text().to_owned(),
        engine: set.engine.clone(),
        orchestrator: set.orchestrator.to_string(),
        is_plain,
        label: (!set.is_comparable).then_some(LABEL),
        empty: Vec::new(),
        checks: checks
            .iter()
            .map(|(view, name)| (heading(view), heading(name)))
            .collect(),
        more_checks: format::rest(set.checks.len(), checks.len(), "more check"),
        outcomes: outcomes
            .iter()
            .map(|(name, scorer)| {
                let scorer = scorer.as_deref().unwrap_or("a scorer that is not recorded");
                (heading(name), heading(scorer))
            })
            .collect(),
        more_outcomes: format::rest(set.outcomes.len(), outcomes.len(), "more outcome"),
        groups,
        reliability: None,
        continued: start < range.start,
        plots: Vec::new(),
    }
}

/// The position of each run of a set in the range of its peers.
fn place(archive: &Archive, set: &ComparableSet, ranges: &[Option<PeerRange>], view: &mut SetView) {
    for group in &mut view.groups {
        let range = ranges.get(group.position).and_then(Option::as_ref);
        let runs = &set.variants[group.position].1[group.first..];
        for (row, run) in group.rows.iter_mut().zip(runs) {
            row.peers = range.and_then(|range| range.of(&archive.runs[*run]));
        }
    }
}

fn summary(archive: &Archive, group: &ArchiveGroup, group_by: GroupBy) -> String {
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
