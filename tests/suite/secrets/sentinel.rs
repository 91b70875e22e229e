//! Nothing repeats a secret: every byte that a command writes or prints is searched for every part of one.

mod crash;
mod places;
mod withheld;

use std::collections::BTreeMap;
use std::process::{Output, Stdio};
use std::time::Duration;

use aho_corasick::AhoCorasick;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::keys::families;
use crate::full_run::whole;
use crate::hostile;
use crate::support::{Run, TestSite, command, messages, tree};
use places::Put;

const FORMATS: [&str; 6] = ["human", "json", "github", "sarif", "junit", "markdown"];

/// The secret in each of the places.
fn key() -> String {
    families()[0].secret(7).text
}

/// Matches any twelve characters of the secret, and the secret in Base64.
fn pieces(key: &str) -> AhoCorasick {
    let plain = (0..key.len() - 12).map(|at| key[at..at + 12].to_owned());
    let encoded = (0..3).map(|skip| STANDARD.encode(&key[skip..])[4..24].to_owned());
    let all: Vec<String> = plain.chain(encoded).collect();
    AhoCorasick::new(all).expect("a few short texts")
}

/// Runs the binary, with its temporary files also below the site.
fn run(site: &TestSite, arguments: &[&str]) -> Output {
    std::fs::create_dir_all(site.path("tmp")).expect("a folder");
    command()
        .current_dir(site.root())
        .env("TMPDIR", site.path("tmp"))
        .args(["--color", "never"])
        .args(arguments)
        .output()
        .expect("the binary runs")
}

/// The files before a command; some of them contain the secret.
type Before = BTreeMap<String, Vec<u8>>;

/// New or changed files below the site that contain a part of the secret.
fn written(site: &TestSite, before: &Before, pieces: &AhoCorasick) -> Vec<String> {
    let files = tree(site.root()).into_iter();
    files
        .filter(|(path, bytes)| before.get(path) != Some(bytes))
        .filter(|(path, bytes)| pieces.is_match(path) || pieces.is_match(bytes))
        .map(|(path, _)| path)
        .collect()
}

/// The places of parts of the secret after check, build and a second build, and the output of the last one.
fn leaks(site: &TestSite, key: &str) -> (Vec<String>, String) {
    let (before, pieces) = (tree(site.root()), pieces(key));
    let reports = FORMATS.map(|format| format!("--report={format}={format}.out"));
    let reports: Vec<&str> = reports.iter().map(String::as_str).collect();
    let mut found = Vec::new();
    let mut printed = String::new();
    let build = ["build", "-v", "--keep-going"];
    for arguments in [&["check", "-v"][..], &["check"], &build, &build, &["build"]] {
        let ran = run(site, &[arguments, &reports].concat());
        for (name, bytes) in [("standard output", &ran.stdout), ("console", &ran.stderr)] {
            if pieces.is_match(bytes) {
                found.push(format!("{arguments:?}: {name}"));
            }
        }
        let files = written(site, &before, &pieces).into_iter();
        found.extend(files.map(|path| format!("{arguments:?}: {path}")));
        printed = site.text("human.out");
    }
    (found, printed)
}

/// Leaks of a site with the secret in a place, and whether it was reported as expected.
fn problems(all: &[(&str, Put)], reported: Option<bool>) -> Vec<String> {
    let key = key();
    let mut problems = Vec::new();
    for (name, put) in all {
        let site = whole();
        site.run("healthy", &Run::new("0000000a-1"));
        put(&site, &key);
        let (found, printed) = leaks(&site, &key);
        problems.extend(found.into_iter().map(|leak| format!("{name}: {leak}")));
        if reported.is_some_and(|reported| printed.contains("secret.") != reported) {
            problems.push(format!("{name}: {printed}"));
        }
    }
    problems
}

#[test]
fn a_secret_is_reported_and_repeated_nowhere_wherever_it_would_be_published() {
    let problems = problems(&places::published(), Some(true));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn what_is_never_published_is_not_reported() {
    let problems = problems(&places::private(), Some(false));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn other_problems_of_a_file_with_a_secret_do_not_repeat_it() {
    let problems = problems(&places::broken(), None);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_secret_in_every_string_of_a_site_is_repeated_nowhere() {
    let key = key();
    let site = hostile::site(&format!("the token {key} was printed"), "all");
    let (found, printed) = leaks(&site, &key);
    assert_eq!(found, [""; 0]);
    assert!(printed.contains("secret."), "{printed}");
}

#[test]
fn a_build_killed_at_any_moment_leaves_no_part_of_a_secret() {
    let (key, site) = (key(), TestSite::empty());
    for n in 0..60 {
        let folder = format!("r{n}");
        site.run(&folder, &Run::new(&format!("{n:08x}-0000")));
        let mut log = messages(20);
        if n % 3 == 0 {
            log = log.replace("message 7", &key);
        }
        site.write(&format!("content/runs/{folder}/events.jsonl"), log);
    }
    std::fs::create_dir_all(site.path("tmp")).expect("a folder");
    let (before, pieces) = (tree(site.root()), pieces(&key));
    for moment in 0..24 {
        let mut child = command()
            .current_dir(site.root())
            .env("TMPDIR", site.path("tmp"))
            .args(["build", "-v", "--keep-going", "--jobs", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        std::thread::sleep(Duration::from_millis(moment * 12));
        child.kill().expect("a kill");
        child.wait().expect("an end");
        assert_eq!(written(&site, &before, &pieces), [""; 0], "moment {moment}");
    }
    let ran = run(&site, &["build", "-v", "--keep-going"]);
    assert!(ran.status.success());
    assert!(site.path("public").exists());
    assert_eq!(written(&site, &before, &pieces), [""; 0]);
}

#[test]
fn the_search_for_parts_of_a_secret_finds_them() {
    let (key, site) = (key(), whole());
    let before = tree(site.root());
    site.write("plain", &key[20..36]);
    site.write("encoded", STANDARD.encode(format!("1{key}")));
    site.write_first(&key, "");
    let found = written(&site, &before, &pieces(&key));
    assert_eq!(found.len(), 3, "{found:?}");
}
