//! `publish_implementation`: the files written by an agent, as one archive next to the run page.

use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use flate2::read::GzDecoder;
use runpress::api::config::Config;
use runpress::api::load::{RunFiles, WorkingFile};
use serde_json::{Value, json};

use crate::support::{
    FIRST, FIRST_SLUG, Run, TestSite, below, codes, described, differences, entries, first, lacks,
    words,
};

const ON: &str = "[policy]\npublish_implementation = true\n";

/// The base site with these settings and these files in the `implementation/` folder of its run.
fn with(settings: &str, files: &[(&str, &str)]) -> TestSite {
    let site = TestSite::base();
    site.settings(settings);
    for (path, text) in files {
        site.write(&file(path), text);
    }
    site
}

fn archive() -> String {
    format!("public/runs/{FIRST_SLUG}/implementation.tar.gz")
}

/// The entries of an archive: mode, path and content.
fn unpacked(bytes: &[u8]) -> Vec<(u32, String, String)> {
    let mut archive = tar::Archive::new(GzDecoder::new(bytes));
    let entries = archive.entries().expect("an archive");
    entries
        .map(|entry| {
            let mut entry = entry.expect("an entry");
            let header = entry.header();
            assert!(header.entry_type().is_file());
            assert_eq!(header.mtime().expect("a time"), 0);
            let owner = (header.uid().expect("an id"), header.gid().expect("an id"));
            assert_eq!(owner, (0, 0));
            let name = |bytes: Option<&[u8]>| bytes.unwrap_or_default().to_vec();
            assert_eq!(name(header.username_bytes()), b"");
            assert_eq!(name(header.groupname_bytes()), b"");
            let mode = header.mode().expect("a mode");
            let path = entry.path_bytes().into_owned();
            let mut text = String::new();
            entry.read_to_string(&mut text).expect("text");
            (mode, String::from_utf8(path).expect("UTF-8"), text)
        })
        .collect()
}

/// A file of the folder `implementation/` of the base run.
fn file(name: &str) -> String {
    first(&format!("implementation/{name}"))
}

fn paths(site: &TestSite) -> Vec<String> {
    let files = unpacked(&site.bytes(&archive()));
    files.into_iter().map(|(_, path, _)| path).collect()
}

/// The files below `implementation/` in run.json.
fn listed(site: &TestSite) -> Vec<Value> {
    let document = site.first_run();
    let mut files = entries(&document["files"]).to_vec();
    files.retain(|file| {
        let path = file["path"].as_str().expect("a path");
        path.starts_with("implementation/")
    });
    files
}

const TREE: [(&str, &str); 5] = [
    ("src/main.ts", "main\n"),
    ("src-old/main.ts", "old\n"),
    ("index.html", "<script>alert('SENTINEL')</script>"),
    ("build.sh", "#!/bin/sh\n"),
    ("empty", ""),
];

#[test]
fn by_default_nothing_of_an_implementation_is_published() {
    let site = with("", &TREE);
    assert_eq!(codes(&site.publish()), [""; 0]);
    let published = site.published();
    site.remove(&first("implementation"));
    site.publish();
    assert_eq!(differences(&published, &site.published()), [""; 0]);
}

#[test]
fn the_archive_holds_every_file_in_order_and_nothing_else_of_them_is_published() {
    let long = format!("deep/{}/ü.txt", "x".repeat(120));
    let site = with(ON, &TREE);
    site.write(&file(&long), "far\n");
    let script = site.path(&file("build.sh"));
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).expect("permissions");
    assert_eq!(codes(&site.publish()), [""; 0]);

    let expected = [
        (0o755, "implementation/build.sh", "#!/bin/sh\n"),
        (0o644, &format!("implementation/{long}"), "far\n"),
        (0o644, "implementation/empty", ""),
        (
            0o644,
            "implementation/index.html",
            "<script>alert('SENTINEL')</script>",
        ),
        (0o644, "implementation/src-old/main.ts", "old\n"),
        (0o644, "implementation/src/main.ts", "main\n"),
    ];
    let bytes = site.bytes(&archive());
    let expected = expected.map(|(mode, path, text)| (mode, path.to_owned(), text.to_owned()));
    assert_eq!(unpacked(&bytes), expected);
    // No time, user name or system.
    assert_eq!(
        bytes[..10],
        [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255],
        "the header of gzip"
    );

    let digests: Vec<Value> = expected
        .iter()
        .map(|(_, path, text)| {
            let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
            json!({"path": path, "bytes": text.len(), "blake3": digest})
        })
        .collect();
    assert_eq!(listed(&site), digests);

    for (path, bytes) in site.published() {
        if path.contains("implementation") || path.ends_with("main.ts") {
            assert!(archive().ends_with(&path), "{path}");
        }
        assert!(
            !String::from_utf8_lossy(&bytes).contains("SENTINEL"),
            "{path}"
        );
    }
}

#[test]
fn the_page_links_the_archive_and_lists_its_files_apart() {
    let site = with(ON, &TREE);
    site.publish();
    let page = site.first_page();
    assert_eq!(
        page.beside("Downloads"),
        ["run.json, events.jsonl, events.jsonl.annotations.jsonl, implementation.tar.gz"]
    );
    let links = page.all("a[href='implementation.tar.gz']");
    assert_eq!(links.len(), 2, "above, and in Provenance");
    let size = site.bytes(&archive()).len();
    page.says(format!(
        "The files that the agent left, as one archive: implementation.tar.gz, {size} B. It contains 5 files, 53 B unpacked. Its files are unmodified"
    ));
    let rows = page.texts("details > .scroll[aria-label='Files in the archive'] tbody th");
    assert_eq!(
        rows,
        [
            "implementation/build.sh",
            "implementation/empty",
            "implementation/index.html",
            "implementation/src-old/main.ts",
            "implementation/src/main.ts"
        ]
    );
    let inputs = page.one(".scroll[aria-label='Input files']");
    assert!(!words(inputs).contains("implementation/"));
    assert_eq!(below(inputs, "tbody tr").len(), 4);
}

#[test]
fn the_name_of_a_file_is_text_on_the_page() {
    let names = ["<img src=x onerror=alert(1)>.ts", "a\u{202e}b", "🏓 ü.ts"];
    let site = with(ON, &names.map(|name| (name, "x\n")));
    assert_eq!(codes(&site.publish()), [""; 0]);
    let page = site.first_page();
    let rows = page.texts("details > .scroll[aria-label='Files in the archive'] tbody th");
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0], format!("implementation/{}", names[0]));
    assert!(!rows[1].contains('\u{202e}'), "{}", rows[1]);
    assert_eq!(page.all("main img").len(), 0);
    let expected = names.map(|name| format!("implementation/{name}"));
    assert_eq!(paths(&site), expected);
}

#[test]
fn a_page_lists_a_hundred_files_and_says_where_the_others_are() {
    let site = with(ON, &[]);
    for number in 0..103 {
        site.write(&file(&format!("f{number:03}")), number.to_string());
    }
    site.publish();
    let page = site.first_page();
    let rows = page.texts("details > .scroll[aria-label='Files in the archive'] tbody tr");
    assert_eq!(rows.len(), 100);
    page.says("3 more files are in run.json.");
    assert_eq!((listed(&site).len(), paths(&site).len()), (103, 103));
}

#[test]
fn the_policy_for_events_does_not_matter() {
    let site = with(&format!("{ON}publish_events = false\n"), &TREE);
    site.publish();
    assert_eq!(paths(&site).len(), 5);
    let downloads = site.first_page().beside("Downloads");
    assert_eq!(downloads, ["run.json, implementation.tar.gz"]);
}

#[test]
fn the_same_files_give_the_same_bytes_wherever_and_whenever_they_were_written() {
    let site = |order: &[(&str, &str)]| {
        let site = with(ON, order);
        for n in 0..12 {
            let folder = format!("r{n}");
            site.run(&folder, &Run::new(&format!("{n:08x}-0000")));
            for (path, text) in order {
                let path = format!("content/runs/{folder}/implementation/{path}");
                site.write(&path, text.repeat(n + 1));
            }
        }
        site
    };
    let one = site(&TREE);
    let expected = one.published_by(1);
    let is_archive = |path: &&String| path.ends_with("/implementation.tar.gz");
    assert_eq!(expected.keys().filter(is_archive).count(), 13);
    assert_eq!(differences(&expected, &one.published_by(8)), [""; 0]);

    let mut order = TREE;
    order.reverse();
    let other = site(&order);
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_hours(24);
    for (path, _) in TREE {
        let path = other.path(&file(path));
        let file = fs::File::options().append(true).open(&path);
        file.and_then(|file| file.set_modified(long_ago))
            .expect("another time");
        // Permissions of group and others depend on the machine.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o675)).expect("permissions");
    }
    assert_eq!(differences(&expected, &other.published_by(1)), [""; 0]);
}

#[test]
fn links_hidden_files_odd_names_and_special_files_are_left_out_and_counted() {
    let site = with(
        ON,
        &[
            ("main.ts", "main\n"),
            (".env", "SENTINEL"),
            (".git/config", "SENTINEL"),
            (".git/objects/ab", "SENTINEL"),
            ("src/.secret", "SENTINEL"),
            ("a\\..\\b", "SENTINEL"),
            ("a\nb", "SENTINEL"),
        ],
    );
    site.write("outside/secret.txt", "SENTINEL");
    let inside = |name: &str| site.path(&file(name));
    for (target, name) in [
        ("main.ts", "inner"),
        ("../events.jsonl", "log"),
        ("../../../../outside", "folder"),
        ("../../../../outside/secret.txt", "src/file"),
        ("..", "up"),
        ("gone", "nowhere"),
    ] {
        symlink(target, inside(name)).expect("a link");
    }
    let odd = inside("").join(std::ffi::OsStr::from_bytes(b"a\xff"));
    fs::write(odd, "SENTINEL").expect("a file");
    let pipe = Command::new("mkfifo").arg(inside("pipe")).status();
    assert!(pipe.expect("mkfifo runs").success());

    let outcome = site.publish();
    assert_eq!(
        described(&outcome),
        [format!(
            "note[implementation.left-out] {FIRST}/implementation Of the implementation, 3 hidden files or folders, 6 links, 3 names that are not portable and 1 special file are not published"
        )]
    );
    assert_eq!(paths(&site), ["implementation/main.ts"]);
    assert_eq!(site.published_with("SENTINEL"), [""; 0]);
    let page = site.first_page();
    page.says("Not in the archive: 3 hidden files or folders, 6 links,");
}

#[test]
fn a_folder_that_is_a_link_or_holds_nothing_to_publish_gives_no_archive() {
    let linked = with(ON, &[]);
    linked.write("outside/secret.txt", "SENTINEL");
    let link = linked.path(&first("implementation"));
    symlink(linked.path("outside"), link).expect("a link");
    assert_eq!(codes(&linked.publish()), ["implementation.left-out"]);

    let hidden = with(ON, &[(".git/config", "x")]);
    assert_eq!(codes(&hidden.publish()), ["implementation.left-out"]);

    let file = with(ON, &[]);
    file.write_first("implementation", "a file");
    assert_eq!(codes(&file.publish()), [""; 0]);

    let empty = with(ON, &[]);
    fs::create_dir_all(empty.path(&first("implementation/src"))).expect("a folder");
    assert_eq!(codes(&empty.publish()), [""; 0]);

    for site in [linked, hidden, file, empty] {
        assert!(!site.path(&archive()).exists());
        assert_eq!(listed(&site), [json!(null); 0]);
        lacks(&site.first_page().main(), "The files that the agent left");
    }
}

#[test]
fn a_large_file_is_an_error_and_too_many_files_are_a_warning() {
    let limit = format!("{ON}\n[limits]\nfile = \"2 KiB\"\n");
    let file = with(&limit, &[("large.bin", &"x".repeat(2049))]);
    assert_eq!(
        described(&file.build()),
        [format!(
            "error[content.too-large] {FIRST}/implementation/large.bin The file has 2049 bytes; the limit is 2048"
        )]
    );

    let half = "x".repeat(1024);
    let just = with(&limit, &[("a", &half), ("b", &half)]);
    assert_eq!(codes(&just.publish()), [""; 0]);
    assert_eq!(paths(&just).len(), 2);

    let over = with(&limit, &[("a", &half), ("b", &half), ("c", "x")]);
    assert_eq!(
        described(&over.publish()),
        [format!(
            "warning[implementation.too-large] {FIRST}/implementation The files of the implementation total 2049 bytes; the limit is 2048, so the run is published without their archive"
        )]
    );
    assert!(!over.path(&archive()).exists());
    assert_eq!(listed(&over), [json!(null); 0]);
    assert_eq!(
        described(&over.check()),
        described(&over.build()),
        "a check says the same"
    );
}

#[test]
fn a_file_that_changes_while_it_is_read_is_never_published() {
    let site = with(ON, &[("main.ts", "main\n")]);
    let limits = Config::default().limits;
    let found = runpress::api::discover::discover(site.root(), &[site.path("content")]).value;
    let run = RunFiles::new(&found.runs[0], &limits);
    let of_size = |bytes: u64| WorkingFile {
        path: "implementation/main.ts".to_owned(),
        bytes,
        executable: false,
    };
    for bytes in [4, 6] {
        let problem = run
            .working_digest(of_size(bytes))
            .expect_err("another size");
        assert_eq!(problem.code.name, "content.unreadable");
    }
    let known = run.working_digest(of_size(5)).expect("a digest");
    let read = || {
        let mut reader = run.working_reader(&known.digest).expect("a file");
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("text");
        (text, reader.finish().is_ok())
    };
    assert_eq!(read(), ("main\n".to_owned(), true));
    let path = file("main.ts");
    site.write(&path, "other text\n");
    assert_eq!(read(), ("other".to_owned(), false));
    // The file may have been replaced by a link.
    site.remove(&path);
    symlink("/etc/passwd", site.path(&path)).expect("a link");
    assert!(run.working_reader(&known.digest).is_err());
    let (tree, _) = run.working_tree();
    assert_eq!((tree.files.len(), tree.left_out.links), (0, 1));
}

#[test]
fn a_check_says_what_a_build_says_and_writes_nothing() {
    let site = with(ON, &TREE);
    site.write_first("implementation/.env", "x");
    let checked = site.check();
    assert_eq!(codes(&checked), ["implementation.left-out"]);
    assert!(!site.path("public").exists());
    assert_eq!(described(&checked), described(&site.publish()));

    // Check and build both report a file at the path of the archive.
    let path = format!("static/runs/{FIRST_SLUG}/implementation.tar.gz");
    site.write(&path, "mine");
    for command in ["check", "build"] {
        site.runpress(&[command])
            .exits(2)
            .says("publish.duplicate-path");
    }
}

#[test]
fn a_problem_that_a_review_thread_finds_too_is_reported_once() {
    let site = with(
        &format!("{ON}\n[limits]\nfile = \"2 KiB\"\n"),
        &[("large.ts", &"x".repeat(3000))],
    );
    site.write_first("annotations.json", r#"{"annotations":[{"id":"t","turnId":"u","resource":"large.ts","resolved":false,"entries":[{"id":"e","text":"?"}]}]}"#,
    );
    let mut found = codes(&site.check());
    found.retain(|code| *code != "threads.missing-resource");
    assert_eq!(found, ["content.too-large"]);
}

#[test]
fn a_run_that_is_not_published_has_no_archive() {
    let site = with(
        &format!("{ON}on_invalid = \"quarantine\"\n"),
        &[("main.ts", "SENTINEL\n")],
    );
    site.run("other", &Run::new("0000000b-1"));
    let mut canceled = Run::new("0000000c-1");
    canceled.state = "canceled".to_owned();
    site.run("canceled", &canceled);
    site.write("content/runs/canceled/implementation/main.ts", "SENTINEL\n");
    site.publish();
    assert!(site.path(&archive()).exists());
    let count = |site: &TestSite| {
        let published = site.published();
        let archives = published.keys().filter(|path| path.ends_with(".tar.gz"));
        archives.count()
    };
    assert_eq!(count(&site), 1, "a canceled run has none");

    site.write_first("events.jsonl", "{\n");
    site.publish();
    assert_eq!(count(&site), 0, "a quarantined run has none");

    site.remove(FIRST);
    site.publish();
    assert_eq!(count(&site), 0, "a withdrawn run has none");
}

#[test]
fn a_changed_implementation_is_a_changed_run_in_the_ledger_when_it_is_published() {
    let site = with(ON, &TREE);
    site.publish();
    assert!(site.publish().changes().is_none());
    let news = || {
        let outcome = site.publish();
        let runs = outcome.changes()?.changed.iter();
        Some(runs.flat_map(|run| run.files.clone()).collect::<Vec<_>>())
    };
    let changed = Some(vec!["implementation/".to_owned()]);
    site.write(&file("src/main.ts"), "MAIN\n");
    assert_eq!(news(), changed, "a file is another");
    site.write(&file("src/more.ts"), "more\n");
    assert_eq!(news(), changed, "a file is added");
    let [more, less] = ["src/more.ts", "src/less.ts"].map(|name| site.path(&file(name)));
    fs::rename(more, less).expect("moved");
    assert_eq!(news(), changed, "a file has another name");
    let script = site.path(&file("build.sh"));
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).expect("permissions");
    assert_eq!(news(), changed, "a file can be executed");
    let page = site.page("changes/index.html");
    page.says("Files: implementation/");

    site.write(&file(".env"), "hidden");
    assert_eq!(news(), None, "what is left out is no part of it");
    site.replace(
        "site.toml",
        "publish_implementation = true",
        "publish_implementation = false",
    );
    assert_eq!(news(), changed, "it is published no more");
    site.write(&file("src/main.ts"), "again\n");
    assert_eq!(news(), None);
}
