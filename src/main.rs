//! The binary: parses the command line, calls the library, prints, picks the exit status.

mod cli;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use runpress::config;
use runpress::diagnostics::text::{nearest, visible};
use runpress::diagnostics::{Diagnostic, Severity, Tally, github, human, json, junit, sarif};
use runpress::pipeline::{Outcome, Progress, Silent};
use runpress::schema;
use runpress::site::{Overrides, Site};
use runpress::view::format;

use cli::{Cli, Color, Command, Deny, Format, Input, Report};

/// Pages are made of many short texts; the system's allocator takes a tenth of a build more, and far more with musl.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The content has errors; nothing was published.
const CONTENT_ERRORS: u8 = 1;
/// Usage, site.toml, I/O or templates.
const COULD_NOT_RUN: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let status = match &cli.command {
        Command::Schema { name } => print_schema(name.as_deref()),
        Command::Explain { code } => explain(code.as_deref()),
        Command::Check { input } => run(&cli, input, None),
        Command::Build {
            input,
            out,
            base_url,
            previous,
        } => {
            let build = Overrides {
                out: out.clone(),
                base_url: base_url.clone(),
                previous: previous.clone(),
                ..Overrides::default()
            };
            run(&cli, input, Some(build))
        }
    };
    ExitCode::from(status)
}

fn explain(code: Option<&str>) -> u8 {
    let Some(code) = code else {
        print(&cli::all_codes());
        return 0;
    };
    if let Some(text) = cli::explain(code) {
        print(&text);
        return 0;
    }
    let names = runpress::diagnostics::codes::all().map(|code| code.name);
    let hint = nearest(code, names).map_or_else(
        || "`runpress explain` without a code lists them all.".to_owned(),
        |near| format!("Did you mean `{near}`?"),
    );
    say(&format!(
        "error: there is no diagnostic `{}`\n  help: {hint}",
        visible(code)
    ));
    COULD_NOT_RUN
}

fn print_schema(name: Option<&str>) -> u8 {
    let Some(name) = name else {
        print(&cli::all_schemas());
        return 0;
    };
    if let Some(entry) = schema::find(name) {
        print(&entry.document());
        return 0;
    }
    let names = schema::ALL.iter().map(|entry| entry.name);
    let hint = nearest(name, names).map_or_else(
        || "`runpress schema` without a name lists them all.".to_owned(),
        |near| format!("Did you mean `{near}`?"),
    );
    say(&format!(
        "error: there is no schema `{}`\n  help: {hint}",
        visible(name)
    ));
    COULD_NOT_RUN
}

/// Runs a check, or with `build` a build.
fn run(cli: &Cli, input: &Input, build: Option<Overrides>) -> u8 {
    let start = Instant::now();
    let is_build = build.is_some();
    let overrides = Overrides {
        content: input.content.clone(),
        drafts: input.drafts,
        keep_going: input.keep_going,
        deny_warnings: input.deny == Some(Deny::Warnings),
        jobs: input.jobs.map_or(0, usize::from),
        ..build.unwrap_or_default()
    };
    let root = cli.root.clone().unwrap_or_else(nearest_root);
    if !root.is_dir() {
        say(&format!(
            "error: the site's root `{}` is not a folder\n  help: Name the folder that holds site.toml with `--root`.",
            root.display()
        ));
        return COULD_NOT_RUN;
    }
    let bar = Bar::new(cli);
    let result = Site::open(&root, &overrides).and_then(|site| {
        let progress: &dyn Progress = if cli.quiet { &Silent } else { &bar };
        let outcome = if is_build {
            runpress::build(&site, progress)
        } else {
            runpress::check(&site, progress)
        };
        outcome.map(|outcome| (site, outcome))
    });
    bar.finish();
    let (status, facts) = match &result {
        Ok((site, outcome)) => {
            let status = if outcome.publishes(site) {
                0
            } else {
                CONTENT_ERRORS
            };
            let facts = Facts {
                diagnostics: &outcome.diagnostics,
                runs: outcome.runs,
                quarantined: outcome.quarantined,
                cases: &outcome.cases,
            };
            (status, facts)
        }
        Err(problems) => {
            let facts = Facts {
                diagnostics: problems,
                runs: 0,
                quarantined: 0,
                cases: &[],
            };
            (COULD_NOT_RUN, facts)
        }
    };
    let reported = report(cli, &input.report, &facts);
    if let Ok((site, outcome)) = &result
        && !cli.quiet
    {
        say(&summary(site, outcome, is_build, start.elapsed()));
    }
    if reported { status } else { COULD_NOT_RUN }
}

/// The current directory or the nearest parent that has a site.toml.
fn nearest_root() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    here.ancestors()
        .find(|dir| dir.join(config::FILE_NAME).is_file())
        .map_or(here.clone(), Path::to_owned)
}

/// What a report is made of.
struct Facts<'a> {
    diagnostics: &'a [Diagnostic],
    runs: usize,
    quarantined: usize,
    cases: &'a [junit::Case],
}

/// Writes every report that was asked for; `false` when one could not be written.
fn report(cli: &Cli, reports: &[Report], facts: &Facts<'_>) -> bool {
    let diagnostics = facts.diagnostics;
    let shown: Vec<Diagnostic> = diagnostics
        .iter()
        .filter(|d| cli.verbose || d.severity != Severity::Note)
        .cloned()
        .collect();
    let styled = |is_terminal: bool| match cli.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none(),
    };
    if reports.is_empty() {
        say_raw(&human::render(
            &shown,
            styled(std::io::stderr().is_terminal()),
        ));
        return true;
    }
    let mut written = true;
    for report in reports {
        let bytes = match report.format {
            Format::Human => {
                let is_terminal = report.file.is_none() && std::io::stdout().is_terminal();
                human::render(&shown, styled(is_terminal)).into_bytes()
            }
            Format::Json => json::Report::new(diagnostics, facts.runs, facts.quarantined)
                .to_bytes()
                .unwrap_or_default(),
            Format::Github => github::render(&shown).into_bytes(),
            Format::Sarif => sarif::render(&shown).unwrap_or_default(),
            Format::Junit => junit::render(diagnostics, facts.cases)
                .unwrap_or_default()
                .into_bytes(),
        };
        let result = match &report.file {
            Some(file) => std::fs::write(file, &bytes),
            None => std::io::stdout().write_all(&bytes),
        };
        if let Err(error) = result {
            let place = report
                .file
                .as_ref()
                .map_or_else(|| "standard output".into(), |file| file.to_string_lossy());
            say(&format!(
                "error: the report could not be written to `{place}`: {error}\n  help: Name a file in a folder that exists and that the build may write."
            ));
            written = false;
        }
    }
    written
}

fn summary(site: &Site, outcome: &Outcome, is_build: bool, elapsed: Duration) -> String {
    let tally = Tally::of(&outcome.diagnostics);
    let mut parts = vec![format::count(outcome.runs, "run")];
    if outcome.quarantined > 0 {
        parts.push(format!("{} quarantined", outcome.quarantined));
    }
    if outcome.not_published > 0 {
        parts.push(format!(
            "{} not published",
            format::count(outcome.not_published, "run")
        ));
    }
    if outcome.published {
        parts.push(format::count(
            usize::try_from(outcome.files).unwrap_or(usize::MAX),
            "file",
        ));
    }
    let problems = human::tally(Tally { notes: 0, ..tally });
    parts.push(if problems.is_empty() {
        "no warnings".to_owned()
    } else {
        problems
    });
    parts.push(format!("{:.1} s", elapsed.as_secs_f64()));
    if outcome.published {
        parts.push(format::bytes(outcome.bytes));
        return format!(
            "Published in {}: {}",
            visible(&site.out.to_string_lossy()),
            parts.join(", ")
        );
    }
    let verdict = match (is_build, outcome.publishes(site)) {
        (true, _) => "Nothing was published",
        (false, true) => "Checked",
        (false, false) => "Checked, not fit to publish",
    };
    format!("{verdict}: {}", parts.join(", "))
}

/// A line for people. That nobody can read it is no reason to fail.
fn say(text: &str) {
    say_raw(&format!("{text}\n"));
}

fn say_raw(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn print(text: &str) {
    // A closed pipe (`runpress explain | head`) is no reason to complain.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// A progress bar on a terminal, plain lines elsewhere.
struct Bar {
    bar: ProgressBar,
    step: Mutex<&'static str>,
    plain: bool,
}

impl Bar {
    fn new(cli: &Cli) -> Self {
        let terminal = std::io::stderr().is_terminal() && !cli.quiet;
        let target = if terminal {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) =
            ProgressStyle::with_template("{msg:<18} {bar:30} {human_pos} of {human_len}")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        Self {
            bar,
            step: Mutex::new(""),
            plain: !terminal && !cli.quiet,
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn begin(&self, step: &'static str, ticks: usize) {
        self.bar.set_length(ticks as u64);
        self.bar.set_position(0);
        self.bar.set_message(step);
        if let Ok(mut current) = self.step.lock()
            && *current != step
        {
            *current = step;
            if self.plain {
                say(&format!("{step}: {ticks}"));
            }
        }
    }

    fn tick(&self) {
        self.bar.inc(1);
    }
}
