//! Knows which files a run has on the site, and writes them.

use std::collections::BTreeSet;

use crate::diagnostics::Diagnostic;
use crate::discover::RunDirectory;
use crate::feeds;
use crate::formats::run_record;
use crate::inspect::Inspected;
use crate::load::RunFiles;
use crate::markup::Origin;
use crate::model::details::Details;
use crate::model::surroundings::Surroundings;
use crate::render::markdown::{self, Context};
use crate::render::templates::Renderer;
use crate::render::{Html, outline, strip as strip_svg, timeline as timeline_html, tree};
use crate::site::Site;
use crate::view::chrome::{PageInfo, Script};
use crate::view::run::{Archive, Parts, Sources, StripView};
use crate::view::timeline::{Layout, Timeline};
use crate::view::{compare, links, run as run_view, strip};

use super::super::Gathered;
use super::files::{Files, Unwritten};
use super::{archive, unwritten};

/// What the pages and files of one run are made of.
pub(super) struct RunOutput<'a> {
    pub(super) site: &'a Site,
    pub(super) gathered: &'a Gathered,
    pub(super) index: usize,
    pub(super) directory: &'a RunDirectory,
    pub(super) files: &'a RunFiles,
    pub(super) inspected: &'a Inspected<'a>,
    pub(super) details: &'a Details,
    pub(super) layouts: &'a [Layout<'a>],
    pub(super) record: &'a str,
    pub(super) surroundings: &'a Surroundings,
}

impl RunOutput<'_> {
    /// Writes the pages and files of the run; gives the writeup, which the feed of the newest runs carries.
    pub(super) fn write(
        &self,
        files: &mut Files<'_>,
        renderer: &Renderer,
        problems: &[Diagnostic],
    ) -> Result<Html, Unwritten> {
        let config = &self.site.config;
        let entry = &self.gathered.archive.runs[self.index];
        let downloads = self.write_downloads(files, &entry.slug)?;
        self.write_assets(files, &entry.slug)?;
        let archive = self.write_implementation(files, &entry.slug)?;
        let implementation = &self.inspected.implementation;
        let mut digests = self.files.digests.clone();
        digests.extend(self.inspected.referenced.iter().cloned());
        digests.extend(implementation.files.iter().map(|file| file.digest.clone()));
        digests.sort_by(|a, b| a.path.cmp(&b.path));
        digests.dedup();
        let record = run_record::displayed(self.record);
        let sources = Sources {
            config,
            surroundings: self.surroundings,
            entry,
            details: self.details,
            review: self.inspected.review.as_ref(),
            reconciliation: self.inspected.reconciliation.as_ref(),
            tapes: &self.inspected.tapes,
            sidecars: &self.inspected.sidecars,
            layouts: self.layouts,
            conversation: self.inspected.conversation.as_ref(),
            threads: self.inspected.threads.as_ref(),
            files: &digests,
            record: &record,
            downloads: &downloads,
            archive: archive.map(|bytes| Archive {
                implementation,
                file: archive::NAME,
                bytes,
            }),
        };
        let path = links::run(&entry.slug);
        let events = |number| self.event_href(&path, number);
        let writeup = self
            .inspected
            .review
            .as_ref()
            .map_or_else(Html::default, |review| {
                markdown::render(
                    &review.body,
                    Context {
                        scope: "w",
                        shift: 2,
                        origin: Origin::Run(&events),
                    },
                )
            });
        let document = feeds::run::Sources {
            config,
            slug: &entry.slug,
            record: self.record,
            review: self
                .inspected
                .review
                .as_ref()
                .map(|review| (review, &writeup)),
            reconciliation: self.inspected.reconciliation.as_ref(),
            tapes: &self.inspected.tapes,
            sidecars: &self.inspected.sidecars,
            conversation: self.inspected.conversation.as_ref(),
            threads: self.inspected.threads.as_ref(),
            files: &digests,
            diagnostics: problems,
        };
        let document = feeds::run::document(&document)
            .map_err(|error| unwritten("run.json", &error.into()))?;
        files.stream(&links::run_file(&entry.slug, "run.json"), |out| {
            feeds::write_pretty(out, &document)
        })?;

        write_compared(files, &sources)?;
        let path = links::run(&entry.slug);
        let timelines = self.write_timelines(files, renderer, &sources)?;
        let strips = self.strips(&path);
        let size_hint = timelines
            .iter()
            .chain(strips.iter().map(|strip| &strip.svg))
            .map(|html| html.as_str().len())
            .sum();
        let title = run_view::title(&entry.run);
        let view = run_view::page(
            &sources,
            Parts {
                writeup: writeup.clone(),
                strips,
                timelines,
                markdown: &|scope, text| self.thread_entry(scope, text),
                showcase: self.showcase(),
                draw: tree::render,
                plain: markdown::plain,
            },
        );
        let description = format!(
            "{title}: {} with {}, {}.",
            entry.run.subject.model, entry.run.subject.harness, entry.run.state.word
        );
        let json_ld = feeds::json_ld::run(config, entry, &description)
            .map_err(|error| unwritten("index.html", &error.into()))?;
        let info = PageInfo {
            description,
            json_ld: Some(json_ld),
            title: format!("{title} by {}", entry.run.subject.model),
            path,
            section: Some("runs/index.html".to_owned()),
            listed: true,
            scripts: &[
                Script::Contents,
                Script::Timeline,
                Script::Reader,
                Script::Play,
            ],
            size_hint,
            ..PageInfo::default()
        };
        files.page(&info.path, &renderer.page("run.html", &info, &view)?)?;
        Ok(writeup)
    }

    /// Writes the further pages of every tape and gives the first of each.
    fn write_timelines(
        &self,
        files: &mut Files<'_>,
        renderer: &Renderer,
        sources: &Sources<'_>,
    ) -> Result<Vec<Html>, Unwritten> {
        let limits = &self.site.config.limits;
        let mut first = Vec::with_capacity(self.layouts.len());
        // The first pages of all tapes are one page.
        let mut room = limits.page();
        let mut texts = BTreeSet::new();
        for ((tape, sidecar), layout) in self
            .inspected
            .tapes
            .iter()
            .zip(&self.inspected.sidecars)
            .zip(self.layouts)
        {
            let (config, measure) = (&self.site.config, timeline_html::size);
            let mut timeline = Timeline::new(config, layout, sidecar.as_ref(), measure);
            for number in 1..=layout.pages() {
                let (page, long) = timeline.page(number);
                let most = if number == 1 { room } else { limits.page() };
                let Some(html) = timeline_html::render(&page, most) else {
                    return Err(files.page_too_large(&page.path));
                };
                for text in long {
                    // A payload that several events refer to is written once.
                    if texts.insert(text.path.clone()) {
                        files.write(&text.path, text.text.as_bytes())?;
                    }
                }
                if number == 1 {
                    room -= html.as_str().len();
                    first.push(html);
                    continue;
                }
                let view = run_view::events_page(sources, tape, layout, number, html);
                let info = PageInfo {
                    path: layout.path(number),
                    title: format!("{}, {}", view.title, view.summary),
                    description: format!("{} of {}.", view.summary, view.title),
                    section: Some("runs/index.html".to_owned()),
                    listed: false,
                    scripts: &[Script::Timeline, Script::Reader],
                    size_hint: view.html.as_str().len(),
                    ..PageInfo::default()
                };
                files.page(&info.path, &renderer.page("events.html", &info, &view)?)?;
            }
        }
        Ok(first)
    }

    /// Address of an event of the run's first tape: what writeups and threads mean by a number.
    fn event_href(&self, page: &str, number: u64) -> Option<String> {
        self.layouts.first()?.numbered_href(page, number)
    }

    /// Renders an entry of a review thread.
    fn thread_entry(&self, scope: &str, text: &str) -> Html {
        let path = links::run(&self.gathered.archive.runs[self.index].slug);
        let events = |number| self.event_href(&path, number);
        let context = Context {
            scope,
            shift: 3,
            origin: Origin::Run(&events),
        };
        markdown::render(text, context)
    }

    /// The description of the showcase, as prose.
    fn showcase(&self) -> Option<Html> {
        let path = links::run(&self.gathered.archive.runs[self.index].slug);
        let events = |number| self.event_href(&path, number);
        let (text, rest) = beginning(self.details.showcase.as_ref()?.description.as_ref()?);
        let context = Context {
            scope: "s",
            shift: 3,
            origin: Origin::Run(&events),
        };
        Some(if rest {
            let text = format!("{text}\n\n(cut here; run.json holds all of it)");
            markdown::render(&text, context)
        } else {
            markdown::render(text, context)
        })
    }

    fn strips(&self, page: &str) -> Vec<StripView> {
        self.inspected
            .tapes
            .iter()
            .zip(&self.inspected.sidecars)
            .zip(self.layouts)
            .map(|((tape, sidecar), layout)| {
                let strip = strip::strip(&self.site.config, layout, tape, sidecar.as_ref(), page);
                StripView {
                    file: tape.file.clone(),
                    svg: strip_svg::render(&strip),
                    caption: strip.caption,
                    legend: strip::families(tape),
                }
            })
            .collect()
    }
}

/// What the page of comparisons loads of this run.
fn write_compared(files: &mut Files<'_>, sources: &Sources<'_>) -> Result<(), Unwritten> {
    let writeup = sources
        .review
        .map(|review| outline::blocks(&review.body, compare::WRITEUP));
    let script = feeds::script::call("run", &compare::data(sources, writeup))
        .map_err(|error| unwritten("compare.js", &error.into()))?;
    files.write(&links::run_file(&sources.entry.slug, "compare.js"), &script)?;
    for index in 1..sources.tapes.len() {
        let name = format!("compare-{}.js", index + 1);
        let script = feeds::script::call("run", &compare::tape(sources, index))
            .map_err(|error| unwritten(&name, &error.into()))?;
        files.write(&links::run_file(&sources.entry.slug, &name), &script)?;
    }
    Ok(())
}

/// How much of the description of a showcase the page shows, in bytes.
const DESCRIPTION: usize = 64 * 1024;

/// The beginning of a text, and whether there is more.
fn beginning(text: &str) -> (&str, bool) {
    let end = text.floor_char_boundary(DESCRIPTION.min(text.len()));
    (&text[..end], end < text.len())
}
