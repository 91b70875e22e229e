//! The summary of a check or a build in Markdown, for the pages of CI services.

mod contribution;

use base::diagnostics::{Diagnostic, SeverityCounts, human};
use formats::config::SuccessRule;
use formats::model::slug::Labels;
use store::ledger::{BuildChanges, RunChange, RunNames};

use super::contribution::Contribution;
use super::format;
use super::markdown::{code, message, plain};
use base::links::{self, RunFolders, Slug};
use base::url;

/// Maximum problems listed, since CI services limit the size.
const PROBLEMS: usize = 100;
/// Maximum runs per list.
const RUNS: usize = 20;

#[derive(Debug, Clone, Copy)]
pub struct SummaryFacts<'a> {
    /// `Published`, `Checked` and the like.
    pub verdict: &'a str,
    /// Number of published runs, or of runs that would be published.
    pub runs: usize,
    /// Number of runs with errors, which block the publication of all others.
    pub broken: usize,
    /// Number of quarantined runs.
    pub quarantined: usize,
    /// Number of runs in states that are never published.
    pub not_published: usize,
    /// Files and bytes of the site, if published.
    pub written: Option<(u64, u64)>,
    /// Changes since the site that is replaced.
    pub changes: Option<&'a BuildChanges>,
    /// The site's address, if its pages can be linked.
    pub address: Option<&'a str>,
    pub run_folders: RunFolders,
    /// The problems to list.
    pub diagnostics: &'a [Diagnostic],
    /// What a contribution changes, if the content is compared with a base.
    pub contribution: Option<&'a Contribution>,
    /// The address of the files of the site's root, if given.
    pub source: Option<&'a str>,
    /// What counts as a success, if the site could be opened.
    pub success: Option<&'a SuccessRule>,
}

impl SummaryFacts<'_> {
    /// The address of the page of a run, if it can be linked.
    fn page(&self, run: &RunNames) -> Option<String> {
        let page = links::run(&Slug::new(&run.slug, self.run_folders));
        let path = url::encode(links::directory(&page));
        Some(format!("{}{path}", self.address?))
    }
}

pub fn markdown(facts: &SummaryFacts<'_>) -> String {
    if let Some(it) = facts.contribution {
        return contribution::markdown(facts, it);
    }
    let runs = if facts.broken > 0 {
        let broken = format::count(facts.broken, "run");
        format!("{broken} with errors, {} valid", facts.runs)
    } else {
        format::count(facts.runs, "run")
    };
    let mut out = format!("## {}: {runs}\n\n", facts.verdict);
    let mut problems = human::tally(SeverityCounts::of(facts.diagnostics));
    if problems.is_empty() {
        problems.push_str("none");
    }
    out.push_str(&format!("| | |\n|---|---|\n| Problems | {problems} |\n"));
    for (name, runs) in [
        ("Quarantined", facts.quarantined),
        ("Never published", facts.not_published),
    ] {
        if runs > 0 {
            out.push_str(&format!("| {name} | {} |\n", format::count(runs, "run")));
        }
    }
    if let Some((files, bytes)) = facts.written {
        let files = format::count(usize::try_from(files).unwrap_or(usize::MAX), "file");
        out.push_str(&format!("| Site | {files}, {} |\n", format::bytes(bytes)));
    }
    if let Some(build) = facts.changes {
        push_changes(&mut out, build, facts);
    }
    push_problems(&mut out, facts.diagnostics);
    out
}

fn push_changes(out: &mut String, build: &BuildChanges, facts: &SummaryFacts<'_>) {
    let labels = Labels::new(build.run_names().map(|run| &*run.id));
    let name = |run: &RunNames| name(run, &labels.label(&run.id), facts);
    out.push_str("\n### What changed\n\n");
    let mut push = |what: &str, total: usize, lines: &mut dyn Iterator<Item = String>| {
        if total > 0 {
            out.push_str(&format!("- {} {what}\n", format::count(total, "run")));
            let rest = format::rest(total, RUNS, "more run");
            for line in lines.take(RUNS).chain(rest) {
                out.push_str(&format!("  - {line}\n"));
            }
        }
    };
    for (what, runs) in build.lists() {
        push(what, runs.len(), &mut runs.iter().map(name));
    }
    let changed = &build.changed;
    let line = |change: &RunChange| format!("{}: {}", name(&change.run), change_line(change));
    push("changed", changed.len(), &mut changed.iter().map(line));
    if !build.rules.is_empty() {
        let ids: Vec<String> = build.rules.iter().map(|rule| plain(&rule.id)).collect();
        out.push_str(&format!(
            "- Rules added, changed or removed: {}\n",
            ids.join(", ")
        ));
    }
}

/// `pong v1.0.0 by lark-1 with codex (4f1c2d3e)`, with a link if the site has an address.
fn name(run: &RunNames, label: &str, facts: &SummaryFacts<'_>) -> String {
    let words = plain(&format!(
        "{} {} by {} with {}",
        run.test_case_slug, run.test_case_version, run.model_id, run.harness_slug
    ));
    let id = plain(label);
    match facts.page(run) {
        Some(page) => format!("{words} ([{id}](<{page}>))"),
        None => format!("{words} ({id})"),
    }
}

/// The changes of a run, on one line.
fn change_line(change: &RunChange) -> String {
    let mut parts = Vec::new();
    if let Some(slug) = &change.moved_from {
        parts.push(format!("moved from {}", plain(slug)));
    }
    if let Some(rating) = &change.rating {
        parts.push(rating.text());
    }
    let fields = change.fields.len() + change.more_fields;
    let files = change.files.len() + change.more_files;
    let annotations = change.annotations.lists().into_iter();
    let annotations = annotations.map(|(what, ids, more)| (ids.len() + more, "annotation", what));
    let counts = [(fields, "field", ""), (files, "file", "")]
        .into_iter()
        .chain(annotations);
    for (count, noun, what) in counts {
        if count > 0 {
            let count = format::count(count, noun);
            parts.push(format!("{count} {what}").trim_end().to_owned());
        }
    }
    plain(&parts.join(", "))
}

fn push_problems(out: &mut String, diagnostics: &[Diagnostic]) {
    if diagnostics.is_empty() {
        return;
    }
    out.push_str("\n### Problems\n\n| | Where | What | Help |\n|---|---|---|---|\n");
    for problem in diagnostics.iter().take(PROBLEMS) {
        let place = &problem.place;
        let at = [place.line, place.column].into_iter().flatten();
        let at: String = at.map(|number| format!(":{number}")).collect();
        out.push_str(&format!(
            "| {} `{}` | {} | {} | {} |\n",
            problem.severity.word(),
            problem.code.name,
            code(&format!("{}{at}", place.path)),
            message(&problem.message),
            message(&problem.help),
        ));
    }
    if let Some(rest) = format::rest(diagnostics.len(), PROBLEMS, "more problem") {
        out.push_str(&format!(
            "\n{rest}; the Problems page and the other reports list all of them.\n"
        ));
    }
}
