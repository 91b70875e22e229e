//! Knows Harn's unified tape (formats.md C): a header and numbered records, and its content hash.
//!
//! The hash is over the records parsed and written again, so the types below serialise in exactly
//! Harn's key order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::text::quoted;
use crate::diagnostics::{Collector, Diagnostic, Source, codes, without_mark};

use super::json::{Node, Str, located};
use super::jsonl::{self, Line};
use super::reason::reason_of_line;

/// The newest version that is read (`TAPE_FORMAT_VERSION`).
pub const FORMAT_VERSION: u32 = 1;
/// File endings of a tape.
pub const EXTENSIONS: [&str; 2] = [".tape", ".testbench-tape"];

/// A line of a tape, told by its `type`: the first is the header, every other a record. Any line that breaks the
/// schema refuses the whole tape. Keys that are not listed are ignored.
#[derive(Debug, JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", rename = "TapeLine")]
pub enum AnyLine<'a> {
    /// The first line of the file, and no other.
    Header(Header),
    /// What happened, in the order of recording.
    Record(Record<'a>),
}

/// First line of a tape.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Header {
    /// Version of the format; the newest that is read is 1.
    #[schemars(range(max = FORMAT_VERSION))]
    pub version: u32,
    /// Which Harn wrote it.
    pub harn_version: String,
    /// When the recording began, in milliseconds since 1970-01-01 UTC.
    #[serde(default)]
    pub started_at_unix_ms: Option<i64>,
    /// The script that ran.
    #[serde(default)]
    pub script_path: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub argv: Vec<String>,
}

/// One record, in Harn's key order.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct Record<'a> {
    /// Its number, from 0; annotations point at it.
    pub seq: u64,
    /// Which part of the program was running; `user_script` when it is not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// The program's own clock, in milliseconds.
    pub virtual_time_ms: i64,
    /// A clock that never jumps, in milliseconds.
    pub monotonic_ms: i64,
    /// What happened.
    #[serde(borrow)]
    pub kind: Kind<'a>,
}

/// Which part of the program was running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The script itself; also what a tape without phases means.
    UserScript,
    /// The runtime's own work after the script.
    RuntimeFinalize,
}

/// What a record holds. The fields of a kind that is not listed are neither read nor hashed.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(transform = open)]
pub enum Kind<'a> {
    /// A clock was read.
    ClockRead {
        /// Which clock.
        source: ClockSource,
        /// What it said, in milliseconds.
        value_ms: i64,
    },
    /// The program slept.
    ClockSleep {
        /// How long, in milliseconds.
        duration_ms: u64,
    },
    /// A model was asked.
    LlmCall {
        /// BLAKE3 of the request.
        request_digest: String,
        /// What it answered.
        #[serde(borrow)]
        response: Payload<'a>,
    },
    /// A file was read.
    FileRead {
        /// The file, as the program named it.
        path: String,
        /// BLAKE3 of what was read.
        content_hash: String,
        /// How many bytes.
        len_bytes: u64,
    },
    /// A file was written.
    FileWrite {
        /// The file, as the program named it.
        path: String,
        /// BLAKE3 of what was written.
        content_hash: String,
        /// How many bytes.
        len_bytes: u64,
    },
    /// A file was deleted.
    FileDelete {
        /// The file, as the program named it.
        path: String,
    },
    /// A program ran.
    ProcessSpawn {
        /// What ran.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// Where it ran.
        cwd: Option<String>,
        /// What it ended with.
        exit_code: i32,
        /// How long it ran, in milliseconds.
        duration_ms: u64,
        /// What it wrote to standard output.
        #[serde(borrow)]
        stdout_payload: Payload<'a>,
        /// What it wrote to standard error.
        #[serde(borrow)]
        stderr_payload: Payload<'a>,
    },
    /// A decision was made by a model.
    DecisionEvaluation {
        /// BLAKE3 of the request.
        request_digest: String,
        /// What it answered.
        #[serde(borrow)]
        response: Payload<'a>,
    },
    /// A server of the Model Context Protocol was called.
    McpJsonRpc {
        /// The server.
        server: String,
        /// The method that was called.
        method: String,
        /// BLAKE3 of the request.
        request_digest: String,
        /// BLAKE3 of the response.
        response_digest: String,
        /// How long it took, in milliseconds.
        latency_ms: u64,
        /// The request.
        #[serde(borrow)]
        request_payload: Payload<'a>,
        /// The response.
        #[serde(borrow)]
        response_payload: Payload<'a>,
    },
    /// Something happened to a job that a model works on.
    ModelJob {
        /// The job.
        job_id: String,
        /// The request that began it.
        request_id: String,
        /// What works on it.
        backend: String,
        /// Where the job stands.
        state: String,
        /// What kind of event it is.
        event_kind: String,
        /// The event.
        #[serde(borrow)]
        event: Payload<'a>,
        /// BLAKE3 of the assets, sorted.
        asset_digests: Vec<String>,
    },
    /// A newer kind; its fields are not read, and not hashed either.
    #[serde(other)]
    Unknown,
}

fn open(schema: &mut schemars::Schema) {
    crate::shapes::open(schema, "kind", "unknown");
}

/// Which clock was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClockSource {
    /// The time of day.
    Wall,
    /// A clock that never jumps.
    Monotonic,
}

/// Bytes that a record carries: in the line, or in the tape's CAS folder.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a payload is an object with `content_hash` and either `text` or `len_bytes`"
)]
pub enum Payload<'a> {
    /// In the line.
    Inline {
        /// BLAKE3 of the text.
        content_hash: String,
        /// The bytes as text.
        #[serde(borrow)]
        #[schemars(with = "String")]
        text: InlineText<'a>,
    },
    /// In `<tape>.cas/<content_hash>`.
    External {
        /// BLAKE3 of the bytes.
        content_hash: String,
        /// How many bytes.
        len_bytes: u64,
    },
}

/// Inline text, borrowed when it can be.
#[derive(Debug)]
pub struct InlineText<'a>(pub std::borrow::Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for InlineText<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Str::deserialize(deserializer).map(|text| Self(text.into_inner()))
    }
}

impl Serialize for InlineText<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// A record and the line it stands on.
#[derive(Debug)]
pub struct RecordLine<'a> {
    /// The line.
    pub line: Line<'a>,
    /// What it says.
    pub record: Record<'a>,
    /// BLAKE3 of the record written again, without LF.
    pub digest: blake3::Hash,
}

/// A tape as written, with its content hashes.
#[derive(Debug)]
pub struct Tape<'a> {
    /// The first line.
    pub header: Header,
    /// The records in file order, which is the order of recording.
    pub records: Vec<RecordLine<'a>>,
    /// Formats.md C: BLAKE3 over the records written again, each followed by LF.
    pub content_hash: String,
    /// The same without `phase`, for tapes of older releases: only when no record carries one.
    pub hash_without_phase: Option<String>,
}

/// Reads a tape. As in Harn's loader one malformed line refuses the whole tape, but every such line is reported.
#[must_use]
pub fn parse<'a>(path: &str, bytes: &'a [u8]) -> (Option<Tape<'a>>, Vec<Diagnostic>) {
    let mut diagnostics = Collector::default();
    let mut header = None;
    let mut records = Vec::new();
    let first_is_blank = without_mark(bytes)
        .split(|b| *b == b'\n')
        .next()
        .is_some_and(|l| l.trim_ascii().is_empty());
    for (index, line) in jsonl::lines(bytes).enumerate() {
        let source = Source::line(path, line.number, line.text.as_bytes());
        let result = if index == 0 {
            parse_header(&source, &line, first_is_blank).map(|found| header = Some(found))
        } else {
            parse_record(&source, &line).map(|record| {
                let digest = blake3::Hash::from_bytes([0; 32]);
                records.push(RecordLine {
                    line: line.clone(),
                    record,
                    digest,
                });
            })
        };
        if let Err(problem) = result {
            diagnostics.push(*problem);
        }
    }
    if header.is_none() && !diagnostics.has_errors() {
        diagnostics.push(codes::TAPE_EMPTY.at(
            Source::file(path, bytes).place(0, 0),
            "The tape is empty; its first line must be a header",
            "Record the tape again, or remove the file.",
        ));
    }
    let tape = header
        .filter(|_| !diagnostics.has_errors())
        .map(|header| finish(header, records));
    (tape, diagnostics.finish(path))
}

fn finish(header: Header, mut records: Vec<RecordLine<'_>>) -> Tape<'_> {
    let has_phase = records.iter().any(|line| line.record.phase.is_some());
    let hash_without_phase = (!has_phase).then(|| hash(&mut records));
    for line in &mut records {
        line.record.phase.get_or_insert(Phase::UserScript);
    }
    Tape {
        header,
        content_hash: hash(&mut records),
        records,
        hash_without_phase,
    }
}

fn hash(records: &mut [RecordLine<'_>]) -> String {
    let mut hasher = blake3::Hasher::new();
    for line in records {
        // Writing plain data into memory cannot fail.
        let json = serde_json::to_vec(&line.record).unwrap_or_default();
        line.digest = blake3::hash(&json);
        hasher.update(&json);
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

#[derive(Deserialize)]
struct Tag<'a> {
    #[serde(borrow, rename = "type")]
    tag: Option<Str<'a>>,
}

fn tag(text: &str) -> Option<String> {
    serde_json::from_str::<Tag<'_>>(text)
        .ok()?
        .tag
        .map(|tag| tag.to_string())
}

fn parse_header(
    source: &Source<'_>,
    line: &Line<'_>,
    first_is_blank: bool,
) -> Result<Header, Box<Diagnostic>> {
    let text = line.text.as_ref();
    let whole = source.place(0, text.len());
    if first_is_blank || tag(text).as_deref() != Some("header") {
        return Err(Box::new(codes::TAPE_MISSING_HEADER.at(
            whole,
            "The first line of the tape is not a header",
            "Begin the tape with `{\"type\":\"header\",\"version\":1,\"harn_version\":\"…\"}`; a blank or comment line may not stand before it.",
        )));
    }
    let header: Header = serde_json::from_str(text)
        .map_err(|error| malformed::<Header>(source, text, &error, "header"))?;
    if header.version > FORMAT_VERSION {
        let node = Node::parse(text).ok().and_then(|root| root.get("version"));
        let place = node.map_or(whole, |n| source.place(n.offset, n.offset + n.raw.len()));
        return Err(Box::new(codes::TAPE_UNSUPPORTED_VERSION.at(
            place.pointing("/version"),
            format!(
                "The tape is of version `{}`; the newest that can be read is `{FORMAT_VERSION}`",
                header.version
            ),
            "Use a newer runpress, or record the tape with an older Harn.",
        )));
    }
    Ok(header)
}

fn parse_record<'a>(source: &Source<'_>, line: &Line<'a>) -> Result<Record<'a>, Box<Diagnostic>> {
    let std::borrow::Cow::Borrowed(text) = line.text else {
        return Err(Box::new(codes::TAPE_MALFORMED_RECORD.at(
            source.place(0, 1),
            "The line is not valid UTF-8",
            "Record the tape again; a tape with one broken line cannot be trusted.",
        )));
    };
    match tag(text).as_deref() {
        Some("header") => Err(Box::new(codes::TAPE_SECOND_HEADER.at(
            source.place(0, text.len()),
            "This line is a header, and only the first line of a tape may be one",
            "Split the file: one header and its records make one tape.",
        ))),
        Some("record") => serde_json::from_str(text)
            .map_err(|error| malformed::<Record<'_>>(source, text, &error, "record")),
        Some(other) => Err(Box::new(codes::TAPE_MALFORMED_RECORD.at(
            source.place(0, text.len()).pointing("/type"),
            format!("The line type {} is not known in a tape", quoted(other)),
            "Only `header` (first) and `record` lines make a tape.",
        ))),
        None => match serde_json::from_str::<Record<'_>>(text) {
            Err(error) if Node::parse(text).is_err() => {
                Err(malformed::<Record<'_>>(source, text, &error, "record"))
            }
            _ => Err(Box::new(codes::TAPE_MALFORMED_RECORD.at(
                source.place(0, text.len()).pointing("/type"),
                "The line has no `type`",
                "Add `\"type\":\"record\"`; comment lines are not allowed in a tape.",
            ))),
        },
    }
}

fn malformed<'a, T: Deserialize<'a>>(
    source: &Source<'_>,
    text: &'a str,
    error: &serde_json::Error,
    what: &str,
) -> Box<Diagnostic> {
    Box::new(codes::TAPE_MALFORMED_RECORD.at(
        located::<T>(source, text, error),
        format!("The {what} cannot be read: {}", reason_of_line(text, error)),
        "Correct the line; as in Harn's own loader, one malformed line refuses the whole tape.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "{\"type\":\"header\",\"version\":1,\"harn_version\":\"0.8\"}\n";

    fn hash_of(body: &str) -> String {
        let text = format!("{HEADER}{body}");
        parse("t", text.as_bytes()).0.expect("a tape").content_hash
    }

    #[test]
    fn a_payload_that_is_none_is_told_in_plain_words() {
        let record = concat!(
            r#"{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"process_spawn","program":"ls","#,
            r#""args":[],"cwd":null,"exit_code":0,"duration_ms":1,"stdout_payload":"x","stderr_payload":"x"}}"#
        );
        let (_, problems) = parse("t", format!("{HEADER}{record}\n[\"record\"]\n").as_bytes());
        let told: Vec<_> = problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(
            told,
            [
                "The record cannot be read: a payload is an object with `content_hash` and either `text` or `len_bytes`",
                "The record cannot be read: an array instead of an object"
            ]
        );
    }

    #[test]
    fn the_hash_of_no_records_is_that_of_nothing() {
        assert_eq!(
            hash_of(""),
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
        );
    }

    #[test]
    fn a_byte_order_mark_changes_nothing() {
        for before in ["", "\n"] {
            let codes = |mark: &str| -> Vec<_> {
                let text = format!("{mark}{before}{HEADER}");
                let (_, problems) = parse("t", text.as_bytes());
                problems.iter().map(|problem| problem.code.name).collect()
            };
            assert_eq!(codes("\u{feff}"), codes(""));
        }
    }

    #[test]
    fn the_hash_is_over_the_records_written_again() {
        let sleeps: String = (0..3)
            .map(|seq| {
                format!("{{ \"type\":\"record\",\"kind\":{{\"kind\":\"clock_sleep\",\"duration_ms\":1,\"extra\":0}},\"monotonic_ms\":0,\"virtual_time_ms\":0,\"seq\":{seq}}}\n")
            })
            .collect();
        assert_eq!(
            hash_of(&sleeps),
            "a85a6b38d429aca4494ff9c5f0e6ceabec9c9aff636b812f4ff88c649130565f"
        );
    }

    #[test]
    fn an_unknown_kind_is_hashed_by_its_kind_alone() {
        let line = "{\"type\":\"record\",\"seq\":0,\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{\"kind\":\"quantum\",\"x\":1}}\n";
        let expected = b"{\"seq\":0,\"phase\":\"user_script\",\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{\"kind\":\"unknown\"}}\n";
        assert_eq!(hash_of(line), blake3::hash(expected).to_hex().to_string());
    }
}
