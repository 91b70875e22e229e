//! Values by path, in less memory than a map: a site has hundreds of thousands of files in few folders with the same few names.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

/// Values by path, sorted by folder, then by name. The path of a folder is held once, and equal names share their text.
#[derive(Debug)]
pub(crate) struct ByFolder<T> {
    /// The files of each folder, sorted by name. None is empty.
    folders: BTreeMap<Box<str>, Vec<(Arc<str>, T)>>,
    names: BTreeSet<Arc<str>>,
}

impl<T> Default for ByFolder<T> {
    fn default() -> Self {
        Self {
            folders: BTreeMap::new(),
            names: BTreeSet::new(),
        }
    }
}

/// The folder of a path and the name in it.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

impl<T> ByFolder<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    pub(crate) fn get(&self, path: &str) -> Option<&T> {
        let (folder, name) = split(path);
        let files = self.folders.get(folder)?;
        let at = files.binary_search_by(|(known, _)| (**known).cmp(name));
        Some(&files[at.ok()?].1)
    }

    /// Adds or replaces a value; returns the replaced one.
    pub(crate) fn insert(&mut self, path: &str, value: T) -> Option<T> {
        let (folder, name) = split(path);
        let files = match self.folders.get_mut(folder) {
            Some(files) => files,
            None => self.folders.entry(folder.into()).or_default(),
        };
        match files.binary_search_by(|(known, _)| (**known).cmp(name)) {
            Ok(at) => Some(std::mem::replace(&mut files[at].1, value)),
            Err(at) => {
                let name = self.names.get(name).cloned().unwrap_or_else(|| {
                    let name: Arc<str> = name.into();
                    self.names.insert(Arc::clone(&name));
                    name
                });
                files.insert(at, (name, value));
                None
            }
        }
    }

    pub(crate) fn remove(&mut self, path: &str) {
        let (folder, name) = split(path);
        if let Some(files) = self.folders.get_mut(folder) {
            files.retain(|(known, _)| **known != *name);
            if files.is_empty() {
                self.folders.remove(folder);
            }
        }
    }

    /// Whether there is a file in this folder, or below it.
    pub(crate) fn has_folder(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let from = (Bound::Included(below.as_str()), Bound::Unbounded);
        let mut after = self.folders.range::<str, _>(from);
        self.folders.contains_key(path)
            || after
                .next()
                .is_some_and(|(next, _)| next.starts_with(&below))
    }

    /// The folders that have files.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.keys().map(|folder| &**folder)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.folders.values().flatten().map(|(_, value)| value)
    }

    /// Every path with its value.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (String, &T)> {
        self.folders.iter().flat_map(|(folder, files)| {
            files.iter().map(move |(name, value)| match &**folder {
                "" => (name.to_string(), value),
                folder => (format!("{folder}/{name}"), value),
            })
        })
    }
}

impl<T> Extend<(String, T)> for ByFolder<T> {
    fn extend<I: IntoIterator<Item = (String, T)>>(&mut self, files: I) {
        for (path, value) in files {
            self.insert(&path, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_path_and_listed_by_folder() {
        let mut files = ByFolder::default();
        let paths = [
            "runs/b/index.html",
            "index.html",
            "runs/a/events/2/index.html",
            "runs/a/index.html",
            "runs/a-b/x",
        ];
        for (number, path) in paths.into_iter().enumerate() {
            assert_eq!(files.insert(path, number), None);
        }
        assert_eq!(files.insert("index.html", 9), Some(1));
        assert_eq!(files.get("runs/a/index.html"), Some(&3));
        assert_eq!(
            [files.get("runs/a"), files.get("x"), files.get("")],
            [None; 3]
        );
        for folder in ["runs", "runs/a", "runs/a/events", "runs/a-b"] {
            assert!(files.has_folder(folder), "{folder}");
        }
        for path in ["run", "runs/a-", "runs/a/index.html", "index.html"] {
            assert!(!files.has_folder(path), "{path}");
        }
        let listed: Vec<_> = files.iter().map(|(path, _)| path).collect();
        assert_eq!(
            listed,
            [
                "index.html",
                "runs/a/index.html",
                "runs/a-b/x",
                "runs/a/events/2/index.html",
                "runs/b/index.html"
            ]
        );
        files.remove("runs/a/events/2/index.html");
        assert!(!files.has_folder("runs/a/events"));
        assert_eq!(files.values().count(), 4);
    }
}
