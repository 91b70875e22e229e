//! Random changes of a published site, and whether they are found.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{files, found, seal, with_checksums};
use crate::full_run::furnish;
use crate::incremental::edits::Random;
use crate::incremental::many_kinds;
use crate::support::{FIRST_SLUG, HEADER, TestSite, annotation, first, lines, parse};

/// Changes of files that are made before each verification.
const AT_ONCE: usize = 8;
/// Verifications after changes of files.
const ROUNDS: usize = 50;
/// Changes after which an attacker makes the digests again, one at a time.
const SEALED: usize = 100;

/// What is undone after a verification: the path and its bytes before, or that it was not there.
type Undo = Vec<(PathBuf, Option<Vec<u8>>)>;

fn write(path: &Path, bytes: &[u8], undo: &mut Undo) {
    undo.push((path.to_owned(), fs::read(path).ok()));
    fs::write(path, bytes).expect("a file");
}

/// Makes all digests again, as an attacker does.
fn seal_again(site: &Path, undo: &mut Undo) {
    for sealed in ["feeds/index.json", "SHA256SUMS"] {
        let sealed = site.join(sealed);
        undo.push((sealed.clone(), fs::read(sealed).ok()));
    }
    seal(site);
}

fn restore(undo: Undo) {
    for (path, bytes) in undo.into_iter().rev() {
        match bytes {
            Some(bytes) => fs::write(path, bytes).expect("a file"),
            None => fs::remove_file(path).expect("a removal"),
        }
    }
}

/// Changes one file at random, and returns what is to be found.
fn change(
    site: &Path,
    path: &str,
    other: &str,
    random: &mut Random,
    undo: &mut Undo,
) -> Vec<String> {
    let at = site.join(path);
    let bytes = fs::read(&at).expect("a file");
    let changed = |path: &str| format!("verify.changed-file {path} ");
    match random.below(6) {
        0 | 1 if !bytes.is_empty() => {
            let mut flipped = bytes;
            let place = random.below(flipped.len());
            flipped[place] ^= 1 << random.below(8);
            write(&at, &flipped, undo);
            vec![changed(path)]
        }
        2 if !bytes.is_empty() => {
            write(&at, &bytes[..random.below(bytes.len())], undo);
            vec![changed(path)]
        }
        3 => {
            undo.push((at.clone(), Some(bytes)));
            fs::remove_file(at).expect("a removal");
            vec![format!("verify.missing-file {path} ")]
        }
        4 => {
            let added = format!("{path}.{}", random.below(1000));
            write(&site.join(&added), &bytes, undo);
            vec![format!("verify.unlisted-file {added} ")]
        }
        _ => {
            let second = fs::read(site.join(other)).expect("a file");
            if second == bytes {
                return Vec::new();
            }
            write(&site.join(other), &bytes, undo);
            write(&at, &second, undo);
            vec![changed(path), changed(other)]
        }
    }
}

#[test]
fn each_of_four_hundred_random_changes_of_files_is_found() {
    let site = with_checksums(TestSite::base());
    site.publish();
    let public = site.path("public");
    let mut paths: Vec<String> = files(&site).into_keys().collect();
    paths.retain(|path| !["SHA256SUMS", ".nojekyll", ".runpress"].contains(&path.as_str()));
    let mut random = Random(38);
    for round in 0..ROUNDS {
        let mut undo = Undo::new();
        let mut left = paths.clone();
        let mut expected = Vec::new();
        for _ in 0..AT_ONCE {
            let path = left.swap_remove(random.below(left.len()));
            let other = left.swap_remove(random.below(left.len()));
            expected.extend(change(&public, &path, &other, &mut random, &mut undo));
        }
        let found = found(&public);
        for problem in expected {
            assert!(
                found.contains(&problem),
                "round {round}: {problem}\n{found:#?}"
            );
        }
        restore(undo);
    }
    assert_eq!(found(&public), [""; 0]);
}

/// Feeds whose values are all made again, with the list in each.
const DERIVED: [(&str, &str); 16] = [
    ("feeds/runs.json", "/runs"),
    ("feeds/runs.jsonl", ""),
    ("feeds/cases.json", "/cases"),
    ("feeds/models.json", "/models"),
    ("feeds/harnesses.json", "/harnesses"),
    ("feeds/cells.json", "/sets"),
    ("feeds/annotations.jsonl", ""),
    ("feeds/friction.json", "/events"),
    ("feeds/hypotheses.json", "/hypotheses"),
    ("feeds/crystallize.json", "/anchors"),
    ("feeds/labels.jsonl", ""),
    ("feeds/decisions.json", "/excluded"),
    ("feeds/rules.json", "/rules"),
    ("feeds/rules.json", "/violations"),
    ("feeds/rules.json", "/unknown"),
    ("feeds/feed.json", "/items"),
];

/// Keys that are not made of records: prose of the site, and the order in which a decision was written.
const NOT_DERIVED: [&str; 3] = ["task", "slug", "url"];

/// The pointers of all values of a document that are no list and no object.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                if !NOT_DERIVED.contains(&key.as_str()) {
                    leaves(
                        value,
                        &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")),
                        found,
                    );
                }
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                leaves(value, &format!("{at}/{index}"), found);
            }
        }
        _ => found.push(at.to_owned()),
    }
}

fn other(value: &Value, random: &mut Random) -> Value {
    match value {
        Value::Number(number) => match number.as_i64() {
            Some(number) => (number + 1 + i64::try_from(random.below(9)).expect("small")).into(),
            None => (number.as_f64().expect("a number") + 0.25).into(),
        },
        Value::Bool(value) => (!value).into(),
        Value::String(text) => format!("{text}x").into(),
        _ => "x".into(),
    }
}

/// Changes a value, drops a row or repeats one.
fn changed(document: &mut Value, random: &mut Random) -> bool {
    let rows = document.as_array().map_or(0, Vec::len);
    if rows == 0 {
        return false;
    }
    let row = random.below(rows);
    match random.below(6) {
        0 => {
            document.as_array_mut().expect("a list").remove(row);
        }
        1 => {
            let copy = document[row].clone();
            document.as_array_mut().expect("a list").push(copy);
        }
        _ => {
            let mut pointers = Vec::new();
            leaves(document, "", &mut pointers);
            let pointer = &pointers[random.below(pointers.len())];
            let value = document.pointer_mut(pointer).expect("a value");
            *value = other(value, random);
        }
    }
    true
}

#[test]
fn each_of_a_hundred_changes_of_feeds_is_found_though_all_digests_are_made_again() {
    let site = with_checksums(many_kinds());
    furnish(&site, "content/runs/r2");
    let mut annotated = vec![HEADER.to_owned()];
    annotated.extend([
        annotation("h", 3, "hypothesis", r#""hypothesis_status":"confirmed""#),
        annotation("f", 2, "friction", r#""friction_kind":"tool_gap""#),
        annotation(
            "c",
            1,
            "crystallize_here",
            r#""evidence":"Make it a tool.""#,
        ),
        annotation("i", 0, "incorrect", r#""evidence":"It was not read.""#),
    ]);
    site.write_first("events.jsonl.annotations.jsonl", lines(&annotated));
    site.write("content/decisions.jsonl", format!("{DECISION}\n"));
    site.write("rules/site.toml", RULES);
    assert!(changes_are_found(&site, 381) > 11);
}

/// Rules of each kind: one that is violated, one of which it is not known, and one about the number of runs.
const RULES: &str = r#"version = "2"

[[rule]]
id = "nothing-read"
title = "Nothing is read"
why = "It is a *sample*."
find = "event.family == 'read'"
expect = "none"

[[rule]]
id = "something-written"
title = " Something is written after it is read "
applies = { case = ["pong", "tetris"] }
find = """
event.family == 'write'
"""
expect = "last  after nothing-read"

[[rule]]
id = "cheap"
title = "A run costs at most a dollar"
require = "run.cost <= 1.0"

[[rule]]
id = "two"
title = "Two runs each"
trials = 2
files = ["events.jsonl"]
"#;

/// A decision about the base run.
const DECISION: &str = r#"{"date":"2026-03-02","author":{"id":"mk","kind":"human"},"run":"4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11","decision":"void","reason":"The network of the container was down."}"#;

#[test]
#[ignore = "slow"]
fn each_of_a_hundred_changes_of_feeds_of_the_demo_is_found() {
    assert!(changes_are_found(&with_checksums(TestSite::demo()), 382) > 8);
}

/// Changes feeds at random and makes all digests again. Returns how many feeds were changed.
fn changes_are_found(site: &TestSite, seed: u64) -> usize {
    site.publish();
    let mut feeds = BTreeSet::new();
    let public = site.path("public");
    let mut random = Random(seed);
    let mut made = 0;
    while made < SEALED {
        let (path, list) = DERIVED[random.below(DERIVED.len())];
        let at = public.join(path);
        let Ok(text) = fs::read_to_string(&at) else {
            continue;
        };
        let is_lines = path.ends_with("jsonl");
        let mut document: Value = if is_lines {
            text.lines()
                .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
                .collect()
        } else {
            serde_json::from_str(&text).expect("JSON")
        };
        let rows = document.pointer_mut(list).expect("a list");
        if !changed(rows, &mut random) {
            continue;
        }
        let text = match &document {
            Value::Array(lines) if is_lines => {
                lines.iter().map(|line| format!("{line}\n")).collect()
            }
            document => document.to_string(),
        };
        let mut undo = Undo::new();
        write(&at, text.as_bytes(), &mut undo);
        seal_again(&public, &mut undo);
        let found = found(&public);
        assert!(
            found.iter().any(|problem| problem.contains(path)),
            "change {made} of {path} was not found: {found:#?}"
        );
        restore(undo);
        feeds.insert(path);
        made += 1;
    }
    feeds.len()
}

/// What an attacker changes in the folder of a run.
#[derive(Debug, Clone, Copy)]
enum RunChange {
    /// A letter of an event on the page.
    Letter,
    /// An event is left out.
    Dropped,
    /// An event is shown again.
    Repeated,
    /// A letter after these words.
    After(&'static str),
    /// A value below this pointer of `run.json`.
    Value(&'static str),
    /// A byte of a long text.
    LongText,
}

const RUN_CHANGES: [RunChange; 14] = [
    RunChange::Letter,
    RunChange::Letter,
    RunChange::Dropped,
    RunChange::Repeated,
    RunChange::After("<title>"),
    RunChange::After("<h1>"),
    RunChange::After("aria-label=\"Verdict\">"),
    RunChange::After("<h3 id=\"outcomes\">"),
    RunChange::After("<h2 id=\"writeup\">"),
    RunChange::Value("/steps"),
    RunChange::Value("/reconciliation"),
    RunChange::Value("/rules"),
    RunChange::Value("/review/html"),
    RunChange::LongText,
];

/// The beginning of an event on a page.
const EVENT: &str = "<li class=\"e ";

impl RunChange {
    /// Makes the change in a run directory, and returns the path; `None` if the run has nothing to change.
    fn make(self, run: &Path, random: &mut Random, undo: &mut Undo) -> Option<PathBuf> {
        let page = run.join("index.html");
        let html = fs::read_to_string(&page).expect("UTF-8");
        let events = || {
            // Only events of the log are changed: texts of tapes may be in files that are not published.
            let first = html.find(EVENT)?;
            let log = &html[..first + html[first..].find("</section>")?];
            let mut starts: Vec<usize> = log.match_indices(EVENT).map(|(at, _)| at).collect();
            let last = *starts.last()?;
            starts.push(last + html[last..].find("</ol>")?);
            Some(starts)
        };
        let changed = match self {
            Self::Letter => {
                let starts = events()?;
                let range = starts[0]..*starts.last()?;
                with_other_letter(&html, range, usize::MAX, random)?
            }
            Self::Dropped | Self::Repeated => {
                let starts = events()?;
                let at = random.below(starts.len() - 1);
                let event = &html[starts[at]..starts[at + 1]];
                let instead = match self {
                    Self::Dropped => String::new(),
                    _ => event.repeat(2),
                };
                format!(
                    "{}{instead}{}",
                    &html[..starts[at]],
                    &html[starts[at + 1]..]
                )
            }
            Self::After(words) => {
                let at = html.find(words)? + words.len();
                // Headings of the sections come first.
                let skipped = match words {
                    "<h2 id=\"writeup\">" => html[at..].find("<div class=\"prose\">")?,
                    "<h3 id=\"outcomes\">" => html[at..].find("<tbody>")?,
                    _ => 0,
                };
                with_other_letter(&html, at + skipped..html.len(), 6, random)?
            }
            Self::Value(pointer) => {
                let path = run.join("run.json");
                let text = fs::read_to_string(&path).expect("UTF-8");
                let mut document = parse(&text);
                let mut pointers = Vec::new();
                leaves(document.pointer(pointer)?, pointer, &mut pointers);
                // Only sums of events of the raw log are published elsewhere.
                pointers.retain(|at| !at.contains("/raw/"));
                if pointers.is_empty() {
                    return None;
                }
                let at = &pointers[random.below(pointers.len())];
                let value = document.pointer_mut(at).expect("a value");
                *value = other(value, random);
                write(&path, document.to_string().as_bytes(), undo);
                return Some(path);
            }
            Self::LongText => {
                let mut texts: Vec<_> = fs::read_dir(run.join("text")).ok()?.collect();
                let text = texts.pop()?.expect("a file").path();
                let mut bytes = fs::read(&text).expect("a file");
                let at = random.below(bytes.len());
                bytes[at] ^= 1;
                write(&text, &bytes, undo);
                return Some(text);
            }
        };
        write(&page, changed.as_bytes(), undo);
        Some(page)
    }
}

/// A page in which one of the first letters of its texts in a range is another one.
fn with_other_letter(
    html: &str,
    range: std::ops::Range<usize>,
    first: usize,
    random: &mut Random,
) -> Option<String> {
    // The range may begin within a tag.
    let mut is_text = html[..range.start].ends_with('>');
    let mut letters = Vec::new();
    for (at, c) in html[range.clone()].char_indices() {
        match c {
            '<' => is_text = false,
            '>' => is_text = true,
            c if is_text && c.is_ascii_alphabetic() => letters.push(range.start + at),
            _ => {}
        }
    }
    letters.truncate(first);
    if letters.is_empty() {
        return None;
    }
    let at = letters[random.below(letters.len())];
    let other = if html[at..].starts_with('Q') {
        'W'
    } else {
        'Q'
    };
    Some(format!("{}{other}{}", &html[..at], &html[at + 1..]))
}

#[test]
fn each_of_a_hundred_changes_of_run_pages_and_run_json_is_found_though_all_digests_are_made_again()
{
    let site = with_checksums(many_kinds());
    furnish(&site, "content/runs/r2");
    let path = first("run-record.json");
    let mut record = parse(&site.text(&path));
    record["outcomes"] =
        serde_json::json!([{"name": "reward", "value": 0.5, "scorer": "verifier"}]);
    site.write(&path, record.to_string());
    let log = first("events.jsonl");
    let long = site
        .text(&log)
        .replacen("read the task", &"read the task ".repeat(9_000), 1);
    site.write(&log, long);
    site.unannotated();
    site.write("rules/site.toml", RULES);
    site.publish();
    let public = site.path("public");
    let mut runs: Vec<PathBuf> = fs::read_dir(public.join("runs"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("run.json").is_file())
        .collect();
    runs.sort();
    let mut random = Random(383);
    let mut kinds = BTreeSet::new();
    let mut made = 0;
    while made < SEALED {
        let kind = random.below(RUN_CHANGES.len());
        let run = &runs[random.below(runs.len())];
        let mut undo = Undo::new();
        let Some(path) = RUN_CHANGES[kind].make(run, &mut random, &mut undo) else {
            continue;
        };
        seal_again(&public, &mut undo);
        let found = found(&public);
        let shown = path.strip_prefix(&public).expect("below").to_string_lossy();
        assert!(
            found.iter().any(|problem| problem.contains(&*shown)),
            "{:?} in {shown} was not found: {found:#?}",
            RUN_CHANGES[kind]
        );
        restore(undo);
        kinds.insert(kind);
        made += 1;
    }
    assert_eq!(kinds.len(), RUN_CHANGES.len(), "{kinds:?}");
    assert_eq!(found(&public), [""; 0]);
}

/// What an attacker changes in a file that repeats what is published elsewhere.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// A letter is added after the last of these words, each after the one before.
    Added(&'static [&'static str]),
    /// What is between two words is left out, with the first of them.
    Dropped(&'static str, &'static str),
    /// The first of these words is another one.
    Replaced(&'static str, &'static str),
}

/// Files that are no feed with a schema: in the folder of the base run, or of the whole site.
const TOLD: [(&str, Change); 22] = {
    use Change::{Added, Dropped, Replaced};
    [
        ("{run}/run.md", Added(&["# Run "])),
        ("{run}/run.md", Added(&["## Task", "text\n"])),
        ("{run}/run.md", Added(&["## Verdict", "text\n"])),
        ("{run}/run.md", Added(&["model: "])),
        ("{run}/run.md", Added(&[" steps", "#"])),
        ("{run}/run.md", Dropped("events.jsonl:\n", "\n")),
        (
            "{run}/index.html",
            Replaced("<svg viewBox=\"0 0 1000", "<svg viewBox=\"0 0 1001"),
        ),
        ("{run}/index.html", Added(&["<figcaption><p>"])),
        (
            "{run}/index.html",
            Added(&["<ul class=\"legend\">", "</i>"]),
        ),
        ("{run}/story/index.html", Added(&["<h1>"])),
        ("{run}/story/index.html", Added(&["<blockquote", "<p>"])),
        (
            "{run}/story/index.html",
            Added(&["class=\"around\"", "<b>"]),
        ),
        (
            "{run}/story/index.html",
            Dropped("<section class=frame", "<section"),
        ),
        ("feeds/atom.xml", Added(&["<entry>", "<title>"])),
        ("feeds/atom.xml", Added(&["<entry>", "<summary>"])),
        (
            "feeds/atom.xml",
            Added(&["<entry>", "<content type=\"html\">"]),
        ),
        ("feeds/atom.xml", Dropped("<entry>", "<entry>")),
        (
            "runs/index.html",
            Added(&["<tr data-run=", "</small>", "<td>"]),
        ),
        ("runs/index.html", Added(&["<tr data-run=", "b-good"])),
        ("runs/index.html", Dropped("<tr data-run=", "<tr")),
        (
            "cases/pong/index.html",
            Added(&["<tr data-run=", "<small>"]),
        ),
        (
            "models/sample-lark-1/index.html",
            Added(&["<tr data-run=", "c-st"]),
        ),
    ]
};

impl Change {
    fn make(self, text: &str) -> Option<String> {
        match self {
            Self::Added(words) => {
                let at = words
                    .iter()
                    .try_fold(0, |at, word| Some(at + text[at..].find(word)? + word.len()))?;
                // Behind the tag that the words are in.
                let is_tag = text[..at].rfind('<') > text[..at].rfind('>');
                let at = at + if is_tag { text[at..].find('>')? + 1 } else { 0 };
                let at = at
                    + if is_tag && text[at..].starts_with('<') {
                        text[at..].find('>')? + 1
                    } else {
                        0
                    };
                Some(format!("{}Q{}", &text[..at], &text[at..]))
            }
            Self::Dropped(from, to) => {
                let start = text.find(from)?;
                let end = start + from.len() + text[start + from.len()..].find(to)?;
                Some(format!("{}{}", &text[..start], &text[end..]))
            }
            Self::Replaced(from, to) => text.contains(from).then(|| text.replacen(from, to, 1)),
        }
    }
}

#[test]
fn a_change_of_a_strip_a_story_a_list_or_run_md_is_found_though_all_digests_are_made_again() {
    let site = with_checksums(many_kinds());
    furnish(&site, "content/runs/r2");
    site.publish();
    let public = site.path("public");
    assert_eq!(found(&public), [""; 0]);
    for (path, change) in TOLD {
        let path = path.replace("{run}", &format!("runs/{FIRST_SLUG}"));
        let at = public.join(&path);
        let text = fs::read_to_string(&at).expect("UTF-8");
        let changed = change.make(&text);
        let changed = changed.unwrap_or_else(|| panic!("{change:?} in {path}:\n{text}"));
        let mut undo = Undo::new();
        write(&at, changed.as_bytes(), &mut undo);
        seal_again(&public, &mut undo);
        let found = found(&public);
        let start = format!("verify.different-value {path} ");
        assert!(
            found.iter().any(|problem| problem.starts_with(&start)),
            "{change:?} in {path} was not found: {found:#?}"
        );
        restore(undo);
    }
}
