//! Withheld spans: a log of redactions and the file that they are about. What is withheld is replaced, everything around it stays,
//! and a value that is found everywhere is gone afterwards.

use std::collections::BTreeMap;

use runpress::api::formats::redactions::{
    FILE_NAME, Reason, Redaction, has_marker, occurrences, parse, rewrite,
};

use super::places;

/// What is between the redactions and the file of an input.
pub const BETWEEN: &[u8] = b"\n%%\n";

/// A file of each shape: a log, lines, a document, text.
const NAMES: [&str; 5] = [
    "events.jsonl",
    "events.jsonl.annotations.jsonl",
    "run.tape",
    "run-record.json",
    "writeup.md",
];

/// Reads `bytes` as redactions and, after [`BETWEEN`], a file.
pub fn run(bytes: &[u8]) {
    let split = bytes
        .windows(BETWEEN.len())
        .position(|part| part == BETWEEN);
    let (log, file) = split.map_or((bytes, bytes), |at| {
        (&bytes[..at], &bytes[at + BETWEEN.len()..])
    });
    let (read, problems) = parse(FILE_NAME, log);
    places::check(log, &problems);
    let mut by_file: BTreeMap<&str, Vec<&Redaction>> = BTreeMap::new();
    for (redaction, _) in read.iter().filter(|(redaction, _)| !redaction.whole) {
        by_file.entry(&redaction.file).or_default().push(redaction);
    }
    for (path, redactions) in by_file {
        applied(path, file, &redactions);
    }
    // Every value that is withheld wherever it is.
    for name in NAMES {
        for value in words(file) {
            withheld_everywhere(name, file, &value);
        }
    }
}

/// Puts markers into a file, and again: they are never withheld twice.
fn applied(path: &str, file: &[u8], redactions: &[&Redaction]) {
    let Ok(once) = rewrite(path, file, redactions, false) else {
        return;
    };
    assert_eq!(once.values.len(), redactions.len());
    assert_eq!(once.published.len(), redactions.len());
    for (redaction, value) in redactions.iter().zip(&once.values) {
        let characters = String::from_utf8_lossy(value).chars().count();
        assert_eq!(redaction.length, Some(characters));
        let marker = redaction.marker();
        assert!(has_marker(&marker) && has_marker(&String::from_utf8_lossy(&once.bytes)));
    }
    let lines = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').count();
    assert_eq!(lines(&once.bytes), lines(file), "lines keep their numbers");
}

/// The longest words of a text, a few.
fn words(file: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(file);
    let mut words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || "\"\\{}[],:".contains(c))
        .filter(|word| word.chars().count() >= 8 && !word.contains('\u{fffd}'))
        .collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.dedup();
    words.truncate(3);
    words.into_iter().map(str::to_owned).collect()
}

/// Withholds each place of a value: afterwards it has none.
fn withheld_everywhere(name: &str, file: &[u8], value: &str) {
    if "[withheld: secret, 0123456789 characters]".contains(value) {
        return;
    }
    let redactions: Vec<Redaction> = occurrences(name, file, value)
        .iter()
        .enumerate()
        .map(|(index, found)| {
            let mut redaction = Redaction {
                id: format!("r{index}"),
                file: name.to_owned(),
                event: None,
                line: None,
                pointer: None,
                start: None,
                end: None,
                length: None,
                whole: false,
                reason: Reason::Secret,
                note: None,
                by: None,
                at: None,
                commitment: None,
                published: None,
            };
            found.put(&mut redaction);
            redaction
        })
        .collect();
    let borrowed: Vec<&Redaction> = redactions.iter().collect();
    if let Ok(written) = rewrite(name, file, &borrowed, false) {
        let left = occurrences(name, &written.bytes, value);
        assert!(
            left.is_empty(),
            "{name}: {} of {} are left",
            left.len(),
            redactions.len()
        );
    }
}
