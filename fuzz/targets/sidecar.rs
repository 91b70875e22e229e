//! Sidecars: every annotation is checked and kept, with a unique label.

use std::collections::BTreeSet;

use runpress::api::config::Config;
use runpress::api::formats::events;
use runpress::api::formats::sidecar::parse;
use runpress::api::model::tape::{self, Tape};
use runpress::api::rules;

use super::places;

const NAME: &str = "events.jsonl.annotations.jsonl";
/// The log that is annotated: four events.
const LOG: &str = "{}\n{}\n{}\n{}\n";

/// Reads `bytes` as the sidecar of a log of four events.
pub fn run(bytes: &[u8]) {
    let (parsed, problems) = parse(NAME, bytes);
    places::check(bytes, &problems);
    assert_eq!(
        parsed.is_some(),
        !places::has_errors(&problems),
        "{problems:?}"
    );
    if let Some(marked) = super::with_byte_order_mark(bytes) {
        assert_eq!(
            places::shown(&parse(NAME, &marked).1),
            places::shown(&problems)
        );
    }
    let Some(parsed) = parsed else { return };
    let count = parsed.annotations.len();
    let mut log = Vec::new();
    let _ = events::read(events::FILE_NAME, LOG.as_bytes(), |event| {
        log.push(tape::from_event(event, log.len() as u64));
    });
    let tape = Tape::of_events(log, blake3::hash(LOG.as_bytes()).to_hex().to_string());
    let checked = rules::sidecar::check(&Config::default(), NAME, NAME, parsed, &tape);
    places::check(bytes, &checked.diagnostics);
    let sidecar = checked.value;
    assert_eq!(
        (
            sidecar.report.annotations_checked,
            sidecar.annotations.len()
        ),
        (count, count)
    );
    assert_eq!(sidecar.report.kind_counts.total(), count);
    let labels: BTreeSet<&str> = sidecar
        .annotations
        .iter()
        .map(|a| a.label.as_str())
        .collect();
    assert_eq!(labels.len(), count, "{:?}", sidecar.annotations);
    for annotation in &sidecar.annotations {
        let raw = annotation.verbatim.0;
        assert!(
            std::str::from_utf8(bytes).is_ok_and(|text| text.contains(raw))
                || bytes
                    .windows(raw.len().max(1))
                    .any(|part| part == raw.as_bytes())
        );
        let known = annotation.event < 4;
        let is_reported = checked
            .diagnostics
            .iter()
            .any(|d| d.code.name == "annotation.unknown-event-id");
        assert!(known || is_reported, "{annotation:?}");
    }
}
