//! A file as what differs from the page above it. The page shows most of the text of a log, so the log need not have it again.
//!
//! The page is compared in two forms, one after the other. In the first, its text is as if it were a string of JSON, like the texts of a
//! log: without the escapes of HTML, and with those of JSON. In the second, only the escapes of HTML are resolved: that is how a log has
//! the arguments of calls, which the page shows as JSON. What results need not be JSON, only the same each time.
//!
//! The bytes are a list of steps, of three numbers in LEB128 and some text: the length of the text, the text, how many bytes to copy from
//! the forms, and how far from the end of the last copy they begin, with the sign in the lowest bit.

/// Shortest run of bytes that is copied from where the last copy ended.
const MIN_CONTINUED_COPY: usize = 12;
/// Shortest run of bytes that is copied from anywhere else. Shorter ones are mostly tags that a page has many times, and after the copy
/// of another one the text goes on differently.
const MIN_COPY: usize = 32;
/// The characters that a page may escape. Texts of events have `>` as it is, but not those of templates and of older pages.
const ESCAPED: [(&[u8], u8); 5] = [
    (b"&lt;", b'<'),
    (b"&gt;", b'>'),
    (b"&amp;", b'&'),
    (b"&#34;", b'"'),
    (b"&#39;", b'\''),
];

/// A copy can begin at one of so many characters of the page.
const START_INTERVAL: usize = 4;

/// The positions in the forms of a page, by a hash of the bytes there.
struct Index {
    /// 0 is none, others are one more than a position.
    slots: Vec<u32>,
    shift: u32,
}

impl Index {
    fn of(forms: &Forms) -> Self {
        let [first, second] = &forms.starts;
        let slots = (first.len() + second.len())
            .next_power_of_two()
            .max(1 << 10);
        let mut index = Self {
            slots: vec![0; slots],
            shift: 64 - slots.trailing_zeros(),
        };
        // The last of equal places is kept: one in the first form, which most texts have, and there one that is most likely in the text
        // and not in a style.
        for at in second.iter().chain(first).copied() {
            if let Some(bytes) = forms.bytes.get(at..at + MIN_CONTINUED_COPY) {
                let slot = index.slot(bytes);
                index.slots[slot] = u32::try_from(at + 1).unwrap_or(0);
            }
        }
        index
    }

    fn slot(&self, bytes: &[u8]) -> usize {
        let word =
            |at: usize| <[u8; 8]>::try_from(&bytes[at..at + 8]).map_or(0, u64::from_le_bytes);
        let mixed = (word(0) ^ word(4).rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        usize::try_from(mixed >> self.shift).unwrap_or(0)
    }

    /// Where the forms may have these bytes.
    fn place(&self, bytes: &[u8]) -> Option<usize> {
        (self.slots[self.slot(bytes)] as usize).checked_sub(1)
    }
}

/// The two forms of a page.
struct Forms {
    bytes: Vec<u8>,
    /// For each form, where a copy may begin. These are the same characters of the page, so that a text is found in the form that it
    /// has, and not in the one that has a beginning closer to its own.
    starts: [Vec<usize>; 2],
}

impl Forms {
    fn of(page: &[u8]) -> Self {
        let mut bytes = Vec::with_capacity(2 * page.len() + page.len() / 8);
        let starts = [true, false].map(|is_json| push_form(&mut bytes, page, is_json));
        Self { bytes, starts }
    }
}

/// Appends the page without the escapes of HTML, with or without those of JSON. Returns where copies may begin.
fn push_form(out: &mut Vec<u8>, page: &[u8], is_json: bool) -> Vec<usize> {
    let mut starts = Vec::with_capacity(page.len() / START_INTERVAL + 1);
    let mut rest = page;
    for number in 0_usize.. {
        let Some(first) = rest.first() else {
            break;
        };
        if number.is_multiple_of(START_INTERVAL) {
            starts.push(out.len());
        }
        let mut known = ESCAPED.iter();
        let escaped = known.find(|(html, _)| *first == b'&' && rest.starts_with(html));
        let (byte, length) = escaped.map_or((*first, 1), |(html, byte)| (*byte, html.len()));
        rest = &rest[length..];
        match byte {
            b'\n' if is_json => out.extend_from_slice(b"\\n"),
            b'\t' if is_json => out.extend_from_slice(b"\\t"),
            b'"' | b'\\' if is_json => out.extend_from_slice(&[b'\\', byte]),
            byte => out.push(byte),
        }
    }
    starts
}

/// What differs from the page.
pub(super) fn encode(page: &[u8], bytes: &[u8]) -> Vec<u8> {
    let forms = Forms::of(page);
    let index = Index::of(&forms);
    let page = forms.bytes.as_slice();
    let mut out = Vec::new();
    // The file is written up to `done`, and the last copy ended at `end` of the page.
    let (mut done, mut end) = (0, 0);
    let mut at = 0;
    while at + MIN_CONTINUED_COPY <= bytes.len() {
        let same = |from: usize| {
            let pairs = page[from..].iter().zip(&bytes[at..]);
            pairs.take_while(|(a, b)| a == b).count()
        };
        // Text mostly continues where the last copy ended.
        let places = [Some(end), index.place(&bytes[at..at + MIN_CONTINUED_COPY])];
        let found = places.into_iter().flatten().find_map(|from| {
            let length = same(from);
            let least = if from == end {
                MIN_CONTINUED_COPY
            } else {
                MIN_COPY
            };
            (length >= least).then_some((from, length))
        });
        let Some((mut from, mut length)) = found else {
            at += 1;
            continue;
        };
        // The index has not every position, so the same bytes may begin before.
        while at > done && from > 0 && page[from - 1] == bytes[at - 1] {
            (at, from, length) = (at - 1, from - 1, length + 1);
        }
        push_step(&mut out, &bytes[done..at], length, (from, end));
        at += length;
        (done, end) = (at, from + length);
    }
    push_step(&mut out, &bytes[done..], 0, (end, end));
    out
}

fn push_step(out: &mut Vec<u8>, text: &[u8], length: usize, (from, end): (usize, usize)) {
    push_number(out, text.len() as u64);
    out.extend_from_slice(text);
    push_number(out, length as u64);
    let sign = u64::from(from < end);
    push_number(out, ((from.abs_diff(end) as u64) << 1) | sign);
}

fn push_number(out: &mut Vec<u8>, mut number: u64) {
    loop {
        let [lowest, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            return out.push(lowest & 0x7f);
        }
        out.push(lowest | 0x80);
    }
}

/// The file. `None` if the steps are damaged, or if it is longer than `most` bytes.
pub(super) fn decode(page: &[u8], mut steps: &[u8], most: usize) -> Option<Vec<u8>> {
    let page = Forms::of(page).bytes;
    let mut bytes = Vec::new();
    let mut end = 0_usize;
    while !steps.is_empty() {
        let text = number(&mut steps)?;
        let (text, rest) = steps.split_at_checked(text)?;
        bytes.extend_from_slice(text);
        steps = rest;
        let length = number(&mut steps)?;
        let distance = number(&mut steps)?;
        let from = if distance & 1 == 1 {
            end.checked_sub(distance >> 1)?
        } else {
            end.checked_add(distance >> 1)?
        };
        end = from.checked_add(length)?;
        let copied = page.get(from..end)?;
        if bytes.len() + copied.len() > most {
            return None;
        }
        bytes.extend_from_slice(copied);
    }
    Some(bytes)
}

fn number(steps: &mut &[u8]) -> Option<usize> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = steps.split_first()?;
        *steps = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return usize::try_from(number).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_back_and_a_damaged_list_of_steps_gives_nothing_or_other_bytes() {
        let page =
            "<p>The first line of a message.\nThe second line, which is longer than the first.</p>"
                .repeat(3);
        let samples = [
            "",
            "short",
            "The first line of a message.",
            r#"{"text":"The first line of a message.\nThe second line, which is longer than the first."}"#,
            "nothing of the page is in here, not a single run of twelve bytes",
        ];
        for text in samples {
            let steps = encode(page.as_bytes(), text.as_bytes());
            let back = decode(page.as_bytes(), &steps, 1 << 20);
            assert_eq!(back.as_deref(), Some(text.as_bytes()), "{text}");
            assert!(text.is_empty() || decode(page.as_bytes(), &steps, text.len() - 1).is_none());
            for at in 0..steps.len() {
                let mut damaged = steps.clone();
                damaged[at] ^= 0xff;
                let _ = decode(page.as_bytes(), &damaged, 1 << 20);
                let _ = decode(page.as_bytes(), &steps[..at], 1 << 20);
            }
        }
        let long = encode(page.as_bytes(), samples[3].as_bytes());
        assert!(long.len() < samples[3].len() / 2, "{}", long.len());
        let said = br#"{"text":"if a < b && c > \"d\" {\n\treturn '\\';\n}"}"#;
        for greater in [">", "&gt;"] {
            let shown = format!(
                "<pre>if a &lt; b &amp;&amp; c {greater} \"d\" {{\n\treturn &#39;\\&#39;;\n}}</pre>"
            );
            let steps = encode(shown.as_bytes(), said);
            assert!(steps.len() < 24, "{}", steps.len());
            let back = decode(shown.as_bytes(), &steps, 99);
            assert_eq!(back.as_deref(), Some(said.as_slice()));
        }
        let shown = br#"<pre>{"content": "&lt;p class=\"a\">The \\ of a text.&lt;/p>\n&lt;p class=\"b\">More.&lt;/p>"}</pre>"#;
        let called = br#"{"arguments":{"content":"<p class=\"a\">The \\ of a text.</p>\n<p class=\"b\">More.</p>"}}"#;
        let steps = encode(shown, called);
        assert!(steps.len() < 48, "{}", steps.len());
        assert_eq!(
            decode(shown, &steps, 199).as_deref(),
            Some(called.as_slice())
        );
        // The first form is as in older files.
        let old = [0, 4, 6, 1, b'x', 2, 5];
        assert_eq!(
            decode(b"ab &lt;&gt;\"c", &old, 9).as_deref(),
            Some(b"<>\\\"x\\\"".as_slice())
        );
        let empty = encode(b"", b"text without a page");
        assert_eq!(
            decode(b"", &empty, 99).as_deref(),
            Some(b"text without a page".as_slice())
        );
    }
}
