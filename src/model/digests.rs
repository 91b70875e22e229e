//! Digests by name, packed: an archive holds dozens of them for each run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::formats::run_record::known_part;

/// Digits of a short digest.
pub const DIGITS: usize = 10;
/// Bytes of a short digest.
const BYTES: usize = DIGITS / 2;

/// Digests by name, sorted. Clones share their memory, and the digests of many runs can share their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Digests {
    /// Each name after its length in bytes and a colon.
    names: Arc<str>,
    /// The digest of each name: a zero and [`BYTES`], or the length of a text plus one and the text.
    digests: Arc<[u8]>,
}

/// A digest as text. Nearly all are [`DIGITS`] lowercase hexadecimal digits; the ledger of an earlier site may have any other text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Digest<'a> {
    /// That many digits.
    Short([u8; BYTES]),
    /// Any other text of at most [`LONGEST`] bytes.
    Other(&'a str),
}

/// Bytes of the longest digest that is kept whole.
const LONGEST: usize = 254;

impl<'a> Digest<'a> {
    /// The digest of this text.
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        let digits: Option<&[u8; DIGITS]> = text.as_bytes().try_into().ok();
        let short = digits.and_then(|digits| {
            let mut bytes = [0; BYTES];
            for (byte, [high, low]) in bytes.iter_mut().zip(digits.as_chunks().0) {
                *byte = value(*high)? << 4 | value(*low)?;
            }
            Some(bytes)
        });
        short.map_or(
            Self::Other(&text[..text.floor_char_boundary(LONGEST)]),
            Self::Short,
        )
    }

    fn push(self, packed: &mut Vec<u8>) {
        match self {
            Self::Short(bytes) => {
                packed.push(0);
                packed.extend(bytes);
            }
            Self::Other(text) => {
                packed.push(u8::try_from(text.len() + 1).unwrap_or(1));
                packed.extend(text.as_bytes());
            }
        }
    }

    fn next(rest: &mut &'a [u8]) -> Option<Self> {
        let (length, behind) = rest.split_first()?;
        if *length == 0 {
            let (bytes, behind) = behind.split_first_chunk()?;
            *rest = behind;
            return Some(Self::Short(*bytes));
        }
        let (text, behind) = behind.split_at_checked(usize::from(*length) - 1)?;
        *rest = behind;
        Some(Self::Other(std::str::from_utf8(text).ok()?))
    }
}

/// The value of a lowercase hexadecimal digit.
const fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Digest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for Digest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Digests {
    /// Names with their digests, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Digest<'_>)> {
        let (mut names, mut digests) = self.packed();
        std::iter::from_fn(move || Some((next(&mut names)?, Digest::next(&mut digests)?)))
    }

    /// The digest of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Digest<'_>> {
        self.iter()
            .take_while(|(found, _)| *found <= name)
            .find_map(|(found, digest)| (found == name).then_some(digest))
    }

    /// Names and digests as they are packed.
    #[must_use]
    pub fn packed(&self) -> (&str, &[u8]) {
        (&self.names, &self.digests)
    }

    /// The digests that [`Digests::packed`] returned.
    #[must_use]
    pub fn of_packed(names: &str, digests: &[u8]) -> Self {
        Self {
            names: names.into(),
            digests: digests.into(),
        }
    }

    /// Shares the names with other digests of the same ones.
    pub fn share(&mut self, known: &mut BTreeSet<Arc<str>>) {
        super::run::share(&mut self.names, known);
    }
}

fn next<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let (length, text) = rest.split_once(':')?;
    let (text, behind) = text.split_at_checked(length.parse().ok()?)?;
    *rest = behind;
    Some(text)
}

impl FromIterator<(String, String)> for Digests {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(digests: I) -> Self {
        let mut digests: Vec<_> = digests.into_iter().collect();
        if !digests.is_sorted_by(|(a, _), (b, _)| a < b) {
            digests = BTreeMap::from_iter(digests).into_iter().collect();
        }
        let (mut names, mut packed) = (String::new(), Vec::new());
        for (name, digest) in &digests {
            names.push_str(&name.len().to_string());
            names.push(':');
            names.push_str(name);
            Digest::of(digest).push(&mut packed);
        }
        Self {
            names: names.into(),
            digests: packed.into(),
        }
    }
}

/// Digests of a record by the part of their JSON pointers that the format itself names: what is below it is text of the record,
/// and gets one digest. Applied to its own result, it changes nothing.
#[must_use]
pub fn by_known_part(record: &Digests) -> Digests {
    if record
        .iter()
        .all(|(pointer, _)| known_part(pointer) == pointer)
    {
        return record.clone();
    }
    let mut parts: BTreeMap<&str, Vec<(&str, Digest<'_>)>> = BTreeMap::new();
    for (pointer, digest) in record.iter() {
        let part = parts.entry(known_part(pointer)).or_default();
        part.push((pointer, digest));
    }
    let digests = parts.into_iter().map(|(part, within)| {
        let digest = match within[..] {
            [(pointer, digest)] if pointer == part => digest.to_string(),
            _ => digest_of(&within),
        };
        (part.to_owned(), digest)
    });
    digests.collect()
}

fn digest_of(within: &[(&str, Digest<'_>)]) -> String {
    let mut hasher = blake3::Hasher::new();
    for (pointer, digest) in within {
        for text in [*pointer, &digest.to_string()] {
            hasher.update(&text.len().to_le_bytes());
            hasher.update(text.as_bytes());
        }
    }
    short_digest(&hasher.finalize())
}

/// Digests show that a value changed, not that somebody forged it: a few digits are enough.
#[must_use]
pub fn short_digest(digest: &blake3::Hash) -> String {
    digest.to_hex()[..DIGITS].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_found_by_name_whatever_the_names_are() {
        let names = ["b", "", "a:1", "3:", "\u{e4}\n"];
        let pairs = names.map(|name| (name.to_owned(), format!("of {name}")));
        let digests: Digests = pairs.into_iter().collect();
        for name in names {
            assert_eq!(digests.get(name), Some(Digest::of(&format!("of {name}"))));
        }
        assert_eq!(digests.get("c"), None);
        let mut known = BTreeSet::from([digests.names.as_ref().into()]);
        let mut shared = digests.clone();
        shared.share(&mut known);
        assert!(!Arc::ptr_eq(&shared.names, &digests.names) && shared == digests);
        let sorted: Vec<&str> = digests.iter().map(|(name, _)| name).collect();
        assert!(sorted.is_sorted() && sorted.len() == names.len());
        let (names, packed) = digests.packed();
        assert_eq!(Digests::of_packed(names, packed), digests);
        // A text that is none gives what can be read of it.
        for text in ["9:a", "2:a", "x", "1:\u{e4}"] {
            assert_eq!(Digests::of_packed(text, b"\0digit").iter().count(), 0);
        }
        for packed in [&b""[..], b"\0four", b"\x04ab", b"\x02\xff"] {
            assert_eq!(Digests::of_packed("1:a", packed).iter().count(), 0);
        }
    }

    #[test]
    fn a_digest_reads_as_it_was_written() {
        let long = "\u{e4}".repeat(200);
        let texts = [
            "0123456789",
            "abcdef0000",
            "ABCDEF0000",
            "0123",
            "0123456789a",
            "",
            "\u{e4}",
            "five5five5",
            &long,
        ];
        let digests = texts.map(|text| (text.to_owned(), text.to_owned()));
        let digests: Digests = digests.into_iter().collect();
        for text in texts {
            let read = digests.get(text).expect("a digest");
            assert_eq!(read.to_string(), text.chars().take(127).collect::<String>());
            let is_short = matches!(text, "0123456789" | "abcdef0000");
            assert_eq!(matches!(read, Digest::Short(_)), is_short, "{text}");
        }
        assert_eq!(digests.iter().count(), texts.len());
    }
}
