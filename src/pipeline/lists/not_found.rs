//! Writes the page for addresses that do not exist.

use crate::diagnostics::Diagnostic;
use crate::view::chrome::PageInfo;
use crate::view::home;

use super::Lists;

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let info = PageInfo {
        path: "404.html".to_owned(),
        title: "Not found".to_owned(),
        description: "There is no page at this address.".to_owned(),
        ..PageInfo::default()
    };
    let view = home::NotFoundPage {
        root: lists.renderer.not_found_root(),
    };
    let bytes = lists.renderer.not_found("404.html", &info, &view)?;
    lists.stage.write(&info.path, &bytes)
}
