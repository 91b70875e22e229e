//! Compares the story of a run, its strips and the steps of its `run.md` with its published events.

use base::diagnostics::text::visible;
use base::diagnostics::{Diagnostic, Place};
use base::links::{self, Slug};
use formats::model::tape::Tape;
use markup::Html;
use pages::draw::axis::RunEnd;
use pages::draw::strip;
use pages::view::run::StripView;
use pages::view::run::markdown::{self, MarkdownSection};
use pages::view::run::story::{StoryFrame, StorySource, story};

use super::compare;
use super::copy::SiteCopy;
use super::html::{ElementQuery, elements, page_text, without_white_space};

const FRAME: ElementQuery = ElementQuery::of_class("section", "frame");
const STRIP: ElementQuery = ElementQuery::of_class("figure", "glance");
const DRAWING: ElementQuery = ElementQuery::named("svg");

/// Compares the story of a run, its strips and its `run.md` with its events.
pub(crate) fn check(
    copy: &SiteCopy,
    source: StorySource<'_>,
    slug: &Slug,
    problems: &mut Vec<Diagnostic>,
) {
    let tapes = &source.inspection.tapes;
    // Payloads in separate files are not published.
    let has_payloads = |tape: &Tape<'_>| tape.events.iter().any(|it| !it.external.is_empty());
    if tapes.iter().any(has_payloads) {
        return;
    }
    let path = links::story(slug);
    if let Some(page) = copy.read_some(&path, problems)
        && !has_frames(&page, source, &path)
    {
        problems.push(compare::differs(Place::file(&path), compare::EVENTS));
    }
    let path = links::run(slug);
    if let Some(page) = copy.read_some(&path, problems)
        && !has_strips(&page, source, &path)
    {
        let place = Place::file(&path);
        problems.push(compare::differs(
            place,
            "the strips of the published events",
        ));
    }
    let path = links::run_file(slug, markdown::NAME);
    if let Some(text) = copy.read_some(&path, problems)
        && !has_steps(&String::from_utf8_lossy(&text), source)
    {
        problems.push(compare::differs(Place::file(&path), compare::EVENTS));
    }
}

/// Whether a page has the frames of the story.
fn has_frames(page: &[u8], source: StorySource<'_>, path: &str) -> bool {
    let story = story(source, path, None);
    let found = elements(page, FRAME, usize::MAX);
    let mut frames = story.frames.iter().zip(&found);
    found.len() == story.frames.len()
        && frames
            .all(|(frame, found)| without_white_space(&found.concat()).starts_with(&text_of(frame)))
}

/// The text of a frame up to its picture and its links, without white space.
fn text_of(frame: &StoryFrame) -> String {
    let (event, clock) = &frame.event;
    let mut text = format!("{}. {} event {event}", frame.number, frame.title);
    let mut add = |before: &str, part: &str| {
        text.push_str(before);
        text.push_str(part);
    };
    for (before, part) in [(" at ", clock), (" of ", &frame.file)] {
        if let Some(part) = part {
            add(before, part);
        }
    }
    add(" ", &frame.quote);
    for (before, part) in [(" ", &frame.author), (" Suggested fix: ", &frame.fix)] {
        if let Some(part) = part {
            add(before, part);
        }
    }
    for event in &frame.events {
        let failed = if event.failed { "failed" } else { "" };
        add(
            " ",
            &format!("{} {} {failed} {}", event.seq, event.word, event.says),
        );
    }
    without_white_space(&page_text(&text))
}

/// Whether the page of a run has the strip of each tape, with its texts.
fn has_strips(page: &[u8], source: StorySource<'_>, path: &str) -> bool {
    let text = String::from_utf8_lossy(page);
    let figures = elements(page, STRIP, usize::MAX);
    let inspection = source.inspection;
    let is_only = inspection.tapes.len() == 1;
    let tapes = inspection.tapes.iter().zip(&inspection.sidecars);
    let mut tapes = tapes.zip(source.layouts).zip(figures);
    tapes.all(|(((tape, sidecar), layout), figure)| {
        let end = RunEnd::of(source.run, tape, is_only);
        let strip = strip::strip(source.config, layout, tape, sidecar.as_ref(), end.as_ref());
        let svg = strip.svg(path, 1);
        let mut view = StripView::of(tape, &strip, Html::default());
        if is_only {
            view = view.of_only_tape(source.run, strip.milliseconds);
        }
        let mut expected = String::new();
        for row in &view.legend {
            expected.push_str(&format!("{} {} ", row.name, row.count));
        }
        expected.push_str(
            &elements(svg.as_str().as_bytes(), DRAWING, 1)
                .concat()
                .concat(),
        );
        if !is_only {
            expected.push_str(&page_text(&format!(" {}:", view.file)));
        }
        let caption = format!(" {}. How to read this {}", view.caption, view.help);
        expected.push_str(&page_text(&caption));
        text.contains(svg.as_str())
            && without_white_space(&figure.concat()) == without_white_space(&expected)
    })
}

/// Whether a `run.md` has the steps of the tapes.
fn has_steps(text: &str, source: StorySource<'_>) -> bool {
    let tapes = source.inspection.tapes.iter().zip(source.layouts);
    let tapes = tapes.take(markdown::TAPES);
    let steps = tapes.filter_map(|(tape, layout)| markdown::steps(tape, &layout.steps));
    let steps: Vec<MarkdownSection> = steps
        .map(|section| MarkdownSection {
            lines: section.lines.iter().map(|line| visible(line)).collect(),
            ..section
        })
        .collect();
    let sections = markdown::sections(text);
    steps.is_empty() || sections.windows(steps.len()).any(|some| some == steps)
}
