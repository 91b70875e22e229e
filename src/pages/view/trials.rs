//! The trials of a case: its cells, what their trials say together, and pairs of models.

use serde::Serialize;

use base::diagnostics::Diagnostic;
use base::document;
use base::links;
use formats::config::SuccessRule;
use formats::model::amounts;
use formats::model::archive::{Archive, ArchiveEntry, GroupBy};
use formats::model::cells::{CellSummary, Measure, ModelPair, Quantity, TrialResult};
use formats::model::run::MetricUnit;
use formats::model::statistics::{self, Interval};

use super::compare::{Divergence, TapeData};
use super::reliability::OutcomeGlyph;
use super::{Cell, Link, decisions, format};

/// Maximum glyphs of a cell, for its newest runs.
const GLYPHS: usize = 40;
/// Maximum bytes of the name of an outcome.
const NAME: usize = 120;
/// Maximum pairs of models; the feed has all of them.
const PAIRS: usize = 50;
/// Maximum runs of a comparison.
const COMPARED: usize = 4;
/// Maximum runs whose actions are compared, the newest.
const TAPES: usize = 16;

/// The cells of a comparable set.
#[derive(Debug, Serialize)]
pub struct TrialsView {
    pub version: String,
    pub engine: String,
    pub orchestrator: String,
    pub cells: Vec<TrialCellView>,
    pub has_measures: bool,
    /// The largest `k` of a cell.
    pub most: u32,
}

/// The trials of a cell.
#[derive(Debug, Serialize)]
pub struct TrialCellView {
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
    /// The decisions because of which some of them do not count.
    pub decisions: Option<String>,
    /// How often a trial ended otherwise than the one before it.
    pub flips: usize,
    pub measures: Vec<MeasureView>,
    /// `k`, `pass@k` and `pass^k`.
    pub chances: Vec<(u32, String, String)>,
    /// Where its trials diverge.
    pub divergence: Option<DivergenceView>,
}

#[derive(Debug, Serialize)]
pub struct TrialGlyph {
    #[serde(flatten)]
    pub glyph: OutcomeGlyph,
    /// Whether it ended otherwise than the trial before it.
    pub is_flip: bool,
}

/// Where trials diverge.
#[derive(Debug, Serialize)]
pub struct DivergenceView {
    /// The first event that is not the same.
    pub event: Option<Link>,
    /// `after 2 same actions`
    pub words: String,
    /// The comparison of the newest runs.
    pub compare: String,
}

document! {
    /// A number of the runs of a cell.
    pub struct MeasureView(measure: &Measure)
        let write = |value: f64| match &measure.quantity {
            Quantity::Metric(metric) => match metric.unit() {
                MetricUnit::Dollars => amounts::short_dollars(value),
                MetricUnit::Seconds => amounts::duration(value),
                MetricUnit::Tokens => format::grouped(amounts::decimal(value)),
            },
            Quantity::Outcome(..) => format::grouped(amounts::decimal(value)),
        };
        let range = |low: f64, high: f64| format!("{} to {}", write(low), write(high));
        let interval = measure.interval;
    {
        pub name: String = name(&measure.quantity),
        /// How many runs have it.
        pub values: usize = measure.values,
        pub median: String = write(measure.median),
        /// The smallest and the largest value.
        pub range: String = range(measure.min, measure.max),
        /// The interval of the median; `None` for fewer than six values.
        pub interval: Option<String> = interval.map(|interval| range(interval.low, interval.high)),
    }
}

/// Two models in the cells that both have.
#[derive(Debug, Serialize)]
pub struct ModelPairView {
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

/// What the interval of the cell with the most trials says, in words for somebody who reads one for the first time.
pub fn example(cells: &[CellSummary]) -> Option<String> {
    let cell = cells.iter().rev().max_by_key(|it| it.tally.trials)?;
    let interval = cell.tally.interval()?;
    Some(format!(
        "For example, “{}, 95 % {}” means: {} of {} trials succeeded, and with so few trials the true rate of success may be anywhere from {} to {}. Of 100 ranges that are computed like this, about 95 contain the true rate.",
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

/// `38–96 %`
pub(super) fn range_of(interval: Interval) -> String {
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

/// The cells of a set, for a page whose path to the root is `root`. `tape` reads the first tape of a run.
pub fn set(
    archive: &Archive,
    cells: &[CellSummary],
    tape: &ReadTape<'_>,
    root: &str,
) -> Result<TrialsView, Diagnostic> {
    let subject = cells.first().map(|it| &it.cell.entry(archive).run.subject);
    let views = cells.iter().map(|it| cell(archive, it, tape, root));
    let most = cells.iter().filter_map(|it| Some(it.chances().last()?.0));
    Ok(TrialsView {
        version: subject.map_or_else(String::new, |subject| {
            format::short_digest(subject.version()).text().to_owned()
        }),
        engine: subject.map_or_else(String::new, |subject| subject.engine_label()),
        orchestrator: subject.map_or_else(String::new, |subject| subject.orchestrator.to_string()),
        has_measures: cells.iter().any(|it| !it.measures.is_empty()),
        most: most.max().unwrap_or(0),
        cells: views.collect::<Result<_, _>>()?,
    })
}

/// Reads the first tape of the run at a position of the archive, if it has one.
pub type ReadTape<'a> = dyn Fn(usize) -> Result<Option<TapeData<'static>>, Diagnostic> + 'a;

/// Where the trials of a cell diverge.
fn divergence(
    archive: &Archive,
    runs: &[usize],
    tape: &ReadTape<'_>,
    root: &str,
) -> Result<Option<DivergenceView>, Diagnostic> {
    if runs.len() < 2 {
        return Ok(None);
    }
    let newest = runs.iter().take(TAPES);
    let tapes = newest.map(|run| Ok(tape(*run)?.map(|tape| (&archive.runs[*run].slug, tape))));
    let tapes: Vec<Option<_>> = tapes.collect::<Result<_, Diagnostic>>()?;
    let tapes: Vec<_> = tapes.into_iter().flatten().collect();
    let slugs = tapes.iter().take(COMPARED).map(|(slug, _)| &***slug);
    let slugs: Vec<&str> = slugs.collect();
    Ok(Divergence::of(&tapes).map(|Divergence { same, event }| {
        let actions = format::count(same, "same action");
        DivergenceView {
            words: match (&event, same) {
                (None, _) => actions,
                (Some(_), 0) => "the first action".to_owned(),
                (Some(_), _) => format!("after {actions}"),
            },
            event: event.map(|link| Link::new(link.text, format!("{root}{}", link.href))),
            compare: format!("{root}{}?runs={}", links::COMPARE, slugs.join(",")),
        }
    }))
}

fn name(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Metric(metric) => metric.name().to_owned(),
        Quantity::Outcome(name, None) => format::truncated(name, NAME).to_owned(),
        Quantity::Outcome(name, Some(scorer)) => {
            format!(
                "{} by {}",
                format::truncated(name, NAME),
                format::truncated(scorer, NAME)
            )
        }
    }
}

fn cell(
    archive: &Archive,
    summary: &CellSummary,
    tape: &ReadTape<'_>,
    root: &str,
) -> Result<TrialCellView, Diagnostic> {
    let runs = &summary.cell.runs;
    let entry = summary.cell.entry(archive);
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
    let counted = runs.iter().zip(&summary.results);
    let counted: Vec<usize> = counted
        .filter(|(_, result)| **result != TrialResult::Excluded)
        .map(|(run, _)| *run)
        .collect();
    let divergence = divergence(archive, &counted, tape, root)?;
    Ok(TrialCellView {
        model: Link::to_group(GroupBy::Model, &archive.models[entry.model], root),
        harness: Link::to_group(GroupBy::Harness, &archive.harnesses[entry.harness], root),
        variant: format::text(entry.run.subject.variant.as_ref()),
        glyphs,
        older: format::older(runs.len(), GLYPHS),
        successes: successes(summary),
        interval: summary.tally.interval().map(range_of),
        apart: apart.join(", "),
        decisions: decisions::excluded_link(
            archive,
            runs.iter().map(|run| &archive.runs[*run]),
            root,
        )
        .map(|link| link.href),
        flips,
        measures: summary.measures.iter().map(MeasureView::of).collect(),
        chances: summary
            .chances()
            .map(|(k, at, all)| (k, percent(at), percent(all)))
            .collect(),
        divergence,
    })
}

/// A trial; `before` is the last result before it that counts.
fn trial(
    entry: &ArchiveEntry,
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
    let reason = entry.exclusion().map(|decision| decision.reason.as_str());
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
            title: format!("{word}: {}, {date}", reason.unwrap_or(&state.word)),
        },
        is_flip,
    }
}

/// The pairs of which both models are in the repeated cells of a case, and the number of omitted ones.
pub fn pairs(
    archive: &Archive,
    pairs: &[ModelPair],
    cells: &[CellSummary],
    root: &str,
) -> (Vec<ModelPairView>, Option<String>) {
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

fn view(archive: &Archive, pair: &ModelPair, root: &str) -> ModelPairView {
    let difference = pair.difference;
    let [first, second] = pair.trials;
    let models = pair
        .models
        .map(|model| Link::to_group(GroupBy::Model, &archive.models[model], root));
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
                        format::count(statistics::MAX_NEEDED_TRIALS as usize, "trial")
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
    ModelPairView {
        of: format!(
            "{}, {first} and {}",
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
