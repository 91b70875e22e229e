//! Sidecars are loaded by the rules of Harn's loader, whatever the state of their tape.

use crate::support::{HEADER, TestSite, annotation, codes, first, lines, raw, rows};

#[test]
fn sidecars_load_under_the_rules_of_harns_loader() {
    let note = annotation("a", 0, "note", "");
    let filled = |text: &str| {
        let text = text.replace("NOTE", &note).replace("HEADER", HEADER);
        text + "\n"
    };
    let with_kind = |kind: &str| format!("{HEADER}\n{}\n", note.replace("\"note\"", kind));
    let with = |fields: &str| format!("{HEADER}\n{}\n", annotation("a", 0, "note", fields));
    let fields = rows(
        r#"
nulls where they may be | | "evidence":null,"suggested_fix":null,"author":null,"timestamp":null,"span":null,"hypothesis_status":null,"friction_kind":null
null links | malformed-line | "links":null
null metadata | malformed-line | "metadata":null
an unknown status | malformed-line | "hypothesis_status":"settled"
an unknown kind of author | malformed-line | "author":{"kind":"robot"}
an author without kind | malformed-line | "author":{"id":"a"}
half a span | malformed-line | "span":{"start_event_id":0}
"#,
    );
    let kinds = rows(
        r#"
a kind as a variant of serde | | {"note":null}
a kind as a variant without content | | {"note": { }}
a kind with content | malformed-line | {"note":{"a":1}}
a kind with a list | malformed-line | {"note":[]}
a kind with a value | malformed-line | {"note":1}
two kinds | malformed-line | {"note":null,"mute":null}
"#,
    );
    let files = rows(
        r##"
a header alone | | HEADER
comments and blank lines after it | | HEADER⏎⏎# c⏎NOTE⏎   ⏎
version 0 | | {"type":"header","schema_version":0}⏎NOTE
unknown keys | | {"type":"header","schema_version":1,"newer":{}}⏎NOTE
a duplicate key | malformed-line | HEADER⏎{"id":"b","type":"annotation","id":"a","event_id":0,"kind":"note"}
only comments | empty | # a⏎⏎# b
an annotation first | missing-header | NOTE
another object first | missing-header | {}
a header without version | malformed-line | {"type":"header"}
version 2 | unsupported-version | {"type":"header","schema_version":2}
a second header | second-header | HEADER⏎NOTE⏎HEADER
a null id | malformed-line | HEADER⏎{"type":"annotation","id":null,"event_id":0,"kind":"note"}
no event | malformed-line | HEADER⏎{"type":"annotation","kind":"note"}
a negative event | malformed-line | HEADER⏎{"type":"annotation","event_id":-1,"kind":"note"}
an unknown line type | malformed-line | HEADER⏎{"type":"remark"}
two bad lines | malformed-line malformed-line | HEADER⏎{⏎NOTE⏎]
"##,
    );
    let spaced = [
        (
            "comments and blank lines before the header",
            format!("\n# one\n  # two\n\t\n{HEADER}\n"),
        ),
        ("a byte order mark", format!("\u{feff}{HEADER}\n")),
        ("carriage returns", format!("{HEADER}\r\n{note}\r\n")),
        (
            "white space that JSON does not know around lines",
            format!("\u{a0}{HEADER}\u{2003}\n\u{3000}\n\u{a0}# c\n\u{b}{note}\u{a0}\r\n"),
        ),
    ];
    let fields = fields
        .into_iter()
        .map(|[what, codes, text]| (what, with(text), codes));
    let kinds = kinds
        .into_iter()
        .map(|[what, codes, text]| (what, with_kind(text), codes));
    let files = files
        .into_iter()
        .map(|[what, codes, text]| (what, filled(text), codes));
    let spaced = spaced.into_iter().map(|(what, text)| (what, text, ""));
    let cases = fields.chain(kinds).chain(files).chain(spaced);
    for (what, sidecar, expected) in cases.chain([("nothing", String::new(), "empty")]) {
        let site = TestSite::base();
        site.write_first("events.jsonl.annotations.jsonl", sidecar);
        let expected = expected
            .split_whitespace()
            .map(|code| format!("sidecar.{code}"));
        assert_eq!(codes(&site.check()), expected.collect::<Vec<_>>(), "{what}");
    }
}

#[test]
fn a_kind_that_is_a_variant_of_serde_is_published_as_its_word() {
    let site = TestSite::base();
    let line =
        r#"{"type":"annotation","id":"a","event_id":0,"kind":{"marker":null},"newer":1,"newer":2}"#;
    site.annotate(&[line]);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let document = site.first_document();
    let compact: String = raw(&document, "/annotations/0")
        .split_whitespace()
        .collect();
    let start = r#"{"type":"annotation","id":"a","event_id":0,"kind":"marker","newer":2,"tape":"#;
    assert!(compact.starts_with(start), "{compact}");
    site.first_page().says("marker");
}

#[test]
fn a_bad_line_is_named_by_its_physical_number() {
    let site = TestSite::base();
    site.write_first(
        "events.jsonl.annotations.jsonl",
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
        site.write_first("run.tape", tape);
        site.write_first(
            "run.annotations.jsonl",
            format!("{{\"type\":\"header\",\"schema_version\":1,\"tape_path\":\"{path}\"}}\n"),
        );
        assert_eq!(codes(&site.check()), expected, "{path}");
    }
}

#[test]
fn a_tape_that_cannot_be_read_is_not_said_to_be_absent() {
    let site = TestSite::base();
    let path = first("events.jsonl");
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
            site.write_first("run.tape", tape);
        }
        site.write_first("run.tape.annotations.jsonl", lines(&[HEADER, &note]));
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
