//! Makes problems that a site expects of its runs notes, which show the reason.

use base::diagnostics::{Diagnostic, Place, Severity, codes};
use formats::config::{Config, FILE_NAME};

/// Lowers the expected problems of a run to notes.
pub fn lower(config: &Config, id: &str, folder: &str, problems: &mut [Diagnostic]) {
    let expected = config.expect.iter().filter(|it| it.is_of(id, folder));
    for expectation in expected {
        let is_expected = |problem: &&mut Diagnostic| Some(problem.code) == expectation.code;
        for problem in problems.iter_mut().filter(is_expected) {
            problem.severity = Severity::Note;
            problem.help = expectation.sentence();
        }
    }
}

/// Reports expectations that match no problem. `problems` has those of all runs, `places` the entries of site.toml.
#[must_use]
pub fn unused(config: &Config, problems: &[Diagnostic], places: &[Place]) -> Vec<Diagnostic> {
    let entries = config.expect.iter().enumerate();
    let unused = entries.filter(|(_, expectation)| {
        let is_expected = |problem: &Diagnostic| {
            let id = problem.run.as_deref().unwrap_or_default();
            let mut folders = problem.place.folders();
            Some(problem.code) == expectation.code
                && folders.any(|folder| expectation.is_of(id, folder))
        };
        !problems.iter().any(is_expected)
    });
    let problems = unused.map(|(index, _)| {
        let place = places.get(index).cloned();
        codes::CONFIG_UNUSED_EXPECTATION.at(
            place.unwrap_or_else(|| Place::file(FILE_NAME)),
            "No run has the problem that this entry of `[[expect]]` expects",
            "Remove the entry, or correct its code or its run.",
        )
    });
    problems.collect()
}
