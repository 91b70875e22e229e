//! A model's thinking is on no page, whichever payload recorded it.

use serde_json::{Value, json};

use super::{answer, hash, inline, tool, with};
use crate::support::{FIRST, FIRST_SLUG, codes, words};

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
    let event = |seq: usize| words(page.one(&format!("#e-{seq}")));
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
fn thinking_is_shown_in_no_payload_of_a_tool_a_session_a_server_or_a_job() {
    const SECRET: &str = "between me and myself";
    let object = json!({ "kept": "said aloud", "reasoning_content": SECRET });
    let payload = inline(&json!({ "type": "turn", "kept": "said aloud", "blocks": [{ "type": "thinking", "text": SECRET }] }).to_string());
    let ask = answer(&json!({ "text": "", "tool_calls": [
        { "id": "a", "name": "note", "arguments": { "path": "said aloud", "thought": SECRET } }] }));
    let external = json!({ "kind": "ok", "value": object, "padding": "x" }).to_string();
    let external = json!({ "kind": "tool_call", "call_id": "", "tool": "t", "args_digest": "d", "after_calls": 1,
        "outcome": { "content_hash": hash(&external), "len_bytes": external.len() } });
    let kinds = [
        ask,
        tool("note", "a", &json!({ "kind": "ok", "value": object })),
        tool(
            "t",
            "",
            &json!({ "kind": "thrown_value", "value": [object] }),
        ),
        tool(
            "t",
            "",
            &json!({ "kind": "ok", "value": object.to_string() }),
        ),
        tool("t", "", &object),
        json!({ "kind": "session_control", "event": payload }),
        json!({ "kind": "mcp_json_rpc", "server": "s", "method": "m", "request_digest": "d", "response_digest": "d",
            "latency_ms": 1, "request_payload": payload, "response_payload": payload }),
        json!({ "kind": "model_job", "job_id": "j", "request_id": "r", "backend": "b", "state": "s", "event_kind": "k",
            "event": payload, "asset_digests": [] }),
        json!({ "kind": "cache_lookup", "namespace": "n", "key": "k", "after_calls": 0, "value": payload }),
        json!({ "kind": "newer", "kept": "said aloud", "thinking": SECRET }),
        external.clone(),
        external,
    ];
    let site = with(&kinds);
    let text = json!({ "kind": "ok", "value": object, "padding": "x" }).to_string();
    site.write(&format!("{FIRST}/run.tape.cas/{}", hash(&text)), &text);
    site.publish();
    let page = site.first_page();
    for seq in 0..kinds.len() {
        let event = words(page.one(&format!("#e-{seq}")));
        assert!(!event.contains(SECRET), "{seq}: {event}");
        assert!(event.contains("said aloud"), "{seq}: {event}");
        assert!(event.contains("<thinking, not shown>"), "{seq}: {event}");
    }
    let download = site.text(&format!("public/runs/{FIRST_SLUG}/run.tape"));
    assert!(download.contains(SECRET), "the file is as it was recorded");
}
