//! Files and folders with nearly the names that are read, and sites in which no run is found.

use crate::support::{TestSite, described, first};

#[test]
fn a_run_without_its_event_log_says_which_file_was_probably_meant() {
    let site = TestSite::base();
    site.write_first("event.jsonl", site.bytes(&first("events.jsonl")));
    // Next to the right name, it may be anything.
    assert_eq!(described(&site.check()), [""; 0]);
    site.remove_first("events.jsonl");
    site.unannotated();
    let ran = site.runpress("check").ok();
    for part in [
        "warning[content.misspelled-name]: The file `event.jsonl` is not read: its name is not `events.jsonl`",
        "--> content/runs/first/event.jsonl",
        "Did you mean `events.jsonl`? Then rename the file.",
    ] {
        ran.says(part);
    }
    site.runpress("check --deny warnings").exits(1);
    // Also a build that keeps the run as it was.
    for _ in 0..2 {
        let ran = site.runpress("build");
        ran.says("content.misspelled-name");
    }
}

#[test]
fn a_misspelled_list_of_what_is_withheld_is_an_error() {
    let site = TestSite::base();
    site.write_first("redaction.jsonl", "");
    let ran = site.runpress("build").exits(1);
    ran.says("error[content.misspelled-name]");
}

#[test]
fn lists_and_records_with_other_names_are_reported_where_they_are() {
    let site = TestSite::base();
    site.write("content/decision.jsonl", "");
    site.write("content/withdrawn.tml", "");
    site.write("content/runs/decision.jsonl", "");
    site.write("content/runs/second/run_record.json", "{}");
    let ran = site.runpress("check").ok();
    let places = ran
        .stderr
        .lines()
        .filter_map(|line| line.strip_prefix("--> "));
    assert_eq!(
        places.collect::<Vec<_>>(),
        [
            "content/decision.jsonl",
            "content/runs/second/run_record.json",
            "content/withdrawn.tml"
        ],
        "{}",
        ran.stderr
    );
}

#[test]
fn a_site_without_runs_is_an_error_only_if_runs_were_meant() {
    for (file, status, message, help) in [
        (
            "content/pages/guide.md",
            0,
            "warning[content.no-runs]: No runs found: no folder below `content` has a `run-record.json`\n--> content\n",
            "Put a folder with a `run-record.json` below a content root.",
        ),
        (
            "content/runs/first/Run-Record.json",
            1,
            "error[content.no-runs]: No runs found: no folder below `content` has a `run-record.json`, but there is `content/runs/first/Run-Record.json`\n--> content/runs/first/Run-Record.json\n",
            "Rename the file to `run-record.json`.",
        ),
        (
            "content/first/events.jsonl",
            1,
            "error[content.no-runs]: No runs found: no folder below `content` has a `run-record.json`, but there is `content/first/events.jsonl`\n--> content/first/events.jsonl\n",
            "Write a `run-record.json` into `content/first`, or import a log with `runpress import`.",
        ),
    ] {
        let site = TestSite::empty();
        site.write(file, "{}");
        let ran = site.runpress("check --keep-going");
        assert_eq!(ran.status, Some(status), "{file}\n{}", ran.stderr);
        ran.says(message);
        ran.says(help);
    }
}

#[test]
fn a_content_root_that_is_missing_names_the_folder_next_to_it() {
    let site = TestSite::base();
    std::fs::rename(site.path("content"), site.path("contents")).expect("a rename");
    site.runpress("check")
        .exits(2)
        .says("Did you mean `contents`?");
}
