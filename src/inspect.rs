//! What the files of one run say: formats and rules applied to every file, in one place for check and build.
//!
//! What a tape, a transcript or a thread names is read through [`Beside`], and nothing else is read here.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::Config;
use crate::diagnostics::{Checked, Diagnostic, Source};
use crate::formats;
use crate::formats::tape::RecordLine;
use crate::load::{Beside, Loaded, RunFiles};
use crate::model::FileDigest;
use crate::model::annotation::Sidecar;
use crate::model::implementation::Implementation;
use crate::model::reconciliation::{Reconciliation, reconcile};
use crate::model::review::Review;
use crate::model::run::Run;
use crate::model::tape::{self, Tape};
use crate::model::threads::Threads;
use crate::model::transcript::{AssetFile, Conversation};
use crate::rules;

mod conversation;
mod digests;
mod implementation;
mod payloads;
mod pictures;
mod record;
mod sidecars;
mod threads;

use conversation::conversation;
pub use digests::digests;
pub use implementation::implementation;
pub use pictures::pictures;
pub use record::{details, id_place, record};
use sidecars::sidecars;
use threads::threads;

/// What the files beside a record say.
#[derive(Debug, Default)]
pub struct Inspected<'a> {
    /// The tapes: the event log first, then the others by name.
    pub tapes: Vec<Tape<'a>>,
    /// The sidecar of each tape.
    pub sidecars: Vec<Option<Sidecar<'a>>>,
    /// How far the logs agree with the record; `None` without a valid record or without a log.
    pub reconciliation: Option<Reconciliation>,
    /// The review.
    pub review: Option<Review>,
    /// The public part of the transcript.
    pub conversation: Option<Conversation<'a>>,
    /// The review threads; `None` when there is no file of them.
    pub threads: Option<Threads<'a>>,
    /// The pictures that the record declares, by the path in the record; [`pictures()`] reads them.
    pub pictures: BTreeMap<String, Arc<AssetFile>>,
    /// Files that the tapes, the threads and the record refer to.
    pub referenced: Vec<FileDigest>,
    /// What is published of the working tree; [`implementation()`] reads it.
    pub implementation: Implementation,
}

/// Reads everything beside a record. `run` is `None` when the record itself is broken: the other files are
/// looked at all the same, so that all problems come to light at once.
pub fn files<'a>(
    config: &Config,
    beside: Beside<'_>,
    run: Option<&Run>,
    files: &'a RunFiles,
) -> Checked<Inspected<'a>> {
    let mut diagnostics = Vec::new();
    let mut found = Inspected::default();
    tapes(config, beside, files, &mut found, &mut diagnostics);
    let raw = files.raw.as_ref().map(|log| {
        diagnostics.extend(log.problems.iter().cloned());
        log.counted
    });
    let log = files.events.as_ref().and_then(|_| found.tapes.first());
    found.reconciliation = run.and_then(|run| reconcile(run, log, raw));
    sidecars(config, files, &mut found, &mut diagnostics);
    conversation(beside, files, &mut found, &mut diagnostics);
    threads(config, beside, files, &mut found, &mut diagnostics);
    found.review = review(
        config,
        &beside.directory.shown,
        run,
        found.tapes.first(),
        files.writeup.as_ref(),
        &mut diagnostics,
    );
    if let Some(run) = run {
        diagnostics = diagnostics
            .into_iter()
            .map(|problem| problem.of_run(&run.id))
            .collect();
    }
    Checked {
        value: found,
        diagnostics,
    }
}

/// Reads the tapes of a run and their sidecars, and nothing else: what annotations are about, and what they say.
pub fn annotated<'a>(
    config: &Config,
    beside: Beside<'_>,
    files: &'a RunFiles,
) -> Checked<Inspected<'a>> {
    let mut diagnostics = Vec::new();
    let mut found = Inspected::default();
    tapes(config, beside, files, &mut found, &mut diagnostics);
    sidecars(config, files, &mut found, &mut diagnostics);
    Checked {
        value: found,
        diagnostics,
    }
}

fn log<'a>(files: &'a RunFiles, found: &mut Inspected<'a>, diagnostics: &mut Vec<Diagnostic>) {
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

/// Reads the event log, the traces and the Harn tapes. Reasoning that is not published is not seen by anything else.
fn tapes<'a>(
    config: &Config,
    beside: Beside<'_>,
    files: &'a RunFiles,
    found: &mut Inspected<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    log(files, found, diagnostics);
    let mut held = files.held;
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
                let place = (line.line.number, line.record.seq);
                let text = format!("/kind/{payload}/text");
                files.redactions.changes(&file.name, place, &text)
            };
            diagnostics.extend(rules::tape::check_harn(&file.shown, &read, &is_withheld));
            let referenced = &mut found.referenced;
            let payloads =
                payloads::read(beside, (file, &read), &mut held, referenced, diagnostics);
            found
                .tapes
                .push(tape::from_harn(&file.name, read, &payloads));
        }
    }
    if !config.policy.publish_reasoning {
        found.tapes.iter_mut().for_each(Tape::withhold_reasoning);
    }
}

/// The content hash of a tape of which parts are withheld: that of the tape as it was recorded.
fn recorded_hash(file: &Loaded) -> Option<String> {
    file.recorded_hashes()?.first().cloned()
}

fn trace<'a>(file: &'a Loaded, diagnostics: &mut Vec<Diagnostic>) -> Option<Tape<'a>> {
    let mut check = rules::trace::Check::new(&file.shown);
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
    directory: &str,
    run: Option<&Run>,
    tape: Option<&Tape<'_>>,
    file: Option<&Loaded>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Review> {
    let Some(file) = file else {
        diagnostics
            .extend(run.and_then(|run| rules::review::check_missing(config, run, directory)));
        return None;
    };
    let source = Source::file(&file.shown, &file.bytes);
    let (writeup, problems) = formats::writeup::parse(source);
    diagnostics.extend(problems);
    Some(rules::review::check(config, run, tape, source, &writeup).unpack(diagnostics))
}
