//! The canary of a site is where crawlers and programs look, and nowhere else.

use crate::support::TestSite;

#[test]
fn a_canary_is_on_every_page_in_the_feeds_and_beside_the_downloads() {
    const CANARY: &str = "CANARY 26b5c67b-86a9-4ab0-b2fb-2a5ac7d50b1c";
    let site = TestSite::base();
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
    for path in ["canary.txt", "feeds/index.json", "feeds/atom.xml"] {
        assert_eq!(
            files.get(path).map_or(0, |bytes| has(bytes)),
            1,
            "{path}: {:?}",
            files.keys()
        );
    }
    let run = "runs/pong-codex-sample-lark-1-4f1c2d3e";
    for name in ["canary.txt", "run.json"] {
        assert_eq!(has(&files[&format!("{run}/{name}")]), 1, "{name}");
    }
    let log = format!("{run}/events.jsonl");
    assert_eq!(files[&log], plain[&log]);
}
