//! Data for the site's own scripts: a classic script with one call, because `fetch` does not work from disk. These files are
//! internal, not feeds: they have no schema, no version and no entry in the index.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

use base::characters::{replace_hidden, symbol};

/// A script that calls `runpress.<function>` with a value.
pub fn call(function: &str, value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut out = format!("runpress.{function}(").into_bytes();
    write_safe(&mut out, value)?;
    out.extend_from_slice(b")\n");
    Ok(out)
}

/// An item of [`super::parts::ScriptParts`].
pub fn item(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::new();
    write_safe(&mut out, value).map(|()| out)
}

/// Writes JSON that is safe inside a script: nothing in it ends the script or a line. Scripts show texts as they are, so
/// deceptive characters are marked here.
fn write_safe(out: &mut Vec<u8>, value: &impl Serialize) -> serde_json::Result<()> {
    value.serialize(&mut Serializer::with_formatter(out, EscapingFormatter))
}

/// The value as JSON, with deceptive characters marked.
pub fn marked_json(value: &impl Serialize) -> serde_json::Result<String> {
    String::from_utf8(item(value)?).map_err(serde::ser::Error::custom)
}

/// Formats JSON with symbols for hidden characters in texts.
struct EscapingFormatter;

impl Formatter for EscapingFormatter {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        let text = replace_hidden(fragment);
        let mut done = 0;
        for at in memchr::memchr_iter(b'<', text.as_bytes()) {
            writer.write_all(&text.as_bytes()[done..at])?;
            writer.write_all(b"\\u003c")?;
            done = at + 1;
        }
        writer.write_all(&text.as_bytes()[done..])
    }

    fn write_char_escape<W>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        let control = match escape {
            CharEscape::AsciiControl(byte) => char::from(byte),
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            _ => return CompactFormatter.write_char_escape(writer, escape),
        };
        writer.write_all(symbol(control).encode_utf8(&mut [0; 4]).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_script_or_a_line_of_it_and_hidden_characters_are_marked() {
        let script = call(
            "run",
            &["</script>\u{2028}\u{2029}\n\u{202e}\u{1b}\u{8}\"\\"],
        )
        .expect("JSON");
        assert_eq!(
            String::from_utf8(script).expect("UTF-8"),
            "runpress.run([\"\\u003c/script>\u{fffd}\u{fffd}\\n\u{fffd}␛␈\\\"\\\\\"])\n"
        );
    }
}
