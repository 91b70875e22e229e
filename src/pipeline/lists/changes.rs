//! The pages of changes from build to build, and a page at every former address of a run: moved, quarantined or withdrawn.

use std::collections::{BTreeMap, BTreeSet, btree_map};

use serde::Serialize;

use base::diagnostics::Diagnostic;
use base::diagnostics::text::beginning;
use base::document;
use base::links;
use formats::model::slug::{Labels, short_id};
use pages::view::chrome::{PageInfo, Script};
use pages::view::decisions::{self, DecisionView};
use pages::view::format;
use pages::view::row::{Pager, list_pages};
use store::ledger::{
    AnnotationChanges, BuildChanges, FieldChange, Ledger, LedgerRun, RatingChange, RuleChange,
    RuleVersion, RunChange, RunNames,
};

use super::{Lists, Page};

pub(super) const PAGE: Page = Page::new("changes", &["changes"], write);

/// Builds per page.
const BUILDS: usize = 20;
/// Maximum runs shown per list; all are in the feed.
const RUNS: usize = 100;
/// Maximum characters shown of a value.
const VALUE: usize = 80;

/// A page of the ledger.
#[derive(Debug, Serialize)]
struct ChangesPage {
    /// The builds, newest first.
    builds: Vec<BuildView>,
    /// What was decided about runs, newest first, on the first page.
    decisions: Vec<DecisionView>,
    /// `12 more decisions`
    more_decisions: Option<String>,
    pager: Pager,
}

#[derive(Debug, Serialize)]
struct BuildView {
    number: u64,
    /// `26 runs`
    runs: String,
    /// Whether it is the first build, which has no lists.
    is_first: bool,
    /// Lists of runs by type of change.
    lists: Vec<ListView>,
    /// Changed runs.
    changed: Vec<ChangeView>,
    /// `3 runs changed`
    changed_count: String,
    /// Number of omitted ones.
    more_changed: Option<String>,
    /// Rules of the site that were added, changed or removed.
    rules: Vec<RuleView>,
}

/// A rule of the site that was added, changed or removed.
#[derive(Debug, Serialize)]
struct RuleView {
    id: String,
    /// `changed`
    what: &'static str,
    /// `version 1 → 2`
    versions: Option<String>,
}

impl RuleView {
    fn of(change: &RuleChange) -> Self {
        let what = match (&change.before, &change.after) {
            (None, _) => "added",
            (_, None) => "removed",
            (Some(_), Some(_)) => "changed",
        };
        let version = |rule: &Option<RuleVersion>| rule.as_ref()?.version.clone();
        let versions = version(&change.before).zip(version(&change.after));
        Self {
            id: change.id.clone(),
            what,
            versions: versions
                .filter(|(before, after)| before != after)
                .map(|(before, after)| format!("version {before} → {after}")),
        }
    }
}

/// Runs with the same type of change.
#[derive(Debug, Serialize)]
struct ListView {
    /// `2 runs added`
    title: String,
    runs: Vec<RunView>,
    /// Number of omitted runs.
    more: Option<String>,
}

/// A run in a list.
#[derive(Debug, Serialize)]
struct RunView {
    /// Its page, or the page now at its address.
    href: Option<String>,
    /// Case, variant and version.
    title: String,
    /// Model and harness.
    words: String,
    /// A part of its id, to distinguish it from similar runs.
    label: String,
    /// Why it was withdrawn.
    reason: Option<String>,
}

impl RunView {
    /// A run without a page.
    fn of(run: &RunNames) -> Self {
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
struct ChangeView {
    run: RunView,
    /// The last part of its former address.
    moved_from: Option<String>,
    /// `great → passable`, with words if there is no rating.
    rating: Option<String>,
    /// `2 added: a-1, a-2`
    annotations: Vec<String>,
    files: Vec<String>,
    /// Number of omitted files.
    more_files: Option<String>,
    fields: Vec<FieldView>,
    /// Number of omitted fields.
    more_fields: Option<String>,
}

#[derive(Debug, Serialize)]
struct FieldView {
    /// Its path in the record.
    pointer: String,
    /// The old value.
    before: Option<String>,
    /// The new value.
    after: Option<String>,
}

/// The page at a former address of a run.
#[derive(Debug)]
enum FormerAddress {
    /// The run has a new address.
    Moved(MovedPage),
    /// The run is no longer published.
    Withdrawn(WithdrawnPage),
}

document! {
    /// The page at the former address of a run.
    struct MovedPage(ledger: &Ledger, was: &RunNames, known: &LedgerRun, path: &str)
        let page = (!known.quarantined).then(|| ledger.page(&known.run));
    {
        /// The run as it was at this address.
        was: RunView = RunView::of(was),
        /// The run now, with its address; `None` while its files have errors.
        now: Option<RunView> = page.as_ref().map(|page| RunView {
            href: Some(format!("{}{page}", links::root(path))),
            ..RunView::of(&known.run)
        }),
        id: String = was.id.to_string(),
        /// Path of its current page.
        #[serde(skip)]
        canonical: Option<String> = page,
    }
}

/// The page at the address of a withdrawn run.
#[derive(Debug, Serialize)]
struct WithdrawnPage {
    run: RunView,
    id: String,
    decisions: Vec<DecisionView>,
}

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let ledger = &lists.outcome.ledger;
    // Only these are looked up: the pages of all runs would take as much memory as the runs.
    let named: BTreeSet<&str> = ledger.names_on_pages().map(|run| &*run.slug).collect();
    let runs = lists.archive().runs.iter();
    let runs = runs.filter(|entry| named.contains(&*entry.slug));
    let runs = runs.map(|entry| (links::run(&entry.slug), entry.run.id.to_string()));
    let quarantined = lists.outcome.quarantine_pages.iter();
    let quarantined = quarantined.map(|run| (run.page.clone(), String::new()));
    let mut pages: BTreeMap<String, String> = runs.chain(quarantined).collect();
    let former = former_addresses(lists, &mut pages);
    let known = RunLinks {
        ledger,
        pages: &pages,
        labels: Labels::new(ledger.run_names().map(|run| &*run.id)),
    };
    for page in list_pages("changes", BUILDS, ledger.builds.len(), "entries") {
        let what = "Runs that each build of this site added, changed or withdrew.";
        let info = PageInfo::unlisted(page.path, "Changes", what);
        let is_first = page.pager.page == 1;
        let decided = &lists.gathered.decisions;
        let shown = if is_first { RUNS } else { 0 };
        let newest = decisions::newest(decided, lists.archive(), shown, &page.root);
        let builds = ledger.builds[page.items].iter();
        let view = ChangesPage {
            builds: builds.map(|build| known.build(build, &page.root)).collect(),
            more_decisions: format::rest(decided.len(), newest.len(), "more decision")
                .filter(|_| is_first),
            decisions: newest,
            pager: page.pager,
        };
        lists.page("changes.html", &info, &view)?;
    }
    for (path, page) in former {
        match page {
            FormerAddress::Moved(page) => {
                let info = PageInfo {
                    canonical: page.canonical.clone(),
                    scripts: &[Script::Timeline],
                    ..PageInfo::unlisted(path, "Moved run", "This run was published here.")
                };
                lists.page("moved.html", &info, &page)?;
            }
            FormerAddress::Withdrawn(page) => {
                let what = "This run was published here and has been withdrawn.";
                let info = PageInfo::unlisted(path, "Withdrawn run", what);
                lists.page("withdrawn.html", &info, &page)?;
            }
        }
    }
    Ok(())
}

/// The pages at former addresses, by path. `current` has the page at each address that the ledger names,
/// with the id of its run, and gets the pages found here.
fn former_addresses(
    lists: &Lists<'_>,
    current: &mut BTreeMap<String, String>,
) -> Vec<(String, FormerAddress)> {
    let ledger = &lists.outcome.ledger;
    // Moved runs take precedence: a run that moved away had the address after one that was withdrawn from it.
    let quarantined = ledger.runs.iter().filter(|known| known.quarantined);
    let quarantined = quarantined.map(|known| &known.run);
    let withdrawn = ledger.withdrawn.iter().map(|withdrawn| &withdrawn.run);
    let mut pages = Vec::new();
    for was in ledger.moved.iter().chain(quarantined).chain(withdrawn) {
        let path = ledger.page(was);
        let page = match (ledger.find(&was.id), ledger.withdrawn_run(&was.id)) {
            (Some(known), _) => FormerAddress::Moved(MovedPage::of(ledger, was, known, &path)),
            (None, Some(withdrawn)) => FormerAddress::Withdrawn(WithdrawnPage {
                run: RunView {
                    reason: withdrawn.reason.clone(),
                    ..RunView::of(was)
                },
                id: was.id.to_string(),
                decisions: decisions::of_id(
                    &lists.gathered.decisions,
                    &was.id,
                    &links::root(&path),
                ),
            }),
            (None, None) => continue,
        };
        if let btree_map::Entry::Vacant(free) = current.entry(path.clone()) {
            free.insert(was.id.to_string());
            pages.push((path, page));
        }
    }
    pages
}

/// Makes links to the pages of runs.
struct RunLinks<'a> {
    ledger: &'a Ledger,
    pages: &'a BTreeMap<String, String>,
    labels: Labels<'a>,
}

impl RunLinks<'_> {
    fn build(&self, build: &BuildChanges, root: &str) -> BuildView {
        let lists = build
            .lists()
            .into_iter()
            .filter(|(_, runs)| !runs.is_empty());
        let list = |(what, runs): (&str, &[RunNames])| ListView {
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
            rules: build.rules.iter().map(RuleView::of).collect(),
        }
    }

    fn run(&self, run: &RunNames, root: &str) -> RunView {
        let page = self.ledger.page(run);
        // A different run may have the address by now.
        let has_page = self.pages.get(&page).is_some_and(|id| **id == *run.id);
        RunView {
            href: has_page.then(|| format!("{root}{page}")),
            reason: self
                .ledger
                .withdrawn_run(&run.id)
                .and_then(|gone| gone.reason.clone()),
            label: self.labels.label(&run.id),
            ..RunView::of(run)
        }
    }

    fn change(&self, change: &RunChange, root: &str) -> ChangeView {
        ChangeView {
            run: self.run(&change.run, root),
            moved_from: change.moved_from.as_deref().map(str::to_owned),
            rating: change.rating.as_ref().map(RatingChange::text),
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

fn annotations(annotations: &AnnotationChanges) -> Vec<String> {
    let list = |what: &str, ids: &[String], unnamed: usize| {
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
    let lists = annotations.lists().into_iter();
    lists
        .filter_map(|(what, ids, unnamed)| list(what, ids, unnamed))
        .collect()
}

fn field(field: &FieldChange) -> FieldView {
    let value = |raw: &str| beginning(raw, VALUE).into_owned();
    FieldView {
        pointer: field.pointer.clone(),
        before: field.before.as_ref().map(|raw| value(raw.get())),
        after: field.after.as_ref().map(|raw| value(raw.get())),
    }
}

fn title(run: &RunNames) -> String {
    let (case, version) = (&*run.test_case_slug, &*run.test_case_version);
    let parts = [Some(case), run.variant.as_deref(), Some(version)];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    parts.join(" · ")
}
