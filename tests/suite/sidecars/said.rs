//! The content of a sidecar is shown in full, and reported wherever it contradicts the tape.

use crate::support::{HEADER, TestSite, annotation, codes, contains, described, lines, words};

#[test]
fn everything_an_annotation_says_is_on_the_page() {
    let site = TestSite::base();
    let fields = concat!(
        r#""evidence":"See *this* and `that`.","suggested_fix":{"use":"npm ci"},"author":{"id":"alice","kind":"human","surface":"ide-host"},"#,
        r#""timestamp":"2026-05-10T17:00:00Z","span":{"start_event_id":1,"end_event_id":3},"#,
        r#""links":[{"label":"the issue","url":"https://example.org/1"},{"reference":"trace-9"}],"metadata":{"capability":"npm"}"#
    );
    site.annotate(&[annotation("a-1", 1, "alternative", fields)]);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    let said = words(page.one("#e-1 aside#a-a-1"));
    for part in [
        "alternative",
        "See this and that.",
        "npm ci",
        "alice (human) in ide-host",
        "2026-05-10 17:00:00 UTC",
        "events 1 to 3",
        "the issue",
        "trace-9",
        "capability",
    ] {
        assert!(said.contains(part), "{part} is missing: {said}");
    }
    assert_eq!(page.texts("#a-a-1 em"), ["this"]);
    assert_eq!(
        page.texts("#a-a-1 a[href='https://example.org/1']"),
        ["the issue"]
    );
    let covered = page.attrs("li.e:has(i.sp), li.e:is(.l0, .l1, .l2, .l3)", "id");
    assert_eq!(covered, ["e-1", "e-2", "e-3"]);
}

#[test]
fn the_excerpt_of_a_long_value_says_where_it_was_cut() {
    let site = TestSite::base();
    let hash = "0123456789abcdef".repeat(4);
    let header = HEADER.replace('}', &format!(",\"tape_content_hash\":\"{hash}\"}}"));
    site.write_first("events.jsonl.annotations.jsonl", lines(&[header]));
    let ran = site.runpress("check");
    let shown = ran
        .stderr
        .lines()
        .find(|line| line.starts_with("1 |"))
        .unwrap_or_default()
        .to_owned();
    assert!(shown.contains(&hash) || shown.contains('…'), "{shown}");
}

#[test]
fn a_quote_proves_what_an_annotation_points_at() {
    let site = TestSite::base();
    let command = r#"{"timestamp":"2026-03-01T10:00:09Z","type":"command","command":"npm   test\n-- --run","exitCode":1}"#;
    let colours = r#"{"timestamp":"2026-03-01T10:00:10Z","type":"agent","message":"\u001b[31mOne\u001b[0m test\n  fails."}"#;
    let nested = r#"{"timestamp":"2026-03-01T10:00:11Z","type":"unknown","raw":{"deep":[{"said":"a \"quoted\" word"}]}}"#;
    site.write_first("events.jsonl", lines(&[command, colours, nested]));
    let quoting = |id: &str, event: u64, quote: &str| {
        annotation(
            id,
            event,
            "note",
            &format!(r#""metadata":{{"quote":"{quote}"}}"#),
        )
    };
    site.annotate(&[
        quoting("spaces", 0, "npm test -- --run"),
        quoting("colours", 1, "One test fails."),
        quoting("json", 2, "a \\\"quoted\\\" word"),
        quoting("empty", 2, " "),
    ]);
    assert_eq!(codes(&site.check()), Vec::<&str>::new());
    site.annotate(&[
        quoting("slipped", 0, "One test"),
        quoting("gone", 1, "no such words"),
    ]);
    let outcome = site.check();
    let found = described(&outcome);
    assert_eq!(found.len(), 2, "{found:#?}");
    contains(&found[0], "Event `0` does not contain the quote `One test`");
    let problems = &outcome.diagnostics;
    contains(&problems[0].help, "Event `1` contains it");
    contains(&problems[1].help, "No event of the tape contains this text");
    assert_eq!(codes(&outcome), ["annotation.quote-not-found"; 2]);
}

#[test]
fn fields_that_are_free_in_harn_never_stop_a_publication() {
    let site = TestSite::base();
    let free = concat!(
        r#""links":[{"label":"a file","url":"file:///etc/passwd"},{"url":"notes/a.md","reference":"T-1"},"#,
        r#"{"label":"x","url":"javascript:alert(1)","reference":"T-2"},{"url":"MAILTO:ann@example.org"},"#,
        r#"{"url":"https://example.org/a"},{"label":"no scheme","url":"//example.org"}],"metadata":{"quote":{"page":7}}"#
    );
    site.annotate(&[
        annotation("free", 1, "note", free),
        annotation(
            "other",
            1,
            "note",
            r#""metadata":{"quote":"Q-17, not words"}"#,
        ),
    ]);
    let outcome = site.publish();
    let mut found = codes(&outcome);
    found.sort_unstable();
    let expected = [
        "annotation.quote-not-found",
        "annotation.quote-not-text",
        "annotation.schema",
        "annotation.schema",
        "annotation.schema",
        "annotation.schema",
    ];
    assert_eq!(found, expected);
    assert!(
        !outcome
            .diagnostics
            .iter()
            .any(runpress::api::diagnostics::Diagnostic::is_error)
    );
    let page = site.first_page();
    assert_eq!(
        page.texts("ul.links:not(.failures) li"),
        [
            "a file (file:///etc/passwd)",
            "notes/a.md (T-1)",
            "x (javascript:alert(1)) (T-2)",
            "MAILTO:ann@example.org",
            "https://example.org/a",
            "no scheme (//example.org)",
        ]
    );
    assert_eq!(
        page.texts("ul.links:not(.failures) a"),
        ["MAILTO:ann@example.org", "https://example.org/a"]
    );
}

#[test]
fn words_that_may_mean_the_event_itself_are_no_reason_for_a_note() {
    let site = TestSite::base();
    let tape = [
        r#"{"type":"header","version":1,"harn_version":"0.8.26"}"#,
        r#"{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"clock_read","source":"wall","value_ms":0}}"#,
        r#"{"type":"record","seq":1,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"llm_call","request_digest":"00","response":{"content_hash":"af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262","text":""}}}"#,
        r#"{"type":"record","seq":2,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"clock_sleep","duration_ms":1}}"#,
    ];
    site.write_first("run.tape", lines(&tape));
    let says = |event: u64, evidence: &str, more: &str| {
        annotation(
            "",
            event,
            "note",
            &format!(r#""evidence":"{evidence}"{more}"#),
        )
    };
    for (line, note) in [
        (says(0, "the LLM call came back", ""), true),
        (
            says(
                0,
                "the LLM call came back",
                r#","span":{"start_event_id":0,"end_event_id":2}"#,
            ),
            false,
        ),
        (says(0, "the clock is read before the LLM call", ""), false),
        (
            says(1, "this model should not be asked for a clock_read", ""),
            false,
        ),
        (says(2, "a file_write would do", ""), false),
        (says(2, "fulfils the contract", ""), false),
        (says(2, "the clock_read before it", ""), true),
    ] {
        site.write_first("run.tape.annotations.jsonl", lines(&[HEADER, &line]));
        let expected: &[&str] = if note {
            &["annotation.other-kind"]
        } else {
            &[]
        };
        assert_eq!(codes(&site.check()), expected, "{line}");
    }
}
