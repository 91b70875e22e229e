//! The validator of annotation sidecars gives exactly Harn's report.

use crate::fuzz_targets::compact;
use crate::support::{
    FIRST, HEADER, TestSite, annotation, codes, each, first, lacks, lines, parse, raw, span, words,
};

/// The report of a sidecar in run.json, without white space. The base run has events 0 to 3.
fn report(annotations: &[String]) -> String {
    let site = TestSite::base();
    site.annotate(annotations);
    report_of(&site)
}

/// The report of a run with errors, which has no run.json: taken from the same source.
fn report_of(site: &TestSite) -> String {
    let config = runpress::api::config::Config::default();
    let found = runpress::api::discover::discover(site.root(), &[site.path("content")]).value;
    let directory = &found.runs[0];
    let record = runpress::api::load::record(directory, &config.limits).expect("a record");
    let (files, problems) = runpress::api::load::run(directory, &record, &config.limits);
    assert!(problems.is_empty(), "{problems:?}");
    let inspection = runpress::api::inspect::files(&config, None, &files).value;
    let sidecar = inspection.sidecars[0]
        .as_ref()
        .expect("a sidecar that loads");
    serde_json::to_string(&sidecar.report).expect("JSON")
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
    let all = (0..).zip(fields);
    let all = all.map(|(n, f)| annotation(&format!("h{n}"), 1, "hypothesis", f));
    let all: Vec<_> = all.collect();
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
    let all = (0..).zip(fields);
    let all = all.map(|(n, f)| annotation(&format!("f{n}"), 1, "friction", f));
    let all: Vec<_> = all.collect();
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
    let kinds = "repeated_query repeated_clarification approval_stall missing_context manual_handoff tool_gap \
                 failed_assumption expensive_model_used_for_deterministic_step human_hypothesis";
    let field = |kind: &str| format!("\"friction_kind\":\"{kind}\"");
    let all = kinds.split(' ');
    let all: Vec<_> = all
        .map(|kind| annotation(kind, 1, "friction", &field(kind)))
        .collect();
    assert_eq!(
        report(&all),
        r#"{"annotations_checked":9,"problems":[],"kind_counts":{"friction":9}}"#
    );
}

#[test]
fn other_kinds_take_neither_status_nor_friction_kind() {
    let fields = r#""friction_kind":"tool_gap","hypothesis_status":"active""#;
    let kinds = "correct incorrect alternative note marker mute crystallize_here";
    for kind in kinds.split(' ') {
        assert_eq!(
            problems(&[annotation("a", 0, kind, fields)]),
            r#"[{"code":"hypothesis_status_unexpected","annotation_id":"a"},{"code":"friction_kind_unexpected","annotation_id":"a"}]"#,
            "{kind}"
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
fn a_span_can_be_wrong_in_three_ways_at_once_in_the_words_of_harn() {
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
    let harns = [
        "span.start_event_id (6) must equal event_id (1)",
        "span.end_event_id (5) is before start_event_id (6)",
        "span.end_event_id (5) is past the last tape event (seq=3)",
    ];
    let harns = harns.map(|message| {
        format!(r#"{{"code":"invalid_span","annotation_id":"s","message":"{message}"}}"#)
    });
    assert_eq!(all, format!("[{}]", harns.join(",")));
}

#[test]
fn problems_of_one_annotation_come_in_the_order_of_the_validator_and_the_digest_last() {
    let site = TestSite::base();
    let zeros = "0".repeat(64);
    site.write_first(
        "events.jsonl.annotations.jsonl",
        lines(&[
            HEADER.replace('}', &format!(",\"tape_content_hash\":\"{zeros}\"}}")),
            annotation("a", 0, "note", ""),
            annotation(
                "a",
                9,
                "hypothesis",
                r#""friction_kind":"tool_gap","span":{"start_event_id":8,"end_event_id":7}"#,
            ),
            annotation("b", 0, "praise", &span(1, 1)),
        ]),
    );
    let report = report_of(&site);
    let problems = parse(&raw(&report, "/problems"));
    assert_eq!(
        each(&problems, "code"),
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
    let hash = blake3::hash(&site.bytes(&first("events.jsonl")))
        .to_hex()
        .to_string();
    assert_eq!(
        raw(&report, "/problems/9"),
        format!(r#"{{"code":"tape_digest_mismatch","expected":"{zeros}","actual":"{hash}"}}"#)
    );
}

#[test]
fn the_report_in_run_json_is_that_of_the_validator_with_sorted_counts() {
    let site = TestSite::base();
    site.write("site.toml", "[policy]\nstale_annotations = \"warn\"\n");
    let zeros = "0".repeat(64);
    site.write_first(
        "events.jsonl.annotations.jsonl",
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
    let hash = blake3::hash(&site.bytes(&first("events.jsonl")))
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
    site.write_first("events.jsonl", "\n");
    site.annotate(&[annotation("a", 0, "note", &span(0, 7))]);
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
fn the_report_of_a_sidecar_that_stops_its_run_is_printed_as_harn_prints_it() {
    let site = TestSite::base();
    let sidecar = first("events.jsonl.annotations.jsonl");
    site.annotate(&[annotation("a", 9, "note", &span(9, 8))]);
    let before = site.bytes(&sidecar);
    site.runpress("check").exits(1);
    let validate = || site.runpress(&format!("annotate --validate {FIRST}"));
    let ran = validate().exits(1);
    let expected = r#"{
  "annotations_checked": 1,
  "problems": [
    {
      "code": "unknown_event_id",
      "annotation_id": "a",
      "event_id": 9
    },
    {
      "code": "invalid_span",
      "annotation_id": "a",
      "message": "span.end_event_id (8) is before start_event_id (9)"
    },
    {
      "code": "invalid_span",
      "annotation_id": "a",
      "message": "span.end_event_id (8) is past the last tape event (seq=3)"
    }
  ],
  "kind_counts": {
    "note": 1
  }
}
"#;
    assert_eq!(ran.stdout, expected);
    assert_eq!(site.bytes(&sidecar), before);

    site.annotate(&[annotation("a", 1, "note", "")]);
    validate().ok().prints("\"problems\": []");

    site.write(&sidecar, "not a sidecar\n");
    let ran = validate();
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(1), ""));
    ran.says("sidecar.malformed-line");
    lacks(&ran.stderr, "Nothing was written");
}
