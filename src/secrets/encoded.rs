//! Base64 in a text, decoded.

use std::ops::{Range, RangeInclusive};

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Minimum length of base64 to decode, in characters.
const SHORTEST: usize = 24;
/// Characters of a line of base64 that continues on the next line. Encoders break lines at 64 or 76 characters, people at others.
const LINE: RangeInclusive<usize> = SHORTEST..=128;
/// Characters of base64 decoded first; the rest is decoded only if they are text.
const TRIED: usize = 24;
/// Maximum characters of base64 decoded together: a multiple of four.
const LONGEST: usize = 1 << 20;

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
    while LINE.contains(&length) {
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
        let narrow: String = coded
            .as_bytes()
            .chunks(SHORTEST)
            .flat_map(|line| line.iter().chain(b"\n"))
            .map(|byte| char::from(*byte))
            .collect();
        assert_eq!(all(&narrow)[0].1, secret);
        assert!(all("0123456789abcdef0123456789abcdef0123456789abcdef").is_empty());
        assert!(all("src/components/timeline/Implementation/index").is_empty());
    }
}
