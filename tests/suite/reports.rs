//! The reports for other programs, and how much one broken file can say.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{FIRST, HEADER, Ran, Run, TestSite, annotation, codes, described, lines};

/// A site with an error in one of three runs, a warning in another, and a problem of no run; the folder of the
/// broken run has a name that every format must escape.
fn broken() -> TestSite {
    let site = TestSite::base();
    site.run("a, b: 100% <&>", &Run::new("0000000b-<&>\"'"));
    site.write(
        "content/runs/a, b: 100% <&>/events.jsonl.annotations.jsonl",
        lines(&[HEADER, &annotation("%0A::error::x", 0, "note", "")]),
    );
    site.run("late", &Run::new("0000000c-0000"));
    site.write("content/runs/late/events.jsonl", "half\n");
    site.write("content/cases/pnog.md", "No such case.\n");
    site
}

/// Checks with all five reports in files of their names.
fn reports(site: &TestSite, command: &str) -> Ran {
    site.runpress(&[
        command,
        "-v",
        "--report=human=human",
        "--report=json=json",
        "--report=github=github",
        "--report=sarif=sarif",
        "--report=junit=junit",
    ])
}

fn json(site: &TestSite, path: &str) -> Value {
    serde_json::from_str(&site.text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn five_reports_of_one_check_say_the_same() {
    let site = broken();
    for command in ["check", "build"] {
        let ran = reports(&site, command);
        assert_eq!(ran.status, Some(1), "{}", ran.stderr);
        assert_eq!(ran.stdout, "", "the reports stand in files");
        let report = json(&site, "json");
        let problems = report["diagnostics"].as_array().expect("an array");
        let mut expected: Vec<&str> = problems
            .iter()
            .filter_map(|problem| problem["code"].as_str())
            .collect();
        assert_eq!(
            expected,
            [
                "page.unmatched",
                "sidecar.without-tape",
                "events.unparsable-line"
            ],
            "{report:#}"
        );
        let human = site.text("human");
        let github = site.text("github");
        assert_eq!(
            github.lines().count(),
            expected.len(),
            "one command a problem:\n{github}"
        );
        let junit = site.text("junit");
        for code in &expected {
            assert!(human.contains(&format!("[{code}]")), "{code}: {human}");
            assert!(
                github.contains(&format!(",title={code}::")),
                "{code}: {github}"
            );
            assert!(junit.contains(&format!("[{code}]")), "{code}: {junit}");
        }
        let sarif = json(&site, "sarif");
        let mut ids: Vec<&str> = sarif["runs"][0]["results"]
            .as_array()
            .expect("an array")
            .iter()
            .filter_map(|result| result["ruleId"].as_str())
            .collect();
        ids.sort_unstable();
        expected.sort_unstable();
        assert_eq!(ids, expected);
    }
}

#[test]
fn a_report_without_a_file_is_all_that_stands_on_standard_output() {
    let site = broken();
    let github = site.runpress(&["check", "--report", "github"]).stdout;
    assert!(
        github.lines().all(|line| line.starts_with("::")),
        "{github}"
    );
    let sarif = site.runpress(&["check", "--report", "sarif"]).stdout;
    assert!(serde_json::from_str::<Value>(&sarif).is_ok(), "{sarif}");
    let junit = site.runpress(&["check", "--report", "junit"]).stdout;
    assert!(junit.starts_with("<?xml"), "{junit}");
}

#[test]
fn github_gets_one_command_a_problem_with_everything_escaped() {
    let site = broken();
    reports(&site, "check");
    let github = site.text("github");
    let commands: Vec<&str> = github.lines().collect();
    assert!(
        commands[0].starts_with("::warning file=content/cases/pnog.md,title=page.unmatched::"),
        "{github}"
    );
    assert!(
        commands[1].starts_with(
            "::error file=content/runs/a%2C b%3A 100%25 <&>/events.jsonl.annotations.jsonl,line=1,col=1,title=sidecar.without-tape::"
        ),
        "{github}"
    );
    assert!(
        commands[2].starts_with("::warning file=content/runs/late/events.jsonl,line=1,col="),
        "{github}"
    );
    // Values of the input cannot end a command or begin another.
    let hostile = TestSite::base();
    hostile.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[
            HEADER,
            &annotation("a", 0, r"x%0A\n::error::one\r::two\u001b[31m", ""),
        ]),
    );
    let text = hostile.runpress(&["check", "--report", "github"]).stdout;
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with("::") && text.contains("%250A"), "{text}");
    assert!(!text.contains(['\r', '\u{1b}']), "{text:?}");
}

#[test]
fn sarif_is_one_run_of_version_2_1_0_whose_rules_are_those_of_its_results() {
    let site = broken();
    reports(&site, "check");
    let sarif = json(&site, "sarif");
    assert_eq!(sarif["version"], "2.1.0");
    assert!(
        sarif["$schema"]
            .as_str()
            .is_some_and(|schema| schema.contains("sarif-2.1.0")),
        "{sarif:#}"
    );
    let runs = sarif["runs"].as_array().expect("an array");
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0]["columnKind"], "unicodeCodePoints");
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "runpress");
    let rules = driver["rules"].as_array().expect("an array");
    let ids: BTreeSet<_> = rules
        .iter()
        .filter_map(|rule| rule["id"].as_str())
        .collect();
    assert_eq!(
        ids,
        BTreeSet::from([
            "events.unparsable-line",
            "page.unmatched",
            "sidecar.without-tape"
        ])
    );
    for rule in rules {
        for key in ["shortDescription", "fullDescription", "help"] {
            assert!(
                rule[key]["text"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{rule:#}"
            );
        }
    }
    let results = runs[0]["results"].as_array().expect("an array");
    // The worst comes first.
    let error = &results[0];
    assert_eq!(
        (&error["ruleId"], &error["level"]),
        (&"sidecar.without-tape".into(), &"error".into())
    );
    for result in results {
        let index =
            usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(result["locations"].as_array().map(Vec::len), Some(1));
    }
    let place = &error["locations"][0]["physicalLocation"];
    assert_eq!(
        place["artifactLocation"]["uri"],
        "content/runs/a%2C%20b%3A%20100%25%20%3C%26%3E/events.jsonl.annotations.jsonl"
    );
    assert_eq!(place["region"]["startLine"], 1);
}

#[test]
fn a_column_of_a_report_counts_characters_and_a_pointer_is_a_logical_place() {
    let site = TestSite::base();
    site.replace(
        &format!("{FIRST}/run-record.json"),
        "\"os\": \"Debian GNU/Linux 12\", \"containerImage\": \"test-cabinet/codex:latest\"",
        "\"os\": \"模型𝔪é\", \"containerImage\": 7",
    );
    site.runpress(&["check", "--report=sarif=sarif"]);
    let sarif = json(&site, "sarif");
    let location = &sarif["runs"][0]["results"][0]["locations"][0];
    let line = site.text(&format!("{FIRST}/run-record.json"));
    let line = line
        .lines()
        .find(|line| line.contains("模型"))
        .expect("the line")
        .to_owned();
    let column = line[..line.find("7,").expect("the value")].chars().count() + 1;
    assert_eq!(
        location["physicalLocation"]["region"]["startColumn"],
        column
    );
    assert_eq!(
        location["logicalLocations"][0]["fullyQualifiedName"],
        "/environment/containerImage"
    );
}

#[test]
fn the_fingerprint_of_a_problem_stays_when_lines_move() {
    let site = TestSite::base();
    let path = format!("{FIRST}/events.jsonl");
    let log = site.text(&path);
    let fingerprint = |log: &str| {
        site.write(&path, log);
        site.runpress(&["check", "--report=sarif=sarif"]);
        let result = json(&site, "sarif")["runs"][0]["results"][0].clone();
        let line = result["locations"][0]["physicalLocation"]["region"]["startLine"].clone();
        (result["partialFingerprints"].clone(), line)
    };
    let (one, at) = fingerprint(&format!("{log}half\n"));
    let (two, later) = fingerprint(&format!("{log}{log}half\n"));
    assert_eq!((&at, &later), (&5.into(), &9.into()));
    assert_eq!(one, two);
    assert!(one["runpress/v1"].is_string(), "{one}");
}

#[test]
fn sarif_holds_at_most_5000_results_the_worst_of_them_and_says_how_many_it_left_out() {
    let site = TestSite::empty();
    for n in 0..52 {
        let folder = format!("r{n:02}");
        site.run(&folder, &Run::new(&format!("{n:08x}-0000")));
        site.write(
            &format!("content/runs/{folder}/events.jsonl"),
            "x\n".repeat(100),
        );
    }
    site.write("content/runs/r51/run-record.json", "{");
    site.runpress(&["check", "--report=sarif=sarif"]);
    let run = &json(&site, "sarif")["runs"][0];
    let results = run["results"].as_array().expect("an array");
    assert_eq!(results.len(), 5_000);
    assert_eq!(results[0]["ruleId"], "record.syntax");
    assert_eq!(run["properties"]["resultsLeftOut"], 201);
}

#[test]
fn junit_has_a_test_case_a_run_and_a_failure_for_the_broken_one() {
    let site = broken();
    for command in ["check", "build"] {
        reports(&site, command);
        let junit = site.text("junit");
        assert_eq!(
            junit.matches("<testcase ").count(),
            4,
            "three runs and the site:\n{junit}"
        );
        assert_eq!(junit.matches("<failure ").count(), 1, "{junit}");
        assert!(
            junit.contains(
                r#"<testsuites name="runpress" tests="4" skipped="0" failures="1" errors="0">"#
            ),
            "{junit}"
        );
        // The one that is broken, its path and id escaped.
        let case = junit
            .split("<testcase ")
            .find(|case| case.contains("<failure "))
            .expect("a failure");
        assert!(
            case.contains("0000000b-&lt;&amp;&gt;")
                && case.contains(r#"classname="content/runs/a, b: 100% &lt;&amp;&gt;""#)
                && case.contains(r#"type="sidecar.without-tape""#),
            "{case}"
        );
        // Warnings are no failures, but they are told.
        let late = junit
            .split("<testcase ")
            .find(|case| case.contains("0000000c-0000"))
            .expect("the run");
        assert!(
            late.contains("<system-out>") && late.contains("[events.unparsable-line]"),
            "{late}"
        );
        assert!(junit.contains(r#"classname="site""#), "{junit}");
    }
    let fine = TestSite::base();
    let junit = fine.runpress(&["check", "--report", "junit"]).stdout;
    assert!(
        junit.contains(r#"tests="1" skipped="0" failures="0""#) && !junit.contains("<failure"),
        "{junit}"
    );
}

#[test]
fn junit_is_xml_whatever_the_input_holds() {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[
            HEADER,
            &annotation(r"]]>\u0000\u0001\ufffe<b>", 99, "note", ""),
        ]),
    );
    let junit = site.runpress(&["check", "--report", "junit"]).stdout;
    assert!(junit.contains("<failure "), "{junit}");
    assert!(!junit.contains("<b>"), "{junit}");
    assert!(
        junit
            .chars()
            .all(|c| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..)),
        "{junit:?}"
    );
}

#[test]
fn what_stops_a_build_is_reported_in_every_format() {
    let site = TestSite::base();
    site.write("site.toml", "[site\n");
    let ran = reports(&site, "build");
    assert_eq!(ran.status, Some(2));
    for format in ["human", "json", "github", "sarif", "junit"] {
        assert!(site.text(format).contains("config.syntax"), "{format}");
    }
}

#[test]
fn a_file_with_very_many_bad_lines_lists_100_of_each_kind() {
    const LINES: usize = 50_000;
    let more = format!(
        "{} more problems of this kind in this file are not listed",
        LINES - 100
    );
    let header = r#"{"type":"header","version":1,"harn_version":"1"}"#;
    let files: [(&str, &str, String); 6] = [
        (
            "events.jsonl",
            "events.unparsable-line",
            "half\n".repeat(LINES),
        ),
        (
            "events.jsonl",
            "events.unknown-type",
            "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"x\"}\n".repeat(LINES),
        ),
        (
            "events.jsonl",
            "events.missing-field",
            "{\"timestamp\":\"2026-03-01T10:00:00Z\",\"type\":\"agent\"}\n".repeat(LINES),
        ),
        (
            "run.tape",
            "tape.malformed-record",
            format!(
                "{header}\n{}",
                "{\"type\":\"record\",\"seq\":\"0\"}\n".repeat(LINES)
            ),
        ),
        (
            "events.jsonl.annotations.jsonl",
            "sidecar.malformed-line",
            format!("{HEADER}\n{}", "{\"type\":\"annotation\"}\n".repeat(LINES)),
        ),
        (
            "events.jsonl.annotations.jsonl",
            "annotation.unknown-event-id",
            format!(
                "{HEADER}\n{}",
                (0..LINES)
                    .map(|n| annotation(&n.to_string(), 99, "note", "") + "\n")
                    .collect::<String>()
            ),
        ),
    ];
    for (file, code, text) in files {
        let site = TestSite::base();
        if file == "events.jsonl" {
            site.remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
        }
        site.write(&format!("{FIRST}/{file}"), text);
        let outcome = site.check();
        let found = codes(&outcome);
        let stops =
            matches!(code, "tape.malformed-record" | "sidecar.malformed-line") && found.len() < 101;
        if stops {
            // Loaders that refuse the whole file may stop at its first bad line.
            assert_eq!(found, [code], "{:?}", described(&outcome).first());
        } else {
            assert_eq!(found, [code; 101], "{:?}", described(&outcome).last());
            assert_eq!(
                outcome
                    .diagnostics
                    .iter()
                    .filter(|d| d.message == more)
                    .count(),
                1,
                "{code}: {more}"
            );
        }
    }
}

#[test]
fn threads_and_a_review_of_very_many_problems_list_100_of_a_kind() {
    let site = TestSite::base();
    let entries = "{\"id\":\"t\",\"entries\":3},".repeat(300);
    site.write(
        &format!("{FIRST}/annotations.json"),
        format!("{{\"annotations\":[{}]}}", entries.trim_end_matches(',')),
    );
    site.write(
        &format!("{FIRST}/writeup.md"),
        format!(
            "---\nrating: great\n---\n\n{}",
            "[x](javascript:a) ".repeat(5_000)
        ),
    );
    assert_eq!(
        most(&site),
        [
            (101, "review.unsafe-link"),
            (101, "threads.missing-field"),
            (101, "threads.wrong-type")
        ]
    );
}

#[test]
fn settings_and_front_matter_of_very_many_problems_list_100_of_a_kind() {
    let many = |line: &str| {
        (0..500)
            .map(|n| line.replace('N', &n.to_string()))
            .collect::<String>()
    };
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/writeup.md"),
        format!(
            "---\n{}---\n\nText.\n",
            many("rating.dN: x\nreview.dN: x\n")
        ),
    );
    site.write(
        "content/pages/guide.md",
        format!("+++\n{}+++\n", many("kN = 1\n")),
    );
    assert_eq!(
        most(&site),
        [
            (101, "page.front-matter"),
            (101, "review.unknown-rating"),
            (101, "review.unknown-status")
        ]
    );
    site.write("site.toml", many("kN = 1\n"));
    let ran = site.runpress(&["check", "--report", "github"]);
    assert_eq!(ran.stdout.lines().count(), 101, "{}", ran.stdout);
}

#[test]
fn an_action_log_of_very_many_problems_lists_100_of_a_kind() {
    for (line, code) in [
        ("half", "threads.syntax"),
        ("{\"type\":3}", "threads.wrong-type"),
        (
            "{\"type\":\"annotations/removed\",\"annotationId\":\"gone\"}",
            "threads.no-target",
        ),
        ("{\"type\":\"starred\"}", "threads.unknown-action"),
    ] {
        let site = TestSite::base();
        let log: String = (0..5_000).map(|_| format!("{line}\n")).collect();
        site.write(&format!("{FIRST}/annotations.actions.jsonl"), log);
        assert_eq!(most(&site), [(101, code)]);
    }
}

#[test]
fn many_threads_are_read_in_time_that_grows_with_their_number() {
    let site = TestSite::base();
    let thread = "{\"id\":\"N\",\"turnId\":\"t\",\"resource\":\"a.ts\",\"resolved\":false,\"entries\":[{\"id\":\"1\",\"text\":\"x\"}]}";
    let threads: Vec<String> = (0..5_000)
        .map(|n| thread.replace('N', &n.to_string()))
        .collect();
    site.write(
        &format!("{FIRST}/annotations.json"),
        format!("{{\"annotations\":[{}]}}", threads.join(",")),
    );
    assert_eq!(most(&site), [(101, "threads.missing-resource")]);
}

/// How many problems of each code a check lists.
fn most(site: &TestSite) -> Vec<(usize, &'static str)> {
    let outcome = site.check();
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for code in codes(&outcome) {
        *counts.entry(code).or_default() += 1;
    }
    counts
        .into_iter()
        .map(|(code, count)| (count, code))
        .collect()
}

#[test]
fn fifty_thousand_bad_lines_are_counted_and_a_hundred_listed_in_every_format() {
    let site = TestSite::base();
    site.remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
    site.write(&format!("{FIRST}/events.jsonl"), "half\n".repeat(50_000));
    let ran = reports(&site, "check");
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        site.text("human")
            .contains("49900 more problems of this kind in this file are not listed"),
    );
    assert_eq!(site.text("github").lines().count(), 101);
}

#[test]
fn what_a_parser_quotes_of_an_input_is_cut_and_stands_on_one_line() {
    let long = format!("a\\n\\u001b[31m{}", "x".repeat(100_000));
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        lines(&[
            HEADER,
            &annotation(
                "a",
                0,
                "hypothesis",
                &format!("\"hypothesis_status\":\"{long}\""),
            ),
        ]),
    );
    let problem = site.check().diagnostics.remove(0);
    assert_eq!(problem.code.name, "sidecar.malformed-line");
    assert!(
        problem.message.contains("unknown variant `a"),
        "{}",
        problem.message
    );
    assert!(
        problem.message.chars().count() < 300,
        "{}",
        problem.message.len()
    );
    assert!(
        !problem.message.contains(['\n', '\u{1b}']),
        "{:?}",
        problem.message
    );
}

#[test]
fn the_markdown_report_says_what_was_published_what_changed_and_what_is_wrong() {
    let site = broken();
    let report = |site: &TestSite, command: &str| {
        site.runpress(&[command, "-q", "--report", "markdown"])
            .stdout
    };
    let text = report(&site, "build");
    assert!(text.starts_with("## Nothing was published: "), "{text}");
    assert!(
        text.contains("| error `sidecar.without-tape` | content/runs/a, b\\: 100% \\<\\&\\>/events.jsonl.annotations.jsonl\\:1\\:1 |"),
        "{text}"
    );
    let good = TestSite::base();
    good.publish();
    good.run("late", &Run::new("0000000c-0000").model("x|<img src=y>"));
    let text = report(&good, "build");
    assert!(text.starts_with("## Published: 2 runs\n"), "{text}");
    assert!(text.contains("| Problems | none |"), "{text}");
    assert!(
        text.contains("- 1 run added\n  - pong v1.0.0 by x\\|\\<img src=y\\> with codex\n"),
        "{text}"
    );
    assert!(!text.contains("### Problems"), "{text}");
    assert!(
        !report(&good, "check").contains("What changed"),
        "nothing is new"
    );
}

#[test]
fn timings_name_every_step() {
    let site = TestSite::base();
    let ran = site.runpress(&["build", "-q", "--timings"]);
    let steps: Vec<_> = ran
        .stderr
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split("  ").next())
        .collect();
    assert_eq!(
        steps,
        [
            "Reading records",
            "Runs",
            "Lists and feeds",
            "Putting it in place"
        ],
        "{}",
        ran.stderr
    );
}
