//! Writes the story page of a run.

use crate::links;
use crate::view::chrome::PageInfo;
use crate::view::story;

use super::CheckedRun;
use super::files::{Files, StageError};

pub(super) fn write(run: &CheckedRun<'_>, files: &mut Files<'_>) -> Result<(), StageError> {
    let s = &run.sources;
    if !s.has_story() {
        return Ok(());
    }
    let view = story::story(s);
    let title = format!("{} by {}", view.title, s.entry.run.subject.model());
    let info = PageInfo {
        path: links::story(&s.entry.slug),
        image: s
            .has_card()
            .then(|| links::card(&links::run(&s.entry.slug))),
        description: format!("{title} in {}.", view.summary),
        title: format!("Story of {title}"),
        ..PageInfo::default()
    };
    let page = run.renderer.page("story.html", &info, &view)?;
    files.page(&info.path, &page)
}
