//! Writes the site's own pages of prose.

use crate::diagnostics::Diagnostic;
use crate::view::chrome::PageInfo;
use crate::view::home;

use super::Lists;

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    for text in lists.gathered.prose.pages() {
        let path = text.page();
        let (title, description) = (text.title().to_owned(), text.prose.description.clone());
        let view = home::ProsePage {
            title: title.clone(),
            description: description.clone(),
            html: text.html(lists.site, ""),
        };
        let what = description.unwrap_or_else(|| title.clone());
        let info = PageInfo::listed(path, title, what);
        lists.page("page.html", &info, &view)?;
    }
    Ok(())
}
