//! Transformed views of a text: unescaped, uncolored, without tags. Each maps its bytes to the original text.

use std::ops::Range;

use base::characters::{MAY_BEGIN_HIDDEN, is_hidden};

/// Minimum terminal width, in columns, for which line breaks are removed.
const NARROWEST: usize = 40;
const WIDEST: usize = 256;
/// Minimum length of a word that may be a key.
const LONG: usize = 16;

/// A text derived from another one.
#[derive(Debug, Default)]
pub struct TextView {
    pub text: Vec<u8>,
    /// Pairs of positions in both texts, from which both advance byte by byte.
    steps: Vec<(usize, usize)>,
    /// End of the original text.
    end: usize,
}

impl TextView {
    /// Appends a part of a text unchanged.
    pub fn push(&mut self, text: &[u8], range: Range<usize>) {
        if !range.is_empty() {
            self.push_decoded(&text[range.clone()], range);
        }
    }

    /// Appends what a part of the original text stands for.
    fn push_decoded(&mut self, decoded: &[u8], origin: Range<usize>) {
        self.step(origin.start);
        self.text.extend_from_slice(decoded);
        self.end = origin.end;
    }

    fn step(&mut self, origin: usize) {
        let at = self.text.len();
        match self.steps.last() {
            Some((last, from)) if at - last == origin.wrapping_sub(*from) => {}
            _ => self.steps.push((at, origin)),
        }
    }

    /// The original position of a byte.
    fn origin_of(&self, at: usize) -> usize {
        let next = self.steps.partition_point(|(start, _)| *start <= at);
        let Some((start, origin)) = next.checked_sub(1).and_then(|last| self.steps.get(last))
        else {
            return at;
        };
        // Several bytes may come from one escape.
        let limit = self.steps.get(next).map_or(self.end, |(_, origin)| *origin);
        (origin + (at - start)).min(limit.max(*origin))
    }

    /// The original range of a part.
    pub fn origin(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.origin_of(range.start);
        let end = if range.end >= self.text.len() {
            self.end
        } else {
            // The end of the last byte, or where the next one begins if an escape is between them.
            self.origin_of(range.end)
        };
        start..end.max(start)
    }

    /// The original ranges of a part, for a view built only with [`Self::push`].
    pub fn origins(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let ends = self.steps.iter().skip(1).map(|(start, _)| *start);
        let ends = ends.chain([self.text.len()]);
        let parts = self.steps.iter().zip(ends).map(|((start, origin), end)| {
            let part = range.start.max(*start)..range.end.min(end);
            (part.start < part.end).then(|| origin + part.start - start..origin + part.end - start)
        });
        parts.flatten().collect()
    }

    /// Number of separate parts.
    pub fn parts(&self) -> usize {
        self.steps.len()
    }
}

/// The text with the escapes of JSON and of most programming languages resolved. `None` if it has none.
pub fn unescaped(text: &[u8]) -> Option<TextView> {
    memchr::memchr(b'\\', text)?;
    let mut view = TextView::default();
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'\\', &text[from..]) {
        let at = from + found;
        view.push(text, from..at);
        let (character, length) = escape(&text[at..]);
        from = at + length;
        view.push_decoded(character.encode_utf8(&mut [0; 4]).as_bytes(), at..from);
    }
    view.push(text, from..text.len());
    Some(view)
}

/// The character and length of an escape at the beginning of a text.
fn escape(text: &[u8]) -> (char, usize) {
    const BACKSLASH: (char, usize) = ('\\', 1);
    let simple = |byte: u8| (char::from(byte), 2);
    let hex = |digits: Range<usize>| {
        let end = digits.end;
        Some((character(text.get(digits)?)?, end))
    };
    match text.get(1) {
        Some(b'n') => simple(b'\n'),
        Some(b'r') => simple(b'\r'),
        Some(b't') => simple(b'\t'),
        Some(b'b' | b'f') => simple(b' '),
        Some(b'e') => simple(0x1b),
        Some(byte @ (b'"' | b'\'' | b'\\' | b'/' | b'`')) => simple(*byte),
        Some(b'x') => hex(2..4).unwrap_or(BACKSLASH),
        Some(b'u') => hex(2..6).or_else(|| braced(text)).unwrap_or(BACKSLASH),
        Some(b'U') => hex(2..10).unwrap_or(BACKSLASH),
        Some(b'0') if text[1..].starts_with(b"033") => ('\x1b', 4),
        _ => BACKSLASH,
    }
}

/// The character with this number in hexadecimal digits.
fn character(digits: &[u8]) -> Option<char> {
    let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// The character and length of an escape such as `\u{5f}`.
fn braced(text: &[u8]) -> Option<(char, usize)> {
    let digits = text
        .get(3..text.len().min(11))
        .filter(|_| text[2] == b'{')?;
    let count = digits.iter().position(|byte| *byte == b'}')?;
    Some((character(&digits[..count])?, count + 4))
}

/// The text without the color sequences of a terminal. `None` if it has none.
pub fn uncolored(text: &[u8]) -> Option<TextView> {
    memchr::memchr(0x1b, text)?;
    let mut view = TextView::default();
    let mut from = 0;
    while let Some(found) = memchr::memchr(0x1b, &text[from..]) {
        let at = from + found;
        view.push(text, from..at);
        from = at + sequence(&text[at..]);
    }
    view.push(text, from..text.len());
    view.end = text.len();
    Some(view)
}

/// The length of the control sequence at the beginning of a text.
fn sequence(text: &[u8]) -> usize {
    match text.get(1) {
        Some(b'[') => {
            let parameters = text[2..]
                .iter()
                .position(|byte| !(0x20..0x40).contains(byte));
            parameters.map_or(text.len(), |count| 2 + count + 1)
        }
        // A title or a link, up to BEL or ST.
        Some(b']') => {
            let end = text.iter().take(4096).position(|byte| *byte == 7);
            let string = memchr::memmem::find(&text[1..text.len().min(4096)], b"\x1b\\");
            let ends = [end.map(|at| at + 1), string.map(|at| at + 3)];
            ends.into_iter().flatten().min().unwrap_or(2)
        }
        Some(_) => 2,
        None => text.len(),
    }
}

/// The text as a reader sees it: without invisible characters, and with character references such as `&#95;` resolved. `None` if it
/// has neither in a word. ASCII in UTF-16 is ASCII without its zero bytes.
pub fn visible(text: &[u8]) -> Option<TextView> {
    let mut view = TextView::default();
    let (mut from, mut at) = (0, 0);
    let mut is_other = false;
    while at < text.len() {
        let (shown, length) = match text[at] {
            b'&' => match reference(&text[at..]) {
                Some((c, length)) => (Some(c).filter(|c| !is_hidden(*c)), length),
                None => (None, 0),
            },
            byte if MAY_BEGIN_HIDDEN[usize::from(byte)] => (None, hidden(&text[at..])),
            _ => (None, 0),
        };
        if length == 0 {
            at += 1;
            continue;
        }
        is_other = is_other || is_within(text, at, length, shown);
        view.push(text, from..at);
        if let Some(c) = shown {
            view.push_decoded(c.encode_utf8(&mut [0; 4]).as_bytes(), at..at + length);
        }
        at += length;
        from = at;
        view.end = at;
    }
    view.push(text, from..text.len());
    is_other.then_some(view)
}

/// Whether what is written at `at` is within a word: an invisible character, or the reference of `shown`.
pub fn is_within(text: &[u8], at: usize, length: usize, shown: Option<char>) -> bool {
    let is_in_a_word = |at: usize| text.get(at).is_some_and(|byte| is_in_word(*byte));
    match shown {
        Some(c) => {
            u8::try_from(c).is_ok_and(|byte| is_in_word(byte) || b":/=+$@%~!".contains(&byte))
        }
        None => is_in_a_word(at.wrapping_sub(1)) || is_in_a_word(at + length),
    }
}

/// The length of an invisible character at the beginning of a text, or 0. The colors of a terminal have a view of their own.
pub fn hidden(text: &[u8]) -> usize {
    let length = match text.first() {
        Some(0x1b) | None => return 0,
        Some(0..0x80) => 1,
        Some(0xc0..0xe0) => 2,
        Some(0xe0..0xf0) => 3,
        Some(_) => 4,
    };
    let first = text
        .get(..length)
        .and_then(|first| std::str::from_utf8(first).ok());
    let is_first_hidden = first.is_some_and(|first| first.chars().all(is_hidden));
    if is_first_hidden { length } else { 0 }
}

/// Named character references that a key or its surroundings may be written with.
const REFERENCES: [(&str, char); 46] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("period", '.'),
    ("sol", '/'),
    ("bsol", '\\'),
    ("colon", ':'),
    ("semi", ';'),
    ("comma", ','),
    ("equals", '='),
    ("plus", '+'),
    ("num", '#'),
    ("commat", '@'),
    ("percnt", '%'),
    ("ast", '*'),
    ("midast", '*'),
    ("excl", '!'),
    ("quest", '?'),
    ("dollar", '$'),
    ("Hat", '^'),
    ("grave", '`'),
    ("verbar", '|'),
    ("vert", '|'),
    ("lpar", '('),
    ("rpar", ')'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("lcub", '{'),
    ("lbrace", '{'),
    ("rcub", '}'),
    ("rbrace", '}'),
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("shy", '\u{ad}'),
    ("ZeroWidthSpace", '\u{200b}'),
    ("zwnj", '\u{200c}'),
    ("zwj", '\u{200d}'),
    ("NoBreak", '\u{2060}'),
    ("InvisibleTimes", '\u{2062}'),
];

/// The character and length of a character reference at the beginning of a text.
pub fn reference(text: &[u8]) -> Option<(char, usize)> {
    let rest = text.get(1..text.len().min(20))?;
    let digits = |from: usize, is_digit: fn(&u8) -> bool, radix: u32| {
        let count = rest
            .get(from..)?
            .iter()
            .take_while(|byte| is_digit(byte))
            .count();
        let digits = std::str::from_utf8(&rest[from..from + count]).ok()?;
        let c = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
        // Browsers need no semicolon.
        let semicolon = usize::from(rest.get(from + count) == Some(&b';'));
        Some((c, 1 + from + count + semicolon))
    };
    match rest {
        [b'#', b'x' | b'X', ..] => digits(2, u8::is_ascii_hexdigit, 16),
        [b'#', ..] => digits(1, u8::is_ascii_digit, 10),
        _ => {
            let end = rest.iter().position(|byte| *byte == b';')?;
            let known = REFERENCES
                .iter()
                .find(|(name, _)| name.as_bytes() == &rest[..end]);
            known.map(|(_, c)| (*c, end + 2))
        }
    }
}

/// The text of an HTML document, without tags and comments within words. `None` if it has none.
pub fn untagged(text: &[u8]) -> Option<TextView> {
    let mut view = TextView::default();
    let mut from = 0;
    let mut at = 0;
    // If one comment has no end, no later one has.
    let mut has_end = true;
    while let Some(found) = memchr::memchr(b'<', &text[at..]) {
        let start = at + found;
        let mut end = start;
        while let Some(length) = tag(&text[end..], &mut has_end) {
            end += length;
        }
        let is_within = start > 0
            && is_in_word(text[start - 1])
            && text.get(end).is_some_and(|byte| is_in_word(*byte));
        if end > start && is_within {
            view.push(text, from..start);
            from = end;
        }
        at = end.max(start + 1);
    }
    if from == 0 {
        return None;
    }
    view.push(text, from..text.len());
    Some(view)
}

/// The length of a tag or a comment at the beginning of a text.
fn tag(text: &[u8], has_end: &mut bool) -> Option<usize> {
    const COMMENT: &[u8] = b"<!--";
    if *has_end && text.starts_with(COMMENT) {
        let end = memchr::memmem::find(&text[COMMENT.len()..], b"-->");
        *has_end = end.is_some();
        return Some(COMMENT.len() + end? + 3);
    }
    let name = text.strip_prefix(b"</").or(text.strip_prefix(b"<"))?;
    let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric());
    let name = &name[..length.count().min(LONGEST_NAME)];
    let is_inline = |known: &&[u8]| known.eq_ignore_ascii_case(name);
    INLINE.iter().find(|known| is_inline(known))?;
    Some(memchr::memchr(b'>', &text[..text.len().min(4096)])? + 1)
}

/// Elements that may be within a word.
const INLINE: [&[u8]; 19] = [
    b"a", b"b", b"bdi", b"bdo", b"code", b"em", b"font", b"i", b"ins", b"kbd", b"mark", b"s",
    b"small", b"span", b"strong", b"tspan", b"tt", b"u", b"wbr",
];
const LONGEST_NAME: usize = 8;

/// Whether a byte may be part of a key, or begins the reference of a character.
pub const fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'&')
}

/// The text with percent-encoding resolved. `None` if it has none.
pub fn unpercented(text: &[u8]) -> Option<TextView> {
    percent(text)?;
    let mut view = TextView::default();
    let mut at = 0;
    while let Some((found, byte)) = percent(&text[at..]) {
        let start = at + found;
        view.push(text, at..start);
        at = start + 3;
        view.push_decoded(&[byte], start..at);
    }
    view.push(text, at..text.len());
    Some(view)
}

/// Position and value of the first percent-encoded byte.
pub fn percent(text: &[u8]) -> Option<(usize, u8)> {
    memchr::memchr_iter(b'%', text).find_map(|at| {
        let digits = std::str::from_utf8(text.get(at + 1..at + 3)?).ok()?;
        let digits = digits
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit())
            .then_some(digits)?;
        Some((at, u8::from_str_radix(digits, 16).ok()?))
    })
}

/// The text without the line breaks that a terminal puts into long words. `None` if it has none.
pub fn unwrapped(text: &[u8]) -> Option<TextView> {
    let mut view = TextView::default();
    let (mut line, mut from) = (0, 0);
    for at in memchr::memchr_iter(b'\n', text) {
        let is_carriage = at > line && text[at - 1] == b'\r';
        let end = at - usize::from(is_carriage);
        if (NARROWEST..=WIDEST).contains(&(end - line))
            && is_word_over(&text[line..end], &text[at + 1..])
        {
            view.push(text, from..end);
            from = at + 1;
        }
        line = at + 1;
    }
    if from == 0 {
        return None;
    }
    view.push(text, from..text.len());
    Some(view)
}

/// Whether the last word of a line and the first of the next form one, such as a key: long, and with a digit.
fn is_word_over(before: &[u8], after: &[u8]) -> bool {
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.=+/~:@%".contains(*byte);
    let left = before.iter().rev().take_while(is_word).count();
    let right = after.iter().take(WIDEST).take_while(is_word).count();
    let word = || before[before.len() - left..].iter().chain(&after[..right]);
    left > 0 && right > 0 && left + right >= LONG && word().any(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(view: &TextView, text: &str, part: &str) -> String {
        let at = memchr::memmem::find(&view.text, part.as_bytes()).expect("it is in the view");
        text[view.origin(&(at..at + part.len()))].to_owned()
    }

    #[test]
    fn an_escaped_text_is_read_and_each_part_is_found_again() {
        let text = r#"a\"b\u0041\n\\c\/dé\u00e9!"#;
        let view = unescaped(text.as_bytes()).expect("it has escapes");
        assert_eq!(
            String::from_utf8_lossy(&view.text),
            "a\"bA\n\\c/dééé!".replace("ééé", "éé")
        );
        assert_eq!(origin(&view, text, "A"), r"\u0041");
        assert_eq!(origin(&view, text, "bA"), r"b\u0041");
        assert_eq!(origin(&view, text, "/d"), r"\/d");
        assert_eq!(origin(&view, text, "c"), "c");
        assert_eq!(origin(&view, text, "!"), "!");
        assert!(unescaped(b"plain").is_none());
        assert_eq!(unescaped(b"\\").expect("one").text, b"\\");
        assert_eq!(unescaped(b"\\u12").expect("one").text, b"\\u12");
    }

    #[test]
    fn colors_are_left_out_wherever_they_are() {
        let text = "\u{1b}[31mke\u{1b}[0;1my\u{1b}[0m=\u{1b}]0;title\u{7}v\u{1b}";
        let view = uncolored(text.as_bytes()).expect("it has colors");
        assert_eq!(String::from_utf8_lossy(&view.text), "key=v");
        assert_eq!(origin(&view, text, "key"), "ke\u{1b}[0;1my\u{1b}[0m");
        assert!(uncolored(b"plain").is_none());
    }

    #[test]
    fn a_text_is_read_without_what_nobody_sees_and_with_its_character_references() {
        for (text, shown) in [
            ("ke\u{200b}y\u{ad}=\u{feff}v", "key=v"),
            ("k\0e\0y\0=\0v\0", "key=v"),
            ("k&#101;y&#x3d;v", "key=v"),
            ("key&equals;v&shy;", "key=v"),
            ("k&#101y&equals;&ZeroWidthSpace;v", "key=v"),
        ] {
            let view = visible(text.as_bytes()).expect("it has some");
            assert_eq!(String::from_utf8_lossy(&view.text), shown);
            assert!(origin(&view, text, "key").starts_with('k'));
        }
        for plain in ["plain – “text”", "a & b &c; &#; &#x;", "\u{1b}[0m"] {
            assert!(visible(plain.as_bytes()).is_none(), "{plain}");
        }
    }

    #[test]
    fn tags_within_a_word_are_left_out_and_those_between_words_are_not() {
        let text = "<p>ke<b>y</b><!-- a > b -->=v</p> <i>a < b</i>";
        let view = untagged(text.as_bytes()).expect("it has some");
        assert_eq!(
            String::from_utf8_lossy(&view.text),
            "<p>key</b><!-- a > b -->=v</p> <i>a < b</i>"
        );
        assert_eq!(origin(&view, text, "key"), "ke<b>y");
        assert!(untagged(b"<p>a</p> <p>b</p> 1<2 && 2>1").is_none());
    }

    #[test]
    fn an_address_is_read_without_its_percent_encoding() {
        let text = "q=a%2Fb%3D100%25%zz%";
        let view = unpercented(text.as_bytes()).expect("it is encoded");
        assert_eq!(String::from_utf8_lossy(&view.text), "q=a/b=100%%zz%");
        assert_eq!(origin(&view, text, "a/b="), "a%2Fb%3D");
        assert_eq!(origin(&view, text, "100"), "100");
        assert!(unpercented(b"100% plain %zz").is_none());
    }

    #[test]
    fn a_long_word_is_read_over_the_end_of_a_line_and_short_ones_are_not() {
        let before = "x ".repeat(25);
        let text = format!("{before}key=ab1cdef\nghijklmnop rest\r\n");
        let view = unwrapped(text.as_bytes()).expect("it is wrapped");
        assert_eq!(
            origin(&view, &text, "ab1cdefghijklmnop"),
            "ab1cdef\nghijklmnop"
        );
        for plain in [
            "a line of many words, which goes on\nhere",
            "key=ab1cdef\nghijklmnop",
        ] {
            assert!(unwrapped(plain.as_bytes()).is_none(), "{plain}");
        }
    }
}
