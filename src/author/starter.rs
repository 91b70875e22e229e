//! The files of a new site: settings, a front page, a workflow, and one run that is labelled as a sample.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use base::diagnostics::text::quoted;

use super::Refusal;

macro_rules! files {
    ($($path:literal $source:literal,)*) => {
        &[$(($path, include_str!(concat!("starter/", $source)))),*]
    };
}

/// Every file with its content. Names that begin with a dot are stored without it in the sources, so that they do not apply to
/// this repository.
pub const FILES: &[(&str, &str)] = files! {
    "site.toml" "site.toml",
    ".gitignore" "gitignore",
    ".github/workflows/site.yml" "workflow.yml",
    "content/pages/index.md" "index.md",
    "content/runs/sample/run-record.json" "run/run-record.json",
    "content/runs/sample/events.jsonl" "run/events.jsonl",
    "content/runs/sample/events.jsonl.annotations.jsonl" "run/events.jsonl.annotations.jsonl",
    "content/runs/sample/writeup.md" "run/writeup.md",
    "content/runs/sample/transcript.json" "run/transcript.json",
    "content/runs/sample/annotations.json" "run/annotations.json",
    "content/runs/sample/implementation/src/count.ts" "run/implementation/src/count.ts",
};

/// Creates a new site in a missing or empty folder. A folder with only `.git` counts as empty.
///
/// # Errors
/// The folder is not empty, or cannot be written. Existing files are never replaced.
pub fn create(folder: &Path) -> Result<(), Refusal> {
    let shown = quoted(&folder.to_string_lossy());
    let failed = |error: &io::Error| {
        Refusal::request(
            format!("The site could not be written into {shown}: {error}"),
            "Name a writable folder on a disk with enough space.",
        )
    };
    let found = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(_) if folder.is_file() => {
            return Err(Refusal::request(
                format!("The file {shown} already exists"),
                "Name a new folder, or an empty one.",
            ));
        }
        Err(error) => return Err(failed(&error)),
        Ok(entries) => {
            let names = entries.map(|entry| entry.map(|entry| entry.file_name()));
            let names: Vec<_> = names
                .collect::<io::Result<_>>()
                .map_err(|error| failed(&error))?;
            names.into_iter().filter(|name| name != ".git").min()
        }
    };
    if let Some(name) = found {
        return Err(Refusal::request(
            format!(
                "The folder {shown} is not empty: it contains {}",
                quoted(&name.to_string_lossy())
            ),
            "Name a new folder, or an empty one. Existing files are never replaced.",
        ));
    }
    for (path, text) in FILES {
        write(&folder.join(path), text).map_err(|error| failed(&error))?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    File::create_new(path)?.write_all(text.as_bytes())
}
