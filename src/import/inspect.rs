//! Inspect: a log is one task with many samples, and each sample and epoch is a run. A log is one JSON document, or an archive
//! with a member or a folder of chunks for each sample.

mod events;
mod message;
mod sample;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

use base::diagnostics::codes::{
    IMPORT_NO_RUNS, IMPORT_UNREADABLE_ENTRY, IMPORT_UNSUPPORTED_VERSION,
};
use base::diagnostics::text::counted;

use super::draft::{Draft, DraftEvent, EventContent, Origin};
use super::raw_json;
use super::row::Row;
use super::{EachRun, ImportOptions, LogArchive, LogSource, Problem, problem};

use message::Attachments;
use sample::{SampleContent, outcomes, ranges, record};

/// The newest supported log version.
const NEWEST: u64 = 3;

pub fn runs(source: &LogSource, options: &ImportOptions, each: EachRun<'_>) {
    let names = source.names();
    let is_log = |name: &str| matches!(name.rsplit('.').next(), Some("eval" | "json"));
    for (position, name) in names.iter().enumerate() {
        if names.len() > 1 && !is_log(name) {
            continue;
        }
        let is_zip = source
            .head(position)
            .map(|head| head.starts_with(b"PK\x03\x04"));
        let read = match is_zip {
            Ok(true) => archive(source, position, options, each),
            Ok(false) => document(source, position, options, each),
            Err(problem) => Err(problem),
        };
        if let Err(problem) = read {
            each(Err(problem));
        }
    }
}

/// Rejects versions that are newer than supported.
fn check_version(log: &Row<'_>, file: &str) -> Result<(), Problem> {
    let version = log.count("version").unwrap_or_default();
    if version <= NEWEST {
        return Ok(());
    }
    let message = format!("The log has version {version}; the newest that is read is {NEWEST}");
    let help = "Use a newer runpress, or convert the log with `inspect log convert`.";
    Err(problem(&IMPORT_UNSUPPORTED_VERSION, file, message, help))
}

/// The problem of a log without samples, with its reason as far as the log has it.
fn no_samples(file: &str, log: &Row<'_>) -> Problem {
    let (message, help) = if log.flag("eval.config.log_samples") == Some(false) {
        (
            "The log holds no samples: they were not logged",
            "Evaluate without `--no-log-samples`, or import another log.",
        )
    } else {
        (
            "The log holds no samples",
            "Import a log of an evaluation in which a sample ended.",
        )
    };
    problem(&IMPORT_NO_RUNS, file, message, help)
}

/// The problem of a log that ended well and holds fewer samples than it states.
fn missing_samples(log: &Row<'_>, found: usize) -> Option<Problem> {
    let stated = log.count("results.total_samples")?;
    let is_short = log.text("status") == "success" && stated > found as u64;
    let stated = counted(stated, "sample");
    let message = format!("The log states {stated} and holds {found}");
    let help = "Copy the log again if it was cut; the samples that it holds are imported.";
    is_short.then(|| problem(&IMPORT_UNREADABLE_ENTRY, "", message, help))
}

/// Reads a log that is a single document.
fn document(
    source: &LogSource,
    position: usize,
    options: &ImportOptions,
    each: EachRun<'_>,
) -> Result<(), Problem> {
    let file = source.read(position)?;
    let text = raw_json::text(file.name, &file.bytes)?;
    let log = Row::parse_object(file.name, &text)?;
    check_version(&log, file.name)?;
    let samples = log.rows("samples").enumerate();
    let mut samples: Vec<_> = samples
        .map(|(number, sample)| {
            let epoch = sample.count("epoch").unwrap_or_default();
            let id = padded(&sample.id("id").unwrap_or_default());
            ((epoch, id, number), sample)
        })
        .collect();
    samples.sort_by(|a, b| a.0.cmp(&b.0));
    if samples.is_empty() {
        return Err(no_samples(file.name, &log));
    }
    let mut missing = missing_samples(&log, samples.len());
    for ((.., number), sample) in samples {
        let pointer = format!("/samples/{number}");
        if !sample.is_object() {
            each(Err(raw_json::unreadable(file.name, &pointer, "a sample")));
            continue;
        }
        let content = SampleContent::of(sample, &Origin::default(), &pointer);
        let draft = draft(&log, &content, true, options);
        each(Ok(with_file(draft, file.name, position, missing.take())));
    }
    Ok(())
}

/// Reads an archive, one sample at a time.
fn archive(
    source: &LogSource,
    position: usize,
    options: &ImportOptions,
    each: EachRun<'_>,
) -> Result<(), Problem> {
    let archive = source.archive(position)?;
    let file = source.names().get(position).map_or("", String::as_str);
    let names = archive.names();
    let header = ["header.json", "_journal/start.json"];
    let header = header
        .into_iter()
        .find(|name| names.iter().any(|known| known == name));
    let Some(header) = header else {
        return Err(raw_json::unreadable(file, "header.json", "in the archive"));
    };
    let bytes = archive.read(header)?;
    let head = raw_json::text(file, &bytes)?;
    let log = Row::parse_object(file, &head)?;
    check_version(&log, file)?;
    let is_finished = header == "header.json";
    let (mut samples, problems) = samples(file, names);
    if samples.is_empty() && problems.is_empty() {
        return Err(no_samples(file, &log));
    }
    let mut missing = missing_samples(&log, samples.len() + problems.len());
    for problem in problems {
        each(Err(problem));
    }
    samples.sort_by_key(|(name, _)| {
        let (id, epoch) = id_and_epoch(name).unwrap_or((name, 0));
        (epoch, padded(id))
    });
    for (name, in_chunks) in samples {
        let draft = |content: SampleContent<'_>| draft(&log, &content, is_finished, options);
        let read = if in_chunks {
            chunked_sample(&archive, name, draft)
        } else {
            whole_sample(&archive, name, draft)
        };
        each(read.map(|draft| with_file(draft, file, position, missing.take())));
    }
    Ok(())
}

/// The samples of an archive by name, each with whether it is a folder of chunks, and the problems of members that belong to none.
/// A sample is a member or a folder `<id>_epoch_<number>`. Its id may hold slashes, and even such an ending.
fn samples<'n>(file: &str, names: &'n [String]) -> (Vec<(&'n str, bool)>, Vec<Problem>) {
    let below = |name: &'n String| name.strip_prefix("samples/");
    let members = || {
        names
            .iter()
            .filter_map(below)
            .filter(|name| !name.ends_with('/'))
    };
    let mut samples = Vec::new();
    let mut folders = BTreeSet::new();
    for name in members() {
        let Some(stem) = name.strip_suffix(".json") else {
            continue;
        };
        let folder = stem.strip_suffix("/sample");
        if id_and_epoch(stem).is_some() {
            samples.push((stem, false));
        } else if let Some(folder) = folder.filter(|folder| id_and_epoch(folder).is_some()) {
            samples.push((folder, true));
            folders.insert(folder);
        }
    }
    let mut left_out: BTreeMap<&str, Problem> = BTreeMap::new();
    for name in names {
        let normal = name.replace('\\', "/");
        let is_misplaced = normal
            .trim_start_matches(['.', '/'])
            .starts_with("samples/");
        if is_misplaced && !name.starts_with("samples/") {
            let message = format!("The member `{name}` is not at the path of a sample");
            let help = "Write the log again with Inspect; other samples are imported.";
            let problem = problem(&IMPORT_UNREADABLE_ENTRY, file, message, help);
            left_out.insert(name, problem);
        }
    }
    for name in members() {
        let stem = name.strip_suffix(".json");
        let ends = name.match_indices('/').map(|(at, _)| &name[..at]);
        let above: Vec<&str> = ends
            .filter(|folder| id_and_epoch(folder).is_some())
            .collect();
        let is_part = above.iter().any(|folder| folders.contains(folder));
        if is_part || stem.is_some_and(|stem| id_and_epoch(stem).is_some()) {
            continue;
        }
        if let Some(folder) = above.last() {
            left_out.entry(folder).or_insert_with(|| {
                let message = format!("The sample `{folder}` has no `sample.json`");
                let help = "Copy the log again; other samples are imported.";
                problem(&IMPORT_UNREADABLE_ENTRY, file, message, help)
            });
        } else if let Some(stem) = stem {
            // Inspect itself reads every JSON file there.
            samples.push((stem, false));
        } else {
            let message = format!("The member `samples/{name}` is not a sample");
            let help = "Everything else in the log is imported.";
            let problem = problem(&IMPORT_UNREADABLE_ENTRY, file, message, help);
            left_out.insert(name, problem);
        }
    }
    (samples, left_out.into_values().collect())
}

/// The id and the epoch in the name of a sample.
fn id_and_epoch(name: &str) -> Option<(&str, u64)> {
    let (id, epoch) = name.rsplit_once("_epoch_")?;
    let is_number = epoch.bytes().all(|byte| byte.is_ascii_digit());
    Some((id, epoch.parse().ok().filter(|_| is_number)?))
}

/// Converts a sample to a draft.
fn draft(
    log: &Row<'_>,
    content: &SampleContent<'_>,
    is_finished: bool,
    options: &ImportOptions,
) -> Draft {
    let mut draft = Draft::default();
    for problem in &content.problems {
        draft.skip(problem.clone());
    }
    if !is_finished {
        let text = "The log ends before the evaluation did".to_owned();
        draft.note(Origin::default(), "unfinished", Some(text));
    }
    let times = events::read(content, options, &mut draft);
    let sample = &content.sample;
    if let Some(message) = sample.name("error.message") {
        let is_known = |event: &DraftEvent| matches!(&event.what, EventContent::Error { message: known, .. } if *known == message);
        if !draft.events.iter().any(is_known) {
            let mut place = content.place.clone();
            place.pointer.get_or_insert_default().push_str("/error");
            draft.push(place, EventContent::error(message));
        }
    }
    let frames = sample.word("error.traceback").is_some();
    draft.withhold("tracebacks", u64::from(frames));
    let includes = std::mem::take(&mut draft.record.includes);
    draft.record = record(log, sample, options);
    draft.record.includes = includes;
    outcomes(sample, &mut draft);
    for (_, usage) in sample.row("model_usage").into_iter().flat_map(Row::members) {
        draft.check_numbers(&usage, &["total_cost"], &sample::COUNTS);
    }
    times.write(&mut draft.record);
    draft
}

/// Completes the draft of a run in a file. The first one also has the problem that samples are missing.
fn with_file(mut draft: Draft, file: &str, position: usize, missing: Option<Problem>) -> Draft {
    draft.sources.push(position);
    if let Some(problem) = missing {
        draft.warn(problem);
    }
    for problem in &mut draft.warnings {
        file.clone_into(&mut problem.place.path);
    }
    draft
}

fn whole_sample(
    archive: &LogArchive<'_>,
    name: &str,
    make: impl Fn(SampleContent<'_>) -> Draft,
) -> Result<Draft, Problem> {
    let member = format!("samples/{name}.json");
    let bytes = archive.read(&member)?;
    let text = raw_json::text(&member, &bytes)?;
    let sample = Row::parse_object(&member, &text)?;
    Ok(make(SampleContent::of(sample, &within(member), "")))
}

/// Reads a sample whose messages, events and attachments are in chunks, each named by the number of its first item.
fn chunked_sample(
    archive: &LogArchive<'_>,
    name: &str,
    make: impl Fn(SampleContent<'_>) -> Draft,
) -> Result<Draft, Problem> {
    let folder = format!("samples/{name}/");
    let member = format!("{folder}sample.json");
    let bytes = archive.read(&member)?;
    let text_of_sample = raw_json::text(&member, &bytes)?;
    let sample = Row::parse_object(&member, &text_of_sample)?;
    let read = |kind: &str| -> Result<Vec<(String, String)>, Problem> {
        let below = format!("{folder}{kind}/");
        let chunks = archive.below(&below).iter().filter_map(|name| {
            let number = name.strip_prefix(&below)?.strip_suffix(".json")?;
            Some((number.parse::<u64>().ok()?, name))
        });
        let mut chunks: Vec<_> = chunks.collect();
        chunks.sort();
        let read = chunks.into_iter().map(|(_, name)| {
            let bytes = archive.read(name)?;
            Ok((name.clone(), raw_json::text(name, &bytes)?.into_owned()))
        });
        read.collect()
    };
    let (messages, events, attachments) =
        (read("messages")?, read("events")?, read("attachments")?);
    let mut problems = Vec::new();
    let events = items(&events, &mut problems);
    let pool: Vec<_> = raws(items(&messages, &mut problems)).collect();
    let listed = ranges(&sample, "message_refs", pool.len()).into_iter();
    let place = within(member);
    let listed = listed.map(|number| (place.clone(), pool[number])).collect();
    let attachments = raws(items(&attachments, &mut problems)).enumerate();
    let attachments = attachments.map(|(number, raw)| (number.to_string().into(), raw));
    Ok(make(SampleContent {
        events,
        messages: listed,
        attachments: Attachments(attachments.collect()),
        pool,
        place,
        problems,
        sample,
    }))
}

fn raws(items: Vec<(Origin, &str)>) -> impl Iterator<Item = &str> {
    items.into_iter().map(|(_, raw)| raw)
}

/// The items of chunks, with their places.
fn items<'a>(
    chunks: &'a [(String, String)],
    problems: &mut Vec<Problem>,
) -> Vec<(Origin, &'a str)> {
    let mut all = Vec::new();
    for (name, text) in chunks {
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(text) else {
            let message = format!("The member `{name}` is not a list");
            let help = "Everything else in the sample is imported.";
            problems.push(problem(&IMPORT_UNREADABLE_ENTRY, "", message, help));
            continue;
        };
        all.extend(items.into_iter().enumerate().map(|(number, raw)| {
            let mut place = within(name.clone());
            place.pointer = Some(format!("/{number}"));
            (place, raw.get())
        }));
    }
    all
}

fn within(member: String) -> Origin {
    Origin {
        member: Some(member),
        ..Origin::default()
    }
}

/// The sort key of an id: numbers by value.
fn padded(id: &str) -> String {
    if !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) {
        return format!("{id:0>20}");
    }
    id.to_owned()
}
