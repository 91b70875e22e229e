//! Records with errors: all problems are reported at once with their places, and none hides another.

use crate::support::{Run, TestSite, codes, contains, described, first, rows};

#[test]
fn other_kinds_of_documents_are_recognized() {
    for [text, said] in rows(
        r#"
{"_type":"run_record","id":"x"} | a Harn run record
{"_type":"transcript","version":2} | a Harn transcript
{"annotations":[]} | an annotations state of the Agent Host Protocol
{"type":"header","version":1,"harn_version":"1"}⏎{"type":"record"}⏎ | a Harn tape
{"type":"header","schema_version":1}⏎{"type":"annotation"}⏎ | an annotation sidecar
{"timestamp":"t","type":"agent","message":"m"}⏎{}⏎ | an event log
{"timestamp":"t","type":"agent","message":"m"} | an event log
# reviewed on Monday⏎⏎{"type":"header","schema_version":1}⏎ | an annotation sidecar
{"resource":"ahp-session:/1/annotations","state":{"annotations":[]},"fromSeq":3} | a snapshot of an annotations state
{"channel":"ahp-session:/1/annotations","action":{"type":"annotations/removed","annotationId":"a"},"serverSeq":1} | a log of annotation actions
{"channel":"ahp-session:/1/annotations","action":{},"serverSeq":1}⏎{}⏎ | a log of annotation actions
{"type":"annotations/removed","annotationId":"a"}⏎{}⏎ | a log of annotation actions
{"stream":"stdout","line":"hello"}⏎{"stream":"stderr","line":""}⏎ | the raw output of a harness
{"stream":"stderr","text":"hello"} | the raw output of a harness
{"schemaVersion":1,"record":{"id":"a","subject":{"testCaseSlug":"pong"}},"reviews":[],"links":{}} | the run record is under `record`
"#,
    ) {
        let site = TestSite::base();
        site.write_first("run-record.json", text);
        let outcome = site.check();
        assert_eq!(codes(&outcome), ["record.wrong-document"], "{text}");
        contains(&outcome.diagnostics[0].message, said);
    }
}

#[test]
fn every_problem_of_a_record_is_reported_at_once_with_its_pointer() {
    let site = TestSite::base();
    let path = first("run-record.json");
    site.replace(&path, "\"2026-03-01T10:00:00Z\"", "\"noon\"");
    site.replace(&path, "7021", "7021.5");
    site.replace(&path, "0.4210", "1e999");
    site.replace(&path, "0.9731", "-0.1");
    site.replace(&path, "\"loaded\": true", "\"loaded\": \"yes\"");
    site.replace(
        &path,
        "\"https://git.example.org/runs/4f1c2d3e\"",
        "\"//evil.example\"",
    );
    let outcome = site.check();
    let found: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|d| (d.code.name, d.place.pointer.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(
        found,
        [
            ("record.invalid-timestamp", "/startedAt"),
            ("record.invalid-metric", "/metrics/tokens/output"),
            ("record.invalid-metric", "/metrics/cost/comparable"),
            ("record.wrong-type", "/validation/loaded"),
            (
                "record.similarity-out-of-range",
                "/validation/checks/0/similarity"
            ),
            ("record.invalid-link", "/links/sourceRepo"),
        ]
    );
}

#[test]
fn a_record_with_a_duplicate_key_is_not_published_under_either_value() {
    for (key, value) in [
        ("\"id\": \"", "\"id\": \"another\", "),
        ("\"modelId\":", "\"model\\u0049d\": \"other\", "),
        (
            "\"links\":",
            "\"showcase\": {\"media\": [], \"media\": []}, ",
        ),
    ] {
        let site = TestSite::base();
        site.replace_first("run-record.json", key, &format!("{value}{key}"));
        let outcome = site.build();
        assert_eq!(codes(&outcome), ["record.duplicate-key"], "{key}");
        assert!(!outcome.published);
    }
}

#[test]
fn one_broken_file_never_hides_the_next() {
    let site = TestSite::base();
    site.write_first("run-record.json", "{");
    site.write_first("events.jsonl", "{\n");
    site.write_first("events.jsonl.annotations.jsonl", "{\n");
    site.write("content/runs/second/run-record.json", "[]");
    assert_eq!(
        codes(&site.check()),
        [
            "events.unparsable-line",
            "sidecar.malformed-line",
            "record.syntax",
            "record.wrong-type"
        ]
    );
}

#[test]
fn numbers_at_the_ends_of_the_format_are_no_reason_to_stop() {
    let site = TestSite::base();
    let path = first("run-record.json");
    site.replace(&path, "612.5", "1.7e308");
    site.replace(&path, "18211", "99999999999999999999999999");
    site.replace(&path, "0.4210", "1e-300");
    site.replace(&path, "2026-03-01T10:00:00Z", "0000-01-01T00:00:00Z");
    site.replace(&path, "2026-03-01T10:10:12Z", "9999-12-31T23:59:60-23:59");
    let ran = site.runpress("build");
    assert!(
        matches!(ran.status, Some(0 | 1)) && !ran.stderr.contains("panicked"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_key_that_no_text_can_hold_does_not_hide_the_other_keys() {
    let site = TestSite::base();
    site.replace_first(
        "run-record.json",
        "\"links\": {",
        "\"\\ud800\": 1,\n  \"links\": {",
    );
    let outcome = site.check();
    assert!(
        !codes(&outcome).contains(&"record.missing-field"),
        "{:#?}",
        described(&outcome)
    );
}

#[test]
fn names_that_are_empty_are_an_error_each() {
    for name in ["", " ", "\u{a0}"] {
        let site = TestSite::empty();
        site.run("a", &Run::new("0000000a-1").model(name).case(name));
        let outcome = site.check();
        assert_eq!(codes(&outcome), ["record.empty-name"; 2]);
        let pointers: Vec<_> = outcome
            .diagnostics
            .iter()
            .map(|problem| problem.place.pointer.clone().unwrap_or_default())
            .collect();
        assert_eq!(pointers, ["/subject/modelId", "/subject/testCaseSlug"]);
    }
}

#[test]
fn a_help_does_not_contradict_the_next_error() {
    let site = TestSite::base();
    let record = "content/runs/first/run-record.json";
    let told = |from: &str, to: &str| {
        site.replace(record, from, to);
        let ran = site.runpress("check");
        site.replace(record, to, from);
        ran.stderr
    };
    let negative = told("\"runTimeSeconds\": 612.5", "\"runTimeSeconds\": -3");
    assert!(negative.contains("Write the measured value."), "{negative}");
    assert!(!negative.contains("null"), "{negative}");
    let null = told("\"runTimeSeconds\": 612.5", "\"runTimeSeconds\": null");
    contains(&null, "The required key `runTimeSeconds` is null");
    contains(&null, "only an imported run may leave it open");
    let tokens = told("\"output\": 7021", "\"output\": -3");
    assert!(tokens.contains("or null if it is unknown"), "{tokens}");
    site.replace(record, "\"status\": {", "\"import\": {}, \"status\": {");
    let negative = told("\"runTimeSeconds\": 612.5", "\"runTimeSeconds\": -3");
    assert!(negative.contains("or null if it is unknown"), "{negative}");
    site.replace(
        record,
        "\"runTimeSeconds\": 612.5",
        "\"runTimeSeconds\": null",
    );
    site.runpress("check").ok();
}

#[test]
fn times_of_the_last_year_and_with_many_digits_are_times() {
    let site = TestSite::base();
    let record = "content/runs/first/run-record.json";
    let mut before = "\"2026-03-01T10:10:12Z\"".to_owned();
    for (time, shown) in [
        ("9999-12-31T23:59:00Z", "9999-12-31 23:59:00 UTC"),
        ("9999-12-31T23:59:59.9999999Z", "9999-12-31 23:59:59 UTC"),
        (
            "2026-03-01T10:10:12.1234567890123Z",
            "2026-03-01 10:10:12 UTC",
        ),
        ("2026-06-30T23:59:60Z", "2026-06-30 23:59:59 UTC"),
        ("9999-12-31T23:59:59-05:00", "10000-01-01 04:59:59 UTC"),
    ] {
        let after = format!("\"{time}\"");
        site.replace(record, &before, &after);
        before = after;
        let outcome = site.publish();
        assert_eq!(codes(&outcome), [""; 0], "{time}");
        let page = String::from_utf8(
            site.published()
                .into_iter()
                .find(|(path, _)| path.starts_with("runs/") && path.ends_with("/index.html"))
                .expect("a page")
                .1,
        )
        .expect("UTF-8");
        assert!(page.contains(shown), "{time}");
        let feed = site.json("feeds/runs.json");
        assert_eq!(feed["runs"][0]["finishedAt"], time);
    }
    site.replace(
        record,
        "\"2026-03-01T10:00:00Z\"",
        "\"0001-01-01T00:00:00Z\"",
    );
    assert_eq!(codes(&site.check()), [""; 0]);
}

#[test]
fn a_file_in_utf_16_is_named_as_such_with_the_way_to_convert_it() {
    for file in [
        "site.toml",
        "content/runs/first/run-record.json",
        "content/pages/about.md",
        "content/runs/first/writeup.md",
    ] {
        let site = TestSite::base();
        let text: Vec<u8> = "\u{feff}Words"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        site.write(file, text);
        let ran = site.runpress("check");
        assert!(
            ran.stderr.contains("It is UTF-16"),
            "{file}: {}",
            ran.stderr
        );
        ran.says("Set-Content -Encoding utf8");
    }
}

#[test]
fn a_run_may_take_no_time_but_not_less() {
    for (finished, is_wrong) in [
        ("2026-03-01T10:00:00Z", false),
        ("2026-03-01T09:59:59Z", true),
    ] {
        let site = TestSite::empty();
        let run = Run::new("0000000a-1").at("2026-03-01T10:00:00Z", finished);
        site.run("a", &run);
        let found = codes(&site.check());
        assert_eq!(
            found.contains(&"record.finished-before-start"),
            is_wrong,
            "{found:?}"
        );
    }
}
