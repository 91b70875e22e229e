//! `runpress share`: a log or a run directory goes in, one HTML file comes out, from which `runpress import` restores the run directory.

mod sizes;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{
    FIRST, FIRST_SLUG, Page, Ran, TestSite, command, contains, copy, first, fixture, lacks, parse,
    rows, runpress_in, tree,
};

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

/// The run directories that an import of a path writes, by name.
fn imported(folder: &Path, log: &Path) -> BTreeMap<String, Vec<u8>> {
    let log = log.to_str().expect("UTF-8");
    let out = folder.join("imported");
    let _ = fs::remove_dir_all(&out);
    runpress_in(
        folder,
        &["import", log, "--case", "session", "--out", "imported"],
    )
    .ok();
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
    for name in ["src", "href", "srcset", "data-play"] {
        found.extend(page.attrs(&format!("[{name}]"), name));
    }
    let inside = ["#", "data:", "https://"];
    found.retain(|value| !inside.iter().any(|start| value.starts_with(start)));
    found
}

/// Links of a page to places that it does not have.
fn dead(html: &str) -> Vec<String> {
    let page = Page::parse(html);
    let ids = page.attrs("[id]", "id");
    let mut links = page.attrs("a[href^='#']", "href");
    links.retain(|href| !ids.iter().any(|id| *id == href[1..]) && !href.contains(".."));
    links
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
        let state = &record["status"]["state"];
        if state == "infrastructure" || state == "canceled" {
            continue;
        }
        let id = record["id"].as_str().expect("an id");
        shared(folder, log, &["--run", id, "--force"]).ok();
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

#[test]
fn a_file_is_a_page_with_title_description_version_and_all_events() {
    let folder = desk();
    let log = fixture("import/swe-agent/6e44b9__sweagenttestrepo-1c2844.traj");
    let ran = shared(folder.path(), &log, &[]);
    ran.says("Shared in run.html: ");
    let html = page(folder.path());
    let page = Page::parse(&html);
    let content = |selector: &str| page.attrs(selector, "content").remove(0);
    let version = format!("runpress {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(content("meta[name=generator]"), version);
    assert!(!page.texts("title")[0].is_empty());
    assert!(!content("meta[property='og:description']").is_empty());
    assert!(content("meta[http-equiv]").starts_with("default-src 'none'; script-src 'sha256-"));
    let data = |name: &str| -> String {
        let script = page.one(&format!("script[data-name='{name}']"));
        script.text().collect()
    };
    let document = parse(&data("run.json"));
    let events = document["tapes"][0]["events"].as_u64().expect("a number");
    assert_eq!(page.all(".tape .e").len() as u64, events);
    assert_eq!(embedded(&html), ["import.trace.jsonl", "run.json"]);
    data("import.trace.jsonl").lines().map(parse).for_each(drop);
    let note = page.texts("#left-out");
    assert!(note[0].starts_with("Left out or replaced: "), "{note:?}");
    assert!(note[0].ends_with(" by the import."), "{note:?}");
    assert!(
        page.all("header nav, .crumbs a, .neighbors, .find")
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
            site.remove_first("events.jsonl");
            site.unannotated();
            let harn = fixture("harn-tapes");
            let payloads = format!("{tape}.cas");
            copy(&harn.join(&payloads), &site.path(&first(&payloads)));
            site.write_first(tape, fs::read(harn.join(tape)).expect("a tape"));
            if sidecar {
                let name = format!("{tape}.annotations.jsonl");
                site.write_first(&name, fs::read(harn.join(&name)).expect("a sidecar"));
            }
        }
        let run = site.path(FIRST);
        site.runpress(&format!("share {} -o run.html", run.display()))
            .ok();
        let html = site.text("run.html");
        assert_eq!(references(&html), [""; 0], "{tape}");
        assert_eq!(dead(&html), [""; 0], "{tape}");
        let page = Page::parse(&html);
        assert_eq!(page.all(".an").is_empty(), !sidecar, "{tape}");
        assert!(!page.all("#writeup").is_empty(), "{tape}");
        let ran = site.runpress("import run.html --out back").ok();
        ran.says("restored  pong-4f1c2d3e");
        let mut names = vec!["run-record.json".to_owned(), tape.to_owned()];
        names.extend(sidecar.then(|| format!("{tape}.annotations.jsonl")));
        for name in names {
            let back = site.bytes(&format!("back/pong-4f1c2d3e/{name}"));
            assert!(back == site.bytes(&first(&name)), "{tape}: {name}");
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
        shared(folder, run, &["--force"]).ok();
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
        shared(folder.path(), &log, &["--force"]).ok();
        let html = page(folder.path());
        let page = Page::parse(&html);
        let scripts = page.all("script");
        let data = scripts
            .iter()
            .filter(|it| it.attr("type").is_some())
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
    let ran = shared(folder.path(), &log, &[]).exits(1);
    ran.says("secret.");
    ran.says("Nothing was written.");
    ran.says("share the log with `--redact`");
    lacks(&ran.stderr, secret());
    assert!(!folder.path().join("run.html").exists());
    shared(folder.path(), &log, &["--redact"]).ok();
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
    let run = site.path(FIRST).display().to_string();
    let elsewhere = desk();
    let share = |more: &str| {
        let line = format!("share {run} -o run.html --force {more}");
        runpress_in(elsewhere.path(), &line)
    };
    site.write(
        "site.toml",
        "[policy]\npublish_events = false\nlicence = \"CC-BY-4.0\"\n",
    );
    share("").ok();
    let html = page(elsewhere.path());
    assert_eq!(embedded(&html), ["run.json"]);
    let note = Page::parse(&html).texts("#left-out");
    contains(&note[0], "events.jsonl, which the site does not publish");
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
    share("").ok();
    assert_eq!(html, page(elsewhere.path()));
    site.remove("templates/shell.html");
    site.write("site.toml", "");
    site.runpress(&format!(
        "redact {run} --event 0 --quote 'read the task first' --reason personal"
    ))
    .ok();
    share("").ok();
    let html = page(elsewhere.path());
    assert!(Page::parse(&html).texts("#left-out")[0].contains("1 redacted part"));
    assert_eq!(embedded(&html)[0], "events.jsonl");
    site.write("site.toml", format!("[site]\ntitle = \"{}\"\n", secret()));
    assert_eq!(share("").status, Some(1), "the title is on the page");
    site.write("site.toml", "");
    share("--redact").exits(2).says("runpress redact");
    site.write_first("run-record.json", "{");
    share("").exits(1);
}

#[test]
fn other_pages_and_logs_with_several_runs_are_refused() {
    let folder = desk();
    let html = folder.path().join("other.html");
    fs::write(&html, "<!DOCTYPE html><title>A session</title>").expect("a file");
    for line in ["share other.html", "import other.html --out x"] {
        let ran = runpress_in(folder.path(), line).exits(1);
        ran.says("`runpress share` did not write");
    }
    let ran = shared(
        folder.path(),
        &fixture("import/inspect/log_read_sample.eval"),
        &["--run", "nobody"],
    )
    .exits(2);
    ran.says("has no run");
    ran.says("--run ID");
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
    let ran = shared(folder.path(), &logs, &[]).exits(2);
    let line = "\n    5d000000-0000-4000-8000-000000000010  Fix the parser number 10 with …";
    ran.says("error: The log has 14 runs\n  help: Choose one with `--run ID`:\n");
    ran.says(line);
    ran.says("\n    … and 2 more runs, which `-v` lists\n");
    lacks(&ran.stderr, &secret);
    let all = shared(folder.path(), &logs, &["-v"]);
    assert_eq!(all.stderr.matches("\n    5d000000-").count(), 14);
    let ran = shared(folder.path(), &folder.path().join("missing.jsonl"), &[]).exits(1);
    ran.says("import.unreadable-file");
}

#[test]
fn a_forged_file_writes_nothing_but_logs_tapes_and_sidecars() {
    let folder = desk();
    shared(folder.path(), &fixture("import/atif/nemo-exmp06.json"), &[]).ok();
    let html = page(folder.path());
    let import = || runpress_in(folder.path(), "import run.html --out runs");
    for [from, to] in rows(
        r#"
data-name="import.trace.jsonl" | data-name="..%2F..%2Fx.tape"
data-name="import.trace.jsonl" | data-name="redactions.jsonl"
data-name="run.json" | data-name="events.jsonl"
"record":{ | "rec":{
</script>⏎<script type="application/json" | <script type="application/json"
"#,
    ) {
        assert!(html.contains(from), "{from}");
        fs::write(folder.path().join("run.html"), html.replacen(from, to, 1)).expect("a file");
        let ran = import();
        assert_eq!(ran.status, Some(1), "{to}: {}", ran.stderr);
        assert!(ran.stderr.contains("import.invalid-file"), "{to}: {ran:?}");
        assert!(!folder.path().join("runs").exists(), "{to}");
    }
    fs::write(folder.path().join("run.html"), &html).expect("a file");
    import().says("restored ");
    import().says("unchanged ");
    let changed = html.replacen("\"state\":\"", "\"state\":\"un", 1);
    if changed != html {
        fs::write(folder.path().join("run.html"), changed).expect("a file");
        import().exits(1).says("import.changed");
    }
}

#[test]
fn a_run_folder_without_a_site_is_shared_under_its_name() {
    let folder = desk();
    copy(&fixture("base").join(FIRST), &folder.path().join("mine"));
    runpress_in(folder.path(), "share mine").ok();
    assert!(folder.path().join(format!("{FIRST_SLUG}.html")).is_file());
    fs::write(folder.path().join("mine/events.jsonl"), "{").expect("a file");
    let ran = runpress_in(folder.path(), "share mine --force");
    ran.exits(1).says("mine/events.jsonl");
}
