//! Harn's tapes: a tape that is written again has the same records and the same content hash.

use runpress::api::formats::tape::{HarnTape, parse};
use runpress::api::model::tape::{self, Payloads};
use runpress::api::rules;

use super::places;

const NAME: &str = "run.tape";

/// The tape written again, in its plainest form.
fn rewritten(tape: &HarnTape<'_>) -> String {
    let mut text = String::from("{\"type\":\"header\",\"version\":1,\"harn_version\":\"x\"}\n");
    for line in &tape.records {
        let json = serde_json::to_string(&line.record).expect("plain data");
        assert_eq!(blake3::hash(json.as_bytes()), line.digest);
        text.push_str(&json.replacen('{', "{\"type\":\"record\",", 1));
        text.push('\n');
    }
    text
}

/// Reads `bytes` as a tape.
pub fn run(bytes: &[u8]) {
    let (parsed, problems) = parse(NAME, bytes);
    places::check(bytes, &problems);
    assert_eq!(
        parsed.is_some(),
        !places::has_errors(&problems),
        "{problems:?}"
    );
    if let Some(marked) = super::with_byte_order_mark(bytes) {
        let (same, others) = parse(NAME, &marked);
        assert_eq!(places::shown(&others), places::shown(&problems));
        assert_eq!(
            same.map(|tape| tape.content_hash),
            parsed.as_ref().map(|tape| tape.content_hash.clone())
        );
    }
    let Some(parsed) = parsed else { return };
    let text = rewritten(&parsed);
    let (second, found) = parse(NAME, text.as_bytes());
    assert!(found.is_empty(), "{found:?} in {text}");
    let second = second.expect("a tape");
    assert_eq!(second.content_hash, parsed.content_hash);
    assert_eq!(rewritten(&second), text);

    places::check(
        bytes,
        &rules::tape::check_harn(NAME, &parsed, &|_, _| false),
    );
    let lines: Vec<u32> = parsed
        .records
        .iter()
        .map(|record| record.line.number)
        .collect();
    let made = tape::from_harn(NAME, parsed, &Payloads::new());
    assert_eq!(
        made.events
            .iter()
            .map(|event| event.line)
            .collect::<Vec<_>>(),
        lines
    );
    for event in &made.events {
        let at = made.position(event.seq).expect("a position");
        assert_eq!(made.events[at].seq, event.seq);
    }
}
