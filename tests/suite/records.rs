//! Run records of every age: what each sub-version lacks is shown as unknown, never as 0.

use crate::fuzz_targets::compact;
use crate::support::{FIRST, Run, TestSite, codes, described, fixture_text, raw};

/// The base site with another record, published without anything to report.
fn published(record: &str) -> TestSite {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/run-record.json"),
        fixture_text(&format!("records/{record}.json")),
    );
    let outcome = site.publish();
    assert_eq!(codes(&outcome), [""; 0], "{record}");
    site
}

/// The cells of the one row of a table, by the words of its heads.
fn row(site: &TestSite, page: &str) -> Vec<(String, String)> {
    let page = site.page(page);
    let heads = page.texts("main table:not(.matrix) thead th");
    let cells = page.texts("main table:not(.matrix) tbody tr:not(.group) > *");
    assert_eq!(heads.len(), cells.len());
    heads.into_iter().zip(cells).collect()
}

fn cell(row: &[(String, String)], head: &str) -> String {
    row.iter()
        .find(|(name, _)| name == head)
        .unwrap_or_else(|| panic!("no column {head}: {row:?}"))
        .1
        .clone()
}

#[test]
fn the_oldest_records_have_comparisons_for_checks_and_no_variant() {
    let site = published("1-comparisons");
    let page = site.first_page();
    assert_eq!(page.beside("Variant"), ["—"]);
    assert_eq!(page.beside("Operating system"), ["—"]);
    assert_eq!(page.beside("Test Cabinet commit"), ["—"]);
    assert_eq!(page.beside("Game Over"), ["game-over", "0.88", ""]);
    assert_eq!(page.beside("Install"), ["never attempted"]);
    assert_eq!(page.beside("Build"), ["never reached"]);
    assert!(
        page.main().contains("pong · v1.0.0"),
        "the title has no place for a variant that is not known"
    );
    let row = row(&site, "cases/pong/index.html");
    assert_eq!(cell(&row, "game-over"), "0.88");
    assert_eq!(
        site.page("cases/pong/index.html").texts("tr.group th"),
        ["Variant — 1 run"]
    );
    let card = site.json("feeds/runs.json");
    assert!(card["runs"][0]["subject"]["variant"].is_null());
    assert_eq!(
        card["runs"][0]["checks"][0],
        serde_json::json!({"view": "game-over", "name": "Game Over", "reached": true, "similarity": 0.88})
    );
}

#[test]
fn checks_without_a_name_are_called_after_their_view() {
    let site = published("2-unnamed-checks");
    let page = site.first_page();
    assert_eq!(page.beside("In Play"), ["in-play", "0.9", ""]);
    assert_eq!(
        page.beside("Game Over"),
        [
            "game-over",
            "— not reached",
            "the ball never leaves the field"
        ]
    );
    let row = row(&site, "cases/pong/index.html");
    assert_eq!(
        (
            cell(&row, "in-play").as_str(),
            cell(&row, "game-over").as_str()
        ),
        ("0.9", "—")
    );
}

#[test]
fn records_with_an_environment_and_no_tooling_show_where_they_ran() {
    let site = published("3-environment");
    let page = site.first_page();
    assert_eq!(page.beside("Operating system"), ["Debian GNU/Linux 12"]);
    assert_eq!(page.beside("Node.js"), ["—"]);
    assert_eq!(page.beside("Test Cabinet commit"), ["—"]);
    assert_eq!(page.beside("Variant"), ["—"]);
    assert_eq!(page.beside("The Title"), ["title", "0.9731", ""]);
}

#[test]
fn records_of_the_seeds_time_show_everything() {
    let site = published("4-seed");
    let page = site.first_page();
    assert_eq!(page.beside("Variant"), ["frenzy"]);
    assert_eq!(
        page.beside("Test Cabinet commit"),
        ["0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c-dirty"]
    );
    assert_eq!(page.beside("Install"), ["succeeded npm ci"]);
    assert_eq!(page.beside("Build"), ["failed npm run build tsc: 3 errors"]);
    assert_eq!(page.beside("uncached input, tokens"), ["18,211", "—"]);
    assert_eq!(page.beside("comparable cost"), ["$0.4210", "—"]);
    assert_eq!(page.beside("actual cost"), ["$0.00", "—"]);
    assert!(page.main().contains("did not load"));
    let row = row(&site, "cases/pong/index.html");
    assert_eq!(cell(&row, "Comparable cost"), "$0.4210");
    assert_eq!(cell(&row, "State"), "failed");
}

#[test]
fn later_records_show_what_is_unknown_as_a_dash_and_never_as_zero() {
    let site = published("5-later");
    let slug = "pong-gg-sample-lark-1-4f1c2d3e";
    let page = site.page(&format!("runs/{slug}/index.html"));
    assert_eq!(page.beside("uncached input, tokens"), ["1,000", "—"]);
    assert_eq!(page.beside("cached input, tokens"), ["—", "—"]);
    assert_eq!(page.beside("reasoning, tokens"), ["0", "—"]);
    assert_eq!(page.beside("comparable cost"), ["—", "—"]);
    assert_eq!(page.beside("actual cost"), ["$0.00", "—"]);
    assert_eq!(
        page.beside("all tokens (cached input is not reported)"),
        ["≥ 1,020", "—"]
    );
    assert_eq!(page.beside("Authentication"), ["subscription"]);
    assert_eq!(page.beside("Orchestrator"), ["ralph"]);
    assert_eq!(page.beside("Engine"), ["simple-2d"]);
    assert_eq!(page.beside("Engine version"), ["2.1"]);
    assert_eq!(page.beside("Test type"), ["full-stack"]);
    assert_eq!(
        page.beside("A run of the game p-1"),
        ["video", "present", "p.webm", ""]
    );
    assert!(
        page.texts("header .badge")
            .contains(&"catastrophic".to_owned())
    );
    let row = row(&site, "cases/pong/index.html");
    for (head, expected) in [
        ("Cached input", "—"),
        ("Reasoning", "0"),
        ("Comparable cost", "—"),
        ("Actual cost", "$0.00"),
        ("State", "catastrophic"),
    ] {
        assert_eq!(cell(&row, head), expected, "{head}");
    }
    let card = &site.json("feeds/runs.json")["runs"][0];
    assert!(
        card["metrics"]["tokens"]["cachedInput"].is_null()
            && card["metrics"]["cost"]["comparable"].is_null()
    );
    assert_eq!(card["metrics"]["tokens"]["reasoning"], 0);
    let document = site.text(&format!("public/runs/{slug}/run.json"));
    assert_eq!(
        compact(&raw(&document, "/record/codeAnalysis")),
        r#"{"files":12,"ratio":1.50}"#,
        "unknown keys are passed on"
    );
}

#[test]
fn a_total_without_any_reported_class_is_unknown() {
    let site = TestSite::base();
    let path = format!("{FIRST}/run-record.json");
    site.replace(
        &path,
        r#"{ "uncachedInput": 18211, "cachedInput": 90440, "output": 7021, "reasoning": 3300 }"#,
        "{}",
    );
    site.publish();
    let page = site.first_page();
    assert_eq!(page.beside("all tokens"), ["—", "—"]);
    assert_eq!(page.all("svg.bar").len(), 0);
}

#[test]
fn other_documents_are_told_what_they_are() {
    for (text, said) in [
        (r#"{"_type":"run_record","id":"x"}"#, "a Harn run record"),
        (r#"{"_type":"transcript","version":2}"#, "a Harn transcript"),
        (
            r#"{"annotations":[]}"#,
            "an annotations state of the Agent Host Protocol",
        ),
        (
            "{\"type\":\"header\",\"version\":1,\"harn_version\":\"1\"}\n{\"type\":\"record\"}\n",
            "a Harn tape",
        ),
        (
            "{\"type\":\"header\",\"schema_version\":1}\n{\"type\":\"annotation\"}\n",
            "an annotation sidecar",
        ),
        (
            "{\"timestamp\":\"t\",\"type\":\"agent\",\"message\":\"m\"}\n{}\n",
            "an event log",
        ),
        (
            r#"{"timestamp":"t","type":"agent","message":"m"}"#,
            "an event log",
        ),
        (
            "# reviewed on Monday\n\n{\"type\":\"header\",\"schema_version\":1}\n",
            "an annotation sidecar",
        ),
        (
            r#"{"resource":"ahp-session:/1/annotations","state":{"annotations":[]},"fromSeq":3}"#,
            "a snapshot of an annotations state",
        ),
        (
            r#"{"channel":"ahp-session:/1/annotations","action":{"type":"annotations/removed","annotationId":"a"},"serverSeq":1}"#,
            "a log of annotation actions",
        ),
        (
            "{\"channel\":\"ahp-session:/1/annotations\",\"action\":{},\"serverSeq\":1}\n{}\n",
            "a log of annotation actions",
        ),
        (
            "{\"type\":\"annotations/removed\",\"annotationId\":\"a\"}\n{}\n",
            "a log of annotation actions",
        ),
        (
            "{\"stream\":\"stdout\",\"line\":\"hello\"}\n{\"stream\":\"stderr\",\"line\":\"\"}\n",
            "the raw output of a harness",
        ),
        (
            r#"{"stream":"stderr","text":"hello"}"#,
            "the raw output of a harness",
        ),
    ] {
        let site = TestSite::base();
        site.write(&format!("{FIRST}/run-record.json"), text);
        let outcome = site.check();
        assert_eq!(codes(&outcome), ["record.wrong-document"], "{text}");
        assert!(
            outcome.diagnostics[0].message.contains(said),
            "{}",
            outcome.diagnostics[0].message
        );
    }
}

#[test]
fn every_problem_of_a_record_is_reported_at_once_with_its_pointer() {
    let site = TestSite::base();
    let path = format!("{FIRST}/run-record.json");
    site.replace(&path, "\"2026-03-01T10:00:00Z\"", "\"noon\"");
    site.replace(&path, "7021", "7021.5");
    site.replace(&path, "0.4210", "1e999");
    site.replace(&path, "0.9731", "-0.1");
    site.replace(&path, "\"loaded\": true", "\"loaded\": \"yes\"");
    site.replace(
        &path,
        "\"https://git.example.org/runs/4f1c2d3e\"",
        "\"//evil.example\"",
    );
    let outcome = site.check();
    let found: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|d| (d.code.name, d.place.pointer.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(
        found,
        [
            ("record.invalid-timestamp", "/startedAt"),
            ("record.invalid-metric", "/metrics/tokens/output"),
            ("record.invalid-metric", "/metrics/cost/comparable"),
            ("record.wrong-type", "/validation/loaded"),
            (
                "record.similarity-out-of-range",
                "/validation/checks/0/similarity"
            ),
            ("record.invalid-link", "/links/sourceRepo"),
        ]
    );
}

#[test]
fn one_broken_file_never_hides_the_next() {
    let site = TestSite::base();
    site.write(&format!("{FIRST}/run-record.json"), "{");
    site.write(&format!("{FIRST}/events.jsonl"), "{\n");
    site.write(&format!("{FIRST}/events.jsonl.annotations.jsonl"), "{\n");
    site.write("content/runs/second/run-record.json", "[]");
    assert_eq!(
        codes(&site.check()),
        [
            "events.unparsable-line",
            "sidecar.malformed-line",
            "record.syntax",
            "record.wrong-type"
        ]
    );
}

#[test]
fn numbers_at_the_ends_of_the_format_are_no_reason_to_stop() {
    let site = TestSite::base();
    let path = format!("{FIRST}/run-record.json");
    site.replace(&path, "612.5", "1.7e308");
    site.replace(&path, "18211", "99999999999999999999999999");
    site.replace(&path, "0.4210", "1e-300");
    site.replace(&path, "2026-03-01T10:00:00Z", "0000-01-01T00:00:00Z");
    site.replace(&path, "2026-03-01T10:10:12Z", "9999-12-31T23:59:60-23:59");
    let ran = site.runpress(&["build"]);
    assert!(
        matches!(ran.status, Some(0 | 1)) && !ran.stderr.contains("panicked"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_key_that_no_text_can_hold_does_not_hide_the_other_keys() {
    let site = TestSite::base();
    site.replace(
        &format!("{FIRST}/run-record.json"),
        "\"links\": {",
        "\"\\ud800\": 1,\n  \"links\": {",
    );
    let outcome = site.check();
    assert!(
        !codes(&outcome).contains(&"record.missing-field"),
        "{:#?}",
        described(&outcome)
    );
}

#[test]
fn names_that_are_empty_are_an_error_each() {
    for name in ["", " ", "\u{a0}"] {
        let site = TestSite::empty();
        site.run("a", &Run::new("0000000a-1").model(name).case(name));
        let outcome = site.check();
        assert_eq!(
            codes(&outcome),
            ["record.empty-name"; 2],
            "{:?}",
            described(&outcome)
        );
        let pointers: Vec<_> = outcome
            .diagnostics
            .iter()
            .map(|problem| problem.place.pointer.clone().unwrap_or_default())
            .collect();
        assert_eq!(pointers, ["/subject/modelId", "/subject/testCaseSlug"]);
    }
}

/// The base site with a record that has every key, and the run that it says it built upon.
fn everything() -> TestSite {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/run-record.json"),
        fixture_text("records/6-everything.json"),
    );
    site.run("prior", &Run::new("9b02c4aa-11d0").case("pong"));
    let outcome = site.publish();
    assert_eq!(codes(&outcome), [""; 0]);
    site
}

/// The section of a page, as text.
fn section(site: &TestSite, name: &str) -> String {
    let page = site.first_page();
    spaced(page.one(&format!("section[aria-labelledby={name}]")))
}

/// The words of an element, a space between any two of its parts.
fn spaced(element: scraper::ElementRef<'_>) -> String {
    let parts: Vec<_> = element.text().flat_map(str::split_whitespace).collect();
    parts.join(" ")
}

#[test]
fn totals_say_which_class_is_not_reported_and_a_side_without_any_is_unknown() {
    let site = everything();
    let page = site.first_page();
    assert_eq!(page.beside("all input"), ["1,000", "—"]);
    assert_eq!(page.beside("all output"), ["—", "—"]);
    assert_eq!(
        page.beside("all tokens (output and reasoning are not reported)"),
        ["≥ 1,000", "—"]
    );
    assert_eq!(page.beside("comparable cost"), ["—", "—"]);
    assert_eq!(page.beside("actual cost"), ["$0.00", "—"]);
}

#[test]
fn stage_durations_stand_beside_the_run_time_and_null_is_not_zero() {
    let site = everything();
    let page = site.first_page();
    assert_eq!(page.beside("setupSeconds"), ["10.5 s"]);
    assert_eq!(page.beside("sessionSeconds"), ["10 min"]);
    assert_eq!(page.beside("teardownSeconds"), ["—"]);
    assert_eq!(page.beside("validationSeconds"), ["0 s"]);
    assert!(section(&site, "metrics").contains(
        "Setup, session and teardown together are the run time; validation lies outside of it."
    ));
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
    assert!(
        page.main()
            .contains("4 scripts: 1 passed, 1 failed, 1 did not run, 1 precondition unmet")
    );
    let open = page.all("details.script[open]");
    assert_eq!(open.len(), 1, "only what failed is unfolded");
    let failed = spaced(open[0]);
    for part in [
        "Item ball.speed",
        "Script debug/ball.mjs",
        "Gates no: it only informs",
        "after each hit",
        "faster speed after a hit fail > 6 speed 5.50",
        "A picture (image): missing",
    ] {
        assert!(failed.contains(part), "{part} in {failed}");
    }
    assert!(
        spaced(page.all("details.script")[1]).contains("Gates yes"),
        "a script gates unless the record says otherwise"
    );
}

#[test]
fn performance_and_a_match_have_a_row_of_headline_figures() {
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
    assert_eq!(page.beside("Winner"), ["nobody"]);
    assert_eq!(page.beside("Score"), ["red 3, blue 3"]);
    assert_eq!(page.beside("Ended"), ["time_limit"]);
    assert_eq!(page.beside("Ticks"), ["12,000"]);
}

#[test]
fn what_a_kind_of_test_measured_is_readable_and_never_a_string_of_json() {
    let site = everything();
    let validation = section(&site, "validation");
    for part in [
        "Asset Everything that is recorded about it frames index regeneratedImage operationCount cheatDivergence 0 f0.png 4 — 1 f1.png 6 0.25",
        "Voxel model Everything that is recorded about it model ship.vox skinned no",
        "Audio Everything that is recorded about it clip hit.wav sampleRate 44100 channels 2 durationMs 120",
        "Particle system Everything that is recorded about it system spark.json emitterCount 7",
        "User interface Everything that is recorded about it elements button, slider",
        "Material Everything that is recorded about it maps albedo size 512 tiling yes",
        "input kind correct overCeiling fuel skipped a smoke yes no 1000000 —",
    ] {
        assert!(validation.contains(part), "{part} in {validation}");
    }
}

#[test]
fn a_failed_type_check_is_told_in_words() {
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
    let path = format!("{FIRST}/run-record.json");
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
    assert!(
        validation.contains(
            "They never influence a score. All measurements files 12 ratio 1.50 nested deep —"
        ),
        "{validation}"
    );
}

#[test]
fn gg_and_the_seed_commit_stand_in_the_provenance() {
    let site = everything();
    let provenance = section(&site, "provenance");
    assert!(
        provenance.contains("What gg was given compaction yes slots slot model main m-1 side m-2"),
        "{provenance}"
    );
    assert!(provenance.contains("What gg says of its session agents 3 terminalStatus done"));
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
fn a_game_jam_entry_shows_its_readme_and_links_to_the_runs_that_the_archive_has() {
    let site = everything();
    let page = site.first_page();
    let jam = section(&site, "game-jam");
    assert!(
        jam.contains("A small game. <script>alert(1)</script>"),
        "{jam}"
    );
    assert!(
        page.all("section[aria-labelledby=game-jam] script")
            .is_empty()
    );
    let links = page.all("section[aria-labelledby=game-jam] li > a");
    let hrefs: Vec<_> = links
        .iter()
        .filter_map(|a| a.value().attr("href"))
        .collect();
    assert_eq!(
        hrefs,
        ["../../runs/pong-codex-sample-lark-1-9b02c4aa/index.html"]
    );
    assert!(
        jam.contains("00000000-gone not in this archive , finished 2026-01-01"),
        "{jam}"
    );
    assert!(jam.contains("The first try."), "{jam}");
}

#[test]
fn a_run_without_the_later_keys_says_nothing_of_them() {
    let site = published("1-comparisons");
    let page = site.first_page();
    for id in ["showcase", "game-jam", "debug-scripts"] {
        assert!(page.all(&format!("#{id}")).is_empty(), "{id}");
    }
    for words in [
        "Toolchain",
        "Code analysis",
        "Tool calls",
        "Where the time went",
    ] {
        assert!(!page.main().contains(words), "{words}");
    }
    assert_eq!(page.beside("Test type"), ["end-to-end"]);
    assert_eq!(page.beside("Orchestrator"), ["one-shot"]);
    assert_eq!(page.beside("Engine"), ["none"]);
    assert_eq!(page.beside("Authentication"), ["—"]);
    assert_eq!(page.beside("Seed commit"), ["—"]);
}

#[test]
fn a_later_key_of_a_wrong_type_is_a_warning_and_the_run_is_published() {
    let site = TestSite::base();
    let path = format!("{FIRST}/run-record.json");
    site.write(&path, fixture_text("records/6-everything.json"));
    for (from, to) in [
        ("\"authMode\": \"apiKey\"", "\"authMode\": 1"),
        ("\"setupSeconds\": 10.5", "\"setupSeconds\": \"ten\""),
        ("\"validationSeconds\": 0,", "\"validationSeconds\": -1,"),
        ("\"present\": false", "\"present\": \"no\""),
        (
            "\"ran\": true, \"gates\": false",
            "\"ran\": 1, \"gates\": false",
        ),
        ("\"redScore\": 3", "\"redScore\": \"three\""),
        (
            "\"correct\": false, \"totalFuel\"",
            "\"correct\": \"no\", \"totalFuel\"",
        ),
        (
            "\"voxel\": { \"model\": \"ship.vox\", \"skinned\": false }",
            "\"voxel\": 3",
        ),
        ("\"read\": 3", "\"read\": -3"),
        ("\"seedCommit\": \"aa11bb22\"", "\"seedCommit\": []"),
        (
            "\"codeAnalysis\": {",
            "\"codeAnalysis\": 1, \"codeAnalysis2\": {",
        ),
        ("\"media\": [{", "\"media\": [7, {"),
        ("\"2026-01-01T10:00:00Z\" }", "\"new year\" }"),
    ] {
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
fn an_unknown_key_is_told_once_for_the_whole_archive() {
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
                "`validation.fooBar` is a key that runpress does not know; 3 runs have it",
                "Nothing needs to be done: the key is passed on as it was written.",
                Some("0000000a-1"),
            ),
            (
                "content/runs/b/run-record.json",
                "`validation.checks[].similarty` is a key that runpress does not know; 1 run has it",
                "Did you mean `similarity`? The key is passed on as it was written.",
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
fn runs_that_the_machine_or_the_operator_ended_are_left_out_and_listed() {
    let site = TestSite::base();
    for (folder, id, state) in [
        ("b", "0000000b-1", "infrastructure"),
        ("c", "0000000c-1", "canceled"),
    ] {
        site.run(folder, &Run::new(id).state(state));
        site.write(&format!("content/runs/{folder}/events.jsonl"), "{\n");
    }
    let outcome = site.publish();
    assert_eq!(
        codes(&outcome),
        ["record.never-published", "record.never-published"],
        "their other files are not read"
    );
    assert_eq!((outcome.runs, outcome.not_published), (1, 2));
    let feed = site.json("feeds/runs.json");
    assert_eq!(feed["runs"].as_array().map(Vec::len), Some(1));
    let problems = site.page("problems/index.html");
    let listed = spaced(problems.one("section[aria-labelledby=not-published]"));
    assert!(
        listed.contains("content/runs/b : infrastructure")
            && listed.contains("content/runs/c : canceled"),
        "{listed}"
    );
    assert!(
        !site
            .path("public/runs/pong-codex-sample-lark-1-0000000b")
            .exists()
    );
    let ran = site.runpress(&["check", "--deny", "warnings"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("1 run, 2 runs not published"),
        "{}",
        ran.stderr
    );
    let junit = site.runpress(&["check", "--report", "junit"]).stdout;
    assert_eq!(junit.matches("<skipped").count(), 2, "{junit}");
}

#[test]
fn only_completed_runs_need_a_review() {
    for state in [
        "catastrophic",
        "timed_out",
        "harness_error",
        "limit_exceeded",
        "hung",
        "failed",
        "unevaluable",
        "some_new_state",
        "Completed",
    ] {
        let site = TestSite::base();
        site.write(
            "site.toml",
            "[site]\nbase_url = \"https://runs.example.org/\"\n[policy]\nrequire_review = true\n",
        );
        site.run("b", &Run::new("0000000b-1").state(state));
        let outcome = site.publish();
        assert_eq!(codes(&outcome), [""; 0], "{state}");
        let page = site.page("runs/pong-codex-sample-lark-1-0000000b/index.html");
        assert!(
            page.texts("header .badge").contains(&state.to_owned()),
            "the word of the record is shown as it is"
        );
    }
}

#[test]
fn one_completed_run_without_a_review_stops_the_batch_unless_the_rest_is_asked_for() {
    let site = TestSite::base();
    let policy =
        "[site]\nbase_url = \"https://runs.example.org/\"\n[policy]\nrequire_review = true\n";
    site.write("site.toml", policy);
    site.run("b", &Run::new("0000000b-1"));
    let outcome = site.build();
    assert_eq!(codes(&outcome), ["review.missing"]);
    assert!(!outcome.published);
    site.write(
        "site.toml",
        format!("{policy}on_invalid = \"quarantine\"\n"),
    );
    let outcome = site.build();
    assert_eq!(codes(&outcome), ["review.missing"]);
    assert!(outcome.published && outcome.quarantined == 1 && outcome.runs == 1);
    assert!(
        site.page("problems/index.html")
            .main()
            .contains("The run is completed, but has no review"),
        "and the error is still told"
    );
}

#[test]
fn harnesses_and_orchestrators_that_nobody_knows_are_shown_by_their_slugs() {
    let site = TestSite::empty();
    let record = Run::new("0000000a-1").record();
    site.write(
        "content/runs/a/run-record.json",
        record.replace("\"codex\"", "\"my-own-harness\""),
    );
    site.publish();
    let page = site.page("runs/pong-my-own-harness-sample-lark-1-0000000a/index.html");
    assert_eq!(page.beside("Harness"), ["my-own-harness 0.31.0"]);
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
        .filter(|note| note.message.contains("1 run has further unknown keys"))
        .count();
    assert_eq!((notes.len() <= 501, counted), (true, 1), "{}", notes.len());
}
