//! [edge in] How much a run may hold in memory, before any of it is read.

use std::fs::{self, DirEntry, Metadata};
use std::path::Path;

use super::run_files::{Role, role};
use crate::discover::RunDirectory;

/// Bytes of the files of a run directory that are held for the site, payloads of tapes included. `raw.jsonl` is read line by
/// line. What cannot be looked at weighs nothing: reading it reports why.
pub fn weight(directory: &RunDirectory) -> u64 {
    let files = entries(&directory.path).map(|entry| {
        let name = entry.file_name();
        let name = Path::new(&name);
        let is_cas = name.extension().is_some_and(|extension| extension == "cas");
        if is_cas && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            sum(entries(&entry.path()).map(|payload| bytes(&payload)))
        } else if name
            .to_str()
            .and_then(role)
            .is_some_and(|role| role != Role::Raw)
        {
            bytes(&entry)
        } else {
            0
        }
    });
    sum(files)
}

fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// The size of a regular file; a link has none.
fn bytes(entry: &DirEntry) -> u64 {
    let meta = entry.metadata().ok();
    meta.filter(Metadata::is_file).map_or(0, |meta| meta.len())
}

fn sum(mut sizes: impl Iterator<Item = u64>) -> u64 {
    sizes.try_fold(0, u64::checked_add).unwrap_or(u64::MAX)
}
