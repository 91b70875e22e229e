//! Adds an annotation to a sidecar, as one line in the format's own order of keys (formats.md D).

use std::collections::BTreeMap;

use serde::Serialize;

use base::diagnostics::text::visible;
use base::diagnostics::{Diagnostic, Severity, codes};
use content::discover::RunDirectory;
use formats::model::annotation::{HarnProblem, Sidecar};
use formats::model::slug::slugify;
use formats::model::tape::{Event, Tape};
use formats::model::words;
use formats::sidecar::{self, Author, AuthorKind, Span};
use pipeline::site::Site;

use super::open_run::{self, OpenRun, SidecarFile};
use super::{Refusal, files};

/// An annotation with all keys of the format, in the order of the format's own writer. Checked when it is written, which also
/// sets its id and time.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(tag = "type", rename = "annotation")]
pub struct NewAnnotation {
    pub id: String,
    /// The number of the event.
    pub event_id: u64,
    pub kind: String,
    /// The comment, in Markdown.
    pub evidence: Option<String>,
    /// Always null.
    pub suggested_fix: (),
    pub author: Option<Author>,
    /// When it was written, in UTC.
    pub timestamp: String,
    /// The events that it covers.
    pub span: Option<Span>,
    pub hypothesis_status: Option<String>,
    pub friction_kind: Option<String>,
    /// Always empty.
    pub links: [(); 0],
    /// Data without a key in the format.
    pub metadata: Metadata,
}

/// Runpress's own additions to an annotation.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Metadata {
    /// Words of the event, to detect when the tape changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

/// The result of adding annotations.
#[derive(Debug)]
pub struct AnnotationReport {
    /// Path of the sidecar, as in diagnostics.
    pub file: String,
    /// Whether the sidecar is new.
    pub is_new: bool,
    pub added: Vec<AddedAnnotation>,
    /// Notes about the new annotations.
    pub notes: Vec<Diagnostic>,
}

#[derive(Debug)]
pub struct AddedAnnotation {
    pub line: usize,
    pub id: String,
    /// The event that it is about, and the last one in its span.
    pub events: Vec<EventRef>,
}

/// An event that an annotation is about.
#[derive(Debug, PartialEq, Eq)]
pub struct EventRef {
    pub seq: u64,
    /// The word of its kind.
    pub kind: &'static str,
    /// The beginning of its text, on one line.
    pub excerpt: String,
}

impl EventRef {
    pub(super) fn of(event: &Event<'_>) -> Self {
        Self {
            seq: event.seq,
            kind: event.kind.word,
            excerpt: visible(&words::summary(event, 80)),
        }
    }

    /// The event in words.
    pub fn text(&self) -> String {
        let colon = if self.excerpt.is_empty() { "" } else { ": " };
        format!("event {}, {}{colon}{}", self.seq, self.kind, self.excerpt)
    }
}

impl AnnotationReport {
    /// The result in words.
    pub fn text(&self) -> String {
        let file = visible(&self.file);
        let mut text = String::new();
        for (index, added) in self.added.iter().enumerate() {
            let new = if self.is_new && index == 0 {
                " (new)"
            } else {
                ""
            };
            let events: Vec<String> = added.events.iter().map(EventRef::text).collect();
            let AddedAnnotation { line, id, .. } = added;
            text += &format!("{file}:{line}{new}: {id}\n  {}\n", events.join("\n  to "));
        }
        text
    }
}

/// Adds an annotation to the sidecar of a tape, or creates the sidecar. Without `tape`, the run must have only one. While
/// another writer holds the lock, calls `waiting` with a sentence.
///
/// # Errors
/// The run or the tape is missing, the new line fails a check, another writer does not finish, or the file cannot be written.
/// Nothing is written.
pub fn annotate(
    site: &Site,
    run: &str,
    tape: Option<&str>,
    new: &NewAnnotation,
    waiting: &dyn Fn(&str),
) -> Result<AnnotationReport, Refusal> {
    let directory = open_run::find(site, run)?;
    let _lock = files::lock(&directory, waiting)?;
    files::retry_while_changed(|| {
        Draft::new(site, &directory, tape, |_, _| vec![new.clone()])?.write()
    })
}

/// A sidecar with new annotations, checked and not yet written.
pub(super) struct Draft<'a> {
    directory: &'a RunDirectory,
    name: String,
    /// The file as it was read; `None` if it is new.
    old: Option<Vec<u8>>,
    bytes: Vec<u8>,
    pub(super) report: AnnotationReport,
}

impl<'a> Draft<'a> {
    /// Appends the annotations that `choose` returns for a tape and its sidecar to the sidecar, in memory. Sets their ids and times.
    pub(super) fn new(
        site: &Site,
        directory: &'a RunDirectory,
        tape: Option<&str>,
        choose: impl FnOnce(&Tape<'_>, Option<&Sidecar<'_>>) -> Vec<NewAnnotation>,
    ) -> Result<Self, Refusal> {
        let mut run = OpenRun::open(&site.config, directory)?;
        let found = run.inspect();
        let tape = run.tape_index(&found, tape, &run.tapes())?;
        let SidecarFile { name, bytes: old } = run.sidecar(&found, tape)?;
        let sidecar = found.value.sidecars[tape].as_ref();
        if sidecar.is_some_and(is_stale) {
            // Otherwise nobody could tell which annotations are about the old tape.
            let mut problems = run.problems_of(&found, &name);
            problems.retain(|problem| problem.code == &codes::ANNOTATION_TAPE_DIGEST_MISMATCH);
            return Err(Refusal::Content(problems));
        }
        let mut ids = Ids::of(sidecar);
        let timestamp = now();
        let annotations: Vec<_> = choose(&found.value.tapes[tape], sidecar)
            .into_iter()
            .map(|new| NewAnnotation {
                id: ids.next(&new),
                timestamp: timestamp.clone(),
                ..new
            })
            .collect();
        let start = old
            .clone()
            .unwrap_or_else(|| header(&found.value.tapes[tape]).into_bytes());
        let bytes = annotations
            .iter()
            .fold(start, |bytes, new| with_line(bytes, &json(new)));
        let before = found.diagnostics;
        let mut report = AnnotationReport {
            file: format!("{}/{name}", directory.shown),
            is_new: old.is_none(),
            added: Vec::new(),
            notes: Vec::new(),
        };
        let set = run.files.set_sidecar(&name, bytes.clone());
        if let Err(problem) = set {
            report.notes.push(problem);
        }
        let after = run.inspect();
        report.notes.extend(after.diagnostics);
        report
            .notes
            .retain(|problem| !before.iter().any(|known| is_same(known, problem)));
        let first = memchr::memchr_iter(b'\n', &bytes).count() + 1 - annotations.len();
        let lines = annotations.iter().zip(first..);
        report.added = lines
            .map(|(new, line)| AddedAnnotation {
                line,
                id: new.id.clone(),
                events: new.events(&after.value.tapes[tape]),
            })
            .collect();
        Ok(Self {
            directory,
            name,
            old,
            bytes,
            report,
        })
    }

    /// Replaces the sidecar. `None` if it changed since it was read.
    pub(super) fn write(self) -> Result<Option<AnnotationReport>, Refusal> {
        let Self { report, .. } = self;
        // A warning stops it too: unknown kinds are for newer producers, and this one is not newer than itself.
        if report.notes.iter().any(is_refused) {
            return Err(Refusal::Content(report.notes));
        }
        let old = self.old.as_deref();
        let is_written = files::replace(self.directory, &self.name, old, &self.bytes)?;
        Ok(is_written.then_some(report))
    }
}

/// Whether a problem of a new annotation stops it.
pub(super) fn is_refused(problem: &Diagnostic) -> bool {
    problem.severity != Severity::Note
}

/// An author who annotates with this program.
pub fn own_author(id: String, kind: AuthorKind) -> Author {
    Author {
        id: Some(id),
        kind,
        surface: Some("cli".to_owned()),
    }
}

impl NewAnnotation {
    /// The event that it is about, and the last one in its span.
    fn events(&self, tape: &Tape<'_>) -> Vec<EventRef> {
        let first = self.event_id;
        let last = self.span.map(|span| span.end_event_id);
        std::iter::once(first)
            .chain(last.filter(|last| *last != first))
            .filter_map(|seq| tape.position_up_to(seq))
            .map(|position| EventRef::of(&tape.events[position]))
            .collect()
    }
}

/// Whether the sidecar was written for a different version of the tape.
fn is_stale(sidecar: &Sidecar<'_>) -> bool {
    let problems = &mut sidecar.report.problems.iter();
    problems.any(|problem| matches!(problem, HarnProblem::TapeDigestMismatch { .. }))
}

fn is_same(a: &Diagnostic, b: &Diagnostic) -> bool {
    let key = |d: &Diagnostic| (d.code.name, d.place.line, d.place.column);
    key(a) == key(b) && a.place.path == b.place.path && a.message == b.message
}

/// The ids of a sidecar, each with the last number that was tried after it.
struct Ids(BTreeMap<String, usize>);

impl Ids {
    fn of(sidecar: Option<&Sidecar<'_>>) -> Self {
        let annotations = sidecar.map_or(&[][..], |sidecar| &sidecar.annotations);
        let ids = annotations.iter().filter_map(|a| a.id.as_deref());
        Self(ids.map(|id| (id.to_owned(), 1)).collect())
    }

    /// `ann-<event>-<kind>`, with a number if the file has that id. The id names its subject, does not depend on other lines,
    /// and lets two branches that annotate different events merge.
    fn next(&mut self, new: &NewAnnotation) -> String {
        let plain = format!("ann-{}-{}", new.event_id, slugify(&new.kind));
        let mut id = plain.clone();
        while self.0.contains_key(&id) {
            let number = self.0.entry(plain.clone()).or_insert(1);
            *number += 1;
            id = format!("{plain}-{number}");
        }
        self.0.insert(id.clone(), 1);
        id
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "header")]
struct Header<'a> {
    schema_version: u32,
    tape_path: &'a str,
    tape_content_hash: &'a str,
    harn_version: Option<&'a str>,
}

fn header(tape: &Tape<'_>) -> String {
    let header = Header {
        schema_version: sidecar::SCHEMA_VERSION,
        tape_path: &tape.file,
        tape_content_hash: &tape.content_hash,
        harn_version: None,
    };
    json(&header) + "\n"
}

/// Serializes a structure of strings and numbers, which cannot fail.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The time in UTC, to the second.
pub(super) fn now() -> String {
    let second = jiff::Timestamp::now().as_second();
    jiff::Timestamp::from_second(second).map_or_else(|_| String::new(), |now| now.to_string())
}

/// Appends a line to the file. Keeps its line ends, and completes a last line without one.
pub(super) fn with_line(mut bytes: Vec<u8>, line: &str) -> Vec<u8> {
    let last = memchr::memrchr(b'\n', &bytes);
    let is_crlf = last.is_some_and(|at| bytes[..at].ends_with(b"\r"));
    let end: &[u8] = if is_crlf { b"\r\n" } else { b"\n" };
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.extend_from_slice(end);
    }
    bytes.extend_from_slice(line.as_bytes());
    bytes.extend_from_slice(end);
    bytes
}
