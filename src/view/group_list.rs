//! The lists of all cases, models and harnesses.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::links;
use crate::model::archive::{Archive, Group, GroupBy};

use super::reliability::Glyph;
use super::row::{ListPage, PAGE_SIZE, Pager, list_pages};
use super::{DisplayTime, Link, format};

/// Maximum glyphs per group, for its newest runs.
const GLYPHS: usize = 12;

/// A page of the list of all cases, models or harnesses.
#[derive(Debug, Serialize)]
pub struct GroupListPage {
    /// `cases`, `models` or `harnesses`.
    pub title: String,
    /// `case`, `model` or `harness`.
    pub word: &'static str,
    /// The unit of the last column: `models` or `cases`.
    pub across: String,
    pub rows: Vec<GroupRow>,
    pub pager: Pager,
}

/// A case, a model or a harness.
#[derive(Debug, Serialize)]
pub struct GroupRow {
    pub group: Link,
    /// Title of its prose, if it has any.
    pub title: Option<String>,
    /// Outcomes of its newest runs, oldest first.
    pub glyphs: Vec<Glyph>,
    /// Number of older runs without a glyph.
    pub older: Option<(String, String)>,
    /// `3 of 4`
    pub completed: String,
    /// Number of models that ran the case, or of cases with its runs.
    pub across: String,
    /// When its newest run finished.
    pub newest: DisplayTime,
}

/// All pages of a list, as pairs of path and page; `title_of` returns the title of a group's prose.
pub fn pages(
    archive: &Archive,
    group_by: GroupBy,
    title_of: &dyn Fn(&Group) -> Option<String>,
) -> Vec<(String, GroupListPage)> {
    let groups = archive.groups(group_by);
    let across = match group_by {
        GroupBy::Case => GroupBy::Model,
        GroupBy::Model | GroupBy::Harness => GroupBy::Case,
    };
    let folder = group_by.folder();
    let page = |page: ListPage| {
        let rows = groups[page.items].iter();
        let rows = rows.map(|group| {
            let title = title_of(group).filter(|title| *title != group.name);
            group_row(archive, group, title, (group_by, across), &page.root)
        });
        let view = GroupListPage {
            title: folder.to_owned(),
            word: group_by.word(),
            across: across.folder().to_owned(),
            rows: rows.collect(),
            pager: page.pager,
        };
        (page.path, view)
    };
    let pages = list_pages(folder, PAGE_SIZE, groups.len(), folder);
    pages.into_iter().map(page).collect()
}

fn group_row(
    archive: &Archive,
    group: &Group,
    title: Option<String>,
    (group_by, across): (GroupBy, GroupBy),
    root: &str,
) -> GroupRow {
    let runs = || group.runs.iter().map(|&run| &archive.runs[run]);
    let state = |run: usize| format::state(&archive.runs[run].run.state);
    let completed = runs().filter(|entry| entry.run.state.is_completed());
    let others: BTreeSet<usize> = runs().map(|entry| entry.group(across)).collect();
    let newest = group.runs.iter().take(GLYPHS).rev();
    let glyphs = newest.map(|&run| {
        let (entry, state) = (&archive.runs[run], state(run));
        let date = format::when(entry.run.recency()).date;
        Glyph {
            href: format!("{root}{}", links::run(&entry.slug)),
            tone: state.tone,
            title: format!("{}, {date}", state.word),
        }
    });
    GroupRow {
        group: Link::new(
            group.name.clone(),
            format!("{root}{}", links::group(group_by.folder(), &group.slug)),
        ),
        title,
        glyphs: glyphs.collect(),
        older: format::older(group.runs.len(), GLYPHS),
        completed: format!("{} of {}", completed.count(), group.runs.len()),
        across: format::grouped(&others.len().to_string()),
        newest: format::when(runs().next().and_then(|entry| entry.run.recency())),
    }
}
