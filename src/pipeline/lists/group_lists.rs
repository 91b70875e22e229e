//! The lists of all cases, models and harnesses.

use std::collections::BTreeSet;

use serde::Serialize;

use base::diagnostics::Diagnostic;
use base::diagnostics::text::capitalized;
use base::links;
use formats::model::archive::{ArchiveGroup, GroupBy};
use pages::view::chrome::PageInfo;
use pages::view::decisions;
use pages::view::reliability::OutcomeGlyph;
use pages::view::row::{PAGE_SIZE, Pager, list_pages};
use pages::view::{DisplayTime, Link, format};

use super::{Lists, numbered};

/// Maximum glyphs per group, for its newest runs.
const GLYPHS: usize = 12;

/// A page of the list of all cases, models or harnesses.
#[derive(Debug, Serialize)]
struct GroupListPage {
    /// `cases`, `models` or `harnesses`.
    title: &'static str,
    /// `case`, `model` or `harness`.
    word: &'static str,
    /// The unit of the last column: `models` or `cases`.
    across: &'static str,
    rows: Vec<GroupRow>,
    pager: Pager,
}

/// A case, a model or a harness.
#[derive(Debug, Serialize)]
struct GroupRow {
    group: Link,
    /// Title of its prose, if it has any.
    title: Option<String>,
    /// Outcomes of its newest runs, oldest first.
    glyphs: Vec<OutcomeGlyph>,
    /// Number of older runs without a glyph.
    older: Option<(String, String)>,
    /// `3 of 4`
    completed: String,
    /// How many do not count, with a link to the decisions.
    excluded: Option<Link>,
    /// Number of models that ran the case, or of cases with its runs.
    across: String,
    /// When its newest run finished.
    newest: DisplayTime,
}

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    for group_by in GroupBy::ALL {
        let groups = lists.archive().groups(group_by);
        let across = match group_by {
            GroupBy::Case => GroupBy::Model,
            GroupBy::Model | GroupBy::Harness => GroupBy::Case,
        };
        let folder = group_by.folder();
        for page in list_pages(folder, PAGE_SIZE, groups.len(), folder) {
            let rows = groups[page.items].iter();
            let rows = rows.map(|group| group_row(lists, group, group_by, across, &page.root));
            let view = GroupListPage {
                title: folder,
                word: group_by.word(),
                across: across.folder(),
                rows: rows.collect(),
                pager: page.pager,
            };
            let title = numbered(&capitalized(folder), page.number);
            let what = format!("All {folder}, with how their runs ended.");
            let info = PageInfo::listed(page.path, title, what);
            lists.page("group_list.html", &info, &view)?;
        }
    }
    Ok(())
}

fn group_row(
    lists: &Lists<'_>,
    group: &ArchiveGroup,
    group_by: GroupBy,
    across: GroupBy,
    root: &str,
) -> GroupRow {
    let archive = lists.archive();
    let page = links::group(group_by.folder(), &group.slug);
    let prose = lists.gathered.prose.of_page(&page);
    let title = prose.and_then(|text| text.prose.title.clone());
    let runs = || group.runs.iter().map(|&run| &archive.runs[run]);
    let others: BTreeSet<usize> = runs().map(|entry| entry.group(across)).collect();
    let newest = group.runs.iter().take(GLYPHS).rev();
    let glyphs = newest.map(|&run| OutcomeGlyph::of(&archive.runs[run], root));
    GroupRow {
        group: Link::to_group(group_by, group, root),
        title: title.filter(|title| *title != group.name),
        glyphs: glyphs.collect(),
        older: format::older(group.runs.len(), GLYPHS),
        completed: format::completed(runs(), ""),
        excluded: decisions::excluded_link(archive, runs(), root),
        across: format::grouped(others.len()),
        newest: format::when(runs().next().and_then(|entry| entry.run.recency())),
    }
}
