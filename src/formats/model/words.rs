//! Text as a reader copies it: without terminal colors, and with white space collapsed.

use super::tape::Event;

/// The text on one line.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_plain(&mut out, text, usize::MAX);
    out
}

/// Bytes read for each character of an excerpt.
const MAX_BYTES_PER_CHAR: usize = 64;

/// The text on one line, cut at `limit` characters.
pub fn excerpt(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(limit) + '…'.len_utf8());
    // Limits the time for long text, even if it is all white space.
    let seen = limit
        .max(1)
        .saturating_mul(MAX_BYTES_PER_CHAR)
        .min(text.len());
    let seen = text.floor_char_boundary(seen);
    if push_plain(&mut out, &text[..seen], limit) || seen < text.len() {
        out.push('…');
    }
    out
}

/// The headline of an event, or else its content, cut at `limit` characters.
pub fn summary(event: &Event<'_>, limit: usize) -> String {
    let text = if event.headline.is_empty() {
        event.blocks.first().map_or("", |block| &*block.text)
    } else {
        &event.headline
    };
    excerpt(text, limit)
}

/// Appends at most `limit` characters of the text; returns whether there was more.
#[allow(
    clippy::needless_bitwise_bool,
    reason = "a branch for each byte would keep the loop from being vectorized"
)]
fn push_plain(out: &mut String, text: &str, limit: usize) -> bool {
    // A loop written for vectorization.
    let is_other = |byte: u8| {
        (byte < b' ') & (byte != b'\t') & (byte != b'\n') & (byte != b'\r') | (byte > b'~')
    };
    let has_other = |piece: &[u8]| {
        piece
            .iter()
            .fold(false, |found, byte| found | is_other(*byte))
    };
    if !text.as_bytes().chunks(128).any(has_other) {
        return push_ascii(out, text, limit);
    }
    let (mut gap, mut left) = (false, limit);
    for part in anstream::adapter::strip_str(text) {
        for c in part.chars() {
            if c.is_whitespace() {
                gap = true;
                continue;
            }
            if left == 0 {
                return true;
            }
            if gap && !out.is_empty() {
                out.push(' ');
                left = left.saturating_sub(1);
            }
            gap = false;
            out.push(c);
            left = left.saturating_sub(1);
        }
    }
    false
}

/// The fast path for ASCII without escape sequences, as most recorded text is.
fn push_ascii(out: &mut String, text: &str, limit: usize) -> bool {
    let mut left = limit;
    for word in text.split_ascii_whitespace() {
        if left == 0 {
            return true;
        }
        if !out.is_empty() {
            out.push(' ');
            left -= 1;
        }
        // The last character is never a space.
        let shown = word.len().min(left.max(1));
        out.push_str(&word[..shown]);
        left = left.saturating_sub(shown);
        if shown < word.len() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_as_it_is_copied_from_a_page() {
        assert_eq!(plain("  \u{1b}[31mOne\u{1b}[0m\n\t test "), "One test");
        assert_eq!(excerpt("One   test fails", 8), "One test…");
        assert_eq!(excerpt("One test \n", 8), "One test");
        assert_eq!(excerpt("", 8), "");
    }

    #[test]
    fn text_of_one_byte_a_character_is_cut_like_any_other() {
        let texts = [
            "One   test fails",
            " a\tb\r\n c ",
            "aaaa bbbb",
            "",
            " ",
            "a",
        ];
        for text in texts {
            for limit in 0..=text.len() + 1 {
                let marked = excerpt(&format!("{text}\u{1b}[0m"), limit);
                assert_eq!(excerpt(text, limit), marked, "{text:?} at {limit}");
            }
        }
    }
}
