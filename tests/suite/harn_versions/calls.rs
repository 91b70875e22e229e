//! Tool calls: arguments, outcomes, and the keys for comparing them.

use serde_json::{Value, json};

use super::{FULL, answer, hash, sample, shown, tool, with};
use crate::compare;
use crate::support::{FIRST_SLUG, codes, contains, lacks};

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
    let all = failed.iter().chain(&others);
    let site = with(
        &all.map(|outcome| tool("t", "", outcome))
            .collect::<Vec<_>>(),
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    let count = |selector: String| page.all(&selector).len();
    for seq in 0..11 {
        let is_failure = seq < failed.len();
        assert_eq!(
            count(format!("#e-{seq}.fail strong.bad")),
            usize::from(is_failure),
            "event {seq}"
        );
        // Only a failure is stated.
        assert!(
            is_failure || count(format!("#e-{seq} > p:first-child > .bad")) == 0,
            "event {seq}"
        );
    }
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
    contains(&shown(&site, 1), "run_command npm test");
    site.first_page().one("#e-1.f-command");
    for part in ["noted.js", "the text", "took 12 ms"] {
        contains(&shown(&site, 2), part);
    }
    lacks(&shown(&site, 2), "asked.js");
    // A call is used once.
    contains(&shown(&site, 3), "digest of the arguments digest");
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
    site.write_first(&format!("run.tape.cas/{}", hash(&text)), &text);
    assert_eq!(codes(&site.publish()), [""; 0]);
    for seq in 0..2 {
        let labels = site.first_page().all(&format!("#e-{seq} .lab")).len();
        assert!((200..=201).contains(&labels), "{labels}");
        let event = shown(&site, seq);
        assert!(event.contains("more calls 300"), "the others are counted");
        assert!(!event.contains(&"n".repeat(1_001)), "names are cut");
    }
}

#[test]
fn tool_calls_are_compared_by_what_they_are_about() {
    let site = sample(FULL);
    site.publish();
    let data = compare::data(&site, FIRST_SLUG).to_string();
    for text in [
        "tool_call",
        "src/score.js",
        "run_command",
        "payload_redaction",
    ] {
        contains(&data, text);
    }
    // A lookup in a cache is no action.
    lacks(&data, "Clock.now_ms");
}

#[test]
fn calls_without_an_id_show_the_arguments_that_their_digest_proves_and_no_others() {
    let arguments = ["one.js", "two.js"].map(|path| json!({ "path": path }));
    let calls = arguments
        .each_ref()
        .map(|arguments| json!({ "name": "read_file", "arguments": arguments }));
    let nameless = |text: &str| {
        let mut call = tool("read_file", "", &Value::Null);
        call["args_digest"] = json!(hash(text));
        call
    };
    let site = with(&[
        answer(&json!({ "text": "", "tool_calls": calls })),
        nameless(&arguments[0].to_string()),
        nameless(&arguments[1].to_string()),
        nameless("of others"),
    ]);
    assert_eq!(codes(&site.publish()), [""; 0]);
    contains(&shown(&site, 1), "read_file one.js");
    contains(&shown(&site, 2), "read_file two.js");
    lacks(&shown(&site, 3), ".js");
    contains(&shown(&site, 3), "digest of the arguments");
}

#[test]
fn of_two_calls_with_one_id_the_latest_counts() {
    let call = |path: &str| {
        answer(&json!({ "text": "", "tool_calls": [
            { "id": "a", "name": "read_file", "arguments": { "path": path } }] }))
    };
    let read = tool("read_file", "a", &Value::Null);
    let site = with(&[call("old.js"), call("new.js"), read]);
    site.publish();
    contains(&shown(&site, 2), "read_file new.js");
}

#[test]
fn calls_of_different_tools_are_different_actions_and_name_the_files_they_changed() {
    let ask = |name: &str| {
        answer(&json!({ "text": "", "tool_calls": [
            { "id": name, "name": name, "arguments": { "path": "/workspace/src/a.js" } }] }))
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
    let data = compare::data(&site, FIRST_SLUG).to_string();
    for text in [
        r#""keys":["read_file src/a.js","delete_file src/a.js","patch a b c"]"#,
        r#""files":[[1,"src/a.js"],[3,"src/a.js"],[4,"a"],[4,"b"],[4,"c"],[4,"d"]]"#,
    ] {
        contains(&data, text);
    }
}
