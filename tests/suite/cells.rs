//! Trials of cells: counted by what the site calls a success, with intervals that say how sure the numbers are.

use serde_json::{Value, json};

use crate::support::{Run, TestSite, below, event, lines, words};

/// A trial of a model. Its number is the minute in which it ended, and makes its id.
struct Trial {
    model: &'static str,
    number: usize,
    state: &'static str,
    outcomes: Value,
}

fn trial(model: &'static str, number: usize, state: &'static str) -> Trial {
    let outcomes = json!([]);
    Trial {
        model,
        number,
        state,
        outcomes,
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
        let id = format!(
            "{:08x}-8a60-4d2e-9a51-{:0>12}",
            self.number,
            self.model.len()
        );
        let run = Run::new(&id).model(self.model).state(self.state).at(
            "2026-03-01T10:00:00Z",
            &format!("2026-03-01T10:{:02}:00Z", self.number),
        );
        let mut record: Value = serde_json::from_str(&run.record()).expect("JSON");
        record["outcomes"] = self.outcomes.clone();
        record["metrics"]["runTimeSeconds"] = json!(60 * self.number);
        let folder = format!("content/runs/{}", self.name());
        site.write(&format!("{folder}/run-record.json"), record.to_string());
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

fn settings(site: &TestSite, cells: &str) {
    let text = site.text("site.toml");
    site.write("site.toml", format!("{text}\n[cells]\n{cells}\n"));
}

/// The cell of a model in the feed.
fn cell(site: &TestSite, model: &str) -> Value {
    let mut found = cells(site)
        .into_iter()
        .filter(|cell| cell["model"] == model);
    let cell = found.next();
    assert!(found.next().is_none(), "two cells of {model}");
    cell.unwrap_or_else(|| panic!("no cell of {model}"))
}

/// The cells of all sets in the feed.
fn cells(site: &TestSite) -> Vec<Value> {
    let feed = site.json("feeds/cells.json");
    let sets = feed["sets"].as_array().expect("sets").iter();
    let cells = sets.flat_map(|set| set["cells"].as_array().expect("cells"));
    cells.cloned().collect()
}

const TRIALS: &str = "cases/pong/trials/index.html";

/// Four of five and one of three.
fn two_models() -> Vec<Trial> {
    let states = [
        "completed",
        "completed",
        "failed",
        "completed",
        "completed",
        "failed",
        "completed",
        "failed",
    ];
    let states = states.into_iter().enumerate();
    states
        .map(|(at, state)| {
            let model = if at < 5 {
                "sample/lark-1"
            } else {
                "sample/wren"
            };
            trial(model, at + 1, state)
        })
        .collect()
}

#[test]
fn the_page_of_a_case_says_how_often_its_trials_succeeded_and_how_sure_that_is() {
    let site = site(&two_models());
    site.publish();
    let case = site.page("cases/pong/index.html");
    assert_eq!(
        case.one(".lead a[href='../../cases/pong/trials/index.html']")
            .text()
            .collect::<String>(),
        "Trials"
    );
    let page = site.page(TRIALS);
    let rows = page.all("section[aria-labelledby=set-1] > div tbody tr");
    let texts = |row: usize| {
        below(rows[row], "th, td")
            .into_iter()
            .map(words)
            .collect::<Vec<_>>()
    };
    assert_eq!(rows.len(), 2);
    assert_eq!(texts(0)[..3], ["sample/lark-1", "4 of 5", "38–96 %"]);
    assert_eq!(texts(0)[4..], ["2", "—", "base", "codex"]);
    assert_eq!(texts(1)[1..3], ["1 of 3", "6–79 %"]);
    // Oldest first, each linked to its run, and marked where it ended otherwise than the one before it.
    let signs: Vec<&str> = below(rows[0], ".glyphs > *")
        .iter()
        .map(|sign| {
            sign.attr("class")
                .or(sign.attr("title"))
                .unwrap_or_default()
        })
        .collect();
    assert_eq!(
        signs,
        [
            "g-good", "g-good", "flip", "g-bad", "flip", "g-good", "g-good"
        ]
    );
    for link in below(rows[0], ".glyphs > a") {
        let href = link
            .attr("href")
            .expect("an address")
            .replace("../../../", "public/");
        assert!(site.path(&href).is_file(), "{href}");
    }
    assert!(page.main().contains(
        "“4 of 5, 95 % 38–96 %” means: 4 of 5 trials succeeded, and with so few trials the true rate of success may be anywhere from 38 % to 96 %."
    ));
    let chances = page.all("details:last-of-type tbody tr");
    let chance = |row: usize| {
        below(chances[row], ".num")
            .into_iter()
            .take(3)
            .map(words)
            .collect::<Vec<_>>()
    };
    assert_eq!(chances.len(), 8);
    assert_eq!(chance(1), ["2", "100 %", "60 %"]);
    assert_eq!(chance(5), ["1", "33 %", "33 %"]);
    let pairs = page.texts("section[aria-labelledby=pairs] tbody td");
    assert_eq!(
        pairs[..2],
        ["1 cell, 5 and 3 trials", "+47 points, 95 % −16 to +78"]
    );
    assert!(pairs[2].starts_with("Not distinguishable with these trials. To find such a difference in four of five attempts, each would need about 18 trials"), "{}", pairs[2]);
    let measures = page.all("section[aria-labelledby=set-1] details:first-of-type tbody tr");
    let time: Vec<_> = below(measures[1], "td").into_iter().map(words).collect();
    assert_eq!(
        time[..5],
        ["run time", "5", "3 min", "1 min to 5 min", "1 min to 5 min"]
    );
}

#[test]
fn one_trial_has_no_interval_and_a_case_without_repeats_no_page() {
    let site = site(&[trial("sample/lark-1", 1, "completed")]);
    site.publish();
    assert!(!site.path(&format!("public/{TRIALS}")).exists());
    assert!(site.page("cases/pong/index.html").all(".lead a").is_empty());
    let cell = cell(&site, "sample/lark-1");
    assert_eq!(
        (&cell["trials"], &cell["successes"]),
        (&json!(1), &json!(1))
    );
    for key in [
        "interval", "passAt", "passAll", "measures", "unknown", "excluded",
    ] {
        assert!(cell.get(key).is_none(), "{key}");
    }
    // Next to a cell with repeats it is counted, without an interval.
    trial("sample/wren", 2, "completed").write(&site);
    trial("sample/wren", 3, "failed").write(&site);
    site.publish();
    let page = site.page(TRIALS);
    assert!(page.find("sample/lark-1").is_none());
    assert!(
        page.main()
            .contains("1 cell with one run each: one trial has no interval.")
    );
}

#[test]
fn a_run_whose_result_is_not_recorded_is_counted_apart() {
    let site = site(&[
        trial("sample/lark-1", 1, "completed"),
        trial("sample/lark-1", 2, "unknown"),
        trial("sample/lark-1", 3, "failed"),
    ]);
    site.publish();
    let cell = cell(&site, "sample/lark-1");
    assert_eq!(
        [&cell["trials"], &cell["successes"], &cell["unknown"]],
        [2, 1, 1]
    );
    assert_eq!(cell["runIds"].as_array().map(Vec::len), Some(3));
    let row = site.page(TRIALS).beside("sample/lark-1");
    assert_eq!(row[..2], ["1 of 2 1 unknown", "9–91 %"]);
    // A trial without a result does not flip.
    assert_eq!(row[3], "1");
}

#[test]
fn an_outcome_decides_if_the_site_names_it() {
    let outcome = |value: Value| json!([{"name": "tests", "value": value, "scorer": "vitest"}]);
    let site = site(&[
        trial("sample/lark-1", 1, "failed").outcomes(outcome(json!(0.9))),
        trial("sample/lark-1", 2, "completed").outcomes(outcome(json!(0.89))),
        trial("sample/lark-1", 3, "completed").outcomes(outcome(json!(true))),
        trial("sample/lark-1", 4, "completed").outcomes(outcome(json!("C"))),
        trial("sample/lark-1", 5, "completed").outcomes(outcome(Value::Null)),
        trial("sample/lark-1", 6, "completed"),
        trial("sample/lark-1", 7, "completed").outcomes(json!([
            {"name": "tests", "value": 1, "scorer": "vitest"},
            {"name": "tests", "value": 0, "scorer": "jest"},
        ])),
        trial("sample/lark-1", 8, "completed").outcomes(json!([
            {"name": "tests", "value": 1, "scorer": "vitest", "valid": false},
        ])),
    ]);
    settings(&site, "outcome = \"tests\"\nat_least = 0.9");
    site.publish();
    let counts = |site: &TestSite| {
        let cell = cell(site, "sample/lark-1");
        ["trials", "successes", "unknown", "excluded"].map(|key| cell[key].as_u64().unwrap_or(0))
    };
    assert_eq!(counts(&site), [3, 2, 4, 1]);
    assert_eq!(
        site.json("feeds/cells.json")["success"],
        json!({"outcome": "tests", "atLeast": 0.9})
    );
    let page = site.page(TRIALS);
    assert!(
        page.main()
            .contains("A trial succeeds if its outcome tests is at least 0.9.")
    );
    assert_eq!(
        page.beside("sample/lark-1")[0],
        "2 of 3 4 unknown, 1 excluded"
    );
    // The scorer decides between two outcomes of one name.
    site.replace("site.toml", "outcome = ", "scorer = \"vitest\"\noutcome = ");
    site.publish();
    assert_eq!(counts(&site), [4, 3, 3, 1]);
}

#[test]
fn wrong_settings_of_cells_are_errors() {
    for (cells, code) in [
        ("at_least = \"1\"", "config.wrong-type"),
        ("at_least = inf", "config.wrong-type"),
        ("at_least = 1\noutcomes = \"tests\"", "config.unknown-key"),
    ] {
        let site = TestSite::base();
        settings(&site, cells);
        let ran = site.runpress(&["check"]);
        assert_eq!(ran.status, Some(2), "{cells}");
        assert_eq!(ran.stderr.matches("error[").count(), 1, "{}", ran.stderr);
        assert!(
            ran.stderr.contains(&format!("error[{code}]")),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn only_runs_that_are_comparable_are_trials_of_one_cell() {
    let site = site(&[
        trial("sample/lark-1", 1, "completed"),
        trial("sample/lark-1", 2, "completed"),
        trial("sample/lark-1", 3, "completed"),
    ]);
    site.replace(
        "content/runs/sample-lark-1-2/run-record.json",
        "v1.0.0",
        "v1.1.0",
    );
    site.replace(
        "content/runs/sample-lark-1-3/run-record.json",
        "\"base\"",
        "\"frenzy\"",
    );
    site.publish();
    let cells = cells(&site);
    assert_eq!(cells.len(), 3);
    assert!(cells.iter().all(|cell| cell["trials"] == 1));
    assert!(!site.path(&format!("public/{TRIALS}")).exists());
}

#[test]
fn the_first_event_at_which_trials_diverge_is_linked() {
    let trials = [1, 2, 3].map(|number| trial("sample/lark-1", number, "completed"));
    let site = site(&trials);
    let read = event(
        1,
        "read",
        "\"path\":\"/workspace/spec.md\",\"isSuccess\":true",
    );
    let says = event(2, "agent", "\"message\":\"I begin.\"");
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
    let row = page.beside("sample/lark-1");
    assert_eq!(row[4], "#2 after 1 same action, compare");
    let link = page.one("section[aria-labelledby=set-1] a[href$='#e-2']");
    let href = link.attr("href").expect("an address");
    let (file, anchor) = href.split_once('#').expect("an anchor");
    let run = site.page(file.trim_start_matches("../"));
    assert!(words(run.one(&format!("#{anchor}"))).contains("npm ci"));
    // Messages are no actions.
    log(&trials[2], &[&says, &read, &command(5, "npm test")]);
    site.publish();
    assert_eq!(
        site.page(TRIALS).beside("sample/lark-1")[4],
        "2 same actions, compare"
    );
}

#[test]
fn one_build_after_another_writes_the_same_bytes() {
    let site = site(&two_models());
    site.publish();
    let first = site.bytes("public/feeds/cells.json");
    site.publish();
    assert_eq!(site.bytes("public/feeds/cells.json"), first);
    trial("sample/wren", 20, "completed").write(&site);
    site.publish();
    assert_eq!(cell(&site, "sample/wren")["trials"], 4);
    assert_eq!(site.page(TRIALS).beside("sample/wren")[0], "2 of 4");
}
