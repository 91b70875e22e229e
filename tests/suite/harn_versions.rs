//! Tapes of every version of Harn: hashes and refusals as Harn's own loader gives them, and what a reader sees.

use runpress::formats::tape::parse;
use serde_json::{Value, json};

use crate::crawl::problems;
use crate::support::{FIRST, FIRST_SLUG, TestSite, codes, described, fixture, lines, raw, words};

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

/// The base run with a tape of these kinds.
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
fn every_sample_has_the_hash_that_harn_computes_or_is_refused_as_by_harn() {
    let folder = fixture("harn-tapes");
    let expected = std::fs::read(folder.join("expected-hashes.json")).expect("the list");
    let expected: Value = serde_json::from_slice(&expected).expect("JSON");
    let files = expected["files"].as_object().expect("files");
    assert_eq!(files.len(), 31);
    for (file, says) in files {
        let bytes = std::fs::read(folder.join(file)).expect(file);
        let (tape, found) = parse(file, &bytes);
        let Some(expected) = says["contentHash"].as_str() else {
            assert!(tape.is_none(), "{file} is refused");
            assert!(
                found
                    .iter()
                    .any(runpress::diagnostics::Diagnostic::is_error),
                "{file}"
            );
            continue;
        };
        let tape = tape.unwrap_or_else(|| panic!("{file}: {found:?}"));
        assert_eq!(tape.content_hash, expected, "{file}");
        assert_eq!(json!(tape.header.version), says["version"], "{file}");
        assert_eq!(json!(tape.records.len()), says["records"], "{file}");
        if let Some(other) = says["contentHashOnDiskOrder"].as_str() {
            assert!(tape.other_hashes.iter().any(|hash| hash == other), "{file}");
        }
    }
}

#[test]
fn a_tape_of_every_version_is_published_without_a_problem() {
    for (name, version) in [
        ("v2-testbench", "2"),
        ("v3-metadata", "3"),
        ("v4-full", "4"),
        ("v5-full", "5"),
    ] {
        let site = sample(name);
        assert_eq!(described(&site.publish()), [""; 0], "{name}");
        assert_eq!(problems(&site.published()), [""; 0], "{name}");
        assert_eq!(site.first_page().beside("tape version"), [version]);
    }
}

#[test]
fn the_sidecar_of_the_newest_version_agrees_with_its_tape() {
    let site = sample(FULL);
    site.publish();
    assert_eq!(
        site.first_page().beside("Its digest"),
        ["agrees with the tape"]
    );
    let document = site.first_document();
    assert_eq!(
        raw(&document, "/annotations/0/target/kind"),
        "\"tool_call\""
    );
}

#[test]
fn a_hash_over_keys_in_the_order_of_the_file_agrees_too() {
    let stale = |hash: &str| {
        let site = alone();
        let change = json!({ "kind": "tool_call", "call_id": "c", "tool": "t", "args_digest": "d", "after_calls": 1,
            "outcome": inline("x"), "transcript_changes": "changes" });
        let text = tape(&[change]).replace(
            "\"changes\"",
            r#"[{"session_id":"s","fields":{"z":{"set":{"b":1,"a":2}}}}]"#,
        );
        let (parsed, _) = parse("t", text.as_bytes());
        let parsed = parsed.expect("a tape");
        assert_eq!(parsed.other_hashes.len(), 1);
        let stated = match hash {
            "sorted" => parsed.content_hash,
            "as written" => parsed.other_hashes[0].clone(),
            other => other.to_owned(),
        };
        site.write(&format!("{FIRST}/run.tape"), &text);
        site.write(
            &format!("{FIRST}/run.tape.annotations.jsonl"),
            lines(&[format!(
                "{{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"{stated}\"}}"
            )]),
        );
        codes(&site.check()).contains(&"annotation.tape-digest-mismatch")
    };
    assert!(!stale("sorted"));
    assert!(!stale("as written"));
    assert!(stale(&hash("another tape")));
}

#[test]
fn a_last_line_that_was_cut_off_is_left_out_with_a_warning() {
    let kinds = [
        json!({ "kind": "clock_sleep", "duration_ms": 1 }),
        json!({ "kind": "clock_sleep", "duration_ms": 2 }),
    ];
    let text = tape(&kinds);
    let found = |text: &str| {
        let site = alone();
        site.write(&format!("{FIRST}/run.tape"), text);
        let outcome = site.build();
        let events = if outcome.published {
            site.first_page().all("ol.tape > li.e").len()
        } else {
            0
        };
        (codes(&outcome).join(", "), events)
    };
    let half = &text[..text.len() - 20];
    for (what, text, code, events) in [
        ("whole", text.clone(), "", 2),
        (
            "without its last line break",
            text.trim_end().to_owned(),
            "",
            2,
        ),
        ("cut off", half.to_owned(), "tape.torn-line", 1),
        (
            "cut off, then a line break",
            format!("{half}\n"),
            "tape.malformed-record",
            0,
        ),
        (
            "cut off, then blanks",
            format!("{half}\n  "),
            "tape.malformed-record",
            0,
        ),
        (
            "a comment at the end",
            format!("{text}# end"),
            "tape.torn-line",
            2,
        ),
        (
            "a second header at the end",
            format!("{text}{HEADER}"),
            "tape.second-header",
            0,
        ),
        (
            "a header that is cut off",
            HEADER[..20].to_owned(),
            "tape.malformed-record",
            0,
        ),
    ] {
        assert_eq!(found(&text), (code.to_owned(), events), "{what}");
    }
    let site = alone();
    let mut bytes = tape(&kinds[..1]).into_bytes();
    bytes.extend(b"{\"type\":\"record\",\"seq\":1,\"caf\xc3");
    site.write(&format!("{FIRST}/run.tape"), bytes);
    assert_eq!(
        codes(&site.check()),
        ["tape.torn-line"],
        "within a character"
    );
}

#[test]
fn a_newer_version_is_refused_for_its_number_whatever_else_it_holds() {
    for header in [
        r#"{"type":"header","version":6,"harn_version":"1"}"#,
        r#"{"type":"header","version":6,"run":{"recording":"later"}}"#,
    ] {
        let site = alone();
        site.write(&format!("{FIRST}/run.tape"), lines(&[header]));
        let found = described(&site.check());
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].contains("The tape is of version `6`; the newest that can be read is `5`"),
            "{found:?}"
        );
    }
}

#[test]
fn what_harn_refuses_in_a_record_is_refused() {
    let record = r#"{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"payload_redaction"}}"#;
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for (what, line) in [
        ("a phase that is null", record.replace("\"seq\":0", "\"seq\":0,\"phase\":null")),
        ("half a surrogate pair", record.replace("\"seq\":0", r#""seq":0,"newer":"\ud83d""#)),
        ("half a pair in a key", record.replace("\"seq\":0", r#""seq":0,"\ud83d":1"#)),
        ("a number without end", record.replace("\"seq\":0", "\"seq\":0,\"newer\":1e999")),
        ("values too deep", record.replace("\"seq\":0", &format!("\"seq\":0,\"newer\":{deep}"))),
        (
            "messages that are null",
            record.replace(
                r#""kind":"payload_redaction""#,
                r#""kind":"llm_call","request_digest":"d","response":{"content_hash":"h","text":""},"messages":null"#,
            ),
        ),
    ] {
        let text = lines(&[HEADER, &line]);
        let (tape, found) = parse("t", text.as_bytes());
        assert!(tape.is_none(), "{what}");
        assert_eq!(found.len(), 1, "{what}: {found:?}");
        assert_eq!(found[0].code.name, "tape.malformed-record", "{what}");
    }
}

#[test]
fn the_page_says_how_a_run_was_recorded_and_what_its_tape_holds() {
    let site = sample(FULL);
    site.publish();
    let page = site.first_page();
    let fact = |name: &str| page.beside(name).join(" ");
    assert!(
        fact("recording").starts_with("full"),
        "{}",
        fact("recording")
    );
    assert_eq!(fact("file changes of tools"), "observed");
    assert_eq!(fact("workspace root"), "/srv/run/workspace");
    assert_eq!(fact("state roots"), "/srv/run/.harn");
    let holds = words(page.one("#provenance ~ .holds, .holds"));
    for word in ["may contain", "prompts", "tool results", "paths"] {
        assert!(holds.contains(word), "{holds}");
    }
    let site = sample("v3-metadata");
    site.publish();
    let page = site.first_page();
    assert!(
        page.beside("recording")
            .join("")
            .starts_with("metadata only")
    );
    assert!(
        page.beside("file changes of tools")
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
                "ok",
                "let s = n + 1;",
                "transcript changes",
            ],
        ),
        (
            6,
            &[
                "write_file",
                "ok",
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
    assert_eq!(closed.len(), 4, "event, value, prompt and spans are folded");
}

#[test]
fn a_tool_call_failed_when_its_outcome_says_so_in_any_way() {
    let failed = [
        json!({ "kind": "categorized", "message": "m", "category": "c" }),
        json!({ "kind": "thrown", "message": "m" }),
        json!({ "kind": "thrown_value", "value": { "code": 1 } }),
        json!({ "kind": "runtime", "message": "m" }),
        json!({ "kind": "ok", "value": { "ok": false, "error": "m" } }),
        json!({ "kind": "ok", "value": { "ok": false, "tool_name": "t", "error": "m", "error_category": "c" } }),
    ];
    let others = [
        json!({ "kind": "ok", "value": { "ok": true, "tool_name": "t", "result": 1 } }),
        json!({ "kind": "ok", "value": null }),
        json!({ "kind": "ok", "value": "text" }),
        Value::Null,
        json!("no outcome"),
    ];
    let kinds: Vec<_> = failed
        .iter()
        .chain(&others)
        .map(|outcome| tool("t", "", outcome))
        .collect();
    let site = with(&kinds);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    for seq in 0..failed.len() {
        assert_eq!(
            page.all(&format!("#e-{seq}.fail strong.bad")).len(),
            1,
            "event {seq}"
        );
    }
    let outcomes: Vec<_> = (failed.len()..kinds.len())
        .map(|seq| {
            page.all(&format!("#e-{seq} .eh > .ok, #e-{seq} .eh > .bad"))
                .len()
        })
        .collect();
    assert_eq!(outcomes, [1, 1, 1, 0, 0], "what says nothing is neither");
}

#[test]
fn arguments_come_from_the_outcome_or_from_the_call_that_a_model_asked_for() {
    let asked = answer(&json!({ "text": "", "tool_calls": [
        { "id": "a", "name": "run_command", "arguments": { "command": "npm test" } },
        { "id": "b", "name": "read_file", "arguments": { "path": "asked.js" } },
    ]}));
    let noted = json!({ "kind": "ok", "value": { "ok": true, "tool_name": "read_file", "status": "ok",
        "arguments": { "path": "noted.js" }, "rendered_result": "the text", "execution_duration_ms": 12 } });
    let site = with(&[
        asked,
        tool(
            "run_command",
            "a",
            &json!({ "kind": "ok", "value": "passed" }),
        ),
        tool("read_file", "b", &noted),
        tool("read_file", "b", &Value::Null),
    ]);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    let event = |seq: u32| words(page.one(&format!("#e-{seq}")));
    assert!(event(1).contains("run_command npm test ok"), "{}", event(1));
    assert_eq!(page.all("#e-1.f-command").len(), 1);
    assert!(
        event(2).contains("noted.js") && !event(2).contains("asked.js"),
        "{}",
        event(2)
    );
    assert!(
        event(2).contains("the text") && event(2).contains("took 12 ms"),
        "{}",
        event(2)
    );
    assert!(
        event(3).contains("digest of the arguments digest"),
        "a call is used once: {}",
        event(3)
    );
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
        let texts = page.texts(&format!("#e-{seq} details pre"));
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
fn an_answer_with_many_calls_that_many_events_name_is_shown_in_part() {
    let calls: Vec<_> = (0..500)
        .map(|i| json!({ "id": i.to_string(), "name": "n".repeat(3_000), "arguments": {} }))
        .collect();
    let text = json!({ "text": "many", "tool_calls": calls }).to_string();
    let call = json!({ "kind": "llm_call", "request_digest": "d",
        "response": { "content_hash": hash(&text), "len_bytes": text.len() } });
    let site = with(&[call.clone(), call]);
    site.write(&format!("{FIRST}/run.tape.cas/{}", hash(&text)), &text);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    for seq in 0..2 {
        assert_eq!(page.all(&format!("#e-{seq} .lab")).len(), 200);
        let event = words(page.one(&format!("#e-{seq}")));
        assert!(event.contains("more calls 300"), "the others are counted");
        assert!(!event.contains(&"n".repeat(1_001)), "names are cut");
    }
}

#[test]
fn tool_calls_are_compared_by_what_they_are_about() {
    let site = sample(FULL);
    site.publish();
    let data = site.text(&format!("public/runs/{FIRST_SLUG}/compare.js"));
    for text in [
        "tool_call",
        "src/score.js",
        "run_command",
        "payload_redaction",
    ] {
        assert!(data.contains(text), "{text}: {data}");
    }
    assert!(
        !data.contains("Clock.now_ms"),
        "a lookup in a cache is no action"
    );
}

#[test]
fn calls_without_an_id_show_the_arguments_that_their_digest_proves_and_no_others() {
    let arguments = [json!({ "path": "one.js" }), json!({ "path": "two.js" })];
    let calls = arguments
        .iter()
        .map(|arguments| json!({ "name": "read_file", "arguments": arguments }));
    let calls: Vec<_> = calls.collect();
    let nameless = |digest: String| {
        let mut call = tool("read_file", "", &Value::Null);
        call["args_digest"] = json!(digest);
        call
    };
    let site = with(&[
        answer(&json!({ "text": "", "tool_calls": calls })),
        nameless(hash(&arguments[0].to_string())),
        nameless(hash(&arguments[1].to_string())),
        nameless(hash("of others")),
    ]);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    let event = |seq: u32| words(page.one(&format!("#e-{seq}")));
    assert!(event(1).contains("read_file one.js"), "{}", event(1));
    assert!(event(2).contains("read_file two.js"), "{}", event(2));
    assert!(!event(3).contains(".js"), "{}", event(3));
    assert!(event(3).contains("digest of the arguments"), "{}", event(3));
}

#[test]
fn of_two_calls_with_one_id_the_latest_counts() {
    let call = |path: &str| {
        answer(&json!({ "text": "", "tool_calls": [
            { "id": "a", "name": "read_file", "arguments": { "path": path } }] }))
    };
    let site = with(&[
        call("old.js"),
        call("new.js"),
        tool("read_file", "a", &Value::Null),
    ]);
    site.publish();
    let event = words(site.first_page().one("#e-2"));
    assert!(event.contains("read_file new.js"), "{event}");
}

#[test]
fn calls_of_different_tools_are_different_actions_and_name_the_files_they_changed() {
    let ask = |name: &str| {
        answer(&json!({ "text": "", "tool_calls": [
            { "id": name, "name": name, "arguments": { "path": "/work/src/a.js" } }] }))
    };
    let mut many = tool("patch", "", &Value::Null);
    many["effects"] = ["a", "b", "c", "d"]
        .map(|path| json!({ "path": path }))
        .into();
    let site = with(&[
        ask("read_file"),
        tool("read_file", "read_file", &Value::Null),
        ask("delete_file"),
        tool("delete_file", "delete_file", &Value::Null),
        many,
    ]);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let data = site.text(&format!("public/runs/{FIRST_SLUG}/compare.js"));
    for text in [
        r#""keys":["read_file src/a.js","delete_file src/a.js","patch a b c"]"#,
        r#""files":[[1,"src/a.js"],[3,"src/a.js"],[4,"a"],[4,"b"],[4,"c"],[4,"d"]]"#,
    ] {
        assert!(data.contains(text), "{text}: {data}");
    }
}

#[test]
fn thinking_is_shown_in_no_shape_that_a_message_an_answer_or_a_change_gives_it() {
    const SECRET: &str = "between me and myself";
    let message = |message: &Value| {
        let mut call = answer(&json!({ "text": "answer" }));
        call["messages"] = json!([inline(&message.to_string())]);
        call
    };
    let parts = [
        json!({ "type": "thought", "text": SECRET }),
        json!({ "type": "analysis", "text": SECRET }),
        json!({ "type": "chain_of_thought", "text": SECRET }),
        json!({ "type": "text", "thought": true, "text": SECRET }),
        json!({ "type": "tool_result", "content": [{ "type": "thinking", "thinking": SECRET }] }),
        json!({ "type": "text", "text": "said aloud" }),
    ];
    let block = json!({ "type": "thinking", "thinking": SECRET });
    let mut call = tool("t", "", &Value::Null);
    call["transcript_changes"] = json!([
        { "session_id": "s", "fields": { "messages": { "append": [{ "role": "assistant", "content": [block] }] },
            "reasoning": { "set": SECRET }, "tokens": { "set": { "reasoning_tokens": 7 } } } },
        { "session_id": "s", "lifecycle": { "kind": "opened", "transcript": { "messages": [block] } } },
    ]);
    let site = with(&[
        message(&json!({ "role": "assistant", "content": parts })),
        message(&json!({ "role": "assistant", "channel": "analysis", "content": SECRET })),
        message(&json!({ "role": "assistant", "content": block })),
        message(&json!({ "thinking": SECRET })),
        answer(&json!({ "thinking": SECRET, "model": "m" })),
        answer(&json!({ "choices": [{ "reasoning": SECRET, "content": "chosen" }] })),
        call,
    ]);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    let event = |seq: u32| words(page.one(&format!("#e-{seq}")));
    for seq in 0..7 {
        assert!(!event(seq).contains(SECRET), "{}", event(seq));
    }
    assert!(event(0).contains("said aloud"), "{}", event(0));
    assert!(event(4).contains("model m"), "{}", event(4));
    assert!(event(4).contains("thinking recorded, not shown"));
    assert!(event(5).contains("chosen"), "{}", event(5));
    assert!(
        event(6).contains("\"reasoning_tokens\": 7") && event(6).contains("<thinking, not shown>"),
        "{}",
        event(6)
    );
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

#[test]
fn a_phase_that_is_null_is_refused_as_null() {
    let record = r#"{"type":"record","seq":0,"phase":null,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"payload_redaction"}}"#;
    let text = lines(&[HEADER, record]);
    let (_, found) = parse("t", text.as_bytes());
    assert!(
        found[0].message.contains("null instead of a string"),
        "{found:?}"
    );
}

#[test]
fn white_space_of_unicode_around_a_record_does_not_count() {
    let record = r#"{"type":"record","seq":0,"phase":"user_script","virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"payload_redaction"}}"#;
    let plain = format!("{HEADER}\n{record}\n");
    let (tape, _) = runpress::formats::tape::parse("t", plain.as_bytes());
    let hash = tape.expect("a tape").content_hash;
    for text in [
        format!("{HEADER}\n\u{a0}{record}\u{2003}\n\u{a0}\n\u{b}\n"),
        format!("{HEADER}\n{record}\u{a0}"),
    ] {
        let (tape, problems) = runpress::formats::tape::parse("t", text.as_bytes());
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(tape.expect("a tape").content_hash, hash, "{text:?}");
    }
}
