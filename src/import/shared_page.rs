//! Reads the page of a run that `runpress share` wrote, and restores the run directory as it was published.

use serde::Serialize;

use base::diagnostics::codes::IMPORT_INVALID_FILE;
use base::diagnostics::text::quoted;
use formats::model::review::Rating;
use formats::single_file::{self, EmbeddedFile, RUN};
use formats::{events, sidecar, tape, threads, trace, writeup};

use super::report::ImportResult;
use super::row::Row;
use super::{LogSource, Problem, problem};

/// Its name among the formats of logs. It has no importer, since nothing is converted.
pub(super) const FORMAT: &str = "runpress";

/// A run in a page.
#[derive(Debug)]
pub struct SharedPage {
    /// The file, as in messages.
    pub source: String,
    pub id: String,
    pub case: String,
    /// The record as written.
    pub record: Vec<u8>,
    /// Its logs, tapes and sidecars, and the writeup and the review threads as far as they are published.
    pub files: Vec<EmbeddedFile>,
}

/// A restored run directory.
#[derive(Debug, Serialize)]
pub struct RestoredRun {
    /// The page.
    pub source: String,
    pub id: String,
    /// The folder of the run, below `--out`.
    pub folder: String,
    /// `new` or `unchanged`.
    pub result: ImportResult,
    /// Names of the files next to the record.
    pub files: Vec<String>,
}

impl SharedPage {
    /// Reads the only file of a source.
    pub fn read(source: &LogSource) -> Result<Self, Problem> {
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
        let document = Row::parse_bytes(&run.bytes);
        let document = document.ok_or_else(|| damaged("its run.json is no object"))?;
        let record = document.raw("record");
        let record = record.ok_or_else(|| damaged("its run.json has no record"))?;
        let mut add = |name: &str, bytes: Vec<u8>| {
            let name = name.to_owned();
            files.push(EmbeddedFile { name, bytes });
        };
        if let Some(review) = document.row("review") {
            add(writeup::FILE_NAME, writeup_of(&review).into_bytes());
        }
        if let Some(threads) = document.row("threads") {
            add(threads::STATE_FILE, state_of(&threads).into_bytes());
        }
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

/// A writeup with the review of `run.json`. What no reader sees of the original is not in it.
fn writeup_of(review: &Row<'_>) -> String {
    let rating = |row: &Row<'_>| Rating::tier(&row.string("rating")?).map(Rating::word);
    let mut lines = Vec::new();
    if let Some(word) = rating(review) {
        lines.push(format!("rating: {word}"));
    }
    for domain in review.rows("ratings") {
        // A rating without a word is as unrecognized as the one that was written.
        let word = rating(&domain).unwrap_or_default();
        lines.push(format!("rating.{}: {word}", domain.text("domain")));
    }
    for item in review.rows("checklist") {
        let [id, status, note] = ["id", "status", "note"].map(|key| item.text(key));
        lines.push(format!("review.{id}: {status} {note}"));
    }
    let markdown = review.text("markdown");
    let mut file = String::new();
    if !lines.is_empty() || markdown.starts_with("---") {
        file.push_str("---\n");
        for line in lines {
            file.push_str(line.replace(char::is_control, " ").trim_end());
            file.push('\n');
        }
        file.push_str("---\n\n");
    }
    file.push_str(&markdown);
    file.push('\n');
    file
}

/// The state of the channel after all actions, with the review threads of `run.json`.
fn state_of(threads: &Row<'_>) -> String {
    let annotations: Vec<_> = threads.list("annotations").collect();
    let state = format!("{{\"annotations\":[{}]}}", annotations.join(","));
    match threads.raw("resource") {
        None => format!("{state}\n"),
        Some(resource) => {
            format!("{{\"resource\":{resource},\"fromSeq\":0,\"state\":{state}}}\n")
        }
    }
}

/// Whether a file may be written into a run directory under this name.
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
    use super::{Row, is_tape_or_sidecar, writeup, writeup_of};

    #[test]
    fn a_writeup_is_written_with_the_same_review() {
        let text = "---\nrating: great\nrating.sound: broken\nrating.art: odd\nreview.menu: pass It opens.\nreview.end: fail\n---\n\n# It *works*\n\n---\n\nMore.\n";
        let of = |text: &str| {
            let source = base::diagnostics::Source::file("writeup.md", text.as_bytes());
            let (read, _) = writeup::parse(source);
            let entries = read
                .entries()
                .map(|it| (it.key.to_owned(), it.value.to_owned()));
            (entries.collect::<Vec<_>>(), read.body().to_owned())
        };
        let json = r##"{"rating":"broken","ratings":[{"domain":"sound","rating":"broken"},{"domain":"art","rating":null}],
            "checklist":[{"id":"menu","status":"pass","note":"It opens."},{"id":"end","status":"fail"}],
            "markdown":"# It *works*\n\n---\n\nMore."}"##;
        let written = |json: &str| writeup_of(&Row::parse(json).expect("a review"));
        let (mut entries, body) = of(text);
        entries[0].1 = "broken".to_owned();
        entries[2].1 = String::new();
        assert_eq!(of(&written(json)), (entries, body));
        let plain = written(r#"{"markdown":"---\nNo front matter."}"#);
        assert_eq!(of(&plain).1, "---\nNo front matter.");
    }

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
