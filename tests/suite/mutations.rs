//! A run with a damaged file is shown or reported. It never stops the build, and never hides known problems.

use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;
use proptest::sample::Index;

use crate::full_run::whole;
use crate::fuzz_targets::{find, places};
use crate::fuzzing::samples;
use crate::generate::holds;
use crate::mutate::{Mutation, mutation};
use crate::support::{FIRST, TestSite, described, first, rows, tree};

/// A problem in each file that does not depend on other files: what is replaced (or nothing, for the end), by what, and its code.
const TROUBLES: &str = r#"
raw.jsonl | | half⏎ | raw.unparsable-line
run-record.json | "similarity": 0. | "similarity": 7. | record.similarity-out-of-range
events.jsonl | | {"timestamp":"2026-03-01T10:00:09Z","type":"hologram"}⏎ | events.unknown-type
events.jsonl.annotations.jsonl | "marker" | "mrkr" | annotation.unknown-kind
run.tape | "clock_sleep" | "clock_nap" | tape.unknown-kind
run.tape.annotations.jsonl | "note" | "nota" | annotation.unknown-kind
transcript.json | assets/shot.png | ../shot.png | transcript.asset-outside
annotations.json | "resolved":false, | | threads.missing-field
annotations.actions.jsonl | | half⏎ | threads.syntax
writeup.md | rating: great | rating: grand | review.unknown-rating
"#;

/// Path and code of each problem.
fn found(site: &TestSite) -> BTreeSet<(String, &'static str)> {
    let outcome = site.check();
    outcome
        .diagnostics
        .iter()
        .map(|d| (d.place.path.clone(), d.code.name))
        .collect()
}

/// The files to damage: path and bytes of all files of the run, except payloads of tapes, which are named by their digest.
fn files(site: &TestSite) -> Vec<(String, Vec<u8>)> {
    let files = tree(&site.path(FIRST)).into_iter();
    files
        .filter(|(path, _)| !path.contains(".cas/"))
        .map(|(path, bytes)| (first(&path), bytes))
        .collect()
}

fn changes() -> impl Strategy<Value = (Index, Vec<Mutation>)> {
    (any::<Index>(), prop::collection::vec(mutation(), 1..3))
}

/// Damages a file, and returns its path and its bytes from before.
fn damage<'a>(
    site: &TestSite,
    files: &'a [(String, Vec<u8>)],
    file: Index,
    mutations: &[Mutation],
) -> (&'a str, &'a [u8]) {
    let (path, before) = file.get(files);
    let all: Vec<Vec<u8>> = files.iter().map(|(_, bytes)| bytes.clone()).collect();
    let bytes = mutations.iter().fold(before.clone(), |bytes, mutation| {
        mutation.apply(&bytes, &all)
    });
    site.write(path, &bytes);
    (path, before)
}

#[test]
fn a_damaged_file_is_shown_or_reported_and_check_and_build_agree() {
    let site = whole();
    assert_eq!(described(&site.publish()), [""; 0]);
    let files = files(&site);
    holds(60, &changes(), |(file, mutations)| {
        let (path, before) = damage(&site, &files, file, &mutations);
        let _ = fs::remove_dir_all(site.path("public"));
        let (checked, built) = (site.check(), site.build());
        assert_eq!(described(&checked), described(&built));
        let broken = places::has_errors(&built.diagnostics);
        assert_eq!(built.published, !broken, "{:?}", described(&built));
        if built.published {
            assert_eq!(crate::crawl::problems(&site.published()), [""; 0]);
        }
        site.write(path, before);
    });
}

#[test]
fn a_damaged_file_hides_no_problem_of_another() {
    let site = whole();
    for [file, from, to, _] in rows(TROUBLES) {
        let path = first(file);
        let text = site.text(&path);
        let changed = if from.is_empty() {
            format!("{text}{to}")
        } else {
            text.replacen(from, to, 1)
        };
        assert_ne!(text, changed, "{file}");
        site.write(&path, changed);
    }
    let known = rows(TROUBLES).into_iter();
    let known: BTreeSet<(String, &str)> = known
        .map(|[file, _, _, code]| (first(file), code))
        .collect();
    let all = found(&site);
    assert!(known.is_subset(&all), "{:?}", known.difference(&all));
    let files = files(&site);
    holds(300, &changes(), |(file, mutations)| {
        let (path, before) = damage(&site, &files, file, &mutations);
        let now = found(&site);
        let damaged = site.bytes(path);
        site.write(path, before);
        let lost: Vec<_> = known
            .iter()
            .filter(|(of, code)| of != path && !now.contains(&(of.clone(), code)))
            .collect();
        assert!(
            lost.is_empty(),
            "{lost:?} after damage to {path}: {}",
            String::from_utf8_lossy(&damaged)
        );
    });
}

#[test]
fn every_fuzz_target_holds_for_damaged_samples() {
    // All targets, or those with this prefix.
    let wanted = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let samples: Vec<_> = samples()
        .into_iter()
        .filter(|(target, _, bytes)| target.starts_with(&wanted) && bytes.len() < 20_000)
        .collect();
    let others: Vec<Vec<u8>> = samples.iter().map(|(.., bytes)| bytes.clone()).collect();
    let case = (any::<Index>(), prop::collection::vec(mutation(), 1..4));
    holds(1_500, &case, |(sample, mutations)| {
        let (target, _, bytes) = sample.get(&samples);
        let damaged = mutations.iter().fold(bytes.clone(), |bytes, mutation| {
            mutation.apply(&bytes, &others)
        });
        let (_, run) = find(target).expect("a target");
        run(&damaged);
    });
}
