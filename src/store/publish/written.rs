//! Counts the files written, by kind, and their sizes.

use std::sync::atomic::{AtomicU64, Ordering};

use base::links;

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
pub(super) struct Counts([(AtomicU64, AtomicU64); KINDS.len()]);

impl Counts {
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
