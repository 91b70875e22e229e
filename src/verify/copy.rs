//! (edge) The files of a copy of a site.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use base::files::{EntryKind, Folder, OpenFile, Tree};

/// Bytes per read.
const PIECE: usize = 64 << 10;

/// A copy of a site in a folder. No link in it is followed: it would lead to a file that is not a part of the copy.
#[derive(Debug)]
pub(crate) struct SiteCopy {
    folder: Folder,
    pub(crate) root: PathBuf,
    /// The size of each file, by path.
    pub(crate) files: BTreeMap<String, u64>,
    /// Files of the site that are not in the copy, because it is a sample.
    pub(crate) left_out: BTreeSet<String>,
}

impl SiteCopy {
    /// Lists the files. Everything else in the folder, such as a link, is a problem.
    pub(crate) fn open(root: &Path) -> io::Result<(Self, Vec<Diagnostic>)> {
        let folder = Folder::open(root)?;
        let tree = Tree::of(&folder, "")?;
        let mut files = BTreeMap::new();
        let mut problems = Vec::new();
        tree.each(&mut |path, found| {
            let name = || found.name.to_string_lossy().into_owned();
            match (path, &found.kind) {
                (_, EntryKind::Folder) => {}
                (Some(path), EntryKind::File { .. }) => {
                    files.insert(path.to_owned(), found.stamp.bytes);
                }
                (path, kind) => {
                    let reason = match (path, kind) {
                        (None, _) => "its name is not UTF-8",
                        (_, EntryKind::Link) => "it is a link",
                        (_, EntryKind::UnlistableFolder) => "it is a folder that cannot be listed",
                        _ => "it is not a regular file",
                    };
                    let path = path.map_or_else(name, str::to_owned);
                    problems.push(unreadable(&path, reason));
                }
            }
        });
        let copy = Self {
            folder,
            root: root.to_owned(),
            files,
            left_out: BTreeSet::new(),
        };
        Ok((copy, problems))
    }

    /// Reads a file in pieces.
    pub(crate) fn read_pieces(
        &self,
        path: &str,
        mut each: impl FnMut(&[u8]),
    ) -> Result<(), Diagnostic> {
        let failed = |error: io::Error| unreadable(path, &error.to_string());
        let opened = self.folder.file(Path::new(path));
        let opened = opened.map_err(|fault| unreadable(path, &fault.reason()))?;
        let Some(OpenFile {
            mut file,
            linked: None,
            ..
        }) = opened
        else {
            return Err(unreadable(path, "it is a link, or no longer there"));
        };
        let mut piece = vec![0; PIECE];
        loop {
            match file.read(&mut piece).map_err(failed)? {
                0 => return Ok(()),
                read => each(&piece[..read]),
            }
        }
    }

    pub(crate) fn read(&self, path: &str) -> Result<Vec<u8>, Diagnostic> {
        let mut bytes = Vec::new();
        self.read_pieces(path, |piece| bytes.extend_from_slice(piece))?;
        Ok(bytes)
    }

    /// Reads a file, if it is there. A fault is a problem.
    pub(crate) fn read_some(&self, path: &str, problems: &mut Vec<Diagnostic>) -> Option<Vec<u8>> {
        if !self.files.contains_key(path) {
            return None;
        }
        match self.read(path) {
            Ok(bytes) => Some(bytes),
            Err(problem) => {
                problems.push(problem);
                None
            }
        }
    }
}

/// The problem of a file that the copy lacks.
pub(crate) fn missing(path: &str) -> Diagnostic {
    codes::VERIFY_MISSING_FILE.at(
        Place::file(path),
        format!("{} is missing", quoted(path)),
        "The copy is incomplete, or the file was removed. Get it from the publisher.",
    )
}

fn unreadable(path: &str, reason: &str) -> Diagnostic {
    codes::VERIFY_UNREADABLE_FILE.at(
        Place::file(path),
        format!("{} cannot be read: {reason}", quoted(path)),
        "Copy the site again.",
    )
}
