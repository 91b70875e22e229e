//! The location of event logs, tapes and sidecars: next to the run page, in a bucket, or nowhere.

use std::collections::BTreeMap;

use crate::crawl;
use crate::support::{FIRST, FIRST_SLUG, HEADER, Run, TestSite, annotation, lines, messages};

/// Withheld text of the first run.
const SECRET: &str = "read the task";

type Files = BTreeMap<String, Vec<u8>>;

const BUCKET: &str = "https://bucket.example.org/runs/";

/// The base site with forty more runs that have logs and sidecars. Text of one run is withheld.
fn site(settings: &str) -> TestSite {
    let site = TestSite::base();
    let arguments = [
        "redact", FIRST, "--reason", "secret", "--event", "0", "--quote", SECRET,
    ];
    let ran = site.runpress(&arguments);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    for n in 0..40 {
        add(&site, n);
    }
    site.write("site.toml", settings);
    site
}

fn add(site: &TestSite, n: u32) {
    let folder = format!("r{n}");
    site.run(&folder, &Run::new(&format!("{n:08x}-0000")));
    site.write(
        &format!("content/runs/{folder}/events.jsonl"),
        messages(n + 1),
    );
    let sidecar = lines(&[HEADER.to_owned(), annotation("a-1", 0, "note", "")]);
    site.write(
        &format!("content/runs/{folder}/events.jsonl.annotations.jsonl"),
        sidecar,
    );
}

/// The downloads next to run pages, by slug and file name.
fn beside_pages(files: &Files) -> Files {
    let is_raw = |name: &str| name.contains(".jsonl") || name.ends_with(".tape");
    let raw = files.iter().filter_map(|(path, bytes)| {
        let below = path.strip_prefix("runs/")?;
        is_raw(below).then(|| (below.to_owned(), bytes.clone()))
    });
    raw.collect()
}

#[test]
fn without_downloads_pages_keep_the_digests_and_say_so() {
    let site = site("[publish]\ndownloads = \"none\"\n");
    site.publish();
    let files = site.published();
    assert_eq!(beside_pages(&files), Files::new());
    assert!(!files.keys().any(|path| path.starts_with("downloads/")));
    assert_eq!(crawl::problems(&files), [""; 0]);
    let told = site.first_page().main();
    assert!(
        told.contains("are not published on this site; their digests are below"),
        "{told}"
    );
    let digest = blake3::hash(&site.bytes("content/runs/r3/events.jsonl"))
        .to_hex()
        .to_string();
    let page = site.page("runs/pong-codex-sample-lark-1-00000003/index.html");
    assert!(page.main().contains(&digest));
    // Without the file, there is nothing to report.
    site.write(
        "site.toml",
        "[publish]\ndownloads = \"none\"\n[policy]\npublish_events = false\n",
    );
    site.publish();
    assert!(
        !site
            .first_page()
            .main()
            .contains("not published on this site")
    );
}

#[test]
fn downloads_for_a_bucket_are_in_one_folder_that_the_host_need_not_take() {
    let bucket = format!("[publish]\nfiles_base_url = \"{BUCKET}\"\n");
    let site = site("");
    site.publish();
    let expected = beside_pages(&site.published());
    site.write("site.toml", &bucket);
    site.publish();
    let files = site.published();
    let moved = files.iter().filter_map(|(path, bytes)| {
        let below = path.strip_prefix("downloads/")?;
        Some((below.to_owned(), bytes.clone()))
    });
    assert!(moved.collect::<Files>() == expected);
    let address = format!("{BUCKET}{FIRST_SLUG}/events.jsonl");
    site.first_page().one(&format!("a[href='{address}']"));
    let document = site.json(&format!("runs/{FIRST_SLUG}/run.json"));
    let listed = document["files"].as_array().expect("files").iter();
    assert_eq!(
        listed
            .filter(|file| file["url"] == address.as_str())
            .count(),
        1
    );
    // The limits of the host apply to everything except the folder.
    let own = files
        .keys()
        .filter(|path| !path.starts_with("downloads/") && *path != ".runpress")
        .count();
    for (limit, status) in [(own, 0), (own - 1, 1)] {
        site.write("site.toml", format!("{bucket}[budget]\nfiles = {limit}\n"));
        assert_eq!(site.runpress(&["check"]).status, Some(status), "{limit}");
    }
}

#[test]
fn the_value_that_was_removed_names_what_replaces_it() {
    let site = TestSite::base();
    site.write("site.toml", "[publish]\ndownloads = \"packed\"\n");
    let ran = site.runpress(&["check"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    for part in [
        "error[config.invalid-value]",
        "site.toml:2:13",
        "`--export parquet=DIR`",
        "`files_base_url`",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}
