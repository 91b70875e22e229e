//! What a contribution, such as a pull request, changes: the content before and after it, and how they differ.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::diagnostics::{Diagnostic, Severity, SeverityCounts, codes};
use formats::config::SuccessRule;
use formats::model::archive::Archive;
use formats::model::cells::{self, TrialCell};
use formats::model::findings::Findings;
use formats::model::statistics::Tally;
use formats::rule_file::RuleSeverity;
use gate::Rules;
use store::ledger::BuildChanges;

use super::rules::required_trials;

/// The content of a site before or after a contribution.
#[derive(Debug, Default)]
pub struct ContentState {
    /// The runs that are published, or would be, by id.
    pub runs: BTreeMap<Arc<str>, RunState>,
    /// The folders of the runs that are not published because of errors.
    pub left_out: BTreeSet<String>,
    cells: BTreeMap<CellName, Tally>,
    /// The trials that rules ask for, by the id of the rule.
    trials: BTreeMap<(String, CellName), TrialCount>,
    problems: Vec<Diagnostic>,
}

/// A run before or after a contribution.
#[derive(Debug, Clone)]
pub struct RunState {
    /// Its folder, as in diagnostics.
    pub folder: String,
    pub task: String,
    pub verdict: String,
}

/// Everything that the trials of a cell have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellName {
    pub case: String,
    pub version: String,
    pub variant: Option<String>,
    pub model: String,
    pub harness: String,
    pub engine: String,
    pub orchestrator: String,
}

/// How many trials a rule finds in a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TrialCount {
    counted: usize,
    wanted: usize,
    severity: RuleSeverity,
}

/// How the content after a contribution differs from the content before it.
#[derive(Debug, Clone, Default)]
pub struct Contribution {
    /// Runs and rules that were added, changed or removed; `None` if there are none.
    pub changes: Option<BuildChanges>,
    /// All runs after the contribution that are new or changed, by id.
    pub runs: BTreeMap<Arc<str>, RunState>,
    /// The folders of runs that are left out because of errors, which they were not before.
    pub left_out: Vec<String>,
    /// The cells whose trials say something else than before.
    pub cells: Vec<CellChange>,
    /// The cells with fewer trials than a rule asks for, if they were not so before or have other trials now.
    pub missing_trials: Vec<MissingTrials>,
    /// The problems that were not there before, except for missing trials.
    pub problems: Vec<Diagnostic>,
    /// Number of the problems that were there before.
    pub known: SeverityCounts,
    /// Why the content before the contribution could not be read.
    pub unreadable: Option<Diagnostic>,
}

/// A cell before and after a contribution.
#[derive(Debug, Clone)]
pub struct CellChange {
    pub cell: CellName,
    pub before: Tally,
    pub after: Tally,
}

/// A cell with fewer trials than a rule asks for.
#[derive(Debug, Clone)]
pub struct MissingTrials {
    pub rule: String,
    pub severity: Severity,
    pub cell: CellName,
    pub before: usize,
    pub after: usize,
    pub wanted: usize,
    /// Whether the trials were missing before, too.
    pub is_known: bool,
}

impl ContentState {
    /// The content of an archive with what was found in its runs. `folders` has the folder of each run, `left_out` those of the
    /// runs that are not in the archive because of errors.
    pub fn of(
        archive: &Archive,
        findings: &[Findings],
        folders: impl Iterator<Item = String>,
        left_out: BTreeSet<String>,
        rules: &Rules,
        success: &SuccessRule,
        problems: &[Diagnostic],
    ) -> Self {
        let runs = archive.runs.iter().zip(findings).zip(folders);
        let runs = runs.map(|((entry, found), folder)| {
            let state = RunState {
                folder,
                task: found.task.clone(),
                verdict: found.verdict.clone(),
            };
            (Arc::clone(&entry.run.id), state)
        });
        let summaries = cells::of_archive(archive, success);
        let cells = summaries
            .iter()
            .map(|it| (CellName::of(&it.cell, archive), it.tally));
        let mut trials = BTreeMap::new();
        for rule in &rules.list {
            for required in required_trials(rule, archive, findings) {
                let key = (rule.id.clone(), CellName::of(&required.cell, archive));
                let count = TrialCount {
                    counted: required.counted.len(),
                    wanted: required.wanted,
                    severity: rule.severity,
                };
                trials.insert(key, count);
            }
        }
        Self {
            runs: runs.collect(),
            left_out,
            cells: cells.collect(),
            trials,
            problems: problems.to_vec(),
        }
    }
}

impl CellName {
    fn of(cell: &TrialCell, archive: &Archive) -> Self {
        let subject = &cell.entry(archive).run.subject;
        Self {
            case: subject.case.to_string(),
            version: subject.version().to_owned(),
            variant: subject.variant.as_deref().map(str::to_owned),
            model: subject.model().to_owned(),
            harness: subject.harness.to_string(),
            engine: subject.engine_label(),
            orchestrator: subject.orchestrator.to_string(),
        }
    }
}

impl TrialCount {
    fn is_short(&self) -> bool {
        self.counted < self.wanted
    }
}

impl Contribution {
    /// How two states of the content differ. `changes` has the runs and rules that differ.
    pub fn of(before: &ContentState, after: ContentState, changes: Option<BuildChanges>) -> Self {
        let changed = changes.iter().flat_map(BuildChanges::run_names);
        let changed: BTreeSet<&str> = changed.map(|run| &*run.id).collect();
        let left_out = after.left_out.difference(&before.left_out).cloned();
        let missing_trials = missing_trials(before, &after);
        let (problems, mut known) = new_problems(&before.problems, &after.problems);
        for (of_rule, count) in after.trials.iter().filter(|(_, count)| count.is_short()) {
            let was = before.trials.get(of_rule);
            if was.is_some_and(TrialCount::is_short) && count.severity == RuleSeverity::Error {
                known.errors += 1;
            }
        }
        Self {
            left_out: left_out.collect(),
            cells: changed_cells(before, &after),
            missing_trials,
            problems,
            known,
            runs: after
                .runs
                .into_iter()
                .filter(|(id, _)| changed.contains(&**id))
                .collect(),
            changes,
            unreadable: None,
        }
    }

    /// Number of the problems that were not there before.
    pub fn added(&self) -> SeverityCounts {
        let mut counts = SeverityCounts::of(&self.problems);
        let missing = self.missing_trials.iter();
        let missing = missing.filter(|it| !it.is_known && it.severity == Severity::Error);
        counts.errors += missing.count();
        counts
    }
}

fn severity(severity: RuleSeverity) -> Severity {
    match severity {
        RuleSeverity::Error => Severity::Error,
        RuleSeverity::Flag | RuleSeverity::Note => Severity::Note,
    }
}

fn changed_cells(before: &ContentState, after: &ContentState) -> Vec<CellChange> {
    let names: BTreeSet<&CellName> = before.cells.keys().chain(after.cells.keys()).collect();
    let tally = |state: &ContentState, name| state.cells.get(name).copied().unwrap_or_default();
    let changes = names.into_iter().map(|name| CellChange {
        cell: name.clone(),
        before: tally(before, name),
        after: tally(after, name),
    });
    changes.filter(|it| it.before != it.after).collect()
}

fn missing_trials(before: &ContentState, after: &ContentState) -> Vec<MissingTrials> {
    let short = after.trials.iter().filter(|(_, count)| count.is_short());
    let missing = short.map(|((rule, cell), count)| {
        let was = before.trials.get(&(rule.clone(), cell.clone()));
        MissingTrials {
            rule: rule.clone(),
            severity: severity(count.severity),
            cell: cell.clone(),
            before: was.map_or(0, |was| was.counted),
            after: count.counted,
            wanted: count.wanted,
            is_known: was.is_some_and(TrialCount::is_short),
        }
    });
    missing
        .filter(|it| !it.is_known || it.before != it.after)
        .collect()
}

/// The problems that were not there before, the worst first, and the number of those that were. A problem is the same at another line.
fn new_problems(before: &[Diagnostic], after: &[Diagnostic]) -> (Vec<Diagnostic>, SeverityCounts) {
    let mut left: BTreeMap<_, usize> = BTreeMap::new();
    for problem in before {
        *left.entry(identity(problem)).or_default() += 1;
    }
    let (mut new, mut known) = (Vec::new(), Vec::new());
    let counted_apart = |problem: &&Diagnostic| problem.code != &codes::RULES_MISSING_TRIALS;
    for problem in after.iter().filter(counted_apart) {
        let known_before = left.get_mut(&identity(problem));
        if let Some(left) = known_before.filter(|left| **left > 0) {
            *left -= 1;
            known.push(problem);
        } else {
            new.push(problem.clone());
        }
    }
    new.sort_by_key(|problem| problem.severity);
    (new, SeverityCounts::of(known))
}

/// What makes two problems the same: a run may have moved to another folder, and lines may have moved in their file.
fn identity(problem: &Diagnostic) -> impl Ord + '_ {
    let place = &problem.place;
    let name = place.path.rsplit('/').next().unwrap_or_default();
    let file = problem.run.as_deref().map(|run| (run, name));
    (
        problem.code.name,
        problem.severity,
        file.unwrap_or((place.path.as_str(), "")),
        place.pointer.as_deref(),
        problem.message.as_str(),
    )
}
