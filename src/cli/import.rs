//! Runs `import`: hands over what was asked for, and says of each run what became of it.

use std::collections::BTreeMap;

use runpress::api::config::FILE_NAME;
use runpress::api::diagnostics::text::visible;
use runpress::api::import::{
    Change, IMPORTERS, Importer, Keep, Named, Options, Problem, Report, Request, Said, find, import,
};
use runpress::api::site::{Overrides, Site};
use serde::Serialize;

use super::console::{answer, print, refuse, say};
use super::{CONTENT_ERRORS, COULD_NOT_RUN, Cli, Import, build};

/// How many lines of a log are named that could not be read.
const SHOWN: usize = 3;

/// What programs read.
#[derive(Default, Serialize)]
struct Json {
    runs: Vec<Report>,
    failed: Vec<Trouble>,
    skipped: Vec<Trouble>,
}

/// Why something was not imported.
#[derive(Serialize)]
struct Trouble {
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    message: String,
    help: String,
}

impl From<Problem> for Trouble {
    fn from(problem: Problem) -> Self {
        Self {
            source: problem.file,
            line: problem.line,
            message: problem.message,
            help: problem.help,
        }
    }
}

/// Imports runs, or lists the formats.
pub(crate) fn run(cli: &Cli, asked: &Import) -> u8 {
    if asked.list {
        let names: String = IMPORTERS
            .iter()
            .map(|importer| format!("{}\n", importer.format()))
            .collect();
        return answer(&names);
    }
    let site = match site(cli, asked) {
        Ok(site) => site,
        Err(status) => return status,
    };
    // `runs` in the first content root, unless another folder was named.
    let runs = || Some(site.as_ref()?.content.first()?.join("runs"));
    let Some(out) = asked.out.clone().or_else(runs) else {
        refuse(
            "the site has no content root",
            "Name a folder with `--out DIR`.",
        );
        return COULD_NOT_RUN;
    };
    let format = asked.format.as_deref().map(importer);
    if matches!(format, Some(None)) {
        return COULD_NOT_RUN;
    }
    let request = Request {
        paths: asked.paths.clone(),
        format: format.flatten(),
        named: Named {
            case: asked.case.clone(),
            case_version: asked.case_version.clone(),
            variant: asked.variant.clone(),
            model: asked.model.clone(),
            harness: asked.harness.clone(),
        },
        rules: site.as_ref().map(rules).unwrap_or_default(),
        options: Options {
            keep: asked.keep.clone(),
            no_reasoning: asked.no_reasoning,
        },
        out,
        update: asked.update,
        dry_run: asked.dry_run,
    };
    let mut done = Json::default();
    let mut skipped = BTreeMap::<String, usize>::new();
    import(&request, &mut |said| match said {
        Said::Run(report, problems) => {
            if !cli.quiet {
                say(&line(&report, request.dry_run));
                warn(&report, &problems);
            }
            done.runs.push(*report);
        }
        Said::Failed(problem) => {
            let place = place(&problem);
            let Problem { message, help, .. } = &problem;
            refuse(
                &format!("{}\n --> {place}", visible(message)),
                &visible(help),
            );
            done.failed.push(problem.into());
        }
        Said::Skipped(problem) => {
            if cli.verbose {
                let message = visible(&problem.message);
                say(&format!(
                    "note: skipped {}: {message}",
                    visible(&problem.file)
                ));
            }
            *skipped.entry(reason(&problem.message)).or_default() += 1;
            done.skipped.push(problem.into());
        }
    });
    if !cli.quiet {
        for (reason, count) in &skipped {
            say(&format!(
                "Skipped {}: {}",
                counted(*count as u64, "file"),
                visible(reason)
            ));
        }
        say(&summary(&done, &request));
    }
    if asked.report == "json" {
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

/// The site that is imported into. Without one, `--out` must name a folder.
fn site(cli: &Cli, asked: &Import) -> Result<Option<Site>, u8> {
    let root = build::root(cli).ok_or(COULD_NOT_RUN)?;
    if asked.out.is_some() && !root.join(FILE_NAME).is_file() {
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

/// What site.toml says of logs, by pattern.
fn rules(site: &Site) -> Vec<(String, Named)> {
    let rules = site.config.import.iter().map(|rule| {
        let named = Named {
            case: rule.case.clone(),
            case_version: rule.case_version.clone(),
            variant: rule.variant.clone(),
            ..Named::default()
        };
        (rule.path.clone(), named)
    });
    rules.collect()
}

fn importer(name: &str) -> Option<&'static dyn Importer> {
    let found = find(name);
    if found.is_none() {
        refuse(
            &format!("`{}` is not a format", visible(name)),
            "`runpress import --list` lists the formats.",
        );
    }
    found
}

/// A value of `--keep`.
pub(super) fn keep(text: &str) -> Result<Keep, String> {
    let found = Keep::ALL.iter().find(|(_, name)| *name == text);
    found.map(|(keep, _)| *keep).ok_or_else(|| {
        let names = Keep::ALL.map(|(_, name)| format!("`{name}`"));
        format!("use {}", names.join(", "))
    })
}

fn place(problem: &Problem) -> String {
    let file = visible(&problem.file);
    problem
        .line
        .map_or(file.clone(), |line| format!("{file}:{line}"))
}

/// What messages about many files have in common.
fn reason(message: &str) -> String {
    let end = message.find([':', ';']).unwrap_or(message.len());
    message[..end].to_owned()
}

fn counted(count: u64, word: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {word}{end}")
}

fn line(report: &Report, dry_run: bool) -> String {
    let result = match (report.result, dry_run) {
        (Change::New, false) => "imported ",
        (Change::New, true) => "new      ",
        (Change::Updated, false) => "updated  ",
        (Change::Updated, true) => "changed  ",
        (Change::Unchanged, _) => "unchanged",
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

fn warn(report: &Report, problems: &[Problem]) {
    for problem in problems.iter().take(SHOWN) {
        say(&format!(
            "  warning: {}: {}",
            place(problem),
            visible(&problem.message)
        ));
    }
    if problems.len() > SHOWN {
        let more = counted((problems.len() - SHOWN) as u64, "more line");
        say(&format!(
            "  warning: {more} of {} could not be read",
            visible(&report.source)
        ));
    }
}

fn summary(done: &Json, request: &Request) -> String {
    let count = |change: Change| done.runs.iter().filter(|run| run.result == change).count() as u64;
    let [new, updated, unchanged] = [Change::New, Change::Updated, Change::Unchanged].map(count);
    let word = if request.dry_run {
        "would be imported"
    } else {
        "imported"
    };
    let mut parts = vec![format!("{} {word}", counted(new, "run"))];
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
        "; nothing was written (`--dry-run`)".to_owned()
    } else {
        format!(" in {}", visible(&request.out.to_string_lossy()))
    };
    parts.join(", ") + &end
}
