//! The recorded prose of an agent, with Markdown styled in place: every character stays where it is.
//!
//! One pass over each line, with at most one failing search for the end of each kind of marker. The time is linear for any text.

use super::escape::{push_slice, push_text};

/// Appends a text: markers are dimmed, and the text between them is code, strong or emphasized. One dimmed element contains both
/// markers and the text between, which gets its color back.
pub fn push_prose(out: &mut String, text: &str) {
    if memchr::memchr3(b'`', b'*', b'_', text.as_bytes()).is_none()
        && memchr::memchr2(b'#', b'~', text.as_bytes()).is_none()
    {
        return push_text(out, text);
    }
    let mut writer = Writer { out, text, done: 0 };
    // The marker that closes the open code block.
    let mut open: Option<(u8, usize)> = None;
    let mut next = 0;
    while next < text.len() {
        let start = next;
        let rest = &text.as_bytes()[start..];
        next = memchr::memchr(b'\n', rest).map_or(text.len(), |found| start + found + 1);
        let line = &text[start..next];
        let end = start + line.trim_end().len();
        let fence = fence(line);
        match (open, fence) {
            (Some((mark, length)), Some((other, count, bare)))
                if mark == other && count >= length && bare =>
            {
                writer.put(start, "</code>");
                writer.put(end, "</i>");
                open = None;
            }
            (None, Some((mark, length, bare)))
                if bare || mark == b'~' || !has_tick(line, length) =>
            {
                writer.put(start, "<i>");
                writer.put(start + line.len(), "<code>");
                open = Some((mark, length));
            }
            (Some(_), _) => {}
            (None, _) => writer.line(start, end),
        }
    }
    writer.put(text.len(), if open.is_some() { "</code></i>" } else { "" });
}

/// The marker at the start of a line that may open or close a code block: its character, its length, and whether nothing follows
/// it.
fn fence(line: &str) -> Option<(u8, usize, bool)> {
    let first = line.bytes().find(|byte| !byte.is_ascii_whitespace())?;
    if first.is_ascii() && !matches!(first, b'`' | b'~') {
        return None;
    }
    let line = line.trim();
    let mark = *line.as_bytes().first()?;
    let count = line.bytes().take_while(|byte| *byte == mark).count();
    (matches!(mark, b'`' | b'~') && count >= 3).then_some((mark, count, count == line.len()))
}

/// Whether the text after an opening marker has a backtick: then the line is a code span.
fn has_tick(line: &str, length: usize) -> bool {
    memchr::memchr(b'`', &line.trim().as_bytes()[length..]).is_some()
}

/// The kinds of inline markers.
#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Strong,
    Star,
    Underscore,
}

impl Mark {
    const fn tags(self) -> (&'static str, &'static str) {
        match self {
            Self::Strong => ("<b>", "</b>"),
            Self::Star | Self::Underscore => ("<em>", "</em>"),
        }
    }
}

/// Longer runs of backticks are text.
const TICKS: usize = 4;

struct Writer<'o, 't> {
    out: &'o mut String,
    text: &'t str,
    /// End of the text written so far.
    done: usize,
}

impl Writer<'_, '_> {
    /// Writes the text up to `at`, then a tag.
    fn put(&mut self, at: usize, tag: &str) {
        push_slice(self.out, self.text, self.done..at);
        self.out.push_str(tag);
        self.done = at;
    }

    fn marker(&mut self, start: usize, end: usize) {
        self.put(start, "<i>");
        self.put(end, "</i>");
    }

    /// A line outside of code blocks.
    fn line(&mut self, start: usize, end: usize) {
        let line = &self.text.as_bytes()[start..end.max(start)];
        let hashes = line.iter().take_while(|byte| **byte == b'#').count();
        if (1..=6).contains(&hashes) && line.get(hashes) == Some(&b' ') {
            self.marker(start, start + hashes);
            self.put(start + hashes, "<b>");
            self.inline(start + hashes, end, 1);
            self.put(end, "</b>");
        } else {
            self.inline(start, end, 0);
        }
    }

    /// Code spans and emphasis from `at` to `end`. At level 1 there is no more strong, at level 2 only code.
    fn inline(&mut self, mut at: usize, end: usize, level: usize) {
        let bytes = self.text.as_bytes();
        // Markers that have no end from here on.
        let mut unended = [level > 0, level > 1, level > 1];
        let mut unended_ticks = [false; TICKS + 1];
        while let Some(found) = memchr::memchr3(b'`', b'*', b'_', &bytes[at.min(end)..end]) {
            at += found;
            let byte = bytes[at];
            let run = bytes[at..end].iter().take_while(|b| **b == byte).count();
            let inside = at + run;
            if byte == b'`' {
                let close = (run <= TICKS && !unended_ticks[run])
                    .then(|| ticks(&bytes[..end], run, inside))
                    .flatten();
                if let Some(close) = close {
                    self.put(at, "<i>");
                    self.put(inside, "<code>");
                    self.put(close, "</code>");
                    self.put(close + run, "</i>");
                    at = close + run;
                } else {
                    if let Some(unended) = unended_ticks.get_mut(run) {
                        *unended = true;
                    }
                    at = inside;
                }
                continue;
            }
            let mark = match (byte, run) {
                (b'*', 2) => Mark::Strong,
                (b'*', 1) => Mark::Star,
                (b'_', 1) => Mark::Underscore,
                _ => {
                    at = inside;
                    continue;
                }
            };
            let may_open = !unended[mark as usize] && opens(bytes, at, inside, end);
            let close = may_open
                .then(|| closer(&bytes[..end], byte, run, inside))
                .flatten();
            if let Some(close) = close {
                let (tag, ending) = mark.tags();
                self.put(at, "<i>");
                self.put(inside, tag);
                self.inline(inside, close, if mark == Mark::Strong { 1 } else { 2 });
                self.put(close, ending);
                self.put(close + run, "</i>");
                at = close + run;
            } else {
                unended[mark as usize] |= may_open;
                at = inside;
            }
        }
    }
}

/// The run of `count` backticks that ends a code span.
fn ticks(line: &[u8], count: usize, from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = memchr::memchr(b'`', &line[at..]) {
        let start = at + found;
        at = start + line[start..].iter().take_while(|b| **b == b'`').count();
        if at - start == count && start > from {
            return Some(start);
        }
    }
    None
}

/// Whether a marker may open emphasis: before a word, and not inside a word or a path.
fn opens(bytes: &[u8], at: usize, inside: usize, end: usize) -> bool {
    let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
    let is_free = before.is_ascii_whitespace() || b"([{\"':;,-|>*_".contains(&before);
    is_free && inside < end && !bytes[inside].is_ascii_whitespace()
}

/// The marker that closes emphasis: right after a word, and not before a word or a path.
fn closer(line: &[u8], mark: u8, count: usize, from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = memchr::memchr(mark, &line[at..]) {
        let start = at + found;
        at = start + line[start..].iter().take_while(|b| **b == mark).count();
        let is_free = line.get(at).is_none_or(|after| {
            after.is_ascii() && !after.is_ascii_alphanumeric() && *after != b'/'
        });
        let follows_word = start > from && !line[start - 1].is_ascii_whitespace();
        if at - start == count && is_free && follows_word {
            return Some(start);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::escape;

    fn prose(text: &str) -> String {
        let mut out = String::new();
        push_prose(&mut out, text);
        out
    }

    /// The text that a reader would copy.
    fn copied(html: &str) -> String {
        html.split('<')
            .enumerate()
            .map(|(index, piece)| match piece.split_once('>') {
                Some((_, text)) if index > 0 => text,
                _ => piece,
            })
            .collect()
    }

    #[test]
    fn markers_are_dimmed_and_words_between_them_are_styled() {
        for (text, html) in [
            ("plain 2 * 3 * 4", "plain 2 * 3 * 4"),
            (
                "**Done**: it _works_",
                "<i>**<b>Done</b>**</i>: it <i>_<em>works</em>_</i>",
            ),
            ("run `a < b`", "run <i>`<code>a &lt; b</code>`</i>"),
            ("``a`b``", "<i>``<code>a`b</code>``</i>"),
            ("## The *end*", "<i>##</i><b> The <i>*<em>end</em>*</i></b>"),
            (
                "**a `b` _c_ d**",
                "<i>**<b>a <i>`<code>b</code>`</i> <i>_<em>c</em>_</i> d</b>**</i>",
            ),
            (
                "```js\nlet *a*;\n```\nend",
                "<i>```js\n<code>let *a*;\n</code>```</i>\nend",
            ),
            (
                "~~~~\n```\n~~~\n~~~~~",
                "<i>~~~~\n<code>```\n~~~\n</code>~~~~~</i>",
            ),
            ("```\nnever ended", "<i>```\n<code>never ended</code></i>"),
            ("```inline```", "<i>```<code>inline</code>```</i>"),
        ] {
            assert_eq!(prose(text), html);
        }
    }

    #[test]
    fn names_globs_and_lists_are_no_markup() {
        for text in [
            "snake_case_name and __init__.py",
            "src/**/*.js and tests/**/*.ts",
            "*.js and *.ts",
            "* an item\n* another",
            "#hashtag, a*b*c, 5 ** 2",
            "one ` tick, ** two, _ three",
        ] {
            assert_eq!(prose(text), text);
        }
    }

    #[test]
    fn a_text_of_nothing_but_markers_takes_linear_time() {
        for piece in [
            "`",
            "*",
            "**",
            "_",
            "` ",
            "* a",
            " *a",
            " **a",
            " _a",
            "``` ",
            "`a``b",
            "```\n",
            "\n#",
            " **a _b `c",
        ] {
            let text = piece.repeat(400_000 / piece.len());
            let started = std::time::Instant::now();
            let html = prose(&text);
            assert!(started.elapsed().as_secs() < 5, "{piece:?}");
            assert_eq!(copied(&html), text);
        }
    }

    proptest! {
        #[test]
        fn every_recorded_character_stays_where_it_is(
            pieces in proptest::collection::vec(prop_oneof![
                proptest::sample::select(vec![
                    "`", "``", "```", "~~~", "*", "**", "***", "_", "__", "# ", "## ", "\n", "\r\n", " ", "a", "b c", "/", ".",
                    "<b>", "&amp;", "</pre>", "\u{202e}", "\u{fe0f}", "\u{20e3}", "\u{200d}", "👩", "é", "\0", "1", "```js\n",
                ]).prop_map(str::to_owned),
                ".{0,3}",
            ], 0..40),
        ) {
            let text = pieces.concat();
            let html = prose(&text);
            let plain = escape::text(&text);
            prop_assert_eq!(copied(&html), copied(plain.as_str()));
            // Elements must close in order.
            let mut open = Vec::new();
            for tag in html.split('<').skip(1) {
                let tag = tag.split_once('>').map_or("", |(tag, _)| tag);
                match tag.strip_prefix('/') {
                    Some(name) => prop_assert_eq!(open.pop(), Some(name.to_owned())),
                    None => open.push(tag.split(' ').next().unwrap_or_default().to_owned()),
                }
            }
            prop_assert!(open.is_empty());
        }
    }
}
