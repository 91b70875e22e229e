//! A site that exceeds the limits of its host is refused before anything is replaced.

use std::fs;

use crate::shards::shard;
use crate::support::{codes, differences};

use super::many_runs;

/// Files and bytes of a site, and the size of its largest file.
fn weight(site: &crate::support::TestSite) -> (u64, u64, u64) {
    let sizes = walkdir::WalkDir::new(site.path("public"))
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file() && entry.file_name() != ".runpress")
        .map(|entry| fs::metadata(entry.path()).map_or(0, |meta| meta.len()));
    sizes.fold((0, 0, 0), |(files, bytes, largest), size| {
        (files + 1, bytes + size, largest.max(size))
    })
}

#[test]
fn a_site_at_its_budget_is_published_and_one_above_it_is_not() {
    let site = many_runs(3, "model");
    site.write("site.toml", "");
    site.runpress("build").ok();
    let (files, bytes, largest) = weight(&site);
    let entries = fs::read_dir(site.path("public/runs")).map_or(0, Iterator::count) as u64;
    let budget = |files: u64, bytes: u64, largest: u64, entries: u64| {
        site.write(
            "site.toml",
            format!("[budget]\nfiles = {files}\nbytes = {bytes}\nfile = {largest}\nentries = {entries}\n"),
        );
    };
    let root = fs::read_dir(site.path("public")).map_or(0, Iterator::count) as u64;
    let entries = entries.max(root).max(50);
    budget(files, bytes, largest, entries);
    for arguments in [&["check"][..], &["build"], &["build", "--fresh"]] {
        site.runpress(arguments).ok();
    }
    let before = site.published();
    for (key, (files, bytes, largest)) in [
        ("files", (files - 1, bytes, largest)),
        ("bytes", (files, bytes - 1, largest)),
        ("file", (files, bytes, largest - 1)),
    ] {
        budget(files, bytes, largest, entries);
        for arguments in [&["check"][..], &["build"], &["build", "--fresh"]] {
            let ran = site.runpress(arguments);
            assert_eq!(ran.status, Some(1), "{key} {arguments:?}: {}", ran.stderr);
            ran.says("publish.over-budget");
            ran.says(format!("`{key}`"));
        }
        assert_eq!(differences(&before, &site.published()), [""; 0]);
    }
    budget(files, bytes, largest, 2);
    let ran = site.runpress("build --keep-going").exits(1);
    ran.says("The fullest folders");
    ran.says("The largest runs");
}

#[cfg(feature = "parquet")]
#[test]
fn a_site_with_a_budget_is_exported() {
    let site = many_runs(3, "model");
    site.write("site.toml", "[budget]\nfiles = 100000\n");
    let ran = site.runpress(&["export", "huggingface", "dataset"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(site.path("dataset/README.md").exists());
}

#[test]
fn a_merge_of_a_site_above_its_budget_leaves_the_site() {
    let site = many_runs(4, "model");
    site.write("site.toml", "");
    site.runpress("build").ok();
    let before = site.published();
    site.write("site.toml", "[budget]\nfiles = 10\n");
    for number in [1, 2] {
        shard(&site, number, 2);
    }
    let ran = site.runpress("merge parts/1 parts/2").exits(1);
    ran.says("publish.over-budget");
    ran.says("The largest runs: `runs/");
    assert_eq!(differences(&before, &site.published()), [""; 0]);
}

#[test]
fn flat_folders_are_a_warning_until_the_site_is_published() {
    let site = many_runs(30, "model");
    site.write("site.toml", "[budget]\nentries = 50\n");
    let warns = |arguments: &[&str]| {
        let ran = site.runpress(arguments).ok();
        ran.stderr.contains("publish.flat-folders")
    };
    assert!(warns(&["check"]));
    for number in [1, 2] {
        let found = codes(&shard(&site, number, 2));
        assert!(!found.contains(&"publish.flat-folders"), "{found:?}");
    }
    assert!(warns(&["merge", "parts/1", "parts/2", "--out", "merged"]));
    assert!(warns(&["build"]));
    for arguments in [&["check"][..], &["build"], &["build", "--fresh"]] {
        assert!(!warns(arguments), "{arguments:?}");
    }
}
