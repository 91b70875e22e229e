//! Writes the second and further pages of every tape, the texts of its pages for the search in it, and all long texts. First pages
//! are part of the run page, which is written next.

use std::collections::BTreeSet;

use pages::draw::axis::RunEnd;
use pages::draw::strip::strip;
use pages::render::script;
use pages::render::slots::Slots;
use pages::render::timeline;
use pages::view::chrome::{PageInfo, Script};
use pages::view::data::find;
use pages::view::run as view;
use pages::view::timeline::Timeline;

use super::files::{RunStage, StageError};
use super::{CheckedRun, write_error};

pub(super) fn write(s: &CheckedRun<'_>, files: &mut RunStage<'_>) -> Result<(), StageError> {
    // The first pages of all tapes share one page.
    let mut bytes_left = s.config.limits.page();
    let mut texts = BTreeSet::new();
    for (tape, sidecar, layout) in s.tapes() {
        let mut pages = Timeline::new(s.config, layout, sidecar);
        let strip = (layout.pages() > 1).then(|| {
            let is_only = s.inspection.tapes.len() == 1;
            let end = RunEnd::of(&s.entry.run, tape, is_only);
            strip(s.config, layout, tape, sidecar, end.as_ref())
        });
        for number in 1..=layout.pages() {
            let (page, long) = pages.page(number);
            let most = if number == 1 {
                bytes_left
            } else {
                s.config.limits.page()
            };
            if let Some(folder) = layout.text_folder() {
                let path = format!("{folder}{number}.js");
                let script = script::call("run", &find::page_texts(&page));
                let script = script.map_err(write_error(&path))?;
                files.write(&path, &script)?;
            }
            for text in long {
                // Write a payload once, even if several events refer to it.
                if texts.insert(text.path.clone()) {
                    files.write(&text.path, text.text.as_bytes())?;
                }
            }
            if files.plans_pages {
                // The first page is part of the run page.
                if number > 1 {
                    files.planned(&page.path, 0)?;
                }
                continue;
            }
            let Some(html) = timeline::render(&page, most) else {
                return Err(files.page_too_large(&page.path));
            };
            if number == 1 {
                bytes_left -= html.as_str().len();
                files.first_pages.push(html);
                continue;
            }
            let mut slots = Slots::default();
            let mut view = view::EventsPage::of(s, tape, layout, number, slots.insert(html));
            view.strip = strip.as_ref().map(|strip| {
                let svg = strip.svg(&layout.path(number), number);
                view::StripView::of(tape, strip, slots.insert(svg))
            });
            let info = PageInfo {
                path: layout.path(number),
                title: format!("{}, {}", view.title, view.summary),
                description: format!("{} of {}.", view.summary, view.title),
                scripts: &[Script::Timeline, Script::Reader],
                ..PageInfo::default()
            };
            let page = files
                .renderer
                .page_with("events.html", &info, &view, &slots)?;
            files.page(&info.path, &page)?;
        }
    }
    Ok(())
}
