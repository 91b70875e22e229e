//! `rules.json`: what the site expects of its runs, and what it found.

use schemars::JsonSchema;
use serde::Serialize;

use base::links;
use base::shapes::{self, SCHEMA_VERSION};
use formats::config::Config;
use formats::model::archive::{Archive, Entry};
use formats::model::findings::Findings;
use formats::model::rule_result::{RuleResult, RuleVerdict};
use formats::rule_file::{Applies, RuleSeverity};
use gate::{Check, Rule, Rules};

use crate::view::rules::{RequiredTrials, required_trials};

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

/// A rule.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Rule")]
struct RuleDocument<'a> {
    /// Its id.
    id: &'a str,
    /// What is expected, in a line.
    title: &'a str,
    /// Why, in Markdown; absent if not given.
    #[serde(skip_serializing_if = "str::is_empty")]
    why: &'a str,
    /// What it cannot see, in Markdown; absent if not given.
    #[serde(skip_serializing_if = "str::is_empty")]
    blind: &'a str,
    /// What to do about a violation; absent if not given.
    #[serde(skip_serializing_if = "str::is_empty")]
    fix: &'a str,
    /// The version of its file; absent if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    version: Option<&'a str>,
    /// BLAKE3 of everything that decides what it finds, and what readers see of it.
    #[schemars(with = "shapes::Blake3")]
    digest: &'a str,
    /// What a violation does.
    severity: RuleSeverity,
    /// Whether it is built in.
    built_in: bool,
    /// The runs that it applies to; absent for all.
    #[serde(skip_serializing_if = "Applies::is_all")]
    applies: &'a Applies,
    /// The expression that finds events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    find: Option<&'a str>,
    /// The expression of the event after which events are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    after: Option<&'a str>,
    /// What is expected of the events found.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    expect: Option<String>,
    /// The expression that must hold for a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    require: Option<&'a str>,
    /// How many runs each combination of case, variant, model and harness needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    trials: Option<u32>,
    /// The files that such a run needs.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    files: &'a [String],
    /// Runs for which it holds; with `trials`, runs that count.
    holds: usize,
    /// Runs that violate it; with `trials`, runs without the files.
    violated: usize,
    /// Runs of which it is not known.
    unknown: usize,
    /// The combinations with too few runs; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_trials: Vec<CellDocument<'a>>,
}

/// A combination of case, variant, model and harness with too few runs.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Cell")]
struct CellDocument<'a> {
    /// The case.
    case: &'a str,
    /// Its variant; null is not recorded.
    variant: Option<&'a str>,
    /// The model; null is not recorded.
    model: Option<&'a str>,
    /// The harness.
    harness: &'a str,
    /// Ids of the runs that count.
    run_ids: Vec<&'a str>,
    /// How many runs are needed.
    needed: usize,
}

/// A run that violates a rule.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Violation<'a> {
    /// Id of the rule.
    rule: &'a str,
    /// Id of the run.
    run_id: &'a str,
    /// Its page: absolute when the site has a `base_url`, else relative to its root.
    #[schemars(with = "shapes::PageAddress")]
    url: String,
    /// Numbers of the events that show it, at most the first 50.
    events: &'a [u64],
    /// How many events the rule found.
    found: u64,
}

/// A run of which it is not known whether it keeps a rule.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Unknown")]
struct UnknownDocument<'a> {
    /// Id of the rule.
    rule: &'a str,
    /// Id of the run.
    run_id: &'a str,
    /// The value that was not recorded.
    missing: &'a str,
}

/// Makes `rules.json`.
pub fn document<'a>(
    config: &Config,
    rules: &'a Rules,
    archive: &'a Archive,
    findings: &'a [Findings],
) -> RulesDocument<'a> {
    let mut document = RulesDocument {
        schema_version: SCHEMA_VERSION,
        rules: Vec::new(),
        violations: Vec::new(),
        unknown: Vec::new(),
    };
    for rule in &rules.list {
        let results: Vec<(&Entry, &RuleResult)> = archive
            .runs
            .iter()
            .zip(findings)
            .filter_map(|(entry, found)| {
                let mut results = found.rules.iter();
                Some((entry, results.find(|result| result.rule == rule.id)?))
            })
            .collect();
        let of_rule = RuleDocument::new(rules, rule, archive, findings, &results);
        document.rules.push(of_rule);
        if rules.is_about_trials(&rule.id) {
            continue;
        }
        for (entry, result) in results {
            match result.verdict {
                RuleVerdict::Holds => {}
                RuleVerdict::Violated => document.violations.push(Violation {
                    rule: &rule.id,
                    run_id: &entry.run.id,
                    url: address(config, &links::run(&entry.slug)),
                    events: &result.events,
                    found: result.found,
                }),
                RuleVerdict::Unknown => document.unknown.push(UnknownDocument {
                    rule: &rule.id,
                    run_id: &entry.run.id,
                    missing: &result.missing,
                }),
            }
        }
    }
    document
}

impl<'a> RuleDocument<'a> {
    fn new(
        rules: &Rules,
        rule: &'a Rule,
        archive: &'a Archive,
        findings: &[Findings],
        results: &[(&Entry, &RuleResult)],
    ) -> Self {
        let count = |verdict| {
            let results = results.iter();
            results.filter(|(_, it)| it.verdict == verdict).count()
        };
        let required = required_trials(rule, archive, findings);
        let lacking = required.iter().filter(|trials| trials.is_short());
        let (mut find, mut after, mut expect) = (None, None, None);
        let (mut require, mut trials, mut files) = (None, None, &[][..]);
        match &rule.check {
            Check::Find {
                find: expression,
                after: begin,
                expect: expected,
            } => {
                find = Some(expression.text.as_str());
                after = begin.as_ref().map(|begin| begin.text.as_str());
                expect = Some(rules.expectation(expected));
            }
            Check::Require(expression) => require = Some(expression.text.as_str()),
            Check::Trials { runs, files: named } => {
                trials = Some(*runs);
                files = named.as_slice();
            }
        }
        Self {
            id: &rule.id,
            title: &rule.title,
            why: &rule.why,
            blind: &rule.blind,
            fix: &rule.fix,
            version: rule.version.as_deref(),
            digest: &rule.digest,
            severity: rule.severity,
            built_in: rule.is_built_in,
            applies: &rule.applies,
            find,
            after,
            expect,
            require,
            trials,
            files,
            holds: count(RuleVerdict::Holds),
            violated: count(RuleVerdict::Violated),
            unknown: count(RuleVerdict::Unknown),
            missing_trials: lacking
                .map(|trials| CellDocument::new(trials, archive))
                .collect(),
        }
    }
}

impl<'a> CellDocument<'a> {
    fn new(trials: &RequiredTrials, archive: &'a Archive) -> Self {
        let subject = &trials.cell.entry(archive).run.subject;
        let ids = trials.counted.iter().map(|run| &*archive.runs[*run].run.id);
        Self {
            case: &subject.case,
            variant: subject.variant.as_deref(),
            model: subject.model.as_deref(),
            harness: &subject.harness,
            run_ids: ids.collect(),
            needed: trials.wanted,
        }
    }
}
