//! Annotates a run with the findings of a scanner: with all of them, or with none if one is refused.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use base::diagnostics::Place;
use base::diagnostics::text::{quoted, visible};
use formats::atif_scan;
use formats::model::annotation::{Annotation, Sidecar};
use formats::scanner_findings::{self, FindingLine, ScannerFinding};
use formats::sidecar::{AuthorKind, HypothesisStatus, Span};
use pipeline::site::Site;

use super::annotate::{AnnotationReport, Draft, Metadata, NewAnnotation, is_refused, own_author};
use super::{Refusal, files, open_run};

/// The result of importing findings.
#[derive(Debug)]
pub struct FindingsReport {
    pub annotations: AnnotationReport,
    /// Number of findings that the sidecar had before.
    pub existing: usize,
    /// What a report says of no event of the tape. It is not added.
    pub unplaced: Vec<String>,
}

impl FindingsReport {
    /// The result in words.
    pub fn text(&self) -> String {
        let AnnotationReport { file, added, .. } = &self.annotations;
        let unplaced = self.unplaced.iter();
        let unplaced: String = unplaced
            .map(|what| format!("not added, since it has no event: {}\n", visible(what)))
            .collect();
        format!(
            "{}{unplaced}{}: {} added, {} already there\n",
            self.annotations.text(),
            visible(file),
            added.len(),
            self.existing
        )
    }
}

/// Adds the findings in a file, or in standard input for `-`, to the sidecar of a tape, except those that it has already. The
/// file is JSON Lines, or the report of atif-scan on the trajectory that the run was imported from.
/// `tape` and `waiting` are as in [`annotate`](super::annotate()).
///
/// # Errors
/// The file, the run or the tape cannot be read, a finding is refused, another writer does not finish, or the sidecar cannot be
/// written. Nothing is written.
pub fn annotate_from(
    site: &Site,
    run: &str,
    tape: Option<&str>,
    from: &Path,
    waiting: &dyn Fn(&str),
) -> Result<FindingsReport, Refusal> {
    let path = match from.to_str() {
        Some("-") => "<stdin>".into(),
        _ => from.to_string_lossy(),
    };
    let bytes = read(from, site.config.limits.document).map_err(|reason| {
        Refusal::request(
            format!("The findings in {} cannot be read: {reason}", quoted(&path)),
            "Name a file of JSON Lines or a report of atif-scan, or `-` for standard input.",
        )
    })?;
    let (report, (lines, problems)) = match atif_scan::parse(&path, &bytes) {
        Some(Ok(report)) => (Some(report), Default::default()),
        Some(Err(problem)) => return Err((*problem).into()),
        None => (None, scanner_findings::parse(&path, &bytes)),
    };
    let directory = open_run::find(site, run)?;
    let _lock = files::lock(&directory, waiting)?;
    files::retry_while_changed(|| {
        let (mut placed, mut unplaced) = (Vec::new(), Vec::new());
        let mut chosen = Vec::new();
        let mut draft = Draft::new(site, &directory, tape, |tape, sidecar| {
            if let Some(report) = &report {
                (placed, unplaced) = report.findings(tape);
            }
            let findings = lines.iter().chain(&placed);
            let findings: Vec<_> = findings.map(|line| &line.finding).collect();
            chosen = without_existing(&findings, sidecar);
            let chosen = chosen.iter();
            chosen.map(|index| annotation(findings[*index])).collect()
        })?;
        let existing = lines.len() + placed.len() - chosen.len();
        let report = &mut draft.report;
        if !problems.is_empty() || report.notes.iter().any(is_refused) {
            // The lines of the sidecar will not exist.
            let first = report.added.first().map_or(0, |added| added.line);
            for problem in &mut report.notes {
                if problem.place.path == report.file {
                    problem.place = place(&path, &lines, &chosen, &problem.place, first);
                    problem.help = problem.help.replace("`event_id`", "`event`");
                }
            }
            report.notes.extend(problems.iter().cloned());
            return Err(Refusal::Content(std::mem::take(&mut report.notes)));
        }
        let annotations = if chosen.is_empty() {
            Some(draft.report)
        } else {
            draft.write()?
        };
        Ok(annotations.map(|annotations| FindingsReport {
            annotations,
            existing,
            unplaced,
        }))
    })
}

/// Reads the findings, or returns the reason that they cannot be read.
fn read(from: &Path, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut read = |file: &mut dyn Read| file.take(most.saturating_add(1)).read_to_end(&mut bytes);
    let result = if from == Path::new("-") {
        read(&mut io::stdin().lock())
    } else {
        File::open(from).and_then(|mut file| read(&mut file))
    };
    match result {
        Err(error) => Err(error.to_string()),
        Ok(size) if size as u64 > most => Err("they exceed `document` in `[limits]`".to_owned()),
        Ok(_) => Ok(bytes),
    }
}

/// The parts in which two equal findings agree. A quote is none of them: it only finds the event.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FindingKey<'a> {
    event: u64,
    span_end: Option<u64>,
    kind: &'a str,
    hypothesis_status: Option<&'a str>,
    friction_kind: Option<&'a str>,
    evidence: &'a str,
    author: &'a str,
    author_kind: AuthorKind,
}

impl<'a> FindingKey<'a> {
    fn of_finding(finding: &'a ScannerFinding) -> Self {
        Self {
            event: finding.event,
            span_end: finding.span_end.filter(|end| *end != finding.event),
            kind: &finding.kind,
            hypothesis_status: finding.hypothesis_status.map(HypothesisStatus::word),
            friction_kind: finding.friction_kind.as_deref(),
            evidence: &finding.evidence,
            author: &finding.author.id,
            author_kind: finding.author.kind,
        }
    }

    /// `None` if the annotation has no evidence or author, as no finding does.
    fn of_annotation(annotation: &'a Annotation<'_>) -> Option<Self> {
        let author = annotation.author.as_ref()?;
        let span_end = annotation.span.map(|(_, end)| end);
        Some(Self {
            event: annotation.event,
            span_end: span_end.filter(|end| *end != annotation.event),
            kind: annotation.kind.word(),
            hypothesis_status: annotation.hypothesis_status,
            friction_kind: annotation.friction_kind.as_deref(),
            evidence: annotation.evidence.as_deref()?,
            author: author.id.as_deref()?,
            author_kind: author.kind,
        })
    }
}

/// The indices of the findings that the sidecar does not have, each once.
fn without_existing(findings: &[&ScannerFinding], sidecar: Option<&Sidecar<'_>>) -> Vec<usize> {
    let annotations = sidecar.map_or(&[][..], |sidecar| &sidecar.annotations);
    let keys = annotations.iter().filter_map(FindingKey::of_annotation);
    let mut keys: BTreeSet<_> = keys.collect();
    (0..findings.len())
        .filter(|index| keys.insert(FindingKey::of_finding(findings[*index])))
        .collect()
}

fn annotation(finding: &ScannerFinding) -> NewAnnotation {
    NewAnnotation {
        event_id: finding.event,
        kind: finding.kind.clone(),
        evidence: Some(finding.evidence.clone()),
        author: Some(own_author(finding.author.id.clone(), finding.author.kind)),
        span: finding.span_end.map(|end_event_id| Span {
            start_event_id: finding.event,
            end_event_id,
        }),
        hypothesis_status: finding
            .hypothesis_status
            .map(|status| status.word().to_owned()),
        friction_kind: finding.friction_kind.clone(),
        metadata: Metadata {
            quote: finding.quote.clone(),
        },
        ..NewAnnotation::default()
    }
}

/// The place in the findings of a place in the sidecar, in which the chosen findings begin at line `first`.
fn place(
    path: &str,
    lines: &[FindingLine<'_>],
    chosen: &[usize],
    there: &Place,
    first: usize,
) -> Place {
    let line = there.line.and_then(|line| usize::try_from(line).ok());
    let index = line.and_then(|line| line.checked_sub(first));
    let chosen = index.and_then(|index| lines.get(*chosen.get(index)?));
    let Some(line) = chosen.and_then(|finding| finding.line.as_ref()) else {
        return Place::file(path);
    };
    let pointer = match there.pointer.as_deref() {
        Some("/event_id") => "/event",
        Some("/span/start_event_id" | "/span/end_event_id") => "/span_end",
        Some("/metadata/quote") => "/quote",
        Some(pointer) => pointer,
        None => "",
    };
    line.place(path, pointer)
}
