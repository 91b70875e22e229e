//! Knows the shape of a run record: one type per object of the document, nested as it is written (formats.md A).

use std::borrow::Cow;

use crate::formats::json::Node;
use crate::formats::reader::Number;

/// A text of the document; `None` is absent, null or (with a problem reported) of another type.
pub type Text<'a> = Option<Cow<'a, str>>;

/// A record as written. What is `None` was absent, null or (with a problem reported) of a wrong type.
#[derive(Debug, Default)]
pub struct RunRecord<'a> {
    /// `id`: unique run id.
    pub id: Text<'a>,
    /// `startedAt`: RFC 3339.
    pub started_at: Text<'a>,
    /// `finishedAt`: RFC 3339.
    pub finished_at: Text<'a>,
    /// `publishedAt`: RFC 3339; some feeds carry it, records usually do not.
    pub published_at: Text<'a>,
    /// `subject`: what was run.
    pub subject: Subject<'a>,
    /// `tooling`: what ran it.
    pub tooling: Tooling<'a>,
    /// `environment`: where it ran.
    pub environment: Environment<'a>,
    /// `metrics`: what it took.
    pub metrics: Metrics<'a>,
    /// `validation`: what was found afterwards.
    pub validation: Validation<'a>,
    /// `links`: where its outputs are.
    pub links: Links<'a>,
    /// `status`: how it ended.
    pub status: Status<'a>,
    /// `gameJamReadme`: what the entry says of itself, Markdown.
    pub game_jam_readme: Text<'a>,
    /// `gameJamPriorEntries`: entries of the same jam that this one built upon.
    pub game_jam_prior_entries: Vec<PriorEntry<'a>>,
    /// `toolCalls`: how often each tool was called, by its lower-case name, in the order of the document.
    pub tool_calls: Vec<(Cow<'a, str>, Number<'a>)>,
    /// `seedCommit`: the commit that the run began from.
    pub seed_commit: Text<'a>,
    /// `codeAnalysis`: measurements of the code, passed on as written.
    pub code_analysis: Option<Node<'a>>,
    /// `toolchain`: type check, linter, tests; absent is "not checked".
    pub toolchain: Option<Toolchain<'a>>,
    /// `showcase`: how the run presents itself.
    pub showcase: Option<Showcase<'a>>,
}

/// `subject`
#[derive(Debug, Default)]
pub struct Subject<'a> {
    /// `testCaseSlug`
    pub test_case_slug: Text<'a>,
    /// `testCaseVersion`: exact version of the test case.
    pub test_case_version: Text<'a>,
    /// `testType`: `end-to-end` when absent (A.ii).
    pub test_type: Text<'a>,
    /// `variant`: absent in the oldest records.
    pub variant: Text<'a>,
    /// `harnessSlug`
    pub harness_slug: Text<'a>,
    /// `harnessVersion`
    pub harness_version: Text<'a>,
    /// `modelId`: opaque.
    pub model_id: Text<'a>,
    /// `orchestratorSlug`: `one-shot` when absent (A.ii).
    pub orchestrator_slug: Text<'a>,
    /// `engineSlug`: `none` when absent (A.ii).
    pub engine_slug: Text<'a>,
    /// `engineVersion`
    pub engine_version: Text<'a>,
    /// `ggCapabilitySet`: of the harness gg, passed on as written.
    pub gg_capability_set: Option<Node<'a>>,
    /// `ggSummary`: of the harness gg, passed on as written.
    pub gg_summary: Option<Node<'a>>,
}

/// `tooling`
#[derive(Debug, Default)]
pub struct Tooling<'a> {
    /// `testCabinetCommit`: commit of the orchestrator, `-dirty` when its tree was modified.
    pub test_cabinet_commit: Text<'a>,
}

/// `environment`
#[derive(Debug, Default)]
pub struct Environment<'a> {
    /// `os`: `PRETTY_NAME` or `unknown`.
    pub os: Text<'a>,
    /// `containerImage`: a tag or a digest reference, kept as it is.
    pub container_image: Text<'a>,
    /// `nodeVersion`: for example `v22.14.0`.
    pub node_version: Text<'a>,
    /// `authMode`: `apiKey` or `subscription`; no default.
    pub auth_mode: Text<'a>,
}

/// `metrics`
#[derive(Debug, Default)]
pub struct Metrics<'a> {
    /// `runTimeSeconds`: wall clock.
    pub run_time_seconds: Option<Number<'a>>,
    /// Durations of the stages, by their keys as written, in the order of the document; null is "not reported".
    pub stages: Vec<(Cow<'a, str>, Option<Number<'a>>)>,
    /// `tokens`
    pub tokens: Tokens<'a>,
    /// `cost`
    pub cost: Cost<'a>,
}

/// `metrics.tokens`: four classes that do not overlap; null is "not reported".
#[derive(Debug, Default)]
pub struct Tokens<'a> {
    /// `uncachedInput`: input that was not served from a cache.
    pub uncached_input: Option<Number<'a>>,
    /// `cachedInput`: input that was served from a cache.
    pub cached_input: Option<Number<'a>>,
    /// `output`: output without reasoning.
    pub output: Option<Number<'a>>,
    /// `reasoning`
    pub reasoning: Option<Number<'a>>,
}

/// `metrics.cost`, in USD; null is an unknown price, 0 is free.
#[derive(Debug, Default)]
pub struct Cost<'a> {
    /// `comparable`: at list prices.
    pub comparable: Option<Number<'a>>,
    /// `actual`: what was charged.
    pub actual: Option<Number<'a>>,
}

/// `validation`
#[derive(Debug, Default)]
pub struct Validation<'a> {
    /// `loaded`: whether the implementation loaded.
    pub loaded: Option<bool>,
    /// `detail`: why not.
    pub detail: Text<'a>,
    /// `install`: `None` is "never attempted".
    pub install: Option<Step<'a>>,
    /// `build`: `None` is "never reached".
    pub build: Option<Step<'a>>,
    /// `checks`: visual checks, in the record's order.
    pub checks: Vec<Check<'a>>,
    /// `referenceComparisons`: what the oldest records have for checks.
    pub reference_comparisons: Vec<ReferenceComparison<'a>>,
    /// `proofs`: evidence that the run left, in the record's order.
    pub proofs: Vec<Proof<'a>>,
    /// `debugScripts`: what the case's own scripts found, in the record's order.
    pub debug_scripts: Vec<DebugScript<'a>>,
    /// `asset`
    pub asset: Option<Node<'a>>,
    /// `voxel`
    pub voxel: Option<Node<'a>>,
    /// `audio`
    pub audio: Option<Node<'a>>,
    /// `particle`
    pub particle: Option<Node<'a>>,
    /// `ui`
    pub ui: Option<Node<'a>>,
    /// `material`
    pub material: Option<Node<'a>>,
    /// `adversarial`
    pub adversarial: Option<Adversarial<'a>>,
    /// `performance`
    pub performance: Option<Performance<'a>>,
}

/// `validation.install` and `validation.build`
#[derive(Debug, Default)]
pub struct Step<'a> {
    /// `command`
    pub command: Text<'a>,
    /// `succeeded`
    pub succeeded: Option<bool>,
    /// `detail`: what it said.
    pub detail: Text<'a>,
    /// Further keys (an excerpt of the output, the number of attempts): their names are not settled, so
    /// they are kept as written.
    pub more: Vec<(Cow<'a, str>, Node<'a>)>,
}

/// `validation.checks[]`
#[derive(Debug, Default)]
pub struct Check<'a> {
    /// `view`: keys the column of a comparison table.
    pub view: Text<'a>,
    /// `name`: for people; humanised from the view when absent (formats.md, contradiction 12).
    pub name: Text<'a>,
    /// `reached`
    pub reached: Option<bool>,
    /// `similarity`: 0 to 1.
    pub similarity: Option<Number<'a>>,
    /// `detail`: why it was not reached.
    pub detail: Text<'a>,
    /// JSON pointer to it.
    pub pointer: String,
}

/// `validation.referenceComparisons[]`: a view that was reached.
#[derive(Debug, Default)]
pub struct ReferenceComparison<'a> {
    /// `view`
    pub view: Text<'a>,
    /// `similarity`: 0 to 1.
    pub similarity: Option<Number<'a>>,
    /// JSON pointer to it.
    pub pointer: String,
}

/// `validation.proofs[]`
#[derive(Debug, Default)]
pub struct Proof<'a> {
    /// `id`
    pub id: Text<'a>,
    /// `name`: for people.
    pub name: Text<'a>,
    /// `kind`: `image`, `video`, `replay`.
    pub kind: Text<'a>,
    /// `dest`: where the run was asked to put it.
    pub dest: Text<'a>,
    /// `present`: whether it was found.
    pub present: Option<bool>,
    /// `detail`
    pub detail: Text<'a>,
}

/// `validation.debugScripts[]`
#[derive(Debug, Default)]
pub struct DebugScript<'a> {
    /// `itemId`: the item of the checklist that it backs.
    pub item_id: Text<'a>,
    /// `subItemId`
    pub sub_item_id: Text<'a>,
    /// `title`
    pub title: Text<'a>,
    /// `categoryTitle`: empty when absent.
    pub category_title: Text<'a>,
    /// `script`: its path.
    pub script: Text<'a>,
    /// `ran`
    pub ran: Option<bool>,
    /// `gates`: true when absent.
    pub gates: Option<bool>,
    /// `preconditionUnmet`: false when absent.
    pub precondition_unmet: Option<bool>,
    /// `detail`
    pub detail: Text<'a>,
    /// `verdicts`
    pub verdicts: Vec<Verdict<'a>>,
    /// `outputs`
    pub outputs: Vec<ScriptOutput<'a>>,
}

/// `validation.debugScripts[].verdicts[]`
#[derive(Debug, Default)]
pub struct Verdict<'a> {
    /// `id`
    pub id: Text<'a>,
    /// `pass`
    pub pass: Option<bool>,
    /// `assertions`
    pub assertions: Vec<Assertion<'a>>,
}

/// `validation.debugScripts[].verdicts[].assertions[]`
#[derive(Debug, Default)]
pub struct Assertion<'a> {
    /// `label`
    pub label: Text<'a>,
    /// `pass`
    pub pass: Option<bool>,
    /// `expected`: any JSON.
    pub expected: Option<Node<'a>>,
    /// `actual`: any JSON.
    pub actual: Option<Node<'a>>,
}

/// `validation.debugScripts[].outputs[]`
#[derive(Debug, Default)]
pub struct ScriptOutput<'a> {
    /// `id`
    pub id: Text<'a>,
    /// `name`
    pub name: Text<'a>,
    /// `kind`
    pub kind: Text<'a>,
    /// `actualPresent`
    pub actual_present: Option<bool>,
}

/// `validation.adversarial`: what its headline needs; the rest is shown as written.
#[derive(Debug)]
pub struct Adversarial<'a> {
    /// `opponent`
    pub opponent: Text<'a>,
    /// `submissionTeam`: `red` or `blue`.
    pub submission_team: Text<'a>,
    /// `winner`: `red`, `blue` or null, which is a draw.
    pub winner: Text<'a>,
    /// `redScore`
    pub red_score: Option<Number<'a>>,
    /// `blueScore`
    pub blue_score: Option<Number<'a>>,
    /// `ended`: `swept`, `time_limit`, `forfeit`.
    pub ended: Text<'a>,
    /// `ticks`
    pub ticks: Option<Number<'a>>,
    /// `outcome`: `win`, `loss`, `draw`, `forfeit`.
    pub outcome: Text<'a>,
    /// The whole block.
    pub written: Node<'a>,
}

/// `validation.performance`: what its headline needs; the rest is shown as written.
#[derive(Debug)]
pub struct Performance<'a> {
    /// `correct`
    pub correct: Option<bool>,
    /// `totalFuel`
    pub total_fuel: Option<Number<'a>>,
    /// `fuelLimit`
    pub fuel_limit: Option<Number<'a>>,
    /// `cases`
    pub cases: Vec<PerformanceCase>,
    /// The whole block.
    pub written: Node<'a>,
}

/// `validation.performance.cases[]`: what the headline counts.
#[derive(Debug)]
pub struct PerformanceCase {
    /// `correct`
    pub correct: Option<bool>,
    /// `overCeiling`
    pub over_ceiling: Option<bool>,
    /// `skipped`: false when absent.
    pub skipped: Option<bool>,
}

/// `links`
#[derive(Debug, Default)]
pub struct Links<'a> {
    /// `sourceRepo`: URL of the generated source.
    pub source_repo: Text<'a>,
    /// `playableBuild`: URL of the playable build.
    pub playable_build: Text<'a>,
}

/// `status`
#[derive(Debug, Default)]
pub struct Status<'a> {
    /// `state`: `completed`, `failed`, ...; kept literally.
    pub state: Text<'a>,
    /// `detail`: why the run ended as it did.
    pub detail: Text<'a>,
}

/// `gameJamPriorEntries[]`
#[derive(Debug, Default)]
pub struct PriorEntry<'a> {
    /// `runId`
    pub run_id: Text<'a>,
    /// `finishedAt`: RFC 3339.
    pub finished_at: Text<'a>,
    /// `readme`: Markdown; in the newest records.
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

/// `showcase`
#[derive(Debug, Default)]
pub struct Showcase<'a> {
    /// `description`: Markdown.
    pub description: Text<'a>,
    /// `media`
    pub media: Vec<Media<'a>>,
}

/// `showcase.media[]`
#[derive(Debug, Default)]
pub struct Media<'a> {
    /// `file`
    pub file: Text<'a>,
    /// `name`
    pub name: Text<'a>,
    /// `kind`: `image`, `video`, `replay`.
    pub kind: Text<'a>,
}
