//! Transcripts of tests/fixtures/cases: disclosure of whole messages, assets of Harn's hosts, events that repeat no turn, and
//! files inside blocks.

use serde_json::{Value, json};

use super::withheld::places_of;
use super::{SENTINEL, asset, assets, document, transcript, with};
use crate::crawl::problems;
use crate::support::{FIRST, TestSite, codes, contains, copy, described, fixture, lacks};

/// The base site, whose run also has the files of a case.
fn case(name: &str) -> TestSite {
    let site = TestSite::base();
    copy(&fixture(&format!("cases/{name}")), &site.path(FIRST));
    site
}

#[test]
fn whole_messages_that_harn_withholds_are_not_published() {
    for (name, reason) in [
        ("result-as-message", "toolResults"),
        ("directive", "directives"),
        ("unpublished-draft", "unpublished"),
        ("text-next-to-result", "nextToToolResults"),
    ] {
        let site = case(name);
        assert_eq!(codes(&site.publish()), [""; 0], "{name}");
        let written = document(&site);
        assert_eq!(written["messages"], json!([]), "{name}");
        assert_eq!(written["withheld"]["reasons"][reason], 1, "{name}");
        assert_eq!(places_of(&site, "TOPSECRET"), [""; 0], "{name}");
    }
}

#[test]
fn an_asset_in_the_folder_of_harns_hosts_is_published() {
    let site = case("harn-assets");
    assert_eq!(codes(&site.publish()), [""; 0]);
    let published = assets(&site);
    assert_eq!(published.len(), 1, "{published:?}");
    assert_eq!(published[0].1, b"hi");
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn other_hidden_files_are_no_assets() {
    for path in [
        ".harn/secrets.txt",
        ".harn/assets/.env",
        ".harn/assets/.git/config",
        ".harn/.assets/a.txt",
        ".harnx/assets/a.txt",
        "deeper/.harn/assets/a.txt",
        "assets/.harn/assets/a.txt",
        ".harn/assets/../secrets.txt",
        ".harn",
        ".harn/assets",
    ] {
        let site = with(transcript(
            &json!([{ "role": "user", "content": "PUBLIC" }]),
            &json!([asset("a", "public", path)]),
        ));
        site.write_first(".harn/secrets.txt", SENTINEL);
        site.write_first(".harn/assets/b.txt", SENTINEL);
        if !path.ends_with("harn") && !path.ends_with("/assets") && !path.contains("..") {
            site.write_first(path, SENTINEL);
        }
        let outcome = site.build();
        assert!(
            !codes(&outcome).is_empty(),
            "{path}: {:?}",
            described(&outcome)
        );
        let published = site.path("public").is_dir().then(|| site.published());
        for (file, bytes) in published.into_iter().flatten() {
            assert!(
                !String::from_utf8_lossy(&bytes).contains(SENTINEL),
                "{path}: {file}"
            );
        }
    }
}

#[test]
fn events_that_repeat_no_turn_are_reported() {
    let site = case("events-without-turns");
    assert_eq!(codes(&site.publish()), ["transcript.event-disagrees"; 2]);
    let page = site.first_page().main();
    contains(&page, "hello");
    lacks(&page, "SOMETHING ELSE");
    lacks(&page, "NOT A TURN");
    // The text of an event may be private, and stays out of the message.
    assert_eq!(places_of(&site, "SOMETHING ELSE"), [""; 0]);
}

/// The codes of a transcript with these messages and events.
fn reported(messages: &Value, events: &Value) -> Vec<&'static str> {
    let document = json!({ "_type": "transcript", "version": 2, "messages": messages, "events": events, "assets": [] });
    codes(&with(document.to_string()).check())
}

#[test]
fn events_that_harn_derives_from_turns_agree_with_them() {
    let event = |kind: &str, role: &str, text: &str| json!({ "kind": kind, "role": role, "visibility": "public", "text": text });
    let messages = json!([
        { "role": "user", "content": "Write  pong." },
        { "content": "No role." },
        { "role": "assistant", "content": [
            { "type": "reasoning", "text": "A thought." },
            { "type": "text", "text": "One." },
            { "type": "output_text", "content": "Two." },
            { "type": "tool_call", "name": "read" },
            { "type": "tool_result" },
            { "type": "image", "path": "shot" },
            { "type": "file", "name": "a.txt", "path": "b/a.txt" },
            { "type": "widget", "text": "not shown" },
        ] },
        { "role": "tool_result", "content": "ok" },
        { "role": "assistant", "content": [{ "type": "reasoning", "text": "Only a thought." }] },
        { "role": "assistant", "content": null },
        { "role": "user", "content": "Again." },
        { "role": "user", "content": "Again." },
    ]);
    let events = json!([
        event("plan", "assistant", "No turn says this."),
        event("message", "user", "Write pong."),
        event("message", "user", "No role."),
        event(
            "message",
            "assistant",
            "One. Two. <tool_call:read> <tool_result:tool> <image:shot> <file:a.txt> <widget>"
        ),
        event("tool_result", "tool_result", "ok"),
        event("message", "assistant", ""),
        event("message", "user", "Again."),
        event("message", "user", "Again."),
    ]);
    assert_eq!(reported(&messages, &events), [""; 0]);
    for (from, to) in [
        ("Write pong.", "Write pongs."),
        ("<tool_call:read>", "<tool_call:write>"),
        ("\"text\":\"ok\"", "\"text\":\"not ok\""),
        ("\"role\":\"tool_result\"", "\"role\":\"user\""),
    ] {
        let text = events.to_string();
        assert!(text.contains(from), "{from}");
        let changed = serde_json::from_str(&text.replacen(from, to, 1)).expect("JSON");
        assert_eq!(
            reported(&messages, &changed),
            ["transcript.event-disagrees"],
            "{to}"
        );
    }
    let again = json!([
        event("message", "user", "Again."),
        event("message", "user", "Again."),
        event("message", "user", "Again.")
    ]);
    assert_eq!(
        reported(&messages, &again),
        ["transcript.event-disagrees"],
        "one more than turns"
    );
}

#[test]
fn a_public_block_that_contains_its_file_is_noted() {
    let messages = |block: &Value| json!([{ "role": "user", "content": [block] }]);
    for block in [
        json!({ "type": "image", "media_type": "image/png", "base64": "AAAA" }),
        json!({ "type": "input_image", "image_url": "data:image/png;base64,AAAA" }),
        json!({ "type": "image", "url": "DATA:image/png;base64,AAAA" }),
        json!({ "type": "document", "source": { "type": "base64", "data": "AAAA" } }),
        json!({ "type": "file", "file_data": "AAAA" }),
    ] {
        assert_eq!(
            reported(&messages(&block), &json!([])),
            ["transcript.inline-content"],
            "{block}"
        );
    }
    for block in [
        json!({ "type": "image", "url": "https://example.org/a.png" }),
        json!({ "type": "image", "visibility": "internal", "base64": "AAAA" }),
        json!({ "type": "text", "text": "data:image/png;base64,AAAA" }),
        json!({ "type": "file", "name": "a.txt" }),
    ] {
        assert_eq!(reported(&messages(&block), &json!([])), [""; 0], "{block}");
    }
}
