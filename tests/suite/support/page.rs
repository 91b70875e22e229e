//! A page of a site, queried by selectors.

use scraper::{ElementRef, Html, Selector};

use super::contains;

/// A page, parsed as in a browser.
pub(crate) struct Page {
    pub(crate) html: Html,
}

impl Page {
    pub(crate) fn parse(text: &str) -> Self {
        Self {
            html: Html::parse_document(text),
        }
    }

    pub(crate) fn all(&self, selector: &str) -> Vec<ElementRef<'_>> {
        let selector =
            Selector::parse(selector).unwrap_or_else(|error| panic!("{selector}: {error}"));
        let found: Vec<_> = self.html.select(&selector).collect();
        // The returned elements must not borrow the selector.
        found
            .into_iter()
            .filter_map(|element| ElementRef::wrap(*element))
            .collect()
    }

    /// The single element that matches a selector.
    pub(crate) fn one(&self, selector: &str) -> ElementRef<'_> {
        let found = self.all(selector);
        assert_eq!(found.len(), 1, "{selector} is found {} times", found.len());
        found[0]
    }

    /// The attribute of every element that matches a selector and has it.
    pub(crate) fn attrs(&self, selector: &str, name: &str) -> Vec<String> {
        let found = self.all(selector);
        let values = found
            .iter()
            .filter_map(|element| element.value().attr(name));
        values.map(str::to_owned).collect()
    }

    /// The words of every element that matches a selector.
    pub(crate) fn texts(&self, selector: &str) -> Vec<String> {
        self.all(selector).into_iter().map(words).collect()
    }

    /// The words of `<main>`.
    pub(crate) fn main(&self) -> String {
        words(self.one("main"))
    }

    /// Expects words of `<main>`.
    #[track_caller]
    pub(crate) fn says(&self, words: impl AsRef<str>) {
        contains(&self.main(), words);
    }

    /// The value next to a name in lists and tables of a page: the `dd` of a `dt`, the cells next to a row's `th`.
    pub(crate) fn beside(&self, name: &str) -> Vec<String> {
        let found = self.find(name);
        found.unwrap_or_else(|| panic!("nothing is called {name} on the page: {}", self.main()))
    }

    /// As [`Page::beside`], for a name that may not be on the page.
    pub(crate) fn find(&self, name: &str) -> Option<Vec<String>> {
        for row in self.all("dl.facts > div") {
            let cells = below(row, "dt, dd");
            if cells.first().is_some_and(|first| words(*first) == name) {
                return Some(cells[1..].iter().map(|cell| words(*cell)).collect());
            }
        }
        for row in self.all("main tr") {
            let cells = below(row, "th, td");
            if cells.first().is_some_and(|first| words(*first) == name) {
                return Some(cells[1..].iter().map(|cell| words(*cell)).collect());
            }
        }
        None
    }
}

/// The descendants of an element that match a selector.
pub(crate) fn below<'a>(element: ElementRef<'a>, selector: &str) -> Vec<ElementRef<'a>> {
    let selector = Selector::parse(selector).expect("a selector");
    let found: Vec<_> = element.select(&selector).collect();
    found
        .into_iter()
        .filter_map(|element| ElementRef::wrap(*element))
        .collect()
}

/// The words of an element, with white space collapsed.
pub(crate) fn words(element: ElementRef<'_>) -> String {
    element
        .text()
        .collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
