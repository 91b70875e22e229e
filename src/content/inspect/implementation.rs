//! Reads the working tree of a run, if the site publishes it, and checks its size.

use crate::load::RunFiles;
use base::diagnostics::{CheckResult, Collector, Diagnostic, Place, codes};
use formats::config::Config;
use formats::model::implementation::{FOLDER, Implementation, OmissionCounts};

/// The published part of a run's working tree; empty unless the site enables it. Every file is read for its digest, so that a
/// check reports the same as a build.
pub fn implementation(config: &Config, files: &RunFiles) -> CheckResult<Implementation> {
    let mut found = Implementation::default();
    if !config.policy.publish_implementation {
        return CheckResult::clean(found);
    }
    let directory = &files.directory.shown;
    let (tree, unreadable) = files.working_tree();
    let mut problems = Collector::default();
    for problem in unreadable {
        problems.push(problem);
    }
    found.left_out = tree.left_out;
    let sizes = tree.files.iter().map(|file| file.bytes);
    let bytes = sizes.fold(0, u64::saturating_add);
    let too_large = check_size(directory, bytes, files.limits.file);
    if too_large.is_none() {
        for file in tree.files {
            match files.working_digest(file) {
                Ok(file) => found.files.push(file),
                Err(problem) => problems.push(problem),
            }
        }
    }
    let mut diagnostics = problems.finish(&format!("{directory}/{FOLDER}"));
    diagnostics.extend(too_large);
    diagnostics.extend(check_left_out(directory, found.left_out));
    CheckResult {
        value: found,
        diagnostics,
    }
}

/// Reports entries excluded from the archive. `directory` is the run directory's path in diagnostics.
fn check_left_out(directory: &str, left_out: OmissionCounts) -> Option<Diagnostic> {
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
fn check_size(directory: &str, bytes: u64, limit: u64) -> Option<Diagnostic> {
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
