//! The rules of the code base: what belongs where in src/ and templates/, and what is not allowed.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of src/ that touch the disk, the environment, the clock or the terminal; a folder is named with `/`.
const EDGES: [&str; 21] = [
    "base/files.rs",
    "base/files/",
    "store/cache.rs",
    "content/discover.rs",
    "content/discover/",
    "content/load.rs",
    "content/load/",
    "store/publish.rs",
    "store/publish/",
    "pipeline/build.rs",
    "pipeline/site.rs",
    "main.rs",
    "cli/",
    "author/",
    "import/command.rs",
    "import/conformance.rs",
    "verify/copy.rs",
    "verify/download.rs",
    "import/source.rs",
    "import/store.rs",
    "serve/",
];

fn is_edge(path: &str) -> bool {
    EDGES
        .iter()
        .any(|edge| path == *edge || (edge.ends_with('/') && path.starts_with(edge)))
}

fn files(folder: &str, extension: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let paths: Vec<PathBuf> = walkdir::WalkDir::new(&root)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.expect("an entry").into_path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    assert!(paths.len() > 10, "{} files in {folder}", paths.len());
    let named = |path: &PathBuf| {
        path.strip_prefix(&root)
            .expect("below")
            .to_string_lossy()
            .replace('\\', "/")
    };
    paths
        .iter()
        .map(|path| (named(path), fs::read_to_string(path).expect("UTF-8")))
        .collect()
}

/// The code of a file without comments and without unit tests at its end.
fn code(text: &str) -> String {
    let text = text
        .split("#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default();
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Whether a file contains only unit tests and their helpers.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs")
}

fn holding(words: &[&str], within: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files("src", "rs")
        .into_iter()
        .filter(|(path, _)| within(path) && !is_test(path))
    {
        let text = code(&text);
        found.extend(
            words
                .iter()
                .filter(|word| text.contains(**word))
                .map(|word| format!("{path}: {word}")),
        );
    }
    found
}

#[test]
fn values_of_an_input_go_into_a_feed_through_one_function() {
    // archive.rs writes numbers that the rules have checked.
    let found = holding(&["from_str"], |path| {
        path.starts_with("pages/feeds/")
            && !matches!(path, "pages/feeds/mod.rs" | "pages/feeds/archive.rs")
    });
    assert_eq!(found, Vec::<String>::new(), "use feeds::raw");
}

#[test]
fn only_the_edges_touch_the_disk_the_environment_and_the_clock() {
    let words = [
        "std::fs",
        "fs::File",
        "std::env",
        "SystemTime",
        "Timestamp::now",
        "Instant::now",
        "std::net",
        "std::process",
        "read_to_string(",
        ".canonicalize()",
        "walkdir::",
    ];
    assert_eq!(holding(&words, |path| !is_edge(path)), [""; 0]);
    assert!(
        !holding(&words, is_edge).is_empty(),
        "the words are those that src uses"
    );
}

#[test]
fn only_the_binary_prints() {
    let words = [
        "println!",
        "eprintln!",
        "print!(",
        "eprint!(",
        "stdout()",
        "stderr()",
        "dbg!",
    ];
    assert_eq!(
        holding(&words, |path| path != "main.rs"
            && !path.ends_with("/build.rs")
            && !path.starts_with("cli/")),
        [""; 0]
    );
}

#[test]
fn nothing_panics_on_input() {
    let words = [
        ".unwrap()",
        ".expect(",
        "panic!",
        "unreachable!",
        "todo!",
        "unimplemented!",
        "unsafe ",
    ];
    assert_eq!(holding(&words, |_| true), [""; 0]);
}

#[test]
fn maps_without_an_order_are_not_used() {
    assert_eq!(holding(&["HashMap", "HashSet"], |_| true), [""; 0]);
}

#[test]
fn no_template_prints_anything_unescaped_or_holds_a_script_or_a_style() {
    let mut found = Vec::new();
    for (path, text) in files("templates", "html") {
        for word in [
            "| safe",
            "|safe",
            "autoescape false",
            "<style",
            " style=",
            " onclick=",
            "http://",
            "https://",
        ] {
            if text.contains(word) {
                found.push(format!("{path}: {word}"));
            }
        }
        let inline = text.match_indices("<script").filter(|(at, _)| {
            let tag = text[*at..].split('>').next().unwrap_or_default();
            !tag.contains("src=") && !tag.contains("type=\"application/ld+json\"")
        });
        found.extend(inline.map(|_| format!("{path}: an inline script")));
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn every_file_of_src_opens_with_a_sentence_about_what_it_knows() {
    let files = files("src", "rs").into_iter();
    for (path, text) in files.filter(|(path, _)| !is_test(path)) {
        let first = text.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("//! "),
            "{path} does not say what it knows"
        );
    }
}
