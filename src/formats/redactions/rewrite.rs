//! Replaces spans in a file with markers. All bytes around a span stay as written.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use crate::json::{JsonKind, Node, pointer_part};
use base::diagnostics::without_mark;

use super::{FileLayout, Redaction};

/// A redacted file.
pub struct RewrittenFile {
    /// The published bytes.
    pub bytes: Vec<u8>,
    /// The withheld bytes of each redaction, in their order.
    pub values: Vec<Vec<u8>>,
    /// The correct `published` of each redaction, in their order.
    pub published: Vec<String>,
}

/// Why a file was not rewritten, with the index of the redaction.
#[derive(Debug, PartialEq, Eq)]
pub enum RewriteError {
    /// It does not match the file; the reason, as a clause.
    Stale(usize, &'static str),
    /// It overlaps another one.
    Overlap(usize, usize),
}

/// A replaced range of the file.
struct Edit {
    at: Range<usize>,
    new: String,
    /// The index of the redaction.
    of: usize,
    /// The string, line or text with the span.
    container: Range<usize>,
}

/// Replaces the spans of `redactions`, all of this file, with markers. With `is_checked`, compares the text around each with its
/// `published`.
///
/// # Errors
/// A redaction does not match the file.
pub fn rewrite(
    path: &str,
    bytes: &[u8],
    redactions: &[&Redaction],
    is_checked: bool,
) -> Result<RewrittenFile, RewriteError> {
    let shape = FileLayout::of(path);
    let lines = shape.has_lines().then(|| NumberedLines::of(shape, bytes));
    let mut edits = Vec::new();
    let mut values = Vec::new();
    let mut documents = Documents::default();
    for (of, redaction) in redactions.iter().enumerate() {
        let stale = |why| RewriteError::Stale(of, why);
        let text = match &lines {
            Some(lines) => lines.find(redaction).ok_or(stale(NO_LINE))?,
            None if redaction.pointer.is_some() => {
                bytes.len() - without_mark(bytes).len()..bytes.len()
            }
            None => 0..bytes.len(),
        };
        let RedactedSpan {
            container,
            at,
            withheld,
            is_string,
        } = documents
            .span(text.start, &bytes[text.clone()], redaction)
            .map_err(stale)?;
        let moved = |range: Range<usize>| range.start + text.start..range.end + text.start;
        let count = String::from_utf8_lossy(&withheld).chars().count();
        if redaction.length.is_some_and(|length| length != count) {
            return Err(stale("the span has another length"));
        }
        if withheld.starts_with(b"[withheld: ") && withheld.ends_with(b"]") {
            return Err(stale("the text there is a marker already"));
        }
        let mut new = redaction.marker();
        if shape == FileLayout::Text {
            // Keep the numbers of the lines after it.
            let breaks = memchr::memchr_iter(b'\n', &withheld).count();
            new.push_str(&"\n".repeat(breaks));
        }
        edits.push(Edit {
            at: moved(at),
            new: if is_string { new } else { format!("\"{new}\"") },
            of,
            container: moved(container),
        });
        values.push(withheld);
    }
    edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
    for pair in edits.windows(2) {
        if pair[1].at.start < pair[0].at.end {
            let (a, b) = (pair[0].of, pair[1].of);
            return Err(RewriteError::Overlap(a.min(b), a.max(b)));
        }
    }
    let published = published(bytes, &edits);
    if is_checked {
        for (of, redaction) in redactions.iter().enumerate() {
            if redaction
                .published
                .as_ref()
                .is_some_and(|was| *was != published[of])
            {
                return Err(RewriteError::Stale(of, "the text around the span changed"));
            }
        }
    }
    Ok(RewrittenFile {
        bytes: with_edits(bytes, 0..bytes.len(), &edits),
        values,
        published,
    })
}

/// Number and range of a redaction's line.
pub fn line_of(path: &str, bytes: &[u8], redaction: &Redaction) -> Option<(u32, Range<usize>)> {
    let shape = FileLayout::of(path);
    let lines = shape.has_lines().then(|| NumberedLines::of(shape, bytes))?;
    lines.lines.get(lines.position(redaction)?).cloned()
}

const NO_LINE: &str = "there is no such event or line";

/// The span of a redaction in a text.
struct RedactedSpan {
    /// The string, line or text with the span.
    container: Range<usize>,
    at: Range<usize>,
    withheld: Vec<u8>,
    /// Whether the marker goes into a string, and needs no quotes.
    is_string: bool,
}

/// The parsed documents and lines of a file. Thousands of redactions may be in one document, and in one string of it.
#[derive(Default)]
struct Documents<'a> {
    /// Each document by its start in the file: the white space before it, and its values by pointer.
    parsed: BTreeMap<usize, (usize, BTreeMap<String, Node<'a>>)>,
    /// How far each string was read, by its start in the file.
    read: BTreeMap<usize, Progress>,
}

/// How far a string was read: the bytes of its text, and the bytes as written.
#[derive(Clone, Copy)]
struct Progress {
    decoded: usize,
    written: usize,
}

impl Default for Progress {
    /// The first character is after the quote.
    fn default() -> Self {
        Self {
            decoded: 0,
            written: 1,
        }
    }
}

impl<'a> Documents<'a> {
    /// The span of a redaction in a text, which begins at `offset` in the file.
    fn span(
        &mut self,
        offset: usize,
        text: &'a [u8],
        redaction: &Redaction,
    ) -> Result<RedactedSpan, &'static str> {
        let (start, end) = (
            redaction.start.unwrap_or_default(),
            redaction.end.unwrap_or_default(),
        );
        let Some(pointer) = &redaction.pointer else {
            let is_boundary = |at: usize| {
                text.get(at)
                    .map_or(at == text.len(), |byte| byte & 0xc0 != 0x80)
            };
            if end > text.len() {
                return Err("the span ends after the text");
            }
            if !is_boundary(start) || !is_boundary(end) {
                return Err("the span begins or ends within a character");
            }
            return Ok(RedactedSpan {
                container: 0..text.len(),
                at: start..end,
                withheld: text[start..end].to_vec(),
                is_string: true,
            });
        };
        let (before, node) = self.find(offset, text, pointer)?;
        let container = before + node.offset..before + node.offset + node.raw.len();
        if node.kind() != JsonKind::String {
            if (start, end) != (0, node.raw.len()) {
                return Err("only a whole value can be withheld where it is not a string");
            }
            return Ok(RedactedSpan {
                at: container.clone(),
                container,
                withheld: node.raw.as_bytes().to_vec(),
                is_string: false,
            });
        }
        let read = self.read.entry(offset + container.start).or_default();
        if start < read.decoded {
            *read = Progress::default();
        }
        let (at, value) = within_from(node.raw, start..end, read)?;
        let at = container.start + at.start..container.start + at.end;
        Ok(RedactedSpan {
            container,
            at,
            withheld: value.into_bytes(),
            is_string: true,
        })
    }

    /// The value at a pointer, and the white space before the document.
    fn find(
        &mut self,
        offset: usize,
        text: &'a [u8],
        pointer: &str,
    ) -> Result<(usize, Node<'a>), &'static str> {
        let (before, values) = match self.parsed.entry(offset) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let json = std::str::from_utf8(text).map_err(|_| "the text is not valid UTF-8")?;
                let root = Node::parse(json.trim()).map_err(|_| "the text is not valid JSON")?;
                let before = json.len() - json.trim_start().len();
                new.insert((before, BTreeMap::from([(String::new(), root)])))
            }
        };
        // The values of an object or a list are all read when the first of them is needed.
        let ends = pointer.match_indices('/').map(|(at, _)| at).skip(1);
        for end in ends.chain([pointer.len()]) {
            if values.contains_key(&pointer[..end]) {
                continue;
            }
            let parent = &pointer[..pointer[..end].rfind('/').unwrap_or_default()];
            let Some(node) = values.get(parent).copied() else {
                break;
            };
            if node.kind() == JsonKind::Array {
                let items = node.items().into_iter().enumerate();
                values.extend(items.map(|(at, item)| (format!("{parent}/{at}"), item)));
            } else {
                let members = node.members().into_iter();
                let at = |key: &str| format!("{parent}/{}", pointer_part(key));
                values.extend(members.map(|member| (at(&member.key), member.value)));
            }
        }
        let node = values.get(pointer).ok_or("the pointer leads to nothing")?;
        Ok((*before, *node))
    }
}

/// The range of a span in a string as written, with quotes and escapes, and its decoded text.
pub(super) fn within(
    raw: &str,
    span: Range<usize>,
) -> Result<(Range<usize>, String), &'static str> {
    within_from(raw, span, &mut Progress::default())
}

/// As [`within`], from where the string was read up to. The start of the span is then where the next one continues.
fn within_from(
    raw: &str,
    span: Range<usize>,
    read: &mut Progress,
) -> Result<(Range<usize>, String), &'static str> {
    let mut value = String::new();
    let mut decoded = read.decoded;
    let (mut from, mut to) = (None, None);
    for (at, text) in units(raw, read.written) {
        if decoded == span.start {
            from = Some(at.start);
            *read = Progress {
                decoded,
                written: at.start,
            };
        }
        if (span.start..span.end).contains(&decoded) {
            value.push(text);
        }
        decoded += text.len_utf8();
        if decoded == span.end {
            to = Some(at.end);
        }
        if decoded >= span.end {
            break;
        }
    }
    if decoded < span.end {
        return Err("the span ends after the text");
    }
    match (from, to) {
        (Some(from), Some(to)) => Ok((from..to, value)),
        _ => Err("the span begins or ends within a character"),
    }
}

/// The characters of a string with their ranges as written, from a byte on. A lone surrogate is U+FFFD.
fn units(raw: &str, from: usize) -> impl Iterator<Item = (Range<usize>, char)> + '_ {
    let end = raw.len().saturating_sub(1);
    let mut at = from;
    let hex = move |at: usize| {
        let digits = raw.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let start = at;
        let first = raw[start..].chars().next()?;
        if first != '\\' {
            at += first.len_utf8();
            return Some((start..at, first));
        }
        if let Some(code) = hex(start) {
            at += 6;
            let low = hex(at).filter(|low| (0xdc00..0xe000).contains(low));
            let code = match (code, low) {
                (0xd800..0xdc00, Some(low)) => {
                    at += 6;
                    0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
                }
                _ => code,
            };
            return Some((start..at, char::from_u32(code).unwrap_or('\u{fffd}')));
        }
        at += 2;
        let text = match raw.as_bytes().get(start + 1) {
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(byte) => char::from(*byte),
            None => return None,
        };
        Some((start..at, text))
    })
}

/// `bytes[range]` with the edits in it applied.
fn with_edits(bytes: &[u8], range: Range<usize>, edits: &[Edit]) -> Vec<u8> {
    let first = edits.partition_point(|edit| edit.at.start < range.start);
    let mut out = Vec::with_capacity(range.len());
    let mut at = range.start;
    for edit in edits[first..]
        .iter()
        .take_while(|edit| edit.at.end <= range.end)
    {
        out.extend_from_slice(&bytes[at..edit.at.start]);
        out.extend_from_slice(edit.new.as_bytes());
        at = edit.at.end;
    }
    out.extend_from_slice(&bytes[at..range.end]);
    out
}

/// For each redaction, the digest of its string, line or text as published.
fn published(bytes: &[u8], edits: &[Edit]) -> Vec<String> {
    let mut known = BTreeMap::new();
    let mut published = vec![String::new(); edits.len()];
    for edit in edits {
        let range = (edit.container.start, edit.container.end);
        let digest = known.entry(range).or_insert_with(|| {
            let text = with_edits(bytes, edit.container.clone(), edits);
            format!("blake3:{}", blake3::hash(&text).to_hex())
        });
        published[edit.of].clone_from(digest);
    }
    published
}

/// The non-blank lines of a file, by number and by event.
pub(super) struct NumberedLines {
    pub(super) lines: Vec<(u32, Range<usize>)>,
    events: BTreeMap<u64, usize>,
}

impl NumberedLines {
    pub(super) fn of(shape: FileLayout, bytes: &[u8]) -> Self {
        let mut lines = Vec::new();
        let mut at = bytes.len() - without_mark(bytes).len();
        for number in 1.. {
            if at >= bytes.len() {
                break;
            }
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
            let text = &bytes[at..end];
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            if !text.iter().all(u8::is_ascii_whitespace) {
                lines.push((number, at..at + text.len()));
            }
            at = end + 1;
        }
        let events = match shape {
            FileLayout::Events(skipped) => (0..).zip(skipped..lines.len()).collect(),
            FileLayout::Numbered => {
                let seq = |range: &Range<usize>| {
                    let text = std::str::from_utf8(&bytes[range.clone()]).ok()?;
                    Node::parse(text.trim()).ok()?.get("seq")?.as_u64()
                };
                let numbered = lines.iter().enumerate().skip(1).rev();
                numbered
                    .filter_map(|(at, (_, range))| Some((seq(range)?, at)))
                    .collect()
            }
            _ => BTreeMap::new(),
        };
        Self { lines, events }
    }

    /// The range of a redaction's line.
    fn find(&self, redaction: &Redaction) -> Option<Range<usize>> {
        Some(self.lines.get(self.position(redaction)?)?.1.clone())
    }

    fn position(&self, redaction: &Redaction) -> Option<usize> {
        match (redaction.event, redaction.line) {
            (Some(event), _) => self.events.get(&event).copied(),
            (None, Some(line)) => (self.lines)
                .binary_search_by_key(&line, |(line, _)| *line)
                .ok(),
            (None, None) => None,
        }
    }

    /// The event number of each line that has one, by position.
    pub(super) fn events(&self) -> BTreeMap<usize, u64> {
        self.events
            .iter()
            .map(|(event, at)| (*at, *event))
            .collect()
    }
}

impl std::fmt::Debug for RewrittenFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rewrite({} bytes)", self.bytes.len())
    }
}
