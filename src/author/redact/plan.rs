//! Chooses the spans to withhold: the requested text, and all other copies in the run.

use crate::{Refusal, annotate};
use base::diagnostics::Diagnostic;
use base::diagnostics::text::quoted;
use content::load;
use formats::redactions::{Occurrence, Reason, Redaction, Shape, occurrences, rewrite};
use formats::run_record;
use secrets::{self, Finding, ScanReport, ScanSettings};

use super::list::List;
use super::recorded::OriginalFiles;
use super::{Redact, Target};

/// Shorter texts may occur anywhere by chance, so only the requested copy is withheld.
const SHORT: usize = 8;
/// Maximum scans of the remaining text.
const ROUNDS: usize = 4;

/// A place to withhold, and the reason.
type Span = (String, Occurrence, Reason);

/// Checks the run with the redactions of a list.
pub(super) type Check<'a> = &'a dyn Fn(&mut List) -> Result<(Vec<Diagnostic>, ScanReport), Refusal>;

/// Adds the requested redactions to the list, and returns how many spans are elsewhere in the run.
pub(super) fn add(
    list: &mut List,
    recorded: &OriginalFiles,
    asked: &Redact,
    run: &str,
    check: Check<'_>,
) -> Result<usize, Refusal> {
    match &asked.target {
        Target::Whole(file) => whole(list, recorded, asked, file).map(|()| 0),
        Target::Quote {
            quote,
            event,
            file,
            pointer,
        } => {
            let reason = asked.reason.unwrap_or(Reason::Secret);
            let file = named(recorded, event.is_some(), file.as_deref())?;
            let bytes = recorded
                .files
                .get(&file)
                .map(Vec::as_slice)
                .unwrap_or_default();
            let is_here = |found: &Occurrence| {
                event.is_none_or(|event| found.event == Some(event))
                    && (pointer.is_none() || found.pointer == *pointer)
            };
            let here: Vec<_> = occurrences(&file, bytes, quote)
                .into_iter()
                .filter(is_here)
                .collect();
            if quote.is_empty() || here.is_empty() {
                let place = match event {
                    Some(event) => format!("event {event} of {}", quoted(&file)),
                    None => quoted(&file),
                };
                return Err(Refusal::request(
                    format!("The text is not in {place}"),
                    "Copy it exactly as it is recorded; `--quote -` reads it from standard input.",
                ));
            }
            let count = here.len();
            let mut spans: Vec<Span> = here
                .into_iter()
                .map(|found| (file.clone(), found, reason))
                .collect();
            if quote.len() >= SHORT {
                spans.extend(everywhere(recorded, quote, reason));
            }
            let added = push(list, recorded, asked, spans);
            if added == 0 {
                let help = "Its redactions are in `redactions.jsonl`.";
                return Err(Refusal::request("The text is withheld already", help));
            }
            Ok(added.saturating_sub(count))
        }
        Target::Finding(fingerprint) => {
            let settings = ScanSettings {
                owner: run,
                paths: true,
                personal: true,
            };
            let found = scan(list, recorded, &settings)?;
            let found = found
                .into_iter()
                .find(|(_, finding, _)| finding.fingerprint == *fingerprint);
            let Some((file, finding, value)) = found else {
                return Err(Refusal::request(
                    format!("Finding {} is not in the run", quoted(fingerprint)),
                    "`runpress check` prints the fingerprints; they change when the file does.",
                ));
            };
            let spans = of_finding(recorded, asked, &file, &finding, &value);
            let added = push(list, recorded, asked, spans);
            if added == 0 {
                return Err(Refusal::request(
                    format!(
                        "Finding {} cannot be withheld by its place",
                        quoted(fingerprint)
                    ),
                    "Withhold it with `--quote`, or the file with `--whole`.",
                ));
            }
            Ok(added - 1)
        }
        Target::All => {
            for _ in 0..ROUNDS {
                let (_, scanned) = check(list)?;
                let mut spans = Vec::new();
                for (name, finding) in &scanned.errors {
                    for (file, finding, value) in of_error(list, recorded, name, finding)? {
                        spans.extend(of_finding(recorded, asked, &file, &finding, &value));
                    }
                }
                if push(list, recorded, asked, spans) == 0 {
                    break;
                }
            }
            Ok(0)
        }
    }
}

/// Withholds a whole file.
fn whole(
    list: &mut List,
    recorded: &OriginalFiles,
    asked: &Redact,
    file: &str,
) -> Result<(), Refusal> {
    if !recorded.files.contains_key(file) {
        return Err(no_file(file));
    }
    if file == run_record::FILE_NAME {
        let help = "Withhold parts of it with `--quote`, or leave the run out of the site.";
        return Err(Refusal::request(
            "The record of a run cannot be withheld whole",
            help,
        ));
    }
    if let Some(at) = list.of(file).first() {
        let id = quoted(&list.entries[*at].redaction.id);
        return Err(Refusal::request(
            format!("The file {} has redaction {id} already", quoted(file)),
            "Remove it with `--undo` first.",
        ));
    }
    let redaction = Redaction {
        whole: true,
        ..new(list, asked, file, asked.reason.unwrap_or(Reason::Secret))
    };
    list.push(redaction);
    Ok(())
}

/// The file that contains the text.
fn named(recorded: &OriginalFiles, is_event: bool, file: Option<&str>) -> Result<String, Refusal> {
    let tapes: Vec<&str> = (recorded.files.keys().map(String::as_str))
        .filter(|path| !path.contains('/') && load::is_tape(path))
        .collect();
    match (file, &tapes[..]) {
        (Some(file), _) if recorded.files.contains_key(file) => Ok(file.to_owned()),
        (Some(file), _) => Err(no_file(file)),
        (None, [only]) if is_event => Ok((*only).to_owned()),
        (None, []) if is_event => Err(Refusal::request(
            "The run has no tape",
            "Name a file with `--file`.",
        )),
        (None, several) if is_event => {
            let names: Vec<_> = several.iter().map(|name| quoted(name)).collect();
            Err(Refusal::request(
                "The run has several tapes",
                format!("Name one with `--tape`: {}.", names.join(", ")),
            ))
        }
        (None, _) => Err(Refusal::request(
            "No file is named",
            "Name it with `--file`, or an event with `--event`.",
        )),
    }
}

fn no_file(file: &str) -> Refusal {
    Refusal::request(
        format!("The run has no file {}", quoted(file)),
        "Name it by its path from the run directory, such as `events.jsonl`.",
    )
}

/// Every occurrence of a text in the run.
fn everywhere(recorded: &OriginalFiles, value: &str, reason: Reason) -> Vec<Span> {
    let mut spans = Vec::new();
    for (path, bytes) in recorded.texts() {
        let found = occurrences(path, bytes, value).into_iter();
        spans.extend(found.map(|found| (path.to_owned(), found, reason)));
    }
    spans
}

/// Scans the published text of the run; returns file, finding and text.
fn scan(
    list: &List,
    recorded: &OriginalFiles,
    settings: &ScanSettings<'_>,
) -> Result<Vec<(String, Finding, String)>, Refusal> {
    let mut all = Vec::new();
    for (path, bytes) in recorded.texts() {
        let Some(published) = published(list, path, bytes)? else {
            continue;
        };
        for finding in secrets::scan(path, &published, settings) {
            if let Some(value) = value(path, &published, &finding) {
                all.push((path.to_owned(), finding, value));
            }
        }
    }
    Ok(all)
}

/// The published content of a file; `None` if the whole file is withheld.
fn published(list: &List, path: &str, bytes: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
    let rewritten = list.rewritten(path, bytes, false);
    let rewritten = rewritten.map_err(|fault| super::stale(list, &fault))?;
    Ok(rewritten.map(|rewritten| rewritten.bytes))
}

/// The texts of an error of the check; none for the name of a file. A file held in a transcript is scanned decoded, so all
/// findings in its string are withheld.
fn of_error(
    list: &List,
    recorded: &OriginalFiles,
    name: &str,
    finding: &Finding,
) -> Result<Vec<(String, Finding, String)>, Refusal> {
    let (file, held) = name.split_once('#').unzip();
    let file = file
        .filter(|_| !recorded.files.contains_key(name))
        .unwrap_or(name);
    let Some(bytes) = recorded.files.get(file).filter(|_| finding.line > 0) else {
        return Ok(Vec::new());
    };
    let Some(published) = published(list, file, bytes)? else {
        return Ok(Vec::new());
    };
    let found = match held.filter(|_| file != name) {
        None => vec![finding.clone()],
        Some(pointer) => {
            let mut found = secrets::scan(file, &published, &ScanSettings::default());
            let is_below = |at: &str| at.starts_with(pointer);
            found.retain(|finding| finding.pointer.as_deref().is_some_and(is_below));
            found
        }
    };
    let found = found.into_iter().filter_map(|finding| {
        let value = value(file, &published, &finding)?;
        Some((file.to_owned(), finding, value))
    });
    Ok(found.collect())
}

/// The text of a finding.
fn value(path: &str, bytes: &[u8], finding: &Finding) -> Option<String> {
    let as_written = || {
        let bytes = bytes.get(finding.raw_range.clone())?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    };
    if finding.pointer.is_none() || finding.is_key || Shape::of(path) == Shape::Text {
        return as_written();
    }
    let redaction = Redaction {
        id: String::new(),
        file: path.to_owned(),
        event: None,
        line: Shape::of(path).has_lines().then_some(finding.line),
        pointer: finding.pointer.clone(),
        start: Some(finding.range.start),
        end: Some(finding.range.end),
        length: None,
        whole: false,
        reason: Reason::Secret,
        note: None,
        by: None,
        at: None,
        commitment: None,
        published: None,
    };
    let read = rewrite(path, bytes, &[&redaction], false).ok();
    let value = read.and_then(|read| read.values.into_iter().next());
    value.map_or_else(as_written, |value| {
        Some(String::from_utf8_lossy(&value).into_owned())
    })
}

/// The spans of a finding, and all copies of its text.
fn of_finding(
    recorded: &OriginalFiles,
    asked: &Redact,
    file: &str,
    finding: &Finding,
    value: &str,
) -> Vec<Span> {
    let reason = asked.reason.unwrap_or(match finding.family {
        "personal" | "path" => Reason::Personal,
        _ => Reason::Secret,
    });
    let bytes = recorded
        .files
        .get(file)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let has_lines = Shape::of(file).has_lines();
    let is_here = |found: &Occurrence| {
        (!has_lines || found.line == Some(finding.line))
            && (finding.is_key
                || finding.pointer.is_none()
                || found.pointer.is_none()
                || found.pointer == finding.pointer)
    };
    let here = occurrences(file, bytes, value).into_iter().filter(is_here);
    let mut spans: Vec<Span> = here.map(|found| (file.to_owned(), found, reason)).collect();
    if value.len() >= SHORT {
        spans.extend(everywhere(recorded, value, reason));
    }
    spans
}

fn new(list: &List, asked: &Redact, file: &str, reason: Reason) -> Redaction {
    Redaction {
        id: list.free_id(),
        file: file.to_owned(),
        event: None,
        line: None,
        pointer: None,
        start: None,
        end: None,
        length: None,
        whole: false,
        reason,
        note: asked.note.clone(),
        by: asked.by.clone(),
        at: Some(asked.at.clone().unwrap_or_else(annotate::now)),
        commitment: None,
        published: None,
    }
}

/// Adds spans that are not withheld yet, with overlapping ones merged, and returns how many were added.
fn push(list: &mut List, recorded: &OriginalFiles, asked: &Redact, mut spans: Vec<Span>) -> usize {
    spans.retain(|(file, found, _)| !list.covers(file, found));
    let key = |file: &str, found: &Occurrence| {
        (
            file.to_owned(),
            found.line,
            found.pointer.clone(),
            found.span.start,
            found.span.end,
        )
    };
    spans.sort_by_key(|(file, found, _)| key(file, found));
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        let (file, found, _) = &span;
        match merged.last_mut() {
            Some((before, last, _))
                if before == file
                    && (last.line, &last.pointer) == (found.line, &found.pointer)
                    && found.span.start < last.span.end =>
            {
                last.span.end = last.span.end.max(found.span.end);
            }
            _ => merged.push(span),
        }
    }
    let count = merged.len();
    for (file, found, reason) in merged {
        let mut redaction = new(list, asked, &file, reason);
        found.put(&mut redaction);
        redaction.length = None;
        let bytes = recorded
            .files
            .get(&file)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let read = rewrite(&file, bytes, &[&redaction], false).ok();
        let value = read.and_then(|read| read.values.into_iter().next());
        let length = value.map(|value| String::from_utf8_lossy(&value).chars().count());
        redaction.length = length.or(Some(found.length));
        list.push(redaction);
    }
    count
}
