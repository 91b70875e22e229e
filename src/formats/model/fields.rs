//! The fields of a run: one table, from which the feeds, the exports, the comparison and the page of a run are made.

use std::borrow::Cow;
use std::sync::Arc;

use crate::audit::AuditVerdict;
use crate::decisions::{self, Decision};
use crate::run_record::RunRecord;

use super::annotation::AnnotationCounts;
use super::details::{self, StepResult};
use super::findings::{Findings, ThreadCounts};
use super::outcome::Outcome;
use super::review::Rating;
use super::run::{Metric, Number, Run, VisualCheck};
use super::time::Moment;
use base::url::HttpUrl;

use Nullability::{Absent, Always};

/// Where the values of a run come from.
#[derive(Debug, Clone, Copy)]
pub struct RunSource<'a> {
    pub run: &'a Run,
    pub slug: &'a str,
    /// Address of its page, in feeds.
    pub url: &'a str,
    pub rating: Option<Rating>,
    /// Whether its events follow from its raw log; `None` if that was not checked.
    pub audit: Option<AuditVerdict>,
    /// Lists have the findings of a run.
    pub findings: Option<&'a Findings>,
    /// What the publishers of the site decided about it, in order.
    pub decisions: &'a [Arc<Decision>],
    /// Its own page has the details of its record.
    pub details: Option<&'a RunRecord<'a>>,
}

/// A value of a run.
#[derive(Debug, Clone)]
pub enum FieldValue<'a> {
    Unknown,
    Text(Cow<'a, str>),
    Number(&'a Number),
    Count(i64),
    Flag(bool),
    Time(&'a Moment),
    Words(Vec<&'static str>),
    Counts(&'a AnnotationCounts),
    Checks(&'a [VisualCheck]),
    Outcomes(&'a [Outcome]),
}

/// What a value is, which decides its schema and the type of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Name,
    Text,
    Time,
    Address,
    PageAddress,
    Rating,
    Flag,
    Seconds,
    Tokens,
    Dollars,
    Count,
    LowerBounds,
    Counts,
    Checks,
    Outcomes,
    /// An object with the fields below its path: name and description of its schema.
    Object(&'static str, &'static str),
}

/// What a feed has for an unknown value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nullability {
    /// The value is never unknown.
    Always,
    Null,
    /// The key is left out.
    Absent,
}

/// A field of a run.
#[derive(Debug)]
pub struct RunField {
    /// Its keys in `runs.json`, with dots between them. The last one names its column, unless `column` does.
    pub path: &'static str,
    column: Option<&'static str>,
    /// Its description in the schema.
    pub description: &'static str,
    pub kind: FieldKind,
    pub need: Nullability,
    pub get: for<'a> fn(&RunSource<'a>) -> FieldValue<'a>,
    /// The feeds that have it.
    feeds: u8,
    /// Its place and name among the facts on the page of a run.
    pub fact: Option<FieldLabel>,
    /// Whether it is a digest, a command or the like.
    pub is_code: bool,
    /// Its place and name in a comparison; the tens of the place are the part of the comparison.
    pub compared: Option<FieldLabel>,
    /// Whether it belongs to the task: runs that differ in it are not comparable.
    pub is_task: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct FieldLabel {
    pub place: u8,
    pub name: &'static str,
}

#[allow(clippy::unnecessary_wraps, reason = "a label is optional")]
const fn label(place: u8, name: &'static str) -> Option<FieldLabel> {
    Some(FieldLabel { place, name })
}

/// `runs.json` and `runs.jsonl`.
pub const JSON: u8 = 1;
/// `runs.csv`.
pub const CSV: u8 = 2;
/// The table of runs in Parquet.
pub const PARQUET: u8 = 4;
const NO_FEED: u8 = 0;

/// Declares the fields: description, path, kind, value, and what differs from the default: a field is in all feeds, null if it is
/// unknown, and on no page.
macro_rules! fields {
    (|$r:ident| $($(#[doc = $doc:literal])* $path:literal: $kind:expr $(=> $get:expr)? $(, $set:ident: $to:expr)*;)+) => {
        /// All fields, in the order of `runs.json`.
        pub static FIELDS: &[RunField] = &[$(RunField {
            path: $path,
            description: concat!($($doc),*),
            kind: $kind,
            $(get: |$r| FieldValue::from($get),)?
            $($set: $to,)*
            ..DEFAULT
        }),+];
    };
}

const DEFAULT: RunField = RunField {
    path: "",
    column: None,
    description: "",
    kind: FieldKind::Text,
    need: Nullability::Null,
    get: |_| FieldValue::Unknown,
    feeds: JSON | CSV | PARQUET,
    fact: None,
    is_code: false,
    compared: None,
    is_task: false,
};

fields! { |r|
    /// The id of the record.
    "id": FieldKind::Name => &*r.run.id, need: Always, fact: label(1, "Run id"), is_code: true;
    /// Slug of the run, used in its address.
    "slug": FieldKind::Text => r.slug, need: Always;
    /// The run's page: absolute when the site has a `base_url`, else relative to its root.
    "url": FieldKind::PageAddress => r.url, need: Always, feeds: JSON | CSV;
    /// What was asked, in a line: of an imported run the first message of its user, else the title of its case, else its slug.
    "task": FieldKind::Text => r.findings.map(|it| it.task.as_str()), need: Always;
    /// What is known of how the run ended and what it took, in a line for people; may be empty.
    "verdict": FieldKind::Text => r.findings.map(|it| it.verdict.as_str()), need: Always;
    /// When the run started, as recorded; null is unknown.
    "startedAt": FieldKind::Time => r.run.started.as_ref(), fact: label(7, "Started"), compared: label(18, "Started");
    /// When it ended, as recorded; null is unknown.
    "finishedAt": FieldKind::Time => r.run.finished.as_ref(), fact: label(8, "Finished"), compared: label(19, "Finished");
    /// Publication time, if recorded.
    "publishedAt": FieldKind::Time => r.run.published.as_ref(), need: Absent, feeds: JSON | CSV;
    "startedMs": FieldKind::Count => r.run.started.as_ref().map(|at| FieldValue::Count(at.ms())), feeds: PARQUET;
    "finishedMs": FieldKind::Count => r.run.finished.as_ref().map(|at| FieldValue::Count(at.ms())), feeds: PARQUET;

    /// Whether the log of an imported run names no task, so that its case is a name given on import; absent if not. Such runs are
    /// not compared, unless the site has a text about the case.
    "caseIsGiven": FieldKind::Flag => r.run.case_is_given.then_some(true), need: Absent;

    /// Test case, harness and model.
    "subject": FieldKind::Object("Subject", "Test case, harness and model, with Test Cabinet's defaults for missing values."), need: Always, feeds: JSON;
    /// Slug of the test case.
    "subject.testCaseSlug": FieldKind::Name => &*r.run.subject.case, need: Always, fact: label(2, "Case"), compared: label(1, "Case"), is_task: true;
    /// Its exact version; null is unknown.
    "subject.testCaseVersion": FieldKind::Text => r.run.subject.version.as_deref(), fact: label(3, "Case version"), compared: label(2, "Version"), is_task: true;
    /// Kind of the test case; `end-to-end` if the record has none.
    "subject.testType": FieldKind::Text => &*r.run.subject.test_type, need: Always, fact: label(9, "Test type"), compared: label(4, "Kind of test");
    /// Variant of the test case; the oldest records have none.
    "subject.variant": FieldKind::Text => r.run.subject.variant.as_deref(), fact: label(4, "Variant"), compared: label(3, "Variant"), is_task: true;
    /// Slug of the harness.
    "subject.harnessSlug": FieldKind::Name => &*r.run.subject.harness, need: Always, fact: label(6, "Harness"), compared: label(6, "Harness");
    /// Its version.
    "subject.harnessVersion": FieldKind::Text => r.run.subject.harness_version.as_deref(), fact: label(13, "Harness version"), compared: label(7, "Version of the harness");
    /// The model, an opaque id; null is unknown.
    "subject.modelId": FieldKind::Name => r.run.subject.model.as_deref(), fact: label(5, "Model"), compared: label(5, "Model");
    /// The orchestrator; `one-shot` if the record has none.
    "subject.orchestratorSlug": FieldKind::Text => &*r.run.subject.orchestrator, need: Always, fact: label(10, "Orchestrator"), compared: label(8, "Orchestrator"), is_task: true;
    /// The engine that the case was built for; `none` if the record has none.
    "subject.engineSlug": FieldKind::Text => &*r.run.subject.engine, need: Always, fact: label(11, "Engine");
    "subject.engineVersion": FieldKind::Text => r.run.subject.engine_version.as_deref(), feeds: NO_FEED, fact: label(12, "Engine version");
    "subject.engine": FieldKind::Text => r.run.subject.engine_label(), feeds: NO_FEED, compared: label(9, "Engine"), is_task: true;

    /// Time, tokens and cost.
    "metrics": FieldKind::Object("Metrics", "Time, tokens and cost of a run."), need: Always, feeds: JSON;
    /// Wall clock, in seconds; it depends on the provider as much as on the model. Null is unknown.
    "metrics.runTimeSeconds": FieldKind::Seconds => r.run.metrics.get(Metric::RunTime);
    /// Tokens, in four classes that do not overlap. Null is "not reported".
    "metrics.tokens": FieldKind::Object("Tokens", ""), need: Always, feeds: JSON;
    /// Input that was not served from a cache.
    "metrics.tokens.uncachedInput": FieldKind::Tokens => r.run.metrics.get(Metric::UncachedInput);
    /// Input that was served from a cache.
    "metrics.tokens.cachedInput": FieldKind::Tokens => r.run.metrics.get(Metric::CachedInput);
    /// Output without reasoning.
    "metrics.tokens.output": FieldKind::Tokens => r.run.metrics.get(Metric::Output);
    /// Reasoning.
    "metrics.tokens.reasoning": FieldKind::Tokens => r.run.metrics.get(Metric::Reasoning);
    /// Cost in USD. Null is "unknown", 0 is free.
    "metrics.cost": FieldKind::Object("Cost", ""), need: Always, feeds: JSON;
    /// At list prices, in USD; use this one for comparisons.
    "metrics.cost.comparable": FieldKind::Dollars => r.run.metrics.get(Metric::ComparableCost), column: Some("comparableCost");
    /// Charged, in USD.
    "metrics.cost.actual": FieldKind::Dollars => r.run.metrics.get(Metric::ActualCost), column: Some("actualCost");
    /// The values that are lower bounds, because the log of an imported run lacks a part: paths in this object, such as
    /// `tokens.output`. Absent if all are complete.
    "metrics.lowerBounds": FieldKind::LowerBounds => lower_bounds(r.run), need: Absent;

    /// Whether the implementation loaded; null is "not validated".
    "validationLoaded": FieldKind::Flag => r.run.validation.loaded, compared: label(14, "Loaded");
    "validation.detail": FieldKind::Text => r.run.validation.detail.as_deref(), feeds: NO_FEED, compared: label(15, "Not loaded because");
    "validation.install": FieldKind::Text => r.details.and_then(|details| step(details::steps(details)[0])), feeds: NO_FEED, compared: label(16, "Install");
    "validation.build": FieldKind::Text => r.details.and_then(|details| step(details::steps(details)[1])), feeds: NO_FEED, compared: label(17, "Build");
    /// The visual checks, in the record's order.
    "checks": FieldKind::Checks => FieldValue::Checks(&r.run.validation.checks), need: Always, feeds: JSON;
    /// What scorers said of the run, in the record's order; absent if the record has no outcomes.
    "outcomes": FieldKind::Outcomes => (!r.run.outcomes.is_empty()).then_some(FieldValue::Outcomes(&r.run.outcomes)), need: Absent;
    /// How the run ended, as recorded: `completed`, `timed_out`, `failed` and others.
    "state": FieldKind::Text => &*r.run.state.word, need: Always, compared: label(10, "State");
    "status.detail": FieldKind::Text => r.run.state.detail.as_deref(), feeds: NO_FEED, compared: label(11, "Detail");
    /// The rating of its review, or the grade of the whole game for a game jam without one; null is unrated.
    "rating": FieldKind::Rating => r.rating.map(Rating::word), compared: label(12, "Rating");
    /// Whether its events follow from its raw log: `matches`, `matches-older`, `differs`, `incomplete` or `not-auditable`; null is not checked.
    "audit": FieldKind::Text => r.audit.map(AuditVerdict::word), compared: label(13, "Audit");
    /// Why the run does not count, as the publishers of the site decided: `void` or `disqualify`; absent if it counts.
    "excluded": FieldKind::Text => decisions::exclusion(r.decisions).map(|it| it.decision.word()), need: Absent;

    /// Where its parts are.
    "links": FieldKind::Object("Links", "Where the parts of a run are."), need: Always, feeds: JSON;
    /// The generated source.
    "links.sourceRepo": FieldKind::Address => r.run.source_repo.as_ref().map(HttpUrl::as_str), feeds: JSON | CSV;
    /// The build, ready to be played.
    "links.playableBuild": FieldKind::Address => r.run.playable_build.as_ref().map(HttpUrl::as_str), feeds: JSON | CSV;

    /// Events of all its tapes.
    "events": FieldKind::Count => r.findings.map(|it| it.events.unwrap_or_default()), need: Always;
    /// Counts of annotations in its sidecars.
    "annotations": FieldKind::Object("Annotations", "How many annotations there are."), need: Always, feeds: JSON;
    /// Total number.
    "annotations.count": FieldKind::Count => r.findings.map(|it| it.annotations.total()), need: Always, column: Some("annotations");
    /// By kind; unrecognized kinds count as `unknown`.
    "annotations.kinds": FieldKind::Counts => r.findings.map(|it| FieldValue::Counts(&it.annotations)), need: Always, feeds: JSON;
    /// Counts of its review threads; null for a run without a file of threads.
    "threads": FieldKind::Object("ThreadSummary", "Counts of review threads and entries of a run, after all actions: the protocol's `AnnotationsSummary`, and how many are open."), need: Nullability::Null, feeds: JSON;
    /// URI of the channel, if recorded.
    "threads.resource": FieldKind::Text => threads(r).and_then(|it| it.channel.as_deref()), feeds: JSON;
    /// Threads.
    "threads.annotationCount": FieldKind::Count => threads(r).map(|it| it.threads), need: Always, column: Some("threads");
    /// Entries of all threads.
    "threads.entryCount": FieldKind::Count => threads(r).map(|it| it.entries), need: Always, column: Some("threadEntries");
    /// Threads that are open.
    "threads.openCount": FieldKind::Count => threads(r).map(|it| it.open), need: Always, column: Some("threadsOpen");
    /// Threads that are resolved.
    "threads.resolvedCount": FieldKind::Count => threads(r).map(ThreadCounts::resolved), need: Always, column: Some("threadsResolved");

    "environment.os": FieldKind::Text => r.details.and_then(|it| it.environment.os.as_deref()), feeds: NO_FEED, fact: label(16, "Operating system"), compared: label(21, "Operating system");
    "environment.containerImage": FieldKind::Text => r.details.and_then(|it| it.environment.container_image.as_deref()), feeds: NO_FEED, fact: label(17, "Container image"), is_code: true, compared: label(22, "Container image");
    "environment.nodeVersion": FieldKind::Text => r.details.and_then(|it| it.environment.node_version.as_deref()), feeds: NO_FEED, fact: label(18, "Node.js"), is_code: true, compared: label(23, "Node.js");
    "environment.authMode": FieldKind::Text => r.details.and_then(|it| it.environment.auth_mode.as_deref()), feeds: NO_FEED, fact: label(14, "Authentication"), compared: label(24, "Authentication");
    "tooling.testCabinetCommit": FieldKind::Text => r.details.and_then(|it| it.tooling.test_cabinet_commit.as_deref()), feeds: NO_FEED, fact: label(15, "Test Cabinet commit"), is_code: true, compared: label(25, "Test Cabinet commit");
    "seedCommit": FieldKind::Text => r.details.and_then(|it| it.seed_commit.as_deref()), feeds: NO_FEED, fact: label(19, "Seed commit"), is_code: true;
}

/// The fields of a feed: those below the `first` paths, all others in the order of the table, and those below the `last` paths.
pub fn fields_of(feed: u8, first: &str, last: &str) -> Vec<&'static RunField> {
    let mut fields: Vec<_> = FIELDS.iter().collect();
    fields.retain(|field| field.feeds & feed != 0);
    fields.sort_by_key(|field| {
        let place = |paths: &str| {
            let mut paths = paths.split(' ').filter(|path| !path.is_empty());
            paths.position(|path| field.path.starts_with(path))
        };
        (place(last), place(first).unwrap_or(first.len()))
    });
    fields
}

/// The fields that have a label, in the order of their places.
pub fn labeled(label: fn(&RunField) -> Option<FieldLabel>) -> Vec<(&'static RunField, FieldLabel)> {
    let fields = FIELDS.iter();
    let mut fields: Vec<_> = fields.filter_map(|it| Some((it, label(it)?))).collect();
    fields.sort_by_key(|(_, label)| label.place);
    fields
}

impl RunField {
    /// The name of its column.
    pub fn column_name(&self) -> &'static str {
        let key = || self.path.rsplit('.').next().unwrap_or(self.path);
        self.column.unwrap_or_else(key)
    }

    /// Whether its column may have no value.
    pub fn is_optional(&self) -> bool {
        let may_be_null = |it: &RunField| it.need == Nullability::Null && it.is_object_of(self);
        self.need != Always || FIELDS.iter().any(may_be_null)
    }

    fn is_object_of(&self, field: &Self) -> bool {
        let path = field.path.strip_prefix(self.path);
        path.is_some_and(|path| path.starts_with('.'))
    }
}

fn threads<'a>(r: &RunSource<'a>) -> Option<&'a ThreadCounts> {
    r.findings?.threads.as_ref()
}

fn lower_bounds(run: &Run) -> Option<FieldValue<'_>> {
    let paths = run.metrics.lower_bounds.paths();
    (!paths.is_empty()).then_some(FieldValue::Words(paths))
}

fn step(recorded: StepResult<'_>) -> Option<String> {
    match recorded {
        StepResult::Step(step) => {
            let outcome = if recorded.has_failed() {
                "failed"
            } else {
                "succeeded"
            };
            let command = step.command.as_deref().unwrap_or_default();
            Some(format!("{outcome}: {command}"))
        }
        StepResult::NotRun => Some("did not run".to_owned()),
        StepResult::Unknown => None,
    }
}

impl<'a, T: Into<FieldValue<'a>>> From<Option<T>> for FieldValue<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Unknown, T::into)
    }
}

impl<'a> From<&'a str> for FieldValue<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for FieldValue<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl<'a> From<&'a Number> for FieldValue<'a> {
    fn from(number: &'a Number) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for FieldValue<'_> {
    fn from(count: usize) -> Self {
        Self::Count(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<bool> for FieldValue<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl<'a> From<&'a Moment> for FieldValue<'a> {
    fn from(time: &'a Moment) -> Self {
        Self::Time(time)
    }
}
