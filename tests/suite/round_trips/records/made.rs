//! Generated records with any values that their types allow.

use std::borrow::Cow;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use runpress::api::formats::json::Node;
use runpress::api::formats::reader::Number;
use runpress::api::formats::run_record::{
    Adversarial, Assertion, Check, Cost, DebugScript, Environment, Links, Media, Metrics, Outcome,
    Performance, PerformanceCase, PriorEntry, Proof, ReferenceComparison, RunRecord, ScriptOutput,
    Showcase, Skipped, Status, Step, Subject, Text, Tokens, Toolchain, Tooling, Validation,
    Verdict,
};

use super::written;
use crate::generate::{Dice, Json, dice, json, number, text, word};

fn some() -> BoxedStrategy<Text<'static>> {
    text().prop_map(|text| Some(Cow::Owned(text))).boxed()
}

fn maybe() -> BoxedStrategy<Text<'static>> {
    of(text().prop_map(Cow::Owned)).boxed()
}

fn flag() -> BoxedStrategy<Option<bool>> {
    of(any::<bool>()).boxed()
}

fn number_of(literal: String) -> Number<'static> {
    let literal: &'static str = literal.leak();
    Number {
        literal,
        value: literal.parse().expect("a number"),
    }
}

fn figure() -> BoxedStrategy<Number<'static>> {
    number().prop_map(number_of).boxed()
}

fn figures() -> BoxedStrategy<Option<Number<'static>>> {
    of(figure()).boxed()
}

/// A value that is passed on verbatim.
fn node(json: &Json, dice: &mut Dice) -> Node<'static> {
    let raw: &'static str = json.write(dice, true).trim().to_owned().leak();
    Node { raw, offset: 0 }
}

fn value() -> BoxedStrategy<Option<Node<'static>>> {
    let value = json().prop_filter("null", |value| *value != Json::Null);
    of((value, dice()).prop_map(|(json, mut dice)| node(&json, &mut dice))).boxed()
}

fn block() -> BoxedStrategy<Option<Node<'static>>> {
    let members = prop::collection::btree_map(word(), json(), 0..3);
    of((members, dice()).prop_map(|(members, mut dice)| {
        node(&Json::Object(members.into_iter().collect()), &mut dice)
    }))
    .boxed()
}

prop_compose! {
    fn subject()(
        (test_case_slug, test_case_version, harness_slug, model_id) in (some(), some(), some(), some()),
        (test_type, variant, harness_version) in (maybe(), maybe(), maybe()),
        (orchestrator_slug, engine_slug, engine_version) in (maybe(), maybe(), maybe()),
        (gg_capability_set, gg_summary) in (block(), block()),
    ) -> Subject<'static> {
        Subject {
            test_case_slug, test_case_version, test_type, variant, harness_slug, harness_version, model_id,
            orchestrator_slug, engine_slug, engine_version, gg_capability_set, gg_summary,
        }
    }
}

prop_compose! {
    fn metrics()(
        run_time_seconds in figure(),
        stages in prop::sample::subsequence(vec!["setupSeconds", "sessionSeconds", "teardownSeconds", "validationSeconds"], 0..4),
        seconds in vec(figures(), 4),
        (uncached_input, cached_input, output, reasoning) in (figures(), figures(), figures(), figures()),
        (comparable, actual) in (figures(), figures()),
    ) -> Metrics<'static> {
        Metrics {
            run_time_seconds: Some(run_time_seconds),
            stages: stages.into_iter().map(Cow::Borrowed).zip(seconds).collect(),
            tokens: Tokens { uncached_input, cached_input, output, reasoning },
            cost: Cost { comparable, actual },
        }
    }
}

fn step() -> BoxedStrategy<Option<Step<'static>>> {
    let more = vec((json(), dice()), 0..3).prop_map(|values| {
        let named = values.into_iter().enumerate();
        named
            .map(|(n, (json, mut dice))| {
                (Cow::Owned(format!("later{n}/~")), node(&json, &mut dice))
            })
            .collect()
    });
    of(
        (some(), any::<bool>(), maybe(), more).prop_map(|(command, succeeded, detail, more)| {
            Step {
                command,
                succeeded: Some(succeeded),
                detail,
                more,
            }
        }),
    )
    .boxed()
}

/// A check; for a view that was not reached, values may be missing.
fn check() -> BoxedStrategy<Check<'static>> {
    (
        some(),
        maybe(),
        any::<bool>(),
        figure(),
        any::<bool>(),
        maybe(),
    )
        .prop_map(|(view, name, reached, figure, figured, detail)| Check {
            view,
            name,
            reached: Some(reached),
            similarity: (reached || figured).then_some(figure),
            detail,
            pointer: String::new(),
        })
        .boxed()
}

fn comparison() -> BoxedStrategy<ReferenceComparison<'static>> {
    (some(), figure())
        .prop_map(|(view, similarity)| ReferenceComparison {
            view,
            similarity: Some(similarity),
            pointer: String::new(),
        })
        .boxed()
}

fn proof() -> BoxedStrategy<Proof<'static>> {
    (maybe(), maybe(), maybe(), maybe(), flag(), maybe())
        .prop_map(|(id, name, kind, dest, present, detail)| Proof {
            id,
            name,
            kind,
            dest,
            present,
            detail,
        })
        .boxed()
}

prop_compose! {
    fn debug_script()(
        (item_id, sub_item_id, title, category_title, script, detail) in (maybe(), maybe(), maybe(), maybe(), maybe(), maybe()),
        (ran, gates, precondition_unmet) in (flag(), flag(), flag()),
        verdicts in vec(verdict(), 0..2),
        outputs in vec(output(), 0..2),
    ) -> DebugScript<'static> {
        DebugScript {
            item_id, sub_item_id, title, category_title, script, ran, gates, precondition_unmet, detail, verdicts, outputs,
        }
    }
}

fn verdict() -> BoxedStrategy<Verdict<'static>> {
    let assertion =
        (maybe(), flag(), value(), value()).prop_map(|(label, pass, expected, actual)| Assertion {
            label,
            pass,
            expected,
            actual,
        });
    (maybe(), flag(), vec(assertion, 0..2))
        .prop_map(|(id, pass, assertions)| Verdict {
            id,
            pass,
            assertions,
        })
        .boxed()
}

fn output() -> BoxedStrategy<ScriptOutput<'static>> {
    (maybe(), maybe(), maybe(), flag())
        .prop_map(|(id, name, kind, actual_present)| ScriptOutput {
            id,
            name,
            kind,
            actual_present,
        })
        .boxed()
}

prop_compose! {
    fn adversarial()(
        (opponent, submission_team, winner, ended, outcome) in (maybe(), maybe(), maybe(), maybe(), maybe()),
        (red_score, blue_score, ticks) in (figures(), figures(), figures()),
        mut dice in dice(),
    ) -> Adversarial<'static> {
        let nothing = Node { raw: "{}", offset: 0 };
        let made = Adversarial { opponent, submission_team, winner, red_score, blue_score, ended, ticks, outcome, written: nothing };
        let written = node(&written::adversarial(&mut dice, &made), &mut dice);
        Adversarial { written, ..made }
    }
}

prop_compose! {
    fn performance()(
        correct in flag(),
        (total_fuel, fuel_limit) in (figures(), figures()),
        cases in vec((flag(), flag(), flag()), 0..2),
        mut dice in dice(),
    ) -> Performance<'static> {
        let cases = cases.into_iter().map(|(correct, over_ceiling, skipped)| PerformanceCase { correct, over_ceiling, skipped });
        let nothing = Node { raw: "{}", offset: 0 };
        let made = Performance { correct, total_fuel, fuel_limit, cases: cases.collect(), written: nothing };
        let written = node(&written::performance(&mut dice, &made), &mut dice);
        Performance { written, ..made }
    }
}

fn toolchain() -> BoxedStrategy<Option<Toolchain<'static>>> {
    of(
        (flag(), flag(), dice()).prop_map(|(typecheck_ran, typecheck_succeeded, mut dice)| {
            let made = Toolchain {
                typecheck_ran,
                typecheck_succeeded,
                written: Node {
                    raw: "{}",
                    offset: 0,
                },
            };
            let written = node(&written::toolchain(&mut dice, &made), &mut dice);
            Toolchain { written, ..made }
        }),
    )
    .boxed()
}

fn showcase() -> BoxedStrategy<Option<Showcase<'static>>> {
    let media =
        (maybe(), maybe(), maybe()).prop_map(|(file, name, kind)| Media { file, name, kind });
    of(
        (maybe(), vec(media, 0..2))
            .prop_map(|(description, media)| Showcase { description, media }),
    )
    .boxed()
}

prop_compose! {
    fn validation()(
        (loaded, detail, install, build) in (any::<bool>(), maybe(), step(), step()),
        (no_install, no_build) in (any::<bool>(), any::<bool>()),
        (mut checks, mut reference_comparisons) in (vec(check(), 0..3), vec(comparison(), 0..2)),
        (proofs, debug_scripts) in (vec(proof(), 0..2), vec(debug_script().boxed(), 0..2)),
        (asset, voxel, audio, particle, ui, material) in (block(), block(), block(), block(), block(), block()),
        (adversarial, performance) in (of(adversarial().boxed()), of(performance().boxed())),
    ) -> Validation<'static> {
        for (n, check) in checks.iter_mut().enumerate() {
            check.pointer = format!("/validation/checks/{n}");
        }
        for (n, comparison) in reference_comparisons.iter_mut().enumerate() {
            comparison.pointer = format!("/validation/referenceComparisons/{n}");
        }
        let skipped = Skipped { install: install.is_none() && no_install, build: build.is_none() && no_build };
        Validation {
            loaded: Some(loaded), detail, install, build, skipped, checks, reference_comparisons, proofs, debug_scripts, asset, voxel,
            audio, particle, ui, material, adversarial, performance,
        }
    }
}

fn prior() -> BoxedStrategy<PriorEntry<'static>> {
    (maybe(), maybe(), maybe())
        .prop_map(|(run_id, finished_at, readme)| PriorEntry {
            run_id,
            finished_at,
            readme,
        })
        .boxed()
}

fn outcome() -> BoxedStrategy<Outcome<'static>> {
    let words = (some(), maybe(), maybe(), maybe());
    (words, value(), flag())
        .prop_map(|((name, scorer, kind, reason), value, valid)| Outcome {
            name,
            value,
            scorer,
            kind,
            valid,
            reason,
        })
        .boxed()
}

/// Tool names with call counts.
fn calls() -> impl Strategy<Value = Vec<(Cow<'static, str>, Number<'static>)>> {
    prop::collection::btree_map(text(), any::<u64>(), 0..3).prop_map(|calls| {
        calls
            .into_iter()
            .map(|(name, count)| (Cow::Owned(name), number_of(count.to_string())))
            .collect()
    })
}

prop_compose! {
    /// Any record.
    pub(super) fn record()(
        (id, started_at, finished_at, published_at) in (some(), some(), some(), maybe()),
        (subject, metrics, validation) in (subject().boxed(), metrics().boxed(), validation().boxed()),
        (os, container_image, node_version, auth_mode) in (maybe(), maybe(), maybe(), maybe()),
        (test_cabinet_commit, source_repo, playable_build) in (maybe(), maybe(), maybe()),
        (state, detail) in (some(), maybe()),
        (game_jam_readme, game_jam_prior_entries, tool_calls) in (maybe(), vec(prior(), 0..2), calls()),
        (outcomes, import) in (vec(outcome(), 0..2), block()),
        (seed_commit, code_analysis, toolchain, showcase) in (maybe(), block(), toolchain(), showcase()),
    ) -> RunRecord<'static> {
        RunRecord {
            id, started_at, finished_at, published_at, subject,
            tooling: Tooling { test_cabinet_commit },
            environment: Environment { os, container_image, node_version, auth_mode },
            metrics, validation,
            links: Links { source_repo, playable_build },
            status: Status { state, detail },
            game_jam_readme, game_jam_prior_entries, tool_calls, seed_commit, code_analysis, toolchain, showcase,
            outcomes, import,
        }
    }
}
