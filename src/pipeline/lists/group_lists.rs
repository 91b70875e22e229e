//! Writes the lists of all cases, models and harnesses.

use crate::diagnostics::Diagnostic;
use crate::diagnostics::text::capitalized;
use crate::links;
use crate::model::archive::{Group, GroupBy};
use crate::view::chrome::PageInfo;
use crate::view::group_list;

use super::{Lists, numbered};

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    for group_by in GroupBy::ALL {
        let title_of = |group: &Group| {
            let page = links::group(group_by.folder(), &group.slug);
            lists.gathered.prose.of_page(&page)?.prose.title.clone()
        };
        for (path, view) in group_list::pages(lists.archive(), group_by, &title_of) {
            let title = numbered(&capitalized(&view.title), view.pager.page);
            let what = format!("All {}, with how their runs ended.", view.title);
            let info = PageInfo::listed(path, title, what);
            lists.page("group_list.html", &info, &view)?;
        }
    }
    Ok(())
}
