//! Test Cabinet's event log (formats.md B.1): `events.jsonl`, one normalized event per line.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;

use base::diagnostics::{Collector, Diagnostic, without_mark};

use super::event_line::{self, EventFields};
use super::json::Str;
use super::jsonl;

/// The file name in a run directory.
pub const FILE_NAME: &str = "events.jsonl";

/// A line as written. Its number in the tape is its position in the list (formats.md H.3).
pub type LogEvent<'a> = event_line::EventLine<'a, LogEventFields<'a>>;

/// The `type` of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogEventKind {
    Agent,
    Reasoning,
    Command,
    Read,
    Write,
    Search,
    List,
    Skill,
    Orchestration,
    Error,
    Warning,
    System,
    Usage,
    Gg,
    Unknown,
}

impl LogEventKind {
    /// The kind of a `type`.
    pub fn parse(word: &str) -> Self {
        let mut types = <LogEventFields<'_> as EventFields<'_>>::TYPES.iter();
        let known = types.find(|(known, ..)| *known == word);
        known.map_or(Self::Unknown, |(_, kind, _)| *kind)
    }

    /// The `type` of its events.
    pub fn word(self) -> &'static str {
        let mut types = <LogEventFields<'_> as EventFields<'_>>::TYPES.iter();
        let known = types.find(|(_, kind, _)| *kind == self);
        known.map_or("unknown", |(word, ..)| *word)
    }
}

/// A line of `events.jsonl`: one normalized event, in the order of arrival.
///
/// The other keys depend on `type`. An event of an unrecognized type is shown as `unknown`, with a warning. A line that
/// violates the schema is also kept as `unknown`. A null key counts as absent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Event", transform = event_line::require_keys::<LogEventFields>)]
pub struct LogEventFields<'a> {
    /// Time of the event, RFC 3339.
    #[serde(borrow)]
    pub timestamp: Option<Str<'a>>,
    /// Session id of the harness, if known.
    #[serde(borrow)]
    pub session_id: Option<Str<'a>>,
    /// Type of event; it determines the required keys.
    #[serde(borrow, rename = "type")]
    pub kind: Option<Str<'a>>,
    /// Message, reasoning, error or warning, in plain text.
    #[serde(borrow)]
    pub message: Option<Str<'a>>,
    /// The command line that was run.
    #[serde(borrow)]
    pub command: Option<Str<'a>>,
    /// Where the command ran.
    #[serde(borrow)]
    pub working_directory: Option<Str<'a>>,
    /// Exit status of the command.
    pub exit_code: Option<i64>,
    /// Whether it succeeded; a missing value means that the harness did not say.
    pub is_success: Option<bool>,
    /// The file or folder, absolute if known.
    #[serde(borrow)]
    pub path: Option<Str<'a>>,
    /// First line that was read or written, from 1.
    pub start_line: Option<u64>,
    /// Last line that was read or written, from 1, inclusive.
    pub end_line: Option<u64>,
    /// The search query.
    #[serde(borrow)]
    pub query: Option<Str<'a>>,
    /// Name of the skill.
    #[serde(borrow)]
    pub skill_name: Option<Str<'a>>,
    /// Action of a subagent: `subagent_started`, `subagent_completed` or `subagent_failed`.
    #[serde(borrow)]
    pub action: Option<Str<'a>>,
    /// Id of the subagent.
    #[serde(borrow)]
    pub subagent_id: Option<Str<'a>>,
    /// Name of the subagent.
    #[serde(borrow)]
    pub subagent_name: Option<Str<'a>>,
    /// Code of the error or warning.
    #[serde(borrow)]
    pub code: Option<Str<'a>>,
    /// Stage of the run: `pull_image`, `start_container`, `install_harness`, `probe_harness`,
    /// `init_test_case` or `teardown`.
    #[serde(borrow)]
    pub stage: Option<Str<'a>>,
    /// Status of the stage: `started`, `completed` or `failed`.
    #[serde(borrow)]
    pub status: Option<Str<'a>>,
    /// Tokens of the turn, in the four classes of a run record.
    #[serde(borrow)]
    pub tokens: Option<&'a RawValue>,
    /// Cost of the turn, in USD.
    #[serde(borrow)]
    pub cost: Option<&'a RawValue>,
    /// The harness's own event, opaque.
    #[serde(borrow)]
    pub event: Option<&'a RawValue>,
    /// Output of the harness that could not be translated: any JSON value, a string for other output.
    #[serde(borrow)]
    pub raw: Option<&'a RawValue>,
}

/// Reads a log and calls `each` for every non-blank line, readable or not, so that event numbers never shift. An unreadable line
/// becomes an event of kind unknown, with a warning. Events as written are large and short-lived, so they are not collected.
#[must_use]
pub fn read<'a>(
    path: &str,
    bytes: &'a [u8],
    mut each: impl FnMut(LogEvent<'a>),
) -> Vec<Diagnostic> {
    let mut diagnostics = Collector::default();
    for line in jsonl::lines(bytes) {
        each(event_line::read(path, line, &mut diagnostics));
    }
    diagnostics.finish(path)
}

/// The content hash of a log (formats.md H.4): BLAKE3 over each non-blank line, trailing CR removed, followed by LF. `events` is
/// the number of such lines, `digest` the BLAKE3 of the whole file.
pub fn content_hash(bytes: &[u8], events: usize, digest: &str) -> String {
    if is_canonical(bytes, events) {
        digest.to_owned()
    } else {
        jsonl::hash(bytes, 0)
    }
}

/// Whether the content hash equals the digest of the file: every line counts, ends in LF and has no CR.
fn is_canonical(bytes: &[u8], events: usize) -> bool {
    without_mark(bytes).len() == bytes.len()
        && bytes.last().is_none_or(|last| *last == b'\n')
        && memchr::memchr(b'\r', bytes).is_none()
        && memchr::memchr_iter(b'\n', bytes).count() == events
}

impl<'a> EventFields<'a> for LogEventFields<'a> {
    type Kind = LogEventKind;

    const TYPES: &'static [(&'static str, LogEventKind, &'static [&'static str])] = &[
        ("agent", LogEventKind::Agent, &["message"]),
        ("reasoning", LogEventKind::Reasoning, &["message"]),
        ("command", LogEventKind::Command, &["command"]),
        ("read", LogEventKind::Read, &["path"]),
        ("write", LogEventKind::Write, &["path"]),
        ("search", LogEventKind::Search, &["query"]),
        ("list", LogEventKind::List, &[]),
        ("skill", LogEventKind::Skill, &["path"]),
        ("orchestration", LogEventKind::Orchestration, &["action"]),
        ("error", LogEventKind::Error, &["message"]),
        ("warning", LogEventKind::Warning, &["message"]),
        (
            "system",
            LogEventKind::System,
            &["stage", "status", "message"],
        ),
        ("usage", LogEventKind::Usage, &["tokens"]),
        ("gg", LogEventKind::Gg, &["event"]),
        ("unknown", LogEventKind::Unknown, &[]),
    ];
    const UNKNOWN: LogEventKind = LogEventKind::Unknown;
    const ALWAYS: &'static [&'static str] = &["timestamp"];

    fn word(&self) -> &str {
        self.kind.as_deref().unwrap_or_default()
    }

    fn has(&self, key: &str) -> bool {
        match key {
            "message" => self.message.is_some(),
            "command" => self.command.is_some(),
            "path" => self.path.is_some(),
            "query" => self.query.is_some(),
            "action" => self.action.is_some(),
            "stage" => self.stage.is_some(),
            "status" => self.status.is_some(),
            "tokens" => self.tokens.is_some(),
            "event" => self.event.is_some(),
            _ => self.timestamp.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_cannot_be_read_keeps_its_number() {
        let text = concat!(
            "{\"timestamp\":\"t\",\"type\":\"agent\",\"message\":\"a\"}\r\n",
            "\n",
            "{\"timestamp\":\"t\",\"type\":\"agent\",\n",
            "{\"timestamp\":\"t\",\"type\":\"hologram\",\"message\":\"a\"}\n",
        );
        let mut kinds = Vec::new();
        let problems = read("e", text.as_bytes(), |event| {
            kinds.push((event.line.number, event.kind));
        });
        assert_eq!(
            kinds,
            [
                (1, LogEventKind::Agent),
                (3, LogEventKind::Unknown),
                (4, LogEventKind::Unknown)
            ]
        );
        let codes: Vec<_> = problems.iter().map(|p| p.code.name).collect();
        assert_eq!(codes, ["events.unparsable-line", "events.unknown-type"]);
    }

    #[test]
    fn a_line_that_is_no_object_is_not_read_as_one() {
        // As many items as an event has keys.
        let all = format!("[{}]", ["null"; 23].join(","));
        for (line, found) in [
            ("[1]", "an array"),
            ("[1,2,3,\"x\"]", "an array"),
            (all.as_str(), "an array"),
            ("\"x\"", "a string"),
        ] {
            let problems = read("e", line.as_bytes(), |event| {
                assert!(event.fields.is_none());
            });
            let expected = format!(
                "The line is not a JSON object but {found}; it is kept as an event of type `unknown`"
            );
            assert_eq!(problems[0].message, expected, "{line}");
        }
    }

    #[test]
    fn the_hash_ignores_blank_lines_and_carriage_returns() {
        assert_eq!(jsonl::hash(b"{}\r\n\n{}", 0), jsonl::hash(b"{}\n{}\n", 0));
        assert_eq!(
            jsonl::hash(b"{}\n", 0),
            blake3::hash(b"{}\n").to_hex().to_string()
        );
        for text in [
            "",
            "{}\n",
            "{}",
            "{}\r\n{}\n",
            "{}\n\n",
            "\u{feff}{}\n",
            "{}\n{}\n",
        ] {
            let digest = blake3::hash(text.as_bytes()).to_hex();
            let events = jsonl::lines(text.as_bytes()).count();
            assert_eq!(
                content_hash(text.as_bytes(), events, &digest),
                jsonl::hash(text.as_bytes(), 0),
                "{text:?}"
            );
        }
    }
}
