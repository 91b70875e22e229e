//! The real tape and sidecar that Harn publishes, and its rules for loading and hashing tapes.

use crate::crawl::problems;
use crate::fuzz_targets::compact;
use crate::support::{
    FIRST, FIRST_SLUG, HEADER, TestSite, annotation, codes, described, fixture, lines, raw, words,
};

const TAPE: &str = "testbench_replay_fidelity.testbench-tape";
const SIDECAR: &str = "testbench_replay_fidelity.annotations.jsonl";
const HASH: &str = "95acb72cef6220ba4a3057fb832aeb371ed6d206b1b69123fa9c1b4921ad4512";

/// The base run with the real pair instead of its event log.
fn real_pair() -> TestSite {
    let site = TestSite::base();
    site.remove(&format!("{FIRST}/events.jsonl"))
        .remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
    for name in [TAPE, SIDECAR] {
        site.write(
            &format!("{FIRST}/{name}"),
            std::fs::read(fixture("harn").join(name)).expect("the real file"),
        );
    }
    site
}

#[test]
fn the_real_pair_has_no_errors_and_no_warnings_and_one_note_about_a_slipped_annotation() {
    let found = described(&real_pair().check());
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("note"), "{found:#?}");
    assert!(
        found[0].contains("The annotation `ann-llm-correct` mentions `llm_call`, but points at event `1`, which is `clock_read`"),
        "{found:#?}"
    );
}

#[test]
fn the_real_pair_gives_the_hash_and_the_report_that_harn_gives() {
    let site = real_pair();
    site.publish();
    let document = site.first_document();
    assert_eq!(
        raw(&document, "/tapes/0/contentHash"),
        format!("\"{HASH}\"")
    );
    assert_eq!(raw(&document, "/tapes/0/file"), format!("\"{TAPE}\""));
    assert_eq!(raw(&document, "/tapes/0/format"), "\"harn\"");
    assert_eq!(
        raw(&document, "/tapes/0/sidecar/file"),
        format!("\"{SIDECAR}\"")
    );
    assert_eq!(
        compact(&raw(&document, "/tapes/0/sidecar/report")),
        r#"{"annotations_checked":5,"problems":[],"kind_counts":{"correct":1,"crystallize_here":1,"friction":1,"hypothesis":1,"marker":1}}"#
    );
}

#[test]
fn the_real_pair_is_shown_with_its_five_annotations_at_their_events() {
    let site = real_pair();
    site.publish();
    let page = site.first_page();
    assert_eq!(page.all("ol.tape > li.e").len(), 8);
    let at = |event: u32| page.all(&format!("#e-{event} aside.an")).len();
    assert_eq!([at(0), at(1), at(2), at(3), at(4)], [0, 3, 1, 0, 1]);
    assert_eq!(page.all("aside.an").len(), 5);
    let friction = words(page.one("#e-2 aside.an"));
    assert!(
        friction.contains("friction")
            && friction.contains("expensive model used for deterministic step"),
        "{friction}"
    );
    assert!(friction.contains("sre-bot (agent) in cloud"), "{friction}");
    assert!(
        words(page.one("#e-2")).contains("fidelity-response"),
        "the recorded answer of the model is on the page"
    );
    assert_eq!(page.beside("Content hash"), [HASH]);
}

#[test]
fn the_real_files_can_be_downloaded_byte_for_byte() {
    let site = real_pair();
    site.publish();
    for name in [TAPE, SIDECAR] {
        let published = site.bytes(&format!("public/runs/{FIRST_SLUG}/{name}"));
        assert_eq!(
            published,
            std::fs::read(fixture("harn").join(name)).expect("the real file"),
            "{name}"
        );
    }
}

#[test]
fn a_stated_hash_that_agrees_is_said_to_agree() {
    let site = real_pair();
    let path = format!("{FIRST}/{SIDECAR}");
    site.replace(
        &path,
        "\"harn_version\":\"0.8.5\"",
        &format!("\"harn_version\":\"0.8.5\",\"tape_content_hash\":\"{HASH}\""),
    );
    assert!(
        codes(&site.publish())
            .iter()
            .all(|code| !code.contains("digest"))
    );
    assert_eq!(site.first_page().beside("Its digest"), ["matches the tape"]);
}

#[test]
fn a_hash_of_older_harn_counts_only_for_a_tape_without_phases() {
    let old = "de02f48b02f2ee7d2e55ac2ecfdaca1b05369f54e3abcf923bbdcb4166e3cac9";
    let with = |hash: &str, phases: bool| {
        let site = real_pair();
        let path = format!("{FIRST}/{SIDECAR}");
        site.replace(
            &path,
            "\"harn_version\":\"0.8.5\"",
            &format!("\"tape_content_hash\":\"{hash}\""),
        );
        if !phases {
            let tape = site.text(&format!("{FIRST}/{TAPE}"));
            let tape = tape
                .replace("\"phase\":\"user_script\",", "")
                .replace("\"phase\":\"runtime_finalize\",", "");
            site.write(&format!("{FIRST}/{TAPE}"), tape);
        }
        codes(&site.check()).contains(&"annotation.tape-digest-mismatch")
    };
    assert!(with(old, true), "a tape with phases has one hash");
    assert!(
        !with(old, false),
        "a tape without phases may be hashed as older tools did"
    );
    assert!(
        with(&HASH.to_uppercase(), true),
        "hashes are compared with their case"
    );
}

#[test]
fn the_hash_is_over_the_records_and_not_over_their_spelling() {
    let header = r#"{"type":"header","version":1,"harn_version":"0.8.26"}"#;
    let site = TestSite::base();
    let spelled: Vec<String> = (0..3)
        .map(|seq| format!("{{ \"monotonic_ms\":0, \"newer\":true, \"kind\":{{\"duration_ms\":1,\"kind\":\"clock_sleep\"}},\"virtual_time_ms\":0, \"seq\":{seq}, \"type\":\"record\"}}\r"))
        .collect();
    site.write(
        &format!("{FIRST}/run.tape"),
        format!("{header}\n\n{}", lines(&spelled)),
    );
    site.publish();
    let document = site.first_document();
    assert_eq!(
        raw(&document, "/tapes/1/contentHash"),
        "\"a85a6b38d429aca4494ff9c5f0e6ceabec9c9aff636b812f4ff88c649130565f\""
    );
    site.write(&format!("{FIRST}/run.tape"), header);
    site.publish();
    let document = site.first_document();
    assert_eq!(
        raw(&document, "/tapes/1/contentHash"),
        "\"af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262\""
    );
}

#[test]
fn tapes_load_under_the_rules_of_harns_loader() {
    let header = r#"{"type":"header","version":1,"harn_version":"0.8.26"}"#;
    let sleep = r#"{"type":"record","seq":0,"phase":"user_script","virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"clock_sleep","duration_ms":1}}"#;
    let cases: [(&str, String, &[&str]); 13] = [
        ("a tape without records", lines(&[header]), &[]),
        (
            "an older version",
            lines(&[&header.replace("\"version\":1", "\"version\":0"), sleep]),
            &[],
        ),
        (
            "a newer version",
            lines(&[&header.replace("\"version\":1", "\"version\":9"), sleep]),
            &["tape.unsupported-version"],
        ),
        ("nothing", String::new(), &["tape.empty"]),
        ("only blank lines", "\n\n".to_owned(), &["tape.empty"]),
        (
            "a blank line before the header",
            format!("\n{header}\n"),
            &["tape.missing-header"],
        ),
        (
            "a comment before the header",
            lines(&["# a tape", header]),
            &["tape.missing-header", "tape.second-header"],
        ),
        (
            "a comment after the header",
            lines(&[header, "# a comment", sleep]),
            &["tape.malformed-record"],
        ),
        (
            "blank lines after the header",
            lines(&[header, "", sleep, "   "]),
            &[],
        ),
        (
            "a second header",
            lines(&[header, sleep, header]),
            &["tape.second-header"],
        ),
        (
            "an unknown phase",
            lines(&[header, &sleep.replace("user_script", "other")]),
            &["tape.malformed-record"],
        ),
        (
            "a record without time",
            lines(&[header, &sleep.replace("\"virtual_time_ms\":0,", "")]),
            &["tape.malformed-record"],
        ),
        (
            "an unknown line type",
            lines(&[header, &sleep.replace("\"record\"", "\"mark\"")]),
            &["tape.malformed-record"],
        ),
    ];
    for (what, tape, expected) in cases {
        let site = TestSite::base();
        site.write(&format!("{FIRST}/run.tape"), tape);
        assert_eq!(codes(&site.check()), expected, "{what}");
    }
}

#[test]
fn every_record_kind_of_a_tape_is_shown_with_its_payloads() {
    let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
    let inline = |text: &str| {
        format!(
            "{{\"content_hash\":\"{}\",\"text\":\"{text}\"}}",
            hash(text)
        )
    };
    let big = "stored outside ".repeat(400);
    let kinds = [
        (
            "clock_read",
            r#""source":"monotonic","value_ms":77"#.to_owned(),
            "monotonic clock: 77 ms",
        ),
        ("clock_sleep", r#""duration_ms":1500"#.to_owned(), "1500 ms"),
        (
            "llm_call",
            format!(
                r#""request_digest":"req-1","response":{}"#,
                inline("an answer")
            ),
            "an answer",
        ),
        (
            "file_read",
            format!(
                r#""path":"src/a.js","content_hash":"{}","len_bytes":12"#,
                hash("a")
            ),
            "src/a.js",
        ),
        (
            "file_write",
            format!(
                r#""path":"src/b.js","content_hash":"{}","len_bytes":13"#,
                hash("b")
            ),
            "src/b.js",
        ),
        ("file_delete", r#""path":"src/c.js""#.to_owned(), "src/c.js"),
        (
            "process_spawn",
            format!(
                r#""program":"npm","args":["run","build"],"cwd":null,"exit_code":2,"duration_ms":9,"stdout_payload":{{"content_hash":"{}","len_bytes":{}}},"stderr_payload":{}"#,
                hash(&big),
                big.len(),
                inline("it broke")
            ),
            "stored outside stored outside",
        ),
        (
            "decision_evaluation",
            format!(
                r#""request_digest":"req-2","response":{}"#,
                inline("a decision")
            ),
            "a decision",
        ),
        (
            "mcp_json_rpc",
            format!(
                r#""server":"files","method":"tools/call","request_digest":"q","response_digest":"r","latency_ms":3,"request_payload":{},"response_payload":{}"#,
                inline("a request"),
                inline("a reply")
            ),
            "a reply",
        ),
        (
            "model_job",
            format!(
                r#""job_id":"j-1","request_id":"r-1","backend":"local","state":"done","event_kind":"finished","event":{},"asset_digests":[]"#,
                inline("a job")
            ),
            "finished: done",
        ),
        ("hologram", r#""depth":3"#.to_owned(), "hologram"),
    ];
    let mut tape = vec![r#"{"type":"header","version":1,"harn_version":"0.8.26"}"#.to_owned()];
    for (seq, (kind, fields, _)) in kinds.iter().enumerate() {
        tape.push(format!("{{\"type\":\"record\",\"seq\":{seq},\"virtual_time_ms\":{seq},\"monotonic_ms\":0,\"kind\":{{\"kind\":\"{kind}\",{fields}}}}}"));
    }
    let site = TestSite::base();
    site.remove(&format!("{FIRST}/events.jsonl"))
        .remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
    site.write(&format!("{FIRST}/run.tape"), lines(&tape));
    site.write(&format!("{FIRST}/run.tape.cas/{}", hash(&big)), &big);
    site.write(
        &format!("{FIRST}/run.tape.annotations.jsonl"),
        lines(&[HEADER, &annotation("a", 10, "note", "")]),
    );
    assert_eq!(codes(&site.publish()), ["tape.unknown-kind"]);
    let page = site.first_page();
    for (seq, (kind, _, shown)) in kinds.iter().enumerate() {
        let text = words(page.one(&format!("#e-{seq}")));
        assert!(text.contains(shown), "{kind} shows {shown}: {text}");
    }
    assert!(
        words(page.one("#e-6")).contains("it broke"),
        "standard error is shown too"
    );
    assert!(
        page.one("#e-6")
            .value()
            .classes()
            .any(|class| class == "fail"),
        "an exit status above 0 is a failure"
    );
}

#[test]
fn a_payload_that_is_not_there_is_named_and_never_read_from_elsewhere() {
    for hash in ["../../../../../../etc/passwd", "/etc/passwd", "ABCDEF", ""] {
        let site = TestSite::base();
        let record = format!(
            "{{\"type\":\"record\",\"seq\":0,\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{{\"kind\":\"llm_call\",\"request_digest\":\"r\",\"response\":{{\"content_hash\":\"{hash}\",\"len_bytes\":5}}}}}}"
        );
        site.write(
            &format!("{FIRST}/run.tape"),
            lines(&[
                r#"{"type":"header","version":1,"harn_version":"0.8.26"}"#,
                &record,
            ]),
        );
        assert_eq!(codes(&site.publish()), ["tape.missing-payload"], "{hash}");
        let page = site.first_page();
        assert!(words(page.one("[id='run.e-0']")).contains("Payload not found: response (5 B)."));
        assert!(!page.main().contains("root:"));
    }
}

#[test]
fn a_changed_payload_file_is_an_error() {
    let site = TestSite::base();
    let hash = blake3::hash(b"recorded").to_hex().to_string();
    let record = format!(
        "{{\"type\":\"record\",\"seq\":0,\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{{\"kind\":\"llm_call\",\"request_digest\":\"r\",\"response\":{{\"content_hash\":\"{hash}\",\"len_bytes\":8}}}}}}"
    );
    site.write(
        &format!("{FIRST}/run.tape"),
        lines(&[
            r#"{"type":"header","version":1,"harn_version":"0.8.26"}"#,
            &record,
        ]),
    );
    site.write(&format!("{FIRST}/run.tape.cas/{hash}"), "recorded");
    assert_eq!(codes(&site.check()), [""; 0]);
    site.write(&format!("{FIRST}/run.tape.cas/{hash}"), "tampered");
    assert_eq!(codes(&site.check()), ["tape.payload-mismatch"]);
}

/// The base site with a tape of records with these numbers, and a span from the first to `end`.
pub(crate) fn numbered(seqs: &[u64], end: u64) -> TestSite {
    let site = TestSite::base();
    let header = r#"{"type":"header","version":1,"harn_version":"1"}"#.to_owned();
    let records = seqs.iter().map(|seq| {
        format!("{{\"type\":\"record\",\"seq\":{seq},\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{{\"kind\":\"clock_sleep\",\"duration_ms\":1}}}}")
    });
    site.write(
        &format!("{FIRST}/run.tape"),
        lines(&std::iter::once(header).chain(records).collect::<Vec<_>>()),
    );
    let first = seqs[0];
    let span = format!("\"span\":{{\"start_event_id\":{first},\"end_event_id\":{end}}}");
    site.write(
        &format!("{FIRST}/run.tape.annotations.jsonl"),
        lines(&[HEADER.to_owned(), annotation("a", first, "note", &span)]),
    );
    site
}

#[test]
fn duplicate_numbers_have_distinct_anchors() {
    let site = numbered(&[0, 1, 1, 2, 1], 1);
    site.write("site.toml", "[timeline]\npage_size = 2\n");
    assert_eq!(
        codes(&site.publish()),
        ["tape.duplicate-seq", "tape.duplicate-seq"]
    );
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn numbers_out_of_order_keep_the_order_of_the_file() {
    let site = numbered(&[4, 3, 2], 4);
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn times_at_the_ends_of_the_numbers_are_no_reason_to_stop() {
    let site = TestSite::base();
    let record = |seq: u32, time: i64| {
        format!(
            "{{\"type\":\"record\",\"seq\":{seq},\"virtual_time_ms\":{time},\"monotonic_ms\":{time},\"kind\":{{\"kind\":\"clock_sleep\",\"duration_ms\":18446744073709551615}}}}"
        )
    };
    let tape = [
        "{\"type\":\"header\",\"version\":1,\"harn_version\":\"1\",\"started_at_unix_ms\":-9223372036854775808}".to_owned(),
        record(0, i64::MIN),
        record(1, i64::MAX),
        record(2, 0),
        record(3, i64::MIN),
    ];
    site.write(&format!("{FIRST}/run.tape"), lines(&tape));
    let ran = site.runpress(&["build"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
}

#[test]
fn a_span_that_ends_between_two_numbers_leads_to_an_event_that_is_there() {
    let site = numbered(&[0, 2, 9], 5);
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert_eq!(problems(&site.published()), [""; 0]);
    let covered = site
        .first_page()
        .all("li.e:has(i.sp), li.e:is(.l0, .l1, .l2, .l3)")
        .len();
    assert_eq!(covered, 2, "the span covers the events 0 and 2");
}
