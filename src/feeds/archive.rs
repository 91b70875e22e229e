//! The feeds over all runs: `runs.json`, `runs.jsonl` and `index.json`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde::ser::{Error, Serializer};
use serde_json::value::RawValue;

use crate::config::Config;
use crate::links;
use crate::model::FileDigest;
use crate::model::archive::{Archive, Entry};
use crate::model::findings::Findings;
use crate::model::review::Rating;
use crate::model::run::{Number, Run};
use crate::shapes::{self, SCHEMA_VERSION};
use crate::url::HttpUrl;

/// `runs.json`: a card for each run, newest first.
#[allow(
    dead_code,
    reason = "only its schema is used: the document is written piece by piece"
)]
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Runs<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    pub schema_version: u32,
    /// The runs, by `publishedAt`, else `finishedAt`, newest first.
    pub runs: Vec<Card<'a>>,
}

/// A run in a list. Numbers keep the digits of the record; what was not recorded is null, never 0.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Card<'a> {
    /// The id of the record.
    #[schemars(with = "shapes::Name")]
    id: &'a str,
    /// Slug of the run, used in its address.
    slug: &'a str,
    /// The run's page: absolute when the site has a `base_url`, else relative to its root.
    #[schemars(with = "shapes::PageAddress")]
    url: String,
    /// When the run started, as recorded; null is unknown.
    #[schemars(with = "Option<shapes::Time>")]
    started_at: Option<&'a str>,
    /// When it ended, as recorded; null is unknown.
    #[schemars(with = "Option<shapes::Time>")]
    finished_at: Option<&'a str>,
    /// Publication time, if recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "shapes::Time")]
    published_at: Option<&'a str>,
    /// Test case, harness and model.
    subject: Subject<'a>,
    /// Time, tokens and cost.
    metrics: Metrics<'a>,
    /// Whether the implementation loaded; null is "not validated".
    validation_loaded: Option<bool>,
    /// The visual checks, in the record's order.
    checks: Vec<Check<'a>>,
    /// What scorers said of the run, in the record's order; absent if the record has no outcomes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outcomes: Vec<Outcome<'a>>,
    /// How the run ended, as recorded: `completed`, `timed_out`, `failed` and others.
    state: &'a str,
    /// The rating of its review, or the grade of the whole game for a game jam without one; null is unrated.
    #[schemars(with = "Option<RatingWord>")]
    rating: Option<&'static str>,
    /// Where its parts are.
    links: Links<'a>,
    /// Events of all its tapes.
    events: usize,
    /// Counts of annotations in its sidecars.
    annotations: Annotations<'a>,
    /// Counts of its review threads; null for a run without a file of threads.
    threads: Option<ThreadSummary<'a>>,
}

/// The badge of a run.
#[derive(Debug, Clone, Copy)]
pub enum RatingWord {}

/// Value of a `rating` line of a review.
#[derive(Debug, Clone, Copy)]
pub enum TierWord {}

impl JsonSchema for RatingWord {
    fn schema_name() -> Cow<'static, str> {
        "Rating".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A rating of Test Cabinet, or the grade of a game jam's whole game, best first.",
            "enum": Rating::ALL.map(Rating::word),
        })
    }
}

impl JsonSchema for TierWord {
    fn schema_name() -> Cow<'static, str> {
        "Tier".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A rating of Test Cabinet, best first.",
            "enum": Rating::TIERS.map(Rating::word),
        })
    }
}

/// Counts of review threads and entries of a run, after all actions: the protocol's `AnnotationsSummary`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ThreadSummary<'a> {
    /// URI of the channel, if recorded.
    resource: Option<&'a str>,
    /// Threads.
    annotation_count: usize,
    /// Entries of all threads.
    entry_count: usize,
}

/// Test case, harness and model, with Test Cabinet's defaults for missing values.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Subject<'a> {
    /// Slug of the test case.
    #[schemars(with = "shapes::Name")]
    test_case_slug: &'a str,
    /// Its exact version; null is unknown.
    test_case_version: Option<&'a str>,
    /// Kind of the test case; `end-to-end` if the record has none.
    test_type: &'a str,
    /// Variant of the test case; the oldest records have none.
    variant: Option<&'a str>,
    /// Slug of the harness.
    #[schemars(with = "shapes::Name")]
    harness_slug: &'a str,
    /// Its version.
    harness_version: Option<&'a str>,
    /// The model, an opaque id; null is unknown.
    #[schemars(with = "Option<shapes::Name>")]
    model_id: Option<&'a str>,
    /// The orchestrator; `one-shot` if the record has none.
    orchestrator_slug: &'a str,
    /// The engine that the case was built for; `none` if the record has none.
    engine_slug: &'a str,
}

/// Time, tokens and cost of a run.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Metrics<'a> {
    /// Wall clock, in seconds; it depends on the provider as much as on the model. Null is unknown.
    #[schemars(with = "Option<shapes::Amount>")]
    run_time_seconds: Option<Digits<'a>>,
    /// Tokens, in four classes that do not overlap. Null is "not reported".
    tokens: Tokens<'a>,
    /// Cost in USD. Null is "unknown", 0 is free.
    cost: Cost<'a>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Tokens<'a> {
    /// Input that was not served from a cache.
    #[schemars(with = "Option<shapes::Count>")]
    uncached_input: Option<Digits<'a>>,
    /// Input that was served from a cache.
    #[schemars(with = "Option<shapes::Count>")]
    cached_input: Option<Digits<'a>>,
    /// Output without reasoning.
    #[schemars(with = "Option<shapes::Count>")]
    output: Option<Digits<'a>>,
    /// Reasoning.
    #[schemars(with = "Option<shapes::Count>")]
    reasoning: Option<Digits<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Cost<'a> {
    /// At list prices, in USD; use this one for comparisons.
    #[schemars(with = "Option<shapes::Amount>")]
    comparable: Option<Digits<'a>>,
    /// Charged, in USD.
    #[schemars(with = "Option<shapes::Amount>")]
    actual: Option<Digits<'a>>,
}

/// A visual check: a signal, neither passed nor failed.
#[derive(Debug, Serialize, JsonSchema)]
struct Check<'a> {
    /// Slug of the view.
    view: &'a str,
    /// Display name.
    name: &'a str,
    /// Whether the view was reached.
    reached: bool,
    /// Similarity of the view to its baseline, 0 to 1, as recorded; meaningless if the view was not reached.
    #[schemars(with = "Option<shapes::Share>")]
    similarity: Option<Digits<'a>>,
}

/// What a scorer said of a run, verbatim.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Outcome<'a> {
    /// Its name.
    name: &'a str,
    /// The value as recorded: any JSON; null is unscored.
    value: Option<&'a RawValue>,
    /// What gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    scorer: Option<&'a str>,
    /// `reward`, `score`, `metric`, `check`, `submission` or another word.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    /// Whether it counts by the scorer's own rules; absent if that was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<bool>,
    /// Why it does not count, or has no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

/// The outcomes of a run.
pub(super) fn outcomes(run: &Run) -> Vec<Outcome<'_>> {
    let outcomes = run.outcomes.iter().map(|outcome| Outcome {
        name: &outcome.name,
        value: outcome
            .value
            .as_deref()
            .and_then(|value| serde_json::from_str(value).ok()),
        scorer: outcome.scorer.as_deref(),
        kind: outcome.kind.as_deref(),
        valid: outcome.valid,
        reason: outcome.reason.as_deref(),
    });
    outcomes.collect()
}

/// The outcomes of a run as JSON, for a field of a table; `None` when it has none.
#[must_use]
pub fn outcomes_json(run: &Run) -> Option<String> {
    let outcomes = outcomes(run);
    (!outcomes.is_empty()).then(|| serde_json::to_string(&outcomes).unwrap_or_default())
}

/// Where the parts of a run are.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Links<'a> {
    /// The generated source.
    #[schemars(with = "Option<shapes::Address>")]
    source_repo: Option<&'a str>,
    /// The build, ready to be played.
    #[schemars(with = "Option<shapes::Address>")]
    playable_build: Option<&'a str>,
}

/// How many annotations there are.
#[derive(Debug, Serialize, JsonSchema)]
struct Annotations<'a> {
    /// Total number.
    count: usize,
    /// By kind; unrecognized kinds count as `unknown`.
    kinds: &'a BTreeMap<String, usize>,
}

/// The card of a run.
#[must_use]
pub fn card<'a>(config: &Config, entry: &'a Entry, findings: &'a Findings) -> Card<'a> {
    let run = &entry.run;
    let (subject, metrics) = (&run.subject, &run.metrics);
    let checks = run.validation.checks.iter().map(|check| Check {
        view: &check.view,
        name: &check.name,
        reached: check.reached,
        similarity: check.similarity.as_ref().map(Digits),
    });
    Card {
        id: &run.id,
        slug: &entry.slug,
        url: address(config, &links::run(&entry.slug)),
        started_at: run.started.as_ref().map(|at| at.text.as_str()),
        finished_at: run.finished.as_ref().map(|at| at.text.as_str()),
        published_at: run.published.as_ref().map(|moment| moment.text.as_str()),
        subject: Subject {
            test_case_slug: &subject.case,
            test_case_version: subject.version.as_deref(),
            test_type: &subject.test_type,
            variant: subject.variant.as_deref(),
            harness_slug: &subject.harness,
            harness_version: subject.harness_version.as_deref(),
            model_id: subject.model.as_deref(),
            orchestrator_slug: &subject.orchestrator,
            engine_slug: &subject.engine,
        },
        metrics: Metrics {
            run_time_seconds: metrics.run_time_seconds.as_ref().map(Digits),
            tokens: Tokens {
                uncached_input: metrics.uncached_input.as_ref().map(Digits),
                cached_input: metrics.cached_input.as_ref().map(Digits),
                output: metrics.output.as_ref().map(Digits),
                reasoning: metrics.reasoning.as_ref().map(Digits),
            },
            cost: Cost {
                comparable: metrics.comparable_cost.as_ref().map(Digits),
                actual: metrics.actual_cost.as_ref().map(Digits),
            },
        },
        validation_loaded: run.validation.loaded,
        checks: checks.collect(),
        outcomes: outcomes(run),
        state: &run.state.word,
        rating: findings.rating.map(Rating::word),
        links: Links {
            source_repo: run.source_repo.as_ref().map(HttpUrl::as_str),
            playable_build: run.playable_build.as_ref().map(HttpUrl::as_str),
        },
        events: findings.events.unwrap_or_default(),
        annotations: Annotations {
            count: findings.annotations.total(),
            kinds: &findings.annotations.0,
        },
        threads: findings.threads.as_ref().map(|threads| ThreadSummary {
            resource: threads.channel.as_deref(),
            annotation_count: threads.threads,
            entry_count: threads.entries,
        }),
    }
}

/// Absolute when the site's address is known, else relative to its root.
#[must_use]
pub fn address(config: &Config, page: &str) -> String {
    config.site.base_url.as_ref().map_or_else(
        || page.to_owned(),
        |base| format!("{}{}", base.as_str(), links::directory(page)),
    )
}

/// A number with the digits of the record.
#[derive(Debug)]
struct Digits<'a>(&'a Number);

impl Serialize for Digits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: &RawValue = serde_json::from_str(&self.0.literal).map_err(Error::custom)?;
        digits.serialize(serializer)
    }
}

/// Writes `runs.json`, card by card, so that the archive is never held twice.
///
/// # Errors
/// Those of the writer.
pub fn write_runs(
    out: &mut dyn Write,
    config: &Config,
    archive: &Archive,
    findings: &[Findings],
) -> io::Result<()> {
    write!(
        out,
        "{{\n  \"schemaVersion\": {SCHEMA_VERSION},\n  \"runs\": ["
    )?;
    for (index, (entry, findings)) in archive.runs.iter().zip(findings).enumerate() {
        out.write_all(if index == 0 { b"\n    " } else { b",\n    " })?;
        serde_json::to_writer(&mut *out, &card(config, entry, findings))?;
    }
    out.write_all(if archive.runs.is_empty() {
        b"]\n}\n"
    } else {
        b"\n  ]\n}\n"
    })
}

/// Writes `runs.jsonl`: a card a line.
///
/// # Errors
/// Those of the writer.
pub fn write_run_lines(
    out: &mut dyn Write,
    config: &Config,
    archive: &Archive,
    findings: &[Findings],
) -> io::Result<()> {
    for (entry, findings) in archive.runs.iter().zip(findings) {
        serde_json::to_writer(&mut *out, &card(config, entry, findings))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// `index.json`: the site and every other feed over all runs.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Index<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    schema_version: u32,
    /// The settings of the site that matter to readers of its data.
    site: Site<'a>,
    /// Runs that are published.
    runs: usize,
    /// The feeds, in a stable order.
    feeds: Vec<Feed<'a>>,
}

/// A site.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Site<'a> {
    /// Title of the site.
    title: &'a str,
    /// Description of the site.
    description: &'a str,
    /// Public URL, ends with `/`.
    #[schemars(with = "Option<shapes::Address>")]
    base_url: Option<&'a str>,
    /// Language of the site's prose, as a BCP 47 tag.
    language: &'a str,
    /// The publisher.
    author: Option<&'a str>,
    /// Licence of the data.
    licence: Option<&'a str>,
    /// The line at the top of every page.
    notice: Option<&'a str>,
}

/// A file of data.
#[derive(Debug, Serialize, JsonSchema)]
struct Feed<'a> {
    /// Path, relative to the site's root.
    path: &'a str,
    /// Path of its JSON Schema, relative to the site's root; for JSON Lines, of the schema of a line. Null for a feed that
    /// follows a public standard.
    schema: Option<String>,
    /// Its size in bytes.
    bytes: u64,
    /// BLAKE3 of its bytes.
    #[schemars(with = "shapes::Blake3")]
    blake3: &'a str,
}

/// The index of `feeds`, in their order; `schema_of` knows where the schema of a feed is.
#[must_use]
pub fn index<'a>(
    config: &'a Config,
    runs: usize,
    feeds: impl Iterator<Item = &'a FileDigest>,
    schema_of: fn(&str) -> Option<String>,
) -> Index<'a> {
    let site = &config.site;
    Index {
        schema_version: SCHEMA_VERSION,
        site: Site {
            title: &site.title,
            description: &site.description,
            base_url: site.base_url.as_ref().map(HttpUrl::as_str),
            language: &site.language,
            author: site.author.as_deref(),
            licence: config.policy.licence.as_deref(),
            notice: site.notice.as_deref(),
        },
        runs,
        feeds: feeds
            .map(|file| Feed {
                path: &file.path,
                schema: schema_of(&file.path),
                bytes: file.bytes,
                blake3: &file.blake3,
            })
            .collect(),
    }
}
