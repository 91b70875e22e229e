//! The page for addresses that do not exist.

use std::collections::BTreeMap;

use base::diagnostics::Diagnostic;
use pages::view::chrome::PageInfo;

use super::{Lists, Page};

pub(super) const PAGE: Page = Page::new("not-found", &["404"], write);

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let what = "There is no page at this address.";
    let info = PageInfo::unlisted("404.html", "Not found", what);
    let bytes = lists
        .renderer
        .not_found("404.html", &info, &BTreeMap::<&str, &str>::new())?;
    lists.stage.write(&info.path, &bytes)
}
