//! Problems of runs that a site expects (`[[expect]]`): they are notes, which show the reason.

use serde_json::json;

use crate::shards::{merge, shard};
use crate::support::{FIRST, FIRST_SLUG, TestSite, codes, fixture};

const FIRST_ID: &str = "4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11";
const REASON: &str = "Changed on purpose, as a sample.";

/// The base site with an event that does not follow from the raw log, and an expectation of it.
fn site(code: &str, run: &str) -> TestSite {
    let site = TestSite::base().overlay(&fixture("codes/raw.event-differs"));
    let settings = site.text("site.toml");
    let expected =
        format!("[[expect]]\ncode = \"{code}\"\nrun = \"{run}\"\nreason = \"{REASON}\"\n");
    site.write("site.toml", format!("{settings}\n{expected}"));
    site
}

#[test]
fn an_expected_problem_is_a_note_with_the_reason() {
    for run in [FIRST, &format!("{FIRST}/"), FIRST_ID] {
        let site = site("raw.event-differs", run);
        let built = site.runpress(&["build", "--deny", "warnings"]);
        assert_eq!(built.status, Some(0), "{}", built.stderr);
        let feed = site.json("feeds/diagnostics.json");
        let problem = &feed["diagnostics"][0];
        assert_eq!(problem["code"], "raw.event-differs");
        assert_eq!(problem["severity"], "note");
        assert_eq!(problem["help"], json!(format!("Expected: {REASON}")));
        for page in ["problems", &format!("runs/{FIRST_SLUG}")] {
            let page = site.text(&format!("public/{page}/index.html"));
            assert!(page.contains(REASON));
        }
    }
}

#[test]
fn an_error_that_a_policy_makes_of_a_warning_can_be_expected() {
    let site = site("raw.event-differs", FIRST);
    let settings = site.text("site.toml");
    site.write(
        "site.toml",
        format!("[policy]\nraw_audit = \"error\"\n{settings}"),
    );
    assert_eq!(codes(&site.publish()), ["raw.event-differs"]);
}

#[test]
fn an_expectation_of_another_run_or_problem_changes_nothing_and_is_reported() {
    for (code, run) in [
        ("raw.event-differs", "content/runs/second"),
        ("raw.wrong-type", FIRST),
    ] {
        let site = site(code, run);
        let found = codes(&site.publish());
        assert_eq!(found, ["raw.event-differs", "config.unused-expectation"]);
        let built = site.runpress(&["check", "--deny", "warnings"]);
        assert_eq!(built.status, Some(1));
    }
}

#[test]
fn secrets_errors_and_unknown_codes_cannot_be_expected() {
    for code in ["secret.llm", "annotation.invalid-span", "raw.event-difers"] {
        let site = site(code, FIRST);
        let checked = site.runpress(&["check"]);
        assert_eq!(checked.status, Some(2));
        assert!(checked.stderr.contains("config.invalid-value"), "{code}");
    }
    let without_reason = site("raw.event-differs", FIRST);
    without_reason.replace("site.toml", REASON, " ");
    assert_eq!(without_reason.runpress(&["check"]).status, Some(2));
}

#[test]
fn an_expectation_that_is_added_later_or_in_parts_gives_the_same_site() {
    let site = site("raw.event-differs", FIRST);
    let settings = site.text("site.toml");
    let (others, _) = settings.split_once("[[expect]]").expect("an entry");
    site.write("site.toml", others);
    site.publish();
    site.write("site.toml", &settings);
    site.publish();
    let whole = site.json("feeds/diagnostics.json")["diagnostics"].clone();
    assert_eq!(whole[0]["severity"], "note");
    std::fs::remove_dir_all(site.path("public")).expect("a removal");
    (1..=2).for_each(|number| drop(shard(&site, number, 2)));
    merge(&site, &[2, 1]);
    assert_eq!(site.json("feeds/diagnostics.json")["diagnostics"], whole);
}
