//! Knows the feeds over all runs: `runs.json`, `runs.jsonl` and `index.json`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::config::Config;
use crate::model::archive::{Archive, Entry};
use crate::model::findings::Findings;
use crate::model::run::Number;
use crate::view::links;

use super::SCHEMA_VERSION;

/// A run in a list. Numbers keep the digits of the record.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Card<'a> {
    id: &'a str,
    slug: &'a str,
    url: String,
    started_at: &'a str,
    finished_at: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_at: Option<&'a str>,
    subject: Subject<'a>,
    metrics: Metrics<'a>,
    validation_loaded: bool,
    checks: Vec<Check<'a>>,
    state: &'a str,
    rating: Option<&'static str>,
    links: Links<'a>,
    events: usize,
    annotations: Annotations<'a>,
    threads: Option<ThreadSummary<'a>>,
}

/// The protocol's `AnnotationsSummary`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ThreadSummary<'a> {
    resource: Option<&'a str>,
    annotation_count: usize,
    entry_count: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Subject<'a> {
    test_case_slug: &'a str,
    test_case_version: &'a str,
    test_type: &'a str,
    variant: Option<&'a str>,
    harness_slug: &'a str,
    harness_version: Option<&'a str>,
    model_id: &'a str,
    orchestrator_slug: &'a str,
    engine_slug: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Metrics<'a> {
    run_time_seconds: &'a RawValue,
    tokens: Tokens<'a>,
    cost: Cost<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tokens<'a> {
    uncached_input: Option<&'a RawValue>,
    cached_input: Option<&'a RawValue>,
    output: Option<&'a RawValue>,
    reasoning: Option<&'a RawValue>,
}

#[derive(Debug, Serialize)]
struct Cost<'a> {
    comparable: Option<&'a RawValue>,
    actual: Option<&'a RawValue>,
}

#[derive(Debug, Serialize)]
struct Check<'a> {
    view: &'a str,
    name: &'a str,
    reached: bool,
    similarity: Option<&'a RawValue>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Links<'a> {
    source_repo: Option<&'a str>,
    playable_build: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Annotations<'a> {
    count: usize,
    kinds: &'a BTreeMap<String, usize>,
}

/// The card of a run.
///
/// # Errors
/// Never in practice: every number was parsed before.
pub fn card<'a>(
    config: &Config,
    entry: &'a Entry,
    findings: &'a Findings,
) -> serde_json::Result<Card<'a>> {
    let run = &entry.run;
    let (subject, metrics) = (&run.subject, &run.metrics);
    Ok(Card {
        id: &run.id,
        slug: &entry.slug,
        url: address(config, &links::run(&entry.slug)),
        started_at: &run.started.text,
        finished_at: &run.finished.text,
        published_at: run.published.as_ref().map(|moment| moment.text.as_str()),
        subject: Subject {
            test_case_slug: &subject.case,
            test_case_version: &subject.version,
            test_type: &subject.test_type,
            variant: subject.variant.as_deref(),
            harness_slug: &subject.harness,
            harness_version: subject.harness_version.as_deref(),
            model_id: &subject.model,
            orchestrator_slug: &subject.orchestrator,
            engine_slug: &subject.engine,
        },
        metrics: Metrics {
            run_time_seconds: literal(&metrics.run_time_seconds)?,
            tokens: Tokens {
                uncached_input: optional(metrics.uncached_input.as_ref())?,
                cached_input: optional(metrics.cached_input.as_ref())?,
                output: optional(metrics.output.as_ref())?,
                reasoning: optional(metrics.reasoning.as_ref())?,
            },
            cost: Cost {
                comparable: optional(metrics.comparable_cost.as_ref())?,
                actual: optional(metrics.actual_cost.as_ref())?,
            },
        },
        validation_loaded: run.validation.loaded,
        checks: run
            .validation
            .checks
            .iter()
            .map(|check| {
                Ok(Check {
                    view: &check.view,
                    name: &check.name,
                    reached: check.similarity.is_some(),
                    similarity: optional(check.similarity.as_ref())?,
                })
            })
            .collect::<serde_json::Result<_>>()?,
        state: &run.state.word,
        rating: findings.rating.map(crate::model::review::Rating::word),
        links: Links {
            source_repo: run
                .source_repo
                .as_ref()
                .map(super::super::url::HttpUrl::as_str),
            playable_build: run
                .playable_build
                .as_ref()
                .map(super::super::url::HttpUrl::as_str),
        },
        events: findings.events,
        annotations: Annotations {
            count: findings.annotations.total(),
            kinds: &findings.annotations.0,
        },
        threads: findings.threads.as_ref().map(|threads| ThreadSummary {
            resource: threads.channel.as_deref(),
            annotation_count: threads.threads,
            entry_count: threads.entries,
        }),
    })
}

/// Absolute when the site's address is known, else relative to its root.
#[must_use]
pub fn address(config: &Config, page: &str) -> String {
    config.site.base_url.as_ref().map_or_else(
        || page.to_owned(),
        |base| format!("{}{}", base.as_str(), links::directory(page)),
    )
}

fn literal(number: &Number) -> serde_json::Result<&RawValue> {
    serde_json::from_str(&number.literal)
}

fn optional(number: Option<&Number>) -> serde_json::Result<Option<&RawValue>> {
    number.map(literal).transpose()
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
        serde_json::to_writer(&mut *out, &card(config, entry, findings)?)?;
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
        serde_json::to_writer(&mut *out, &card(config, entry, findings)?)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// `index.json`: the site and every other feed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Index<'a> {
    schema_version: u32,
    site: Site<'a>,
    runs: usize,
    feeds: Vec<Feed<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Site<'a> {
    title: &'a str,
    description: &'a str,
    base_url: Option<&'a str>,
    language: &'a str,
    author: Option<&'a str>,
    licence: Option<&'a str>,
    notice: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Feed<'a> {
    path: &'a str,
    schema: Option<&'a str>,
    bytes: u64,
    blake3: &'a str,
}

/// A feed that was written: path relative to the site's root, size, BLAKE3.
pub type Written = (String, u64, String);

/// The index of `feeds`, in their order.
#[must_use]
pub fn index<'a>(config: &'a Config, runs: usize, feeds: &'a [Written]) -> Index<'a> {
    let site = &config.site;
    Index {
        schema_version: SCHEMA_VERSION,
        site: Site {
            title: &site.title,
            description: &site.description,
            base_url: site
                .base_url
                .as_ref()
                .map(super::super::url::HttpUrl::as_str),
            language: &site.language,
            author: site.author.as_deref(),
            licence: config.policy.licence.as_deref(),
            notice: site.notice.as_deref(),
        },
        runs,
        feeds: feeds
            .iter()
            .map(|(path, bytes, blake3)| Feed {
                path,
                schema: None,
                bytes: *bytes,
                blake3,
            })
            .collect(),
    }
}
