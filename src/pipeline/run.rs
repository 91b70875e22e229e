//! The pipeline of one run: load → parse → check → model → view → render → stage. Afterwards only a [`RunSummary`] remains.

mod assets;
mod card;
mod document;
mod downloads;
mod events;
mod files;
mod findings;
mod implementation;
mod page;
mod rules;
pub(super) mod secrets;
mod story;
mod texts;

use crate::site::Site;
use ::secrets::ScanReport;
use base::diagnostics::{self, Diagnostic, Place, codes};
use base::links::{self, Slug};
use content::discover::RunDirectory;
use content::inspect::{self, Inspection};
use content::load::{self, LoadedFile, RunFiles};
use content::rules as checks;
use formats::model::FileDigest;
use formats::model::archive_context::ArchiveContext;
use formats::model::findings::PackedDigests;
use formats::model::rule_result::RuleResult;
use formats::model::run::Run;
use formats::run_record::{self, RunRecord};
use markup::Html;
use markup::MarkdownOrigin;
use markup::markdown::{self, MarkdownContext};
use pages::render::templates::Renderer;
use pages::view::run::CheckedRun;
use pages::view::timeline::Layout;
use store::publish::Stage;

use self::files::{RunStage, StageError};
use super::cache::CacheUpdate;
use super::gather::SiteContent;
use super::summary::{self, RunSummary};

/// The output of run pages, and what renders them.
#[derive(Debug, Clone, Copy)]
pub(super) struct SiteOutput<'a> {
    pub(super) stage: &'a Stage,
    pub(super) renderer: &'a Renderer,
    /// `None` in a check.
    pub(super) cache: Option<&'a CacheUpdate<'a>>,
}

/// Writes files of a run.
type Artifact = fn(&CheckedRun<'_>, &mut RunStage<'_>) -> Result<(), StageError>;

/// All published files of a run, in the order of writing.
const ARTIFACTS: [Artifact; 8] = [
    downloads::write,      // events.jsonl, tapes and sidecars, under their own names
    assets::write,         // assets/<name>: from the transcript, and the images of the record
    implementation::write, // implementation.tar.gz
    document::write,       // run.json
    events::write,         // events/<page>/index.html, events/<page>.js, text/<name>.txt
    page::write,           // index.html, run.md
    story::write,          // story/index.html
    card::write,           // og.png
];

/// The checked contents of the files of a run.
struct RunContents<'a> {
    files: &'a RunFiles,
    inspection: Inspection<'a>,
    details: RunRecord<'a>,
    /// What the site's rules say of the run; empty if it is checked on its own.
    rules: Vec<RuleResult>,
    /// What the scan for secrets found.
    scanned: ScanReport,
}

/// Takes the run at `index` of the archive through all stages, or reuses its pages. Without `output`, it is only checked.
pub(super) fn process(
    site: &Site,
    gathered: &SiteContent,
    index: usize,
    output: Option<SiteOutput<'_>>,
) -> Result<RunSummary, Diagnostic> {
    let entry = &gathered.archive.runs[index];
    let directory = gathered.directory(entry);
    let is_newest = index < site.config.feeds.items;
    let rules_digest = site.rules.digest(&entry.run.subject);
    if let Some(output) = output
        && let Some(cache) = output.cache
        && let Some(summary) =
            cache.reuse(gathered, index, is_newest, rules_digest, output.stage)?
    {
        return Ok(summary);
    }
    let record = &match directory.load(site) {
        Some(Ok(record)) => record,
        Some(Err(problem)) => return Ok(RunSummary::of_problem(problem)),
        None => return Ok(RunSummary::default()),
    };
    let (files, mut problems) = load::run(&directory.place, record, &site.config.limits);
    problems.extend(files.redactions.verify(&site.root, &entry.run.id));
    let (id, run) = (&*entry.run.id, Some(&*entry.run));
    let mut contents = RunContents::check(site, record, id, run, &files, &mut problems);
    let inspection = &contents.inspection;
    let place = &directory.place;
    contents.rules = rules::check(site, place, &entry.run, &files, inspection, &mut problems);
    problems.extend(
        checks::decisions::check_events(entry, inspection.tapes.first())
            .map(|problem| problem.of_run(id)),
    );
    checks::expected::lower(&site.config, id, &place.shown, &mut problems);
    let problems = sorted(problems.into_iter());
    let mut summary = RunSummary {
        findings: findings::of(
            &site.config,
            &entry.run,
            gathered.archive.cases[entry.case].text.title.as_deref(),
            &contents.inspection,
            &contents.rules,
        ),
        problems: problems.clone(),
        used_allowances: contents.scanned.used.clone(),
        is_checked: true,
        ..RunSummary::default()
    };
    // A run with errors is never published.
    let output = output.filter(|_| !summary.has_errors());
    let published =
        output.map(|output| contents.publish(site, gathered, index, record, output, &mut summary));
    match published {
        Some(Err(StageError::Site(problem))) => return Err(problem),
        Some(Err(StageError::Run(problem))) => {
            summary.problems = sorted(problems.into_iter().chain([problem.of_run(id)]));
        }
        Some(Ok(())) | None => {}
    }
    Ok(summary)
}

impl<'a> RunContents<'a> {
    /// Parses and checks the files. `run` is `None` if the record is invalid.
    fn check(
        site: &Site,
        record: &'a LoadedFile,
        id: &str,
        run: Option<&Run>,
        files: &'a RunFiles,
        problems: &mut Vec<Diagnostic>,
    ) -> Self {
        let config = &site.config;
        let mut inspection = inspect::files(config, run, files).unpack(problems);
        let mut found = Vec::new();
        inspection.implementation = inspect::implementation(config, files).unpack(&mut found);
        for problem in found {
            // A review thread may have reported the same problem in the same file.
            let is_same =
                |known: &Diagnostic| known.code == problem.code && known.place == problem.place;
            if !problems.iter().any(is_same) {
                problems.push(problem);
            }
        }
        let mut details = RunRecord::default();
        if let Some(run) = run {
            details = inspect::details(record, inspection.tapes.first()).unpack(problems);
            if files.writeup.is_none() {
                problems.extend(checks::review::check_missing(
                    config,
                    run,
                    &details,
                    &files.directory.shown,
                ));
            }
            if let Some(audit) = &inspection.audit {
                problems.extend(checks::audit::check_record(
                    &files.directory.shown,
                    &details,
                    audit,
                ));
            }
            problems.extend(inspect::pictures(
                config,
                files,
                record,
                &details,
                &mut inspection,
            ));
        }
        let scanned = secrets::scan(site, id, record, files, &inspection, problems);
        Self {
            files,
            inspection,
            details,
            rules: Vec::new(),
            scanned,
        }
    }

    /// Renders and stages the files of the run.
    fn publish(
        &self,
        site: &Site,
        gathered: &SiteContent,
        index: usize,
        record: &LoadedFile,
        output: SiteOutput<'_>,
        summary: &mut RunSummary,
    ) -> Result<(), StageError> {
        let archive = &gathered.archive;
        let entry = &archive.runs[index];
        let directory = gathered.directory(entry);
        let is_newest = index < site.config.feeds.items;
        let (config, inspection) = (&site.config, &self.inspection);
        let layouts = &Layout::of(config, &entry.slug, &inspection.tapes);
        let record = &String::from_utf8_lossy(diagnostics::without_mark(&record.bytes));
        let prior = self.details.game_jam_prior_entries.iter();
        let named = prior.filter_map(|prior| prior.run_id.as_deref());
        let archive_context = ArchiveContext::of(archive, index, named);
        let review = inspection.review.as_ref();
        let writeup = review.map_or_else(Html::default, |review| {
            let page = links::run(&entry.slug);
            let events = |number| layouts.first()?.numbered_href(&page, number);
            let context = MarkdownContext {
                scope: "w",
                shift: 2,
                origin: MarkdownOrigin::Writeup(&events),
            };
            markdown::render(&review.body, context)
        });
        let digests = digests(self.files, inspection);
        let problems = directory.record.diagnostics.iter().chain(&summary.problems);
        let run = CheckedRun {
            config,
            archive_context: &archive_context,
            entry,
            task: &summary.findings.task.clone(),
            details: &self.details,
            record,
            displayed_record: &run_record::displayed(record),
            files: self.files,
            inspection,
            layouts,
            writeup: &writeup,
            problems: &sorted(problems.cloned()),
            digests: &digests,
            site_rules: &site.rules,
            rules: &self.rules,
            withheld: &self.files.redactions.to_published(),
            downloads: &downloads::names(config, self.files, inspection),
            archive: None,
        };
        let mut files = RunStage::new(output, &run);
        for write in ARTIFACTS {
            write(&run, &mut files)?;
        }
        let of_run = inspect::digests(record, self.files, inspection);
        let findings = &mut summary.findings;
        findings.digests = PackedDigests::of(&of_run);
        findings.cards = texts::cards(&run);
        findings.thread_cards = texts::thread_cards(&run);
        (findings.newest, findings.quote) = findings::newest(&findings.cards);
        if is_newest && review.is_some() {
            findings.writeup_html = Some(writeup.as_str().to_owned());
        }
        // A check writes no feeds and no data for scripts.
        let Some(cache) = output.cache else {
            return Ok(());
        };
        let texts = texts::of(&run)?;
        findings.compared = texts.compared.iter().map(String::len).collect();
        summary.facets = summary::facets(findings, &texts);
        let mut inputs = gathered.roots.of(&directory.place).and_then(load::inputs);
        if let Some(inputs) = &mut inputs {
            load::note_digests(inputs, &digests);
        }
        let paths: Vec<String> = files.written.into_iter().map(|(path, _)| path).collect();
        let run = RunSummary {
            inputs,
            archive_context: summary::digest(&archive_context),
            named: archive_context.named.keys().cloned().collect(),
            is_newest,
            rules: site.rules.digest(&entry.run.subject),
            files: output.stage.output_files(&paths),
            ..std::mem::take(summary)
        };
        *summary = cache.add(run, &texts.bytes())?;
        Ok(())
    }
}

/// Path of a file in the folder of the run.
fn path(run: &CheckedRun<'_>, name: &str) -> String {
    links::run_file(&run.entry.slug, name)
}

/// Checks one run on its own, and scans it for secrets. `run` is `None` if the record is invalid.
pub(super) fn check_alone(
    site: &Site,
    place: &RunDirectory,
    record: &LoadedFile,
    id: &str,
    run: Option<&Run>,
    pending: Option<&[u8]>,
) -> (Vec<Diagnostic>, ScanReport) {
    let (files, mut problems) = load::run_with(place, record, &site.config.limits, pending);
    let contents = RunContents::check(site, record, id, run, &files, &mut problems);
    (problems, contents.scanned)
}

/// Checks and scans a run on its own, with these bytes as `redactions.jsonl`.
pub fn with_redactions(
    site: &Site,
    place: &RunDirectory,
    pending: &[u8],
) -> Result<(Vec<Diagnostic>, ScanReport), Diagnostic> {
    let file = load::record_with(place, &site.config.limits, Some(pending))?;
    let record = inspect::record(&file);
    let id = record.id.as_deref().unwrap_or_default();
    let run = record.run.as_deref();
    let (mut problems, scanned) = check_alone(site, place, &file, id, run, Some(pending));
    let mut found = record.diagnostics;
    let folder = format!("{}/", place.shown);
    scanned.mask.apply_all(&mut found, &folder);
    problems.extend(found);
    Ok((problems, scanned))
}

/// Digests of all files of a run, without duplicates.
fn digests(files: &RunFiles, inspection: &Inspection<'_>) -> Vec<FileDigest> {
    let published = inspection
        .implementation
        .files
        .iter()
        .map(|file| &file.digest);
    let all = files
        .digests
        .iter()
        .chain(&inspection.raw)
        .chain(&inspection.referenced)
        .chain(published);
    let mut digests: Vec<_> = all.cloned().collect();
    digests.sort_by(|a, b| a.path.cmp(&b.path));
    digests.dedup();
    digests
}

/// Renders Markdown of a run for its page: ids are prefixed with the scope, and headings are below those of its sections.
fn prose(layouts: &[Layout<'_>], slug: &Slug, scope: &str, text: &str) -> Html {
    let page = links::run(slug);
    // Event numbers in threads refer to the first tape.
    let events = |number| layouts.first()?.numbered_href(&page, number);
    let context = MarkdownContext {
        scope,
        shift: 3,
        origin: MarkdownOrigin::Run(&events),
    };
    markdown::render(text, context)
}

fn sorted(problems: impl Iterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let mut problems = problems.collect();
    diagnostics::sort(&mut problems);
    problems
}

/// The problem of a document that cannot be written, by the error.
pub(super) fn write_error<E: Into<std::io::Error>>(path: &str) -> impl Fn(E) -> Diagnostic {
    move |error| {
        codes::PUBLISH_IO.at(
            Place::file(path),
            format!("The document could not be written: {}", error.into()),
            "Please report this as a bug.",
        )
    }
}
