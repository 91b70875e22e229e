//! Compares what the page of a run says first, and its outcomes, with the record and the feeds.

use html5gum::Tokenizer;
use html5gum::emitters::default::{DefaultEmitter, Token};

use base::diagnostics::{Diagnostic, Place, codes};
use base::links;
use formats::config::Config;
use formats::model::archive::Entry;
use formats::model::findings::Findings;
use markup::escape::push_attribute;
use pages::view::{outcomes, task};

use super::copy::SiteCopy;

/// An element of a page.
#[derive(Debug, Clone, Copy)]
struct Element {
    name: &'static str,
    /// An attribute that it has.
    attribute: Option<(&'static str, &'static str)>,
    /// The elements in it of which the texts are compared; none if it is compared as a whole.
    parts: &'static [&'static str],
}

const TITLE: Element = Element {
    name: "title",
    attribute: None,
    parts: &[],
};
const HEADING: Element = Element {
    name: "h1",
    attribute: None,
    parts: &[],
};
const VERDICT: Element = Element {
    name: "ul",
    attribute: Some(("class", "verdict")),
    parts: &["li"],
};
const OUTCOMES: Element = Element {
    name: "section",
    attribute: Some(("aria-labelledby", "outcomes")),
    parts: &["th", "td", "p"],
};
/// The headings of the table of outcomes.
const COLUMNS: usize = 5;

/// Compares the title, the heading, the verdict, the outcomes and the writeup of a run on its page.
pub(crate) fn check(
    copy: &SiteCopy,
    config: &Config,
    entry: &Entry,
    findings: &Findings,
    writeup: Option<&str>,
) -> Vec<Diagnostic> {
    let path = links::run(&entry.slug);
    let mut problems = Vec::new();
    let Some(bytes) = copy.read_some(&path, &mut problems) else {
        return problems;
    };
    let run = &entry.run;
    let task = &findings.task;
    let mut compare = |what: &str, is_same: bool| {
        if !is_same {
            let message = format!("The {what} of the page differs from the published data");
            let help = "The page or the data was changed after the build. Get the site from the publisher again.";
            problems.push(
                codes::VERIFY_DIFFERENT_VALUE
                    .at(Place::file(&path), message, help)
                    .of_run(&run.id),
            );
        }
    };
    let title = format!("{task} by {} – {}", run.subject.model(), config.site.title);
    compare("title", texts(&bytes, TITLE) == [shown(&title)]);
    compare("heading", texts(&bytes, HEADING) == [shown(task)]);
    let verdict = task::verdict(run, findings.rating, findings.audit);
    let verdict: Vec<String> = verdict.iter().map(|it| shown(it.value.text())).collect();
    compare("verdict", texts(&bytes, VERDICT) == verdict);
    let table = outcomes::outcomes(run);
    // The sentences below the table.
    let sentences = table
        .as_ref()
        .map_or(0, |table| 1 + usize::from(table.more.is_some()));
    let outcomes = table.iter().flat_map(|it| &it.outcomes);
    let outcomes = outcomes.flat_map(|outcome| {
        let cells = [&outcome.value, &outcome.scorer, &outcome.kind];
        let [value, scorer, kind] = cells.map(|cell| shown(cell.text()));
        let notes = outcome.notes.join(", ");
        [shown(&outcome.name), value, scorer, kind, shown(&notes)]
    });
    let outcomes: Vec<String> = outcomes.collect();
    let cells = texts(&bytes, OUTCOMES);
    let end = cells.len().saturating_sub(sentences);
    let cells = cells.get(COLUMNS..end).unwrap_or_default();
    compare("table of outcomes", cells == outcomes);
    if let Some(writeup) = writeup {
        let page = String::from_utf8_lossy(&bytes);
        compare("writeup", page.contains(writeup));
    }
    problems
}

/// A value as the text of a page, where characters that trick a reader are marked.
fn shown(value: &str) -> String {
    let mut html = "<p>".to_owned();
    push_attribute(&mut html, value);
    let whole = Element {
        name: "p",
        attribute: None,
        parts: &[],
    };
    texts(html.as_bytes(), whole).pop().unwrap_or_default()
}

/// The texts of an element of a page, or of its parts, each without white space at its ends; nothing if the page has no such element.
fn texts(page: &[u8], element: Element) -> Vec<String> {
    let mut emitter = DefaultEmitter::default();
    // What is in a script or a style sheet is no markup.
    emitter.naively_switch_states(true);
    let mut found: Vec<String> = Vec::new();
    // How many elements of this name are open, once the element began.
    let mut depth = 0_usize;
    for token in Tokenizer::new_with_emitter(page, emitter) {
        match token {
            Ok(Token::StartTag(tag)) => {
                let name = tag.name.as_slice();
                let has = |key: &str, value: &str| {
                    tag.attributes.iter().any(|(name, found)| {
                        name.as_slice() == key.as_bytes()
                            && found.value.as_slice() == value.as_bytes()
                    })
                };
                if name == element.name.as_bytes() {
                    if depth > 0 {
                        depth += 1;
                    } else if element.attribute.is_none_or(|(key, value)| has(key, value)) {
                        depth = 1;
                        found.extend(element.parts.is_empty().then(String::new));
                    }
                } else if depth > 0 && element.parts.iter().any(|part| name == part.as_bytes()) {
                    found.push(String::new());
                }
            }
            Ok(Token::EndTag(tag))
                if depth > 0 && tag.name.as_slice() == element.name.as_bytes() =>
            {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            Ok(Token::String(text)) if depth > 0 => {
                if let Some(last) = found.last_mut() {
                    last.push_str(&String::from_utf8_lossy(&text.value));
                }
            }
            _ => {}
        }
    }
    let trimmed = found.iter().map(|text| text.trim().to_owned());
    trimmed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_an_element_are_found_with_and_without_end_tags() {
        let page = b"<script>'<h1>no</h1>'</script><h1> A &amp; <b>b</b>\n</h1><ul class=x><li>no</ul><ul class=\"verdict\"><li>one<li class=a><span title=c>two</span></li></ul><li>three";
        assert_eq!(texts(page, HEADING), ["A & b"]);
        assert_eq!(texts(page, VERDICT), ["one", "two"]);
        assert_eq!(texts(page, OUTCOMES), [""; 0]);
        assert_eq!(shown("a <b>"), "a <b>");
    }
}
