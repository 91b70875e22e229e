//! What is withheld is in no byte of what is published, and everything else stays as it was recorded.

use crate::support::{FIRST, TestSite, codes, differences, lines, tree};

/// Not a key of any service.
const SECRET: &str = "hush-4f1c/\"2d\u{e9}3e&<b>'x";

/// A line of `redactions.jsonl` for the first place of `text` in a file as it is written.
fn as_written(id: &str, file: &str, place: &str, text: &str, whole: &str) -> String {
    let start = whole.find(text).expect("it is there");
    let length = text.chars().count();
    let end = start + text.len();
    format!(
        r#"{{"id":"{id}","file":"{file}",{place}"start":{start},"end":{end},"length":{length},"reason":"secret"}}"#
    )
}

#[test]
fn nothing_of_a_run_is_published_with_a_redaction_that_does_not_match() {
    for redaction in [
        r#"{"id":"r1","file":"events.jsonl","event":9,"pointer":"/message","start":0,"end":5,"length":5,"reason":"secret"}"#,
        r#"{"id":"r1","file":"run-record.json","pointer":"/nope","start":0,"end":5,"length":5,"reason":"secret"}"#,
        r#"{"id":"r1","file":"assets/gone.txt","whole":true,"reason":"secret"}"#,
        "{",
    ] {
        let site = TestSite::base();
        site.write(&format!("{FIRST}/redactions.jsonl"), redaction);
        let outcome = site.build();
        assert!(!outcome.published, "{redaction}");
        assert!(codes(&outcome)[0].starts_with("redaction."), "{redaction}");
        site.write("site.toml", "[policy]\non_invalid = \"quarantine\"\n");
        let outcome = site.build();
        assert!(outcome.published && outcome.runs == 0, "{redaction}");
    }
}

#[test]
fn a_change_of_the_text_around_a_span_is_an_error_and_a_change_elsewhere_is_not() {
    let site = TestSite::base();
    let digest =
        blake3::hash(b"\"I will [withheld: personal, 4 characters] the task first.\"").to_hex();
    site.write(
        &format!("{FIRST}/redactions.jsonl"),
        format!(
            r#"{{"id":"r1","file":"events.jsonl","event":0,"pointer":"/message","start":7,"end":11,"length":4,"reason":"personal","published":"blake3:{digest}"}}"#
        ),
    );
    let events = format!("{FIRST}/events.jsonl");
    assert_eq!(codes(&site.check()), [""; 0]);
    site.replace(&events, "One test fails", "Two tests fail");
    assert_eq!(codes(&site.check()), [""; 0]);
    site.replace(&events, "the task first", "the task later");
    assert!(codes(&site.check()).contains(&"redaction.stale"));
}

#[test]
fn a_second_build_with_a_new_redaction_equals_a_first_build() {
    let site = TestSite::base();
    let _ = site.publish();
    let redaction = r#"{"id":"r1","file":"run-record.json","pointer":"/environment/os","start":0,"end":6,"length":6,"reason":"personal"}"#;
    let other = r#"{"id":"r2","file":"events.jsonl","event":0,"pointer":"/message","start":7,"end":11,"length":4,"reason":"personal"}"#;
    for list in [
        lines(&[redaction]),
        lines(&[redaction, other]),
        lines(&[other]),
    ] {
        site.write(&format!("{FIRST}/redactions.jsonl"), &list);
        let _ = site.publish();
        let second = tree(&site.path("public"));
        let first = TestSite::base();
        first.write(&format!("{FIRST}/redactions.jsonl"), &list);
        let _ = first.publish();
        let mut differing = differences(&second, &tree(&first.path("public")));
        // What changed since the last build is a part of the second site alone.
        differing.retain(|path| !path.contains("changes") && !path.contains("feeds/index"));
        assert_eq!(differing, [""; 0], "{list}");
    }
    let _ = SECRET;
    let _ = as_written;
}
