//! (edge) Reads one file: whole, within a limit, and never from outside its folder.

use std::path::Path;

use super::chunks::{self, LoadError, LongLine};
use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use base::files::{Folder, OpenError, OpenFile};
use formats::config::Limits;
use formats::writeup;

/// Restricts where links may point.
pub(super) struct LinkBounds<'a> {
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
    pub(super) in_memory: u64,
}

impl SizeLimit {
    pub(super) const fn new(bytes: u64, key: &'static str) -> Self {
        Self {
            bytes,
            key,
            line: None,
            in_memory: 0,
        }
    }

    /// For an event log, a tape, or a file that is read in chunks.
    pub(super) const fn file(limits: &Limits) -> Self {
        Self::new(limits.file, "file")
    }

    /// For a document that is in memory as a whole, with everything derived from it.
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

    /// Reduces the limit to the memory that is left for the run.
    pub(super) const fn within_run(self, in_memory: u64, limits: &Limits) -> Self {
        let left = limits.memory.saturating_sub(in_memory);
        if self.bytes <= left {
            return self;
        }
        Self {
            bytes: left,
            key: "memory",
            in_memory,
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
    limit: SizeLimit,
    bounds: &LinkBounds<'_>,
) -> Result<Option<Vec<u8>>, Diagnostic> {
    try_read(folder, path, limit, bounds.allows)
        .map_err(|fault| fault.to_diagnostic(shown, limit, bounds.folder))
}

impl LoadError {
    /// The problem of the file at `shown`, whose links must stay in `folder`.
    pub(super) fn to_diagnostic(&self, shown: &str, limit: SizeLimit, folder: &str) -> Diagnostic {
        match self {
            Self::Unreadable(reason) => unreadable(shown, reason),
            Self::Dangling => unreadable(shown, &OpenError::Dangling.reason()),
            Self::Outside => outside(shown, folder),
            Self::Withheld => forbidden_target(shown),
            Self::TooLarge(size) => too_large(shown, *size, limit),
            Self::LongLine(line) => long_line(shown, *line, limit),
        }
    }
}

/// Like [`read`], for files whose problems have messages of their own.
pub(super) fn try_read(
    folder: &Folder,
    path: &Path,
    limit: SizeLimit,
    allows: &dyn Fn(&Path) -> bool,
) -> Result<Option<Vec<u8>>, LoadError> {
    let Some(opened) = open(folder, path, limit, allows)? else {
        return Ok(None);
    };
    let size = opened.meta.len();
    chunks::read_whole(opened.file, size, limit.bytes, limit.line).map(Some)
}

/// Opens a regular file beneath `folder` that is not larger than `limit`. `Ok(None)` if missing.
pub(super) fn open(
    folder: &Folder,
    path: &Path,
    limit: SizeLimit,
    allows: &dyn Fn(&Path) -> bool,
) -> Result<Option<OpenFile>, LoadError> {
    let Some(opened) = folder.file(path)? else {
        return Ok(None);
    };
    if let Some(at) = &opened.linked
        && (is_hidden(at) || !allows(at))
    {
        return Err(LoadError::Withheld);
    }
    if !opened.meta.is_file() {
        return Err(LoadError::Unreadable("it is not a regular file".to_owned()));
    }
    match opened.meta.len() {
        size if size > limit.bytes => Err(LoadError::TooLarge(size)),
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

fn long_line(shown: &str, line: LongLine, limit: SizeLimit) -> Diagnostic {
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
            limit.line.unwrap_or(u64::MAX)
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

fn forbidden_target(shown: &str) -> Diagnostic {
    codes::CONTENT_SYMLINK.at(
        Place::file(shown),
        "The link points at a hidden file, or at a file that a run publishes under its own name or never publishes",
        "Replace the link with the file, or link to a different file.",
    )
}

pub(super) fn too_large(shown: &str, size: u64, limit: SizeLimit) -> Diagnostic {
    let SizeLimit {
        bytes,
        key,
        in_memory,
        ..
    } = limit;
    let code = match key {
        "writeup" if shown.ends_with(writeup::FILE_NAME) => &codes::REVIEW_TOO_LARGE,
        "writeup" => &codes::PAGE_TOO_LARGE,
        _ => &codes::CONTENT_TOO_LARGE,
    };
    let message = if in_memory > 0 {
        format!(
            "The file has {size} bytes and other files of the run {in_memory}; the limit for both is {}",
            in_memory.saturating_add(bytes)
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
