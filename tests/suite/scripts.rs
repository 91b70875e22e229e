//! The site's own scripts must not search for words on a page, because words are for people and change. Scripts use attributes
//! and named data fields instead.

use std::fs;
use std::path::Path;

use regex::Regex;

/// Texts that scripts may compare with: keyboard keys, column names, fields, tags and modes, and kinds of the format. `T` is
/// part of a time, `s` ends a duration, and `X` begins numeric ids.
const NAMES: [&str; 30] = [
    "",
    "-",
    "/",
    "Enter",
    "Escape",
    "T",
    "X",
    "annotation",
    "author",
    "case",
    "check-",
    "complete",
    "event",
    "failure",
    "message",
    "group",
    "hypothesis",
    "id",
    "k",
    "li",
    "navigate",
    "number",
    "pointermove",
    "rating",
    "run",
    "s",
    "string",
    "true",
    "write",
    "writeup",
];

/// Letters in patterns that are part of an address or a syntax: `runs/<slug>/`, and `www` for Markdown autolinks.
const IN_PATTERNS: [&str; 2] = ["runs", "www"];

/// The string literals and regular expressions of a script, with the code before each on its line.
#[derive(Default)]
struct Literals<'a> {
    texts: Vec<(&'a str, &'a str)>,
    patterns: Vec<&'a str>,
}

fn literals(script: &str) -> Literals<'_> {
    let mut found = Literals::default();
    for line in script.lines() {
        let mut at = 0;
        while let Some(start) = line[at..].find(['\'', '/', '`']).map(|start| at + start) {
            let (before, rest) = (&line[..start], &line[start + 1..]);
            let opened = before
                .trim_end()
                .ends_with(['(', ',', '=', ':', '[', '!', '&', '|', '?', '>', '{', ';']);
            let end = match &line[start..=start] {
                "/" if rest.starts_with('/') => break,
                "/" if !opened => None,
                quote => closing(rest, quote),
            };
            let Some(end) = end else {
                at = start + 1;
                continue;
            };
            match &line[start..=start] {
                "'" => found.texts.push((before, &rest[..end])),
                "/" => found.patterns.push(&rest[..end]),
                _ => {}
            }
            at = start + end + 2;
        }
    }
    found
}

/// The end of a literal: its unescaped quote; in a regular expression, not inside `[`.
fn closing(rest: &str, quote: &str) -> Option<usize> {
    let (mut escaped, mut set) = (false, false);
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' if quote == "/" => set = true,
            ']' => set = false,
            c if !set && quote.starts_with(c) => return Some(at),
            _ => {}
        }
    }
    None
}

/// The texts that a script searches for: words in regular expressions, and compared strings.
fn looked_for(script: &str) -> Vec<String> {
    let literals = literals(script);
    let characters = Regex::new(r"\\u[0-9a-f]{4}").expect("a pattern");
    let mut found = Vec::new();
    for pattern in literals.patterns {
        let letters = |c: char| !c.is_ascii_alphabetic();
        // `\s`, `\d`, `\p{..}` and `\u` with a number are not words.
        let bare = pattern.replace("\\s", " ").replace("\\d", " ");
        let bare = characters.replace_all(&bare, " ");
        let words = bare.split(letters).filter(|word| word.len() > 2);
        let words = words.filter(|word| !IN_PATTERNS.contains(word));
        found.extend(words.map(|_| format!("/{pattern}/")));
    }
    for (before, text) in literals.texts {
        let before = before.trim_end();
        let compares = [
            "===",
            "!==",
            "includes(",
            "startsWith(",
            "endsWith(",
            "indexOf(",
            "replace(",
            "split(",
        ];
        let list = before.rfind('[').map(|start| &before[start..]);
        let in_list = list.is_some_and(|list| !list.contains(']'))
            && script.contains(&format!("'{text}'].includes("));
        if (compares.iter().any(|word| before.ends_with(word)) || in_list)
            && text.replace("\\n", "").chars().any(char::is_alphabetic)
            && !NAMES.contains(&text)
        {
            found.push(format!("'{text}'"));
        }
    }
    found
}

#[test]
fn no_script_looks_for_words_on_a_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("static/js");
    let (mut scripts, mut found) = (0, Vec::new());
    for entry in fs::read_dir(folder).expect("scripts") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "js") {
            continue;
        }
        scripts += 1;
        let script = fs::read_to_string(&path).expect("UTF-8");
        let words = looked_for(&script).into_iter();
        found.extend(words.map(|word| format!("{}: {word}", path.display())));
    }
    assert_eq!(found, [""; 0], "use data-* attributes");
    assert!(scripts > 10, "{scripts}");
}

#[test]
fn words_that_a_script_looks_for_are_found() {
    let found = |script| looked_for(script);
    assert_eq!(
        found("const w = /events ([\\d,]+) to/.exec(a);"),
        ["/events ([\\d,]+) to/"]
    );
    assert_eq!(
        found("x.replace(/^Annotation: /, '');"),
        ["/^Annotation: /"]
    );
    assert_eq!(found("if (text === 'unrated') return;"), ["'unrated'"]);
    assert_eq!(
        found("if (['', 'unrated'].includes(text)) return;"),
        ["'unrated'"]
    );
    assert_eq!(
        found("if (key === 'Escape') make('p', {}, 'No runs / yet');"),
        [""; 0]
    );
}
