//! Redactions: a list of them and the file that they are about. Withheld spans are replaced, everything around them stays, and a
//! value whose occurrences are all withheld does not occur afterwards.

use std::collections::BTreeMap;

use runpress::api::formats::redactions::{
    FILE_NAME, Redaction, RedactionReason, has_marker, occurrences, parse, rewrite,
};

use super::{places, split};

/// A file of each shape: a log, lines, a document, text.
const NAMES: [&str; 5] = [
    "events.jsonl",
    "events.jsonl.annotations.jsonl",
    "run.tape",
    "run-record.json",
    "writeup.md",
];

/// Reads `bytes` as redactions and, after [`SEPARATOR`](super::SEPARATOR), a file.
pub fn run(bytes: &[u8]) {
    let (log, file) = split(bytes).unwrap_or((bytes, bytes));
    let (read, problems) = parse(FILE_NAME, log);
    places::check(log, &problems);
    let mut by_file: BTreeMap<&str, Vec<&Redaction>> = BTreeMap::new();
    for (redaction, _) in read.iter().filter(|(redaction, _)| !redaction.whole) {
        by_file.entry(&redaction.file).or_default().push(redaction);
    }
    for (path, redactions) in by_file {
        check_rewrite(path, file, &redactions);
    }
    // A withheld value must not occur anywhere in the file.
    for name in NAMES {
        for value in words(file) {
            withheld_everywhere(name, file, &value);
        }
    }
}

/// Checks the markers in a rewritten file.
fn check_rewrite(path: &str, file: &[u8], redactions: &[&Redaction]) {
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

/// The three longest words of a text.
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

/// Withholds each occurrence of a value: afterwards there is none.
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
                ..Redaction::empty(name, RedactionReason::Secret)
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
