//! Makes the feeds over all runs again from the published runs, and compares them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use base::diagnostics::{Diagnostic, Place, codes};
use base::links::{self, Slug};
use content::rules::decisions::{self, DecisionTargets};
use formats::config::RunSelection;
use formats::model::archive::{Archive, GroupBy, GroupText};
use formats::model::cells;
use formats::model::findings::Findings;
use formats::model::run::Run;
use formats::model::time::Moment;
use pages::feeds::{self, annotations::AnnotationLines, archive::RunCard};

use super::compare;
use super::copy::SiteCopy;
use super::feeds::{Documents, INDEX};
use super::lists;
use super::run_page;
use super::runs::PublishedRun;
use super::settings::{DECISIONS, RULES, SiteSettings};

const THREADS: &str = "feeds/threads.jsonl";
const CSV: &str = "feeds/runs.csv";
const JSON_FEED: &str = "feeds/feed.json";
/// What the feeds are compared with, in messages.
const RECORDS: &str = "the published records";
const ANNOTATIONS: &str = "the published annotations";
const RULE_RESULTS: &str = "the rules and the results of the runs";

/// The feeds of annotations.
const ANNOTATION_FEEDS: [AnnotationFeed; 5] = [
    AnnotationFeed {
        path: "feeds/annotations.jsonl",
        pointer: "",
        run_id: "runId",
        lines: |lines| lines.all.as_bytes(),
    },
    AnnotationFeed {
        path: "feeds/friction.json",
        pointer: "/events",
        run_id: "run_id",
        lines: |lines| lines.friction.as_bytes(),
    },
    AnnotationFeed {
        path: "feeds/hypotheses.json",
        pointer: "/hypotheses",
        run_id: "runId",
        lines: |lines| lines.hypotheses.as_bytes(),
    },
    AnnotationFeed {
        path: "feeds/crystallize.json",
        pointer: "/anchors",
        run_id: "runId",
        lines: |lines| lines.anchors.as_bytes(),
    },
    AnnotationFeed {
        path: "feeds/labels.jsonl",
        pointer: "",
        run_id: "runId",
        lines: |lines| lines.labels.as_bytes(),
    },
];

/// A feed of annotations.
struct AnnotationFeed {
    path: &'static str,
    /// The list in it.
    pointer: &'static str,
    /// The key with the id of the run.
    run_id: &'static str,
    lines: fn(&AnnotationLines) -> &[u8],
}

/// The archive and the findings of its runs, made again of what is published.
struct DerivedSite<'a> {
    settings: &'a SiteSettings,
    archive: Archive,
    findings: Vec<Findings>,
}

/// Compares all feeds over all runs.
pub(crate) fn check(
    copy: &SiteCopy,
    documents: &Documents,
    settings: &SiteSettings,
    runs: &[PublishedRun],
    problems: &mut Vec<Diagnostic>,
) {
    let mut newest: Vec<&PublishedRun> = runs.iter().collect();
    // As in a build: runs without a time come last, by id.
    newest.sort_by(|a, b| {
        let times = |run: &Run| [run.recency(), run.started.as_ref()].map(|at| at.map(Moment::ms));
        (times(&b.run), &a.run.id).cmp(&(times(&a.run), &b.run.id))
    });
    let sample;
    let documents = if copy.left_out.is_empty() {
        documents
    } else {
        sample = sample_documents(documents, &newest);
        &sample
    };
    let site = DerivedSite::new(documents, settings, &newest);
    site.compare(documents, problems);
    site.decisions(documents, problems);
    if copy.left_out.is_empty() {
        site.json_feed(copy, problems);
    }
    if !settings.has_own_templates {
        let runs = site.archive.runs.par_iter().zip(&site.findings);
        let runs = runs.zip(&newest);
        problems.par_extend(runs.flat_map_iter(|((entry, found), run)| {
            let writeup = run.writeup.as_deref();
            run_page::check(copy, &settings.config, entry, found, writeup)
        }));
    }
    problems.extend(lists::check(copy, settings, &site.archive, &site.findings));
    // The table of all runs cannot be made of a sample.
    let csv = copy
        .read_some(CSV, problems)
        .filter(|_| copy.left_out.is_empty());
    problems.extend(csv.and_then(|csv| first_different_line(&csv, &site.csv())));
    annotations(documents, &newest, problems);
    threads(documents, &newest, problems);
}

impl<'a> DerivedSite<'a> {
    fn new(documents: &Documents, settings: &'a SiteSettings, newest: &[&PublishedRun]) -> Self {
        let slugs = |group_by: GroupBy, name: &str| {
            let folder = group_by.folder();
            let groups = documents.get(&format!("feeds/{folder}.json"));
            let groups = groups.and_then(|groups| groups[folder].as_array());
            let mut groups = groups.into_iter().flatten();
            let group = groups.find(|group| group["name"] == name);
            let slug = group.and_then(|group| group["slug"].as_str());
            slug.unwrap_or_default().to_owned()
        };
        let folders = settings.config.publish.run_folders;
        let entries = newest
            .iter()
            .map(|run| (Arc::clone(&run.run), Slug::new(&run.slug, folders), 0));
        let mut archive = Archive::new(entries.collect(), &slugs, &|_| GroupText::default());
        for decision in &settings.decisions {
            let mut entries = archive.runs.iter_mut();
            if let Some(entry) = entries.find(|entry| *entry.run.id == *decision.run) {
                entry.decisions.push(Arc::clone(decision));
            }
        }
        let cards = documents.get("feeds/runs.json");
        let cards = cards.and_then(|document| document["runs"].as_array());
        let cards: BTreeMap<&str, &Value> = cards
            .into_iter()
            .flatten()
            .filter_map(|card| Some((card["id"].as_str()?, card)))
            .collect();
        let findings = newest.iter().map(|run| {
            let mut findings = run.findings.clone();
            // The title of a case is prose of the site.
            let card = cards.get(&*run.run.id).filter(|_| !run.has_task);
            if let Some(task) = card.and_then(|card| card["task"].as_str()) {
                task.clone_into(&mut findings.task);
            }
            findings.writeup_html.clone_from(&run.writeup);
            findings
        });
        Self {
            findings: findings.collect(),
            settings,
            archive,
        }
    }

    fn compare(&self, documents: &Documents, problems: &mut Vec<Diagnostic>) {
        let (archive, findings) = (&self.archive, self.findings.as_slice());
        let config = &self.settings.config;
        let mut cards = Vec::new();
        for (entry, found) in archive.runs.iter().zip(findings) {
            let url = feeds::archive::address(config, &links::run(&entry.slug));
            cards.extend(serde_json::to_value(RunCard::of(&url, entry, found)));
        }
        let cards = Value::Array(cards);
        let mut compare = |path: &str, pointer: &str, derived: &Value, of: &str| {
            let Some(document) = documents.get(path) else {
                return;
            };
            let published = document.pointer(pointer).unwrap_or(&Value::Null);
            let place = Place::file(path).pointing(pointer);
            problems.extend(compare::problems(&place, published, derived, of));
        };
        let count = json!(archive.runs.len());
        compare(INDEX, "/runs", &count, RECORDS);
        compare("feeds/runs.json", "/runs", &cards, RECORDS);
        compare("feeds/runs.jsonl", "", &cards, RECORDS);
        let cases = value(feeds::groups::cases(config, archive, findings));
        compare("feeds/cases.json", "", &cases, RECORDS);
        let models = value(feeds::groups::models(config, archive, findings));
        compare("feeds/models.json", "", &models, RECORDS);
        let harnesses = value(feeds::groups::harnesses(config, archive, findings));
        compare("feeds/harnesses.json", "", &harnesses, RECORDS);
        let of_cells = cells::of_archive(archive, &config.cells);
        let of_cells = feeds::cells::CellsDocument::of(&config.cells, archive, &of_cells);
        compare("feeds/cells.json", "", &value(of_cells), RECORDS);
        let decided =
            feeds::decisions::DecisionsDocument::of(config, &self.settings.decisions, archive);
        compare(DECISIONS, "", &value(decided), RECORDS);
        let rules = feeds::rules::document(config, &self.settings.rules, archive, findings);
        compare(RULES, "", &value(rules), RULE_RESULTS);
    }

    /// Compares the feed for feed readers, which has no schema.
    fn json_feed(&self, copy: &SiteCopy, problems: &mut Vec<Diagnostic>) {
        let Some(bytes) = copy.read_some(JSON_FEED, problems) else {
            return;
        };
        if let Some(feed) = super::feeds::document(JSON_FEED, &bytes, None, problems) {
            let place = Place::file(JSON_FEED).pointing("/items");
            let items = &feed["items"];
            let derived = self.feed_items(items);
            problems.extend(compare::problems(&place, items, &derived, RECORDS));
        }
    }

    /// The items of the feed for feed readers. Whether runs have cards is a setting that is not published.
    fn feed_items(&self, published: &Value) -> Value {
        let mut config = self.settings.config.clone();
        config.site.cards = RunSelection::All;
        let feed = feeds::json_feed::JsonFeed::of(&config, &self.archive, &self.findings);
        let mut feed = value(feed);
        let items = feed["items"].as_array_mut().into_iter().flatten();
        for (item, published) in items.zip(published.as_array().into_iter().flatten()) {
            if let Value::Object(item) = item
                && published["image"].is_null()
            {
                item.remove("image");
            }
        }
        feed["items"].take()
    }

    /// Checks that decisions are in order, and follow from the records and each other.
    fn decisions(&self, documents: &Documents, problems: &mut Vec<Diagnostic>) {
        if !documents.contains_key(DECISIONS) {
            return;
        }
        let decided = &self.settings.decisions;
        let targets = DecisionTargets {
            // A decision may be about a run that was never published.
            other_runs: decided.iter().map(|it| it.run.as_str()).collect(),
            rules: self
                .settings
                .rules
                .list
                .iter()
                .map(|rule| rule.id.as_str())
                .collect(),
        };
        let place = || Place::file(DECISIONS).pointing("/decisions");
        let found = decisions::check(decided, &self.archive, &targets).into_iter();
        // A build publishes a decision that only repeats another.
        let found = found.filter(Diagnostic::is_error);
        let help = "The decision or the record was changed after the build. Get the site from the publisher again.";
        problems.extend(
            found.map(|problem| codes::VERIFY_DIFFERENT_VALUE.at(place(), problem.message, help)),
        );
        if !decided.is_sorted_by_key(|it| it.date) {
            let message = "The decisions are not in the order of their days";
            problems.push(codes::VERIFY_DIFFERENT_VALUE.at(place(), message, help));
        }
    }

    /// `runs.csv` as a build writes it.
    fn csv(&self) -> Vec<u8> {
        let mut csv = Vec::new();
        // Writing into memory cannot fail.
        let _ = feeds::table::write_runs(
            &mut csv,
            &self.settings.config,
            &self.archive,
            &self.findings,
        );
        csv
    }
}

fn value(document: impl Serialize) -> Value {
    serde_json::to_value(document).unwrap_or_default()
}

fn first_different_line(published: &[u8], derived: &[u8]) -> Option<Diagnostic> {
    if published == derived {
        return None;
    }
    let lines = |bytes| <[u8]>::split_inclusive(bytes, |byte| *byte == b'\n');
    let same = lines(published)
        .zip(lines(derived))
        .take_while(|(a, b)| a == b);
    let line = u32::try_from(same.count() + 1).ok();
    let place = Place {
        line,
        ..Place::file(CSV)
    };
    Some(compare::differs(place, RECORDS))
}

/// The rows of a sample of runs in the feeds that have rows of single runs.
fn sample_documents(documents: &Documents, runs: &[&PublishedRun]) -> Documents {
    let ids: BTreeSet<&str> = runs.iter().map(|run| &*run.run.id).collect();
    let lists = ANNOTATION_FEEDS
        .iter()
        .map(|feed| (feed.path, feed.pointer, feed.run_id));
    let lists = lists.chain([
        ("feeds/runs.json", "/runs", "id"),
        ("feeds/runs.jsonl", "", "id"),
        (THREADS, "", "runId"),
    ]);
    let of_sample = lists.filter_map(|(path, pointer, key)| {
        let mut document = documents.get(path)?.clone();
        let rows = document.pointer_mut(pointer)?.as_array_mut()?;
        rows.retain(|row| row[key].as_str().is_some_and(|id| ids.contains(id)));
        Some((path.to_owned(), document))
    });
    let mut sample: Documents = of_sample.collect();
    // These documents have settings, which are read, and are not compared row by row.
    let index = documents
        .get(INDEX)
        .map(|index| json!({ "site": index["site"], "runs": runs.len() }));
    sample.extend(index.map(|index| (INDEX.to_owned(), index)));
    let ledger = documents.get(store::ledger::PATH).cloned();
    sample.extend(ledger.map(|ledger| (store::ledger::PATH.to_owned(), ledger)));
    sample
}

/// Compares the feeds of annotations with the annotations of each run. Without its event log, a run has only those of `run.json`.
fn annotations(documents: &Documents, newest: &[&PublishedRun], problems: &mut Vec<Diagnostic>) {
    for feed in ANNOTATION_FEEDS {
        let Some(document) = documents.get(feed.path) else {
            continue;
        };
        let published = document.pointer(feed.pointer).and_then(Value::as_array);
        let mut derived = Vec::new();
        for run in newest {
            let Some(lines) = &run.lines else {
                let all = published.into_iter().flatten();
                let of_run = all.filter(|line| line[feed.run_id] == *run.run.id);
                derived.extend(of_run.cloned());
                continue;
            };
            derived.extend(compare::json_lines((feed.lines)(lines)));
        }
        let mut published = published.cloned().unwrap_or_default();
        published
            .iter_mut()
            .chain(&mut derived)
            .for_each(leave_out_payloads);
        let published = Value::Array(published);
        let place = Place::file(feed.path).pointing(feed.pointer);
        let derived = Value::Array(derived);
        problems.extend(compare::problems(&place, &published, &derived, ANNOTATIONS));
    }
    of_run_documents(documents, newest, problems);
}

/// Leaves out of a label what the events of a Harn tape say: the tape may have it in files that are not published.
fn leave_out_payloads(label: &mut Value) {
    let is_log = label["tape"]
        .as_str()
        .is_none_or(|tape| tape == formats::events::FILE_NAME || formats::trace::is_trace(tape));
    if is_log {
        return;
    }
    let events = label.get_mut("events").and_then(Value::as_array_mut);
    for event in events.into_iter().flatten() {
        event["texts"] = Value::Null;
    }
}

/// Compares `annotations.jsonl` with `run.json` of the runs without event logs.
fn of_run_documents(
    documents: &Documents,
    newest: &[&PublishedRun],
    problems: &mut Vec<Diagnostic>,
) {
    let path = ANNOTATION_FEEDS[0].path;
    let lines = documents.get(path).and_then(Value::as_array);
    for run in newest.iter().filter(|run| run.lines.is_none()) {
        let of_run = lines.into_iter().flatten();
        let of_run = of_run.filter(|line| line["runId"] == *run.run.id);
        let of_run = of_run
            .cloned()
            .map(compare::without_run_id)
            .collect::<Vec<_>>();
        if of_run != run.annotations {
            problems.push(compare::differs(
                Place::file(&run.path).pointing("/annotations"),
                "the lines of `feeds/annotations.jsonl`",
            ));
        }
    }
}

/// Compares the feed of review threads with those of each run.
fn threads(documents: &Documents, newest: &[&PublishedRun], problems: &mut Vec<Diagnostic>) {
    let Some(published) = documents.get(THREADS).and_then(Value::as_array) else {
        return;
    };
    let threads = newest.iter().flat_map(|run| {
        let threads = run.threads.iter().rev();
        threads.map(|thread| (&*run.run.id, thread))
    });
    let threads: Vec<_> = threads.collect();
    if threads.len() != published.len() {
        problems.push(compare::differs(
            Place::file(THREADS),
            "the threads of the runs",
        ));
    }
    for ((line, (run, thread)), number) in published.iter().zip(threads).zip(1..) {
        // The line has further keys.
        let members = thread.as_object().into_iter().flatten();
        let is_same =
            line["runId"] == *run && members.into_iter().all(|(key, value)| line[key] == *value);
        if !is_same {
            let place = Place {
                line: Some(number),
                ..Place::file(THREADS)
            };
            problems.push(compare::differs(place, "the threads of the runs"));
        }
    }
}
