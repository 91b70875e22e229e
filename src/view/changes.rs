//! The pages of changes from build to build.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::ledger::{Annotations, Build, Change, Field, Ledger, Named, Rerated};
use crate::model::slug::{Labels, short_id};

use super::format;
use super::row::{Pager, list_pages};

/// Builds per page.
const BUILDS: usize = 20;
/// Maximum runs shown per list; all are in the feed.
const RUNS: usize = 100;
/// Maximum characters shown of a value.
const VALUE: usize = 80;

/// A page of the ledger.
#[derive(Debug, Serialize)]
pub struct ChangesPage {
    /// The builds, newest first.
    pub builds: Vec<BuildView>,
    pub pager: Pager,
}

/// The changes of a build.
#[derive(Debug, Serialize)]
pub struct BuildView {
    pub number: u64,
    /// `26 runs`
    pub runs: String,
    /// Whether it is the first build, which has no lists.
    pub is_first: bool,
    /// Lists of runs by type of change.
    pub lists: Vec<ListView>,
    /// Changed runs.
    pub changed: Vec<ChangeView>,
    /// `3 runs changed`
    pub changed_count: String,
    /// Number of omitted ones.
    pub more_changed: Option<String>,
}

/// Runs with the same type of change.
#[derive(Debug, Serialize)]
pub struct ListView {
    /// `2 runs added`
    pub title: String,
    pub runs: Vec<RunView>,
    /// Number of omitted runs.
    pub more: Option<String>,
}

/// A run in a list.
#[derive(Debug, Serialize)]
pub struct RunView {
    /// Its page, or the page now at its address.
    pub href: Option<String>,
    /// Case, variant and version.
    pub title: String,
    /// Model and harness.
    pub words: String,
    /// A part of its id, to distinguish it from similar runs.
    pub label: String,
    /// Why it was withdrawn.
    pub reason: Option<String>,
}

impl RunView {
    /// A run without a page.
    pub(super) fn of(run: &Named) -> Self {
        Self {
            href: None,
            title: title(run),
            words: format!("{} with {}", run.model_id, run.harness_slug),
            label: short_id(&run.id).to_owned(),
            reason: None,
        }
    }
}

/// A changed run.
#[derive(Debug, Serialize)]
pub struct ChangeView {
    pub run: RunView,
    /// The last part of its former address.
    pub moved_from: Option<String>,
    /// `great → passable`, with words if there is no rating.
    pub rating: Option<String>,
    /// `2 added: a-1, a-2`
    pub annotations: Vec<String>,
    /// Changed files.
    pub files: Vec<String>,
    /// Number of omitted files.
    pub more_files: Option<String>,
    /// Changed fields.
    pub fields: Vec<FieldView>,
    /// Number of omitted fields.
    pub more_fields: Option<String>,
}

/// A changed field.
#[derive(Debug, Serialize)]
pub struct FieldView {
    /// Its path in the record.
    pub pointer: String,
    /// The old value.
    pub before: Option<String>,
    /// The new value.
    pub after: Option<String>,
}

/// All pages of the ledger, as pairs of path and page. `pages` has the page at each address that the ledger
/// names, with the id of its run.
pub fn pages(ledger: &Ledger, pages: &BTreeMap<String, String>) -> Vec<(String, ChangesPage)> {
    let known = Known {
        ledger,
        pages,
        labels: Labels::new(ledger.named().map(|run| &*run.id)),
    };
    list_pages("changes", BUILDS, ledger.builds.len(), "entries")
        .into_iter()
        .map(|page| {
            let builds = ledger.builds[page.items].iter();
            let view = ChangesPage {
                builds: builds.map(|build| known.build(build, &page.root)).collect(),
                pager: page.pager,
            };
            (page.path, view)
        })
        .collect()
}

/// The pages of the site.
struct Known<'a> {
    ledger: &'a Ledger,
    pages: &'a BTreeMap<String, String>,
    labels: Labels<'a>,
}

impl Known<'_> {
    fn build(&self, build: &Build, root: &str) -> BuildView {
        let lists = build
            .lists()
            .into_iter()
            .filter(|(_, runs)| !runs.is_empty());
        let list = |(what, runs): (&str, &[Named])| ListView {
            title: format!("{} {what}", format::count(runs.len(), "run")),
            runs: runs
                .iter()
                .take(RUNS)
                .map(|run| self.run(run, root))
                .collect(),
            more: format::rest(runs.len(), RUNS, "more run"),
        };
        let changed = build.changed.iter().take(RUNS);
        BuildView {
            number: build.build,
            runs: format::count(build.runs, "run"),
            is_first: build.build == 1,
            lists: lists.map(list).collect(),
            changed: changed.map(|change| self.change(change, root)).collect(),
            changed_count: format!("{} changed", format::count(build.changed.len(), "run")),
            more_changed: format::rest(build.changed.len(), RUNS, "more run"),
        }
    }

    fn run(&self, run: &Named, root: &str) -> RunView {
        let page = self.ledger.page(run);
        // A different run may have the address by now.
        let has_page = self.pages.get(&page).is_some_and(|id| **id == *run.id);
        RunView {
            href: has_page.then(|| format!("{root}{page}")),
            reason: self
                .ledger
                .gone(&run.id)
                .and_then(|gone| gone.reason.clone()),
            label: self.labels.label(&run.id),
            ..RunView::of(run)
        }
    }

    fn change(&self, change: &Change, root: &str) -> ChangeView {
        ChangeView {
            run: self.run(&change.run, root),
            moved_from: change.moved_from.as_deref().map(str::to_owned),
            rating: change.rating.as_ref().map(Rerated::text),
            annotations: annotations(&change.annotations),
            files: change.files.clone(),
            more_files: format::rest(change.more_files, 0, "other file"),
            fields: change.fields.iter().map(field).collect(),
            more_fields: format::rest(change.more_fields, 0, "more field"),
        }
    }
}

/// Maximum number of annotation ids listed.
const IDS: usize = 10;

fn annotations(annotations: &Annotations) -> Vec<String> {
    let list = |(what, ids, unnamed): (&str, &[String], usize)| {
        let total = ids.len() + unnamed;
        let names = ids[..ids.len().min(IDS)].join(", ");
        let count = format!("{} {what}", format::count(total, "annotation"));
        let line = match total.saturating_sub(IDS.min(ids.len())) {
            _ if ids.is_empty() => count,
            0 => format!("{count}: {names}"),
            more => format!("{count}: {names} and {more} more"),
        };
        (total > 0).then_some(line)
    };
    annotations.lists().into_iter().filter_map(list).collect()
}

fn field(field: &Field) -> FieldView {
    let value = |raw: &str| match raw.char_indices().nth(VALUE) {
        Some((end, _)) => format!("{}…", &raw[..end]),
        None => raw.to_owned(),
    };
    FieldView {
        pointer: field.pointer.clone(),
        before: field.before.as_ref().map(|raw| value(raw.get())),
        after: field.after.as_ref().map(|raw| value(raw.get())),
    }
}

fn title(run: &Named) -> String {
    let (case, version) = (&*run.test_case_slug, &*run.test_case_version);
    let parts = [Some(case), run.variant.as_deref(), Some(version)];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    parts.join(" · ")
}
