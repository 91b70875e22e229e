//! Slugs for addresses, and labels of runs in lists.

use super::digests::short_digest;

/// Maximum bytes of one name's slug; file systems allow 255 for a whole file name.
const MAX_SLUG_BYTES: usize = 60;
/// A label that would end within a word is extended to its end, up to this many bytes. Longer ids are shortened in addresses.
const MAX_WHOLE_ID_BYTES: usize = 24;
/// Characters of a short id, and digits of a short hash.
const SHORT_ID_CHARS: usize = 8;

/// Lowercase `[a-z0-9-]`; each sequence of other characters becomes one hyphen; trimmed; cut at 60.
pub fn slugify(name: &str) -> String {
    let mut slug = String::with_capacity(name.len().min(MAX_SLUG_BYTES));
    for c in name.chars() {
        if slug.len() >= MAX_SLUG_BYTES {
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
        .nth(SHORT_ID_CHARS)
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
    fn shares(&self, short: &str, id: &str, neighbors: [Option<&&str>; 2]) -> bool {
        let is_short = |other: &&str| short_id(other) == short;
        let longer = format!("{short}-");
        let apart = if id == short {
            let first = self.0.partition_point(|other| **other < *longer);
            self.0.get(first).copied()
        } else {
            let found = self.0.binary_search(&short);
            found.ok().map(|at| self.0[at])
        };
        neighbors.into_iter().flatten().any(is_short) || apart.as_ref().is_some_and(is_short)
    }
}

/// A prefix of an id that is longer than `shared` bytes.
fn beginning(id: &str, shared: usize) -> String {
    let end = id.ceil_char_boundary((shared + 1).min(id.len()));
    if end > MAX_SLUG_BYTES {
        return format!("{}…{}", short_id(id), short_hash(id));
    }
    let word = id[end..].find('-').map_or(id.len(), |more| end + more);
    id[..if word <= MAX_WHOLE_ID_BYTES {
        word
    } else {
        end
    }]
        .to_owned()
}

/// The last part of a run's address, made from its id. It does not depend on other runs, so it stays when they come and go:
/// - the first eight digits, if they are random or a digest,
/// - the whole id, if it is short and its own slug,
/// - else the beginning of the id, which other ids may share, and ten digits of the digest of the id.
pub fn address_id(id: &str) -> String {
    let plain = slugify(id);
    if begins_with_random_digits(id) || is_short_uuid(id) {
        return plain[..SHORT_ID_CHARS].to_owned();
    }
    if plain == id && !plain.is_empty() && plain.len() <= MAX_WHOLE_ID_BYTES {
        return plain;
    }
    let beginning = if is_uuid(id) {
        SHORT_ID_CHARS
    } else {
        MAX_WHOLE_ID_BYTES
    };
    let beginning = plain[..plain.len().min(beginning)].trim_end_matches('-');
    join([
        beginning.to_owned(),
        short_digest(&blake3::hash(id.as_bytes())),
    ])
}

/// Whether the first eight characters of an id are hexadecimal digits that tell it from the other ids of its kind.
fn begins_with_random_digits(id: &str) -> bool {
    let head = id.split('-').next().unwrap_or_default();
    let Some(first) = head.get(..SHORT_ID_CHARS) else {
        return false;
    };
    if !head.bytes().all(|b| b.is_ascii_hexdigit()) {
        return false;
    }
    if is_uuid(id) {
        // The versions 6 and 7 begin with the time, and version 2 with the number of a user.
        let version = id.bytes().filter(|b| *b != b'-').nth(12);
        return version.is_some_and(|version| b"13458".contains(&version));
    }
    let is_decimal = head.bytes().all(|b| b.is_ascii_digit());
    let is_number = is_decimal && (head.len() > SHORT_ID_CHARS || is_date(first));
    // An object id of MongoDB has 24 digits and begins with the time.
    id.len() <= MAX_WHOLE_ID_BYTES && head.len() < MAX_WHOLE_ID_BYTES && !is_number
}

/// Whether an id is a UUID, with or without hyphens.
fn is_uuid(id: &str) -> bool {
    let groups: Vec<usize> = id.split('-').map(str::len).collect();
    let digits: Vec<u8> = id.bytes().filter(|b| *b != b'-').collect();
    matches!(groups[..], [32] | [8, 4, 4, 4, 12])
        && digits.iter().all(u8::is_ascii_hexdigit)
        && b"89abAB".contains(&digits[16])
}

/// Whether an id is a random UUID in 22 letters and digits, as Inspect writes it.
fn is_short_uuid(id: &str) -> bool {
    id.len() == 22
        && id.bytes().all(|b| b.is_ascii_alphanumeric())
        && id.bytes().any(|b| b.is_ascii_lowercase())
        && id.bytes().any(|b| b.is_ascii_uppercase())
}

/// Whether eight digits are a date, such as `20260301`.
fn is_date(digits: &str) -> bool {
    let number: u32 = digits.parse().unwrap_or_default();
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    (1900..2200).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// The beginning of a run's address: `<case>-<harness>-<model>`; parts without a letter or digit are omitted.
pub fn subject_slug(case: &str, harness: &str, model: &str) -> String {
    join([slugify(case), slugify(harness), slugify(model)])
}

/// The addresses that a run may get, best first. The last is no other run's: it ends with the whole digest of the id, and no
/// other part of an address is as long.
pub fn run_slugs(subject: &str, id: &str) -> [String; 4] {
    let whole = with_id(subject, &slugify(id));
    let hashed = with_hash(&whole, id);
    let digest = blake3::hash(id.as_bytes()).to_hex();
    let slugs = [&address_id(id), digest.as_str()].map(|end| with_id(subject, end));
    let [first, last] = slugs;
    [first, whole, hashed, last]
}

/// The short address that earlier versions gave to a run.
pub fn legacy_run_slug(subject: &str, id: &str) -> String {
    with_id(subject, &slugify(short_id(id)))
}

fn with_id(subject: &str, id: &str) -> String {
    join([subject.to_owned(), id.to_owned()])
}

/// The addresses that a case, model or harness may get, best first. The last is no other name's.
pub fn name_slugs(name: &str) -> [String; 3] {
    let plain = slugify(name);
    let digest = blake3::hash(name.as_bytes()).to_hex();
    let hashed = with_hash(&plain, name);
    [plain, hashed, digest.to_string()]
}

/// Eight hexadecimal digits that distinguish names with the same slug.
pub fn short_hash(name: &str) -> String {
    blake3::hash(name.as_bytes()).to_hex()[..SHORT_ID_CHARS].to_owned()
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
        let subject = subject_slug("Pong", "codex", "sample/lark");
        assert_eq!(
            run_slugs(&subject, "4f1c2d3e-x")[..2],
            [
                "pong-codex-sample-lark-4f1c2d3e",
                "pong-codex-sample-lark-4f1c2d3e-x"
            ]
        );
    }

    #[test]
    fn the_address_of_a_run_has_as_much_of_its_id_as_tells_it_from_ids_of_its_kind() {
        for (id, address) in [
            ("4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11", "4f1c2d3e"),
            ("4F1C2D3E8A604D2E9A510C9F6F1F2B11", "4f1c2d3e"),
            ("7e237fc3-afce-822d-8333-7e469f48df0b", "7e237fc3"),
            ("ABCDEF0123456789-rest", "abcdef01"),
            ("8rN5WC55fErMswTifp3eVJ", "8rn5wc55"),
            ("0000000b-1", "0000000b"),
            ("run-001", "run-001"),
            ("2026-03-01-nightly", "2026-03-01-nightly"),
            ("20260301-nightly", "20260301-nightly"),
            ("1772352000123", "1772352000123"),
            ("65e1b2c0a1b2c3d4e5f60718", "65e1b2c0a1b2c3d4e5f60718"),
        ] {
            assert_eq!(address_id(id), address, "{id}");
        }
        for (id, beginning) in [
            ("019f9000-aaaa-7000-8000-000000000001", "019f9000-"),
            ("1ef9000a-aaaa-6000-8000-000000000001", "1ef9000a-"),
            (
                "4f1c2d3e-8a60-4d2e-9a51-0c9f6f1f2b11-2",
                "4f1c2d3e-8a60-4d2e-9a51-",
            ),
            ("Run 1", "run-1-"),
            ("01J8XYZABCDEFGHJKMNPQRSTVW", "01j8xyzabcdefghjkmnpqrst-"),
        ] {
            let address = address_id(id);
            let digits = address.strip_prefix(beginning);
            assert_eq!(digits.map(str::len), Some(10), "{address}");
        }
        assert_eq!(address_id("模型").len(), 10);
    }

    #[test]
    fn every_address_fits_into_a_file_name() {
        let long = "x".repeat(500);
        let subject = subject_slug(&long, &long, &long);
        for slug in run_slugs(&subject, &long) {
            assert!(slug.len() < 255, "{slug}");
        }
    }
}
