//! Checks an adapter on samples: what it prints, whether it prints the same again, and what it does with damaged files.

mod rules;

use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;

use base::diagnostics::codes::{
    IMPORT_NO_RUNS, IMPORT_NONCONFORMING_ADAPTER, IMPORT_UNREADABLE_FILE,
};
use base::diagnostics::{Diagnostic, Place};
use formats::adapter::{self, AdapterItem};

use super::adapter::{name, output_of};
use super::command::{Adapter, CommandFailure};
use super::{LogSource, Problem, problem};

use rules::AdapterRun;

/// What was found with one sample.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SampleReport {
    /// Its path in the folder.
    pub name: String,
    pub runs: u64,
    pub events: u64,
    /// The damaged copies that were read without an error.
    pub damaged_copies_read: u64,
    #[serde(skip)]
    pub problems: Vec<Diagnostic>,
}

/// Runs an adapter on every file of a folder, and on damaged copies of each. `say` gets the outcome for each file.
pub fn check(
    command: &Adapter,
    folder: &Path,
    say: &mut dyn FnMut(SampleReport),
) -> Result<(), Problem> {
    let source = LogSource::open(folder)?;
    let shown = folder.to_string_lossy();
    let mut runs = 0;
    for name in source.names() {
        let path = if source.is_folder() {
            folder.join(name)
        } else {
            folder.to_owned()
        };
        let mut report = SampleReport {
            name: name.clone(),
            runs: 0,
            events: 0,
            damaged_copies_read: 0,
            problems: Vec::new(),
        };
        check_sample(command, &path, &mut report)
            .map_err(|error| unreadable(&path.to_string_lossy(), &error))?;
        runs += report.runs;
        say(report);
    }
    if runs == 0 {
        let message = "The command reads no run from any of the samples";
        let help = "Name a folder with logs of the adapter's format.";
        return Err(problem(&IMPORT_NO_RUNS, &shown, message, help));
    }
    Ok(())
}

fn unreadable(path: &str, error: &io::Error) -> Problem {
    let message = format!("The sample cannot be read or copied: {error}");
    let help = "Check the path, its permissions and the space for temporary files.";
    problem(&IMPORT_UNREADABLE_FILE, path, message, help)
}

/// A rule of the protocol that something breaks.
fn nonconformity(place: Place, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    IMPORT_NONCONFORMING_ADAPTER.at(place, message, help)
}

fn check_sample(command: &Adapter, path: &Path, report: &mut SampleReport) -> io::Result<()> {
    let output = match command.run(path) {
        Ok(output) => output,
        Err(failure) => {
            report.problems.push(*failure.problem(&report.name));
            return Ok(());
        }
    };
    let (runs, problems) = read(&output_of(&report.name), &output);
    report.runs = runs.len() as u64;
    report.events = runs.iter().map(|run| run.events.len() as u64).sum();
    report.problems.extend(problems);
    check_repetition(command, path, &output, report);
    check_damaged_copies(command, path, report)
}

/// Checks that the same file gives the same bytes.
fn check_repetition(command: &Adapter, path: &Path, output: &[u8], report: &mut SampleReport) {
    let second = match command.run(path) {
        Ok(second) => second,
        Err(failure) => {
            let message = format!("The second time, the command {}", failure.words());
            let help = "The same file must give the same bytes each time.";
            let place = Place::file(&report.name);
            return report.problems.push(nonconformity(place, message, help));
        }
    };
    if second == output {
        return;
    }
    let is_break = |byte: &u8| *byte == b'\n';
    let lines = output.split(is_break).zip(second.split(is_break));
    let equal = lines.take_while(|(a, b)| a == b).count();
    let mut place = Place::file(output_of(&report.name));
    place.line = u32::try_from(equal + 1).ok();
    let message = "The command printed something else the second time, from this line on";
    let help = "Leave out the clock, random ids and the order of sets and folders.";
    report.problems.push(nonconformity(place, message, help));
}

/// Checks that damaged copies of a file fail, or give lines without a fault.
fn check_damaged_copies(
    command: &Adapter,
    path: &Path,
    report: &mut SampleReport,
) -> io::Result<()> {
    let bytes = fs::read(path)?;
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join(path.file_name().unwrap_or_default());
    let half = bytes.len() / 2;
    let with_a_stray_byte = [&bytes[..half], b"\xff", &bytes[half..]].concat();
    let cut = |end: usize| (format!("the first {end} bytes"), &bytes[..end]);
    let mut copies = vec![
        cut(0),
        cut(bytes.len() / 4),
        cut(half),
        cut(bytes.len() * 3 / 4),
        cut(bytes.len().saturating_sub(2)),
    ];
    let stray = format!("a copy with a stray byte after {half} bytes");
    copies.push((stray, &with_a_stray_byte));
    for (what, bytes) in copies {
        fs::write(&copy, bytes)?;
        let output = match command.run(&copy) {
            Ok(output) => output,
            Err(CommandFailure::Time(seconds)) => {
                let message = format!("The command ran longer than {seconds} seconds on {what}");
                let help = "Stop with an error where a log cannot be read.";
                let place = Place::file(&report.name);
                report.problems.push(nonconformity(place, message, help));
                continue;
            }
            // An adapter may refuse a damaged file.
            Err(_) => continue,
        };
        report.damaged_copies_read += 1;
        let (runs, problems) = read(&output_of(&report.name), &output);
        if let Some(problem) = problems.into_iter().next() {
            let message = format!("Of {what}: {}", problem.message);
            report
                .problems
                .push(nonconformity(problem.place, message, problem.help));
        } else if bytes.is_empty() && !runs.is_empty() {
            let message = "An empty file gives a run";
            let help = "End with an error, or print nothing after the header.";
            let place = Place::file(&report.name);
            report.problems.push(nonconformity(place, message, help));
        }
    }
    Ok(())
}

/// The runs in what a command printed, and everything that is wrong with them.
fn read<'a>(path: &str, output: &'a [u8]) -> (Vec<AdapterRun<'a>>, Vec<Diagnostic>) {
    let mut runs: Vec<AdapterRun<'a>> = Vec::new();
    let (header, mut problems) = adapter::read(path, output, |line, item| match item {
        AdapterItem::Record(record) => runs.push(AdapterRun::new(line.clone(), *record)),
        AdapterItem::Event(kind, fields) => {
            if let Some(run) = runs.last_mut() {
                run.add(line.clone(), kind, *fields);
            }
        }
    });
    if let Some(header) = header
        && let Err(problem) = name(&header.importer.format, path)
    {
        problems.push(*problem);
    }
    for run in &runs {
        problems.extend(run.problems(path));
    }
    (runs, problems)
}
