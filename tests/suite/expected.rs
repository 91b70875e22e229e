//! Problems of runs that a site expects (`[[expect]]`): they are notes, which show the reason.

use crate::shards::{merge, shard};
use crate::support::{FIRST, FIRST_ID, FIRST_SLUG, TestSite, codes, contains, fixture};

const REASON: &str = "Changed on purpose, as a sample.";

/// The base site with an event that does not follow from the raw log, and an expectation of it.
fn site(code: &str, run: &str) -> TestSite {
    let site = TestSite::base().overlay(&fixture("codes/raw.event-differs"));
    site.settings(&format!(
        "[[expect]]\ncode = \"{code}\"\nrun = \"{run}\"\nreason = \"{REASON}\""
    ));
    site
}

#[test]
fn an_expected_problem_is_a_note_with_the_reason() {
    for run in [FIRST, &format!("{FIRST}/"), FIRST_ID] {
        let site = site("raw.event-differs", run);
        site.runpress("build --deny warnings").ok();
        let feed = site.json("feeds/diagnostics.json");
        let problem = &feed["diagnostics"][0];
        assert_eq!(problem["code"], "raw.event-differs");
        assert_eq!(problem["severity"], "note");
        assert_eq!(problem["help"], format!("Expected: {REASON}"));
        for page in ["problems", &format!("runs/{FIRST_SLUG}")] {
            contains(&site.text(&format!("public/{page}/index.html")), REASON);
        }
    }
}

#[test]
fn an_error_that_a_policy_makes_of_a_warning_can_be_expected() {
    let site = site("raw.event-differs", FIRST);
    site.settings("[policy]\nraw_audit = \"error\"");
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
        site.runpress("check --deny warnings").exits(1);
    }
}

#[test]
fn secrets_errors_and_unknown_codes_cannot_be_expected() {
    for code in ["secret.llm", "annotation.invalid-span", "raw.event-difers"] {
        let checked = site(code, FIRST).runpress("check").exits(2);
        checked.says("config.invalid-value");
    }
    let without_reason = site("raw.event-differs", FIRST);
    without_reason
        .replace("site.toml", REASON, " ")
        .runpress("check")
        .exits(2);
}

#[test]
fn an_expectation_that_is_added_later_or_in_parts_gives_the_same_site() {
    let site = site("raw.event-differs", FIRST);
    let settings = site.text("site.toml");
    let (others, _) = settings.split_once("[[expect]]").expect("an entry");
    site.write("site.toml", others).publish();
    site.write("site.toml", &settings).publish();
    let whole = site.json("feeds/diagnostics.json")["diagnostics"].clone();
    assert_eq!(whole[0]["severity"], "note");
    site.remove("public");
    (1..=2).for_each(|number| drop(shard(&site, number, 2)));
    merge(&site, &[2, 1]);
    assert_eq!(site.json("feeds/diagnostics.json")["diagnostics"], whole);
}
