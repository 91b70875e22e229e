//! Applies the rules of the site to a run, and reports what they find at the events.

use base::diagnostics::{Diagnostic, Place, Severity, codes};
use content::discover::RunDirectory;
use content::inspect::Inspection;
use content::load::RunFiles;
use formats::audit::Verdict;
use formats::model::review::Rating;
use formats::model::rule_result::{RuleResult, RuleVerdict};
use formats::model::run::Run;
use formats::model::tape::Tape;
use formats::rule_file::RuleSeverity;
use formats::run_record;
use gate::{Extras, Rule, RunFacts};

use crate::site::Site;

/// Maximum events that are reported of one rule and run. Its page has more of them.
const REPORTED: usize = 10;

/// What the rules say of the run; adds a problem for each event that violates one.
pub(super) fn check(
    site: &Site,
    place: &RunDirectory,
    run: &Run,
    files: &RunFiles,
    inspection: &Inspection<'_>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<RuleResult> {
    if site.rules.is_empty() {
        return Vec::new();
    }
    let sidecars = inspection.sidecars.iter().flatten();
    let review = inspection.review.as_ref();
    let extras = Extras {
        rating: review.and_then(|review| review.rating).map(Rating::word),
        audit: inspection
            .audit
            .as_ref()
            .map(|audit| Verdict::word(audit.verdict)),
        annotations: sidecars
            .map(|sidecar| sidecar.report.kind_counts.total())
            .sum(),
        files: files.digests.iter().map(|file| file.path.clone()).collect(),
    };
    let tape = inspection.tapes.first();
    let facts = RunFacts::new(&site.config, run, tape, extras);
    let results = site.rules.of_run(&site.config, &run.subject, &facts);
    for result in &results {
        let rule = site.rules.find(&result.rule);
        let Some(rule) = rule.filter(|_| !site.rules.is_about_trials(&result.rule)) else {
            continue;
        };
        let found = report(rule, result, &place.shown, tape);
        problems.extend(found.into_iter().map(|problem| problem.of_run(&run.id)));
    }
    results
}

fn report(
    rule: &Rule,
    result: &RuleResult,
    folder: &str,
    tape: Option<&Tape<'_>>,
) -> Vec<Diagnostic> {
    let record = || Place::file(format!("{folder}/{}", run_record::FILE_NAME));
    let line = rule.place.line.unwrap_or_default();
    let source = format!("The rule is in {}, line {line}.", rule.place.path);
    let is_error = rule.severity == RuleSeverity::Error;
    match result.verdict {
        RuleVerdict::Holds => Vec::new(),
        RuleVerdict::Unknown => {
            let message = format!(
                "It is not known whether rule `{}` holds: {} was not recorded",
                rule.id, result.missing
            );
            let severity = if is_error {
                Severity::Warning
            } else {
                Severity::Note
            };
            vec![
                codes::RULES_UNKNOWN
                    .at(record(), message, source)
                    .with_severity(severity),
            ]
        }
        RuleVerdict::Violated => {
            let severity = if is_error {
                Severity::Error
            } else {
                Severity::Note
            };
            let title = rule.title.trim_end_matches('.');
            let at = |place: Place, which: &str| {
                let message = format!("{which} violates rule `{}`: {title}", rule.id);
                codes::RULES_VIOLATED
                    .at(place, message, source.as_str())
                    .with_severity(severity)
            };
            let events = result.events.iter().take(REPORTED);
            let places = events.filter_map(|seq| {
                let tape = tape?;
                let event = tape.events.get(tape.position(*seq)?)?;
                let place = Place {
                    line: Some(event.line),
                    ..Place::file(format!("{folder}/{}", tape.file))
                };
                Some(at(place, &format!("Event {seq}")))
            });
            let mut problems: Vec<_> = places.collect();
            if problems.is_empty() {
                problems.push(at(record(), "The run"));
            }
            problems
        }
    }
}
