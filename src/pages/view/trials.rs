//! The trials of a case: its cells, what their trials say together, and pairs of models.

use serde::Serialize;

use base::links;
use formats::config::SuccessRule;
use formats::model::amounts;
use formats::model::archive::{Archive, Entry, GroupBy};
use formats::model::cells::{CellSummary, Measure, ModelPair, Quantity, TrialResult};
use formats::model::decimal;
use formats::model::run::{Metric, Unit};
use formats::model::statistics::{self, Interval};

use super::reliability::OutcomeGlyph;
use super::timeline::head;
use super::{Cell, Link, format};

/// Maximum glyphs of a cell, for its newest runs.
const GLYPHS: usize = 40;
/// Maximum outcomes with a median, after cost and time.
const OUTCOMES: usize = 3;
/// Maximum bytes of the name of an outcome.
const NAME: usize = 120;
/// Maximum pairs of models; the feed has all of them.
const PAIRS: usize = 50;
/// Maximum runs of a comparison.
const COMPARED: usize = 4;

/// The cells of a comparable set.
#[derive(Debug, Serialize)]
pub struct TrialsView {
    pub version: String,
    pub engine: String,
    pub orchestrator: String,
    pub cells: Vec<CellView>,
    /// Names of the measures that have a column.
    pub measures: Vec<String>,
    /// The largest `k` of a cell.
    pub most: u32,
}

/// The trials of a cell.
#[derive(Debug, Serialize)]
pub struct CellView {
    pub model: Link,
    pub harness: Link,
    pub variant: Cell,
    /// Its trials, oldest first.
    pub glyphs: Vec<TrialGlyph>,
    /// Number of older runs without a glyph.
    pub older: Option<(String, String)>,
    /// `4 of 5`
    pub successes: String,
    /// `38–96 %`; `None` for fewer than two trials.
    pub interval: Option<String>,
    /// `2 unknown, 1 excluded`; empty if all count.
    pub apart: String,
    /// How often a trial ended otherwise than the one before it.
    pub flips: usize,
    /// The measures of the columns; a dash without a value.
    pub measures: Vec<MeasureView>,
    /// `k`, `pass@k` and `pass^k`.
    pub chances: Vec<(u32, String, String)>,
    /// The comparison of its newest runs, and how many they are.
    pub compare: Option<(String, usize)>,
}

/// A trial.
#[derive(Debug, Serialize)]
pub struct TrialGlyph {
    #[serde(flatten)]
    pub glyph: OutcomeGlyph,
    /// Whether it ended otherwise than the trial before it.
    pub is_flip: bool,
}

/// A number of the runs of a cell.
#[derive(Debug, Serialize)]
pub struct MeasureView {
    pub median: Cell,
    /// `$0.30 to $0.61, 95 % $0.31 to $0.60, n = 5`; empty without a value.
    pub range: String,
}

/// Two models in the cells that both have.
#[derive(Debug, Serialize)]
pub struct PairView {
    pub models: [Link; 2],
    /// `1 cell, 5 and 5 trials`
    pub of: String,
    /// `+40 points`
    pub difference: String,
    /// `−12 to +75 points`
    pub interval: String,
    /// What the interval means, in a sentence.
    pub words: String,
}

/// What counts as a success, in a sentence.
pub fn rule(rule: &SuccessRule) -> String {
    let Some(outcome) = &rule.outcome else {
        return "A trial succeeds if its run completed.".to_owned();
    };
    let scorer = rule.scorer.as_ref();
    let scorer = scorer.map_or_else(String::new, |scorer| format!(" by {scorer}"));
    format!(
        "A trial succeeds if its outcome {outcome}{scorer} is at least {}.",
        rule.at_least.value()
    )
}

/// What the first interval of the page says, in words for somebody who reads one for the first time.
pub fn example(cells: &[CellSummary]) -> Option<String> {
    let (cell, interval) = cells
        .iter()
        .find_map(|it| Some((it, it.tally.interval()?)))?;
    Some(format!(
        "For example, “{}, 95 % {}” means: {} of {} trials succeeded, and with so few trials the true rate of success may be anywhere from {} to {}. A range that is computed like this contains the true rate in 95 of 100 cases.",
        successes(cell),
        range_of(interval),
        cell.tally.successes,
        cell.tally.trials,
        percent(interval.low),
        percent(interval.high),
    ))
}

fn percent(rate: f64) -> String {
    format!("{:.0} %", 100.0 * rate)
}

fn range_of(interval: Interval) -> String {
    format!("{:.0}–{:.0} %", 100.0 * interval.low, 100.0 * interval.high)
}

fn points(difference: f64) -> String {
    let points = format!("{:.0}", 100.0 * difference.abs());
    match points.as_str() {
        "0" => points,
        _ if difference < 0.0 => format!("−{points}"),
        _ => format!("+{points}"),
    }
}

fn successes(cell: &CellSummary) -> String {
    format!("{} of {}", cell.tally.successes, cell.tally.trials)
}

/// The cells of a set, for a page whose path to the root is `root`.
pub fn set(archive: &Archive, cells: &[CellSummary], root: &str) -> TrialsView {
    let metrics = [Metric::ComparableCost, Metric::RunTime].map(Quantity::Metric);
    let measures = || cells.iter().flat_map(|cell| &cell.measures);
    let mut columns: Vec<&Quantity> = metrics
        .iter()
        .filter(|metric| measures().any(|it| it.quantity == **metric))
        .collect();
    let mut outcomes: Vec<&Quantity> = measures()
        .map(|measure| &measure.quantity)
        .filter(|quantity| matches!(quantity, Quantity::Outcome(..)))
        .collect();
    outcomes.sort();
    outcomes.dedup();
    outcomes.truncate(OUTCOMES);
    columns.extend(outcomes);
    let subject = cells.first().map(|it| &it.cell.entry(archive).run.subject);
    TrialsView {
        version: subject.map_or_else(String::new, |subject| {
            format::short_digest(subject.version()).text().to_owned()
        }),
        engine: subject.map_or_else(String::new, |subject| subject.engine_label()),
        orchestrator: subject.map_or_else(String::new, |subject| subject.orchestrator.to_string()),
        cells: cells
            .iter()
            .map(|it| cell(archive, it, &columns, root))
            .collect(),
        measures: columns.iter().map(|quantity| name(quantity)).collect(),
        most: cells
            .iter()
            .filter_map(|it| Some(it.chances().last()?.0))
            .max()
            .unwrap_or(0),
    }
}

fn name(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Metric(Metric::ComparableCost) => "Median cost".to_owned(),
        Quantity::Metric(metric) => format!("Median {}", metric.name()),
        Quantity::Outcome(name, _) => format!("Median {}", head(name, NAME)),
    }
}

fn cell(archive: &Archive, summary: &CellSummary, columns: &[&Quantity], root: &str) -> CellView {
    let runs = &summary.cell.runs;
    let entry = summary.cell.entry(archive);
    let link = |group_by: GroupBy, index: usize| {
        let group = &archive.groups(group_by)[index];
        let path = links::group(group_by.folder(), &group.slug);
        Link::new(group.name.as_str(), format!("{root}{path}"))
    };
    let mut before = None;
    let trials = runs.iter().zip(&summary.results).rev();
    let mut glyphs: Vec<TrialGlyph> = trials
        .map(|(run, result)| trial(&archive.runs[*run], *result, &mut before, root))
        .collect();
    let flips = glyphs.iter().filter(|it| it.is_flip).count();
    glyphs.drain(..runs.len().saturating_sub(GLYPHS));
    let apart = [
        (TrialResult::Unknown, "unknown"),
        (TrialResult::Excluded, "excluded"),
    ];
    let apart = apart.map(|(result, word)| (summary.count(result), word));
    let apart: Vec<String> = apart
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let newest: Vec<&str> = runs
        .iter()
        .take(COMPARED)
        .map(|run| &*archive.runs[*run].slug)
        .collect();
    CellView {
        model: link(GroupBy::Model, entry.model),
        harness: link(GroupBy::Harness, entry.harness),
        variant: format::text(entry.run.subject.variant.as_ref()),
        glyphs,
        older: format::older(runs.len(), GLYPHS),
        successes: successes(summary),
        interval: summary.tally.interval().map(range_of),
        apart: apart.join(", "),
        flips,
        measures: columns
            .iter()
            .map(|quantity| {
                let mut measures = summary.measures.iter();
                measure(measures.find(|it| it.quantity == **quantity))
            })
            .collect(),
        chances: summary
            .chances()
            .map(|(k, at, all)| (k, percent(at), percent(all)))
            .collect(),
        compare: (newest.len() > 1).then(|| {
            let runs = newest.join(",");
            (
                format!("{root}{}?runs={runs}", links::COMPARE),
                newest.len(),
            )
        }),
    }
}

/// A trial; `before` is the last result before it that counts.
fn trial(
    entry: &Entry,
    result: TrialResult,
    before: &mut Option<TrialResult>,
    root: &str,
) -> TrialGlyph {
    let state = format::state(&entry.run.state);
    let (tone, word) = match result {
        TrialResult::Success => ("good", "success"),
        TrialResult::Failure => (
            if state.tone == "poor" { "poor" } else { "bad" },
            "no success",
        ),
        TrialResult::Unknown => ("none", "result unknown"),
        TrialResult::Excluded => ("none", "excluded"),
    };
    let counts = matches!(result, TrialResult::Success | TrialResult::Failure);
    let is_flip = counts && before.is_some_and(|before| before != result);
    if counts {
        *before = Some(result);
    }
    let date = format::when(entry.run.recency()).date;
    TrialGlyph {
        glyph: OutcomeGlyph {
            href: format!("{root}{}", links::run(&entry.slug)),
            tone,
            title: format!("{word}: {}, {date}", state.word),
        },
        is_flip,
    }
}

fn measure(measure: Option<&Measure>) -> MeasureView {
    let Some(measure) = measure else {
        return MeasureView {
            median: Cell::unknown("not recorded, or one run alone"),
            range: String::new(),
        };
    };
    let write = |value: f64| match &measure.quantity {
        Quantity::Metric(metric) => match metric.unit() {
            Unit::Dollars => amounts::short_dollars(value),
            Unit::Seconds => amounts::duration(value),
            Unit::Tokens => format::grouped(value),
        },
        Quantity::Outcome(..) => format::grouped(decimal::without_noise(value)),
    };
    let interval = measure.interval.map_or_else(
        || ", no interval".to_owned(),
        |interval| format!(", 95 % {} to {}", write(interval.low), write(interval.high)),
    );
    MeasureView {
        median: Cell::known(write(measure.median)),
        range: format!(
            "{} to {}{interval}, n = {}",
            write(measure.min),
            write(measure.max),
            measure.values
        ),
    }
}

/// The pairs of which both models are in the repeated cells of a case, and the number of omitted ones.
pub fn pairs(
    archive: &Archive,
    pairs: &[ModelPair],
    cells: &[CellSummary],
    root: &str,
) -> (Vec<PairView>, Option<String>) {
    let repeated = cells.iter().filter(|it| it.tally.trials > 1);
    let models: Vec<usize> = repeated.map(|it| it.cell.entry(archive).model).collect();
    let is_here = |pair: &&ModelPair| pair.models.iter().all(|model| models.contains(model));
    let here = || pairs.iter().filter(is_here);
    let shown = here().take(PAIRS).map(|pair| view(archive, pair, root));
    (
        shown.collect(),
        format::rest(here().count(), PAIRS, "more pair"),
    )
}

fn view(archive: &Archive, pair: &ModelPair, root: &str) -> PairView {
    let difference = pair.difference;
    let [first, second] = pair.trials;
    let models = pair.models.map(|model| {
        let group = &archive.models[model];
        let path = links::group(GroupBy::Model.folder(), &group.slug);
        Link::new(group.name.as_str(), format!("{root}{path}"))
    });
    let words = if difference.is_distinguishable() {
        let better = usize::from(difference.mean < 0.0);
        format!(
            "{} succeeds more often in these cells.",
            models[better].text
        )
    } else {
        let needed = difference.needed.map_or_else(
            || {
                if difference.mean.abs() > 0.0 {
                    format!(
                        "More than {} of each in each cell would be needed.",
                        format::count(statistics::NEEDED as usize, "trial")
                    )
                } else {
                    "There is no difference to find.".to_owned()
                }
            },
            |needed| {
                let trials = format::count(needed as usize, "trial");
                format!("To find such a difference in four of five attempts, each would need about {trials} in each cell.")
            },
        );
        format!("Not distinguishable with these trials. {needed}")
    };
    PairView {
        of: format!(
            "{}, {first} and {} of each",
            format::count(pair.cells, "cell"),
            format::count(second as usize, "trial"),
        ),
        difference: format!("{} points", points(difference.mean)),
        interval: format!(
            "{} to {}",
            points(difference.interval.low),
            points(difference.interval.high)
        ),
        words,
        models,
    }
}
