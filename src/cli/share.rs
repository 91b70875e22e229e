//! Runs `share`: imports a log into a temporary folder, or takes a run directory, and writes its page as one file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use runpress::api::author::{self, RedactionRequest, RedactionTarget, Refusal};
use runpress::api::config::{FILE_NAME, Pattern};
use runpress::api::diagnostics::text::{counted, visible};
use runpress::api::diagnostics::{Diagnostic, Severity};
use runpress::api::discover::{RunDirectory, run_at};
use runpress::api::import::{ImportEvent, Request, RunDefaults, RunReport, import};
use runpress::api::pipeline::{SharedRun, share, task_of};
use runpress::api::site::{Overrides, Site};
use runpress::api::view::format;
use tempfile::TempDir;

use super::console::{answer, say, say_problems, say_unless_quiet};
use super::import::{LogArguments, rules};
use super::{CONTENT_ERRORS, Cli, author as authoring, build};

/// The case of a log that names none.
const CASE: &str = "session";
/// Maximum runs listed if a log has several, without `-v`.
const LISTED: usize = 12;

#[derive(Debug, Args)]
#[command(
    mut_arg("format", |it| it.help("Format of the log [default: known by its content]")),
    mut_arg("case", |it| it.help("Name of the case, if the log has none [default: session]"))
)]
pub(crate) struct Share {
    /// Log, `-` for a log on standard input, or run directory
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// The file to write, `-` for standard output [default: named after the run, in the current directory]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Withhold every secret that is found in the log
    #[arg(long)]
    redact: bool,
    /// Id of the run, if the log has several
    #[arg(long, value_name = "ID")]
    run: Option<String>,
    #[command(flatten)]
    about: LogArguments,
}

/// Shares one run.
pub(crate) fn run(cli: &Cli, args: &Share) -> u8 {
    let shared = prepare(args).and_then(|folders| {
        let (site, directory) = folders.run(cli, args)?;
        share(&site, &directory).map_err(Refusal::Site)
    });
    match shared.and_then(|shared| publish(cli, args, shared)) {
        Ok(status) => status,
        Err(refusal) => authoring::refused(cli, refusal),
    }
}

/// Folders that are removed on drop.
struct TemporaryFolders {
    /// The run directory of an imported log, and the log if it came from standard input.
    content: TempDir,
    /// The staged page.
    output: TempDir,
}

fn is_run_folder(path: &Path) -> bool {
    path.join("run-record.json").is_file()
}

fn prepare(args: &Share) -> Result<TemporaryFolders, Refusal> {
    if let Some(out) = &args.out {
        refuse_existing(args, out)?;
    }
    let folder = || {
        tempfile::Builder::new()
            .prefix("runpress-share-")
            .tempdir()
            .map_err(|error| {
                Refusal::request(
                    format!("A temporary folder cannot be created: {error}"),
                    "Set `TMPDIR` to a folder that can be written.",
                )
            })
    };
    Ok(TemporaryFolders {
        content: folder()?,
        output: folder()?,
    })
}

impl TemporaryFolders {
    /// The run to share, and the site whose settings apply to it.
    fn run(&self, cli: &Cli, args: &Share) -> Result<(Site, RunDirectory), Refusal> {
        let log = &args.log;
        if is_run_folder(log) {
            return self.run_folder(cli, args);
        }
        let root = build::root(cli).ok_or_else(|| Refusal::Site(Vec::new()))?;
        let has_settings = root.join(FILE_NAME).is_file();
        let settings = if has_settings {
            &root
        } else {
            self.output.path()
        };
        let mut site = Site::open(settings, &Overrides::default()).map_err(Refusal::Site)?;
        let content = self.content.path().canonicalize();
        let content = content.map_err(|error| {
            Refusal::request(
                format!("A temporary folder cannot be read: {error}"),
                "Set `TMPDIR`.",
            )
        })?;
        let name = Self::import(cli, args, &site, &content)?;
        site.root.clone_from(&content);
        site.content = vec![content.join("runs")];
        // A log has no review yet.
        site.config.policy.require_review = false;
        site.for_single_file(self.output.path());
        let folder = content.join("runs").join(name);
        if args.redact {
            redact(cli, &site, &folder)?;
        }
        let directory = run_at(&site.root, &site.content, &folder);
        let directory = directory.ok_or_else(|| Refusal::Site(Vec::new()))?;
        Ok((site, directory))
    }

    /// A run directory, with the settings of the site around it.
    fn run_folder(&self, cli: &Cli, args: &Share) -> Result<(Site, RunDirectory), Refusal> {
        let log = &args.log;
        let shown = visible(&log.to_string_lossy());
        if args.redact {
            return Err(Refusal::request(
                "`--redact` is for logs: a run directory keeps its own redactions",
                format!("Run `runpress redact {shown} --all`, then share it again."),
            ));
        }
        let folder = log.canonicalize().map_err(|error| {
            Refusal::request(
                format!("The run directory `{shown}` cannot be read: {error}"),
                "Check its path.",
            )
        })?;
        let mut around = folder.ancestors().skip(1);
        let around = around.find(|folder| folder.join(FILE_NAME).is_file());
        let root = cli.root.as_deref().or(around);
        let root = root.unwrap_or_else(|| self.output.path());
        let mut site = Site::open(root, &Overrides::default()).map_err(Refusal::Site)?;
        let is_in_content = site.content.iter().any(|content| {
            content
                .canonicalize()
                .is_ok_and(|content| folder.starts_with(content))
        });
        if !is_in_content {
            folder
                .parent()
                .unwrap_or(&folder)
                .clone_into(&mut site.root);
            site.content = vec![folder.clone()];
        }
        site.for_single_file(self.output.path());
        let directory = run_at(&site.root, &site.content, &folder);
        let directory = directory.ok_or_else(|| Refusal::Site(Vec::new()))?;
        Ok((site, directory))
    }

    /// Imports the log into the folder, and returns the name of the run directory.
    fn import(cli: &Cli, args: &Share, site: &Site, content: &Path) -> Result<String, Refusal> {
        let format = args.about.importer();
        let format = format.map_err(|_| Refusal::Site(Vec::new()))?;
        let log = if args.log == Path::new("-") {
            standard_input(content)?
        } else {
            args.log.clone()
        };
        let request = Request {
            adapter: None,
            paths: vec![log],
            format,
            out: content.join("runs"),
            defaults: args.about.defaults(),
            rules: rules(site).into_iter().chain(any_case()).collect(),
            options: args.about.options(),
            update: false,
            dry_run: false,
        };
        let (mut runs, mut problems) = (Vec::new(), Vec::new());
        import(&request, &mut |event| match event {
            ImportEvent::Run(report, warnings) => {
                let RunReport { id, folder, .. } = *report;
                runs.push((id, folder));
                problems.extend(warnings.into_iter().map(|it| *it));
            }
            ImportEvent::Restored(it) => runs.push((it.id, it.folder)),
            ImportEvent::Failed(problem) => problems.push(*problem),
            ImportEvent::Skipped(mut problem) => {
                problem.severity = Severity::Note;
                problems.push(*problem);
            }
            ImportEvent::Found(_) | ImportEvent::Read(_) | ImportEvent::Reading(..) => {}
        });
        let (failed, warnings) = problems
            .into_iter()
            .partition::<Vec<_>, _>(Diagnostic::is_error);
        show(cli, warnings);
        let task = |folder: &str| {
            let runs = content.join("runs");
            let directory = run_at(content, &[content.to_owned()], &runs.join(folder))?;
            task_of(site, &directory)
        };
        let listed = if cli.verbose { usize::MAX } else { LISTED };
        choose(args, &runs, failed, listed, &task)
    }
}

/// The case for logs that name none, and that no rule of the site covers.
fn any_case() -> Option<(Pattern, RunDefaults)> {
    let defaults = RunDefaults {
        case: Some(CASE.to_owned()),
        ..RunDefaults::default()
    };
    Some((Pattern::parse("**")?, defaults))
}

/// Copies standard input into a file, because importers read files at any place.
fn standard_input(folder: &Path) -> Result<PathBuf, Refusal> {
    let path = folder.join("stdin");
    let copied = std::fs::File::create_new(&path)
        .and_then(|mut file| io::copy(&mut io::stdin().lock(), &mut file));
    copied.map_err(|error| {
        Refusal::request(
            format!("Standard input cannot be copied: {error}"),
            "Free some space for temporary files, or name the log.",
        )
    })?;
    Ok(path)
}

/// The folder of the only run, or of the requested one. If there are several, the first ones are `listed` with their tasks.
fn choose(
    args: &Share,
    runs: &[(String, String)],
    failed: Vec<Diagnostic>,
    listed: usize,
    task: &dyn Fn(&str) -> Option<String>,
) -> Result<String, Refusal> {
    let found = match &args.run {
        Some(wanted) => runs.iter().find(|(id, _)| id == wanted),
        None => runs.first().filter(|_| runs.len() == 1),
    };
    if let Some((_, folder)) = found {
        return Ok(folder.clone());
    }
    if runs.is_empty() {
        return Err(Refusal::Content(failed));
    }
    let message = match &args.run {
        Some(wanted) => format!("The log has no run `{}`", visible(wanted)),
        None => format!("The log has {}", counted(runs.len() as u64, "run")),
    };
    let width = runs.iter().map(|(id, _)| id.len()).max();
    let width = width.unwrap_or_default();
    let mut help = "Choose one with `--run ID`:".to_owned();
    for (id, folder) in runs.iter().take(listed) {
        let task = task(folder).unwrap_or_default();
        let line = format!("{:<width$}  {}", visible(id), visible(&task));
        help += &format!("\n    {}", line.trim_end());
    }
    if runs.len() > listed {
        let more = counted((runs.len() - listed) as u64, "more run");
        help += &format!("\n    … and {more}, which `-v` lists");
    }
    Err(Refusal::request(message, help))
}

/// Withholds the secrets of an imported run, in its temporary folder.
fn redact(cli: &Cli, site: &Site, folder: &Path) -> Result<(), Refusal> {
    let all = RedactionRequest {
        target: RedactionTarget::All,
        reason: None,
        note: None,
        by: None,
        at: None,
        dry_run: false,
    };
    let waiting = authoring::say_waiting(cli);
    author::redact(site, &folder.to_string_lossy(), &all, &waiting).map(drop)
}

/// A log has no run directory in which `runpress redact` could withhold something, so its problems name `--redact` instead.
fn suggest_option(problem: &mut Diagnostic) {
    if let Some((before, command)) = problem.help.split_once("`runpress redact ")
        && let Some((_, after)) = command.split_once('`')
    {
        problem.help = format!("{before}share the log with `--redact`{after}");
    }
}

/// Writes the file of a run, unless it has errors.
fn publish(cli: &Cli, args: &Share, mut shared: SharedRun) -> Result<u8, Refusal> {
    let has_errors = shared.diagnostics.iter().any(Diagnostic::is_error);
    if !args.redact && !is_run_folder(&args.log) {
        shared.diagnostics.iter_mut().for_each(suggest_option);
    }
    show(cli, shared.diagnostics);
    let Some(page) = shared.page else {
        if !has_errors {
            return Err(Refusal::request(
                "A site would not publish this run: its folder is hidden, or inside another run",
                "Move the folder, then share it again.",
            ));
        }
        say("Nothing was written.");
        return Ok(CONTENT_ERRORS);
    };
    let out = args.out.clone();
    let out = out.unwrap_or_else(|| PathBuf::from(format!("{}.html", shared.slug)));
    if out == Path::new("-") {
        return Ok(answer(&String::from_utf8_lossy(&page)));
    }
    write(args, &out, &page)?;
    let line = format!(
        "Shared in {}: {}, {}",
        visible(&out.to_string_lossy()),
        counted(shared.events, "event"),
        format::bytes(page.len() as u64)
    );
    say_unless_quiet(cli, &line);
    Ok(0)
}

/// Writes the whole file or nothing.
fn write(args: &Share, out: &Path, page: &[u8]) -> Result<(), Refusal> {
    refuse_existing(args, out)?;
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    let written = tempfile::Builder::new()
        .prefix(".runpress-share-")
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .and_then(|mut file| {
            file.write_all(page)?;
            make_readable(file.as_file())?;
            let renamed = if args.force {
                file.persist(out)
            } else {
                file.persist_noclobber(out)
            };
            renamed.map_err(|error| error.error)
        });
    written.map(drop).map_err(|error| {
        Refusal::request(
            format!(
                "`{}` cannot be written: {error}",
                visible(&out.to_string_lossy())
            ),
            "Name a file in an existing folder that can be written with `-o`.",
        )
    })
}

/// A temporary file is private to its owner; a file to share gets the usual permissions.
#[cfg(unix)]
fn make_readable(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &std::fs::File) -> io::Result<()> {
    Ok(())
}

fn refuse_existing(args: &Share, out: &Path) -> Result<(), Refusal> {
    if args.force || out == Path::new("-") || out.symlink_metadata().is_err() {
        return Ok(());
    }
    Err(Refusal::request(
        format!("`{}` exists", visible(&out.to_string_lossy())),
        "Replace it with `--force`, or name another file with `-o`.",
    ))
}

fn show(cli: &Cli, mut problems: Vec<Diagnostic>) {
    problems.retain(|it| cli.verbose || it.severity != Severity::Note);
    if cli.quiet {
        problems.retain(Diagnostic::is_error);
    }
    say_problems(cli, &problems);
}
