//! [edge in] What the content roots hold, and whether a run directory holds what it held at an earlier build.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::beneath::{Folder, Kind, Stamp, Tree};
use crate::discover::RunDirectory;
use crate::model::FileDigest;

/// How everything in the content roots looked before anything was read.
#[derive(Debug, Default)]
pub(crate) struct Inputs(BTreeMap<PathBuf, Option<Tree>>);

/// A file or folder of a run directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Input {
    /// From the run directory, with `/`.
    path: String,
    /// `None`: a folder.
    stamp: Option<Stamp>,
    /// BLAKE3 of what was read of it; `None` when it was not.
    digest: Option<[u8; 32]>,
}

impl Inputs {
    /// Looks through the content roots; `but` is a name directly in them that is no content.
    pub(crate) fn look(roots: &[PathBuf], but: &str) -> Self {
        let roots = roots.iter().filter_map(|root| root.canonicalize().ok());
        let looked = roots.map(|root| {
            let tree = Folder::open(&root).and_then(|folder| Tree::of(&folder, but));
            (root, tree.ok())
        });
        Self(looked.collect())
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

    /// What is in a run directory; `None` when it may change unseen, as what a link leads to does.
    pub(crate) fn of(&self, directory: &RunDirectory) -> Option<Vec<Input>> {
        let tree = self.0.get(&directory.root)?.as_ref()?;
        let below = directory.path.strip_prefix(&directory.root).ok()?;
        let below = below.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
        let skipped = if below.is_empty() { 0 } else { below.len() + 1 };
        let found = tree.below(&below).iter().map(|found| {
            let stamp = match found.kind {
                Kind::File { .. } => Some(found.stamp),
                Kind::Folder => None,
                Kind::Link | Kind::Other => return None,
            };
            Some(Input {
                path: found.path[skipped..].to_owned(),
                stamp,
                digest: None,
            })
        });
        found.collect()
    }
}

/// Notes what was read of the files of a run.
pub(crate) fn note_digests(inputs: &mut [Input], digests: &[FileDigest]) {
    let digests: BTreeMap<&str, &str> = digests
        .iter()
        .map(|digest| (digest.path.as_str(), digest.blake3.as_str()))
        .collect();
    for input in inputs {
        let digest = digests.get(input.path.as_str());
        let digest = digest.and_then(|hex| blake3::Hash::from_hex(hex).ok());
        input.digest = digest.map(Into::into);
    }
}

/// Whether a run directory holds what it held: every file looks the same, or else holds the same. `at` is when it was
/// looked at. Gives what it holds as it looks now.
pub(crate) fn unchanged(
    directory: &RunDirectory,
    before: &[Input],
    mut now: Vec<Input>,
    at: i64,
) -> Option<Vec<Input>> {
    let folder = std::cell::OnceCell::new();
    let open = || folder.get_or_init(|| super::open(directory).ok()).as_ref();
    if before.len() != now.len() {
        return None;
    }
    for (before, now) in before.iter().zip(&mut now) {
        let is_same = before.path == now.path
            && match (before.stamp, now.stamp) {
                (None, None) => true,
                (Some(was), Some(is)) if was == is && !was.is_racy(at) => true,
                (Some(was), Some(is)) if (was.bytes, was.mode) == (is.bytes, is.mode) => {
                    let digest = open().and_then(|folder| folder.digest(Path::new(&now.path)));
                    digest.is_some() && digest == before.digest
                }
                _ => false,
            };
        if !is_same {
            return None;
        }
        now.digest = before.digest;
    }
    Some(now)
}
