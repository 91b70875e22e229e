//! The metrics of a run, and how they compare with those of comparable runs.

use serde::Serialize;

use crate::model::archive::Range;
use crate::model::archive_context::ArchiveContext;
use crate::model::details::{self, Details};
use crate::model::run::{Number, Run, Total};
use crate::view::{Cell, format};

/// The metrics of a run.
#[derive(Debug, Serialize)]
pub struct MetricsView {
    /// The four token classes.
    pub tokens: Vec<MetricView>,
    /// Parts of the token bar, in thousandths; empty when nothing is reported.
    pub bar: Vec<BarPart>,
    /// Input, output and all classes together.
    pub totals: Vec<TotalView>,
    /// Comparable and actual cost.
    pub costs: Vec<MetricView>,
    /// Wall clock.
    pub run_time: MetricView,
    /// Where the time went: `setup`, `session` and so on.
    pub stages: Vec<(String, Cell)>,
    /// Calls by tool, most first.
    pub tool_calls: Vec<(String, Cell)>,
    /// `150 calls of 6 tools`
    pub tool_summary: String,
    /// How many runs the ranges are over, this one included; 0 when there is none to compare with.
    pub peers: usize,
}

/// A metric and its range in comparable runs.
#[derive(Debug, Clone, Serialize)]
pub struct MetricView {
    /// Class of its part of the token bar; empty where it has none.
    pub class: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: Cell,
    /// `1,204 to 88,310`
    pub range: Option<String>,
    /// Where the value lies in the range, from 0 to 100.
    pub at: Option<u32>,
}

/// A sum of token classes.
#[derive(Debug, Serialize)]
pub struct TotalView {
    /// Its name.
    pub name: &'static str,
    /// The sum; marked as a lower bound when a class is not reported.
    pub value: Cell,
    /// `reasoning is not reported`
    pub missing: Option<String>,
}

/// A part of the token bar.
#[derive(Debug, Serialize)]
pub struct BarPart {
    /// Class of the part.
    pub class: &'static str,
    /// Where it begins, of 1000.
    pub x: u32,
    /// How wide it is, of 1000.
    pub width: u32,
}

/// How a number is shown.
type FormatNumber = fn(Option<&Number>) -> Cell;

pub(super) fn metrics(around: &ArchiveContext, run: &Run, details: &Details<'_>) -> MetricsView {
    let tool_calls = details::tool_calls(details);
    let m = &run.metrics;
    let ranges = &around.ranges;
    let peers = ranges.runs();
    let metric =
        |name, number: Option<&Number>, range: &Option<Range>, shown: FormatNumber| MetricView {
            class: "",
            name,
            value: shown(number),
            range: range.as_ref().filter(|range| range.runs > 1).map(|range| {
                let ends = [&range.min, &range.max].map(|end| shown(Some(end)));
                format!("{} to {}", ends[0].text(), ends[1].text())
            }),
            at: place(range.as_ref(), number),
        };
    let tokens = m.tokens();
    let sum: f64 = tokens
        .iter()
        .filter_map(|(_, number)| Some(number.as_ref()?.value))
        .sum();
    MetricsView {
        bar: bar(&tokens, sum),
        totals: m.totals().into_iter().map(total).collect(),
        tokens: tokens
            .iter()
            .zip(&ranges.tokens)
            .zip(CLASSES)
            .map(|(((name, number), range), class)| MetricView {
                class,
                ..metric(name, *number, range, format::tokens)
            })
            .collect(),
        costs: [
            (
                "comparable cost",
                &m.comparable_cost,
                &ranges.comparable_cost,
            ),
            ("actual cost", &m.actual_cost, &ranges.actual_cost),
        ]
        .map(|(name, number, range)| metric(name, number.as_ref(), range, format::cost))
        .to_vec(),
        run_time: metric(
            "run time",
            m.run_time_seconds.as_ref(),
            &ranges.run_time,
            format::run_time,
        ),
        stages: details::stages(details)
            .into_iter()
            .take(STAGES)
            .map(|(key, seconds)| {
                let stage = key.strip_suffix("Seconds").unwrap_or(key);
                (stage.to_owned(), format::run_time(seconds.as_ref()))
            })
            .collect(),
        tool_calls: tool_calls
            .iter()
            .take(TOOLS)
            .map(|(name, count)| ((*name).to_owned(), format::number(Some(count), "")))
            .collect(),
        tool_summary: tool_summary(&tool_calls),
        peers: if peers > 1 { peers } else { 0 },
    }
}

/// Classes of the parts of the token bar.
const CLASSES: [&str; 4] = ["uncached", "cached", "output", "reasoning"];

/// Where a value lies between the smallest and the largest of its range, from 0 to 100.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "hundredths of a range"
)]
fn place(range: Option<&Range>, value: Option<&Number>) -> Option<u32> {
    let (range, value) = (range?, value?);
    let width = range.max.value - range.min.value;
    (range.runs > 1 && width > 0.0)
        .then(|| ((value.value - range.min.value) / width * 100.0).round() as u32)
}

/// Stages that are shown; no record of this format has more.
const STAGES: usize = 24;
/// Tools that are shown; the others are in `run.json`.
const TOOLS: usize = 60;

/// `150 calls of 6 tools`
fn tool_summary(calls: &[(&str, Number)]) -> String {
    let sum = calls.iter().try_fold(0_u128, |sum, (_, count)| {
        sum.checked_add(count.literal.parse().ok()?)
    });
    let tools = format::count(calls.len(), "tool");
    let all = sum.and_then(|sum| usize::try_from(sum).ok());
    let all = all.map_or(tools.clone(), |sum| {
        format!("{} of {tools}", format::count(sum, "call"))
    });
    if calls.len() > TOOLS {
        format!("{all}; the {TOOLS} most used are shown, run.json has all")
    } else {
        all
    }
}

fn total((name, total): (&'static str, Total)) -> TotalView {
    let missing = match total.missing.as_slice() {
        [] => None,
        [one] => Some(format!("{one} is not reported")),
        [most @ .., last] => Some(format!("{} and {last} are not reported", most.join(", "))),
    };
    let value = match (&total.digits, &missing) {
        (Some(digits), None) => Cell::known(format::grouped(digits)),
        // What is not reported can only add to it.
        (Some(digits), Some(missing)) => Cell::titled(
            format!("≥ {}", format::grouped(digits)),
            format!("lower bound: {missing} and counted as 0"),
        ),
        (None, _) => Cell::unknown("none of its classes is reported"),
    };
    TotalView {
        name,
        missing: missing.filter(|_| total.digits.is_some()),
        value,
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "thousandths of a bar"
)]
fn bar(tokens: &[(&'static str, Option<&Number>); 4], sum: f64) -> Vec<BarPart> {
    if sum <= 0.0 {
        return Vec::new();
    }
    let mut from = 0.0;
    tokens
        .iter()
        .zip(CLASSES)
        .filter_map(|((_, number), class)| {
            let start = from;
            from += number.as_ref()?.value;
            let (x, end) = (
                (start / sum * 1000.0).round() as u32,
                (from / sum * 1000.0).round() as u32,
            );
            (end > x).then_some(BarPart {
                class,
                x,
                width: end - x,
            })
        })
        .collect()
}
