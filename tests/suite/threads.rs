//! Review threads of the Agent Host Protocol: beside the lines that they are about, and in the feeds.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::crawl::problems;
use crate::support::{FIRST, FIRST_SLUG, Page, TestSite, below, codes, described, lines, words};

const SOURCE: &str = "const ball = 1;\nlet x = a < b && \"<i>\";\nmove(ball);\ndraw();\nstop();\n";

/// One thread; `range` is a pair of zero-based positions.
fn thread(id: &str, resource: &str, range: Option<[[u32; 2]; 2]>, entries: &[Value]) -> Value {
    let mut thread = json!({
        "id": id, "turnId": "turn-3", "resource": resource, "resolved": false, "entries": entries,
    });
    if let Some([[line, character], [end, until]]) = range {
        thread["range"] = json!({
            "start": { "line": line, "character": character },
            "end": { "line": end, "character": until },
        });
    }
    thread
}

fn plain(id: &str, text: &str) -> Value {
    json!({ "id": id, "text": text })
}

fn markdown(id: &str, text: &str) -> Value {
    json!({ "id": id, "text": { "markdown": text } })
}

/// The base run with these threads, and two files that the run produced.
fn site(threads: &[Value]) -> TestSite {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/annotations.json"),
        format!("{:#}\n", json!({ "annotations": threads })),
    );
    site.write(&format!("{FIRST}/implementation/src/main.ts"), SOURCE);
    site.write(&format!("{FIRST}/implementation/a b.ts"), "one\ntwo\n");
    site
}

fn actions(site: &TestSite, actions: &[Value]) {
    let all: Vec<String> = actions.iter().map(Value::to_string).collect();
    site.write(&format!("{FIRST}/annotations.actions.jsonl"), lines(&all));
}

/// The lines that the threads of a page show.
fn shown(page: &Page) -> Vec<String> {
    page.texts("div.thread pre")
}

#[test]
fn a_resource_is_found_below_both_default_workspaces_and_below_those_of_the_setting() {
    let resources = [
        ("/work", "file:///work/src/main.ts"),
        ("/workspace", "file:///workspace/src/main.ts"),
        ("/home/app", "/home/app/src/main.ts"),
    ];
    let threads = resources
        .map(|(id, resource)| thread(id, resource, Some([[0, 0], [0, 1]]), &[plain("1", "Why?")]));
    let site = site(&threads);
    for (setting, found) in [
        ("", [true, true, false]),
        ("[files]\nworkspace = \"/home/app\"\n", [false, false, true]),
        (
            "[files]\nworkspace = [\"/work\", \"/home/app/\"]\n",
            [true, false, true],
        ),
    ] {
        site.write("site.toml", setting);
        let outcome = site.publish();
        let missing = found.iter().filter(|found| !**found).count();
        assert_eq!(
            codes(&outcome),
            vec!["threads.missing-resource"; missing],
            "{setting}"
        );
        assert_eq!(shown(&site.first_page()).len(), 3 - missing, "{setting}");
    }
}

#[test]
fn threads_stand_by_file_and_line_with_the_lines_that_they_are_about() {
    let site = site(&[
        thread(
            "late",
            "file:///workspace/src/main.ts",
            Some([[3, 0], [5, 0]]),
            &[
                plain("1", "Why stop?"),
                plain("2", "Because <b>it</b> is *over*."),
            ],
        ),
        thread("whole", "src/main.ts", None, &[plain("1", "A fine file.")]),
        thread(
            "early",
            "/workspace/src/main.ts",
            Some([[1, 4], [1, 9]]),
            &[markdown(
                "1",
                "Is `x` *used*? See [the test](#e-2) and [this](javascript:x).",
            )],
        ),
        thread(
            "other",
            "file:///workspace/a%20b.ts",
            Some([[0, 0], [0, 0]]),
            &[plain("1", "One.")],
        ),
    ]);
    let outcome = site.publish();
    assert_eq!(
        codes(&outcome),
        ["review.unsafe-link"],
        "{:?}",
        described(&outcome)
    );
    assert_eq!(problems(&site.published()), [""; 0]);
    let page = site.first_page();
    assert!(page.main().contains("4 threads, 4 open"), "{}", page.main());
    assert_eq!(page.texts(".thread-file > h3"), ["a b.ts", "src/main.ts"]);
    let places: Vec<String> = page
        .all("div.thread .ah")
        .into_iter()
        .map(|head| words(head))
        .collect();
    assert_eq!(
        places,
        [
            "line 1 open turn-3",
            "whole file open turn-3",
            "line 2 open turn-3",
            "lines 4 to 5 open turn-3"
        ]
    );
    assert_eq!(
        shown(&page),
        [
            "1 one",
            "2 let x = a < b && \"<i>\";",
            "4 draw(); 5 stop();"
        ]
    );
    // Plain text is shown as it stands, Markdown is rendered; neither brings an element of its own.
    let last = page.all("div.thread")[3];
    let entries: Vec<String> = below(last, "ol.entries > li")
        .into_iter()
        .map(words)
        .collect();
    assert_eq!(entries, ["Why stop?", "Because <b>it</b> is *over*."]);
    assert!(below(last, "b, em").is_empty());
    let early = page.all("div.thread")[2];
    assert_eq!(below(early, ".md em").len(), 1);
    assert_eq!(below(early, ".md code").len(), 1);
    let links: Vec<_> = below(early, ".md a")
        .into_iter()
        .filter_map(|link| link.value().attr("href"))
        .collect();
    assert_eq!(links.len(), 1, "{links:?}");
    assert!(links[0].ends_with("#e-2"), "{links:?}");
}

#[test]
fn a_thread_shows_at_most_forty_lines_and_says_how_many_more_there_are() {
    let site = site(&[thread(
        "t",
        "src/long.ts",
        Some([[0, 0], [99, 1]]),
        &[plain("1", "All of it.")],
    )]);
    let long: String = (1..=100).map(|n| format!("line{n}\n")).collect();
    site.write(&format!("{FIRST}/implementation/src/long.ts"), long);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    let shown = shown(&page).remove(0);
    assert!(
        shown.starts_with("1 line1 ") && shown.ends_with(" 40 line40"),
        "{shown}"
    );
    assert!(page.main().contains("and 60 more lines"));
}

#[test]
fn threads_that_point_nowhere_are_shown_without_lines_and_warned_of() {
    let site = site(&[
        thread(
            "gone",
            "src/gone.ts",
            Some([[0, 0], [0, 1]]),
            &[plain("1", "Where?")],
        ),
        thread(
            "beyond",
            "src/main.ts",
            Some([[900, 0], [901, 0]]),
            &[plain("1", "Which?")],
        ),
        thread(
            "back",
            "src/main.ts",
            Some([[3, 0], [1, 0]]),
            &[plain("1", "What?")],
        ),
        thread("mute", "src/main.ts", None, &[]),
    ]);
    let outcome = site.publish();
    let mut found = codes(&outcome);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "threads.missing-resource",
            "threads.no-entries",
            "threads.range-outside",
            "threads.range-outside"
        ],
        "{:?}",
        described(&outcome)
    );
    let page = site.first_page();
    assert_eq!(page.all("div.thread").len(), 4);
    assert!(shown(&page).is_empty(), "{:?}", shown(&page));
    assert!(
        page.texts(".thread-file > h3")
            .contains(&"src/gone.ts not among the published files".to_owned())
    );
    assert_eq!(problems(&site.published()), [""; 0]);
}

#[test]
fn the_actions_are_replayed_over_the_state() {
    let site = site(&[
        thread(
            "a",
            "src/main.ts",
            Some([[0, 0], [0, 1]]),
            &[plain("1", "first")],
        ),
        thread("b", "src/main.ts", None, &[plain("1", "to go")]),
    ]);
    let channel = "ahp-session:/1/annotations";
    let wrap =
        |seq: u32, action: Value| json!({ "channel": channel, "serverSeq": seq, "action": action });
    actions(
        &site,
        &[
            wrap(
                1,
                json!({ "type": "annotations/removed", "annotationId": "b" }),
            ),
            wrap(
                2,
                json!({ "type": "annotations/entrySet", "annotationId": "a", "entry": plain("2", "second") }),
            ),
            wrap(
                3,
                json!({ "type": "annotations/set", "annotation": thread("c", "src/main.ts", None, &[plain("1", "new")]) }),
            ),
            wrap(
                4,
                json!({ "type": "annotations/updated", "annotationId": "a", "resolved": true }),
            ),
            json!({ "channel": channel, "serverSeq": 5, "rejectionReason": "no",
                "action": { "type": "annotations/removed", "annotationId": "a" } }),
        ],
    );
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    assert!(page.main().contains("2 threads, 1 open"), "{}", page.main());
    assert_eq!(
        page.texts("div.thread ol.entries > li"),
        ["new", "first", "second"]
    );
    assert_eq!(page.texts("div.thread .badge"), ["open", "resolved"]);
    assert!(!page.main().contains("to go"));
    let threads = &site.json(&format!("runs/{FIRST_SLUG}/run.json"))["threads"];
    assert_eq!(threads["resource"], channel);
    assert_eq!(threads["annotations"][0]["resolved"], true);
    assert_eq!(threads["annotations"][0]["entries"][1]["text"], "second");
}

#[test]
fn actions_of_another_channel_are_skipped_and_counted() {
    let start = [thread("a", "src/main.ts", None, &[plain("1", "kept")])];
    let remove = |channel: &str| {
        json!({ "channel": channel, "serverSeq": 9,
            "action": { "type": "annotations/removed", "annotationId": "a" } })
    };
    let (ours, other) = (
        "ahp-session:/1/annotations",
        "ahp-session:/other/annotations",
    );
    let reply = json!({ "channel": ours, "serverSeq": 8,
        "action": { "type": "annotations/entrySet", "annotationId": "a", "entry": plain("2", "ours") } });
    let noted = |outcome: &runpress::pipeline::Outcome| {
        assert_eq!(codes(outcome), ["threads.foreign-channel"]);
        outcome.diagnostics[0].message.clone()
    };

    // The channel is that of the snapshot, whatever the log begins with.
    let snapshot = site(&[]);
    snapshot.write(
        &format!("{FIRST}/annotations.json"),
        json!({ "resource": ours, "fromSeq": 4, "state": { "annotations": start } }).to_string(),
    );
    actions(&snapshot, &[remove(other), remove(other), reply.clone()]);
    assert_eq!(
        noted(&snapshot.publish()),
        format!("2 actions belong to another channel, `{other}`, and are skipped")
    );
    assert_eq!(
        snapshot.first_page().texts("div.thread ol.entries > li"),
        ["kept", "ours"]
    );

    // Without one, it is the first of annotations that is not rejected.
    let state = site(&start);
    let mut rejected = remove(other);
    rejected["rejectionReason"] = json!("no");
    actions(&state, &[rejected, reply, remove(other)]);
    assert_eq!(
        noted(&state.publish()),
        format!("1 action belongs to another channel, `{other}`, and is skipped")
    );
    assert_eq!(
        state.first_page().texts("div.thread ol.entries > li"),
        ["kept", "ours"]
    );
    let threads = &state.json(&format!("runs/{FIRST_SLUG}/run.json"))["threads"];
    assert_eq!(threads["resource"], ours);
}

#[test]
fn an_action_log_alone_and_a_snapshot_are_enough() {
    let set = json!({ "type": "annotations/set", "annotation": thread("c", "src/main.ts", None, &[plain("1", "new")]) });
    let alone = site(&[]);
    alone.remove(&format!("{FIRST}/annotations.json"));
    actions(&alone, std::slice::from_ref(&set));
    assert_eq!(codes(&alone.publish()), [""; 0]);
    assert_eq!(
        alone.first_page().texts("div.thread ol.entries > li"),
        ["new"]
    );

    let snapshot = site(&[]);
    snapshot.write(
        &format!("{FIRST}/annotations.json"),
        json!({ "resource": "ahp-session:/7/annotations", "fromSeq": 4,
            "state": { "annotations": [thread("s", "src/main.ts", None, &[plain("1", "kept")])] } })
        .to_string(),
    );
    actions(
        &snapshot,
        &[
            json!({ "serverSeq": 4, "action": { "type": "annotations/removed", "annotationId": "s" } }),
            json!({ "serverSeq": 5, "action": set }),
        ],
    );
    assert_eq!(codes(&snapshot.publish()), [""; 0]);
    assert_eq!(
        snapshot.first_page().texts("div.thread ol.entries > li"),
        ["kept", "new"]
    );
    let card = &snapshot.json("feeds/runs.json")["runs"][0]["threads"];
    assert_eq!(
        *card,
        json!({ "resource": "ahp-session:/7/annotations", "annotationCount": 2, "entryCount": 2 })
    );
}

#[test]
fn run_json_holds_the_threads_as_written_and_the_digests_of_what_they_point_at() {
    let mut written = thread(
        "t",
        "file:///workspace/src/main.ts",
        Some([[0, 0], [0, 1]]),
        &[json!({ "id": "1", "text": { "markdown": "*m*" }, "_meta": { "by": "kim" } })],
    );
    written["_meta"] = json!({ "surface": "ide", "n": 1.50 });
    let site = site(std::slice::from_ref(&written));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let run = site.json(&format!("runs/{FIRST_SLUG}/run.json"));
    assert_eq!(
        run["threads"],
        json!({ "resource": null, "annotationCount": 1, "entryCount": 1, "annotations": [written] })
    );
    let paths: Vec<_> = run["files"]
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|file| file["path"].as_str())
        .collect();
    assert_eq!(
        paths,
        [
            "annotations.json",
            "events.jsonl",
            "events.jsonl.annotations.jsonl",
            "implementation/src/main.ts",
            "run-record.json",
            "writeup.md"
        ]
    );
    assert_eq!(
        site.json("feeds/runs.json")["runs"][0]["threads"]["entryCount"],
        1
    );
}

#[test]
fn a_run_without_threads_has_no_section_of_them() {
    let without = TestSite::base();
    without.publish();
    assert!(without.first_page().all("#threads").is_empty());
    assert!(without.json("feeds/runs.json")["runs"][0]["threads"].is_null());
    let none = site(&[]);
    assert_eq!(codes(&none.publish()), [""; 0]);
    assert!(none.first_page().all("#threads").is_empty());
    assert_eq!(
        none.json("feeds/runs.json")["runs"][0]["threads"]["annotationCount"],
        0
    );
}

#[test]
fn a_resource_that_leads_out_of_the_implementation_reads_nothing() {
    let outside = "SENTINEL-outside";
    let resources = [
        "../secret.txt",
        "src/../../secret.txt",
        "file:///workspace/../secret.txt",
        "file:///workspace/%2e%2e/secret.txt",
        "file:///workspace/src%2f..%2f..%2fsecret.txt",
        "file:///workspace/..%5csecret.txt",
        "..\\secret.txt",
        "/etc/hostname",
        "file:///etc/hostname",
        "file://host/workspace/../secret.txt",
        "/workspace/../secret.txt",
        "file:///workspace//secret.txt",
        "file:///workspace/./secret.txt",
        "https://example.org/secret.txt",
        "secret.txt\u{0}",
        "",
    ];
    let range = Some([[0, 0], [0, 1]]);
    let threads: Vec<Value> = resources
        .iter()
        .enumerate()
        .map(|(n, resource)| thread(&n.to_string(), resource, range, &[plain("1", "?")]))
        .collect();
    let site = site(&threads);
    site.write(&format!("{FIRST}/secret.txt"), outside);
    site.write("content/runs/secret.txt", outside);
    let outcome = site.publish();
    assert_eq!(
        codes(&outcome),
        vec!["threads.missing-resource"; resources.len()],
        "{:?}",
        described(&outcome)
    );
    for (path, bytes) in site.published() {
        assert!(!String::from_utf8_lossy(&bytes).contains(outside), "{path}");
    }
    assert!(shown(&site.first_page()).is_empty());
}

#[test]
fn the_lines_of_a_hidden_file_are_never_published() {
    let range = Some([[0, 0], [1, 0]]);
    let hidden = [
        "file:///workspace/.env",
        "src/.git/config",
        "/workspace/%2Eenv",
    ];
    let threads: Vec<Value> = hidden
        .iter()
        .map(|path| thread(path, path, range, &[plain("e", "Look here.")]))
        .collect();
    let site = site(&threads);
    for name in [".env", "src/.git/config"] {
        site.write(&format!("{FIRST}/implementation/{name}"), "KEY=SENTINEL\n");
    }
    let outcome = site.publish();
    let hidden = "threads.hidden-resource";
    assert_eq!(
        codes(&outcome),
        [hidden, hidden, "threads.missing-resource"]
    );
    let run = site.json(&format!("runs/{FIRST_SLUG}/run.json"));
    let files = run["files"].to_string();
    assert!(!files.contains("env") && !files.contains(".git"), "{files}");
    let leaks: Vec<String> = site
        .published()
        .into_iter()
        .filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains("SENTINEL"))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(leaks, [""; 0]);
    assert_eq!(
        site.first_page()
            .all("#thread-1, #thread-2, #thread-3")
            .len(),
        3
    );
}

#[test]
fn links_below_the_implementation_are_followed_only_inside_it() {
    let range = Some([[0, 0], [0, 1]]);
    let with = |resource: &str| site(&[thread("t", resource, range, &[plain("1", "?")])]);

    let inside = with("src/link.ts");
    symlink(
        "main.ts",
        inside.path(&format!("{FIRST}/implementation/src/link.ts")),
    )
    .expect("a link");
    assert_eq!(codes(&inside.publish()), [""; 0]);
    assert_eq!(shown(&inside.first_page()), ["1 const ball = 1;"]);

    // To a file and to a folder, in the run directory and out of it.
    for (name, target, resource) in [
        ("link.ts", "../secret.txt", "link.ts"),
        ("link.ts", "../../../../secret.txt", "link.ts"),
        ("folder", "..", "folder/secret.txt"),
        ("folder", "../../../..", "folder/secret.txt"),
    ] {
        let site = with(resource);
        site.write("secret.txt", "SENTINEL");
        site.write(&format!("{FIRST}/secret.txt"), "SENTINEL");
        symlink(target, site.path(&format!("{FIRST}/implementation/{name}"))).expect("a link");
        let ran = site.runpress(&["build", "--keep-going"]);
        assert!(
            ran.stderr.contains("content.symlink"),
            "{target}: {}",
            ran.stderr
        );
        for (path, bytes) in site.published() {
            assert!(
                !String::from_utf8_lossy(&bytes).contains("SENTINEL"),
                "{target}: {path}"
            );
        }
    }

    // The folder itself.
    for target in ["../../..", "/etc"] {
        let site = with("secret.txt");
        site.write("secret.txt", "SENTINEL");
        std::fs::remove_dir_all(site.path(&format!("{FIRST}/implementation"))).expect("a removal");
        symlink(target, site.path(&format!("{FIRST}/implementation"))).expect("a link");
        site.runpress(&["build", "--keep-going"]);
        for (path, bytes) in site.published() {
            assert!(
                !String::from_utf8_lossy(&bytes).contains("SENTINEL"),
                "{target}: {path}"
            );
        }
    }
}

#[test]
fn a_place_or_a_number_that_is_none_is_told_and_never_taken_for_nothing() {
    let thread = |line: &str| {
        format!(
            "{{\"id\":\"a\",\"turnId\":\"t\",\"resource\":\"a.ts\",\"resolved\":false,\"range\":{{\"start\":{{\"line\":{line},\"character\":0}},\"end\":{{\"line\":9,\"character\":0}}}},\"entries\":[{{\"id\":\"1\",\"text\":\"x\"}}]}}"
        )
    };
    let state = |line: &str, from: &str| {
        format!(
            "{{\"resource\":\"s/annotations\",\"fromSeq\":{from},\"state\":{{\"annotations\":[{}]}}}}",
            thread(line)
        )
    };
    for (text, code) in [
        (state("-1", "1"), "threads.wrong-type"),
        (state("1.5", "1"), "threads.wrong-type"),
        (state("-1", "-1"), "threads.wrong-type"),
        (state("1.0", "2e0"), "threads.missing-resource"),
    ] {
        let site = TestSite::base();
        site.write(&format!("{FIRST}/annotations.json"), &text);
        let mut found = codes(&site.check());
        found.dedup();
        assert_eq!(found, [code], "{text}");
    }
}

#[test]
fn two_entries_of_one_id_are_an_error_at_the_second() {
    let site = TestSite::base();
    site.write(
        &format!("{FIRST}/annotations.json"),
        r#"{"annotations":[{"id":"t","turnId":"u","resource":"file:///workspace/a.js","resolved":false,
"entries":[{"id":"e","text":"one"},{"id":"e","text":"two"}]}]}"#,
    );
    site.write(&format!("{FIRST}/implementation/a.js"), "let a;\n");
    assert_eq!(codes(&site.check()), ["threads.duplicate-id"]);
}

#[test]
fn a_thread_about_a_folder_is_a_warning_as_one_about_a_missing_file() {
    let site = site(&[
        thread("folder", "src", None, &[plain("1", "All of it.")]),
        thread("missing", "lib.ts", None, &[plain("1", "None of it.")]),
    ]);
    let outcome = site.publish();
    assert_eq!(
        codes(&outcome),
        ["threads.missing-resource", "threads.missing-resource"],
        "{:?}",
        described(&outcome)
    );
}

#[test]
fn a_file_that_cannot_be_read_is_not_reported_as_missing_too() {
    let site = TestSite::base();
    site.write("site.toml", "[limits]\ndocument = \"1 KiB\"\n");
    site.write(
        "content/runs/first/annotations.json",
        r#"{"annotations":[{"id":"t","turnId":"1","resource":"file:///work/long.txt","resolved":false,"entries":[{"id":"e","text":"x"}]}]}"#,
    );
    site.write(
        "content/runs/first/implementation/long.txt",
        "long\n".repeat(1000),
    );
    let found = codes(&site.check());
    assert!(found.contains(&"content.too-large"), "{found:?}");
    assert!(!found.contains(&"threads.missing-resource"), "{found:?}");
}

#[test]
fn what_another_channel_or_a_rejected_envelope_says_is_not_judged() {
    let site = TestSite::base();
    site.write(
        "content/runs/first/annotations.json",
        r#"{"resource":"ahp-session:/me/annotations","fromSeq":0,"state":{"annotations":[]}}"#,
    );
    site.write(
        "content/runs/first/annotations.actions.jsonl",
        concat!(
            r#"{"channel":"ahp-session:/other/annotations","serverSeq":1,"action":{"type":"annotations/set","annotation":{"id":"f","v2":"\ud83d"}}}"#,
            "\n",
            r#"{"channel":"ahp-session:/me/annotations","serverSeq":2,"rejectionReason":"invalid","action":{"type":"annotations/set","annotation":{"id":"f"}}}"#,
            "\n",
        ),
    );
    assert_eq!(codes(&site.check()), ["threads.foreign-channel"]);
}

#[test]
fn of_equal_keys_of_a_thread_the_last_one_is_published() {
    let site = TestSite::base();
    site.write(
        "content/runs/first/annotations.json",
        r#"{"annotations":[{"id":"t","turnId":"1","resource":"a.ts","resolved":false,"zz":1,"zz":2,"entries":[{"id":"e","text":"x"}]}]}"#,
    );
    site.publish();
    let run = site.text(&format!("public/runs/{FIRST_SLUG}/run.json"));
    let thread = &run[run.find("\"threads\"").expect("threads")..];
    assert_eq!(thread.matches("\"zz\"").count(), 1, "{thread}");
    assert!(thread.contains("\"zz\": 2"), "{thread}");
}
