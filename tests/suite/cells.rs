//! Trials of cells: counted by what the site calls a success, with intervals that say how sure the numbers are.

use serde_json::{Value, json};

use crate::support::{Run, TestSite, below, contains, each, entries, event, lines, message, words};

/// A trial of a model. Its number is the minute in which it ended, and makes its id.
struct Trial {
    model: &'static str,
    number: usize,
    state: &'static str,
    outcomes: Value,
}

const LARK: &str = "sample/lark-1";
const WREN: &str = "sample/wren";

fn trial(model: &'static str, number: usize, state: &'static str) -> Trial {
    Trial {
        model,
        number,
        state,
        outcomes: json!([]),
    }
}

impl Trial {
    fn outcomes(mut self, outcomes: Value) -> Self {
        self.outcomes = outcomes;
        self
    }

    fn name(&self) -> String {
        format!("{}-{}", self.model.replace('/', "-"), self.number)
    }

    fn write(&self, site: &TestSite) {
        let (number, model) = (self.number, self.model);
        let id = format!("{number:08x}-8a60-4d2e-9a51-{:0>12}", model.len());
        let end = format!("2026-03-01T10:{number:02}:00Z");
        let run = Run::new(&id)
            .model(model)
            .state(self.state)
            .at("2026-03-01T10:00:00Z", &end);
        site.run_with(&self.name(), &run, |record| {
            record["outcomes"] = self.outcomes.clone();
            record["metrics"]["runTimeSeconds"] = json!(60 * number);
        });
    }
}

/// A site with these trials of pong.
fn site(trials: &[Trial]) -> TestSite {
    let site = TestSite::empty();
    for trial in trials {
        trial.write(&site);
    }
    site
}

/// The cell of a model in the feed.
fn cell(site: &TestSite, model: &str) -> Value {
    let mut found = cells(site);
    found.retain(|cell| cell["model"] == model);
    assert_eq!(found.len(), 1, "cells of {model}");
    found.remove(0)
}

/// The cells of all sets in the feed.
fn cells(site: &TestSite) -> Vec<Value> {
    let feed = site.json("feeds/cells.json");
    let cells = each(&feed["sets"], "cells").into_iter().flat_map(entries);
    cells.cloned().collect()
}

const TRIALS: &str = "cases/pong/trials/index.html";

/// Four of five and one of three.
fn two_models() -> Vec<Trial> {
    let trials = (1..9).map(|number| {
        let state = if [3, 6, 8].contains(&number) {
            "failed"
        } else {
            "completed"
        };
        trial(if number < 6 { LARK } else { WREN }, number, state)
    });
    trials.collect()
}

#[test]
fn the_page_of_a_case_says_how_often_its_trials_succeeded_and_how_sure_that_is() {
    let site = site(&two_models());
    site.publish();
    let case = site.page("cases/pong/index.html");
    let link = ".lead a[href='../../cases/pong/trials/index.html']";
    assert_eq!(case.texts(link), ["Trials"]);
    let page = site.page(TRIALS);
    let texts = |row, selector: &str| {
        below(row, selector)
            .into_iter()
            .map(words)
            .collect::<Vec<_>>()
    };
    let rows = page.all("section[aria-labelledby=set-1] > div tbody tr");
    assert_eq!(rows.len(), 2);
    let first = texts(rows[0], "th, td");
    assert_eq!(first[..3], [LARK, "4 of 5", "38–96 %"]);
    assert_eq!(first[4..], ["2", "—", "base", "codex"]);
    assert_eq!(texts(rows[1], "th, td")[1..3], ["1 of 3", "6–79 %"]);
    // Oldest first, each linked to its run, and marked where it ended otherwise than the one before it.
    let signs = below(rows[0], ".glyphs > *").into_iter();
    let signs: Vec<&str> = signs
        .filter_map(|sign| sign.attr("class").or(sign.attr("title")))
        .collect();
    assert_eq!(
        signs.join(" "),
        "g-good g-good flip g-bad flip g-good g-good"
    );
    for link in below(rows[0], ".glyphs > a") {
        let href = link
            .attr("href")
            .expect("an address")
            .replace("../../../", "");
        assert!(site.is_published(&href), "{href}");
    }
    page.says("“4 of 5, 95 % 38–96 %” means: 4 of 5 trials succeeded, and with so few trials the true rate of success may be anywhere from 38 % to 96 %.");
    let chances = page.all("details:last-of-type tbody tr");
    assert_eq!(chances.len(), 8);
    assert_eq!(texts(chances[1], ".num")[..3], ["2", "100 %", "60 %"]);
    assert_eq!(texts(chances[5], ".num")[..3], ["1", "33 %", "33 %"]);
    let pairs = page.texts("section[aria-labelledby=pairs] tbody td");
    assert_eq!(
        pairs[..2],
        ["1 cell, 5 and 3 trials", "+47 points, 95 % −16 to +78"]
    );
    assert!(pairs[2].starts_with("Not distinguishable with these trials. To find such a difference in four of five attempts, each would need about 18 trials"), "{}", pairs[2]);
    let measures = page.all("section[aria-labelledby=set-1] details:first-of-type tbody tr");
    let time = texts(measures[1], "td");
    assert_eq!(time[..5], ["run time", "5", "3 min", "—", "1 min to 5 min"]);
}

#[test]
fn the_median_of_six_values_has_an_interval_and_that_of_five_has_none() {
    for (trials, has_interval) in [(5, false), (6, true)] {
        let trials: Vec<_> = (0..trials)
            .map(|number| trial(LARK, number + 1, "completed"))
            .collect();
        let site = site(&trials);
        site.publish();
        let cell = cell(&site, LARK);
        let mut measures = entries(&cell["measures"]).iter();
        let times = measures.find(|it| it["name"] == "runTimeSeconds");
        let times = times.expect("the run time");
        assert_eq!(times["values"], trials.len());
        assert_eq!(times.get("interval").is_some(), has_interval, "{times}");
    }
}

#[test]
fn one_trial_has_no_interval_and_a_case_without_repeats_no_page() {
    let site = site(&[trial(LARK, 1, "completed")]);
    site.publish();
    assert!(!site.is_published(TRIALS));
    assert!(site.page("cases/pong/index.html").all(".lead a").is_empty());
    let cell = cell(&site, LARK);
    assert_eq!([&cell["trials"], &cell["successes"]], [1, 1]);
    for key in [
        "interval", "passAt", "passAll", "measures", "unknown", "excluded",
    ] {
        assert!(cell.get(key).is_none(), "{key}");
    }
    // Next to a cell with repeats it is counted, without an interval.
    trial(WREN, 2, "completed").write(&site);
    trial(WREN, 3, "failed").write(&site);
    site.publish();
    let page = site.page(TRIALS);
    assert!(page.find(LARK).is_none());
    page.says("1 cell with one run each: one trial has no interval.");
}

#[test]
fn a_run_whose_result_is_not_recorded_is_counted_apart() {
    let states = ["completed", "unknown", "failed"];
    let site = site(&[0, 1, 2].map(|at| trial(LARK, at + 1, states[at])));
    site.publish();
    let cell = cell(&site, LARK);
    assert_eq!(
        [&cell["trials"], &cell["successes"], &cell["unknown"]],
        [2, 1, 1]
    );
    assert_eq!(entries(&cell["runIds"]).len(), 3);
    let row = site.page(TRIALS).beside(LARK);
    assert_eq!(row[..2], ["1 of 2 1 unknown", "9–91 %"]);
    // A trial without a result does not flip.
    assert_eq!(row[3], "1");
}

#[test]
fn an_outcome_decides_if_the_site_names_it() {
    let outcome = |value: Value| json!([{"name": "tests", "value": value, "scorer": "vitest"}]);
    let site = site(&[
        trial(LARK, 1, "failed").outcomes(outcome(json!(0.9))),
        trial(LARK, 2, "completed").outcomes(outcome(json!(0.89))),
        trial(LARK, 3, "completed").outcomes(outcome(json!(true))),
        trial(LARK, 4, "completed").outcomes(outcome(json!("C"))),
        trial(LARK, 5, "completed").outcomes(outcome(Value::Null)),
        trial(LARK, 6, "completed"),
        trial(LARK, 7, "completed").outcomes(json!([
            {"name": "tests", "value": 1, "scorer": "vitest"},
            {"name": "tests", "value": 0, "scorer": "jest"},
        ])),
        trial(LARK, 8, "completed").outcomes(json!([
            {"name": "tests", "value": 1, "scorer": "vitest", "valid": false},
        ])),
    ]);
    site.settings("[cells]\noutcome = \"tests\"\nat_least = 0.9")
        .publish();
    let counts = || {
        let cell = cell(&site, LARK);
        ["trials", "successes", "unknown", "excluded"].map(|key| cell[key].as_u64().unwrap_or(0))
    };
    assert_eq!(counts(), [3, 2, 4, 1]);
    let success = json!({"outcome": "tests", "atLeast": 0.9});
    assert_eq!(site.json("feeds/cells.json")["success"], success);
    let page = site.page(TRIALS);
    page.says("A trial succeeds if its outcome tests is at least 0.9.");
    assert_eq!(page.beside(LARK)[0], "2 of 3 4 unknown, 1 excluded");
    // The scorer decides between two outcomes of one name.
    site.replace("site.toml", "outcome = ", "scorer = \"vitest\"\noutcome = ")
        .publish();
    assert_eq!(counts(), [4, 3, 3, 1]);
}

#[test]
fn wrong_settings_of_cells_are_errors() {
    for (cells, code) in [
        ("at_least = \"1\"", "config.wrong-type"),
        ("at_least = inf", "config.wrong-type"),
        ("at_least = 1\noutcomes = \"tests\"", "config.unknown-key"),
    ] {
        let site = TestSite::base();
        let ran = site
            .settings(&format!("[cells]\n{cells}"))
            .runpress("check")
            .exits(2);
        assert_eq!(ran.stderr.matches("error[").count(), 1, "{}", ran.stderr);
        ran.says(format!("error[{code}]"));
    }
}

#[test]
fn only_runs_that_are_comparable_are_trials_of_one_cell() {
    let site = site(&[1, 2, 3].map(|number| trial(LARK, number, "completed")));
    for (number, from, to) in [(2, "v1.0.0", "v1.1.0"), (3, "\"base\"", "\"frenzy\"")] {
        site.replace(
            &format!("content/runs/sample-lark-1-{number}/run-record.json"),
            from,
            to,
        );
    }
    site.publish();
    let trials: Vec<Value> = cells(&site)
        .iter()
        .map(|cell| cell["trials"].clone())
        .collect();
    assert_eq!(trials, [1, 1, 1]);
    assert!(!site.is_published(TRIALS));
}

#[test]
fn the_first_event_at_which_trials_diverge_is_linked() {
    let trials = [1, 2, 3].map(|number| trial(LARK, number, "completed"));
    let site = site(&trials);
    let read = event(1, "read", r#""path":"/workspace/spec.md","isSuccess":true"#);
    let says = message(2, "I begin.");
    let command = |at, command: &str| {
        event(
            at,
            "command",
            &format!("\"command\":\"{command}\",\"exitCode\":0,\"isSuccess\":true"),
        )
    };
    let log = |trial: &Trial, events: &[&String]| {
        site.write(
            &format!("content/runs/{}/events.jsonl", trial.name()),
            lines(events),
        );
    };
    log(&trials[0], &[&read, &command(3, "npm test")]);
    log(&trials[1], &[&read, &says, &command(4, "npm test")]);
    log(&trials[2], &[&says, &read, &command(5, "npm ci")]);
    site.publish();
    let page = site.page(TRIALS);
    assert_eq!(page.beside(LARK)[4], "#2 after 1 same action, compare");
    let link = page.one("section[aria-labelledby=set-1] a[href$='#e-2']");
    let (file, anchor) = link
        .attr("href")
        .and_then(|href| href.split_once('#'))
        .expect("an anchor");
    let run = site.page(file.trim_start_matches("../"));
    contains(&words(run.one(&format!("#{anchor}"))), "npm ci");
    // Messages are no actions.
    log(&trials[2], &[&says, &read, &command(5, "npm test")]);
    site.publish();
    assert_eq!(site.page(TRIALS).beside(LARK)[4], "2 same actions, compare");
}

#[test]
fn one_build_after_another_writes_the_same_bytes() {
    let site = site(&two_models());
    site.publish();
    let first = site.bytes("public/feeds/cells.json");
    site.publish();
    assert_eq!(site.bytes("public/feeds/cells.json"), first);
    trial(WREN, 20, "completed").write(&site);
    site.publish();
    assert_eq!(cell(&site, WREN)["trials"], 4);
    assert_eq!(site.page(TRIALS).beside(WREN)[0], "2 of 4");
}
