//! Reads each run as it is published, with the readers of a build, and compares `run.json` with what they find.

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonschema::Validator;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use base::diagnostics::text::quoted;
use base::diagnostics::{Diagnostic, Place, codes};
use base::links;
use content::inspect;
use content::load::LoadedFile;
use formats::audit::AuditVerdict;
use formats::model::annotation::{AnnotationCounts, AnnotationKind};
use formats::model::findings::{Findings, ThreadCounts};
use formats::model::review::Rating;
use formats::model::rule_result::RuleResult;
use formats::model::run::Run;
use formats::redactions::{self, RedactionReason};
use formats::run_record;
use gate::RunExtras;
use pages::feeds::annotations::AnnotationLines;
use pages::view::task;

use super::copy::SiteCopy;
use super::settings::SiteSettings;
use super::{compare, feeds};
use tapes::RunSource;

mod tapes;

/// The file with all data of a run.
const FILE: &str = "run.json";
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
    /// What lists and tables need of the run.
    pub(crate) findings: Findings,
    /// As in `run.json`.
    pub(crate) annotations: Vec<Value>,
    /// Its lines of the feeds of annotations; `None` if its tapes are not in the copy.
    pub(crate) lines: Option<AnnotationLines>,
    pub(crate) threads: Vec<Value>,
    /// The writeup as its page shows it.
    pub(crate) writeup: Option<String>,
    /// Files of the run directory, with the digest of each as it was recorded.
    pub(crate) files: Vec<(String, String)>,
    /// Whether the task in `findings` is known: that of another run is the title of its case, which is prose of the site.
    pub(crate) has_task: bool,
}

/// The keys of `run.json` that are compared.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunJson {
    slug: String,
    record: Box<RawValue>,
    review: Option<ReviewEntry>,
    tapes: Vec<TapeEntry>,
    steps: Value,
    reconciliation: Value,
    audit: Option<AuditEntry>,
    #[serde(default)]
    rules: Vec<RuleResult>,
    annotations: Vec<Value>,
    threads: Option<ThreadList>,
    files: Vec<FileEntry>,
    #[serde(default)]
    withheld: Vec<WithheldSpan>,
}

#[derive(Debug, Deserialize)]
struct ReviewEntry {
    rating: Option<String>,
    markdown: String,
    html: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TapeEntry {
    file: String,
    events: usize,
    content_hash: String,
}

#[derive(Debug, Deserialize)]
struct AuditEntry {
    verdict: Option<AuditVerdict>,
    #[serde(default)]
    findings: Vec<AuditFinding>,
}

#[derive(Debug, Deserialize)]
struct AuditFinding {
    seq: Option<u64>,
    before: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ThreadList {
    resource: Option<String>,
    annotation_count: usize,
    entry_count: usize,
    open_count: usize,
    annotations: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct FileEntry {
    path: String,
    bytes: u64,
    blake3: String,
    recorded: Option<RecordedFile>,
}

#[derive(Debug, Deserialize)]
struct RecordedFile {
    blake3: String,
}

#[derive(Debug, Deserialize)]
struct WithheldSpan {
    file: String,
    length: Option<usize>,
    reason: RedactionReason,
}

impl ThreadList {
    /// Whether the counts are those of the threads.
    fn has_right_counts(&self) -> bool {
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
    settings: &SiteSettings,
    problems: &mut Vec<Diagnostic>,
) -> Vec<PublishedRun> {
    let validator = feeds::run_validator();
    let paths = copy
        .files
        .keys()
        .filter(|path| links::split_run(path).is_some_and(|(_, file)| file == FILE));
    let paths: Vec<&String> = paths.collect();
    let read = paths.par_iter().map(|path| {
        let mut found = Vec::new();
        let run = read_run(copy, path, validator.as_ref(), settings, &mut found);
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
    validator: Option<&Validator>,
    settings: &SiteSettings,
    problems: &mut Vec<Diagnostic>,
) -> Option<PublishedRun> {
    let bytes = copy.read_some(path, problems)?;
    let before = problems.len();
    feeds::document(path, &bytes, validator, problems)?;
    let document: RunJson = match serde_json::from_slice(&bytes) {
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
    compare_files(copy, &folder, &document, problems);
    if document
        .threads
        .as_ref()
        .is_some_and(|threads| !threads.has_right_counts())
    {
        let place = Place::file(path).pointing("/threads");
        problems.push(compare::differs(place, "the threads below it"));
    }
    compare_withheld(copy, &folder, &document, problems);
    let mut of_run = PublishedRun {
        path: path.to_owned(),
        findings: findings(&run, &document),
        slug: document.slug.clone(),
        record,
        annotations: document.annotations.clone(),
        lines: None,
        threads: document
            .threads
            .as_ref()
            .map(|it| it.annotations.clone())
            .unwrap_or_default(),
        writeup: document.review.as_ref().map(|review| review.html.clone()),
        files: document
            .files
            .iter()
            .map(|file| {
                let recorded = file.recorded.as_ref().map(|it| &it.blake3);
                (file.path.clone(), recorded.unwrap_or(&file.blake3).clone())
            })
            .collect(),
        has_task: false,
        run,
    };
    let is_whole = document
        .tapes
        .iter()
        .all(|tape| copy.files.contains_key(&format!("{folder}/{}", tape.file)));
    let files = of_run.files.iter().map(|(path, _)| path.clone());
    let extras = RunExtras {
        files: files.collect(),
        ..RunExtras::default()
    };
    let of_trials = settings.evaluate(&of_run.run, None, extras, true);
    of_run.findings.rules.extend(of_trials);
    if is_whole {
        let source = RunSource {
            copy,
            settings,
            folder: &folder,
            record: &loaded,
            document: &document,
        };
        source.compare_events(&mut of_run, problems);
    }
    Some(of_run)
}

/// The folder with the event logs of a run.
fn folder(copy: &SiteCopy, page: &str, document: &RunJson) -> String {
    let elsewhere = page.replacen("runs/", DOWNLOADS, 1);
    let has = |tape: &TapeEntry| {
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
fn compare_files(
    copy: &SiteCopy,
    folder: &str,
    document: &RunJson,
    problems: &mut Vec<Diagnostic>,
) {
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
fn compare_withheld(
    copy: &SiteCopy,
    folder: &str,
    document: &RunJson,
    problems: &mut Vec<Diagnostic>,
) {
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

/// The findings of a run, as far as `run.json` has them.
fn findings(run: &Run, document: &RunJson) -> Findings {
    let rating = document
        .review
        .as_ref()
        .and_then(|review| review.rating.as_deref());
    let rating = rating.and_then(|word| {
        let mut ratings = Rating::TIERS.into_iter().chain(Rating::GRADES);
        ratings.find(|rating| rating.word() == word)
    });
    let mut counts = AnnotationCounts::default();
    for annotation in &document.annotations {
        counts.add(&AnnotationKind::parse(
            annotation["kind"].as_str().unwrap_or_default(),
        ));
    }
    let audit = document.audit.as_ref().and_then(|it| it.verdict);
    Findings {
        verdict: task::verdict_line(&task::verdict(run, rating, audit)),
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
        rules: document.rules.clone(),
        ..Findings::default()
    }
}
