//! Run records of all versions: values that a version lacks are shown as unknown, never as 0.

use crate::fuzz_targets::compact;
use crate::support::{Run, TestSite, codes, contains, first, fixture_text, lacks, raw};

/// The base site with another record, published without any problem.
fn published(record: &str) -> TestSite {
    let site = TestSite::base();
    site.write_first(
        "run-record.json",
        fixture_text(&format!("records/{record}.json")),
    );
    let outcome = site.publish();
    assert_eq!(codes(&outcome), [""; 0], "{record}");
    site
}

/// The cells of a table's single row, by column header.
fn row(site: &TestSite, page: &str) -> Vec<(String, String)> {
    let page = site.page(page);
    let heads = page.texts("main table:not(.matrix) thead th");
    let cells = page.texts("main table:not(.matrix) tbody tr:not(.group) > *");
    assert_eq!(heads.len(), cells.len());
    heads.into_iter().zip(cells).collect()
}

fn cell(row: &[(String, String)], head: &str) -> String {
    row.iter()
        .find(|(name, _)| name == head)
        .unwrap_or_else(|| panic!("no column {head}: {row:?}"))
        .1
        .clone()
}

#[test]
fn the_oldest_records_have_comparisons_for_checks_and_no_variant() {
    let site = published("1-comparisons");
    let page = site.first_page();
    assert_eq!(page.beside("Variant"), ["—"]);
    assert_eq!(page.beside("Operating system"), ["—"]);
    assert_eq!(page.beside("Test Cabinet commit"), ["—"]);
    assert_eq!(page.beside("Game Over"), ["game-over", "0.88", ""]);
    assert_eq!(page.beside("Install"), ["not recorded"]);
    assert_eq!(page.beside("Build"), ["not recorded"]);
    assert!(
        page.main().contains("pong · v1.0.0"),
        "the title has no place for a variant that is not known"
    );
    let row = row(&site, "cases/pong/index.html");
    assert_eq!(cell(&row, "game-over"), "0.88");
    assert_eq!(
        site.page("cases/pong/index.html").texts("tr.group th"),
        ["Variant — 1 run"]
    );
    let card = site.json("feeds/runs.json");
    assert!(card["runs"][0]["subject"]["variant"].is_null());
    assert_eq!(
        card["runs"][0]["checks"][0],
        serde_json::json!({"view": "game-over", "name": "Game Over", "reached": true, "similarity": 0.88})
    );
}

#[test]
fn a_step_is_never_attempted_only_where_the_record_says_so_and_nothing_loaded() {
    let steps = |loaded: bool, rest: &str| {
        let site = TestSite::base();
        let path = first("run-record.json");
        let mut record: serde_json::Value =
            serde_json::from_slice(&std::fs::read(site.path(&path)).expect("a file"))
                .expect("a record");
        let validation = format!("{{\"loaded\": {loaded}{rest}}}");
        record["validation"] = serde_json::from_str(&validation).expect("a validation");
        site.write(&path, record.to_string());
        assert_eq!(codes(&site.publish()), [""; 0], "{validation}");
        let page = site.first_page();
        [page.beside("Install"), page.beside("Build")].concat()
    };
    let null = r#", "install": null, "build": null"#;
    assert_eq!(steps(false, null), ["never attempted", "never reached"]);
    for (loaded, rest) in [(false, ""), (true, ""), (true, null)] {
        assert_eq!(
            steps(loaded, rest),
            ["not recorded", "not recorded"],
            "{loaded} {rest}"
        );
    }
}

#[test]
fn the_feed_holds_the_similarity_of_a_view_that_was_not_reached_as_recorded() {
    let site = published("2-unnamed-checks");
    let card = site.json("feeds/runs.json");
    assert_eq!(
        card["runs"][0]["checks"][1],
        serde_json::json!({"view": "game-over", "name": "Game Over", "reached": false, "similarity": 0})
    );
    let legend = site.page("cases/pong/index.html").main();
    contains(
        &legend,
        "A dash means that the view was not reached, which is not a failure, or that the case version of the run does not have this check.",
    );
}

#[test]
fn checks_without_a_name_are_called_after_their_view() {
    let site = published("2-unnamed-checks");
    let page = site.first_page();
    assert_eq!(page.beside("In Play"), ["in-play", "0.9", ""]);
    assert_eq!(
        page.beside("Game Over"),
        [
            "game-over",
            "— not reached",
            "the ball never leaves the field"
        ]
    );
    let row = row(&site, "cases/pong/index.html");
    assert_eq!(
        (
            cell(&row, "in-play").as_str(),
            cell(&row, "game-over").as_str()
        ),
        ("0.90", "—")
    );
}

#[test]
fn records_with_an_environment_and_no_tooling_show_where_they_ran() {
    let site = published("3-environment");
    let page = site.first_page();
    assert_eq!(page.beside("Operating system"), ["Debian GNU/Linux 12"]);
    assert_eq!(page.beside("Node.js"), ["—"]);
    assert_eq!(page.beside("Test Cabinet commit"), ["—"]);
    assert_eq!(page.beside("Variant"), ["—"]);
    assert_eq!(page.beside("The Title"), ["title", "0.9731", ""]);
}

#[test]
fn records_of_the_seeds_time_show_everything() {
    let site = published("4-seed");
    let page = site.first_page();
    assert_eq!(page.beside("Variant"), ["frenzy"]);
    assert_eq!(
        page.beside("Test Cabinet commit"),
        ["0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c-dirty"]
    );
    assert_eq!(page.beside("Install"), ["succeeded npm ci"]);
    assert_eq!(page.beside("Build"), ["failed npm run build tsc: 3 errors"]);
    assert_eq!(page.beside("uncached input, tokens"), ["18,211"]);
    assert_eq!(page.beside("comparable cost"), ["$0.4210"]);
    assert_eq!(page.beside("actual cost"), ["$0.00"]);
    page.says("did not load");
    let row = row(&site, "cases/pong/index.html");
    assert_eq!(cell(&row, "Comparable cost"), "$0.42");
    assert_eq!(cell(&row, "State"), "failed");
}

#[test]
fn later_records_show_what_is_known_and_never_a_zero_for_the_rest() {
    let site = published("5-later");
    let slug = "pong-gg-sample-lark-1-4f1c2d3e";
    let page = site.page(&format!("runs/{slug}/index.html"));
    assert_eq!(page.beside("uncached input, tokens"), ["1,000"]);
    assert!(page.find("cached input, tokens").is_none());
    assert_eq!(page.beside("reasoning, tokens"), ["0"]);
    assert!(page.find("comparable cost").is_none());
    assert_eq!(page.beside("actual cost"), ["$0.00"]);
    assert_eq!(
        page.beside("all tokens (cached input is not reported)"),
        ["≥ 1,020"]
    );
    assert_eq!(page.beside("Authentication"), ["subscription"]);
    assert_eq!(page.beside("Orchestrator"), ["ralph"]);
    assert_eq!(page.beside("Engine"), ["simple-2d"]);
    assert_eq!(page.beside("Engine version"), ["2.1"]);
    assert_eq!(page.beside("Test type"), ["full-stack"]);
    assert_eq!(
        page.beside("A run of the game p-1"),
        ["video", "present", "p.webm", ""]
    );
    assert!(
        page.texts(".verdict li")
            .contains(&"catastrophic".to_owned())
    );
    let row = row(&site, "cases/pong/index.html");
    for (head, expected) in [
        ("Reasoning", "0"),
        ("Actual cost", "$0.00"),
        ("State", "catastrophic"),
    ] {
        assert_eq!(cell(&row, head), expected, "{head}");
    }
    let has = |head: &str| row.iter().any(|(name, _)| name == head);
    assert!(
        !has("Cached input") && !has("Comparable cost"),
        "no run has one: {row:?}"
    );
    let card = &site.json("feeds/runs.json")["runs"][0];
    assert!(
        card["metrics"]["tokens"]["cachedInput"].is_null()
            && card["metrics"]["cost"]["comparable"].is_null()
    );
    assert_eq!(card["metrics"]["tokens"]["reasoning"], 0);
    let document = site.text(&format!("public/runs/{slug}/run.json"));
    assert_eq!(
        compact(&raw(&document, "/record/codeAnalysis")),
        r#"{"files":12,"ratio":1.50}"#,
        "unknown keys are passed on"
    );
}

#[test]
fn a_total_without_any_reported_class_is_unknown() {
    let site = TestSite::base();
    let path = first("run-record.json");
    site.replace(
        &path,
        r#"{ "uncachedInput": 18211, "cachedInput": 90440, "output": 7021, "reasoning": 3300 }"#,
        "{}",
    );
    site.publish();
    let page = site.first_page();
    assert!(page.find("all tokens").is_none());
    assert_eq!(page.all("svg.bar").len(), 0);
}

#[test]
fn a_run_without_the_later_keys_says_nothing_of_them() {
    let site = published("1-comparisons");
    let page = site.first_page();
    for id in ["showcase", "game-jam", "debug-scripts"] {
        assert!(page.all(&format!("#{id}")).is_empty(), "{id}");
    }
    for words in ["Toolchain", "Code analysis", "Tool calls", "Time by stage"] {
        lacks(&page.main(), words);
    }
    assert_eq!(page.beside("Test type"), ["end-to-end"]);
    assert_eq!(page.beside("Orchestrator"), ["one-shot"]);
    assert_eq!(page.beside("Engine"), ["none"]);
    assert_eq!(page.beside("Authentication"), ["—"]);
    assert_eq!(page.beside("Seed commit"), ["—"]);
}

#[test]
fn unknown_harnesses_and_orchestrators_are_shown_by_their_slugs() {
    let site = TestSite::empty();
    let record = Run::new("0000000a-1").record();
    site.write(
        "content/runs/a/run-record.json",
        record.replace("\"codex\"", "\"my-own-harness\""),
    );
    site.publish();
    let page = site.page("runs/pong-my-own-harness-sample-lark-1-0000000a/index.html");
    assert_eq!(page.beside("Harness"), ["my-own-harness"]);
}
