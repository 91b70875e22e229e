//! `cells.json`: the trials of each cell, and what they say together.

use schemars::JsonSchema;
use serde::Serialize;

use base::shapes::{self, SCHEMA_VERSION};
use formats::config::SuccessRule;
use formats::model::archive::Archive;
use formats::model::cells::{self, CellSummary, Measure, ModelPair, Quantity, TrialResult};
use formats::model::statistics::{self, CONFIDENCE, Interval};

/// `cells.json`: runs of the same case, variant, model and harness within a comparable set are trials of one cell.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CellsDocument<'a> {
    /// Version of this format.
    #[schemars(with = "shapes::Version")]
    schema_version: u32,
    /// What counts as a success.
    success: SuccessDocument<'a>,
    /// The confidence of every interval.
    confidence: f64,
    /// How the intervals of medians were drawn.
    bootstrap: BootstrapDocument,
    /// The comparable sets with their cells, the set with the newest run first.
    sets: Vec<SetDocument<'a>>,
    /// Two models in the cells that both have, by name. Only models that both have more than one trial in one of them.
    pairs: Vec<PairDocument<'a>>,
}

/// What counts as a success.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Success")]
struct SuccessDocument<'a> {
    /// The state that is a success, unless an outcome decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    state: Option<&'a str>,
    /// The name of the outcome that decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    outcome: Option<&'a str>,
    /// The scorer of that outcome; absent if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    scorer: Option<&'a str>,
    /// The smallest value of that outcome that is a success.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    at_least: Option<f64>,
}

/// How the intervals of medians were drawn.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Bootstrap")]
struct BootstrapDocument {
    /// The generator of random numbers.
    generator: &'static str,
    /// Its seed.
    seed: u64,
    /// Number of samples.
    resamples: u32,
}

/// The cells of comparable runs.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Set")]
struct SetDocument<'a> {
    /// The case.
    case: &'a str,
    /// Its version; null is not recorded.
    version: Option<&'a str>,
    /// The engine, with its version if known.
    engine: String,
    /// The orchestrator.
    orchestrator: &'a str,
    /// Its cells, by variant, harness and model.
    cells: Vec<CellDocument<'a>>,
}

/// The trials of a cell.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TrialCell")]
struct CellDocument<'a> {
    /// The variant of the case; null is not recorded.
    variant: Option<&'a str>,
    /// The model.
    model: &'a str,
    /// The harness.
    harness: &'a str,
    /// Ids of its runs, newest first.
    run_ids: Vec<&'a str>,
    /// Trials whose result is known and counts: the n of `interval`, `passAt` and `passAll`.
    trials: u32,
    /// How many of them succeeded.
    successes: u32,
    /// Runs in which what decides was not recorded; absent for 0.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(with = "usize")]
    unknown: usize,
    /// Runs that do not count; absent for 0.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(with = "usize")]
    excluded: usize,
    /// The Wilson score interval of the rate of success; absent for fewer than two trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Interval")]
    interval: Option<Interval>,
    /// `pass@k` for k from 1: the chance that at least one of k trials succeeds. Up to 16; absent for fewer than two trials.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pass_at: Vec<f64>,
    /// `pass^k` for k from 1: the chance that all of k trials succeed. Up to 16; absent for fewer than two trials.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pass_all: Vec<f64>,
    /// Its numbers; absent for one run, which has them itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    measures: Vec<MeasureDocument<'a>>,
}

/// A number that the runs of a cell have.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Measure")]
struct MeasureDocument<'a> {
    /// The path below `metrics` in a record, or the name of an outcome.
    name: &'a str,
    /// Whether it is an outcome; absent for a metric.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(with = "bool")]
    outcome: bool,
    /// The scorer of the outcome, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    scorer: Option<&'a str>,
    /// How many runs have it.
    values: usize,
    /// The median.
    median: f64,
    /// The smallest value.
    min: f64,
    /// The largest value.
    max: f64,
    /// The percentile bootstrap interval of the median; absent for one value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Interval")]
    interval: Option<Interval>,
}

/// Two models in the cells that both have.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Pair")]
struct PairDocument<'a> {
    /// The two models.
    models: [&'a str; 2],
    /// How many pairs of cells there are that differ in the model alone.
    cells: usize,
    /// Trials of each model in them.
    trials: [u32; 2],
    /// The mean difference of the rates of success: that of the first model less that of the second.
    difference: f64,
    /// Its interval: Newcombe's hybrid score interval, over all pairs by the method of variance estimates recovery.
    interval: Interval,
    /// Whether the interval is on one side of 0.
    distinguishable: bool,
    /// Trials that each cell would need to tell such a difference from none with a chance of 80 %; absent without a difference,
    /// and for more than 100,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32")]
    trials_needed: Option<u32>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Makes `cells.json`.
pub fn document<'a>(
    rule: &'a SuccessRule,
    archive: &'a Archive,
    cells: &'a [CellSummary],
) -> CellsDocument<'a> {
    let outcome = rule.outcome.as_deref();
    CellsDocument {
        schema_version: SCHEMA_VERSION,
        success: SuccessDocument {
            state: outcome.is_none().then_some("completed"),
            outcome,
            scorer: outcome.and(rule.scorer.as_deref()),
            at_least: outcome.map(|_| rule.at_least.value()),
        },
        confidence: CONFIDENCE,
        bootstrap: BootstrapDocument {
            generator: "SplitMix64",
            seed: statistics::SEED,
            resamples: statistics::RESAMPLES,
        },
        sets: cells
            .chunk_by(|a, b| a.cell.set == b.cell.set)
            .filter_map(|cells| set(archive, cells))
            .collect(),
        pairs: cells::pairs(archive, cells)
            .iter()
            .map(|pair| pair_document(archive, pair))
            .collect(),
    }
}

fn set<'a>(archive: &'a Archive, cells: &'a [CellSummary]) -> Option<SetDocument<'a>> {
    let subject = &cells.first()?.cell.entry(archive).run.subject;
    Some(SetDocument {
        case: &subject.case,
        version: subject.version.as_deref(),
        engine: subject.engine_label(),
        orchestrator: &subject.orchestrator,
        cells: cells.iter().map(|it| cell(archive, it)).collect(),
    })
}

fn cell<'a>(archive: &'a Archive, summary: &'a CellSummary) -> CellDocument<'a> {
    let runs = summary.cell.runs.iter();
    let subject = &summary.cell.entry(archive).run.subject;
    let tally = summary.tally;
    CellDocument {
        variant: subject.variant.as_deref(),
        model: subject.model(),
        harness: &subject.harness,
        run_ids: runs.map(|run| &*archive.runs[*run].run.id).collect(),
        trials: tally.trials,
        successes: tally.successes,
        unknown: summary.count(TrialResult::Unknown),
        excluded: summary.count(TrialResult::Excluded),
        interval: tally.interval(),
        pass_at: summary.chances().map(|(_, at, _)| at).collect(),
        pass_all: summary.chances().map(|(.., all)| all).collect(),
        measures: summary.measures.iter().map(measure).collect(),
    }
}

fn measure(measure: &Measure) -> MeasureDocument<'_> {
    let (name, outcome, scorer) = match &measure.quantity {
        Quantity::Metric(metric) => (metric.path(), false, None),
        Quantity::Outcome(name, scorer) => (&**name, true, scorer.as_deref()),
    };
    MeasureDocument {
        name,
        outcome,
        scorer,
        values: measure.values,
        median: measure.median,
        min: measure.min,
        max: measure.max,
        interval: measure.interval,
    }
}

fn pair_document<'a>(archive: &'a Archive, pair: &ModelPair) -> PairDocument<'a> {
    let difference = pair.difference;
    PairDocument {
        models: pair.models.map(|model| &*archive.models[model].name),
        cells: pair.cells,
        trials: pair.trials,
        difference: difference.mean,
        interval: difference.interval,
        distinguishable: difference.is_distinguishable(),
        trials_needed: difference.needed,
    }
}
