//! Knows the shape of a run record: one type per object of the document, nested as it is written (formats.md A).

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;

use crate::formats::json::Node;
use crate::formats::reader::Number;
use crate::shapes::{self, Late};

use super::shape;

mod validation;

pub use validation::*;

/// A text of the document; `None` is absent, null or (with a problem reported) of another type.
pub type Text<'a> = Option<Cow<'a, str>>;

/// A run record of Test Cabinet, of any version; there is no version field, so what is absent says which it is.
///
/// A key that is null is the same as one that is not there. Keys that are not known are kept. Keys that came later
/// are described, and refuse nothing: a run is shown without them where they are of another type.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase", transform = shape::this_document)]
pub struct RunRecord<'a> {
    /// Unique id of the run.
    #[schemars(with = "shapes::Name")]
    pub id: Text<'a>,
    /// When the run started, RFC 3339.
    #[schemars(with = "shapes::Time")]
    pub started_at: Text<'a>,
    /// When it ended, RFC 3339; not before it started.
    #[schemars(with = "shapes::Time")]
    pub finished_at: Text<'a>,
    /// When it was published, RFC 3339. Where it is there, the archive is ordered by it.
    #[schemars(with = "Option<shapes::Time>")]
    pub published_at: Text<'a>,
    /// What was run.
    pub subject: Subject<'a>,
    /// What ran it.
    #[schemars(with = "Option<Tooling<'a>>")]
    pub tooling: Tooling<'a>,
    /// Where it ran.
    #[schemars(with = "Option<Environment<'a>>")]
    pub environment: Environment<'a>,
    /// What it took.
    pub metrics: Metrics<'a>,
    /// What was found afterwards.
    pub validation: Validation<'a>,
    /// Where its outputs are.
    #[schemars(with = "Option<Links<'a>>")]
    pub links: Links<'a>,
    /// How it ended.
    pub status: Status<'a>,
    /// What the entry of a game jam says of itself, in Markdown, for the runs that come after it; not displayed.
    #[schemars(default, with = "Late<String>")]
    pub game_jam_readme: Text<'a>,
    /// Entries of the same jam that this one had to differ from.
    #[schemars(default, with = "Late<Vec<PriorEntry<'a>>>")]
    pub game_jam_prior_entries: Vec<PriorEntry<'a>>,
    /// How often each tool was called, by its lower-case name.
    #[schemars(default, with = "Late<BTreeMap<String, shapes::Count>>")]
    pub tool_calls: Vec<(Cow<'a, str>, Number<'a>)>,
    /// The commit that the run began from.
    #[schemars(default, with = "Late<String>")]
    pub seed_commit: Text<'a>,
    /// Measurements of the code, passed on as written.
    #[schemars(default, with = "Late<shapes::AsWritten>")]
    pub code_analysis: Option<Node<'a>>,
    /// Type check, linter and tests; absent is "not checked". `typecheck` says with `ran` and `succeeded` how the type check went.
    #[schemars(default, with = "Late<shapes::AsWritten>")]
    pub toolchain: Option<Toolchain<'a>>,
    /// How the run presents itself.
    #[schemars(default, with = "Late<Showcase<'a>>")]
    pub showcase: Option<Showcase<'a>>,
}

/// What was run.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Subject<'a> {
    /// Slug of the test case.
    #[schemars(with = "shapes::Name")]
    pub test_case_slug: Text<'a>,
    /// Exact version of the test case.
    #[schemars(with = "String")]
    pub test_case_version: Text<'a>,
    /// Kind of the test case; `end-to-end` when absent.
    pub test_type: Text<'a>,
    /// Variant of the test case; absent in the oldest records.
    pub variant: Text<'a>,
    /// Slug of the harness.
    #[schemars(with = "shapes::Name")]
    pub harness_slug: Text<'a>,
    /// Version of the harness.
    pub harness_version: Text<'a>,
    /// The model, an opaque id.
    #[schemars(with = "shapes::Name")]
    pub model_id: Text<'a>,
    /// What ran the harness; `one-shot` when absent.
    pub orchestrator_slug: Text<'a>,
    /// The engine that the case was built for; `none` when absent.
    pub engine_slug: Text<'a>,
    /// Version of the engine.
    pub engine_version: Text<'a>,
    /// Configuration of the harness gg, passed on as written.
    #[schemars(default, with = "Late<shapes::AsWritten>")]
    pub gg_capability_set: Option<Node<'a>>,
    /// What the harness gg says of its session, passed on as written.
    #[schemars(default, with = "Late<shapes::AsWritten>")]
    pub gg_summary: Option<Node<'a>>,
}

/// What ran it.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Tooling<'a> {
    /// Commit of the orchestrator, `-dirty` when its tree was modified.
    pub test_cabinet_commit: Text<'a>,
}

/// Where it ran.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Environment<'a> {
    /// Name of the operating system, or `unknown`.
    pub os: Text<'a>,
    /// The image: a tag or a digest reference, kept as it is.
    pub container_image: Text<'a>,
    /// Version of Node.js, for example `v22.14.0`.
    pub node_version: Text<'a>,
    /// `apiKey` or `subscription`; there is no default.
    #[schemars(default, with = "Late<String>")]
    pub auth_mode: Text<'a>,
}

/// The keys of `metrics` that hold the durations of stages.
pub const STAGES: [&str; 4] = [
    "setupSeconds",
    "sessionSeconds",
    "teardownSeconds",
    "validationSeconds",
];

/// What it took.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase", transform = shape::stages)]
pub struct Metrics<'a> {
    /// Wall clock, in seconds.
    #[schemars(with = "shapes::Amount")]
    pub run_time_seconds: Option<Number<'a>>,
    /// Durations of the [`STAGES`], in the order of the document; null is "not reported".
    #[schemars(skip)]
    pub stages: Vec<(Cow<'a, str>, Option<Number<'a>>)>,
    /// Tokens in four classes that do not overlap.
    pub tokens: Tokens<'a>,
    /// Cost in USD.
    pub cost: Cost<'a>,
}

/// Four classes that do not overlap; null is "not reported".
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Tokens<'a> {
    /// Input that was not served from a cache.
    #[schemars(with = "Option<shapes::Count>")]
    pub uncached_input: Option<Number<'a>>,
    /// Input that was served from a cache.
    #[schemars(with = "Option<shapes::Count>")]
    pub cached_input: Option<Number<'a>>,
    /// Output without reasoning.
    #[schemars(with = "Option<shapes::Count>")]
    pub output: Option<Number<'a>>,
    /// Reasoning.
    #[schemars(with = "Option<shapes::Count>")]
    pub reasoning: Option<Number<'a>>,
}

/// Cost in USD; null is an unknown price, 0 is free.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Cost<'a> {
    /// At list prices, in USD.
    #[schemars(with = "Option<shapes::Amount>")]
    pub comparable: Option<Number<'a>>,
    /// What was charged, in USD.
    #[schemars(with = "Option<shapes::Amount>")]
    pub actual: Option<Number<'a>>,
}

/// Where its outputs are.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Links<'a> {
    /// URL of the generated source.
    #[schemars(with = "Option<shapes::Address>")]
    pub source_repo: Text<'a>,
    /// URL of the playable build.
    #[schemars(with = "Option<shapes::Address>")]
    pub playable_build: Text<'a>,
}

/// How it ended.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Status<'a> {
    /// How the run ended: `completed`, `timed_out`, `failed` and others, kept literally.
    #[schemars(with = "String")]
    pub state: Text<'a>,
    /// Why it ended like that.
    pub detail: Text<'a>,
}

/// An earlier entry of the same jam.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct PriorEntry<'a> {
    /// Id of the run.
    #[schemars(with = "Option<String>")]
    pub run_id: Text<'a>,
    /// When that run ended, RFC 3339.
    #[schemars(with = "Option<String>")]
    pub finished_at: Text<'a>,
    /// What it says of itself, in Markdown; not displayed.
    #[schemars(with = "Option<String>")]
    pub readme: Text<'a>,
}

/// `toolchain`: what its headline needs; the rest is shown as written.
#[derive(Debug)]
pub struct Toolchain<'a> {
    /// `typecheck.ran`
    pub typecheck_ran: Option<bool>,
    /// `typecheck.succeeded`: whether it ran and exited with 0.
    pub typecheck_succeeded: Option<bool>,
    /// The whole block.
    pub written: Node<'a>,
}

/// How the run presents itself.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Showcase<'a> {
    /// What it is, in Markdown.
    #[schemars(with = "Option<String>")]
    pub description: Text<'a>,
    /// Pictures, videos and replays.
    #[schemars(with = "Option<Vec<Media<'a>>>")]
    pub media: Vec<Media<'a>>,
}

/// A picture, a video or a replay.
#[derive(Debug, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct Media<'a> {
    /// The file.
    #[schemars(with = "Option<String>")]
    pub file: Text<'a>,
    /// Its name for people.
    #[schemars(with = "Option<String>")]
    pub name: Text<'a>,
    /// `image`, `video` or `replay`.
    #[schemars(with = "Option<String>")]
    pub kind: Text<'a>,
}
