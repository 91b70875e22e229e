//! Every document that is read or published matches its schema.

use std::collections::BTreeSet;
use std::path::Path;

use runpress::api::pipeline::NoProgress;
use runpress::api::schema::{self, SchemaSubject};
use runpress::api::site::{Overrides, Site};
use serde_json::{Value, json};

use super::{compiled, refusals, schema, walk};
use crate::support::{FIRST_ID, TestSite, contains, fixture, tree};

/// The schema of an input file, by path.
pub(crate) fn schema_of_input(path: &str) -> Option<&'static str> {
    // Tapes have two endings.
    let path = path.replace(".testbench-tape", ".tape");
    let name = path.rsplit('/').next().unwrap_or_default();
    schema::ALL.iter().find_map(|entry| match entry.subject {
        SchemaSubject::Input(input) => {
            let is_it = match input.split_once('*') {
                Some((folder, ending)) => path.starts_with(folder) && name.ends_with(ending),
                None => name == input,
            };
            is_it.then_some(entry.name)
        }
        SchemaSubject::Feed(_) => None,
    })
}

/// The documents of a file: the whole file, or its lines. Leaves out invalid JSON and TOML.
fn documents(path: &str, bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    if path.ends_with(".toml") {
        return toml::from_str(text).into_iter().collect();
    }
    if path.ends_with(".json") {
        return serde_json::from_str(text).into_iter().collect();
    }
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

#[test]
fn the_references_link_every_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("content/pages");
    let page = |name| std::fs::read_to_string(root.join(name)).expect("a page");
    let (inputs, feeds) = (page("formats.md"), page("data-feeds.md"));
    for entry in schema::ALL {
        let page = match entry.subject {
            SchemaSubject::Input(_) => &inputs,
            SchemaSubject::Feed(_) => &feeds,
        };
        contains(page, format!("](../{})", entry.path()));
    }
}

#[test]
fn every_sample_input_and_every_valid_fixture_is_what_its_schema_says() {
    let mut seen: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    let mut wrong = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = tree(&root.join("content"));
    files.extend(tree(&fixture("base")));
    files.extend(tree(&fixture("harn")));
    files.extend(tree(&fixture("findings")));
    files.extend(tree(&fixture("adapter")));
    let tapes = tree(&fixture("harn-tapes")).into_iter();
    files.extend(tapes.filter(|(path, _)| !path.starts_with("edge/")));
    files.extend(tree(&fixture("codes/withdrawn.still-published")));
    files.extend(tree(&fixture("codes/redaction.remains")));
    files.extend(tree(&fixture("codes/rules.violated")));
    files.insert(
        "site.toml".to_owned(),
        std::fs::read(root.join("site.toml")).expect("site.toml"),
    );
    files.extend(
        tree(&fixture("records"))
            .into_iter()
            .map(|(path, bytes)| (format!("{path}/run-record.json"), bytes)),
    );
    for (path, bytes) in &files {
        let Some(name) = schema_of_input(path) else {
            continue;
        };
        let validator = compiled(&schema(name));
        for document in documents(path, bytes) {
            *seen.entry(name).or_default() += 1;
            for refusal in refusals(&validator, &document) {
                wrong.push(format!("{path} against {name}: {refusal}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    let inputs = schema::ALL
        .iter()
        .filter(|entry| matches!(entry.subject, SchemaSubject::Input(_)));
    for entry in inputs {
        assert!(seen.contains_key(entry.name), "no sample of {}", entry.name);
    }
}

/// The schema of a published document, by path.
fn schema_of_feed(path: &str) -> Option<&'static str> {
    schema::ALL.iter().find_map(|entry| match entry.subject {
        SchemaSubject::Feed(shape) => {
            let same = match shape.split_once("<slug>") {
                Some((before, after)) => path.starts_with(before) && path.ends_with(after),
                None => path == shape,
            };
            same.then_some(entry.name)
        }
        SchemaSubject::Input(_) => None,
    })
}

/// The schema without room for undescribed keys, except where it passes on input values.
fn closed(name: &str) -> Value {
    let mut schema = schema(name);
    walk(&mut schema, &mut |object| {
        if object.get("properties").is_some() && object.get("type") == Some(&json!("object")) {
            object.insert("additionalProperties".to_owned(), json!(false));
        }
    });
    let passes_on = if matches!(name, "annotations-line" | "threads-line") {
        vec![""]
    } else {
        vec!["/$defs/Annotation", "/$defs/Thread"]
    };
    for place in passes_on {
        if let Some(Value::Object(open)) = schema.pointer_mut(place) {
            open.remove("additionalProperties");
        }
    }
    schema
}

fn check_published(files: &std::collections::BTreeMap<String, Vec<u8>>) -> BTreeSet<&'static str> {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for (path, bytes) in files {
        let own = path.ends_with(".json")
            && !path.starts_with("schema/")
            && path != "feeds/feed.json"
            && (path.starts_with("feeds/") || path.ends_with("/run.json"));
        let Some(name) = schema_of_feed(path) else {
            assert!(!own, "{path} has no schema");
            continue;
        };
        seen.insert(name);
        let validator = compiled(&closed(name));
        let found = documents(path, bytes);
        assert!(!found.is_empty() || bytes.is_empty(), "{path} is no JSON");
        for document in found {
            if own {
                assert_eq!(document["schemaVersion"], 1, "{path}");
            }
            for refusal in refusals(&validator, &document) {
                wrong.push(format!("{path}: {refusal}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    seen
}

#[test]
fn every_document_of_the_demo_site_is_what_its_schema_says() {
    let out = tempfile::tempdir().expect("a folder");
    let overrides = Overrides {
        out: Some(out.path().join("public")),
        ..Overrides::default()
    };
    let demo =
        Site::open(Path::new(env!("CARGO_MANIFEST_DIR")), &overrides).expect("the demo site");
    let outcome = runpress::build(&demo, &NoProgress).expect("a build").0;
    assert!(outcome.published);
    let files = tree(&out.path().join("public"));
    let seen = check_published(&files);
    for entry in schema::ALL {
        if matches!(entry.subject, SchemaSubject::Feed(_)) {
            assert!(seen.contains(entry.name), "no document of {}", entry.name);
        }
        assert_eq!(
            files.get(&entry.path()).map(Vec::as_slice),
            Some(entry.document().as_bytes()),
            "{} is published as it is printed",
            entry.path()
        );
    }
    let index: Value = serde_json::from_slice(&files["feeds/index.json"]).expect("JSON");
    for feed in index["feeds"].as_array().expect("feeds") {
        let path = feed["path"].as_str().expect("a path");
        match feed["schema"].as_str() {
            Some(schema) => assert!(files.contains_key(schema), "{path}: {schema}"),
            None => assert!(
                ["feeds/feed.json", "feeds/runs.csv", "feeds/atom.xml"].contains(&path),
                "{path}"
            ),
        }
    }
}

#[test]
fn the_documents_of_odd_sites_are_what_their_schemas_say() {
    let bare = TestSite::base();
    bare.write("site.toml", "");
    let problems = TestSite::base();
    problems.write_first("events.jsonl.annotations.jsonl", "{\"type\":\"header\",\"schema_version\":1,\"tape_content_hash\":\"old\"}\n\
         {\"type\":\"annotation\",\"id\":\"a\",\"event_id\":1,\"kind\":\"newer\",\"tape\":1,\"target\":2,\"x\":[1]}\n",
    );
    problems.write("site.toml", "[policy]\nstale_annotations = \"warn\"\n");
    problems.write_first(
        "writeup.md",
        "---\nrating.play: epic\nreview.a: pass well\n---\nText.\n",
    );
    problems.write_first("annotations.json", r#"{"annotations":[{"id":"t","turnId":"1","resource":"gone.txt","resolved":false,"entries":[],"extra":1}]}"#,
    );
    for site in [bare, problems, TestSite::empty()] {
        site.publish();
        check_published(&site.published());
    }
}

#[test]
fn feed_schemas_refuse_missing_keys_and_wrong_types() {
    let site = TestSite::base().overlay(&fixture("codes/rules.unknown"));
    let decision = json!({"date": "2026-03-01", "author": {"id": "mk", "kind": "human"}, "run": FIRST_ID,
        "decision": "void", "reason": "r"});
    site.write("content/decisions.jsonl", decision.to_string());
    site.publish();
    let mut seen = BTreeSet::new();
    for (path, bytes) in site.published() {
        let Some(name) = schema_of_feed(&path) else {
            continue;
        };
        seen.insert(name);
        let validator = compiled(&schema(name));
        // The site has no review threads.
        let Some(document) = documents(&path, &bytes).into_iter().next() else {
            continue;
        };
        for key in schema(name)["required"].as_array().expect("required keys") {
            let key = key.as_str().expect("a key");
            let mut without = document.clone();
            without.as_object_mut().expect("an object").remove(key);
            assert!(!validator.is_valid(&without), "{path} without {key}");
            let mut wrong = document.clone();
            wrong[key] = json!([[1]]);
            assert!(!validator.is_valid(&wrong), "{path} with another {key}");
        }
    }
    let feeds = schema::ALL
        .iter()
        .filter(|entry| matches!(entry.subject, SchemaSubject::Feed(_)));
    assert_eq!(seen.len(), feeds.count(), "every feed was looked at");
}
