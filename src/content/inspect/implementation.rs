//! Reads the working tree of a run, if the site publishes it.

use crate::load::RunFiles;
use crate::rules;
use base::diagnostics::{CheckResult, Collector};
use formats::config::Config;
use formats::model::implementation::{FOLDER, Implementation};

/// The published part of a run's working tree; empty unless the site enables it. Every file is read for its digest, so that a
/// check reports the same as a build.
pub fn implementation(config: &Config, files: &RunFiles) -> CheckResult<Implementation> {
    let mut found = Implementation::default();
    if !config.policy.publish_implementation {
        return CheckResult::clean(found);
    }
    let directory = &files.directory.shown;
    let (tree, noticed) = files.working_tree();
    let mut problems = Collector::default();
    for problem in noticed {
        problems.push(problem);
    }
    found.left_out = tree.left_out;
    let sizes = tree.files.iter().map(|file| file.bytes);
    let bytes = sizes.fold(0, u64::saturating_add);
    let too_large = rules::implementation::check_size(directory, bytes, files.limits.file);
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
    diagnostics.extend(rules::implementation::check_left_out(
        directory,
        found.left_out,
    ));
    CheckResult {
        value: found,
        diagnostics,
    }
}
