//! The rules for a published working tree: its size limit, and notes about excluded entries.

use base::diagnostics::{Diagnostic, Place, codes};
use formats::model::implementation::{FOLDER, OmissionCounts};

/// Reports entries excluded from the archive. `directory` is the run directory's path in diagnostics.
#[must_use]
pub fn check_left_out(directory: &str, left_out: OmissionCounts) -> Option<Diagnostic> {
    let verb = if left_out.total() == 1 { "is" } else { "are" };
    (left_out.total() > 0).then(|| {
        codes::IMPLEMENTATION_LEFT_OUT.at(
            Place::file(format!("{directory}/{FOLDER}")),
            format!(
                "Of the implementation, {} {verb} not published",
                left_out.words()
            ),
            "No action needed. To publish it, make it a regular file whose name does not begin with a dot and has no special characters.",
        )
    })
}

/// Checks the total size of the files, in bytes.
#[must_use]
pub fn check_size(directory: &str, bytes: u64, limit: u64) -> Option<Diagnostic> {
    (bytes > limit).then(|| {
        codes::IMPLEMENTATION_TOO_LARGE.at(
            Place::file(format!("{directory}/{FOLDER}")),
            format!(
                "The files of the implementation total {bytes} bytes; the limit is {limit}, so the run is published without their archive"
            ),
            "Remove reproducible files such as installed packages, or raise `file` in `[limits]`.",
        )
    })
}
