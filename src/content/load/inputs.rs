//! (edge) Detects whether a run directory changed since an earlier build.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::file_access::is_hidden;
use crate::discover::RunDirectory;
use base::files::{EntryKind, Stamp, Tree};
use formats::model::FileDigest;

/// A file or folder of a run directory, by which the next build detects changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInput {
    /// Path from the run directory, with `/`.
    path: String,
    /// The stamp; `None` for a folder.
    stamp: Option<Stamp>,
    /// BLAKE3 of the content that was read; `None` if it was not read.
    digest: Option<[u8; 32]>,
}

/// The entries of a run directory; `None` if it can change unnoticed, for example through a link.
pub fn inputs(tree: &Tree) -> Option<Vec<RunInput>> {
    let mut inputs = Some(Vec::new());
    tree.each(&mut |path, found| {
        let stamp = match found.kind {
            EntryKind::File { .. } => Some(found.stamp),
            EntryKind::Folder => None,
            EntryKind::UnlistableFolder | EntryKind::Link | EntryKind::Other => {
                inputs = None;
                return;
            }
        };
        match (&mut inputs, path) {
            (Some(inputs), Some(path)) => inputs.push(RunInput {
                path: path.to_owned(),
                stamp,
                digest: None,
            }),
            _ => inputs = None,
        }
    });
    inputs
}

/// Records the digests of the files that were read.
pub fn note_digests(inputs: &mut [RunInput], digests: &[FileDigest]) {
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

/// The current entries of a run directory if it is unchanged since the scan at `at`: every file has the same stamp, or else the
/// same content. `None` if it changed.
pub fn unchanged(
    directory: &RunDirectory,
    before: &[RunInput],
    mut now: Vec<RunInput>,
    at: i64,
) -> Option<Vec<RunInput>> {
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

/// Whether the files that were read of a run directory still have the content that they had when they were scanned at `at`. Other
/// files and hidden ones do not count, unless they are new: a new file may be read.
pub fn same_content(
    directory: &RunDirectory,
    before: &[RunInput],
    now: &[RunInput],
    at: i64,
) -> bool {
    let folder = std::cell::OnceCell::new();
    let open = || folder.get_or_init(|| super::open(directory).ok()).as_ref();
    let (before, now) = (visible_files(before), visible_files(now));
    let is_same = |was: &RunInput, is: Option<&RunInput>| {
        let (Some(digest), Some(was)) = (was.digest, was.stamp) else {
            return true;
        };
        is.is_some_and(|is| match is.stamp {
            Some(stamp) if stamp == was && !was.is_racy(at) => true,
            Some(stamp) if stamp.bytes == was.bytes => {
                let found = open().and_then(|folder| folder.digest(Path::new(&is.path)));
                found == Some(digest)
            }
            _ => false,
        })
    };
    now.keys().all(|path| before.contains_key(path))
        && before
            .iter()
            .all(|(path, was)| is_same(was, now.get(path).copied()))
}

/// The files that a build may read, by path.
fn visible_files(inputs: &[RunInput]) -> BTreeMap<&str, &RunInput> {
    let files = inputs.iter().filter(|input| input.stamp.is_some());
    let visible = files.filter(|input| !is_hidden(Path::new(&input.path)));
    visible.map(|input| (input.path.as_str(), input)).collect()
}
