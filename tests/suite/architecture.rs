//! docs/architecture.md names the crates, with the diagram of lib.rs.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_table_of_the_architecture_page_names_every_crate_once_and_no_other() {
    let manifest: toml::Table = read("Cargo.toml").parse().expect("a manifest");
    let members = manifest["workspace"]["members"]
        .as_array()
        .expect("members");
    let members = members.iter().filter_map(toml::Value::as_str);
    let declared: Vec<&str> = members
        .filter_map(|path| path.strip_prefix("src/"))
        .collect();
    assert!(declared.len() > 5, "{declared:?}");
    let page = read("docs/architecture.md");
    let (page, _) = page
        .split_once("## One thing, one type")
        .expect("two parts");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let named: Vec<&str> = rows
        .filter_map(|row| Some(row.split_once("` |")?.0))
        .collect();
    assert_eq!(named, declared);
}

#[test]
fn the_picture_of_the_architecture_page_is_that_of_the_crate() {
    let source = read("src/lib.rs");
    let docs: Vec<&str> = source
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let docs = docs.join("\n");
    let page = read("docs/architecture.md");
    let picture = |text: &str| {
        let (_, rest) = text.split_once("```text\n").expect("a picture");
        let (picture, _) = rest.split_once("```").expect("its end");
        picture.to_owned()
    };
    assert_eq!(picture(&page), picture(&docs));
}

#[test]
fn every_path_that_the_guides_for_contributors_name_exists() {
    let mut missing = Vec::new();
    let mut seen = 0;
    for guide in ["CONTRIBUTING.md", "docs/architecture.md"] {
        for name in read(guide).split('`').skip(1).step_by(2) {
            let name = name.split(' ').next().unwrap_or_default();
            let is_path = [
                "src/",
                "tests/",
                "templates/",
                "static/",
                "docs/",
                "content/",
                "fuzz/",
                "benches/",
            ]
            .iter()
            .any(|folder| name.starts_with(folder));
            // An example in a recipe, or a name with a placeholder.
            let is_example = name.contains('<') || EXAMPLES.iter().any(|word| name.contains(word));
            if is_path && !is_example {
                seen += 1;
                if !Path::new(env!("CARGO_MANIFEST_DIR")).join(name).exists() {
                    missing.push(format!("{guide}: {name}"));
                }
            }
        }
    }
    assert!(seen > 20, "{seen} paths");
    assert_eq!(missing, [""; 0]);
}

/// Files that the recipes of CONTRIBUTING.md create.
const EXAMPLES: [&str; 3] = ["totals", "license", "parrot"];
