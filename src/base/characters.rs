//! Characters that deceive a reader: invisible ones, and those that reorder the text around them. One list for pages, script
//! data, messages and reports.
//!
//! Some of them belong in text: joiners within Arabic and Indic words and within emoji, and variation selectors. They are kept
//! only where they have that effect.

use std::borrow::Cow;

/// The invisible and the reordering characters, as ranges of code points: all of `Default_Ignorable_Code_Point` in Unicode,
/// controls from U+007F on, line and paragraph separators, and interlinear annotation marks. Control characters below U+0020 and
/// noncharacters count as hidden, too; see [`is_hidden`].
pub const HIDDEN: [(u32, u32); 19] = [
    (0x7f, 0x9f),
    (0xad, 0xad),
    (0x34f, 0x34f),
    (0x61c, 0x61c),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x2028, 0x202e),
    (0x2060, 0x206f),
    (0x3164, 0x3164),
    (0xfdd0, 0xfdef),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0x1_bca0, 0x1_bca3),
    (0x1_d173, 0x1_d17a),
    (0xe_0000, 0xe_0fff),
];

/// Whether a character is invisible, invalid, or reorders the text around it. Tabs and line breaks are not hidden.
pub fn is_hidden(c: char) -> bool {
    let code = u32::from(c);
    if code < 0x7f {
        return code < 0x20 && !matches!(c, '\t' | '\n' | '\r');
    }
    code & 0xfffe == 0xfffe
        || HIDDEN
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&code))
}

/// Whether the character at byte `at` of `text` is hidden. A joiner or selector that affects its neighbors is not.
pub fn is_hidden_at(text: &str, at: usize, c: char) -> bool {
    is_hidden(c) && {
        let before = text[..at].chars().next_back();
        let after = text[at + c.len_utf8()..].chars().next();
        !affects_neighbors(before, c, after)
    }
}

/// The characters of a text, each with whether it is hidden.
pub fn classify(text: &str) -> impl Iterator<Item = (char, bool)> + '_ {
    text.char_indices()
        .map(|(at, c)| (c, is_hidden_at(text, at, c)))
}

/// Whether a byte may begin a hidden character. Most texts have no such byte, and need no further check.
#[allow(
    clippy::cast_possible_truncation,
    reason = "an index of the table is a byte"
)]
pub const MAY_BEGIN_HIDDEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = !matches!(byte as u8, b'\t' | b'\n' | b'\r');
        byte += 1;
    }
    table[0x7f] = true;
    // The first range begins in ASCII: its other characters, U+0080 to U+009F, begin with this byte.
    table[0xc2] = true;
    let mut range = 1;
    while range < HIDDEN.len() {
        let (first, last) = HIDDEN[range];
        let mut lead = first_byte(first);
        while lead <= first_byte(last) {
            table[lead as usize] = true;
            lead += 1;
        }
        range += 1;
    }
    // Every plane ends with noncharacters.
    let mut lead = 0xf0;
    while lead < 0xf5 {
        table[lead] = true;
        lead += 1;
    }
    table
};

/// The first byte of a character in UTF-8.
#[allow(
    clippy::cast_possible_truncation,
    reason = "all values are below 0x100"
)]
const fn first_byte(code: u32) -> u8 {
    (match code {
        0..0x80 => code,
        0x80..0x800 => 0xc0 | code >> 6,
        0x800..0x1_0000 => 0xe0 | code >> 12,
        _ => 0xf0 | code >> 18,
    }) as u8
}

pub fn any_hidden(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.any(|byte| MAY_BEGIN_HIDDEN[usize::from(byte)])
        && classify(text).any(|(_, hidden)| hidden)
}

/// Replaces every hidden character with a visible symbol.
pub fn replace_hidden(text: &str) -> Cow<'_, str> {
    if any_hidden(text) {
        Cow::Owned(
            classify(text)
                .map(|(c, hidden)| if hidden { symbol(c) } else { c })
                .collect(),
        )
    } else {
        Cow::Borrowed(text)
    }
}

/// The symbol for a hidden character where markup is impossible: a control picture, or U+FFFD.
pub fn symbol(c: char) -> char {
    match u32::from(c) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or(char::REPLACEMENT_CHARACTER),
        0x7f => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// Escapes hidden characters in JSON: the values stay the same, and no terminal or editor acts on them. Outside of strings, JSON
/// has none.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    if !any_hidden(json) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for (c, hidden) in classify(json) {
        if hidden {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Whether a joiner or selector has an effect between these characters.
fn affects_neighbors(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before else {
        return false;
    };
    match c {
        '\u{200c}' | '\u{200d}' => joins(before) && after.is_some_and(joins),
        '\u{fe0e}' | '\u{fe0f}' => match before {
            '0'..='9' | '#' | '*' => after == Some('\u{20e3}'),
            _ => is_pictograph(before),
        },
        '\u{fe00}'..='\u{fe0d}' => matches!(before,
            '\u{1000}'..='\u{109f}' | '\u{2200}'..='\u{2aff}' | '\u{3400}'..='\u{9fff}'
            | '\u{a840}'..='\u{a87f}' | '\u{f900}'..='\u{faff}'),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => {
            matches!(before, '\u{1810}'..='\u{18af}')
        }
        _ => false,
    }
}

/// Whether a joiner next to the character has an effect: it is an emoji, or of a script in which joiners shape letters.
fn joins(c: char) -> bool {
    let shaped = matches!(c,
        '\u{600}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}'
        | '\u{1900}'..='\u{1cff}' | '\u{a840}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{11000}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}');
    (shaped && !is_hidden(c)) || is_pictograph(c) || c == '\u{fe0f}'
}

const fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2100}'..='\u{214f}'
        | '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_invisible_or_reordering_character_is_marked() {
        for c in [
            '\u{202e}',
            '\u{202d}',
            '\u{2066}',
            '\u{2069}',
            '\u{200e}',
            '\u{61c}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{2060}',
            '\u{ad}',
            '\u{2028}',
            '\u{2029}',
            '\u{180e}',
            '\u{3164}',
            '\u{ffa0}',
            '\u{115f}',
            '\u{e0100}',
            '\u{e01ef}',
            '\u{e0041}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{fffe}',
            '\u{10ffff}',
            '\u{85}',
            '\u{7f}',
            '\u{34f}',
            '\u{1d173}',
            '\u{fff9}',
        ] {
            assert_eq!(
                replace_hidden(&format!("a{c}b")),
                "a\u{fffd}b".replace('\u{fffd}', &symbol(c).to_string())
            );
        }
        assert_eq!(replace_hidden("\0\u{1b}[0m"), "␀␛[0m");
    }

    #[test]
    fn what_people_write_in_any_language_stays_as_it_is() {
        for text in [
            "naïve café 你好 こんにちは 안녕 مرحبا नमस्ते ქართული Tiếng Việt",
            "می‌خواهم",
            "क्‍ष",
            "👩🏽‍💻 ❤️‍🔥 🏳️‍🌈 ☝️ 1️⃣ ©️",
            "tab\tand\r\nnewline",
        ] {
            assert!(matches!(replace_hidden(text), Cow::Borrowed(_)), "{text}");
        }
        for text in [
            "a\u{200d}b",
            "é\u{200c}é",
            "你\u{200d}好",
            "1\u{fe0f}",
            "x\u{fe00}",
            "👩\u{200d}\u{200d}💻",
            "👩\u{fe0f}\u{fe0f}",
        ] {
            assert!(matches!(replace_hidden(text), Cow::Owned(_)), "{text:?}");
        }
    }

    #[test]
    fn escaped_json_means_the_same() {
        let value = "\u{202e}a\u{e0100}\u{7f}\"\\n👩‍💻";
        let json = serde_json::to_string(value).expect("JSON");
        let escaped = escape_json(&json);
        assert_eq!(escaped, "\"\\u202ea\\udb40\\udd00\\u007f\\\"\\\\n👩‍💻\"");
        assert_eq!(
            serde_json::from_str::<String>(&escaped).expect("JSON"),
            value
        );
    }
}
