//! Tests of behaviour that src does not have yet. Not part of the suite: `mod pending;` in main.rs runs them.

use runpress::site::Overrides;

use crate::crawl::problems;
use crate::publishing::{Moment, killed_builds, moments};
use crate::support::{
    FIRST, HEADER, Run, TestSite, annotation, codes, described, event, lines, messages,
};

#[test]
fn a_build_killed_while_it_removes_the_old_site_does_not_block_the_next() {
    killed_builds(&[moments(), vec![Moment::Unmarked; 4]].concat(), false);
}

#[test]
fn a_quarantined_run_does_not_take_the_address_of_a_published_one() {
    let site = TestSite::empty();
    site.run("first", &Run::new("4f1c2d3e-1"));
    site.write("content/runs/first/events.jsonl", messages(1));
    site.write(
        "content/runs/first/events.jsonl.annotations.jsonl",
        lines(&[HEADER, &annotation("a", 99, "note", "")]),
    );
    site.run("second", &Run::new("4f1c2d3e-2"));
    let ran = site.runpress(&["build", "--keep-going"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let page = site.page("runs/pong-codex-sample-lark-1-4f1c2d3e/index.html");
    assert!(page.main().contains("4f1c2d3e-2"), "{}", page.main());
}

#[test]
fn runs_of_two_content_roots_outside_the_site_are_told_apart_when_they_are_set_aside() {
    for second in ["{", ""] {
        let (site, one, two) = (TestSite::empty(), TestSite::bare(), TestSite::bare());
        one.write("run/run-record.json", "{");
        let good = Run::new("0000000b-1").record();
        two.write(
            "run/run-record.json",
            if second.is_empty() {
                good.as_str()
            } else {
                second
            },
        );
        let overrides = Overrides {
            content: vec![one.root().to_owned(), two.root().to_owned()],
            keep_going: true,
            ..Overrides::default()
        };
        let outcome = site.build_with(&overrides);
        assert!(outcome.published);
        let expected = if second.is_empty() { (1, 1) } else { (0, 2) };
        assert_eq!(
            (outcome.runs, outcome.quarantined),
            expected,
            "{:?}",
            described(&outcome)
        );
    }
}

#[test]
fn footnotes_of_two_annotations_have_anchors_of_their_own() {
    let site = TestSite::base();
    let note = r#""evidence":"One[^b].\n\n[^b]: two""#;
    let other = r#""evidence":"One[^c].\n\n[^c]: two""#;
    let all = [
        HEADER.to_owned(),
        annotation("x", 0, "note", note),
        annotation("x-fn-b", 0, "note", other),
    ];
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&all),
    );
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn a_heading_of_the_sites_own_prose_does_not_take_an_id_of_the_page() {
    let site = TestSite::base();
    site.write("content/pages/guide.md", "# Main\n\n## Main\n");
    site.write(
        "content/pages/index.md",
        "# Newest\n\n# Said\n\n# Overview\n",
    );
    site.write("content/cases/pong.md", "# Set 1\n");
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn links_to_events_in_reviews_and_evidence_lead_to_the_page_that_has_them() {
    let site = TestSite::base();
    site.write("site.toml", "[timeline]\npage_size = 2\n");
    site.write(
        &format!("{FIRST}/writeup.md"),
        "---\nrating: great\n---\n\nSee [the test](#e-2).\n",
    );
    let far = annotation("a", 3, "note", r#""evidence":"See [the start](#e-0).""#);
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER, &far]),
    );
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn links_to_places_that_are_not_there_are_not_published() {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/writeup.md"),
        "---\nrating: great\n---\n\n# Sound\n\nSee [sound](#sound) and [later](#e-99).\n",
    );
    site.publish();
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn a_key_that_no_text_can_hold_does_not_hide_the_other_keys() {
    let site = TestSite::base();
    site.replace(
        &format!("{FIRST}/run-record.json"),
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
fn a_tape_that_cannot_be_read_is_not_said_to_be_absent() {
    let site = TestSite::base();
    let path = format!("{FIRST}/events.jsonl");
    site.write("elsewhere.jsonl", site.bytes(&path))
        .remove(&path);
    std::os::unix::fs::symlink(site.path("elsewhere.jsonl"), site.path(&path)).expect("a link");
    assert_eq!(codes(&site.check()), ["content.symlink"]);
}

#[test]
fn an_explanation_has_no_white_space_at_the_end_of_a_line() {
    let site = TestSite::empty();
    for code in runpress::diagnostics::codes::all() {
        let text = site.runpress(&["explain", code.name]).stdout;
        assert!(
            text.lines().all(|line| line.trim_end() == line),
            "{}",
            code.name
        );
    }
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
fn a_value_of_a_wrong_type_in_a_line_is_marked_and_pointed_at() {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/events.jsonl"),
        lines(&[event(0, "command", r#""command":"a","exitCode":"1""#)]),
    );
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER]),
    );
    let outcome = site.check();
    let place = &outcome.diagnostics[0].place;
    assert_eq!(
        (place.column, place.pointer.as_deref()),
        (Some(79), Some("/exitCode"))
    );
}

#[test]
fn a_page_that_is_too_large_is_not_called_a_review() {
    let site = TestSite::base();
    site.write("site.toml", "[limits]\nwriteup = 64\n");
    site.write("content/pages/guide.md", "word ".repeat(40));
    assert!(!codes(&site.check()).contains(&"review.too-large"));
}

#[test]
fn a_page_whose_name_gives_no_address_is_told_so() {
    let site = TestSite::base();
    site.write("content/pages/模型.md", "words\n");
    let outcome = site.check();
    assert!(
        outcome
            .diagnostics
            .iter()
            .all(|d| !d.message.contains("`//`")),
        "{:?}",
        described(&outcome)
    );
}

#[test]
fn words_of_site_toml_that_look_like_a_slot_are_words() {
    for word in ["runpress-main-slot", "<title>runpress-head-slot</title>"] {
        let site = TestSite::base();
        site.write(
            "site.toml",
            format!("[site]\ntitle = \"{word}\"\nnotice = \"{word}\"\nauthor = \"{word}\"\n"),
        );
        let ran = site.runpress(&["build"]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    }
}

#[test]
fn a_key_that_stands_twice_in_an_event_is_called_that() {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/events.jsonl"),
        lines(&[event(0, "agent", r#""message":"a","message":"b""#)]),
    );
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[HEADER]),
    );
    let outcome = site.check();
    assert!(
        !outcome
            .diagnostics
            .iter()
            .any(|d| d.message.contains("wrong type")),
        "{:?}",
        described(&outcome)
    );
}

#[test]
fn a_run_with_a_broken_record_is_counted_like_one_with_a_broken_sidecar() {
    let runs = |file: &str| {
        let site = TestSite::base();
        site.write(&format!("{FIRST}/{file}"), "{");
        site.check().runs
    };
    assert_eq!(
        runs("run-record.json"),
        runs("events.jsonl.annotations.jsonl")
    );
}

#[test]
fn no_diagnostic_of_a_missing_root_or_a_refused_folder_holds_the_path_of_the_machine() {
    let site = TestSite::base();
    site.write("public/letter.txt", "mine");
    site.runpress(&["build", "--report", "json=one.json"]);
    site.write("site.toml", "[build]\ncontent = [\"nowhere\"]\n");
    site.runpress(&["build", "--report", "json=two.json"]);
    let root = site.root().to_str().expect("UTF-8");
    for report in ["one.json", "two.json"] {
        assert!(
            !site.text(report).contains(root),
            "{report}: {}",
            site.text(report)
        );
    }
}

#[test]
fn the_bad_example_of_a_missing_slot_misses_a_slot() {
    let site = TestSite::base();
    let code = runpress::diagnostics::codes::find("template.missing-slot").expect("the code");
    site.write(
        "templates/shell.html",
        format!(
            "<!doctype html><html lang=\"en\"><head>{{{{ head }}}}</head>{}</html>",
            code.bad
        ),
    );
    assert!(
        site.runpress(&["check"])
            .stderr
            .contains("template.missing-slot"),
        "{}",
        site.runpress(&["check"]).stderr
    );
}
