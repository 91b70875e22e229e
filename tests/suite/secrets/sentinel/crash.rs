//! A build that runs out of memory, and a secret as a command-line argument.

use std::process::Command;

use super::{key, leaks, pieces, run, written};
use crate::full_run::whole;
use crate::support::{FIRST, Run, TestSite, command, first, messages, tree};

#[test]
#[cfg(target_os = "linux")]
fn a_build_that_runs_out_of_memory_leaves_no_part_of_a_secret() {
    let (key, site) = (key(), TestSite::empty());
    for n in 0..12 {
        let folder = format!("r{n}");
        site.run(&folder, &Run::new(&format!("{n:08x}-0000")));
        let log = messages(400).replace("message 7", &key);
        site.write(&format!("content/runs/{folder}/events.jsonl"), log);
    }
    std::fs::create_dir_all(site.path("tmp")).expect("a folder");
    let (before, pieces) = (tree(site.root()), pieces(&key));
    let mut crashed = 0;
    for megabytes in [40, 60, 80, 120, 160, 220, 300, 400, 600] {
        let ran = Command::new("sh")
            .args([
                "-c",
                &format!(
                    "ulimit -c 0; ulimit -v {}; exec \"$0\" \"$@\"",
                    megabytes << 10
                ),
            ])
            .arg(command().get_program())
            .args([
                "--color",
                "never",
                "build",
                "-v",
                "--keep-going",
                "--fresh",
                "--jobs",
                "2",
            ])
            .current_dir(site.root())
            .env("TMPDIR", site.path("tmp"))
            .env("RUST_BACKTRACE", "1")
            .output()
            .expect("the shell runs");
        crashed += usize::from(ran.status.code().is_none_or(|code| code > 2));
        for printed in [&ran.stdout, &ran.stderr] {
            assert!(!pieces.is_match(printed), "{megabytes} MB");
        }
        assert_eq!(written(&site, &before, &pieces), [""; 0], "{megabytes} MB");
    }
    assert!(crashed > 0, "no build ran out of memory");
}

#[test]
fn what_explains_and_what_looks_for_a_secret_do_not_repeat_it() {
    let (key, site) = (key(), whole());
    let review = first("writeup.md");
    site.replace(&review, "It works", &format!("It printed {key} and works"));
    let (found, printed) = leaks(&site, &key);
    assert_eq!(found, [""; 0]);
    let code = printed.split("secret.").nth(1).expect("a code");
    let code = code.split(|c: char| !c.is_ascii_lowercase()).next();
    let code = format!("secret.{}", code.expect("a name"));
    let before = tree(site.root());
    for arguments in [
        &["explain", &code][..],
        &["explain", &key],
        &["schema", &key],
        &["redact", FIRST, "--all", "--dry-run"],
        &[
            "redact",
            FIRST,
            "--file",
            "writeup.md",
            "--quote",
            &key,
            "--dry-run",
        ],
        &[
            "redact",
            FIRST,
            "--file",
            "writeup.md",
            "--quote",
            &format!("{key}."),
            "--dry-run",
        ],
        &["redact", FIRST, "--finding", "0123456789abcdef"],
        &[
            "annotate",
            FIRST,
            "--event",
            "1",
            "--kind",
            "note",
            "--evidence",
            "x",
            "--quote",
            &key,
        ],
        &["import", "writeup.md", "--dry-run"],
    ] {
        let ran = run(&site, arguments);
        // An argument may be repeated if it is not a value of the site.
        let is_asked = arguments.contains(&"explain") || arguments.contains(&"schema");
        let printed = [ran.stdout, ran.stderr].concat();
        assert!(
            is_asked || !pieces(&key).is_match(&printed),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&printed)
        );
        if !arguments.contains(&"annotate") {
            assert_eq!(written(&site, &before, &pieces(&key)), [""; 0]);
        }
    }
}
