//! Knows how data reaches the site's own scripts: as a classic script with one call, because `fetch` does not work
//! from disk. These files are the site's own internals, no feeds: they have no schema and no version, and are
//! listed nowhere.
//!
//! `runs/<slug>/compare.js` calls `runpress.run` with a [`crate::view::compare::RunData`], and `compare-2.js` beside it
//! with the [`crate::view::compare::TapeData`] of the run's second tape.

use serde::Serialize;

/// A script that calls `runpress.<function>` with a value.
///
/// # Errors
/// Those of the value's own `Serialize`.
pub fn call(function: &str, value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut out = format!("runpress.{function}(").into_bytes();
    write_safe(&mut out, value)?;
    out.extend_from_slice(b");\n");
    Ok(out)
}

/// Writes JSON that may stand in a script. In JSON, what is escaped here only stands in strings; in a script it could
/// end it, or a line of it.
pub(super) fn write_safe(out: &mut Vec<u8>, value: &impl Serialize) -> serde_json::Result<()> {
    let json = serde_json::to_string(value)?;
    out.reserve(json.len());
    let mut done = 0;
    for (at, found) in json.match_indices(['<', '\u{2028}', '\u{2029}']) {
        out.extend_from_slice(&json.as_bytes()[done..at]);
        for character in found.chars() {
            out.extend_from_slice(format!("\\u{:04x}", u32::from(character)).as_bytes());
        }
        done = at + found.len();
    }
    out.extend_from_slice(&json.as_bytes()[done..]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_script_or_a_line_of_it() {
        let script = call("run", &["</script>\u{2028}\u{2029}\n"]).expect("JSON");
        assert_eq!(
            String::from_utf8(script).expect("UTF-8"),
            "runpress.run([\"\\u003c/script>\\u2028\\u2029\\n\"]);\n"
        );
    }
}
