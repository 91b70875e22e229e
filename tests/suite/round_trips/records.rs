//! Run records of every sub-version: each field is read as it was written.

use std::borrow::Cow;

use proptest::prelude::*;
use runpress::diagnostics::Source;
use runpress::formats::reader::Number;
use runpress::formats::run_record::{
    Check, Environment, Metrics, Proof, RunRecord, Step, Subject, Validation, parse,
};

use crate::generate::{Dice, Json, dice, holds, number, object, text};

type Text = Option<Cow<'static, str>>;

fn some() -> impl Strategy<Value = Text> {
    text().prop_map(|text| Some(Cow::Owned(text)))
}

fn maybe() -> impl Strategy<Value = Text> {
    prop::option::of(text().prop_map(Cow::Owned))
}

fn figure() -> impl Strategy<Value = Number<'static>> {
    number().prop_map(|literal| {
        let literal: &'static str = literal.leak();
        Number {
            literal,
            value: literal.parse().expect("a number"),
        }
    })
}

fn figures() -> impl Strategy<Value = Option<Number<'static>>> {
    prop::option::of(figure())
}

prop_compose! {
    fn subject()(
        (test_case_slug, test_case_version, harness_slug, model_id) in (some(), some(), some(), some()),
        (test_type, variant, harness_version) in (maybe(), maybe(), maybe()),
        (orchestrator_slug, engine_slug, engine_version) in (maybe(), maybe(), maybe()),
    ) -> Subject<'static> {
        Subject {
            test_case_slug, test_case_version, test_type, variant, harness_slug, harness_version, model_id,
            orchestrator_slug, engine_slug, engine_version,
        }
    }
}

prop_compose! {
    fn metrics()(
        run_time_seconds in figure(),
        (uncached_input, cached_input, output, reasoning) in (figures(), figures(), figures(), figures()),
        (comparable_cost, actual_cost) in (figures(), figures()),
    ) -> Metrics<'static> {
        Metrics {
            run_time_seconds: Some(run_time_seconds), uncached_input, cached_input, output, reasoning,
            comparable_cost, actual_cost,
        }
    }
}

fn step() -> impl Strategy<Value = Option<Step<'static>>> {
    let step = (some(), any::<bool>(), maybe());
    prop::option::of(step.prop_map(|(command, succeeded, detail)| Step {
        command,
        succeeded: Some(succeeded),
        detail,
    }))
}

/// A check; one of a view that was not reached may have no figure.
fn check() -> impl Strategy<Value = Check<'static>> {
    (
        some(),
        maybe(),
        any::<bool>(),
        figure(),
        any::<bool>(),
        maybe(),
    )
        .prop_map(|(view, name, reached, figure, figured, detail)| Check {
            pointer: String::new(),
            view,
            name,
            reached: Some(reached),
            similarity: (reached || figured).then_some(figure),
            detail,
        })
}

fn comparison() -> impl Strategy<Value = Check<'static>> {
    (some(), figure()).prop_map(|(view, similarity)| Check {
        view,
        reached: Some(true),
        similarity: Some(similarity),
        ..Check::default()
    })
}

fn proof() -> impl Strategy<Value = Proof<'static>> {
    (
        maybe(),
        maybe(),
        maybe(),
        prop::option::of(any::<bool>()),
        maybe(),
    )
        .prop_map(|(id, name, kind, present, detail)| Proof {
            id,
            name,
            kind,
            present,
            detail,
        })
}

/// A validation, and how many of its checks are comparisons of the oldest records.
fn validation() -> impl Strategy<Value = (Validation<'static>, usize)> {
    let lists = (
        prop::collection::vec(check(), 0..3),
        prop::collection::vec(comparison(), 0..2),
        prop::collection::vec(proof(), 0..2),
    );
    (any::<bool>(), maybe(), step(), step(), lists).prop_map(
        |(loaded, detail, install, build, (checks, comparisons, proofs))| {
            let old = comparisons.len();
            let mut all: Vec<Check<'static>> = Vec::new();
            for (n, check) in checks.into_iter().enumerate() {
                all.push(Check {
                    pointer: format!("/validation/checks/{n}"),
                    ..check
                });
            }
            for (n, check) in comparisons.into_iter().enumerate() {
                all.push(Check {
                    pointer: format!("/validation/referenceComparisons/{n}"),
                    ..check
                });
            }
            let validation = Validation {
                loaded: Some(loaded),
                detail,
                install,
                build,
                checks: all,
                proofs,
            };
            (validation, old)
        },
    )
}

prop_compose! {
    fn record()(
        (id, started_at, finished_at, published_at) in (some(), some(), some(), maybe()),
        subject in subject(),
        (os, container_image, node_version, auth_mode) in (maybe(), maybe(), maybe(), maybe()),
        metrics in metrics(),
        (validation, old) in validation(),
        (test_cabinet_commit, source_repo, playable_build) in (maybe(), maybe(), maybe()),
        (state, state_detail) in (some(), maybe()),
    ) -> (RunRecord<'static>, usize) {
        let environment = Environment { os, container_image, node_version, auth_mode };
        let record = RunRecord {
            id, started_at, finished_at, published_at, subject, test_cabinet_commit, environment, metrics, validation,
            source_repo, playable_build, state, state_detail,
        };
        (record, old)
    }
}

fn word(text: &Text) -> Option<Json> {
    text.as_deref().map(Json::from)
}

fn figure_json(number: Option<Number<'_>>) -> Option<Json> {
    number.map(|number| Json::Written(number.literal.to_owned()))
}

/// An object that may be absent when nothing stands in it.
fn group<const N: usize>(dice: &mut Dice, members: [(&str, Option<Json>); N]) -> Option<Json> {
    let empty = members.iter().all(|(_, value)| value.is_none());
    (!empty || dice.once_in(2)).then(|| object(dice, members))
}

fn list(dice: &mut Dice, items: Vec<Json>) -> Option<Json> {
    (!items.is_empty() || dice.once_in(2)).then_some(Json::Array(items))
}

fn step_json(dice: &mut Dice, step: Option<&Step<'_>>) -> Option<Json> {
    let step = step?;
    Some(object(
        dice,
        [
            ("command", step.command.as_deref().map(Json::from)),
            ("succeeded", step.succeeded.map(Json::from)),
            ("detail", step.detail.as_deref().map(Json::from)),
        ],
    ))
}

fn validation_json(dice: &mut Dice, validation: &Validation<'static>, old: usize) -> Json {
    let (new, comparisons) = validation.checks.split_at(validation.checks.len() - old);
    let checks = new.iter().map(|check| {
        object(
            dice,
            [
                ("view", word(&check.view)),
                ("name", word(&check.name)),
                ("reached", check.reached.map(Json::from)),
                ("similarity", figure_json(check.similarity)),
                ("detail", word(&check.detail)),
            ],
        )
    });
    let checks: Vec<Json> = checks.collect();
    let comparisons = comparisons.iter().map(|check| {
        object(
            dice,
            [
                ("view", word(&check.view)),
                ("similarity", figure_json(check.similarity)),
            ],
        )
    });
    let comparisons: Vec<Json> = comparisons.collect();
    let proofs = validation.proofs.iter().map(|proof| {
        object(
            dice,
            [
                ("id", word(&proof.id)),
                ("name", word(&proof.name)),
                ("kind", word(&proof.kind)),
                ("present", proof.present.map(Json::from)),
                ("detail", word(&proof.detail)),
            ],
        )
    });
    let proofs: Vec<Json> = proofs.collect();
    let members = [
        ("loaded", validation.loaded.map(Json::from)),
        ("detail", word(&validation.detail)),
        ("install", step_json(dice, validation.install.as_ref())),
        ("build", step_json(dice, validation.build.as_ref())),
        ("checks", list(dice, checks)),
        ("referenceComparisons", list(dice, comparisons)),
        ("proofs", list(dice, proofs)),
    ];
    object(dice, members)
}

fn record_json(dice: &mut Dice, record: &RunRecord<'static>, old: usize) -> Json {
    let (subject, environment, metrics) = (&record.subject, &record.environment, &record.metrics);
    let subject = object(
        dice,
        [
            ("testCaseSlug", word(&subject.test_case_slug)),
            ("testCaseVersion", word(&subject.test_case_version)),
            ("testType", word(&subject.test_type)),
            ("variant", word(&subject.variant)),
            ("harnessSlug", word(&subject.harness_slug)),
            ("harnessVersion", word(&subject.harness_version)),
            ("modelId", word(&subject.model_id)),
            ("orchestratorSlug", word(&subject.orchestrator_slug)),
            ("engineSlug", word(&subject.engine_slug)),
            ("engineVersion", word(&subject.engine_version)),
        ],
    );
    let environment = group(
        dice,
        [
            ("os", word(&environment.os)),
            ("containerImage", word(&environment.container_image)),
            ("nodeVersion", word(&environment.node_version)),
            ("authMode", word(&environment.auth_mode)),
        ],
    );
    let tokens = object(
        dice,
        [
            ("uncachedInput", figure_json(metrics.uncached_input)),
            ("cachedInput", figure_json(metrics.cached_input)),
            ("output", figure_json(metrics.output)),
            ("reasoning", figure_json(metrics.reasoning)),
        ],
    );
    let cost = object(
        dice,
        [
            ("comparable", figure_json(metrics.comparable_cost)),
            ("actual", figure_json(metrics.actual_cost)),
        ],
    );
    let metrics = object(
        dice,
        [
            ("runTimeSeconds", figure_json(metrics.run_time_seconds)),
            ("tokens", Some(tokens)),
            ("cost", Some(cost)),
        ],
    );
    let validation = validation_json(dice, &record.validation, old);
    let tooling = group(
        dice,
        [("testCabinetCommit", word(&record.test_cabinet_commit))],
    );
    let links = group(
        dice,
        [
            ("sourceRepo", word(&record.source_repo)),
            ("playableBuild", word(&record.playable_build)),
        ],
    );
    let status = object(
        dice,
        [
            ("state", word(&record.state)),
            ("detail", word(&record.state_detail)),
        ],
    );
    object(
        dice,
        [
            ("id", word(&record.id)),
            ("startedAt", word(&record.started_at)),
            ("finishedAt", word(&record.finished_at)),
            ("publishedAt", word(&record.published_at)),
            ("subject", Some(subject)),
            ("tooling", tooling),
            ("environment", environment),
            ("metrics", Some(metrics)),
            ("validation", Some(validation)),
            ("links", links),
            ("status", Some(status)),
        ],
    )
}

#[test]
fn a_record_is_read_back_in_every_field_however_it_is_written() {
    holds(400, &(record(), dice()), |((record, old), mut dice)| {
        let document = record_json(&mut dice, &record, old);
        let text = document.write(&mut dice, false);
        let mark = if dice.once_in(4) { "\u{feff}" } else { "" };
        let text = format!("{mark}{text}");
        let (read, problems) = parse(Source::file("r", text.as_bytes()));
        let read = read.unwrap_or_else(|| panic!("{problems:?} in {text}"));
        assert!(
            read.diagnostics.is_empty(),
            "{:?} in {text}",
            read.diagnostics
        );
        assert_eq!(
            format!("{:#?}", read.record),
            format!("{record:#?}"),
            "{text}"
        );
    });
}
