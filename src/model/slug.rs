//! Slugs for addresses, and labels of runs in lists.

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

/// Labels of the runs in a list: the short id or, if several runs share it, the shortest unique prefix of the id, extended to the
/// end of a word.
#[derive(Debug)]
pub struct Labels<'a>(Vec<&'a str>);

impl<'a> Labels<'a> {
    /// The labels of runs with these ids.
    pub fn new(ids: impl IntoIterator<Item = &'a str>) -> Self {
        let mut ids: Vec<&str> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        Self(ids)
    }

    /// The label of one of the runs.
    pub fn label(&self, id: &str) -> String {
        let at = self.0.partition_point(|other| *other < id);
        let before = at.checked_sub(1).and_then(|before| self.0.get(before));
        let after = self.0.get(at + 1);
        let short = short_id(id);
        if !short.is_empty() && !self.shares(short, id, [before, after]) {
            return short.to_owned();
        }
        let shared = |other: &&str| {
            let pairs = id.bytes().zip(other.bytes());
            pairs.take_while(|(a, b)| a == b).count()
        };
        let shared = [before, after].into_iter().flatten().map(shared);
        beginning(id, shared.max().unwrap_or_default())
    }

    /// Whether another run than `id` has this short id. Such runs are next to each other, except for one whose id is a short id
    /// itself: others may be between it and those that go on with a hyphen.
    fn shares(&self, short: &str, id: &str, beside: [Option<&&str>; 2]) -> bool {
        let is_short = |other: &&str| short_id(other) == short;
        let longer = format!("{short}-");
        let apart = if id == short {
            let first = self.0.partition_point(|other| **other < *longer);
            self.0.get(first).copied()
        } else {
            let found = self.0.binary_search(&short);
            found.ok().map(|at| self.0[at])
        };
        beside.into_iter().flatten().any(is_short) || apart.as_ref().is_some_and(is_short)
    }
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
    use std::collections::BTreeSet;

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
            "ab",
            "ab!cd",
            "ab-cd",
            &one,
            &two,
        ];
        let labels = Labels::new(ids);
        let named = ids.map(|id| labels.label(id));
        assert_eq!(
            named[..15],
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
                "ab",
                "ab!cd",
                "ab-cd",
            ]
        );
        assert!(named[15].starts_with("xxxxxxxx…") && named[15].len() < 30);
        let distinct: BTreeSet<&String> = named.iter().collect();
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
