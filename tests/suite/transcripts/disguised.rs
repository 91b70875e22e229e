//! Private content is recognized under duplicate keys, and a transcript in any wrapper.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::withheld::places_of;
use super::{SENTINEL, asset, assets, document, transcript, with};
use crate::support::{codes, rows};

#[test]
fn every_duplicate_of_a_kind_a_role_or_an_id_counts() {
    let mut leaks = Vec::new();
    for [list, item] in rows(
        r#"
assets | {"id":"a","visibility":"public","kind":"compaction_source_transcript","kind":"blob","data":"SENTINEL"}
assets | {"id":"compaction-source-1","id":"a","visibility":"public","data":"SENTINEL"}
messages | {"role":"tool","role":"user","content":"SENTINEL"}
messages | {"role":"reasoning","role":"user","content":"SENTINEL"}
messages | {"role":"user","content":[{"type":"tool_result","type":"text","text":"SENTINEL"}]}
events | {"kind":"compaction","kind":"plan","visibility":"public","text":"SENTINEL"}
events | {"kind":["compaction"],"Kind":"plan","visibility":"public","text":"SENTINEL"}
events | {"kind":"plan","visibility":"public","text":"SENTINEL","blocks":[{"type":"reasoning"}],"blocks":[]}
"#,
    ) {
        let site = with(format!(
            "{{\"_type\":\"transcript\",\"version\":2,\"{list}\":[{item}]}}"
        ));
        let places = places_of(&site, SENTINEL);
        if !places.is_empty() {
            leaks.push(format!("{item} {places:?}"));
        }
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
}

/// Texts that contain a transcript.
fn wrapped() -> Vec<String> {
    let whole = transcript(
        &json!([{ "role": "user", "content": SENTINEL }]),
        &json!([]),
    );
    let line = whole.replace('\n', "");
    let mut all = vec![
        format!("\u{feff}{whole}"),
        format!("\u{a0}{whole}"),
        format!("// exported\n{whole}"),
        format!("[{whole}]"),
        format!("{{\"data\":{whole}}}"),
        json!(whole).to_string(),
        json!([json!(whole).to_string()]).to_string(),
        format!("{{\"a\":1}}\n{line}\n"),
        whole.replacen('{', "{\"_type\":\"note\",", 1),
        whole.replacen("\"_type\": \"transcript\"", "\"_type\": \"run_record\"", 1),
        whole.replacen("\"_type\"", "\"\\u005fType\"", 1),
        whole.replacen(
            "\"_type\": \"transcript\"",
            "\"_type\": \"transcript\", \"_type\": \"note\"",
            1,
        ),
    ];
    all.push(whole[..whole.len() - 4].to_owned());
    all
}

#[test]
fn a_transcript_in_disguise_is_no_public_asset() {
    let address = format!("data:application/json,{}", wrapped()[3]);
    let quoted = address.replace('"', "%22").replace('{', "%7B");
    let encoded = BASE64_STANDARD.encode(&wrapped()[0]);
    let capitals = format!("DATA:application/json;BASE64,{encoded}");
    let inline: Vec<String> = [wrapped(), vec![address, quoted, encoded, capitals]].concat();
    for data in inline {
        let held = json!([{ "id": "a", "visibility": "public", "mime_type": "application/json", "data": data }]);
        let site = with(transcript(&json!([]), &held));
        assert_eq!(
            codes(&site.publish()),
            ["transcript.asset-withheld"],
            "{data}"
        );
        assert!(assets(&site).is_empty(), "{data}");
    }
    for text in wrapped() {
        let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [text.clone().into_bytes(), utf_16] {
            let named = json!([asset("a", "public", "assets/a.json")]);
            let site = with(transcript(&json!([]), &named));
            site.write_first("assets/a.json", bytes);
            assert_eq!(
                codes(&site.publish()),
                ["transcript.asset-withheld"],
                "{text}"
            );
            assert!(assets(&site).is_empty(), "{text}");
        }
    }
}

#[test]
fn what_only_looks_like_something_hidden_is_published() {
    let shown: Vec<Value> = vec![
        json!({ "type": "tool_call", "visibility": "public", "name": "create",
            "arguments": { "repo": "a", "visibility": "private", "owner": { "type": "team", "visibility": "internal" } } }),
        json!({ "type": "tool_call", "visibility": "public", "name": "create",
            "arguments": "{\"repo\":\"a\",\"visibility\":\"private\"}" }),
        json!({ "type": "tool_result", "visibility": "public", "name": "list",
            "content": { "repos": [{ "name": "a", "visibility": "private" }] } }),
        json!({ "type": "tool_result", "visibility": "public", "name": "run", "content": "[info] analysis: done" }),
        json!({ "type": "tool_result", "visibility": "public", "name": "run", "content": "{\"title\":\"analysis\"}" }),
        json!({ "type": "tool_result", "visibility": "public", "name": "run", "content": { "n": 0, "title": "thought" } }),
        json!({ "type": "text", "text": "Why \"reasoning\": it is a key." }),
    ];
    let asset_text = "{\"_type\":\"note\",\"of\":\"transcript\"}";
    let site = with(transcript(
        &json!([{ "role": "assistant", "reasoning_tokens": 12, "content": shown }]),
        &json!([{ "id": "a", "visibility": "public", "data": asset_text }]),
    ));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let written = document(&site);
    assert_eq!(written["messages"][0]["content"], json!(shown));
    assert_eq!(written["withheld"], json!({ "internal": 0, "private": 0 }));
    let turn = &site.first_page().texts("ol.turns > li")[0];
    assert!(
        turn.starts_with("assistant <tool_call:create> <tool_call:create> <tool_result:list>"),
        "{turn}"
    );
    assert_eq!(assets(&site).len(), 1);
}
