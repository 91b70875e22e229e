//! The command line: options, reports, exit status.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use runpress::api::site::Overrides;

use crate::support::{
    FIRST, Run, TestSite, assert_snapshot, command, contains, each, lacks, parse, runpress_in,
};

#[test]
fn the_exit_status_says_how_it_went() {
    let site = TestSite::base();
    site.runpress("check").ok();
    site.runpress("build").ok();
    site.write_first("run-record.json", "{");
    for command in ["check", "build"] {
        site.runpress(command).exits(1); // The content has errors.
    }
    for usage in "frobnicate; check --jobs 0; check --jobs many; build --base-url ftp://x; check --report xml; check --report json=; check -q -v; check --deny errors; ; check --report json=no/such/folder/report.json".split("; ") {
        let ran = site.runpress(usage);
        assert_eq!(ran.status, Some(2), "{usage}: {}", ran.stderr);
        assert!(!ran.stderr.is_empty(), "{usage}");
    }
    for settings in ["[site]\ntitel = 1\n", "[build]\ncontent = [\"nowhere\"]\n"] {
        site.write("site.toml", settings).runpress("check").exits(2);
    }
    let elsewhere = tempfile::tempdir().expect("a folder");
    let ran = runpress_in(elsewhere.path(), "check").exits(2);
    ran.says("`runpress new DIR`");
    runpress_in(site.root(), "check --root nowhere").exits(2);
}

#[test]
fn version_and_help_go_to_standard_output() {
    let site = TestSite::empty();
    for (arguments, part) in [
        ("--version", "runpress "),
        ("--help", "Usage"),
        ("build --help", "--out"),
    ] {
        site.runpress(arguments).quiet().prints(part);
    }
}

#[test]
fn the_version_names_the_commit_it_was_made_from() {
    let ran = TestSite::empty().runpress("--version");
    let version = format!("runpress {}", env!("CARGO_PKG_VERSION"));
    let rest = ran
        .stdout
        .trim_end()
        .strip_prefix(&version)
        .expect("the version");
    let git = |arguments: &[&str]| {
        let git = Command::new("git")
            .args(["-C", env!("CARGO_MANIFEST_DIR")])
            .args(arguments)
            .output();
        let output = git.ok()?;
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
    for line in "schema; schema run-record; explain; explain record.syntax; man; completions bash"
        .split("; ")
    {
        let into = |stdout: Stdio| {
            let output = command().args(line.split(' ')).stdout(stdout).output();
            let output = output.expect("the binary runs");
            let told = String::from_utf8(output.stderr).expect("UTF-8");
            (output.status.code(), told)
        };
        let full = std::fs::File::create("/dev/full").expect("the device that is always full");
        let (status, told) = into(full.into());
        assert_eq!(status, Some(2), "{line}: {told}");
        assert!(told.contains("standard output"), "{line}: {told}");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        assert_eq!(into(writer.into()), (Some(0), String::new()), "{line}");
    }
}

/// The commands that the help lists.
pub(crate) fn commands() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let help = runpress_in(root, &["--help"]).stdout;
    let list = help.split("Commands:\n").nth(1).expect("commands");
    let names = list.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty() && *name != "help");
    let commands: Vec<String> = names.map(str::to_owned).collect();
    assert!(
        commands.len() >= 17 && commands.iter().any(|name| name == "annotate"),
        "{commands:?}"
    );
    commands
}

#[test]
fn the_guide_lists_every_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(root.join("content/pages/guide.md")).expect("the guide");
    let table = guide.split("# Your first site").next().expect("a table");
    for command in commands() {
        contains(table, format!("| `runpress {command}"));
    }
}

#[test]
fn every_shell_completes_every_command_and_the_manual_names_them_all() {
    let site = TestSite::empty();
    let commands = commands();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = site.runpress(&format!("completions {shell}")).quiet();
        let words = commands.iter().map(String::as_str);
        for word in words.chain(["friction-kind"]) {
            assert!(ran.stdout.contains(word), "{shell}: {word}");
        }
    }
    site.runpress("completions cmd").exits(2);
    let page = site.runpress("man").quiet();
    site.runpress("man share/man").quiet();
    for command in &commands {
        page.prints(format!("runpress\\-{}(1)", command.replace('-', "\\-")));
        let page = site.text(&format!("share/man/runpress-{command}.1"));
        contains(&page, ".SH DESCRIPTION");
    }
    assert!(site.path("share/man/runpress.1").is_file());
    site.write("file", "").runpress("man file").exits(2);
}

#[test]
fn explain_says_what_a_code_means_and_names_the_nearest_of_an_unknown_one() {
    let site = TestSite::empty();
    let known = site.runpress("explain record.missing-field").ok();
    assert_snapshot("cli", "explain", &known.stdout);
    let unknown = site.runpress("explain record.mising-feild").exits(2);
    assert_eq!(unknown.stdout, "");
    unknown.says("Did you mean `record.missing-field`?");
    let all = site.runpress("explain").stdout.lines().count();
    assert_eq!(all, runpress::api::diagnostics::codes::all().count());
}

#[test]
fn the_root_is_found_from_a_folder_below_it() {
    let site = TestSite::base();
    for folder in ["", "content", FIRST] {
        runpress_in(&site.path(folder), "build").ok();
        assert!(site.is_published("index.html"), "{folder}");
        assert!(!site.path("content/public").exists());
        site.remove("public");
    }
}

#[test]
fn paths_of_the_command_line_are_relative_to_the_working_directory() {
    let site = TestSite::base();
    site.write(
        "elsewhere/runs/a/run-record.json",
        Run::new("0000000a-1").record(),
    );
    let elsewhere = site.path("elsewhere");
    runpress_in(&elsewhere, "build --content runs --out site").ok();
    assert!(
        elsewhere
            .join("site/runs/pong-codex-sample-lark-1-0000000a/index.html")
            .is_file()
    );
    assert!(!site.path("public").exists());
}

#[test]
fn several_content_options_replace_the_configured_roots() {
    let site = TestSite::base();
    for name in ["one", "two"] {
        let run = Run::new(&format!("{name}-1"));
        site.write(&format!("{name}/run/run-record.json"), run.record());
    }
    site.runpress("build --content one --content two").ok();
    let runs = site.json("feeds/runs.json");
    let mut ids: Vec<_> = each(&runs["runs"], "id")
        .iter()
        .map(|id| id.as_str())
        .collect();
    ids.sort_unstable();
    assert_eq!(
        ids,
        [Some("one-1"), Some("two-1")],
        "the base run is not among them"
    );
    site.runpress("check --content one --content nowhere")
        .exits(2);
}

#[test]
fn reports_for_people_and_for_programs_are_written_at_once() {
    let site = TestSite::base();
    site.write_first("run-record.json", "{");
    let ran = site
        .runpress("check --report human --report json=report.json")
        .exits(1);
    ran.prints("error[record.syntax]");
    let report = parse(&site.text("report.json"));
    assert_eq!(report["diagnostics"][0]["code"], "record.syntax");
    let ran = site.runpress("check --report json");
    assert_eq!(ran.json()["summary"]["errors"], 1);
    lacks(&ran.stderr, "record.syntax");
}

#[test]
fn quiet_prints_problems_only_and_verbose_adds_notes() {
    let site = TestSite::base();
    let ran = site.runpress("build -q").quiet();
    assert_eq!(ran.stdout, "");
    site.log("{\"half\n\n\n");
    let ran = site.runpress("check -q");
    assert!(
        ran.stderr.starts_with("warning[events.unparsable-line]"),
        "{}",
        ran.stderr
    );
    lacks(&ran.stderr, "Checked");
    let twin = Run::new("4f1c2d3e-0").at("2026-03-05T10:00:00Z", "2026-03-05T10:00:00Z");
    site.run("twin", &twin);
    lacks(&site.runpress("check").stderr, "archive.slug-collision");
    site.runpress("check -v")
        .says("note[archive.slug-collision]");
}

#[test]
fn colour_is_used_only_when_asked_for_or_on_a_terminal() {
    let site = TestSite::base();
    site.write_first("run-record.json", "{");
    let root = site.root().to_str().expect("UTF-8");
    let printed = |color: &str| {
        runpress_in(site.root(), &format!("--root {root} check --color {color}")).stderr
    };
    assert!(printed("always").contains("\u{1b}["));
    assert!(!printed("never").contains('\u{1b}') && !printed("auto").contains('\u{1b}'));
}

#[test]
fn a_finished_build_prints_one_summary() {
    let ran = TestSite::base().runpress("build");
    let last = ran.stderr.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("Published in ") && last.ends_with("KiB"),
        "{last}"
    );
    contains(last, "1 run, ");
    contains(last, " files, no warnings, ");
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
        for command in ["check", "build"] {
            site.runpress(command).exits(2).says(code);
        }
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
    for (pipe, line, expected) in [
        ("log.jsonl", "import log.jsonl --case c", 1),
        ("logs/log.jsonl", "import logs --case c", 1),
        ("site.toml", "check", 2),
        ("site.toml", "build", 2),
        ("static/pipe.css", "build", 2),
        ("templates/pipe.html", "build", 2),
        ("content/pages/pipe.md", "check", 1),
        ("content/withdrawn.toml", "check", 1),
    ] {
        let site = TestSite::base();
        site.write(pipe, "").remove(pipe);
        let made = Command::new("mkfifo").arg(site.path(pipe)).status();
        assert!(made.expect("mkfifo runs").success());
        let mut command = command();
        command
            .current_dir(site.root())
            .args(line.split(' '))
            .stderr(Stdio::null());
        let mut process = command.spawn().expect("the binary runs");
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
        assert_eq!(status, Some(expected), "{pipe}: {line}");
    }
}

#[test]
fn an_option_that_was_removed_names_what_replaces_it() {
    let site = TestSite::base();
    let ran = site.runpress("build --plan plan.json").exits(2);
    ran.says("rclone sync --checksum");
    lacks(&site.runpress("build --help").stdout, "--plan");
}
