//! Sessions in a site: forks, lower bounds, and runs of a case that was given on import.

use std::fs;

use serde_json::{Value, json};

use super::super::{facts, files_below, run};
use super::FORMAT;
use crate::support::{Ran, TestSite, codes, entries, fixture, parse};

const ORIGINAL: &str = "5d000000-0000-4000-8000-000000000002";
const FORK: &str = "5d000000-0000-4000-8000-000000000012";

/// Imports a sample, or a part of it, as runs of one case.
fn add(site: &TestSite, sample: &str) -> Ran {
    let path = fixture(&format!("cases/{sample}"));
    let path = path.to_str().expect("UTF-8");
    site.runpress(&format!("import {path} --case case --report json"))
}

/// The records of a site by id.
fn records(site: &TestSite) -> Vec<(String, Value)> {
    let folders = fs::read_dir(site.path("content/runs")).expect("a folder");
    let mut records: Vec<(String, Value)> = folders
        .map(|folder| {
            let record = folder.expect("a folder").path().join("run-record.json");
            let record = fs::read_to_string(record).expect("a record");
            let record = parse(&record);
            (record["id"].as_str().expect("an id").to_owned(), record)
        })
        .collect();
    records.sort_by(|a, b| a.0.cmp(&b.0));
    records
}

/// The text of the page of the only run of a published site.
fn only_page(site: &TestSite) -> String {
    let cards = site.json("feeds/runs.json");
    let slug = cards["runs"][0]["slug"].as_str().expect("a slug");
    site.text(&format!("public/runs/{slug}/index.html"))
}

fn tokens(record: &Value) -> String {
    let tokens = &record["metrics"]["tokens"];
    facts(tokens, "uncachedInput cachedInput output")
}

#[test]
fn the_cost_of_a_session_is_its_last_counter_and_settings_are_no_events() {
    let run = run(FORMAT, &files_below("cases/claude-cost"));
    run.states("actual estimated lowerBounds", "0.0519246 - -");
    assert_eq!(run.tokens(), "530/10300/100/-");
    assert_eq!(run.withheld("bookkeeping"), 8);
    assert_eq!(run.report.get("unknownRows"), None);
}

#[test]
fn a_fork_and_its_original_are_two_runs_in_any_order() {
    let both = |site: &TestSite| {
        let records = records(site);
        let ids: Vec<&str> = records.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, [ORIGINAL, FORK]);
        let counts: Vec<String> = records.iter().map(|(_, record)| tokens(record)).collect();
        assert_eq!(counts, ["100 0 50", "200 0 60"], "each its own responses");
        assert_eq!(records[1].1["import"]["ids"]["forkedFrom"], ORIGINAL);
        records
    };
    let [original, fork] = [ORIGINAL, FORK].map(|id| format!("claude-fork/{id}.jsonl"));
    let together = TestSite::empty();
    add(&together, "claude-fork").ok();
    let expected = both(&together);
    for order in [[&original, &fork], [&fork, &original]] {
        let site = TestSite::empty();
        for log in order {
            let ran = add(&site, log).ok();
            assert!(!ran.stderr.contains("--update"), "{}", ran.stderr);
        }
        assert_eq!(both(&site), expected);
        // Both together are the runs that each is alone.
        add(&site, "claude-fork").ok().says("2 unchanged");
    }
}

#[test]
fn a_count_of_the_beginning_of_a_response_is_a_lower_bound_everywhere() {
    let site = TestSite::empty();
    let ran = add(&site, "claude-placeholder-tokens");
    ran.says("import.lower-bound");
    let report = parse(&ran.stdout);
    let run = &report["runs"][0];
    assert_eq!(run["lowerBounds"], json!(["tokens.output"]));
    assert_eq!(run["warnings"][0]["code"], "import.lower-bound");
    let (_, record) = records(&site).remove(0);
    assert_eq!(record["import"]["lowerBounds"], json!(["tokens.output"]));
    assert_eq!(record["metrics"]["tokens"]["output"], 3);
    let trace = site.text("content/runs/case-5d000000/import.trace.jsonl");
    let bounds = trace.matches(r#""lowerBounds":["output"]"#).count();
    assert_eq!(bounds, 2, "{trace}");
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = only_page(&site);
    assert!(page.contains(">≥ 3<"), "the class");
    assert!(page.contains("output is a lower bound"), "the sums");
    assert!(page.contains("≥ 1"), "the event");
    let card = &site.json("feeds/runs.json")["runs"][0];
    assert_eq!(card["metrics"]["lowerBounds"], json!(["tokens.output"]));
    let csv = site.text("public/feeds/runs.csv");
    assert!(csv.contains(",\"tokens.output\","), "{csv}");
    let slug = card["slug"].as_str().expect("a slug");
    let run = site.json(&format!("runs/{slug}/run.json"));
    assert_eq!(
        run["record"]["import"]["lowerBounds"],
        json!(["tokens.output"])
    );
    let case = site.text("public/cases/case/index.html");
    assert!(case.contains("≥ 3"), "the table");
    assert!(case.contains("lower bound"), "{case}");
}

#[test]
fn a_lower_bound_is_not_compared_with_other_runs() {
    let site = TestSite::empty();
    site.write("content/cases/case.md", "+++\ntitle = \"The task\"\n+++\n");
    add(&site, "claude-placeholder-tokens");
    add(&site, "claude-fork");
    site.publish();
    // The ranges are those of the two complete runs.
    let range = "50 to 60";
    let cards = site.json("feeds/runs.json");
    let cards = entries(&cards["runs"]).iter();
    let slugs = cards.map(|card| card["slug"].as_str().expect("a slug"));
    let pages: Vec<String> = slugs
        .map(|slug| site.text(&format!("public/runs/{slug}/index.html")))
        .collect();
    assert_eq!(pages.len(), 3);
    for page in &pages {
        assert!(page.contains(range), "{page}");
        assert!(!page.contains("3 to 60"), "{page}");
    }
}

#[test]
fn runs_of_a_case_that_was_given_on_import_are_listed_and_not_compared() {
    let site = TestSite::empty();
    add(&site, "claude-placeholder-tokens");
    add(&site, "claude-fork");
    site.publish();
    for (_, record) in records(&site) {
        assert_eq!(record["import"]["given"], json!(["case"]));
    }
    let cards = site.json("feeds/runs.json");
    let cards = cards["runs"].as_array().expect("runs");
    for card in cards {
        assert_eq!(card["caseIsGiven"], true);
        let slug = card["slug"].as_str().expect("a slug");
        let page = site.page(&format!("runs/{slug}/index.html"));
        assert!(!page.main().contains("50 to 60"), "{slug}");
    }
    let case = site.page("cases/case/index.html");
    assert!(case.main().contains("a name that was given on import"));
    assert_eq!(case.all("table.reliability, .plots").len(), 0);
    assert_eq!(
        case.all("table.comparison tbody tr[data-run]").len(),
        cards.len()
    );
    let heads = case.texts("table.comparison thead th");
    assert!(!heads.contains(&"Rating".to_owned()), "{heads:?}");
    // A text about the case says what the task is.
    site.write("content/cases/case.md", "+++\ntitle = \"The task\"\n+++\n");
    site.publish();
    let case = site.page("cases/case/index.html");
    assert!(!case.main().contains("given on import"));
    assert_eq!(case.all("table.reliability").len(), 1);
}
