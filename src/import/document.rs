//! Serializes an imported run: its record and its trace.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use base::document;
use formats::decimal;
use formats::trace::{self, SourceFile};

use super::assets::Asset;
use super::draft::{
    AdapterOutcome, Draft, DraftEvent, EventContent, Origin, RecordDraft, RunIdSource, Tokens,
    only_model,
};
use super::time::{self, LogTime};
use super::{ImportOptions, Keep};

/// The id of a run: the source's own, or a UUID of version 8 derived from what identifies the run.
pub(super) fn id(draft: &Draft, format: &str, sources: &[SourceFile]) -> String {
    let (names, with_digests) = match &draft.record.id {
        RunIdSource::Own(id) if !id.trim().is_empty() => return id.clone(),
        RunIdSource::Own(_) => (&[][..], true),
        RunIdSource::Derived {
            names,
            with_digests,
        } => (&names[..], *with_digests || names.is_empty()),
    };
    let mut hasher = blake3::Hasher::new();
    hasher.update(format.as_bytes());
    let digests = sources.iter().filter(|_| with_digests);
    for part in names.iter().chain(digests.map(|source| &source.blake3)) {
        hasher.update(b"\n");
        hasher.update(part.as_bytes());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    bytes[6] = bytes[6] & 0x0F | 0x80;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    parts.join("-")
}

document! {
    #[serde(rename_all = "camelCase")]
    struct RecordDocument<'a>(
        draft: &'a Draft,
        id: &'a str,
        sources: &'a [SourceFile],
        importer: &'a trace::Importer,
        defaults: &'a RunDefaults,
        options: &ImportOptions,
        others: &'a BTreeMap<String, Box<RawValue>>
    )
    let record = &draft.record;
    {
        id: &'a str = id,
        #[serde(skip_serializing_if = "Option::is_none")]
        started_at: &'a Option<String> = &record.started,
        #[serde(skip_serializing_if = "Option::is_none")]
        finished_at: &'a Option<String> = &record.finished,
        subject: Subject<'a> = Subject::of(record, defaults),
        metrics: MetricsDocument = MetricsDocument::of(record),
        status: Status<'a> = Status::of(record),
        #[serde(skip_serializing_if = "<[AdapterOutcome]>::is_empty")]
        outcomes: &'a [AdapterOutcome] = &record.outcomes,
        import: Import<'a> = Import::of(draft, sources, importer, options),
        /// Keys of the record that runpress did not write.
        #[serde(flatten)]
        others: &'a BTreeMap<String, Box<RawValue>> = others,
    }
}

document! {
    #[serde(rename_all = "camelCase")]
    struct Subject<'a>(record: &'a RecordDraft, defaults: &'a RunDefaults) {
        test_case_slug: &'a str = record.case.as_deref().unwrap_or_default(),
        #[serde(skip_serializing_if = "Option::is_none")]
        test_case_version: &'a Option<String> = &record.case_version,
        variant: &'a str = defaults.variant.as_deref().unwrap_or("base"),
        harness_slug: &'a str = record.harness.as_deref().unwrap_or_default(),
        #[serde(skip_serializing_if = "Option::is_none")]
        harness_version: &'a Option<String> = &record.harness_version,
        #[serde(skip_serializing_if = "Option::is_none")]
        model_id: Option<&'a String> = only_model(&record.models),
    }
}

document! {
    #[serde(rename_all = "camelCase")]
    struct MetricsDocument(record: &RecordDraft) {
        #[serde(skip_serializing_if = "Option::is_none")]
        run_time_seconds: Option<f64> = record.run_time_seconds,
        tokens: AllTokens = AllTokens::of(record.tokens),
        cost: Cost = Cost::of(record.cost),
    }
}

document! {
    /// The four classes, null where unknown.
    #[serde(rename_all = "camelCase")]
    struct AllTokens(tokens: Tokens) {
        uncached_input: Option<u64> = tokens.uncached_input,
        cached_input: Option<u64> = tokens.cached_input,
        output: Option<u64> = tokens.output,
        reasoning: Option<u64> = tokens.reasoning,
    }
}

document! {
    struct Cost(actual: Option<f64>) {
        comparable: () = (),
        actual: Option<f64> = actual,
    }
}

document! {
    struct Status<'a>(record: &'a RecordDraft) {
        state: &'a str = if record.state.is_empty() { "unknown" } else { record.state },
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: &'a Option<String> = &record.detail,
    }
}

document! {
    #[serde(rename_all = "camelCase")]
    struct Import<'a>(draft: &'a Draft, sources: &'a [SourceFile], importer: &'a trace::Importer, options: &ImportOptions)
    let record = &draft.record;
    {
        format: &'a str = &importer.format,
        #[serde(skip_serializing_if = "Option::is_none")]
        format_version: &'a Option<String> = &record.format_version,
        importer_version: u32 = importer.version,
        sources: &'a [SourceFile] = sources,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        ids: &'a BTreeMap<String, String> = &record.ids,
        /// Set if several models worked on the run.
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        models: &'a [String] = if only_model(&record.models).is_some() { &[] } else { &record.models },
        #[serde(skip_serializing_if = "Option::is_none")]
        local_finished: &'a Option<String> = &record.local_finished,
        rules: serde_json::Value = rules(options),
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        withheld: &'a BTreeMap<&'static str, u64> = &draft.withheld,
        #[serde(skip_serializing_if = "<[&str]>::is_empty")]
        estimated: &'a [&'static str] = if record.cost_estimated { &["cost"] } else { &[] },
        /// Paths in `metrics`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        lower_bounds: Vec<&'static str> = record.known_lower_bounds(),
        #[serde(skip_serializing_if = "<[&str]>::is_empty")]
        given: &'a [&'static str] = &record.given,
        #[serde(skip_serializing_if = "<[&str]>::is_empty")]
        includes: &'a [&'static str] = &record.includes,
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        unused: &'a [String] = &record.unused,
    }
}

/// The user's values for runs whose source lacks them.
#[derive(Debug, Clone, Default)]
pub struct RunDefaults {
    /// Name of the case.
    pub case: Option<String>,
    pub case_version: Option<String>,
    /// Variant of the case.
    pub variant: Option<String>,
    pub model: Option<String>,
    pub harness: Option<String>,
}

/// Fills missing fields, and removes values that are invalid in a record. Returns what is removed, in words.
pub(super) fn complete(
    record: &mut RecordDraft,
    defaults: &RunDefaults,
    format: &str,
) -> Vec<String> {
    for (name, value, given) in [
        ("case", &mut record.case, &defaults.case),
        (
            "caseVersion",
            &mut record.case_version,
            &defaults.case_version,
        ),
        ("harness", &mut record.harness, &defaults.harness),
    ] {
        value.take_if(|value| value.trim().is_empty());
        if value.is_none() && given.is_some() {
            value.clone_from(given);
            record.given.push(name);
        }
    }
    record.harness.get_or_insert_with(|| format.to_owned());
    record.models.retain(|model| !model.trim().is_empty());
    record.models.dedup();
    if let (true, Some(model)) = (record.models.is_empty(), &defaults.model) {
        record.models.push(model.clone());
        record.given.push("model");
    }
    if defaults.variant.is_some() {
        record.given.push("variant");
    }
    let mut left_out = Vec::new();
    for (what, time) in [
        ("start", &mut record.started),
        ("end", &mut record.finished),
    ] {
        let Some(text) = time.take() else { continue };
        match LogTime::parse(&text) {
            Some(LogTime::Utc(read)) => *time = Some(read),
            Some(LogTime::Local(_)) => {
                left_out.push(format!(
                    "The {what} of the run has no time zone, and is left out"
                ));
            }
            None => left_out.push(format!(
                "The {what} of the run is not a time, and is left out"
            )),
        }
    }
    let moment = |time: &Option<String>| time::milliseconds(time.as_deref()?);
    let ran = moment(&record.started).zip(moment(&record.finished));
    if ran.is_some_and(|(start, end)| end < start) {
        record.finished = None;
        left_out.push("The run ends before it starts, so its end is left out".to_owned());
    }
    let measured = |seconds: &f64| seconds.is_finite() && *seconds >= 0.0;
    // A session includes waiting for people, so only the source knows the run time.
    for (what, number) in [
        ("run time", &mut record.run_time_seconds),
        ("cost", &mut record.cost),
    ] {
        if number.take_if(|number| !measured(number)).is_some() {
            left_out.push(format!("The {what} is negative, and is left out"));
        }
    }
    // Programs add costs as binary numbers.
    record.cost = record.cost.map(decimal::without_noise);
    left_out
}

/// Serializes the record. `others` are keys that runpress did not write.
pub(super) fn record(
    draft: &Draft,
    id: &str,
    sources: &[SourceFile],
    importer: &trace::Importer,
    defaults: &RunDefaults,
    options: &ImportOptions,
    others: &BTreeMap<String, Box<RawValue>>,
) -> serde_json::Result<Vec<u8>> {
    let written = RecordDocument::of(draft, id, sources, importer, defaults, options, others);
    let mut bytes = serde_json::to_vec_pretty(&written)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn rules(options: &ImportOptions) -> serde_json::Value {
    let kept = Keep::ALL.iter().filter(|(keep, _)| options.keeps(*keep));
    let mut rules: Vec<String> = kept.map(|(_, name)| format!("keep-{name}")).collect();
    if options.no_reasoning {
        rules.push("no-reasoning".to_owned());
    }
    if rules.is_empty() {
        return "default".into();
    }
    rules.into()
}

/// Serializes the trace.
pub(super) fn trace(
    draft: &Draft,
    sources: &[SourceFile],
    importer: &trace::Importer,
) -> serde_json::Result<Vec<u8>> {
    let withheld = draft.withheld.iter();
    let withheld = withheld.map(|(what, count)| ((*what).to_owned(), *count));
    let header = trace::TraceHeader {
        schema_version: base::shapes::SCHEMA_VERSION,
        importer: Some(importer.clone()),
        sources: sources.to_vec(),
        agents: draft.agents.clone(),
        withheld: withheld.collect(),
        positions: BTreeMap::new(),
    };
    // A trace has about the size of its sources, so this avoids reallocation.
    let bytes: u64 = sources.iter().map(|source| source.bytes).sum();
    let mut out = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
    serde_json::to_writer(&mut out, &header)?;
    out.push(b'\n');
    let paths: Vec<String> = draft.assets.iter().map(Asset::path).collect();
    for (seq, event) in draft.events.iter().enumerate() {
        let assets = event.assets.iter().filter_map(|at| paths.get(*at));
        let line = Line::of(seq, event, assets.collect());
        serde_json::to_writer(&mut out, &line)?;
        out.push(b'\n');
    }
    Ok(out)
}

document! {
    #[serde(rename_all = "camelCase")]
    struct Line<'a>(seq: usize, event: &'a DraftEvent, assets: Vec<&'a String>) {
        seq: usize = seq,
        r#type: &'static str = event.what.kind(),
        #[serde(skip_serializing_if = "Option::is_none")]
        time: Option<&'a String> = event.time.as_ref(),
        #[serde(skip_serializing_if = "Option::is_none")]
        local_time: Option<&'a String> = event.local_time.as_ref(),
        #[serde(skip_serializing_if = "Option::is_none")]
        agent: Option<&'a String> = event.agent.as_ref(),
        #[serde(skip_serializing_if = "Option::is_none")]
        branch: Option<&'a String> = event.branch.as_ref(),
        #[serde(skip_serializing_if = "Option::is_none")]
        turn: Option<u64> = event.turn,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        assets: Vec<&'a String> = assets,
        #[serde(skip_serializing_if = "<[&str]>::is_empty")]
        lower_bounds: &'a [&'static str] = &event.lower_bounds,
        #[serde(flatten)]
        what: &'a EventContent = &event.what,
        source: &'a Origin = &event.source,
    }
}
