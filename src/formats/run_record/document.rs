//! The shape of a run record: one type per object of the document, nested as written (formats.md A).

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;

use crate::json::Node;
use crate::reader::{DocumentReader, JsonObject, NumberLiteral, Presence};
use base::shapes::{self, Lenient};

use super::object::{RecordField, RecordObject, RecordShape, objects};
use super::read::{STAGES, any, stages, tool_calls, toolchain};
use super::shape;

mod validation;

pub use super::object::Text;
pub use super::read::{SkippedSteps, Toolchain};
pub use validation::*;

objects! {
    /// A run record of Test Cabinet, of any version. There is no version field: the keys identify the version.
    ///
    /// Null and absent keys mean the same. Unknown keys are kept. Keys of later versions are described but not enforced:
    /// a run is shown without those of the wrong type.
    #[derive(Default)]
    #[schemars(transform = shape::this_document)]
    #[schemars(transform = shape::known)]
    closed RunRecord<'a> {
        /// Unique id of the run.
        "id" required with "shapes::Name" => id: Text<'a>;
        /// When the run started, RFC 3339. An imported run may lack it.
        "startedAt" known with "Option<shapes::Time>" => started_at: Text<'a>;
        /// When it ended, RFC 3339; not before it started. An imported run may lack it.
        "finishedAt" known with "Option<shapes::Time>" => finished_at: Text<'a>;
        /// Publication time, RFC 3339. If present, the archive is sorted by it.
        "publishedAt" optional with "Option<shapes::Time>" => published_at: Text<'a>;
        /// Test case, harness and model.
        "subject" required => subject: Subject<'a>;
        /// The orchestrator's version.
        "tooling" optional with "Option<Tooling<'a>>" => tooling: Tooling<'a>;
        /// Where it ran.
        "environment" optional with "Option<Environment<'a>>" => environment: Environment<'a>;
        /// Time, tokens and cost.
        "metrics" required => metrics: Metrics<'a>;
        /// Results of the validation. An imported run may lack them.
        "validation" known with "Option<Validation<'a>>" => validation: Validation<'a>;
        /// Where its outputs are.
        "links" optional with "Option<Links<'a>>" => links: Links<'a>;
        /// The final state.
        "status" required => status: Status<'a>;
        /// README of a game jam entry, in Markdown, for later entries to read; not displayed.
        "gameJamReadme" late default "Lenient<String>" => game_jam_readme: Text<'a>;
        /// Entries of the same jam that this one had to differ from.
        "gameJamPriorEntries" late default "Lenient<Vec<PriorEntry<'a>>>" => game_jam_prior_entries: Vec<PriorEntry<'a>>;
        /// How often each tool was called, by its lower-case name.
        "toolCalls" by(tool_calls) default "Lenient<BTreeMap<String, shapes::Count>>" => tool_calls: Vec<(Cow<'a, str>, NumberLiteral<'a>)>;
        /// The commit that the run began from.
        "seedCommit" late default "Lenient<String>" => seed_commit: Text<'a>;
        /// Measurements of the code, copied as written.
        "codeAnalysis" late default "Lenient<shapes::AsWritten>" => code_analysis: Option<Node<'a>>;
        /// Type check, linter and tests; absent is "not checked". `typecheck` has the result of the type check in `ran` and `succeeded`.
        "toolchain" by(toolchain) default "Lenient<shapes::AsWritten>" => toolchain: Option<Toolchain<'a>>;
        /// What scorers said of the run, verbatim. It affects neither the state nor the rating.
        "outcomes" late default "Lenient<Vec<Outcome<'a>>>" => outcomes: Vec<Outcome<'a>>;
        /// What the run was made from, where it was imported: format, files, ids, and what was left out; shown as written.
        "import" late default "Lenient<shapes::AsWritten>" => import: Option<Node<'a>>;
        /// The showcase of the run.
        "showcase" late default "Lenient<Showcase<'a>>" => showcase: Option<Showcase<'a>>;
    }

    /// Test case, harness and model.
    #[derive(Default)]
    closed Subject<'a> {
        /// Slug of the test case.
        "testCaseSlug" required with "shapes::Name" => test_case_slug: Text<'a>;
        /// Exact version of the test case. An imported run may lack it.
        "testCaseVersion" known with "Option<String>" => test_case_version: Text<'a>;
        /// Kind of the test case; `end-to-end` when absent.
        "testType" optional => test_type: Text<'a>;
        /// Variant of the test case; absent in the oldest records.
        "variant" optional => variant: Text<'a>;
        /// Slug of the harness.
        "harnessSlug" required with "shapes::Name" => harness_slug: Text<'a>;
        /// Version of the harness.
        "harnessVersion" optional => harness_version: Text<'a>;
        /// The model, an opaque id. An imported run may lack it.
        "modelId" known with "Option<shapes::Name>" => model_id: Text<'a>;
        /// The orchestrator; `one-shot` when absent.
        "orchestratorSlug" optional => orchestrator_slug: Text<'a>;
        /// The engine that the case was built for; `none` when absent.
        "engineSlug" optional => engine_slug: Text<'a>;
        /// Version of the engine.
        "engineVersion" optional => engine_version: Text<'a>;
        /// Configuration of the harness gg, copied as written.
        "ggCapabilitySet" late default "Lenient<shapes::AsWritten>" => gg_capability_set: Option<Node<'a>>;
        /// Summary of a session by the harness gg, shown as written.
        "ggSummary" late default "Lenient<shapes::AsWritten>" => gg_summary: Option<Node<'a>>;
    }

    /// The orchestrator's version.
    #[derive(Default)]
    closed Tooling<'a> {
        /// Commit of the orchestrator, `-dirty` when its tree was modified.
        "testCabinetCommit" optional => test_cabinet_commit: Text<'a>;
    }

    /// Where it ran.
    #[derive(Default)]
    closed Environment<'a> {
        /// Name of the operating system, or `unknown`.
        "os" optional => os: Text<'a>;
        /// The image: a tag or a digest reference, kept as it is.
        "containerImage" optional => container_image: Text<'a>;
        /// Version of Node.js, for example `v22.14.0`.
        "nodeVersion" optional => node_version: Text<'a>;
        /// `apiKey` or `subscription`; there is no default.
        "authMode" late default "Lenient<String>" => auth_mode: Text<'a>;
    }
}

objects! {
    /// Time, tokens and cost.
    #[derive(Default)]
    #[schemars(transform = shape::stages)]
    closed Metrics<'a> {
        /// Wall clock, in seconds. An imported run may lack it.
        "runTimeSeconds" known with "Option<shapes::Amount>" => run_time_seconds: Option<NumberLiteral<'a>>;
        /// Tokens in four classes that do not overlap.
        "tokens" required => tokens: Tokens<'a>;
        /// Cost in USD.
        "cost" required => cost: Cost<'a>;
    } + computed {
        /// Durations of the stages, in the order of the document; null is "not reported".
        stages: Vec<(Cow<'a, str>, Option<NumberLiteral<'a>>)> = stages, STAGES;
    }

    /// Four classes that do not overlap; null is "not reported".
    #[derive(Default)]
    closed Tokens<'a> {
        /// Input that was not served from a cache.
        "uncachedInput" optional with "Option<shapes::Count>" => uncached_input: Option<NumberLiteral<'a>>;
        /// Input that was served from a cache.
        "cachedInput" optional with "Option<shapes::Count>" => cached_input: Option<NumberLiteral<'a>>;
        /// Output without reasoning.
        "output" optional with "Option<shapes::Count>" => output: Option<NumberLiteral<'a>>;
        /// Reasoning.
        "reasoning" optional with "Option<shapes::Count>" => reasoning: Option<NumberLiteral<'a>>;
    }

    /// Cost in USD; null is an unknown price, 0 is free.
    #[derive(Default)]
    closed Cost<'a> {
        /// At list prices, in USD.
        "comparable" optional with "Option<shapes::Amount>" => comparable: Option<NumberLiteral<'a>>;
        /// Charged cost, in USD.
        "actual" optional with "Option<shapes::Amount>" => actual: Option<NumberLiteral<'a>>;
    }

    /// Where its outputs are.
    #[derive(Default)]
    closed Links<'a> {
        /// URL of the generated source.
        "sourceRepo" optional with "Option<shapes::Address>" => source_repo: Text<'a>;
        /// URL of the playable build.
        "playableBuild" optional with "Option<shapes::Address>" => playable_build: Text<'a>;
    }

    /// The final state.
    #[derive(Default)]
    closed Status<'a> {
        /// How the run ended: `completed`, `timed_out`, `failed` and others, kept literally.
        "state" required with "String" => state: Text<'a>;
        /// Why it ended like that.
        "detail" optional => detail: Text<'a>;
    }

    /// An earlier entry of the same jam.
    closed PriorEntry<'a> {
        /// Id of the run.
        "runId" optional => run_id: Text<'a>;
        /// When that run ended, RFC 3339.
        "finishedAt" optional => finished_at: Text<'a>;
        /// README of the entry, in Markdown; not displayed.
        "readme" optional => readme: Text<'a>;
    }
}

objects! {
    /// What a scorer said of the run.
    closed Outcome<'a> {
        /// Name of the outcome, such as `reward`.
        "name" required with "shapes::Name" => name: Text<'a>;
        /// The value: any JSON; null is unscored.
        "value" by(any) with "Option<serde_json::Value>" => value: Option<Node<'a>>;
        /// The scorer that gave the value.
        "scorer" optional => scorer: Text<'a>;
        /// `reward`, `score`, `metric`, `check`, `submission` or another word.
        "kind" optional => kind: Text<'a>;
        /// Whether it counts by the scorer's own rules.
        "valid" optional => valid: Option<bool>;
        /// Why it does not count, or has no value.
        "reason" optional => reason: Text<'a>;
    }

    /// The showcase of the run.
    closed Showcase<'a> {
        /// Description, in Markdown.
        "description" optional => description: Text<'a>;
        /// Pictures, videos and replays.
        "media" optional with "Option<Vec<Media<'a>>>" => media: Vec<Media<'a>>;
    }

    /// A picture, a video or a replay.
    closed Media<'a> {
        /// The file.
        "file" optional => file: Text<'a>;
        /// Display name.
        "name" optional => name: Text<'a>;
        /// `image`, `video` or `replay`.
        "kind" optional => kind: Text<'a>;
    }
}
