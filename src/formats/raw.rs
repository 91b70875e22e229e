//! Test Cabinet's raw output log (formats.md B.2): `raw.jsonl`, one line of process output per line. It is checked and counted,
//! never published, and no message quotes it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use serde_json::value::RawValue;

use base::diagnostics::text::quoted;
use base::diagnostics::{Code, Collector, Diagnostic, Place, codes};

use super::json::{self, Node};
use super::jsonl::{self, Line};
use super::reason::not_an_object;
use super::replay::RawRow;

/// The file name in a run directory.
pub const FILE_NAME: &str = "raw.jsonl";

words! {
    /// The streams of a process.
    Stream {
        Stdout = "stdout",
        Stderr = "stderr",
    }
}

/// A readable line.
#[derive(Debug)]
pub struct PrintedLine<'a> {
    /// Where it was printed.
    pub stream: Stream,
    /// Its text. A lone surrogate is U+FFFD.
    pub text: Cow<'a, str>,
}

impl PrintedLine<'_> {
    /// The row for a translation.
    pub fn row(&self) -> RawRow {
        RawRow::new(self.stream, &self.text)
    }
}

/// Counts of a raw log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RawCounts {
    /// Readable lines from `stdout`.
    pub stdout: usize,
    /// Readable lines from `stderr`.
    pub stderr: usize,
    /// Non-blank lines of `stderr`: each becomes a `warning` in the event log.
    pub stderr_text: usize,
    /// Blank lines of both streams: they produce no event.
    pub blank: usize,
    /// Unreadable lines.
    pub unreadable: usize,
}

impl RawCounts {
    pub const fn lines(&self) -> usize {
        self.stdout + self.stderr + self.unreadable
    }
}

/// A line of `raw.jsonl`: one line of a process's output, in the order of arrival.
///
/// A line that violates the schema is counted and left out, with a warning. Nothing of the log is published.
// Values stay raw, so that a fault in one can be named.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "RawLine", transform = line_or_text)]
pub struct RawLineFields<'a> {
    /// Output stream: `stdout` or `stderr`.
    #[serde(borrow)]
    #[schemars(required, extend("enum" = ["stdout", "stderr"]))]
    pub stream: Option<&'a RawValue>,
    /// The printed line, without its line end.
    #[serde(borrow)]
    pub line: Option<&'a RawValue>,
    /// Alias of `line` from the prose of the format, read if there is no `line`.
    // Formats.md, contradiction 3.
    #[serde(borrow)]
    pub text: Option<&'a RawValue>,
}

/// A line as recorders write it. Reading the text at once, not as a raw value first, takes half the time.
#[derive(Deserialize)]
struct UsualLine<'a> {
    #[serde(borrow)]
    stream: Cow<'a, str>,
    #[serde(borrow)]
    line: Cow<'a, str>,
    text: Option<IgnoredAny>,
}

fn line_or_text(schema: &mut Schema) {
    let text = json!({ "type": "string" });
    let absent = json!({ "type": "null" });
    schema.insert(
        "anyOf".to_owned(),
        json!([
            { "required": ["line"], "properties": { "line": text } },
            { "required": ["text"], "properties": { "text": text, "line": absent } },
        ]),
    );
}

/// Reads a log. An unreadable line is counted and reported as a warning.
#[must_use]
pub fn read(path: &str, bytes: &[u8]) -> (RawCounts, Vec<Diagnostic>) {
    let mut reader = RawLogReader::default();
    for line in jsonl::lines(bytes) {
        reader.line(path, &line);
    }
    reader.finish(path)
}

/// Reads a log line by line: it may be far larger than its counts.
#[derive(Debug, Default)]
pub struct RawLogReader {
    raw: RawCounts,
    problems: Collector,
}

impl RawLogReader {
    /// Counts a line, and returns it if it can be read.
    pub fn line<'a>(&mut self, path: &str, line: &'a Line<'_>) -> Option<PrintedLine<'a>> {
        let raw = &mut self.raw;
        match read_line(line) {
            Ok(printed) => {
                let blank = printed.text.trim().is_empty();
                match printed.stream {
                    Stream::Stdout => raw.stdout += 1,
                    Stream::Stderr => {
                        raw.stderr += 1;
                        raw.stderr_text += usize::from(!blank);
                    }
                }
                raw.blank += usize::from(blank);
                Some(printed)
            }
            Err(fault) => {
                raw.unreadable += 1;
                self.problems
                    .add(fault.code(), || fault.diagnostic(path, line));
                None
            }
        }
    }

    /// The counts, and the problems found.
    #[must_use]
    pub fn finish(self, path: &str) -> (RawCounts, Vec<Diagnostic>) {
        (self.raw, self.problems.finish(path))
    }
}

/// Why a line is invalid.
enum Fault {
    NotUtf8,
    /// It is not JSON, or no object.
    NotAnObject(Option<serde_json::Error>),
    Missing(&'static str),
    NotText(&'static str),
    UnknownStream,
}

fn read_line<'a>(line: &'a Line<'_>) -> Result<PrintedLine<'a>, Fault> {
    if matches!(line.text, Cow::Owned(_)) {
        return Err(Fault::NotUtf8);
    }
    // A derived type also reads an array, value by value.
    if not_an_object(&line.text).is_some() {
        return Err(Fault::NotAnObject(None));
    }
    let usual = serde_json::from_str::<UsualLine<'a>>(&line.text);
    if let Ok(usual) = usual
        && usual.text.is_none()
        && let Some(stream) = stream(&usual.stream)
    {
        let text = usual.line;
        return Ok(PrintedLine { stream, text });
    }
    let fields: RawLineFields<'a> =
        serde_json::from_str(&line.text).map_err(|error| Fault::NotAnObject(Some(error)))?;
    let name = fields.stream.ok_or(Fault::Missing("stream"))?;
    let (key, text) = match (fields.line, fields.text) {
        (Some(line), _) => ("line", line),
        (None, Some(text)) => ("text", text),
        (None, None) => return Err(Fault::Missing("line")),
    };
    let string = |key, value: &'a RawValue| {
        let node = Node {
            raw: value.get(),
            offset: 0,
        };
        node.as_str().ok_or(Fault::NotText(key))
    };
    let name = string("stream", name)?;
    let stream = stream(&name).ok_or(Fault::UnknownStream)?;
    let text = string(key, text)?;
    Ok(PrintedLine { stream, text })
}

fn stream(name: &str) -> Option<Stream> {
    Stream::ALL.into_iter().find(|stream| stream.word() == name)
}

impl Fault {
    const fn code(&self) -> &'static Code {
        match self {
            Self::NotUtf8 | Self::NotAnObject(_) => &codes::RAW_UNPARSABLE_LINE,
            Self::Missing(_) => &codes::RAW_MISSING_FIELD,
            Self::NotText(_) => &codes::RAW_WRONG_TYPE,
            Self::UnknownStream => &codes::RAW_UNKNOWN_STREAM,
        }
    }

    fn diagnostic(&self, path: &str, line: &Line<'_>) -> Diagnostic {
        let source = line.source(path);
        let value = |key: &str| json::place(&source, &line.text, &format!("/{key}"));
        let (place, message, help): (Place, String, &str) = match self {
            Self::NotUtf8 => (
                source.place(line.text.find('\u{fffd}').unwrap_or(0), 1),
                "The line is not valid UTF-8".to_owned(),
                "Write the log as UTF-8.",
            ),
            Self::NotAnObject(error) => (
                error.as_ref().map_or_else(
                    || source.place(0, line.text.len()),
                    |error| source.place_of(error),
                ),
                "The line is not a JSON object".to_owned(),
                "Correct the line; a truncated last line usually means that the recorder was stopped.",
            ),
            Self::Missing(key) => (
                source.place(0, 1).pointing(format!("/{key}")),
                format!("The line has no {}", quoted(key)),
                "Write `{\"stream\": \"stdout\", \"line\": \"…\"}` on each line.",
            ),
            Self::NotText(key) => (
                value(key),
                format!("The value of {} is not a string", quoted(key)),
                "Write the value in quotes.",
            ),
            Self::UnknownStream => (
                value("stream"),
                "The stream is neither `stdout` nor `stderr`".to_owned(),
                "Write the stream that the line was printed to.",
            ),
        };
        // No line of it is shown, not even in a terminal.
        let place = Place {
            excerpt: None,
            ..place
        };
        self.code().at(place, message, help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_by_stream() {
        let log = concat!(
            "{\"stream\":\"stdout\",\"line\":\"a\"}\r\n",
            "\n",
            "{\"stream\":\"stderr\",\"text\":\"  \"}\n",
            "{\"stream\":\"stderr\",\"line\":\"b\",\"more\":1}\n",
            "{\"stream\":\"stdout\",\"line\":\"\"}\n",
        );
        let (raw, problems) = read("raw.jsonl", log.as_bytes());
        assert!(problems.is_empty());
        let expected = RawCounts {
            stdout: 2,
            stderr: 2,
            stderr_text: 1,
            blank: 2,
            unreadable: 0,
        };
        assert_eq!((raw, raw.lines()), (expected, 4));
    }

    #[test]
    fn an_escape_is_decoded() {
        let log = concat!(
            "{\"stream\":\"std\\u0065rr\",\"line\":\" \\t\\u00a0\\r\\n\"}\n",
            "{\"stream\":\"stderr\",\"line\":\"\\ttext\"}\n",
            "{\"stream\":\"stderr\",\"line\":\"\\ud83d\"}\n",
        );
        let (raw, problems) = read("raw.jsonl", log.as_bytes());
        assert!(problems.is_empty());
        assert_eq!((raw.stderr, raw.stderr_text, raw.blank), (3, 2, 1));
    }

    #[test]
    fn a_broken_line_is_reported_at_its_place_and_never_quoted() {
        let log = concat!(
            "{\"stream\":\"stdout\",\"line\":\"s3cret\n",
            "{\"stream\":\"s3cret\",\"line\":\"\"}\n",
            "{\"stream\":\"stdout\",\"line\":[\"s3cret\"]}\n",
            "{\"stream\":\"stdout\",\"s3cret\":1}\n",
            "[\"stdout\",\"s3cret\"]\n",
            "{\"stream\":\"stdout\",\"stream\":\"s3cret\",\"line\":\"\"}\n",
        );
        let bytes = [
            log.as_bytes(),
            b"{\"stream\":\"stdout\",\"line\":\"s3cret \xff\"}\n",
        ]
        .concat();
        let (raw, problems) = read("raw.jsonl", &bytes);
        assert_eq!(raw.unreadable, 7);
        let found: Vec<_> = problems
            .iter()
            .map(|p| (p.code.name, p.place.line, p.place.column))
            .collect();
        assert_eq!(
            found,
            [
                ("raw.unparsable-line", Some(1), Some(33)),
                ("raw.unknown-stream", Some(2), Some(11)),
                ("raw.wrong-type", Some(3), Some(27)),
                ("raw.missing-field", Some(4), Some(1)),
                ("raw.unparsable-line", Some(5), Some(1)),
                ("raw.unparsable-line", Some(6), Some(27)),
                ("raw.unparsable-line", Some(7), Some(35)),
            ]
        );
        assert!(!format!("{problems:?}").contains("s3cret"));
    }
}
