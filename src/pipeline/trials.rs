//! Reports combinations of case, variant, model and harness with fewer runs than a rule asks for.

use base::diagnostics::text::counted;
use base::diagnostics::{Diagnostic, Severity, codes};
use formats::model::archive::Archive;
use formats::model::findings::Findings;
use formats::rule_file::RuleSeverity;
use pages::view::rules;

use crate::site::Site;

/// A problem for each combination, at the rule.
pub(super) fn missing(site: &Site, archive: &Archive, findings: &[Findings]) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for rule in &site.rules.list {
        let severity = match rule.severity {
            RuleSeverity::Error => Severity::Error,
            RuleSeverity::Flag | RuleSeverity::Note => Severity::Note,
        };
        let required = rules::required_trials(rule, archive, findings);
        for trials in required.iter().filter(|trials| trials.is_short()) {
            let subject = &trials.cell.entry(archive).run.subject;
            let variant = subject.variant.as_deref();
            let variant = variant.map_or_else(String::new, |variant| format!(" {variant}"));
            let message = format!(
                "`{}{variant}` with `{}` in `{}` has {} of {} that rule `{}` asks for",
                subject.case,
                subject.model(),
                subject.harness,
                trials.counted.len(),
                counted(trials.wanted as u64, "run"),
                rule.id,
            );
            let help = match rule.fix.as_str() {
                "" => "Add runs, or leave the combination out with `applies`.",
                fix => fix,
            };
            let problem = codes::RULES_MISSING_TRIALS.at(rule.place.clone(), message, help);
            problems.push(problem.with_severity(severity));
        }
    }
    problems
}
