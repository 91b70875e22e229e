//! The size of a site: files, bytes and folder entries, to compare with the limits of a host.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use base::links;

/// The size of a site.
#[derive(Debug, Default)]
pub struct Weight {
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
pub(super) struct Scales {
    /// Files above this size, in bytes, are listed.
    file: u64,
    /// A folder that is published elsewhere and does not count.
    elsewhere: Option<&'static str>,
    weight: Mutex<Weight>,
}

impl Scales {
    pub(super) fn new(file: u64, elsewhere: Option<&'static str>) -> Self {
        Self {
            file,
            elsewhere,
            weight: Mutex::default(),
        }
    }

    pub(super) fn add(&self, path: &str, bytes: u64) {
        if self
            .elsewhere
            .is_some_and(|folder| path.starts_with(folder))
        {
            return;
        }
        let mut weight = self.weight.lock().unwrap_or_else(PoisonError::into_inner);
        weight.files += 1;
        weight.bytes += bytes;
        if bytes > self.file {
            weight.large.push((path.to_owned(), bytes));
        }
        if let Some((run, _)) = links::split_run(path) {
            *weight.runs.entry(run.to_owned()).or_default() += bytes;
        }
        let mut inner = path;
        loop {
            let folder = inner.rfind('/').map_or("", |end| &inner[..end]);
            let entries = weight.entries.entry(folder.to_owned()).or_default();
            *entries += 1;
            // With its first entry, a folder becomes an entry of its parent.
            if *entries > 1 || folder.is_empty() {
                return;
            }
            inner = folder;
        }
    }

    pub(super) fn take(&self) -> Weight {
        let mut weight = self.weight.lock().unwrap_or_else(PoisonError::into_inner);
        let mut weight = std::mem::take(&mut *weight);
        weight.large.sort();
        weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_count_once_in_the_folder_that_they_are_in() {
        let scales = Scales::new(9, Some("downloads/"));
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
            scales.add(path, bytes);
        }
        let weight = scales.take();
        assert_eq!((weight.files, weight.bytes), (7, 34));
        assert_eq!(weight.large, [("runs/b/index.html".to_owned(), 10)]);
        let entries = |folder: &str| weight.entries[folder];
        assert_eq!((entries(""), entries("runs"), entries("runs/b")), (2, 4, 2));
        assert_eq!((entries("runs/b/events"), entries("runs/page")), (2, 1));
        let prefixed = links::directory(&prefixed).trim_end_matches('/');
        let runs = [(prefixed, 5), ("runs/a", 9), ("runs/b", 17)];
        let runs = runs.map(|(run, bytes)| (run.to_owned(), bytes));
        assert_eq!(weight.runs, BTreeMap::from(runs));
    }
}
