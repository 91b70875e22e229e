//! What several importers do alike: which files they read, and how a message, reasoning or a prompt becomes an event.

use std::collections::{BTreeSet, VecDeque};

use crate::formats::trace::Role;

use super::draft::{Draft, Identity, Origin, Outcome, What};
use super::loose::{self, Spoken};
use super::{Keep, Options, Source};

/// The files of a source that hold a run each: the file that the user named, or those of a folder whose name ends so.
pub fn documents<'s>(source: &'s Source, suffix: &'s str) -> impl Iterator<Item = usize> + 's {
    let names = source.names();
    let alone = names.len() == 1;
    (0..names.len()).filter(move |position| alone || names[*position].ends_with(suffix))
}

/// The files of a folder, of which one is known: files of one folder follow one another.
pub fn folder_of(names: &[String], folder: &str, position: usize) -> std::ops::Range<usize> {
    let is_of = |name: &&String| name.starts_with(folder);
    let before = names[..position].iter().rev().take_while(is_of).count();
    let after = names[position..].iter().take_while(is_of).count();
    position - before..position + after
}

/// Where a value is in the first source of a run.
pub fn at(pointer: String) -> Origin {
    Origin {
        pointer: Some(pointer),
        ..Origin::default()
    }
}

/// The kind of note that a prompt becomes where prompts are kept.
pub fn kept(what: &str) -> &'static str {
    match what {
        "systemPrompts" => "system prompt",
        "developerPrompts" => "developer prompt",
        "compactionSummaries" => "compaction summary",
        _ => "injected context",
    }
}

/// Calls of an answer that have no result yet, in order.
#[derive(Default)]
pub struct Waiting {
    calls: VecDeque<String>,
    answered: BTreeSet<String>,
}

impl Waiting {
    /// Adds a call.
    pub fn push(&mut self, call: String) {
        self.calls.push_back(call);
    }

    /// Notes a result that names its call.
    pub fn answer(&mut self, call: &str) {
        self.answered.insert(call.to_owned());
    }

    /// The call that a result without a name belongs to.
    pub fn next(&mut self) -> Option<String> {
        (!self.is_empty()).then(|| self.calls.pop_front())?
    }

    /// Whether every call has a result.
    pub fn is_empty(&mut self) -> bool {
        while let Some(call) = self.calls.front()
            && self.answered.remove(call)
        {
            self.calls.pop_front();
        }
        self.calls.is_empty()
    }

    /// Every call.
    pub fn all(&self) -> Vec<String> {
        self.calls.iter().cloned().collect()
    }

    /// Forgets the calls of the answer before.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Draft {
    /// Adds what a person or the agent said, unless it is empty.
    pub fn message(&mut self, at: Origin, role: Role, content: Spoken, steering: bool) {
        self.withhold("images", content.images);
        if content.text.trim().is_empty() && content.images == 0 {
            return;
        }
        let message = What::Message {
            role,
            text: content.text,
            model: None,
            phase: None,
            steering,
            images: content.images,
        };
        self.push(at, message);
    }

    /// Adds reasoning, unless it is left out.
    pub fn reasoning(&mut self, options: &Options, at: Origin, text: String, summary: bool) {
        if text.trim().is_empty() {
            return;
        }
        if options.no_reasoning {
            self.withhold("reasoning", 1);
        } else {
            self.push(at, What::Reasoning { text, summary });
        }
    }

    /// Adds what a program said to the model, where that is wanted; else it is counted as `what`.
    pub fn prompt(&mut self, options: &Options, at: Origin, what: &'static str, text: String) {
        if options.keeps(Keep::Prompts) {
            self.note(at, kept(what), Some(text));
        } else {
            self.withhold(what, 1);
        }
    }

    /// Counts a part that could not be read, and names it unless there are many.
    pub fn odd(&mut self, file: &str, pointer: &str, what: &str) {
        self.skip(loose::odd(file, pointer, what));
    }

    /// The message of an error, with the frames of its traceback where they are wanted.
    pub fn traced(&mut self, options: &Options, message: String, frames: &str) -> String {
        if frames.trim().is_empty() {
            return message;
        }
        if options.keeps(Keep::Tracebacks) {
            return format!("{message}\n{frames}");
        }
        self.withhold("tracebacks", 1);
        message
    }

    /// Adds a note.
    pub fn note(&mut self, at: Origin, kind: &str, text: Option<String>) {
        let kind = kind.to_owned();
        self.push(at, What::Note { kind, text });
    }

    /// Notes whether something was submitted.
    pub fn submission(&mut self, any: bool) {
        let Some(value) = loose::json(&any.into()) else {
            return;
        };
        self.record.outcomes.push(Outcome {
            name: "submission".to_owned(),
            value,
            scorer: None,
            kind: Some("submission"),
            valid: None,
            reason: None,
        });
    }
}

/// More names of a kind than a run has.
const NAMES: usize = 100;
/// Names of users and hosts that are not replaced.
const ANYONE: [&str; 8] = [
    "",
    "root",
    "user",
    "openhands",
    "ubuntu",
    "runner",
    "localhost",
    "host",
];

impl Identity {
    /// Notes a user and a host that a log names, each once. Names that every container has identify no one.
    pub fn know(&mut self, user: Option<&str>, host: Option<&str>) {
        for (known, name) in [(&mut self.users, user), (&mut self.hosts, host)] {
            if let Some(name) = name.filter(|name| !ANYONE.contains(name) && known.len() < NAMES)
                && !known.iter().any(|known| known == name)
            {
                known.push(name.to_owned());
            }
        }
    }
}
