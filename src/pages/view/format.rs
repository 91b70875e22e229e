//! Recorded values as cells, badges and times of a page. Unknown values are a dash with a reason.

use std::borrow::Cow;

use formats::model::amounts;
pub use formats::model::amounts::{bytes, count, grouped, milliseconds, more, plural, rest};
use formats::model::archive::ArchiveEntry;
use formats::model::fields::FieldValue;
use formats::model::review::Rating;
use formats::model::run::{FinalState, Metric, MetricUnit, Metrics, Number};
use formats::model::time::{self, Moment};

use super::{Badge, Cell, DisplayTime};

/// Older runs without a glyph: `+12`, and the same in words.
pub fn older(all: usize, shown: usize) -> Option<(String, String)> {
    let words = rest(all, shown, "older run")?;
    Some((format!("+{}", grouped(all - shown)), words))
}

/// The start of a text, at most `limit` bytes, cut between two characters.
pub fn truncated(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

fn known_or(text: Option<String>, reason: &str) -> Cell {
    text.map_or_else(|| Cell::unknown(reason), Cell::known)
}

/// Tokens of one class.
pub fn tokens(count: Option<&Number>) -> Cell {
    number(count, "not reported by the harness")
}

/// A number, grouped; `reason` explains a missing one.
pub fn number(number: Option<&Number>, reason: &str) -> Cell {
    known_or(
        number.map(|number| grouped(amounts::digits(number))),
        reason,
    )
}

/// USD.
pub fn cost(number: Option<&Number>) -> Cell {
    known_or(number.map(amounts::dollars), "the price is not known")
}

/// USD in short; the title has the recorded digits.
pub fn short_cost(number: Option<&Number>) -> Cell {
    let exact = cost(number);
    let Some(value) = number.map(Number::value) else {
        return exact;
    };
    let short = amounts::short_dollars(value);
    if short == exact.text() {
        return exact;
    }
    Cell::titled(short, exact.text())
}

/// Seconds as a clock, `8:53` or `1:51:20`; the title has them in words and as recorded.
pub fn clock(number: Option<&Number>) -> Cell {
    let Some(number) = number else {
        return Cell::unknown("not recorded");
    };
    let clock = amounts::clock_of(number.value());
    let words = amounts::duration(number.value());
    Cell::titled(clock, format!("{words} ({} seconds)", number.text()))
}

/// A value that is a lower bound, marked as such. An unknown one stays unknown.
pub fn at_least(cell: Cell, is_lower_bound: bool) -> Cell {
    match cell {
        Cell::Plain(text) if is_lower_bound => {
            let title = format!("lower bound: {text}; the log lacks a part");
            Cell::titled(format!("≥ {text}"), title)
        }
        Cell::Titled {
            text,
            title,
            known: true,
        } if is_lower_bound => {
            let title = format!("lower bound: {title}; the log lacks a part");
            Cell::titled(format!("≥ {text}"), title)
        }
        cell => cell,
    }
}

/// A value of a metric.
pub fn of_metric(metric: Metric, number: Option<&Number>) -> Cell {
    match metric.unit() {
        MetricUnit::Tokens => tokens(number),
        MetricUnit::Dollars => cost(number),
        MetricUnit::Seconds => run_time(number),
    }
}

/// A metric of a run.
pub fn metric(metrics: &Metrics, metric: Metric) -> Cell {
    let cell = of_metric(metric, metrics.get(metric));
    at_least(cell, metrics.is_lower_bound(metric))
}

/// A cost of a run in USD, in short.
pub fn short_cost_of(metrics: &Metrics, which: Metric) -> Cell {
    at_least(
        short_cost(metrics.get(which)),
        metrics.is_lower_bound(which),
    )
}

/// Seconds, in words; the title has the recorded digits.
pub fn run_time(number: Option<&Number>) -> Cell {
    let Some(number) = number else {
        return Cell::unknown("not reported");
    };
    Cell::titled(
        amounts::duration(number.value()),
        format!("{} seconds", number.text()),
    )
}

/// A similarity between 0 and 1.
pub fn similarity(number: Option<&Number>, detail: Option<&str>) -> Cell {
    let reason = match detail {
        Some(detail) if begins_with_unreached(detail) => detail.to_owned(),
        Some(detail) => format!("not reached: {detail}"),
        None => "not reached".to_owned(),
    };
    known_or(number.map(|number| number.text().to_owned()), &reason)
}

/// A similarity, truncated to two digits; the title has the recorded digits.
pub fn short_similarity(number: Option<&Number>, detail: Option<&str>) -> Cell {
    let Some(number) = number else {
        return similarity(None, detail);
    };
    let digits = amounts::digits(number);
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let short = format!("{whole}.{fraction:0<2.2}");
    if fraction.len() > 2 {
        Cell::titled(short, number.text())
    } else {
        Cell::known(short)
    }
}

/// Whether a detail already says that a view was not reached.
pub fn begins_with_unreached(detail: &str) -> bool {
    let words = "not reached";
    let beginning = detail.get(..words.len());
    beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(words))
}

/// A name that may be a digest, which is cut to its first eight digits.
pub fn short_digest(name: &str) -> Cell {
    amounts::abbreviated_digest(name)
        .map_or_else(|| Cell::known(name), |short| Cell::titled(short, name))
}

/// A text that may be unknown.
pub fn text(value: Option<&impl AsRef<str>>) -> Cell {
    known_or(value.map(|value| value.as_ref().to_owned()), "not recorded")
}

/// A value as text; `None` if it is unknown.
pub fn value(value: FieldValue<'_>) -> Option<Cow<'_, str>> {
    Some(match value {
        FieldValue::Text(text) => text,
        FieldValue::Flag(flag) => if flag { "yes" } else { "no" }.into(),
        FieldValue::Time(time) => at(time.ms()).text.into(),
        FieldValue::Number(number) => grouped(amounts::digits(number)).into(),
        FieldValue::Count(count) => grouped(count).into(),
        // These values have their own sections.
        FieldValue::Unknown
        | FieldValue::Words(_)
        | FieldValue::Counts(_)
        | FieldValue::Checks(_)
        | FieldValue::Outcomes(_) => return None,
    })
}

/// A time that may be unknown.
pub fn when(moment: Option<&Moment>) -> DisplayTime {
    moment.map_or_else(DisplayTime::unknown, |moment| at(moment.ms()))
}

/// A time in milliseconds since 1970-01-01 UTC.
pub fn at(ms: i64) -> DisplayTime {
    DisplayTime {
        iso: time::iso(ms),
        text: time::utc(ms),
        date: time::utc_date(ms),
    }
}

/// The final state of a run, in plain words; the code is the record's. The tone is neutral unless the outcome is known.
pub fn state(state: &FinalState) -> Badge {
    let tone = match &*state.word {
        "completed" => "good",
        "failed" | "catastrophic" | "harness_error" => "bad",
        "timed_out" | "limit_exceeded" | "hung" | "unevaluable" => "poor",
        _ => "none",
    };
    let word = state.word.replace('_', " ");
    Badge {
        code: (word != *state.word).then(|| state.word.to_string()),
        ..Badge::new(word, tone)
    }
}

/// The state of a run among others: a run that does not count is `excluded`, in the tone of an unknown state.
pub fn outcome_badge(entry: &ArchiveEntry) -> Badge {
    let state = state(&entry.run.state);
    match entry.exclusion() {
        None => state,
        Some(_) => Badge::new(format!("excluded, {}", state.word), "none"),
    }
}

/// How many runs completed, of those that count and whose state is known: `3 of 4` or `3 of 4, 6 unknown`; empty if none counts.
/// The `verb` is added to the first number.
pub fn completed<'a>(runs: impl Iterator<Item = &'a ArchiveEntry> + Clone, verb: &str) -> String {
    let counted = runs.filter(|run| run.exclusion().is_none());
    let states = counted.map(|run| &run.run.state);
    let known = states.clone().filter(|state| state.is_known()).count();
    let unknown = states.clone().count() - known;
    let completed = states.filter(|state| state.is_completed()).count();
    let known = (known > 0).then(|| format!("{completed} of {known}{verb}"));
    let unknown = (unknown > 0).then(|| format!("{unknown} unknown"));
    let parts = known.into_iter().chain(unknown);
    parts.collect::<Vec<_>>().join(", ")
}

/// How many runs do not count: `1 excluded`; `None` if all do.
pub fn excluded<'a>(runs: impl Iterator<Item = &'a ArchiveEntry>) -> Option<String> {
    let count = runs.filter(|run| run.exclusion().is_some()).count();
    (count > 0).then(|| format!("{} excluded", grouped(count)))
}

/// A rating, or "unrated".
pub fn rating(rating: Option<Rating>) -> Badge {
    let Some(rating) = rating else {
        return Badge::new("unrated", "none");
    };
    let tone = match rating {
        Rating::Flawless => "r8",
        Rating::Incredible => "r7",
        Rating::Great => "r6",
        Rating::Passable => "r5",
        Rating::Neutral => "r4",
        Rating::Scuffed => "r3",
        Rating::Poor => "r2",
        Rating::Broken => "r1",
    };
    Badge::new(rating.word(), tone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(literal: &str) -> Number {
        Number::new(literal, literal.parse().expect("a number"))
    }

    #[test]
    fn numbers_keep_the_digits_of_the_record() {
        assert_eq!(tokens(Some(&number("1234567"))).text(), "1,234,567");
        assert_eq!(similarity(Some(&number("0.9731")), None).text(), "0.9731");
    }

    #[test]
    fn a_lower_bound_is_marked_unless_it_is_unknown() {
        for cell in [Cell::known("8:53"), Cell::titled("8:53", "533 seconds")] {
            assert_eq!(at_least(cell.clone(), false).text(), "8:53");
            assert_eq!(at_least(cell, true).text(), "≥ 8:53");
        }
        assert_eq!(at_least(Cell::unknown("not reported"), true).text(), "—");
    }

    #[test]
    fn a_similarity_below_1_is_never_shown_as_1() {
        let shown = |literal| short_similarity(Some(&number(literal)), None);
        for (literal, short) in [
            ("0.9996", "0.99"),
            ("1", "1.00"),
            ("0.5", "0.50"),
            ("9e-1", "0.90"),
        ] {
            assert_eq!(shown(literal).text(), short);
        }
        assert!(matches!(shown("0.9996"), Cell::Titled { title, .. } if title == "0.9996"));
        assert!(matches!(shown("0.5"), Cell::Plain(_)));
    }

    #[test]
    fn a_state_is_shown_in_plain_words_and_keeps_the_word_of_the_record() {
        let badge = state(&FinalState {
            word: "harness_error".into(),
            detail: None,
        });
        assert_eq!(
            (badge.word.as_str(), badge.code.as_deref()),
            ("harness error", Some("harness_error"))
        );
    }

    #[test]
    fn unknown_is_never_zero() {
        assert_eq!(tokens(None).text(), "—");
        assert_eq!(cost(None).text(), "—");
        let similarity = similarity(None, Some("no canvas"));
        assert!(
            matches!(similarity, Cell::Titled { title, known: false, .. } if title == "not reached: no canvas")
        );
    }
}
