//! Reads each run as it is published, with the readers of a build, and compares `run.json` with what they find.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use jsonschema::Validator;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use base::links;
use content::discover::RunDirectory;
use content::inspect::{self, Inspection};
use content::load::{self, LoadedFile, RunFiles, RunFolder};
use formats::audit::Verdict;
use formats::config::{Config, Limits};
use formats::model::annotation::{Counts, Kind};
use formats::model::findings::{Findings, ThreadCounts};
use formats::model::review::Rating;
use formats::model::run::Run;
use formats::redactions::{self, Reason};
use formats::run_record;
use pages::feeds::annotations::{self, Lines};
use pages::view::task;

use super::compare;
use super::copy::SiteCopy;
use super::feeds::{self, Documents};

/// The file with all data of a run.
const FILE: &str = "run.json";
/// Largest file that is read into memory.
const LARGEST: u64 = 4 << 30;
/// The feed of decisions.
const DECISIONS: &str = "feeds/decisions.json";
/// The folder of downloads that are to be copied elsewhere.
const DOWNLOADS: &str = "downloads/";

/// A run as it is published.
#[derive(Debug)]
pub(crate) struct PublishedRun {
    /// The path of its `run.json`.
    pub(crate) path: String,
    pub(crate) slug: String,
    pub(crate) run: Arc<Run>,
    /// The record, as written.
    pub(crate) record: String,
    /// What tables show of it.
    pub(crate) findings: Findings,
    /// As in `run.json`.
    pub(crate) annotations: Vec<Value>,
    /// Its lines of the feeds of annotations; `None` if its tapes are not in the copy.
    pub(crate) lines: Option<Lines>,
    pub(crate) threads: Vec<Value>,
    pub(crate) rules: Vec<Value>,
    /// Files of the run directory, with the digest of each as it was recorded.
    pub(crate) files: Vec<(String, String)>,
    /// Whether the task in `findings` is known: that of another run is the title of its case, which is prose of the site.
    pub(crate) has_task: bool,
}

/// What is read of `run.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    slug: String,
    record: Box<RawValue>,
    review: Option<Review>,
    tapes: Vec<Tape>,
    audit: Option<Audit>,
    #[serde(default)]
    rules: Vec<Value>,
    annotations: Vec<Value>,
    threads: Option<Threads>,
    files: Vec<File>,
    #[serde(default)]
    withheld: Vec<Withheld>,
}

#[derive(Debug, Deserialize)]
struct Review {
    rating: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tape {
    file: String,
    events: usize,
    content_hash: String,
}

#[derive(Debug, Deserialize)]
struct Audit {
    verdict: Option<Verdict>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Threads {
    resource: Option<String>,
    annotation_count: usize,
    entry_count: usize,
    open_count: usize,
    annotations: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct File {
    path: String,
    bytes: u64,
    blake3: String,
    recorded: Option<Recorded>,
}

#[derive(Debug, Deserialize)]
struct Recorded {
    blake3: String,
}

#[derive(Debug, Deserialize)]
struct Withheld {
    file: String,
    length: Option<usize>,
    reason: Reason,
}

impl Threads {
    /// Whether its numbers are those of its threads.
    fn are_counted(&self) -> bool {
        let entries = self
            .annotations
            .iter()
            .filter_map(|it| it["entries"].as_array());
        self.annotation_count == self.annotations.len()
            && self.entry_count == entries.map(Vec::len).sum::<usize>()
    }
}

/// Reads all runs.
pub(crate) fn read(
    copy: &SiteCopy,
    documents: &Documents,
    problems: &mut Vec<Diagnostic>,
) -> Vec<PublishedRun> {
    let decided = documents
        .get(DECISIONS)
        .map(|document| &document["decisions"]);
    let decided = decided.and_then(Value::as_array).into_iter().flatten();
    let decided: Vec<&Value> = decided.filter(|it| !it["event"].is_null()).collect();
    let validator = feeds::run_validator();
    let paths = copy
        .files
        .keys()
        .filter(|path| links::split_run(path).is_some_and(|(_, file)| file == FILE));
    let paths: Vec<&String> = paths.collect();
    let read = paths.par_iter().map(|path| {
        let mut found = Vec::new();
        let run = read_run(copy, path, (validator.as_ref(), &decided), &mut found);
        if let Some(run) = &run {
            for problem in &mut found {
                problem.assign(&run.run.id);
            }
        }
        (run, found)
    });
    let mut runs = Vec::new();
    for (run, found) in read.collect::<Vec<_>>() {
        runs.extend(run);
        problems.extend(found);
    }
    runs
}

fn read_run(
    copy: &SiteCopy,
    path: &str,
    (validator, decided): (Option<&Validator>, &[&Value]),
    problems: &mut Vec<Diagnostic>,
) -> Option<PublishedRun> {
    let bytes = copy.read_some(path, problems)?;
    let before = problems.len();
    feeds::document(path, &bytes, validator, problems)?;
    let document: Document = match serde_json::from_slice(&bytes) {
        Ok(document) => document,
        Err(error) => {
            if problems.len() == before {
                problems.push(invalid(path, &error.to_string()));
            }
            return None;
        }
    };
    let record = document.record.get().to_owned();
    let name = run_record::FILE_NAME.to_owned();
    let loaded = LoadedFile::new(name, path.to_owned(), record.clone().into_bytes());
    let Some(run) = inspect::record(&loaded).run else {
        problems.push(invalid(path, "the record breaks the rules of its format"));
        return None;
    };
    let (page, _) = links::split_run(path)?;
    if page.rsplit('/').next() != Some(document.slug.as_str()) {
        let place = Place::file(path).pointing("/slug");
        problems.push(compare::differs(place, "the folder of the run"));
    }
    let folder = folder(copy, page, &document);
    own_files(copy, &folder, &document, problems);
    if document
        .threads
        .as_ref()
        .is_some_and(|threads| !threads.are_counted())
    {
        let place = Place::file(path).pointing("/threads");
        problems.push(compare::differs(place, "the threads below it"));
    }
    withheld(copy, &folder, &document, problems);
    let mut of_run = PublishedRun {
        path: path.to_owned(),
        findings: findings(&run, &document),
        slug: document.slug,
        record,
        annotations: document.annotations,
        lines: None,
        threads: document
            .threads
            .map(|it| it.annotations)
            .unwrap_or_default(),
        rules: document.rules,
        files: document
            .files
            .into_iter()
            .map(|file| {
                let recorded = file.recorded.map(|it| it.blake3);
                (file.path, recorded.unwrap_or(file.blake3))
            })
            .collect(),
        has_task: false,
        run,
    };
    let is_whole = document
        .tapes
        .iter()
        .all(|tape| copy.files.contains_key(&format!("{folder}/{}", tape.file)));
    if is_whole {
        let withheld = document
            .withheld
            .iter()
            .map(|it| it.file.as_str())
            .collect::<Vec<_>>();
        compare_events(
            copy,
            &folder,
            &loaded,
            Facts {
                tapes: &document.tapes,
                withheld: &withheld,
                decided,
            },
            &mut of_run,
            problems,
        );
    }
    Some(of_run)
}

/// The folder with the event logs of a run.
fn folder(copy: &SiteCopy, page: &str, document: &Document) -> String {
    let elsewhere = page.replacen("runs/", DOWNLOADS, 1);
    let has = |tape: &Tape| {
        copy.files
            .contains_key(&format!("{elsewhere}/{}", tape.file))
    };
    if document.tapes.iter().any(has) {
        elsewhere
    } else {
        page.to_owned()
    }
}

fn invalid(path: &str, reason: &str) -> Diagnostic {
    codes::VERIFY_INVALID_FEED.at(
        Place::file(path),
        format!("{} cannot be read: {reason}", quoted(path)),
        "It was changed after the build, or built by another version of runpress: verify a site with the version that built it.",
    )
}

/// Compares the published files of the run directory with their digests.
fn own_files(copy: &SiteCopy, folder: &str, document: &Document, problems: &mut Vec<Diagnostic>) {
    for file in &document.files {
        let path = format!("{folder}/{}", file.path);
        if let Some(bytes) = copy.read_some(&path, problems) {
            let listed = "`run.json` lists";
            problems.extend(feeds::changed(
                &path,
                &bytes,
                file.bytes,
                &file.blake3,
                listed,
            ));
        }
    }
}

/// Compares what is withheld with the published files: each has a marker for each of its spans.
fn withheld(copy: &SiteCopy, folder: &str, document: &Document, problems: &mut Vec<Diagnostic>) {
    let mut spans: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for span in &document.withheld {
        if let Some(length) = span.length {
            let marker = redactions::marker(span.reason, length);
            *spans.entry((&span.file, marker)).or_default() += 1;
        }
    }
    for ((file, marker), listed) in spans {
        let path = format!("{folder}/{file}");
        let Some(bytes) = copy.read_some(&path, problems) else {
            continue;
        };
        let found = String::from_utf8_lossy(&bytes).matches(&marker).count();
        if found < listed {
            problems.push(codes::VERIFY_NOT_WITHHELD.at(
                Place::file(&path),
                format!(
                    "{} has `{marker}` {found} times, and `run.json` lists {listed}",
                    quoted(&path)
                ),
                "What was withheld may be published here. Get the site from the publisher again.",
            ));
        }
    }
    let whole = document
        .withheld
        .iter()
        .filter(|span| span.length.is_none());
    for path in whole.map(|span| format!("{folder}/{}", span.file)) {
        if copy.files.contains_key(&path) {
            problems.push(codes::VERIFY_NOT_WITHHELD.at(
                Place::file(&path),
                format!(
                    "{} is published, and `run.json` lists it as withheld",
                    quoted(&path)
                ),
                "Get the site from the publisher again.",
            ));
        }
    }
}

/// What tables show of a run, as far as `run.json` says it.
fn findings(run: &Run, document: &Document) -> Findings {
    let rating = document
        .review
        .as_ref()
        .and_then(|review| review.rating.as_deref());
    let rating = rating.and_then(|word| {
        let mut ratings = Rating::TIERS.into_iter().chain(Rating::GRADES);
        ratings.find(|rating| rating.word() == word)
    });
    let mut counts = Counts::default();
    for annotation in &document.annotations {
        counts.add(&Kind::parse(
            annotation["kind"].as_str().unwrap_or_default(),
        ));
    }
    let audit = document.audit.as_ref().and_then(|it| it.verdict);
    Findings {
        verdict: task::line_of(&task::verdict(run, rating, audit)),
        rating,
        audit,
        events: (!document.tapes.is_empty())
            .then(|| document.tapes.iter().map(|tape| tape.events).sum()),
        annotations: counts,
        threads: document.threads.as_ref().map(|threads| ThreadCounts {
            channel: threads.resource.clone(),
            threads: threads.annotation_count,
            entries: threads.entry_count,
            open: threads.open_count,
        }),
        ..Findings::default()
    }
}

/// What is said about the events of a run.
#[derive(Clone, Copy)]
struct Facts<'a> {
    tapes: &'a [Tape],
    /// Files of which parts are withheld.
    withheld: &'a [&'a str],
    /// Decisions that name an event, of all runs.
    decided: &'a [&'a Value],
}

/// Reads the tapes and sidecars, and compares them with `run.json`.
fn compare_events(
    copy: &SiteCopy,
    folder: &str,
    record: &LoadedFile,
    facts: Facts<'_>,
    of_run: &mut PublishedRun,
    problems: &mut Vec<Diagnostic>,
) {
    let directory = RunDirectory::new(
        Arc::from(copy.root.as_path()),
        Path::new(folder),
        folder.to_owned(),
    );
    let mut config = Config::default();
    config.policy.raw_audit = None;
    // The site was built within its own limits, which are not published.
    config.limits = Limits {
        line: LARGEST,
        lines: usize::MAX,
        file: LARGEST,
        document: LARGEST,
        memory: LARGEST,
        ..config.limits
    };
    let (files, _) = load::run(&directory, record, &config.limits);
    let inspection = inspection(&config, &directory, &files);
    let path = of_run.path.clone();
    let differs = |pointer: String| {
        compare::differs(Place::file(&path).pointing(pointer), "the published events")
    };
    for (index, tape) in facts.tapes.iter().enumerate() {
        let Some(found) = inspection.tapes.iter().find(|it| it.file == tape.file) else {
            problems.push(differs(format!("/tapes/{index}/file")));
            continue;
        };
        if found.events.len() != tape.events {
            problems.push(differs(format!("/tapes/{index}/events")));
        }
        // A partly withheld tape has the hash of the recorded one.
        if found.content_hash != tape.content_hash && !facts.withheld.contains(&tape.file.as_str())
        {
            problems.push(differs(format!("/tapes/{index}/contentHash")));
        }
    }
    if let Some(tape) = inspection.tapes.first() {
        for (index, result) in of_run.rules.iter().enumerate() {
            let events = result["events"].as_array().into_iter().flatten();
            let mut events = events.filter_map(Value::as_u64);
            if events.any(|event| tape.position(event).is_none()) {
                problems.push(differs(format!("/rules/{index}/events")));
            }
        }
        let of_run = facts
            .decided
            .iter()
            .filter(|it| it["run"] == *of_run.run.id);
        let mut events = of_run.filter_map(|it| it["event"].as_u64());
        if events.any(|event| tape.position(event).is_none()) {
            let place = Place::file(DECISIONS).pointing("/decisions");
            problems.push(compare::differs(place, "the published events"));
        }
    }
    of_run.findings.task = task::task(&of_run.run, None, inspection.tapes.first());
    of_run.has_task = of_run.findings.task != *of_run.run.subject.case;
    let lines = annotations::lines(&of_run.run, &inspection.tapes, &inspection.sidecars);
    let Ok(lines) = lines else { return };
    let derived = lines.all.split_inclusive(|byte| *byte == b'\n');
    let derived = derived.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let derived = derived.map(|mut line| {
        if let Value::Object(members) = &mut line {
            members.remove("runId");
        }
        line
    });
    let place = Place::file(&path).pointing("/annotations");
    problems.extend(compare::problems(
        &place,
        &Value::Array(of_run.annotations.clone()),
        &Value::Array(derived.collect()),
        "the published event logs and sidecars",
    ));
    of_run.lines = Some(lines);
}

fn inspection<'a>(
    config: &Config,
    directory: &RunDirectory,
    files: &'a RunFiles,
) -> Inspection<'a> {
    let run_folder = RunFolder {
        directory,
        limits: &config.limits,
        redactions: &files.redactions,
    };
    // What a build reported about them is in the feed of diagnostics.
    inspect::annotated(config, run_folder, files).value
}
