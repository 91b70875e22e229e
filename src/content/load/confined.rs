//! (edge) Reads one file: whole, within a limit, and never from outside its folder.

use std::path::Path;

use super::pieces;
use super::pieces::{Fault, LongLine};
use base::beneath::{self, Folder, OpenFile};
use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use formats::config::Limits;
use formats::writeup;

/// Where links may point.
pub(super) struct Bounds<'a> {
    /// The folder they must stay in, in words.
    pub(super) folder: &'a str,
    /// Whether a link may point to this path, relative to the folder. Hidden files are never allowed.
    pub(super) allows: &'a dyn Fn(&Path) -> bool,
}

/// The size limits of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct SizeLimit {
    /// Maximum bytes of the file.
    pub(super) bytes: u64,
    /// The key of the limit in `[limits]`.
    pub(super) key: &'static str,
    /// Maximum bytes of a line.
    pub(super) line: Option<u64>,
    /// Bytes of other files of the run that are already in memory.
    pub(super) held: u64,
}

impl SizeLimit {
    pub(super) const fn new(bytes: u64, key: &'static str) -> Self {
        Self {
            bytes,
            key,
            line: None,
            held: 0,
        }
    }

    /// For an event log, a tape, or a file that is read in chunks.
    pub(super) const fn file(limits: &Limits) -> Self {
        Self::new(limits.file, "file")
    }

    /// For a document that is held in memory, with everything derived from it.
    pub(super) const fn document(limits: &Limits) -> Self {
        if limits.document < limits.file {
            Self::new(limits.document, "document")
        } else {
            Self::file(limits)
        }
    }

    /// For a review or prose.
    pub(super) const fn writeup(limits: &Limits) -> Self {
        Self::new(limits.writeup, "writeup")
    }

    /// Reduces the limit to the memory that the run has left.
    pub(super) const fn within_run(self, held: u64, limits: &Limits) -> Self {
        let left = limits.memory.saturating_sub(held);
        if self.bytes <= left {
            return self;
        }
        Self {
            bytes: left,
            key: "memory",
            held,
            ..self
        }
    }

    /// Adds the limit for lines.
    pub(super) const fn lines(self, limits: &Limits) -> Self {
        Self {
            line: Some(limits.line),
            ..self
        }
    }
}

/// Reads a regular file beneath `folder`. `Ok(None)` if missing.
pub(super) fn read(
    folder: &Folder,
    path: &Path,
    shown: &str,
    most: SizeLimit,
    bounds: &Bounds<'_>,
) -> Result<Option<Vec<u8>>, Diagnostic> {
    attempt(folder, path, most, bounds.allows)
        .map_err(|fault| fault.reported(shown, most, bounds.folder))
}

impl Fault {
    /// Converts the fault to a problem of the file at `shown`; links stay in `folder`.
    pub(super) fn reported(&self, shown: &str, most: SizeLimit, folder: &str) -> Diagnostic {
        match self {
            Self::Unreadable(reason) => unreadable(shown, reason),
            Self::Dangling => unreadable(shown, &beneath::Fault::Dangling.reason()),
            Self::Outside => outside(shown, folder),
            Self::Withheld => withheld(shown),
            Self::TooLarge(size) => too_large(shown, *size, most),
            Self::LongLine(line) => long_line(shown, *line, most),
        }
    }
}

/// Like [`read`], for files with their own messages.
pub(super) fn attempt(
    folder: &Folder,
    path: &Path,
    most: SizeLimit,
    allows: &dyn Fn(&Path) -> bool,
) -> Result<Option<Vec<u8>>, Fault> {
    let Some(opened) = open(folder, path, most, allows)? else {
        return Ok(None);
    };
    let size = opened.meta.len();
    pieces::whole(opened.file, size, most.bytes, most.line).map(Some)
}

/// Opens a regular file beneath `folder` that is not larger than `most`. `Ok(None)` if missing.
pub(super) fn open(
    folder: &Folder,
    path: &Path,
    most: SizeLimit,
    allows: &dyn Fn(&Path) -> bool,
) -> Result<Option<OpenFile>, Fault> {
    let Some(opened) = folder.file(path)? else {
        return Ok(None);
    };
    if let Some(at) = &opened.linked
        && (is_hidden(at) || !allows(at))
    {
        return Err(Fault::Withheld);
    }
    if !opened.meta.is_file() {
        return Err(Fault::Unreadable("it is not a regular file".to_owned()));
    }
    match opened.meta.len() {
        size if size > most.bytes => Err(Fault::TooLarge(size)),
        _ => Ok(Some(opened)),
    }
}

/// The folder of assets that Harn's documentation uses.
const HARN_ASSETS: &str = ".harn/assets";

/// Whether a name on the path begins with a dot. Only `.well-known` is visible, and `.harn/assets`, where Harn's hosts put assets
/// (formats.md E).
pub(super) fn is_hidden(path: &Path) -> bool {
    path.strip_prefix(HARN_ASSETS)
        .unwrap_or(path)
        .iter()
        .any(|name| name.as_encoded_bytes().starts_with(b".") && name != ".well-known")
}

fn long_line(shown: &str, line: LongLine, most: SizeLimit) -> Diagnostic {
    let place = Place {
        line: Some(line.number),
        column: Some(1),
        ..Place::file(shown)
    };
    codes::CONTENT_LINE_TOO_LONG.at(
        place,
        format!(
            "The line has {} bytes; the limit is {}",
            line.bytes,
            most.line.unwrap_or(u64::MAX)
        ),
        "Shorten the line, or raise `line` in `[limits]`.",
    )
}

/// Adds the lines of a file to the total of its run, and reports a total over `limit`.
pub(super) fn too_many_lines(
    shown: &str,
    bytes: &[u8],
    lines: &mut usize,
    limit: usize,
) -> Option<Diagnostic> {
    *lines += memchr::memchr_iter(b'\n', bytes).count();
    (*lines > limit).then(|| {
        codes::CONTENT_TOO_MANY_LINES.at(
            Place::file(shown),
            format!("The run has {lines} lines including this file; the limit is {limit}"),
            "Remove files that should not be published, or raise `lines` in `[limits]`.",
        )
    })
}

pub(super) fn unreadable(shown: &str, reason: &str) -> Diagnostic {
    codes::CONTENT_UNREADABLE.at(
        Place::file(shown),
        format!("The file {} cannot be read: {reason}", quoted(shown)),
        "Replace it with a regular, readable file, or remove it.",
    )
}

pub(super) fn outside(shown: &str, folder: &str) -> Diagnostic {
    codes::CONTENT_SYMLINK.at(
        Place::file(shown),
        format!("The link points outside {folder}"),
        format!("Replace the link with the file, or link to a file in {folder}."),
    )
}

fn withheld(shown: &str) -> Diagnostic {
    codes::CONTENT_SYMLINK.at(
        Place::file(shown),
        "The link points at a hidden file, or at a file that a run publishes under its own name or never publishes",
        "Replace the link with the file, or link to a different file.",
    )
}

pub(super) fn too_large(shown: &str, size: u64, most: SizeLimit) -> Diagnostic {
    let SizeLimit {
        bytes, key, held, ..
    } = most;
    let code = match key {
        "writeup" if shown.ends_with(writeup::FILE_NAME) => &codes::REVIEW_TOO_LARGE,
        "writeup" => &codes::PAGE_TOO_LARGE,
        _ => &codes::CONTENT_TOO_LARGE,
    };
    let message = if held > 0 {
        format!(
            "The file has {size} bytes and other files of the run {held}; the limit for both is {}",
            held.saturating_add(bytes)
        )
    } else {
        format!("The file has {size} bytes; the limit is {bytes}")
    };
    code.at(
        Place::file(shown),
        message,
        format!("Make it smaller, or raise `{key}` in `[limits]`."),
    )
}
