//! (edge) Compares the published runs with the content that they were built of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::slice;

use serde_json::Value;

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use base::files::Folder;
use content::discover::{RunDirectory, discover};
use content::load::{self, LoadedFile};
use formats::config::Limits;
use formats::portable::portable;

use super::runs::PublishedRun;

/// Compares each published run with its directory: the record, and the digest of each file as it was recorded.
pub(crate) fn check(runs: &[PublishedRun], roots: &[PathBuf], problems: &mut Vec<Diagnostic>) {
    let limits = Limits::default();
    let mut directories: BTreeMap<String, (RunDirectory, LoadedFile)> = BTreeMap::new();
    // A path in a problem is relative to its content root.
    let found = roots
        .iter()
        .map(|root| discover(root, slice::from_ref(root)));
    for directory in found.flat_map(|found| found.value.runs) {
        let Ok(record) = load::record(&directory, &limits) else {
            continue;
        };
        let id = serde_json::from_slice::<Value>(&record.bytes).ok();
        let id = id.and_then(|record| record["id"].as_str().map(str::to_owned));
        directories.extend(id.map(|id| (id, (directory, record))));
    }
    for run in runs {
        let found = directories.get(&*run.run.id);
        let problem = |path: &str, message: String| {
            codes::VERIFY_DIFFERENT_INPUT
                .at(
                    Place::file(path),
                    message,
                    "The site was built of other content, or one of the two was changed since.",
                )
                .of_run(&run.run.id)
        };
        let Some((directory, record)) = found else {
            let message = format!("Run {} is not in the content", quoted(&run.run.id));
            problems.push(problem(&run.path, message));
            continue;
        };
        problems.extend(files(run, directory, record, &problem));
    }
}

fn files(
    run: &PublishedRun,
    directory: &RunDirectory,
    record: &LoadedFile,
    problem: &dyn Fn(&str, String) -> Diagnostic,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let Ok(folder) = Folder::open(&directory.path()) else {
        return vec![problem(
            &directory.shown,
            "The run directory cannot be read".to_owned(),
        )];
    };
    for (path, blake3) in &run.files {
        let digest = folder.digest(Path::new(path));
        let digest = digest.map(|digest| blake3::Hash::from_bytes(digest).to_hex());
        if digest.is_none_or(|digest| digest.as_str() != blake3) {
            let shown = format!("{}/{path}", directory.shown);
            let message = format!(
                "{} is not the file that the site was built of",
                quoted(path)
            );
            problems.push(problem(&shown, message));
        }
    }
    let text = String::from_utf8_lossy(&record.bytes);
    let is_withheld = folder.has(Path::new(formats::redactions::FILE_NAME));
    if !is_withheld && portable(text.trim_start_matches('\u{feff}')) != run.record {
        let same =
            serde_json::from_str::<Value>(&text).ok() == serde_json::from_str(&run.record).ok();
        if !same {
            problems.push(problem(
                &record.shown,
                "The published record is not the one in the content".to_owned(),
            ));
        }
    }
    problems
}
