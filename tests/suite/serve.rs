//! `serve`: what is answered, what happens after a change, and that nothing ends it but the user.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::{
    FIRST, FIRST_SLUG, HEADER, Run, TestSite, annotation, command, differences, fixture_text,
    lines, tree,
};

/// Far longer than anything takes: a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server of a site, ended with this.
struct Served {
    child: Child,
    port: u16,
    said: Arc<Mutex<String>>,
    temporary: TempDir,
}

/// What a server answers.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

impl Served {
    fn start(site: &TestSite, arguments: &[&str]) -> Self {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let mut child = command()
            .current_dir(site.root())
            .env("TMPDIR", temporary.path())
            .args(["--color", "never", "serve"])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let said = Arc::new(Mutex::new(String::new()));
        let stderr = child.stderr.take().expect("standard error");
        let heard = Arc::clone(&said);
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let mut heard = heard.lock().expect("no panic");
                heard.push_str(&line);
                heard.push('\n');
            }
        });
        let mut served = Self {
            child,
            port: 0,
            said,
            temporary,
        };
        let at = "Serving at http://127.0.0.1:";
        served.hears(at);
        let said = served.said();
        let (_, port) = said.split_once(at).expect("an address");
        let port: String = port.chars().take_while(char::is_ascii_digit).collect();
        served.port = port.parse().expect("a port");
        served
    }

    fn any(site: &TestSite) -> Self {
        Self::start(site, &["--port", "0"])
    }

    fn said(&self) -> String {
        self.said.lock().expect("no panic").clone()
    }

    /// Waits until `done`.
    fn until(&self, what: &str, done: impl Fn() -> bool) {
        let began = Instant::now();
        while !done() {
            assert!(
                began.elapsed() < PATIENCE,
                "{what} did not come: {}",
                self.said()
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for words on the terminal.
    fn hears(&self, words: &str) {
        self.until(words, || self.said().contains(words));
    }

    /// Waits until so many builds have ended, well or not.
    fn has_built(&self, times: usize) {
        let count = || {
            self.said()
                .lines()
                .filter(|line| line.starts_with("Built:") || line.starts_with("Not built:"))
                .count()
        };
        self.until("the build", || count() >= times);
    }

    fn ask(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.write_all(request.as_bytes()).expect("a request");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("an answer");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        Answer {
            status: head
                .split(' ')
                .nth(1)
                .expect("a status")
                .parse()
                .expect("a number"),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    fn get(&self, path: &str) -> Answer {
        self.ask(&format!(
            "GET {path} HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n",
            self.port
        ))
    }

    /// The newest message to the pages.
    fn message(&self) -> serde_json::Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
            .write_all(b"GET /.runpress/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            .expect("a request");
        let line = BufReader::new(stream)
            .lines()
            .map(|line| line.expect("a line"))
            .find_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        serde_json::from_str(&line.expect("a message")).expect("JSON")
    }

    /// The folder that is served.
    fn folder(&self) -> PathBuf {
        let entries = fs::read_dir(self.temporary.path()).expect("a folder");
        let found = entries.map(|entry| entry.expect("an entry").path());
        let found = found.filter(|path| path.join("site").is_dir());
        found.last().expect("a served folder").join("site")
    }

    /// Every file that is served, by path. What goes while a new site takes the place of this one is left out.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let folder = self.folder();
        let entries = walkdir::WalkDir::new(&folder).into_iter();
        entries
            .filter_map(|entry| {
                let path = entry.ok()?.into_path();
                let name = path.strip_prefix(&folder).ok()?.to_str()?.to_owned();
                Some((name, fs::read(path).ok()?))
            })
            .collect()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const RUN_PAGE: &str = "/runs/pong-codex-sample-lark-1-4f1c2d3e/";

#[test]
fn a_site_is_served_as_a_static_host_would_and_its_files_stay_as_a_build_writes_them() {
    let site = TestSite::base();
    assert!(RUN_PAGE.contains(FIRST_SLUG));
    site.write("static/notes.txt", "Ünïcode");
    let served = Served::any(&site);
    let home = served.get("/");
    assert_eq!(home.status, 200);
    assert_eq!(
        home.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(home.header("cache-control"), Some("no-store"));
    assert!(home.body.contains("<script src=\"/.runpress/live.js\""));
    let run = served.get(RUN_PAGE);
    assert_eq!(run.status, 200);
    assert_eq!(run.body.matches("/.runpress/live.js").count(), 1);
    let folder = served.get(RUN_PAGE.trim_end_matches('/'));
    assert_eq!(
        (folder.status, folder.header("location")),
        (307, Some(RUN_PAGE))
    );
    for (path, kind) in [
        ("/feeds/runs.json", "application/json"),
        ("/feeds/runs.jsonl", "application/x-ndjson; charset=utf-8"),
        ("/feeds/runs.csv", "text/csv; charset=utf-8"),
        ("/notes.txt", "text/plain; charset=utf-8"),
        ("/.runpress/live.js", "text/javascript; charset=utf-8"),
        ("/.runpress/live.css", "text/css; charset=utf-8"),
    ] {
        let answer = served.get(path);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some(kind)),
            "{path}"
        );
        assert!(!answer.body.contains("data-build"), "{path}");
    }
    let gone = served.get("/no/such/page/");
    assert_eq!(gone.status, 404);
    assert!(gone.body.contains("There is no page"), "{}", gone.body);
    assert!(gone.body.contains("/.runpress/live.js"));
    assert!(
        !site.path("public").exists(),
        "the output folder is not written"
    );
    site.publish();
    assert_eq!(differences(&served.files(), &site.published()), [""; 0]);
}

#[test]
fn nothing_outside_the_site_and_no_other_name_is_answered() {
    let site = TestSite::base();
    let served = Served::any(&site);
    for path in [
        "/../site.toml",
        "/../../site.toml",
        "/%2e%2e/%2e%2e/site.toml",
        "/..%2f..%2fsite.toml",
        "/runs/../../site.toml",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/runs/%00",
        "/..%5c..%5csite.toml",
        "/.runpress/../../site.toml",
    ] {
        let answer = served.get(path);
        assert!(
            [400, 404].contains(&answer.status),
            "{path}: {}",
            answer.head
        );
        assert!(!answer.body.contains("base_url"), "{path}");
    }
    let ask = |head: &str| {
        served
            .ask(&format!("{head}\r\nConnection: close\r\n\r\n"))
            .status
    };
    for host in [
        "evil.example",
        "localhost.evil.example:80",
        "127.0.0.1.evil.example",
        "192.168.0.1",
        "",
    ] {
        assert_eq!(
            ask(&format!("GET / HTTP/1.1\r\nHost: {host}")),
            403,
            "{host}"
        );
        assert_eq!(
            ask(&format!("GET /.runpress/events HTTP/1.1\r\nHost: {host}")),
            403,
            "{host}"
        );
    }
    assert_eq!(
        ask("GET http://evil.example/ HTTP/1.1\r\nHost: localhost"),
        403
    );
    for host in ["localhost", "127.0.0.1:4000", "[::1]:4000"] {
        assert_eq!(
            ask(&format!("GET / HTTP/1.1\r\nHost: {host}")),
            200,
            "{host}"
        );
    }
    assert_eq!(
        ask("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0"),
        405
    );
    assert_eq!(ask("HEAD / HTTP/1.1\r\nHost: localhost"), 200);
}

#[test]
fn a_change_is_shown_and_a_broken_one_is_told_while_the_last_good_site_stays() {
    let site = TestSite::base();
    let served = Served::any(&site);
    let first = served.message();
    assert_eq!(first["failed"], false);
    // Editors write beside the file and rename.
    let writeup = site.text(&format!("{FIRST}/writeup.md"));
    site.write(
        &format!("{FIRST}/writeup.md.new"),
        format!("{writeup}\nA word about whelks.\n"),
    );
    fs::rename(
        site.path(&format!("{FIRST}/writeup.md.new")),
        site.path(&format!("{FIRST}/writeup.md")),
    )
    .expect("a rename");
    served.until("the new words", || {
        served.get(RUN_PAGE).body.contains("whelks")
    });
    served.until("the message", || {
        served.message()["build"] != first["build"]
    });
    let second = served.message();
    // A record that is cut short.
    let record = site.text(&format!("{FIRST}/run-record.json"));
    site.write(&format!("{FIRST}/run-record.json"), "{\n");
    served.until("the problem", || served.message()["failed"] == true);
    let message = served.message();
    assert_eq!(
        message["build"], second["build"],
        "the site that is served is the same"
    );
    assert_eq!(message["errors"], 1);
    let problem = &message["diagnostics"][0];
    assert_eq!(problem["code"], "record.syntax");
    assert_eq!(problem["path"], "content/runs/first/run-record.json");
    assert!(problem["line"].is_number() && problem["column"].is_number());
    served.hears("error[record.syntax]");
    assert!(served.get(RUN_PAGE).body.contains("whelks"));
    site.write(&format!("{FIRST}/run-record.json"), record);
    served.until("the way back", || served.message()["failed"] == false);
    assert!(served.get(RUN_PAGE).body.contains("whelks"));
    // A run that goes leaves the page for unknown addresses.
    site.run("second", &Run::new("9f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11"));
    let second = "/runs/pong-codex-sample-lark-1-9f1c2d3e/";
    served.until("the new run", || served.get(second).status == 200);
    fs::remove_dir_all(site.path("content/runs/second")).expect("removed");
    served.until("the run to go", || served.get(second).status == 404);
}

#[test]
fn no_broken_setting_template_or_lost_folder_ends_it() {
    let site = TestSite::base();
    let served = Served::any(&site);
    let code = || served.message()["diagnostics"][0]["code"].clone();
    let settings = site.text("site.toml");
    site.write("site.toml", "title = \"no end\n");
    served.until("the broken settings", || code() == "config.syntax");
    site.write("site.toml", format!("{settings}\n[feeds]\nitems = 7\n"));
    served.until("the settings", || served.message()["failed"] == false);
    // The folder of templates comes only now.
    site.write("templates/home.html", "{{ oh no");
    served.until("the broken template", || code() == "template.invalid");
    assert_eq!(served.get("/").status, 200);
    site.write("templates/home.html", "<p>a home of our own</p>");
    served.until("the template", || {
        served.get("/").body.contains("a home of our own")
    });
    site.remove("templates/home.html");
    served.until("the built-in template", || {
        !served.get("/").body.contains("a home of our own")
    });
    fs::rename(site.path("content"), site.path("elsewhere")).expect("moved");
    served.until("the lost folder", || code() == "content.missing-root");
    assert_eq!(served.get(RUN_PAGE).status, 200);
    fs::rename(site.path("elsewhere"), site.path("content")).expect("moved back");
    served.until("the folder", || served.message()["failed"] == false);
    // What stands in the folder that came back is watched, too.
    site.write(
        "content/pages/later.md",
        "+++\ntitle = \"Later\"\n+++\n\nA page that came later.\n",
    );
    served.until("the page", || served.get("/later/").status == 200);
}

#[test]
fn a_site_that_has_errors_from_the_start_is_shown_once_they_are_mended() {
    let site = TestSite::base();
    let record = site.text(&format!("{FIRST}/run-record.json"));
    site.write(&format!("{FIRST}/run-record.json"), "{\n");
    let served = Served::any(&site);
    let waiting = served.get("/");
    assert_eq!(waiting.status, 503);
    assert!(waiting.body.contains("No site yet") && waiting.body.contains("/.runpress/live.js"));
    assert_eq!(served.message()["failed"], true);
    site.write(&format!("{FIRST}/run-record.json"), record);
    served.until("the site", || served.get("/").status == 200);
}

#[test]
fn the_site_stands_where_its_address_says_and_is_compared_with_what_was_published() {
    let site = TestSite::base();
    site.publish();
    let published = site.published();
    site.replace(
        "site.toml",
        "https://runs.example.org/",
        "https://runs.example.org/archive/",
    );
    let record = format!("{FIRST}/run-record.json");
    site.write(&record, site.text(&record).replacen("0.4210", "0.4310", 1));
    let served = Served::any(&site);
    let root = served.get("/");
    assert_eq!(
        (root.status, root.header("location")),
        (307, Some("/archive/"))
    );
    let folder = served.get("/archive/runs");
    assert_eq!(
        (folder.status, folder.header("location")),
        (307, Some("/archive/runs/"))
    );
    assert_eq!(served.get("/archive/runs/").status, 200);
    assert_eq!(served.get("/runs/").status, 404);
    let changes = served.get("/archive/feeds/changes.json");
    let changes: serde_json::Value = serde_json::from_str(&changes.body).expect("JSON");
    assert_eq!(changes["builds"][0]["build"], 2);
    assert_eq!(differences(&published, &site.published()), [""; 0]);
    // A later change is compared with the same site, not with the one that was served before.
    site.run("second", &Run::new("9f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11"));
    served.has_built(2);
    let changes = served.get("/archive/feeds/changes.json");
    let changes: serde_json::Value = serde_json::from_str(&changes.body).expect("JSON");
    assert_eq!(changes["builds"][0]["build"], 2);
    assert_eq!(
        changes["builds"][0]["changed"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(
        changes["builds"][0]["added"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn a_port_that_is_taken_is_refused_when_it_was_named_and_passed_over_when_not() {
    let site = TestSite::base();
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let ran = site.runpress(&["serve", "--port", &port]);
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.stderr.contains(&format!("The port `{port}` is taken")),
        "{}",
        ran.stderr
    );
    // Somebody else may have it already.
    let _held = TcpListener::bind(("127.0.0.1", 4000));
    let served = Served::start(&site, &[]);
    assert!((4001..=4100).contains(&served.port), "{}", served.port);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_and_leaves_nothing_behind() {
    let site = TestSite::base();
    let mut served = Served::any(&site);
    assert!(served.folder().is_dir());
    let sent = std::process::Command::new("sh")
        .args(["-c", &format!("kill -INT {}", served.child.id())])
        .status();
    assert!(sent.expect("kill runs").success());
    assert_eq!(served.child.wait().expect("an end").code(), Some(0));
    let left: Vec<_> = fs::read_dir(served.temporary.path())
        .expect("a folder")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

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
            let path = format!("{FIRST}/events.jsonl.annotations.jsonl");
            let said = annotation("z-1", 0, "note", "\"evidence\":\"Seen again.\"");
            site.write(&path, format!("{}{}", site.text(&path), lines(&[said])));
        }),
        ("a run is removed", |site| {
            fs::remove_dir_all(site.path("content/runs/r3")).expect("removed");
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
            site.write(
                "site.toml",
                format!("{}\n[feeds]\nitems = 2\n", site.text("site.toml")),
            );
        }),
        ("a file that was there is as long as before", |site| {
            let path = format!("{FIRST}/writeup.md");
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
    let (first, other) = (RUN_PAGE, "/runs/tetris-codex-sample-lark-1-9f1c2d3e/");
    let before = (place(first), place(other), place("/runs/"));
    assert!(before.0.is_some() && before.1.is_some());
    let writeup = format!("{FIRST}/writeup.md");
    site.write(&writeup, format!("{}\nMore.\n", site.text(&writeup)));
    served.has_built(2);
    assert_ne!(place(first), before.0);
    assert_eq!(place(other), before.1, "the same file stands there");
    assert_ne!(place("/runs/"), before.2);
    // What all pages have in common makes all of them anew.
    site.write("templates/components/badge.html", "<b>badge</b>");
    served.has_built(3);
    assert_ne!(place(other), before.1);
}
