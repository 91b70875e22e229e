//! Makes the feeds over all runs again, of what is published of each run, and compares them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use base::diagnostics::{Diagnostic, Place};
use base::links::{self, Slug};
use formats::config::{self, Config};
use formats::decisions::Decision;
use formats::model::archive::{Archive, GroupBy, GroupText};
use formats::model::cells;
use formats::model::findings::Findings;
use formats::model::run::Run;
use formats::model::time::Moment;
use pages::feeds::{self, annotations::Lines, archive::RunCard};

use super::compare;
use super::copy::SiteCopy;
use super::feeds::{Documents, INDEX};
use super::runs::PublishedRun;

const THREADS: &str = "feeds/threads.jsonl";
const CSV: &str = "feeds/runs.csv";
/// What the feeds are compared with, in messages.
const RECORDS: &str = "the published records";
const ANNOTATIONS: &str = "the published annotations";

/// The feeds of annotations.
const OF_ANNOTATIONS: [OfAnnotations; 5] = [
    OfAnnotations {
        path: "feeds/annotations.jsonl",
        pointer: "",
        run_id: "runId",
        lines: |lines| &lines.all,
    },
    OfAnnotations {
        path: "feeds/friction.json",
        pointer: "/events",
        run_id: "run_id",
        lines: |lines| &lines.friction,
    },
    OfAnnotations {
        path: "feeds/hypotheses.json",
        pointer: "/hypotheses",
        run_id: "runId",
        lines: |lines| &lines.hypotheses,
    },
    OfAnnotations {
        path: "feeds/crystallize.json",
        pointer: "/anchors",
        run_id: "runId",
        lines: |lines| &lines.anchors,
    },
    OfAnnotations {
        path: "feeds/labels.jsonl",
        pointer: "",
        run_id: "runId",
        lines: |lines| &lines.labels,
    },
];

/// A feed of annotations.
struct OfAnnotations {
    path: &'static str,
    /// The list in it.
    pointer: &'static str,
    /// The key with the id of the run.
    run_id: &'static str,
    lines: fn(&Lines) -> &[u8],
}

/// All runs, with what tables show of each.
struct Site {
    config: Config,
    archive: Archive,
    findings: Vec<Findings>,
}

/// Compares all feeds over all runs.
pub(crate) fn check(
    copy: &SiteCopy,
    documents: &Documents,
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
        sample = of_runs(documents, &newest);
        &sample
    };
    let site = Site::new(documents, &newest);
    site.compare(documents, problems);
    // The table of all runs cannot be made of some.
    let csv = copy
        .read_some(CSV, problems)
        .filter(|_| copy.left_out.is_empty());
    problems.extend(csv.and_then(|csv| first_different_line(&csv, &site.csv())));
    annotations(documents, &newest, problems);
    threads(documents, &newest, problems);
    rules(documents, &newest, problems);
}

impl Site {
    fn new(documents: &Documents, newest: &[&PublishedRun]) -> Self {
        let config = config(documents);
        let slugs = |group_by: GroupBy, name: &str| {
            let folder = group_by.folder();
            let groups = documents.get(&format!("feeds/{folder}.json"));
            let groups = groups.and_then(|groups| groups[folder].as_array());
            let mut groups = groups.into_iter().flatten();
            let group = groups.find(|group| group["name"] == name);
            let slug = group.and_then(|group| group["slug"].as_str());
            slug.unwrap_or_default().to_owned()
        };
        let folders = config.publish.run_folders;
        let entries = newest
            .iter()
            .map(|run| (Arc::clone(&run.run), Slug::new(&run.slug, folders), 0));
        let mut archive = Archive::new(entries.collect(), &slugs, &|_| GroupText::default());
        let decided = documents.get("feeds/decisions.json");
        let decided = decided.and_then(|document| document["decisions"].as_array());
        for value in decided.into_iter().flatten() {
            let decision = serde_json::from_value::<Decision>(value.clone());
            let Ok(decision) = decision.map(Arc::new) else {
                continue;
            };
            let mut entries = archive.runs.iter_mut();
            if let Some(entry) = entries.find(|entry| *entry.run.id == *decision.run) {
                entry.decisions.push(decision);
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
            findings
        });
        Self {
            findings: findings.collect(),
            config,
            archive,
        }
    }

    fn compare(&self, documents: &Documents, problems: &mut Vec<Diagnostic>) {
        let (config, archive, findings) = (&self.config, &self.archive, &self.findings);
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
            let place = match pointer {
                "" => Place::file(path),
                pointer => Place::file(path).pointing(pointer),
            };
            problems.extend(compare::problems(&place, published, derived, of));
        };
        let value = |document: Result<Value, serde_json::Error>| document.unwrap_or_default();
        let count = json!(archive.runs.len());
        compare(INDEX, "/runs", &count, RECORDS);
        compare("feeds/runs.json", "/runs", &cards, RECORDS);
        compare("feeds/runs.jsonl", "", &cards, RECORDS);
        let cases = serde_json::to_value(feeds::groups::cases(config, archive, findings));
        compare("feeds/cases.json", "", &value(cases), RECORDS);
        let models = serde_json::to_value(feeds::groups::models(config, archive, findings));
        compare("feeds/models.json", "", &value(models), RECORDS);
        let harnesses = serde_json::to_value(feeds::groups::harnesses(config, archive, findings));
        compare("feeds/harnesses.json", "", &value(harnesses), RECORDS);
        let of_cells = cells::of_archive(archive, &config.cells);
        let of_cells = feeds::cells::CellsDocument::of(&config.cells, archive, &of_cells);
        compare(
            "feeds/cells.json",
            "",
            &value(serde_json::to_value(of_cells)),
            RECORDS,
        );
        let decided = documents.get("feeds/decisions.json");
        let decided = decided.and_then(|it| serde_json::from_value(it["decisions"].clone()).ok());
        let decided: Vec<Arc<Decision>> = decided
            .map(|all: Vec<Decision>| all.into_iter().map(Arc::new).collect())
            .unwrap_or_default();
        let decided = feeds::decisions::DecisionsDocument::of(config, &decided, archive);
        compare(
            "feeds/decisions.json",
            "",
            &value(serde_json::to_value(decided)),
            RECORDS,
        );
    }

    /// `runs.csv` as a build writes it.
    fn csv(&self) -> Vec<u8> {
        let mut csv = Vec::new();
        // Writing into memory cannot fail.
        let _ = feeds::table::write_runs(&mut csv, &self.config, &self.archive, &self.findings);
        csv
    }
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
fn of_runs(documents: &Documents, runs: &[&PublishedRun]) -> Documents {
    let ids: BTreeSet<&str> = runs.iter().map(|run| &*run.run.id).collect();
    let lists = OF_ANNOTATIONS
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
    // Their settings are read, and they have a row for each run only in part.
    let index = documents
        .get(INDEX)
        .map(|index| json!({ "site": index["site"], "runs": runs.len() }));
    sample.extend(index.map(|index| (INDEX.to_owned(), index)));
    let ledger = documents.get(store::ledger::PATH).cloned();
    sample.extend(ledger.map(|ledger| (store::ledger::PATH.to_owned(), ledger)));
    sample
}

/// The settings of the site, as far as its feeds say them.
fn config(documents: &Documents) -> Config {
    let document = |path: &str| documents.get(path).unwrap_or(&Value::Null);
    let site = &document(INDEX)["site"];
    let success = &document("feeds/cells.json")["success"];
    let folders = &document(store::ledger::PATH)["runFolders"];
    let settings = [
        (
            "site",
            [
                ("title", &site["title"]),
                ("base_url", &site["baseUrl"]),
                ("language", &site["language"]),
            ],
        ),
        (
            "policy",
            [
                ("licence", &site["licence"]),
                ("canary", &site["canary"]),
                ("canary", &Value::Null),
            ],
        ),
        (
            "publish",
            [
                ("run_folders", folders),
                ("run_folders", &Value::Null),
                ("run_folders", &Value::Null),
            ],
        ),
        (
            "cells",
            [
                ("outcome", &success["outcome"]),
                ("scorer", &success["scorer"]),
                ("at_least", &success["atLeast"]),
            ],
        ),
    ];
    let mut text = toml::Table::new();
    for (name, keys) in settings {
        let mut table = toml::Table::new();
        for (key, value) in keys {
            if let Ok(value) = toml::Value::try_from(value)
                && !key.is_empty()
            {
                table.insert(key.to_owned(), value);
            }
        }
        text.insert(name.to_owned(), toml::Value::Table(table));
    }
    let (config, _) = config::parse(config::FILE_NAME, &text.to_string());
    config
}

/// Compares the feeds of annotations with the annotations of each run. Without its event log, a run has only those of `run.json`.
fn annotations(documents: &Documents, newest: &[&PublishedRun], problems: &mut Vec<Diagnostic>) {
    for feed in OF_ANNOTATIONS {
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
            let lines = (feed.lines)(lines).split_inclusive(|byte| *byte == b'\n');
            derived.extend(lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()));
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
    let path = OF_ANNOTATIONS[0].path;
    let lines = documents.get(path).and_then(Value::as_array);
    for run in newest.iter().filter(|run| run.lines.is_none()) {
        let of_run = lines.into_iter().flatten();
        let of_run = of_run.filter(|line| line["runId"] == *run.run.id);
        let of_run = of_run.cloned().map(without_run).collect::<Vec<_>>();
        if of_run != run.annotations {
            problems.push(compare::differs(
                Place::file(&run.path).pointing("/annotations"),
                "the lines of `feeds/annotations.jsonl`",
            ));
        }
    }
}

fn without_run(mut line: Value) -> Value {
    if let Value::Object(members) = &mut line {
        members.remove("runId");
    }
    line
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

/// Compares the feed of rules with the results of each run.
fn rules(documents: &Documents, newest: &[&PublishedRun], problems: &mut Vec<Diagnostic>) {
    const PATH: &str = "feeds/rules.json";
    let Some(document) = documents.get(PATH) else {
        return;
    };
    for (list, verdict, keys) in [
        ("violations", "violated", &["events", "found"][..]),
        ("unknown", "unknown", &["missing"][..]),
    ] {
        let published = document[list].as_array().into_iter().flatten();
        let mut published: Vec<Value> = published
            .map(|found| {
                let values = keys.iter().map(|key| found[*key].clone());
                json!([found["rule"], found["runId"], values.collect::<Vec<_>>()])
            })
            .collect();
        let results = newest.iter().flat_map(|run| {
            let results = run.rules.iter();
            results.map(|result| (&*run.run.id, result))
        });
        let results = results.filter(|(_, result)| result["verdict"] == verdict);
        let mut derived: Vec<Value> = results
            .map(|(run, result)| {
                let values = keys.iter().map(|key| result[*key].clone());
                json!([result["rule"], run, values.collect::<Vec<_>>()])
            })
            .collect();
        let key = |value: &Value| (value[0].to_string(), value[1].to_string());
        published.sort_by_key(key);
        derived.sort_by_key(key);
        if published != derived {
            let place = Place::file(PATH).pointing(format!("/{list}"));
            problems.push(compare::differs(place, "the results of the runs"));
        }
    }
    let documents = document["rules"].as_array().into_iter().flatten();
    for (index, rule) in documents
        .enumerate()
        .filter(|(_, rule)| rule["trials"].is_null())
    {
        for (key, verdict) in [
            ("holds", "holds"),
            ("violated", "violated"),
            ("unknown", "unknown"),
        ] {
            let results = newest.iter().flat_map(|run| &run.rules);
            let found = results.filter(|it| it["rule"] == rule["id"] && it["verdict"] == verdict);
            if rule[key] != json!(found.count()) {
                let place = Place::file(PATH).pointing(format!("/rules/{index}/{key}"));
                problems.push(compare::differs(place, "the results of the runs"));
            }
        }
    }
}
