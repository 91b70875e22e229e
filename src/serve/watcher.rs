//! When the inputs of a site have changed: folders are watched as they come and go, and a burst of changes is one change.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use notify::Watcher as _;
use notify::event::{AccessKind, AccessMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode};

use crate::config;
use crate::site::Site;

use super::polling::{self, FileStamps};

/// So long must nothing happen before a change is taken to be whole: editors save in several steps.
const QUIET: Duration = Duration::from_millis(40);
/// A change that does not end is taken after this.
const MOST: Duration = Duration::from_secs(1);
/// How often a folder that is not there is looked for, where no folder around it is watched.
const LOOK: Duration = Duration::from_millis(500);
/// How often everything is looked through where the system does not tell of changes.
const EVERY: Duration = Duration::from_secs(1);

/// What has changed since the last build.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// What was named, links resolved; empty when only a folder came or went.
    pub paths: BTreeSet<PathBuf>,
    /// The system lost count: anything may have changed.
    pub anything: bool,
}

/// Watches the content roots, templates, static files and settings of a site.
pub struct Watcher {
    /// What the system tells by; `None` when it cannot, and everything is looked through again and again.
    inner: Option<RecommendedWatcher>,
    events: Receiver<notify::Result<Event>>,
    root: PathBuf,
    /// Where the site is published: changes are computed against that site.
    previous: PathBuf,
    watched: Vec<Watched>,
}

#[derive(Debug)]
struct Watched {
    given: PathBuf,
    mode: RecursiveMode,
    /// With links resolved, while it is there.
    now: Option<PathBuf>,
    /// How it looked last, where the system does not tell.
    seen: FileStamps,
}

impl Watched {
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
    ///
    /// # Errors
    /// The system refuses to watch anything.
    pub fn new(root: &Path, content: &[PathBuf]) -> notify::Result<Self> {
        let (sender, events) = mpsc::channel();
        let root = root.canonicalize()?;
        // As a build walks: a link to a large folder, or to one that is always written, is none of the site's.
        let config = Config::default().with_follow_symlinks(false);
        let inner = RecommendedWatcher::new(sender, config)?;
        let mut watcher = Self {
            inner: Some(inner),
            events,
            previous: root.join(config::Build::default().out),
            root,
            watched: Vec::new(),
        };
        let content = if content.is_empty() {
            let configured = config::Build::default().content;
            configured
                .iter()
                .map(|path| watcher.root.join(path))
                .collect()
        } else {
            content.to_vec()
        };
        watcher.want(content);
        Ok(watcher)
    }

    /// Whether folders are looked through again and again, because the system does not tell of changes.
    #[must_use]
    pub const fn polls(&self) -> bool {
        self.inner.is_none()
    }

    /// Watches what the site is made of from now on.
    pub fn follow(&mut self, site: &Site) {
        self.previous = named(site.previous());
        self.want(site.content.clone());
    }

    fn want(&mut self, content: Vec<PathBuf>) {
        let folders = content
            .into_iter()
            .chain([self.root.join("templates"), self.root.join("static")]);
        let mut wanted: Vec<(PathBuf, RecursiveMode)> =
            vec![(self.root.clone(), RecursiveMode::NonRecursive)];
        for folder in folders {
            wanted.push((named(&folder), RecursiveMode::Recursive));
        }
        let is_same = |watched: &Watched, (given, mode): &(PathBuf, RecursiveMode)| {
            watched.given == *given && watched.mode == *mode
        };
        let (kept, gone) = std::mem::take(&mut self.watched)
            .into_iter()
            .partition(|watched| wanted.iter().any(|wanted| is_same(watched, wanted)));
        self.watched = kept;
        for now in gone.into_iter().filter_map(|watched: Watched| watched.now) {
            self.unwatch(&now);
        }
        for wanted in wanted {
            if !self.watched.iter().any(|watched| is_same(watched, &wanted)) {
                let (given, mode) = wanted;
                self.watched.push(Watched {
                    given,
                    mode,
                    now: None,
                    seen: FileStamps::new(),
                });
            }
        }
        self.update_watches(&BTreeSet::new());
    }

    /// Waits for the next change.
    ///
    /// `None`: nothing can be reported any more.
    pub fn wait(&mut self) -> Option<Change> {
        loop {
            let mut change = Change::default();
            let mut news = if self.polls() {
                self.look_through(&mut change)
            } else {
                self.listen(&mut change)?
            };
            news |= self.update_watches(&change.paths);
            if news {
                return Some(change);
            }
        }
    }

    /// Waits for what the system tells; whether a build reads any of it. `None`: it tells nothing any more.
    fn listen(&self, change: &mut Change) -> Option<bool> {
        let mut news = false;
        let first = if self.looks() {
            self.events.recv_timeout(LOOK)
        } else {
            self.events
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected)
        };
        match first {
            Ok(event) => news |= self.note(event, change),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
        let began = Instant::now();
        while began.elapsed() < MOST {
            match self.events.recv_timeout(QUIET) {
                Ok(event) => news |= self.note(event, change),
                Err(_) => break,
            }
            if !news {
                // What is no change need not be waited for.
                break;
            }
        }
        Some(news)
    }

    /// Waits a while and looks what has changed since the last look; whether a build reads any of it.
    fn look_through(&mut self, change: &mut Change) -> bool {
        // What was told until the system could not go on.
        let mut news = false;
        while let Ok(event) = self.events.try_recv() {
            news |= self.note(event, change);
        }
        thread::sleep(EVERY);
        news |= self.look_again(change);
        let began = Instant::now();
        while news && began.elapsed() < MOST {
            thread::sleep(QUIET);
            if !self.look_again(change) {
                break;
            }
        }
        news
    }

    fn look_again(&mut self, change: &mut Change) -> bool {
        let mut paths = BTreeSet::new();
        for watched in &mut self.watched {
            let seen = watched.look();
            paths.extend(polling::differences(&watched.seen, &seen));
            watched.seen = seen;
        }
        paths.retain(|path| self.concerns(path));
        let news = !paths.is_empty();
        change.paths.extend(paths);
        news
    }

    /// Whether something is not there that no watched folder would tell of.
    fn looks(&self) -> bool {
        self.watched.iter().any(|watched| {
            watched.now.is_none()
                && (watched.given == self.root
                    || watched.given.parent() != Some(self.root.as_path()))
                && !self.is_optional(&watched.given)
        })
    }

    fn is_optional(&self, path: &Path) -> bool {
        path == self.root.join("templates") || path == self.root.join("static")
    }

    /// Notes down what an event tells; `false` when it tells of nothing that a build reads.
    fn note(&self, event: notify::Result<Event>, change: &mut Change) -> bool {
        let Ok(event) = event else {
            change.anything = true;
            return true;
        };
        if event.need_rescan() {
            change.anything = true;
            return true;
        }
        let is_reading = matches!(event.kind, EventKind::Access(kind)
            if kind != AccessKind::Close(AccessMode::Write));
        if is_reading {
            return false;
        }
        let concerned = event.paths.into_iter().filter(|path| self.concerns(path));
        let mut any = false;
        for path in concerned {
            any = true;
            change.paths.insert(path);
        }
        any
    }

    fn concerns(&self, path: &Path) -> bool {
        if path == self.root.join(config::FILE_NAME) || path == self.previous {
            return true;
        }
        self.watched.iter().any(|watched| {
            if watched.mode == RecursiveMode::NonRecursive {
                return false;
            }
            let now = watched.now.as_ref().unwrap_or(&watched.given);
            if path == watched.given {
                return true;
            }
            path.strip_prefix(now)
                .is_ok_and(|below| !is_left_alone(below))
        })
    }

    /// Watches what has come and forgets what has gone; `true` when there was any. What an event named itself is watched
    /// anew: another folder may have replaced it.
    fn update_watches(&mut self, named: &BTreeSet<PathBuf>) -> bool {
        let mut changed = false;
        let mut failed = false;
        for index in 0..self.watched.len() {
            let watched = &self.watched[index];
            let now = watched.given.canonicalize().ok();
            let again = named.contains(&watched.given)
                || now.as_ref().is_some_and(|now| named.contains(now));
            if now == watched.now && !again {
                continue;
            }
            changed |= now != watched.now;
            let mode = watched.mode;
            if let Some(old) = self.watched[index].now.take() {
                self.unwatch(&old);
            }
            if let (Some(now), Some(inner)) = (&now, &mut self.inner) {
                failed |= inner.watch(now, mode).is_err() && now.exists();
            }
            let polls = self.polls();
            let watched = &mut self.watched[index];
            watched.now = now;
            if polls {
                watched.seen = watched.look();
            }
        }
        if failed {
            self.poll();
        }
        changed
    }

    fn unwatch(&mut self, folder: &Path) {
        if let Some(inner) = &mut self.inner {
            let _ = inner.unwatch(folder);
        }
    }

    /// The system has no room for so many watches: what is wanted is looked through once a second instead.
    fn poll(&mut self) {
        self.inner = None;
        for watched in &mut self.watched {
            watched.seen = watched.look();
        }
    }
}

/// A path as events name it in the folder around it: the links of that folder are resolved, one at its end is not.
fn named(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Whether nothing is read there: the store of git, and what editors and `runpress annotate` keep beside a file for a moment.
/// A run may name a file in any other hidden folder, and a build too many is cheap.
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
        let mut told = |paths: &[&str]| {
            let change = watcher.wait().expect("a change");
            let expected: BTreeSet<_> = paths.iter().map(|path| root.join(path)).collect();
            assert_eq!(change.paths, expected);
            assert!(!change.anything);
        };
        write("content/runs/a/events.jsonl", "two");
        fs::remove_file(root.join("content/runs/a/writeup.md")).expect("removed");
        write("content/.git/index", "no input");
        write("notes.txt", "no input");
        told(&["content/runs/a/events.jsonl", "content/runs/a/writeup.md"]);
        // What a link leads to is not walked.
        #[cfg(unix)]
        {
            let linked = tempfile::tempdir().expect("a temporary folder");
            std::os::unix::fs::symlink(linked.path(), root.join("content/link")).expect("a link");
            told(&["content/link"]);
            fs::write(linked.path().join("file"), "no input").expect("a file");
        }
        // As long as before, and as old as before.
        let path = root.join("content/runs/a/events.jsonl");
        let time = fs::metadata(&path).and_then(|meta| meta.modified());
        write("content/runs/a/new", "six");
        let file = fs::File::options()
            .write(true)
            .open(root.join("content/runs/a/new"));
        file.and_then(|file| file.set_modified(time?))
            .expect("a time");
        fs::rename(root.join("content/runs/a/new"), &path).expect("a rename");
        told(&["content/runs/a/events.jsonl"]);
        // A folder that was not there.
        write("templates/home.html", "words");
        told(&["templates"]);
        write("templates/home.html", "other words");
        write("site.toml", "");
        told(&["site.toml", "templates/home.html"]);
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
