//! Markdown files for readers that are programs, and for terminals: recorded text in them is inert.

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

/// Appends lines of recorded text as a code block whose fence is longer than any in them, so that nothing in them ends it.
pub fn push_fenced(out: &mut String, lines: &[String]) {
    let lines: Vec<String> = lines.iter().map(|line| visible(line)).collect();
    let fence = "`".repeat(longest_fence(&lines).max(2) + 1);
    out.push_str(&format!("{fence}text\n"));
    for line in lines {
        out.push_str(&line);
        out.push('\n');
    }
    out.push_str(&fence);
    out.push_str("\n\n");
}

/// The length of the longest sequence of backticks.
fn longest_fence(lines: &[String]) -> usize {
    let lines = lines.iter();
    let fences = lines.flat_map(|line| line.split(|c| c != '`').map(str::len));
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
