//! The rules for decisions about runs: each is about something that exists, and follows from those above it.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::diagnostics::text::{did_you_mean, quoted};
use base::diagnostics::{Diagnostic, codes};
use formats::decisions::{self, Decision, DecisionKind};
use formats::model::archive::{Archive, ArchiveEntry};
use formats::model::tape::Tape;

/// The runs and rules that decisions may name in addition to the runs of the archive.
#[derive(Debug, Default)]
pub struct DecisionTargets<'a> {
    /// Ids of runs that are not in the archive: quarantined, withdrawn or not yet published.
    pub other_runs: BTreeSet<&'a str>,
    /// Ids of the rules of the site.
    pub rules: BTreeSet<&'a str>,
}

/// Checks decisions against the runs of the site. Their events are checked with their runs, by [`check_events`].
#[must_use]
pub fn check(
    decisions: &[Arc<Decision>],
    archive: &Archive,
    targets: &DecisionTargets<'_>,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for decision in decisions {
        problems.extend(unknown_references(decision, archive, targets));
    }
    for entry in &archive.runs {
        for (count, decision) in entry.decisions.iter().enumerate() {
            problems.extend(run_problem(entry, &entry.decisions[..count], decision));
        }
    }
    problems
}

/// The problems of one more decision.
#[must_use]
pub fn check_new(
    decision: &Decision,
    archive: &Archive,
    targets: &DecisionTargets<'_>,
) -> Vec<Diagnostic> {
    let mut problems = unknown_references(decision, archive, targets);
    if let Some(entry) = archive.find(&decision.run) {
        problems.extend(run_problem(entry, &entry.decisions, decision));
    }
    problems
}

/// The problems of a decision that names what does not exist.
fn unknown_references(
    decision: &Decision,
    archive: &Archive,
    targets: &DecisionTargets<'_>,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    if archive.find(&decision.run).is_none() && !targets.other_runs.contains(decision.run.as_str())
    {
        let ids = archive.runs.iter().map(|entry| &*entry.run.id);
        let message = format!("No run has the id {}", quoted(&decision.run));
        let otherwise = "Write the id as in the run's record; its page shows it.";
        let help = did_you_mean(&decision.run, ids, otherwise);
        problems.push(codes::DECISIONS_UNKNOWN_RUN.at(decision.place("/run"), message, help));
    }
    if let Some(rule) = &decision.rule
        && !targets.rules.contains(rule.as_str())
    {
        let rules = targets.rules.iter().copied();
        problems.push(codes::DECISIONS_UNKNOWN_RULE.at(
            decision.place("/rule"),
            format!("No rule of the site has the id {}", quoted(rule)),
            did_you_mean(
                rule,
                rules,
                "Add the rule to `rules/`, or leave out `rule`.",
            ),
        ));
    }
    problems
}

/// The problem of a decision about a run after those `before` it.
fn run_problem(
    entry: &ArchiveEntry,
    before: &[Arc<Decision>],
    decision: &Decision,
) -> Option<Diagnostic> {
    contradiction(entry, before, decision).or_else(|| repetition(entry, before, decision))
}

/// The problem of a decision that changes nothing.
fn repetition(
    entry: &ArchiveEntry,
    before: &[Arc<Decision>],
    decision: &Decision,
) -> Option<Diagnostic> {
    let (pointer, message) = if let Some(correction) = &decision.outcome {
        let mut outcomes = entry.run.outcomes.iter();
        let outcome = outcomes.find(|outcome| *outcome.name == *correction.name)?;
        let corrected = decisions::corrected(before, outcome);
        // A value that the scorer did not count counts with the correction.
        let counts = corrected.as_ref().unwrap_or(outcome).valid != Some(false);
        if !counts || !correction.is_from(Some(correction.to.get())) {
            return None;
        }
        let message = format!("The value of {} is this one already", quoted(&outcome.name));
        ("/outcome/to", message)
    } else {
        decisions::last_inclusion_decision(before)
            .filter(|last| last.decision == decision.decision)?;
        let past = decision.decision.past().to_lowercase();
        let message = format!("An earlier decision says already that the run is {past}");
        ("/decision", message)
    };
    let help = "Remove the line, or write the run or the outcome that it is about.";
    Some(codes::DECISIONS_REPEATED.at(decision.place(pointer), message, help))
}

/// The problem of a decision about a run that does not follow from the record and the decisions `before` it.
fn contradiction(
    entry: &ArchiveEntry,
    before: &[Arc<Decision>],
    decision: &Decision,
) -> Option<Diagnostic> {
    if decision.decision == DecisionKind::Restore && decisions::exclusion(before).is_none() {
        return Some(codes::DECISIONS_NO_EFFECT.at(
            decision.place("/decision"),
            "The run is restored here, but no line above excludes it",
            "Remove the line, or add the `void` or `disqualify` that it takes back.",
        ));
    }
    let correction = decision.outcome.as_ref()?;
    let mut outcomes = entry.run.outcomes.iter();
    let Some(outcome) = outcomes.find(|outcome| *outcome.name == *correction.name) else {
        return Some(codes::DECISIONS_WRONG_VALUE.at(
            decision.place("/outcome/name"),
            format!("The record has no outcome {}", quoted(&correction.name)),
            "Write the name of an outcome as in the record.",
        ));
    };
    let corrected = decisions::corrected(before, outcome);
    let value = corrected.as_ref().unwrap_or(outcome).value.as_deref();
    (!correction.is_from(value)).then(|| {
        codes::DECISIONS_WRONG_VALUE.at(
            decision.place("/outcome/from"),
            format!(
                "The value of {} was {}",
                quoted(&correction.name),
                displayed(value)
            ),
            "Check the run, and write its value so far as `from`.",
        )
    })
}

/// A recorded value in a message. A text could be anything, even a secret.
fn displayed(value: Option<&str>) -> &str {
    match value {
        None => "not recorded",
        Some(text) if text.starts_with(['"', '[', '{']) => "another one",
        Some(plain) => plain,
    }
}

/// Checks that the events exist that decisions about a run name.
pub fn check_events<'a>(
    entry: &'a ArchiveEntry,
    tape: Option<&'a Tape<'_>>,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let decisions = entry.decisions.iter();
    decisions.filter_map(move |decision| check_event(decision, tape))
}

/// Checks that the event exists that a decision names.
#[must_use]
pub fn check_event(decision: &Decision, tape: Option<&Tape<'_>>) -> Option<Diagnostic> {
    let event = decision.event?;
    let is_there = tape.is_some_and(|tape| tape.position(event).is_some());
    (!is_there).then(|| {
        codes::DECISIONS_UNKNOWN_EVENT.at(
            decision.place("/event"),
            format!("The first tape of the run has no event {event}"),
            "Write the number that the page of the run shows at the event.",
        )
    })
}
