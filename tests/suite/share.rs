//! `runpress share`: a log or a run folder goes in, one HTML file comes out, from which `runpress import` restores the run folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use base64::Engine;
use serde_json::{Value, json};

use crate::support::{
    FIRST, FIRST_SLUG, Page, Ran, TestSite, command, copy, fixture, runpress_in, tree,
};

/// What a file may have beyond 1.4 times its log.
const FRAME: usize = 150_000;

/// A folder to share in, outside any site.
fn desk() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn shared(folder: &Path, log: &Path, more: &[&str]) -> Ran {
    let log = log.to_str().expect("UTF-8");
    runpress_in(folder, &[&["share", log, "-o", "run.html"], more].concat())
}

fn page(folder: &Path) -> String {
    fs::read_to_string(folder.join("run.html")).expect("a file in UTF-8")
}

/// The run folders that an import of a path writes, by name.
fn imported(folder: &Path, log: &Path) -> BTreeMap<String, Vec<u8>> {
    let log = log.to_str().expect("UTF-8");
    let out = folder.join("imported");
    let _ = fs::remove_dir_all(&out);
    let ran = runpress_in(
        folder,
        &["import", log, "--case", "session", "--out", "imported"],
    );
    assert_eq!(ran.status, Some(0), "{log}: {}", ran.stderr);
    tree(&out)
}

/// The script elements with files: their names.
fn embedded(html: &str) -> Vec<String> {
    let parts = html.split("data-name=\"").skip(1);
    parts
        .map(|part| part.split('"').next().unwrap_or_default().to_owned())
        .collect()
}

/// What a page would load or link to besides itself and other sites.
fn references(html: &str) -> Vec<String> {
    let page = Page::parse(html);
    let mut found = Vec::new();
    for (selector, name) in [
        ("[src]", "src"),
        ("[href]", "href"),
        ("[srcset]", "srcset"),
        ("[data-play]", "data-play"),
    ] {
        let values = page
            .all(selector)
            .into_iter()
            .filter_map(|element| element.value().attr(name));
        let is_from_orchestrator = |value: &&str| {
            !value.starts_with('#') && !value.starts_with("data:") && !value.starts_with("https://")
        };
        found.extend(values.filter(is_from_orchestrator).map(str::to_owned));
    }
    found
}

/// Links of a page to places that it does not have.
fn dead(html: &str) -> Vec<String> {
    let page = Page::parse(html);
    let ids = page
        .all("[id]")
        .into_iter()
        .filter_map(|element| element.value().attr("id"));
    let ids: Vec<&str> = ids.collect();
    let links = page
        .all("a[href^='#']")
        .into_iter()
        .filter_map(|element| element.value().attr("href"));
    let is_dead = |href: &&str| !ids.contains(&&href[1..]) && !href.contains("..");
    links.filter(is_dead).map(str::to_owned).collect()
}

fn samples() -> Vec<PathBuf> {
    let samples = [
        "atif/letta-tool-calls/input.json",
        "atif/nemo-exmp06.json",
        "claude-code/ccl-showcase/55550000-0000-4000-8000-000000000001.jsonl",
        "claude-code/simonw-sample_session.jsonl",
        "claude-code/made-streamed",
        "codex/localpush/sessions/2026/02/23",
        "codex/zst",
        "harbor/2026-03-01__12-00-00/hello-world__Ab3dE7q",
        "inspect/log_images.json",
        "inspect/made/read_sample-chunked.eval",
        "mini-swe-agent/made-toolcall.traj.json",
        "openhands/v0-basic.json",
        "openhands/v1-made",
        "swe-agent/6e44b9__sweagenttestrepo-1c2844.traj",
    ];
    samples
        .iter()
        .map(|sample| fixture("import").join(sample))
        .collect()
}

/// The bytes of a log, which may be a folder.
fn weight(log: &Path) -> usize {
    if log.is_dir() {
        tree(log).values().map(Vec::len).sum()
    } else {
        fs::read(log).expect("a file").len()
    }
}

/// Shares each run of a log, and compares what comes back with what an import writes. Returns the size of the largest file.
fn assert_round_trip(log: &Path) -> usize {
    let mut largest = 0;
    let folder = desk();
    let folder = folder.path();
    let direct = imported(folder, log);
    let records = direct
        .iter()
        .filter(|(path, _)| path.ends_with("run-record.json"));
    let records: Vec<(String, Value)> = records
        .map(|(path, bytes)| (path.clone(), serde_json::from_slice(bytes).expect("JSON")))
        .collect();
    assert!(!records.is_empty(), "{}", log.display());
    for (path, record) in records {
        if matches!(
            record["status"]["state"].as_str(),
            Some("infrastructure" | "canceled")
        ) {
            continue;
        }
        let id = record["id"].as_str().expect("an id");
        let ran = shared(folder, log, &["--run", id, "--force"]);
        assert_eq!(ran.status, Some(0), "{}: {}", log.display(), ran.stderr);
        let html = page(folder);
        assert_eq!(references(&html), [""; 0], "{}", log.display());
        assert_eq!(dead(&html), [""; 0], "{}", log.display());
        largest = largest.max(html.len());
        let back = imported(folder, &folder.join("run.html"));
        let run = path.split('/').next().expect("a folder");
        let below = format!("{run}/");
        let same: BTreeMap<_, _> = direct
            .iter()
            .filter(|(path, _)| path.starts_with(&below) && !path.contains("/assets/"))
            .map(|(path, bytes)| (path.clone(), bytes.clone()))
            .collect();
        assert_eq!(back, same, "{}", log.display());
    }
    largest
}

/// Shares a log whose file must stay within the bound.
fn assert_bounded(log: &Path) {
    let (size, most) = (assert_round_trip(log), weight(log) * 14 / 10 + FRAME);
    assert!(size <= most, "{}: {size} of {most}", log.display());
}

#[test]
fn a_log_of_every_format_becomes_one_file_from_which_the_run_folder_is_restored() {
    for log in samples() {
        assert_bounded(&log);
    }
}

#[test]
fn a_file_is_a_page_with_title_description_version_and_all_events() {
    let folder = desk();
    let log = fixture("import/swe-agent/6e44b9__sweagenttestrepo-1c2844.traj");
    let ran = shared(folder.path(), &log, &[]);
    assert!(
        ran.stderr.contains("Shared in run.html: "),
        "{}",
        ran.stderr
    );
    let html = page(folder.path());
    let page = Page::parse(&html);
    let content = |selector: &str| {
        page.one(selector)
            .value()
            .attr("content")
            .expect("content")
            .to_owned()
    };
    assert_eq!(
        content("meta[name=generator]"),
        format!("runpress {}", env!("CARGO_PKG_VERSION"))
    );
    assert!(!page.texts("title")[0].is_empty());
    assert!(!content("meta[property='og:description']").is_empty());
    assert!(content("meta[http-equiv]").starts_with("default-src 'none'; script-src 'sha256-"));
    let document = page
        .one("script[data-name='run.json']")
        .text()
        .collect::<String>();
    let document: Value = serde_json::from_str(&document).expect("JSON");
    let events = document["tapes"][0]["events"].as_u64().expect("a number");
    assert_eq!(page.all(".tape .e").len() as u64, events);
    assert_eq!(embedded(&html), ["import.trace.jsonl", "run.json"]);
    let trace = page
        .one("script[data-name='import.trace.jsonl']")
        .text()
        .collect::<String>();
    for line in trace.lines() {
        serde_json::from_str::<Value>(line).expect("a line of JSON");
    }
    let note = page.texts("#left-out");
    assert!(note[0].starts_with("Left out or replaced: "), "{note:?}");
    assert!(note[0].ends_with(" by the import."), "{note:?}");
    assert!(
        page.all("header nav, .crumbs a, .neighbours, .find")
            .is_empty()
    );
}

#[test]
fn native_runs_and_harn_tapes_are_shared_with_their_annotations() {
    for (tape, sidecar) in [
        ("events.jsonl", true),
        ("v5-full.tape", true),
        ("v4-full.tape", false),
    ] {
        let site = TestSite::base();
        if tape != "events.jsonl" {
            site.remove(&format!("{FIRST}/events.jsonl"));
            site.remove(&format!("{FIRST}/events.jsonl.annotations.jsonl"));
            let harn = fixture("harn-tapes");
            copy(
                &harn.join(format!("{tape}.cas")),
                &site.path(&format!("{FIRST}/{tape}.cas")),
            );
            site.write(
                &format!("{FIRST}/{tape}"),
                fs::read(harn.join(tape)).expect("a tape"),
            );
            if sidecar {
                let name = format!("{tape}.annotations.jsonl");
                site.write(
                    &format!("{FIRST}/{name}"),
                    fs::read(harn.join(&name)).expect("a sidecar"),
                );
            }
        }
        let ran = site.runpress(&[
            "share",
            site.path(FIRST).to_str().expect("UTF-8"),
            "-o",
            "run.html",
        ]);
        assert_eq!(ran.status, Some(0), "{tape}: {}", ran.stderr);
        let html = site.text("run.html");
        assert_eq!(references(&html), [""; 0], "{tape}");
        assert_eq!(dead(&html), [""; 0], "{tape}");
        let page = Page::parse(&html);
        assert_eq!(page.all(".an").is_empty(), !sidecar, "{tape}");
        assert!(!page.all("#writeup").is_empty(), "{tape}");
        let ran = site.runpress(&["import", "run.html", "--out", "back"]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("restored  pong-4f1c2d3e"),
            "{}",
            ran.stderr
        );
        let mut names = vec!["run-record.json".to_owned(), tape.to_owned()];
        names.extend(sidecar.then(|| format!("{tape}.annotations.jsonl")));
        for name in names {
            let back = site.bytes(&format!("back/pong-4f1c2d3e/{name}"));
            assert!(
                back == site.bytes(&format!("{FIRST}/{name}")),
                "{tape}: {name}"
            );
        }
    }
}

#[test]
fn a_writeup_and_review_threads_come_back_as_far_as_they_are_published() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let run = root.join("content/runs/2026-08/pong-claude-frenzy");
    let folder = desk();
    let folder = folder.path();
    let data = |run: &Path| -> Value {
        let ran = shared(folder, run, &["--force"]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        let page = page(folder);
        let files = runpress::api::formats::single_file::files(page.as_bytes()).expect("files");
        let data = files.iter().find(|file| file.name == "run.json");
        serde_json::from_slice(&data.expect("run.json").bytes).expect("JSON")
    };
    let before = data(&run);
    let back = imported(folder, &folder.join("run.html"));
    let restored = back.keys().next().expect("a file").split('/').next();
    let restored = restored.expect("a folder").to_owned();
    let names: Vec<&str> = back
        .keys()
        .filter_map(|path| path.split('/').nth(1))
        .collect();
    for name in ["annotations.json", "writeup.md", "run-record.json"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let out = folder.join("again");
    for (path, bytes) in &back {
        let path = out.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
    let after = data(&out.join(restored));
    for pointer in [
        "/review/rating",
        "/review/ratings",
        "/review/checklist",
        "/review/markdown",
        "/threads",
        "/record",
        "/tapes",
    ] {
        assert!(
            !before.pointer(pointer).expect("a value").is_null(),
            "{pointer}"
        );
        assert_eq!(after.pointer(pointer), before.pointer(pointer), "{pointer}");
    }
}

/// Where a text is in a log.
#[derive(Clone, Copy)]
enum Printed {
    Answer,
    Argument,
    Result,
}

/// A session of Claude Code with these texts.
fn session_of(texts: &[&str], printed: Printed) -> String {
    let id = "7d9f0c52-0000-4000-8000-0000000000aa";
    let mut rows = 0;
    let mut row = |role: &str, content: Value| {
        let parent = (rows > 0).then(|| format!("u{}", rows - 1));
        let mut message = json!({"role": role, "content": content});
        if role == "assistant" {
            message["id"] = json!(format!("m{rows}"));
            message["model"] = json!("claude-x");
        }
        let row = json!({"uuid": format!("u{rows}"), "parentUuid": parent, "sessionId": id, "version": "2.1.0",
            "timestamp": "2026-03-01T10:00:00.000Z", "type": role, "message": message});
        rows += 1;
        format!("{row}\n")
    };
    let mut log = row("user", json!("Go on."));
    for (at, text) in texts.iter().enumerate() {
        let (name, input, result) = match printed {
            Printed::Answer => {
                log += &row("assistant", json!([{"type": "text", "text": text}]));
                continue;
            }
            Printed::Argument => {
                let input = json!({"file_path": format!("/work/{at}.html"), "content": text});
                ("Write", input, "The file was written.")
            }
            Printed::Result => ("Bash", json!({"command": format!("cat {at}.html")}), *text),
        };
        let call = format!("t{at}");
        log += &row(
            "assistant",
            json!([{"type": "tool_use", "id": call, "name": name, "input": input}]),
        );
        log += &row(
            "user",
            json!([{"type": "tool_result", "tool_use_id": call, "content": result}]),
        );
    }
    log
}

/// A session of Claude Code with these texts as answers.
fn session(texts: &[&str]) -> String {
    session_of(texts, Printed::Answer)
}

#[test]
fn hostile_texts_stay_texts_and_come_back_as_they_were() {
    let long = "</script><b>x</b> \u{202e}\u{1b}[31m ".repeat(60_000);
    let texts = [
        "</script><script>alert(1)</script>",
        "<!-- <script> --!> \\u003c/script> \\u003C!--",
        "</SCRIPT\u{c}x> ]]> <script type=\"application/jsonl\" data-name=\"x.tape\">{}",
        "\u{202e}abc\u{2066} \u{1b}[31mred\u{1b}[0m \u{0} \u{feff} \u{2028}\u{2029}",
        "<a href=\"javascript:alert(1)\">x</a> ![x](https://example.org/x.png) <img src=x onerror=alert(1)>",
        &long,
    ];
    let folder = desk();
    for texts in [&texts[..], &texts[..5], &texts[..1]] {
        let log = folder.path().join("session.jsonl");
        fs::write(&log, session(texts)).expect("a file");
        assert_round_trip(&log);
        let ran = shared(folder.path(), &log, &["--force"]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        let html = page(folder.path());
        let page = Page::parse(&html);
        let scripts = page.all("script");
        let data = scripts
            .iter()
            .filter(|it| it.value().attr("type").is_some())
            .count();
        assert_eq!(
            (data, scripts.len() - data),
            (2, 4),
            "the files and the scripts of runpress"
        );
        assert!(
            page.all("main script, main [onerror], main img[src^=http]")
                .is_empty()
        );
        assert!(!html.contains('\u{1b}') && page.main().contains("alert(1)"));
        assert!(!html.contains("<!--"), "a page has no comment");
        if texts.len() > 2 {
            // Nothing can be ended that did not begin.
            assert!(page.main().contains("<!-- <script> --!>") && page.main().contains("x> ]]>"));
        }
    }
}

fn secret() -> String {
    format!("{}_{}", "ghp", "x7Kq2mPz9LwTn4Rb8VcJ3hYd6FsG1aQeXoWk")
}

/// All text in a file, with compressed files unpacked.
fn everything(folder: &Path) -> String {
    let back = imported(folder, &folder.join("run.html"));
    let back: Vec<u8> = back.into_values().flatten().collect();
    page(folder) + &String::from_utf8_lossy(&back)
}

#[test]
fn a_secret_stops_it_and_is_withheld_on_request() {
    let folder = desk();
    let log = folder.path().join("session.jsonl");
    let long = "line\n".repeat(40_000);
    fs::write(
        &log,
        session(&["The token:", &format!("TOKEN={} {long}", secret()), "Done."]),
    )
    .expect("a file");
    let ran = shared(folder.path(), &log, &[]);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("secret."), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("Nothing was written.")
            && ran.stderr.contains("share the log with `--redact`"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains(&secret()), "{}", ran.stderr);
    assert!(!folder.path().join("run.html").exists());
    let ran = shared(folder.path(), &log, &["--redact"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let text = everything(folder.path());
    assert!(!text.contains(&secret()) && !text.contains(&secret()[8..24]));
    let html = page(folder.path());
    assert!(Page::parse(&html).texts("#left-out")[0].contains("1 redacted part"));
    assert_eq!(
        fs::read_dir(folder.path()).expect("a folder").count(),
        3,
        "log, file, import"
    );
}

#[test]
fn standard_input_and_output_work_and_no_file_is_replaced_unasked() {
    let folder = desk();
    let log = fs::read(fixture("import/atif/nemo-exmp06.json")).expect("a file");
    let piped = |arguments: &[&str]| {
        let mut child = command()
            .current_dir(folder.path())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut input = child.stdin.take().expect("its input");
        input.write_all(&log).expect("it reads");
        drop(input);
        child.wait_with_output().expect("it ends")
    };
    let ran = piped(&["share", "-"]);
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{said}");
    let named = said
        .strip_prefix("Shared in ")
        .and_then(|rest| rest.split(": ").next());
    let name = named.expect("a name").to_owned();
    let first = fs::read(folder.path().join(&name)).expect("the file");
    let ran = piped(&["share", "-", "-o", "-"]);
    assert!(
        ran.status.success() && ran.stdout == first,
        "the same bytes"
    );
    let again = piped(&["share", "-"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("--force"));
    fs::write(folder.path().join(&name), "old").expect("a file");
    assert!(piped(&["share", "-", "--force"]).status.success());
    assert_eq!(
        fs::read(folder.path().join(&name)).expect("the file"),
        first
    );
    let nowhere = piped(&["share", "-", "-o", "no/such/folder.html"]);
    assert_eq!(nowhere.status.code(), Some(2));
}

#[test]
fn the_settings_of_the_site_around_a_run_folder_apply() {
    let site = TestSite::base();
    let at = site.path(FIRST);
    let run = at.to_str().expect("UTF-8");
    let elsewhere = desk();
    let share = |more: &[&str]| {
        runpress_in(
            elsewhere.path(),
            &[&["share", run, "-o", "run.html", "--force"], more].concat(),
        )
    };
    site.write(
        "site.toml",
        "[policy]\npublish_events = false\nlicence = \"CC-BY-4.0\"\n",
    );
    assert_eq!(share(&[]).status, Some(0));
    let html = page(elsewhere.path());
    assert_eq!(embedded(&html), ["run.json"]);
    let note = &Page::parse(&html).texts("#left-out")[0];
    assert!(
        note.contains("events.jsonl, which the site does not publish"),
        "{note}"
    );
    assert!(html.contains("Data: CC-BY-4.0."));
    let back = imported(elsewhere.path(), &elsewhere.path().join("run.html"));
    let back: Vec<&str> = back
        .keys()
        .filter_map(|path| path.split('/').nth(1))
        .collect();
    assert_eq!(back, ["run-record.json", "writeup.md"]);
    // Themes and static files of the site are not used.
    site.write("templates/shell.html", "{{ broken");
    site.write("static/css/site.css", "p { color: red }");
    assert_eq!(share(&[]).status, Some(0));
    assert_eq!(html, page(elsewhere.path()));
    site.remove("templates/shell.html");
    let event = "events.jsonl";
    site.write("site.toml", "");
    let ran = site.runpress(&[
        "redact",
        run,
        "--event",
        "0",
        "--quote",
        "read the task first",
        "--reason",
        "personal",
    ]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(share(&[]).status, Some(0));
    let html = page(elsewhere.path());
    assert!(Page::parse(&html).texts("#left-out")[0].contains("1 redacted part"));
    assert_eq!(embedded(&html)[0], event);
    site.write("site.toml", format!("[site]\ntitle = \"{}\"\n", secret()));
    assert_eq!(share(&[]).status, Some(1), "the title is on the page");
    site.write("site.toml", "");
    let ran = share(&["--redact"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("runpress redact"), "{}", ran.stderr);
    site.write(&format!("{FIRST}/run-record.json"), "{");
    assert_eq!(share(&[]).status, Some(1));
}

#[test]
fn other_pages_and_logs_with_several_runs_are_refused() {
    let folder = desk();
    let html = folder.path().join("other.html");
    fs::write(&html, "<!DOCTYPE html><title>A session</title>").expect("a file");
    let path = html.to_str().expect("UTF-8");
    for arguments in [&["share", path][..], &["import", path, "--out", "x"]] {
        let ran = runpress_in(folder.path(), arguments);
        assert_eq!(ran.status, Some(1), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("`runpress share` did not write"),
            "{}",
            ran.stderr
        );
    }
    let ran = shared(
        folder.path(),
        &fixture("import/inspect/log_read_sample.eval"),
        &["--run", "nobody"],
    );
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("has no run") && ran.stderr.contains("--run ID"),
        "{}",
        ran.stderr
    );
    // A log with many runs lists the first ones, each with its task.
    let logs = folder.path().join("logs");
    fs::create_dir(&logs).expect("a folder");
    let secret = secret();
    for number in 10..24 {
        let row = serde_json::json!({"type": "user", "uuid": format!("u-{number}"), "sessionId": format!("5d000000-0000-4000-8000-0000000000{number}"),
            "timestamp": format!("2026-03-01T10:00:{number}Z"),
            "message": {"role": "user", "content": format!("Fix the parser number {number} with {secret}\u{1b}[31m")}});
        fs::write(logs.join(format!("{number}.jsonl")), format!("{row}\n")).expect("a file");
    }
    let ran = shared(folder.path(), &logs, &[]);
    assert_eq!(ran.status, Some(2), "{}", ran.stderr);
    let line = "\n    5d000000-0000-4000-8000-000000000010  Fix the parser number 10 with …";
    for part in [
        "error: The log has 14 runs\n  help: Choose one with `--run ID`:\n",
        line,
        "\n    … and 2 more runs, which `-v` lists\n",
    ] {
        assert!(ran.stderr.contains(part), "{part}\n{}", ran.stderr);
    }
    assert!(!ran.stderr.contains(&secret), "{}", ran.stderr);
    let all = shared(folder.path(), &logs, &["-v"]);
    assert_eq!(all.stderr.matches("\n    5d000000-").count(), 14);
    let ran = shared(folder.path(), &folder.path().join("missing.jsonl"), &[]);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("import.unreadable-file"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_forged_file_writes_nothing_but_logs_tapes_and_sidecars() {
    let folder = desk();
    let ran = shared(folder.path(), &fixture("import/atif/nemo-exmp06.json"), &[]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let html = page(folder.path());
    for (from, to) in [
        (
            "data-name=\"import.trace.jsonl\"",
            "data-name=\"..%2F..%2Fx.tape\"",
        ),
        (
            "data-name=\"import.trace.jsonl\"",
            "data-name=\"redactions.jsonl\"",
        ),
        ("data-name=\"run.json\"", "data-name=\"events.jsonl\""),
        ("\"record\":{", "\"rec\":{"),
        (
            "</script>\n<script type=\"application/json\"",
            "<script type=\"application/json\"",
        ),
    ] {
        assert!(html.contains(from), "{from}");
        fs::write(folder.path().join("run.html"), html.replacen(from, to, 1)).expect("a file");
        let ran = runpress_in(folder.path(), &["import", "run.html", "--out", "runs"]);
        assert_eq!(ran.status, Some(1), "{to}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("import.invalid-file"),
            "{to}: {}",
            ran.stderr
        );
        assert!(!folder.path().join("runs").exists(), "{to}");
    }
    fs::write(folder.path().join("run.html"), &html).expect("a file");
    let import = || runpress_in(folder.path(), &["import", "run.html", "--out", "runs"]);
    assert!(import().stderr.contains("restored "));
    assert!(import().stderr.contains("unchanged "));
    let changed = html.replacen("\"state\":\"", "\"state\":\"un", 1);
    if changed != html {
        fs::write(folder.path().join("run.html"), changed).expect("a file");
        let ran = import();
        assert_eq!(ran.status, Some(1), "{}", ran.stderr);
        assert!(ran.stderr.contains("import.changed"), "{}", ran.stderr);
    }
}

#[test]
fn a_log_of_five_megabytes_stays_within_its_bound() {
    let folder = desk();
    let log = folder.path().join("session.jsonl");
    let texts: Vec<String> = (0..5_000)
        .map(|at| {
            let digest = blake3::hash(format!("{at}").as_bytes());
            let word = base64::prelude::BASE64_STANDARD.encode(digest.as_bytes());
            format!(
                "Step {at}: the function `{word}` returns {at} where {} is expected.\n",
                at + 1
            )
            .repeat(9)
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    fs::write(&log, session(&texts)).expect("a file");
    assert!(weight(&log) > 5_000_000, "{}", weight(&log));
    assert_bounded(&log);
    let ran = shared(folder.path(), &log, &[]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert_eq!(
        Page::parse(&page(folder.path())).all(".tape .e").len(),
        5_001
    );
}

/// Files of 5 KB, 1 MB in all, that repeat a part with another word for each `@`.
fn files_of(part: &str) -> Vec<String> {
    let mut words = (0_u64..).map(|number| {
        let digest = blake3::hash(&number.to_le_bytes()).to_hex();
        digest[..3 + usize::from(digest.as_bytes()[0] % 8)].to_owned()
    });
    let mut file = || {
        let mut text = String::new();
        while text.len() < 5_000 {
            let mut pieces = part.split('@');
            text.extend(pieces.next());
            for piece in pieces {
                text.extend(words.next());
                text.push_str(piece);
            }
        }
        text
    };
    (0..200).map(|_| file()).collect()
}

#[test]
fn a_log_of_nothing_but_markup_stays_within_its_bound() {
    let page = "<div class=\"@ @\" id=\"@\">\n  <a href=\"/@/@\">@ @</a>\n  <p>@ @ @ @ @ @ <b>@</b></p>\n</div>\n";
    let short = "<div class=\"@\"><span>@</span></div>\n";
    let component = "export const @ = ({ @ }: Props) => {\n  if (@ && !@) {\n    fetch(`/@`).then((@) => @.json());\n  }\n  return (\n    <ul className=\"@\">\n      {@.map((@) => <Row key={@} label=\"@\" />)}\n    </ul>\n  );\n};\n\n";
    let xml = "<node id=\"@\" lat=\"@\" lon=\"@\" k=\"@\" user=\"@\"/>\n";
    let folder = desk();
    let log = folder.path().join("session.jsonl");
    for (part, printed) in [
        (page, Printed::Answer),
        (page, Printed::Argument),
        (page, Printed::Result),
        (short, Printed::Answer),
        (short, Printed::Argument),
        (component, Printed::Argument),
        (component, Printed::Answer),
        (xml, Printed::Argument),
    ] {
        let files = files_of(part);
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        fs::write(&log, session_of(&files, printed)).expect("a file");
        assert_bounded(&log);
    }
}

#[test]
fn a_run_folder_without_a_site_is_shared_under_its_name() {
    let folder = desk();
    copy(&fixture("base").join(FIRST), &folder.path().join("mine"));
    let ran = runpress_in(folder.path(), &["share", "mine"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(
        folder.path().join(format!("{FIRST_SLUG}.html")).is_file(),
        "{}",
        ran.stderr
    );
    fs::write(folder.path().join("mine/events.jsonl"), "{").expect("a file");
    let ran = runpress_in(folder.path(), &["share", "mine", "--force"]);
    assert_eq!(ran.status, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("mine/events.jsonl"), "{}", ran.stderr);
}
