//! Writes the page of a run, and the same in Markdown.

use std::borrow::Cow;

use base::links;
use formats::model::details;
use markup::markdown::{self, MarkdownContext};
use markup::{Html, MarkdownOrigin};
use pages::draw::axis::RunEnd;
use pages::draw::strip;
use pages::feeds;
use pages::render::slots::Slots;
use pages::view::chrome::{PageInfo, Script};
use pages::view::run::{
    self as view, IMPLEMENTATION_ARCHIVE, RenderedParts, StripView, markdown as markdown_file,
};
use pages::view::task;

use super::files::{RunStage, StageError};
use super::{CheckedRun, prose, write_error};

pub(super) fn write(run: &CheckedRun<'_>, files: &mut RunStage<'_>) -> Result<(), StageError> {
    let path = links::run(&run.entry.slug);
    let markdown = (run.has_markdown()).then(|| super::path(run, markdown_file::NAME));
    if files.plans_pages {
        files.planned(&path, 0)?;
        return markdown.map_or(Ok(()), |path| files.planned(&path, 0));
    }
    let s = CheckedRun {
        archive: files.bytes_of(&run.own_file(IMPLEMENTATION_ARCHIVE)),
        ..*run
    };
    let (slug, subject) = (&s.entry.slug, &s.entry.run.subject);
    let mut slots = Slots::default();
    let timelines = files.first_pages.drain(..);
    let timelines = timelines.map(|html| slots.insert(html)).collect();
    let strips = strips(&s, &path, &mut slots);
    let showcase = details::description(s.details);
    let parts = RenderedParts {
        writeup: s.writeup.clone(),
        strips,
        timelines,
        markdown: &|scope, text| prose(s.layouts, slug, scope, text),
        showcase: showcase.map(|text| described(&s, &beginning(text))),
    };
    let view = view::page(&s, parts);
    let title = s.task;
    let verdict = task::verdict_line(&view.head.verdict);
    let by = format!("{} with {}", subject.model(), subject.harness);
    let facts = [title, &verdict, &by].into_iter();
    let facts: Vec<&str> = facts.filter(|fact| !fact.is_empty()).collect();
    let description = facts.join(" · ");
    let json_ld = feeds::json_ld::run(s.config, s.entry, title, &description)
        .map_err(write_error("index.html"))?;
    let info = PageInfo {
        description,
        json_ld: Some(json_ld),
        image: s.has_card().then(|| links::card(&path)),
        markdown: markdown.as_ref().map(|_| markdown_file::NAME),
        title: format!("{title} by {}", subject.model()),
        path,
        listed: true,
        scripts: &[
            Script::Contents,
            Script::Timeline,
            Script::Reader,
            Script::Play,
        ],
        ..PageInfo::default()
    };
    let page = files.renderer.page_with("run.html", &info, &view, &slots)?;
    files.page(&info.path, &page)?;
    if let Some(path) = markdown {
        let text = markdown_file::markdown(&s, &view);
        files.write(&path, text.as_bytes())?;
    }
    Ok(())
}

fn strips(s: &CheckedRun<'_>, page: &str, slots: &mut Slots) -> Vec<StripView> {
    let run = &s.entry.run;
    let is_only = s.inspection.tapes.len() == 1;
    let strips = s.tapes().map(|(tape, sidecar, layout)| {
        let end = RunEnd::of(run, tape, is_only);
        let strip = strip::strip(s.config, layout, tape, sidecar, end.as_ref());
        let svg = slots.insert(strip.svg(page, 1));
        let view = StripView::of(tape, &strip, svg);
        if is_only {
            view.of_only_tape(run, strip.milliseconds)
        } else {
            view
        }
    });
    strips.collect()
}

/// Renders the description of the showcase, with its images.
fn described(s: &CheckedRun<'_>, text: &str) -> Html {
    let events = |number| s.event_href(number);
    let image = |path: &str| {
        let file = s.inspection.pictures.showcase.get(path)?;
        Some((format!("assets/{}", file.name), file.size?))
    };
    let origin = MarkdownOrigin::Showcase {
        events: &events,
        image: &image,
    };
    let context = MarkdownContext {
        scope: "s",
        shift: 2,
        origin,
    };
    markdown::render(text, context)
}

/// Maximum bytes of a showcase description on the page.
const DESCRIPTION: usize = 64 * 1024;

/// Truncates a text, with a note if anything was cut.
fn beginning(text: &str) -> Cow<'_, str> {
    let end = text.floor_char_boundary(DESCRIPTION.min(text.len()));
    if end == text.len() {
        return Cow::Borrowed(text);
    }
    let beginning = &text[..end];
    Cow::Owned(format!(
        "{beginning}\n\n(truncated; run.json has the full text)"
    ))
}
