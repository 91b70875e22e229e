//! An incremental build gives the same bytes as a build from scratch, and does no more work than needed.

pub(crate) mod edits;
mod interrupted;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use runpress::api::pipeline::Outcome;
use runpress::api::site::Overrides;
use tempfile::TempDir;

use crate::support::{FIRST, FIRST_SLUG, Run, TestSite, copy, described, differences, tree};
use edits::{Random, edits};

/// The only cache of a site, if it has one.
pub(super) fn cache(site: &TestSite) -> Option<PathBuf> {
    let entries = fs::read_dir(site.path(".runpress")).ok()?;
    let mut files = entries.map(|entry| entry.expect("an entry").path());
    files.find(|path| path.to_string_lossy().contains("/build-"))
}

/// Builds from scratch, into a copy of the existing site.
pub(crate) struct Reference(TempDir);

impl Reference {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.0.path().join("site")
    }

    pub(crate) fn build(&self, site: &TestSite) -> Outcome {
        for entry in fs::read_dir(self.0.path()).expect("a folder") {
            fs::remove_dir_all(entry.expect("an entry").path()).expect("a removal");
        }
        if site.path("public").exists() {
            copy(&site.path("public"), &self.out());
        }
        let overrides = Overrides {
            out: Some(self.out()),
            ..Overrides::default()
        };
        site.build_with(&overrides)
    }
}

/// Every folder below a folder.
fn folders(root: &Path) -> BTreeSet<PathBuf> {
    let entries = walkdir::WalkDir::new(root).min_depth(1).into_iter();
    let folders = entries.map(|entry| entry.expect("a readable folder"));
    let folders = folders.filter(|entry| entry.file_type().is_dir());
    let below = |path: &Path| path.strip_prefix(root).expect("below").to_owned();
    folders.map(|entry| below(entry.path())).collect()
}

/// Builds incrementally and from scratch, and compares everything; `true` if a site was published.
fn compare(site: &TestSite, reference: &Reference, what: &str) -> bool {
    let expected = reference.build(site);
    let built = site.build();
    let says = |outcome: &Outcome| {
        (
            described(outcome),
            (outcome.published, outcome.runs, outcome.quarantined),
            (outcome.files, outcome.bytes, outcome.not_published),
            outcome.cases.len(),
            outcome.changes().map(|build| build.build),
        )
    };
    assert_eq!(says(&built), says(&expected), "{what}");
    let (left, right) = (tree(&reference.out()), site.published());
    assert_eq!(differences(&left, &right), [""; 0], "{what}");
    let folders = [reference.out(), site.path("public")].map(|root| folders(&root));
    assert_eq!(folders[0], folders[1], "{what}");
    built.published
}

pub(crate) fn many_kinds() -> TestSite {
    let site = TestSite::base();
    let settings =
        "[build]\nminify = false\n\n[policy]\non_invalid = \"quarantine\"\n\n[feeds]\nitems = 4\n";
    site.write(
        "site.toml",
        format!("{}\n{settings}", site.text("site.toml")),
    );
    for n in 1..6 {
        site.run(&format!("r{n}"), &edits::run(n));
    }
    site
}

/// As `many_kinds`, with prefixed run folders.
fn many_kinds_prefixed() -> TestSite {
    let site = many_kinds();
    let settings = "[publish]\nrun_folders = \"prefixed\"\n";
    site.replace("site.toml", "[build]\n", &format!("{settings}\n[build]\n"));
    site
}

/// Applies every kind of edit once, in an order that depends on the seed; sometimes two at once.
fn stays_exact(site: &TestSite, seed: u64) {
    let reference = Reference::new();
    let mut random = Random(seed);
    compare(site, &reference, "the first build");
    let edits = edits();
    let mut ahead: Vec<_> = edits.iter().collect();
    let mut published = 0;
    while !ahead.is_empty() {
        let (name, edit) = ahead.swap_remove(random.below(ahead.len()));
        edit(site, &mut random);
        let mut what = format!("seed {seed}, {} edits left: {name}", ahead.len());
        if random.below(4) == 0 {
            let (name, edit) = &edits[random.below(edits.len())];
            edit(site, &mut random);
            what = format!("{what}, and {name}");
        }
        published += usize::from(compare(site, &reference, &what));
    }
    assert!(
        published > edits.len() / 2,
        "only {published} builds published"
    );
}

#[test]
fn after_each_of_many_edits_the_site_is_that_of_a_fresh_build() {
    stays_exact(&many_kinds(), 1);
}

#[test]
fn after_each_of_many_edits_in_another_order_the_site_is_that_of_a_fresh_build() {
    stays_exact(&many_kinds_prefixed(), 2);
}

/// Stamps of every file of the site.
#[cfg(unix)]
fn looks(site: &TestSite) -> std::collections::BTreeMap<PathBuf, (u64, i64, i64)> {
    use std::os::unix::fs::MetadataExt;
    let entries = walkdir::WalkDir::new(site.path("public")).into_iter();
    let entries = entries.map(|entry| entry.expect("a readable folder"));
    let files = entries.filter(|entry| entry.file_type().is_file());
    let looks = files.map(|entry| {
        let meta = entry.metadata().expect("a file");
        let look = (meta.ino(), meta.ctime(), meta.ctime_nsec());
        (entry.into_path(), look)
    });
    looks.collect()
}

#[cfg(unix)]
#[test]
fn where_nothing_changed_no_file_is_written_and_the_summary_says_so() {
    let site = TestSite::base();
    site.publish();
    // Files written in the last few milliseconds are read again.
    site.publish();
    let before = looks(&site);
    let cache_before = fs::read(cache(&site).expect("a cache")).expect("a cache");
    let ran = site.runpress("build").ok();
    ran.says("Nothing changed in");
    ran.says("1 run, ");
    assert_eq!(looks(&site), before);
    assert_eq!(
        fs::read(cache(&site).expect("a cache")).expect("a cache"),
        cache_before
    );
}

#[cfg(unix)]
#[test]
fn files_that_hold_the_same_stay_and_those_that_changed_are_replaced() {
    let site = TestSite::base();
    site.run("other", &edits::run(7));
    site.publish();
    let before = looks(&site);
    let writeup = format!("{FIRST}/writeup.md");
    site.write(&writeup, format!("{}\nMore.\n", site.text(&writeup)));
    site.publish();
    let after = looks(&site);
    let changed: BTreeSet<String> = after
        .iter()
        .filter(|(path, look)| before.get(*path) != Some(*look))
        .map(|(path, _)| {
            let path = path.strip_prefix(site.path("public")).expect("below");
            path.to_string_lossy().into_owned()
        })
        .collect();
    let page = format!("runs/{FIRST_SLUG}/index.html");
    assert!(changed.contains(&page), "{changed:?}");
    assert!(changed.contains("feeds/changes.json"), "{changed:?}");
    for stays in [
        "runs/index.html",
        "index.html",
        "feeds/runs.json",
        "404.html",
    ] {
        assert!(!changed.contains(stays), "{stays}: {changed:?}");
    }
}

#[test]
fn a_fresh_checkout_reuses_everything_by_its_content() {
    let site = TestSite::base();
    site.run("other", &Run::new("9f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11"));
    site.publish();
    // A checkout has new times, and a CI cache restores the site as copies.
    let clone = TestSite::bare();
    copy(site.root(), clone.root());
    let page = clone.path(&format!("public/runs/{FIRST_SLUG}/index.html"));
    let modified = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let before = modified(&page);
    clone.publish();
    assert_eq!(modified(&page), before, "the page was not written again");
    assert_eq!(differences(&site.published(), &clone.published()), [""; 0]);
}

#[test]
fn a_text_that_was_damaged_in_the_cache_is_made_again() {
    let site = TestSite::base();
    site.publish();
    let path = cache(&site).expect("a cache");
    let mut bytes = fs::read(&path).expect("a cache");
    // The body of the file begins with the text of a list.
    let at = bytes.windows(8).position(|text| text == b"\"type\":\"");
    bytes[at.expect("a line of a feed")] ^= 1;
    fs::write(&path, bytes).expect("a cache");
    site.run("other", &edits::run(7));
    compare(&site, &Reference::new(), "with a damaged text");
}

#[test]
fn the_cache_is_left_out_of_versions_and_copies_and_follows_no_link() {
    let site = TestSite::base();
    site.publish();
    assert_eq!(site.text(".runpress/.gitignore"), "*\n");
    assert!(
        site.text(".runpress/CACHEDIR.TAG")
            .starts_with("Signature: 8a477f597d28d172789f06886806bc55")
    );
    let aside = tempfile::tempdir().expect("a temporary folder");
    fs::remove_dir_all(site.path(".runpress")).expect("a removal");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(aside.path(), site.path(".runpress")).expect("a link");
        site.publish();
        assert_eq!(tree(aside.path()).len(), 0);
        assert!(
            site.path(".public.runpress").is_dir(),
            "it is beside the site"
        );
    }
}

#[test]
fn a_build_checks_commitments_again_when_the_key_of_redactions_changes() {
    let site = TestSite::base();
    let withhold = ["redact", FIRST, "--event", "0", "--quote", "a", "--reason"];
    site.runpress(&[&withhold[..], &["copyright"]].concat())
        .ok();
    site.publish();
    let key = site.text("redaction.key");
    site.write("redaction.key", "0".repeat(64));
    let says = described(&site.build());
    assert!(format!("{says:?}").contains("redaction.stale"), "{says:?}");
    assert!(!compare(&site, &Reference::new(), "with another key"));
    site.write("redaction.key", key);
    assert!(compare(&site, &Reference::new(), "with the first key"));
}
