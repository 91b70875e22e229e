//! Markdown for readers that are programs, for terminals, and for hosts of code: recorded text in it makes no markup, no link, and
//! mentions nobody.
//!
//! Against mentions, a backslash is not enough. GitHub and GitLab look for mentions, references and addresses in the rendered text,
//! where the backslash is gone, but not in code.

use base::diagnostics::text::visible;

/// Escapes text for Markdown: no markup, no table, no line break.
pub fn escaped(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        // A colon is markup only in an address.
        let is_plain = c == ':' && !text[at..].starts_with(":/");
        if c.is_ascii_punctuation() && !is_plain && !",;'\"/-.()=%?+".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Characters that begin a mention, a reference or the name of an emoji, and the one in addresses.
const SIGNS: [char; 8] = ['@', '#', '!', '%', '~', '&', '^', ':'];

/// Recorded text as code.
pub fn code(text: &str) -> String {
    let text = visible(text);
    let text = text.trim();
    if text.is_empty() {
        return "—".to_owned();
    }
    // A table ends its cells at a bar, even in code.
    let text = text.replace('|', "¦");
    let longest = longest_fence(&text);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Text as plain words: no markup, no table, no line break. What a host could take for a mention or an address is code.
pub fn plain(text: &str) -> String {
    if is_reference(text) {
        code(text)
    } else {
        escaped(text)
    }
}

/// Whether a part of a text may be a mention, a reference or an address: also `GH-1`, which is an issue, and `www.`.
fn is_reference(text: &str) -> bool {
    let begins = |(sign, next): (char, char)| SIGNS.contains(&sign) && !next.is_whitespace();
    let text = text.to_lowercase();
    text.chars().zip(text.chars().skip(1)).any(begins)
        || ["www.", "gh-"].iter().any(|prefix| text.contains(prefix))
}

/// A message of ours: its values, which are in backticks, as code.
pub fn message(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let of_part = |index: usize, part: &str| {
        let is_value = index % 2 == 1 && index + 1 < parts.len();
        if is_value {
            return code(part);
        }
        // Spaces around code stay outside of it.
        let (start, rest) = part.split_at(part.len() - part.trim_start().len());
        let (rest, end) = rest.split_at(rest.trim_end().len());
        if rest.is_empty() {
            return part.to_owned();
        }
        format!("{start}{}{end}", plain(rest))
    };
    let numbered = parts.iter().enumerate();
    numbered.map(|(index, part)| of_part(index, part)).collect()
}

/// Appends lines of recorded text as a code block whose fence is longer than any in them, so that nothing in them ends it.
pub fn push_fenced(out: &mut String, lines: &[String]) {
    let lines: Vec<String> = lines.iter().map(|line| visible(line)).collect();
    let longest = lines.iter().map(|line| longest_fence(line)).max();
    let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
    out.push_str(&format!("{fence}text\n"));
    for line in lines {
        out.push_str(&line);
        out.push('\n');
    }
    out.push_str(&fence);
    out.push_str("\n\n");
}

/// The length of the longest sequence of backticks.
fn longest_fence(text: &str) -> usize {
    let fences = text.split(|c| c != '`').map(str::len);
    fences.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_text_makes_no_markup() {
        assert_eq!(
            escaped("a|b <img> [x](https://e.org) `c` *d*\n# e\u{1b}[0m"),
            "a\\|b \\<img\\> \\[x\\](https\\://e.org) \\`c\\` \\*d\\*␊\\# e␛\\[0m"
        );
    }

    #[test]
    fn plain_text_mentions_nobody() {
        for (text, expected) in [
            (
                "a|b <img> *d*\n# e\u{1b}[0m",
                "a\\|b \\<img\\> \\*d\\*␊\\# e␛\\[0m",
            ),
            (
                "see [x](https://e.org) `c`",
                "`` see [x](https://e.org) `c` ``",
            ),
            ("@me #1", "`@me #1`"),
            ("as in GH-1", "`as in GH-1`"),
            ("www.e.org", "`www.e.org`"),
            ("95 % of 3: done", "95 % of 3: done"),
        ] {
            assert_eq!(plain(text), expected);
        }
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
        assert_eq!(message("Rule `a` says: *b*"), "Rule `a` says: \\*b\\*");
        assert_eq!(message("see @me, `a` "), "`see @me,` `a` ");
        assert_eq!(message("one ` alone"), "one  alone");
    }

    #[test]
    fn no_line_ends_its_fence() {
        let mut out = String::new();
        let lines = ["``` a", "`````", "b\n```\n# c\r\u{202e}"].map(str::to_owned);
        push_fenced(&mut out, &lines);
        assert_eq!(
            out,
            "``````text\n``` a\n`````\nb␊```␊# c␍\u{fffd}\n``````\n\n"
        );
        out.clear();
        push_fenced(&mut out, &["plain".to_owned()]);
        assert_eq!(out, "```text\nplain\n```\n\n");
    }
}
