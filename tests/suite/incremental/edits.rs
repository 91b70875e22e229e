//! Edits of a site, of its output folder and of its cache.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::support::{
    FIRST, Run, SIDECAR, TestSite, annotation, copy, fixture, fixture_text, sidecar, tree,
};

/// Pseudo-random numbers from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let end = u64::try_from(end).expect("a number");
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % end).expect("a number")
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        (!items.is_empty()).then(|| &items[self.below(items.len())])
    }
}

pub(crate) type Edit = (&'static str, fn(&TestSite, &mut Random));

pub(crate) fn run(n: usize) -> Run {
    let run = Run::new(&format!("{n:08x}-8a60-4d2e-9a51-0c9f6f1f2b11"));
    let minute = n % 60;
    run.model(["a/one", "b/two"][n % 2])
        .case(["pong", "tetris"][n / 2 % 2])
        .at(
            &format!("2026-03-02T10:{minute:02}:00Z"),
            &format!("2026-03-02T11:{minute:02}:00Z"),
        )
}

/// The run directories, sorted.
fn runs(site: &TestSite) -> Vec<PathBuf> {
    let entries = fs::read_dir(site.path("content/runs")).expect("a folder");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

/// A run directory.
fn run_of(site: &TestSite, random: &mut Random) -> PathBuf {
    random.of(&runs(site)).expect("a run").clone()
}

/// A run directory other than that of the base run.
fn other_run(site: &TestSite, random: &mut Random) -> Option<PathBuf> {
    let mut runs = runs(site);
    runs.retain(|run| !run.ends_with("first"));
    random.of(&runs).cloned()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    tree(folder)
        .into_keys()
        .map(|path| folder.join(path))
        .collect()
}

fn one_of(site: &TestSite, random: &mut Random) -> Option<PathBuf> {
    random.of(&files(&site.path("public"))).cloned()
}

fn append(path: &Path, text: &str) {
    let mut bytes = fs::read(path).unwrap_or_default();
    bytes.extend(text.as_bytes());
    fs::write(path, bytes).expect("a file");
}

fn touch(path: &Path) {
    let file = File::options().append(true).open(path).expect("a file");
    file.set_modified(SystemTime::now()).expect("a time");
}

/// Changes a byte of a file and restores its modification time.
fn change_unseen(path: &Path, random: &mut Random) {
    let modified = fs::metadata(path).and_then(|meta| meta.modified());
    let mut bytes = fs::read(path).expect("a file");
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    bytes[at] ^= 1;
    fs::write(path, bytes).expect("a file");
    let file = File::options().append(true).open(path).expect("a file");
    file.set_modified(modified.expect("a time"))
        .expect("a time");
}

pub(crate) fn edits() -> Vec<Edit> {
    vec![
        ("nothing", |_, _| {}),
        ("a writeup is edited", |site, random| {
            let writeup = run_of(site, random).join("writeup.md");
            append(&writeup, "\nOnce more.\n");
        }),
        ("a run is added", |site, random| {
            let n = 10 + random.below(50);
            site.run(&format!("r{n}"), &run(n));
        }),
        ("a run is removed", |site, random| {
            if let Some(run) = other_run(site, random) {
                fs::remove_dir_all(run).expect("a removal");
            }
        }),
        ("a folder of a run is renamed", |site, random| {
            if let Some(run) = other_run(site, random) {
                let name = format!("moved-{}", random.below(1 << 30));
                fs::rename(&run, run.with_file_name(name)).expect("a rename");
            }
        }),
        ("an id changes", |site, random| {
            let n = 100 + random.below(50);
            if let Some(folder) = other_run(site, random) {
                fs::write(folder.join("run-record.json"), run(n).record()).expect("a file");
            }
        }),
        (
            "a metric changes, and with it the ranges of others",
            |site, random| {
                let run = run_of(site, random).join("run-record.json");
                let text = fs::read_to_string(&run).expect("a record");
                let cost = format!("\"comparable\": 0.{}", 1 + random.below(98));
                let at = text.find("\"comparable\": ").expect("a cost");
                let end = at + text[at..].find([',', '}']).expect("an end");
                fs::write(&run, format!("{}{cost}{}", &text[..at], &text[end..])).expect("a file");
            },
        ),
        ("a run is quarantined", |site, random| {
            let run = run_of(site, random);
            fs::write(run.join(SIDECAR), "{\n").expect("a file");
        }),
        ("the records of runs are fixed", |site, _| {
            for run in runs(site) {
                if fs::read(run.join(SIDECAR)).is_ok_and(|bytes| bytes == b"{\n") {
                    fs::remove_file(run.join(SIDECAR)).expect("a removal");
                }
            }
        }),
        ("a log with annotations is added", |site, random| {
            let run = run_of(site, random);
            fs::write(
                run.join("events.jsonl"),
                fixture_text("base/content/runs/first/events.jsonl"),
            )
            .expect("a file");
            let said = annotation(
                &format!("n-{}", random.below(1 << 30)),
                1,
                "note",
                "\"evidence\":\"Seen.\"",
            );
            fs::write(run.join(SIDECAR), sidecar(&[said])).expect("a file");
        }),
        ("a record is broken", |site, random| {
            let run = run_of(site, random);
            if !run.ends_with("first") {
                fs::write(run.join("run-record.json"), "{").expect("a file");
            }
        }),
        ("records that are broken are removed", |site, _| {
            for run in runs(site) {
                if fs::read(run.join("run-record.json")).is_ok_and(|bytes| bytes == b"{") {
                    fs::remove_dir_all(run).expect("a removal");
                }
            }
        }),
        (
            "a run becomes one that is never published",
            |site, random| {
                let n = 200 + random.below(5);
                site.run(&format!("r{n}"), &run(n).state("superseded"));
            },
        ),
        (
            "a file of a run that nothing reads is added",
            |site, random| {
                let run = run_of(site, random);
                append(&run.join("notes.txt"), "More.\n");
            },
        ),
        ("a link is added to a run", |site, random| {
            let run = run_of(site, random);
            #[cfg(unix)]
            let _ = std::os::unix::fs::symlink("notes.txt", run.join("link.txt"));
        }),
        ("the rules are changed", |site, random| {
            let n = random.below(600);
            let case = ["pong", "tetris", "**"][random.below(3)];
            site.write(
                "rules/a.toml",
                format!(
                    "[[rule]]\nid = \"a\"\ntitle = \"Short\"\napplies = {{ case = [\"{case}\"] }}\n\
                     require = \"run.seconds < {n}.0\"\n\
                     [[rule]]\nid = \"b\"\ntitle = \"Quiet\"\n\
                     find = \"event.number >= {}\"\nexpect = \"none\"\n\
                     [[rule]]\nid = \"c\"\ntitle = \"Twice\"\ntrials = 2\n",
                    n % 4
                ),
            );
        }),
        ("there are no rules", |site, _| {
            let _ = fs::remove_dir_all(site.path("rules"));
        }),
        ("a template is changed", |site, random| {
            let badge = format!("<b>badge {}</b>", random.below(3));
            site.write("templates/components/badge.html", badge);
        }),
        ("a template is removed", |site, _| {
            let _ = fs::remove_dir_all(site.path("templates"));
        }),
        ("the settings are changed", |site, random| {
            let items = 1 + random.below(6);
            let text = site.text("site.toml");
            let kept = text.split("\nitems = ").next().expect("settings");
            site.write("site.toml", format!("{kept}\nitems = {items}\n"));
        }),
        ("prose is changed", |site, random| {
            let name = ["about", "more"][random.below(2)];
            let order = random.below(9);
            let text = format!(
                "+++\ntitle = \"{name}\"\norder = {order}\n+++\n\nSee [a run](../runs/).\n"
            );
            site.write(&format!("content/pages/{name}.md"), text);
        }),
        (
            "a raw log appears, of which the events differ",
            |site, _| {
                copy(&fixture("codes/raw.event-differs"), site.root());
            },
        ),
        ("a raw log loses its last line", |site, _| {
            let path = site.path(FIRST).join("raw.jsonl");
            let text = fs::read_to_string(&path).unwrap_or_default();
            let kept = text.trim_end().rsplit_once('\n');
            fs::write(path, kept.map_or("", |(kept, _)| kept)).expect("a file");
        }),
        (
            "a raw log is edited and as old and long as before",
            |site, random| {
                let path = site.path(FIRST).join("raw.jsonl");
                append(&path, "");
                change_unseen(&path, random);
            },
        ),
        ("prose is removed", |site, _| {
            let _ = fs::remove_dir_all(site.path("content/pages"));
        }),
        ("the words of a group are changed", |site, random| {
            let text = format!(
                "+++\ntitle = \"Pong {}\"\n+++\n\nA game.\n",
                random.below(9)
            );
            site.write("content/cases/pong.md", text);
        }),
        ("runs are listed as withdrawn", |site, random| {
            let slug = format!("{:08x}-8a60-4d2e-9a51-0c9f6f1f2b11", 1 + random.below(5));
            let list = format!("[[run]]\nid = \"{slug}\"\nreason = \"Twice.\"\n");
            site.write("content/withdrawn.toml", list);
        }),
        ("no runs are listed as withdrawn", |site, _| {
            let _ = fs::remove_file(site.path("content/withdrawn.toml"));
        }),
        ("static files are changed", |site, random| {
            let n = random.below(9);
            site.write("static/css/site.css", format!("body {{ margin: {n}px }}"));
            site.write(&format!("static/more/{n}.txt"), "more");
            site.write(&format!("static/runs/extra/{n}.txt"), "more");
        }),
        ("static files are removed", |site, _| {
            let _ = fs::remove_dir_all(site.path("static"));
        }),
        ("a domain is published", |site, random| {
            site.write(
                "static/CNAME",
                ["one.example", "two.example"][random.below(2)],
            );
        }),
        ("a file of the site is edited", |site, random| {
            let path = one_of(site, random).expect("a file");
            let name = path.to_string_lossy().into_owned();
            if !name.ends_with("CNAME")
                && !name.ends_with("changes.json")
                && !name.ends_with("/.runpress")
            {
                append(&path, "edited");
            }
        }),
        (
            "a file of the site is edited and as old and long as before",
            |site, random| {
                let path = one_of(site, random).expect("a file");
                let name = path.to_string_lossy().into_owned();
                if name.ends_with(".html") || name.ends_with(".js") {
                    change_unseen(&path, random);
                }
            },
        ),
        ("files of the site are deleted", |site, random| {
            for _ in 0..3 {
                let path = one_of(site, random).expect("a file");
                if !path.ends_with(".runpress") && !path.ends_with("CNAME") {
                    fs::remove_file(path).expect("a removal");
                }
            }
        }),
        ("a folder of the site is deleted", |site, random| {
            let folder = ["runs", "feeds", "assets", "search"][random.below(4)];
            let _ = fs::remove_dir_all(site.path("public").join(folder));
        }),
        ("files are added to the site", |site, random| {
            let n = random.below(9);
            site.write(&format!("public/mine/{n}/deep/note.txt"), "mine");
            site.write(&format!("public/runs/{n}.txt"), "mine");
            fs::create_dir_all(site.path("public/empty/er")).expect("folders");
        }),
        ("a folder is in the place of a file", |site, _| {
            let _ = fs::remove_file(site.path("public/404.html"));
            site.write("public/404.html/note.txt", "mine");
        }),
        ("a file is in the place of a folder", |site, _| {
            let _ = fs::remove_dir_all(site.path("public/search"));
            site.write("public/search", "mine");
        }),
        ("a link is in the place of a file", |site, _| {
            let _ = fs::remove_file(site.path("public/robots.txt"));
            #[cfg(unix)]
            std::os::unix::fs::symlink("index.html", site.path("public/robots.txt"))
                .expect("a link");
        }),
        ("a file of the site may be executed", |site, random| {
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let path = one_of(site, random).expect("a file");
                fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a change");
            }
        }),
        ("everything is touched", |site, _| {
            for path in files(&site.path("content"))
                .into_iter()
                .chain(files(&site.path("public")))
            {
                if !path.is_symlink() {
                    touch(&path);
                }
            }
        }),
        ("the site is a copy of itself", |site, _| {
            // Another edit of the same step may have removed it.
            if !site.path("public").is_dir() {
                return;
            }
            let aside = tempfile::tempdir().expect("a temporary folder");
            copy(&site.path("public"), aside.path());
            fs::remove_dir_all(site.path("public")).expect("a removal");
            copy(aside.path(), &site.path("public"));
        }),
        ("the site is gone", |site, _| {
            let _ = fs::remove_dir_all(site.path("public"));
        }),
        (
            "an input is edited and as old and long as before",
            |site, _| {
                let path = site.path(&format!("{FIRST}/writeup.md"));
                let modified = fs::metadata(&path).and_then(|meta| meta.modified());
                let text = site.text(&format!("{FIRST}/writeup.md"));
                let at = text
                    .rfind(|c: char| c.is_ascii_lowercase())
                    .expect("a letter");
                let mut bytes = text.into_bytes();
                bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
                fs::write(&path, bytes).expect("a file");
                let file = File::options().append(true).open(&path).expect("a file");
                file.set_modified(modified.expect("a time"))
                    .expect("a time");
            },
        ),
        ("the cache is cut", |site, random| {
            if let Some(path) = super::cache(site) {
                let bytes = fs::read(&path).expect("a cache");
                fs::write(path, &bytes[..random.below(bytes.len().max(1))]).expect("a file");
            }
        }),
        ("bits of the cache are flipped", |site, random| {
            if let Some(path) = super::cache(site) {
                let mut bytes = fs::read(&path).expect("a cache");
                for _ in 0..bytes.len().min(3) {
                    let at = random.below(bytes.len());
                    bytes[at] ^= 1 << random.below(8);
                }
                fs::write(path, bytes).expect("a file");
            }
        }),
        ("the cache is gone", |site, _| {
            if let Some(path) = super::cache(site) {
                fs::remove_file(path).expect("a removal");
            }
        }),
        ("the cache is that of an earlier build", |site, _| {
            let aside = site.path("earlier-cache");
            if let Some(path) = super::cache(site) {
                if aside.exists() {
                    fs::copy(&aside, &path).expect("a copy");
                }
                fs::copy(path, aside).expect("a copy");
            }
        }),
    ]
}
