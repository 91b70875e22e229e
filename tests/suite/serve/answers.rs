//! The server's answers, its address, and how it ends.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};

use super::{PATIENCE, RUN_PAGE, Served};
use crate::support::{
    FIRST_SLUG, Run, TestSite, contains, differences, entries, first, lacks, parse,
};

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
    served.redirects(RUN_PAGE.trim_end_matches('/'), RUN_PAGE);
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
    contains(&gone.body, "Page not found");
    for path in [
        format!("/{}", "a".repeat(300)),
        format!("/runs/{}/index.html", "%E6%A6%82".repeat(100)),
        format!("/{}", "a/".repeat(3_000)),
    ] {
        assert_eq!(served.get(&path).status, 404, "{} bytes", path.len());
    }
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
    let status = |first: &str, host: &str| {
        let request = format!("{first} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        served.ask(&request).status
    };
    for host in [
        "evil.example",
        "localhost.evil.example:80",
        "127.0.0.1.evil.example",
        "192.168.0.1",
        "localhost:evil",
        "",
    ] {
        assert_eq!(status("GET /", host), 403, "{host}");
        assert_eq!(status("GET /.runpress/events", host), 403, "{host}");
    }
    assert_eq!(status("GET http://evil.example/", "localhost"), 403);
    for host in ["localhost", "127.0.0.1:4000", "[::1]:4000"] {
        assert_eq!(status("GET /", host), 200, "{host}");
    }
    assert_eq!(status("POST /", "localhost\r\nContent-Length: 0"), 405);
    assert_eq!(status("HEAD /", "localhost"), 200);
}

#[test]
fn the_site_is_served_below_its_base_url_and_compared_with_the_published_one() {
    let site = TestSite::base();
    site.publish();
    let published = site.published();
    site.replace(
        "site.toml",
        "https://runs.example.org/",
        "https://runs.example.org/archive/",
    );
    let record = site.text(&first("run-record.json"));
    site.write_first("run-record.json", record.replacen("0.4210", "0.4310", 1));
    let served = Served::any(&site);
    served.redirects("/", "/archive/");
    served.redirects("/archive/runs", "/archive/runs/");
    assert_eq!(served.get("/archive/runs/").status, 200);
    assert_eq!(served.get("/runs/").status, 404);
    let changes = parse(&served.get("/archive/feeds/changes.json").body);
    assert_eq!(changes["builds"][0]["build"], 2);
    assert_eq!(differences(&published, &site.published()), [""; 0]);
    // A later change is compared with the same site, not with the previously served one.
    site.run("second", &Run::new("9f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11"));
    served.has_built(2);
    let changes = parse(&served.get("/archive/feeds/changes.json").body);
    assert_eq!(changes["builds"][0]["build"], 2);
    assert_eq!(entries(&changes["builds"][0]["changed"]).len(), 1);
    assert_eq!(entries(&changes["builds"][0]["added"]).len(), 1);
}

#[test]
fn a_port_that_is_taken_is_refused_when_it_was_named_and_passed_over_when_not() {
    let site = TestSite::base();
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let ran = site.runpress(&["serve", "--port", &port]).exits(2);
    ran.says(format!("port `{port}` is in use"));
    // The port may already be in use.
    let _held = TcpListener::bind(("127.0.0.1", 4000));
    let served = Served::start(&site, &[]);
    assert!((4001..=4100).contains(&served.port), "{}", served.port);
}

#[cfg(unix)]
#[test]
fn a_missing_temporary_folder_is_reported_as_such_and_not_as_a_port() {
    let site = TestSite::base();
    let ran = crate::support::command()
        .current_dir(site.root())
        .env("TMPDIR", site.path("no/such/folder"))
        .args(["--color", "never", "serve"])
        .output()
        .expect("the binary runs");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2));
    contains(&told, "folder for temporary files");
    contains(&told, "`TMPDIR`");
    lacks(&told, "--port");
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
    let left = fs::read_dir(served.temporary.path()).expect("a folder");
    assert_eq!(left.count(), 0);
}

#[test]
fn unfinished_requests_block_no_other_and_time_out() {
    const FILES: u32 = 256;
    let site = TestSite::base();
    let served = Served::with_few_files(&site, FILES);
    let begin = || {
        let mut stream = TcpStream::connect(("127.0.0.1", served.port)).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let half = b"GET / HTTP/1.1\r\nHost: localhost\r\n";
        // The server may have closed the connection by then.
        let _ = stream.write_all(half);
        stream
    };
    let begun: Vec<TcpStream> = (0..FILES + 100).map(|_| begin()).collect();
    for _ in 0..3 {
        assert_eq!(served.get("/").status, 200);
    }
    // A change is built and shown while they are open.
    site.append(&first("writeup.md"), "\nMore of it.\n");
    served.until("the change", || {
        served.get(RUN_PAGE).body.contains("More of it.")
    });
    // The newest was not evicted by others: it timed out.
    let mut newest = begun.into_iter().next_back().expect("a connection");
    let mut rest = Vec::new();
    let closed = newest.read_to_end(&mut rest);
    let timed_out = |error: &std::io::Error| {
        matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
    };
    assert!(!closed.as_ref().is_err_and(timed_out), "{closed:?}");
    assert_eq!(served.get("/").status, 200);
}
