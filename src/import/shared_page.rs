//! Reads the page of a run that `runpress share` wrote, and restores the run folder as it was published.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use base::diagnostics::codes::IMPORT_INVALID_FILE;
use base::diagnostics::text::quoted;
use formats::model::review::Rating;
use formats::single_file::{self, EmbeddedFile, RUN};
use formats::{events, sidecar, tape, threads, trace, writeup};

use super::report::Change;
use super::row::Row;
use super::{Problem, Source, problem};

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

/// What `run.json` has of the files that are not published as they are.
#[derive(Debug, Deserialize)]
struct Published<'a> {
    #[serde(default)]
    review: Option<Review>,
    #[serde(default, borrow)]
    threads: Option<Threads<'a>>,
}

#[derive(Debug, Deserialize)]
struct Review {
    rating: Option<String>,
    ratings: Vec<DomainRating>,
    checklist: Vec<Item>,
    markdown: String,
}

#[derive(Debug, Deserialize)]
struct DomainRating {
    domain: String,
    rating: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Item {
    id: String,
    status: String,
    note: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Threads<'a> {
    resource: Option<String>,
    #[serde(borrow)]
    annotations: Vec<&'a RawValue>,
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
    pub fn read(source: &Source) -> Result<Self, Problem> {
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
        let published: Published<'_> = serde_json::from_slice(&run.bytes)
            .map_err(|_| damaged("its run.json has no review or threads of a run"))?;
        let mut add = |name: &str, bytes: Vec<u8>| {
            let name = name.to_owned();
            files.push(EmbeddedFile { name, bytes });
        };
        if let Some(review) = &published.review {
            add(writeup::FILE_NAME, review.file().into_bytes());
        }
        if let Some(threads) = &published.threads {
            let file = threads
                .file()
                .map_err(|error| damaged(&error.to_string()))?;
            add(threads::STATE_FILE, file);
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

impl Review {
    /// A writeup with the same review. What no reader sees of the original is not in it.
    fn file(&self) -> String {
        let rating = |word: &Option<String>| Rating::tier(word.as_deref()?).map(Rating::word);
        let mut lines = Vec::new();
        if let Some(word) = rating(&self.rating) {
            lines.push(format!("rating: {word}"));
        }
        for it in &self.ratings {
            // Without a word, it is not recognized, as the one that was written.
            let word = rating(&it.rating).unwrap_or_default();
            lines.push(format!("rating.{}: {word}", it.domain));
        }
        for it in &self.checklist {
            let note = it.note.as_deref().unwrap_or_default();
            lines.push(format!("review.{}: {} {note}", it.id, it.status));
        }
        let mut file = String::new();
        if !lines.is_empty() || self.markdown.starts_with("---") {
            file.push_str("---\n");
            for line in lines {
                file.push_str(line.replace(char::is_control, " ").trim_end());
                file.push('\n');
            }
            file.push_str("---\n\n");
        }
        file.push_str(&self.markdown);
        file.push('\n');
        file
    }
}

impl Threads<'_> {
    /// The state of the channel after all actions.
    fn file(&self) -> serde_json::Result<Vec<u8>> {
        #[derive(Serialize)]
        struct State<'a> {
            annotations: &'a [&'a RawValue],
        }
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Snapshot<'a> {
            resource: &'a str,
            from_seq: u64,
            state: State<'a>,
        }
        let state = State {
            annotations: &self.annotations,
        };
        let mut file = match &self.resource {
            None => serde_json::to_vec(&state)?,
            Some(resource) => serde_json::to_vec(&Snapshot {
                resource,
                from_seq: 0,
                state,
            })?,
        };
        file.push(b'\n');
        Ok(file)
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
    use super::{Review, is_tape_or_sidecar, writeup};

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
        let review: Review = serde_json::from_str(json).expect("a review");
        let (mut entries, body) = of(text);
        entries[0].1 = "broken".to_owned();
        entries[2].1 = String::new();
        assert_eq!(of(&review.file()), (entries, body));
        let plain = Review {
            rating: None,
            ratings: Vec::new(),
            checklist: Vec::new(),
            markdown: "---\nNo front matter.".to_owned(),
        };
        assert_eq!(of(&plain.file()).1, plain.markdown);
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
