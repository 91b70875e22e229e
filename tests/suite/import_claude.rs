//! Sessions of Claude Code: the cost and the counts of current versions, forks, and counts that are lower bounds.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Ran, TestSite, codes, fixture};

const ORIGINAL: &str = "5d000000-0000-4000-8000-000000000002";
const FORK: &str = "5d000000-0000-4000-8000-000000000012";

/// Imports a sample, or a part of it, as runs of one case.
fn import(site: &TestSite, sample: &str) -> Ran {
    let path = fixture(&format!("cases/{sample}"));
    let path = path.to_str().expect("UTF-8");
    site.runpress(&["import", path, "--case", "case", "--report", "json"])
}

/// The records of a site by id.
fn records(site: &TestSite) -> Vec<(String, Value)> {
    let folders = fs::read_dir(site.path("content/runs")).expect("a folder");
    let mut records: Vec<(String, Value)> = folders
        .map(|folder| {
            let record = folder.expect("a folder").path().join("run-record.json");
            let record = fs::read_to_string(record).expect("a record");
            let record: Value = serde_json::from_str(&record).expect("JSON");
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
    format!(
        "{}/{}/{}",
        tokens["uncachedInput"], tokens["cachedInput"], tokens["output"]
    )
}

#[test]
fn the_cost_of_a_session_is_its_last_counter_and_settings_are_no_events() {
    let site = TestSite::empty();
    let ran = import(&site, "claude-cost");
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let (_, record) = records(&site).remove(0);
    assert_eq!(record["metrics"]["cost"]["actual"], json!(0.051_924_6));
    assert_eq!(record["import"].get("estimated"), None);
    assert_eq!(record["import"].get("lowerBounds"), None);
    assert_eq!(tokens(&record), "530/10300/100");
    assert_eq!(record["import"]["withheld"]["bookkeeping"], 8);
    let trace = site.text("content/runs/case-5d000000/import.trace.jsonl");
    assert!(!trace.contains(r#""type":"unknown""#), "{trace}");
    assert_eq!(codes(&site.publish()), [""; 0]);
    assert!(only_page(&site).contains("$0.0519246"));
}

#[test]
fn a_fork_and_its_original_are_two_runs_in_any_order() {
    let both = |site: &TestSite| {
        let records = records(site);
        let ids: Vec<&str> = records.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, [ORIGINAL, FORK]);
        let counts: Vec<String> = records.iter().map(|(_, record)| tokens(record)).collect();
        assert_eq!(counts, ["100/0/50", "200/0/60"], "each its own responses");
        assert_eq!(records[1].1["import"]["ids"]["forkedFrom"], ORIGINAL);
        records
    };
    let [original, fork] = [ORIGINAL, FORK].map(|id| format!("claude-fork/{id}.jsonl"));
    let together = TestSite::empty();
    assert_eq!(import(&together, "claude-fork").status, Some(0));
    let expected = both(&together);
    for order in [[&original, &fork], [&fork, &original]] {
        let site = TestSite::empty();
        for log in order {
            let ran = import(&site, log);
            assert_eq!(ran.status, Some(0), "{}", ran.stderr);
            assert!(!ran.stderr.contains("--update"), "{}", ran.stderr);
        }
        assert_eq!(both(&site), expected);
        // Both together are the runs that each is alone.
        let ran = import(&site, "claude-fork");
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        assert!(ran.stderr.contains("2 unchanged"), "{}", ran.stderr);
    }
}

#[test]
fn a_count_of_the_beginning_of_a_response_is_a_lower_bound_everywhere() {
    let site = TestSite::empty();
    let ran = import(&site, "claude-placeholder-tokens");
    assert!(ran.stderr.contains("import.lower-bound"), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
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
    assert!(csv.trim_end().ends_with("\"tokens.output\""), "{csv}");
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
    import(&site, "claude-placeholder-tokens");
    import(&site, "claude-fork");
    site.publish();
    // The ranges are those of the two complete runs.
    let range = "50 to 60";
    let cards = site.json("feeds/runs.json");
    let cards = cards["runs"].as_array().expect("runs").iter();
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
