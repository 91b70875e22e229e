//! The audit: whether the events of a run follow from its raw log.

mod download;
mod edits;
mod site;
mod vectors;

use std::convert::Infallible;

use runpress::api::formats::audit::{Audit, Derivation, audit};
use runpress::api::formats::replay::{Harness, RawRow, Translator, TranslatorVersion};
use runpress::api::formats::{jsonl, raw};
use serde_json::{Value, json};

/// Compares an event log with a raw log.
fn audited(harness: Harness, raw_log: &str, events: Option<&str>) -> Audit {
    let read = |each: &mut dyn FnMut(u32, Option<&RawRow>)| {
        let mut reader = raw::RawLogReader::default();
        for line in jsonl::lines(raw_log.as_bytes()) {
            let printed = reader.line("raw.jsonl", &line);
            let row = printed.map(|printed| printed.row());
            each(line.number, row.as_ref());
        }
        Ok::<_, Infallible>(())
    };
    let mut derived = Derivation::new(harness);
    let read_once = read(&mut |line, row| derived.row(line, row));
    let read = read_once.and_then(|()| audit(derived, events.map(str::as_bytes), read));
    match read {
        Ok(audit) => audit,
        Err(never) => match never {},
    }
}

/// The events that a version makes of a raw log, each with its line.
fn derived(harness: Harness, version: TranslatorVersion, raw_log: &str) -> Vec<(Value, u32)> {
    let mut translator = Translator::new(harness, version);
    let mut reader = raw::RawLogReader::default();
    let mut events = Vec::new();
    for line in jsonl::lines(raw_log.as_bytes()) {
        let printed = reader.line("raw.jsonl", &line);
        let Some(row) = printed.map(|printed| printed.row()) else {
            continue;
        };
        let made = translator.translate(&row);
        events.extend(
            made.iter()
                .map(|event| (Value::Object(event.to_json()), line.number)),
        );
    }
    events
}

/// An event log of derived events, a second apart.
fn log<'a>(events: impl IntoIterator<Item = &'a Value>) -> String {
    let line = |(second, event): (u32, &Value)| {
        let mut event = event.clone();
        event["timestamp"] = json!(format!(
            "2026-08-03T09:{:02}:{:02}Z",
            second / 60 % 60,
            second % 60
        ));
        format!("{event}\n")
    };
    (0..).zip(events).map(line).collect()
}

/// A raw log of rows on `stdout`.
fn rows<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let line = |line| format!("{}\n", json!({"stream": "stdout", "line": line}));
    lines.into_iter().map(line).collect()
}
