//! Counts the files of a new site: by kind, for the summary, and by folder, to compare with the limits of a host.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use base::links;

/// The size of a site.
#[derive(Debug, Default)]
pub struct SiteSize {
    /// Number of files.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Files above the size limit, with their size, sorted by path.
    pub large: Vec<(String, u64)>,
    /// Number of files and folders in each folder; the root is `""`.
    pub entries: BTreeMap<String, u64>,
    /// Bytes in the folder of each run.
    pub runs: BTreeMap<String, u64>,
}

/// Measures a site while many threads write it.
#[derive(Debug)]
pub(super) struct SizeCounter {
    /// Files above this size, in bytes, are listed.
    file: u64,
    /// A folder that is published elsewhere and does not count.
    elsewhere: Option<&'static str>,
    size: Mutex<SiteSize>,
}

impl SizeCounter {
    pub(super) fn new(file: u64, elsewhere: Option<&'static str>) -> Self {
        Self {
            file,
            elsewhere,
            size: Mutex::default(),
        }
    }

    pub(super) fn add(&self, path: &str, bytes: u64) {
        if self
            .elsewhere
            .is_some_and(|folder| path.starts_with(folder))
        {
            return;
        }
        let mut size = self.size.lock().unwrap_or_else(PoisonError::into_inner);
        size.files += 1;
        size.bytes += bytes;
        if bytes > self.file {
            size.large.push((path.to_owned(), bytes));
        }
        if let Some((run, _)) = links::split_run(path) {
            *size.runs.entry(run.to_owned()).or_default() += bytes;
        }
        let mut inner = path;
        loop {
            let folder = inner.rfind('/').map_or("", |end| &inner[..end]);
            let entries = size.entries.entry(folder.to_owned()).or_default();
            *entries += 1;
            // With its first entry, a folder becomes an entry of its parent.
            if *entries > 1 || folder.is_empty() {
                return;
            }
            inner = folder;
        }
    }

    pub(super) fn take(&self) -> SiteSize {
        let mut size = self.size.lock().unwrap_or_else(PoisonError::into_inner);
        let mut size = std::mem::take(&mut *size);
        size.large.sort();
        size
    }
}

/// Kinds of files.
const KINDS: [&str; 9] = [
    "Run pages",
    "Event pages, stories",
    "Downloads",
    "run.json, run.md",
    "Lists",
    "Comparison data",
    "Search data",
    "Feeds",
    "Assets and schemas",
];

/// Files of one kind.
#[derive(Debug, Clone, Copy)]
pub struct FileCount {
    /// Their kind.
    pub kind: &'static str,
    /// Number of files.
    pub files: u64,
    /// Total size in bytes.
    pub bytes: u64,
}

/// Counts so far, shared by threads.
#[derive(Debug, Default)]
pub(super) struct FileCounters([(AtomicU64, AtomicU64); KINDS.len()]);

impl FileCounters {
    pub(super) fn add(&self, path: &str, size: u64) {
        let (files, bytes) = &self.0[kind(path)];
        files.fetch_add(1, Ordering::Relaxed);
        bytes.fetch_add(size, Ordering::Relaxed);
    }

    /// Total files and bytes.
    pub(super) fn total(&self) -> (u64, u64) {
        self.by_kind().iter().fold((0, 0), |(files, bytes), kind| {
            (files + kind.files, bytes + kind.bytes)
        })
    }

    pub(super) fn by_kind(&self) -> Vec<FileCount> {
        let kinds = KINDS.iter().zip(&self.0);
        kinds
            .map(|(kind, (files, bytes))| FileCount {
                kind,
                files: files.load(Ordering::Relaxed),
                bytes: bytes.load(Ordering::Relaxed),
            })
            .collect()
    }
}

/// Index in [`KINDS`] of a file, by its path.
fn kind(path: &str) -> usize {
    let folder = path.split('/').next().unwrap_or_default();
    let is_page = path.strip_suffix(".html").is_some();
    if let Some((_, file)) = links::split_run(path) {
        return match file {
            "index.html" => 0,
            "run.json" | "run.md" => 3,
            _ if is_page || file.starts_with("text/") => 1,
            _ => 2,
        };
    }
    match folder {
        _ if is_page => 4,
        "downloads" => 2,
        "compare" => 5,
        "search" => 6,
        "feeds" => 7,
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_count_once_in_the_folder_that_they_are_in() {
        let counter = SizeCounter::new(9, Some("downloads/"));
        let prefixed = links::run(&links::Slug::new("c", links::RunFolders::Prefixed));
        for (path, bytes) in [
            ("index.html", 1),
            ("runs/b/index.html", 10),
            ("runs/b/events/2/index.html", 4),
            ("runs/b/events/3/index.html", 3),
            ("runs/a/index.html", 9),
            ("runs/page/2/index.html", 2),
            (&prefixed, 5),
            ("downloads/3f.zip", 99),
        ] {
            counter.add(path, bytes);
        }
        let size = counter.take();
        assert_eq!((size.files, size.bytes), (7, 34));
        assert_eq!(size.large, [("runs/b/index.html".to_owned(), 10)]);
        let entries = |folder: &str| size.entries[folder];
        assert_eq!((entries(""), entries("runs"), entries("runs/b")), (2, 4, 2));
        assert_eq!((entries("runs/b/events"), entries("runs/page")), (2, 1));
        let prefixed = links::directory(&prefixed).trim_end_matches('/');
        let runs = [(prefixed, 5), ("runs/a", 9), ("runs/b", 17)];
        let runs = runs.map(|(run, bytes)| (run.to_owned(), bytes));
        assert_eq!(size.runs, BTreeMap::from(runs));
    }

    #[test]
    fn a_file_is_of_the_kind_that_its_path_says() {
        for (path, expected) in [
            ("runs/a-b/index.html", "Run pages"),
            ("runs/a-b/events/2/index.html", "Event pages, stories"),
            ("runs/a-b/story/index.html", "Event pages, stories"),
            ("runs/a-b/text/0123.txt", "Event pages, stories"),
            ("runs/a-b/events.jsonl", "Downloads"),
            ("runs/a-b/assets/0123.png", "Downloads"),
            ("downloads/a-b/events.jsonl", "Downloads"),
            ("runs/a-b/run.json", "run.json, run.md"),
            ("runs/a-b/run.md", "run.json, run.md"),
            ("runs/index.html", "Lists"),
            ("runs/page/2/index.html", "Lists"),
            ("index.html", "Lists"),
            ("feeds/index.html", "Lists"),
            ("compare/0123456789.js", "Comparison data"),
            ("search/runs.js", "Search data"),
            ("feeds/runs.json", "Feeds"),
            ("sitemap.xml", "Assets and schemas"),
            ("assets/site.0123.css", "Assets and schemas"),
        ] {
            assert_eq!(KINDS[kind(path)], expected, "{path}");
        }
    }
}
