//! Requests that `annotate` refuses without writing anything.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{SIDECAR, annotate};
use crate::support::{FIRST, TestSite, annotation, command, contains, first, lacks, rows, tree};

#[test]
fn what_a_check_would_report_is_refused_with_its_words_and_nothing_is_written() {
    let cases = rows(
        "
--event 4 --kind note | annotation.unknown-event-id
--event 1 --kind praise | annotation.unknown-kind
--event 1 --kind '' | annotation.unknown-kind; The recognized kinds are `correct`, `incorrect`,
--event 1 --kind hypothesis | annotation.hypothesis-status-missing
--event 1 --kind hypothesis --hypothesis-status maybe | sidecar.malformed-line
--event 1 --kind note --hypothesis-status active | annotation.hypothesis-status-unexpected
--event 1 --kind friction | annotation.friction-kind-missing
--event 1 --kind friction --friction-kind toolgap | annotation.friction-kind-unknown; Did you mean `tool_gap`?
--event 1 --kind note --friction-kind tool_gap | annotation.friction-kind-unexpected
--event 2 --kind note --span-end 1 | annotation.invalid-span; before it starts at `2`
--event 2 --kind note --span-end 4 | annotation.invalid-span; last event of the tape is `3`
--event 1 --kind note --quote 'npm test' | annotation.quote-not-found; Event `2` contains it
--event 1 --kind note --evidence '[x](javascript:alert)' | review.unsafe-link
--event 9 --kind praise | annotation.unknown-event-id; annotation.unknown-kind
--event 18446744073709551615 --kind note | annotation.unknown-event-id
--event 1 --kind friction --hypothesis-status active | annotation.hypothesis-status-unexpected; annotation.friction-kind-missing
",
    );
    for with_sidecar in [true, false] {
        let site = TestSite::base();
        if !with_sidecar {
            site.remove(SIDECAR);
        }
        let before = tree(site.root());
        for [arguments, parts] in &cases {
            let ran = annotate(&site, arguments);
            assert_eq!(
                (ran.status, ran.stdout.as_str()),
                (Some(1), ""),
                "{arguments}"
            );
            for part in parts.split("; ") {
                assert!(ran.stderr.contains(part), "{arguments}: {}", ran.stderr);
            }
            assert!(
                ran.stderr.ends_with("Nothing was written.\n"),
                "{}",
                ran.stderr
            );
        }
        assert_eq!(before, tree(site.root()), "nothing was written");
    }
}

#[test]
fn refused_annotations_are_reported_as_by_check() {
    let site = TestSite::base();
    let refused = annotate(&site, "--event 7 --kind note");
    let line = annotation("ann-7-note", 7, "note", "");
    let checked = site.append(SIDECAR, &(line + "\n")).runpress("check -q");
    let first = |text: &str| text.lines().take(2).collect::<Vec<_>>().join("\n");
    assert_eq!(first(&refused.stderr), first(&checked.stderr));
}

#[test]
fn an_existing_problem_does_not_block_but_another_of_its_kind_does() {
    let site = TestSite::base();
    let all = (0..150).map(|n| annotation(&format!("p-{n}"), 0, "praise", ""));
    site.annotate(&all.collect::<Vec<_>>());
    // Even where it is only counted.
    annotate(&site, "--event 1 --kind praise").exits(1);
    annotate(&site, "--event 1 --kind note").quiet();
}

#[test]
fn nothing_is_added_to_a_sidecar_that_is_broken_or_stale() {
    let site = TestSite::base();
    let add = || annotate(&site, "--event 1 --kind note");
    let good = site.text(SIDECAR);
    let stale = good.replace("_version\":1", "_version\":1,\"tape_content_hash\":\"00\"");
    for (text, code) in [
        (good.clone() + "{\n", "sidecar.malformed-line"),
        (String::new(), "sidecar.empty"),
        ("{}\n".to_owned(), "sidecar.missing-header"),
        (stale, "annotation.tape-digest-mismatch"),
    ] {
        site.write(SIDECAR, &text);
        add().exits(1).says(code);
        assert_eq!(site.text(SIDECAR), text);
    }
    site.write(SIDECAR, &good);
    add().ok();
}

#[test]
fn usage_errors_are_reported_before_anything_is_read() {
    let site = TestSite::base();
    site.runpress("annotate").exits(2);
    for arguments in [
        "",
        "--event 1",
        "--kind note",
        "--event one --kind note",
        "--event 1 --kind note --author-kind agent",
    ] {
        annotate(&site, arguments).exits(2);
    }
}

#[test]
fn negative_events_and_empty_authors_are_refused_with_advice_that_works() {
    let site = TestSite::base();
    let before = site.text(SIDECAR);
    for (arguments, told) in [
        (
            "--event -1 --kind note",
            "invalid value '-1' for '--event <N>'",
        ),
        (
            "--event 1 --kind note --span-end -1",
            "invalid value '-1' for '--span-end <N>'",
        ),
        ("--event 1 --kind note --author ''", "omit `--author`"),
        ("--event 1 --kind note --author ' \t'", "omit `--author`"),
    ] {
        let ran = annotate(&site, arguments).exits(2);
        ran.says(told);
        lacks(&ran.stderr, "'-- ");
    }
    assert_eq!(site.text(SIDECAR), before);
}

/// Starts an annotation of the base run.
fn spawned(site: &TestSite) -> Child {
    let mut command = command();
    command.args(["annotate", FIRST, "--event", "1", "--kind", "note"]);
    command
        .current_dir(site.root())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command.spawn().expect("the binary runs")
}

#[test]
fn a_pipe_under_the_name_of_a_file_of_the_run_is_refused_at_once() {
    for name in [
        "run-record.json",
        "events.jsonl",
        "events.jsonl.annotations.jsonl",
    ] {
        let site = TestSite::base();
        site.remove_first(name);
        let made = Command::new("mkfifo").arg(site.path(&first(name))).status();
        assert!(made.expect("mkfifo runs").success());
        // Nobody writes to the pipe, so opening it for reading would block forever.
        let began = Instant::now();
        let mut child = spawned(&site);
        while child.try_wait().expect("a status").is_none() {
            if began.elapsed() > Duration::from_secs(20) {
                child.kill().expect("a kill");
                panic!("it waits for {name}");
            }
            thread::sleep(Duration::from_millis(10));
        }
        let mut said = String::new();
        let mut stderr = child.stderr.take().expect("standard error");
        stderr.read_to_string(&mut said).expect("text");
        assert!(said.contains("not a regular file"), "{name}: {said}");
    }
}

#[test]
fn a_waiting_writer_reports_the_locked_file() {
    let site = TestSite::base();
    let record = File::open(site.path(&first("run-record.json"))).expect("a record");
    record.lock().expect("a lock");
    let mut child = spawned(&site);
    let mut said = String::new();
    let mut stderr = BufReader::new(child.stderr.take().expect("standard error"));
    stderr.read_line(&mut said).expect("a line");
    let waiting = format!("Waiting for another program to unlock `{FIRST}/run-record.json`.\n");
    assert_eq!(said, waiting);
    drop(record);
    assert!(child.wait().expect("an end").success());
    contains(&site.text(SIDECAR), "ann-1-note");
}
