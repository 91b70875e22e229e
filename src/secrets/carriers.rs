//! Finds the texts of a file, whatever its format, and maps a secret in a text to its place.

use std::ops::Range;

use super::engine::{Candidate, Engine, Match, confirm};
use super::families::Kind;
use super::rules::{RULES, Rule};
use super::seams;
use super::strings::{Decoded, Strings};
use super::views::{self, View};

/// Bytes around an escape that are unescaped with it.
const AROUND: usize = 1 << 10;
/// Maximum nested levels of escapes.
const LEVELS: usize = 3;

/// Maximum total length of all pointers in a file, in bytes; four times the file size if that is more.
const POINTERS: usize = 1 << 20;

/// The format of a file, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// Any text.
    Text,
    /// One JSON document.
    Json,
    /// A JSON document on each line.
    JsonLines,
}

impl Carrier {
    /// The format of the file with this name.
    pub fn of(name: &str) -> Self {
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if ends(&[".jsonl", ".ndjson", ".tape", ".testbench-tape"]) {
            Self::JsonLines
        } else if ends(&[".json"]) {
            Self::Json
        } else {
            Self::Text
        }
    }
}

/// A secret by its raw bytes in a file.
#[derive(Debug, Clone)]
pub struct Written {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// Its bytes in the file.
    pub range: Range<usize>,
    /// Whether these are its first bytes.
    pub is_first: bool,
}

/// The part of a secret in one string, or in a text file.
#[derive(Debug)]
pub struct Part {
    /// The secret.
    pub written: Written,
    /// The pointer of the string, if any, and whether it is a key.
    pub string: Option<(String, bool)>,
    /// Its bytes in the decoded string, or in the file.
    pub range: Range<usize>,
    /// Its length in characters.
    pub characters: usize,
}

/// Every secret of a file, in file order, without overlaps.
pub fn written(engine: &Engine, carrier: Carrier, name: &str, text: &[u8]) -> Vec<Written> {
    let mut search = Search {
        engine,
        carrier,
        name,
        text,
        found: Vec::new(),
    };
    search.texts();
    search.encoded();
    if carrier == Carrier::JsonLines {
        seams::join(text, |view| search.joined(view));
    }
    distinct(search.found)
}

struct Search<'a> {
    engine: &'a Engine,
    carrier: Carrier,
    name: &'a str,
    text: &'a [u8],
    found: Vec<Written>,
}

/// The candidates and escapes of a line, or of a whole file that is not JSON Lines.
#[derive(Default)]
struct Unit {
    candidates: Vec<Candidate>,
    escapes: Vec<usize>,
}

impl Search<'_> {
    /// Scans the raw text, and its unescaped form.
    fn texts(&mut self) {
        let mut all = Vec::new();
        self.engine
            .candidates(self.text, self.name, |candidate| all.push(candidate));
        let escapes = escapes(self.text);
        let mut candidates = all.into_iter().peekable();
        let mut escapes = escapes.into_iter().peekable();
        loop {
            let first = [
                candidates.peek().map(|next| next.start),
                escapes.peek().copied(),
            ];
            let Some(first) = first.into_iter().flatten().min() else {
                break;
            };
            let bounds = self.bounds(first);
            let mut unit = Unit::default();
            while let Some(next) = candidates.next_if(|next| next.start < bounds.end) {
                unit.candidates.push(next);
            }
            while let Some(next) = escapes.next_if(|next| *next < bounds.end) {
                unit.escapes.push(next);
            }
            self.unit(&bounds, unit);
        }
    }

    /// The line that contains a byte, or the whole file.
    fn bounds(&self, at: usize) -> Range<usize> {
        if self.carrier != Carrier::JsonLines {
            return 0..self.text.len();
        }
        line(self.text, at)
    }

    fn unit(&mut self, bounds: &Range<usize>, unit: Unit) {
        let mut regions: Vec<Range<usize>> = Vec::new();
        for candidate in &unit.candidates {
            let reach = RULES.all[candidate.rule].reach;
            regions.push(candidate.start.saturating_sub(AROUND)..candidate.end + reach);
        }
        for at in unit.escapes {
            regions.push(at.saturating_sub(AROUND / 2)..at + AROUND);
        }
        regions.sort_unstable_by_key(|region| region.start);
        let mut found = Vec::new();
        confirm(
            self.text,
            bounds.clone(),
            unit.candidates,
            self.name,
            &mut found,
        );
        self.take(found, |range| range);
        let mut regions = regions.into_iter().peekable();
        while let Some(mut region) = regions.next() {
            while let Some(next) = regions.next_if(|next| next.start <= region.end) {
                region.end = region.end.max(next.end);
            }
            let start = region.start.max(bounds.start);
            self.unescaped(start..region.end.min(bounds.end), bounds.start);
        }
    }

    /// Scans a part of the text with each level of escapes removed. Each level is scanned again without colors, without
    /// percent-encoding, and without line breaks in long words.
    fn unescaped(&mut self, mut region: Range<usize>, from: usize) {
        let before = self.text[from..region.start].iter().rev();
        if before.take_while(|byte| **byte == b'\\').count() % 2 == 1 {
            region.start -= 1;
        }
        let mut views = vec![View::default()];
        views[0].push(self.text, region);
        while views.len() <= LEVELS
            && let Some(plain) = views.last().and_then(|last| views::unescaped(&last.text))
        {
            views.push(plain);
        }
        for level in 0..views.len() {
            let (below, view) = (&views[..level], &views[level]);
            let origin = |range: Range<usize>| {
                let of = view.origin(&range);
                below
                    .iter()
                    .rev()
                    .fold(of, |range, view| view.origin(&range))
            };
            if level > 0 {
                self.take(self.engine.matches(&view.text, self.name), origin);
            }
            for other in [views::uncolored, views::unpercented, views::unwrapped] {
                if let Some(plain) = other(&view.text) {
                    let found = self.engine.matches(&plain.text, self.name);
                    self.take(found, |range| origin(plain.origin(&range)));
                }
            }
        }
    }

    /// Scans decoded base64.
    fn encoded(&mut self) {
        let (engine, name, found) = (self.engine, self.name, &mut self.found);
        views::decoded(self.text, |range, bytes| {
            let matches = engine.matches(bytes, name);
            let sure = matches
                .iter()
                .find(|found| matches!(found.rule.kind, Kind::Secret | Kind::Generic));
            if let Some(first) = sure {
                found.push(Written {
                    rule: first.rule,
                    range,
                    is_first: false,
                });
            }
        });
    }

    /// Scans the joined texts of consecutive events.
    fn joined(&mut self, view: &View) {
        let mut found = self.engine.matches(&view.text, self.name);
        if let Some(plain) = views::unescaped(&view.text) {
            let more = self.engine.matches(&plain.text, self.name).into_iter();
            found.extend(more.map(|found| Match {
                rule: found.rule,
                range: plain.origin(&found.range),
            }));
        }
        for found in found {
            let origins = view.origins(&found.range);
            if origins.len() < 2 {
                continue;
            }
            for (index, range) in origins.into_iter().enumerate() {
                self.found.push(Written {
                    rule: found.rule,
                    range,
                    is_first: index == 0,
                });
            }
        }
    }

    fn take(&mut self, found: Vec<Match>, origin: impl Fn(Range<usize>) -> Range<usize>) {
        let written = found.into_iter().map(|found| Written {
            rule: found.rule,
            range: origin(found.range),
            is_first: true,
        });
        self.found
            .extend(written.filter(|written| !written.range.is_empty()));
    }
}

/// The line that contains a byte.
pub fn line(text: &[u8], at: usize) -> Range<usize> {
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |found| found + 1);
    let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |found| at + found);
    start..end
}

/// Positions, in order, of escapes of an ASCII character that a keyword may have.
fn escapes(text: &[u8]) -> Vec<usize> {
    let mut found: Vec<usize> = memchr::memchr_iter(0x1b, text).collect();
    let hides = |at: &usize| match text.get(at + 4..at + 6) {
        Some([b'2'..=b'7', _]) => true,
        Some(digits) => digits.eq_ignore_ascii_case(b"1b"),
        None => false,
    };
    found.extend(memchr::memmem::find_iter(text, b"\\u00").filter(hides));
    found.extend(memchr::memmem::find_iter(text, b"\\/"));
    let percent = memchr::memchr_iter(b'%', text);
    found.extend(percent.filter(|at| {
        let encoded = views::percent(&text[*at..text.len().min(at + 3)]);
        encoded.is_some_and(|(_, byte)| b"\n \"':=-_".contains(&byte))
    }));
    found.sort_unstable();
    found
}

/// Removes duplicates; the most reliable rule wins.
fn distinct(mut found: Vec<Written>) -> Vec<Written> {
    found.sort_by_key(|written| {
        (
            written.range.start,
            std::cmp::Reverse(written.range.end),
            written.rule.kind,
        )
    });
    let mut kept: Vec<Written> = Vec::new();
    for written in found {
        match kept.last_mut() {
            Some(last) if written.range.end <= last.range.end => {
                if written.rule.kind < last.rule.kind {
                    *last = written;
                }
            }
            // The rest of the same secret.
            Some(last) if written.range.start < last.range.end => {
                if written.rule.kind < last.rule.kind {
                    last.rule = written.rule;
                    last.is_first = false;
                }
                last.range.end = written.range.end;
            }
            _ => kept.push(written),
        }
    }
    kept
}

/// The places of secrets: by pointer in JSON strings, by bytes in other texts.
pub fn parts(carrier: Carrier, text: &[u8], written: Vec<Written>) -> Vec<Part> {
    let mut parts = Vec::new();
    if carrier == Carrier::Text {
        parts.extend(written.into_iter().map(|written| plain(text, written)));
        return parts;
    }
    let mut room = POINTERS.max(4 * text.len());
    let mut written = written.into_iter().peekable();
    while let Some(first) = written.peek() {
        let bounds = match carrier {
            Carrier::JsonLines => line(text, first.range.start),
            _ => 0..text.len(),
        };
        let mut of_document = Vec::new();
        while let Some(next) = written.next_if(|next| next.range.start < bounds.end) {
            of_document.push(next);
        }
        in_strings(text, &bounds, of_document, &mut room, &mut parts);
    }
    parts.sort_by_key(|part| part.written.range.start);
    parts
}

fn plain(text: &[u8], written: Written) -> Part {
    let range = written.range.clone();
    Part {
        characters: String::from_utf8_lossy(&text[range.clone()])
            .chars()
            .count(),
        string: None,
        range,
        written,
    }
}

/// `room` limits the length of all pointers: a key of a megabyte is in the pointer of every string below it.
fn in_strings(
    text: &[u8],
    bounds: &Range<usize>,
    written: Vec<Written>,
    room: &mut usize,
    parts: &mut Vec<Part>,
) {
    let mut strings = Strings::of(&text[..bounds.end], bounds.start);
    let mut is_placed = vec![false; written.len()];
    let mut first = 0;
    while let Some((string, is_key)) = strings.next() {
        first += written[first..]
            .iter()
            .take_while(|written| written.range.end <= string.start)
            .count();
        if first == written.len() {
            break;
        }
        let mut decoded = Decoded::of(&text[string.clone()]);
        let here = written[first..].iter().zip(&mut is_placed[first..]);
        for (written, is_placed) in here.take_while(|(written, _)| written.range.start < string.end)
        {
            let pointer = strings.pointer();
            if pointer.len() > *room {
                break;
            }
            *room -= pointer.len();
            *is_placed = true;
            let overlap = written.range.start.max(string.start)..written.range.end.min(string.end);
            decoded.go(overlap.start - string.start);
            let (start, before) = (decoded.bytes, decoded.characters);
            decoded.go(overlap.end - string.start);
            parts.push(Part {
                string: Some((pointer, is_key)),
                range: start..decoded.bytes,
                characters: decoded.characters - before,
                written: Written {
                    rule: written.rule,
                    is_first: written.is_first && overlap.start == written.range.start,
                    range: overlap,
                },
            });
        }
    }
    // Secrets in numbers, or in invalid JSON.
    let rest = written.into_iter().zip(is_placed);
    parts.extend(
        rest.filter(|(_, is_placed)| !is_placed)
            .map(|(written, _)| plain(text, written)),
    );
}
