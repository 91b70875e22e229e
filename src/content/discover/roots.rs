//! (edge) Lists the content roots once, to find the runs and to detect which of them changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::RunDirectory;
use base::files::{Folder, Tree};

/// The listings of the content roots before anything was read; `None` for a root that cannot be listed.
#[derive(Debug, Default)]
pub struct ContentRoots {
    trees: BTreeMap<PathBuf, Option<Tree>>,
    /// Resolved paths of mirrors: folders that stand for a content root and have only its records.
    mirrors: BTreeSet<PathBuf>,
    /// The digest of the listings that were dropped.
    dropped_digest: Option<[u8; 32]>,
}

impl ContentRoots {
    /// Lists the content roots, except entries named `but` directly in them.
    pub fn list(roots: &[PathBuf], but: &str) -> Self {
        let roots = roots.iter().filter_map(|root| root.canonicalize().ok());
        let listed = roots.map(|root| {
            let tree = Folder::open(&root).and_then(|folder| Tree::of(&folder, but));
            (root, tree.ok())
        });
        Self {
            trees: listed.collect(),
            mirrors: BTreeSet::new(),
            dropped_digest: None,
        }
    }

    /// Adds mirrors of content roots, which hold only records.
    pub fn with_mirrors(mut self, mirrors: &[PathBuf]) -> Self {
        let listed = Self::list(mirrors, "");
        self.mirrors = listed.trees.keys().cloned().collect();
        self.trees.extend(listed.trees);
        self
    }

    /// Whether this machine has only the record of a run.
    pub fn has_only_record(&self, directory: &RunDirectory) -> bool {
        self.mirrors.contains(&*directory.root)
    }

    /// The listing of a root, by its resolved path.
    pub(super) fn root(&self, root: &Path) -> Option<&Tree> {
        self.trees.get(root)?.as_ref()
    }

    /// The listing of a run directory.
    pub fn of(&self, directory: &RunDirectory) -> Option<&Tree> {
        self.root(&directory.root)?.folder(directory.below())
    }

    /// Replaces the listings with their digest.
    pub fn drop_listings(&mut self) {
        self.dropped_digest = self.digest(i64::MAX);
        self.trees.clear();
    }

    /// The digest of the dropped listings.
    pub const fn dropped_digest(&self) -> Option<[u8; 32]> {
        self.dropped_digest
    }

    /// A digest of the listings, unless a file may have changed unnoticed since `at`.
    pub fn digest(&self, at: i64) -> Option<[u8; 32]> {
        let mut hasher = blake3::Hasher::new();
        for (root, tree) in &self.trees {
            let root = root.as_os_str().as_encoded_bytes();
            hasher.update(&(root.len() as u64).to_le_bytes());
            hasher.update(root);
            hasher.update(&tree.as_ref()?.digest(at)?);
        }
        Some(*hasher.finalize().as_bytes())
    }
}
