//! Escapes recorded text for HTML, with control characters made visible.

use std::io::{self, Write};

use super::Html;
use base::characters::{MAY_BEGIN_HIDDEN, is_hidden_at, symbol};

/// Class of each byte: 0 plain, 1 replaced, 2 the start of a character to check.
type Classes = [u8; 256];

#[allow(
    clippy::cast_possible_truncation,
    reason = "an index of the table is a byte"
)]
const fn classes(context: TextContext) -> Classes {
    let mut table = [0_u8; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'&' | b'<' | b'\r' | 0x7f => 1,
            b'>' | b'"' | b'\'' => matches!(context, TextContext::Attribute) as u8,
            _ if !MAY_BEGIN_HIDDEN[byte] => 0,
            0..0x20 => 1,
            _ => 2,
        };
        byte += 1;
    }
    table
}

/// The place in HTML where a text is inserted.
#[derive(Clone, Copy)]
enum TextContext {
    /// Element content of HTML. Quotes need no escape, and a hidden character gets its own element. `>` needs none either: it ends
    /// tags, comments and CDATA sections, and `<`, which begins them, is always escaped. It takes a quarter of the space.
    Content,
    /// A quoted attribute, or content that must stay plain. Here `>` is escaped: templates also write XML, where `]]>` is an
    /// error, and the first `>` after the beginning of a tag is always its end.
    Attribute,
}

static CONTENT: Classes = classes(TextContext::Content);
static ATTRIBUTE: Classes = classes(TextContext::Attribute);

/// Appends recorded text to element content, where no attribute, comment or script is: markup is escaped, and control characters
/// become marked symbols.
pub fn push_text(out: &mut String, text: &str) {
    push(out, text, TextContext::Content);
}

/// Recorded text as element content.
pub fn text(text: &str) -> Html {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    push_text(&mut out, text);
    Html::finished(out)
}

/// Appends recorded text to a quoted attribute, or to content that must stay plain.
pub fn push_attribute(out: &mut String, text: &str) {
    push(out, text, TextContext::Attribute);
}

/// A text for an attribute in double quotes, where single quotes need no escape.
pub fn in_double_quotes(text: &str) -> Html {
    let mut out = String::with_capacity(2 * text.len());
    push_attribute(&mut out, text);
    Html::finished(out.replace("&#39;", "'"))
}

/// The escape function of templates: safe in content and in quoted attributes.
pub fn escape_for_template(text: &str, out: &mut dyn Write) -> io::Result<()> {
    let (pieces, rest) = text.as_bytes().as_chunks();
    if pieces
        .iter()
        .all(|piece| is_plain(piece, TextContext::Attribute))
        && rest.iter().all(|byte| ATTRIBUTE[usize::from(*byte)] == 0)
    {
        return out.write_all(text.as_bytes());
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    push(&mut escaped, text, TextContext::Attribute);
    out.write_all(escaped.as_bytes())
}

/// Bytes scanned per step.
const PIECE: usize = 16;

/// Whether all bytes are ASCII of class 0, as most are. The loop is written for vectorization.
#[allow(
    clippy::needless_bitwise_bool,
    reason = "a branch for each byte would take as long as the table"
)]
fn is_plain(piece: &[u8; PIECE], context: TextContext) -> bool {
    let is_attribute = matches!(context, TextContext::Attribute);
    let special = |byte: u8| {
        let only_there = (byte == b'>') | (byte == b'"') | (byte == b'\'');
        (byte == b'&') | (byte == b'<') | (is_attribute & only_there)
    };
    let control = |byte: u8| (byte < 0x20) & (byte != b'\n') & (byte != b'\t') | (byte >= 0x7f);
    !piece
        .iter()
        .fold(false, |found, byte| found | special(*byte) | control(*byte))
}

fn push(out: &mut String, text: &str, context: TextContext) {
    let classes = match context {
        TextContext::Content => &CONTENT,
        TextContext::Attribute => &ATTRIBUTE,
    };
    let bytes = text.as_bytes();
    let mut done = 0;
    let mut at = 0;
    let mut next_scan = 0;
    while at < bytes.len() {
        if at >= next_scan {
            next_scan = at + PIECE;
            if bytes[at..]
                .first_chunk()
                .is_some_and(|piece| is_plain(piece, context))
            {
                at = next_scan;
                continue;
            }
        }
        let class = classes[bytes[at] as usize];
        if class == 0 {
            at += 1;
            continue;
        }
        let Some(c) = text[at..].chars().next() else {
            break;
        };
        let length = c.len_utf8();
        if class == 1 || is_hidden_at(text, at, c) {
            out.push_str(&text[done..at]);
            push_special(out, c, bytes.get(at + 1) == Some(&b'\n'), context);
            done = at + length;
        }
        at += length;
    }
    out.push_str(&text[done..]);
}

fn push_special(out: &mut String, c: char, before_newline: bool, context: TextContext) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '"' => out.push_str("&#34;"),
        '\'' => out.push_str("&#39;"),
        // A terminal would return to the start of the line; on a page the text continues below.
        '\r' if before_newline => {}
        '\r' => out.push('\n'),
        _ => push_control(out, c, context),
    }
}

fn push_control(out: &mut String, c: char, context: TextContext) {
    let shown = symbol(c);
    if matches!(context, TextContext::Attribute) {
        out.push(shown);
        return;
    }
    out.push_str("<i class=cc>");
    if shown == char::REPLACEMENT_CHARACTER {
        out.push_str(&format!("U+{:04X}", u32::from(c)));
    } else {
        out.push(shown);
    }
    out.push_str("</i>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(input: &str) -> String {
        super::text(input).as_str().to_owned()
    }

    #[test]
    fn markup_is_escaped_and_controls_are_shown() {
        assert_eq!(text("a<b> & \"c\" 'd'"), "a&lt;b> &amp; \"c\" 'd'");
        assert_eq!(text("x\0y\u{1b}"), "x<i class=cc>␀</i>y<i class=cc>␛</i>");
        assert_eq!(
            text("\u{202e}txt\u{2069}"),
            "<i class=cc>U+202E</i>txt<i class=cc>U+2069</i>"
        );
        assert_eq!(text("a\r\nb\rc\u{fffe}"), "a\nb\nc<i class=cc>U+FFFE</i>");
    }

    #[test]
    fn ordinary_text_of_any_language_is_left_alone() {
        for plain in [
            "naïve café 你好 مرحبا",
            "🚀 👩\u{200d}💻 “quotes” — …",
            "tab\tand\nnewline",
        ] {
            assert_eq!(text(plain), plain);
        }
    }

    #[test]
    fn between_double_quotes_only_single_ones_stay() {
        assert_eq!(
            in_double_quotes("'self' \"<&").as_str(),
            "'self' &#34;&lt;&amp;"
        );
    }

    #[test]
    fn attributes_hold_no_markup() {
        let mut out = String::new();
        push_attribute(&mut out, "\u{202e}\"\0<");
        assert_eq!(out, "\u{fffd}&#34;␀&lt;");
    }

    #[test]
    fn what_would_end_an_element_or_a_comment_is_text() {
        for (input, content, attribute) in [
            ("</script>", "&lt;/script>", "&lt;/script&gt;"),
            ("</pre><b>", "&lt;/pre>&lt;b>", "&lt;/pre&gt;&lt;b&gt;"),
            ("<!-- x -->", "&lt;!-- x -->", "&lt;!-- x --&gt;"),
            ("<![CDATA[x]]>", "&lt;![CDATA[x]]>", "&lt;![CDATA[x]]&gt;"),
            ("\"/>", "\"/>", "&#34;/&gt;"),
            ("&gt;", "&amp;gt;", "&amp;gt;"),
        ] {
            assert_eq!(text(input), content);
            let mut out = String::new();
            push_attribute(&mut out, input);
            assert_eq!(out, attribute);
            let mut out = Vec::new();
            escape_for_template(input, &mut out).expect("memory");
            assert_eq!(out, attribute.as_bytes());
        }
    }

    #[test]
    fn a_special_character_is_found_at_every_place_of_a_long_text() {
        for (special, escaped) in [
            ("<", "&lt;"),
            (">", ">"),
            ("\u{1b}", "<i class=cc>␛</i>"),
            ("é", "é"),
        ] {
            for before in 0..40 {
                let (before, after) = ("a\n".repeat(before), "b".repeat(40));
                let input = format!("{before}{special}{after}{special}");
                assert_eq!(text(&input), format!("{before}{escaped}{after}{escaped}"));
            }
        }
    }
}
