//! The location of event logs, tapes and sidecars: next to the run page, in a bucket, or nowhere.

use std::collections::BTreeMap;

use crate::crawl;
use crate::support::{
    FIRST, FIRST_SLUG, Run, TestSite, annotation, each, lacks, messages, sidecar,
};

/// Withheld text of the first run.
const SECRET: &str = "read the task";

type Files = BTreeMap<String, Vec<u8>>;

const BUCKET: &str = "https://bucket.example.org/runs/";

/// The base site with forty more runs that have logs and sidecars. Text of one run is withheld.
fn site(settings: &str) -> TestSite {
    let site = TestSite::base();
    site.runpress(&format!(
        "redact {FIRST} --reason secret --event 0 --quote '{SECRET}'"
    ))
    .ok();
    for n in 0..40 {
        let log = format!("content/runs/r{n}/events.jsonl");
        site.run(&format!("r{n}"), &Run::new(&format!("{n:08x}-0000")))
            .write(&log, messages(n + 1))
            .write(
                &format!("{log}.annotations.jsonl"),
                sidecar(&[annotation("a-1", 0, "note", "")]),
            );
    }
    site.write("site.toml", settings);
    site
}

/// The downloads next to run pages, by slug and file name.
fn beside_pages(files: &Files) -> Files {
    let mut raw = below(files, "runs/");
    raw.retain(|name, _| name.contains(".jsonl") || name.ends_with(".tape"));
    raw
}

/// The files of a folder.
fn below(files: &Files, folder: &str) -> Files {
    let below = files
        .iter()
        .filter_map(|(path, bytes)| Some((path.strip_prefix(folder)?.to_owned(), bytes.clone())));
    below.collect()
}

#[test]
fn without_downloads_pages_keep_the_digests_and_say_so() {
    let site = site("[publish]\ndownloads = \"none\"\n");
    site.publish();
    let files = site.published();
    assert_eq!(beside_pages(&files), Files::new());
    assert_eq!(below(&files, "downloads/"), Files::new());
    assert_eq!(crawl::problems(&files), [""; 0]);
    site.first_page()
        .says("are not published on this site; their digests are below");
    let digest = blake3::hash(&site.bytes("content/runs/r3/events.jsonl")).to_hex();
    site.page("runs/pong-codex-sample-lark-1-00000003/index.html")
        .says(digest.as_str());
    // Without the file, there is nothing to report.
    site.settings("[policy]\npublish_events = false").publish();
    lacks(&site.first_page().main(), "not published on this site");
}

#[test]
fn downloads_for_a_bucket_are_in_one_folder_that_the_host_need_not_take() {
    let bucket = format!("[publish]\nfiles_base_url = \"{BUCKET}\"\n");
    let site = site("");
    site.publish();
    let expected = beside_pages(&site.published());
    site.write("site.toml", &bucket).publish();
    let mut files = site.published();
    assert!(below(&files, "downloads/") == expected);
    let address = format!("{BUCKET}{FIRST_SLUG}/events.jsonl");
    site.first_page().one(&format!("a[href='{address}']"));
    let document = site.first_run();
    let urls = each(&document["files"], "url").into_iter();
    assert_eq!(urls.filter(|url| **url == address.as_str()).count(), 1);
    // The limits of the host apply to everything except the folder.
    files.retain(|path, _| !path.starts_with("downloads/") && path != ".runpress");
    for (limit, status) in [(files.len(), 0), (files.len() - 1, 1)] {
        site.write("site.toml", format!("{bucket}[budget]\nfiles = {limit}\n"));
        site.runpress("check").exits(status);
    }
}

#[test]
fn the_value_that_was_removed_names_what_replaces_it() {
    let site = TestSite::base();
    site.write("site.toml", "[publish]\ndownloads = \"packed\"\n");
    let ran = site.runpress("check").exits(2);
    ran.says("error[config.invalid-value]")
        .says("site.toml:2:13");
    ran.says("`--export parquet=DIR`").says("`files_base_url`");
}
