//! Tapes of every version of Harn: hashes and refusals equal to those of Harn's own loader, and the rendered page.

mod calls;
mod loading;
mod thinking;

use serde_json::{Value, json};

use crate::support::{FIRST, TestSite, codes, fixture, lines, words};

const FULL: &str = "v5-full";

const HEADER: &str = r#"{"type":"header","version":5,"harn_version":"0.10.185"}"#;

/// The base run with a sample tape, its payloads and its sidecar instead of its event log.
fn sample(name: &str) -> TestSite {
    let site = alone();
    let folder = fixture("harn-tapes");
    for entry in std::fs::read_dir(folder.join(format!("{name}.tape.cas")))
        .into_iter()
        .flatten()
    {
        let entry = entry.expect("a payload");
        let file = entry.file_name().into_string().expect("a hash");
        site.write(
            &format!("{FIRST}/{name}.tape.cas/{file}"),
            std::fs::read(entry.path()).expect("the payload"),
        );
    }
    for ending in ["tape", "tape.annotations.jsonl"] {
        if let Ok(bytes) = std::fs::read(folder.join(format!("{name}.{ending}"))) {
            site.write(&format!("{FIRST}/{name}.{ending}"), bytes);
        }
    }
    site
}

/// The base run without its event log.
fn alone() -> TestSite {
    let site = TestSite::base();
    site.remove(&format!("{FIRST}/events.jsonl"))
        .remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
    site
}

/// The base run with a tape of records of these kinds.
fn with(kinds: &[Value]) -> TestSite {
    let site = alone();
    site.write(&format!("{FIRST}/run.tape"), tape(kinds));
    site
}

fn tape(kinds: &[Value]) -> String {
    let records = kinds.iter().enumerate().map(|(seq, kind)| {
        json!({ "type": "record", "seq": seq, "phase": "user_script", "virtual_time_ms": seq, "monotonic_ms": 0, "kind": kind })
            .to_string()
    });
    lines(
        &std::iter::once(HEADER.to_owned())
            .chain(records)
            .collect::<Vec<_>>(),
    )
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
    let fact = |name: &str| page.beside(name).join(" ");
    assert!(
        fact("Recording").starts_with("full"),
        "{}",
        fact("Recording")
    );
    assert_eq!(fact("File changes of tools"), "observed");
    assert_eq!(fact("Workspace root"), "/srv/run/workspace");
    assert_eq!(fact("State roots"), "/srv/run/.harn");
    let holds = words(page.one("#provenance ~ .holds, .holds"));
    for word in ["may contain", "prompts", "tool results", "paths"] {
        assert!(holds.contains(word), "{holds}");
    }
    let site = sample("v3-metadata");
    site.publish();
    let page = site.first_page();
    assert!(
        page.beside("Recording")
            .join("")
            .starts_with("metadata only")
    );
    assert!(
        page.beside("File changes of tools")
            .join("")
            .starts_with("not observed")
    );
}

#[test]
fn every_new_kind_is_a_readable_event() {
    let site = sample(FULL);
    site.publish();
    let page = site.first_page();
    let event = |seq: u32| words(page.one(&format!("#e-{seq}")));
    for (seq, texts) in [
        (0, &["session_control", "client_input"][..]),
        (
            1,
            &[
                "cache_lookup",
                "harn.read Clock.now_ms",
                "hit",
                "1700000000000",
            ],
        ),
        (2, &["cache_lookup", "intent classify:0", "miss"]),
        (
            3,
            &[
                "prompt_render",
                "prompts/system.harn.prompt",
                "You repair small games.",
            ],
        ),
        (
            4,
            &[
                "llm_call",
                "I will look at the file first.",
                "calls read_file",
                "{\"path\":\"src/score.js\"}",
                "input tokens 1200",
                "from cache 1000",
                "output tokens 45",
                "The score goes up by two.",
                "thinking recorded, not shown",
                "from templates 53 of 93 bytes",
                "claude-sonnet-4",
            ],
        ),
        (
            5,
            &[
                "tool_call",
                "read_file src/score.js",
                "let s = n + 1;",
                "transcript changes",
            ],
        ),
        (
            6,
            &[
                "write_file",
                "written file src/score.js",
                "let s = n;",
                "deleted file src/old.js",
            ],
        ),
        (
            7,
            &[
                "run_command",
                "failed",
                "npm: command not found",
                "tool_error",
                "cannot be replayed: the file-effect scan was incomplete",
            ],
        ),
        (8, &["payload_redaction", "Something was removed here"]),
        (
            9,
            &[
                "The off-by-one error is fixed.",
                "messages of earlier calls 1",
                "settings as in event 4",
                "let s = n + 1;",
            ],
        ),
    ] {
        let shown = event(seq);
        for text in texts {
            assert!(shown.contains(text), "event {seq} shows {text:?}: {shown}");
        }
    }
    assert!(
        !event(4).contains("score bug is probably"),
        "thoughts are not shown"
    );
    assert!(
        !event(9).contains("goes up by two"),
        "a message is shown once"
    );
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
    let site = with(&[
        tokens("cache_supported"),
        tokens("cache_counts_reported"),
        tokens("other"),
    ]);
    site.publish();
    let page = site.first_page();
    let cached: Vec<_> = (0..3)
        .map(|seq| words(page.one(&format!("#e-{seq}"))).contains("from cache 0"))
        .collect();
    assert_eq!(cached, [false, false, true]);
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
    let shown = |seq: u32| -> Vec<_> {
        let texts = page.texts(&format!("#e-{seq} > .lab ~ .md"));
        texts.into_iter().collect()
    };
    assert_eq!(shown(0), ["one"]);
    assert_eq!(shown(1), ["other agent"]);
    assert_eq!(shown(2), ["two"]);
    assert_eq!(
        shown(3),
        ["two", "one"],
        "another beginning is another conversation"
    );
}

#[test]
fn what_the_recorder_removed_is_named() {
    let site = with(&[
        json!({ "kind": "payload_redaction" }),
        tool(
            "t",
            "",
            &json!({ "kind": "ok", "value": "key <redacted:aws_key:20> and <redacted:aws_key:20>, <redacted:no> <redacted::1>" }),
        ),
    ]);
    site.publish();
    let page = site.first_page();
    assert!(words(page.one("#e-1")).contains("removed by the recorder: aws_key (2 times)"));
    assert!(!words(page.one("#e-0")).contains("removed by the recorder:"));
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
    let mut kinds: Value = serde_json::from_str(&text).expect("JSON");
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
    let event = words(site.first_page().one("#e-0"));
    assert!(!event.contains("new message"), "{event}");
}
