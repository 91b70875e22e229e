//! Knows Test Cabinet's event log (formats.md B.1): `events.jsonl`, one normalised event a line.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::diagnostics::text::{nearest, quoted};
use crate::diagnostics::{Collector, Diagnostic, Source, codes, without_mark};

use super::json::{Node, Str, located};
use super::jsonl::{self, Line};
use super::portable;
use super::reason::{not_an_object, reason};

/// The file's name in a run directory.
pub const FILE_NAME: &str = "events.jsonl";

/// One line as written. Its number in the tape is its position in the list (formats.md H.3).
#[derive(Debug)]
pub struct Event<'a> {
    /// The line it is on.
    pub line: Line<'a>,
    /// Its keys; `None` when the line cannot be read, or not as what it says it is.
    pub fields: Option<Fields<'a>>,
    /// How to interpret `fields`.
    pub kind: Kind,
}

/// The `type` of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of formats.md B.1")]
pub enum Kind {
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

const KINDS: [(&str, Kind); 15] = [
    ("agent", Kind::Agent),
    ("reasoning", Kind::Reasoning),
    ("command", Kind::Command),
    ("read", Kind::Read),
    ("write", Kind::Write),
    ("search", Kind::Search),
    ("list", Kind::List),
    ("skill", Kind::Skill),
    ("orchestration", Kind::Orchestration),
    ("error", Kind::Error),
    ("warning", Kind::Warning),
    ("system", Kind::System),
    ("usage", Kind::Usage),
    ("gg", Kind::Gg),
    ("unknown", Kind::Unknown),
];

/// A line of `events.jsonl`: one normalized event, in the order of arrival.
///
/// The other keys depend on `type`. An event of an unrecognized type is shown as `unknown`, with a warning. A line that
/// violates the schema is also kept as `unknown`. A null key counts as absent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Event", transform = shape::by_type)]
pub struct Fields<'a> {
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

/// Reads a log: `each` gets an event for each non-blank line, readable or not, so that numbers never shift.
/// Lines that cannot be read become events of kind unknown, with a warning. An event as written is large and
/// short-lived, so they are never held together.
#[must_use]
pub fn read<'a>(path: &str, bytes: &'a [u8], mut each: impl FnMut(Event<'a>)) -> Vec<Diagnostic> {
    let mut diagnostics = Collector::default();
    for line in jsonl::lines(bytes) {
        each(parse_line(path, line, &mut diagnostics));
    }
    diagnostics.finish(path)
}

/// The content hash of a log (formats.md H.4): BLAKE3 over each non-blank line, trailing CR removed, followed
/// by LF. `events` is how many lines count, `digest` the BLAKE3 of the whole file.
#[must_use]
pub fn content_hash(bytes: &[u8], events: usize, digest: &str) -> String {
    if is_canonical(bytes, events) {
        digest.to_owned()
    } else {
        hash_lines(bytes)
    }
}

/// Whether the content hash is that of the file as it is: every line counts, ends in LF and has no CR.
fn is_canonical(bytes: &[u8], events: usize) -> bool {
    without_mark(bytes).len() == bytes.len()
        && bytes.last().is_none_or(|last| *last == b'\n')
        && memchr::memchr(b'\r', bytes).is_none()
        && memchr::memchr_iter(b'\n', bytes).count() == events
}

fn hash_lines(bytes: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut rest = without_mark(bytes);
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.iter().all(u8::is_ascii_whitespace) {
            hasher.update(line);
            hasher.update(b"\n");
        }
        rest = after.get(1..).unwrap_or_default();
    }
    hasher.finalize().to_hex().to_string()
}

fn parse_line<'a>(path: &str, line: Line<'a>, diagnostics: &mut Collector) -> Event<'a> {
    match read_fields(path, &line) {
        Ok((fields, kind)) => {
            check_portable(path, &line, diagnostics);
            Event {
                line,
                fields: Some(fields),
                kind,
            }
        }
        Err(problem) => {
            diagnostics.push(*problem);
            Event {
                line,
                fields: None,
                kind: Kind::Unknown,
            }
        }
    }
}

/// Reports the first value of a line, one a line, that some readers refuse. Only opaque values and unknown keys can
/// have one: a key of the format with such a value is of the wrong type.
fn check_portable(path: &str, line: &Line<'_>, diagnostics: &mut Collector) {
    let Some((trouble, range)) = portable::first_refused(&line.text) else {
        return;
    };
    diagnostics.add(&codes::EVENTS_UNPORTABLE_VALUE, || {
        let range = trouble.marked(range);
        let source = Source::line(path, line.number, line.text.as_bytes());
        codes::EVENTS_UNPORTABLE_VALUE.at(
            source.place(range.start, range.end),
            format!("Some JSON readers refuse this line: it has {}", trouble.reason()),
            "Correct the recorder: logs are published byte for byte, and some readers stop at this line.",
        )
    });
}

fn read_fields<'a>(path: &str, line: &Line<'a>) -> Result<(Fields<'a>, Kind), Box<Diagnostic>> {
    let source = Source::line(path, line.number, line.text.as_bytes());
    // Only text that the file really holds can be borrowed; a line with broken UTF-8 stays what it is.
    let std::borrow::Cow::Borrowed(text) = line.text else {
        let at = line.text.find('\u{fffd}').unwrap_or(0);
        return Err(Box::new(codes::EVENTS_UNPARSABLE_LINE.at(
            source.place(at, at + 3),
            "The line is not valid UTF-8; it is kept as an event of type `unknown`",
            "Write the log as UTF-8.",
        )));
    };
    if let Some(found) = not_an_object(text) {
        return Err(Box::new(codes::EVENTS_WRONG_TYPE.at(
            source.place(0, text.len()),
            format!("The line is not a JSON object but {found}; it is kept as an event of type `unknown`"),
            "Write each event as one JSON object on one line.",
        )));
    }
    let fields: Fields<'a> =
        serde_json::from_str(text).map_err(|e| unreadable(&source, text, &e))?;
    let name = fields.kind.as_deref().unwrap_or_default();
    let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == name) else {
        return Err(Box::new(unknown_type(&source, text, name)));
    };
    if let Some(key) = missing_key(*kind, &fields) {
        return Err(Box::new(codes::EVENTS_MISSING_FIELD.at(
            source.place(0, text.len()).pointing(format!("/{key}")),
            format!(
                "The event of type {} has no {}; it is kept as an event of type `unknown`",
                quoted(name),
                quoted(key)
            ),
            format!("Add {} to the event.", quoted(key)),
        )));
    }
    Ok((fields, *kind))
}

fn unreadable(source: &Source<'_>, text: &str, error: &serde_json::Error) -> Box<Diagnostic> {
    let place = located::<Fields<'_>>(source, text, error);
    let reason = reason(error);
    Box::new(if reason.starts_with("duplicate field") {
        codes::EVENTS_DUPLICATE_KEY.at(
            place,
            format!(
                "Duplicate key in this event ({reason}); it is kept as an event of type `unknown`"
            ),
            "Keep one of the two.",
        )
    } else if Node::parse(text).is_ok() {
        codes::EVENTS_WRONG_TYPE.at(
            place,
            format!("A value of this event has the wrong type: {reason}; it is kept as an event of type `unknown`"),
            "Use the type of the key: numbers and booleans without quotes, text in quotes.",
        )
    } else {
        codes::EVENTS_UNPARSABLE_LINE.at(
            place,
            format!(
                "The line is not a JSON object: {reason}; it is kept as an event of type `unknown`"
            ),
            "Correct the line; a truncated last line usually means that the recorder was stopped.",
        )
    })
}

fn unknown_type(source: &Source<'_>, text: &str, name: &str) -> Diagnostic {
    let node = Node::parse(text).ok().and_then(|root| root.get("type"));
    let place = node.map_or_else(
        || source.place(0, 1),
        |n| source.place(n.offset, n.offset + n.raw.len()),
    );
    let (message, help) = if name.is_empty() {
        (
            "The event has no `type`; it is kept as an event of type `unknown`".to_owned(),
            "Add `type` to the event.".to_owned(),
        )
    } else {
        let near = nearest(name, KINDS.iter().map(|(known, _)| *known));
        (
            format!(
                "Unknown event type {}; it is kept as an event of type `unknown`",
                quoted(name)
            ),
            near.map_or_else(
                || "No action needed; a newer producer may have written it.".to_owned(),
                |near| format!("Did you mean {}?", quoted(near)),
            ),
        )
    };
    codes::EVENTS_UNKNOWN_TYPE.at(place.pointing("/type"), message, help)
}

/// The keys that an event of a kind must have besides `timestamp` and `type`.
const fn required(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Agent | Kind::Reasoning | Kind::Error | Kind::Warning => &["message"],
        Kind::Command => &["command"],
        Kind::Read | Kind::Write | Kind::Skill => &["path"],
        Kind::Search => &["query"],
        Kind::Orchestration => &["action"],
        Kind::System => &["stage", "status", "message"],
        Kind::Usage => &["tokens"],
        Kind::Gg => &["event"],
        Kind::List | Kind::Unknown => &[],
    }
}

fn missing_key(kind: Kind, f: &Fields<'_>) -> Option<&'static str> {
    let has = |key| match key {
        "message" => f.message.is_some(),
        "command" => f.command.is_some(),
        "path" => f.path.is_some(),
        "query" => f.query.is_some(),
        "action" => f.action.is_some(),
        "stage" => f.stage.is_some(),
        "status" => f.status.is_some(),
        "tokens" => f.tokens.is_some(),
        "event" => f.event.is_some(),
        _ => f.timestamp.is_some(),
    };
    if f.timestamp.is_none() {
        return Some("timestamp");
    }
    required(kind).iter().copied().find(|key| !has(*key))
}

/// What the schema of an event says beyond its keys.
mod shape {
    use schemars::Schema;
    use serde_json::{Value, json};

    use super::{KINDS, required};

    /// Which keys must be there, and which must be there for each type.
    pub(super) fn by_type(schema: &mut Schema) {
        let each: Vec<Value> = KINDS
            .iter()
            .filter(|(_, kind)| !required(*kind).is_empty())
            .map(|(name, kind)| {
                json!({
                    "if": { "properties": { "type": { "const": name } } },
                    "then": present(required(*kind)),
                })
            })
            .collect();
        schema.insert("allOf".to_owned(), Value::Array(each));
        schema.insert("required".to_owned(), json!(["timestamp", "type"]));
        for key in ["timestamp", "type"] {
            if let Some(property) = schema.pointer_mut(&format!("/properties/{key}/type")) {
                *property = json!("string");
            }
        }
        if let Some(Value::Object(kind)) = schema.pointer_mut("/properties/type") {
            let names: Vec<_> = KINDS.iter().map(|(name, _)| *name).collect();
            kind.insert("minLength".to_owned(), json!(1));
            kind.insert("examples".to_owned(), json!(names));
        }
    }

    /// Keys that must be there and not null.
    fn present(keys: &[&str]) -> Value {
        let properties: serde_json::Map<_, _> = keys
            .iter()
            .map(|key| ((*key).to_owned(), json!({ "not": { "type": "null" } })))
            .collect();
        json!({ "required": keys, "properties": properties })
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
            [(1, Kind::Agent), (3, Kind::Unknown), (4, Kind::Unknown)]
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
            let told = format!(
                "The line is not a JSON object but {found}; it is kept as an event of type `unknown`"
            );
            assert_eq!(problems[0].message, told, "{line}");
        }
    }

    #[test]
    fn the_hash_ignores_blank_lines_and_carriage_returns() {
        assert_eq!(hash_lines(b"{}\r\n\n{}"), hash_lines(b"{}\n{}\n"));
        assert_eq!(
            hash_lines(b"{}\n"),
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
                hash_lines(text.as_bytes()),
                "{text:?}"
            );
        }
    }
}
