//! Writes the home page.

use crate::diagnostics::Diagnostic;
use crate::feeds;
use crate::markup::Html;
use crate::view::chrome::PageInfo;
use crate::view::home;

use super::Lists;

pub(super) fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let config = &lists.site.config;
    let intro = lists.gathered.prose.of_page("index.html");
    let intro = intro.map_or_else(Html::default, |text| text.html(lists.site, "about"));
    let view = home::home_page(config, lists.archive(), &lists.outcome.findings, intro);
    let info = PageInfo {
        json_ld: feeds::json_ld::home(config).ok(),
        ..PageInfo::listed("index.html", "", &config.site.description)
    };
    lists.page("home.html", &info, &view)
}
