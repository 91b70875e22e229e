//! What `annotate` writes into a sidecar, and what it leaves unchanged.

use std::os::unix::fs::symlink;

use serde_json::Value;

use super::{ID, SIDECAR, TAPE, annotate, harn, written};
use crate::support::{FIRST, HEADER, TestSite};

#[test]
fn an_annotation_is_added_as_one_line_in_the_formats_own_order() {
    let site = TestSite::base();
    let before = site.text(SIDECAR);
    let ran = annotate(
        &site,
        &[
            "--event",
            "2",
            "--kind",
            "friction",
            "--friction-kind",
            "tool_gap",
            "--evidence",
            "No **build**.\nYet.",
            "--span-end",
            "3",
            "--author",
            "reviewer-1",
            "--quote",
            "npm test",
        ],
    );
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        ran.stdout,
        "content/runs/first/events.jsonl.annotations.jsonl:3: ann-2-friction\n  event 2, command: npm test\n  to event 3, agent: One test fails.\n"
    );
    let after = site.text(SIDECAR);
    let line = after
        .strip_prefix(&before)
        .expect("what was there is there");
    let (start, rest) = line.split_once(r#""timestamp":""#).expect("a time");
    let (time, end) = rest.split_once('"').expect("a time");
    assert_eq!(
        start,
        r#"{"type":"annotation","id":"ann-2-friction","event_id":2,"kind":"friction","evidence":"No **build**.\nYet.","suggested_fix":null,"author":{"id":"reviewer-1","kind":"human","surface":"cli"},"#
    );
    assert_eq!(
        end,
        ",\"span\":{\"start_event_id\":2,\"end_event_id\":3},\"hypothesis_status\":null,\"friction_kind\":\"tool_gap\",\"links\":[],\"metadata\":{\"quote\":\"npm test\"}}\n"
    );
    assert!(
        time.len() == "2026-03-01T10:00:00Z".len() && time.ends_with('Z'),
        "{time}"
    );
    assert_eq!(
        site.runpress(&["check", "--deny", "warnings"]).status,
        Some(0)
    );
}

#[test]
fn a_sidecar_that_is_not_there_is_made_with_the_hash_of_its_tape() {
    let site = TestSite::base();
    site.remove(SIDECAR);
    let ran = annotate(&site, &["--event", "1", "--kind", "marker"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.contains(":2 (new): ann-1-marker\n"),
        "{}",
        ran.stdout
    );
    let text = site.text(SIDECAR);
    let header: Value = serde_json::from_str(text.lines().next().expect("a header")).expect("JSON");
    assert_eq!(header["tape_path"], "events.jsonl");
    assert_eq!(
        site.runpress(&["check", "--deny", "warnings"]).status,
        Some(0)
    );
    site.replace(
        &format!("{FIRST}/events.jsonl"),
        "One test fails.",
        "One test failed.",
    );
    assert_eq!(
        site.runpress(&["check"]).status,
        Some(1),
        "the hash is that of the tape"
    );
}

#[cfg(unix)]
#[test]
fn a_new_sidecar_gets_default_permissions_and_an_existing_one_keeps_its_own() {
    use std::os::unix::fs::PermissionsExt;
    let site = TestSite::base();
    let mode = |path: &str| {
        let meta = std::fs::metadata(site.path(path)).expect("a file");
        meta.permissions().mode() & 0o777
    };
    std::fs::set_permissions(site.path(SIDECAR), PermissionsExt::from_mode(0o640)).expect("a mode");
    annotate(&site, &["--event", "1", "--kind", "marker"]);
    assert_eq!(mode(SIDECAR), 0o640);
    site.remove(SIDECAR);
    annotate(&site, &["--event", "1", "--kind", "marker"]);
    site.write("new", "");
    assert_eq!(mode(SIDECAR), mode("new"));
}

#[cfg(unix)]
#[test]
fn a_linked_sidecar_stays_a_link() {
    let site = TestSite::base();
    let behind = format!("{FIRST}/notes/shared.jsonl");
    site.write(&behind, site.text(SIDECAR)).remove(SIDECAR);
    symlink("notes/shared.jsonl", site.path(SIDECAR)).expect("a link");
    let ran = annotate(&site, &["--event", "1", "--kind", "marker"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(site.path(SIDECAR).is_symlink());
    assert!(site.text(&behind).contains("ann-1-marker"));
    site.write("elsewhere.jsonl", site.text(&behind))
        .remove(SIDECAR);
    symlink("../../../elsewhere.jsonl", site.path(SIDECAR)).expect("a link");
    let ran = annotate(&site, &["--event", "1", "--kind", "note"]);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("content.symlink"), "{}", ran.stderr);
    assert!(!site.text("elsewhere.jsonl").contains("ann-1-note"));
}

#[test]
fn bytes_that_are_there_stay_as_they_are() {
    let note = r#"{"type":"annotation","event_id":1,"kind":"note"}"#;
    for (before, joint, end) in [
        (
            format!("# by hand\r\n\r\n{HEADER}\r\n  # spaced\r\n{note}\r\n"),
            "",
            "\r\n",
        ),
        (format!("# by hand\r\n{HEADER}\r\n{note}"), "\r\n", "\r\n"),
        (
            format!("\u{feff}{HEADER}\n\n{note}\n\n# the end"),
            "\n",
            "\n",
        ),
        (HEADER.to_owned(), "\n", "\n"),
        (format!("{HEADER}\n{note}\n\n\n"), "", "\n"),
    ] {
        let site = TestSite::base();
        site.write(SIDECAR, &before);
        let ran = annotate(&site, &["--event", "1", "--kind", "marker"]);
        assert_eq!(ran.status, Some(0), "{before:?}: {}", ran.stderr);
        let after = site.text(SIDECAR);
        let added = after
            .strip_prefix(&before)
            .expect("what was there is there");
        assert!(added.starts_with(&format!("{joint}{{")), "{added:?}");
        assert!(added.ends_with(&format!("}}{end}")), "{added:?}");
        let line = written(&site).last().expect("an annotation").0;
        assert!(
            ran.stdout.contains(&format!(":{line}: ")),
            "{} {line}",
            ran.stdout
        );
        assert_eq!(
            site.runpress(&["check", "--deny", "warnings"]).status,
            Some(0)
        );
    }
}

#[test]
fn two_writers_at_once_lose_nothing_and_no_reader_sees_half_a_line() {
    for is_there in [true, false] {
        let site = TestSite::base();
        if !is_there {
            site.remove(SIDECAR);
        }
        let write = |author: &'static str| {
            let site = &site;
            move || {
                for n in 0..20 {
                    let evidence =
                        format!("{author} says {n}. {}", "A long sentence. ".repeat(300));
                    let ran = annotate(
                        site,
                        &[
                            "--event",
                            "1",
                            "--kind",
                            "note",
                            "--author",
                            author,
                            "--evidence",
                            &evidence,
                        ],
                    );
                    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
                }
            }
        };
        std::thread::scope(|scope| {
            let writers = [scope.spawn(write("one")), scope.spawn(write("two"))];
            while !writers
                .iter()
                .all(std::thread::ScopedJoinHandle::is_finished)
            {
                let text = std::fs::read_to_string(site.path(SIDECAR)).unwrap_or_default();
                assert!(text.is_empty() || text.ends_with("}\n"), "half a line");
                for line in text.lines() {
                    serde_json::from_str::<Value>(line).expect("a whole line");
                }
            }
        });
        let annotations = written(&site);
        assert_eq!(annotations.len(), 40 + usize::from(is_there));
        for author in ["one", "two"] {
            let own = annotations
                .iter()
                .filter(|(_, a)| a["author"]["id"] == author);
            let said: Vec<_> = own
                .map(|(_, a)| {
                    a["evidence"]
                        .as_str()
                        .expect("a text")
                        .split('.')
                        .next()
                        .expect("words")
                        .to_owned()
                })
                .collect();
            let expected: Vec<_> = (0..20).map(|n| format!("{author} says {n}")).collect();
            assert_eq!(said, expected);
        }
        assert_eq!(
            site.runpress(&["check", "--deny", "warnings"]).status,
            Some(0)
        );
        let names: Vec<_> = crate::support::tree(&site.path(FIRST))
            .into_keys()
            .collect();
        assert_eq!(names.len(), 4, "nothing is left behind: {names:?}");
    }
}

#[test]
fn a_note_about_the_new_annotation_is_shown_and_does_not_block_it() {
    let site = harn(&[TAPE]);
    let ran = site.runpress(&[
        "annotate",
        ID,
        "--event",
        "1",
        "--kind",
        "note",
        "--evidence",
        "The LLM call.",
    ]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("note[annotation.other-kind]"),
        "{}",
        ran.stderr
    );
}

#[test]
fn every_command_of_the_page_about_annotating_does_what_the_page_says() {
    let page = include_str!("../../../content/pages/annotating.md");
    let blocks: Vec<&str> = page
        .split("```sh\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    let script = format!("set -eux\n{}", blocks.concat());
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_runpress"));
    let folder = binary.parent().expect("a folder").to_str().expect("UTF-8");
    let site = TestSite::empty();
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(site.root())
        .env(
            "PATH",
            format!("{folder}:{}", std::env::var("PATH").expect("a path")),
        )
        .output()
        .expect("bash runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let shown = page
        .split("```\ncontent/")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    assert!(printed.contains(shown.expect("an output")), "{printed}");
    assert!(
        printed.contains(": 0 added, 2 already there\n"),
        "{printed}"
    );
    assert_eq!(
        printed
            .matches("(changed, but these words are the same)")
            .count(),
        9,
        "{printed}"
    );
}

#[test]
fn what_an_annotate_that_was_killed_left_is_cleared_by_the_next() {
    let site = TestSite::base();
    let name = |name: &str| format!("{FIRST}/{name}");
    site.write(&name(".runpress-a1B2c3.tmp"), "half");
    // Files with any other name or type belong to somebody else.
    let kept = [
        ".runpress-a1B2c.tmp",
        ".runpress-a1-2c3.tmp",
        "runpress-a1B2c3.tmp",
    ];
    for other in kept {
        site.write(&name(other), "mine");
    }
    site.write(&name(".runpress-folder.tmp/x"), "mine");
    symlink("events.jsonl", site.path(&name(".runpress-linked.tmp"))).expect("a link");
    let ran = annotate(&site, &["--event", "1", "--kind", "note"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(!site.path(&name(".runpress-a1B2c3.tmp")).exists());
    for other in kept {
        assert_eq!(site.text(&name(other)), "mine");
    }
    assert_eq!(site.text(&name(".runpress-folder.tmp/x")), "mine");
    assert!(site.path(&name(".runpress-linked.tmp")).is_symlink());
}
