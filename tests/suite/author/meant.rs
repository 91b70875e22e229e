//! How `annotate` selects the run, the tape and the sidecar.

use super::{SHORT_SIDECAR, SIDECAR, TAPE, annotate, harn, ids, written};
use crate::support::{FIRST, FIRST_ID, FIRST_SLUG, Run, TestSite, first, runpress_in, sleeps};

#[test]
fn a_run_is_named_by_path_id_or_address() {
    let site = TestSite::base();
    let note = |name: &str| site.runpress(&format!("annotate {name} --event 0 --kind note"));
    let absolute = site.path(FIRST);
    for name in [
        FIRST,
        absolute.to_str().expect("UTF-8"),
        FIRST_ID,
        FIRST_SLUG,
    ] {
        let ran = note(name).ok();
        assert!(ran.stdout.starts_with(SIDECAR), "{name}: {}", ran.stdout);
    }
    assert_eq!(
        ids(&site),
        "a-1 ann-0-note ann-0-note-2 ann-0-note-3 ann-0-note-4"
    );
    let ran = note("pong-codex-sample-lark-1-4f1c2d33").exits(2);
    assert_eq!(ran.stdout, "");
    ran.says(format!("Did you mean `{FIRST_SLUG}`?"));
    site.run("second", &Run::new(FIRST_ID));
    note(FIRST_ID)
        .exits(2)
        .says("`content/runs/first`, `content/runs/second`");
}

#[test]
fn no_tape_an_unknown_tape_and_several_tapes_have_distinct_messages() {
    let site = TestSite::base();
    let correct = |more: &str| annotate(&site, &format!("--event 5 --kind correct {more}"));
    correct("--tape run.tape")
        .exits(2)
        .says("It has `events.jsonl`.");
    site.write_first("run.tape", sleeps([5]));
    let ran = correct("").exits(2);
    ran.says("Name one with `--tape`: `events.jsonl`, `run.tape`.");
    for tape in ["run.tape", "content/runs/first/run.tape"] {
        correct(&format!("--tape {tape}")).ok();
    }
    let sidecar = site.text(&first("run.tape.annotations.jsonl"));
    assert_eq!(sidecar.lines().count(), 3);
    site.runpress("check --deny warnings").ok();
    site.write_first("run.tape", "{\n");
    correct("--tape run.tape").exits(1);
    site.unannotated();
    for file in ["events.jsonl", "run.tape", "run.tape.annotations.jsonl"] {
        site.remove_first(file);
    }
    correct("").exits(2).says("has no tape");
}

#[test]
fn a_sidecar_in_harns_short_spelling_is_the_one_that_is_written() {
    let site = harn(&[SHORT_SIDECAR, TAPE]);
    let note =
        |more: &str| site.runpress(&format!("annotate {FIRST_ID} --event 4 --kind note {more}"));
    let ran = note("--author lint --author-kind system").ok();
    let sidecar = format!("content/runs/harn/{SHORT_SIDECAR}");
    assert!(
        ran.stdout
            .starts_with(&format!("{sidecar}:7: ann-4-note\n")),
        "{}",
        ran.stdout
    );
    site.replace(&sidecar, "\"tape_path\":", "\"tape\":");
    // A second sidecar is not made.
    note("").exits(1).says("sidecar.without-tape");
}

#[test]
fn a_run_outside_every_site_can_be_annotated() {
    let site = TestSite::base();
    site.remove("site.toml");
    let runs = site.path("content/runs");
    runpress_in(&runs, "annotate first --event 1 --kind note").ok();
    assert_eq!(written(&site).len(), 2);
}

#[test]
fn a_run_that_is_the_sites_root_is_shown_by_a_path_that_leads_there() {
    let site = TestSite::base();
    let line = "annotate . --root . --event 1 --kind note";
    let ran = runpress_in(&site.path(FIRST), line).ok();
    let shown = "./events.jsonl.annotations.jsonl:";
    assert!(ran.stdout.starts_with(shown), "{}", ran.stdout);
}
