//! A copy of a site is verified without its content, and with it.

mod network;
pub(crate) mod samples;
mod tampering;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use runpress::api::verify::{Verification, VerifyOptions, verify};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::incremental::edits;
use crate::shards;
use crate::support::{
    FIRST, FIRST_SLUG, TestSite, contains, copy, differences, entries, first, lacks, runpress_in,
    tree,
};

/// The settings of a site with checksums.
const CHECKSUMS: &str = "\n[publish]\nchecksums = true\n";

/// A site with checksums.
pub(crate) fn with_checksums(site: TestSite) -> TestSite {
    if !site.text("site.toml").contains(CHECKSUMS) {
        site.append("site.toml", CHECKSUMS);
    }
    site
}

/// Writes the digests of `feeds/index.json` and `SHA256SUMS` again, as somebody does who changes a site.
pub(crate) fn seal(site: &Path) {
    let index = site.join("feeds/index.json");
    if let Ok(text) = fs::read_to_string(&index)
        && let Ok(mut document) = serde_json::from_str::<Value>(&text)
    {
        for feed in document["feeds"].as_array_mut().into_iter().flatten() {
            let path = feed["path"].as_str().expect("a path").to_owned();
            if let Ok(bytes) = fs::read(site.join(path)) {
                feed["bytes"] = bytes.len().into();
                feed["blake3"] = blake3::hash(&bytes).to_hex().as_str().into();
            }
        }
        let text = serde_json::to_string(&document).expect("JSON");
        fs::write(index, text).expect("a file");
    }
    seal_files(site);
}

/// Writes `SHA256SUMS` again.
fn seal_files(site: &Path) {
    let mut sums = String::new();
    for (path, bytes) in tree(site) {
        if !["SHA256SUMS", ".nojekyll", ".runpress"].contains(&path.as_str()) {
            for byte in Sha256::digest(&bytes) {
                let _ = write!(sums, "{byte:02x}");
            }
            let _ = writeln!(sums, "  {path}");
        }
    }
    fs::write(site.join("SHA256SUMS"), sums).expect("a file");
}

fn verified(site: &Path) -> Verification {
    verify(site, VerifyOptions::default()).expect("a readable copy")
}

/// What was found: code, path and pointer of each problem.
fn found(site: &Path) -> Vec<String> {
    let problems = verified(site).diagnostics;
    let problems = problems.iter().map(|problem| {
        let pointer = problem.place.pointer.as_deref().unwrap_or_default();
        let line = problem.place.line.map(|line| format!(":{line}"));
        let line = line.unwrap_or_default();
        format!(
            "{} {}{line} {pointer}",
            problem.code.name, problem.place.path
        )
    });
    problems.collect()
}

/// The codes of what was found.
fn codes_of(verified: &Verification) -> Vec<&str> {
    let problems = verified.diagnostics.iter();
    problems.map(|problem| problem.code.name).collect()
}

/// A comparison with an earlier copy.
fn verified_since(site: &TestSite, earlier: &str) -> Verification {
    let earlier = site.path(earlier);
    let options = VerifyOptions {
        since: Some(&earlier),
        ..VerifyOptions::default()
    };
    verify(&site.path("public"), options).expect("a readable copy")
}

/// Fails unless `sha256sum` accepts all files of a site, and the file lists all of them, sorted.
fn assert_checksums(folder: &Path) {
    let ran = Command::new("sha256sum")
        .args(["--check", "--strict", "--quiet", "SHA256SUMS"])
        .current_dir(folder)
        .output()
        .expect("sha256sum runs");
    assert!(ran.status.success(), "{ran:?}");
    let sums = fs::read_to_string(folder.join("SHA256SUMS")).expect("UTF-8");
    let listed = sums.lines().map(|line| match line.strip_prefix('\\') {
        Some(line) => line[66..].replace("\\\\", "\\"),
        None => line[66..].to_owned(),
    });
    let listed: Vec<String> = listed.collect();
    assert!(listed.is_sorted());
    let mut published = tree(folder);
    for path in ["SHA256SUMS", ".nojekyll", ".runpress"] {
        published.remove(path);
    }
    let published: Vec<String> = published.into_keys().collect();
    // The paths of a tree have no backslash.
    let listed: Vec<String> = listed.iter().map(|path| path.replace('\\', "/")).collect();
    assert_eq!(listed, published);
}

#[test]
fn sha256sum_accepts_every_file_of_the_demo_and_verify_finds_nothing() {
    let site = with_checksums(TestSite::demo());
    // Pages show its pictures.
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    copy(&root.join("static"), &site.path("static"));
    site.publish();
    assert_checksums(&site.path("public"));
    assert_eq!(found(&site.path("public")), [""; 0]);
    let verified = verified(&site.path("public"));
    assert!(verified.runs > 20 && verified.files > 300, "{verified:?}");
    let head = site.json("feeds/changes.json")["head"].clone();
    assert_eq!(verified.head.as_deref(), head.as_str());
    assert_eq!(site.json("feeds/index.json")["checksums"], "SHA256SUMS");
}

#[test]
fn checksums_are_those_of_a_fresh_build_after_each_of_many_edits() {
    let site = with_checksums(crate::incremental::many_kinds());
    site.publish();
    let mut random = edits::Random(5);
    for n in 0..4 {
        site.run(&format!("more{n}"), &edits::run(20 + n));
        site.write("static/a b\\c.txt", format!("{n}"));
        let (_, edit) = edits::edits().swap_remove(random.below(8));
        edit(&site, &mut random);
        if site.build().published {
            assert_checksums(&site.path("public"));
        }
    }
    // Turned off and on again, files that the build before did not list are listed.
    let settings = site.text("site.toml");
    site.write("site.toml", settings.replace(CHECKSUMS, ""));
    site.build();
    assert!(!site.is_published("SHA256SUMS"));
    site.write("site.toml", settings);
    assert!(site.build().published);
    assert_checksums(&site.path("public"));
}

#[test]
fn a_site_merged_from_parts_has_the_checksums_of_one_build() {
    let site = with_checksums(crate::incremental::many_kinds());
    site.publish();
    let built = site.published();
    site.remove("public");
    shards::shard(&site, 1, 2);
    shards::shard(&site, 2, 2);
    assert!(shards::merge(&site, &[1, 2]).published);
    assert_eq!(differences(&built, &site.published()), [""; 0]);
    assert_checksums(&site.path("public"));
}

#[test]
fn a_site_without_checksums_is_verified_as_far_as_possible() {
    let site = TestSite::base();
    site.publish();
    let public = site.path("public");
    assert_eq!(found(&public), ["verify.no-checksums SHA256SUMS "]);
    site.runpress("verify public").ok();
    site.append(&format!("public/runs/{FIRST_SLUG}/events.jsonl"), "{}\n");
    contains(&found(&public).join("\n"), "verify.changed-feed");
    site.runpress("verify public").exits(1);
    site.runpress("verify nowhere").exits(2);
    let ran = site.runpress("verify content").exits(2);
    ran.says("there is neither `feeds/index.json` nor `SHA256SUMS`");
}

#[test]
fn a_copy_is_compared_with_its_content_and_with_an_earlier_copy() {
    let site = with_checksums(TestSite::base());
    site.publish();
    copy(&site.path("public"), &site.path("earlier"));
    let ran = |options: &str| {
        let line = format!("verify public --color never {options}");
        runpress_in(site.root(), &line)
    };
    ran("--content content").ok();
    let same = ran("--since earlier").ok();
    same.says("Continues the earlier copy by 0 builds");
    site.run("second", &edits::run(3));
    site.append(&first("writeup.md"), "\nMore.\n");
    // The place is below the content folder, wherever that is.
    let place = format!("--> {}/writeup.md", FIRST.trim_start_matches("content/"));
    ran("--content content").exits(1).says(&place);
    let absolute = site.path("content");
    let told = ran(&format!("--content {}", absolute.display())).exits(1);
    told.says(&place);
    lacks(&told.stderr, site.root().to_string_lossy());
    ran("--content nowhere").exits(2).says("`nowhere`");
    site.publish();
    let next = ran("--since earlier --content content").ok();
    next.says("by 1 build: 1 run added, 1 run changed");
    let ledger = site.json("feeds/changes.json");
    let head = ledger["head"].as_str().expect("a digest");
    ran(&format!("--expected-head {head}")).ok();
    let other = ran(&format!("--expected-head {}", "0".repeat(64)));
    other.exits(1).says("verify.other-head");
    // A site that is built anew has the same content and no history.
    site.remove("public");
    site.publish();
    let anew = ran("--since earlier").exits(1);
    anew.says("verify.not-continued");
}

#[test]
fn a_ledger_without_a_chain_is_read_and_continued() {
    let site = TestSite::base();
    site.publish();
    let without = |value: &mut Value| {
        for key in ["head", "previous", "state"] {
            if let Value::Object(members) = value {
                members.remove(key);
            }
        }
    };
    let mut ledger = site.json("feeds/changes.json");
    without(&mut ledger);
    let builds = ledger["builds"].as_array_mut().expect("entries");
    builds.iter_mut().for_each(without);
    site.write("public/feeds/changes.json", ledger.to_string());
    assert!(verified(&site.path("public")).head.is_some());
    copy(&site.path("public"), &site.path("earlier"));
    site.run("second", &edits::run(3));
    site.publish();
    let ledger = site.json("feeds/changes.json");
    let builds = entries(&ledger["builds"]);
    assert_eq!(builds.len(), 2);
    assert!(builds[0]["previous"].is_string() && builds[1]["state"].is_null());
    let verified = verified_since(&site, "earlier");
    assert_eq!(codes_of(&verified), ["verify.no-checksums"]);
    let added = verified.continuation.expect("a continuation").added;
    assert_eq!(added.len(), 1);
}

#[test]
fn an_entry_that_names_another_one_before_it_breaks_the_chain() {
    let site = with_checksums(TestSite::base());
    site.publish();
    site.run("second", &edits::run(3));
    site.publish();
    let mut ledger = site.json("feeds/changes.json");
    ledger["builds"][0]["previous"] = Value::from("0".repeat(64));
    site.write("public/feeds/changes.json", ledger.to_string());
    seal(&site.path("public"));
    let verified = verified(&site.path("public"));
    assert_eq!(codes_of(&verified), ["verify.broken-chain"]);
}

#[test]
fn a_file_that_is_never_listed_has_only_what_a_build_writes() {
    let site = with_checksums(TestSite::base());
    site.publish();
    site.write("public/.nojekyll", "More.");
    let verified = verified(&site.path("public"));
    assert_eq!(codes_of(&verified), ["verify.unlisted-file"]);
}

#[test]
fn reports_have_the_problems_of_a_copy() {
    let site = with_checksums(TestSite::base());
    site.publish();
    site.write("public/robots.txt", "changed");
    let ran = site.runpress("verify public --report json -q").exits(1);
    let report = ran.json();
    assert_eq!(report["diagnostics"][0]["code"], "verify.changed-file");
    assert_eq!(report["diagnostics"][0]["path"], "robots.txt");
    let ran = site.runpress("verify public --report github -q");
    ran.prints("file=public/robots.txt");
    site.runpress("verify public --report junit").exits(2);
}

/// All files of a site by path, for those who compare copies.
fn files(site: &TestSite) -> BTreeMap<String, Vec<u8>> {
    tree(&site.path("public"))
}

#[test]
fn the_chain_continues_when_names_are_corrected_and_runs_are_withdrawn() {
    let site = with_checksums(crate::incremental::many_kinds());
    site.publish();
    copy(&site.path("public"), &site.path("earlier"));
    let (first, second) = (edits::run(1), edits::run(2));
    site.run("r1", &first.model("a/corrected"))
        .run("r7", &edits::run(7));
    site.publish();
    site.run("r2", &second.state("failed"));
    site.publish();
    site.remove("content/runs/r1");
    site.run("r7", &edits::run(7).model("b/corrected"));
    site.publish();
    let verified = verified_since(&site, "earlier");
    assert_eq!(codes_of(&verified), [""; 0]);
    let continued = verified.continuation.expect("a continuation");
    let counts = [
        continued.added.len(),
        continued.changed.len(),
        continued.withdrawn.len(),
    ];
    assert_eq!((continued.builds, counts), (3, [1, 3, 1]));
}
