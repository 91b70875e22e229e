//! Pairs of a raw log and its events, genuine and forged, with what an audit must say (tests/fixtures/raw).

use std::fs;
use std::path::{Path, PathBuf};

use runpress::api::formats::audit::AuditVerdict;
use runpress::api::formats::replay::Harness;
use serde_json::{Value, json};

use super::{audited, rows};

pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/raw")
}

pub(super) fn index() -> Vec<Value> {
    let index = fs::read_to_string(folder().join("index.json")).expect("an index");
    serde_json::from_str(&index).expect("JSON")
}

pub(super) fn file(entry: &Value, name: &str) -> String {
    let path = folder()
        .join(entry["dir"].as_str().expect("a folder"))
        .join(name);
    fs::read_to_string(path).expect("a file")
}

pub(super) fn harness(entry: &Value) -> Harness {
    let slug = entry["harness"].as_str().expect("a harness");
    Harness::of(slug).expect("a harness with rules")
}

#[test]
fn every_vector_is_audited_as_its_index_says() {
    let index = index();
    assert_eq!(index.len(), 61);
    for entry in &index {
        let (raw, events) = (file(entry, "raw.jsonl"), file(entry, "events.jsonl"));
        let found = audited(harness(entry), &raw, Some(&events));
        let dir = &entry["dir"];
        assert_eq!(json!(found.verdict), entry["verdict"], "{dir}");
        if let Some(versions) = entry.get("versions") {
            assert_eq!(json!(found.translator), *versions, "{dir}");
        }
        if let Some(lines) = entry.get("rawRows") {
            assert_eq!(json!(found.raw_lines), *lines, "{dir}");
        }
        if let Some(calls) = entry.get("toolCalls") {
            assert_eq!(json!(found.tool_calls), *calls, "{dir}");
        }
        let expected = entry.get("findings").and_then(Value::as_array);
        let expected = expected
            .map_or(&[][..], Vec::as_slice)
            .iter()
            .map(|finding| {
                json!([
                    finding["kind"],
                    finding["seq"],
                    finding["rawLine"],
                    finding["fields"]
                ])
            });
        let findings = found
            .findings
            .iter()
            .map(|finding| json!([finding.kind, finding.seq, finding.raw_line, finding.fields]));
        assert!(findings.eq(expected), "{dir}: {:?}", found.findings);
    }
}

const THREAD: &str = r#"{"type":"thread.started","thread_id":"t-1"}"#;

fn message(text: &str) -> String {
    json!({"type": "item.completed", "item": {"type": "agent_message", "text": text}}).to_string()
}

fn event(text: &str) -> String {
    let time = "2026-08-03T09:15:00Z";
    let event = json!({"timestamp": time, "sessionId": "t-1", "type": "agent", "message": text});
    format!("{event}\n")
}

#[test]
fn no_output_and_no_events_match() {
    for events in [None, Some("")] {
        let found = audited(Harness::Codex, "", events);
        assert_eq!(
            (found.verdict, found.findings.len()),
            (AuditVerdict::Matches, 0)
        );
    }
}

#[test]
fn output_without_an_event_log_is_one_finding() {
    let (a, b) = (message("a"), message("b"));
    let found = audited(Harness::Codex, &rows([THREAD, &a, &b]), None);
    assert_eq!(found.verdict, AuditVerdict::Differs);
    let finding = &found.findings[..];
    assert_eq!(finding.len(), 1);
    assert_eq!((finding[0].count, finding[0].raw_line), (2, Some(2)));
}

#[test]
fn a_row_that_cannot_be_read_accuses_nobody() {
    let (a, b) = (message("a"), message("b"));
    let events = [event("a"), event("b")].concat();
    let whole = rows([THREAD, &a, &b]);
    let lines: Vec<&str> = whole.lines().collect();
    for cut in 0..3 {
        let mut lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        lines[cut] = "{\"stream\":\"stdout\",\"line\":\"{\n".to_owned();
        let found = audited(Harness::Codex, &lines.concat(), Some(&events));
        assert_eq!(found.verdict, AuditVerdict::Incomplete);
        assert_eq!(found.findings, [], "row {cut}");
    }
    let forged = [event("a"), event("c")].concat();
    let lines = format!("{}\nno JSON\n{}\n{}\n", lines[0], lines[1], lines[2]);
    let found = audited(Harness::Codex, &lines, Some(&forged));
    assert_eq!(found.verdict, AuditVerdict::Incomplete);
    assert_eq!(
        (found.findings[0].seq, found.findings[0].raw_line),
        (Some(1), Some(4))
    );
}

#[test]
fn keys_that_the_publisher_removed_are_no_difference() {
    let key = format!("sk-{}", "q7".repeat(12));
    let said = message(&format!("I use {key} here"));
    let found = audited(
        Harness::Codex,
        &rows([THREAD, &said]),
        Some(&event("I use [REDACTED] here")),
    );
    assert_eq!(
        (found.verdict, found.redacted),
        (AuditVerdict::Matches, true)
    );
    let found = audited(
        Harness::Codex,
        &rows([THREAD, &said]),
        Some(&event("I use [REDACTED] there")),
    );
    assert_eq!(found.verdict, AuditVerdict::Differs);
}

#[test]
fn a_log_without_any_usage_is_one_finding() {
    let entry = json!({"dir": "opencode/01-steps", "harness": "opencode"});
    let task = json!({"type": "tool_use", "part": {"tool": "task", "state":
        {"status": "completed", "input": {"description": "look"}}}});
    let task = rows([&*task.to_string()]);
    let raw = format!("{}{task}", file(&entry, "raw.jsonl"));
    let mut events: Vec<Value> = super::derived(Harness::OpenCode, 6, &raw)
        .into_iter()
        .map(|(event, _)| event)
        .collect();
    events.retain(|event| event["type"] != "usage");
    let found = audited(Harness::OpenCode, &raw, Some(&super::log(&events)));
    assert_eq!(found.verdict, AuditVerdict::Differs);
    assert_eq!(found.findings.len(), 1);
    assert_eq!(found.findings[0].event, "usage");
}

#[test]
fn a_key_that_differs_in_all_events_is_one_finding() {
    let messages: Vec<String> = (0..50).map(|at| message(&at.to_string())).collect();
    let raw = rows(
        [THREAD]
            .into_iter()
            .chain(messages.iter().map(String::as_str)),
    );
    let events: String = (0..50).map(|at| event(&at.to_string())).collect();
    let forged = events.replace("t-1", "t-2");
    let found = audited(Harness::Codex, &raw, Some(&forged));
    assert_eq!(found.findings.len(), 1);
    assert_eq!((found.findings[0].count, found.differences()), (50, 50));
    assert_eq!(found.findings[0].fields, ["sessionId"]);
}

#[test]
fn one_dropped_and_one_added_event_of_200_000_are_two_findings() {
    let messages: Vec<String> = (0..200_000)
        .map(|at| message(&(at % 9).to_string()))
        .collect();
    let raw = rows(
        [THREAD]
            .into_iter()
            .chain(messages.iter().map(String::as_str)),
    );
    let mut events: Vec<String> = (0..200_000)
        .map(|at| event(&(at % 9).to_string()))
        .collect();
    events.remove(150_000);
    events.insert(50_000, event("new"));
    let found = audited(Harness::Codex, &raw, Some(&events.concat()));
    let kinds: Vec<_> = found.findings.iter().map(|it| it.kind.word()).collect();
    assert_eq!(kinds, ["extra", "missing"]);
    assert_eq!(found.findings[0].seq, Some(50_000));
}

/// Lines of gg of one time and type, and what a recorder keeps of them: it drops a key and adds another.
fn telemetry(texts: &[&str]) -> (String, Vec<Value>) {
    let time = "2026-08-03T09:15:00Z";
    let line = |text: &&str| json!({"timestamp": time, "type": "turn", "text": text, "new": 1});
    let lines: Vec<String> = texts.iter().map(|text| line(text).to_string()).collect();
    let kept = |text| json!({"timestamp": time, "type": "turn", "text": text, "cost": null});
    let event = |text| json!({"type": "gg", "event": kept(text)});
    let events = texts.iter().map(event).collect();
    (rows(lines.iter().map(String::as_str)), events)
}

#[test]
fn lines_of_one_time_and_type_are_aligned_by_what_is_kept_of_them() {
    let (raw, genuine) = telemetry(&["a", "b", "c", "d"]);
    let found = |events: &[Value]| {
        let found = audited(Harness::Gg, &raw, Some(&super::log(events)));
        let places = found.findings.iter().map(|it| {
            let seq = it.seq.or(it.before);
            (it.kind.word(), seq, it.raw_line)
        });
        places.collect::<Vec<_>>()
    };
    assert_eq!(found(&genuine), []);
    let mut dropped = genuine.clone();
    dropped.remove(1);
    assert_eq!(found(&dropped), [("missing", Some(1), Some(2))]);
    let mut added = genuine.clone();
    added.insert(1, telemetry(&["e"]).1.remove(0));
    assert_eq!(found(&added), [("extra", Some(1), None)]);
    let mut moved = genuine.clone();
    moved.rotate_left(1);
    assert_eq!(found(&moved), [("moved", Some(3), Some(1))]);
    let mut changed = genuine;
    changed[2]["event"]["text"] = json!("e");
    assert_eq!(found(&changed), [("changed", Some(2), Some(3))]);
}
