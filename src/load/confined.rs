//! [edge in] Knows how one file is read: whole, within a limit, and never from outside its root.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::Loaded;
use crate::diagnostics::text::quoted;
use crate::diagnostics::{Diagnostic, Place, codes};
use crate::formats::writeup;

/// Why a file was not read.
#[derive(Debug)]
pub(super) enum Fault {
    /// The reason, as a clause.
    Unreadable(String),
    /// It is a link that leads out of its root.
    Outside,
    /// Its size in bytes.
    TooLarge(u64),
}

impl Fault {
    fn of(error: &std::io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// Reads a regular file of the content that stands below `root`, links resolved. `Ok(None)`: it is not there.
///
/// # Errors
/// The file cannot be read, is larger than `limit` bytes, or lies outside `root`.
pub(super) fn read(
    root: &Path,
    path: &Path,
    shown: &str,
    limit: u64,
) -> Result<Option<Vec<u8>>, Diagnostic> {
    attempt(root, path, limit).map_err(|fault| match fault {
        Fault::Unreadable(reason) => unreadable(shown, &reason),
        Fault::Outside => outside(shown),
        Fault::TooLarge(size) => too_large(shown, size, limit),
    })
}

/// As [`read`], for files that have words of their own for what went wrong.
///
/// # Errors
/// As [`read`].
pub(super) fn attempt(root: &Path, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Fault> {
    let gone = |error: &std::io::Error| {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        matches!(error.kind(), NotFound | NotADirectory)
    };
    let meta = match path.symlink_metadata() {
        Ok(meta) if !meta.is_symlink() => meta,
        Ok(_) => {
            let target = path.canonicalize().map_err(|error| Fault::of(&error))?;
            if !target.starts_with(root) {
                return Err(Fault::Outside);
            }
            target.metadata().map_err(|error| Fault::of(&error))?
        }
        Err(error) if gone(&error) => return Ok(None),
        Err(error) => return Err(Fault::of(&error)),
    };
    // Opening a pipe or a device would wait for ever.
    if !meta.is_file() {
        return Err(Fault::Unreadable("it is not a regular file".to_owned()));
    }
    if meta.len() > limit {
        return Err(Fault::TooLarge(meta.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or_default() + 1);
    File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(|error| Fault::of(&error))?;
    if bytes.len() as u64 > limit {
        return Err(Fault::TooLarge(bytes.len() as u64));
    }
    Ok(Some(bytes))
}

/// The first line of a file that is longer than `limit` bytes.
pub(super) fn long_line(file: &Loaded, limit: u64) -> Option<Diagnostic> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if file.bytes.len() <= limit {
        return None;
    }
    let mut start = 0;
    for (end, number) in memchr::memchr_iter(b'\n', &file.bytes)
        .chain([file.bytes.len()])
        .zip(1..)
    {
        if end - start > limit {
            let place = Place {
                line: Some(number),
                column: Some(1),
                ..Place::file(&file.shown)
            };
            return Some(codes::CONTENT_LINE_TOO_LONG.at(
                place,
                format!(
                    "The line is {} bytes long; the limit is {limit}",
                    end - start
                ),
                "Shorten the line, or raise `line` in `[limits]`.",
            ));
        }
        start = end + 1;
    }
    None
}

/// Adds the lines of a file to those that other files of its run have, and reports when that is more than `limit`.
pub(super) fn too_many_lines(file: &Loaded, lines: &mut usize, limit: usize) -> Option<Diagnostic> {
    *lines += memchr::memchr_iter(b'\n', &file.bytes).count();
    (*lines > limit).then(|| {
        codes::CONTENT_TOO_MANY_LINES.at(
            Place::file(&file.shown),
            format!("With this file the run has {lines} lines; the limit is {limit}"),
            "Remove what is not meant to be published, or raise `lines` in `[limits]`.",
        )
    })
}

pub(super) fn unreadable(shown: &str, reason: &str) -> Diagnostic {
    codes::CONTENT_UNREADABLE.at(
        Place::file(shown),
        format!("The file {} cannot be read: {reason}", quoted(shown)),
        "Make it a regular file that the build may read, or remove it.",
    )
}

pub(super) fn outside(shown: &str) -> Diagnostic {
    codes::CONTENT_SYMLINK.at(
        Place::file(shown),
        "The link leads out of the content root",
        "Put the file itself here, or link to a file inside the same content root.",
    )
}

pub(super) fn too_large(shown: &str, size: u64, limit: u64) -> Diagnostic {
    let is_prose = Path::new(shown)
        .extension()
        .is_some_and(|extension| extension == "md");
    let (code, key) = match is_prose {
        true if shown.ends_with(writeup::FILE_NAME) => (&codes::REVIEW_TOO_LARGE, "writeup"),
        true => (&codes::PAGE_TOO_LARGE, "writeup"),
        false => (&codes::CONTENT_TOO_LARGE, "file"),
    };
    code.at(
        Place::file(shown),
        format!("The file is {size} bytes large; the limit is {limit}"),
        format!("Make it smaller, or raise `{key}` in `[limits]`."),
    )
}
