//! Run folders below `runs/`: with prefixes, all pages, feeds and links use them, and they are fixed once published.

use std::collections::BTreeMap;
use std::path::Path;

use runpress::api::site::Overrides;

use crate::crawl;
use crate::support::{FIRST, Run, TestSite, copy, messages};

const PREFIXED: &str = "[publish]\nrun_folders = \"prefixed\"\n";

/// The folder of a slug in a site with prefixes.
fn folder(slug: &str) -> String {
    format!(
        "runs/{}/{slug}",
        &blake3::hash(slug.as_bytes()).to_hex()[..2]
    )
}

/// The path of a file in a site with prefixes.
fn prefixed(path: &str) -> String {
    let rest = path
        .strip_prefix("runs/")
        .and_then(|rest| rest.split_once('/'));
    match rest.filter(|(slug, _)| *slug != "page") {
        Some((slug, rest)) => format!("{}/{rest}", folder(slug)),
        None => path.to_owned(),
    }
}

/// Names of files without a content digest.
fn plain(files: &BTreeMap<String, Vec<u8>>) -> impl Iterator<Item = &String> {
    let names = files.keys();
    names.filter(|path| !path.starts_with("compare/") && !path.starts_with("search/"))
}

#[test]
fn with_prefixes_every_file_of_a_run_moves_and_every_link_follows() {
    let site = TestSite::bare();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["content", "static"] {
        copy(&demo.join(folder), &site.path(folder));
    }
    let settings = std::fs::read_to_string(demo.join("site.toml")).expect("the demo's settings");
    let settings = settings.replace("[publish]\nchecksums = true\n", "");
    let settings = format!("{settings}\n[timeline]\npage_size = 40\n");
    let settings = settings.replace(
        "[site]\n",
        "[site]\nbase_url = \"https://runs.example.org/\"\n",
    );
    site.write("site.toml", &settings);
    site.publish();
    let flat = site.published();
    let expected: Vec<_> = plain(&flat).map(|path| prefixed(path)).collect();
    site.write("site.toml", format!("{settings}\n{PREFIXED}"));
    let overrides = Overrides {
        out: Some(site.path("prefixed")),
        ..Overrides::default()
    };
    assert!(site.build_with(&overrides).published);
    let files = crate::support::tree(&site.path("prefixed"));
    let mut expected: Vec<_> = expected.iter().collect();
    expected.sort_unstable();
    assert_eq!(plain(&files).collect::<Vec<_>>(), expected);
    assert_eq!(crawl::problems(&files), [""; 0]);
    // Feeds, the sitemap and script data use these addresses, too.
    let flat_address = |text: &str| {
        let after = text.match_indices("runs/").map(|(at, _)| &text[at + 5..]);
        let slugs = flat
            .keys()
            .filter_map(|path| path.strip_suffix("/run.json"));
        let slugs: Vec<_> = slugs
            .filter_map(|path| path.strip_prefix("runs/"))
            .collect();
        after
            .filter(|rest| slugs.iter().any(|slug| rest.starts_with(slug)))
            .count()
    };
    for (path, bytes) in &files {
        let is_made = path.starts_with("feeds/") || path.starts_with("search/");
        if is_made || path.ends_with(".xml") || path.ends_with("/run.json") {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(flat_address(&text), 0, "{path}");
        }
    }
    let feed: serde_json::Value = serde_json::from_slice(&files["feeds/runs.json"]).expect("JSON");
    for run in feed["runs"].as_array().expect("runs") {
        let slug = run["slug"].as_str().expect("a slug");
        let url = format!("https://runs.example.org/{}/", folder(slug));
        assert_eq!(run["url"], url.as_str());
    }
}

#[test]
fn with_prefixes_runs_that_moved_or_were_withdrawn_or_quarantined_keep_their_addresses() {
    let site = TestSite::empty();
    site.write("site.toml", PREFIXED);
    for (name, id) in [
        ("moved", "0000000a-1"),
        ("gone", "0000000b-1"),
        ("broken", "0000000c-1"),
        ("stays", "0000000d-1"),
    ] {
        site.run(name, &Run::new(id));
        site.write(&format!("content/runs/{name}/events.jsonl"), messages(3));
    }
    site.publish();
    site.run("moved", &Run::new("0000000a-1").model("sample/wren-2"));
    site.remove("content/runs/gone/events.jsonl");
    site.remove("content/runs/gone/run-record.json");
    site.write("content/runs/broken/events.jsonl.annotations.jsonl", "{");
    site.keep_going();
    for (id, says) in [
        ("a", "This run has moved"),
        ("b", "This run was withdrawn"),
        ("c", "quarantined"),
        ("d", "0000000d-1"),
    ] {
        let slug = format!("pong-codex-sample-lark-1-0000000{id}");
        let page = site.page(&format!("{}/index.html", folder(&slug)));
        page.says(says);
    }
    assert_eq!(crawl::problems(&site.published()), [""; 0]);
    // A summary also links to them.
    site.run("stays", &Run::new("0000000d-1").model("sample/wren-2"));
    let ran =
        site.runpress("build --keep-going --base-url https://runs.example.org/ --report markdown");
    let new = folder("pong-codex-sample-wren-2-0000000d");
    ran.prints(format!("<https://runs.example.org/{new}/>"));
}

#[test]
fn folders_are_fixed_once_a_run_is_published() {
    let site = TestSite::empty();
    site.publish();
    site.write("site.toml", PREFIXED);
    site.run("first", &Run::new("0000000a-1"));
    site.publish();
    assert_eq!(site.json("feeds/changes.json")["runFolders"], "prefixed");
    let before = site.published();
    for settings in ["", "[publish]\nrun_folders = \"flat\"\n"] {
        site.write("site.toml", settings);
        for command in ["check", "build"] {
            let ran = site.runpress(&[command]).exits(2);
            ran.says("ledger.run-folders");
            ran.says("run_folders = \"prefixed\"");
        }
        assert_eq!(site.published(), before);
    }
    site.runpress("build --out elsewhere").ok();
}

#[test]
fn prefixes_bring_a_site_below_the_entries_of_its_host() {
    let site = super::many_runs(70, "sample/lark-1");
    let budget = "[budget]\nentries = 69\n";
    site.write("site.toml", budget);
    site.runpress("check")
        .exits(1)
        .says("run_folders = \"prefixed\"");
    site.write("site.toml", format!("{budget}{PREFIXED}"));
    site.runpress("check").ok();
    assert!(!site.path(FIRST).exists());
}
