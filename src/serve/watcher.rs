//! Watches the inputs of a site: tracks folders as they come and go, and merges a burst of changes into one.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use notify::Watcher as _;
use notify::event::{AccessKind, AccessMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode};

use formats::config;
use pipeline::site::Site;

use super::polling::{self, FileStamps};

/// How long nothing must change before a change is complete: editors save in several steps.
const QUIET_PERIOD: Duration = Duration::from_millis(40);
/// A change that does not end is reported after this time.
const MAX_DELAY: Duration = Duration::from_secs(1);
/// Interval of looking for missing folders and, if the system reports no changes, of comparing all files.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The changes since the last build.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The changed paths, links resolved; empty when only a folder came or went.
    pub paths: BTreeSet<PathBuf>,
    /// The system dropped events: anything may have changed.
    pub anything: bool,
}

/// Watches the content roots, templates, static files, rules and settings of a site.
pub struct Watcher {
    /// Reports changes; `None` if the system cannot, and all files are compared once a second.
    inner: Option<RecommendedWatcher>,
    events: Receiver<notify::Result<Event>>,
    root: PathBuf,
    /// The published site, with which changes are computed.
    previous: PathBuf,
    watched: Vec<WatchedPath>,
}

#[derive(Debug)]
struct WatchedPath {
    path: PathBuf,
    mode: RecursiveMode,
    /// The path with links resolved, while it exists.
    resolved: Option<PathBuf>,
    /// The last snapshot of its files, if the system reports no changes.
    snapshot: FileStamps,
}

impl WatchedPath {
    fn take_snapshot(&self) -> FileStamps {
        let depth = match self.mode {
            RecursiveMode::Recursive => usize::MAX,
            RecursiveMode::NonRecursive => 1,
        };
        let Some(now) = &self.resolved else {
            return FileStamps::new();
        };
        polling::snapshot(now, depth, |folder| {
            let inside = folder.strip_prefix(now).unwrap_or(folder).join("file");
            !is_ignored(&inside)
        })
    }
}

impl Watcher {
    /// Watches the site at `root` with the content roots that the command line names, if any.
    pub fn new(root: &Path, content: &[PathBuf]) -> notify::Result<Self> {
        let (sender, events) = mpsc::channel();
        let root = root.canonicalize()?;
        // As in a build: a link to a large or constantly changing folder is not part of the site.
        let config = Config::default().with_follow_symlinks(false);
        let build = config::Build::default();
        let mut watcher = Self {
            inner: Some(RecommendedWatcher::new(sender, config)?),
            events,
            previous: root.join(build.out),
            root,
            watched: Vec::new(),
        };
        if content.is_empty() {
            watcher.set_content(
                build
                    .content
                    .iter()
                    .map(|path| watcher.root.join(path))
                    .collect(),
            );
        } else {
            watcher.set_content(content.to_vec());
        }
        Ok(watcher)
    }

    /// Whether all files are compared once a second, because the system reports no changes.
    pub const fn polls(&self) -> bool {
        self.inner.is_none()
    }

    /// Watches the files of this site from now on.
    pub fn follow(&mut self, site: &Site) {
        self.previous = event_path(&site.previous());
        self.set_content(site.content.clone());
    }

    fn set_content(&mut self, content: Vec<PathBuf>) {
        let folders = content
            .into_iter()
            .chain(["templates", "static", "rules"].map(|folder| self.root.join(folder)))
            .map(|folder| (event_path(&folder), RecursiveMode::Recursive));
        let mut before = std::mem::take(&mut self.watched);
        for (path, mode) in
            std::iter::once((self.root.clone(), RecursiveMode::NonRecursive)).chain(folders)
        {
            let known = before
                .iter()
                .position(|watched| watched.path == path && watched.mode == mode);
            let watched = known.map(|at| before.swap_remove(at));
            self.watched.push(watched.unwrap_or(WatchedPath {
                path,
                mode,
                resolved: None,
                snapshot: FileStamps::new(),
            }));
        }
        for gone in before.into_iter().filter_map(|watched| watched.resolved) {
            if let Some(inner) = &mut self.inner {
                let _ = inner.unwatch(&gone);
            }
        }
        self.update_watches(&BTreeSet::new());
    }

    /// Waits for the next change.
    pub fn wait(&mut self) -> Change {
        loop {
            let mut change = Change::default();
            self.receive(POLL_INTERVAL, &mut change);
            let began = Instant::now();
            while change != Change::default()
                && began.elapsed() < MAX_DELAY
                && self.receive(QUIET_PERIOD, &mut change)
            {}
            let moved = self.update_watches(&change.paths);
            if moved || change != Change::default() {
                return change;
            }
        }
    }

    /// Waits up to this long, and records what changed; `false` if nothing happened.
    fn receive(&mut self, most: Duration, change: &mut Change) -> bool {
        if self.polls() {
            thread::sleep(most);
            return self.compare(change);
        }
        match self.events.recv_timeout(most) {
            Ok(event) => self.record(event, change),
            Err(RecvTimeoutError::Timeout) => return false,
            Err(RecvTimeoutError::Disconnected) => self.poll(),
        }
        true
    }

    /// Compares all files with the last snapshot; returns whether a file that a build reads is different.
    fn compare(&mut self, change: &mut Change) -> bool {
        let mut paths = BTreeSet::new();
        for watched in &mut self.watched {
            let snapshot = watched.take_snapshot();
            paths.extend(polling::differences(&watched.snapshot, &snapshot));
            watched.snapshot = snapshot;
        }
        paths.retain(|path| self.is_input(path));
        let any = !paths.is_empty();
        change.paths.extend(paths);
        any
    }

    /// Records the paths of an event, if a build reads them.
    fn record(&self, event: notify::Result<Event>, change: &mut Change) {
        let Ok(event) = event else {
            change.anything = true;
            return;
        };
        let is_reading = matches!(event.kind, EventKind::Access(kind)
            if kind != AccessKind::Close(AccessMode::Write));
        change.anything |= event.need_rescan();
        if !is_reading {
            let paths = event.paths.into_iter();
            change
                .paths
                .extend(paths.filter(|path| self.is_input(path)));
        }
    }

    fn is_input(&self, path: &Path) -> bool {
        if path == self.root.join(config::FILE_NAME) || path == self.previous {
            return true;
        }
        self.watched.iter().any(|watched| {
            let folder = watched.resolved.as_ref().unwrap_or(&watched.path);
            let below = path.strip_prefix(folder);
            watched.mode == RecursiveMode::Recursive
                && (path == watched.path || below.is_ok_and(|below| !is_ignored(below)))
        })
    }

    /// Watches new folders and drops missing ones; `true` if there were any. Folders that an event named are watched anew,
    /// because they may have been replaced.
    fn update_watches(&mut self, named: &BTreeSet<PathBuf>) -> bool {
        let (mut changed, mut failed) = (false, false);
        for watched in &mut self.watched {
            let now = watched.path.canonicalize().ok();
            let is_named = named.contains(&watched.path)
                || now.as_ref().is_some_and(|now| named.contains(now));
            if now == watched.resolved && !is_named {
                continue;
            }
            changed |= now != watched.resolved;
            let old = std::mem::replace(&mut watched.resolved, now);
            let Some(inner) = &mut self.inner else {
                watched.snapshot = watched.take_snapshot();
                continue;
            };
            if let Some(old) = old {
                let _ = inner.unwatch(&old);
            }
            if let Some(now) = &watched.resolved {
                failed |= inner.watch(now, watched.mode).is_err() && now.exists();
            }
        }
        if failed {
            self.poll();
        }
        changed
    }

    /// Switches to polling once a second, when the system has no room for more watches.
    fn poll(&mut self) {
        self.inner = None;
        for watched in &mut self.watched {
            watched.snapshot = watched.take_snapshot();
        }
    }
}

/// A path as events name it: links of its parent folder are resolved, a link at its end is not.
fn event_path(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Whether a build never reads it: `.git`, and temporary files of editors and of `runpress annotate`. A run may name a file in
/// any other hidden folder, and an extra build is cheap.
fn is_ignored(below: &Path) -> bool {
    let is_in_git = below.iter().any(|name| name == ".git");
    let name = below
        .file_name()
        .map(OsStr::to_string_lossy)
        .unwrap_or_default();
    let is_swap_file = name.starts_with('.')
        && [".swp", ".swo", ".swx"]
            .iter()
            .any(|end| name.ends_with(end));
    let is_temporary = name.starts_with(".#")
        || (name.starts_with(".runpress-") && name.ends_with(".tmp"))
        || name.ends_with('~')
        || name == "4913"
        || (name.len() > 1 && name.starts_with('#') && name.ends_with('#'));
    is_in_git || is_swap_file || is_temporary
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::{Watcher, is_ignored};

    #[test]
    fn a_polling_watcher_reports_created_removed_and_changed_files() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("a path");
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        for path in ["content/runs/a/events.jsonl", "content/runs/a/writeup.md"] {
            write(path, "one");
        }
        let mut watcher = Watcher::new(&root, &[]).expect("a watcher");
        watcher.poll();
        assert!(watcher.polls());
        let mut reports = |paths: &[&str]| {
            let change = watcher.wait();
            let expected: BTreeSet<_> = paths.iter().map(|path| root.join(path)).collect();
            assert_eq!(change.paths, expected);
            assert!(!change.anything);
        };
        write("content/runs/a/events.jsonl", "two");
        fs::remove_file(root.join("content/runs/a/writeup.md")).expect("removed");
        write("content/.git/index", "no input");
        write("notes.txt", "no input");
        reports(&["content/runs/a/events.jsonl", "content/runs/a/writeup.md"]);
        // The target of a link is not walked.
        #[cfg(unix)]
        {
            let linked = tempfile::tempdir().expect("a temporary folder");
            std::os::unix::fs::symlink(linked.path(), root.join("content/link")).expect("a link");
            reports(&["content/link"]);
            fs::write(linked.path().join("file"), "no input").expect("a file");
        }
        // Same length and time as before.
        let path = root.join("content/runs/a/events.jsonl");
        let time = fs::metadata(&path).and_then(|meta| meta.modified());
        write("content/runs/a/new", "six");
        let file = fs::File::options()
            .write(true)
            .open(root.join("content/runs/a/new"));
        file.and_then(|file| file.set_modified(time?))
            .expect("a time");
        fs::rename(root.join("content/runs/a/new"), &path).expect("a rename");
        reports(&["content/runs/a/events.jsonl"]);
        // A new folder.
        write("templates/home.html", "words");
        reports(&["templates"]);
        write("templates/home.html", "other words");
        write("site.toml", "");
        reports(&["site.toml", "templates/home.html"]);
    }

    #[test]
    fn temporary_files_of_editors_and_the_files_of_git_are_ignored() {
        for ignored in [
            ".git",
            ".git/index",
            "runs/a/.git/refs/heads/main",
            "runs/a/.events.jsonl.swp",
            "runs/a/writeup.md~",
            "runs/a/.runpress-6f3I7L.tmp",
            "runs/4913",
            "runs/.#x",
            "runs/#x#",
        ] {
            assert!(is_ignored(Path::new(ignored)), "{ignored}");
        }
        for read in [
            "runs/a/events.jsonl",
            "runs/a",
            "",
            ".well-known/x",
            "pages/a.md",
            ".nojekyll",
            "runs/a/implementation/.config/count.ts",
            "runs/a/assets/.hidden/shot.png",
        ] {
            assert!(!is_ignored(Path::new(read)), "{read}");
        }
    }
}
