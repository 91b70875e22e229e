//! Writes the site's own pages of prose.

use crate::diagnostics::Diagnostic;
use crate::links;
use crate::view::chrome::PageInfo;
use crate::view::home;

use super::Lists;

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    for text in lists.gathered.prose.pages() {
        let path = text.page();
        let (title, description) = (text.title().to_owned(), text.prose.description.clone());
        let view = home::ProsePage {
            root: links::root(&path),
            title: title.clone(),
            description: description.clone(),
            html: text.html(lists.site, ""),
        };
        let info = PageInfo {
            section: Some(path.clone()),
            path,
            description: description.unwrap_or_else(|| title.clone()),
            title,
            listed: true,
            ..PageInfo::default()
        };
        lists.page("page.html", &info, &view)?;
    }
    Ok(())
}
