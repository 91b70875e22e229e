//! Knows the figures of a run, and how they stand to those of comparable runs.

use serde::Serialize;

use crate::model::archive::{Archive, Range};
use crate::model::run::{Number, Run};
use crate::view::{Cell, format};

/// The figures of a run.
#[derive(Debug, Serialize)]
pub struct MetricsView {
    /// The four token classes.
    pub tokens: Vec<MetricView>,
    /// Parts of the token bar, in thousandths; empty when nothing is reported.
    pub bar: Vec<BarPart>,
    /// All classes together, or why not.
    pub total: Cell,
    /// Whether a class is unreported.
    pub partial: bool,
    /// Comparable and actual cost.
    pub costs: Vec<MetricView>,
    /// Wall clock.
    pub run_time: MetricView,
    /// How many runs the ranges are over, this one included; 0 when there is none to compare with.
    pub peers: usize,
}

/// A figure and the range of comparable runs.
#[derive(Debug, Serialize)]
pub struct MetricView {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: Cell,
    /// `1,204 to 88,310`
    pub range: Option<String>,
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

pub(super) fn metrics(archive: &Archive, run: &Run) -> MetricsView {
    let m = &run.metrics;
    let ranges = archive.ranges(run).cloned().unwrap_or_default();
    let peers = ranges.run_time.as_ref().map_or(0, |range| range.runs);
    let shown = |range: &Option<Range>, value: fn(Option<&Number>) -> Cell| {
        let range = range.as_ref().filter(|range| range.runs > 1)?;
        Some(format!(
            "{} to {}",
            value(Some(&range.min)).text(),
            value(Some(&range.max)).text()
        ))
    };
    let tokens = m.tokens();
    let reported: Vec<&Number> = tokens.iter().filter_map(|(_, number)| *number).collect();
    let sum: f64 = reported.iter().map(|number| number.value).sum();
    // Exact where the record holds plain whole numbers, as it does by its format.
    let total = reported.iter().try_fold(0_u128, |sum, number| {
        sum.checked_add(number.literal.parse().ok()?)
    });
    let total = total.map_or_else(|| format!("{sum:.0}"), |total| total.to_string());
    MetricsView {
        bar: bar(&tokens, sum),
        total: if reported.is_empty() {
            Cell::unknown("no token class is reported")
        } else {
            Cell::known(format::grouped(&total))
        },
        partial: !reported.is_empty() && reported.len() < tokens.len(),
        tokens: tokens
            .iter()
            .zip(&ranges.tokens)
            .map(|((name, number), range)| MetricView {
                name,
                value: format::tokens(*number),
                range: shown(range, format::tokens),
            })
            .collect(),
        costs: vec![
            MetricView {
                name: "comparable cost",
                value: format::cost(m.comparable_cost.as_ref()),
                range: shown(&ranges.comparable_cost, format::cost),
            },
            MetricView {
                name: "actual cost",
                value: format::cost(m.actual_cost.as_ref()),
                range: shown(&ranges.actual_cost, format::cost),
            },
        ],
        run_time: MetricView {
            name: "run time",
            value: format::run_time(&m.run_time_seconds),
            range: ranges
                .run_time
                .as_ref()
                .filter(|range| range.runs > 1)
                .map(|range| {
                    format!(
                        "{} to {}",
                        format::run_time(&range.min).text(),
                        format::run_time(&range.max).text()
                    )
                }),
        },
        peers: if peers > 1 { peers } else { 0 },
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "thousandths of a bar"
)]
fn bar(tokens: &[(&'static str, Option<&Number>); 4], sum: f64) -> Vec<BarPart> {
    const CLASSES: [&str; 4] = ["uncached", "cached", "output", "reasoning"];
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
