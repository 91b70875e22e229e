//! A site is copied from a server and verified.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::with_checksums;
use crate::incremental::many_kinds;
use crate::support::{Ran, TestSite, differences, tree};

/// A server of the files of a folder.
struct Server {
    folder: PathBuf,
    /// How often each path was asked for.
    asked: Mutex<BTreeMap<String, usize>>,
    open: AtomicUsize,
    most: AtomicUsize,
    /// A path that redirects, and where to.
    redirect: Option<(&'static str, String)>,
    /// A path that the server is too busy to give at first.
    busy: Option<&'static str>,
}

impl Server {
    fn of(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            asked: Mutex::default(),
            open: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            redirect: None,
            busy: None,
        }
    }

    /// Starts the server, and returns the address of the site.
    fn start(self) -> (Arc<Self>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = Arc::new(self);
        let shared = Arc::clone(&server);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = Arc::clone(&shared);
                thread::spawn(move || server.connection(stream));
            }
        });
        (server, format!("http://{address}/runs/"))
    }

    fn connection(&self, stream: TcpStream) {
        let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(open, Ordering::SeqCst);
        let mut out = stream.try_clone().expect("a stream");
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        while let Some(request) = lines.next() {
            while lines.next().is_some_and(|header| !header.is_empty()) {}
            let path = request.split(' ').nth(1).expect("a path").to_owned();
            let response = self.response(path.strip_prefix("/runs/").unwrap_or_default());
            if out.write_all(&response).is_err() {
                break;
            }
        }
        self.open.fetch_sub(1, Ordering::SeqCst);
    }

    fn response(&self, path: &str) -> Vec<u8> {
        let mut asked = self.asked.lock().expect("a lock");
        let times = asked.entry(path.to_owned()).or_default();
        *times += 1;
        let (status, header, body) = match &self.redirect {
            Some((from, to)) if *from == path => {
                ("302 Found", format!("Location: {to}\r\n"), Vec::new())
            }
            _ if self.busy == Some(path) && *times == 1 => {
                ("503 Busy", "Retry-After: 0\r\n".to_owned(), Vec::new())
            }
            _ => match fs::read(self.folder.join(path)) {
                Ok(bytes) => ("200 OK", String::new(), bytes),
                Err(_) => ("404 Not Found", String::new(), Vec::new()),
            },
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\n{header}\r\n",
            body.len()
        );
        [head.into_bytes(), body].concat()
    }

    fn requests(&self) -> usize {
        thread::sleep(Duration::from_millis(10));
        self.asked.lock().expect("a lock").values().sum()
    }
}

fn published() -> TestSite {
    let site = with_checksums(many_kinds());
    site.publish();
    site
}

fn verified(site: &TestSite, address: &str, arguments: &[&str]) -> Ran {
    site.runpress(&[&["verify", address], arguments].concat())
}

#[test]
fn a_site_is_copied_over_few_connections_and_the_copy_is_resumed() {
    let site = published();
    let (server, address) = Server {
        busy: Some("feeds/runs.json"),
        ..Server::of(&site.path("public"))
    }
    .start();
    let ran = verified(&site, &address, &["--keep", "copy"]).ok();
    ran.says("everything holds");
    assert!(server.most.load(Ordering::SeqCst) <= 5, "{:?}", server.most);
    let mut public = site.published();
    for path in [".nojekyll", ".runpress"] {
        public.remove(path);
    }
    assert_eq!(differences(&public, &tree(&site.path("copy"))), [""; 0]);
    let before = server.requests();
    site.remove("copy/robots.txt")
        .write("copy/index.html", "half a page");
    verified(&site, &address, &["--keep", "copy"]).ok();
    assert_eq!(server.requests() - before, 3, "the checksums and two files");
    let earlier = verified(&site, "public", &["--since", &address]);
    earlier.says("Continues the earlier copy");
}

#[test]
fn a_changed_file_is_found_over_the_network_and_in_a_sample() {
    let site = published();
    let (server, address) = Server::of(&site.path("public")).start();
    let ran = verified(&site, &address, &["--sample", "2"]).ok();
    ran.says(", 2 runs, ");
    assert!(server.requests() < site.published().len() - 10);
    let feed = site.text("public/feeds/runs.json");
    site.write("public/feeds/runs.json", feed.replace("pong", "ping"));
    let ran = verified(&site, &address, &["--sample", "2"]).exits(1);
    ran.says("verify.changed-file");
}

#[test]
fn a_site_without_checksums_is_copied_by_its_links() {
    let site = many_kinds();
    site.publish();
    let (_, address) = Server::of(&site.path("public")).start();
    verified(&site, &address, &["--keep", "copy"]).ok();
    let copied = tree(&site.path("copy"));
    let feeds = |files: &BTreeMap<String, Vec<u8>>| -> Vec<String> {
        let paths = files
            .keys()
            .filter(|path| path.starts_with("feeds/") || path.ends_with("run.json"));
        paths.cloned().collect()
    };
    assert_eq!(feeds(&copied), feeds(&site.published()));
}

#[test]
fn no_other_origin_is_asked() {
    let site = published();
    let (other, elsewhere) = Server::of(&site.path("public")).start();
    let (_, address) = Server {
        redirect: Some(("robots.txt", format!("{elsewhere}robots.txt"))),
        ..Server::of(&site.path("public"))
    }
    .start();
    let ran = verified(&site, &address, &[]).exits(2);
    ran.says("another origin");
    assert_eq!(other.requests(), 0);
    let (_, address) = Server {
        redirect: Some(("robots.txt", "robots-moved.txt".to_owned())),
        ..Server::of(&site.path("public"))
    }
    .start();
    site.write("public/robots-moved.txt", site.text("public/robots.txt"));
    verified(&site, &address, &[]).ok();
    verified(&site, "http://127.0.0.1:1/", &[]).exits(2);
}
