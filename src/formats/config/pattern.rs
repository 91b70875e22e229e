//! Path patterns of site.toml.

use regex::Regex;

/// A pattern of paths: `*` matches anything within a name, `**` anything.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    regex: Regex,
}

impl Pattern {
    /// Reads a pattern; `None` if it is too long.
    pub fn parse(text: &str) -> Option<Self> {
        let names = |part: &str| {
            let words: Vec<_> = part.split('*').map(regex::escape).collect();
            words.join("[^/]*")
        };
        let mut parts = text.split("**");
        let mut regex = format!("(?s)(?:^|/){}", parts.next().map(names).unwrap_or_default());
        for part in parts {
            regex.push_str(".*");
            regex.push_str(&names(part.strip_prefix('/').unwrap_or(part)));
        }
        regex.push('$');
        Some(Self {
            text: text.to_owned(),
            regex: Regex::new(&regex).ok()?,
        })
    }

    /// Whether it matches a path, or the end of a path after a `/`.
    pub fn matches_end(&self, path: &str) -> bool {
        self.regex.is_match(path)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn stars_fit_names_and_two_stars_fit_folders() {
        let fits = |pattern: &str, path: &str| {
            let pattern = Pattern::parse(pattern).expect("a pattern");
            pattern.matches_end(path)
        };
        for (pattern, path, expected) in [
            ("a.jsonl", "a.jsonl", true),
            ("a.jsonl", "x/a.jsonl", true),
            ("a.jsonl", "xa.jsonl", false),
            ("a.jsonl", "abjsonl", false),
            ("*.jsonl", "a.jsonl", true),
            ("logs/*.jsonl", "logs/x/a.jsonl", false),
            ("logs/*/a*.jsonl", "logs/x/abc.jsonl", true),
            ("logs/*/a*.jsonl", "logs/x/y/abc.jsonl", false),
            ("logs/**", "logs/x/y/abc.jsonl", true),
            ("logs/**", "all/logs/x\n/y", true),
            ("logs/**/abc.jsonl", "logs/abc.jsonl", true),
            ("logs/**/*.jsonl", "logs/x/y/ä.jsonl", true),
            ("**/b/*c", "a/b/x/b/abc", true),
            ("**/b/*d", "a/b/x/b/abc", false),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
        let stars = "*a".repeat(40);
        assert!(!fits(&stars, &"a".repeat(4_000).replace("aaaa", "aab/")));
    }
}
