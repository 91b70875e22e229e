//! `SHA256SUMS`: the checksum of each published file, in the format that `sha256sum --check` reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base::diagnostics::text::quoted;

use super::{MARKER, MARKER_TEXT};

/// The path of the file from a site's root.
pub const PATH: &str = "SHA256SUMS";
/// Files that are not listed: this one, and those that only programs on the way to the reader need. Some hosts do not serve them.
pub const UNLISTED: [&str; 3] = [PATH, MARKER, ".nojekyll"];

/// Whether a file that is not listed has what a build writes into it.
pub fn may_be_unlisted(path: &str, bytes: &[u8]) -> bool {
    match path {
        PATH => true,
        MARKER => bytes.starts_with(MARKER_TEXT),
        path => UNLISTED.contains(&path) && bytes.is_empty(),
    }
}

/// The SHA-256 of files, by path.
pub type Checksums = BTreeMap<String, [u8; 32]>;

/// The text of the file, in the order of paths.
pub fn text(files: &Checksums) -> String {
    let mut text = String::new();
    for (path, sha256) in files {
        if UNLISTED.contains(&path.as_str()) {
            continue;
        }
        let name = escaped(path);
        if name != *path {
            text.push('\\');
        }
        let digits = blake3::Hash::from_bytes(*sha256).to_hex();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{digits}  {name}");
    }
    text
}

/// A name on one line, as `sha256sum` writes it.
fn escaped(path: &str) -> String {
    path.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

/// Reads the file.
///
/// # Errors
/// A line is not one of `sha256sum`, or a path is listed twice. The number of the line is that of the first of them.
pub fn parse(text: &str) -> Result<Checksums, (u32, String)> {
    let mut files = Checksums::new();
    for (line, number) in text.lines().zip(1..) {
        let (sha256, path) = read(line).ok_or_else(|| {
            let what = "is not a SHA-256, two spaces and a path".to_owned();
            (number, what)
        })?;
        if files.insert(path.clone(), sha256).is_some() {
            return Err((number, format!("lists {} again", quoted(&path))));
        }
    }
    Ok(files)
}

fn read(line: &str) -> Option<([u8; 32], String)> {
    let unescaped = line.strip_prefix('\\');
    let (digits, name) = unescaped.unwrap_or(line).split_once(' ')?;
    // A star marks a file that was read in binary mode, which is the same.
    let name = name.strip_prefix([' ', '*'])?;
    let sha256 = *blake3::Hash::from_hex(digits).ok()?.as_bytes();
    let path = match unescaped {
        Some(_) => unescape(name)?,
        None => name.to_owned(),
    };
    (!path.is_empty()).then_some((sha256, path))
}

fn unescape(name: &str) -> Option<String> {
    let mut path = String::new();
    let mut rest = name.chars();
    while let Some(character) = rest.next() {
        path.push(match character {
            '\\' => match rest.next()? {
                '\\' => '\\',
                'n' => '\n',
                'r' => '\r',
                _ => return None,
            },
            other => other,
        });
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_with_every_name() {
        let names = ["b", "a b", "a\\b", "a\nb", "a\rb", "\\n", " *x", "ü"];
        let files: Checksums = names
            .into_iter()
            .zip(0..)
            .map(|(name, byte)| (name.to_owned(), [byte; 32]))
            .collect();
        let text = text(&files);
        assert_eq!(text.lines().count(), names.len());
        assert_eq!(parse(&text), Ok(files));
    }

    #[test]
    fn files_for_programs_on_the_way_are_not_listed() {
        let files = UNLISTED.map(|path| (path.to_owned(), [0; 32]));
        assert_eq!(text(&files.into_iter().collect()), "");
    }

    #[test]
    fn a_line_that_sha256sum_would_not_write_is_refused_with_its_number() {
        let good = format!("{}  a", "0".repeat(64));
        for bad in ["", "a  b", &good[..66], &format!("\\{good}\\x"), &good] {
            let refused = parse(&format!("{good}\n{bad}\n")).map_err(|(line, _)| line);
            assert_eq!(refused, Err(2), "{bad}");
        }
    }
}
