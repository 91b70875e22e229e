//! Selects the problems that a site may show: those of published content. Problems of other content are reported only to whoever
//! builds the site, in the terminal and in reports.

use std::collections::BTreeSet;

use base::diagnostics::text::quoted;
use base::diagnostics::{Code, Diagnostic, codes};

use super::directories::Directory;
use super::gather::SiteContent;
use super::outcome::Outcome;

/// The problems that a site shows.
#[derive(Debug)]
pub(super) struct PublicProblems<'a> {
    /// The problems, in order.
    pub(super) diagnostics: Vec<&'a Diagnostic>,
    /// Number of other problems.
    pub(super) withheld: usize,
}

/// Codes of problems with unpublished content.
static UNPUBLISHED: [&Code; 3] = [
    &codes::CONTENT_NESTED_RUN,
    &codes::CONTENT_LINKED_FOLDER,
    &codes::PAGE_UNMATCHED,
];

impl SiteContent {
    /// The problems of published content and of the settings.
    pub(super) fn public<'a>(&self, outcome: &'a Outcome) -> PublicProblems<'a> {
        let directories = self.directories.iter();
        let (hidden, published): (Vec<&Directory>, Vec<_>) =
            directories.partition(|directory| directory.is_never_published());
        let paths: BTreeSet<&str> = hidden
            .iter()
            .map(|directory| directory.place.shown.as_str())
            .chain(self.prose.drafts.iter().map(String::as_str))
            .collect();
        let mut ids: BTreeSet<&str> = hidden.iter().filter_map(|run| run.id()).collect();
        // A published or quarantined run keeps its problems even if another run has the same id.
        for run in published {
            if let Some(id) = run.id() {
                ids.remove(id);
            }
        }
        let names: BTreeSet<String> = ids.union(&paths).map(|name| quoted(name)).collect();
        let is_public = |diagnostic: &&Diagnostic| {
            !UNPUBLISHED.contains(&diagnostic.code)
                && !diagnostic
                    .place
                    .folders()
                    .any(|folder| paths.contains(folder))
                && diagnostic.run.as_deref().is_none_or(|id| !ids.contains(id))
                && !mentions(&diagnostic.message, &names)
                && !mentions(&diagnostic.help, &names)
        };
        let diagnostics: Vec<&Diagnostic> = outcome.diagnostics.iter().filter(is_public).collect();
        PublicProblems {
            withheld: outcome.diagnostics.len() - diagnostics.len(),
            diagnostics,
        }
    }
}

/// Whether a text contains one of `names` between backticks.
fn mentions(text: &str, names: &BTreeSet<String>) -> bool {
    let ticks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
    ticks
        .windows(2)
        .any(|pair| names.contains(&text[pair[0]..=pair[1]]))
}
