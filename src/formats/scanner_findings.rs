//! Findings of a scanner: what another program says of events, as JSON Lines. They are imported as annotations.

use schemars::JsonSchema;
use serde::Deserialize;

use base::diagnostics::{Collector, Diagnostic, Place, Source, codes};
use base::shapes;

use super::decisions::NamedAuthor;
use super::jsonl::{self, Line, LineFaultCause};
use super::sidecar::HypothesisStatus;

/// The file name in examples; a file of findings may have any name.
pub const FILE_NAME: &str = "findings.jsonl";

/// A line of a file of findings: what a scanner says of an event. Unknown keys are errors, so that nothing is lost.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScannerFinding {
    /// The number of the event: `seq` of a Harn record; in `events.jsonl` the position of the line, from 0, blank lines
    /// not counted.
    pub event: u64,
    /// The last event, if the finding is about a range.
    pub span_end: Option<u64>,
    /// Kind of annotation: `correct`, `incorrect`, `alternative`, `note`, `marker`, `mute`, `hypothesis`, `friction` or
    /// `crystallize_here`.
    pub kind: String,
    /// The status of a `hypothesis`.
    pub hypothesis_status: Option<HypothesisStatus>,
    /// The kind of a `friction`.
    pub friction_kind: Option<String>,
    /// The comment, in Markdown.
    #[schemars(with = "shapes::Name")]
    pub evidence: String,
    /// Exact words of the event, to detect when the tape changes.
    pub quote: Option<String>,
    /// The scanner, or who used it.
    pub author: NamedAuthor,
}

/// A finding with its line, for places of problems.
#[derive(Debug)]
pub struct FindingLine<'a> {
    /// `None` for one from the report of a scanner.
    pub line: Option<Line<'a>>,
    pub finding: ScannerFinding,
}

/// Reads a file of findings. Every line that can be read is returned, with the problems of the others.
#[must_use]
pub fn parse<'a>(path: &str, bytes: &'a [u8]) -> (Vec<FindingLine<'a>>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let mut problems = Collector::default();
    for line in jsonl::lines(bytes) {
        match read(path, bytes, &line) {
            Ok(finding) => findings.push(FindingLine {
                line: Some(line),
                finding,
            }),
            Err(problem) => problems.push(*problem),
        }
    }
    (findings, problems.finish(path))
}

fn read(path: &str, bytes: &[u8], line: &Line<'_>) -> Result<ScannerFinding, Box<Diagnostic>> {
    let finding: ScannerFinding = line.object(path).map_err(|fault| {
        let help = match fault.cause {
            LineFaultCause::Encoding => {
                Source::line(path, 1, bytes).help_for_utf8("Write the findings as UTF-8.")
            }
            _ => HELP,
        };
        let reason = fault.reason();
        invalid(fault.place, &reason, help)
    })?;
    let texts = [
        ("/evidence", &finding.evidence),
        ("/author/id", &finding.author.id),
    ];
    let mut empty = texts.iter().filter(|(_, text)| text.trim().is_empty());
    if let Some((pointer, _)) = empty.next() {
        let place = line.place(path, pointer);
        return Err(invalid(place, "the text is empty", HELP));
    }
    Ok(finding)
}

const HELP: &str = "Write one object on each line; `runpress schema findings` prints their schema.";

fn invalid(place: Place, reason: &str, help: &str) -> Box<Diagnostic> {
    Box::new(codes::ANNOTATION_INVALID_FINDING.at(
        place,
        format!("The finding cannot be read: {reason}"),
        help,
    ))
}
