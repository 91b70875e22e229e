//! Memory use of a run, computed before any of it is read.

use std::ffi::OsStr;
use std::path::Path;

use super::run_files::{Role, role};
use base::beneath::{Found, Kind, Tree};
use formats::run_record;

/// Bytes of a run directory's files that are held in memory, including tape payloads. `raw.jsonl` is read line by line and does
/// not count. Inaccessible files count as 0: reading them reports why.
pub fn weight(directory: &Tree) -> u64 {
    let files = directory.found().iter().map(|found| {
        let name = Path::new(&found.name);
        let is_cas = name.extension().is_some_and(|extension| extension == "cas");
        if is_cas && found.kind == Kind::Folder {
            sum(found.below.found().iter().map(bytes))
        } else if name
            .to_str()
            .and_then(role)
            .is_some_and(|role| role != Role::Raw)
        {
            bytes(found)
        } else {
            0
        }
    });
    sum(files)
}

/// Bytes of the record in a run directory.
pub fn record_size(directory: &Tree) -> u64 {
    let found = directory.get(OsStr::new(run_record::FILE_NAME));
    found.map_or(0, bytes)
}

/// The size of a regular file; 0 for a link.
fn bytes(found: &Found) -> u64 {
    match found.kind {
        Kind::File { .. } => found.stamp.bytes,
        _ => 0,
    }
}

fn sum(mut sizes: impl Iterator<Item = u64>) -> u64 {
    sizes.try_fold(0, u64::checked_add).unwrap_or(u64::MAX)
}
