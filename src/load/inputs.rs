//! [edge in] Whether a run directory holds what it held at an earlier build.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::beneath::{Kind, Stamp, Tree};
use crate::discover::RunDirectory;
use crate::model::FileDigest;

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

/// What is in a run directory; `None` when it may change unseen, as what a link leads to does.
pub(crate) fn inputs(tree: &Tree) -> Option<Vec<Input>> {
    let mut inputs = Some(Vec::new());
    tree.each(&mut |path, found| {
        let stamp = match found.kind {
            Kind::File { .. } => Some(found.stamp),
            Kind::Folder => None,
            Kind::Sealed | Kind::Link | Kind::Other => {
                inputs = None;
                return;
            }
        };
        match (&mut inputs, path) {
            (Some(inputs), Some(path)) => inputs.push(Input {
                path: path.to_owned(),
                stamp,
                digest: None,
            }),
            _ => inputs = None,
        }
    });
    inputs
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

/// Whether a run directory holds files of the same names and sizes; what is hidden is no part of a run.
pub(crate) fn looks_alike(before: &[Input], now: &[Input]) -> bool {
    let is_hidden = |path: &str| path.split('/').any(|name| name.starts_with('.'));
    let files = |inputs: &[Input]| {
        let inputs = inputs.iter().filter(|input| !is_hidden(&input.path));
        let sizes = inputs.filter_map(|input| Some((input.path.clone(), input.stamp?.bytes)));
        sizes.collect::<Vec<_>>()
    };
    files(before) == files(now)
}
