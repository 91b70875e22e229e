//! Chooses the spans to withhold: the requested text, and all other copies in the run.

use crate::{Refusal, annotate};
use base::diagnostics::Diagnostic;
use base::diagnostics::text::quoted;
use content::load;
use formats::redactions::{
    FileLayout, Occurrence, Redaction, RedactionReason, occurrences, rewrite,
};
use formats::run_record;
use secrets::{self, Finding, ScanReport, ScanSettings};

use super::original_files::OriginalFiles;
use super::redaction_list::RedactionList;
use super::{RedactionRequest, RedactionTarget};

/// Shorter texts may occur anywhere by chance, so only the requested copy is withheld.
const SHORT: usize = 8;
/// Maximum scans of the remaining text.
const ROUNDS: usize = 4;

/// A place to withhold, and the reason.
struct PlannedSpan {
    file: String,
    occurrence: Occurrence,
    reason: RedactionReason,
}

/// A finding of the secret scan in a file, and its text.
struct FoundText {
    file: String,
    finding: Finding,
    text: String,
}

/// Checks the run with the redactions of a list.
pub(super) type CheckRun<'a> =
    &'a dyn Fn(&mut RedactionList) -> Result<(Vec<Diagnostic>, ScanReport), Refusal>;

/// Adds the requested redactions to the list, and returns how many spans are elsewhere in the run.
pub(super) fn add(
    list: &mut RedactionList,
    originals: &OriginalFiles,
    request: &RedactionRequest,
    run: &str,
    check: CheckRun<'_>,
) -> Result<usize, Refusal> {
    match &request.target {
        RedactionTarget::File(file) => withhold_file(list, originals, request, file).map(|()| 0),
        RedactionTarget::Quote {
            quote,
            event,
            file,
            pointer,
        } => {
            let reason = request.reason.unwrap_or(RedactionReason::Secret);
            let file = file_of_text(originals, event.is_some(), file.as_deref())?;
            let is_here = |found: &Occurrence| {
                event.is_none_or(|event| found.event == Some(event))
                    && (pointer.is_none() || found.pointer == *pointer)
            };
            let mut spans = spans_in(&file, originals.bytes(&file), quote, reason);
            spans.retain(|span| is_here(&span.occurrence));
            let count = spans.len();
            if quote.is_empty() || count == 0 {
                let place = match event {
                    Some(event) => format!("event {event} of {}", quoted(&file)),
                    None => quoted(&file),
                };
                return Err(Refusal::request(
                    format!("The text is not in {place}"),
                    "Copy it exactly as it is recorded; `--quote -` reads it from standard input.",
                ));
            }
            if quote.len() >= SHORT {
                spans.extend(all_occurrences(originals, quote, reason));
            }
            let added = push(list, originals, request, spans);
            if added == 0 {
                let help = "Its redactions are in `redactions.jsonl`.";
                return Err(Refusal::request("The text is withheld already", help));
            }
            Ok(added.saturating_sub(count))
        }
        RedactionTarget::Finding(fingerprint) => {
            let settings = ScanSettings {
                owner: run,
                paths: true,
                personal: true,
            };
            let found = scan(list, originals, &settings)?;
            let found = found
                .into_iter()
                .find(|found| found.finding.fingerprint == *fingerprint);
            let Some(found) = found else {
                return Err(Refusal::request(
                    format!("Finding {} is not in the run", quoted(fingerprint)),
                    "`runpress check` prints the fingerprints; they change when the file does.",
                ));
            };
            let spans = spans_of_finding(originals, request, &found);
            let added = push(list, originals, request, spans);
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
        RedactionTarget::All => {
            for _ in 0..ROUNDS {
                let (_, scanned) = check(list)?;
                let mut spans = Vec::new();
                for (name, finding) in &scanned.errors {
                    for found in texts_of_error(list, originals, name, finding)? {
                        spans.extend(spans_of_finding(originals, request, &found));
                    }
                }
                if push(list, originals, request, spans) == 0 {
                    break;
                }
            }
            Ok(0)
        }
    }
}

/// Withholds a whole file.
fn withhold_file(
    list: &mut RedactionList,
    originals: &OriginalFiles,
    request: &RedactionRequest,
    file: &str,
) -> Result<(), Refusal> {
    if !originals.files.contains_key(file) {
        return Err(no_file(file));
    }
    if file == run_record::FILE_NAME {
        let help = "Withhold parts of it with `--quote`, or leave the run out of the site.";
        return Err(Refusal::request(
            "The record of a run cannot be withheld whole",
            help,
        ));
    }
    if let Some(at) = list.of_file(file).first() {
        let id = quoted(&list.entries[*at].redaction.id);
        return Err(Refusal::request(
            format!("The file {} has redaction {id} already", quoted(file)),
            "Remove it with `--undo` first.",
        ));
    }
    let reason = request.reason.unwrap_or(RedactionReason::Secret);
    let redaction = new_redaction(list, request, file, reason);
    list.push(Redaction {
        whole: true,
        ..redaction
    });
    Ok(())
}

/// The file that contains the text.
fn file_of_text(
    originals: &OriginalFiles,
    is_event: bool,
    file: Option<&str>,
) -> Result<String, Refusal> {
    let tapes: Vec<&str> = (originals.files.keys().map(String::as_str))
        .filter(|path| !path.contains('/') && load::is_tape(path))
        .collect();
    match (file, &tapes[..]) {
        (Some(file), _) if originals.files.contains_key(file) => Ok(file.to_owned()),
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

/// Every occurrence of a text in a file.
fn spans_in(file: &str, bytes: &[u8], text: &str, reason: RedactionReason) -> Vec<PlannedSpan> {
    let found = occurrences(file, bytes, text).into_iter();
    let spans = found.map(|occurrence| PlannedSpan {
        file: file.to_owned(),
        occurrence,
        reason,
    });
    spans.collect()
}

/// Every occurrence of a text in the run.
fn all_occurrences<'a>(
    originals: &'a OriginalFiles,
    text: &'a str,
    reason: RedactionReason,
) -> impl Iterator<Item = PlannedSpan> + 'a {
    let texts = originals.texts();
    texts.flat_map(move |(path, bytes)| spans_in(path, bytes, text, reason))
}

/// Scans the published text of the run.
fn scan(
    list: &RedactionList,
    originals: &OriginalFiles,
    settings: &ScanSettings<'_>,
) -> Result<Vec<FoundText>, Refusal> {
    let mut all = Vec::new();
    for (path, bytes) in originals.texts() {
        let Some(published) = published(list, path, bytes)? else {
            continue;
        };
        let findings = secrets::scan(path, &published, settings).into_iter();
        all.extend(findings.filter_map(|finding| FoundText::of(path, &published, finding)));
    }
    Ok(all)
}

/// The published content of a file; `None` if the whole file is withheld.
fn published(list: &RedactionList, path: &str, bytes: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
    let rewritten = list.rewrite(path, bytes, false);
    let rewritten = rewritten.map_err(|fault| super::stale(list, &fault))?;
    Ok(rewritten.map(|rewritten| rewritten.bytes))
}

/// The texts of an error of the check; none for the name of a file. A file within a transcript is scanned decoded, so all
/// findings in its string are withheld.
fn texts_of_error(
    list: &RedactionList,
    originals: &OriginalFiles,
    name: &str,
    finding: &Finding,
) -> Result<Vec<FoundText>, Refusal> {
    let (file, pointer) = name.split_once('#').unzip();
    let file = file
        .filter(|_| !originals.files.contains_key(name))
        .unwrap_or(name);
    let Some(bytes) = originals.files.get(file).filter(|_| finding.line > 0) else {
        return Ok(Vec::new());
    };
    let Some(published) = published(list, file, bytes)? else {
        return Ok(Vec::new());
    };
    let found = match pointer.filter(|_| file != name) {
        None => vec![finding.clone()],
        Some(pointer) => {
            let mut found = secrets::scan(file, &published, &ScanSettings::default());
            let is_below = |at: &str| at.starts_with(pointer);
            found.retain(|finding| finding.pointer.as_deref().is_some_and(is_below));
            found
        }
    };
    let found = found.into_iter();
    Ok(found
        .filter_map(|finding| FoundText::of(file, &published, finding))
        .collect())
}

impl FoundText {
    /// `bytes` is the published content of the file.
    fn of(path: &str, bytes: &[u8], finding: Finding) -> Option<Self> {
        Some(Self {
            file: path.to_owned(),
            text: text_of(path, bytes, &finding)?,
            finding,
        })
    }
}

fn text_of(path: &str, bytes: &[u8], finding: &Finding) -> Option<String> {
    let raw = || {
        let bytes = bytes.get(finding.raw_range.clone())?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    };
    if finding.pointer.is_none() || finding.is_key || FileLayout::of(path) == FileLayout::Text {
        return raw();
    }
    let redaction = Redaction {
        line: FileLayout::of(path).has_lines().then_some(finding.line),
        pointer: finding.pointer.clone(),
        start: Some(finding.range.start),
        end: Some(finding.range.end),
        ..Redaction::empty(path, RedactionReason::Secret)
    };
    withheld_text(path, bytes, &redaction).or_else(raw)
}

/// The text that a redaction withholds; `None` if it does not match the file.
fn withheld_text(path: &str, bytes: &[u8], redaction: &Redaction) -> Option<String> {
    let rewritten = rewrite(path, bytes, &[redaction], false).ok()?;
    let text = rewritten.values.into_iter().next()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// The spans of a finding, and all copies of its text.
fn spans_of_finding(
    originals: &OriginalFiles,
    request: &RedactionRequest,
    found: &FoundText,
) -> Vec<PlannedSpan> {
    let FoundText {
        file,
        finding,
        text,
    } = found;
    let reason = request.reason.unwrap_or(match finding.family {
        "personal" | "path" => RedactionReason::Personal,
        _ => RedactionReason::Secret,
    });
    let has_lines = FileLayout::of(file).has_lines();
    let is_here = |found: &Occurrence| {
        (!has_lines || found.line == Some(finding.line))
            && (finding.is_key
                || finding.pointer.is_none()
                || found.pointer.is_none()
                || found.pointer == finding.pointer)
    };
    let mut spans = spans_in(file, originals.bytes(file), text, reason);
    spans.retain(|span| is_here(&span.occurrence));
    if text.len() >= SHORT {
        spans.extend(all_occurrences(originals, text, reason));
    }
    spans
}

fn new_redaction(
    list: &RedactionList,
    request: &RedactionRequest,
    file: &str,
    reason: RedactionReason,
) -> Redaction {
    Redaction {
        id: list.free_id(),
        note: request.note.clone(),
        by: request.by.clone(),
        at: Some(request.at.clone().unwrap_or_else(annotate::now)),
        ..Redaction::empty(file, reason)
    }
}

/// Adds spans that are not withheld yet, with overlapping ones merged, and returns how many were added.
fn push(
    list: &mut RedactionList,
    originals: &OriginalFiles,
    request: &RedactionRequest,
    mut spans: Vec<PlannedSpan>,
) -> usize {
    spans.retain(|span| !list.covers(&span.file, &span.occurrence));
    spans.sort_by_cached_key(|planned| {
        let found = &planned.occurrence;
        let text = (planned.file.clone(), found.line, found.pointer.clone());
        (text, found.span.start, found.span.end)
    });
    let mut merged: Vec<PlannedSpan> = Vec::new();
    for span in spans {
        let found = &span.occurrence;
        if let Some(PlannedSpan {
            file,
            occurrence: last,
            ..
        }) = merged.last_mut()
            && *file == span.file
            && (last.line, &last.pointer) == (found.line, &found.pointer)
            && found.span.start < last.span.end
        {
            last.span.end = last.span.end.max(found.span.end);
        } else {
            merged.push(span);
        }
    }
    let count = merged.len();
    for PlannedSpan {
        file,
        occurrence,
        reason,
    } in merged
    {
        let mut redaction = new_redaction(list, request, &file, reason);
        occurrence.put(&mut redaction);
        redaction.length = None;
        let text = withheld_text(&file, originals.bytes(&file), &redaction);
        let length = text.map(|text| text.chars().count());
        redaction.length = length.or(Some(occurrence.length));
        list.push(redaction);
    }
    count
}
