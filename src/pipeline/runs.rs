//! Knows what happens to one run: its files are read, checked, shown, written and forgotten.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostics::{self, Diagnostic};
use crate::feeds;
use crate::inspect::{self, Inspected};
use crate::load::{self, RunFiles};
use crate::markup::Origin;
use crate::model::archive::Entry;
use crate::model::details::Details;
use crate::model::findings::{Filed, Findings, Glimpse, Slice, Spooled, ThreadCounts};
use crate::model::surroundings::Surroundings;
use crate::model::time;
use crate::publish::{Kept, Stage};
use crate::render::markdown::{self, Context};
use crate::render::templates::Renderer;
use crate::render::{Html, outline, strip as strip_svg, timeline as timeline_html, tree};
use crate::site::Site;
use crate::view::chrome::{PageInfo, Script};
use crate::view::run::{OwnWords, PRIOR, Parts, Sources, StripView};
use crate::view::timeline::Layout;
use crate::view::{annotations, compare, discussion, links, run as run_view, strip, timeline};

use super::memory::Trace;
use super::{Gathered, Output, is_newest, run_of};

/// Annotations of one run that the home page may show: few, so that one busy run does not fill it.
const GLIMPSES: usize = 2;

/// What came of a run.
#[derive(Debug, Default)]
pub(super) struct Processed {
    pub(super) findings: Findings,
    pub(super) problems: Vec<Diagnostic>,
    /// What its pages were made of, if they were made and may be remembered.
    pub(super) trace: Option<Trace>,
}

/// Reads, checks and (with an output) writes the run at `index` of the archive, or takes it over from what is remembered.
///
/// # Errors
/// The site cannot be written, or a template cannot be rendered.
pub(super) fn process(
    site: &Site,
    gathered: &Gathered,
    index: usize,
    output: Option<Output<'_>>,
) -> Result<Processed, Diagnostic> {
    let (entry, directory, record) = run_of(gathered, index);
    let Some(record) = record else {
        return Ok(Processed::default());
    };
    if let Some(output) = output
        && let Some(memory) = output.memory
        && let Some(known) =
            memory.recall(gathered, (index, is_newest(site, index)), output.stage)?
    {
        return Ok(known);
    }
    let (files, mut problems) = load::run(directory, record, &site.config.limits);
    let inspected =
        inspect::files(&site.config, directory, Some(&entry.run), &files).unpack(&mut problems);
    let details = inspect::details(record, inspected.tapes.first()).unpack(&mut problems);
    problems = problems
        .into_iter()
        .map(|problem| problem.of_run(&entry.run.id))
        .collect();
    diagnostics::sort(&mut problems);
    let layouts = Layout::of(&site.config, &entry.slug, &inspected.tapes);
    let mut findings = findings(&inspected, &layouts);
    let text = String::from_utf8_lossy(diagnostics::without_mark(&record.bytes));
    findings.imprint = inspect::imprint(&text, &files, &inspected);
    // A run with errors is never published, so its pages need not be made.
    let mut trace = None;
    if let Some(output) = output.filter(|_| !problems.iter().any(Diagnostic::is_error)) {
        let prior = details.prior_entries.iter();
        let named = prior.filter_map(|prior| prior.run.as_deref());
        let surroundings = Surroundings::of(&gathered.archive, index, named);
        let page = RunOutput {
            site,
            gathered,
            index,
            files: &files,
            inspected: &inspected,
            details: &details,
            layouts: &layouts,
            record: &text,
            surroundings: &surroundings,
        };
        let mut noticed = gathered
            .noticed
            .get(&entry.directory)
            .cloned()
            .unwrap_or_default();
        noticed.extend(problems.iter().cloned());
        diagnostics::sort(&mut noticed);
        let mut files = Files {
            stage: output.stage,
            written: Vec::new(),
        };
        let writeup = page.write(&mut files, output.renderer, &noticed)?;
        findings.spooled = spool(output.stage, entry, &inspected, &layouts)?;
        let is_newest = is_newest(site, index);
        if is_newest && inspected.review.is_some() {
            findings.writeup_html = Some(writeup.as_str().to_owned());
        }
        let files = files.written;
        trace = gathered.looks[entry.directory].map(|look| Trace {
            look,
            surroundings,
            is_newest,
            files,
        });
    }
    Ok(Processed {
        findings,
        problems,
        trace,
    })
}

/// Checks the files beside a record that is not valid.
pub(super) fn check_only(site: &Site, gathered: &Gathered, directory: usize) -> Vec<Diagnostic> {
    let Some(record) = gathered.records[directory].as_ref() else {
        return Vec::new();
    };
    let folder = &gathered.directories[directory];
    let (files, mut problems) = load::run(folder, record, &site.config.limits);
    let _ = inspect::files(&site.config, folder, None, &files).unpack(&mut problems);
    match &gathered.ids[directory] {
        Some(id) => problems
            .into_iter()
            .map(|problem| problem.of_run(id))
            .collect(),
        None => problems,
    }
}

fn findings(inspected: &Inspected<'_>, layouts: &[Layout<'_>]) -> Findings {
    let mut findings = Findings {
        rating: inspected.review.as_ref().and_then(|review| review.rating),
        events: inspected.tapes.iter().map(|tape| tape.events.len()).sum(),
        threads: inspected.threads.as_ref().map(|threads| ThreadCounts {
            channel: threads.channel.clone(),
            threads: threads.threads.len(),
            entries: threads.entry_count(),
        }),
        ..Findings::default()
    };
    let mut newest = Vec::new();
    for (sidecar, layout) in inspected.sidecars.iter().zip(layouts) {
        let Some(sidecar) = sidecar else { continue };
        findings.annotations.merge(&sidecar.report.kind_counts);
        for (index, annotation) in sidecar.annotations.iter().enumerate() {
            let Some(position) = layout.position(annotation.event) else {
                continue;
            };
            let at = annotation
                .timestamp
                .as_deref()
                .and_then(time::parse_rfc3339);
            newest.push((at, annotation, position, layout, index));
        }
    }
    newest.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    newest.truncate(GLIMPSES);
    findings.newest = newest
        .into_iter()
        .map(|(at, annotation, position, layout, index)| Glimpse {
            kind: annotation.kind.word().to_owned(),
            evidence: markdown::plain(annotation.evidence.as_deref().unwrap_or_default(), 160),
            href: layout.href(
                "index.html",
                position,
                &layout.annotation_anchor(annotation, index),
            ),
            at,
        })
        .collect();
    findings
}

/// Characters of evidence on the pages of all annotations.
const EVIDENCE: usize = 400;

/// Puts the run's annotations aside for the feeds and pages of the whole archive.
fn spool(
    stage: &Stage,
    entry: &Entry,
    inspected: &Inspected<'_>,
    layouts: &[Layout<'_>],
) -> Result<Spooled, Diagnostic> {
    let lines = feeds::annotations::lines(&entry.run, &inspected.tapes, &inspected.sidecars)
        .map_err(|error| unwritten("annotations.jsonl", &error.into()))?;
    let mut spooled = Spooled {
        lines: stage.spool.put(&lines.all)?,
        friction: stage.spool.put(&lines.friction)?,
        hypotheses: stage.spool.put(&lines.hypotheses)?,
        anchors: stage.spool.put(&lines.anchors)?,
        cards: Vec::new(),
        writeup: Slice::default(),
    };
    if let Some(review) = &inspected.review {
        let text = markdown::plain(&review.body, feeds::search::WRITEUP);
        spooled.writeup = stage.spool.put(text.as_bytes())?;
    }
    let annotated = inspected.tapes.iter().zip(layouts).zip(&inspected.sidecars);
    for ((tape, layout), sidecar) in annotated {
        let annotations = sidecar.iter().flat_map(|sidecar| &sidecar.annotations);
        for (index, annotation) in annotations.enumerate() {
            let Some(position) = layout.position(annotation.event) else {
                continue;
            };
            let evidence =
                markdown::plain(annotation.evidence.as_deref().unwrap_or_default(), EVIDENCE);
            let (card, kind, group) = annotations::card(
                entry,
                (tape, layout),
                (index, annotation),
                position,
                evidence,
            );
            let card = serde_json::to_vec(&card)
                .map_err(|error| unwritten("annotations", &error.into()))?;
            let card = stage.spool.put(&card)?;
            spooled.cards.push(Filed { kind, group, card });
        }
    }
    Ok(spooled)
}

struct RunOutput<'a> {
    site: &'a Site,
    gathered: &'a Gathered,
    index: usize,
    files: &'a RunFiles,
    inspected: &'a Inspected<'a>,
    details: &'a Details,
    layouts: &'a [Layout<'a>],
    record: &'a str,
    surroundings: &'a Surroundings,
}

/// Writes the files of one run and notes them down.
struct Files<'a> {
    stage: &'a Stage,
    written: Vec<Kept>,
}

impl Files<'_> {
    fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
        self.stage.write(path, bytes)?;
        self.written.push(Kept {
            path: path.to_owned(),
            bytes: bytes.len() as u64,
        });
        Ok(())
    }
}

impl RunOutput<'_> {
    /// Writes the pages and files of the run; gives the writeup, which the feed of the newest runs carries.
    fn write(
        &self,
        files: &mut Files<'_>,
        renderer: &Renderer,
        problems: &[Diagnostic],
    ) -> Result<Html, Diagnostic> {
        let config = &self.site.config;
        let entry = &self.gathered.archive.runs[self.index];
        let downloads = self.write_downloads(files, &entry.slug)?;
        self.write_assets(files, &entry.slug)?;
        let mut digests = self.files.digests.clone();
        digests.extend(self.inspected.referenced.iter().cloned());
        digests.sort_by(|a, b| a.path.cmp(&b.path));
        digests.dedup();
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
            record: self.record,
            downloads: &downloads,
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
        let mut json = Vec::with_capacity(16 * 1024);
        feeds::run::document(&document)
            .map_err(std::io::Error::from)
            .and_then(|document| feeds::write_pretty(&mut json, &document))
            .map_err(|error| unwritten("run.json", &error))?;
        files.write(&links::run_file(&entry.slug, "run.json"), &json)?;

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
                entries: self.thread_entries(),
                own_words: self.own_words(),
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
        };
        files.write(&info.path, &renderer.page("run.html", &info, &view)?)?;
        Ok(writeup)
    }

    /// Public assets of the transcript, each once, under names that say what they hold.
    fn write_assets(&self, files: &mut Files<'_>, slug: &str) -> Result<(), Diagnostic> {
        let assets = self
            .inspected
            .conversation
            .iter()
            .flat_map(|conversation| &conversation.assets);
        let assets: BTreeMap<&str, &[u8]> = assets
            .filter_map(|asset| asset.file.as_ref())
            .map(|file| (file.name.as_str(), file.bytes.as_slice()))
            .collect();
        for (name, bytes) in assets {
            files.write(&links::run_file(slug, &format!("assets/{name}")), bytes)?;
        }
        Ok(())
    }

    /// Event logs, tapes and sidecars, byte for byte as they were checked.
    fn write_downloads(
        &self,
        files: &mut Files<'_>,
        slug: &str,
    ) -> Result<Vec<String>, Diagnostic> {
        if !self.site.config.policy.publish_events {
            return Ok(Vec::new());
        }
        let downloads = self
            .files
            .events
            .iter()
            .chain(&self.files.tapes)
            .chain(&self.files.sidecars);
        downloads
            .map(|file| {
                files.write(&links::run_file(slug, &file.name), &file.bytes)?;
                Ok(file.name.clone())
            })
            .collect()
    }

    /// Writes the further pages of every tape and gives the first of each.
    fn write_timelines(
        &self,
        files: &mut Files<'_>,
        renderer: &Renderer,
        sources: &Sources<'_>,
    ) -> Result<Vec<Html>, Diagnostic> {
        let mut first = Vec::with_capacity(self.layouts.len());
        let mut texts = BTreeSet::new();
        for ((tape, sidecar), layout) in self
            .inspected
            .tapes
            .iter()
            .zip(&self.inspected.sidecars)
            .zip(self.layouts)
        {
            for number in 1..=layout.pages() {
                let (page, long) =
                    timeline::page(&self.site.config, layout, sidecar.as_ref(), number);
                let html = timeline_html::render(&page);
                for text in long {
                    // A payload that several events refer to is written once.
                    if texts.insert(text.path.clone()) {
                        files.write(&text.path, text.text.as_bytes())?;
                    }
                }
                if number == 1 {
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
                    json_ld: None,
                    size_hint: view.html.as_str().len(),
                };
                files.write(&info.path, &renderer.page("events.html", &info, &view)?)?;
            }
        }
        Ok(first)
    }

    /// Address of an event of the run's first tape: what writeups and threads mean by a number.
    fn event_href(&self, page: &str, number: u64) -> Option<String> {
        self.layouts.first()?.numbered_href(page, number)
    }

    /// The Markdown entries of the review threads; plain text stays plain.
    fn thread_entries(&self) -> Vec<Vec<Option<Html>>> {
        let path = links::run(&self.gathered.archive.runs[self.index].slug);
        let events = |number| self.event_href(&path, number);
        let threads = self
            .inspected
            .threads
            .iter()
            .flat_map(|threads| &threads.threads);
        threads
            .enumerate()
            .map(|(index, thread)| {
                let anchor = discussion::thread_anchor(index);
                let entries = thread.entries.iter().enumerate();
                entries
                    .map(|(number, entry)| {
                        let scope = format!("{anchor}-{number}");
                        let context = Context {
                            scope: &scope,
                            shift: 3,
                            origin: Origin::Run(&events),
                        };
                        entry
                            .markdown
                            .then(|| markdown::render(&entry.text, context))
                    })
                    .collect()
            })
            .collect()
    }

    /// What the run says of itself, as prose.
    fn own_words(&self) -> OwnWords {
        let path = links::run(&self.gathered.archive.runs[self.index].slug);
        let events = |number| self.event_href(&path, number);
        let render = |text: &String, scope: &str| {
            let origin = Origin::Run(&events);
            let (text, rest) = beginning(text);
            let context = Context {
                scope,
                shift: 3,
                origin,
            };
            if rest {
                let text = format!("{text}\n\n(cut here; all of it stands in run.json)");
                markdown::render(&text, context)
            } else {
                markdown::render(text, context)
            }
        };
        let details = self.details;
        let showcase = details.showcase.as_ref();
        OwnWords {
            showcase: showcase
                .and_then(|showcase| showcase.description.as_ref())
                .map(|text| render(text, "s")),
            readme: details
                .game_jam_readme
                .as_ref()
                .map(|text| render(text, "j")),
            prior: details
                .prior_entries
                .iter()
                .take(PRIOR)
                .enumerate()
                .map(|(index, entry)| {
                    let readme = entry.readme.as_ref();
                    readme.map(|text| render(text, &format!("p{index}")))
                })
                .collect(),
        }
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
fn write_compared(files: &mut Files<'_>, sources: &Sources<'_>) -> Result<(), Diagnostic> {
    let writeup = sources
        .review
        .map(|review| outline::blocks(&review.body, compare::WRITEUP));
    let script = feeds::script::call("run", &compare::data(sources, writeup))
        .map_err(|error| unwritten("compare.js", &error.into()))?;
    files.write(&links::run_file(&sources.entry.slug, "compare.js"), &script)
}

/// How much of one text that a run wrote about itself its page shows, in bytes.
const OWN_WORDS: usize = 64 * 1024;

/// The beginning of a text, and whether there is more.
fn beginning(text: &str) -> (&str, bool) {
    let end = text.floor_char_boundary(OWN_WORDS.min(text.len()));
    (&text[..end], end < text.len())
}

fn unwritten(path: &str, error: &std::io::Error) -> Diagnostic {
    diagnostics::codes::PUBLISH_IO.at(
        diagnostics::Place::file(path),
        format!("The document could not be written: {error}"),
        "This is a fault of runpress; please report it.",
    )
}
