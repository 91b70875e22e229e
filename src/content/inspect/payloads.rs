//! Reads tape payloads that are separate files.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::load::{LoadedFile, RunFiles};
use crate::rules;
use base::diagnostics::text::quoted;
use base::diagnostics::{Collector, Diagnostic, Place, codes};
use formats::model::FileDigest;
use formats::model::tape::Payloads;
use formats::tape::{HarnTape, Payload};

/// The result of looking for the file of a payload.
enum PayloadLookup {
    /// Its text, and its size in bytes.
    Text(Arc<str>, u64),
    Missing,
    /// It cannot be read, which is reported.
    Refused,
}

/// Reads payloads from the CAS folder, each once, and adds their size to `in_memory`. Missing ones are reported; the timeline names
/// them.
pub(super) fn read(
    files: &RunFiles,
    file: &LoadedFile,
    tape: &HarnTape<'_>,
    in_memory: &mut u64,
    referenced: &mut Vec<FileDigest>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Payloads {
    let mut read: BTreeMap<&str, PayloadLookup> = BTreeMap::new();
    let mut problems = Collector::default();
    for line in &tape.records {
        rules::tape::payloads(&line.record.kind, |_, payload| {
            let Payload::External {
                content_hash: hash,
                len_bytes,
            } = payload
            else {
                return;
            };
            let mut fetch = || match files.payload(&file.name, hash, *in_memory) {
                Ok(Some(found)) => {
                    let text = text(&found, hash, referenced, diagnostics);
                    // An invalid byte becomes a replacement character of three bytes.
                    *in_memory += text.len() as u64;
                    PayloadLookup::Text(text, found.file_digest().bytes)
                }
                Ok(None) => PayloadLookup::Missing,
                Err(problem) => {
                    diagnostics.push(problem);
                    PayloadLookup::Refused
                }
            };
            let place = || {
                let source = line.line.source(&file.shown);
                let at = line.line.text.find(hash.as_str()).unwrap_or_default();
                source.place(at, at + hash.len())
            };
            match read.entry(hash.as_str()).or_insert_with(&mut fetch) {
                PayloadLookup::Text(_, bytes) if *bytes != *len_bytes => {
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
                PayloadLookup::Missing => problems.add(&codes::TAPE_MISSING_PAYLOAD, || {
                    let folder = quoted(&format!("{}.cas", file.name));
                    codes::TAPE_MISSING_PAYLOAD.at(
                        place(),
                        format!("The payload {} is not in {folder}", quoted(hash)),
                        "Put the CAS folder next to the tape. Until then, the timeline shows the payload as missing.",
                    )
                }),
                PayloadLookup::Text(..) | PayloadLookup::Refused => {}
            }
        });
    }
    diagnostics.extend(problems.finish(&file.shown));
    let found = read.into_iter().filter_map(|(hash, found)| match found {
        PayloadLookup::Text(text, _) => Some((hash.to_owned(), text)),
        PayloadLookup::Missing | PayloadLookup::Refused => None,
    });
    found.collect()
}

fn text(
    file: &LoadedFile,
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
    referenced.push(file.file_digest());
    String::from_utf8_lossy(&file.bytes).into()
}
