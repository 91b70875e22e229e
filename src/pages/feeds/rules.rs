//! `rules.json`: what the site expects of its runs, and what it found.

use schemars::JsonSchema;
use serde::Serialize;

use base::links;
use base::shapes::{self, SCHEMA_VERSION};
use formats::config::Config;
use formats::model::archive::{Archive, ArchiveEntry};
use formats::model::findings::Findings;
use formats::model::rule_result::{RuleResult, RuleVerdict};
use formats::rule_file::{Applies, RuleSeverity};
use gate::{Rule, RuleCheck, Rules};

use crate::view::rules::{RequiredTrials, required_trials, result};

use super::archive::address;

/// `rules.json`: the rules of the site, and what they found. Only a site with rules has it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulesDocument<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    schema_version: u32,
    /// The rules, in the order of their files.
    rules: Vec<RuleDocument<'a>>,
    /// The runs that violate a rule, in the order of the rules, newest run first.
    violations: Vec<Violation<'a>>,
    /// The runs of which it is not known whether they keep a rule.
    unknown: Vec<UnknownDocument<'a>>,
}

document! {
    /// A rule.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Rule")]
    struct RuleDocument<'a>(rules: &Rules, rule: &'a Rule, archive: &'a Archive, findings: &[Findings], results: &[(&ArchiveEntry, &RuleResult)])
    let count = |verdict| results.iter().filter(|(_, it)| it.verdict == verdict).count();
    {
        /// Its id.
        id: &'a str = &rule.id,
        /// What is expected, in a line.
        title: &'a str = &rule.title,
        /// Why, in Markdown; absent if not given.
        #[serde(skip_serializing_if = "str::is_empty")]
        why: &'a str = &rule.why,
        /// What it cannot see, in Markdown; absent if not given.
        #[serde(skip_serializing_if = "str::is_empty")]
        blind: &'a str = &rule.blind,
        /// What to do about a violation; absent if not given.
        #[serde(skip_serializing_if = "str::is_empty")]
        fix: &'a str = &rule.fix,
        /// The version of its file; absent if not given.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        version: Option<&'a str> = rule.version.as_deref(),
        /// BLAKE3 of everything that decides what it finds, and what readers see of it.
        #[schemars(with = "shapes::Blake3")]
        digest: &'a str = &rule.digest,
        /// What a violation does.
        severity: RuleSeverity = rule.severity,
        /// Whether it is built in.
        built_in: bool = rule.is_built_in,
        /// The runs that it applies to; absent for all.
        #[serde(skip_serializing_if = "Applies::is_all")]
        applies: &'a Applies = &rule.applies,
        /// The expression that finds events.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        find: Option<&'a str> = match &rule.check { RuleCheck::Find { find, .. } => Some(&find.text), _ => None },
        /// The expression of the event after which events are found.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        after: Option<&'a str> = match &rule.check { RuleCheck::Find { after, .. } => after.as_ref().map(|after| &*after.text), _ => None },
        /// What is expected of the events found.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        expect: Option<String> = match &rule.check { RuleCheck::Find { expect, .. } => Some(rules.expectation(expect)), _ => None },
        /// The expression that must hold for a run.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        require: Option<&'a str> = match &rule.check { RuleCheck::Require(expression) => Some(&expression.text), _ => None },
        /// How many runs each combination of case, variant, model and harness needs.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "u32")]
        trials: Option<u32> = match &rule.check { RuleCheck::Trials { runs, .. } => Some(*runs), _ => None },
        /// The files that such a run needs.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        files: Vec<&'a str> = match &rule.check { RuleCheck::Trials { files, .. } => files.iter().map(|it| &*it.name).collect(), _ => Vec::new() },
        /// Runs for which it holds; with `trials`, runs that count.
        holds: usize = count(RuleVerdict::Holds),
        /// Runs that violate it; with `trials`, runs without the files.
        violated: usize = count(RuleVerdict::Violated),
        /// Runs of which it is not known.
        unknown: usize = count(RuleVerdict::Unknown),
        /// The combinations with too few runs; absent if there are none.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        missing_trials: Vec<CellDocument<'a>> = required_trials(rule, archive, findings).iter().filter(|it| it.is_short()).map(|it| CellDocument::of(it, archive)).collect(),
    }
}

document! {
    /// A combination of case, variant, model and harness with too few runs.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Cell")]
    struct CellDocument<'a>(trials: &RequiredTrials, archive: &'a Archive)
    let subject = &trials.cell.entry(archive).run.subject;
    {
        /// The case.
        case: &'a str = &subject.case,
        /// Its variant; null is not recorded.
        variant: Option<&'a str> = subject.variant.as_deref(),
        /// The model; null is not recorded.
        model: Option<&'a str> = subject.model.as_deref(),
        /// The harness.
        harness: &'a str = &subject.harness,
        /// Ids of the runs that count.
        run_ids: Vec<&'a str> = trials.counted.iter().map(|run| &*archive.runs[*run].run.id).collect(),
        /// How many runs are needed.
        needed: usize = trials.wanted,
    }
}

document! {
    /// A run that violates a rule.
    #[serde(rename_all = "camelCase")]
    struct Violation<'a>(config: &Config, entry: &'a ArchiveEntry, result: &'a RuleResult) {
        /// Id of the rule.
        rule: &'a str = &result.rule,
        /// Id of the run.
        run_id: &'a str = &entry.run.id,
        /// Its page: absolute when the site has a `base_url`, else relative to its root.
        #[schemars(with = "shapes::PageAddress")]
        url: String = address(config, &links::run(&entry.slug)),
        /// Numbers of the events that show it, at most the first 50.
        events: &'a [u64] = &result.events,
        /// How many events the rule found.
        found: u64 = result.found,
    }
}

document! {
    /// A run of which it is not known whether it keeps a rule.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Unknown")]
    struct UnknownDocument<'a>(entry: &'a ArchiveEntry, result: &'a RuleResult) {
        /// Id of the rule.
        rule: &'a str = &result.rule,
        /// Id of the run.
        run_id: &'a str = &entry.run.id,
        /// The value that was not recorded.
        missing: &'a str = &result.missing,
    }
}

/// Makes `rules.json`.
pub fn document<'a>(
    config: &Config,
    rules: &'a Rules,
    archive: &'a Archive,
    findings: &'a [Findings],
) -> RulesDocument<'a> {
    let (mut documents, mut violations, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for rule in &rules.list {
        let results: Vec<(&ArchiveEntry, &RuleResult)> = archive
            .runs
            .iter()
            .zip(findings)
            .filter_map(|(entry, found)| Some((entry, result(found, rule)?)))
            .collect();
        documents.push(RuleDocument::of(rules, rule, archive, findings, &results));
        if rules.is_about_trials(&rule.id) {
            continue;
        }
        for (entry, result) in results {
            match result.verdict {
                RuleVerdict::Holds => {}
                RuleVerdict::Violated => violations.push(Violation::of(config, entry, result)),
                RuleVerdict::Unknown => unknown.push(UnknownDocument::of(entry, result)),
            }
        }
    }
    RulesDocument {
        schema_version: SCHEMA_VERSION,
        rules: documents,
        violations,
        unknown,
    }
}
