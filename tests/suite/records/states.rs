//! What the state of a run decides: whether it is ever published, and whether it needs a review.

use super::spaced;
use crate::support::{Run, TestSite, codes};

#[test]
fn runs_that_the_machine_or_the_operator_ended_are_left_out_and_listed() {
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
        listed.contains("content/runs/b : infrastructure")
            && listed.contains("content/runs/c : canceled"),
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
            page.texts("header .badge").contains(&state.to_owned()),
            "the word of the record is shown as it is"
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
