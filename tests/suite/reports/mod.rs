//! Reports for other programs, and limits on the problems of one broken file.

mod base;
mod floods;
mod formats;

use serde_json::Value;

use crate::support::{HEADER, Ran, Run, TestSite, annotation, lines};

/// A site with an error in one of three runs, a warning in another, and a problem without a run. The folder name of the broken
/// run needs escaping in every format.
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

/// Writes all five reports to files named after their formats.
pub(crate) fn reports(site: &TestSite, command: &str) -> Ran {
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

pub(crate) fn json(site: &TestSite, path: &str) -> Value {
    serde_json::from_str(&site.text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn a_report_without_a_file_is_the_only_standard_output() {
    let site = broken();
    let github = site.runpress("check --report github").stdout;
    assert!(
        github.lines().all(|line| line.starts_with("::")),
        "{github}"
    );
    let sarif = site.runpress("check --report sarif").stdout;
    assert!(serde_json::from_str::<Value>(&sarif).is_ok(), "{sarif}");
    let junit = site.runpress("check --report junit").stdout;
    assert!(junit.starts_with("<?xml"), "{junit}");
}

#[test]
fn what_stops_a_build_is_reported_in_every_format() {
    let site = TestSite::base();
    site.write("site.toml", "[site\n");
    reports(&site, "build").exits(2);
    for format in ["human", "json", "github", "sarif", "junit"] {
        assert!(site.text(format).contains("config.syntax"), "{format}");
    }
}

#[test]
fn timings_name_every_step_and_the_size_of_every_kind_of_file() {
    let site = TestSite::base();
    let ran = site.runpress("build -q --fresh --timings");
    let (steps, sizes) = ran.stderr.split_once("Files:\n").expect("two tables");
    let names = |table: &str| {
        let lines = table.lines().filter_map(|line| line.strip_prefix("  "));
        let names = lines.filter_map(|line| line.split("  ").next());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        names(steps),
        [
            "Reading records",
            "Runs",
            "Site-wide outputs",
            "Replacing the site"
        ],
        "{}",
        ran.stderr
    );
    let sizes = names(sizes);
    let kinds = [
        "Run pages",
        "Event pages, stories",
        "Downloads",
        "run.json, run.md",
        "Lists",
        "Comparison data",
        "Search data",
        "Feeds",
        "Assets and schemas",
        "Total",
    ];
    assert_eq!(sizes[..kinds.len()], kinds, "{}", ran.stderr);
    assert!(sizes[kinds.len()].contains(" bytes written per byte read ("));
}
