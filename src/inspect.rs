//! Knows what the files of one run say: formats and rules applied to every file, in one place for check and build.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::config::Config;
use crate::diagnostics::text::quoted;
use crate::diagnostics::{Checked, Collector, Diagnostic, Place, Severity, Source, codes};
use crate::discover::RunDirectory;
use crate::formats;
use crate::formats::run_record::{self, UnknownKey};
use crate::load::{self, Loaded, RunFiles};
use crate::markup::Origin;
use crate::model::annotation::Sidecar;
use crate::model::details::Details;
use crate::model::reconciliation::{Reconciliation, reconcile};
use crate::model::review::Review;
use crate::model::run::{self, Run};
use crate::model::tape::{self, Block, Tape, Text, TextKind};
use crate::model::threads::{Lines, Thread, Threads};
use crate::model::transcript::Conversation;
use crate::model::{self, FileDigest};
use crate::rules;

/// What the files beside a record say.
#[derive(Debug, Default)]
pub struct Inspected<'a> {
    /// The tapes: the event log first, then Harn's by name.
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
    /// Files that the tapes and threads refer to.
    pub referenced: Vec<FileDigest>,
}

/// What a record came to.
#[derive(Debug)]
pub struct Record {
    /// The run; `None` when the record cannot be one of the archive.
    pub run: Option<Run>,
    /// Its id, however broken the rest is.
    pub id: Option<String>,
    /// Where the id stands.
    pub id_place: Place,
    /// What was noticed.
    pub diagnostics: Vec<Diagnostic>,
    /// Keys that no version of the format has.
    pub unknown_keys: Vec<UnknownKey>,
}

/// Reads a record and holds it to its rules.
#[must_use]
pub fn record(file: &Loaded) -> Record {
    let source = Source::file(&file.shown, &file.bytes);
    let (parsed, mut diagnostics) = run_record::parse(source);
    let Some(parsed) = parsed else {
        return Record {
            run: None,
            id: None,
            id_place: Place::file(&file.shown),
            diagnostics,
            unknown_keys: Vec::new(),
        };
    };
    diagnostics.extend(parsed.diagnostics.iter().cloned());
    diagnostics.extend(rules::record::check(source, &parsed));
    let broken = diagnostics.iter().any(Diagnostic::is_error);
    let run = if broken {
        None
    } else {
        run::from_record(&parsed.record)
    };
    diagnostics.extend(
        run.as_ref()
            .and_then(|run| rules::record::check_published(source, &parsed, run)),
    );
    let id = parsed.record.id.as_ref().map(ToString::to_string);
    if let Some(id) = &id {
        diagnostics = diagnostics
            .into_iter()
            .map(|problem| problem.of_run(id))
            .collect();
    }
    Record {
        run,
        id,
        id_place: rules::record::place(source, &parsed, "/id"),
        diagnostics,
        unknown_keys: run_record::unknown_keys(parsed.root),
    }
}

/// What only the page of a run shows of its record. Links that its own prose may not have are notes: nobody edits
/// what an agent wrote.
#[must_use]
pub fn details(file: &Loaded, tape: Option<&Tape<'_>>) -> Checked<Details> {
    let source = Source::file(&file.shown, &file.bytes);
    let (Some(parsed), _) = run_record::parse(source) else {
        return Checked::clean(Details::default());
    };
    let details = model::details::from_record(&parsed.record);
    let events = |number| tape?.position(number).map(|_| String::new());
    let showcase = details.showcase.as_ref();
    let texts = [
        (
            "/showcase/description".to_owned(),
            showcase.and_then(|showcase| showcase.description.as_deref()),
        ),
        (
            "/gameJamReadme".to_owned(),
            details.game_jam_readme.as_deref(),
        ),
    ];
    let prior = details.prior_entries.iter().enumerate().map(|(i, entry)| {
        let pointer = format!("/gameJamPriorEntries/{i}/readme");
        (pointer, entry.readme.as_deref())
    });
    let mut problems = Collector::default();
    for (pointer, text) in texts.into_iter().chain(prior) {
        for destination in
            rules::markdown::dropped_links(text.unwrap_or_default(), Origin::Run(&events))
        {
            problems.add(&codes::REVIEW_UNSAFE_LINK, || {
                let place = rules::record::place(source, &parsed, &pointer);
                rules::markdown::dropped(place, &destination).with_severity(Severity::Note)
            });
        }
    }
    let diagnostics = problems.finish(&file.shown);
    Checked {
        value: details,
        diagnostics,
    }
}

/// Reads everything beside a record. `run` is `None` when the record itself is broken: the other files are
/// looked at all the same, so that all problems come to light at once.
#[must_use]
pub fn files<'a>(
    config: &Config,
    directory: &RunDirectory,
    run: Option<&Run>,
    files: &'a RunFiles,
) -> Checked<Inspected<'a>> {
    let mut diagnostics = Vec::new();
    let mut found = Inspected::default();
    if let Some(file) = &files.events {
        let mut events = Vec::new();
        let problems = formats::events::read(&file.shown, &file.bytes, |event| {
            events.push(tape::from_event(event, events.len() as u64));
        });
        diagnostics.extend(problems);
        let content_hash = formats::events::content_hash(&file.bytes, events.len(), &file.digest);
        let tape = Tape::of_events(events, content_hash);
        diagnostics.extend(rules::tape::check_times(&file.shown, &tape));
        found.tapes.push(tape);
    }
    let raw = files.raw.as_ref().map(|file| {
        let (raw, problems) = formats::raw::read(&file.shown, &file.bytes);
        diagnostics.extend(problems);
        raw
    });
    let log = files.events.as_ref().and_then(|_| found.tapes.first());
    found.reconciliation = run.and_then(|run| reconcile(run, log, raw));
    for file in &files.tapes {
        let (read, problems) = formats::tape::parse(&file.shown, &file.bytes);
        diagnostics.extend(problems);
        if let Some(read) = read {
            diagnostics.extend(rules::tape::check_harn(&file.shown, &read));
            let mut tape = tape::from_harn(&file.name, read);
            resolve_payloads(
                config,
                directory,
                &mut tape,
                &mut found.referenced,
                &mut diagnostics,
            );
            found.tapes.push(tape);
        }
    }
    sidecars(config, files, &mut found, &mut diagnostics);
    conversation(config, directory, files, &mut found, &mut diagnostics);
    threads(config, directory, files, &mut found, &mut diagnostics);
    found.review = review(
        config,
        directory,
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

fn review(
    config: &Config,
    directory: &RunDirectory,
    run: Option<&Run>,
    tape: Option<&Tape<'_>>,
    file: Option<&Loaded>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Review> {
    let Some(file) = file else {
        diagnostics.extend(
            run.and_then(|run| rules::review::check_missing(config, run, &directory.shown)),
        );
        return None;
    };
    let source = Source::file(&file.shown, &file.bytes);
    let (writeup, problems) = formats::writeup::parse(source);
    diagnostics.extend(problems);
    Some(rules::review::check(config, run, tape, source, &writeup).unpack(diagnostics))
}

fn conversation<'a>(
    config: &Config,
    directory: &RunDirectory,
    files: &'a RunFiles,
    found: &mut Inspected<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(file) = &files.transcript else {
        return;
    };
    let source = Source::file(&file.shown, &file.bytes);
    let (transcript, problems) = formats::transcript::parse(source);
    diagnostics.extend(problems);
    let Some(transcript) = transcript else {
        return;
    };
    let mut conversation = model::transcript::public(transcript);
    let mut problems = Collector::default();
    let mut published = BTreeSet::new();
    for asset in &mut conversation.assets {
        let place = Place::file(&file.shown).pointing(&asset.pointer);
        let Some(path) = &asset.path else { continue };
        match load::asset(directory, path, place.clone(), &config.limits) {
            Ok(Some(loaded)) => {
                if published.insert(loaded.name.clone()) {
                    found.referenced.push(load::digest(&loaded));
                }
                let Loaded { bytes, digest, .. } = loaded;
                asset.file = Some(model::transcript::asset_file(bytes, &digest));
            }
            Ok(None) => problems.add(&codes::TRANSCRIPT_MISSING_ASSET, || {
                codes::TRANSCRIPT_MISSING_ASSET.at(
                    place,
                    "The file of a public asset is not there",
                    "Put the file where `storage.path` says, relative to the run directory.",
                )
            }),
            Err(problem) => problems.push(problem),
        }
    }
    for pointer in &conversation.undescribed {
        problems.add(&codes::TRANSCRIPT_MISSING_ASSET, || {
            codes::TRANSCRIPT_MISSING_ASSET.at(
                Place::file(&file.shown).pointing(pointer),
                "A public block names an asset that the transcript does not describe",
                "Add the asset to `assets`.",
            )
        });
    }
    diagnostics.extend(problems.finish(&file.shown));
    found.conversation = Some(conversation);
}

/// Lines of a file that a thread shows; a thread about more of them shows the first.
const THREAD_LINES: u64 = 40;

fn threads<'a>(
    config: &Config,
    directory: &RunDirectory,
    files: &'a RunFiles,
    found: &mut Inspected<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if files.threads.is_none() && files.thread_actions.is_none() {
        return;
    }
    let mut state = formats::threads::State::default();
    let mut envelopes = Vec::new();
    if let Some(file) = &files.threads {
        let (read, problems) =
            formats::threads::parse_state(Source::file(&file.shown, &file.bytes));
        (state, ()) = (read, diagnostics.extend(problems));
    }
    if let Some(file) = &files.thread_actions {
        let (read, problems) = formats::threads::parse_actions(&file.shown, &file.bytes);
        (envelopes, ()) = (read, diagnostics.extend(problems));
    }
    let named = |envelopes: &[formats::threads::Envelope<'_>]| {
        envelopes
            .iter()
            .find_map(|envelope| envelope.channel.as_deref().map(str::to_owned))
    };
    let log = format!("{}/{}", directory.shown, formats::threads::ACTIONS_FILE);
    let channel = state
        .channel
        .as_deref()
        .map(str::to_owned)
        .or_else(|| named(&envelopes));
    let annotations = rules::threads::replay(&log, state, envelopes).unpack(diagnostics);
    let mut threads: Vec<_> = annotations
        .into_iter()
        .map(model::threads::from_annotation)
        .collect();
    let events = |number| found.tapes.first()?.position(number).map(|_| String::new());
    let mut problems = Collector::default();
    for thread in &threads {
        for entry in thread.entries.iter().filter(|entry| entry.markdown) {
            for destination in rules::markdown::dropped_links(&entry.text, Origin::Run(&events)) {
                let place = || thread.written.spot.place();
                problems.add(&codes::REVIEW_UNSAFE_LINK, || {
                    rules::markdown::dropped(place(), &destination)
                });
            }
        }
    }
    let mut by_file: BTreeMap<String, Vec<&mut Thread<'_>>> = BTreeMap::new();
    for thread in &mut threads {
        match model::threads::resource_path(&thread.resource, &config.workspace) {
            Some(path) => by_file.entry(path).or_default().push(thread),
            None => problems.add(&codes::THREADS_MISSING_RESOURCE, || {
                rules::threads::missing_resource(thread)
            }),
        }
    }
    for (path, threads) in by_file {
        let file =
            load::implementation(directory, &path, &config.limits).unwrap_or_else(|problem| {
                diagnostics.push(problem);
                None
            });
        let Some(file) = file else {
            for thread in threads {
                problems.add(&codes::THREADS_MISSING_RESOURCE, || {
                    rules::threads::missing_resource(thread)
                });
            }
            continue;
        };
        found.referenced.push(load::digest(&file));
        let text = String::from_utf8_lossy(&file.bytes);
        let lines: Vec<&str> = text.lines().collect();
        for thread in threads {
            if let Some(problem) = rules::threads::range_outside(thread, lines.len() as u64) {
                problems.push(problem);
            }
            let lines = excerpt(&lines, thread.range);
            thread.file = Some(model::threads::File {
                path: path.clone(),
                lines,
            });
        }
    }
    diagnostics.extend(problems.finish(&format!(
        "{}/{}",
        directory.shown,
        formats::threads::STATE_FILE
    )));
    found.threads = Some(Threads { channel, threads });
}

fn excerpt(lines: &[&str], range: Option<Lines>) -> Vec<(u64, String)> {
    let Some(range) = range else {
        return Vec::new();
    };
    let last = range.last.min(range.first.saturating_add(THREAD_LINES - 1));
    (range.first..=last)
        .map_while(|number| {
            let index = usize::try_from(number).ok()?.checked_sub(1)?;
            Some((number, (*lines.get(index)?).to_owned()))
        })
        .collect()
}

fn sidecars<'a>(
    config: &Config,
    files: &'a RunFiles,
    found: &mut Inspected<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    found.sidecars = found.tapes.iter().map(|_| None).collect();
    for file in &files.sidecars {
        let (sidecar, problems) = formats::sidecar::parse(&file.shown, &file.bytes);
        diagnostics.extend(problems);
        let Some(expected) = file.name.strip_suffix(formats::sidecar::SUFFIX) else {
            continue;
        };
        let named = sidecar
            .as_ref()
            .and_then(|sidecar| sidecar.header.tape_path.as_deref());
        let present = |name: &str| directory_has(files, name);
        let tape = if present(expected) {
            Some(expected.to_owned())
        } else {
            short_spelling(expected, named, present)
        };
        let loaded = |tape: &String| found.tapes.iter().position(|t| t.file == *tape);
        let Some(index) = tape.as_ref().and_then(loaded) else {
            // A tape that does not load has its own error.
            if tape.is_none() {
                let problem = rules::sidecar::without_tape(&file.shown, &file.bytes, expected);
                diagnostics.push(problem);
            }
            if let Some(sidecar) = &sidecar {
                diagnostics.extend(rules::sidecar::check_alone(&file.shown, sidecar));
            }
            continue;
        };
        if found.sidecars[index].is_some() {
            diagnostics.push(codes::SIDECAR_AMBIGUOUS.at(
                Place::file(&file.shown),
                format!(
                    "The tape {} has another sidecar already",
                    quoted(&found.tapes[index].file)
                ),
                format!(
                    "Keep one of them, named {}.",
                    quoted(&format!(
                        "{}{}",
                        found.tapes[index].file,
                        formats::sidecar::SUFFIX
                    ))
                ),
            ));
            continue;
        }
        let Some(sidecar) = sidecar else { continue };
        let checked = rules::sidecar::check(
            config,
            &file.shown,
            &file.name,
            sidecar,
            &found.tapes[index],
        );
        found.sidecars[index] = Some(checked.unpack(diagnostics));
    }
}

fn directory_has(files: &RunFiles, name: &str) -> bool {
    files
        .events
        .iter()
        .chain(&files.tapes)
        .any(|file| file.name == name)
        || files.unreadable.iter().any(|unreadable| unreadable == name)
}

/// Harn's fixtures drop the tape's extension: accepted when the header names the tape (formats.md H.2).
fn short_spelling(
    stem: &str,
    named: Option<&str>,
    present: impl Fn(&str) -> bool,
) -> Option<String> {
    let named = named?.rsplit(['/', '\\']).next()?;
    formats::tape::EXTENSIONS
        .iter()
        .map(|extension| format!("{stem}{extension}"))
        .find(|candidate| candidate == named && present(candidate))
}

/// Fetches payloads from the CAS folder, each once. They are shown like inline ones; missing ones stay on the event.
fn resolve_payloads(
    config: &Config,
    directory: &RunDirectory,
    tape: &mut Tape<'_>,
    referenced: &mut Vec<FileDigest>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let (path, name) = (
        format!("{}/{}", directory.shown, tape.file),
        tape.file.clone(),
    );
    let mut read: BTreeMap<String, Option<(Arc<str>, u64)>> = BTreeMap::new();
    let mut problems = Collector::default();
    for event in &mut tape.events {
        for external in std::mem::take(&mut event.external) {
            let hash = external.content_hash.clone();
            let payload = read.entry(hash.clone()).or_insert_with(|| {
                match load::payload(directory, &name, &hash, &config.limits) {
                    Ok(file) => file.map(|file| {
                        let bytes = file.bytes.len() as u64;
                        (payload(&file, &hash, referenced, diagnostics), bytes)
                    }),
                    Err(problem) => {
                        diagnostics.push(problem);
                        None
                    }
                }
            });
            let place = || {
                let found = event.source.find(&hash).unwrap_or_default();
                let source = Source::line(&path, event.line, event.source.as_bytes());
                source.place(found, found + hash.len())
            };
            if let Some((text, bytes)) = payload {
                if *bytes != external.len_bytes {
                    problems.add(&codes::TAPE_PAYLOAD_MISMATCH, || {
                        codes::TAPE_PAYLOAD_MISMATCH.at(
                            place(),
                            format!(
                                "The payload is {bytes} bytes long, but the record says {}",
                                external.len_bytes
                            ),
                            "Take the tape and its payloads from their source again.",
                        )
                    });
                }
                let kind = if text.starts_with(['{', '[']) {
                    TextKind::Json
                } else {
                    TextKind::Plain
                };
                if !text.is_empty() {
                    event.blocks.push(Block {
                        label: Some(external.label),
                        kind,
                        text: Text::Payload(Arc::clone(text), hash),
                    });
                }
                continue;
            }
            problems.add(&codes::TAPE_MISSING_PAYLOAD, || {
                codes::TAPE_MISSING_PAYLOAD.at(
                    place(),
                    format!("The payload {} is not in {}", quoted(&hash), quoted(&format!("{name}.cas"))),
                    "Copy the CAS folder beside the tape; the timeline says that the payload is missing.",
                )
            });
            event.external.push(external);
        }
    }
    diagnostics.extend(problems.finish(&path));
}

fn payload(
    file: &Loaded,
    hash: &str,
    referenced: &mut Vec<FileDigest>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Arc<str> {
    if file.digest != hash {
        diagnostics.push(codes::TAPE_PAYLOAD_MISMATCH.at(
            Place::file(&file.shown),
            "The payload is not what its name says: its BLAKE3 differs",
            "Take the payload from its source again.",
        ));
    }
    referenced.push(load::digest(file));
    String::from_utf8_lossy(&file.bytes).into()
}
