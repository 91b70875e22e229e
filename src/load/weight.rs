//! [edge in] Knows how much a run may hold in memory, before any of it is read.

use std::path::Path;

use walkdir::WalkDir;

use super::run_files::role;
use crate::discover::RunDirectory;

/// Bytes of the files of a run directory that are read for the site, payloads of tapes included. What cannot be looked at
/// weighs nothing: reading it reports why.
#[must_use]
pub fn weight(directory: &RunDirectory) -> u64 {
    let files = WalkDir::new(&directory.path)
        .min_depth(1)
        .max_depth(2)
        .follow_links(false);
    let is_read = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_str().unwrap_or_default();
        match (entry.depth(), entry.file_type().is_dir()) {
            (1, true) => Path::new(name)
                .extension()
                .is_some_and(|extension| extension == "cas"),
            (1, false) => role(name).is_some(),
            (_, is_folder) => !is_folder,
        }
    };
    let entries = files.into_iter().filter_entry(is_read).flatten();
    let sizes = entries
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| entry.metadata().ok())
        .map(|meta| meta.len());
    sizes.fold(0, u64::saturating_add)
}
