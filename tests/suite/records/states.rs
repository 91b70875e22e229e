//! The effects of a run's state: whether it can be published, and whether it needs a review.

use super::spaced;
use crate::support::{FIRST, Run, TestSite, codes};

#[test]
fn runs_that_the_machine_or_the_operator_ended_are_left_out_and_counted() {
    let site = TestSite::base();
    for (folder, id, state) in [
        ("b", "0000000b-1", "infrastructure"),
        ("c", "0000000c-1", "canceled"),
    ] {
        site.run(folder, &Run::new(id).state(state));
        site.write(&format!("content/runs/{folder}/events.jsonl"), "{\n");
    }
    let outcome = site.publish();
    assert_eq!(
        codes(&outcome),
        ["record.never-published", "record.never-published"],
        "their other files are not read"
    );
    assert_eq!((outcome.runs, outcome.not_published), (1, 2));
    let feed = site.json("feeds/runs.json");
    assert_eq!(feed["runs"].as_array().map(Vec::len), Some(1));
    let problems = site.page("problems/index.html");
    let listed = spaced(problems.one("section[aria-labelledby=not-published]"));
    assert!(
        listed.contains("2 runs ended in a state that is not published")
            && listed.contains("2 problems in content that is not published"),
        "{listed}"
    );
    assert!(
        !site
            .path("public/runs/pong-codex-sample-lark-1-0000000b")
            .exists()
    );
    let ran = site.runpress(&["check", "--deny", "warnings"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("1 run, 2 runs not published"),
        "{}",
        ran.stderr
    );
    let junit = site.runpress(&["check", "--report", "junit"]).stdout;
    assert_eq!(junit.matches("<skipped").count(), 2, "{junit}");
}

#[test]
fn a_stopped_run_whose_record_is_broken_is_not_named_by_the_site_either() {
    let site = TestSite::base();
    let record = Run::new("s3cret-b-1").state("canceled").record();
    let record = record.replace("\"runTimeSeconds\": 600", "\"runTimeSeconds\": \"s3cret\"");
    site.write("content/runs/s3cret/run-record.json", record);
    let outcome = site.build();
    assert!(!outcome.published, "an error is an error");
    let outcome = site.build_with(&runpress::api::site::Overrides {
        keep_going: true,
        ..Default::default()
    });
    assert!(outcome.published, "{:?}", codes(&outcome));
    assert_eq!((outcome.quarantined, outcome.not_published), (0, 1));
    assert!(codes(&outcome).contains(&"record.wrong-type"));
    for (path, bytes) in site.published() {
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !path.contains("s3cret") && !text.contains("s3cret"),
            "{path}"
        );
    }
}

#[test]
fn only_completed_runs_need_a_review() {
    for state in [
        "catastrophic",
        "timed_out",
        "harness_error",
        "limit_exceeded",
        "hung",
        "failed",
        "unevaluable",
        "some_new_state",
        "Completed",
    ] {
        let site = TestSite::base();
        site.write(
            "site.toml",
            "[site]\nbase_url = \"https://runs.example.org/\"\n[policy]\nrequire_review = true\n",
        );
        site.run("b", &Run::new("0000000b-1").state(state));
        let outcome = site.publish();
        assert_eq!(codes(&outcome), [""; 0], "{state}");
        let page = site.page("runs/pong-codex-sample-lark-1-0000000b/index.html");
        assert!(
            page.texts(".verdict li").contains(&state.replace('_', " ")),
            "the word of the record is shown in plain words"
        );
    }
}

#[test]
fn one_completed_run_without_a_review_stops_the_batch_unless_the_rest_is_asked_for() {
    let site = TestSite::base();
    let policy =
        "[site]\nbase_url = \"https://runs.example.org/\"\n[policy]\nrequire_review = true\n";
    site.write("site.toml", policy);
    site.run("b", &Run::new("0000000b-1"));
    let outcome = site.build();
    assert_eq!(codes(&outcome), ["review.missing"]);
    assert!(!outcome.published);
    site.write(
        "site.toml",
        format!("{policy}on_invalid = \"quarantine\"\n"),
    );
    let outcome = site.build();
    assert_eq!(codes(&outcome), ["review.missing"]);
    assert!(outcome.published && outcome.quarantined == 1 && outcome.runs == 1);
    assert!(
        site.page("problems/index.html")
            .main()
            .contains("The run is completed, but has no review"),
        "and the error is still told"
    );
}

/// A site with the word `s3cret` in everything that is never published: stopped runs, a draft, a nested run.
fn full_of_what_is_not_published() -> TestSite {
    let site = TestSite::base();
    for (folder, id, state) in [
        ("s3cret-b", "s3cret-b-1", "infrastructure"),
        ("s3cret-c", "s3cret-c-1", "canceled"),
    ] {
        let record = Run::new(id).state(state).record();
        let record = record.replacen('{', "{\"s3cretKey\": \"s3cret\", \"sharedKey\": 1,", 1);
        let mut record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
        record["status"]["detail"] = "s3cret detail".into();
        record["subject"]["modelId"] = "s3cret/model".into();
        site.write(
            &format!("content/runs/{folder}/run-record.json"),
            record.to_string(),
        );
    }
    let path = format!("{FIRST}/run-record.json");
    let shared = site.text(&path).replacen('{', "{\"sharedKey\": 1,", 1);
    site.write(&path, shared);
    site.write(
        &format!("{FIRST}/s3cret-nested/run-record.json"),
        Run::new("s3cret-nested-1").record(),
    );
    site.write(
        "content/pages/s3cret-plan.md",
        "+++\ntitle = \"s3cret\"\ndraft = true\n+++\n\n![s3cret](javascript:s3cret)\n",
    );
    site.write("content/cases/s3cret-case.md", "s3cret");
    site.write(
        "content/withdrawn.toml",
        "[[run]]\nid = \"s3cret-b-1\"\nreason = \"s3cret\"\n",
    );
    site
}

#[test]
fn unpublished_problems_are_in_no_file_of_the_site_and_all_are_in_the_reports() {
    let site = full_of_what_is_not_published();
    site.publish();
    for (path, bytes) in site.published() {
        assert!(!path.contains("s3cret"), "{path}");
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("s3cret"), "{path}: {text}");
    }
    let listed = site.page("problems/index.html").main();
    assert!(
        listed.contains("2 runs ended in a state that is not published"),
        "{listed}"
    );
    assert!(
        listed.contains("sharedKey"),
        "what a published run has, too, is listed: {listed}"
    );
    let summary = &site.json("feeds/diagnostics.json")["summary"];
    let ran = site.runpress(&["check", "--report", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let count = |summary: &serde_json::Value, key: &str| summary[key].as_u64().expect("a number");
    let all = ["errors", "warnings", "notes"];
    let sum = |summary: &serde_json::Value| all.iter().map(|key| count(summary, key)).sum::<u64>();
    assert_eq!(
        sum(summary) + count(summary, "withheld"),
        sum(&report["summary"])
    );
    for told in [
        "s3cret-b/run-record.json",
        "s3cret-c/run-record.json",
        "s3cret-nested",
        "s3cret-plan.md",
        "s3cret-case.md",
        "`s3cret-b-1`",
        "s3cretKey",
    ] {
        assert!(ran.stdout.contains(told), "{told} in {}", ran.stdout);
    }
    let console = site.runpress(&["check"]);
    assert!(
        console.stderr.contains("s3cret-nested"),
        "{}",
        console.stderr
    );
}
