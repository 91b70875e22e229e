//! The site's own prose: Markdown with an optional `+++` TOML front matter.

use std::ffi::OsStr;

use toml::de::{DeTable, DeValue};

use base::diagnostics::text::{did_you_mean, quoted, reason};
use base::diagnostics::{Collector, Diagnostic, Source, codes};

use super::model::archive::GroupBy;

/// The line before and after the front matter; trailing white space is allowed.
const FENCE: &str = "+++";
const KEYS: [&str; 4] = ["title", "description", "order", "draft"];

/// A prose page as written.
#[derive(Debug, Default)]
pub struct Prose {
    /// Title; defaults to the file name.
    pub title: Option<String>,
    /// One sentence for search engines and lists.
    pub description: Option<String>,
    /// Position in the navigation; pages without one come last, by name.
    pub order: Option<i64>,
    /// Published only with `--drafts`.
    pub draft: bool,
    /// The Markdown.
    pub body: String,
}

/// The kind of a prose file, by its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProseKind {
    /// `pages/`: a page of its own.
    Page,
    /// `cases/`, `models/` or `harnesses/`: shown on the page of a case, model or harness.
    Group(GroupBy),
}

impl ProseKind {
    /// The kind of the prose in a folder of a content root.
    pub fn of_folder(name: &OsStr) -> Option<Self> {
        let group_by = GroupBy::ALL.into_iter().find(|by| name == by.folder());
        let page = || (name == "pages").then_some(Self::Page);
        group_by.map(Self::Group).or_else(page)
    }
}

#[must_use]
pub fn parse(source: Source<'_>) -> (Prose, Vec<Diagnostic>) {
    let refused = |problem| (Prose::default(), vec![problem]);
    let text = match source.utf8() {
        Ok(text) => text,
        Err(place) => {
            let message = "The page is not valid UTF-8";
            let help = source.help_for_utf8("Save the file as UTF-8.");
            return refused(codes::PAGE_NOT_UTF8.at(place, message, help));
        }
    };
    let opening = text.split_inclusive('\n').next().unwrap_or_default();
    if opening.trim_end() != FENCE {
        let prose = Prose {
            body: text.to_owned(),
            ..Prose::default()
        };
        return (prose, Vec::new());
    }
    let start = opening.len();
    let Some(end) = fence(text, start) else {
        return refused(codes::PAGE_FRONT_MATTER.at(
            source.place(0, 3),
            "The front matter of the page is not closed",
            "Add a line `+++` after the last key.",
        ));
    };
    let after = text[end..]
        .find('\n')
        .map_or(text.len(), |newline| end + newline + 1);
    let mut diagnostics = Collector::default();
    let mut prose = front_matter(&source, &text[start..end], start, &mut diagnostics);
    text[after..].clone_into(&mut prose.body);
    (prose, diagnostics.finish(source.path))
}

fn fence(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        if line.trim_end() == FENCE {
            return Some(at);
        }
        at += line.len();
    }
    None
}

fn front_matter(source: &Source<'_>, toml: &str, offset: usize, problems: &mut Collector) -> Prose {
    let mut prose = Prose::default();
    let (table, errors) = DeTable::parse_recoverable(toml);
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        problems.add(&codes::PAGE_FRONT_MATTER, || {
            codes::PAGE_FRONT_MATTER.at(
                source.place(offset + span.start, offset + span.end),
                format!(
                    "The front matter is not valid TOML: {}",
                    reason(error.message())
                ),
                "Correct the TOML between the two `+++` lines.",
            )
        });
    }
    for (key, value) in table.get_ref() {
        let name: &str = key.get_ref();
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
                if prose.order.is_some() {
                    continue;
                }
                "a number of 64 bits"
            }
            ("draft", DeValue::Boolean(draft)) => {
                prose.draft = *draft;
                continue;
            }
            ("title" | "description", _) => "a string",
            ("order", _) => "a whole number",
            ("draft", _) => "`true` or `false`",
            _ => {
                problems.add(&codes::PAGE_FRONT_MATTER, || {
                    let keys = "The keys are `title`, `description`, `order` and `draft`.";
                    let help = did_you_mean(name, KEYS, keys);
                    codes::PAGE_FRONT_MATTER.at(
                        source.place(offset + key.span().start, offset + key.span().end),
                        format!("Unknown key {} in the front matter", quoted(name)),
                        help,
                    )
                });
                continue;
            }
        };
        problems.add(&codes::PAGE_FRONT_MATTER, || {
            codes::PAGE_FRONT_MATTER.at(
                source.place(offset + value.span().start, offset + value.span().end),
                format!("The value of {} must be {expected}", quoted(name)),
                format!("Write {expected} here."),
            )
        });
    }
    prose
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_after_a_fence_is_no_reason_to_publish_the_front_matter() {
        for text in [
            "+++ \ntitle = 'x'\n+++\t\nText",
            "+++\r\ntitle = 'x'\r\n+++\r\nText",
        ] {
            let (prose, problems) = parse(Source::file("p", text.as_bytes()));
            assert_eq!(
                (prose.title.as_deref(), prose.body.as_str()),
                (Some("x"), "Text")
            );
            assert!(problems.is_empty(), "{problems:?}");
        }
        let (_, problems) = parse(Source::file("p", b"+++"));
        assert_eq!(problems.len(), 1, "a fence that is not closed");
    }

    #[test]
    fn an_order_beyond_the_range_of_numbers_is_reported() {
        let text = "+++\norder = 99999999999999999999\n+++\nText\n";
        let (prose, problems) = parse(Source::file("p", text.as_bytes()));
        assert_eq!((prose.order, prose.body.as_str()), (None, "Text\n"));
        let found: Vec<_> = problems
            .iter()
            .map(|p| (p.place.line, p.place.column))
            .collect();
        assert_eq!(found, [(Some(2), Some(9))]);
    }
}
