//! The files and lines that threads refer to.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::{LINE_1, shown, site, thread};
use crate::crawl::problems;
use crate::support::{TestSite, below, codes, described, first, words};

#[test]
fn a_resource_is_found_below_both_default_workspaces_and_below_those_of_the_setting() {
    let resources = [
        ("/work", "file:///work/src/main.ts"),
        ("/workspace", "file:///workspace/src/main.ts"),
        ("/home/app", "/home/app/src/main.ts"),
    ];
    let threads = resources.map(|(id, resource)| thread(id, resource, LINE_1, &["Why?"]));
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
fn threads_are_sorted_by_file_and_line_with_the_lines_that_they_are_about() {
    let late = ["Why stop?", "Because <b>it</b> is *over*."];
    let early = "Is `x` *used*? See [the test](#e-2) and [this](javascript:x).";
    let path = "file:///workspace/src/main.ts";
    let mut threads = [
        thread("late", path, Some([[3, 0], [5, 0]]), &late),
        thread("whole", "src/main.ts", None, &["A fine file."]),
        thread(
            "early",
            "/workspace/src/main.ts",
            Some([[1, 4], [1, 9]]),
            &[],
        ),
        thread(
            "other",
            "file:///workspace/a%20b.ts",
            Some([[0, 0], [0, 0]]),
            &["One."],
        ),
    ];
    threads[2]["entries"] = json!([{ "id": "1", "text": { "markdown": early } }]);
    let site = site(&threads);
    assert_eq!(codes(&site.publish()), ["review.unsafe-link"]);
    assert_eq!(problems(&site.published()), [""; 0]);
    let page = site.first_page();
    page.says("4 threads, 4 open");
    assert_eq!(page.texts(".thread-file > h3"), ["a b.ts", "src/main.ts"]);
    assert_eq!(
        page.texts("div.thread .ah"),
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
    // Plain text is shown verbatim, Markdown is rendered; neither adds an element of its own.
    let last = page.all("div.thread")[3];
    let entries = below(last, "ol.entries > li").into_iter();
    assert_eq!(entries.map(words).collect::<Vec<_>>(), late);
    assert!(below(last, "b, em").is_empty());
    let early = page.all("div.thread")[2];
    assert_eq!(below(early, ".md em").len(), 1);
    assert_eq!(below(early, ".md code").len(), 1);
    let links = below(early, ".md a");
    assert_eq!(links.len(), 1);
    assert!(
        links[0]
            .attr("href")
            .is_some_and(|href| href.ends_with("#e-2"))
    );
}

#[test]
fn a_thread_shows_at_most_forty_lines_and_says_how_many_more_there_are() {
    let site = site(&[thread(
        "t",
        "src/long.ts",
        Some([[0, 0], [99, 1]]),
        &["All of it."],
    )]);
    let long: String = (1..=100).map(|n| format!("line{n}\n")).collect();
    site.write_first("implementation/src/long.ts", long);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    let shown = shown(&page).remove(0);
    assert!(
        shown.starts_with("1 line1 ") && shown.ends_with(" 40 line40"),
        "{shown}"
    );
    page.says("and 60 more lines");
}

#[test]
fn threads_that_point_nowhere_are_shown_without_lines_and_warned_of() {
    let site = site(&[
        thread("gone", "src/gone.ts", LINE_1, &["Where?"]),
        thread(
            "beyond",
            "src/main.ts",
            Some([[900, 0], [901, 0]]),
            &["Which?"],
        ),
        thread("back", "src/main.ts", Some([[3, 0], [1, 0]]), &["What?"]),
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
            .contains(&"src/gone.ts not published".to_owned())
    );
    assert_eq!(problems(&site.published()), [""; 0]);
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
    let range = LINE_1;
    let threads: Vec<Value> = resources
        .iter()
        .enumerate()
        .map(|(n, resource)| thread(&n.to_string(), resource, range, &["?"]))
        .collect();
    let site = site(&threads);
    site.write_first("secret.txt", outside);
    site.write("content/runs/secret.txt", outside);
    let outcome = site.publish();
    assert_eq!(
        codes(&outcome),
        vec!["threads.missing-resource"; resources.len()]
    );
    assert_eq!(site.published_with(outside), [""; 0]);
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
        .map(|path| thread(path, path, range, &["Look here."]))
        .collect();
    let site = site(&threads);
    for name in [".env", "src/.git/config"] {
        site.write_first(&format!("implementation/{name}"), "KEY=SENTINEL\n");
    }
    let outcome = site.publish();
    let hidden = "threads.hidden-resource";
    assert_eq!(
        codes(&outcome),
        [hidden, hidden, "threads.missing-resource"]
    );
    let run = site.first_run();
    let files = run["files"].to_string();
    assert!(!files.contains("env") && !files.contains(".git"), "{files}");
    assert_eq!(site.published_with("SENTINEL"), [""; 0]);
    let shown = "#thread-1, #thread-2, #thread-3";
    assert_eq!(site.first_page().all(shown).len(), 3);
}

#[test]
fn links_below_the_implementation_are_followed_only_inside_it() {
    let range = LINE_1;
    let with = |resource: &str| site(&[thread("t", resource, range, &["?"])]);

    let inside = with("src/link.ts");
    symlink("main.ts", inside.path(&first("implementation/src/link.ts"))).expect("a link");
    assert_eq!(codes(&inside.publish()), [""; 0]);
    assert_eq!(shown(&inside.first_page()), ["1 const ball = 1;"]);

    // To a file and to a folder, inside and outside the run directory.
    for (name, target, resource) in [
        ("link.ts", "../secret.txt", "link.ts"),
        ("link.ts", "../../../../secret.txt", "link.ts"),
        ("folder", "..", "folder/secret.txt"),
        ("folder", "../../../..", "folder/secret.txt"),
    ] {
        let site = with(resource);
        site.write("secret.txt", "SENTINEL");
        site.write_first("secret.txt", "SENTINEL");
        symlink(target, site.path(&first(&format!("implementation/{name}")))).expect("a link");
        let ran = site.runpress("build --keep-going");
        assert!(
            ran.stderr.contains("content.symlink"),
            "{target}: {}",
            ran.stderr
        );
        assert_eq!(site.published_with("SENTINEL"), [""; 0]);
    }

    // The folder itself.
    for target in ["../../..", "/etc"] {
        let site = with("secret.txt");
        site.write("secret.txt", "SENTINEL");
        site.remove_first("implementation");
        symlink(target, site.path(&first("implementation"))).expect("a link");
        site.runpress("build --keep-going");
        assert_eq!(site.published_with("SENTINEL"), [""; 0]);
    }
}

#[test]
fn a_thread_about_a_folder_is_a_warning_as_one_about_a_missing_file() {
    let site = site(&[
        thread("folder", "src", None, &["All of it."]),
        thread("missing", "lib.ts", None, &["None of it."]),
    ]);
    assert_eq!(
        codes(&site.publish()),
        ["threads.missing-resource", "threads.missing-resource"]
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
