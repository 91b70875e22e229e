//! Runs every fuzz target over every sample of the repository, none of which may fail.

use std::fs;
use std::path::Path;

use crate::fuzz_targets::{ALL, redactions, threads};

/// The log to which most redactions of the fixtures apply.
const EVENTS: &str = "tests/fixtures/base/content/runs/first/events.jsonl";

/// The targets that read a file, by its name. Keep in sync with fuzz/seed.
fn targets(name: &str) -> &'static [&'static str] {
    match name {
        "run-record.json" => &["run_record", "secrets"],
        "events.jsonl" => &["events", "secrets"],
        "raw.jsonl" => &["raw", "secrets"],
        "transcript.json" => &["transcript"],
        "annotations.json" => &["threads"],
        "site.toml" => &["config"],
        "writeup.md" => &["writeup", "markdown", "secrets"],
        _ if name.ends_with(".annotations.jsonl") => &["sidecar"],
        _ if name.ends_with(".trace.jsonl") => &["trace"],
        _ if name.ends_with(".tape") || name.ends_with(".testbench-tape") => &["tape"],
        _ if name.ends_with(".json") => &["run_record", "transcript", "threads"],
        _ if name.ends_with(".md") => &["page", "markdown"],
        _ => &[],
    }
}

/// The target for a log of another system, by its folder.
fn importer(path: &str) -> Option<&'static str> {
    let format = path
        .strip_prefix("tests/fixtures/import/")?
        .split('/')
        .next()?;
    let target = format!("import_{}", format.replace('-', "_"));
    ALL.iter()
        .map(|(name, _)| *name)
        .find(|name| *name == target)
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
                    [&state, threads::BETWEEN, &bytes].concat(),
                ));
            }
            if name == "redactions.jsonl" {
                let log = fs::read(path.with_file_name("events.jsonl"))
                    .unwrap_or_else(|_| fs::read(root.join(EVENTS)).expect("the base run's log"));
                found.push((
                    "redactions",
                    shown.clone(),
                    [&bytes, redactions::BETWEEN, &log].concat(),
                ));
            }
            found.extend(
                targets(name)
                    .iter()
                    .chain(&importer(&shown))
                    .map(|target| (*target, shown.clone(), bytes.clone())),
            );
        }
    }
    found.extend(crate::secrets::samples());
    found
}

fn run(target: &str, bytes: &[u8]) {
    let (_, run) = ALL
        .iter()
        .find(|(name, _)| *name == target)
        .expect("a target");
    run(bytes);
}

#[test]
fn every_fuzz_target_holds_for_every_sample() {
    let samples = samples();
    for (target, _) in ALL {
        let count = samples.iter().filter(|(name, ..)| *name == target).count();
        assert!(count >= 3, "{count} samples for {target}");
    }
    for (target, path, bytes) in samples {
        let result = std::panic::catch_unwind(|| run(target, &bytes));
        assert!(result.is_ok(), "{target} over {path}");
    }
}

#[test]
fn every_fuzz_target_has_a_binary_that_the_fuzzer_finds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("fuzz/Cargo.toml")).expect("a manifest");
    for (name, _) in ALL {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        let binary = fs::read_to_string(root.join(format!("fuzz/fuzz_targets/{name}.rs")))
            .expect("a target");
        assert!(
            binary.contains(&format!("runpress_fuzz::{name}::run(data)")),
            "{binary}"
        );
    }
}
