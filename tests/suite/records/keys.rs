//! Newer and unknown keys: reported, passed on verbatim, never a reason to refuse a run.

use crate::fuzz_targets::compact;
use crate::support::{Run, TestSite, first, fixture_text, raw, rows};

#[test]
fn a_later_key_of_a_wrong_type_is_a_warning_and_the_run_is_published() {
    let site = TestSite::base();
    let path = first("run-record.json");
    site.write(&path, fixture_text("records/6-everything.json"));
    site.write_first("assets/shot.png", crate::pictures::png(4, 4));
    for [from, to] in rows(
        r#"
"authMode": "apiKey" | "authMode": 1
"setupSeconds": 10.5 | "setupSeconds": "ten"
"validationSeconds": 0, | "validationSeconds": -1,
"present": false | "present": "no"
"ran": true, "gates": false | "ran": 1, "gates": false
"redScore": 3 | "redScore": "three"
"correct": false, "totalFuel" | "correct": "no", "totalFuel"
"voxel": { "model": "ship.vox", "skinned": false } | "voxel": 3
"read": 3 | "read": -3
"seedCommit": "aa11bb22" | "seedCommit": []
"codeAnalysis": { | "codeAnalysis": 1, "codeAnalysis2": {
"media": [{ | "media": [7, {
"2026-01-01T10:00:00Z" } | "new year" }
"#,
    ) {
        site.replace(&path, from, to);
    }
    let outcome = site.publish();
    let found: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|d| {
            assert!(!d.is_error() && d.place.line.is_some(), "{d:?}");
            let pointer = d.place.pointer.clone().unwrap_or_default();
            format!("{} {} {pointer}", d.severity.word(), d.code.name)
        })
        .collect();
    assert_eq!(
        found,
        [
            "warning record.wrong-type /environment/authMode",
            "warning record.wrong-type /metrics/setupSeconds",
            "warning record.invalid-metric /metrics/validationSeconds",
            "warning record.wrong-type /validation/proofs/0/present",
            "warning record.wrong-type /validation/debugScripts/0/ran",
            "warning record.wrong-type /validation/voxel",
            "warning record.wrong-type /validation/adversarial/redScore",
            "warning record.wrong-type /validation/performance/correct",
            "warning record.invalid-timestamp /gameJamPriorEntries/1/finishedAt",
            "warning record.wrong-type /toolCalls/read",
            "warning record.wrong-type /seedCommit",
            "warning record.wrong-type /codeAnalysis",
            "note record.unknown-key /codeAnalysis2",
            "warning record.wrong-type /showcase/media/0",
        ]
    );
}

#[test]
fn an_unknown_key_is_reported_once_for_the_whole_archive() {
    let site = TestSite::empty();
    for (folder, id) in [
        ("a", "0000000a-1"),
        ("b", "0000000b-1"),
        ("c", "0000000c-1"),
    ] {
        let record = Run::new(id).record();
        let record = record.replace(
            "\"loaded\": true",
            "\"loaded\": true, \"fooBar\": {\"x\": 1}",
        );
        let record = if folder == "b" {
            record.replace("\"reached\": true", "\"reached\": true, \"similarty\": 1")
        } else {
            record
        };
        site.write(&format!("content/runs/{folder}/run-record.json"), record);
    }
    let outcome = site.publish();
    let found: Vec<_> = outcome
        .diagnostics
        .iter()
        .filter(|d| d.code.name == "record.unknown-key")
        .map(|d| {
            (
                d.place.path.as_str(),
                d.message.as_str(),
                d.help.as_str(),
                d.run.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (
                "content/runs/a/run-record.json",
                "Unknown key `validation.fooBar`; 3 runs have it",
                "No action needed: `run.json` contains the key as written.",
                Some("0000000a-1"),
            ),
            (
                "content/runs/b/run-record.json",
                "Unknown key `validation.checks[].similarty`; 1 run has it",
                "Did you mean `similarity`? `run.json` contains the key as written.",
                Some("0000000b-1"),
            ),
        ]
    );
    let document = site.text("public/runs/pong-codex-sample-lark-1-0000000a/run.json");
    assert_eq!(
        compact(&raw(&document, "/record/validation/fooBar")),
        "{\"x\":1}"
    );
}

#[test]
fn keys_of_another_format_are_listed_up_to_a_limit_and_then_counted() {
    let site = TestSite::empty();
    for run in 0..6 {
        let keys: String = (0..100)
            .map(|key| format!("\"other{run}x{key}\": 1, "))
            .collect();
        let id = format!("{run}0000000-0000-4000-8000-000000000000");
        let record = Run::new(&id).record();
        site.write(
            &format!("content/runs/r{run}/run-record.json"),
            record.replacen('{', &format!("{{{keys}"), 1),
        );
    }
    let outcome = site.check();
    let notes: Vec<_> = outcome
        .diagnostics
        .iter()
        .filter(|problem| problem.code.name == "record.unknown-key")
        .collect();
    let counted = notes
        .iter()
        .filter(|note| note.message.contains("1 run has more unknown keys"))
        .count();
    assert_eq!((notes.len() <= 501, counted), (true, 1), "{}", notes.len());
}
