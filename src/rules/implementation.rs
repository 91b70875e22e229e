//! Knows what must hold of a working tree that is to be published: it is not too large, and nobody wonders what is missing.

use crate::diagnostics::{Diagnostic, Place, codes};
use crate::model::implementation::{FOLDER, LeftOut};

/// Tells what is left out of the archive. `directory` is the run directory's path in diagnostics.
#[must_use]
pub fn check_left_out(directory: &str, left_out: LeftOut) -> Option<Diagnostic> {
    let verb = if left_out.total() == 1 { "is" } else { "are" };
    (left_out.total() > 0).then(|| {
        codes::IMPLEMENTATION_LEFT_OUT.at(
            Place::file(format!("{directory}/{FOLDER}")),
            format!(
                "Of the implementation, {} {verb} not published",
                left_out.words()
            ),
            "Nothing needs to be done. What should be published must be a regular file with a plain name that begins with no dot.",
        )
    })
}

/// Checks the size of all files together, in bytes.
#[must_use]
pub fn check_size(directory: &str, bytes: u64, limit: u64) -> Option<Diagnostic> {
    (bytes > limit).then(|| {
        codes::IMPLEMENTATION_TOO_LARGE.at(
            Place::file(format!("{directory}/{FOLDER}")),
            format!(
                "The files of the implementation are {bytes} bytes large together, and the limit is {limit}, so the run has no archive of them"
            ),
            "Remove what can be made again, such as installed packages, or raise `file` in `[limits]`.",
        )
    })
}
