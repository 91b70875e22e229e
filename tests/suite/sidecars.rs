//! The validator of annotation sidecars, to the letter of Harn's report.

use crate::fuzz_targets::compact;
use crate::support::{FIRST, HEADER, TestSite, annotation, codes, described, lines, raw, words};

/// The report that a sidecar gets in run.json, without white space. The base run has events 0 to 3.
fn report(annotations: &[String]) -> String {
    let site = TestSite::base();
    let mut all = vec![HEADER.to_owned()];
    all.extend_from_slice(annotations);
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&all),
    );
    report_of(&site)
}

/// A run with errors has no run.json, so its report is taken where that would take it from.
fn report_of(site: &TestSite) -> String {
    let config = runpress::config::Config::default();
    let found = runpress::discover::discover(site.root(), &[site.path("content")]).value;
    let directory = &found.runs[0];
    let record = runpress::load::record(directory, &config.limits).expect("a record");
    let (files, problems) = runpress::load::run(directory, &record, &config.limits);
    assert!(problems.is_empty(), "{problems:?}");
    let inspected = runpress::inspect::files(&config, directory, None, &files).value;
    let sidecar = inspected.sidecars[0]
        .as_ref()
        .expect("a sidecar that loads");
    serde_json::to_string(&runpress::feeds::report::HarnReport::from(&sidecar.report))
        .expect("JSON")
}

fn problems(annotations: &[String]) -> String {
    let report = report(annotations);
    raw(&report, "/problems")
}

#[test]
fn a_sidecar_without_annotations_has_an_empty_report() {
    assert_eq!(
        report(&[]),
        r#"{"annotations_checked":0,"problems":[],"kind_counts":{}}"#
    );
}

#[test]
fn duplicate_ids_are_reported_from_the_second_on_and_empty_ids_never() {
    let a = |id: &str| annotation(id, 1, "note", "");
    assert_eq!(
        report(&[a("x"), a("x"), a("y"), a("x"), a(""), a("")]),
        r#"{"annotations_checked":6,"problems":[{"code":"duplicate_id","annotation_id":"x"},{"code":"duplicate_id","annotation_id":"x"}],"kind_counts":{"note":6}}"#
    );
}

#[test]
fn an_event_that_is_not_there_is_reported_under_the_label_of_the_annotation() {
    assert_eq!(
        problems(&[
            annotation("", 4, "note", ""),
            annotation("a", 3, "note", ""),
            annotation("b", 99, "note", "")
        ]),
        r#"[{"code":"unknown_event_id","annotation_id":"ann@event_4","event_id":4},{"code":"unknown_event_id","annotation_id":"b","event_id":99}]"#
    );
}

#[test]
fn a_hypothesis_needs_a_status_and_no_friction_kind() {
    let fields = [
        "",
        r#""friction_kind":"tool_gap""#,
        r#""hypothesis_status":"active","friction_kind":"nonsense""#,
        r#""hypothesis_status":"stale""#,
    ];
    let all: Vec<_> = fields
        .iter()
        .enumerate()
        .map(|(n, f)| annotation(&format!("h{n}"), 1, "hypothesis", f))
        .collect();
    assert_eq!(
        problems(&all),
        concat!(
            r#"[{"code":"hypothesis_status_missing","annotation_id":"h0"},"#,
            r#"{"code":"hypothesis_status_missing","annotation_id":"h1"},{"code":"friction_kind_unexpected","annotation_id":"h1"},"#,
            r#"{"code":"friction_kind_unexpected","annotation_id":"h2"}]"#
        )
    );
}

#[test]
fn friction_needs_a_known_kind_and_no_status() {
    let fields = [
        "",
        r#""friction_kind":"tool_gap""#,
        r#""friction_kind":"Tool_gap""#,
        r#""friction_kind":"","hypothesis_status":"active""#,
        r#""hypothesis_status":"active""#,
        r#""friction_kind":null"#,
    ];
    let all: Vec<_> = fields
        .iter()
        .enumerate()
        .map(|(n, f)| annotation(&format!("f{n}"), 1, "friction", f))
        .collect();
    assert_eq!(
        problems(&all),
        concat!(
            r#"[{"code":"friction_kind_missing","annotation_id":"f0"},"#,
            r#"{"code":"friction_kind_unknown","annotation_id":"f2","friction_kind":"Tool_gap"},"#,
            r#"{"code":"hypothesis_status_unexpected","annotation_id":"f3"},{"code":"friction_kind_unknown","annotation_id":"f3","friction_kind":""},"#,
            r#"{"code":"hypothesis_status_unexpected","annotation_id":"f4"},{"code":"friction_kind_missing","annotation_id":"f4"},"#,
            r#"{"code":"friction_kind_missing","annotation_id":"f5"}]"#
        )
    );
}

#[test]
fn every_friction_kind_of_the_format_is_known() {
    let kinds = [
        "repeated_query",
        "repeated_clarification",
        "approval_stall",
        "missing_context",
        "manual_handoff",
        "tool_gap",
        "failed_assumption",
        "expensive_model_used_for_deterministic_step",
        "human_hypothesis",
    ];
    let all: Vec<_> = kinds
        .iter()
        .map(|kind| {
            annotation(
                kind,
                1,
                "friction",
                &format!("\"friction_kind\":\"{kind}\""),
            )
        })
        .collect();
    assert_eq!(
        report(&all),
        r#"{"annotations_checked":9,"problems":[],"kind_counts":{"friction":9}}"#
    );
}

#[test]
fn other_kinds_take_neither_status_nor_friction_kind() {
    for kind in [
        "correct",
        "incorrect",
        "alternative",
        "note",
        "marker",
        "mute",
        "crystallize_here",
    ] {
        assert_eq!(
            report(&[annotation(
                "a",
                0,
                kind,
                r#""friction_kind":"tool_gap","hypothesis_status":"active""#
            )]),
            format!(
                r#"{{"annotations_checked":1,"problems":[{{"code":"hypothesis_status_unexpected","annotation_id":"a"}},{{"code":"friction_kind_unexpected","annotation_id":"a"}}],"kind_counts":{{"{kind}":1}}}}"#
            )
        );
    }
}

#[test]
fn an_unknown_kind_is_the_only_thing_said_about_its_fields() {
    assert_eq!(
        report(&[
            annotation(
                "a",
                0,
                "praise",
                r#""friction_kind":"nonsense","hypothesis_status":"active""#
            ),
            annotation("b", 0, "Note", "")
        ]),
        r#"{"annotations_checked":2,"problems":[{"code":"unknown_kind","annotation_id":"a"},{"code":"unknown_kind","annotation_id":"b"}],"kind_counts":{"unknown":2}}"#
    );
}

#[test]
fn a_span_can_be_wrong_in_three_ways_at_once() {
    let span = |event: u64, start: u64, end: u64| {
        annotation(
            "s",
            event,
            "note",
            &format!("\"span\":{{\"start_event_id\":{start},\"end_event_id\":{end}}}"),
        )
    };
    let count = |line: String| problems(&[line]).matches("invalid_span").count();
    assert_eq!(count(span(1, 1, 3)), 0);
    assert_eq!(count(span(1, 1, 1)), 0);
    assert_eq!(count(span(1, 0, 3)), 1);
    assert_eq!(count(span(1, 1, 0)), 1);
    assert_eq!(count(span(1, 1, 4)), 1);
    assert_eq!(count(span(1, 2, 0)), 2);
    assert_eq!(count(span(1, 6, 5)), 3);
    let all = problems(&[span(1, 6, 5)]);
    assert!(
        all.starts_with(r#"[{"code":"invalid_span","annotation_id":"s","message":""#),
        "{all}"
    );
    let order: Vec<_> = ["6 must equal event_id 1", "5 is before", "5 is past"]
        .iter()
        .map(|part| all.find(part))
        .collect();
    assert!(
        order.iter().all(Option::is_some) && order.is_sorted(),
        "{all}"
    );
}

#[test]
fn problems_of_one_annotation_come_in_the_order_of_the_validator_and_the_digest_last() {
    let site = TestSite::base();
    let zeros = "0".repeat(64);
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[
            HEADER.replace('}', &format!(",\"tape_content_hash\":\"{zeros}\"}}")),
            annotation("a", 0, "note", ""),
            annotation(
                "a",
                9,
                "hypothesis",
                r#""friction_kind":"tool_gap","span":{"start_event_id":8,"end_event_id":7}"#,
            ),
            annotation(
                "b",
                0,
                "praise",
                r#""span":{"start_event_id":1,"end_event_id":1}"#,
            ),
        ]),
    );
    let report = report_of(&site);
    let problems: Vec<serde_json::Value> =
        serde_json::from_str(&raw(&report, "/problems")).expect("problems");
    let order: Vec<_> = problems
        .iter()
        .map(|p| p["code"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(
        order,
        [
            "duplicate_id",
            "unknown_event_id",
            "hypothesis_status_missing",
            "friction_kind_unexpected",
            "invalid_span",
            "invalid_span",
            "invalid_span",
            "unknown_kind",
            "invalid_span",
            "tape_digest_mismatch",
        ]
    );
    let hash = blake3::hash(&site.bytes(&format!("{FIRST}/events.jsonl")))
        .to_hex()
        .to_string();
    let last = raw(&report, "/problems/9");
    assert_eq!(
        last,
        format!(r#"{{"code":"tape_digest_mismatch","expected":"{zeros}","actual":"{hash}"}}"#)
    );
}

#[test]
fn the_report_in_run_json_is_that_of_the_validator_with_sorted_counts() {
    let site = TestSite::base();
    site.write("site.toml", "[policy]\nstale_annotations = \"warn\"\n");
    let zeros = "0".repeat(64);
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[
            HEADER.replace('}', &format!(",\"tape_content_hash\":\"{zeros}\"}}")),
            annotation("z", 0, "praise", ""),
            annotation("y", 1, "marker", ""),
            annotation("x", 2, "correct", ""),
        ]),
    );
    assert_eq!(
        codes(&site.publish()),
        [
            "annotation.tape-digest-mismatch",
            "annotation.stale-target",
            "annotation.unknown-kind",
            "annotation.stale-target",
            "annotation.stale-target",
        ]
    );
    let hash = blake3::hash(&site.bytes(&format!("{FIRST}/events.jsonl")))
        .to_hex()
        .to_string();
    assert_eq!(
        compact(&raw(&site.first_document(), "/tapes/0/sidecar/report")),
        format!(
            r#"{{"annotations_checked":3,"problems":[{{"code":"unknown_kind","annotation_id":"z"}},{{"code":"tape_digest_mismatch","expected":"{zeros}","actual":"{hash}"}}],"kind_counts":{{"correct":1,"marker":1,"unknown":1}}}}"#
        )
    );
    let page = site.first_page();
    assert_eq!(page.beside("Its digest"), ["differs from the tape"]);
    assert!(
        words(page.one("#e-0 aside.an")).contains("praise"),
        "an unknown kind is shown under its own word"
    );
}

#[test]
fn an_empty_tape_has_no_end_that_a_span_could_pass() {
    let site = TestSite::base();
    site.write(&format!("{FIRST}/events.jsonl"), "\n");
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[
            HEADER,
            &annotation(
                "a",
                0,
                "note",
                r#""span":{"start_event_id":0,"end_event_id":7}"#,
            ),
        ]),
    );
    assert_eq!(codes(&site.check()), ["annotation.unknown-event-id"]);
}

#[test]
fn what_harn_does_not_check_is_not_reported() {
    let fields = r#""timestamp":"yesterday","author":{"kind":"human","id":""},"links":[{},{"reference":"x"}],"metadata":{"a":null},"newer_key":1"#;
    let expected =
        r#"{"annotations_checked":2,"problems":[],"kind_counts":{"alternative":1,"note":1}}"#;
    assert_eq!(
        report(&[
            annotation("a", 0, "alternative", fields),
            annotation("b", 3, "note", "")
        ]),
        expected
    );
}

#[test]
fn sidecars_load_under_the_rules_of_harns_loader() {
    let note = annotation("a", 0, "note", "");
    let with = |fields: &str| lines(&[HEADER, &annotation("a", 0, "note", fields)]);
    let cases: [(&str, String, &[&str]); 26] = [
        ("a header alone", lines(&[HEADER]), &[]),
        (
            "comments and blank lines before the header",
            format!("\n# one\n  # two\n\t\n{HEADER}\n"),
            &[],
        ),
        (
            "comments and blank lines after it",
            lines(&[HEADER, "", "# c", &note, "   "]),
            &[],
        ),
        ("a byte order mark", format!("\u{feff}{HEADER}\n"), &[]),
        ("carriage returns", format!("{HEADER}\r\n{note}\r\n"), &[]),
        ("version 0", lines(&[&HEADER.replace('1', "0"), &note]), &[]),
        (
            "unknown keys",
            lines(&[&HEADER.replace('}', ",\"newer\":{}}"), &note]),
            &[],
        ),
        (
            "nulls where they may be",
            with(
                r#""evidence":null,"suggested_fix":null,"author":null,"timestamp":null,"span":null,"hypothesis_status":null,"friction_kind":null"#,
            ),
            &[],
        ),
        ("nothing", String::new(), &["sidecar.empty"]),
        (
            "only comments",
            "# a\n\n# b\n".to_owned(),
            &["sidecar.empty"],
        ),
        (
            "an annotation first",
            lines(&[&note]),
            &["sidecar.missing-header"],
        ),
        (
            "another object first",
            "{}\n".to_owned(),
            &["sidecar.missing-header"],
        ),
        (
            "a header without version",
            lines(&[r#"{"type":"header"}"#]),
            &["sidecar.malformed-line"],
        ),
        (
            "version 2",
            lines(&[&HEADER.replace('1', "2")]),
            &["sidecar.unsupported-version"],
        ),
        (
            "a second header",
            lines(&[HEADER, &note, HEADER]),
            &["sidecar.second-header"],
        ),
        (
            "a null id",
            lines(&[
                HEADER,
                r#"{"type":"annotation","id":null,"event_id":0,"kind":"note"}"#,
            ]),
            &["sidecar.malformed-line"],
        ),
        (
            "null links",
            with(r#""links":null"#),
            &["sidecar.malformed-line"],
        ),
        (
            "null metadata",
            with(r#""metadata":null"#),
            &["sidecar.malformed-line"],
        ),
        (
            "an unknown status",
            with(r#""hypothesis_status":"settled""#),
            &["sidecar.malformed-line"],
        ),
        (
            "an unknown kind of author",
            with(r#""author":{"kind":"robot"}"#),
            &["sidecar.malformed-line"],
        ),
        (
            "an author without kind",
            with(r#""author":{"id":"a"}"#),
            &["sidecar.malformed-line"],
        ),
        (
            "half a span",
            with(r#""span":{"start_event_id":0}"#),
            &["sidecar.malformed-line"],
        ),
        (
            "no event",
            lines(&[HEADER, r#"{"type":"annotation","kind":"note"}"#]),
            &["sidecar.malformed-line"],
        ),
        (
            "a negative event",
            lines(&[
                HEADER,
                r#"{"type":"annotation","event_id":-1,"kind":"note"}"#,
            ]),
            &["sidecar.malformed-line"],
        ),
        (
            "an unknown line type",
            lines(&[HEADER, r#"{"type":"remark"}"#]),
            &["sidecar.malformed-line"],
        ),
        (
            "two bad lines",
            lines(&[HEADER, "{", &note, "]"]),
            &["sidecar.malformed-line", "sidecar.malformed-line"],
        ),
    ];
    for (what, sidecar, expected) in cases {
        let site = TestSite::base();
        site.write(&format!("{FIRST}/events.jsonl.annotations.jsonl"), sidecar);
        assert_eq!(codes(&site.check()), expected, "{what}");
    }
}

#[test]
fn a_bad_line_is_named_by_its_physical_number() {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        format!("# c\n\n{HEADER}\n\n# d\nnonsense\n"),
    );
    let outcome = site.check();
    assert_eq!(
        (codes(&outcome), outcome.diagnostics[0].place.line),
        (vec!["sidecar.malformed-line"], Some(6))
    );
}

#[test]
fn a_sidecar_with_the_short_name_counts_when_its_header_names_the_tape() {
    let tape = "{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8.26\"}\n";
    for (path, expected) in [
        ("run.tape", vec![]),
        ("./deep/run.tape", vec![]),
        ("other.tape", vec!["sidecar.without-tape"]),
    ] {
        let site = TestSite::base();
        site.write(&format!("{FIRST}/run.tape"), tape);
        site.write(
            &format!("{FIRST}/run.annotations.jsonl"),
            format!("{{\"type\":\"header\",\"schema_version\":1,\"tape_path\":\"{path}\"}}\n"),
        );
        assert_eq!(codes(&site.check()), expected, "{path}");
    }
}

#[test]
fn everything_an_annotation_says_is_on_the_page() {
    let site = TestSite::base();
    let fields = concat!(
        r#""evidence":"See *this* and `that`.","suggested_fix":{"use":"npm ci"},"author":{"id":"alice","kind":"human","surface":"ide-host"},"#,
        r#""timestamp":"2026-05-10T17:00:00Z","span":{"start_event_id":1,"end_event_id":3},"#,
        r#""links":[{"label":"the issue","url":"https://example.org/1"},{"reference":"trace-9"}],"metadata":{"capability":"npm"}"#
    );
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER, &annotation("a-1", 1, "alternative", fields)]),
    );
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
    let covered: Vec<_> = page
        .all("li.e:has(> i.sp)")
        .iter()
        .filter_map(|e| e.value().id().map(str::to_owned))
        .collect();
    assert_eq!(covered, ["e-1", "e-2", "e-3"]);
}

#[test]
fn a_tape_that_cannot_be_read_is_not_said_to_be_absent() {
    let site = TestSite::base();
    let path = format!("{FIRST}/events.jsonl");
    site.write("elsewhere.jsonl", site.bytes(&path))
        .remove(&path);
    std::os::unix::fs::symlink(site.path("elsewhere.jsonl"), site.path(&path)).expect("a link");
    assert_eq!(codes(&site.check()), ["content.symlink"]);
}

#[test]
fn the_excerpt_of_a_long_value_says_where_it_was_cut() {
    let site = TestSite::base();
    let hash = "0123456789abcdef".repeat(4);
    let header = HEADER.replace('}', &format!(",\"tape_content_hash\":\"{hash}\"}}"));
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[header]),
    );
    let ran = site.runpress(&["check"]);
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
    site.write(
        &format!("{FIRST}/events.jsonl"),
        lines(&[command, colours, nested]),
    );
    let quoting = |id: &str, event: u64, quote: &str| {
        annotation(
            id,
            event,
            "note",
            &format!(r#""metadata":{{"quote":"{quote}"}}"#),
        )
    };
    let write = |annotations: &[String]| {
        let mut all = vec![HEADER.to_owned()];
        all.extend(annotations.iter().cloned());
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        site.write(
            &format!("{FIRST}/events.jsonl.annotations.jsonl"),
            lines(&all),
        );
    };
    write(&[
        quoting("spaces", 0, "npm test -- --run"),
        quoting("colours", 1, "One test fails."),
        quoting("json", 2, "a \\\"quoted\\\" word"),
        quoting("empty", 2, " "),
    ]);
    assert_eq!(codes(&site.check()), Vec::<&str>::new());
    write(&[
        quoting("slipped", 0, "One test"),
        quoting("gone", 1, "no such words"),
    ]);
    let outcome = site.check();
    let found = described(&outcome);
    assert_eq!(found.len(), 2, "{found:#?}");
    let help: Vec<&str> = outcome
        .diagnostics
        .iter()
        .map(|problem| problem.help.as_str())
        .collect();
    assert!(help[0].contains("Event `1` holds it"), "{help:#?}");
    assert!(
        help[1].contains("No event of the tape holds this text"),
        "{help:#?}"
    );
    assert!(
        found[0].contains("Event `0` does not hold the quote `One test`"),
        "{found:#?}"
    );
    site.write("site.toml", "[site]\nbase_url = \"https://runs.example.org/\"\n[policy]\nstale_annotations = \"warn\"\n");
    let outcome = site.check();
    assert!(
        outcome
            .diagnostics
            .iter()
            .all(|problem| !problem.is_error())
    );
    assert_eq!(codes(&outcome), ["annotation.quote-not-found"; 2]);
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
    site.write(&format!("{FIRST}/run.tape"), lines(&tape));
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
        site.write(
            &format!("{FIRST}/run.tape.annotations.jsonl"),
            lines(&[HEADER, &line]),
        );
        let expected: &[&str] = if note {
            &["annotation.other-kind"]
        } else {
            &[]
        };
        assert_eq!(codes(&site.check()), expected, "{line}");
    }
}

#[test]
fn a_sidecar_whose_tape_does_not_load_is_checked_for_all_that_needs_no_tape() {
    let note = annotation(
        "a",
        99,
        "nota",
        "\"evidence\":\"[x](javascript:y) [z](#e-7)\"",
    );
    for tape in [Some("{\"type\":\"header\"\n"), None] {
        let site = TestSite::base();
        if let Some(tape) = tape {
            site.write(&format!("{FIRST}/run.tape"), tape);
        }
        site.write(
            &format!("{FIRST}/run.tape.annotations.jsonl"),
            lines(&[HEADER, &note]),
        );
        let of_the_tape = if tape.is_some() {
            "tape.missing-header"
        } else {
            "sidecar.without-tape"
        };
        let mut found = codes(&site.check());
        found.sort_unstable();
        let mut expected = ["annotation.unknown-kind", "review.unsafe-link", of_the_tape];
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}
