//! The audit on a site: the run page, the feeds, the problems and the settings.

use serde_json::{Value, json};

use crate::shards::{merge, shard};
use crate::support::{
    FIRST, FIRST_SLUG, Run, TestSite, assert_snapshot, codes, contains, entries, first, fixture,
    lines,
};

/// The base site, in which one command of its run was changed from a failure to a success.
pub(super) fn forged() -> TestSite {
    TestSite::base().overlay(&fixture("codes/raw.event-differs"))
}

fn audit(site: &TestSite) -> Value {
    site.first_run()["audit"].clone()
}

/// The event as the raw log has it.
fn genuine(site: &TestSite) {
    let event = r#""exitCode":2,"isSuccess":false"#;
    site.replace_first("events.jsonl", r#""exitCode":0,"isSuccess":true"#, event);
}

#[test]
fn a_forged_event_is_on_the_page_and_in_the_feeds_with_both_places() {
    let site = forged();
    assert_eq!(codes(&site.publish()), ["raw.event-differs"]);
    let found = audit(&site);
    assert_eq!(found["verdict"], "differs");
    assert_eq!([&found["events"], &found["rows"]], [4, 4]);
    assert_eq!(
        found["findings"],
        json!([{"kind": "changed", "seq": 2, "rawLine": 3, "fields": ["exitCode", "isSuccess"],
            "type": "command", "before": null, "count": 1}])
    );
    let runs = site.json("feeds/runs.json");
    assert_eq!(runs["runs"][0]["audit"], "differs");
    let page = site.first_page();
    let said = "1 of 4 events does not follow from the raw output: event 2 differs in exitCode, isSuccess (raw line 3). Audit";
    assert!(page.texts("p.why").contains(&said.to_owned()));
    page.one("p.why a[href='#e-2']");
    page.one("[title='from raw line 3']");
    let mut events = page.texts(".e");
    events.retain(|text| text.contains("differs from the raw log"));
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(
        page.texts(".verdict li")
            .contains(&"log differs".to_owned())
    );
    let summary = runs["runs"][0]["verdict"].as_str().unwrap_or_default();
    contains(summary, " · log differs · ");
    let compared = &crate::compare::data(&site, FIRST_SLUG)["fields"];
    assert!(entries(compared).contains(&json!("differs")));
}

#[test]
fn a_missing_event_is_marked_at_the_event_after_it() {
    let site = forged();
    let log = site.text(&first("events.jsonl"));
    let mut events: Vec<&str> = log.lines().collect();
    events.remove(1);
    site.log(lines(&events)).build();
    let mut events = site.first_page().texts(".e");
    events.retain(|text| text.contains("an event is missing before it"));
    assert_eq!(events.len(), 1, "{events:?}");
}

#[test]
fn events_that_follow_from_the_raw_log_are_said_to() {
    let site = forged();
    genuine(&site);
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(audit(&site)["verdict"], "matches");
    assert_eq!(audit(&site)["translator"], json!([1, 2, 3, 4, 5, 6]));
    let texts = site.first_page().texts("p.quiet");
    let said = "The events follow from the raw output. Audit";
    assert!(texts.iter().any(|text| text == said), "{texts:?}");
}

#[test]
fn what_is_withheld_from_the_site_is_no_difference() {
    let site = forged();
    genuine(&site);
    let whole = r#"{"id":"r1","file":"events.jsonl","whole":true,"reason":"secret"}"#;
    site.write_first("redactions.jsonl", format!("{whole}\n"))
        .publish();
    assert_eq!(audit(&site)["verdict"], "matches");
}

#[test]
fn the_policy_makes_a_difference_an_error_or_turns_the_audit_off() {
    let site = forged();
    site.settings("[policy]\nraw_audit = \"error\"");
    assert!(!site.build().published);
    site.replace("site.toml", "\"error\"", "\"off\"");
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(audit(&site), Value::Null);
}

#[test]
fn a_change_of_the_raw_log_alone_is_audited_again() {
    let site = forged();
    site.run("second", &Run::new("5e2d3c4b-8a60-4d2e-9a51-0c9f6f1f2b11"))
        .publish();
    let differs = audit(&site);
    assert_eq!(codes(&site.publish()), ["raw.event-differs"]);
    assert_eq!(audit(&site), differs, "it is remembered");
    site.replace_first("raw.jsonl", "exit_code\\\":2", "exit_code\\\":0");
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(audit(&site)["verdict"], "matches");
}

#[test]
fn an_audit_of_a_part_is_that_of_the_merged_site() {
    let site = forged();
    site.run("second", &Run::new("5e2d3c4b-8a60-4d2e-9a51-0c9f6f1f2b11"))
        .publish();
    let seen = || {
        (
            audit(&site),
            site.json("feeds/diagnostics.json")["diagnostics"].clone(),
        )
    };
    let whole = seen();
    site.remove("public");
    (1..=2).for_each(|number| drop(shard(&site, number, 2)));
    assert_eq!(codes(&merge(&site, &[2, 1])), ["raw.event-differs"]);
    assert_eq!(seen(), whole);
}

#[test]
fn rows_are_printed_with_what_they_translate_to() {
    let site = forged();
    let log = site.text(&first("raw.jsonl"));
    let hostile = json!({"stream": "stderr", "line": "\u{1b}[31m\u{202e}red"});
    site.write_first("raw.jsonl", format!("{hostile}\nnot JSON\n{log}"));
    let raw = |more: &str| site.runpress(&format!("raw {FIRST} {more}"));
    let all = raw("").ok();
    assert_snapshot("cli", "raw", &all.stdout);
    assert!(!all.stdout.contains(['\u{1b}', '\u{202e}']));
    let one = raw("--event 2");
    let shown: Vec<&str> = all.stdout.split_inclusive("\n\n").collect();
    assert!(shown.contains(&&*one.stdout), "{}", one.stdout);
    one.prints("Event 2 is recorded as");
    raw("--event 9")
        .exits(2)
        .says("The event log has no event 9");
    site.remove_first("raw.jsonl");
    raw("").exits(2);
}

#[test]
fn a_run_without_a_raw_log_is_not_auditable_and_its_page_says_nothing() {
    let site = TestSite::base();
    site.publish();
    assert_eq!(audit(&site)["verdict"], "not-auditable");
    assert!(site.first_page().all("#audit").is_empty());
}
