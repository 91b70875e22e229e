//! The page of a run shows all evidence of its record, in words and tables.

use super::spaced;
use crate::support::{FIRST_SLUG, Run, TestSite, codes, contains, first, fixture_text};

/// The base site with a record that has every key, and the run that had to differ for that.
fn everything() -> TestSite {
    let site = TestSite::base();
    site.write_first("run-record.json", fixture_text("records/6-everything.json"));
    site.run("prior", &Run::new("9b02c4aa-11d0").case("pong"));
    assert_eq!(codes(&site.publish()), ["record.missing-picture"]);
    site
}

/// The section of a page, as text.
fn section(site: &TestSite, name: &str) -> String {
    let page = site.first_page();
    spaced(page.one(&format!("section[aria-labelledby={name}]")))
}

#[test]
fn totals_say_which_class_is_not_reported_and_a_side_without_any_is_unknown() {
    let site = everything();
    let page = site.first_page();
    assert_eq!(page.beside("all input"), ["1,000"]);
    assert!(page.find("all output").is_none());
    assert_eq!(
        page.beside("all tokens (output and reasoning are not reported)"),
        ["≥ 1,000"]
    );
    assert!(page.find("comparable cost").is_none());
    assert_eq!(page.beside("actual cost"), ["$0.00"]);
}

#[test]
fn stage_durations_are_beside_the_run_time_and_null_is_not_zero() {
    let site = everything();
    let page = site.first_page();
    assert_eq!(page.beside("setup"), ["10.5 s"]);
    assert_eq!(page.beside("session"), ["10 min"]);
    assert_eq!(page.beside("teardown"), ["—"]);
    assert_eq!(page.beside("validation"), ["0 s"]);
    contains(
        &section(&site, "metrics"),
        "The run time is the sum of setup, session and teardown; it does not include validation.",
    );
}

#[test]
fn tool_calls_are_a_table_with_the_most_used_first() {
    let site = everything();
    let page = site.first_page();
    let rows: Vec<_> = page
        .all("table.calls tbody tr")
        .into_iter()
        .map(spaced)
        .collect();
    assert_eq!(rows, ["bash 1,200", "read 3"]);
    assert!(section(&site, "metrics").contains("1,203 calls of 2 tools"));
}

#[test]
fn further_keys_of_a_step_are_shown_as_written() {
    let page = everything().first_page();
    let install = page.beside("Install").join(" ");
    for part in [
        "succeeded npm ci",
        "attempts 2",
        "output",
        "added 12 packages",
    ] {
        assert!(install.contains(part), "{part} in {install}");
    }
}

#[test]
fn proofs_are_a_table_with_file_and_detail() {
    let page = everything().first_page();
    assert_eq!(
        page.beside("A run of the game p-1"),
        ["video", "missing", "proofs/p.webm", "not recorded"]
    );
    assert_eq!(
        page.beside("p-2"),
        ["replay", "present", "proofs/p.json", ""],
        "a proof without a name is called by its id"
    );
}

#[test]
fn debug_scripts_tell_what_failed_from_what_did_not_run_and_what_could_not() {
    let page = everything().first_page();
    assert_eq!(
        page.texts("details.script > summary"),
        [
            "failed The ball speeds up Rules",
            "precondition unmet A hit is heard",
            "did not run A pause holds",
            "passed The court is there"
        ]
    );
    page.says("4 scripts: 1 passed, 1 failed, 1 did not run, 1 precondition unmet");
    let open = page.all("details.script[open]");
    assert_eq!(open.len(), 1, "only what failed is unfolded");
    let failed = spaced(open[0]);
    for part in [
        "Item ball.speed",
        "Script debug/ball.mjs",
        "Gates no: informative only",
        "after each hit",
        "faster speed after a hit fail > 6 speed 5.50",
        "A picture (image): missing",
    ] {
        assert!(failed.contains(part), "{part} in {failed}");
    }
    assert!(
        spaced(page.all("details.script")[2])
            .contains("Gates yes: if it fails, its checklist item fails"),
        "a script gates unless the record says otherwise"
    );
}

#[test]
fn a_debug_script_whose_precondition_was_not_met_fails_nothing() {
    let site = TestSite::base();
    let path = first("run-record.json");
    let record = fixture_text("records/6-everything.json").replace(
        r#""ran": false, "preconditionUnmet": true"#,
        r#""ran": true, "preconditionUnmet": true, "verdicts": [{"id": "heard", "pass": false}]"#,
    );
    site.write(&path, record);
    site.publish();
    let page = site.first_page();
    let script = page.all("details.script")[1];
    let words = spaced(script);
    contains(
        &words,
        "Gates no: its precondition was not met, so it fails nothing",
    );
    contains(&words, "heard no assertions recorded fail");
    let bad = scraper::Selector::parse(".b-bad").expect("a selector");
    assert_eq!(script.select(&bad).count(), 0, "nothing of it looks failed");
}

#[test]
fn performance_and_a_match_have_a_row_of_headline_numbers() {
    let page = everything().first_page();
    assert_eq!(page.beside("Correct"), ["no"]);
    assert_eq!(page.beside("Total fuel"), ["1,234,567"]);
    assert_eq!(page.beside("Fuel limit"), ["—"]);
    assert_eq!(
        page.beside("Cases"),
        ["1 of 3 correct, 1 over the ceiling, 1 skipped"]
    );
    assert_eq!(page.beside("Outcome"), ["draw"]);
    assert_eq!(page.beside("Opponent"), ["reference"]);
    assert_eq!(page.beside("Played as"), ["red"]);
    assert_eq!(page.beside("Winner"), ["none"]);
    assert_eq!(page.beside("Score"), ["red 3, blue 3"]);
    assert_eq!(page.beside("Ended"), ["time_limit"]);
    assert_eq!(page.beside("Ticks"), ["12,000"]);
}

#[test]
fn what_a_kind_of_test_measured_is_readable_and_never_a_string_of_json() {
    let site = everything();
    let validation = section(&site, "validation");
    for part in [
        "Asset All recorded data frames index regeneratedImage operationCount cheatDivergence 0 f0.png 4 — 1 f1.png 6 0.25",
        "Voxel model All recorded data model ship.vox skinned no",
        "Audio All recorded data clip hit.wav sampleRate 44100 channels 2 durationMs 120",
        "Particle system All recorded data system spark.json emitterCount 7",
        "User interface All recorded data elements button, slider",
        "Material All recorded data maps albedo size 512 tiling yes",
        "input kind correct overCeiling fuel skipped a smoke yes no 1000000 —",
    ] {
        assert!(validation.contains(part), "{part} in {validation}");
    }
}

#[test]
fn a_failed_type_check_is_described_in_words() {
    let site = everything();
    let validation = section(&site, "validation");
    for part in [
        "The type check failed",
        "Test Cabinet counts such a run as broken",
        "exitCode 2",
        "error TS2304",
    ] {
        assert!(validation.contains(part), "{part} in {validation}");
    }
    let path = first("run-record.json");
    site.replace(
        &path,
        "\"npx tsc --noEmit\", \"ran\": true",
        "\"npx tsc --noEmit\", \"ran\": false",
    );
    site.publish();
    assert!(
        section(&site, "validation").contains("The type check did not run"),
        "one that never ran decides nothing"
    );
}

#[test]
fn code_analysis_is_folded_and_said_to_influence_no_score() {
    let site = everything();
    let validation = section(&site, "validation");
    contains(
        &validation,
        "They never affect a score. All measurements files 12 ratio 1.50 nested deep —",
    );
}

#[test]
fn gg_and_the_seed_commit_are_in_the_provenance() {
    let site = everything();
    let provenance = section(&site, "provenance");
    contains(
        &provenance,
        "Input of gg compaction yes slots slot model main m-1 side m-2",
    );
    assert!(provenance.contains("gg’s report of its session agents 3 terminalStatus done"));
    let page = site.first_page();
    assert_eq!(page.beside("Seed commit"), ["aa11bb22"]);
    assert_eq!(page.beside("Authentication"), ["apiKey"]);
    assert_eq!(page.beside("Test type"), ["game-jam"]);
}

#[test]
fn a_showcase_is_prose_with_a_list_of_its_media() {
    let site = everything();
    let page = site.first_page();
    assert_eq!(
        page.texts("section[aria-labelledby=showcase] strong"),
        ["now"]
    );
    assert_eq!(page.beside("The court"), ["image", "shot.png"]);
    assert_eq!(page.beside("play.json"), ["replay", "play.json"]);
}

#[test]
fn a_game_jam_lists_what_the_entry_had_to_differ_from_and_displays_no_readme() {
    let site = everything();
    let page = site.first_page();
    let jam = section(&site, "game-jam");
    contains(
        &jam,
        "Earlier entries of the game jam that this one had to differ from.",
    );
    for (path, bytes) in site.published() {
        let text = String::from_utf8_lossy(&bytes);
        let holds = text.contains("alert(1)") || text.contains("*first* try");
        let verbatim = path == format!("runs/{FIRST_SLUG}/run.json");
        assert_eq!(holds, verbatim, "a README of the game jam in {path}");
    }
    let links = page.all("section[aria-labelledby=game-jam] li > a");
    let hrefs: Vec<_> = links.iter().filter_map(|a| a.attr("href")).collect();
    assert_eq!(
        hrefs,
        ["../../runs/pong-codex-sample-lark-1-9b02c4aa/index.html"]
    );
    contains(
        &jam,
        "00000000-gone not in this archive , finished 2026-01-01",
    );
}
