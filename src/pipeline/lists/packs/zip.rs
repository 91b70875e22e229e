//! The layout of a ZIP archive of compressed members. Sizes are known, so the archive is written in one pass.

/// A member of an archive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    /// Path in the archive.
    pub(super) path: &'a str,
    pub(super) crc32: u32,
    /// Size after DEFLATE, in bytes.
    pub(super) packed: u64,
    pub(super) bytes: u64,
}

/// The headers of an archive. Timestamps are constant, so the same members give the same bytes.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The local header of each member, and the offset of its content.
    pub(super) heads: Vec<(Vec<u8>, u64)>,
    /// The central directory and the end record.
    pub(super) end: Vec<u8>,
}

/// The version of the format that DEFLATE needs.
const VERSION: u16 = 20;
/// Version 2.0, and attributes of Unix.
const MADE_BY: u16 = 3 << 8 | VERSION;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
const DEFLATE: u16 = 8;
/// Midnight of 1980-01-01, the first day of the format.
const TIME: u16 = 0;
const DAY: u16 = 1 << 5 | 1;
/// A regular file, readable by all.
const MODE: u32 = 0o100_644 << 16;

impl Layout {
    /// The layout for these members; `None` if the archive exceeds 4 GiB or 65,535 members.
    pub(super) fn of<'a>(entries: impl Iterator<Item = Entry<'a>>) -> Option<Self> {
        let mut layout = Self::default();
        let mut directory = Vec::new();
        let mut at = 0_u64;
        for entry in entries {
            let begin = u32::try_from(at).ok()?;
            let fields = fields(entry)?;
            let mut head = b"PK\x03\x04".to_vec();
            head.extend(VERSION.to_le_bytes());
            head.extend(&fields);
            // No extra fields.
            head.extend([0; 2]);
            head.extend(entry.path.as_bytes());
            directory.extend(b"PK\x01\x02");
            directory.extend(MADE_BY.to_le_bytes());
            directory.extend(VERSION.to_le_bytes());
            directory.extend(&fields);
            // No extra fields, no comment, first disk, binary.
            directory.extend([0; 8]);
            directory.extend(MODE.to_le_bytes());
            directory.extend(begin.to_le_bytes());
            directory.extend(entry.path.as_bytes());
            let content = at + head.len() as u64;
            at = content.checked_add(entry.packed)?;
            layout.heads.push((head, content));
        }
        let count = u16::try_from(layout.heads.len()).ok()?.to_le_bytes();
        let bytes = u32::try_from(directory.len()).ok()?;
        let begin = u32::try_from(at).ok()?;
        begin.checked_add(bytes)?;
        directory.extend(b"PK\x05\x06\0\0\0\0");
        directory.extend(count);
        directory.extend(count);
        directory.extend(bytes.to_le_bytes());
        directory.extend(begin.to_le_bytes());
        // No comment.
        directory.extend([0; 2]);
        layout.end = directory;
        Some(layout)
    }
}

/// The fields that the local header and the central directory share.
fn fields(entry: Entry<'_>) -> Option<Vec<u8>> {
    let mut fields = Vec::new();
    for field in [FLAGS, DEFLATE, TIME, DAY] {
        fields.extend(field.to_le_bytes());
    }
    let (packed, bytes) = (u32::try_from(entry.packed), u32::try_from(entry.bytes));
    for field in [entry.crc32, packed.ok()?, bytes.ok()?] {
        fields.extend(field.to_le_bytes());
    }
    fields.extend(u16::try_from(entry.path.len()).ok()?.to_le_bytes());
    Some(fields)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read, Write};

    use super::*;

    #[test]
    fn another_reader_finds_every_member_and_its_content_where_the_layout_says() {
        let contents = [
            ("a/events.jsonl", "x".repeat(9_000)),
            ("b/模型.tape", String::new()),
        ];
        let packed = contents.each_ref().map(|(_, text)| {
            let level = flate2::Compression::new(6);
            let mut out = flate2::write::DeflateEncoder::new(Vec::new(), level);
            out.write_all(text.as_bytes()).expect("memory");
            out.finish().expect("memory")
        });
        let entries = contents.iter().zip(&packed).map(|((path, text), packed)| {
            let mut crc = flate2::Crc::new();
            crc.update(text.as_bytes());
            Entry {
                path,
                crc32: crc.sum(),
                packed: packed.len() as u64,
                bytes: text.len() as u64,
            }
        });
        let layout = Layout::of(entries).expect("a small archive");
        let mut bytes = Vec::new();
        for ((head, content), packed) in layout.heads.iter().zip(&packed) {
            bytes.extend(head);
            assert_eq!(bytes.len() as u64, *content);
            bytes.extend(packed);
        }
        bytes.extend(&layout.end);
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
        assert_eq!(archive.len(), 2);
        for (path, text) in &contents {
            let mut file = archive.by_name(path).expect("a member");
            let mut found = String::new();
            file.read_to_string(&mut found).expect("its content");
            assert!(
                found == *text && file.unix_mode() == Some(0o100_644),
                "{path}"
            );
        }
    }

    #[test]
    fn an_archive_that_the_format_cannot_hold_is_refused() {
        let entry = Entry {
            path: "a",
            crc32: 0,
            packed: 1,
            bytes: 1,
        };
        assert!(Layout::of(std::iter::repeat_n(entry, 65_535)).is_some());
        assert!(Layout::of(std::iter::repeat_n(entry, 65_536)).is_none());
        let large = Entry {
            packed: u64::from(u32::MAX) - 200,
            ..entry
        };
        assert!(Layout::of([large].into_iter()).is_some());
        assert!(
            Layout::of(
                [
                    large,
                    Entry {
                        packed: 100,
                        ..entry
                    }
                ]
                .into_iter()
            )
            .is_none()
        );
    }
}
