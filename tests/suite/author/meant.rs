//! How `annotate` selects the run, the tape and the sidecar.

use super::{ID, SHORT_SIDECAR, SIDECAR, TAPE, annotate, harn, written};
use crate::support::{FIRST, FIRST_SLUG, Run, TestSite, runpress_in};

#[test]
fn a_run_is_named_by_path_id_or_address() {
    let site = TestSite::base();
    let absolute = site.path(FIRST);
    let names = [FIRST, absolute.to_str().expect("UTF-8"), ID, FIRST_SLUG];
    for name in names {
        let ran = site.runpress(&["annotate", name, "--event", "0", "--kind", "note"]);
        assert_eq!(ran.status, Some(0), "{name}: {}", ran.stderr);
        assert!(ran.stdout.starts_with(SIDECAR), "{name}: {}", ran.stdout);
    }
    let ids: Vec<_> = written(&site)
        .into_iter()
        .map(|(_, a)| a["id"].clone())
        .collect();
    assert_eq!(
        ids,
        [
            "a-1",
            "ann-0-note",
            "ann-0-note-2",
            "ann-0-note-3",
            "ann-0-note-4"
        ]
    );
    let ran = site.runpress(&[
        "annotate",
        "pong-codex-sample-lark-1-4f1c2d33",
        "--event",
        "0",
        "--kind",
        "note",
    ]);
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(2), ""));
    assert!(
        ran.stderr
            .contains(&format!("Did you mean `{FIRST_SLUG}`?")),
        "{}",
        ran.stderr
    );
    site.run("second", &Run::new(ID));
    let ran = site.runpress(&["annotate", ID, "--event", "0", "--kind", "note"]);
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.stderr
            .contains("`content/runs/first`, `content/runs/second`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn no_tape_an_unknown_tape_and_several_tapes_have_distinct_messages() {
    let site = TestSite::base();
    let ran = annotate(
        &site,
        &["--event", "1", "--kind", "note", "--tape", "run.tape"],
    );
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.stderr.contains("It has `events.jsonl`."),
        "{}",
        ran.stderr
    );
    let tape = concat!(
        "{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8.5\"}\n",
        "{\"type\":\"record\",\"seq\":5,\"phase\":\"user_script\",\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{\"kind\":\"file_delete\",\"path\":\"/workspace/x\"}}\n",
    );
    site.write(&format!("{FIRST}/run.tape"), tape);
    let ran = annotate(&site, &["--event", "1", "--kind", "note"]);
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.stderr
            .contains("Name one with `--tape`: `events.jsonl`, `run.tape`."),
        "{}",
        ran.stderr
    );
    for tape in ["run.tape", "content/runs/first/run.tape"] {
        let ran = annotate(
            &site,
            &["--event", "5", "--kind", "correct", "--tape", tape],
        );
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    }
    assert_eq!(
        site.text(&format!("{FIRST}/run.tape.annotations.jsonl"))
            .lines()
            .count(),
        3
    );
    assert_eq!(
        site.runpress(&["check", "--deny", "warnings"]).status,
        Some(0)
    );
    site.write(&format!("{FIRST}/run.tape"), "{\n");
    let ran = annotate(
        &site,
        &["--event", "5", "--kind", "correct", "--tape", "run.tape"],
    );
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    for file in [
        "events.jsonl",
        "events.jsonl.annotations.jsonl",
        "run.tape",
        "run.tape.annotations.jsonl",
    ] {
        site.remove(&format!("{FIRST}/{file}"));
    }
    let ran = annotate(&site, &["--event", "5", "--kind", "correct"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("has no tape"), "{}", ran.stderr);
}

#[test]
fn a_sidecar_in_harns_short_spelling_is_the_one_that_is_written() {
    let site = harn(&[SHORT_SIDECAR, TAPE]);
    let ran = site.runpress(&[
        "annotate",
        ID,
        "--event",
        "4",
        "--kind",
        "note",
        "--author",
        "lint",
        "--author-kind",
        "system",
    ]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with(
            "content/runs/harn/testbench_replay_fidelity.annotations.jsonl:7: ann-4-note\n"
        ),
        "{}",
        ran.stdout
    );
    site.replace(
        "content/runs/harn/testbench_replay_fidelity.annotations.jsonl",
        "\"tape_path\":",
        "\"tape\":",
    );
    let ran = site.runpress(&["annotate", ID, "--event", "4", "--kind", "note"]);
    assert_eq!(
        ran.status,
        Some(1),
        "a second sidecar is not made: {}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("sidecar.without-tape"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_run_outside_every_site_can_be_annotated() {
    let site = TestSite::base();
    std::fs::remove_file(site.path("site.toml")).expect("a removal");
    let ran = crate::support::runpress_in(
        &site.path("content/runs"),
        &["annotate", "first", "--event", "1", "--kind", "note"],
    );
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(written(&site).len(), 2);
}

#[test]
fn a_run_that_is_the_sites_root_is_shown_by_a_path_that_leads_there() {
    let site = TestSite::base();
    let ran = runpress_in(
        &site.path(FIRST),
        &[
            "annotate", ".", "--root", ".", "--event", "1", "--kind", "note",
        ],
    );
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let shown = "./events.jsonl.annotations.jsonl:";
    assert!(ran.stdout.starts_with(shown), "{}", ran.stdout);
}
