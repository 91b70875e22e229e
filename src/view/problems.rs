//! The pages of problems, and the pages of quarantined runs.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::diagnostics::{Diagnostic, SeverityCounts, human};

use super::row::{Pager, list_pages};
use super::{Link, format};

/// Problems per page.
const PAGE_SIZE: usize = 100;

#[derive(Debug, Serialize)]
pub struct ProblemsPage {
    /// `2 errors, 1 warning`; empty if there are none.
    pub tally: String,
    /// Quarantined runs.
    pub quarantined: Vec<QuarantinedView>,
    /// Facts that are only counted: `2 runs ended in a state that is not published`.
    pub counted: Vec<String>,
    pub groups: Vec<RunProblems>,
    pub pager: Pager,
}

/// A quarantined run.
#[derive(Debug, Clone, Serialize)]
pub struct QuarantinedView {
    /// Its directory.
    pub path: String,
    /// Its page.
    pub href: String,
    /// Number of errors.
    pub errors: String,
}

/// The problems of a run, or of files that belong to no run.
#[derive(Debug, Serialize)]
pub struct RunProblems {
    /// The run; `None` for the files of the site itself.
    pub run: Option<Link>,
    pub files: Vec<FileProblems>,
}

/// Pages of runs: the name and path of each, by its directory in diagnostics.
pub type Places<'a> = BTreeMap<&'a str, (String, String)>;

#[derive(Debug, Serialize)]
pub struct FileProblems {
    pub path: String,
    /// Its problems, in order.
    pub problems: Vec<ProblemView>,
}

#[derive(Debug, Serialize)]
pub struct ProblemView {
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    pub code: &'static str,
    /// `line 3, column 14`, as far as known.
    pub place: String,
    pub pointer: Option<String>,
    pub message: Vec<MessagePart>,
    /// The suggested fix.
    pub help: Vec<MessagePart>,
}

/// A part of a message: plain text, or a value, which a terminal shows between backticks.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct MessagePart {
    pub text: String,
    /// Whether it is a value.
    pub code: bool,
}

/// The directory and the page of a quarantined run.
#[derive(Debug, Clone)]
pub struct Quarantined {
    /// Its directory, as in diagnostics.
    pub path: String,
    /// Path of its page.
    pub page: String,
    pub diagnostics: Vec<Diagnostic>,
}

/// The page of a quarantined run.
#[derive(Debug, Serialize)]
pub struct QuarantinedPage {
    /// Its directory.
    pub path: String,
    pub files: Vec<FileProblems>,
}

/// All pages of problems, as pairs of path and page. `not_published` is the number of runs in states that are never published,
/// and `withheld` the number of problems with unpublished content.
pub fn problems_pages(
    diagnostics: &[&Diagnostic],
    quarantined: &[Quarantined],
    (not_published, withheld): (usize, usize),
    places: &Places<'_>,
) -> Vec<(String, ProblemsPage)> {
    let pages = list_pages("problems", PAGE_SIZE, diagnostics.len(), "problems");
    pages
        .into_iter()
        .map(|page| {
            let mut view = ProblemsPage {
                tally: human::tally(SeverityCounts::of(diagnostics.iter().copied())),
                quarantined: Vec::new(),
                counted: Vec::new(),
                groups: by_run(&diagnostics[page.items], places, &page.root),
                pager: page.pager,
            };
            if page.number == 1 {
                let runs = quarantined.iter();
                view.quarantined = runs.map(|run| quarantined_view(run, &page.root)).collect();
                view.counted = counted(not_published, withheld);
            }
            (page.path, view)
        })
        .collect()
}

pub fn quarantined_page(run: &Quarantined) -> QuarantinedPage {
    QuarantinedPage {
        path: run.path.clone(),
        files: by_file(run.diagnostics.iter()),
    }
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

fn quarantined_view(run: &Quarantined, root: &str) -> QuarantinedView {
    let errors = run.diagnostics.iter().filter(|problem| problem.is_error());
    QuarantinedView {
        path: run.path.clone(),
        href: format!("{root}{}", run.page),
        errors: human::tally(SeverityCounts::of(errors)),
    }
}

fn by_run(diagnostics: &[&Diagnostic], places: &Places<'_>, root: &str) -> Vec<RunProblems> {
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
fn run_of<'a>(diagnostic: &Diagnostic, places: &'a Places<'_>) -> Option<&'a (String, String)> {
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
            }),
        }
    }
    files
}

fn view(diagnostic: &Diagnostic) -> ProblemView {
    let place = &diagnostic.place;
    let line = place.line.map(|line| format!("line {line}"));
    let column = place.column.map(|column| format!("column {column}"));
    let numbers: Vec<_> = [line, column].into_iter().flatten().collect();
    ProblemView {
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
