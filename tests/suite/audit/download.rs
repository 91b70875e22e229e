//! `publish_raw = true`: the raw log is a download of its run, after the scan for secrets and without withheld parts.

use crate::support::{FIRST, FIRST_SLUG, TestSite, codes, contains, first, lacks, lines};

use super::site::forged;

const ON: &str = "[policy]\npublish_raw = true\n";

fn with(settings: &str) -> TestSite {
    let site = forged();
    site.settings(settings);
    site
}

fn published(site: &TestSite) -> Option<String> {
    let path = format!("runs/{FIRST_SLUG}/raw.jsonl");
    site.is_published(&path)
        .then(|| site.text(&format!("public/{path}")))
}

#[test]
fn a_raw_log_is_published_only_if_the_settings_say_so() {
    for (settings, is_published) in [
        ("", false),
        (ON, true),
        (&*format!("{ON}publish_reasoning = false\n"), false),
        (&*format!("[publish]\ndownloads = \"none\"\n{ON}"), false),
    ] {
        let site = with(settings);
        site.publish();
        let expected = is_published.then(|| site.text(&first("raw.jsonl")));
        assert_eq!(published(&site), expected, "{settings}");
        let links = site.first_page().all("a[href='raw.jsonl']").len();
        assert_eq!(links > 0, is_published, "{settings}");
    }
}

#[test]
fn a_secret_in_a_raw_log_stops_the_publication_if_the_log_is_published() {
    let line = format!("{{\"token\":\"ghp_{}", "a1B2c3D4e5".repeat(4));
    let row = serde_json::json!({"stream": "stderr", "line": line[..line.len() - 4]});
    for (settings, stops) in [("", false), (ON, true)] {
        let site = with(settings);
        let built = site
            .append(&first("raw.jsonl"), &format!("{row}\n"))
            .build();
        assert_eq!(built.published, !stops);
        let found = codes(&built);
        let secrets = found.iter().any(|code| code.starts_with("secret."));
        assert_eq!(secrets, stops, "{found:?}");
    }
}

#[test]
fn withheld_words_are_not_in_a_published_raw_log() {
    let site = with(ON);
    let words = "One test fails.";
    let line = format!("redact {FIRST} --event 3 --quote '{words}' --reason personal");
    site.runpress(&line).ok();
    assert_eq!(codes(&site.publish()), ["raw.event-differs"]);
    let raw = published(&site).expect("a raw log");
    lacks(&raw, words);
    contains(&raw, "[withheld: personal, ");
    // In the event log alone, they would remain in the raw log.
    let list = site.text(&first("redactions.jsonl"));
    let of_events: Vec<&str> = list
        .lines()
        .filter(|line| !line.contains("raw.jsonl"))
        .collect();
    site.write_first("redactions.jsonl", lines(&of_events));
    assert!(codes(&site.build()).contains(&"redaction.remains"));
    let whole = r#"{"id":"all","file":"raw.jsonl","whole":true,"reason":"personal"}"#;
    site.append(&first("redactions.jsonl"), &format!("{whole}\n"))
        .publish();
    assert_eq!(published(&site), None);
}
