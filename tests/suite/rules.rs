//! Rules of a site: planted violations are found at their events, clean runs have none, and missing values are unknown.

mod imported;
mod mistakes;
mod plants;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::json;

use self::plants::{NATIVE, found, gated, id, native, plants, traced};
use crate::crawl;
use crate::support::{
    FIRST_SLUG, Run, SIDECAR, TestSite, codes, contains, described, entries, event, messages, words,
};

/// A rule in a file of rules.
fn rule(id: &str, lines: &str) -> String {
    format!("[[rule]]\nid = \"{id}\"\ntitle = \"x\"\n{lines}\n")
}

#[test]
fn two_hundred_planted_violations_are_found_at_their_events_and_nothing_else() {
    let site = gated();
    let mut expected = BTreeSet::new();
    let mut number = 0;
    for plant in &plants() {
        // After the first test command, so that edits of tests count, and between a call and its result.
        for at in [2, 3, 4, 5, 6] {
            native(&site, number, at, &[plant.native]);
            let line = u32::try_from(at + 1).expect("a line");
            expected.insert((id(number), plant.id.to_owned(), Some(line)));
            number += 1;
            traced(&site, number, at, &plant.traced);
            // The header is the first line.
            let line = u32::try_from(at + plant.traced.len() + 1).expect("a line");
            expected.insert((id(number), plant.id.to_owned(), Some(line)));
            number += 1;
        }
    }
    assert_eq!(number, 200);
    assert_eq!(found(&site, "rules.violated"), expected);
    assert_eq!(found(&site, "rules.unknown"), BTreeSet::new());
}

#[test]
fn a_thousand_clean_runs_keep_all_rules() {
    let site = gated();
    for number in 0..500 {
        native(&site, 2 * number, 0, &[]);
        traced(&site, 2 * number + 1, 0, &[]);
    }
    let outcome = site.check();
    let codes: BTreeSet<_> = codes(&outcome).into_iter().collect();
    assert!(
        !codes.iter().any(|code| code.starts_with("rules.")),
        "{codes:?}"
    );
}

#[test]
fn a_build_evaluates_only_the_rules_of_what_changed() {
    let site = gated();
    for number in 0..4 {
        native(&site, number, 0, &[]);
    }
    for number in 4..6 {
        let mut run = Run::new(&id(number));
        "chess".clone_into(&mut run.case);
        site.run(&format!("r{number}"), &run);
    }
    assert_eq!(site.publish().checked, 6);
    assert_eq!(site.publish().checked, 0);
    let require = |cost: &str, applies: &str| {
        let rule = rule("a", &format!("require = \"run.cost < {cost}\"\n{applies}"));
        site.write("rules/a.toml", rule);
    };
    let chess = "applies = { case = [\"chess\"] }";
    require("1.0", chess);
    assert_eq!(site.publish().checked, 2, "a rule of some runs is new");
    require("2.0", chess);
    assert_eq!(site.publish().checked, 2, "it changed");
    native(&site, 3, 2, &[plants()[3].native]);
    let outcome = site.publish();
    assert_eq!(outcome.checked, 1, "a run changed");
    assert!(codes(&outcome).contains(&"rules.violated"));
    require("2.0", "");
    assert_eq!(site.publish().checked, 6, "the rule is about all runs");
    let ran = site.runpress("build --timings");
    ran.says("Runs: 6, 0 of them checked\n");
}

#[test]
fn an_error_quarantines_the_run_and_a_flag_marks_it() {
    let site = gated();
    native(&site, 1, 3, &[plants()[3].native]);
    native(&site, 2, 0, &[]);
    let text = site.text("rules/plants.toml");
    assert!(site.build().published);
    let page = site.page("rules/index.html");
    page.says("Rule no-force-push");
    assert_eq!(crawl::problems(&site.published()), [""; 0]);
    site.write(
        "rules/plants.toml",
        text.replace("severity = \"flag\"", "severity = \"error\""),
    );
    let outcome = site.build();
    assert!(!outcome.published);
    assert_eq!(outcome.blocking, 1);
    site.write(
        "site.toml",
        "[policy]\ncanary = \"CANARY-4f1c2d3e\"\non_invalid = \"quarantine\"\n",
    );
    let outcome = site.publish();
    assert_eq!((outcome.runs, outcome.quarantined), (1, 1));
    let feed = site.json("feeds/rules.json");
    assert_eq!(feed["violations"], json!([]));
}

#[test]
fn readers_see_what_the_rules_found() {
    let site = TestSite::base();
    site.write(
        "rules/a.toml",
        "version = \"1.2\"\n[[rule]]\nid = \"no-tests\"\ntitle = \"No <tests> are run\"\nwhy = \"A *reason*.\"\n\
         find = \"event.kind == 'command'\"\nexpect = \"none\"\n\
         [[rule]]\nid = \"long\"\ntitle = \"Takes long\"\nrequire = \"run.seconds > 3600.0\"\nseverity = \"note\"\n\
         [[rule]]\nid = \"fast\"\ntitle = \"Is fast\"\nrequire = \"run.turns < 5\"\n\
         [[rule]]\nid = \"scored\"\ntitle = \"Is scored\"\nrequire = \"run.outcomes_passed\"\n\
         [[rule]]\nid = \"elsewhere\"\ntitle = \"Elsewhere\"\napplies = { case = [\"tetris*\"] }\nrequire = \"false\"\n\
         [[rule]]\nid = \"twice\"\ntitle = \"Two trials\"\ntrials = 2\nfiles = [\"events.jsonl\"]\nseverity = \"note\"\n",
    );
    site.publish();
    let page = site.first_page();
    assert_eq!(
        page.beside("No <tests> are run"),
        ["violated flag", "event 2"]
    );
    assert_eq!(page.beside("Takes long")[0], "violated note");
    assert_eq!(page.texts("#rule-long .b-note"), ["violated"]);
    assert_eq!(page.texts("#rule-no-tests .b-bad"), ["violated"]);
    assert_eq!(page.beside("Is fast"), ["holds", ""]);
    assert_eq!(
        page.beside("Is scored"),
        ["unknown", "not recorded: run.outcomes_passed"]
    );
    assert_eq!(page.find("Elsewhere"), None);
    assert_eq!(page.find("Two trials"), None);
    let head = words(page.one(".run-head"));
    contains(
        &head,
        "A rule of this site is violated: “No <tests> are run”.",
    );
    let run = site.first_run();
    assert_eq!(
        run["rules"][0],
        json!({"rule": "no-tests", "verdict": "violated", "events": [2], "found": 1, "missing": ""})
    );
    assert_eq!(entries(&run["rules"]).len(), 4);
    let feed = site.json("feeds/rules.json");
    assert_eq!(feed["rules"][0]["version"], "1.2");
    assert_eq!(feed["rules"][0]["find"], "event.kind == 'command'");
    assert_eq!(feed["rules"][0]["violated"], 1);
    assert_eq!(feed["violations"][0]["events"], json!([2]));
    assert_eq!(feed["unknown"][0]["missing"], "run.outcomes_passed");
    assert_eq!(feed["rules"][5]["missingTrials"][0]["needed"], 2);
    let all = site.page("rules/index.html");
    assert_eq!(all.texts("main h2 code").len(), 6);
    all.says("It applies to no run.");
    let event = format!("../runs/{FIRST_SLUG}/index.html#e-2");
    assert_eq!(all.all(&format!("main li a[href='{event}']")).len(), 1);
    let case = site.page("cases/pong/index.html");
    assert_eq!(
        case.texts("section[aria-labelledby=violated] tbody tr"),
        [
            "sample/lark-1No <tests> are run1 of 1 run",
            "sample/lark-1Takes long1 of 1 run"
        ]
    );
    assert_eq!(crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn the_page_of_rules_links_to_events_on_further_pages() {
    let site = TestSite::base();
    site.settings("[timeline]\npage_size = 10");
    let log = messages(25) + &event(30, "command", "\"command\":\"ls\"") + "\n";
    site.write_first("events.jsonl", log);
    site.unannotated();
    site.write(
        "rules/a.toml",
        rule("a", "find = \"event.kind == 'command'\"\nexpect = \"none\""),
    );
    site.publish();
    assert_eq!(
        site.publish().checked,
        0,
        "the page of an event is remembered"
    );
    let event = format!("../runs/{FIRST_SLUG}/events/3/index.html#e-25");
    let page = site.page("rules/index.html");
    assert_eq!(page.all(&format!("main li a[href='{event}']")).len(), 1);
    assert_eq!(crawl::problems(&site.published()), [""; 0]);
}

#[test]
fn a_site_without_rules_says_nothing_of_them() {
    let site = TestSite::base();
    site.publish();
    let without = site.published();
    assert!(!without.contains_key("rules/index.html"));
    assert!(!without.contains_key("feeds/rules.json"));
    assert!(!site.first_document().contains("\"rules\""));
    // A rule that applies to no run changes no run.
    site.write(
        "rules/a.toml",
        rule(
            "a",
            "applies = { case = [\"tetris\"] }\nrequire = \"false\"",
        ),
    );
    site.publish();
    let with = site.published();
    // Pages have a new entry in the navigation.
    let of_run = |path: &&String| {
        path.starts_with(&format!("runs/{FIRST_SLUG}/")) && !path.ends_with(".html")
    };
    for path in without.keys().filter(of_run) {
        assert!(with.get(path) == without.get(path), "{path}");
    }
    // A page of prose may be called like the page of rules, until there is one.
    site.remove("rules/a.toml");
    site.write(
        "content/pages/rules.md",
        "+++\ntitle = \"House rules\"\n+++\n\nBe kind.\n",
    );
    site.publish();
    assert_eq!(site.page("rules/index.html").texts("h1"), ["House rules"]);
}

#[test]
fn what_a_rule_costs_is_bounded() {
    let site = TestSite::empty();
    let steps: Vec<(&str, &str)> = (0..3_000).map(|_| NATIVE[1]).collect();
    native(&site, 1, 0, &steps);
    site.write(
        "rules/a.toml",
        rule("cubed", "require = \"run.steps.all(a, run.steps.all(b, run.steps.all(c, a.turn + b.turn + c.turn >= 0)))\"")
            + &rule("each", "find = \"run.steps.all(a, run.steps.exists(b, a.turn + b.turn < 0))\"\nexpect = \"none\"")
            + &rule("filters", "require = \"size(run.steps.filter(a, size(run.steps.filter(b, b.turn == a.turn)) > 0)) > 0\"")
            + &rule("regex", "find = \"event.text.matches(r'(.*)*(.*)*(.*)*x{1,50}$')\"\nexpect = \"none\""),
    );
    let began = Instant::now();
    let outcome = site.check();
    assert!(began.elapsed() < Duration::from_mins(1));
    let found = described(&outcome).join("\n");
    for id in ["cubed", "filters"] {
        let message = format!("rule `{id}` holds: an answer within the time that a rule may take");
        contains(&found, message);
    }
}

#[test]
fn a_rule_reads_only_what_is_published() {
    let site = TestSite::base();
    site.write("site.toml", "[policy]\npublish_reasoning = false\n");
    site.write_first(
        "events.jsonl",
        event(1, "reasoning", "\"message\":\"a private thought\"") + "\n",
    );
    site.unannotated();
    site.write(
        "rules/a.toml",
        rule(
            "a",
            "find = \"event.text.contains('private')\"\nexpect = \"none\"",
        ),
    );
    assert_eq!(codes(&site.check()), [""; 0]);
}

#[test]
fn a_changed_rule_is_a_change_of_the_site() {
    let site = TestSite::base();
    let changes = |version: u32, limit: u32| {
        let rule = rule("short", &format!("require = \"run.seconds < {limit}.0\""));
        let file = format!("version = \"{version}\"\nseverity = \"note\"\n{rule}");
        site.write("rules/a.toml", file);
        site.publish();
        site.json("feeds/changes.json")
    };
    let first = changes(1, 90_000);
    assert_eq!(entries(&first["builds"]).len(), 1);
    assert_eq!(changes(1, 90_000), first);
    let changed = changes(2, 80_000);
    let newest = &changed["builds"][0]["rules"][0];
    assert_eq!(
        (&newest["id"], &newest["before"]["version"]),
        (&json!("short"), &json!("1"))
    );
    assert_eq!(newest["after"], changed["rules"]["short"]);
    assert_ne!(newest["before"]["digest"], newest["after"]["digest"]);
    let page = site.page("changes/index.html");
    page.says("short changed, version 1 → 2");
    site.remove("rules/a.toml");
    let outcome = site.publish();
    let build = outcome.changes().expect("an entry");
    assert_eq!(build.rules[0].after, None);
    site.page("changes/index.html").says("short removed");
}

#[test]
fn a_writeup_cites_what_a_rule_found_and_nothing_else() {
    let site = TestSite::base();
    let rules = [
        ("kept", "true"),
        ("broken", "false"),
        ("open", "run.cost < 1.0"),
    ];
    let rules = rules
        .map(|(id, holds)| rule(id, &format!("require = \"{holds}\"")))
        .concat();
    site.write("rules/a.toml", format!("severity = \"note\"\n{rules}"));
    site.edit_first(|record| {
        record["metrics"]["cost"] = json!({"comparable": null, "actual": null});
    });
    let cite = |text: &str| {
        site.write_first("writeup.md", format!("---\nrating: great\n---\n\n{text}\n"));
        let mut found = described(&site.check());
        found.retain(|line| line.contains("rules.citation"));
        found
    };
    assert_eq!(
        cite("[It kept](rule:kept) and [broke](rule:!broken) rules."),
        [""; 0]
    );
    site.publish();
    let page = site.first_page();
    for id in ["kept", "broken"] {
        page.one(&format!(
            "section[aria-labelledby=writeup] a[href='#rule-{id}']"
        ));
        page.one(&format!("tr#rule-{id}"));
    }
    let wrong = [
        ("[x](rule:broken)", "error"),
        ("[x](rule:!kept)", "error"),
        ("[x](rule:nothing)", "error"),
        ("[x](rule:open)", "warning"),
        ("[x](rule:!open)", "warning"),
    ];
    for (text, severity) in wrong {
        let found = cite(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].starts_with(severity), "{text}: {found:?}");
    }
    site.remove("rules/a.toml");
    assert_eq!(cite("[x](rule:kept)").len(), 1);
}

#[test]
fn a_file_of_trials_that_no_run_has_is_a_warning_at_its_name() {
    let site = TestSite::base();
    site.write_first("raw.jsonl", "{}\n");
    let needs = |files: &[&str], severity: &str| {
        let rule = rule(
            "a",
            &format!("trials = 1\nseverity = \"{severity}\"\nfiles = {files:?}"),
        );
        site.write("rules/a.toml", rule);
    };
    needs(&["run-record.json", "raw.jsonl", SIDECAR], "error");
    let outcome = site.check();
    let of_rules = |code: &&str| code.starts_with("rules.");
    assert!(
        !codes(&outcome).iter().any(of_rules),
        "{:?}",
        described(&outcome)
    );
    for (name, help) in [
        ("event.jsonl", "Did you mean `events.jsonl`?"),
        (
            "event.jsonl.annotations.jsonl",
            "Did you mean `events.jsonl.annotations.jsonl`?",
        ),
        ("transcripts.json", "Did you mean `transcript.json`?"),
        ("x", "Name a file that runpress reads"),
    ] {
        needs(&["events.jsonl", name], "flag");
        let outcome = site.check();
        let mut found: Vec<_> = outcome.diagnostics.iter().collect();
        found.retain(|it| it.code.name == "rules.unknown-file");
        let [problem] = found.as_slice() else {
            panic!("{name}: {:?}", described(&outcome));
        };
        let place = &problem.place;
        assert_eq!(
            (place.path.as_str(), place.line, place.column),
            ("rules/a.toml", Some(6), Some(26)),
            "{problem:?}"
        );
        assert!(problem.message.contains(name), "{problem:?}");
        assert!(problem.help.starts_with(help), "{problem:?}");
    }
}
