//! The real tape and sidecar that Harn publishes, and its rules for loading and hashing tapes.

use crate::crawl::problems;
use crate::fuzz_targets::compact;
use crate::support::{
    FIRST_SLUG, TAPE_HEADER, TestSite, annotation, codes, contains, described, first, fixture,
    lacks, lines, raw, rows, sidecar, sleeps, tape_record, words,
};

const TAPE: &str = "testbench_replay_fidelity.testbench-tape";
const SIDECAR: &str = "testbench_replay_fidelity.annotations.jsonl";
const HASH: &str = "95acb72cef6220ba4a3057fb832aeb371ed6d206b1b69123fa9c1b4921ad4512";

/// The base run with the real pair instead of its event log.
fn real_pair() -> TestSite {
    let site = TestSite::base();
    site.remove_first("events.jsonl").unannotated();
    for name in [TAPE, SIDECAR] {
        site.write_first(
            name,
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
    let tape = &site.first_run()["tapes"][0];
    assert_eq!(
        [&tape["contentHash"], &tape["file"], &tape["format"]],
        [HASH, TAPE, "harn"]
    );
    assert_eq!(tape["sidecar"]["file"], SIDECAR);
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
    for part in [
        "friction",
        "expensive model used for deterministic step",
        "sre-bot (agent) in cloud",
    ] {
        contains(&friction, part);
    }
    // The recorded answer of the model.
    contains(&words(page.one("#e-2")), "fidelity-response");
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
    let path = first(SIDECAR);
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
        let stated = format!("\"tape_content_hash\":\"{hash}\"");
        site.replace_first(SIDECAR, "\"harn_version\":\"0.8.5\"", &stated);
        if !phases {
            let tape = site.text(&first(TAPE));
            let tape = tape
                .replace("\"phase\":\"user_script\",", "")
                .replace("\"phase\":\"runtime_finalize\",", "");
            site.write_first(TAPE, tape);
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
    let site = TestSite::base();
    let spelled: Vec<String> = (0..3)
        .map(|seq| format!("{{ \"monotonic_ms\":0, \"newer\":true, \"kind\":{{\"duration_ms\":1,\"kind\":\"clock_sleep\"}},\"virtual_time_ms\":0, \"seq\":{seq}, \"type\":\"record\"}}\r"))
        .collect();
    let spelled = format!("{TAPE_HEADER}\n\n{}", lines(&spelled));
    for (tape, hash) in [
        (
            spelled.as_str(),
            "a85a6b38d429aca4494ff9c5f0e6ceabec9c9aff636b812f4ff88c649130565f",
        ),
        (
            TAPE_HEADER,
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        ),
    ] {
        site.write_first("run.tape", tape).publish();
        assert_eq!(site.first_run()["tapes"][1]["contentHash"], hash);
    }
}

#[test]
fn tapes_load_under_the_rules_of_harns_loader() {
    let sleep = tape_record(0, r#"{"kind":"clock_sleep","duration_ms":1}"#);
    let sleep = sleep.replace("\"seq\":0", "\"seq\":0,\"phase\":\"user_script\"");
    let version = |version: &str| TAPE_HEADER.replace("\"version\":1", version);
    let cases = [
        ("", lines(&[TAPE_HEADER])),
        ("", lines(&[&version("\"version\":0"), &sleep])),
        (
            "unsupported-version",
            lines(&[&version("\"version\":9"), &sleep]),
        ),
        ("empty", String::new()),
        ("empty", "\n\n".to_owned()),
        ("missing-header", format!("\n{TAPE_HEADER}\n")),
        (
            "missing-header second-header",
            lines(&["# a tape", TAPE_HEADER]),
        ),
        (
            "malformed-record",
            lines(&[TAPE_HEADER, "# a comment", &sleep]),
        ),
        ("", lines(&[TAPE_HEADER, "", &sleep, "   "])),
        ("second-header", lines(&[TAPE_HEADER, &sleep, TAPE_HEADER])),
        (
            "malformed-record",
            lines(&[TAPE_HEADER, &sleep.replace("user_script", "other")]),
        ),
        (
            "malformed-record",
            lines(&[TAPE_HEADER, &sleep.replace("\"virtual_time_ms\":0,", "")]),
        ),
        (
            "malformed-record",
            lines(&[TAPE_HEADER, &sleep.replace("\"record\"", "\"mark\"")]),
        ),
    ];
    for (expected, tape) in cases {
        let site = TestSite::base();
        site.write_first("run.tape", &tape);
        let expected = expected
            .split_whitespace()
            .map(|code| format!("tape.{code}"));
        assert_eq!(
            codes(&site.check()),
            expected.collect::<Vec<_>>(),
            "{tape:?}"
        );
    }
}

#[test]
fn every_record_kind_of_a_tape_is_shown_with_its_payloads() {
    let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
    let big = "stored outside ".repeat(400);
    let stored = format!(
        r#"{{"content_hash":"{}","len_bytes":{}}}"#,
        hash(&big),
        big.len()
    );
    let kinds = rows(
        r#"
monotonic clock: 77 ms | "kind":"clock_read","source":"monotonic","value_ms":77
1500 ms | "kind":"clock_sleep","duration_ms":1500
an answer | "kind":"llm_call","request_digest":"req-1","response":[an answer]
src/a.js | "kind":"file_read","path":"src/a.js","content_hash":"00","len_bytes":12
src/b.js | "kind":"file_write","path":"src/b.js","content_hash":"01","len_bytes":13
src/c.js | "kind":"file_delete","path":"src/c.js"
stored outside stored outside | "kind":"process_spawn","program":"npm","args":["run"],"cwd":null,"exit_code":2,"duration_ms":9,"stdout_payload":STORED,"stderr_payload":[it broke]
a decision | "kind":"decision_evaluation","request_digest":"req-2","response":[a decision]
a reply | "kind":"mcp_json_rpc","server":"files","method":"tools/call","request_digest":"q","response_digest":"r","latency_ms":3,"request_payload":[a request],"response_payload":[a reply]
finished: done | "kind":"model_job","job_id":"j-1","request_id":"r-1","backend":"local","state":"done","event_kind":"finished","event":[a job],"asset_digests":[]
hologram | "kind":"hologram","depth":3
"#,
    );
    // `[words]` is a payload.
    let payloads = regex::Regex::new(r"\[([a-z ]+)\]").expect("a pattern");
    let payload = |words: &regex::Captures<'_>| {
        let (words, hash) = (&words[1], hash(&words[1]));
        format!(r#"{{"content_hash":"{hash}","text":"{words}"}}"#)
    };
    let records = (0..).zip(&kinds).map(|(seq, [_, kind])| {
        let kind = payloads
            .replace_all(kind, payload)
            .replace("STORED", &stored);
        tape_record(seq, &format!("{{{kind}}}"))
    });
    let records: Vec<String> = records.collect();
    let site = TestSite::base();
    site.remove_first("events.jsonl").unannotated();
    site.write_first("run.tape", format!("{TAPE_HEADER}\n{}", lines(&records)));
    site.write_first(&format!("run.tape.cas/{}", hash(&big)), &big);
    site.write_first(
        "run.tape.annotations.jsonl",
        sidecar(&[annotation("a", 10, "note", "")]),
    );
    assert_eq!(codes(&site.publish()), ["tape.unknown-kind"]);
    let page = site.first_page();
    for (seq, [shown, _]) in kinds.iter().enumerate() {
        contains(&words(page.one(&format!("#e-{seq}"))), shown);
    }
    // Standard error is shown, too, and an exit status above 0 is a failure.
    contains(&words(page.one("#e-6.fail")), "it broke");
}

/// The base site with a tape of one call, whose answer is stored outside of it.
fn with_stored_answer(hash: &str, bytes: usize) -> TestSite {
    let response = format!(r#"{{"content_hash":"{hash}","len_bytes":{bytes}}}"#);
    let call = format!(r#"{{"kind":"llm_call","request_digest":"r","response":{response}}}"#);
    let site = TestSite::base();
    site.write_first("run.tape", lines(&[TAPE_HEADER, &tape_record(0, &call)]));
    site
}

#[test]
fn a_payload_that_is_not_there_is_named_and_never_read_from_elsewhere() {
    for hash in ["../../../../../../etc/passwd", "/etc/passwd", "ABCDEF", ""] {
        let site = with_stored_answer(hash, 5);
        assert_eq!(codes(&site.publish()), ["tape.missing-payload"], "{hash}");
        let page = site.first_page();
        let record = words(page.one("[id='run.e-0']"));
        contains(&record, "Payload not found: response (5 B).");
        lacks(&page.main(), "root:");
    }
}

#[test]
fn a_changed_payload_file_is_an_error() {
    let hash = blake3::hash(b"recorded").to_hex().to_string();
    let site = with_stored_answer(&hash, 8);
    site.write_first(&format!("run.tape.cas/{hash}"), "recorded");
    assert_eq!(codes(&site.check()), [""; 0]);
    site.write_first(&format!("run.tape.cas/{hash}"), "tampered");
    assert_eq!(codes(&site.check()), ["tape.payload-mismatch"]);
}

/// The base site with a tape of records with these numbers, and a span from the first to `end`.
pub(crate) fn numbered(seqs: &[u32], end: u64) -> TestSite {
    let site = TestSite::base();
    site.write_first("run.tape", sleeps(seqs.iter().copied()));
    let start = u64::from(seqs[0]);
    let span = format!("\"span\":{{\"start_event_id\":{start},\"end_event_id\":{end}}}");
    site.write_first(
        "run.tape.annotations.jsonl",
        sidecar(&[annotation("a", start, "note", &span)]),
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
    site.write_first("run.tape", lines(&tape));
    site.runpress("build").ok();
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
