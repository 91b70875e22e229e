//! Plans of uploads: those of a merge, and those that cannot be written.

use std::fs;

use crate::shards::shard;
use crate::support::differences;

use super::{many_runs, rename_model};

#[test]
fn a_merge_plans_the_same_uploads_as_one_build() {
    let site = many_runs(4, "model");
    for out in ["public", "merged"] {
        assert_eq!(site.runpress(&["build", "--out", out]).status, Some(0));
    }
    rename_model(&site, 2, "other-model");
    let ran = site.runpress(&["build", "--plan", "plan.json"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    for number in [1, 2] {
        shard(&site, number, 2);
    }
    let merge = &["merge", "parts/1", "parts/2", "--out", "merged", "--plan"];
    let ran = site.runpress(&[&merge[..], &["merged.json"]].concat());
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let [build, merge] = ["plan.json", "merged.json"].map(|plan| site.text(plan));
    assert_eq!(build, merge);
    assert!(build.contains("runs/"), "{build}");
}

#[test]
fn a_plan_that_cannot_be_written_stops_the_build_so_that_no_change_is_lost() {
    let site = many_runs(2, "model");
    assert_eq!(site.runpress(&["build"]).status, Some(0));
    let before = site.published();
    rename_model(&site, 1, "other-model");
    fs::create_dir(site.path("folder")).expect("a folder");
    for (plan, says) in [
        ("missing/plan.json", "existing, writable folder"),
        ("folder", "existing, writable folder"),
        ("public/plan.json", "outside of the output folder"),
        ("folder/../public/plan.json", "outside of the output folder"),
    ] {
        let ran = site.runpress(&["build", "--plan", plan]);
        assert_eq!(ran.status, Some(2), "{plan}: {}", ran.stderr);
        assert!(ran.stderr.contains("error[publish.plan]"), "{}", ran.stderr);
        assert!(ran.stderr.contains(says), "{plan}: {}", ran.stderr);
        assert_eq!(differences(&before, &site.published()), [""; 0], "{plan}");
    }
    let ran = site.runpress(&["build", "--plan", "plan.json"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(site.text("plan.json").contains("runs/"));
}

#[test]
fn a_build_that_publishes_nothing_writes_no_plan_and_keeps_an_earlier_one() {
    let site = many_runs(1, "model");
    site.write("content/runs/r0/events.jsonl.annotations.jsonl", "{");
    assert_eq!(
        site.runpress(&["build", "--plan", "plan.json"]).status,
        Some(1)
    );
    assert!(!site.path("plan.json").exists());
    site.write("plan.json", "the last plan");
    assert_eq!(
        site.runpress(&["build", "--plan", "plan.json"]).status,
        Some(1)
    );
    assert_eq!(site.text("plan.json"), "the last plan");
}
