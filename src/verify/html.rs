//! Reads the texts of pages, as far as they are compared.

use html5gum::Tokenizer;
use html5gum::emitters::default::{DefaultEmitter, StartTag, Token};

use markup::escape::push_attribute;

/// The elements of a page to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ElementQuery {
    pub(crate) name: &'static str,
    /// An attribute that the element has.
    pub(crate) attribute: Option<(&'static str, &'static str)>,
    /// The inner elements whose texts are read; none if the text of the whole element is read.
    pub(crate) parts: &'static [&'static str],
}

impl ElementQuery {
    /// The whole texts of all elements of this name.
    pub(crate) const fn named(name: &'static str) -> Self {
        Self {
            name,
            attribute: None,
            parts: &[],
        }
    }

    /// The whole texts of the elements of this name with this class.
    pub(crate) const fn of_class(name: &'static str, class: &'static str) -> Self {
        Self {
            attribute: Some(("class", class)),
            ..Self::named(name)
        }
    }
}

/// A row of a table of runs on a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TableRow {
    pub(crate) slug: String,
    /// The name of each column, and the text in it.
    pub(crate) cells: Vec<(String, String)>,
}

/// The text without white space, which templates and the minifier add and remove.
pub(crate) fn without_white_space(text: &str) -> String {
    text.split_whitespace().collect()
}

/// A value as the text of a page, where characters that trick a reader are marked.
pub(crate) fn page_text(value: &str) -> String {
    let mut html = "<p>".to_owned();
    push_attribute(&mut html, value);
    let paragraph = ElementQuery::named("p");
    texts(html.as_bytes(), paragraph).pop().unwrap_or_default()
}

pub(crate) fn tokens(page: &[u8]) -> impl Iterator<Item = Token> {
    let mut emitter = DefaultEmitter::default();
    // The contents of scripts and style sheets are no markup.
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(page, emitter).filter_map(Result::ok)
}

/// The value of an attribute, with character references resolved.
pub(crate) fn attribute<'a>(tag: &'a StartTag<()>, key: &str) -> Option<&'a [u8]> {
    let value = tag.attributes.get(key.as_bytes())?;
    Some(value.value.as_slice())
}

/// The texts of the first such element of a page, or of its parts, each without white space at its ends; nothing if the page has none.
pub(crate) fn texts(page: &[u8], element: ElementQuery) -> Vec<String> {
    let first = elements(page, element, 1).pop().unwrap_or_default();
    let trimmed = first.iter().map(|text| text.trim().to_owned());
    trimmed.collect()
}

/// The texts of the first `most` such elements of a page.
pub(crate) fn elements(page: &[u8], element: ElementQuery, most: usize) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    // How many elements of this name are open, once the element began.
    let mut depth = 0_usize;
    for token in tokens(page) {
        match token {
            Token::StartTag(tag) => {
                let name = tag.name.as_slice();
                let has = |key: &str, value: &str| attribute(&tag, key) == Some(value.as_bytes());
                if name == element.name.as_bytes() {
                    if depth > 0 {
                        depth += 1;
                    } else if element.attribute.is_none_or(|(key, value)| has(key, value)) {
                        depth = 1;
                        let whole = element.parts.is_empty().then(String::new);
                        found.push(whole.into_iter().collect());
                    }
                } else if depth > 0
                    && element.parts.iter().any(|part| name == part.as_bytes())
                    && let Some(parts) = found.last_mut()
                {
                    parts.push(String::new());
                }
            }
            Token::EndTag(tag) if depth > 0 && tag.name.as_slice() == element.name.as_bytes() => {
                depth -= 1;
                if depth == 0 && found.len() == most {
                    break;
                }
            }
            Token::String(text) if depth > 0 => {
                if let Some(last) = found.last_mut().and_then(|parts| parts.last_mut()) {
                    last.push_str(&String::from_utf8_lossy(&text.value));
                }
            }
            _ => {}
        }
    }
    found
}

/// The rows of the tables of runs on a page. Columns without a name are left out.
pub(crate) fn run_rows(page: &[u8]) -> Vec<TableRow> {
    let mut rows: Vec<TableRow> = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    let mut is_open = false;
    for token in tokens(page) {
        match token {
            Token::StartTag(tag) => {
                let attribute = |key| {
                    let value = attribute(&tag, key)?;
                    Some(String::from_utf8_lossy(value).into_owned())
                };
                match tag.name.as_slice() {
                    b"table" => columns.clear(),
                    b"tr" => {
                        let slug = attribute("data-run");
                        is_open = slug.is_some();
                        let cells = Vec::new();
                        rows.extend(slug.map(|slug| TableRow { slug, cells }));
                    }
                    b"th" | b"td" if is_open => {
                        if let Some(row) = rows.last_mut() {
                            let column = columns.get(row.cells.len());
                            let column = column.cloned().unwrap_or_default();
                            row.cells.push((column, String::new()));
                        }
                    }
                    b"th" => columns.extend(attribute("data-col")),
                    _ => {}
                }
            }
            Token::EndTag(tag) if matches!(tag.name.as_slice(), b"tr" | b"tbody" | b"table") => {
                is_open = false;
            }
            Token::String(text) if is_open => {
                if let Some((_, cell)) = rows.last_mut().and_then(|row| row.cells.last_mut()) {
                    cell.push_str(&String::from_utf8_lossy(&text.value));
                }
            }
            _ => {}
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: ElementQuery = ElementQuery::named("h1");
    const LIST: ElementQuery = ElementQuery {
        parts: &["li"],
        ..ElementQuery::of_class("ul", "verdict")
    };

    #[test]
    fn the_texts_of_an_element_are_found_with_and_without_end_tags() {
        let page = b"<script>'<h1>no</h1>'</script><h1> A &amp; <b>b</b>\n</h1><ul class=x><li>no</ul><ul class=\"verdict\"><li>one<li class=a><span title=c>two</span></li></ul><li>three<ul class=verdict><li>four</ul>";
        assert_eq!(texts(page, HEADING), ["A & b"]);
        assert_eq!(texts(page, LIST), ["one", "two"]);
        assert_eq!(
            elements(page, LIST, usize::MAX),
            [vec!["one", "two"], vec!["four"]]
        );
        assert_eq!(texts(page, ElementQuery::named("ol")), [""; 0]);
        assert_eq!(page_text("a <b>"), "a <b>");
    }

    #[test]
    fn rows_of_runs_have_the_names_of_their_columns() {
        let page = b"<table><tr><th>x<tbody><tr><td>no</table><table><thead><tr><th data-col=run>Run<th data-col=\"cost\">Cost</thead><tbody><tr class=group><th>Variant<tr data-run=a-b><th><a href=x>A</a> <small>b</small><td>$1<tr data-run=c><th>C<td>\xe2\x80\x94</table>";
        let row = |slug: &str, run: &str, cost: &str| TableRow {
            slug: slug.to_owned(),
            cells: vec![
                ("run".to_owned(), run.to_owned()),
                ("cost".to_owned(), cost.to_owned()),
            ],
        };
        let found = run_rows(page);
        assert_eq!(found, [row("a-b", "A b", "$1"), row("c", "C", "\u{2014}")]);
    }
}
