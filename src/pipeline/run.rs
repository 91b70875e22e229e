//! Knows the way of one run: load → parse → check → model → view → render → stage. After that only a [`KeptRun`] is left of it.

mod assets;
mod compare;
mod document;
mod downloads;
mod events;
mod files;
mod findings;
mod implementation;
mod page;
mod spooled;

use crate::diagnostics::{self, Diagnostic, Place, codes};
use crate::discover::RunDirectory;
use crate::formats::run_record;
use crate::inspect::{self, Inspected};
use crate::links;
use crate::load::{self, RunFiles};
use crate::markup::Html;
use crate::markup::Origin;
use crate::markup::markdown::{self, Context};
use crate::model::FileDigest;
use crate::model::run::Run;
use crate::model::surroundings::Surroundings;
use crate::render::templates::Renderer;
use crate::site::Site;
use crate::view::run::Sources;
use crate::view::timeline::Layout;

use self::files::{Files, Unwritten};
use super::gather::Gathered;
use super::kept::{KeptPages, KeptRun};
use super::runs::Output;

/// Writes files of a run.
type Artifact = fn(&CheckedRun<'_>, &mut Files<'_>) -> Result<(), Unwritten>;

/// Everything that is published of a run, in the order in which it is written.
const ARTIFACTS: [Artifact; 7] = [
    downloads::write,      // events.jsonl, tapes and sidecars, by their names
    assets::write,         // assets/<name>
    implementation::write, // implementation.tar.gz
    document::write,       // run.json
    compare::write,        // compare.js, compare-<tape>.js
    events::write,         // events/<page>/index.html, text/<name>.txt
    page::write,           // index.html
];

/// A run without errors, and everything that its pages and files are made of.
struct CheckedRun<'a> {
    site: &'a Site,
    renderer: &'a Renderer,
    place: &'a RunDirectory,
    files: &'a RunFiles,
    inspected: &'a Inspected<'a>,
    /// As written.
    record: &'a str,
    /// Of all its files, sorted.
    problems: &'a [Diagnostic],
    writeup: &'a Html,
    /// What its pages show.
    sources: Sources<'a>,
}

impl CheckedRun<'_> {
    /// Path of a file in the folder of the run.
    fn path(&self, name: &str) -> String {
        links::run_file(&self.sources.entry.slug, name)
    }
}

/// Reads, checks and (with an output) stages the run at `index` of the archive, or reuses its pages.
///
/// # Errors
/// The site cannot be written, or a template cannot be rendered.
pub(super) fn process(
    site: &Site,
    gathered: &Gathered,
    index: usize,
    output: Option<Output<'_>>,
) -> Result<KeptRun, Diagnostic> {
    let entry = &gathered.archive.runs[index];
    let directory = gathered.directory(entry);
    let Some(record) = &directory.record else {
        return Ok(KeptRun::default());
    };
    let is_newest = index < site.config.feeds.items;
    let memory = output.and_then(|output| Some((output.memory?, output.stage)));
    if let Some((memory, stage)) = memory
        && let Some(kept) = memory.recall(gathered, (index, is_newest), stage)?
    {
        return Ok(kept);
    }

    // Load.
    let (files, mut problems) = load::run(&directory.place, record, &site.config.limits);
    // Parse, check, model.
    let run = Some(&entry.run);
    let inspected = inspected(site, &directory.place, run, &files, &mut problems);
    let details = inspect::details(record, inspected.tapes.first()).unpack(&mut problems);
    let problems = sorted(
        problems
            .into_iter()
            .map(|problem| problem.of_run(&entry.run.id)),
    );
    let layouts = Layout::of(&site.config, &entry.slug, &inspected.tapes);
    let record = String::from_utf8_lossy(diagnostics::without_mark(&record.bytes));
    let mut kept = KeptRun {
        findings: findings::of(&inspected, &layouts),
        problems,
        pages: None,
    };
    kept.findings.imprint = inspect::imprint(&record, &files, &inspected);

    // A run with errors is never published.
    let Some(output) = output.filter(|_| !kept.has_errors()) else {
        return Ok(kept);
    };
    // View, render, stage.
    let named = details
        .prior_entries
        .iter()
        .filter_map(|prior| prior.run.as_deref());
    let surroundings = Surroundings::of(&gathered.archive, index, named);
    let downloads = downloads::names(site, &files);
    let writeup = match &inspected.review {
        Some(review) => prose(&layouts, &entry.slug, ("w", 2), &review.body),
        None => Html::default(),
    };
    let run = CheckedRun {
        site,
        renderer: output.renderer,
        place: &directory.place,
        files: &files,
        inspected: &inspected,
        record: &record,
        problems: &sorted(directory.problems.iter().chain(&kept.problems).cloned()),
        writeup: &writeup,
        sources: Sources {
            config: &site.config,
            surroundings: &surroundings,
            entry,
            details: &details,
            review: inspected.review.as_ref(),
            reconciliation: inspected.reconciliation.as_ref(),
            tapes: &inspected.tapes,
            sidecars: &inspected.sidecars,
            layouts: &layouts,
            conversation: inspected.conversation.as_ref(),
            threads: inspected.threads.as_ref(),
            files: &digests(&files, &inspected),
            record: &run_record::displayed(&record),
            downloads: &downloads,
            archive: None,
        },
    };
    let mut written = Files::new(output.stage, &site.config.limits, &directory.place);
    match ARTIFACTS
        .iter()
        .try_for_each(|write| write(&run, &mut written))
    {
        Ok(()) => {}
        Err(Unwritten::Site(problem)) => return Err(problem),
        Err(Unwritten::Run(problem)) => {
            let problem = problem.of_run(&entry.run.id);
            kept.problems = sorted(kept.problems.into_iter().chain([problem]));
            return Ok(kept);
        }
    }
    kept.findings.spooled = spooled::write(output.stage, entry, &inspected, &layouts)?;
    if is_newest && inspected.review.is_some() {
        kept.findings.writeup_html = Some(writeup.as_str().to_owned());
    }
    kept.pages = directory.fingerprint.map(|fingerprint| KeptPages {
        fingerprint,
        surroundings,
        is_newest,
        files: written.written,
        problems: kept.problems.clone(),
    });
    Ok(kept)
}

/// Parses and checks the files beside a record; without a `run` its record is not valid.
pub(super) fn inspected<'a>(
    site: &Site,
    place: &RunDirectory,
    run: Option<&Run>,
    files: &'a RunFiles,
    problems: &mut Vec<Diagnostic>,
) -> Inspected<'a> {
    let mut inspected = inspect::files(&site.config, place, run, files).unpack(problems);
    let mut found = Vec::new();
    inspected.implementation = inspect::implementation(&site.config, place).unpack(&mut found);
    for problem in found {
        // A review thread may have reported the same fault in the same file.
        let is_same =
            |known: &Diagnostic| known.code == problem.code && known.place == problem.place;
        if !problems.iter().any(is_same) {
            problems.push(problem);
        }
    }
    inspected
}

/// Digests of all files of a run, each once.
fn digests(files: &RunFiles, inspected: &Inspected<'_>) -> Vec<FileDigest> {
    let published = inspected
        .implementation
        .files
        .iter()
        .map(|file| &file.digest);
    let all = files
        .digests
        .iter()
        .chain(&inspected.referenced)
        .chain(published);
    let mut digests: Vec<_> = all.cloned().collect();
    digests.sort_by(|a, b| a.path.cmp(&b.path));
    digests.dedup();
    digests
}

/// Markdown of a run as its page shows it: ids begin with the scope, headings are shifted.
fn prose(layouts: &[Layout<'_>], slug: &str, (scope, shift): (&str, usize), text: &str) -> Html {
    let page = links::run(slug);
    // Writeups and threads mean events of the first tape.
    let events = |number| layouts.first()?.numbered_href(&page, number);
    let context = Context {
        scope,
        shift,
        origin: Origin::Run(&events),
    };
    markdown::render(text, context)
}

fn sorted(problems: impl Iterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let mut problems = problems.collect();
    diagnostics::sort(&mut problems);
    problems
}

fn unwritten(path: &str, error: &std::io::Error) -> Diagnostic {
    codes::PUBLISH_IO.at(
        Place::file(path),
        format!("The document could not be written: {error}"),
        "This is a fault of runpress; please report it.",
    )
}
