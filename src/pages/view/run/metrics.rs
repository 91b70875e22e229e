//! The metrics of a run, compared with comparable runs.

use serde::Serialize;

use crate::view::{Cell, format};
use base::links;
use formats::model::archive::MetricRange;
use formats::model::archive_context::ArchiveContext;
use formats::model::details;
use formats::model::run::{Metric, Number, Run, TokenTotal};
use formats::run_record::RunRecord;

#[derive(Debug, Serialize)]
pub struct MetricsView {
    /// The four token classes.
    pub tokens: Vec<MetricView>,
    /// The token classes as a stacked bar; empty if none is reported.
    pub bar: Vec<BarPart>,
    /// Input, output and total.
    pub totals: Vec<TotalView>,
    /// Comparable and actual cost.
    pub costs: Vec<MetricView>,
    /// Wall-clock time.
    pub run_time: MetricView,
    /// Durations of the stages: `setup`, `session` and so on.
    pub stages: Vec<(String, Cell)>,
    /// The stages as a stacked bar.
    pub stage_bar: Vec<BarPart>,
    /// Calls by tool, most first.
    pub tool_calls: Vec<ToolView>,
    /// `150 calls of 6 tools`
    pub tool_summary: String,
    /// Number of runs in the ranges, including this one; 0 if there is nothing to compare with.
    pub peers: usize,
    /// Whether a sum or a cost is marked as a lower bound.
    pub has_bounds: bool,
    /// Whether a cost was recorded.
    pub has_cost: bool,
    /// Whether tokens, a cost or the run time were recorded.
    pub has_values: bool,
}

/// A metric and its range in comparable runs.
#[derive(Debug, Clone, Serialize)]
pub struct MetricView {
    /// Class of its part of the token bar; empty if it has none.
    pub class: &'static str,
    pub name: &'static str,
    pub value: Cell,
    /// `1,204 to 88,310`
    pub range: Option<String>,
    /// Position of the value in the range, from 0 to 100.
    pub at: Option<u32>,
    /// A linked dot for each comparable run.
    pub dots: Vec<DotView>,
    /// A path with a dot for each comparable run, if dots have no links.
    pub path: String,
}

/// A comparable run within the range of a metric.
#[derive(Debug, Clone, Serialize)]
pub struct DotView {
    /// From 0 to 100.
    pub at: u32,
    /// Its page.
    pub href: String,
    /// `sample/lark-large $0.37`
    pub title: String,
}

/// A tool and its number of calls.
#[derive(Debug, Serialize)]
pub struct ToolView {
    pub name: String,
    pub calls: Cell,
    /// Share relative to the most called tool, from 0 to 100.
    pub share: u32,
}

/// A sum of token classes.
#[derive(Debug, Serialize)]
pub struct TotalView {
    pub name: &'static str,
    /// The sum; marked as a lower bound if a class is not reported.
    pub value: Cell,
    /// `reasoning is not reported`, or `output is a lower bound`.
    pub missing: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct BarPart {
    /// Class of the part; empty for a stage.
    pub class: &'static str,
    /// `cached input 91 %`
    pub label: String,
    /// Start, out of 1000.
    pub x: u32,
    /// Width, out of 1000.
    pub width: u32,
}

pub(super) fn metrics(context: &ArchiveContext, run: &Run, details: &RunRecord<'_>) -> MetricsView {
    let tool_calls = details::tool_calls(details);
    let stages = details::stages(details);
    let m = &run.metrics;
    let ranges = &context.ranges;
    let peers = ranges.runs();
    let view = |metric: Metric| {
        let range = ranges.metrics[metric as usize].as_ref();
        let range = range.filter(|range| range.runs > 1);
        let shown = |number| format::of_metric(metric, Some(number));
        let places = range.into_iter().flat_map(|range| {
            let others = ranges.peers.iter().filter(|peer| peer.slug != context.slug);
            others.filter_map(move |peer| {
                let number = peer.run.metrics.exact(metric)?;
                Some((peer, number, place(range, number)?))
            })
        });
        let mut found = MetricView {
            class: class(metric),
            name: metric.name(),
            value: format::metric(m, metric),
            range: range.map(|range| {
                let [min, max] = [&range.min, &range.max].map(shown);
                format!("{} to {}", min.text(), max.text())
            }),
            at: range.and_then(|range| place(range, m.exact(metric)?)),
            dots: Vec::new(),
            path: String::new(),
        };
        if LINKED.contains(&metric) {
            found.dots = places
                .map(|(peer, number, at)| DotView {
                    at,
                    href: links::from_run_to_run(&peer.slug),
                    title: format!("{} {}", peer.run.subject.model(), shown(number).text()),
                })
                .collect();
        } else {
            found.path = places.map(|(_, _, at)| format!("M{at} 0h0")).collect();
        }
        found
    };
    let tokens = Metric::TOKENS.iter().map(|metric| {
        let number = m.get(*metric).map(Number::value);
        (class(*metric), metric.name(), number)
    });
    let most = tool_calls.first().map_or(1.0, |(_, most)| most.value());
    let sums = m.totals();
    let costs = [Metric::ComparableCost, Metric::ActualCost];
    MetricsView {
        has_cost: costs.iter().any(|cost| m.get(*cost).is_some()),
        has_values: Metric::ALL.iter().any(|metric| m.get(*metric).is_some()),
        has_bounds: sums
            .iter()
            .any(|(_, sum)| sum.digits.is_some() && sum.why().is_some())
            || costs.iter().any(|cost| m.is_lower_bound(*cost)),
        bar: bar(tokens),
        totals: sums.into_iter().map(total).collect(),
        tokens: Metric::TOKENS.map(view).to_vec(),
        costs: costs.map(view).to_vec(),
        run_time: view(Metric::RunTime),
        stage_bar: bar(stages
            .iter()
            .map(|(key, seconds)| ("", stage(key), seconds.as_ref().map(Number::value)))),
        stages: stages
            .iter()
            .take(STAGES)
            .map(|(key, seconds)| (stage(key).to_owned(), format::run_time(seconds.as_ref())))
            .collect(),
        tool_calls: tool_calls
            .iter()
            .take(TOOLS)
            .map(|(name, count)| ToolView {
                name: (*name).to_owned(),
                calls: format::number(Some(count), ""),
                share: hundredths(count.value() / most),
            })
            .collect(),
        tool_summary: tool_summary(&tool_calls),
        peers: if peers > 1 { peers } else { 0 },
    }
}

/// The metrics with linked dots: comparable cost and run time. More links to the same runs would be redundant.
const LINKED: [Metric; 2] = [Metric::ComparableCost, Metric::RunTime];

/// `setupSeconds` as `setup`.
fn stage(key: &str) -> &str {
    key.strip_suffix("Seconds").unwrap_or(key)
}

/// Class of a part of the token bar; empty if the metric is none.
const fn class(metric: Metric) -> &'static str {
    match metric {
        Metric::UncachedInput => "uncached",
        Metric::CachedInput => "cached",
        Metric::Output => "output",
        Metric::Reasoning => "reasoning",
        Metric::ComparableCost | Metric::ActualCost | Metric::RunTime => "",
    }
}

/// Position of a value within its range, from 0 to 100.
fn place(range: &MetricRange, value: &Number) -> Option<u32> {
    let width = range.max.value() - range.min.value();
    (width > 0.0).then(|| hundredths((value.value() - range.min.value()) / width))
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share, from 0 to 1"
)]
fn hundredths(share: f64) -> u32 {
    (share * 100.0).round() as u32
}

/// A share in percent. What is there is never shown as nothing: `<1 %`.
fn percent(share: f64) -> String {
    match hundredths(share) {
        0 if share > 0.0 => "<1 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

/// Maximum stages shown; no record of this format has more.
const STAGES: usize = 24;
/// Maximum tools shown; the others are in `run.json`.
const TOOLS: usize = 60;

/// `150 calls of 6 tools`
fn tool_summary(calls: &[(&str, Number)]) -> String {
    let sum = calls.iter().try_fold(0_u128, |sum, (_, count)| {
        sum.checked_add(count.text().parse().ok()?)
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

fn total((name, total): (&'static str, TokenTotal)) -> TotalView {
    let missing = total.why();
    let value = match (&total.digits, &missing) {
        (Some(digits), None) => Cell::known(format::grouped(digits)),
        // Unreported classes can only add to the sum.
        (Some(digits), Some(missing)) if total.partial.is_empty() => Cell::titled(
            format!("≥ {}", format::grouped(digits)),
            format!("lower bound: {missing} and counted as 0"),
        ),
        (Some(digits), Some(missing)) => Cell::titled(
            format!("≥ {}", format::grouped(digits)),
            format!("lower bound: {missing}"),
        ),
        (None, _) => Cell::unknown("none of its classes is reported"),
    };
    TotalView {
        name,
        missing: missing.filter(|_| total.digits.is_some()),
        value,
    }
}

/// The reported parts of a total as a stacked bar.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "thousandths of a bar"
)]
fn bar<'a>(
    parts: impl Iterator<Item = (&'static str, &'a str, Option<f64>)> + Clone,
) -> Vec<BarPart> {
    let sum: f64 = parts.clone().filter_map(|(.., value)| value).sum();
    if sum <= 0.0 {
        return Vec::new();
    }
    let mut from = 0.0;
    parts
        .filter_map(|(class, name, value)| {
            let start = from;
            from += value?;
            let (x, end) = (
                (start / sum * 1000.0).round() as u32,
                (from / sum * 1000.0).round() as u32,
            );
            (end > x).then(|| BarPart {
                class,
                label: format!("{name} {}", percent(value.unwrap_or_default() / sum)),
                x,
                width: end - x,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_rounds_to_nothing_is_less_than_a_percent() {
        let parts = [
            ("a", "cached input", Some(249_000.0)),
            ("b", "output", Some(640.0)),
            ("c", "reasoning", None),
        ];
        let labels = bar(parts.into_iter()).into_iter().map(|part| part.label);
        assert_eq!(
            labels.collect::<Vec<_>>(),
            ["cached input 100 %", "output <1 %"]
        );
        let shown = [0.0, 0.004_9, 0.005, 1.0].map(percent);
        assert_eq!(shown, ["0 %", "<1 %", "1 %", "100 %"]);
    }
}
