//! The stamp of a file from its metadata: if it is equal, the file is unchanged.

use std::fs::Metadata;

use serde::{Deserialize, Serialize};

/// Size, identity and times of a file, in nanoseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    pub bytes: u64,
    /// Type and permissions; 0 on systems without them.
    pub mode: u32,
    inode: u64,
    modified: i64,
    /// The time of the last change, renames included. No program can set this time.
    changed: i64,
}

/// Some file systems store only whole, or even, seconds.
const COARSE: i64 = 2_000_000_000;
const SECOND: i64 = 1_000_000_000;

impl Stamp {
    /// Upper bound of a file system clock's resolution, in nanoseconds; Linux has at most 10 ms.
    pub const TICK: i64 = 20_000_000;

    /// Whether a later write may have left the stamp unchanged. `now` is the time of a file written just before this one was
    /// looked at.
    pub fn is_racy(&self, now: i64) -> bool {
        let newest = self.modified.max(self.changed);
        let tick = if newest % SECOND == 0 {
            COARSE
        } else {
            Self::TICK
        };
        newest.saturating_add(tick) >= now
    }

    /// Whether the owner lacks permission to change the entries of the folder.
    pub const fn is_locked(&self) -> bool {
        const CHANGE: u32 = 0o700;
        cfg!(unix) && self.mode & CHANGE != CHANGE
    }

    /// Whether this is the same file with the same content under another name: only the change time may differ.
    pub fn is_moved_from(&self, before: &Self) -> bool {
        let changed = before.changed;
        Self { changed, ..*self } == *before
    }

    /// Adds everything to a digest.
    pub fn hash_into(&self, hasher: &mut blake3::Hasher) {
        hasher.update(&self.bytes.to_le_bytes());
        hasher.update(&self.mode.to_le_bytes());
        hasher.update(&self.inode.to_le_bytes());
        hasher.update(&self.modified.to_le_bytes());
        hasher.update(&self.changed.to_le_bytes());
    }

    #[cfg(unix)]
    pub fn of(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            bytes: meta.len(),
            mode: meta.mode(),
            inode: meta.ino(),
            modified: nanoseconds(meta.mtime(), meta.mtime_nsec()),
            changed: nanoseconds(meta.ctime(), meta.ctime_nsec()),
        }
    }

    #[cfg(not(unix))]
    pub fn of(meta: &Metadata) -> Self {
        let since = |time: std::io::Result<std::time::SystemTime>| {
            let since = time.ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
            i64::try_from(since.as_nanos()).ok()
        };
        let modified = since(meta.modified()).unwrap_or(i64::MAX);
        Self {
            bytes: meta.len(),
            mode: 0,
            inode: 0,
            modified,
            changed: modified,
        }
    }

    #[cfg(unix)]
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_fallible_conversions,
        reason = "the types differ from system to system"
    )]
    pub(super) fn of_stat(stat: &rustix::fs::Stat) -> Self {
        Self {
            bytes: u64::try_from(stat.st_size).unwrap_or_default(),
            mode: u32::from(stat.st_mode),
            inode: u64::from(stat.st_ino),
            modified: nanoseconds(
                stat.st_mtime,
                i64::try_from(stat.st_mtime_nsec).unwrap_or_default(),
            ),
            changed: nanoseconds(
                stat.st_ctime,
                i64::try_from(stat.st_ctime_nsec).unwrap_or_default(),
            ),
        }
    }
}

#[cfg(unix)]
const fn nanoseconds(seconds: i64, nanoseconds: i64) -> i64 {
    seconds.saturating_mul(SECOND).saturating_add(nanoseconds)
}
