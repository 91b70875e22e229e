//! Hostile input takes time proportional to its size: inputs that once took quadratic time finish within seconds of CPU.
//!
//! With these sizes, quadratic time would take many minutes. Only CPU time counts, not the load of the machine.
//! `benches/time.py` measures the same.
#![cfg(unix)]

use std::fmt::Write;
use std::process::Command;

use serde_json::json;

use crate::support::{Run, TestSite, annotation, lines, message};

/// Checks or builds the site with a limit of CPU seconds, and returns the exit status; `None` if the limit was reached.
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

/// The CPU limit of each site; a development build takes a few seconds.
const SECONDS: u32 = 60;

/// A base site without annotations.
fn site() -> TestSite {
    let site = TestSite::base();
    site.annotate(&[""; 0]);
    site
}

#[test]
#[ignore = "slow"]
fn a_hundred_thousand_problems_on_one_line_of_review_threads_take_seconds() {
    let site = site();
    let threads = (0..100_000).map(|i| json!({"id": format!("t{i}"), "entries": []}));
    let state = json!({"annotations": threads.collect::<Vec<_>>()});
    site.write_first("annotations.json", state.to_string());
    assert_eq!(within(SECONDS, &site, "check"), Some(1));
}

#[test]
#[ignore = "slow"]
fn a_hundred_thousand_wrong_checks_on_one_line_of_a_record_take_seconds() {
    let site = site();
    let checks = vec![json!({"view": 7}); 100_000];
    site.edit_first(|record| record["validation"]["checks"] = checks.into());
    assert_eq!(within(SECONDS, &site, "check"), Some(1));
}

#[test]
#[ignore = "slow"]
fn a_hundred_thousand_ranges_that_no_file_has_take_seconds() {
    let site = site();
    site.write_first("implementation/a.ts", "one\n");
    let range = json!({"start": {"line": 7, "character": 0}, "end": {"line": 7, "character": 1}});
    let threads: Vec<_> = (0..100_000)
        .map(|i| json!({"id": format!("t{i}"), "turnId": "t", "resource": "a.ts", "resolved": false, "range": range,
            "entries": [{"id": "1", "text": "x"}]}))
        .collect();
    let state = json!({"annotations": threads});
    site.write_first("annotations.json", state.to_string());
    assert_eq!(within(SECONDS, &site, "check"), Some(0));
}

#[test]
#[ignore = "slow"]
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
    site.write_first("annotations.actions.jsonl", log);
    assert_eq!(within(SECONDS, &site, "check"), Some(0));
}

#[test]
#[ignore = "slow"]
fn quotes_of_one_long_event_take_seconds_whether_they_are_in_it_or_not() {
    let site = site();
    let count = 30_000;
    let words: Vec<String> = (0..count).map(|i| format!("some-word-{i}")).collect();
    site.log(message(0, &words.join(" ").repeat(20)) + "\n");
    let quotes = words.iter().enumerate().map(|(i, word)| {
        let quote = format!("\"metadata\":{{\"quote\":\"{word} is not there\"}}");
        annotation(&format!("a{i}"), 0, "note", &quote)
    });
    site.annotate(&quotes.collect::<Vec<_>>());
    assert!(within(SECONDS, &site, "check").is_some());
}

#[test]
#[ignore = "slow"]
fn fifty_thousand_spans_to_the_end_of_a_tape_take_seconds() {
    let site = site();
    let count = 50_000;
    site.log(lines(&vec![message(0, "x"); 50_000]));
    let spans = (0..count).map(|i| {
        let span = format!(
            "\"span\":{{\"start_event_id\":{i},\"end_event_id\":{}}}",
            count - 1
        );
        annotation(&format!("a{i}"), i, "note", &span)
    });
    site.annotate(&spans.collect::<Vec<_>>());
    assert_eq!(within(SECONDS, &site, "build"), Some(0));
}

#[test]
#[ignore = "slow"]
fn three_hundred_thousand_events_without_a_time_take_seconds() {
    let site = site();
    site.write_first(
        "events.jsonl",
        "{\"type\":\"agent\",\"message\":\"x\"}\n".repeat(300_000),
    );
    assert!(within(SECONDS, &site, "check").is_some());
}

#[test]
#[ignore = "slow"]
fn megabytes_of_what_looks_like_secrets_take_seconds() {
    let token = ["gh", "p_", "q8Zr4Lm2Xw7Nc5Vb9Ks1Tj6Hd3Fg0Py2Ru4E"].concat();
    let begin = ["-----BEGIN PRIVATE", " KEY-----"].concat();
    let line = |text: &str| message(0, text) + "\n";
    let logs = [
        line(&format!("{token} ").repeat(60_000)),
        line(&begin).repeat(60_000),
        line(&"secret=".repeat(200_000)),
        line(&"key%3D".repeat(200_000)),
        line(&"\"\\".repeat(200_000)),
        format!(
            "{{\"type\":\"agent\",\"{}\":[{}]}}\n",
            "k".repeat(1 << 20),
            vec![format!("\"{token}\""); 20_000].join(",")
        ),
        line(&"a\u{200b}&#95;\0".repeat(60_000)),
        format!(
            "{{\"type\":\"agent\",\"blocks\":[{}]}}\n",
            vec!["{\"text\":\"a1\"}"; 60_000].join(",")
        ),
    ];
    for log in logs {
        let site = site();
        site.write_first("events.jsonl", &log);
        assert!(
            within(SECONDS, &site, "check").is_some(),
            "{}",
            &log[..log.len().min(150)]
        );
    }
}

/// Bytes that a build writes: the site and its reports.
fn written(site: &TestSite) -> usize {
    let ran = site.runpress("build --keep-going").ok();
    let files = site.published();
    ran.stdout.len() + ran.stderr.len() + files.values().map(Vec::len).sum::<usize>()
}

/// Doubling the input may increase the output by at most 2.3 times.
fn assert_linear(bytes: impl Fn(usize) -> usize, n: usize) {
    let (none, once, twice) = (bytes(0), bytes(n), bytes(2 * n));
    assert!(
        (twice - none) * 10 <= (once - none) * 23,
        "{none}, {once}, {twice} bytes"
    );
}

#[test]
fn what_a_build_writes_about_quarantined_runs_grows_with_their_number() {
    let bytes = |count: usize| {
        let site = TestSite::empty();
        site.run("good", &Run::new("0000000a-1"));
        for i in 0..count {
            site.write(&format!("content/runs/r{i:06}/run-record.json"), "{");
        }
        written(&site)
    };
    assert_linear(bytes, 150);
}

#[test]
fn what_a_build_writes_about_runs_with_checks_of_their_own_grows_with_their_number() {
    let bytes = |count: usize| {
        let site = TestSite::empty();
        for i in 0..=count {
            let checks: Vec<_> = (0..20)
                .map(|j| json!({"view": format!("v{i}-{j}"), "name": format!("View {i}-{j}"), "reached": true,
                    "similarity": 0.5, "detail": null}))
                .collect();
            let run = Run::new(&format!("{i:08x}-1"));
            site.run_with(&format!("r{i:06}"), &run, |record| {
                record["validation"]["checks"] = checks.into();
            });
        }
        written(&site)
    };
    assert_linear(bytes, 25);
}
