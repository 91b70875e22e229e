//! Traces: no event is lost, numbers never shift, results belong to earlier calls, and the content hash does not see the header.

use runpress::api::diagnostics::without_mark;
use runpress::api::formats::trace::{content_hash, read};
use runpress::api::model::tape::{Tape, TraceReader};
use runpress::api::rules;

use super::{places, with_byte_order_mark};

const NAME: &str = "run.trace.jsonl";
const HEADER: &[u8] = b"{\"type\":\"trace\",\"schemaVersion\":1}\n";

/// The tape of a trace, checked.
fn tape(bytes: &[u8]) -> Option<Tape<'_>> {
    let mut check = rules::trace::TraceCheck::new(NAME);
    let mut reader = TraceReader::default();
    let (header, problems) = read(NAME, bytes, |header, event| {
        check.event(header, &event);
        reader.push(header, event);
    });
    places::check(bytes, &problems);
    places::check(bytes, &check.finish());
    assert_eq!(
        header.is_some(),
        !places::has_errors(&problems),
        "{problems:?}"
    );
    let tape = reader.finish(NAME, &header?, content_hash(bytes));
    places::check(bytes, &rules::tape::check_times(NAME, &tape));
    Some(tape)
}

/// Reads `bytes` as a trace, and as the events of one.
pub fn run(bytes: &[u8]) {
    if let Some(tape) = tape(bytes) {
        let lines = without_mark(bytes).split(|byte| *byte == b'\n');
        let filled = lines.filter(|line| !line.iter().all(u8::is_ascii_whitespace));
        assert_eq!(tape.events.len() + 1, filled.count());
        if let Some(marked) = with_byte_order_mark(bytes) {
            assert_eq!(
                content_hash(&marked),
                tape.content_hash,
                "a byte order mark does not count"
            );
        }
    }
    let text = without_mark(bytes);
    let whole = [HEADER, text].concat();
    let made = tape(&whole).expect("a trace with a header is loaded");
    for (at, event) in made.events.iter().enumerate() {
        assert_eq!(made.position(event.seq), Some(at));
        if let Some(call) = event.relations.call {
            assert!(call < event.seq, "a call comes before what belongs to it");
        }
        if let Some(result) = event.relations.result {
            let at = made.position(result).expect("a result");
            assert_eq!(made.events[at].relations.call, Some(event.seq));
        }
    }
    let other = [
        &HEADER[..HEADER.len() - 2],
        b",\"importer\":{\"format\":\"x\",\"version\":2}}\n",
        text,
    ]
    .concat();
    assert_eq!(
        content_hash(&other),
        made.content_hash,
        "the header does not count"
    );
}
