//! `serve`: its answers, its reaction to changes, and that only the user can end it.

mod answers;
mod changes;
mod rebuilds;
mod secrets;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::{TestSite, command};

/// Much longer than any operation: a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server of a site, stopped on drop.
struct Served {
    child: Child,
    port: u16,
    said: Arc<Mutex<String>>,
    temporary: TempDir,
}

/// A response of the server.
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
        Self::start_and(site, arguments, |_| {})
    }

    /// Calls `meanwhile` with the folder for temporary files during the first build.
    fn start_and(site: &TestSite, arguments: &[&str], meanwhile: impl FnOnce(&Path)) -> Self {
        Self::start_as(command(), site, arguments, meanwhile)
    }

    /// Limits the number of open files and connections of the process.
    fn with_few_files(site: &TestSite, most: u32) -> Self {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("ulimit -n {most}; exec \"$0\" \"$@\"")])
            .arg(crate::support::command().get_program());
        Self::start_as(command, site, &["--port", "0"], |_| {})
    }

    fn start_as(
        mut command: Command,
        site: &TestSite,
        arguments: &[&str],
        meanwhile: impl FnOnce(&Path),
    ) -> Self {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let mut child = command
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
        meanwhile(served.temporary.path());
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
            let is_late = began.elapsed() > PATIENCE;
            assert!(!is_late, "{what} did not come: {}", self.said());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for words on the terminal.
    fn hears(&self, words: &str) {
        self.until(words, || self.said().contains(words));
    }

    /// Waits until this many builds have ended, successfully or not.
    fn has_built(&self, times: usize) {
        let count = || {
            self.said()
                .lines()
                .filter(|line| line.starts_with("Built:") || line.starts_with("Build failed;"))
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
        let status = head.split(' ').nth(1).expect("a status");
        Answer {
            status: status.parse().expect("a number"),
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

    /// Expects the address of a page to lead to another.
    fn redirects(&self, path: &str, to: &str) {
        let answer = self.get(path);
        let location = answer.header("location");
        assert_eq!((answer.status, location), (307, Some(to)), "{path}");
    }

    /// The latest message to the pages.
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

    /// Every served file, by path. Skips files that disappear while a new site is swapped in.
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
