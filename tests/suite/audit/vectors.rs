//! Pairs of a raw log and its events, genuine and forged, with what an audit must say (tests/fixtures/raw).

use runpress::api::formats::audit::AuditVerdict;
use runpress::api::formats::replay::Harness;
use serde_json::{Value, json};

use super::{audited, rows};
use crate::support::fixture_text;

pub(super) fn index() -> Vec<Value> {
    serde_json::from_str(&fixture_text("raw/index.json")).expect("JSON")
}

pub(super) fn file(entry: &Value, name: &str) -> String {
    let folder = entry["dir"].as_str().expect("a folder");
    fixture_text(&format!("raw/{folder}/{name}"))
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
        for (key, value) in [
            ("versions", json!(found.translator)),
            ("rawRows", json!(found.raw_lines)),
            ("toolCalls", json!(found.tool_calls)),
        ] {
            if let Some(expected) = entry.get(key) {
                assert_eq!(value, *expected, "{dir}: {key}");
            }
        }
        let expected = entry["findings"].as_array().into_iter().flatten();
        let expected =
            expected.map(|it| json!([it["kind"], it["seq"], it["rawLine"], it["fields"]]));
        let findings = found.findings.iter();
        let findings = findings.map(|it| json!([it.kind, it.seq, it.raw_line, it.fields]));
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
    assert_eq!(found.findings.len(), 1);
    let finding = &found.findings[0];
    assert_eq!((finding.count, finding.raw_line), (2, Some(2)));
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
    let raw = rows([THREAD, &message(&format!("I use {key} here"))]);
    let found = |text: &str| audited(Harness::Codex, &raw, Some(&event(text)));
    let same = found("I use [REDACTED] here");
    assert_eq!((same.verdict, same.redacted), (AuditVerdict::Matches, true));
    assert_eq!(
        found("I use [REDACTED] there").verdict,
        AuditVerdict::Differs
    );
}

#[test]
fn a_log_without_any_usage_is_one_finding() {
    let entry = json!({"dir": "opencode/01-steps", "harness": "opencode"});
    let task = json!({"type": "tool_use", "part": {"tool": "task", "state":
        {"status": "completed", "input": {"description": "look"}}}});
    let raw = file(&entry, "raw.jsonl") + &rows([&*task.to_string()]);
    let events = super::derived(Harness::OpenCode, 6, &raw);
    let events = events.iter().map(|(event, _)| event);
    let log = super::log(events.filter(|event| event["type"] != "usage"));
    let found = audited(Harness::OpenCode, &raw, Some(&log));
    assert_eq!(found.verdict, AuditVerdict::Differs);
    assert_eq!(found.findings.len(), 1);
    assert_eq!(found.findings[0].event, "usage");
}

/// A raw log of this many messages, and its events.
fn many(count: usize) -> (String, Vec<String>) {
    let texts: Vec<String> = (0..count).map(|at| (at % 9).to_string()).collect();
    let messages: Vec<String> = texts.iter().map(|text| message(text)).collect();
    let all = [THREAD]
        .into_iter()
        .chain(messages.iter().map(String::as_str));
    (rows(all), texts.iter().map(|text| event(text)).collect())
}

#[test]
fn a_key_that_differs_in_all_events_is_one_finding() {
    let (raw, events) = many(50);
    let forged = events.concat().replace("t-1", "t-2");
    let found = audited(Harness::Codex, &raw, Some(&forged));
    assert_eq!(found.findings.len(), 1);
    assert_eq!((found.findings[0].count, found.differences()), (50, 50));
    assert_eq!(found.findings[0].fields, ["sessionId"]);
}

#[test]
fn one_dropped_and_one_added_event_of_200_000_are_two_findings() {
    let (raw, mut events) = many(200_000);
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
