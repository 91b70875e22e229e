//! Helpers of several importers: which files they read, and how messages, reasoning and prompts become events.

use base::diagnostics::codes::IMPORT_UNREADABLE_ENTRY;
use formats::trace::Role;

use super::draft::{Draft, EventContent, Identity, Origin, Outcome};
use super::loose;
use super::message_content::MessageContent;
use super::row::Row;
use super::{Keep, Options, Source, problem};

/// The files with one run each: the user's file, or the files of a folder whose names have the suffix.
pub fn documents<'s>(source: &'s Source, suffix: &'s str) -> impl Iterator<Item = usize> + 's {
    let names = source.names();
    let alone = names.len() == 1;
    (0..names.len()).filter(move |position| alone || names[*position].ends_with(suffix))
}

/// The range of files in the same folder as a known one: they are adjacent.
pub fn folder_of(names: &[String], folder: &str, position: usize) -> std::ops::Range<usize> {
    let is_of = |name: &&String| name.starts_with(folder);
    let before = names[..position].iter().rev().take_while(is_of).count();
    let after = names[position..].iter().take_while(is_of).count();
    position - before..position + after
}

/// A place in the first source of a run.
pub fn at(pointer: String) -> Origin {
    Origin {
        pointer: Some(pointer),
        ..Origin::default()
    }
}

/// What [`kept`] has a kind for.
pub const PROMPTS: [&str; 4] = [
    "systemPrompts",
    "developerPrompts",
    "compactionSummaries",
    "injectedContext",
];

/// The kind of note for a kept prompt.
pub fn kept(what: &str) -> &'static str {
    match what {
        "systemPrompts" => "system prompt",
        "developerPrompts" => "developer prompt",
        "compactionSummaries" => "compaction summary",
        _ => "injected context",
    }
}

impl Draft {
    /// Counts what a content leaves out.
    pub fn omit(&mut self, content: &MessageContent) {
        self.withhold("images", content.images);
        self.withhold("providerPayloads", content.unknown);
    }

    /// Adds a message, unless it is empty.
    pub fn message(&mut self, at: Origin, role: Role, content: MessageContent, steering: bool) {
        self.omit(&content);
        if content.text.trim().is_empty() && content.images == 0 {
            return;
        }
        let message = EventContent::message(role, content.text, steering, content.images);
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
            self.push(at, EventContent::Reasoning { text, summary });
        }
    }

    /// Adds a prompt if prompts are kept; otherwise counts it as `what`.
    pub fn prompt(&mut self, options: &Options, at: Origin, what: &'static str, text: String) {
        if options.keeps(Keep::Prompts) {
            self.note(at, kept(what), Some(text));
        } else {
            self.withhold(what, 1);
        }
    }

    /// Counts an unreadable part, and reports it up to a limit.
    pub fn odd(&mut self, file: &str, pointer: &str, what: &str) {
        self.skip(loose::odd(file, pointer, what));
    }

    /// Names values that are no numbers, each key once: costs, and counts, which are whole and not negative.
    pub fn numbers(&mut self, row: &Row<'_>, costs: &[&str], counts: &[&str]) {
        let unread = |path: &&&str| row.has(path) && row.number(path).is_none();
        let uncounted = |path: &&&str| row.has(path) && row.count(path).is_none();
        let odd = costs.iter().filter(unread);
        for path in odd.chain(counts.iter().filter(uncounted)) {
            let message = format!("`{path}` is not a number, so it is unknown");
            if self.warnings.iter().all(|known| known.message != message) {
                let help =
                    "Nothing needs to be done if it may be unknown; otherwise correct the log.";
                self.skip(problem(&IMPORT_UNREADABLE_ENTRY, "", message, help));
            }
        }
    }

    /// The message of an error, with traceback frames if they are kept.
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
        self.push(at, EventContent::note(kind, text));
    }

    /// Records whether something was submitted.
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

/// Maximum names of a kind; no real run has more.
const NAMES: usize = 100;
/// User and host names that are not replaced.
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
    /// Collects a user and a host named in a log, without duplicates. Skips names that every container has, which identify no
    /// one.
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
