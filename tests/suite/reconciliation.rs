//! How well the logs of a run agree with its record: shown and published in feeds, never a reason to refuse the run.

use crate::support::{TestSite, codes, lines};

/// The base run with these logs.
fn with_logs(events: &[&str], raw: Option<&[&str]>) -> TestSite {
    let site = TestSite::base();
    site.write_first("events.jsonl", lines(events));
    site.unannotated();
    if let Some(raw) = raw {
        site.write_first("raw.jsonl", lines(raw));
    }
    site
}

fn compared(site: &TestSite) -> serde_json::Value {
    site.first_run()["reconciliation"].clone()
}

const RAW: &[&str] = &[
    r#"{"stream":"stdout","line":"{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Begin.\"}}"}"#,
    r#"{"stream":"stderr","text":"a word of warning"}"#,
    r#"{"stream":"stderr","line":"   "}"#,
    r#"{"stream":"stdout","line":"{\"type\":\"item.completed\",\"item\":{\"type\":\"command_execution\",\"command\":\"npm test\",\"exit_code\":1}}"}"#,
];

#[test]
fn logs_that_fit_the_record_agree_in_every_point() {
    let site = with_logs(
        &[
            r#"{"timestamp":"2026-03-01T10:00:01Z","type":"agent","message":"Begin."}"#,
            r#"{"timestamp":"2026-03-01T10:00:02Z","type":"warning","message":"a word of warning"}"#,
            // Half a second after the end in the record, which has a precision of one second.
            r#"{"timestamp":"2026-03-01T10:10:12.500Z","type":"command","command":"npm test","isSuccess":false,"exitCode":1}"#,
        ],
        Some(RAW),
    );
    assert_eq!(codes(&site.publish()), Vec::<&str>::new());
    assert_eq!(
        compared(&site),
        serde_json::json!({
            "timeSpan": {"first": "2026-03-01T10:00:01.000Z", "last": "2026-03-01T10:10:12.500Z", "beforeStartMs": 0, "afterFinishMs": 500, "agrees": true},
            "order": {"timed": 3, "untimed": 0, "backwards": 0, "firstBackwards": null, "agrees": true},
            "unknown": {"events": 3, "unknown": 0, "share": 0.0, "agrees": true},
            "raw": {"lines": 4, "stdout": 2, "stderr": 2, "blank": 1, "unreadable": 0, "events": 3, "warnings": 1, "agrees": true},
            "errors": {"errors": 0, "failed": 1, "endsInError": false, "state": "completed", "agrees": true},
        })
    );
    let page = site.first_page();
    let verdicts = page.texts("[aria-label='Recording and record'] td .badge");
    assert_eq!(verdicts, ["agrees"; 5]);
    assert_eq!(
        page.texts("[aria-label='Recording and record'] tbody tr:last-child td:nth-child(2)"),
        ["4 lines, 2 of them from stderr, gave 3 events and 1 warning"]
    );
}

#[test]
fn logs_that_do_not_fit_are_published_with_every_difference_named() {
    let site = with_logs(
        &[
            r#"{"timestamp":"2026-03-01T09:59:00Z","type":"agent","message":"Begin."}"#,
            r#"{"timestamp":"2026-03-01T10:30:00Z","type":"hologram"}"#,
            r#"{"timestamp":"2026-03-01T10:00:02Z","type":"agent","message":"Back."}"#,
            r#"{"timestamp":"noon","type":"agent","message":"When?"}"#,
            r#"{"timestamp":"2026-03-01T10:00:03Z","type":"error","message":"exit 1"}"#,
            r#"{"timestamp":"2026-03-01T10:00:04Z","type":"system","stage":"teardown","status":"completed","message":"gone"}"#,
        ],
        Some(&[RAW[1], r#"{"stream":"stdout"}"#]),
    );
    let outcome = site.publish();
    assert_eq!(
        codes(&outcome),
        [
            "events.unknown-type",
            "events.invalid-timestamp",
            "raw.event-differs",
            "raw.missing-field"
        ]
    );
    assert_eq!(
        compared(&site),
        serde_json::json!({
            "timeSpan": {"first": "2026-03-01T09:59:00.000Z", "last": "2026-03-01T10:30:00.000Z", "beforeStartMs": 60_000, "afterFinishMs": 1_188_000, "agrees": false},
            "order": {"timed": 5, "untimed": 1, "backwards": 1, "firstBackwards": 2, "agrees": false},
            "unknown": {"events": 6, "unknown": 1, "share": 1.0 / 6.0, "agrees": false},
            "raw": {"lines": 2, "stdout": 0, "stderr": 1, "blank": 0, "unreadable": 1, "events": 6, "warnings": 0, "agrees": false},
            "errors": {"errors": 1, "failed": 0, "endsInError": true, "state": "completed", "agrees": false},
        })
    );
    let page = site.first_page();
    assert_eq!(
        page.texts("[aria-label='Recording and record'] td:nth-child(2)"),
        [
            "2026-03-01 09:59:00 UTC to 2026-03-01 10:30:00 UTC; begins 1 min before the run started and ends 19 min 48 s after the run finished",
            "1 event is earlier than the event before, first at event 2; 1 event without a time",
            "1 of 6 events is unknown, 16.7 %",
            "1 error and 0 failed events in a run that is completed; the log ends in an error",
            "2 lines, 1 of them from stderr, gave 6 events and 0 warnings; 1 line cannot be read",
        ]
    );
    let verdicts = page.texts("[aria-label='Recording and record'] td .badge");
    assert_eq!(verdicts, ["differs"; 5]);
}

#[test]
fn a_raw_log_is_checked_and_digested_but_no_word_of_it_is_published() {
    let site = with_logs(
        &[r#"{"timestamp":"2026-03-01T10:00:01Z","type":"agent","message":"Begin."}"#],
        Some(&[
            r#"{"stream":"stdout","line":"s3ntinel"}"#,
            r#"{"stream":"s3ntinel","line":"s3ntinel"}"#,
            r#"{"stream":"stdout","line":"s3ntinel"#,
            r#"{"stream":"stdout","s3ntinel":"s3ntinel","line":["s3ntinel"]}"#,
        ]),
    );
    site.publish();
    assert_eq!(site.published_with("s3ntinel"), [""; 0]);
    let document = site.first_run();
    let files = document["files"].as_array().expect("files");
    assert!(files.iter().any(|file| file["path"] == "raw.jsonl"));
    for format in ["human", "json", "github", "sarif", "junit", "markdown"] {
        let ran = site.runpress(&["check", "-v", "--report", format]);
        let said = ran.stdout + &ran.stderr;
        assert!(said.contains("raw.unknown-stream"), "{said}");
        assert!(!said.contains("s3ntinel"), "{said}");
    }
}

#[test]
fn a_run_without_logs_has_nothing_to_compare() {
    let site = TestSite::base();
    site.remove_first("events.jsonl").unannotated();
    site.publish();
    assert_eq!(compared(&site), serde_json::Value::Null);
    assert!(
        site.first_page()
            .all("[aria-label='Recording and record']")
            .is_empty()
    );
}

#[test]
fn only_states_that_speak_of_errors_are_held_against_them() {
    for (state, agrees) in [
        ("completed", serde_json::json!(true)),
        ("harness_error", serde_json::json!(false)),
        ("timed_out", serde_json::Value::Null),
        ("unevaluable", serde_json::Value::Null),
    ] {
        let site = TestSite::base();
        site.replace_first(
            "run-record.json",
            "\"state\": \"completed\"",
            &format!("\"state\": \"{state}\""),
        );
        site.publish();
        assert_eq!(compared(&site)["errors"]["agrees"], agrees, "{state}");
    }
}
