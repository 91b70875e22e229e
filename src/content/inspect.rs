//! Applies formats and rules to every file of a run, in one place for check and build.
//!
//! Files named in a tape, a transcript or a thread are read through [`RunFiles`]; nothing else is read here.

use base::diagnostics::{CheckResult, Diagnostic, Source};
use formats::audit::{Audit, AuditVerdict};
use formats::config::Config;

use crate::load::{LoadedFile, RunFiles};
use crate::rules;
use formats::model::FileDigest;
use formats::model::annotation::Sidecar;
use formats::model::details::Pictures;
use formats::model::implementation::Implementation;
use formats::model::reconciliation::{Reconciliation, reconcile};
use formats::model::review::{Rating, Review};
use formats::model::run::Run;
use formats::model::tape::{self, Tape};
use formats::model::threads::Threads;
use formats::model::transcript::Conversation;
use formats::raw::RawCounts;
use formats::replay::Harness;
use formats::tape::RecordLine;

mod conversation;
mod digests;
mod implementation;
mod payloads;
mod pictures;
mod record;
mod sidecars;
mod threads;

use conversation::conversation;
pub use digests::{digests, record_digests};
pub use implementation::implementation;
pub use pictures::pictures;
pub use record::{CheckedRecord, details, id_place, record};
use sidecars::sidecars;
use threads::threads;

/// The contents of all files of a run except its record.
#[derive(Debug, Default)]
pub struct Inspection<'a> {
    /// The tapes: the event log first, then the others by name.
    pub tapes: Vec<Tape<'a>>,
    /// The sidecar of each tape.
    pub sidecars: Vec<Option<Sidecar<'a>>>,
    /// How far the logs agree with the record; `None` without a valid record or a log.
    pub reconciliation: Option<Reconciliation>,
    /// The raw log; `None` if the run has none.
    pub raw: Option<FileDigest>,
    /// The raw log as it is published; `None` unless the site publishes raw logs.
    pub raw_download: Option<LoadedFile>,
    /// Whether the events follow from it; `None` if that is not to be checked.
    pub audit: Option<Audit>,
    pub review: Option<Review>,
    /// The public part of the transcript.
    pub conversation: Option<Conversation<'a>>,
    /// The review threads; `None` if the run has no file of them.
    pub threads: Option<Threads<'a>>,
    /// The pictures declared in the record, by their path there; read by [`pictures()`].
    pub pictures: Pictures,
    /// Files that the tapes, the threads and the record refer to.
    pub referenced: Vec<FileDigest>,
    /// The published part of the working tree; read by [`implementation()`].
    pub implementation: Implementation,
}

impl Inspection<'_> {
    /// The rating of its review.
    pub fn rating(&self) -> Option<Rating> {
        self.review.as_ref()?.rating
    }

    /// Whether its events follow from its raw log; `None` if that was not checked.
    pub fn audited(&self) -> Option<AuditVerdict> {
        self.audit.as_ref().map(|audit| audit.verdict)
    }
}

/// Reads all files of a run except its record. `run` is `None` if the record itself is invalid: the other files are still read, to report
/// all problems at once.
pub fn files<'a>(
    config: &Config,
    run: Option<&Run>,
    files: &'a RunFiles,
) -> CheckResult<Inspection<'a>> {
    let mut diagnostics = Vec::new();
    let mut found = Inspection::default();
    tapes(config, files, &mut found, &mut diagnostics);
    let counted = raw_log(config, run, files, &mut found, &mut diagnostics);
    if let (Some(audit), Some(_), Some(log)) =
        (&found.audit, &files.events, found.tapes.first_mut())
    {
        for (event, line) in log.events.iter_mut().zip(&audit.raw_lines) {
            event.raw_line = Some(*line).filter(|line| *line > 0);
        }
        for finding in &audit.findings {
            log.mark_finding(finding.seq, finding.before);
        }
    }
    let log = files.events.as_ref().and_then(|_| found.tapes.first());
    let audited = found.audit.as_ref();
    found.reconciliation = run.and_then(|run| reconcile(run, log, counted, audited));
    sidecars(config, files, &mut found, &mut diagnostics);
    conversation(files, &mut found, &mut diagnostics);
    threads(config, files, &mut found, &mut diagnostics);
    found.review = review(
        config,
        run,
        found.tapes.first(),
        files.writeup.as_ref(),
        &mut diagnostics,
    );
    if let Some(run) = run {
        for problem in &mut diagnostics {
            problem.assign(&run.id);
        }
    }
    CheckResult {
        value: found,
        diagnostics,
    }
}

/// Reads only the tapes of a run and their sidecars: the annotations, and the events they refer to.
pub fn annotated<'a>(config: &Config, files: &'a RunFiles) -> CheckResult<Inspection<'a>> {
    let mut diagnostics = Vec::new();
    let mut found = Inspection::default();
    tapes(config, files, &mut found, &mut diagnostics);
    sidecars(config, files, &mut found, &mut diagnostics);
    CheckResult {
        value: found,
        diagnostics,
    }
}

/// Counts the lines of the raw log, and compares the event log with what they translate to.
fn raw_log(
    config: &Config,
    run: Option<&Run>,
    files: &RunFiles,
    found: &mut Inspection<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<RawCounts> {
    let audited = config.policy.raw_audit.zip(run);
    let harness = audited.and_then(|(_, run)| Harness::of(&run.subject.harness));
    let read = files.raw_log(harness);
    let mut raw_log = read.unwrap_or_else(|problem| {
        diagnostics.push(problem);
        None
    });
    if let Some(raw_log) = &mut raw_log {
        diagnostics.append(&mut raw_log.problems);
    }
    if let Some((severity, _)) = audited {
        let log = files.events.as_ref().and_then(|_| found.tapes.first());
        let audit = match &mut raw_log {
            Some(raw_log) => files.audit(raw_log),
            None => Ok(None),
        };
        let audit = audit.map(|audit| {
            audit.unwrap_or_else(|| {
                let rows = raw_log.as_ref().map_or(0, |it| it.counted.lines() as u64);
                Audit::impossible(log.map_or(0, |log| log.events.len() as u64), rows)
            })
        });
        match audit {
            Ok(audit) => {
                let has_rules = harness.is_some() || raw_log.is_none();
                let folder = &files.directory.shown;
                let problems = rules::audit::check(folder, has_rules, log, &audit, severity);
                diagnostics.extend(problems);
                found.audit = Some(audit);
            }
            Err(problem) => diagnostics.push(problem),
        }
    }
    // The raw log contains reasoning, which cannot be removed from it.
    let policy = &config.policy;
    if policy.publish_raw && policy.publish_reasoning {
        let read = files.raw_download();
        found.raw_download = read.unwrap_or_else(|problem| {
            diagnostics.push(problem);
            None
        });
    }
    let raw_log = raw_log?;
    found.raw = Some(raw_log.digest);
    Some(raw_log.counted)
}

fn log<'a>(files: &'a RunFiles, found: &mut Inspection<'a>, diagnostics: &mut Vec<Diagnostic>) {
    let Some(file) = &files.events else { return };
    let mut events = Vec::new();
    let problems = formats::events::read(&file.shown, &file.bytes, |event| {
        events.push(tape::from_event(event, events.len() as u64));
    });
    diagnostics.extend(problems);
    let content_hash = recorded_hash(file)
        .unwrap_or_else(|| formats::events::content_hash(&file.bytes, events.len(), &file.digest));
    let tape = Tape::of_events(events, content_hash);
    diagnostics.extend(rules::tape::check_times(&file.shown, &tape));
    found.tapes.push(tape);
}

/// Reads the event log, the traces and the Harn tapes. Removes unpublished reasoning before anything else sees it.
fn tapes<'a>(
    config: &Config,
    files: &'a RunFiles,
    found: &mut Inspection<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    log(files, found, diagnostics);
    let mut in_memory = files.held;
    for file in &files.tapes {
        if formats::trace::is_trace(&file.name) {
            found.tapes.extend(trace(file, diagnostics));
            continue;
        }
        let (read, problems) = formats::tape::parse(&file.shown, &file.bytes);
        diagnostics.extend(problems);
        if let Some(mut read) = read {
            if let Some((first, others)) = file.recorded_hashes().and_then(<[_]>::split_first) {
                read.content_hash.clone_from(first);
                read.other_hashes = others.to_vec();
            }
            let is_withheld = |line: &RecordLine<'_>, payload: &str| {
                let text = format!("/kind/{payload}/text");
                let (number, seq) = (line.line.number, line.record.seq);
                files.redactions.changes(&file.name, number, seq, &text)
            };
            diagnostics.extend(rules::tape::check_harn(&file.shown, &read, &is_withheld));
            let referenced = &mut found.referenced;
            let payloads =
                payloads::read(files, file, &read, &mut in_memory, referenced, diagnostics);
            found
                .tapes
                .push(tape::from_harn(&file.name, read, &payloads));
        }
    }
    if !config.policy.publish_reasoning {
        found.tapes.iter_mut().for_each(Tape::withhold_reasoning);
    }
}

/// The content hash of a partly withheld tape, as it was recorded.
fn recorded_hash(file: &LoadedFile) -> Option<String> {
    file.recorded_hashes()?.first().cloned()
}

fn trace<'a>(file: &'a LoadedFile, diagnostics: &mut Vec<Diagnostic>) -> Option<Tape<'a>> {
    let mut check = rules::trace::TraceCheck::new(&file.shown);
    let mut reader = tape::TraceReader::default();
    let (header, problems) = formats::trace::read(&file.shown, &file.bytes, |header, event| {
        check.event(header, &event);
        reader.push(header, event);
    });
    diagnostics.extend(problems);
    diagnostics.extend(check.finish());
    let content_hash =
        recorded_hash(file).unwrap_or_else(|| formats::trace::content_hash(&file.bytes));
    let tape = reader.finish(&file.name, &header?, content_hash);
    diagnostics.extend(rules::tape::check_times(&file.shown, &tape));
    Some(tape)
}

fn review(
    config: &Config,
    run: Option<&Run>,
    tape: Option<&Tape<'_>>,
    file: Option<&LoadedFile>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Review> {
    let file = file?;
    let source = Source::file(&file.shown, &file.bytes);
    let (writeup, problems) = formats::writeup::parse(source);
    diagnostics.extend(problems);
    Some(rules::review::check(config, run, tape, source, &writeup).unpack(diagnostics))
}
