//! Runs one import, from the given paths to the written folders.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, SyncSender};

use base::diagnostics::Severity;
use base::diagnostics::codes::{
    IMPORT_CANNOT_WRITE, IMPORT_DUPLICATE_RUN, IMPORT_MISSING_CASE, IMPORT_NO_RUNS,
    IMPORT_TOTALS_DIFFER, IMPORT_UNPUBLISHABLE, IMPORT_UNREADABLE_ENTRY, IMPORT_UNREADABLE_FILE,
};
use formats::config::Pattern;
use formats::trace::{self, SourceFile};

use super::document::{self, RunDefaults};
use super::draft::{Draft, RecordDraft};
use super::report::RunReport;
use super::shared_page::{self, RestoredRun, SharedPage};
use super::source::FileDigest;
use super::store::Store;
use super::time::LogTime;
use super::{
    Adapter, IMPORTERS, ImportOptions, Importer, LogSource, Problem, adapter, assets, calls, clean,
    discover, problem, usage,
};

/// The request of an import.
pub struct Request {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// The only format to import, if set.
    pub format: Option<&'static Importer>,
    /// The command that reads the logs, in place of an importer.
    pub adapter: Option<Adapter>,
    /// The output folder.
    pub out: PathBuf,
    /// Values for runs whose source lacks them.
    pub defaults: RunDefaults,
    /// Further values for runs whose source path matches a pattern.
    pub rules: Vec<(Pattern, RunDefaults)>,
    /// Options for importers.
    pub options: ImportOptions,
    /// Whether to replace runs that were imported before.
    pub update: bool,
    /// Whether to write nothing.
    pub dry_run: bool,
}

/// A progress message.
pub enum ImportEvent {
    /// A run was imported, with its unreadable parts.
    Run(Box<RunReport>, Vec<Problem>),
    /// A run directory was restored from the page of a run.
    Restored(RestoredRun),
    /// A run was not imported.
    Failed(Problem),
    /// A file in a folder has no recognized format, or a log is a duplicate of another run.
    Skipped(Problem),
    /// The files of a folder are being scanned: their number.
    Reading(PathBuf, usize),
    /// The logs of a path are about to be read: their number of files.
    Found(usize),
    /// The number of files that were read.
    Read(usize),
}

impl ImportEvent {
    /// The message for a run that was not imported.
    fn of(problem: Problem) -> Self {
        if problem.severity == Severity::Note {
            Self::Skipped(problem)
        } else {
            Self::Failed(problem)
        }
    }
}

/// A message from the reading thread to the writing thread.
enum ReaderMessage {
    Event(ImportEvent),
    Run(Box<SourceRun>),
    Page(Box<SharedPage>),
}

/// A run as recorded in its source, with its source files.
struct SourceRun {
    importer: trace::Importer,
    draft: Draft,
    /// Its first file, relative to the given path.
    first: String,
    /// The path of that file.
    path: PathBuf,
    /// Its files, in the order of `Draft::sources`.
    sources: Vec<(String, FileDigest)>,
}

/// Imports runs, and continues after a failed one. Reads the next run while one is written, so that at most two are in memory.
pub fn import(request: &Request, say: &mut dyn FnMut(ImportEvent)) {
    let mut store = match Store::open(&request.out, request.update, request.dry_run) {
        Ok(store) => store,
        Err(problem) => return say(ImportEvent::Failed(problem)),
    };
    let (sender, receiver) = mpsc::sync_channel(0);
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK);
        let reader = reader.spawn_scoped(scope, move || read_all(request, &sender));
        if let Err(error) = reader {
            let message = format!("No thread could be started to read the logs: {error}");
            let help = "Close other programs, or raise the limit of processes.";
            let problem = problem(&IMPORT_UNREADABLE_FILE, "", message, help);
            say(ImportEvent::Failed(problem));
        }
        for step in receiver {
            say(match step {
                ReaderMessage::Event(event) => event,
                ReaderMessage::Run(read) => {
                    import_run(request, &mut store, *read).unwrap_or_else(ImportEvent::of)
                }
                ReaderMessage::Page(page) => store
                    .restore(*page)
                    .map_or_else(ImportEvent::of, ImportEvent::Restored),
            });
        }
    });
}

/// The stack size of a main thread.
const STACK: usize = 8 << 20;

/// Reads every run of every path. Stops when the receiver is gone.
fn read_all(request: &Request, sender: &SyncSender<ReaderMessage>) {
    let say = |event: ImportEvent| drop(sender.send(ReaderMessage::Event(event)));
    for path in &request.paths {
        let source = match open(path) {
            Ok(source) => source,
            Err(problem) => {
                say(ImportEvent::Failed(problem));
                continue;
            }
        };
        let is_folder = source.is_folder();
        if source.names().len() >= MANY {
            say(ImportEvent::Reading(path.clone(), source.names().len()));
        }
        if let Some(adapter) = &request.adapter {
            read_by_command(request, adapter, path, &source, sender);
            continue;
        }
        let format = request.format.map(|importer| importer.format);
        let (units, skipped) = discover::find_logs(source, format);
        if is_folder && units.is_empty() {
            let message = "The folder holds no log of a recognized format";
            let help = "`runpress import --list` lists the formats.";
            let problem = problem(&IMPORT_NO_RUNS, &path.to_string_lossy(), message, help);
            say(ImportEvent::Failed(problem));
        }
        for problem in skipped {
            say(if is_folder {
                ImportEvent::Skipped(problem)
            } else {
                ImportEvent::Failed(problem)
            });
        }
        let files = units.iter().map(|unit| unit.source.names().len());
        say(ImportEvent::Found(files.sum()));
        for unit in units {
            if unit.format == shared_page::FORMAT {
                say(ImportEvent::Read(1));
                match SharedPage::read(&unit.source) {
                    Ok(page) => drop(sender.send(ReaderMessage::Page(Box::new(page)))),
                    Err(problem) => say(ImportEvent::of(problem)),
                }
                continue;
            }
            let Some(importer) = find(unit.format) else {
                continue;
            };
            (importer.runs)(&unit.source, &request.options, &mut |draft| {
                say(ImportEvent::Read(
                    draft.as_ref().map_or(1, |draft| draft.sources.len()),
                ));
                let read = draft.and_then(|mut draft| {
                    assets::extract(&mut draft, &unit.source, &request.options);
                    SourceRun::of(draft, &unit.source, path, importer.in_trace())
                });
                match read {
                    Ok(read) => drop(sender.send(ReaderMessage::Run(Box::new(read)))),
                    Err(problem) => say(ImportEvent::of(problem)),
                }
            });
        }
    }
}

/// Reads every file of a path with the user's command.
fn read_by_command(
    request: &Request,
    command: &Adapter,
    path: &Path,
    source: &LogSource,
    sender: &SyncSender<ReaderMessage>,
) {
    let say = |event: ImportEvent| drop(sender.send(ReaderMessage::Event(event)));
    say(ImportEvent::Found(source.names().len()));
    let mut found = false;
    for (position, name) in source.names().iter().enumerate() {
        let file = if source.is_folder() {
            path.join(name)
        } else {
            path.to_owned()
        };
        let mut runs = 0;
        let read = command
            .run(&file)
            .map_err(|failure| vec![failure.problem(name)]);
        let read = read.and_then(|output| {
            adapter::runs(
                name,
                position,
                &output,
                &request.options,
                &mut |importer, draft| {
                    runs += 1;
                    match SourceRun::of(draft, source, path, importer.clone()) {
                        Ok(read) => drop(sender.send(ReaderMessage::Run(Box::new(read)))),
                        Err(problem) => say(ImportEvent::of(problem)),
                    }
                },
            )
        });
        say(ImportEvent::Read(1));
        found |= runs > 0 || read.is_err();
        match read {
            Err(problems) => problems.into_iter().map(ImportEvent::of).for_each(say),
            Ok(()) if runs == 0 && source.is_folder() => {
                let message = "The command reads no run from this file";
                let help = "Nothing needs to be done if the file is no log.";
                let problem = problem(&IMPORT_NO_RUNS, name, message, help);
                say(ImportEvent::Skipped(problem));
            }
            Ok(()) => {}
        }
    }
    if !found {
        let message = "The command reads no run from this path";
        let help = "Name logs of the command's format.";
        let problem = problem(&IMPORT_NO_RUNS, &path.to_string_lossy(), message, help);
        say(ImportEvent::Failed(problem));
    }
}

/// The message for a run that is in a log more than once.
pub const REPEATED: &str = "An earlier run of the same log has the same id";

/// Folders with at least this many files get a progress line.
const MANY: usize = 100;

impl SourceRun {
    fn of(
        draft: Draft,
        source: &LogSource,
        path: &Path,
        importer: trace::Importer,
    ) -> Result<Self, Problem> {
        let mut sources = Vec::new();
        for at in &draft.sources {
            let Some(name) = source.names().get(*at) else {
                continue;
            };
            sources.push((name.clone(), source.digest(*at)?));
        }
        let first = draft.sources.first();
        let first = first.and_then(|at| source.shown(*at)).unwrap_or_default();
        Ok(Self {
            importer,
            draft,
            path: path.join(&first),
            first,
            sources,
        })
    }
}

/// Finds an importer by name.
pub fn find(format: &str) -> Option<&'static Importer> {
    IMPORTERS.iter().find(|importer| importer.format == format)
}

/// Opens the user's path. A Claude Code session has its subagents in a folder next to it.
fn open(path: &Path) -> Result<LogSource, Problem> {
    let subagents = path.with_extension("").join("subagents");
    let is_session = path
        .extension()
        .is_some_and(|extension| extension == "jsonl");
    if is_session && path.is_file() && subagents.is_dir() {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return LogSource::open(path);
        };
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let name = name.to_string_lossy();
        let stem = name.strip_suffix(".jsonl").unwrap_or(&name);
        let below = format!("{stem}/subagents/");
        let all = LogSource::open(folder)?;
        let is_of_it = |file: &String| **file == *name || file.starts_with(&below);
        let names = all.names().iter().enumerate();
        let positions: Vec<usize> = names
            .filter(|(_, name)| is_of_it(name))
            .map(|(at, _)| at)
            .collect();
        return Ok(all.part(&positions, 0));
    }
    LogSource::open(path)
}

fn import_run(
    request: &Request,
    store: &mut Store,
    read: SourceRun,
) -> Result<ImportEvent, Problem> {
    let SourceRun {
        importer,
        mut draft,
        first,
        path,
        sources,
    } = read;
    let format = importer.format.as_str();
    let calls = calls::join(&mut draft);
    convert_times(&mut draft);
    let (mut names, known): (Vec<String>, Vec<FileDigest>) = sources.into_iter().unzip();
    let folder = shared_folder(&names);
    for name in &mut names {
        name.drain(..folder);
    }
    clean::clean(&mut draft, &mut names, &request.options);
    let sources: Vec<SourceFile> = names
        .into_iter()
        .zip(known)
        .map(|(name, known)| SourceFile {
            name,
            bytes: known.bytes,
            blake3: known.blake3,
        })
        .collect();
    let defaults = defaults(request, &path);
    let left_out = document::complete(&mut draft.record, &defaults, format);
    let id = document::id(&draft, format, &sources);
    let Some(case) = draft.record.case.clone() else {
        let message = format!("The source names no case, as is usual for {format}");
        let help = "Name it with `--case NAME`, or with a pattern under `[[import]]` in site.toml.";
        return Err(problem(&IMPORT_MISSING_CASE, &first, message, help));
    };
    if matches!(draft.record.state, "infrastructure" | "canceled") {
        draft.warn(unpublishable(&first, &draft.record));
    }
    draft.mark_incomplete(&first);
    for message in left_out {
        let help = "Nothing needs to be done if it is unknown; otherwise correct the log.";
        draft.warn(problem(&IMPORT_UNREADABLE_ENTRY, &first, message, help));
    }
    let unplaced = draft.warnings.iter_mut();
    for problem in unplaced.filter(|problem| problem.place.path.is_empty()) {
        problem.place.path.clone_from(&first);
    }
    let computed = usage::sum(&draft.events);
    if let Some(classes) = usage::difference(draft.record.tokens, computed) {
        let message =
            format!("The recorded total of tokens is not the sum of the responses: {classes}");
        let help = "The recorded total counts; compare it with the bill of the provider.";
        draft.warn(problem(&IMPORT_TOTALS_DIFFER, &first, message, help));
    }
    if let Some(other) = store.seen(&id) {
        let (message, help) = if other == path {
            (
                REPEATED,
                "Nothing needs to be done if both are the same run: the earlier one is imported.",
            )
        } else {
            (
                "Another log of this import is the same run",
                "Import one of them.",
            )
        };
        let problem = problem(&IMPORT_DUPLICATE_RUN, &first, message, help);
        return Ok(ImportEvent::Skipped(problem));
    }
    let mut report = RunReport::of(&draft, &calls, format);
    let slot = store.slot(&case, &id, &path)?;
    let failed = |error: serde_json::Error| {
        let message = format!("The run cannot be written as JSON: {error}");
        let help = "Report it with the file, if you can share it.";
        problem(&IMPORT_CANNOT_WRITE, &first, message, help)
    };
    let record = document::record(
        &draft,
        &id,
        &sources,
        &importer,
        &defaults,
        &request.options,
        &slot.others,
    )
    .map_err(failed)?;
    let trace = if draft.events.is_empty() {
        None
    } else {
        Some(document::trace(&draft, &sources, &importer).map_err(failed)?)
    };
    (report.result, report.equal_events) =
        store.write(&first, &slot, &record, trace.as_deref(), &draft.assets)?;
    report.case = case;
    report.id = id;
    report.folder = slot.folder;
    report.source = first;
    Ok(ImportEvent::Run(Box::new(report), draft.warnings))
}

/// Runs in these states have no model, so no site publishes them.
fn unpublishable(source: &str, record: &RecordDraft) -> Problem {
    let detail = record.detail.as_deref().unwrap_or(record.state);
    let message = format!(
        "The run will not be published: its state is `{}` ({detail})",
        record.state
    );
    let help = "Nothing needs to be done; the site counts such runs.";
    problem(&IMPORT_UNPUBLISHABLE, source, message, help)
}

/// The values for a run: from the command line, or else from the first matching rule that has them.
fn defaults(request: &Request, path: &Path) -> RunDefaults {
    let path = path.to_string_lossy().replace('\\', "/");
    let mut defaults = request.defaults.clone();
    let fits = |(pattern, _): &&(Pattern, RunDefaults)| pattern.matches_end(&path);
    for (_, rule) in request.rules.iter().filter(fits) {
        let RunDefaults {
            case,
            case_version,
            variant,
            model,
            harness,
        } = rule.clone();
        defaults.case = defaults.case.or(case);
        defaults.case_version = defaults.case_version.or(case_version);
        defaults.variant = defaults.variant.or(variant);
        defaults.model = defaults.model.or(model);
        defaults.harness = defaults.harness.or(harness);
    }
    defaults
}

/// Converts event times to UTC. Keeps times without a time zone, and removes invalid ones.
fn convert_times(draft: &mut Draft) {
    for event in &mut draft.events {
        match event.time.take().as_deref().and_then(LogTime::parse) {
            Some(LogTime::Utc(time)) => event.time = Some(time),
            Some(LogTime::Local(time)) => event.local_time = Some(time),
            None => {}
        }
    }
}

/// Length of the common folder of all files, so that a run has the same bytes wherever it is imported from.
fn shared_folder(names: &[String]) -> usize {
    let Some(first) = names.first() else { return 0 };
    let mut folders = first.rmatch_indices('/').map(|(at, _)| at + 1);
    let is_shared = |end: &usize| names.iter().all(|name| name.starts_with(&first[..*end]));
    folders.find(is_shared).unwrap_or(0)
}
