//! What `annotate` writes into a sidecar, and what it leaves unchanged.

use std::os::unix::fs::symlink;

use super::{SIDECAR, TAPE, annotate, harn, written};
use crate::support::{FIRST, FIRST_ID, HEADER, TestSite, contains, first, lacks, parse, tree};

#[test]
fn an_annotation_is_added_as_one_line_in_the_formats_own_order() {
    let site = TestSite::base();
    let before = site.text(SIDECAR);
    let ran = annotate(&site, "--event 2 --kind friction --friction-kind tool_gap --evidence 'No **build**.\nYet.' --span-end 3 --author reviewer-1 --quote 'npm test'").quiet();
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
    site.runpress("check --deny warnings").ok();
}

#[test]
fn a_sidecar_that_is_not_there_is_made_with_the_hash_of_its_tape() {
    let site = TestSite::base();
    site.remove(SIDECAR);
    let ran = annotate(&site, "--event 1 --kind marker").ok();
    ran.prints(":2 (new): ann-1-marker\n");
    let text = site.text(SIDECAR);
    let header = parse(text.lines().next().expect("a header"));
    assert_eq!(header["tape_path"], "events.jsonl");
    site.runpress("check --deny warnings").ok();
    // The hash is that of the tape.
    site.replace_first("events.jsonl", "One test fails.", "One test failed.");
    site.runpress("check").exits(1);
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
    annotate(&site, "--event 1 --kind marker");
    assert_eq!(mode(SIDECAR), 0o640);
    site.remove(SIDECAR);
    annotate(&site, "--event 1 --kind marker");
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
    annotate(&site, "--event 1 --kind marker").ok();
    assert!(site.path(SIDECAR).is_symlink());
    contains(&site.text(&behind), "ann-1-marker");
    site.write("elsewhere.jsonl", site.text(&behind))
        .remove(SIDECAR);
    symlink("../../../elsewhere.jsonl", site.path(SIDECAR)).expect("a link");
    annotate(&site, "--event 1 --kind note")
        .exits(1)
        .says("content.symlink");
    lacks(&site.text("elsewhere.jsonl"), "ann-1-note");
}

#[test]
fn bytes_that_are_there_stay_as_they_are() {
    let note = r#"{"type":"annotation","event_id":1,"kind":"note"}"#;
    let spaced = format!("# by hand\r\n\r\n{HEADER}\r\n  # spaced\r\n{note}\r\n");
    for (before, joint, end) in [
        (spaced, "", "\r\n"),
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
        let ran = annotate(&site, "--event 1 --kind marker").ok();
        let after = site.text(SIDECAR);
        let added = after
            .strip_prefix(&before)
            .expect("what was there is there");
        assert!(added.starts_with(&format!("{joint}{{")), "{added:?}");
        assert!(added.ends_with(&format!("}}{end}")), "{added:?}");
        let line = written(&site).last().expect("an annotation").0;
        ran.prints(format!(":{line}: "));
        site.runpress("check --deny warnings").ok();
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
                    let line =
                        format!("--event 1 --kind note --author {author} --evidence '{evidence}'");
                    annotate(site, &line).ok();
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
                text.lines().map(parse).for_each(drop);
            }
        });
        let annotations = written(&site);
        assert_eq!(annotations.len(), 40 + usize::from(is_there));
        for author in ["one", "two"] {
            let own = annotations
                .iter()
                .filter(|(_, a)| a["author"]["id"] == author);
            let said = own.filter_map(|(_, a)| a["evidence"].as_str()?.split('.').next());
            let expected: Vec<_> = (0..20).map(|n| format!("{author} says {n}")).collect();
            assert_eq!(said.collect::<Vec<_>>(), expected);
        }
        site.runpress("check --deny warnings").ok();
        let names: Vec<_> = tree(&site.path(FIRST)).into_keys().collect();
        assert_eq!(names.len(), 4, "nothing is left behind: {names:?}");
    }
}

#[test]
fn a_note_about_the_new_annotation_is_shown_and_does_not_block_it() {
    let site = harn(&[TAPE]);
    let line = format!("annotate {FIRST_ID} --event 1 --kind note --evidence 'The LLM call.'");
    site.runpress(&line)
        .ok()
        .says("note[annotation.other-kind]");
}

#[test]
fn every_command_of_the_page_about_annotating_does_what_the_page_says() {
    let page = include_str!("../../../content/pages/annotating.md");
    let blocks = page
        .split("```sh\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let script = format!("set -eux\n{}", blocks.collect::<String>());
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_runpress"));
    let folder = binary.parent().expect("a folder").display();
    let path = std::env::var("PATH").expect("a path");
    let site = TestSite::empty();
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(site.root())
        .env("PATH", format!("{folder}:{path}"))
        .output()
        .expect("bash runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let shown = page
        .split("```\ncontent/")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    contains(&printed, shown.expect("an output"));
    contains(&printed, ": 0 added, 2 already there\n");
    let changed = printed.matches("(changed, but these words are the same)");
    assert_eq!(changed.count(), 9, "{printed}");
}

#[test]
fn what_an_annotate_that_was_killed_left_is_cleared_by_the_next() {
    let site = TestSite::base();
    site.write_first(".runpress-a1B2c3.tmp", "half");
    // Files with any other name or type belong to somebody else.
    let kept = [
        ".runpress-a1B2c.tmp",
        ".runpress-a1-2c3.tmp",
        "runpress-a1B2c3.tmp",
        ".runpress-folder.tmp/x",
    ];
    for other in kept {
        site.write_first(other, "mine");
    }
    let link = site.path(&first(".runpress-linked.tmp"));
    symlink("events.jsonl", &link).expect("a link");
    annotate(&site, "--event 1 --kind note").ok();
    assert!(!site.path(&first(".runpress-a1B2c3.tmp")).exists());
    for other in kept {
        assert_eq!(site.text(&first(other)), "mine");
    }
    assert!(link.is_symlink());
}
