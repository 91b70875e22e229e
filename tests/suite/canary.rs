//! The canary of a site is where crawlers and programs look for it, and nowhere else.

use serde_json::Value;

use crate::support::TestSite;

#[test]
fn a_canary_is_on_every_page_in_the_feeds_and_beside_the_downloads() {
    const CANARY: &str = "CANARY 26b5c67b-86a9-4ab0-b2fb-2a5ac7d50b1c";
    let site = TestSite::base();
    site.write("site.toml", "[site]\nbase_url = \"https://example.org\"\n");
    let _ = site.publish();
    let plain = site.published();
    assert!(!plain.keys().any(|path| path.ends_with("canary.txt")));
    site.write(
        "site.toml",
        format!("[site]\nbase_url = \"https://example.org\"\n[policy]\ncanary = \"{CANARY}\"\n"),
    );
    let _ = site.publish();
    let has = |bytes: &[u8]| String::from_utf8_lossy(bytes).matches(CANARY).count();
    let files = site.published();
    for (path, bytes) in &files {
        if path.ends_with(".html") && !path.starts_with("404") {
            assert_eq!(has(bytes), 2, "{path}");
            assert!(
                String::from_utf8_lossy(bytes).contains("noai, noimageai"),
                "{path}"
            );
        }
    }
    for path in [
        "canary.txt",
        "robots.txt",
        "llms.txt",
        "feeds/canary.txt",
        "feeds/index.json",
        "feeds/runs.json",
        "feeds/feed.json",
        "feeds/atom.xml",
    ] {
        assert_eq!(
            files.get(path).map_or(0, |bytes| has(bytes)),
            1,
            "{path}: {:?}",
            files.keys()
        );
    }
    let json = |path: &str| serde_json::from_slice::<Value>(&files[path]).expect("JSON");
    assert_eq!(json("feeds/runs.json")["canary"], CANARY);
    assert_eq!(json("feeds/feed.json")["_runpress"]["canary"], CANARY);
    // Rows and lines are unchanged.
    for path in ["feeds/runs.jsonl", "feeds/runs.csv"] {
        assert_eq!(files[path], plain[path], "{path}");
    }
    let robots = String::from_utf8_lossy(&files["robots.txt"]);
    assert!(
        robots.starts_with("User-agent: *\nDisallow:\n\n# CANARY"),
        "{robots}"
    );
    assert!(robots.contains("User-agent: GPTBot\n"), "{robots}");
    assert!(!String::from_utf8_lossy(&plain["robots.txt"]).contains("GPTBot"));
    let run = "runs/pong-codex-sample-lark-1-4f1c2d3e";
    for name in ["canary.txt", "run.json", "run.md"] {
        assert_eq!(has(&files[&format!("{run}/{name}")]), 1, "{name}");
    }
    let log = format!("{run}/events.jsonl");
    assert_eq!(files[&log], plain[&log]);
}
