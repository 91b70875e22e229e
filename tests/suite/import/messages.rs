//! Messages of `runpress import` that lead on: what a program printed is not its log, and text of Windows is read.

use serde_json::Value;

use crate::support::{TestSite, fixture};

fn printed(name: &str) -> String {
    let path = fixture("cases").join("printed-sessions").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn what_a_program_printed_is_named_with_the_place_of_its_log_whatever_format_is_named() {
    let site = TestSite::empty();
    for (file, format, words) in [
        (
            "codex-exec.jsonl",
            "codex",
            [
                "`codex exec --json` printed",
                "~/.codex/sessions/**/rollout-*019f9000-3333-7000-8000-00000000cc01.jsonl",
            ],
        ),
        (
            "result.json",
            "claude-code",
            [
                "`claude -p --output-format json` printed",
                "~/.claude/projects/*/5d000000-0000-4000-8000-000000000201.jsonl",
            ],
        ),
    ] {
        let path = printed(file);
        for more in [&[][..], &["--format", format], &["--format", "atif"]] {
            let ran = site.runpress(&[&["import", &path, "--case", "x"], more].concat());
            assert_eq!(ran.status, Some(1), "{}", ran.stderr);
            for words in words {
                assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
            }
            assert!(!ran.stderr.contains("Name the format"), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_named_format_that_does_not_fit_leads_back_to_the_recognized_one() {
    let site = TestSite::empty();
    site.write("logs/a.jsonl", "{\"a\":1}\n{\"b\":2}\n");
    let path = site.path("logs/a.jsonl");
    let path = path.to_str().expect("UTF-8");
    let ran = site.runpress(&["import", path, "--case", "x"]);
    assert!(
        ran.stderr.contains("runpress import --list"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("--format"), "{}", ran.stderr);
    for format in ["codex", "atif"] {
        let ran = site.runpress(&["import", path, "--case", "x", "--format", format]);
        assert_eq!(ran.status, Some(1));
        assert!(!ran.stderr.contains("Name the format"), "{}", ran.stderr);
    }
}

#[test]
fn a_log_in_utf_16_is_read_and_its_digest_is_that_of_the_file() {
    let path = printed("utf-16.jsonl");
    let bytes = std::fs::read(&path).expect("a log");
    let site = TestSite::empty();
    for more in [&[][..], &["--format", "claude-code", "--update"]] {
        let ran = site.runpress(&[&["import", &path, "--case", "x"], more].concat());
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    }
    let folder = std::fs::read_dir(site.path("content/runs"))
        .expect("a folder")
        .next();
    let folder = folder.expect("a run").expect("a run").path();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
    let trace = read("import.trace.jsonl");
    assert!(trace.contains("Grüße aus Köln."), "{trace}");
    assert!(trace.contains("\"line\":2"), "{trace}");
    let record: Value = serde_json::from_str(&read("run-record.json")).expect("JSON");
    let source = &record["import"]["sources"][0];
    assert_eq!(source["bytes"], bytes.len());
    assert_eq!(source["blake3"], blake3::hash(&bytes).to_hex().as_str());
}
