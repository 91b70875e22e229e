//! The section of a run page for the files that the agent left.

use serde::Serialize;

use crate::view::{Link, format};
use formats::model::FileDigest;

use super::CheckedRun;

/// File name of the archive of the files that the agent left, next to the run page.
pub const NAME: &str = "implementation.tar.gz";
/// Maximum files listed: a working tree may have thousands, and `run.json` lists all.
const LISTED: usize = 100;

/// An input file.
#[derive(Debug, Serialize)]
pub struct FileView {
    pub path: String,
    pub size: String,
    /// Its digest.
    pub blake3: String,
    /// Size and digest of the recorded file, if parts of it are withheld.
    pub recorded: Option<(String, String)>,
}

pub(super) fn file_view(file: &FileDigest) -> FileView {
    FileView {
        path: file.path.clone(),
        size: format::bytes(file.published_bytes()),
        blake3: file.published_blake3().to_owned(),
        recorded: (file.published.is_some())
            .then(|| (format::bytes(file.bytes), file.blake3.clone())),
    }
}

/// The archive of the files that the agent left.
#[derive(Debug, Serialize)]
pub struct ImplementationView {
    pub archive: Link,
    pub size: String,
    /// `34 files`
    pub count: String,
    /// Total size of the files.
    pub unpacked: String,
    /// Excluded entries: `2 hidden files or folders and 1 link`.
    pub left_out: Option<String>,
    /// The first files.
    pub files: Vec<FileView>,
    /// Number of further files, if not all are listed.
    pub more: Option<String>,
}

pub(super) fn implementation(s: &CheckedRun<'_>, bytes: u64) -> ImplementationView {
    let held = &s.inspection.implementation;
    let count = held.files.len();
    ImplementationView {
        archive: Link::new(NAME, s.own_href(NAME)),
        size: format::bytes(bytes),
        count: format::count(count, "file"),
        unpacked: format::bytes(held.bytes()),
        left_out: (held.left_out.total() > 0).then(|| held.left_out.words()),
        files: held
            .files
            .iter()
            .take(LISTED)
            .map(|file| file_view(&file.digest))
            .collect(),
        more: format::more(count, LISTED, "file"),
    }
}
