//! Finds a value in a file: in decoded strings, in keys, and in text as written.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use memchr::memmem;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::json::{JsonKind, Node, pointer_part};
use base::diagnostics::without_mark;

use super::rewrite::{NumberedLines, within};
use super::{FileLayout, Redaction};

/// An occurrence of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The event number, in a log.
    pub event: Option<u64>,
    /// The line, in a JSON Lines file.
    pub line: Option<u32>,
    /// JSON pointer of the string; `None` if the span is in the text as written.
    pub pointer: Option<String>,
    /// Byte range in the decoded string, or in the text as written.
    pub span: Range<usize>,
    /// Length of the span in characters.
    pub length: usize,
}

impl Occurrence {
    /// Writes the place into a redaction.
    pub fn put(&self, redaction: &mut Redaction) {
        redaction.event = self.event;
        redaction.line = self.line.filter(|_| self.event.is_none());
        redaction.pointer.clone_from(&self.pointer);
        redaction.start = Some(self.span.start);
        redaction.end = Some(self.span.end);
        redaction.length = Some(self.length);
    }
}

/// A value in all its encodings.
struct Encodings {
    plain: Vec<Vec<u8>>,
    /// In base64: the characters that do not depend on the bytes around it, and the number of characters before and after that
    /// do.
    encoded: Vec<(Vec<u8>, usize, usize)>,
}

/// Everything but the unreserved characters of URLs.
const RESERVED: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Minimum length for the search in base64, where shorter values match by chance.
const MIN_BASE64_BYTES: usize = 8;

impl Encodings {
    fn of(value: &str) -> Self {
        let escaped = |text: &str| {
            let json = serde_json::to_string(text).unwrap_or_default();
            let quotes = 1..json.len().saturating_sub(1);
            json.get(quotes).unwrap_or_default().to_owned()
        };
        let once = escaped(value);
        let twice = escaped(&once);
        // HTML needs no escape for `>`: the texts of pages have none, attributes and XML have one.
        let html = value.replace('&', "&amp;").replace('<', "&lt;");
        let html = [html.replace('>', "&gt;"), html];
        let html = html.into_iter().flat_map(|html| {
            let apostrophes = html.replace('\'', "&#39;");
            let quoted = ["&quot;", "&#34;"].map(|quote| apostrophes.replace('"', quote));
            quoted.into_iter().chain([escaped(&html), html])
        });
        let slashes = value.replace('/', "\\/");
        let percent = utf8_percent_encode(value, &RESERVED).to_string();
        let mut forms = vec![
            value.to_owned(),
            percent.to_lowercase(),
            percent,
            once,
            twice,
            slashes,
        ];
        forms.extend(html);
        forms.retain(|form| !form.is_empty());
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        Self {
            plain: forms.into_iter().map(String::into_bytes).collect(),
            encoded: base64(value.as_bytes()),
        }
    }

    /// Matches in a text: longest first, without overlaps, sorted.
    fn spans(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut spans: Vec<Range<usize>> = Vec::new();
        let mut add = |span: Range<usize>| {
            let is_apart =
                |known: &Range<usize>| known.end <= span.start || span.end <= known.start;
            if spans.iter().all(is_apart) {
                spans.push(span);
            }
        };
        for form in &self.plain {
            memmem::find_iter(text, form).for_each(|at| add(at..at + form.len()));
        }
        let is_base64 = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte))
        };
        for (form, before, after) in &self.encoded {
            for at in memmem::find_iter(text, form) {
                let (mut start, mut end) = (at, at + form.len());
                for _ in 0..*before {
                    start -= usize::from(start > 0 && is_base64(text.get(start - 1)));
                }
                for _ in 0..*after {
                    end += usize::from(is_base64(text.get(end)));
                }
                add(start..end);
            }
        }
        spans.sort_by_key(|span| span.start);
        spans
    }

    fn is_in(&self, text: &[u8]) -> bool {
        self.all().any(|form| memmem::find(text, form).is_some())
    }

    fn all(&self) -> impl Iterator<Item = &[u8]> {
        let encoded = self.encoded.iter().map(|(form, ..)| form);
        self.plain.iter().chain(encoded).map(Vec::as_slice)
    }
}

/// A value in base64, in both alphabets, at each of the three offsets.
fn base64(value: &[u8]) -> Vec<(Vec<u8>, usize, usize)> {
    let mut forms = Vec::new();
    if value.len() < MIN_BASE64_BYTES {
        return forms;
    }
    for skipped in 0..3 {
        let text = [&[0; 2][..skipped], value].concat();
        // Characters shared with the bytes before the value, and whether the last one is shared with those after it.
        let first = [0, 2, 3][skipped];
        let is_shared = text.len() % 3 != 0;
        let end = (text.len() * 4).div_ceil(3) - usize::from(is_shared);
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let encoded = engine.encode(&text).into_bytes();
            let form = encoded[first..end].to_vec();
            let known = |(known, ..): &(Vec<u8>, usize, usize)| *known == form;
            if !forms.iter().any(known) {
                forms.push((form, usize::from(skipped > 0), usize::from(is_shared)));
            }
        }
    }
    forms
}

/// All occurrences of `value` in a file: as is, escaped in JSON or HTML, or percent-encoded.
pub fn occurrences(path: &str, bytes: &[u8], value: &str) -> Vec<Occurrence> {
    in_file(path, bytes, &Encodings::of(value))
}

fn in_file(path: &str, bytes: &[u8], forms: &Encodings) -> Vec<Occurrence> {
    let shape = FileLayout::of(path);
    let mut found = Vec::new();
    if shape.has_lines() && may_hold(bytes, forms) {
        let lines = NumberedLines::of(shape, bytes);
        let events = lines.events();
        for (at, (number, range)) in lines.lines.iter().enumerate() {
            let first = found.len();
            in_json(&bytes[range.clone()], forms, 0, &mut found);
            for found in &mut found[first..] {
                found.line = Some(*number);
                found.event = events.get(&at).copied();
            }
        }
    } else if shape == FileLayout::Document {
        let text = without_mark(bytes);
        in_json(text, forms, bytes.len() - text.len(), &mut found);
    } else if !shape.has_lines() {
        raw(bytes, forms, 0, &mut found);
    }
    found
}

/// Many values that are searched for in many files. The time for a file does not grow with their number.
#[derive(Default)]
pub struct ValueSearch {
    values: Vec<Encodings>,
    forms: Option<AhoCorasick>,
    /// Index of the value of each form.
    owners: Vec<usize>,
}

impl ValueSearch {
    /// Prepares the search for these values.
    pub fn new<'a>(values: impl Iterator<Item = &'a str>) -> Self {
        let values: Vec<Encodings> = values.map(Encodings::of).collect();
        let all = values.iter().enumerate();
        let all: Vec<(usize, &[u8])> = all
            .flat_map(|(at, forms)| forms.all().map(move |form| (at, form)))
            .collect();
        Self {
            forms: AhoCorasick::new(all.iter().map(|(_, form)| form)).ok(),
            owners: all.iter().map(|(at, _)| *at).collect(),
            values,
        }
    }

    /// The first value that a file has, by its index, and its first occurrence.
    pub fn first_in(&self, path: &str, bytes: &[u8]) -> Option<(usize, Occurrence)> {
        let mut likely = BTreeSet::new();
        self.add(bytes, &mut likely);
        let shape = FileLayout::of(path);
        if has_unsearched_escapes(bytes) && (shape.has_lines() || shape == FileLayout::Document) {
            // Escapes may hide a value in the text as written, so each string is also searched as a reader gets it.
            let lines = shape
                .has_lines()
                .then(|| NumberedLines::of(shape, bytes).lines);
            let whole = || vec![(1, 0..bytes.len())];
            for (_, range) in lines.unwrap_or_else(whole) {
                let text = without_mark(&bytes[range]);
                let json = std::str::from_utf8(text).unwrap_or_default();
                if has_unsearched_escapes(text)
                    && let Ok(root) = Node::parse(json.trim())
                {
                    self.add_strings(root, 0, &mut likely);
                }
            }
        }
        likely.into_iter().find_map(|at| {
            let found = in_file(path, bytes, self.values.get(at)?);
            Some((at, found.into_iter().next()?))
        })
    }

    /// Adds the values that a text contains in any form.
    fn add(&self, text: &[u8], likely: &mut BTreeSet<usize>) {
        let forms = self.forms.iter();
        let found = forms.flat_map(|forms| forms.find_overlapping_iter(text));
        likely.extend(found.map(|found| self.owners[found.pattern().as_usize()]));
    }

    fn add_strings(&self, node: Node<'_>, depth: usize, likely: &mut BTreeSet<usize>) {
        match node.kind() {
            JsonKind::Object if depth < MAX_DEPTH => {
                for member in node.members() {
                    self.add(member.key.as_bytes(), likely);
                    self.add_strings(member.value, depth + 1, likely);
                }
            }
            JsonKind::Array if depth < MAX_DEPTH => {
                for item in node.items() {
                    self.add_strings(item, depth + 1, likely);
                }
            }
            JsonKind::String => {
                if let Some(text) = node
                    .as_str()
                    .filter(|_| has_unsearched_escapes(node.raw.as_bytes()))
                {
                    self.add(text.as_bytes(), likely);
                }
            }
            _ => {}
        }
    }
}

impl fmt::Debug for ValueSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Values({})", self.values.len())
    }
}

/// Whether a JSON text has escapes that no form of a value has.
fn has_unsearched_escapes(text: &[u8]) -> bool {
    [b"\\u", b"\\/"]
        .iter()
        .any(|escape| memmem::find(text, *escape).is_some())
}

fn raw(text: &[u8], forms: &Encodings, offset: usize, found: &mut Vec<Occurrence>) {
    found.extend(forms.spans(text).into_iter().map(|span| Occurrence {
        event: None,
        line: None,
        pointer: None,
        length: String::from_utf8_lossy(&text[span.clone()]).chars().count(),
        span: span.start + offset..span.end + offset,
    }));
}

/// Whether a JSON text may contain a value: as written, or with escapes that no form covers.
fn may_hold(text: &[u8], forms: &Encodings) -> bool {
    forms.is_in(text) || has_unsearched_escapes(text)
}

/// Searches a line or a document; `offset` is its start in the text that spans without a pointer count from.
fn in_json(text: &[u8], forms: &Encodings, offset: usize, found: &mut Vec<Occurrence>) {
    if !may_hold(text, forms) {
        return;
    }
    let parsed = std::str::from_utf8(text).ok();
    let before = parsed.map_or(0, |json| json.len() - json.trim_start().len());
    let root = parsed.and_then(|json| Node::parse(json.trim()).ok());
    let Some(root) = root else {
        return raw(text, forms, offset, found);
    };
    let mut walk = Walk {
        forms,
        offset: offset + before,
        found,
    };
    walk.value(root, Some(String::new()), 0);
}

/// Deeper than any published value.
const MAX_DEPTH: usize = 200;

struct Walk<'a> {
    forms: &'a Encodings,
    offset: usize,
    found: &'a mut Vec<Occurrence>,
}

impl Walk<'_> {
    /// Searches a value; without a pointer, no pointer can address it.
    fn value(&mut self, node: Node<'_>, pointer: Option<String>, depth: usize) {
        let below = |part: &str| pointer.as_ref().map(|pointer| format!("{pointer}/{part}"));
        match node.kind() {
            JsonKind::Object if depth < MAX_DEPTH => {
                let members = node.members();
                let mut end = 1;
                for (at, member) in members.iter().enumerate() {
                    // The key is the only string between the previous value and its own.
                    let between = &node.raw[end..member.value.offset - node.offset];
                    if let Some((open, close)) = between.find('"').zip(between.rfind('"')) {
                        let raw = &between[open..=close];
                        self.string(raw, node.offset + end + open, None);
                    }
                    end = member.value.offset - node.offset + member.value.raw.len();
                    let is_last = !members[at + 1..]
                        .iter()
                        .any(|later| later.key == member.key);
                    // A pointer through a key with the value would reveal it.
                    let is_plain = is_last && !self.forms.is_in(member.key.as_bytes());
                    let pointer = below(&pointer_part(&member.key)).filter(|_| is_plain);
                    self.value(member.value, pointer, depth + 1);
                }
            }
            JsonKind::Array if depth < MAX_DEPTH => {
                for (at, item) in node.items().into_iter().enumerate() {
                    self.value(item, below(&at.to_string()), depth + 1);
                }
            }
            JsonKind::String => self.string(node.raw, node.offset, pointer.as_deref()),
            JsonKind::Number if self.forms.is_in(node.raw.as_bytes()) => {
                let start = pointer.as_ref().map_or(self.offset + node.offset, |_| 0);
                self.found.push(Occurrence {
                    event: None,
                    line: None,
                    span: start..start + node.raw.len(),
                    length: node.raw.chars().count(),
                    pointer,
                });
            }
            JsonKind::Object | JsonKind::Array => {
                let offset = self.offset + node.offset;
                raw(node.raw.as_bytes(), self.forms, offset, self.found);
            }
            _ => {}
        }
    }

    fn string(&mut self, raw: &str, offset: usize, pointer: Option<&str>) {
        let Some(text) = (Node { raw, offset }).as_str() else {
            return;
        };
        for span in self.forms.spans(text.as_bytes()) {
            let length = text[span.clone()].chars().count();
            let (span, length) = match &pointer {
                Some(_) => (span, length),
                None => match within(raw, span) {
                    Ok((at, _)) => {
                        let length = raw[at.clone()].chars().count();
                        let start = self.offset + offset;
                        (start + at.start..start + at.end, length)
                    }
                    Err(_) => continue,
                },
            };
            self.found.push(Occurrence {
                event: None,
                line: None,
                pointer: pointer.map(str::to_owned),
                span,
                length,
            });
        }
    }
}
