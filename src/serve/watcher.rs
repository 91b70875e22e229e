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
const QUIET: Duration = Duration::from_millis(40);
/// A change that does not end is reported after this time.
const MOST: Duration = Duration::from_secs(1);
/// Interval of looking for missing folders and, if the system reports no changes, of comparing all files.
const EVERY: Duration = Duration::from_secs(1);

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
    given: PathBuf,
    mode: RecursiveMode,
    /// The path with links resolved, while it exists.
    now: Option<PathBuf>,
    /// The last snapshot of its files, if the system reports no changes.
    seen: FileStamps,
}

impl WatchedPath {
    fn look(&self) -> FileStamps {
        let depth = match self.mode {
            RecursiveMode::Recursive => usize::MAX,
            RecursiveMode::NonRecursive => 1,
        };
        let Some(now) = &self.now else {
            return FileStamps::new();
        };
        polling::look(now, depth, |folder| {
            let inside = folder.strip_prefix(now).unwrap_or(folder).join("file");
            !is_left_alone(&inside)
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
            watcher.want(
                build
                    .content
                    .iter()
                    .map(|path| watcher.root.join(path))
                    .collect(),
            );
        } else {
            watcher.want(content.to_vec());
        }
        Ok(watcher)
    }

    /// Whether all files are compared once a second, because the system reports no changes.
    pub const fn polls(&self) -> bool {
        self.inner.is_none()
    }

    /// Watches the files of this site from now on.
    pub fn follow(&mut self, site: &Site) {
        self.previous = named(&site.previous());
        self.want(site.content.clone());
    }

    fn want(&mut self, content: Vec<PathBuf>) {
        let folders = content
            .into_iter()
            .chain(["templates", "static", "rules"].map(|folder| self.root.join(folder)))
            .map(|folder| (named(&folder), RecursiveMode::Recursive));
        let mut before = std::mem::take(&mut self.watched);
        for (given, mode) in
            std::iter::once((self.root.clone(), RecursiveMode::NonRecursive)).chain(folders)
        {
            let known = before
                .iter()
                .position(|watched| watched.given == given && watched.mode == mode);
            let watched = known.map(|at| before.swap_remove(at));
            self.watched.push(watched.unwrap_or(WatchedPath {
                given,
                mode,
                now: None,
                seen: FileStamps::new(),
            }));
        }
        for gone in before.into_iter().filter_map(|watched| watched.now) {
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
            self.hear(EVERY, &mut change);
            let began = Instant::now();
            while change != Change::default()
                && began.elapsed() < MOST
                && self.hear(QUIET, &mut change)
            {}
            let moved = self.update_watches(&change.paths);
            if moved || change != Change::default() {
                return change;
            }
        }
    }

    /// Waits up to this long, and records what changed; `false` if nothing happened.
    fn hear(&mut self, most: Duration, change: &mut Change) -> bool {
        if self.polls() {
            thread::sleep(most);
            return self.compare(change);
        }
        match self.events.recv_timeout(most) {
            Ok(event) => self.note(event, change),
            Err(RecvTimeoutError::Timeout) => return false,
            Err(RecvTimeoutError::Disconnected) => self.poll(),
        }
        true
    }

    /// Compares all files with the last snapshot; returns whether a file that a build reads is different.
    fn compare(&mut self, change: &mut Change) -> bool {
        let mut paths = BTreeSet::new();
        for watched in &mut self.watched {
            let seen = watched.look();
            paths.extend(polling::differences(&watched.seen, &seen));
            watched.seen = seen;
        }
        paths.retain(|path| self.concerns(path));
        let any = !paths.is_empty();
        change.paths.extend(paths);
        any
    }

    /// Records the paths of an event that a build reads.
    fn note(&self, event: notify::Result<Event>, change: &mut Change) {
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
                .extend(paths.filter(|path| self.concerns(path)));
        }
    }

    fn concerns(&self, path: &Path) -> bool {
        if path == self.root.join(config::FILE_NAME) || path == self.previous {
            return true;
        }
        let mut folders = self.watched.iter();
        folders.any(
            |WatchedPath {
                 given, mode, now, ..
             }| {
                let below = path.strip_prefix(now.as_ref().unwrap_or(given));
                *mode == RecursiveMode::Recursive
                    && (path == given || below.is_ok_and(|below| !is_left_alone(below)))
            },
        )
    }

    /// Watches new folders and drops missing ones; `true` if there were any. Folders that an event named are watched anew,
    /// because they may have been replaced.
    fn update_watches(&mut self, named: &BTreeSet<PathBuf>) -> bool {
        let (mut changed, mut failed) = (false, false);
        for watched in &mut self.watched {
            let now = watched.given.canonicalize().ok();
            let again = named.contains(&watched.given)
                || now.as_ref().is_some_and(|now| named.contains(now));
            if now == watched.now && !again {
                continue;
            }
            changed |= now != watched.now;
            let old = std::mem::replace(&mut watched.now, now);
            let Some(inner) = &mut self.inner else {
                watched.seen = watched.look();
                continue;
            };
            if let Some(old) = old {
                let _ = inner.unwatch(&old);
            }
            if let Some(now) = &watched.now {
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
            watched.seen = watched.look();
        }
    }
}

/// A path as events name it: links of its parent folder are resolved, a link at its end is not.
fn named(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Whether a build never reads it: `.git`, and temporary files of editors and of `runpress annotate`. A run may name a file in
/// any other hidden folder, and an extra build is cheap.
fn is_left_alone(below: &Path) -> bool {
    let is_of_git = below.iter().any(|name| name == ".git");
    let name = below
        .file_name()
        .map(OsStr::to_string_lossy)
        .unwrap_or_default();
    let swap = name.starts_with('.')
        && [".swp", ".swo", ".swx"]
            .iter()
            .any(|end| name.ends_with(end));
    let notes = name.starts_with(".#")
        || (name.starts_with(".runpress-") && name.ends_with(".tmp"))
        || name.ends_with('~')
        || name == "4913"
        || (name.len() > 1 && name.starts_with('#') && name.ends_with('#'));
    is_of_git || swap || notes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::{Watcher, is_left_alone};

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
    fn notes_of_editors_and_the_store_of_git_are_left_alone() {
        for alone in [
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
            assert!(is_left_alone(Path::new(alone)), "{alone}");
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
            assert!(!is_left_alone(Path::new(read)), "{read}");
        }
    }
}
