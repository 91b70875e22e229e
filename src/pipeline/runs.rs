//! Knows what happens to one run: its files are read, checked, shown, written and forgotten.

mod archive;
mod downloads;
mod files;
mod output;

use crate::diagnostics::{self, Checked, Diagnostic};
use crate::discover::RunDirectory;
use crate::feeds;
use crate::inspect::{self, Inspected};
use crate::load;
use crate::model::archive::Entry;
use crate::model::findings::{Filed, Findings, Glimpse, Slice, Spooled, ThreadCounts};
use crate::model::implementation::Implementation;
use crate::model::surroundings::Surroundings;
use crate::model::time;
use crate::publish::Stage;
use crate::render::markdown;
use crate::site::Site;
use crate::view::annotations;
use crate::view::timeline::Layout;

use self::files::{Files, Unwritten};
use self::output::RunOutput;
use super::flight::{Flight, guarded};
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
    (output, flight): (Option<Output<'_>>, &Flight),
) -> Result<Processed, Diagnostic> {
    let (entry, directory, _) = run_of(gathered, index);
    let _flying = flight.begin(load::weight(directory));
    guarded(directory, || made(site, gathered, index, output)).unwrap_or_else(|problem| {
        Ok(Processed {
            problems: vec![problem.of_run(&entry.run.id)],
            ..Processed::default()
        })
    })
}

fn made(
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
    let mut inspected =
        inspect::files(&site.config, directory, Some(&entry.run), &files).unpack(&mut problems);
    inspected.implementation = implementation(site, directory, &mut problems);
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
            directory,
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
        let mut files = Files::new(output.stage, &site.config.limits, directory);
        let writeup = match page.write(&mut files, output.renderer, &noticed) {
            Ok(writeup) => writeup,
            Err(Unwritten::Site(problem)) => return Err(problem),
            Err(Unwritten::Run(problem)) => {
                problems.push(problem.of_run(&entry.run.id));
                diagnostics::sort(&mut problems);
                return Ok(Processed {
                    findings,
                    problems,
                    trace: None,
                });
            }
        };
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
pub(super) fn check_only(
    site: &Site,
    gathered: &Gathered,
    directory: usize,
    flight: &Flight,
) -> Vec<Diagnostic> {
    let Some(record) = gathered.records[directory].as_ref() else {
        return Vec::new();
    };
    let folder = &gathered.directories[directory];
    let _flying = flight.begin(load::weight(folder));
    let noticed = guarded(folder, || {
        let (files, mut problems) = load::run(folder, record, &site.config.limits);
        let _ = inspect::files(&site.config, folder, None, &files).unpack(&mut problems);
        implementation(site, folder, &mut problems);
        problems
    });
    let problems = noticed.unwrap_or_else(|problem| vec![problem]);
    match &gathered.ids[directory] {
        Some(id) => problems
            .into_iter()
            .map(|problem| problem.of_run(id))
            .collect(),
        None => problems,
    }
}

/// Reads the working tree. A review thread may have met the same fault in the same file before.
fn implementation(
    site: &Site,
    directory: &RunDirectory,
    problems: &mut Vec<Diagnostic>,
) -> Implementation {
    let Checked { value, diagnostics } = inspect::implementation(&site.config, directory);
    for problem in diagnostics {
        let is_same = |told: &Diagnostic| told.code == problem.code && told.place == problem.place;
        if !problems.iter().any(is_same) {
            problems.push(problem);
        }
    }
    value
}

fn findings(inspected: &Inspected<'_>, layouts: &[Layout<'_>]) -> Findings {
    let mut findings = Findings {
        rating: inspected.review.as_ref().and_then(|review| review.rating),
        events: (!inspected.tapes.is_empty())
            .then(|| inspected.tapes.iter().map(|tape| tape.events.len()).sum()),
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

fn unwritten(path: &str, error: &std::io::Error) -> Diagnostic {
    diagnostics::codes::PUBLISH_IO.at(
        diagnostics::Place::file(path),
        format!("The document could not be written: {error}"),
        "This is a fault of runpress; please report it.",
    )
}
