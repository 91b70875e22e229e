//! Runs `import`: passes the request on, and reports the result for each run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use runpress::api::config::{FILE_NAME, Pattern};
use runpress::api::diagnostics::Severity;
use runpress::api::diagnostics::text::{counted, visible};
use runpress::api::import::{
    Adapter, IMPORTERS, ImportEvent, ImportOptions, ImportResult, Importer, Keep, Problem,
    REPEATED, Request, RestoredRun, RunDefaults, RunReport, SampleReport, check_adapter, find,
    import,
};
use runpress::api::pipeline::Progress;
use runpress::api::site::{Overrides, Site};
use serde::Serialize;

use super::console::{Bar, answer, print, refuse, say, say_problems, say_unless_quiet};
use super::{CONTENT_ERRORS, COULD_NOT_RUN, Cli, build};

/// Maximum warnings shown per run.
const SHOWN: usize = 3;

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Log, or folder of logs; sources are never changed
    #[arg(value_name = "PATH", required_unless_present = "list")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    log: LogArguments,
    /// Version of the case, if the log has none
    #[arg(long, value_name = "V", value_parser = name)]
    case_version: Option<String>,
    /// Case of a run of Inspect: its task, or each sample
    #[arg(long, value_name = "WHAT", default_value = "task", value_parser = ["task", "sample"])]
    case_per: String,
    /// Variant of the case [default: base]
    #[arg(long, value_name = "V", value_parser = name)]
    variant: Option<String>,
    /// Command that prints the runs of a path; see the page "Write an adapter"
    #[arg(long, value_name = "CMD", conflicts_with = "format")]
    from_command: Option<String>,
    /// Check such a command on the samples in PATH; import nothing
    #[arg(long, value_name = "CMD", conflicts_with_all = ["from_command", "format", "out", "update", "dry_run"])]
    check_adapter: Option<String>,
    /// Seconds that a command may take for a file
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    time_limit: u64,
    /// Folder for the run directories [default: `runs` in the first content root]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace runs whose log changed
    #[arg(long)]
    update: bool,
    /// Show what would be imported; write nothing
    #[arg(long)]
    dry_run: bool,
    /// Report format
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = ["human", "json"])]
    report: String,
    /// List the formats
    #[arg(long, conflicts_with = "paths")]
    list: bool,
}

/// What `import` and `share` ask about a log.
#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Format of the logs [default: known by their content]
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    /// Name of the case, if the log has none
    #[arg(long, value_name = "NAME", value_parser = name)]
    case: Option<String>,
    /// Model, if the log has none
    #[arg(long, value_name = "ID", value_parser = name)]
    model: Option<String>,
    /// Harness, if the log has none
    #[arg(long, value_name = "NAME", value_parser = name)]
    harness: Option<String>,
    /// Copy what is left out by default: prompts, images, files, tracebacks, paths, identity
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = keep)]
    keep: Vec<Keep>,
    /// Leave out readable reasoning
    #[arg(long)]
    no_reasoning: bool,
}

impl LogArguments {
    /// The importer of the named format. An unknown format is an error, which has been printed.
    pub(super) fn importer(&self) -> Result<Option<&'static Importer>, u8> {
        self.format.as_deref().map(importer).transpose()
    }

    pub(super) fn defaults(&self) -> RunDefaults {
        RunDefaults {
            case: self.case.clone(),
            model: self.model.clone(),
            harness: self.harness.clone(),
            ..RunDefaults::default()
        }
    }

    pub(super) fn options(&self) -> ImportOptions {
        ImportOptions {
            keep: self.keep.clone(),
            no_reasoning: self.no_reasoning,
            case_per_sample: false,
        }
    }
}

/// The report for programs.
#[derive(Default, Serialize)]
struct ImportReport {
    runs: Vec<ImportedRun>,
    /// Run directories that were in files of `runpress share`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    restored: Vec<RestoredRun>,
    failed: Vec<ImportProblem>,
    skipped: Vec<ImportProblem>,
}

/// A run with its warnings.
#[derive(Serialize)]
struct ImportedRun {
    #[serde(flatten)]
    report: RunReport,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<ImportProblem>,
}

/// The reason that something was not imported.
#[derive(Serialize)]
struct ImportProblem {
    code: &'static str,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
    message: String,
    help: String,
}

impl From<Problem> for ImportProblem {
    fn from(problem: Problem) -> Self {
        Self {
            code: problem.code.name,
            source: problem.place.path,
            line: problem.place.line,
            pointer: problem.place.pointer,
            message: problem.message,
            help: problem.help,
        }
    }
}

/// Imports runs, or lists the formats.
pub(crate) fn run(cli: &Cli, args: &Import) -> u8 {
    if args.list {
        let names: String = IMPORTERS
            .iter()
            .map(|importer| format!("{}\n", importer.format))
            .collect();
        return answer(&names);
    }
    if let Some(command) = &args.check_adapter {
        return check(cli, args, command);
    }
    let site = match site(cli, args) {
        Ok(site) => site,
        Err(status) => return status,
    };
    let runs = || Some(site.as_ref()?.content.first()?.join("runs"));
    let Some(out) = args.out.clone().or_else(runs) else {
        refuse(
            "the site has no content root",
            "Name a folder with `--out DIR`.",
        );
        return COULD_NOT_RUN;
    };
    let format = match args.log.importer() {
        Ok(format) => format,
        Err(status) => return status,
    };
    let adapter = args.from_command.as_deref();
    let adapter = adapter.map(|command| adapter_of(command, args.time_limit));
    if matches!(adapter, Some(None)) {
        return COULD_NOT_RUN;
    }
    let request = Request {
        paths: args.paths.clone(),
        format,
        adapter: adapter.flatten(),
        defaults: RunDefaults {
            case_version: args.case_version.clone(),
            variant: args.variant.clone(),
            ..args.log.defaults()
        },
        rules: site.as_ref().map(rules).unwrap_or_default(),
        options: ImportOptions {
            case_per_sample: args.case_per == "sample",
            ..args.log.options()
        },
        out,
        update: args.update,
        dry_run: args.dry_run,
    };
    let show = |problem: &Problem| say_problems(cli, std::slice::from_ref(&**problem));
    let mut done = ImportReport::default();
    let mut skipped = BTreeMap::<(&str, String), usize>::new();
    let bar = Bar::on_terminals(cli);
    let mut report_event = |event| match event {
        ImportEvent::Found(_) | ImportEvent::Read(_) => {}
        ImportEvent::Run(report, problems) => {
            if !cli.quiet {
                say(&run_line(&report, request.dry_run));
                let shown = if cli.verbose { problems.len() } else { SHOWN };
                say_warnings(&problems, shown);
            }
            done.runs.push(ImportedRun {
                report: *report,
                warnings: problems.into_iter().map(ImportProblem::from).collect(),
            });
        }
        ImportEvent::Reading(path, files) => {
            let path = visible(&path.to_string_lossy());
            let files = counted(files as u64, "file");
            say_unless_quiet(cli, &format!("Reading {files} of {path}"));
        }
        ImportEvent::Restored(restored) => {
            say_unless_quiet(cli, &restored_line(&restored, request.dry_run));
            done.restored.push(restored);
        }
        ImportEvent::Failed(problem) => {
            show(&problem);
            done.failed.push(problem.into());
        }
        ImportEvent::Skipped(mut problem) => {
            problem.severity = Severity::Note;
            if cli.verbose {
                show(&problem);
            }
            let reason = reason(&problem.message);
            *skipped.entry((problem.code.name, reason)).or_default() += 1;
            done.skipped.push(problem.into());
        }
    };
    import(&request, &mut |event| match event {
        ImportEvent::Found(logs) => bar.begin("Importing", Some(logs)),
        ImportEvent::Read(files) => (0..files).for_each(|_| bar.tick()),
        event => bar.suspend(|| report_event(event)),
    });
    bar.finish();
    if !cli.quiet {
        for ((code, reason), count) in &skipped {
            let kind = if reason == REPEATED { "run" } else { "file" };
            let skipped = counted(*count as u64, kind);
            say(&format!("Skipped {skipped}: {} [{code}]", visible(reason)));
        }
        if let Some(line) = unknown_rows(&done) {
            say(&line);
        }
        say(&summary(&done, &request));
    }
    if args.report == "json" {
        match serde_json::to_string_pretty(&done) {
            Ok(text) => print(&format!("{text}\n")),
            Err(error) => {
                refuse(
                    &format!("cannot write the report: {error}"),
                    "Use `--report human`.",
                );
                return COULD_NOT_RUN;
            }
        }
    }
    if done.failed.is_empty() {
        0
    } else {
        CONTENT_ERRORS
    }
}

/// The site to import into. Without one, `--out` must name a folder.
fn site(cli: &Cli, args: &Import) -> Result<Option<Site>, u8> {
    let root = build::root(cli).ok_or(COULD_NOT_RUN)?;
    if args.out.is_some() && !root.join(FILE_NAME).is_file() {
        return Ok(None);
    }
    Site::open(&root, &Overrides::default())
        .map(Some)
        .map_err(|_| {
            refuse(
                "the site cannot be read",
                "Run `runpress check` to see why.",
            );
            COULD_NOT_RUN
        })
}

/// The `[[import]]` rules of site.toml, by pattern.
pub(super) fn rules(site: &Site) -> Vec<(Pattern, RunDefaults)> {
    let rules = site.config.import.iter().filter_map(|rule| {
        let defaults = RunDefaults {
            case: rule.case.clone(),
            case_version: rule.case_version.clone(),
            variant: rule.variant.clone(),
            ..RunDefaults::default()
        };
        Some((rule.path.clone()?, defaults))
    });
    rules.collect()
}

fn importer(name: &str) -> Result<&'static Importer, u8> {
    find(name).ok_or_else(|| {
        refuse(
            &format!("`{}` is not a format", visible(name)),
            "`runpress import --list` lists the formats.",
        );
        COULD_NOT_RUN
    })
}

/// Splits the command of an adapter.
fn adapter_of(command: &str, seconds: u64) -> Option<Adapter> {
    let adapter = Adapter::parse(command, seconds);
    if adapter.is_none() {
        refuse(
            &format!("`{}` is not a command", visible(command)),
            "Name a program and its arguments, with quotes as in a shell.",
        );
    }
    adapter
}

/// The report of a check of an adapter, for programs.
#[derive(Default, Serialize)]
struct AdapterReport {
    samples: Vec<CheckedSample>,
}

#[derive(Serialize)]
struct CheckedSample {
    #[serde(flatten)]
    report: SampleReport,
    problems: Vec<ImportProblem>,
}

/// Checks an adapter on the samples of folders.
fn check(cli: &Cli, args: &Import, command: &str) -> u8 {
    let Some(adapter) = adapter_of(command, args.time_limit) else {
        return COULD_NOT_RUN;
    };
    let (mut done, mut without_run, mut failed) = (AdapterReport::default(), 0, false);
    for folder in &args.paths {
        let checked = check_adapter(&adapter, folder, &mut |mut report| {
            say_unless_quiet(cli, &sample_line(&report));
            say_problems(cli, &report.problems);
            without_run += u64::from(report.runs == 0 && report.problems.is_empty());
            let problems = std::mem::take(&mut report.problems).into_iter();
            let problems = problems.map(|it| ImportProblem::from(Box::new(it)));
            done.samples.push(CheckedSample {
                problems: problems.collect(),
                report,
            });
        });
        if let Err(problem) = checked {
            say_problems(cli, std::slice::from_ref(&*problem));
            failed = true;
        }
    }
    let problems: usize = done
        .samples
        .iter()
        .map(|sample| sample.problems.len())
        .sum();
    if !cli.quiet {
        let failing = done
            .samples
            .iter()
            .filter(|sample| !sample.problems.is_empty());
        let (failing, all) = (failing.count() as u64, done.samples.len() as u64);
        let mut line = format!("{}, {failing} with problems", counted(all, "sample"));
        if without_run > 0 {
            line += &format!(", {without_run} without a run");
        }
        say(&format!("{line}: {}", counted(problems as u64, "problem")));
    }
    if args.report == "json"
        && let Ok(text) = serde_json::to_string_pretty(&done)
    {
        print(&format!("{text}\n"));
    }
    if problems > 0 || failed {
        CONTENT_ERRORS
    } else {
        0
    }
}

fn sample_line(sample: &SampleReport) -> String {
    let word = if sample.problems.is_empty() {
        "ok      "
    } else {
        "problems"
    };
    format!(
        "{word} {} ({}, {}; {} of 6 damaged copies read)",
        visible(&sample.name),
        counted(sample.runs, "run"),
        counted(sample.events, "event"),
        sample.damaged_copies_read,
    )
}

/// Parses a value of `--keep`.
fn keep(text: &str) -> Result<Keep, String> {
    let found = Keep::ALL.iter().find(|(_, name)| *name == text);
    found.map(|(keep, _)| *keep).ok_or_else(|| {
        let names = Keep::ALL.map(|(_, name)| format!("`{name}`"));
        format!("use {}", names.join(", "))
    })
}

/// Parses a name for a record.
fn name(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("write a name".to_owned());
    }
    Ok(text.to_owned())
}

/// The common part of messages about many files.
fn reason(message: &str) -> String {
    let end = message.find([':', ';']).unwrap_or(message.len());
    message[..end].to_owned()
}

/// The rows that no importer knows, in one line.
fn unknown_rows(done: &ImportReport) -> Option<String> {
    let mut kinds = BTreeMap::<(&str, &str), u64>::new();
    for ImportedRun { report, .. } in &done.runs {
        for (kind, count) in &report.unknown_rows {
            *kinds.entry((&report.format, kind)).or_default() += count;
        }
    }
    let all: u64 = kinds.values().sum();
    let names = kinds.iter();
    let names =
        names.map(|((format, kind), count)| format!("{count} {} ({format})", visible(kind)));
    let names: Vec<String> = names.collect();
    let rows = counted(all, "row");
    (all > 0).then(|| format!("Left out {rows} of unknown types: {}", names.join(", ")))
}

fn run_line(report: &RunReport, dry_run: bool) -> String {
    let result = match (report.result, dry_run) {
        (ImportResult::New, false) => "imported ",
        (ImportResult::New, true) => "new      ",
        (ImportResult::Updated, false) => "updated  ",
        (ImportResult::Updated, true) => "changed  ",
        (ImportResult::Unchanged, _) => "unchanged",
    };
    let messages = report.messages.user + report.messages.assistant;
    let mut line = format!(
        "{result} {} ({}, {}: {}, {}",
        visible(&report.folder),
        report.format,
        visible(&report.source),
        counted(messages, "message"),
        counted(report.tool_calls, "call"),
    );
    if report.failed_calls > 0 {
        line += &format!(", {} failed", report.failed_calls);
    }
    if let Some(equal) = report.equal_events {
        line += &format!(
            "; the first {} stayed as they were",
            counted(equal, "event")
        );
    }
    line + ")"
}

fn restored_line(restored: &RestoredRun, dry_run: bool) -> String {
    let result = match (restored.result, dry_run) {
        (ImportResult::Unchanged, _) => "unchanged",
        (_, true) => "new      ",
        (_, false) => "restored ",
    };
    format!(
        "{result} {} (runpress, {}: {})",
        visible(&restored.folder),
        visible(&restored.source),
        counted(restored.files.len() as u64 + 1, "file"),
    )
}

/// The warnings of a run, one line each.
fn say_warnings(problems: &[Problem], shown: usize) {
    for problem in problems.iter().take(shown) {
        let place = &problem.place;
        let line = place
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        say(&format!(
            "  {}[{}]: {}{line}: {}",
            problem.severity.word(),
            problem.code.name,
            visible(&place.path),
            visible(&problem.message)
        ));
    }
    if problems.len() > shown {
        let more = counted((problems.len() - shown) as u64, "more warning");
        say(&format!("  {more}; `--verbose` lists all"));
    }
}

fn summary(done: &ImportReport, request: &Request) -> String {
    let count = |change: ImportResult| {
        let restored = done.restored.iter().map(|it| it.result);
        let results = done.runs.iter().map(|run| run.report.result);
        results.chain(restored).filter(|it| *it == change).count() as u64
    };
    let [new, updated, unchanged] = [
        ImportResult::New,
        ImportResult::Updated,
        ImportResult::Unchanged,
    ]
    .map(count);
    let word = if request.dry_run {
        "would be imported"
    } else {
        "imported"
    };
    let place = format!(" in {}", visible(&request.out.to_string_lossy()));
    let place = if request.dry_run { "" } else { &place };
    let mut parts = vec![format!("{} {word}{place}", counted(new, "run"))];
    for (count, word) in [
        (updated, "updated"),
        (unchanged, "unchanged"),
        (done.failed.len() as u64, "failed"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    let end = if request.dry_run {
        "; nothing was written (`--dry-run`)"
    } else {
        ""
    };
    parts.join(", ") + end
}
