//! Applies the rules of the site to a run, and reports what they find at the events.

use base::diagnostics::{Diagnostic, Place, Severity, Source, codes};
use content::discover::RunDirectory;
use content::inspect::Inspection;
use content::load::{LoadedFile, RunFiles};
use formats::audit::AuditVerdict;
use formats::model::review::Rating;
use formats::model::rule_result::{RuleResult, RuleVerdict};
use formats::model::run::Run;
use formats::model::tape::Tape;
use formats::rule_file::RuleSeverity;
use formats::{run_record, writeup};
use gate::{Rule, RunExtras, RunFacts};
use markup::{CitedRule, cited_rule};

use crate::site::Site;

/// Maximum events that are reported of one rule and run. Its page has more of them.
const MAX_EVENTS: usize = 10;

/// What the rules say of the run; adds a problem for each event that violates one.
pub(super) fn check(
    site: &Site,
    place: &RunDirectory,
    run: &Run,
    files: &RunFiles,
    inspection: &Inspection<'_>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<RuleResult> {
    let results = if site.rules.is_empty() {
        Vec::new()
    } else {
        evaluate(site, run, files, inspection)
    };
    let tape = inspection.tapes.first();
    for result in &results {
        let rule = site.rules.find(&result.rule);
        let Some(rule) = rule.filter(|_| !site.rules.is_about_trials(&result.rule)) else {
            continue;
        };
        let found = report(rule, result, &place.shown, tape);
        problems.extend(found.into_iter().map(|problem| problem.of_run(&run.id)));
    }
    if let Some(writeup) = &files.writeup {
        let found = citations(site, writeup, &results).into_iter();
        problems.extend(found.map(|problem| problem.of_run(&run.id)));
    }
    results
}

fn evaluate(
    site: &Site,
    run: &Run,
    files: &RunFiles,
    inspection: &Inspection<'_>,
) -> Vec<RuleResult> {
    let sidecars = inspection.sidecars.iter().flatten();
    let extras = RunExtras {
        rating: inspection.rating().map(Rating::word),
        audit: inspection.audited().map(AuditVerdict::word),
        annotations: sidecars
            .map(|sidecar| sidecar.report.kind_counts.total())
            .sum(),
        files: (files.digests.iter().chain(&inspection.raw))
            .map(|file| file.path.clone())
            .collect(),
    };
    let tape = inspection.tapes.first();
    let facts = RunFacts::new(&site.config, run, tape, extras);
    site.rules.evaluate(&site.config, &run.subject, &facts)
}

/// Problems of the rules that a writeup cites.
fn citations(site: &Site, writeup: &LoadedFile, results: &[RuleResult]) -> Vec<Diagnostic> {
    let source = Source::file(&writeup.shown, &writeup.bytes);
    let (read, _) = writeup::parse(source);
    let body = read.body();
    if !body.contains("rule:") {
        return Vec::new();
    }
    let offset = body.as_ptr().addr() - read.text.as_ptr().addr();
    let source = Source {
        text: read.text.as_bytes(),
        ..source
    };
    let mut problems = Vec::new();
    for (address, place) in content::rules::markdown::links(source, body, offset) {
        let Some(CitedRule { id, holds }) = cited_rule(&address) else {
            continue;
        };
        // Rules about trials say nothing of a run alone.
        let mut results = results
            .iter()
            .filter(|it| !site.rules.is_about_trials(&it.rule));
        let verdict = results.find(|result| result.rule == id);
        let expected = if holds { "keeps" } else { "violates" };
        let (message, severity) = match verdict.map(|result| result.verdict) {
            Some(RuleVerdict::Holds) if holds => continue,
            Some(RuleVerdict::Violated) if !holds => continue,
            Some(RuleVerdict::Unknown) => (
                format!(
                    "The writeup says that the run {expected} rule `{id}`, of which it is not known"
                ),
                Severity::Warning,
            ),
            Some(_) => (
                format!(
                    "The writeup says that the run {expected} rule `{id}`, but the rule says the opposite"
                ),
                Severity::Error,
            ),
            None => (
                format!("The writeup cites rule `{id}`, which does not apply to the run"),
                Severity::Error,
            ),
        };
        let help = "Correct the words, or cite with `rule:ID` a rule that the run keeps and with `rule:!ID` one that it violates.";
        problems.push(
            codes::RULES_CITATION
                .at(place, message, help)
                .with_severity(severity),
        );
    }
    problems
}

/// Why it is not known whether a rule holds, and what to do about it.
fn unknown(rule: &Rule, missing: &str) -> (String, &'static str) {
    if missing == "events" {
        let reason = "the run has no event log or other tape".to_owned();
        return (reason, "Add the log to the folder of the run.");
    }
    let fix = if missing == "site.canary" {
        "Set `canary` in `[policy]` of site.toml."
    } else if rule.is_built_in {
        "Record the value, or take the rule out of `use`."
    } else {
        "Record the value, or ask in the rule with `has` whether there is one."
    };
    (format!("{missing} was not recorded"), fix)
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
    let fix = match rule.fix.trim_end_matches('.') {
        "" if is_error => {
            "Leave the run out, or record it again so that it keeps the rule".to_owned()
        }
        "" => "The page of the run says so to its readers".to_owned(),
        fix => fix.to_owned(),
    };
    match result.verdict {
        RuleVerdict::Holds => Vec::new(),
        RuleVerdict::Unknown => {
            let (reason, fix) = unknown(rule, &result.missing);
            let message = format!("It is not known whether rule `{}` holds: {reason}", rule.id);
            let severity = if is_error {
                Severity::Warning
            } else {
                Severity::Note
            };
            vec![
                codes::RULES_UNKNOWN
                    .at(record(), message, format!("{fix} {source}"))
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
                    .at(place, message, format!("{fix}. {source}"))
                    .with_severity(severity)
            };
            let events = result.events.iter().take(MAX_EVENTS);
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
