//! Links, hidden files, and paths swapped during reading: nothing is published that the owner did not place in the content.

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use runpress::api::config::Config;
use runpress::api::diagnostics::Place;
use runpress::api::discover::discover;
use runpress::api::load::{self, RunFiles};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::support::{FIRST, Run, TestSite, codes, first, message, messages};

/// A word that must not be published.
const SENTINEL: &str = "SENTINEL";

/// Makes a path a link.
fn link(site: &TestSite, path: &str, target: impl AsRef<Path>) {
    let path = site.path(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    let _ = fs::remove_file(&path);
    symlink(target, path).expect("a link");
}

/// Replaces a path with a link. Returns the codes of a check, and asserts that a build publishes nothing through the link.
fn refused(site: &TestSite, path: &str, target: &str) -> Vec<&'static str> {
    link(site, path, target);
    let found = codes(&site.check());
    site.runpress("build --keep-going");
    assert_eq!(site.published_with(SENTINEL), [""; 0], "{path} -> {target}");
    found
}

/// A valid log that contains the word.
fn secret_events() -> String {
    message(1, SENTINEL) + "\n"
}

/// Two runs; the second has unpublished files, inside its folder and next to it.
fn two_runs() -> TestSite {
    let site = TestSite::base();
    site.run("second", &Run::new("77aa77aa-0000"));
    for path in [
        "content/runs/second/raw.jsonl",
        "content/runs/second/logs/old.jsonl",
        "content/runs/.hidden/old.jsonl",
        "content/shared.jsonl",
        "elsewhere.jsonl",
    ] {
        site.write(path, secret_events());
    }
    let draft = format!("+++\ndraft = true\n+++\n\n{SENTINEL}\n");
    site.write("content/pages/draft.md", draft);
    site
}

#[test]
fn a_link_in_a_run_directory_never_leads_out_of_it() {
    for (name, target) in [
        ("events.jsonl", "../second/raw.jsonl"),
        ("events.jsonl", "../second/logs/old.jsonl"),
        ("events.jsonl", "../.hidden/old.jsonl"),
        ("events.jsonl", "../../shared.jsonl"),
        ("events.jsonl", "../../../elsewhere.jsonl"),
        ("writeup.md", "../../pages/draft.md"),
        ("run.tape", "../second/raw.jsonl"),
        ("transcript.json", "../second/raw.jsonl"),
        ("annotations.json", "../second/raw.jsonl"),
        ("annotations.actions.jsonl", "../second/raw.jsonl"),
        ("raw.jsonl", "../second/raw.jsonl"),
        ("run-record.json", "../second/raw.jsonl"),
    ] {
        let site = two_runs();
        site.unannotated();
        let found = refused(&site, &first(name), target);
        assert!(
            found.contains(&"content.symlink"),
            "{name} -> {target}: {found:?}"
        );
    }
}

#[test]
fn a_link_in_a_run_directory_leads_to_no_withheld_or_listed_file() {
    for target in [
        "raw.jsonl",
        "transcript.json",
        "run.tape.cas/0000",
        "implementation/log.jsonl",
        ".hidden",
        ".git/log.jsonl",
        "logs/.hidden",
        "again/log.jsonl",
        "logs/../raw.jsonl",
    ] {
        let site = TestSite::base();
        site.unannotated();
        site.write_first("again/run-record.json", "{}");
        let path = first(target).replace("logs/..", "");
        site.write(&path, secret_events());
        fs::create_dir_all(site.path(&first("logs"))).expect("a folder");
        let mut found = refused(&site, &first("events.jsonl"), target);
        // Problems of the target itself are not relevant here.
        found.retain(|code| code.starts_with("content.symlink"));
        assert_eq!(found, ["content.symlink"], "{target}");
    }
}

#[test]
fn a_link_to_another_file_of_the_same_run_directory_is_followed() {
    for (target, absolute) in [
        ("log.jsonl", false),
        ("logs/one.jsonl", false),
        ("logs/one.jsonl", true),
    ] {
        let site = TestSite::base();
        site.unannotated().write_first(target, messages(3));
        let path = if absolute {
            site.path(&first(target))
        } else {
            target.into()
        };
        link(&site, &first("events.jsonl"), path);
        assert_eq!(codes(&site.publish()), [""; 0]);
        assert_eq!(site.first_page().all("ol.tape > li.e").len(), 3);
    }
}

#[test]
fn a_page_that_is_a_link_shows_nothing_of_a_run_and_nothing_hidden() {
    for target in [
        "../runs/first/transcript.json",
        "../runs/first/notes.md",
        "../.drafts/page.md",
        ".hidden.md",
        "../withdrawn.toml",
        "../../elsewhere.md",
    ] {
        let site = TestSite::base();
        fs::create_dir_all(site.path("content/pages")).expect("a folder");
        let path = format!("content/pages/{target}");
        site.write(&path, "");
        let path = site.path(&path).canonicalize().expect("a path");
        fs::write(path, format!("# {SENTINEL}\n")).expect("a file");
        let found = refused(&site, "content/pages/about.md", target);
        assert!(found.contains(&"content.symlink"), "{target}: {found:?}");
    }
    let site = TestSite::base();
    site.write("content/texts/about.txt", "About this site.\n");
    link(&site, "content/pages/about.md", "../texts/about.txt");
    assert_eq!(codes(&site.publish()), [""; 0]);
    site.page("about/index.html").says("About this site.");
}

#[test]
fn a_static_file_that_is_a_link_to_something_hidden_is_refused() {
    for target in ["../.env", "../.git/config", ".hidden"] {
        let site = TestSite::base();
        site.write("static/.hidden", SENTINEL);
        site.write(".env", SENTINEL);
        site.write(".git/config", SENTINEL);
        link(&site, "static/shown.txt", target);
        let ran = site.runpress("build");
        assert_eq!(ran.status, Some(2), "{target}");
        ran.says("The link `static/shown.txt` points at a hidden file or into a run directory");
    }
    let linked = TestSite::base();
    linked.write("assets/robots.txt", "plain");
    linked.write("static/.well-known/security.txt", "plain");
    link(&linked, "static/shown.txt", "../assets/robots.txt");
    linked.publish();
    assert_eq!(linked.text("public/shown.txt"), "plain");
    assert_eq!(linked.text("public/.well-known/security.txt"), "plain");
}

#[test]
fn a_static_file_or_a_template_that_is_a_link_to_a_file_of_a_run_is_refused() {
    for path in [
        "static/x.txt",
        "templates/changes.html",
        "templates/components/pager.html",
    ] {
        for name in ["raw.jsonl", "transcript.json", "notes/x.txt"] {
            let site = TestSite::base();
            site.write_first(name, SENTINEL);
            let up = "../".repeat(path.matches('/').count());
            link(&site, path, format!("{up}{FIRST}/{name}"));
            let ran = site.runpress("build");
            assert_eq!(ran.status, Some(2), "{path} to {name}");
            ran.says(format!(
                "The link `{path}` points at a hidden file or into a run directory"
            ));
        }
    }
    let site = TestSite::base();
    site.write("content/pages/about.md", "About.");
    site.write("static/plain.txt", "plain");
    link(&site, "static/about.txt", "../content/pages/about.md");
    link(&site, "static/same.txt", "plain.txt");
    site.publish();
    assert_eq!(site.text("public/about.txt"), "About.");
    assert_eq!(site.text("public/same.txt"), "plain");
}

#[test]
fn a_reserved_name_in_upper_case_is_reserved_too() {
    for name in [
        "RAW.jsonl",
        "Transcript.JSON",
        "Implementation/x",
        "Run.CAS/x",
    ] {
        let site = TestSite::base();
        site.write_first(name, SENTINEL);
        link(&site, &first("writeup.md"), name);
        let ran = site.runpress("check");
        assert_eq!(ran.status, Some(1), "{name}: {}", ran.stderr);
        ran.says("content.symlink");
    }
}

#[test]
fn a_payload_that_is_a_link_is_confined_to_its_run_directory() {
    let site = TestSite::base();
    let found = discover(site.root(), &[site.path("content")]).value;
    let limits = Config::default().limits;
    let run = RunFiles::new(&found.runs[0], &limits);
    let name = blake3::hash(SENTINEL.as_bytes()).to_hex();
    let cas = first(&format!("run.tape.cas/{name}"));
    site.write("content/secret", SENTINEL);
    site.write_first("raw.jsonl", SENTINEL);
    site.write_first("payloads/one", "payload");
    site.write_first("run.tape.cas/other", "");
    let read = |target: &str| {
        link(&site, &cas, target);
        let read = run.payload("run.tape", &name, 0);
        read.map(|file| file.map(|file| file.bytes))
            .map_err(|problem| problem.code.name)
    };
    for target in [
        "../../../secret",
        "../raw.jsonl",
        "../.env",
        "../implementation/x",
    ] {
        site.write_first(".env", SENTINEL);
        site.write_first("implementation/x", SENTINEL);
        assert_eq!(read(target), Err("content.symlink"), "{target}");
    }
    assert_eq!(read("../payloads/one"), Ok(Some(b"payload".to_vec())));
}

#[test]
fn an_asset_is_never_a_hidden_file_nor_a_file_of_another_run() {
    let site = TestSite::base();
    let found = discover(site.root(), &[site.path("content")]).value;
    let limits = Config::default().limits;
    let run = RunFiles::new(&found.runs[0], &limits);
    site.write_first("again/run-record.json", "{}");
    site.write_first("assets/shown.png", "shown");
    for path in [
        ".env",
        ".git/config",
        "assets/.secret",
        "assets/.private/key",
        "again/picture.png",
        "again/raw.jsonl",
    ] {
        site.write_first(path, SENTINEL);
        let linked = format!("assets/{}", path.replace('/', "-").replace('.', ""));
        link(&site, &first(&linked), format!("../{path}"));
        for name in [path, &linked] {
            let read = run.asset(name, &Place::file("transcript.json"));
            let code = read.map(|_| ()).map_err(|problem| problem.code.name);
            assert_eq!(code, Err("transcript.asset-outside"), "{name}");
        }
    }
    let name = "assets/shown.png";
    let read = run.asset(name, &Place::file("transcript.json"));
    assert_eq!(read.expect("an asset").expect("a file").head, b"shown");
}

/// Keeps swapping each pair of paths while `work` runs.
fn while_swapped(site: &TestSite, pairs: &[(String, String)], work: impl FnOnce(&AtomicUsize)) {
    let ends = AtomicBool::new(false);
    let swaps = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ends.load(Ordering::Relaxed) {
                // Swapped twice, so that everything is in its original place at the end.
                for (a, b) in pairs.iter().chain(pairs) {
                    let (a, b) = (site.path(a), site.path(b));
                    renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).expect("an exchange");
                    swaps.fetch_add(1, Ordering::Relaxed);
                    thread::yield_now();
                }
            }
        });
        // The thread must also end when an assertion fails.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&swaps)));
        ends.store(true, Ordering::Relaxed);
        if let Err(panic) = result {
            std::panic::resume_unwind(panic);
        }
    });
}

/// A site with a link next to each file and folder that is read, and the pairs of both.
fn with_links_beside() -> (TestSite, Vec<(String, String)>) {
    let site = TestSite::base();
    site.settings("[policy]\npublish_implementation = true");
    site.write_first("implementation/src/main.ts", "main");
    site.write_first("assets/shown.txt", "shown");
    site.write("content/pages/about.md", "About.\n");
    // A copy of the tree elsewhere, in which every file is secret.
    for path in [
        "writeup.md",
        "events.jsonl",
        "raw.jsonl",
        "assets/shown.txt",
        "implementation/src/main.ts",
        "implementation/src/other.ts",
    ] {
        site.write(&format!("outside/first/{path}"), secret_events());
    }
    site.write("outside/first/run-record.json", Run::new(SENTINEL).record());
    site.write("outside/about.md", format!("{SENTINEL}\n"));
    let outside = |path: &str| site.path("outside").join(path);
    let pairs = [
        (FIRST.to_owned(), "links/first", outside("first")),
        (
            first("writeup.md"),
            "links/writeup.md",
            outside("first/writeup.md"),
        ),
        (
            first("implementation"),
            "links/implementation",
            outside("first/implementation"),
        ),
        (
            first("implementation/src"),
            "links/src",
            outside("first/implementation/src"),
        ),
        (first("assets"), "links/assets", outside("first/assets")),
        ("content/pages".to_owned(), "links/pages", outside("")),
        (
            "content/pages/about.md".to_owned(),
            "links/about.md",
            outside("about.md"),
        ),
    ];
    fs::create_dir_all(site.path("links")).expect("a folder");
    let pairs = pairs.map(|(path, link, target)| {
        symlink(target, site.path(link)).expect("a link");
        (path, link.to_owned())
    });
    (site, pairs.to_vec())
}

/// Groups of pairs that can be swapped together, because none contains another.
fn rounds(pairs: &[(String, String)]) -> Vec<Vec<(String, String)>> {
    let of = |numbers: &[usize]| numbers.iter().map(|n| pairs[*n].clone()).collect();
    vec![of(&[0, 5]), of(&[1, 2, 4, 6]), of(&[3])]
}

#[test]
fn nothing_from_outside_is_read_while_another_process_swaps_paths() {
    let (site, pairs) = with_links_beside();
    let found = discover(site.root(), &[site.path("content")]).value;
    let limits = Config::default().limits;
    let directory = &found.runs[0];
    let run = RunFiles::new(directory, &limits);
    let record = load::record(directory, &limits).expect("a record");
    let is_secret = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(SENTINEL);
    for pairs in rounds(&pairs) {
        let mut read = 0;
        while_swapped(&site, &pairs, |swaps| {
            let mut see = |what: &str, bytes: &[u8]| {
                assert!(!is_secret(bytes), "{what}");
                read += 1;
            };
            let mut rounds = 0;
            while rounds < 150 || swaps.load(Ordering::Relaxed) < 400 {
                rounds += 1;
                if let Ok(record) = load::record(directory, &limits) {
                    see("the record", &record.bytes);
                }
                let (files, _) = load::run(directory, &record, &limits);
                for file in [files.events, files.writeup].iter().flatten() {
                    see(&file.name, &file.bytes);
                }
                let place = Place::file("transcript.json");
                let name = "assets/shown.txt";
                if let Ok(Some(file)) = run.asset(name, &place) {
                    see("an asset", &file.head);
                    if let Ok(mut again) = run.asset_reader(&file.digest) {
                        let mut bytes = Vec::new();
                        again.read_to_end(&mut bytes).expect("bytes");
                        see("a copy of an asset", &bytes);
                    }
                }
                if let Ok(Some(file)) = run.implementation("src/main.ts") {
                    see("a file of a thread", &file.bytes);
                }
                let (tree, _) = run.working_tree();
                for file in tree.files {
                    see("a name", file.path.replace("other", SENTINEL).as_bytes());
                    let Ok(file) = run.working_digest(file) else {
                        continue;
                    };
                    let Ok(mut reader) = run.working_reader(&file.digest) else {
                        continue;
                    };
                    let mut bytes = Vec::new();
                    reader.read_to_end(&mut bytes).expect("bytes");
                    see("the working tree", &bytes);
                }
                for page in &found.prose {
                    if let Ok(bytes) = load::prose(&page.at, &limits) {
                        see("a page", &bytes);
                    }
                }
            }
        });
        // How many rounds read the file depends on the machine.
        assert!(read > 10, "{read} read: {pairs:?}");
    }
}

#[test]
fn nothing_from_outside_is_published_while_another_process_swaps_paths() {
    let (site, pairs) = with_links_beside();
    site.publish();
    for pairs in rounds(&pairs) {
        while_swapped(&site, &pairs, |_| {
            for _ in 0..3 {
                site.runpress("build --quiet --keep-going");
                assert_eq!(site.published_with(SENTINEL), [""; 0]);
            }
        });
    }
}
