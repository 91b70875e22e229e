//! Reports combinations of case, variant, model and harness with fewer runs than a rule asks for, and rules for which no run counts.

use std::collections::BTreeSet;

use base::diagnostics::text::{counted, nearest, quoted};
use base::diagnostics::{Diagnostic, Severity, codes};
use formats::model::archive::Archive;
use formats::model::findings::Findings;
use formats::rule_file::RuleSeverity;
use formats::{RUN_FILES, run_record, sidecar};
use gate::RuleCheck;
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

/// A problem for each file in `files` of a rule that no run of the site has.
pub(super) fn unknown_files(site: &Site, findings: &[Findings]) -> Vec<Diagnostic> {
    let rules = site.rules.list.iter();
    let files = rules.filter_map(|rule| match &rule.check {
        RuleCheck::Trials { files, .. } => Some(files),
        _ => None,
    });
    let mut files = files.flatten().peekable();
    if files.peek().is_none() || findings.is_empty() {
        return Vec::new();
    }
    let mut names = BTreeSet::from([run_record::FILE_NAME.to_owned()]);
    for digests in findings.iter().map(|found| found.digests.unpack()) {
        // The files of a run with errors are not known.
        if digests.record.is_empty() {
            return Vec::new();
        }
        names.extend(digests.files.into_keys());
    }
    let problems = files.filter_map(|file| {
        // What is known of sidecars is only whether there are annotations.
        let tape = file.name.strip_suffix(sidecar::SUFFIX);
        let name = tape.unwrap_or(&file.name);
        if names.contains(name) {
            return None;
        }
        let known = names.iter().map(String::as_str).chain(RUN_FILES);
        let help = nearest(name, known.filter(|known| *known != name)).map_or_else(
            || "Name a file that runpress reads, such as `events.jsonl`.".to_owned(),
            |near| {
                let suffix = tape.map_or("", |_| sidecar::SUFFIX);
                format!("Did you mean {}?", quoted(&format!("{near}{suffix}")))
            },
        );
        Some(codes::RULES_UNKNOWN_FILE.at(
            file.place.clone(),
            format!("No run of the site has a file {}", quoted(&file.name)),
            help,
        ))
    });
    problems.collect()
}
