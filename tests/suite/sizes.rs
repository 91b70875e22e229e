//! Content that is too large for a page is cut with a note, and published once as a separate file.

use crate::crawl::problems;
use crate::support::{FIRST, FIRST_SLUG, HEADER, TestSite, annotation, codes, event, lines, words};

#[test]
fn a_headline_of_more_than_1000_bytes_moves_into_the_content() {
    for (length, moves) in [(900, false), (1_001, true), (200_000, true)] {
        let site = TestSite::base();
        let command = "é".repeat(length / 2) + "END";
        site.write(
            &format!("{FIRST}/events.jsonl"),
            lines(&[event(
                0,
                "command",
                &format!("\"command\":\"{command}\",\"exitCode\":0"),
            )]),
        );
        site.write(
            &format!("{FIRST}/events.jsonl.annotations.jsonl"),
            lines(&[HEADER]),
        );
        assert_eq!(codes(&site.publish()), [""; 0]);
        let page = site.first_page();
        let head = page.one("#e-0 > p:first-child > code");
        let shown = words(head);
        if moves {
            assert!(
                shown.len() < 1_100 && shown.contains('…'),
                "{length}: {}",
                shown.len()
            );
            let whole: Vec<String> = site
                .published()
                .into_iter()
                .filter(|(path, _)| path.contains("/text/"))
                .map(|(_, bytes)| String::from_utf8(bytes).expect("UTF-8"))
                .collect();
            assert!(
                page.main().contains(&command) || whole == [command],
                "all of it is on the page or in a file"
            );
        } else {
            assert!(shown.contains("END"), "{shown}");
        }
        assert_eq!(problems(&site.published()), [""; 0]);
    }
}

#[test]
fn evidence_of_more_than_64_kib_is_cut_with_a_sentence_and_complete_in_run_json() {
    for (length, cut) in [(65_000, false), (300_000, true)] {
        let site = TestSite::base();
        let evidence = "word ".repeat(length / 5) + "END";
        site.write(
            &format!("{FIRST}/events.jsonl.annotations.jsonl"),
            lines(&[
                HEADER,
                &annotation("a", 1, "note", &format!("\"evidence\":\"{evidence}\"")),
            ]),
        );
        assert_eq!(codes(&site.publish()), [""; 0]);
        let main = site.first_page().main();
        assert_eq!(
            main.contains("Only the first 64.0 KiB are shown; the sidecar has the full text.")
                || main.contains("Only the first 64 KiB are shown; the sidecar has the full text."),
            cut,
            "{length}"
        );
        assert_eq!(main.contains("END"), !cut, "{length}");
        assert!(site.first_document().contains(&evidence));
    }
}

#[test]
fn a_payload_that_several_records_share_is_written_once() {
    let site = TestSite::base();
    let payload = "shared payload, ".repeat(20_000);
    let hash = {
        // The digest of a file with the same bytes.
        let other = TestSite::base();
        other.write(&format!("{FIRST}/raw.jsonl"), &payload);
        other.publish();
        let run = other.json(&format!("runs/{FIRST_SLUG}/run.json"));
        let files = run["files"].as_array().expect("an array").clone();
        files
            .iter()
            .find(|file| file["path"] == "raw.jsonl")
            .and_then(|file| file["blake3"].as_str())
            .expect("a digest")
            .to_owned()
    };
    let record = |seq: u32| {
        format!(
            "{{\"type\":\"record\",\"seq\":{seq},\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{{\"kind\":\"llm_call\",\"request_digest\":\"r\",\"response\":{{\"content_hash\":\"{hash}\",\"len_bytes\":{}}}}}}}",
            payload.len()
        )
    };
    let mut tape = vec![r#"{"type":"header","version":1,"harn_version":"1"}"#.to_owned()];
    tape.extend((0..50).map(record));
    site.write(&format!("{FIRST}/run.tape"), lines(&tape));
    site.write(&format!("{FIRST}/run.tape.cas/{hash}"), &payload);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let published = site.published();
    let whole: Vec<&String> = published
        .iter()
        .filter(|(_, bytes)| bytes.as_slice() == payload.as_bytes())
        .map(|(path, _)| path)
        .collect();
    assert_eq!(whole, [&format!("runs/{FIRST_SLUG}/text/{hash}.txt")]);
    let texts = published
        .keys()
        .filter(|path| path.contains("/text/"))
        .count();
    assert_eq!(texts, 1);
    assert_eq!(problems(&published), [""; 0]);
    let links = site
        .first_page()
        .all(&format!("a[href$='text/{hash}.txt']"))
        .len();
    assert_eq!(links, 50, "every record leads to it");
}
