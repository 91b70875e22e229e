//! Fetches the payloads of a tape that are files beside it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use crate::config::Config;
use crate::diagnostics::text::quoted;
use crate::diagnostics::{Collector, Diagnostic, Place, Source, codes};
use crate::discover::RunDirectory;
use crate::formats::tape::{Payload, Tape};
use crate::load::{self, Loaded};
use crate::model::FileDigest;
use crate::model::tape::Payloads;
use crate::rules;

/// Fetches payloads from the CAS folder, each once, and adds them to the bytes that the run holds. Those that are missing are reported; the timeline names them.
pub(super) fn read(
    config: &Config,
    directory: &RunDirectory,
    (file, tape): (&Loaded, &Tape<'_>),
    held: &mut u64,
    referenced: &mut Vec<FileDigest>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Payloads {
    let mut read: BTreeMap<String, Option<(Arc<str>, u64)>> = BTreeMap::new();
    let mut problems = Collector::default();
    for line in &tape.records {
        for (_, payload) in rules::tape::payloads(&line.record.kind) {
            let Payload::External {
                content_hash,
                len_bytes,
            } = payload
            else {
                continue;
            };
            let found = match read.entry(content_hash.clone()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let found =
                        load::payload(directory, &file.name, content_hash, *held, &config.limits);
                    let found = found.unwrap_or_else(|problem| {
                        diagnostics.push(problem);
                        None
                    });
                    new.insert(found.map(|found| {
                        let bytes = found.bytes.len() as u64;
                        let text = text(&found, content_hash, referenced, diagnostics);
                        // Each invalid byte takes three as a replacement character.
                        *held += text.len() as u64;
                        (text, bytes)
                    }))
                }
            };
            let place = || {
                let source = &line.line.text;
                let at = source.find(content_hash.as_str()).unwrap_or_default();
                let source = Source::line(&file.shown, line.line.number, source.as_bytes());
                source.place(at, at + content_hash.len())
            };
            match found {
                Some((_, bytes)) if bytes != len_bytes => {
                    problems.add(&codes::TAPE_PAYLOAD_MISMATCH, || {
                        codes::TAPE_PAYLOAD_MISMATCH.at(
                            place(),
                            format!(
                                "The payload is {bytes} bytes long, but the record says {len_bytes}"
                            ),
                            "Copy the tape and its payloads from their source again.",
                        )
                    });
                }
                Some(_) => {}
                None => problems.add(&codes::TAPE_MISSING_PAYLOAD, || {
                    let folder = quoted(&format!("{}.cas", file.name));
                    codes::TAPE_MISSING_PAYLOAD.at(
                        place(),
                        format!("The payload {} is not in {folder}", quoted(content_hash)),
                        "Put the CAS folder next to the tape. Until then, the timeline shows the payload as missing.",
                    )
                }),
            }
        }
    }
    diagnostics.extend(problems.finish(&file.shown));
    let found = read.into_iter();
    found
        .filter_map(|(hash, found)| Some((hash, found?.0)))
        .collect()
}

fn text(
    file: &Loaded,
    hash: &str,
    referenced: &mut Vec<FileDigest>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Arc<str> {
    if file.digest != hash {
        diagnostics.push(codes::TAPE_PAYLOAD_MISMATCH.at(
            Place::file(&file.shown),
            "The BLAKE3 hash of the payload does not match its file name",
            "Copy the payload from its source again.",
        ));
    }
    referenced.push(load::digest(file));
    String::from_utf8_lossy(&file.bytes).into()
}
