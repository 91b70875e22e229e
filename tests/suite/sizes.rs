//! Content that is too large for a page is cut with a note, and published once as a separate file.

use crate::crawl::problems;
use crate::room::answers;
use crate::support::{FIRST_SLUG, TestSite, annotation, codes, event, words};

#[test]
fn a_headline_of_more_than_1000_bytes_moves_into_the_content() {
    for (length, moves) in [(900, false), (1_001, true), (200_000, true)] {
        let site = TestSite::base();
        let command = "é".repeat(length / 2) + "END";
        let fields = format!("\"command\":\"{command}\",\"exitCode\":0");
        site.log(event(0, "command", &fields) + "\n");
        assert_eq!(codes(&site.publish()), [""; 0]);
        let page = site.first_page();
        let shown = words(page.one("#e-0 > p:first-child > code"));
        if moves {
            assert!(shown.len() < 1_100 && shown.contains('…'), "{shown}");
            // All of it is on the page or in a file.
            let files = site.published();
            let mut texts = files.iter().filter(|(path, _)| path.contains("/text/"));
            let is_whole = texts.all(|(_, bytes)| *bytes == command.as_bytes());
            let has_text = files.keys().any(|path| path.contains("/text/"));
            assert!(
                page.main().contains(&command) || (has_text && is_whole),
                "{length}"
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
        let fields = format!("\"evidence\":\"{evidence}\"");
        site.annotate(&[annotation("a", 1, "note", &fields)]);
        assert_eq!(codes(&site.publish()), [""; 0]);
        let main = site.first_page().main();
        let sentence = " KiB are shown; the sidecar has the full text.";
        assert_eq!(main.contains(sentence), cut, "{length}");
        assert_eq!(main.contains("END"), !cut, "{length}");
        assert!(site.first_document().contains(&evidence));
    }
}

#[test]
fn a_payload_that_several_records_share_is_written_once() {
    let site = TestSite::base();
    let payload = "shared payload, ".repeat(20_000);
    let hash = blake3::hash(payload.as_bytes()).to_hex();
    site.write_first("run.tape", answers(50, &hash, payload.len()));
    site.write_first(&format!("run.tape.cas/{hash}"), &payload);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let published = site.published();
    let texts = published.iter().filter(|(path, _)| path.contains("/text/"));
    let path = format!("runs/{FIRST_SLUG}/text/{hash}.txt");
    assert_eq!(
        texts.collect::<Vec<_>>(),
        [(&path, &payload.clone().into_bytes())]
    );
    let others = published
        .values()
        .filter(|bytes| **bytes == payload.as_bytes());
    assert_eq!(others.count(), 1);
    assert_eq!(problems(&published), [""; 0]);
    // Every record leads to it.
    let links = format!("a[href$='text/{hash}.txt']");
    assert_eq!(site.first_page().all(&links).len(), 50);
}
