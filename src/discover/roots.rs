//! [edge in] How the content roots look: one look at them serves to find the runs, and to know which of them changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::RunDirectory;
use crate::beneath::{Folder, Tree};

/// How everything in the content roots looked before anything was read; `None` is a root that cannot be listed.
#[derive(Debug, Default)]
pub struct Roots(BTreeMap<PathBuf, Option<Tree>>);

impl Roots {
    /// Looks through the content roots; `but` is a name directly in them that is no content.
    #[must_use]
    pub fn look(roots: &[PathBuf], but: &str) -> Self {
        let roots = roots.iter().filter_map(|root| root.canonicalize().ok());
        let looked = roots.map(|root| {
            let tree = Folder::open(&root).and_then(|folder| Tree::of(&folder, but));
            (root, tree.ok())
        });
        Self(looked.collect())
    }

    /// What is in a root, by its resolved path.
    pub(super) fn root(&self, root: &Path) -> Option<&Tree> {
        self.0.get(root)?.as_ref()
    }

    /// What is in a run directory.
    pub(crate) fn of(&self, directory: &RunDirectory) -> Option<&Tree> {
        let below = directory.path.strip_prefix(&directory.root).ok()?;
        self.root(&directory.root)?.folder(below)
    }

    /// A digest of how everything looks, if nothing may have changed unseen since `at`.
    pub(crate) fn digest(&self, at: i64) -> Option<[u8; 32]> {
        let mut hasher = blake3::Hasher::new();
        for (root, tree) in &self.0 {
            let root = root.as_os_str().as_encoded_bytes();
            hasher.update(&(root.len() as u64).to_le_bytes());
            hasher.update(root);
            hasher.update(&tree.as_ref()?.digest(at)?);
        }
        Some(*hasher.finalize().as_bytes())
    }
}
