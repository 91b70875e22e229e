//! A new site checks without warnings, builds, and never replaces existing files.

use runpress::api::author::starter::FILES;

use crate::crawl::problems;
use crate::support::{TestSite, runpress_in, tree};

fn parent() -> TestSite {
    TestSite::bare()
}

#[test]
fn a_new_site_checks_without_a_warning_and_builds() {
    let place = parent();
    let ran = runpress_in(place.root(), &["new", "deep/my-site"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    assert!(
        ran.stdout.contains("cd deep/my-site\n  runpress build\n"),
        "{}",
        ran.stdout
    );
    let site = place.path("deep/my-site");
    assert_eq!(tree(&site).len(), FILES.len());
    let ran = runpress_in(&site, &["check", "--deny", "warnings"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let ran = runpress_in(
        &site,
        &[
            "build",
            "--deny",
            "warnings",
            "--base-url",
            "https://example.org",
        ],
    );
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(problems(&tree(&site.join("public"))), [""; 0]);
    let ran = runpress_in(
        &site,
        &[
            "annotate",
            "content/runs/sample",
            "--event",
            "1",
            "--kind",
            "note",
        ],
    );
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
}

#[test]
fn the_run_of_a_new_site_has_everything_and_says_that_it_is_a_sample() {
    let place = parent();
    assert_eq!(
        runpress_in(place.root(), &["new", "."]).status,
        Some(2),
        "site.toml is there"
    );
    place.remove("site.toml");
    assert_eq!(
        runpress_in(place.root(), &["new", "."]).status,
        Some(0),
        "the folder is empty"
    );
    place.publish();
    let slug = "sample-word-count-sample-harness-sample-model-1-5a3b1e00";
    let run = place.json(&format!("runs/{slug}/run.json"));
    assert_eq!(run["tapes"][0]["events"], 13);
    let annotations = run["annotations"].as_array().expect("annotations");
    let kinds: Vec<_> = annotations.iter().map(|a| a["kind"].as_str()).collect();
    assert_eq!(kinds, [Some("marker"), Some("correct")]);
    assert_eq!(run["threads"]["annotationCount"], 1);
    assert_eq!(run["review"]["rating"], "great");
    assert_eq!(run["transcript"]["withheld"]["private"], 1);
    for (path, text) in FILES.iter().filter(|(path, _)| path.contains("/runs/")) {
        assert!(text.to_lowercase().contains("sample"), "{path}");
    }
    let page = place.page(&format!("runs/{slug}/index.html"));
    assert!(page.main().contains("Sample content"));
    assert!(
        page.texts("body")
            .concat()
            .contains("was made up by the command runpress new")
    );
}

#[test]
fn existing_files_are_never_replaced() {
    let place = parent();
    place.write("taken/content/runs/mine/run-record.json", "{}");
    place.write("file", "mine");
    place.write("link-target/mine", "");
    let before = tree(place.root());
    for (folder, part) in [
        ("taken", "it contains `content`"),
        ("file", "The file `file` already exists"),
        ("file/below", "could not be written"),
    ] {
        let ran = runpress_in(place.root(), &["new", folder]);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(2), ""), "{folder}");
        assert!(ran.stderr.contains(part), "{folder}: {}", ran.stderr);
    }
    assert_eq!(before, tree(place.root()));
}

#[test]
fn a_folder_with_nothing_but_a_history_is_empty() {
    let place = parent();
    place.write("cloned/.git/HEAD", "ref: refs/heads/main\n");
    let ran = runpress_in(place.root(), &["new", "cloned"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(place.text("cloned/.git/HEAD"), "ref: refs/heads/main\n");
}

#[test]
fn the_next_step_can_be_pasted_whatever_the_folder_is_called() {
    let place = parent();
    for (folder, word) in [
        ("a b/c d", "'a b/c d'"),
        ("it's", r"'it'\''s'"),
        ("$HOME", "'$HOME'"),
        ("größe_1.2", "größe_1.2"),
    ] {
        let ran = runpress_in(place.root(), &["new", folder]);
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
        let next = format!("\n  cd {word}\n");
        assert!(ran.stdout.contains(&next), "{}", ran.stdout);
    }
}
