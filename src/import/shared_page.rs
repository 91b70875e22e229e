//! Reads the page of a run that `runpress share` wrote, and restores the run folder as it was published.

use serde::Serialize;

use base::diagnostics::codes::IMPORT_INVALID_FILE;
use base::diagnostics::text::quoted;
use formats::single_file::{self, EmbeddedFile, RUN};
use formats::{events, sidecar, tape, trace};

use super::report::Change;
use super::row::Row;
use super::{Problem, Source, problem};

/// Its name among the formats of logs. It has no importer, since nothing is converted.
pub(super) const FORMAT: &str = "runpress";

/// A run in a page.
#[derive(Debug)]
pub(super) struct SharedPage {
    /// The file, as in messages.
    pub(super) source: String,
    pub(super) id: String,
    pub(super) case: String,
    /// The record as written.
    pub(super) record: Vec<u8>,
    /// Its logs, tapes and sidecars.
    pub(super) files: Vec<EmbeddedFile>,
}

/// A restored run folder.
#[derive(Debug, Serialize)]
pub struct Restored {
    /// The page.
    pub source: String,
    pub id: String,
    /// The folder of the run, below `--out`.
    pub folder: String,
    /// `new` or `unchanged`.
    pub result: Change,
    /// Names of the files beside the record.
    pub files: Vec<String>,
}

impl SharedPage {
    /// Reads the only file of a source.
    pub(super) fn read(source: &Source) -> Result<Self, Problem> {
        let name = source.shown(0).unwrap_or_default();
        let page = source.read(0)?.bytes;
        let damaged = |reason: &str| {
            let message = format!("The page cannot be read: {reason}");
            let help = "Ask for the file again, or for the log.";
            problem(&IMPORT_INVALID_FILE, &name, message, help)
        };
        let mut files = single_file::files(&page).map_err(|reason| damaged(&reason))?;
        let at = files.iter().position(|file| file.name == RUN);
        let run = at.map(|at| files.remove(at));
        let run = run.ok_or_else(|| damaged("it has no run.json"))?;
        if let Some(file) = files.iter().find(|file| !is_tape_or_sidecar(&file.name)) {
            let file = format!(
                "{} is not the name of a log, a tape or a sidecar",
                quoted(&file.name)
            );
            return Err(damaged(&file));
        }
        let document = Row::bytes(&run.bytes);
        let document = document.ok_or_else(|| damaged("its run.json is no object"))?;
        let record = document.raw("record");
        let record = record.ok_or_else(|| damaged("its run.json has no record"))?;
        let id = document.string("record.id");
        let id = id.ok_or_else(|| damaged("its record has no id"))?;
        Ok(Self {
            id: id.into_owned(),
            case: document.text("record.subject.testCaseSlug").into_owned(),
            record: format!("{record}\n").into_bytes(),
            files,
            source: name.clone(),
        })
    }
}

/// Whether a file may be written into a run folder under this name.
fn is_tape_or_sidecar(name: &str) -> bool {
    let is_plain = |c: char| !c.is_control() && !"/\\:*?\"<>|".contains(c);
    let is_tape = |name: &str| {
        let has = |ending: &&str| name.len() > ending.len() && name.ends_with(*ending);
        name == events::FILE_NAME || trace::is_trace(name) || tape::EXTENSIONS.iter().any(has)
    };
    let is_sidecar = name
        .strip_suffix(sidecar::SUFFIX)
        .is_some_and(|tape| !tape.is_empty());
    name.len() <= 200
        && !name.starts_with('.')
        && name.chars().all(is_plain)
        && (is_tape(name) || is_sidecar)
}

#[cfg(test)]
mod tests {
    use super::is_tape_or_sidecar;

    #[test]
    fn only_logs_tapes_and_sidecars_are_restored() {
        for name in [
            "events.jsonl",
            "a b.trace.jsonl",
            "run.tape",
            "ä.testbench-tape.annotations.jsonl",
        ] {
            assert!(is_tape_or_sidecar(name), "{name}");
        }
        for name in [
            "",
            ".tape",
            "../a.tape",
            "a/b.tape",
            "a\\b.tape",
            "c:x.tape",
            "run-record.json",
            "redactions.jsonl",
            "writeup.md",
            ".annotations.jsonl",
            ".x.tape",
            "a\n.tape",
        ] {
            assert!(!is_tape_or_sidecar(name), "{name}");
        }
        assert!(!is_tape_or_sidecar(&format!("{}.tape", "a".repeat(200))));
    }
}
