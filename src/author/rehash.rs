//! Updates a sidecar for a changed tape: shows the current target of every annotation, and writes the new hash into the header.

use std::borrow::Cow;
use std::path::Path;

use base::diagnostics::text::{quoted, visible};
use base::diagnostics::{Diagnostic, Severity, codes};
use content::discover::RunDirectory;
use content::load::LoadedFile;
use formats::config::Config;
use formats::json::Node;
use formats::model::annotation::{Annotation, Sidecar};
use formats::model::tape::{Event, Tape, TapeFormat};
use formats::model::words::excerpt;
use pipeline::site::Site;

use super::annotate::EventRef;
use super::open_run::{self, OpenRun};
use super::{Refusal, files};

/// The result of updating a sidecar.
#[derive(Debug)]
pub struct RehashReport {
    /// Path of the sidecar, as in diagnostics.
    pub file: String,
    /// The hash of the tape.
    pub hash: String,
    pub outcome: RehashOutcome,
    /// Every annotation with its events; empty if the hash already matched.
    pub annotations: Vec<AnnotationTarget>,
    /// Problems of the sidecar with the new hash.
    pub problems: Vec<Diagnostic>,
}

/// The outcome of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RehashOutcome {
    /// The hash already matched, so nothing was written.
    Unchanged,
    /// The header has the new hash.
    Written,
    /// An annotation has an error, so nothing was written.
    Refused,
}

/// An annotation, and its event before and now.
#[derive(Debug)]
pub struct AnnotationTarget {
    /// The id or another label.
    pub label: String,
    pub kind: String,
    /// The beginning of its evidence, on one line.
    pub evidence: String,
    /// Its event on the old tape; `None` if the old tape is not available or has no such event.
    pub before: Option<EventRef>,
    /// Its event on the current tape.
    pub now: Option<EventRef>,
    /// Where the old event is on the changed tape; `None` if it is missing or changed.
    pub found_at: Option<u64>,
    /// The number of the event.
    pub event: u64,
}

impl AnnotationTarget {
    fn text(&self) -> String {
        let colon = if self.evidence.is_empty() { "" } else { ": " };
        let now = self.now.as_ref();
        let now = now.map_or_else(|| format!("no event {}", self.event), EventRef::text);
        let events = match (&self.before, self.found_at) {
            (None, _) => now,
            (Some(_), Some(seq)) if seq == self.event => format!("{now} (unchanged)"),
            (Some(_), None) if self.before == self.now => {
                format!("{now} (changed, but these words are the same)")
            }
            (Some(before), place) => {
                let end = place.map_or_else(
                    || "was changed or removed".to_owned(),
                    |seq| format!("moved to {seq}"),
                );
                let before = before.text();
                format!("before: {before}\n    now: {now}\n    The event {end}.")
            }
        };
        format!(
            "  {} ({}){colon}{}\n    {events}\n",
            visible(&self.label),
            visible(&self.kind),
            self.evidence
        )
    }
}

impl RehashReport {
    /// The result in words.
    pub fn text(&self) -> String {
        let file = visible(&self.file);
        let targets: String = self
            .annotations
            .iter()
            .map(AnnotationTarget::text)
            .collect();
        match self.outcome {
            RehashOutcome::Unchanged => {
                format!("{file}: the hash matches the tape; nothing was written\n")
            }
            RehashOutcome::Written => {
                format!(
                    "{file}: the hash is now {}; the annotations point at\n{targets}",
                    self.hash
                )
            }
            RehashOutcome::Refused => format!("{file}: the annotations would point at\n{targets}"),
        }
    }
}

/// Shows the target of every annotation of a sidecar, and writes the tape's hash into the header. Without `tape`, the run must
/// have only one with a sidecar. `before` is the tape as annotated; `waiting` is as in [`annotate`](super::annotate()).
///
/// # Errors
/// The run, the tape or the sidecar is missing or does not load, or the file cannot be written. An annotation with an error is
/// not a failure: the outcome reports it with the others.
pub fn rehash(
    site: &Site,
    run: &str,
    tape: Option<&str>,
    before: Option<&Path>,
    waiting: &dyn Fn(&str),
) -> Result<RehashReport, Refusal> {
    let directory = open_run::find(site, run)?;
    let _lock = files::lock(&directory, waiting)?;
    files::retry_while_changed(|| attempt(&site.config, &directory, tape, before))
}

fn attempt(
    config: &Config,
    directory: &RunDirectory,
    tape: Option<&str>,
    before: Option<&Path>,
) -> Result<Option<RehashReport>, Refusal> {
    let mut run = OpenRun::open(config, directory)?;
    let (name, old, new, mut report) = {
        let found = run.inspect();
        let position = run.tape_index(&found, tape, &run.annotated_tapes(&found))?;
        let tape = &found.value.tapes[position];
        let sidecar_file = run.sidecar(&found, position)?;
        let (Some(old), Some(sidecar)) = (sidecar_file.bytes, &found.value.sidecars[position])
        else {
            return Err(open_run::no_sidecar(&tape.file, directory));
        };
        let mut report = RehashReport {
            file: format!("{}/{}", directory.shown, sidecar_file.name),
            hash: tape.content_hash.clone(),
            outcome: RehashOutcome::Unchanged,
            annotations: Vec::new(),
            problems: Vec::new(),
        };
        let stated = sidecar.stated_hash.as_deref();
        if stated.is_some_and(|hash| tape.has_hash(hash)) {
            return Ok(Some(report));
        }
        report.annotations = match before {
            None => targets(sidecar, None, tape),
            Some(path) => {
                let old = with_old_tape(OpenRun::open(config, directory)?, path, tape)?;
                let before = old.inspect().value.tapes;
                let before = before
                    .first()
                    .filter(|before| stated.is_some_and(|hash| before.has_hash(hash)));
                targets(sidecar, Some(before.ok_or_else(|| wrong_tape(path))?), tape)
            }
        };
        let new = with_hash(&report.file, &old, &report.hash).ok_or_else(|| {
            Refusal::request(
                format!("The header of {} is not valid UTF-8", quoted(&report.file)),
                "Save the sidecar as UTF-8.",
            )
        })?;
        (sidecar_file.name, old, new, report)
    };
    run.files.set_sidecar(&name, new.clone())?;
    report.problems = run.problems_of(&run.inspect(), &name);
    // A quote that is not in its event shows that the event has moved.
    let strict = config.policy.stale_annotations == Severity::Error;
    let moved = |problem: &Diagnostic| strict && problem.code == &codes::ANNOTATION_QUOTE_NOT_FOUND;
    if report
        .problems
        .iter()
        .any(|problem| problem.is_error() || moved(problem))
    {
        report.outcome = RehashOutcome::Refused;
    } else if files::replace(directory, &name, Some(&old), &new)? {
        report.outcome = RehashOutcome::Written;
    } else {
        return Ok(None);
    }
    Ok(Some(report))
}

/// Replaces the tapes of a run with an old copy of one.
fn with_old_tape<'a>(
    mut run: OpenRun<'a>,
    path: &Path,
    tape: &Tape<'_>,
) -> Result<OpenRun<'a>, Refusal> {
    let bytes = std::fs::read(path).map_err(|error| {
        Refusal::request(
            format!(
                "The file {} cannot be read: {error}",
                quoted(&path.to_string_lossy())
            ),
            "Name a copy of the annotated tape, for example from `git show`.",
        )
    })?;
    let file = LoadedFile::new(
        tape.file.clone(),
        path.to_string_lossy().into_owned(),
        bytes,
    );
    let files = &mut run.files;
    (files.events, files.tapes) = (None, Vec::new());
    files.sidecars.clear();
    files.held = 0;
    match tape.format {
        TapeFormat::Events => files.events = Some(file),
        TapeFormat::Harn | TapeFormat::Trace => files.tapes.push(file),
    }
    Ok(run)
}

fn wrong_tape(path: &Path) -> Refusal {
    Refusal::request(
        format!(
            "The file {} is not the annotated tape",
            quoted(&path.to_string_lossy())
        ),
        "Its hash must match `tape_content_hash` in the header of the sidecar.",
    )
}

fn targets(
    sidecar: &Sidecar<'_>,
    before: Option<&Tape<'_>>,
    now: &Tape<'_>,
) -> Vec<AnnotationTarget> {
    // Computed only if there is an old tape to compare with.
    let digests: Vec<String> = before
        .map(|_| now.events.iter().map(Event::digest).collect())
        .unwrap_or_default();
    let target = |annotation: &Annotation<'_>| {
        let event = |tape: &Tape<'_>| tape.position(annotation.event);
        let was = before.and_then(|before| Some(&before.events[event(before)?]));
        let position = event(now);
        let found_at = was.map(Event::digest).and_then(|digest| {
            let is_there = |position: &usize| digests[*position] == digest;
            let found = position
                .filter(is_there)
                .or_else(|| (0..digests.len()).find(is_there))?;
            Some(now.events[found].seq)
        });
        AnnotationTarget {
            label: annotation.label.clone(),
            kind: annotation.kind.word().to_owned(),
            evidence: visible(&excerpt(
                annotation.evidence.as_deref().unwrap_or_default(),
                80,
            )),
            before: was.map(EventRef::of),
            now: position.map(|position| EventRef::of(&now.events[position])),
            found_at,
            event: annotation.event,
        }
    };
    sidecar.annotations.iter().map(target).collect()
}

/// The sidecar with a new hash in its header, and all other bytes unchanged.
fn with_hash(path: &str, bytes: &[u8], hash: &str) -> Option<Vec<u8>> {
    let (sidecar, _) = formats::sidecar::parse(path, bytes);
    let line = sidecar?.header_line;
    let Cow::Borrowed(text) = line.text else {
        return None;
    };
    let start = text.as_ptr().addr() - bytes.as_ptr().addr();
    let root = Node::parse(text).ok()?;
    let (from, to, new) = if let Some(value) = root.get("tape_content_hash") {
        let from = start + value.offset;
        (from, from + value.raw.len(), format!("\"{hash}\""))
    } else {
        let end = start + root.offset + root.raw.len() - 1;
        (end, end, format!(",\"tape_content_hash\":\"{hash}\""))
    };
    Some([&bytes[..from], new.as_bytes(), &bytes[to..]].concat())
}
