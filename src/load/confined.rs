//! [edge in] Knows how one file is read: whole, within a limit, and never from outside its folder.

use std::io::Read;
use std::path::Path;

use super::Loaded;
use crate::beneath::{self, Folder};
use crate::diagnostics::text::quoted;
use crate::diagnostics::{Diagnostic, Place, codes};
use crate::formats::writeup;

/// Where links may lead.
pub(super) struct Bounds<'a> {
    /// The folder that they stay in, in words.
    pub(super) folder: &'a str,
    /// Whether a link may lead to this path, from the folder. It never leads to anything hidden.
    pub(super) allows: &'a dyn Fn(&Path) -> bool,
}

/// Why a file was not read.
#[derive(Debug)]
pub(super) enum Fault {
    /// The reason, as a clause.
    Unreadable(String),
    /// It is a link to nothing.
    Dangling,
    /// It is a link that leads out of the folder.
    Outside,
    /// It is a link to a file that is published by rules of its own, or not at all.
    Withheld,
    /// Its size in bytes.
    TooLarge(u64),
}

impl From<beneath::Fault> for Fault {
    fn from(fault: beneath::Fault) -> Self {
        match fault {
            beneath::Fault::Io(error) => Self::Unreadable(error.to_string()),
            beneath::Fault::Outside => Self::Outside,
            beneath::Fault::Dangling => Self::Dangling,
        }
    }
}

impl Fault {
    fn of(error: &std::io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// Reads a regular file beneath `folder`. `Ok(None)`: there is none.
///
/// # Errors
/// The file cannot be read, is larger than `limit` bytes, or is a link that leads out of its bounds.
pub(super) fn read(
    folder: &Folder,
    path: &Path,
    shown: &str,
    limit: u64,
    bounds: &Bounds<'_>,
) -> Result<Option<Vec<u8>>, Diagnostic> {
    attempt(folder, path, limit, bounds.allows).map_err(|fault| match fault {
        Fault::Unreadable(reason) => unreadable(shown, &reason),
        Fault::Dangling => unreadable(shown, &beneath::Fault::Dangling.reason()),
        Fault::Outside => outside(shown, bounds.folder),
        Fault::Withheld => withheld(shown),
        Fault::TooLarge(size) => too_large(shown, size, limit),
    })
}

/// As [`read`], for files that have words of their own for what went wrong.
///
/// # Errors
/// As [`read`].
pub(super) fn attempt(
    folder: &Folder,
    path: &Path,
    limit: u64,
    allows: &dyn Fn(&Path) -> bool,
) -> Result<Option<Vec<u8>>, Fault> {
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
    let size = opened.meta.len();
    if size > limit {
        return Err(Fault::TooLarge(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
    opened
        .file
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| Fault::of(&error))?;
    if bytes.len() as u64 > limit {
        return Err(Fault::TooLarge(bytes.len() as u64));
    }
    Ok(Some(bytes))
}

/// Whether a name on the path begins with a dot. Only `.well-known` is meant to be seen.
pub(super) fn is_hidden(path: &Path) -> bool {
    path.iter()
        .any(|name| name.as_encoded_bytes().starts_with(b".") && name != ".well-known")
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

pub(super) fn outside(shown: &str, folder: &str) -> Diagnostic {
    codes::CONTENT_SYMLINK.at(
        Place::file(shown),
        format!("The link leads out of {folder}"),
        format!("Put the file itself here, or link to another file in {folder}."),
    )
}

fn withheld(shown: &str) -> Diagnostic {
    codes::CONTENT_SYMLINK.at(
        Place::file(shown),
        "The link leads to a hidden file, or to a file that a run publishes under its own name or not at all",
        "Put the file itself here, or link to a file with another name.",
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
