//! Recorded text in Markdown that others render: it makes no markup, no link, and mentions nobody.
//!
//! A backslash is not enough. GitHub and GitLab look for mentions, references and addresses in the rendered text, where the
//! backslash is gone, but not in code.

use base::diagnostics::text::visible;

/// A character without width: what it divides is neither a name nor an address.
const DIVIDER: char = '\u{200b}';

/// Characters that begin a mention or a reference, and the one in addresses and in names of emoji.
const SIGNS: [char; 9] = ['@', '#', '!', '$', '%', '~', '&', '^', ':'];

/// Recorded text as code.
pub fn code(text: &str) -> String {
    let text = visible(text);
    let text = text.trim();
    if text.is_empty() {
        return "—".to_owned();
    }
    // A table ends its cells at a bar, even in code.
    let text = text.replace('|', "¦");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Text as plain words: no markup, no table, no line break.
pub fn plain(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len() + 8);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '|' {
            out.push('¦');
            continue;
        }
        if c.is_ascii_punctuation() && !",;'\"/-.()=%".contains(c) {
            out.push('\\');
        }
        out.push(c);
        let is_divided = SIGNS.contains(&c) || c == '.' && ends_with_www(&out);
        if is_divided && chars.peek().is_some_and(|next| !next.is_whitespace()) {
            out.push(DIVIDER);
        }
    }
    // `GH-1` is an issue, too.
    out.replace("GH-", "GH-\u{200b}")
        .replace("gh-", "gh-\u{200b}")
}

fn ends_with_www(text: &str) -> bool {
    let end = text.len().saturating_sub(4);
    text.get(end..)
        .is_some_and(|end| end.eq_ignore_ascii_case("www."))
}

/// A message of ours: its values, which are in backticks, as code.
pub fn message(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let of_part = |(index, part): (usize, &&str)| {
        let is_value = index % 2 == 1 && index + 1 < parts.len();
        if is_value { code(part) } else { plain(part) }
    };
    parts.iter().enumerate().map(of_part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_text_makes_no_markup() {
        assert_eq!(
            plain("a|b <img> [x](https://e.org) `c` *d*\n# e\u{1b}[0m"),
            "a¦b \\<img\\> \\[x\\](https\\:\u{200b}//e.org) \\`c\\` \\*d\\*␊\\# e␛\\[0m"
        );
        assert_eq!(
            plain("@me #1 GH-1 www.e.org"),
            "\\@\u{200b}me \\#\u{200b}1 GH-\u{200b}1 www.\u{200b}e.org"
        );
    }

    #[test]
    fn code_cannot_be_ended() {
        for (text, expected) in [
            ("a `b` c", "`` a `b` c ``"),
            ("``", "``` `` ```"),
            ("a|\n@b", "`a¦␊@b`"),
            (" ", "—"),
        ] {
            assert_eq!(code(text), expected);
        }
        assert_eq!(message("Rule `a` says: *b*"), "Rule `a` says\\: \\*b\\*");
        assert_eq!(message("one ` alone"), "one  alone");
    }
}
