//! Sidecars are loaded by the rules of Harn's loader, whatever the state of their tape.

use crate::support::{FIRST, HEADER, TestSite, annotation, codes, lines, raw};

#[test]
fn sidecars_load_under_the_rules_of_harns_loader() {
    let note = annotation("a", 0, "note", "");
    let with = |fields: &str| lines(&[HEADER, &annotation("a", 0, "note", fields)]);
    let cases: [(&str, String, &[&str]); 34] = [
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
        (
            "white space that JSON does not know around lines",
            format!("\u{a0}{HEADER}\u{2003}\n\u{3000}\n\u{a0}# c\n\u{b}{note}\u{a0}\r\n"),
            &[],
        ),
        (
            "a kind as a variant of serde",
            lines(&[HEADER, &note.replace("\"note\"", "{\"note\":null}")]),
            &[],
        ),
        (
            "a kind as a variant without content",
            lines(&[HEADER, &note.replace("\"note\"", "{\"note\": { }}")]),
            &[],
        ),
        (
            "a kind with content",
            lines(&[HEADER, &note.replace("\"note\"", "{\"note\":{\"a\":1}}")]),
            &["sidecar.malformed-line"],
        ),
        (
            "a kind with a list",
            lines(&[HEADER, &note.replace("\"note\"", "{\"note\":[]}")]),
            &["sidecar.malformed-line"],
        ),
        (
            "a kind with a value",
            lines(&[HEADER, &note.replace("\"note\"", "{\"note\":1}")]),
            &["sidecar.malformed-line"],
        ),
        (
            "two kinds",
            lines(&[
                HEADER,
                &note.replace("\"note\"", "{\"note\":null,\"mute\":null}"),
            ]),
            &["sidecar.malformed-line"],
        ),
        (
            "a duplicate key",
            lines(&[HEADER, &note.replace('{', "{\"id\":\"b\",")]),
            &["sidecar.malformed-line"],
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
fn a_kind_that_is_a_variant_of_serde_is_published_as_its_word() {
    let site = TestSite::base();
    let line =
        r#"{"type":"annotation","id":"a","event_id":0,"kind":{"marker":null},"newer":1,"newer":2}"#;
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER, line]),
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    let document = site.first_document();
    let compact: String = raw(&document, "/annotations/0")
        .split_whitespace()
        .collect();
    let start = r#"{"type":"annotation","id":"a","event_id":0,"kind":"marker","newer":2,"tape":"#;
    assert!(compact.starts_with(start), "{compact}");
    assert!(site.first_page().main().contains("marker"));
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
fn a_tape_that_cannot_be_read_is_not_said_to_be_absent() {
    let site = TestSite::base();
    let path = format!("{FIRST}/events.jsonl");
    site.write("elsewhere.jsonl", site.bytes(&path))
        .remove(&path);
    std::os::unix::fs::symlink(site.path("elsewhere.jsonl"), site.path(&path)).expect("a link");
    assert_eq!(codes(&site.check()), ["content.symlink"]);
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
            "tape.malformed-record"
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
