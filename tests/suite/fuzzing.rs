//! Runs every fuzz target over every sample of the repository, none of which may fail.

use std::fs;
use std::path::Path;

use crate::fuzz_targets::{ALL, SEPARATOR, find, import, shared_page};
use crate::schemas::schema_of_input;

/// The log to which most redactions of the fixtures apply.
const EVENTS: &str = "tests/fixtures/base/content/runs/first/events.jsonl";

/// Redactions that the fuzzer tries on any file.
const REDACTIONS: &str =
    "tests/fixtures/codes/annotation.quote-withheld/content/runs/first/redactions.jsonl";

/// The targets that read a file, by its name: the one that is named like its schema, and those that read any text.
fn targets(name: &str) -> Vec<&'static str> {
    let of_format = match (name, schema_of_input(name)) {
        // Redactions need a second file.
        ("redactions.jsonl", _) | (_, None) => None,
        (_, Some("site")) => Some("config"),
        (_, Some(schema)) => find(&schema.replace('-', "_")).map(|(target, _)| target),
    };
    let others: &[&str] = match name {
        "run-record.json" | "events.jsonl" | "raw.jsonl" => &["secrets"],
        "writeup.md" => &["writeup", "markdown", "secrets"],
        _ if name.ends_with(".md") => &["page", "markdown"],
        _ if of_format.is_none() && name.ends_with(".json") => {
            &["run_record", "transcript", "threads"]
        }
        _ => &[],
    };
    of_format
        .into_iter()
        .chain(others.iter().copied())
        .collect()
}

/// The format of a log of another system, by its folder.
fn format(path: &str) -> Option<&str> {
    path.strip_prefix("tests/fixtures/import/")?
        .split('/')
        .next()
}

/// The samples: target, path and bytes.
pub(crate) fn samples() -> Vec<(&'static str, String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["content", "tests/fixtures", "site.toml"] {
        for entry in walkdir::WalkDir::new(root.join(folder)).sort_by_file_name() {
            let entry = entry.expect("a readable folder");
            let path = entry.path();
            if !entry.file_type().is_file() {
                continue;
            }
            let name = entry.file_name().to_str().expect("UTF-8");
            let shown = path
                .strip_prefix(root)
                .expect("below")
                .display()
                .to_string();
            let bytes = fs::read(path).expect("a file");
            if name == "annotations.actions.jsonl" {
                let state = fs::read(path.with_file_name("annotations.json"))
                    .unwrap_or_else(|_| b"{\"annotations\":[]}".to_vec());
                found.push((
                    "threads",
                    shown.clone(),
                    [&state, SEPARATOR, &bytes].concat(),
                ));
            }
            if name == "redactions.jsonl" {
                let log = fs::read(path.with_file_name("events.jsonl"))
                    .unwrap_or_else(|_| fs::read(root.join(EVENTS)).expect("the base run's log"));
                found.push((
                    "redactions",
                    shown.clone(),
                    [&bytes, SEPARATOR, &log].concat(),
                ));
            }
            if name == "run-record.json" {
                found.push(("shared_page", shown.clone(), shared(path, &bytes)));
            }
            if let Some(input) = format(&shown).and_then(|format| import::input(format, &bytes)) {
                found.push(("import", shown.clone(), input));
            }
            let is_rules = shown.contains("/rules/") && name.ends_with(".toml");
            found.extend(
                targets(name)
                    .into_iter()
                    .chain(is_rules.then_some("rules"))
                    .map(|target| (target, shown.clone(), bytes.clone())),
            );
        }
    }
    found.extend(crate::secrets::samples());
    found
}

/// A page with the record and the other files of a run directory.
fn shared(record: &Path, bytes: &[u8]) -> Vec<u8> {
    let read = |name: &str| fs::read_to_string(record.with_file_name(name));
    let mut document = format!("{{\"record\":{}", String::from_utf8_lossy(bytes));
    if let Ok(text) = read("writeup.md") {
        let text = serde_json::to_string(&text).expect("JSON");
        document.push_str(&format!(
            ",\"review\":{{\"rating\":\"great\",\"ratings\":[],\"checklist\":[],\"markdown\":{text}}}"
        ));
    }
    if let Ok(state) = read("annotations.json") {
        document.push_str(&format!(",\"threads\":{{\"annotations\":[{state}]}}"));
    }
    document.push('}');
    let log = read("events.jsonl").unwrap_or_default();
    let files = [
        ("events.jsonl", log.as_bytes()),
        ("run.json", document.as_bytes()),
    ];
    shared_page::page(&files)
}

fn run(target: &str, bytes: &[u8]) {
    let (_, run) = find(target).expect("a target");
    run(bytes);
}

#[test]
fn every_fuzz_target_holds_for_every_sample() {
    let samples = samples();
    for (target, _) in ALL {
        let count = samples.iter().filter(|(name, ..)| name == target).count();
        assert!(count >= 3, "{count} samples for {target}");
    }
    for (target, path, bytes) in samples {
        let result = std::panic::catch_unwind(|| run(target, &bytes));
        assert!(result.is_ok(), "{target} over {path}");
    }
}

/// Begins the corpus of each target with the samples. Files below the folders of `SEEDS`, separated by colons, are added to the
/// targets that read any text, and to the importer that a folder above them is named like.
#[test]
#[ignore = "writes fuzz/corpus/"]
fn seed_the_fuzzer() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let mut seeds = samples();
    let list = fs::read(REDACTIONS).expect("the redactions of a fixture");
    let folders = std::env::var("SEEDS").unwrap_or_default();
    for folder in folders.split(':').filter(|folder| !folder.is_empty()) {
        for entry in walkdir::WalkDir::new(folder) {
            let entry = entry.expect("a readable folder");
            let metadata = entry.metadata().expect("a readable file");
            if !metadata.is_file() || metadata.len() > 128 << 10 {
                continue;
            }
            let bytes = fs::read(entry.path()).expect("a readable file");
            let shown = entry.path().display().to_string();
            let redacted = [&list, SEPARATOR, &bytes].concat();
            seeds.push(("redactions", shown.clone(), redacted));
            let logs = shown
                .split('/')
                .filter_map(|above| import::input(above, &bytes));
            seeds.extend(logs.map(|log| ("import", shown.clone(), log)));
            seeds.push(("secrets", shown.clone(), bytes.clone()));
        }
    }
    for (target, _, bytes) in seeds {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder).expect("a folder");
        let name = blake3::hash(&bytes).to_hex();
        fs::write(folder.join(&name[..16]), bytes).expect("a file");
    }
}
