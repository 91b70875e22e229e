//! `publish_raw = true`: the raw log is a download of its run, after the scan for secrets and without withheld parts.

use crate::support::{FIRST, FIRST_SLUG, TestSite, codes};

use super::site::forged;

const ON: &str = "[policy]\npublish_raw = true\n";

fn with(settings: &str) -> TestSite {
    let site = forged();
    let base = site.text("site.toml");
    site.write("site.toml", format!("{base}\n{settings}"));
    site
}

fn published(site: &TestSite) -> Option<String> {
    let bytes = site
        .published()
        .remove(&format!("runs/{FIRST_SLUG}/raw.jsonl"))?;
    Some(String::from_utf8(bytes).expect("UTF-8"))
}

/// Says something at the end of the raw log.
fn say(site: &TestSite, words: &str) {
    let path = format!("{FIRST}/raw.jsonl");
    let row = serde_json::json!({"stream": "stderr", "line": words});
    site.write(&path, format!("{}{row}\n", site.text(&path)));
}

#[test]
fn a_raw_log_is_published_only_if_the_settings_say_so() {
    let reasoning = format!("{ON}publish_reasoning = false\n");
    let nothing = format!("[publish]\ndownloads = \"none\"\n{ON}");
    for (settings, is_published) in [
        ("", false),
        (ON, true),
        (&*reasoning, false),
        (&*nothing, false),
    ] {
        let site = with(settings);
        site.publish();
        let expected = is_published.then(|| site.text(&format!("{FIRST}/raw.jsonl")));
        assert_eq!(published(&site), expected, "{settings}");
        let links = site.first_page().all("a[href='raw.jsonl']").len();
        assert_eq!(links > 0, is_published, "{settings}");
    }
}

#[test]
fn a_secret_in_a_raw_log_stops_the_publication_if_the_log_is_published() {
    let line = format!("{{\"token\":\"ghp_{}\"}}", "a1B2c3D4e5".repeat(4));
    for (settings, stops) in [("", false), (ON, true)] {
        let site = with(settings);
        say(&site, &line[..line.len() - 6]);
        let built = site.build();
        assert_eq!(built.published, !stops);
        let found = codes(&built);
        let secrets = found.iter().filter(|code| code.starts_with("secret."));
        assert_eq!(secrets.count() > 0, stops, "{found:?}");
    }
}

#[test]
fn withheld_words_are_not_in_a_published_raw_log() {
    let site = with(ON);
    let words = "One test fails.";
    let redact = ["redact", FIRST, "--event", "3", "--quote", words];
    let ran = site.runpress(&[&redact[..], &["--reason", "personal"]].concat());
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(codes(&site.publish()), ["raw.event-differs"]);
    let raw = published(&site).expect("a raw log");
    assert!(
        !raw.contains(words) && raw.contains("[withheld: personal, "),
        "{raw}"
    );
    // In the event log alone, they would remain in the raw log.
    let list = site.text(&format!("{FIRST}/redactions.jsonl"));
    let of_events = list.lines().filter(|line| !line.contains("raw.jsonl"));
    let of_events: String = of_events.map(|line| format!("{line}\n")).collect();
    site.write(&format!("{FIRST}/redactions.jsonl"), &of_events);
    assert!(codes(&site.build()).contains(&"redaction.remains"));
    site.write(
        &format!("{FIRST}/redactions.jsonl"),
        format!("{of_events}{{\"id\":\"all\",\"file\":\"raw.jsonl\",\"whole\":true,\"reason\":\"personal\"}}\n"),
    );
    site.publish();
    assert_eq!(published(&site), None);
}
