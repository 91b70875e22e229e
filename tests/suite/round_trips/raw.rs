//! Raw output logs: each line is counted under its stream, in any spelling.

use proptest::prelude::*;
use runpress::api::formats::raw::{RawCounts, read};

use crate::generate::{Json, dice, holds, lines, object, text};

#[test]
fn a_raw_log_is_counted_line_by_line() {
    let line = prop_oneof![
        6 => (any::<bool>(), prop_oneof![text(), "[ \\t]{0,3}"]).prop_map(Some),
        1 => Just(None),
    ];
    let log = prop::collection::vec(line, 0..8);
    holds(400, &(log, dice()), |(log, mut dice)| {
        let mut expected = RawCounts::default();
        let mut texts = Vec::new();
        for line in &log {
            let Some((stderr, words)) = line else {
                expected.unreadable += 1;
                texts.push("half".to_owned());
                continue;
            };
            let blank = words.trim().is_empty();
            expected.blank += usize::from(blank);
            if *stderr {
                expected.stderr += 1;
                expected.stderr_text += usize::from(!blank);
            } else {
                expected.stdout += 1;
            }
            // The key is `line`; the prose of the format calls it `text`.
            let words = Json::from(words.as_str());
            let (new, old) = if dice.once_in(3) {
                (None, Some(words))
            } else {
                (Some(words), None)
            };
            let stream = Json::from(if *stderr { "stderr" } else { "stdout" });
            let line = object(
                &mut dice,
                [("stream", Some(stream)), ("line", new), ("text", old)],
            );
            texts.push(line.write(&mut dice, true));
        }
        let text = lines(&mut dice, &texts, true);
        let (raw, problems) = read("raw.jsonl", text.as_bytes());
        assert_eq!(raw, expected, "{text}");
        assert_eq!(problems.len(), expected.unreadable);
    });
}
