//! Which model finishes a case, how reliably and at what cost: one row per model within each variant of comparable runs. Sorted
//! by name; nothing here ranks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use base::links;
use formats::model::amounts;
use formats::model::archive::{Archive, ArchiveEntry, GroupBy};
use formats::model::comparison::ComparableSet;
use formats::model::statistics::median;

use super::peers::counted_cost;
use super::{Cell, Link, decisions, format, outcomes};
use crate::draw::plot::{SeriesMark, ValueScale};

/// Maximum glyphs per table.
const SIGNS: usize = 1_000;
/// Glyphs per model, for the newest runs: fewer if there are more models.
const GLYPHS: std::ops::RangeInclusive<usize> = 8..=40;
/// Maximum outcomes with a column.
const OUTCOMES: usize = 3;
/// Maximum values of an outcome in a cell, the newest.
const VALUES: usize = 12;

/// A table of models.
#[derive(Debug, Serialize)]
pub struct ReliabilityView {
    /// Variants with their models.
    pub groups: Vec<ReliabilityGroup>,
    /// Ticks of the cost scale: position in percent, and label; empty if no cost is known.
    pub ticks: Vec<(String, String)>,
    /// Whether the scale is logarithmic.
    pub log: bool,
    /// Names and scorers of the outcomes with a column.
    pub outcomes: Vec<(String, String)>,
}

/// The models of a variant.
#[derive(Debug, Serialize)]
pub struct ReliabilityGroup {
    pub variant: Cell,
    /// Its models, by name.
    pub rows: Vec<ModelRow>,
}

/// A model within a variant.
#[derive(Debug, Serialize)]
pub struct ModelRow {
    pub model: Link,
    /// Its shape and color in plots.
    pub mark: SeriesMark,
    /// Outcomes of its runs, oldest first.
    pub glyphs: Vec<OutcomeGlyph>,
    /// Number of older runs without a glyph.
    pub older: Option<(String, String)>,
    /// `3 of 4`
    pub completed: String,
    /// How many do not count, with a link to the decisions.
    pub excluded: Option<Link>,
    /// Costs of its runs.
    pub dots: Vec<CostDot>,
    /// Position of the median, in percent.
    pub median_at: Option<String>,
    /// Median cost of the completed runs, with their number in the title.
    pub median: Cell,
    /// Number of runs in the median.
    pub of: usize,
    /// The values of each outcome, oldest first.
    pub outcomes: Vec<String>,
}

/// The outcome of a run.
#[derive(Debug, Serialize)]
pub struct OutcomeGlyph {
    /// Its page.
    pub href: String,
    /// `good`, `poor`, `bad` or `none`.
    pub tone: &'static str,
    /// State and date.
    pub title: String,
}

impl OutcomeGlyph {
    pub fn of(entry: &ArchiveEntry, root: &str) -> Self {
        let state = format::outcome_badge(entry);
        let date = format::when(entry.run.recency()).date;
        Self {
            href: format!("{root}{}", links::run(&entry.slug)),
            tone: state.tone,
            title: format!("{}, {date}", state.word),
        }
    }
}

/// The cost of a run, or of several at the same position.
#[derive(Debug, Serialize)]
pub struct CostDot {
    /// Its page, unless marks are merged.
    pub href: Option<String>,
    /// Its position in percent.
    pub x: String,
    /// Whether the run completed.
    pub completed: bool,
    /// State and cost.
    pub title: String,
}

/// The table of a set of comparable runs, for a page whose path to the root is `root`; `None` for a single run.
pub fn reliability(archive: &Archive, set: &ComparableSet, root: &str) -> Option<ReliabilityView> {
    let runs = || set.variants.iter().flat_map(|(_, runs)| runs);
    runs().nth(1)?;
    let costs: Vec<f64> = runs()
        .filter_map(|run| Some(counted_cost(&archive.runs[*run])?.value()))
        .collect();
    let scale = ValueScale::of_cost(&costs, (1.0, 99.0));
    let columns = &set.outcomes[..set.outcomes.len().min(OUTCOMES)];
    let variants: Vec<_> = set
        .variants
        .iter()
        .map(|(variant, runs)| (variant, by_model(archive, runs)))
        .collect();
    let rows: usize = variants.iter().map(|(_, models)| models.len()).sum();
    let most = (SIGNS / rows.max(1)).clamp(*GLYPHS.start(), *GLYPHS.end());
    let row = |runs: &Vec<&ArchiveEntry>| model_row(archive, runs, &scale, columns, most, root);
    let groups = variants
        .iter()
        .map(|(variant, models)| ReliabilityGroup {
            variant: format::text(variant.as_ref()),
            rows: models.iter().map(row).collect(),
        })
        .collect();
    let ticks = scale.axis().ticks.into_iter();
    let ticks = ticks.filter(|_| !costs.is_empty());
    Some(ReliabilityView {
        groups,
        ticks: ticks.map(|(at, words)| (percent(at), words)).collect(),
        log: scale.is_log(),
        outcomes: columns
            .iter()
            .map(|(name, scorer)| (name.clone(), scorer.clone().unwrap_or_default()))
            .collect(),
    })
}

/// The runs of each model, oldest first; models by name.
fn by_model<'a>(archive: &'a Archive, runs: &[usize]) -> Vec<Vec<&'a ArchiveEntry>> {
    let mut models: BTreeMap<usize, Vec<&ArchiveEntry>> = BTreeMap::new();
    for &run in runs.iter().rev() {
        let entry = &archive.runs[run];
        models.entry(entry.model).or_default().push(entry);
    }
    let mut models: Vec<_> = models.into_values().collect();
    let name =
        |runs: &Vec<&ArchiveEntry>| archive.groups(GroupBy::Model)[runs[0].model].name.clone();
    models.sort_by_cached_key(name);
    models
}

fn model_row(
    archive: &Archive,
    runs: &[&ArchiveEntry],
    scale: &ValueScale,
    columns: &[(String, Option<String>)],
    most: usize,
    root: &str,
) -> ModelRow {
    let model = &archive.groups(GroupBy::Model)[runs[0].model];
    let newest = |most: usize| &runs[runs.len().saturating_sub(most)..];
    let completed = runs.iter().filter(|entry| entry.run.state.is_completed());
    let mut costs: Vec<f64> = completed
        .filter_map(|entry| Some(counted_cost(entry)?.value()))
        .collect();
    let median = median(&mut costs);
    ModelRow {
        model: Link::to_group(GroupBy::Model, model, root),
        mark: SeriesMark(runs[0].model),
        glyphs: newest(most)
            .iter()
            .map(|entry| OutcomeGlyph::of(entry, root))
            .collect(),
        older: format::older(runs.len(), most),
        completed: format::completed(runs.iter().copied(), ""),
        excluded: decisions::excluded_link(archive, runs.iter().copied(), root),
        dots: if runs.len() > most {
            merged_dots(runs, scale)
        } else {
            let dot = |entry: &&ArchiveEntry| {
                let number = counted_cost(entry)?;
                let exact = format::cost(Some(number));
                Some(CostDot {
                    href: Some(format!("{root}{}", links::run(&entry.slug))),
                    x: percent(scale.place(number.value())),
                    completed: entry.run.state.is_completed(),
                    title: format!("{}, {}", exact.text(), format::outcome_badge(entry).word),
                })
            };
            runs.iter().filter_map(dot).collect()
        },
        median_at: median.map(|median| percent(scale.place(median))),
        median: median.map_or_else(
            || Cell::unknown("no completed run with a known cost"),
            |median| Cell::known(amounts::short_dollars(median)),
        ),
        of: costs.len(),
        outcomes: columns
            .iter()
            .map(|column| {
                let values = newest(VALUES)
                    .iter()
                    .map(|entry| outcomes::cell(&entry.run, column));
                let values: Vec<String> = values.map(|cell| cell.text().to_owned()).collect();
                values.join(" · ")
            })
            .collect(),
    }
}

/// The costs of many runs, with one mark per percent of the scale for completed runs, drawn on top, and one for others.
fn merged_dots(runs: &[&ArchiveEntry], scale: &ValueScale) -> Vec<CostDot> {
    let costs = runs.iter().filter_map(|entry| {
        let number = counted_cost(entry)?;
        let x = format!("{:.0}%", scale.place(number.value()));
        Some((entry.run.state.is_completed(), x))
    });
    let places: BTreeSet<_> = costs.collect();
    let dot = |(completed, x)| CostDot {
        href: None,
        x,
        completed,
        title: String::new(),
    };
    places.into_iter().map(dot).collect()
}

fn percent(at: f64) -> String {
    format!("{at:.1}%")
}
