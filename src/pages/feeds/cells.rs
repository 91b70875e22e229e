//! `cells.json`: the trials of each cell, and what they say together.

use base::shapes::{self, SCHEMA_VERSION};
use formats::config::SuccessRule;
use formats::model::archive::Archive;
use formats::model::cells::{self, CellSummary, Measure, ModelPair, Quantity, TrialResult};
use formats::model::statistics::{self, CONFIDENCE, Interval};

document! {
    /// `cells.json`: runs of the same case, variant, model and harness within a comparable set are trials of one cell.
    #[serde(rename_all = "camelCase")]
    pub struct CellsDocument<'a>(rule: &'a SuccessRule, archive: &'a Archive, cells: &'a [CellSummary]) {
        /// Version of this format.
        #[schemars(with = "shapes::Version")]
        schema_version: u32 = SCHEMA_VERSION,
        /// What counts as a success.
        success: SuccessDocument<'a> = SuccessDocument::of(rule),
        /// The confidence of every interval.
        confidence: f64 = CONFIDENCE,
        /// How the intervals of medians were drawn.
        bootstrap: BootstrapDocument = BootstrapDocument::of(statistics::SEED),
        /// The comparable sets with their cells, the set with the newest run first.
        sets: Vec<SetDocument<'a>> = cells.chunk_by(|a, b| a.cell.set == b.cell.set).map(|cells| SetDocument::of(archive, cells)).collect(),
        /// Two models in the cells that both have, by name. Only models that both have more than one trial in one of them.
        pairs: Vec<PairDocument<'a>> = cells::pairs(archive, cells).iter().map(|pair| PairDocument::of(archive, pair)).collect(),
    }
}

document! {
    /// What counts as a success.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Success")]
    struct SuccessDocument<'a>(rule: &'a SuccessRule)
    let outcome = rule.outcome.as_deref();
    {
        /// The state that is a success, unless an outcome decides.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        state: Option<&'a str> = outcome.is_none().then_some("completed"),
        /// The name of the outcome that decides.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        outcome: Option<&'a str> = outcome,
        /// The scorer of that outcome; absent if any.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        scorer: Option<&'a str> = outcome.and(rule.scorer.as_deref()),
        /// The smallest value of that outcome that is a success.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "f64")]
        at_least: Option<f64> = outcome.map(|_| rule.at_least.value()),
    }
}

document! {
    /// How the intervals of medians were drawn.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Bootstrap")]
    struct BootstrapDocument(seed: u64) {
        /// The generator of random numbers.
        generator: &'static str = "SplitMix64",
        /// Its seed.
        seed: u64 = seed,
        /// Number of samples.
        resamples: u32 = statistics::RESAMPLES,
    }
}

document! {
    /// The cells of comparable runs.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Set")]
    struct SetDocument<'a>(archive: &'a Archive, cells: &'a [CellSummary])
    let subject = &cells[0].cell.entry(archive).run.subject;
    {
        /// The case.
        case: &'a str = &subject.case,
        /// Its version; null is not recorded.
        version: Option<&'a str> = subject.version.as_deref(),
        /// The engine, with its version if known.
        engine: String = subject.engine_label(),
        /// The orchestrator.
        orchestrator: &'a str = &subject.orchestrator,
        /// Its cells, by variant, harness and model.
        cells: Vec<CellDocument<'a>> = cells.iter().map(|cell| CellDocument::of(archive, cell)).collect(),
    }
}

document! {
    /// The trials of a cell.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "TrialCell")]
    struct CellDocument<'a>(archive: &'a Archive, summary: &'a CellSummary)
    let subject = &summary.cell.entry(archive).run.subject;
    let tally = summary.tally;
    {
        /// The variant of the case; null is not recorded.
        variant: Option<&'a str> = subject.variant.as_deref(),
        /// The model.
        model: &'a str = subject.model(),
        /// The harness.
        harness: &'a str = &subject.harness,
        /// Ids of its runs, newest first.
        run_ids: Vec<&'a str> = summary.cell.runs.iter().map(|run| &*archive.runs[*run].run.id).collect(),
        /// Trials whose result is known and counts: the n of `interval`, `passAt` and `passAll`.
        trials: u32 = tally.trials,
        /// How many of them succeeded.
        successes: u32 = tally.successes,
        /// Runs in which what decides was not recorded; absent for 0.
        #[serde(skip_serializing_if = "is_zero")]
        #[schemars(with = "usize")]
        unknown: usize = summary.count(TrialResult::Unknown),
        /// Runs that do not count; absent for 0.
        #[serde(skip_serializing_if = "is_zero")]
        #[schemars(with = "usize")]
        excluded: usize = summary.count(TrialResult::Excluded),
        /// The Wilson score interval of the rate of success; absent for fewer than two trials.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Interval")]
        interval: Option<Interval> = tally.interval(),
        /// `pass@k` for k from 1: the chance that at least one of k trials succeeds. Up to 16; absent for fewer than two trials.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pass_at: Vec<f64> = summary.chances().map(|(_, at, _)| at).collect(),
        /// `pass^k` for k from 1: the chance that all of k trials succeed. Up to 16; absent for fewer than two trials.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pass_all: Vec<f64> = summary.chances().map(|(.., all)| all).collect(),
        /// Its numbers; absent for one run, which has them itself.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        measures: Vec<MeasureDocument<'a>> = summary.measures.iter().map(MeasureDocument::of).collect(),
    }
}

document! {
    /// A number that the runs of a cell have.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Measure")]
    struct MeasureDocument<'a>(measure: &'a Measure)
    let (name, outcome, scorer) = match &measure.quantity {
        Quantity::Metric(metric) => (metric.path(), false, None),
        Quantity::Outcome(name, scorer) => (&**name, true, scorer.as_deref()),
    };
    {
        /// The path below `metrics` in a record, or the name of an outcome.
        name: &'a str = name,
        /// Whether it is an outcome; absent for a metric.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[schemars(with = "bool")]
        outcome: bool = outcome,
        /// The scorer of the outcome, if it names one.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        scorer: Option<&'a str> = scorer,
        /// How many runs have it.
        values: usize = measure.values,
        /// The median.
        median: f64 = measure.median,
        /// The smallest value.
        min: f64 = measure.min,
        /// The largest value.
        max: f64 = measure.max,
        /// The percentile bootstrap interval of the median; absent for fewer than six values.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Interval")]
        interval: Option<Interval> = measure.interval,
    }
}

document! {
    /// Two models in the cells that both have.
    #[serde(rename_all = "camelCase")]
    #[schemars(rename = "Pair")]
    struct PairDocument<'a>(archive: &'a Archive, pair: &ModelPair) {
        /// The two models.
        models: [&'a str; 2] = pair.models.map(|model| &*archive.models[model].name),
        /// How many pairs of cells there are that differ in the model alone.
        cells: usize = pair.cells,
        /// Trials of each model in them.
        trials: [u32; 2] = pair.trials,
        /// The mean difference of the rates of success: that of the first model less that of the second.
        difference: f64 = pair.difference.mean,
        /// Its interval: Newcombe's hybrid score interval, over all pairs by the method of variance estimates recovery.
        interval: Interval = pair.difference.interval,
        /// Whether the interval is on one side of 0.
        distinguishable: bool = pair.difference.is_distinguishable(),
        /// Trials that each cell would need to tell such a difference from none with a chance of 80 %; absent without a difference,
        /// and for more than 100,000.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "u32")]
        trials_needed: Option<u32> = pair.difference.needed,
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}
