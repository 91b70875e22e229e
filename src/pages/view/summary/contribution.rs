//! The summary of a check over a base, as a comment on a pull request: what to fix, then what the contribution changes.

use base::diagnostics::{Diagnostic, Severity, SeverityCounts, codes, human};
use formats::model::slug::Labels;
use formats::model::statistics::Tally;
use formats::model::words;
use formats::run_record;
use store::ledger::{BuildChanges, RunNames};

use super::{RUNS, SummaryFacts, change_line};
use crate::view::contribution::{CellName, Contribution, MissingTrials};
use crate::view::markdown::{code, message, plain};
use crate::view::{format, task, trials};
use base::url;

/// Maximum runs and files whose problems are listed: GitHub takes 65,536 characters of a comment.
const GROUPS: usize = 20;
/// Maximum problems of one of them.
const LINES: usize = 10;
/// Maximum characters of a task.
const TASK: usize = task::NAME;
/// Maximum characters of a message or a help.
const TEXT: usize = 400;

pub(super) fn markdown(facts: &SummaryFacts<'_>, it: &Contribution) -> String {
    let added = it.added();
    let mut out = format!("## {}: {}\n\n", facts.verdict, headline(added, it.known));
    out.push_str(&sentences(it));
    let (to_fix, notes): (Vec<_>, Vec<_>) = it
        .problems
        .iter()
        .partition(|problem| problem.severity != Severity::Note);
    if !to_fix.is_empty() {
        out.push_str("\n### To fix\n");
        push_problems(&mut out, &to_fix, it, facts);
    }
    push_trials(&mut out, &it.missing_trials);
    let left_out = it.left_out.iter().map(|folder| code(folder));
    push_list(
        &mut out,
        "Runs that are left out because of errors",
        left_out.collect(),
    );
    if let Some(build) = &it.changes {
        push_runs(&mut out, build, it, facts);
    }
    push_cells(&mut out, it, facts);
    // Other notes are not about what a contribution has to change.
    let violated: Vec<_> = notes
        .into_iter()
        .filter(|problem| problem.code == &codes::RULES_VIOLATED)
        .collect();
    if !violated.is_empty() {
        let count = format::count(violated.len(), "note");
        out.push_str(&format!(
            "\n<details><summary>{count}: rules that do not stop the check</summary>\n"
        ));
        push_problems(&mut out, &violated, it, facts);
        out.push_str("\n</details>\n");
    }
    out
}

/// `3 errors to fix`
fn headline(added: SeverityCounts, known: SeverityCounts) -> String {
    let added = human::tally(SeverityCounts { notes: 0, ..added });
    if !added.is_empty() {
        return format!("{added} to fix");
    }
    if known.errors > 0 {
        return format!(
            "nothing new, but the base has {}",
            format::count(known.errors, "error")
        );
    }
    "nothing to fix".to_owned()
}

/// What the contribution changes, and what was there before, in two sentences.
fn sentences(it: &Contribution) -> String {
    let mut out = String::new();
    if let Some(problem) = &it.unreadable {
        out.push_str(&format!(
            "The base could not be read, so everything counts as new: {}.\n\n",
            message(&problem.message)
        ));
    }
    let count = |of: fn(&BuildChanges) -> usize| it.changes.as_ref().map_or(0, of);
    let counts = [
        (
            "adds",
            count(|build| build.added.len() + build.returned.len()),
            "run",
        ),
        ("changes", count(|build| build.changed.len()), "run"),
        ("withdraws", count(|build| build.withdrawn.len()), "run"),
        ("changes", count(|build| build.rules.len()), "rule"),
        ("leaves out", it.left_out.len(), "run"),
    ];
    let some = counts.into_iter().filter(|(_, count, _)| *count > 0);
    let parts: Vec<String> = some
        .map(|(verb, count, noun)| format!("{verb} {}", format::count(count, noun)))
        .collect();
    match parts.as_slice() {
        [] => out.push_str("No run and no rule differs from the base."),
        [one] => out.push_str(&format!("This change {one}.")),
        [first @ .., last] => {
            out.push_str(&format!("This change {} and {last}.", first.join(", ")));
        }
    }
    let known = human::tally(SeverityCounts {
        notes: 0,
        ..it.known
    });
    if !known.is_empty() {
        out.push_str(&format!(" The base already has {known}, not listed here."));
    }
    out.push('\n');
    out
}

/// The problems by run or file.
fn push_problems(
    out: &mut String,
    problems: &[&Diagnostic],
    it: &Contribution,
    facts: &SummaryFacts<'_>,
) {
    let mut groups: Vec<(&str, Vec<&Diagnostic>)> = Vec::new();
    for problem in problems {
        let owner = problem.run.as_deref().unwrap_or(&problem.place.path);
        match groups.iter_mut().find(|(known, _)| *known == owner) {
            Some((_, list)) => list.push(problem),
            None => groups.push((owner, vec![problem])),
        }
    }
    for (owner, problems) in groups.iter().take(GROUPS) {
        let path = problems[0].place.path.as_str();
        let folder = path.rsplit_once('/').map_or(path, |(folder, _)| folder);
        let (title, about) = match it.runs.get(*owner) {
            Some(run) => {
                let task = code(&words::excerpt(&run.task, TASK));
                (run.folder.as_str(), format!(": {task}"))
            }
            None if problems[0].run.is_some() => (folder, String::new()),
            None => (path, String::new()),
        };
        out.push_str(&format!("\n**{}**{about}\n\n", code(title)));
        let lines = lines(problems, it, facts);
        let rest = format::rest(lines.len(), LINES, "more problem");
        for line in lines.into_iter().take(LINES).chain(rest) {
            out.push_str(&format!("- {line}\n"));
        }
    }
    if groups.len() > GROUPS {
        let more = groups.len() - GROUPS;
        out.push_str(&format!(
            "\n{more} more runs and files have problems; the other reports list them.\n"
        ));
    }
}

/// The problems of a run or file; the events that violate a rule share a line.
fn lines(problems: &[&Diagnostic], it: &Contribution, facts: &SummaryFacts<'_>) -> Vec<String> {
    let mut violations: Vec<(&str, Vec<String>, &Diagnostic)> = Vec::new();
    let mut others = Vec::new();
    for problem in problems {
        let place = &problem.place;
        let name = place.path.rsplit('/').next().unwrap_or_default();
        let at = match place.line {
            Some(line) => format!("{name}:{line}"),
            None => name.to_owned(),
        };
        let link = address(problem, it, facts);
        let violation = problem.message.split_once(" violates ");
        let Some((which, rule)) = violation.filter(|_| problem.code == &codes::RULES_VIOLATED)
        else {
            let at = linked(&code(&at), link);
            let (text, name) = (message(&short(&problem.message)), code(problem.code.name));
            let word = word(problem.severity);
            others.push(format!("{word}{text}, in {at} ({name}).{}", fix(problem)));
            continue;
        };
        let place = link.is_none().then(|| format!(" ({})", code(&at)));
        let which = linked(which, link) + &place.unwrap_or_default();
        match violations.iter_mut().find(|(known, ..)| *known == rule) {
            Some((_, places, _)) => places.push(which),
            None => violations.push((rule, vec![which], problem)),
        }
    }
    let violated = violations.into_iter().map(|(rule, places, problem)| {
        let (id, title) = rule.split_once(": ").unwrap_or((rule, ""));
        let verb = if places.len() == 1 {
            "violates"
        } else {
            "violate"
        };
        format!(
            "{}{} {verb} {}: {}.{}",
            word(problem.severity),
            places.join(", "),
            message(id),
            message(&short(title)),
            fix(problem),
        )
    });
    violated.chain(others).collect()
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "**Error:** ",
        Severity::Warning => "**Warning:** ",
        Severity::Note => "",
    }
}

/// What to do, on a line of its own.
fn fix(problem: &Diagnostic) -> String {
    match problem.help.as_str() {
        "" => String::new(),
        help => format!("\\\n  **To fix it:** {}", message(&short(help))),
    }
}

fn short(text: &str) -> String {
    words::excerpt(text, TEXT)
}

fn linked(words: &str, link: Option<String>) -> String {
    link.map_or_else(|| words.to_owned(), |link| format!("[{words}](<{link}>)"))
}

/// The address of a problem: its event on the page of the run, if that is published, or its line, if the address of the files is
/// known.
fn address(problem: &Diagnostic, it: &Contribution, facts: &SummaryFacts<'_>) -> Option<String> {
    let place = &problem.place;
    let event = problem.message.strip_prefix("Event ");
    let event = event.and_then(|rest| rest.split(' ').next());
    let mut runs = it.changes.iter().flat_map(BuildChanges::run_names);
    let run = runs.find(|run| problem.run.as_deref() == Some(&*run.id));
    if let Some((event, page)) = event.zip(run.and_then(|run| facts.page(run))) {
        return Some(format!("{page}#e-{event}"));
    }
    let line = place
        .line
        .map_or_else(String::new, |line| format!("#L{line}"));
    Some(format!(
        "{}{}{line}",
        facts.source?,
        url::encode(&place.path)
    ))
}

fn push_trials(out: &mut String, missing: &[MissingTrials]) {
    if missing.is_empty() {
        return;
    }
    out.push_str("\n### Missing trials\n\n");
    for it in missing.iter().take(RUNS) {
        let needed = it.wanted - it.after.min(it.wanted);
        out.push_str(&format!(
            "- {}{}: {} of {} that rule {} asks for. **To fix it:** Add {}.\n",
            word(it.severity),
            cell(&it.cell),
            it.after,
            format::count(it.wanted, "run"),
            code(&it.rule),
            format::count(needed, "run"),
        ));
    }
    if let Some(rest) = format::rest(missing.len(), RUNS, "more combination") {
        out.push_str(&format!("- {rest}\n"));
    }
}

fn push_runs(out: &mut String, build: &BuildChanges, it: &Contribution, facts: &SummaryFacts<'_>) {
    let labels = Labels::new(build.run_names().map(|run| &*run.id));
    let label = |run: &RunNames| {
        let label = code(&labels.label(&run.id));
        let source = || {
            let folder = &it.runs.get(&run.id)?.folder;
            let record = format!("{folder}/{}", run_record::FILE_NAME);
            Some(format!("{}{}", facts.source?, url::encode(&record)))
        };
        linked(&label, facts.page(run).or_else(source))
    };
    let lists = [
        ("Added runs", build.added.as_slice()),
        ("Returned runs", build.returned.as_slice()),
    ];
    for (title, runs) in lists {
        push_table(out, title, runs, it, &label);
    }
    let changed: Vec<String> = build
        .changed
        .iter()
        .map(|change| {
            format!(
                "{} {}: {}",
                label(&change.run),
                names(&change.run),
                change_line(change)
            )
        })
        .collect();
    let withdrawn = build.withdrawn.iter();
    let withdrawn: Vec<String> = withdrawn
        .map(|run| format!("{} {}", label(run), names(run)))
        .collect();
    let rules: Vec<String> = build.rules.iter().map(|rule| code(&rule.id)).collect();
    for (title, lines) in [
        ("Changed runs", changed),
        ("Withdrawn runs", withdrawn),
        ("Rules added, changed or removed", rules),
    ] {
        push_list(out, title, lines);
    }
}

fn push_list(out: &mut String, title: &str, lines: Vec<String>) {
    if lines.is_empty() {
        return;
    }
    out.push_str(&format!("\n### {title}\n\n"));
    let rest = format::rest(lines.len(), RUNS, "more entry");
    for line in lines.into_iter().take(RUNS).chain(rest) {
        out.push_str(&format!("- {line}\n"));
    }
}

/// A table of runs with their tasks and verdicts.
fn push_table(
    out: &mut String,
    title: &str,
    runs: &[RunNames],
    it: &Contribution,
    label: &dyn Fn(&RunNames) -> String,
) {
    if runs.is_empty() {
        return;
    }
    out.push_str(&format!(
        "\n### {title}\n\n| Run | Task | Model and harness | Verdict | To fix |\n|---|---|---|---|---|\n"
    ));
    for run in runs.iter().take(RUNS) {
        let state = it.runs.get(&run.id);
        let task = state.map_or(&*run.test_case_slug, |state| state.task.as_str());
        let of_run = it.problems.iter();
        let of_run = of_run.filter(|problem| problem.run.as_deref() == Some(&*run.id));
        let counts = SeverityCounts::of(of_run);
        let to_fix = human::tally(SeverityCounts { notes: 0, ..counts });
        out.push_str(&format!(
            "| {} | {} | {} · {} | {} | {} |\n",
            label(run),
            code(&words::excerpt(task, TASK)),
            code(&run.model_id),
            code(&run.harness_slug),
            plain(state.map_or("", |state| state.verdict.as_str())),
            if to_fix.is_empty() { "—" } else { &to_fix },
        ));
    }
    if let Some(rest) = format::rest(runs.len(), RUNS, "more run") {
        out.push_str(&format!("\n{rest}.\n"));
    }
}

/// The trials that say something else than before.
fn push_cells(out: &mut String, it: &Contribution, facts: &SummaryFacts<'_>) {
    if it.cells.is_empty() {
        return;
    }
    out.push_str(&format!(
        "\n### Trials\n\n{}\n\n| Case, model and harness | Base | With this change |\n|---|---|---|\n",
        facts.success.map(trials::rule).map_or_else(String::new, |rule| plain(&rule)),
    ));
    for change in it.cells.iter().take(RUNS) {
        let [before, after] = [change.before, change.after].map(tally);
        out.push_str(&format!(
            "| {} | {before} | {after} |\n",
            cell(&change.cell)
        ));
    }
    if let Some(rest) = format::rest(it.cells.len(), RUNS, "more combination") {
        out.push_str(&format!("\n{rest}.\n"));
    }
}

/// `4 of 6, 95 % 30–90 %`
fn tally(tally: Tally) -> String {
    if tally.trials == 0 {
        return "none".to_owned();
    }
    let interval = tally.interval().map(trials::range_of);
    let interval = interval.map_or_else(String::new, |range| format!(" (95 %: {range})"));
    format!("{} of {}{interval}", tally.successes, tally.trials)
}

/// A cell by the names that tell it apart.
fn cell(cell: &CellName) -> String {
    let variant = cell.variant.as_deref().unwrap_or_default();
    let case = format!("{} {variant} {}", cell.case, cell.version);
    let case = case.split_whitespace().collect::<Vec<_>>().join(" ");
    format!(
        "{} · {} · {}",
        code(&case),
        code(&cell.model),
        code(&cell.harness)
    )
}

fn names(run: &RunNames) -> String {
    let case = format!("{} {}", run.test_case_slug, run.test_case_version);
    format!(
        "{} · {} · {}",
        code(&case),
        code(&run.model_id),
        code(&run.harness_slug)
    )
}
