//! UTF-16, which Windows PowerShell writes when it redirects the output of a program.

/// The order of the two bytes of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// The order of the bytes, if a text is certainly UTF-16: it has a byte order mark, or begins with two ASCII characters of two
/// bytes each. UTF-8 has no zero bytes in JSON.
fn order(bytes: &[u8]) -> Option<Order> {
    let is_ascii = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    match *bytes {
        // UTF-32 has the same mark, followed by zeros.
        [0xFF, 0xFE, 0, 0, ..] => None,
        [0xFF, 0xFE, ..] => Some(Order::Little),
        [0xFE, 0xFF, ..] => Some(Order::Big),
        [a, 0, b, 0, ..] if is_ascii(a) && is_ascii(b) => Some(Order::Little),
        [0, a, 0, b, ..] if is_ascii(a) && is_ascii(b) => Some(Order::Big),
        _ => None,
    }
}

/// The text in UTF-8 if it is UTF-16, with U+FFFD for what is no character. Other bytes stay as they are.
pub(super) fn to_utf8(bytes: Vec<u8>) -> Vec<u8> {
    let Some(order) = order(&bytes) else {
        return bytes;
    };
    let units = bytes.chunks_exact(2).map(|pair| match order {
        Order::Little => u16::from_le_bytes([pair[0], pair[1]]),
        Order::Big => u16::from_be_bytes([pair[0], pair[1]]),
    });
    let mut text = String::with_capacity(bytes.len() / 2);
    let chars = char::decode_utf16(units);
    text.extend(chars.map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)));
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::to_utf8;

    const TEXT: &str = "{\"type\":\"ü 🙂\"}\r\n";

    fn written(order: fn(u16) -> [u8; 2], mark: bool) -> Vec<u8> {
        let mark = mark.then_some(0xFEFF);
        let units = mark.into_iter().chain(TEXT.encode_utf16());
        units.flat_map(order).collect()
    }

    #[test]
    fn a_text_is_read_in_either_order_with_and_without_a_mark() {
        let marked = format!("\u{feff}{TEXT}");
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            assert_eq!(to_utf8(written(order, true)), marked.as_bytes());
            assert_eq!(to_utf8(written(order, false)), TEXT.as_bytes());
            let mut torn = written(order, true);
            torn.push(b'{');
            assert_eq!(to_utf8(torn), marked.as_bytes());
        }
    }

    #[test]
    fn other_bytes_stay_as_they_are() {
        for bytes in [
            &b""[..],
            b"{}",
            b"{\"a\":1}",
            b"\xEF\xBB\xBF{}",
            b"PK\x03\x04",
            b"\xFF\xFE\0\0{\0\0\0",
            b"{\0\0\0\"\0\0\0",
            b"\0\0\0{",
        ] {
            assert_eq!(to_utf8(bytes.to_vec()), bytes);
        }
    }
}
