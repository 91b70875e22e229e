//! Knows how names become addresses.

/// The longest slug of one name, in bytes; file systems stop at 255 for a whole name.
const LIMIT: usize = 60;

/// Lower-case `[a-z0-9-]`; every run of other characters becomes one hyphen; trimmed; cut at 60.
#[must_use]
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
#[must_use]
pub fn short_id(id: &str) -> &str {
    let head = id.split('-').next().unwrap_or_default();
    head.char_indices()
        .nth(8)
        .map_or(head, |(end, _)| &head[..end])
}

/// `<case>-<harness>-<model>-<short id>`; parts that have no letter or digit are left out.
#[must_use]
pub fn run_slug(case: &str, harness: &str, model: &str, id: &str) -> String {
    join([slugify(case), slugify(harness), slugify(model), slugify(id)])
}

/// Eight hexadecimal digits that tell apart names with one slug.
#[must_use]
pub fn short_hash(name: &str) -> String {
    blake3::hash(name.as_bytes()).to_hex()[..8].to_owned()
}

/// A slug and a suffix that makes it another one.
#[must_use]
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
