//! Knows how the document becomes values: which keys a run cannot be shown without, and which came later.
//!
//! A later key of a wrong type is a warning: the run is shown without it. A key of the first records, or one that
//! decides with what a run is compared, is an error.

use std::borrow::Cow;

use crate::formats::json::{Kind, Node};
use crate::formats::reader::{Need, Number, Object, Reader};

use super::document::{
    Adversarial, Assertion, Check, Cost, DebugScript, Environment, Links, Media, Metrics,
    Performance, PerformanceCase, PriorEntry, Proof, ReferenceComparison, RunRecord, STAGES,
    ScriptOutput, Showcase, Skipped, Status, Step, Subject, Tokens, Toolchain, Validation, Verdict,
};

use Need::{Optional, Required};

pub(super) fn record<'a>(r: &mut Reader<'a>, top: &Object<'a>) -> RunRecord<'a> {
    let mut record = RunRecord {
        id: r.string(top, "id", Required),
        started_at: r.string(top, "startedAt", Required),
        finished_at: r.string(top, "finishedAt", Required),
        published_at: r.string(top, "publishedAt", Optional),
        ..RunRecord::default()
    };
    if let Some(object) = r.child(top, "subject", Required) {
        record.subject = subject(r, &object);
    }
    if let Some(object) = r.child(top, "tooling", Optional) {
        record.tooling.test_cabinet_commit = r.string(&object, "testCabinetCommit", Optional);
    }
    if let Some(object) = r.child(top, "environment", Optional) {
        record.environment = Environment {
            os: r.string(&object, "os", Optional),
            container_image: r.string(&object, "containerImage", Optional),
            node_version: r.string(&object, "nodeVersion", Optional),
            auth_mode: r.late(|r| r.string(&object, "authMode", Optional)),
        };
    }
    if let Some(object) = r.child(top, "metrics", Required) {
        record.metrics = metrics(r, &object);
    }
    if let Some(object) = r.child(top, "validation", Required) {
        record.validation = validation(r, &object);
    }
    if let Some(object) = r.child(top, "links", Optional) {
        record.links = Links {
            source_repo: r.string(&object, "sourceRepo", Optional),
            playable_build: r.string(&object, "playableBuild", Optional),
        };
    }
    if let Some(object) = r.child(top, "status", Required) {
        record.status = Status {
            state: r.string(&object, "state", Required),
            detail: r.string(&object, "detail", Optional),
        };
    }
    r.late(|r| {
        record.game_jam_readme = r.string(top, "gameJamReadme", Optional);
        record.game_jam_prior_entries = list(r, top, "gameJamPriorEntries", |r, o| PriorEntry {
            run_id: r.string(o, "runId", Optional),
            finished_at: r.string(o, "finishedAt", Optional),
            readme: r.string(o, "readme", Optional),
        });
        record.tool_calls = tool_calls(r, top);
        record.seed_commit = r.string(top, "seedCommit", Optional);
        record.code_analysis = block(r, top, "codeAnalysis");
        record.toolchain = toolchain(r, top);
        record.showcase = r.child(top, "showcase", Optional).map(|object| Showcase {
            description: r.string(&object, "description", Optional),
            media: list(r, &object, "media", |r, o| Media {
                file: r.string(o, "file", Optional),
                name: r.string(o, "name", Optional),
                kind: r.string(o, "kind", Optional),
            }),
        });
    });
    record
}

fn subject<'a>(r: &mut Reader<'a>, subject: &Object<'a>) -> Subject<'a> {
    Subject {
        test_case_slug: r.string(subject, "testCaseSlug", Required),
        test_case_version: r.string(subject, "testCaseVersion", Required),
        test_type: r.string(subject, "testType", Optional),
        variant: r.string(subject, "variant", Optional),
        harness_slug: r.string(subject, "harnessSlug", Required),
        harness_version: r.string(subject, "harnessVersion", Optional),
        model_id: r.string(subject, "modelId", Required),
        orchestrator_slug: r.string(subject, "orchestratorSlug", Optional),
        engine_slug: r.string(subject, "engineSlug", Optional),
        engine_version: r.string(subject, "engineVersion", Optional),
        gg_capability_set: r.late(|r| block(r, subject, "ggCapabilitySet")),
        gg_summary: r.late(|r| block(r, subject, "ggSummary")),
    }
}

fn metrics<'a>(r: &mut Reader<'a>, metrics: &Object<'a>) -> Metrics<'a> {
    let mut read = Metrics {
        run_time_seconds: r.number(metrics, "runTimeSeconds", Required),
        stages: r.late(|r| stages(r, metrics)),
        ..Metrics::default()
    };
    if let Some(tokens) = r.child(metrics, "tokens", Required) {
        read.tokens = Tokens {
            uncached_input: r.number(&tokens, "uncachedInput", Optional),
            cached_input: r.number(&tokens, "cachedInput", Optional),
            output: r.number(&tokens, "output", Optional),
            reasoning: r.number(&tokens, "reasoning", Optional),
        };
    }
    if let Some(cost) = r.child(metrics, "cost", Required) {
        read.cost = Cost {
            comparable: r.number(&cost, "comparable", Optional),
            actual: r.number(&cost, "actual", Optional),
        };
    }
    read
}

fn stages<'a>(r: &mut Reader<'a>, metrics: &Object<'a>) -> Vec<(Cow<'a, str>, Option<Number<'a>>)> {
    metrics
        .members()
        .filter(|(key, _)| STAGES.contains(&key.as_ref()))
        .map(|(key, node)| {
            let known = node.kind() != Kind::Null;
            let seconds = known.then(|| r.as_number(node, metrics.pointer_to(key)));
            (key.clone(), seconds.flatten())
        })
        .collect()
}

fn validation<'a>(r: &mut Reader<'a>, validation: &Object<'a>) -> Validation<'a> {
    let mut read = Validation {
        loaded: r.boolean(validation, "loaded", Required),
        detail: r.string(validation, "detail", Optional),
        install: step(r, validation, "install"),
        build: step(r, validation, "build"),
        skipped: Skipped {
            install: validation.is_null("install"),
            build: validation.is_null("build"),
        },
        checks: list(r, validation, "checks", check),
        reference_comparisons: list(r, validation, "referenceComparisons", |r, o| {
            ReferenceComparison {
                view: r.string(o, "view", Required),
                similarity: r.number(o, "similarity", Required),
                pointer: o.pointer.clone(),
            }
        }),
        ..Validation::default()
    };
    r.late(|r| {
        read.proofs = list(r, validation, "proofs", |r, o| Proof {
            id: r.string(o, "id", Optional),
            name: r.string(o, "name", Optional),
            kind: r.string(o, "kind", Optional),
            dest: r.string(o, "dest", Optional),
            present: r.boolean(o, "present", Optional),
            detail: r.string(o, "detail", Optional),
        });
        read.debug_scripts = list(r, validation, "debugScripts", debug_script);
        read.asset = block(r, validation, "asset");
        read.voxel = block(r, validation, "voxel");
        read.audio = block(r, validation, "audio");
        read.particle = block(r, validation, "particle");
        read.ui = block(r, validation, "ui");
        read.material = block(r, validation, "material");
        read.adversarial = adversarial(r, validation);
        read.performance = performance(r, validation);
    });
    read
}

fn step<'a>(r: &mut Reader<'a>, validation: &Object<'a>, key: &str) -> Option<Step<'a>> {
    let step = r.child(validation, key, Optional)?;
    let known = |key: &str| matches!(key, "command" | "succeeded" | "detail");
    Some(Step {
        command: r.string(&step, "command", Required),
        succeeded: r.boolean(&step, "succeeded", Required),
        detail: r.string(&step, "detail", Optional),
        more: step
            .members()
            .filter(|(key, _)| !known(key))
            .map(|(key, node)| (key.clone(), node))
            .collect(),
    })
}

fn check<'a>(r: &mut Reader<'a>, check: &Object<'a>) -> Check<'a> {
    let reached = r.boolean(check, "reached", Required);
    // A view that was not reached has nothing to compare.
    let need = if reached == Some(false) {
        Optional
    } else {
        Required
    };
    Check {
        view: r.string(check, "view", Required),
        name: r.string(check, "name", Optional),
        similarity: r.number(check, "similarity", need),
        reached,
        detail: r.string(check, "detail", Optional),
        pointer: check.pointer.clone(),
    }
}

fn debug_script<'a>(r: &mut Reader<'a>, script: &Object<'a>) -> DebugScript<'a> {
    DebugScript {
        item_id: r.string(script, "itemId", Optional),
        sub_item_id: r.string(script, "subItemId", Optional),
        title: r.string(script, "title", Optional),
        category_title: r.string(script, "categoryTitle", Optional),
        script: r.string(script, "script", Optional),
        ran: r.boolean(script, "ran", Optional),
        gates: r.boolean(script, "gates", Optional),
        precondition_unmet: r.boolean(script, "preconditionUnmet", Optional),
        detail: r.string(script, "detail", Optional),
        verdicts: list(r, script, "verdicts", |r, verdict| Verdict {
            id: r.string(verdict, "id", Optional),
            pass: r.boolean(verdict, "pass", Optional),
            assertions: list(r, verdict, "assertions", |r, assertion| Assertion {
                label: r.string(assertion, "label", Optional),
                pass: r.boolean(assertion, "pass", Optional),
                expected: assertion.get("expected"),
                actual: assertion.get("actual"),
            }),
        }),
        outputs: list(r, script, "outputs", |r, output| ScriptOutput {
            id: r.string(output, "id", Optional),
            name: r.string(output, "name", Optional),
            kind: r.string(output, "kind", Optional),
            actual_present: r.boolean(output, "actualPresent", Optional),
        }),
    }
}

fn adversarial<'a>(r: &mut Reader<'a>, validation: &Object<'a>) -> Option<Adversarial<'a>> {
    let block = r.child(validation, "adversarial", Optional)?;
    Some(Adversarial {
        opponent: r.string(&block, "opponent", Optional),
        submission_team: r.string(&block, "submissionTeam", Optional),
        winner: r.string(&block, "winner", Optional),
        red_score: r.number(&block, "redScore", Optional),
        blue_score: r.number(&block, "blueScore", Optional),
        ended: r.string(&block, "ended", Optional),
        ticks: r.number(&block, "ticks", Optional),
        outcome: r.string(&block, "outcome", Optional),
        written: block.node(),
    })
}

fn performance<'a>(r: &mut Reader<'a>, validation: &Object<'a>) -> Option<Performance<'a>> {
    let block = r.child(validation, "performance", Optional)?;
    Some(Performance {
        correct: r.boolean(&block, "correct", Optional),
        total_fuel: r.number(&block, "totalFuel", Optional),
        fuel_limit: r.number(&block, "fuelLimit", Optional),
        cases: list(r, &block, "cases", |r, case| PerformanceCase {
            correct: r.boolean(case, "correct", Optional),
            over_ceiling: r.boolean(case, "overCeiling", Optional),
            skipped: r.boolean(case, "skipped", Optional),
        }),
        written: block.node(),
    })
}

fn toolchain<'a>(r: &mut Reader<'a>, top: &Object<'a>) -> Option<Toolchain<'a>> {
    let block = r.child(top, "toolchain", Optional)?;
    let typecheck = r.child(&block, "typecheck", Optional);
    let mut said = |key| {
        typecheck
            .as_ref()
            .and_then(|step| r.boolean(step, key, Optional))
    };
    Some(Toolchain {
        typecheck_ran: said("ran"),
        typecheck_succeeded: said("succeeded"),
        written: block.node(),
    })
}

fn tool_calls<'a>(r: &mut Reader<'a>, top: &Object<'a>) -> Vec<(Cow<'a, str>, Number<'a>)> {
    let Some(calls) = r.child(top, "toolCalls", Optional) else {
        return Vec::new();
    };
    calls
        .members()
        .filter_map(|(name, node)| {
            let count = r.as_count(node, calls.pointer_to(name))?;
            Some((name.clone(), count))
        })
        .collect()
}

/// An object that is passed on as written.
fn block<'a>(r: &mut Reader<'a>, parent: &Object<'a>, key: &str) -> Option<Node<'a>> {
    r.child(parent, key, Optional).map(|object| object.node())
}

/// The objects of an array.
fn list<'a, T>(
    r: &mut Reader<'a>,
    parent: &Object<'a>,
    key: &str,
    read: impl Fn(&mut Reader<'a>, &Object<'a>) -> T,
) -> Vec<T> {
    r.items(parent, key, Optional)
        .into_iter()
        .filter_map(|(item, pointer)| {
            let object = r.object(item, pointer)?;
            Some(read(r, &object))
        })
        .collect()
}
