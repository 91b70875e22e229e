//! A new site checks without warnings, builds, and never replaces existing files.

use runpress::api::author::starter::FILES;

use crate::crawl::problems;
use crate::support::{TestSite, contains, each, runpress_in, tree};

#[test]
fn a_new_site_checks_without_a_warning_and_builds() {
    let place = TestSite::bare();
    let ran = runpress_in(place.root(), "new deep/my-site").quiet();
    ran.prints("cd deep/my-site\n  runpress build\n");
    let site = place.path("deep/my-site");
    assert_eq!(tree(&site).len(), FILES.len());
    runpress_in(&site, "check --deny warnings").ok();
    runpress_in(
        &site,
        "build --deny warnings --base-url https://example.org",
    )
    .ok();
    assert_eq!(problems(&tree(&site.join("public"))), [""; 0]);
    runpress_in(&site, "annotate content/runs/sample --event 1 --kind note").ok();
}

#[test]
fn the_run_of_a_new_site_has_everything_and_says_that_it_is_a_sample() {
    let place = TestSite::bare();
    // A site.toml is there; then the folder is empty.
    runpress_in(place.root(), "new .").exits(2);
    place.remove("site.toml");
    runpress_in(place.root(), "new .").ok();
    place.publish();
    let slug = "sample-word-count-sample-harness-sample-model-1-5a3b1e00";
    let run = place.json(&format!("runs/{slug}/run.json"));
    assert_eq!(run["tapes"][0]["events"], 13);
    assert_eq!(each(&run["annotations"], "kind"), ["marker", "correct"]);
    assert_eq!(run["threads"]["annotationCount"], 1);
    assert_eq!(run["review"]["rating"], "great");
    assert_eq!(run["transcript"]["withheld"]["private"], 1);
    for (path, text) in FILES.iter().filter(|(path, _)| path.contains("/runs/")) {
        assert!(text.to_lowercase().contains("sample"), "{path}");
    }
    let page = place.page(&format!("runs/{slug}/index.html"));
    page.says("Sample content");
    contains(
        &page.texts("body").concat(),
        "was made up by the command runpress new",
    );
}

#[test]
fn existing_files_are_never_replaced() {
    let place = TestSite::bare();
    place
        .write("taken/content/runs/mine/run-record.json", "{}")
        .write("file", "mine");
    let before = tree(place.root());
    for (folder, part) in [
        ("taken", "it contains `content`"),
        ("file", "The file `file` already exists"),
        ("file/below", "could not be written"),
    ] {
        let ran = runpress_in(place.root(), &["new", folder]).exits(2);
        assert_eq!(ran.stdout, "", "{folder}");
        ran.says(part);
    }
    assert_eq!(before, tree(place.root()));
}

#[test]
fn a_folder_with_nothing_but_a_history_is_empty() {
    let place = TestSite::bare();
    place.write("cloned/.git/HEAD", "ref: refs/heads/main\n");
    runpress_in(place.root(), "new cloned").ok();
    assert_eq!(place.text("cloned/.git/HEAD"), "ref: refs/heads/main\n");
}

#[test]
fn the_next_step_can_be_pasted_whatever_the_folder_is_called() {
    let place = TestSite::bare();
    for (folder, word) in [
        ("a b/c d", "'a b/c d'"),
        ("it's", r"'it'\''s'"),
        ("$HOME", "'$HOME'"),
        ("größe_1.2", "größe_1.2"),
    ] {
        let ran = runpress_in(place.root(), &["new", folder]).quiet();
        ran.prints(format!("\n  cd {word}\n"));
    }
}
