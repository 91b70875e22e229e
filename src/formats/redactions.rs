//! `redactions.jsonl`: the withheld parts of a run, with reasons. Recorded files stay unchanged; readers of them get a marker
//! instead of each span.

use std::collections::BTreeSet;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use base::diagnostics::text::{counted, quoted};
use base::diagnostics::{Collector, Diagnostic, codes};
use base::shapes;

use super::jsonl::{self, Line};
use super::model::is_plain_path;
use super::{events, raw, run_record, sidecar, tape, threads, trace, transcript};

mod find;
pub mod proof;
mod rewrite;
#[cfg(test)]
mod tests;

pub use find::{Occurrence, ValueSearch, occurrences};
pub use rewrite::{RewriteError, RewrittenFile, line_of, rewrite};

/// The file name in a run directory.
pub const FILE_NAME: &str = "redactions.jsonl";

/// A line of `redactions.jsonl`: one span of a file that is withheld, or a whole file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = require_span)]
pub struct Redaction {
    /// Unique id in the file.
    #[schemars(with = "shapes::Name")]
    pub id: String,
    /// Path of the file, from the run directory.
    #[schemars(regex(pattern = r"^(?!\.{1,2}(/|$))[^/\\\x00]+(/(?!\.{1,2}(/|$))[^/\\\x00]+)*$"))]
    pub file: String,
    /// The number of the event, in a log: as in annotations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// The line, from 1: in a file of JSON lines, where it is not an event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub line: Option<u32>,
    /// JSON pointer of the value, in the line or the document. Without it, the span is of the text as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// First byte of the span: of the string with its escapes resolved, or of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<usize>,
    /// End of the span, exclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub end: Option<usize>,
    /// Characters of the span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub length: Option<usize>,
    /// Whether the whole file is withheld.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// Why it is withheld.
    pub reason: RedactionReason,
    /// The reason in words; required for `other`, and published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Who withheld it; not published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// `blake3:` and the keyed hash of what is withheld; its key is never published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<String>,
    /// `blake3:` and the hash of the string, line or text as it is published, to notice when the file changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

/// Adds to the schema when a span is required, and when a note is.
fn require_span(schema: &mut Schema) {
    let present = json!({ "not": { "type": "null" } });
    let rules = json!([
        {
            "if": { "required": ["whole"], "properties": { "whole": { "const": true } } },
            "else": {
                "required": ["start", "end", "length"],
                "properties": { "start": present, "end": present, "length": present },
            },
        },
        {
            "if": { "properties": { "reason": { "const": "other" } } },
            "then": {
                "required": ["note"],
                "properties": { "note": { "type": "string", "pattern": r"\S" } },
            },
        },
    ]);
    schema.insert("allOf".to_owned(), rules);
}

words! {
    /// Why something is withheld.
    #[derive(JsonSchema)]
    #[schemars(rename = "Reason")]
    RedactionReason {
        /// A key, a password, a token.
        Secret = "secret",
        /// Personal data.
        Personal = "personal",
        /// Text that may not be copied.
        Copyright = "copyright",
        /// Text that would contaminate training data, such as the answer to a task.
        Contamination = "contamination",
        /// What `note` says.
        Other = "other",
    }
}

/// The marker that replaces a span.
pub fn marker(reason: RedactionReason, length: usize) -> String {
    let length = counted(length as u64, "character");
    format!("[withheld: {}, {length}]", reason.word())
}

/// Whether a text contains a marker.
pub fn has_marker(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("[withheld: ") {
        rest = &rest[at + 11..];
        let reason = |reason: &RedactionReason| rest.starts_with(reason.word());
        if RedactionReason::ALL.iter().any(reason) {
            return true;
        }
    }
    false
}

/// How places in a file are addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileLayout {
    /// One event per line, after this many other lines.
    Events(usize),
    /// One event per line, numbered by its `seq`.
    Numbered,
    /// JSON Lines.
    Lines,
    /// One JSON document.
    Document,
    Text,
    /// Never published, so nothing in it needs to be withheld.
    Private,
}

impl FileLayout {
    /// The shape of a file, by its path from the run directory.
    pub fn of(path: &str) -> Self {
        let is_tape = |ending: &&str| path.len() > ending.len() && path.ends_with(*ending);
        match path {
            _ if path.contains('/') => Self::Text,
            run_record::FILE_NAME | transcript::FILE_NAME | threads::STATE_FILE => Self::Document,
            events::FILE_NAME => Self::Events(0),
            threads::ACTIONS_FILE | raw::FILE_NAME => Self::Lines,
            FILE_NAME => Self::Private,
            _ if path.ends_with(sidecar::SUFFIX) => Self::Lines,
            _ if trace::is_trace(path) => Self::Events(1),
            _ if tape::EXTENSIONS.iter().any(is_tape) => Self::Numbered,
            _ => Self::Text,
        }
    }

    /// Whether places in it begin with a line.
    pub const fn has_lines(self) -> bool {
        matches!(self, Self::Events(_) | Self::Numbered | Self::Lines)
    }
}

impl Redaction {
    /// A redaction of a file without an id or a span, to be filled in.
    pub fn empty(file: &str, reason: RedactionReason) -> Self {
        Self {
            id: String::new(),
            file: file.to_owned(),
            event: None,
            line: None,
            pointer: None,
            start: None,
            end: None,
            length: None,
            whole: false,
            reason,
            note: None,
            by: None,
            at: None,
            commitment: None,
            published: None,
        }
    }

    /// The place, in words that reveal nothing withheld.
    pub fn place(&self) -> String {
        let mut words = self.file.clone();
        if let Some(event) = self.event {
            words.push_str(&format!(", event {event}"));
        }
        if let Some(line) = self.line {
            words.push_str(&format!(", line {line}"));
        }
        if let Some(pointer) = &self.pointer {
            words.push_str(&format!(", {pointer}"));
        }
        words
    }

    /// The marker that replaces it.
    pub fn marker(&self) -> String {
        if self.whole {
            format!("[withheld: {}, the whole file]", self.reason.word())
        } else {
            marker(self.reason, self.length.unwrap_or_default())
        }
    }

    /// What its commitment covers besides the withheld bytes: the run and the place, so that a salt proves only one span.
    pub fn context(&self, run: &str) -> String {
        let Self {
            id,
            file,
            event,
            line,
            pointer,
            start,
            end,
            ..
        } = self;
        json!([run, id, file, event, line, pointer, start, end]).to_string()
    }

    /// What is wrong with the line: JSON pointer, reason and fix.
    fn fault(&self) -> Option<(&'static str, String, &'static str)> {
        let shape = FileLayout::of(&self.file);
        if self.id.trim().is_empty() {
            return Some((
                "/id",
                "`id` is empty".to_owned(),
                "Write an id such as `r1`.",
            ));
        }
        if !is_plain_path(&self.file) {
            let why = "`file` is not a path below the run directory";
            return Some((
                "/file",
                why.to_owned(),
                "Write it with `/` and without `..`.",
            ));
        }
        if self.reason == RedactionReason::Other
            && self.note.as_ref().is_none_or(|note| note.trim().is_empty())
        {
            let why = "`note` is missing, and the reason is `other`";
            return Some(("/note", why.to_owned(), "Write the reason in `note`."));
        }
        let spanned = [self.start, self.end, self.length];
        if self.whole {
            let is_plain = spanned.iter().all(Option::is_none)
                && self.event.is_none()
                && self.line.is_none()
                && self.pointer.is_none();
            let why = "a file that is withheld whole has no span";
            let help =
                "Remove `event`, `line`, `pointer`, `start`, `end` and `length`, or `whole`.";
            if self.file == run_record::FILE_NAME {
                let why = "the record cannot be withheld whole";
                let help = "Withhold parts of it, or leave the run out of the site.";
                return Some(("/file", why.to_owned(), help));
            }
            return (!is_plain).then(|| ("/whole", why.to_owned(), help));
        }
        let is_span = matches!(spanned, [Some(start), Some(end), Some(length)] if start < end && (1..=end - start).contains(&length));
        if !is_span {
            let why = "the span is not valid: `start`, `end` and `length` are required, and it is not empty";
            let help = "Write all three, or `\"whole\":true` to withhold the file.";
            return Some(("", why.to_owned(), help));
        }
        let places = usize::from(self.event.is_some()) + usize::from(self.line.is_some());
        let wanted = usize::from(shape.has_lines());
        if shape != FileLayout::Private
            && (places != wanted || (shape == FileLayout::Lines && self.event.is_some()))
        {
            let (why, help) = match shape {
                FileLayout::Lines => (
                    "a place in this file needs `line`",
                    "Write the line, from 1.",
                ),
                _ if wanted == 1 => (
                    "a place in a log needs either `event` or `line`",
                    "Write the number of the event, or the line of the header.",
                ),
                _ => (
                    "this file has no events and no lines of JSON",
                    "Remove `event` and `line`; the span counts from the beginning of the file.",
                ),
            };
            return Some(("", why.to_owned(), help));
        }
        if shape == FileLayout::Text && self.pointer.is_some() {
            let why = "`pointer` leads into JSON, and this file is read as text";
            let help = "Remove `pointer`; the span counts from the beginning of the file.";
            return Some(("/pointer", why.to_owned(), help));
        }
        None
    }
}

/// Reads the file: the redactions, each with its line. If there is an error, nothing of the run may be published.
#[must_use]
pub fn parse<'a>(path: &str, bytes: &'a [u8]) -> (Vec<(Redaction, Line<'a>)>, Vec<Diagnostic>) {
    let mut problems = Collector::default();
    let mut found = Vec::new();
    let mut ids = BTreeSet::new();
    for line in jsonl::lines(bytes) {
        let invalid = |place, why: &str, help: &str| {
            codes::REDACTION_INVALID_LINE.at(
                place,
                format!("The redaction cannot be read: {why}"),
                help,
            )
        };
        let read = match line.object::<Redaction>(path) {
            Ok(read) => read,
            Err(fault) => {
                let (why, help) = (fault.reason(), "Write the line with `runpress redact`.");
                problems.push(invalid(fault.place, &why, help));
                continue;
            }
        };
        if let Some((pointer, why, help)) = read.fault() {
            problems.add(&codes::REDACTION_INVALID_LINE, || {
                invalid(line.place(path, pointer), &why, help)
            });
            continue;
        }
        if !ids.insert(read.id.clone()) {
            problems.add(&codes::REDACTION_DUPLICATE_ID, || {
                codes::REDACTION_DUPLICATE_ID.at(
                    line.place(path, "/id"),
                    format!("Duplicate redaction id {}", quoted(&read.id)),
                    "Give each redaction its own id.",
                )
            });
            continue;
        }
        found.push((read, line));
    }
    (found, problems.finish(path))
}
