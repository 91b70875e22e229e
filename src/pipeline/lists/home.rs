//! Writes the home page.

use std::io::ErrorKind;

use crate::diagnostics::Diagnostic;
use crate::feeds;
use crate::markup::Html;
use crate::model::findings::SpooledAnnotation;
use crate::pipeline::kept;
use crate::pipeline::kept::Facet;
use crate::spool;
use crate::view::chrome::PageInfo;
use crate::view::home;

use super::{Lists, Page};

pub(super) const PAGE: Page = Page {
    name: "home",
    folders: &[],
    made_of: Some(&[Facet::Newest]),
    listed: |_| vec!["index.html".to_owned()],
    write,
};

fn write(lists: &Lists<'_>) -> Result<(), Diagnostic> {
    let config = &lists.site.config;
    let intro = lists.gathered.prose.of_page("index.html");
    let intro = intro.map_or_else(Html::default, |text| text.html(lists.site));
    let read = |annotation: SpooledAnnotation| {
        let text = lists.stage.spool.get(annotation.text);
        let text = text.map_err(|error| spool::refused(&error))?;
        kept::newest_annotation(&text).ok_or_else(|| spool::refused(&ErrorKind::InvalidData.into()))
    };
    let view = home::home_page(config, lists.archive(), (lists.findings(), &read), intro)?;
    let info = PageInfo {
        json_ld: feeds::json_ld::home(config).ok(),
        ..PageInfo::listed("index.html", "", &config.site.description)
    };
    lists.page("home.html", &info, &view)
}
