//! What several importers do alike: which files they read, and how a message, reasoning or a prompt becomes an event.

use crate::formats::trace::Role;

use super::draft::{Draft, Identity, Origin, Outcome, What};
use super::loose::{self, Content};
use super::{Keep, Options, Source};

/// The files of a source that hold a run each: the file that the user named, or those of a folder whose name ends so.
pub fn documents<'s>(source: &'s Source, suffix: &'s str) -> impl Iterator<Item = usize> + 's {
    let names = source.names();
    let alone = names.len() == 1;
    (0..names.len()).filter(move |position| alone || names[*position].ends_with(suffix))
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

impl Draft {
    /// Adds what a person or the agent said, unless it is empty.
    pub fn message(&mut self, at: Origin, role: Role, content: Content, steering: bool) {
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
        self.unparsable += 1;
        if self.unparsable <= 100 {
            self.unreadable.push(loose::odd(file, pointer, what));
        }
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
            if let Some(name) = name.filter(|name| !ANYONE.contains(name))
                && !known.iter().any(|known| known == name)
            {
                known.push(name.to_owned());
            }
        }
    }
}
