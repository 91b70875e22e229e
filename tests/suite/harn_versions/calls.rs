//! Tool calls: arguments, outcomes, and the keys for comparing them.

use serde_json::{Value, json};

use super::{FULL, answer, hash, sample, tool, with};
use crate::compare;
use crate::support::{FIRST, FIRST_SLUG, codes, words};

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
        .map(|seq| page.all(&format!("#e-{seq} > p:first-child > .bad")).len())
        .collect();
    assert_eq!(outcomes, [0; 5], "only a failure is stated");
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
    assert!(event(1).contains("run_command npm test"), "{}", event(1));
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
        let labels = page.all(&format!("#e-{seq} .lab"));
        assert!((200..=201).contains(&labels.len()), "{}", labels.len());
        let event = words(page.one(&format!("#e-{seq}")));
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
        assert!(data.contains(text), "{text}: {data}");
    }
}
