//! A plot of runs: which metric is on which axis, where each run is, and which runs share a mark.

use std::collections::BTreeMap;

use crate::diagnostics::text::capitalized;
use crate::model::archive::{Archive, Entry, Group, GroupBy};
use crate::model::time;

use super::format;
use crate::links;

/// Width and height of the drawing.
pub const SIZE: (f64, f64) = (560.0, 320.0);
/// Where the plot begins and ends in the drawing: left, top, right, bottom.
pub const FRAME: (f64, f64, f64, f64) = (64.0, 28.0, 548.0, 276.0);
/// Runs nearer than this share a mark, so that no mark covers another.
const NEAR: f64 = 16.0;
/// Models or harnesses with a shape of their own; the rest are "other".
pub const SERIES: usize = 6;
/// Fewer runs than this are better read in the table.
const LEAST: usize = 3;
/// From this ratio of the largest to the smallest value on, the scale is logarithmic.
const WIDE: f64 = 20.0;

/// Two metrics of runs against each other.
#[derive(Debug)]
pub struct Plot {
    /// What it shows.
    pub caption: String,
    /// The same with the set of runs that it shows, which no other plot of the page has.
    pub name: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// The marks, those of the newest runs first.
    pub marks: Vec<PlotPoint>,
    /// Name and number of runs of each series that occurs, with its position.
    pub legend: Vec<(usize, String, usize)>,
    /// What is not drawn, and why.
    pub notes: Vec<String>,
}

/// A side of a plot.
#[derive(Debug)]
pub struct Axis {
    /// What it measures, and whether the scale is logarithmic.
    pub label: String,
    /// Where the ticks are, and their words.
    pub ticks: Vec<(f64, String)>,
}

/// A run, or several that would cover each other.
#[derive(Debug)]
pub struct PlotPoint {
    /// Where, from the left.
    pub x: f64,
    /// Where, from the top.
    pub y: f64,
    /// Position of the series of the run, or of the newest of several.
    pub series: usize,
    /// How many runs.
    pub runs: usize,
    /// The run, or the newest of them.
    pub href: String,
    /// Its content in words.
    pub title: String,
}

/// A number of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlotMetric {
    Cost,
    Time,
    Tokens,
}

impl PlotMetric {
    const fn name(self) -> &'static str {
        match self {
            Self::Cost => "comparable cost",
            Self::Time => "run time",
            Self::Tokens => "tokens of all classes",
        }
    }

    fn of(self, entry: &Entry) -> Option<f64> {
        let metrics = &entry.run.metrics;
        match self {
            Self::Cost => metrics.comparable_cost.as_ref().map(|cost| cost.value),
            Self::Time => metrics.run_time_seconds.as_ref().map(|time| time.value),
            Self::Tokens => {
                let [.., all] = metrics.totals();
                all.1.digits?.parse().ok()
            }
        }
    }

    fn words(self, value: f64) -> String {
        match self {
            Self::Cost => dollars(value),
            Self::Time => time::duration(value),
            Self::Tokens => short(value),
        }
    }
}

fn dollars(value: f64) -> String {
    if value == 0.0 || value >= 0.1 {
        let text = format!("{value:.2}");
        return format!(
            "${}",
            format::grouped(text.strip_suffix(".00").unwrap_or(&text))
        );
    }
    let text = format!("{value:.6}");
    format!("${}", text.trim_end_matches('0'))
}

fn short(value: f64) -> String {
    let (value, unit) = match value {
        1e9.. => (value / 1e9, " G"),
        1e6.. => (value / 1e6, " M"),
        1e3.. => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let text = format!("{value:.1}");
    format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
}

/// The plots of a set of comparable runs, named `set`, for a page whose way to the root is `root`; `apart` is what
/// tells series apart. Too few runs have none.
pub fn plots(
    archive: &Archive,
    set: &str,
    runs: &[usize],
    apart: GroupBy,
    root: &str,
) -> Vec<Plot> {
    let up = [PlotMetric::Time, PlotMetric::Tokens].into_iter();
    up.filter_map(|y| plot(archive, (set, runs), (PlotMetric::Cost, y), apart, root))
        .collect()
}

fn plot(
    archive: &Archive,
    (set, runs): (&str, &[usize]),
    (x, y): (PlotMetric, PlotMetric),
    apart: GroupBy,
    root: &str,
) -> Option<Plot> {
    let points: Vec<(usize, f64, f64)> = runs
        .iter()
        .filter_map(|&run| {
            let entry = &archive.runs[run];
            Some((run, x.of(entry)?, y.of(entry)?))
        })
        .filter(|(_, x, y)| *x >= 0.0 && *y >= 0.0)
        .collect();
    if points.len() < LEAST {
        return None;
    }
    let (left, top, right, bottom) = FRAME;
    let across = Scale::new(points.iter().map(|point| point.1), x, (left, right));
    let up = Scale::new(points.iter().map(|point| point.2), y, (bottom, top));
    let series = series(archive, &points, apart);
    // The newest run of a mark is at its own place; others that are too near share it.
    let mut places: Vec<((f64, f64), Vec<usize>)> = Vec::new();
    for &(run, x, y) in &points {
        let at = (across.place(x), up.place(y));
        let near = |((x, y), _): &&mut ((f64, f64), Vec<usize>)| {
            (at.0 - x).powi(2) + (at.1 - y).powi(2) < NEAR * NEAR
        };
        match places.iter_mut().find(near) {
            Some((_, runs)) => runs.push(run),
            None => places.push((at, vec![run])),
        }
    }
    let marks = places
        .iter()
        .map(|(at, runs)| mark(archive, *at, runs, (x, y), (apart, &series), root))
        .collect();
    let caption = format!("{} over {}", capitalized(y.name()), x.name());
    Some(Plot {
        name: format!("{caption}, {set}"),
        caption,
        x: across.axis(),
        y: up.axis(),
        marks,
        legend: legend(archive.groups(apart), &series),
        notes: notes(archive, runs, &[x, y]),
    })
}

/// The models or harnesses with their numbers of runs, those with the most runs first: the first ones have a shape of their own.
fn series(archive: &Archive, points: &[(usize, f64, f64)], apart: GroupBy) -> Vec<(usize, usize)> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for (run, ..) in points {
        *counts.entry(archive.runs[*run].group(apart)).or_default() += 1;
    }
    let mut order: Vec<(usize, usize)> = counts.into_iter().collect();
    order.sort_by_key(|(group, count)| (std::cmp::Reverse(*count), *group));
    order
}

fn legend(groups: &[Group], series: &[(usize, usize)]) -> Vec<(usize, String, usize)> {
    let own = series.iter().take(SERIES).enumerate();
    let mut legend: Vec<_> = own
        .map(|(position, (group, count))| (position, groups[*group].name.clone(), *count))
        .collect();
    let others = series.get(SERIES..).unwrap_or_default();
    if !others.is_empty() {
        let runs = others.iter().map(|(_, count)| count).sum();
        legend.push((SERIES, format!("other ({})", others.len()), runs));
    }
    legend
}

fn mark(
    archive: &Archive,
    at: (f64, f64),
    runs: &[usize],
    (x, y): (PlotMetric, PlotMetric),
    (apart, series): (GroupBy, &[(usize, usize)]),
    root: &str,
) -> PlotPoint {
    let newest = &archive.runs[runs[0]];
    let group = newest.group(apart);
    let position = series.iter().position(|(other, _)| *other == group);
    let words = |metric: PlotMetric| {
        let value = metric.of(newest);
        value.map_or_else(String::new, |value| metric.words(value))
    };
    let label = &newest.label;
    let model = newest.run.subject.model();
    let values = format!("{}, {}", words(x), words(y));
    let title = if runs.len() == 1 {
        let harness = &newest.run.subject.harness;
        format!("{label}: {model}, {harness}, {values}")
    } else {
        format!(
            "{} near {values}; the newest is {label}, {model}",
            format::count(runs.len(), "run")
        )
    };
    PlotPoint {
        x: at.0,
        y: at.1,
        series: position.map_or(SERIES, |position| position.min(SERIES)),
        runs: runs.len(),
        href: format!("{root}{}", links::run(&newest.slug)),
        title,
    }
}

fn notes(archive: &Archive, runs: &[usize], metrics: &[PlotMetric]) -> Vec<String> {
    let count = |is_counted: &dyn Fn(&Entry) -> bool| {
        let runs = runs.iter().map(|run| &archive.runs[*run]);
        runs.filter(|entry| is_counted(entry)).count()
    };
    let mut notes = Vec::new();
    for metric in metrics {
        let missing = count(&|entry| metric.of(entry).is_none());
        let (have, are) = if missing == 1 {
            ("has", "is")
        } else {
            ("have", "are")
        };
        if missing > 0 {
            notes.push(format!(
                "{} {have} no known {} and {are} only in the table.",
                format::count(missing, "run"),
                metric.name(),
            ));
        }
    }
    if metrics.contains(&PlotMetric::Tokens) {
        let partial = count(&|entry| {
            let [.., (_, all)] = entry.run.metrics.totals();
            all.digits.is_some() && !all.missing.is_empty()
        });
        let (not, their) = if partial == 1 {
            ("does", "its")
        } else {
            ("do", "their")
        };
        if partial > 0 {
            notes.push(format!(
                "{} {not} not report all classes of tokens: {their} sum is a lower bound.",
                format::count(partial, "run")
            ));
        }
    }
    notes
}

/// From values to places.
pub(super) struct Scale {
    metric: PlotMetric,
    low: f64,
    high: f64,
    log: bool,
    side: (f64, f64),
}

impl Scale {
    /// A scale of cost for these values.
    pub(super) fn of_cost(costs: &[f64], side: (f64, f64)) -> Self {
        Self::new(costs.iter().copied(), PlotMetric::Cost, side)
    }

    pub(super) const fn is_log(&self) -> bool {
        self.log
    }

    fn new(
        values: impl Iterator<Item = f64> + Clone,
        metric: PlotMetric,
        side: (f64, f64),
    ) -> Self {
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.fold(0.0, f64::max);
        let log = least > 0.0 && most / least > WIDE;
        let (low, high) = if log {
            (least / 1.25, most * 1.25)
        } else if most > 0.0 {
            (0.0, most * 1.06)
        } else {
            (0.0, 1.0)
        };
        Self {
            metric,
            low,
            high,
            log,
            side,
        }
    }

    pub(super) fn place(&self, value: f64) -> f64 {
        let (from, to) = self.side;
        let part = if self.log {
            (value / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        from + part * (to - from)
    }

    pub(super) fn axis(&self) -> Axis {
        let scale = if self.log { ", logarithmic" } else { "" };
        let label = match self.metric {
            PlotMetric::Cost => "Comparable cost, USD".to_owned(),
            metric => capitalized(metric.name()),
        };
        let ticks = self.ticks().into_iter();
        Axis {
            label: label + scale,
            ticks: ticks
                .map(|value| (self.place(value), self.metric.words(value)))
                .collect(),
        }
    }

    fn ticks(&self) -> Vec<f64> {
        let ticks: Vec<f64> = if self.log {
            let is_inside = |value: &f64| (self.low..=self.high).contains(value);
            self.round_values().filter(is_inside).collect()
        } else {
            let step = self.round_values().find(|step| self.high / step <= 5.5);
            let step = step.unwrap_or(self.high);
            let steps = (0..6_u8).map(|n| f64::from(n) * step);
            steps.filter(|value| *value <= self.high).collect()
        };
        // On a wide logarithmic scale every second, third, … value is enough.
        let each = ticks.len().div_ceil(7).max(1);
        ticks.into_iter().step_by(each).collect()
    }

    /// Values that people take for round, upwards.
    fn round_values(&self) -> Box<dyn Iterator<Item = f64>> {
        const TIMES: [f64; 22] = [
            0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0,
            3600.0, 7200.0, 14_400.0, 28_800.0, 43_200.0, 86_400.0, 172_800.0, 432_000.0,
        ];
        if self.metric == PlotMetric::Time && self.high <= 1_500_000.0 {
            return Box::new(TIMES.into_iter());
        }
        Box::new(
            (-6..=15)
                .flat_map(|exponent| [1.0, 2.0, 5.0].map(|digit| digit * 10.0_f64.powi(exponent))),
        )
    }
}
