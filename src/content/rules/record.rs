//! The rules for a run record beyond its shape (formats.md A).

use std::collections::BTreeSet;

use base::diagnostics::text::quoted;
use base::diagnostics::{Collector, Diagnostic, Place, Severity, Source, codes};
use base::url::{HttpUrl, ascii_host_help};
use formats::json::pointer_part;
use formats::model::run::{Metric, MetricUnit, is_published, recorded};
use formats::model::time::parse_rfc3339;
use formats::reader::NumberLiteral;
use formats::redactions::has_marker;
use formats::run_record::{ParsedRecord, RunRecord};

/// Checks a record; `source` is the file it was read from.
#[must_use]
pub fn check(source: Source<'_>, parsed: &ParsedRecord<'_>) -> Vec<Diagnostic> {
    let rules = Rules { source, parsed };
    let record = &parsed.record;
    let mut problems = Collector::default();
    rules.names(record, &mut problems);
    rules.times(record, &mut problems);
    rules.metrics(record, &mut problems);
    rules.checks(record, &mut problems);
    rules.links(record, &mut problems);
    problems.finish(source.path)
}

/// The note for a run in a state that is never published (formats.md A.vi), whatever else its record contains. A withheld state
/// may be one of these.
#[must_use]
pub fn check_published(source: Source<'_>, parsed: &ParsedRecord<'_>) -> Option<Diagnostic> {
    let word = parsed.record.status.state.as_deref()?;
    (!is_published(word) || has_marker(word)).then(|| {
        codes::RECORD_NEVER_PUBLISHED.at(
            place(source, parsed, "/status/state"),
            format!(
                "The run is not published, because its state is {}",
                quoted(word)
            ),
            "No action needed: a run in this state says nothing about its model. Its other files were not read.",
        )
    })
}

struct Rules<'a> {
    source: Source<'a>,
    parsed: &'a ParsedRecord<'a>,
}

/// The place of a record's value.
pub fn place(source: Source<'_>, parsed: &ParsedRecord<'_>, pointer: &str) -> Place {
    let found = parsed.root.find(pointer);
    found
        .map_or_else(|| Place::file(source.path), |node| node.place(&source))
        .pointing(pointer)
}

impl Rules<'_> {
    fn place(&self, pointer: &str) -> Place {
        place(self.source, self.parsed, pointer)
    }

    fn names(&self, record: &RunRecord<'_>, problems: &mut Collector) {
        let subject = &record.subject;
        for (pointer, name, what) in [
            ("/id", &record.id, "run id"),
            (
                "/subject/testCaseSlug",
                &subject.test_case_slug,
                "name of the test case",
            ),
            (
                "/subject/harnessSlug",
                &subject.harness_slug,
                "name of the harness",
            ),
            ("/subject/modelId", &subject.model_id, "name of the model"),
        ] {
            if name.as_deref().is_some_and(|name| name.trim().is_empty()) {
                problems.push(codes::RECORD_EMPTY_NAME.at(
                    self.place(pointer),
                    format!("The {what} is empty"),
                    "Fill it in; pages, addresses and links use it.",
                ));
            }
        }
    }

    fn times(&self, record: &RunRecord<'_>, problems: &mut Collector) {
        let mut time = |pointer: &str, text: Option<&str>, severity| {
            let ms = parse_rfc3339(text?);
            if ms.is_none() {
                problems.add_as(&codes::RECORD_INVALID_TIMESTAMP, severity, || {
                    codes::RECORD_INVALID_TIMESTAMP.at(
                        self.place(pointer),
                        format!(
                            "The time {} is not RFC 3339",
                            quoted(text.unwrap_or_default())
                        ),
                        "Write date, time and offset, as in `2026-03-01T10:00:00Z`.",
                    )
                });
            }
            ms
        };
        let started = time("/startedAt", record.started_at.as_deref(), Severity::Error);
        let finished = time(
            "/finishedAt",
            record.finished_at.as_deref(),
            Severity::Error,
        );
        time(
            "/publishedAt",
            record.published_at.as_deref(),
            Severity::Error,
        );
        // Added in a later version: the run is shown without an invalid time.
        for (index, entry) in record.game_jam_prior_entries.iter().enumerate() {
            let pointer = format!("/gameJamPriorEntries/{index}/finishedAt");
            time(&pointer, entry.finished_at.as_deref(), Severity::Warning);
        }
        if let (Some(started), Some(finished)) = (started, finished)
            && finished < started
        {
            problems.push(codes::RECORD_FINISHED_BEFORE_START.at(
                self.place("/finishedAt"),
                "The run finished before it started",
                "Correct `startedAt` or `finishedAt`; a missing offset is a common cause.",
            ));
        }
    }

    fn metrics(&self, record: &RunRecord<'_>, problems: &mut Collector) {
        let m = &record.metrics;
        for metric in Metric::ALL {
            let Some(number) = recorded(m, metric) else {
                continue;
            };
            let Some(problem) = wrong_number(number, metric.unit() == MetricUnit::Tokens) else {
                continue;
            };
            // Only an imported run may lack its run time.
            let is_needed = metric == Metric::RunTime && !record.is_imported();
            problems.push(codes::RECORD_INVALID_METRIC.at(
                self.place(&format!("/metrics/{}", metric.path().replace('.', "/"))),
                format!("The metric {} is {problem}", quoted(number.literal)),
                if is_needed {
                    "Write the measured value."
                } else {
                    "Write the measured value, or null if it is unknown."
                },
            ));
        }
        // Added in a later version: the run is shown without an invalid duration.
        for (key, seconds) in &m.stages {
            let Some(seconds) = *seconds else { continue };
            let Some(problem) = wrong_number(seconds, false) else {
                continue;
            };
            let pointer = format!("/metrics/{}", pointer_part(key));
            problems.add_as(&codes::RECORD_INVALID_METRIC, Severity::Warning, || {
                codes::RECORD_INVALID_METRIC.at(
                    self.place(&pointer),
                    format!("The duration {} is {problem}", quoted(seconds.literal)),
                    "Write the measured seconds, or null if they are unknown.",
                )
            });
        }
    }

    fn checks(&self, record: &RunRecord<'_>, problems: &mut Collector) {
        let mut views = BTreeSet::new();
        let validation = &record.validation;
        let checks = validation.checks.iter();
        let checks = checks.map(|check| (&check.pointer, check.similarity, &check.view));
        let compared = validation.reference_comparisons.iter();
        let compared = compared.map(|check| (&check.pointer, check.similarity, &check.view));
        for (pointer, similarity, view) in checks.chain(compared) {
            if let Some(number) = similarity
                && !(0.0..=1.0).contains(&number.value)
            {
                problems.add(&codes::RECORD_SIMILARITY_OUT_OF_RANGE, || {
                    codes::RECORD_SIMILARITY_OUT_OF_RANGE.at(
                        self.place(&format!("{pointer}/similarity")),
                        format!(
                            "The similarity {} is not between 0 and 1",
                            quoted(number.literal)
                        ),
                        "Write a fraction, such as 0.975 for 97.5 %.",
                    )
                });
            }
            if let Some(view) = view.as_deref()
                && !views.insert(view)
            {
                problems.add(&codes::RECORD_DUPLICATE_CHECK, || {
                    codes::RECORD_DUPLICATE_CHECK.at(
                        self.place(&format!("{pointer}/view")),
                        format!("Duplicate check for the view {}", quoted(view)),
                        "Give each check a different view.",
                    )
                });
            }
        }
    }

    fn links(&self, record: &RunRecord<'_>, problems: &mut Collector) {
        for (pointer, url) in [
            ("/links/sourceRepo", &record.links.source_repo),
            ("/links/playableBuild", &record.links.playable_build),
        ] {
            let Some(url) = url.as_deref() else { continue };
            if HttpUrl::parse(url).is_none() {
                problems.push(codes::RECORD_INVALID_LINK.at(
                    self.place(pointer),
                    format!("The link {} is not an http or https address", quoted(url)),
                    ascii_host_help(url).unwrap_or_else(|| {
                        "Write an absolute address such as `https://example.org/run`, or null."
                            .to_owned()
                    }),
                ));
            }
        }
    }
}

fn wrong_number(number: NumberLiteral<'_>, whole: bool) -> Option<&'static str> {
    if !number.value.is_finite() {
        Some("not finite")
    } else if number.value < 0.0 {
        Some("negative")
    } else if whole && number.value.fract() != 0.0 {
        Some("not a whole number of tokens")
    } else {
        None
    }
}
