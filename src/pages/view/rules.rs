//! What the rules of the site say: of a run, of the runs of a case, and of all runs.

use std::collections::BTreeMap;

use serde::Serialize;

use base::links;
use formats::model::archive::{Archive, ArchiveEntry, ArchiveGroup, GroupBy};
use formats::model::cells::{TrialCell, cells};
use formats::model::comparison;
use formats::model::findings::Findings;
use formats::model::rule_result::{RuleResult, RuleVerdict};
use formats::rule_file::RuleSeverity;
use gate::{Rule, RuleCheck, Rules};
use markup::Html;
use markup::MarkdownOrigin;
use markup::markdown::{self, MarkdownContext};

use super::run::CheckedRun;
use super::{Badge, Link, format};

pub const PAGE: &str = "rules/index.html";

/// Maximum runs that the page of the rules lists for a rule.
const RUNS: usize = 50;
/// Maximum events that it lists for a run.
pub const EVENTS: usize = 5;

/// What the rules say of a run.
#[derive(Debug, Serialize)]
pub struct RunRulesView {
    /// `12 rules hold, 1 is violated, 2 are unknown`
    pub summary: String,
    /// The violated rules, then those of which it is not known, then those that hold.
    pub rows: Vec<RuleRow>,
    /// The page of all rules.
    pub all: String,
}

/// A rule and what it says of a run.
#[derive(Debug, Serialize)]
pub struct RuleRow {
    pub id: String,
    /// Its title, which links to the rule.
    pub rule: Link,
    pub verdict: Badge,
    /// What a violation does: `error`, `flag` or `note`; empty unless the rule is violated.
    pub severity: &'static str,
    /// The events that show it.
    pub events: Vec<Link>,
    /// `12 more`
    pub more: Option<String>,
    /// The value that was not recorded, if it is not known.
    pub missing: String,
}

/// A rule that runs of a model violate.
#[derive(Debug, Serialize)]
pub struct CaseRuleRow {
    pub model: Link,
    pub rule: Link,
    /// `2 of 5 runs`
    pub violated: String,
}

/// A rule and what it found in all runs.
#[derive(Debug, Serialize)]
pub struct RuleView {
    pub id: String,
    pub title: String,
    pub why: Html,
    pub blind: Html,
    /// What to do about a violation; may be empty.
    pub fix: String,
    /// `flag`
    pub severity: &'static str,
    /// What it examines: keys of its file with their values.
    pub keys: Vec<(&'static str, String)>,
    pub version: Option<String>,
    pub digest: String,
    /// Its file and line.
    pub place: String,
    pub is_built_in: bool,
    /// `It holds for 12 of 15 runs.`
    pub found: String,
    /// The runs that violate it, newest first.
    pub violated: Vec<ViolatingRunView>,
    /// `12 more runs`
    pub more: Option<String>,
    /// The values that were not recorded, with the number of runs.
    pub missing: Vec<(String, String)>,
    /// The combinations with too few runs.
    pub cells: Vec<MissingTrialsView>,
}

/// A run that violates a rule.
#[derive(Debug, Serialize)]
pub struct ViolatingRunView {
    pub run: Link,
    /// The first events that show it; empty if the rule is about the run.
    pub events: Vec<Link>,
    /// Whether there are more events.
    pub has_more: bool,
}

/// A combination of case, variant, model and harness with too few runs.
#[derive(Debug, Serialize)]
pub struct MissingTrialsView {
    pub case: Link,
    pub variant: String,
    pub model: String,
    pub harness: String,
    /// `1 of 3`
    pub runs: String,
}

fn badge(verdict: RuleVerdict, severity: RuleSeverity) -> Badge {
    let tone = match verdict {
        RuleVerdict::Holds => "good",
        RuleVerdict::Violated if severity == RuleSeverity::Note => "note",
        RuleVerdict::Violated => "bad",
        RuleVerdict::Unknown => "none",
    };
    Badge::new(verdict.word(), tone)
}

fn rule_link(root: &str, rule: &Rule) -> Link {
    Link::new(rule.title.as_str(), format!("{root}{PAGE}#{}", rule.id))
}

/// The rules that apply to a run, with what they say of it.
fn results<'a>(s: &CheckedRun<'a>) -> impl Iterator<Item = (&'a Rule, &'a RuleResult)> {
    let rules = s.site_rules;
    let results = s.rules.iter();
    results
        .filter_map(|result| Some((rules.find(&result.rule)?, result)))
        .filter(|(rule, _)| !matches!(rule.check, RuleCheck::Trials { .. }))
}

/// Titles of the rules that a run violates, except for those that are only noted.
pub fn violated(s: &CheckedRun<'_>) -> Vec<String> {
    results(s)
        .filter(|(rule, result)| {
            result.verdict == RuleVerdict::Violated && rule.severity != RuleSeverity::Note
        })
        .map(|(rule, _)| rule.title.clone())
        .collect()
}

/// What the rules say of a run; `None` if none applies.
pub fn of_run(s: &CheckedRun<'_>) -> Option<RunRulesView> {
    let root = links::root(&links::run(&s.entry.slug));
    let mut found: Vec<_> = results(s).collect();
    if found.is_empty() {
        return None;
    }
    let count = |verdict| {
        let of_run = found.iter();
        of_run.filter(|(_, it)| it.verdict == verdict).count()
    };
    let [holds, violated, unknown] = [
        RuleVerdict::Holds,
        RuleVerdict::Violated,
        RuleVerdict::Unknown,
    ]
    .map(count);
    let summary = format!(
        "{}: {holds} {}, {violated} violated, {unknown} unknown",
        format::count(found.len(), "rule"),
        if holds == 1 { "holds" } else { "hold" },
    );
    found.sort_by_key(|(_, result)| match result.verdict {
        RuleVerdict::Violated => 0,
        RuleVerdict::Unknown => 1,
        RuleVerdict::Holds => 2,
    });
    Some(RunRulesView {
        summary,
        rows: found
            .iter()
            .map(|(rule, result)| row(s, &root, rule, result))
            .collect(),
        all: format!("{root}{PAGE}"),
    })
}

fn row(s: &CheckedRun<'_>, root: &str, rule: &Rule, result: &RuleResult) -> RuleRow {
    // Events that a rule finds without being violated need no attention.
    let is_violated = result.verdict == RuleVerdict::Violated;
    let events: &[u64] = if is_violated { &result.events } else { &[] };
    let shown = events.len();
    let all = usize::try_from(result.found).unwrap_or(usize::MAX);
    RuleRow {
        id: rule.id.clone(),
        rule: rule_link(root, rule),
        verdict: badge(result.verdict, rule.severity),
        severity: if is_violated {
            rule.severity.word()
        } else {
            ""
        },
        events: events.iter().filter_map(|seq| s.event_link(*seq)).collect(),
        more: (shown >= gate::EVIDENCE)
            .then(|| format::rest(all, shown, "more event"))
            .flatten(),
        missing: result.missing.clone(),
    }
}

/// The rules that runs of a group violate, by model.
pub fn of_case(
    rules: &Rules,
    archive: &Archive,
    findings: &[Findings],
    group: &ArchiveGroup,
    root: &str,
) -> Vec<CaseRuleRow> {
    // For each model and rule, these are the runs that violate the rule, and all runs.
    let mut counts: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    for (index, rule) in rules.list.iter().enumerate() {
        if matches!(rule.check, RuleCheck::Trials { .. }) {
            continue;
        }
        for run in &group.runs {
            let Some(result) = result(&findings[*run], rule) else {
                continue;
            };
            let of_model = counts.entry((archive.runs[*run].model, index)).or_default();
            of_model.0 += usize::from(result.verdict == RuleVerdict::Violated);
            of_model.1 += 1;
        }
    }
    let violated = counts
        .into_iter()
        .filter(|(_, (violated, _))| *violated > 0);
    violated
        .map(|((model, rule), (violated, all))| CaseRuleRow {
            model: Link::to_group(GroupBy::Model, &archive.models[model], root),
            rule: rule_link(root, &rules.list[rule]),
            violated: format!("{violated} of {}", format::count(all, "run")),
        })
        .collect()
}

/// What a rule says of a run, if it applies to it.
pub fn result<'f>(findings: &'f Findings, rule: &Rule) -> Option<&'f RuleResult> {
    findings.rules.iter().find(|result| result.rule == rule.id)
}

/// A rule on the page of all rules.
pub fn of_all(rules: &Rules, rule: &Rule, archive: &Archive, findings: &[Findings]) -> RuleView {
    let root = links::root(PAGE);
    let results: Vec<(&ArchiveEntry, &Findings, &RuleResult)> = archive
        .runs
        .iter()
        .zip(findings)
        .filter_map(|(entry, found)| Some((entry, found, result(found, rule)?)))
        .collect();
    let with = |verdict| {
        let results = results.iter();
        results.filter(move |(.., result)| result.verdict == verdict)
    };
    let is_about_trials = matches!(rule.check, RuleCheck::Trials { .. });
    let cells: Vec<MissingTrialsView> = required_trials(rule, archive, findings)
        .iter()
        .filter(|trials| trials.is_short())
        .map(|trials| trials.view(archive, &root))
        .collect();
    let violated: Vec<ViolatingRunView> = with(RuleVerdict::Violated)
        .filter(|_| !is_about_trials)
        .take(RUNS)
        .map(|(entry, found, result)| run(entry, found, result, &root))
        .collect();
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    for (.., result) in with(RuleVerdict::Unknown) {
        *missing.entry(&result.missing).or_default() += 1;
    }
    let all = with(RuleVerdict::Violated).count();
    let found = if results.is_empty() {
        "It applies to no run.".to_owned()
    } else if is_about_trials {
        match cells.len() {
            0 => "Every combination has enough runs.".to_owned(),
            few => {
                let verb = if few == 1 { "has" } else { "have" };
                format!("{} {verb} too few runs.", format::count(few, "combination"))
            }
        }
    } else {
        let unknown = with(RuleVerdict::Unknown).count();
        let holds = with(RuleVerdict::Holds).count();
        let verb = |count: usize, one: &'static str, many: &'static str| {
            if count == 1 { one } else { many }
        };
        let mut parts = vec![format!(
            "{} of {} {} it",
            format::grouped(holds),
            format::count(results.len(), "run"),
            verb(holds, "keeps", "keep"),
        )];
        if all > 0 {
            let verb = verb(all, "violates", "violate");
            parts.push(format!("{} {verb} it", format::grouped(all)));
        }
        if unknown > 0 {
            parts.push(format!("of {} it is not known", format::grouped(unknown)));
        }
        format!("{}.", parts.join(", "))
    };
    let render = |text: &str| {
        let sizes = |_: &str| None;
        let context = MarkdownContext {
            scope: &rule.id,
            shift: 2,
            origin: MarkdownOrigin::Site(&sizes),
        };
        markdown::render(text, context)
    };
    RuleView {
        id: rule.id.clone(),
        title: rule.title.clone(),
        why: render(&rule.why),
        blind: render(&rule.blind),
        fix: rule.fix.clone(),
        severity: rule.severity.word(),
        keys: keys(rules, rule),
        version: rule.version.clone(),
        digest: rule.digest.clone(),
        place: format!(
            "{}, line {}",
            rule.place.path,
            rule.place.line.unwrap_or_default()
        ),
        is_built_in: rule.is_built_in,
        found,
        more: format::rest(all, violated.len(), "more run").filter(|_| !is_about_trials),
        violated,
        missing: missing
            .into_iter()
            .map(|(what, runs)| (what.to_owned(), format::count(runs, "run")))
            .collect(),
        cells,
    }
}

fn run(
    entry: &ArchiveEntry,
    found: &Findings,
    result: &RuleResult,
    root: &str,
) -> ViolatingRunView {
    let words = format!("{} ({})", found.task, entry.run.subject.model());
    let event = |seq: &u64| {
        let page = found.later_events.get(seq).copied().unwrap_or(1);
        let page = links::events(&entry.slug, "", page);
        Link::new(seq.to_string(), format!("{root}{page}#e-{seq}"))
    };
    ViolatingRunView {
        run: Link::new(words, format!("{root}{}#rules", links::run(&entry.slug))),
        events: result.events.iter().take(EVENTS).map(event).collect(),
        has_more: result.events.len() > EVENTS,
    }
}

/// The keys of a rule with their values, as in its file.
fn keys(rules: &Rules, rule: &Rule) -> Vec<(&'static str, String)> {
    let mut keys = Vec::new();
    match &rule.check {
        RuleCheck::Find {
            find,
            after,
            expect,
        } => {
            keys.push(("find", find.text.clone()));
            keys.extend(after.iter().map(|after| ("after", after.text.clone())));
            keys.push(("expect", rules.expectation(expect)));
        }
        RuleCheck::Require(require) => keys.push(("require", require.text.clone())),
        RuleCheck::Trials { runs, files } => {
            keys.push(("trials", runs.to_string()));
            if !files.is_empty() {
                let names: Vec<_> = files.iter().map(|it| &*it.name).collect();
                keys.push(("files", names.join(", ")));
            }
        }
    }
    let applies = &rule.applies;
    let patterns = [
        ("case", &applies.case),
        ("variant", &applies.variant),
        ("model", &applies.model),
        ("harness", &applies.harness),
    ];
    let patterns = patterns.into_iter().filter(|(_, list)| !list.is_empty());
    keys.extend(patterns.map(|(key, list)| (key, list.join(", "))));
    keys
}

/// The trials of a cell that a rule asks for.
#[derive(Debug)]
pub struct RequiredTrials {
    /// All runs that the rule applies to.
    pub cell: TrialCell,
    /// The runs that count, since they have the files of the rule.
    pub counted: Vec<usize>,
    pub wanted: usize,
}

/// The cells that a rule is about, with the runs that have its files.
pub fn required_trials(
    rule: &Rule,
    archive: &Archive,
    findings: &[Findings],
) -> Vec<RequiredTrials> {
    let RuleCheck::Trials { runs: wanted, .. } = &rule.check else {
        return Vec::new();
    };
    let verdict = |run: usize| Some(result(&findings[run], rule)?.verdict);
    let runs = 0..archive.runs.len();
    let runs: Vec<usize> = runs.filter(|run| verdict(*run).is_some()).collect();
    let sets = comparison::sets(archive, &runs);
    let required = |cell: TrialCell| RequiredTrials {
        counted: cell
            .runs
            .iter()
            .copied()
            .filter(|run| verdict(*run) == Some(RuleVerdict::Holds))
            .collect(),
        wanted: usize::try_from(*wanted).unwrap_or(usize::MAX),
        cell,
    };
    cells(archive, &sets).into_iter().map(required).collect()
}

impl RequiredTrials {
    /// Whether there are fewer trials than the rule asks for.
    pub fn is_short(&self) -> bool {
        self.counted.len() < self.wanted
    }

    fn view(&self, archive: &Archive, root: &str) -> MissingTrialsView {
        let entry = self.cell.entry(archive);
        let subject = &entry.run.subject;
        MissingTrialsView {
            case: Link::to_group(GroupBy::Case, &archive.cases[entry.case], root),
            variant: format::text(subject.variant.as_ref()).text().to_owned(),
            model: subject.model().to_owned(),
            harness: subject.harness.to_string(),
            runs: format!("{} of {}", self.counted.len(), self.wanted),
        }
    }
}
