//! The location of event logs, tapes and sidecars: next to the run page, in packs, in a bucket, or nowhere.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use runpress::api::site::Overrides;
use serde_json::Value;

use crate::crawl;
use crate::support::{
    FIRST, FIRST_SLUG, HEADER, Run, TestSite, annotation, differences, lines, messages,
};

/// Withheld text of the first run.
const SECRET: &str = "read the task";

type Files = BTreeMap<String, Vec<u8>>;

const PACKED: &str = "[publish]\ndownloads = \"packed\"\npacks = 16\n";
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

/// The members of all packs, and the number of packs.
fn members(files: &Files) -> (Files, usize) {
    let packs = files
        .iter()
        .filter(|(path, _)| path.starts_with("downloads/"));
    let (mut found, mut count) = (Files::new(), 0);
    for (path, bytes) in packs {
        count += 1;
        let mut pack = zip::ZipArchive::new(Cursor::new(bytes))
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        for index in 0..pack.len() {
            let mut file = pack.by_index(index).expect("a member");
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).expect("its content");
            let name = file.name().expect("a name").into_owned();
            found.insert(name, bytes);
        }
    }
    (found, count)
}

#[test]
fn packs_hold_byte_for_byte_what_could_be_downloaded_and_the_feed_says_where() {
    let site = site("");
    site.publish();
    let expected = beside_pages(&site.published());
    assert!(expected.len() > 80, "{}", expected.len());
    site.write("site.toml", PACKED);
    site.publish();
    let files = site.published();
    assert_eq!(beside_pages(&files), Files::new());
    let (found, packs) = members(&files);
    assert!(
        found == expected && (8..=16).contains(&packs),
        "{packs} packs"
    );
    assert!(
        !String::from_utf8_lossy(&found.values().flatten().copied().collect::<Vec<_>>())
            .contains(SECRET)
    );
    let feed = site.text("public/feeds/downloads.jsonl");
    assert_eq!(feed.lines().count(), expected.len());
    for line in feed.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| line[key].as_str().expect("a text").to_owned();
        let number =
            |key: &str| usize::try_from(line[key].as_u64().expect("a number")).expect("small");
        let content = &expected[&text("member")];
        assert_eq!(text("member"), format!("{}/{}", text("slug"), text("file")));
        assert_eq!(
            (number("bytes"), text("blake3")),
            (content.len(), blake3::hash(content).to_hex().to_string())
        );
        // A range request is sufficient.
        let range = number("offset")..number("offset") + number("packedBytes");
        let mut alone = Vec::new();
        let mut inflate = flate2::read::DeflateDecoder::new(&files[&text("pack")][range]);
        inflate.read_to_end(&mut alone).expect("DEFLATE");
        assert!(alone == *content, "{line}");
    }
}

#[test]
fn a_new_run_changes_one_pack_and_every_build_gives_the_same_bytes() {
    let site = site(PACKED);
    site.publish();
    let before = site.published();
    add(&site, 99);
    site.publish();
    let after = site.published();
    let changed = differences(&before, &after);
    let packs: Vec<_> = changed
        .iter()
        .filter(|line| line.contains("downloads/"))
        .collect();
    assert_eq!(packs.len(), 1, "{packs:?}");
    let shared = |files: &Files| {
        let files = files.iter();
        let shared = files.filter(|(path, _)| path.contains("downloads"));
        shared
            .map(|(path, bytes)| (path.clone(), bytes.clone()))
            .collect::<Files>()
    };
    assert!(shared(&site.published_by(1)) == shared(&after));
    std::fs::remove_dir_all(site.path("content/runs/r99")).expect("a folder");
    site.publish();
    let again = members(&site.published());
    assert!(again == members(&before));
    // A run with errors is not in any pack.
    site.write("content/runs/r7/events.jsonl.annotations.jsonl", "{");
    let overrides = Overrides {
        keep_going: true,
        ..Overrides::default()
    };
    assert!(site.build_with(&overrides).published);
    let (left, _) = members(&site.published());
    assert_eq!(left.len(), again.0.len() - 2);
}

#[test]
fn the_page_of_a_run_links_to_its_pack_and_names_its_members() {
    let settings = format!("{PACKED}[policy]\ncanary = \"CANARY-1\"\n[budget]\nfiles = 100000\n");
    let site = site(&settings);
    site.publish();
    let files = site.published();
    assert_eq!(crawl::problems(&files), [""; 0]);
    let page = site.first_page();
    let told = page.main();
    let id = site.json(&format!("runs/{FIRST_SLUG}/run.json"))["record"]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let pack = format!("{}.zip", &blake3::hash(id.as_bytes()).to_hex()[..1]);
    let link = page.one(&format!("a[href='../../downloads/{pack}']"));
    assert_eq!(crate::support::words(link), pack);
    for part in [
        format!("{FIRST_SLUG}/events.jsonl"),
        format!("unzip {pack} '{FIRST_SLUG}/*'"),
    ] {
        assert!(told.contains(&part), "{part}: {told}");
    }
    let (members, packs) = members(&files);
    assert_eq!(members["canary.txt"], b"CANARY-1\n");
    assert!(packs > 1 && !files.contains_key(&format!("runs/{FIRST_SLUG}/canary.txt")));
    let document = site.json(&format!("runs/{FIRST_SLUG}/run.json"));
    let listed = document["files"].as_array().expect("files");
    let log = listed
        .iter()
        .find(|file| file["path"] == "events.jsonl")
        .expect("a log");
    assert_eq!(log["url"], format!("downloads/{pack}").as_str());
    assert_eq!(log["member"], format!("{FIRST_SLUG}/events.jsonl").as_str());
    let record = listed.iter().find(|file| file["path"] == "run-record.json");
    assert!(record.expect("a record").get("url").is_none());
}

#[test]
fn without_downloads_pages_keep_the_digests_and_say_so() {
    let site = site("[publish]\ndownloads = \"none\"\n");
    site.publish();
    let files = site.published();
    assert_eq!(beside_pages(&files), Files::new());
    assert!(
        !files
            .keys()
            .any(|path| path.starts_with("downloads/") || path == "feeds/downloads.jsonl")
    );
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
    // Packs, too.
    site.write(
        "site.toml",
        format!("{PACKED}files_base_url = \"{BUCKET}\"\n"),
    );
    let ran = site.runpress(&["build"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(members(&site.published()).0 == expected);
    let feed = site.text("public/feeds/downloads.jsonl");
    assert!(
        feed.lines()
            .all(|line| line.contains(&format!("\"pack\":\"{BUCKET}")))
    );
    assert!(!site.path(FIRST).join("events.jsonl.zip").exists());
}

#[test]
fn packs_too_large_for_their_host_are_reported_with_the_setting_that_helps() {
    let site = site(&format!("{PACKED}[budget]\nfile = 40\n"));
    let ran = site.runpress(&["check"]);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("raise `packs` in `[publish]`"),
        "{}",
        ran.stderr
    );
    site.write("site.toml", "[publish]\npacks = 100\n");
    let ran = site.runpress(&["check"]);
    assert!(
        ran.stderr
            .contains("Write one of `16`, `256`, `4096`, `65536`"),
        "{}",
        ran.stderr
    );
}
