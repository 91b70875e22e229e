//! A transcript with a marker word in every private place, and many ways to break it.

use serde_json::{Value, json};

use super::{SENTINEL, with};
use crate::support::{TestSite, parse, rows};

/// A transcript with a marker word in every private place, and `PUBLIC-` in public ones.
pub(super) fn full_of_secrets() -> Value {
    let mut document = json!({
        "_type": "transcript", "version": 2, "id": "tr-1", "state": "active",
        "summary": s("summary"),
        "metadata": { "note": s("metadata") },
        "messages": [
            { "role": "user", "content": "PUBLIC-user", "metadata": { "m": s("message-metadata") }, "extra": s("message-extra") },
            { "role": "tool_result", "content": s("tool-result"), "tool_use_id": s("tool-use") },
            { "role": "tool_result", "content": [{ "type": "text", "text": s("tool-result-block") }] },
            { "role": "assistant", "reasoning": s("message-reasoning"), "content": [
                { "type": "text", "visibility": "public", "text": "PUBLIC-assistant",
                  "reasoning_content": s("reasoning-content"), "thinking": s("thinking-key"), "thoughts": [s("thoughts")],
                  "provider_payload": { "p": s("payload-key") }, "providerPayload": s("payload-camel"),
                  "provider payload": s("payload-space"), "metadata": s("block-metadata"), "content": s("content-beside-text"),
                  "annotations": [s("citation")], "Text": s("text-in-another-case") },
                { "type": "text", "visibility": "internal", "text": s("internal") },
                { "type": "text", "visibility": "private", "text": s("private") },
                { "type": "text", "visibility": "Public", "text": s("other-case") },
                { "type": "text", "visibility": " public", "text": s("with-space") },
                { "type": "text", "visibility": "everyone", "text": s("unknown") },
                { "type": "text", "visibility": "", "text": s("empty") },
                { "type": "reasoning", "visibility": "public", "text": s("reasoning") },
                { "type": "reasoning", "text": s("reasoning-default") },
                { "type": "private_reasoning", "visibility": "public", "text": s("private-reasoning") },
                { "type": "thinking", "visibility": "public", "thinking": s("thinking") },
                { "type": "thinking_summary", "visibility": "public", "text": s("thinking-summary") },
                { "type": "provider_payload", "visibility": "public", "payload": { "p": s("provider-payload") } },
                { "type": "image", "visibility": "internal", "title": s("image-title"), "asset_id": "internal" },
                { "type": "tool_call", "visibility": "internal", "name": s("tool-name"), "arguments": s("arguments") },
                { "type": "image", "visibility": "public", "asset_id": "internal", "title": "PUBLIC-title" },
            ] },
            { "role": s("role-of-hidden-turn"), "visibility": "internal", "content": [
                { "type": "text", "visibility": "public", "text": s("in-hidden-turn") },
            ] },
        ],
        "events": [
            { "id": s("event-id"), "kind": "message", "role": "user", "visibility": "public", "text": s("event"),
              "blocks": [{ "type": "text", "visibility": "public", "text": s("event-block") }] },
            { "kind": "private_reasoning", "visibility": "private", "text": s("event-reasoning") },
            { "id": s("plan-id"), "kind": "plan", "role": "assistant", "visibility": "public", "text": "PUBLIC-plan",
              "metadata": { "m": s("plan-metadata") }, "reminder": { "body": s("plan-reminder") } },
            { "kind": "compaction", "role": "system", "visibility": "internal", "text": s("compaction-event") },
            { "kind": "thinking_summary", "visibility": "public", "text": s("thinking-event") },
            { "kind": "provider_payload", "visibility": "public", "text": s("payload-event") },
            { "kind": "Chain Of Thought", "visibility": "public", "text": s("chain-event") },
            { "kind": "providerPayload", "visibility": "public", "text": s("payload-event-camel") },
            { "kind": "compaction", "visibility": "public", "text": s("public-compaction") },
            { "kind": "host_input", "role": "analysis", "visibility": "public", "text": s("role-of-event") },
            { "kind": "host_input", "visibility": "public", "text": s("event-with-a-thought"),
              "blocks": [{ "type": "thought", "text": s("thought-block") }] },
            { "kind": "host_input", "role": "user", "text": s("event-without-visibility") },
            { "kind": "host_input", "role": s("event-role"), "visibility": "PUBLIC", "text": s("event-other-case") },
            { "kind": "host_input", "visibility": "public", "text": s("event-with-hidden-block"),
              "blocks": [{ "type": "text", "visibility": "internal", "text": s("hidden-block") }] },
            { "kind": "tool_result", "visibility": "public", "text": s("derived-event") },
            { "kind": "summary_update", "visibility": "public", "text": s("summary-update") },
            { "kind": "plan", "Kind": "compaction", "visibility": "public", "text": s("kind-in-two-spellings") },
            { "kind": "host_input", "visibility": "public", "text": s("event-with-hidden-content"),
              "content": [{ "type": "text", "visibility": "private", "text": s("hidden-content") }] },
            { "kind": "host_input", "visibility": "public", "text": s("event-with-reasoning-in-Blocks"),
              "Blocks": [{ "type": "reasoning" }] },
            { "kind": "host_input", "visibility": "public", "text": json!({ "reasoning": s("event-of-json") }).to_string() },
            s("event-that-is-a-string"),
        ],
        "assets": [
            { "id": "internal", "visibility": "internal", "name": s("asset-name"), "title": s("asset-title"),
              "storage": { "path": "assets/SENTINEL-internal.png" }, "data": s("asset-data") },
            { "id": s("asset-id"), "visibility": "private", "storage": { "path": "assets/private.bin" } },
            { "id": s("asset-default"), "storage": { "path": "assets/default.txt" }, "metadata": s("asset-metadata") },
            "assets/bare.txt",
            { "id": "compaction-source-1", "kind": "compaction_source_transcript", "visibility": "public",
              "title": s("compaction-title"), "storage": { "path": "assets/compaction.json" },
              "data": { "messages": [s("compaction")] } },
            { "id": s("snapshot-of-another-kind"), "kind": "CompactionSourceTranscript", "visibility": "public", "data": s("camel-case") },
            { "id": "payload", "kind": "provider payload", "visibility": "public", "data": s("payload-asset") },
            { "id": s("Kind-in-capitals"), "Kind": "compaction", "visibility": "public", "data": s("Kind") },
            { "id": s("type-of-asset"), "type": "compaction_source_transcript", "visibility": "public", "data": s("type") },
            { "id": "Compaction_Source-1", "visibility": "public", "data": s("id-in-capitals") },
            { "id": "inline", "visibility": "public", "data": "PUBLIC-inline", "metadata": s("inline-metadata") },
            { "id": "seen", "visibility": "public", "name": "PUBLIC-name", "storage": { "path": "assets/public.txt" },
              "data": s("public-asset-data"), "metadata": { "m": s("public-asset-metadata") } },
        ],
    });
    let messages = document["messages"].as_array_mut();
    let messages = messages.expect("an array");
    messages.extend(disguised());
    messages.extend(in_data());
    document
}

/// The marker word for the named place.
fn s(place: &str) -> String {
    format!("{SENTINEL}-{place}")
}

/// Turns with private content under other names, in other spellings, and next to or inside public content.
fn disguised() -> Vec<Value> {
    let answers = json!({ "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": s("use-id"), "content": s("result-in-a-user-turn") },
                { "type": "web_search_tool_result", "content": [{ "url": s("search-result") }] },
                { "type": "function_call_output", "output": s("function-output") },
                { "type": "toolResult", "content": s("result-in-camel-case") },
                { "tool_use_id": "call", "text": s("answer-of-no-type") },
                { "type": "text", "text": { "hidden": s("object-as-text") } },
                { "type": "text", "text": [s("array-as-text")] },
            ] });
    let turns = json!([
            { "role": "tool", "content": s("role-tool") },
            { "role": "function", "content": s("role-function") },
            { "role": "user", "tool_call_id": "call", "content": s("answer-by-id") },
            { "role": "reasoning", "content": s("role-reasoning") },
            { "role": "assistant", "channel": "analysis", "content": s("channel") },
            { "role": "assistant", "kind": "chain of thought", "content": s("kind-of-turn") },
            { "role": "assistant", "Visibility": "internal", "content": s("visibility-in-another-case") },
    ]);
    let thoughts = json!({ "role": "assistant", "content": [
                { "type": "thought", "text": s("thought") },
                { "type": "chain_of_thought", "text": s("chain-of-thought") },
                { "type": "chainOfThought", "text": s("chain-in-camel-case") },
                { "type": "analysis", "text": s("analysis") },
                { "type": "providerPayload", "text": s("provider-camel") },
                { "type": "provider payload", "visibility": "public", "text": s("provider-space") },
                { "type": "RE-ASONING", "visibility": "public", "text": s("reasoning-with-a-hyphen") },
                { "type": "text", "thought": true, "text": s("marked-as-thought") },
                { "type": "tool_use", "name": s("use-name"), "input": s("use-input") },
                { "type": "tool_call", "name": s("call-without-visibility"), "arguments": s("arguments") },
                { "type": "function_call", "name": s("function"), "arguments": s("function-arguments") },
                { "type": "widget", "visibility": "public", "text": s("unrecognized"), "name": s("unrecognized-name") },
                { "type": "image_generation", "result": s("unrecognized-without-visibility") }
            ] });
    let mixed = json!({ "role": "assistant", "content": [
                { "type": "image", "visibility": "public", "title": "PUBLIC-title", "url": s("image-url"), "base64": s("base64"),
                  "source": { "data": s("image-source") }, "name": { "hidden": s("name-of-an-object") } },
                { "type": "tool_call", "visibility": "public", "name": "PUBLIC-tool", "input": s("call-input"),
                  "arguments": { "q": "PUBLIC-argument", "thought": s("argument"), "chainOfThought": s("argument-camel"),
                                 "steps": [{ "reasoning-content": s("argument-inside"), "type": "step" }, { "type": "thinking", "t": s("typed") }] } },
                { "type": "tool_call", "visibility": "public", "name": "think",
                  "arguments": json!({ "q": 1, "thought": s("argument-in-a-string") }).to_string() },
                { "type": "tool_result", "visibility": "public", "name": "read", "raw": s("result-raw"), "content": [
                    { "type": "text", "text": "PUBLIC-result", "reasoning": s("result-reasoning") },
                    { "type": "widget", "payload": s("widget-in-a-result") },
                    { "rows": [1], "analysis": s("result-analysis") },
                ] },
                { "type": "tool_result", "visibility": "public", "content": { "rows": [{ "type": "text", "visibility": "private", "text": s("deep-in-a-result") }] } },
                { "type": "tool_result", "visibility": "public", "content": [{ "type": "tool_result", "content": s("result-in-a-result") }] },
            ] });
    let mut all = vec![answers, thoughts, mixed];
    all.extend(turns.as_array().cloned().unwrap_or_default());
    all
}

/// Public result contents and call arguments that contain private content.
fn in_data() -> Vec<Value> {
    let hidden = |extra: Value| {
        let mut block = json!({ "text": s("hidden-in-data") });
        let (block_keys, extra) = (block.as_object_mut(), extra.as_object().cloned());
        block_keys
            .expect("an object")
            .extend(extra.unwrap_or_default());
        block
    };
    let blocks = [
        json!({ "visibility": "private" }),
        json!({ "thought": true }),
        json!({ "thought": 1 }),
        json!({ "is_thinking": "True" }),
        json!({ "Type": "reasoning" }),
        json!({ "Type": "text", "visibility": "private" }),
        json!({ "Type": "tool_result" }),
        json!({ "kind": "reasoning" }),
        json!({ "role": "reasoning" }),
        json!({ "channel": "analysis" }),
        json!({ "subtype": "thinking" }),
        json!({ "block_type": ["reasoning"] }),
        json!({ "phase": "analysis" }),
        json!({ "\u{ff34}\u{ff39}\u{ff30}\u{ff25}": "REASON\u{130}NG" }),
        json!({ "ty\u{3164}pe": "rea\u{17f}oning" }),
    ];
    let secret = json!({ "reasoning_content": s("in-a-string") }).to_string();
    let strings = [
        secret.clone(),
        format!("\u{feff} {secret}"),
        format!("{{\"a\":1}}\n{secret}"),
        format!("[{secret},"),
        secret.trim_end_matches('}').to_owned(),
        json!(secret).to_string(),
        json!([secret]).to_string(),
        json!({ "rows": [{ "inner": secret }] }).to_string(),
        json!([{ "Type": "Reasoning", "text": s("typed-in-a-string") }]).to_string(),
        format!("{{'thinking': '{SENTINEL}'}}"),
    ];
    let private =
        json!([{ "type": "text", "visibility": "private", "text": s("private-in-a-string") }]);
    let message = json!({ "messages": [{ "role": "assistant", "visibility": "private", "content": s("message-in-a-result") }] });
    let mut results = vec![message, json!(private.to_string())];
    let mut arguments = Vec::new();
    for extra in blocks {
        let block = hidden(extra.clone());
        results.push(json!([block]));
        if extra.get("visibility").is_none() && extra["Type"] != "tool_result" {
            arguments.push(json!({ "steps": [block] }));
            arguments.push(json!(json!([block]).to_string()));
            arguments.push(block);
        }
    }
    for text in strings {
        results.push(json!(text));
        results.push(json!([{ "type": "text", "text": text }]));
        results.push(json!({ "rows": [text] }));
        arguments.push(json!(text));
        arguments.push(json!({ "q": text }));
    }
    let result = |content| json!({ "type": "tool_result", "visibility": "public", "name": "read", "content": content });
    let call = |arguments| json!({ "type": "tool_call", "visibility": "public", "name": "run", "arguments": arguments });
    let results: Vec<_> = results.into_iter().map(result).collect();
    let calls: Vec<_> = arguments.into_iter().map(call).collect();
    vec![
        json!({ "role": "assistant", "content": results }),
        json!({ "role": "assistant", "content": calls }),
        json!({ "role": "assistant", "content": secret }),
        json!({ "role": "assistant", "content": private.to_string() }),
        json!({ "role": ["tool"], "content": s("role-in-a-list") }),
        json!({ "role": "user", "Role": "tool", "content": s("two-roles") }),
        json!({ "role": "user", "type": "tool_result", "content": s("type-of-message") }),
    ]
}

pub(super) fn with_files(transcript: impl AsRef<[u8]>) -> TestSite {
    let site = with(transcript);
    for file in [
        "SENTINEL-internal.png",
        "private.bin",
        "default.txt",
        "bare.txt",
        "compaction.json",
    ] {
        site.write_first(&format!("assets/{file}"), format!("{SENTINEL} in {file}"));
    }
    site.write_first("assets/public.txt", "PUBLIC-asset");
    site
}

/// The transcript full of secrets with errors, each with a name.
pub(super) fn broken() -> Vec<(&'static str, Vec<u8>)> {
    let whole = format!("{}\n", full_of_secrets());
    let pretty = format!("{:#}\n", full_of_secrets());
    let changed = |key: &str, value: Value| {
        let mut document = full_of_secrets();
        document[key] = value;
        document.to_string().into_bytes()
    };
    let public =
        |path: &str| json!([{ "id": "a", "visibility": "public", "storage": { "path": path } }]);
    let changes = rows(
        r#"
another document | _type | "SENTINEL-type"
no type | _type | null
another version | version | "SENTINEL-version"
an id of a wrong type | id | { "id": "SENTINEL" }
a state of a wrong type | state | ["SENTINEL"]
messages of a wrong type | messages | { "m": "SENTINEL" }
messages that are text | messages | "SENTINEL"
assets of a wrong type | assets | "SENTINEL"
"#,
    );
    let assets = rows(
        "
an asset outside | ../SENTINEL.png
an absolute asset | /SENTINEL.png
an asset that is not there | assets/SENTINEL.png
an asset that is a folder | SENTINEL-folder
an asset that is a pipe | SENTINEL-pipe
an asset that is too large | SENTINEL-large
an asset that leads out | SENTINEL-link
",
    );
    let changes = changes.into_iter();
    let changes = changes.map(|[name, key, value]| (name, changed(key, parse(value))));
    let assets = assets.into_iter();
    let assets = assets.map(|[name, path]| (name, changed("assets", public(path))));
    let garbled = whole.replacen("SENTINEL-private\"", "SENTINEL-private\" SENTINEL", 1);
    let marked = whole.replacen("SENTINEL-private", "SENTINEL-\u{1}private", 1);
    let not_utf_8 = marked.bytes().map(|b| if b == 1 { 0xff } else { b });
    let twice = whole.replacen('{', "{\"id\":\"SENTINEL-one\",", 1);
    let nested = "[".repeat(5_000);
    let deep = format!("{{\"_type\":\"transcript\",\"SENTINEL\":{nested}");
    let others = [
        (
            "cut on one line",
            whole.as_bytes()[..whole.len() - 40].to_vec(),
        ),
        (
            "cut on many lines",
            pretty.as_bytes()[..pretty.len() - 200].to_vec(),
        ),
        ("not JSON after a secret", garbled.into_bytes()),
        ("not UTF-8", not_utf_8.collect()),
        ("a key that stands twice", twice.into_bytes()),
        ("a list", format!("[{whole}]").into_bytes()),
        ("a text", b"\"SENTINEL\"".to_vec()),
        (
            "text after the end",
            format!("{whole}SENTINEL").into_bytes(),
        ),
        ("deeply nested", deep.into_bytes()),
    ];
    others.into_iter().chain(changes).chain(assets).collect()
}
