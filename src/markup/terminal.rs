//! Terminal output: colors become classes, all other control sequences are dropped.

use anstyle_parse::{DefaultCharAccumulator, Params, Parser, Perform};

use super::escape::push_text;

/// Appends recorded text that may contain terminal sequences.
pub fn push_terminal(out: &mut String, text: &str) {
    if memchr::memchr(0x1b, text.as_bytes()).is_none() || has_unfinished_string(text.as_bytes()) {
        push_text(out, text);
        return;
    }
    let mut writer = Writer {
        out,
        plain: String::new(),
        style: Style::default(),
    };
    let mut parser = Parser::<DefaultCharAccumulator>::new();
    for byte in text.bytes() {
        parser.advance(&mut writer, byte);
    }
    writer.flush();
}

/// Maximum bytes of an operating system command.
const STRING_LIMIT: usize = 4096;

/// Whether a string sequence (OSC, DCS, ...) is unterminated: a terminal would swallow all text after it.
fn has_unfinished_string(bytes: &[u8]) -> bool {
    memchr::memchr_iter(0x1b, bytes).any(|at| {
        // Only an operating system command may end with BEL; the others require ST.
        let (opens, bell) = match bytes.get(at + 1) {
            Some(b']') => (true, true),
            Some(b'P' | b'X' | b'^' | b'_') => (true, false),
            _ => (false, false),
        };
        let rest = bytes.get(at + 2..).unwrap_or_default();
        let rest = &rest[..rest.len().min(STRING_LIMIT)];
        opens
            && !rest.iter().enumerate().any(|(i, b)| {
                (bell && *b == 0x07) || (*b == 0x1b && rest.get(i + 1) == Some(&b'\\'))
            })
    })
}

/// The style of the next characters. Colors are numbers of the 16-color palette plus 1; 0 is the default color.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Style {
    foreground: u8,
    background: u8,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    strike: bool,
}

struct Writer<'a> {
    out: &'a mut String,
    plain: String,
    style: Style,
}

impl Writer<'_> {
    fn flush(&mut self) {
        if self.plain.is_empty() {
            return;
        }
        let styled = self.style != Style::default();
        if styled {
            self.out.push_str("<span class=\"t");
            for (set, class) in [
                (self.style.bold, " tb"),
                (self.style.dim, " td"),
                (self.style.italic, " ti"),
                (self.style.underline, " tu"),
                (self.style.strike, " ts"),
            ] {
                if set {
                    self.out.push_str(class);
                }
            }
            for (color, prefix) in [
                (self.style.foreground, " tf"),
                (self.style.background, " tg"),
            ] {
                if color > 0 {
                    self.out.push_str(prefix);
                    self.out.push_str(&(color - 1).to_string());
                }
            }
            self.out.push_str("\">");
        }
        push_text(self.out, &self.plain);
        if styled {
            self.out.push_str("</span>");
        }
        self.plain.clear();
    }

    fn select(&mut self, params: &Params) {
        let mut values = params.iter();
        while let Some(value) = values.next() {
            let style = &mut self.style;
            match value[0] {
                0 => *style = Style::default(),
                1 => style.bold = true,
                2 => style.dim = true,
                3 => style.italic = true,
                4 => style.underline = value.get(1) != Some(&0),
                9 => style.strike = true,
                22 => (style.bold, style.dim) = (false, false),
                23 => style.italic = false,
                24 => style.underline = false,
                29 => style.strike = false,
                n @ 30..=37 => style.foreground = small(n - 30) + 1,
                n @ 40..=47 => style.background = small(n - 40) + 1,
                n @ 90..=97 => style.foreground = small(n - 90) + 9,
                n @ 100..=107 => style.background = small(n - 100) + 9,
                39 => style.foreground = 0,
                49 => style.background = 0,
                n @ (38 | 48) => {
                    let color = extended(value, &mut values);
                    let target = if n == 38 {
                        &mut style.foreground
                    } else {
                        &mut style.background
                    };
                    *target = color.map_or(0, |color| color + 1);
                }
                _ => {}
            }
        }
    }
}

impl Perform for Writer<'_> {
    fn print(&mut self, c: char) {
        self.plain.push(c);
    }

    fn execute(&mut self, byte: u8) {
        // A terminal would erase the character before a backspace; a page hides nothing that was printed.
        self.plain.push(char::from(byte));
    }

    /// Shows that there is a title or a terminal command, but not its content. Links are dropped.
    fn osc_dispatch(&mut self, params: &[&[u8]], _bell_terminated: bool) {
        if params.first() != Some(&b"8".as_slice()) {
            self.plain.push('\u{1b}');
        }
    }

    fn hook(&mut self, _params: &Params, _intermediates: &[u8], _ignore: bool, _action: u8) {
        self.plain.push('\u{1b}');
    }

    fn csi_dispatch(&mut self, params: &Params, _intermediates: &[u8], ignore: bool, action: u8) {
        if action == b'm' && !ignore {
            self.flush();
            self.select(params);
        }
    }
}

fn small(value: u16) -> u8 {
    u8::try_from(value).unwrap_or_default()
}

/// `38;5;n` and `38;2;r;g;b`, in either spelling, as one of 16 colors.
fn extended<'p>(value: &[u16], rest: &mut impl Iterator<Item = &'p [u16]>) -> Option<u8> {
    let mut parts: Vec<u16> = value[1..].to_vec();
    if parts.is_empty() {
        let mode = rest.next()?[0];
        let count = if mode == 5 { 1 } else { 3 };
        parts.push(mode);
        parts.extend(rest.take(count).map(|part| part[0]));
    }
    match parts.as_slice() {
        [5, n @ 0..=15] => Some(small(*n)),
        [5, n @ 16..=231] => {
            let n = n - 16;
            Some(nearest([n / 36 * 51, n / 6 % 6 * 51, n % 6 * 51]))
        }
        [5, n @ 232..=255] => Some(nearest([(n - 232) * 10 + 8; 3])),
        [2, .., r, g, b] if parts.len() >= 4 => Some(nearest([*r, *g, *b])),
        _ => None,
    }
}

/// The palette entry with the same hue bits and brightness.
fn nearest(color: [u16; 3]) -> u8 {
    let [r, g, b] = color.map(|channel| channel.min(255));
    let max = r.max(g).max(b);
    if max < 48 {
        return 0;
    }
    let bit = |channel: u16, bit: u8| if channel * 2 > max { bit } else { 0 };
    let hue = bit(r, 1) | bit(g, 2) | bit(b, 4);
    let grey = max - r.min(g).min(b) < 32;
    match (grey, max) {
        (true, 0..112) => 8,
        (true, 112..208) => 7,
        (true, _) => 15,
        (false, 0..200) => hue,
        (false, _) => hue + 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut out = String::new();
        push_terminal(&mut out, text);
        out
    }

    #[test]
    fn colors_become_classes() {
        assert_eq!(
            shown("\u{1b}[31merror\u{1b}[0m: \u{1b}[1;38;5;46m<b>\u{1b}[m"),
            "<span class=\"t tf1\">error</span>: <span class=\"t tb tf10\">&lt;b></span>"
        );
    }

    #[test]
    fn titles_links_and_cursor_moves_are_dropped() {
        assert_eq!(
            shown("\u{1b}]0;title\u{7}a\u{1b}[2K\u{1b}]8;;javascript:x\u{1b}\\b\u{1b}]8;;\u{1b}\\"),
            "<i class=cc>␛</i>ab"
        );
    }

    #[test]
    fn an_unfinished_sequence_hides_nothing() {
        for text in [
            "a\u{1b}]0;the rest",
            "a\u{1b}P q\u{7}the rest",
            "a\u{1b}_x\u{7}the rest",
            "\u{1b}[0mthe rest\u{8}\u{8}",
        ] {
            assert!(shown(text).contains("the rest"), "{text:?}");
        }
    }
}
