//! Formats code for readers: indented JSON, diff hunks, and the parts of a shell command.
//!
//! Each is one pass over any text. Nothing is dropped, and unrecognized text stays as is.

use super::escape::push_text;

/// Maximum lines of formatted JSON; the rest stays on one line.
const LINES: usize = 2_000;
/// Maximum indentation levels.
const LEVELS: usize = 8;
/// JSON up to this many bytes stays on one line.
const SHORT: usize = 72;

/// Appends JSON with one member per line and its keys marked. The text may be truncated, or not JSON at all.
pub fn push_json(out: &mut String, text: &str) {
    if text.len() <= SHORT && !text.contains('\n') {
        push_text(out, text);
        return;
    }
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut lines) = (0, 0_usize, 0_usize);
    let mut line = |out: &mut String, depth: usize| {
        lines += 1;
        if lines > LINES {
            out.push(' ');
            return;
        }
        out.push('\n');
        for _ in 0..depth.min(LEVELS) {
            out.push_str("  ");
        }
    };
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                let is_key =
                    bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
                if is_key {
                    out.push_str("<i class=k>");
                }
                push_text(out, &text[at..end]);
                if is_key {
                    out.push_str("</i>");
                }
                at = end;
            }
            open @ (b'{' | b'[') => {
                out.push(char::from(open));
                at = skip_space(bytes, at + 1);
                if matches!(bytes.get(at), Some(b'}' | b']')) {
                    out.push(char::from(bytes[at]));
                    at += 1;
                } else {
                    depth += 1;
                    line(out, depth);
                }
            }
            close @ (b'}' | b']') => {
                depth = depth.saturating_sub(1);
                line(out, depth);
                out.push(char::from(close));
                at += 1;
            }
            b',' => {
                out.push(',');
                line(out, depth);
                at = skip_space(bytes, at + 1);
            }
            b':' => {
                out.push_str(": ");
                at = skip_space(bytes, at + 1);
            }
            byte if byte.is_ascii_whitespace() => at = skip_space(bytes, at + 1),
            _ => {
                let end = bytes[at..]
                    .iter()
                    .position(|byte| b"\"{}[],: \t\r\n".contains(byte))
                    .map_or(bytes.len(), |length| at + length.max(1));
                push_text(out, &text[at..end]);
                at = end;
            }
        }
    }
}

/// End of the string that begins at `start`; an unterminated one ends with the text.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn skip_space(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let space = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
    from.min(bytes.len()) + space.count()
}

/// Whether the text contains a hunk of a unified diff.
pub fn has_hunk(text: &str) -> bool {
    text.starts_with("@@ -") || memchr::memmem::find(text.as_bytes(), b"\n@@ -").is_some()
}

/// Appends a diff. Without hunk headers, the first character of a line decides its kind.
pub fn push_patch(out: &mut String, text: &str) {
    if has_hunk(text) {
        return push_diff(out, text);
    }
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        match line.as_bytes().first() {
            Some(b'+') => push_marked(out, "ins", "ins", line),
            Some(b'-') => push_marked(out, "del", "del", line),
            _ => push_text(out, line),
        }
    }
}

/// Appends text with the lines of its hunks marked. The hunk header gives the number of lines, so a following list is not taken
/// for removed lines.
pub fn push_diff(out: &mut String, text: &str) {
    let (mut removed, mut added) = (0_u32, 0_u32);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        if let Some((old, new)) = hunk(line) {
            (removed, added) = (old, new);
            push_marked(out, "i class=k", "i", line);
            continue;
        }
        match line.as_bytes().first() {
            Some(b'+') if added > 0 => {
                added -= 1;
                push_marked(out, "ins", "ins", line);
            }
            Some(b'-') if removed > 0 => {
                removed -= 1;
                push_marked(out, "del", "del", line);
            }
            _ => {
                removed = removed.saturating_sub(1);
                added = added.saturating_sub(1);
                push_text(out, line);
            }
        }
    }
}

fn push_marked(out: &mut String, open: &str, close: &str, text: &str) {
    out.push('<');
    out.push_str(open);
    out.push('>');
    push_text(out, text);
    out.push_str("</");
    out.push_str(close);
    out.push('>');
}

/// The line counts of both sides in a hunk header such as `@@ -1,7 +1,6 @@`.
fn hunk(line: &str) -> Option<(u32, u32)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    Some((count(old)?, count(new)?))
}

/// The tags around a quoted part of a command, and around an operator between commands.
const QUOTED: (&str, &str) = ("<i class=q>", "</i>");
const OPERATOR: (&str, &str) = ("<b>", "</b>");

/// Appends a shell command with its quoted parts and operators between commands marked.
pub fn push_shell(out: &mut String, text: &str) {
    let bytes = text.as_bytes();
    let (mut done, mut at) = (0, 0);
    while at < bytes.len() {
        let (end, (tag, closing)) = match bytes[at] {
            b'\\' => {
                at += 2;
                continue;
            }
            b'\'' => (
                bytes[at + 1..]
                    .iter()
                    .position(|b| *b == b'\'')
                    .map(|n| at + n + 2),
                QUOTED,
            ),
            b'"' => {
                let end = string_end(bytes, at);
                let ended = end > at + 1 && bytes[end - 1] == b'"';
                (ended.then_some(end), QUOTED)
            }
            b'&' | b'|' | b';' => {
                let operator = bytes[at..].iter().take_while(|b| b"&|;".contains(b));
                (Some(at + operator.count()), OPERATOR)
            }
            _ => (None, OPERATOR),
        };
        let Some(end) = end else {
            at += 1;
            continue;
        };
        push_text(out, &text[done..at]);
        out.push_str(tag);
        push_text(out, &text[at..end]);
        out.push_str(closing);
        (done, at) = (end, end);
    }
    push_text(out, text.get(done..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(push: fn(&mut String, &str), text: &str) -> String {
        let mut out = String::new();
        push(&mut out, text);
        out
    }

    /// The visible text.
    fn words(html: &str) -> String {
        let mut out = String::new();
        for part in html.split('<') {
            out.push_str(part.split_once('>').map_or(part, |(_, text)| text));
        }
        out.replace("&lt;", "<").replace("&amp;", "&")
    }

    #[test]
    fn json_is_laid_out_with_its_keys_marked_and_numbers_as_written() {
        let text = r#"{"path":"src/board.ts","edits":[{"line":1.50,"text":"a, {b}: \"c\""},{}],"none":[ ],"ok":true}"#;
        let html = shown(push_json, text);
        assert_eq!(
            words(&html),
            "{\n  \"path\": \"src/board.ts\",\n  \"edits\": [\n    {\n      \"line\": 1.50,\n      \"text\": \"a, {b}: \\\"c\\\"\"\n    },\n    {}\n  ],\n  \"none\": [],\n  \"ok\": true\n}"
        );
        assert!(html.contains("<i class=k>\"path\"</i>: \"src"), "{html}");
    }

    #[test]
    fn short_json_stays_on_its_line() {
        assert_eq!(
            words(&shown(push_json, r#"{"a":1,"b":[2]}"#)),
            r#"{"a":1,"b":[2]}"#
        );
    }

    #[test]
    fn text_that_is_not_json_is_shown_as_it_is() {
        for text in [
            "{\"a\": \"cut off in the middle of a string that goes on for longer than a short text does \\",
            "}}}}]]]] text that is no JSON, but was said to be, and is longer than a short line can be ñ €",
            "{\"\u{202e}\": 1} {\"second\": \"document\"} and words that are not JSON, and a stray \" quote ñ",
        ] {
            let plain = |text: &str| {
                text.chars()
                    .filter(|c| !c.is_whitespace())
                    .collect::<String>()
            };
            let html = shown(push_json, text).replace("<i class=cc>U+202E</i>", "\u{202e}");
            assert_eq!(plain(&words(&html)), plain(text));
        }
    }

    #[test]
    fn deep_or_long_json_does_not_grow_without_bounds() {
        let deep = "[".repeat(30_000);
        assert!(shown(push_json, &deep).len() < deep.len() * 4);
        let long = format!("[{}1]", "1,".repeat(30_000));
        assert!(shown(push_json, &long).lines().count() <= LINES + 1);
    }

    #[test]
    fn only_the_lines_of_a_hunk_are_marked() {
        let text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ fn x\n same\n-old <b>\n+new\n- a list item\n+ and another";
        assert!(has_hunk(text));
        let html = shown(push_diff, text);
        assert_eq!(words(&html), text);
        assert!(
            html.contains("<del>-old &lt;b></del>\n<ins>+new</ins>\n- a list item\n+ and another"),
            "{html}"
        );
        assert!(
            html.starts_with("--- a/x\n+++ b/x\n<i class=k>@@"),
            "{html}"
        );
    }

    #[test]
    fn joints_and_quoted_parts_of_a_command_are_marked() {
        let html = shown(
            push_shell,
            "cd x && grep -r 'a b' . | wc -l; echo \"it\\\"s\" \\; 'open",
        );
        assert_eq!(
            html,
            "cd x <b>&amp;&amp;</b> grep -r <i class=q>'a b'</i> . <b>|</b> wc -l<b>;</b> echo <i class=q>\"it\\\"s\"</i> \\; 'open"
        );
    }
}
