//! Builds that are killed while staging changes or replacing single files.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use crate::support::{Run, TestSite, command, differences, messages};

const RUNS: usize = 90;
/// Fewer than half of the runs change, so files are replaced one by one.
const CHANGED: usize = 40;

/// The moment at which a build is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// Microseconds after the first file is staged.
    Staged(u64),
    /// Microseconds after the journal is created.
    Journal(u64),
}

fn site() -> TestSite {
    let site = TestSite::empty();
    let settings = format!("{}\n[build]\nminify = false\n", site.text("site.toml"));
    site.write("site.toml", settings);
    for n in 0..RUNS {
        site.run(&format!("r{n}"), &Run::new(&format!("{n:08x}-0000")));
        site.write(&format!("content/runs/r{n}/events.jsonl"), messages(5));
    }
    site
}

/// Sets one of two writeups for many runs, and adds or removes a run and a prose page.
fn edit(site: &TestSite, word: &str) {
    for n in 0..CHANGED {
        let text = format!("---\nrating: great\n---\n\nThe game {word}.\n");
        site.write(&format!("content/runs/r{n}/writeup.md"), text);
    }
    if word == "one" {
        site.run("more", &Run::new("ffffffff-0000"));
        site.write("content/pages/more.md", "More.\n");
    } else {
        let _ = fs::remove_dir_all(site.path("content/runs/more"));
        let _ = fs::remove_dir_all(site.path("content/pages"));
    }
}

/// The site without the ledger, which continues from build to build, and without the pages that show it.
fn lasting(site: &TestSite) -> BTreeMap<String, Vec<u8>> {
    let mut files = site.published();
    files.retain(|path, bytes| {
        let is_ledger = path.starts_with("changes/") || path.starts_with("feeds/changes");
        if path.ends_with(".json") {
            serde_json::from_slice::<serde_json::Value>(bytes)
                .unwrap_or_else(|error| panic!("{path} is not whole: {error}"));
        }
        if path.ends_with("index.html") {
            assert!(
                bytes.ends_with(b"</html>") || bytes.ends_with(b"</html>\n"),
                "{path}"
            );
        }
        // The page of a withdrawn run names what became of it.
        let is_gone = path.contains("ffffffff");
        !is_ledger && !is_gone && !matches!(path.as_str(), "feeds/index.json" | "feeds/index.html")
    });
    files
}

/// Kills a build. Returns whether there was a journal, and whether the build was still running.
fn kill_at(site: &TestSite, moment: Moment) -> (bool, bool) {
    let stage = site.path(".public.runpress-staging");
    let journal = stage.join(".runpress-journal");
    let mut child = command()
        .args(["build", "-q", "--root"])
        .arg(site.root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let awaited: PathBuf = match moment {
        Moment::Staged(_) => stage.join("runs"),
        Moment::Journal(_) => journal.clone(),
    };
    while !awaited.exists() && child.try_wait().expect("a status").is_none() {
        std::thread::sleep(Duration::from_micros(20));
    }
    let (Moment::Staged(delay) | Moment::Journal(delay)) = moment;
    std::thread::sleep(Duration::from_micros(delay));
    let running = child.try_wait().expect("a status").is_none();
    child.kill().expect("a kill");
    child.wait().expect("an end");
    (journal.exists(), running)
}

#[test]
#[ignore = "slow"]
fn a_build_killed_at_any_moment_leaves_whole_files_and_the_next_command_completes_the_site() {
    let site = site();
    let of = |word: &str| {
        edit(&site, word);
        site.publish();
        lasting(&site)
    };
    let sites = [("one", of("one")), ("two", of("two"))];
    let staged = (0..30).map(|n| Moment::Staged(n * n * 200));
    let journal = (0..34).map(|n| Moment::Journal(n * n * 5));
    let (mut at, mut half_way, mut mixed, mut killed) = (1, 0, 0, 0);
    // A busy or fast machine can miss the short time in which files are replaced, so those moments are tried up to four times.
    for (tried, moment) in staged.chain(journal.cycle().take(4 * 34)).enumerate() {
        if tried >= 30 + 34 && killed > 30 && half_way > 3 && mixed > 1 {
            break;
        }
        let (old, new) = (&sites[at], &sites[1 - at]);
        edit(&site, new.0);
        let (has_journal, running) = kill_at(&site, moment);
        let found = lasting(&site);
        for (path, bytes) in &found {
            let is_whole = [&old.1, &new.1]
                .iter()
                .any(|site| site.get(path) == Some(bytes));
            assert!(is_whole, "{moment:?}: {path} is neither old nor new");
        }
        for path in old.1.keys().filter(|path| new.1.contains_key(*path)) {
            assert!(found.contains_key(path), "{moment:?}: {path} is gone");
        }
        let is_old = differences(&old.1, &found).is_empty();
        let is_new = differences(&new.1, &found).is_empty();
        // Without a journal, nothing was replaced.
        assert!(has_journal || is_old || is_new, "{moment:?}");
        half_way += usize::from(has_journal);
        mixed += usize::from(!is_old && !is_new);
        killed += usize::from(running);
        site.runpress("build -q").ok();
        assert_eq!(differences(&new.1, &lasting(&site)), [""; 0], "{moment:?}");
        assert!(!site.path(".public.runpress-staging").exists());
        at = 1 - at;
    }
    assert!(killed > 30, "only {killed} builds were killed");
    assert!(
        half_way > 3 && mixed > 1,
        "{half_way} had a journal, {mixed} were mixed"
    );
}

#[test]
fn a_journal_that_is_not_whole_or_leads_outside_is_never_followed() {
    let site = TestSite::base();
    site.publish();
    let good = site.published();
    let steps = |path: &str| {
        let mut bytes = vec![1, 1, u8::try_from(path.len()).expect("short")];
        bytes.extend(path.as_bytes());
        let digest = blake3::hash(&bytes);
        [digest.as_bytes().as_slice(), &bytes].concat()
    };
    site.write("mine.txt", "mine");
    let whole = steps("index.html");
    for (what, journal) in [
        ("it leads outside", steps("../mine.txt")),
        ("it is absolute", steps("/etc/passwd")),
        ("it is cut", whole[..whole.len() - 1].to_vec()),
        ("it is empty", Vec::new()),
        (
            "it claims more than there is",
            [blake3::hash(&[0xff; 9]).as_bytes().as_slice(), &[0xff; 9]].concat(),
        ),
    ] {
        site.write(".public.runpress-staging/.runpress", "");
        site.write(".public.runpress-staging/.runpress-journal", journal);
        site.publish();
        assert_eq!(differences(&good, &site.published()), [""; 0], "{what}");
        assert_eq!(site.text("mine.txt"), "mine", "{what}");
    }
    // A complete journal is replayed, and what it removes is rebuilt.
    site.write(".public.runpress-staging/.runpress", "");
    site.write(".public.runpress-staging/.runpress-journal", whole);
    site.write("content/runs/first/run-record.json", "{");
    site.runpress("build").exits(1);
    assert!(!site.path("public/index.html").exists());
}
