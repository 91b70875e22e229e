//! The feeds of all runs: `runs.json`, `runs.jsonl` and `index.json`.

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
use crate::model::annotation::Counts;
use crate::model::archive::{Archive, Entry};
use crate::model::findings::{Findings, ThreadCounts};
use crate::model::outcome;
use crate::model::review::Rating;
use crate::model::run::{self, Metric, Number, Run};
use crate::model::time::Moment;
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
    /// Canary of the benchmark; absent without one.
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub canary: Option<&'a str>,
    /// The runs, by `publishedAt`, else `finishedAt`, newest first.
    pub runs: Vec<Card<'a>>,
}

document! {
    /// A run in a list. Numbers keep the digits of the record; what was not recorded is null, never 0.
    #[serde(rename_all = "camelCase")]
    pub struct Card<'a>(config: &Config, entry: &'a Entry, findings: &'a Findings) {
        /// The id of the record.
        #[schemars(with = "shapes::Name")]
        id: &'a str = &entry.run.id,
        /// Slug of the run, used in its address.
        slug: &'a str = &entry.slug,
        /// The run's page: absolute when the site has a `base_url`, else relative to its root.
        #[schemars(with = "shapes::PageAddress")]
        url: String = address(config, &links::run(&entry.slug)),
        /// When the run started, as recorded; null is unknown.
        #[schemars(with = "Option<shapes::Time>")]
        started_at: Option<&'a str> = entry.run.started.as_ref().map(Moment::text),
        /// When it ended, as recorded; null is unknown.
        #[schemars(with = "Option<shapes::Time>")]
        finished_at: Option<&'a str> = entry.run.finished.as_ref().map(Moment::text),
        /// Publication time, if recorded.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "shapes::Time")]
        published_at: Option<&'a str> = entry.run.published.as_ref().map(Moment::text),
        /// Test case, harness and model.
        subject: Subject<'a> = Subject::of(&entry.run.subject),
        /// Time, tokens and cost.
        metrics: Metrics<'a> = Metrics::of(&entry.run.metrics),
        /// Whether the implementation loaded; null is "not validated".
        validation_loaded: Option<bool> = entry.run.validation.loaded,
        /// The visual checks, in the record's order.
        checks: Vec<Check<'a>> = entry.run.validation.checks.iter().map(Check::of).collect(),
        /// What scorers said of the run, in the record's order; absent if the record has no outcomes.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        outcomes: Vec<Outcome<'a>> = outcomes(&entry.run),
        /// How the run ended, as recorded: `completed`, `timed_out`, `failed` and others.
        state: &'a str = &entry.run.state.word,
        /// The rating of its review, or the grade of the whole game for a game jam without one; null is unrated.
        #[schemars(with = "Option<RatingWord>")]
        rating: Option<&'static str> = findings.rating.map(Rating::word),
        /// Where its parts are.
        links: Links<'a> = Links::of(&entry.run),
        /// Events of all its tapes.
        events: usize = findings.events.unwrap_or_default(),
        /// Counts of annotations in its sidecars.
        annotations: Annotations<'a> = Annotations::of(&findings.annotations),
        /// Counts of its review threads; null for a run without a file of threads.
        threads: Option<ThreadSummary<'a>> = findings.threads.as_ref().map(ThreadSummary::of),
    }
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

document! {
    /// Counts of review threads and entries of a run, after all actions: the protocol's `AnnotationsSummary`, and how many are open.
    #[serde(rename_all = "camelCase")]
    struct ThreadSummary<'a>(threads: &'a ThreadCounts) {
        /// URI of the channel, if recorded.
        resource: Option<&'a str> = threads.channel.as_deref(),
        /// Threads.
        annotation_count: usize = threads.threads,
        /// Entries of all threads.
        entry_count: usize = threads.entries,
        /// Threads that are open.
        open_count: usize = threads.open,
        /// Threads that are resolved.
        resolved_count: usize = threads.resolved(),
    }
}

document! {
    /// Test case, harness and model, with Test Cabinet's defaults for missing values.
    #[serde(rename_all = "camelCase")]
    struct Subject<'a>(subject: &'a run::Subject) {
        /// Slug of the test case.
        #[schemars(with = "shapes::Name")]
        test_case_slug: &'a str = &subject.case,
        /// Its exact version; null is unknown.
        test_case_version: Option<&'a str> = subject.version.as_deref(),
        /// Kind of the test case; `end-to-end` if the record has none.
        test_type: &'a str = &subject.test_type,
        /// Variant of the test case; the oldest records have none.
        variant: Option<&'a str> = subject.variant.as_deref(),
        /// Slug of the harness.
        #[schemars(with = "shapes::Name")]
        harness_slug: &'a str = &subject.harness,
        /// Its version.
        harness_version: Option<&'a str> = subject.harness_version.as_deref(),
        /// The model, an opaque id; null is unknown.
        #[schemars(with = "Option<shapes::Name>")]
        model_id: Option<&'a str> = subject.model.as_deref(),
        /// The orchestrator; `one-shot` if the record has none.
        orchestrator_slug: &'a str = &subject.orchestrator,
        /// The engine that the case was built for; `none` if the record has none.
        engine_slug: &'a str = &subject.engine,
    }
}

document! {
    /// Time, tokens and cost of a run.
    #[serde(rename_all = "camelCase")]
    struct Metrics<'a>(metrics: &'a run::Metrics) {
        /// Wall clock, in seconds; it depends on the provider as much as on the model. Null is unknown.
        #[schemars(with = "Option<shapes::Amount>")]
        run_time_seconds: Option<Digits<'a>> = metrics.get(Metric::RunTime).map(Digits),
        /// Tokens, in four classes that do not overlap. Null is "not reported".
        tokens: Tokens<'a> = Tokens::of(metrics),
        /// Cost in USD. Null is "unknown", 0 is free.
        cost: Cost<'a> = Cost::of(metrics),
        /// The values that are lower bounds, because the log of an imported run lacks a part: paths in this object, such as
        /// `tokens.output`. Absent if all are complete.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[schemars(with = "Vec<LowerBound>")]
        lower_bounds: Vec<&'static str> = metrics.lower_bounds.paths(),
    }
}

/// Path of a metric, in [`Metrics`].
#[derive(Debug, Clone, Copy)]
pub enum LowerBound {}

impl JsonSchema for LowerBound {
    fn schema_name() -> Cow<'static, str> {
        "LowerBound".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Path of a metric whose value is a lower bound.",
            "enum": Metric::ALL.map(Metric::path),
        })
    }
}

document! {
    #[serde(rename_all = "camelCase")]
    struct Tokens<'a>(metrics: &'a run::Metrics) {
        /// Input that was not served from a cache.
        #[schemars(with = "Option<shapes::Count>")]
        uncached_input: Option<Digits<'a>> = metrics.get(Metric::UncachedInput).map(Digits),
        /// Input that was served from a cache.
        #[schemars(with = "Option<shapes::Count>")]
        cached_input: Option<Digits<'a>> = metrics.get(Metric::CachedInput).map(Digits),
        /// Output without reasoning.
        #[schemars(with = "Option<shapes::Count>")]
        output: Option<Digits<'a>> = metrics.get(Metric::Output).map(Digits),
        /// Reasoning.
        #[schemars(with = "Option<shapes::Count>")]
        reasoning: Option<Digits<'a>> = metrics.get(Metric::Reasoning).map(Digits),
    }
}

document! {
    struct Cost<'a>(metrics: &'a run::Metrics) {
        /// At list prices, in USD; use this one for comparisons.
        #[schemars(with = "Option<shapes::Amount>")]
        comparable: Option<Digits<'a>> = metrics.get(Metric::ComparableCost).map(Digits),
        /// Charged, in USD.
        #[schemars(with = "Option<shapes::Amount>")]
        actual: Option<Digits<'a>> = metrics.get(Metric::ActualCost).map(Digits),
    }
}

document! {
    /// A visual check: a signal, neither passed nor failed.
    struct Check<'a>(check: &'a run::Check) {
        /// Slug of the view.
        view: &'a str = &check.view,
        /// Display name.
        name: &'a str = &check.name,
        /// Whether the view was reached.
        reached: bool = check.reached,
        /// Similarity of the view to its baseline, 0 to 1, as recorded; meaningless if the view was not reached.
        #[schemars(with = "Option<shapes::Share>")]
        similarity: Option<Digits<'a>> = check.similarity.as_ref().map(Digits),
    }
}

document! {
    /// What a scorer said of a run, verbatim.
    pub(super) struct Outcome<'a>(outcome: &'a outcome::Outcome) {
        /// Its name.
        name: &'a str = &outcome.name,
        /// The value as recorded: any JSON; null is unscored.
        value: Option<&'a RawValue> = outcome.value.as_deref().and_then(|value| serde_json::from_str(value).ok()),
        /// The scorer.
        #[serde(skip_serializing_if = "Option::is_none")]
        scorer: Option<&'a str> = outcome.scorer.as_deref(),
        /// `reward`, `score`, `metric`, `check`, `submission` or another word.
        #[serde(skip_serializing_if = "Option::is_none")]
        kind: Option<&'a str> = outcome.kind.as_deref(),
        /// Whether it counts by the scorer's own rules; absent if that was not recorded.
        #[serde(skip_serializing_if = "Option::is_none")]
        valid: Option<bool> = outcome.valid,
        /// Why it does not count, or has no value.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str> = outcome.reason.as_deref(),
    }
}

/// The outcomes of a run.
pub(super) fn outcomes(run: &Run) -> Vec<Outcome<'_>> {
    run.outcomes.iter().map(Outcome::of).collect()
}

/// The outcomes of a run as JSON, for a table field; `None` if it has none.
pub fn outcomes_json(run: &Run) -> Option<String> {
    let outcomes = outcomes(run);
    (!outcomes.is_empty()).then(|| serde_json::to_string(&outcomes).unwrap_or_default())
}

document! {
    /// Where the parts of a run are.
    #[serde(rename_all = "camelCase")]
    struct Links<'a>(run: &'a Run) {
        /// The generated source.
        #[schemars(with = "Option<shapes::Address>")]
        source_repo: Option<&'a str> = run.source_repo.as_ref().map(HttpUrl::as_str),
        /// The build, ready to be played.
        #[schemars(with = "Option<shapes::Address>")]
        playable_build: Option<&'a str> = run.playable_build.as_ref().map(HttpUrl::as_str),
    }
}

document! {
    /// How many annotations there are.
    struct Annotations<'a>(counts: &'a Counts) {
        /// Total number.
        count: usize = counts.total(),
        /// By kind; unrecognized kinds count as `unknown`.
        kinds: BTreeMap<&'a str, usize> = counts.iter().collect(),
    }
}

/// An absolute address if the site's `base_url` is set, else relative to its root.
pub fn address(config: &Config, page: &str) -> String {
    config.site.base_url.as_ref().map_or_else(
        || page.to_owned(),
        |base| format!("{}{}", base.as_str(), links::directory(page)),
    )
}

/// A number as written in the record.
#[derive(Debug)]
struct Digits<'a>(&'a Number);

impl Serialize for Digits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: &RawValue = serde_json::from_str(self.0.text()).map_err(Error::custom)?;
        digits.serialize(serializer)
    }
}

/// Writes `runs.json` card by card, to avoid a second copy of the archive in memory.
pub fn write_runs(
    out: &mut dyn Write,
    config: &Config,
    archive: &Archive,
    findings: &[Findings],
) -> io::Result<()> {
    write!(out, "{{\n  \"schemaVersion\": {SCHEMA_VERSION},\n")?;
    if let Some(canary) = &config.policy.canary {
        out.write_all(b"  \"canary\": ")?;
        serde_json::to_writer(&mut *out, canary)?;
        out.write_all(b",\n")?;
    }
    out.write_all(b"  \"runs\": [")?;
    for (index, (entry, findings)) in archive.runs.iter().zip(findings).enumerate() {
        out.write_all(if index == 0 { b"\n    " } else { b",\n    " })?;
        serde_json::to_writer(&mut *out, &Card::of(config, entry, findings))?;
    }
    out.write_all(if archive.runs.is_empty() {
        b"]\n}\n"
    } else {
        b"\n  ]\n}\n"
    })
}

/// Writes `runs.jsonl`, one card per line.
pub fn write_run_lines(
    out: &mut dyn Write,
    config: &Config,
    archive: &Archive,
    findings: &[Findings],
) -> io::Result<()> {
    for (entry, findings) in archive.runs.iter().zip(findings) {
        serde_json::to_writer(&mut *out, &Card::of(config, entry, findings))?;
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

document! {
    /// A site.
    #[serde(rename_all = "camelCase")]
    struct Site<'a>(config: &'a Config) {
        /// Title of the site.
        title: &'a str = &config.site.title,
        /// Description of the site.
        description: &'a str = &config.site.description,
        /// Public URL, ends with `/`.
        #[schemars(with = "Option<shapes::Address>")]
        base_url: Option<&'a str> = config.site.base_url.as_ref().map(HttpUrl::as_str),
        /// Language of the site's prose, as a BCP 47 tag.
        language: &'a str = &config.site.language,
        /// The publisher.
        author: Option<&'a str> = config.site.author.as_deref(),
        /// License of the data.
        licence: Option<&'a str> = config.policy.licence.as_deref(),
        /// Canary of the benchmark; absent without one.
        #[serde(skip_serializing_if = "Option::is_none")]
        canary: Option<&'a str> = config.policy.canary.as_deref(),
        /// The line at the top of every page.
        notice: Option<&'a str> = config.site.notice.as_deref(),
    }
}

document! {
    /// A file of data.
    struct Feed<'a>(file: &'a FileDigest, schema_of: fn(&str) -> Option<String>) {
        /// Path, relative to the site's root.
        path: &'a str = &file.path,
        /// Path of its JSON Schema, relative to the site's root; for JSON Lines, of the schema of a line. Null for a feed that
        /// follows a public standard.
        schema: Option<String> = schema_of(&file.path),
        /// Its size in bytes.
        bytes: u64 = file.bytes,
        /// BLAKE3 of its bytes.
        #[schemars(with = "shapes::Blake3")]
        blake3: &'a str = &file.blake3,
    }
}

/// The index of `feeds`, in their order; `schema_of` returns the schema address of a feed.
pub fn index<'a>(
    config: &'a Config,
    runs: usize,
    feeds: impl Iterator<Item = &'a FileDigest>,
    schema_of: fn(&str) -> Option<String>,
) -> Index<'a> {
    Index {
        schema_version: SCHEMA_VERSION,
        site: Site::of(config),
        runs,
        feeds: feeds.map(|file| Feed::of(file, schema_of)).collect(),
    }
}
