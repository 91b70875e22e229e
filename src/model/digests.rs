//! Digests by name. An archive has many of them, so that those of a run are one text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::formats::run_record::known_part;

/// Digits of a short digest.
pub const DIGITS: usize = 10;

/// Digests by name, sorted. Copies share them, and those of many runs can share their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Digests {
    /// Before each name its length in bytes and a colon.
    names: Arc<str>,
    /// The digest of each name in the same way.
    digests: Arc<str>,
}

impl Digests {
    /// Names with their digests, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let (mut names, mut digests) = self.packed();
        std::iter::from_fn(move || Some((next(&mut names)?, next(&mut digests)?)))
    }

    /// The digest of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter()
            .take_while(|(found, _)| *found <= name)
            .find_map(|(found, digest)| (found == name).then_some(digest))
    }

    /// The texts that they are.
    #[must_use]
    pub fn packed(&self) -> (&str, &str) {
        (&self.names, &self.digests)
    }

    /// Those of texts from [`Digests::packed`].
    #[must_use]
    pub fn of_packed(names: &str, digests: &str) -> Self {
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
        let pack = |of: fn(&(String, String)) -> &String| {
            let mut text = String::new();
            for part in digests.iter().map(of) {
                text.push_str(&part.len().to_string());
                text.push(':');
                text.push_str(part);
            }
            text.into()
        };
        Self {
            names: pack(|(name, _)| name),
            digests: pack(|(_, digest)| digest),
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
            assert_eq!(Digests::of_packed(text, "1:a").iter().count(), 0);
            assert_eq!(Digests::of_packed("1:a", text).iter().count(), 0);
        }
    }
}
