//! The command line: options, reports, exit status.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use runpress::api::site::Overrides;
use serde_json::Value;

use crate::support::{FIRST, Run, TestSite, command, runpress_in};

#[test]
fn the_exit_status_says_how_it_went() {
    let site = TestSite::base();
    assert_eq!(site.runpress(&["check"]).status, Some(0));
    assert_eq!(site.runpress(&["build"]).status, Some(0));
    site.write(&format!("{FIRST}/run-record.json"), "{");
    assert_eq!(
        site.runpress(&["check"]).status,
        Some(1),
        "the content has errors"
    );
    assert_eq!(
        site.runpress(&["build"]).status,
        Some(1),
        "the content has errors"
    );
    for usage in [
        &["frobnicate"][..],
        &["check", "--jobs", "0"],
        &["check", "--jobs", "many"],
        &["build", "--base-url", "ftp://x"],
        &["check", "--report", "xml"],
        &["check", "--report", "json="],
        &["check", "-q", "-v"],
        &["check", "--deny", "errors"],
        &[],
    ] {
        let ran = site.runpress(usage);
        assert_eq!(ran.status, Some(2), "{usage:?}: {}", ran.stderr);
        assert!(!ran.stderr.is_empty(), "{usage:?}");
    }
    site.write("site.toml", "[site]\ntitel = 1\n");
    assert_eq!(
        site.runpress(&["check"]).status,
        Some(2),
        "site.toml has errors"
    );
    site.write("site.toml", "[build]\ncontent = [\"nowhere\"]\n");
    assert_eq!(
        site.runpress(&["check"]).status,
        Some(2),
        "the content root is not there"
    );
    let elsewhere = tempfile::tempdir().expect("a folder");
    let ran = runpress_in(elsewhere.path(), &["check"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("`runpress new DIR`"), "{}", ran.stderr);
    assert_eq!(
        runpress_in(site.root(), &["check", "--root", "nowhere"]).status,
        Some(2),
        "the root is not there"
    );
    let ran = site.runpress(&["check", "--report", "json=no/such/folder/report.json"]);
    assert_eq!(ran.status, Some(2), "the report cannot be written");
}

#[test]
fn version_and_help_go_to_standard_output() {
    let site = TestSite::empty();
    for (arguments, part) in [
        (&["--version"][..], "runpress "),
        (&["--help"], "Usage"),
        (&["build", "--help"], "--out"),
    ] {
        let ran = site.runpress(arguments);
        assert_eq!(
            (ran.status, ran.stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
        assert!(ran.stdout.contains(part), "{}", ran.stdout);
    }
}

#[test]
fn the_version_names_the_commit_it_was_made_from() {
    let ran = TestSite::empty().runpress(&["--version"]);
    let version = format!("runpress {}", env!("CARGO_PKG_VERSION"));
    let rest = ran
        .stdout
        .trim_end()
        .strip_prefix(&version)
        .expect("the version");
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args(["-C", env!("CARGO_MANIFEST_DIR")])
            .args(arguments)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // Unpacked sources have no git history of their own.
    let is_own = git(&["rev-parse", "--show-prefix"]).is_some_and(|prefix| prefix.is_empty());
    match git(&["rev-parse", "HEAD"]).filter(|_| is_own) {
        None => assert_eq!(rest, ""),
        Some(head) => {
            let commit = rest
                .strip_prefix(" (")
                .and_then(|rest| rest.strip_suffix(')'));
            let commit = commit.unwrap_or_else(|| panic!("no commit in {rest}"));
            assert!(
                commit.len() >= 7 && head.starts_with(commit),
                "{commit} of {head}"
            );
        }
    }
    assert!(!ran.stdout.contains('/'), "no path of a machine");
}

#[test]
fn output_that_cannot_be_printed_is_a_failure_but_a_closed_pipe_is_not() {
    let asked = [
        &["schema"][..],
        &["schema", "run-record"],
        &["explain"],
        &["explain", "record.syntax"],
        &["man"],
        &["completions", "bash"],
    ];
    for arguments in asked {
        let full = std::fs::File::create("/dev/full").expect("the device that is always full");
        let into = |stdout: std::process::Stdio| {
            let output = command().args(arguments).stdout(stdout).output();
            let output = output.expect("the binary runs");
            let told = String::from_utf8(output.stderr).expect("UTF-8");
            (output.status.code(), told)
        };
        let (status, told) = into(full.into());
        assert_eq!(status, Some(2), "{arguments:?}: {told}");
        assert!(told.contains("standard output"), "{arguments:?}: {told}");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let closed = into(writer.into());
        assert_eq!(closed, (Some(0), String::new()), "{arguments:?}");
    }
}

#[test]
fn every_shell_completes_every_command_and_the_manual_names_them_all() {
    let site = TestSite::empty();
    let help = site.runpress(&["--help"]).stdout;
    let list = help.split("Commands:\n").nth(1).expect("commands");
    let commands: Vec<&str> = list
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty())
        .collect();
    assert!(
        commands.len() >= 8 && commands.contains(&"annotate"),
        "{commands:?}"
    );
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = site.runpress(&["completions", shell]);
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{shell}");
        for command in &commands {
            assert!(ran.stdout.contains(command), "{shell}: {command}");
        }
        assert!(
            ran.stdout.contains("--friction-kind") || ran.stdout.contains("friction-kind"),
            "{shell}"
        );
    }
    assert_eq!(site.runpress(&["completions", "cmd"]).status, Some(2));
    let page = site.runpress(&["man"]);
    assert_eq!((page.status, page.stderr.as_str()), (Some(0), ""));
    for command in commands.iter().filter(|command| **command != "help") {
        let name = format!("runpress\\-{}(1)", command.replace('-', "\\-"));
        assert!(page.stdout.contains(&name), "{name}: {}", page.stdout);
    }
    let ran = site.runpress(&["man", "share/man"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    for command in commands.iter().filter(|command| **command != "help") {
        assert!(
            site.text(&format!("share/man/runpress-{command}.1"))
                .contains(".SH DESCRIPTION")
        );
    }
    assert!(site.path("share/man/runpress.1").is_file());
    site.write("file", "");
    assert_eq!(site.runpress(&["man", "file"]).status, Some(2));
}

#[test]
fn explain_says_what_a_code_means_and_names_the_nearest_of_an_unknown_one() {
    let site = TestSite::empty();
    let known = site.runpress(&["explain", "record.missing-field"]);
    assert_eq!(known.status, Some(0));
    crate::support::assert_snapshot("cli", "explain", &known.stdout);
    let unknown = site.runpress(&["explain", "record.mising-feild"]);
    assert_eq!((unknown.status, unknown.stdout.as_str()), (Some(2), ""));
    assert!(
        unknown
            .stderr
            .contains("Did you mean `record.missing-field`?"),
        "{}",
        unknown.stderr
    );
    let all = site.runpress(&["explain"]);
    assert_eq!(
        all.stdout.lines().count(),
        runpress::api::diagnostics::codes::all().count()
    );
}

#[test]
fn the_root_is_found_from_a_folder_below_it() {
    let site = TestSite::base();
    for folder in ["", "content", FIRST] {
        let ran = runpress_in(&site.path(folder), &["build"]);
        assert_eq!(ran.status, Some(0), "{folder}: {}", ran.stderr);
        assert!(site.path("public/index.html").is_file(), "{folder}");
        assert!(!site.path("content/public").exists());
        std::fs::remove_dir_all(site.path("public")).expect("a removal");
    }
}

#[test]
fn paths_of_the_command_line_are_relative_to_the_working_directory() {
    let site = TestSite::base();
    site.write(
        "elsewhere/runs/a/run-record.json",
        Run::new("0000000a-1").record(),
    );
    let folder = site.path("elsewhere");
    let ran = runpress_in(&folder, &["build", "--content", "runs", "--out", "site"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        site.path("elsewhere/site/runs/pong-codex-sample-lark-1-0000000a/index.html")
            .is_file()
    );
    assert!(!site.path("public").exists());
}

#[test]
fn several_content_options_replace_the_configured_roots() {
    let site = TestSite::base();
    for name in ["one", "two"] {
        site.write(
            &format!("{name}/run/run-record.json"),
            Run::new(&format!("{name}-1")).record(),
        );
    }
    let ran = site.runpress(&["build", "--content", "one", "--content", "two"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let runs = site.json("feeds/runs.json");
    let mut ids: Vec<_> = runs["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| run["id"].as_str().unwrap_or_default())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, ["one-1", "two-1"], "the base run is not among them");
    let ran = site.runpress(&["check", "--content", "one", "--content", "nowhere"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
}

#[test]
fn reports_for_people_and_for_programs_are_written_at_once() {
    let site = TestSite::base();
    site.write(&format!("{FIRST}/run-record.json"), "{");
    let ran = site.runpress(&["check", "--report", "human", "--report", "json=report.json"]);
    assert_eq!(ran.status, Some(1));
    assert!(
        ran.stdout.contains("error[record.syntax]"),
        "{}",
        ran.stdout
    );
    let report: Value = serde_json::from_str(&site.text("report.json")).expect("JSON");
    assert_eq!(report["diagnostics"][0]["code"], "record.syntax");
    let ran = site.runpress(&["check", "--report", "json"]);
    let report: Value =
        serde_json::from_str(&ran.stdout).expect("JSON on standard output, and nothing else");
    assert_eq!(report["summary"]["errors"], 1);
    assert!(!ran.stderr.contains("record.syntax"), "{}", ran.stderr);
}

#[test]
fn quiet_prints_problems_only_and_verbose_adds_notes() {
    let site = TestSite::base();
    let ran = site.runpress(&["build", "-q"]);
    assert_eq!(
        (ran.status, ran.stdout.as_str(), ran.stderr.as_str()),
        (Some(0), "", "")
    );
    site.write(&format!("{FIRST}/events.jsonl"), "{\"half\n\n\n");
    site.write(
        &format!("{FIRST}/events.jsonl.annotations.jsonl"),
        format!("{}\n", crate::support::HEADER),
    );
    let ran = site.runpress(&["check", "-q"]);
    assert!(
        ran.stderr.starts_with("warning[events.unparsable-line]")
            && !ran.stderr.contains("Checked"),
        "{}",
        ran.stderr
    );
    site.run(
        "twin",
        &Run::new("4f1c2d3e-0").at("2026-03-05T10:00:00Z", "2026-03-05T10:00:00Z"),
    );
    assert!(
        !site
            .runpress(&["check"])
            .stderr
            .contains("archive.slug-collision")
    );
    assert!(
        site.runpress(&["check", "-v"])
            .stderr
            .contains("note[archive.slug-collision]")
    );
}

#[test]
fn colour_is_used_only_when_asked_for_or_on_a_terminal() {
    let site = TestSite::base();
    site.write(&format!("{FIRST}/run-record.json"), "{");
    let root = site.root().to_str().expect("UTF-8");
    let printed =
        |color: &str| runpress_in(site.root(), &["--root", root, "check", "--color", color]).stderr;
    assert!(printed("always").contains("\u{1b}["));
    assert!(!printed("never").contains('\u{1b}') && !printed("auto").contains('\u{1b}'));
}

#[test]
fn a_finished_build_prints_one_summary() {
    let site = TestSite::base();
    let ran = site.runpress(&["build"]);
    let last = ran.stderr.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("Published in ")
            && last.contains("1 run, ")
            && last.contains(" files, no warnings, "),
        "{last}"
    );
    assert!(last.ends_with("KiB"), "{last}");
}

#[test]
fn a_check_finds_what_only_writing_the_site_could_find() {
    for (path, text, code) in [
        ("static/index.html", "mine", "publish.duplicate-path"),
        ("static/feeds/runs.json/x", "mine", "publish.duplicate-path"),
        ("templates/run.html", "{{ run.titel }}", "template.render"),
        ("templates/404.html", "{% if %}", "template.invalid"),
    ] {
        let site = TestSite::base();
        site.write(path, text);
        let (checked, built) = (site.runpress(&["check"]), site.runpress(&["build"]));
        assert!(checked.stderr.contains(code), "{path}: {}", checked.stderr);
        assert!(built.stderr.contains(code), "{path}: {}", built.stderr);
        assert_eq!((checked.status, built.status), (Some(2), Some(2)), "{path}");
    }
}

#[test]
fn paths_in_a_content_root_outside_the_site_are_relative_to_it() {
    let (site, outside) = (TestSite::empty(), TestSite::bare());
    outside.write("deep/run/run-record.json", "{");
    let overrides = Overrides {
        content: vec![outside.root().to_owned()],
        ..Overrides::default()
    };
    assert_eq!(
        site.check_with(&overrides).diagnostics[0].place.path,
        "deep/run/run-record.json"
    );
}

#[test]
fn no_command_waits_for_a_pipe() {
    for (pipe, arguments, expected) in [
        ("log.jsonl", &["import", "log.jsonl", "--case", "c"][..], 1),
        ("logs/log.jsonl", &["import", "logs", "--case", "c"], 1),
        ("site.toml", &["check"], 2),
        ("site.toml", &["build"], 2),
        ("static/pipe.css", &["build"], 2),
        ("templates/pipe.html", &["build"], 2),
        ("content/pages/pipe.md", &["check"], 1),
        ("content/withdrawn.toml", &["check"], 1),
    ] {
        let site = TestSite::base();
        site.write(pipe, "").remove(pipe);
        let made = Command::new("mkfifo").arg(site.path(pipe)).status();
        assert!(made.expect("mkfifo runs").success());
        let mut process = command()
            .current_dir(site.root())
            .args(arguments)
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        // Nobody ever writes to it, or reads from it.
        let start = Instant::now();
        let status = loop {
            if let Some(status) = process.try_wait().expect("a status") {
                break status.code();
            }
            if start.elapsed() > Duration::from_mins(1) {
                process.kill().expect("an end");
                process.wait().expect("an end");
                break None;
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(status, Some(expected), "{pipe} {arguments:?}");
    }
}

#[test]
fn an_option_that_was_removed_names_what_replaces_it() {
    let site = TestSite::base();
    let ran = site.runpress(&["build", "--plan", "plan.json"]);
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.stderr.contains("rclone sync --checksum"),
        "{}",
        ran.stderr
    );
    assert!(
        !site
            .runpress(&["build", "--help"])
            .stdout
            .contains("--plan")
    );
}
