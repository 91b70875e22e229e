//! Where a value is in a file: in decoded strings, in keys, and in text as it is written.

use std::ops::Range;

use memchr::memmem;

use crate::diagnostics::without_mark;
use crate::formats::json::{Kind, Node, pointer_part};

use super::rewrite::{Lines, within};
use super::{Redaction, Shape};

/// A place where a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The number of the event, in a log.
    pub event: Option<u64>,
    /// The line of a file of JSON lines.
    pub line: Option<u32>,
    /// JSON pointer of the value; `None` where the span is of the text as written.
    pub pointer: Option<String>,
    /// Bytes of the decoded string, or of the text as written.
    pub span: Range<usize>,
    /// Characters of the span.
    pub length: usize,
}

impl Found {
    /// Writes it into a redaction.
    pub fn put(&self, redaction: &mut Redaction) {
        redaction.event = self.event;
        redaction.line = self.line.filter(|_| self.event.is_none());
        redaction.pointer.clone_from(&self.pointer);
        redaction.start = Some(self.span.start);
        redaction.end = Some(self.span.end);
        redaction.length = Some(self.length);
    }
}

/// A value in the forms in which it may be written.
struct Forms(Vec<Vec<u8>>);

impl Forms {
    fn of(value: &str) -> Self {
        let escaped = |text: &str| {
            let json = serde_json::to_string(text).unwrap_or_default();
            let quotes = 1..json.len().saturating_sub(1);
            json.get(quotes).unwrap_or_default().to_owned()
        };
        let once = escaped(value);
        let twice = escaped(&once);
        let html = value
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let quoted = html.replace('"', "&quot;").replace('\'', "&#39;");
        let slashes = value.replace('/', "\\/");
        let mut forms = vec![
            value.to_owned(),
            percent(value),
            once,
            twice,
            html,
            quoted,
            slashes,
        ];
        forms.retain(|form| !form.is_empty());
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        Self(forms.into_iter().map(String::into_bytes).collect())
    }

    /// Where the forms are in a text: the longest first, without overlaps, sorted.
    fn spans(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut spans: Vec<Range<usize>> = Vec::new();
        for form in &self.0 {
            for at in memmem::find_iter(text, form) {
                let span = at..at + form.len();
                if spans
                    .iter()
                    .all(|known| known.end <= span.start || span.end <= known.start)
                {
                    spans.push(span);
                }
            }
        }
        spans.sort_by_key(|span| span.start);
        spans
    }

    fn is_in(&self, text: &[u8]) -> bool {
        self.0.iter().any(|form| memmem::find(text, form).is_some())
    }
}

fn percent(value: &str) -> String {
    let mut out = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Every place of a file where `value` is: as it is, in JSON and in HTML escaped, percent-encoded.
pub fn occurrences(path: &str, bytes: &[u8], value: &str) -> Vec<Found> {
    let forms = Forms::of(value);
    let shape = Shape::of(path);
    let mut found = Vec::new();
    if shape.has_lines() && may_hold(bytes, &forms) {
        let lines = Lines::of(shape, bytes);
        let events = lines.events();
        for (at, (number, range)) in lines.lines.iter().enumerate() {
            let first = found.len();
            in_json(&bytes[range.clone()], &forms, 0, &mut found);
            for found in &mut found[first..] {
                found.line = Some(*number);
                found.event = events.get(&at).copied();
            }
        }
    } else if shape == Shape::Document {
        let text = without_mark(bytes);
        in_json(text, &forms, bytes.len() - text.len(), &mut found);
    } else if !shape.has_lines() {
        raw(bytes, &forms, 0, &mut found);
    }
    found
}

fn raw(text: &[u8], forms: &Forms, offset: usize, found: &mut Vec<Found>) {
    found.extend(forms.spans(text).into_iter().map(|span| Found {
        event: None,
        line: None,
        pointer: None,
        length: String::from_utf8_lossy(&text[span.clone()]).chars().count(),
        span: span.start + offset..span.end + offset,
    }));
}

/// Whether a value may be in a JSON text: as it is written, or behind escapes that no form has.
fn may_hold(text: &[u8], forms: &Forms) -> bool {
    let hides = |escape| memmem::find(text, escape).is_some();
    forms.is_in(text) || hides(b"\\u") || hides(b"\\/")
}

/// Looks through a line or a document; `offset` is what comes before it in the text that places without a pointer count.
fn in_json(text: &[u8], forms: &Forms, offset: usize, found: &mut Vec<Found>) {
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

/// Deeper than any value that is published.
const DEPTH: usize = 200;

struct Walk<'a> {
    forms: &'a Forms,
    offset: usize,
    found: &'a mut Vec<Found>,
}

impl Walk<'_> {
    /// Looks through a value; without a pointer it is one that no pointer leads to.
    fn value(&mut self, node: Node<'_>, pointer: Option<String>, depth: usize) {
        let below = |part: &str| pointer.as_ref().map(|pointer| format!("{pointer}/{part}"));
        match node.kind() {
            Kind::Object if depth < DEPTH => {
                let members = node.members();
                let mut end = 1;
                for (at, member) in members.iter().enumerate() {
                    // The key is the only string between the value before it and its own.
                    let between = &node.raw[end..member.value.offset - node.offset];
                    if let Some((open, close)) = between.find('"').zip(between.rfind('"')) {
                        let raw = &between[open..=close];
                        self.string(raw, node.offset + end + open, None);
                    }
                    end = member.value.offset - node.offset + member.value.raw.len();
                    let is_last = !members[at + 1..]
                        .iter()
                        .any(|later| later.key == member.key);
                    // A pointer through a key that holds the value would say it.
                    let is_plain = is_last && !self.forms.is_in(member.key.as_bytes());
                    let pointer = below(&pointer_part(&member.key)).filter(|_| is_plain);
                    self.value(member.value, pointer, depth + 1);
                }
            }
            Kind::Array if depth < DEPTH => {
                for (at, item) in node.items().into_iter().enumerate() {
                    self.value(item, below(&at.to_string()), depth + 1);
                }
            }
            Kind::String => self.string(node.raw, node.offset, pointer.as_deref()),
            Kind::Number if self.forms.is_in(node.raw.as_bytes()) => {
                let start = pointer.as_ref().map_or(self.offset + node.offset, |_| 0);
                self.found.push(Found {
                    event: None,
                    line: None,
                    span: start..start + node.raw.len(),
                    length: node.raw.chars().count(),
                    pointer,
                });
            }
            Kind::Object | Kind::Array => {
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
            self.found.push(Found {
                event: None,
                line: None,
                pointer: pointer.map(str::to_owned),
                span,
                length,
            });
        }
    }
}
