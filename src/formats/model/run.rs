//! A run: the record, checked, with its defaults filled in.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::json::Node;
use crate::run_record::{self as record, RunRecord};
use crate::{decimal, reader};
use base::diagnostics::text::capitalized;
use base::url::HttpUrl;

use super::outcome::Outcome;
use super::time::Moment;
use super::value::Literal;

/// A run with a valid record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Run {
    /// Unique id.
    pub id: Arc<str>,
    /// When it began, where known.
    pub started: Option<Moment>,
    /// When it ended, where known.
    pub finished: Option<Moment>,
    /// Publication time, if recorded.
    pub published: Option<Moment>,
    /// Test case, harness and model. Many runs have the same ones.
    pub subject: Arc<Subject>,
    /// Time, tokens and cost.
    pub metrics: Metrics,
    /// Results of the validation.
    pub validation: Validation,
    /// The generated source.
    pub source_repo: Option<HttpUrl>,
    pub playable_build: Option<HttpUrl>,
    /// The final state.
    pub state: FinalState,
    /// What scorers said of it, in the record's order.
    pub outcomes: Box<[Outcome]>,
    /// Whether it was made from the log of another system.
    pub is_imported: bool,
    /// Whether its log names no task, so that the case is a name given on import: runs of it may have had different tasks.
    pub case_is_given: bool,
}

impl Run {
    /// `pong · base · v1.0.0`
    pub fn title(&self) -> String {
        let subject = &self.subject;
        let variant = subject
            .variant
            .as_deref()
            .map_or_else(String::new, |variant| format!(" · {variant}"));
        let version = subject.version.as_deref();
        let version = version.map_or_else(String::new, |version| format!(" · {version}"));
        format!("{}{variant}{version}", subject.case)
    }

    /// Recency (formats.md, contradiction 30): published, else finished; `None` where neither is known.
    pub fn recency(&self) -> Option<&Moment> {
        self.published.as_ref().or(self.finished.as_ref())
    }
}

/// What is shown where a record has no value.
const UNKNOWN: &str = "unknown";

/// Test case, harness and model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Subject {
    /// Slug of the test case.
    pub case: Arc<str>,
    /// Its exact version, where known.
    pub version: Option<Arc<str>>,
    /// `end-to-end` unless the record says otherwise.
    pub test_type: Arc<str>,
    /// `None` in the oldest records.
    pub variant: Option<Arc<str>>,
    /// Slug of the harness.
    pub harness: Arc<str>,
    /// Version of the harness, where known.
    pub harness_version: Option<Arc<str>>,
    /// Opaque model id, where known.
    pub model: Option<Arc<str>>,
    /// `one-shot` unless the record says otherwise.
    pub orchestrator: Arc<str>,
    /// `none` unless the record says otherwise.
    pub engine: Arc<str>,
    /// Version of the engine, where known.
    pub engine_version: Option<Arc<str>>,
}

impl Subject {
    /// The version of the case, for people.
    pub fn version(&self) -> &str {
        self.version.as_deref().unwrap_or(UNKNOWN)
    }

    /// The model, for people and addresses.
    pub fn model(&self) -> &str {
        self.model.as_deref().unwrap_or(UNKNOWN)
    }

    /// The engine with its version where known: runs with different ones are not comparable.
    pub fn engine_label(&self) -> String {
        self.engine_version.as_ref().map_or_else(
            || self.engine.to_string(),
            |version| format!("{} {version}", self.engine),
        )
    }
}

/// A finite number with the digits of the record.
pub type Number = Literal<f64>;

/// Time, tokens and cost of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Metrics {
    /// In the order of [`Metric::ALL`]. `None` means not reported, never 0.
    pub numbers: [Option<Number>; Metric::ALL.len()],
    /// The metrics whose values are lower bounds: the source lacks a part of what was counted.
    pub lower_bounds: MetricSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Input that was not served from a cache, in tokens.
    UncachedInput,
    /// Input that was served from a cache, in tokens.
    CachedInput,
    /// Output without reasoning, in tokens.
    Output,
    /// Reasoning, in tokens.
    Reasoning,
    /// USD at list prices: the headline metric.
    ComparableCost,
    /// USD charged.
    ActualCost,
    /// Wall clock, in seconds.
    RunTime,
}

/// What a metric is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricUnit {
    Tokens,
    Dollars,
    Seconds,
}

impl Metric {
    /// All metrics, in the order of [`Metrics::numbers`].
    pub const ALL: [Self; 7] = [
        Self::UncachedInput,
        Self::CachedInput,
        Self::Output,
        Self::Reasoning,
        Self::ComparableCost,
        Self::ActualCost,
        Self::RunTime,
    ];

    /// The token classes in the format's order.
    pub const TOKENS: [Self; 4] = [
        Self::UncachedInput,
        Self::CachedInput,
        Self::Output,
        Self::Reasoning,
    ];

    /// Its path below `metrics` in a record, as in `import.lowerBounds`.
    pub const fn path(self) -> &'static str {
        match self {
            Self::UncachedInput => "tokens.uncachedInput",
            Self::CachedInput => "tokens.cachedInput",
            Self::Output => "tokens.output",
            Self::Reasoning => "tokens.reasoning",
            Self::ComparableCost => "cost.comparable",
            Self::ActualCost => "cost.actual",
            Self::RunTime => "runTimeSeconds",
        }
    }

    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UncachedInput => "uncached input",
            Self::CachedInput => "cached input",
            Self::Output => "output",
            Self::Reasoning => "reasoning",
            Self::ComparableCost => "comparable cost",
            Self::ActualCost => "actual cost",
            Self::RunTime => "run time",
        }
    }

    pub const fn unit(self) -> MetricUnit {
        match self {
            Self::UncachedInput | Self::CachedInput | Self::Output | Self::Reasoning => {
                MetricUnit::Tokens
            }
            Self::ComparableCost | Self::ActualCost => MetricUnit::Dollars,
            Self::RunTime => MetricUnit::Seconds,
        }
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricSet(u8);

impl MetricSet {
    pub const fn insert(&mut self, metric: Metric) {
        self.0 |= 1 << metric as u8;
    }

    pub const fn remove(&mut self, metric: Metric) {
        self.0 &= !(1 << metric as u8);
    }

    pub const fn contains(self, metric: Metric) -> bool {
        self.0 & (1 << metric as u8) != 0
    }

    /// Its metrics, in the order of [`Metric::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Metric> {
        Metric::ALL
            .into_iter()
            .filter(move |metric| self.contains(*metric))
    }

    pub fn paths(self) -> Vec<&'static str> {
        self.iter().map(Metric::path).collect()
    }

    /// The metrics of these paths; others are ignored.
    pub fn of_paths<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut set = Self::default();
        for path in paths {
            let metric = Metric::ALL.into_iter().find(|metric| metric.path() == path);
            if let Some(metric) = metric {
                set.insert(metric);
            }
        }
        set
    }
}

impl Metrics {
    /// Whether the value of a metric is a lower bound.
    pub const fn is_lower_bound(&self, metric: Metric) -> bool {
        self.lower_bounds.contains(metric)
    }

    /// A metric as reported, in full or not.
    pub const fn get(&self, metric: Metric) -> Option<&Number> {
        self.numbers[metric as usize].as_ref()
    }

    /// A metric that is reported in full; `None` for a lower bound, which is no value to compare or to average.
    pub fn exact(&self, metric: Metric) -> Option<&Number> {
        let number = self.get(metric);
        number.filter(|_| !self.is_lower_bound(metric))
    }

    /// The sums that people ask for: input, output, everything (formats.md A.iii).
    pub fn totals(&self) -> [(&'static str, TokenTotal); 3] {
        let (input, output) = Metric::TOKENS.split_at(2);
        [
            ("all input", self.total(input)),
            ("all output", self.total(output)),
            ("all tokens", self.total(&Metric::TOKENS)),
        ]
    }

    fn total(&self, classes: &[Metric]) -> TokenTotal {
        let reported = || classes.iter().filter_map(|class| self.get(*class));
        // Exact where the record holds plain whole numbers, as it does by its format.
        let exact = reported().try_fold(0_u128, |sum, number| {
            sum.checked_add(number.text().parse().ok()?)
        });
        let near = || format!("{:.0}", decimal::sum(reported().map(Number::value)));
        let named = |is: &dyn Fn(Metric) -> bool| {
            let classes = classes.iter().filter(|class| is(**class));
            classes.map(|class| class.name()).collect()
        };
        TokenTotal {
            digits: (reported().next().is_some())
                .then(|| exact.map_or_else(near, |total| total.to_string())),
            missing: named(&|class| self.get(class).is_none()),
            partial: named(&|class| self.is_lower_bound(class)),
        }
    }
}

/// A sum of token classes. A class that is not reported counts as 0, so the sum is then a lower bound, as is a sum over a lower
/// bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenTotal {
    /// Its digits; `None` when none of its classes is reported.
    pub digits: Option<String>,
    /// The classes that are not reported.
    pub missing: Vec<&'static str>,
    /// The classes that are lower bounds themselves.
    pub partial: Vec<&'static str>,
}

impl TokenTotal {
    /// Whether it is less than what was used, or may be.
    pub fn is_lower_bound(&self) -> bool {
        !self.missing.is_empty() || !self.partial.is_empty()
    }

    /// Why it is a lower bound: `reasoning is not reported`, `output is a lower bound`, or both.
    pub fn why(&self) -> Option<String> {
        let named = |names: &[&str], one: &str, many: &str| match names {
            [] => None,
            [name] => Some(format!("{name} {one}")),
            [most @ .., last] => Some(format!("{} and {last} {many}", most.join(", "))),
        };
        let missing = named(&self.missing, "is not reported", "are not reported");
        let partial = named(&self.partial, "is a lower bound", "are lower bounds");
        let parts: Vec<String> = missing.into_iter().chain(partial).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// Results of the validation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Validation {
    /// Whether the implementation loaded; `None` where nothing was validated.
    pub loaded: Option<bool>,
    /// Why not.
    pub detail: Option<Arc<str>>,
    /// Visual checks in the record's order.
    pub checks: Box<[VisualCheck]>,
}

/// A visual check.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VisualCheck {
    /// Keys the column of a comparison table.
    pub view: Arc<str>,
    /// For people.
    pub name: Arc<str>,
    /// Whether the view was reached; not reached is not failed.
    pub reached: bool,
    /// As recorded; of a view that was not reached, records have 0.
    pub similarity: Option<Number>,
    /// Why it was not reached.
    pub detail: Option<Arc<str>>,
}

impl VisualCheck {
    /// The similarity, where there was something to compare: that of a view that was not reached means nothing.
    pub fn compared(&self) -> Option<&Number> {
        self.similarity.as_ref().filter(|_| self.reached)
    }
}

/// How a run ended; the word is kept as written (formats.md, contradiction 4).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FinalState {
    /// The word of the record.
    pub word: Arc<str>,
    /// Why.
    pub detail: Option<Arc<str>>,
}

impl FinalState {
    /// Whether the run did what it was asked: the only state that needs a review.
    pub fn is_completed(&self) -> bool {
        &*self.word == "completed"
    }

    /// Whether it says how the run ended.
    pub fn is_known(&self) -> bool {
        &*self.word != "unknown"
    }
}

/// Whether a run that ended with this word is ever published (formats.md A.vi). A word that is not known is published and
/// shown as it is.
pub fn is_published(word: &str) -> bool {
    !matches!(word, "infrastructure" | "canceled")
}

/// Makes a run of a record. `None` when a required value is missing, which the format has reported.
pub fn from_record(record: &RunRecord<'_>) -> Option<Run> {
    let subject = &record.subject;
    // Only the record of an imported run may lack these values.
    let is_complete = record.started_at.is_some()
        && record.finished_at.is_some()
        && subject.test_case_version.is_some()
        && subject.model_id.is_some()
        && record.metrics.run_time_seconds.is_some()
        && record.validation.loaded.is_some();
    if !is_complete && record.import.is_none() {
        return None;
    }
    let address = |url: &record::Text<'_>| HttpUrl::parse(url.as_ref()?);
    Some(Run {
        id: text(&record.id)?,
        started: moment(&record.started_at),
        finished: moment(&record.finished_at),
        published: moment(&record.published_at),
        subject: Arc::new(Subject {
            case: text(&subject.test_case_slug)?,
            version: text(&subject.test_case_version),
            test_type: text(&subject.test_type).unwrap_or_else(|| "end-to-end".into()),
            variant: text(&subject.variant),
            harness: text(&subject.harness_slug)?,
            harness_version: text(&subject.harness_version),
            model: text(&subject.model_id),
            orchestrator: text(&subject.orchestrator_slug).unwrap_or_else(|| "one-shot".into()),
            engine: text(&subject.engine_slug).unwrap_or_else(|| "none".into()),
            engine_version: text(&subject.engine_version),
        }),
        metrics: Metrics {
            numbers: Metric::ALL.map(|metric| number(recorded(&record.metrics, metric))),
            lower_bounds: record.import.map(lower_bounds).unwrap_or_default(),
        },
        validation: validation(&record.validation)?,
        source_repo: address(&record.links.source_repo),
        playable_build: address(&record.links.playable_build),
        state: FinalState {
            word: text(&record.status.state)?,
            detail: text(&record.status.detail),
        },
        outcomes: record.outcomes.iter().filter_map(Outcome::of).collect(),
        is_imported: record.import.is_some(),
        case_is_given: record.import.is_some_and(case_is_given),
    })
}

fn moment(value: &record::Text<'_>) -> Option<Moment> {
    Moment::parse(value.as_ref()?)
}

fn text<T: for<'a> From<&'a str>>(value: &record::Text<'_>) -> Option<T> {
    value.as_deref().map(T::from)
}

/// A number of a record.
pub fn number(number: Option<reader::NumberLiteral<'_>>) -> Option<Number> {
    number.map(|n| Number::new(n.literal, n.value))
}

/// The metrics that an importer names as lower bounds.
fn lower_bounds(import: Node<'_>) -> MetricSet {
    let paths = words(import, "lowerBounds");
    MetricSet::of_paths(paths.iter().map(AsRef::as_ref))
}

fn case_is_given(import: Node<'_>) -> bool {
    words(import, "given").iter().any(|word| word == "case")
}

/// The strings in a list of an import.
fn words<'a>(import: Node<'a>, key: &str) -> Vec<Cow<'a, str>> {
    let list = import.get(key).map(|list| list.items());
    let list = list.unwrap_or_default();
    list.iter().filter_map(Node::as_str).collect()
}

pub const fn recorded<'a>(
    m: &record::Metrics<'a>,
    metric: Metric,
) -> Option<reader::NumberLiteral<'a>> {
    match metric {
        Metric::UncachedInput => m.tokens.uncached_input,
        Metric::CachedInput => m.tokens.cached_input,
        Metric::Output => m.tokens.output,
        Metric::Reasoning => m.tokens.reasoning,
        Metric::ComparableCost => m.cost.comparable,
        Metric::ActualCost => m.cost.actual,
        Metric::RunTime => m.run_time_seconds,
    }
}

fn validation(validation: &record::Validation<'_>) -> Option<Validation> {
    Some(Validation {
        loaded: validation.loaded,
        detail: text(&validation.detail),
        checks: validation
            .checks
            .iter()
            .map(check)
            .chain(validation.reference_comparisons.iter().map(comparison))
            .collect::<Option<_>>()?,
    })
}

fn check(check: &record::Check<'_>) -> Option<VisualCheck> {
    let view: Arc<str> = text(&check.view)?;
    Some(VisualCheck {
        name: text(&check.name).unwrap_or_else(|| humanize(&view).into()),
        reached: check.reached == Some(true),
        similarity: number(check.similarity),
        detail: text(&check.detail),
        view,
    })
}

/// The oldest records list only views that were reached (formats.md, contradiction 12).
fn comparison(comparison: &record::ReferenceComparison<'_>) -> Option<VisualCheck> {
    let view: Arc<str> = text(&comparison.view)?;
    Some(VisualCheck {
        name: humanize(&view).into(),
        reached: true,
        similarity: number(comparison.similarity),
        detail: None,
        view,
    })
}

/// `game-over` becomes `Game Over` (formats.md, contradiction 12).
fn humanize(slug: &str) -> String {
    let words = slug.split('-').filter(|word| !word.is_empty());
    words.map(capitalized).collect::<Vec<_>>().join(" ")
}
