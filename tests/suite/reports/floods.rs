//! Limits on the number of problems from one broken file.

use super::reports;
use crate::support::{HEADER, TestSite, annotation, codes, contains, described};

#[test]
fn a_file_with_very_many_bad_lines_lists_100_of_each_kind() {
    const LINES: usize = 50_000;
    let more = format!(
        "{} more problems of this kind in this file are not listed",
        LINES - 100
    );
    let header = r#"{"type":"header","version":1,"harn_version":"1"}"#;
    let files: [(&str, &str, String); 6] = [
        (
            "events.jsonl",
            "events.unparsable-line",
            "half\n".repeat(LINES),
        ),
        (
            "events.jsonl",
            "events.unknown-type",
            "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"x\"}\n".repeat(LINES),
        ),
        (
            "events.jsonl",
            "events.missing-field",
            "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\"}\n".repeat(LINES),
        ),
        (
            "run.tape",
            "tape.malformed-record",
            format!(
                "{header}\n{}",
                "{\"type\":\"record\",\"seq\":\"0\"}\n".repeat(LINES)
            ),
        ),
        (
            "events.jsonl.annotations.jsonl",
            "sidecar.malformed-line",
            format!("{HEADER}\n{}", "{\"type\":\"annotation\"}\n".repeat(LINES)),
        ),
        (
            "events.jsonl.annotations.jsonl",
            "annotation.unknown-event-id",
            format!(
                "{HEADER}\n{}",
                (0..LINES)
                    .map(|n| annotation(&n.to_string(), 99, "note", "") + "\n")
                    .collect::<String>()
            ),
        ),
    ];
    for (file, code, text) in files {
        let site = TestSite::base();
        if file == "events.jsonl" {
            site.unannotated();
        }
        site.write_first(file, text);
        let outcome = site.check();
        let found = codes(&outcome);
        let stops =
            matches!(code, "tape.malformed-record" | "sidecar.malformed-line") && found.len() < 101;
        if stops {
            // Loaders that refuse the whole file may stop at its first bad line.
            assert_eq!(found, [code], "{:?}", described(&outcome).first());
        } else {
            assert_eq!(found, [code; 101], "{:?}", described(&outcome).last());
            assert_eq!(
                outcome
                    .diagnostics
                    .iter()
                    .filter(|d| d.message == more)
                    .count(),
                1,
                "{code}: {more}"
            );
        }
    }
}

#[test]
fn threads_and_a_review_of_very_many_problems_list_100_of_a_kind() {
    let site = TestSite::base();
    let entries = "{\"id\":\"t\",\"entries\":3},".repeat(300);
    site.write_first(
        "annotations.json",
        format!("{{\"annotations\":[{}]}}", entries.trim_end_matches(',')),
    );
    site.write_first(
        "writeup.md",
        format!(
            "---\nrating: great\n---\n\n{}",
            "[x](javascript:a) ".repeat(5_000)
        ),
    );
    assert_eq!(
        most(&site),
        [
            (101, "review.unsafe-link"),
            (101, "threads.missing-field"),
            (101, "threads.wrong-type")
        ]
    );
}

#[test]
fn settings_and_front_matter_of_very_many_problems_list_100_of_a_kind() {
    let many = |line: &str| {
        (0..500)
            .map(|n| line.replace('N', &n.to_string()))
            .collect::<String>()
    };
    let site = TestSite::base();
    site.write_first(
        "writeup.md",
        format!(
            "---\n{}---\n\nText.\n",
            many("rating.dN: x\nreview.dN: x\n")
        ),
    );
    site.write(
        "content/pages/guide.md",
        format!("+++\n{}+++\n", many("kN = 1\n")),
    );
    assert_eq!(
        most(&site),
        [
            (101, "page.front-matter"),
            (101, "review.unknown-rating"),
            (101, "review.unknown-status")
        ]
    );
    site.write("site.toml", many("kN = 1\n"));
    let ran = site.runpress("check --report github");
    assert_eq!(ran.stdout.lines().count(), 101, "{}", ran.stdout);
}

#[test]
fn an_action_log_of_very_many_problems_lists_100_of_a_kind() {
    for (line, code) in [
        ("half", "threads.syntax"),
        ("{\"type\":3}", "threads.wrong-type"),
        (
            "{\"type\":\"annotations/removed\",\"annotationId\":\"gone\"}",
            "threads.no-target",
        ),
        ("{\"type\":\"starred\"}", "threads.unknown-action"),
    ] {
        let site = TestSite::base();
        let log: String = (0..5_000).map(|_| format!("{line}\n")).collect();
        site.write_first("annotations.actions.jsonl", log);
        assert_eq!(most(&site), [(101, code)]);
    }
}

#[test]
fn many_threads_are_read_in_time_that_grows_with_their_number() {
    let site = TestSite::base();
    let thread = "{\"id\":\"N\",\"turnId\":\"t\",\"resource\":\"a.ts\",\"resolved\":false,\"entries\":[{\"id\":\"1\",\"text\":\"x\"}]}";
    let threads: Vec<String> = (0..5_000)
        .map(|n| thread.replace('N', &n.to_string()))
        .collect();
    site.write_first(
        "annotations.json",
        format!("{{\"annotations\":[{}]}}", threads.join(",")),
    );
    assert_eq!(most(&site), [(101, "threads.missing-resource")]);
}

/// The number of listed problems of each code.
fn most(site: &TestSite) -> Vec<(usize, &'static str)> {
    let outcome = site.check();
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for code in codes(&outcome) {
        *counts.entry(code).or_default() += 1;
    }
    counts
        .into_iter()
        .map(|(code, count)| (count, code))
        .collect()
}

#[test]
fn fifty_thousand_bad_lines_are_counted_and_a_hundred_listed_in_every_format() {
    let site = TestSite::base();
    site.log("half\n".repeat(50_000));
    reports(&site, "check").ok();
    contains(
        &site.text("human"),
        "49900 more problems of this kind in this file are not listed",
    );
    assert_eq!(site.text("github").lines().count(), 101);
}

#[test]
fn input_quoted_by_a_parser_is_cut_and_kept_on_one_line() {
    let long = format!("a\\n\\u001b[31m{}", "x".repeat(100_000));
    let site = TestSite::base();
    site.annotate(&[annotation(
        "a",
        0,
        "hypothesis",
        &format!("\"hypothesis_status\":\"{long}\""),
    )]);
    let problem = site.check().diagnostics.remove(0);
    assert_eq!(problem.code.name, "sidecar.malformed-line");
    contains(&problem.message, "unknown variant `a");
    assert!(
        problem.message.chars().count() < 300,
        "{}",
        problem.message.len()
    );
    assert!(
        !problem.message.contains(['\n', '\u{1b}']),
        "{:?}",
        problem.message
    );
}
