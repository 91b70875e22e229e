//! What the publishers of a site decided about its runs.

use std::sync::Arc;

use serde::Serialize;

use base::links;
use formats::decisions::{Decision, DecisionKind};
use formats::model::archive::{Archive, ArchiveEntry, ArchiveGroup, GroupBy};

use super::rules;
use super::run::CheckedRun;
use super::{Badge, Link, format};

/// The page with the decisions of the site.
const CHANGES: &str = "changes/index.html";

/// The decisions about a run, on its page.
#[derive(Debug, Serialize)]
pub struct RunDecisionsView {
    /// Whether it does not count because of them.
    pub excludes: bool,
    pub list: Vec<DecisionView>,
}

/// A decision about a run.
#[derive(Debug, Serialize)]
pub struct DecisionView {
    pub decision: Badge,
    /// The run, on pages that are not its own.
    pub run: Option<Link>,
    /// Plain text.
    pub reason: String,
    /// `reward: 0 → 1`
    pub correction: Option<String>,
    /// The event that shows it.
    pub event: Option<Link>,
    /// The rule that it is about.
    pub rule: Option<Link>,
    /// `mk (human)`
    pub by: String,
    /// `2026-03-01`
    pub date: String,
}

impl DecisionView {
    fn new(decision: &Decision) -> Self {
        let tone = match decision.decision {
            // A run that does not count has this sign wherever it is listed.
            DecisionKind::Void | DecisionKind::Disqualify | DecisionKind::Rescore => "none",
            DecisionKind::Include | DecisionKind::Restore => "good",
        };
        let author = &decision.author;
        Self {
            decision: Badge::new(decision.decision.past(), tone),
            run: None,
            reason: decision.reason.clone(),
            correction: decision
                .outcome
                .as_ref()
                .map(|it| format!("{}: {} → {}", it.name, it.from.get(), it.to.get())),
            event: None,
            rule: None,
            by: format!("{} ({})", author.id, author.kind.word()),
            date: decision.date.to_string(),
        }
    }

    /// The decision, with links to its run and its rule from a page whose path to the root of the site is `root`.
    fn linked(decision: &Decision, entry: Option<&ArchiveEntry>, root: &str) -> Self {
        let page = entry.map(|entry| links::run(&entry.slug));
        let rule = decision.rule.as_ref();
        Self {
            run: entry.zip(page).map(|(entry, page)| {
                let subject = &entry.run.subject;
                let words = format!(
                    "{} with {} ({})",
                    subject.case,
                    subject.model(),
                    entry.label
                );
                Link::new(words, format!("{root}{page}#decisions"))
            }),
            rule: rule
                .map(|rule| Link::new(rule.as_str(), format!("{root}{}#{rule}", rules::PAGE))),
            ..Self::new(decision)
        }
    }
}

/// The decision because of which a run does not count.
pub fn exclusion_badge(entry: &ArchiveEntry) -> Option<Badge> {
    let decision = entry.exclusion()?;
    Some(DecisionView::new(decision).decision)
}

/// How many of these runs do not count, with a link to the decisions: those of their case, or of the site if the runs are of
/// several. `None` if all count.
pub fn excluded_link<'a>(
    archive: &Archive,
    runs: impl Iterator<Item = &'a ArchiveEntry> + Clone,
    root: &str,
) -> Option<Link> {
    let words = format::excluded(runs.clone())?;
    let mut excluded = runs.filter(|entry| entry.exclusion().is_some());
    let case = excluded.next()?.case;
    let page = if excluded.all(|entry| entry.case == case) {
        links::group(GroupBy::Case.folder(), &archive.cases[case].slug)
    } else {
        CHANGES.to_owned()
    };
    Some(Link::new(words, format!("{root}{page}#decisions")))
}

/// The decisions about a run, newest first; `None` if there are none.
pub fn of_run(s: &CheckedRun<'_>) -> Option<RunDecisionsView> {
    let all = &s.entry.decisions;
    let root = links::root(&links::run(&s.entry.slug));
    let list = all.iter().rev().map(|decision| DecisionView {
        run: None,
        event: decision.event.and_then(|seq| s.event_link(seq)),
        ..DecisionView::linked(decision, None, &root)
    });
    (!all.is_empty()).then(|| RunDecisionsView {
        excludes: s.entry.exclusion().is_some(),
        list: list.collect(),
    })
}

/// The decisions about runs of a group, newest first.
pub fn of_group(archive: &Archive, group: &ArchiveGroup, root: &str) -> Vec<DecisionView> {
    let runs = group.runs.iter().map(|run| &archive.runs[*run]);
    let mut found: Vec<(&Decision, &ArchiveEntry)> = runs
        .flat_map(|entry| entry.decisions.iter().map(move |it| (&**it, entry)))
        .collect();
    found.sort_by_key(|(decision, _)| std::cmp::Reverse(decision.date));
    let views = found.into_iter();
    views
        .map(|(decision, entry)| DecisionView::linked(decision, Some(entry), root))
        .collect()
}

/// The last decisions of a site, newest first.
pub fn newest(
    decisions: &[Arc<Decision>],
    archive: &Archive,
    most: usize,
    root: &str,
) -> Vec<DecisionView> {
    let newest = decisions.iter().rev().take(most);
    newest
        .map(|decision| DecisionView::linked(decision, archive.find(&decision.run), root))
        .collect()
}

/// The decisions about a run that is no longer published, newest first.
pub fn of_id(decisions: &[Arc<Decision>], id: &str, root: &str) -> Vec<DecisionView> {
    let about = decisions.iter().rev().filter(|it| it.run == id);
    about
        .map(|decision| DecisionView::linked(decision, None, root))
        .collect()
}
