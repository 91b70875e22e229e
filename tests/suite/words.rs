//! User-facing text is plain English: replaced phrases must not come back.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::runpress_in;

/// A confusing phrase, and its replacement.
const REPLACED: [(&str, &str); 42] = [
    ("is told", "is reported"),
    ("are told", "are reported"),
    ("be told", "be reported, be distinguished"),
    ("told as", "reported as"),
    ("told once", "reported once"),
    ("stands", "is, appears"),
    ("stand", "is, appears"),
    ("standing", "is, appears"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("they part", "they diverge"),
    ("meet again", "converge"),
    ("meets again", "converges"),
    ("is another", "is different, changed"),
    ("held back", "withheld"),
    ("holds back", "withholds"),
    ("fit to publish", "passed"),
    ("not fit", "failed, invalid"),
    ("something about an event", "annotate an event"),
    ("nobody", "no author, no one"),
    ("served on", "still serving"),
    ("served before", "the last good build"),
    ("allow to", "allow, blocked"),
    ("the known", "recognized"),
    ("as one thread", "number of threads"),
    ("threads work", "number of threads"),
    ("in the place of", "instead of"),
    ("next step", "suggested fix, help"),
    ("recency", "newest first"),
    ("figures", "numbers, metrics"),
    ("rehearse", "does everything except writing"),
    ("rehearses", "does everything except writing"),
    ("misspelt", "misspelled"),
    ("half written", "truncated"),
    ("behaviour", "behavior"),
    ("colour", "color"),
    ("colours", "colors"),
    ("neighbour", "neighbor"),
    ("neighbours", "neighbors"),
    ("judgement", "annotation"),
    ("judgements", "annotations"),
];

/// Places where such a phrase is correct, each with its reason.
const EXCEPT: [&str; 1] = [
    // "A name stands for several files" is the common idiom.
    "stands for",
];

/// Collapses white space and writes ` | ` between clauses, so that a phrase does not match across a comma or a full stop.
fn normalized(text: &str) -> String {
    let mut out = String::from(" ");
    for char in text.to_lowercase().chars() {
        let next = match char {
            '.' | ',' | ';' | ':' | '(' | ')' | '"' | '“' | '”' | '|' => " | ".to_owned(),
            char if char.is_alphanumeric() || char == '_' || char == '\'' => char.to_string(),
            _ => " ".to_owned(),
        };
        if !(next == " " && out.ends_with(' ')) {
            out.push_str(&next);
        }
    }
    let mut text = out + " ";
    while text.contains("  ") {
        text = text.replace("  ", " ");
    }
    for phrase in EXCEPT {
        text = text.replace(&format!(" {phrase} "), " | ");
    }
    text
}

/// The phrases in a text, with line and replacement.
fn odd(name: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words = normalized(line);
        for (phrase, instead) in REPLACED {
            if words.contains(&format!(" {phrase} ")) {
                let line = line.trim();
                found.push(format!(
                    "{name}:{}: {phrase:?}, better: {instead}\n    {line}",
                    number + 1
                ));
            }
        }
    }
    found
}

/// The text without everything from `start` to the next `end`; keeps line breaks.
fn without(text: &str, start: &str, end: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(start) {
        out.push_str(before);
        let (inside, after) = after.split_once(end).unwrap_or((after, ""));
        out.extend(inside.chars().filter(|char| *char == '\n'));
        rest = after;
    }
    out + rest
}

/// The string literals of a Rust file without unit tests, each on the line where it begins.
fn literals(text: &str) -> String {
    let text = text
        .split("#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default();
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    let mut inside = false;
    let mut before = ['\n'; 2];
    while let Some(char) = chars.next() {
        match char {
            '/' if !inside && chars.peek() == Some(&'/') => {
                while chars.next_if(|char| *char != '\n').is_some() {}
            }
            '\\' if inside => {
                let escaped = chars.next();
                out.push(if escaped == Some('n') { '|' } else { ' ' });
            }
            // A quotation mark in a character literal does not begin a string.
            '"' if !inside && (before[1] == '\'' || before == ['\'', '\\']) => {}
            '"' => {
                inside = !inside;
                out.push(' ');
            }
            '\n' => out.push('\n'),
            char if inside => out.push(char),
            _ => {}
        }
        before = [before[1], char];
    }
    without(&out, "{", "}")
}

/// The script without comments; keeps line breaks.
fn uncommented(text: &str) -> String {
    let code = text.lines().map(|line| {
        let is_comment = ["//", "/*", "*"]
            .iter()
            .any(|start| line.trim_start().starts_with(start));
        let code = if is_comment { "" } else { line };
        code.split_once(" // ").map_or(code, |(code, _)| code)
    });
    code.collect::<Vec<_>>().join("\n")
}

fn files(folder: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths: Vec<PathBuf> = walkdir::WalkDir::new(root.join(folder))
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.expect("an entry").into_path())
        .filter(|path| {
            path.extension()
                .is_some_and(|found| extensions.iter().any(|wanted| found == *wanted))
        })
        .filter(|path| !path.iter().any(|part| part == "vendor"))
        .collect();
    assert!(!paths.is_empty(), "{folder}");
    paths
        .iter()
        .map(|path| {
            let name = path.strip_prefix(root).expect("below");
            (
                name.display().to_string(),
                fs::read_to_string(path).expect("UTF-8"),
            )
        })
        .collect()
}

fn assert_plain(found: &[String]) {
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_documentation_is_in_plain_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = files("content/pages", &["md"]);
    texts.extend(files("python", &["py"]));
    for name in [
        "README.md",
        "CONTRIBUTING.md",
        "tests/README.md",
        "action.yml",
    ] {
        let text = fs::read_to_string(root.join(name)).expect("UTF-8");
        texts.push((name.to_owned(), text));
    }
    let found: Vec<String> = texts
        .iter()
        .flat_map(|(name, text)| odd(name, text))
        .collect();
    assert_plain(&found);
}

#[test]
fn pages_and_scripts_are_in_plain_words() {
    let mut found = Vec::new();
    for (name, text) in files("templates", &["html", "xml"]) {
        let shown = without(&without(&text, "{%", "%}"), "{{", "}}");
        found.extend(odd(&name, &without(&shown, "class=\"", "\"")));
    }
    for (name, text) in files("static/js", &["js"]) {
        found.extend(odd(&name, &uncommented(&text)));
    }
    assert_plain(&found);
}

#[test]
fn messages_are_in_plain_words() {
    let found: Vec<String> = files("src", &["rs"])
        .iter()
        .flat_map(|(name, text)| odd(name, &literals(text)))
        .chain(
            files("src/author/starter", &["md", "toml", "yml"])
                .iter()
                .flat_map(|(name, text)| odd(name, text)),
        )
        .collect();
    assert_plain(&found);
}

#[test]
fn the_help_of_every_command_is_in_plain_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for command in crate::cli::commands() {
        let ran = runpress_in(root, &["help", &command]).ok();
        found.extend(odd(&format!("runpress help {command}"), &ran.stdout));
    }
    found.extend(odd("runpress help", &runpress_in(root, &["help"]).stdout));
    assert_plain(&found);
}

#[test]
fn a_replaced_phrase_is_found_and_its_place_is_reported() {
    let found = odd(
        "page.md",
        "All is well.\nThe key stands twice. Another run is there.",
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("page.md:2: \"stands\""), "{found:?}");
    assert!(
        odd(
            "page.md",
            "A name stands for a file, that is. Another one does, too."
        )
        .is_empty()
    );
    let source = "let c = '\"'; // \"stands\"\nsay(\"It\\nstands {stand} \\\"there\\\"\");\n#[cfg(test)]\nmod tests { \"mend\" }";
    let found = odd("a.rs", &literals(source));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("a.rs:2: "), "{found:?}");
}
