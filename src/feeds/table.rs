//! Knows `runs.csv`: the cards of all runs as one flat table.

use std::borrow::Cow;
use std::io::{self, Write};

use csv::{QuoteStyle, Terminator, WriterBuilder};

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

/// Writes `runs.csv` (RFC 4180). Every text is quoted, so that no separator that a spreadsheet may look for ends it; numbers are
/// not, and what was not recorded is an empty field.
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
        .quote_style(QuoteStyle::Never)
        .from_writer(out);
    csv.write_record(COLUMNS.map(quoted))?;
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
    let plain = |text: &str| own(quoted(text));
    let text = |text: &str| own(quoted(&harmless(text)));
    let optional = |recorded: Option<&str>| recorded.map_or(Cow::Borrowed(""), text);
    let known = |text: Option<&str>| text.map_or(Cow::Borrowed(""), plain);
    let number = |number: Option<&'a Number>| {
        Cow::Borrowed(number.map_or("", |number| number.literal.as_str()))
    };
    let counted = |count: Option<usize>| own(count.map_or_else(String::new, |n| n.to_string()));
    let threads = findings.threads.as_ref();
    [
        text(&run.id),
        plain(&entry.slug),
        plain(&address(config, &links::run(&entry.slug))),
        plain(&run.started.text),
        plain(&run.finished.text),
        known(run.published.as_ref().map(|at| at.text.as_str())),
        text(&subject.case),
        text(&subject.version),
        text(&subject.test_type),
        optional(subject.variant.as_deref()),
        text(&subject.harness),
        optional(subject.harness_version.as_deref()),
        text(&subject.model),
        text(&subject.orchestrator),
        text(&subject.engine),
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
        text(&run.state.word),
        known(findings.rating.map(Rating::word)),
        counted(Some(findings.events.unwrap_or_default())),
        counted(Some(findings.annotations.total())),
        counted(threads.map(|threads| threads.threads)),
        counted(threads.map(|threads| threads.entries)),
        known(run.source_repo.as_ref().map(crate::url::HttpUrl::as_str)),
        known(run.playable_build.as_ref().map(crate::url::HttpUrl::as_str)),
    ]
}

/// A text between quotes; a quote in it is doubled.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text that no spreadsheet takes for a formula: an apostrophe stands before what could begin one.
fn harmless(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n']) {
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
