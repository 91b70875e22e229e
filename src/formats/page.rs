//! Knows the site's own prose: Markdown with an optional `+++` TOML front matter.

use toml::de::{DeTable, DeValue};

use crate::diagnostics::text::{nearest, quoted};
use crate::diagnostics::{Diagnostic, Source, codes};

const KEYS: [&str; 4] = ["title", "description", "order", "draft"];

/// A prose page as written.
#[derive(Debug, Default)]
pub struct Prose {
    /// Title; the file's name stands in when it is absent.
    pub title: Option<String>,
    /// One sentence for search engines and lists.
    pub description: Option<String>,
    /// Place in the navigation; pages without one come last, by name.
    pub order: Option<i64>,
    /// Only published with `--drafts`.
    pub draft: bool,
    /// The Markdown.
    pub body: String,
}

/// Reads a page.
#[must_use]
pub fn parse(source: Source<'_>) -> (Prose, Vec<Diagnostic>) {
    let bytes = source.text;
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            let problem = codes::PAGE_NOT_UTF8.at(
                source.place(at, at + 1),
                "The page is not valid UTF-8",
                "Save the file as UTF-8.",
            );
            return (Prose::default(), vec![problem]);
        }
    };
    let Some(rest) = text
        .strip_prefix("+++\n")
        .or_else(|| text.strip_prefix("+++\r\n"))
    else {
        return (
            Prose {
                body: text.to_owned(),
                ..Prose::default()
            },
            Vec::new(),
        );
    };
    let start = text.len() - rest.len();
    let Some(end) = fence(text, start) else {
        let problem = codes::PAGE_FRONT_MATTER.at(
            source.place(0, 3),
            "The front matter of the page is not closed",
            "Add a line `+++` after the last key.",
        );
        return (Prose::default(), vec![problem]);
    };
    let after = text[end..]
        .find('\n')
        .map_or(text.len(), |newline| end + newline + 1);
    let mut diagnostics = Vec::new();
    let mut prose = front_matter(&source, &text[start..end], start, &mut diagnostics);
    text[after..].clone_into(&mut prose.body);
    (prose, diagnostics)
}

fn fence(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        if line.trim_end() == "+++" {
            return Some(at);
        }
        at += line.len();
    }
    None
}

fn front_matter(
    source: &Source<'_>,
    toml: &str,
    offset: usize,
    problems: &mut Vec<Diagnostic>,
) -> Prose {
    let mut prose = Prose::default();
    let (table, errors) = DeTable::parse_recoverable(toml);
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        problems.push(codes::PAGE_FRONT_MATTER.at(
            source.place(offset + span.start, offset + span.end),
            format!("The front matter is not valid TOML: {}", error.message()),
            "Correct the TOML between the two `+++` lines.",
        ));
    }
    for (key, value) in table.get_ref() {
        let name: &str = key.get_ref();
        let place = source.place(offset + value.span().start, offset + value.span().end);
        let expected = match (name, value.get_ref()) {
            ("title", DeValue::String(text)) => {
                prose.title = Some(text.to_string());
                continue;
            }
            ("description", DeValue::String(text)) => {
                prose.description = Some(text.to_string());
                continue;
            }
            ("order", DeValue::Integer(number)) => {
                prose.order = i64::from_str_radix(number.as_str(), number.radix()).ok();
                continue;
            }
            ("draft", DeValue::Boolean(draft)) => {
                prose.draft = *draft;
                continue;
            }
            ("title" | "description", _) => "a string",
            ("order", _) => "a whole number",
            ("draft", _) => "`true` or `false`",
            _ => {
                let help = nearest(name, KEYS).map_or_else(
                    || "The keys are `title`, `description`, `order` and `draft`.".to_owned(),
                    |near| format!("Did you mean {}?", quoted(near)),
                );
                let place = source.place(offset + key.span().start, offset + key.span().end);
                problems.push(codes::PAGE_FRONT_MATTER.at(
                    place,
                    format!("The front matter has no key {}", quoted(name)),
                    help,
                ));
                continue;
            }
        };
        problems.push(codes::PAGE_FRONT_MATTER.at(
            place,
            format!("The value of {} must be {expected}", quoted(name)),
            format!("Write {expected} here."),
        ));
    }
    prose
}
