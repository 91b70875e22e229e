//! `runs.csv`: the cards of all runs as one flat table.

use std::borrow::Cow;
use std::io::{self, Write};

use csv::{QuoteStyle, Terminator, WriterBuilder};

use crate::config::Config;
use crate::links;
use crate::model::archive::{Archive, Entry};
use crate::model::findings::{Findings, ThreadCounts};
use crate::model::review::Rating;
use crate::model::run::{Metric, Number};
use crate::model::time::Moment;
use crate::url::HttpUrl;

use super::archive::{address, outcomes_json};

/// Declares the columns: each name, which is the leaf key in a card of `runs.json`, and how to read the field of a run.
macro_rules! columns {
    (|$config:ident, $entry:ident, $run:ident, $findings:ident| $($name:literal = $field:expr;)+) => {
        const COLUMNS: &[&str] = &[$($name),+];

        fn row<'a>($config: &Config, $entry: &'a Entry, $findings: &Findings) -> Vec<Cow<'a, str>> {
            let $run = &$entry.run;
            vec![$($field),+]
        }
    };
}

columns! { |config, entry, run, findings|
    "id" = text(&run.id);
    "slug" = plain(&entry.slug);
    "url" = plain(&address(config, &links::run(&entry.slug)));
    "startedAt" = known(run.started.as_ref().map(Moment::text).as_deref());
    "finishedAt" = known(run.finished.as_ref().map(Moment::text).as_deref());
    "publishedAt" = known(run.published.as_ref().map(Moment::text).as_deref());
    "testCaseSlug" = text(&run.subject.case);
    "testCaseVersion" = optional(run.subject.version.as_deref());
    "testType" = text(&run.subject.test_type);
    "variant" = optional(run.subject.variant.as_deref());
    "harnessSlug" = text(&run.subject.harness);
    "harnessVersion" = optional(run.subject.harness_version.as_deref());
    "modelId" = optional(run.subject.model.as_deref());
    "orchestratorSlug" = text(&run.subject.orchestrator);
    "engineSlug" = text(&run.subject.engine);
    "runTimeSeconds" = number(run.metrics.get(Metric::RunTime));
    "uncachedInput" = number(run.metrics.get(Metric::UncachedInput));
    "cachedInput" = number(run.metrics.get(Metric::CachedInput));
    "output" = number(run.metrics.get(Metric::Output));
    "reasoning" = number(run.metrics.get(Metric::Reasoning));
    "comparableCost" = number(run.metrics.get(Metric::ComparableCost));
    "actualCost" = number(run.metrics.get(Metric::ActualCost));
    "validationLoaded" = run.validation.loaded.map_or(Cow::Borrowed(""), |loaded| loaded.to_string().into());
    "state" = text(&run.state.word);
    "rating" = known(findings.rating.map(Rating::word));
    "events" = count(findings.events);
    "annotations" = count(Some(findings.annotations.total()));
    "threads" = threads(findings, |threads| threads.threads);
    "threadEntries" = threads(findings, |threads| threads.entries);
    "threadsOpen" = threads(findings, |threads| threads.open);
    "threadsResolved" = threads(findings, ThreadCounts::resolved);
    "sourceRepo" = known(run.source_repo.as_ref().map(HttpUrl::as_str));
    "playableBuild" = known(run.playable_build.as_ref().map(HttpUrl::as_str));
    "outcomes" = outcomes_json(run).map_or(Cow::Borrowed(""), |json| text(&json));
    "lowerBounds" = plain_list(&run.metrics.lower_bounds.paths());
}

/// Writes `runs.csv` (RFC 4180). Every text is quoted, in case a spreadsheet expects a different separator; numbers are not, and
/// a value that was not recorded is an empty field.
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
    let heads: Vec<_> = COLUMNS.iter().map(|name| quoted(name)).collect();
    csv.write_record(&heads)?;
    for (entry, findings) in archive.runs.iter().zip(findings) {
        let fields = row(config, entry, findings);
        csv.write_record(fields.iter().map(|field| field.as_bytes()))?;
    }
    csv.flush()
}

/// A text from the record.
fn text(text: &str) -> Cow<'static, str> {
    quoted(&harmless(text)).into()
}

/// A text that runpress created or checked.
fn plain(text: &str) -> Cow<'static, str> {
    quoted(text).into()
}

/// Words that runpress created, separated by spaces; an empty field without one.
fn plain_list(words: &[&str]) -> Cow<'static, str> {
    if words.is_empty() {
        return Cow::Borrowed("");
    }
    plain(&words.join(" "))
}

fn optional(recorded: Option<&str>) -> Cow<'static, str> {
    recorded.map_or(Cow::Borrowed(""), text)
}

fn known(checked: Option<&str>) -> Cow<'static, str> {
    checked.map_or(Cow::Borrowed(""), plain)
}

fn number(number: Option<&Number>) -> Cow<'_, str> {
    number.map_or("", Number::text).into()
}

/// A run without a tape has no events.
fn count(count: Option<usize>) -> Cow<'static, str> {
    count.unwrap_or_default().to_string().into()
}

fn threads(findings: &Findings, of: fn(&ThreadCounts) -> usize) -> Cow<'static, str> {
    let threads = findings.threads.as_ref();
    threads.map_or(Cow::Borrowed(""), |threads| count(Some(of(threads))))
}

/// A text in quotes, with quotes in it doubled.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text that no spreadsheet evaluates as a formula: prefixed with an apostrophe if it could begin one.
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
