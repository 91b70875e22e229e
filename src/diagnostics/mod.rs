//! What a problem is: its code, its severity, its place and its words.
//!
//! Nothing here prints or decides; every stage returns its problems beside its value ([`Checked`]),
//! and the edges show them.

pub mod codes;
pub mod github;
pub mod human;
pub mod json;
pub mod junit;
mod place;
#[cfg(test)]
mod reference;
pub mod sarif;
pub mod text;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

pub use place::{Excerpt, LazyPlace, Place, Source, without_mark};

/// Severity of a problem. Errors stop a publication, warnings and notes do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Stops the publication, or quarantines the run.
    Error,
    /// Published, but should be checked.
    Warning,
    /// For information; no action needed.
    Note,
}

impl Severity {
    /// The word as it is shown to people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// One entry of the table of codes: what `runpress explain` and the diagnostics reference say.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// `family.name`; named after the problem, never after the fix.
    pub name: &'static str,
    /// The severity unless a policy of site.toml says otherwise.
    pub severity: Severity,
    /// One line: what is wrong.
    pub summary: &'static str,
    /// Why it matters and what to do, in a paragraph or two of Markdown.
    pub explanation: &'static str,
    /// A small input that has the problem.
    pub bad: &'static str,
    /// The same input without it.
    pub good: &'static str,
}

impl Code {
    /// A problem of this code at its usual severity.
    pub fn at(
        &'static self,
        place: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            code: self,
            severity: self.severity,
            place,
            message: message.into(),
            help: help.into(),
            run: None,
        }
    }

    /// The part before the dot: `record`, `annotation`, ...
    pub fn family(&self) -> &'static str {
        self.name.split('.').next().unwrap_or(self.name)
    }
}

/// A problem, with its place and a suggested fix.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Diagnostic {
    /// Which problem it is.
    pub code: &'static Code,
    /// Severity here.
    pub severity: Severity,
    /// Where it is.
    pub place: Place,
    /// A whole sentence without a final full stop; values are in backticks.
    pub message: String,
    /// A suggested fix.
    pub help: String,
    /// The id of the run it belongs to, where there is one.
    pub run: Option<String>,
}

impl Diagnostic {
    /// The same problem at another severity (a policy decided).
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same problem, said to belong to a run.
    pub fn of_run(mut self, id: &str) -> Self {
        self.run.get_or_insert_with(|| id.to_owned());
        self
    }

    /// Whether it stops a publication.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Why nothing could be done: usage, site.toml, I/O or templates. Exit status 2.
pub type Failure = Vec<Diagnostic>;

/// A value that could be made, and everything that was noticed on the way.
#[derive(Debug, Clone)]
#[must_use]
pub struct Checked<T> {
    /// The result, as far as it could be made.
    pub value: T,
    /// The problems found.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Checked<T> {
    /// A value without problems.
    pub fn clean(value: T) -> Self {
        Self {
            value,
            diagnostics: Vec::new(),
        }
    }

    /// Adds the diagnostics to `into` and returns the value.
    pub fn unpack(self, into: &mut Vec<Diagnostic>) -> T {
        into.extend(self.diagnostics);
        self.value
    }
}

/// Problems of one code that are listed for one file. The rest is counted: one broken file must not bury the
/// others, nor make the build slow.
pub const PER_FILE: usize = 100;

/// Collects the problems of one file, at most [`PER_FILE`] of a code and a severity.
///
/// A problem is made when it is listed: looking up its place takes as long as its file is, and a file of many problems would
/// take forever.
#[derive(Debug, Clone, Default)]
pub struct Collector {
    list: Vec<Diagnostic>,
    counts: BTreeMap<(&'static str, Severity), (&'static Code, usize)>,
}

impl Collector {
    /// Adds a problem of `code` at its usual severity; `make` is only called when it is listed.
    pub fn add(&mut self, code: &'static Code, make: impl FnOnce() -> Diagnostic) {
        self.add_as(code, code.severity, make);
    }

    /// Adds a problem of `code` at another severity; `make` is only called when it is listed.
    pub fn add_as(
        &mut self,
        code: &'static Code,
        severity: Severity,
        make: impl FnOnce() -> Diagnostic,
    ) {
        if self.counted(code, severity) {
            self.list.push(make().with_severity(severity));
        }
    }

    /// Adds a problem that is made already: one of which a file has only one, or an error of an edge.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.counted(diagnostic.code, diagnostic.severity) {
            self.list.push(diagnostic);
        }
    }

    /// Counts a problem, and returns whether it is listed.
    fn counted(&mut self, code: &'static Code, severity: Severity) -> bool {
        let count = self.counts.entry((code.name, severity));
        let (_, count) = count.or_insert((code, 0));
        *count += 1;
        *count <= PER_FILE
    }

    /// Whether there is an error so far.
    pub fn has_errors(&self) -> bool {
        self.errors() > 0
    }

    /// How many errors were added so far, listed or not.
    pub fn errors(&self) -> usize {
        let errors = self.counts.iter();
        errors
            .filter(|((_, severity), _)| *severity == Severity::Error)
            .map(|(_, (_, count))| count)
            .sum()
    }

    /// The problems, and for each code with more of them how many are not listed.
    #[must_use]
    pub fn finish(self, path: &str) -> Vec<Diagnostic> {
        let mut list = self.list;
        let counts = self.counts.into_iter();
        for ((_, severity), (code, count)) in counts.filter(|(_, (_, count))| *count > PER_FILE) {
            let more = count - PER_FILE;
            let message = format!("{more} more problems of this kind in this file are not listed");
            let help = "Fix those that are listed and check again.";
            list.push(
                code.at(Place::file(path), message, help)
                    .with_severity(severity),
            );
        }
        list
    }
}

/// How many problems of each severity there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeverityCounts {
    /// Problems that stop a publication.
    pub errors: usize,
    /// Problems that do not.
    pub warnings: usize,
    /// Number of notes.
    pub notes: usize,
}

impl SeverityCounts {
    /// Counts `diagnostics`.
    pub fn of<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> Self {
        diagnostics
            .into_iter()
            .fold(Self::default(), |mut tally, diagnostic| {
                match diagnostic.severity {
                    Severity::Error => tally.errors += 1,
                    Severity::Warning => tally.warnings += 1,
                    Severity::Note => tally.notes += 1,
                }
                tally
            })
    }
}

/// Puts problems in the order in which people read them: by path, then place, then severity and code.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| key(a).cmp(&key(b)));
    diagnostics.dedup_by(|a, b| key(a) == key(b));
}

fn key(d: &Diagnostic) -> impl Ord + '_ {
    let place = &d.place;
    (
        place.path.as_str(),
        place.line,
        place.column,
        d.severity,
        d.code.name,
        d.message.as_str(),
        place.pointer.as_deref(),
    )
}
