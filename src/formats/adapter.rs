//! The lines that an adapter prints: a header, then for each run what is known of it and its events, which are those of a trace.
//! `runpress import --from-command` reads them from the standard output of a command.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use base::diagnostics::text::{did_you_mean, quoted};
use base::diagnostics::{Collector, Diagnostic, Place, Source, codes};
use base::shapes;

use super::event_line::EventFields as _;
use super::json::{Node, schema_keys};
use super::jsonl::{self, Line, LineFaultCause};
use super::trace::{EventSource, Importer, Tokens, TraceAgent, TraceEventFields, TraceEventKind};

/// The name of files with what an adapter printed, in examples; runpress reads only standard output.
pub const FILE_NAME: &str = "*.adapter.jsonl";

/// A line of an adapter. The first is the header. Then each record begins a run, and the events of the run follow.
#[derive(Debug, JsonSchema)]
#[schemars(untagged, transform = by_type)]
#[allow(
    dead_code,
    clippy::large_enum_variant,
    reason = "only its schema is used"
)]
pub enum AdapterLine<'a> {
    /// The first line, and no other.
    Header(AdapterHeader),
    /// Begins a run.
    Record(AdapterRecord),
    /// An event of the run, in the order of recording. `seq` and `assets` have no effect.
    Event(TraceEventFields<'a>),
}

const HEADER: &str = "adapter";
const RECORD: &str = "record";

/// Decides by `type` which of the three a line is, so that a reader reports what is wrong with it.
fn by_type(schema: &mut Schema) {
    let Some(Value::Array(either)) = schema.remove("anyOf") else {
        return;
    };
    let Ok([header, record, mut event]) = <[Value; 3]>::try_from(either) else {
        return;
    };
    let is =
        |name: &str| json!({ "required": ["type"], "properties": { "type": { "const": name } } });
    // A misspelled type or key would be lost without a word.
    let types: Vec<_> = TraceEventFields::TYPES
        .iter()
        .map(|(name, ..)| *name)
        .collect();
    event["properties"] = json!({
        "type": { "enum": types },
        "tokens": { "propertyNames": { "enum": schema_keys::<Tokens>() } },
        "source": { "propertyNames": { "enum": schema_keys::<EventSource<'_>>() } },
    });
    event["unevaluatedProperties"] = json!(false);
    schema.insert("if".to_owned(), is(HEADER));
    schema.insert("then".to_owned(), header);
    let rest = json!({ "if": is(RECORD), "then": record, "else": event });
    schema.insert("else".to_owned(), rest);
}

/// Refuses unknown keys of agents, which a trace ignores.
fn without_unknown_keys(agents: &mut Schema) {
    if let Some(Value::Object(items)) = agents.get_mut("items") {
        items.insert(
            "propertyNames".to_owned(),
            json!({ "enum": schema_keys::<TraceAgent>() }),
        );
    }
}

/// First line of an adapter.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdapterHeader {
    /// Always `adapter`.
    #[serde(rename = "type")]
    #[allow(dead_code, reason = "it decides before the line is read")]
    word: String,
    /// Version of the format of these lines.
    #[schemars(with = "shapes::Version")]
    pub schema_version: u32,
    /// The format that the adapter reads, and the version of the adapter. Increment it whenever the same file gives other lines.
    #[schemars(extend("propertyNames" = { "enum": schema_keys::<Importer>() }))]
    pub importer: Importer,
}

/// Begins a run. Its keys are those of a run record; a value that the source does not state is left out.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdapterRecord {
    /// Always `record`.
    #[serde(rename = "type")]
    #[allow(dead_code, reason = "it decides before the line is read")]
    word: String,
    /// The source's own id of the run. A UUID becomes the id of the run; of any other, an id is derived.
    pub id: Option<String>,
    /// Start of the run, RFC 3339.
    pub started_at: Option<String>,
    /// End of the run, RFC 3339.
    pub finished_at: Option<String>,
    /// What ran, and on what.
    #[serde(default)]
    pub subject: AdapterSubject,
    /// What the source measured.
    #[serde(default)]
    pub metrics: AdapterMetrics,
    /// How the run ended.
    #[serde(default)]
    pub status: AdapterStatus,
    /// Rewards, scores and submissions.
    #[serde(default)]
    pub outcomes: Vec<AdapterOutcome>,
    /// What the source says of itself.
    #[serde(default)]
    pub import: AdapterImport,
    /// The agents beside the main one. Every `agent` of an event is one of them.
    #[serde(default)]
    #[schemars(transform = without_unknown_keys)]
    pub agents: Vec<TraceAgent>,
    /// What the adapter left out, and how often.
    #[serde(default)]
    #[schemars(extend("default" = {}, "propertyNames" = { "enum": OmittedContent::ALL.map(OmittedContent::word) }))]
    pub withheld: BTreeMap<OmittedContent, u64>,
    /// Names that runpress replaces in the whole run.
    #[serde(default)]
    pub private: AdapterPrivate,
}

/// What ran, and on what.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdapterSubject {
    /// Name of the task.
    pub test_case_slug: Option<String>,
    /// Version of the task.
    pub test_case_version: Option<String>,
    /// Name of the agent's program.
    pub harness_slug: Option<String>,
    /// Version of the agent's program.
    pub harness_version: Option<String>,
    /// The model.
    pub model_id: Option<String>,
}

/// What the source measured. What it did not count is left out, and never 0.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdapterMetrics {
    /// Seconds that the run took.
    pub run_time_seconds: Option<f64>,
    /// Tokens of the whole run. Without them, those of the `usage` events are added up.
    #[schemars(extend("propertyNames" = { "enum": schema_keys::<Tokens>() }))]
    pub tokens: Option<Tokens>,
    /// Cost of the whole run.
    #[serde(default)]
    pub cost: AdapterCost,
}

/// Cost of the whole run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdapterCost {
    /// USD, as the source states them.
    pub actual: Option<f64>,
}

/// How the run ended.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdapterStatus {
    /// The state, where the source has one of the same meaning.
    pub state: Option<AdapterState>,
    /// How the run ended, in the source's words.
    pub detail: Option<String>,
}

words! {
    /// How a run ended.
    #[derive(JsonSchema)]
    #[schemars(rename = "State")]
    AdapterState {
        /// The agent ended by itself.
        Completed = "completed",
        /// The time was up.
        TimedOut = "timed_out",
        /// A limit of tokens, cost or steps was reached.
        LimitExceeded = "limit_exceeded",
        /// The agent made no progress.
        Hung = "hung",
        /// The agent's program failed.
        HarnessError = "harness_error",
        /// Something other than the agent failed.
        Infrastructure = "infrastructure",
        /// Somebody stopped the run.
        Canceled = "canceled",
        /// The source does not say.
        Unknown = "unknown",
    }
}

words! {
    /// A value that may be an estimate.
    #[derive(JsonSchema)]
    #[schemars(rename = "Estimated")]
    EstimatedMetric {
        /// The cost.
        Cost = "cost",
    }
}

words! {
    /// What an adapter may leave out. Prompts are no part of this: they are notes, and runpress leaves them out.
    #[derive(JsonSchema)]
    #[schemars(rename = "Withheld")]
    OmittedContent {
        /// Reasoning that only the provider can read.
        EncryptedReasoning = "encryptedReasoning",
        /// Definitions of tools.
        ToolDefinitions = "toolDefinitions",
        /// Rows of the log that say nothing about the run.
        Bookkeeping = "bookkeeping",
        /// Attachments.
        Attachments = "attachments",
        /// Requests and responses as the provider had them.
        ProviderPayloads = "providerPayloads",
    }
}

/// One outcome of a run, verbatim.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdapterOutcome {
    /// Its name.
    pub name: String,
    /// The value: any JSON.
    pub value: Box<RawValue>,
    /// What gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scorer: Option<String>,
    /// `reward`, `score` or `submission`, which only importers write.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub kind: Option<&'static str>,
    /// Whether the source's own rules count it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<bool>,
    /// Why it has no value, or does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What the source says of itself.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdapterImport {
    /// Version of the source's format, as it states it.
    pub format_version: Option<String>,
    /// Further ids in the source, by name.
    #[serde(default)]
    #[schemars(extend("default" = {}))]
    pub ids: BTreeMap<String, String>,
    /// The models, if several worked on the run.
    #[serde(default)]
    pub models: Vec<String>,
    /// What the source estimated.
    #[serde(default)]
    pub estimated: Vec<EstimatedMetric>,
    /// Values that lack a part, as paths in `metrics`: `tokens.output`.
    #[serde(default)]
    pub lower_bounds: Vec<String>,
}

/// Names that runpress replaces in every text of a run, as it does with paths.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdapterPrivate {
    /// Working folders of the agent; they become `.`.
    #[serde(default)]
    pub folders: Vec<String>,
    /// Names of users. Those of home folders are found without this.
    #[serde(default)]
    pub users: Vec<String>,
    /// Names of computers.
    #[serde(default)]
    pub hosts: Vec<String>,
}

/// A line after the header.
#[derive(Debug)]
pub enum AdapterItem<'a> {
    Record(Box<AdapterRecord>),
    Event(TraceEventKind, Box<TraceEventFields<'a>>),
}

/// Reads the lines of an adapter. `each` gets every line after the header that can be read. All problems are errors.
#[must_use]
pub fn read<'a>(
    path: &str,
    bytes: &'a [u8],
    mut each: impl FnMut(&Line<'a>, AdapterItem<'a>),
) -> (Option<AdapterHeader>, Vec<Diagnostic>) {
    let mut problems = Collector::default();
    let mut lines = jsonl::lines(bytes);
    let header = match lines.next() {
        Some(line) => header(path, &line),
        None => Err(invalid(Place::file(path), "It printed nothing", BEGIN)),
    };
    let header = header.map_err(|problem| problems.push(*problem)).ok();
    let mut has_record = false;
    for line in lines {
        match item(path, &line) {
            Ok(AdapterItem::Event(..)) if !has_record => {
                let message = "An event before the first record";
                let help = "Print a line of the type `record` before the events of each run.";
                problems.push(*invalid(line.place(path, ""), message, help));
                has_record = true;
            }
            Ok(item) => {
                has_record = true;
                each(&line, item);
            }
            Err(problem) => problems.push(*problem),
        }
    }
    (header, problems.finish(path))
}

const BEGIN: &str = "Begin with `{\"type\":\"adapter\",\"schemaVersion\":1,\"importer\":{\"format\":\"NAME\",\"version\":1}}`.";
const SCHEMA: &str = "`runpress schema adapter` prints the schema of the lines.";

fn invalid(place: Place, message: impl Into<String>, help: impl Into<String>) -> Box<Diagnostic> {
    Box::new(codes::IMPORT_INVALID_LINE.at(place, message, help))
}

fn header(path: &str, line: &Line<'_>) -> Result<AdapterHeader, Box<Diagnostic>> {
    let (source, text) = (&line.source(path), &*line.text);
    let root = Node::parse(text).ok();
    let get = |key| root.and_then(|root| root.get(key));
    if get("type").and_then(|tag| tag.as_str()).as_deref() != Some(HEADER) {
        let message = "The first line is not a header";
        return Err(invalid(source.place(0, text.len()), message, BEGIN));
    }
    let version = get("schemaVersion").filter(|node| node.as_u64().is_some());
    if let Some(node) = version.filter(|node| node.as_u64() != Some(shapes::SCHEMA_VERSION.into()))
    {
        let message = format!("The lines have version {}", quoted(node.raw));
        let help = format!(
            "Print version {}, which is the only one.",
            shapes::SCHEMA_VERSION
        );
        let place = node.place(source).pointing("/schemaVersion");
        return Err(invalid(place, message, help));
    }
    let header = parsed(path, line)?;
    refuse_lost_keys(source, root)?;
    Ok(header)
}

fn parsed<'a, T: Deserialize<'a>>(path: &str, line: &Line<'a>) -> Result<T, Box<Diagnostic>> {
    line.object(path).map_err(|fault| {
        let help = match fault.cause {
            LineFaultCause::Encoding => "Print UTF-8.",
            _ => SCHEMA,
        };
        let message = fault.message();
        invalid(fault.place, message, help)
    })
}

fn item<'a>(path: &str, line: &Line<'a>) -> Result<AdapterItem<'a>, Box<Diagnostic>> {
    let (source, text) = (&line.source(path), &*line.text);
    let root = Node::parse(text).ok();
    let word = root.and_then(|root| root.get("type"));
    if word.and_then(|word| word.as_str()).as_deref() == Some(RECORD) {
        let record = parsed(path, line)?;
        refuse_lost_keys(source, root)?;
        return Ok(AdapterItem::Record(Box::new(record)));
    }
    let fields: TraceEventFields<'a> = parsed(path, line)?;
    let whole = || source.place(0, text.len());
    let name = fields.word();
    let Some((_, kind, required)) = TraceEventFields::TYPES
        .iter()
        .find(|(known, ..)| *known == name)
    else {
        let known = TraceEventFields::TYPES
            .iter()
            .map(|(known, ..)| *known)
            .chain([RECORD]);
        let help = did_you_mean(name, known, SCHEMA);
        let message = format!("The line has the unknown type {}", quoted(name));
        let place = word.map_or_else(whole, |word| word.place(source));
        return Err(invalid(place.pointing("/type"), message, help));
    };
    refuse_unknown_key(source, "The event", root, &KEYS)?;
    refuse_lost_keys(source, root)?;
    if let Some(key) = required.iter().find(|key| !fields.has(key)) {
        let message = format!("The event of type {} has no {}", quoted(name), quoted(key));
        let help = format!("Print {}, or leave the event out.", quoted(key));
        return Err(invalid(whole().pointing(format!("/{key}")), message, help));
    }
    Ok(AdapterItem::Event(*kind, Box::new(fields)))
}

/// Refuses the first key of an object that is not in `keys`.
fn refuse_unknown_key(
    source: &Source<'_>,
    object: &str,
    node: Option<Node<'_>>,
    keys: &BTreeSet<String>,
) -> Result<(), Box<Diagnostic>> {
    let members = node.map(|node| node.members()).unwrap_or_default();
    let Some(member) = members.iter().find(|member| !keys.contains(&*member.key)) else {
        return Ok(());
    };
    let known = keys.iter().map(String::as_str);
    let otherwise = "Leave it out; an unknown key would be lost.";
    let help = did_you_mean(&member.key, known, otherwise);
    let message = format!("{object} has the unknown key {}", quoted(&member.key));
    Err(invalid(member.value.place(source), message, help))
}

/// Refuses unknown keys of the objects that have the types of a trace, because a trace ignores them.
fn refuse_lost_keys(source: &Source<'_>, line: Option<Node<'_>>) -> Result<(), Box<Diagnostic>> {
    for (object, pointer, keys) in &*OBJECTS {
        let node = line.and_then(|line| line.find(pointer));
        refuse_unknown_key(source, object, node, keys)?;
    }
    let agents = line.and_then(|line| line.get("agents"));
    for agent in agents.map(|agents| agents.items()).unwrap_or_default() {
        refuse_unknown_key(source, "An agent", Some(agent), &AGENT_KEYS)?;
    }
    Ok(())
}

/// The keys of events.
static KEYS: LazyLock<BTreeSet<String>> = LazyLock::new(schema_keys::<TraceEventFields<'_>>);

/// The keys of the agents of a record.
static AGENT_KEYS: LazyLock<BTreeSet<String>> = LazyLock::new(schema_keys::<TraceAgent>);

/// The objects in lines that have the types of a trace, with their keys.
static OBJECTS: LazyLock<[(&str, &str, BTreeSet<String>); 4]> = LazyLock::new(|| {
    [
        ("`importer`", "/importer", schema_keys::<Importer>()),
        ("`tokens`", "/tokens", schema_keys::<Tokens>()),
        ("`tokens`", "/metrics/tokens", schema_keys::<Tokens>()),
        ("`source`", "/source", schema_keys::<EventSource<'_>>()),
    ]
});
