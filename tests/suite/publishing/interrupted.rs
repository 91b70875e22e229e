//! Builds that are killed, interrupted or run out of disk space.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{litter, many_runs, rename_model};
use crate::support::{TestSite, command, differences, tree};

#[test]
fn a_failure_while_writing_leaves_the_site_that_was_there_untouched() {
    let site = TestSite::base();
    site.publish();
    let before = site.published();
    site.write("static/feeds/index.json", "{}");
    site.runpress("build")
        .exits(2)
        .says("publish.duplicate-path");
    assert_eq!(differences(&before, &site.published()), [""; 0]);
    assert_eq!(litter(site.root()), [""; 0]);
}

/// The moment at which a build is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// After this many run folders are staged.
    Staged(usize),
    /// Microseconds after the sites are swapped.
    Swapped(u64),
    /// After the marker of the old site is removed, but not the whole old site.
    Unmarked,
}

/// Starts a build and kills it; `true` if it was still running.
fn kill_at(site: &TestSite, moment: Moment) -> bool {
    let (out, stage) = (site.path("public"), site.path(".public.runpress-staging"));
    let place = || fs::metadata(&out).map(|meta| meta.ino()).ok();
    let before = place();
    let mut child = command()
        .args(["build", "-q", "--root"])
        .arg(site.root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    loop {
        let swapped = place() != before;
        let now = match moment {
            Moment::Staged(count) => {
                swapped
                    || fs::read_dir(stage.join("runs"))
                        .is_ok_and(|entries| entries.count() >= count)
            }
            Moment::Swapped(_) => swapped,
            Moment::Unmarked => swapped && !stage.join(".runpress").exists(),
        };
        if now || child.try_wait().expect("a status").is_some() {
            break;
        }
        // Much shorter than any stage. Polling without a pause would take a core from the build.
        std::thread::sleep(Duration::from_micros(50));
    }
    if let Moment::Swapped(delay) = moment {
        std::thread::sleep(Duration::from_micros(delay));
    }
    let running = child.try_wait().expect("a status").is_none();
    child.kill().expect("a kill");
    child.wait().expect("an end");
    running
}

/// The site without content that continues from build to build: the ledger, its pages, and the size and digest of both.
fn lasting(site: &TestSite) -> BTreeMap<String, Vec<u8>> {
    let mut files = site.published();
    for path in [
        "feeds/changes.json",
        "changes/index.html",
        "feeds/index.json",
        "feeds/index.html",
    ] {
        assert!(files.remove(path).is_some(), "{path}");
    }
    files.retain(|path, _| {
        !path.starts_with("changes/page/") && !path.starts_with("feeds/changes/")
    });
    files
}

/// Kills a build at each moment and checks the result; the next build continues from there.
fn killed_builds(moments: &[Moment]) {
    const RUNS: u32 = 150;
    let site = many_runs(RUNS, "sample/one");
    site.publish();
    // Each site has a page at every address of the other one.
    let renamed = |model: &str| {
        rename_model(&site, RUNS, model);
        site.publish();
        lasting(&site)
    };
    let two = renamed("sample/two");
    let one = renamed("sample/one");
    let sites = [("sample/one", &one), ("sample/two", &two)];
    let (mut current, mut kept, mut changed) = (0, 0, 0);
    for moment in moments {
        let other = 1 - current;
        rename_model(&site, RUNS, sites[other].0);
        let running = kill_at(&site, *moment);
        let found = lasting(&site);
        if differences(sites[current].1, &found).is_empty() {
            kept += usize::from(running);
        } else {
            assert_eq!(
                differences(sites[other].1, &found),
                [""; 0],
                "killed at {moment:?}"
            );
            changed += usize::from(running);
            current = other;
        }
    }
    assert!(
        kept > 5 && changed > 5,
        "kept {kept}, changed {changed}: the moments did not lie around the swap"
    );
    site.runpress("build -q").ok();
    assert_eq!(
        litter(site.root()),
        [""; 0],
        "a build after a killed one clears what that left"
    );
}

/// Moments during staging, and after the sites are swapped.
fn moments() -> Vec<Moment> {
    let staged = (0..14).map(|n| Moment::Staged(n * 150 / 13));
    let swapped = (0..14).map(|n| Moment::Swapped(n * n * 25));
    staged.chain(swapped).collect()
}

#[test]
fn a_build_killed_at_any_moment_leaves_a_whole_site_and_never_blocks_the_next() {
    killed_builds(&[moments(), vec![Moment::Unmarked; 4]].concat());
}

#[test]
fn what_a_stopped_build_left_is_cleared_by_the_next() {
    let site = TestSite::base();
    site.publish();
    let good = site.published();
    let stages: [(&str, &[(&str, &str)]); 3] = [
        ("a folder that was just made", &[]),
        (
            "a half-written stage",
            &[(".runpress", ""), ("runs/x/index.html", "half")],
        ),
        (
            "the old site, whole",
            &[
                (".runpress", "marker"),
                ("index.html", "old"),
                ("feeds/index.json", "{}"),
            ],
        ),
    ];
    for (what, files) in stages {
        fs::create_dir(site.path(".public.runpress-staging")).expect("a folder");
        for (path, text) in files {
            site.write(&format!(".public.runpress-staging/{path}"), text);
        }
        site.publish();
        assert_eq!(litter(site.root()), [""; 0], "{what}");
        assert_eq!(differences(&good, &site.published()), [""; 0], "{what}");
    }
}

#[test]
fn a_site_that_was_put_aside_comes_back_before_the_next_build() {
    let site = TestSite::base();
    site.publish();
    let good = site.published();
    fs::rename(site.path("public"), site.path(".public.runpress-aside")).expect("a move");
    site.write_first("run-record.json", "{");
    site.runpress("build").exits(1);
    assert_eq!(differences(&good, &site.published()), [""; 0]);
    assert_eq!(litter(site.root()), [""; 0]);
}

#[test]
fn a_second_build_of_the_same_folder_stops_at_once_and_breaks_nothing() {
    let site = many_runs(60, "sample/lark-1");
    site.publish();
    let good = site.published();
    let mut children: Vec<_> = (0..6)
        .map(|_| {
            command()
                .args(["build", "-q", "--root"])
                .arg(site.root())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the binary starts")
        })
        .collect();
    let statuses: Vec<_> = children
        .iter_mut()
        .map(|child| child.wait().expect("an end").code())
        .collect();
    assert!(statuses.contains(&Some(0)), "{statuses:?}");
    assert!(
        statuses.iter().all(|status| matches!(status, Some(0 | 2))),
        "{statuses:?}"
    );
    assert_eq!(differences(&good, &site.published()), [""; 0]);
    site.publish();
    assert_eq!(litter(site.root()), [""; 0]);
}

#[test]
fn a_full_disk_leaves_the_site_that_was_there_untouched() {
    let site = many_runs(40, "sample/lark-1");
    fs::create_dir(site.path("disk")).expect("a folder");
    let disk = site.path("disk");
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
        .arg(&disk)
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        #[allow(
            clippy::print_stderr,
            reason = "a reader of the test's output should know"
        )]
        {
            eprintln!("skipped: a tmpfs of 1 MB cannot be mounted here");
        }
        return;
    }
    let result = std::panic::catch_unwind(|| {
        let small = TestSite::base();
        let out = disk
            .join("public")
            .into_os_string()
            .into_string()
            .expect("UTF-8");
        small.runpress(&["build", "--out", &out]).ok();
        let before: BTreeMap<_, _> = tree(&disk.join("public"));
        let ran = site.runpress(&["build", "--out", &out]).exits(2);
        ran.says("publish.io");
        ran.says("No space left");
        assert_eq!(differences(&before, &tree(&disk.join("public"))), [""; 0]);
        assert_eq!(litter(&disk), [""; 0]);
    });
    let unmounted = Command::new("umount")
        .arg(&disk)
        .status()
        .expect("umount runs");
    assert!(unmounted.success());
    if let Err(panic) = result {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn an_interrupted_build_leaves_the_old_site() {
    let site = many_runs(150, "sample/old");
    site.publish();
    let old = site.published();
    rename_model(&site, 150, "sample/new");
    let mut child = command()
        .args(["build", "-q", "--root"])
        .arg(site.root())
        .spawn()
        .expect("the binary starts");
    std::thread::sleep(Duration::from_millis(20));
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(sent.success());
    child.wait().expect("an end");
    let found = site.published();
    if !differences(&old, &found).is_empty() {
        rename_model(&site, 150, "sample/new");
        site.publish();
        assert_eq!(
            differences(&site.published(), &found),
            [""; 0],
            "neither the old nor the new site"
        );
    }
    site.publish();
    assert_eq!(litter(site.root()), [""; 0]);
}
