//! Annotating from the command line: what is written, what is refused, and what is left as it was.

use serde_json::Value;

use crate::support::{FIRST, FIRST_SLUG, HEADER, Ran, Run, TestSite, annotation, fixture, lines};

const SIDECAR: &str = "content/runs/first/events.jsonl.annotations.jsonl";
const ID: &str = "4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11";

fn annotate(site: &TestSite, arguments: &[&str]) -> Ran {
    site.runpress(&[&["annotate", FIRST], arguments].concat())
}

/// The annotations of the sidecar, each with the line it stands on.
fn written(site: &TestSite) -> Vec<(usize, Value)> {
    let text = site.text(SIDECAR);
    let lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line));
    lines
        .filter(|(_, line)| line.contains(r#""type":"annotation""#))
        .map(|(number, line)| (number, serde_json::from_str(line).expect("JSON")))
        .collect()
}

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
fn a_run_is_named_by_path_id_or_address() {
    let site = TestSite::base();
    let absolute = site.path(FIRST);
    let names = [FIRST, absolute.to_str().expect("UTF-8"), ID, FIRST_SLUG];
    for name in names {
        let ran = site.runpress(&["annotate", name, "--event", "0", "--kind", "note"]);
        assert_eq!(ran.status, Some(0), "{name}: {}", ran.stderr);
        assert!(ran.stdout.starts_with(SIDECAR), "{name}: {}", ran.stdout);
    }
    let ids: Vec<_> = written(&site)
        .into_iter()
        .map(|(_, a)| a["id"].clone())
        .collect();
    assert_eq!(
        ids,
        [
            "a-1",
            "ann-0-note",
            "ann-0-note-2",
            "ann-0-note-3",
            "ann-0-note-4"
        ]
    );
    let ran = site.runpress(&[
        "annotate",
        "pong-codex-sample-lark-1-4f1c2d33",
        "--event",
        "0",
        "--kind",
        "note",
    ]);
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(2), ""));
    assert!(
        ran.stderr
            .contains(&format!("Did you mean `{FIRST_SLUG}`?")),
        "{}",
        ran.stderr
    );
    site.run("second", &Run::new(ID));
    let ran = site.runpress(&["annotate", ID, "--event", "0", "--kind", "note"]);
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.stderr
            .contains("`content/runs/first`, `content/runs/second`"),
        "{}",
        ran.stderr
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
fn a_sidecar_is_as_open_as_its_neighbours_and_stays_as_open_as_it_was() {
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
    site.write("content/shared.jsonl", site.text(SIDECAR))
        .remove(SIDECAR);
    std::os::unix::fs::symlink("../../shared.jsonl", site.path(SIDECAR)).expect("a link");
    let ran = annotate(&site, &["--event", "1", "--kind", "marker"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(site.path(SIDECAR).is_symlink());
    assert!(site.text("content/shared.jsonl").contains("ann-1-marker"));
    site.write("elsewhere.jsonl", site.text("content/shared.jsonl"))
        .remove(SIDECAR);
    std::os::unix::fs::symlink("../../../elsewhere.jsonl", site.path(SIDECAR)).expect("a link");
    let ran = annotate(&site, &["--event", "1", "--kind", "note"]);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("content.symlink"), "{}", ran.stderr);
    assert!(!site.text("elsewhere.jsonl").contains("ann-1-note"));
}

#[test]
fn what_a_check_would_report_is_refused_with_its_words_and_nothing_is_written() {
    let cases: [(&[&str], &[&str]); 16] = [
        (
            &["--event", "4", "--kind", "note"],
            &["annotation.unknown-event-id"],
        ),
        (
            &["--event", "1", "--kind", "praise"],
            &["annotation.unknown-kind"],
        ),
        (
            &["--event", "1", "--kind", ""],
            &["annotation.unknown-kind"],
        ),
        (
            &["--event", "1", "--kind", "hypothesis"],
            &["annotation.hypothesis-status-missing"],
        ),
        (
            &[
                "--event",
                "1",
                "--kind",
                "hypothesis",
                "--hypothesis-status",
                "maybe",
            ],
            &["sidecar.malformed-line"],
        ),
        (
            &[
                "--event",
                "1",
                "--kind",
                "note",
                "--hypothesis-status",
                "active",
            ],
            &["annotation.hypothesis-status-unexpected"],
        ),
        (
            &["--event", "1", "--kind", "friction"],
            &["annotation.friction-kind-missing"],
        ),
        (
            &[
                "--event",
                "1",
                "--kind",
                "friction",
                "--friction-kind",
                "toolgap",
            ],
            &[
                "annotation.friction-kind-unknown",
                "Did you mean `tool_gap`?",
            ],
        ),
        (
            &[
                "--event",
                "1",
                "--kind",
                "note",
                "--friction-kind",
                "tool_gap",
            ],
            &["annotation.friction-kind-unexpected"],
        ),
        (
            &["--event", "2", "--kind", "note", "--span-end", "1"],
            &["annotation.invalid-span", "before it starts at `2`"],
        ),
        (
            &["--event", "2", "--kind", "note", "--span-end", "4"],
            &["annotation.invalid-span", "last event of the tape is `3`"],
        ),
        (
            &["--event", "1", "--kind", "note", "--quote", "npm test"],
            &["annotation.quote-not-found", "Event `2` holds it"],
        ),
        (
            &[
                "--event",
                "1",
                "--kind",
                "note",
                "--evidence",
                "[x](javascript:alert)",
            ],
            &["review.unsafe-link"],
        ),
        (
            &["--event", "9", "--kind", "praise"],
            &["annotation.unknown-event-id", "annotation.unknown-kind"],
        ),
        (
            &["--event", "18446744073709551615", "--kind", "note"],
            &["annotation.unknown-event-id"],
        ),
        (
            &[
                "--event",
                "1",
                "--kind",
                "friction",
                "--hypothesis-status",
                "active",
            ],
            &[
                "annotation.hypothesis-status-unexpected",
                "annotation.friction-kind-missing",
            ],
        ),
    ];
    for with_sidecar in [true, false] {
        let site = TestSite::base();
        if !with_sidecar {
            site.remove(SIDECAR);
        }
        let before = crate::support::tree(site.root());
        for (arguments, parts) in &cases {
            let ran = annotate(&site, arguments);
            assert_eq!(
                (ran.status, ran.stdout.as_str()),
                (Some(1), ""),
                "{arguments:?}"
            );
            for part in *parts {
                assert!(ran.stderr.contains(part), "{arguments:?}: {}", ran.stderr);
            }
            assert!(
                ran.stderr.ends_with("Nothing was written.\n"),
                "{}",
                ran.stderr
            );
        }
        assert_eq!(
            before,
            crate::support::tree(site.root()),
            "nothing was written"
        );
    }
}

#[test]
fn what_is_refused_looks_as_a_check_would_show_it() {
    let site = TestSite::base();
    let refused = annotate(&site, &["--event", "7", "--kind", "note"]);
    let line = annotation("ann-7-note", 7, "note", "");
    site.write(SIDECAR, site.text(SIDECAR) + &line + "\n");
    let checked = site.runpress(&["check", "-q"]);
    let first = |text: &str| text.lines().take(2).collect::<Vec<_>>().join("\n");
    assert_eq!(first(&refused.stderr), first(&checked.stderr));
}

#[test]
fn a_problem_that_was_there_before_stops_nobody_but_one_more_of_its_kind_does() {
    let site = TestSite::base();
    let mut all = vec![HEADER.to_owned()];
    all.extend((0..150).map(|n| annotation(&format!("p-{n}"), 0, "praise", "")));
    site.write(SIDECAR, lines(&all));
    let ran = annotate(&site, &["--event", "1", "--kind", "praise"]);
    assert_eq!(
        ran.status,
        Some(1),
        "even where it is only counted: {}",
        ran.stderr
    );
    let ran = annotate(&site, &["--event", "1", "--kind", "note"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_sidecar_that_does_not_load_or_is_stale_is_mended_first() {
    let site = TestSite::base();
    let add = |site: &TestSite| annotate(site, &["--event", "1", "--kind", "note"]);
    let good = site.text(SIDECAR);
    for (text, code) in [
        (good.clone() + "{\n", "sidecar.malformed-line"),
        (String::new(), "sidecar.empty"),
        ("{}\n".to_owned(), "sidecar.missing-header"),
        (
            good.replace("_version\":1", "_version\":1,\"tape_content_hash\":\"00\""),
            "annotation.tape-digest-mismatch",
        ),
    ] {
        site.write(SIDECAR, &text);
        let ran = add(&site);
        assert_eq!(ran.status, Some(1), "{code}: {}", ran.stderr);
        assert!(ran.stderr.contains(code), "{code}: {}", ran.stderr);
        assert_eq!(site.text(SIDECAR), text);
    }
    site.write(SIDECAR, &good);
    assert_eq!(add(&site).status, Some(0));
}

#[test]
fn a_run_without_a_tape_a_tape_of_another_name_and_several_tapes_are_told_apart() {
    let site = TestSite::base();
    let ran = annotate(
        &site,
        &["--event", "1", "--kind", "note", "--tape", "run.tape"],
    );
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.stderr.contains("It has `events.jsonl`."),
        "{}",
        ran.stderr
    );
    let tape = concat!(
        "{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8.5\"}\n",
        "{\"type\":\"record\",\"seq\":5,\"phase\":\"user_script\",\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{\"kind\":\"file_delete\",\"path\":\"/workspace/x\"}}\n",
    );
    site.write(&format!("{FIRST}/run.tape"), tape);
    let ran = annotate(&site, &["--event", "1", "--kind", "note"]);
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.stderr
            .contains("Name one with `--tape`: `events.jsonl`, `run.tape`."),
        "{}",
        ran.stderr
    );
    for tape in ["run.tape", "content/runs/first/run.tape"] {
        let ran = annotate(
            &site,
            &["--event", "5", "--kind", "correct", "--tape", tape],
        );
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    }
    assert_eq!(
        site.text(&format!("{FIRST}/run.tape.annotations.jsonl"))
            .lines()
            .count(),
        3
    );
    assert_eq!(
        site.runpress(&["check", "--deny", "warnings"]).status,
        Some(0)
    );
    site.write(&format!("{FIRST}/run.tape"), "{\n");
    let ran = annotate(
        &site,
        &["--event", "5", "--kind", "correct", "--tape", "run.tape"],
    );
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    for file in [
        "events.jsonl",
        "events.jsonl.annotations.jsonl",
        "run.tape",
        "run.tape.annotations.jsonl",
    ] {
        site.remove(&format!("{FIRST}/{file}"));
    }
    let ran = annotate(&site, &["--event", "5", "--kind", "correct"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("has no tape"), "{}", ran.stderr);
}

#[test]
fn a_sidecar_in_harns_short_spelling_is_the_one_that_is_written() {
    let site = TestSite::bare();
    site.run("harn", &Run::new(ID));
    for name in [
        "testbench_replay_fidelity.annotations.jsonl",
        "testbench_replay_fidelity.testbench-tape",
    ] {
        let from = fixture("../../content/runs/fixtures/harn-replay-fidelity").join(name);
        site.write(
            &format!("content/runs/harn/{name}"),
            std::fs::read(from).expect("a sample"),
        );
    }
    let ran = site.runpress(&[
        "annotate",
        ID,
        "--event",
        "4",
        "--kind",
        "note",
        "--author",
        "lint",
        "--author-kind",
        "system",
    ]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with(
            "content/runs/harn/testbench_replay_fidelity.annotations.jsonl:7: ann-4-note\n"
        ),
        "{}",
        ran.stdout
    );
    site.replace(
        "content/runs/harn/testbench_replay_fidelity.annotations.jsonl",
        "\"tape_path\":",
        "\"tape\":",
    );
    let ran = site.runpress(&["annotate", ID, "--event", "4", "--kind", "note"]);
    assert_eq!(
        ran.status,
        Some(1),
        "a second sidecar is not made: {}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("sidecar.without-tape"),
        "{}",
        ran.stderr
    );
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
fn a_note_about_the_new_annotation_is_shown_and_stops_nobody() {
    let site = TestSite::bare();
    site.run("harn", &Run::new(ID));
    let name = "testbench_replay_fidelity.testbench-tape";
    let from = fixture("../../content/runs/fixtures/harn-replay-fidelity").join(name);
    site.write(
        &format!("content/runs/harn/{name}"),
        std::fs::read(from).expect("a sample"),
    );
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
fn a_run_outside_every_site_can_be_annotated() {
    let site = TestSite::base();
    std::fs::remove_file(site.path("site.toml")).expect("a removal");
    let ran = crate::support::runpress_in(
        &site.path("content/runs"),
        &["annotate", "first", "--event", "1", "--kind", "note"],
    );
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(written(&site).len(), 2);
}

#[test]
fn usage_is_told_before_anything_is_read() {
    let site = TestSite::base();
    for arguments in [
        &["annotate"][..],
        &["annotate", FIRST],
        &["annotate", FIRST, "--event", "1"],
        &["annotate", FIRST, "--kind", "note"],
        &["annotate", FIRST, "--event", "-1", "--kind", "note"],
        &["annotate", FIRST, "--event", "one", "--kind", "note"],
        &[
            "annotate",
            FIRST,
            "--event",
            "1",
            "--kind",
            "note",
            "--author-kind",
            "agent",
        ],
    ] {
        let ran = site.runpress(arguments);
        assert_eq!(ran.status, Some(2), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn every_command_of_the_page_about_annotating_does_what_the_page_says() {
    let page = include_str!("../../content/pages/annotating.md");
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
    assert_eq!(
        printed.matches("(changed, but not in these words)").count(),
        7,
        "{printed}"
    );
}
