//! How a file looks without being read: when this is the same, so is the file.

use std::fs::Metadata;

use serde::{Deserialize, Serialize};

/// Size, identity and times of a file. Times are nanoseconds since 1970-01-01 UTC. It is packed since one is held of every file of
/// the content and of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C, packed(4))]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    /// Kind and permissions; 0 where the system has none.
    pub(crate) mode: u32,
    inode: u64,
    modified: i64,
    /// When anything about it changed, its name included. No program sets this time.
    changed: i64,
}

/// Some file systems keep only whole, or even, seconds.
const COARSE: i64 = 2_000_000_000;
const SECOND: i64 = 1_000_000_000;

impl Stamp {
    /// For how long the clock of a file system may stay the same, in nanoseconds: on Linux up to 10 ms.
    pub(crate) const TICK: i64 = 20_000_000;

    /// Whether the file may have been written again without looking different, when it was looked at after `now`, which is
    /// the time of another file that was just written.
    pub(crate) fn is_racy(&self, now: i64) -> bool {
        let newest = self.modified.max(self.changed);
        let tick = if newest % SECOND == 0 {
            COARSE
        } else {
            Self::TICK
        };
        newest.saturating_add(tick) >= now
    }

    /// Whether the owner of a folder may not change what is in it.
    pub(crate) const fn is_locked(&self) -> bool {
        const CHANGE: u32 = 0o700;
        cfg!(unix) && self.mode & CHANGE != CHANGE
    }

    /// Whether this is the same file with the same content under another name: only the time of the name may differ.
    pub(crate) fn is_moved_from(&self, before: &Self) -> bool {
        let changed = before.changed;
        Self { changed, ..*self } == *before
    }

    /// Puts everything into a digest.
    pub(crate) fn hash_into(&self, hasher: &mut blake3::Hasher) {
        hasher.update(&self.bytes.to_le_bytes());
        hasher.update(&self.mode.to_le_bytes());
        hasher.update(&self.inode.to_le_bytes());
        hasher.update(&self.modified.to_le_bytes());
        hasher.update(&self.changed.to_le_bytes());
    }

    #[cfg(unix)]
    pub(crate) fn of(meta: &Metadata) -> Self {
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
    pub(crate) fn of(meta: &Metadata) -> Self {
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
