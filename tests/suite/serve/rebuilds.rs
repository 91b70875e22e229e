//! A rebuild gives the same result as a build from scratch, and does no more work than needed.

use std::fs;

use super::{RUN_PAGE, Served};
use crate::support::{
    FIRST_SLUG, HEADER, Run, SIDECAR, TestSite, annotation, differences, first, fixture_text,
    lines, tree,
};

/// One edit of a site.
type Edit = (&'static str, fn(&TestSite));

#[test]
fn after_every_edit_the_site_is_byte_for_byte_what_a_fresh_build_writes() {
    let site = TestSite::base();
    let run = |n: u32| {
        let minute = n % 60;
        Run::new(&format!("{n:08x}-8a60-4d2e-9a51-0c9f6f1f2b11")).at(
            &format!("2026-03-02T10:{minute:02}:00Z"),
            &format!("2026-03-02T11:{minute:02}:00Z"),
        )
    };
    for n in 1..6 {
        site.run(
            &format!("r{n}"),
            &run(n).model(["a/one", "b/two"][n as usize % 2]),
        );
    }
    let edits: [Edit; 16] = [
        ("a record changed", |site| {
            let path = "content/runs/r2/run-record.json";
            site.write(path, site.text(path).replacen("0.25", "0.75", 1));
        }),
        ("a run is added", |site| {
            site.run(
                "r9",
                &Run::new("00000009-8a60-4d2e-9a51-0c9f6f1f2b11")
                    .at("2026-03-02T10:02:30Z", "2026-03-02T10:12:30Z"),
            );
        }),
        ("an annotation is added", |site| {
            let said = annotation("z-1", 0, "note", "\"evidence\":\"Seen again.\"");
            site.append(&first(SIDECAR), &lines(&[said]));
        }),
        ("a run is removed", |site| {
            site.remove("content/runs/r3");
        }),
        ("a log is added", |site| {
            site.write(
                "content/runs/r4/events.jsonl",
                fixture_text("base/content/runs/first/events.jsonl"),
            );
        }),
        ("a sidecar is added to it", |site| {
            let said = annotation(
                "y-1",
                1,
                "hypothesis",
                "\"evidence\":\"It may be so.\",\"hypothesis_status\":\"active\"",
            );
            site.write(
                "content/runs/r4/events.jsonl.annotations.jsonl",
                lines(&[HEADER.to_owned(), said]),
            );
        }),
        ("a sidecar is broken", |site| {
            site.write("content/runs/r4/events.jsonl.annotations.jsonl", "{\n");
        }),
        (
            "the sidecar is mended, and a run is renamed meanwhile",
            |site| {
                fs::rename(site.path("content/runs/r5"), site.path("content/runs/a5"))
                    .expect("moved");
                site.write(
                    "content/runs/r4/events.jsonl.annotations.jsonl",
                    format!("{HEADER}\n"),
                );
            },
        ),
        ("a static file is added", |site| {
            site.write("static/notes.txt", "notes");
        }),
        ("a static file below a run is added", |site| {
            site.write(&format!("static/runs/{FIRST_SLUG}/more.txt"), "more");
        }),
        ("a record changed while it stands there", |site| {
            let path = "content/runs/r2/run-record.json";
            site.write(path, site.text(path).replacen("0.75", "0.5", 1));
        }),
        ("the style is changed", |site| {
            site.write("static/css/site.css", "body { color: black }");
        }),
        ("prose is added", |site| {
            site.write(
                "content/pages/about.md",
                "+++\ntitle = \"About\"\norder = 3\n+++\n\nWords.\n",
            );
        }),
        ("a template is changed", |site| {
            site.write("templates/components/badge.html", "<b>badge</b>");
        }),
        ("the settings are changed", |site| {
            site.settings("[feeds]\nitems = 2");
        }),
        ("a file that was there is as long as before", |site| {
            let path = first("writeup.md");
            let text = site.text(&path);
            let at = text
                .rfind(|c: char| c.is_ascii_lowercase())
                .expect("a letter");
            let mut bytes = text.into_bytes();
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            site.write(&path, bytes);
        }),
    ];
    let served = Served::any(&site);
    let mut broken = Vec::new();
    for (what, edit) in edits {
        edit(&site);
        let fresh = tempfile::tempdir().expect("a temporary folder");
        let out = fresh.path().join("out");
        let built = site.runpress(&["build", "--out", out.to_str().expect("UTF-8")]);
        if built.status != Some(0) {
            served.until(what, || served.message()["failed"] == true);
            broken.push(what);
            continue;
        }
        let fresh = tree(&out);
        served.until(what, || differences(&served.files(), &fresh).is_empty());
    }
    assert_eq!(broken, ["a sidecar is broken"]);
}

#[cfg(unix)]
#[test]
fn only_what_may_have_changed_is_made_again() {
    use std::os::unix::fs::MetadataExt;

    let site = TestSite::base();
    site.run(
        "other",
        &Run::new("9f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11").case("tetris"),
    );
    let served = Served::any(&site);
    let place = |page: &str| {
        let path = served.folder().join(&page[1..]).join("index.html");
        fs::metadata(path).map(|meta| meta.ino()).ok()
    };
    let (own, other) = (RUN_PAGE, "/runs/tetris-codex-sample-lark-1-9f1c2d3e/");
    let before = (place(own), place(other), place("/runs/"));
    assert!(before.0.is_some() && before.1.is_some());
    site.append(&first("writeup.md"), "\nMore.\n");
    served.has_built(2);
    assert_ne!(place(own), before.0);
    assert_eq!(place(other), before.1, "the same file stands there");
    assert_eq!(place("/runs/"), before.2, "a list that says the same");
    // A change to shared content rebuilds all pages.
    site.write("static/css/site.css", "body { color: black }");
    served.has_built(3);
    assert_ne!(place(other), before.1);
}

#[test]
fn a_change_of_the_files_that_an_agent_left_gives_another_archive() {
    let site = TestSite::base();
    site.settings("[policy]\npublish_implementation = true");
    site.run(
        "other",
        &Run::new("9f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11").case("tetris"),
    );
    site.write("content/runs/other/implementation/main.ts", "other\n");
    site.write_first("implementation/src/main.ts", "one\n");
    let served = Served::any(&site);
    let edits: [Edit; 5] = [
        ("a file of the same length", |site| {
            site.write_first("implementation/src/main.ts", "two\n");
        }),
        ("a new file", |site| {
            site.write_first("implementation/lib/more.ts", "more\n");
        }),
        ("a file that is gone", |site| {
            site.remove_first("implementation/lib/more.ts");
        }),
        ("a run whose implementation is as it was", |site| {
            site.append(&first("writeup.md"), "\nMore.\n");
        }),
        ("the policy is taken back", |site| {
            site.replace(
                "site.toml",
                "publish_implementation = true",
                "publish_implementation = false",
            );
        }),
    ];
    for (what, edit) in edits {
        edit(&site);
        let fresh = tempfile::tempdir().expect("a temporary folder");
        let out = fresh.path().join("out");
        let built = site.runpress(&["build", "--out", out.to_str().expect("UTF-8")]);
        assert_eq!(built.status, Some(0), "{what}: {}", built.stderr);
        let fresh = tree(&out);
        let archives = fresh.keys().filter(|path| path.ends_with(".tar.gz"));
        let is_published = what != "the policy is taken back";
        assert_eq!(archives.count(), 2 * usize::from(is_published), "{what}");
        served.until(what, || differences(&served.files(), &fresh).is_empty());
    }
}
