//! Prints rows of a raw log with the events that they translate to, for people who diagnose a harness. Nothing of it is published.

use std::collections::BTreeMap;
use std::fmt::Write;

use base::diagnostics::text::{quoted, visible};
use content::inspect;
use content::load;
use formats::audit::Audit;
use formats::jsonl::{self, Line};
use formats::raw::{FILE_NAME, RawLogReader};
use formats::replay::{Harness, NEWEST, Translator};
use pipeline::site::Site;

use crate::Refusal;
use crate::open_run;

/// Prints the rows of the raw log of a run, or the one that an event of its event log follows from. `print` gets one row at a time,
/// because the log may be larger than memory.
pub fn raw(
    site: &Site,
    name: &str,
    event: Option<u64>,
    print: &mut dyn FnMut(&str),
) -> Result<(), Refusal> {
    let directory = open_run::find(site, name)?;
    let limits = &site.config.limits;
    let record = load::record(&directory, limits)?;
    let (files, _) = load::run(&directory, &record, limits);
    let run = inspect::record(&record).run;
    let slug = run.as_ref().map_or("", |run| &*run.subject.harness);
    let harness = Harness::of(slug).ok_or_else(|| {
        let message = format!("No rules are known for the harness {}", quoted(slug));
        Refusal::request(message, "Read the file itself.")
    })?;
    let mut raw_log = files.raw_log(Some(harness))?.ok_or_else(|| {
        let message = format!("The run {} has no `{FILE_NAME}`", quoted(name));
        Refusal::request(message, "Copy the file from the recorder.")
    })?;
    let audit = files.audit(&mut raw_log)?;
    let audit = audit.unwrap_or_else(|| Audit::impossible(0, 0));
    let only = event.map(|event| line_of(&audit, event)).transpose()?;
    let bytes = files.events.as_ref().map_or(&[][..], |log| &log.bytes);
    let mut recorded: RecordedEvents<'_> = BTreeMap::new();
    for ((seq, event), row) in jsonl::lines(bytes).enumerate().zip(&audit.raw_lines) {
        recorded.entry(*row).or_default().push((seq, event));
    }
    let version = audit.against.or(audit.translator.last().copied());
    let mut translator = Translator::new(harness, version.unwrap_or(NEWEST));
    let mut reader = RawLogReader::default();
    files.raw_lines(|line| {
        let text = description(&mut translator, &mut reader, &line, &recorded);
        if only.is_none_or(|only| only == line.number) {
            print(&text);
        }
    })?;
    Ok(())
}

/// The line of the raw log that an event follows from.
fn line_of(audit: &Audit, event: u64) -> Result<u32, Refusal> {
    let lines = &audit.raw_lines;
    let line = usize::try_from(event).ok().and_then(|at| lines.get(at));
    match line {
        Some(0) => Err(Refusal::request(
            format!("Event {event} follows from no line of `{FILE_NAME}`"),
            "Leave out `--event` to print all lines.",
        )),
        Some(line) => Ok(*line),
        None => Err(Refusal::request(
            format!("The event log has no event {event}"),
            format!("It has {} events, counted from 0.", lines.len()),
        )),
    }
}

/// The events that follow from each line of the raw log, with their numbers.
type RecordedEvents<'a> = BTreeMap<u32, Vec<(usize, Line<'a>)>>;

/// A row, what it translates to, and the events that follow from it as they are recorded.
fn description(
    translator: &mut Translator,
    reader: &mut RawLogReader,
    line: &Line<'_>,
    recorded: &RecordedEvents<'_>,
) -> String {
    let mut text = format!("Line {} of {FILE_NAME}", line.number);
    // Writing to a string cannot fail.
    let Some(printed) = reader.line(FILE_NAME, line) else {
        text.push_str(" cannot be read\n\n");
        return text;
    };
    let _ = writeln!(
        text,
        ", {}:\n  {}",
        printed.stream.word(),
        visible(&printed.text)
    );
    let row = printed.row();
    let events = translator.translate(&row);
    text.push_str(if events.is_empty() {
        "It translates to no event.\n"
    } else {
        "It translates to:\n"
    });
    for event in events {
        let event = serde_json::Value::Object(event.to_json());
        let _ = writeln!(text, "  {}", visible(&event.to_string()));
    }
    for (seq, event) in recorded.get(&line.number).into_iter().flatten() {
        let _ = writeln!(
            text,
            "Event {seq} is recorded as:\n  {}",
            visible(&event.text)
        );
    }
    text.push('\n');
    text
}
