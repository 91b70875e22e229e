//! Whatever happens, there is a whole site: the old one or the new one.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use runpress::publish::Stage;

use crate::support::{FIRST, Run, TestSite, command, differences, messages, tree};

/// Names beside the output folder that runpress made for itself.
fn litter(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name());
    names
        .filter_map(|name| name.into_string().ok())
        .filter(|name| name.contains(".runpress-"))
        .collect()
}

fn many_runs(count: u32, model: &str) -> TestSite {
    let site = TestSite::empty();
    for n in 0..count {
        let folder = format!("r{n}");
        site.run(&folder, &Run::new(&format!("{n:08x}-0000")).model(model));
        site.write(&format!("content/runs/{folder}/events.jsonl"), messages(20));
    }
    site
}

fn rename_model(site: &TestSite, count: u32, model: &str) {
    for n in 0..count {
        site.run(
            &format!("r{n}"),
            &Run::new(&format!("{n:08x}-0000")).model(model),
        );
    }
}

#[test]
fn errors_leave_the_site_that_was_there_untouched() {
    let site = TestSite::base();
    site.publish();
    let before = site.published();
    for broken in ["events.jsonl.annotations.jsonl", "run-record.json"] {
        let path = format!("{FIRST}/{broken}");
        let good = site.bytes(&path);
        site.write(&path, "{");
        let ran = site.runpress(&["build"]);
        assert_eq!(ran.status, Some(1), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("Nothing was published"),
            "{}",
            ran.stderr
        );
        assert_eq!(differences(&before, &site.published()), [""; 0]);
        assert_eq!(litter(site.root()), [""; 0]);
        site.write(&path, good);
    }
}

#[test]
fn a_failure_while_writing_leaves_the_site_that_was_there_untouched() {
    let site = TestSite::base();
    site.publish();
    let before = site.published();
    site.write("static/feeds/index.json", "{}");
    let ran = site.runpress(&["build"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("publish.duplicate-path"),
        "{}",
        ran.stderr
    );
    assert_eq!(differences(&before, &site.published()), [""; 0]);
    assert_eq!(litter(site.root()), [""; 0]);
}

/// When a build is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// So many run folders are staged.
    Staged(usize),
    /// So many microseconds after the sites changed places.
    Swapped(u64),
    /// The old site's marker is gone, but not yet all of the old site.
    Unmarked,
}

/// Starts a build and kills it; `true` when it was still running.
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
        // A pause that is short beside each stage: who watches without one takes a core from the build.
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

/// The site without what goes on from build to build: the ledger, its pages, and the size and digest of both.
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
    files.retain(|path, _| !path.starts_with("changes/page/"));
    files
}

/// Kills a build at each of the moments and looks at what is there; the next build goes on from that.
fn killed_builds(moments: &[Moment]) {
    const RUNS: u32 = 150;
    let site = many_runs(RUNS, "sample/one");
    site.publish();
    // Each site has a page at every address that the other one has.
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
    let ran = site.runpress(&["build", "-q"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(
        litter(site.root()),
        [""; 0],
        "a build after a killed one clears what that left"
    );
}

/// Moments while the new site is staged, and after the sites changed places.
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

/// An account that is not allowed everything.
const NOBODY: u32 = 65534;

#[test]
fn a_site_that_was_made_read_only_is_replaced_and_what_cannot_be_removed_is_named() {
    let as_nobody = || {
        let mut command = command();
        command.uid(NOBODY).gid(NOBODY).current_dir("/");
        command
    };
    let started = as_nobody().arg("--version").output();
    if !started.is_ok_and(|output| output.status.success()) {
        #[allow(
            clippy::print_stderr,
            reason = "a reader of the test's output should know"
        )]
        {
            eprintln!("skipped: the binary cannot be run by another account here");
        }
        return;
    }
    let site = TestSite::base();
    let root = site.root().to_str().expect("UTF-8");
    chown(site.root(), Some(NOBODY), Some(NOBODY)).expect("its own folder");
    let build = || {
        let output = as_nobody()
            .args(["build", "-q", "--root", root])
            .output()
            .expect("the binary starts");
        (
            output.status.code(),
            String::from_utf8(output.stderr).expect("UTF-8"),
        )
    };
    assert_eq!(build(), (Some(0), String::new()));
    for folder in ["public", "public/runs"] {
        fs::set_permissions(site.path(folder), Permissions::from_mode(0o555)).expect("a change");
    }
    assert_eq!(build(), (Some(0), String::new()));
    assert_eq!(litter(site.root()), [""; 0]);
    let leftover = ".public.runpress-staging";
    site.write(&format!("{leftover}/.runpress"), "of another account");
    let (status, told) = build();
    assert_eq!(status, Some(2), "{told}");
    assert!(
        told.contains("publish.io") && told.contains(&format!("`{leftover}`")),
        "{told}"
    );
}

#[test]
fn a_site_that_was_put_aside_comes_back_before_the_next_build() {
    let site = TestSite::base();
    site.publish();
    let good = site.published();
    fs::rename(site.path("public"), site.path(".public.runpress-aside")).expect("a move");
    site.write(&format!("{FIRST}/run-record.json"), "{");
    assert_eq!(site.runpress(&["build"]).status, Some(1));
    assert_eq!(differences(&good, &site.published()), [""; 0]);
    assert_eq!(litter(site.root()), [""; 0]);
}

#[test]
fn only_an_empty_folder_or_one_that_runpress_wrote_is_replaced() {
    let site = TestSite::base();
    fs::create_dir(site.path("public")).expect("a folder");
    assert_eq!(site.runpress(&["build"]).status, Some(0), "an empty folder");
    assert_eq!(site.runpress(&["build"]).status, Some(0), "its own folder");
    for (name, file) in [
        ("notes", "notes/letter.txt"),
        ("hidden", "hidden/.git/config"),
        ("folders", "folders/a/b"),
    ] {
        site.write(file, "mine");
        let ran = site.runpress(&["build", "--out", name]);
        assert_eq!(ran.status, Some(2), "{name}");
        assert!(
            ran.stderr.contains("publish.foreign-folder"),
            "{}",
            ran.stderr
        );
        assert_eq!(site.text(file), "mine");
    }
    site.write("a-file", "mine");
    assert_eq!(site.runpress(&["build", "--out", "a-file"]).status, Some(2));
    assert_eq!(site.text("a-file"), "mine");
}

#[test]
fn a_foreign_folder_under_the_name_of_the_stage_is_refused() {
    let site = TestSite::base();
    site.write(".public.runpress-staging/letter.txt", "mine");
    let ran = site.runpress(&["build"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert_eq!(site.text(".public.runpress-staging/letter.txt"), "mine");
}

#[test]
fn a_leftover_that_is_a_link_is_refused_and_what_it_leads_to_is_untouched() {
    for name in [".public.runpress-staging", ".public.runpress-aside"] {
        for published in [true, false] {
            let site = TestSite::base();
            // A whole site of runpress, and a folder that looks like what a stopped build left.
            let other = TestSite::base();
            other.publish();
            if published {
                site.publish();
            }
            let before = tree(other.root());
            symlink(other.path("public"), site.path(name)).expect("a link");
            let ran = site.runpress(&["build"]);
            assert_eq!(ran.status, Some(2), "{name}: {}", ran.stderr);
            assert!(
                ran.stderr.contains(&format!(
                    "`{name}` beside the output folder is a link, and runpress makes none"
                )),
                "{}",
                ran.stderr
            );
            assert_eq!(differences(&before, &tree(other.root())), [""; 0], "{name}");
            assert!(site.path(name).is_symlink());
            assert_eq!(site.path("public").exists(), published);
        }
    }
}

#[test]
fn a_link_in_a_leftover_is_removed_and_not_what_it_leads_to() {
    let site = TestSite::base();
    site.write("mine/letter.txt", "mine");
    site.write(".public.runpress-staging/.runpress", "marker");
    site.write(".public.runpress-staging/runs/x/index.html", "half");
    for link in ["mine", "runs/mine", "runs/x/mine"] {
        let link = site.path(".public.runpress-staging").join(link);
        symlink(site.path("mine"), link).expect("a link");
    }
    site.publish();
    assert_eq!(litter(site.root()), [""; 0]);
    assert_eq!(site.text("mine/letter.txt"), "mine");
}

#[test]
fn a_site_that_holds_a_repository_or_a_domain_of_somebody_else_is_refused_and_kept() {
    for (path, name) in [
        (".git/HEAD", ".git"),
        (".git", ".git"),
        (".hg/store", ".hg"),
        ("CNAME", "CNAME"),
    ] {
        let site = TestSite::base();
        site.publish();
        site.write(&format!("public/{path}"), "mine");
        for command in ["check", "build"] {
            let ran = site.runpress(&[command]);
            assert_eq!(ran.status, Some(2), "{path}: {}", ran.stderr);
            let words = format!("The folder `public` holds `{name}`, which runpress did not write");
            assert!(ran.stderr.contains(&words), "{}", ran.stderr);
        }
        assert_eq!(site.text(&format!("public/{path}")), "mine");
    }
    // The same beside the output folder, under the name of what a stopped build left.
    let site = TestSite::base();
    site.write(".public.runpress-staging/.runpress", "marker");
    site.write(".public.runpress-staging/.git/HEAD", "mine");
    assert_eq!(site.runpress(&["build"]).status, Some(2));
    assert_eq!(site.text(".public.runpress-staging/.git/HEAD"), "mine");
}

#[test]
fn a_domain_that_came_from_the_static_files_may_change_and_go() {
    let site = TestSite::base();
    for domain in [Some("one.example"), Some("two.example"), None] {
        if let Some(domain) = domain {
            site.write("static/CNAME", domain);
        } else {
            site.remove("static/CNAME");
        }
        site.publish();
        let published = std::fs::read_to_string(site.path("public/CNAME")).ok();
        assert_eq!(published.as_deref(), domain);
    }
    site.write("public/CNAME", "mine");
    assert_eq!(site.runpress(&["build"]).status, Some(2));
}

#[test]
fn a_folder_of_an_export_is_guarded_as_the_site_is() {
    let site = TestSite::base();
    let open = || Stage::open(&site.path("tables"), "tables", &[]);
    let mut stage = open().expect("a stage");
    stage.write("runs/one.parquet", b"rows").expect("a file");
    stage.swap().expect("it is put in its place");
    drop(stage);
    site.write("tables/.git/HEAD", "mine");
    assert_eq!(
        open().expect_err("a refusal").code.name,
        "publish.foreign-folder"
    );
    fs::remove_dir_all(site.path("tables/.git")).expect("a removal");
    symlink(site.path("tables"), site.path(".tables.runpress-staging")).expect("a link");
    assert_eq!(
        open().expect_err("a refusal").code.name,
        "publish.foreign-folder"
    );
    assert_eq!(site.text("tables/runs/one.parquet"), "rows");
}

#[test]
fn an_output_folder_that_became_a_link_meanwhile_is_not_replaced() {
    let site = TestSite::base();
    site.write("mine/letter.txt", "mine");
    let mut stage = Stage::open(&site.path("public"), "public", &[]).expect("a stage");
    stage.write("index.html", b"new").expect("a file");
    symlink(site.path("mine"), site.path("public")).expect("a link");
    assert!(stage.swap().is_err());
    drop(stage);
    assert!(site.path("public").is_symlink());
    assert_eq!(site.text("mine/letter.txt"), "mine");
    assert_eq!(litter(site.root()), [""; 0]);
}

#[test]
fn an_output_folder_that_is_a_link_has_its_target_replaced() {
    let site = TestSite::base();
    fs::create_dir_all(site.path("disk/site")).expect("a folder");
    symlink(site.path("disk/site"), site.path("public")).expect("a link");
    for _ in 0..2 {
        site.publish();
        assert!(site.path("public").is_symlink());
        assert!(site.path("disk/site/index.html").is_file());
        assert_eq!(litter(site.root()), [""; 0]);
        assert_eq!(litter(&site.path("disk")), [""; 0]);
    }
}

#[test]
fn an_output_folder_that_overlaps_with_the_input_is_refused() {
    let site = TestSite::base();
    symlink(site.path("content"), site.path("alias")).expect("a link");
    fs::create_dir(site.path("templates")).expect("a folder");
    fs::create_dir(site.path("static")).expect("a folder");
    for out in [
        "content/public",
        "content",
        ".",
        "alias/public",
        "templates/out",
        "static",
        "content/runs/../out",
    ] {
        let before = tree(site.root());
        let ran = site.runpress(&["build", "--out", out]);
        assert_eq!(ran.status, Some(2), "{out}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("publish.inside-content"),
            "{out}: {}",
            ran.stderr
        );
        assert_eq!(differences(&before, &tree(site.root())), [""; 0], "{out}");
    }
}

#[test]
fn an_output_folder_in_a_folder_that_would_be_read_is_refused_before_that_is_there() {
    let site = TestSite::base();
    let mut options = vec![
        ["--out", "static/public"],
        ["--out", "static"],
        ["--out", "templates/a/b"],
        ["--out", "content/../templates/public"],
    ];
    if cfg!(feature = "parquet") {
        // The first build has not made `public` yet.
        options.push(["--export", "parquet=public/tables"]);
        options.push(["--export", "parquet=static/tables"]);
    }
    for options in options {
        let before = tree(site.root());
        let ran = site.runpress(&[&["build"], &options[..]].concat());
        assert_eq!(ran.status, Some(2), "{options:?}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("publish.inside-content"),
            "{options:?}: {}",
            ran.stderr
        );
        assert_eq!(
            differences(&before, &tree(site.root())),
            [""; 0],
            "{options:?}"
        );
        for folder in ["static", "templates", "public"] {
            assert!(!site.path(folder).exists(), "{options:?}: {folder}");
        }
    }
}

#[test]
fn a_second_build_of_the_same_folder_waits_for_nobody_and_breaks_nothing() {
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
        assert_eq!(small.runpress(&["build", "--out", &out]).status, Some(0));
        let before: BTreeMap<_, _> = tree(&disk.join("public"));
        let ran = site.runpress(&["build", "--out", &out]);
        assert_eq!(ran.status, Some(2), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("publish.io") && ran.stderr.contains("No space left"),
            "{}",
            ran.stderr
        );
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

#[test]
fn no_diagnostic_of_a_missing_root_or_a_refused_folder_holds_the_path_of_the_machine() {
    let site = TestSite::base();
    site.write("public/letter.txt", "mine");
    site.runpress(&["build", "--report", "json=one.json"]);
    site.write("site.toml", "[build]\ncontent = [\"nowhere\"]\n");
    site.runpress(&["build", "--report", "json=two.json"]);
    let root = site.root().to_str().expect("UTF-8");
    for report in ["one.json", "two.json"] {
        assert!(
            !site.text(report).contains(root),
            "{report}: {}",
            site.text(report)
        );
    }
}
