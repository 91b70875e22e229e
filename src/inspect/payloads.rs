//! Fetches the payloads of a tape that stand outside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::Config;
use crate::diagnostics::text::quoted;
use crate::diagnostics::{Collector, Diagnostic, Place, Source, codes};
use crate::discover::RunDirectory;
use crate::load::{self, Loaded};
use crate::model::FileDigest;
use crate::model::tape::{Block, Tape, Text, TextKind};

/// Fetches payloads from the CAS folder, each once. They are shown like inline ones; missing ones stay on the event.
pub(super) fn resolve_payloads(
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
