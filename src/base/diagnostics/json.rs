//! The JSON report: `diagnostics.json` and `--report json` are this document.

use schemars::JsonSchema;
use serde::Serialize;

use crate::characters::escape_json;
use crate::shapes;

use super::{Diagnostic, Severity, SeverityCounts};

/// All problems of a build or a check: `diagnostics.json` and `--report json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticReport<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    pub schema_version: u32,
    /// Counts.
    pub summary: Summary,
    /// Every problem, in order.
    pub diagnostics: Vec<DiagnosticEntry<'a>>,
}

/// Counts of the whole build.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Problems that stop a publication.
    pub errors: usize,
    /// Problems that do not stop it.
    pub warnings: usize,
    /// Notes: no action needed.
    pub notes: usize,
    /// Runs that are published (or would be).
    pub runs: usize,
    /// Quarantined runs.
    pub quarantined: usize,
    /// Problems of content that is not published. Only the reports list them; a site counts them here.
    pub withheld: usize,
}

crate::document! {
    #[derive(JsonSchema)]
    /// One problem. What is not known, or does not apply, is null.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Diagnostic")]
    pub struct DiagnosticEntry<'a>(problem: &'a Diagnostic) {
        /// The code, such as `record.missing-field`; `runpress explain CODE` says what it means.
        #[schemars(regex(pattern = r"^[a-z]+\.[a-z0-9-]+$"))]
        code: &'a str = problem.code.name,
        /// The severity.
        severity: Severity = problem.severity,
        /// The file, relative to the site's root, or to its content root where that lies elsewhere.
        path: &'a str = &problem.place.path,
        /// The line, from 1.
        #[schemars(with = "Option<shapes::Position>")]
        line: Option<u32> = problem.place.line,
        /// The column, from 1.
        #[schemars(with = "Option<shapes::Position>")]
        column: Option<u32> = problem.place.column,
        /// JSON pointer into the document, or into the line.
        pointer: Option<&'a str> = problem.place.pointer.as_deref(),
        /// What is wrong.
        message: &'a str = &problem.message,
        /// What to do.
        help: &'a str = &problem.help,
        /// Id of the run.
        run: Option<&'a str> = problem.run.as_deref(),
    }
}

impl<'a> DiagnosticReport<'a> {
    /// Builds the document from sorted `diagnostics`.
    pub fn new(
        diagnostics: impl IntoIterator<Item = &'a Diagnostic> + Clone,
        runs: usize,
        quarantined: usize,
    ) -> Self {
        let tally = SeverityCounts::of(diagnostics.clone());
        Self {
            schema_version: 1,
            summary: Summary {
                errors: tally.errors,
                warnings: tally.warnings,
                notes: tally.notes,
                runs,
                quarantined,
                withheld: 0,
            },
            diagnostics: diagnostics.into_iter().map(DiagnosticEntry::of).collect(),
        }
    }

    /// The document as bytes, indented, with a final newline. Hidden characters are escaped.
    ///
    /// # Errors
    /// Never in practice: every field is a string, a number or null.
    pub fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let json = serde_json::to_string_pretty(self)?;
        let mut bytes = escape_json(&json).into_owned().into_bytes();
        bytes.push(b'\n');
        Ok(bytes)
    }
}
