//! [edge in] Knows the fingerprint of a run directory: it changes with the files, and none of them is read for it.

use std::fs;

use crate::discover::RunDirectory;

/// A digest of the names, sizes and times of all files of a run directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

/// The fingerprint of a run directory; `None` when a file cannot be examined, or is a link: its target may change unseen.
#[must_use]
pub fn fingerprint(directory: &RunDirectory) -> Option<Fingerprint> {
    let mut hasher = blake3::Hasher::new();
    for entry in walkdir::WalkDir::new(&directory.path).sort_by_file_name() {
        let entry = entry.ok()?;
        let meta = entry.metadata().ok()?;
        if meta.is_symlink() {
            return None;
        }
        let below = entry.path().strip_prefix(&directory.path).ok()?;
        let name = below.as_os_str().as_encoded_bytes();
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name);
        hasher.update(&[u8::from(meta.is_dir())]);
        if !meta.is_dir() {
            hasher.update(format!("{} {}", meta.len(), times(&meta)?).as_bytes());
        }
    }
    Some(Fingerprint(*hasher.finalize().as_bytes()))
}

/// When a file was written and, where the system knows, when anything about it changed.
#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "as on other systems")]
fn times(meta: &fs::Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    Some(format!(
        "{} {} {} {} {} {}",
        meta.ino(),
        meta.mode(),
        meta.mtime(),
        meta.mtime_nsec(),
        meta.ctime(),
        meta.ctime_nsec()
    ))
}

#[cfg(not(unix))]
fn times(meta: &fs::Metadata) -> Option<String> {
    Some(format!("{:?}", meta.modified().ok()?))
}
