//! Diagnostics: code, severity, place and words of a problem.
//!
//! Nothing here prints or decides. Every stage returns its problems with its value ([`CheckResult`]), and the edges show them.

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
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use place::{Excerpt, LazyPlace, Place, Source, without_mark};

/// Severity of a problem. Errors stop a publication, warnings and notes do not.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
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
    /// The word shown to people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// An entry of the table of codes, from which `runpress explain` and the diagnostics reference are generated.
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
    /// The same input, fixed.
    pub good: &'static str,
}

impl Code {
    /// A problem with this code and its default severity.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct Diagnostic {
    /// Serialized as its name.
    #[serde(serialize_with = "write_code", deserialize_with = "read_code")]
    pub code: &'static Code,
    /// Severity here.
    pub severity: Severity,
    /// Where it is.
    pub place: Place,
    /// A whole sentence without a final full stop; values are in backticks.
    pub message: String,
    /// A suggested fix.
    pub help: String,
    /// The id of its run, if any.
    pub run: Option<String>,
}

fn write_code<S: Serializer>(code: &Code, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(code.name)
}

fn read_code<'de, D: Deserializer<'de>>(from: D) -> Result<&'static Code, D::Error> {
    let name = String::deserialize(from)?;
    codes::find(&name).ok_or_else(|| D::Error::custom("no code has this name"))
}

impl Diagnostic {
    /// The same problem with another severity, set by a policy.
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same problem, assigned to a run, unless its id is unknown.
    pub fn of_run(mut self, id: &str) -> Self {
        self.assign(id);
        self
    }

    /// Assigns the problem to a run, unless it has one or the id is unknown.
    pub fn assign(&mut self, id: &str) {
        if !id.is_empty() {
            self.run.get_or_insert_with(|| id.to_owned());
        }
    }

    /// Whether it stops the publication.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The reason that nothing could be done: usage, site.toml, I/O or templates. Exit status 2.
pub type Failure = Vec<Diagnostic>;

/// A value with the problems found while making it.
#[derive(Debug, Clone)]
#[must_use]
pub struct CheckResult<T> {
    /// The value, as far as it could be made.
    pub value: T,
    /// The problems found.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> CheckResult<T> {
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

/// Maximum listed problems of one code in one file. Further ones are only counted, so that one broken file neither hides the
/// others nor slows the build.
pub const PER_FILE: usize = 100;

/// Collects the problems of one file, at most [`PER_FILE`] per code and severity.
///
/// A problem is built only if it is listed: finding its place takes time proportional to the file, too much for a file with
/// many problems.
#[derive(Debug, Clone, Default)]
pub struct Collector {
    list: Vec<Diagnostic>,
    counts: BTreeMap<(&'static str, Severity), (&'static Code, usize)>,
}

impl Collector {
    /// Adds a problem of `code` with its default severity; `make` is called only if it is listed.
    pub fn add(&mut self, code: &'static Code, make: impl FnOnce() -> Diagnostic) {
        self.add_as(code, code.severity, make);
    }

    /// Adds a problem of `code` with another severity; `make` is called only if it is listed.
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

    /// Adds a finished problem: one that occurs once per file, or an error of an edge.
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

    /// The listed problems, and for each code the number of further ones.
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

/// Number of problems by severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SeverityCounts {
    /// Problems that stop a publication.
    pub errors: usize,
    /// Problems that do not stop it.
    pub warnings: usize,
    /// Number of notes.
    pub notes: usize,
}

impl SeverityCounts {
    /// Counts `diagnostics`.
    pub fn of<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> Self {
        let mut counts = Self::default();
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Note => counts.notes += 1,
            }
        }
        counts
    }
}

/// Sorts problems in reading order: by path, place, severity and code.
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
