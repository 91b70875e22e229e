//! Run records of every age: what each sub-version lacks is shown as unknown, never as 0.

use crate::support::{FIRST, Run, TestSite, codes, compact, described, fixture_text, raw};

/// The base site with another record, published without anything to report.
fn published(record: &str) -> TestSite {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/run-record.json"),
        fixture_text(&format!("records/{record}.json")),
    );
    let outcome = site.publish();
    assert_eq!(codes(&outcome), [""; 0], "{record}");
    site
}

/// The cells of the one row of a table, by the words of its heads.
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
    assert_eq!(page.beside("Install"), ["never attempted"]);
    assert_eq!(page.beside("Build"), ["never reached"]);
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
        ("0.9", "—")
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
    assert_eq!(page.beside("uncached input, tokens"), ["18,211", "—"]);
    assert_eq!(page.beside("comparable cost"), ["$0.4210", "—"]);
    assert_eq!(page.beside("actual cost"), ["$0.00", "—"]);
    assert!(page.main().contains("did not load"));
    let row = row(&site, "cases/pong/index.html");
    assert_eq!(cell(&row, "Comparable cost"), "$0.4210");
    assert_eq!(cell(&row, "State"), "failed");
}

#[test]
fn later_records_show_what_is_unknown_as_a_dash_and_never_as_zero() {
    let site = published("5-later");
    let slug = "pong-gg-sample-lark-1-4f1c2d3e";
    let page = site.page(&format!("runs/{slug}/index.html"));
    assert_eq!(page.beside("uncached input, tokens"), ["1,000", "—"]);
    assert_eq!(page.beside("cached input, tokens"), ["—", "—"]);
    assert_eq!(page.beside("reasoning, tokens"), ["0", "—"]);
    assert_eq!(page.beside("comparable cost"), ["—", "—"]);
    assert_eq!(page.beside("actual cost"), ["$0.00", "—"]);
    assert_eq!(
        page.beside("all tokens (a class is not reported)"),
        ["1,020", "—"]
    );
    assert_eq!(page.beside("Authentication"), ["subscription"]);
    assert_eq!(page.beside("Orchestrator"), ["ralph"]);
    assert_eq!(page.beside("Engine"), ["simple-2d"]);
    assert_eq!(page.beside("Engine version"), ["2.1"]);
    assert_eq!(page.beside("Test type"), ["full-stack"]);
    assert_eq!(page.beside("A run of the game"), ["video", "present", ""]);
    assert!(
        page.texts("header .badge")
            .contains(&"catastrophic".to_owned())
    );
    let row = row(&site, "cases/pong/index.html");
    for (head, expected) in [
        ("Cached input", "—"),
        ("Reasoning", "0"),
        ("Comparable cost", "—"),
        ("Actual cost", "$0.00"),
        ("State", "catastrophic"),
    ] {
        assert_eq!(cell(&row, head), expected, "{head}");
    }
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
    let path = format!("{FIRST}/run-record.json");
    site.replace(
        &path,
        r#"{ "uncachedInput": 18211, "cachedInput": 90440, "output": 7021, "reasoning": 3300 }"#,
        "{}",
    );
    site.publish();
    let page = site.first_page();
    assert_eq!(page.beside("all tokens"), ["—", "—"]);
    assert_eq!(page.all("svg.bar").len(), 0);
}

#[test]
fn other_documents_are_told_what_they_are() {
    for (text, said) in [
        (r#"{"_type":"run_record","id":"x"}"#, "a Harn run record"),
        (r#"{"_type":"transcript","version":2}"#, "a Harn transcript"),
        (
            r#"{"annotations":[]}"#,
            "an annotations state of the Agent Host Protocol",
        ),
        (
            "{\"type\":\"header\",\"version\":1,\"harn_version\":\"1\"}\n{\"type\":\"record\"}\n",
            "a Harn tape",
        ),
        (
            "{\"type\":\"header\",\"schema_version\":1}\n{\"type\":\"annotation\"}\n",
            "an annotation sidecar",
        ),
        (
            "{\"timestamp\":\"t\",\"type\":\"agent\",\"message\":\"m\"}\n{}\n",
            "an event log",
        ),
    ] {
        let site = TestSite::base();
        site.write(&format!("{FIRST}/run-record.json"), text);
        let outcome = site.check();
        assert_eq!(codes(&outcome), ["record.wrong-document"], "{text}");
        assert!(
            outcome.diagnostics[0].message.contains(said),
            "{}",
            outcome.diagnostics[0].message
        );
    }
}

#[test]
fn every_problem_of_a_record_is_reported_at_once_with_its_pointer() {
    let site = TestSite::base();
    let path = format!("{FIRST}/run-record.json");
    site.replace(&path, "\"2026-03-01T10:00:00Z\"", "\"noon\"");
    site.replace(&path, "7021", "7021.5");
    site.replace(&path, "0.4210", "1e999");
    site.replace(&path, "0.9731", "-0.1");
    site.replace(&path, "\"loaded\": true", "\"loaded\": \"yes\"");
    site.replace(
        &path,
        "\"https://git.example.org/runs/4f1c2d3e\"",
        "\"//evil.example\"",
    );
    let outcome = site.check();
    let found: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|d| (d.code.name, d.place.pointer.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(
        found,
        [
            ("record.invalid-timestamp", "/startedAt"),
            ("record.invalid-metric", "/metrics/tokens/output"),
            ("record.invalid-metric", "/metrics/cost/comparable"),
            ("record.wrong-type", "/validation/loaded"),
            (
                "record.similarity-out-of-range",
                "/validation/checks/0/similarity"
            ),
            ("record.invalid-link", "/links/sourceRepo"),
        ]
    );
}

#[test]
fn one_broken_file_never_hides_the_next() {
    let site = TestSite::base();
    site.write(&format!("{FIRST}/run-record.json"), "{");
    site.write(&format!("{FIRST}/events.jsonl"), "{\n");
    site.write(&format!("{FIRST}/events.jsonl.annotations.jsonl"), "{\n");
    site.write("content/runs/second/run-record.json", "[]");
    assert_eq!(
        codes(&site.check()),
        [
            "events.unparsable-line",
            "sidecar.malformed-line",
            "record.syntax",
            "record.wrong-type"
        ]
    );
}

#[test]
fn numbers_at_the_ends_of_the_format_are_no_reason_to_stop() {
    let site = TestSite::base();
    let path = format!("{FIRST}/run-record.json");
    site.replace(&path, "612.5", "1.7e308");
    site.replace(&path, "18211", "99999999999999999999999999");
    site.replace(&path, "0.4210", "1e-300");
    site.replace(&path, "2026-03-01T10:00:00Z", "0000-01-01T00:00:00Z");
    site.replace(&path, "2026-03-01T10:10:12Z", "9999-12-31T23:59:60-23:59");
    let ran = site.runpress(&["build"]);
    assert!(
        matches!(ran.status, Some(0 | 1)) && !ran.stderr.contains("panicked"),
        "{}",
        ran.stderr
    );
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
fn names_that_are_empty_are_an_error_each() {
    for name in ["", " ", "\u{a0}"] {
        let site = TestSite::empty();
        site.run("a", &Run::new("0000000a-1").model(name).case(name));
        let outcome = site.check();
        assert_eq!(
            codes(&outcome),
            ["record.empty-name"; 2],
            "{:?}",
            described(&outcome)
        );
        let pointers: Vec<_> = outcome
            .diagnostics
            .iter()
            .map(|problem| problem.place.pointer.clone().unwrap_or_default())
            .collect();
        assert_eq!(pointers, ["/subject/modelId", "/subject/testCaseSlug"]);
    }
}
