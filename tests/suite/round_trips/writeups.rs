//! Reviews: front matter and text are read as written.

use proptest::prelude::*;
use runpress::api::diagnostics::Source;
use runpress::api::formats::writeup::{FrontMatter, parse};

use crate::generate::{dice, holds, text};

/// A line without a line break; surrounding white space is trimmed.
fn line() -> impl Strategy<Value = String> {
    text().prop_map(|text| text.replace(['\n', '\r'], " ").trim().to_owned())
}

fn key() -> impl Strategy<Value = String> {
    line().prop_map(|line| line.replace(':', ".").trim().to_owned())
}

#[test]
fn a_review_is_read_back_in_every_entry_and_every_word() {
    let fenced = prop::option::of(prop::collection::vec((key(), line()), 0..4));
    // A fence or a byte order mark at the beginning of a file has another meaning.
    let is_words = |c: char| !c.is_whitespace() && !matches!(c, '-' | '\u{feff}');
    let body =
        text().prop_map(move |text| text.trim_start_matches(|c| !is_words(c)).trim().to_owned());
    holds(500, &(fenced, body, dice()), |(entries, body, mut dice)| {
        let end = if dice.once_in(2) { "\r\n" } else { "\n" };
        let mut file = String::new();
        if dice.once_in(3) {
            file.push('\u{feff}');
        }
        if dice.once_in(3) {
            file.push_str(end);
        }
        if let Some(entries) = &entries {
            file.push_str(&format!("---{end}"));
            for (key, value) in entries {
                if dice.once_in(4) {
                    file.push_str(&format!("a line that says nothing{end}"));
                }
                let space = ["", " ", "  "][dice.roll(3)];
                file.push_str(&format!("{space}{key}{space}:{space}{value}{space}{end}"));
            }
            file.push_str(&format!("--- {end}"));
            if dice.once_in(2) {
                file.push_str(end);
            }
        }
        file.push_str(&body);
        let (read, problems) = parse(Source::file("w", file.as_bytes()));
        assert!(problems.is_empty(), "{problems:?} in {file:?}");
        assert_eq!(read.front_matter == FrontMatter::Closed, entries.is_some());
        let found: Vec<(String, String)> = read
            .entries()
            .map(|entry| (entry.key.to_owned(), entry.value.to_owned()))
            .collect();
        assert_eq!(found, entries.unwrap_or_default(), "{file:?}");
        assert_eq!(read.body(), body, "{file:?}");
    });
}
