//! `JUnit` XML: one test case per run, so that CI shows which runs can be published.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::codes::RECORD_NEVER_PUBLISHED;
use super::text::visible;
use super::{Diagnostic, Place, Severity};

/// A run as a test case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCase {
    /// Its id, if the record has one.
    pub id: Option<String>,
    /// Its directory, as in diagnostics.
    pub path: String,
}

/// Renders the document. A problem of severity `fails` or worse fails its run.
pub fn render(
    diagnostics: &[Diagnostic],
    runs: &[RunCase],
    fails: Severity,
) -> Result<String, SerializeError> {
    let mut by_run: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
    let mut site = Vec::new();
    for diagnostic in diagnostics {
        match directory_of(&diagnostic.place, runs) {
            Some(path) => by_run.entry(path).or_default().push(diagnostic),
            None => site.push(diagnostic),
        }
    }
    let mut suite = TestSuite::new("runs");
    for run in runs {
        let found = by_run.remove(run.path.as_str()).unwrap_or_default();
        let name = run.id.as_deref().unwrap_or(&run.path);
        suite.add_test_case(case(name, &run.path, &found, fails));
    }
    if !site.is_empty() {
        suite.add_test_case(case("site", "site", &site, fails));
    }
    let mut report = Report::new("runpress");
    report.add_test_suite(suite);
    report.to_string()
}

/// The run directory that contains a place; `runs` are sorted by path.
fn directory_of<'a>(place: &Place, runs: &'a [RunCase]) -> Option<&'a str> {
    place.folders().find_map(|folder| {
        let found = runs.binary_search_by(|run| run.path.as_str().cmp(folder));
        Some(runs[found.ok()?].path.as_str())
    })
}

fn case(name: &str, path: &str, found: &[&Diagnostic], fails: Severity) -> TestCase {
    // The first problem of the highest severity.
    let worst = found.iter().min_by_key(|diagnostic| diagnostic.severity);
    let worst = worst.filter(|diagnostic| diagnostic.severity <= fails);
    let status = if let Some(worst) = worst {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status
            .set_message(visible(&worst.message))
            .set_type(worst.code.name)
            .set_description(listing(found));
        status
    } else if let Some(note) = found
        .iter()
        .find(|diagnostic| diagnostic.code == &RECORD_NEVER_PUBLISHED)
    {
        let mut status = TestCaseStatus::skipped();
        status.set_message(visible(&note.message));
        status
    } else {
        TestCaseStatus::success()
    };
    let mut case = TestCase::new(visible(name), status);
    case.set_classname(visible(path));
    if worst.is_none() && !found.is_empty() {
        case.set_system_out(listing(found));
    }
    case
}

/// One line per problem: `path:line:column: severity[code]: message. help`
fn listing(found: &[&Diagnostic]) -> String {
    let line = |diagnostic: &&Diagnostic| {
        let place = &diagnostic.place;
        let position = match (place.line, place.column) {
            (Some(line), Some(column)) => format!(":{line}:{column}"),
            (Some(line), None) => format!(":{line}"),
            _ => String::new(),
        };
        visible(&format!(
            "{}{position}: {}[{}]: {}. {}",
            place.path,
            diagnostic.severity.word(),
            diagnostic.code.name,
            diagnostic.message,
            diagnostic.help
        ))
    };
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}
