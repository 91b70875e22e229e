//! Knows `runs.csv`: the cards of all runs as one flat table.

use std::borrow::Cow;
use std::io::{self, Write};

use csv::{Terminator, WriterBuilder};

use crate::config::Config;
use crate::model::archive::{Archive, Entry};
use crate::model::findings::Findings;
use crate::model::review::Rating;
use crate::model::run::Number;
use crate::view::links;

use super::archive::address;

/// The columns: the leaf keys of a card of `runs.json`.
pub const COLUMNS: [&str; 31] = [
    "id",
    "slug",
    "url",
    "startedAt",
    "finishedAt",
    "publishedAt",
    "testCaseSlug",
    "testCaseVersion",
    "testType",
    "variant",
    "harnessSlug",
    "harnessVersion",
    "modelId",
    "orchestratorSlug",
    "engineSlug",
    "runTimeSeconds",
    "uncachedInput",
    "cachedInput",
    "output",
    "reasoning",
    "comparableCost",
    "actualCost",
    "validationLoaded",
    "state",
    "rating",
    "events",
    "annotations",
    "threads",
    "threadEntries",
    "sourceRepo",
    "playableBuild",
];

/// Writes `runs.csv` (RFC 4180). What was not recorded is an empty field.
///
/// # Errors
/// Those of the writer.
pub fn write_runs(
    out: &mut dyn Write,
    config: &Config,
    archive: &Archive,
    findings: &[Findings],
) -> io::Result<()> {
    let mut csv = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(out);
    csv.write_record(COLUMNS)?;
    for (entry, findings) in archive.runs.iter().zip(findings) {
        let fields = row(config, entry, findings);
        csv.write_record(fields.iter().map(|field| field.as_bytes()))?;
    }
    csv.flush()
}

fn row<'a>(config: &Config, entry: &'a Entry, findings: &'a Findings) -> [Cow<'a, str>; 31] {
    let run = &entry.run;
    let (subject, metrics) = (&run.subject, &run.metrics);
    let own = |text: String| Cow::Owned(text);
    let optional = |text: Option<&'a str>| text.map_or(Cow::Borrowed(""), harmless);
    let number = |number: Option<&'a Number>| {
        Cow::Borrowed(number.map_or("", |number| number.literal.as_str()))
    };
    let counted = |count: Option<usize>| own(count.map_or_else(String::new, |n| n.to_string()));
    let threads = findings.threads.as_ref();
    [
        harmless(&run.id),
        Cow::Borrowed(&entry.slug),
        own(address(config, &links::run(&entry.slug))),
        Cow::Borrowed(&run.started.text),
        Cow::Borrowed(&run.finished.text),
        Cow::Borrowed(run.published.as_ref().map_or("", |at| at.text.as_str())),
        harmless(&subject.case),
        harmless(&subject.version),
        harmless(&subject.test_type),
        optional(subject.variant.as_deref()),
        harmless(&subject.harness),
        optional(subject.harness_version.as_deref()),
        harmless(&subject.model),
        harmless(&subject.orchestrator),
        harmless(&subject.engine),
        number(Some(&metrics.run_time_seconds)),
        number(metrics.uncached_input.as_ref()),
        number(metrics.cached_input.as_ref()),
        number(metrics.output.as_ref()),
        number(metrics.reasoning.as_ref()),
        number(metrics.comparable_cost.as_ref()),
        number(metrics.actual_cost.as_ref()),
        Cow::Borrowed(if run.validation.loaded {
            "true"
        } else {
            "false"
        }),
        harmless(&run.state.word),
        Cow::Borrowed(findings.rating.map_or("", Rating::word)),
        counted(Some(findings.events.unwrap_or_default())),
        counted(Some(findings.annotations.total())),
        counted(threads.map(|threads| threads.threads)),
        counted(threads.map(|threads| threads.entries)),
        Cow::Borrowed(run.source_repo.as_ref().map_or("", |url| url.as_str())),
        Cow::Borrowed(run.playable_build.as_ref().map_or("", |url| url.as_str())),
    ]
}

/// A text that no spreadsheet takes for a formula: an apostrophe stands before what could begin one.
fn harmless(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn what_a_spreadsheet_would_compute_is_made_text() {
        for text in ["=1+1", "+1", "-cmd", "@SUM(A1)", "\t=1", "\r=1", "\n=1"] {
            assert_eq!(harmless(text), format!("'{text}"));
        }
        assert_eq!(harmless("pong"), "pong");
    }
}
