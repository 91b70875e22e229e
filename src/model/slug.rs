//! Slugs for addresses, and labels of runs in lists.

use std::collections::{BTreeMap, BTreeSet};

/// Maximum bytes of one name's slug; file systems allow 255 for a whole file name.
const LIMIT: usize = 60;
/// A label that would end within a word is extended to its end, up to this many bytes.
const WORD: usize = 24;

/// Lowercase `[a-z0-9-]`; each sequence of other characters becomes one hyphen; trimmed; cut at 60.
pub fn slugify(name: &str) -> String {
    let mut slug = String::with_capacity(name.len().min(LIMIT));
    for c in name.chars() {
        if slug.len() >= LIMIT {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// The part of a run id before its first hyphen, at most 8 characters.
pub fn short_id(id: &str) -> &str {
    let head = id.split('-').next().unwrap_or_default();
    head.char_indices()
        .nth(8)
        .map_or(head, |(end, _)| &head[..end])
}

/// Labels of runs in a list, by id: the short id or, if several runs share it, the shortest unique prefix of the id, extended to
/// the end of a word.
pub fn labels<'a>(ids: impl IntoIterator<Item = &'a str>) -> BTreeMap<&'a str, String> {
    let ids: BTreeSet<&str> = ids.into_iter().collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for id in &ids {
        *counts.entry(short_id(id)).or_default() += 1;
    }
    let shared = |id: &str, other: Option<&&str>| {
        other.map_or(0, |other| {
            let pairs = id.bytes().zip(other.bytes());
            pairs.take_while(|(a, b)| a == b).count()
        })
    };
    let label = |(at, id): (usize, &&'a str)| {
        let short = short_id(id);
        if !short.is_empty() && counts.get(short) == Some(&1) {
            return (*id, short.to_owned());
        }
        let before = at.checked_sub(1).and_then(|before| ids.get(before));
        let shared = shared(id, before).max(shared(id, ids.get(at + 1)));
        (*id, beginning(id, shared))
    };
    ids.iter().enumerate().map(label).collect()
}

/// A prefix of an id that is longer than `shared` bytes.
fn beginning(id: &str, shared: usize) -> String {
    let end = id.ceil_char_boundary((shared + 1).min(id.len()));
    if end > LIMIT {
        return format!("{}…{}", short_id(id), short_hash(id));
    }
    let word = id[end..].find('-').map_or(id.len(), |more| end + more);
    id[..if word <= WORD { word } else { end }].to_owned()
}

/// `<case>-<harness>-<model>-<short id>`; parts without a letter or digit are omitted.
pub fn run_slug(case: &str, harness: &str, model: &str, id: &str) -> String {
    join([slugify(case), slugify(harness), slugify(model), slugify(id)])
}

/// Eight hexadecimal digits that distinguish names with the same slug.
pub fn short_hash(name: &str) -> String {
    blake3::hash(name.as_bytes()).to_hex()[..8].to_owned()
}

/// A slug with a suffix that makes it unique.
pub fn with_hash(slug: &str, name: &str) -> String {
    join([slug.to_owned(), short_hash(name)])
}

fn join<const N: usize>(parts: [String; N]) -> String {
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_whose_ids_begin_alike_are_called_by_the_shortest_beginning_that_differs() {
        let long = "x".repeat(100);
        let (one, two) = (format!("{long}1"), format!("{long}2"));
        let ids = [
            "4f1c2d3e-8a60-4d2e",
            "4f1c2d3e-9b71-4d2e",
            "9b02c4aa-11d0",
            "sample-pong",
            "sample-pong-2",
            "sample-tetris",
            "01J8XYZABCDEFGHJKMNPQRSTVWX",
            "01J8XYZABCDEFGHJKMNPQRSTVWY",
            "01J8XYZABD",
            "-",
            "é-1",
            "é-2",
            &one,
            &two,
        ];
        let labels = labels(ids);
        let named: Vec<&str> = ids.iter().map(|id| labels[id].as_str()).collect();
        assert_eq!(
            named[..12],
            [
                "4f1c2d3e-8a60",
                "4f1c2d3e-9b71",
                "9b02c4aa",
                "sample-pong",
                "sample-pong-2",
                "sample-tetris",
                "01J8XYZABCDEFGHJKMNPQRSTVWX",
                "01J8XYZABCDEFGHJKMNPQRSTVWY",
                "01J8XYZABD",
                "-",
                "é-1",
                "é-2",
            ]
        );
        assert!(named[12].starts_with("xxxxxxxx…") && named[12].len() < 30);
        let distinct: BTreeSet<&str> = named.iter().copied().collect();
        assert_eq!(distinct.len(), ids.len(), "{named:?}");
    }

    #[test]
    fn slugs_follow_the_rule() {
        assert_eq!(slugify("openai/gpt-5.4"), "openai-gpt-5-4");
        assert_eq!(slugify("--Ünïcode  Name--"), "n-code-name");
        assert_eq!(slugify("模型"), "");
        assert_eq!(slugify(&"ab-".repeat(100)).len(), 59);
        assert_eq!(short_id("4f1c2d3e99-1111"), "4f1c2d3e");
        assert_eq!(short_id("r1"), "r1");
        assert_eq!(
            run_slug("Pong", "codex", "sample/lark", "4f1c2d3e"),
            "pong-codex-sample-lark-4f1c2d3e"
        );
    }
}
