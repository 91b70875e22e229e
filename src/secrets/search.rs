//! Finds the secrets of a file, whatever its format and however its texts are encoded.

use std::ops::Range;

use super::encoded;
use super::engine::{KeywordMatch, SecretEngine, SecretMatch, confirm};
use super::families::RuleKind;
use super::joins;
use super::rendered;
use super::rules::{RULES, Rule};
use super::strings::{JsonStrings, line};
use super::views::{self, TextView};

/// Bytes around an escape that are unescaped with it.
const AROUND: usize = 1 << 10;
/// Maximum nested levels of escapes.
const LEVELS: usize = 3;
/// Maximum bytes that are unescaped together. Parts overlap, so that a private key over the end of one is in the next.
const REGION: usize = 1 << 20;
const OVERLAP: usize = 32 << 10;

/// The format of a file, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    Text,
    /// One JSON document.
    Json,
    /// A JSON document on each line.
    JsonLines,
}

impl TextFormat {
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

/// The raw bytes of a secret, or of a part of one, in a file.
#[derive(Debug, Clone)]
pub struct SecretSpan {
    pub rule: &'static Rule,
    /// The bytes in the file.
    pub range: Range<usize>,
    /// Whether the secret begins here.
    pub is_first: bool,
}

/// Every secret of a file, in file order, without overlaps.
pub fn find(engine: &SecretEngine, format: TextFormat, name: &str, text: &[u8]) -> Vec<SecretSpan> {
    let mut search = Search {
        engine,
        format,
        name,
        text,
        found: Vec::new(),
    };
    search.texts();
    search.encoded();
    search.rendered();
    match format {
        TextFormat::Text => search.untagged(),
        TextFormat::Json => joins::join_items(text, 0..text.len(), |view| search.joined(view)),
        TextFormat::JsonLines => {
            joins::join_events(text, |view| search.joined(view));
            joins::join_items_of_lines(text, |view| search.joined(view));
        }
    }
    distinct(search.found)
}

struct Search<'a> {
    engine: &'a SecretEngine,
    format: TextFormat,
    name: &'a str,
    text: &'a [u8],
    found: Vec<SecretSpan>,
}

/// The candidates and escapes of a line, or of a whole file that is not JSON Lines.
#[derive(Default)]
struct Unit {
    candidates: Vec<KeywordMatch>,
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
        if self.format != TextFormat::JsonLines {
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
        let mut views = vec![TextView::default()];
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
                    self.take(self.engine.matches_in_view(&plain, self.name), origin);
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
        if self.format == TextFormat::Text {
            self.markdown(text, true, |range| range);
            return;
        }
        let mut start = 0;
        while start < text.len() {
            let bounds = self.bounds(start);
            let mut strings = JsonStrings::of(&text[..bounds.end], start);
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
        rendered::for_each_text(text, is_file, |rendered, start| {
            let shown = rendered.text.as_bytes();
            let mut matches = engine.matches(shown, name);
            if let Some(visible) = views::visible(shown) {
                matches.extend(engine.matches_in_view(&visible, name));
            }
            found.extend(matches.into_iter().map(|found| {
                let source = rendered.source(&found.range);
                SecretSpan {
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
        let mut found = self.engine.matches(&view.text, self.name);
        if let Some(visible) = views::visible(&view.text) {
            found.extend(self.engine.matches_in_view(&visible, self.name));
        }
        self.take(found, |range| view.origin(&range));
    }

    /// Scans decoded base64.
    fn encoded(&mut self) {
        let (engine, name, found) = (self.engine, self.name, &mut self.found);
        encoded::decoded(self.text, |range, bytes| {
            let matches = engine.matches(bytes, name);
            let sure = matches
                .iter()
                .find(|found| matches!(found.rule.kind, RuleKind::Secret | RuleKind::Generic));
            if let Some(first) = sure {
                found.push(SecretSpan {
                    rule: first.rule,
                    range,
                    is_first: false,
                });
            }
        });
    }

    /// Scans the joined texts of consecutive events.
    fn joined(&mut self, view: &TextView) {
        let mut found = self.engine.matches(&view.text, self.name);
        if let Some(plain) = views::unescaped(&view.text) {
            found.extend(self.engine.matches_in_view(&plain, self.name));
        }
        for found in found {
            let origins = view.origins(&found.range);
            if origins.len() < 2 {
                continue;
            }
            for (index, range) in origins.into_iter().enumerate() {
                self.found.push(SecretSpan {
                    rule: found.rule,
                    range,
                    is_first: index == 0,
                });
            }
        }
    }

    fn take(&mut self, found: Vec<SecretMatch>, origin: impl Fn(Range<usize>) -> Range<usize>) {
        let spans = found.into_iter().map(|found| SecretSpan {
            rule: found.rule,
            range: origin(found.range),
            is_first: true,
        });
        self.found
            .extend(spans.filter(|span| !span.range.is_empty()));
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
fn distinct(mut found: Vec<SecretSpan>) -> Vec<SecretSpan> {
    found.sort_by_key(|span| {
        (
            span.range.start,
            std::cmp::Reverse(span.range.end),
            span.rule.kind,
        )
    });
    let mut distinct: Vec<SecretSpan> = Vec::new();
    for span in found {
        match distinct.last_mut() {
            Some(last) if span.range.end <= last.range.end => {
                if span.rule.kind < last.rule.kind {
                    *last = span;
                }
            }
            // This is the rest of the same secret.
            Some(last) if span.range.start < last.range.end => {
                if span.rule.kind < last.rule.kind {
                    last.rule = span.rule;
                    last.is_first = false;
                }
                last.range.end = span.range.end;
            }
            _ => distinct.push(span),
        }
    }
    distinct
}
