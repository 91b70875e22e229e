//! Scans published content for secrets: keys, tokens, passwords, and personal data if the site enables it.
//!
//! One pass over the bytes of a file finds keywords ([`engine`]). Only text around keywords that may be part of a secret is
//! decoded ([`views`]) and matched against an expression of the [`rules`]. Markdown is also searched in the form in which a reader gets
//! it ([`rendered`]). A finding has a place ([`places`]), never a value.

mod encoded;
mod engine;
mod false_positives;
mod families;
mod hints;
mod joins;
mod mask;
mod places;
mod rendered;
mod report;
mod rules;
mod search;
mod strings;
mod views;

use std::fmt;
use std::ops::Range;

pub use mask::Mask;
pub use report::{ScanReport, Scanner, unused_allowances};

use families::RuleKind;
use places::SecretPart;
use rules::RULES;
use search::{SecretSpan, TextFormat};

/// What a scan looks for, and in whose file.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScanSettings<'a> {
    /// The id of the run, or empty for a file of the site.
    pub owner: &'a str,
    /// Whether to report home directories with the names of people.
    pub paths: bool,
    /// Whether to report personal data.
    pub personal: bool,
}

/// A secret, or a part of one, by its place. Does not hold the value.
#[derive(Clone, PartialEq, Eq)]
pub struct Finding {
    /// The name of the rule.
    pub rule: &'static str,
    /// The family of the rule.
    pub family: &'static str,
    /// The line of the file, from 1.
    pub line: u32,
    /// JSON pointer of the string in the document or in the line; `None` in a file that is text.
    pub pointer: Option<String>,
    /// Whether the secret is in a key of an object; [`Self::pointer`] then leads to the value of that key.
    pub is_key: bool,
    /// The bytes in the decoded string, or in a plain text file.
    pub range: Range<usize>,
    /// The bytes in the raw file.
    pub raw_range: Range<usize>,
    /// The decoded length.
    pub length_in_characters: usize,
    /// At most three characters, with which all secrets of this rule begin.
    pub prefix: String,
    /// A digest of the place, not of the value.
    pub fingerprint: String,
}

impl Finding {
    /// The masked form that is shown instead of the value.
    pub fn masked_value(&self) -> String {
        format!(
            "{}…({} characters)…",
            self.prefix, self.length_in_characters
        )
    }
}

impl fmt::Debug for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finding")
            .field("rule", &self.rule)
            .field("line", &self.line)
            .field("range", &self.range)
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

/// Finds the secrets in a file. `name` is its path in the run directory, or from the root of the site.
pub fn scan(name: &str, bytes: &[u8], settings: &ScanSettings<'_>) -> Vec<Finding> {
    let engine = engine::engine(settings.paths, settings.personal);
    let format = TextFormat::of(name);
    let spans = search::find(engine, format, name, bytes);
    let (mut line, mut seen) = (1_u32, 0);
    let parts = places::parts(format, bytes, spans).into_iter();
    parts
        .map(|part| {
            let start = part.span.range.start;
            let breaks =
                memchr::memchr_iter(b'\n', bytes.get(seen..start).unwrap_or_default()).count();
            line = line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
            seen = seen.max(start);
            finding(settings.owner, name, bytes, line, part)
        })
        .collect()
}

/// Whether a raw value of one JSON document also occurs in another.
pub fn contains_value(document: &[u8], value: &[u8]) -> bool {
    let plain = |text: &[u8]| views::unescaped(text).map(|view| view.text);
    let (document_plain, value_plain) = (plain(document), plain(value));
    let document = document_plain.as_deref().unwrap_or(document);
    memchr::memmem::find(document, value_plain.as_deref().unwrap_or(value)).is_some()
}

/// Finds the secrets in the name of a file.
pub fn scan_name(name: &str, settings: &ScanSettings<'_>) -> Vec<Finding> {
    let engine = engine::engine(false, settings.personal);
    let rules = RULES.all.iter();
    let rules = rules.filter(|rule| rule.is_about_names() && rule.is_for(name));
    let mut spans = search::find(engine, TextFormat::Text, "", name.as_bytes());
    spans.extend(rules.map(|rule| SecretSpan {
        rule,
        range: 0..name.len(),
        is_first: true,
    }));
    let parts = places::parts(TextFormat::Text, name.as_bytes(), spans).into_iter();
    parts
        .map(|part| finding(settings.owner, name, name.as_bytes(), 0, part))
        .collect()
}

fn finding(owner: &str, name: &str, bytes: &[u8], line: u32, part: SecretPart) -> Finding {
    let rule = part.span.rule;
    let value = &bytes[part.span.range.clone()];
    let begins = |word: &&String| {
        value
            .get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    let prefix = match rule.kind {
        RuleKind::Secret if part.span.is_first => rule.keywords.iter().find(begins),
        _ => None,
    };
    Finding {
        rule: &rule.id,
        family: rule.family,
        line,
        fingerprint: fingerprint(owner, name, line, &part),
        pointer: part.pointer,
        is_key: part.is_key,
        range: part.range,
        raw_range: part.span.range,
        length_in_characters: part.characters,
        prefix: prefix.map_or_else(String::new, |word| {
            String::from_utf8_lossy(&value[..word.len().min(3)]).into_owned()
        }),
    }
}

/// The place of a finding as 16 hexadecimal digits. Reveals nothing about the value.
fn fingerprint(owner: &str, name: &str, line: u32, part: &SecretPart) -> String {
    let mut hasher = blake3::Hasher::new();
    let rule = part.span.rule.id.as_str();
    let pointer = part.pointer.as_deref().unwrap_or("");
    let kind = if part.is_key { "key" } else { "value" };
    let numbers = format!("{line} {} {}", part.range.start, part.range.end);
    for field in [rule, owner, name, pointer, kind, &numbers] {
        hasher.update(field.as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests;
