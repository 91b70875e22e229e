//! Hostile input costs what its size is worth: what once took time with the square of its size is done within seconds of CPU.
//!
//! The sizes are such that the square would take many minutes; how long the machine is busy with other things does not count.
//! `benches/time.py` measures the same.
#![cfg(unix)]

use std::fmt::Write;
use std::process::Command;

use serde_json::json;

use crate::support::{FIRST, HEADER, TestSite, annotation, event, lines};

/// Checks or builds the site with so many seconds of CPU, and gives the exit status; `None` when they were too few.
fn within(seconds: u32, site: &TestSite, command: &str) -> Option<i32> {
    let status = Command::new("sh")
        .args([
            "-c",
            &format!("ulimit -t {seconds}; exec \"$0\" \"$@\" >/dev/null 2>&1"),
        ])
        .arg(env!("CARGO_BIN_EXE_runpress"))
        .arg("--root")
        .arg(site.root())
        .args([command, "--jobs", "1"])
        .status()
        .expect("the binary runs");
    status.code()
}

/// CPU seconds that each of these sites may take; a development build takes a few.
const SECONDS: u32 = 60;

/// A base site without annotations.
fn site() -> TestSite {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER]),
    );
    site
}

#[test]
fn a_hundred_thousand_problems_on_one_line_of_review_threads_take_seconds() {
    let site = site();
    let threads: Vec<_> = (0..100_000)
        .map(|i| json!({"id": format!("t{i}"), "entries": []}))
        .collect();
    let state = json!({"annotations": threads});
    site.write(&format!("{FIRST}/annotations.json"), state.to_string());
    assert_eq!(within(SECONDS, &site, "check"), Some(1));
}

#[test]
fn a_hundred_thousand_wrong_checks_on_one_line_of_a_record_take_seconds() {
    let site = site();
    let path = format!("{FIRST}/run-record.json");
    let mut record: serde_json::Value =
        serde_json::from_str(&site.text(&path)).expect("the base record");
    let checks: Vec<_> = (0..100_000).map(|_| json!({"view": 7})).collect();
    record["validation"]["checks"] = checks.into();
    site.write(&path, record.to_string());
    assert_eq!(within(SECONDS, &site, "check"), Some(1));
}

#[test]
fn a_hundred_thousand_ranges_that_no_file_has_take_seconds() {
    let site = site();
    site.write(&format!("{FIRST}/implementation/a.ts"), "one\n");
    let range = json!({"start": {"line": 7, "character": 0}, "end": {"line": 7, "character": 1}});
    let threads: Vec<_> = (0..100_000)
        .map(|i| json!({"id": format!("t{i}"), "turnId": "t", "resource": "a.ts", "resolved": false, "range": range,
            "entries": [{"id": "1", "text": "x"}]}))
        .collect();
    let state = json!({"annotations": threads});
    site.write(&format!("{FIRST}/annotations.json"), state.to_string());
    assert_eq!(within(SECONDS, &site, "check"), Some(0));
}

#[test]
fn three_hundred_thousand_actions_on_the_entries_of_one_thread_take_seconds() {
    let site = site();
    let mut log = String::from(
        "{\"type\":\"annotations/set\",\"annotation\":{\"id\":\"t\",\"turnId\":\"t\",\"resource\":\"a.ts\",\"resolved\":false,\"entries\":[]}}\n",
    );
    for i in 0..150_000 {
        let _ = writeln!(
            log,
            "{{\"type\":\"annotations/entrySet\",\"annotationId\":\"t\",\"entry\":{{\"id\":\"{i}\",\"text\":\"x\"}}}}"
        );
    }
    for i in (1..150_000).rev() {
        let _ = writeln!(
            log,
            "{{\"type\":\"annotations/entryRemoved\",\"annotationId\":\"t\",\"entryId\":\"{i}\"}}"
        );
    }
    site.write(&format!("{FIRST}/annotations.actions.jsonl"), log);
    assert_eq!(within(SECONDS, &site, "check"), Some(0));
}

#[test]
fn quotes_of_one_long_event_take_seconds_whether_they_are_in_it_or_not() {
    let site = site();
    let count = 30_000;
    let words: Vec<String> = (0..count).map(|i| format!("some-word-{i}")).collect();
    site.write(
        &format!("{FIRST}/events.jsonl"),
        lines(&[event(
            0,
            "agent",
            &format!("\"message\":\"{}\"", words.join(" ").repeat(20)),
        )]),
    );
    let quotes = words.iter().enumerate().map(|(i, word)| {
        annotation(
            &format!("a{i}"),
            0,
            "note",
            &format!("\"metadata\":{{\"quote\":\"{word} is not there\"}}"),
        )
    });
    let all: Vec<String> = std::iter::once(HEADER.to_owned()).chain(quotes).collect();
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&all),
    );
    assert!(within(SECONDS, &site, "check").is_some());
}

#[test]
fn fifty_thousand_spans_to_the_end_of_a_tape_take_seconds() {
    let site = site();
    let count = 50_000;
    let events: Vec<String> = (0..count)
        .map(|_| event(0, "agent", "\"message\":\"x\""))
        .collect();
    site.write(&format!("{FIRST}/events.jsonl"), lines(&events));
    let spans = (0..count).map(|i| {
        let span = format!(
            "\"span\":{{\"start_event_id\":{i},\"end_event_id\":{}}}",
            count - 1
        );
        annotation(&format!("a{i}"), i, "note", &span)
    });
    let all: Vec<String> = std::iter::once(HEADER.to_owned()).chain(spans).collect();
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&all),
    );
    assert_eq!(within(SECONDS, &site, "build"), Some(0));
}
