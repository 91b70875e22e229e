//! Tapes of every version of Harn: hashes and refusals equal to those of Harn's own loader, and the rendered page.

mod calls;
mod loading;
mod thinking;

use serde_json::{Value, json};

use crate::support::{Page, TestSite, codes, contains, fixture, lacks, parse, rows, tree, words};

const FULL: &str = "v5-full";

const HEADER: &str = r#"{"type":"header","version":5,"harn_version":"0.10.185"}"#;

/// The base run with a sample tape, its payloads and its sidecar instead of its event log.
fn sample(name: &str) -> TestSite {
    let site = alone();
    let folder = fixture("harn-tapes");
    for (path, bytes) in tree(&folder) {
        if path.starts_with(&format!("{name}.tape")) {
            site.write_first(&path, bytes);
        }
    }
    site
}

/// The base run without its event log.
fn alone() -> TestSite {
    let site = TestSite::base();
    site.unannotated().remove_first("events.jsonl");
    site
}

/// The base run with a tape of records of these kinds.
fn with(kinds: &[Value]) -> TestSite {
    let site = alone();
    site.write_first("run.tape", tape(kinds));
    site
}

fn tape(kinds: &[Value]) -> String {
    let records = kinds.iter().enumerate().map(|(seq, kind)| {
        json!({ "type": "record", "seq": seq, "phase": "user_script", "virtual_time_ms": seq, "monotonic_ms": 0, "kind": kind })
    });
    records.fold(format!("{HEADER}\n"), |tape, record| {
        tape + &format!("{record}\n")
    })
}

/// The words of an event on the page of the run.
fn shown(site: &TestSite, seq: usize) -> String {
    words(site.first_page().one(&format!("#e-{seq}")))
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn inline(text: &str) -> Value {
    json!({ "content_hash": hash(text), "text": text })
}

fn answer(response: &Value) -> Value {
    json!({ "kind": "llm_call", "request_digest": "d", "response": inline(&response.to_string()) })
}

fn tool(name: &str, id: &str, outcome: &Value) -> Value {
    json!({ "kind": "tool_call", "call_id": id, "tool": name, "args_digest": "digest", "after_calls": 1,
        "outcome": inline(&if outcome.is_null() { String::new() } else { outcome.to_string() }) })
}

#[test]
fn the_page_says_how_a_run_was_recorded_and_what_its_tape_holds() {
    let site = sample(FULL);
    site.publish();
    let page = site.first_page();
    let fact = |page: &Page, name: &str| page.beside(name).join(" ");
    let recording = fact(&page, "Recording");
    assert!(recording.starts_with("full"), "{recording}");
    assert_eq!(fact(&page, "File changes of tools"), "observed");
    assert_eq!(fact(&page, "Workspace root"), "/srv/run/workspace");
    assert_eq!(fact(&page, "State roots"), "/srv/run/.harn");
    let holds = words(page.one("#provenance ~ .holds, .holds"));
    for word in ["may contain", "prompts", "tool results", "paths"] {
        contains(&holds, word);
    }
    let site = sample("v3-metadata");
    site.publish();
    for (name, start) in [
        ("Recording", "metadata only"),
        ("File changes of tools", "not observed"),
    ] {
        let fact = fact(&site.first_page(), name);
        assert!(fact.starts_with(start), "{name}: {fact}");
    }
}

#[test]
fn every_new_kind_is_a_readable_event() {
    let site = sample(FULL);
    site.publish();
    let page = site.first_page();
    let event = |seq: usize| words(page.one(&format!("#e-{seq}")));
    for (seq, [texts]) in rows(
        r#"
session_control; client_input
cache_lookup; harn.read Clock.now_ms; hit; 1700000000000
cache_lookup; intent classify:0; miss
prompt_render; prompts/system.harn.prompt; You repair small games.
llm_call; I will look at the file first.; calls read_file; {"path":"src/score.js"}; input tokens 1200; from cache 1000; output tokens 45; The score goes up by two.; thinking recorded, not shown; from templates 53 of 93 bytes; claude-sonnet-4
tool_call; read_file src/score.js; let s = n + 1;; transcript changes
write_file; written file src/score.js; let s = n;; deleted file src/old.js
run_command; failed; npm: command not found; tool_error; cannot be replayed: the file-effect scan was incomplete
payload_redaction; Something was removed here
The off-by-one error is fixed.; messages of earlier calls 1; settings as in event 4; let s = n + 1;
"#,
    )
    .into_iter()
    .enumerate()
    {
        let shown = event(seq);
        for text in texts.split("; ") {
            assert!(shown.contains(text), "event {seq} shows {text:?}: {shown}");
        }
    }
    // Thoughts are not shown, and a message is shown once.
    lacks(&event(4), "score bug is probably");
    lacks(&event(9), "goes up by two");
    let closed =
        page.all("#e-0 details:not([open]), #e-1 details:not([open]), #e-3 details:not([open])");
    assert_eq!(closed.len(), 1, "what is worth a click is folded");
}

#[test]
fn tokens_of_a_cache_that_is_not_counted_are_unknown_and_not_0() {
    let tokens = |supported: &str| {
        answer(
            &json!({ "text": "t", "input_tokens": 5, "cache_read_tokens": 0, "output_tokens": 2, supported: false }),
        )
    };
    let site = with(&["cache_supported", "cache_counts_reported", "other"].map(tokens));
    site.publish();
    let is_cached = |seq| shown(&site, seq).contains("from cache 0");
    assert_eq!([0, 1, 2].map(is_cached), [false, false, true]);
}

#[test]
fn a_message_is_shown_at_the_first_call_that_sends_it_also_when_agents_take_turns() {
    let message = |text: &str| inline(&json!({ "role": "user", "content": text }).to_string());
    let call = |messages: &[&str]| {
        let mut call = answer(&json!({ "text": "answer" }));
        call["messages"] = messages.iter().copied().map(message).collect();
        call
    };
    let site = with(&[
        call(&["one"]),
        call(&["other agent"]),
        call(&["one", "two"]),
        call(&["two", "one"]),
    ]);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    // Another beginning is another conversation.
    for (seq, expected) in [&["one"][..], &["other agent"], &["two"], &["two", "one"]]
        .iter()
        .enumerate()
    {
        assert_eq!(page.texts(&format!("#e-{seq} > .lab ~ .md")), *expected);
    }
}

#[test]
fn what_the_recorder_removed_is_named() {
    let removed = json!({ "kind": "ok", "value": "key <redacted:aws_key:20> and <redacted:aws_key:20>, <redacted:no> <redacted::1>" });
    let site = with(&[
        json!({ "kind": "payload_redaction" }),
        tool("t", "", &removed),
    ]);
    site.publish();
    contains(
        &shown(&site, 1),
        "removed by the recorder: aws_key (2 times)",
    );
    lacks(&shown(&site, 0), "removed by the recorder:");
}

#[test]
fn payloads_of_every_new_kind_are_checked_and_missing_ones_named() {
    let gone = |name: &str| json!({ "content_hash": hash(name), "len_bytes": 9 });
    let kinds = [
        json!({ "kind": "llm_call", "request_digest": "d", "response": gone("1"), "request": gone("2"), "messages": [gone("3")] }),
        json!({ "kind": "tool_call", "call_id": "", "tool": "t", "args_digest": "d", "after_calls": 0, "outcome": gone("4"),
            "effects": [{ "path": "src/a.js", "content": gone("5") }] }),
        json!({ "kind": "cache_lookup", "namespace": "n", "key": "k", "after_calls": 0, "value": gone("6") }),
        json!({ "kind": "prompt_render", "render_id": "r", "template_uri": "t", "rendered": gone("7"), "spans": gone("8") }),
        json!({ "kind": "session_control", "event": gone("9") }),
    ];
    let site = with(&kinds);
    assert_eq!(codes(&site.publish()), ["tape.missing-payload"; 9]);
    let page = site.first_page();
    assert_eq!(page.all(".missing").len(), 9);
    assert!(words(page.one("#e-1")).contains("Payload not found: written file src/a.js (9 B)."));

    let wrong = json!({ "content_hash": hash("other"), "text": "text" });
    let text = json!(kinds).to_string();
    let mut kinds = parse(&text);
    let mut count = 0;
    swap(&mut kinds, &wrong, &mut count);
    assert_eq!(count, 9);
    let site = with(kinds.as_array().expect("kinds"));
    assert_eq!(codes(&site.check()), ["tape.payload-mismatch"; 9]);
}

/// Replaces every payload.
fn swap(value: &mut Value, by: &Value, count: &mut usize) {
    if value.get("len_bytes").is_some() {
        *value = by.clone();
        *count += 1;
    } else if let Value::Array(items) = value {
        for item in items {
            swap(item, by, count);
        }
    } else if let Value::Object(members) = value {
        members.values_mut().for_each(|item| swap(item, by, count));
    }
}

#[test]
fn a_message_without_words_is_not_listed() {
    let mut call = answer(&json!({ "text": "answer" }));
    let empty = json!({ "role": "assistant", "content": "", "tool_calls": [] });
    call["messages"] = json!([inline(&empty.to_string())]);
    let site = with(&[call]);
    site.publish();
    lacks(&shown(&site, 0), "new message");
}
