//! Compares the beginning of the page of a run, and its outcomes, with the record and the feeds.

use base::diagnostics::{Diagnostic, Place, codes};
use base::links;
use formats::config::Config;
use formats::model::archive::ArchiveEntry;
use formats::model::findings::Findings;
use pages::view::run::markdown;
use pages::view::{outcomes, task};

use super::copy::SiteCopy;
use super::html::{ElementQuery, page_text, texts, without_white_space};

const TITLE: ElementQuery = ElementQuery::named("title");
const HEADING: ElementQuery = ElementQuery::named("h1");
const VERDICT: ElementQuery = ElementQuery {
    parts: &["li"],
    ..ElementQuery::of_class("ul", "verdict")
};
const OUTCOMES: ElementQuery = ElementQuery {
    name: "section",
    attribute: Some(("aria-labelledby", "outcomes")),
    parts: &["th", "td", "p"],
};
/// The number of headings of the table of outcomes.
const COLUMNS: usize = 5;

/// Compares the title, the heading, the verdict, the outcomes and the writeup of a run on its page.
pub(crate) fn check(
    copy: &SiteCopy,
    config: &Config,
    entry: &ArchiveEntry,
    findings: &Findings,
    writeup: Option<&str>,
) -> Vec<Diagnostic> {
    let path = links::run(&entry.slug);
    let mut problems = Vec::new();
    let Some(bytes) = copy.read_some(&path, &mut problems) else {
        return problems;
    };
    let run = &entry.run;
    let task = &findings.task;
    let mut compare = |what: &str, is_same: bool| {
        if !is_same {
            problems.push(different(&path, &format!("{what} of the page"), entry));
        }
    };
    let title = format!("{task} by {} – {}", run.subject.model(), config.site.title);
    compare("title", texts(&bytes, TITLE) == [page_text(&title)]);
    compare("heading", texts(&bytes, HEADING) == [page_text(task)]);
    let verdict = task::verdict(run, findings.rating, findings.audit);
    let verdict: Vec<String> = verdict
        .iter()
        .map(|it| page_text(it.value.text()))
        .collect();
    compare("verdict", texts(&bytes, VERDICT) == verdict);
    let table = outcomes::outcomes(run);
    // The sentences below the table.
    let sentences = table
        .as_ref()
        .map_or(0, |table| 1 + usize::from(table.more.is_some()));
    let outcomes = table.iter().flat_map(|it| &it.outcomes);
    let outcomes = outcomes.flat_map(|outcome| {
        let cells = [&outcome.value, &outcome.scorer, &outcome.kind];
        let [value, scorer, kind] = cells.map(|cell| page_text(cell.text()));
        let notes = outcome.notes.join(", ");
        [
            page_text(&outcome.name),
            value,
            scorer,
            kind,
            page_text(&notes),
        ]
    });
    let outcomes: Vec<String> = outcomes.collect();
    let cells = texts(&bytes, OUTCOMES);
    let end = cells.len().saturating_sub(sentences);
    let cells = cells.get(COLUMNS..end).unwrap_or_default();
    compare("table of outcomes", cells == outcomes);
    if let Some(writeup) = writeup {
        let page = String::from_utf8_lossy(&bytes);
        compare("writeup", page.contains(writeup));
    }
    problems.extend(story_title(copy, entry, task));
    problems.extend(markdown_file(copy, entry, findings));
    problems
}

/// Compares the heading of the story of a run.
fn story_title(copy: &SiteCopy, entry: &ArchiveEntry, task: &str) -> Vec<Diagnostic> {
    let path = links::story(&entry.slug);
    let mut problems = Vec::new();
    let bytes = copy.read_some(&path, &mut problems);
    let subject = &entry.run.subject;
    let title = format!(
        "{} {}, {}",
        task::name(&entry.run, task),
        subject.model(),
        subject.harness
    );
    let is_same = bytes.is_none_or(|bytes| {
        let heading = texts(&bytes, HEADING).concat();
        without_white_space(&heading) == without_white_space(&page_text(&title))
    });
    problems.extend((!is_same).then(|| different(&path, "heading of the page", entry)));
    problems
}

/// Compares the task and the verdict in the `run.md` of a run.
fn markdown_file(copy: &SiteCopy, entry: &ArchiveEntry, findings: &Findings) -> Vec<Diagnostic> {
    let path = links::run_file(&entry.slug, markdown::NAME);
    let mut problems = Vec::new();
    let Some(bytes) = copy.read_some(&path, &mut problems) else {
        return problems;
    };
    let text = String::from_utf8_lossy(&bytes);
    let sections = markdown::sections(&text);
    let run = &entry.run;
    let verdict = task::verdict(run, findings.rating, findings.audit);
    let task = std::slice::from_ref(&findings.task);
    let facts = markdown::facts(run, findings.rating, &verdict);
    let heading = format!("# Run {}\n", &*entry.slug);
    for (what, is_same) in [
        ("heading", text.starts_with(&heading)),
        (
            "task",
            markdown::begins_with(&sections, markdown::TASK, task),
        ),
        (
            "verdict",
            markdown::begins_with(&sections, markdown::VERDICT, &facts),
        ),
    ] {
        problems.extend((!is_same).then(|| different(&path, what, entry)));
    }
    problems
}

/// The problem of a value that is not that of the published data.
fn different(path: &str, what: &str, entry: &ArchiveEntry) -> Diagnostic {
    let message = format!("The {what} differs from the published data");
    let help =
        "The file or the data was changed after the build. Get the site from the publisher again.";
    codes::VERIFY_DIFFERENT_VALUE
        .at(Place::file(path), message, help)
        .of_run(&entry.run.id)
}
