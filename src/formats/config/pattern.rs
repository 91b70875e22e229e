//! Path patterns of site.toml.

/// Whether a path, or its end after a `/`, matches a pattern.
pub fn fits_end(pattern: &str, path: &str) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    std::iter::once(path)
        .chain(ends)
        .any(|end| fits(pattern, end))
}

/// Whether a path matches a pattern: `*` matches anything within a name, `**` anything.
fn fits(pattern: &str, path: &str) -> bool {
    // Backtracking points, at which the last star can take another character: the rest of the pattern and of the path.
    let (mut pattern, mut path) = (pattern, path);
    let mut stars: Vec<(&str, &str, bool)> = Vec::new();
    loop {
        if let Some(rest) = pattern.strip_prefix("**") {
            let rest = rest.strip_prefix('/').unwrap_or(rest);
            // Earlier stars need no more backtracking.
            stars.clear();
            stars.push((rest, path, true));
            pattern = rest;
            continue;
        }
        if let Some(rest) = pattern.strip_prefix('*') {
            stars.retain(|(.., all)| *all);
            stars.push((rest, path, false));
            pattern = rest;
            continue;
        }
        let (wanted, found) = (pattern.chars().next(), path.chars().next());
        if wanted == found {
            let Some(c) = wanted else { return true };
            (pattern, path) = (&pattern[c.len_utf8()..], &path[c.len_utf8()..]);
            continue;
        }
        loop {
            let Some((rest, from, all)) = stars.pop() else {
                return false;
            };
            let Some(c) = from.chars().next().filter(|c| all || *c != '/') else {
                continue;
            };
            let from = &from[c.len_utf8()..];
            stars.push((rest, from, all));
            (pattern, path) = (rest, from);
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_fit_names_and_two_stars_fit_folders() {
        for (pattern, path, expected) in [
            ("a.jsonl", "a.jsonl", true),
            ("*.jsonl", "a.jsonl", true),
            ("*.jsonl", "x/a.jsonl", false),
            ("logs/*/a*.jsonl", "logs/x/abc.jsonl", true),
            ("logs/*/a*.jsonl", "logs/x/y/abc.jsonl", false),
            ("logs/**", "logs/x/y/abc.jsonl", true),
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
