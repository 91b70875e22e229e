//! Raw output logs: every line is counted once, and no problem quotes a line.

use runpress::api::diagnostics::without_mark;
use runpress::api::formats::raw::{FILE_NAME, read};

use super::{places, with_byte_order_mark};

/// Reads `bytes` as a raw output log.
pub fn run(bytes: &[u8]) {
    let (raw, problems) = read(FILE_NAME, bytes);
    places::check(bytes, &problems);
    assert!(
        !places::has_errors(&problems),
        "a log that is never shown is no reason to stop"
    );
    assert!(
        problems
            .iter()
            .all(|problem| problem.place.excerpt.is_none())
    );
    let lines = without_mark(bytes).split(|byte| *byte == b'\n');
    let filled = lines
        .filter(|line| !line.iter().all(u8::is_ascii_whitespace))
        .count();
    assert_eq!(raw.lines(), filled);
    assert_eq!(problems.is_empty(), raw.unreadable == 0);
    assert!(raw.stderr_text <= raw.stderr && raw.blank <= raw.stdout + raw.stderr);
    assert!(raw.stderr - raw.stderr_text <= raw.blank);
    if let Some(marked) = with_byte_order_mark(bytes) {
        let (same, others) = read(FILE_NAME, &marked);
        assert_eq!(
            (same, places::shown(&others)),
            (raw, places::shown(&problems))
        );
    }
}
