//! The values of messages that programs write in different ways: texts, times, counts of tokens.

use std::borrow::Cow;

use super::super::draft::Tokens;
use super::super::message_content::MessageContent;
use super::super::row::Row;
use super::super::time::{LogTime, from_unix};
use super::super::usage::InclusiveTokens;

/// The text of a message, without its reasoning, calls and results.
pub(super) fn content(row: &Row<'_>) -> MessageContent {
    let mut content = MessageContent::default();
    for part in row.parts("content") {
        match &*part.text("type") {
            "thinking" | "reasoning" | "tool_result" => {}
            "refusal" => content.line(&part.text("refusal")),
            _ => content.add(&part),
        }
    }
    content
}

/// The time of a message: a text, seconds since 1970, or milliseconds.
pub(super) fn time(row: &Row<'_>) -> Option<String> {
    /// Seconds above this are in the year 5138, and milliseconds below it in 1973.
    const MILLISECONDS: f64 = 1e11;
    let keys = ["timestamp", "created_at", "createdAt"];
    let key = keys.into_iter().find(|key| row.has(key))?;
    match row.number(key) {
        // The division comes last, so that the digits are those of the log.
        Some(number) if number >= MILLISECONDS => from_unix(number / 1e3),
        Some(number) => from_unix(number),
        None => row.name(key).filter(|time| LogTime::parse(time).is_some()),
    }
}

/// Whether letta's converter made up the times of a log that has none: it says so in its report, and begins in 2026.
pub(super) fn has_made_up_times(whole: &Row<'_>, rows: &[Row<'_>]) -> bool {
    let mut reports = whole.rows("diagnostics");
    let is_reported = reports.any(|report| report.text("code") == "timestamps_synthesized");
    let times = rows.iter().filter_map(|row| row.word("timestamp"));
    let first: Vec<Cow<'_, str>> = times.take(2).collect();
    is_reported || first == ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:15.000Z"]
}

/// The tokens of an answer. Anthropic counts the cache next to the input, others within it. Zeros were not counted.
pub(super) fn tokens(usage: &Row<'_>) -> Option<Tokens> {
    let (read, written) = ("cache_read_input_tokens", "cache_creation_input_tokens");
    let tokens = if usage.has_key(read) || usage.has_key(written) {
        let input = usage.count("input_tokens");
        let written = usage.count(written).unwrap_or_default();
        Tokens {
            uncached_input: input.map(|input| input.saturating_add(written)),
            cached_input: usage.count(read),
            output: usage.count("output_tokens"),
            reasoning: None,
        }
    } else {
        InclusiveTokens::of(usage)?.disjoint()
    };
    (!tokens.is_zero()).then_some(tokens)
}
