//! The canary of a site is where crawlers and programs look for it, and nowhere else.

use crate::support::{FIRST_SLUG, TestSite, contains, lacks};

#[test]
fn a_canary_is_on_every_page_in_the_feeds_and_beside_the_downloads() {
    const CANARY: &str = "CANARY 26b5c67b-86a9-4ab0-b2fb-2a5ac7d50b1c";
    let site = TestSite::base();
    site.publish();
    let plain = site.published();
    assert!(!plain.keys().any(|path| path.ends_with("canary.txt")));
    site.settings(&format!("[policy]\ncanary = \"{CANARY}\""))
        .publish();
    let files = site.published();
    let text = |path: &str| String::from_utf8_lossy(&files[path]);
    let count = |path: &str| text(path).matches(CANARY).count();
    for path in files.keys() {
        if path.ends_with(".html") && !path.starts_with("404") {
            assert_eq!(count(path), 2, "{path}");
            assert!(text(path).contains("noai, noimageai"), "{path}");
        }
    }
    for path in "canary.txt robots.txt llms.txt feeds/canary.txt feeds/index.json feeds/runs.json feeds/feed.json feeds/atom.xml".split(' ') {
        assert_eq!(count(path), 1, "{path}");
    }
    assert_eq!(site.json("feeds/runs.json")["canary"], CANARY);
    assert_eq!(site.json("feeds/feed.json")["_runpress"]["canary"], CANARY);
    let robots = text("robots.txt");
    assert!(
        robots.starts_with("User-agent: *\nDisallow:\n\n# CANARY"),
        "{robots}"
    );
    contains(&robots, "User-agent: GPTBot\n");
    lacks(&String::from_utf8_lossy(&plain["robots.txt"]), "GPTBot");
    let run = format!("runs/{FIRST_SLUG}");
    for name in ["canary.txt", "run.json", "run.md"] {
        assert_eq!(count(&format!("{run}/{name}")), 1, "{name}");
    }
    // Rows, lines and logs are unchanged.
    for path in [
        "feeds/runs.jsonl",
        "feeds/runs.csv",
        &format!("{run}/events.jsonl"),
    ] {
        assert_eq!(files[path], plain[path], "{path}");
    }
}
