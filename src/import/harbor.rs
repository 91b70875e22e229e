//! Harbor: each trial of a job is a run. The trial has the outcome; the agent's messages and actions are in a log below its
//! folder, preferably the agent's own.

mod logs;
mod trial;

use std::borrow::Cow;

use base::diagnostics::codes::IMPORT_UNFINISHED;
use formats::decimal;
use formats::model::run::{Metric, MetricSet};

use super::draft::{AdapterOutcome, Draft, EventContent, Origin, RecordDraft, RunIdSource, Tokens};
use super::raw_json;
use super::row::Row;
use super::time::seconds_between;
use super::usage::{InclusiveTokens, unless_zero};
use super::{EachRun, ImportOptions, LogSource, Problem, problem, shared};

use trial::Trial;

pub fn runs(source: &LogSource, options: &ImportOptions, each: EachRun<'_>) {
    let names = source.names();
    let folder = |name: &'_ str, file: &str| -> Option<String> {
        let folder = name.strip_suffix(file)?;
        (folder.is_empty() || folder.ends_with('/')).then(|| folder.to_owned())
    };
    let mut job = Job::default();
    let mut done: Vec<String> = Vec::new();
    // A job comes before its trials, and a trial before the files of its agent.
    let mut found: Vec<(String, usize, bool)> = Vec::new();
    for (position, name) in names.iter().enumerate() {
        if let Some(folder) = folder(name, "result.json") {
            found.push((folder, position, true));
        } else if let Some(folder) = folder(name, "config.json")
            && source.position(&format!("{folder}result.json")).is_none()
        {
            found.push((folder, position, false));
        }
    }
    found.sort();
    for (folder, position, has_result) in found {
        if done.iter().any(|trial| folder.starts_with(trial)) {
            continue;
        }
        match read(source, &folder, position, has_result, options, &mut job) {
            Ok(Some(draft)) => {
                done.push(folder);
                each(Ok(draft));
            }
            Ok(None) => {}
            Err(problem) => {
                if !folder.is_empty() {
                    done.push(folder);
                }
                each(Err(problem));
            }
        }
    }
}

/// The job of the trials.
#[derive(Default)]
struct Job {
    id: Option<String>,
    name: Option<String>,
}

/// Reads a trial. The file of a job is recorded, and is not a run.
fn read(
    source: &LogSource,
    folder: &str,
    position: usize,
    has_result: bool,
    options: &ImportOptions,
    job: &mut Job,
) -> Result<Option<Draft>, Problem> {
    let file = source.read(position)?;
    let text = raw_json::text(file.name, &file.bytes)?;
    let row = Row::parse_object(file.name, &text)?;
    if row.string("trial_name").is_none() {
        if has_result && row.count("n_total_trials").is_some() {
            job.id = row.name("id");
            job.name = job_name(source, folder);
        }
        return Ok(None);
    }
    if !has_result {
        return Err(running(file.name));
    }
    let trial = Trial::of(row);
    let files = shared::folder_of(source.names(), folder, position);
    let mut draft = logs::read(source, files, folder, &trial.steps(), options);
    let place = Origin {
        file: draft.sources.len(),
        ..Origin::default()
    };
    draft.sources.push(position);
    let record = record(&trial, job, &mut draft);
    draft.record = record;
    draft.record.outcomes = outcomes(source, folder, &trial, &mut draft);
    notes(&trial, &place, options, &mut draft);
    Ok(Some(draft))
}

fn running(file: &str) -> Problem {
    let message = "The trial has no `result.json`: it is running, or was stopped";
    let help = "Import the job again when the trial has ended.";
    problem(&IMPORT_UNFINISHED, file, message, help)
}

fn job_name(source: &LogSource, folder: &str) -> Option<String> {
    let config = source.position(&format!("{folder}config.json"))?;
    let file = source.read(config).ok()?;
    let text = raw_json::text(file.name, &file.bytes).ok()?;
    Row::parse(&text).ok()?.name("job_name")
}

fn record(trial: &Trial<'_>, job: &Job, draft: &mut Draft) -> RecordDraft {
    let mut log = std::mem::take(&mut draft.record);
    let row = &trial.row;
    let model = row.name("agent_info.model_info.name").map(|name| {
        // A path stays one, so that it is recognized as such.
        match row.word("agent_info.model_info.provider") {
            Some(provider) if name.starts_with(char::is_alphanumeric) => {
                format!("{provider}/{name}")
            }
            _ => name,
        }
    });
    log.add_ids([
        ("trial", row.name("trial_name")),
        ("dataset", row.name("source")),
        ("job", job.id.clone()),
        ("jobName", job.name.clone()),
    ]);
    let worked = draft.events.iter().any(|event| {
        use formats::trace::Role;
        let message = matches!(
            event.what,
            EventContent::Message {
                role: Role::Assistant,
                ..
            }
        );
        message || matches!(event.what, EventContent::ToolCall(_))
    });
    let results = trial.results();
    let costs = results
        .iter()
        .filter_map(|result| result.number("cost_usd"));
    let cost = decimal::total(costs);
    let exceptions = trial.exceptions();
    let exception = exceptions.first().and_then(|it| it.name("exception_type"));
    for result in &results {
        let counts = ["n_input_tokens", "n_cache_tokens", "n_output_tokens"];
        draft.check_numbers(result, &["cost_usd"], &counts);
    }
    let mut incomplete = MetricSet::default();
    for (key, metrics) in [
        ("n_input_tokens", &[Metric::UncachedInput][..]),
        ("n_cache_tokens", &[Metric::CachedInput]),
        ("n_output_tokens", &[Metric::Output, Metric::Reasoning]),
        ("cost_usd", &[Metric::ActualCost]),
    ] {
        let known = results.iter().filter(|result| result.has(key)).count();
        if known < trial.parts() {
            for metric in metrics {
                incomplete.insert(*metric);
            }
        }
    }
    let (started, finished) = (row.name("started_at"), row.name("finished_at"));
    let version = ["task_id.ref", "task_id.git_commit_id", "task_checksum"];
    RecordDraft {
        id: row
            .name("id")
            .map_or_else(RunIdSource::default, RunIdSource::Own),
        ids: log.ids,
        case: row.name("task_name"),
        case_version: row.first(version).map(Cow::into_owned),
        harness: row.name("agent_info.name").or(log.harness),
        harness_version: row.name("agent_info.version").or(log.harness_version),
        models: model.map_or(log.models, |model| vec![model]),
        run_time_seconds: trial
            .seconds()
            .or_else(|| seconds_between(started.as_deref(), finished.as_deref())),
        started,
        finished,
        tokens: tokens(&results, log.tokens, worked),
        incomplete,
        cost,
        cost_estimated: cost.is_some() && log.cost_estimated,
        state: state(exception.as_deref()),
        detail: exception,
        includes: log.includes,
        unused: log.unused,
        ..RecordDraft::default()
    }
}

/// Tokens of the trial or of its steps. Only a log has reasoning tokens, which are used if it has the same number of output
/// tokens. Zeros of an agent that worked mean that nothing was counted.
fn tokens(results: &[Row<'_>], log: Tokens, worked: bool) -> Tokens {
    let sum = |key| {
        let counts = results.iter().filter_map(|result| result.count(key));
        counts.reduce(u64::saturating_add)
    };
    let output = sum("n_output_tokens");
    let reasoning = log.reasoning.filter(|reasoning| {
        let all = log.output.map(|rest| rest.saturating_add(*reasoning));
        all.is_some() && all == output
    });
    let tokens = InclusiveTokens {
        input: sum("n_input_tokens"),
        cached: sum("n_cache_tokens"),
        output,
        reasoning,
    };
    let tokens = tokens.disjoint();
    if worked { unless_zero(tokens) } else { tokens }
}

/// Rewards of the trial and of its steps. They do not count if something other than the agent ended the trial.
fn outcomes(
    source: &LogSource,
    folder: &str,
    trial: &Trial<'_>,
    draft: &mut Draft,
) -> Vec<AdapterOutcome> {
    let exceptions = trial.exceptions();
    let foreign = exceptions
        .iter()
        .map(|exception| exception.text("exception_type"))
        .find(|kind| !ended_by_agent(kind));
    let mut rewards = trial.rewards();
    if rewards.is_empty() {
        rewards = trial::reward_files(source, folder, draft);
    }
    let outcome = |(name, value): (String, Box<serde_json::value::RawValue>)| AdapterOutcome {
        reason: foreign
            .as_deref()
            .or((value.get() == "null").then_some("unscored"))
            .map(str::to_owned),
        name,
        value,
        scorer: Some("verifier".to_owned()),
        kind: Some("reward"),
        valid: Some(foreign.is_none()),
    };
    rewards.into_iter().map(outcome).collect()
}

/// Notes why a trial ended, and what its run time is measured from.
fn notes(trial: &Trial<'_>, place: &Origin, options: &ImportOptions, draft: &mut Draft) {
    let at = |pointer: &str| Origin {
        pointer: Some(pointer.to_owned()),
        ..place.clone()
    };
    if trial.seconds().is_some() {
        let text = "The run time is that of the agent, without setup and verification".to_owned();
        draft.note(at("/agent_execution"), "run time", Some(text));
    }
    for exception in trial.exceptions() {
        let message = exception.text("exception_message").into_owned();
        let frames = exception.text("exception_traceback");
        let message = draft.error_message(options, message, &frames);
        let code = exception.name("exception_type");
        draft.push(at("/exception_info"), EventContent::Error { message, code });
    }
}

fn ended_by_agent(exception: &str) -> bool {
    matches!(
        exception,
        "AgentTimeoutError"
            | "ContextWindowExceededError"
            | "OutputTokenExceededError"
            | "ContextLengthExceededError"
            | "OutputLengthExceededError"
            | "AgentSafetyRefusalError"
            | "ContentPolicyViolationError"
    )
}

/// The state of the run, by the type of its exception.
fn state(exception: Option<&str>) -> &'static str {
    const OF_OTHERS: [&str; 8] = [
        "Environment",
        "Sandbox",
        "Api",
        "API",
        "Verifier",
        "RewardFile",
        "AgentSetupTimeout",
        "Healthcheck",
    ];
    /// Errors of model providers.
    const PROVIDERS: [&str; 6] = [
        "RateLimitError",
        "AuthenticationError",
        "InternalServerError",
        "ServiceUnavailableError",
        "BadGatewayError",
        "Timeout",
    ];
    let Some(kind) = exception else {
        return "completed";
    };
    match kind {
        "AgentTimeoutError" => "timed_out",
        "AgentSafetyRefusalError" | "ContentPolicyViolationError" => "unknown",
        "CancelledError" => "canceled",
        _ if ended_by_agent(kind) => "limit_exceeded",
        _ if OF_OTHERS.iter().any(|word| kind.starts_with(word)) => "infrastructure",
        _ if PROVIDERS.contains(&kind) => "infrastructure",
        _ => "harness_error",
    }
}
