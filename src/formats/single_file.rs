//! A run in one HTML file: `runpress share` writes it, and `runpress import` reads it again. The files of the run are script
//! elements of types that no browser runs. Their text is the file byte for byte, except that `<` is escaped where HTML needs it. Large
//! files are compressed, as what differs from the page above them.

use std::io::{Read, Write};

use base::diagnostics::text::quoted;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use memchr::memmem;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

mod delta;

/// The beginning of the element by which such a page is recognized; the version of the program follows.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"runpress ";
/// Name of the file with the published data of the run.
pub const RUN: &str = "run.json";

/// Files over this many bytes are compressed, so that the page has about the size of the log.
const MAX_PLAIN_BYTES: usize = 64 << 10;
/// Maximum files in a page; each may be made of the whole page.
const MAX_FILES: usize = 1_000;
/// Maximum bytes of an unpacked file.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// The two ways to write `<` as an escape in JSON.
const LESS_THAN_ESCAPES: [&str; 2] = [r"\u003c", r"\u003C"];
/// What must not follow `<` in a script element.
const UNSAFE_AFTER_LESS_THAN: [&[u8]; 3] = [b"!--", b"script", b"/script"];

/// What is escaped in the name of a file.
const ESCAPED_IN_NAMES: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

const NAME: &str = "data-name";
const ESCAPE: &str = "data-escape";
const ENCODING: &str = "data-encoding";
const GZIP: &str = "gzip base64";
const PAGE: &str = "page gzip base64";
/// BLAKE3 of a file that is made of the page, which another program may have changed.
const DIGEST: &str = "data-blake3";

/// A file in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedFile {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Appends a file as an element.
pub fn push_file(out: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    let kind = if name == RUN {
        "application/json"
    } else {
        "application/jsonl"
    };
    let name = utf8_percent_encode(name, ESCAPED_IN_NAMES);
    let tag = format!("<script type=\"{kind}\" {NAME}=\"{name}\"");
    let page = out.len();
    out.extend_from_slice(tag.as_bytes());
    match Plain::of(bytes) {
        Some(Plain { escape: None }) => {
            out.push(b'>');
            out.extend_from_slice(bytes);
        }
        Some(Plain {
            escape: Some(escape),
        }) => {
            out.extend_from_slice(format!(" {ESCAPE}=\"{escape}\">").as_bytes());
            push_escaped(out, bytes, escape);
        }
        None => {
            let whole = packed(bytes);
            let differing = packed(&delta::encode(&out[..page], bytes));
            let (attributes, text) = if differing.len() < whole.len() {
                let digest = blake3::hash(bytes).to_hex();
                (
                    format!("{ENCODING}=\"{PAGE}\" {DIGEST}=\"{digest}\""),
                    differing,
                )
            } else {
                (format!("{ENCODING}=\"{GZIP}\""), whole)
            };
            out.extend_from_slice(format!(" {attributes}>").as_bytes());
            out.extend_from_slice(BASE64_STANDARD.encode(text).as_bytes());
        }
    }
    out.extend_from_slice(b"</script>\n");
}

/// How a file is written as text.
struct Plain {
    /// What is written for `<` where HTML would read it; `None` if it is nowhere.
    escape: Option<&'static str>,
}

impl Plain {
    /// `None` if the file must be compressed: it is large, HTML would change its bytes, or it uses both escapes itself.
    fn of(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        if bytes.len() > MAX_PLAIN_BYTES || bytes.iter().any(|byte| matches!(byte, b'\r' | 0)) {
            return None;
        }
        let is_unsafe_in_script =
            memchr::memchr_iter(b'<', bytes).any(|at| is_unsafe_in_script(&bytes[at + 1..]));
        if !is_unsafe_in_script {
            return Some(Self { escape: None });
        }
        let escape = LESS_THAN_ESCAPES
            .into_iter()
            .find(|spelling| !text.contains(spelling))?;
        Some(Self {
            escape: Some(escape),
        })
    }
}

/// Whether HTML would read `<` before this text as a tag or a comment, even in a script element.
fn is_unsafe_in_script(after: &[u8]) -> bool {
    UNSAFE_AFTER_LESS_THAN.iter().any(|word| {
        let start = after.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    })
}

fn push_escaped(out: &mut Vec<u8>, bytes: &[u8], escape: &str) {
    let mut done = 0;
    for at in memchr::memchr_iter(b'<', bytes).filter(|at| is_unsafe_in_script(&bytes[at + 1..])) {
        out.extend_from_slice(&bytes[done..at]);
        out.extend_from_slice(escape.as_bytes());
        done = at + 1;
    }
    out.extend_from_slice(&bytes[done..]);
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::best());
    // Writing into memory cannot fail.
    let _ = writer.write_all(bytes);
    writer.finish().unwrap_or_default()
}

/// Whether a file begins like a page of HTML.
pub fn is_html(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    ["<!doctype html", "<html"].iter().any(|start| {
        let begin = head.get(..start.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes()))
    })
}

/// The files in a page.
///
/// # Errors
/// The page is not one of runpress, or a file in it is damaged: the reason.
pub fn files(page: &[u8]) -> Result<Vec<EmbeddedFile>, String> {
    let head = memmem::find(page, b"</head>").unwrap_or(page.len());
    if memmem::find(&page[..head], GENERATOR.as_bytes()).is_none() {
        return Err("`runpress share` did not write it".to_owned());
    }
    let mut files: Vec<EmbeddedFile> = Vec::new();
    let mut rest = page;
    // Recorded text on the page has no `<`, and inside an element of a file `</script` is escaped.
    while let Some(at) = memmem::find(rest, b"<script") {
        rest = &rest[at..];
        let above = &page[..page.len() - rest.len()];
        let Some(end) = memchr::memchr(b'>', rest) else {
            break;
        };
        let (tag, text) = (String::from_utf8_lossy(&rest[..end]), &rest[end + 1..]);
        let length = memmem::find(text, b"</script>");
        if let Some(name) = attribute(&tag, NAME) {
            let name = percent_decode_str(name).decode_utf8_lossy().into_owned();
            let shown = quoted(&name);
            let length = length.ok_or_else(|| format!("the file {shown} in it is cut off"))?;
            if files.len() == MAX_FILES {
                return Err(format!("it has more than {MAX_FILES} files"));
            }
            if files.iter().any(|file| file.name == name) {
                return Err(format!("it has the file {shown} twice"));
            }
            let bytes = content(above, &tag, &text[..length])
                .ok_or_else(|| format!("the file {shown} in it is damaged"))?;
            files.push(EmbeddedFile { name, bytes });
        }
        rest = &text[length.unwrap_or(text.len())..];
    }
    Ok(files)
}

/// The value of an attribute in a tag that [`push_file`] wrote.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    Some(rest.split_once('"')?.0)
}

/// The bytes of a file below a part of the page. `None` if it cannot be decoded.
fn content(above: &[u8], tag: &str, text: &[u8]) -> Option<Vec<u8>> {
    match (attribute(tag, ENCODING), attribute(tag, ESCAPE)) {
        (Some(GZIP), _) => unpacked(text),
        (Some(PAGE), _) => {
            let most = usize::try_from(MAX_FILE_BYTES).ok()?;
            let bytes = delta::decode(above, &unpacked(text)?, most)?;
            let digest = blake3::hash(&bytes).to_hex();
            (attribute(tag, DIGEST) == Some(digest.as_str())).then_some(bytes)
        }
        (None, None) => Some(text.to_vec()),
        (None, Some(escape)) if LESS_THAN_ESCAPES.contains(&escape) => {
            let text = std::str::from_utf8(text).ok()?;
            Some(text.replace(escape, "<").into_bytes())
        }
        _ => None,
    }
}

fn unpacked(text: &[u8]) -> Option<Vec<u8>> {
    let packed = BASE64_STANDARD.decode(text.trim_ascii()).ok()?;
    let mut bytes = Vec::new();
    let mut reader = GzDecoder::new(packed.as_slice()).take(MAX_FILE_BYTES + 1);
    reader.read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MAX_FILE_BYTES).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(named: &[(&str, &[u8])]) -> Vec<u8> {
        let mut page = format!("<!doctype html><head>{GENERATOR}1.0.0\"></head>").into_bytes();
        for (name, bytes) in named {
            push_file(&mut page, name, bytes);
        }
        page
    }

    fn text(page: &[u8]) -> String {
        String::from_utf8(page.to_vec()).expect("UTF-8")
    }

    #[test]
    fn every_file_comes_out_as_it_went_in() {
        let both = br#"{"a":"\u003c \u003C </script>"}"#.as_slice();
        let large = "{\"text\":\"</script><!--\"}\n".repeat(10_000);
        let samples: [&[u8]; 10] = [
            b"",
            b"{\"a\":1}\n",
            b"{\"a\":\"</script><script>alert(1)</script><!-- --!>\"}\n",
            br#"{"a":"</SCRIPT \u003c/script>"}"#,
            both,
            b"{\"a\":1}\r\n{\"b\":2}\r\n",
            b"\0\xff half of a line",
            "\u{feff}{\"a\":\"\u{202e}\u{1b}\"}".as_bytes(),
            large.as_bytes(),
            br#"\</script>"#,
        ];
        for bytes in samples {
            let found = files(&page(&[("ä \"b\">.tape", bytes), (RUN, b"{}")])).expect("files");
            let names: Vec<&str> = found.iter().map(|file| file.name.as_str()).collect();
            assert_eq!(names, ["ä \"b\">.tape", RUN]);
            assert_eq!(found[0].bytes, bytes, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn an_escaped_file_is_still_json_and_ends_no_element() {
        let page = text(&page(&[("a.tape", b"{\"a\":\"</script><!--x\"}\n")]));
        assert_eq!(page.matches("</script>").count(), 1, "{page}");
        assert!(!page.contains("<!--"), "{page}");
        let (_, body) = page.split_once("data-escape=\"\\u003c\">").expect("a file");
        let (json, _) = body.split_once("</script>").expect("its end");
        let value: serde_json::Value = serde_json::from_str(json).expect("JSON");
        assert_eq!(value["a"], "</script><!--x");
    }

    #[test]
    fn a_text_of_a_file_is_not_taken_for_a_file() {
        let forged = br#"{"a":"<script type=\"application/jsonl\" data-name=\"x.tape\">{}"}"#;
        let found = files(&page(&[(RUN, forged)])).expect("files");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].bytes, forged);
    }

    #[test]
    fn a_large_file_has_no_text_of_the_page_again() {
        let lines = (0..4_000_u64).map(|n| {
            let digest = blake3::hash(&n.to_le_bytes()).to_hex();
            format!("Line {n} says {digest}.")
        });
        let lines: Vec<String> = lines.collect();
        let mut page = format!("<!doctype html><head>{GENERATOR}1.0.0\"></head>").into_bytes();
        for line in &lines {
            page.extend_from_slice(format!("<p>{line}</p>\n").as_bytes());
        }
        let before = page.len();
        let log: String = lines
            .iter()
            .map(|line| format!("{{\"text\":\"{line}\"}}\n"))
            .collect();
        push_file(&mut page, "a.tape", log.as_bytes());
        assert!(
            page.len() - before < log.len() / 20,
            "{}",
            page.len() - before
        );
        assert_eq!(files(&page).expect("files")[0].bytes, log.as_bytes());
        let changed = text(&page).replacen("Line 7 says", "Line 8 says", 1);
        let reason = files(changed.as_bytes()).expect_err("it is refused");
        assert!(reason.contains("damaged"), "{reason}");
    }

    #[test]
    fn other_pages_and_damaged_files_are_refused() {
        assert!(is_html(b"\n<!DOCTYPE html><p>") && is_html(b"<html>") && !is_html(b"{}"));
        let reason = |page: &str| files(page.as_bytes()).expect_err("it is refused");
        assert!(reason("<!doctype html><p>x").contains("did not write it"));
        let whole = text(&page(&[("a.tape", "x\r\n".as_bytes())]));
        let cut = whole.trim_end().trim_end_matches("</script>");
        assert!(reason(cut).contains("cut off"), "{cut}");
        for (from, to) in [("gzip", "zip"), ("base64\">", "base64\">A")] {
            assert!(reason(&whole.replace(from, to)).contains("damaged"));
        }
        let twice = text(&page(&[("a.tape", b"1"), ("a.tape", b"2")]));
        assert!(reason(&twice).contains("twice"));
        let broken = text(&page(&[("a\nb.tape", b"1"), ("a\nb.tape", b"2")]));
        assert!(!reason(&broken).contains('\n'), "{}", reason(&broken));
    }
}
