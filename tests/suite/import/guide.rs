//! Every command on the page about imports does what the page says.

use crate::support::{copy, fixture};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_runpress");

fn samples(below: &str) -> PathBuf {
    fixture("import").join(below)
}

/// The shell commands on the page.
fn commands() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("content/pages/import.md");
    let page = fs::read_to_string(page).expect("the page");
    let blocks = page.split("```sh\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap_or_default().to_owned());
    blocks.collect()
}

#[test]
fn every_command_of_the_page_about_imports_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    copy(
        &samples("codex/localpush/sessions"),
        &at("home/.codex/sessions"),
    );
    fs::create_dir_all(at("my-site/logs")).expect("a folder");
    let log = samples("inspect/log_read_sample.eval");
    fs::copy(log, at("my-site/logs/popularity.eval")).expect("a copy");
    copy(&samples("harbor"), &at("my-site/jobs"));
    fs::create_dir_all(at("bin")).expect("a folder");
    std::os::unix::fs::symlink(PROGRAM, at("bin/runpress")).expect("a link");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", at("bin").display());
    let mut place = folder.path().to_owned();
    let mut told = Vec::new();
    // `runpress new` requires a new folder.
    fs::rename(at("my-site"), at("later")).expect("renamed");
    for commands in commands() {
        // The page says what to add to the settings.
        if commands.trim() == "runpress import ~/.codex/sessions --dry-run" {
            let page = fs::read_to_string("content/pages/import.md").expect("the page");
            let toml = page
                .split("```toml\n")
                .nth(1)
                .and_then(|rest| rest.split("```").next());
            let settings = place.join("site.toml");
            let text = fs::read_to_string(&settings).expect("settings");
            fs::write(settings, text + "\n" + toml.expect("a block")).expect("settings");
        }
        let done = Command::new("bash")
            .args(["-euc", &commands])
            .current_dir(&place)
            .env("HOME", at("home"))
            .env("PATH", &path)
            .output()
            .expect("bash");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, err) = (text(&done.stdout), text(&done.stderr));
        assert!(done.status.success(), "{commands}\n{out}\n{err}");
        if commands.contains("cd my-site") {
            place = at("my-site");
            copy(&at("later"), &place);
        }
        told.push((commands, out, err));
    }
    let said = |words: &str| {
        told.iter()
            .any(|(_, out, err)| out.contains(words) || err.contains(words))
    };
    for words in [
        "nothing was written",
        "2 runs imported",
        "unchanged",
        "\"toolCalls\"",
    ] {
        assert!(said(words), "{words}: {told:?}");
    }
    let runs = fs::read_dir(at("my-site/public/runs"))
        .expect("runs")
        .count();
    assert!(runs > 2, "{runs} runs");
}
