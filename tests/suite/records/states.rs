//! The effects of a run's state: whether it can be published, and whether it needs a review.

use super::spaced;
use serde_json::Value;

use crate::support::{Run, TestSite, codes, contains, entries};

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
    assert_eq!(entries(&feed["runs"]).len(), 1);
    let problems = site.page("problems/index.html");
    let listed = spaced(problems.one("section[aria-labelledby=not-published]"));
    contains(&listed, "2 runs ended in a state that is not published");
    contains(&listed, "2 problems in content that is not published");
    assert!(!site.is_published("runs/pong-codex-sample-lark-1-0000000b"));
    let ran = site.runpress("check --deny warnings").ok();
    ran.says("1 run, 2 runs not published");
    let junit = site.runpress("check --report junit").stdout;
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
    let outcome = site.keep_going();
    assert_eq!((outcome.quarantined, outcome.not_published), (0, 1));
    assert!(codes(&outcome).contains(&"record.wrong-type"));
    assert_eq!(site.published_with("s3cret"), [""; 0]);
}

#[test]
fn only_completed_runs_need_a_review() {
    let site = TestSite::base();
    site.settings("[policy]\nrequire_review = true");
    let states = "catastrophic timed_out harness_error limit_exceeded hung failed unevaluable some_new_state Completed";
    for (number, state) in states.split(' ').enumerate() {
        site.run(state, &Run::new(&format!("0000000{number}-1")).state(state));
    }
    assert_eq!(codes(&site.publish()), [""; 0]);
    for (number, state) in states.split(' ').enumerate() {
        let slug = format!("pong-codex-sample-lark-1-0000000{number}");
        let words = site
            .page(&format!("runs/{slug}/index.html"))
            .texts(".verdict li");
        // The word of the record is shown in plain words.
        assert!(
            words.contains(&state.replace('_', " ")),
            "{state}: {words:?}"
        );
    }
}

#[test]
fn one_completed_run_without_a_review_stops_the_batch_unless_the_rest_is_asked_for() {
    let site = TestSite::base();
    site.settings("[policy]\nrequire_review = true");
    site.run("b", &Run::new("0000000b-1"));
    let outcome = site.build();
    assert_eq!(codes(&outcome), ["review.missing"]);
    assert!(!outcome.published);
    site.settings("on_invalid = \"quarantine\"");
    let outcome = site.build();
    assert_eq!(codes(&outcome), ["review.missing"]);
    assert!(outcome.published && outcome.quarantined == 1 && outcome.runs == 1);
    let problems = site.page("problems/index.html");
    problems.says("The run is completed, but has no review");
}

/// A site with the word `s3cret` in everything that is never published: stopped runs, a draft, a nested run.
fn full_of_what_is_not_published() -> TestSite {
    let site = TestSite::base();
    for (folder, id, state) in [
        ("s3cret-b", "s3cret-b-1", "infrastructure"),
        ("s3cret-c", "s3cret-c-1", "canceled"),
    ] {
        let run = Run::new(id).state(state).model("s3cret/model");
        site.run_with(folder, &run, |record| {
            record["s3cretKey"] = "s3cret".into();
            record["sharedKey"] = 1.into();
            record["status"]["detail"] = "s3cret detail".into();
        });
    }
    site.edit_first(|record| record["sharedKey"] = 1.into());
    site.write_first(
        "s3cret-nested/run-record.json",
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
    assert_eq!(site.published_with("s3cret"), [""; 0]);
    let problems = site.page("problems/index.html");
    problems.says("2 runs ended in a state that is not published");
    // What a published run has, too, is listed.
    problems.says("sharedKey");
    let summary = &site.json("feeds/diagnostics.json")["summary"];
    let ran = site.runpress("check --report json");
    let sum = |summary: &Value, keys: &[&str]| -> u64 {
        keys.iter()
            .map(|key| summary[key].as_u64().expect("a number"))
            .sum()
    };
    assert_eq!(
        sum(summary, &["errors", "warnings", "notes", "withheld"]),
        sum(&ran.json()["summary"], &["errors", "warnings", "notes"])
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
        ran.prints(told);
    }
    site.runpress("check").says("s3cret-nested");
}
