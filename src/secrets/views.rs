//! Transformed views of a text: unescaped, uncolored, decoded from base64. Each maps its bytes to the original text.

use std::ops::Range;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Minimum length of base64 to decode, in characters.
const SHORTEST: usize = 24;
/// Characters of base64 decoded first; the rest is decoded only if they are text.
const TRIED: usize = 24;
/// Maximum characters of base64 decoded together: a multiple of four.
const LONGEST: usize = 1 << 20;

/// Minimum terminal width, in columns, for which line breaks are removed.
const NARROWEST: usize = 40;
const WIDEST: usize = 256;
/// Minimum length of a word that may be a key.
const LONG: usize = 16;

/// A text derived from another one.
#[derive(Debug, Default)]
pub struct View {
    /// The text.
    pub text: Vec<u8>,
    /// Pairs of positions in both texts, from which both advance byte by byte.
    steps: Vec<(usize, usize)>,
    /// End of the original text.
    end: usize,
}

impl View {
    /// Appends a part of a text unchanged.
    pub fn push(&mut self, text: &[u8], range: Range<usize>) {
        self.step(range.start);
        self.text.extend_from_slice(&text[range.clone()]);
        self.end = range.end;
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
pub fn unescaped(text: &[u8]) -> Option<View> {
    memchr::memchr(b'\\', text)?;
    let mut view = View::default();
    let mut at = 0;
    while at < text.len() {
        let next = memchr::memchr(b'\\', &text[at..]).map_or(text.len(), |found| at + found);
        if next > at {
            view.push(text, at..next);
        }
        if next == text.len() {
            break;
        }
        let (bytes, length) = escape(&text[next..]);
        view.step(next);
        view.text.extend_from_slice(bytes.as_bytes());
        at = next + length;
        view.end = at;
    }
    Some(view)
}

/// The character and length of an escape at the beginning of a text.
fn escape(text: &[u8]) -> (Character, usize) {
    let simple = |byte: u8| (Character::byte(byte), 2);
    let hex = |digits: Range<usize>| {
        let digits = std::str::from_utf8(text.get(digits)?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    match text.get(1) {
        Some(b'n') => simple(b'\n'),
        Some(b'r') => simple(b'\r'),
        Some(b't') => simple(b'\t'),
        Some(b'b' | b'f') => simple(b' '),
        Some(b'e') => simple(0x1b),
        Some(byte @ (b'"' | b'\'' | b'\\' | b'/' | b'`')) => simple(*byte),
        Some(b'x') => match hex(2..4) {
            Some(code) => (Character::of(code), 4),
            None => (Character::byte(b'\\'), 1),
        },
        Some(b'u') => match hex(2..6) {
            Some(code) => (Character::of(code), 6),
            None => (Character::byte(b'\\'), 1),
        },
        Some(b'0') if text[1..].starts_with(b"033") => (Character::byte(0x1b), 4),
        _ => (Character::byte(b'\\'), 1),
    }
}

/// A character as UTF-8.
struct Character([u8; 4], usize);

impl Character {
    const fn byte(byte: u8) -> Self {
        Self([byte, 0, 0, 0], 1)
    }

    fn of(code: u32) -> Self {
        let mut bytes = [0; 4];
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        let length = character.encode_utf8(&mut bytes).len();
        Self(bytes, length)
    }

    fn as_bytes(&self) -> &[u8] {
        &self.0[..self.1]
    }
}

/// The text without the color sequences of a terminal. `None` if it has none.
pub fn uncolored(text: &[u8]) -> Option<View> {
    memchr::memchr(0x1b, text)?;
    let mut view = View::default();
    let mut at = 0;
    while at < text.len() {
        let next = memchr::memchr(0x1b, &text[at..]).map_or(text.len(), |found| at + found);
        if next > at {
            view.push(text, at..next);
        }
        at = next + sequence(&text[next..]);
    }
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

/// The text with percent-encoding resolved. `None` if it has none.
pub fn unpercented(text: &[u8]) -> Option<View> {
    percent(text)?;
    let mut view = View::default();
    let mut at = 0;
    while let Some((found, byte)) = percent(&text[at..]) {
        if found > 0 {
            view.push(text, at..at + found);
        }
        view.step(at + found);
        view.text.push(byte);
        at += found + 3;
        view.end = at;
    }
    if at < text.len() {
        view.push(text, at..text.len());
    }
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
pub fn unwrapped(text: &[u8]) -> Option<View> {
    let mut view = View::default();
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

/// Calls `each` with every piece of base64 in a text: its range and its decoded bytes.
pub fn decoded(text: &[u8], mut each: impl FnMut(Range<usize>, &[u8])) {
    let mut at = SHORTEST - 1;
    let mut last = 0;
    // A run of sufficient length contains one of these bytes.
    while at < text.len() {
        if !is_base64(text[at]) {
            at += SHORTEST;
            continue;
        }
        let before = text[last..at]
            .iter()
            .rev()
            .take_while(|byte| is_base64(**byte))
            .count();
        let start = after_escape(text, at - before);
        let end = at
            + text[at..]
                .iter()
                .take_while(|byte| is_base64(**byte))
                .count();
        let (end, digits) = if end.saturating_sub(start) < SHORTEST {
            (end, None)
        } else {
            lines(text, start, end)
        };
        if end.saturating_sub(start) >= SHORTEST {
            let written = digits.as_deref().unwrap_or(&text[start..end]);
            for (index, piece) in written.chunks(LONGEST).enumerate() {
                let from = start + index * LONGEST;
                let to = if digits.is_some() {
                    end
                } else {
                    from + piece.len()
                };
                if let Some(bytes) = decode(piece) {
                    each(from.min(to)..to, &bytes);
                }
            }
        }
        last = end;
        at = end + SHORTEST;
    }
}

/// The start of a run without first letters that may belong to an escape, such as `\n`.
fn after_escape(text: &[u8], start: usize) -> usize {
    if start == 0 || text[start - 1] != b'\\' {
        return start;
    }
    start + if text[start] == b'u' { 5 } else { 1 }
}

fn is_base64(byte: u8) -> bool {
    BASE64[byte as usize]
}

/// A lookup is faster than range comparisons, and every file is scanned with this table.
static BASE64: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] =
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

/// Base64 that continues on the next lines: its end and its characters.
fn lines(text: &[u8], start: usize, end: usize) -> (usize, Option<Vec<u8>>) {
    let length = end - start;
    let mut digits = None;
    let mut end = end;
    // Encoders break lines at 64 or 76 characters.
    while (48..=128).contains(&length) {
        let rest = &text[end..text.len().min(end + 8)];
        let skipped = [b"\r\n".as_slice(), b"\n", b"\\r\\n", b"\\n", b"\\\\n"]
            .iter()
            .find(|ending| rest.starts_with(ending))
            .map(|ending| ending.len());
        let Some(skipped) = skipped else { break };
        let next = end + skipped;
        let count = text[next..]
            .iter()
            .take(length + 1)
            .take_while(|byte| is_base64(**byte))
            .count();
        if count == 0 || count > length {
            break;
        }
        let all: &mut Vec<u8> = digits.get_or_insert_with(|| text[start..end].to_vec());
        all.extend_from_slice(&text[next..next + count]);
        end = next + count;
        if count < length || all.len() > LONGEST {
            break;
        }
    }
    (end, digits)
}

fn decode(digits: &[u8]) -> Option<Vec<u8>> {
    const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);
    if digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let of_urls = digits.iter().any(|byte| matches!(byte, b'-' | b'_'));
    let engine = if of_urls { URL_SAFE } else { STANDARD };
    let first = engine.decode(digits.get(..TRIED)?).ok()?;
    if !first
        .iter()
        .all(|byte| matches!(byte, 0x20..=0x7e | b'\n' | b'\r' | b'\t'))
    {
        return None;
    }
    // A single remaining character encodes nothing.
    let whole = if digits.len() % 4 == 1 {
        digits.len() - 1
    } else {
        digits.len()
    };
    engine.decode(&digits[..whole]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(view: &View, text: &str, part: &str) -> String {
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

    #[test]
    fn base64_of_text_is_decoded_and_other_words_are_not() {
        let all = |text: &str| {
            let mut found = Vec::new();
            decoded(text.as_bytes(), |range, bytes| {
                found.push((
                    text[range].to_owned(),
                    String::from_utf8_lossy(bytes).into_owned(),
                ));
            });
            found
        };
        let engine = base64::engine::general_purpose::STANDARD;
        let secret =
            "password = a secret that is long enough for two lines of base64, each of seventy-six";
        let coded = engine.encode(secret);
        for before in 0..30 {
            let found = all(&format!("{} {coded} x", "y".repeat(before)));
            assert_eq!(found.len(), 1, "{before}");
            assert!(found[0].1.starts_with("password") && found[0].1.ends_with("six"));
        }
        let wrapped = format!("{}\n{}\n", &coded[..76], &coded[76..]);
        assert_eq!(all(&wrapped)[0].1, secret);
        assert_eq!(all(&wrapped.replace('\n', "\\n"))[0].1, secret);
        assert!(all("0123456789abcdef0123456789abcdef0123456789abcdef").is_empty());
        assert!(all("src/components/timeline/Implementation/index").is_empty());
    }
}
