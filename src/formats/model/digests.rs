//! Digests by name, with which a build detects what changed since the last one.

use std::collections::BTreeMap;

use crate::run_record::known_part;

/// Digits of a short digest.
pub const DIGITS: usize = 10;

pub type Digests = BTreeMap<String, String>;

/// Digests of a record by the part of their JSON pointers that the format itself names: what is below it is text of the record,
/// and gets one digest. Applied to its own result, it changes nothing.
pub fn by_known_part(record: &Digests) -> Digests {
    let mut parts: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (pointer, digest) in record {
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
    for (pointer, digest) in within {
        for text in [pointer, digest] {
            hasher.update(&text.len().to_le_bytes());
            hasher.update(text.as_bytes());
        }
    }
    short_digest(&hasher.finalize())
}

/// Digests show that a value changed, not that somebody forged it: a few digits are enough.
pub fn short_digest(digest: &blake3::Hash) -> String {
    digest.to_hex()[..DIGITS].to_owned()
}
