//! The pages of problems, and a page for every quarantined run.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use base::diagnostics::{Diagnostic, Severity, SeverityCounts, human};
use base::links;
use pages::view::chrome::PageInfo;
use pages::view::row::{Pager, list_pages};
use pages::view::{Link, format, task};

use super::{Lists, Page};
use crate::outcome::QuarantinePage;

pub(super) const PAGE: Page = Page::new("problems", &["problems"], write);

/// Problems per page.
const PAGE_SIZE: usize = 100;
/// Maximum problems of one kind in a file that are all shown.
const MAX_UNFOLDED: usize = 20;
/// Number of problems that are shown of a kind with more.
const SHOWN_OF_FOLDED: usize = 3;

#[derive(Debug, Serialize)]
struct ProblemsPage {
    /// `2 errors, 1 warning`; empty if there are none.
    tally: String,
    /// Quarantined runs.
    quarantined: Vec<QuarantinedView>,
    /// Facts that are only counted: `2 runs ended in a state that is not published`.
    counted: Vec<String>,
    /// The kinds of problems, the worst and most frequent first; none on further pages.
    kinds: Vec<ProblemKind>,
    groups: Vec<RunProblems>,
    pager: Pager,
}

/// All problems with one code.
#[derive(Debug, Serialize)]
struct ProblemKind {
    /// `error`, `warning` or `note`: the worst of them.
    severity: &'static str,
    /// The code, which links to the first of them.
    code: Link,
    /// What is wrong.
    summary: &'static str,
    count: String,
}

/// A quarantined run.
#[derive(Debug, Clone, Serialize)]
struct QuarantinedView {
    /// Its directory.
    path: String,
    /// Its page.
    href: String,
    /// Number of errors.
    errors: String,
}

/// The problems of a run, or of files that belong to no run.
#[derive(Debug, Serialize)]
struct RunProblems {
    /// The run; `None` for the files of the site itself.
    run: Option<Link>,
    files: Vec<FileProblems>,
}

/// Pages of runs: the name and path of each, by its directory in diagnostics.
type RunPages<'a> = BTreeMap<&'a str, (String, String)>;

#[derive(Debug, Serialize)]
struct FileProblems {
    path: String,
    /// Its problems, in order.
    problems: Vec<ProblemView>,
    /// Further problems of kinds with many.
    folded: Vec<FoldedProblems>,
}

/// Problems of one kind that are shown on demand.
#[derive(Debug, Serialize)]
struct FoldedProblems {
    code: &'static str,
    /// `97 more`
    count: String,
    problems: Vec<ProblemView>,
}

impl FileProblems {
    /// Folds the problems of each kind that has many.
    fn fold(&mut self) {
        let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
        for problem in &self.problems {
            *counts.entry(problem.code).or_default() += 1;
        }
        counts.retain(|_, count| *count > MAX_UNFOLDED);
        for (code, count) in counts {
            let mut before = 0;
            let of_kind = self.problems.extract_if(.., |problem| {
                before += usize::from(problem.code == code);
                problem.code == code && before > SHOWN_OF_FOLDED
            });
            self.folded.push(FoldedProblems {
                code,
                problems: of_kind.collect(),
                count: format!("{} more", count - SHOWN_OF_FOLDED),
            });
        }
    }
}

#[derive(Debug, Serialize)]
struct ProblemView {
    /// Its id on the page, if it is the first of its kind.
    id: Option<&'static str>,
    /// `error`, `warning` or `note`.
    severity: &'static str,
    code: &'static str,
    /// `line 3, column 14`, as far as known.
    place: String,
    pointer: Option<String>,
    message: Vec<MessagePart>,
    /// The suggested fix.
    help: Vec<MessagePart>,
}

/// A part of a message: plain text, or a value, which a terminal shows between backticks.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct MessagePart {
    text: String,
    /// Whether it is a value.
    code: bool,
}

/// The page of a quarantined run.
#[derive(Debug, Serialize)]
struct QuarantinedPage {
    /// Its directory.
    path: String,
    files: Vec<FileProblems>,
}

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let quarantined = &lists.outcome.quarantine_pages;
    let public = lists.gathered.public(lists.outcome);
    // Only runs with problems are named: the names of all runs would take as much memory as the runs.
    let all = public.diagnostics.iter();
    let folders: BTreeSet<&str> = all.flat_map(|problem| problem.place.folders()).collect();
    let shown = |entry| &*lists.gathered.directory(entry).place.shown;
    let runs = lists.runs().map(|run| (run, shown(run.0)));
    let named = runs.filter(|(_, shown)| folders.contains(*shown));
    let mut places: RunPages<'_> = named
        .map(|((entry, findings), shown)| {
            let (title, id) = (task::name(&entry.run, &findings.task), &entry.label);
            let name = format!("{title} · {} · {id}", entry.run.subject.model());
            (shown, (name, links::run(&entry.slug)))
        })
        .collect();
    for run in quarantined {
        places.insert(&run.path, (run.path.clone(), run.page.clone()));
    }
    let all = &public.diagnostics;
    let firsts = first_positions(all);
    for page in list_pages("problems", PAGE_SIZE, all.len(), "problems") {
        let is_first = page.number == 1;
        let shown = quarantined.iter().filter(|_| is_first);
        let here = firsts
            .iter()
            .filter(|(_, first)| page.items.contains(*first));
        let here = here.map(|(code, _)| *code).collect();
        let mut groups = by_run(&all[page.items.clone()], &places, &page.root);
        identify(&mut groups, here);
        let view = ProblemsPage {
            tally: human::tally(SeverityCounts::of(all.iter().copied())),
            quarantined: shown.map(|run| quarantined_view(run, &page.root)).collect(),
            counted: if is_first {
                counted(lists.outcome.not_published, public.withheld)
            } else {
                Vec::new()
            },
            kinds: if is_first {
                kinds(all, &firsts, &page.root)
            } else {
                Vec::new()
            },
            groups,
            pager: page.pager,
        };
        let words = "All errors, warnings and notes of the build.";
        let info = PageInfo::unlisted(page.path, "Problems", words);
        lists.page("problems.html", &info, &view)?;
    }
    for run in quarantined {
        let words = "This run is not published because its files have errors.";
        let info = PageInfo::unlisted(run.page.clone(), "Quarantined run", words);
        let view = QuarantinedPage {
            path: run.path.clone(),
            files: by_file(run.diagnostics.iter()),
        };
        lists.page("quarantined.html", &info, &view)?;
    }
    Ok(())
}

fn counted(not_published: usize, withheld: usize) -> Vec<String> {
    let lines = [
        (
            not_published,
            "run",
            "ended in a state that is not published",
        ),
        (withheld, "problem", "in content that is not published"),
    ];
    let some = lines.into_iter().filter(|(count, ..)| *count > 0);
    some.map(|(count, noun, state)| format!("{} {state}", format::count(count, noun)))
        .collect()
}

fn quarantined_view(run: &QuarantinePage, root: &str) -> QuarantinedView {
    let errors = run.diagnostics.iter().filter(|problem| problem.is_error());
    QuarantinedView {
        path: run.path.clone(),
        href: format!("{root}{}", run.page),
        errors: human::tally(SeverityCounts::of(errors)),
    }
}

/// The first problem of each code: its position.
type FirstPositions = BTreeMap<&'static str, usize>;

fn first_positions(all: &[&Diagnostic]) -> FirstPositions {
    let mut firsts = FirstPositions::new();
    for (index, problem) in all.iter().enumerate() {
        firsts.entry(problem.code.name).or_insert(index);
    }
    firsts
}

/// The kinds of all problems; none if there is only one.
fn kinds(all: &[&Diagnostic], firsts: &FirstPositions, root: &str) -> Vec<ProblemKind> {
    if firsts.len() < 2 {
        return Vec::new();
    }
    let mut kinds: Vec<_> = firsts
        .iter()
        .map(|(code, first)| {
            let of_kind = || all.iter().filter(|problem| problem.code.name == *code);
            let worst = of_kind().map(|problem| problem.severity).min();
            (worst, Reverse(of_kind().count()), *first)
        })
        .collect();
    kinds.sort_unstable();
    let view = |worst: Option<Severity>, count: usize, first: usize| {
        let code = all[first].code;
        let page = links::list("problems", first / PAGE_SIZE + 1);
        ProblemKind {
            severity: worst.map_or("", Severity::word),
            code: Link::new(code.name, format!("{root}{page}#{}", code.name)),
            summary: code.summary,
            count: format::grouped(count),
        }
    };
    let kinds = kinds.into_iter();
    kinds
        .map(|(worst, Reverse(count), first)| view(worst, count, first))
        .collect()
}

/// Gives the first problem of each of these codes the code as its id.
fn identify(groups: &mut [RunProblems], mut codes: BTreeSet<&'static str>) {
    let files = groups.iter_mut().flat_map(|group| &mut group.files);
    for problem in files.flat_map(|file| &mut file.problems) {
        problem.id = codes.take(problem.code);
    }
}

fn by_run(diagnostics: &[&Diagnostic], places: &RunPages<'_>, root: &str) -> Vec<RunProblems> {
    let mut own = Vec::new();
    let mut groups = Vec::new();
    for part in diagnostics.chunk_by(|a, b| run_of(a, places) == run_of(b, places)) {
        let files = by_file(part.iter().copied());
        match run_of(part[0], places) {
            Some((name, page)) => groups.push(RunProblems {
                run: Some(Link::new(name.clone(), format!("{root}{page}"))),
                files,
            }),
            None => own.extend(files),
        }
    }
    if !own.is_empty() {
        groups.insert(
            0,
            RunProblems {
                run: None,
                files: own,
            },
        );
    }
    groups
}

/// The run whose directory has the problem.
fn run_of<'a>(diagnostic: &Diagnostic, places: &'a RunPages<'_>) -> Option<&'a (String, String)> {
    let mut folders = diagnostic.place.folders();
    folders.find_map(|folder| places.get(folder))
}

fn by_file<'d>(diagnostics: impl Iterator<Item = &'d Diagnostic>) -> Vec<FileProblems> {
    let mut files: Vec<FileProblems> = Vec::new();
    for diagnostic in diagnostics {
        let path = &diagnostic.place.path;
        match files.last_mut() {
            Some(file) if file.path == *path => file.problems.push(view(diagnostic)),
            _ => files.push(FileProblems {
                path: path.clone(),
                problems: vec![view(diagnostic)],
                folded: Vec::new(),
            }),
        }
    }
    files.iter_mut().for_each(FileProblems::fold);
    files
}

fn view(diagnostic: &Diagnostic) -> ProblemView {
    let place = &diagnostic.place;
    let line = place.line.map(|line| format!("line {line}"));
    let column = place.column.map(|column| format!("column {column}"));
    let numbers: Vec<_> = [line, column].into_iter().flatten().collect();
    ProblemView {
        id: None,
        severity: diagnostic.severity.word(),
        code: diagnostic.code.name,
        place: numbers.join(", "),
        pointer: place.pointer.clone().filter(|pointer| !pointer.is_empty()),
        message: words(&diagnostic.message),
        help: words(&diagnostic.help),
    }
}

/// Splits a message at backticks; an unpaired backtick stays.
fn words(message: &str) -> Vec<MessagePart> {
    let mut found = Vec::new();
    let mut push = |text: &str, code| {
        if !text.is_empty() {
            found.push(MessagePart {
                text: text.to_owned(),
                code,
            });
        }
    };
    let mut rest = message;
    while let Some((plain, (value, after))) = rest
        .split_once('`')
        .and_then(|(plain, after)| Some((plain, after.split_once('`')?)))
    {
        push(plain, false);
        push(value, true);
        rest = after;
    }
    push(rest, false);
    found
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_value_between_backticks_is_separated_from_the_words_around_it() {
        let parts = |message: &str| -> Vec<(String, bool)> {
            words(message)
                .into_iter()
                .map(|words| (words.text, words.code))
                .collect()
        };
        let pair = |text: &str, code| (text.to_owned(), code);
        assert_eq!(
            parts("Set `base_url`, or give `--base-url`."),
            [
                pair("Set ", false),
                pair("base_url", true),
                pair(", or give ", false),
                pair("--base-url", true),
                pair(".", false),
            ]
        );
        assert_eq!(parts("one ` alone"), [pair("one ` alone", false)]);
        assert_eq!(parts(""), []);
    }
}
