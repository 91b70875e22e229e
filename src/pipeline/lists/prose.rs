//! The site's own prose pages.

use serde::Serialize;

use base::diagnostics::Diagnostic;
use base::links;
use markup::Html;
use pages::view::Link;
use pages::view::chrome::{self, NavItem, PageInfo, Script};

use super::{Lists, Page};
use crate::prose::ProseText;

/// Minimum number of headings for a table of contents.
const CONTENTS: usize = 3;

pub(super) const PAGE: Page = Page {
    listed: |lists| lists.gathered.prose.pages().map(ProseText::page).collect(),
    ..Page::new("prose", &[], write)
};

/// A page of the site's own prose.
#[derive(Debug, Serialize)]
struct ProsePage {
    title: String,
    description: Option<String>,
    html: Html,
    /// The documentation pages in order; only this page if the site has few, since the navigation lists those.
    pages: Vec<NavItem>,
    /// The headings of a long page, for its table of contents.
    contents: Vec<Link>,
}

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let texts = lists.gathered.prose.sorted();
    let is_documented = texts.len() > chrome::PAGES;
    for text in &texts {
        let path = text.page();
        let root = links::root(&path);
        let listed = texts
            .iter()
            .filter(|other| is_documented || other.page() == path);
        let pages = listed.map(|other| NavItem {
            text: other.title().to_owned(),
            href: format!("{root}{}", other.page()),
            current: other.page() == path,
        });
        let headings = text.headings();
        let contents = headings.into_iter().filter(|(id, _)| !id.is_empty());
        let contents: Vec<_> = contents
            .map(|(id, words)| Link::new(words, format!("#{id}")))
            .collect();
        let (title, description) = (text.title().to_owned(), text.prose.description.clone());
        let view = ProsePage {
            title: title.clone(),
            description: description.clone(),
            html: text.html(lists.site),
            pages: pages.collect(),
            contents: if contents.len() < CONTENTS {
                Vec::new()
            } else {
                contents
            },
        };
        let what = description.unwrap_or_else(|| title.clone());
        let info = PageInfo {
            scripts: &[Script::Contents],
            ..PageInfo::listed(path, title, what)
        };
        lists.page("page.html", &info, &view)?;
    }
    Ok(())
}
