//! Runs `verify`: compares a copy of a published site with itself.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use runpress::api::diagnostics::text::visible;
use runpress::api::diagnostics::{Diagnostic, SeverityCounts, github, human, json, sarif};
use runpress::api::pipeline::Progress;
use runpress::api::url::HttpUrl;
use runpress::api::verify::{Continuation, Download, Verification, VerifyOptions, verify};
use runpress::api::view::format;
use tempfile::TempDir;

use super::console::{Bar, human_report, refuse, say_problems, say_unless_quiet, shown_problems};
use super::paths::ProblemFolders;
use super::{CONTENT_ERRORS, COULD_NOT_RUN, Cli, ReportFormat, Verify};

/// A copy of a site, and what is left out of it.
struct SiteFolder {
    path: PathBuf,
    left_out: BTreeSet<String>,
    /// Removed on drop.
    _temporary: Option<TempDir>,
}

/// Verifies a copy. The exit status is 1 if something does not hold.
pub(crate) fn run(cli: &Cli, args: &Verify) -> u8 {
    let start = Instant::now();
    let unreadable = args.content.iter().find_map(|root| {
        let error = std::fs::read_dir(root).err()?;
        Some((root.to_string_lossy(), error))
    });
    if let Some((root, error)) = unreadable {
        refuse(
            &format!(
                "the content folder `{}` cannot be read: {error}",
                visible(&root)
            ),
            "Name a folder with run directories, such as `content`.",
        );
        return COULD_NOT_RUN;
    }
    let verified = site_folder(cli, args, &args.place, false).and_then(|copy| {
        let since = args.since.as_deref();
        let since = since
            .map(|since| site_folder(cli, args, since, true))
            .transpose()?;
        let options = VerifyOptions {
            content: &args.content,
            expected_head: args.expected_head.as_deref(),
            since: since.as_ref().map(|since| since.path.as_path()),
            left_out: Some(&copy.left_out),
        };
        let verified = verify(&copy.path, options).map_err(|error| error.to_string())?;
        Ok((copy, verified))
    });
    let (copy, verified) = match verified {
        Ok(verified) => verified,
        Err(reason) => {
            refuse(
                &format!("the site cannot be read: {}", visible(&reason)),
                "Name the folder of a published site, such as `public`, or its address.",
            );
            return COULD_NOT_RUN;
        }
    };
    let is_reported = report(cli, args, &copy.path, &verified);
    say_unless_quiet(cli, &summary(&args.place, &verified, start.elapsed()));
    match is_reported {
        false => COULD_NOT_RUN,
        true if verified.diagnostics.iter().any(Diagnostic::is_error) => CONTENT_ERRORS,
        true => 0,
    }
}

/// The folder of a site, or of a copy of the site at an address. Of an earlier site, only the ledger is copied.
fn site_folder(
    cli: &Cli,
    args: &Verify,
    place: &str,
    is_earlier: bool,
) -> Result<SiteFolder, String> {
    let is_address = place.starts_with("https://") || place.starts_with("http://");
    if !is_address {
        return Ok(SiteFolder {
            path: PathBuf::from(place),
            left_out: BTreeSet::new(),
            _temporary: None,
        });
    }
    let address = HttpUrl::base(&format!("{}/", place.trim_end_matches('/')));
    let address = address.ok_or("the address is none of a site")?;
    let keep = args.keep.as_ref().filter(|_| !is_earlier);
    let (path, temporary) = if let Some(folder) = keep {
        (folder.clone(), None)
    } else {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        (folder.path().to_owned(), Some(folder))
    };
    let bar = Bar::new(cli);
    bar.begin("Copying the site", None);
    let download = Download {
        address: &address,
        folder: &path,
        sample: args.sample.filter(|_| !is_earlier),
        seed: RandomState::new().build_hasher().finish(),
        progress: &|copied, all| bar.set_progress(copied, all),
    };
    let copied = if is_earlier {
        download.ledger().map(|()| BTreeSet::new())
    } else {
        download.run()
    };
    bar.finish();
    Ok(SiteFolder {
        left_out: copied?,
        path,
        _temporary: temporary,
    })
}

/// Writes every requested report; `false` if one could not be written.
fn report(cli: &Cli, args: &Verify, folder: &Path, verified: &Verification) -> bool {
    let all = &verified.diagnostics;
    let shown = shown_problems(cli, all);
    if args.report.is_empty() {
        say_problems(cli, &shown);
        return true;
    }
    let from_here = || ProblemFolders::new(folder, &args.content).relative_to_working_dir(&shown);
    let mut is_written = true;
    for report in &args.report {
        let bytes = match report.format {
            ReportFormat::Json => json::DiagnosticReport::new(all, verified.runs, 0)
                .to_bytes()
                .unwrap_or_default(),
            ReportFormat::Github => github::render(&from_here()).into_bytes(),
            ReportFormat::Sarif => sarif::render(&from_here()).unwrap_or_default(),
            ReportFormat::Human | ReportFormat::Junit | ReportFormat::Markdown => {
                human_report(cli, report, &shown)
            }
        };
        let result = match &report.file {
            Some(file) => std::fs::write(file, &bytes),
            None => std::io::stdout().write_all(&bytes),
        };
        if let Err(error) = result {
            refuse(
                &format!("the report cannot be written: {error}"),
                "Choose a file in an existing, writable folder.",
            );
            is_written = false;
        }
    }
    is_written
}

/// What was verified, in a few lines.
fn summary(place: &str, verified: &Verification, elapsed: Duration) -> String {
    let tally = SeverityCounts::of(&verified.diagnostics);
    let problems = human::tally(SeverityCounts { notes: 0, ..tally });
    let mut lines = vec![format!(
        "Verified {}: {}, {}, {}, {}, {:.1} s",
        visible(place),
        format::count(verified.files, "file"),
        format::count(verified.runs, "run"),
        format::bytes(verified.bytes),
        if problems.is_empty() {
            "everything holds"
        } else {
            &problems
        },
        elapsed.as_secs_f64(),
    )];
    if verified.runs_without_events > 0 {
        let runs = format::count(verified.runs_without_events, "run");
        lines.push(format!(
            "Not compared with events, which are not in the copy: {runs}"
        ));
    }
    if let Some(checksums) = &verified.checksums {
        lines.push(format!("SHA-256 of SHA256SUMS: {checksums}"));
    }
    if let Some(head) = &verified.head {
        lines.push(format!("Head of the ledger: {head}"));
    }
    if let Some(found) = &verified.continuation {
        lines.push(continuation(found));
    }
    lines.join("\n")
}

fn continuation(found: &Continuation) -> String {
    let counts = [
        ("added", found.added.len()),
        ("changed", found.changed.len()),
        ("withdrawn or quarantined", found.withdrawn.len()),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let counts = counts.map(|(what, count)| format!("{} {what}", format::count(count, "run")));
    let counts: Vec<String> = counts.collect();
    let counts = match counts.as_slice() {
        [] => "no run was added, changed or withdrawn".to_owned(),
        counts => counts.join(", "),
    };
    let builds = format::count(found.builds, "build");
    format!("Continues the earlier copy by {builds}: {counts}")
}
