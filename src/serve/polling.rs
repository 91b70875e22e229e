//! File stamps, for systems that report no changes: comparing two snapshots shows what changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub(super) type FileStamps = BTreeMap<PathBuf, FileStamp>;

/// A stamp that changes with a file. Times alone are not enough: a file may be saved twice in one clock tick, or be replaced by
/// an older one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileStamp {
    /// Size and modification time; files only, since the contents of a folder are compared themselves.
    written: Option<(u64, Option<SystemTime>)>,
    /// Inode and, for a file, the time of its last change.
    identity: Option<(u64, i64, i64)>,
}

impl FileStamp {
    fn of(meta: &Metadata) -> Self {
        let is_file = !meta.is_dir();
        Self {
            written: is_file.then(|| (meta.len(), meta.modified().ok())),
            identity: identity(meta, is_file),
        }
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "as on other systems")]
fn identity(meta: &Metadata, is_file: bool) -> Option<(u64, i64, i64)> {
    use std::os::unix::fs::MetadataExt;
    let (seconds, nanoseconds) = if is_file {
        (meta.ctime(), meta.ctime_nsec())
    } else {
        (0, 0)
    };
    Some((meta.ino(), seconds, nanoseconds))
}

#[cfg(not(unix))]
fn identity(_: &Metadata, _: bool) -> Option<(u64, i64, i64)> {
    None
}

/// The stamps of `folder`, down to `depth`. Skips unreadable files, linked folders, and folders that `enters` rejects.
pub(super) fn snapshot(folder: &Path, depth: usize, enters: impl Fn(&Path) -> bool) -> FileStamps {
    walkdir::WalkDir::new(folder)
        .min_depth(1)
        .max_depth(depth)
        .follow_links(false)
        .into_iter()
        .filter_entry(|entry| {
            entry.depth() == 0 || !entry.file_type().is_dir() || enters(entry.path())
        })
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let stamp = FileStamp::of(&entry.metadata().ok()?);
            Some((entry.into_path(), stamp))
        })
        .collect()
}

/// The paths that were added, removed or changed.
pub(super) fn differences(before: &FileStamps, after: &FileStamps) -> BTreeSet<PathBuf> {
    let paths = before.keys().chain(after.keys());
    paths
        .filter(|path| before.get(*path) != after.get(*path))
        .cloned()
        .collect()
}
