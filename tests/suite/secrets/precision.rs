//! The scan finds nothing in the files that the repository itself publishes.

use std::fs;
use std::path::Path;

use super::scan;

/// Findings in the files below a folder of the repository.
fn findings(folder: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut files = 0;
    for entry in walkdir::WalkDir::new(root.join(folder)).sort_by_file_name() {
        let entry = entry.expect("a readable folder");
        let path = entry.path();
        let shown = path.strip_prefix(root).expect("below").to_string_lossy();
        if !entry.file_type().is_file() || shown.contains("node_modules") {
            continue;
        }
        files += 1;
        let bytes = fs::read(path).expect("a file");
        let name = entry.file_name().to_string_lossy();
        let hits = scan(&name, &bytes).into_iter();
        found.extend(hits.map(|hit| format!("{shown}:{} {}", hit.line, hit.rule)));
    }
    assert!(files > 0, "{folder} has files");
    found
}

#[test]
fn nothing_is_found_in_the_sample_site_and_the_tests() {
    let folders = ["content", "static", "templates", "docs", "tests"];
    let found: Vec<String> = folders.into_iter().flat_map(findings).collect();
    assert_eq!(found, [""; 0]);
}
