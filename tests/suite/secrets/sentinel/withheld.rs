//! A secret in every file of a run, withheld by one command: the run is published without a byte of it.

use super::places;
use super::{key, leaks, pieces, run};
use crate::full_run::whole;
use crate::support::{FIRST, FIRST_SLUG};

/// Places outside the text of the run's files, and a link: an address with a marker is invalid, so nothing is published.
const ELSEWHERE: [&str; 12] = [
    "a link",
    "a page",
    "the title of a page",
    "the page of a case",
    "a page with a character reference in a key",
    "a file of the site",
    "a style sheet with a zero byte",
    "a script of the site",
    "the name of a file of the site",
    "the settings of the site",
    "a template of the site",
    "the name of a folder of a run",
];

#[test]
fn a_secret_that_is_withheld_in_every_file_of_a_run_is_published_nowhere() {
    let mut problems = Vec::new();
    for (name, put) in places::published() {
        if ELSEWHERE.contains(&name) {
            continue;
        }
        let (key, site) = (key(), whole());
        put(&site, &key);
        let ran = run(&site, &["redact", FIRST, "--all"]);
        let printed = [ran.stdout, ran.stderr].concat();
        if !ran.status.success() || pieces(&key).is_match(&printed) {
            let printed = String::from_utf8_lossy(&printed).into_owned();
            problems.push(format!("{name}: {printed}"));
            continue;
        }
        let (found, printed) = leaks(&site, &key);
        problems.extend(found.into_iter().map(|leak| format!("{name}: {leak}")));
        if !site.is_published(&format!("runs/{FIRST_SLUG}/index.html")) {
            problems.push(format!("{name}: not published: {printed}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
