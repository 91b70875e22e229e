//! Event logs: no line is lost, numbers never shift, and the content hash sees lines only.

use runpress::api::diagnostics::without_mark;
use runpress::api::formats::events::{FILE_NAME, LogEventKind, content_hash, read};
use runpress::api::model::tape::{self, Tape};
use runpress::api::rules;

use super::{places, with_byte_order_mark};

/// The events of a log: for each its line, its text, and whether it could be read.
fn events(bytes: &[u8]) -> Vec<(u32, String, bool)> {
    let mut found = Vec::new();
    let _ = read(FILE_NAME, bytes, |event| {
        assert!(event.fields.is_some() || event.kind == LogEventKind::Unknown);
        found.push((
            event.line.number,
            event.line.text.to_string(),
            event.fields.is_some(),
        ));
    });
    found
}

/// The content hash, from the bytes alone.
fn hash(bytes: &[u8]) -> String {
    content_hash(
        bytes,
        events(bytes).len(),
        blake3::hash(bytes).to_hex().as_str(),
    )
}

/// Reads `bytes` as an event log.
pub fn run(bytes: &[u8]) {
    let mut read_events = Vec::new();
    let problems = read(FILE_NAME, bytes, |event| {
        let number = read_events.len() as u64;
        read_events.push(tape::from_event(event, number));
    });
    places::check(bytes, &problems);
    assert!(
        !places::has_errors(&problems),
        "a log that cannot be read is still shown"
    );

    let text = without_mark(bytes);
    let expected: Vec<(u32, String)> = text
        .split(|byte| *byte == b'\n')
        .zip(1..)
        .map(|(line, number)| (line.strip_suffix(b"\r").unwrap_or(line), number))
        .filter(|(line, _)| !line.iter().all(u8::is_ascii_whitespace))
        .map(|(line, number)| (number, String::from_utf8_lossy(line).into_owned()))
        .collect();
    let found = events(bytes);
    assert_eq!(
        found
            .iter()
            .map(|(line, text, _)| (*line, text.clone()))
            .collect::<Vec<_>>(),
        expected
    );
    let unread = found.iter().filter(|(.., fields)| !fields).count();
    let mut reasons = problems
        .iter()
        .filter(|problem| problem.code.name != "events.unportable-value");
    assert!(
        reasons.next().is_none() == (unread == 0),
        "{unread} unread, {problems:?}"
    );

    let hash_now = hash(bytes);
    assert_eq!(
        hash(&[bytes, b"\n\n \r\n"].concat()),
        hash_now,
        "blank lines do not count"
    );
    if let Some(marked) = with_byte_order_mark(bytes) {
        assert_eq!(hash(&marked), hash_now, "a byte order mark does not count");
        assert_eq!(events(&marked), found);
    }
    if !bytes.contains(&b'\r') {
        let windows = String::from_utf8_lossy(bytes).replace('\n', "\r\n");
        if std::str::from_utf8(bytes).is_ok() {
            assert_eq!(hash(windows.as_bytes()), hash_now, "line ends do not count");
        }
    }
    let made = Tape::of_events(read_events, hash_now);
    for (at, event) in made.events.iter().enumerate() {
        assert_eq!(made.position(event.seq), Some(at));
    }
    assert_eq!(made.position(made.events.len() as u64), None);
    places::check(bytes, &rules::tape::check_times(FILE_NAME, &made));
}
