//! Helpers of several importers: which files they read, and how messages, reasoning and prompts become events.

use base::diagnostics::codes::IMPORT_UNREADABLE_ENTRY;
use formats::trace::Role;

use super::draft::{AdapterOutcome, Draft, EventContent, Origin, PrivateNames};
use super::message_content::MessageContent;
use super::raw_json;
use super::row::Row;
use super::{ImportOptions, Keep, LogSource, problem};

/// The files with one run each: the user's file, or the files of a folder whose names have the suffix.
pub fn documents<'s>(source: &'s LogSource, suffix: &'s str) -> impl Iterator<Item = usize> + 's {
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

impl Origin {
    /// A place in the first source of a run.
    pub fn at_pointer(pointer: String) -> Self {
        Self {
            pointer: Some(pointer),
            ..Self::default()
        }
    }
}

/// What [`prompt_kind`] has a kind for.
pub const PROMPTS: [&str; 4] = [
    "systemPrompts",
    "developerPrompts",
    "compactionSummaries",
    "injectedContext",
];

/// The kind of note for a kept prompt.
pub fn prompt_kind(what: &str) -> &'static str {
    match what {
        "systemPrompts" => "system prompt",
        "developerPrompts" => "developer prompt",
        "compactionSummaries" => "compaction summary",
        _ => "injected context",
    }
}

impl Draft {
    /// Counts what a content leaves out.
    pub fn count_omitted(&mut self, content: &MessageContent) {
        self.withhold("images", content.images);
        self.withhold("providerPayloads", content.unknown);
    }

    /// Adds a message, unless it is empty.
    pub fn message(
        &mut self,
        at: Origin,
        role: Role,
        content: MessageContent,
        steering: bool,
    ) -> Option<&mut EventContent> {
        self.count_omitted(&content);
        if content.text.trim().is_empty() && content.images == 0 {
            return None;
        }
        let message = EventContent::message(role, content.text, steering, content.images);
        Some(&mut self.push(at, message).what)
    }

    /// Adds reasoning, unless it is left out.
    pub fn reasoning(&mut self, options: &ImportOptions, at: Origin, text: String, summary: bool) {
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
    pub fn prompt(
        &mut self,
        options: &ImportOptions,
        at: Origin,
        what: &'static str,
        text: String,
    ) {
        if let Some(note) = self.prompt_note(options, what, text) {
            self.push(at, note);
        }
    }

    /// The note of a prompt if prompts are kept; otherwise counts it as `what`.
    pub fn prompt_note(
        &mut self,
        options: &ImportOptions,
        what: &'static str,
        text: String,
    ) -> Option<EventContent> {
        if options.keeps(Keep::Prompts) {
            return Some(EventContent::note(prompt_kind(what), Some(text)));
        }
        self.withhold(what, 1);
        None
    }

    /// Counts an unreadable part, and reports it up to a limit.
    pub fn skip_part(&mut self, file: &str, pointer: &str, what: &str) {
        self.skip(raw_json::unreadable(file, pointer, what));
    }

    /// Warns of values that are not numbers, each key once. Counts are whole and not negative.
    pub fn check_numbers(&mut self, row: &Row<'_>, costs: &[&str], counts: &[&str]) {
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
    pub fn error_message(
        &mut self,
        options: &ImportOptions,
        message: String,
        frames: &str,
    ) -> String {
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

    /// Reads how a run of SWE-agent or mini-swe-agent ended, and whether something was submitted.
    pub fn exit_status(&mut self, log: &Row<'_>, state: fn(&str) -> &'static str) {
        if let Some(status) = log.string("info.exit_status") {
            self.record.state = state(&status);
            self.record.detail = log.name("info.exit_status");
            self.submission(log.word("info.submission").is_some());
        }
    }

    /// Adds whether something was submitted to the outcomes.
    pub fn submission(&mut self, any: bool) {
        let Some(value) = raw_json::json(&any.into()) else {
            return;
        };
        self.record.outcomes.push(AdapterOutcome {
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

impl PrivateNames {
    /// Collects a user and a host named in a log, without duplicates. Skips names that every container has, which identify no
    /// one.
    pub fn add_names(&mut self, user: Option<&str>, host: Option<&str>) {
        for (known, name) in [(&mut self.users, user), (&mut self.hosts, host)] {
            if let Some(name) = name.filter(|name| !ANYONE.contains(name) && known.len() < NAMES)
                && !known.iter().any(|known| known == name)
            {
                known.push(name.to_owned());
            }
        }
    }
}
