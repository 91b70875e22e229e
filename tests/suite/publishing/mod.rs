//! At any moment there is a complete site: the old one or the new one.

mod folders;
mod guarded;
mod hosts;
mod interrupted;

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;

use crate::support::{Run, TestSite, command, contains, differences, first, messages};

/// Temporary names of runpress next to the output folder.
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
        let path = first(broken);
        let good = site.bytes(&path);
        site.write(&path, "{");
        site.runpress("build")
            .exits(1)
            .says("Nothing was published");
        assert_eq!(differences(&before, &site.published()), [""; 0]);
        assert_eq!(litter(site.root()), [""; 0]);
        site.write(&path, good);
    }
}

/// An unprivileged account.
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
    contains(&told, "publish.io");
    contains(&told, format!("`{leftover}`"));
}

#[test]
fn no_diagnostic_of_a_missing_root_or_a_refused_folder_holds_the_path_of_the_machine() {
    let site = TestSite::base();
    site.write("public/letter.txt", "mine");
    site.runpress("build --report json=one.json");
    site.write("site.toml", "[build]\ncontent = [\"nowhere\"]\n");
    site.runpress("build --report json=two.json");
    let root = site.root().to_str().expect("UTF-8");
    for report in ["one.json", "two.json"] {
        assert!(
            !site.text(report).contains(root),
            "{report}: {}",
            site.text(report)
        );
    }
}
