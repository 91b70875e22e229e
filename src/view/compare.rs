//! Knows what runs are compared by: the page, and what each run brings to it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use crate::config::Config;
use crate::model::archive::Archive;
use crate::model::findings::Findings;
use crate::model::run::{Number, Recorded, Step};
use crate::model::tape::{Event, Family, Kind, Tape};
use crate::model::workspace;

use super::row::{RunRow, row};
use super::run::Sources;
use super::timeline::Layout;
use super::{Cell, format, links};

/// Newest runs on the page, to pick from.
const ROWS: usize = 20;
/// Events of a tape that are compared.
const EVENTS: usize = 10_000;
/// Characters of a command or path. What is longer is told apart by a digest.
const KEY: usize = 96;
/// Bytes of all commands and paths; the events after that are left out.
const KEYS: usize = 256 * 1024;
/// Characters of one field.
const FIELD: usize = 300;
/// Visual checks.
const CHECKS: usize = 200;
/// Characters of a writeup.
pub const WRITEUP: usize = 2_000;

/// The page.
#[derive(Debug, Serialize)]
pub struct ComparePage {
    /// Way to the site's root.
    pub root: String,
    /// The newest runs.
    pub rows: Vec<RunRow>,
}

/// Makes the page.
#[must_use]
pub fn page(archive: &Archive, findings: &[Findings]) -> ComparePage {
    let root = links::root(links::COMPARE);
    let runs = archive.runs.iter().zip(findings).take(ROWS);
    ComparePage {
        rows: runs
            .map(|(entry, findings)| row(archive, entry, findings, &root, &[]))
            .collect(),
        root,
    }
}

/// What a run brings to a comparison. Lists are arrays in the order of their documentation, to keep it small.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunData<'a> {
    slug: String,
    /// Case, variant and version.
    title: String,
    model: String,
    harness: String,
    /// Day on which it finished.
    date: String,
    /// First part of its id.
    id: String,
    /// Groups of fields: a name, and its fields as name and text, null when unknown.
    groups: Vec<(&'static str, Vec<Field>)>,
    /// Name, value (null when unknown) and text.
    metrics: Vec<(&'static str, Option<f64>, String)>,
    /// View, name, similarity (null when it was not reached) and text.
    checks: Vec<(String, String, Option<f64>, String)>,
    /// File, number of events and of failures, and duration of each tape (null without times).
    tapes: Vec<(String, usize, usize, Option<String>)>,
    /// The first of them; each further one has a script of its own.
    tape: Option<TapeData<'a>>,
    /// Blocks of words and whether there is more; null without a review.
    writeup: Option<(Vec<(&'static str, String)>, bool)>,
}

type Field = (&'static str, Option<String>);

/// A tape of a run; of its events, at most the first 10,000.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TapeData<'a> {
    /// What its anchors begin with; empty for the first tape.
    prefix: String,
    /// Events on a page of the timeline.
    page_size: usize,
    /// Word and family of each kind.
    kinds: Vec<(&'static str, &'static str)>,
    /// Commands and paths.
    keys: Vec<Cow<'a, str>>,
    events: Vec<EventData>,
    /// Files of tool calls: the position of the event, and the path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<(usize, Cow<'a, str>)>,
}

/// An event: kind, milliseconds since the one before (null without a time), whether it failed (0 or 1), its command
/// or path (-1 without one), and its anchor where that is not the prefix, `e-` and its position.
#[derive(Debug)]
struct EventData {
    kind: usize,
    after: Option<i64>,
    failed: bool,
    key: Option<usize>,
    anchor: Option<String>,
}

impl Serialize for EventData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        seq.serialize_element(&self.kind)?;
        seq.serialize_element(&self.after)?;
        seq.serialize_element(&u8::from(self.failed))?;
        if let Some(key) = &self.key {
            seq.serialize_element(key)?;
        } else {
            seq.serialize_element(&-1)?;
        }
        if let Some(anchor) = &self.anchor {
            seq.serialize_element(anchor)?;
        }
        seq.end()
    }
}

/// What the run brings; `writeup` are the blocks of its writeup and whether there is more.
#[must_use]
pub fn data<'a>(
    s: &Sources<'a>,
    writeup: Option<(Vec<(&'static str, String)>, bool)>,
) -> RunData<'a> {
    let run = &s.entry.run;
    let subject = &run.subject;
    RunData {
        slug: s.entry.slug.clone(),
        title: cut(&super::run::title(run), FIELD),
        model: cut(&subject.model, FIELD),
        harness: cut(&subject.harness, FIELD),
        date: format::when(run.recency()).date,
        id: s.entry.label.clone(),
        groups: groups(s),
        metrics: metrics(s),
        checks: run
            .validation
            .checks
            .iter()
            .take(CHECKS)
            .map(|check| {
                let similarity = check.compared();
                let cell = format::similarity(similarity, check.detail.as_deref());
                let text = match &cell {
                    Cell::Titled { title, .. } => title,
                    Cell::Plain(text) => text,
                };
                (
                    cut(&check.view, FIELD),
                    cut(&check.name, FIELD),
                    similarity.map(|number| number.value),
                    cut(text, FIELD),
                )
            })
            .collect(),
        tapes: s
            .tapes
            .iter()
            .map(|tape| {
                let duration = tape.milliseconds().map(format::milliseconds);
                let file = cut(&tape.file, FIELD);
                (file, tape.events.len(), tape.failures(), duration)
            })
            .collect(),
        tape: tape(s, 0),
        writeup,
    }
}

/// The tape at `index` of the run, if there is one.
#[must_use]
pub fn tape<'a>(s: &Sources<'a>, index: usize) -> Option<TapeData<'a>> {
    let tape = s.tapes.get(index).zip(s.layouts.get(index));
    tape.map(|(tape, layout)| tape_data(s.config, tape, layout))
}

fn cut(text: &str, limit: usize) -> String {
    text.char_indices()
        .nth(limit)
        .map_or_else(|| text.to_owned(), |(end, _)| format!("{}…", &text[..end]))
}

fn groups(s: &Sources<'_>) -> Vec<(&'static str, Vec<Field>)> {
    let run = &s.entry.run;
    let (subject, environment) = (&run.subject, &run.environment);
    let known = |name, text: &str| (name, Some(cut(text, FIELD)));
    let maybe = |name, text: Option<&String>| (name, text.map(|text| cut(text, FIELD)));
    let step = |name, recorded: &Recorded| {
        let words = |step: &Step| {
            let outcome = if step.succeeded {
                "succeeded"
            } else {
                "failed"
            };
            cut(&format!("{outcome}: {}", step.command), FIELD)
        };
        match recorded {
            Recorded::Step(step) => (name, Some(words(step))),
            Recorded::Never => (name, Some("did not run".to_owned())),
            Recorded::Unknown => (name, None),
        }
    };
    let rating = s.review.and_then(|review| review.rating);
    let loaded = if run.validation.loaded { "yes" } else { "no" };
    vec![
        (
            "What was run",
            vec![
                known("Case", &subject.case),
                known("Version", &subject.version),
                maybe("Variant", subject.variant.as_ref()),
                known("Kind of test", &subject.test_type),
                known("Model", &subject.model),
                known("Harness", &subject.harness),
                maybe("Version of the harness", subject.harness_version.as_ref()),
                known("Orchestrator", &subject.orchestrator),
                known("Engine", &subject.engine_label()),
            ],
        ),
        (
            "How it ended",
            vec![
                known("State", &run.state.word),
                maybe("Detail", run.state.detail.as_ref()),
                ("Rating", rating.map(|rating| rating.word().to_owned())),
                known("Loaded", loaded),
                maybe("Not loaded because", run.validation.detail.as_ref()),
                step("Install", &run.validation.install),
                step("Build", &run.validation.build),
                known("Started", &format::when(&run.started).text),
                known("Finished", &format::when(&run.finished).text),
            ],
        ),
        (
            "Where it ran",
            vec![
                maybe("Operating system", environment.os.as_ref()),
                maybe("Container image", environment.container_image.as_ref()),
                maybe("Node.js", environment.node_version.as_ref()),
                maybe("Authentication", environment.auth_mode.as_ref()),
                maybe(
                    "Test Cabinet commit",
                    environment.test_cabinet_commit.as_ref(),
                ),
            ],
        ),
    ]
}

#[allow(clippy::cast_precision_loss, reason = "lengths of bars")]
fn metrics(s: &Sources<'_>) -> Vec<(&'static str, Option<f64>, String)> {
    let metrics = &s.entry.run.metrics;
    let value = |number: Option<&Number>| number.map(|number| number.value);
    let text = |cell: Cell| cell.text().to_owned();
    let names = ["Uncached input", "Cached input", "Output", "Reasoning"];
    let tokens = names.into_iter().zip(metrics.tokens());
    let mut all: Vec<_> = tokens
        .map(|(name, (_, number))| (name, value(number), text(format::tokens(number))))
        .collect();
    let (comparable, actual) = (
        metrics.comparable_cost.as_ref(),
        metrics.actual_cost.as_ref(),
    );
    let seconds = &metrics.run_time_seconds;
    all.extend([
        (
            "Comparable cost",
            value(comparable),
            text(format::cost(comparable)),
        ),
        ("Actual cost", value(actual), text(format::cost(actual))),
        (
            "Run time",
            Some(seconds.value),
            text(format::run_time(seconds)),
        ),
    ]);
    let annotations = s.sidecars.iter().flatten();
    // Without a tape nothing is known of them.
    let tapes = Some(s.tapes).filter(|tapes| !tapes.is_empty());
    let counts: [(_, Option<usize>); 3] = [
        (
            "Events",
            tapes.map(|tapes| tapes.iter().map(|tape| tape.events.len()).sum()),
        ),
        (
            "Failures",
            tapes.map(|tapes| tapes.iter().map(Tape::failures).sum()),
        ),
        (
            "Annotations",
            Some(annotations.map(|sidecar| sidecar.annotations.len()).sum()),
        ),
    ];
    all.extend(counts.map(|(name, count)| {
        let digits = count.map_or_else(String::new, |count| format::grouped(&count.to_string()));
        (name, count.map(|count| count as f64), digits)
    }));
    all
}

fn tape_data<'a>(config: &Config, tape: &'a Tape<'_>, layout: &Layout<'_>) -> TapeData<'a> {
    let mut kinds: Vec<Kind> = Vec::new();
    let mut keys: Vec<Cow<'_, str>> = Vec::new();
    let mut known: BTreeMap<Cow<'_, str>, usize> = BTreeMap::new();
    let (mut bytes, mut before) = (0, None);
    let mut files = Vec::new();
    let mut events = Vec::with_capacity(tape.events.len().min(EVENTS));
    for (position, event) in tape.events.iter().take(EVENTS).enumerate() {
        let kind = kinds.iter().position(|kind| *kind == event.kind);
        let kind = kind.unwrap_or_else(|| {
            kinds.push(event.kind);
            kinds.len() - 1
        });
        let key = key(event, &config.workspace).map(|key| {
            *known.entry(key).or_insert_with_key(|key| {
                bytes += key.len();
                keys.push(key.clone());
                keys.len() - 1
            })
        });
        if bytes > KEYS {
            break;
        }
        for path in &event.files {
            let path = path_key(path, &config.workspace);
            bytes += path.len();
            if bytes > KEYS {
                break;
            }
            files.push((position, path));
        }
        let anchor = layout.anchor(event.seq, position);
        events.push(EventData {
            kind,
            after: event.at.map(|at| at.saturating_sub(before.unwrap_or(at))),
            failed: event.is_failure(),
            key,
            anchor: (!anchor.is_plain(position)).then(|| anchor.text()),
        });
        before = event.at.or(before);
    }
    TapeData {
        prefix: layout.prefix.clone(),
        page_size: config.timeline.page_size,
        kinds: kinds
            .iter()
            .map(|kind| (kind.word, kind.family.word()))
            .collect(),
        keys,
        events,
        files,
    }
}

/// What an event does, in words by which it is found again in another run: its command, path or query, where it
/// is an action at all. One agent names a file by its path in the working tree, another by its whole path.
fn key<'a>(event: &'a Event<'_>, workspace: &[String]) -> Option<Cow<'a, str>> {
    let acts = matches!(
        event.kind.family,
        Family::Command | Family::Read | Family::Write | Family::Delegation
    );
    if !acts {
        return None;
    }
    let names_paths = matches!(event.kind.family, Family::Read | Family::Write);
    let key = if !names_paths {
        cut_key(on_one_line(&event.headline))
    } else if event.files.is_empty() {
        path_key(&event.headline, workspace)
    } else {
        // The words of a tool call: the tool, then paths.
        let words = event.headline.split_whitespace();
        let words: Vec<_> = words
            .map(|word| match workspace::below(word, workspace) {
                Some("") => ".",
                below => below.unwrap_or(word),
            })
            .collect();
        cut_key(Cow::Owned(words.join(" ")))
    };
    (!key.is_empty()).then_some(key)
}

fn path_key<'a>(path: &'a str, workspace: &[String]) -> Cow<'a, str> {
    cut_key(match workspace::below(path, workspace) {
        Some("") => Cow::Borrowed("."),
        below => on_one_line(below.unwrap_or(path)),
    })
}

/// Names that are too long are distinguished by a digest.
fn cut_key(words: Cow<'_, str>) -> Cow<'_, str> {
    if words.len() <= KEY {
        return words;
    }
    let Some((end, _)) = words.char_indices().nth(KEY) else {
        return words;
    };
    let digest = blake3::hash(words.as_bytes()).to_hex();
    Cow::Owned(format!("{}…{}", &words[..end], &digest[..6]))
}

/// The text with single blanks between its words.
fn on_one_line(text: &str) -> Cow<'_, str> {
    let is_plain = !text.starts_with(' ')
        && !text.ends_with(' ')
        && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && memchr::memmem::find(text.as_bytes(), b"  ").is_none();
    if is_plain {
        return Cow::Borrowed(text);
    }
    let words: Vec<_> = text.split_whitespace().collect();
    Cow::Owned(words.join(" "))
}
