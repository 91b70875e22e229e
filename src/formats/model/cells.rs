//! Cells: runs of the same case, variant, model and harness within a comparable set are trials of one cell. What counts as a success
//! is the site's to say, and is never guessed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::config::SuccessRule;

use super::archive::{Archive, ArchiveEntry};
use super::comparison::{self, ComparableSet};
use super::run::{Metric, Number};
use super::statistics::{self, Bootstrap, Difference, Interval, Tally};

/// The runs of a case, variant, model and harness within a comparable set.
#[derive(Debug)]
pub struct TrialCell {
    /// The same number for cells of one set.
    pub set: usize,
    /// The same number for cells that differ in the model alone.
    pub setting: usize,
    /// Positions in the archive, newest first.
    pub runs: Vec<usize>,
}

impl TrialCell {
    /// The entry of its newest run.
    pub fn entry<'a>(&self, archive: &'a Archive) -> &'a ArchiveEntry {
        &archive.runs[self.runs[0]]
    }

    /// Whether its model is known. Runs whose model is not recorded may be of different models.
    fn has_model(&self, archive: &Archive) -> bool {
        self.entry(archive).run.subject.model.is_some()
    }

    /// Whether it has several trials.
    pub fn is_repeated(&self, archive: &Archive) -> bool {
        self.runs.len() > 1 && self.has_model(archive)
    }
}

/// The cells of sets: in the order of the sets and their variants, then by harness and model.
pub fn cells<'a>(
    archive: &Archive,
    sets: impl IntoIterator<Item = &'a ComparableSet>,
) -> Vec<TrialCell> {
    let mut cells = Vec::new();
    let mut setting = 0;
    for (set, variants) in sets.into_iter().map(|set| &set.variants).enumerate() {
        for (_, runs) in variants {
            let mut members: BTreeMap<usize, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
            for &run in runs {
                let entry = &archive.runs[run];
                let of_harness = members.entry(entry.harness).or_default();
                of_harness.entry(entry.model).or_default().push(run);
            }
            for models in members.into_values() {
                let of_models = models.into_values();
                cells.extend(of_models.map(|runs| TrialCell { set, setting, runs }));
                setting += 1;
            }
        }
    }
    cells
}

/// What a run says as a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialResult {
    Success,
    Failure,
    /// What would decide it was not recorded.
    Unknown,
    /// It does not count.
    Excluded,
}

impl TrialResult {
    /// The result of a run, with what the publishers of the site decided about it.
    pub fn of(entry: &ArchiveEntry, rule: &SuccessRule) -> Self {
        let run = &entry.run;
        if entry.exclusion().is_some() {
            return Self::Excluded;
        }
        let Some(name) = &rule.outcome else {
            return match &run.state {
                state if state.is_completed() => Self::Success,
                state if state.is_known() => Self::Failure,
                _ => Self::Unknown,
            };
        };
        let scorer = rule.scorer.as_deref();
        let mut found = run.outcomes.iter().filter(|outcome| {
            let is_of_scorer = scorer.is_none() || outcome.scorer.as_deref() == scorer;
            *outcome.name == **name && is_of_scorer
        });
        // Of several scorers with the same name of an outcome, only the site can say which decides.
        let (Some(outcome), None) = (found.next(), found.next()) else {
            return Self::Unknown;
        };
        let outcome = entry.corrected(outcome);
        match outcome.number() {
            _ if outcome.valid == Some(false) => Self::Excluded,
            Some(value) if value >= rule.at_least.value() => Self::Success,
            Some(_) => Self::Failure,
            None => Self::Unknown,
        }
    }
}

/// What the trials of a cell say together.
#[derive(Debug)]
pub struct CellSummary {
    pub cell: TrialCell,
    /// The result of each run.
    pub results: Vec<TrialResult>,
    /// Successes, and trials whose result is known and counts.
    pub tally: Tally,
    /// Its measures; none for one run, which has them itself.
    pub measures: Vec<Measure>,
}

impl CellSummary {
    /// `k`, `pass@k` and `pass^k`, for `k` from 1 to 16; none for fewer than two trials.
    pub fn chances(&self) -> impl Iterator<Item = (u32, f64, f64)> {
        let tally = self.tally;
        let most = if tally.trials > 1 { tally.trials } else { 0 };
        (1..=most.min(MAX_K)).filter_map(move |k| Some((k, tally.pass_at(k)?, tally.pass_all(k)?)))
    }

    /// How many runs have this result.
    pub fn count(&self, result: TrialResult) -> usize {
        self.results.iter().filter(|it| **it == result).count()
    }
}

/// Maximum `k` of `pass@k` and `pass^k`.
const MAX_K: u32 = 16;

/// A number that the runs of a cell have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    Metric(Metric),
    /// An outcome: its name and its scorer.
    Outcome(Arc<str>, Option<Arc<str>>),
}

/// The values of a number over the runs of a cell.
#[derive(Debug)]
pub struct Measure {
    pub quantity: Quantity,
    /// How many runs have a value.
    pub values: usize,
    pub median: f64,
    pub min: f64,
    pub max: f64,
    /// The bootstrap interval of the median; `None` for fewer than six values.
    pub interval: Option<Interval>,
}

/// The metrics that cells summarize.
const METRICS: [Metric; 2] = [Metric::ComparableCost, Metric::RunTime];
/// Maximum of the outcomes that cells summarize.
const MAX_OUTCOMES: usize = 20;

/// Summarizes all cells of the archive: the set with the newest run first.
pub fn of_archive(archive: &Archive, rule: &SuccessRule) -> Vec<CellSummary> {
    let runs: Vec<usize> = (0..archive.runs.len()).collect();
    summaries(archive, &comparison::sets(archive, &runs), rule)
}

/// Summarizes the cells of sets whose runs are comparable.
pub fn summaries<'a>(
    archive: &Archive,
    sets: impl IntoIterator<Item = &'a ComparableSet>,
    rule: &SuccessRule,
) -> Vec<CellSummary> {
    let comparable = sets.into_iter().filter(|set| set.is_comparable);
    let mut samples = BTreeMap::new();
    let summary = |cell: TrialCell| {
        let results = cell.runs.iter();
        let results: Vec<_> = results
            .map(|run| TrialResult::of(&archive.runs[*run], rule))
            .collect();
        let count = |result| {
            let count = results.iter().filter(|it| **it == result).count();
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        let successes = count(TrialResult::Success);
        let trials = successes.saturating_add(count(TrialResult::Failure));
        CellSummary {
            measures: measures(archive, &cell, &results, &mut samples),
            tally: Tally { successes, trials },
            results,
            cell,
        }
    };
    let cells = cells(archive, comparable).into_iter();
    let cells = cells.filter(|cell| cell.has_model(archive));
    cells.map(summary).collect()
}

fn measures(
    archive: &Archive,
    cell: &TrialCell,
    results: &[TrialResult],
    samples: &mut BTreeMap<usize, Bootstrap>,
) -> Vec<Measure> {
    if cell.runs.len() < 2 {
        return Vec::new();
    }
    let mut values: BTreeMap<Quantity, Vec<f64>> = BTreeMap::new();
    let counted = cell.runs.iter().zip(results);
    for (run, _) in counted.filter(|(_, result)| **result != TrialResult::Excluded) {
        let entry = &archive.runs[*run];
        for metric in METRICS {
            let number = entry.run.metrics.exact(metric);
            let of_metric = number.map(Number::value);
            let list = values.entry(Quantity::Metric(metric)).or_default();
            list.extend(of_metric);
        }
        for outcome in entry.run.outcomes.iter().take(MAX_OUTCOMES) {
            let outcome = entry.corrected(outcome);
            let Some(value) = outcome.number().filter(|_| outcome.valid != Some(false)) else {
                continue;
            };
            let quantity = Quantity::Outcome(outcome.name.clone(), outcome.scorer.clone());
            values.entry(quantity).or_default().push(value);
        }
    }
    let mut measure = |quantity: Quantity, mut values: Vec<f64>| {
        let median = statistics::median(&mut values)?;
        let size = values.len();
        let sample = samples.entry(size).or_insert_with(|| Bootstrap::new(size));
        Some(Measure {
            quantity,
            values: size,
            median,
            min: *values.first()?,
            max: *values.last()?,
            interval: sample.interval(&values),
        })
    };
    values
        .into_iter()
        .filter_map(|(quantity, values)| measure(quantity, values))
        .take(MAX_OUTCOMES)
        .collect()
}

/// Two models in the cells that both have.
#[derive(Debug)]
pub struct ModelPair {
    /// Positions in the archive's models.
    pub models: [usize; 2],
    /// How many cells each has in which only the model differs.
    pub cells: usize,
    /// Trials of each in those cells.
    pub trials: [u32; 2],
    /// The rate of the first less that of the second.
    pub difference: Difference,
}

/// The pairs of models that both have more than one trial in a cell, by name.
pub fn pairs(archive: &Archive, cells: &[CellSummary]) -> Vec<ModelPair> {
    let model = |it: &CellSummary| it.cell.entry(archive).model;
    let settings: Vec<Vec<&CellSummary>> = cells
        .chunk_by(|a, b| a.cell.setting == b.cell.setting)
        .map(|cells| cells.iter().filter(|it| it.tally.trials > 0).collect())
        .collect();
    let two = |cells: &[&CellSummary]| {
        let of_cells = cells.iter().map(|it| model(it)).enumerate();
        let later = |from: usize| cells[from..].iter().map(|it| model(it));
        let found =
            of_cells.flat_map(|(at, first)| later(at + 1).map(move |second| [first, second]));
        found.collect::<Vec<_>>()
    };
    let repeated = settings.iter().map(|cells| {
        let cells = cells.iter().filter(|it| it.tally.trials > 1);
        two(&cells.copied().collect::<Vec<_>>())
    });
    let repeated: BTreeSet<[usize; 2]> = repeated.flatten().collect();
    let mut tallies: BTreeMap<[usize; 2], Vec<(Tally, Tally)>> = BTreeMap::new();
    for cells in &settings {
        let of_model: BTreeMap<usize, Tally> =
            cells.iter().map(|it| (model(it), it.tally)).collect();
        for models in &repeated {
            let [first, second] = models.each_ref().map(|model| of_model.get(model));
            if let Some((first, second)) = first.zip(second) {
                tallies.entry(*models).or_default().push((*first, *second));
            }
        }
    }
    let pair = |models: [usize; 2], pairs: &[(Tally, Tally)]| {
        let trials = pairs.iter().fold([0_u32; 2], |[first, second], (a, b)| {
            [
                first.saturating_add(a.trials),
                second.saturating_add(b.trials),
            ]
        });
        Some(ModelPair {
            models,
            cells: pairs.len(),
            trials,
            difference: Difference::of(pairs)?,
        })
    };
    let tallies = tallies.iter();
    tallies
        .filter_map(|(models, pairs)| pair(*models, pairs))
        .collect()
}
