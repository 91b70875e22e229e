//! What is in a folder and in all folders below it, without reading any file.

use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::{Folder, Kind, Stamp, is_gone};

/// Everything below a folder, sorted by path.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) found: Vec<Found>,
}

/// Something below a folder.
#[derive(Debug)]
pub(crate) struct Found {
    /// From that folder, with `/`. What is not UTF-8 is replaced, and the kind is [`Kind::Other`].
    pub(crate) path: String,
    pub(crate) kind: Kind,
    pub(crate) stamp: Stamp,
}

impl Tree {
    /// Looks through a folder, but for what is directly in it under the name `but`.
    pub(crate) fn of(folder: &Folder, but: &str) -> io::Result<Self> {
        let mut found = below(folder, "", but)?;
        found.par_sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { found })
    }

    /// The file of this path.
    pub(crate) fn file(&self, path: &str) -> Option<&Stamp> {
        let at = self
            .found
            .binary_search_by(|found| found.path.as_str().cmp(path));
        let found = &self.found[at.ok()?];
        matches!(found.kind, Kind::File { .. }).then_some(&found.stamp)
    }

    /// What is below a folder of this one.
    pub(crate) fn below(&self, path: &str) -> &[Found] {
        if path.is_empty() {
            return &self.found;
        }
        // Nothing is between `/` and `0`.
        let at = |end: &str| {
            let end = format!("{path}{end}");
            self.found.partition_point(|found| found.path < end)
        };
        &self.found[at("/")..at("0")]
    }

    /// A digest of how everything looks; `None` when something may change unseen: what a link leads to, and what may have
    /// been written again since `now`, as of [`Stamp::is_racy`].
    pub(crate) fn digest(&self, now: i64) -> Option<[u8; 32]> {
        let mut hasher = blake3::Hasher::new();
        for found in &self.found {
            hasher.update(&(found.path.len() as u64).to_le_bytes());
            hasher.update(found.path.as_bytes());
            match found.kind {
                Kind::File { .. } if found.stamp.is_racy(now) => return None,
                Kind::File { .. } => found.stamp.hash_into(&mut hasher),
                Kind::Folder => {
                    hasher.update(&found.stamp.mode.to_le_bytes());
                }
                Kind::Link | Kind::Other => return None,
            }
        }
        Some(*hasher.finalize().as_bytes())
    }
}

fn below(folder: &Folder, prefix: &str, but: &str) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for entry in folder.entries()? {
        if prefix.is_empty() && entry.name == but {
            continue;
        }
        let (name, kind) = match entry.name.to_str() {
            Some(name) => (name.into(), entry.kind),
            None => (entry.name.to_string_lossy(), Kind::Other),
        };
        found.push(Found {
            path: format!("{prefix}{name}"),
            kind,
            stamp: entry.stamp,
        });
    }
    let folders = found.par_iter().filter(|found| found.kind == Kind::Folder);
    let deeper = folders.map(|found| {
        let name = &found.path[prefix.len()..];
        match folder.folder(Path::new(name)) {
            Ok(folder) => below(&folder, &format!("{}/", found.path), but),
            Err(error) if is_gone(&error) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    });
    let deeper: Vec<Vec<Found>> = deeper.collect::<io::Result<_>>()?;
    found.extend(deeper.into_iter().flatten());
    Ok(found)
}
