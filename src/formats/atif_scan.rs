//! The report of atif-scan on a trajectory: what it found, as findings at the events of the imported trace.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::IgnoredAny;

use base::diagnostics::{Diagnostic, Place, codes};

use super::decisions::NamedAuthor;
use super::model::tape::Tape;
use super::scanner_findings::{FindingLine, ScannerFinding};
use super::sidecar::AuthorKind;
use super::trace::EventSource;

/// A report, `atif-scan --format json`. Keys that are not needed are ignored, since releases add some.
#[derive(Debug, Deserialize)]
pub struct AtifScanReport {
    /// What the scanner looks for, by id.
    checks: BTreeMap<String, Check>,
    /// The trajectories: one, as [`parse`] makes sure.
    inputs: Vec<Input>,
}

#[derive(Debug, Deserialize)]
struct Check {
    title: String,
}

#[derive(Debug, Deserialize)]
struct Input {
    assessments: Vec<Assessment>,
}

/// What a check found.
#[derive(Debug, Deserialize)]
struct Assessment {
    /// Id of the check.
    id: String,
    /// `detector`, or `rule`, which repeats what detectors found.
    kind: String,
    status: String,
    /// Null for context that is no finding.
    severity: Option<String>,
    /// The allowances because of which it was expected.
    expected_by: Vec<IgnoredAny>,
    evidence: Vec<Evidence>,
}

/// A place in the trajectory.
#[derive(Debug, Deserialize)]
struct Evidence {
    /// Index of the step.
    step: u64,
    /// The part of the step: `message`, `reasoning`, `command` and others.
    channel: String,
    /// Index of the call.
    call: Option<u64>,
    /// Index of the result.
    observation: Option<u64>,
}

/// The keys that a report has, and a finding has not.
#[derive(Debug, Deserialize)]
struct Keys {
    #[serde(rename = "scanner_version")]
    _scanner_version: IgnoredAny,
    #[serde(rename = "inputs")]
    _inputs: IgnoredAny,
}

/// Reads a report; `None` if the file is none.
#[must_use]
pub fn parse(path: &str, bytes: &[u8]) -> Option<Result<AtifScanReport, Box<Diagnostic>>> {
    // A derived reader takes an array for an object.
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    serde_json::from_slice::<Keys>(bytes)
        .ok()
        .filter(|_| is_object)?;
    let invalid = |reason: &str| {
        Box::new(codes::ANNOTATION_INVALID_FINDING.at(
            Place::file(path),
            format!("The report of atif-scan cannot be read: {reason}"),
            "Scan one trajectory, with `--format json`.",
        ))
    };
    let report = match serde_json::from_slice::<AtifScanReport>(bytes) {
        Ok(report) => report,
        Err(error) => return Some(Err(invalid(&error.to_string()))),
    };
    Some(match report.inputs.len() {
        1 => Ok(report),
        inputs => Err(invalid(&format!("it is about {inputs} trajectories"))),
    })
}

impl AtifScanReport {
    /// The findings at the events of the trace that was imported from the trajectory, and the titles of those without an event.
    pub fn findings(&self, tape: &Tape<'_>) -> (Vec<FindingLine<'static>>, Vec<String>) {
        let places = places(tape);
        let (mut findings, mut unplaced) = (Vec::new(), Vec::new());
        let matches = self.inputs.iter().flat_map(|input| &input.assessments);
        for found in matches.filter(|found| found.counts()) {
            let id = &found.id;
            let title = self.checks.get(id).map_or(id, |check| &check.title);
            let severity = found.severity.as_deref().unwrap_or("unknown");
            let events = found.evidence.iter().filter_map(|at| at.event(&places));
            let events: BTreeSet<u64> = events.collect();
            if events.is_empty() {
                unplaced.push(format!("{title} ({id})"));
            }
            findings.extend(events.into_iter().map(|event| FindingLine {
                line: None,
                finding: ScannerFinding {
                    event,
                    span_end: None,
                    kind: "note".to_owned(),
                    hypothesis_status: None,
                    friction_kind: None,
                    evidence: format!("{title} (`{id}`, severity {severity})."),
                    quote: None,
                    author: NamedAuthor {
                        id: "atif-scan".to_owned(),
                        kind: AuthorKind::System,
                    },
                },
            }));
        }
        (findings, unplaced)
    }
}

impl Assessment {
    fn counts(&self) -> bool {
        self.status == "match" && self.kind == "detector" && self.expected_by.is_empty()
    }
}

impl Evidence {
    /// The number of the first event that was made from the place.
    fn event(&self, places: &[(String, u64)]) -> Option<u64> {
        self.pointers().into_iter().find_map(|pointer| {
            let is_within = |origin: &str| {
                let rest = origin.strip_prefix(pointer.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let event = places.iter().find(|(origin, _)| is_within(origin));
            event.map(|(_, seq)| *seq)
        })
    }

    /// Where it is in the trajectory, the most exact place first. Metadata of a step has no event of its own.
    fn pointers(&self) -> Vec<String> {
        let step = format!("/steps/{}", self.step);
        let call = self.call.map(|call| format!("{step}/tool_calls/{call}"));
        let result = self.observation;
        let result = result.map(|result| format!("{step}/observation/results/{result}"));
        let text = match self.channel.as_str() {
            "message" => Some(format!("{step}/message")),
            "reasoning" => Some(format!("{step}/reasoning_content")),
            _ => None,
        };
        let places = [call, result, text, Some(step)];
        places.into_iter().flatten().collect()
    }
}

/// The JSON pointer into the trajectory of each event that has one, with its number.
fn places(tape: &Tape<'_>) -> Vec<(String, u64)> {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(borrow)]
        source: EventSource<'a>,
    }
    let events = tape.events.iter();
    events
        .filter_map(|event| {
            let line: Line<'_> = serde_json::from_str(&event.source).ok()?;
            Some((line.source.pointer?.to_string(), event.seq))
        })
        .collect()
}
