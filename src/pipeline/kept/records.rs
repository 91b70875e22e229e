//! The records of the last build, so that those whose files look the same are not read again.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::{Problem, diagnostics};
use crate::beneath::{Found, Kind, Stamp};
use crate::diagnostics::Diagnostic;
use crate::formats::run_record::UnknownKey;
use crate::model::outcome::Outcome;
use crate::model::run::{Check, MetricSet, Metrics, Number, Run, State, Subject, Validation};
use crate::model::time::{Milliseconds, Moment};
use crate::url::HttpUrl;

/// Records by the paths of their run directories in diagnostics.
#[derive(Debug, Default)]
pub struct KnownRecords {
    pub(in crate::pipeline) records: BTreeMap<String, RecordShape>,
    /// When their files were looked at, as of [`Stamp::is_racy`].
    pub(in crate::pipeline) at: i64,
}

/// A record that can be one of the archive, or is never published, and everything that was noticed in it.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::pipeline) struct RecordShape {
    stamp: Stamp,
    /// BLAKE3 of the file.
    pub(in crate::pipeline) digest: [u8; 32],
    pub(in crate::pipeline) id: Text,
    /// `None`: it is never published.
    run: Option<RunData>,
    problems: Vec<Problem>,
    /// Path, offset, pointer and the key that was probably meant.
    unknown_keys: Vec<(String, usize, String, Option<String>)>,
}

/// What a [`RecordShape`] is made of.
pub(in crate::pipeline) struct RecordParts<'a> {
    pub(in crate::pipeline) stamp: Stamp,
    pub(in crate::pipeline) digest: [u8; 32],
    pub(in crate::pipeline) id: Text,
    /// `None` when it is never published.
    pub(in crate::pipeline) run: Option<&'a Run>,
    pub(in crate::pipeline) problems: &'a [Diagnostic],
    pub(in crate::pipeline) unknown_keys: &'a [UnknownKey],
}

/// What a record came to.
pub(in crate::pipeline) struct KnownRecord {
    pub(in crate::pipeline) run: Option<Run>,
    pub(in crate::pipeline) problems: Vec<Diagnostic>,
    pub(in crate::pipeline) unknown_keys: Vec<UnknownKey>,
}

impl RecordShape {
    pub(in crate::pipeline) fn of(record: &RecordParts<'_>) -> Self {
        let keys = record.unknown_keys.iter().cloned();
        Self {
            stamp: record.stamp,
            digest: record.digest,
            id: record.id.clone(),
            run: record.run.map(data),
            problems: record.problems.iter().map(Problem::from).collect(),
            unknown_keys: keys
                .map(|key| (key.path, key.offset, key.pointer, key.near))
                .collect(),
        }
    }

    /// Whether it is the record in this file, which was looked at after `at`.
    pub(in crate::pipeline) fn is_of(&self, found: &Found, at: i64) -> bool {
        matches!(found.kind, Kind::File { .. })
            && found.stamp == self.stamp
            && !found.stamp.is_racy(at)
    }

    /// `None` when this was not made of a record.
    pub(in crate::pipeline) fn record(self) -> Option<KnownRecord> {
        let keys = self.unknown_keys.into_iter();
        let run = match self.run {
            Some(data) => Some(run(data)?),
            None => None,
        };
        Some(KnownRecord {
            run,
            problems: diagnostics(&self.problems)?,
            unknown_keys: keys
                .map(|(path, offset, pointer, near)| UnknownKey {
                    path,
                    offset,
                    pointer,
                    near,
                })
                .collect(),
        })
    }
}

/// A list that is made while it is written, so that it is never held.
pub(in crate::pipeline) struct Streamed<'a, T, F>(
    pub(in crate::pipeline) &'a [T],
    pub(in crate::pipeline) F,
);

impl<T, U: Serialize, F: Fn(&T) -> U> Serialize for Streamed<'_, T, F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(&self.1))
    }
}

type Word = Arc<str>;
type Text = Option<Word>;
/// A [`Number`].
type NumberData = (String, f64);
/// A [`Moment`].
type MomentData = (String, i64);

#[derive(Debug, Serialize, Deserialize)]
struct RunData {
    id: Word,
    /// When it began, when it ended and when it was published.
    times: [Option<MomentData>; 3],
    subject: ([Word; 5], [Text; 5]),
    metrics: [Option<NumberData>; 7],
    validation: (Option<bool>, Text),
    checks: Vec<(Word, Word, bool, Option<NumberData>, Text)>,
    /// [`MetricSet`] as a number.
    lower_bounds: u8,
    links: [Option<String>; 2],
    state: (Word, Text),
    outcomes: Vec<(Word, [Text; 4], Option<bool>)>,
}

fn data(run: &Run) -> RunData {
    let Run {
        id,
        started,
        finished,
        published,
        subject: s,
        metrics: m,
        validation: v,
        source_repo,
        playable_build,
        state,
        outcomes,
    } = run.clone();
    let s = Arc::unwrap_or_clone(s);
    let moment = |it: Moment| (it.text().into_owned(), it.ms());
    let number = |it: Number| (it.text().into_owned(), it.value());
    let check = |it: Check| {
        let similarity = it.similarity.map(number);
        (it.view, it.name, it.reached, similarity, it.detail)
    };
    let outcome = |it: Outcome| (it.name, [it.value, it.scorer, it.kind, it.reason], it.valid);
    RunData {
        id,
        times: [started, finished, published].map(|it| it.map(moment)),
        subject: (
            [s.case, s.test_type, s.harness, s.orchestrator, s.engine],
            [
                s.version,
                s.variant,
                s.harness_version,
                s.model,
                s.engine_version,
            ],
        ),
        metrics: m.numbers.map(|it| it.map(number)),
        lower_bounds: m.lower_bounds.bits(),
        validation: (v.loaded, v.detail),
        checks: v.checks.into_iter().map(check).collect(),
        links: [source_repo, playable_build].map(|url| url.map(|url| url.as_str().to_owned())),
        state: (state.word, state.detail),
        outcomes: outcomes.into_iter().map(outcome).collect(),
    }
}

/// `None` when an address is none.
fn run(data: RunData) -> Option<Run> {
    let moment = |(text, ms): MomentData| Moment::new(&text, Milliseconds(ms));
    let number = |(literal, value): NumberData| Number::new(&literal, value);
    let check =
        |(view, name, reached, similarity, detail): (_, _, _, Option<NumberData>, _)| Check {
            view,
            name,
            reached,
            similarity: similarity.map(number),
            detail,
        };
    let outcome = |(name, [value, scorer, kind, reason], valid): (_, [Text; 4], _)| Outcome {
        name,
        value,
        scorer,
        kind,
        valid,
        reason,
    };
    let [source_repo, playable_build] = data.links.map(|url| match url {
        Some(url) => HttpUrl::parse(&url).map(Some),
        None => Some(None),
    });
    let ([case, test_type, harness, orchestrator, engine], known) = data.subject;
    let [version, variant, harness_version, model, engine_version] = known;
    let [started, finished, published] = data.times.map(|it| it.map(moment));
    let (loaded, detail) = data.validation;
    let (word, why) = data.state;
    Some(Run {
        id: data.id,
        started,
        finished,
        published,
        subject: Arc::new(Subject {
            case,
            version,
            test_type,
            variant,
            harness,
            harness_version,
            model,
            orchestrator,
            engine,
            engine_version,
        }),
        metrics: Metrics {
            numbers: data.metrics.map(|it| it.map(number)),
            lower_bounds: MetricSet::from_bits(data.lower_bounds),
        },
        validation: Validation {
            loaded,
            detail,
            checks: data.checks.into_iter().map(check).collect(),
        },
        source_repo: source_repo?,
        playable_build: playable_build?,
        state: State { word, detail: why },
        outcomes: data.outcomes.into_iter().map(outcome).collect(),
    })
}
