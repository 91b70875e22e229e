//! A run with every kind of file next to its record, and without any problem.

use serde_json::json;

use crate::support::{FIRST, HEADER, TestSite, event, lines, messages};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nand the rest of the picture";
const PAYLOAD: &str = "{\"text\":\"a payload\"}";

/// A site with such a run.
pub(crate) fn whole() -> TestSite {
    let site = TestSite::base();
    furnish(&site, FIRST);
    site
}

/// Adds every file that can be next to a record to a run directory.
pub(crate) fn furnish(site: &TestSite, folder: &str) {
    let write = |name: &str, bytes: &[u8]| {
        site.write(&format!("{folder}/{name}"), bytes);
    };
    let hash = blake3::hash(PAYLOAD.as_bytes()).to_hex().to_string();
    let sleep = "{\"type\":\"record\",\"seq\":1,\"virtual_time_ms\":1,\"monotonic_ms\":1,\"kind\":{\"kind\":\"clock_sleep\",\"duration_ms\":1}}";
    let call = format!(
        "{{\"type\":\"record\",\"seq\":2,\"virtual_time_ms\":2,\"monotonic_ms\":2,\"kind\":{{\"kind\":\"llm_call\",\"request_digest\":\"d\",\"response\":{{\"content_hash\":\"{hash}\",\"len_bytes\":{}}}}}}}",
        PAYLOAD.len()
    );
    let header = "{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8\"}";
    write("run.tape", lines(&[header, sleep, &call]).as_bytes());
    write(&format!("run.tape.cas/{hash}"), PAYLOAD.as_bytes());
    write("run.tape.annotations.jsonl", lines(&[HEADER, "{\"type\":\"annotation\",\"id\":\"t\",\"event_id\":1,\"kind\":\"note\",\"evidence\":\"A *note*.\"}"]).as_bytes());
    write(
        "events.jsonl",
        (messages(4)
            + &event(
                5,
                "command",
                "\"command\":\"npm test\",\"exitCode\":1,\"isSuccess\":false",
            )
            + "\n")
            .as_bytes(),
    );
    write("events.jsonl.annotations.jsonl", lines(&[HEADER, "{\"type\":\"annotation\",\"id\":\"e\",\"event_id\":1,\"kind\":\"marker\",\"span\":{\"start_event_id\":1,\"end_event_id\":3},\"evidence\":\"[here](#e-2)\"}"]).as_bytes());
    write("run.trace.jsonl", b"{\"type\":\"trace\",\"schemaVersion\":1,\"agents\":[{\"id\":\"a\"}]}\n{\"seq\":0,\"type\":\"tool_call\",\"time\":\"2026-03-01T10:00:00Z\",\"name\":\"bash\",\"call\":\"c\",\"arguments\":{\"command\":\"ls\"}}\n{\"seq\":1,\"type\":\"tool_result\",\"call\":\"c\",\"agent\":\"a\",\"ok\":false,\"exitCode\":2,\"text\":\"none\"}\n{\"seq\":2,\"type\":\"edit\",\"call\":\"c\",\"path\":\"src/a.ts\",\"change\":\"modify\",\"diff\":\"-a\\n+b\"}\n");
    write("raw.jsonl", raw_log().as_bytes());
    write("implementation/src/a.ts", b"one\ntwo\nthree\n");
    write("assets/shot.png", PNG);
    write("transcript.json", br#"{"_type":"transcript","version":2,"id":"tr","messages":[
  {"role":"user","content":"Write pong."},
  {"role":"assistant","content":[{"type":"text","text":"I will."},{"type":"reasoning","text":"Hm."},{"type":"image","visibility":"public","asset_id":"shot"}]}],
 "assets":[{"id":"shot","kind":"image","visibility":"public","name":"shot","storage":{"path":"assets/shot.png"}}]}
"#);
    write("annotations.json", br#"{"annotations":[
  {"id":"a","turnId":"t1","resource":"file:///workspace/src/a.ts","range":{"start":{"line":0,"character":0},"end":{"line":1,"character":3}},
   "resolved":false,"entries":[{"id":"1","text":"plain"},{"id":"2","text":{"markdown":"*marked*"}}]}]}
"#);
    write("annotations.actions.jsonl", b"{\"channel\":\"ahp-session:/1/annotations\",\"serverSeq\":1,\"action\":{\"type\":\"annotations/updated\",\"annotationId\":\"a\",\"resolved\":true}}\n");
    write("writeup.md", b"---\nrating: great\n---\n\n# Seen\n\nIt works, see [the call](#e-2).\n\n| a | b |\n| - | - |\n| 1 | 2 |\n");
}

/// The output of Codex from which the events follow.
fn raw_log() -> String {
    let message = |n| json!({ "type": "agent_message", "text": format!("message {n}") });
    let command = json!({ "type": "command_execution", "command": "npm test", "exit_code": 1 });
    let items = (0..4).map(message).chain([command]);
    let row = |item| {
        let line = json!({ "type": "item.completed", "item": item }).to_string();
        format!("{}\n", json!({ "stream": "stdout", "line": line }))
    };
    items.map(row).collect()
}
