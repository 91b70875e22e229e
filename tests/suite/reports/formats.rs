//! The same problems in each report format.

use serde_json::Value;

use super::{broken, json, reports};
use crate::support::{
    Run, TestSite, annotation, contains, entries, first, lacks, parse, runpress_in,
};

#[test]
fn github_gets_one_command_a_problem_with_everything_escaped() {
    let site = broken();
    reports(&site, "check");
    let github = site.text("github");
    let commands: Vec<&str> = github.lines().collect();
    let starts = [
        "::warning file=content/cases/pnog.md,title=page.unmatched::",
        "::error file=content/runs/a%2C b%3A 100%25 <&>/events.jsonl.annotations.jsonl,line=1,col=1,title=sidecar.without-tape::",
        "::warning file=content/runs/late/events.jsonl,line=1,col=",
    ];
    for (at, start) in starts.into_iter().enumerate() {
        assert!(commands[at].starts_with(start), "{github}");
    }
    // Input values cannot end a command or begin another one.
    let hostile = TestSite::base();
    let kind = r"x%0A\n::error::one\r::two\u001b[31m";
    hostile.annotate(&[annotation("a", 0, kind, "")]);
    let text = hostile.runpress("check --report github").stdout;
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with("::") && text.contains("%250A"), "{text}");
    assert!(!text.contains(['\r', '\u{1b}']), "{text:?}");
}

#[test]
fn github_and_sarif_paths_begin_at_the_working_directory_json_paths_at_the_site() {
    let place = TestSite::bare();
    crate::support::copy(broken().root(), &place.path("docs/a site"));
    place.write("other/second/run-record.json", "{");
    let check = |folder: &str, options: &[&str]| {
        let files = ["--report=json=json", "--report=github=github"];
        let options = [&["check", "--report=sarif=sarif"], &files[..], options].concat();
        runpress_in(&place.path(folder), &options);
        let text = |name: &str| place.text(&format!("{folder}/{name}"));
        let (report, sarif) = (parse(&text("json")), parse(&text("sarif")));
        let error = |list: &Value| {
            let mut list = entries(list).iter();
            let found = list.find(|one| one["severity"] == "error" || one["level"] == "error");
            found.expect("an error").clone()
        };
        let path = error(&report["diagnostics"])["path"].clone();
        let result = error(&sarif["runs"][0]["results"]);
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        let github = text("github");
        let (_, github) = github.split_once("::error file=").expect("an error");
        let github = github.split(',').next();
        [path.as_str(), uri.as_str(), github].map(|path| path.expect("a path").to_owned())
    };
    let rest = "/events.jsonl.annotations.jsonl";
    let path = format!("content/runs/a, b: 100% <&>{rest}");
    let uri = format!("content/runs/a%2C%20b%3A%20100%25%20%3C%26%3E{rest}");
    let github = format!("content/runs/a%2C b%3A 100%25 <&>{rest}");
    let below = [
        path.clone(),
        format!("docs/a%20site/{uri}"),
        format!("docs/a site/{github}"),
    ];
    assert_eq!(check(".", &["--root", "docs/a site"]), below);
    // At the root and below it, paths are relative to the site.
    for folder in ["docs/a site", "docs/a site/content"] {
        assert_eq!(check(folder, &[]), [&*path, &*uri, &*github], "{folder}");
    }
    // A content root outside the site has its own path, and site.toml is found before any content is read.
    let outside = ["--root", "docs/a site", "--content", "other"];
    let (path, seen) = ("second/run-record.json", "other/second/run-record.json");
    assert_eq!(check(".", &outside), [path, seen, seen]);
    place.write("docs/a site/site.toml", "[site\n");
    let settings = [
        "site.toml",
        "docs/a%20site/site.toml",
        "docs/a site/site.toml",
    ];
    assert_eq!(check(".", &["--root", "docs/a site"]), settings);
}

#[test]
fn sarif_is_one_run_of_version_2_1_0_whose_rules_are_those_of_its_results() {
    let site = broken();
    reports(&site, "check");
    let sarif = json(&site, "sarif");
    assert_eq!(sarif["version"], "2.1.0");
    contains(
        sarif["$schema"].as_str().expect("an address"),
        "sarif-2.1.0",
    );
    let runs = entries(&sarif["runs"]);
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0]["columnKind"], "unicodeCodePoints");
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "runpress");
    let rules = entries(&driver["rules"]);
    let mut ids: Vec<_> = rules.iter().map(|rule| rule["id"].as_str()).collect();
    ids.sort_unstable();
    let expected = [
        "events.unparsable-line",
        "page.unmatched",
        "sidecar.without-tape",
    ];
    assert_eq!(ids, expected.map(Some));
    for rule in rules {
        for key in ["shortDescription", "fullDescription", "help"] {
            let text = rule[key]["text"].as_str();
            assert!(text.is_some_and(|text| !text.is_empty()), "{rule:#}");
        }
    }
    let results = entries(&runs[0]["results"]);
    // The most severe problem comes first.
    let error = &results[0];
    assert_eq!(error["ruleId"], "sidecar.without-tape");
    assert_eq!(error["level"], "error");
    for result in results {
        let index =
            usize::try_from(result["ruleIndex"].as_u64().expect("an index")).expect("small");
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(entries(&result["locations"]).len(), 1);
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
    site.replace_first(
        "run-record.json",
        "\"os\": \"Debian GNU/Linux 12\", \"containerImage\": \"test-cabinet/codex:latest\"",
        "\"os\": \"模型𝔪é\", \"containerImage\": 7",
    );
    site.runpress("check --report=sarif=sarif");
    let sarif = json(&site, "sarif");
    let location = &sarif["runs"][0]["results"][0]["locations"][0];
    let record = site.text(&first("run-record.json"));
    let mut lines = record.lines();
    let line = lines.find(|line| line.contains("模型")).expect("the line");
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
    let path = first("events.jsonl");
    let log = site.text(&path);
    let fingerprint = |log: &str| {
        site.write(&path, log);
        site.runpress("check --report=sarif=sarif");
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
    site.runpress("check --report=sarif=sarif");
    let run = &json(&site, "sarif")["runs"][0];
    let results = entries(&run["results"]);
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
        contains(
            &junit,
            r#"<testsuites name="runpress" tests="4" skipped="0" failures="1" errors="0">"#,
        );
        // The broken run, with its path and id escaped.
        let case = |words: &str| {
            let mut cases = junit.split("<testcase ");
            cases
                .find(|case| case.contains(words))
                .expect("a test case")
        };
        let broken = case("<failure ");
        contains(broken, "0000000b-&lt;&amp;&gt;");
        contains(
            broken,
            r#"classname="content/runs/a, b: 100% &lt;&amp;&gt;""#,
        );
        contains(broken, r#"type="sidecar.without-tape""#);
        // Warnings are not failures, but they are reported.
        let late = case("0000000c-0000");
        contains(late, "<system-out>");
        contains(late, "[events.unparsable-line]");
        assert!(junit.contains(r#"classname="site""#), "{junit}");
    }
    let fine = TestSite::base();
    let junit = fine.runpress("check --report junit").stdout;
    contains(&junit, r#"tests="1" skipped="0" failures="0""#);
    lacks(&junit, "<failure");
}

#[test]
fn junit_has_a_failure_for_each_warning_where_warnings_are_denied() {
    let site = broken();
    site.remove("content/runs/a, b: 100% <&>/events.jsonl.annotations.jsonl");
    let junit = |options: &[&str]| {
        let ran = site.runpress(&[&["check", "--report", "junit"], options].concat());
        (ran.status, ran.stdout)
    };
    let (status, text) = junit(&[]);
    assert_eq!((status, text.matches("<failure ").count()), (Some(0), 0));
    let (status, text) = junit(&["--deny", "warnings"]);
    assert_eq!((status, text.matches("<failure ").count()), (Some(1), 2));
    for code in ["events.unparsable-line", "page.unmatched"] {
        assert!(text.contains(&format!(r#" type="{code}""#)), "{text}");
    }
    assert!(text.contains(r#"failures="2""#), "{text}");
}

#[test]
fn junit_is_xml_whatever_the_input_holds() {
    let site = TestSite::base();
    site.annotate(&[annotation(r"]]>\u0000\u0001\ufffe<b>", 99, "note", "")]);
    let junit = site.runpress("check --report junit").stdout;
    contains(&junit, "<failure ");
    lacks(&junit, "<b>");
    let is_xml = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(junit.chars().all(is_xml), "{junit:?}");
}

#[test]
fn the_markdown_report_lists_published_runs_changes_and_problems() {
    let site = broken();
    let report = |site: &TestSite, command: &str| {
        site.runpress(&[command, "-q", "--report", "markdown"])
            .stdout
    };
    let text = report(&site, "build");
    let headline = "## Nothing was published: 1 run with errors, 2 valid\n";
    assert!(text.starts_with(headline), "{text}");
    let text = report(&site, "check");
    let headline = "## Check failed: 1 run with errors, 2 valid\n";
    assert!(text.starts_with(headline), "{text}");
    contains(
        &text,
        "| error `sidecar.without-tape` | `content/runs/a, b: 100% <&>/events.jsonl.annotations.jsonl:1:1` |",
    );
    let good = TestSite::base();
    good.publish();
    good.run("late", &Run::new("0000000c-0000").model("x|<img src=y>"));
    let text = report(&good, "build");
    assert!(text.starts_with("## Published: 2 runs\n"), "{text}");
    assert!(text.contains("| Problems | none |"), "{text}");
    contains(
        &text,
        "- 1 run added\n  - pong v1.0.0 by x\\|\\<img src=y\\> with codex ([0000000c](<https://runs.example.org/runs/pong-codex-x-img-src-y-0000000c/>))\n",
    );
    assert!(!text.contains("### Problems"), "{text}");
    // Without an address, and before there are pages, only the id distinguishes similar runs.
    good.run("later", &Run::new("0000000d-0000"));
    let text = report(&good, "check");
    assert!(text.contains(" with codex (0000000d)\n"), "{text}");
    good.publish();
    let changes = good.page("changes/index.html");
    changes.says("with codex 0000000d");
    lacks(&report(&good, "check"), "What changed");
}
