//! Writes the pages with all annotations.

use rayon::prelude::*;

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::pipeline::kept::Facet;
use crate::view::annotations::Filed;
use crate::view::chrome::{PageInfo, Script};

use super::{Lists, Page, numbered};

pub(super) const PAGE: Page = Page {
    name: "annotations",
    folders: &["annotations"],
    made_of: Some(&[Facet::Cards]),
    listed: |lists| {
        let first = links::list("annotations", 1);
        [first].into_iter().chain(lists.catalogue.paths()).collect()
    },
    write,
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let catalogue = &lists.catalogue;
    let read = |card: &Filed| lists.card(card);
    let view = catalogue.first_page(&read)?;
    let what = "Annotations of events by people, agents and tools, grouped by kind.";
    let info = PageInfo {
        scripts: &[Script::Contents, Script::Annotations],
        ..PageInfo::listed(links::list("annotations", 1), "Annotations", what)
    };
    lists.page("annotations.html", &info, &view)?;
    catalogue.pages().into_par_iter().try_for_each(|page| {
        let (path, view) = catalogue.kind_page(page, &read)?;
        let what = format!("{} {}.", view.definition, view.count);
        let info = PageInfo {
            scripts: &[Script::Annotations],
            ..PageInfo::listed(path, numbered(view.title, page.1), what)
        };
        lists.page("annotation_kind.html", &info, &view)
    })
}
