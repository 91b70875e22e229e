//! Records serialized as JSON, in any equivalent spelling.

use runpress::api::formats::json::Node;
use runpress::api::formats::reader::Number;
use runpress::api::formats::run_record::{
    Adversarial, DebugScript, Metrics, Performance, RunRecord, Showcase, Step, Subject, Text,
    Toolchain, Validation,
};

use crate::generate::{Dice, Json, object};

fn word(text: &Text<'_>) -> Option<Json> {
    text.as_deref().map(Json::from)
}

fn flag(value: Option<bool>) -> Option<Json> {
    value.map(Json::Bool)
}

fn figure(number: Option<Number<'_>>) -> Option<Json> {
    number.map(|number| Json::Written(number.literal.to_owned()))
}

fn node(node: Option<Node<'_>>) -> Option<Json> {
    node.map(|node| Json::Written(node.raw.to_owned()))
}

/// An object; may be absent if it is empty.
fn group<const N: usize>(dice: &mut Dice, members: [(&str, Option<Json>); N]) -> Option<Json> {
    let empty = members.iter().all(|(_, value)| value.is_none());
    (!empty || dice.once_in(2)).then(|| object(dice, members))
}

/// An array; may be absent if it is empty.
fn list<T>(dice: &mut Dice, items: &[T], each: impl Fn(&mut Dice, &T) -> Json) -> Option<Json> {
    let array: Vec<Json> = items.iter().map(|item| each(dice, item)).collect();
    (!array.is_empty() || dice.once_in(2)).then_some(Json::Array(array))
}

fn subject(dice: &mut Dice, subject: &Subject<'_>) -> Json {
    object(
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
            ("ggCapabilitySet", node(subject.gg_capability_set)),
            ("ggSummary", node(subject.gg_summary)),
        ],
    )
}

fn metrics(dice: &mut Dice, metrics: &Metrics<'_>) -> Json {
    let (tokens, cost) = (&metrics.tokens, &metrics.cost);
    let tokens = object(
        dice,
        [
            ("uncachedInput", figure(tokens.uncached_input)),
            ("cachedInput", figure(tokens.cached_input)),
            ("output", figure(tokens.output)),
            ("reasoning", figure(tokens.reasoning)),
        ],
    );
    let cost = object(
        dice,
        [
            ("comparable", figure(cost.comparable)),
            ("actual", figure(cost.actual)),
        ],
    );
    let written = object(
        dice,
        [
            ("runTimeSeconds", figure(metrics.run_time_seconds)),
            ("tokens", Some(tokens)),
            ("cost", Some(cost)),
        ],
    );
    // The stages keep the order of the document.
    let stages = metrics
        .stages
        .iter()
        .map(|(name, seconds)| (name.to_string(), figure(*seconds).unwrap_or(Json::Null)));
    match written {
        Json::Object(members) => Json::Object(stages.chain(members).collect()),
        other => other,
    }
}

/// A step; its unknown keys keep the order of the document.
fn step(dice: &mut Dice, step: Option<&Step<'_>>) -> Option<Json> {
    let step = step?;
    let mut members = vec![
        ("command".to_owned(), word(&step.command)?),
        ("succeeded".to_owned(), flag(step.succeeded)?),
    ];
    match word(&step.detail) {
        Some(detail) => members.push(("detail".to_owned(), detail)),
        None if dice.once_in(2) => members.push(("detail".to_owned(), Json::Null)),
        None => {}
    }
    dice.shuffle(&mut members);
    for (at, (key, value)) in step.more.iter().enumerate() {
        let place = (at * 2).min(members.len());
        members.insert(
            place,
            (key.to_string(), Json::Written(value.raw.to_owned())),
        );
    }
    Some(Json::Object(members))
}

pub(super) fn adversarial(dice: &mut Dice, block: &Adversarial<'_>) -> Json {
    object(
        dice,
        [
            ("opponent", word(&block.opponent)),
            ("submissionTeam", word(&block.submission_team)),
            ("winner", word(&block.winner)),
            ("redScore", figure(block.red_score)),
            ("blueScore", figure(block.blue_score)),
            ("ended", word(&block.ended)),
            ("ticks", figure(block.ticks)),
            ("outcome", word(&block.outcome)),
        ],
    )
}

pub(super) fn performance(dice: &mut Dice, block: &Performance<'_>) -> Json {
    let cases = list(dice, &block.cases, |dice, case| {
        object(
            dice,
            [
                ("correct", flag(case.correct)),
                ("overCeiling", flag(case.over_ceiling)),
                ("skipped", flag(case.skipped)),
            ],
        )
    });
    object(
        dice,
        [
            ("correct", flag(block.correct)),
            ("totalFuel", figure(block.total_fuel)),
            ("fuelLimit", figure(block.fuel_limit)),
            ("cases", cases),
        ],
    )
}

pub(super) fn toolchain(dice: &mut Dice, block: &Toolchain<'_>) -> Json {
    let typecheck = group(
        dice,
        [
            ("ran", flag(block.typecheck_ran)),
            ("succeeded", flag(block.typecheck_succeeded)),
        ],
    );
    object(dice, [("typecheck", typecheck)])
}

fn debug_script(dice: &mut Dice, script: &DebugScript<'_>) -> Json {
    let verdicts = list(dice, &script.verdicts, |dice, verdict| {
        let assertions = list(dice, &verdict.assertions, |dice, assertion| {
            object(
                dice,
                [
                    ("label", word(&assertion.label)),
                    ("pass", flag(assertion.pass)),
                    ("expected", node(assertion.expected)),
                    ("actual", node(assertion.actual)),
                ],
            )
        });
        object(
            dice,
            [
                ("id", word(&verdict.id)),
                ("pass", flag(verdict.pass)),
                ("assertions", assertions),
            ],
        )
    });
    let outputs = list(dice, &script.outputs, |dice, output| {
        object(
            dice,
            [
                ("id", word(&output.id)),
                ("name", word(&output.name)),
                ("kind", word(&output.kind)),
                ("actualPresent", flag(output.actual_present)),
            ],
        )
    });
    object(
        dice,
        [
            ("itemId", word(&script.item_id)),
            ("subItemId", word(&script.sub_item_id)),
            ("title", word(&script.title)),
            ("categoryTitle", word(&script.category_title)),
            ("script", word(&script.script)),
            ("ran", flag(script.ran)),
            ("gates", flag(script.gates)),
            ("preconditionUnmet", flag(script.precondition_unmet)),
            ("detail", word(&script.detail)),
            ("verdicts", verdicts),
            ("outputs", outputs),
        ],
    )
}

fn validation(dice: &mut Dice, validation: &Validation<'_>) -> Json {
    let checks = list(dice, &validation.checks, |dice, check| {
        object(
            dice,
            [
                ("view", word(&check.view)),
                ("name", word(&check.name)),
                ("reached", flag(check.reached)),
                ("similarity", figure(check.similarity)),
                ("detail", word(&check.detail)),
            ],
        )
    });
    let comparisons = list(
        dice,
        &validation.reference_comparisons,
        |dice, comparison| {
            object(
                dice,
                [
                    ("view", word(&comparison.view)),
                    ("similarity", figure(comparison.similarity)),
                ],
            )
        },
    );
    let proofs = list(dice, &validation.proofs, |dice, proof| {
        object(
            dice,
            [
                ("id", word(&proof.id)),
                ("name", word(&proof.name)),
                ("kind", word(&proof.kind)),
                ("dest", word(&proof.dest)),
                ("present", flag(proof.present)),
                ("detail", word(&proof.detail)),
            ],
        )
    });
    let install = step(dice, validation.install.as_ref());
    let build = step(dice, validation.build.as_ref());
    let (no_install, no_build) = (validation.skipped.install, validation.skipped.build);
    let members = [
        ("loaded", flag(validation.loaded)),
        ("detail", word(&validation.detail)),
        ("checks", checks),
        ("referenceComparisons", comparisons),
        ("proofs", proofs),
        (
            "debugScripts",
            list(dice, &validation.debug_scripts, debug_script),
        ),
        ("asset", node(validation.asset)),
        ("voxel", node(validation.voxel)),
        ("audio", node(validation.audio)),
        ("particle", node(validation.particle)),
        ("ui", node(validation.ui)),
        ("material", node(validation.material)),
        (
            "adversarial",
            node(validation.adversarial.as_ref().map(|block| block.written)),
        ),
        (
            "performance",
            node(validation.performance.as_ref().map(|block| block.written)),
        ),
    ];
    let mut validation = object(dice, members);
    // A null step is different from an absent one.
    if let Json::Object(members) = &mut validation {
        let steps = [("install", install, no_install), ("build", build, no_build)];
        for (key, step, null) in steps {
            let value = step.or(null.then_some(Json::Null));
            members.extend(value.map(|value| (key.to_owned(), value)));
        }
        dice.shuffle(members);
    }
    validation
}

fn showcase(dice: &mut Dice, showcase: Option<&Showcase<'_>>) -> Option<Json> {
    let showcase = showcase?;
    let media = list(dice, &showcase.media, |dice, media| {
        object(
            dice,
            [
                ("file", word(&media.file)),
                ("name", word(&media.name)),
                ("kind", word(&media.kind)),
            ],
        )
    });
    Some(object(
        dice,
        [
            ("description", word(&showcase.description)),
            ("media", media),
        ],
    ))
}

/// The whole record.
pub(super) fn record(dice: &mut Dice, record: &RunRecord<'_>) -> Json {
    let environment = &record.environment;
    let environment = group(
        dice,
        [
            ("os", word(&environment.os)),
            ("containerImage", word(&environment.container_image)),
            ("nodeVersion", word(&environment.node_version)),
            ("authMode", word(&environment.auth_mode)),
        ],
    );
    let links = [
        ("sourceRepo", word(&record.links.source_repo)),
        ("playableBuild", word(&record.links.playable_build)),
    ];
    let status = [
        ("state", word(&record.status.state)),
        ("detail", word(&record.status.detail)),
    ];
    let entries = list(dice, &record.game_jam_prior_entries, |dice, entry| {
        object(
            dice,
            [
                ("runId", word(&entry.run_id)),
                ("finishedAt", word(&entry.finished_at)),
                ("readme", word(&entry.readme)),
            ],
        )
    });
    let outcomes = list(dice, &record.outcomes, |dice, outcome| {
        object(
            dice,
            [
                ("name", word(&outcome.name)),
                ("value", node(outcome.value)),
                ("scorer", word(&outcome.scorer)),
                ("kind", word(&outcome.kind)),
                ("valid", flag(outcome.valid)),
                ("reason", word(&outcome.reason)),
            ],
        )
    });
    let calls = record
        .tool_calls
        .iter()
        .map(|(name, count)| (name.to_string(), Json::Written(count.literal.to_owned())));
    let calls = Json::Object(calls.collect());
    let has_calls = !record.tool_calls.is_empty() || dice.once_in(2);
    let members = [
        ("id", word(&record.id)),
        ("startedAt", word(&record.started_at)),
        ("finishedAt", word(&record.finished_at)),
        ("publishedAt", word(&record.published_at)),
        ("subject", Some(subject(dice, &record.subject))),
        (
            "tooling",
            group(
                dice,
                [(
                    "testCabinetCommit",
                    word(&record.tooling.test_cabinet_commit),
                )],
            ),
        ),
        ("environment", environment),
        ("metrics", Some(metrics(dice, &record.metrics))),
        ("validation", Some(validation(dice, &record.validation))),
        ("links", group(dice, links)),
        ("status", Some(object(dice, status))),
        ("gameJamReadme", word(&record.game_jam_readme)),
        ("gameJamPriorEntries", entries),
        ("toolCalls", has_calls.then_some(calls)),
        ("seedCommit", word(&record.seed_commit)),
        ("codeAnalysis", node(record.code_analysis)),
        (
            "toolchain",
            node(record.toolchain.as_ref().map(|block| block.written)),
        ),
        ("outcomes", outcomes),
        ("import", node(record.import)),
        ("showcase", showcase(dice, record.showcase.as_ref())),
    ];
    object(dice, members)
}
