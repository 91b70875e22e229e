//! A merge has the same reports and exit status as one build, whatever its parts were built from.

use std::fs;

use crate::full_run::furnish;
use crate::incremental::edits;
use crate::support::{Run, TestSite, differences, tree};

const REPORTS: [&str; 5] = ["json", "github", "sarif", "junit", "markdown"];

/// Runs the binary with a report of each kind. Returns the exit status, the console output after the steps, and the reports.
fn run(site: &TestSite, name: &str, arguments: &[&str]) -> (Option<i32>, String, Vec<String>) {
    fs::create_dir_all(site.path("reports")).expect("a folder");
    let file = |kind: &str| site.path(&format!("reports/{name}.{kind}"));
    let options = REPORTS.map(|kind| format!("--report={kind}={}", file(kind).display()));
    let options = options.iter().map(String::as_str);
    let human = ["--report=human"];
    let arguments: Vec<&str> = arguments
        .iter()
        .copied()
        .chain(options)
        .chain(human)
        .collect();
    let ran = site.runpress(&arguments);
    let reports = REPORTS.map(|kind| fs::read_to_string(file(kind)).expect("a report"));
    (ran.status, ran.stdout, reports.to_vec())
}

/// Builds at once and in each number of shards, with the same options, and compares everything. Returns the exit status.
fn compare(site: &TestSite, options: &[&str]) -> Option<i32> {
    let one = site.path("one").display().to_string();
    let expected = run(site, "one", &[&["build", "--out", &one], options].concat());
    for count in 1..=7_u32 {
        let mut statuses = Vec::new();
        let mut parts: Vec<String> = Vec::new();
        for number in 1..=count {
            let part = site.path(&format!("parts/{number}")).display().to_string();
            let shard = format!("{number}/{count}");
            let ran =
                site.runpress(&[&["build", "--shard", &shard, "--out", &part], options].concat());
            assert!(matches!(ran.status, Some(0 | 1)), "{}", ran.stderr);
            statuses.push(ran.status);
            parts.insert(parts.len() / 2, part);
        }
        let merged = site.path("merged").display().to_string();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let arguments = [&["merge", "--out", &merged], &*parts, options].concat();
        let found = run(site, "merged", &arguments);
        assert_eq!(found, expected, "{count} shards");
        let sites = ["one", "merged"].map(|name| site.path(name));
        assert_eq!(sites[0].exists(), sites[1].exists());
        if sites[0].exists() {
            let [one, merged] = sites.each_ref().map(|site| tree(site));
            assert_eq!(differences(&one, &merged), [""; 0], "{count} shards");
        }
        // The next merge also starts without an earlier site.
        let _ = fs::remove_dir_all(site.path("merged"));
        if found.0 == Some(0) {
            assert!(
                statuses.iter().all(|status| *status == Some(0)),
                "{statuses:?}"
            );
        }
    }
    expected.0
}

/// A site with drafts, several tapes, notes about keys, and a run that is never published.
fn archive() -> TestSite {
    let site = TestSite::base();
    for n in 1..9 {
        site.run(&format!("r{n}"), &edits::run(n));
    }
    furnish(&site, "content/runs/r1");
    site.run("never", &edits::run(9).state("superseded"));
    site.write(
        "content/pages/new.md",
        "+++\ndraft = true\n+++\n\nNot yet.\n",
    );
    let list = "[[run]]\nid = \"gone\"\nreason = \"Twice.\"\n";
    site.write("content/withdrawn.toml", list);
    site.write("content/runs/r6/writeup.md", "A review without a rating.\n");
    let record = "content/runs/r3/run-record.json";
    site.replace(record, "\"status\":", "\"stautus\": 1,\n  \"status\":");
    site
}

fn break_runs(site: &TestSite) {
    site.write_first("events.jsonl", "{\n");
    site.write("content/runs/r4/writeup.md", "+++\nrating = [\n+++\n");
    site.write("content/runs/r4/events.jsonl.annotations.jsonl", "{\n");
    site.write("content/runs/broken/run-record.json", "{");
    site.write("content/runs/broken/events.jsonl", "{\n");
    let twice = Run::new("00000005-8a60-4d2e-9a51-0c9f6f1f2b11");
    site.run("twice", &twice);
}

#[test]
fn any_number_of_shards_gives_the_reports_and_the_site_of_one_build() {
    let site = archive();
    assert_eq!(compare(&site, &["--drafts"]), Some(0));
    site.remove("one");
    assert_eq!(compare(&site, &["--deny", "warnings", "-v"]), Some(1));
}

#[test]
fn runs_with_errors_stop_a_merge_as_they_stop_a_build() {
    let site = archive();
    break_runs(&site);
    assert_eq!(compare(&site, &[]), Some(1));
}

#[test]
fn runs_with_errors_are_quarantined_by_a_merge_as_by_a_build() {
    let site = archive();
    break_runs(&site);
    assert_eq!(compare(&site, &["--keep-going", "-v"]), Some(0));
}

#[test]
fn a_shard_reports_its_own_runs_and_still_leaves_its_part() {
    let site = archive();
    break_runs(&site);
    let mut reported = 0;
    for number in 1..=3 {
        let shard = format!("{number}/3");
        let ran = site.runpress(&["build", "--shard", &shard, "--out", "part"]);
        let count = ran.stderr.matches("error[").count();
        assert_eq!(ran.status, Some(i32::from(count > 0)), "{}", ran.stderr);
        ran.says("Built a part in");
        assert!(site.path("part/part.runpress").exists());
        reported += count;
    }
    let all = site.runpress("check");
    let duplicates = all
        .stderr
        .matches("error[archive.duplicate-run-id]")
        .count();
    let errors = all.stderr.matches("error[").count();
    assert!(duplicates > 0 && reported > 0, "{}", all.stderr);
    assert_eq!(reported + duplicates, errors, "{}", all.stderr);
}

#[test]
fn a_merge_of_records_names_the_runs_that_a_quarantined_one_changes() {
    let site = archive();
    site.write("content/runs/r4/events.jsonl.annotations.jsonl", "{\n");
    site.runpress("build --keep-going --out one").ok();
    for shard in ["1/2", "2/2"] {
        let out = format!("parts/{}", &shard[..1]);
        site.runpress(&["build", "--keep-going", "--shard", shard, "--out", &out])
            .ok();
    }
    for path in tree(&site.path("content")).keys() {
        if path.ends_with("/run-record.json") {
            site.write(
                &format!("records/content/{path}"),
                site.bytes(&format!("content/{path}")),
            );
        }
    }
    fs::rename(site.path("content/runs"), site.path("elsewhere")).expect("a rename");
    let merge = [
        "merge",
        "parts/2",
        "parts/1",
        "--keep-going",
        "--records",
        "records",
        "--out",
        "merged",
    ];
    let refused = site.runpress(&merge).exits(2);
    // Each of them is a problem with its place.
    let lines: Vec<&str> = refused.stderr.lines().collect();
    let problems = lines.windows(2);
    let problems = problems.filter(|pair| pair[0].contains("[merge.needs-content]"));
    let named: Vec<&str> = problems
        .map(|pair| pair[1].trim_start().trim_start_matches("--> "))
        .collect();
    assert!((1..8).contains(&named.len()), "{}", refused.stderr);
    assert!(!named.contains(&"content/runs/r4"), "{named:?}");
    assert!(!site.path("merged").exists());
    for run in named {
        let name = run.rsplit('/').next().expect("a name");
        fs::create_dir_all(site.path("content/runs")).expect("a folder");
        fs::rename(site.path("elsewhere").join(name), site.path(run)).expect("a rename");
    }
    site.runpress(&merge).ok();
    let [one, merged] = ["one", "merged"].map(|name| tree(&site.path(name)));
    assert_eq!(differences(&one, &merged), [""; 0]);
}

#[cfg(feature = "parquet")]
#[test]
fn a_merge_exports_the_tables_of_one_build_and_only_where_the_content_is() {
    let site = archive();
    let export = |name: &str| format!("--export=parquet={}", site.path(name).display());
    site.runpress(&["build", "--out", "one", &export("tables")])
        .ok();
    for shard in ["1/3", "2/3", "3/3"] {
        let out = format!("parts/{}", &shard[..1]);
        site.runpress(&["build", "--shard", shard, "--out", &out])
            .ok();
    }
    let merge = ["merge", "parts/3", "parts/1", "parts/2", "--out", "merged"];
    site.runpress(&[&merge[..], &[&*export("merged-tables")]].concat())
        .ok();
    let [one, merged] = ["tables", "merged-tables"].map(|name| tree(&site.path(name)));
    assert!(one.len() > 4, "{}", one.len());
    assert_eq!(differences(&one, &merged), [""; 0]);
    // One run has only its record.
    let record = site.bytes("content/runs/r2/run-record.json");
    site.write("records/content/runs/r2/run-record.json", record);
    fs::rename(site.path("content/runs/r2"), site.path("elsewhere")).expect("a rename");
    let before = tree(&site.path("merged"));
    let records = [&*export("merged-tables"), "--records", "records"];
    let ran = site.runpress(&[&merge[..], &records].concat()).exits(2);
    let found = ran.stderr.contains("error[merge.needs-content]") && ran.stderr.contains("runs/r2");
    assert!(found, "{}", ran.stderr);
    assert_eq!(differences(&before, &tree(&site.path("merged"))), [""; 0]);
    assert_eq!(
        differences(&merged, &tree(&site.path("merged-tables"))),
        [""; 0]
    );
}
