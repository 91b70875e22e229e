//! Evaluates the rules of a site on a run.

use formats::config::Config;
use formats::model::rule_result::{RuleResult, RuleVerdict};
use formats::model::run::Subject;

use crate::evaluate::{Scope, UnknownReason};
use crate::expression::Expression;
use crate::variables::RunFacts;
use crate::{Expectation, Rule, RuleCheck, Rules};

/// Maximum events that a result names.
pub const EVIDENCE: usize = 50;

/// Steps of the evaluation of a rule for a run: a fraction of a second.
const BUDGET: u64 = 5_000_000;
/// Further steps for each event.
const PER_EVENT: u64 = 2_000;

/// The events that a rule finds.
#[derive(Debug, Default)]
struct Matches {
    count: u64,
    /// The positions of the first ones.
    first: Vec<usize>,
    last: usize,
    /// The number of events for which the result is unknown.
    unknown: u64,
    reason: Option<UnknownReason>,
    /// Whether the search has begun: at once, or after the event that `after` describes.
    has_begun: bool,
    budget: u64,
}

impl Matches {
    fn add_unknown(&mut self, reason: UnknownReason) {
        self.unknown += 1;
        self.reason.get_or_insert(reason);
    }
}

impl Rules {
    /// The results of the rules that apply to a run.
    pub fn evaluate(
        &self,
        config: &Config,
        subject: &Subject,
        run: &RunFacts<'_>,
    ) -> Vec<RuleResult> {
        if self.is_empty() {
            return Vec::new();
        }
        let applies: Vec<bool> = self
            .list
            .iter()
            .map(|rule| rule.applies_to(subject))
            .collect();
        let mut is_needed = applies.clone();
        for (rule, applies) in self.list.iter().zip(&applies) {
            if let Some(other) = rule.referenced()
                && *applies
            {
                is_needed[other] = true;
            }
        }
        let found = self.found(config, run, &is_needed);
        let rules = self.list.iter().enumerate().zip(&applies);
        rules
            .filter(|(_, applies)| **applies)
            .map(|((index, rule), _)| Self::result(index, rule, config, run, &found))
            .collect()
    }

    /// The matches of each rule with `find` that is needed.
    fn found(&self, config: &Config, run: &RunFacts<'_>, is_needed: &[bool]) -> Vec<Matches> {
        let mut found: Vec<Matches> = self.list.iter().map(|_| Matches::default()).collect();
        let Some(tape) = run.tape else {
            return found;
        };
        let finding = self.list.iter().zip(&mut found).zip(is_needed);
        let mut finding: Vec<_> = finding
            .filter(|(_, needed)| **needed)
            .filter_map(|((rule, found), _)| match &rule.check {
                RuleCheck::Find { find, after, .. } => {
                    let after = after.as_ref().map(|after| &after.expression);
                    found.has_begun = after.is_none();
                    found.budget = BUDGET + PER_EVENT * tape.events.len() as u64;
                    Some((&find.expression, after, found))
                }
                _ => None,
            })
            .collect();
        if finding.is_empty() {
            return found;
        }
        let has_text = finding
            .iter()
            .any(|(find, after, _)| find.reads_text || after.is_some_and(|after| after.reads_text));
        for (position, event) in tape.events.iter().enumerate() {
            let facts = run.event(position, event, has_text);
            for (find, after, found) in &mut finding {
                let mut scope = Scope::new(Some(&facts), run, config, found.budget);
                examine(find, *after, found, &mut scope, position);
                found.budget = scope.budget;
            }
        }
        found
    }

    fn result(
        index: usize,
        rule: &Rule,
        config: &Config,
        run: &RunFacts<'_>,
        found: &[Matches],
    ) -> RuleResult {
        let (verdict, events, count) = match &rule.check {
            RuleCheck::Require(require) => {
                let mut scope = Scope::new(None, run, config, BUDGET);
                (scope.holds(&require.expression), Vec::new(), 0)
            }
            RuleCheck::Trials { files, .. } => {
                let has_all = files.iter().all(|file| run.has_file(&file.name));
                (Ok(has_all), Vec::new(), 0)
            }
            RuleCheck::Find { .. } if run.tape.is_none() => {
                (Err(UnknownReason::Missing("events")), Vec::new(), 0)
            }
            RuleCheck::Find { expect, .. } => {
                let this = &found[index];
                let other = match expect {
                    Expectation::FirstBefore(other) | Expectation::LastAfter(other) => {
                        Some(&found[*other])
                    }
                    _ => None,
                };
                let verdict = check_expectation(expect, this, other);
                let mut events = this.first.clone();
                if let (Some(other), Expectation::FirstBefore(_)) = (other, expect) {
                    events.truncate(1);
                    events.extend(other.first.first());
                } else if let (Some(other), Expectation::LastAfter(_)) = (other, expect) {
                    events = Vec::from_iter((this.count > 0).then_some(this.last));
                    events.extend((other.count > 0).then_some(other.last));
                }
                events.sort_unstable();
                events.dedup();
                (verdict, events, this.count)
            }
        };
        let seq = |position: usize| Some(run.tape?.events.get(position)?.seq);
        RuleResult {
            rule: rule.id.clone(),
            verdict: match verdict {
                Ok(true) => RuleVerdict::Holds,
                Ok(false) => RuleVerdict::Violated,
                Err(_) => RuleVerdict::Unknown,
            },
            events: events.into_iter().filter_map(seq).collect(),
            found: count,
            missing: verdict
                .err()
                .map_or_else(String::new, |reason| reason.words().to_owned()),
        }
    }
}

/// Examines one event for one rule.
fn examine<'a>(
    find: &'a Expression,
    after: Option<&'a Expression>,
    found: &mut Matches,
    scope: &mut Scope<'a>,
    position: usize,
) {
    if let Some(after) = after
        && !found.has_begun
    {
        // The event that `after` describes is itself not searched.
        match scope.holds(after) {
            Ok(begins) => found.has_begun = begins,
            Err(reason) => found.add_unknown(reason),
        }
        return;
    }
    match scope.holds(find) {
        Ok(false) => {}
        Ok(true) => {
            found.count += 1;
            found.last = position;
            if found.first.len() < EVIDENCE {
                found.first.push(position);
            }
        }
        Err(reason) => found.add_unknown(reason),
    }
}

/// Whether the events found are as expected.
fn check_expectation(
    expect: &Expectation,
    this: &Matches,
    other: Option<&Matches>,
) -> Result<bool, UnknownReason> {
    let known = |holds: bool, is_decided: bool| match this.reason {
        Some(reason) if !is_decided => Err(reason),
        _ => Ok(holds),
    };
    match expect {
        Expectation::None => known(this.count == 0, this.count > 0),
        Expectation::Some => known(this.count > 0, this.count > 0),
        Expectation::AtMost(most) => {
            let all = this.count.saturating_add(this.unknown);
            known(this.count <= *most, this.count > *most || all <= *most)
        }
        Expectation::FirstBefore(_) | Expectation::LastAfter(_) => {
            let Some(other) = other else { return Ok(true) };
            if let Some(reason) = this.reason.or(other.reason) {
                return Err(reason);
            }
            if other.count == 0 {
                return Ok(true);
            }
            Ok(match expect {
                Expectation::FirstBefore(_) => {
                    this.first.first() < other.first.first() && this.count > 0
                }
                _ => this.count > 0 && this.last > other.last,
            })
        }
    }
}
