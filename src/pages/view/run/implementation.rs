//! The section of a run page for the files that the agent left.

use crate::view::{Link, format};
use base::document;
use formats::model::FileDigest;

use super::CheckedRun;

/// File name of the archive of the files that the agent left, next to the run page.
pub const NAME: &str = "implementation.tar.gz";
/// Maximum files listed: a working tree may have thousands, and `run.json` lists all.
const LISTED: usize = 100;

document! {
    /// An input file.
    pub struct FileView(file: &FileDigest) {
        pub path: String = file.path.clone(),
        pub size: String = format::bytes(file.published_bytes()),
        /// Its digest.
        pub blake3: String = file.published_blake3().to_owned(),
        /// Size and digest of the recorded file, if parts of it are withheld.
        pub recorded: Option<(String, String)> = (file.published.is_some())
            .then(|| (format::bytes(file.bytes), file.blake3.clone())),
    }
}

document! {
    /// The archive of the files that the agent left.
    pub struct ImplementationView(s: &CheckedRun<'_>, bytes: u64)
        let implementation = &s.inspection.implementation;
        let count = implementation.files.len();
    {
        pub archive: Link = Link::new(NAME, s.own_href(NAME)),
        pub size: String = format::bytes(bytes),
        /// `34 files`
        pub count: String = format::count(count, "file"),
        /// Total size of the files.
        pub unpacked: String = format::bytes(implementation.bytes()),
        /// Excluded entries: `2 hidden files or folders and 1 link`.
        pub left_out: Option<String> = (implementation.left_out.total() > 0).then(|| implementation.left_out.words()),
        /// The first files.
        pub files: Vec<FileView> = implementation
            .files
            .iter()
            .take(LISTED)
            .map(|file| FileView::of(&file.digest))
            .collect(),
        /// Number of further files, if not all are listed.
        pub more: Option<String> = format::more(count, LISTED, "file"),
    }
}
