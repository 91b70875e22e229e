//! Outcomes: results of scorers are shown verbatim with the run, and rank nothing.

use serde_json::{Value, json};

use crate::support::{Run, TestSite, codes, contains, described, raw};

fn outcomes() -> Value {
    json!([
        {"name": "reward", "value": 1.0, "scorer": "verifier", "kind": "reward", "valid": false, "reason": "AgentTimeoutError"},
        {"name": "resolved", "value": "C", "scorer": "match"},
        {"name": "tests", "value": {"failed": [1, 2], "passed": 3}},
        {"name": "style", "value": null, "scorer": "judge", "reason": "unparsable answer"},
    ])
}

/// The base run with these outcomes.
fn with(outcomes: Value) -> TestSite {
    let site = TestSite::base();
    site.edit_first(|record| record["outcomes"] = outcomes);
    site
}

#[test]
fn the_page_of_a_run_shows_its_outcomes_as_recorded_with_what_speaks_against_them() {
    let site = with(outcomes());
    assert_eq!(described(&site.publish()), [""; 0]);
    let page = site.first_page();
    let reward = page.beside("reward");
    assert_eq!(
        reward,
        ["1.0", "verifier", "reward", "not valid, AgentTimeoutError"]
    );
    assert_eq!(page.beside("resolved")[..2], ["C", "match"]);
    assert_eq!(page.beside("tests")[0], r#"{"failed":[1,2],"passed":3}"#);
    assert_eq!(page.beside("style")[0], "—");
    // No color marks one as good.
    let table = page.one("section[aria-labelledby=outcomes] table");
    assert!(!table.html().contains("b-good"));
    let without = TestSite::base();
    without.publish();
    assert!(without.first_page().all("#outcomes").is_empty());
}

#[test]
fn an_outcome_without_output_tokens_says_so() {
    let site = with(json!([{"name": "reward", "value": 1}, {"name": "style", "value": null}]));
    let path = "content/runs/first/run-record.json";
    site.replace(path, "\"output\":7021", "\"output\":0");
    site.publish();
    let page = site.first_page();
    assert_eq!(page.beside("reward")[3], "no output tokens recorded");
    assert_eq!(page.beside("style")[3], "");
}

#[test]
fn a_table_has_columns_for_50_outcomes_and_counts_the_others() {
    let outcomes = (0..52).map(|n| json!({"name": format!("score {n}"), "value": n}));
    let site = with(outcomes.collect());
    site.publish();
    let page = site.page("cases/pong/index.html");
    assert_eq!(page.all("th[data-col^=outcome-]").len(), 50);
    let main = page.main();
    assert!(main.contains("2 more outcomes of these runs"), "{main}");
}

#[test]
fn each_outcome_of_a_scorer_is_a_column_of_the_comparable_set() {
    let site = TestSite::empty();
    site.run_with("a", &Run::new("aaaaaaaa-1"), |record| {
        record["outcomes"] = json!([{"name": "reward", "value": 1, "scorer": "verifier"}]);
    });
    site.run_with("b", &Run::new("bbbbbbbb-1"), |record| {
        record["outcomes"] =
            json!([{"name": "reward", "value": 7, "scorer": "judge", "valid": false}]);
    });
    site.run("c", &Run::new("cccccccc-1"));
    site.publish();
    let page = site.page("cases/pong/index.html");
    let heads = "th[data-col^=outcome-]";
    assert_eq!(page.texts(heads), ["reward"; 2]);
    contains(&page.attrs(heads, "title").concat(), "verifier");
    // An invalid one is marked.
    page.says("7 *");
}

#[test]
fn feeds_repeat_outcomes_to_the_digit() {
    let site = with(json!([{"name": "reward", "value": 1.50, "scorer": "v"}]));
    site.replace(
        "content/runs/first/run-record.json",
        "\"value\":1.5",
        "\"value\":1.500",
    );
    site.publish();
    for feed in ["feeds/runs.json", "feeds/runs.jsonl"] {
        let text = site.text(&format!("public/{feed}"));
        assert!(
            text.contains(r#""outcomes":[{"name":"reward","value":1.500,"scorer":"v"}]"#),
            "{feed}: {text}"
        );
    }
    let csv = site.text("public/feeds/runs.csv");
    contains(
        &csv,
        r#""[{""name"":""reward"",""value"":1.500,""scorer"":""v""}]""#,
    );
    let document = site.first_document();
    assert_eq!(raw(&document, "/record/outcomes/0/value"), "1.500");
    let without = TestSite::base();
    without.publish();
    assert!(!without.text("public/feeds/runs.json").contains("outcomes"));
}

#[test]
fn a_comparison_brings_the_outcomes_of_each_run() {
    let site = with(outcomes());
    site.publish();
    let published = site.published();
    let found = published.iter().any(|(path, bytes)| {
        let text = String::from_utf8_lossy(bytes);
        path.starts_with("compare/")
            && text.contains("reward (verifier)")
            && text.contains("1.0, not valid, AgentTimeoutError")
    });
    assert!(found, "{:?}", published.keys());
}

#[test]
fn outcomes_of_another_shape_are_warnings_and_the_run_is_shown_without_them() {
    for (outcomes, code) in [
        (json!({"reward": 1}), "record.wrong-type"),
        (json!([{"value": 1}]), "record.missing-field"),
        (json!([{"name": "a", "valid": "yes"}]), "record.wrong-type"),
        (
            json!([{"name": "a", "value": 1, "vlaue": 2}]),
            "record.unknown-key",
        ),
    ] {
        let site = with(outcomes.clone());
        let outcome = site.publish();
        assert!(
            codes(&outcome).contains(&code)
                || described(&outcome).iter().any(|line| line.contains(code)),
            "{outcomes}: {:?}",
            described(&outcome)
        );
    }
}

#[test]
fn provenance_shows_what_a_run_was_imported_from() {
    let site = TestSite::base();
    site.edit_first(|record| {
        record["import"] =
            json!({"format": "codex", "importerVersion": 1, "ids": {"session": "s-<b>1"}});
    });
    assert_eq!(described(&site.publish()), [""; 0]);
    let page = site.first_page();
    for part in ["What the run was imported from", "codex", "s-<b>1"] {
        page.says(part);
    }
    contains(&site.first_text("run.json"), "importerVersion");
}
