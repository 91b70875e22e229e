//! What a run is: the record, checked, with its defaults filled in.

use crate::formats::reader;
use crate::formats::run_record::{self as record, RunRecord};
use crate::url::HttpUrl;

use super::outcome::Outcome;
use super::time::Moment;

/// A run whose record holds.
#[derive(Debug, Clone)]
pub struct Run {
    /// Unique id.
    pub id: String,
    /// When it began, where known.
    pub started: Option<Moment>,
    /// When it ended, where known.
    pub finished: Option<Moment>,
    /// Publication time, if recorded.
    pub published: Option<Moment>,
    /// Test case, harness and model.
    pub subject: Subject,
    /// Where and with what it ran.
    pub environment: Environment,
    /// Time, tokens and cost.
    pub metrics: Metrics,
    /// Results of the validation.
    pub validation: Validation,
    /// The generated source.
    pub source_repo: Option<HttpUrl>,
    /// The playable build.
    pub playable_build: Option<HttpUrl>,
    /// The final state.
    pub state: State,
    /// What scorers said of it, in the record's order.
    pub outcomes: Vec<Outcome>,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Slug of the test case.
    pub case: String,
    /// Its exact version, where known.
    pub version: Option<String>,
    /// `end-to-end` unless the record says otherwise.
    pub test_type: String,
    /// `None` in the oldest records.
    pub variant: Option<String>,
    /// Slug of the harness.
    pub harness: String,
    /// Version of the harness, where known.
    pub harness_version: Option<String>,
    /// Opaque model id, where known.
    pub model: Option<String>,
    /// `one-shot` unless the record says otherwise.
    pub orchestrator: String,
    /// `none` unless the record says otherwise.
    pub engine: String,
    /// Version of the engine, where known.
    pub engine_version: Option<String>,
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
            || self.engine.clone(),
            |version| format!("{} {version}", self.engine),
        )
    }
}

/// Where and with what a run ran. `None` is unknown.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// Commit of the orchestrator.
    pub test_cabinet_commit: Option<String>,
    /// Operating system of the container.
    pub os: Option<String>,
    /// Container image.
    pub container_image: Option<String>,
    /// Node.js version.
    pub node_version: Option<String>,
    /// How the harness was authenticated.
    pub auth_mode: Option<String>,
}

/// A number with the digits of the record.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// As written.
    pub literal: String,
    /// Its value; finite.
    pub value: f64,
}

/// Time, tokens and cost of a run. `None` means not reported, never 0.
#[derive(Debug, Clone)]
pub struct Metrics {
    /// Wall clock, in seconds.
    pub run_time_seconds: Option<Number>,
    /// Input that was not served from a cache, in tokens.
    pub uncached_input: Option<Number>,
    /// Input that was served from a cache, in tokens.
    pub cached_input: Option<Number>,
    /// Output without reasoning, in tokens.
    pub output: Option<Number>,
    /// Reasoning, in tokens.
    pub reasoning: Option<Number>,
    /// USD at list prices: the headline figure.
    pub comparable_cost: Option<Number>,
    /// USD charged.
    pub actual_cost: Option<Number>,
}

impl Metrics {
    /// The four token classes in the format's order.
    pub fn tokens(&self) -> [(&'static str, Option<&Number>); 4] {
        [
            ("uncached input", self.uncached_input.as_ref()),
            ("cached input", self.cached_input.as_ref()),
            ("output", self.output.as_ref()),
            ("reasoning", self.reasoning.as_ref()),
        ]
    }

    /// The token classes, comparable and actual cost, and the run time.
    pub fn all(&self) -> [Option<&Number>; 7] {
        let [uncached, cached, output, reasoning] = self.tokens().map(|(_, number)| number);
        let others = [
            &self.comparable_cost,
            &self.actual_cost,
            &self.run_time_seconds,
        ];
        let [comparable, actual, run_time] = others.map(Option::as_ref);
        [
            uncached, cached, output, reasoning, comparable, actual, run_time,
        ]
    }

    /// The sums that people ask for: input, output, everything (formats.md A.iii).
    pub fn totals(&self) -> [(&'static str, Total); 3] {
        let classes = self.tokens();
        [
            ("all input", Total::of(&classes[..2])),
            ("all output", Total::of(&classes[2..])),
            ("all tokens", Total::of(&classes)),
        ]
    }
}

/// A sum of token classes. A class that is not reported counts as 0, so the sum is then a lower bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Total {
    /// Its digits; `None` when none of its classes is reported.
    pub digits: Option<String>,
    /// The classes that are not reported.
    pub missing: Vec<&'static str>,
}

impl Total {
    fn of(classes: &[(&'static str, Option<&Number>)]) -> Self {
        let reported: Vec<_> = classes.iter().filter_map(|(_, number)| *number).collect();
        // Exact where the record holds plain whole numbers, as it does by its format.
        let exact = reported.iter().try_fold(0_u128, |sum, number| {
            sum.checked_add(number.literal.parse().ok()?)
        });
        let near = || {
            let sum: f64 = reported.iter().map(|number| number.value).sum();
            format!("{sum:.0}")
        };
        Self {
            digits: (!reported.is_empty())
                .then(|| exact.map_or_else(near, |total| total.to_string())),
            missing: classes
                .iter()
                .filter(|(_, number)| number.is_none())
                .map(|(name, _)| *name)
                .collect(),
        }
    }
}

/// Results of the validation.
#[derive(Debug, Clone)]
pub struct Validation {
    /// Whether the implementation loaded; `None` where nothing was validated.
    pub loaded: Option<bool>,
    /// Why not.
    pub detail: Option<String>,
    /// The install step.
    pub install: Recorded,
    /// The build step.
    pub build: Recorded,
    /// Visual checks in the record's order.
    pub checks: Vec<Check>,
}

/// What a record says of a step.
#[derive(Debug, Clone)]
pub enum Recorded {
    /// How it went.
    Step(Step),
    /// It did not run, and nothing loaded.
    Never,
    /// Nothing: old records have no steps, and an implementation that loaded was built in some way.
    Unknown,
}

/// An install or build step.
#[derive(Debug, Clone)]
pub struct Step {
    /// The command line.
    pub command: String,
    /// Whether it succeeded.
    pub succeeded: bool,
    /// What it said.
    pub detail: Option<String>,
}

/// A visual check.
#[derive(Debug, Clone)]
pub struct Check {
    /// Keys the column of a comparison table.
    pub view: String,
    /// For people.
    pub name: String,
    /// Whether the view was reached; not reached is not failed.
    pub reached: bool,
    /// As recorded; of a view that was not reached, records have 0.
    pub similarity: Option<Number>,
    /// Why it was not reached.
    pub detail: Option<String>,
}

impl Check {
    /// The similarity, where there was something to compare: that of a view that was not reached means nothing.
    pub fn compared(&self) -> Option<&Number> {
        self.similarity.as_ref().filter(|_| self.reached)
    }
}

/// How a run ended; the word is kept as written (formats.md, contradiction 4).
#[derive(Debug, Clone)]
pub struct State {
    /// The word of the record.
    pub word: String,
    /// Why.
    pub detail: Option<String>,
}

impl State {
    /// Whether the run did what it was asked: the only state that needs a review.
    pub fn is_completed(&self) -> bool {
        self.word == "completed"
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
    // Only the source of an import may leave them unsaid.
    let says_all = record.started_at.is_some()
        && record.finished_at.is_some()
        && subject.test_case_version.is_some()
        && subject.model_id.is_some()
        && record.metrics.run_time_seconds.is_some()
        && record.validation.loaded.is_some();
    if !says_all && record.import.is_none() {
        return None;
    }
    let address = |url: &record::Text<'_>| HttpUrl::parse(url.as_ref()?);
    Some(Run {
        id: text(&record.id)?,
        started: moment(&record.started_at),
        finished: moment(&record.finished_at),
        published: moment(&record.published_at),
        subject: Subject {
            case: text(&subject.test_case_slug)?,
            version: text(&subject.test_case_version),
            test_type: text(&subject.test_type).unwrap_or_else(|| "end-to-end".to_owned()),
            variant: text(&subject.variant),
            harness: text(&subject.harness_slug)?,
            harness_version: text(&subject.harness_version),
            model: text(&subject.model_id),
            orchestrator: text(&subject.orchestrator_slug).unwrap_or_else(|| "one-shot".to_owned()),
            engine: text(&subject.engine_slug).unwrap_or_else(|| "none".to_owned()),
            engine_version: text(&subject.engine_version),
        },
        environment: Environment {
            test_cabinet_commit: text(&record.tooling.test_cabinet_commit),
            os: text(&record.environment.os),
            container_image: text(&record.environment.container_image),
            node_version: text(&record.environment.node_version),
            auth_mode: text(&record.environment.auth_mode),
        },
        metrics: metrics(&record.metrics),
        validation: validation(&record.validation)?,
        source_repo: address(&record.links.source_repo),
        playable_build: address(&record.links.playable_build),
        state: State {
            word: text(&record.status.state)?,
            detail: text(&record.status.detail),
        },
        outcomes: record.outcomes.iter().filter_map(Outcome::of).collect(),
    })
}

fn moment(value: &record::Text<'_>) -> Option<Moment> {
    Moment::parse(value.as_ref()?)
}

fn text(value: &record::Text<'_>) -> Option<String> {
    value.as_ref().map(ToString::to_string)
}

/// A number of a record.
pub fn number(number: Option<reader::Number<'_>>) -> Option<Number> {
    number.map(|n| Number {
        literal: n.literal.to_owned(),
        value: n.value,
    })
}

fn metrics(metrics: &record::Metrics<'_>) -> Metrics {
    Metrics {
        run_time_seconds: number(metrics.run_time_seconds),
        uncached_input: number(metrics.tokens.uncached_input),
        cached_input: number(metrics.tokens.cached_input),
        output: number(metrics.tokens.output),
        reasoning: number(metrics.tokens.reasoning),
        comparable_cost: number(metrics.cost.comparable),
        actual_cost: number(metrics.cost.actual),
    }
}

fn validation(validation: &record::Validation<'_>) -> Option<Validation> {
    let loaded = validation.loaded;
    let step = |step: &Option<record::Step<'_>>, skipped| match step {
        Some(step) => Recorded::Step(Step {
            command: step.command.as_deref().unwrap_or_default().to_owned(),
            succeeded: step.succeeded.unwrap_or_default(),
            detail: text(&step.detail),
        }),
        None if skipped && loaded == Some(false) => Recorded::Never,
        None => Recorded::Unknown,
    };
    Some(Validation {
        loaded,
        detail: text(&validation.detail),
        install: step(&validation.install, validation.skipped.install),
        build: step(&validation.build, validation.skipped.build),
        checks: validation
            .checks
            .iter()
            .map(check)
            .chain(validation.reference_comparisons.iter().map(comparison))
            .collect::<Option<_>>()?,
    })
}

fn check(check: &record::Check<'_>) -> Option<Check> {
    let view = text(&check.view)?;
    Some(Check {
        name: text(&check.name).unwrap_or_else(|| humanise(&view)),
        reached: check.reached == Some(true),
        similarity: number(check.similarity),
        detail: text(&check.detail),
        view,
    })
}

/// The oldest records list only views that were reached (formats.md, contradiction 12).
fn comparison(comparison: &record::ReferenceComparison<'_>) -> Option<Check> {
    let view = text(&comparison.view)?;
    Some(Check {
        name: humanise(&view),
        reached: true,
        similarity: number(comparison.similarity),
        detail: None,
        view,
    })
}

/// `game-over` becomes `Game Over` (formats.md, contradiction 12).
fn humanise(slug: &str) -> String {
    let word = |word: &str| {
        let mut chars = word.chars();
        chars.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(chars).collect()
        })
    };
    slug.split('-')
        .filter(|part| !part.is_empty())
        .map(word)
        .collect::<Vec<_>>()
        .join(" ")
}
