//! Whole messages that Harn marks as no part of the conversation.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::withheld::places_of;
use super::{SENTINEL, conversation, document, with};
use crate::support::{TestSite, codes};

/// A site whose transcript consists of a public message and another one.
fn next_to_a_public_one(message: &Value) -> TestSite {
    let public = json!({ "role": "user", "content": "PUBLIC" });
    conversation(&json!([public, message]))
}

/// The marks, with the reason under which each is counted.
fn withheld_messages() -> Vec<(&'static str, Value)> {
    let marked = |role: &str, key: &str, value: Value| json!({ "role": role, "content": SENTINEL, key: value });
    let results = [
        json!({ "kind": "tool_result", "tool_call_id": "c1", "outcome": "ok" }),
        json!({ "Kind": "toolResult" }),
        json!({ "kind": "not known yet" }),
        json!({ "kind": ["tool_result"] }),
        json!({ "kind": 3 }),
        json!({ "kind": "assistant", "toolCallId": "c1" }),
        json!("tool_result"),
        json!([{ "kind": "tool_result" }]),
        json!(true),
    ];
    let directives = [
        json!(["reminder-1"]),
        json!([null]),
        json!("reminder-1"),
        json!(""),
        json!({}),
        json!(1),
        json!(false),
    ];
    let drafts = [
        json!("pending"),
        json!("withheld"),
        json!("Published"),
        json!(" published"),
        json!("not known yet"),
        json!(""),
        json!(null),
        json!(true),
        json!(["published"]),
        json!({ "state": "published" }),
    ];
    let mut all = Vec::new();
    for (index, value) in results.into_iter().enumerate() {
        let role = ["user", "assistant", "system"][index % 3];
        all.push(("toolResults", marked(role, "_harn", value)));
    }
    for (index, value) in directives.into_iter().enumerate() {
        let role = ["user", "system", "assistant"][index % 3];
        all.push(("directives", marked(role, "_harn_directive_ids", value)));
    }
    for value in drafts {
        all.push((
            "unpublished",
            marked("assistant", "harn_assistant_publication", value),
        ));
    }
    all.push((
        "directives",
        marked("user", "_harnDirectiveIds", json!(["a"])),
    ));
    all.push((
        "directives",
        marked("user", "_Harn-Directive-IDs", json!(["a"])),
    ));
    all.push((
        "unpublished",
        marked("assistant", "harnAssistantPublication", json!("pending")),
    ));
    all.push((
        "toolResults",
        marked("user", "_HARN", json!({ "kind": "tool_result" })),
    ));
    // A block that says public does not publish a directive or a draft.
    let public = json!([{ "type": "text", "visibility": "public", "text": SENTINEL }]);
    all.push((
        "directives",
        json!({ "role": "user", "content": public, "_harn_directive_ids": ["a"] }),
    ));
    all.push((
        "unpublished",
        json!({ "role": "assistant", "visibility": "public", "content": public, "harn_assistant_publication": "pending" }),
    ));
    all
}

/// Contents of a message of the user in which a result of a tool makes what is next to it internal.
fn next_to_results() -> Vec<Value> {
    let text = json!({ "type": "text", "text": SENTINEL });
    [
        json!({ "type": "tool_result", "tool_use_id": "u", "content": "x" }),
        json!({ "type": "toolResult", "content": "x" }),
        json!({ "type": "function_call_output", "output": "x" }),
        json!({ "type": "text", "toolUseId": "u", "text": "x" }),
        json!({ "functionResponse": { "name": "f" } }),
        json!({ "type": "document", "content": [{ "type": "tool_result", "content": "x" }] }),
        json!({ "type": "tool_result", "visibility": "public", "content": "PUBLIC" }),
        json!([{ "type": "tool_result", "content": "x" }]),
    ]
    .into_iter()
    .flat_map(|result| [json!([result, text]), json!([SENTINEL, result])])
    .collect()
}

#[test]
fn a_message_that_harn_withholds_is_not_published_and_counted_with_its_reason() {
    let mut messages = vec![json!({ "role": "user", "content": "PUBLIC" })];
    let mut counts = BTreeMap::new();
    for (reason, message) in withheld_messages() {
        *counts.entry(reason).or_insert(0) += 1;
        messages.push(message);
    }
    let count = messages.len() - 1;
    let site = conversation(&json!(messages));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let written = document(&site);
    assert_eq!(
        written["messages"],
        json!([{ "role": "user", "content": ["PUBLIC"] }])
    );
    counts.insert("nextToToolResults", 0);
    assert_eq!(
        written["withheld"],
        json!({ "internal": count, "private": 0, "reasons": counts })
    );
    assert_eq!(places_of(&site, SENTINEL), [""; 0]);
}

#[test]
fn what_is_next_to_the_result_of_a_tool_in_a_message_of_the_user_is_withheld() {
    let mut messages = vec![json!({ "role": "user", "content": "PUBLIC" })];
    for role in ["user", "User", "human"] {
        let contents = next_to_results().into_iter();
        messages.extend(contents.map(|content| json!({ "role": role, "content": content })));
    }
    let count = messages.len() as u64 - 1;
    let site = conversation(&json!(messages));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let reasons = &document(&site)["withheld"]["reasons"];
    let withheld = reasons["nextToToolResults"].as_u64();
    assert!(
        withheld.is_some_and(|withheld| withheld >= count),
        "{reasons}"
    );
    assert_eq!(places_of(&site, SENTINEL), [""; 0]);
}

#[test]
fn an_event_that_repeats_a_withheld_message_is_withheld() {
    let text = format!("{SENTINEL}: finish within 3 turns");
    let event = |kind: &str, text: &str| json!({ "id": kind, "kind": kind, "role": "system", "visibility": "public", "text": text });
    let site = with(
        json!({ "_type": "transcript", "version": 2,
            "messages": [
                { "role": "user", "_harn_directive_ids": ["reminder-1"], "content": format!("<harn-directive>\n{text}\n</harn-directive>") },
                { "role": "assistant", "harn_assistant_publication": "pending", "content": [SENTINEL, "draft"] },
            ],
            "events": [
                event("message", &text), event("Message", &text), event("system_reminder", &text),
                event("plan", &format!("{SENTINEL} draft")),
                { "kind": "plan", "visibility": "public", "text": SENTINEL, "harn_assistant_publication": "pending" },
                { "kind": "plan", "visibility": "public", "text": SENTINEL, "_harn": { "kind": "tool_result" } },
                { "kind": "plan", "visibility": "public", "text": SENTINEL,
                  "blocks": [{ "type": "text", "text": SENTINEL, "_harn_directive_ids": ["a"] }] },
                event("plan", "PUBLIC plan"),
            ],
            "assets": [] })
        .to_string(),
    );
    // The event of kind `message` has the role of no message.
    assert_eq!(codes(&site.publish()), ["transcript.event-disagrees"]);
    let events = document(&site)["events"].clone();
    assert_eq!(events.as_array().map(Vec::len), Some(1), "{events}");
    assert_eq!(places_of(&site, SENTINEL), [""; 0]);
}

#[test]
fn a_withheld_message_inside_a_public_result_withholds_the_result() {
    let draft = json!([{ "role": "assistant", "harn_assistant_publication": "pending", "content": SENTINEL }]);
    let directive = json!([{ "role": "user", "_harn_directive_ids": ["a"], "content": SENTINEL }]);
    let text = directive.to_string();
    for content in [
        draft.clone(),
        json!({ "messages": draft }),
        json!(draft.to_string()),
        directive,
        json!(text),
        json!(text.trim_end_matches(']')),
    ] {
        let block = json!({ "type": "tool_result", "visibility": "public", "name": "read", "content": content });
        let site = next_to_a_public_one(&json!({ "role": "assistant", "content": [block] }));
        site.publish();
        assert_eq!(site.published_with(SENTINEL), [""; 0], "{content}");
    }
}

#[test]
fn a_message_with_marks_that_withhold_nothing_is_published() {
    for message in [
        json!({ "role": "assistant", "content": "SHOWN", "harn_assistant_publication": "published",
                "_harn": { "kind": "assistant", "call_role": "agent.main", "call_stage": null } }),
        json!({ "role": "user", "content": "SHOWN", "_harn_directive_ids": [], "_harn": null }),
        json!({ "role": "user", "content": "SHOWN", "_harn_directive_ids": null }),
        json!({ "role": "user", "content": [{ "type": "text", "visibility": "public", "text": "SHOWN" },
                                            { "type": "tool_result", "content": "x" }] }),
        json!({ "role": "user", "_harn": { "kind": "tool_result" },
                "content": [{ "type": "text", "visibility": "public", "text": "SHOWN" }] }),
        json!({ "role": "user", "content": ["SHOWN", { "type": "tool_call", "name": "n" }] }),
        json!({ "role": "system", "content": ["SHOWN", { "type": "tool_result", "content": "x" }] }),
        json!({ "role": "assistant", "content": ["SHOWN", { "type": "web_search_tool_result", "content": [] }] }),
    ] {
        let site = next_to_a_public_one(&message);
        assert_eq!(codes(&site.publish()), [""; 0]);
        assert!(site.first_page().main().contains("SHOWN"), "{message}");
    }
}

#[test]
fn the_page_says_why_whole_messages_are_withheld() {
    let site = conversation(&json!([
        { "role": "user", "content": "PUBLIC" },
        { "role": "user", "content": "x", "_harn": { "kind": "tool_result" } },
        { "role": "user", "content": "x", "_harn_directive_ids": ["a"] },
        { "role": "assistant", "content": ["x", "y"], "harn_assistant_publication": "pending" },
        { "role": "user", "content": [{ "type": "tool_result", "content": "x" }, "y"] },
    ]));
    site.publish();
    let page = site.first_page().main();
    let sentence = "Withheld: 6 internal blocks; of the internal blocks, 1 in tool results sent as messages, \
                    1 in directives, 2 in unpublished drafts, 1 next to tool results.";
    assert!(page.contains(sentence), "{page}");
    assert_eq!(
        document(&site)["withheld"],
        json!({ "internal": 6, "private": 0,
                "reasons": { "toolResults": 1, "directives": 1, "unpublished": 2, "nextToToolResults": 1 } })
    );
}
