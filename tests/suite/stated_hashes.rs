//! The hashes that the pages state are those of their examples.

use std::fs;
use std::path::Path;

use crate::support::TestSite;

const DIGITS: usize = 64;

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("content/pages")
        .join(name);
    fs::read_to_string(path).expect("a page")
}

/// The hashes in a text.
fn hashes(text: &str) -> Vec<&str> {
    text.split(|letter: char| !matches!(letter, '0'..='9' | 'a'..='f'))
        .filter(|word| word.len() == DIGITS)
        .collect()
}

/// The first example of JSON below a heading.
fn example<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, section) = page
        .split_once(&format!("\n{heading}\n"))
        .expect("a section");
    let (_, code) = section.split_once("```json\n").expect("an example");
    code.split_once("```").expect("its end").0
}

/// The content hash that runpress computes of a tape in the base run.
fn content_hash(name: &str, tape: &str) -> String {
    let site = TestSite::base();
    site.remove_first("events.jsonl");
    site.unannotated();
    site.write_first(name, tape);
    site.publish();
    let document = site.first_run();
    document["tapes"][0]["contentHash"]
        .as_str()
        .expect("a hash")
        .to_owned()
}

/// The hashes in a tape of Harn that are computed of a text beside them. The digests of requests and arguments are Harn's own.
fn payloads(value: &serde_json::Value, found: &mut Vec<(String, String)>) {
    if let (Some(hash), Some(text)) = (value["content_hash"].as_str(), value["text"].as_str()) {
        let computed = blake3::hash(text.as_bytes()).to_hex().to_string();
        found.push((hash.to_owned(), computed));
    }
    let parts: Vec<_> = match value {
        serde_json::Value::Object(members) => members.values().collect(),
        serde_json::Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    for part in parts {
        payloads(part, found);
    }
}

#[test]
fn every_hash_that_the_pages_state_is_computed_from_their_examples() {
    let formats = page("formats.md");
    let tape = example(&formats, "# Harn tapes");
    let log = example(&formats, "# Event logs");
    let sidecar = example(&formats, "# Annotation sidecars");
    let mut stated = Vec::new();
    for line in tape.lines() {
        payloads(&serde_json::from_str(line).expect("JSON"), &mut stated);
    }
    assert_eq!(stated.len(), 4, "payloads of the example");
    let (_, sentence) = formats
        .split_once("The hash of the tape above is `")
        .expect("the sentence");
    stated.push((
        sentence[..DIGITS].to_owned(),
        content_hash("run.tape", tape),
    ));
    let of_log = hashes(sidecar).into_iter().next().expect("a hash");
    stated.push((of_log.to_owned(), content_hash("events.jsonl", log)));
    for (stated, computed) in &stated {
        assert_eq!(stated, computed);
    }
    let opaque = ["request_digest", "args_digest"].map(|key| {
        let (_, rest) = tape.split_once(&format!("\"{key}\":\"")).expect("a digest");
        &rest[..DIGITS]
    });
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("content/pages");
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a page");
        for hash in hashes(&text) {
            let is_computed = stated.iter().any(|(stated, _)| stated == hash);
            assert!(
                is_computed || opaque.contains(&hash),
                "{}: {hash}",
                path.display()
            );
        }
    }
}
