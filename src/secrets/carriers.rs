//! Finds the texts of a file, whatever its format, and maps a secret in a text to its place.

use std::ops::Range;

use super::encoded;
use super::engine::{Candidate, Engine, Match, confirm};
use super::families::Kind;
use super::rendered;
use super::rules::{RULES, Rule};
use super::seams;
use super::strings::{StringCursor, Strings, line};
use super::views::{self, View};

/// Bytes around an escape that are unescaped with it.
const AROUND: usize = 1 << 10;
/// Maximum nested levels of escapes.
const LEVELS: usize = 3;
/// Maximum bytes that are unescaped together. Parts overlap, so that a private key over the end of one is in the next.
const REGION: usize = 1 << 20;
const OVERLAP: usize = 32 << 10;

/// Maximum total length of all pointers in a file, in bytes; four times the file size if that is more.
const POINTERS: usize = 1 << 20;

/// The format of a file, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
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
pub struct CarriedSecret {
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
    pub written: CarriedSecret,
    /// The pointer of the string, if any, and whether it is a key.
    pub string: Option<(String, bool)>,
    /// Its bytes in the decoded string, or in the file.
    pub range: Range<usize>,
    /// Its length in characters.
    pub characters: usize,
}

/// Every secret of a file, in file order, without overlaps.
pub fn written(engine: &Engine, carrier: Carrier, name: &str, text: &[u8]) -> Vec<CarriedSecret> {
    let mut search = Search {
        engine,
        carrier,
        name,
        text,
        found: Vec::new(),
    };
    search.texts();
    search.encoded();
    search.rendered();
    match carrier {
        Carrier::Text => search.untagged(),
        Carrier::Json => seams::join_items(text, 0..text.len(), |view| search.joined(view)),
        Carrier::JsonLines => {
            seams::join(text, |view| search.joined(view));
            seams::join_items_of_lines(text, |view| search.joined(view));
        }
    }
    distinct(search.found)
}

struct Search<'a> {
    engine: &'a Engine,
    carrier: Carrier,
    name: &'a str,
    text: &'a [u8],
    found: Vec<CarriedSecret>,
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
            let end = region.end.min(bounds.end);
            let mut start = region.start.max(bounds.start);
            while end - start > REGION {
                self.unescaped(start..start + REGION, bounds.start);
                start += REGION - OVERLAP;
            }
            let reach = self.unescaped(start..end, bounds.start);
            if reach > AROUND && end < bounds.end {
                // A private key may continue after what is read around an escape in its first line.
                self.unescaped(start..bounds.end.min(end + reach), bounds.start);
            }
        }
    }

    /// Scans a part of the text with each level of escapes removed. Each level is scanned again without colors, without
    /// percent-encoding, without line breaks in long words, and as a reader sees it. Returns how far the rules reach that found
    /// something.
    fn unescaped(&mut self, mut region: Range<usize>, from: usize) -> usize {
        let first = self.found.len();
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
            for other in [
                views::uncolored,
                views::unpercented,
                views::unwrapped,
                views::visible,
            ] {
                if let Some(plain) = other(&view.text) {
                    let found = self.engine.matches(&plain.text, self.name);
                    self.take(found, |range| origin(plain.origin(&range)));
                }
            }
        }
        let found = self.found[first..].iter();
        found.map(|found| found.rule.reach).max().unwrap_or(0)
    }

    /// Scans the texts of Markdown as a reader gets them.
    fn rendered(&mut self) {
        if !rendered::has_markdown(self.name) {
            return;
        }
        let text = self.text;
        if self.carrier == Carrier::Text {
            self.markdown(text, true, |range| range);
            return;
        }
        let mut start = 0;
        while start < text.len() {
            let bounds = self.bounds(start);
            let mut strings = Strings::of(&text[..bounds.end], start);
            while let Some((string, is_key)) = strings.next() {
                if is_key {
                    continue;
                }
                let raw = &text[string.clone()];
                let moved =
                    |range: Range<usize>| range.start + string.start..range.end + string.start;
                match views::unescaped(raw) {
                    Some(plain) => {
                        self.markdown(&plain.text, false, |range| moved(plain.origin(&range)));
                    }
                    None => self.markdown(raw, false, moved),
                }
            }
            start = bounds.end + 1;
        }
    }

    /// Scans a text in Markdown; `origin` maps its ranges to those of the file.
    fn markdown(
        &mut self,
        text: &[u8],
        is_file: bool,
        origin: impl Fn(Range<usize>) -> Range<usize>,
    ) {
        let (engine, name) = (self.engine, self.name);
        let found = &mut self.found;
        rendered::each(text, is_file, |rendered, start| {
            let shown = rendered.text.as_bytes();
            let mut matches = engine.matches(shown, name);
            if let Some(visible) = views::visible(shown) {
                let more = engine.matches(&visible.text, name).into_iter();
                matches.extend(more.map(|found| Match {
                    rule: found.rule,
                    range: visible.origin(&found.range),
                }));
            }
            found.extend(matches.into_iter().map(|found| {
                let source = rendered.source(&found.range);
                CarriedSecret {
                    rule: found.rule,
                    range: origin(source.start + start..source.end + start),
                    is_first: true,
                }
            }));
        });
    }

    /// Scans a document in HTML without the tags in its words.
    fn untagged(&mut self) {
        const ENDINGS: [&str; 6] = [".html", ".htm", ".xhtml", ".svg", ".xml", ".atom"];
        let is_html = ENDINGS.iter().any(|ending| self.name.ends_with(ending));
        let Some(view) = is_html.then(|| views::untagged(self.text)).flatten() else {
            return;
        };
        self.take(self.engine.matches(&view.text, self.name), |range| {
            view.origin(&range)
        });
        if let Some(visible) = views::visible(&view.text) {
            let found = self.engine.matches(&visible.text, self.name);
            self.take(found, |range| view.origin(&visible.origin(&range)));
        }
    }

    /// Scans decoded base64.
    fn encoded(&mut self) {
        let (engine, name, found) = (self.engine, self.name, &mut self.found);
        encoded::decoded(self.text, |range, bytes| {
            let matches = engine.matches(bytes, name);
            let sure = matches
                .iter()
                .find(|found| matches!(found.rule.kind, Kind::Secret | Kind::Generic));
            if let Some(first) = sure {
                found.push(CarriedSecret {
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
                self.found.push(CarriedSecret {
                    rule: found.rule,
                    range,
                    is_first: index == 0,
                });
            }
        }
    }

    fn take(&mut self, found: Vec<Match>, origin: impl Fn(Range<usize>) -> Range<usize>) {
        let written = found.into_iter().map(|found| CarriedSecret {
            rule: found.rule,
            range: origin(found.range),
            is_first: true,
        });
        self.found
            .extend(written.filter(|written| !written.range.is_empty()));
    }
}

/// Positions, in order, of escapes of a character that a keyword may have, and of invisible characters within a word.
fn escapes(text: &[u8]) -> Vec<usize> {
    let mut found: Vec<usize> = memchr::memchr_iter(0x1b, text).collect();
    let is_shown = |code: u32| {
        (0x20..0x7f).contains(&code)
            || code == 0x1b
            || char::from_u32(code).is_some_and(base::characters::is_hidden)
    };
    let hides = |from: usize, count: usize| {
        let digits = text.get(from..from + count);
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        digits.is_some_and(|digits| u32::from_str_radix(digits, 16).is_ok_and(is_shown))
    };
    let escapes = memchr::memchr_iter(b'\\', text);
    found.extend(escapes.filter(|at| match text[at + 1..] {
        [b'/', ..] | [b'u', b'{', ..] => true,
        [b'u', ..] => hides(at + 2, 4),
        [b'U', b'0', ..] => hides(at + 2, 8),
        [b'x', ..] => hides(at + 2, 2),
        _ => false,
    }));
    let references = memchr::memchr_iter(b'&', text);
    found.extend(references.filter(|at| {
        let reference = views::reference(&text[*at..]);
        reference.is_some_and(|(c, length)| {
            let shown = Some(c).filter(|c| !base::characters::is_hidden(*c));
            views::is_within(text, *at, length, shown)
        })
    }));
    let is_in_word = |at: usize| {
        let length = views::hidden(&text[at..]);
        length > 0 && views::is_within(text, at, length, None)
    };
    for [a, b, c] in [
        [0, 0x08, 0x7f],
        [0xc2, 0xe2, 0xef],
        [0xcd, 0xe1, 0xe3],
        [0xd8, 0xf0, 0xf3],
    ] {
        // In UTF-16, every other byte is one. Neighboring ones need no region of their own.
        let mut next = 0;
        for at in memchr::memchr3_iter(a, b, c, text) {
            if at >= next && is_in_word(at) {
                found.push(at);
                next = at + AROUND / 4;
            }
        }
    }
    let percent = memchr::memchr_iter(b'%', text);
    found.extend(percent.filter(|at| {
        let encoded = views::percent(&text[*at..text.len().min(at + 3)]);
        encoded.is_some_and(|(_, byte)| byte == b'\n' || (b' '..=b'~').contains(&byte))
    }));
    found.sort_unstable();
    found
}

/// Removes duplicates; the most reliable rule wins.
fn distinct(mut found: Vec<CarriedSecret>) -> Vec<CarriedSecret> {
    found.sort_by_key(|written| {
        (
            written.range.start,
            std::cmp::Reverse(written.range.end),
            written.rule.kind,
        )
    });
    let mut kept: Vec<CarriedSecret> = Vec::new();
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
pub fn parts(carrier: Carrier, text: &[u8], written: Vec<CarriedSecret>) -> Vec<Part> {
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

fn plain(text: &[u8], written: CarriedSecret) -> Part {
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
    written: Vec<CarriedSecret>,
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
        let mut decoded = StringCursor::of(&text[string.clone()]);
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
                written: CarriedSecret {
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
