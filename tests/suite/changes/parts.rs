//! A large ledger is split into a small file and parts, which the next build reads back.

use serde_json::{Value, json};

use super::{LEDGER, newest, site};
use crate::support::{FIRST_SLUG, TestSite, entries, tree};

fn named(number: usize) -> Value {
    json!({
        "id": format!("gone-{number:05}"), "slug": format!("gone-{number:05}"), "testCaseSlug": "pong",
        "testCaseVersion": "1", "variant": null, "harnessSlug": "codex", "modelId": "lark-1",
    })
}

/// A site with a ledger of thousands of runs that it does not have. A record without an id keeps them in the ledger.
fn large() -> TestSite {
    let site = site();
    let mut ledger = site.json(LEDGER);
    let runs = ledger["runs"].as_array_mut().expect("runs");
    runs.extend((0..2_000).map(|number| {
        json!({ "run": named(number), "rating": null, "record": { "/id": "0123456789", "/finishedAt": "0123456789" },
            "files": { "events.jsonl": "0123456789" }, "annotations": {} })
    }));
    ledger["builds"] = (1..=60)
        .rev()
        .map(|build| {
            let added: Vec<Value> = (0..100).map(|number| named(number + build)).collect();
            json!({ "build": build, "runs": 2_002, "added": added })
        })
        .collect();
    site.write(&format!("public/{LEDGER}"), ledger.to_string());
    site.write("content/runs/nameless/run-record.json", "{}");
    let settings = site.text("site.toml");
    site.write(
        "site.toml",
        format!("{settings}\n[policy]\non_invalid = \"quarantine\"\n"),
    );
    site
}

/// The parts of the published ledger: paths and documents.
fn parts(site: &TestSite) -> Vec<(String, Value)> {
    let ledger = site.json(LEDGER);
    let listed = entries(&ledger["parts"]).iter();
    listed
        .map(|part| {
            let path = part["path"].as_str().expect("a path").to_owned();
            let bytes = site.bytes(&format!("public/{path}"));
            assert_eq!(part["bytes"], bytes.len());
            let digest = blake3::hash(&bytes).to_hex();
            assert_eq!(part["blake3"], digest.as_str());
            assert!(path.contains(&digest[..16]), "{path}");
            let document: Value = serde_json::from_slice(&bytes).expect("JSON");
            for list in ["builds", "runs"] {
                assert_eq!(part[list], document[list].as_array().expect("a list").len());
            }
            (path, document)
        })
        .collect()
}

#[test]
fn a_large_ledger_of_one_file_goes_on_as_a_small_file_with_parts() {
    let site = large();
    site.publish();
    let size = site.bytes(&format!("public/{LEDGER}")).len();
    assert!(size < 600_000, "{size}");
    let ledger = site.json(LEDGER);
    let all = parts(&site);
    let count = |list: &str| {
        let parts = all.iter().map(|(_, document)| document[list].as_array());
        let of = |list: Option<&Vec<Value>>| list.map_or(0, Vec::len);
        parts.map(of).sum::<usize>() + of(ledger[list].as_array())
    };
    assert_eq!((count("builds"), count("runs")), (61, 2_002));
    assert_eq!(ledger["runs"], json!([]));
    // The latest build alone is too large for the first file.
    assert_eq!(
        (&ledger["builds"], &ledger["parts"][0]["newest"]),
        (&json!([]), &json!(61))
    );
    let newest = &all[0].1["builds"][0];
    assert_eq!(entries(&newest["quarantined"]).len(), 2_000);
    assert!(site.page("changes/index.html").main().contains("Build 61"));
    // Building the same content again changes no file of the ledger, and needs no earlier site.
    let before = tree(&site.path("public/feeds"));
    assert!(site.publish().changes().is_none());
    assert_eq!(before, tree(&site.path("public/feeds")));
    let kept: Vec<String> = before
        .into_keys()
        .filter(|path| path.starts_with("changes/"))
        .collect();
    assert_eq!(kept.len(), all.len());
}

#[test]
fn a_change_is_found_by_the_digests_in_a_part_and_leaves_closed_parts_as_they_are() {
    let site = large();
    site.publish();
    let before = parts(&site);
    let review = "content/runs/first/writeup.md";
    site.write(review, site.text(review) + "\nMore.\n");
    site.publish();
    let build = newest(&site);
    assert_eq!(build["build"], 62);
    assert_eq!(build["changed"][0]["run"]["slug"], FIRST_SLUG);
    assert_eq!(build["changed"][0]["files"], json!(["writeup.md"]));
    let closed = |parts: &[(String, Value)]| {
        let paths = parts.iter().map(|(path, _)| path.clone());
        paths
            .filter(|path| path.contains("builds-"))
            .collect::<Vec<_>>()
    };
    let (was, is) = (closed(&before), closed(&parts(&site)));
    assert!(!was.is_empty() && is.ends_with(&was), "{was:?} {is:?}");
}

#[test]
fn a_build_stops_where_a_part_of_the_ledger_is_missing() {
    let site = large();
    site.publish();
    let (path, _) = parts(&site).remove(0);
    site.remove(&format!("public/{path}"));
    let ran = site.runpress("build").exits(2);
    let name = path.rsplit('/').next().expect("a name");
    for words in ["ledger.unreadable", name, "is missing", "its `parts` list"] {
        ran.says(words);
    }
}
