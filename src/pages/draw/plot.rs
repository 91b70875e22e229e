//! Plots of comparable runs, one per variant: the metrics of the axes, the positions of runs, shared marks, and the positions of
//! model names. Shape and color show the series, hollow marks incomplete runs, and a number several runs with one mark.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use base::diagnostics::text::capitalized;
use formats::model::amounts;
use formats::model::archive::{Archive, ArchiveEntry, GroupBy};
use formats::model::comparison::ComparableSet;
use formats::model::run::{Metric, Number};
use markup::Html;
use markup::escape::push_attribute;

use crate::view::format;
use base::links;

/// Width and height of the drawing.
const SIZE: (f64, f64) = (400.0, 300.0);
/// Bounds of the plot area in the drawing: left, top, right, bottom.
const FRAME: (f64, f64, f64, f64) = (56.0, 28.0, 388.0, 256.0);
/// Runs closer than this share a mark, so that marks never overlap.
const MIN_DISTANCE: f64 = 16.0;
/// Maximum models or harnesses in a plot's legend.
const MAX_LEGEND: usize = 36;
/// Maximum width of a letter of a label.
const LETTER_WIDTH: f64 = 6.2;
/// Minimum runs of a plot; fewer are easier to read in the table.
const MIN_RUNS: usize = 3;
/// From this ratio of the largest to the smallest value, the scale is logarithmic.
const LOGARITHMIC_FROM: f64 = 20.0;

#[derive(Debug)]
pub struct ValueAxis {
    /// The metric, and whether the scale is logarithmic.
    pub label: String,
    /// Positions and labels of the ticks.
    pub ticks: Vec<(f64, String)>,
}

/// A mark for a run, or for several that would overlap.
#[derive(Debug)]
struct PlotPoint {
    /// Distance from the left.
    x: f64,
    /// Distance from the top.
    y: f64,
    /// The series of the run, or of the newest run.
    series: SeriesMark,
    /// Whether the run completed.
    completed: bool,
    runs: usize,
    /// The page of the run, or of the newest run.
    href: String,
    /// The content of its tooltip.
    title: String,
}

/// The shape and color of a model or harness, by its index among all names: the same in every plot and table of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesMark(pub usize);

/// A name next to a mark.
#[derive(Debug)]
struct PlotLabel {
    /// The position of its start, end or middle, depending on `anchor`.
    at: (f64, f64),
    /// `start`, `end` or `middle`.
    anchor: &'static str,
    name: String,
}

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

    fn of(self, entry: &ArchiveEntry) -> Option<f64> {
        let metrics = &entry.run.metrics;
        match self {
            Self::Cost => metrics.exact(Metric::ComparableCost).map(Number::value),
            Self::Time => metrics.exact(Metric::RunTime).map(Number::value),
            Self::Tokens => {
                let [.., all] = metrics.totals();
                all.1.digits?.parse().ok()
            }
        }
    }

    fn words(self, value: f64) -> String {
        match self {
            Self::Cost => amounts::round_dollars(value),
            Self::Time => amounts::duration(value),
            Self::Tokens => amounts::round_tokens(value),
        }
    }
}

/// The plots of a set of comparable runs, for a page whose path to the root is `root`. Variants are different tasks, so each has
/// its own plots, with shared scales. A variant with too few runs has none. Runs that do not count are left out.
pub fn plots(archive: &Archive, set: &ComparableSet, root: &str) -> Vec<Html> {
    let up = [PlotMetric::Time, PlotMetric::Tokens].into_iter();
    up.flat_map(|y| facets(archive, set, y, root)).collect()
}

/// A plot of a metric over the cost for each variant.
fn facets(archive: &Archive, set: &ComparableSet, y: PlotMetric, root: &str) -> Vec<Html> {
    let points = |runs: &[usize]| -> Vec<Point> {
        let known = runs.iter().filter_map(|&run| {
            let entry = &archive.runs[run];
            let counts = entry.exclusion().is_none();
            counts.then_some((run, PlotMetric::Cost.of(entry)?, y.of(entry)?))
        });
        known.collect()
    };
    let variants: Vec<_> = set
        .variants
        .iter()
        .map(|(variant, runs)| (variant, runs, points(runs)))
        .filter(|(.., points)| points.len() >= MIN_RUNS)
        .collect();
    let all = || variants.iter().flat_map(|(.., points)| points);
    let (left, top, right, bottom) = FRAME;
    let across = ValueScale::new(all().map(|point| point.1), PlotMetric::Cost, (left, right));
    let up = ValueScale::new(all().map(|point| point.2), y, (bottom, top));
    let facet = |variant: Option<&str>, runs: &[usize], points: &[Point]| {
        let variant = variant.unwrap_or("not recorded");
        let mut caption = format!("{} over {}", capitalized(y.name()), PlotMetric::Cost.name());
        if set.variants.len() > 1 {
            caption = format!("{caption}, variant {variant}");
        }
        let set = format!(
            "{} {}, engine {}, orchestrator {}",
            archive.cases[set.case].name, set.version, set.engine, set.orchestrator
        );
        let marks = marks(archive, points, &across, &up, root);
        let (labels, legend) = place_names(archive, points, &marks);
        let mut out = String::with_capacity(marks.len() * 260 + 4096);
        out.push_str("<figure class=\"plot\"><figcaption>");
        push_attribute(&mut out, &caption);
        out.push_str("</figcaption>");
        let (width, height) = SIZE;
        out.push_str(&format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"group\" aria-label=\""
        ));
        // Each label is unique on the page.
        push_attribute(&mut out, &format!("{caption}, {set}"));
        out.push_str("; each mark is a run in the table\">");
        push_axes(&mut out, &across.axis(), &up.axis());
        for mark in &marks {
            push_mark(&mut out, mark);
        }
        for label in &labels {
            push_words(&mut out, label.at, label.anchor, &label.name);
        }
        out.push_str("</svg>");
        push_legend(&mut out, &legend);
        for note in notes(archive, runs, y) {
            out.push_str("<p class=\"quiet\">");
            push_attribute(&mut out, &note);
            out.push_str("</p>");
        }
        out.push_str("</figure>");
        Html::finished(out)
    };
    let facets = variants.iter();
    facets
        .map(|(variant, runs, points)| facet(variant.as_deref(), runs, points))
        .collect()
}

/// Groups runs into marks. The newest run of a mark sets its position; runs that are too close share it.
fn marks(
    archive: &Archive,
    points: &[Point],
    across: &ValueScale,
    up: &ValueScale,
    root: &str,
) -> Vec<PlotPoint> {
    let mut places: Vec<((f64, f64), Vec<usize>)> = Vec::new();
    for &(run, x, y) in points {
        let at = (across.place(x), up.place(y));
        let near = |((x, y), _): &&mut ((f64, f64), Vec<usize>)| {
            (at.0 - x).powi(2) + (at.1 - y).powi(2) < MIN_DISTANCE * MIN_DISTANCE
        };
        match places.iter_mut().find(near) {
            Some((_, runs)) => runs.push(run),
            None => places.push((at, vec![run])),
        }
    }
    places
        .iter()
        .map(|(at, runs)| mark(archive, *at, runs, up.metric, root))
        .collect()
}

/// Places the names of models: next to a mark if they fit, else in the legend.
fn place_names(
    archive: &Archive,
    points: &[Point],
    marks: &[PlotPoint],
) -> (Vec<PlotLabel>, Vec<(SeriesMark, String, usize)>) {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for (run, ..) in points {
        *counts.entry(archive.runs[*run].model).or_default() += 1;
    }
    let around = |(x, y): (f64, f64)| (x - 7.0, y - 7.0, x + 7.0, y + 7.0);
    let mut taken: Vec<Area> = marks.iter().map(|mark| around((mark.x, mark.y))).collect();
    let (mut labels, mut legend) = (Vec::new(), Vec::new());
    for (&model, &count) in counts.iter().take(MAX_LEGEND) {
        let name = &archive.groups(GroupBy::Model)[model].name;
        let own = marks
            .iter()
            .filter(|mark| mark.runs == 1 && mark.series == SeriesMark(model));
        let mut places = own.flat_map(|mark| label_candidates(mark, name));
        match places.find(|(_, area)| is_free(*area, &taken)) {
            Some((label, area)) => {
                taken.push(area);
                labels.push(label);
            }
            None => legend.push((SeriesMark(model), name.clone(), count)),
        }
    }
    (labels, legend)
}

/// A rectangle: left, top, right, bottom.
type Area = (f64, f64, f64, f64);

/// A run with its two values.
type Point = (usize, f64, f64);

/// Candidate positions of a name: right of the mark, left, above and below.
fn label_candidates(mark: &PlotPoint, name: &str) -> [(PlotLabel, Area); 4] {
    #[allow(clippy::cast_precision_loss, reason = "a name of some letters")]
    let width = name.chars().count() as f64 * LETTER_WIDTH;
    let (x, y) = (mark.x, mark.y);
    [
        ("start", x + 9.0, y + 4.0, 0.0),
        ("end", x - 9.0, y + 4.0, width),
        ("middle", x, y - 10.0, width / 2.0),
        ("middle", x, y + 18.0, width / 2.0),
    ]
    .map(|(anchor, x, y, before)| {
        let name = name.to_owned();
        let at = (x, y);
        let left = x - before;
        let label = PlotLabel { at, anchor, name };
        (label, (left, y - 9.0, left + width, y + 3.0))
    })
}

fn is_free((left, top, right, bottom): Area, taken: &[Area]) -> bool {
    left > FRAME.0
        && top > FRAME.1
        && right < SIZE.0
        && bottom < FRAME.3
        && taken
            .iter()
            .all(|other| right <= other.0 || left >= other.2 || bottom <= other.1 || top >= other.3)
}

fn mark(archive: &Archive, at: (f64, f64), runs: &[usize], y: PlotMetric, root: &str) -> PlotPoint {
    let newest = &archive.runs[runs[0]];
    let words = |metric: PlotMetric| {
        let value = metric.of(newest);
        value.map_or_else(String::new, |value| metric.words(value))
    };
    let label = &newest.label;
    let model = newest.run.subject.model();
    let values = format!("{}, {}", words(PlotMetric::Cost), words(y));
    let title = if runs.len() == 1 {
        let harness = &newest.run.subject.harness;
        let state = format::state(&newest.run.state).word;
        format!("{label}: {model}, {harness}, {state}, {values}")
    } else {
        let completed = runs
            .iter()
            .filter(|run| archive.runs[**run].run.state.is_completed());
        format!(
            "{}, {} completed, near {values}; the newest is {label}, {model}",
            format::count(runs.len(), "run"),
            completed.count()
        )
    };
    PlotPoint {
        x: at.0,
        y: at.1,
        series: SeriesMark(newest.model),
        completed: newest.run.state.is_completed(),
        runs: runs.len(),
        href: format!("{root}{}", links::run(&newest.slug)),
        title,
    }
}

fn notes(archive: &Archive, runs: &[usize], y: PlotMetric) -> Vec<String> {
    let all = || runs.iter().map(|run| &archive.runs[*run]);
    let excluded = all().filter(|entry| entry.exclusion().is_some()).count();
    let count = |is_counted: &dyn Fn(&ArchiveEntry) -> bool| {
        let runs = all().filter(|entry| entry.exclusion().is_none());
        runs.filter(|entry| is_counted(entry)).count()
    };
    let mut notes = Vec::new();
    if excluded > 0 {
        let (do_not, are) = if excluded == 1 {
            ("does not", "is")
        } else {
            ("do not", "are")
        };
        notes.push(format!(
            "{} {do_not} count and {are} only in the table.",
            format::count(excluded, "run")
        ));
    }
    for metric in [PlotMetric::Cost, y] {
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
    if y == PlotMetric::Tokens {
        let partial = count(&|entry| {
            let [.., (_, all)] = entry.run.metrics.totals();
            all.digits.is_some() && all.is_lower_bound()
        });
        let (not, their) = if partial == 1 {
            ("does", "its")
        } else {
            ("do", "their")
        };
        if partial > 0 {
            notes.push(format!(
                "{} {not} not report all tokens: {their} sum is a lower bound.",
                format::count(partial, "run")
            ));
        }
    }
    notes
}

/// Maps values to positions.
pub struct ValueScale {
    metric: PlotMetric,
    low: f64,
    high: f64,
    log: bool,
    side: (f64, f64),
}

impl ValueScale {
    /// A cost scale for these values.
    pub fn of_cost(costs: &[f64], side: (f64, f64)) -> Self {
        Self::new(costs.iter().copied(), PlotMetric::Cost, side)
    }

    pub const fn is_log(&self) -> bool {
        self.log
    }

    fn new(
        values: impl Iterator<Item = f64> + Clone,
        metric: PlotMetric,
        side: (f64, f64),
    ) -> Self {
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.fold(0.0, f64::max);
        let log = least > 0.0 && most / least > LOGARITHMIC_FROM;
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

    pub fn place(&self, value: f64) -> f64 {
        let (from, to) = self.side;
        let part = if self.log {
            (value / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        from + part * (to - from)
    }

    pub fn axis(&self) -> ValueAxis {
        let scale = if self.log { ", logarithmic" } else { "" };
        let label = match self.metric {
            PlotMetric::Cost => "Comparable cost, USD".to_owned(),
            metric => capitalized(metric.name()),
        };
        let ticks = self.ticks().into_iter();
        ValueAxis {
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
        // On a wide logarithmic scale, every second, third, … tick is enough.
        let each = ticks.len().div_ceil(7).max(1);
        ticks.into_iter().step_by(each).collect()
    }

    /// Round values, ascending.
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

/// Shapes of the series, centered at 0 0. A series is recognizable by shape alone.
const SHAPES: [&str; 6] = [
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "M-4.5 -4.5h9v9h-9z",
    "M0 -6L5.5 4.5h-11z",
    "M0 -6.5L6.5 0L0 6.5L-6.5 0z",
    "M0 6L5.5 -4.5h-11z",
    "M-5.5 -3L0 -6L5.5 -3V3L0 6L-5.5 3z",
];

/// Color and shape of a series. The first six differ in both; later ones reuse shapes in other colors.
fn color_and_shape(SeriesMark(position): SeriesMark) -> (usize, &'static str) {
    let shape = position % SHAPES.len();
    (
        (position + position / SHAPES.len()) % SHAPES.len(),
        SHAPES[shape],
    )
}

/// Serializes as a small sign for the legend.
impl Serialize for SeriesMark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Html::finished(sign(*self)).serialize(serializer)
    }
}

fn sign(series: SeriesMark) -> String {
    let (color, shape) = color_and_shape(series);
    format!(
        "<svg class=\"m m{color}\" viewBox=\"-8 -8 16 16\" aria-hidden=\"true\"><path d=\"{shape}\"/></svg>"
    )
}

fn push_axes(out: &mut String, x_axis: &ValueAxis, y_axis: &ValueAxis) {
    let (left, top, right, bottom) = FRAME;
    out.push_str(&format!(
        "<path class=\"frame\" d=\"M{left} {top}V{bottom}H{right}\"/>"
    ));
    let mut end = f64::NEG_INFINITY;
    for (x, words) in &x_axis.ticks {
        out.push_str(&format!(
            "<path class=\"grid\" d=\"M{x:.1} {top}V{bottom}\"/>"
        ));
        // Labels that would overlap the previous one are omitted; the line stays.
        #[allow(clippy::cast_precision_loss, reason = "a few characters")]
        let half = words.chars().count() as f64 * 3.4;
        if x - half > end {
            push_words(out, (*x, bottom + 16.0), "middle", words);
            end = x + half + 4.0;
        }
    }
    for (y, words) in &y_axis.ticks {
        out.push_str(&format!(
            "<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>"
        ));
        push_words(out, (left - 6.0, y + 4.0), "end", words);
    }
    push_words(out, (right, bottom + 36.0), "end", &x_axis.label);
    push_words(out, (4.0, top - 14.0), "start", &y_axis.label);
}

fn push_words(out: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    out.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">"
    ));
    push_attribute(out, words);
    out.push_str("</text>");
}

fn push_mark(out: &mut String, mark: &PlotPoint) {
    out.push_str("<a href=\"");
    push_attribute(out, &mark.href);
    out.push_str("\" tabindex=\"-1\" aria-label=\"");
    push_attribute(out, &mark.title);
    out.push_str("\"><title>");
    push_attribute(out, &mark.title);
    out.push_str("</title>");
    let at = format!("transform=\"translate({:.1} {:.1})\"", mark.x, mark.y);
    if mark.runs == 1 {
        let (color, shape) = color_and_shape(mark.series);
        let open = if mark.completed { "" } else { " open" };
        out.push_str(&format!(
            "<path class=\"m{color}{open}\" {at} d=\"{shape}\"/>"
        ));
    } else {
        out.push_str(&format!(
            "<g class=\"many\" {at}><circle r=\"8\"/><text y=\"3.2\" text-anchor=\"middle\">{}</text></g>",
            mark.runs
        ));
    }
    out.push_str("</a>");
}

fn push_legend(out: &mut String, legend: &[(SeriesMark, String, usize)]) {
    if legend.is_empty() {
        return;
    }
    out.push_str("<ul class=\"legend\">");
    for (series, name, runs) in legend {
        out.push_str(&format!("<li>{}", sign(*series)));
        push_attribute(out, name);
        out.push_str(&format!(" {runs}</li>"));
    }
    out.push_str("</ul>");
}
