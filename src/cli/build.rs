//! Runs `check`, `build`, `merge` and `export`: reports problems and summarizes the result.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use runpress::api::config;
use runpress::api::diagnostics::text::visible;
use runpress::api::diagnostics::{Severity, SeverityCounts, github, human, json, junit, sarif};
use runpress::api::ledger::BuildChanges;
use runpress::api::pipeline::{NoProgress, Outcome, Progress};
use runpress::api::site::{Overrides, Site};
use runpress::api::url::HttpUrl;
use runpress::api::view::{format, summary};
use runpress::{Failure, ReplacedSite};

use super::console::{Bar, human_report, refuse, say, say_problems, say_raw, shown_problems};
use super::paths::ProblemFolders;
use super::{CONTENT_ERRORS, COULD_NOT_RUN, Cli, InputOptions, ReportFormat};

#[derive(Debug)]
pub(crate) enum BuildMode<'a> {
    Check,
    #[cfg(feature = "parquet")]
    Export,
    Build,
    /// The runs come from parts.
    Merge(&'a [PathBuf]),
}

/// The result of a completed check or build.
#[derive(Clone, Copy)]
struct CompletedBuild<'a> {
    site: &'a Site,
    outcome: &'a Outcome,
    /// Whether the content may be published.
    publishes: bool,
    /// The verdict in a word or two.
    verdict: &'static str,
}

impl<'a> CompletedBuild<'a> {
    fn of(
        result: &'a Result<(Site, Outcome), Failure>,
        mode: &BuildMode<'_>,
    ) -> Result<Self, &'a Failure> {
        let (site, outcome) = result.as_ref()?;
        let publishes = outcome.publishes(site);
        Ok(Self {
            site,
            outcome,
            publishes,
            verdict: match mode {
                _ if outcome.is_unchanged => "Nothing changed",
                _ if outcome.published && site.options.shard.is_some() => "Built a part",
                _ if outcome.published => "Published",
                BuildMode::Check if publishes => "Checked",
                BuildMode::Check => "Check failed",
                #[cfg(feature = "parquet")]
                BuildMode::Export if publishes => "Exported",
                #[cfg(feature = "parquet")]
                BuildMode::Export => "Nothing was exported",
                BuildMode::Build | BuildMode::Merge(_) => "Nothing was published",
            },
        })
    }

    /// Runs with errors, if nothing can be published.
    fn broken(&self) -> usize {
        let fit = self.outcome.runs + self.outcome.not_published;
        let broken = self.outcome.cases.len().saturating_sub(fit);
        if self.publishes { 0 } else { broken }
    }

    /// What a build of this content changed, or would change.
    fn changes(&self) -> Option<&'a BuildChanges> {
        self.outcome.changes().filter(|_| self.publishes)
    }

    /// The address of the files of the root.
    fn source(&self) -> Option<&str> {
        let source = self.site.options.source_url.as_ref();
        source.map(HttpUrl::as_str)
    }

    /// The folder of the new pages.
    fn address(&self) -> Option<&str> {
        let base = self.site.config.site.base_url.as_ref();
        let is_site = self.outcome.published && self.site.options.shard.is_none();
        base.filter(|_| is_site).map(HttpUrl::as_str)
    }
}

/// Runs a check or a build. `rest` has the overrides of all options except input options.
pub(crate) fn run(cli: &Cli, input: &InputOptions, mode: &BuildMode<'_>, rest: Overrides) -> u8 {
    let start = Instant::now();
    let overrides = overrides(input, rest);
    let Some(root) = root(cli) else {
        return COULD_NOT_RUN;
    };
    let bar = Bar::new(cli);
    let mut old_site = ReplacedSite::default();
    let result = Site::open(&root, &overrides).and_then(|site| {
        let progress: &dyn Progress = if cli.quiet && !input.timings {
            &NoProgress
        } else {
            &bar
        };
        let (outcome, replaced) = match mode {
            BuildMode::Check => (runpress::check(&site, progress)?, ReplacedSite::default()),
            #[cfg(feature = "parquet")]
            BuildMode::Export => runpress::export_only(&site, progress)?,
            BuildMode::Build => runpress::build(&site, progress)?,
            BuildMode::Merge(parts) => runpress::merge(&site, parts, progress)?,
        };
        // The old site is removed at the end, after the result is reported.
        old_site = replaced;
        Ok((site, outcome))
    });
    bar.finish();
    let done = CompletedBuild::of(&result, mode);
    let status = match &done {
        Ok(done) if done.publishes => 0,
        Ok(_) => CONTENT_ERRORS,
        Err(_) => COULD_NOT_RUN,
    };
    let reported = report(cli, input, &root, &done);
    if input.timings {
        say_raw(&bar.timings());
        if let Ok(done) = &done {
            let Outcome { runs, checked, .. } = done.outcome;
            say(&format!("Runs: {runs}, {checked} of them checked"));
            say_raw(&sizes(done.outcome));
        }
    }
    if let Ok(done) = done
        && !cli.quiet
    {
        say(&summary_line(&done, start.elapsed()));
        if let Some(build) = done.changes() {
            say(&format!(
                "Changes since the last site: {}",
                changes_text(build)
            ));
        }
    }
    drop(old_site);
    if reported { status } else { COULD_NOT_RUN }
}

/// The number of files of each kind, and their size; empty if there are none.
fn sizes(outcome: &Outcome) -> String {
    if outcome.written.is_empty() {
        return String::new();
    }
    let line = |kind: &str, files: u64, bytes: u64| {
        let (files, bytes) = (format::grouped(files), format::bytes(bytes));
        format!("  {kind:<20} {files:>9} {bytes:>12}\n")
    };
    let kinds = outcome.written.iter().filter(|of| of.files > 0);
    let lines: String = kinds.map(|of| line(of.kind, of.files, of.bytes)).collect();
    let total = line("Total", outcome.files, outcome.bytes);
    #[allow(clippy::cast_precision_loss, reason = "a ratio of two digits")]
    let ratio = outcome.bytes as f64 / outcome.read.max(1) as f64;
    let read = format::bytes(outcome.read);
    format!("Files:\n{lines}{total}  {ratio:.2} bytes written per byte read ({read})\n")
}

/// The overrides of the input options, added to `rest`.
pub(crate) fn overrides(input: &InputOptions, rest: Overrides) -> Overrides {
    Overrides {
        content: input.content.clone(),
        drafts: input.drafts,
        keep_going: input.keep_going,
        deny_warnings: input.deny.is_some(),
        jobs: input.jobs.map_or(0, usize::from),
        ..rest
    }
}

/// Reports a build of `serve` in the same way as one of `build`.
#[cfg(feature = "serve")]
pub(crate) fn report_served(
    cli: &Cli,
    input: &InputOptions,
    root: &Path,
    result: &Result<(Site, Outcome), Failure>,
) {
    report(
        cli,
        input,
        root,
        &CompletedBuild::of(result, &BuildMode::Build),
    );
}

/// The result of a build of `serve`, in one line. `has_build`: whether any site is served, even of an earlier build.
#[cfg(feature = "serve")]
pub(crate) fn result_line(
    result: &Result<(Site, Outcome), Failure>,
    has_build: bool,
    elapsed: Duration,
) -> String {
    match result {
        Ok((_, outcome)) if outcome.published => {
            format!("Built: {}", counts_line(outcome, elapsed))
        }
        _ if has_build => "Build failed; still serving the last good build.".to_owned(),
        _ => "Build failed; there is no site to serve yet.".to_owned(),
    }
}

/// The root of the site; `None` if it is not a folder, which is reported.
pub(crate) fn root(cli: &Cli) -> Option<PathBuf> {
    let root = cli.root.clone().unwrap_or_else(nearest_root);
    if root.is_dir() {
        return Some(root);
    }
    refuse(
        &format!("the root `{}` is not a folder", root.display()),
        "Set `--root` to the folder that contains site.toml.",
    );
    None
}

/// The current directory, or its nearest parent with a site.toml.
fn nearest_root() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    here.ancestors()
        .find(|dir| dir.join(config::FILE_NAME).is_file())
        .map_or(here.clone(), Path::to_owned)
}

/// Writes every requested report; `false` if one could not be written.
fn report(
    cli: &Cli,
    input: &InputOptions,
    root: &Path,
    done: &Result<CompletedBuild<'_>, &Failure>,
) -> bool {
    let (diagnostics, done) = match done {
        Ok(done) => (&done.outcome.diagnostics, Some(done)),
        Err(problems) => (*problems, None),
    };
    let outcome = done.map(|done| done.outcome);
    let (runs, quarantined) = outcome.map_or((0, 0), |outcome| (outcome.runs, outcome.quarantined));
    let cases = outcome.map_or(&[][..], |outcome| &outcome.cases);
    let shown = shown_problems(cli, diagnostics);
    if input.report.is_empty() {
        say_problems(cli, &shown);
        return true;
    }
    let content = done.map_or(&[][..], |done| &done.site.content);
    let from_here = || ProblemFolders::new(root, content).relative_to_working_dir(&shown);
    let fails = if input.deny.is_some() {
        Severity::Warning
    } else {
        Severity::Error
    };
    let mut written = true;
    for report in &input.report {
        let bytes = match report.format {
            ReportFormat::Human => human_report(cli, report, &shown),
            ReportFormat::Json => json::DiagnosticReport::new(diagnostics, runs, quarantined)
                .to_bytes()
                .unwrap_or_default(),
            ReportFormat::Github => github::render(&from_here()).into_bytes(),
            ReportFormat::Sarif => sarif::render(&from_here()).unwrap_or_default(),
            ReportFormat::Junit => junit::render(diagnostics, cases, fails)
                .unwrap_or_default()
                .into_bytes(),
            ReportFormat::Markdown => summary::markdown(&summary::SummaryFacts {
                verdict: done.map_or("The build could not run", |done| done.verdict),
                runs,
                broken: done.map_or(0, CompletedBuild::broken),
                quarantined,
                not_published: outcome.map_or(0, |outcome| outcome.not_published),
                written: outcome
                    .filter(|outcome| outcome.published)
                    .map(|outcome| (outcome.files, outcome.bytes)),
                changes: done.and_then(CompletedBuild::changes),
                address: done.and_then(CompletedBuild::address),
                run_folders: outcome.map_or_else(Default::default, |of| of.ledger.run_folders),
                diagnostics: &shown,
                contribution: outcome.and_then(|outcome| outcome.contribution.as_ref()),
                source: done.and_then(CompletedBuild::source),
                success: done.map(|done| &done.site.config.cells),
            })
            .into_bytes(),
        };
        let result = match &report.file {
            Some(file) => std::fs::write(file, &bytes),
            None => std::io::stdout().write_all(&bytes),
        };
        if let Err(error) = result {
            let file = report.file.as_ref().map(|file| file.to_string_lossy());
            let place = file.unwrap_or_else(|| "standard output".into());
            refuse(
                &format!("cannot write the report to `{place}`: {error}"),
                "Choose a file in an existing, writable folder.",
            );
            written = false;
        }
    }
    written
}

/// `1 run added, 2 runs changed`
fn changes_text(build: &BuildChanges) -> String {
    let counts = build.lists().map(|(what, runs)| (what, runs.len()));
    let counts = counts.into_iter().chain([("changed", build.changed.len())]);
    let runs = counts.map(|(what, count)| ("run", what, count));
    let rules = [("rule", "added, changed or removed", build.rules.len())];
    let parts: Vec<_> = runs
        .chain(rules)
        .filter(|(.., count)| *count > 0)
        .map(|(noun, what, count)| format!("{} {what}", format::count(count, noun)))
        .collect();
    parts.join(", ")
}

fn summary_line(done: &CompletedBuild<'_>, elapsed: Duration) -> String {
    let out = done.site.out.to_string_lossy();
    let place = if done.outcome.published {
        format!(" in {}", visible(&out))
    } else {
        String::new()
    };
    format!(
        "{}{place}: {}",
        done.verdict,
        counts_line(done.outcome, elapsed)
    )
}

/// `3 runs, 120 files, no warnings, 0.2 s, 1.4 MB`
fn counts_line(outcome: &Outcome, elapsed: Duration) -> String {
    let tally = SeverityCounts::of(&outcome.diagnostics);
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
        let files = usize::try_from(outcome.files).unwrap_or(usize::MAX);
        parts.push(format::count(files, "file"));
    }
    let problems = human::tally(SeverityCounts { notes: 0, ..tally });
    parts.push(if problems.is_empty() {
        "no warnings".to_owned()
    } else {
        problems
    });
    parts.push(format!("{:.1} s", elapsed.as_secs_f64()));
    if outcome.published {
        parts.push(format::bytes(outcome.bytes));
    }
    parts.join(", ")
}
