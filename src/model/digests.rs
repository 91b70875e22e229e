//! Digests by name. An archive has many of them, so that those of a run are one text.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::formats::run_record::known_part;

/// Digits of a short digest.
pub const DIGITS: usize = 10;

/// Digests by name, sorted. Copies share them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Digests(
    /// Each name with its digest behind it; before each of both its length in bytes and a colon.
    Arc<str>,
);

impl Digests {
    /// Names with their digests, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut rest = &*self.0;
        std::iter::from_fn(move || Some((next(&mut rest)?, next(&mut rest)?)))
    }

    /// The digest of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter()
            .take_while(|(found, _)| *found <= name)
            .find_map(|(found, digest)| (found == name).then_some(digest))
    }

    /// The text that they are.
    #[must_use]
    pub fn packed(&self) -> &str {
        &self.0
    }

    /// Those of a text from [`Digests::packed`].
    #[must_use]
    pub fn of_packed(text: &str) -> Self {
        Self(text.into())
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
        let mut text = String::new();
        for part in digests.iter().flat_map(|(name, digest)| [name, digest]) {
            text.push_str(&part.len().to_string());
            text.push(':');
            text.push_str(part);
        }
        Self(text.into())
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
    let mut parts: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (pointer, digest) in record.iter() {
        let part = parts.entry(known_part(pointer)).or_default();
        part.push((pointer, digest));
    }
    let digests = parts.into_iter().map(|(part, within)| {
        let digest = match within[..] {
            [(pointer, digest)] if pointer == part => digest.to_owned(),
            _ => digest_of(&within),
        };
        (part.to_owned(), digest)
    });
    digests.collect()
}

fn digest_of(within: &[(&str, &str)]) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in within
        .iter()
        .flat_map(|(pointer, digest)| [pointer, digest])
    {
        hasher.update(&text.len().to_le_bytes());
        hasher.update(text.as_bytes());
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
            assert_eq!(digests.get(name), Some(format!("of {name}").as_str()));
        }
        assert_eq!(digests.get("c"), None);
        let sorted: Vec<&str> = digests.iter().map(|(name, _)| name).collect();
        assert!(sorted.is_sorted() && sorted.len() == names.len());
        assert_eq!(Digests::of_packed(digests.packed()), digests);
        // A text that is none gives what can be read of it.
        for text in ["9:a", "1:a", "x", "1:\u{e4}"] {
            assert_eq!(Digests::of_packed(text).iter().count(), 0);
        }
    }
}
