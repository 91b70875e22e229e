//! Harn's unified tape (formats.md C, J): a header, numbered records, and their content hash.

use schemars::JsonSchema;

use base::diagnostics::text::quoted;
use base::diagnostics::{Collector, Diagnostic, Source, codes, without_mark};

use super::json::Node;
use super::jsonl::{self, Line};
use super::line_format::{LineFormat, Tag};

pub mod change;
pub mod content;
mod record;

pub use record::{
    Attribution, ClockSource, Effect, Payload, RecordKind, RecordPhase, Recording, RunFacts,
    Segment, TapeHeader, TapeRecord,
};

/// The newest version supported (`TAPE_FORMAT_VERSION`).
pub const FORMAT_VERSION: u32 = 5;
/// File extensions of a tape.
pub const EXTENSIONS: [&str; 2] = [".tape", ".testbench-tape"];

const FORMAT: LineFormat = LineFormat {
    file: "tape",
    word: "record",
    malformed: &codes::TAPE_MALFORMED_RECORD,
    second_header: &codes::TAPE_SECOND_HEADER,
};

/// A line of a tape: the first is the header, every other a record, as its `type` says. One invalid line invalidates
/// the whole tape, except a last line that was cut off. Unknown keys are ignored.
#[derive(Debug, JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case")]
pub enum TapeLine<'a> {
    /// The first line of the file, and no other.
    Header(TapeHeader),
    /// A recorded event, in the order of recording.
    Record(TapeRecord<'a>),
}

#[derive(Debug)]
pub struct RecordLine<'a> {
    pub line: Line<'a>,
    pub record: TapeRecord<'a>,
    /// BLAKE3 of the reserialized record, without LF.
    pub digest: blake3::Hash,
}

/// A tape as written, with its content hashes.
#[derive(Debug)]
pub struct HarnTape<'a> {
    /// The first line.
    pub header: TapeHeader,
    /// The records in file order, which is recording order.
    pub records: Vec<RecordLine<'a>>,
    /// Formats.md C: BLAKE3 over the reserialized records, each followed by LF.
    pub content_hash: String,
    /// The hashes of other builds and older releases of Harn, if different: with the keys of transcript changes in file order,
    /// and without `phase` if no record has one.
    pub other_hashes: Vec<String>,
}

/// Reads a tape. As in Harn's loader, one malformed line rejects the whole tape, but every such line is reported. Only a last
/// line without a line break may be malformed: a truncated recording counts up to there.
#[must_use]
pub fn parse<'a>(path: &str, bytes: &'a [u8]) -> (Option<HarnTape<'a>>, Vec<Diagnostic>) {
    let mut diagnostics = Collector::default();
    let mut header = None;
    let mut records = Vec::new();
    let first_is_blank = without_mark(bytes)
        .split(|b| *b == b'\n')
        .next()
        .is_some_and(|l| l.trim_ascii().is_empty());
    let unfinished = unfinished(bytes);
    // Harn trims Unicode white space around every line except the header.
    let lines = jsonl::lines(bytes)
        .enumerate()
        .map(|(index, line)| (index, if index == 0 { line } else { line.trimmed() }))
        .filter(|(_, line)| !line.text.is_empty());
    for (index, line) in lines {
        let result = if index == 0 {
            parse_header(path, &line, first_is_blank).map(|found| header = Some(found))
        } else {
            FORMAT.read(path, &line).map(|record| {
                let digest = blake3::Hash::from_bytes([0; 32]);
                records.push(RecordLine {
                    line: line.clone(),
                    record,
                    digest,
                });
            })
        };
        match result {
            Err(problem) if index > 0 && unfinished == Some(line.number) && is_torn(&problem) => {
                diagnostics.push(torn(*problem));
            }
            Err(problem) => diagnostics.push(*problem),
            Ok(()) => {}
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

/// The number of the last line, if no line break ends it.
fn unfinished(bytes: &[u8]) -> Option<u32> {
    let breaks = memchr::memchr_iter(b'\n', bytes).count();
    (bytes.last()? != &b'\n').then(|| u32::try_from(breaks + 1).unwrap_or(u32::MAX))
}

/// Whether truncation explains the problem. A second header parses, so it is invalid in any case.
fn is_torn(problem: &Diagnostic) -> bool {
    *problem.code == codes::TAPE_MALFORMED_RECORD
}

fn torn(problem: Diagnostic) -> Diagnostic {
    codes::TAPE_TORN_LINE.at(
        problem.place,
        "The last line of the tape is cut off and was skipped",
        "No action needed if the recording was interrupted; otherwise copy the tape from its source again.",
    )
}

fn finish(header: TapeHeader, mut records: Vec<RecordLine<'_>>) -> HarnTape<'_> {
    let mut other_hashes = Vec::new();
    if !records.iter().any(|line| line.record.phase.is_some()) {
        other_hashes.push(hash(&mut records));
    }
    for line in &mut records {
        line.record.phase.get_or_insert(RecordPhase::UserScript);
    }
    let as_written = records
        .iter()
        .any(|line| matches!(&line.record.kind, RecordKind::ToolCall { transcript_changes, .. } if !transcript_changes.is_empty()))
        .then(|| hash(&mut records));
    let sorted = records
        .iter_mut()
        .fold(false, |changed, line| sort(&mut line.record) | changed);
    other_hashes.extend(as_written.filter(|_| sorted));
    HarnTape {
        header,
        content_hash: hash(&mut records),
        records,
        other_hashes,
    }
}

fn sort(record: &mut TapeRecord<'_>) -> bool {
    let RecordKind::ToolCall {
        transcript_changes, ..
    } = &mut record.kind
    else {
        return false;
    };
    transcript_changes
        .iter_mut()
        .fold(false, |changed, change| change.sort() | changed)
}

fn hash(records: &mut [RecordLine<'_>]) -> String {
    let mut hasher = blake3::Hasher::new();
    for line in records {
        // Serializing plain data into memory cannot fail.
        let json = serde_json::to_vec(&line.record).unwrap_or_default();
        line.digest = blake3::hash(&json);
        hasher.update(&json);
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

fn parse_header(
    path: &str,
    line: &Line<'_>,
    first_is_blank: bool,
) -> Result<TapeHeader, Box<Diagnostic>> {
    let (source, text) = (&line.source(path), &*line.text);
    let whole = source.place(0, text.len());
    let missing = || {
        Box::new(codes::TAPE_MISSING_HEADER.at(
            whole.clone(),
            "The first line of the tape is not a header",
            "Begin the tape with `{\"type\":\"header\",\"version\":5,\"harn_version\":\"…\"}`; no blank line or comment may come before it.",
        ))
    };
    if first_is_blank {
        return Err(missing());
    }
    if !text.trim_start().starts_with('{') {
        return Err(missing());
    }
    let Tag { tag } = FORMAT.object(path, line)?;
    if tag.as_deref() != Some("header") {
        return Err(missing());
    }
    // A newer header may have unreadable parts, so check its version first.
    let version = Node::parse(text).ok().and_then(|root| root.get("version"));
    if let Some(node) = version
        && node
            .as_u64()
            .is_some_and(|version| version > u64::from(FORMAT_VERSION))
    {
        return Err(Box::new(codes::TAPE_UNSUPPORTED_VERSION.at(
            node.place(source).pointing("/version"),
            format!(
                "The tape has version {}; the newest supported version is `{FORMAT_VERSION}`",
                quoted(node.raw)
            ),
            "Use a newer runpress, or record the tape with an older Harn.",
        )));
    }
    let header = FORMAT.object(path, line)?;
    FORMAT.check_values(path, line).map(|()| header)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "{\"type\":\"header\",\"version\":5,\"harn_version\":\"0.8\"}\n";

    fn hash_of(body: &str) -> String {
        let text = format!("{HEADER}{body}");
        parse("t", text.as_bytes()).0.expect("a tape").content_hash
    }

    #[test]
    fn an_invalid_payload_is_reported_in_plain_words() {
        let record = concat!(
            r#"{"type":"record","seq":0,"virtual_time_ms":0,"monotonic_ms":0,"kind":{"kind":"process_spawn","program":"ls","#,
            r#""args":[],"cwd":null,"exit_code":0,"duration_ms":1,"stdout_payload":"x","stderr_payload":"x"}}"#
        );
        let (_, problems) = parse("t", format!("{HEADER}{record}\n[\"record\"]\n").as_bytes());
        let expected: Vec<_> = problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(
            expected,
            [
                "The line cannot be read: a payload is an object with `content_hash` and either `text` or `len_bytes`",
                "The line cannot be read: an array instead of an object"
            ]
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
    fn an_unknown_kind_is_hashed_by_its_kind_alone() {
        let line = "{\"type\":\"record\",\"seq\":0,\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{\"kind\":\"quantum\",\"x\":1}}\n";
        let expected = b"{\"seq\":0,\"phase\":\"user_script\",\"virtual_time_ms\":0,\"monotonic_ms\":0,\"kind\":{\"kind\":\"unknown\"}}\n";
        assert_eq!(hash_of(line), blake3::hash(expected).to_hex().to_string());
    }
}
