//! Test Cabinet's review (formats.md A.v): `writeup.md`, in its early, middle and late forms.

use std::borrow::Cow;

use base::diagnostics::{Diagnostic, Source, codes};

/// The file name in a run directory.
pub const FILE_NAME: &str = "writeup.md";

/// One `key: value` line of the front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrontMatterEntry<'a> {
    /// The text before the first colon, trimmed.
    pub key: &'a str,
    /// The text after it, trimmed.
    pub value: &'a str,
    /// Byte offset of the value in the file.
    pub offset: usize,
}

/// The front matter, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontMatter {
    /// The text does not begin with a line `---`.
    Absent,
    /// The text begins with a line `---`, but has no second one: all of it is body.
    Unclosed,
    /// There is front matter between two such lines.
    Closed,
}

/// A review as written.
#[derive(Debug)]
pub struct Writeup<'a> {
    /// The whole text, without a byte order mark.
    pub text: Cow<'a, str>,
    /// Ranges of the entries in `text`; empty without front matter.
    entries: Vec<(std::ops::Range<usize>, std::ops::Range<usize>)>,
    /// Range of the Markdown in `text`.
    body: std::ops::Range<usize>,
    pub front_matter: FrontMatter,
}

impl Writeup<'_> {
    /// The front matter lines with a colon, in order.
    pub fn entries(&self) -> impl Iterator<Item = FrontMatterEntry<'_>> {
        self.entries.iter().map(|(key, value)| FrontMatterEntry {
            key: &self.text[key.clone()],
            value: &self.text[value.clone()],
            offset: value.start,
        })
    }

    /// The Markdown, trimmed.
    pub fn body(&self) -> &str {
        &self.text[self.body.clone()]
    }
}

/// Reads a review. Front matter is not YAML: each line is split at its first colon.
#[must_use]
pub fn parse(source: Source<'_>) -> (Writeup<'_>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let text = String::from_utf8_lossy(source.text);
    if let Err(place) = source.utf8() {
        diagnostics.push(codes::REVIEW_NOT_UTF8.at(
            place,
            "The review is not valid UTF-8; invalid bytes are replaced",
            source.help_for_utf8("Save the file as UTF-8."),
        ));
    }
    let start = text.len() - text.trim_start().len();
    let mut entries = Vec::new();
    let mut end = None;
    let opened = line_ranges(&text, start)
        .next()
        .is_some_and(|line| text[line].trim_end() == "---");
    if opened {
        for line in line_ranges(&text, start).skip(1) {
            if text[line.clone()].trim_end() == "---" {
                end = Some(line.end);
                break;
            }
            if let Some(colon) = text[line.clone()].find(':') {
                let colon = line.start + colon;
                entries.push((
                    trim(&text, line.start..colon),
                    trim(&text, colon + 1..line.end),
                ));
            }
        }
        if end.is_none() {
            diagnostics.push(codes::REVIEW_UNCLOSED_FENCE.at(
                source.place(start, start + 3),
                "The front matter of the review is not closed",
                "Add a line `---` after the last `key: value` line.",
            ));
            entries.clear();
        }
    }
    let body = trim(&text, end.unwrap_or(start)..text.len());
    (
        Writeup {
            text,
            entries,
            body,
            front_matter: match (opened, end) {
                (false, _) => FrontMatter::Absent,
                (true, None) => FrontMatter::Unclosed,
                (true, Some(_)) => FrontMatter::Closed,
            },
        },
        diagnostics,
    )
}

fn line_ranges(text: &str, from: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut at = from;
    std::iter::from_fn(move || {
        (at < text.len()).then(|| {
            let start = at;
            let end = text[start..]
                .find('\n')
                .map_or(text.len(), |newline| start + newline);
            at = end + 1;
            start..end
        })
    })
}

fn trim(text: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    let end = range.end - (part.len() - part.trim_end().len());
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (Vec<(String, String)>, String, usize) {
        let (writeup, problems) = parse(Source::file("w", text.as_bytes()));
        let entries = writeup
            .entries()
            .map(|e| (e.key.to_owned(), e.value.to_owned()))
            .collect();
        (entries, writeup.body().to_owned(), problems.len())
    }

    #[test]
    fn the_front_matter_is_split_at_the_first_colon() {
        let (entries, body, problems) = parsed(
            "\u{feff}\n---\r\nrating: Great\r\nreview.a: pass see: b\r\n---\r\n\r\n# Hi\r\n",
        );
        assert_eq!(
            entries,
            [
                ("rating".into(), "Great".into()),
                ("review.a".into(), "pass see: b".into())
            ]
        );
        assert_eq!((body.as_str(), problems), ("# Hi", 0));
    }

    #[test]
    fn without_a_fence_everything_is_body() {
        assert_eq!(
            parsed("Just text\n---\nmore"),
            (vec![], "Just text\n---\nmore".into(), 0)
        );
    }

    #[test]
    fn an_unclosed_fence_is_a_problem_and_loses_nothing() {
        let (entries, body, problems) = parsed("---\nrating: great\ntext");
        assert!(entries.is_empty());
        assert_eq!((body.as_str(), problems), ("---\nrating: great\ntext", 1));
    }
}
