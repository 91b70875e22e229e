//! ZIP archives: reads members one at a time, with limits, and writes nothing to disk.

use std::cell::RefCell;
use std::io::Read;

use zip::{CompressionMethod, ZipArchive};

use crate::{Problem, problem};
use base::diagnostics::codes::{IMPORT_INVALID_ARCHIVE, IMPORT_TOO_LARGE};

use super::{Stream, compressed, too_large};

/// Maximum ratio of the total unpacked size to the archive size.
const RATIO: u64 = 100;
/// Total bytes that any archive may unpack to.
const SMALLEST: u64 = 2 << 30;
/// Maximum members of an archive. Logs have some thousands.
const MEMBERS: usize = 100_000;

/// A ZIP archive.
pub struct LogArchive<'s> {
    /// Position in the source, for `Draft::sources`.
    pub position: usize,
    name: &'s str,
    /// The index of each member in the archive.
    members: Vec<usize>,
    names: Vec<String>,
    zip: RefCell<ZipArchive<Box<dyn Stream + 's>>>,
    /// Bytes that may still be unpacked.
    left: RefCell<u64>,
}

impl<'s> LogArchive<'s> {
    pub(super) fn open(
        name: &'s str,
        position: usize,
        stream: Box<dyn Stream + 's>,
        bytes: u64,
    ) -> Result<Self, Problem> {
        let refused = |error: &dyn std::fmt::Display| {
            let message = format!("The file is not a valid ZIP archive: {error}");
            problem(&IMPORT_INVALID_ARCHIVE, name, message, compressed::AGAIN)
        };
        let mut zip = ZipArchive::new(stream).map_err(|error| refused(&error))?;
        let limit = bytes.saturating_mul(RATIO).max(SMALLEST);
        let over = |what: String| {
            let message = format!("The archive holds more than {what}");
            let help = "Split it into several logs with fewer samples each.";
            problem(&IMPORT_TOO_LARGE, name, message, help)
        };
        if zip.len() > MEMBERS {
            return Err(over(format!("{MEMBERS} members")));
        }
        if zip
            .decompressed_size()
            .is_some_and(|size| size > limit.into())
        {
            return Err(over(format!("{} MiB", limit >> 20)));
        }
        if zip
            .has_overlapping_entries()
            .map_err(|error| refused(&error))?
        {
            return Err(refused(&"its members overlap"));
        }
        let mut members: Vec<(String, usize)> = zip
            .file_names_raw()
            .enumerate()
            .map(|(at, name)| (String::from_utf8_lossy(name).into_owned(), at))
            .collect();
        members.sort();
        let (names, members) = members.into_iter().unzip();
        Ok(Self {
            position,
            name,
            members,
            names,
            zip: RefCell::new(zip),
            left: RefCell::new(limit),
        })
    }

    /// The members, sorted. The last of several members with one name wins.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The members whose names begin with a prefix.
    pub fn below(&self, prefix: &str) -> &[String] {
        let start = self.names.partition_point(|name| name.as_str() < prefix);
        let names = &self.names[start..];
        &names[..names.partition_point(|name| name.starts_with(prefix))]
    }

    /// Reads a member that is stored, or compressed with Deflate or Zstandard.
    pub fn read(&self, member: &str) -> Result<Vec<u8>, Problem> {
        let refused = |reason: &dyn std::fmt::Display| {
            let message = format!("Member `{member}` of the archive could not be read: {reason}");
            problem(
                &IMPORT_INVALID_ARCHIVE,
                self.name,
                message,
                compressed::AGAIN,
            )
        };
        let too_large = |limit: u64| {
            let cause = too_large(member, limit);
            let message = format!(
                "Member `{member}` of the archive is too large: {}",
                cause.message
            );
            problem(&IMPORT_TOO_LARGE, self.name, message, &*cause.help)
        };
        let at = self
            .names
            .binary_search_by(|name| name.as_str().cmp(member));
        let at = at.map_err(|_| refused(&"it is missing"))?;
        let mut zip = self.zip.borrow_mut();
        let entry = zip.by_index_raw(self.members[at]);
        let entry = entry.map_err(|error| refused(&error))?;
        let limit = compressed::limit(entry.compressed_size()).min(*self.left.borrow());
        let mut bytes = Vec::new();
        if entry.compression() == CompressionMethod::ZSTD {
            let mut packed = Vec::new();
            // Wrong sizes in the directory must not reserve memory.
            let mut entry = entry.take(limit + 1);
            let read = entry.read_to_end(&mut packed);
            read.map_err(|error| refused(&error))?;
            bytes = compressed::unpack(member, &packed, usize::MAX).map_err(|cause| {
                if cause.code == &IMPORT_TOO_LARGE {
                    too_large(limit)
                } else {
                    refused(&cause.message)
                }
            })?;
        } else {
            drop(entry);
            let entry = zip.by_index(self.members[at]);
            let mut entry = entry.map_err(|error| refused(&error))?.take(limit + 1);
            let read = entry.read_to_end(&mut bytes);
            read.map_err(|error| refused(&error))?;
        }
        if bytes.len() as u64 > limit {
            return Err(too_large(limit));
        }
        *self.left.borrow_mut() -= bytes.len() as u64;
        Ok(bytes)
    }
}
