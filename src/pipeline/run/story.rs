//! Writes the story page of a run.

use base::links;
use pages::view::chrome::PageInfo;
use pages::view::run::picture;
use pages::view::run::story::{StorySource, story};

use super::CheckedRun;
use super::files::{RunStage, StageError};

pub(super) fn write(s: &CheckedRun<'_>, files: &mut RunStage<'_>) -> Result<(), StageError> {
    if !s.has_story() {
        return Ok(());
    }
    let path = links::story(&s.entry.slug);
    if files.plans_pages {
        return files.planned(&path, 0);
    }
    let source = StorySource {
        config: s.config,
        run: &s.entry.run,
        task: s.task,
        inspection: s.inspection,
        layouts: s.layouts,
    };
    let view = story(source, &path, picture(s));
    let title = format!("{} by {}", view.title, s.entry.run.subject.model());
    let info = PageInfo {
        path,
        image: s
            .has_card()
            .then(|| links::card(&links::run(&s.entry.slug))),
        description: format!("{title} in {}.", view.summary),
        title: format!("Story of {title}"),
        ..PageInfo::default()
    };
    let page = files.renderer.page("story.html", &info, &view)?;
    files.page(&info.path, &page)
}
